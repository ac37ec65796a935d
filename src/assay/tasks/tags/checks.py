"""Tags that a tagset does not know, categories without weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.align import Pair
from assay.corpus import SEVERAL, Column, Corpus
from assay.engine.checks import MOST, Numbers, numbered
from assay.engine.warnings import Remark, remark
from assay.errors import InputError
from assay.tasks.tags.rich import analysis_of
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.tagsets.analysis import POS

if TYPE_CHECKING:
    from assay.tasks.tags.weights import Weights

Outside = tuple[str, int, str, str]
"""A tag that a tagset does not know: the tag, its number of words, its first place, the nearest known one."""


def outside_tagset(pairs: Sequence[tuple[str, Pair]], tagset: Tagset, strict: bool) -> Iterator[Remark]:
    """Tags that the tagset does not know: how many, which, where, and what may have been meant."""
    for name, corpus in (("gold", pairs[0][1].gold), *((name, pair.system) for name, pair in pairs)):
        found = outside(corpus, corpus.column(pairs[0][1].column), tagset)
        yield unknown_tags(
            name=name,
            tagset=tagset.name,
            strict="strict" if strict else "",
            counts={label: count for label, count, _, _ in found},
            places={label: place for label, _, place, _ in found},
            near={label: near for label, _, _, near in found},
        )


@remark
def unknown_tags(
    name: str,
    tagset: str,
    strict: str,
    counts: Mapping[str, int],
    places: Mapping[str, str],
    near: Mapping[str, str],
) -> Iterator[str]:
    """Tags outside the tagset, refused if the user is strict."""
    if not counts:
        return
    words = numbered(sum(counts.values()), "word")
    ordered = sorted(counts, key=lambda label: (-counts[label], label))
    listed = ", ".join(
        f"{label} ({counts[label]:,}, {places[label]}{f', {near[label]}?' if near[label] else ''})"
        for label in ordered[:MOST]
    )
    tags = "1 tag" if len(counts) == 1 else f"{len(counts):,} tags"
    text = f"{name}: {tags} on {words} outside the tagset {tagset}: {listed}{', …' if len(ordered) > MOST else '.'}"
    if strict:
        raise InputError(f"{text} (--strict-tagset)")
    yield f"{text} They are read as tags without parts."


def outside(corpus: Corpus, column: Column, tagset: Tagset) -> list[Outside]:
    """The tags of a column that a tagset does not know, the most frequent first."""
    import difflib

    counts = column.counts()
    unread = {
        label
        for label in counts
        if label != corpus.empty and not all(tagset.read(part) for part in label.split(SEVERAL))
    }
    known = [label for label in counts if label not in unread]
    found = []
    for label in sorted(unread, key=lambda label: (-counts[label], label)):
        place = corpus.place(int(np.flatnonzero(column.isin([label]))[0]))
        near = difflib.get_close_matches(label, known, n=1, cutoff=0.5)
        found.append((label, counts[label], place, near[0] if near else ""))
    return found


def weightless(pair: Pair, weights: Weights | None) -> Iterator[Remark]:
    """Categories that a weight table does not have weigh nothing, which should be known."""
    if weights is None:
        return
    analysis = analysis_of(pair)
    missing = {
        position
        for tag in analysis.tags
        for position in (POS, *(name for name, _ in tag.values))
        if weights.of(tag.pos, position) is None
    }
    yield without_weights(missing=dict.fromkeys(sorted(missing), 1))


@remark
def without_weights(missing: Numbers) -> Iterator[str]:
    """Categories that weigh nothing."""
    if missing:
        yield f"the weights have nothing for {', '.join(sorted(missing))}: these weigh 0."
