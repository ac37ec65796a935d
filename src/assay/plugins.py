"""Parts of assay from outside its tree: tasks, formats, measures, slices and renderers, by entry points of Python.

To look through the entry points of all installed packages takes 40 ms. So assay does it only for a name that it does
not know, for a file that none of its own formats recognises, and to list what there is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from assay.errors import UsageError

KINDS = ("tasks", "formats", "measures", "slices", "renderers")
"""Kinds of parts; the group of entry points is `assay.KIND`."""


@cache
def _entry_points(kind: str) -> dict[str, Any]:
    from importlib.metadata import entry_points

    assert kind in KINDS
    return {point.name: point for point in entry_points(group=f"assay.{kind}")}


def load(kind: str, name: str) -> Any:
    """The part with this name, None if no installed package has one."""
    point = _entry_points(kind).get(name)
    if point is None:
        return None
    try:
        return point.load()
    except Exception as error:
        # Whatever goes wrong in somebody's package is theirs to put right.
        package = point.dist.name if point.dist else point.module
        raise UsageError(
            f"{name} of the package {package} cannot be loaded: {type(error).__name__}: {error}. Update or remove "
            f"the package."
        ) from error


def load_all(kind: str) -> dict[str, Any]:
    """All parts of a kind that installed packages have, by name."""
    return {name: load(kind, name) for name in sorted(_entry_points(kind))}
