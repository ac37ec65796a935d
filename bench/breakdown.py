"""Where the time of a command goes, in CPU seconds.

Run: breakdown.py compare GOLD A B, or breakdown.py spans GOLD SYSTEM
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import wraps
from importlib import import_module
from io import StringIO
from typing import Any

# What is counted under which part; whatever one of these calls and is not among them counts with it.
SPAN_PARTS = {
    "reading": ("readers:Input.__init__", "readers:Input.read"),
    "tags to spans": ("schemes:detect", "schemes:looks_like_tags", "schemes:spans_of"),
    "aligning": ("prepare.run:align", "prepare.spans:with_spans"),
    "matching": ("spanpairs:SpanPair.matched",),
    "counting": ("measures.definition:Measure.count", "counts:Counts.regrouped"),
    "resampling": ("figures:Figures.scores",),
    "writing": ("render:render",),
}


def compare_parts(paths: list[str]) -> dict[str, float]:
    """The steps of `assay compare … --format json` one by one, each with the CPU it took."""
    import assay.cli.compare  # noqa: F401  what the command loads too
    from assay.evaluate import compare
    from assay.readers import read

    parts = {"start-up": time.process_time()}
    gold, a, b = (read(path, columns=["XPOS"]) for path in paths)
    parts["reading"] = time.process_time()
    result = compare(gold, {"a": a, "b": b}, column="XPOS")
    parts["comparing"] = time.process_time()
    result.to_json()
    parts["writing"] = time.process_time()
    ends = list(parts.values())
    return dict(zip(parts, map(float.__sub__, ends, [0.0, *ends]), strict=False))


def span_parts(paths: list[str]) -> dict[str, float]:
    """The steps of `assay score … -m exact -m fair -m semeval`, each without what counts under another."""
    from assay.cli.score import command

    for name in ("evaluate", *(place.partition(":")[0] for places in SPAN_PARTS.values() for place in places)):
        import_module(f"assay.{name}")
    parts = {"start-up": time.process_time(), **dict.fromkeys(SPAN_PARTS, 0.0)}
    clock = _Clock(parts)
    for part, places in SPAN_PARTS.items():
        for place in places:
            clock.watch(part, *place.split(":"))
    measures = ["-m", "exact", "-m", "fair", "-m", "semeval"]
    with redirect_stdout(StringIO()):
        clock.timed("rest", command.main, [*paths, *measures, "--format", "tsv"], standalone_mode=False)
    return parts


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

        @wraps(function)
        def watched(*given: Any, **options: Any) -> Any:
            return self.timed(part, function, *given, **options)

        setattr(owner, last, watched)

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
    what, *paths = sys.argv[1:]
    print(json.dumps(compare_parts(paths) if what == "compare" else span_parts(paths)))


if __name__ == "__main__":
    main()
