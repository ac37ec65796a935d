"""Property of writers: what is written reads back as the same documents, spans, relations, links and metadata."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.formats import Input, from_documents
from assay.formats.schemes import spans_from_tags
from assay.formats.spandocuments import split_documents
from assay.formats.whose import Asked
from assay.formats.writespans import write_spans

PIECES = ("Zoë", "😀", "in", "Łódź.", "東京", "x_y", "[a]", "b\\c", "and")
KEPT = {
    "jsonl": "ids metadata links candidates relations symmetric nesting gaps scores lines",
    "labelstudio": "ids metadata relations symmetric nesting scores lines",
    "prodigy": "ids metadata links candidates relations symmetric nesting scores lines",
    "argilla": "ids metadata nesting scores all lines",
    "doccano": "ids metadata relations nesting lines",
    "gliner": "ids metadata relations nesting lines",
    "tuples": "lines",
    "bioc": "ids metadata links relations nesting gaps lines",
    "pubtator": "ids links nesting",
    "webanno": "ids links relations nesting lines",
    "cas": "ids links relations nesting lines",
    "hf": "ids metadata lines",
}
"""What each target has a place for."""
if find_spec("spacy"):
    KEPT["docbin"] = "nesting lines"
ENDINGS = {
    "jsonl": ".jsonl",
    "doccano": ".jsonl",
    "prodigy": ".jsonl",
    "hf": ".jsonl",
    "pubtator": ".txt",
    "docbin": ".spacy",
}


@st.composite
def documents(draw: Any) -> list[dict[str, Any]]:
    """Documents with everything that any target has a place for."""
    found = []
    for number in range(draw(st.integers(1, 3))):
        words = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6))
        text = words[0] + "".join(draw(st.sampled_from(("", " ", "  ", "\n"))) + word for word in words[1:])
        places = [place for place, character in enumerate(text) if not character.isspace()]
        spans = []
        for name in range(draw(st.integers(0, 4))):
            first, *more = sorted({*draw(st.lists(st.sampled_from(places), min_size=1, max_size=3))})
            parts = [[first, first + 1], *([place, place + 1] for place in more)]
            span: dict[str, Any] = {
                "id": f"T{name}",
                "label": draw(st.sampled_from(("PER", "A_B", "C d"))),
                "parts": parts,
            }
            span["links"] = draw(st.lists(st.sampled_from(("Q1", "D|2", "NIL")), max_size=2, unique=True))
            if draw(st.booleans()):
                span["score"] = draw(st.sampled_from((0.25, 1)))
            spans.append(span)
        ends = st.sampled_from(range(len(spans))) if spans else st.nothing()
        rows = st.tuples(st.sampled_from(("in", "of")), ends, ends, st.booleans())
        relations = draw(st.lists(rows, max_size=2)) if spans else []
        meta = draw(
            st.dictionaries(st.sampled_from(("genre", "src.site", "label")), st.sampled_from(("a b", "7", "x")))
        )
        found.append({"id": f"d{number}", "text": text, "spans": spans, "relations": relations, "meta": meta})
    return found


def restrict(document: dict[str, Any], kept: str) -> dict[str, Any]:
    """The document with what the target has a place for, as our JSON writes it."""
    spans, numbers, taken = [], {}, set[int]()
    for number, given_span in enumerate(document["spans"]):
        parts = given_span["parts"] if "gaps" in kept else [[given_span["parts"][0][0], given_span["parts"][-1][1]]]
        covered = {place for start, end in parts for place in range(start, end)}
        key = (str(parts), given_span["label"])
        if ("nesting" not in kept and covered & taken) or any(key == known for known, _ in spans):
            continue
        taken |= covered
        numbers[number] = len(spans)
        span = {"id": given_span["id"], "label": given_span["label"], "fragments": parts}
        if given_span["links"] and "links" in kept:
            span["links"] = given_span["links"][: None if "candidates" in kept else 1]
        if "scores" in kept and ("score" in given_span or "all" in kept):
            span["score"] = given_span.get("score", 0.5)
        spans.append((key, span))
    relations = [
        {"label": label, "head": f"T{head}", "tail": f"T{tail}", "symmetric": symmetric and "symmetric" in kept}
        for label, head, tail, symmetric in document["relations"]
        if "relations" in kept and {head, tail} <= numbers.keys()
    ]
    text = document["text"] if "lines" in kept else document["text"].replace("\n", " ")
    value = {"text": text, "spans": [span for _, span in spans], "relations": relations}
    value |= {"id": document["id"]} if "ids" in kept else {}
    return value | ({"meta": document["meta"]} if "metadata" in kept else {})


def describe(document: Any, words: bool) -> tuple[Any, ...]:
    """What a document is, with places in the text or, if it has words, in its characters without white space."""
    whole = document.whole
    before = [len("".join(whole[:place].split())) if words else place for place in range(len(whole) + 1)]

    def show(mention: Any) -> tuple[Any, ...]:
        places = tuple((before[start], before[end]) for start, end in document.places_in_text(mention))
        return places, mention.label, tuple(mention.identifiers), repr(mention.score)

    shown = [show(mention) for mention in document.mentions]
    relations = sorted((row[0], shown[row[1]], shown[row[2]], row[3]) for row in document.relations)
    text = "".join(whole.split()) if words else whole
    metadata = {key: str(value) for key, value in document.metadata.items()}
    return document.name if document.by_id else "", text, sorted(shown), relations, metadata


@settings(max_examples=12)
@given(documents())
def test_what_is_written_reads_back_as_the_same(given_documents: list[dict[str, Any]]) -> None:
    for target, kept in KEPT.items():
        corpus = from_documents([restrict(document, kept) for document in given_documents])
        files, _ = write_spans(corpus, target)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name or f"all{ENDINGS.get(target, '.json')}")
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
            place = folder if "" not in files else str(path)
            again = Input(place, asked=Asked(is_system=True)).read()
        if target == "hf":
            again, _ = spans_from_tags(again, ["ner_tags"], "iob2")
        words = corpus.texts is not None and again.texts is None
        found, expected = ([describe(one, words) for one in split_documents(each)] for each in (again, corpus))
        assert found == expected, target
