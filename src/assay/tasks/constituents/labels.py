"""The labels of phrase-structure trees: a category and the functions behind it, or on the edge above."""

from __future__ import annotations

import re

_CUT = re.compile(r"[-=]")
_NO_EDGE = ("--", "-", "")


def category(label: str) -> str:
    """What kind of phrase or word it is: `NP` of `NP-SBJ-1`, `NP=2` and `NP##case=nom##`; `-LRB-` stays as it is."""
    return _parts(label)[0]


def functions(label: str) -> tuple[str, ...]:
    """The functions behind the category, without indices: `LOC` and `PRD` of `NP-LOC-PRD-1`."""
    return tuple(part for part in _parts(label)[1:] if part and not part.isdigit())


def edge_functions(edge: str) -> tuple[str, ...]:
    """The function that the label of an edge is, unless it says that there is none."""
    return () if edge in _NO_EDGE else (edge,)


def _parts(label: str) -> list[str]:
    # A label's first character belongs to its category, for there are tags such as # and =.
    whole = label[:1] + label[1:].partition("#")[0]
    if whole.startswith("-"):
        return [whole]
    first, *others = _CUT.split(whole[1:])
    return [whole[:1] + first, *others]
