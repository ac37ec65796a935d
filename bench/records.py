"""Benchmark of records: 10,000 of 20 values and more, two systems, compared with intervals and tests; its growth; and
the package of ANLS*.

As a script it makes the data, or scores with the package. Run: records.py make FOLDER NUMBER; records.py anls GOLD A
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from common import ASSAY, HERE, ROOT, Bench, Goal, same, scores
from measure import alternating, best, run

NUMBER = 10_000


def bench_records(bench: Bench) -> None:
    """Records with two lists of five objects; values of the systems are wrong, missing or in another order."""
    spent: list[float] = []
    for number in (NUMBER // 10, NUMBER) if not bench.quick else (NUMBER // 20, NUMBER // 10):
        folder = ROOT / ".bench" / "data" / f"records-{number}"
        if not (folder / "made").exists():
            subprocess.run([sys.executable, str(HERE / "records.py"), "make", str(folder), str(number)], check=True)
        files = [str(folder / f"{name}.jsonl") for name in ("gold", "a", "b")]
        commands = {
            "score": [ASSAY, "score", *files[:2], "--format", "json"],
            "compare": [ASSAY, "compare", *files, "--format", "json"],
        }
        done = {name: best(runs) for name, runs in alternating(commands, bench.runs).items()}
        found = json.loads(done["score"].output)["about"]["items"]
        if found < 20 * number:
            raise SystemExit(f"{found} values: not all records were read as they were made. Nothing was timed.")
        spent.append(done["compare"].cpu)
        if number == NUMBER or bench.quick:
            bench.goals.append(Goal(f"{number:,} records, one system: CPU", done["score"].cpu, 10, "s"))
    bench.goals.append(Goal("two systems: CPU of more records per record, times that of fewer",
                            spent[1] / spent[0] / (2 if bench.quick else 10), 1.3, ""))  # fmt: skip
    folder = ROOT / ".bench" / "data" / f"records-{NUMBER // 10}"
    files = [str(folder / f"{name}.jsonl") for name in ("gold", "a")]
    commands = {
        "assay": [ASSAY, "score", *files, "-m", "anls", "--format", "json"],
        "anls_star": [bench.peers.python, str(HERE / "records.py"), "anls", *files],
    }
    first = {name: run(command) for name, command in commands.items()}
    same("ANLS*", scores(first["assay"].output, "anls", "anls")[0], float(first["anls_star"].output))
    bench.race(f"score anls, {NUMBER // 10:,} records", commands)


def score_with_package(gold: str, system: str) -> float:
    """The mean ANLS* over records."""
    anls_score = import_module("anls_star").anls_score
    sides = []
    for path in (gold, system):
        with open(path, encoding="utf-8") as lines:
            sides.append([json.loads(line)["record"] for line in lines])
    return float(sum(anls_score(*pair) for pair in zip(*sides, strict=True)) / len(sides[0]))


def make(folder: Path, number: int) -> None:
    """Gold and two systems, the same on every machine."""
    draw = random.Random(3)
    folder.mkdir(parents=True, exist_ok=True)
    golds = [_record(draw) for _ in range(number)]
    for name, share in (("gold", 0.0), ("a", 0.2), ("b", 0.3)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for document, record in enumerate(golds):
                said = _changed(record, share, draw) if share else record
                file.write(json.dumps({"id": str(document), "record": said}) + "\n")
    (folder / "made").touch()


def _record(draw: random.Random) -> dict[str, Any]:
    return {
        "vendor": f"{draw.choice('ABCDEFGH')}corp {draw.randrange(900)}",
        "date": f"20{draw.randrange(10, 25)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}",
        "total": draw.randrange(1, 100_000) / 100,
        "paid": draw.random() < 0.5,
        "items": [{"sku": f"S{draw.randrange(999)}", "price": draw.randrange(500)} for _ in range(5)],
        "tags": [{"name": draw.choice(["red", "green", "blue"]), "weight": draw.randrange(9)} for _ in range(5)],
    }


def _changed(record: dict[str, Any], share: float, draw: random.Random) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(json.dumps(record))
    draw.shuffle(said["items"])
    if draw.random() < share:
        said["vendor"] += "x"
    if draw.random() < share:
        said["items"].pop()
    if draw.random() < share:
        said["tags"][0]["weight"] += 1
    return said


if __name__ == "__main__":
    what, first, second = sys.argv[1:]
    if what == "make":
        make(Path(first), int(second))
    else:
        print(score_with_package(first, second))
