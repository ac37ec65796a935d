"""A model's answer as a record: what is around it, what must be mended, and what is no record."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from assay.formats.shapes import STATUSES, answer_bodies, clean_answer, is_refusal
from assay.formats.values import Pairs, load_value, objects_in
from assay.tasks.records.schema import LIST, Place, is_nothing

PARSED, REPAIRED, EMPTY, REFUSED, MALFORMED, MISSING = STATUSES
READ = (PARSED, REPAIRED, EMPTY)
"""The statuses of answers that have a record."""
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+")|//[^\n]*|/\*.*?\*/', re.DOTALL)


class RecordReading(NamedTuple):
    """The record of an answer, None if there is none, and how it could be read."""

    status: str
    record: Any = None


def read_record(answer: str | None, schema: Place) -> RecordReading:
    """The record in an answer, under a schema."""
    if answer is None:
        return RecordReading(MISSING)
    answer = clean_answer(answer)
    for body in answer_bodies(answer):
        if body.strip() == "null":
            return RecordReading(EMPTY, {})
        plain = _COMMENT.sub(lambda match: match[1] or "", body) if "//" in body or "/*" in body else body
        for value, repaired in objects_in(plain, joins=schema.form == LIST):
            found = _unwrap(value, schema)
            if found is not None:
                record, mended = _as_record(found)
                is_mended = repaired or mended or (plain != body and load_value(body.strip()) is None)
                status = EMPTY if is_nothing(record) else REPAIRED if is_mended else PARSED
                return RecordReading(status, record)
    return RecordReading(REFUSED if is_refusal(answer) else MALFORMED)


def _unwrap(value: Any, schema: Place) -> Any:
    """The record in a value: within a list of one, or in the only object below it that has a field; else None."""
    if schema.form == LIST:
        is_list = isinstance(value, list) and not isinstance(value, Pairs)
        if is_list and all(isinstance(one, Pairs) for one in value):
            return value
        if isinstance(value, Pairs):
            below = [one for _, one in value if isinstance(one, list)]
            names = {*(schema.element.fields if schema.element else ())}
            wrapped = not names & {key for key, _ in value} and len(below) == 1
            return _unwrap(below[0], schema) if wrapped else [value]
        return None
    if isinstance(value, str) and value.lstrip().startswith("{"):
        loaded = load_value(value)
        value = loaded[0] if loaded else value
    if isinstance(value, list) and not isinstance(value, Pairs):
        return _unwrap(value[0], schema) if len(value) == 1 else None
    if not isinstance(value, Pairs):
        return None
    keys = {key for key, _ in value}
    if keys & schema.fields.keys() or not value:
        return value
    if "properties" in keys and ("type", "object") in value:
        return None
    inner = [found for _, one in value if (found := _unwrap_below(one, schema)) is not None]
    return inner[0] if len(inner) == 1 else value


def _unwrap_below(value: Any, schema: Place) -> Any:
    if not isinstance(value, str | list) or (isinstance(value, str) and not value.lstrip().startswith("{")):
        return None
    found = _unwrap(value, schema)
    return found if isinstance(found, Pairs) and {key for key, _ in found} & schema.fields.keys() else None


def _as_record(value: Any) -> tuple[Any, bool]:
    """A value with objects as mappings, the last of equal keys, null for what is no number; whether it was mended."""
    if isinstance(value, Pairs):
        pairs = [(key, *_as_record(one)) for key, one in value]
        twice = len({key for key, _, _ in pairs}) < len(pairs)
        return {key: one for key, one, _ in pairs}, twice or any(mended for _, _, mended in pairs)
    if isinstance(value, list):
        members = [_as_record(one) for one in value]
        return [one for one, _ in members], any(mended for _, mended in members)
    if isinstance(value, float) and not math.isfinite(value):
        return None, True
    return value, False
