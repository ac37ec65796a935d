"""Coreference: metrics over chains, and ARCS, which judges every mention (Tuggener 2017)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay import chains
from assay.align import Pair
from assay.arrays import NONE, Ints, Stretches
from assay.chainpairs import MATCHES, ChainPair
from assay.chains import ARCS_SCORES, METRICS
from assay.counts import Counts, bracketed
from assay.errors import UsageError, unknown
from assay.judgements import Judgements, Matches
from assay.measures.definition import Judge, measure

DEFAULTS = ("conll", "muc", "b-cubed", "ceaf-e", "mentions", "arcs-any")
KINDS = ("tp", "wl", "fn", "fp")


def _counted(pair: Pair, name: str, match: str, singletons: bool) -> Counts:
    """The counts of a metric in each document, at the sentence that the document begins with."""
    if match not in MATCHES:
        raise unknown("way to match mentions", match, MATCHES)
    found = pair.chained()
    metric = METRICS[name]
    values: Ints = metric.count(found.table(match, singletons))
    return Counts(metric.fields, pair.gold.sentences, found.first_sentence, values)


def _metric(name: str) -> Callable[[Judge], Judge]:
    return measure(name, scores=METRICS[name].scores, task="coreference")


@_metric("mentions")
def mentions(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """Mentions that both sides have, whatever their chains.

    match: `exact` spans, or `head` words where the files tell them.
    singletons: whether chains of one mention count.
    Counts: per document right, gold, system. Score: precision, recall, f1.
    Golden: coref-reference-scorer, coref-ontogum. Peers: the reference scorer, coval.
    """
    return _counted(pair, "mentions", match, singletons)


@_metric("muc")
def muc(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """MUC: the links that hold chains together; singletons have none.

    match, singletons: as for mentions.
    Counts: per document right, gold, system (links). Score: precision, recall, f1.
    Golden: coref-reference-scorer, coref-ontogum. Peers: the reference scorer, coval, CorefUD scorer.
    """
    return _counted(pair, "muc", match, singletons)


@_metric("b-cubed")
def b_cubed(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """B³: for each mention the share of its chain that it is rightly with.

    match, singletons: as for mentions.
    Counts: per document rnum and pnum (credit, in units of 2⁻³²), rden and pden (mentions). Score: precision, recall,
        f1. Golden: coref-reference-scorer, coref-ontogum. Peers: the reference scorer, coval, CorefUD scorer.
    """
    return _counted(pair, "b-cubed", match, singletons)


@_metric("ceaf-m")
def ceaf_m(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """CEAFm: mentions shared by chains under the best one-to-one alignment of chains.

    match, singletons: as for mentions.
    Counts: per document right, gold, system (mentions). Score: precision, recall, f1.
    Golden: coref-reference-scorer, coref-ontogum. Peers: the reference scorer.
    """
    return _counted(pair, "ceaf-m", match, singletons)


@_metric("ceaf-e")
def ceaf_e(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """CEAFe: similarity of chains under the best one-to-one alignment of chains.

    match, singletons: as for mentions.
    Counts: per document rnum and pnum (credit, in units of 2⁻³²), rden and pden (chains). Score: precision, recall,
        f1. Golden: coref-reference-scorer, coref-ontogum. Peers: the reference scorer, coval.
    """
    return _counted(pair, "ceaf-e", match, singletons)


@_metric("blanc")
def blanc(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """BLANC: the mean of how well links are found that are and that are not coreference.

    match, singletons: as for mentions.
    Counts: per document pairs of mentions in one chain and in two: on both sides, in gold, in the system.
    Score: recall, precision and f1, each the mean of the two kinds of links; a kind that gold does not have is left
        out. f1 is no harmonic mean of the other two.
    Golden: coref-reference-scorer, coref-ontogum. Peers: the reference scorer.
    """
    return _counted(pair, "blanc", match, singletons)


@_metric("lea")
def lea(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """LEA: how far each chain is resolved, by its links, chains weighing by their size.

    match, singletons: as for mentions.
    Counts: per document rnum and pnum (credit, in units of 2⁻³²), rden and pden (mentions). Score: precision, recall,
        f1. Golden: coref-reference-scorer, coref-ontogum. Peers: the reference scorer (LEA branch), coval.
    """
    return _counted(pair, "lea", match, singletons)


@_metric("conll")
def conll(pair: Pair, *, match: str = "exact", singletons: bool = True) -> Counts:
    """The CoNLL score (MELA): the mean of the F1 of MUC, B³ and CEAFe.

    match, singletons: as for mentions.
    Counts: those of the three. Score: value.
    Golden: coref-ontogum, coref-english. Peers: coval, CorefUD scorer.
    """
    return _counted(pair, "conll", match, singletons)


def _arcs(pair: Pair, criterion: str) -> Judgements:
    found = pair.chained()
    if criterion == "nom" and found.nominal is None:
        raise UsageError("arcs-nom needs tags to tell nouns, which gold does not have. arcs-any needs none.")
    gold, system = found.mentions()
    nominal = found.nominal if criterion == "nom" else None
    resolved = chains.arcs(
        gold,
        system,
        None if nominal is None else nominal[gold.place],
        None if nominal is None else nominal[system.place],
    )
    codes = np.array([KINDS.index(name) if name in KINDS else NONE for name in chains.CLASSES])
    kind = codes[resolved.kind]
    kept = np.flatnonzero(kind != NONE)
    # Gold's items first, in the order of their spans, which is the same for every system.
    spurious = kind[kept] == KINDS.index("fp")
    rows = kept[np.lexsort((resolved.place[kept], spurious))]
    judged = _judged(found, resolved.place[rows], resolved.document[rows], kind[rows])
    left_out = resolved.document[resolved.kind == chains.CLASSES.index("out")]
    numbers = np.bincount(found.first_sentence[left_out], minlength=pair.gold.sentences)
    return replace(judged, sums={"left-out": numbers} if criterion == "nom" else {})


def _judged(found: ChainPair, place: Ints, document: Ints, kind: Ints) -> Judgements:
    labels = ("mention",) if found.types is None else found.types.vocabulary
    label = np.zeros(len(place), dtype=np.int64) if found.types is None else found.types.codes[place].astype(np.int64)
    in_gold = kind != KINDS.index("fp")
    in_system = kind != KINDS.index("fn")

    def identity(item: int) -> tuple[int, Stretches]:
        return int(found.place_document[item]), found.shapes[item]

    return Judgements(
        sentence=found.first_sentence[document],
        item=place,
        gold=np.where(in_gold, label, NONE),
        system=np.where(in_system, label, NONE),
        right=kind == 0,
        labels=labels,
        matches=Matches(KINDS, kind, label, place, in_gold, in_system, identity),
    )


@measure("arcs-any", scores=ARCS_SCORES, count=bracketed, tested=("f1",), task="coreference")
def arcs_any(pair: Pair) -> Judgements:
    """ARCS: mentions resolved to any of gold's antecedents.

    Counts: tp (shares an antecedent with gold), wl (wrong link: has antecedents, none of them gold's), fn (no
        antecedent in the system), fp (none in gold); gold, system.
    Score: precision = tp/(tp+wl+fp), recall = tp/(tp+wl+fn), f1, accuracy = tp/(tp+wl). The first three are MUC's.
    Paper: Tuggener 2017, section 2.3, Tables 7 and 8. Golden: cases/coreference, coref-ontogum. Peers: ARCS.
    """
    return _arcs(pair, "any")


@measure("arcs-nom", scores=ARCS_SCORES, count=bracketed, tested=("f1",), task="coreference")
def arcs_nom(pair: Pair) -> Judgements:
    """ARCS: mentions resolved to the right nominal antecedent.

    Counts: as for arcs-any; right is a mention whose closest nominal antecedent in the system is one of gold's.
        Mentions whose gold antecedents are all non-nominal are left out (left-out).
    Score: as for arcs-any.
    Paper: Tuggener 2017, section 2.3, Tables 8 and 11. Golden: cases/coreference, coref-ontogum.
    """
    return _arcs(pair, "nom")
