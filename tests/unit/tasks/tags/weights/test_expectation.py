"""Expectation maximisation over parses: fixed points worked by hand, and what holds of any parses."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.tasks.tags.weights.rules import from_uses, parse_weights


def test_an_ambiguous_sentence_follows_the_others() -> None:
    """Two sentences say A, one says B, one either: w = p(A) = (2 + w)/4, so w = 2/3."""
    weights, _, converged = parse_weights([[{"A": 1}], [{"A": 1}], [{"B": 1}], [{"A": 1}, {"B": 1}]])
    assert converged
    assert weights[3] == pytest.approx([2 / 3, 1 / 3], abs=1e-9)
    assert weights[0] == [1.0]


def test_a_rule_used_twice_counts_twice() -> None:
    """With p the probability of A: w = p²/(p² + 1 − p), and p = (1 + 2w)/(2 + 2w + 1 − w) of A's and B's uses."""
    weights, *_ = parse_weights([[{"A": 1}], [{"B": 1}], [{"A": 2}, {"B": 1}]])
    w = weights[2][0]
    p = (1 + 2 * w) / (3 + w)
    assert w == pytest.approx(p**2 / (p**2 + 1 - p), abs=1e-9)


def test_rules_with_the_same_left_side_share_one_probability() -> None:
    """NP -> N and NP -> A N compete with each other; S -> NP VP has no rival, so it changes nothing."""
    plain, rich = {"S -> NP VP": 1, "NP -> N": 1}, {"S -> NP VP": 1, "NP → A N": 1}
    weights, *_ = parse_weights([[plain], [plain], [rich], [plain, rich]])
    assert weights[3] == pytest.approx([2 / 3, 1 / 3], abs=1e-9)


def test_it_says_when_it_stopped_early() -> None:
    _, *end = parse_weights([[{"A": 1}], [{"B": 1}], [{"A": 1}], [{"A": 1}, {"B": 1}]], most_rounds=2)
    assert end == [2, False]


PARSES = st.lists(
    st.lists(st.dictionaries(st.sampled_from(["A", "B", "X -> C", "X -> D"]), st.integers(1, 3)), max_size=3),
    min_size=1,
    max_size=5,
)


def likelihood(sentences: list[list[dict[str, int]]], weights: list[list[float]]) -> float:
    """Of the sentences, under the probabilities that these weights give rules; the model written out again."""
    counts: dict[str, float] = {}
    for parses, shares in zip(sentences, weights, strict=True):
        for parse, share in zip(parses, shares, strict=True):
            for rule, number in parse.items():
                counts[rule] = counts.get(rule, 0.0) + share * number
    side = {rule: rule.partition("->")[0] if "->" in rule else "" for rule in counts}
    total = {name: sum(counts[rule] for rule in counts if side[rule] == name) for name in side.values()}
    p = {rule: count / total[side[rule]] for rule, count in counts.items()}
    of_parse = [
        [math.prod(p[rule] ** number for rule, number in parse.items()) for parse in parses] for parses in sentences
    ]
    return math.fsum(math.log(sum(values)) for values in of_parse if values)


@given(PARSES, st.randoms(use_true_random=False))
def test_weights_sum_to_one_likelihood_never_falls_and_order_changes_nothing(sentences, rng) -> None:
    rounds = [parse_weights(sentences, most_rounds=number)[0] for number in (1, 2, 5, 50)]
    for found in rounds:
        assert all(math.isclose(sum(shares), 1) for shares in found if shares)
    reached = [likelihood(sentences, found) for found in rounds]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(reached))
    order = list(range(len(sentences)))
    rng.shuffle(order)
    turned, *_ = parse_weights([sentences[index] for index in order], most_rounds=50)
    assert [turned[order.index(index)] for index in range(len(order))] == rounds[-1]


# --- as weights of categories ---


def parse(*rules: str) -> dict[str, object]:
    refers = {"A": ["pos", "case"], "B": ["number"]}
    return {"rules": [{"rule": rule, "terminals": [{"word": 1, "refers": refers[rule]}]} for rule in rules]}


def written(tmp_path, *sentences: list[dict[str, object]]) -> str:
    path = tmp_path / "parses.jsonl"
    path.write_text("".join(json.dumps({"parses": parses}) + "\n" for parses in sentences), "utf-8")
    return str(path)


def test_categories_weigh_by_the_likelihood_of_parses(tmp_path) -> None:
    """Two sentences say A, one B, one either, of which A has 2/3: case 2 + 2/3, number 1 + 1/3."""
    path = written(tmp_path, [parse("A")], [parse("A")], [parse("B")], [parse("A"), parse("B")])
    made = from_uses(path, em=True)
    assert float(made.weights.of("", "case")) == pytest.approx(8 / 3, abs=1e-8)
    assert float(made.weights.of("", "number")) == pytest.approx(4 / 3, abs=1e-8)
    assert made.weights.provenance.unit == "rules, parses by expectation maximisation"
    assert made.weights.provenance.counts["rounds"] > 1
    assert made.warnings == ()
    assert float(from_uses(path).weights.of("", "case")) == 2.5


def refused(tmp_path, parses: list[dict[str, object]], **options: bool) -> str:
    with pytest.raises(AssayError) as caught:
        from_uses(written(tmp_path, parses), **options)
    return str(caught.value)


def test_what_leaves_nothing_to_find_out_is_refused(tmp_path) -> None:
    both = "--all-parses counts each parse fully, --em by its probability. Choose one."
    assert refused(tmp_path, [parse("A")], em=True, all_parses=True) == both
    assert refused(tmp_path, [{**parse("A"), "prob": 1}], em=True).endswith(
        "parses.jsonl:1: a parse has a `prob`, so there is nothing to estimate. Leave --em out."
    )
    nameless = {"rules": [{"terminals": [{"word": 1, "refers": ["pos"]}]}]}
    assert refused(tmp_path, [nameless], em=True).endswith(
        "parses.jsonl:1: rule 1 has no name (`rule`), by which --em knows it again."
    )
