"""Data frames of pandas or polars: whatever has named columns whose cells can be listed."""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.arrays import Ints
from assay.corpus import Column, Corpus
from assay.errors import InputError, unknown

MISSING = ""
"""What a cell without a value becomes."""


def is_frame(given: Any) -> bool:
    """Whether this has the shape of a data frame."""
    return hasattr(given, "columns") and hasattr(given, "shape")


def from_frame(
    frame: Any,
    *,
    label: str | None = None,
    word: str | None = None,
    sentence: str = "sentence",
    document: str | None = None,
    name: str = "data",
) -> Corpus:
    """A corpus from a data frame with a row for each word.

    The columns `sentence` and, where they are there, `word` and `document` are what they say, or others are named;
    rows of one sentence stand together. `label` takes that column alone, so that gold and systems side by side in one
    frame can be compared; without it all columns stay under their names. A cell without a value is no label.
    """
    cells = _cells(frame, name)
    word = word or ("word" if "word" in cells else None)
    document = document or ("document" if "document" in cells else None)
    for wanted in filter(None, (sentence, word, document, label)):
        if wanted not in cells:
            raise InputError(f"{name}: {unknown('column', wanted, cells)} Say which: sentence=, word=, label=.")
    places = [place for place in (document, sentence, word) if place]
    for place in places:
        _check_filled(cells[place], place, name)
    others = {key: column for key, column in cells.items() if key not in places}
    labels = {"label": cells[label]} if label else others
    starts = _starts([cells[place] for place in (document, sentence) if place], name)
    words = cells[word] if word else [MISSING] * len(cells[sentence])
    titles = [cells[document][start] for start in starts[:-1].tolist()] if document else []
    firsts = [index for index, title in enumerate(titles) if not index or title != titles[index - 1]]
    content = repr([words, starts.tolist(), labels]).encode("utf-8", "surrogatepass")
    return Corpus(
        name=name,
        format="frame",
        sha256=hashlib.sha256(content).hexdigest(),
        forms=Column.of(words),
        columns={key: Column.of(column) for key, column in labels.items()},
        starts=starts,
        document_starts=np.array([*firsts, len(starts) - 1]) if document else None,
        document_ids=tuple(titles[index] for index in firsts),
        empty=MISSING,
        has_words=word is not None,
    )


def table_text(frame: Any, name: str) -> str:
    """A data frame as the text of a CSV file, so that it is read and checked as one."""
    cells = _cells(frame, name)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(cells)
    table.writerows(zip(*cells.values(), strict=True))
    return out.getvalue()


def _cells(frame: Any, name: str) -> dict[str, list[str]]:
    """The columns of a frame as texts, by name."""
    columns = list(frame.columns)
    names = list(map(str, columns))
    twice = [column for column in names if names.count(column) > 1]
    if twice:
        raise InputError(f"{name}: has the column {twice[0]} twice.")
    if not columns or not len(frame):
        raise InputError(f"{name}: a data frame without rows.")
    return {
        key: [_text(cell) for cell in frame[column].to_list()] for key, column in zip(names, columns, strict=True)
    }


def _text(cell: Any) -> str:
    """A cell as text; 3.0 is 3, since whole numbers become fractions in a column that lacks one."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and math.isnan(cell)):
        return MISSING
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _check_filled(column: Sequence[str], title: str, name: str) -> None:
    if MISSING in column:
        raise InputError(f"{name}, row {column.index(MISSING)} (counted from 0): {title} is empty.")


def _starts(keys: Sequence[Sequence[str]], name: str) -> Ints:
    """Where sentences begin: with each change of document or sentence; none goes on later."""
    rows = list(zip(*keys, strict=True))
    begins = [index for index, row in enumerate(rows) if not index or row != rows[index - 1]]
    seen: set[tuple[str, ...]] = set()
    for index in begins:
        if rows[index] in seen:
            raise InputError(
                f"{name}, row {index} (counted from 0): sentence {'/'.join(rows[index])} goes on after others. "
                "Put the rows of a sentence together; where each document counts its own, name it: document="
            )
        seen.add(rows[index])
    return np.array([*begins, len(rows)], dtype=np.int64)
