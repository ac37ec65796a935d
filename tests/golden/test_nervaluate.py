"""The SemEval 2013 scores against nervaluate, on random spans that do not overlap each other within a side."""

from __future__ import annotations

import random
import warnings

import pytest

import assay

nervaluate = pytest.importorskip("nervaluate")

LABELS = ("A", "B", "C")
THEIRS = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
"""Our names of the scores and theirs."""


def flat(rng, words=14):
    """Spans one after the other, with and without words between them."""
    found, place = [], 0
    while place < words:
        length = rng.randint(1, 4) if rng.random() < 0.5 else 0
        if length and place + length <= words:
            found.append((rng.choice(LABELS), place, place + length - 1))
        place += length or 1
    return found


def changed(rng, spans):
    """What a system may make of them: other labels and boundaries, some left out."""
    found, free = [], 0
    for label, first, last in spans:
        if rng.random() < 0.15:
            continue
        begin = max(free, first + rng.choice((0, 0, 0, -1, 1)))
        end = max(begin, last + rng.choice((0, 0, 0, -1, 1)))
        found.append((rng.choice(LABELS) if rng.random() < 0.2 else label, begin, end))
        free = end + 1
    return found


def overlaps(one, other):
    return one[1] <= other[2] and other[1] <= one[2]


def no_choice(gold, system):
    """Whether each span overlaps at most one span of the other side, so that there is one way to pair them."""
    return all(
        sum(overlaps(span, other) for other in there) <= 1
        for here, there in ((gold, system), (system, gold))
        for span in here
    )


def theirs(gold, system):
    sides = [
        [[{"label": label, "start": first, "end": last} for label, first, last in sentence] for sentence in side]
        for side in (gold, system)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nervaluate.Evaluator(*sides, tags=list(LABELS), loader="dict").evaluate()["overall"]


def ours(gold, system):
    """The Result and, for each score, what nervaluate counts: correct, incorrect, partial, missed, spurious."""
    result = assay.score(gold, {"s": system}, "semeval", times=1)
    (found,) = [row.counts for row in result.counts if row.label is None]
    same, span, label, overlap = (found[name] for name in ("same", "same-span", "same-label", "overlap"))
    rest = (found["missed"], found["spurious"])
    counts = {
        "strict": (same, span + label + overlap, 0, *rest),
        "exact": (same + span, label + overlap, 0, *rest),
        "partial": (same + span, 0, label + overlap, *rest),
        "type": (same + label, span + overlap, 0, *rest),
    }
    return result, counts


def numbers(row):
    return row.correct, row.incorrect, row.partial, row.missed, row.spurious


@pytest.fixture(scope="module")
def corpus():
    rng = random.Random(7)
    gold = [flat(rng) for _ in range(1500)]
    return gold, [changed(rng, spans) if rng.random() < 0.7 else flat(rng) for spans in gold]


def test_where_there_is_one_way_to_pair_spans_all_counts_and_scores_are_theirs(corpus):
    chosen = [pair for pair in zip(*corpus, strict=True) if no_choice(*pair)]
    assert len(chosen) > 500
    gold, system = (list(side) for side in zip(*chosen, strict=True))
    result, counts = ours(gold, system)
    expected = theirs(gold, system)
    for name, their_name in THEIRS.items():
        row = expected[their_name]
        assert counts[name] == numbers(row)
        values = [result.score("s", "semeval", f"{name}-{part}").value for part in ("precision", "recall", "f1")]
        assert values == pytest.approx([row.precision, row.recall, row.f1], rel=1e-12)


def test_what_is_right_by_boundaries_is_the_same_on_all_flat_spans(corpus):
    """A span with the boundaries of another overlaps no third one, so these pairs are never in question."""
    result, counts = ours(*corpus)
    expected = theirs(*corpus)
    for name in ("strict", "exact"):
        row = expected[name]
        assert counts[name][0] == row.correct
        values = [result.score("s", "semeval", f"{name}-{part}").value for part in ("precision", "recall", "f1")]
        assert values == pytest.approx([row.precision, row.recall, row.f1], rel=1e-12)


def test_where_spans_can_be_paired_in_several_ways_pairs_of_one_label_come_first_here(corpus):
    """So more spans have the right type than with nervaluate, which takes them as they come; fewer are paired."""
    _, counts = ours(*corpus)
    expected = theirs(*corpus)
    assert counts["type"][0] > expected["ent_type"].correct
    assert counts["partial"][2] < expected["partial"].partial


def test_pairs_of_one_label_come_before_more_pairs():
    """The smallest case of the difference: two pairs of other labels, or one of the same."""
    gold, system = [[("A", 1, 4), ("B", 5, 8)]], [[("B", 0, 1), ("A", 4, 7)]]
    _, counts = ours(gold, system)
    assert counts["partial"] == (0, 0, 1, 1, 1)
    assert numbers(theirs(gold, system)["partial"]) == (0, 0, 2, 0, 0)
    assert (counts["type"][0], theirs(gold, system)["ent_type"].correct) == (1, 0)


@pytest.mark.parametrize(("order", "found"), [((5, 2), 0), ((2, 5), 1)])
def test_nested_spans_do_not_depend_on_their_order_here(order, found):
    """nervaluate 1.2.1 finds the right one only where it comes first."""
    gold, system = [[("A", 0, 2)]], [[("A", 0, last) for last in order]]
    _, counts = ours(gold, system)
    assert counts["strict"] == (1, 0, 0, 0, 1)
    assert theirs(gold, system)["strict"].correct == found
