"""What looks wrong before anything is scored: swapped or copied files, clashing label sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

import numpy as np

from assay.align import Pair
from assay.judgements import NONE, Judgements

_OUTPUT = re.compile(r"(?:^|[^a-z])(?:pred|predicted|predictions|output|system|sys|hyp|tagged)(?:[^a-z]|$)")
_GOLD = re.compile(r"(?:^|[^a-z])(?:gold|reference|ref|key)(?:[^a-z]|$)")
MOST = 5


def warnings(name: str, pair: Pair, judged: Judgements) -> Iterator[str]:
    """Everything worth a warning about one system against gold."""
    yield from swapped(pair)
    yield from copied(name, pair, judged)
    yield from clashes(name, judged)


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
        yield f"{name} is the same file as gold."
    elif len(judged) >= 20 and bool(judged.right.all()):
        yield f"{name} agrees with gold in every one of {len(judged):,} labels: copied, not predicted?"


def clashes(name: str, judged: Judgements) -> Iterator[str]:
    """Labels that only one side uses, each with the line of a mapping file that would bring them together."""
    width = len(judged.labels)
    both = judged.has_gold & judged.has_system
    in_gold = np.bincount(judged.gold[judged.has_gold], minlength=width)
    in_system = np.bincount(judged.system[judged.has_system], minlength=width)
    foreign = np.flatnonzero((in_gold == 0) & (in_system > 0))
    if len(foreign):
        words = int(in_system[foreign].sum())
        yield (
            f"{name} uses {_labels(len(foreign))} that gold never has, on {_words(words)}: "
            f"{_listed(judged, foreign, in_system)}."
        )
    for code in _by_count(np.flatnonzero((in_gold >= 10) & (in_system == 0)), in_gold)[:MOST]:
        counterparts = np.bincount(judged.system[both & (judged.gold == code)], minlength=width)
        target = int(np.argmax(counterparts))
        sentence = f"{name} never assigns {judged.labels[code]} ({_words(int(in_gold[code]))} in gold)"
        if counterparts[target]:
            sentence += (
                f"; most often it has {judged.labels[target]} there ({counterparts[target] / in_gold[code]:.0%})"
            )
        sentence += "."
        if counterparts[target] and in_gold[target] == 0:
            # Only a label that gold never has can be mapped away without harm.
            sentence += (
                " If they mean the same, map it with a line in a file for --map: "
                f"{name} TAB {judged.labels[target]} TAB {judged.labels[code]}"
            )
        yield sentence


def identical(judged: Sequence[tuple[str, Judgements]]) -> Iterator[str]:
    """Two systems with the same answers throughout."""
    for i, (name, a) in enumerate(judged):
        for other, b in judged[i + 1 :]:
            if len(a) == len(b) and np.array_equal(_answers(a), _answers(b)):
                yield f"{name} and {other} give the same answers throughout."


def _answers(judged: Judgements) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    names = np.array([*judged.labels, None], dtype=object)
    return names[np.where(judged.system == NONE, len(judged.labels), judged.system)]


def _by_count(
    codes: np.ndarray[tuple[int], np.dtype[np.int64]], counts: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> list[int]:
    return sorted(codes.tolist(), key=lambda code: -int(counts[code]))


def _listed(
    judged: Judgements,
    codes: np.ndarray[tuple[int], np.dtype[np.int64]],
    counts: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> str:
    ordered = _by_count(codes, counts)
    named = ", ".join(f"{judged.labels[code]} ({int(counts[code]):,})" for code in ordered[:MOST])
    return f"{named}, …" if len(ordered) > MOST else named


def _labels(number: int) -> str:
    return "1 label" if number == 1 else f"{number:,} labels"


def _words(number: int) -> str:
    return "1 word" if number == 1 else f"{number:,} words"
