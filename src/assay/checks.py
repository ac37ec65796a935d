"""What looks wrong before anything is scored: swapped or copied files, clashing label sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints
from assay.corpus import SEVERAL, Column, Corpus
from assay.errors import InputError
from assay.judgements import Judgements
from assay.spanpairs import SpanPair
from assay.tagsets import Tagset
from assay.tagsets.analysis import POS

if TYPE_CHECKING:
    from assay.weights import Weights

_OUTPUT = re.compile(r"(?:^|[^a-z])(?:pred|predicted|predictions|output|system|sys|hyp|tagged)(?:[^a-z]|$)")
_GOLD = re.compile(r"(?:^|[^a-z])(?:gold|reference|ref|key)(?:[^a-z]|$)")
MOST = 5
FEW = 10
SURE = 0.8
"""From this share on one label may well be another name of the other."""


def warnings(name: str, pair: Pair, judged: Judgements, noun: str) -> Iterator[str]:
    """Everything worth a warning about one system against gold; `noun` is what an item is called."""
    yield from swapped(pair)
    yield from copied(name, pair, judged)
    yield from clashes(name, judged, noun)


def swapped(pair: Pair) -> Iterator[str]:
    """Gold and system given in the wrong order."""
    gold, system = (PurePath(corpus.name).name.lower() for corpus in (pair.gold, pair.system))
    if _GOLD.search(system) and (_OUTPUT.search(gold) or not _GOLD.search(gold)):
        yield (
            f"{pair.system.name} is given as a system but named like a gold standard; gold is {pair.gold.name}. "
            "Are the two swapped? Gold comes first."
        )
    elif _OUTPUT.search(gold) and not _OUTPUT.search(system):
        yield f"{pair.gold.name} is given as gold but named like an output. Are gold and system swapped?"


def copied(name: str, pair: Pair, judged: Judgements) -> Iterator[str]:
    """A system that is gold itself."""
    if pair.gold.sha256 == pair.system.sha256:
        yield f"{name} ({pair.system.name}) has the same content as gold ({pair.gold.name})."
    elif len(judged) >= 20 and bool(judged.right.all()):
        yield f"{name} agrees with gold in every one of {len(judged):,} labels: copied, not predicted?"


def clashes(name: str, judged: Judgements, noun: str = "word") -> Iterator[str]:
    """Labels that only one side uses, with what the other side has there."""
    width = len(judged.labels)
    both = (judged.gold != NONE) & (judged.system != NONE)
    in_gold = np.bincount(judged.gold[judged.has_gold], minlength=width)
    in_system = np.bincount(judged.system[judged.has_system], minlength=width)
    foreign = np.flatnonzero((in_gold == 0) & (in_system > 0))
    words = int(in_system[foreign].sum())
    # A handful of odd labels is an error like any other; a clash of label sets shows in numbers.
    if words >= max(FEW, 0.001 * len(judged)):
        ordered = sorted(foreign.tolist(), key=lambda code: -int(in_system[code]))
        listed = [
            _counterpart(judged, code, judged.system, judged.gold, both, in_system, noun) for code in ordered[:MOST]
        ]
        more = ", …" if len(ordered) > MOST else ""
        yield (
            f"{name} uses {_labels(len(foreign))} that gold never has, on {_number(words, noun)}: "
            f"{', '.join(text for text, _, _ in listed)}{more}.{_mapping_hint(name, judged, ordered, listed)}"
        )
    for code in sorted(
        np.flatnonzero((in_gold >= FEW) & (in_system == 0)).tolist(), key=lambda code: -int(in_gold[code])
    )[:MOST]:
        text, _, _ = _counterpart(judged, code, judged.gold, judged.system, both, in_gold, noun)
        yield f"{name} never assigns {text}."


def _counterpart(
    judged: Judgements, code: int, here: Ints, there: Ints, both: Bools, counts: Ints, noun: str
) -> tuple[str, int, float]:
    """A label with its number of words and what the other side mostly has on them."""
    others = np.bincount(there[both & (here == code)], minlength=len(judged.labels))
    target, total = int(np.argmax(others)), int(counts[code])
    share = others[target] / total
    side = "gold" if here is judged.system else "it"
    mostly = f", where {side} mostly has {judged.labels[target]} ({share:.0%})" if others[target] else ""
    return f"{judged.labels[code]} ({_number(total, noun)}{mostly})", target, float(share)


def _mapping_hint(
    name: str, judged: Judgements, codes: Sequence[int], listed: Sequence[tuple[str, int, float]]
) -> str:
    """The line of a mapping file for the first label that nearly always stands for one of gold's."""
    for code, (_, target, share) in zip(codes, listed, strict=False):
        if share >= SURE:
            line = f"{name} TAB {judged.labels[code]} TAB {judged.labels[target]}"
            return f" If they mean the same, map them with a line in a file for --map: {line}"
    return ""


def identical(judged: Sequence[tuple[str, Judgements]]) -> Iterator[str]:
    """Two systems with the same answers throughout."""
    for i, (name, a) in enumerate(judged):
        for other, b in judged[i + 1 :]:
            if len(a) == len(b) and np.array_equal(_answers(a), _answers(b)):
                yield f"{name} and {other} give the same answers throughout."


def identical_outputs(outputs: Sequence[tuple[str, Sequence[Ints]]]) -> Iterator[str]:
    """Two systems whose answers, given as arrays, are the same throughout."""
    for i, (name, ours) in enumerate(outputs):
        for other, theirs in outputs[i + 1 :]:
            if all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)):
                yield f"{name} and {other} give the same answers throughout."


def identical_spans(pairs: Sequence[tuple[str, SpanPair]]) -> Iterator[str]:
    """Two systems with the same spans throughout."""
    for i, (name, a) in enumerate(pairs):
        for other, b in pairs[i + 1 :]:
            if a.same_output(b):
                yield f"{name} and {other} give the same answers throughout."


def _answers(judged: Judgements) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    names = np.array([*judged.labels, None], dtype=object)
    return names[np.where(judged.system == NONE, len(judged.labels), judged.system)]


def _labels(number: int) -> str:
    return "1 label" if number == 1 else f"{number:,} labels"


def _number(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


# --- tags and tagsets ---


Outside = tuple[str, int, str, str]
"""A tag that a tagset does not know: the tag, its number of words, its first place, the nearest known one."""


def outside_tagset(pairs: Sequence[tuple[str, Pair]], tagset: Tagset, strict: bool) -> Iterator[str]:
    """Tags that the tagset does not know: how many, which, where, and what may have been meant."""
    for name, corpus in (("gold", pairs[0][1].gold), *((name, pair.system) for name, pair in pairs)):
        found = outside(corpus, corpus.column(pairs[0][1].column), tagset)
        if not found:
            continue
        words = _number(sum(count for _, count, _, _ in found), "word")
        listed = ", ".join(
            f"{label} ({count:,}, {place}{f', {near}?' if near else ''})"
            for label, count, place, near in found[:MOST]
        )
        tags = "1 tag" if len(found) == 1 else f"{len(found):,} tags"
        text = (
            f"{name}: {tags} on {words} outside the tagset {tagset.name}: "
            f"{listed}{', …' if len(found) > MOST else '.'}"
        )
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


def weightless(pair: Pair, weights: Weights | None) -> Iterator[str]:
    """Categories that a weight table does not have weigh nothing, which should be known."""
    if weights is None:
        return
    analysis = pair.analysis()
    missing = {
        position
        for tag in analysis.tags
        for position in (POS, *(name for name, _ in tag.values))
        if weights.of(tag.pos, position) is None
    }
    if missing:
        yield f"the weights have nothing for {', '.join(sorted(missing))}: these weigh 0."
