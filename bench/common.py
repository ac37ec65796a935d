"""What the benchmarks share: where they find things, what they measured, and the same answer before that."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measure import Run, best, run
from peers import KNOWN, Peers

HERE = Path(__file__).parent
ROOT = HERE.parent
ASSAY = str(Path(sys.executable).parent / "assay")


@dataclass(frozen=True)
class Row:
    """One task, done by assay and by a peer."""

    task: str
    peer: str
    cpu: float
    peer_cpu: float
    memory: float
    peer_memory: float | None

    @property
    def ratio(self) -> float:
        """How many times as long the peer takes."""
        return self.peer_cpu / self.cpu


@dataclass(frozen=True)
class Goal:
    """A figure that should stay on one side of a bound."""

    what: str
    value: float
    bound: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it does."""
        return self.value >= self.bound if self.at_least else self.value < self.bound


@dataclass
class Bench:
    """What is measured with, and what was found."""

    data: Path
    peers: Peers
    runs: int
    quick: bool = False
    compareval: Path | None = None
    ud_tools: Path | None = None
    graph_scorers: Path | None = None
    corefud: Path | None = None
    rows: list[Row] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    """The CPU seconds of each part of a task."""

    def files(self, ending: str, *names: str) -> list[str]:
        """Files of the generated data."""
        return [str(self.data / f"{name}.{ending}") for name in ("gold", *names)]

    def add(self, task: str, done: dict[str, list[Run]]) -> None:
        """A row for each peer; the command called assay is ours."""
        ours = best(done["assay"])
        for peer, runs in done.items():
            if peer != "assay":
                theirs = best(runs)
                self.rows.append(Row(task, peer, ours.cpu, theirs.cpu, ours.memory, theirs.memory))

    def add_scaled(self, peer: str, measured: str, task: str | None = None) -> Row:
        """A row for a peer that is not here, from one that is (in whichever task) and the known ratio of both."""
        theirs = next(row for row in reversed(self.rows) if row.peer == measured)
        ours = next(row for row in reversed(self.rows) if row.task == (task or theirs.task))
        cpu = theirs.peer_cpu * KNOWN[peer] / KNOWN[measured]
        title = f"{peer} (not run: {measured} × {KNOWN[peer]:g}/{KNOWN[measured]:g})"
        self.rows.append(Row(ours.task, title, ours.cpu, cpu, ours.memory, None))
        return self.rows[-1]

    def times_as_fast(self, what: str, row: Row, bound: float) -> None:
        """The goal that we take this part of a peer's time."""
        self.goals.append(Goal(f"{what}: times as fast as {row.peer}", row.ratio, bound, "×", at_least=True))

    def split(self, task: str, command: Sequence[str]) -> None:
        """Where the time of assay's command goes, in the run that took least."""
        watched = [sys.executable, str(HERE / "breakdown.py"), *command[1:]]
        taken = [json.loads(run(watched).output) for _ in range(self.runs)]
        self.parts[task] = min(taken, key=lambda parts: sum(parts.values()))


# --- same answers ---


def same(what: str, ours: float, theirs: float, tolerance: float = 1e-9) -> None:
    """Stop where the answers differ: then there is nothing to time."""
    if not abs(ours - theirs) <= tolerance:
        raise SystemExit(
            f"{what}: assay says {ours}, the peer {theirs} (tolerance {tolerance:.3g}). Nothing was timed."
        )


def scores(output: str, name: str, measure: str = "accuracy") -> list[float]:
    """A score of all systems over all labels, from assay's JSON."""
    return [
        row["value"]
        for row in json.loads(output)["scores"]
        if row["measure"] == measure and row["score"] == name and row["label"] is None and row["slice"] is None
    ]
