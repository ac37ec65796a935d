"""Tables of items for tests, the cases with exact answers, and made-up items with texts and confidences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.corpus import SEVERAL, Column, Corpus
from assay.corpus.items import ItemTable

CASES = Path(__file__).parent / "data" / "item_cases.jsonl"
LABELS = ("neg", "neu", "pos")
MARKUP = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">'


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


def make_tables(number: int = 120, texts: tuple[str, ...] = ("premise", "hypothesis")) -> list[ItemTable]:
    """Gold and two systems; a does not answer the third item, and the first text is markup."""
    rng = np.random.default_rng(1)
    gold = rng.choice(LABELS, number, p=(0.5, 0.2, 0.3))
    words = ["dull", "and", "long", "but", "the", "actors", "were", "good"]
    first = [MARKUP, *(" ".join(rng.choice(words, 12)) for _ in range(number - 1))]
    first[1] = "long " * 200
    parts = {name: [f"{place} {text}" if place else text for text in first] for place, name in enumerate(texts)}

    def table(path: str, labels: list[str], **more: object) -> ItemTable:
        missing = np.array([not label for label in labels])
        more |= {"ids": [f"r{row + 1}" for row in range(number)], "texts": parts, "lines": np.arange(number) + 2}
        return ItemTable(path, "csv", path, Column.of(labels), missing, **more)  # type: ignore[arg-type]

    metadata = {"domain": Column.of(rng.choice(["film", "book"], number).tolist())}
    tables = [table("gold.csv", gold.tolist(), metadata=metadata)]
    for path, share in (("a.csv", 0.7), ("b.csv", 0.8)):
        labels = np.where(rng.random(number) < share, gold, rng.choice(LABELS, number))
        sure = np.round(np.where(labels == gold, rng.beta(6, 2, number), rng.beta(4, 3, number)), 2)
        listed = labels.tolist()
        listed[2] = "" if path == "a.csv" else listed[2]
        tables.append(table(path, listed, confidence=sure))
    return tables
