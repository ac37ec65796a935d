"""Rows of machine-learning libraries, written as documents of our JSON: GLiNER, spaCy's tuples, TACRED."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

TUPLES = re.compile(r'\[\s*\[\s*"(?:[^"\\\n]|\\.)*+"\s*,\s*\{')
"""The opening of a list of tuples, each a text and its annotation."""
_NO_RELATION = "no_relation"
_GLINER, _IN_TACRED = "tokenized_text", frozenset(("token", "subj_start", "obj_start"))
TACRED = "TACRED JSON"
_OF_GLINER = (_GLINER, "ner", "relations")
_ARGUMENTS = ("subj", "obj")
_OF_TACRED = ("token", "relation", *(f"{role}_{key}" for role in _ARGUMENTS for key in ("start", "end", "type")))
GIVEN = "The spans are given (TACRED), so that only relations can be right or wrong."


def plain_document(value: Any) -> tuple[Any, str]:
    """A document of our JSON and the shape that it had; other values as they are, without a shape."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], dict):
        return {"text": value[0], "entities": value[1].get("entities", [])}, "spaCy tuples"
    if not isinstance(value, dict):
        return value, ""
    if _GLINER in value:
        tokens, spans, relations = (value.get(key) for key in _OF_GLINER)
        if isinstance(spans, list):
            spans = [*map(_include_last, spans)]
        if isinstance(relations, list):
            keys = ("head", "tail", "label")
            relations = [dict(zip(keys, row, strict=False)) if isinstance(row, list) else row for row in relations]
        return _replace(value, _OF_GLINER, tokens, spans, relations), "GLiNER JSON"
    if value.keys() >= _IN_TACRED:
        spans = [
            _include_last([value.get(f"{role}_{key}") for key in ("start", "end", "type")]) for role in _ARGUMENTS
        ]
        label = value.get("relation")
        relations = [] if label == _NO_RELATION else [{"label": label, "head": 0, "tail": 1}]
        return _replace(value, _OF_TACRED, value["token"], spans, relations), TACRED
    return value, ""


def _replace(value: dict[str, Any], keys: Sequence[str], tokens: Any, spans: Any, relations: Any) -> dict[str, Any]:
    """A document with words, spans and relations in place of these keys; the others are metadata."""
    others = {key: given for key, given in value.items() if key not in keys}
    return {**others, "tokens": tokens, "spans": spans, "relations": relations}


def _include_last(span: Any) -> Any:
    """First word, last word and label as begin, end and label."""
    if isinstance(span, list) and len(span) == 3 and type(span[1]) is int:
        return [span[0], span[1] + 1, span[2]]
    return span
