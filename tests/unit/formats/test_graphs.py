"""Readers of graphs: DEPS with empty nodes, SDP, MRP; every fault by its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.arrays import NONE
from assay.corpus import Corpus
from assay.errors import InputError
from assay.formats import read
from assay.formats.graphs import find_empty_nodes, read_enhanced_graphs

Arcs = set[tuple[str, str, str]]


def conllu(*rows: str) -> str:
    """CoNLL-U from rows of `id form deps`."""
    cells = [row.split() for row in rows]
    return "".join(f"{a}\t{b}\t_\t_\t_\t_\t_\t_\t{c}\t_\n" for a, b, c in cells) + "\n"


def arcs_of(corpus: Corpus) -> Arcs:
    """The arcs as (dependent, head, label), words by their forms, empty nodes by their ids."""
    arcs = corpus.marks["arcs"]
    names = [*corpus.forms.strings(), *find_empty_nodes(corpus).labels.strings()]
    heads = ["ROOT" if head == NONE else names[head] for head in arcs.arguments["head"].tolist()]
    dependents = [names[dependent] for dependent in arcs.arguments["dependent"].tolist()]
    return {*zip(dependents, heads, arcs.labels.strings(), strict=True)}


def deps(tmp_path: Path, text: str) -> tuple[Corpus, list[str]]:
    path = tmp_path / "x.conllu"
    path.write_text(text)
    corpus, faults = read_enhanced_graphs(read(str(path), columns=["DEPS"]))
    return corpus, [line.removeprefix(f"{tmp_path}/") for _, line in faults]


def test_deps_with_empty_nodes_wherever_they_stand(tmp_path: Path) -> None:
    first = conllu(
        "0.1 PRO 2:nsubj", "1-2 ab _", "1 a 2:det|0.1:x:y", "1.1 e 2:e", "2 b 0:root|1.1:conj>nsubj", "2.1 z 2:z"
    )
    corpus, faults = deps(tmp_path, first + conllu("1 c _", "2 d 1:dep"))
    assert faults == []
    assert arcs_of(corpus) == {
        *(("0.1", "b", "nsubj"), ("a", "b", "det"), ("a", "0.1", "x:y"), ("1.1", "b", "e")),
        *(("b", "ROOT", "root"), ("b", "1.1", "conj>nsubj"), ("2.1", "b", "z"), ("d", "c", "dep")),
    }
    nodes = find_empty_nodes(corpus)
    assert nodes.begin.tolist() == [0, 1, 2] and nodes.unit.tolist() == [0, 0, 0]


def test_an_arc_that_a_cell_has_twice_is_read_once_and_noted(tmp_path: Path) -> None:
    corpus, faults = deps(tmp_path, conllu("1 a 2:det|2:det", "2 b 0:root"))
    assert faults == [] and len(arcs_of(corpus)) == 2
    assert corpus.notes == ("Arcs that a cell of DEPS has twice, read once: 1.",)


def test_faults_of_deps_are_named_by_their_line(tmp_path: Path) -> None:
    rows = ["1-2 ab _", "1 a 9:det", "1.1 e 2:e", "1.1 f 8.1:e", "2 b root", "2.1 z 7:z"]
    _, faults = deps(tmp_path, "# c\n" + conllu("1 x 0:root") + conllu(*rows))
    assert faults == [
        "x.conllu:5: head 9 in DEPS, in a sentence of 2 words.",
        "x.conllu:8: 'root' in DEPS, but head:relation is expected, e.g. 3:nsubj|5:nsubj.",
        "x.conllu:7: head 8.1 in DEPS is not an empty node of its sentence.",
        "x.conllu:7: the empty node 1.1 appears twice. Give each its own id.",
        "x.conllu:9: head 7 in DEPS, in a sentence of 2 words.",
    ]


SDP = (
    "#SDP 2015\n#7\n1\tKim\tKim\tNNP\t-\t-\t_\tARG1\tARG1\n2\ttried\ttry\tVBD\t+\t+\tv:e\t_\t_\n"
    "3\tsleep\tsleep\tVB\t-\t+\t_\tARG2\t_\n\n"
)


def written(tmp_path: Path, name: str, text: str) -> Corpus:
    path = tmp_path / name
    path.write_text(text)
    return read(str(path))


def test_sdp_2015_and_2014(tmp_path: Path) -> None:
    corpus = written(tmp_path, "a.sdp", SDP)
    arcs = {("Kim", "tried", "ARG1"), ("Kim", "sleep", "ARG1"), ("sleep", "tried", "ARG2"), ("tried", "ROOT", "")}
    assert arcs_of(corpus) == arcs and corpus.format == "sdp" and corpus.sentence_ids == ("7",)
    predicates = corpus.marks["predicates"]
    assert predicates.begin.tolist() == [1, 2] and predicates.labels.strings() == ["v:e", ""]
    rows = [line.split("\t") for line in SDP.splitlines()[1:]]
    old = "\n".join("\t".join([*row[:6], *row[7:]]) for row in rows) + "\n"
    again = written(tmp_path, "b.sdp", old)
    assert arcs_of(again) == arcs and again.column("tag").strings() == ["NNP", "VBD", "VB"]


WIDTH = "the 2 predicates of the sentence. Is a + under PRED too many or missing?"
LINE = "Is a line missing, or a blank line between two graphs?"
STRETCH = 'but a word is one stretch of the text: [{"from": 0, "to": 3}].'
SHARED = "but not all of theirs. Give each its own word."


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\tARG2\t_", "\tARG2", f"5: 8 columns, but 9 fit {WIDTH}"),
        ("3\tsleep\t", "4\tsleep\t", f"5: ID '4', but 3 comes next. {LINE}"),
        ("VBD\t+\t+", "VBD\t*\t+", "4: '*' and '+' under TOP and PRED, which are + or -."),
        ("1\tKim", "1\t", "3: the word is empty. Is a cell missing?"),
    ],
)  # fmt: skip
def test_faults_of_sdp(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        written(tmp_path, "a.sdp", SDP.replace(old, new))
    assert str(error.value) == f"{tmp_path}/a.sdp:{said}"


def node(name: int, begin: int, end: int, **more: object) -> dict[str, object]:
    return {"id": name, "anchors": [{"from": begin, "to": end}], **more}


GRAPH = {
    "id": "g1",
    "flavor": 0,
    "input": "Kim don't sleep.",
    "tops": [2],
    "nodes": [
        node(0, 0, 3),
        node(1, 6, 9, label="not"),
        node(2, 10, 15, properties=["pos", "frame"], values=["VB", "v"]),
    ],
    "edges": [{"source": 2, "target": 0, "label": "ARG1"}, {"source": 1, "target": 2, "label": "neg"}],
}


def test_mrp_words_are_the_anchors_and_the_text_between(tmp_path: Path) -> None:
    corpus = written(tmp_path, "a.mrp", json.dumps(GRAPH) + "\n")
    assert corpus.forms.strings() == ["Kim", "do", "n't", "sleep", "."]
    assert arcs_of(corpus) == {("sleep", "ROOT", ""), ("Kim", "sleep", "ARG1"), ("sleep", "n't", "neg")}
    assert corpus.column("tag").strings() == ["_", "_", "_", "VB", "_"]
    same = {**GRAPH, "nodes": [node(0, 0, 3), node(1, 0, 3), node(2, 10, 15)]}
    again = written(tmp_path, "b.mrp", json.dumps(same))
    assert arcs_of(again) == {("sleep", "ROOT", ""), ("Kim", "sleep", "ARG1"), ("sleep", "Kim", "neg")}
    assert again.notes == ("Nodes with the same characters as another, merged with it: 1.",)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"flavor": 1, "framework": "eds"}, "eds has flavor 1: its nodes are not words. Only flavor 0 is read."),
        ({"input": ""}, "no text under input, so nodes have no words. mtool --text adds it."),
        ({"tops": [9]}, "9 among tops is not a node of the graph."),
        ({"nodes": [{"id": 0}]}, f"node 0 has anchors null, {STRETCH}"),
        ({"nodes": [node(0, 0, 3), node(1, 2, 9)]}, f"two nodes share the character 2, {SHARED}"),
        ({"nodes": [node(0, 0, 99)]}, 'node 0 has anchors [{"from": 0, "to": 99}] in a text of 16 characters.'),
        ({"edges": [1]}, "1 among edges, but each is an object with source, target and label."),
        ({"edges": 3}, "edges is 3, but a list is expected."),
    ],
)  # fmt: skip
def test_faults_of_mrp(tmp_path: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as error:
        written(tmp_path, "a.mrp", json.dumps({**GRAPH, **change}))
    assert str(error.value) == f"{tmp_path}/a.mrp:1: {said}"
