"""score() and compare(): the whole way from what the user names to a Result."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay import changes
from assay.arrays import NONE, Ints
from assay.changes import Items, Outcomes
from assay.corpus import Corpus
from assay.counts import Counts, tally
from assay.examples import examples, unresolved
from assay.figures import BLOCKS, Figures, Settings, draw_together
from assay.judgements import Judgements
from assay.measures import TASKS, Measure, find
from assay.prepare import Options, Prepared, Run, gold_source, prepare
from assay.result import (
    SCHEMA,
    Bound,
    Comparison,
    Confusion,
    Diff,
    ErrorType,
    Growth,
    Mapped,
    Result,
    Similarity,
    Sweep,
    Transition,
    Unique,
    Unresolved,
)
from assay.slices import Slice
from assay.stats.corrections import holm
from assay.stats.significance import mcnemar
from assay.systems import named_systems
from assay.tagsets.analysis import Analysis

FEW_UNITS = 20
ERROR_TYPES = ("fp", "fn", "wl", "le", "bes", "bel", "beo", "lbe", "ge")
_SAID_OTHERWISE = (
    *("symmetric", "task", "column", "scheme", "unit", "interval", "times", "seed"),
    *("examples", "change", "kind"),
)
"""Options that the signature says in words of its own, or that change no figure."""
_NAMES_OR_FILES = ("tagset", "weights", "mention_types")
WIDER = 1.2
"""From this ratio of their widths on, intervals over documents are worth a note beside those over sentences."""


def score(gold: Any, systems: Any, measures: Sequence[str] | str | None = None, **options: Any) -> Result:
    """Score one or more systems against gold.

    `gold` and `systems` are paths, corpora from `assay.read`, or lists of lists of labels (or of (word, label)
    pairs); several systems as a list or as a mapping from names. `measures` are written as on the command
    line, e.g. `["accuracy", "tag-f1"]`; further options are those of the command line: column, unit, slices,
    train, lexicon, map, seed, times, interval, on_mismatch, input_format, examples.
    """
    return evaluated("score", gold, systems, measures, Options(**options))


def compare(gold: Any, systems: Any, measures: Sequence[str] | str | None = None, **options: Any) -> Result:
    """Compare two or more systems: scores as in `score`, tests, what changed, and upper bounds."""
    return evaluated("compare", gold, systems, measures, Options(**options))


def evaluated(
    command: str,
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None,
    options: Options,
    settings: Settings | None = None,
) -> Result:
    """The whole way, for whichever command asks; what `settings` has drawn already serves again."""
    specs = [measures] if isinstance(measures, str) else list(measures or ())
    chosen = [find(spec) for spec in dict.fromkeys(specs)]
    cuts = [Slice.find(spec) for spec in dict.fromkeys(options.slices)]
    opened = Prepared(gold, systems, options, chosen)
    run = opened.run(chosen or [find(spec) for spec in _defaults(opened.task, options)])
    chosen = list(run.measures)
    settings = settings or Settings(options.seed, options.times, options.interval)
    judged = [_Judged(measure, tuple((name, measure.judge(pair)) for name, pair in run.pairs)) for measure in chosen]
    units = _Units.of(run, run.unit)
    views = [(None, judged, units), *_slices(run, judged, cuts, units)]
    figures = [
        (where, one.figures(where, part, run.gold.sentences, settings))
        for where, parts, part in views
        for one in parts
        if part.number
    ]
    draw_together(part for _, part in figures)
    result = Result(
        schema=SCHEMA,
        version=assay.__version__,
        signature=_signature(run, chosen, options, units.number),
        command=command,
        task=run.task,
        column=run.column,
        unit=run.unit,
        units=units.number,
        items=run.items,
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
        scheme=run.scheme,
        atoms=run.pairs[0][1].spanned().atoms if run.task == "spans" else "",
        mappings=(*run.mappings, *_mapping_effect(gold, systems, chosen, options, run)),
        warnings=(*run.warnings, *few_units(units.number, units.unit), *_idle_slices(cuts, views)),
        notes=(
            *run.notes,
            *_pooled_note(figures, units),
            *_macro_notes(chosen, figures, units),
            *_document_note(run, figures[0][1], judged[0], options, settings),
        ),
    )
    basis = _basis(judged)
    if basis is not None:
        result = _with_items(result, run, basis, options)
    if any(measure.definition.name == "features" for measure in chosen):
        values = [row for on, outcomes in _by_category(run) for row in changes.confusion(outcomes, on)]
        result = replace(result, confusion=(*result.confusion, *values))
    result = replace(result, sweeps=tuple(_sweeps(run, command, options, settings)))
    if run.task == "coreference":
        result = replace(result, error_types=(*result.error_types, *_chain_errors(run)))
    if command == "compare" and len(run.pairs) > 1:
        result = _compared(run, result, [part for _, part in figures], views)
    return result


def _with_items(result: Result, run: Run, basis: _Judged, options: Options) -> Result:
    """What the items of one measure show: confusions, types of errors, examples."""
    items = Items.of(basis.items())
    shown = tuple(examples(run, items, basis.items(), options))
    warnings = result.warnings
    if options.examples and not shown:
        named = " and ".join(filter(None, (options.kind, options.change)))
        nothing = f"no sentence fits {named}." if named else "there are no differences to show examples of."
        warnings = (*warnings, nothing)
    # Mentions are more than those that have an antecedent; spans and constituents are what is judged.
    counted = items.kinds and run.task != "coreference"
    return replace(
        result,
        items=int((items.owner == NONE).sum()) if counted else result.items,
        confusion=tuple(_confusion(basis, items)),
        error_types=tuple(_error_types(result)),
        examples=shown,
        warnings=warnings,
    )


def _defaults(task: str, options: Options) -> list[str]:
    extra = ["oov-accuracy"] if task == "tags" and (options.train or options.lexicon) else []
    return [*TASKS[task], *extra]


def _sweeps(run: Run, command: str, options: Options, settings: Settings) -> Iterable[Sweep]:
    """The order of systems under many weightings; of types of errors, which cost nothing, without being asked."""
    if len(run.pairs) < 2:
        return ()
    from assay.sensitivity import WEIGHTINGS, span_sweeps, sweeps

    rng = settings.rng("sweep")
    if run.task == "spans":
        return span_sweeps(run.pairs, options.sweep or WEIGHTINGS, rng) if command == "compare" else ()
    return sweeps(run.pairs, run.pairs[0][1].weights, options.sweep, rng) if options.sweep else ()


def _confusion(basis: _Judged, items: Items) -> Iterable[Confusion]:
    on = str(basis.measure)
    if not items.kinds:
        rows = [*changes.confusion(items.outcomes, on)]
        if items.heads:
            rows += (row for name, judged in basis.items() for row in changes.spurious_confusion(name, judged, on))
        order = {name: number for number, name in enumerate(items.systems)}
        return sorted(rows, key=lambda row: (order[row.system], -row.count))
    return (row for name, judged in basis.items() for row in changes.matched_confusion(name, judged, on))


def _error_types(result: Result) -> Iterator[ErrorType]:
    """Each type's share of the errors, under every measure that has types (Ortmann's Figure 1)."""
    for row in result.counts:
        if row.label is None and row.slice is None and {"fp", "fn"} <= row.counts.keys():
            errors = {name: number for name, number in row.counts.items() if name in ERROR_TYPES}
            total = sum(errors.values())
            for name, number in errors.items():
                share = number / total if total else float("nan")
                yield ErrorType(row.system, row.measure, name, number, share)


def _chain_errors(run: Run) -> Iterator[ErrorType]:
    """Coreference: what is wrong with the chains of each system, by kind."""
    for name, pair in run.pairs:
        errors = pair.chained().errors()
        total = sum(errors.values())
        for kind, number in errors.items():
            yield ErrorType(name, "chains", kind, number, number / total if total else float("nan"))


# --- what is judged, and in which units ---


@dataclass(frozen=True)
class _Judged:
    """One measure's judgements (or counts) of every system."""

    measure: Measure
    systems: tuple[tuple[str, Judgements | Counts], ...]

    @property
    def kinds(self) -> int:
        """How many kinds of outcome the measure tells apart, where items are matched."""
        first = self.systems[0][1]
        return len(first.matches.kinds) if isinstance(first, Judgements) and first.matches else 0

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
        return np.arange(self.number) if self.number <= BLOCKS else hashed_units(self.run.gold, self.unit)[self.kept]


def hashed_units(corpus: Corpus, unit: str) -> Ints:
    """A block for each unit, by a hash of its name, which is the same in whatever company files are read."""
    names = corpus.unit_names(unit)
    return np.array([zlib.crc32(name.encode("utf-8", "replace")) for name in names]) % BLOCKS


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
    parts = [(name, cut.parts(pairs[name], part)) for name, part in judged.items()]
    # Spurious items may have values that gold does not have.
    present = {
        value for _, found in parts for value, _, part in found if part.has_gold.any() or part.has_system.any()
    }
    first = [(value, number) for value, number, _ in parts[0][1] if value in present]
    if len(first) < 2:
        return
    if str(cut) == "label":
        first.sort(key=lambda row: (-row[1], row[0]))
    for value, _ in first:
        systems = tuple((name, _part_of(found, value)) for name, found in parts)
        yield value, replace(judged, systems=systems)


def _part_of(found: Sequence[tuple[str, int, Judgements]], value: str) -> Judgements:
    """The items of one value; none where a system has no such value."""
    nothing = found[0][2].where(np.zeros(len(found[0][2]), dtype=bool))
    return next((part for name, _, part in found if name == value), nothing)


# --- comparison ---


def _basis(judged: Sequence[_Judged]) -> _Judged | None:
    """The measure whose items systems are compared on: the first that judges items, or that tells most apart."""
    with_items = [one for one in judged if one.items()]
    if with_items and with_items[0].kinds:
        return max(with_items, key=lambda one: one.kinds)
    return next((one for one in with_items if one.measure.definition.count is tally), next(iter(with_items), None))


def _with_sentences(run: Run, bound: Bound, items: Items) -> Bound:
    """The overall bound with the sentences that are wholly right; a sentence cut otherwise is not."""
    same = [pair.same_sentences() for _, pair in run.pairs]
    return changes.with_sentences(bound, items, same, len(np.unique(items.sentence)))


def _compared(run: Run, result: Result, figures: Sequence[Figures], views: Sequence[Any]) -> Result:
    comparisons = [row for part in figures for row in part.comparisons()]
    diffs: list[Diff] = []
    bounds: list[Bound] = []
    growth: list[Growth] = []
    unique: list[Unique] = []
    transitions: list[Transition] = []
    nobody: list[Unresolved] = []
    for where, judged, _ in views:
        for one in _bases(judged):
            items = Items.of(one.items())
            outcomes = items.outcomes
            on = str(one.measure)
            diffs.extend(changes.diffs(outcomes, on, where))
            upper = list(changes.bounds(outcomes, on, where))
            if upper and where is None and run.task in ("dependencies", "constituents"):
                upper[0] = _with_sentences(run, upper[0], items)
            bounds.extend(upper)
            growth.extend(changes.growth(outcomes, on, where))
            unique.extend(changes.unique(outcomes, on, where))
            transitions.extend(changes.transitions(outcomes, on, where))
            if run.task == "coreference":
                comparisons.extend(_mcnemar(items.of_gold(), on, "recall", where))
                nobody.extend(unresolved(run, items, on) if where is None else ())
            if one.measure.definition.count is tally:
                # Over gold's items, which is recall where a system has other items than gold.
                of_all = result.aligned_by != "characters" and all(
                    judged.counted is None for _, judged in one.items()
                )
                score = one.measure.definition.main if of_all else "recall"
                comparisons.extend(_mcnemar(items, on, score, where))
    diffs.extend(diff for on, outcomes in _by_category(run) for diff in changes.diffs(outcomes, on, None))
    rows = adjusted(comparisons)
    family = len(run.pairs) * (len(run.pairs) - 1) // 2
    return replace(
        result,
        comparisons=tuple(rows),
        family=family,
        diffs=tuple(diffs),
        bounds=tuple(bounds),
        growth=tuple(growth),
        unique=tuple(unique),
        unresolved=tuple(nobody),
        transitions=tuple(transitions),
        similarities=tuple(_similarities(run)),
        warnings=(*result.warnings, *_undecided(rows, result.times, family)),
    )


def _similarities(run: Run) -> Iterator[Similarity]:
    """Coreference: one system's chains taken as gold for another's (Tuggener's Table 13)."""
    for (a, first), (b, second) in combinations(run.pairs, 2) if run.task == "coreference" else ():
        both = replace(first, system=second.system, chains=first.chained().against(second.chained()))
        for spec in ("conll", "lea"):
            measure = find(spec)
            value = _main(measure, both, run.gold.sentences)
            yield Similarity(a, b, spec, measure.definition.main, value)


def _bases(judged: Sequence[_Judged]) -> list[_Judged]:
    counted = [one for one in judged if one.items() and one.measure.definition.judges_items]
    first = _basis(judged)
    if first is not None and first.kinds:
        # All measures of spans are about the same items.
        return [first]
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


def adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Holm's correction over the pairs of systems, for each test and score; in slices over their values too."""
    families: dict[tuple[object, ...], list[int]] = {}
    for index, row in enumerate(comparisons):
        cut = row.slice.partition("=")[0] if row.slice is not None else None
        families.setdefault((row.test, row.measure, row.score, cut), []).append(index)
    done = list(comparisons)
    for family in families.values():
        for index, p in zip(family, holm([comparisons[index].p for index in family]), strict=True):
            done[index] = replace(comparisons[index], p_adjusted=p)
    return done


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
    return float(measure.scores[measure.definition.main](sums))


def _aligned_by(run: Run) -> str:
    ways = dict.fromkeys(pair.aligned_by for _, pair in run.pairs)
    return next((way for way in ("characters", "position") if way in ways), "words")


def _idle_slices(cuts: Sequence[Slice], views: Sequence[Any]) -> Iterator[str]:
    """Slices that none of the measures can be cut by."""
    for cut in cuts:
        if not any(where is not None and where.startswith(f"{cut}=") for where, _, _ in views):
            yield f"--slice {cut} cuts nothing here: all items fall under one value, or no measure has items to cut."


def few_units(number: int, unit: str) -> Iterator[str]:
    """What is to be said where there is little to resample."""
    if number == 1:
        yield (
            f"1 {unit} only: there is nothing to resample, so that intervals without width and p = 1 mean "
            "nothing here."
        )
    elif number < FEW_UNITS:
        what = f"{number} {unit}s"
        yield f"{what} only: intervals and p-values from so few units are rough."


def _pooled_note(figures: Sequence[tuple[str | None, Figures]], units: _Units) -> Iterator[str]:
    if any(part.pooled for _, part in figures):
        yield (
            f"More than {BLOCKS:,} {units.unit}s (with counts of their own, or counted by label): they were pooled "
            f"into {BLOCKS:,} blocks by a hash of their id, and blocks were resampled."
        )


def _macro_notes(
    measures: Sequence[Measure], figures: Sequence[tuple[str | None, Figures]], units: _Units
) -> Iterator[str]:
    """Over how many documents scores are averaged, where that is asked for."""
    averaged = {str(one): one.definition.main for one in measures if one.parameters.get("average") == "macro"}
    for where, part in figures:
        for row in part.counts_rows() if where is None and str(part.measure) in averaged else ():
            number = row.counts[f"{averaged[row.measure]}-documents"]
            yield f"{row.measure} of {row.system}: the mean of {number:,} of {units.number:,} documents."


def _document_note(
    run: Run, figures: Figures, judged: _Judged, options: Options, settings: Settings
) -> Iterator[str]:
    """Whether sentences of one document are so alike that documents should be resampled."""
    documents = _Units.of(run, "document")
    if run.unit != "sentence" or documents.number < FEW_UNITS or options.interval == "wilson":
        return
    coarse = judged.figures(None, documents, run.gold.sentences, settings)
    for fine_row, coarse_row in zip(figures.main_scores(), coarse.main_scores(), strict=True):
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
        for name in ("map", "train", "lexicon", "gold_errors", "mention_types", "tagset", "weights")
        if (value := getattr(options, name)) and (name not in _NAMES_OR_FILES or Path(value).is_file())
    ]
    chosen = {
        item.name: getattr(options, item.name)
        for item in fields(options)
        if item.name not in (*files, *_SAID_OTHERWISE) and getattr(options, item.name) != item.default
    }
    parts: dict[str, object] = {
        "assay": assay.__version__,
        "task": run.task,
        **({"column": run.column} if run.column else {}),
        **({"scheme": run.scheme} if run.scheme else {}),
        **({"atoms": run.pairs[0][1].spanned().atoms} if run.task == "spans" else {}),
        "measures": "+".join(map(str, measures)),
        "unit": run.unit,
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
