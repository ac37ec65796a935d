"""Documents in JSON lines with their clusters of mentions, each mention given by its first and last word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.chains import document_id, refuse_all
from assay.formats.conll2012 import TAG
from assay.formats.offsets import shown
from assay.formats.source import Source

GOLD, PREDICTED = "clusters", "predicted_clusters"
ENDS = ("inclusive", "exclusive")
WHICH = ("auto", GOLD, PREDICTED)
_EXAMPLE = '{"doc_key": "d1", "sentences": [["She", "left"]], "clusters": [[[0, 0]]]}'


def looks_clusters(head: Sequence[str]) -> bool:
    """Whether the first line is a document with clusters."""
    return not {GOLD, PREDICTED}.isdisjoint(_first(head))


def cluster_labels(head: Sequence[str]) -> tuple[str, ...]:
    """The columns that the first document has."""
    return (TAG,) if "pos" in _first(head) else ()


def _first(head: Sequence[str]) -> dict[str, Any]:
    line = next((line for line in head if line.strip()), "")
    try:
        value = json.loads(line)
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
                document = _Document(f"{source.path}:{number}", number, end == "inclusive", which)
                document.read(line, builder)
                problems += document.problems
    refuse_all(problems)
    if not builder.documents:
        raise InputError(f"{source.path}:1: no document in the file. A document is {_EXAMPLE}")
    builder.end_file()


class _DocumentError(Exception):
    """What keeps the rest of a document from being read."""


class _Document:
    """One line of a file: what is wrong with it is collected."""

    def __init__(self, place: str, line: int, inclusive: bool, which: str) -> None:
        self._place, self._line, self._inclusive, self._which = place, line, inclusive, which
        self.problems: list[str] = []

    def read(self, line: str, builder: Builder) -> None:
        try:
            value = self._parsed(line)
            forms = _cells(value.get("sentences"), "sentences")
            columns = [forms, _tags(value, forms)] if TAG in builder.names else [forms]
            mentions, names = self._mentions(value, sum(map(len, forms)))
            name = _name(value, builder.documents + 1)
        except _DocumentError as fault:
            self.problems.append(f"{self._place}: {fault}")
            return
        if not self.problems:
            self._add(name, columns, builder)
            builder.mentions(mentions, names)

    def _parsed(self, line: str) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            why = f"{error.msg}, character {error.colno}" if isinstance(error, json.JSONDecodeError) else "too deep"
            raise _DocumentError(f"no JSON ({why}). A document is one line, {_EXAMPLE}") from None
        if not isinstance(value, dict):
            raise _DocumentError(f"{shown(value)} where a document should stand. It is {_EXAMPLE}")
        return value

    def _add(self, name: str, columns: list[list[list[str]]], builder: Builder) -> None:
        try:
            builder.identify(name, self._place)
        except InputError as error:
            self.problems.append(str(error))
        ends, words = [], builder.words
        for sentence in filter(None, columns[0]):
            words += len(sentence)
            ends.append(words)
        flat = [cell for row in zip(*(chain(*column) for column in columns), strict=True) for cell in row]
        builder.add(flat, ends, [self._line] * len(ends))

    def _mentions(self, value: dict[str, Any], words: int) -> tuple[list[tuple[int, int, int, int]], list[str]]:
        key = self._key(value)
        clusters = _listed(value[key], key)
        rows = []
        for number, cluster in enumerate(clusters):
            path = f"{key}[{number}]"
            if not _listed(cluster, path):
                self.problems.append(f"{self._place}: {path} is empty. A cluster has one mention at least.")
            for place, span in enumerate(cluster):
                bounds = self._bounds(span, f"{path}[{place}]", words)
                if bounds is not None:
                    rows.append((*bounds, number, self._line))
        return rows, [str(number) for number in range(len(clusters))]

    def _key(self, value: dict[str, Any]) -> str:
        """Which of the clusters are meant."""
        there = [key for key in (GOLD, PREDICTED) if key in value]
        if self._which != WHICH[0]:
            if self._which not in there:
                raise _DocumentError(f"no {self._which} in it. There is: {', '.join(value)}.")
            return self._which
        if len(there) == 2:
            example = f'--input-format "clusters(which={PREDICTED})"'
            raise _DocumentError(f"both {GOLD} and {PREDICTED} are there. Say which are meant: {example}")
        if not there:
            raise _DocumentError(f"no {GOLD} in it. Give [] where there are none.")
        return there[0]

    def _bounds(self, span: Any, path: str, words: int) -> tuple[int, int] | None:
        """The first word of a mention and the one behind its last."""
        if not (isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)):
            fact = "where a mention [first, last] should stand"
        elif not 0 <= span[0] < words or span[1] + self._inclusive > words:
            fact = f"which lies outside the document, whose {words:,} words are counted from 0"
        elif span[0] >= span[1] + self._inclusive:
            fact = "which ends before it begins" if self._inclusive else "which has no words where end is exclusive"
        else:
            return span[0], span[1] + self._inclusive
        self.problems.append(f"{self._place}: {path} is {shown(span)}, {fact}. {self._remedy(span, words)}")
        return None

    def _remedy(self, span: Any, words: int) -> str:
        if self._inclusive and isinstance(span, list) and span[1:] == [words]:
            return 'If the last word does not belong to mentions: --input-format "clusters(end=exclusive)"'
        return f"The last word {'belongs' if self._inclusive else 'does not belong'} to a mention."


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
    """Whether there is no half of a character (a lone surrogate) in it."""
    return cell.isascii() or not any("\ud800" <= character <= "\udfff" for character in cell)


def _tags(value: dict[str, Any], forms: list[list[str]]) -> list[list[str]]:
    tags = _cells(value.get("pos"), "pos")
    if list(map(len, tags)) != list(map(len, forms)):
        raise _DocumentError("pos has other lengths than sentences. Give one tag for each word.")
    return tags


def _name(value: dict[str, Any], number: int) -> str:
    key = value.get("doc_key", "")
    if not isinstance(key, str) or not _is_text(key):
        raise _DocumentError(f"doc_key is {shown(key)} where a string should stand.")
    return document_id(key, number)
