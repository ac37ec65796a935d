"""Documents in JSON, in the shapes that annotation tools, libraries and language models write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.documents import Document, add_document
from assay.formats.jsontext import check_string, json_values, quote
from assay.formats.libraries import GIVEN, TACRED, TUPLES, plain_document
from assay.formats.source import Source
from assay.formats.whose import SKIPPED, Annotation

_OPENING = re.compile(r"""(?:\[\s*)?\{\s*(?:["'][^"'\n]*["']\s*:|\})|\[\s*\]\s*$|```json""")
IDS = ("id", "doc_id", "document_id", "uuid")
_SPANS = ("spans", "entities", "ents", "label", "labels")
_OVER_SPANS = {
    "relations": re.compile(r'"(?:relations"\s*:\s*\[\s*[\[{]|type"\s*:\s*"relation"|subj_start"\s*:)'),
    "links": re.compile(r'"(?:link|kb_id)"\s*:\s*"[^"]|"links"\s*:\s*\['),
}
"""The layers over spans in JSON, by what they look like."""
_OF_ROW = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
"""Keys of a row of JSON-MIN that are not the task's."""
OF_DOCUMENT = frozenset(
    (*IDS, *_SPANS, "text", "data", "tokens", "relations", "meta", "metadata", "answer", "annotator", "Comments")
)
"""Keys of a document that are no metadata."""
_EXAMPLE = '{"id": "d1", "text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}'


def looks_json(head: Sequence[str]) -> bool:
    """True if the file begins with an object, or with a list of them."""
    text = "\n".join(head[:50]).lstrip()
    return _OPENING.match(text) is not None or TUPLES.match(text) is not None


def decide_json(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """Spans, and the layers over them that the first lines show."""
    text = "\n".join(head)
    return {"layers": ["spans", *(name for name, keys in _OVER_SPANS.items() if keys.search(text))]}


def read_json(source: Source, builder: Builder, *, find: bool, trim: bool, offsets: str) -> None:
    """Read one file; `find` places mentions without offsets, `trim` takes white space off the ends of spans."""
    builder.begin_file(source.path)
    empty = True
    for line, value in _join_rows(json_values(source, _EXAMPLE)):
        empty = False
        document = _document(value, line, f"{source.path}:{line}")
        add_document(document, builder, find=find, trim=trim, offsets=offsets)
    if empty:
        raise InputError(f"{source.path}: no documents in it. A document is {_EXAMPLE}")
    if builder.shape == TACRED:
        builder.note(GIVEN)
    builder.end_file()


def read_dicts(
    documents: Sequence[Any], name: str, builder: Builder, read: Callable[[Any, int, str], Document] | None = None
) -> str:
    """Read documents given as dicts like those of a file, or with `read`; returns their text, to be hashed."""
    try:
        lines = [json.dumps(document, ensure_ascii=False) for document in documents]
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: data that JSON cannot contain ({error}). A document is {_EXAMPLE}") from None
    builder.begin_file(name)
    for number, value in _join_rows(enumerate(map(json.loads, lines), 1)):
        add_document((read or _document)(value, number, f"{name}, document {number}"), builder)
    builder.end_file()
    return "\n".join(lines)


def _document(value: Any, line: int, place: str) -> Document:
    """The document that a value of JSON is."""
    value, shape = plain_document(value)
    if not isinstance(value, dict):
        raise InputError(f"{place}: {quote(value)}, but a document is expected. It is {_EXAMPLE}")
    said = value.get("answer", "accept")
    if said in ("reject", "ignore"):
        raise InputError(f"{place}: the answer is {said!r}, so its spans do not count. Leave it out.")
    if said != "accept":
        raise InputError(
            f"{place}: the answer is {quote(said)}. If that is what a language model said of gold's text: "
            "--input-format answers"
        )
    data = value.get("data")
    text = value.get("text", data)
    if isinstance(data, dict):
        # A task of Label Studio has a text, or a single string under another name.
        strings = [key for key, given in data.items() if isinstance(given, str) and key not in IDS]
        if "text" not in data and len(strings) > 1:
            raise InputError(f"{place}: the text may be in {', '.join(strings)} of data. Call it text.")
        its_key = "text" if "text" in data or not strings else strings[0]
        text = data.get(its_key)
        metadata = {key: given for key, given in data.items() if key not in (its_key, *IDS)}
    else:
        metadata = {key: given for key, given in value.items() if key not in OF_DOCUMENT}
        for key in ("meta", "metadata"):
            metadata |= value[key] if isinstance(value.get(key), dict) else {}
    if text is not None:
        text = check_string(text, f"{place}: the text")
    tokens = value.get("tokens")
    if tokens is not None and not isinstance(tokens, list):
        raise InputError(f'{place}: tokens should be a list of strings, or of {{"start": 0, "end": 5}}.')
    if text is None and tokens is None:
        raise InputError(f"{place}: a document without text or tokens. It is {_EXAMPLE}")
    # A task's own id comes before the number of the tool; several tasks may be parts of one doc_id.
    own = {key: data[key] for key in ("id", "uuid") if data.get(key)} if isinstance(data, dict) else {}
    name = read_id(own, place) or read_id(value, place)
    if isinstance(data, dict):
        annotations = list(_annotations(value))
    else:
        lists = {key: value[key] for key in _SPANS if isinstance(value.get(key), list)}
        if not lists:
            raise InputError(
                f"{place}: no list of spans among {', '.join(value)}. "
                'Call it "spans", and give [] if there are none.'
            )
        filled = [key for key, given in lists.items() if given]
        if len(filled) > 1:
            raise InputError(f"{place}: spans in {' and in '.join(filled)}. Leave one of them.")
        relations = [] if value.get("relations") is None else value["relations"]
        if not isinstance(relations, list):
            raise InputError(f"{place}: relations are {quote(relations)}, but a list is expected.")
        annotations = [Annotation(None, lists[filled[0]] if filled else [], relations)]
    shape = shape or ("Label Studio JSON" if isinstance(data, dict) else "")
    return Document(line, place, annotations, name, text, tokens, metadata=metadata, shape=shape)


def read_id(document: dict[str, Any], place: str) -> str | None:
    """The id of a document; None if it has none."""
    meta = document.get("meta")
    ids = [document.get(key) for key in IDS] + [meta.get("id") if isinstance(meta, dict) else None]
    value = next((value for value in ids if value is not None), None)
    if value is None or type(value) is int:
        return None if value is None else str(value)
    if not check_string(value, f"{place}: the id").strip():
        raise InputError(f"{place}: the id is empty. Give each document its own, or none an id.")
    return str(value)


def _annotations(task: dict[str, Any]) -> Iterator[Annotation]:
    """The annotations and predictions of a task of Label Studio; `completions` is an old name of annotations."""
    for key in ("annotations", "completions", "predictions"):
        for annotation in task[key] if isinstance(task.get(key), list) else ():
            if isinstance(annotation, dict):
                who = annotation.get("model_version") if key == "predictions" else annotation.get("completed_by")
                if isinstance(who, dict):
                    who = who.get("email") or who.get("id")
                skipped = annotation.get("was_cancelled") or annotation.get("skipped")
                spans, relations, others = _results(annotation)
                yield Annotation(
                    name="" if who is None else str(who),
                    spans=spans,
                    relations=relations,
                    unread={"Annotations that are not spans": others} if others else {},
                    is_model=key == "predictions",
                    status=SKIPPED if skipped else "",
                    is_truth=bool(annotation.get("ground_truth")),
                    time=str(annotation.get("updated_at") or annotation.get("created_at") or ""),
                )


def _results(annotation: dict[str, Any]) -> tuple[list[Any], list[Any], int]:
    """The spans of an annotation of Label Studio, its relations, and the number of its other results."""
    results = annotation.get("result")
    results = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    spans = [
        {"score": one.get("score"), **one["value"], "id": one.get("id")}
        if isinstance(one.get("value"), dict)
        else one.get("value")
        for one in results
        if one.get("type", "labels") == "labels"
    ]
    relations = []
    for result in results:
        if result.get("type") == "relation":
            direction, ends = result.get("direction"), (result.get("from_id"), result.get("to_id"))
            head, tail = ends[::-1] if direction == "left" else ends
            label = result.get("labels") or ""
            whole = {"label": label, "symmetric": direction == "bi", "head": head, "tail": tail}
            relations.append({**whole, "score": result.get("score")})
    return spans, relations, len(results) - len(spans) - len(relations)


def _join_rows(values: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """The documents, those of Label Studio's JSON-MIN as tasks: there, each annotation of a task is a row."""
    tasks: dict[str, tuple[int, dict[str, Any]]] = {}
    for line, value in values:
        if not isinstance(value, dict) or not {"annotator", "annotation_id"} <= value.keys():
            yield line, value
            continue
        data = {key: cell for key, cell in value.items() if not isinstance(cell, list | dict) and key not in _OF_ROW}
        spans = [span for cell in value.values() if isinstance(cell, list) for span in cell if isinstance(span, dict)]
        entry = {"completed_by": value["annotator"], "updated_at": value.get("updated_at")}
        entry["result"] = [{"value": span} for span in spans]
        name = quote(value.get("id")) if value.get("id") is not None else str(len(tasks))
        task = tasks.setdefault(name, (line, {"id": value.get("id"), "data": data, "annotations": []}))
        task[1]["annotations"].append(entry)
    yield from tasks.values()
