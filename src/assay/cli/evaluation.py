"""What score, compare and merge have in common: check, work, deliver, and 1 where a threshold asked for is missed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from assay.cli.output import Output
from assay.files import write

if TYPE_CHECKING:
    from assay.engine.run import Step
    from assay.result import Result
    from assay.result.gates import Gates


def evaluate(
    verb: str,
    gold: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    output: Output,
    options: dict[str, Any],
) -> int:
    """Score or compare, or write a part; the code that the command exits with."""
    check_stdin(gold, *systems)
    _check_measures(measures)
    output.check()
    gates = gates_of(options.pop("fail_under"), options.pop("fail_if_worse"), options.pop("tolerance"))
    asked = options.pop("embed")
    partial, share = options.pop("partial"), options.pop("shard")
    _check_partial(partial, share, bool(output.form or output.path or output.html or gates))
    text = {"score": "Scoring …", "compare": "Comparing …"}[verb]
    with output.progress(text) as status:
        from assay.engine.options import Options
        from assay.scale.run import evaluate as run
        from assay.scale.run import part_of

        workers = {name: options.pop(name) for name in ("jobs", "cluster")}
        workers["report"] = lambda step: status.update(f"{text} {_so_far(step)}") if status else None
        given = (verb, gold, systems, measures or None, Options(**options, embed=output.embed(asked)))
        if partial is not None:
            from assay.scale.partfiles import to_json

            write(partial, to_json(part_of(*given, share or "1/1", **workers)))
            output.tell(f"written: {partial}")
            return 0
        result = run(*given, **workers)
    return delivered(result, gates, output, texts=asked is not None)


def check_stdin(*paths: str) -> None:
    """Standard input can be read once."""
    from assay.errors import UsageError

    if sum(path.rpartition("=")[2] == "-" or path == "-" for path in paths) > 1:
        raise UsageError("- (standard input) can be given once only.")


def _check_measures(measures: Sequence[str]) -> None:
    from assay.errors import UsageError

    for text in measures:
        names = text.partition("(")[0].split(",")
        if len(names) > 1:
            raise UsageError(f"-m {text}: one measure at a time, e.g. -m {names[0]} -m {names[1].strip()}")


def _check_partial(partial: str | None, share: str | None, more: bool) -> None:
    from assay.errors import UsageError

    if share is not None and partial is None:
        raise UsageError("--shard is for parts. Say where this one goes, e.g.: --partial part-3.json")
    if partial is not None and more:
        raise UsageError("--partial writes a part and nothing else. Tables, pages and gates: assay merge")


def _so_far(step: Step) -> str:
    """Shards, words a second, time left."""
    minutes, seconds = divmod(round(step.left), 60)
    speed = step.tokens / step.seconds if step.seconds else 0
    return f"{step.done:,} of {step.total:,} shards, {speed:,.0f} tokens/s, {minutes}:{seconds:02} left"


def gates_of(thresholds: Sequence[str], baseline: str | None, tolerance: float) -> Gates | None:
    """What the Result has to pass, read before the work begins."""
    from assay.errors import UsageError

    if tolerance and not baseline:
        raise UsageError("--tolerance is about --fail-if-worse BASELINE.json.")
    if not thresholds and not baseline:
        return None
    from assay.result.gates import Baseline, Gates, Threshold

    before = Baseline.read(baseline, tolerance) if baseline else None
    return Gates([Threshold.of(text) for text in thresholds], before)


def delivered(result: Result, gates: Gates | None, output: Output, *, texts: bool) -> int:
    """Write a Result where the user wants it; 1 where a threshold asked for is missed."""
    from assay.errors import shown

    missed = gates.missed(result) if gates else []
    output.deliver(result, texts=texts)
    for line in gates.notes(result) if gates else ():
        output.tell(f"note: {line}")
    for line in missed:
        click.echo(f"assay: {shown(line)}", err=True)
    return 1 if missed else 0
