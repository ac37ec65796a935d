"""What was measured, as Markdown: all of it, and the short tables of the README."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from common import Bench

BEGIN, END = "<!-- begin: make bench -->", "<!-- end: make bench -->"
"""What stands between these lines of a file is written anew."""


def everything(bench: Bench) -> Iterator[str]:
    """Every row, where the time goes, and the goals."""
    yield "| task | peer | assay CPU s | peer CPU s | peer / assay | assay MB | peer MB |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for row in bench.rows:
        memory = "–" if row.peer_memory is None else f"{row.peer_memory:.0f}"
        yield (
            f"| {row.task} | {row.peer} | {row.cpu:.3f} | {row.peer_cpu:.3f} | {row.ratio:.1f} "
            f"| {row.memory:.0f} | {memory} |"
        )
    for task, parts in bench.parts.items():
        yield ""
        yield f"{task}, CPU s by part: " + ", ".join(f"{name} {cpu:.2f}" for name, cpu in parts.items())
    if bench.goals:
        yield ""
        yield "| goal | measured | bound | met |"
        yield "|---|---:|---:|---|"
    for goal in bench.goals:
        bound = f"{'≥' if goal.at_least else '<'} {goal.bound:g} {goal.unit}"
        yield f"| {goal.what} | {goal.value:.3g} {goal.unit} | {bound} | {'yes' if goal.met else '**no**'} |"


def summary(bench: Bench) -> Iterator[str]:
    """Every peer in a line, and how far each task is from reading its files."""
    yield "| task | assay, CPU s | peer | times as fast as the peer |"
    yield "|---|---:|---|---:|"
    before = None
    for row in bench.rows:
        if not row.is_floor:
            task, seconds = ("", "") if row.task == before else (row.task, f"{row.cpu:.2f}")
            before = row.task
            yield f"| {task} | {seconds} | {row.peer} | {row.ratio:,.1f} |"
    if bench.parts:
        yield ""
        yield "| task | start-up, s | reading, s | all the rest, s | reading, of all |"
        yield "|---|---:|---:|---:|---:|"
    for task, parts in bench.parts.items():
        whole, start, reading = sum(parts.values()), parts["start-up"], parts["reading"]
        rest = whole - start - reading
        yield f"| {task} | {start:.2f} | {reading:.2f} | {rest:.2f} | {100 * reading / whole:.0f}% |"


def put_into(path: Path, lines: Iterator[str]) -> None:
    """Replace what stands between the two marks."""
    head, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path.name}: the lines {BEGIN} and {END} are missing.")
    path.write_text("\n".join([head + begin, *lines, end + tail]), encoding="utf-8")
