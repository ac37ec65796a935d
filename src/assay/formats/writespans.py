"""Spans, relations and links of a Corpus become text again: brat, JSON, SpERT, DyGIE, DocRED, HIPE, neleval."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from assay.arrays import NONE, Stretches
from assay.corpus import Corpus, Marks
from assay.errors import UsageError
from assay.formats.relations import candidate_scores, is_symmetric, links_in, relations_in
from assay.records import dataclass

TARGETS = ("brat", "jsonl", "spert", "dygie", "docred", "hipe", "neleval")
_NOT_HELD = {
    "brat": ("scores", "entities", "chains"),
    "jsonl": ("sentences", "entities", "chains"),
    "spert": ("documents", "directions", "links", "entities", "chains"),
    "dygie": ("directions", "links"),
    "docred": ("directions", "links", "chains"),
    "hipe": ("relations", "scores", "entities", "chains"),
    "neleval": ("words", "sentences", "relations", "entities", "chains"),
}
"""What each has no place for, and leaves out; what else it cannot hold is refused."""
_LONGEST = 250
"""The most bytes of a file's name without its ending."""
_PART = re.compile(r"\((.+)\); part 000")


@dataclass
class _Mention:
    """A span of a document, its atoms counted there."""

    atoms: Stretches
    label: str
    sentence: int
    """The sentence in which it begins, counted in the document."""
    listed: bool
    """False for the argument of a relation that is not among the spans."""
    entity: int = NONE
    identifiers: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


@dataclass
class _Document:
    name: str
    sentences: list[list[str]]
    """Its words; empty where it has a text."""
    text: str | None
    mentions: list[_Mention] = field(default_factory=list)
    relations: list[tuple[str, int, int, bool]] = field(default_factory=list)
    """Label, head and tail among the mentions, and whether it has no direction."""
    clusters: list[list[list[int]]] = field(default_factory=list)

    @cached_property
    def starts(self) -> list[int]:
        """The first word of each sentence, and the number of all."""
        return [0, *accumulate(map(len, self.sentences))]


def write_spans(corpus: Corpus, target: str) -> tuple[dict[str, str], list[str]]:
    """The text of each file by its name, and a sentence for everything that the target cannot hold.

    brat has two files for each document; other targets have one file, without a name.
    """
    if corpus.spans is None:
        raise UsageError(f"{corpus.name}: has no spans, which {target} consists of.")
    if not corpus.has_words:
        raise UsageError(f"{corpus.name}: has no words, only places, and {target} needs the text.")
    if target in ("spert", "dygie", "docred", "hipe") and corpus.texts is not None:
        raise UsageError(f"{corpus.name}: has texts, not words, which {target} consists of. Use --to jsonl or brat")
    documents = _documents(corpus)
    if target == "brat":
        files = {}
        for document in documents:
            if not _is_file_name(document.name):
                fact = f"the document {document.name!r} cannot be the name of a file"
                raise UsageError(f"{corpus.name}: {fact}. Use --to jsonl")
            files[f"{document.name}.txt"], files[f"{document.name}.ann"] = _brat(document)
    elif target == "jsonl":
        files = {"": _lines(_json(document, corpus) for document in documents)}
    elif target == "hipe":
        rows = ["\t".join(_HIPE), *(row for one in documents for row in _hipe(one))]
        files = {"": "".join(f"{row}\n" for row in rows)}
    elif target == "neleval":
        files = {"": "".join(row for one in documents for row in _neleval(one))}
    elif target == "dygie":
        files = {"": _lines(_dygie(document) for document in documents)}
    else:
        values = [value for one in documents for value in (_spert(one) if target == "spert" else [_docred(one)])]
        files = {"": "[" + ",\n".join(json.dumps(value, ensure_ascii=False) for value in values) + "]\n"}
    return files, list(_losses(corpus, documents, target))


def _is_file_name(name: str) -> bool:
    """True if a document may be a file of this name within a folder, by the only spelling of that name."""
    plain = posixpath.normpath(name) == name and not name.startswith(("/", "../")) and name not in ("..", ".")
    return plain and "\0" not in name and all(len(part.encode()) <= _LONGEST for part in name.split("/"))


def _lines(values: Iterator[dict[str, Any]]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _documents(corpus: Corpus) -> list[_Document]:
    """The documents, with the spans of all layers as one list."""
    firsts = [0, corpus.sentences] if corpus.document_starts is None else corpus.document_starts.tolist()
    lengths = np.diff(corpus.starts).tolist() if corpus.texts is None else list(map(len, corpus.texts))
    forms, starts = corpus.forms.strings(), corpus.starts.tolist()
    documents, base = [], []
    for number, (first, end) in enumerate(pairwise(firsts)):
        words = [forms[starts[sentence] : starts[sentence + 1]] for sentence in range(first, end)]
        text = None if corpus.texts is None else "".join(corpus.texts[first:end])
        # Documents without ids may be called by their lines, which several may share.
        name = corpus.document_name(number) if corpus.by_id else str(number + 1)
        short = _PART.fullmatch(name)
        documents.append(_Document(short[1] if short else name, words if text is None else [], text))
        base += [0, *accumulate(lengths[first:end])][:-1]
    owner = corpus.document_of_sentence.tolist()
    known: dict[tuple[int, Stretches, str, int], tuple[int, int]] = {}

    def placed(spans: Marks, *, listed: bool) -> list[tuple[int, int]]:
        """The document of each span, and its number there; equal spans of two layers are one."""
        times: Counter[tuple[int, Stretches, str]] = Counter()
        found = []
        rows = zip(spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), strict=True)
        for number, ((sentence, begin, end), label) in enumerate(zip(rows, spans.labels.strings(), strict=True)):
            stretches = spans.stretches.get(number, ((begin, end),))
            atoms = tuple((base[sentence] + first, base[sentence] + behind) for first, behind in stretches)
            key = (owner[sentence], atoms, label)
            times[key] += 1
            document = documents[owner[sentence]]
            if (*key, times[key]) not in known:
                within = sentence - firsts[owner[sentence]]
                known[(*key, times[key])] = owner[sentence], len(document.mentions)
                document.mentions.append(_Mention(atoms, label, within, listed))
            found.append(known[(*key, times[key])])
        return found

    assert corpus.spans is not None
    placed(corpus.spans, listed=True)
    if "relations" in corpus.marks:
        spans, relations = relations_in(corpus)
        places = placed(spans, listed=False)
        for (owned, number), entity in zip(places, () if spans.group is None else spans.group, strict=False):
            documents[owned].mentions[number].entity = int(entity)
        columns = (*(relations.arguments[role] for role in ("head", "tail")), is_symmetric(relations))
        for label, head, tail, symmetric in zip(
            relations.labels.strings(), *(column.tolist() for column in columns), strict=True
        ):
            if places[head][0] != places[tail][0]:
                raise UsageError(f"{corpus.name}: a relation {label} between two documents, which no format holds.")
            documents[places[head][0]].relations.append((label, places[head][1], places[tail][1], symmetric))
    if "links" in corpus.marks:
        spans, candidates = links_in(corpus)
        places = placed(spans, listed=True)
        rows = zip(candidates.arguments["mention"].tolist(), candidate_scores(candidates).tolist(), strict=True)
        for name, (row, score) in zip(candidates.labels.strings(), rows, strict=True):
            owned, number = places[row]
            mention = documents[owned].mentions[number]
            mention.identifiers.append(name)
            mention.scores.append(score)
    if mentions := corpus.marks.get("mentions"):
        clusters: dict[tuple[int, int], list[list[int]]] = {}
        columns = mentions.unit, mentions.columns["chain"].codes, mentions.begin, mentions.end
        for document, chain, begin, end in np.stack(columns, axis=1).tolist():
            clusters.setdefault((document, chain), []).append([begin, end - 1])
        for (document, _), cluster in clusters.items():
            documents[document].clusters.append(cluster)
    return documents


def _losses(corpus: Corpus, documents: list[_Document], target: str) -> Iterator[str]:
    """Sentences on all that is there and has no place in the target."""
    relations, candidates = relations_in(corpus)[1], links_in(corpus)[1]
    entities = {one.entity for each in documents for one in each.mentions} - {NONE}
    there: Mapping[str, tuple[int, str]] = {
        "scores": (int((~np.isnan(candidate_scores(candidates))).sum()), "scores of identifiers: {} left out."),
        "links": (sum(bool(one.identifiers) for each in documents for one in each.mentions), "links: {} left out."),
        "directions": (int(is_symmetric(relations).sum()), "relations without direction: {} have one now."),
        "entities": (
            len(entities),
            "entities of several mentions: {} left out, and facts are between first mentions.",
        ),
        "relations": (len(relations), "relations: {} left out."),
        "words": (len(corpus), "words: {} left out, places are counted in their document."),
        "chains": (sum(len(one.clusters) for one in documents), "chains: {} left out."),
        "sentences": (corpus.sentences - corpus.documents, "sentences within documents: {} ends left out."),
        "documents": (
            len(documents) if corpus.by_id or corpus.sentences > corpus.documents else 0,
            "documents: the names of {} left out, and a sentence is all by itself.",
        ),
    }
    for name in _NOT_HELD[target]:
        number, text = there[name]
        if number:
            yield f"{target} has no {text.replace('{}', f'{number:,}')}"
    lost = [name for name in corpus.columns if not corpus.is_empty(name)]
    if lost:
        yield f"{target} has no place for {', '.join(lost)}: left out."
    extra = sum(not one.listed and one.label != "" for each in documents for one in each.mentions)
    if extra and target != "jsonl":
        yield f"{target} has arguments among its spans: {extra:,} that were not are now."


# --- targets ---

_HIPE = ("TOKEN", "NE-COARSE-LIT", "NEL-LIT", "MISC")


def _hipe(document: _Document) -> Iterator[str]:
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


def _neleval(document: _Document) -> Iterator[str]:
    """A line for each mention with a link: its place in the document, the last included, and its candidates."""
    for mention in document.mentions:
        if not mention.identifiers:
            continue
        if len(mention.atoms) > 1:
            raise UsageError(f"{document.name}: a span has a gap, which neleval has no place for. Use --to jsonl")
        scores = mention.scores or [float("nan")] * len(mention.identifiers)
        cells = [document.name, str(mention.atoms[0][0]), str(mention.atoms[0][1] - 1)]
        for name, score in zip(mention.identifiers, scores, strict=True):
            cells += [name, "" if np.isnan(score) else repr(float(score)), mention.label]
        yield "\t".join(cells) + "\n"


def _brat(document: _Document) -> tuple[str, str]:
    """The text, and the lines of annotation."""
    text, places = document.text, None
    if text is None:
        text = "\n".join(" ".join(words) for words in document.sentences) + "\n"
        lengths = [len(word) + 1 for words in document.sentences for word in words]
        places = [0, *accumulate(lengths)]
    lines = []
    for number, mention in enumerate(document.mentions, 1):
        _check_brat_label(mention.label, document)
        parts = mention.atoms
        if places is not None:
            parts = tuple((places[first], places[end] - 1) for first, end in parts)
        said = " ".join(" ".join(text[first:end].split()) for first, end in parts)
        shown = ";".join(f"{first} {end}" for first, end in parts)
        lines.append(f"T{number}\t{mention.label} {shown}\t{said}")
    directed = 0
    for label, head, tail, symmetric in document.relations:
        _check_brat_label(label, document)
        directed += not symmetric
        start = f"*\t{label} T{head + 1} T{tail + 1}"
        lines.append(start if symmetric else f"R{directed}\t{label} Arg1:T{head + 1} Arg2:T{tail + 1}")
    links = [(number, name) for number, one in enumerate(document.mentions, 1) for name in one.identifiers]
    lines += [f"N{count}\tReference T{number} {name}\t{name}" for count, (number, name) in enumerate(links, 1)]
    return text, "".join(f"{line}\n" for line in lines)


def _check_brat_label(label: str, document: _Document) -> None:
    if label.split() != [label]:
        what = f"the label {label!r} has blanks" if label else "a span without a type"
        raise UsageError(f"document {document.name}: {what}, which brat has no place for. Use --to jsonl")


def _json(document: _Document, corpus: Corpus) -> dict[str, Any]:
    value: dict[str, Any] = {"id": document.name} if corpus.by_id else {}
    if document.text is not None:
        value["text"] = document.text
    else:
        value["tokens"] = [word for words in document.sentences for word in words]

    def span(mention: _Mention) -> dict[str, Any]:
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
        more: dict[str, Any] = {"id": names[number]} if document.relations else {}
        scored = [score == score for score in mention.scores]  # noqa: PLR0124 (nan is not itself)
        if any(scored):
            pairs = zip(mention.identifiers, mention.scores, scored, strict=True)
            more["links"] = [{"id": name, "score": score} if has else name for name, score, has in pairs]
        elif mention.identifiers:
            one = len(mention.identifiers) == 1
            more |= {"link": mention.identifiers[0]} if one else {"links": mention.identifiers}
        value["spans"].append({**more, **span(mention)} if "id" in more else {**span(mention), **more})
    if "relations" in corpus.marks:
        value["relations"] = [
            {"label": label}
            | {
                key: names[number] if number in names else span(document.mentions[number])
                for key, number in (("head", head), ("tail", tail))
            }
            | ({"symmetric": True} if symmetric else {})
            for label, head, tail, symmetric in document.relations
        ]
    return value


def _whole(mention: _Mention, document: _Document, target: str, *, typed: bool = True) -> tuple[int, int]:
    """First word and end of a mention in its document; refused where it has gaps, or crosses a sentence's end."""
    fault = ""
    if len(mention.atoms) > 1:
        fault = "a span with gaps"
    elif mention.atoms[0][1] > document.starts[mention.sentence + 1]:
        fault = "a span over the end of a sentence"
    elif typed and not mention.label:
        fault = "a span without a type"
    if fault:
        raise UsageError(f"document {document.name}: {fault}, which {target} has no place for. Use --to jsonl")
    return mention.atoms[0]


def _dygie(document: _Document) -> dict[str, Any]:
    value: dict[str, Any] = {"doc_key": document.name, "sentences": document.sentences}
    value["ner"], value["relations"] = ([[] for _ in document.sentences] for _ in range(2))
    places = []
    for mention in document.mentions:
        first, end = _whole(mention, document, "dygie", typed=False)
        places.append((first, end - 1))
        if mention.label:
            value["ner"][mention.sentence].append([first, end - 1, mention.label])
    for label, head, tail, _ in document.relations:
        value["relations"][document.mentions[head].sentence].append([*places[head], *places[tail], label])
    entities: dict[int, list[list[int]]] = {}
    for mention, place in zip(document.mentions, places, strict=True):
        if mention.entity != NONE:
            entities.setdefault(mention.entity, []).append(list(place))
    if document.clusters or entities:
        value["clusters"] = document.clusters or list(entities.values())
    return value


def _spert(document: _Document) -> Iterator[dict[str, Any]]:
    """A sentence after the other."""
    values: list[dict[str, Any]]
    values = [{"tokens": words, "entities": [], "relations": []} for words in document.sentences]
    starts = document.starts
    numbers = []
    for mention in document.mentions:
        first, end = _whole(mention, document, "spert")
        entities = values[mention.sentence]["entities"]
        numbers.append(len(entities))
        start = starts[mention.sentence]
        entities.append({"type": mention.label, "start": first - start, "end": end - start})
    for label, head, tail, _ in document.relations:
        sentence = document.mentions[head].sentence
        if document.mentions[tail].sentence != sentence:
            raise UsageError(
                f"document {document.name}: a relation {label} between two sentences, which spert has no place for. "
                "Use --to jsonl"
            )
        values[sentence]["relations"].append({"type": label, "head": numbers[head], "tail": numbers[tail]})
    yield from values


def _docred(document: _Document) -> dict[str, Any]:
    starts = document.starts
    entities: dict[tuple[int, int], int] = {}
    vertices: list[list[dict[str, Any]]] = []
    owners = []
    for number, mention in enumerate(document.mentions):
        first, end = _whole(mention, document, "docred")
        key = (mention.entity, NONE if mention.entity != NONE else number)
        owner = entities.setdefault(key, len(entities))
        if owner == len(vertices):
            vertices.append([])
        start = starts[mention.sentence]
        words = document.sentences[mention.sentence][first - start : end - start]
        vertices[owner].append(
            {
                "name": " ".join(words),
                "pos": [first - start, end - start],
                "sent_id": mention.sentence,
                "type": mention.label,
            }
        )
        owners.append(owner)
    labels = [{"h": owners[head], "t": owners[tail], "r": label} for label, head, tail, _ in document.relations]
    return {"title": document.name, "sents": document.sentences, "vertexSet": vertices, "labels": labels}
