"""Benchmark of relations: the whole command, and scores of relations that are read already."""

from __future__ import annotations

import subprocess
import sys

from common import ASSAY, HERE, ROOT, Bench, Goal

TOKENS = 1_000_000
SCORED = """
import sys, time
import assay
from assay.formats import Input
gold, system = (Input(path).read(()) for path in sys.argv[1:])
begun = time.process_time()
assay.score(gold, {"system": system}, task="relations")
print(time.process_time() - begun)
"""


def bench_relations(bench: Bench) -> None:
    """Strict, boundary and overlap with intervals, from files and in memory."""
    tokens = TOKENS // 10 if bench.quick else TOKENS
    folder = ROOT / ".bench" / "data" / f"relations-{tokens}"
    if not (folder / "made").exists():
        print("making the relations …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "relationcorpus.py"), str(folder), str(tokens)], check=True)
    files = [str(folder / f"{name}.jsonl") for name in ("gold", "system")]
    commands = {"assay": [ASSAY, "score", *files, "--format", "tsv"]}
    bench.race("score relations; DyGIE", commands)
    seconds = [_scored(files) for _ in range(bench.runs)]
    bench.goals.append(Goal("relations in memory: CPU", min(seconds), 4, "s"))


def _scored(files: list[str]) -> float:
    command = [sys.executable, "-c", SCORED, *files]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
