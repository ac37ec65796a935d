"""Documents in JSON, in the shapes that annotation tools, libraries and language models write."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.documents import Document, add_document
from assay.formats.foreign import name_keys, name_shapes
from assay.formats.jsontext import check_string, is_number, json_values, quote
from assay.formats.libraries import GIVEN, TACRED, TUPLES, plain_document
from assay.formats.source import Source
from assay.formats.whose import SKIPPED, Annotation, LayerChoice

_Value: TypeAlias = tuple[int, str, Any]
"""A value of JSON with its line and its place for messages."""

_OPENING = re.compile(r"""(?:\[\s*)?\{\s*(?:["'][^"'\n]*["']\s*:|\})|\[\s*\]\s*$|```json""")
IDS = ("id", "doc_id", "document_id", "uuid")
_SPANS = ("spans", "entities", "ents", "label", "labels")
_OVER_SPANS = {
    "relations": re.compile(r'"(?:relations"\s*:\s*\[\s*[\[{]|type"\s*:\s*"relation"|subj_start"\s*:)'),
    "links": re.compile(r'"(?:link|kb_id)"\s*:\s*"[^"]|"links"\s*:\s*\['),
}
"""The layers over spans in JSON, by what they look like."""
_OWN_IDS = ("id", "uuid")
"""Keys of a task's own id among its data."""
_OF_ROW = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
"""Keys of a row of JSON-MIN that are not the task's."""
OF_DOCUMENT = frozenset(
    (
        *(*IDS, *_SPANS, "text", "data", "tokens", "relations", "meta", "metadata"),
        *("answer", "annotator", "annotations", "Comments"),
    )
)
"""Keys of a document that are no metadata."""
_ANSWERS = {"accept": "", "reject": "rejected", "ignore": "ignored"}
"""The answers in Prodigy, and why an annotation does not count."""
_VIEWS = ("ner", "ner_manual", "spans", "spans_manual", "relations", "blocks", "dep", "pos", "pos_manual")
"""The views of Prodigy whose answers are spans."""
_SUBMITTED = "submitted"
"""The status of a response in Argilla that counts."""
_REGIONS = ("labels", "hypertextlabels")
"""The types of results of Label Studio that are spans."""
_SOUND = "Regions of recordings, in seconds"
STUDIO, STUDIO_MIN = "Label Studio JSON", "Label Studio JSON-MIN"
DOCCANO, PRODIGY, ARGILLA = "doccano JSON", "Prodigy JSON", "Argilla JSON"
_LOST_IN_MIN = (
    "Label Studio leaves skipped tasks, relations and predictions out of JSON-MIN; its JSON export contains them."
)
_WITHOUT_STATUS = "Argilla's export does not say which responses are drafts or discarded, so all are read."
_SEEN = "Documents without a span of annotator {}, who is assumed to have seen them: {{}}."
_BINARY = "Documents that are answers about a single suggestion, so other spans in them may not be marked: {}."
_EXAMPLE = '{"id": "d1", "text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}'


def looks_json(head: Sequence[str]) -> bool:
    """True if the file begins with an object, or with a list of them."""
    text = "\n".join(head[:50]).lstrip()
    return _OPENING.match(text) is not None or TUPLES.match(text) is not None


def decide_json(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """Spans, and the layers over them that the first lines show."""
    text = "\n".join(head)
    return {"layers": ["spans", *(name for name, keys in _OVER_SPANS.items() if keys.search(text))]}


def read_json(source: Source, builder: Builder, *, find: bool, trim: bool, offsets: str, text: str) -> None:
    """Read one file; `find` places mentions without offsets, `trim` takes white space off the ends of spans.

    `text` is the key of the text among the data of a task.
    """
    empty = True
    values = ((line, f"{source.path}:{line}", value) for line, value in json_values(source, _EXAMPLE))
    for document in _join_documents(values, builder.layers, text):
        empty = False
        add_document(document, builder, find=find, trim=trim, offsets=offsets)
    if empty:
        raise InputError(f"{source.path}: contains no documents. A document is {_EXAMPLE}")
    if builder.shape == TACRED:
        builder.note(GIVEN)


def read_dicts(
    documents: Sequence[Any], name: str, builder: Builder, read: Callable[[Any, int, str], Document] | None = None
) -> str:
    """Read documents given as dicts like those of a file, or with `read`; returns their text, to be hashed."""
    try:
        lines = [json.dumps(document, ensure_ascii=False) for document in documents]
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: data that JSON cannot contain ({error}). A document is {_EXAMPLE}") from None
    builder.begin_file(name)
    values = ((number, f"{name}, document {number}", json.loads(line)) for number, line in enumerate(lines, 1))
    given = (read(value, line, place) for line, place, value in values) if read else None
    for document in given or _join_documents(values, builder.layers, ""):
        add_document(document, builder)
    builder.end_file()
    return "\n".join(lines)


def _join_documents(values: Iterable[_Value], layers: LayerChoice, asked: str) -> Iterator[Document]:
    """The documents of a file, those of several rows joined: tools write a row for each annotator of a text."""
    joined: dict[object, tuple[Document, list[Annotation]]] = {}
    for document, same in _with_texts(values, layers, asked):
        place = document.place
        if document.text is not None:
            check_string(document.text, f"{place}: the text")
        if same is None and not joined:
            yield document
            continue
        first, annotations = joined.setdefault(object() if same is None else same, (document, []))
        if first.text != document.text:
            raise InputError(f"{place}: another text than {first.place}, which has the same id. Give it its own.")
        annotations += document.annotations
    # Of the older files of doccano, only the spans name the annotators, who are then taken to have seen all texts.
    users = dict.fromkeys(
        one.name for document, given in joined.values() if document.shape == DOCCANO for one in given
    )
    for document, annotations in joined.values():
        for user in users if document.shape == DOCCANO else ():
            if user is not None and all(one.name != user for one in annotations):
                annotations.append(Annotation(user, notes={_SEEN.format(user): 1}))
        named = [one for one in annotations if one.name is not None or one.spans]
        yield replace(document, annotations=named if len(users) > 1 else annotations)


# --- tasks, records and rows of Label Studio and Argilla: the text is one of several fields ---


def _with_texts(values: Iterable[_Value], layers: LayerChoice, asked: str) -> Iterator[tuple[Document, object]]:
    """The documents with their texts, and what other rows about them have in common with them.

    Fields that do not show which of them is the text have it where other documents have it.
    """
    usual, waiting = asked, list[tuple[Document, dict[str, Any], str]]()
    for line, place, value in values:
        fields = _find_fields(value)
        if fields is None:
            yield _read_document(value, line, place)
            continue
        if fields is value.get("data"):
            document = _read_task(value, line, place)
        else:
            is_record = fields is value.get("fields")
            if is_record and not {"responses", "suggestions"} & value.keys():
                raise InputError(f"{place}: no spans.{name_shapes(value)}")
            document = _read_record(value, line, place, layers) if is_record else _read_row(value, line, place)
        fitting = strings = _list_strings(fields)
        if asked and asked not in strings:
            raise InputError(f"{place}: no text called {asked}. There are: {', '.join(strings) or 'none'}.")
        if len(strings) > 1 and not asked:
            texts = _list_texts(document, layers)
            fitting = [key for key in strings if all(text in fields[key] for text in texts)] or strings
        key = asked or ("text" if "text" in fitting or not strings else fitting[0] if len(fitting) == 1 else "")
        waiting.append((document, fields, key))
        if key or usual in fitting:
            usual = usual or key
            yield from _set_texts(waiting, usual)
            waiting.clear()
    yield from _set_texts(waiting, usual)


def _set_texts(
    waiting: Iterable[tuple[Document, dict[str, Any], str]], usual: str
) -> Iterator[tuple[Document, object]]:
    """The documents with the text of their fields, of which the others are metadata; `usual`: its key in others."""
    for document, fields, key in waiting:
        if not key and usual not in (strings := _list_strings(fields)):
            raise InputError(
                f"{document.place}: the text may be in {', '.join(strings)}. "
                f'Name it: --input-format "jsonl(text={strings[0]})"'
            )
        text = key or usual
        document.text = fields.get(text)
        if document.text is None:
            there = ", ".join(f"{name} ({quote(cell)})" for name, cell in fields.items())
            raise InputError(f"{document.place}: no text among the data of a task: {there or 'there are none'}.")
        others = {name: cell for name, cell in fields.items() if name not in (text, *_OWN_IDS)}
        document.metadata = {**others, **document.metadata}
        yield document, document.name if document.shape == STUDIO_MIN else None


def _find_fields(value: Any) -> dict[str, Any] | None:
    """The fields of a task, a record or a row of tools, one of which is the text; None for other documents."""
    if not isinstance(value, dict):
        return None
    for key in ("data", "fields"):
        if isinstance(fields := value.get(key), dict):
            return fields
    if "annotation_id" in value and "annotator" in value:
        return {key: cell for key, cell in value.items() if not isinstance(cell, list | dict) and key not in _OF_ROW}
    return None


def _list_strings(fields: dict[str, Any]) -> list[str]:
    """The keys of fields that may be the text."""
    return [key for key, cell in fields.items() if isinstance(cell, str) and key not in IDS]


def _list_texts(document: Document, layers: LayerChoice) -> list[str]:
    """The texts of all spans of a document that are in a layer to be read."""
    marks = (span for one in document.annotations for span in one.spans if isinstance(span, dict))
    spans = filter(layers.holds, marks)
    # Label Studio writes a line break as a backslash and an n.
    return [text for span in spans if isinstance(text := span.get("text"), str) and "\\n" not in text]


def _list_objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; none if it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _read_task(task: dict[str, Any], line: int, place: str) -> Document:
    """The document that a task of Label Studio is."""
    annotations = []
    # Annotations were called completions once.
    lists = ("annotations", "completions", "predictions")
    for is_model, entry in ((key == lists[2], entry) for key in lists for entry in _list_objects(task.get(key))):
        spans, relations, unread = _read_results(entry, place)
        annotations.append(
            Annotation(
                _name_person(entry.get("model_version" if is_model else "completed_by")) or "",
                spans,
                relations,
                is_model=is_model,
                status=SKIPPED if entry.get("was_cancelled") or entry.get("skipped") else "",
                is_truth=bool(entry.get("ground_truth")),
                time=_read_time(entry),
                unread=unread,
            )
        )
    # A task's own id comes before the number of the tool; several tasks may be parts of one doc_id.
    own = {name: task["data"][name] for name in _OWN_IDS if task["data"].get(name)}
    name = (read_id(own, place) if own else None) or read_id(task, place)
    return Document(line, place, annotations, name, metadata=_read_metadata(task), shape=STUDIO)


def _read_results(entry: dict[str, Any], place: str) -> tuple[list[Any], list[Any], dict[str, int]]:
    """The spans of an annotation of Label Studio, its relations, and the numbers of what else there is."""
    spans, relations, unread = [], [], Counter[str]()
    for result in _list_objects(entry.get("result")):
        kind, value = result.get("type", "labels"), result.get("value")
        if kind in _REGIONS and ("original_length" in result or (isinstance(value, dict) and "channel" in value)):
            unread[_SOUND] = unread.get(_SOUND, 0) + 1
        elif kind in _REGIONS:
            score = result.get("score", entry.get("score"))
            spans.append(_read_region(value, place, id=result.get("id"), layer=result.get("from_name"), score=score))
        elif kind != "relation":
            unread[f"Results of type {kind}"] += 1
        elif labels := result.get("labels"):
            direction, ends = result.get("direction"), (result.get("from_id"), result.get("to_id"))
            head, tail = ends[::-1] if direction == "left" else ends
            whole = {"label": labels, "symmetric": direction == "bi", "head": head, "tail": tail}
            relations.append({**whole, "score": result.get("score")})
        else:
            unread["Relations without a label"] += 1
    return spans, relations, unread


def _read_region(value: Any, place: str, **more: Any) -> Any:
    """The span that a region of Label Studio is, with what is known about it besides."""
    if not isinstance(value, dict):
        return value
    if isinstance(start := value.get("start"), str) and start.startswith("/"):
        raise InputError(
            f"{place}: the start of a span is {quote(start)}, a place in HTML (XPath). assay reads plain texts: give "
            "the text as it is shown, with the numbers of globalOffsets as start and end."
        )
    if not isinstance(more["layer"], str):
        del more["layer"]
    return {"label": value.get(_REGIONS[0]) or value.get(_REGIONS[1]), **more, **value}


def _read_row(row: dict[str, Any], line: int, place: str) -> Document:
    """The document that a row of Label Studio's JSON-MIN is, with one annotation; one without spans has no list."""
    marks = [(name, mark) for name, cell in row.items() for mark in _list_objects(cell)]
    spans = [_read_region(mark, place, layer=name) for name, mark in marks if "start" in mark]
    unread = Counter(f"Results of {name}" for name, mark in marks if "start" not in mark)
    who = _name_person(row["annotator"]) or ""
    one = Annotation(who, spans, time=_read_time(row), unread=unread, notes={_LOST_IN_MIN: 0})
    return Document(line, place, [one], read_id(row, place), shape=STUDIO_MIN)


def _read_record(record: dict[str, Any], line: int, place: str, layers: LayerChoice) -> Document:
    """The document that a record of Argilla is: responses and suggestions to questions, which are its layers."""
    given = dict[tuple[str, bool], list[tuple[str, dict[str, Any]]]]()
    for is_model, name in enumerate(("responses", "suggestions")):
        questions = record.get(name)
        for question, answers in questions.items() if isinstance(questions, dict) else ():
            for answer in _list_objects(answers if isinstance(answers, list) else [answers]):
                who = (
                    (answer.get("agent") or "suggestion") if is_model else (_name_person(answer.get("user_id")) or "")
                )
                given.setdefault((str(who), bool(is_model)), []).append((question, answer))
    annotations = []
    for (who, is_model), answers in given.items():
        spans, statuses, unread = list[dict[str, Any]](), list[str](), Counter[str]()
        for question, answer in answers:
            value, status, scores = answer.get("value"), answer.get("status", _SUBMITTED), answer.get("score")
            if not isinstance(value, list) or len(_list_objects(value)) < len(value):
                unread[f"Answers to {question}"] += 1
            elif status != "draft":
                each = scores if isinstance(scores, list) and len(scores) == len(value) else [scores] * len(value)
                spans += [
                    {"layer": question, "score": score, **span} for span, score in zip(value, each, strict=True)
                ]
                statuses += ["" if status == _SUBMITTED else str(status)] * layers.is_meant(question)
        if statuses:
            unsaid = not is_model and all("status" not in answer for _, answer in answers)
            notes = {_WITHOUT_STATUS: 0} if unsaid else {}
            status = max(statuses)
            annotations.append(Annotation(who, spans, is_model=is_model, status=status, unread=unread, notes=notes))
        else:
            # They answered other questions, which a refusal lists.
            layers.counts.update(span["layer"] for span in spans)
    return Document(line, place, annotations, read_id(record, place), metadata=_read_metadata(record), shape=ARGILLA)


# --- documents whose text and spans are fields of their own ---


def _read_document(value: Any, line: int, place: str) -> tuple[Document, object]:
    """The document that a value of JSON is, and what other annotations of it have in common with it."""
    value, shape = plain_document(value)
    if not isinstance(value, dict):
        raise InputError(f"{place}: {quote(value)}, but a document is expected. It is {_EXAMPLE}")
    said = value.get("answer", "accept")
    if not isinstance(said, str) or said not in _ANSWERS:
        raise InputError(
            f"{place}: the answer is {quote(said)}. If that is what a language model said of gold's text: "
            "--input-format answers"
        )
    tokens = value.get("tokens")
    if tokens is not None and not isinstance(tokens, list):
        raise InputError(f'{place}: tokens should be a list of strings, or of {{"start": 0, "end": 5}}.')
    name, text = read_id(value, place), value.get("text", value.get("data"))
    if text is None and tokens is None:
        raise InputError(
            f"{place}: a document without text or tokens{name_keys(value)}. It is {_EXAMPLE}{name_shapes(value)}"
        )
    lists = {key: value[key] for key in _SPANS if isinstance(value.get(key), list)}
    is_prodigy = "_input_hash" in value
    by_users = not lists and isinstance(value.get("annotations"), list)
    # Prodigy divides texts that are to be marked into tokens, and may leave out an empty list of spans.
    view = value.get("_view_id") if is_prodigy else None
    if not lists and isinstance(view, str) and view not in _VIEWS:
        raise InputError(f"{place}: an answer to the view {view} of Prodigy, not spans. Give it a file of its own.")
    if not lists and not by_users and not (is_prodigy and tokens is not None):
        raise InputError(
            f'{place}: no list of spans among {", ".join(value)}. Call it "spans", and give [] if there are none.'
            f"{name_shapes(value)}"
        )
    filled = [key for key, given in lists.items() if given]
    if len(filled) > 1:
        raise InputError(f"{place}: spans in {' and in '.join(filled)}. Keep one of them.")
    relations = [] if value.get("relations") is None else value["relations"]
    if not isinstance(relations, list):
        raise InputError(f"{place}: relations are {quote(relations)}, but a list is expected.")
    metadata = {
        key: given
        for key, given in value.items()
        if key not in OF_DOCUMENT and not (is_prodigy and key.startswith("_"))
    } | _read_metadata(value)
    shape = PRODIGY if is_prodigy else DOCCANO if by_users else shape
    if by_users:
        # The older files of doccano name the annotator of each span.
        users = dict[str | None, list[Any]]()
        for span in value["annotations"]:
            users.setdefault(_name_person(span.get("user")) if isinstance(span, dict) else None, []).append(span)
        annotations = [Annotation(user, spans, relations) for user, spans in (users or {None: []}).items()]
        return Document(line, place, annotations, name, text, tokens, metadata=metadata, shape=shape), object()
    who = _name_person(
        value.get("_annotator_id") or value.get("_session_id") if is_prodigy else value.get("annotator")
    )
    one = Annotation(
        who,
        lists[filled[0]] if filled else [],
        relations,
        status=_ANSWERS[said],
        time=_read_time(value),
        notes={_BINARY: 1} if is_prodigy and value.get("_is_binary") is True else {},
    )
    same = ("hash", quote(value["_input_hash"])) if is_prodigy else name if who is not None else None
    return Document(line, place, [one], name, text, tokens, metadata=metadata, shape=shape), same


def _name_person(value: Any) -> str | None:
    """The name of an annotator or a model: an e-mail address before a number; None without one."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return None if value is None else str(value) if isinstance(value, str | int) else quote(value)


def _read_time(value: dict[str, Any]) -> str | float:
    """When an annotation was last changed; nothing if it does not say."""
    for key in ("updated_at", "_timestamp", "created_at"):
        if isinstance(time := value.get(key), str | float | int) and (isinstance(time, str) or is_number(time)):
            return time
    return ""


def _read_metadata(value: dict[str, Any]) -> dict[str, Any]:
    """What a document says of itself under meta and metadata."""
    metadata: dict[str, Any] = {}
    for key in ("meta", "metadata"):
        if given := value.get(key):
            metadata |= given if isinstance(given, dict) else {key: given}
    return metadata


def read_id(document: dict[str, Any], place: str) -> str | None:
    """The id of a document; None if it has none."""
    value = next((document[key] for key in IDS if document.get(key) is not None), None)
    if value is None and isinstance(meta := document.get("meta"), dict):
        value = meta.get("id")
    if value is None or type(value) is int:
        return None if value is None else str(value)
    if not check_string(value, f"{place}: the id").strip():
        raise InputError(f"{place}: the id is empty. Give each document its own, or none an id.")
    return str(value)
