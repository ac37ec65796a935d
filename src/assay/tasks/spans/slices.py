"""Slices by spans: their length, nesting, gaps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.engine.items import Items
from assay.engine.slices import SliceKind, Values
from assay.engine.spanpairs import NESTING, Side, SpanPair
from assay.errors import UsageError

SPAN_LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (5, "4-5"), (10, "6-10"))


def _of_spans(pair: Pair, judged: Items, values: Callable[[Side], Ints], spec: str) -> Ints:
    """A value of each span: of gold's, for a spurious one of the system's."""
    spans = pair.layer(SpanPair)
    if spans is None or not judged.kinds:
        raise UsageError(f"--slice {spec} is about spans, which are not compared here. Say --task spans")
    has_gold = judged.has_gold
    codes = np.empty(len(judged), dtype=np.int64)
    codes[has_gold] = values(spans.gold)[judged.item[has_gold]]
    codes[~has_gold] = values(spans.system)[judged.item[~has_gold]]
    return codes


def _span_length(pair: Pair, judged: Items, _: str) -> Values:
    uppers = np.array([upper for upper, _ in SPAN_LENGTHS])
    words = _of_spans(pair, judged, lambda side: side.words, "span-length")
    return np.searchsorted(uppers, words, side="left"), (*(name for _, name in SPAN_LENGTHS), "over 10")


def _nesting(pair: Pair, judged: Items, _: str) -> Values:
    return _of_spans(pair, judged, lambda side: side.nesting, "nesting"), NESTING


def _gaps(pair: Pair, judged: Items, _: str) -> Values:
    return _of_spans(pair, judged, lambda side: side.with_gaps.astype(np.int64), "gaps"), (
        "without gaps",
        "with gaps",
    )


SLICES = (
    SliceKind("span-length", "number of words of the span", of_items=_span_length),
    SliceKind("nesting", "span alone, inside another, around or across another", of_items=_nesting),
    SliceKind("gaps", "span with or without gaps (discontinuous)", of_items=_gaps),
)
