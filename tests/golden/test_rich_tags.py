"""Acedański & Przepiórkowski 2010: every worked case as exact fractions, and the figures of real taggers."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.corpus import SEVERAL
from assay.tasks.tags.measures import set_scores, weight_matrix
from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.tagsets.analysis import POS, Analysis, score_tags
from assay.tasks.tags.weights import Weights

CASES = json.loads((Path(__file__).parents[1] / "data" / "tagging_cases.json").read_text("utf-8"))
PAIRS = [case for case in CASES["cases"] if case["type"] == "pair"]
MEANS = [case for case in CASES["cases"] if case["type"] == "mean"]
SCORED = [case for case in CASES["cases"] if case["type"] == "scored"]


def table(name: str | None) -> Weights:
    if name is None:
        return Weights("wpa", {"*": Fraction(1)})
    entry = CASES["weights"][name]
    if entry["kind"] == "wpa":
        return Weights("wpa", {key: Fraction(value) for key, value in entry["w"].items()})
    rows = {pos: {key: Fraction(value) for key, value in row.items()} for pos, row in entry["w"].items()}
    return Weights("cwpa", rows)


def exact(assigned: list[str], gold: list[str], weights: Weights) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Precision, recall and F of pairs of tags."""
    analysis = Analysis.of(list(dict.fromkeys([*assigned, *gold])), find_tagset("nkjp"))
    assert not analysis.outside
    tag = {label: analysis.of_label[code][0] for code, label in enumerate(analysis.labels)}
    result = score_tags(
        analysis.values,
        np.array([tag[label] for label in assigned]),
        np.array([tag[label] for label in gold]),
        weight_matrix(analysis, weights, Fraction),
    )
    return [tuple(map(Fraction, row)) for row in zip(*result, strict=True)]  # type: ignore[misc]


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["id"])
def test_pairs_of_tags_score_exactly_as_worked_by_hand(case: dict[str, Any]) -> None:
    ((precision, recall, score),) = exact([case["assigned"]], [case["gold"]], table(case["weights"]))
    expected = {key: Fraction(value) for key, value in case["expected"].items()}
    assert {"P": precision, "R": recall, "F": score} == expected
    ((_, _, turned),) = exact([case["gold"]], [case["assigned"]], table(case["weights"]))
    assert turned == score, "F is the same whichever of the two is gold"


@pytest.mark.parametrize("case", MEANS, ids=lambda case: case["id"])
def test_the_corpus_value_is_the_mean_of_f(case: dict[str, Any]) -> None:
    assigned, gold = (list(side) for side in zip(*case["pairs"], strict=True))
    scores = [score for _, _, score in exact(assigned, gold, table(case["weights"]))]
    assert sum(scores) / len(scores) == Fraction(case["expected"]["accuracy"])
    result = assay.score(
        [[(tag, tag) for tag in gold]],
        [[(g, tag) for g, tag in zip(gold, assigned, strict=True)]],
        ["pa"],
        tagset="nkjp",
        times=1,
    )
    assert result.score("system 1", "pa").value == pytest.approx(
        float(Fraction(case["expected"]["accuracy"])), abs=1e-9
    )


@pytest.mark.parametrize("case", SCORED, ids=lambda case: case["id"])
def test_sets_of_tags_score_as_worked_by_hand(case: dict[str, Any], tmp_path: Path) -> None:
    """Precision, recall, F, weak and strong correctness; `full` is 0/1, `pos` looks at the part of speech alone."""
    gold = [[(str(i), SEVERAL.join(segment["G"])) for i, segment in enumerate(case["segments"])]]
    system = [[(str(i), SEVERAL.join(segment["T"])) for i, segment in enumerate(case["segments"])]]
    weights = {"full": None, "pos": {"pos": 1, "*": 0}, "pa": {"*": 1}}.get(case["score"])
    tagset = "nkjp"
    if case["score"] == "full":
        tagset, weights = "atomic", {"*": 1}
    if case["score"] == "wpa":
        weights = CASES["weights"][case["weights"]]["w"]
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"kind": "wpa", "source": "case", "w": weights}), "utf-8")
    result = assay.score(gold, {"s": system}, ["wpa"], tagset=tagset, weights=str(path), times=1)
    names = {"P": "precision", "R": "recall", "F": "f1", "WC": "weak", "SC": "strong"}
    for key, value in case["expected"].items():
        assert result.score("s", "wpa", names[key]).value == pytest.approx(float(Fraction(value)), abs=1e-9), key


@pytest.mark.parametrize("case", SCORED, ids=lambda case: case["id"])
def test_sets_of_tags_score_exactly_as_worked_by_hand(case: dict[str, Any]) -> None:
    """The same cases in exact fractions: the scores of pairs, and the sums over sets."""
    if case["score"] == "full":
        tagset, table_ = "atomic", Weights("wpa", {"*": Fraction(1)})
    elif case["score"] == "pos":
        tagset, table_ = "nkjp", Weights("wpa", {"pos": Fraction(1), "*": Fraction(0)})
    else:
        tagset, table_ = "nkjp", table(case["weights"])
    totals = {"p": Fraction(0), "r": Fraction(0), "weak": Fraction(0), "strong": Fraction(0), "T": 0, "G": 0}
    for segment in case["segments"]:
        labels = list(dict.fromkeys([*segment["T"], *segment["G"]]))
        analysis = Analysis.of(labels, find_tagset(tagset))
        tag = {label: analysis.of_label[code][0] for code, label in enumerate(labels)}
        pairs = score_tags(
            analysis.values,
            np.array([tag[t] for t in segment["T"] for _ in segment["G"]]),
            np.array([tag[g] for _ in segment["T"] for g in segment["G"]]),
            weight_matrix(analysis, table_, Fraction),
        )[2].reshape(len(segment["T"]), len(segment["G"]))
        for name, part in zip(("p", "r", "weak", "strong"), set_scores(pairs), strict=True):
            totals[name] += Fraction(part)
        totals["T"] += len(segment["T"])
        totals["G"] += len(segment["G"])
    precision, recall = totals["p"] / totals["T"], totals["r"] / totals["G"]
    words = len(case["segments"])
    found = {
        "P": precision,
        "R": recall,
        "F": 2 * precision * recall / (precision + recall),
        "WC": totals["weak"] / words,
        "SC": totals["strong"] / words,
    }
    assert found == {key: Fraction(value) for key, value in case["expected"].items()}


# --- real taggers ---


@pytest.fixture(scope="module")
def slovene(shared_data: Callable[[str], Path]) -> tuple[assay.Result, dict[str, Any]]:
    folder = shared_data("morph-slovene-ssj500k")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    systems = {name: str(folder / "systems" / f"{name}.conllu") for name in expected["systems"]}
    result = assay.compare(
        str(folder / "test.conllu"),
        systems,
        ["pa", "pos-accuracy", "features"],
        column="XPOS",
        tagset="mte-sl",
        times=20,
        power=None,
    )
    return result, expected


def test_partial_accuracy_and_parts_of_speech_of_five_slovene_taggers(slovene: Any) -> None:
    result, expected = slovene
    for name, figures in expected["systems"].items():
        assert result.score(name, "pa").value == pytest.approx(float(Fraction(figures["pa"]["exact"])), abs=1e-9)
        assert result.score(name, "pos-accuracy").value == figures["pos"]["n"] / figures["pos"]["d"]


def test_categories_of_five_slovene_taggers(slovene: Any) -> None:
    result, expected = slovene
    counts = {(row.system, row.label): row.counts for row in result.counts if row.measure == "features"}
    for name, figures in expected["systems"].items():
        for category, numbers in figures["per_category"].items():
            counted = counts[name, category]
            assert [counted["right"], counted["system"], counted["gold"]] == [
                numbers["match"],
                numbers["system"],
                numbers["gold"],
            ]


def test_improved_and_worsened_tags_between_slovene_taggers(slovene: Any) -> None:
    result, expected = slovene
    diffs = {(row.a, row.b): row for row in result.diffs if row.on == "pa"}
    assert len(diffs) == len(expected["pairs"]) == 10
    for pair, figures in expected["pairs"].items():
        diff, graded = diffs[tuple(pair.split(" -> "))], figures["pa"]
        assert [diff.improved, diff.worsened, diff.sideways] == [
            graded["improved_tokens"],
            graded["worsened_tokens"],
            graded["sideways_tokens"],
        ]
        assert (diff.gain, diff.loss) == pytest.approx((graded["gain"], graded["loss"]), abs=1e-5)


def test_the_upper_bound_of_partial_credit(slovene: Any) -> None:
    result, expected = slovene
    overall = next(row for row in result.bounds if row.on == "pa" and row.label is None)
    assert overall.upper == pytest.approx(float(Fraction(expected["oracle"]["pa"]["exact"])), abs=1e-9)
    by_pos = next(row for row in result.bounds if row.on == "pos-accuracy" and row.label is None)
    assert by_pos.items - by_pos.none_right == expected["oracle"]["pos"]["n"]


def test_polish_tags_are_read_without_remainder(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("morph-polish")
    tagset = find_tagset("ud-polish")
    for path in sorted(folder.glob("*.conllu")):
        column = assay.read(str(path), columns=["XPOS"]).column("XPOS")
        assert [tag for tag in column.vocabulary if not tagset.read(tag)] == [], path.name


def test_universal_features_are_categories_beside_upos(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("morph-polish")
    result = assay.score(
        str(folder / "gold.conllu"),
        str(folder / "udpipe.conllu"),
        ["pa", "pos-accuracy", "features"],
        tagset="ud",
        times=1,
    )
    assert result.about.column == "UPOS+FEATS"
    assert result.score("udpipe", "pos-accuracy").value == pytest.approx(0.9426, abs=5e-5)
    assert result.score("udpipe", "features", "f1", "Case").value > 0.8
    assert POS not in {row.label for row in result.scores}
