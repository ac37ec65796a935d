"""Links: mentions at the right place with the right identifier, from one matching for each set of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Floats, Ints, each_once
from assay.engine.counts import Counts, Sums, by_label, tally_brackets
from assay.engine.items import ONE, Items
from assay.engine.matching import EXACT as FOUND
from assay.engine.measure import BEYOND_CHANCE, F1, SCORES, Mean, Proportion, Ratio, Scores, measure
from assay.engine.spanpairs import span_keys
from assay.errors import UsageError, unknown
from assay.formats.relations import NIL
from assay.tasks.links.mentions import (
    MATCHES,
    NILS,
    TYPE,
    TYPES,
    Matched,
    have_same_place,
    is_linked,
    is_nil,
    links_of,
    match_links,
    rank_candidates,
)

FAIR = (
    *("tp", "wrong-id", "wrong-rank", "nil-wrong", "nil-linked"),
    *("boundary", "boundary-wrong-id", "missed", "spurious"),
)
"""The kinds of outcomes; the first five are pairs of mentions at the same place."""
_TP, _WRONG, _RANK, _NIL_WRONG, _NIL_LINKED, _BOUNDARY, _BOUNDARY_WRONG, _MISSED, _SPURIOUS = range(9)
_UNTYPED = "mention"
"""The label of mentions without a type."""


def _items(
    pair: Pair,
    matched: Matched,
    labels: tuple[tuple[str, ...], Ints, Ints],
    kind: Ints | None = None,
    *,
    known_by_label: bool = True,
) -> Items:
    """Items of a matching: gold's mentions that count, then those that only the system has.

    labels: names of labels, and the label of each mention of either side. A right mention of the system has gold's
        label, even if it has another of gold's identifiers.
    kind: the outcome of each of gold's mentions that count, one of FAIR, if pairs are not all right.
    """
    gold, system, steps = matched
    names, gold_labels, system_labels = labels[0], labels[1][gold], labels[2][system]
    matches = steps.matches(FOUND.index("fn"), FOUND.index("fp"))
    if kind is not None:
        matches = replace(matches, kind=np.append(kind, np.full(len(matches.kind) - len(gold), _SPURIOUS)))
    right = np.flatnonzero((matches.kind == 0) & (matches.gold != NONE))
    system_labels[matches.system[right]] = gold_labels[matches.gold[right]]
    key = span_keys(pair)[:, system]
    key[-1] = system_labels if known_by_label else NONE
    sides = links_of(pair)
    kinds = FOUND if kind is None else FAIR
    marks, labels = (sides[0].where(gold), sides[1].where(system)), (names, gold_labels, system_labels)
    return matches.items(kinds, *marks, key, labels=labels, numbers=(gold, system))


def _by_identifier(pair: Pair) -> tuple[tuple[str, ...], Ints, Ints]:
    gold, system = links_of(pair)
    return gold.labels.vocabulary, gold.label, system.label


def _with_documents(pair: Pair, items: Items) -> Items:
    """The items with sums for means over documents: precision, recall and F1, and 1 for each that is defined."""
    gold = pair.gold
    document = gold.document_of_sentence[items.sentence]
    firsts = gold.document_of_sentence.searchsorted(np.arange(gold.documents))
    right, in_gold, in_system = (
        np.bincount(document[mask], minlength=gold.documents).astype(np.int64)
        for mask in (items.right[0], items.has_gold, items.has_system[0])
    )
    sums = {}
    for name, part, whole, defined in (
        ("f1", 2 * right, in_gold + in_system, (in_gold > 0) & (in_system > 0)),
        ("precision", right, in_system, in_system > 0),
        ("recall", right, in_gold, in_gold > 0),
    ):
        shares = np.zeros(gold.documents, dtype=np.int64)
        shares[defined] = (part[defined] * ONE + whole[defined] // 2) // whole[defined]
        for field, values in ((f"document-{name}", shares), (f"documents-{name}", defined)):
            sums[field] = np.zeros(gold.sentences, dtype=np.int64)
            sums[field][firsts] = values
    return replace(items, sums=sums)


_FOUND: Scores = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: sums["gold"] + sums["system"]),
    "precision": Proportion("tp", "system"),
    "recall": Proportion("tp", "gold"),
}
_SCORES: Scores = {**_FOUND, **{f"document-{name}": Mean(f"document-{name}", f"documents-{name}") for name in _FOUND}}


def _check_values(values: Mapping[str, tuple[str, Sequence[str]]], at: int = 1) -> None:
    for name, (value, accepted) in values.items():
        if value not in accepted:
            raise unknown(f"value of {name}", value, accepted)
    if at < 1:
        raise UsageError(f"at={at}: the number of candidates that count is 1 or more.")


@measure(
    "links",
    scores=_SCORES,
    main="f1",
    count=tally_brackets,
    task="links",
    signed=("match", "nil", "types", "at"),
    papers=("ehrmann2022",),
)
def links(pair: Pair, *, match: str = "strict", nil: str = "kept", types: str = "any", at: int = 1) -> Items:
    """Mentions at gold's place with one of gold's identifiers.

    match: `strict`: the same place; `overlap`: places share an atom. Pairs are one to one, those of the same place
        first, then as many as possible; a pair has a right identifier.
    nil: mentions of something without an identifier count like others (`kept`), are left out on both sides before
        matching (`drop`), or are the only ones that count (`only`).
    types: `same`: the type of the mention must be gold's too.
    at: one of this many candidates of a system, best first, must be right.
    Counts: tp, fp, fn; gold, system (mentions with a link); and for means over documents document- (the sum of their
        scores, in units of 2⁻³²) and documents- (the number for which it is defined).
    Score: precision = tp/system, recall = tp/gold, f1 = 2·tp/(gold+system). document- is the mean over documents: of
        precision if the system has items, of recall if gold has, of f1 if both have.
    Paper: Ehrmann et al. 2022.
    Peers: HIPE-scorer (NEL strict, fuzzy, @n), neleval (strong_all_match, strong_link_match, strong_nil_match,
        strong_typed_all_match), GERBIL (A2KB).
    """
    _check_values({"match": (match, MATCHES), "nil": (nil, NILS), "types": (types, TYPES)}, at)
    return _with_documents(pair, _items(pair, match_links(pair, match, nil, types, at), _by_identifier(pair)))


def _paired(sums: Sums) -> Floats:
    return np.asarray(sum(sums[kind] for kind in FAIR[1:7]))


_FAIR: Scores = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * sums["tp"] + sum(sums[kind] for kind in FAIR[1:])),
    "precision": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + _paired(sums) / 2 + sums["spurious"]),
    "recall": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + _paired(sums) / 2 + sums["missed"]),
}


def find_outcomes(pair: Pair, matched: Matched, at: int = 1) -> Ints:
    """Outcome of each of gold's mentions that count, as an index into FAIR."""
    numbers, system, steps = matched
    kind = np.full(len(numbers), _MISSED)
    rows = np.flatnonzero(steps.partner != NONE)
    gold_mentions, system_mentions = numbers[rows], system[steps.partner[rows]]
    rank = rank_candidates(pair, gold_mentions, system_mentions)
    right = (rank != NONE) & (rank < at)
    gold_nil, system_nil = (is_nil(side) for side in links_of(pair))
    wrong = np.select(
        [system_nil[system_mentions], gold_nil[gold_mentions], rank != NONE],
        [_NIL_WRONG, _NIL_LINKED, _RANK],
        _WRONG,
    )
    same = have_same_place(pair, gold_mentions, system_mentions)
    kind[rows] = np.where(same, np.where(right, _TP, wrong), np.where(right, _BOUNDARY, _BOUNDARY_WRONG))
    return kind


@measure(
    "fair-links",
    scores=_FAIR,
    main="f1",
    count=tally_brackets,
    task="links",
)
def fair_links(pair: Pair) -> Items:
    """Links with one error for each wrong mention, by error type, not a missing link and a spurious one.

    Mentions of equal place are paired one to one, right identifiers first, then overlapping ones among the rest.
    Counts: tp (right); at the same place: wrong-id, wrong-rank (the right identifier is a later candidate), nil-wrong
        (the system says NIL, gold does not), nil-linked (gold says NIL); boundary and boundary-wrong-id (overlapping
        place, right and wrong identifier); missed, spurious; gold, system (mentions with a link).
    Score: f1 = 2·tp/(2·tp+errors); an error of a pair is half a missing and half a spurious link in precision and
        recall.
    Peers: the classes of Elevant that need no knowledge base.
    """
    matched = match_links(pair, "fair")
    return _items(pair, matched, _by_identifier(pair), find_outcomes(pair, matched))


@measure("link-accuracy", scores={"accuracy": Proportion("right", "found")}, task="links")
def link_accuracy(pair: Pair, *, at: int = 1) -> Counts:
    """Right identifiers among the mentions that gold and system both have at the same place.

    at: one of this many candidates of a system, best first, must be right.
    Counts: right, found (mentions with a link on both sides). Score: right/found.
    Peers: GERBIL (D2KB, with given mentions).
    """
    _check_values({}, at)
    matched = match_links(pair, "fair")
    kind = find_outcomes(pair, matched, at)
    sentence = links_of(pair)[0].unit[matched[0]]
    return _count_rows(pair, {"right": sentence[kind == _TP], "found": sentence[kind <= _NIL_LINKED]})


def _count_rows(pair: Pair, rows: Mapping[str, Ints]) -> Counts:
    """Counts of rows; `rows` are the sentence of each row, by field."""
    sentences = pair.gold.sentences
    columns = [np.bincount(sentence, minlength=sentences) for sentence in rows.values()]
    return Counts(tuple(rows), sentences, np.arange(sentences), np.stack(columns, axis=1).astype(np.int64))


@measure("link-mentions", scores=_FOUND, main="f1", count=tally_brackets, task="links")
def link_mentions(pair: Pair, *, linked: bool = False) -> Items:
    """Mentions at gold's place: only their detection, without type and identifier.

    linked: true for only mentions that have a link, NIL included. Default: all mentions.
    Counts: tp, fp, fn; gold, system. Score: precision = tp/system, recall = tp/gold, f1 = 2·tp/(gold+system).
    Peers: neleval (strong_mention_match).
    """
    gold, system = (side.columns[TYPE] for side in links_of(pair))
    names = tuple(name or _UNTYPED for name in gold.vocabulary)
    matched = match_links(pair, "place", "kept" if linked else "")
    return _items(pair, matched, (names, gold.codes, system.codes), known_by_label=False)


_ENTITIES: Scores = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * sums["tp"] + sums["fp"] + sums["fn"]),
    "precision": Proportion("tp", "tp", "fp"),
    "recall": Proportion("tp", "tp", "fn"),
}


@measure("document-entities", scores=_ENTITIES, main="f1", task="links")
def document_entities(pair: Pair) -> Counts:
    """The identifiers of each document as a set, without their places and without NIL.

    If a mention has several identifiers, the first counts.
    Counts: tp, fp, fn (identifiers of a document). Score: precision, recall and f1 of these.
    Peers: neleval (entity_match), GERBIL (C2KB).
    """
    document = pair.gold.document_of_sentence
    sets = []
    for side in links_of(pair):
        names = side.labels.vocabulary
        rows = np.flatnonzero(is_linked(side) & (side.label != (names.index(NIL) if NIL in names else NONE)))
        sets.append(each_once(document[side.unit[rows]].astype(np.int64) * len(names) + side.label[rows]))
    gold, system = sets
    firsts = document.searchsorted(np.arange(pair.gold.documents))
    keys = {
        "tp": np.intersect1d(gold, system, assume_unique=True),
        "fp": np.setdiff1d(system, gold, assume_unique=True),
        "fn": np.setdiff1d(gold, system, assume_unique=True),
    }
    width = max(len(names), 1)
    return _count_rows(pair, {name: firsts[key // width] for name, key in keys.items()})


@measure(
    "link-kappa",
    papers=("cohen1960", "krippendorff2004"),
    scores=SCORES,
    averages=BEYOND_CHANCE,
    main="kappa",
    count=by_label,
    task="links",
)
def link_kappa(pair: Pair) -> Counts:
    """Agreement on identifiers beyond chance, over the mentions that both have at the same place with a link.

    Whether the mentions themselves agree is the question of link-mentions.
    Counts: per identifier right, gold, system. Score: as for kappa.
    """
    sides, matched = links_of(pair), match_links(pair, "fair")
    numbers, system, steps = matched
    kind, names = find_outcomes(pair, matched), sides[0].labels.vocabulary
    same: Bools = kind <= _NIL_LINKED
    target, partner = numbers[same], system[steps.partner[same]]
    gold, answer = sides[0].label[target], sides[1].label[partner]
    # Both agree if they share an identifier; its name does not depend on the order of the annotators.
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    rank = np.argsort(order)
    shared = order[np.minimum(rank[gold], rank[answer])]
    right = kind[same] == _TP
    gold, answer = np.where(right, shared, gold), np.where(right, shared, answer)
    items = Items.of(names, sides[0].unit[target], target, gold, answer, gold == answer)
    return by_label(items, pair.gold.sentences)
