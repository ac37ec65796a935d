"""Documents in JSON with their spans, in the shapes that labelling tools, libraries and language models write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.offsets import Fragments, check_bounds, check_text, quoted, shown, trimmed
from assay.formats.source import Source

_OPENING = re.compile(r"""(?:\[\s*)?\{\s*(?:["'][^"'\n]*["']\s*:|\})|\[\s*\]\s*$|```json""")
_IDS = ("id", "doc_id", "document_id", "uuid")
_SPANS = ("spans", "entities", "ents", "label", "labels")
_LABELS = ("label", "type", "entity_group", "entity_type", "category", "tag", "labels", "entity")
"""Where a span has its label; `entity` comes last, for beside another of these it is the mention itself."""
_STARTS = ("start", "begin", "start_offset", "start_char")
_ENDS = ("end", "end_offset", "end_char")
_MENTIONS = ("text", "word", "mention", "name", "entity", "value", "span")
_BREAK = re.compile(r"[\t\r\n]")
_EXAMPLE = '{"id": "d1", "text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}'


def looks_json(head: Sequence[str]) -> bool:
    """Whether the file begins with an object, or with a list of them."""
    return _OPENING.match("\n".join(head[:50]).lstrip()) is not None


def read_json(source: Source, builder: Builder, *, find: bool, trim: bool) -> None:
    """Read one file; `find` places mentions without offsets, `trim` takes white space off the ends of spans."""
    builder.begin_file(source.path)
    before = builder.sentence
    for line, value in _values(source):
        document = _document(value, f"{source.path}:{line}")
        _begin(document, line, builder)
        _SpanReader(document, line, builder, find=find, trim=trim).read()
    if builder.sentence == before:
        raise InputError(f"{source.path}: no documents in it. A document is {_EXAMPLE}")
    builder.end_file()


# --- from text to values ---


def _values(source: Source) -> Iterator[tuple[int, Any]]:
    """The documents with the line in which each begins: one per line, or spread over lines, or a list of them."""
    lines = (line for batch in source.batches() for line in batch.lines() if line[1].strip())
    first, second = next(lines, (1, "[]")), next(lines, (0, ""))
    ahead = [first, second] if second[0] else [first]
    if first[1].lstrip().startswith("{") and (_is_object(first[1]) or _is_object(second[1])):
        for number, line in chain(ahead, lines):
            yield number, _value(line, source.path, number)
        return
    text = _Joined(chain(ahead, lines))
    try:
        for position, value in _decoded(text.text):
            yield text.line(position), value
    except (ValueError, RecursionError) as error:
        raise _no_json(error, source.path, text.line(getattr(error, "pos", 0))) from None


class _Joined:
    """Lines as one text that knows the number of each of them."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        numbered = list(lines)
        self.text = "\n".join(line for _, line in numbered)
        self._numbers = [number for number, _ in numbered]
        self._seen = self._passed = 0

    def line(self, position: int) -> int:
        """The line in which a position lies; positions are asked for in rising order."""
        self._passed += self.text.count("\n", self._seen, position)
        self._seen = position
        return self._numbers[self._passed]


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _value(line: str, path: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _no_json(error, path, number) from None


def _no_json(error: Exception, path: str, line: int) -> InputError:
    if not isinstance(error, json.JSONDecodeError):
        return InputError(f"{path}:{line}: no JSON for documents: nested too deeply, or a number too long.")
    where = f"at character {error.colno} of the line"
    return InputError(f"{path}:{line}: no JSON ({error.msg}, {where}). A document is {_EXAMPLE}")


def _decoded(text: str) -> Iterator[tuple[int, Any]]:
    """The values that stand in a text one after the other or, divided by commas, in a list."""
    decode = json.JSONDecoder().raw_decode
    position = _skip(text, 0)
    listed = text.startswith("[", position)
    position = _skip(text, position + listed)
    while position < len(text) and not (listed and text[position] == "]"):
        value, end = decode(text, position)
        yield position, value
        position = _skip(text, end)
        if listed and text.startswith(",", position):
            position = _skip(text, position + 1)
        elif listed and not text.startswith("]", position):
            raise json.JSONDecodeError("Expecting ',' or ']'", text, position)
    if listed and _skip(text, position + 1) < len(text):
        raise json.JSONDecodeError("Extra data", text, position + 1)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


# --- documents ---


@dataclass(frozen=True)
class _Document:
    place: str
    id: str | None
    text: str | None
    tokens: list[str] | None
    """The tokens, where these are the atoms …"""
    bounds: list[tuple[int, int]] | None
    """… and their characters, where spans are given by characters nevertheless."""
    spans: list[Any]
    others: int = 0
    """How many of the annotations are something else."""


def _document(value: Any, place: str) -> _Document:
    if not isinstance(value, dict):
        raise InputError(f"{place}: {shown(value)} where a document is expected. It is {_EXAMPLE}")
    if value.get("answer", "accept") != "accept":
        raise InputError(f"{place}: the answer is {value['answer']!r}, so its spans do not hold. Leave it out.")
    data = value.get("data")
    text = data.get("text") if isinstance(data, dict) else value.get("text", data)
    if text is not None:
        text = _string(text, f"{place}: the text")
    tokens, bounds = _tokens(value["tokens"], text, place) if value.get("tokens") is not None else (None, None)
    if text is None and tokens is None:
        raise InputError(f"{place}: a document without text or tokens. It is {_EXAMPLE}")
    spans, others = _annotations(value, place) if isinstance(data, dict) else (_listed_spans(value, place), 0)
    return _Document(place, _id(value, place), text, tokens, bounds, spans, others)


def _string(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} is {shown(value)} where a string should stand.")
    try:
        if not value.isascii():
            value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{what} has half a character (a lone surrogate) in it. Write the file as UTF-8.") from None
    return value


def _id(document: dict[str, Any], place: str) -> str | None:
    meta = document.get("meta")
    given = [document.get(key) for key in _IDS] + [meta.get("id") if isinstance(meta, dict) else None]
    value = next((value for value in given if value is not None), None)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return None if value is None else str(value)
    name = _string(value, f"{place}: the id")
    if not name.strip():
        raise InputError(f"{place}: the id is empty. Give each document its own, or none an id.")
    return name


def _listed_spans(document: dict[str, Any], place: str) -> list[Any]:
    """The list of a document's spans, whatever it is called."""
    lists = {key: document[key] for key in _SPANS if isinstance(document.get(key), list)}
    if not lists:
        raise InputError(
            f"{place}: no list of spans among {', '.join(document)}. "
            'Call it "spans", and give [] where there are none.'
        )
    filled = [key for key, spans in lists.items() if spans]
    if len(filled) > 1:
        raise InputError(f"{place}: spans in {' and in '.join(filled)}. Leave one of them.")
    return lists[filled[0]] if filled else []


def _annotations(task: dict[str, Any], place: str) -> tuple[list[Any], int]:
    """The spans of a task of Label Studio, and the number of its results that are something else."""
    for key in ("annotations", "predictions"):
        given = task.get(key) if isinstance(task.get(key), list) else []
        valid = [one for one in given or [] if isinstance(one, dict) and not one.get("was_cancelled")]
        if len(valid) > 1:
            raise InputError(f"{place}: {len(valid)} {key} of one text. Leave one for each text.")
        if valid:
            results = valid[0].get("result")
            results = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
            spans = [one.get("value") for one in results if one.get("type", "labels") == "labels"]
            return spans, len(results) - len(spans)
    raise InputError(f"{place}: a text without annotations. Leave it out, or annotate it.")


def _tokens(given: Any, text: str | None, place: str) -> tuple[list[str], list[tuple[int, int]] | None]:
    """The tokens and, where these are given, their places in the text."""
    kinds = {type(token) for token in given} if isinstance(given, list) else {type(given)}
    if not isinstance(given, list) or len(kinds) > 1 or not kinds <= {str, dict}:
        raise InputError(f'{place}: tokens should be a list of strings, or of {{"start": 0, "end": 5}}.')
    bounds = None
    if (text is not None and not given) or (kinds == {dict} and any("start" in token for token in given)):
        pairs = [_pair(token.get("start"), token.get("end"), f"{place}: token {i}") for i, token in enumerate(given)]
        bounds = pairs
        size = len(text) if text is not None else max((end for _, end in pairs), default=0)
        check_bounds(pairs, size, "characters", f"{place}: its tokens", "token")
    elif text is not None:
        raise InputError(
            f"{place}: a text and tokens without offsets, so it is open what spans count. "
            'Leave out one of them, or give tokens as {"start": 0, "end": 5}.'
        )
    forms = [
        _form(token, text, bounds[i] if bounds else None, f"{place}: token {i}") for i, token in enumerate(given)
    ]
    return forms, bounds


def _form(token: str | dict[str, Any], text: str | None, bounds: tuple[int, int] | None, place: str) -> str:
    said = token if isinstance(token, str) else token.get("text")
    if text is not None and bounds is not None:
        if isinstance(said, str):
            check_text(said, text, [bounds], place)
        return text[bounds[0] : bounds[1]]
    form = _string(said, f"{place}: its text")
    if not form:
        raise InputError(f"{place} is empty. Leave it out, and count without it.")
    return form


def _pair(start: Any, end: Any, place: str) -> tuple[int, int]:
    for name, value in (("start", start), ("end", end)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputError(f"{place}: {name} is {shown(value)} where a whole number should stand.")
    return start, end


def _begin(document: _Document, line: int, builder: Builder) -> None:
    """Hand the document's words or text to the builder."""
    if builder.sentence and builder.has_ids != (document.id is not None):
        this, others = ("an", "none") if document.id is not None else ("no", "one")
        raise InputError(
            f"{document.place}: has {this} id where those before it have {others}. Give all one, or none."
        )
    if builder.sentence and builder.has_texts != (document.tokens is None):
        this, others = ("no tokens", "them") if document.tokens is None else ("tokens", "none")
        raise InputError(
            f"{document.place}: has {this} where those before it have {others}. "
            "The spans of a file count either tokens or characters."
        )
    if document.id is not None:
        builder.identify(document.id, document.place)
    else:
        builder.document(str(line), builder.sentence)
    if document.tokens is None:
        builder.text(document.text or "", line)
    else:
        forms = document.tokens or [""]
        builder.add(forms, [builder.words + len(forms)], [line])
    if document.others:
        builder.note("Annotations that are not spans, and were not read: {}.", document.others)


# --- spans ---


@dataclass(frozen=True)
class _Given:
    """A span as it is written."""

    labels: list[str]
    fragments: Fragments | None
    text: str | None = None
    mention: str = ""
    """What it says, in whichever field, where it has no offsets and has to be looked for."""


def _given(item: Any, place: str) -> _Given:
    if isinstance(item, list) and len(item) == 3:
        return _Given([_label(item[2], place)], [_pair(item[0], item[1], place)])
    if not isinstance(item, dict):
        raise InputError(
            f"{place} is {shown(item)} where a span should stand: "
            '{"start": 0, "end": 5, "label": "PER"} or [0, 5, "PER"]. Tags of tokens belong in columns.'
        )
    name = _first_of(_LABELS, item)
    if name is None:
        raise InputError(f"{place}: no label among {', '.join(item)}. Give it as {', '.join(_LABELS[:5])}.")
    if name == "entity" and "index" in item:
        raise InputError(
            f"{place}: the tag of a piece of a word, not a span. "
            'Put the pieces together: pipeline(…, aggregation_strategy="simple").'
        )
    labels = item[name] if isinstance(item[name], list) and item[name] else [item[name]]
    fragments, text = _fragments(item, place), item.get("text")
    mention = (
        ""
        if fragments
        else next((item[key] for key in _MENTIONS if key != name and isinstance(item.get(key), str)), "")
    )
    text = text if isinstance(text, str) else None
    return _Given([_label(label, place) for label in labels], fragments, text, mention)


def _first_of(keys: Sequence[str], item: dict[str, Any]) -> str | None:
    """The first of these keys that has a value."""
    for key in keys:
        if item.get(key) is not None:
            return key
    return None


def _label(value: Any, place: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    label = _string(value, f"{place}: the label")
    if not label.strip():
        raise InputError(f"{place}: the label is empty. Give one, or take the span away.")
    if _BREAK.search(label):
        raise InputError(f"{place}: the label {label!r} has a tab or a line break in it. Take it out.")
    return label


def _fragments(item: dict[str, Any], place: str) -> Fragments | None:
    """Where a span lies, if it says so."""
    parts = item.get("fragments")
    if parts is not None:
        if not isinstance(parts, list) or not parts or not all(isinstance(p, list) and len(p) == 2 for p in parts):
            raise InputError(f"{place}: fragments should be a list of pairs: [[0, 5], [16, 23]].")
        return [_pair(start, end, place) for start, end in parts]
    start, end = _first_of(_STARTS, item), _first_of(_ENDS, item)
    if start is None and end is None:
        return None
    return [_pair(item.get(start or "start"), item.get(end or "end"), place)]


class _SpanReader:
    """The spans of one document on their way to the builder."""

    def __init__(self, document: _Document, line: int, builder: Builder, *, find: bool, trim: bool) -> None:
        self._document, self._line, self._builder = document, line, builder
        self._find, self._trim = find, trim
        self._taken: set[tuple[int, int]] = set()
        """Where spans lie so far."""

    def read(self) -> None:
        """Read all of them."""
        sentence = self._builder.sentence - 1
        for number, item in enumerate(self._document.spans, 1):
            place = f"{self._document.place}: span {number}"
            span = _given(item, place)
            atoms = self._atoms(span, place)
            for label in span.labels:
                self._builder.span(sentence, atoms, label, self._line)

    def _atoms(self, span: _Given, place: str) -> Fragments:
        text, tokens, bounds = self._document.text, self._document.tokens, self._document.bounds
        fragments = span.fragments if span.fragments is not None else self._found(span, place)
        self._taken.update(fragments)
        if tokens is not None and bounds is None:
            check_bounds(fragments, len(tokens), "tokens", place)
            if span.text is not None:
                _check_tokens(span.text, tokens, fragments, place)
            return fragments
        if text is not None:
            check_bounds(fragments, len(text), "characters", place)
            if span.text is not None:
                # Label Studio writes a line break as a backslash and an n.
                said = span.text if span.text in text else span.text.replace("\\n", "\n")
                check_text(said, text, fragments, place)
            fragments = trimmed(text, fragments, self._trim, place, self._builder)
        return fragments if bounds is None else _tokens_of(fragments, bounds, place)

    def _found(self, span: _Given, place: str) -> Fragments:
        """The next occurrence of a mention that has no offsets."""
        mention, text = span.mention.strip(), self._document.text
        if not self._find or not mention or text is None:
            raise InputError(
                f"{place}: no start and end. Give them or, where the text and what the span says are there, "
                'have it looked for: --input-format "jsonl(find=true)"'
            )
        occurrences = _occurrences(mention, text)
        # One that lies within no span placed before, if there is one: "Paris" after "Paris Hilton" is another place.
        apart = [one for one in occurrences if not any(one[0] < end and begin < one[1] for begin, end in self._taken)]
        free = next((occurrence for occurrence in (*apart, *occurrences) if occurrence not in self._taken), None)
        if free is None:
            how = "is given more often than it occurs in the text" if occurrences else "does not occur in the text"
            raise InputError(
                f"{place}: {quoted(mention)} {how}. A mention is given as it is spelt, once for each place."
            )
        self._builder.note("Mentions without offsets that were placed where they next occur in the text: {}.", 1)
        return [free]


def _occurrences(mention: str, text: str) -> list[tuple[int, int]]:
    """Where a mention stands in a text as whole words or, if nowhere so, within words."""
    pattern = r"\s+".join(map(re.escape, mention.split()))
    whole = [match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text)]
    return whole or [match.span() for match in re.finditer(pattern, text)]


def _check_tokens(said: str, tokens: list[str], fragments: Fragments, place: str) -> None:
    found = [token for start, end in fragments for token in tokens[start:end]]
    if "".join(said.split()) != "".join("".join(found).split()):
        raise InputError(
            f"{place}: says {quoted(said)} where the tokens are {quoted(' '.join(found))}. "
            "Offsets count tokens from 0, end exclusive."
        )


def _tokens_of(fragments: Fragments, bounds: list[tuple[int, int]], place: str) -> Fragments:
    """Stretches of characters as stretches of tokens; one that cuts a token is refused."""
    starts = {start: number for number, (start, _) in enumerate(bounds)}
    ends = {end: number for number, (_, end) in enumerate(bounds, 1)}
    for start, end in fragments:
        for at, known, verb in ((start, starts, "begins"), (end, ends, "ends")):
            if at not in known:
                cut = next((f"inside the token {a}-{b}" for a, b in bounds if a < at < b), f"where no token {verb}")
                raise InputError(f"{place}: {start}-{end} {verb} {cut}. Spans consist of whole tokens.")
    return [(starts[start], ends[end]) for start, end in fragments]
