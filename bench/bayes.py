"""Benchmark of the Bayesian comparison: the fits alone, and the whole command on ten systems.

As a script it does the fits in process and prints their CPU seconds. Run: bayes.py ROUNDS
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from common import ASSAY, HERE, ROOT, Bench, Goal, same
from measure import Run, alternating, best

CASES = ROOT / "tests" / "data" / "statistics"
PAIRS = ("sim_equal", "sim_mid", "sim_clear")
ROUNDS = 15
"""Fits of each of the three simulated pairs: 45, as many as the paper has."""
ROPE, RHO, REPETITIONS = 0.002, 0.1, 20
BAYCOMP = "baycomp with Stan, 4,000 draws"
NOISE = 0.04
"""How far shares of baycomp may be off."""
SYSTEMS = 10
"""As many systems have 45 pairs."""


def bench_bayes(bench: Bench) -> None:
    """45 hierarchical fits with their error; the whole command on as many pairs; one sampler where it runs."""
    rounds = 1 if bench.quick else ROUNDS
    done = alternating({"assay": [sys.executable, str(HERE / "bayes.py"), str(rounds)]}, bench.runs)["assay"]
    _same_answers(json.loads(done[0].output)["decisions"])
    ours = best([Run(json.loads(one.output)["cpu"], one.memory, one.output) for one in done])
    if bench.peers.has_sampler():
        _beside_baycomp(bench)
    bench.goals.append(Goal("45 Bayesian comparisons, the fits alone: CPU", ours.cpu * ROUNDS / rounds, 5, "s"))
    table = bench.data / "runs.csv"
    table.write_text("".join(_runs(random.Random(0))), encoding="utf-8")
    command = [ASSAY, "bayes", str(table), "--rope", str(ROPE), "--format", "json"]
    whole = best(alternating({"assay": command}, bench.runs)["assay"])
    bench.goals.append(Goal("45 Bayesian comparisons, the whole command: CPU", whole.cpu, 4, "s"))
    bench.goals.append(Goal("45 Bayesian comparisons, the whole command: peak memory", whole.memory, 135, "MB"))


def _runs(rng: random.Random) -> Iterator[str]:
    """Scores of systems that differ by a thousandth, on two data sets of 200 runs each."""
    yield "dataset,system,repetition,fold,measure,value,denominator\n"
    for data_set in range(2):
        places = [0.9 + 0.001 * system + rng.gauss(0, 0.002) for system in range(SYSTEMS)]
        for run in range(200):
            split, luck = f"{run // 10 + 1},{run % 10 + 1}", rng.gauss(0, 0.003)
            for system, place in enumerate(places):
                value = round((place + luck + rng.gauss(0, 0.002)) * 5000) / 5000
                yield f"d{data_set},s{system},{split},accuracy,{value:.4f},5000\n"


def _beside_baycomp(bench: Bench) -> None:
    """One pair."""
    commands = {
        "assay": [sys.executable, str(HERE / "bayes.py"), "1"],
        BAYCOMP: [
            *(bench.peers.python, str(HERE / "baycomp_pair.py"), str(CASES), str(ROPE), str(REPETITIONS)),
        ],
    }
    # Its sampler has no seed, and a chain may get stuck, so it has three tries.
    for tries in range(3):
        done = alternating(commands, 1)
        # Stan says on standard output that it compiles.
        ours, theirs = (json.loads(runs[0].output.splitlines()[-1]) for runs in done.values())
        shares = ours["decisions"]["sim_mid"], theirs["shares"]
        if tries == 2 or max(abs(a - b) for a, b in zip(*shares, strict=True)) <= NOISE:
            break
    for region, a, b in zip(("left", "rope", "right"), *shares, strict=True):
        same(f"{region} of sim_mid, baycomp", a, b, NOISE)
    peer = Run(theirs["cpu"], done[BAYCOMP][0].memory, "")
    fit = Run(ours["cpu"] / len(PAIRS), done["assay"][0].memory, "")
    bench.add("1 Bayesian comparison, the fit alone", {"assay": [fit], BAYCOMP: [peer]})
    sides = [f"{side}={CASES / f'sim_mid_{side}.csv'}" for side in "xy"]
    command = [ASSAY, "bayes", *sides, "--folds", "10", "--rope", str(ROPE), "--format", "json"]
    whole = alternating({"assay": command}, bench.runs)["assay"]
    bench.add("1 Bayesian comparison, assay's whole command", {"assay": whole, BAYCOMP: [peer]})


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
