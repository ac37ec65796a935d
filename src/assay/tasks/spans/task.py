"""What the engine knows of labelled spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.engine.matching import FAIR, fair
from assay.engine.parts import Part, Summed, whole_numbers
from assay.engine.prepare import Run
from assay.engine.scores import Settings
from assay.engine.spandrawing import span_drawing
from assay.engine.spanpairs import spans_of
from assay.engine.task import LABELS, Task
from assay.formats.schemes import REPAIRS
from assay.result import Result
from assay.tasks.spans import kappa, measures
from assay.tasks.spans.prepare import prepare_spans, shows_spans
from assay.tasks.spans.slices import SLICES
from assay.tasks.spans.sweep import WEIGHTINGS, span_sweeps
from assay.tasks.spans.tables import present


def _kinds(run: Run, compares: bool) -> Mapping[str, Summed]:
    """How often each kind of outcome occurs in each system."""
    if not compares:
        return {}
    return {
        name: Summed(FAIR, whole_numbers(np.bincount(spans_of(pair).matched(fair).kind, minlength=len(FAIR))))
        for name, pair in run.pairs
    }


def _finish(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with the order of systems under other weightings of the types of errors, which cost nothing."""
    if part.command != "compare" or len(part.judged) < 2:
        return result
    counts = {name: row.totals for name, row in part.of_task.items()}
    drawn = span_sweeps(counts, part.options.sweep or WEIGHTINGS, settings.rng("sweep"))
    return replace(result, sweeps=tuple(drawn))


TASK = Task(
    name="spans",
    noun="span",
    measures=(measures, kappa),
    defaults=("exact", "fair"),
    agreement=("exact", "fair(symmetric=true)", "span-kappa"),
    agreement_where_defined=("span-kappa(on=words)",),
    prepare=prepare_spans,
    recognises=shows_spans,
    options=("scheme", "repair", "gold_errors", "sweep", "map", *LABELS),
    choices=(("repair", ("repair", tuple(REPAIRS))),),
    slices=SLICES,
    drawing=span_drawing(all_count=True),
    matched=True,
    rivals=True,
    text_unit="",
    present=present,
    sums=_kinds,
    finish=_finish,
)
