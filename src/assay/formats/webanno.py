"""WebAnno TSV 3: a word per line with a column for each feature of each layer; offsets count UTF-16 units.

Relations stand in the row of their target, slots in that of their span. The number in brackets behind a value tells
annotations in one place apart; in chains it is the chain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.layered import LayeredDocument, Mark, add_layers, asks_for, contains_chains
from assay.formats.offsets import find_unit, quote_text
from assay.formats.source import Source

_FORMAT, _TEXT, _SENTENCE_ID = "#FORMAT=WebAnno TSV ", "#Text=", "#Sentence.id="
_SPANS, _CHAINS, _RELATIONS = _KINDS = ("#T_SP=", "#T_CH=", "#T_RL=")
_ROLE, _BASE, _ANY = "ROLE_", "BT_", "uima.tcas.Annotation"
_OLD = re.compile(r"#(?:id=|text=| webanno\.custom\.| de\.tudarmstadt\.)")
"""The first line of versions 1 and 2, whose words have no offsets."""
_ROW = re.compile(r"([0-9]+-[0-9]+(?:\.[0-9]+)?)\t([0-9]{1,18})-([0-9]{1,18})\t([^\t]*)(?:\t(.*))?")
_VALUE = re.compile(r"(.*?)(?:\[([0-9]+(?:_[0-9]+)?)\])?", re.DOTALL)
_LINK = re.compile(r".*->([0-9]+)-([0-9]+)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r"}
_EMPTY, _NO_VALUE = "_", "*"
_FARTHEST = 1 << 24
"""More characters than are left out between two sentences."""


def looks_webanno(head: Sequence[str]) -> bool:
    """True if the first line names the format, or is that of an older version."""
    first = next((line for line in head if line.strip()), "")
    if not _OLD.match(first):
        return first.startswith(_FORMAT)
    return any(re.match("[0-9]+-[0-9]+\t", line) for line in head)


def decide_webanno(head: Sequence[str], path: str, given: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """Mentions if chains are asked for, or nothing else is there; else spans, or tags if a task asks for them."""
    _check_version(head[0] if head else "", path)
    named = [
        (line[: len(_SPANS)], line.partition("=")[2].partition("|")[0]) for line in head if line.startswith(_KINDS)
    ]
    chained = [layer for kind, layer in named if kind == _CHAINS]
    layers = [layer for kind, layer in named if kind != _RELATIONS]
    is_chained = contains_chains("+".join(wanted), layers, chained)
    return {"layers": ("mentions" if is_chained else "spans",), "on_request": tuple(wanted)}


def _check_version(line: str, path: str) -> None:
    version = line.removeprefix(_FORMAT).strip() if line.startswith(_FORMAT) else "1 or 2"
    if not version.startswith("3"):
        raise InputError(
            f"{path}: WebAnno TSV {version}, which has no offsets. Export it again as WebAnno TSV 3 or UIMA CAS."
        )


@dataclass(frozen=True)
class _Row:
    """A word, or a part of one."""

    address: str
    start: int
    end: int
    form: str
    cells: Sequence[str]
    line: int


_Sentence = tuple[list[str], list[_Row]]
"""The lines of the text of a sentence, and its rows."""


def read_webanno(source: Source, builder: Builder) -> None:
    """Read one file, which is a document."""
    layers: list[tuple[str, str, list[str]]] = []
    sentences: list[_Sentence] = []
    comments, width = [], 0
    for number, line in source.lines():
        place = f"{source.path}:{number}"
        if number == 1:
            _check_version(line, source.path)
        elif line.startswith(_KINDS) and not sentences:
            layer, *features = line.partition("=")[2].split("|")
            layers.append((line[: len(_SPANS)], layer, features or [""]))
            width += len(layers[-1][2])
        elif line.startswith(_SENTENCE_ID):
            comments.append((len(sentences), f"# sent_id = {line.removeprefix(_SENTENCE_ID)}"))
        elif line.startswith(_TEXT):
            if not sentences or sentences[-1][1]:
                sentences.append(([], []))
            sentences[-1][0].append(line.removeprefix(_TEXT))
        elif (match := _ROW.fullmatch(line)) and sentences:
            cells = match[5].removesuffix("\t").split("\t") if match[5] and width else []
            if len(cells) != width:
                raise InputError(f"{place}: {len(cells)} cells after the word, but the layers above have {width}.")
            sentences[-1][1].append(_Row(match[1], int(match[2]), int(match[3]), match[4], cells, number))
        elif line.strip() and not line.startswith("#"):
            raise InputError(f"{place}: {quote_text(line)} is no row of WebAnno TSV 3: 1-1<tab>0-5<tab>word<tab>…")
    if not any(rows for _, rows in sentences):
        raise InputError(f"{source.path}: contains no words.")
    text, bounds, rows = _place_rows(source.path, sentences, builder)
    words = [(row.start, row.end) for row in rows if "." not in row.address and row.start < row.end]
    layered = _Layers(source.path, text, layers, builder.asked.column)
    for row in rows:
        layered.read_row(row)
    builder.note("Spans of several words with gaps between them, which are filled: {}.", len(layered.gaps))
    content = (source.stem, text, words, bounds, *layered.list_layers(), comments)
    add_layers(LayeredDocument(source.path, *content), builder)


def _place_rows(
    path: str, sentences: Sequence[_Sentence], builder: Builder
) -> tuple[str, list[tuple[int, int]], list[_Row]]:
    """The text, sentences and rows of a file; offsets count UTF-16 units or, if words show it, characters.

    The rows have their places in characters.
    """
    for unit in ("utf16", "characters"):
        for spell in (_unescape, str):
            text, bounds = _join_text(sentences, spell, unit)
            found = find_unit(text, [], unit)
            table = found[1] if found else dict(zip(range(len(text) + 1), range(len(text) + 1), strict=True))
            rows = [row for _, rows in sentences for row in rows if {row.start, row.end} <= table.keys()]
            rows = [replace(row, start=table[row.start], end=table[row.end]) for row in rows]
            fitting = [row for row in rows if text[row.start : row.end] in (_unescape(row.form), row.form, "")]
            if len(fitting) == sum(len(own) for _, own in sentences):
                others = unit == "characters" and not text.isascii()
                builder.note(
                    "Files with offsets in characters, not UTF-16 units, as their words show: {}.", int(others)
                )
                return text, bounds, rows
    raise InputError(
        f"{path}: words are not at their offsets in the text, whether these count UTF-16 units or characters. Export "
        "the file again."
    )


def _join_text(
    sentences: Sequence[_Sentence], spell: Callable[[str], str], unit: str
) -> tuple[str, list[tuple[int, int]]]:
    """The text of a file, and its sentences: between two there is nothing, or a line break and blanks."""
    parts, bounds, at, place = [], [], 0, 0
    for lines, rows in sentences:
        own = "\n".join(map(spell, lines))
        start = rows[0].start - (len(own) - len(own.lstrip())) if rows else at
        gap = "\n".ljust(start - at) if 0 < start - at < _FARTHEST else ""
        parts += [gap, own]
        bounds.append((place + len(gap), place + len(gap) + len(own)))
        at += len(gap) + (len(own.encode("utf-16-le", "replace")) // 2 if unit == "utf16" else len(own))
        place = bounds[-1][1]
    return "".join(parts), bounds


def _split(cell: str, mark: str) -> list[str]:
    """The parts of a cell between marks that are not escaped."""
    masked = _ESCAPED.sub("  ", cell)
    ends = [place for place, character in enumerate(masked) if character == mark]
    return [cell[before + 1 : end] for before, end in pairwise([-1, *ends, len(cell)])]


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: _CONTROLS.get(match[1], match[1]), text)


def _parse(value: str) -> tuple[str, str]:
    """A value as it is written, and the number in brackets behind it, if there is one."""
    match = _VALUE.fullmatch(value)
    assert match is not None
    return match[1], match[2] or ""


class _Layers:
    """The annotations of all layers, gathered row by row."""

    def __init__(self, path: str, text: str, layers: Sequence[tuple[str, str, list[str]]], column: str) -> None:
        self._path, self._text, self._layers, self._column = path, text, layers, column
        self._spans: dict[str, Mark] = {}
        self._mentions: dict[tuple[str, str], Mark] = {}
        """Mentions by chain and link."""
        self._at: dict[str, list[str]] = {}
        """The spans of each row."""
        self._relations: dict[tuple[str, ...], tuple[Mark, str, tuple[str, ...], tuple[str, ...]]] = {}
        """Relations, each once: a mark, the layer of their ends, and row and number of head and tail."""
        self.gaps: set[str] = set()
        """Spans whose words do not touch."""

    def read_row(self, row: _Row) -> None:
        """Take the annotations of a row."""
        column = 0
        for kind, layer, features in self._layers:
            cells = row.cells[column : column + len(features)]
            column += len(features)
            for number, values in enumerate(zip_longest(*(_split(cell, "|") for cell in cells), fillvalue=_EMPTY)):
                parsed = [_parse(value) for value in values]
                if all(written == _EMPTY for written, _ in parsed):
                    continue
                named = zip(features, parsed, strict=True)
                own = {name: _unescape(text) for name, (text, _) in named if text not in (_EMPTY, _NO_VALUE)}
                mark = Mark(layer, row.start, row.end, own, row.line)
                if kind == _RELATIONS:
                    head, _, tail = parsed[-1][1].partition("_")
                    ends = ((parsed[-1][0], head), (row.address, tail))
                    self._relations[row.address, layer, str(number)] = mark, features[-1].removeprefix(_BASE), *ends
                elif kind == _CHAINS:
                    link = _LINK.fullmatch(values[-1])
                    if link is None:
                        raise InputError(f"{self._path}:{row.line}: {quote_text(values[-1])} does not end in ->1-2.")
                    self._extend(self._mentions, (f"{layer} {link[1]}", link[2]), mark)
                else:
                    self._read_span(row, mark, features, values, number)

    def _extend(self, marks: dict[Any, Mark], key: Any, mark: Mark) -> bool:
        """Add a mark, or join it with the one of this key; True if there is something between them."""
        before = marks.get(key, mark)
        marks[key] = replace(before, end=max(before.end, mark.end))
        return bool(self._text[before.end : mark.start].strip())

    def _read_span(self, row: _Row, mark: Mark, features: Sequence[str], values: Sequence[str], number: int) -> None:
        """Take a span, or a further word of it, with its slots."""
        slots = [place for place, name in enumerate(features) if name.startswith(_ROLE)]
        targets = {place + 1 for place in slots}
        plain = [_parse(value)[1] for place, value in enumerate(values) if place not in targets]
        key = next((f"{mark.layer}:{own}" for own in plain if own), f"{mark.layer}:{row.address}:{number}")
        if self._extend(self._spans, key, mark):
            self.gaps.add(key)
        self._at.setdefault(row.address, []).append(key)
        for place in slots:
            roles, ends = _split(_parse(values[place])[0], ";"), _split("".join(values[place + 1 : place + 2]), ";")
            for role, (address, own) in zip(roles, map(_parse, ends), strict=False):
                if address not in (_EMPTY, _NO_VALUE):
                    label = {} if role in (_EMPTY, _NO_VALUE) else {"role": _unescape(role)}
                    relation = replace(mark, layer=f"{mark.layer}:{features[place]}", features=label)
                    base = "".join(features[place + 1 : place + 2])
                    self._relations[key, features[place], role, address, own] = relation, base, (key,), (address, own)

    def _find_end(self, base: str, address: str, number: str = "") -> str:
        """The span at the end of a relation; nothing for what is no span, its address if none is there."""
        if address in self._spans:
            return address
        if base != _ANY and base not in (layer for kind, layer, _ in self._layers if kind == _SPANS):
            return ""
        keys = [key for key in self._at.get(address, ()) if base in (_ANY, self._spans[key].layer)]
        if number not in ("", "0"):
            keys = [key for key in keys if key.endswith(f":{number}")]
        keys = [key for key in keys if asks_for(self._column, self._spans[key].layer)] or keys
        return keys[0] if len(keys) == 1 else address

    def list_layers(self) -> tuple[Any, ...]:
        """The features of layers, spans, relations, chains, bases of relations and layers of chains of a document."""
        slots = {mark.layer: "" for mark, *_ in self._relations.values() if f":{_ROLE}" in mark.layer}
        bases = {layer: names[-1].removeprefix(_BASE) for kind, layer, names in self._layers if kind == _RELATIONS}
        features: dict[str, Sequence[str]] = dict.fromkeys(slots, ("role",))
        for kind, layer, names in self._layers:
            of_slots = {place + step for place, name in enumerate(names) if name.startswith(_ROLE) for step in (0, 1)}
            plain = [name for place, name in enumerate(names) if name and place not in of_slots]
            features[layer] = (
                plain[: len(names) - 1] if kind == _RELATIONS else plain[:1] if kind == _CHAINS else plain
            )
        chains: dict[str, list[Mark]] = {}
        for (chain, _), mark in self._mentions.items():
            chains.setdefault(chain.rpartition(".")[2], []).append(mark)
        relations = [
            (mark, self._find_end(base, *head), self._find_end(base, *tail))
            for mark, base, head, tail in self._relations.values()
        ]
        chained = frozenset(layer for kind, layer, _ in self._layers if kind == _CHAINS)
        return features, self._spans, relations, chains, bases | slots, chained
