"""Many annotators: a million ratings with all coefficients, 10,000 annotators, and gamma on 3 × 124 units.

    .venv/bin/python bench/annotators.py

CPU seconds, the best of three runs. The table is made up (the same everywhere); the units are those of
`../shared/data/gamma-continua/3by100.csv`, where these are there; pygamma-agreement 0.5.9, run once by hand, took
38.9 s on them.
"""

from __future__ import annotations

import csv
import math
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import assay
from assay.formats.ratings import read_ratings
from assay.render import render
from assay.stats.unitizing import Units, Weighting, compute_gamma

UNITS = Path(__file__).parents[1] / ".." / "shared" / "data" / "gamma-continua" / "3by100.csv"
SHAPES = {
    "10,000 items × 100 annotators": (10_000, 100, 100),
    "200,000 items × 5 of 100 annotators": (200_000, 5, 100),
    "20,000 items × 5 of 10,000 annotators": (20_000, 5, 10_000),
    "100,000 items × 5 of 10,000 annotators": (100_000, 5, 10_000),
}
FORMS = ("table", "tsv", "md", "html")


def best(function: Callable[[], object], runs: int = 3) -> float:
    """The least CPU time of some runs."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def write_ratings(path: Path, items: int, each: int, people: int) -> None:
    """Ratings of five labels by annotators who are right in seven of ten."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, items)
    with path.open("w", encoding="utf-8") as file:
        file.write("item,annotator,label\n")
        for item in range(items):
            who = rng.permutation(people)[:each]
            labels = np.where(rng.random(each) < 0.7, truth[item], rng.integers(0, 5, each))
            file.writelines(f"d{item},a{a:02d},{b}\n" for a, b in zip(who.tolist(), labels.tolist(), strict=True))


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (items, each, number) in SHAPES.items():
            path = Path(folder) / "ratings.csv"
            write_ratings(path, items, each, number)
            reading = best(lambda path=path: read_ratings([str(path)]).ratings())  # type: ignore[misc]
            whole = best(lambda path=path: assay.agreement(path))  # type: ignore[misc]
            print(f"{name}: reading {reading:.2f} s, kappa, alpha, fleiss and ac1 {whole - reading:.2f} s more")
            result = assay.agreement(path)
            times = [f"{form} {best(partial(render, result, form), 1):.2f} s" for form in FORMS]
            print(f"  written as {', '.join(times)}")
    if UNITS.is_file():
        rows = list(csv.reader(UNITS.read_text("utf-8").splitlines()))
        people, labels = sorted({row[0] for row in rows}), sorted({row[1] for row in rows})
        table = sorted((people.index(a), float(b), float(e), labels.index(label)) for a, label, b, e in rows)
        columns = [np.array(column) for column in zip(*table, strict=True)]
        units = Units(len(people), math.ceil(columns[2].max()), *columns)
        seconds = best(lambda: compute_gamma([units], Weighting(), 30, np.random.default_rng(0)))
        print(f"gamma of 3 × 124 units, 30 random continua: {seconds:.2f} s")


if __name__ == "__main__":
    main()
