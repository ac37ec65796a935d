"""Measures by name: `find("accuracy(column=XPOS)")`, `find("mymodule:myfunction")`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from assay import specs
from assay.errors import UsageError, unknown
from assay.measures import agreement, constituents, coreference, cross, dependencies, richtags, spans, tags
from assay.measures.definition import Definition, Measure, definition_of, measure, registered

__all__ = [
    "TASKS",
    "Definition",
    "Measure",
    "agreement",
    "constituents",
    "coreference",
    "cross",
    "dependencies",
    "find",
    "measure",
    "measures",
    "richtags",
    "spans",
    "tags",
]

TASKS = {
    "tags": tags.DEFAULTS,
    "spans": spans.DEFAULTS,
    "dependencies": dependencies.DEFAULTS,
    "constituents": constituents.DEFAULTS,
    "coreference": coreference.DEFAULTS,
}
"""The measures a task gets where the user names none."""


def measures() -> dict[str, Definition]:
    """All measures that come with assay, by name, task by task."""
    tasks = [*TASKS, "cross"]
    in_order = (tags, richtags, spans, dependencies, constituents, cross, coreference, agreement)
    modules = [module.__name__ for module in in_order]

    def place(item: tuple[str, Definition]) -> tuple[int, int]:
        return tasks.index(item[1].task), modules.index(item[1].function.__module__)

    return dict(sorted(registered.items(), key=place))


def find(spec: str) -> Measure:
    """The measure that a spec such as `accuracy(column=XPOS)` stands for."""
    name, given = specs.parse(spec, "measure")
    definition = _own(name) if ":" in name else registered.get(name)
    if definition is None:
        raise unknown("measure", name, registered)
    return Measure(definition, specs.typed(f"measure {name}", given, definition.parameters))


def _own(name: str) -> Definition:
    """A user's measure: `module:function`, looked up from the current folder too."""
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise UsageError(f"measure {name!r} should be module:function.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        function = getattr(importlib.import_module(module_name), function_name)
    except Exception as error:
        # Whatever goes wrong in a user's module is the user's to put right.
        raise UsageError(f"measure {name!r} cannot be loaded: {type(error).__name__}: {error}.") from error
    return definition_of(function, name)
