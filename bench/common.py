"""What the benchmarks share: where they find things, what they measured, and the same answer before that."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measure import Run, alternating, best, run
from peers import Peers

HERE = Path(__file__).parent
ROOT = HERE.parent
ASSAY = str(Path(sys.executable).parent / "assay")
BARE = "assay --times 1"


@dataclass(frozen=True)
class Row:
    """One task, done by assay and by a peer."""

    task: str
    peer: str
    cpu: float
    peer_cpu: float
    memory: float
    peer_memory: float
    bare: float | None = None
    """assay's CPU seconds where nothing is resampled but what cannot be left out."""

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
    folders: tuple[Path, ...] = ()
    """Where peers are looked for that are on no package index."""
    rows: list[Row] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    """The CPU seconds of each part of a task."""

    def files(self, ending: str, *names: str) -> list[str]:
        """Files of the generated data."""
        return [str(self.data / f"{name}.{ending}") for name in ("gold", *names)]

    def add(self, task: str, done: dict[str, list[Run]]) -> None:
        """A row for each peer; the command called assay is ours."""
        ours, bare = best(done["assay"]), best(done[BARE]).cpu if BARE in done else None
        for peer, runs in done.items():
            if peer not in ("assay", BARE):
                theirs = best(runs)
                self.rows.append(Row(task, peer, ours.cpu, theirs.cpu, ours.memory, theirs.memory, bare))

    def race(self, task: str, commands: Mapping[str, Sequence[str]], slow: Sequence[str] = ()) -> None:
        """Whole commands in turn, and assay's with one resample besides; a row for each peer."""
        bare = {BARE: [*commands["assay"], "--times", "1"]}
        self.add(task, alternating({**commands, **bare}, self.runs, slow))

    def script(self, name: str, under: str = "") -> str:
        """A peer's file in the folders that were named, at any depth; nothing where there is none."""
        found = (path for folder in self.folders for path in sorted(folder.rglob(name)))
        path = next((path for path in found if not under or path.parent.name == under), None)
        if path is None:
            print(f"{name}: left out, for no folder of --peers has it", file=sys.stderr)
        return str(path) if path else ""

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
