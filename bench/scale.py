"""Time and memory over corpora that grow: generated tags in compressed shards, compared as a folder.

Run: scale.py [MILLIONS ...] [--jobs N]; the default is 1 5 10 50. Shards are made once, in .bench/scale, from a few
thousand sentences drawn after Zipf, and shared by all sizes, so that 50 million tokens cost one gigabyte of disk.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus import SEED, sentences

HERE = Path(__file__).resolve().parents[1]
FOLDER = HERE / ".bench" / "scale"
SIDES = ("gold", "a", "b")
TOKENS = 250_000
"""Words of a shard."""
POOL = 400_000
"""Words of the sentences that shards are drawn from."""


def make(shards: int) -> None:
    """Write the shards that are missing."""
    folders = {side: FOLDER / "all" / side for side in SIDES}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    missing = [number for number in range(shards) if not (folders["b"] / f"{number:05}.conllu.gz").exists()]
    pool = [_texts(words) for words in sentences(random.Random(SEED), POOL)] if missing else []
    for number in missing:
        rng, chosen, size = random.Random(SEED + number), [], 0
        while size < TOKENS:
            chosen.append(rng.choice(pool))
            size += chosen[-1][0]
        for place, side in enumerate(SIDES):
            path = folders[side] / f"{number:05}.conllu.gz"
            draft = path.with_suffix(".part")
            with gzip.open(draft, "wt", encoding="utf-8", compresslevel=1) as stream:
                for index, sentence in enumerate(chosen):
                    # A document every 500 sentences.
                    stream.write(f"# newdoc id = d{number}-{index // 500}\n" if index % 500 == 0 else "")
                    stream.write(f"# sent_id = s{number}-{index}\n{sentence[1][place]}\n")
            os.replace(draft, path)


def _texts(words: Sequence[Any]) -> tuple[int, list[str]]:
    """A sentence in CoNLL-U as gold and as two taggers have it."""
    sides = []
    for side in SIDES:
        rows = (
            f"{number}\t{word.form}\t{word.lemma}\t_\t{getattr(word, side)}\t_\t{word.head}\t{word.relation}\t_\t_\n"
            for number, word in enumerate(words, 1)
        )
        sides.append("".join(rows))
    return len(words), sides


def view(shards: int) -> Path:
    """Folders of the first shards, as links."""
    folder = FOLDER / f"first-{shards}"
    for side in SIDES:
        (folder / side).mkdir(parents=True, exist_ok=True)
        for number in range(shards):
            link = folder / side / f"{number:05}.conllu.gz"
            if not link.exists():
                link.symlink_to(FOLDER / "all" / side / link.name)
    return folder


def measure(folder: Path, jobs: int, extra: list[str]) -> dict[str, float]:
    """Seconds, and the most memory that any process took."""
    out = folder / "result.json"
    sides = [str(folder / side) for side in SIDES]
    command = [sys.executable, "-m", "assay", "compare", *sides, "--column", "XPOS", "--jobs", str(jobs), *extra]
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "-o", str(out), "--quiet"], check=True)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The largest of all children so far, theirs included: sizes grow, so it belongs to this one or is smaller.
    memory = after.ru_maxrss / 1024
    result = json.loads(out.read_text("utf-8"))
    return {"tokens": result["gold"]["words"], "seconds": seconds, "cpu": cpu, "memory": memory}


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("millions", nargs="*", type=float, default=[1, 5, 10, 50])
    parser.add_argument("--jobs", type=int, default=1)
    known, extra = parser.parse_known_args()
    print("tokens\tseconds\tCPU seconds\ttokens per CPU second\tpeak MB (largest process)")
    for millions in known.millions:
        shards = max(1, round(millions * 1_000_000 / TOKENS))
        make(shards)
        row = measure(view(shards), known.jobs, extra)
        speed = row["tokens"] / row["cpu"]
        print(
            f"{row['tokens']:,.0f}\t{row['seconds']:.1f}\t{row['cpu']:.1f}\t{speed:,.0f}\t{row['memory']:.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
