"""Benchmarks of links: one linker, two compared, and how time grows with the data; no peer reads the same files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from common import ASSAY, HERE, ROOT, Bench, Goal
from measure import alternating, best

WORDS = 1_000_000
MEASURES = ("links", "links(match=overlap)", "links(at=3)", "fair-links", "document-entities")


def bench_links(bench: Bench) -> None:
    """On generated documents with a mention in ten words, some 100,000 in all."""
    words = WORDS // 10 if bench.quick else WORDS
    whole, half = _made(words), _made(words // 2)
    more = [part for name in MEASURES for part in ("-m", name)]
    commands = {
        name: [ASSAY, "score", str(folder / "gold.tsv"), str(folder / "a.tsv"), *more, "--format", "json"]
        for name, folder in (("whole", whole), ("half", half))
    }
    compared = [ASSAY, "compare", *(str(whole / f"{name}.tsv") for name in ("gold", "a", "b")), "--format", "json"]
    done = {name: best(runs) for name, runs in alternating({**commands, "compare": compared}, bench.runs).items()}
    bench.goals.append(Goal(f"links: {len(MEASURES)} measures of {words:,} words", done["whole"].cpu, 6, "s"))
    bench.goals.append(Goal(f"links: two linkers on {words:,} words", done["compare"].cpu, 9, "s"))
    bench.goals.append(Goal("links: growth with twice the data", done["whole"].cpu / done["half"].cpu, 2.3, "×"))
    bench.split("score, 5 measures of links", commands["whole"])


def _made(words: int) -> Path:
    folder = ROOT / ".bench" / "data" / f"links-{words}"
    if not (folder / "made").exists():
        print("making the links …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "linkcorpus.py"), str(folder), str(words)], check=True)
    return folder
