"""The answer of a language model, in whatever shape it wrote it, as mentions with labels.

The shapes are tried in the order of `SHAPES` in every body of the answer (code fences, then the whole answer); the
first that gives a mention is the one. An answer that cannot be read is no error: its status says so. Tables and lists
are read here, values of JSON in `values`, texts that are written again in `rewritten`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from assay.formats.claims import LABELS, LONGEST_LABEL, TEXTS, AnswerReading, Claim, Question, is_none, key_of, unmark
from assay.formats.grounding import fold_spelling
from assay.formats.rewritten import read_bracket_marks, read_marks, read_tags, read_words
from assay.formats.values import PLACES, PROSE, Pairs, in_value, load_value, read_elements, read_json_answer

STATUSES = ("parsed", "repaired", "empty", "refused", "malformed", "missing")
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_ANSWER = re.compile(r"(?:final\s+)?answer\s*:\s*", re.IGNORECASE)
_FENCE = re.compile(r"```(?:[\w+-]*[ \t]*\n|[A-Za-z]+(?=[\[{]))?(.*?)(?:```|\Z)", re.DOTALL)
_NO_ENTITIES = re.compile(
    r"\b(?:no|none|(?:not|n['’]t)\b[^.\n]{0,40}?\bany)\b[^.\n]{0,60}?\b(?:entit(?:y|ies)|mentions?|named)\b",
    re.IGNORECASE,
)
REFUSALS = (
    *("i can't", "i cannot", "i'm sorry", "i am sorry", "i'm unable", "i am unable", "as an ai", "unable to assist"),
)
"""Phrases of refusals, folded. Others are malformed answers, with the same score."""


def clean_answer(answer: str) -> str:
    """An answer without the thought before it, and without what leads up to it."""
    lowered = answer.lower()
    if "think>" in lowered:
        end = lowered.find("</think>")
        # If the opening is not there, it stands in the prompt.
        opened = end < 0 or "<think>" in lowered[:end]
        answer = _THOUGHT.sub("", answer if opened else answer[end + len("</think>") :])
    answer = answer.strip()
    if answer[:2] in ('"[', '"{') and answer[-1] == '"':
        loaded = load_value(answer)
        answer = loaded[0].strip() if loaded and isinstance(loaded[0], str) else answer
    match = _ANSWER.match(answer)
    return answer[match.end() :] if match else answer


def answer_bodies(answer: str) -> list[str]:
    """The parts of a cleaned answer in the order in which they are tried: code fences, last one first, then all."""
    fenced = [match[1].strip() for match in _FENCE.finditer(answer)] if "```" in answer else []
    return [*fenced[::-1], answer]


def is_refusal(answer: str) -> bool:
    """True if a model says that it will not answer."""
    folded = fold_spelling(answer)
    return any(phrase in folded for phrase in REFUSALS)


def read_answer(
    answer: str | None, text: str, inventory: Collection[str], *, shape: str = "auto", label: str = ""
) -> AnswerReading:
    """An answer to a text as mentions, and how it could be read."""
    if answer is None:
        return AnswerReading("missing")
    answer = clean_answer(answer)
    if is_none(answer):
        return AnswerReading("empty")
    asked = Question(frozenset(inventory), label, text)
    nothing = False
    for body in answer_bodies(answer):
        nothing = nothing or is_none(body)
        for name, read in SHAPES.items():
            if shape in ("auto", name):
                reading = read(body, asked)
                if reading.mentions:
                    return replace(reading, status="repaired" if reading.repaired else "parsed")
                nothing = nothing or reading.nothing
    if nothing or (answer and fold_spelling(answer) == asked.folded):
        return AnswerReading("empty")
    if is_refusal(answer):
        return AnswerReading("refused")
    return AnswerReading("empty" if _NO_ENTITIES.search(answer) else "malformed")


_TEXT_HEADS = (*TEXTS, "phrase")
_LABEL_HEADS = LABELS[:-1]
_LONGEST_LINE = 1_000
"""The most characters of a line with one entity, or with those of one label."""
_LONGEST_LIST = 100_000
"""The most characters of a line with several."""
_BULLET = re.compile(r"(?:[-*•·‣◦▪–]\s+|\(?\d{1,3}[.)]\s+)+")


# --- tables, and objects in lines ---

_FIELD = re.compile(r"\s*((?:[-*•]|\d{1,3}[.)])\s+)?[\"']?([A-Za-z][\w ]{0,30}?)[\"']?\s*:\s*(.*)")
_NEXT_FIELD = re.compile(r"\s*[,;|]\s+(?=[\"']?[A-Za-z][\w ]{0,30}[\"']?\s*:)")
_ROW = re.compile(r"\s*\|(.*)\|\s*")


def read_table(body: str, asked: Question) -> AnswerReading:
    """A table of Markdown, CSV or tabs whose heads are known or labels, else lines with a key and a value each."""
    claims: list[Claim] = []
    columns: tuple[int, ...] = ()
    lists: list[tuple[str, list[str]]] = []
    separator = ""
    for line in [*body.split("\n"), ""]:
        if separator and separator in line:
            cells = _cells(line, separator)
            if all(re.fullmatch(":?-+:?", cell) for cell in cells):
                continue
            for (_, strings), cell in zip(lists, cells, strict=False):
                strings.append(cell)
            if columns and max(columns) < len(cells):
                text, label = (cells[column] for column in columns)
                claims += asked.claim(text, label) if text else [None]
            continue
        claims += [claim for label, strings in lists for claim in asked.claim_listed(strings, label)]
        separator, columns, lists = next(_heads(line, asked), ("", (), []))
        # A table without rows says that there is nothing.
        claims += [None] if separator else []
    return AnswerReading.of(claims) if claims or "{" in body else _read_fields(body, asked)


def _cells(line: str, separator: str) -> list[str]:
    if separator == "|":
        cells = [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
    else:
        quoted = csv.reader([line.replace("\r", " ")], delimiter=separator, skipinitialspace=True)
        cells = next(quoted) if len(line) <= _LONGEST_LINE else []
    return [unmark(cell) for cell in cells]


def _heads(line: str, asked: Question) -> Iterator[tuple[str, tuple[int, ...], list[tuple[str, list[str]]]]]:
    """How a line divides its cells if these are heads, and the columns of text and label or a list for each label."""
    for mark in "|\t;,":
        if mark in line and len(line) <= _LONGEST_LINE:
            cells = [unmark(cell) for cell in line.strip().strip("|").split(mark)]
            keys = [*map(key_of, cells)]
            texts, labels = ([key for key in keys if key in names] for names in (_TEXT_HEADS, _LABEL_HEADS))
            if texts and labels:
                yield mark, (keys.index(texts[0]), keys.index(labels[0])), []
            elif mark == "|" and all(cell in asked.inventory for cell in cells):
                yield mark, (), [(cell, []) for cell in cells]


def _read_fields(body: str, asked: Question) -> AnswerReading:
    """Objects with a key and a value in each line, as in YAML, if there is a label of the inventory among them."""
    objects: list[Pairs] = []
    fields: Pairs | None = None
    for line in body.split("\n"):
        pairs = _split_fields(line)
        fields = fields if pairs else None
        for begins, key, text in pairs:
            if fields is None or begins or key in dict(fields):
                fields = Pairs()
                objects.append(fields)
            value: Any = int(text) if key in PLACES and re.fullmatch(r"\d{1,18}", text, re.ASCII) else text
            fields.append((key, None if value in ("", "null", "~") else value))
    claims = [claim for fields in objects for claim in in_value(fields, asked, "", 0)]
    has_label = any(claim is not None and claim.label in asked.inventory for claim in claims)
    return AnswerReading.of(claims) if has_label else AnswerReading()


def _split_fields(line: str) -> list[tuple[bool, str, str]]:
    """The fields of a line: whether a bullet begins an object, the key, the value. Empty if a key is unknown."""
    if ":" not in line or len(line) > _LONGEST_LINE:
        return []
    line = line.replace("**", "")
    for parts in (_NEXT_FIELD.split(line), [line]):
        matches = [match for part in parts if (match := _FIELD.fullmatch(part))]
        keys = [key_of(match[2]) for match in matches]
        if len(keys) == len(parts) and all(key in (*TEXTS, *LABELS, *PLACES) for key in keys):
            return [(bool(match[1]), key, unmark(match[3])) for match, key in zip(matches, keys, strict=True)]
    return []


# --- lines ---

_ARROW = r"(?:->|→|=>|⇒|–>)"
_LINES: dict[str, tuple[re.Pattern[str], tuple[int, int]]] = {
    "text (L)": (re.compile(r"(.+?)\s*[(\[]([^()\[\]]+)[)\]]\.?"), (1, 2)),
    "text: L": (re.compile(r"(.+)(?<!:):\s*([^:]+)"), (1, 2)),
    "text -> L": (re.compile(rf"(.+?)\s*{_ARROW}\s*(.+)"), (1, 2)),
    "text = L": (re.compile(r"(.+?)\s*=\s*(.+)"), (1, 2)),
    "text\tL": (re.compile(r"(.+?)\s*\t\s*(.+)"), (1, 2)),
    "text - L": (re.compile(r"(.+)\s[-–—|]\s(.+)"), (1, 2)),
    "text, L": (re.compile(r"([^;]+)[,;]\s*([^,;]+)"), (1, 2)),
    "L: a, b": (re.compile(r"([^:]+):\s*(.+)"), (2, 1)),
    "L = a, b": (re.compile(r"([^=]+?)\s*=\s*(.+)"), (2, 1)),
    "L -> text": (re.compile(rf"(.+?)\s*{_ARROW}\s*(.+)"), (2, 1)),
    "L - text": (re.compile(r"(.+?)\s[-–—|]\s(.+)"), (2, 1)),
    "L\ttext": (re.compile(r"(.+?)\s*\t\s*(.+)"), (2, 1)),
    "[L] text": (re.compile(r"\[([^\[\]]+)\]\s*(.+)"), (2, 1)),
}
"""Patterns of lines with one entity, or with the entities of one label, and the groups of text and label."""
_LISTS = ("L: a, b", "L = a, b")
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")
_BEHIND_SIGN = re.compile(rf"(?::|{_ARROW}|=)\s*([^,;:=]{{1,{LONGEST_LABEL}}}?)(?=\s*(?:[,;.]|$)|\s+and\b)")
_BEHIND_COMMA = re.compile(rf",\s*([^,;]{{1,{LONGEST_LABEL}}}?)(?=\s*(?:;|\.?$))")
_NEXT = re.compile(r"\s*(?:[,;]\s*(?:and\b)?|and\b|&)\s*(.*\S)\s*", re.DOTALL)
_EXPLAINED = re.compile(r"\s*(?:\.?|[-–—:(\[].*|[,;][^()\[\]]*)", re.DOTALL)
"""What may follow a label in brackets: a stop or a gloss."""
_HEADING = re.compile(r"#*\s*(.*?)\s*(?:\(\d+\))?\s*:?")
_STOP = re.compile(r"(?<!\.\w)\.\Z")
"""A full stop that ends no abbreviation with stops in it."""
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")

Line = tuple[str, bool]
"""A line without its bullet, bold and quotes, and whether it had a bullet."""


def read_lines(body: str, asked: Question) -> AnswerReading:
    """Lists under headings, and one entity or several a line, or those of one label.

    The lines whose label is known tell the pattern, by which then all are read.
    """
    body_lines = body.split("\n")
    rows = {line: row[1] for line in body_lines if (row := _ROW.fullmatch(line))}
    # The mentions of a table are read already; without heads its rows are lines.
    is_table = any(next(_heads(line, asked), None) for line in rows)
    lines: list[Line] = []
    for line in body_lines:
        if is_table and line in rows:
            continue
        stripped = rows.get(line, line).replace("**", "").strip()
        bullet = _BULLET.match(stripped)
        text = stripped[bullet.end() :] if bullet else stripped
        whole = re.fullmatch(r"\(([^()]*)\)", text)
        lines.append((unmark(whole[1] if whole else text), bullet is not None))
    claims, rest = _read_headings(lines, asked)
    pieces = [piece for line in rest for piece in _cut_line(line, asked)]
    sequences = {piece: _read_sequence(piece, asked) for piece in pieces}
    singles = [piece for piece in pieces if not sequences[piece] and len(piece) <= _LONGEST_LINE]
    best: tuple[int, str, dict[str, tuple[str, str]]] = (0, "", {})
    for name in _LINES:
        pairs = {line: pair for line in singles if (pair := _match_line(name, line, asked))}
        number = sum(bool(asked.labels_in(pairs[line][1])) for line in singles if line in pairs)
        if number > best[0]:
            best = (number, name, pairs)
    _, name, pairs = best
    for piece in pieces:
        if piece in pairs:
            claims += _read_line(*pairs[piece], asked, is_list=name in _LISTS)
        claims += sequences[piece]
    if not any(claims) and asked.label:
        bullets = [text for text, bullet in lines if bullet and len(text) <= _LONGEST_LINE]
        claims += [claim for text in bullets for claim in asked.claim(text, asked.label)]
    return AnswerReading.of(claims)


def _read_headings(lines: Sequence[Line], asked: Question) -> tuple[list[Claim], list[str]]:
    """The mentions under headings that are labels, and the lines that are under none."""
    lists: list[tuple[str, list[str]]] = []
    rest: list[str] = []
    open_list: list[str] | None = None
    bulleted = False
    for text, bullet in lines:
        match = _HEADING.fullmatch(text) if 0 < len(text) <= 2 * LONGEST_LABEL else None
        before, colon, behind = text.partition(":")
        if match and unmark(match[1]) in asked.inventory:
            open_list = []
            lists.append((unmark(match[1]), open_list))
        elif not text:
            open_list = open_list if bulleted or not open_list else None
        elif colon and key_of(before) in PROSE and before not in asked.inventory:
            open_list = None
            rest += [behind.strip()] if key_of(before) in ("answer", "output") else []
        elif (
            open_list is None
            # A label of the inventory and a sign after it begin a list in one line.
            or ((label := asked.first_label(text)) and text[len(label) :].lstrip()[:1] in (":", "="))
            or (open_list and bulleted and not bullet)
        ):
            open_list = None
            rest.append(text)
        elif not text.endswith(":"):
            bulleted = bullet if not open_list else bulleted
            open_list.append(text)
    return [claim for label, strings in lists for claim in asked.claim_listed(strings, label)], rest


def _cut_line(text: str, asked: Question) -> list[str]:
    """The parts of a line that begin with a label of the inventory and a colon or `=`."""
    if len(text) > _LONGEST_LIST:
        return []
    cuts = [0]
    for sign in re.finditer("[:=]", text):
        begin = max(cuts[-1], sign.start() - 2 * LONGEST_LABEL)
        window = text[begin : sign.start()].rstrip()
        starts = (word.start() for word in re.finditer(r"\S+", window))
        cuts += [begin + start for start in starts if window[start:] in asked.inventory][:1]
    parts = [text[begin:end].strip().rstrip(";|,").rstrip() for begin, end in pairwise([*cuts, len(text)])]
    return [part for part in (_STOP.sub("", part) if len(cuts) > 2 else part for part in parts) if part]


def _read_sequence(text: str, asked: Question) -> list[Claim]:
    """The mentions of a line that has several: `text (L)`, `text: L`, `text -> L` or `text, L`, all labels known."""
    for pattern in (_IN_BRACKETS, _BEHIND_SIGN, _BEHIND_COMMA):
        matches = [match for match in pattern.finditer(text) if asked.labels_in(match[1].strip())]
        if len(matches) < 2 or text[matches[-1].end() :].strip() not in ("", "."):
            continue
        first = text[: matches[0].start()].strip()
        others = [_NEXT.fullmatch(text, match.end(), after.start()) for match, after in pairwise(matches)]
        if first and all(others):
            texts = [_remove_lead(first, asked), *(match[1] for match in others if match)]
            pairs = zip(texts, matches, strict=True)
            return [claim for string, match in pairs for claim in asked.claim(unmark(string), match[1])]
    return []


def _remove_lead(text: str, asked: Question) -> str:
    """A text without what leads up to a colon, unless it occurs as it is or what follows only explains it."""
    if ":" not in text or asked.has(text):
        return text
    lead, _, mention = text.rpartition(":")
    return lead if asked.has(lead) and not asked.has(mention) else mention


def _match_line(name: str, line: str, asked: Question) -> tuple[str, str] | None:
    """The text and the label of a line by one of the patterns; None if it is another."""
    pattern, groups = _LINES[name]
    match = pattern.fullmatch(line)
    text, label = (match[group] for group in groups) if match else ("", "")
    if name == "text (L)":
        # The first bracket with a label of the inventory, and perhaps a gloss after it; else the last bracket.
        brackets = [bracket for bracket in _IN_BRACKETS.finditer(line) if asked.labels_in(bracket[1].strip())]
        if brackets:
            explained = len(brackets) == 1 and _EXPLAINED.fullmatch(line, brackets[0].end())
            text, label = (line[: brackets[0].start()], brackets[0][1]) if explained else ("", "")
    text, label = unmark(text), unmark(label.strip().rstrip(":"))
    return (text, label) if text and label else None


def _read_line(text: str, label: str, asked: Question, *, is_list: bool) -> Iterator[Claim]:
    """The mentions of a line; a label that goes on as a sentence is none."""
    start = asked.first_label(label)
    if asked.labels_in(label) is None and (
        "," in label or len(label) > LONGEST_LABEL or label[len(start) :][: bool(start)].isspace()
    ):
        return
    if not is_list:
        yield from asked.claim(_remove_lead(text, asked), label)
        return
    value: Any = text.split(";") if ";" in text else _COMMA.split(text)
    if text.startswith("["):
        value, _ = load_value(text) or (None, False)
    labels = asked.labels_in(label)
    if labels == []:
        yield None
    elif isinstance(value, list) and all(isinstance(string, str) for string in value):
        for name in labels or [label]:
            yield from asked.claim_listed(map(unmark, value), name)


# --- all shapes ---


def _read_markup(body: str, asked: Question) -> AnswerReading:
    """Elements that are objects, else tags in the text."""
    reading = read_elements(body, asked) if "</" in body else AnswerReading()
    return reading if reading.mentions else read_tags(body, asked)


SHAPES: dict[str, Callable[[str, Question], AnswerReading]] = {
    "tags": _read_markup,
    "marks": read_marks,
    "brackets": read_bracket_marks,
    "json": read_json_answer,
    "table": read_table,
    "words": read_words,
    "lines": read_lines,
}
"""The shapes in the order in which they are tried."""
