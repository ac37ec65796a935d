"""Graphs: sets of labelled arcs, as in the IWPT shared tasks (enhanced dependencies) and in SDP 2014/2015."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, all_but
from assay.corpus import Column, Corpus, one_vocabulary
from assay.engine.counts import bracketed, by_label, whole_sentences
from assay.engine.items import Items
from assay.engine.measure import F1, FOUND, OVER_LABELS, Proportion, Scores, measure
from assay.errors import UsageError, unknown
from assay.tasks.graphs.arcs import (
    DEPENDENT,
    EMPTY,
    ENHANCEMENTS,
    FP,
    HEAD,
    KINDS,
    PREDICATE,
    PREDICATES,
    STEP,
    TOP,
    TP,
    WHOLE_KINDS,
    Arcs,
    GraphPair,
    Sides,
    matching,
    number_of,
)

PARTS = "parts of what is judged as a whole"
"""The name under which a pair keeps the arcs that make sentences or predications right or wrong."""
TAG = "tag"
"""The column of part-of-speech tags."""
PUNCTUATION = frozenset({".", ",", ":", "(", ")", "PUNCT"})
"""Tags of punctuation, in the Penn treebank and in UPOS."""
WITH_CASES = frozenset({"obl", "nmod", "conj", "advcl", "acl"})
"""Relations whose labels may name a preposition, a conjunction or a case …"""
SUBTYPES = "agent+arg+tmod+poss+relcl+pass+xsubj+npmod+unmarked"
"""… and what may follow the colon otherwise."""
PAS = frozenset(
    {
        *("adj_ARG1", "adj_ARG2", "adj_MOD", "coord_ARG1", "coord_ARG2", "prep_ARG1", "prep_ARG2", "prep_ARG3"),
        *("prep_MOD", "verb_ARG1", "verb_ARG2", "verb_ARG3", "verb_ARG4", "verb_MOD"),
    }
)
LABELS = ("universal", "full")
ANY = "any"
_OEPEN = ("oepen2014", "oepen2015")
_ARC = "arc"
"""The label of all arcs where labels do not count."""


_f1 = F1(lambda sums: 2 * sums["tp"], lambda sums: sums["gold"] + sums["system"])
MATCHED: Scores = {"f1": _f1, "precision": Proportion("tp", "system"), "recall": Proportion("tp", "gold")}
"""Scores of items that are made pairs."""
EXACT: Scores = {"value": Proportion("right", "sentences")}


def way(empty: str, without: str = "") -> str:
    """The name of a way to treat empty nodes and to take out enhancements."""
    if empty not in EMPTY:
        raise unknown("value of empty", empty, EMPTY)
    names = without.split("+") if without else []
    for name in names:
        if name not in ENHANCEMENTS:
            raise unknown("enhancement", name, ENHANCEMENTS)
    return " ".join([empty, *sorted(set(names))])


def sides(pair: Pair, empty: str, without: str = "") -> Sides:
    """The arcs of both sides with empty nodes treated in one of the ways, and without some enhancements."""
    layer, named = pair.layer(GraphPair), empty if empty == PREDICATES else way(empty, without)
    if layer is None or named not in layer.sides:
        raise UsageError("this measure is about graphs, but something else is compared. Say --task graphs")
    return layer.sides[named]


def universal(label: str) -> str:
    """A label with every step of its path cut at the first colon."""
    return STEP.join(step.partition(":")[0] for step in label.split(STEP))


def last_relation(label: str) -> str:
    """The universal relation of the last step of a path."""
    return label.rpartition(STEP)[2].partition(":")[0]


def _without_case(label: str, kept: Iterable[str]) -> str:
    """A label without prepositions, conjunctions and cases behind relations that may have them."""
    steps = []
    for step in label.split(STEP):
        relation, colon, rest = step.partition(":")
        first = rest.partition(":")[0]
        cut = bool(colon) and relation in WITH_CASES
        steps.append((f"{relation}:{first}" if first in kept else relation) if cut else step)
    return STEP.join(steps)


def _named(arcs: Arcs, rename: dict[str, str] | None) -> Arcs:
    """The arcs under other labels; those of tops that have none are `(top)`."""
    names = {"": TOP} if rename is None else {**rename, "": TOP}
    return arcs.renamed(names) if any(label in names for label in arcs.labels.vocabulary) else arcs


def judged(found: Sides, labels: str | None = "full", *, directed: bool = True) -> Items:
    """The arcs of both sides as items: gold's in order, then the spurious ones; `labels` None: they do not count."""
    gold, system = found.gold, found.system
    names, (ours, theirs) = one_vocabulary([gold.labels, system.labels])
    ours, theirs = ours.astype(np.int64), theirs.astype(np.int64)
    if labels is None:
        names = (_ARC,)
        ours, theirs = np.zeros_like(ours), np.zeros_like(theirs)
    pairs = matching(found, ours, theirs, directed=directed)
    extra = pairs.spurious
    partner = np.concatenate([pairs.partner, extra])
    kind = np.concatenate([pairs.kind, np.full(len(extra), FP)])
    own = np.concatenate([ours, np.full(len(extra), NONE)])
    answer = np.append(theirs, NONE)[partner]
    has_gold = np.arange(len(partner)) < len(gold)
    # NONE is -1, the last.
    places = [np.append(found.identity[ends], NONE)[partner] for ends in (system.dependent, system.head)]
    # Where one end is gold's, both together tell the other end.
    target = np.where((kind == HEAD) | (kind == DEPENDENT), places[0] + places[1], NONE)
    return Items.of(
        labels=names,
        sentence=np.concatenate([gold.sentence, system.sentence[extra]]),
        item=np.concatenate([gold.number, system.number[extra]]),
        gold=own,
        answer=answer,
        right=kind == TP,
        has_gold=has_gold,
        has_system=partner != NONE,
        kinds=KINDS,
        kind=kind,
        label=np.where(has_gold, own, answer),
        partner=np.append(system.number, NONE)[partner],
        key=np.stack([*places, answer]),
        target=target,
        same=("answer", "target"),
    )


def whole_sentences_of(pair: Pair, items: Items) -> Items:
    """Gold sentences as items: right where all of some items are, the system adds none and cuts the text alike.

    Those items are kept for drawings.
    """
    pair.once(PARTS, lambda: items)
    wrong = np.bincount(items.sentence[items.kind[0] != TP], minlength=pair.gold.sentences) > 0
    sentences = np.flatnonzero(~pair.skipped)
    right = (pair.same_sentences() & ~wrong)[sentences]
    gold, answer = np.zeros(len(sentences), dtype=np.int64), (~right).astype(np.int64)
    return Items.of(("right", "wrong"), sentences, sentences, gold, answer, right)


# --- enhanced dependencies ---


def enhanced(
    pair: Pair,
    empty: str,
    *,
    cut: bool = False,
    case_labels: bool = True,
    subtypes_kept: str = "",
    relations: str = "",
    without: str = "",
) -> Sides:
    """Both sides with labels as a measure compares them; `cut`: as universal relations."""
    found = sides(pair, empty, without)
    chosen = []
    for arcs in (found.gold, found.system):
        vocabulary, counted = arcs.labels.vocabulary, arcs
        if relations:
            wanted = set(relations.split("+"))
            counted = arcs.where(arcs.labels.isin(label for label in vocabulary if last_relation(label) in wanted))
        rename = {}
        for label in vocabulary:
            short = label if case_labels else _without_case(label, subtypes_kept.split("+"))
            rename[label] = universal(short) if cut else short
        chosen.append(_named(counted, rename))
    return replace(found, gold=chosen[0], system=chosen[1])


@measure("elas", scores=MATCHED, main="f1", count=bracketed, task="graphs", signed=("empty",), papers=("bouma2020",))
def elas(
    pair: Pair,
    *,
    empty: str = "collapse",
    case_labels: bool = True,
    subtypes_kept: str = SUBTYPES,
    relations: str = "",
    without: str = "",
) -> Items:
    """Arcs of enhanced dependencies with gold's head and gold's whole label.

    empty: arcs through empty nodes become arcs between words whose label is the path, `conj>nsubj` (`collapse`, as in
        the IWPT shared tasks); arcs at empty nodes are left out on both sides (`drop`); or empty nodes of gold and
        system are made pairs (`align`).
    case_labels: whether `obl:in` and `obl:on` are two labels; if not, what follows the colon is cut from obl, nmod,
        conj, advcl and acl, unless it is among subtypes_kept.
    relations: only arcs with these universal relations count, e.g. `nsubj+obj`; all where none is named.
    without: enhancements that are taken out on both sides, as a treebank may lack them: `gapping`, `shared-heads`,
        `shared-dependents`, `control`, `relative-clauses`, joined by +. HEAD and DEPREL tell what the tree has.
    Counts: tp (right), le, head, dependent, direction (one end or the label is wrong), fn (missing), fp (spurious);
        gold, system (arcs).
    Score: precision = tp/system, recall = tp/gold, f1 = 2·tp/(gold+system).
    Paper: Bouma et al. 2020.
    Peers: iwpt21_xud_eval, udeval.
    """
    found = enhanced(
        pair, empty, case_labels=case_labels, subtypes_kept=subtypes_kept, relations=relations, without=without
    )
    return judged(found)


@measure("eulas", scores=MATCHED, main="f1", count=bracketed, task="graphs", signed=("empty",), papers=("bouma2020",))
def eulas(pair: Pair, *, empty: str = "collapse", relations: str = "", without: str = "") -> Items:
    """Arcs of enhanced dependencies with gold's head and gold's universal relation.

    empty, relations, without: as for elas.
    Counts and Score: as for elas; every step of a label is cut at its first colon. Where two arcs then look alike,
        each answers for one.
    Peers: iwpt21_xud_eval, udeval.
    """
    return judged(enhanced(pair, empty, cut=True, relations=relations, without=without))


@measure("euas", scores=MATCHED, main="f1", count=bracketed, task="graphs", signed=("empty",), papers=("bouma2020",))
def euas(pair: Pair, *, empty: str = "collapse") -> Items:
    """Arcs of enhanced dependencies with gold's head, whatever their label.

    empty: as for elas.
    Counts and Score: as for elas.
    """
    return judged(sides(pair, empty), None)


@measure(
    "elas-exact",
    scores=EXACT,
    count=whole_sentences,
    task="graphs",
    noun="sentence",
    signed=("empty",),
    papers=("bouma2020",),
)
def elas_exact(pair: Pair, *, empty: str = "collapse") -> Items:
    """Gold sentences whose whole enhanced graph is right.

    empty: as for elas.
    Counts: right, sentences. Score: value = right/sentences; a sentence that the system cuts otherwise is wrong, two
        graphs without arcs are equal.
    """
    return whole_sentences_of(pair, judged(enhanced(pair, empty)))


# --- semantic dependencies ---


def _semantic(pair: Pair, top: bool, punctuation: bool, directed: bool, labelled: bool) -> Sides:
    found = sides(pair, "collapse")
    gold, system = (_tops(arcs) for arcs in (found.gold, found.system))
    if not top:
        gold, system = gold.where(~gold.top), system.where(~system.top)
    if not punctuation:
        marks = _punctuation(pair, found)
        gold, system = (arcs.where(~(marks[arcs.dependent] | marks[arcs.head])) for arcs in (gold, system))
    if not directed:
        gold, system = (_undirected(arcs, labelled) for arcs in (gold, system))
    return replace(found, gold=gold, system=system)


def _tops(arcs: Arcs) -> Arcs:
    """The arcs with tops under one label."""
    known = {label: code for code, label in enumerate(arcs.labels.vocabulary)}
    codes = np.where(arcs.top, known.setdefault(TOP, len(known)), arcs.labels.codes)
    return replace(arcs, labels=replace(arcs.labels, codes=codes.astype(np.int32), vocabulary=tuple(known)))


def _undirected(arcs: Arcs, labelled: bool) -> Arcs:
    """The arcs without direction: of two that are then alike, one."""
    ends = np.sort(np.stack([arcs.dependent, arcs.head]), axis=0)
    rows = [*ends, arcs.labels.codes] if labelled else [*ends]
    _, first = np.unique(np.stack(rows), axis=1, return_index=True)
    return arcs.where(np.sort(first))


def _punctuation(pair: Pair, found: Sides) -> Bools:
    """Mask of the nodes that are punctuation: gold tells, the system where gold does not have the word."""
    marks = np.zeros(len(found.position), dtype=bool)
    gold, system = (corpus.column(TAG).isin(PUNCTUATION) for corpus in (pair.gold, pair.system))
    marks[: len(gold)] = gold
    marks[found.nodes[1] : found.nodes[1] + len(system)] = system
    return marks


@measure("sdp", scores=MATCHED, main="f1", count=bracketed, task="graphs", papers=_OEPEN)
def sdp(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Semantic dependencies with gold's label, and tops (LP, LR, LF).

    top: whether tops count, as arcs from the root.
    punctuation: whether arcs count that begin or end at words tagged . , : ( ) or PUNCT in gold.
    directed: whether it matters which end is the head; if not, of arcs that are then alike one counts.
    Counts and Score: as for elas.
    Paper: Oepen et al. 2014, 2015. Peers: SDP toolkit, mtool --score sdp.
    """
    return judged(_semantic(pair, top, punctuation, directed, True), directed=directed)


@measure("sdp-unlabelled", scores=MATCHED, main="f1", count=bracketed, task="graphs", papers=_OEPEN)
def sdp_unlabelled(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Semantic dependencies whatever their label, and tops (UP, UR, UF).

    top, punctuation, directed: as for sdp.
    Counts and Score: as for elas.
    Peers: SDP toolkit, mtool --score sdp.
    """
    return judged(_semantic(pair, top, punctuation, directed, False), None, directed=directed)


@measure("sdp-exact", scores=EXACT, count=whole_sentences, task="graphs", noun="sentence", papers=_OEPEN)
def sdp_exact(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Gold sentences whose semantic dependencies are all right (LM).

    top, punctuation, directed: as for sdp.
    Counts and Score: as for elas-exact.
    Peers: SDP toolkit, mtool --score sdp.
    """
    return whole_sentences_of(pair, judged(_semantic(pair, top, punctuation, directed, True), directed=directed))


@measure("sdp-unlabelled-exact", scores=EXACT, count=whole_sentences, task="graphs", noun="sentence", papers=_OEPEN)
def sdp_unlabelled_exact(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Gold sentences whose semantic dependencies are all right but for their labels (UM).

    top, punctuation, directed: as for sdp.
    Counts and Score: as for elas-exact.
    Peers: SDP toolkit, mtool --score sdp.
    """
    return whole_sentences_of(
        pair, judged(_semantic(pair, top, punctuation, directed, False), None, directed=directed)
    )


def _predications(pair: Pair, arguments: str, predicates: str, frames: bool) -> Items:
    found, named = sides(pair, "collapse"), sides(pair, PREDICATES)
    wanted = None if arguments in ("all", "dm") else PAS if arguments == "pas" else set(arguments.split("+"))
    gold, system = (
        arcs.where(
            ~arcs.top
            & arcs.labels.isin(
                label
                for label in arcs.labels.vocabulary
                if wanted is None or (label.endswith("-arg") if arguments == "psd" else label in wanted)
            )
        )
        for arcs in (found.gold, found.system)
    )
    items = judged(replace(found, gold=gold, system=system))
    pair.once(PARTS, lambda: items)
    # A predication is right where both sides have as many arguments, and all of them are right.
    nodes = len(found.position)
    same = np.bincount(gold.head[items.kind[0, : len(gold)] == TP], minlength=nodes)
    sizes = [np.bincount(arcs.head, minlength=nodes) for arcs in (gold, system)]
    whole = (sizes[0] == sizes[1]) & (sizes[0] == same)
    ours, theirs = (
        arcs.where(_tagged(corpus, predicates)[arcs.own_dependent])
        for corpus, arcs in ((pair.gold, named.gold), (pair.system, named.system))
    )
    _, (frame, their_frame) = one_vocabulary([ours.labels, theirs.labels])
    _, here, there = np.intersect1d(ours.dependent, theirs.dependent, assume_unique=True, return_indices=True)
    partner = np.full(len(ours), NONE)
    partner[here] = there
    kind = np.full(len(ours), WHOLE_KINDS.index("fn"))
    kind[here] = np.where(whole[ours.dependent[here]], TP, WHOLE_KINDS.index("arguments"))
    if frames:
        kind[here[frame[here] != their_frame[there]]] = WHOLE_KINDS.index("sense")
    spurious = all_but(there, len(theirs))
    partner = np.concatenate([partner, spurious])
    kind = np.concatenate([kind, np.full(len(spurious), WHOLE_KINDS.index("fp"))])
    # One label for all; NONE is -1, the last.
    own = np.concatenate([np.zeros(len(ours), dtype=np.int64), np.full(len(spurious), NONE)])
    answer = np.where(partner == NONE, NONE, 0)
    return Items.of(
        labels=(PREDICATE,),
        sentence=np.concatenate([ours.sentence, theirs.sentence[spurious]]),
        item=np.concatenate([ours.number, theirs.number[spurious]]),
        gold=own,
        answer=answer,
        right=kind == TP,
        kinds=WHOLE_KINDS,
        kind=kind,
        label=np.zeros(len(partner), dtype=np.int64),
        partner=np.append(theirs.number, NONE)[partner],
        key=np.stack([np.append(named.identity[theirs.dependent], NONE)[partner], answer]),
        target=np.where(kind == WHOLE_KINDS.index("sense"), _codes_of(theirs.labels)[partner], NONE),
        same=("answer", "target"),
    )


def _tagged(corpus: Corpus, beginning: str) -> Bools:
    """Mask of the words whose tags begin so; all of them for `any`."""
    if beginning == ANY:
        return np.ones(len(corpus), dtype=bool)
    tags = corpus.column(TAG)
    return tags.isin(tag for tag in tags.vocabulary if tag.startswith(beginning))


def _codes_of(names: Column) -> Ints:
    """A number for each name that is the same in every system, and NONE at the end."""
    codes = np.array([number_of(name) for name in names.vocabulary] or [0], dtype=np.int64)
    return np.append(codes[names.codes], NONE)


@measure(
    "predications",
    scores=MATCHED,
    main="f1",
    count=bracketed,
    task="graphs",
    noun="predicate",
    own_outcomes=True,
    papers=_OEPEN,
)
def predications(pair: Pair, *, arguments: str = "all", predicates: str = "V") -> Items:
    """Complete predications: predicates with gold's arguments, all of them and no others (PP, PR, PF).

    arguments: labels that are arguments: `all`, `dm` (all), `psd` (those that end in -arg), `pas` (of adjectives,
        coordinations, prepositions and verbs), or a list, `ARG1+ARG2`.
    predicates: the beginning of the tags of predicates that count; `any` for all.
    Counts: tp, arguments (some are wrong), sense (frames: the frame is wrong), fn, fp, gold, system (predicates; one
        without arguments counts too). Score: as for elas.
    Peers: SDP toolkit.
    """
    return _predications(pair, arguments, predicates, False)


@measure(
    "frames",
    scores=MATCHED,
    main="f1",
    count=bracketed,
    task="graphs",
    noun="predicate",
    own_outcomes=True,
    papers=_OEPEN,
)
def frames(pair: Pair, *, arguments: str = "all", predicates: str = "V") -> Items:
    """Semantic frames: complete predications whose frame is gold's too (FP, FR, FF).

    arguments, predicates: as for predications.
    Counts and Score: as for predications.
    Peers: SDP toolkit.
    """
    return _predications(pair, arguments, predicates, True)


# --- by label ---


@measure(
    "arc-f1",
    scores=FOUND,
    averages=OVER_LABELS,
    main="f1",
    count=by_label,
    tested=("f1", "macro-f1"),
    task="graphs",
    papers=_OEPEN,
)
def arc_f1(pair: Pair, *, labels: str = "universal", empty: str = "collapse", top: bool = True) -> Items:
    """Precision, recall and F1 of the arcs with each label, and their averages.

    labels: `universal`: relations cut at the first colon; `full`: as they are.
    empty: as for elas. top: as for sdp.
    Counts: per label right, gold, system; tops are under their label or under (top). Score: as for tag-f1.
    Peers: SDP toolkit.
    """
    if labels not in LABELS:
        raise unknown("value of labels", labels, LABELS)
    found = enhanced(pair, empty, cut=labels == "universal")
    if not top:
        found = replace(found, gold=found.gold.where(~found.gold.top), system=found.system.where(~found.system.top))
    return judged(found)
