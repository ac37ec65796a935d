"""Writers for annotation tools and libraries: each makes of a document what its tool reads."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from itertools import accumulate, pairwise
from math import isnan
from pathlib import PurePath
from typing import Any

from assay.classes import dataclass
from assay.corpus import Corpus
from assay.errors import UsageError
from assay.formats.jsondocs import OF_DOCUMENT
from assay.formats.spandocuments import SpanDocument, SpanMention
from assay.formats.whose import ANNOTATIONS, PREDICTIONS

BY_KIND = ("labelstudio", "argilla")
"""Targets that tell the annotations of people from the predictions of models."""
_QUESTION = "ner"
_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
_ENTITY, _RELATION = f"{_DKPRO}.ner.type.NamedEntity", "webanno.custom.Rel"
_SENTENCE, _TOKEN = (f"{_DKPRO}.segmentation.type.{name}" for name in ("Sentence", "Token"))
_ESCAPED = re.compile(r"[\\\[\]|_;*]|->")
_GROUP = "sc"
"""The group of spans that spaCy's own components use."""


@dataclass(frozen=True)
class Side:
    """Whose annotation is written."""

    name: str
    is_model: bool = False


def find_side(corpus: Corpus, kind: str | None) -> Side:
    """Whose annotation a corpus is; one with scores is a model's, unless the user says what it is."""
    source, _, name = corpus.which.partition(":")
    scored = any(marks.scores.size for marks in corpus.marks.values())
    is_model = kind == PREDICTIONS if kind else source in ("model", PREDICTIONS) or scored
    known = name or ("" if source in (ANNOTATIONS, PREDICTIONS) else source)
    return Side(known or PurePath(corpus.name).stem, is_model)


def _with_metadata(
    own: dict[str, Any], metadata: Mapping[str, Any], taken: Collection[str] = OF_DOCUMENT
) -> dict[str, Any]:
    """An object with metadata beside what it has; keys that mean something else there are set apart."""
    apart = {key: value for key, value in metadata.items() if key in own or key in taken}
    beside = {key: value for key, value in metadata.items() if key not in apart}
    return {**own, **beside, **({"meta": apart} if apart else {})}


def _count_utf16(text: str) -> list[int]:
    """The number of UTF-16 units before each character, and of all."""
    return [0, *accumulate(1 + (character > "\uffff") for character in text)]


# --- annotation tools ---


def list_results(document: SpanDocument) -> list[dict[str, Any]]:
    """The spans and relations of an annotation or prediction of Label Studio, which counts UTF-16 units."""
    units, text, results = _count_utf16(document.whole), document.whole, list[dict[str, Any]]()
    for number, (start, end, mention) in enumerate(document.list_spans("labelstudio")):
        value = {"start": units[start], "end": units[end], "text": text[start:end], "labels": [mention.label]}
        more = mention.confidence | ({"meta": {"agreed": True}} if mention.agreed else {})
        control = {"from_name": "label", "to_name": "text", "type": "labels"}
        results.append({"id": f"r{number}", **control, "value": value, **more})
    for label, head, tail, symmetric, score in document.relations:
        ends = {"from_id": f"r{head}", "to_id": f"r{tail}", "direction": "bi" if symmetric else "right"}
        more = {} if isnan(score) else {"score": score}
        results.append({"type": "relation", **ends, "labels": [label] if label else [], **more})
    return results


def make_task(document: SpanDocument, **lists: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A task of Label Studio; the id is in its data, because the tool numbers tasks itself."""
    data = {"text": document.whole, **document.key}
    more = {f"meta.{key}" if key in data else key: value for key, value in document.metadata.items()}
    return {"data": {**data, **more}, **lists}


def _write_labelstudio(document: SpanDocument, side: Side) -> dict[str, Any]:
    results = list_results(document)
    if side.is_model:
        return make_task(document, predictions=[{"model_version": side.name, "result": results}])
    return make_task(document, annotations=[{"result": results}])


def _write_doccano(document: SpanDocument, _side: Side) -> dict[str, Any]:
    spans = document.list_spans("doccano")
    own: dict[str, Any] = {**document.key, "text": document.whole}
    own["entities"] = [
        {"id": number, "label": mention.label, "start_offset": start, "end_offset": end}
        for number, (start, end, mention) in enumerate(spans)
    ]
    own["relations"] = [
        {"id": number, "from_id": head, "to_id": tail, "type": label}
        for number, (label, head, tail, *_) in enumerate(document.relations)
    ]
    return _with_metadata(own, document.metadata)


def write_prodigy(document: SpanDocument, side: Side) -> dict[str, Any]:
    """A row of Prodigy, in which an annotator is named if the side has a name."""
    text = document.whole
    words = document.list_spans("prodigy", words=True)
    spans: list[dict[str, Any]] = [
        {"start": start, "end": end, "token_start": first, "token_end": last - 1, "label": mention.label}
        for (start, end, mention), (first, last, _) in zip(document.list_spans("prodigy"), words, strict=True)
    ]
    value: dict[str, Any] = {**document.key, "text": text, "meta": document.metadata}
    value["tokens"] = [
        {"text": text[start:end], "start": start, "end": end, "id": number, "ws": text[end : end + 1] == " "}
        for number, (start, end) in enumerate(document.bounds)
    ]
    value["spans"] = [
        span | mention.confidence | mention.links | ({"meta": {"agreed": True}} if mention.agreed else {})
        for span, mention in zip(spans, document.mentions, strict=True)
    ]
    value["relations"] = [
        {"label": label, "head": spans[head]["token_end"], "child": spans[tail]["token_end"]}
        | {"head_span": spans[head], "child_span": spans[tail]}
        | ({"symmetric": True} if symmetric else {})
        | ({} if isnan(score) else {"score": score})
        for label, head, tail, symmetric, score in document.relations
    ]
    value["answer"] = "accept"
    if side.name:
        hashed = zlib.crc32(text.encode("utf-8", "surrogatepass"))
        value |= {"_annotator_id": side.name, "_session_id": side.name, "_input_hash": hashed}
        value |= {"_task_hash": hashed, "_view_id": "relations" if document.relations else "spans_manual"}
    return value


def _write_argilla(document: SpanDocument, side: Side) -> dict[str, Any]:
    spans = document.list_spans("argilla")
    answer: dict[str, Any] = {
        "value": [{"start": start, "end": end, "label": one.label} for start, end, one in spans]
    }
    record = {**document.key, "fields": {"text": document.whole}, "metadata": document.metadata}
    if not side.is_model:
        return {**record, "suggestions": {}, "responses": {_QUESTION: [{**answer, "user_id": side.name}]}}
    # All spans of a suggestion have a score, or none has.
    scores = [mention.score for mention in document.mentions]
    if any(map(isnan, scores)) and not all(map(isnan, scores)):
        raise document.refusal("spans with and without a score", "argilla")
    answer |= {"score": None if not scores or isnan(scores[0]) else scores, "agent": side.name}
    return {**record, "suggestions": {_QUESTION: answer}, "responses": {}}


def _escape_cell(text: str) -> str:
    """A value of WebAnno's TSV."""
    return _ESCAPED.sub(r"\\\g<0>", text).replace("\t", "\\t").replace("\n", "\\n") or "*"


def _write_webanno(document: SpanDocument, _side: Side) -> tuple[str]:
    """Rows of words, in which each span has a number, and relations stand at the first word of their tail."""
    if not document.bounds:
        raise document.refusal("a text without words", "webanno")
    text, units, spans = document.whole, _count_utf16(document.whole), document.list_spans("webanno", words=True)
    values, links, labels, sources = ([list[str]() for _ in document.bounds] for _ in range(4))
    for number, (first, end, mention) in enumerate(spans, 1):
        for word in range(first, end):
            values[word].append(f"{_escape_cell(mention.label)}[{number}]")
            links[word].append(f"{_escape_cell(''.join(mention.identifiers[:1]))}[{number}]")
    sentences = [(first, end) for first, end in pairwise(document.starts) if first < end]
    rows = [
        f"{number}-{word - first + 1}"
        for number, (first, end) in enumerate(sentences, 1)
        for word in range(first, end)
    ]
    for label, head, tail, *_ in document.relations:
        labels[spans[tail][0]].append(_escape_cell(label))
        sources[spans[tail][0]].append(f"{rows[spans[head][0]]}[{head + 1}_{tail + 1}]")
    columns = [links, values, *((labels, sources) if document.relations else ())]
    lines = ["#FORMAT=WebAnno TSV 3.3", f"#T_SP={_ENTITY}|identifier|value"]
    lines += [*[f"#T_RL={_RELATION}|value|BT_{_ENTITY}"] * bool(document.relations), ""]
    for first, end in sentences:
        whole = text[document.bounds[first][0] : document.bounds[end - 1][1]]
        lines += ["", *(f"#Text={line}" for line in whole.replace("\\", "\\\\").split("\n"))]
        for word in range(first, end):
            start, stop = document.bounds[word]
            cells = ("|".join(column[word]) or "_" for column in columns)
            place = f"{units[start]}-{units[stop]}"
            lines.append("\t".join((rows[word], place, _escape_cell(text[start:stop]), *cells, "")))
    return ("".join(f"{line}\n" for line in lines),)


def _write_cas(document: SpanDocument, _side: Side) -> tuple[str]:
    """A CAS in JSON, which has its types in itself."""
    text, units = document.whole, _count_utf16(document.whole)
    sofa = {"sofaNum": 1, "sofaID": "_InitialView", "mimeType": "text/plain", "sofaString": text}
    structures: list[dict[str, Any]] = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", **sofa}]

    def add(kind: str, start: int, end: int, **features: Any) -> int:
        """The number of a new structure."""
        place = {"@sofa": 1, "begin": units[start], "end": units[end]}
        structures.append({"%ID": len(structures) + 1, "%TYPE": kind, **place, **features})
        return len(structures)

    for first, end in pairwise(document.starts):
        if first < end:
            add(_SENTENCE, document.bounds[first][0], document.bounds[end - 1][1])
    for place in document.bounds:
        add(_TOKEN, *place)
    spans, ids = document.list_spans("cas"), []
    for start, end, mention in spans:
        identifier = {"identifier": mention.identifiers[0]} if mention.identifiers else {}
        ids.append(add(_ENTITY, start, end, value=mention.label, **identifier))
    for label, head, tail, *_ in document.relations:
        ends: dict[str, Any] = {"@Governor": ids[head], "@Dependent": ids[tail]}
        add(_RELATION, *spans[tail][:2], **ends, value=label)
    text_type = "uima.cas.String"
    ranges = {_ENTITY: {"value": text_type, "identifier": text_type}, _SENTENCE: {}, _TOKEN: {}}
    ranges[_RELATION] = {"Governor": _ENTITY, "Dependent": _ENTITY, "value": text_type}
    types = {
        kind: {"%NAME": kind, "%SUPER_TYPE": "uima.tcas.Annotation"}
        | {name: {"%NAME": name, "%RANGE": of} for name, of in features.items()}
        for kind, features in ranges.items()
    }
    views = {"_InitialView": {"%SOFA": 1, "%MEMBERS": [*range(2, len(structures) + 1)]}}
    return (_dump({"%TYPES": types, "%FEATURE_STRUCTURES": structures, "%VIEWS": views}),)


# --- libraries and shared tasks ---


def _write_gliner(document: SpanDocument, _side: Side) -> dict[str, Any]:
    spans = document.list_spans("gliner", words=True)
    ner = [[first, end - 1, mention.label] for first, end, mention in spans]
    related = {"relations": [[head, tail, label] for label, head, tail, *_ in document.relations]}
    own = {**document.key, "tokenized_text": document.words, "ner": ner, **(related if document.relations else {})}
    return _with_metadata(own, document.metadata)


def _find_overlap(spans: Sequence[tuple[int, int, SpanMention]]) -> tuple[SpanMention, SpanMention] | None:
    """The first two spans that have words or characters in common; None if there are none."""
    ordered = pairwise(sorted(spans, key=lambda span: span[:2]))
    return next(((outer, inner) for (_, before, outer), (start, _, inner) in ordered if start < before), None)


def _list_apart(document: SpanDocument, target: str, *, words: bool) -> list[tuple[int, int, SpanMention]]:
    """Begin and end of each mention, as `list_spans` has them; refused if two overlap."""
    spans = document.list_spans(target, words=words)
    if overlap := _find_overlap(spans):
        outer, inner = map(document.quote, overlap)
        raise document.refusal(f"the span {inner} lies over {outer}", target)
    return spans


def _write_hf(document: SpanDocument, _side: Side) -> dict[str, Any]:
    tags = ["O"] * len(document.bounds)
    for first, end, mention in _list_apart(document, "hf", words=True):
        tags[first:end] = [f"B-{mention.label}"] + [f"I-{mention.label}"] * (end - first - 1)
    return _with_metadata({**document.key, "tokens": document.words, "ner_tags": tags}, document.metadata, ())


def _write_tuples(document: SpanDocument, _side: Side) -> list[Any]:
    spans = _list_apart(document, "tuples", words=False)
    return [document.whole, {"entities": [[start, end, mention.label] for start, end, mention in spans]}]


def _pack_docbin(documents: list[SpanDocument]) -> bytes:
    """spaCy's own container; spans that overlap are no entities, and so all are a group then."""
    try:
        tokens, util, vocab = (import_module(f"spacy.{name}") for name in ("tokens", "util", "vocab"))
    except ImportError:
        raise UsageError('docbin needs spaCy. Install it: pip install "assay-nlp[spacy]"') from None
    vocabulary, docs, nested = vocab.Vocab(), [], False
    for document in documents:
        doc = tokens.Doc(vocabulary, *util.get_words_and_spaces(document.words, document.whole))
        spans = document.list_spans("docbin")
        doc.spans[_GROUP] = [
            doc.char_span(start, end, label=mention.label, kb_id="".join(mention.identifiers[:1]))
            for start, end, mention in spans
        ]
        nested |= _find_overlap(spans) is not None
        docs.append(doc)
    for doc in docs if not nested else ():
        doc.set_ents(list(doc.spans.pop(_GROUP)))
    packed: bytes = tokens.DocBin(docs=docs).to_bytes()
    return packed


def _write_pubtator(document: SpanDocument, _side: Side) -> str:
    """Title and abstract, spans, and relations of identifiers."""
    name, parts = document.name, document.whole.split("\n")
    names = {name, *(mention.label for mention in document.mentions), *(row[0] for row in document.relations)}
    odd = next((text for text in sorted(names) if set("\t\n|") & set(text)), None)
    if len(parts) > 2 or odd is not None:
        fact = f"the name {odd!r} has a tab, line break or |" if odd is not None else "a text of more than two lines"
        raise document.refusal(fact, "pubtator")
    lines = [f"{name}|{part}|{text}" for part, text in zip("ta", parts, strict=False)]
    for start, end, mention in document.list_spans("pubtator"):
        said = " ".join(document.whole[start:end].split())
        identifier = mention.identifiers[0] if mention.identifiers else "-"
        lines.append("\t".join((name, str(start), str(end), said, mention.label, identifier)))
    for label, head, tail, *_ in document.relations:
        ends = [document.mentions[number].identifiers[:1] for number in (head, tail)]
        if not all(ends):
            raise document.refusal(f"a relation {label} of spans without identifiers", "pubtator")
        lines.append("\t".join((name, label, *(identifier for end in ends for identifier in end))))
    return "".join(f"{line}\n" for line in lines)


def _write_bioc(document: SpanDocument, _side: Side) -> dict[str, Any]:
    """A document with one passage; BioC has gaps."""
    marks = []
    for number, mention in enumerate(document.mentions):
        places = document.places_in_text(mention)
        infons = {"type": mention.label} | ({"identifier": mention.identifiers[0]} if mention.identifiers else {})
        said = " ".join(document.whole[start:end] for start, end in places)
        locations = [{"offset": start, "length": end - start} for start, end in places]
        marks.append({"id": f"T{number}", "infons": infons, "text": said, "locations": locations})
    relations = [
        {
            "id": f"R{number}",
            "infons": {"type": label},
            "nodes": [{"refid": f"T{head}", "role": "head"}, {"refid": f"T{tail}", "role": "tail"}],
        }
        for number, (label, head, tail, *_) in enumerate(document.relations)
    ]
    passage = {"offset": 0, "infons": {}, "text": document.whole, "sentences": []}
    infons = {key: str(value) for key, value in document.metadata.items()}
    whole = {
        "passages": [{**passage, "annotations": marks, "relations": []}],
        "annotations": [],
        "relations": relations,
    }
    return {"id": document.name, "infons": infons, **whole}


# --- files ---


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def dump_lines(values: Sequence[Any]) -> str:
    """JSON with a value on each line."""
    return "".join(f"{_dump(value)}\n" for value in values)


def dump_list(values: Sequence[Any]) -> str:
    """A list in JSON with a value on each line."""
    return "[" + ",\n".join(map(_dump, values)) + "]\n"


def _dump_collection(documents: Sequence[Any]) -> str:
    about = {"source": "", "date": "", "key": "", "version": "1.0", "infons": {}}
    return _dump({**about, "documents": documents}) + "\n"


@dataclass(frozen=True)
class Target:
    """A shape of documents: how one is written, and what it has no place for."""

    write: Callable[[SpanDocument, Side], Any]
    lost: tuple[str, ...]
    pack: Callable[[Any], str | bytes] | None = None
    """Makes one file of all documents; without it each has files of its own …"""
    endings: tuple[str, ...] = ()
    """… with these endings."""


_COMMON = ("entities", "chains")
_IN_TEXT = (*_COMMON, "blanks", "sentences")
_POOR = ("candidates", "confidences", "directions")
TARGETS = {
    "labelstudio": Target(_write_labelstudio, ("links", *_IN_TEXT), dump_list),
    "doccano": Target(_write_doccano, ("links", "confidences", "directions", *_IN_TEXT), dump_lines),
    "prodigy": Target(lambda document, _: write_prodigy(document, Side("")), (*_COMMON, "sentences"), dump_lines),
    "argilla": Target(_write_argilla, ("links", "relations", *_IN_TEXT), dump_list),
    "webanno": Target(_write_webanno, (*_POOR, *_COMMON, "metadata"), endings=(".tsv",)),
    "cas": Target(_write_cas, (*_POOR, *_COMMON, "metadata"), endings=(".json",)),
    "gliner": Target(
        _write_gliner, ("links", "confidences", "directions", *_COMMON, "texts", "sentences"), dump_list
    ),
    "hf": Target(_write_hf, ("links", "confidences", "relations", *_COMMON, "texts", "sentences"), dump_lines),
    "docbin": Target(
        lambda document, _: document,
        ("candidates", "confidences", "relations", *_COMMON, "sentences", "ids", "metadata"),
        _pack_docbin,
    ),
    "tuples": Target(_write_tuples, ("links", "confidences", "relations", *_IN_TEXT, "ids", "metadata"), dump_list),
    "pubtator": Target(_write_pubtator, (*_POOR, "chains", "blanks", "sentences", "metadata"), "\n".join),
    "bioc": Target(_write_bioc, (*_POOR, *_IN_TEXT), _dump_collection),
}
