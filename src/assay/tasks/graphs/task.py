"""The task of graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints
from assay.corpus import Corpus
from assay.engine.items import Items
from assay.engine.slices import SliceKind, Values
from assay.engine.task import Task
from assay.errors import UsageError
from assay.formats import Input
from assay.formats.graphs import Graph
from assay.result import Result
from assay.tasks.graphs import measures, roles
from assay.tasks.graphs.arcs import Arcs, GraphPair, graph_of
from assay.tasks.graphs.drawing import DRAWING
from assay.tasks.graphs.options import OPTIONS
from assay.tasks.graphs.prepare import DEPS, holds_graphs, prepare_graphs
from assay.tasks.graphs.propositions import ROLE_SLICES, role_measures, shows_roles

ENHANCED = ("elas", "eulas")
SEMANTIC = ("sdp", "sdp-unlabelled")

LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (4, "4"), (9, "5-9"))
Sided = tuple[Ints, Ints, tuple[str, ...]]


def _sided(
    pair: Pair, judged: Items, spec: str, values: Callable[[Arcs, Corpus], Ints], names: Sequence[str]
) -> Sided:
    """A value of the gold arc and of the system's arc of each row, NONE where there is none."""
    layer = pair.layer(GraphPair)
    if layer is None or judged.partner is None:
        raise UsageError(f"--slice {spec} is about arcs of graphs, but none are compared. Say --task graphs")
    codes = []
    for side, corpus, numbers, there in (
        (0, pair.gold, judged.item, judged.has_gold),
        (1, pair.system, judged.partner[0], judged.has_system[0]),
    ):
        arcs, rows = layer.arcs(side, numbers[there])
        code = np.full(len(judged), NONE)
        code[there] = values(arcs, corpus)[rows]
        codes.append(code)
    return codes[0], codes[1], tuple(names)


def _steps(arcs: Arcs, corpus: Corpus) -> Ints:
    """Words from the dependent to the head of each arc, below 0 where the head stands before; 0 for tops."""
    graph = graph_of(corpus)
    place = np.concatenate(
        [np.arange(len(corpus)), corpus.starts[graph.empty_sentence] + graph.empty_behind - 1, [0]]
    )
    return np.where(arcs.top, 0, place[arcs.own_head] - place[arcs.own_dependent])


def _length(pair: Pair, judged: Items, _: str) -> Sided:
    uppers = np.array([upper for upper, _ in LENGTHS])

    def values(arcs: Arcs, corpus: Corpus) -> Ints:
        found = np.searchsorted(uppers, np.abs(_steps(arcs, corpus)), side="left") + 1
        return np.where(arcs.top, 0, found)

    return _sided(pair, judged, "arc-length", values, ["top", *(name for _, name in LENGTHS), "10 or more"])


def _direction(pair: Pair, judged: Items, _: str) -> Sided:
    def values(arcs: Arcs, corpus: Corpus) -> Ints:
        steps = _steps(arcs, corpus)
        return np.where(arcs.top, 0, np.where(steps < 0, 1, np.where(steps > 0, 2, 3)))

    names = ("top", "head to the left", "head to the right", "loop")
    return _sided(pair, judged, "arc-direction", values, names)


def _reentrant(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("one arc in gold", "several in gold")
    return _sided(pair, judged, "reentrant", lambda arcs, corpus: arcs.several.astype(np.int64), names)


def _path(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("between words", "through an empty node")
    return _sided(pair, judged, "empty-path", lambda arcs, corpus: arcs.path.astype(np.int64), names)


def _top(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("between words", "top")
    return _sided(pair, judged, "top", lambda arcs, corpus: arcs.top.astype(np.int64), names)


def _has_empty(gold: Corpus, _: str) -> Values:
    graph = gold.layer(Graph)
    if graph is None:
        raise UsageError("--slice empty-nodes is about graphs, but none are compared. Say --task graphs")
    there = np.bincount(graph.empty_sentence, minlength=gold.sentences) > 0
    return there.astype(np.int64), ("without empty nodes", "with empty nodes")


SLICES = (
    SliceKind("arc-length", "words from head to dependent, tops apart (graphs)", of_sides=_length),
    SliceKind("arc-direction", "top, head to the left or to the right (graphs)", of_sides=_direction),
    SliceKind(
        "reentrant", "arcs of words that have at most one arc in gold, or several (graphs)", of_sides=_reentrant
    ),
    SliceKind("empty-path", "arcs between words, or through empty nodes (graphs)", of_sides=_path),
    SliceKind("top", "tops and other arcs (graphs)", of_sides=_top),
    SliceKind("empty-nodes", "sentences whose gold graph has empty nodes or not", of_sentences=_has_empty),
)


def _present(result: Result) -> Result:
    """The Result with what its confusions mean: answers are arcs, not labels alone; roles are drawn by predicates."""
    remarks = {
        "confusion same": "The same on both sides: the head or the dependent is wrong, or the arc is turned round.",
        "confusion nothing": "∅: the other side has no such arc.",
        "confusion page": "; same label: wrong head or dependent",
    }
    if any(score.measure.startswith("srl") for score in result.scores):
        result = replace(result, drawing="frames")
    return replace(result, remarks=remarks)


def _measures_for(gold: Input | Corpus) -> tuple[str, ...]:
    """The usual measures of what a file holds: semantic roles, enhanced or semantic dependencies."""
    enhanced = DEPS in (gold.columns if isinstance(gold, Corpus) else gold.plan.labels)
    return role_measures(gold) or (ENHANCED if enhanced else SEMANTIC)


TASK = Task(
    name="graphs",
    noun="arc",
    measures=(measures, roles),
    defaults=ENHANCED,
    measures_for=_measures_for,
    agreement=ENHANCED,
    prepare=prepare_graphs,
    recognises=lambda item, options: options.column is None and (holds_graphs(item) or shows_roles(item)),
    options=OPTIONS,
    slices=(*SLICES, *ROLE_SLICES),
    present=_present,
    drawing=DRAWING,
    matched=True,
    whole_sentences=True,
)
