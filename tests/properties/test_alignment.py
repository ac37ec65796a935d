"""The alignment by characters against a slow, literal reading of its rule, on texts with multiword tokens."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import accumulate
from random import Random

from assay.align import align
from assay.corpus import Multiword, from_lists
from multiwords import two_cuts


def placed(sentences):
    """Each word in lower case with the characters that it covers, and whether it is in a multiword token."""
    words, place = [], 0
    for surface, inner in (token for sentence in sentences for token in sentence):
        words += [(place, place + len(surface), word.lower(), len(inner) > 1) for word in inner]
        place += len(surface)
    return words


def literal(gold, system):
    """The pairs of words that correspond: places in gold and in the system."""
    sides = placed(gold), placed(system)
    multiword = {(begin, end) for side in sides for begin, end, _, multi in side if multi}
    pairs, regions = set(), set()
    for region in multiword:
        # The smallest stretch around a multiword token that no other one sticks out of.
        widest = region
        while True:
            begin, end = widest
            touching = [(b, e) for b, e in multiword if b < end and begin < e]
            if (wider := (min(b for b, _ in touching), max(e for _, e in touching))) == widest:
                break
            widest = wider
        regions.add(widest)
    for begin, end in regions:
        ours, theirs = (
            [(place, form) for place, (b, e, form, _) in enumerate(side) if begin <= b and e <= end] for side in sides
        )
        pairs |= common(ours, theirs)
    apart = [
        {
            (begin, end): place
            for place, (begin, end, _, _) in enumerate(side)
            if not any(begin < e and b < end for b, e in regions)
        }
        for side in sides
    ]
    return pairs | {(apart[0][span], apart[1][span]) for span in apart[0].keys() & apart[1].keys()}


def common(ours, theirs):
    """A longest common subsequence: equal forms go together at once, else gold goes on if that loses nothing."""

    @cache
    def longest(i, j):
        if i == len(ours) or j == len(theirs):
            return 0
        same = longest(i + 1, j + 1) + 1 if ours[i][1] == theirs[j][1] else 0
        return max(same, longest(i + 1, j), longest(i, j + 1))

    pairs, i, j = set(), 0, 0
    while i < len(ours) and j < len(theirs):
        if ours[i][1] == theirs[j][1]:
            pairs.add((ours[i][0], theirs[j][0]))
            i, j = i + 1, j + 1
        elif longest(i + 1, j) == longest(i, j):
            i += 1
        else:
            j += 1
    return pairs


def corpus(sentences):
    """The sentences as a corpus, without a file."""
    tokens = [token for sentence in sentences for token in sentence]
    ends = list(accumulate(len(inner) for _, inner in tokens))
    multiwords = tuple(
        Multiword(end - len(inner), end, surface)
        for (surface, inner), end in zip(tokens, ends, strict=True)
        if len(inner) > 1
    )
    made = from_lists([[(word, "X") for _, inner in sentence for word in inner] for sentence in sentences])
    return replace(made, multiwords=multiwords)


def test_words_correspond_as_the_rule_says():
    rng = Random(0)
    for _ in range(1000):
        gold, system = two_cuts(rng)
        pair = align(corpus(gold), corpus(system))
        assert set(zip(pair.gold_words.tolist(), pair.system_words.tolist(), strict=True)) == literal(gold, system)
