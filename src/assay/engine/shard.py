"""measured(): one shard, judged and counted, as a Part."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.corpus import Corpus
from assay.corpus.systems import named_systems
from assay.engine import items as outcomes
from assay.engine.counts import Counts, tally
from assay.engine.examples import Drawn, examples, lot_of
from assay.engine.inputs import Prepared, prepare
from assay.engine.items import Items, Outcomes
from assay.engine.judgements import Judgements, judge_words
from assay.engine.measure import Measure, find
from assay.engine.options import Decided, Options, contents_of
from assay.engine.pagetexts import Texts
from assay.engine.parts import Covered, Cut, Kind, Later, Now, Part, Selection, Summed, whole_numbers
from assay.engine.prepare import Run, gold_source
from assay.engine.scores import Figures, Settings
from assay.engine.slices import Slice
from assay.engine.tallies import BLOCKS, Tallies, UnitTallies
from assay.engine.task import Task, tasks
from assay.engine.warnings import worded
from assay.formats import Input

ALONE = Covered("", 1, (0,))
"""Where there is one shard, and nothing to be added up."""


def measured(
    command: str, gold: Any, systems: Any, specs: Sequence[str], options: Options, covered: Covered = ALONE
) -> Part:
    """What gold and systems, or one shard of them, amount to; nothing is summed up yet."""
    cuts = [Slice.find(spec) for spec in dict.fromkeys(options.slices)]
    named = list(dict.fromkeys(specs))
    opened = Prepared(gold, systems, options, [find(spec) for spec in named])
    named = named or _defaults(opened.task, options)
    run = opened.run([find(spec) for spec in named])
    if options.decided is None:
        worded(run.warnings)
    judged = [
        Judged(measure, tuple((name, measure.judge(pair)) for name, pair in run.pairs)) for measure in run.measures
    ]
    units = Units.of(run, run.unit)
    live = _Live(run, judged, units, command == "compare" and len(run.pairs) > 1, options.decided is not None)
    part = Part(
        command=command,
        options=replace(options, decided=None),
        specs=tuple(named),
        parameters=tuple(measure.parameters for measure in run.measures),
        task=run.task,
        column=run.column,
        unit=run.unit,
        scheme=run.scheme,
        atoms=run.atoms,
        tagset=run.tagset,
        empty=run.pairs[0][1].system.empty or run.gold.empty,
        told=replace(run.decided, task=run.task),
        decided=_read_under(options, run),
        covered=covered,
        judged=tuple(name for name, _ in run.pairs),
        gold=gold_source(run),
        systems=run.sources,
        digests=tuple(_digests(item) for item in opened.inputs),
        contents=contents_of(options, run.measures),
        unaligned=tuple(_kept_words(run) - len(pair.gold_words) for _, pair in run.pairs),
        aligned_by=tuple(pair.aligned_by for _, pair in run.pairs),
        units=units.number,
        items=run.items,
        matched_items=None,
        left_out=_left_out(run),
        warnings=run.warnings,
        notes=run.notes,
        mappings=run.mappings,
        effects=dict(_mapping_effects(gold, systems, options, run)),
        kinds=live.kinds,
        everything=tuple(live.selection(one, None, units) for one in judged),
        cuts=tuple(live.cut(cut) for cut in cuts),
        documents=Later(lambda: judged[0].tallies(Units.of(run, "document"), run.gold.sentences)),
        labels=Later(lambda: labels_of(run)) if run.tagset else None,
        alive=live,
    )
    return live.with_items(part, options)


def _left_out(run: Run) -> int:
    names = run.gold.unit_names("sentence") if run.skipped.any() else ()
    gone = (name for name, skipped in zip(names, run.skipped.tolist(), strict=False) if skipped)
    return sum(lot_of(0, "left out", name) for name in gone) % 2**64


def summed(part: Part) -> Part:
    """The same part with nothing but sums: it can travel, and be added to others."""

    def plain(one: Selection, measure: Measure, where: str | None, outcomes: bool) -> Selection:
        tallies = _summed(one.tallies.fresh(), measure, where)
        kept = Now(one.outcomes.fresh()) if outcomes and one.outcomes is not None else None
        return replace(one, tallies=Now(tallies), outcomes=kept, alive=None)

    measures, live = part.measures, part.alive
    everything = tuple(
        plain(one, measure, None, index in live.compared or index == live.basis_index)
        for index, (one, measure) in enumerate(zip(part.everything, measures, strict=True))
    )
    cuts = tuple(
        replace(
            cut,
            selections=tuple(
                {value: plain(one, measure, value, live.tells(cut, index)) for value, one in values.items()}
                for index, (values, measure) in enumerate(zip(cut.selections, measures, strict=True))
            ),
        )
        for cut in part.cuts
    )
    return replace(
        part,
        everything=everything,
        cuts=cuts,
        documents=Now(_summed(part.documents.fresh(), measures[0], None)),
        labels=None if part.labels is None else Now(part.labels.fresh()),
        alive=None,
    )


def _summed(tallies: Tallies, measure: Measure, where: str | None) -> Tallies:
    return Figures(measure, where, tallies, Settings(0, 1, "percentile")).summed()


def _defaults(task: str, options: Options) -> list[str]:
    known = tasks()[task]
    return [*known.defaults, *(known.with_known_words if options.train or options.lexicon else ())]


def _read_under(options: Options, run: Run) -> Decided:
    """How the files were read: as was decided before, else as they tell themselves."""
    if options.decided is not None and options.decided.task:
        return options.decided
    judged = {name for name, _ in run.pairs}
    filled = tuple(source.name in judged for source in run.sources) if run.decided.filled else ()
    return replace(run.decided, task=run.task, filled=filled)


def _digests(item: Input | Corpus) -> tuple[str, ...]:
    return (item.sha256,) if isinstance(item, Corpus) else item.digests


def _kept_words(run: Run) -> int:
    return int((~run.skipped[run.gold.sentence_of]).sum())


# --- what is judged, and in which units ---


@dataclass(frozen=True)
class Judged:
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

    @cached_property
    def gathered(self) -> Items:
        """The items of all systems."""
        return Items.of(self.items())

    def tallies(self, units: Units, sentences: int) -> Tallies:
        """The counts in units."""
        counts = [
            (name, self.measure.count(judged, sentences).regrouped(units.of_sentence, units.number))
            for name, judged in self.systems
        ]
        return UnitTallies.of(counts, lambda: units.blocks)


@dataclass(frozen=True, eq=False)
class Units:
    """Which unit each gold sentence belongs to, -1 where it is left out."""

    run: Run
    unit: str
    of_sentence: Ints
    number: int
    kept: Ints
    """The units of the corpus that take part."""
    all_blocks: Later[Ints]
    """The block of each unit of the corpus."""

    @classmethod
    def of(cls, run: Run, unit: str) -> Units:
        """The units of a run."""
        return cls._among(~run.skipped, run, unit, Later(lambda: hashed_units(run.gold, unit)))

    def of_some(self, taken: Bools) -> Units:
        """The units of some sentences."""
        return self._among(taken & ~self.run.skipped, self.run, self.unit, self.all_blocks)

    @classmethod
    def _among(cls, taken: Bools, run: Run, unit: str, all_blocks: Later[Ints]) -> Units:
        kept, renumbered = np.unique(run.gold.unit_of_sentence(unit)[taken], return_inverse=True)
        of_sentence = np.full(run.gold.sentences, NONE, dtype=np.int64)
        of_sentence[taken] = renumbered
        return cls(run, unit, of_sentence, len(kept), kept, all_blocks)

    @property
    def blocks(self) -> Ints:
        """The block of each unit, by a hash of its name, for the case that there are too many of them."""
        return self.all_blocks()[self.kept]


def hashed_units(corpus: Corpus, unit: str) -> Ints:
    """A block for each unit, by a hash of its name, which is the same in whatever company files are read."""
    names = corpus.unit_names(unit)
    hashes = (zlib.crc32(name.encode("utf-8", "replace")) for name in names)
    return np.fromiter(hashes, dtype=np.int64) % BLOCKS


@dataclass(frozen=True, eq=False)
class _Live:
    """A run with its judgements: what selections are made of."""

    run: Run
    judged: Sequence[Judged]
    units: Units
    compares: bool
    is_shard: bool

    @property
    def task(self) -> Task:
        """The task."""
        return tasks()[self.run.task]

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """What each measure is to a comparison."""
        return tuple(Kind(one.kinds, bool(one.items())) for one in self.judged)

    @cached_property
    def basis_index(self) -> int | None:
        """The measure whose items systems are compared on: the first that judges items, or that tells most apart."""
        return basis_of(list(enumerate(self.kinds)), self.run.measures)

    @cached_property
    def compared(self) -> list[int]:
        """The measures on whose items changes are shown."""
        return bases_of(list(enumerate(self.kinds)), self.run.measures) if self.compares else []

    def tells(self, cut: Cut, index: int) -> bool:
        """Whether a measure may be the one that changes are shown on in values of a slice.

        Where values differ from measure to measure, that is known when all shards are.
        """
        return index in self.compared if cut.by_sentence else self.compares

    def selection(self, one: Judged, where: str | None, units: Units) -> Selection:
        """One measure over one selection of the data."""
        items = one.items()
        # Of everything items are looked at again; those of slices are not kept.
        outcomes = Later(lambda: (one.gathered if where is None else Items.of(items)).outcomes)
        return Selection(
            tallies=Later(lambda: one.tallies(units, self.run.gold.sentences)),
            outcomes=outcomes if items else None,
            count_alike=all(judged.counted is None or np.array_equal(*judged.counted) for _, judged in items),
            alive=one,
        )

    def cut(self, cut: Slice) -> Cut:
        """Each value of a slice under each measure."""
        by_sentence = cut.sentences(self.run.gold, shard=self.is_shard)
        if by_sentence is None:
            tables = [self._by_value(one, cut) for one in self.judged]
            return Cut(str(cut), False, tuple(order for order, _ in tables), tuple(table for _, table in tables))
        codes, names = by_sentence
        present = set(np.unique(codes[~self.run.skipped]).tolist())
        values: list[dict[str, Selection]] = [{} for _ in self.judged]
        for code, name in enumerate(names):
            if code in present:
                selected = codes == code
                units = self.units.of_some(selected)
                for table, one in zip(values, self.judged, strict=True):
                    table[name] = self.selection(_in_sentences(one, selected), name, units)
        return Cut(str(cut), True, (tuple(names),) * len(values), tuple(values))

    def _by_value(self, judged: Judged, cut: Slice) -> tuple[tuple[str, ...], dict[str, Selection]]:
        """The values that the first system's items can have, and the items of each value in all systems."""
        # Whole sentences have no meaning for a part of their words, labels none within one label.
        if not (judged.measure.definition.judges_items and judged.items()):
            return (), {}
        pairs = dict(self.run.pairs)
        whole = dict(judged.items())
        parts = [(name, cut.parts(pairs[name], part)) for name, part in whole.items()]
        # Spurious items may have values that gold does not have.
        present = {
            value for _, found in parts for value, _, part in found if part.has_gold.any() or part.has_system.any()
        }
        numbers = {value: number for value, number, _ in parts[0][1]}
        table = {}
        for value in dict.fromkeys(value for _, found in parts for value, _, _ in found if value in present):
            systems = tuple((name, _part_of(found, value, whole[name])) for name, found in parts)
            one = self.selection(replace(judged, systems=systems), value, self.units)
            table[value] = replace(one, number=numbers.get(value, 0))
        return tuple(numbers), table

    def with_items(self, part: Part, options: Options) -> Part:
        """The part with what the items of one measure show."""
        part = replace(part, of_task=self.task.sums(self.run, self.compares) if self.task.sums else {})
        if self.basis_index is None:
            return part
        basis = self.judged[self.basis_index]
        items = basis.gathered
        met: dict[str, outcomes.Met] = {}
        if items.kinds:
            met = {name: outcomes.matched(judged) for name, judged in basis.items()}
        elif items.heads:
            met = {name: outcomes.spurious(judged) for name, judged in basis.items()}
        # Mentions are more than those that have an antecedent; spans and constituents are what is judged.
        counted = items.kinds and self.task.items_by_measure
        return replace(
            part,
            matched_items=int((items.owner == NONE).sum()) if counted else None,
            met=met,
            examples=tuple(examples(self.run, items, basis.items(), options)),
            texts=self._texts(part, self.basis_index, options),
            **self._compared(),
        )

    def _compared(self) -> dict[str, Any]:
        """What systems are compared on beside outcomes."""
        whole: dict[str, outcomes.WholeSentences] = {}
        nobody: list[Drawn] = []
        in_all: dict[str, int] = {}
        for index in self.compared:
            one = self.judged[index]
            on = str(one.measure)
            if self.task.whole_sentences:
                same = [pair.same_sentences() for _, pair in self.run.pairs]
                whole[on] = outcomes.whole_sentences(one.gathered, same)
            if self.task.unresolved is not None:
                items = one.gathered
                nobody += self.task.unresolved(self.run, items, on)
                in_all[on] = int(((items.owner == NONE) & ~np.any(items.right, axis=0)).sum())
        return {"whole": whole, "unresolved": tuple(nobody), "unresolved_in_all": in_all}

    def _texts(self, part: Part, index: int, options: Options) -> tuple[Texts, ...]:
        """The texts for a page, with the items of one measure."""
        if options.embed == "none":
            return ()
        from assay.engine.texts import embedded

        slices = [
            (f"{cut.spec}={value}", Items.of(one.alive.items()))
            for cut in part.cuts
            for value, one in cut.selections[index].items()
        ]
        basis, how = self.judged[index], options.embed
        on = str(basis.measure)
        return (embedded(self.run, basis.gathered, basis.items(), on, how, options.seed, slices),)


def basis_of(kinds: Sequence[tuple[int, Kind]], measures: Sequence[Measure]) -> int | None:
    """The measure whose items systems are compared on: the first that judges items, or that tells most apart."""
    with_items = [(index, kind) for index, kind in kinds if kind.has_items]
    if with_items and with_items[0][1].kinds:
        return max(with_items, key=lambda row: row[1].kinds)[0]
    counted = (index for index, _ in with_items if measures[index].definition.count is tally)
    return next(counted, next((index for index, _ in with_items), None))


def bases_of(kinds: Sequence[tuple[int, Kind]], measures: Sequence[Measure]) -> list[int]:
    """The measures on whose items changes are shown."""
    counted = [index for index, kind in kinds if kind.has_items and measures[index].definition.judges_items]
    first = basis_of(kinds, measures)
    if first is not None and dict(kinds)[first].kinds:
        # Measures of spans tell the same outcomes of the same items, some in more detail.
        return [index for index in counted if index == first or measures[index].definition.own_outcomes]
    return counted or ([] if first is None else [first])


def _in_sentences(judged: Judged, selected: Any) -> Judged:
    systems = tuple(
        (name, part.where(selected[part.sentence]) if isinstance(part, Judgements) else part)
        for name, part in judged.systems
    )
    return replace(judged, systems=systems)


def _part_of(found: Sequence[tuple[str, int, Judgements]], value: str, whole: Judgements) -> Judgements:
    """The items of one value; none of all where a system has no such value."""
    nothing = whole.where(np.zeros(len(whole), dtype=bool))
    return next((part for name, _, part in found if name == value), nothing)


# --- what only some tasks have ---


def labels_of(run: Run) -> Outcomes:
    """The outcomes of the labels as they are."""
    return Items.of([(name, judge_words(one)) for name, one in run.pairs]).outcomes


def _mapping_effects(
    gold: Any, systems: Any, options: Options, run: Run
) -> Iterator[tuple[str, tuple[Summed, Summed]]]:
    """The sums of the first measure in every system without and with the mapping file."""
    if options.map is None or not _rereadable(gold, systems):
        return
    measure = run.measures[0]
    plain = dict(prepare(gold, systems, run.measures, replace(options, map=None)).pairs)
    for name, pair in run.pairs:
        if name in plain:
            before, after = (sums_of(measure, one, run.gold.sentences) for one in (plain[name], pair))
            yield name, (before, after)


def _rereadable(gold: Any, systems: Any) -> bool:
    return not any(isinstance(item, str) and item == "-" for item in (gold, *named_systems(systems).values()))


def sums_of(measure: Measure, pair: Any, sentences: int) -> Summed:
    """The sums of a measure over a pair."""
    counts = measure.count(measure.judge(pair), sentences)
    if measure.main in measure.averages:
        return Summed(counts.fields, whole_numbers(counts.total().ravel()), counts.labels)
    return Summed(counts.fields, whole_numbers(counts.matrix().sum(axis=0)))
