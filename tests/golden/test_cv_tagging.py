"""Five taggers in ten times tenfold cross-validation on two corpora, compared as in Szymański and Gorman 2020.

The means are those of the data's own README; the shares those of importance sampling, a method of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from assay.bayesian import bayes
from assay.bayesian.table import pair_runs, read_runs, read_table_text
from assay.result import Result
from assay.result.schema import Posterior, Thirds
from unit.stats.test_hierarchical import importance_sampling

SYSTEMS = ("nltk-unigram", "nltk-trigram", "nltk-tnt", "perceptron", "crfsuite-ap")
MEANS = {
    "EWT": {"token": (85.22, 87.26, 89.19, 92.49, 92.29), "oov": (50.30, 50.30, 50.30, 76.32, 75.67),
            "sentence": (22.30, 28.57, 33.35, 45.07, 44.01)},
    "GUM": {"token": (86.75, 88.72, 90.50, 93.88, 93.85), "oov": (50.00, 50.00, 50.00, 81.57, 80.88),
            "sentence": (22.74, 29.02, 33.63, 45.22, 44.20)},
}  # fmt: skip
ROPES = {"token_accuracy": 0.002, "": 0.02}


@pytest.fixture(scope="module")
def table(shared_data: Callable[[str], Path]) -> str:
    return str(shared_data("cv-tagging") / "cv_results.csv")


@pytest.fixture(scope="module")
def result(table: str) -> Result:
    return bayes(table, rope=ROPES)


def shares(thirds: Thirds) -> list[float]:
    return [thirds.a, thirds.equal or 0.0, thirds.b]


def test_means_are_those_of_the_data(result: Result) -> None:
    found = {(row.system, row.measure, row.slice): row.value for row in result.scores}
    for dataset, by_measure in MEANS.items():
        for measure, means in by_measure.items():
            for system, mean in zip(SYSTEMS, means, strict=True):
                assert found[system, f"{measure}_accuracy", f"dataset:{dataset}"] == pytest.approx(
                    mean / 100, abs=6e-5
                )


def test_all_pairs_are_compared_on_all_measures(result: Result) -> None:
    assert len(result.bayes) == 30
    for measure in ("token_accuracy", "oov_accuracy", "sentence_accuracy"):
        pairs = {frozenset((one.a, one.b)) for one in result.bayes if one.measure == measure}
        assert pairs == {frozenset(pair) for pair in combinations(SYSTEMS, 2)}
    assert all(one.runs == 200 and one.data_sets == 2 for one in result.bayes)
    assert all(data.rho == 0.1 for one in result.bayes for data in one.by_data_set)
    assert max(one.error for one in result.bayes) < 0.01


def test_the_orders(result: Result) -> None:
    assert {ranking.measure: ranking.chain for ranking in result.rankings} == {
        "token_accuracy": "nltk-unigram < nltk-trigram < nltk-tnt < crfsuite-ap < perceptron",
        "oov_accuracy": "nltk-tnt ≈ nltk-trigram ≈ nltk-unigram < crfsuite-ap ≈ perceptron",
        "sentence_accuracy": "nltk-unigram < nltk-trigram < nltk-tnt < crfsuite-ap ≈ perceptron",
    }
    assert not any(ranking.intransitive for ranking in result.rankings)


def test_taggers_that_share_how_they_treat_unknown_words_are_identical_there(result: Result) -> None:
    same = [one for one in result.bayes if one.measure == "oov_accuracy" and one.model == "identical"]
    assert {frozenset((one.a, one.b)) for one in same} == {frozenset(pair) for pair in combinations(SYSTEMS[:3], 2)}
    assert all(shares(one.decision) == [0, 1, 0] for one in same)


def test_two_data_sets_leave_the_prior_in_charge(result: Result) -> None:
    """The better system is ahead in all runs of both, and yet its share is below 1 and moves with the prior."""
    one = next(one for one in result.bayes if (one.a, one.b) == ("nltk-unigram", "nltk-tnt"))
    assert [data.b_ahead for data in one.by_data_set] == [100, 100]
    assert all(data.p < 1e-50 for data in one.by_data_set)
    under = [point.decision.b for point in one.prior_curve]
    assert min(under) < 0.85 < one.decision.b < 0.95 < max(under)
    assert any("2 data sets say little" in warning for warning in result.warnings)


def test_a_lead_that_is_the_likeliest_case_but_weak(result: Result) -> None:
    """As the page on the paper quotes it."""
    (one,) = [
        row for row in result.bayes if (row.measure, row.a, row.b) == ("token_accuracy", "crfsuite-ap", "perceptron")
    ]
    assert shares(one.decision) == pytest.approx((0.262, 0.307, 0.431), abs=0.005)
    assert [round(100 * data.difference, 2) for data in one.by_data_set] == [0.20, 0.03]
    assert max(point.decision.equal or 0 for point in one.prior_curve) == pytest.approx(0.760, abs=0.005)
    assert one.kind == "bayes-open"
    assert one.verdict.startswith(
        "The data do not decide between crfsuite-ap and perceptron on token_accuracy: the largest share of posterior "
        f"draws, for perceptron, is {one.decision.b:.3f}; .95 is needed. ".replace("is 0.", "is .")
    )


@pytest.mark.parametrize(
    "pair",
    [
        ("crfsuite-ap", "perceptron"),
        pytest.param(("nltk-unigram", "nltk-trigram"), marks=pytest.mark.slow),
        pytest.param(("nltk-tnt", "perceptron"), marks=pytest.mark.slow),
        pytest.param(("nltk-trigram", "crfsuite-ap"), marks=pytest.mark.slow),
    ],
)
def test_importance_sampling_finds_the_same_shares(pair: tuple[str, str], result: Result, table: str) -> None:
    found: Posterior = next(one for one in result.bayes if (one.a, one.b, one.measure) == (*pair, "token_accuracy"))
    runs = read_runs(table, *read_table_text(table))
    data, _ = pair_runs(runs, "token_accuracy", pair, ("EWT", "GUM"), common=False)
    rows = [one.values[pair[1]] - one.values[pair[0]] for one in data]
    oracle = importance_sampling(rows, 0.002, 600_000)
    assert oracle.errors.max() < 0.01
    apart = np.abs(oracle.shares - [*shares(found.decision), *shares(found.region)])
    assert (apart <= 4 * oracle.errors + found.error).all()
