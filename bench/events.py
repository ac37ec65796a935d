"""Benchmark of events: triggers and arguments of two systems beside a plain loop over JSON lines; and its growth.

As a script it makes the data, or is the loop. Run: events.py make FOLDER SENTENCES; events.py loop GOLD A B
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from common import ASSAY, HERE, ROOT, Bench, Goal, same, scores
from measure import alternating, best, run

SENTENCES = 20_000
TYPES = [f"Type{number}" for number in range(30)]
ROLES = [f"Role{number}" for number in range(20)]
MEASURES = ("triggers(label=any)", "triggers", "arguments(attached=false, label=any)", "arguments(attached=false)")
"""As the output names them."""
LOOP = "json.loads and sets"


def bench_events(bench: Bench) -> None:
    """Two events in a sentence, with three arguments each; every system has other errors."""
    number = SENTENCES // 10 if bench.quick else SENTENCES
    script, spent = str(HERE / "events.py"), []
    more = [part for name in MEASURES for part in ("-m", name)]
    for sentences in (number // 4, number):
        folder = ROOT / ".bench" / "data" / f"events-{sentences}"
        if not (folder / "made").exists():
            print("making the events …", file=sys.stderr)
            subprocess.run([sys.executable, script, "make", str(folder), str(sentences)], check=True)
        files = [str(folder / f"{name}.jsonl") for name in ("gold", "a", "b")]
        commands = {
            "assay": [ASSAY, "compare", *files, *more, "--format", "json"],
            LOOP: [sys.executable, script, "loop", *files],
        }
        if sentences == number:
            first = {name: run(command) for name, command in commands.items()}
            for name, theirs in json.loads(first[LOOP].output).items():
                for own, other in zip(scores(first["assay"].output, "f1", name), theirs, strict=True):
                    same(f"F1 of {name}", own, other)
            bench.race(f"compare, 2 systems, {2 * number:,} events", commands)
            spent.append(bench.rows[-1].cpu)
        else:
            spent.append(best(alternating({"assay": commands["assay"]}, bench.runs)["assay"]).cpu)
    bench.goals.append(Goal("events: growth with four times the data", spent[1] / spent[0], 4.8, "×"))


def count(paths: list[str]) -> dict[str, list[float]]:
    """F1 of each measure and system, from sets."""
    sets: list[dict[str, set[Any]]] = []
    for path in paths:
        found: dict[str, set[Any]] = {name: set() for name in MEASURES}
        with open(path, encoding="utf-8") as lines:
            for at, line in enumerate(lines):
                for event in json.loads(line)["events"]:
                    begin, end, kind = event["trigger"]
                    found["triggers(label=any)"].add((at, begin, end))
                    found["triggers"].add((at, begin, end, kind))
                    for first, last, role in event["arguments"]:
                        found["arguments(attached=false, label=any)"].add((at, kind, first, last))
                        found["arguments(attached=false)"].add((at, kind, first, last, role))
        sets.append(found)
    gold, *systems = sets
    return {
        name: [2 * len(gold[name] & one[name]) / (len(gold[name]) + len(one[name])) for one in systems]
        for name in MEASURES
    }


def make(folder: Path, sentences: int) -> None:
    """Gold and two systems, the same on every machine."""
    draw = random.Random(4)
    folder.mkdir(parents=True, exist_ok=True)
    golds = [[_event(draw, start) for start in (0, 12)] for _ in range(sentences)]
    words = [[f"w{draw.randrange(5000)}" for _ in range(24)] for _ in golds]
    for name, share in (("gold", 0.0), ("a", 0.1), ("b", 0.2)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for at, (tokens, events) in enumerate(zip(words, golds, strict=True)):
                said = [_changed(event, share, draw) for event in events if draw.random() >= share]
                ids = {"doc_id": f"d{at // 20}", "wnd_id": f"d{at // 20}-{at % 20}"}
                file.write(json.dumps({**ids, "tokens": tokens, "events": said}) + "\n")
    (folder / "made").touch()


def _event(draw: random.Random, start: int) -> dict[str, Any]:
    trigger = [start, start + 1, draw.choice(TYPES)]
    arguments = [[start + 3 * at, start + 3 * at + draw.randint(1, 2), draw.choice(ROLES)] for at in (1, 2, 3)]
    return {"trigger": trigger, "arguments": arguments}


def _changed(event: dict[str, Any], share: float, draw: random.Random) -> dict[str, Any]:
    begin, end, kind = event["trigger"]
    arguments = [
        [first, last, draw.choice(ROLES) if draw.random() < share else role]
        for first, last, role in event["arguments"]
        if draw.random() >= share
    ]
    return {"trigger": [begin, end, draw.choice(TYPES) if draw.random() < share else kind], "arguments": arguments}


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "make":
        make(Path(given[0]), int(given[1]))
    else:
        print(json.dumps(count(given)))
