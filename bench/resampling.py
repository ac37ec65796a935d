"""Shuffling tests and bootstraps of F1 over counts per sentence. Run: resampling.py METHOD COUNTS TIMES

Prints the CPU seconds of the work itself, without start-up and reading, and the answer that is checked.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Answer = dict[str, float]
SEED = 7


def f1(sums: Numbers) -> Numbers:
    """F1 from summed counts: right, gold, system along the last axis."""
    return np.asarray(2 * sums[..., 0] / (sums[..., 1] + sums[..., 2]))


def difference(a: Numbers, b: Numbers) -> Numbers:
    """How much better b is."""
    return np.asarray(f1(b) - f1(a))


def interval(a: Numbers, b: Numbers) -> Answer:
    """The 95% interval of the difference, and half the width of b's own."""
    low, high = np.quantile(b - a, [0.025, 0.975])
    own = np.quantile(b, [0.025, 0.975])
    return {"low": float(low), "high": float(high), "half": float(own[1] - own[0]) / 2}


def assay_shuffling(a: Numbers, b: Numbers, times: int) -> Answer:
    """assay's test, from the counts of each sentence."""
    from assay.arrays import distinct_rows
    from assay.stats.significance import shuffling_test

    differences = a - b
    swaps, _, sizes = distinct_rows(differences[differences.any(axis=1)])
    total_a, total_b = (np.asarray(counts.sum(axis=0), dtype=np.float64) for counts in (a, b))
    outcome = shuffling_test(
        total_a, total_b, swaps.astype(np.float64), sizes, difference, lambda _: np.random.default_rng(SEED), times
    )
    return {"p": outcome.p, "groups": len(swaps)}


def assay_bootstrap(a: Numbers, b: Numbers, times: int) -> Answer:
    """assay's resamples of both systems at once, from the counts of each sentence."""
    from assay.arrays import distinct_rows
    from assay.stats.resample import bootstrap_sums

    rows, _, sizes = distinct_rows(np.concatenate([a, b], axis=1))
    sums = bootstrap_sums(rows, sizes, times, np.random.default_rng(SEED))
    return {**interval(f1(sums[:, :3]), f1(sums[:, 3:])), "groups": len(rows)}


def loop_shuffling(a: Numbers, b: Numbers, times: int) -> Answer:
    """What one writes oneself: swap sentences at random, sum, score, again."""
    rng = np.random.default_rng(SEED)
    observed = abs(float(difference(a.sum(axis=0), b.sum(axis=0))))
    hits = 0
    for _ in range(times):
        swap = rng.random(len(a)) < 0.5
        left, right = np.where(swap[:, None], b, a), np.where(swap[:, None], a, b)
        hits += abs(float(difference(left.sum(axis=0), right.sum(axis=0)))) >= observed - 1e-12
    return {"p": (hits + 1) / (times + 1)}


def loop_bootstrap(a: Numbers, b: Numbers, times: int) -> Answer:
    """What one writes oneself: draw sentences, sum, score, again."""
    rng = np.random.default_rng(SEED)
    drawn = (rng.integers(0, len(a), size=len(a)) for _ in range(times))
    scores = np.array([(f1(a[units].sum(axis=0)), f1(b[units].sum(axis=0))) for units in drawn])
    return interval(scores[:, 0], scores[:, 1])


def scipy_shuffling(a: Numbers, b: Numbers, times: int) -> Answer:
    """scipy's permutation_test of paired samples; a sample is the number of a row, and both tables are looked up."""
    table = np.concatenate([a, b])
    units = np.arange(len(a))

    def statistic(left: Numbers, right: Numbers) -> float:
        return float(difference(table[left].sum(axis=0), table[right].sum(axis=0)))

    outcome = import_module("scipy.stats").permutation_test(
        (units, units + len(a)),
        statistic,
        permutation_type="samples",
        vectorized=False,
        n_resamples=times,
        rng=np.random.default_rng(SEED),
    )
    return {"p": float(outcome.pvalue)}


def scipy_bootstrap(a: Numbers, b: Numbers, times: int) -> Answer:
    """scipy's bootstrap of the difference, by percentiles."""
    outcome = import_module("scipy.stats").bootstrap(
        (np.arange(len(a)),),
        lambda units: float(difference(a[units].sum(axis=0), b[units].sum(axis=0))),
        vectorized=False,
        method="percentile",
        n_resamples=times,
        rng=np.random.default_rng(SEED),
    )
    return {"low": float(outcome.confidence_interval.low), "high": float(outcome.confidence_interval.high)}


class CountedF1:
    """F1 in the shape in which sacrebleu's tests take a metric: its hypotheses are the counts."""

    def _extract_corpus_statistics(self, hypotheses: Numbers, references: object) -> Numbers:
        return hypotheses

    def _compute_score_from_stats(self, sums: Numbers) -> Any:
        return import_module("sacrebleu.metrics.base").Score("F1", float(f1(np.asarray(sums))))

    def _aggregate_and_compute(self, rows: Numbers) -> Any:
        return self._compute_score_from_stats(np.asarray(rows).sum(axis=0))


def _sacrebleu(test: str, a: Numbers, b: Numbers, times: int) -> Any:
    significance = import_module("sacrebleu.significance")
    metric = CountedF1()
    baseline = {"F1": (a, metric._aggregate_and_compute(a))}
    _, results = getattr(significance, test)(baseline, "b", b, None, {"F1": metric}, times, -1, SEED)
    return results["F1"]


def sacrebleu_shuffling(a: Numbers, b: Numbers, times: int) -> Answer:
    """sacrebleu's approximate randomisation."""
    return {"p": float(_sacrebleu("_paired_ar_test", a, b, times).p_value)}


def sacrebleu_bootstrap(a: Numbers, b: Numbers, times: int) -> Answer:
    """sacrebleu's paired bootstrap."""
    return {"half": float(_sacrebleu("_paired_bs_test", a, b, times).ci)}


METHODS: dict[str, Callable[[Numbers, Numbers, int], Answer]] = {
    method.__name__: method
    for method in (
        assay_shuffling,
        assay_bootstrap,
        loop_shuffling,
        loop_bootstrap,
        scipy_shuffling,
        scipy_bootstrap,
        sacrebleu_shuffling,
        sacrebleu_bootstrap,
    )
}


def main() -> None:
    """Load what is needed, then measure the method alone."""
    method, path, times = METHODS[sys.argv[1]], sys.argv[2], int(sys.argv[3])
    counts = np.loadtxt(path, dtype=np.int64, skiprows=1)
    a, b = counts[:, :3], counts[:, 3:]
    method(a[:50], b[:50], 10)
    begin = time.process_time()
    answer = method(a, b, times)
    cpu = time.process_time() - begin
    print(json.dumps({"cpu": cpu, "times": times, **answer}))


if __name__ == "__main__":
    main()
