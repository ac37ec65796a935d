"""Tables of runs for tests: made-up scores of systems that share their splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.bayesian import bayes
from assay.bayesian.table import RunTable, read_runs
from assay.result.schema import Posterior

HEADER = "dataset,system,repetition,fold,measure,value"
Scores = Mapping[str, Mapping[str, Sequence[float] | NDArray[np.float64]]]
"""By data set and system, fold by fold."""


def text_of(scores: Scores, measure: str = "accuracy", folds: int = 10, more: str = "", counts: str = "") -> str:
    """CSV text; `more` are columns that each row has too, with `counts` as their cells."""
    lines = [
        f"{dataset},{system},{run // folds + 1},{run % folds + 1},{measure},{value!r}{counts}"
        for dataset, by_system in scores.items()
        for system, values in by_system.items()
        for run, value in enumerate(map(float, values))
    ]
    return "\n".join([HEADER + more, *lines]) + "\n"


def runs_of(scores: Scores, measure: str = "accuracy", **options: Any) -> RunTable:
    """The same, read."""
    return read_runs("runs.csv", text_of(scores, measure, **options), "0" * 64)


def made(gains: Mapping[str, float], data_sets: int = 2, runs: int = 20, seed: int = 0) -> Scores:
    """Systems that are better than a common baseline by so much, with noise of a quarter of a point."""
    rng = np.random.default_rng(seed)
    scores: dict[str, dict[str, NDArray[np.float64]]] = {}
    for number in range(data_sets):
        base = 0.9 + 0.005 * rng.standard_normal(runs)
        scores[f"set{number}"] = {
            name: base + gain + 0.0025 * rng.standard_normal(runs) for name, gain in gains.items()
        }
    return scores


def pair(scores: Scores, **options: Any) -> Posterior:
    """The only two systems of a table under its only measure."""
    return bayes(runs_of(scores), **{"rope": 0.002, **options}).bayes[0]
