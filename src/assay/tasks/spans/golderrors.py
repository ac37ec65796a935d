"""Files that list errors of gold itself: sentence, label, first, last."""

from __future__ import annotations

import re

import numpy as np

from assay.corpus import Column, Corpus, Spans
from assay.errors import InputError
from assay.formats.source import Source

_NUMBER = re.compile(r"[0-9]{1,9}")


def read_gold_errors(path: str, gold: Corpus) -> Spans:
    """The spans listed, tab-separated: sentence (id or number), label, first and last atom.

    Words are counted from 1, the last one included; characters of texts from 0, the last one not included, as in the
    formats that have them. A span that gold has is wrong there; one that it does not have should be there.
    """
    sentences = {str(number): number - 1 for number in range(1, gold.sentences + 1)}
    sentences |= {name: number for number, name in enumerate(gold.sentence_ids)}
    if gold.documents == gold.sentences:
        sentences |= {gold.document_name(number): number for number in range(gold.documents)}
    rows, labels = [], []
    for batch in Source(path).batches():
        for number, line in batch.lines():
            if line.strip():
                place = f"{path}:{number}"
                sentence, label, begin, end = _cells(line, place)
                if sentence not in sentences:
                    raise InputError(f"{place}: no sentence {sentence!r} in {gold.name}.")
                first = begin if gold.texts is not None else begin - 1
                _check(gold, sentences[sentence], first, end, place)
                rows.append((sentences[sentence], first, end, number))
                labels.append(label)
    if not rows:
        raise InputError(f"{path}: no errors in it. A line is: sentence TAB label TAB first TAB last")
    columns = np.array(rows, dtype=np.int64).T
    return Spans.sorted(columns[0], columns[1], columns[2], Column.of(labels), columns[3])


def _cells(line: str, place: str) -> tuple[str, str, int, int]:
    cells = line.split("\t")
    if len(cells) != 4 or not all(map(_NUMBER.fullmatch, cells[2:])) or not cells[1]:
        raise InputError(f"{place}: {line!r} where a line is: sentence TAB label TAB first TAB last")
    return cells[0], cells[1], int(cells[2]), int(cells[3])


def _check(gold: Corpus, sentence: int, begin: int, end: int, place: str) -> None:
    length = len(gold.texts[sentence]) if gold.texts is not None else int(np.diff(gold.starts)[sentence])
    if not 0 <= begin < end or (end > length and gold.has_words):
        raise InputError(f"{place}: not a stretch within a sentence of {length}.")
