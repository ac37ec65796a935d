"""Search longer than the suite does, and print what was tried: `python -m fuzz 1000 [seed] [name …]` in tests/."""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fuzz.outcomes import TooLong, outcome
from fuzz.targets import Target, targets


def tried(target: Target, number: int, seed: int, folder: Path, known: set[str]) -> Counter[str]:
    """So many attempts; faults of ours are printed, each place once, with the files that show it kept."""
    counts: Counter[str] = Counter()
    for attempt in range(number):
        rng = random.Random(zlib.crc32(f"{seed}/{target.name}/{attempt}".encode()))
        try:
            counts[outcome(target.attempt(folder, rng))] += 1
        except (Exception, TooLong) as error:
            counts["LOST"] += 1
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/assay/" in frame.filename]
            place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
            if f"{type(error)}{place}" not in known:
                known.add(f"{type(error)}{place}")
                print(
                    f"  {target.name} {seed}/{attempt}: {type(error).__name__} {place} {str(error)[:200]}", flush=True
                )
    return counts


def main(words: Sequence[str]) -> int:
    """The table of what was tried."""
    number, seed, names = int(words[0]), int(words[1]) if len(words) > 1 else 0, set(words[2:])
    total: Counter[str] = Counter()
    known: set[str] = set()
    for target in targets():
        if names and target.name not in names:
            continue
        start = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            counts = tried(target, number, seed, Path(folder), known)
        total += counts
        said = ", ".join(f"{counts[kind]} {kind}" for kind in ("done", "refused", "LOST"))
        print(f"{target.name:26} {number:6} tried: {said} ({time.process_time() - start:.1f} s)", flush=True)
    done, refused, lost = (total[kind] for kind in ("done", "refused", "LOST"))
    print(f"{total.total():,} inputs: {done:,} done, {refused:,} refused, {lost:,} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
