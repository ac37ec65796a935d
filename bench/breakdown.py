"""Where the time of a command goes, in CPU seconds.

Run: breakdown.py COMMAND ARGUMENTS..., as one would run assay.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cached_property, wraps
from importlib import import_module
from io import StringIO
from typing import Any

# What is counted under which part; whatever one of these calls and is not among them counts with it.
PARTS = {
    "reading": ("formats:Input.__init__", "formats:Input.read"),
    "checking": (
        *("engine.treebanks:with_heads", "engine.treebanks:mask_nonprojective"),
        *("engine.warnings:check_system", "engine.warnings:identical_outputs"),
    ),
    "tags to spans": (
        *("formats.schemes:detect_scheme", "formats.schemes:looks_like_tags"),
        "formats.schemes:spans_from_tags",
    ),
    "aligning": (
        *("engine.prepare:align", "engine.prepare:with_spans", "tasks.constituents.prepare:_with_spans"),
        "tasks.cross.treebanks:word_differences",
    ),
    "function trees": (
        *("tasks.cross.treebanks:Treebank.function_trees", "tasks.cross.treebanks:generalise"),
        "tasks.cross.treebanks:tl_unify",
    ),
    "matching": (
        *("engine.spanpairs:match_spans", "tasks.cross.measures:overlay"),
        "tasks.coreference.mentions:match_mentions",
    ),
    "judging": ("engine.measure:Measure.judge", "tasks.tags.measures:judge_words"),
    "counting": (
        *("engine.measure:Measure.counts_of", "engine.counts:Counts.regroup"),
        "tasks.cross.compare:_count",
    ),
    "intervals": ("engine.scores:MeasureScores.scores",),
    "testing": ("engine.scores:MeasureScores.comparisons", "engine.build:mcnemar"),
    "comparing": (
        *("engine.run:join", "engine.items:Items.fold"),
        *("engine.changes:confusion_rows", "engine.changes:label_pair_rows", "engine.changes:compare_answers"),
        *("engine.changes:bounds", "engine.changes:growth", "engine.changes:unique", "engine.changes:transitions"),
    ),
    "writing": ("render:render",),
}
LEAST = 0.005
"""Parts below this are left out."""


def command_parts(name: str, arguments: list[str]) -> dict[str, float]:
    """The steps of a command, each without what counts under another."""
    commands = import_module("assay.cli").assay_command
    command = commands.get_command(commands.make_context("assay", [name], resilient_parsing=True), name)
    modules = ["scale.run", *(place.partition(":")[0] for places in PARTS.values() for place in places)]
    for module in modules if name == "cross" else (one for one in modules if "cross" not in one):
        import_module(f"assay.{module}")
    parts = {"start-up": time.process_time(), **dict.fromkeys(PARTS, 0.0)}
    clock = _Clock(parts)
    for part, places in PARTS.items():
        for place in places:
            if name == "cross" or "cross" not in place:
                clock.watch(part, *place.split(":"))
    with redirect_stdout(StringIO()):
        clock.timed("rest", command.main, arguments, standalone_mode=False)
    return {part: cpu for part, cpu in parts.items() if cpu >= LEAST}


class _Clock:
    """Adds the CPU between two calls, or returns, to the part that is running."""

    def __init__(self, parts: dict[str, float]) -> None:
        self.parts = parts
        self.running: list[str] = []
        self.since = time.process_time()

    def watch(self, part: str, module: str, name: str) -> None:
        """Count a function, or a method, under a part from now on."""
        owner: Any = import_module(f"assay.{module}")
        *outer, last = name.split(".")
        for step in outer:
            owner = getattr(owner, step)
        function = getattr(owner, last)
        if isinstance(function, cached_property):
            function.func = self._watched(part, function.func)
        else:
            setattr(owner, last, self._watched(part, function))

    def _watched(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def watched(*given: Any, **options: Any) -> Any:
            return self.timed(part, function, *given, **options)

        return watched

    def timed(self, part: str, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Call a function; what it yields is worked out at once."""
        self._turn()
        self.running.append(part)
        try:
            answer = function(*given, **options)
            return list(answer) if isinstance(answer, Iterator) else answer
        finally:
            self._turn()
            self.running.pop()

    def _turn(self) -> None:
        now = time.process_time()
        if self.running:
            self.parts[self.running[-1]] = self.parts.get(self.running[-1], 0.0) + now - self.since
        self.since = now


def main() -> None:
    """Print the parts."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does
    print(json.dumps(command_parts(sys.argv[1], sys.argv[2:])))


if __name__ == "__main__":
    main()
