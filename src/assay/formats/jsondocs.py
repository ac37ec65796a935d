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
from assay.formats.foreign import name_shapes
from assay.formats.jsontext import check_string, is_number, json_values, quote
from assay.formats.libraries import GIVEN, TACRED, TUPLES, plain_document
from assay.formats.source import Source
from assay.formats.whose import SKIPPED, Annotation, Layers

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
_SUBMITTED = "submitted"
"""The status of a response in Argilla that counts."""
_REGIONS = ("labels", "hypertextlabels")
"""The types of results of Label Studio that are spans."""
STUDIO, STUDIO_MIN = "Label Studio JSON", "Label Studio JSON-MIN"
DOCCANO, PRODIGY, ARGILLA = "doccano JSON", "Prodigy JSON", "Argilla JSON"
_LOST_IN_MIN = (
    "Label Studio leaves skipped tasks, relations and predictions out of JSON-MIN; its JSON export contains them."
)
_WITHOUT_STATUS = "Argilla's export does not say which responses are drafts or discarded, so all are read."
_SEEN = "Documents without a span of annotator {}, who is taken to have seen them: {{}}."
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
    builder.begin_file(source.path)
    empty = True
    values = ((line, f"{source.path}:{line}", value) for line, value in json_values(source, _EXAMPLE))
    for document in _documents(values, builder.layers, text):
        empty = False
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
    values = ((number, f"{name}, document {number}", json.loads(line)) for number, line in enumerate(lines, 1))
    given = (read(value, line, place) for line, place, value in values) if read else None
    for document in given or _documents(values, builder.layers, ""):
        add_document(document, builder)
    builder.end_file()
    return "\n".join(lines)


def _documents(values: Iterable[_Value], layers: Layers, asked: str) -> Iterator[Document]:
    """The documents of a file, those of several rows joined: tools write a row for each annotator of a text."""
    joined: dict[object, tuple[Document, list[Annotation]]] = {}
    for (line, place, value), key in _with_keys(values, asked):
        same: object = None
        if key is None:
            document, same = _document(value, line, place)
        elif "data" in value:
            document = _task(value, line, place, key)
        elif "fields" in value and not {"responses", "suggestions"} & value.keys():
            raise InputError(f"{place}: no spans.{name_shapes(value)}")
        elif "fields" in value:
            document = _record(value, line, place, key, layers)
        else:
            document = _row(value, line, place, key)
            same = document.name
        if document.text is not None:
            check_string(document.text, f"{place}: the text")
        elif document.tokens is None:
            raise InputError(f"{place}: a document without text or tokens. It is {_EXAMPLE}{name_shapes(value)}")
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


def _with_keys(values: Iterable[_Value], asked: str) -> Iterator[tuple[_Value, str | None]]:
    """The values and, for those with fields, the key of the text among these.

    A value that does not show it has the key of those that do.
    """
    usual, waiting = asked, list[_Value]()
    for given in values:
        place, value = given[1:]
        fields, texts = _fields(value)
        if fields is None:
            yield given, None
            continue
        strings = [key for key, cell in fields.items() if isinstance(cell, str) and key not in IDS]
        fitting = [key for key in strings if all(text in fields[key] for text in texts)] if len(strings) > 1 else []
        fitting = fitting or strings
        if asked and asked not in strings:
            raise InputError(f"{place}: no text called {asked}. There are: {', '.join(strings) or 'none'}.")
        key = asked or ("text" if "text" in fitting or not strings else fitting[0] if len(fitting) == 1 else "")
        if not key and usual not in fitting:
            waiting.append(given)
            continue
        usual = usual or key
        for earlier in waiting:
            yield earlier, _usual_key(earlier, usual)
        waiting.clear()
        yield given, key or usual
    for earlier in waiting:
        yield earlier, _usual_key(earlier, usual)


def _usual_key(given: _Value, usual: str) -> str:
    """The key of the text in other tasks, if this task has it too."""
    _, place, value = given
    fields, _ = _fields(value)
    strings = [key for key, cell in (fields or {}).items() if isinstance(cell, str) and key not in IDS]
    if usual not in strings:
        raise InputError(
            f"{place}: the text may be in {', '.join(strings)}. "
            f'Say where it is: --input-format "jsonl(text={strings[0]})"'
        )
    return usual


def _fields(value: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """The fields of a task, a record or a row of tools, one of which is the text, and the texts of all its spans."""
    if not isinstance(value, dict):
        return None, []
    if isinstance(data := value.get("data"), dict):
        values = [result.get("value") for entry, _ in _entries(value) for result in _dicts(entry.get("result"))]
    elif isinstance(data := value.get("fields"), dict):
        values = []
    elif "annotation_id" in value and "annotator" in value:
        data = {key: cell for key, cell in value.items() if not isinstance(cell, list | dict) and key not in _OF_ROW}
        values = [span for cell in value.values() for span in _dicts(cell)]
    else:
        return None, []
    texts = (given.get("text") for given in values if isinstance(given, dict))
    # Label Studio writes a line break as a backslash and an n.
    return data, [text for text in texts if isinstance(text, str) and "\\n" not in text]


def _dicts(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; none if it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _entries(task: dict[str, Any]) -> list[tuple[dict[str, Any], bool]]:
    """The annotations of a task, False, and its predictions, True; `completions` is an old name of annotations."""
    lists = ("annotations", "completions", "predictions")
    return [(entry, key == "predictions") for key in lists for entry in _dicts(task.get(key))]


def _task(task: dict[str, Any], line: int, place: str, key: str) -> Document:
    """The document that a task of Label Studio is."""
    data = task["data"]
    annotations = []
    for entry, is_model in _entries(task):
        spans, relations, unread = _results(entry, place)
        annotations.append(
            Annotation(
                _person(entry.get("model_version" if is_model else "completed_by")) or "",
                spans,
                relations,
                is_model=is_model,
                status=SKIPPED if entry.get("was_cancelled") or entry.get("skipped") else "",
                is_truth=bool(entry.get("ground_truth")),
                time=_time(entry),
                unread=unread,
            )
        )
    # A task's own id comes before the number of the tool; several tasks may be parts of one doc_id.
    own = {name: data[name] for name in ("id", "uuid") if data.get(name)}
    metadata = {name: cell for name, cell in data.items() if name not in (key, "id", "uuid")} | _meta(task)
    name = read_id(own, place) or read_id(task, place)
    return Document(line, place, annotations, name, data.get(key), metadata=metadata, shape=STUDIO)


def _results(entry: dict[str, Any], place: str) -> tuple[list[Any], list[Any], dict[str, int]]:
    """The spans of an annotation of Label Studio, its relations, and the numbers of what else there is."""
    spans, relations, unread = [], [], Counter[str]()
    of_all = entry.get("score")
    for result in _dicts(entry.get("result")):
        kind, value = result.get("type", "labels"), result.get("value")
        if kind in _REGIONS:
            more = {"id": result.get("id"), "score": result.get("score", of_all)}
            spans.append(_region(value, result.get("from_name"), place, more))
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


def _region(value: Any, layer: Any, place: str, more: dict[str, Any]) -> Any:
    """The span that a region of Label Studio is; the control with which it was marked is its layer."""
    if not isinstance(value, dict):
        return value
    if isinstance(start := value.get("start"), str) and start.startswith("/"):
        raise InputError(
            f"{place}: the start of a span is {quote(start)}, a place in HTML (XPath). assay reads plain texts: give "
            "the text as it is shown, with the numbers of globalOffsets as start and end."
        )
    label = next((value[key] for key in _REGIONS if value.get(key) is not None), None)
    return {"label": label, **({"layer": layer} if isinstance(layer, str) else {}), **more, **value}


def _row(row: dict[str, Any], line: int, place: str, key: str) -> Document:
    """The document that a row of Label Studio's JSON-MIN is, with one annotation; one without spans has no list."""
    data, _ = _fields(row)
    spans = [_region(span, name, place, {}) for name, cell in row.items() for span in _dicts(cell)]
    one = Annotation(_person(row["annotator"]) or "", spans, time=_time(row), notes={_LOST_IN_MIN: 0})
    metadata = {name: cell for name, cell in (data or {}).items() if name != key}
    return Document(line, place, [one], read_id(row, place), row.get(key), metadata=metadata, shape=STUDIO_MIN)


def _record(record: dict[str, Any], line: int, place: str, key: str, layers: Layers) -> Document:
    """The document that a record of Argilla is: responses and suggestions to questions, which are its layers."""
    given = dict[tuple[str, bool], list[tuple[str, dict[str, Any]]]]()
    for is_model, name in enumerate(("responses", "suggestions")):
        questions = record.get(name)
        for question, answers in questions.items() if isinstance(questions, dict) else ():
            for answer in _dicts(answers if isinstance(answers, list) else [answers]):
                who = (answer.get("agent") or "suggestion") if is_model else (_person(answer.get("user_id")) or "")
                given.setdefault((str(who), bool(is_model)), []).append((question, answer))
    annotations = []
    for (who, is_model), answers in given.items():
        spans, statuses, unread = list[dict[str, Any]](), list[str](), Counter[str]()
        for question, answer in answers:
            value, status, scores = answer.get("value"), answer.get("status", _SUBMITTED), answer.get("score")
            if not isinstance(value, list) or len(_dicts(value)) < len(value):
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
    fields = record["fields"]
    metadata = {field: cell for field, cell in fields.items() if field != key} | _meta(record)
    return Document(
        line, place, annotations, read_id(record, place), fields.get(key), metadata=metadata, shape=ARGILLA
    )


# --- documents whose text and spans are fields of their own ---


def _document(value: Any, line: int, place: str) -> tuple[Document, object]:
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
    lists = {key: value[key] for key in _SPANS if isinstance(value.get(key), list)}
    is_prodigy = "_input_hash" in value
    by_users = not lists and isinstance(value.get("annotations"), list)
    # Prodigy divides texts that are to be marked into tokens, and may leave out an empty list of spans.
    if not lists and not by_users and not (is_prodigy and tokens is not None):
        raise InputError(
            f'{place}: no list of spans among {", ".join(value)}. Call it "spans", and give [] if there are none.'
            f"{name_shapes(value)}"
        )
    filled = [key for key, given in lists.items() if given]
    if len(filled) > 1:
        raise InputError(f"{place}: spans in {' and in '.join(filled)}. Leave one of them.")
    relations = [] if value.get("relations") is None else value["relations"]
    if not isinstance(relations, list):
        raise InputError(f"{place}: relations are {quote(relations)}, but a list is expected.")
    metadata = {
        key: given
        for key, given in value.items()
        if key not in OF_DOCUMENT and not (is_prodigy and key.startswith("_"))
    } | _meta(value)
    shape = PRODIGY if is_prodigy else DOCCANO if by_users else shape
    if by_users:
        # The older files of doccano name the annotator of each span.
        users = dict[str | None, list[Any]]()
        for span in value["annotations"]:
            users.setdefault(_person(span.get("user")) if isinstance(span, dict) else None, []).append(span)
        annotations = [Annotation(user, spans, relations) for user, spans in (users or {None: []}).items()]
        return Document(line, place, annotations, name, text, tokens, metadata=metadata, shape=shape), object()
    who = _person(value.get("_annotator_id") or value.get("_session_id") if is_prodigy else value.get("annotator"))
    one = Annotation(
        who,
        lists[filled[0]] if filled else [],
        relations,
        status=_ANSWERS[said],
        time=_time(value),
        notes={_BINARY: 1} if is_prodigy and value.get("_is_binary") is True else {},
    )
    same = ("hash", quote(value["_input_hash"])) if is_prodigy else name if who is not None else None
    return Document(line, place, [one], name, text, tokens, metadata=metadata, shape=shape), same


def _person(value: Any) -> str | None:
    """The name of an annotator or a model: an e-mail address before a number; None without one."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return None if value is None else value if isinstance(value, str) else quote(value)


def _time(value: dict[str, Any]) -> str | float:
    """When an annotation was last changed; nothing if it does not say."""
    for key in ("updated_at", "_timestamp", "created_at"):
        if isinstance(time := value.get(key), str | float | int) and (isinstance(time, str) or is_number(time)):
            return time
    return ""


def _meta(value: dict[str, Any]) -> dict[str, Any]:
    """What a document says of itself under meta and metadata."""
    both = {key: value[key] for key in ("meta", "metadata") if key in value}
    return {key: cell for name, given in both.items() for key, cell in _as_object(given, name).items()}


def _as_object(value: Any, name: str) -> dict[str, Any]:
    return value if isinstance(value, dict) else {name: value}


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
