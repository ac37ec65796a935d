"""One shard, judged and counted, as a Part. A single file is one shard."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
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
from assay.engine.parts import FEW_UNITS, Covered, Cut, Kind, Part, Selection, Summed, whole_numbers
from assay.engine.prepare import Run, gold_source
from assay.engine.slices import Slice
from assay.engine.tallies import BLOCKS, Tallies
from assay.engine.task import Task, tasks
from assay.engine.warnings import format_warnings
from assay.formats import Input

ALONE = Covered("", 1, (0,))
"""Where there is one shard, and nothing to be added up."""


def measure_shard(
    command: str, gold: Any, systems: Any, specs: Sequence[str], options: Options, covered: Covered = ALONE
) -> Part:
    """What gold and systems, or one shard of them, amount to: it can travel, and be added to others."""
    cuts = [Slice.find(spec) for spec in dict.fromkeys(options.slices)]
    named = list(dict.fromkeys(specs))
    opened = Prepared(gold, systems, options, [find(spec) for spec in named])
    named = named or _defaults(opened.task, options)
    run = opened.run([find(spec) for spec in named])
    if options.decided is None:
        format_warnings(run.warnings)
    judged = [
        Judged(measure, tuple((name, measure.judge(pair)) for name, pair in run.pairs)) for measure in run.measures
    ]
    units = Units.of(run, run.unit)
    live = _Live(run, judged, units, command == "compare" and len(run.pairs) > 1, options)
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
        everything=tuple(live.selection(one, index, None, units) for index, one in enumerate(judged)),
        cuts=tuple(live.cut(cut) for cut in cuts),
        documents=live.documents(),
        labels=labels_of(run) if run.tagset else None,
    )
    return live.with_items(part, options)


def _left_out(run: Run) -> int:
    names = run.gold.unit_names("sentence") if run.skipped.any() else ()
    gone = (name for name, skipped in zip(names, run.skipped.tolist(), strict=False) if skipped)
    return sum(lot_of(0, "left out", name) for name in gone) % 2**64


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

    def counts(self, units: Units, sentences: int) -> list[tuple[str, Counts]]:
        """The counts of each system in units."""
        return [
            (name, self.measure.count(judged, sentences).regrouped(units.of_sentence, units.number))
            for name, judged in self.systems
        ]


@dataclass(frozen=True, eq=False)
class Units:
    """Which unit each gold sentence belongs to, -1 where it is left out."""

    run: Run
    unit: str
    of_sentence: Ints
    number: int
    kept: Ints
    """The units of the corpus that take part."""
    whole: Units | None = None
    """The units of all sentences, where these are some."""

    @classmethod
    def of(cls, run: Run, unit: str) -> Units:
        """The units of a run."""
        return cls._among(~run.skipped, run, unit, None)

    def of_some(self, taken: Bools) -> Units:
        """The units of some sentences."""
        return self._among(taken & ~self.run.skipped, self.run, self.unit, self)

    @classmethod
    def _among(cls, taken: Bools, run: Run, unit: str, whole: Units | None) -> Units:
        kept, renumbered = np.unique(run.gold.unit_of_sentence(unit)[taken], return_inverse=True)
        of_sentence = np.full(run.gold.sentences, NONE, dtype=np.int64)
        of_sentence[taken] = renumbered
        return cls(run, unit, of_sentence, len(kept), kept, whole)

    @cached_property
    def _all_blocks(self) -> Ints:
        return hashed_units(self.run.gold, self.unit) if self.whole is None else self.whole._all_blocks

    @property
    def blocks(self) -> Ints:
        """The block of each unit, by a hash of its name, for the case that there are too many of them."""
        return self._all_blocks[self.kept]


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
    options: Options
    sliced: dict[str, Items] = field(default_factory=dict)
    """For a page: the items of each value of each slice, under the measure that systems are compared on."""

    @property
    def alone(self) -> bool:
        """Whether this is the only shard."""
        return self.options.decided is None

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

    def selection(
        self, one: Judged, index: int, where: str | None, units: Units, *, by_sentence: bool = True, number: int = 0
    ) -> Selection:
        """One measure over everything, or over one value of a slice."""
        items = one.items()
        if where is None:
            tells = index in self.compared or index == self.basis_index
        else:
            # Where values differ from measure to measure, which of them tells is known when all shards are.
            tells = index in self.compared if by_sentence else self.compares
        # Of everything items are looked at again; those of slices are not kept, unless a page shows them.
        shown = where is not None and index == self.basis_index and self.options.embed != "none"
        gathered = None
        if items and (tells or shown):
            gathered = one.gathered if where is None else Items.of(items)
        if shown and where is not None and gathered is not None:
            self.sliced[where] = gathered
        counts = one.counts(units, self.run.gold.sentences)
        return Selection(
            tallies=Tallies.of(
                counts,
                one.measure,
                lambda: units.blocks,
                by_label=where is None or one.measure.main in one.measure.averages,
                compares=self.compares,
                alone=self.alone,
            ),
            outcomes=gathered.outcomes if tells and gathered is not None else None,
            count_alike=all(judged.counted is None or np.array_equal(*judged.counted) for _, judged in items),
            number=number,
        )

    def documents(self) -> Tallies | None:
        """The first measure with documents for units, where it may be worth knowing that sentences are alike."""
        units = Units.of(self.run, "document")
        few = self.alone and units.number < FEW_UNITS
        if self.run.unit != "sentence" or self.options.interval == "wilson" or few:
            return None
        counts = self.judged[0].counts(units, self.run.gold.sentences)
        return Tallies.of(counts, self.judged[0].measure, lambda: units.blocks, compares=False, alone=self.alone)

    def cut(self, cut: Slice) -> Cut:
        """Each value of a slice under each measure."""
        by_sentence = cut.sentences(self.run.gold, shard=not self.alone)
        if by_sentence is None:
            tables = [self._by_value(index, one, cut) for index, one in enumerate(self.judged)]
            return Cut(str(cut), False, tuple(order for order, _ in tables), tuple(table for _, table in tables))
        codes, names = by_sentence
        present = set(np.unique(codes[~self.run.skipped]).tolist())
        values: list[dict[str, Selection]] = [{} for _ in self.judged]
        for code, name in enumerate(names):
            if code in present:
                selected = codes == code
                units = self.units.of_some(selected)
                for index, (table, one) in enumerate(zip(values, self.judged, strict=True)):
                    table[name] = self.selection(_in_sentences(one, selected), index, f"{cut}={name}", units)
        return Cut(str(cut), True, (tuple(names),) * len(values), tuple(values))

    def _by_value(self, index: int, judged: Judged, cut: Slice) -> tuple[tuple[str, ...], dict[str, Selection]]:
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
            number = numbers.get(value, 0)
            part = replace(judged, systems=systems)
            table[value] = self.selection(
                part, index, f"{cut}={value}", self.units, by_sentence=False, number=number
            )
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

        basis, how = self.judged[index], options.embed
        on = str(basis.measure)
        return (embedded(self.run, basis.gathered, basis.items(), on, how, options.seed, list(self.sliced.items())),)


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
