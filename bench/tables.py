"""What was measured, as Markdown: all of it, and the most telling rows for the README."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from common import Bench

BEGIN, END = "<!-- begin: make bench -->", "<!-- end: make bench -->"
"""What stands between these lines of a file is written anew."""
TELLING = (
    ("score, 1 system", "conll18_ud_eval"),
    ("score exact, fair, semeval; span table", "FairEval"),
    ("score parseval as EVALB with new.prm; made trees", "EVALB"),
    ("score, 10 measures of coreference", "coval"),
    ("score, 9 measures of coreference with zeros", "CorefUD scorer"),
)
"""The tasks and peers that the README shows: a usual scorer of each kind, and one that is ahead."""


def everything(bench: Bench) -> Iterator[str]:
    """Every row, where the time goes, and the goals."""
    yield "| task | peer | assay CPU s | with `--times 1` | peer CPU s | peer / assay | assay MB | peer MB |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for row in bench.rows:
        bare = "–" if row.bare is None else f"{row.bare:.3f}"
        yield (
            f"| {row.task} | {row.peer} | {row.cpu:.3f} | {bare} | {row.peer_cpu:.3f} | {row.ratio:.1f} "
            f"| {row.memory:.0f} | {row.peer_memory:.0f} |"
        )
    yield from _parts(bench)
    if bench.goals:
        yield ""
        yield "| goal | measured | bound | met |"
        yield "|---|---:|---:|---|"
    for goal in bench.goals:
        bound = f"{'≥' if goal.at_least else '<'} {goal.bound:g} {goal.unit}"
        yield f"| {goal.what} | {goal.value:.3g} {goal.unit} | {bound} | {'yes' if goal.met else '**no**'} |"


def _parts(bench: Bench) -> Iterator[str]:
    """How far each task is from reading its files, and what the rest of its time goes into."""
    if bench.parts:
        yield ""
        yield "| task | CPU s | start-up | reading | reading, of all | the rest |"
        yield "|---|---:|---:|---:|---:|---|"
    for task, parts in bench.parts.items():
        whole, start, reading = sum(parts.values()), parts["start-up"], parts["reading"]
        rest = ", ".join(f"{name} {cpu:.2f}" for name, cpu in parts.items() if name not in ("start-up", "reading"))
        yield f"| {task} | {whole:.2f} | {start:.2f} | {reading:.2f} | {100 * reading / whole:.0f}% | {rest} |"


def summary(bench: Bench) -> Iterator[str]:
    """The most telling rows."""
    yield "| task | assay, CPU s | peer | times as fast as the peer |"
    yield "|---|---:|---|---:|"
    for row in bench.rows:
        if any(row.task == task and row.peer.startswith(peer) for task, peer in TELLING):
            ratio = f"{row.ratio:,.0f}" if row.ratio >= 10 else f"{row.ratio:.2g}"
            yield f"| {row.task} | {row.cpu:.2g} | {row.peer} | {ratio} |"


def put_into(path: Path, lines: Iterator[str]) -> None:
    """Replace what stands between the two marks."""
    head, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path.name}: the lines {BEGIN} and {END} are missing.")
    path.write_text("\n".join([head + begin, *lines, end + tail]), encoding="utf-8")
