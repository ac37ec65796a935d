"""A table of made-up items with gold's labels, metadata and texts, and two systems with confidences."""

from __future__ import annotations

import numpy as np

from assay.corpus import Column
from assay.corpus.items import ItemTable

LABELS = ("neg", "neu", "pos")
MARKUP = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">'


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
