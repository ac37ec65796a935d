"""What the user chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.align import MISMATCH
from assay.chainpairs import DUPLICATES
from assay.corpus import UNITS
from assay.errors import UsageError, unknown
from assay.measures import TASKS

ONLY_FOR = {
    **dict.fromkeys(("tagset", "strict_tagset", "expand_optional", "alternatives", "weights"), ("tags",)),
    **dict.fromkeys(("scheme", "repair", "gold_errors"), ("spans",)),
    **dict.fromkeys(("mention_types", "duplicates", "missing", "zeros"), ("coreference",)),
    "sweep": ("tags", "spans"),
    "map": ("tags", "spans"),
}
"""Options that have a meaning for some tasks only."""


@dataclass(frozen=True)
class Options:
    """What the user chose; the same words as on the command line."""

    column: str | None = None
    input_format: str | None = None
    task: str | None = None
    unit: str | None = None
    slices: tuple[str, ...] = ()
    train: str | None = None
    lexicon: str | None = None
    oov_fold_case: bool = False
    map: str | None = None
    seed: int = 0
    times: int = 10_000
    interval: str = "percentile"
    on_mismatch: str = "error"
    examples: int = 0
    change: str | None = None
    kind: str | None = None
    tagset: str | None = None
    strict_tagset: bool = False
    expand_optional: bool = False
    alternatives: str | None = None
    weights: str | None = None
    sweep: int = 0
    scheme: tuple[str, ...] = ()
    repair: str | None = None
    gold_errors: str | None = None
    duplicates: str = "error"
    missing: str = "error"
    zeros: str = "error"
    mention_types: str | None = None
    symmetric: bool = False
    """Neither side is gold: two annotators."""

    def check(self) -> None:
        """Refuse values that are none of the choices."""
        from assay.changes import KINDS
        from assay.schemes import REPAIRS

        choices: list[tuple[str, str | None, Sequence[str]]] = [
            ("task", self.task, tuple(TASKS)),
            ("unit", self.unit, UNITS),
            ("repair", self.repair, REPAIRS),
            ("value of duplicates", self.duplicates, DUPLICATES),
            ("value of missing", self.missing, ("error", "empty")),
            ("value of zeros", self.zeros, ("error", "drop")),
            ("interval", self.interval, ("percentile", "bca", "wilson")),
            ("value of on_mismatch", self.on_mismatch, MISMATCH),
            ("kind of change", self.kind, KINDS),
        ]
        for name, value, known in choices:
            if value is not None and value not in known:
                raise unknown(name, value, known)
        if self.times < 1:
            raise UsageError(f"{self.times} resamples are too few.")
        if self.sweep < 0:
            raise UsageError(f"{self.sweep} weightings cannot be drawn.")
        if self.seed < 0:
            raise UsageError(f"seed {self.seed} is negative; a seed is 0 or more.")
        if self.examples < 0:
            raise UsageError(f"{self.examples} examples cannot be shown.")
        if (self.change or self.kind) and not self.examples:
            raise UsageError("--change and --kind choose among examples. Say how many: --examples 5")
        for name in ("train", "lexicon", "map", "gold_errors"):
            if getattr(self, name) == "-":
                raise UsageError(
                    f"--{name.replace('_', '-')} - : this file is read twice, so it cannot come from standard input."
                )
