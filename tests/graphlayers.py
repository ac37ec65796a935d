"""The graph or the roles of a file as plain values, so that two files can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.arrays import NONE
from assay.corpus import Corpus, Marks
from assay.formats import Input
from assay.formats.builder import refuse_all
from assay.formats.columns import ROLES
from assay.formats.graphs import NO_MARKS, find_empty_nodes, read_enhanced_graphs
from assay.formats.roles import HEADS, SPANS, with_roles
from assay.formats.write import convert_file


@dataclass(frozen=True)
class Layer:
    """What a file holds of a graph."""

    words: list[str]
    starts: list[int]
    arcs: list[tuple[int, int, int, str]]
    """Dependent, or first word, end, head and label; a top is called root, whatever its format has."""
    empty: list[tuple[int, int, str]]
    predicates: dict[int, str]


def arcs_of(corpus: Corpus) -> tuple[Marks, Any, Any]:
    """Arcs or roles, with the number of the first word of each and of the one after its last."""
    if "arcs" in corpus.marks:
        arcs = corpus.marks["arcs"]
        return arcs, arcs.arguments["dependent"], arcs.arguments["dependent"] + 1
    roles = corpus.marks["roles"]
    return roles, corpus.words_of(roles), corpus.starts[roles.unit] + roles.end


def layer_of(path: object, form: str | None = None) -> Layer:
    """The layer of a file."""
    item = Input(str(path), input_format=form)
    if item.plan.name in (*HEADS, *SPANS):
        corpus = with_roles(item.read([*item.plan.labels, ROLES]))
    elif "arcs" in item.plan.layers:
        corpus = item.read()
    else:
        corpus, faults = read_enhanced_graphs(item.read())
        refuse_all([line for _, line in faults])
    arcs, first, end = arcs_of(corpus)
    rows = zip(first.tolist(), end.tolist(), arcs.arguments["head"].tolist(), arcs.labels.strings(), strict=True)
    nodes, predicates = find_empty_nodes(corpus), corpus.marks.get("predicates", NO_MARKS)
    empties = zip(nodes.unit.tolist(), nodes.begin.tolist(), nodes.labels.strings(), strict=True)
    return Layer(
        corpus.forms.strings() if corpus.has_words else [],
        corpus.starts.tolist(),
        sorted((*row[:3], "root" if row[2] == NONE and not row[3] else row[3]) for row in rows),
        list(empties),
        dict(zip(corpus.words_of(predicates).tolist(), predicates.labels.strings(), strict=True)),
    )


def roles_in(corpus: Corpus) -> tuple[dict[int, str], list[tuple[int, int, int, str]]]:
    """The senses of predicates by word, and arguments as (first word, end, predicate, role)."""
    roles, first, end = arcs_of(corpus)
    rows = zip(first.tolist(), end.tolist(), roles.arguments["head"].tolist(), roles.labels.strings(), strict=True)
    predicates = corpus.marks["predicates"]
    return dict(zip(corpus.words_of(predicates).tolist(), predicates.labels.strings(), strict=True)), sorted(rows)


def converted(path: object, target: str, form: str | None = None) -> tuple[str, list[str]]:
    """The text in another format, and what is said of it."""
    texts, losses = convert_file(Input(str(path), input_format=form), target, None)
    return texts[""], losses
