"""Slices of the data: of sentences (by length, document, metadata) or of items (by label, seen, frequency)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from assay import plugins
from assay.align import Pair
from assay.arrays import NONE, Floats, Ints
from assay.classes import dataclass
from assay.corpus import Column, Corpus
from assay.corpus.ratings import parse_number
from assay.engine.counts import Counts
from assay.engine.items import Items, words_of
from assay.engine.lexicon import code_attribute, find_bands, frequency_bands, known_words
from assay.engine.measure import Measure
from assay.engine.spanpairs import Line
from assay.engine.task import tasks
from assay.errors import UsageError, unknown

LENGTHS = ((5, "1-5"), (10, "6-10"), (20, "11-20"), (40, "21-40"))
TREE_LENGTHS = ((10, "1-10"), (20, "11-20"), (30, "21-30"), (40, "31-40"))
"""Lengths of sentences for parsers, for which long sentences are hard."""

_CALL = re.compile(r"([^():]+)\([a-z]+=([^()]*)\)")
"""A slice with an argument in the form of measures: chain-length(edges=2,10) is chain-length:2,10."""
_FEW = 10
"""So many different numbers are values of their own; more are divided into quarters."""
NO_VALUE = "(none)"
"""The value of a sentence that lacks a comment."""
Values = tuple[Ints, tuple[str, ...]]
"""Codes and their names, in the order in which they are shown."""

Parts = Sequence[tuple[str, int, Counts]]
"""Each value with the number of gold's items and the counts; empty if a measure cannot be split."""


@dataclass(frozen=True)
class SliceKind:
    """A kind of slice, by sentences or by items."""

    name: str
    help: str
    takes_argument: bool = False
    of_sentences: Callable[[Corpus, str], Values] | None = None
    of_items: Callable[[Pair, Items, str], Values] | None = None
    of_arcs: Callable[[Corpus], Values] | None = None
    """Values by the arcs of each side: gold's arcs for gold's items, the system's for the system's."""
    of_sides: Callable[[Pair, Items, str], tuple[Ints, Ints, tuple[str, ...]]] | None = None
    """Values of both sides for matched items: the value of each row in gold and in the system."""
    of_system: Callable[[Pair, Items, str], Values] | None = None
    """Values that only system items have; the slice has precision but no recall."""
    by_number: bool = False
    """True if values are sorted by their numbers of items, not in an order of their own."""
    counts: str = ""
    """What it counts in all of gold if no --train is given; then files cannot be read one by one."""
    of_counts: Callable[[Pair, Measure, str], Parts] | None = None
    """The counts of each value for measures without items, if their counts can be split."""


def _sentence_length(gold: Corpus, _: str) -> Values:
    bins = LENGTHS if gold.heads is None and gold.trees is None else TREE_LENGTHS
    return find_bands(np.diff(gold.starts), bins), (*(name for _, name in bins), "over 40")


def _document(gold: Corpus, _: str) -> Values:
    return gold.document_of_sentence, tuple(gold.document_name(i) for i in range(gold.documents))


def _metadata(gold: Corpus, key: str) -> Values:
    values = gold.metadata(key)
    if not key or all(value is None for value in values):
        keys = [other for other in gold.metadata_keys() if other not in ("sent_id", "text")]
        hint = f"Available: {', '.join(keys)}." if keys else "It has no such comments."
        spec, lacks = f"meta:{key}" if key else "meta", f"no comment `# {key or 'KEY'} = …`"
        if gold.texts:
            lacks, hint = f"no metadata {key}".rstrip(), hint.replace("such comments", "metadata")
        if not gold.has_words:
            lacks, hint = f"no column {key}".rstrip(), hint.replace("such comments", "further columns")
        raise UsageError(f"--slice {spec}: {gold.name} has {lacks}. {hint}")
    numbers = None if gold.has_words else read_numbers(values)
    if numbers is not None:
        return quarter_numbers(numbers)
    column = Column.of(NO_VALUE if value is None else value for value in values)
    return column.codes, column.vocabulary


def read_numbers(values: Sequence[str | None]) -> Floats | None:
    """Numbers with many values, nan for an empty one; None if there are few, or if not all are numbers."""
    different = {value: parse_number(value) for value in {*values} if value}
    if len(different) <= _FEW or None in different.values():
        return None
    return np.array([different.get(value or "", np.nan) for value in values], dtype=np.float64)


def quarter_numbers(numbers: Floats) -> Values:
    """The quarter of each number, by its rank; equal numbers are in the same one, and nan is in none."""
    is_known = ~np.isnan(numbers)
    different, place, sizes = np.unique(numbers[is_known], return_inverse=True, return_counts=True)
    # The rank of equal numbers is their mean rank; it lies between two ranks, so that it is doubled.
    _, quarter = np.unique((2 * np.cumsum(sizes) - sizes) * 2 // max(1, sizes.sum()), return_inverse=True)
    ends = [different[quarter == code][[0, -1]].tolist() for code in range(len({*quarter.tolist()}))]
    codes = np.full(len(numbers), len(ends), dtype=np.int64)
    codes[is_known] = quarter[place]
    return codes, (*(f"{low:.15g} to {high:.15g}" if low < high else f"{low:.15g}" for low, high in ends), NO_VALUE)


def _frequency(pair: Pair, items: Items, _: str) -> Values:
    if pair.layer(Line) is not None:
        raise UsageError("--slice frequency is for words. For spans there is --slice seen, with --train.")
    if items.kinds:
        raise UsageError("--slice frequency is for words, which are not compared here.")
    if "frequency" in pair.gold.columns:
        return code_attribute(pair, items, "frequency")
    if "train" in pair.gold.columns:
        raise UsageError(
            "--slice frequency: --train is a list of words without frequencies. Give the training data itself."
        )
    counts = pair.gold.forms.counts()
    gold, system = frequency_bands(pair.gold.forms, counts), frequency_bands(pair.system.forms, counts)
    return items.of_sides(gold.codes, system.codes), gold.vocabulary


_OF_ITEMS = (
    SliceKind(
        "label",
        "gold label (for spurious items, the system's)",
        of_items=lambda _, judged, __: (np.where(judged.has_gold, judged.gold, judged.answer[0]), judged.labels),
        by_number=True,
    ),
    SliceKind(
        "seen",
        "seen or unseen in --train (seen:lexicon: in --lexicon)",
        True,
        of_items=lambda pair, judged, which: known_words(pair, judged, which, "--slice seen"),
    ),
    SliceKind(
        "frequency",
        "frequency of the word in --train, or in gold without --train",
        of_items=_frequency,
        counts="words",
    ),
)
_OF_SENTENCES = (
    SliceKind("sentence-length", "number of words in the gold sentence", of_sentences=_sentence_length),
    SliceKind("document", "document, or file of a folder", of_sentences=_document),
    SliceKind(
        "meta",
        "meta:KEY, the value of the comment `# KEY = …`, or of a column of items (many numbers: by quarters)",
        True,
        of_sentences=_metadata,
    ),
)


def slices(task: str = "") -> dict[str, SliceKind]:
    """All slices by name, including those of tasks.

    If two tasks use the same name, that of `task` is taken; without a task, the help describes both.
    """
    by_name = {kind.name: kind for kind in _OF_ITEMS}
    for name, other_task in tasks().items():
        for kind in other_task.slices:
            same_name = by_name.get(kind.name)
            if same_name is None or name == task:
                by_name[kind.name] = kind
            elif not task:
                by_name[kind.name] = replace(same_name, help=f"{same_name.help}; {kind.help}")
    return {**by_name, **{kind.name: kind for kind in _OF_SENTENCES}}


@dataclass(frozen=True)
class Slice:
    """A slice kind with its argument, as typed: `sentence-length`, `meta:genre`."""

    kind: SliceKind
    argument: str

    def __str__(self) -> str:
        return f"{self.kind.name}:{self.argument}" if self.argument else self.kind.name

    @classmethod
    def find(cls, spec: str, task: str = "") -> Slice:
        """The slice that a spec stands for, in a task."""
        name, _, argument = spec.partition(":")
        if not argument and (call := _CALL.fullmatch(name)):
            name, argument = call[1], call[2]
        kinds = slices(task)
        if name not in kinds and (kind := plugins.load("slices", name)):
            kinds[name] = kind
        if name not in kinds:
            general = [kind.name for kind in (*_OF_ITEMS, *_OF_SENTENCES)]
            raise unknown("slice", name, dict.fromkeys([*general, *kinds]), command="assay measures")
        if argument and not kinds[name].takes_argument:
            raise UsageError(f"--slice {spec}: the slice \"{name}\" has no argument. Write --slice {name}")
        return cls(kinds[name], argument)

    def sentences(self, gold: Corpus, *, shard: bool = False) -> Values | None:
        """The value of each gold sentence; None for a slice by items. `shard` is True if gold is only a part."""
        if shard and self.kind.name == "meta" and all(value is None for value in gold.metadata(self.argument)):
            return np.zeros(gold.sentences, dtype=np.int64), (NO_VALUE,)
        for number, name in enumerate(gold.document_ids if shard and self.kind.name == "document" else (), 1):
            if name == str(number):
                raise UsageError(
                    f"--slice document: documents of {gold.name} need ids if files are read separately. Give them "
                    f"ids (# newdoc id = …)."
                )
        return self.kind.of_sentences(gold, self.argument) if self.kind.of_sentences else None

    def parts(self, pair: Pair, items: Items) -> list[tuple[str, int, Items]]:
        """Each value in order, with its number of gold's items and its items."""
        kind = self.kind
        if kind.of_arcs is not None:
            parts = _split_by_arcs(pair, items, kind.of_arcs)
        elif kind.of_sides is not None:
            # This function raises an error for other items.
            parts = _split_by_sides(items, *kind.of_sides(pair, items, self.argument))
        elif kind.of_system is not None:
            codes, names = kind.of_system(pair, items, self.argument)
            nobody = replace(items, has_gold=np.zeros(len(items), dtype=bool))
            masks = [items.has_system[0] & (codes == code) for code in range(len(names))]
            parts = [(name, 0, nobody.where(rows)) for name, rows in zip(names, masks, strict=True)]
        else:
            if kind.of_items is not None:
                codes, names = kind.of_items(pair, items, self.argument)
            else:
                assert kind.of_sentences is not None
                of_sentence, names = kind.of_sentences(pair.gold, self.argument)
                codes = of_sentence[items.sentence]
            in_gold = np.bincount(codes[items.has_gold].astype(np.int64), minlength=len(names)).tolist()
            # Small numbers are sorted by their digits, in linear time.
            order = np.argsort((codes - NONE).astype(np.uint16) if len(names) < 1 << 15 else codes, kind="stable")
            rows = np.split(order, np.searchsorted(codes[order], np.arange(len(names) + 1)))[1:-1]
            parts = [
                (name, number, items.where(part_rows))
                for name, number, part_rows in zip(names, in_gold, rows, strict=True)
            ]
        # Numbers of whole sentences do not belong to a selection of items.
        nothing = items.none().sums
        return [(name, number, replace(part, sums=nothing)) for name, number, part in parts]


def _split_by_arcs(pair: Pair, items: Items, of_arcs: Callable[[Corpus], Values]) -> list[tuple[str, int, Items]]:
    """Parts by gold's arcs for recall and by the system's for precision; a right item may have two values."""
    (gold_values, names), (system_values, _) = of_arcs(pair.gold), of_arcs(pair.system)
    gold_word, system_word = words_of(pair, items)
    # NONE is -1, the last.
    gold, system = np.append(gold_values, -1)[gold_word], np.append(system_values, -1)[system_word]
    right_in_system = items.right if items.found is None else items.found
    parts = []
    for code, name in enumerate(names):
        has_gold, has_system = items.has_gold & (gold == code), items.has_system & (system == code)
        right = {"right": items.right & has_gold, "found": right_in_system & has_system}
        part = replace(items, selected=True, has_gold=has_gold, has_system=has_system, **right)
        parts.append((name, int(has_gold.sum()), part))
    return parts


def _split_by_sides(items: Items, gold: Ints, system: Ints, names: tuple[str, ...]) -> list[tuple[str, int, Items]]:
    """Parts by gold's items for recall and by the system's for precision; an item with different values is missing in
    the part of gold's value and spurious in that of the system's."""
    assert items.partner is not None
    missing, spurious = (items.kinds.index(name) for name in ("fn", "fp"))
    parts = []
    for code, name in enumerate(names):
        has_gold, has_system = items.has_gold & (gold == code), items.has_system[0] & (system == code)
        both = has_gold & has_system
        part = replace(
            items,
            has_gold=has_gold,
            has_system=has_system[None],
            gold=np.where(has_gold, items.gold, NONE),
            answer=np.where(has_system, items.answer, NONE),
            right=items.right & both,
            kind=np.where(both, items.kind, np.where(has_gold, missing, spurious)),
            partner=np.where(has_system, items.partner, NONE),
            item=np.where(has_gold, items.item, items.partner[0]),
            label=None if items.label is None else np.where(has_gold, items.label, items.answer[0]),
        ).where(has_gold | has_system)
        # Gold's items come first.
        order = np.argsort(~part.has_gold, kind="stable")
        parts.append((name, int(has_gold.sum()), part.where(order)))
    return parts
