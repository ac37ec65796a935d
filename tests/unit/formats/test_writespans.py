"""Spans, relations and links are written so that they are read back as they were; what has no place is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from assay.formats import Input, read
from assay.formats.relations import links_in
from assay.formats.write import convert_file
from cases import each
from commands import call
from fuzz.seeds import DYGIE as CHAINED
from unit.formats.test_brat import SPANS, TEXT
from unit.formats.test_extraction import DOCRED, DYGIE
from unit.samples import linked, placed, refusal, related

BRAT = SPANS + "R1\tin Arg1:T1 Arg2:T3\n*\tsame T1 T2\nN1\tRef T3 W:Q1\tx\nN2\tRef T3 W:Q2\tx\nN3\tRef T1 NIL\tx\n"
TOKENS = {
    "id": "a",
    "tokens": ["Ann", "left", "Rome", "today"],
    "spans": [
        {"start": 0, "end": 1, "label": "PER", "links": [{"id": "Q1", "score": 0.5}, "Q2"]},
        {"fragments": [[2, 3], [3, 4]], "label": "LOC", "link": "Q3"},
        {"fragments": [[0, 1], [2, 3]], "label": "X", "links": []},
        {"start": 0, "end": 1, "label": "PER"},
    ],
    "relations": [
        {"label": "r s", "head": 0, "tail": 1},
        {"label": "t", "head": 3, "tail": {"start": 1, "end": 2}, "symmetric": True},
        {"label": "u", "head": 1, "tail": {"start": 1, "end": 3, "label": "Y"}},
    ],
}
SPERT = {
    "tokens": ["Ann", "left", "Rome"],
    "entities": [{"type": "P", "start": 0, "end": 1}, {"type": "L", "start": 2, "end": 3}],
    "relations": [{"type": "r", "head": 1, "tail": 0}],
}


@pytest.fixture
def sources(file):
    """Files with spans, relations and links, by format."""
    file("a.txt", TEXT), file("a.ann", BRAT)
    file("d/b.txt", "\nOne.\nTwo\n\nlines."), file("d/b.ann", "T1\tX 6 16\tTwo lines\n"), file("d/sub/c.txt", "Ann")
    file("d/sub/c.ann", "")
    file("tokens.jsonl", json.dumps(TOKENS) + "\n")
    file("text.jsonl", json.dumps({"text": TEXT, "spans": [[0, 6, "P Q"]]}) + "\n")
    file("spert.json", json.dumps([SPERT, {**SPERT, "relations": []}]))
    file("dygie.jsonl", json.dumps(DYGIE) + "\n")
    file("chained.jsonl", CHAINED)
    file("docred.json", json.dumps([DOCRED, {**DOCRED, "title": "d2"}]))


def converted(name: str, target: str, **options: str) -> tuple[str, list[str]]:
    """The name under which the file is written, and what is said."""
    texts, losses = convert_file(Input(name, **options), target, None)
    if "" in texts:
        Path("out").write_text(texts[""], "utf-8")
        return "out", losses
    shutil.rmtree("out.d", ignore_errors=True)
    for path, text in texts.items():
        place = Path("out.d", path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return "out.d", losses


def content(corpus):
    """All that is to stay as it was, relations in any order."""
    chains = corpus.marks.get("mentions")
    scores = str(links_in(corpus)[1].scores.tolist())
    mentions = None if chains is None else [chains.unit.tolist(), chains.begin.tolist(), chains.group.tolist()]
    return placed(corpus), sorted(related(corpus)), linked(corpus), scores, mentions, corpus.texts


KEPT = [
    ("a.ann", "brat"),
    ("a.ann", "jsonl"),
    ("d", "brat"),
    ("d", "jsonl"),
    ("text.jsonl", "jsonl"),
    ("tokens.jsonl", "jsonl"),
    ("spert.json", "jsonl"),
    ("spert.json", "spert"),
    ("spert.json", "dygie"),
    ("dygie.jsonl", "dygie"),
    ("chained.jsonl", "dygie"),
    ("docred.json", "docred"),
]


@each("name, target", KEPT)
def test_what_is_written_is_read_back_as_it_was(sources, name, target):
    before = read(name)
    written, losses = converted(name, target)
    after = read(written)
    assert content(after) == content(before)
    assert not before.by_id or after.document_ids == before.document_ids
    assert losses == []


def test_entities_stay_what_they_are(sources):
    name, _ = converted("docred.json", "docred")
    assert read(name).marks["arguments"].group.tolist() == read("docred.json").marks["arguments"].group.tolist()


def test_words_become_a_text_with_a_sentence_in_each_line(sources):
    name, losses = converted("docred.json", "brat")
    corpus = read(name, input_format="brat(units=lines)")
    assert corpus.texts[:2] == ("Ann Lee left\n", "She saw Rome\n")
    assert placed(corpus)[:3] == [(0, "PER", [(0, 7)]), (1, "PER", [(0, 3)]), (1, "LOC", [(8, 12)])]
    assert related(corpus)[0] == ("P1", (0, "PER", [(0, 7)]), (1, "LOC", [(8, 12)]))
    assert losses == [
        "brat has no entities of several mentions; left out: 4. Facts are between first mentions."
    ]


LOST = {
    ("docred.json", "jsonl"): [
        "jsonl has no sentences within documents; ends left out: 2.",
        "jsonl has no entities of several mentions; left out: 4. Facts are between first mentions.",
    ],
    ("docred.json", "dygie"): [],
    ("chained.jsonl", "jsonl"): [
        "jsonl has no sentences within documents; ends left out: 1.",
        "jsonl has no chains; left out: 1.",
    ],
    ("linked.jsonl", "dygie"): [
        "dygie has no relations without direction; these (1) now have one.",
        "dygie has no links; left out: 2.",
    ],
    ("linked.jsonl", "spert"): [
        "spert has no documents; names left out: 1. Each sentence is separate.",
        "spert has no relations without direction; these (1) now have one.",
        "spert has no links; left out: 2.",
    ],
    ("linked.jsonl", "brat"): ["brat has no scores of identifiers; left out: 1."],
    ("inline.jsonl", "docred"): ["docred lists arguments among its spans; added: 1."],
}


@each("case, said", LOST.items())
def test_what_has_no_place_is_said(sources, file, case, said):
    spans = [{**TOKENS["spans"][0]}, {"start": 2, "end": 3, "label": "LOC", "link": "Q3"}]
    relation = {"label": "r", "head": 0, "tail": 1, "symmetric": True}
    file("linked.jsonl", json.dumps({**TOKENS, "spans": spans, "relations": [relation]}))
    inline = {"label": "r", "head": 0, "tail": {"start": 1, "end": 2, "label": "Y"}}
    plain = [{"start": 0, "end": 1, "label": "PER"}]
    file("inline.jsonl", json.dumps({**TOKENS, "spans": plain, "relations": [inline]}))
    assert converted(*case)[1] == said


NO_FILES = {"up": "../x", "here": "./x", "twice": "a//b", "nul": "a\0b", "long": "x" * 300}
REFUSED = {
    ("a.ann", "dygie"): "a.ann: has texts, not words, which dygie consists of. Use --to jsonl or brat",
    ("tokens.jsonl", "dygie"): "document a: a span with gaps, which dygie has no place for. Use --to jsonl",
    ("text.jsonl", "brat"): "document 1: the label 'P Q' has blanks, which brat has no place for. Use --to jsonl",
    ("dygie.jsonl", "brat"): "document d1: a span without a type, which brat has no place for. Use --to jsonl",
    ("dygie.jsonl", "spert"): "document d1: a span without a type, which spert has no place for. Use --to jsonl",
    ("docred.json", "spert"): "document d1: a relation P1 between two sentences, which spert has no place for. "
    "Use --to jsonl",
    **{
        (f"{name}.jsonl", "brat"): f"{name}.jsonl: the document {one!r} cannot be the name of a file. Use --to jsonl"
        for name, one in NO_FILES.items()
    },
    ("words.tsv", "jsonl"): "words.tsv: has no spans, which jsonl consists of.",
    ("a.spans", "jsonl"): "a.spans: has no words, only places, and jsonl needs the text.",
    ("a.ann", "yaml"): "there is no format 'yaml'. Available: conllu, conllx, conll, tsv, slash, sdp, mrp, conll09, "
    "… All: assay convert --help",
}


@each("case, message", REFUSED.items())
def test_what_cannot_be_held_is_refused(sources, file, case, message):
    file("words.tsv", "The\tDT\nend\tNN\n")
    file("a.spans", "PER\t1\t2\t1, 2\n")
    for name, one in NO_FILES.items():
        documents = ({"id": given, "text": "a", "spans": []} for given in ("x", one))
        file(f"{name}.jsonl", "".join(json.dumps(document) + "\n" for document in documents))
    assert refusal(convert_file, Input(case[0]), case[1], None) == message


def test_nothing_is_written_where_a_file_would_be_a_folder_too(file):
    documents = ({"id": name, "text": "a", "spans": []} for name in ("x", "x.ann/y"))
    name = file("in.jsonl", "".join(json.dumps(document) + "\n" for document in documents))
    done = call("convert", name, "--to", "brat", "-o", "new", folder=Path.cwd())
    fact = "one document needs a file of this name, another a folder."
    assert (done.returncode, done.stderr) == (2, f"assay: new/x.ann: {fact}\n")
    assert not Path("new").exists()


def test_a_file_is_written_without_its_faults_or_for_one_annotator(file):
    file("f.txt", "Ann left")
    name = file("f.ann", "T1\tPER 0 4\tAnn \n")
    here = Path.cwd()
    done = call("convert", name, "--repair", "mend", "-o", "g.ann", folder=here)
    fault = "warning: white space at the ends: 1 mended (the first: f.ann:1: T1).\n"
    assert (done.returncode, done.stderr, Path("g.ann").read_text()) == (0, fault, "T1\tPER 0 3\tAnn\n")
    people = [{"completed_by": who, "result": [{"value": {"start": 0, "end": 3, "labels": [who]}}]} for who in "AB"]
    tasks = [{"id": 1, "data": {"text": "Ann"}, "annotations": people}, {"id": 2, "data": {"text": "Bo"}}]
    done = call("convert", file("t.json", json.dumps(tasks)), "--which", "B", "--to", "jsonl", folder=here)
    spans = [{"start": 0, "end": 3, "label": "B"}]
    assert json.loads(done.stdout) == {"id": "1", "text": "Ann", "spans": spans}
    assert done.stderr == "warning: 1 document was left out (not annotated).\n"


def test_the_command_writes_a_folder_or_two_files_of_brat(sources):
    here = Path.cwd()
    done = call("convert", "d", "--to", "brat", "-o", "new", folder=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert content(read("new")) == content(read("d"))
    assert call("convert", "a.ann", "--to", "brat", "-o", "b.ann", folder=here).returncode == 0
    assert content(read("b.ann")) == content(read("a.ann"))
    again = call("convert", "a.ann", "--to", "brat", "-o", "b.ann", folder=here)
    assert (again.returncode, again.stderr) == (
        2,
        "assay: b.txt: already exists. Choose another name.\n",
    )
    nowhere = call("convert", "d", "--to", "brat", folder=here)
    assert (nowhere.returncode, nowhere.stderr) == (2, "assay: the output has 4 files. Give a folder: -o FOLDER\n")
    labels = call("convert", "d", "--to", "jsonl", "--column", "2", folder=here)
    assert labels.returncode == 2


def test_many_spans_are_written_in_time_that_grows_with_them(file):
    size = 3000
    spans = [{"start": 4 * number, "end": 4 * number + 3, "label": "X"} for number in range(size)]
    relations = [{"label": "r", "head": number, "tail": (7 * number) % size} for number in range(size)]
    file("a.jsonl", json.dumps({"text": "abc " * size, "spans": spans, "relations": relations}))
    found = read(converted("a.jsonl", "jsonl")[0]).marks["relations"].arguments
    assert np.array_equal(found["tail"], (7 * found["head"]) % size)
