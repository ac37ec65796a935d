"""Graphs over the words of a sentence, as marks: readers of CoNLL-U's DEPS, SDP and MRP.

`arcs` are marks without a place, with the arguments `dependent` and `head`. Both are nodes: a number below that of
the words of the corpus is a word, `len(corpus) + e` is the empty node e, NONE is the root, whose dependents are the
tops. Nodes and label identify an arc. Cycles, loops, words without arcs and several tops are allowed.
`nodes` are the empty nodes, with their ids as labels; the place of each is the word after it. `predicates` are the
words marked as predicates, with or without arguments; their labels are senses or frames.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from assay.arrays import NONE, Ints, as_codes, numbers_of_runs
from assay.corpus import Column, Corpus, Marks
from assay.formats.builder import Builder, MarkLists, check_choice, refuse_all
from assay.formats.chains import RecordError, check_list, read_records
from assay.formats.columns import CONLLU, first_row
from assay.formats.emptynodes import NODE, find_line_place
from assay.formats.jsontext import json_object, quote
from assay.formats.source import Source

_ARC = re.compile(r"(?:([0-9]{1,9})|([0-9]{1,9}\.[0-9]{1,9})):(.+)", re.DOTALL)
"""A part of a cell of DEPS: the number of a word or the id of an empty node, and the relation, also with colons."""
SDP_LABELS = ("lemma", "tag")
MRP_LABELS = ("lemma", "tag")
SDP_VERSIONS = ("auto", "2014", "2015")
_FLAGS = ("+", "-")
_TOP, _PRED, _FRAME = 4, 5, 6
_MRP = '{"id": "1", "flavor": 0, "input": "She left", "tops": [1], "nodes": […], "edges": […]}'
NO_MARKS = Marks.without_place(np.zeros(0, dtype=np.int64), Column(np.zeros(0, dtype=np.int32), ()))


def find_empty_nodes(corpus: Corpus) -> Marks:
    """The empty nodes of a corpus."""
    return corpus.marks.get("nodes", NO_MARKS)


def find_node_sentences(corpus: Corpus) -> Ints:
    """The sentence of each word, then of each empty node."""
    return np.concatenate([corpus.sentence_of, find_empty_nodes(corpus).unit])


def make_arcs(corpus: Corpus, dependent: Ints, head: Ints, labels: Column) -> Marks:
    """Arcs between nodes of a corpus by dependent, head and label, each once."""
    arcs = Marks.without_place(find_node_sentences(corpus)[dependent], labels, dependent=dependent, head=head)
    return arcs.distinct(dependent, head)


# --- CoNLL-U: the column DEPS and the lines of empty nodes ---


def find_empty_node_lines(corpus: Corpus) -> list[int]:
    """Numbers of the lines of empty nodes among the lines that are not words."""
    return [number for number, line in enumerate(corpus.aside_lines) if NODE.fullmatch(line.partition("\t")[0])]


def read_enhanced_graphs(corpus: Corpus) -> tuple[Corpus, list[tuple[int, str]]]:
    """The corpus with the graphs of its column DEPS, and their faults: sentence, and place with fact.

    An arc that a cell repeats is read once, which is noted. HEAD and DEPREL are not read.
    """
    words, starts = len(corpus), corpus.starts
    named = next((line for _, line in corpus.comments if line.startswith("# global.columns")), "")
    names = named.partition("=")[2].split() or list(CONLLU)
    rows = [(number, corpus.aside_lines[number].split("\t")) for number in find_empty_node_lines(corpus)]
    unit = np.array([corpus.aside_sentences[number] for number, _ in rows], dtype=np.int64)
    before = np.array([corpus.aside_words[number] for number, _ in rows], dtype=np.int64) - starts[unit]
    empties = Marks(unit, before, before, Column.of([cells[0] for _, cells in rows]))
    corpus = corpus.with_marks(nodes=empties)
    codes = {text: code for code, text in enumerate(corpus.column("DEPS").vocabulary)}
    of_empty = as_codes([cells[names.index("DEPS")] for _, cells in rows], codes)
    cells_of = np.concatenate([corpus.column("DEPS").codes, of_empty])
    sentence_of = find_node_sentences(corpus)

    # Each distinct cell is taken apart once: the numbers of heads, or the ids of empty nodes, and relations.
    numbers, dotted, relations, sizes = array("q"), dict[int, str](), list[str](), array("q")
    broken: dict[int, str] = {}
    for code, text in enumerate(codes):
        parts = [] if text in ("_", "") else text.split("|")
        for part in parts:
            match = _ARC.fullmatch(part)
            if match is None:
                broken.setdefault(code, part)
            elif match[2]:
                dotted[len(numbers)] = match[2]
            numbers.append(int(match[1]) if match and match[1] else 0)
            relations.append(match[3] if match else "")
        sizes.append(len(parts))
    parts_of = np.asarray(sizes, dtype=np.int64)
    firsts = np.cumsum(parts_of) - parts_of
    lengths = parts_of[cells_of]
    arcs = numbers_of_runs(firsts[cells_of], lengths)
    dependent = np.repeat(np.arange(len(cells_of)), lengths)
    sentence = sentence_of[dependent]
    number = np.asarray(numbers, dtype=np.int64)[arcs]
    head = np.where(number == 0, NONE, starts[:-1][sentence] + number - 1)
    good = number <= np.diff(starts)[sentence]

    faults: list[tuple[int, str]] = []
    nodes: dict[tuple[int, str], int] = {}
    for node, key in enumerate(zip(unit.tolist(), empties.labels.strings(), strict=True), words):
        if nodes.setdefault(key, node) != node:
            faults.append((node, f"the empty node {key[1]} appears twice. Give each its own id."))
    if dotted:
        for arc in np.flatnonzero(np.isin(arcs, list(dotted))).tolist():
            name = dotted[int(arcs[arc])]
            head[arc] = nodes.get((int(sentence[arc]), name), NONE)
            good[arc] = head[arc] != NONE
            if not good[arc]:
                faults.append((int(dependent[arc]), f"head {name} in DEPS is not an empty node of its sentence."))
    for arc in np.flatnonzero(number > np.diff(starts)[sentence]).tolist():
        size = int(np.diff(starts)[sentence[arc]])
        faults.append((int(dependent[arc]), f"head {number[arc]} in DEPS, in a sentence of {size} words."))
    if broken:
        for node in np.flatnonzero(np.isin(cells_of, list(broken))).tolist():
            part = broken[int(cells_of[node])]
            faults.append((node, f"{part!r} in DEPS, but head:relation is expected, e.g. 3:nsubj|5:nsubj."))
        good &= ~np.isin(cells_of[dependent], list(broken))
    labels = Column.of(relations)
    made = make_arcs(corpus, dependent[good], head[good], Column(labels.codes[arcs[good]], labels.vocabulary))
    if repeated := int(good.sum()) - len(made):
        note = "Arcs that a cell of DEPS has twice, read once: {}."
        corpus = replace(corpus, noted=(*corpus.noted, (note, repeated)))
    lines = []
    for node, fact in sorted(faults):
        place = corpus.place(node) if node < words else find_line_place(corpus, rows[node - words][0])
        lines.append((int(sentence_of[node]), f"{place}: {fact}"))
    return corpus.with_marks(arcs=made), lines


# --- SDP: one column for each predicate ---


def looks_sdp(head: Sequence[str]) -> bool:
    """True if the first line names SDP, or numbered words have flags of tops and predicates in columns 5 and 6."""
    if head[0].startswith("#SDP"):
        return True
    if first_row(head)[0] != "1":
        return False
    lines = [line for line in head if line.strip() and not line.startswith("#")]
    rows = (line.split("\t") for line in lines[: len(lines) - 1] or lines)
    return all(len(row) > _PRED and row[_TOP] in _FLAGS and row[_PRED] in _FLAGS for row in rows)


def read_sdp(source: Source, builder: Builder, *, version: str = "auto") -> None:
    """Read one file of SDP 2014 or 2015; the latter has a column of frames and names itself in its first line."""
    check_choice("version", version, SDP_VERSIONS)
    _open_layers(builder)
    problems: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    for number, line in chain(source.lines(), [(0, "")]):
        if line.startswith("#"):
            if number == 1 and line.startswith("#SDP"):
                declared = line.removeprefix("#SDP").strip()
                version = declared if version == "auto" and declared in SDP_VERSIONS[1:] else version
            elif not rows:
                builder.comments([f"# sent_id = {line[1:].strip()}"], [builder.sentence])
        elif line.strip():
            rows.append((number, line.split("\t")))
        elif rows:
            problems += _add_sdp_graph(rows, version, source.path, builder)
            rows = []
    refuse_all(problems)


def _open_layers(builder: Builder) -> tuple[MarkLists, MarkLists]:
    """The arcs and predicates of the corpus, which has these layers even if they are empty."""
    return builder.layer("arcs", "dependent", "head"), builder.layer("predicates")


def _add_sdp_graph(rows: Sequence[tuple[int, list[str]]], version: str, path: str, builder: Builder) -> list[str]:
    """Add one graph to the builder, or return its faults."""
    predicates = [word for word, (_, cells) in enumerate(rows) if len(cells) > _PRED and cells[_PRED] == "+"]
    fixed = {"2014": _FRAME, "2015": _FRAME + 1}.get(version, len(rows[0][1]) - len(predicates))
    if fixed not in (_FRAME, _FRAME + 1):
        return [
            f"{path}:{rows[0][0]}: {len(rows[0][1])} columns with {len(predicates)} predicates, but SDP has 6 and "
            "one for each predicate (2014), or 7 (2015). Is a + missing under PRED?"
        ]
    problems = []
    width = fixed + len(predicates)
    for word, (number, cells) in enumerate(rows, 1):
        fact = ""
        if len(cells) != width:
            fact = (
                f"{len(cells)} columns, but {width} fit the {len(predicates)} predicates of the sentence. "
                "Is a + under PRED too many or missing?"
            )
        elif cells[0] != str(word):
            fact = f"ID {cells[0]!r}, but {word} comes next. Is a line missing, or a blank line between two graphs?"
        elif not cells[1]:
            fact = "the word is empty. Is a cell missing?"
        elif cells[_TOP] not in _FLAGS or cells[_PRED] not in _FLAGS:
            fact = f"{cells[_TOP]!r} and {cells[_PRED]!r} under TOP and PRED, which are + or -."
        if fact:
            problems.append(f"{path}:{number}: {fact}")
    if problems:
        return problems
    arcs, marked = _open_layers(builder)
    sentence, first = builder.sentence, builder.words
    places = [1, *({"lemma": 2, "tag": 3}[name] for name in builder.names)]
    builder.add([cells[place] for _, cells in rows for place in places], [first + len(rows)], [rows[0][0]])
    for word, (_, cells) in enumerate(rows, first):
        if cells[_TOP] == "+":
            arcs.add(sentence, NONE, NONE, "", word, NONE)
        if cells[_PRED] == "+":
            sense = cells[_FRAME] if fixed > _FRAME else ""
            marked.add(sentence, word - first, word - first + 1, "" if sense == "_" else sense)
    labels = arcs.labels
    arcs.rows.extend(
        number
        for word, (_, cells) in enumerate(rows, first)
        for predicate, label in zip(predicates, cells[fixed:], strict=True)
        if label not in ("_", "")
        for number in (sentence, NONE, NONE, labels[label], word, first + predicate)
    )
    return []


# --- MRP: JSON, a graph per line, nodes with ranges of characters ---


def looks_mrp(head: Sequence[str]) -> bool:
    """True if the first line is an object with a text, and with nodes or edges."""
    first = next((line for line in head if line.strip()), "")
    value = json_object(first)
    if value is None:
        return first.startswith("{") and '"input"' in first and '"flavor"' in first
    return "input" in value and any(key in value for key in ("nodes", "edges", "tops"))


def read_mrp(source: Source, builder: Builder) -> None:
    """Read one file of bilexical graphs (flavour 0): words are the anchors of nodes, and the text between them."""
    _open_layers(builder)
    refuse_all(read_records(source, "graph", _MRP, partial(_add_mrp_graph, builder)))


def _add_mrp_graph(builder: Builder, value: dict[str, Any], number: int) -> None:
    if value.get("flavor", 0) != 0:
        kind = value.get("framework") or "it"
        raise RecordError(
            f"{kind} has flavor {quote(value['flavor'])}: its nodes are not words. Only flavor 0 is read."
        )
    text = value.get("input")
    if not isinstance(text, str) or not text.strip():
        raise RecordError("no text under input, so nodes have no words. mtool --text adds it.")
    nodes: dict[Any, dict[str, Any]] = {}
    ranges: dict[Any, tuple[int, int]] = {}
    for node in _take_list(value, "nodes"):
        if not isinstance(node, dict) or not isinstance(node.get("id"), int | str) or node["id"] in nodes:
            raise RecordError(f"{quote(node)} among nodes, but each is an object with an id of its own.")
        nodes[node["id"]] = node
        ranges[node["id"]] = _read_anchor(node, text)
    # The anchors of nodes are words, and so are the parts of the text between them that white space divides.
    cut = sorted(set(ranges.values()))
    for (_, end), (begin, _) in pairwise(cut):
        if begin < end:
            raise RecordError(
                f"two nodes share the character {begin}, but not all of theirs. Give each its own word."
            )
    if double := len(ranges) - len(cut):
        builder.note("Nodes with the same characters as another, merged with it: {}.", double)
    words: dict[tuple[int, int], str] = {}
    position = 0
    for begin, end in [*cut, (len(text), len(text))]:
        for match in re.finditer(r"\S+", text[position:begin]):
            words[position + match.start(), position + match.end()] = match[0]
        if begin < end:
            words[begin, end] = text[begin:end]
        position = end
    first, sentence = builder.words, builder.sentence
    place = {span: index for index, span in enumerate(words)}
    owner = {span: nodes[name] for name, span in reversed(ranges.items())}
    properties: dict[tuple[int, int], dict[str, str]] = {}
    for span, node in owner.items():
        names, values = (
            [str(item) for item in items] if isinstance(items := node.get(key), list) else []
            for key in ("properties", "values")
        )
        properties[span] = dict(zip(names, values, strict=False))
    flat: list[str] = []
    for span, form in words.items():
        labels = {}
        if span in owner:
            labels = {"lemma": str(owner[span].get("label") or "_"), "tag": properties[span].get("pos", "_")}
        flat += [form, *(labels.get(name, "_") for name in builder.names)]
    edges = [(place[_find_range(top, ranges, "tops")], NONE, "") for top in _take_list(value, "tops")]
    heads: dict[tuple[int, int], None] = {}
    for edge in _take_list(value, "edges"):
        if not isinstance(edge, dict) or "source" not in edge or "target" not in edge:
            raise RecordError(f"{quote(edge)} among edges, but each is an object with source, target and label.")
        head, dependent = (_find_range(edge[end], ranges, "edges") for end in ("source", "target"))
        heads[head] = None
        edges.append((place[dependent], place[head], str(edge.get("label") or "")))
    if value.get("id") is not None:
        builder.comments([f"# sent_id = {value['id']}"], [sentence])
    builder.add(flat, [first + len(words)], [number])
    arcs, predicates = _open_layers(builder)
    for word, above, label in edges:
        arcs.add(sentence, NONE, NONE, label, first + word, NONE if above == NONE else first + above)
    for span in heads:
        predicates.add(sentence, place[span], place[span] + 1, properties[span].get("frame", ""))


def _take_list(value: Mapping[str, Any], key: str) -> list[Any]:
    return [] if value.get(key) is None else check_list(value[key], key)


def _read_anchor(node: Mapping[str, Any], text: str) -> tuple[int, int]:
    """The characters of a node's anchor, without white space at the ends."""
    anchors = node.get("anchors")
    fact = f"node {quote(node['id'])} has anchors {quote(anchors)}"
    if not isinstance(anchors, list) or len(anchors) != 1 or not isinstance(anchors[0], dict):
        raise RecordError(f'{fact}, but a word is one stretch of the text: [{{"from": 0, "to": 3}}].')
    begin, end = anchors[0].get("from"), anchors[0].get("to")
    if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin < end <= len(text)):
        raise RecordError(f"{fact} in a text of {len(text)} characters.")
    form = text[begin:end]
    if not form.strip():
        raise RecordError(f"{fact}, where the text has only white space.")
    return begin + len(form) - len(form.lstrip()), end - len(form) + len(form.rstrip())


def _find_range(node: Any, ranges: Mapping[Any, tuple[int, int]], key: str) -> tuple[int, int]:
    if not isinstance(node, int | str) or node not in ranges:
        raise RecordError(f"{quote(node)} among {key} is not a node of the graph.")
    return ranges[node]
