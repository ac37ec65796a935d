"""Benchmark of the Bayesian comparison: all pairs of six systems by three measures, two data sets of 200 runs each.

As a script it does the fits in process and prints their CPU seconds. Run: bayes.py ROUNDS
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from common import HERE, ROOT, Bench, Goal, Row, same
from measure import Run, alternating, best

CASES = ROOT / "tests" / "data" / "statistics"
PAIRS = ("sim_equal", "sim_mid", "sim_clear")
ROUNDS = 15
"""Fits of each of the three simulated pairs: 45, as many as the paper has."""
ROPE, RHO, REPETITIONS = 0.002, 0.1, 20
# Seconds of one fit, once compiled, measured on another machine with the same pairs; baycomp's are of the clock, the
# median of 15 runs with a twelfth of the draws.
BAYCOMP = "baycomp with Stan, 4,000 draws"
KNOWN = {BAYCOMP: 34.0, "NumPyro NUTS": 15.8, "PyMC with nutpie": 2.4}


def bench_bayes(bench: Bench) -> None:
    """45 hierarchical fits with their error; known figures of samplers, and one of them beside us where it runs."""
    rounds = 1 if bench.quick else ROUNDS
    done = alternating({"assay": [sys.executable, str(HERE / "bayes.py"), str(rounds)]}, bench.runs)["assay"]
    _same_answers(json.loads(done[0].output)["decisions"])
    fits = len(PAIRS) * rounds
    ours = best([Run(json.loads(one.output)["cpu"], one.memory, one.output) for one in done])
    beside = bench.peers.has_sampler()
    for peer, seconds in KNOWN.items():
        if beside and peer == BAYCOMP:
            continue
        title = f"{peer} (not run: {fits} × {seconds:g} s)"
        bench.rows.append(Row(f"{fits} Bayesian comparisons", title, ours.cpu, fits * seconds, ours.memory, None))
    if beside:
        _beside_baycomp(bench)
    bench.goals.append(Goal("45 Bayesian comparisons: CPU", ours.cpu * ROUNDS / rounds, 5, "s"))


def _beside_baycomp(bench: Bench) -> None:
    """One pair: baycomp's shares are noisy, so that .04 is all that can be asked of them."""
    commands = {
        "assay": [sys.executable, str(HERE / "bayes.py"), "1"],
        BAYCOMP: [
            *(bench.peers.python, str(HERE / "baycomp_pair.py"), str(CASES), str(ROPE), str(REPETITIONS)),
        ],
    }
    done = alternating(commands, 1)
    # Stan says on standard output that it compiles.
    ours, theirs = (json.loads(runs[0].output.splitlines()[-1]) for runs in done.values())
    for region, a, b in zip(("left", "rope", "right"), ours["decisions"]["sim_mid"], theirs["shares"], strict=True):
        same(f"{region} of sim_mid, baycomp", a, b, 0.04)
    bench.add(
        "1 Bayesian comparison",
        {
            "assay": [Run(ours["cpu"] / len(PAIRS), done["assay"][0].memory, "")],
            BAYCOMP: [Run(theirs["cpu"], 0, "")],
        },
    )


def _same_answers(decisions: dict[str, list[float]]) -> None:
    """Each pair against importance sampling."""
    reference = json.loads((CASES / "reference.json").read_text(encoding="utf-8"))["pairs"]
    for name, shares in decisions.items():
        known = reference[name]
        for region, ours, theirs in zip(
            ("left", "rope", "right"), shares, known["importance_sampling"]["p"], strict=True
        ):
            same(f"{region} of {name}", ours, theirs, known["tolerance"]["decision_share"])


def fits(rounds: int) -> dict[str, Any]:
    """CPU seconds of the fits alone, without imports and reading, and the decision shares."""
    import numpy as np

    from assay.stats.bayes import fit

    def read(name: str) -> Any:
        return np.loadtxt(CASES / name, delimiter=",")

    rows = {name: list(read(f"{name}_y.csv") - read(f"{name}_x.csv")) for name in PAIRS}
    before = time.process_time()
    found = {name: fit(one, [RHO, RHO], ROPE, seed=seed) for seed in range(rounds) for name, one in rows.items()}
    cpu = time.process_time() - before
    return {"cpu": cpu, "decisions": {name: one.decision for name, one in found.items()}}


if __name__ == "__main__":
    print(json.dumps(fits(int(sys.argv[1]))))
