"""What the engine knows of dependency trees."""

from __future__ import annotations

from dataclasses import replace

from assay.engine.task import LABELS, Task
from assay.result import Result
from assay.tasks.dependencies import measures
from assay.tasks.dependencies.drawing import ARCS
from assay.tasks.dependencies.prepare import prepare_dependencies
from assay.tasks.dependencies.slices import SLICES


def _present(result: Result) -> Result:
    """The Result with what its confusions mean: answers are heads and relations together."""
    remarks = {
        "confusion same": "The same on both sides: the head is wrong.",
        "confusion nothing": "∅: the other side has no such word.",
        "confusion page": "; same label: wrong head",
    }
    return replace(result, remarks=remarks)


TASK = Task(
    name="dependencies",
    noun="word",
    measures=(measures,),
    defaults=("las", "uas"),
    agreement=("uas", "las"),
    prepare=prepare_dependencies,
    options=LABELS,
    slices=SLICES,
    drawing=ARCS,
    present=_present,
    whole_sentences=True,
)
