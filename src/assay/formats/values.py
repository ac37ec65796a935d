"""Answers in JSON, in literals of Python, and in elements with children: values, and the mentions in them."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from assay.formats.claims import AROUND, LABELS, TEXTS, UNREAD, AnswerReading, Claim, Question, is_none, key_of
from assay.formats.rewritten import read_word_pairs

_DEEPEST = 60
"""Values nested more deeply are none that a model was asked for."""
_BEGINS = ("start", "begin", "from", "startoffset", "startchar")
_ENDS = ("end", "to", "endoffset", "endchar")
PLACES = (*_BEGINS, *_ENDS)
PROSE = (
    *("note", "notes", "explanation", "reason", "reasoning", "thought", "thoughts", "analysis", "comment"),
    *("text", "sentence", "input", "answer", "output"),
)
"""Words before a colon that are no labels, unless the inventory has them."""
_NO_LABELS = frozenset((*TEXTS, *LABELS, *PLACES, *AROUND, *PROSE, "id", "score", "confidence"))


class Pairs(list[tuple[str, Any]]):
    """An object of JSON: its pairs, since a model may write a key twice."""


_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[\]}])', re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|\((?=\s*["\'])|[\[\]{}),\'"]', re.DOTALL)
_BEFORE = re.compile(r"[\[{,:(]\s*\Z")
"""What comes before a string of Python, but not before an apostrophe."""
_SINGLE = re.compile(r"'(?:[^'\\\n]|\\.|'(?=\w)){0,1000}+'(?=\s*[,\]}:)])")
_PAIRED = {"]": "[", "}": "{", ")": "("}
_CLOSING = {opening: closing for closing, opening in _PAIRED.items()}
_ELEMENT = re.compile(r"<(\w+)>\s*((?:<(\w+)>[^<]*</\3>\s*)++)</\1>")
_CHILD = re.compile(r"<(\w+)>([^<]*)</\1>")


def read_elements(body: str, asked: Question) -> AnswerReading:
    """Elements whose children are the text and the label of a mention."""
    elements = (match[2] for match in _ELEMENT.finditer(body) if match[1] not in asked.inventory)
    records = (_in_record(Pairs(_CHILD.findall(children)), asked, asked.label, 0) for children in elements)
    return AnswerReading.of(claim for claims in records for claim in claims or ())


def read_json_answer(body: str, asked: Question) -> AnswerReading:
    """The last value of JSON in the body that has mentions, or says that there are none."""
    if not re.search(r"""[\[{]|\(\s*["']""", body):
        return UNREAD
    values, unclosed = _values(body)
    nothing = False
    salvaged = [(value, True) for value in _salvage(body, unclosed)]
    for number, (value, repaired) in enumerate((*salvaged, *_parse(body, values))):
        # Words and tags, as pairs or objects, if the list has nothing but these.
        rows: list[tuple[str, str]] = []
        for item in value if isinstance(value, list) and not isinstance(value, Pairs) else ():
            fields = {key_of(key): text for key, text in item} if isinstance(item, Pairs) else {}
            named = [next((fields[key] for key in keys if key in fields), None) for keys in (TEXTS, LABELS)]
            row: Any = named if fields else item
            if not _is_strings(row) or len(row) != 2:
                rows = []
                break
            rows.append((row[0], row[1]))
        reading = read_word_pairs(rows, asked)
        if not reading.mentions:
            reading = AnswerReading.of(in_value(value, asked, "", 0))
        if reading.mentions:
            return replace(reading, repaired=reading.repaired or repaired)
        # What is cut off before its first mention does not say that there is none.
        nothing = nothing or (reading.nothing and number >= len(salvaged))
    return AnswerReading(nothing=nothing)


# --- values in a text ---

Open = tuple[str, int, int]
"""An opening bracket, its place, and the last comma directly within it (or the bracket itself)."""


def _values(body: str) -> tuple[list[tuple[int, int]], list[Open]]:
    """The outermost brackets that are closed, and those that are open at the end, the outermost first."""
    stack: list[Open] = []
    closed: list[tuple[int, int]] = []
    place = 0
    while match := _TOKEN.search(body, place):
        mark, place = match[0], match.end()
        if mark in "[{(":
            stack.append((mark, match.start(), match.start()))
        elif not stack:
            # Quotes of prose do not hide what follows.
            place = match.start() + 1
        elif mark in _PAIRED:
            if stack[-1][0] == _PAIRED[mark]:
                _, begin, _ = stack.pop()
                while closed and closed[-1][0] > begin:
                    closed.pop()
                closed.append((begin, place))
        elif mark == ",":
            stack[-1] = (*stack[-1][:2], match.start())
        elif mark == "'" and _BEFORE.search(body, max(match.start() - 20, 0), match.start()):
            single = _SINGLE.match(body, match.start())
            place = single.end() if single else place
    if stack:
        closed = [value for value in closed if value[1] <= stack[0][1]]
    return closed, stack


def _parse(body: str, values: Sequence[tuple[int, int]], *, joins: bool = True) -> Iterator[tuple[Any, bool]]:
    """The values, last first; if it `joins`, values that follow each other with nothing between them are a list."""
    group: list[Any] = []
    repaired, follows = False, -1
    for begin, end in values[::-1]:
        loaded = load_value(body[begin:end])
        if loaded is None:
            continue
        value, mended = loaded
        if group and (not joins or body[end:follows].strip(" \t\r\n,")):
            yield group[0] if len(group) == 1 else group[::-1], repaired
            group, repaired = [], False
        group.append(value)
        repaired, follows = repaired or mended, begin
    if group:
        yield group[0] if len(group) == 1 else group[::-1], repaired


def _salvage(body: str, unclosed: Sequence[Open]) -> Iterator[Any]:
    """A value that is not closed, as far as its items are complete."""
    if not 0 < len(unclosed) <= _DEEPEST:
        return
    depth = next((number for number in range(1, len(unclosed)) if unclosed[number - 1][0] == "["), len(unclosed))
    # An item of a list that is cut goes; else what follows the last comma, in the innermost list or around it.
    ends = [(unclosed[depth][1] if depth < len(unclosed) else len(body), depth)]
    ends += [(unclosed[number][2], number + 1) for number in range(depth - 1, -1, -1)]
    for end, number in ends:
        closing = "".join(_CLOSING[mark] for mark, _, _ in unclosed[:number][::-1])
        loaded = load_value(body[unclosed[0][1] : end].rstrip().rstrip(",") + closing)
        if loaded is not None:
            yield loaded[0]
            return


def objects_in(body: str, *, joins: bool = True) -> Iterator[tuple[Any, bool]]:
    """The values in a text, the last one first, and whether each had to be mended; one that is cut off as far as its
    pairs and elements are complete. If it `joins`, objects with nothing between them are a list."""
    values, unclosed = _values(body)
    if 0 < len(unclosed) <= _DEEPEST:
        begin = unclosed[0][1]
        # A number at the very end may go on.
        ends = [len(body), *(comma for _, _, comma in unclosed[::-1])]
        for number, end in enumerate(ends):
            depth = len(unclosed) - max(number - 1, 0)
            closing = "".join(_CLOSING[mark] for mark, _, _ in unclosed[:depth][::-1])
            is_whole = number or not body[:end].rstrip()[-1:].isalnum()
            if is_whole and (loaded := load_value(body[begin:end].rstrip().rstrip(",") + closing)) is not None:
                yield loaded[0], True
                break
    yield from _parse(body, values, joins=joins)


def load_value(text: str) -> tuple[Any, bool] | None:
    """A value and whether it had to be mended: JSON, else without trailing commas, else a literal of Python."""
    depths = accumulate(1 if mark in "[{(" else -1 for mark in re.findall(r"[\[{(\]})]", text))
    if max(depths, default=0) > _DEEPEST:
        return None
    for mended, candidate in ((False, text), (True, _TRAILING.sub(lambda match: match[1] or "", text))):
        try:
            return json.loads(candidate, object_pairs_hook=Pairs, strict=False), mended
        except (ValueError, RecursionError):
            continue
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _as_pairs(ast.literal_eval(text)), True
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _as_pairs(value: Any) -> Any:
    if isinstance(value, dict):
        return Pairs((key, _as_pairs(member)) for key, member in value.items() if isinstance(key, str))
    if isinstance(value, list | tuple | set):
        return [_as_pairs(member) for member in (sorted(value, key=repr) if isinstance(value, set) else value)]
    return value


# --- mentions in a value ---


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, Pairs) and all(isinstance(item, str) for item in value)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _container(value: Any) -> Any:
    """A list or an object, or the one in a string that is JSON itself; None of any other value."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value, _ = load_value(value.strip()) or (None, False)
    return value if isinstance(value, list) else None


def in_value(value: Any, asked: Question, label: str, depth: int) -> Iterator[Claim]:
    """The mentions in a value; `label`: of those that have none of their own."""
    label = label or asked.label
    if depth > _DEEPEST:
        return
    if value is None or value == []:
        yield None
    elif isinstance(value, Pairs):
        yield from _in_object(value, asked, label, depth)
    elif isinstance(value, list):
        strings = [item for item in value if isinstance(item, str)]
        numbers = [item for item in value if type(item) is int]
        labels = [item in asked.inventory for item in strings[:2]]
        if len(numbers) > 1 and len(strings) < 2 and (strings or (depth and len(value) == 2)):
            # Two numbers and at most one string, which is the label or the text.
            string = strings[0] if strings else label
            if string in asked.inventory or not strings or (not label and value[0] != string):
                yield from _at(numbers[0], numbers[1], string, asked)
            else:
                yield from asked.claim(string, label)
            return
        # A text and its label, and perhaps places, which are not trusted; in a list, or told by the label.
        paired = _is_strings(value[:2]) if not numbers else len(strings) == 2
        if paired and len(strings) > 1 and (labels[0] != labels[1] if label or not depth else depth):
            text = int(labels == [True, False])
            yield from asked.claim(strings[text], strings[1 - text])
            return
        for item in value:
            yield from asked.claim(item, label) if isinstance(item, str) else in_value(item, asked, label, depth + 1)


def _at(begin: int, end: int, label: str, asked: Question) -> list[Claim]:
    """A mention by its place in the text, end excluded."""
    place = f"{begin}-{end}"
    text = asked.text[begin:end] if 0 <= begin < end <= len(asked.text) else place
    return [claim and replace(claim, text=text, place=(begin, end)) for claim in asked.claim(place, label)]


def _is_places(value: Any) -> bool:
    """True of numbers, and of lists and objects of numbers."""
    if isinstance(value, Pairs):
        return all(key_of(key) in PLACES for key, _ in value)
    return type(value) is int or (isinstance(value, list) and all(map(_is_places, value)))


def _in_object(pairs: Pairs, asked: Question, label: str, depth: int) -> Iterator[Claim]:
    record = _in_record(pairs, asked, label, depth)
    if record is not None:
        yield from record
        return
    if label and all(_is_places(value) and key not in asked.inventory for key, value in pairs):
        # The texts of a label, each with its offsets.
        yield from (claim for key, _ in pairs for claim in asked.claim(key, label))
        return
    around = any(isinstance(value, list) and any(isinstance(item, list) for item in value) for _, value in pairs)
    for key, value in pairs:
        is_label = key in asked.inventory
        named = is_label or key_of(key) not in _NO_LABELS
        inner = _container(value)
        if inner:
            keys = {key_of(name) for name, _ in inner} if isinstance(inner, Pairs) else set()
            if named and not is_label and _is_strings(inner) and all(name in asked.inventory for name in inner):
                yield from (claim for name in inner for claim in asked.claim(key, name))
            elif named and not is_label and not keys.isdisjoint(LABELS) and keys.isdisjoint(TEXTS):
                yield from _in_object(Pairs([("text", key), *inner]), asked, label, depth)
            elif is_label or (named and _is_strings(inner)):
                from_start = True
                for claim in _below(inner, asked, key, depth):
                    yield claim and replace(claim, from_start=from_start)
                    from_start = from_start and claim is None
            else:
                yield from _below(inner, asked, label, depth)
        elif value in (None, "", []) or (isinstance(value, str) and is_none(value)):
            yield None
        elif isinstance(value, str) and named and not is_label and asked.labels_in(value) is not None:
            yield from asked.claim(key, value)
        elif isinstance(value, str) and (is_label or (named and not around and not _has_list(pairs))):
            yield from asked.claim_listed([value], key)


def _below(value: list[Any], asked: Question, label: str, depth: int) -> Iterator[Claim]:
    """The mentions in a list or an object under a key; strings are mentions of the label."""
    if value and _is_strings(value):
        return asked.claim_listed(value, label or asked.label) if label or asked.label else iter(())
    return in_value(value, asked, label, depth + 1)


def _has_list(pairs: Pairs) -> bool:
    return any(key_of(key) in AROUND and _container(value) is not None for key, value in pairs)


def _in_record(pairs: Pairs, asked: Question, label: str, depth: int) -> list[Claim] | None:
    """The mentions of an object that has a label, or offsets; None of any other object. Its keys are no mentions."""
    fields = {key_of(key): value for key, value in pairs}
    texts = [key for key in TEXTS if isinstance(fields.get(key, 0), str | None)]
    names = [key for key in LABELS if key in fields and _is_strings(_as_list(fields[key]))]
    numbers = {key: value for key, value in fields.items() if type(value) is int}
    begin, end = (next((numbers[key] for key in keys if key in numbers), None) for keys in (_BEGINS, _ENDS))
    if len(names) > 1 or (texts == ["entity"] and begin is None):
        names = [key for key in names if key != "entity"]
    if not names and texts:
        names = [key for key in fields if key not in texts and isinstance(fields[key], str)]
        names = [key for key in names if fields[key] in asked.inventory]
    if all(key in asked.inventory for key, _ in pairs) or not (names or begin is not None or (texts and label)):
        return None
    name = next((key for key in names if fields[key]), names[0] if names else "")
    labels = _as_list(fields[name]) if name else [label]
    texts = sorted((key for key in texts if key != name), key=lambda key: fields[key] in (None, asked.text))
    inner = [_container(value) for key, value in pairs if key_of(key) != name]
    if _has_list(pairs) or (any(inner) and not texts and begin is None):
        label = next((name for name in labels if name in asked.inventory), label)
        return [claim for value in inner if value is not None for claim in _below(value, asked, label, depth)]
    if texts:
        text = fields[texts[0]]
        return [None] if text is None else [claim for name in labels for claim in asked.claim(text, name)]
    if begin is None or end is None:
        return []
    return [claim for name in labels for claim in _at(begin, end, name, asked)]
