"""The answer of a language model, in whatever shape it wrote it, as mentions with labels.

The shapes are tried in the order of `SHAPES` in every body of the answer (what stands in code fences, then all of
it); the first that gives a mention is the one. Nothing here fails: an answer that cannot be read has a status that
says so.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field, replace
from itertools import accumulate
from typing import Any

from assay.formats.grounding import Mention, fold
from assay.records import dataclass

STATUSES = ("parsed", "repaired", "empty", "refused", "malformed", "missing")
_DEEPEST = 60
"""Values nested more deeply are none that a model was asked for."""
TEXTS = ("text", "word", "mention", "name", "entity", "value", "span", "extraction_text")
LABELS = (
    "label",
    "type",
    "entity_group",
    "entity_type",
    "category",
    "tag",
    "labels",
    "extraction_class",
    "entity",
)
"""Keys of a mention's label; `entity` comes last, for beside another of these it is the mention itself."""
_PLACES = ("start", "end", "begin", "start_offset", "end_offset", "id", "score", "confidence")
_AROUND = (
    *("entities", "extractions", "spans", "ents", "mentions", "annotations", "named_entities", "results", "result"),
    *("items", "data", "output", "answer", "response", "list"),
)
"""Keys of lists of mentions, which are no labels."""
_TEXT_HEADS = ("entity", "text", "mention", "span", "name", "word", "phrase")
_LABEL_HEADS = ("label", "type", "entity type", "category", "tag", "class")

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_ANSWER = re.compile(r"(?:final\s+)?answer\s*:\s*", re.IGNORECASE)
_FENCE = re.compile(r"```(?:[\w+-]*[ \t]*\n|[A-Za-z]+(?=[\[{]))?(.*?)(?:```|\Z)", re.DOTALL)
_NONE = re.compile(
    r"""["'(]*(?:\[\s*\]|\{\s*\}|none|null|nothing|n/?a|[-–—]|"""
    r"""(?:there\s+(?:are|were)\s+)?no\s+(?:named\s+)?entit(?:y|ies)(?:\s+(?:(?:were|was|are)\s+)?(?:found|present|"""
    r"""detected|identified))?(?:\s+in\s+(?:the|this)\s+(?:text|sentence))?)["')]*[.!]?""",
    re.IGNORECASE,
)
_NO_ENTITIES = re.compile(r"\bno\s+(?:named\s+)?entit(?:y|ies)\b", re.IGNORECASE)
REFUSALS = (
    *("i can't", "i cannot", "i'm sorry", "i am sorry", "i'm unable", "i am unable", "as an ai", "unable to assist"),
)
"""Phrases of refusals, folded. Others are malformed answers, with the same score."""


@dataclass(frozen=True)
class Shape:
    """The things that shapes have to know: the inventory, the label of mentions that have none, and the text."""

    inventory: Collection[str]
    label: str = ""
    text: str = ""


@dataclass(frozen=True)
class Reading:
    """An answer that was read."""

    status: str = ""
    mentions: tuple[Mention, ...] = ()
    plain: str | None = None
    """The answer without its markup, where it is the text written again."""
    repaired: bool = field(default=False, repr=False)
    nothing: bool = field(default=False, repr=False)
    """True if the shape was there, and it says that there are no mentions."""


_UNREAD = Reading()


def read_answer(
    answer: str | None, text: str, inventory: Collection[str], *, shape: str = "auto", label: str = ""
) -> Reading:
    """An answer to a text as mentions, and how it could be read."""
    if answer is None:
        return Reading("missing")
    answer = _without_thought(answer).strip()
    if match := _ANSWER.match(answer):
        answer = answer[match.end() :]
    if _NONE.fullmatch(answer):
        return Reading("empty")
    known = Shape(inventory, label, text)
    fenced = [match[1].strip() for match in _FENCE.finditer(answer)] if "```" in answer else []
    nothing = False
    for body in (*fenced[::-1], answer):
        nothing = nothing or _NONE.fullmatch(body) is not None
        for name, read in SHAPES.items():
            if shape in ("auto", name):
                found = read(body, known)
                if found.mentions:
                    return replace(found, status="repaired" if found.repaired else "parsed")
                nothing = nothing or found.nothing
    folded = fold(answer)
    if nothing or (answer and folded == fold(text)):
        return Reading("empty")
    if any(phrase in folded for phrase in REFUSALS):
        return Reading("refused")
    return Reading("empty" if _NO_ENTITIES.search(answer) else "malformed")


def _without_thought(answer: str) -> str:
    lowered = answer.lower()
    if "think>" not in lowered:
        return answer
    end = lowered.find("</think>")
    if end >= 0 and "<think>" not in lowered[:end]:
        # The opening stands in the prompt.
        answer = answer[end + len("</think>") :]
    return _THOUGHT.sub("", answer)


# --- the text written again, with tags, marks or brackets ---


def _rewritten(
    body: str, cuts: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int, str]], repaired: bool
) -> Reading:
    """The body without some stretches of markup, and spans of it as mentions, without white space at their ends."""
    cuts = sorted(cuts)
    ends = [end for _, end in cuts]
    shifts = [*accumulate((end - begin for begin, end in cuts), initial=0)]
    begins = [*(begin for begin, _ in cuts), len(body)]
    plain = "".join(body[begin:end] for begin, end in zip([0, *ends], begins, strict=True))
    mentions = []
    for begin, end, label in sorted(spans):
        first, last = (place - shifts[bisect_right(ends, place)] for place in (begin, end))
        said = plain[first:last]
        first += len(said) - len(said.lstrip())
        if said.strip() and label.strip():
            mentions.append(Mention(said.strip(), label, place=(first, first + len(said.strip()))))
    return Reading("", tuple(mentions), plain, repaired)


_TAG = re.compile(r"<(/?)([^\W\d_][^<>/\n]{0,80})>")


def _tags(body: str, known: Shape) -> Reading:
    """`<L>…</L>`, nested or crossing."""
    found = [(match.start(), match.end(), bool(match[1]), match[2].strip()) for match in _TAG.finditer(body)]
    if not found:
        return _UNREAD
    closed = {name.casefold() for _, _, closes, name in found if closes}
    opened = {name.casefold() for _, _, closes, name in found if not closes}
    ours = {label.casefold() for label in known.inventory} | (closed & opened)
    cuts, spans, repaired = [], [], False
    stack: list[tuple[str, int, str]] = []
    for begin, end, closes, name in found:
        key = name.casefold()
        if key not in ours:
            continue
        cuts.append((begin, end))
        if not closes:
            stack.append((key, end, name))
            continue
        place = next((place for place in range(len(stack) - 1, -1, -1) if stack[place][0] == key), None)
        if place is None:
            repaired = True
            continue
        repaired = repaired or place < len(stack) - 1
        _, first, label = stack.pop(place)
        spans.append((first, begin, label))
    # Tags around a whole answer are no mentions.
    spans = [
        (first, last, label)
        for first, last, label in spans
        if label in known.inventory or not re.search(r"[\[{\n]", body[first:last])
    ]
    return _rewritten(body, cuts, spans, repaired or bool(stack))


def _marks(body: str, known: Shape) -> Reading:
    """`@@…##`, all with the one label."""
    if not known.label or "@@" not in body:
        return _UNREAD
    cuts, spans, repaired, begun = [], [], False, None
    for match in re.finditer("@@|##", body):
        cuts.append(match.span())
        if match[0] == "@@":
            repaired = repaired or begun is not None
            begun = match.end()
        elif begun is None:
            repaired = True
        else:
            spans.append((begun, match.start(), known.label))
            begun = None
    return _rewritten(body, cuts, spans, repaired or begun is not None)


_BRACKETED = re.compile(r"\[([^\[\]\"'{}:\n]{1,60}):\s*([^\[\]\n]+)\]|\[([^\[\]\n]+)\]\(([^()\[\]\n:/]{1,60})\)")


def _brackets(body: str, known: Shape) -> Reading:
    """`[L: …]` and `[…](L)`."""
    cuts, spans = [], []
    for match in _BRACKETED.finditer(body):
        text, label = (2, 1) if match[1] is not None else (3, 4)
        first, last = match.span(text)
        cuts += [(match.start(), first), (last, match.end())]
        spans.append((first, last, match[label].strip()))
    if spans and not any(label in known.inventory for _, _, label in spans):
        folded = fold(known.text)
        spans = [span for span in spans if fold(body[span[0] : span[1]]) in folded and span[2].isidentifier()]
    return _rewritten(body, cuts, spans, repaired=False) if spans else _UNREAD


# --- JSON ---


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON: its pairs, since a model may write a key twice."""


_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[\]}])', re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},\'"]', re.DOTALL)
_BEFORE = re.compile(r"[\[{,:(]\s*\Z")
"""What stands before a string of Python, which an apostrophe does not begin."""
_SINGLE = re.compile(r"'(?:[^'\\\n]|\\.|'(?=\w)){0,1000}+'(?=\s*[,\]}:)])")
_PAIRED = {"]": "[", "}": "{"}


def _json(body: str, known: Shape) -> Reading:
    """The last value of JSON in the body that has mentions, or says that there are none."""
    if "[" not in body and "{" not in body:
        return _UNREAD
    values, unclosed = _values(body)
    nothing = False
    tried: Iterator[tuple[list[Any], bool]] = iter(())
    if unclosed:
        tried = (([value], True) for value in _salvaged(body, unclosed))
    for parsed, repaired in (*tried, *_parsed(body, values)):
        mentions = [mention for value in parsed for mention in _in_value(value, known, "", 0)]
        if mentions:
            return Reading("", tuple(mentions), None, repaired)
        nothing = nothing or all(map(_is_nothing, parsed))
    return Reading(nothing=nothing)


Open = tuple[str, int, int]
"""An opening bracket, its place, and the last comma directly within it (or the bracket itself)."""


def _values(body: str) -> tuple[list[tuple[int, int]], list[Open]]:
    """The outermost brackets that are closed, and those that are open at the end, the outermost first."""
    stack: list[Open] = []
    closed: list[tuple[int, int]] = []
    place = 0
    while match := _TOKEN.search(body, place):
        mark, place = match[0], match.end()
        if mark in "[{":
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


def _parsed(body: str, values: Sequence[tuple[int, int]]) -> Iterator[tuple[list[Any], bool]]:
    """The values, last first; objects that follow each other with nothing between them are one."""
    group: list[Any] = []
    repaired, follows = False, -1
    for begin, end in values[::-1]:
        loaded = _loaded(body[begin:end])
        if loaded is None:
            continue
        value, mended = loaded
        together = isinstance(value, _Pairs) and follows >= 0 and not body[end:follows].strip(" \t\r\n,")
        if group and not together:
            yield group, repaired
            group, repaired = [], False
        group, repaired = [value, *group], repaired or mended
        follows = begin if isinstance(value, _Pairs) else -1
    if group:
        yield group, repaired


def _salvaged(body: str, unclosed: Sequence[Open]) -> Iterator[Any]:
    """A value that is not closed, as far as its items are complete."""
    if len(unclosed) > _DEEPEST:
        return
    depth = next((number for number in range(1, len(unclosed)) if unclosed[number - 1][0] == "["), len(unclosed))
    # An item of a list that is cut goes; else what follows the last comma, in the innermost list or around it.
    ends = [(unclosed[depth][1] if depth < len(unclosed) else len(body), depth)]
    ends += [(unclosed[number][2], number + 1) for number in range(depth - 1, -1, -1)]
    for end, number in ends:
        closing = "".join("]" if mark == "[" else "}" for mark, _, _ in unclosed[:number][::-1])
        loaded = _loaded(body[unclosed[0][1] : end].rstrip().rstrip(",") + closing)
        if loaded is not None:
            yield loaded[0]
            return


def _loaded(text: str) -> tuple[Any, bool] | None:
    """A value and whether it had to be mended: JSON, else without trailing commas, else a literal of Python."""
    depth = deepest = 0
    for mark in re.findall(r"[\[{(\]})]", text):
        depth += 1 if mark in "[{(" else -1
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        return None
    for mended, candidate in ((False, text), (True, _TRAILING.sub(lambda match: match[1] or "", text))):
        try:
            return json.loads(candidate, object_pairs_hook=_Pairs, strict=False), mended
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
        return _Pairs((key, _as_pairs(one)) for key, one in value.items() if isinstance(key, str))
    if isinstance(value, list | tuple | set):
        return [_as_pairs(one) for one in (sorted(value, key=repr) if isinstance(value, set) else value)]
    return value


def _is_nothing(value: Any) -> bool:
    """True of null, empty lists, and what has nothing else in it."""
    if isinstance(value, _Pairs):
        return all(_is_nothing(one) for _, one in value)
    return value in (None, "") or (isinstance(value, list) and all(map(_is_nothing, value)))


def _in_value(value: Any, known: Shape, label: str, depth: int) -> Iterator[Mention]:
    """The mentions in a value; `label`: of those that have none of their own."""
    label = label or known.label
    if isinstance(value, _Pairs):
        yield from _in_object(value, known, label, depth)
    elif isinstance(value, list):
        strings = [one for one in value[:2] if isinstance(one, str)]
        labels = [one in known.inventory for one in strings]
        # A text and its label, and perhaps places, which are not trusted; in a list, or told by the label.
        if len(strings) == 2 and (labels[0] != labels[1] if label or not depth else depth):
            text = int(labels == [True, False])
            yield from _mention(strings[text], strings[1 - text])
            return
        for one in value:
            if isinstance(one, str):
                yield from _mention(one, label)
            else:
                yield from _in_value(one, known, label, depth + 1)


def _in_object(pairs: _Pairs, known: Shape, label: str, depth: int) -> Iterator[Mention]:
    values = dict(pairs)
    if not all(key in known.inventory for key in values):
        name = next((key for key in LABELS if values.get(key)), None)
        text = next((values[key] for key in TEXTS if key != name and isinstance(values.get(key), str)), None)
        given = values[name] if name is not None else None
        labels: list[str] = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str)]
        if text is not None and (labels or (label and name is None)):
            for one in labels or [label]:
                yield from _mention(text, one)
            return
    around = any(isinstance(value, list) and any(isinstance(one, list) for one in value) for value in values.values())
    for key, value in pairs:
        inside = key in known.inventory
        if isinstance(value, str):
            if value in known.inventory and not inside:
                yield from _mention(key, value)
            elif inside or not (around or key in TEXTS or key in LABELS or key.lower() in (*_PLACES, *_AROUND)):
                yield from _mention(value, key, anew=True)
        elif isinstance(value, list):
            strings = [] if isinstance(value, _Pairs) else [one for one in value if isinstance(one, str)]
            if strings and len(strings) == len(value):
                if not inside and all(one in known.inventory for one in strings):
                    for one in strings:
                        yield from _mention(key, one)
                else:
                    own = key if inside or key.lower() not in _AROUND else label
                    for number, one in enumerate(strings if own else ()):
                        yield from _mention(one, own, anew=number == 0 and own == key)
            else:
                found = list(_in_value(value, known, key if inside else label, depth + 1))
                yield from (replace(one, anew=inside and number == 0) for number, one in enumerate(found))


def _mention(text: str, label: str, *, anew: bool = False) -> Iterator[Mention]:
    """A mention, if there is any text, and a label that can be one."""
    if text.strip() and label.strip():
        yield Mention(text.strip(), " ".join(label.split()), anew)


# --- tables, words, lines ---


def _unmarked(text: str) -> str:
    """A cell or a piece of a line without bold, code and quotes around it."""
    text = text.strip()
    while len(text) > 1:
        for left, right in (("**", "**"), ("__", "__"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("*", "*")):
            if text.startswith(left) and text.endswith(right) and len(text) >= len(left + right):
                text = text[len(left) : len(text) - len(right)].strip()
                break
        else:
            return text
    return text


def _table(body: str, known: Shape) -> Reading:
    """A table of Markdown, its columns told by their heads."""
    mentions: list[Mention] = []
    columns: tuple[int, int] | None = None
    headed = False
    for line in body.split("\n"):
        if "|" not in line:
            columns = None
            continue
        cells = [_unmarked(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            continue
        if columns is None:
            heads = [" ".join(cell.lower().replace("_", " ").split()) for cell in cells]
            labels = [number for number, head in enumerate(heads) if head in _LABEL_HEADS]
            texts = [number for number, head in enumerate(heads) if head in _TEXT_HEADS]
            if texts and labels:
                columns, headed = (texts[0], labels[0]), True
        elif max(columns) < len(cells):
            mentions += _mention(cells[columns[0]], cells[columns[1]])
    return Reading("", tuple(mentions), nothing=headed)


_SPAN_TAG = re.compile(r"([BIESLUM])-(.+)")
_ENOUGH = 0.8
"""The least share of words that have a tag."""


def _words(body: str, known: Shape) -> Reading:
    """word/TAG, or a word and its tag in each line."""
    lines = [line.split() for line in body.split("\n") if line.strip()]
    pieces = [piece.rpartition("/") for line in lines for piece in line]
    for rows in ([(word, tag) if slash else (tag, "") for word, slash, tag in pieces], _columns(lines)):
        tagged = sum(_is_tag(tag, known) and word != "" for word, tag in rows)
        if rows and tagged >= _ENOUGH * len(rows):
            break
    else:
        return _UNREAD
    words = [(word, tag) if _is_tag(tag, known) else (f"{word}/{tag}" if tag else word, "") for word, tag in rows]
    plain, spans, place = " ".join(word for word, _ in words), [], 0
    before = ("", "")
    for word, tag in words:
        match = _SPAN_TAG.fullmatch(tag)
        prefix, label = (match[1], match[2]) if match else ("I", "" if tag == "O" else tag)
        if label and (prefix in "BSU" or before[1] != label or before[0] in "ESLU"):
            spans.append((place, place + len(word), label))
        elif label:
            spans[-1] = (spans[-1][0], place + len(word), label)
        before = (prefix, label)
        place += len(word) + 1
    return replace(_rewritten(plain, (), spans, tagged < len(rows)), nothing=True)


def _columns(lines: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """The word and the tag of each line."""
    if any(len(line) > 3 for line in lines):
        return []
    return [(line[0], line[-1] if len(line) > 1 else "") for line in lines]


def _is_tag(tag: str, known: Shape) -> bool:
    return tag == "O" or tag in known.inventory or _SPAN_TAG.fullmatch(tag) is not None


_LONGEST = 1_000
"""The most characters of a line with one entity, or with those of one label."""
_BULLET = re.compile(r"(?:[-*•·‣◦▪–]\s+|\(?\d{1,3}[.)]\s+)+")
_ARROW = r"(?:->|→|=>|⇒|–>)"
_LINES: dict[str, tuple[re.Pattern[str], tuple[int, int]]] = {
    "text (L)": (re.compile(r"(.+?)\s*[(\[]([^()\[\]]+)[)\]]\.?"), (1, 2)),
    "text: L": (re.compile(r"(.+)(?<!:):\s*([^:]+)"), (1, 2)),
    "text -> L": (re.compile(rf"(.+?)\s*{_ARROW}\s*(.+)"), (1, 2)),
    "text - L": (re.compile(r"(.+)\s[-–—|]\s(.+)"), (1, 2)),
    "L: a, b": (re.compile(r"([^:]+):\s*(.+)"), (2, 1)),
    "L -> text": (re.compile(rf"(.+?)\s*{_ARROW}\s*(.+)"), (2, 1)),
    "L - text": (re.compile(r"(.+?)\s[-–—|]\s(.+)"), (2, 1)),
}
"""Patterns of lines with one entity, or with the entities of one label, and the groups of text and label."""


def _lines(body: str, known: Shape) -> Reading:
    """One entity a line; the lines whose label is known tell the pattern, by which then all are read."""
    lines, bullets = [], []
    for line in body.split("\n"):
        stripped = line.strip()
        match = _BULLET.match(stripped)
        text = _unmarked(stripped[match.end() :] if match else stripped)
        if 0 < len(text) <= _LONGEST:
            lines.append(text)
            bullets += [text] if match else []
    best: tuple[int, str, list[tuple[str, str]]] = (0, "", [])
    for name, (pattern, (text_group, label_group)) in _LINES.items():
        rows = [
            (_unmarked(match[text_group]), _unmarked(match[label_group].strip().rstrip(":")))
            for line in lines
            if (match := pattern.fullmatch(line))
        ]
        number = sum(label in known.inventory for _, label in rows)
        if number > best[0]:
            best = (number, name, rows)
    _, name, rows = best
    mentions: list[Mention] = []
    for text, label in rows:
        if name == "L: a, b":
            parts = [part for part in map(_unmarked, text.split(",")) if not _NONE.fullmatch(part)]
            for number, part in enumerate(parts):
                mentions += _mention(part, label, anew=number == 0)
        elif "," not in label and len(label) <= 60:
            mentions += _mention(text, label)
    if not mentions and known.label:
        mentions = [one for text in bullets for one in _mention(text, known.label)]
    return Reading("", tuple(mentions), nothing=bool(rows))


SHAPES: dict[str, Callable[[str, Shape], Reading]] = {
    "tags": _tags,
    "marks": _marks,
    "brackets": _brackets,
    "json": _json,
    "table": _table,
    "words": _words,
    "lines": _lines,
}
"""The shapes in the order in which they are tried."""
