"""Regression risk: the cases of the specification, its properties, and published outputs of parsers and taggers."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.items import Items
from assay.engine.options import Options
from assay.engine.risks import _pair_risks, count_overlaps, risks_over
from assay.stats.risk import design_effect, posterior, predict
from cases import each

DATA = Path(__file__).parent.parent / "data" / "beyond" / "risk.jsonl"
CASES = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def items_of(units: list[list[int]]) -> Items:
    """Items of two systems with these numbers in each unit: broken, right in a, wrong in b, items."""
    right_a, right_b, sentence = [], [], []
    for unit, (broken, right, wrong, number) in enumerate(units):
        corrected = number - wrong - (right - broken)
        right_a += [True] * right + [False] * (number - right)
        right_b += [False] * broken + [True] * (right - broken + corrected) + [False] * (number - right - corrected)
        sentence += [unit] * number
    right = np.array([right_a, right_b])
    number = np.arange(len(sentence))
    label = np.zeros(len(sentence), dtype=np.int64)
    there = np.ones(len(sentence), dtype=np.bool_)
    answer = np.where(right, 0, 1)
    columns = (label, answer, right, np.array(sentence), number, there, np.stack([there, there]))
    return Items(("N", "V"), *columns, ("a", "b"))


@each("case", [case for case in CASES if case["kind"] == "risk-one"], ids=lambda case: case["id"])
def test_the_rate_on_one_test_set(case: dict[str, Any]) -> None:
    units, expected = case["units"], case["expected"]
    items = items_of(units)
    overlaps = count_overlaps(items, np.arange(len(units)), [])
    row = next(_pair_risks(items.fold(), "accuracy", overlaps, Options(risk=str(case["x"])), labels=False))
    assert (row.a, row.b, row.broken, row.of) == ("a", "b", expected["broken"], expected["of"])
    assert row.design_effect == pytest.approx(float(Fraction(expected["design_effect"])), rel=1e-12)
    assert (row.p, row.low, row.high) == pytest.approx((expected["p"], expected["low"], expected["high"]), abs=2e-8)
    # Units that come again in other shards are kept by name.
    named = count_overlaps(items, np.arange(len(units)), [f"unit {unit}" for unit in range(len(units))])
    assert next(_pair_risks(items.fold(), "accuracy", named, Options(risk=str(case["x"])), labels=False)) == row


@each("case", [case for case in CASES if case["kind"] == "risk-many"], ids=lambda case: case["id"])
def test_the_rate_on_a_new_data_set(case: dict[str, Any]) -> None:
    broken, of = (np.array(case[name], dtype=np.float64) for name in ("broken", "of"))
    expected, tolerance = case["expected"], case["tolerance"]
    (new, wide), rates, above = predict(broken, of, case["x"], (case["scale"], 1.0))
    for found, row in ((new, expected), (wide, expected.get("scale_1"))):
        if row is not None:
            numbers = [row[name] for name in ("p", "median", "q95")]
            assert (found.p, found.median, found.high) == pytest.approx(numbers, abs=1e-4)
    assert rates == pytest.approx(expected["per_set"], abs=tolerance)
    # The expected probabilities count whole steps of their grid of .01, which is up to .0015 off.
    assert above == pytest.approx(expected["per_set_above"], abs=0.0015)
    assert wide.high >= new.high


def test_more_broken_items_are_more_risk_and_more_items_less() -> None:
    """At a fixed design effect; the second is true for limits above the rate."""
    rows = posterior(np.arange(12.0), np.full(12, 500.0), np.full(12, 2.0), 0.02)
    rising = [row[2] for row in rows]
    assert rising == sorted(rising)
    numbers = np.array([1.0, 2.0, 5.0, 20.0])
    falling = [row[2] for row in posterior(2 * numbers, 100 * numbers, np.full(4, 2.0), 0.05)]
    assert falling == sorted(falling, reverse=True)
    one, many = (predict(np.array([r, r, r]), np.array([200.0] * 3), 0.02)[0][0].p for r in (1.0, 6.0))
    assert one < many


def test_ratios_of_nothing_or_all_have_no_design_effect() -> None:
    products = np.ones((2, 2)) * 4.0
    nothing, every = np.array([0.0, 0.0]), np.array([0.0, 1.0])
    assert design_effect(products, nothing, every) == design_effect(products, every, every) == 1


def test_a_data_set_without_right_items_is_left_out_and_one_without_changes_counts() -> None:
    options = Options(risk="0.05")

    def risks(*units: list[int]) -> Any:
        items, places = items_of(list(units)), np.arange(len(units))
        return list(_pair_risks(items.fold(), "accuracy", count_overlaps(items, places, []), options, labels=False))

    sets = {"x": risks([1, 10, 2, 12], [0, 9, 1, 12]), "y": risks([0, 10, 2, 12]), "z": risks([0, 0, 3, 3])}
    first, back = risks_over(sets, "data set")
    assert [(part.name, part.broken, part.of) for part in first.parts] == [("x", 1, 19), ("y", 0, 10)]
    assert (first.broken, first.of, first.corrected_of) == (1, 29, 2 + 3 + 2 + 3)
    assert (back.a, back.b) == ("b", "a")


# --- published outputs ---


def by_genre(path: Path, folder: Path) -> None:
    """Write the sentences of a file into one file for each genre, which ids begin with."""
    genres: dict[str, list[str]] = {}
    for block in path.read_text("utf-8").strip().split("\n\n"):
        name = next(line for line in block.splitlines() if line.startswith("# sent_id")).partition("= ")[2]
        genres.setdefault(name.partition("-")[0], []).append(f"{block}\n\n")
    folder.mkdir()
    for genre, blocks in genres.items():
        (folder / f"{genre}.conllu").write_text("".join(blocks), "utf-8")


def test_a_parser_that_breaks_more_in_a_new_genre(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    source = shared_data("dep-english")
    names = {"hybrid": "perceptron-arc-hybrid", "eager": "perceptron-arc-eager", "gold": "gold"}
    for name, file in names.items():
        by_genre(source / f"{file}.conllu", tmp_path / name)
    systems = {name: str(tmp_path / name / "{data}.conllu") for name in ("hybrid", "eager")}
    results = assay.compare_sets(
        str(tmp_path / "gold" / "{data}.conllu"), systems, ["las"], unit="sentence", times=100, risk=0.05
    )
    row = next(row for row in results.overall.risks if (row.a, row.b) == ("hybrid", "eager"))
    assert (row.broken, row.of, row.corrected, row.corrected_of) == (716, 19541, 805, 5553)
    parts = {part.name: (part.broken, part.of, round(part.design_effect, 2)) for part in row.parts}
    assert parts == {
        "answers": (142, 4065, 3.07),
        "email": (163, 4806, 4.07),
        "newsgroup": (111, 2832, 3.14),
        "reviews": (120, 4379, 2.94),
        "weblog": (180, 3459, 2.42),
    }
    assert (row.new_median, row.new_high, row.new_p) == pytest.approx((0.0375, 0.0695, 0.1673), abs=0.002)
    assert (row.narrow_high, row.narrow_p) == pytest.approx((0.0639, 0.1464), abs=0.002)
    line = "On a data set like these, expect eager to break 3.75% of what hybrid has right; 6.95% or more with"
    assert any(text.startswith(line) for text in results.overall.chance)
    whole = assay.compare(
        source / "gold.conllu",
        {name: source / f"{names[name]}.conllu" for name in ("hybrid", "eager")},
        ["las"],
        unit="sentence",
        times=100,
    )
    assert whole.risks[0].high == pytest.approx(0.0416, abs=0.0001)
    assert whole.risks[0].p is None and whole.risks[0].labels == ()


def test_labels_that_a_tagger_breaks(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("pos-german")
    systems = {"crfsuite": folder / "crfsuite.conllu", "hanta": folder / "hanta-pretrained.conllu"}
    result = assay.compare(folder / "gold.conllu", systems, ["accuracy"], column="XPOS", times=100, risk="5%")
    row = result.risks[0]
    assert (row.a, row.b, row.broken, row.of) == ("crfsuite", "hanta", 326, 15219)
    labels = {part.name: part for part in row.labels}
    expected = {
        "ADJD": (25, 284, 0.083, 0.99),
        "KOKOM": (4, 34, 0.082, 0.763),
        "$(": (39, 720, 0.053, 0.62),
        "TRUNC": (1, 1, 0.091, 0.52),
        "VVIZU": (1, 7, 0.054, 0.377),
        "NE": (23, 537, 0.041, 0.155),
        "PWAT": (0, 1, 0.028, 0.143),
    }
    assert list(labels)[:5] == list(expected)[:5]
    for label, (broken, of, rate, p) in expected.items():
        part = labels[label]
        assert (part.broken, part.of) == (broken, of)
        assert (part.rate, part.p) == pytest.approx((rate, p), abs=0.01), label
