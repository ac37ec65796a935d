"""MEASURE/SCORE makes a score the main one, as gates name it."""

from __future__ import annotations

import pytest

import assay
from assay.demo import FOLDER
from assay.engine.measure import find
from assay.errors import UsageError
from assay.result import Result
from contributions import check_contributions

ENTITIES = FOLDER / "entities"


def compare(*measures: str) -> Result:
    systems = [ENTITIES / f"{name}.tsv" for name in ("rules", "crf-names")]
    return assay.compare(ENTITIES / "gold.tsv", systems, list(measures), times=20)


def test_the_score_that_is_asked_for_is_the_main_one() -> None:
    usual, asked = compare("exact", "fair"), compare("exact/recall", "fair(focus=system)/macro-f1")
    assert asked.main_scores == {"exact": "recall", "fair(focus=system)": "macro-f1"}
    assert asked.score("rules", "exact", "recall").value == usual.score("rules", "exact", "recall").value
    assert {(row.measure, row.score) for row in asked.main_tests} == {*asked.main_scores.items()}
    assert "measures:exact/recall+fair(focus=system)/macro-f1|" in asked.signature
    assert {by for _, by in check_contributions(asked)} == {"kind", "label", "outcome"}


def test_the_verdict_names_it() -> None:
    folder = FOLDER / "messages"
    systems = [folder / "keywords.csv", folder / "learned.csv"]
    result = assay.compare(folder / "gold.csv", systems, ["accuracy/precision"], times=20)
    assert " on accuracy precision" in result.verdict
    # It is no share of all items, which McNemar's test is about.
    assert {row.test for row in result.comparisons} == {"shuffling"}


def test_parameters_and_paths_are_no_scores() -> None:
    assert find("pa/weak").main == "weak"
    assert find("pa").main == "strong"
    assert find("fair(focus=system)/precision").parameters["focus"] == "system"
    with pytest.raises(UsageError, match=r"there is no score of pa .weka.\. Did you mean weak"):
        find("pa/weka")


def test_one_measure_has_one_main_score() -> None:
    with pytest.raises(UsageError, match=r"-m exact: given with two main scores, f1 and recall\. Choose one\."):
        compare("exact", "exact/recall")
