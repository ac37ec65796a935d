"""Checks of margins and judges: the same numbers as statsmodels' and ppi-python's on random data.

As a script it prints what one side says of the same random data, or compares both sides.
Run: decisions.py ours|theirs SEEDS; decisions.py check PYTHON-OF-PEERS SEEDS
"""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from common import HERE, Bench, same
from measure import run

SEEDS, QUICK_SEEDS = 200, 20
Numbers = dict[str, list[float]]


def bench_decisions(bench: Bench) -> None:
    """Tests against a margin and estimates with a judge; nothing is timed."""
    check(bench.peers.python, QUICK_SEEDS if bench.quick else SEEDS)


def check(peers: str, seeds: int) -> None:
    """Stop where a number of the peers is another, and print how far each is from ours at most."""
    sides = ([sys.executable, str(HERE / "decisions.py"), "ours"], [peers, str(HERE / "decisions.py"), "theirs"])
    ours, theirs = (json.loads(run([*side, str(seeds)]).output) for side in sides)
    for name, values in theirs.items():
        furthest = max(zip(ours[name], values, strict=True), key=lambda pair: abs(pair[0] - pair[1]))
        same(f"{name} of decisions", *furthest)
        print(f"{name}: {len(values)} equal to {abs(furthest[0] - furthest[1]):.1e}", file=sys.stderr)


# --- the same random data for both sides ---


def cases(seeds: int) -> Iterator[dict[str, Any]]:
    """Answers of two systems to items, a margin, and a judge who errs, of whose items people labelled a part."""
    for seed in range(seeds):
        rng = random.Random(seed)
        size, people, least = rng.randrange(300, 600), rng.randrange(60, 200), rng.uniform(0.5, 0.8)
        gold = [rng.choice("xyz") for _ in range(size)]

        def vary(share: float, gold: list[str] = gold, rng: random.Random = rng) -> list[str]:
            return [label if rng.random() < share else rng.choice("xyz") for label in gold]

        yield {
            **{"gold": gold, "people": people, "margin": rng.uniform(0.01, 0.15)},
            **{"judge": vary(rng.uniform(0.6, 0.8)), "a": vary(least), "b": vary(least + rng.uniform(-0.1, 0.2))},
        }


def ours(seeds: int) -> Numbers:
    """What assay says."""
    import assay

    found: Numbers = {}
    for case in cases(seeds):
        systems = {name: case[name] for name in "ab"}
        result = assay.compare(case["gold"], systems, "accuracy", margin=case["margin"], times=1, power=None)
        (row,) = result.main_tests
        for name in ("low90", "high90", "p_equivalent", "p_not_worse"):
            found.setdefault(name, []).append(getattr(row, name))
        with tempfile.TemporaryDirectory() as folder:
            files = {name: Path(folder) / f"{name}.csv" for name in ("gold", "judge", "a", "b")}
            for name, path in files.items():
                labels = case[name][: case["people"] if name == "gold" else None]
                path.write_text("id,label\n" + "".join(f"i{item},{label}\n" for item, label in enumerate(labels)))
            answers = {name: files[name] for name in "ab"}
            result = assay.compare(files["gold"], answers, "accuracy", judge=files["judge"], times=1, power=None)
        for judged in result.judges:
            kind = "score" if judged.minus is None else "difference"
            found.setdefault(f"{kind} with a judge", []).append(judged.value)
            found.setdefault(f"weight of the judge, {kind}", []).append(judged.weight)
    return found


def theirs(seeds: int) -> Numbers:
    """What statsmodels and ppi-python say; the interval within a margin is that of Student's t."""
    import numpy as np

    weights, ppi = import_module("statsmodels.stats.weightstats"), import_module("ppi_py")
    found: Numbers = {}
    for case in cases(seeds):
        right, judged = (
            {name: np.array([a == b for a, b in zip(case[by], case[name], strict=True)], float) for name in "ab"}
            for by in ("gold", "judge")
        )
        margin, difference = case["margin"], weights.DescrStatsW(right["b"] - right["a"])
        p, (_, above, _), (_, below, _) = weights.ttost_paired(right["b"], right["a"], -margin, margin)
        low, high = difference.tconfint_mean(0.1)
        numbers = {"low90": low, "high90": high, "p_equivalent": p, "p_not_worse": min(above, below)}
        number = case["people"]
        for name, value in numbers.items():
            found.setdefault(name, []).append(float(value))
        for kind, human, judge in (
            *(("score", right[name], judged[name]) for name in "ab"),
            ("difference", right["b"] - right["a"], judged["b"] - judged["a"]),
        ):
            sides = (human[:number, None], judge[:number, None], judge[number:, None])
            found.setdefault(f"{kind} with a judge", []).append(ppi.ppi_mean_pointestimate(*sides).item())
            # The estimate is linear in the weight.
            with_0, with_1 = (ppi.ppi_mean_pointestimate(*sides, lam=weight).item() for weight in (0, 1))
            value = found[f"{kind} with a judge"][-1]
            weight = (value - with_0) / (with_1 - with_0) if not math.isclose(with_0, with_1) else math.nan
            found.setdefault(f"weight of the judge, {kind}", []).append(weight)
    return found


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "check":
        check(rest[0], int(rest[1]))
    else:
        print(json.dumps({"ours": ours, "theirs": theirs}[what](int(rest[0]))))
