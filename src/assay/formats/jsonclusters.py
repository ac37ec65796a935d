"""Documents in JSON lines with their clusters of mentions, each mention given by its first and last word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.formats.builder import Builder, document_id, refuse_all
from assay.formats.conll2012 import TAG
from assay.formats.source import Source
from assay.formats.standoff import shown

GOLD, PREDICTED = "clusters", "predicted_clusters"
ENDS = ("inclusive", "exclusive")
WHICH = ("auto", GOLD, PREDICTED)
_EXAMPLE = '{"doc_key": "d1", "sentences": [["She", "left"]], "clusters": [[[0, 0]]]}'


def looks_clusters(head: Sequence[str]) -> bool:
    """True if the first line is a document with clusters."""
    return not {GOLD, PREDICTED}.isdisjoint(_first(head))


def cluster_labels(head: Sequence[str]) -> tuple[str, ...]:
    """The columns that the first document has."""
    return (TAG,) if "pos" in _first(head) else ()


def _first(head: Sequence[str]) -> dict[str, Any]:
    try:
        value = json.loads(next((line for line in head if line.strip()), ""))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_clusters(source: Source, builder: Builder, *, end: str = "inclusive", which: str = "auto") -> None:
    """Read one file; `end` says whether the last word of a mention belongs to it, `which` clusters are meant."""
    builder.begin_file(source.path)
    problems: list[str] = []
    for batch in source.batches():
        for number, line in batch.lines():
            if line.strip():
                place = f"{source.path}:{number}"
                try:
                    _read_document(line, number, place, end == "inclusive", which, builder, problems)
                except _DocumentError as fault:
                    problems.append(f"{place}: {fault}")
    refuse_all(problems)
    if not builder.ids:
        raise InputError(f"{source.path}:1: no document in the file. A document is {_EXAMPLE}")
    builder.end_file()


class _DocumentError(Exception):
    """What keeps the rest of a document from being read."""


def _read_document(
    text: str, line: int, place: str, inclusive: bool, which: str, builder: Builder, problems: list[str]
) -> None:
    """Add a document to the builder, or what is wrong with its mentions to the problems."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = f"{error.msg}, character {error.colno}" if isinstance(error, json.JSONDecodeError) else "too deep"
        raise _DocumentError(f"no JSON ({why}). A document is one line, {_EXAMPLE}") from None
    if not isinstance(value, dict):
        raise _DocumentError(f"{shown(value)} where a document should stand. It is {_EXAMPLE}")
    columns = [_cells(value.get("sentences"), "sentences")]
    if TAG in builder.names:
        columns.append(_cells(value.get("pos"), "pos"))
        if list(map(len, columns[0])) != list(map(len, columns[1])):
            raise _DocumentError("pos has other lengths than sentences. Give one tag for each word.")
    words = sum(map(len, columns[0]))
    key = _key(value, which)
    clusters = _listed(value[key], key)
    before, rows = len(problems), []
    for number, cluster in enumerate(clusters):
        path = f"{key}[{number}]"
        if not _listed(cluster, path):
            problems.append(f"{place}: {path} is empty. A cluster has one mention at least.")
        for index, span in enumerate(cluster):
            if fault := _fault(span, words, inclusive):
                problems.append(f"{place}: {path}[{index}] is {shown(span)}, {fault}")
            else:
                rows.append((span[0], span[1] + inclusive, number, line))
    name = value.get("doc_key", "")
    if not isinstance(name, str) or not _is_text(name):
        raise _DocumentError(f"doc_key is {shown(name)} where a string should stand.")
    if len(problems) > before:
        return
    try:
        builder.identify(document_id(name, len(builder.ids) + 1), place)
    except InputError as error:
        problems.append(str(error))
    ends = builder.words + np.cumsum([len(sentence) for sentence in columns[0] if sentence])
    flat = [cell for row in zip(*(chain(*column) for column in columns), strict=True) for cell in row]
    builder.add(flat, ends.tolist(), [line] * len(ends))
    mentions = [(builder.begun - 1, *row) for row in rows]
    names = [str(number) for number in range(len(clusters))]
    builder.mentions(np.array(mentions, dtype=np.int64).reshape(-1, 5), names)


def _key(value: dict[str, Any], which: str) -> str:
    """The name of the clusters that are meant."""
    there = [key for key in (GOLD, PREDICTED) if key in value]
    if which != WHICH[0]:
        if which not in there:
            raise _DocumentError(f"no {which} in it. There is: {', '.join(value)}.")
        return which
    if len(there) == 2:
        example = f'--input-format "clusters(which={PREDICTED})"'
        raise _DocumentError(f"both {GOLD} and {PREDICTED} are there. Say which are meant: {example}")
    if not there:
        raise _DocumentError(f"no {GOLD} in it. Give [] where there are none.")
    return there[0]


def _fault(span: Any, words: int, inclusive: bool) -> str:
    """The fault of a mention [first, last], and the remedy; nothing where it has none."""
    if not (isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)):
        fact = "where a mention [first, last] should stand"
    elif not 0 <= span[0] < words or span[1] + inclusive > words:
        fact = f"which lies outside the document, whose {words:,} words are counted from 0"
    elif span[0] >= span[1] + inclusive:
        fact = "which ends before it begins" if inclusive else "which has no words where end is exclusive"
    else:
        return ""
    remedy = f"The last word {'belongs' if inclusive else 'does not belong'} to a mention."
    if inclusive and isinstance(span, list) and span[1:] == [words]:
        remedy = 'If the last word does not belong to mentions: --input-format "clusters(end=exclusive)"'
    return f"{fact}. {remedy}"


def _listed(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise _DocumentError(f"{path} is {shown(value)} where a list should stand.")
    return value


def _cells(value: Any, path: str) -> list[list[str]]:
    """A list of sentences, each a list of strings."""
    if value is None:
        raise _DocumentError(f"no {path} in it. A document is {_EXAMPLE}")
    sentences = [_listed(sentence, f"{path}[{number}]") for number, sentence in enumerate(_listed(value, path))]
    for number, sentence in enumerate(sentences):
        for place, cell in enumerate(sentence):
            if not (isinstance(cell, str) and cell and _is_text(cell)):
                raise _DocumentError(f"{path}[{number}][{place}] is {shown(cell)} where a word should stand.")
    if not any(sentences):
        raise _DocumentError("a document without words. Leave it out.")
    return sentences


def _is_text(cell: str) -> bool:
    """True if there is no half of a character (a lone surrogate) in it."""
    return cell.isascii() or not any("\ud800" <= character <= "\udfff" for character in cell)
