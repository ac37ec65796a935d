"""Spans of tags, valid or not, as conlleval finds and counts them: its rule for chunks, written out."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import assay

TAGS = ("O", "B-A", "I-A", "B-B", "I-B", "B-A-B", "I-A-B")


def chunk_ends(before, tag):
    """Whether a chunk ends between two tags, as conlleval says."""
    (mark_before, label_before), (mark, label) = parts(before), parts(tag)
    if (mark_before, mark) in {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")}:
        return True
    return mark_before != "O" and label_before != label


def chunk_begins(before, tag):
    """Whether a chunk begins with this tag, as conlleval says."""
    (mark_before, label_before), (mark, label) = parts(before), parts(tag)
    if (mark_before, mark) in {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I")}:
        return True
    return mark != "O" and label_before != label


def parts(tag):
    mark, _, label = tag.partition("-")
    return mark, label


def conlleval(gold, system):
    """Per label: correct, gold's and the system's chunks; found in one pass over both columns, as conlleval does."""
    correct, of_gold, of_system = Counter(), Counter(), Counter()
    for ours, theirs in zip(gold, system, strict=True):
        in_correct, before = False, ("O", "O")
        for tags in [*zip(ours, theirs, strict=True), ("O", "O")]:
            ends = [chunk_ends(old, new) for old, new in zip(before, tags, strict=True)]
            begins = [chunk_begins(old, new) for old, new in zip(before, tags, strict=True)]
            if in_correct and any(ends):
                if all(ends) and parts(before[0])[1] == parts(before[1])[1]:
                    correct[parts(before[0])[1]] += 1
                in_correct = False
            if in_correct and parts(tags[0])[1] != parts(tags[1])[1]:
                in_correct = False
            if all(begins) and parts(tags[0])[1] == parts(tags[1])[1]:
                in_correct = True
            for counter, begun, tag in zip((of_gold, of_system), begins, tags, strict=True):
                if begun:
                    counter[parts(tag)[1]] += 1
            before = tags
    return {label: (correct[label], of_gold[label], of_system[label]) for label in of_gold | of_system}


def sequences(rng, stay):
    """Tags of any kind in any order; system tags are gold's more often than not."""
    gold = [[rng.choice(TAGS) for _ in range(rng.randint(1, 9))] for _ in range(800)]
    system = [[tag if rng.random() < stay else rng.choice(TAGS) for tag in sentence] for sentence in gold]
    return gold, system


@pytest.mark.parametrize("scheme", ["iob2", "iob1"])
@pytest.mark.parametrize("stay", [0.0, 0.7, 0.95])
def test_tags_in_any_order_give_the_counts_of_conlleval(scheme, stay):
    gold, system = sequences(random.Random(int(100 * stay)), stay)
    result = assay.score(gold, {"s": system}, "exact", scheme=(scheme,), repair="conlleval", times=1)
    found = {
        row.label: (row.counts["tp"], row.counts["gold"], row.counts["system"])
        for row in result.counts
        if row.label is not None
    }
    assert found == conlleval(gold, system)
    broken = [text for text in result.warnings if "break" in text]
    assert [text.partition(":")[0] for text in broken] == ["gold", "s"]


def test_other_letters_are_read_by_the_same_rule():
    """Where a tag ends a span by itself (E, S), the next begins one."""
    gold = [["B-A", "E-A", "I-A", "S-A", "E-A"]]
    for tags in (gold, [["B-A", "L-A", "I-A", "U-A", "L-A"]]):
        scheme = "bioes" if tags is gold else "bilou"
        result = assay.score(tags, {"s": [["O"] * 5]}, "exact", scheme=(scheme,), repair="conlleval", times=1)
        assert result.about.items == 4
