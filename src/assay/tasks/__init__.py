"""A folder per task. Each has a `task.py` with the record TASK that tells the engine what the task is.

Options of the command line that belong to it are in its `options.py`, which imports nothing that takes time.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from assay.specs import Option

NAMES = (
    *("tags", "spans", "dependencies", "graphs", "relations", "links", "constituents", "coreference", "ratings"),
    "cross",
)
"""All tasks, in the order in which they are listed."""


@cache
def task_options() -> dict[str, Option]:
    """The options that belong to tasks, by name."""
    modules = [f"assay.tasks.{name}.options" for name in NAMES]
    found = [option for name in modules if find_spec(name) for option in import_module(name).OPTIONS]
    return {option.name: option for option in found}
