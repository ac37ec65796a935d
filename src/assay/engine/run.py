"""The whole way from what the user names to a Result: shards, what each amounts to, their sum."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.corpus import Corpus, cluster_key
from assay.corpus.adapters import named_systems
from assay.engine.counts import Counts, Tallies, blocks_of
from assay.engine.examples import Drawn, examples, lot_of
from assay.engine.finish import make_result
from assay.engine.items import Items, join, judge_words, met
from assay.engine.measure import Measure, find
from assay.engine.options import Decided, Options, contents_of
from assay.engine.parts import (
    Covered,
    Cut,
    Part,
    RunPlan,
    Selection,
    Summed,
    bases_of,
    basis_of,
    unit_of,
    whole_numbers,
)
from assay.engine.prepare import Prepared, Run, prepare, source_of
from assay.engine.repeats import evaluate_repeats, runs_of
from assay.engine.scores import Settings
from assay.engine.slices import Slice
from assay.engine.task import find_task, preset_measures
from assay.engine.warnings import format_warnings
from assay.errors import InputError, UsageError, reason
from assay.formats import Files
from assay.formats.source import expand, folder_of
from assay.keywords import OPTIONS
from assay.records import dataclass
from assay.result import Result
from assay.result.numbers import plural
from assay.specs import whole_number

ALONE = Covered("", 1, (0,))
"""A single shard, to which nothing is added."""
Judged = Sequence[tuple[str, Items | Counts]]
"""The items or counts that a measure gives of each system, by name."""


def measure_shard(
    command: str, gold: Any, systems: Any, specs: Sequence[str], options: Options, covered: Covered = ALONE
) -> Part:
    """The Part of gold and systems, or of one shard of them: it can travel, and be added to others."""
    for spec in options.slices:
        # Refused before files are opened.
        Slice.find(spec)
    named = list(dict.fromkeys([*preset_measures(options.preset), *specs]))
    opened = Prepared(gold, systems, options, [find(spec) for spec in named])
    task = find_task(opened.task)
    cuts = [Slice.find(spec, opened.task) for spec in dict.fromkeys(options.slices)]
    if not named:
        usual = task.measures_for(opened.inputs[0]) if task.measures_for else task.defaults
        named = [*usual, *(task.with_known_words if options.train or options.lexicon else ())]
    run = opened.run([find(spec) for spec in named])
    # A task may add measures that files call for.
    named += [str(measure) for measure in run.measures[len(named) :]]
    if options.decided is None:
        format_warnings(run.warnings)
    tables = [[(name, measure.judge(pair)) for name, pair in run.pairs] for measure in run.measures]
    compares = command == "compare" and len(run.pairs) > 1
    shard = _Shard(run, tables, compares, options)
    decided = options.decided
    if decided is None or not decided.task:
        # As the files themselves decide.
        judged = {name for name, _ in run.pairs}
        filled = tuple(source.name in judged for source in run.sources) if run.decided.filled else ()
        decided = replace(run.decided, task=run.task, filled=filled)
    names = run.gold.unit_names("sentence") if run.skipped.any() else ()
    skipped = [name for name, gone in zip(names, run.skipped.tolist(), strict=False) if gone]
    words = int((~run.skipped[run.gold.sentence_of]).sum())
    labels = join([(name, judge_words(one)) for name, one in run.pairs]).fold() if run.tagset else None
    # The sums of the first measure in every system before and after the mapping file.
    effects: dict[tuple[str, str], Summed] = {}
    if options.map is not None and "-" not in [
        item for item in (gold, *named_systems(systems).values()) if isinstance(item, str)
    ]:
        unmapped = dict(prepare(gold, systems, run.measures, replace(options, map=None)).pairs)
        for name, pair in run.pairs:
            for when, own in (("before", unmapped.get(name)), ("after", pair)) if name in unmapped else ():
                effects[when, name] = sums_of(run.measures[0], own, run.gold.sentences)
    plan = RunPlan(
        command=command,
        options=replace(options, decided=None),
        specs=tuple(named),
        parameters=tuple(measure.parameters for measure in run.measures),
        task=run.task,
        column=run.column,
        asked=shard.asked,
        scheme=run.scheme,
        atoms=run.atoms,
        tagset=run.tagset,
        empty=run.pairs[0][1].system.empty or run.gold.empty,
        decided=decided,
        judged=tuple(name for name, _ in run.pairs),
        contents=contents_of(options, run.measures),
        kinds=shard.kinds,
    )
    part = Part(
        plan=plan,
        told=replace(run.decided, task=run.task),
        covered=covered,
        sources=(source_of("gold", run.gold, None, ""), *run.sources),
        digests=tuple((one.sha256,) if isinstance(one, Corpus) else one.digests for one in opened.inputs),
        aligned=tuple((pair.aligned_by, words - len(pair.gold_words)) for _, pair in run.pairs),
        numbers={
            "items": run.items,
            "left out": sum(lot_of(0, "left out", name) for name in skipped),
            "divided documents": shard.divided_documents(),
        },
        warnings=run.warnings,
        notes=run.notes,
        mappings=run.mappings,
        sums=effects,
        of_task=task.sums(run, compares) if task.sums else {},
        everything=tuple(shard.selection(index, one, None, shard.units) for index, one in enumerate(tables)),
        cuts=tuple(shard.cut(cut) for cut in cuts),
        labels=labels,
    )
    return shard.with_items(part)


_Units = tuple[Ints, Ints]
"""The unit of each sentence of gold (NONE if it is left out), and the units of the corpus that are kept."""


@dataclass(frozen=True, eq=False)
class _Shard:
    """A run with what each measure makes of each system: what selections are made of."""

    run: Run
    tables: Sequence[Judged]
    compares: bool
    options: Options
    sliced: dict[str, Items] = field(default_factory=dict)
    """For a page: the items of each value of each slice, under the measure that systems are compared on."""
    _joined: dict[int, Items] = field(default_factory=dict)
    _blocks: dict[str, Ints] = field(default_factory=dict)

    @property
    def asked(self) -> str:
        """The unit that the user or the task says; nothing where gold decides."""
        options = self.options
        decides = options.unit is None and not (options.symmetric or options.figures_alone)
        return "" if decides and self.run.unit == "sentence" else self.run.unit

    @cached_property
    def units(self) -> dict[str, _Units]:
        """The units of all sentences: in the unit of the Result, or in all that it may be."""
        if self.asked:
            return self.units_of([self.asked])
        both = self.units_of(["sentence", "document"])
        decided = unit_of(len(both["document"][1]), len(both["sentence"][1]))
        # Other shards may have the documents that are lacking here.
        is_open = decided == "sentence" and self.options.decided is not None
        return both if is_open else {decided: both[decided]}

    def units_of(self, names: Iterable[str], taken: Bools | None = None) -> dict[str, _Units]:
        """The units of all sentences, or of those taken."""
        taken = np.ones(self.run.gold.sentences, dtype=bool) if taken is None else taken
        taken = taken & ~self.run.skipped
        found: dict[str, _Units] = {}
        for unit in names:
            kept, renumbered = np.unique(self.run.gold.unit_of_sentence(unit)[taken], return_inverse=True)
            of_sentence = np.full(self.run.gold.sentences, NONE, dtype=np.int64)
            of_sentence[taken] = renumbered
            found[unit] = (of_sentence, kept)
        return found

    @property
    def further_units(self) -> Iterator[str]:
        """Further units of the first measure, to see if sentences of one document or speaker resemble each other."""
        if not self.options.figures_alone and (self.asked != "document" or self.options.unit):
            others = ("sentence",) if cluster_key(self.asked) else ("sentence", "document")
            yield from (unit for unit in others if unit not in self.units)

    @cached_property
    def kinds(self) -> tuple[tuple[str, ...] | None, ...]:
        """For each measure the outcomes that it distinguishes; None if it has no items."""
        firsts = [table[0][1] for table in self.tables]
        looked_at = not self.options.figures_alone
        return tuple(one.kinds if isinstance(one, Items) and looked_at else None for one in firsts)

    @cached_property
    def basis(self) -> int | None:
        """The measure whose items systems are compared on."""
        return basis_of(dict(enumerate(self.kinds)), self.run.measures)

    @cached_property
    def compared(self) -> list[int]:
        """The measures on whose items changes are shown."""
        return bases_of(dict(enumerate(self.kinds)), self.run.measures) if self.compares else []

    def joined(self, index: int) -> Items:
        """The items of all systems under a measure."""
        if index not in self._joined:
            self._joined[index] = join(items_of(self.tables[index]))
        return self._joined[index]

    def tallies(self, index: int, tables: Judged, units: _Units, unit: str, **how: bool) -> Tallies:
        """The tallies of a measure, in units."""
        gold, measure, (of_sentence, kept) = self.run.gold, self.run.measures[index], units

        def blocks() -> Ints:
            if unit not in self._blocks:
                self._blocks[unit] = hashed_units(gold, unit)
            return self._blocks[unit][kept]

        counts = [
            (name, measure.counts_of(one, gold.sentences).regroup(of_sentence, len(kept))) for name, one in tables
        ]
        names = None
        if cluster_key(unit):
            # A value may come again in other shards, so that names are kept.
            known = list(gold.unit_names(unit))
            names = [known[index] for index in kept.tolist()]
        alone = self.options.decided is None or names is not None
        return Tallies.of(counts, measure.fields_read, blocks, alone=alone, names=names, unit=unit, **how)

    def selection(
        self,
        index: int,
        tables: Judged,
        where: str | None,
        units: Mapping[str, _Units],
        *,
        by_sentence: bool = True,
        number: int = 0,
    ) -> Selection:
        """One measure over everything, or over one value of a slice."""
        items, measure = items_of(tables), self.run.measures[index]
        if where is None:
            tells = index in self.compared or index == self.basis
        else:
            # If values differ between measures, all shards must be known to choose one of them.
            tells = index in self.compared if by_sentence else self.compares
        # Of everything items are looked at again; those of slices are not kept, unless a page shows them.
        shown = where is not None and index == self.basis and self.options.embed != "none"
        joined = None
        if items and (tells or shown):
            joined = self.joined(index) if where is None else join(items)
        if shown and where is not None and joined is not None:
            self.sliced[where] = joined
        # Each label is resampled by itself; in a slice only where the main score is an average over them.
        by_label = where is None or measure.main in measure.averages
        how = {"by_label": by_label, "compares": self.compares}
        tallies = {unit: self.tallies(index, tables, own, unit, **how) for unit, own in units.items()}
        if where is None and index == 0:
            for unit, own in self.units_of(self.further_units).items():
                tallies[unit] = self.tallies(0, tables, own, unit, compares=False)
        return Selection(
            tallies=tallies,
            items=joined.fold() if tells and joined is not None else None,
            count_alike=not any(one.selected and (one.has_gold != one.has_system[0]).any() for _, one in items),
            number=number,
        )

    def divided_documents(self) -> int:
        """Number of documents with several units, if units are values of a comment."""
        gold = self.run.gold
        if not cluster_key(self.run.unit) or gold.document_starts is None:
            return 0
        pairs = np.stack([gold.document_of_sentence, gold.unit_of_sentence(self.run.unit)], axis=1)
        return int((np.bincount(np.unique(pairs, axis=0)[:, 0]) > 1).sum())

    def cut(self, cut: Slice) -> Cut:
        """Each value of a slice under each measure."""
        run, selections, orders = self.run, [], []
        by_sentence = cut.sentences(run.gold, shard=self.options.decided is not None)
        if by_sentence is not None:
            codes, names = by_sentence
            present = set(np.unique(codes[~run.skipped]).tolist())
            units = {code: self.units_of(self.units, codes == code) for code in sorted(present)}
        for index, tables in enumerate(self.tables):
            found: dict[str, Selection] = {}
            if by_sentence is not None:
                for code, own in units.items():
                    part = [
                        (system, one.where(codes[one.sentence] == code) if isinstance(one, Items) else one)
                        for system, one in tables
                    ]
                    found[names[code]] = self.selection(index, part, f"{cut}={names[code]}", own)
                order = tuple(names)
            else:
                order, parts = self._by_value(index, cut)
                for value, (number, items) in parts.items():
                    where = f"{cut}={value}"
                    found[value] = self.selection(index, items, where, self.units, by_sentence=False, number=number)
            selections.append(found)
            orders.append(order)
        return Cut(str(cut), by_sentence is not None, tuple(orders), tuple(selections), cut.kind.by_number)

    def _by_value(self, index: int, cut: Slice) -> tuple[tuple[str, ...], Mapping[str, tuple[int, Judged]]]:
        """The values that items can have; and of each value that some system's items have, how many of gold's have
        it, and the items in all systems."""
        tables, measure = dict(items_of(self.tables[index])), self.run.measures[index]
        parts: dict[str, dict[str, tuple[int, Items | Counts]]] = {}
        for name, pair in self.run.pairs:
            rows: Iterable[tuple[str, int, Items | Counts]] = ()
            if tables and measure.judges_items:
                rows = cut.parts(pair, tables[name])
            elif cut.kind.of_counts is not None and not tables:
                rows = cut.kind.of_counts(pair, measure, cut.argument)
            # Whole sentences have no meaning for a part of their words, labels none within one label.
            parts[name] = {value: (number, part) for value, number, part in rows}
        order = tuple(dict.fromkeys(value for values in parts.values() for value in values))
        found: dict[str, tuple[int, Judged]] = {}
        for value in order:
            numbers, judged = zip(*(values[value] for values in parts.values() if value in values), strict=True)
            of_all: list[tuple[str, Items | Counts]] = []
            for name, values in parts.items():
                if value in values:
                    of_all.append((name, values[value][1]))
                elif tables:
                    # Spurious items may have values that gold does not have.
                    of_all.append((name, tables[name].none()))
                else:
                    of_all.append((name, replace(judged[0], values=judged[0].values * 0)))
            if not tables:
                found[value] = (max(numbers), of_all)
            elif any(one.has_gold.any() or one.has_system.any() for _, one in items_of(of_all)):
                found[value] = (next(iter(parts.values())).get(value, (0,))[0], of_all)
        return order, found

    def with_items(self, part: Part) -> Part:
        """The Part with what comes from items: examples, texts, confusions."""
        if self.basis is None:
            return part
        run, options, task = self.run, self.options, find_task(self.run.task)
        items, tables = self.joined(self.basis), items_of(self.tables[self.basis])
        # Mentions are more than those that have an antecedent; spans and constituents are what is judged.
        counted = (items.kinds or run.measures[self.basis].noun) and task.items_by_measure
        texts: tuple[Any, ...] = ()
        if options.embed != "none":
            from assay.engine.texts import embedded

            on = str(run.measures[self.basis])
            texts = (embedded(run, items, tables, on, options.embed, options.seed, list(self.sliced.items())),)
        sums, numbers = dict(part.sums), dict(part.numbers)
        if counted:
            numbers["matched items"] = int(items.has_gold.sum())
        nobody: list[Drawn] = []
        for index in self.compared:
            on, one = str(run.measures[index]), self.joined(index)
            if task.whole_sentences:
                sums["exact", on] = _whole_sentences(one, [pair.same_sentences() for _, pair in run.pairs])
            if task.unresolved is not None:
                nobody += task.unresolved(run, one, on)
                numbers[f"unresolved {on}"] = int((one.has_gold & ~one.right.any(axis=0)).sum())
        return replace(
            part,
            numbers=numbers,
            sums=sums,
            met={name: met(one) for name, one in tables} if items.kinds or items.target is not None else {},
            drawn={"examples": tuple(examples(run, items, tables, options)), "unresolved": tuple(nobody)},
            texts=texts,
        )


def hashed_units(corpus: Corpus, unit: str) -> Ints:
    """Block of each unit, by a hash of its name, which does not depend on the other files."""
    return blocks_of(corpus.unit_names(unit))


def items_of(tables: Judged) -> list[tuple[str, Items]]:
    """The tables of systems, where the measure has items."""
    return [(name, one) for name, one in tables if isinstance(one, Items)]


def _whole_sentences(items: Items, there: Sequence[Bools]) -> Summed:
    """The numbers of sentences that are wholly right in each system, in some system, and item by item in some; and of
    all sentences. `there` masks the sentences that each system cuts as gold does.
    """
    sentences = len(there[0])

    def with_any(mask: Bools) -> Bools:
        return np.asarray(np.bincount(items.sentence[mask], minlength=sentences) > 0)

    judged = with_any(np.ones(len(items), dtype=bool))
    exact = np.array([judged & ~with_any(~right) & own for right, own in zip(items.right, there, strict=True)])
    upper = judged & ~with_any(np.asarray(~items.right.any(axis=0))) & np.any(there, axis=0)
    numbers = (*exact.sum(axis=1), exact.any(axis=0).sum(), upper.sum(), judged.sum())
    return Summed((*items.systems, "\tin one", "\tupper", "\tsentences"), tuple(map(int, numbers)))


def sums_of(measure: Measure, pair: Any, sentences: int) -> Summed:
    """The sums of a measure over a pair."""
    counts = measure.counts_of(measure.judge(pair), sentences)
    if measure.main in measure.averages:
        return Summed(counts.fields, whole_numbers(counts.total().ravel()), counts.labels)
    return Summed(counts.fields, whole_numbers(counts.matrix().sum(axis=0)))


@dataclass(frozen=True)
class Piece:
    """One shard, and all that has to be known to measure it."""

    command: str
    shard: Shard
    specs: tuple[str, ...]
    options: Options
    corpus: str
    total: int

    def under(self, decided: Decided) -> Piece:
        """The same piece where it is settled how shards are read."""
        return replace(self, options=replace(self.options, decided=decided))

    def measure(self) -> Part:
        """The Part of the shard."""
        covered = Covered(self.corpus, self.total, (self.shard.number,))
        systems = dict(self.shard.systems)
        return measure_shard(self.command, self.shard.gold, systems, self.specs, self.options, covered)


@dataclass(frozen=True)
class ShardProgress:
    """ShardProgress of the work."""

    done: int
    total: int
    tokens: int
    """Words of gold."""
    seconds: float

    @property
    def left(self) -> float:
        """The seconds that the rest will take, if it goes on like this."""
        return self.seconds / self.done * (self.total - self.done)


Report = Callable[[ShardProgress], None]
Over = Callable[[Sequence["Piece"], Decided | None], Iterable[Part]]
"""A way to measure pieces: their parts, in order; if nothing is decided, the first part decides how all are read."""


def in_turn(pieces: Sequence[Piece], decided: Decided | None) -> Iterator[Part]:
    """The parts of pieces, one after the other."""
    for piece in pieces:
        part = piece.under(decided or Decided()).measure()
        decided = decided or part.plan.decided
        yield part


def evaluate_shards(
    command: str,
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None,
    options: Options,
    settings: Settings | None = None,
    *,
    over: Over = in_turn,
    report: Report = lambda step: None,
) -> Result:
    """The Result for whichever command asks; what `settings` has drawn already serves again."""
    specs = [measures] if isinstance(measures, str) else list(measures or ())

    def measured(command: str, systems: Any, options: Options) -> Part:
        shards = shards_of(gold, systems)
        if len(shards) < 2:
            return measure_shard(command, gold, systems, specs, options)
        return add_all(pieces_of(command, shards, specs, options), over, report)

    runs = runs_of(gold, systems) if command in ("score", "compare") else None
    if runs is None:
        return make_result(measured(command, systems, options), settings)
    return evaluate_repeats(
        command,
        runs,
        options,
        lambda flat, plain: measured("score", flat, plain),
        lambda median: make_result(measured(command, median, options), settings),
    )


def pieces_of(command: str, shards: Sequence[Shard], specs: Sequence[str], options: Options) -> list[Piece]:
    """The work to be done with each shard."""
    options.check()
    check_options(options, len(shards))
    corpus = corpus_checksum(shards, command, tuple(specs), options)
    return [Piece(command, shard, tuple(specs), options, corpus, len(shards)) for shard in shards]


def add_all(pieces: Sequence[Piece], over: Over, report: Report) -> Part:
    """The sum of all shards. The first of them decides how the others are read.

    If later shards show that all should have been read in another way, all are read again.
    """
    whole = add_under(pieces, None, over, report)
    if whole.told == whole.plan.decided:
        return whole
    again = add_under(pieces, whole.told, over, report)
    shards = [(piece.shard.gold, *(files for _, files in piece.shard.systems)) for piece in pieces]
    for side, then, now in zip(zip(*shards, strict=True), whole.digests, again.digests, strict=True):
        paths = [path for files in side for path in files.files]
        for path, was, is_now in zip(paths, then, now, strict=True):
            if was != is_now:
                raise InputError(f"{path}: was changed while it was read. Run it again when it is complete.")
    return again


def decided_by(piece: Piece) -> Decided:
    """How all shards are read: as the first of them decides."""
    return piece.under(Decided()).measure().plan.decided


def add_under(pieces: Sequence[Piece], decided: Decided | None, over: Over, report: Report) -> Part:
    """Measure shards as the first of them decides, or as was decided, and add them up."""
    begun, whole = time.monotonic(), None
    for done, part in enumerate(over(pieces, decided), 1):
        whole = part if whole is None else whole + part
        report(ShardProgress(done, len(pieces), whole.sources[0].words, time.monotonic() - begun))
    assert whole is not None
    return whole


TEXT = 1 << 22
"""Consecutive files are read together up to this number of bytes of gold's text: 4 MB."""
PACKED = 8
"""Bytes of text that a byte of a compressed file is taken for."""


@dataclass(frozen=True)
class Shard:
    """Some files of gold and the files of each system that belong to them."""

    number: int
    gold: Files
    systems: tuple[tuple[str, Files], ...]


def shards_of(gold: Any, systems: Any) -> list[Shard]:
    """The shards, in order; none where what is given cannot be read piece by piece: single files, data, one stream.

    Which files go together depends on their sizes alone, so that the same folders always fall into the same shards.
    """
    if not _is_folder(gold):
        return []
    named = named_systems(systems)
    if not all(_is_folder(given) for given in named.values()):
        return []
    files = {name: expand(str(given)) for name, given in (("", gold), *named.items())}
    names = [_name(path) for path in files[""]]
    if len(set(names)) < len(names) or any([*map(_name, one)] != names for one in files.values()):
        # What does not correspond is for those to refuse who read it.
        return []
    shards = []
    for number, (first, end) in enumerate(_stretches(files[""])):
        chosen = {name: tuple(one[first:end]) for name, one in files.items()}
        systems_files = tuple((name, Files(str(given), chosen[name])) for name, given in named.items())
        shards.append(Shard(number, Files(str(gold), chosen[""]), systems_files))
    return shards


def _is_folder(given: Any) -> bool:
    return isinstance(given, str | Path) and str(given) != "-" and folder_of(str(given)) is not None


def _name(path: str) -> str:
    return os.path.basename(path).partition(".")[0]


def _stretches(files: Sequence[str]) -> list[tuple[int, int]]:
    """Files that follow each other, as long as they are small together."""
    stretches: list[tuple[int, int]] = []
    total = 0
    for number, file in enumerate(files):
        size = _size(file)
        if stretches and total + size <= TEXT:
            stretches[-1] = (stretches[-1][0], number + 1)
            total += size
        else:
            stretches.append((number, number + 1))
            total = size
    return stretches


def _size(file: str) -> int:
    try:
        return os.path.getsize(file) * (PACKED if file.endswith((".gz", ".xz")) else 1)
    except OSError as error:
        raise InputError(f"{file}: cannot be opened ({reason(error)}).") from None


def job_shards(shards: Sequence[Shard], share: str) -> Sequence[Shard]:
    """The shards that one of several jobs takes: `3/16` is the third sixteenth, counted from 1."""
    number, _, jobs = share.partition("/")
    if not 1 <= whole_number(number) <= whole_number(jobs):
        raise UsageError(f"--shard {share}: write which of how many jobs this is, e.g. 3/16.")
    if int(jobs) > len(shards):
        what = "is only 1 shard" if len(shards) == 1 else f"are only {len(shards):,} shards"
        raise UsageError(
            f"--shard {share}: there {what}, because small files are read together. Use at most "
            f"{plural(len(shards), 'job')}."
        )
    first, end = ((int(number) - back) * len(shards) // int(jobs) for back in (1, 0))
    return shards[first:end]


def corpus_checksum(shards: Sequence[Shard], *what: object) -> str:
    """A checksum of a corpus and of what is done with it: of the names of files, not of where they lie."""
    names = [[PurePath(path).name for path in shard.gold.files] for shard in shards]
    systems = [name for name, _ in shards[0].systems]
    return hashlib.sha256(repr((names, systems, *what)).encode()).hexdigest()[:16]


def check_options(options: Options, shards: int) -> None:
    """Refuse what needs all of a corpus at once."""
    where = f"files are read one after the other here ({shards:,} shards)"
    for kind in (Slice.find(spec).kind for spec in options.slices):
        if kind.counts and options.train is None:
            raise UsageError(f"--slice {kind.name} counts the {kind.counts} of all files, but {where}. Give --train.")
    for name, option in OPTIONS.items():
        if option.one_file and getattr(options, name):
            raise UsageError(f"{option.flag} is about one file, but {where}. Score them one by one.")
