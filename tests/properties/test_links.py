"""Properties of links: what holds of any mentions with any identifiers."""

from __future__ import annotations

import math
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.counts import as_sums
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare
from assay.tasks.links.measures import FAIR
from linklists import Mention, corpus_of

Documents = list[list[Mention]]
WORDS = 8
NAMES = st.sampled_from(["Q1", "Q2", "Q3", "NIL", "NIL7"])
SETTINGS = [
    f"links(match={match}, nil={nil}, types={types}, at={at})"
    for match in ("strict", "overlap")
    for nil in ("kept", "drop", "only")
    for types in ("any", "same")
    for at in (1, 3)
]
PLAIN = [spec for spec in SETTINGS if "at=1" in spec]


@st.composite
def mentions(draw: Any, names: int) -> Mention:
    begin = draw(st.integers(0, WORDS - 1))
    end = draw(st.integers(begin + 1, min(begin + 3, WORDS)))
    return [begin, end, draw(st.sampled_from(["PER", "LOC"])), draw(st.lists(NAMES, max_size=names))]


def documents(names: int) -> Any:
    """Two documents with some mentions, of at most so many identifiers each."""
    return st.lists(st.lists(mentions(names), max_size=5), min_size=2, max_size=2)


def counted(gold: Documents, system: Documents, *specs: str) -> list[tuple[dict[str, int], float]]:
    """The counts and the main score under each measure."""
    measures = [find(spec) for spec in specs]
    corpora = corpus_of(gold, "gold", WORDS), corpus_of(system, "system", WORDS)
    pair = prepare(corpora[0], {"system": corpora[1]}, measures, Options(task="links")).pairs[0][1]
    found = []
    for measure in measures:
        counts = measure.counts_of(measure.judge(pair), pair.gold.sentences)
        totals = counts.total()
        value = float(measure.scores[measure.main](as_sums(totals, counts.fields)))
        found.append((dict(zip(counts.fields, totals.tolist(), strict=True)), value))
    return found


@given(documents(1), documents(1))
def test_gold_and_system_can_change_places(gold: Documents, system: Documents) -> None:
    for (there, f1), (back, same) in zip(counted(gold, system, *PLAIN), counted(system, gold, *PLAIN), strict=True):
        assert (there["tp"], there["fp"], there["fn"]) == (back["tp"], back["fn"], back["fp"])
        assert math.isclose(f1, same) or (math.isnan(f1) and math.isnan(same))
    ((there, _), (back, _)) = (counted(*pair, "fair-links")[0] for pair in ((gold, system), (system, gold)))
    mirrored = {"nil-wrong": "nil-linked", "nil-linked": "nil-wrong", "missed": "spurious", "spurious": "missed"}
    assert {kind: there[kind] for kind in FAIR} == {kind: back[mirrored.get(kind, kind)] for kind in FAIR}


@given(documents(3), documents(3), st.randoms(use_true_random=False))
def test_the_order_of_mentions_and_of_duplicates_changes_nothing(
    gold: Documents, system: Documents, rng: random.Random
) -> None:
    mixed = [rng.sample([*own, *own[:1]], len(own) + bool(own)) for own in system]
    specs = [*SETTINGS, "fair-links", "link-accuracy", "link-mentions", "document-entities"]
    for one, other in zip(counted(gold, system, *specs), counted(gold, mixed, *specs), strict=True):
        assert one[0] == other[0]


@given(documents(1))
def test_gold_against_itself_has_no_errors(gold: Documents) -> None:
    for counts, value in counted(gold, gold, *PLAIN):
        assert counts["fp"] == counts["fn"] == 0
        assert counts["tp"] == counts["gold"]
        assert math.isnan(value) if not counts["gold"] else value == 1.0
    ((counts, _),) = counted(gold, gold, "fair-links")
    assert counts["tp"] == counts["gold"] == counts["system"]


@given(documents(3), documents(3))
def test_a_wider_setting_has_at_least_as_many_pairs(gold: Documents, system: Documents) -> None:
    right = {spec: counts["tp"] for spec, (counts, _) in zip(SETTINGS, counted(gold, system, *SETTINGS), strict=True)}
    for spec, number in right.items():
        for narrow, wide in (("match=strict", "match=overlap"), ("types=same", "types=any"), ("at=1", "at=3")):
            assert number <= right[spec.replace(narrow, wide)], (spec, wide)
    strict = counted(gold, system, "links", "fair-links", "link-mentions(linked=true)")
    assert strict[0][0]["tp"] == strict[1][0]["tp"] <= strict[2][0]["tp"]


@given(documents(2), documents(2))
def test_counts_of_documents_add_up_and_kinds_to_gold_and_system(gold: Documents, system: Documents) -> None:
    specs = [*SETTINGS, "fair-links", "document-entities"]
    whole = [counts for counts, _ in counted(gold, system, *specs)]
    # A document by itself stands beside an empty one.
    parts = [
        [counts for counts, _ in counted([own, []], [theirs, []], *specs)]
        for own, theirs in zip(gold, system, strict=True)
    ]
    for number, counts in enumerate(whole):
        assert counts == {field: sum(part[number][field] for part in parts) for field in counts}
    fair = whole[len(SETTINGS)]
    paired = sum(fair[kind] for kind in FAIR[:-2])
    assert (paired + fair["missed"], paired + fair["spurious"]) == (fair["gold"], fair["system"])
