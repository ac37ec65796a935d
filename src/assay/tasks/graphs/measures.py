"""Graphs: sets of labelled arcs, as in the IWPT shared tasks (enhanced dependencies) and in SDP 2014/2015."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from assay.align import Pair
from assay.arrays import NONE
from assay.corpus import Column, Marks, one_vocabulary
from assay.engine.counts import by_label, tally_brackets, tally_whole_sentences
from assay.engine.items import Items
from assay.engine.matching import Steps
from assay.engine.measure import F1, FOUND, OVER_LABELS, Proportion, Scores, measure
from assay.errors import UsageError, unknown
from assay.tasks.graphs.arcs import (
    EMPTY,
    ENHANCEMENTS,
    PREDICATE,
    STEP,
    TOP,
    WHOLE_KINDS,
    Nodes,
    hash_name,
    is_top,
)

KINDS = ("tp", "le", "head", "dependent", "direction", "fn", "fp")
"""Outcomes of an arc: right, wrong label, head or dependent, turned round, missing, spurious."""
TP, LE, HEAD, DEPENDENT, DIRECTION, FN, FP = range(len(KINDS))
Sides = tuple[Marks, Marks]
"""The arcs of gold and of the system."""
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
arc_measure = partial(measure, scores=MATCHED, main="f1", count=tally_brackets, task="graphs")
sentence_measure = partial(
    measure,
    scores={"value": Proportion("right", "sentences")},
    count=tally_whole_sentences,
    task="graphs",
    noun="sentence",
)


def name_way(empty: str, without: str = "") -> str:
    """The name of a way to treat empty nodes and to take out enhancements."""
    if empty not in EMPTY:
        raise unknown("value of empty", empty, EMPTY)
    names = without.split("+") if without else []
    for name in names:
        if name not in ENHANCEMENTS:
            raise unknown("enhancement", name, ENHANCEMENTS)
    return " ".join([empty, *sorted(set(names))])


def nodes_of(pair: Pair) -> Nodes:
    """The nodes of both sides."""
    nodes = pair.layer(Nodes)
    if nodes is None:
        raise UsageError("this measure is for graphs, but something else is compared. Give --task graphs")
    return nodes


def arcs_of(pair: Pair, empty: str, without: str = "") -> Sides:
    """The arcs of both sides with empty nodes treated in one of the ways, and without some enhancements."""
    nodes_of(pair)
    return pair.marks[name_way(empty, without)]


def cut_subtypes(label: str) -> str:
    """A label with every step of its path cut at the first colon."""
    return STEP.join(step.partition(":")[0] for step in label.split(STEP))


def last_relation(label: str) -> str:
    """The universal relation of the last step of a path."""
    return label.rpartition(STEP)[2].partition(":")[0]


def match_arcs(pair: Pair, sides: Sides, *, labelled: bool = True, directed: bool = True) -> Items:
    """The arcs of both sides as items, paired one to one, right ones first.

    Then those between the same nodes, with the same dependent and label, the same head and label, those that are
    turned round. Among several the one whose other end lies nearer is taken, then the first in the text.
    """
    gold, system = sides
    nodes = nodes_of(pair)
    names, codes = one_vocabulary([gold.labels, system.labels])
    if not labelled:
        names, codes = (_ARC,), [np.zeros_like(one) for one in codes]
    label = (codes[0], codes[1])
    ends = [np.stack([arcs.arguments["dependent"], arcs.arguments["head"]]) for arcs in sides]
    if not directed:
        ends = [np.sort(one, axis=0) for one in ends]
    (dependent, head), (other_dependent, other_head) = ends
    dependents, heads = (dependent, other_dependent), (head, other_head)
    steps = Steps(len(gold), len(system))
    steps.by_columns(TP, dependents, heads, label)
    steps.by_columns(LE, dependents, heads)
    steps.by_columns(HEAD, dependents, label, near=(nodes.position[head], nodes.position[other_head]))
    steps.by_columns(DEPENDENT, heads, label, near=(nodes.position[dependent], nodes.position[other_dependent]))
    if directed:
        turned = (dependent, other_head), (head, other_dependent)
        steps.by_columns(DIRECTION, *turned, label)
        steps.by_columns(DIRECTION, *turned)
    matches = steps.matches(FN, FP)
    key = np.stack([*(nodes.identity[system.arguments[role]] for role in ("dependent", "head")), codes[1]])
    # If one end is gold's, the sum of both identifies the other end.
    either = np.isin(matches.kind, (HEAD, DEPENDENT))
    target = np.where(either, np.append(key[0] + key[1], NONE)[matches.system], NONE)
    numbers = (gold.number, system.number)
    same = ("answer", "target")
    return matches.items(KINDS, gold, system, key, labels=(names, *label), numbers=numbers, target=target, same=same)


def whole_sentences_of(pair: Pair, items: Items) -> Items:
    """Gold sentences as items: right if all of some items are, the system adds none and has the same sentence.

    Those items are kept for drawings.
    """
    pair.once(PARTS, lambda: items)
    wrong = np.bincount(items.sentence[items.kind[0] != TP], minlength=pair.gold.sentences) > 0
    sentences = np.flatnonzero(~pair.skipped)
    right = (pair.same_sentences() & ~wrong)[sentences]
    gold, answer = np.zeros(len(sentences), dtype=np.int64), (~right).astype(np.int64)
    return Items.of(("right", "wrong"), sentences, sentences, gold, answer, right)


# --- enhanced dependencies ---


def prepare_sides(
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
    chosen = []
    for arcs in arcs_of(pair, empty, without):
        vocabulary, counted = arcs.labels.vocabulary, arcs
        if relations:
            wanted = set(relations.split("+"))
            counted = arcs.where(arcs.labels.isin(label for label in vocabulary if last_relation(label) in wanted))
        # A top that has no label is `(top)`.
        names = {"": TOP}
        for label in filter(None, vocabulary):
            steps = label.split(STEP)
            for number, step in enumerate(steps if not case_labels else ()):
                # Without prepositions, conjunctions and cases after relations that may have them.
                relation, colon, rest = step.partition(":")
                first = rest.partition(":")[0]
                if colon and relation in WITH_CASES:
                    steps[number] = f"{relation}:{first}" if first in subtypes_kept.split("+") else relation
            short = STEP.join(steps)
            names[label] = cut_subtypes(short) if cut else short
        chosen.append(replace(counted, labels=counted.labels.mapped(names)))
    return chosen[0], chosen[1]


@arc_measure("elas", signed=("empty",), papers=("bouma2020",))
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
    found = prepare_sides(
        pair, empty, case_labels=case_labels, subtypes_kept=subtypes_kept, relations=relations, without=without
    )
    return match_arcs(pair, found)


@arc_measure("eulas", signed=("empty",), papers=("bouma2020",))
def eulas(pair: Pair, *, empty: str = "collapse", relations: str = "", without: str = "") -> Items:
    """Arcs of enhanced dependencies with gold's head and gold's universal relation.

    empty, relations, without: as for elas.
    Counts and Score: as for elas; every step of a label is cut at its first colon. If two arcs are then equal, each
        is matched with one.
    Peers: iwpt21_xud_eval, udeval.
    """
    return match_arcs(pair, prepare_sides(pair, empty, cut=True, relations=relations, without=without))


@arc_measure("euas", signed=("empty",), papers=("bouma2020",))
def euas(pair: Pair, *, empty: str = "collapse") -> Items:
    """Arcs of enhanced dependencies with gold's head, whatever their label.

    empty: as for elas.
    Counts and Score: as for elas.
    """
    return match_arcs(pair, arcs_of(pair, empty), labelled=False)


@sentence_measure("elas-exact", signed=("empty",), papers=("bouma2020",))
def elas_exact(pair: Pair, *, empty: str = "collapse") -> Items:
    """Gold sentences whose whole enhanced graph is right.

    empty: as for elas.
    Counts: right, sentences. Score: value = right/sentences; a sentence that the system cuts otherwise is wrong, two
        graphs without arcs are equal.
    """
    return whole_sentences_of(pair, match_arcs(pair, prepare_sides(pair, empty)))


# --- semantic dependencies ---


def _semantic(pair: Pair, top: bool, punctuation: bool, directed: bool, labelled: bool) -> Items:
    """Semantic dependencies as items; tops have one label."""
    nodes = nodes_of(pair)
    marks = np.zeros(len(nodes.position), dtype=bool)
    if not punctuation:
        # Gold says what is punctuation; the system does for words that gold does not have.
        for corpus, first in ((pair.gold, 0), (pair.system, nodes.beyond)):
            marks[first : first + len(corpus)] = corpus.column(TAG).isin(PUNCTUATION)
    chosen = []
    for arcs in arcs_of(pair, "collapse"):
        known = {label: code for code, label in enumerate(arcs.labels.vocabulary)}
        codes = np.where(is_top(arcs), known.setdefault(TOP, len(known)), arcs.label)
        out = marks[arcs.arguments["dependent"]] | marks[arcs.arguments["head"]]
        rows = np.flatnonzero(~(out if top else out | is_top(arcs)))
        counted = replace(arcs, labels=Column(codes.astype(np.int32), tuple(known))).where(rows)
        if not directed:
            # Of two arcs that are the same without their direction, one counts.
            ends = np.sort(np.stack([counted.arguments["dependent"], counted.arguments["head"]]), axis=0)
            keys = np.stack([*ends, counted.label] if labelled else [*ends])
            counted = counted.where(np.sort(np.unique(keys, axis=1, return_index=True)[1]))
        chosen.append(counted)
    return match_arcs(pair, (chosen[0], chosen[1]), labelled=labelled, directed=directed)


@arc_measure("sdp", papers=_OEPEN)
def sdp(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Semantic dependencies with gold's label, and tops (LP, LR, LF).

    top: whether tops count, as arcs from the root.
    punctuation: whether arcs count that begin or end at words tagged . , : ( ) or PUNCT in gold.
    directed: whether it matters which end is the head; if not, equal arcs count once.
    Counts and Score: as for elas.
    Paper: Oepen et al. 2014, 2015. Peers: SDP toolkit, mtool --score sdp.
    """
    return _semantic(pair, top, punctuation, directed, True)


@arc_measure("sdp-unlabelled", papers=_OEPEN)
def sdp_unlabelled(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Semantic dependencies whatever their label, and tops (UP, UR, UF).

    top, punctuation, directed: as for sdp.
    Counts and Score: as for elas.
    Peers: SDP toolkit, mtool --score sdp.
    """
    return _semantic(pair, top, punctuation, directed, False)


@sentence_measure("sdp-exact", papers=_OEPEN)
def sdp_exact(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Gold sentences whose semantic dependencies are all right (LM).

    top, punctuation, directed: as for sdp.
    Counts and Score: as for elas-exact.
    Peers: SDP toolkit, mtool --score sdp.
    """
    return whole_sentences_of(pair, _semantic(pair, top, punctuation, directed, True))


@sentence_measure("sdp-unlabelled-exact", papers=_OEPEN)
def sdp_unlabelled_exact(pair: Pair, *, top: bool = True, punctuation: bool = True, directed: bool = True) -> Items:
    """Gold sentences whose semantic dependencies are all right except for their labels (UM).

    top, punctuation, directed: as for sdp.
    Counts and Score: as for elas-exact.
    Peers: SDP toolkit, mtool --score sdp.
    """
    return whole_sentences_of(pair, _semantic(pair, top, punctuation, directed, False))


def _predications(pair: Pair, arguments: str, predicates: str, frames: bool) -> Items:
    """Predicates as items, right with all their arguments and, if `frames`, with their frames."""
    wanted = None if arguments in ("all", "dm") else PAS if arguments == "pas" else set(arguments.split("+"))

    def counts(label: str) -> bool:
        return wanted is None or (label.endswith("-arg") if arguments == "psd" else label in wanted)

    gold, system = (
        arcs.where(~is_top(arcs) & arcs.labels.isin(filter(counts, arcs.labels.vocabulary)))
        for arcs in arcs_of(pair, "collapse")
    )
    items, nodes = match_arcs(pair, (gold, system)), nodes_of(pair)
    pair.once(PARTS, lambda: items)
    # A predication is right where both sides have as many arguments, and all of them are right.
    heads = gold.arguments["head"], system.arguments["head"], gold.arguments["head"][items.kind[0, : len(gold)] == TP]
    sizes = [np.bincount(head, minlength=len(nodes.position)) for head in heads]
    whole = (sizes[0] == sizes[1]) & (sizes[0] == sizes[2])
    chosen = []
    for corpus, marks in zip((pair.gold, pair.system), pair.marks["predicates"], strict=True):
        tags = corpus.column(TAG)
        wanted_tags = tags.isin(tag for tag in tags.vocabulary if predicates == ANY or tag.startswith(predicates))
        chosen.append(marks.where(wanted_tags[marks.arguments["own_dependent"]]))
    ours, theirs = chosen
    words, other_words = ours.arguments["dependent"], theirs.arguments["dependent"]
    steps = Steps(len(ours), len(theirs))
    steps.by_columns(TP, (words, other_words))
    paired = steps.partner != NONE
    steps.kind[paired & ~whole[words]] = WHOLE_KINDS.index("arguments")
    if frames:
        _, (frame, other_frame) = one_vocabulary([ours.labels, theirs.labels])
        steps.kind[paired & (frame != np.append(other_frame, NONE)[steps.partner])] = WHOLE_KINDS.index("sense")
    matches = steps.matches(WHOLE_KINDS.index("fn"), WHOLE_KINDS.index("fp"))
    frame_numbers = np.array([hash_name(name) for name in theirs.labels.vocabulary] or [0], dtype=np.int64)
    target = np.append(frame_numbers[theirs.label], NONE)[matches.system]
    same_label = np.zeros(len(ours), dtype=np.int64), np.zeros(len(theirs), dtype=np.int64)
    return matches.items(
        WHOLE_KINDS,
        ours,
        theirs,
        np.stack([nodes.identity[other_words], same_label[1]]),
        labels=((PREDICATE,), *same_label),
        numbers=(ours.number, theirs.number),
        target=np.where(matches.kind == WHOLE_KINDS.index("sense"), target, NONE),
        same=("answer", "target"),
    )


@arc_measure("predications", noun="predicate", own_outcomes=True, papers=_OEPEN)
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


@arc_measure("frames", noun="predicate", own_outcomes=True, papers=_OEPEN)
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
    gold, system = prepare_sides(pair, empty, cut=labels == "universal")
    return match_arcs(pair, (gold, system) if top else (gold.where(~is_top(gold)), system.where(~is_top(system))))
