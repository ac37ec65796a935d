"""Relations between spans: right by a chosen criterion, fair, as facts of documents, and as in eHealth-KD."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Floats, Ints, as_codes, distinct_rows, pack_columns, ratio
from assay.corpus import Marks
from assay.engine.counts import Counts, Sums, by_label
from assay.engine.counts import tally_outcomes as by_kind
from assay.engine.items import Items
from assay.engine.lexicon import KNOWN
from assay.engine.matching import Steps, find_overlaps
from assay.engine.measure import BEYOND_CHANCE, F1, MATCHED, SCORES, Macro, Proportion, Ratio, Score, Scores, measure
from assay.engine.spanpairs import line_of, span_keys, spans_of
from assay.engine.weighting import Parts, weighted_scores
from assay.errors import InputError, UsageError, unknown
from assay.formats.relations import is_symmetric
from assay.tasks.relations.matching import (
    ENTITIES,
    FAIR,
    MATCHES,
    match_facts,
    match_fairly,
    match_relations,
    relation_columns,
)
from assay.tasks.relations.pairs import (
    EQUIVALENT,
    ROLES,
    choose_relations,
    ends_of,
    first_of_each,
    found_spans,
    have_both,
    number_arguments,
    overlapped_spans,
    relations_of,
    span_classes,
)

FOUND = ("tp", "fn", "fp")
"""Outcomes of relations that are right or wrong."""
ERRORS = FAIR[1:6]
"""Types of error of a relation with a partner."""
CAUSES = ("fn-argument-missing", "fn-not-related", "fp-argument-spurious", "fp-spurious")
"""Causes of missing and spurious relations."""
_HALF: Parts = (0.0, 0.5, 0.5)
_PRESETS: Mapping[str, Mapping[str, Parts]] = {
    "fair": dict.fromkeys(ERRORS, _HALF),
    "be-half": {**dict.fromkeys(ERRORS, _HALF), "be": (0.5, 0.25, 0.25)},
    "all-fp": dict.fromkeys(ERRORS, (0.0, 1.0, 0.0)),
    "all-fn": dict.fromkeys(ERRORS, (0.0, 0.0, 1.0)),
}
_TAILLE = ("taille2020",)
_VALUES = {
    "match": MATCHES,
    "types": ("any", "same"),
    "label": ("same", "any"),
    "direction": ("kept", "any"),
    "given": ("", "spans"),
    "entities": ENTITIES,
    "ignore": ("", "train"),
    "task": ("both", "spans", "relations"),
}
"""Values of parameters."""


def _check_values(**parameters: str) -> None:
    for name, value in parameters.items():
        if value not in _VALUES[name]:
            raise unknown(f"value of {name}", value, [*filter(None, _VALUES[name])])


def _check_types(pair: Pair, name: str) -> None:
    """Raise an error if a measure compares the types of arguments without a type."""
    sides, spans = relations_of(pair), spans_of(pair)
    for corpus, relations, side in zip((pair.gold, pair.system), sides, spans, strict=True):
        empty = np.array([not label for label in side.labels.vocabulary] or [False])
        number = int(empty[side.label[np.unique(ends_of(relations, np.arange(len(side))))]].sum())
        if number:
            what = "1 argument has" if number == 1 else f"{number:,} arguments have"
            raise InputError(
                f"{corpus.name}: {what} no type, which {name} compares. Use "
                "relations(match=boundary), which compares places alone."
            )


def relation_items(pair: Pair, sides: tuple[Marks, Marks], steps: Steps, kinds: tuple[str, ...] = FOUND) -> Items:
    """Relations as items, identified by the places and types of their arguments and by their labels."""
    (gold, system), starts = sides, line_of(pair).sentence_places
    columns = []
    for end in (system.arguments[role] for role in ROLES):
        keys = span_keys(pair)[:, end]
        # Places are counted from the beginning of the relation's sentence.
        keys[:2] += starts[spans_of(pair)[1].unit[end]] - starts[system.unit]
        columns.append(keys)
    # A relation without direction is the same from either end.
    head, tail = columns
    ranks = pack_columns(*np.hstack(columns))
    turned = is_symmetric(system) & (ranks[: len(system)] > ranks[len(system) :])
    columns = [np.where(turned, tail, head), np.where(turned, head, tail)]
    matches = steps.matches(kinds.index("fn"), kinds.index("fp"))
    key = np.concatenate([*columns, [system.label]]).astype(np.int64)
    return matches.items(kinds, gold, system, key, numbers=(gold.number, system.number))


_AVERAGES: Scores = {"macro-f1": Macro(MATCHED["f1"], FOUND)}


def _relation_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """Scores and averages; with given=spans also the share of gold's relations that can be found."""
    ceiling: Scores = {"ceiling": Proportion("gold", "all")} if parameters.get("given") else {}
    return {**MATCHED, **ceiling}, _AVERAGES


@measure(
    "relations",
    papers=_TAILLE,
    scores=MATCHED,
    averages=_AVERAGES,
    main="f1",
    count=by_kind,
    task="relations",
    chosen=_relation_scores,
    named=("match",),
)
def relations(
    pair: Pair,
    *,
    match: str = "strict",
    types: str = "any",
    label: str = "same",
    direction: str = "kept",
    symmetric: str = "",
    given: str = "",
    equivalence: bool = False,
) -> Items | Counts:
    """Relations with gold's label between gold's arguments.

    match: arguments are equal by place and type (`strict`), by place (`boundary`), if they share an atom (`overlap`:
        as many pairs as possible, those with the same places first), or by their `first` or `last` atom.
    types: for overlap, first and last: whether types of arguments must be the `same`, or `any`.
    label: whether the label must be the `same`, or `any` relation between the two spans is right.
    direction: `kept`, or `any`: head and tail may be exchanged.
    symmetric: labels without direction, joined by +; those of lines with * in brat files never have one.
    given: `spans`: only relations whose two arguments the other side has as spans too, with equal place and type.
    equivalence: whether gold's relations same-as (and lines with *) make spans one; for strict and boundary.
    Counts: per label tp (right), fn (missing), fp (spurious); gold, system (relations, each once); all (given=spans:
        gold's relations before the choice).
    Score: precision = tp/(tp+fp), recall = tp/(tp+fn), f1 = 2·tp/(2·tp+fp+fn); macro-f1 is the mean over the labels
        of gold or system; ceiling (given=spans) = gold/all; recall without given=spans is recall times ceiling.
    Paper: Taillé et al. 2020. Peers: sincere (re_score).
    """
    _check_values(match=match, types=types, label=label, direction=direction, given=given)
    if types == "same" and match in ("strict", "boundary"):
        raise UsageError(
            f"relations: match={match} already decides whether types count; types= is for overlap, first, last."
        )
    if equivalence and match not in ("strict", "boundary"):
        raise UsageError(f"relations: equivalence=true goes with match=strict or boundary, not with {match}.")
    if match == "strict" or types == "same" or given:
        _check_types(pair, f"match={match}" if not given else "given=spans")
    gold, system = sides = choose_relations(pair, symmetric)
    if given:
        masks = [have_both(side, mask) for side, mask in zip(sides, found_spans(pair), strict=True)]
        sides = gold.where(masks[0]), system.where(masks[1])
    steps = match_relations(
        pair,
        sides,
        match=match,
        types=types == "same",
        label=label == "same",
        direction=direction == "kept",
        equivalence=equivalence,
    )
    items = relation_items(pair, sides, steps)
    if not given:
        return items
    # Each system has other relations of gold, so systems cannot be compared item by item.
    counts = by_kind(items, pair.gold.sentences)
    distinct, _, sizes = distinct_rows(np.stack([gold.unit, gold.label], axis=1))
    counts = replace(counts, fields=(*counts.fields, "all"), values=np.pad(counts.values, ((0, 0), (0, 1))))
    is_last = np.arange(len(counts.fields)) == len(counts.fields) - 1
    return counts.with_rows(distinct[:, 0], sizes[:, None] * is_last, distinct[:, 1])


# --- fair ---


def _fair_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """Scores and averages under the weights of errors in the parameters."""
    formulas = {name: str(parameters.get(name, "")) for name in ERRORS}
    preset, opened = str(parameters["preset"]), bool(parameters["open"])
    scores = weighted_scores(preset, formulas, open_sums=opened, types=ERRORS, presets=_PRESETS, usual="fair")
    return scores, {"macro-f1": Macro(scores["f1"], FAIR)}


_FAIR_SCORES, _FAIR_AVERAGES = _fair_scores({"preset": "", "open": False})


@measure(
    "fair-relations",
    papers=("ortmann2022", *_TAILLE),
    scores=_FAIR_SCORES,
    averages=_FAIR_AVERAGES,
    main="f1",
    count=by_kind,
    errors=FAIR,
    task="relations",
    chosen=_fair_scores,
)
def fair_relations(
    pair: Pair,
    *,
    label: str = "same",
    direction: str = "kept",
    symmetric: str = "",
    equivalence: bool = False,
    preset: str = "",
    le: str = "",
    de: str = "",
    te: str = "",
    be: str = "",
    me: str = "",
    open: bool = False,  # noqa: A002
) -> Items:
    """Relations; a wrong label, direction or argument is one error, not a missing relation and a spurious one.

    label, direction, symmetric, equivalence: as for relations.
    preset: `fair` (the default), `be-half` (half of a boundary error is a hit), `all-fp`, `all-fn`.
    le, de, te, be, me: weights of an error of this type, e.g. `be=0.5TP+0.25FP+0.25FN`. Without a preset each
        type needs a formula.
    open: whether the parts of a formula may have another sum than 1.
    Counts: per label tp (right), le (wrong label), de (head and tail exchanged), te (wrong type of an argument), be
        (wrong boundary of an argument), me (several of these; the arguments overlap), fn (missing), fp (spurious);
        the causes fn-argument-missing, fn-not-related, fp-argument-spurious, fp-spurious; gold, system.
    Score: le, de, te, be and me count as half a spurious and half a missing relation: f1 = 2·tp/(2·tp + all errors).
        macro-f1 as for relations, errors under gold's label.
    Paper: after Ortmann 2022.
    """
    _check_values(label=label, direction=direction)
    _check_types(pair, "fair-relations")
    sides = choose_relations(pair, symmetric)
    steps = match_fairly(pair, sides, label=label == "same", direction=direction == "kept", equivalence=equivalence)
    items = relation_items(pair, sides, steps, FAIR)
    sides, masks = relations_of(pair), overlapped_spans(pair)
    both = (have_both(side, mask).astype(np.int64) for side, mask in zip(sides, masks, strict=True))
    overlapped = items.of_sides(*both) > 0
    missing, spurious = (items.kind[0] == FAIR.index(kind) for kind in ("fn", "fp"))
    causes = (missing & ~overlapped, missing & overlapped, spurious & ~overlapped, spurious & overlapped)
    return replace(items, marks=dict(zip(CAUSES, causes, strict=True)))


# --- facts: relations between entities ---


def _facts_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """Scores and averages; with ignore=train without the right facts that the training data have."""
    if parameters.get("ignore") != "train":
        return MATCHED, _AVERAGES
    scores: Scores = {**MATCHED, "f1": _unseen_f1, "precision": _unseen_precision}
    return scores, {"macro-f1": Macro(_unseen_f1, FOUND)}


_unseen_precision = Ratio(lambda sums: sums["tp"] - sums["seen"], lambda sums: sums["tp"] + sums["fp"] - sums["seen"])


def _unseen_f1(sums: Sums) -> Floats:
    precision, recall = _unseen_precision(sums), MATCHED["recall"](sums)
    both = ratio(2 * precision * recall, precision + recall)
    return np.where((precision == 0) & (recall == 0), 0.0, both)


@measure(
    "facts",
    papers=("yao2019",),
    scores=MATCHED,
    averages=_AVERAGES,
    main="f1",
    count=by_kind,
    task="relations",
    chosen=_facts_scores,
    named=("entities",),
)
def facts(pair: Pair, *, entities: str = "all", ignore: str = "") -> Items:
    """Facts of documents: relations between entities, each of which may have several mentions.

    entities: entities of gold and system are equal by type and all mentions (`all`, as JEREX), if they have `any`
        mention at the same place (as many pairs as possible, of any type), or by their `first` mention (as REBEL).
    ignore: `train`: right facts that are also in --train, by label and the texts of any mentions, are left out of
        precision but not of recall (Ign F1 of DocRED).
    Counts: per label tp, fn, fp, each fact once; seen (right facts that are also in --train); gold, system.
    Score: as for relations; with ignore=train precision = (tp-seen)/(tp+fp-seen), f1 the harmonic mean.
    Paper: Yao et al. 2019. Peers: DocRED, JEREX, REBEL.
    """
    _check_values(entities=entities, ignore=ignore)
    seen = relations_of(pair)[0].columns.get("train")
    if ignore and seen is None:
        raise UsageError("facts(ignore=train) needs the training data: --train FILE")
    sides, steps = match_facts(pair, entities)
    items = relation_items(pair, sides, steps)
    if seen is None:
        return items
    in_training = np.append(seen.codes == KNOWN.index("seen"), False)[np.where(items.has_gold, items.item, NONE)]
    return replace(items, marks={"seen": in_training & items.right[0]})


# --- eHealth-KD ---

KD = ("correct", "incorrect", "partial", "missing", "spurious")


def _kd_score(*others: str) -> Score:
    """Score: hits over gold's number, over the system's, or (both fields, for F1) over half of their sum."""
    number = len(others)

    def total(sums: Sums) -> Floats:
        paired = sums["correct"] + sums["partial"] + sums["incorrect"]
        return np.asarray(number * paired + sum(sums[kind] for kind in others))

    return (F1 if number > 1 else Ratio)(lambda sums: number * (sums["correct"] + 0.5 * sums["partial"]), total)


@measure(
    "ehealth-kd",
    papers=("piad-morffis2020",),
    scores={
        "f1": _kd_score("missing", "spurious"),
        "precision": _kd_score("spurious"),
        "recall": _kd_score("missing"),
    },
    main="f1",
    task="relations",
    named=("task",),
    one_sided="ehealth-kd needs gold. For agreement use relations or fair-relations.",
)
def ehealth_kd(pair: Pair, *, task: str = "both", given: str = "", equivalence: bool = True) -> Counts:
    """The scores of the eHealth-KD shared tasks.

    task: count `spans`, `relations`, or `both` together.
    given: `spans`: only relations whose arguments are both correct or partial.
    equivalence: whether gold's relations same-as (and lines with *) make spans one.
    Counts: spans: correct (same atoms and type), incorrect (same atoms), partial (overlap, same type), missing,
        spurious. Relations: correct, if both arguments are correct or partial and gold has the label between their
        partners (same-as in either order); missing; spurious.
    Score: precision = (correct + partial/2)/(correct + partial + incorrect + spurious), recall with missing instead
        of spurious, f1 their harmonic mean. The shared task counts only sentences that gold annotates:
        --only-annotated.
    Paper: Piad-Morffis et al. 2020. Peers: ehealthkd-2020.
    """
    _check_values(task=task, given=given)
    spans, partner = _kd_spans(pair)
    values = np.zeros((pair.gold.sentences, len(KD)), dtype=np.int64)
    relations = {} if task == "spans" else _kd_relations(pair, partner, bool(given), equivalence)
    for outcomes in ({} if task == "relations" else spans, relations):
        for kind, sentences in outcomes.items():
            values[:, KD.index(kind)] += np.bincount(sentences, minlength=len(values))
    return Counts(KD, len(values), np.arange(len(values)), values)


def _kd_spans(pair: Pair) -> tuple[dict[str, Ints], Ints]:
    """Sentences of spans with each outcome; and by the number of a system span that of its gold partner, if the pair
    is correct or partial."""
    gold, system = spans_of(pair)
    numbers, system_numbers = number_arguments(pair, types=True)
    steps = Steps(len(gold), len(system))
    steps.by_columns(KD.index("correct"), (numbers, system_numbers))
    steps.by_columns(KD.index("incorrect"), number_arguments(pair, types=False))
    first, second, _ = find_overlaps(gold, system, *steps.left())
    same = gold.label[first] == system.label[second]
    used: set[int] = set()
    for system_span, span in sorted(zip(second[same].tolist(), first[same].tolist(), strict=True)):
        if system_span not in used and steps.partner[span] == NONE:
            steps.settle(np.array([span]), np.array([system_span]), KD.index("partial"))
            used.add(system_span)
    outcomes = {name: gold.unit[steps.kind == code] for code, name in enumerate(KD[:3])}
    outcomes |= {"missing": gold.unit[steps.kind == NONE], "spurious": system.unit[steps.left()[1]]}
    partner = np.full(int(max(numbers.max(initial=-1), system_numbers.max(initial=-1))) + 1, NONE)
    usable = np.isin(steps.kind, [KD.index("correct"), KD.index("partial")])
    partner[system_numbers[steps.partner[usable]]] = numbers[usable]
    return outcomes, partner


def _kd_relations(pair: Pair, partner: Ints, given: bool, equivalence: bool) -> dict[str, Ints]:
    """Sentences of relations with each outcome."""
    typed = number_arguments(pair, types=True)
    # As in the scorer, a repeated relation counts once, but same-as in two orders counts twice.
    gold, system = (
        relations.where(first_of_each(relations.label, *ends_of(relations, numbers)))
        for relations, numbers in zip(relations_of(pair), typed, strict=True)
    )
    mapped = typed[0], partner[typed[1]]
    whole = have_both(system, mapped[1] != NONE)
    if given:
        gold = gold.where(have_both(gold, np.isin(typed[0], partner[partner != NONE])))
    sides = gold, system.where(whole)
    masks = [side.labels.isin((EQUIVALENT,)) | is_symmetric(side) for side in sides]
    free = masks[0], masks[1]
    steps = Steps(len(sides[0]), len(sides[1]))
    steps.by_columns(0, *relation_columns(sides, mapped, free))
    if equivalence:
        classes = span_classes(pair, types=True)
        same = classes[mapped[0]], np.append(classes, NONE)[mapped[1]]
        steps.by_columns(0, *relation_columns(sides, same, free))
    spurious = np.ones(len(system), dtype=bool)
    right = steps.partner != NONE
    spurious[np.flatnonzero(whole)[steps.partner[right]]] = False
    return {
        "correct": gold.unit[right],
        "missing": gold.unit[~right],
        "spurious": system.unit[spurious & whole if given else spurious],
    }


# --- agreement ---

UNRELATED = "(none)"
"""Label of two spans without a relation."""


@measure(
    "relation-kappa",
    papers=("cohen1960", "krippendorff2004"),
    scores=SCORES,
    averages=BEYOND_CHANCE,
    main="kappa",
    count=by_label,
    task="relations",
)
def relation_kappa(pair: Pair, *, symmetric: str = "") -> Counts:
    """Agreement of two annotators on relations between the spans that both have, beyond chance.

    symmetric: as for relations.
    Counts: the ordered pairs of two spans in one sentence that both annotators have (same place and type), per label
        right, gold, system; a pair without a relation has the label (none), one with several has them all.
    Score: as for kappa. Whether annotators find the same spans does not count: see the F1 of spans.
    """
    typed = number_arguments(pair, types=True)
    codes: dict[str, int] = {UNRELATED: 0}
    where = np.full(int(max(numbers.max(initial=-1) for numbers in typed)) + 1, NONE)
    where[typed[0]] = spans_of(pair)[0].unit
    where[np.setdiff1d(typed[0], typed[1])] = NONE
    number = np.bincount(where[where != NONE], minlength=pair.gold.sentences)
    marked: list[dict[tuple[int, int], list[str]]] = []
    for relations, numbers in zip(choose_relations(pair, symmetric), typed, strict=True):
        head, tail = ends_of(relations, numbers)
        kept = np.flatnonzero((where[head] != NONE) & (where[head] == where[tail]) & (head != tail))
        marked.append({})
        for row, first, second in zip(kept.tolist(), head[kept].tolist(), tail[kept].tolist(), strict=True):
            marked[-1].setdefault((first, second), []).append(relations.labels[row])
    pairs = sorted({*marked[0], *marked[1]})
    gold, system = (
        as_codes(["+".join(labels.get(both, [UNRELATED])) for both in pairs], codes).astype(np.int64)
        for labels in marked
    )
    at = where[np.array([first for first, _ in pairs], dtype=np.int64)]
    items = Items.of(tuple(codes), at, np.arange(len(pairs)), gold, system, gold == system)
    counts = by_label(items, pair.gold.sentences)
    # All other pairs have no relation in either.
    rest = number * (number - 1) - np.bincount(at, minlength=len(number))
    units = np.flatnonzero(rest)
    return counts.with_rows(units, np.repeat(rest[units, None], len(counts.fields), axis=1), np.zeros_like(units))
