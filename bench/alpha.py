"""Benchmark of agreement: alpha alone, of 10,000 items and 20 annotators, beside the package krippendorff.

As a script it is what calls the package. Run: alpha.py FILE
"""

from __future__ import annotations

import csv
import json
import random
import sys
from importlib import import_module

from common import ASSAY, HERE, ROOT, Bench, same
from measure import run

ITEMS, PEOPLE, LABELS = 10_000, 20, 5


def bench_alpha(bench: Bench) -> None:
    """A table with a row for each item and a column for each annotator."""
    items = ITEMS // 10 if bench.quick else ITEMS
    path = ROOT / ".bench" / "data" / f"alpha-{items}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draw = random.Random(6)
        rows = [["item", *(f"ann{person}" for person in range(PEOPLE))]]
        for item in range(items):
            truth = draw.randrange(LABELS)
            said = (truth if draw.random() < 0.8 else draw.randrange(LABELS) for _ in range(PEOPLE))
            rows.append([f"i{item}", *(f"L{label}" for label in said)])
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    commands = {
        "assay": [ASSAY, "agreement", str(path), "-m", "alpha", "--format", "json"],
        "krippendorff": [bench.peers.python, str(HERE / "alpha.py"), str(path)],
    }
    first = {name: run(command) for name, command in commands.items()}
    (ours,) = (
        row["value"] for row in json.loads(first["assay"].output)["scores"] if row["score"] == "alpha" and row["main"]
    )
    same("alpha", ours, float(first["krippendorff"].output))
    bench.race(f"agreement, alpha, {items:,} items × {PEOPLE} annotators", commands)


def alpha_of_package(path: str) -> float:
    """What the package says of the table."""
    import numpy as np

    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    labels = {label: code for code, label in enumerate(sorted({cell for row in rows for cell in row[1:]}))}
    table = np.array([[labels[cell] for cell in row[1:]] for row in rows], dtype=float).T
    return float(import_module("krippendorff").alpha(reliability_data=table, level_of_measurement="nominal"))


if __name__ == "__main__":
    print(alpha_of_package(sys.argv[1]))
