"""Which system is better under unknown weights of errors: the cases of the specification, and entities of GUM."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.weighting import credit_counts, make_planes, share_ahead, weigh_credits
from cases import each

DATA = Path(__file__).parent.parent / "data" / "beyond" / "weights.jsonl"
CASES = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def counted(rows: np.ndarray) -> np.ndarray:
    """The counts of hits and errors as `fair` has them, boundary errors of one kind."""
    tp, fp, fn, le, be, lbe = np.moveaxis(rows.astype(np.float64), -1, 0)
    none = 0 * be
    return credit_counts({"tp": tp, "fp": fp, "fn": fn, "le": le, "bes": be, "bel": none, "beo": none, "lbe": lbe})


@each("case", CASES, ids=lambda case: case["id"])
def test_planes_corners_and_shares_of_all_resamples(case: dict[str, Any]) -> None:
    a, b, expected = np.array(case["a"]), np.array(case["b"]), case["expected"]
    units = len(a)
    every = np.array(list(product(range(units), repeat=units)))
    resampled = [counted(side[every].sum(axis=1)) for side in (a, b)]
    sums = [counted(side.sum(axis=0)) for side in (a, b)]
    fields = weigh_credits(*sums, [], units)
    assert list(fields["plane"]) == [int(number) for number in expected["coefficients"]]
    corners = {tuple(point): float(Fraction(value)) for point, value in expected["corners"]}
    for name, value in fields["corners"].items():
        point = tuple(int(kind in name.split("+")) for kind in ("le", "be", "lbe"))
        assert value == pytest.approx(corners[point], abs=1e-12), name
        # The sign at a point is the sign of the plane.
        assert np.sign(round(value, 12)) == np.sign(np.dot(fields["plane"], (1, *point)))
    even = expected["even_at"]
    assert fields["even_at"] == (None if even is None else pytest.approx(float(Fraction(even))))
    always = [side for side, sign in (("a", -1), ("b", 1)) if all(sign * value > 0 for value in corners.values())]
    assert always == list(expected["always"])
    planes = make_planes(*resampled)
    points = np.array([(4, *(4 * Fraction(credit) for credit in point)) for point, _, _ in expected["points"]], float)
    shares = [float(Fraction(share)) for *_, share in expected["points"]]
    assert share_ahead(planes, points).tolist() == pytest.approx(shares, abs=1e-12)
    # The part on resamples needs 20 units; the number of resamples is not that of units.
    found = weigh_credits(*sums, resampled, 20)
    for side, share in expected["everywhere"].items():
        assert found[f"everywhere_{side}"] == float(Fraction(share))
    assert found["surely_a"] + found["undecided"] + found["surely_b"] == pytest.approx(1)
    if case["id"] == "weights-equal-counts":
        assert (found["undecided"], found["clearly"]) == (1, ()) and "even_low" not in found


def test_from_200_units_on_shares_decide_and_below_t() -> None:
    rng = np.random.default_rng(1)
    rows = rng.poisson(5, (4000, 6)) * np.array([20, 3, 3, 1, 1, 1])
    a, b = counted(rows), counted(rows + np.array([1, 0, 0, 0, 0, 0]))
    few, many = (weigh_credits(a.mean(axis=0), b.mean(axis=0), [a, b], units) for units in (25, 200))
    assert many["surely_b"] == many["everywhere_b"] == 1
    assert few["panels"] == many["panels"] == ("b" * 121,) * 3
    assert few["clearly"] == ("b",)


@pytest.fixture(scope="module")
def entities(request: pytest.FixtureRequest) -> Any:
    folder = request.getfixturevalue("shared_data")("spans-entities-gum")
    names = {
        "inner": "perceptron-innermost-words-only",
        "outer": "crfsuite-outermost-only",
        "rules": "rule-gold-syntax-majority-type",
        "cascade": "crfsuite-layered-cascade",
    }
    systems = {name: folder / f"{file}.spans.tsv" for name, file in names.items()}
    return assay.compare(folder / "gold.spans.tsv", systems, ["fair"], unit="sentence", times=4000, power=None)


def test_parts_of_all_credits_in_entities_of_gum(entities: Any) -> None:
    pairs = {(row.a, row.b): row for row in entities.sweeps}
    for pair, shares, even in (
        (("inner", "outer"), (0.17, 0.197, 0.633), 0.075),
        (("rules", "cascade"), (0.771, 0.16, 0.069), 0.716),
    ):
        row = pairs[pair]
        assert (row.surely_a, row.undecided, row.surely_b) == pytest.approx(shares, abs=0.015)
        assert row.even_at == pytest.approx(even, abs=0.001)
        assert row.even_low < row.even_at < row.even_high
        assert row.always == "" and row.clearly == ("a", "b")
    corners = pairs["inner", "outer"].corners.values()
    assert (min(corners), max(corners)) == pytest.approx((-0.0331, 0.0812), abs=0.0001)
    assert pairs["inner", "outer"].corners["none"] == pytest.approx(pairs["inner", "outer"].named["fair"])
    sure = pairs["outer", "cascade"]
    assert (sure.surely_b, sure.everywhere_b, sure.clearly) == (1, 1, ("b",))


def test_both_orders_of_a_pair_give_the_same_map(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("spans-entities-gum")
    systems = {name: folder / f"{name}.spans.tsv" for name in ("spacy-ner-outermost", "crfsuite-outermost-only")}
    gold = folder / "gold.spans.tsv"
    orders = (dict(systems), dict(reversed(systems.items())))
    both = [assay.compare(gold, some, ["fair"], unit="sentence", times=200, power=None).sweeps[0] for some in orders]
    turned = str.maketrans("ab", "ba")
    assert [panel.translate(turned) for panel in both[0].panels] == list(both[1].panels)
    assert both[0].surely_a == both[1].surely_b
