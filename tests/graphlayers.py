"""The graph or the roles of a file as plain values, so that two files can be compared."""

from __future__ import annotations

from dataclasses import dataclass

from assay.arrays import NONE
from assay.formats import Input
from assay.formats.builder import refuse_all
from assay.formats.columns import ROLES
from assay.formats.graphs import Graph, with_enhanced
from assay.formats.roles import HEADS, SPANS, with_roles
from assay.formats.write import convert


@dataclass(frozen=True)
class Layer:
    """What a file holds of a graph."""

    words: list[str]
    starts: list[int]
    arcs: list[tuple[int, int, int, str]]
    """Dependent, or first word, end, head and label; a top is called root, whatever its format has."""
    empty: list[tuple[int, int, str]]
    predicates: dict[int, str]


def layer_of(path: object, form: str | None = None) -> Layer:
    """The layer of a file."""
    item = Input(str(path), input_format=form)
    if item.plan.format in (*HEADS, *SPANS):
        corpus = with_roles(item.read([*item.plan.labels, ROLES]))
    elif item.plan.graphs:
        corpus = item.read()
    else:
        corpus, faults = with_enhanced(item.read())
        refuse_all([f"{fault.place}: {fault.fact}" for fault in faults])
    graph = corpus.layer(Graph)
    assert graph is not None
    first, last = graph.dependent.tolist(), (graph.dependent + 1 if graph.end is None else graph.end).tolist()
    rows = zip(first, last, graph.head.tolist(), graph.labels.strings(), strict=True)
    empties = zip(graph.empty_sentence.tolist(), graph.empty_behind.tolist(), graph.empty_ids, strict=True)
    return Layer(
        corpus.forms.strings() if corpus.has_words else [],
        corpus.starts.tolist(),
        sorted((*row[:3], "root" if row[2] == NONE and not row[3] else row[3]) for row in rows),
        list(empties),
        dict(zip(graph.predicates.tolist(), graph.senses.strings(), strict=True)),
    )


def converted(path: object, target: str, form: str | None = None) -> tuple[str, list[str]]:
    """The text in another format, and what is said of it."""
    texts, losses = convert(Input(str(path), input_format=form), target, None)
    return texts[""], losses
