"""Ways to cut graphs: by their arcs, by predicates and arguments, by sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints, as_codes
from assay.corpus import Corpus
from assay.engine.items import Items
from assay.engine.lexicon import find_bands
from assay.engine.slices import SliceKind, Values
from assay.engine.treebanks import with_heads
from assay.errors import UsageError
from assay.formats.graphs import NO_MARKS, find_empty_nodes
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

Columns = dict[str, Ints]
"""Arguments and codes of the columns of some arcs."""
OfArcs = Callable[[Columns, Corpus], Ints]
"""The value of each of some arcs, from their columns and their corpus."""
Sided = tuple[Ints, Ints, tuple[str, ...]]
"""The value of each row on gold's side and on the system's, NONE without one; and the names of the values."""


def _lengths(distance: Ints) -> Ints:
    """The class of a distance in words (or of a number of others), from 1 on."""
    return 1 + find_bands(np.abs(distance), LENGTHS)


def _by_sides(
    judged: Items, value: Callable[[int, Ints], Ints], names: Sequence[str], *, labels: bool = False
) -> Sided:
    """A slice by a value of gold's (0) and of the system's (1) items, from their numbers or, if `labels`, labels."""
    assert judged.partner is not None
    sides = (
        (judged.has_gold, judged.gold if labels else judged.item),
        (judged.has_system[0], judged.answer[0] if labels else judged.partner[0]),
    )
    codes = np.full((2, len(judged)), NONE)
    for side, (there, numbers) in enumerate(sides):
        codes[side, there] = value(side, numbers[there])
    return codes[0], codes[1], tuple(names)


# --- by arcs ---


def _by_arcs(pair: Pair, judged: Items, spec: str, values: OfArcs, names: Sequence[str]) -> Sided:
    if pair.layer(Nodes) is None or judged.partner is None:
        raise UsageError(f"--slice {spec} is for arcs of graphs, but none are compared. Give --task graphs")
    corpora = pair.gold, pair.system
    return _by_sides(
        judged, lambda side, numbers: values(columns_of_arcs(pair, side, numbers), corpora[side]), names
    )


def _arc_slice(name: str, help_: str, values: OfArcs, names: Sequence[str]) -> SliceKind:
    return SliceKind(name, help_, of_sides=lambda pair, judged, _: _by_arcs(pair, judged, name, values, names))


def _steps(arcs: Columns, corpus: Corpus) -> Ints:
    """Words from the dependent to the head of each arc, below 0 if the head comes first; 0 for tops."""
    place = np.concatenate([np.arange(len(corpus)), corpus.words_of(find_empty_nodes(corpus)) - 1, [0]])
    return np.where(arcs["own_head"] == NONE, 0, place[arcs["own_head"]] - place[arcs["own_dependent"]])


def _arc_direction(arcs: Columns, corpus: Corpus) -> Ints:
    steps = _steps(arcs, corpus)
    return np.where(arcs["own_head"] == NONE, 0, np.where(steps < 0, 1, np.where(steps > 0, 2, 3)))


def _enhanced_only(arcs: Columns, corpus: Corpus) -> Ints:
    if not {"HEAD", "DEPREL"} <= set(corpus.columns):
        raise UsageError(f"--slice {ENHANCED_ONLY}: {corpus.name} has no trees (HEAD, DEPREL), which this slice "
        f"needs.")
    heads = with_heads(corpus, "HEAD")[0].heads
    assert heads is not None
    of_word = arcs["own_dependent"] < len(corpus)
    in_tree = of_word & (heads[np.where(of_word, arcs["own_dependent"], 0)] == arcs["own_head"])
    return np.where(in_tree & (arcs["path"] == 0), 0, 1)


# --- by predicates and arguments ---


def _check_roles(judged: Items, spec: str, pair: Pair | None = None) -> None:
    """Raise an error unless items are semantic roles; if a pair is given, they must have their own places."""
    known = judged.kinds in (roles.KINDS, roles.SPAN_KINDS, WHOLE_KINDS) and judged.partner is not None
    if not known or (pair is not None and pair.layer(Nodes) is not None):
        raise UsageError(f"--slice {spec} is for semantic roles, which are not compared here.")


def _ends(corpus: Corpus) -> tuple[Ints, Ints]:
    """The predicate and the (first word of the) argument of each item, for predicates NONE."""
    arguments, predicates = corpus.marks["roles"], corpus.marks["predicates"]
    heads = np.concatenate([arguments.arguments["head"], corpus.words_of(predicates)])
    return heads, np.concatenate([corpus.words_of(arguments), np.full(len(predicates), NONE)])


def _role_slice(name: str, help_: str, value: Callable[[str], str], names: Sequence[str] = ()) -> SliceKind:
    """A slice by a value of roles."""

    def of_sides(pair: Pair, judged: Items, _: str) -> Sided:
        _check_roles(judged, name)
        known = {value: code for code, value in enumerate(names)}
        codes = as_codes([value(label) for label in judged.labels], known)
        return _by_sides(judged, lambda _, labels: codes[labels], tuple(known), labels=True)

    return SliceKind(name, help_, of_sides=of_sides)


def _predicate_tag(pair: Pair, judged: Items, _: str) -> Sided:
    known: dict[str, int] = {TOP: 0}
    tags: list[Ints] = []
    for corpus in (pair.gold, pair.system):
        if TAG not in corpus.columns:
            raise UsageError(f"--slice {PREDICATE_TAG}: {corpus.name} has no tags of words.")
        # Words alone are tagged; an empty node has no tag.
        codes = as_codes(corpus.column(TAG).vocabulary, known)[corpus.column(TAG).codes]
        empty = len(find_empty_nodes(corpus))
        untagged = np.full(empty, known.setdefault("empty node", len(known)) if empty else 0)
        tags.append(np.concatenate([codes, untagged]))
    if pair.layer(Nodes) is None:
        _check_roles(judged, PREDICATE_TAG)
        heads = _ends(pair.gold)[0], _ends(pair.system)[0]
        return _by_sides(judged, lambda side, numbers: tags[side][heads[side][numbers]], tuple(known))

    def of_arcs(arcs: Columns, corpus: Corpus) -> Ints:
        # If predicates are the items, each is an arc from the root.
        of_word, whole = tags[int(corpus is not pair.gold)], judged.kinds == WHOLE_KINDS
        of_head = np.where(arcs["own_head"] == NONE, 0, of_word[arcs["own_head"]])
        return of_word[arcs["own_dependent"]] if whole else of_head

    return _by_arcs(pair, judged, PREDICATE_TAG, of_arcs, tuple(known))


def _argument_distance(pair: Pair, judged: Items, _: str) -> Sided:
    _check_roles(judged, "argument-distance", pair)
    ends = _ends(pair.gold), _ends(pair.system)

    def value(side: int, numbers: Ints) -> Ints:
        predicate, argument = (words[numbers] for words in ends[side])
        return np.where(argument == NONE, 0, _lengths(predicate - argument))

    return _by_sides(judged, value, (PREDICATE, *(name for _, name in LENGTHS), LONGER))


def _discontinuous(pair: Pair, judged: Items, _: str) -> Sided:
    _check_roles(judged, "discontinuous", pair)
    both = roles_of(pair, spans=pair.gold.format in SPANS, join=True)
    values = []
    for corpus, marks in zip((pair.gold, pair.system), both, strict=True):
        code = np.zeros(len(corpus.marks["roles"]) + len(corpus.marks["predicates"]), dtype=np.int64)
        code[marks.number] = np.where(is_predicate(marks), 2, marks.with_gaps)
        values.append(code)
    names = ("in one piece", "discontinuous", PREDICATE)
    gold, system = _by_sides(judged, lambda side, numbers: values[side][numbers], names)[:2]
    # What is right lies where gold's does, also where C- is an argument of its own that only one side has.
    return gold, np.where(judged.right[0], gold, system), names


# --- by sentences ---


def _by_sentences(name: str, help_: str, value: Callable[[Corpus], Ints], names: tuple[str, ...]) -> SliceKind:
    """A slice by a value of gold's sentences."""

    def of_sentences(gold: Corpus, _: str) -> Values:
        if not {"arcs", "roles"} & gold.marks.keys():
            raise UsageError(f"--slice {name} is for graphs, but none are compared. Give --task graphs")
        return value(gold), names

    return SliceKind(name, help_, of_sentences=of_sentences)


def _cycle(gold: Corpus) -> Ints:
    marks = gold.marks["arcs"] if "arcs" in gold.marks else gold.marks["roles"]
    dependent, head = marks.arguments.get("dependent", gold.words_of(marks)), marks.arguments["head"]
    left, before = np.flatnonzero(head != NONE), -1
    while len(left) != before:
        # Arcs from nodes that no arc leads to any more are in no cycle.
        before = len(left)
        left = left[np.isin(head[left], dependent[left])]
    return np.bincount(marks.unit[left], minlength=gold.sentences).clip(max=1)


def _predicates(gold: Corpus) -> Ints:
    predicates = gold.marks.get("predicates", NO_MARKS)
    if not len(predicates):
        raise UsageError(f"--slice predicates: {gold.name} has no predicates.")
    number = np.bincount(predicates.unit, minlength=gold.sentences)
    return np.where(number == 0, 0, _lengths(number))


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
    _role_slice("role", "role, without C- and R- before it", lambda role: plain_role(role, "C-", "R-")),
    _role_slice(
        "role-kind",
        "core roles (A0, ARG1), contextual ones, predicates",
        lambda role: role if role == PREDICATE else "core" if is_core(role) else "contextual",
        ("core", "contextual", PREDICATE),
    ),
    _role_slice(
        "role-prefix",
        "roles with C- or R- before them",
        lambda role: role if role == PREDICATE else role[:2] if role[:2] in ("C-", "R-") else "neither",
        ("neither", "C-", "R-", PREDICATE),
    ),
    SliceKind(PREDICATE_TAG, "part of speech of the predicate, or of an arc's head", of_sides=_predicate_tag),
    SliceKind("argument-distance", "words from the predicate to its argument", of_sides=_argument_distance),
    SliceKind("discontinuous", "arguments in one piece, or in several (C-)", of_sides=_discontinuous),
    _by_sentences(
        "empty-nodes",
        "sentences whose gold graph has empty nodes or not",
        lambda gold: np.bincount(find_empty_nodes(gold).unit, minlength=gold.sentences).clip(max=1),
        ("without empty nodes", "with empty nodes"),
    ),
    _by_sentences(
        "cycle", "sentences whose gold graph has a cycle or not", _cycle, ("without a cycle", "with a cycle")
    ),
    _by_sentences(
        "predicates",
        "number of predicates in the gold sentence",
        _predicates,
        ("0", *(name for _, name in LENGTHS), LONGER),
    ),
)
