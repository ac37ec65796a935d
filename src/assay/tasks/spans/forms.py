"""The surface forms of errors: what is most often missing, spurious, or not in the text at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import combinations

import numpy as np

from assay.arrays import NONE
from assay.engine.matching import FAIR, match_fair
from assay.engine.parts import Summed
from assay.engine.prepare import Run
from assay.engine.spanpairs import SpanPair, spans_of, surface_forms
from assay.formats.answers import SAID
from assay.formats.grounding import fold
from assay.result import FormCount

TYPES = ("missing", "spurious", "ungrounded")
Errors = Mapping[Hashable, str]
"""Errors by what tells them from all others, each with its type, label and folded form, divided by tabs."""


def form_sums(run: Run) -> Iterator[tuple[str, Summed]]:
    """The number of times each form is an error of each system, and one of a system but not of another."""
    errors = {name: _errors(spans_of(pair)) for name, pair in run.pairs}
    for name, own in errors.items():
        yield f"forms\t{name}", _summed(own.values())
    for a, b in combinations(errors, 2):
        for change, here, there in (("gained", errors[b], errors[a]), ("lost", errors[a], errors[b])):
            yield f"forms\t{a}\t{b}\t{change}", _summed([form for key, form in here.items() if key not in there])


def _errors(spans: SpanPair) -> Errors:
    records = spans.matched(match_fair)
    listed = spans.listed(records)
    found: dict[Hashable, str] = {}
    for kind, type_, side, column in (
        ("fn", "missing", spans.gold, records.gold),
        ("fp", "spurious", spans.system, records.system),
    ):
        mask = (records.kind == FAIR.index(kind)) & (column != NONE)
        items = np.unique(column[mask if listed is None else mask & ~listed])
        items = items[side.begin[items] != NONE]
        forms = surface_forms(spans.corpus_of(side), side.number[items], as_written=True)
        for item, form in zip(items.tolist(), forms, strict=True):
            known: tuple[Hashable, ...] = (item,) if side is spans.gold else spans.identity(item)
            found[type_, *known] = f"{type_}\t{spans.label(side, item)}\t{_form(form)}"
    for item in np.flatnonzero(spans.system.begin == NONE).tolist():
        form, label = _form(spans.system.columns[SAID][item]), spans.label(spans.system, item)
        key = ("ungrounded", int(spans.system.unit[item]), form, label)
        # One that a system repeats is another error.
        found[(*key, item) if key in found else key] = f"ungrounded\t{label}\t{form}"
    return found


def _form(text: str) -> str:
    return fold(text).replace("\t", " ")


def _summed(forms: Iterable[str]) -> Summed:
    numbers = Counter(forms)
    return Summed(("number",), tuple(numbers.values()), tuple(numbers))


def form_counts(sums: Mapping[str, Summed], most: int) -> Iterator[FormCount]:
    """The most frequent forms of each type, with their share of the errors of this type."""
    for key, one in sums.items():
        _, system, *pair = key.split("\t")
        rows = [(name.split("\t", 2), number) for name, number in zip(one.labels or (), one.totals, strict=True)]
        for type_ in TYPES:
            own = [(label, form, number) for (kind, label, form), number in rows if kind == type_]
            total = sum(number for _, _, number in own)
            for label, form, number in sorted(own, key=lambda row: (-row[2], row[1], row[0]))[:most]:
                other, change = pair if pair else (None, "")
                yield FormCount(system, other, change, type_, label, form, number, number / total)
