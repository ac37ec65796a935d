"""Mentions of entities in CoNLL-U: brackets in MISC, which may nest, have gaps, and reach beyond their sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from assay.arrays import Ints
from assay.corpus import Column, Corpus, Spans
from assay.errors import InputError

ENTITY = "MISC:Entity"
"""The column that mentions stand in, as users name it."""
_BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<close>\))?|(?<![^()])(?P<closed>[^()]++)\)")
_PART = re.compile(r"(.*)\[([0-9]{1,4})/([0-9]{1,4})\]")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+\t")
_IDENTITIES = ("eid", "GRP")
"""What the field is called that says which entity a mention is of; else it is the first."""
_EMPTY = "_"
"""The label of a mention whose field is empty, as CoNLL-U marks what is empty."""


def entity_spans(
    corpus: Corpus,
    column: str = "MISC",
    key: str = "Entity",
    field: str = "etype",
    fields: Sequence[str] | None = None,
) -> Corpus:
    """The corpus with the mentions of entities as its spans, their label taken from a field of the brackets.

    The comment `# global.Entity = eid-etype-…` declares the order of the fields, unless it is given.
    """
    order = tuple(fields) if fields is not None else declared_fields(corpus, key)
    if field not in order:
        raise InputError(f"{corpus.name}: there is no field {field!r} in {key}. There is: {', '.join(order)}.")
    _check_empty_nodes(corpus, key)
    words, values = valued_words(corpus, column, key)
    documents = corpus.document_of_sentence[corpus.sentence_of[words]].tolist()
    faults: list[Fault] = []
    mentions = read_mentions(zip(documents, words.tolist(), values, strict=True), order, field, faults)
    if faults:
        raise InputError(f"{corpus.place(faults[0].place)}: {faults[0].text}")
    return _with_spans(corpus, mentions, field)


# --- what a file declares ---


def declared_fields(corpus: Corpus, key: str) -> tuple[str, ...]:
    """The order of the fields by the comment that declares it."""
    name = f"global.{key}"
    found = {value.strip() for _, line in corpus.comments for value in [_comment(line, name)] if value}
    if not found:
        raise InputError(
            f"{corpus.name}: no comment # {name}, so the fields of {key} are not known. "
            f"Put it above the first sentence, e.g.: # {name} = eid-etype"
        )
    if len(found) > 1:
        raise InputError(
            f"{corpus.name}: the fields of {key} are declared in {len(found)} ways: {'; '.join(sorted(found))}. "
            "Score these files apart."
        )
    return tuple(found.pop().split("-"))


def _comment(line: str, name: str) -> str:
    key, _, value = line.removeprefix("#").partition("=")
    return value if key.strip() == name else ""


def value_of_empty_node(line: str, key: str) -> str | None:
    """The value of a key in the line of an empty node; None where the line is something else."""
    if not _EMPTY_NODE.match(line):
        return None
    return "".join(value_of(cell, key) for cell in line.split("\t"))


def _check_empty_nodes(corpus: Corpus, key: str) -> None:
    """Mentions on empty nodes need these read as words."""
    for sentence, line in zip(corpus.aside_sentences, corpus.aside_lines, strict=True):
        if value_of_empty_node(line, key):
            raise InputError(
                f"{corpus.place_of_sentence(sentence)}: in this sentence a mention stands on the empty node "
                f'{line.split(chr(9), 1)[0]}. Read it as a word: --input-format "conllu(empty_nodes=true)"'
            )


# --- brackets ---


class _Bracket(NamedTuple):
    entity: str
    part: int
    parts: int
    label: str
    opens: bool
    closes: bool

    @property
    def name(self) -> str:
        """As it is written."""
        return self.entity if self.parts == 1 else f"{self.entity}[{self.part}/{self.parts}]"


def value_of(cell: str, key: str) -> str:
    """The value of a key among those of a cell."""
    if key not in cell:
        return ""
    pairs = (pair.partition("=") for pair in cell.split("|"))
    return "".join(value for name, _, value in pairs if name == key)


def valued_words(corpus: Corpus, column: str, key: str) -> tuple[Ints, list[str]]:
    """The words that have a value of a key in a column, and these values."""
    cells = corpus.column(column)
    values = [value_of(cell, key) for cell in cells.vocabulary]
    words = np.flatnonzero(np.array([bool(value) for value in values], dtype=bool)[cells.codes])
    return words, [values[code] for code in cells.codes[words].tolist()]


def _brackets(value: str, order: Sequence[str], field: str) -> list[_Bracket] | None:
    """The brackets of a value from left to right; None where it is not made of brackets."""
    identity = next((order.index(name) for name in _IDENTITIES if name in order), 0)
    found: list[_Bracket] = []
    end = 0
    while end < len(value):
        match = _BRACKET.match(value, end)
        if match is None:
            return None
        opened = match["opened"]
        cells = (opened or match["closed"]).split("-", len(order) - 1)
        # A closing bracket may have nothing but the entity.
        entity = cells[identity] if identity < len(cells) else cells[0]
        number, parts = 1, 1
        if part := _PART.fullmatch(entity):
            entity, number, parts = part[1], int(part[2]), int(part[3])
        if not entity or not 1 <= number <= parts:
            return None
        place = order.index(field)
        label = unquote(cells[place]) if opened and place < len(cells) else ""
        found.append(_Bracket(entity, number, parts, label, bool(opened), bool(match["close"] or match["closed"])))
        end = match.end()
    return found


class Fault(NamedTuple):
    """What is wrong with the brackets at a place, and the remedy."""

    place: int
    text: str


@dataclass
class Mention:
    """A mention while its brackets are read; places are words, or nodes, counted over all documents."""

    document: int
    entity: str
    label: str
    """The field asked for."""
    name: str
    """As its first bracket is written."""
    parts: int
    place: int
    """Where it begins."""
    single: bool = False
    """Whether one bracket opens and closes it."""
    begun: int = 1
    """How many of its parts have begun."""
    stretches: list[tuple[int, int]] = field(default_factory=list)
    """The parts that are complete."""


def read_mentions(
    rows: Iterable[tuple[int, int, str]], order: Sequence[str], field: str, faults: list[Fault]
) -> list[Mention]:
    """The mentions of brackets, given as rows of document, place and value in text order.

    What is wrong goes to the faults; no mention reaches beyond its document.
    """
    known: dict[str, list[_Bracket] | None] = {}
    mentions: list[Mention] = []
    for number, row in groupby(rows, key=lambda row: row[0]):
        document = _Document(number, faults)
        for _, place, value in row:
            if value not in known:
                known[value] = _brackets(value, order, field)
            document.take(known[value], value, place)
        mentions += document.mentions()
    return mentions


class _Document:
    """The mentions of one document: what is open at its end is a fault."""

    def __init__(self, number: int, faults: list[Fault]) -> None:
        self._number, self._faults = number, faults
        self._all: list[Mention] = []
        self._open: dict[str, list[tuple[Mention, int]]] = {}
        """Under the name of an entity, or of a part: the mentions that are open, and where, the latest last."""
        self._with_gaps: dict[str, list[Mention]] = {}

    def take(self, brackets: list[_Bracket] | None, value: str, place: int) -> None:
        """The brackets at a place."""
        if brackets is None:
            self._fault(place, f"{value!r} is not of the form (e1-person(e2-place)e3)", "Mend the brackets.")
        for bracket in brackets or ():
            if bracket.opens:
                self._begin(bracket, place)
            if bracket.closes:
                self._end(bracket, place)

    def mentions(self) -> list[Mention]:
        """All of them, complete."""
        left = [(place, mention.name) for stack in self._open.values() for mention, place in stack]
        for place, name in sorted(left):
            self._fault(place, f"the mention {name} is opened here and not closed in its document")
        for mention in self._all:
            if mention.begun < mention.parts:
                missing = f"part {mention.begun + 1} of {mention.parts} does not follow"
                self._fault(mention.place, f"the mention {mention.name} begins here, but its {missing}")
        return self._all

    def _begin(self, bracket: _Bracket, place: int) -> None:
        if bracket.part == 1:
            mention = Mention(
                document=self._number,
                entity=bracket.entity,
                label=bracket.label,
                name=bracket.name,
                parts=bracket.parts,
                place=place,
                single=bracket.closes and bracket.parts == 1,
            )
            self._all.append(mention)
            if bracket.parts > 1:
                self._with_gaps.setdefault(bracket.entity, []).append(mention)
        else:
            continued = self._continued(bracket, place)
            if continued is None:
                return
            mention = continued
            mention.begun += 1
        self._open.setdefault(bracket.name, []).append((mention, place))

    def _continued(self, bracket: _Bracket, place: int) -> Mention | None:
        """The latest mention of which this is the next part."""
        for mention in reversed(self._with_gaps.get(bracket.entity, [])):
            if (mention.parts, mention.begun) == (bracket.parts, bracket.part - 1):
                if len(mention.stretches) < mention.begun or mention.stretches[-1][1] > place:
                    self._fault(place, f"{bracket.name} begins before the part before it has ended")
                return mention
        self._fault(place, f"{bracket.name} begins without the part before it")
        return None

    def _end(self, bracket: _Bracket, place: int) -> None:
        stack = self._open.get(bracket.name)
        if stack:
            mention, begin = stack.pop()
            mention.stretches.append((begin, place + 1))
        elif not bracket.opens:
            self._fault(place, f"the mention {bracket.name} is closed here but was not opened in its document")

    def _fault(self, place: int, fact: str, remedy: str = "Is a bracket missing?") -> None:
        self._faults.append(Fault(place, f"{fact}. {remedy}"))


# --- spans ---


def _with_spans(corpus: Corpus, mentions: list[Mention], field: str) -> Corpus:
    words = np.array([mention.place for mention in mentions], dtype=np.int64)
    sentence = corpus.sentence_of[words].astype(np.int64)
    firsts = corpus.starts[sentence]
    stretches = {
        number: tuple((begin - first, end - first) for begin, end in mention.stretches)
        for number, (mention, first) in enumerate(zip(mentions, firsts.tolist(), strict=True))
        if mention.parts > 1
    }
    ends = np.array([mention.stretches[-1][1] for mention in mentions], dtype=np.int64)
    labels = Column.of(mention.label or _EMPTY for mention in mentions)
    spans = Spans.sorted(sentence, words - firsts, ends - firsts, labels, lines_of(corpus, words), stretches)
    empty = sum(not mention.label for mention in mentions)
    noted = ((f"Mentions without {field}, labelled {_EMPTY}: {{}}.", empty),) if empty else ()
    return replace(corpus, spans=spans, noted=(*corpus.noted, *noted))


def lines_of(corpus: Corpus, words: Ints) -> Ints:
    """The line of each word."""
    if corpus.lines is None:
        return np.zeros(len(words), dtype=np.int64)
    sentence = corpus.sentence_of[words]
    first = corpus.starts[sentence]
    before = np.searchsorted(corpus.aside_words, first + 1)
    lines: Ints = corpus.lines[sentence] + words - first + np.searchsorted(corpus.aside_words, words + 1) - before
    return lines
