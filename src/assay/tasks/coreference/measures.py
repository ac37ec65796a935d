"""Coreference: chain metrics, and ARCS, which classifies every mention (Tuggener 2017)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Floats, Ints, as_codes, ratio, sum_integers
from assay.classes import dataclass
from assay.engine.counts import Counts, Sums, as_sums, tally_brackets
from assay.engine.items import ONE, Items
from assay.engine.measure import F1, ByFields, Judge, Mean, Ratio, Score, Scores, measure
from assay.errors import UsageError, unknown
from assay.tasks.coreference.chains import CLASSES, ChainTable, best_alignment, classify_mentions, sum_fractions
from assay.tasks.coreference.mentions import (
    chain_table,
    first_sentences_of,
    has_type,
    match_mentions,
    mentions_of,
    overlap_mentions,
    rule_of,
    spans_of_mentions,
)

KINDS = ("tp", "wl", "fn", "fp")
AVERAGES = ("micro", "macro")
_measure = partial(measure, task="coreference", signed=("match", "zeros", "singletons"))
MATCHED = ("right", "gold", "system")
"""Fields of mentions, MUC and CEAFm: items that both sides have, that gold has, that the system has."""
FRACTIONS = ("rnum", "rden", "pnum", "pden")
"""Fields of B³, CEAFe and LEA: numerators in units of 1/ONE, denominators in mentions (CEAFe: chains)."""
LINKS = ("coreferent", "gold-coreferent", "system-coreferent", "apart", "gold-apart", "system-apart")
"""Fields of BLANC: pairs of mentions in one chain, then in two chains; on both sides, in gold, in the system."""
CONLL = tuple(
    f"{metric}-{field}"
    for metric, fields in (("muc", MATCHED), ("b-cubed", FRACTIONS), ("ceaf-e", FRACTIONS))
    for field in fields
)
"""Fields of the CoNLL score: those of its three metrics."""
_MELA_PAPERS = ("vilain1995", "bagga1998", "luo2005", "pradhan2014")
_DEFINED = "-documents"
"""Ending of the field with the number of documents for which a score is defined."""


# --- scores from summed counts, over any leading axes; 0/0 is nan ---


def _harmonic(scores: Mapping[str, Score], sums: Sums, gold: str, system: str) -> Floats:
    """Harmonic mean of recall and precision: 0 if one side is empty, undefined if both are."""
    recall, precision = (np.nan_to_num(scores[name](sums)) for name in ("recall", "precision"))
    return np.where(
        sums[gold] + sums[system] == 0, np.nan, np.nan_to_num(ratio(2 * recall * precision, recall + precision))
    )


def _blanc(*sides: str) -> Score:
    """Score of BLANC: the share of these sides' links that both sides have, as a mean over the two classes.

    A class that gold does not have is left out; one that only gold has counts 0.
    """

    def score(sums: Sums) -> Floats:
        together, apart = (
            ratio(len(sides) * sums[name], np.asarray(sum(sums[f"{side}-{name}"] for side in sides)))
            for name in ("coreferent", "apart")
        )
        mean = (np.nan_to_num(together) + np.nan_to_num(apart)) / 2
        mean = np.where(np.isnan(together) & np.isnan(apart), np.nan, mean)
        no_together, no_apart = sums["gold-coreferent"] == 0, sums["gold-apart"] == 0
        return np.where(no_together & ~no_apart, apart, np.where(no_apart & ~no_together, together, mean))

    return score


def mela(sums: Sums, undefined: float = np.nan) -> Floats:
    """Mean of the F of MUC, B³ and CEAFe; an F of 0/0 counts as `undefined`."""
    metrics = (("muc", MATCHED, _MATCHED), ("b-cubed", FRACTIONS, _FRACTIONS), ("ceaf-e", FRACTIONS, _FRACTIONS))
    parts = [scores["f1"]({field: sums[f"{name}-{field}"] for field in fields}) for name, fields, scores in metrics]
    return np.asarray(sum(np.nan_to_num(part, nan=undefined) for part in parts)) / 3


_MATCHED: Mapping[str, Score] = {
    "f1": ByFields(
        "found",
        lambda sums: _harmonic(_MATCHED, sums, "gold", "system"),
        F1(lambda sums: 2 * sums["right"], lambda sums: sums["gold"] + sums["system"]),
    ),
    # In a slice, the right mentions of gold and of the system are not the same.
    "precision": Ratio(lambda sums: sums["found" if "found" in sums else "right"], lambda sums: sums["system"]),
    "recall": Ratio(lambda sums: sums["right"], lambda sums: sums["gold"]),
}
_FRACTIONS: Mapping[str, Score] = {
    "f1": lambda sums: _harmonic(_FRACTIONS, sums, "rden", "pden"),
    "precision": Ratio(lambda sums: sums["pnum"] / ONE, lambda sums: sums["pden"]),
    "recall": Ratio(lambda sums: sums["rnum"] / ONE, lambda sums: sums["rden"]),
}
_BLANC = {"f1": _blanc("gold", "system"), "precision": _blanc("system"), "recall": _blanc("gold")}
ARCS_SCORES: Mapping[str, Score] = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * (sums["tp"] + sums["wl"]) + sums["fn"] + sums["fp"]),
    "precision": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"] + sums["fp"]),
    "recall": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"] + sums["fn"]),
    "accuracy": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"]),
}
"""Scores from the numbers of mentions in each class of ARCS."""


# --- metrics over chains ---


@dataclass(frozen=True)
class ChainMetric:
    """Counts of a chain metric in each document, their fields, and its scores."""

    count: Callable[[ChainTable], Ints]
    fields: tuple[str, ...]
    scores: Mapping[str, Score]


METRICS: dict[str, ChainMetric] = {}
"""Chain metrics by name."""


def _metric(
    name: str, *papers: str, fields: tuple[str, ...], scores: Scores, main: str = "f1"
) -> Callable[[Callable[[ChainTable], Ints]], Callable[[ChainTable], Ints]]:
    """Turn a function that counts in a table of chains into a measure; all of these have the same parameters."""

    def register(count: Callable[[ChainTable], Ints]) -> Callable[[ChainTable], Ints]:
        metric = METRICS[name] = ChainMetric(count, fields, scores)

        def judge(
            pair: Pair,
            *,
            match: str = "exact",
            zeros: str = "dependent",
            singletons: bool = True,
            average: str = "micro",
            zero: str = "",
        ) -> Counts:
            values = chain_table(pair, match, singletons, zeros).once(count)
            return _count_documents(pair, metric, values, average, zero)

        judge.__doc__ = count.__doc__
        _measure(name, papers=papers, scores=scores, main=main, chosen=partial(_choose_scores, metric))(judge)
        return count

    return register


def _count_documents(pair: Pair, metric: ChainMetric, values: Ints, average: str, zero: str) -> Counts:
    """Counts of a metric in each document, at the first sentence of the document."""
    first_sentences = first_sentences_of(pair)
    if average == "micro":
        return Counts(metric.fields, pair.gold.sentences, first_sentences, values)
    kept = ~pair.skipped[first_sentences]
    sums = as_sums(values[kept], metric.fields)
    columns: dict[str, Array] = {}
    for name, score in _define_scores(metric.scores, zero).items():
        value = score(sums)
        columns[name] = np.rint(np.nan_to_num(value) * ONE).astype(np.int64)
        columns[f"{name}{_DEFINED}"] = ~np.isnan(value)
    table = np.stack(list(columns.values()), axis=1).astype(np.int64)
    return Counts(tuple(columns), pair.gold.sentences, first_sentences[kept], table)


def _choose_scores(metric: ChainMetric, parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """Scores of a metric from sums over documents, or as means over documents."""
    average, zero = parameters["average"], parameters["zero"]
    if average not in AVERAGES:
        raise unknown("average", average, AVERAGES)
    scores = _define_scores(metric.scores, zero)
    return (scores if average == "micro" else {name: Mean(name, f"{name}{_DEFINED}") for name in scores}), {}


def _define_scores(scores: Scores, zero: str) -> Scores:
    """Scores with 0 instead of undefined if `zero` is 0."""
    if zero not in ("", "0"):
        raise UsageError(f"zero={zero}: give zero=0 to count undefined scores as 0, or leave zero out.")

    def define(score: Score) -> Score:
        defined = partial(mela, undefined=0.0) if score is mela else score
        return lambda sums: np.asarray(np.nan_to_num(defined(sums)))

    return {name: define(score) for name, score in scores.items()} if zero else scores


@_metric("mentions", "pradhan2014", fields=MATCHED, scores=_MATCHED)
def mentions(t: ChainTable) -> Ints:
    """Mentions that both sides have, in any chain.

    match: `exact`, the same words; `head`, the same head: if there are several, those that share most words with
        gold's are matched; `partial`, words of gold's mention with its head among them: the longest is matched.
    zeros: mentions of empty nodes are matched first, one to one, by what they depend on (`dependent`), or like any
        other mention, by their place (`linear`).
    singletons: whether chains of one mention count; if not, they are left out before mentions are matched.
    average: `micro`, ratios of sums over all documents, or `macro`, the mean over the documents for which the score
        is defined; its counts are the sums of the scores (in units of 2⁻³²) and the numbers of these documents.
    zero: `0` counts an undefined score (0/0) as 0, as other scorers do.
    Counts: per document right, gold, system. Score: precision, recall, f1.
    Peers: the reference scorer, coval.
    """
    return np.stack([t.sum_cells(t.shared), *t.sum_chains(np.asarray)], axis=1)


@_metric("muc", "vilain1995", "pradhan2014", fields=MATCHED, scores=_MATCHED)
def muc(t: ChainTable) -> Ints:
    """MUC: the links that connect the mentions of a chain; singletons have none.

    match, zeros, singletons, average, zero: as for mentions.
    Counts: per document right, gold, system (links). Score: precision, recall, f1.
    Peers: the reference scorer, coval, CorefUD scorer.
    """
    return np.stack([t.sum_cells(t.shared - 1), *t.sum_chains(lambda size: size - 1)], axis=1)


@_metric("b-cubed", "bagga1998", "pradhan2014", fields=FRACTIONS, scores=_FRACTIONS)
def b_cubed(t: ChainTable) -> Ints:
    """B³: for each mention, the share of its chain that the other side has in the same chain.

    match, zeros, singletons, average, zero: as for mentions.
    Counts: per document rnum and pnum (credit, in units of 2⁻³²), rden and pden (mentions). Score: precision, recall,
        f1. Peers: the reference scorer, coval, CorefUD scorer.
    """
    return _count_credit(t, ChainTable.mention_shares)


@_metric("ceaf-m", "luo2005", "pradhan2014", fields=MATCHED, scores=_MATCHED)
def ceaf_m(t: ChainTable) -> Ints:
    """CEAFm: mentions that chains share under the best one-to-one alignment of chains.

    match, zeros, singletons, average, zero: as for mentions.
    Counts: per document right, gold, system (mentions). Score: precision, recall, f1.
    Peers: the reference scorer.
    """
    aligned = best_alignment(t.gold_chain, t.system_chain, t.shared.astype(np.float64))
    right = sum_integers(t.shared[aligned], t.document[aligned], t.documents)
    return np.stack([right, *t.sum_chains(np.asarray)], axis=1)


@_metric("ceaf-e", "luo2005", "pradhan2014", fields=FRACTIONS, scores=_FRACTIONS)
def ceaf_e(t: ChainTable) -> Ints:
    """CEAFe: similarity of chains under the best one-to-one alignment of chains.

    match, zeros, singletons, average, zero: as for mentions.
    Counts: per document rnum and pnum (credit, in units of 2⁻³²), rden and pden (chains). Score: precision, recall,
        f1. Peers: the reference scorer, coval.
    """
    similarity = 2 * t.shared / sum(t.sizes)
    aligned = best_alignment(t.gold_chain, t.system_chain, similarity)
    total = sum_fractions(similarity[aligned], t.document[aligned], t.documents)
    in_gold, in_system = t.sum_chains(np.ones_like)
    return np.stack([total, in_gold, total, in_system], axis=1)


@_metric("blanc", "luo2014", fields=LINKS, scores=_BLANC)
def blanc(t: ChainTable) -> Ints:
    """BLANC: the mean of how well coreference links and non-coreference links are found.

    match, zeros, singletons, average, zero: as for mentions.
    Counts: per document pairs of mentions in one chain and in two: on both sides, in gold, in the system.
    Score: recall, precision and f1, each the mean over the two classes of links; a class that gold does not have is
        left out. f1 is not the harmonic mean of the other two.
    Peers: the reference scorer.
    """
    shared, in_gold, in_system = mentions(t).T
    coreferent = t.sum_cells(_count_pairs(t.shared))
    apart = _count_pairs(shared) + coreferent
    for side in (t, t.swapped()):
        # Without the pairs within one side's chains whose mentions are both on the other side.
        numbers = sum_integers(side.shared, side.gold_chain, len(side.gold_size))
        apart -= sum_integers(_count_pairs(numbers), side.gold_document, side.documents)
    gold_links, system_links = t.sum_chains(_count_pairs)
    others = _count_pairs(in_gold) - gold_links, _count_pairs(in_system) - system_links
    return np.stack([coreferent, gold_links, system_links, apart, *others], axis=1)


def _count_pairs(size: Ints) -> Ints:
    """Number of pairs among `size` mentions."""
    return size * (size - 1) // 2


@_metric("lea", "moosavi2016", fields=FRACTIONS, scores=_FRACTIONS)
def lea(t: ChainTable) -> Ints:
    """LEA: the share of its links for which each chain is resolved; chains weigh by their size.

    match, zeros, singletons, average, zero: as for mentions.
    Counts: per document rnum and pnum (credit, in units of 2⁻³²), rden and pden (mentions). Score: precision, recall,
        f1. Peers: the reference scorer (LEA branch), coval.
    """
    return _count_credit(t, ChainTable.resolved_links)


def _count_credit(t: ChainTable, credit: Callable[[ChainTable], Floats]) -> Ints:
    """Counts of a metric whose precision is its recall with the sides exchanged."""
    recall, precision = (sum_fractions(credit(side), t.document, t.documents) for side in (t, t.swapped()))
    in_gold, in_system = t.sum_chains(np.asarray)
    return np.stack([recall, in_gold, precision, in_system], axis=1)


@_metric("conll", *_MELA_PAPERS, fields=CONLL, scores={"value": mela}, main="value")
def conll(t: ChainTable) -> Ints:
    """The CoNLL score (MELA): the mean of the F1 of MUC, B³ and CEAFe.

    match, zeros, singletons, average, zero: as for mentions.
    Counts: those of the three metrics. Score: value.
    Peers: coval, CorefUD scorer.
    """
    return np.hstack([t.once(muc), t.once(b_cubed), t.once(ceaf_e)])


@_measure(
    "mor",
    papers=("zabokrtsky2022",),
    scores=_MATCHED,
    main="f1",
    chosen=partial(_choose_scores, METRICS["mentions"]),
    signed=("singletons",),
)
def mor(pair: Pair, *, singletons: bool = True, average: str = "micro", zero: str = "") -> Counts:
    """MOR, the mention overlap ratio: words that mentions share, in any chain.

    Mentions are matched one to one so that they share as many words as possible. Empty nodes are words here; two of
    them are the same if they have the same place, even if they depend on different words.

    singletons, average, zero: as for mentions.
    Counts: per document right (shared words), gold, system (words of all mentions). Score: precision, recall, f1.
    Peers: CorefUD scorer.
    """
    return _count_documents(pair, METRICS["mentions"], overlap_mentions(pair, singletons), average, zero)


def _judge_mentions(
    pair: Pair, criterion: str, antecedents: bool, forms: bool, match: str, zeros: str, singletons: bool, of: str = ""
) -> Items:
    """Mentions as items, with their outcomes under a criterion of ARCS: `any` or `nom`."""
    sides = mentions_of(pair, singletons)
    rule, spans = rule_of(pair), spans_of_mentions(pair)
    gold_span, system_span = (np.append(side.arguments["span"], NONE) for side in sides)
    nominal = None
    if criterion == "nom":
        if rule.tags is None:
            raise UsageError("arcs-nom needs tags to recognise nouns, but gold has none. Use arcs-any, which "
            "needs none.")
        is_nominal = spans.labels.isin(rule.nominal)
        nominal = is_nominal[gold_span[:-1]], is_nominal[system_span[:-1]]
    matches, antecedent = classify_mentions(*sides, nominal, match_mentions(pair, match, singletons, zeros))
    has_gold = matches.gold != NONE
    units = (np.append(side.unit, NONE) for side in sides)
    document = np.where(has_gold, next(units)[matches.gold], next(units)[matches.system])
    codes = np.array([KINDS.index(name) if name in KINDS else NONE for name in CLASSES])
    kind, spurious = codes[matches.kind], codes[matches.kind] == KINDS.index("fp")
    if of:
        # Gold's mentions of this type; and the system's of this type that are resolved if none of those is.
        in_gold, in_system = (np.append(mask, False) for mask in has_type(pair, of, singletons))
        counted = ~spurious & (kind != NONE) & in_gold[matches.gold]
        spurious = in_system[matches.system] & ~counted & matches.new_system
        kind = np.where(counted, kind, np.where(spurious, KINDS.index("fp"), NONE))
    span = np.where(has_gold, gold_span[matches.gold], system_span[matches.system])
    kept = np.flatnonzero(kind != NONE)
    # Gold's items first, in the order of their spans, which is the same for every system.
    rows = kept[np.lexsort((span[kept], spurious[kept]))]
    # A spurious mention has the number of its gold partner, if that has no antecedent, or its own.
    alone = spurious[rows] & (~has_gold[rows] | matches.new_gold[rows])
    partner, kind = system_span[matches.system[rows]], kind[rows]
    item = np.where(alone, partner, span[rows])
    labels, names = _label_spans(pair, forms)
    # A number for each span that does not depend on the other spans.
    first = pair.gold.first_words[spans.unit]
    keys = np.asarray(((first + spans.begin) << 31) + first + spans.end)
    for number, shape in spans.stretches.items():
        # Few spans have gaps; those with the same ends must have different numbers.
        keys[number] = -2 - (hash((int(first[number]), shape)) & (1 << 61) - 1)
    in_gold, in_system = kind != KINDS.index("fp"), kind != KINDS.index("fn")
    left_out = first_sentences_of(pair)[document[matches.kind == CLASSES.index("out")]]
    return Items.of(
        labels=names,
        sentence=first_sentences_of(pair)[document[rows]],
        item=item,
        gold=np.where(in_gold, labels[item], NONE),
        answer=np.where(in_system, labels[item], NONE),
        right=kind == 0,
        has_gold=in_gold,
        has_system=in_system,
        kinds=KINDS,
        kind=kind,
        label=labels[item],
        partner=partner,
        key=np.stack([keys[item], alone, np.full(len(item), NONE)]),
        target=np.where(kind == KINDS.index("wl"), np.append(keys, NONE)[system_span[antecedent[rows]]], NONE),
        same=("answer", "target") if antecedents else ("answer",),
        sums={"left-out": np.bincount(left_out, minlength=pair.gold.sentences)} if criterion == "nom" else {},
    )


def _label_spans(pair: Pair, forms: bool) -> tuple[Ints, tuple[str, ...]]:
    """Type of each span; with `forms`, types of single words that are not nominal include the word."""
    spans, rule = spans_of_mentions(pair), rule_of(pair)
    types = spans.label.astype(np.int64)
    if not forms:
        return types, spans.labels.vocabulary
    if rule.tags is None:
        raise UsageError("forms=true needs tags to recognise pronouns, but gold has none.")
    names = np.array(spans.labels.vocabulary, dtype=object)[types]
    words = pair.gold.first_words[spans.unit] + spans.begin
    for span in np.flatnonzero((spans.lengths() == 1) & ~spans.labels.isin(rule.nominal)).tolist():
        names[span] = f"{names[span]} {pair.gold.forms[int(words[span])].lower()}"
    codes: dict[str, int] = {}
    return as_codes(names.tolist(), codes).astype(np.int64), tuple(codes)


def _arcs_measure(name: str, *papers: str) -> Callable[[Judge], Judge]:
    return _measure(
        name,
        papers=("tuggener2014", "tuggener2017", *papers),
        scores=ARCS_SCORES,
        main="f1",
        count=tally_brackets,
        chosen=lambda parameters: (_define_scores(ARCS_SCORES, parameters["zero"]), {}),
        own_outcomes=True,
    )


@_arcs_measure("arcs-any")
def arcs_any(
    pair: Pair,
    *,
    of: str = "",
    antecedents: bool = False,
    forms: bool = False,
    match: str = "exact",
    zeros: str = "dependent",
    singletons: bool = True,
    zero: str = "",
) -> Items:
    """ARCS: mentions resolved to any of gold's antecedents.

    of: only mentions of one type: `zero`, `pronoun`, `noun`, `name` (by UPOS of the head), or a label, e.g. PRP.
    antecedents: whether another wrong antecedent is a changed error when systems are compared.
    forms: whether different pronouns (forms in lower case) are different labels.
    match, zeros, singletons, zero: as for mentions.
    Counts: tp (shares an antecedent with gold), wl (wrong link: has antecedents, none of them gold's), fn (no
        antecedent in the system), fp (none in gold); gold, system.
    Score: precision = tp/(tp+wl+fp), recall = tp/(tp+wl+fn), f1, accuracy = tp/(tp+wl). The first three are MUC's.
    Paper: Tuggener 2017, section 2.3, Tables 7 and 8. Peers: ARCS.
    """
    return _judge_mentions(pair, "any", antecedents, forms, match, zeros, singletons, of)


@_arcs_measure("arcs-nom")
def arcs_nom(
    pair: Pair,
    *,
    antecedents: bool = False,
    forms: bool = False,
    match: str = "exact",
    zeros: str = "dependent",
    singletons: bool = True,
    zero: str = "",
) -> Items:
    """ARCS: mentions resolved to the right nominal antecedent.

    antecedents, forms, match, zeros, singletons, zero: as for arcs-any.
    Counts: as for arcs-any; a mention is right if its closest nominal antecedent in the system is one of gold's.
        Mentions without a nominal antecedent in gold that have others are left out (left-out).
    Score: as for arcs-any.
    Paper: Tuggener 2017, section 2.3, Tables 8 and 11.
    """
    return _judge_mentions(pair, "nom", antecedents, forms, match, zeros, singletons)


@_arcs_measure("zeros", "zabokrtsky2022")
def zeros(
    pair: Pair,
    *,
    antecedents: bool = False,
    match: str = "exact",
    zeros: str = "dependent",
    singletons: bool = True,
    zero: str = "",
) -> Items:
    """Zeros, mentions whose head is an empty node, resolved to any of gold's antecedents: arcs-any(of=zero).

    antecedents, match, zeros, singletons, zero: as for arcs-any.
    Counts and scores: as for arcs-any, over zeros. A zero whose partner is a word counts.
    Peers: CorefUD scorer.
    """
    return _judge_mentions(pair, "any", antecedents, False, match, zeros, singletons, "zero")
