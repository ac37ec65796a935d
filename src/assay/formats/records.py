"""Records in JSON: for each document the object that a person or a system filled in, or a model's answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.documents import check_ids, flatten
from assay.formats.jsondocs import IDS, OF_DOCUMENT
from assay.formats.jsontext import check_string, expect, json_values, quote
from assay.formats.source import Source

FORMAT = "records"
RECORD, TEXT = "record", "text"
"""The columns of a corpus: the record as JSON, as a string of JSON if it is an answer; and the text it is about."""
LABELS = (RECORD, TEXT)
_GOLD = ("record", "gold", "expected", "reference", "ground_truth", "gt_parse")
_OWN = ("record", "ground_truth", "gt_parse")
"""Those that nothing else is under."""
_KEYS = (*_GOLD, "prediction", "output", "extracted", "answer")
"""Keys of a record; the first that is there counts."""
_OF_TEXTS = OF_DOCUMENT.difference(IDS).union(
    ("fields", "completions", "predictions", "token", "tokenized_text", "words", "sentence", "sentences", "content"),
    ("doc_key", "document", "documents", "passages", "paragraphs"),
)
"""Keys of annotated texts in JSON of any kind, which an object that is a record itself does not have."""
PARAMETERS = {"record": ""}
EXAMPLE = '{"id": "d1", "record": {"vendor": "Acme", "total": 12.5, "items": [{"name": "tea", "price": 2}]}}'


def looks_records(head: Sequence[str]) -> bool:
    """True if the first object has a record."""
    first = _first_object(head)
    key = next((key for key in _GOLD if key in first), "")
    value = first.get(key)
    # JSON in a string is refused with a remedy.
    is_quoted = key in _OWN and isinstance(value, str) and value.lstrip().startswith("{")
    return is_quoted or (is_record(value) and "text" not in first.get(key, ()))


def plain_keys(head: Sequence[str]) -> list[str]:
    """The keys of the first object if it can be a record itself: no key is one that annotated texts have."""
    # The last line, which may lack its end, is not among the first lines.
    keys = (_first_object(head) or _first_object([*head, "}"])).keys()
    return [*keys] if keys - {*IDS} and not keys & _OF_TEXTS else []


def _first_object(head: Sequence[str]) -> Mapping[str, Any]:
    """The first object of a file or of a list in it, on one line or several; empty if there is none."""
    text = "\n".join(head)
    begin = text.find("{")
    if begin >= 0 and text[:begin].strip() in ("", "["):
        with suppress(ValueError, RecursionError):
            first, _ = json.JSONDecoder().raw_decode(text, begin)
            return dict(first)
    return {}


def is_record(value: Any) -> bool:
    """True of an object, and of a list of objects."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, Mapping) for one in value)
    return isinstance(value, Mapping) and bool(value)


@dataclass(frozen=True, eq=False)
class GivenSchema:
    """A layer of gold: the JSON Schema that came with its records."""

    schema: Mapping[str, Any]


def is_records(given: Any) -> bool:
    """True for a list of records as data: dicts with a record in each, or objects of pydantic."""
    if not isinstance(given, list | tuple) or not given:
        return False
    first = given[0]
    has_record = isinstance(first, Mapping) and any(is_record(first.get(key)) for key in _GOLD)
    return has_record or hasattr(first, "model_dump")


def read_data(given: Sequence[Any], name: str, builder: Builder) -> str:
    """Read records given as data: dicts as in a file or as they are, objects of pydantic, answers as strings.

    Returns their text, to be hashed.
    """
    values = []
    for one in given:
        plain = one.model_dump(mode="json") if hasattr(one, "model_dump") else one
        values.append({"answer": plain} if isinstance(plain, str) or plain is None else plain)
    try:
        text = json.dumps(values, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: data that JSON cannot contain ({error}).") from None
    builder.begin_file(name)
    numbered = enumerate(json.loads(text), 1)
    add_records(((number, f"{name}, record {number}", value) for number, value in numbered), builder)
    builder.end_file()
    return text


def read_records(source: Source, builder: Builder, *, record: str) -> None:
    """Read one file: a record per line, a list of them, or in a folder one record that is called as its file."""
    name = source.stem if source.folder is not None else None
    values = json_values(source, EXAMPLE, "record")
    add_records(((line, f"{source.path}:{line}", value) for line, value in values), builder, record, name)


def add_records(
    values: Iterable[tuple[int, str, Any]], builder: Builder, record: str = "", name: str | None = None
) -> None:
    """Hand records to the builder, each with its line and place; `name`: the id of one that has none."""
    for line, place, value in values:
        if not isinstance(value, Mapping):
            raise InputError(f"{place}: {quote(value)}, but a record is expected. It is {EXAMPLE}")
        key = record or next((key for key in _KEYS if key in value), "")
        if record and record not in value:
            raise InputError(f"{place}: no {record} among {', '.join(value)}.")
        given = next((value[own] for own in IDS if value.get(own) is not None), name)
        content = value[key] if key else {own: one for own, one in value.items() if own not in (*IDS, TEXT)}
        text = value.get(TEXT) if value.get(TEXT) is not None else ""
        expect(
            isinstance(given, str | int | None) and not isinstance(given, bool),
            f"{place}: the id",
            given,
            "a string or a number",
        )
        if builder.sentence:
            check_ids(given is not None, bool(builder.ids), place)
        if given is None:
            builder.document(str(line), builder.sentence)
        else:
            builder.identify(str(given), place)
        if key:
            others = {own: one for own, one in value.items() if own not in (*IDS, *_KEYS, TEXT, key)}
            builder.describe(flatten(others))
        written = check_string(json.dumps(content, ensure_ascii=False), f"{place}: the record")
        cells = {RECORD: written, TEXT: check_string(text, f"{place}: the text")}
        builder.add(["", *(cells[own] for own in builder.names)], [builder.words + 1], [line])
