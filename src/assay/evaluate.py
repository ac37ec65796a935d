"""score() and compare(): the whole way from what the user names to a Result."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay import changes
from assay.arrays import Ints
from assay.changes import Items, Outcomes
from assay.counts import Counts, tally
from assay.examples import examples
from assay.figures import BLOCKS, Figures, Settings
from assay.judgements import Judgements
from assay.measures import TASKS, Measure, find
from assay.prepare import Options, Run, gold_source, prepare
from assay.result import SCHEMA, Bound, Comparison, Diff, Growth, Mapped, Result, Unique
from assay.slices import Slice
from assay.stats.corrections import holm
from assay.stats.significance import mcnemar
from assay.systems import named_systems
from assay.tagsets.analysis import Analysis

FEW_UNITS = 20
WIDER = 1.2
"""From this ratio of their widths on, intervals over documents are worth a note beside those over sentences."""


def score(gold: Any, systems: Any, measures: Sequence[str] | str | None = None, **options: Any) -> Result:
    """Score one or more systems against gold.

    `gold` and `systems` are paths, corpora from `assay.read`, or lists of lists of labels (or of (word, label)
    pairs); several systems as a list or as a mapping from names. `measures` are written as on the command
    line, e.g. `["accuracy", "tag-f1"]`; further options are those of the command line: column, unit, slices,
    train, lexicon, map, seed, times, interval, on_mismatch, input_format, examples.
    """
    return _evaluate("score", gold, systems, measures, Options(**options))


def compare(gold: Any, systems: Any, measures: Sequence[str] | str | None = None, **options: Any) -> Result:
    """Compare two or more systems: scores as in `score`, tests, what changed, and upper bounds."""
    return _evaluate("compare", gold, systems, measures, Options(**options))


def _evaluate(
    command: str, gold: Any, systems: Any, measures: Sequence[str] | str | None, options: Options
) -> Result:
    specs = [measures] if isinstance(measures, str) else list(measures or _defaults(options))
    chosen = [find(spec) for spec in dict.fromkeys(specs)]
    cuts = [Slice.find(spec) for spec in dict.fromkeys(options.slices)]
    run = prepare(gold, systems, chosen, options)
    chosen = list(run.measures)
    settings = Settings(options.seed, options.times, options.interval)
    judged = [_Judged(measure, tuple((name, measure.judge(pair)) for name, pair in run.pairs)) for measure in chosen]
    units = _Units.of(run, options.unit)
    views = [(None, judged, units), *_slices(run, judged, cuts, units)]
    figures = [
        (where, one.figures(where, part, run.gold.sentences, settings))
        for where, parts, part in views
        for one in parts
        if part.number
    ]
    result = Result(
        schema=SCHEMA,
        version=assay.__version__,
        signature=_signature(run, chosen, options, units.number),
        command=command,
        task="tags",
        column=run.column,
        unit=options.unit,
        units=units.number,
        items=int(run.pairs[0][1].judge().has_gold.sum()),
        aligned_by=_aligned_by(run),
        seed=options.seed,
        times=options.times,
        interval=options.interval,
        test="shuffling",
        family=0,
        gold=gold_source(run),
        systems=run.sources,
        scores=tuple(score for where, part in figures for score in part.scores(labels=where is None)),
        counts=tuple(row for _, part in figures for row in part.counts_rows()),
        tagset=run.tagset.name if run.tagset else "",
        mappings=(*run.mappings, *_mapping_effect(gold, systems, chosen, options, run)),
        warnings=(*run.warnings, *_few_units(units), *_idle_slices(cuts, views)),
        notes=(*_pooled_note(figures, units), *_document_note(run, figures[0][1], judged[0], options, settings)),
    )
    basis = _basis(judged)
    if basis is not None:
        items = Items.of(basis.items())
        result = replace(
            result,
            confusion=tuple(changes.confusion(items.outcomes, str(basis.measure))),
            examples=tuple(examples(run, items, options)),
        )
        if options.examples and not result.examples:
            named = " and ".join(filter(None, (options.kind, options.change)))
            nothing = f"no sentence fits {named}." if named else "there are no differences to show examples of."
            result = replace(result, warnings=(*result.warnings, nothing))
    if any(measure.definition.name == "features" for measure in chosen):
        values = [row for on, outcomes in _by_category(run) for row in changes.confusion(outcomes, on)]
        result = replace(result, confusion=(*result.confusion, *values))
    if options.sweep and len(run.pairs) > 1:
        from assay.sensitivity import sweeps

        rng = settings.rng("sweep")
        result = replace(result, sweeps=tuple(sweeps(run.pairs, run.pairs[0][1].weights, options.sweep, rng)))
    if command == "compare" and len(run.pairs) > 1:
        result = _compared(run, result, [part for _, part in figures], views)
    return result


def _defaults(options: Options) -> list[str]:
    extra = ["oov-accuracy"] if options.train or options.lexicon else []
    return [*TASKS["tags"], *extra]


# --- what is judged, and in which units ---


@dataclass(frozen=True)
class _Judged:
    """One measure's judgements (or counts) of every system."""

    measure: Measure
    systems: tuple[tuple[str, Judgements | Counts], ...]

    def items(self) -> list[tuple[str, Judgements]]:
        """The judgements, where the measure has items."""
        return [(name, judged) for name, judged in self.systems if isinstance(judged, Judgements)]

    def figures(self, where: str | None, units: _Units, sentences: int, settings: Settings) -> Figures:
        """The counts in units, ready to be scored."""
        counts = [
            (name, self.measure.count(judged, sentences).regrouped(units.of_sentence, units.number))
            for name, judged in self.systems
        ]
        return Figures.of(self.measure, where, counts, lambda: units.blocks, settings)


@dataclass(frozen=True, eq=False)
class _Units:
    """Which unit each gold sentence belongs to, -1 where it is left out."""

    run: Run
    unit: str
    of_sentence: Ints
    number: int
    kept: Ints
    """The units of the corpus that take part."""

    @classmethod
    def of(cls, run: Run, unit: str, taken: Any = None) -> _Units:
        unit_of_sentence = run.gold.unit_of_sentence(unit)
        taken = ~run.skipped if taken is None else taken & ~run.skipped
        kept, renumbered = np.unique(unit_of_sentence[taken], return_inverse=True)
        of_sentence = np.full(run.gold.sentences, -1, dtype=np.int64)
        of_sentence[taken] = renumbered
        return cls(run, unit, of_sentence, len(kept), kept)

    @cached_property
    def blocks(self) -> Ints:
        """The block of each unit, by a hash of its name, for the case that there are too many of them."""
        if self.number <= BLOCKS:
            return np.arange(self.number)
        hashes = np.array(
            [zlib.crc32(name.encode("utf-8", "replace")) for name in self.run.gold.unit_names(self.unit)]
        )
        return hashes[self.kept] % BLOCKS


def _slices(
    run: Run, judged: Sequence[_Judged], cuts: Sequence[Slice], units: _Units
) -> Iterator[tuple[str, list[_Judged], _Units]]:
    """Each value of each slice: the measures it can be applied to, with the items it selects."""
    for cut in cuts:
        by_sentence = cut.sentences(run.gold)
        if by_sentence is not None:
            codes, names = by_sentence
            present = np.unique(codes[~run.skipped]).tolist()
            for code, name in enumerate(names) if len(present) > 1 else ():
                selected = codes == code
                if code in present:
                    part = _Units.of(run, units.unit, selected)
                    yield f"{cut}={name}", [_in_sentences(one, selected) for one in judged], part
        else:
            yield from ((where, parts, units) for where, parts in _item_slices(run, judged, cut))


def _in_sentences(judged: _Judged, selected: Any) -> _Judged:
    systems = tuple(
        (name, part.where(selected[part.sentence]) if isinstance(part, Judgements) else part)
        for name, part in judged.systems
    )
    return replace(judged, systems=systems)


def _item_slices(run: Run, judged: Sequence[_Judged], cut: Slice) -> Iterator[tuple[str, list[_Judged]]]:
    # Whole sentences have no meaning for a part of their words, labels none within one label.
    sliceable = [one for one in judged if one.measure.definition.judges_items and one.items()]
    parts: dict[str, list[_Judged]] = {}
    for one in sliceable:
        for value, part in _by_value(run, one, cut):
            parts.setdefault(value, []).append(part)
    yield from ((f"{cut}={value}", measured) for value, measured in parts.items())


def _by_value(run: Run, judged: _Judged, cut: Slice) -> Iterator[tuple[str, _Judged]]:
    """The items of each value that gold has, for all systems."""
    pairs = dict(run.pairs)
    items = judged.items()
    valued = [cut.items(pairs[name], part) for name, part in items]
    codes, names = valued[0]
    in_gold = np.bincount(codes[items[0][1].has_gold].astype(np.int64), minlength=len(names))
    present = np.flatnonzero(in_gold).tolist()
    if len(present) < 2:
        return
    if str(cut) == "label":
        present.sort(key=lambda code: (-int(in_gold[code]), names[code]))
    for code in present:
        value = names[code]
        systems = tuple(
            (name, part.where(codes == (names.index(value) if value in names else -1)))
            for (name, part), (codes, names) in zip(items, valued, strict=True)
        )
        yield value, replace(judged, systems=systems)


# --- comparison ---


def _basis(judged: Sequence[_Judged]) -> _Judged | None:
    """The measure whose items systems are compared on: the first that judges items one by one."""
    with_items = [one for one in judged if one.items()]
    return next((one for one in with_items if one.measure.definition.count is tally), next(iter(with_items), None))


def _compared(run: Run, result: Result, figures: Sequence[Figures], views: Sequence[Any]) -> Result:
    comparisons = [row for part in figures for row in part.comparisons()]
    diffs: list[Diff] = []
    bounds: list[Bound] = []
    growth: list[Growth] = []
    unique: list[Unique] = []
    for where, judged, _ in views:
        for one in _bases(judged):
            items = Items.of(one.items())
            outcomes = items.outcomes
            on = str(one.measure)
            diffs.extend(changes.diffs(outcomes, on, where))
            bounds.extend(changes.bounds(outcomes, on, where))
            growth.extend(changes.growth(outcomes, on, where))
            unique.extend(changes.unique(outcomes, on, where))
            if one.measure.definition.count is tally:
                # Over gold's items, which is recall where a system has other items than gold.
                score = one.measure.definition.main if result.aligned_by != "characters" else "recall"
                comparisons.extend(_mcnemar(items, on, score, where))
    diffs.extend(diff for on, outcomes in _by_category(run) for diff in changes.diffs(outcomes, on, None))
    adjusted = _adjusted(comparisons)
    family = len(run.pairs) * (len(run.pairs) - 1) // 2
    return replace(
        result,
        comparisons=tuple(adjusted),
        family=family,
        diffs=tuple(diffs),
        bounds=tuple(bounds),
        growth=tuple(growth),
        unique=tuple(unique),
        warnings=(*result.warnings, *_undecided(adjusted, result.times, family)),
    )


def _bases(judged: Sequence[_Judged]) -> list[_Judged]:
    counted = [one for one in judged if one.items() and one.measure.definition.judges_items]
    first = _basis(judged)
    return counted or ([first] if first else [])


def _by_category(run: Run) -> Iterator[tuple[str, Outcomes]]:
    """The outcomes of every category by itself, from the labels as they are; none where tags have no categories."""
    if run.tagset is None:
        return
    pair = run.pairs[0][1]
    outcomes = Items.of([(name, one.judge()) for name, one in run.pairs]).outcomes
    empty = pair.system.empty or pair.gold.empty
    analysis = Analysis.of(outcomes.labels, run.tagset, expand_optional=pair.expand_optional, empty=empty)
    if len(analysis.positions) > 1:
        for position in analysis.positions:
            yield f"features/{position}", outcomes.taken_apart(analysis.value_names(position))


def _mcnemar(items: Items, on: str, score: str, where: str | None) -> Iterator[Comparison]:
    total = len(items.gold)
    for a, b in combinations(range(len(items.systems)), 2):
        only_a = int((items.right[a] & ~items.right[b]).sum())
        only_b = int((items.right[b] & ~items.right[a]).sum())
        exact, mid = mcnemar(only_a, only_b)
        yield Comparison(
            a=items.systems[a],
            b=items.systems[b],
            measure=on,
            score=score,
            slice=where,
            difference=(only_b - only_a) / total if total else float("nan"),
            low=float("nan"),
            high=float("nan"),
            test="mcnemar",
            p=exact,
            p_low=exact,
            p_high=exact,
            p_adjusted=float("nan"),
            units=only_a + only_b,
            p_mid=mid,
            exact=True,
        )


def _adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Holm's correction over the pairs of systems, for each test and score; in slices over their values too."""
    families: dict[tuple[object, ...], list[int]] = {}
    for index, row in enumerate(comparisons):
        cut = row.slice.partition("=")[0] if row.slice is not None else None
        families.setdefault((row.test, row.measure, row.score, cut), []).append(index)
    adjusted = list(comparisons)
    for family in families.values():
        for index, p in zip(family, holm([comparisons[index].p for index in family]), strict=True):
            adjusted[index] = replace(comparisons[index], p_adjusted=p)
    return adjusted


def _undecided(comparisons: Sequence[Comparison], times: int, family: int) -> Iterator[str]:
    for row in comparisons:
        if row.test == "shuffling" and row.slice is None and not row.exact and row.p_low < 0.05 < row.p_high:
            yield (
                f"{row.a} and {row.b} on {row.measure}: p = {row.p:.4f} is too near 0.05 to be decided with "
                f"{times:,} shufflings. Raise them: --times {times * 10}"
            )
    sampled = any(row.test == "shuffling" and row.slice is None and not row.exact for row in comparisons)
    if sampled and family / (times + 1) > 0.05:
        yield (
            f"with {times:,} shufflings and {family} tests no difference can become significant after Holm. "
            f"Raise them: --times {family * 200}"
        )


# --- the rest of the Result ---


def _mapping_effect(
    gold: Any, systems: Any, chosen: Sequence[Measure], options: Options, run: Run
) -> Iterator[Mapped]:
    """The main score of every system with and without the mapping file."""
    if options.map is None or not _rereadable(gold, systems):
        return
    plain = prepare(gold, systems, chosen, replace(options, map=None))
    unmapped = dict(plain.pairs)
    for name, pair in run.pairs:
        if name in unmapped:
            before, after = (_main(chosen[0], one, run.gold.sentences) for one in (unmapped[name], pair))
            yield Mapped(name, "all rules", 0, before, after)


def _rereadable(gold: Any, systems: Any) -> bool:
    return not any(isinstance(item, str) and item == "-" for item in (gold, *named_systems(systems).values()))


def _main(measure: Measure, pair: Any, sentences: int) -> float:
    counts = measure.count(measure.judge(pair), sentences)
    sums = {
        field: np.asarray(float(total))
        for field, total in zip(counts.fields, counts.matrix().sum(axis=0).tolist(), strict=True)
    }
    return float(measure.definition.scores[measure.definition.main](sums))


def _aligned_by(run: Run) -> str:
    ways = dict.fromkeys(pair.aligned_by for _, pair in run.pairs)
    return next((way for way in ("characters", "position") if way in ways), "words")


def _idle_slices(cuts: Sequence[Slice], views: Sequence[Any]) -> Iterator[str]:
    """Slices that none of the measures can be cut by."""
    for cut in cuts:
        if not any(where is not None and where.startswith(f"{cut}=") for where, _, _ in views):
            yield f"--slice {cut} cuts nothing here: all items fall under one value, or no measure has items to cut."


def _few_units(units: _Units) -> Iterator[str]:
    if units.number == 1:
        yield (
            f"1 {units.unit} only: there is nothing to resample, so that intervals without width and p = 1 mean "
            "nothing here."
        )
    elif units.number < FEW_UNITS:
        what = f"{units.number} {units.unit}s"
        yield f"{what} only: intervals and p-values from so few units are rough."


def _pooled_note(figures: Sequence[tuple[str | None, Figures]], units: _Units) -> Iterator[str]:
    if any(part.pooled for _, part in figures):
        yield (
            f"More than {BLOCKS:,} {units.unit}s with counts of their own: they were pooled into {BLOCKS:,} "
            "blocks by a hash of their id, and blocks were resampled."
        )


def _document_note(
    run: Run, figures: Figures, judged: _Judged, options: Options, settings: Settings
) -> Iterator[str]:
    """Whether sentences of one document are so alike that documents should be resampled."""
    documents = _Units.of(run, "document")
    if options.unit != "sentence" or documents.number < FEW_UNITS or options.interval == "wilson":
        return
    coarse = judged.figures(None, documents, run.gold.sentences, settings)
    for fine_row, coarse_row in zip(figures.scores(labels=False), coarse.scores(labels=False), strict=True):
        narrow, wide = fine_row.high - fine_row.low, coarse_row.high - coarse_row.low
        if wide > WIDER * narrow > 0:
            yield (
                f"Resampling documents, not sentences, makes the interval of {fine_row.system} on "
                f"{fine_row.measure} {wide / narrow:.1f} times as wide: sentences of one document are alike here. "
                "Consider --unit document."
            )
            return


def _signature(run: Run, measures: Sequence[Measure], options: Options, units: int) -> str:
    """What one needs to get the same figures again: all that was chosen, and what went in."""
    files = [
        name
        for name in ("map", "train", "lexicon", "tagset", "weights")
        if (value := getattr(options, name)) and (name in ("map", "train", "lexicon") or Path(value).is_file())
    ]
    chosen = {
        item.name: getattr(options, item.name)
        for item in fields(options)
        if item.name not in (*files, "column", "unit", "interval", "times", "seed", "examples", "change", "kind")
        and getattr(options, item.name) != item.default
    }
    parts: dict[str, object] = {
        "assay": assay.__version__,
        "task": "tags",
        "column": run.column,
        "measures": "+".join(map(str, measures)),
        "unit": options.unit,
        "n": units,
        "interval": options.interval,
        "times": options.times,
        "seed": options.seed,
        **{name: "+".join(value) if isinstance(value, tuple | list) else value for name, value in chosen.items()},
        **{name: f"sha256={_file_hash(getattr(options, name))[:12]}" for name in files},
        "gold": f"sha256={run.gold.sha256[:12]}",
        "systems": "+".join(f"{source.name}:sha256={source.sha256[:12]}" for source in run.sources),
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def _file_hash(path: str) -> str:
    import hashlib

    from assay.readers.source import expand

    digest = hashlib.sha256()
    for file in expand(path):
        with open(file, "rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
