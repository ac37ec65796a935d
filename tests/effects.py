"""Effects of labels as they are printed, held against the difference that is printed."""

from __future__ import annotations

import pytest

from assay.render import render
from assay.result import Result


def check_effects(result: Result) -> int:
    """The number of tables with effects; each adds up to the difference of its pair, and all renderers agree."""
    found: dict[str, list[list[str]]] = {}
    for block in render(result, "tsv").split("\n\n"):
        title, *lines = block.splitlines()
        found.setdefault(title.removeprefix("# ").partition(" (")[0], [line.split("\t") for line in lines])
    header, *rows = found.get("What differs", [[]])
    differences = {f"By gold label, {row[0]} → {row[1]}": float(row[3]) for row in rows if header[3] == "Δ"}
    tables = [title for title in found if title.startswith("By gold label, ") and found[title][0][-1] == "effect"]
    for title in tables:
        effects = [float(row[-1]) for row in found[title][1:]]
        # Each number is rounded to half of the last digit.
        assert sum(effects) == pytest.approx(differences[title], abs=0.005 * (len(effects) + 1) + 1e-9), title
    for form, column in (("md", " Δ | effect |\n"), ("latex", "effect \\\\\n")):
        assert render(result, form).count(column) == len(tables), form
    return len(tables)
