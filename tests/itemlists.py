"""Tables of items for tests, and the cases with exact answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.corpus import SEVERAL, Column, Corpus
from assay.corpus.items import ItemTable

CASES = Path(__file__).parent / "data" / "item_cases.jsonl"


def item_cases(*kinds: str) -> list[dict[str, Any]]:
    """The cases of these kinds."""
    return [case for case in map(json.loads, CASES.read_text("utf-8").splitlines()) if case["kind"] in kinds]


def items(labels: Sequence[Any], name: str = "gold", **more: Any) -> Corpus:
    """A corpus of items with these labels; lists are sets, None is no label."""
    sets = any(isinstance(label, list) for label in labels)
    cells = ["" if cell is None else SEVERAL.join(sorted({*cell})) if sets else cell for cell in labels]
    missing = np.array([label is None for label in labels], dtype=bool)
    for key in ("metadata",):
        if key in more:
            more[key] = {column: Column.of(map(str, cells)) for column, cells in more[key].items()}
    return ItemTable(name, "lists", name, Column.of(cells), missing, sets=sets, **more).corpus()


def value(expected: Any) -> float:
    """The number that a case expects: a fraction with its value, a number, or nan for an undefined one."""
    return float("nan") if expected is None else float(expected[1] if isinstance(expected, list) else expected)
