"""Offsets that are counted differently: with inclusive or exclusive ends, from 0 or from 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints
from assay.corpus import Corpus, Marks
from assay.engine.options import Options
from assay.engine.spanpairs import spans_of, text_starts
from assay.engine.warnings import FEW, Remark, remark
from assay.errors import AlignmentError

Numbers = Mapping[str, int]
_SHIFTS = {
    "as it is": (0, 0),
    "add 1 to each end": (0, 1),
    "subtract 1 from each end": (0, -1),
    "add 1 to each start": (1, 0),
    "subtract 1 from each start": (-1, 0),
    "add 1 to each start and end": (1, 1),
    "subtract 1 from each start and end": (-1, -1),
}
"""Changes of the offsets of a file, and what each adds to starts and ends."""
_PLAIN, *_CHANGES = _SHIFTS
_LEAST = 3
"""The least number of spans for a remark."""
_RARE = 0.25
"""The largest share of spans that may match gold by chance without a shift."""
_ENOUGH = 0.2
"""The least share of spans that must match gold after a shift."""
_COUNTED = "they count characters (Unicode code points) from 0, and the end is exclusive."
_JOINED = (
    "[\u0590-\u08ff\u0e00-\u0eff\u0f00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufeff\uff66-\uffdc\U00020000-\U0003ffff]"
)
"""Characters of scripts that have no blanks between words, or that write particles and articles onto names; compiled
only if needed, which takes 3 ms."""


def check_offsets(pairs: Sequence[tuple[str, Pair]], options: Options, nouns: str) -> Iterator[Remark]:
    """Remarks on spans that would match gold, or end where words do, if all were moved by one."""
    for name, pair in pairs:
        placed = [side.where(side.begin != NONE) for side in spans_of(pair)]
        places = [(side.begin, side.end) for side in placed]
        cuts = [_count_cuts(pair.gold, placed[0]), _count_cuts(pair.system, placed[1])]
        yield compare_offsets(name, (pair.gold, pair.system), places, cuts, options, nouns)


def compare_offsets(
    name: str,
    corpora: tuple[Corpus, Corpus],
    places: Sequence[tuple[Ints, Ints]],
    cuts: Sequence[Numbers],
    options: Options,
    nouns: str,
    remedies: Mapping[str, str] | None = None,
) -> Remark:
    """A remark on gold's and a system's places, starts and ends, and on how many of them cut words."""
    gold, system = places
    size = 2 + max(int(end.max(initial=0)) for _, end in places)
    keys = np.unique(gold[0] * size + gold[1])
    # Places that both sides have, by what is done to the system's; one number if these match as they are.
    matches = {}
    for change, (start, end) in _SHIFTS.items():
        matches[change] = int(np.isin(keys, (system[0] + start) * size + system[1] + end).sum())
        if matches[_PLAIN] > _RARE * min(len(keys), len(system[0])):
            break
    return other_offsets(
        name=name,
        gold=corpora[0].name,
        system=corpora[1].name,
        nouns=nouns,
        going_on="going on" if options.on_mismatch == "warn" else "",
        numbers={"gold": len(gold[0]), "system": len(system[0])},
        matches=matches,
        gold_cuts=cuts[0],
        system_cuts=cuts[1],
        remedies=remedies or {},
    )


def _count_cuts(corpus: Corpus, side: Marks) -> Numbers:
    """Spans that begin or end inside a word, by what is done to them.

    None if the file has no text, or one in a script that does not divide words by blanks.
    """
    spans = corpus.spans
    if corpus.texts is None or not len(side):
        return {}
    starts, sentence = text_starts(corpus.texts), spans.unit[side.number]
    first = starts[sentence] + spans.begin[side.number]
    last = starts[sentence] + spans.end[side.number] - 1
    # No word goes on in the next text, nor before the first one; a span may.
    text = "\n".join(["\n", *corpus.texts, "\n"])
    last += np.searchsorted(starts, last, side="right") - 1
    places = np.add.outer([-2, -1, 0, 1], np.stack([first + sentence, last + 1])) + 2
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)[places]
    known, numbers = np.unique(codes, return_inverse=True)
    letter = np.array([chr(code).isalnum() and not re.match(_JOINED, chr(code)) for code in known.tolist()])
    letters = letter[numbers].reshape(codes.shape)
    if 2 * int((letters[2, 0] | letters[1, 1]).sum()) <= len(side):
        return {}
    # For each place, moved by -1, 0 or 1: whether it lies between two letters.
    cuts = letters[:-1] & letters[1:]
    return {change: int((cuts[start + 1, 0] | cuts[end + 1, 1]).sum()) for change, (start, end) in _SHIFTS.items()}


@remark
def other_offsets(
    name: str,
    gold: str,
    system: str,
    nouns: str,
    going_on: str,
    numbers: Numbers,
    matches: Numbers,
    gold_cuts: Numbers,
    system_cuts: Numbers,
    remedies: Mapping[str, str],
) -> Iterator[str]:
    """A file whose spans cut words, or match only if all are moved by one."""
    least = min(numbers.values())
    if least < _LEAST:
        return
    matched, best = matches.get(_PLAIN, 0), max(_CHANGES, key=lambda change: matches.get(change, 0))
    moved = matches.get(best, 0)
    sides = [(system, numbers["system"], system_cuts), (gold, numbers["gold"], gold_cuts)]
    cutting = [2 * cuts.get(_PLAIN, 0) > number for _, number, cuts in sides]
    fact = ""
    for (path, number, cuts), cuts_words, other in zip(sides, cutting, cutting[::-1], strict=True):
        change = min(_CHANGES, key=lambda change: cuts.get(change, 0))
        lead = f"{path}: {cuts.get(_PLAIN, 0):,} of {number:,} {nouns} begin or end inside a word"
        mended = 2 * cuts.get(change, 0) <= cuts.get(_PLAIN, 0)
        if cuts_words and mended and not other and matched <= _RARE * least:
            fact, best = f"{lead}, but {cuts[change]:,} if you {change}.", change
            break
        if cuts_words and (mended or not other):
            yield f"{lead}. If this is not intended, check its offsets: {_COUNTED}"
    # Places of words, or of characters where words show nothing, are compared with gold's alone.
    words_agree = (gold_cuts or system_cuts) and not any(cutting)
    if not (fact or words_agree) and moved >= max(_LEAST, _ENOUGH * least) and matched <= _RARE * moved:
        fact = f"{system}: {matched:,} of {numbers['system']:,} {nouns} have the same place as in {gold}, "
        fact += f"but {moved:,} if you {best}."
    if fact and (going_on or least < FEW):
        yield fact
    elif fact:
        remedy = remedies.get(best, "Do so in the file")
        raise AlignmentError(f"{fact} {remedy}, or score it unchanged: --on-mismatch warn")
