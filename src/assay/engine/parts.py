"""Part: the counts and items of some shards. Parts add up, and a Result is made of their sum.

A single file is one shard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import Bools, Ints
from assay.engine.counts import FEW_CLUSTERS, Tallies
from assay.engine.examples import MOST_UNRESOLVED, Drawn, drawn_of
from assay.engine.items import Items, Met
from assay.engine.measure import Measure, find
from assay.engine.options import Decided, Options
from assay.engine.texts import Texts, gathered
from assay.engine.warnings import Remark, together
from assay.records import dataclass
from assay.result import Example, InputFile, Mapped


def unit_of(documents: int, sentences: int) -> str:
    """The unit if none is asked for: documents, if there are enough of them that have several sentences."""
    return "document" if FEW_CLUSTERS <= documents < sentences else "sentence"


@dataclass(frozen=True, eq=False)
class Selection:
    """One measure over everything, or over one value of a slice."""

    tallies: Mapping[str, Tallies]
    """By unit: in that of the Result, and in all that it may be as long as other shards may decide."""
    items: Items | None = None
    """The items of all systems, folded, where the measure has items."""
    count_alike: bool = True
    """True if the same items count on both sides."""
    number: int = 0
    """Of a value: how many items of gold have it."""

    def __add__(self, other: Selection) -> Selection:
        return replace(
            self,
            tallies={unit: own + other.tallies[unit] for unit, own in self.tallies.items() if unit in other.tallies},
            items=None if self.items is None or other.items is None else self.items + other.items,
            count_alike=self.count_alike and other.count_alike,
            number=self.number + other.number,
        )

    def with_empty_units(self, others: Selection, *, first: bool) -> Selection:
        """This selection with zero counts for the units of another part, before or after its own."""
        tallies = {}
        for unit, own in self.tallies.items():
            if unit in others.tallies:
                nothing = own.with_nothing(others.tallies[unit])
                tallies[unit] = nothing + own if first else own + nothing
        return replace(self, tallies=tallies)


@dataclass(frozen=True, eq=False)
class Cut:
    """A slice: for each measure the values in their order, and the selections of those that occur."""

    spec: str
    by_sentence: bool
    order: tuple[tuple[str, ...], ...]
    """For items the values that they can have."""
    selections: tuple[Mapping[str, Selection], ...]
    by_number: bool = False
    """True if values are shown by the number of items that have them."""

    def views(self) -> Iterator[tuple[str, list[tuple[int, Selection]]]]:
        """Each value that is worth showing, with the measures it applies to."""
        parts: dict[str, list[tuple[int, Selection]]] = {}
        for index, (order, values) in enumerate(zip(self.order, self.selections, strict=True)):
            shown = [(value, values[value]) for value in order if value in values]
            if len(shown) > 1:
                if self.by_number:
                    shown.sort(key=lambda row: (-row[1].number, row[0]))
                for value, one in shown:
                    parts.setdefault(value, []).append((index, one))
        yield from ((f"{self.spec}={value}", chosen) for value, chosen in parts.items())

    def plus(self, other: Cut, mine: Sequence[Selection], its: Sequence[Selection]) -> Cut:
        """The slice over two stretches of text; `mine` and `its` are the measures over all items of each."""
        selections = []
        for here, there, all_here, all_there in zip(self.selections, other.selections, mine, its, strict=True):
            table = _both(here, there)
            if not self.by_sentence:
                # A unit without such items is a unit all the same.
                for own, others, rest, first in ((here, there, all_there, False), (there, here, all_here, True)):
                    missing = [value for value in own if value not in others]
                    table |= {value: own[value].with_empty_units(rest, first=first) for value in missing}
            selections.append(table)
        order = tuple(tuple(dict.fromkeys((*a, *b))) for a, b in zip(self.order, other.order, strict=True))
        return replace(self, order=order, selections=tuple(selections))


def _both(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> dict[Any, Any]:
    """Two tables as one: what both have is added up, in the order in which it first comes."""
    mine = {name: value + second[name] if name in second else value for name, value in first.items()}
    return {**mine, **{name: value for name, value in second.items() if name not in first}}


@dataclass(frozen=True)
class Summed:
    """Sums from which one score is computed; for an average over labels, label by label."""

    fields: tuple[str, ...]
    totals: tuple[int, ...]
    labels: tuple[str, ...] | None = None

    @classmethod
    def by_label(cls, labels: Sequence[str], codes: Ints, masks: Mapping[str, Bools]) -> Summed:
        """The number of rows with each mask and each label that occurs, from the label's code for each row."""
        numbers = np.stack([np.bincount(codes[mask], minlength=len(labels)) for mask in masks.values()], axis=1)
        there = np.flatnonzero(numbers.any(axis=1))
        names = tuple(labels[code] for code in there.tolist())
        return cls(tuple(masks), whole_numbers(numbers[there].ravel()), names)

    def rows(self) -> dict[str, tuple[int, ...]]:
        """The sums of each label, in the order of the fields."""
        width = len(self.fields)
        rows = (self.totals[first : first + width] for first in range(0, len(self.totals), width))
        return dict(zip(("",) if self.labels is None else self.labels, rows, strict=True))

    def __add__(self, other: Summed) -> Summed:
        assert self.fields == other.fields
        rows = self.rows()
        for label, row in other.rows().items():
            rows[label] = tuple(map(int.__add__, rows.get(label, (0,) * len(row)), row))
        totals = tuple(total for row in rows.values() for total in row)
        return Summed(self.fields, totals, None if self.labels is None else tuple(rows))


@dataclass(frozen=True)
class Covered:
    """The shards of a part."""

    corpus: str
    """A checksum of all files' names and of what is done with them."""
    total: int
    numbers: tuple[int, ...]
    """Counted from 0, in order."""

    def __add__(self, other: Covered) -> Covered:
        return replace(self, numbers=(*self.numbers, *other.numbers))


@dataclass(frozen=True, eq=False)
class RunPlan:
    """What is the same in all shards: what was asked, and what the files decided."""

    command: str
    options: Options
    specs: tuple[str, ...]
    """The measures as they were written …"""
    parameters: tuple[Mapping[str, Any], ...]
    """… and their parameters, columns under gold's names."""
    task: str
    column: str
    asked: str
    """The unit that the user or the task names; empty if gold decides (`Part.unit`)."""
    scheme: str
    atoms: str
    tagset: str
    empty: str | None
    """The mark of a cell without tags."""
    decided: Decided
    """How shards were read."""
    judged: tuple[str, ...]
    """The systems that can be judged."""
    contents: Mapping[str, str]
    """The checksums of the other files that scores depend on, by the option or parameter that names them."""
    kinds: tuple[tuple[str, ...] | None, ...]
    """For each measure the outcomes that it distinguishes, the hit first; None if it has no items."""

    @cached_property
    def measures(self) -> list[Measure]:
        """The measures, with the parameters they were measured under."""
        found = [find(spec) for spec in self.specs]
        return [replace(one, parameters=known) for one, known in zip(found, self.parameters, strict=True)]

    @property
    def compares(self) -> bool:
        """True if systems are compared with one another."""
        return self.command == "compare" and len(self.judged) > 1


@dataclass(frozen=True, eq=False)
class Part:
    """The sum of some shards: all that a Result needs to know of them."""

    plan: RunPlan
    told: Decided
    """How these shards ask to be read."""
    covered: Covered
    sources: tuple[InputFile, ...]
    """Gold and the systems …"""
    digests: tuple[tuple[str, ...], ...]
    """… and the checksums of the files of each."""
    aligned: tuple[tuple[str, int], ...]
    """For each judged system how its words were aligned, and the number of gold words without a counterpart."""
    numbers: Mapping[str, int]
    """`items`; `left out`, a sum of hashes of the sentences left out for all systems; `divided documents`, those with
    several units; `matched items`, gold's items as the basis of comparison counts them, if that is another number;
    `unresolved ON`, the items that no system has right."""
    warnings: tuple[Remark, ...]
    notes: tuple[Remark, ...]
    mappings: tuple[Mapped, ...]
    sums: Mapping[tuple[str, str], Summed]
    """`before` and `after` the mapping file: sums of the first measure by system; `exact`: by basis of comparison, in
    trees, the sentences that are wholly right."""
    of_task: Mapping[str, Summed]
    """Further sums that the task knows the meaning of."""
    everything: tuple[Selection, ...]
    """Each measure over all items; the first in sentences, and in documents or values of a comment."""
    cuts: tuple[Cut, ...]
    labels: Items | None
    """The labels as they are, if they split into categories."""
    met: Mapping[str, Met] = field(default_factory=dict)
    """For each system which labels met on what, if folded items do not show it."""
    drawn: Mapping[str, tuple[Drawn, ...]] = field(default_factory=dict)
    """`examples`, and `unresolved` items that no system has right."""
    texts: tuple[Texts, ...] = ()
    """The texts that a page may show, if one is asked for."""

    @cached_property
    def unit(self) -> str:
        """The unit of intervals and tests."""
        return self.plan.asked or unit_of(self.number("document"), self.number("sentence"))

    @property
    def units(self) -> int:
        """The number of units."""
        return self.number(self.unit)

    def number(self, unit: str) -> int:
        """Number of units of a kind; 0 if these are not known."""
        found = self.everything[0].tallies.get(unit)
        return 0 if found is None else found.units

    def views(self) -> Iterator[tuple[str | None, list[tuple[int, Selection]]]]:
        """Everything, then each value of each slice, with the measures that it applies to."""
        yield None, list(enumerate(self.everything))
        for cut in self.cuts:
            yield from cut.views()

    def __add__(self, other: Part) -> Part:
        """Sum of two parts; the one whose text comes first is on the left."""
        return replace(
            self,
            told=self.told | other.told,
            covered=self.covered + other.covered,
            sources=tuple(
                replace(
                    first,
                    sentences=first.sentences + second.sentences,
                    words=first.words + second.words,
                    unaligned=first.unaligned + second.unaligned,
                    spans=first.spans + second.spans,
                    left_out=dict(Counter(first.left_out) + Counter(second.left_out)),
                )
                for first, second in zip(self.sources, other.sources, strict=True)
            ),
            digests=tuple((*a, *b) for a, b in zip(self.digests, other.digests, strict=True)),
            aligned=tuple(
                (way_of((way, its_way)), number + its_number)
                for (way, number), (its_way, its_number) in zip(self.aligned, other.aligned, strict=True)
            ),
            numbers=_both(self.numbers, other.numbers),
            warnings=together(self.warnings, other.warnings),
            notes=together(self.notes, other.notes),
            mappings=tuple(
                replace(rule, words=rule.words + same.words)
                for rule, same in zip(self.mappings, other.mappings, strict=True)
            ),
            sums=_both(self.sums, other.sums),
            of_task=_both(self.of_task, other.of_task),
            everything=tuple(a + b for a, b in zip(self.everything, other.everything, strict=True)),
            cuts=tuple(
                a.plus(b, self.everything, other.everything) for a, b in zip(self.cuts, other.cuts, strict=True)
            ),
            labels=None if self.labels is None or other.labels is None else self.labels + other.labels,
            met={name: _both(rows, other.met[name]) for name, rows in self.met.items()},
            drawn={
                name: tuple(drawn_of([*first, *_later(other.drawn[name], self.sources[0].sentences)], most))
                for name, first in self.drawn.items()
                for most in [self.plan.options.examples if name == "examples" else MOST_UNRESOLVED]
            },
            texts=gathered((*self.texts, *other.texts)),
        )


def way_of(ways: Sequence[str]) -> str:
    """The way in which words were aligned; of several, the one that users have to know of."""
    return next(way for way in ("characters", "position", "words") if way in ways)


def _later(examples: tuple[Drawn, ...], sentences: int) -> Iterator[Drawn]:
    """Examples of a later part, with the numbers of sentences that have no id moved behind those of the first."""
    for one in examples:
        if one.number is None or not isinstance(one.shown, Example):
            yield one
        else:
            number = one.number + sentences
            yield replace(one, number=number, shown=replace(one.shown, sentence=str(number + 1)))


def whole_numbers(values: Ints) -> tuple[int, ...]:
    """Sums as whole numbers of Python, which do not overflow."""
    return tuple(int(value) for value in values.tolist())


def basis_of(kinds: Mapping[int, Sequence[str] | None], measures: Sequence[Measure]) -> int | None:
    """The measure whose items systems are compared on: the first with items, or with the most outcomes."""
    with_items = [index for index, own in kinds.items() if own is not None]
    if with_items and kinds[with_items[0]]:
        return max(with_items, key=lambda index: len(kinds[index] or ()))
    counted = (index for index in with_items if measures[index].is_share)
    return next(counted, next(iter(with_items), None))


def bases_of(kinds: Mapping[int, Sequence[str] | None], measures: Sequence[Measure]) -> list[int]:
    """The measures on whose items changes are shown."""
    counted = [
        index for index, own in kinds.items() if own is not None and measures[index].judges_items
    ]
    first = basis_of(kinds, measures)
    if first is not None and kinds[first]:
        # Measures of spans have the same outcomes for the same items, some in more detail.
        return [index for index in counted if index == first or measures[index].own_outcomes]
    return counted or ([] if first is None else [first])
