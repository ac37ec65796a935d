"""Properties of relations: what holds of any relations between any spans."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from assay.corpus import Corpus
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare
from relationlists import corpus_of

Side = dict[str, Any]
"""Spans [id, type, stretches] and relations [label, head, tail]."""
TYPES, LABELS = ("A", "B"), ("r", "s", "sym")
SETTINGS = (
    *("match=strict", "match=boundary", "match=overlap", "match=overlap, types=same", "match=first", "match=last"),
    *("match=last, types=same", "label=any", "direction=any", "match=overlap, label=any"),
    *("match=overlap, direction=any", "match=boundary, direction=any, label=any"),
)
MEASURES = [f"relations({setting}, symmetric=sym)" for setting in SETTINGS]
FAIR = [f"fair-relations({setting}symmetric=sym)" for setting in ("", "label=any, ", "direction=any, ")]
PAIRED = ("tp", "le", "de", "te", "be", "me")
Counts = dict[str, dict[str, int]]


@st.composite
def sides(draw: Any, length: int) -> Side:
    """The annotation of a sentence of so many words."""
    spans = []
    for number in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, length - 1))
        end = draw(st.integers(begin + 1, length))
        stretches = [[begin, end]]
        if end - begin > 2 and draw(st.booleans()):
            gap = draw(st.integers(begin + 1, end - 2))
            stretches = [[begin, gap], [gap + 1, end]]
        spans.append([f"s{number}", draw(st.sampled_from(TYPES)), stretches])
    relations = []
    if spans:
        name = st.sampled_from([span[0] for span in spans])
        relations = draw(st.lists(st.tuples(st.sampled_from(LABELS), name, name), max_size=6))
    return {"spans": spans, "relations": [list(row) for row in relations]}


@st.composite
def pairs(draw: Any) -> tuple[list[int], list[Side], list[Side]]:
    """Lengths of sentences, and the annotation of gold and of a system."""
    lengths = draw(st.lists(st.integers(2, 7), min_size=1, max_size=2))
    return lengths, [draw(sides(size)) for size in lengths], [draw(sides(size)) for size in lengths]


def counted(gold: Corpus, system: Corpus, measures: list[str]) -> Counts:
    run = prepare(gold, {"s": system}, [find(spec) for spec in measures], Options(task="relations"))
    pair, found = run.pairs[0][1], {}
    for spec, measure in zip(measures, run.measures, strict=True):
        counts = measure.counts_of(measure.judge(pair), gold.sentences)
        sums = dict(zip(counts.fields, counts.matrix().sum(axis=0).tolist(), strict=True))
        found[spec] = {**dict.fromkeys((*PAIRED, "fn", "fp", "gold", "system"), 0), **sums}
    return found


@given(pairs())
def test_counts_of_all_settings_hang_together(pair: tuple[list[int], list[Side], list[Side]]) -> None:
    lengths, ours, theirs = pair
    gold, system = corpus_of(ours, lengths, "g"), corpus_of(theirs, lengths, "s")
    there, back = counted(gold, system, [*MEASURES, *FAIR]), counted(system, gold, [*MEASURES, *FAIR])
    first = there[MEASURES[0]]
    for spec, counts in there.items():
        # Totals do not depend on the setting, and it is the same who is gold.
        assert (counts["gold"], counts["system"]) == (first["gold"], first["system"]), spec
        paired = sum(counts[kind] for kind in PAIRED)
        assert paired + counts["fn"] == counts["gold"] and paired + counts["fp"] == counts["system"], spec
        turned = back[spec]
        assert (turned["fn"], turned["fp"]) == (counts["fp"], counts["fn"]), spec
        assert [turned[kind] for kind in PAIRED] == [counts[kind] for kind in PAIRED], spec
    right = {setting: there[spec]["tp"] for setting, spec in zip(SETTINGS, MEASURES, strict=True)}
    assert right["match=strict"] <= right["match=boundary"] <= right["match=overlap"]
    assert right["match=strict"] <= right["match=overlap, types=same"] <= right["match=overlap"]
    assert right["match=strict"] <= min(right["label=any"], right["direction=any"])
    assert there[FAIR[0]]["tp"] == right["match=strict"]
    assert there[FAIR[1]]["tp"] == right["label=any"] and there[FAIR[2]]["tp"] == right["direction=any"]
    assert there[FAIR[1]]["le"] == there[FAIR[2]]["de"] == 0


@given(pairs(), st.randoms(use_true_random=False))
def test_neither_order_nor_names_nor_repetitions_matter(
    pair: tuple[list[int], list[Side], list[Side]], mixed: random.Random
) -> None:
    lengths, ours, theirs = pair

    def other(side: Side) -> Side:
        """The same under other names, in another order, some of it twice."""
        names = {span[0]: f"x{number}" for number, span in enumerate(reversed(side["spans"]))}
        spans = [[names[key], kind, stretches] for key, kind, stretches in side["spans"]]
        again = [[f"again {key}", kind, stretches] for key, kind, stretches in spans]
        relations = []
        for label, head, tail in side["relations"]:
            relations.append([label, names[head], f"again {names[tail]}"])
            if mixed.random() < 0.5:
                ends = [names[head], names[tail]]
                relations.append([label, *(reversed(ends) if label == "sym" else ends)])
        spans += again
        mixed.shuffle(spans)
        mixed.shuffle(relations)
        return {"spans": spans, "relations": relations}

    measures = [*MEASURES[:6], "relations(given=spans, symmetric=sym)", *FAIR]
    plain = counted(corpus_of(ours, lengths, "g"), corpus_of(theirs, lengths, "s"), measures)
    gold, system = (
        corpus_of([other(side) for side in both], lengths, name) for both, name in ((ours, "g"), (theirs, "s"))
    )
    assert counted(gold, system, measures) == plain


@given(pairs())
def test_gold_against_itself_has_no_error(pair: tuple[list[int], list[Side], list[Side]]) -> None:
    lengths, ours, _ = pair
    gold, system = corpus_of(ours, lengths, "g"), corpus_of(ours, lengths, "s")
    for spec, counts in counted(gold, system, [*MEASURES, *FAIR]).items():
        assert counts["tp"] == counts["gold"] == counts["system"] and not counts["fn"] + counts["fp"], spec


def most_pairs(edges: dict[int, list[int]]) -> int:
    """The size of the largest one-to-one choice, by augmenting paths."""
    owner: dict[int, int] = {}

    def place(one: int, seen: set[int]) -> bool:
        for other in edges[one]:
            if other not in seen:
                seen.add(other)
                if other not in owner or place(owner[other], seen):
                    owner[other] = one
                    return True
        return False

    return sum(place(one, set()) for one in edges)


@given(pairs())
def test_overlap_makes_as_many_pairs_as_can_be(pair: tuple[list[int], list[Side], list[Side]]) -> None:
    """Counted again one by one: strict pairs, pairs with the same places, then the largest matching of the rest."""
    lengths, ours, theirs = pair
    measures = ["relations(match=overlap, symmetric=sym)", "fair-relations(symmetric=sym)"]
    gold, system = corpus_of(ours, lengths, "g"), corpus_of(theirs, lengths, "s")
    found = counted(gold, system, measures)
    with patch("assay.tasks.relations.matching._ENOUGH", 0):
        # As where spans are nested deeply.
        assert counted(gold, system, measures) == found
    total = 0
    for both in zip(ours, theirs, strict=True):
        rows = []
        for side in both:
            spans = {
                key: (frozenset(atom for begin, end in parts for atom in range(begin, end)), kind)
                for key, kind, parts in side["spans"]
            }
            own = set()
            for label, head, tail in side["relations"]:
                ends = [spans[head], spans[tail]]
                if label == "sym":
                    ends.sort(key=lambda end: (sorted(end[0]), end[1]))
                own.add((label, *ends))
            rows.append(sorted(own, key=repr))

        def places(row: Any) -> Any:
            ends = [row[1][0], row[2][0]]
            return row[0], *(sorted(ends, key=sorted) if row[0] == "sym" else ends)

        def meet(one: Any, other: Any) -> bool:
            straight = bool(one[1][0] & other[1][0]) and bool(one[2][0] & other[2][0])
            crossed = bool(one[1][0] & other[2][0]) and bool(one[2][0] & other[1][0])
            return bool(one[0] == other[0]) and (straight or (one[0] == "sym" and crossed))

        left, right = list(rows[0]), list(rows[1])
        for key in (lambda row: row, places):
            for row in list(left):
                same = next((other for other in right if key(other) == key(row)), None)
                if same is not None:
                    left.remove(row)
                    right.remove(same)
                    total += 1
        total += most_pairs(
            {a: [b for b, other in enumerate(right) if meet(one, other)] for a, one in enumerate(left)}
        )
    assert found[measures[0]]["tp"] == total


@given(pairs())
def test_given_spans_the_same_relations_are_right(pair: tuple[list[int], list[Side], list[Side]]) -> None:
    lengths, ours, theirs = pair
    gold, system = corpus_of(ours, lengths, "g"), corpus_of(theirs, lengths, "s")
    both = counted(gold, system, ["relations(given=spans)", "relations"])
    inner, strict = both["relations(given=spans)"], both["relations"]
    assert inner["tp"] == strict["tp"] and inner.get("all", 0) == strict["gold"]
    assert inner["gold"] == inner["tp"] + inner["fn"] <= strict["gold"] and inner["system"] <= strict["system"]
