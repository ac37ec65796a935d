"""Writers of spans, relations and links: brat, JSON, SpERT, DyGIE, DocRED, HIPE, neleval."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from assay.arrays import NONE, Stretches
from assay.corpus import Corpus, Marks
from assay.errors import UsageError
from assay.formats.relations import is_symmetric, links_in, relations_in
from assay.records import dataclass

TARGETS = ("brat", "jsonl", "spert", "dygie", "docred", "hipe", "neleval")
_LEFT_OUT = {
    "brat": ("scores", "entities", "chains"),
    "jsonl": ("sentences", "entities", "chains"),
    "spert": ("documents", "directions", "links", "entities", "chains"),
    "dygie": ("directions", "links"),
    "docred": ("directions", "links", "chains"),
    "hipe": ("relations", "scores", "entities", "chains"),
    "neleval": ("words", "sentences", "relations", "entities", "chains"),
}
"""Parts of a corpus that each target leaves out; anything else that it cannot contain is an error."""
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
    """Its words; empty if it has a text."""
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
    """The text of each file by its name, and a sentence for everything that the target cannot contain.

    brat has two files for each document; other targets have one file, without a name.
    """
    if "spans" not in corpus.marks:
        raise UsageError(f"{corpus.name}: has no spans, which {target} consists of.")
    if not corpus.has_words:
        raise UsageError(f"{corpus.name}: has no words, only places, and {target} needs the text.")
    if target in ("spert", "dygie", "docred", "hipe") and corpus.texts is not None:
        raise UsageError(f"{corpus.name}: has texts, not words, which {target} consists of. Use --to jsonl or brat")
    documents = _split_documents(corpus)
    if target == "brat":
        files = {}
        for document in documents:
            # The name must be a path within the folder, in its shortest form.
            name = document.name
            inside = posixpath.normpath(name) == name and not name.startswith(("/", "../"))
            long = any(len(part.encode()) > _LONGEST for part in name.split("/"))
            if not inside or long or name in ("..", ".") or "\0" in name:
                fact = f"the document {name!r} cannot be the name of a file"
                raise UsageError(f"{corpus.name}: {fact}. Use --to jsonl")
            files[f"{name}.txt"], files[f"{name}.ann"] = _write_brat(document)
    elif target in ("hipe", "neleval"):
        write = _write_hipe if target == "hipe" else _write_neleval
        rows = [row for document in documents for row in write(document)]
        heads = ["\t".join(_HIPE)] if target == "hipe" else []
        files = {"": "".join(f"{row}\n" for row in (*heads, *rows))}
    else:
        writers: dict[str, Callable[[_Document], list[dict[str, Any]]]]
        writers = {"jsonl": partial(_write_json, corpus), "dygie": _write_dygie, "spert": _write_spert}
        writers["docred"] = _write_docred
        values = (value for document in documents for value in writers[target](document))
        texts = [json.dumps(value, ensure_ascii=False) for value in values]
        by_line = target in ("jsonl", "dygie")
        files = {"": "".join(f"{text}\n" for text in texts) if by_line else "[" + ",\n".join(texts) + "]\n"}
    return files, _describe_losses(corpus, documents, target)


def list_losses(target: str, rows: Iterable[tuple[int, str]]) -> list[str]:
    """A sentence for each loss; rows are the number lost and the words after "has no"."""
    return [f"{target} has no {text.replace('{}', f'{number:,}')}" for number, text in rows if number]


def _split_documents(corpus: Corpus) -> list[_Document]:
    """The documents of a corpus, each with the spans of all layers in one list."""
    firsts = [0, corpus.sentences] if corpus.document_starts is None else corpus.document_starts.tolist()
    lengths = np.diff(corpus.starts).tolist() if corpus.texts is None else list(map(len, corpus.texts))
    forms, starts = corpus.forms.strings(), corpus.starts.tolist()
    documents, base = [], []
    for number, (first, end) in enumerate(pairwise(firsts)):
        words = [forms[starts[sentence] : starts[sentence + 1]] for sentence in range(first, end)]
        text = None if corpus.texts is None else "".join(corpus.texts[first:end])
        # Documents without ids are numbered, because their names may be lines that several share.
        name = corpus.document_name(number) if corpus.by_id else str(number + 1)
        short = _PART.fullmatch(name)
        documents.append(_Document(short[1] if short else name, words if text is None else [], text))
        base += [0, *accumulate(lengths[first:end])][:-1]
    owner = corpus.document_of_sentence.tolist()
    numbers: dict[tuple[int, Stretches, str, int], tuple[int, int]] = {}

    def add_spans(spans: Marks, *, listed: bool) -> list[tuple[int, int]]:
        """Add spans to their documents, and return document and number of each; equal spans of two layers are one."""
        times: Counter[tuple[int, Stretches, str]] = Counter()
        places = []
        rows = zip(spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), strict=True)
        for number, ((sentence, begin, end), label) in enumerate(zip(rows, spans.labels.strings(), strict=True)):
            stretches = spans.stretches.get(number, ((begin, end),))
            atoms = tuple((base[sentence] + first, base[sentence] + after) for first, after in stretches)
            key = (owner[sentence], atoms, label)
            times[key] += 1
            document = documents[owner[sentence]]
            if (*key, times[key]) not in numbers:
                within = sentence - firsts[owner[sentence]]
                numbers[(*key, times[key])] = owner[sentence], len(document.mentions)
                document.mentions.append(_Mention(atoms, label, within, listed))
            places.append(numbers[(*key, times[key])])
        return places

    add_spans(corpus.spans, listed=True)
    if "relations" in corpus.marks:
        spans, relations = relations_in(corpus)
        places = add_spans(spans, listed=False)
        for (owned, number), entity in zip(places, () if spans.group is None else spans.group, strict=False):
            documents[owned].mentions[number].entity = int(entity)
        columns = (*(relations.arguments[role] for role in ("head", "tail")), is_symmetric(relations))
        for label, head, tail, symmetric in zip(
            relations.labels.strings(), *(column.tolist() for column in columns), strict=True
        ):
            if places[head][0] != places[tail][0]:
                raise UsageError(f"{corpus.name}: a relation {label} between two documents, which no format allows.")
            documents[places[head][0]].relations.append((label, places[head][1], places[tail][1], symmetric))
    if "links" in corpus.marks:
        spans, candidates = links_in(corpus)
        places = add_spans(spans, listed=True)
        scores = candidates.scores.tolist() or [float("nan")] * len(candidates)
        rows = zip(candidates.arguments["mention"].tolist(), scores, strict=True)
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


def _describe_losses(corpus: Corpus, documents: list[_Document], target: str) -> list[str]:
    """Sentences on everything that the target leaves out, and on what the reader left out or repaired."""
    relations, candidates = relations_in(corpus)[1], links_in(corpus)[1]
    mentions = [mention for document in documents for mention in document.mentions]
    entities = {mention.entity for mention in mentions} - {NONE}
    numbers: Mapping[str, tuple[int, str]] = {
        "scores": (int((~np.isnan(candidates.scores)).sum()), "scores of identifiers: {} left out."),
        "links": (sum(bool(mention.identifiers) for mention in mentions), "links: {} left out."),
        "directions": (int(is_symmetric(relations).sum()), "relations without direction: {} have one now."),
        "entities": (
            len(entities),
            "entities of several mentions: {} left out, and facts are between first mentions.",
        ),
        "relations": (len(relations), "relations: {} left out."),
        "words": (len(corpus), "words: {} left out, places are counted in their document."),
        "chains": (sum(len(document.clusters) for document in documents), "chains: {} left out."),
        "sentences": (corpus.sentences - corpus.documents, "sentences within documents: {} ends left out."),
        "documents": (
            len(documents) if corpus.by_id or corpus.sentences > corpus.documents else 0,
            "documents: the names of {} left out, and a sentence is all by itself.",
        ),
    }
    lost = [name for name in corpus.columns if not corpus.is_empty(name)]
    rows = [*map(numbers.__getitem__, _LEFT_OUT[target]), (len(lost), f"place for {', '.join(lost)}: left out.")]
    losses = list_losses(target, rows)
    extra = sum(not mention.listed and mention.label != "" for mention in mentions)
    if extra and target != "jsonl":
        losses.append(f"{target} has arguments among its spans: {extra:,} that were not are now.")
    for fault, action, number, first in corpus.repairs:
        losses.append(f"{fault}: {number:,} {action} (the first: {first}).")
    for reason, number in Counter(reason for _, _, reason in corpus.left_out).items():
        losses.append(f"documents left out ({reason}): {number:,}.")
    return losses


# --- targets ---

_HIPE = ("TOKEN", "NE-COARSE-LIT", "NEL-LIT", "MISC")


def _write_hipe(document: _Document) -> Iterator[str]:
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


def _write_neleval(document: _Document) -> Iterator[str]:
    """A line for each mention with a link: document, first and last place, and candidates."""
    for mention in document.mentions:
        if not mention.identifiers:
            continue
        if len(mention.atoms) > 1:
            raise UsageError(f"{document.name}: a span has a gap, which neleval has no place for. Use --to jsonl")
        scores = mention.scores or [float("nan")] * len(mention.identifiers)
        cells = [document.name, str(mention.atoms[0][0]), str(mention.atoms[0][1] - 1)]
        for name, score in zip(mention.identifiers, scores, strict=True):
            cells += [name, "" if np.isnan(score) else repr(float(score)), mention.label]
        yield "\t".join(cells)


def _write_brat(document: _Document) -> tuple[str, str]:
    """The text and the annotation."""
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
        covered = " ".join(" ".join(text[first:end].split()) for first, end in parts)
        offsets = ";".join(f"{first} {end}" for first, end in parts)
        lines.append(f"T{number}\t{mention.label} {offsets}\t{covered}")
    directed = 0
    for label, head, tail, symmetric in document.relations:
        _check_brat_label(label, document)
        directed += not symmetric
        start = f"*\t{label} T{head + 1} T{tail + 1}"
        lines.append(start if symmetric else f"R{directed}\t{label} Arg1:T{head + 1} Arg2:T{tail + 1}")
    numbered = enumerate(document.mentions, 1)
    links = [(number, name) for number, mention in numbered for name in mention.identifiers]
    lines += [f"N{count}\tReference T{number} {name}\t{name}" for count, (number, name) in enumerate(links, 1)]
    return text, "".join(f"{line}\n" for line in lines)


def _check_brat_label(label: str, document: _Document) -> None:
    if label.split() != [label]:
        what = f"the label {label!r} has blanks" if label else "a span without a type"
        raise UsageError(f"document {document.name}: {what}, which brat has no place for. Use --to jsonl")


def _write_json(corpus: Corpus, document: _Document) -> list[dict[str, Any]]:
    value: dict[str, Any] = {"id": document.name} if corpus.by_id else {}
    if document.text is not None:
        value["text"] = document.text
    else:
        value["tokens"] = [word for words in document.sentences for word in words]

    def format_span(mention: _Mention) -> dict[str, Any]:
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
            single = len(mention.identifiers) == 1
            more |= {"link": mention.identifiers[0]} if single else {"links": mention.identifiers}
        span = format_span(mention)
        value["spans"].append({**more, **span} if "id" in more else {**span, **more})
    if "relations" in corpus.marks:
        value["relations"] = [
            {"label": label}
            | {
                key: names[number] if number in names else format_span(document.mentions[number])
                for key, number in (("head", head), ("tail", tail))
            }
            | ({"symmetric": True} if symmetric else {})
            for label, head, tail, symmetric in document.relations
        ]
    return [value]


def _find_places(document: _Document, target: str, *, typed: bool = True) -> list[tuple[int, int, int]]:
    """Sentence, first word and end of each mention; UsageError for a mention that the target cannot contain."""
    places = []
    for mention in document.mentions:
        (first, end), *more = mention.atoms
        fault = ""
        if more:
            fault = "a span with gaps"
        elif end > document.starts[mention.sentence + 1]:
            fault = "a span over the end of a sentence"
        elif typed and not mention.label:
            fault = "a span without a type"
        if fault:
            raise UsageError(f"document {document.name}: {fault}, which {target} has no place for. Use --to jsonl")
        start = document.starts[mention.sentence]
        places.append((mention.sentence, first - start, end - start))
    return places


def _write_dygie(document: _Document) -> list[dict[str, Any]]:
    value: dict[str, Any] = {"doc_key": document.name, "sentences": document.sentences}
    value["ner"], value["relations"] = ([[] for _ in document.sentences] for _ in range(2))
    places = _find_places(document, "dygie", typed=False)
    spans = [[document.starts[at] + first, document.starts[at] + end - 1] for at, first, end in places]
    entities: dict[int, list[list[int]]] = {}
    for mention, span in zip(document.mentions, spans, strict=True):
        if mention.label:
            value["ner"][mention.sentence].append([*span, mention.label])
        if mention.entity != NONE:
            entities.setdefault(mention.entity, []).append(span)
    for label, head, tail, _ in document.relations:
        value["relations"][places[head][0]].append([*spans[head], *spans[tail], label])
    if document.clusters or entities:
        value["clusters"] = document.clusters or list(entities.values())
    return [value]


def _write_spert(document: _Document) -> list[dict[str, Any]]:
    """A value for each sentence."""
    values: list[dict[str, Any]]
    values = [{"tokens": words, "entities": [], "relations": []} for words in document.sentences]
    places, numbers = _find_places(document, "spert"), []
    for mention, (sentence, first, end) in zip(document.mentions, places, strict=True):
        numbers.append(len(values[sentence]["entities"]))
        values[sentence]["entities"].append({"type": mention.label, "start": first, "end": end})
    for label, head, tail, _ in document.relations:
        if places[tail][0] != places[head][0]:
            raise UsageError(
                f"document {document.name}: a relation {label} between two sentences, which spert has no place for. "
                "Use --to jsonl"
            )
        relation = {"type": label, "head": numbers[head], "tail": numbers[tail]}
        values[places[head][0]]["relations"].append(relation)
    return values


def _write_docred(document: _Document) -> list[dict[str, Any]]:
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
    labels = [{"h": owners[head], "t": owners[tail], "r": label} for label, head, tail, _ in document.relations]
    return [{"title": document.name, "sents": document.sentences, "vertexSet": vertices, "labels": labels}]
