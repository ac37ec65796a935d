"""The answer of a language model, in whatever shape it wrote it, as mentions with labels.

The shapes are tried in the order of `SHAPES` in every body of the answer (what stands in code fences, then all of
it); the first that gives a mention is the one. Nothing here fails: an answer that cannot be read has a status that
says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from assay.formats.claims import UNREAD, AnswerReading, Question, is_none
from assay.formats.grounding import fold
from assay.formats.listings import read_lines, read_table
from assay.formats.rewritten import read_bracket_marks, read_marks, read_tags, read_words
from assay.formats.values import read_elements, read_json_answer, unquote_json

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


def read_answer(
    answer: str | None, text: str, inventory: Collection[str], *, shape: str = "auto", label: str = ""
) -> AnswerReading:
    """An answer to a text as mentions, and how it could be read."""
    if answer is None:
        return AnswerReading("missing")
    answer = unquote_json(_without_thought(answer).strip())
    if match := _ANSWER.match(answer):
        answer = answer[match.end() :]
    if is_none(answer):
        return AnswerReading("empty")
    asked = Question(frozenset(inventory), label, text)
    fenced = [match[1].strip() for match in _FENCE.finditer(answer)] if "```" in answer else []
    nothing = False
    for body in (*fenced[::-1], answer):
        nothing = nothing or is_none(body)
        for name, read in SHAPES.items():
            if shape in ("auto", name):
                found = read(body, asked)
                if found.mentions:
                    return replace(found, status="repaired" if found.repaired else "parsed")
                nothing = nothing or found.nothing
    folded = fold(answer)
    if nothing or (answer and folded == asked.folded):
        return AnswerReading("empty")
    if any(phrase in folded for phrase in REFUSALS):
        return AnswerReading("refused")
    return AnswerReading("empty" if _NO_ENTITIES.search(answer) else "malformed")


def _without_thought(answer: str) -> str:
    lowered = answer.lower()
    if "think>" not in lowered:
        return answer
    end = lowered.find("</think>")
    if end >= 0 and "<think>" not in lowered[:end]:
        # The opening stands in the prompt.
        answer = answer[end + len("</think>") :]
    return _THOUGHT.sub("", answer)


def _read_markup(body: str, asked: Question) -> AnswerReading:
    """Elements that are objects, else tags in the text."""
    found = read_elements(body, asked) if "</" in body else UNREAD
    return found if found.mentions else read_tags(body, asked)


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
