"""Ways to cut graphs: by their arcs, by predicates and arguments, by sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints, as_codes
from assay.corpus import Corpus
from assay.engine.items import Items
from assay.engine.slices import SliceKind, Values
from assay.engine.treebanks import with_heads
from assay.errors import UsageError
from assay.formats.graphs import NO_MARKS, empty_nodes
from assay.formats.roles import SPANS
from assay.tasks.graphs import roles
from assay.tasks.graphs.arcs import PATHS, PREDICATE, SEVERAL, TOP, WHOLE_KINDS, Nodes, columns_of_arcs
from assay.tasks.graphs.measures import TAG
from assay.tasks.graphs.roles import is_core, is_predicate, plain_role, roles_of

LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (4, "4"), (9, "5-9"))
LONGER = "10 or more"
ENHANCED_ONLY = "enhanced-only"
"""The slice that needs trees …"""
PREDICATE_TAG = "predicate-tag"
"""… and the one that needs tags."""

Sided = tuple[Ints, Ints, tuple[str, ...]]
"""The value of each row on gold's side and on the system's, NONE without one; and the names of the values."""


def _lengths(distance: Ints) -> Ints:
    """The class of a distance in words (or of a number of others), from 1 on."""
    return 1 + np.searchsorted([upper for upper, _ in LENGTHS], np.abs(distance), side="left")


# --- by arcs ---


def _by_arcs(
    pair: Pair, judged: Items, spec: str, values: Callable[[dict[str, Ints], Corpus], Ints], names: Sequence[str]
) -> Sided:
    """A slice by a value of arcs, from their columns, each side's by its own."""
    if pair.layer(Nodes) is None or judged.partner is None:
        raise UsageError(f"--slice {spec} is about arcs of graphs, but none are compared. Say --task graphs")
    codes = []
    for side, corpus, numbers, there in (
        (0, pair.gold, judged.item, judged.has_gold),
        (1, pair.system, judged.partner[0], judged.has_system[0]),
    ):
        code = np.full(len(judged), NONE)
        code[there] = values(columns_of_arcs(pair, side, numbers[there]), corpus)
        codes.append(code)
    return codes[0], codes[1], tuple(names)


def _arc_slice(
    name: str, help_: str, values: Callable[[dict[str, Ints], Corpus], Ints], names: Sequence[str]
) -> SliceKind:
    return SliceKind(name, help_, of_sides=lambda pair, judged, _: _by_arcs(pair, judged, name, values, names))


def _steps(arcs: dict[str, Ints], corpus: Corpus) -> Ints:
    """Words from the dependent to the head of each arc, below 0 if the head comes first; 0 for tops."""
    place = np.concatenate([np.arange(len(corpus)), corpus.words_of(empty_nodes(corpus)) - 1, [0]])
    return np.where(arcs["own_head"] == NONE, 0, place[arcs["own_head"]] - place[arcs["own_dependent"]])


def _arc_direction(arcs: dict[str, Ints], corpus: Corpus) -> Ints:
    steps = _steps(arcs, corpus)
    return np.where(arcs["own_head"] == NONE, 0, np.where(steps < 0, 1, np.where(steps > 0, 2, 3)))


def _enhanced_only(arcs: dict[str, Ints], corpus: Corpus) -> Ints:
    if not {"HEAD", "DEPREL"} <= set(corpus.columns):
        raise UsageError(f"--slice {ENHANCED_ONLY}: {corpus.name} has no trees (HEAD, DEPREL) to tell by.")
    heads = with_heads(corpus, "HEAD")[0].heads
    assert heads is not None
    of_word = arcs["own_dependent"] < len(corpus)
    in_tree = of_word & (heads[np.where(of_word, arcs["own_dependent"], 0)] == arcs["own_head"])
    return np.where(in_tree & (arcs["path"] == 0), 0, 1)


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
    roles_, predicates = corpus.marks["roles"], corpus.marks["predicates"]
    nothing = np.full(len(predicates), NONE)
    heads = np.concatenate([roles_.arguments["head"], corpus.words_of(predicates)])
    return heads, np.concatenate([corpus.words_of(roles_), nothing])


def _role(pair: Pair, judged: Items, _: str) -> Sided:
    known: dict[str, int] = {}
    codes = as_codes([plain_role(role, "C-", "R-") for role in judged.labels], known)
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
        empty = len(empty_nodes(corpus))
        tags.append(np.concatenate([own, np.full(empty, known.setdefault("empty node", len(known)) if empty else 0)]))
    if pair.layer(Nodes) is None:
        values = [tags[side][_ends(corpus)[0]] for side, corpus in enumerate((pair.gold, pair.system))]
        return _by_roles(judged, PREDICATE_TAG, (values[0], values[1]), tuple(known))

    def of_arcs(arcs: dict[str, Ints], corpus: Corpus) -> Ints:
        # Where predicates are the items, each is an arc from the root.
        own, whole = tags[int(corpus is not pair.gold)], judged.kinds == WHOLE_KINDS
        return own[arcs["own_dependent"]] if whole else np.where(arcs["own_head"] == NONE, 0, own[arcs["own_head"]])

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
    if pair.layer(Nodes) is not None:
        raise UsageError("--slice discontinuous is about semantic roles, which are not compared here.")
    _check_roles(judged, "discontinuous")
    both = roles_of(pair, spans=pair.gold.format in SPANS, join=True)
    values = []
    for corpus, marks in zip((pair.gold, pair.system), both, strict=True):
        code = np.zeros(len(corpus.marks["roles"]) + len(corpus.marks["predicates"]), dtype=np.int64)
        code[marks.number] = np.where(is_predicate(marks), 2, marks.with_gaps)
        values.append(code)
    names = ("in one piece", "discontinuous", PREDICATE)
    gold, system = _by_roles(judged, "discontinuous", (values[0], values[1]), names)[:2]
    # What is right lies where gold's does, also where C- is an argument of its own that only one side has.
    return gold, np.where(judged.right[0], gold, system), names


# --- by sentences ---


def _empty_nodes(gold: Corpus, _: str) -> Values:
    _check_graph(gold, "empty-nodes")
    there = np.bincount(empty_nodes(gold).unit, minlength=gold.sentences) > 0
    return there.astype(np.int64), ("without empty nodes", "with empty nodes")


def _check_graph(gold: Corpus, spec: str) -> None:
    if not {"arcs", "roles"} & gold.marks.keys():
        raise UsageError(f"--slice {spec} is about graphs, but none are compared. Say --task graphs")


def _cycle(gold: Corpus, _: str) -> Values:
    _check_graph(gold, "cycle")
    marks = gold.marks["arcs"] if "arcs" in gold.marks else gold.marks["roles"]
    dependent, head = marks.arguments.get("dependent", gold.words_of(marks)), marks.arguments["head"]
    left, before = np.flatnonzero(head != NONE), -1
    while len(left) != before:
        # Arcs from nodes that no arc leads to any more are in no cycle.
        before = len(left)
        left = left[np.isin(head[left], dependent[left])]
    found = np.bincount(marks.unit[left], minlength=gold.sentences) > 0
    return found.astype(np.int64), ("without a cycle", "with a cycle")


def _predicates(gold: Corpus, _: str) -> Values:
    _check_graph(gold, "predicates")
    predicates = gold.marks.get("predicates", NO_MARKS)
    if not len(predicates):
        raise UsageError(f"--slice predicates: {gold.name} has no predicates.")
    number = np.bincount(predicates.unit, minlength=gold.sentences)
    return np.where(number == 0, 0, _lengths(number)), ("0", *(name for _, name in LENGTHS), LONGER)


SLICES = (
    _arc_slice(
        "arc-length",
        "words from head to dependent, tops apart (graphs)",
        lambda arcs, corpus: np.where(arcs["own_head"] == NONE, 0, _lengths(_steps(arcs, corpus))),
        ("top", *(name for _, name in LENGTHS), LONGER),
    ),
    _arc_slice(
        "arc-direction",
        "top, head to the left or to the right (graphs)",
        _arc_direction,
        ("top", "head to the left", "head to the right", "loop"),
    ),
    _arc_slice(
        "reentrant",
        "arcs of words that have at most one arc in gold, or several (graphs)",
        lambda arcs, _: arcs["several"],
        SEVERAL,
    ),
    _arc_slice(
        ENHANCED_ONLY,
        "arcs between words that the tree joins too, or not",
        _enhanced_only,
        ("in the tree", "enhanced only"),
    ),
    _arc_slice(
        "empty-path", "arcs between words, or through empty nodes (graphs)", lambda arcs, _: arcs["path"], PATHS
    ),
    _arc_slice(
        "top",
        "tops and other arcs (graphs)",
        lambda arcs, _: np.where(arcs["own_head"] == NONE, 1, 0),
        ("between words", "top"),
    ),
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
