"""Ways to cut graphs: by their arcs, by predicates and arguments, by sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, as_codes
from assay.corpus import Corpus
from assay.engine.items import Items
from assay.engine.slices import SliceKind, Values
from assay.engine.treebanks import with_heads
from assay.errors import UsageError
from assay.formats.graphs import Graph
from assay.tasks.graphs import roles
from assay.tasks.graphs.arcs import PREDICATE, TOP, WHOLE_KINDS, Arcs, GraphPair, graph_of
from assay.tasks.graphs.measures import TAG
from assay.tasks.graphs.roles import is_core, role_sides

LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (4, "4"), (9, "5-9"))
LONGER = "10 or more"
ENHANCED_ONLY = "enhanced-only"
"""The slice that needs trees …"""
PREDICATE_TAG = "predicate-tag"
"""… and the one that needs tags."""

Sided = tuple[Ints, Ints, tuple[str, ...]]
"""The value of each row on gold's side and on the system's, NONE where there is none; and what values stand for."""


def _lengths(distance: Ints) -> Ints:
    """The class of a distance in words (or of a number of others), from 1 on."""
    return 1 + np.searchsorted([upper for upper, _ in LENGTHS], np.abs(distance), side="left")


# --- by arcs ---


def _by_arcs(
    pair: Pair, judged: Items, spec: str, values: Callable[[Arcs, Corpus], Ints], names: Sequence[str]
) -> Sided:
    """A slice by a value of arcs, each side's by its own."""
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


def _arc_length(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("top", *(name for _, name in LENGTHS), LONGER)
    return _by_arcs(
        pair,
        judged,
        "arc-length",
        lambda arcs, corpus: np.where(arcs.top, 0, _lengths(_steps(arcs, corpus))),
        names,
    )


def _arc_direction(pair: Pair, judged: Items, _: str) -> Sided:
    def values(arcs: Arcs, corpus: Corpus) -> Ints:
        steps = _steps(arcs, corpus)
        return np.where(arcs.top, 0, np.where(steps < 0, 1, np.where(steps > 0, 2, 3)))

    names = ("top", "head to the left", "head to the right", "loop")
    return _by_arcs(pair, judged, "arc-direction", values, names)


def _reentrant(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("one arc in gold", "several in gold")
    return _by_arcs(pair, judged, "reentrant", lambda arcs, corpus: arcs.several.astype(np.int64), names)


def _enhanced_only(pair: Pair, judged: Items, _: str) -> Sided:
    def values(arcs: Arcs, corpus: Corpus) -> Ints:
        if not {"HEAD", "DEPREL"} <= set(corpus.columns):
            raise UsageError(f"--slice {ENHANCED_ONLY}: {corpus.name} has no trees (HEAD, DEPREL) to tell by.")
        heads = with_heads(corpus, "HEAD")[0].heads
        assert heads is not None
        of_word = arcs.own_dependent < len(corpus)
        in_tree = of_word & (heads[np.where(of_word, arcs.own_dependent, 0)] == arcs.own_head) & ~arcs.path
        return np.where(in_tree, 0, 1)

    return _by_arcs(pair, judged, ENHANCED_ONLY, values, ("in the tree", "enhanced only"))


def _empty_path(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("between words", "through an empty node")
    return _by_arcs(pair, judged, "empty-path", lambda arcs, corpus: arcs.path.astype(np.int64), names)


def _top(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("between words", "top")
    return _by_arcs(pair, judged, "top", lambda arcs, corpus: arcs.top.astype(np.int64), names)


# --- by predicates and arguments ---


def _check_roles(judged: Items, spec: str) -> None:
    if judged.kinds not in (roles.KINDS, roles.SPAN_KINDS, WHOLE_KINDS) or judged.partner is None:
        raise UsageError(f"--slice {spec} is about semantic roles, which are not compared here.")


def _by_roles(
    judged: Items, spec: str, values: tuple[Ints, Ints], names: Sequence[str], *, labels: bool = False
) -> Sided:
    """A slice by a value of the items of each side by number or, with `labels`, of the labels of both."""
    _check_roles(judged, spec)
    assert judged.partner is not None
    codes = []
    sides = (
        (judged.has_gold, judged.gold if labels else judged.item),
        (judged.has_system[0], judged.answer[0] if labels else judged.partner[0]),
    )
    for own, (there, numbers) in zip(values, sides, strict=True):
        code = np.full(len(judged), NONE, dtype=np.int64)
        code[there] = own[numbers[there]]
        codes.append(code)
    return codes[0], codes[1], tuple(names)


def _ends(corpus: Corpus) -> tuple[Ints, Ints]:
    """The predicate and the (first word of the) argument of each item, for predicates NONE."""
    graph = graph_of(corpus)
    nothing = np.full(len(graph.predicates), NONE)
    return np.concatenate([graph.head, graph.predicates]), np.concatenate([graph.dependent, nothing])


def _role(pair: Pair, judged: Items, _: str) -> Sided:
    def plain(role: str) -> str:
        while role[:2] in ("C-", "R-"):
            role = role[2:]
        return role

    known: dict[str, int] = {}
    codes = as_codes([plain(role) for role in judged.labels], known)
    return _by_roles(judged, "role", (codes, codes), tuple(known), labels=True)


def _role_kind(pair: Pair, judged: Items, _: str) -> Sided:
    codes = np.array([2 if one == PREDICATE else 1 - int(is_core(one)) for one in judged.labels], dtype=np.int64)
    return _by_roles(judged, "role-kind", (codes, codes), ("core", "contextual", PREDICATE), labels=True)


def _role_prefix(pair: Pair, judged: Items, _: str) -> Sided:
    names = ("neither", "C-", "R-", PREDICATE)
    found = [one if one == PREDICATE else one[:2] for one in judged.labels]
    codes = np.array([names.index(one) if one in names else 0 for one in found], dtype=np.int64)
    return _by_roles(judged, "role-prefix", (codes, codes), names, labels=True)


def _predicate_tag(pair: Pair, judged: Items, _: str) -> Sided:
    known: dict[str, int] = {TOP: 0}
    tags: list[Ints] = []
    for corpus in (pair.gold, pair.system):
        if TAG not in corpus.columns:
            raise UsageError(f"--slice {PREDICATE_TAG}: {corpus.name} has no tags of words.")
        # Words alone are tagged; an empty node has no tag.
        own = as_codes(corpus.column(TAG).vocabulary, known)[corpus.column(TAG).codes]
        empty = len(graph_of(corpus).empty_ids)
        tags.append(np.concatenate([own, np.full(empty, known.setdefault("empty node", len(known)) if empty else 0)]))
    if pair.layer(GraphPair) is None:
        values = [tags[side][_ends(corpus)[0]] for side, corpus in enumerate((pair.gold, pair.system))]
        return _by_roles(judged, PREDICATE_TAG, (values[0], values[1]), tuple(known))

    def of_arcs(arcs: Arcs, corpus: Corpus) -> Ints:
        # Where predicates are the items, each is an arc from the root.
        own, whole = tags[int(corpus is not pair.gold)], judged.kinds == WHOLE_KINDS
        return own[arcs.own_dependent] if whole else np.where(arcs.top, 0, own[arcs.own_head])

    return _by_arcs(pair, judged, PREDICATE_TAG, of_arcs, tuple(known))


def _argument_distance(pair: Pair, judged: Items, _: str) -> Sided:
    _check_roles(judged, "argument-distance")
    values = []
    for corpus in (pair.gold, pair.system):
        predicate, argument = _ends(corpus)
        values.append(np.where(argument == NONE, 0, _lengths(predicate - argument)))
    names = (PREDICATE, *(name for _, name in LENGTHS), LONGER)
    return _by_roles(judged, "argument-distance", (values[0], values[1]), names)


def _discontinuous(pair: Pair, judged: Items, _: str) -> Sided:
    if pair.layer(GraphPair) is not None:
        raise UsageError("--slice discontinuous is about semantic roles, which are not compared here.")
    _check_roles(judged, "discontinuous")
    spans = any(graph_of(corpus).begin is not None for corpus in (pair.gold, pair.system))
    both = role_sides(pair, spans=spans, join=True)
    values = []
    for corpus, side in ((pair.gold, both.gold), (pair.system, both.system)):
        graph = graph_of(corpus)
        code = np.zeros(len(graph) + len(graph.predicates), dtype=np.int64)
        code[side.item] = [int(len(place) > 1) for place in side.place]
        code[len(graph) :] = 2
        values.append(code)
    names = ("in one piece", "discontinuous", PREDICATE)
    gold, system = _by_roles(judged, "discontinuous", (values[0], values[1]), names)[:2]
    # What is right lies where gold's does, also where C- is an argument of its own that only one side has.
    return gold, np.where(judged.right[0], gold, system), names


# --- by sentences ---


def _graph(gold: Corpus, spec: str) -> Graph:
    graph = gold.layer(Graph)
    if graph is None:
        raise UsageError(f"--slice {spec} is about graphs, but none are compared. Say --task graphs")
    return graph


def _empty_nodes(gold: Corpus, _: str) -> Values:
    there = np.bincount(_graph(gold, "empty-nodes").empty_sentence, minlength=gold.sentences) > 0
    return there.astype(np.int64), ("without empty nodes", "with empty nodes")


def has_cycle(gold: Corpus, graph: Graph) -> Bools:
    """Mask of the sentences in whose graphs some way along arcs leads back to where it began."""
    sentence_of = np.concatenate([gold.sentence_of, graph.empty_sentence])
    left = np.flatnonzero(graph.head != NONE)
    while True:
        # Arcs from nodes that no arc leads to any more are in no cycle.
        reached = np.zeros(len(sentence_of), dtype=bool)
        reached[graph.dependent[left]] = True
        kept = left[reached[graph.head[left]]]
        if len(kept) == len(left):
            return np.asarray(np.bincount(sentence_of[graph.dependent[left]], minlength=gold.sentences) > 0)
        left = kept


def _cycle(gold: Corpus, _: str) -> Values:
    return has_cycle(gold, _graph(gold, "cycle")).astype(np.int64), ("without a cycle", "with a cycle")


def _predicates(gold: Corpus, _: str) -> Values:
    graph = _graph(gold, "predicates")
    if not len(graph.predicates):
        raise UsageError(f"--slice predicates: {gold.name} has no predicates.")
    of_words = graph.predicates[graph.predicates < len(gold)]
    number = np.bincount(gold.sentence_of[of_words], minlength=gold.sentences)
    return np.where(number == 0, 0, _lengths(number)), ("0", *(name for _, name in LENGTHS), LONGER)


SLICES = (
    SliceKind("arc-length", "words from head to dependent, tops apart (graphs)", of_sides=_arc_length),
    SliceKind("arc-direction", "top, head to the left or to the right (graphs)", of_sides=_arc_direction),
    SliceKind(
        "reentrant", "arcs of words that have at most one arc in gold, or several (graphs)", of_sides=_reentrant
    ),
    SliceKind(ENHANCED_ONLY, "arcs between words that the tree joins too, or not", of_sides=_enhanced_only),
    SliceKind("empty-path", "arcs between words, or through empty nodes (graphs)", of_sides=_empty_path),
    SliceKind("top", "tops and other arcs (graphs)", of_sides=_top),
    SliceKind("role", "role, without C- and R- before it", of_sides=_role),
    SliceKind("role-kind", "core roles (A0, ARG1), contextual ones, predicates", of_sides=_role_kind),
    SliceKind("role-prefix", "roles with C- or R- before them", of_sides=_role_prefix),
    SliceKind(PREDICATE_TAG, "part of speech of the predicate, or of an arc's head", of_sides=_predicate_tag),
    SliceKind("argument-distance", "words from the predicate to its argument", of_sides=_argument_distance),
    SliceKind("discontinuous", "arguments in one piece, or in several (C-)", of_sides=_discontinuous),
    SliceKind("empty-nodes", "sentences whose gold graph has empty nodes or not", of_sentences=_empty_nodes),
    SliceKind("cycle", "sentences whose gold graph has a cycle or not", of_sentences=_cycle),
    SliceKind("predicates", "number of predicates in the gold sentence", of_sentences=_predicates),
)
