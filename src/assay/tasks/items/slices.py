"""Slices of items: by the length of the text, by confidence, by how many systems are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from assay.classes import dataclass
from assay.corpus import Corpus
from assay.corpus.items import ItemTable
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.slices import NO_VALUE, SliceKind, Values, quarter_numbers, read_numbers
from assay.errors import UsageError, unknown
from assay.result.numbers import plural
from assay.stats.confidence import find_bins
from assay.tasks.items.drawing import find_confidence, find_texts

_TENTHS = 10


@dataclass(frozen=True, eq=False)
class ItemValues:
    """A layer of gold: the value of each item for each slice that is asked for."""

    by_slice: Mapping[str, Values]


def _look_up(name: str, gold: Corpus, argument: str) -> Values:
    values = gold.layer(ItemValues)
    if values is None:
        raise UsageError(f"--slice {name}: only items without words have this slice.")
    return values.by_slice[f"{name}:{argument}" if argument else name]


SLICES = tuple(
    SliceKind(name, text, name == "confidence", of_sentences=partial(_look_up, name))
    for name, text in {
        "text-length": "number of characters in the text of an item, by quarters",
        "confidence": "the system's confidence, by tenths; of several the lowest (confidence:NAME: that of one)",
        "systems-right": "how many systems have the item right",
    }.items()
)


def check_slices(run: Run) -> None:
    """Raise an error for slices that items do not have, or that need all files at once."""
    own = [kind.name for kind in SLICES]
    for spec in run.options.slices:
        name, _, key = spec.partition(":")
        if name not in ("label", "meta", *own):
            usual = f"--slice label, meta:COLUMN, {', '.join(own[:-1])} or {own[-1]}"
            raise UsageError(f"--slice {spec} is for words, but items have none. Use {usual}")
        numbers = read_numbers(run.gold.metadata(key)) if name == "meta" else None
        if run.options.decided is not None and (numbers is not None or name == "text-length"):
            raise UsageError(
                f"--slice {spec}: quarters need all items, but files are read separately here. Join them into one "
                f"file."
            )


def divide_items(run: Run, judged: Sequence[tuple[str, Items]]) -> ItemValues:
    """The values of items for the slices that only items have."""
    values: dict[str, Values] = {}
    for spec in run.options.slices:
        name, _, system = spec.partition(":")
        if name == "text-length":
            values[spec] = _measure_texts(run, spec)
        elif name == "confidence":
            values[spec] = _cut_confidences(run, spec, system)
        elif name == "systems-right":
            table = run.gold.layers[ItemTable]
            if run.decided.kind == "numbers" or table.is_logged:
                have = "numbers" if run.decided.kind == "numbers" else "scores of a log"
                raise UsageError(f"--slice {spec}: these items have {have}, which are neither right nor wrong.")
            right = np.sum([items.right[0] for _, items in judged], axis=0)
            values[spec] = right, tuple(plural(number, "system") for number in range(len(judged) + 1))
    return ItemValues(values)


def _measure_texts(run: Run, spec: str) -> Values:
    texts = [*find_texts(run).texts.values()]
    if not texts:
        raise UsageError(f'--slice {spec}: no file has texts. Name their column: --input-format "items(text=NAME)"')
    return quarter_numbers(np.array([sum(map(len, parts)) for parts in zip(*texts, strict=True)], dtype=np.float64))


def _cut_confidences(run: Run, spec: str, system: str) -> Values:
    found = {name: find_confidence(run, pair, in_answers=True) for name, pair in run.pairs}
    sure = {name: values for name, values in found.items() if values is not None}
    if not sure:
        raise UsageError(f'--slice {spec}: no confidences of answers. Name their column: "items(confidence=NAME)"')
    if system and system not in sure:
        raise unknown("system with confidences", system, sure)
    lowest = np.fmin.reduce([sure[system]] if system else [*sure.values()])
    if ((lowest < 0) | (lowest > 1)).any():
        return quarter_numbers(lowest)
    bins = np.where(np.isnan(lowest), _TENTHS, find_bins(np.nan_to_num(lowest), _TENTHS) - 1)
    return bins, (*(f"{bin_ / _TENTHS:g}-{(bin_ + 1) / _TENTHS:g}" for bin_ in range(_TENTHS)), NO_VALUE)
