"""Writers of spans, relations and links: brat, JSON, SpERT, DyGIE, DocRED, HIPE, neleval."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from math import isnan
from typing import Any

import numpy as np

from assay.arrays import NONE
from assay.corpus import Corpus
from assay.errors import UsageError
from assay.formats import writetools
from assay.formats.events import ARGUMENTS, EVENTS
from assay.formats.relations import is_symmetric, links_in, relations_in
from assay.formats.spandocuments import (
    SpanDocument,
    SpanMention,
    cut_sentences,
    describe_lost,
    list_losses,
    list_repairs,
    split_documents,
)
from assay.formats.whose import ANNOTATIONS
from assay.formats.writetools import Side, Target, dump_lines, dump_list

_LONGEST = 250
"""The most bytes of a file's name without its ending."""


def write_spans(corpus: Corpus, target: str, kind: str | None = None) -> tuple[dict[str, str | bytes], list[str]]:
    """The text of each file by its name, and a sentence for everything that the target cannot contain.

    brat has two files for each document, WebAnno and CAS have one; other targets have one file, without a name.
    `kind` is what to write if a tool distinguishes them: annotations of a person, or predictions of a model.
    """
    if kind and target not in writetools.BY_KIND:
        raise UsageError(
            f"--as {kind}: {target} does not distinguish annotations and predictions. Remove --as; it is for "
            f"{' and '.join(writetools.BY_KIND)}."
        )
    events = corpus.marks.get(EVENTS)
    if "spans" not in corpus.marks and events is not None:
        if target not in _WITH_EVENTS:
            better = " or ".join(_WITH_EVENTS)
            raise UsageError(f"{corpus.name}: has events, which {target} has no place for. Use --to {better}")
        corpus = corpus.with_marks(spans=events.where(np.zeros(len(events), dtype=bool)))
    if "spans" not in corpus.marks:
        raise UsageError(f"{corpus.name}: has no spans, which {target} consists of.")
    if not corpus.has_words:
        raise UsageError(f"{corpus.name}: has no words, only places, and {target} needs the text.")
    cut = events is not None and target == "dygie"
    if target in ("spert", "dygie", "docred", "hipe") and corpus.texts is not None and not cut:
        raise UsageError(f"{corpus.name}: has texts, not words, which {target} consists of. Use --to jsonl or brat")
    chosen = TARGETS[target]
    corpus = cut_sentences(corpus) if target in writetools.TARGETS and "sentences" in chosen.lost else corpus
    documents, side = split_documents(corpus), writetools.find_side(corpus, kind)
    values = [chosen.write(document, side) for document in documents]
    files: dict[str, str | bytes] = {}
    if chosen.pack is not None:
        files = {"": chosen.pack(values)}
    for document, texts in zip(documents, values, strict=True) if chosen.pack is None else ():
        name = check_file_name(document.name, corpus.name)
        files |= {f"{name}{ending}": text for ending, text in zip(chosen.endings, texts, strict=True)}
    return files, _describe_losses(corpus, documents, target, kind)


def check_file_name(name: str, source: str) -> str:
    """The name of a document, which must be a path within the folder, in its shortest form."""
    inside = posixpath.normpath(name) == name and not name.startswith(("/", "../"))
    long = any(len(part.encode()) > _LONGEST for part in name.split("/"))
    if not inside or long or name in ("..", ".") or "\0" in name:
        fact = f"the document {name!r} cannot be the name of a file"
        raise UsageError(f"{source}: {fact}. Use --to jsonl")
    return name


def _describe_losses(corpus: Corpus, documents: list[SpanDocument], target: str, kind: str | None) -> list[str]:
    """Sentences on everything that the target leaves out, and on what the reader left out or repaired."""
    relations, candidates = relations_in(corpus)[1], links_in(corpus)[1]
    mentions = [mention for document in documents for mention in document.mentions]
    entities = {mention.entity for mention in mentions} - {NONE}
    events = [event for document in documents for event in document.events]
    is_brat = corpus.texts is not None
    arguments = corpus.marks.get(ARGUMENTS)
    numbers: Mapping[str, tuple[int, str]] = {
        "confidences": (
            sum(not isnan(mention.score) for mention in mentions) + int((~np.isnan(relations.scores)).sum()),
            "scores of spans or relations; left out: {}.",
        ),
        "metadata": (len({key for document in documents for key in document.metadata}), "metadata; left out: {}."),
        "ids": (len(documents) if corpus.by_id else 0, "ids of documents; left out: {}."),
        "candidates": (sum(len(mention.identifiers[1:]) for mention in mentions), "second candidates; left out: {}."),
        "texts": (
            len(corpus.texts or ()),
            "texts; they ({}) are split into words at blanks, punctuation and ends of spans.",
        ),
        "blanks": (
            len(corpus) if corpus.texts is None else 0,
            "words; they ({}) are joined to texts with blanks between them.",
        ),
        "scores": (int((~np.isnan(candidates.scores)).sum()), "scores of identifiers; left out: {}."),
        "links": (sum(bool(mention.identifiers) for mention in mentions), "links; left out: {}."),
        "directions": (int(is_symmetric(relations).sum()), "relations without direction; these ({}) now have one."),
        "entities": (
            len(entities),
            "entities of several mentions; left out: {}. Facts are between first mentions.",
        ),
        "events": (
            len(events),
            f"events; {'they ({}) are written as spans and relations' if is_brat else 'left out: {}'}.",
        ),
        "attributes": (sum(len(event.attributes) for event in events), "attributes of events; left out: {}."),
        "heads": (
            0 if arguments is None else int((arguments.arguments["head_begin"] != NONE).sum()),
            "heads of arguments; left out: {}.",
        ),
        "long": (
            sum(
                document.places_in_words(event.trigger)[-1][1] - document.places_in_words(event.trigger)[0][0] > 1
                for document in documents
                for event in document.events
            )
            if target == "dygie"
            else 0,
            "triggers of several words; they ({}) are written as [first, last, type], which assay reads.",
        ),
        "relations": (len(relations), "relations; left out: {}."),
        "words": (len(corpus), "words; left out: {}. Places are counted in their document."),
        "chains": (sum(len(document.clusters) for document in documents), "chains; left out: {}."),
        "sentences": (corpus.sentences - corpus.documents, "sentences within documents; ends left out: {}."),
        "documents": (
            len(documents) if corpus.by_id or corpus.sentences > corpus.documents else 0,
            "documents; names left out: {}. Each sentence is separate.",
        ),
    }
    lost = [name for name in corpus.columns if not corpus.is_empty(name)]
    parts = [*TARGETS[target].lost, *["events"] * (target not in _WITH_EVENTS)]
    parts += ["confidences"] * (target == "argilla" and kind == ANNOTATIONS)
    rows = [*map(numbers.__getitem__, parts), (len(lost), describe_lost(lost))]
    losses = list_losses(target, rows)
    extra = sum(not mention.listed and mention.label != "" for mention in mentions)
    if extra and target != "jsonl":
        losses.append(f"{target} lists arguments among its spans; added: {extra:,}.")
    losses += list_repairs(corpus)
    for reason, number in Counter(reason for _, _, reason in corpus.left_out).items():
        were = "document was" if number == 1 else "documents were"
        losses.append(f"{number:,} {were} left out ({reason}).")
    return losses


# --- targets ---


def _write_hipe(document: SpanDocument, _side: Side) -> Iterator[str]:
    """The lines of a document: its id, and a line for each word."""
    words = [word for sentence in document.sentences for word in sentence]
    tags, links, misc = ["O"] * len(words), ["_"] * len(words), ["_"] * len(words)
    for mention in document.mentions:
        (first, end), *more = mention.atoms
        if more or any(tag != "O" for tag in tags[first:end]):
            what = "a gap" if more else "another one over the same words"
            raise UsageError(f"{document.name}: a span has {what}, which hipe has no place for. Use --to jsonl")
        tags[first:end] = [f"{'I' if number else 'B'}-{mention.label or '_'}" for number in range(end - first)]
        links[first:end] = ["|".join(mention.identifiers) or "_"] * (end - first)
    for end in document.starts[1:]:
        misc[end - 1] = "EndOfSentence"
    yield f"# assay:document_id = {document.name}"
    for cells in zip(words, tags, links, misc, strict=True):
        yield "\t".join(cells)


def _write_neleval(document: SpanDocument, _side: Side) -> Iterator[str]:
    """A line for each mention with a link: document, first and last place, and candidates."""
    for mention in document.mentions:
        if not mention.identifiers:
            continue
        if len(mention.atoms) > 1:
            raise UsageError(f"{document.name}: a span has a gap, which neleval has no place for. Use --to jsonl")
        cells = [document.name, str(mention.atoms[0][0]), str(mention.atoms[0][1] - 1)]
        for name, score in zip(mention.identifiers, mention.scores, strict=True):
            cells += [name, "" if np.isnan(score) else repr(float(score)), mention.label]
        yield "\t".join(cells)


def write_brat(document: SpanDocument, _side: Side | None = None) -> tuple[str, str]:
    """The text and the annotation."""
    lines = []
    known = {(mention.atoms, mention.label) for mention in document.mentions}
    document.mentions += [trigger for place, trigger in document.triggers.items() if place not in known]
    for number, mention in enumerate(document.mentions, 1):
        _check_brat_label(mention.label, document)
        parts = document.places_in_text(mention)
        covered = " ".join(" ".join(document.whole[first:end].split()) for first, end in parts)
        offsets = ";".join(f"{first} {end}" for first, end in parts)
        lines.append(f"T{number}\t{mention.label} {offsets}\t{covered}")
    lines += _list_brat_events(document)
    directed = 0
    for label, head, tail, symmetric, _ in document.own_relations:
        _check_brat_label(label, document)
        directed += not symmetric
        start = f"*\t{label} T{head + 1} T{tail + 1}"
        lines.append(start if symmetric else f"R{directed}\t{label} Arg1:T{head + 1} Arg2:T{tail + 1}")
    numbered = enumerate(document.mentions, 1)
    links = [(number, name) for number, mention in numbered for name in mention.identifiers]
    lines += [f"N{count}\tReference T{number} {name}\t{name}" for count, (number, name) in enumerate(links, 1)]
    text = document.whole + "\n" * (document.text is None)
    return text, "".join(f"{line}\n" for line in lines)


def _list_brat_events(document: SpanDocument) -> Iterator[str]:
    """Lines of events and their attributes; an argument is the first span in its place, triggers last."""
    numbered = [*enumerate(document.mentions, 1)]
    triggers = {(mention.atoms, mention.label): number for number, mention in reversed(numbered)}
    spans = {mention.atoms: number for number, mention in reversed(numbered)}
    others = [(number, one) for number, one in numbered if (one.atoms, one.label) not in document.triggers]
    spans |= {mention.atoms: number for number, mention in reversed(others)}
    attributes = 0
    for number, event in enumerate(document.events, 1):
        type_, times = event.trigger.label, Counter[str]()
        cells = [f"{type_}:T{triggers[event.trigger.atoms, type_]}"]
        for argument in event.arguments:
            role = argument.label
            if role.split() != [role] or ":" in role or role[-1] in "0123456789":
                fact = f"the role {role!r} has blanks, a colon or a digit at its end"
                raise document.refusal(fact, "brat", "dygie")
            if argument.atoms not in spans:
                raise document.refusal(f"the argument {document.quote(argument)} without a type", "brat", "dygie")
            times[role] += 1
            cells.append(f"{role}{times[role] if times[role] > 1 else ''}:T{spans[argument.atoms]}")
        yield f"E{number}\t{' '.join(cells)}"
        for text in event.attributes:
            attributes += 1
            name, _, value = text.partition("=")
            yield f"A{attributes}\t{name} E{number} {value}".rstrip()


def _check_brat_label(label: str, document: SpanDocument) -> None:
    if label.split() != [label]:
        fact = f"the label {label!r} has blanks" if label else "a span without a type"
        raise document.refusal(fact, "brat")


def _write_json(document: SpanDocument, _side: Side) -> dict[str, Any]:
    words = [word for sentence in document.sentences for word in sentence]
    value: dict[str, Any] = document.key | ({"tokens": words} if document.text is None else {"text": document.text})

    def format_span(mention: SpanMention) -> dict[str, Any]:
        """A span, or an argument that is not among the spans."""
        places: dict[str, Any] = {"start": mention.atoms[0][0], "end": mention.atoms[-1][1]}
        if len(mention.atoms) > 1:
            places = {"fragments": [list(part) for part in mention.atoms]}
        return places | ({"label": mention.label} if mention.label else {})

    listed = [number for number, mention in enumerate(document.mentions) if mention.listed]
    names = {number: f"T{count}" for count, number in enumerate(listed, 1)}
    value["spans"] = []
    for number in listed:
        mention = document.mentions[number]
        name = {"id": names[number]} if document.relations else {}
        more, span = mention.links | mention.confidence, format_span(mention)
        value["spans"].append({**name, **more, **span} if name else {**span, **more})
    if document.relates:
        value["relations"] = [
            {"label": label}
            | {
                key: names[number] if number in names else format_span(document.mentions[number])
                for key, number in (("head", head), ("tail", tail))
            }
            | ({"symmetric": True} if symmetric else {})
            | ({} if isnan(score) else {"score": score})
            for label, head, tail, symmetric, score in document.relations
        ]
    if document.metadata:
        value["meta"] = document.metadata
    return value


def _find_places(document: SpanDocument, target: str, *, typed: bool = True) -> list[tuple[int, int, int]]:
    """Sentence, first word and end of each mention; UsageError for a mention that the target cannot contain."""
    places = []
    for mention in document.mentions:
        (first, end), *more = document.places_in_words(mention)
        fault = ""
        if more:
            fault = "a span with gaps"
        elif end > document.starts[mention.sentence + 1]:
            fault = "a span over the end of a sentence"
        elif typed and not mention.label:
            fault = "a span without a type"
        if fault:
            raise document.refusal(fault, target)
        start = document.starts[mention.sentence]
        places.append((mention.sentence, first - start, end - start))
    return places


def _write_dygie(document: SpanDocument, _side: Side) -> dict[str, Any]:
    sentences = document.sentences or [document.words[first:end] for first, end in pairwise(document.starts)]
    value: dict[str, Any] = {"doc_key": document.name, "sentences": sentences}
    value["ner"], value["relations"] = ([[] for _ in sentences] for _ in range(2))
    # In brat triggers are spans.
    triggers = {} if document.text is None else document.triggers
    places = _find_places(document, "dygie", typed=False)
    spans = [[document.starts[at] + first, document.starts[at] + end - 1] for at, first, end in places]
    entities: dict[int, list[list[int]]] = {}
    for mention, span in zip(document.mentions, spans, strict=True):
        if mention.label and (mention.atoms, mention.label) not in triggers:
            value["ner"][mention.sentence].append([*span, mention.label])
        if mention.entity != NONE:
            entities.setdefault(mention.entity, []).append(span)
    for label, head, tail, *_ in document.own_relations:
        value["relations"][places[head][0]].append([*spans[head], *spans[tail], label])
    if document.clusters or entities:
        value["clusters"] = document.clusters or list(entities.values())
    if document.has_events:
        value["events"] = [[] for _ in sentences]
    for event in document.events:
        rows: list[list[Any]] = []
        for mention in (event.trigger, *event.arguments):
            (first, end), *more = document.places_in_words(mention)
            if more:
                raise document.refusal("a part of an event with gaps", "dygie", "brat")
            rows.append([first, *([end - 1] if rows or end - first > 1 else ()), mention.label])
        value["events"][event.trigger.sentence].append(rows)
    return value


def _write_spert(document: SpanDocument, _side: Side) -> list[dict[str, Any]]:
    """A value for each sentence."""
    values: list[dict[str, Any]]
    values = [{"tokens": words, "entities": [], "relations": []} for words in document.sentences]
    places, numbers = _find_places(document, "spert"), []
    for mention, (sentence, first, end) in zip(document.mentions, places, strict=True):
        numbers.append(len(values[sentence]["entities"]))
        values[sentence]["entities"].append({"type": mention.label, "start": first, "end": end})
    for label, head, tail, *_ in document.relations:
        if places[tail][0] != places[head][0]:
            raise document.refusal(f"a relation {label} between two sentences", "spert")
        relation = {"type": label, "head": numbers[head], "tail": numbers[tail]}
        values[places[head][0]]["relations"].append(relation)
    return values


def _write_docred(document: SpanDocument, _side: Side) -> dict[str, Any]:
    numbers: dict[tuple[int, int], int] = {}
    vertices: list[list[dict[str, Any]]] = []
    owners = []
    places = _find_places(document, "docred")
    for number, (mention, (sentence, first, end)) in enumerate(zip(document.mentions, places, strict=True)):
        key = (mention.entity, NONE if mention.entity != NONE else number)
        name = " ".join(document.sentences[sentence][first:end])
        vertex = {"name": name, "pos": [first, end], "sent_id": sentence, "type": mention.label}
        owners.append(numbers.setdefault(key, len(numbers)))
        vertices += [[]] if len(numbers) > len(vertices) else []
        vertices[owners[-1]].append(vertex)
    labels = [{"h": owners[head], "t": owners[tail], "r": label} for label, head, tail, *_ in document.relations]
    return {"title": document.name, "sents": document.sentences, "vertexSet": vertices, "labels": labels}


def _pack_rows(documents: Iterable[Iterable[str]]) -> str:
    return "".join(f"{row}\n" for rows in documents for row in rows)


_WITH_EVENTS = ("dygie", "brat")
_LEAST = ("entities", "chains", "metadata")
TARGETS = {
    "brat": Target(write_brat, ("scores", "confidences", *_LEAST, "heads"), endings=(".txt", ".ann")),
    "jsonl": Target(_write_json, ("sentences", "entities", "chains"), dump_lines),
    "spert": Target(
        _write_spert,
        ("documents", "directions", "links", "confidences", *_LEAST),
        lambda documents: dump_list([*chain.from_iterable(documents)]),
    ),
    "dygie": Target(
        _write_dygie,
        ("texts", "directions", "links", "confidences", "metadata", "attributes", "heads", "long"),
        dump_lines,
    ),
    "docred": Target(_write_docred, ("directions", "links", "confidences", "chains", "metadata"), dump_list),
    "hipe": Target(
        _write_hipe,
        ("relations", "scores", "confidences", *_LEAST),
        lambda documents: _pack_rows([["TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC"], *documents]),
    ),
    "neleval": Target(_write_neleval, ("words", "sentences", "relations", "confidences", *_LEAST), _pack_rows),
    **writetools.TARGETS,
}
"""How each target is written, and what it leaves out; anything else that it cannot contain is an error."""
