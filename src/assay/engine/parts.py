"""Part: the counts and items of some shards. Parts add up, and a Result is made of their sum.

A single file is one shard, unless it is large enough to be read in pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import Bools, Ints
from assay.classes import dataclass
from assay.engine.combination import Ballots
from assay.engine.confidences import Confident
from assay.engine.counts import FEW_CLUSTERS, JointCounts
from assay.engine.examples import MOST_UNRESOLVED, DrawnExample, merge_drawn
from assay.engine.items import Items, Met
from assay.engine.measure import Measure, find
from assay.engine.options import Decided, Options
from assay.engine.risks import Overlaps
from assay.engine.slices import Slice
from assay.engine.texts import Texts, limit_texts
from assay.engine.values import JointValues
from assay.engine.warnings import Remark, merge_remarks
from assay.result import InputFile, Mapped
from assay.result.schema import MOST_LEFT_OUT

if TYPE_CHECKING:
    from assay.engine.combined import Combined

LabelSums = Mapping[str, Mapping[str, int]]
"""Label (empty if counts are not by label) → field → number, in whole numbers of Python, which do not overflow."""
DOCUMENTS = ""
"""The unit under which the changed counts of documents are kept, with the names of documents."""
MOST_DOCUMENTS = 400
"""The most documents whose contributions are listed."""


def choose_unit(documents: int, sentences: int) -> str:
    """The unit if none is asked for: documents, if there are enough of them that have several sentences."""
    return "document" if FEW_CLUSTERS <= documents < sentences else "sentence"


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
    compares: bool
    """True if these are compared with one another."""
    contents: Mapping[str, str]
    """The checksums of the other files that scores depend on, by the option or parameter that names them."""
    kinds: tuple[tuple[str, ...] | None, ...]
    """For each measure the outcomes that it distinguishes, the hit first; None if it has no items."""
    corpus: str = ""
    """A checksum of all files' names and of what is done with them."""
    shards: int = 1
    """The number of all shards."""

    @cached_property
    def measures(self) -> list[Measure]:
        """The measures, with the parameters they were measured under."""
        pairs = zip(self.specs, self.parameters, strict=True)
        return [find(spec, self.task).with_parameters(parameters) for spec, parameters in pairs]


@dataclass(frozen=True, eq=False)
class Part:
    """The sum of some shards: all that a Result needs to know of them.

    A selection is a measure, by its number, over everything (None) or over one value of a slice (`label=NOUN`).
    """

    plan: RunPlan
    reading: Decided
    """How these shards ask to be read."""
    sources: tuple[InputFile, ...]
    """Gold and the systems …"""
    digests: tuple[tuple[str, ...], ...]
    """… and the checksums of the files of each."""
    aligned: tuple[tuple[str, int], ...]
    """For each judged system how its words were aligned, and the number of gold words without a counterpart."""
    warnings: tuple[Remark, ...]
    notes: tuple[Remark, ...]
    mappings: tuple[Mapped, ...]
    numbers: Mapping[str, int]
    """`items`; `left out`, a sum of hashes of the sentences left out for all systems; `divided documents`, those with
    several units; `matched items`, gold's items as the basis of comparison counts them, if that is another number;
    `unresolved ON`, the items that no system has right."""
    sums: Mapping[tuple[str, str], LabelSums]
    """`before` and `after` the mapping file: sums of the first measure by system; `exact`: by basis of comparison, in
    trees, the sentences that are entirely right."""
    of_task: Mapping[str, LabelSums]
    """Further sums that the task knows the meaning of."""
    confident: Confident = field(default_factory=dict, kw_only=True)
    """The confidences of answers, if there are any."""
    labels: Items | None
    """The labels as they are, if they split into categories."""
    counts: Mapping[tuple[int, str | None, str], JointCounts | JointValues] = field(default_factory=dict)
    """By selection and unit: in the unit of the Result, and in all that it may be as long as other shards may decide;
    of the first measure over everything in sentences, and in documents or values of a comment."""
    items: Mapping[tuple[int, str | None], Items] = field(default_factory=dict)
    """The folded items of all systems, for the selections whose changes are shown."""
    changed: Mapping[tuple[int, str], JointCounts] = field(default_factory=dict)
    """By measure and unit, for each pair of systems: the second one's counts minus the first one's, by group of items
    that they answer differently; under the unit ``, of documents with their names."""
    ballots: Mapping[tuple[int, str], Ballots] = field(default_factory=dict)
    """By measure and unit what a combination of systems is made of."""
    combined: Combined | None = None
    """The learnt combination, if it is asked for; only of one file, so that it is never added."""
    overlaps: Mapping[tuple[int, str | None, str], Overlaps] = field(default_factory=dict)
    """By selection and unit: how many items each two systems have right, as sums that the design effect needs."""
    sizes: Mapping[tuple[int, str | None], int] = field(default_factory=dict)
    """The number of gold's items with each value of a slice by item; 0 for values of sentences."""
    one_sided: tuple[tuple[int, str | None], ...] = ()
    """The selections in which some items count on gold's or the system's side alone."""
    slices: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """For each slice and measure the values that there can be, in order."""
    met: Mapping[str, Met] = field(default_factory=dict)
    """For each system the numbers of label pairs, if folded items do not show them."""
    drawn: Mapping[str, tuple[DrawnExample, ...]] = field(default_factory=dict)
    """`examples`, and `unresolved` items that no system has right."""
    texts: tuple[Texts, ...] = ()
    """The texts that a page may show, if one is asked for."""
    shards: tuple[int, ...] = (0,)
    """The numbers of the shards, in order."""

    @cached_property
    def unit(self) -> str:
        """The unit of intervals and tests."""
        return self.plan.asked or choose_unit(self.number("document"), self.number("sentence"))

    def number(self, unit: str) -> int:
        """Number of units of a kind; 0 if these are not known."""
        tallies = self.counts.get((0, None, unit))
        return 0 if tallies is None else tallies.units

    def views(self) -> Iterator[tuple[str | None, list[int]]]:
        """Everything, then each value of a slice that is worth showing, with the measures that it applies to."""
        yield None, list(range(len(self.plan.specs)))
        for spec, orders in self.slices.items():
            by_number = Slice.find(spec, self.plan.task).kind.by_number
            views: dict[str, list[int]] = {}
            for index, values in enumerate(orders):
                shown = [(self.sizes[index, value], value) for value in values if (index, value) in self.sizes]
                if by_number:
                    shown.sort(key=lambda row: (-row[0], row[1]))
                for _, value in shown if len(shown) > 1 else ():
                    views.setdefault(value, []).append(index)
            yield from views.items()

    def __add__(self, other: Part) -> Part:
        """Sum of two parts; the one whose text comes first is on the left."""
        slices = {
            spec: tuple(tuple(dict.fromkeys((*a, *b))) for a, b in zip(orders, other.slices[spec], strict=True))
            for spec, orders in self.slices.items()
        }
        by_item = {
            value
            for spec, orders in slices.items()
            if Slice.find(spec, self.plan.task).kind.of_sentences is None
            for values in orders
            for value in values
        }
        counts: dict[tuple[int, str | None, str], Any] = {}
        for key in dict.fromkeys((*self.counts, *other.counts)):
            index, where, unit = key
            everything = (index, None, unit)
            if everything not in self.counts or everything not in other.counts:
                # One of the two has decided that this is not the unit.
                continue
            first: Any = self.counts.get(key)
            second: Any = other.counts.get(key)
            if where in by_item:
                # A unit without such items is a unit all the same.
                first = first or second.with_nothing(self.counts[everything])
                second = second or first.with_nothing(other.counts[everything])
            counts[key] = first + second if first and second else self.counts.get(key) or other.counts[key]
        tables: dict[str, Any] = {name: add_tables(getattr(self, name), getattr(other, name)) for name in _ADDED}
        tables["changed"] = {
            # One more than are listed, so that none is.
            key: one.first(MOST_DOCUMENTS + 1) if key[1] == DOCUMENTS else one
            for key, one in tables["changed"].items()
        }
        most = {"examples": self.plan.options.examples, "unresolved": MOST_UNRESOLVED}
        return replace(
            self,
            shards=(*self.shards, *other.shards),
            reading=self.reading | other.reading,
            sources=tuple(
                replace(
                    first,
                    sentences=first.sentences + second.sentences,
                    words=first.words + second.words,
                    unaligned=first.unaligned + second.unaligned,
                    spans=first.spans + second.spans,
                    documents=first.documents + second.documents,
                    documents_left_out=(*first.documents_left_out, *second.documents_left_out)[:MOST_LEFT_OUT],
                    left_out=dict(Counter(first.left_out) + Counter(second.left_out)),
                    offsets=dict(Counter(first.offsets) + Counter(second.offsets)),
                    not_read=dict(Counter(first.not_read) + Counter(second.not_read)),
                )
                for first, second in zip(self.sources, other.sources, strict=True)
            ),
            digests=tuple((*a, *b) for a, b in zip(self.digests, other.digests, strict=True)),
            aligned=tuple(
                (choose_alignment((way, its_way)), number + its_number)
                for (way, number), (its_way, its_number) in zip(self.aligned, other.aligned, strict=True)
            ),
            warnings=merge_remarks(self.warnings, other.warnings),
            notes=merge_remarks(self.notes, other.notes),
            mappings=tuple(
                replace(rule, words=rule.words + same.words)
                for rule, same in zip(self.mappings, other.mappings, strict=True)
            ),
            counts=counts,
            ballots={key: own + other.ballots[key] for key, own in self.ballots.items() if key in other.ballots},
            slices=slices,
            **tables,
            one_sided=tuple(dict.fromkeys((*self.one_sided, *other.one_sided))),
            labels=None if self.labels is None or other.labels is None else self.labels + other.labels,
            drawn={
                name: merge_drawn(drawn, other.drawn[name], self.sources[0].sentences, most[name])
                for name, drawn in self.drawn.items()
            },
            texts=limit_texts((*self.texts, *other.texts)),
        )


def choose_alignment(ways: Sequence[str]) -> str:
    """The way in which words were aligned; of several ways, the one that differs most from equal words."""
    return next(way for way in ("characters", "position", "words") if way in ways)


_ADDED = ("numbers", "sums", "of_task", "confident", "items", "changed", "overlaps", "sizes", "met")


def add_tables(first: Any, second: Any) -> Any:
    """The sum of two values; of two tables what both have is added up, in the order in which it first comes."""
    if not isinstance(first, Mapping):
        return first + second
    both = {name: add_tables(value, second[name]) if name in second else value for name, value in first.items()}
    return {**both, **{name: value for name, value in second.items() if name not in first}}


def sum_by_label(labels: Sequence[str], codes: Ints, masks: Mapping[str, Bools]) -> LabelSums:
    """The number of rows with each mask for each label that occurs; `codes` has the label of each row."""
    numbers = np.stack([np.bincount(codes[mask], minlength=len(labels)) for mask in masks.values()], axis=1)
    occurring = np.flatnonzero(numbers.any(axis=1)).tolist()
    return {labels[code]: dict(zip(masks, numbers[code].tolist(), strict=True)) for code in occurring}


def choose_bases(
    kinds: Mapping[int, Sequence[str] | None], measures: Sequence[Measure]
) -> tuple[int | None, list[int]]:
    """The measure whose items systems are compared on, None if none has items; and all whose changes are shown."""
    with_items = [index for index, outcomes in kinds.items() if outcomes is not None]
    counted = [index for index in with_items if kinds[index] or measures[index].judges_items]
    if not with_items:
        return None, []
    if kinds[with_items[0]]:
        # Measures of spans have the same outcomes for the same items, some in more detail.
        basis = max(with_items, key=lambda index: len(kinds[index] or ()))
        return basis, [index for index in counted if index == basis or measures[index].own_outcomes]
    basis = next((index for index in with_items if measures[index].is_share), with_items[0])
    return basis, counted or [basis]
