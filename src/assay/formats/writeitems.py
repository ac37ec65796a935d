"""Tables of items as text: CSV, tab-separated columns or JSON lines, with every column that was read."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from assay.arrays import Floats
from assay.corpus import SEVERAL, Column, Corpus
from assay.corpus.items import ItemTable
from assay.errors import UsageError
from assay.formats.items import CONFIDENCES, KEYS, PROBABILITY
from assay.formats.logs import INSPECT, LM_EVAL
from assay.formats.spandocuments import list_losses
from assay.formats.table import plain_name

TARGETS = ("csv", "tsv", "jsonl")
_JOINTS = ("|", ";", "+", SEVERAL)
"""What may divide the labels of one cell; the first that is in no label does."""


def write_items(corpus: Corpus, target: str) -> tuple[str, list[str]]:
    """The text of a table of items, and a sentence for everything that is lost or has another name."""
    if target not in TARGETS:
        raise UsageError(f"--to {target}: items have no words. Use --to csv, --to tsv or --to jsonl")
    table = corpus.layers[ItemTable]
    as_lists = table.sets and target == "jsonl"
    labels = [label for column in (table.labels, table.targets) if column is not None for label in column.vocabulary]
    joint = next(
        mark for mark in _JOINTS if not any(mark in part for label in labels for part in label.split(SEVERAL))
    )

    def write_labels(column: Column) -> list[Any]:
        if as_lists:
            return [label.split(SEVERAL) if label else [] for label in column.strings()]
        return [label.replace(SEVERAL, joint) or None for label in column.strings()]

    texts = {name: cells for name, cells in table.texts.items() if plain_name(name) not in KEYS}
    columns: dict[str, Sequence[Any]] = {} if table.ids is None else {"id": table.ids}
    columns |= texts
    if table.targets is not None:
        columns["gold"] = write_labels(table.targets)
    answers = zip(write_labels(table.labels), table.missing.tolist(), strict=True)
    name = "label" if table.targets is None else "prediction"
    columns[name] = [None if gone else label for label, gone in answers]
    if table.confidence is not None:
        columns["confidence"] = _write_numbers(table.confidence)
    if table.shares is not None:
        columns |= {
            f"{PROBABILITY}{name}": _write_numbers(own)
            for name, own in zip(table.shares[0], table.shares[1].T, strict=True)
        }
    # Another column must not be taken for a label: a document of a log may have an `answer`.
    taken = {*map(plain_name, columns), *((*KEYS, *CONFIDENCES) if table.targets is not None else ())}
    others: dict[str, Sequence[Any]] = {name: own for name, own in table.texts.items() if name not in texts}
    others |= {name: own.strings() for name, own in table.metadata.items()}
    others |= {name: _write_numbers(own) for name, own in table.scores.items()}
    losses = []
    for name, cells in others.items():
        other = f"meta_{name}" if plain_name(name) in taken else name
        losses += [f"column {name} is called {other} in {target}."] if other != name else []
        columns[other] = cells
    if not as_lists and any(SEVERAL in label for label in labels):
        how = f"items({'alternatives' if table.alternatives else 'sets'}={joint})"
        losses.append(f'several labels of an item are joined by {joint}. To read them: --input-format "{how}"')
    is_log = table.format in (LM_EVAL, INSPECT)
    losses += list_losses(
        target, [(is_log, "place for the rest of the log (requests, responses, long values), which is left out.")]
    )
    return _write_table(columns, target), losses


def _write_numbers(values: Floats) -> list[float | None]:
    """Numbers as they are read again, None for nan; whole scores have no fraction."""
    return [None if math.isnan(value) else int(value) if value in (0, 1) else value for value in values.tolist()]


def _write_table(columns: dict[str, Sequence[Any]], target: str) -> str:
    """Columns as text; cells of CSV are quoted as RFC 4180 says."""
    rows = zip(*columns.values(), strict=True)
    if target == "jsonl":
        names = [*columns]
        return "".join(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)
    text = io.StringIO()
    writer = csv.writer(text, delimiter="," if target == "csv" else "\t", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
