"""Relations between spans: right by a criterion of choice, fair, at the level of documents, and as in eHealth-KD."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Floats, Ints, all_but, distinct_rows, ratio
from assay.engine.counts import Counts, Sums, by_label
from assay.engine.counts import matched as by_kind
from assay.engine.items import Items
from assay.engine.matching import one_to_one, overlapping
from assay.engine.measure import BEYOND_CHANCE, F1, SCORES, Macro, Proportion, Ratio, Score, Scores, measure
from assay.errors import InputError, UsageError, unknown
from assay.tasks.relations.entities import ENTITIES
from assay.tasks.relations.entities import facts as listed_facts
from assay.tasks.relations.pairing import FAIR, FOUND, MATCHES, Setting, fairly, matched
from assay.tasks.relations.pairs import EQUIVALENT, RelationList, RelationPair, relations_of, untyped
from assay.tasks.spans.weighting import Parts, error_weights

ERRORS = FAIR[1:6]
"""The errors of a relation that has a partner."""
CAUSES = ("fn-argument-missing", "fn-not-related", "fp-argument-spurious", "fp-spurious")
"""The causes of missing and spurious relations."""
_HALF: Parts = (0.0, 0.5, 0.5)
PRESETS: Mapping[str, Mapping[str, Parts]] = {
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
}
"""The values of settings."""


def setting_of(**given: Any) -> Setting:
    """The setting that parameters of a measure stand for."""
    for name, known in _VALUES.items():
        if given.get(name, known[0]) not in known:
            raise unknown(f"value of {name}", str(given[name]), [value for value in known if value])
    match = str(given.get("match", "strict"))
    if given.get("types") == "same" and match in ("strict", "boundary"):
        raise UsageError(f"relations: match={match} says itself if types count; types= is for overlap, first, last.")
    if given.get("equivalence") and match not in ("strict", "boundary"):
        raise UsageError(f"relations: equivalence=true goes with match=strict or boundary, not with {match}.")
    return Setting(
        match,
        given.get("types") == "same",
        given.get("label", "same") == "same",
        given.get("direction", "kept") == "kept",
        str(given.get("symmetric", "")),
        bool(given.get("equivalence", False)),
    )


def _check_types(layer: RelationPair, name: str) -> None:
    """Refuse to compare types that are not there."""
    for file, number in untyped(layer).items():
        what = "1 argument has" if number == 1 else f"{number:,} arguments have"
        raise InputError(
            f"{file}: {what} no type, which {name} compares. Take relations(match=boundary), which compares places "
            "alone."
        )


def judged(
    layer: RelationPair,
    gold: RelationList,
    system: RelationList,
    partner: Ints,
    kinds: tuple[str, ...],
    kind: Ints,
    *,
    causes: bool = False,
) -> Items:
    """Relations as items: gold's in order, then the system's that answer for none."""
    free = np.ones(len(system) + 1, dtype=bool)
    free[partner] = False
    extra = np.flatnonzero(free[:-1])
    whole = np.concatenate([partner, extra])
    outcome = np.concatenate([kind, np.full(len(extra), kinds.index("fp"))])
    own = np.concatenate([gold.label, np.full(len(extra), NONE)])
    # NONE is -1, the last.
    answer = np.append(system.label, NONE)[whole]
    has_gold = np.arange(len(whole)) < len(gold)
    marks: dict[str, Bools] = {}
    if causes:
        missing = ~(layer.met[0][gold.head] & layer.met[0][gold.tail])
        spurious = ~(layer.met[1][system.head] & layer.met[1][system.tail])
        lost = np.concatenate([missing, spurious[extra]])
        for name, at, alone in zip(CAUSES, ("fn", "fn", "fp", "fp"), (True, False, True, False), strict=True):
            marks[name] = (outcome == kinds.index(at)) & (lost == alone)
    return Items.of(
        labels=layer.labels,
        sentence=np.concatenate([gold.sentence, system.sentence[extra]]),
        item=np.concatenate([gold.number, system.number[extra]]),
        gold=own,
        answer=answer,
        right=outcome == 0,
        has_gold=has_gold,
        has_system=whole != NONE,
        kinds=kinds,
        kind=outcome,
        label=np.where(has_gold, own, answer),
        partner=np.append(system.number, NONE)[whole],
        key=_keys(layer, system)[:, whole],
        marks=marks,
    )


def _keys(layer: RelationPair, system: RelationList) -> Ints:
    """Numbers that tell each of the system's relations from all others of its sentence in any system: the places and
    types of its arguments, its label; at the end a column for none."""
    spans, start = layer.spans.system.spans, layer.spans.line_starts[system.sentence]
    columns: list[Ints] = []
    shape = np.zeros(len(spans), dtype=np.int64)
    for item in spans.stretches:
        shape[item] = hash(layer.spans.identity(item)[1])
    for end in (system.head, system.tail):
        columns += [spans.begin[end] - start, spans.end[end] - start, shape[end], spans.label[end]]
    both = np.stack([*columns, system.label]).astype(np.int64)
    return np.concatenate([both, np.full((len(both), 1), NONE)], axis=1)


_SCORES: Scores = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * sums["tp"] + sums["fp"] + sums["fn"]),
    "precision": Proportion("tp", "tp", "fp"),
    "recall": Proportion("tp", "tp", "fn"),
}
_AVERAGES: Scores = {"macro-f1": Macro(_SCORES["f1"], FOUND)}


def _chosen(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """With given=spans also the share of gold's relations that can be found at all."""
    if parameters.get("given") != "spans":
        return _SCORES, _AVERAGES
    return {**_SCORES, "ceiling": Proportion("gold", "all")}, _AVERAGES


@measure(
    "relations",
    papers=_TAILLE,
    scores=_SCORES,
    averages=_AVERAGES,
    main="f1",
    count=by_kind,
    task="relations",
    chosen=_chosen,
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

    match: arguments are the same by place and type (`strict`), by place alone (`boundary`), if they share an atom
        (`overlap`: as many pairs as can be, those with the same places first), or by their `first` or `last` atom.
    types: for overlap, first and last: whether types of arguments must be the `same`, or `any`.
    label: `any`: are the two spans related at all?
    direction: `any`: head and tail may be exchanged.
    symmetric: labels without direction, joined by +; those of lines with * in brat files have none anyway.
    given: `spans`: only relations whose two arguments the other side has as spans too, same place and type.
    equivalence: gold's relations same-as (and lines with *) make spans one; with strict and boundary.
    Counts: per label tp (right), fn (missing), fp (spurious); gold, system (relations, each once); all (given=spans:
        gold's relations before the choice).
    Score: precision = tp/(tp+fp), recall = tp/(tp+fn), f1 = 2·tp/(2·tp+fp+fn); macro-f1 is the mean over the labels
        of gold or system; ceiling (given=spans) = gold/all, and recall there times ceiling is recall.
    Paper: Taillé et al. 2020. Peers: sincere (re_score).
    """
    setting = setting_of(**{name: value for name, value in locals().items() if name != "pair"})
    layer = relations_of(pair)
    if match == "strict" or setting.types or given:
        _check_types(layer, f"match={match}" if not given else "given=spans")
    gold, system = layer.chosen(symmetric)
    if not given:
        return _found(layer, gold, system, setting)
    ours, theirs = layer.found
    kept = gold.where(ours[gold.head] & ours[gold.tail])
    theirs_kept = system.where(theirs[system.head] & theirs[system.tail])
    # Gold's relations are others for each system, so that these cannot be compared item by item.
    counts = by_kind(_found(layer, kept, theirs_kept, setting), pair.gold.sentences)
    rows = np.stack([gold.sentence, gold.label], axis=1)
    distinct, _, sizes = distinct_rows(rows)
    values = np.zeros((len(sizes), len(counts.fields) + 1), dtype=np.int64)
    values[:, -1] = sizes
    before = np.concatenate([counts.values, np.zeros((len(counts.values), 1), dtype=np.int64)], axis=1)
    assert counts.label is not None
    return Counts(
        (*counts.fields, "all"),
        counts.units,
        np.concatenate([counts.unit, distinct[:, 0]]),
        np.concatenate([before, values]),
        counts.labels,
        np.concatenate([counts.label, distinct[:, 1]]),
    )


def _found(layer: RelationPair, gold: RelationList, system: RelationList, setting: Setting) -> Items:
    partner = matched(layer, gold, system, setting)
    kind = np.where(partner == NONE, FOUND.index("fn"), 0)
    return judged(layer, gold, system, partner, FOUND, kind)


# --- fair ---


def _weights(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    given = {name: str(parameters.get(name, "")) for name in ERRORS}
    opened = bool(parameters["open"])
    weights = error_weights(
        str(parameters["preset"]), given, open_sums=opened, types=ERRORS, presets=PRESETS, usual="fair"
    )
    scores: dict[str, Score] = weights.scores()
    return scores, {"macro-f1": Macro(scores["f1"], FAIR)}


_FAIR_SCORES, _FAIR_AVERAGES = _weights({"preset": "", "open": False})


@measure(
    "fair-relations",
    papers=("ortmann2022", *_TAILLE),
    scores=_FAIR_SCORES,
    averages=_FAIR_AVERAGES,
    main="f1",
    count=by_kind,
    errors=FAIR,
    task="relations",
    chosen=_weights,
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
    """Relations, where a wrong label, direction or argument is one error, not a missing relation and a spurious one.

    label, direction, symmetric, equivalence: as for relations.
    preset: `fair` (taken where nothing is given), `be-half` (half of a boundary error is a hit), `all-fp`, `all-fn`.
    le, de, te, be, me: what an error of this type counts as, e.g. `be=0.5TP+0.25FP+0.25FN`. Without a preset each
        type needs a formula.
    open: allow parts that do not sum to 1.
    Counts: per label tp (right), le (wrong label), de (head and tail exchanged), te (wrong type of an argument), be
        (wrong boundary of an argument), me (several of these; the arguments overlap), fn (missing), fp (spurious);
        the causes fn-argument-missing, fn-not-related, fp-argument-spurious, fp-spurious; gold, system.
    Score: le, de, te, be and me count as half a spurious and half a missing relation: f1 = 2·tp/(2·tp + all errors).
        macro-f1 as for relations, errors under gold's label.
    Paper: after Ortmann 2022.
    """
    setting = setting_of(label=label, direction=direction, symmetric=symmetric, equivalence=equivalence)
    layer = relations_of(pair)
    _check_types(layer, "fair-relations")
    gold, system = layer.chosen(symmetric)
    partner, kind = fairly(layer, gold, system, setting)
    return judged(layer, gold, system, partner, FAIR, kind, causes=True)


# --- facts: relations between entities ---


def _facts_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    if parameters.get("ignore") != "train":
        return _SCORES, _AVERAGES
    scores: Scores = {**_SCORES, "f1": _without_known, "precision": _unknown_precision}
    return scores, {"macro-f1": Macro(_without_known, FOUND)}


_unknown_precision = Ratio(
    lambda sums: sums["tp"] - sums["seen"], lambda sums: sums["tp"] + sums["fp"] - sums["seen"]
)


def _without_known(sums: Sums) -> Floats:
    precision, recall = _unknown_precision(sums), _SCORES["recall"](sums)
    both = ratio(2 * precision * recall, precision + recall)
    return np.where((precision == 0) & (recall == 0), 0.0, both)


@measure(
    "facts",
    papers=("yao2019",),
    scores=_SCORES,
    averages=_AVERAGES,
    main="f1",
    count=by_kind,
    task="relations",
    chosen=_facts_scores,
    named=("entities",),
)
def facts(pair: Pair, *, entities: str = "all", ignore: str = "") -> Items:
    """Facts of documents: relations between entities, each of which may have several mentions.

    entities: gold's entities and the system's are the same by type and all mentions (`all`, as JEREX), if they have
        `any` mention at the same place (as many pairs as can be; types do not count), or by their `first` mention (as
        REBEL).
    ignore: `train`: right facts that --train has, by label and the texts of any mentions, are left out of precision,
        not of recall (Ign F1 of DocRED).
    Counts: per label tp, fn, fp, each fact once; seen (with --train: right facts that it has); gold, system.
    Score: as for relations; with ignore=train precision = (tp-seen)/(tp+fp-seen), f1 the harmonic mean.
    Paper: Yao et al. 2019. Peers: DocRED, JEREX, REBEL.
    """
    if entities not in ENTITIES:
        raise unknown("value of entities", entities, ENTITIES)
    if ignore not in ("", "train"):
        raise unknown("value of ignore", ignore, ["train"])
    layer = relations_of(pair)
    if ignore and layer.seen is None:
        raise UsageError("facts(ignore=train) needs the training data. Say where they are: --train FILE")
    gold, system, partner = listed_facts(layer, entities)
    kind = np.where(partner == NONE, FOUND.index("fn"), 0)
    found = judged(layer, gold, system, partner, FOUND, kind)
    if layer.seen is None:
        return found
    known = np.zeros(len(found), dtype=bool)
    known[: len(gold)] = layer.seen[0][gold.number] == 1
    return replace(found, marks={"seen": known & found.right[0]})


# --- eHealth-KD ---

KD = ("correct", "incorrect", "partial", "missing", "spurious")
TASKS = ("both", "spans", "relations")


def _kd_score(*others: str) -> Score:
    """Hits over what gold has, over what the system has, or (both, for F1) over half of their sum."""
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
    one_sided="ehealth-kd takes one side as gold; for agreement there are relations and fair-relations.",
)
def ehealth_kd(pair: Pair, *, task: str = "both", given: str = "", equivalence: bool = True) -> Counts:
    """The scores of the eHealth-KD shared tasks.

    task: what is counted: `spans`, `relations`, or `both` together.
    given: `spans`: only relations whose arguments are both correct or partial.
    equivalence: gold's relations same-as (and lines with *) make spans one.
    Counts: spans: correct (same atoms and type), incorrect (same atoms), partial (overlap, same type), missing,
        spurious. Relations: correct, if both arguments are correct or partial and gold has the label between their
        partners (same-as in either order); missing; spurious.
    Score: precision = (correct + partial/2)/(correct + partial + incorrect + spurious), recall with missing in place
        of spurious, f1 their harmonic mean. Only sentences that gold annotates count there: --only-annotated.
    Paper: Piad-Morffis et al. 2020. Peers: ehealthkd-2020.
    """
    if task not in TASKS:
        raise unknown("value of task", task, TASKS)
    if given not in _VALUES["given"]:
        raise unknown("value of given", given, ["spans"])
    layer = relations_of(pair)
    rows, partner = _kd_spans(layer)
    if task == "relations":
        rows = []
    if task != "spans":
        rows += _kd_relations(layer, partner, bool(given), equivalence)
    values = np.zeros((pair.gold.sentences, len(KD)), dtype=np.int64)
    for kind, sentences in rows:
        values[:, KD.index(kind)] += np.bincount(sentences, minlength=len(values))
    return Counts(KD, len(values), np.arange(len(values)), values)


def _kd_spans(layer: RelationPair) -> tuple[list[tuple[str, Ints]], Ints]:
    """The sentences of spans with each outcome; and for each number of a system's span that of gold's partner, if it
    is correct or partial."""
    gold, system = layer.spans.gold, layer.spans.system
    (ours, theirs), (places, their_places) = layer.typed, layer.places
    partner = one_to_one(ours, theirs)
    kind = np.where(partner == NONE, NONE, KD.index("correct"))

    def left() -> tuple[Ints, Ints]:
        return np.flatnonzero(partner == NONE), all_but(partner, len(theirs))

    here, there = left()
    found = one_to_one(places[here], their_places[there])
    rows = here[found != NONE]
    partner[rows], kind[rows] = there[found[found != NONE]], KD.index("incorrect")
    first, second, _ = overlapping(gold.spans, system.spans, *left())
    same = gold.spans.label[first] == system.spans.label[second]
    taken: set[int] = set()
    for own, other in sorted(zip(second[same].tolist(), first[same].tolist(), strict=True)):
        if own not in taken and partner[other] == NONE:
            partner[other], kind[other] = own, KD.index("partial")
            taken.add(own)
    outcomes = [(name, gold.sentence[kind == code]) for code, name in enumerate(KD[:3])]
    outcomes += [("missing", gold.sentence[kind == NONE]), ("spurious", system.sentence[left()[1]])]
    mapped = np.full(int(max(ours.max(initial=-1), theirs.max(initial=-1))) + 1, NONE)
    usable = np.isin(kind, [KD.index("correct"), KD.index("partial")])
    mapped[theirs[partner[usable]]] = ours[usable]
    return outcomes, mapped


def _kd_relations(layer: RelationPair, partner: Ints, given: bool, equivalence: bool) -> list[tuple[str, Ints]]:
    """The sentences of relations with each outcome."""
    # As the scorer does: what is there twice counts once, but same-as in two orders counts twice.
    single = []
    for rows, typed in zip((layer.gold, layer.system), layer.typed, strict=True):
        group = distinct_rows(np.stack([rows.label, typed[rows.head], typed[rows.tail]], axis=1))[1]
        single.append(rows.where(np.sort(np.unique(group, return_index=True)[1])))
    gold, system = single
    free = np.array([label in {*layer.symmetric, EQUIVALENT} for label in layer.labels] or [False])
    ends = np.stack([layer.typed[0][gold.head], layer.typed[0][gold.tail]])
    theirs = partner[np.stack([layer.typed[1][system.head], layer.typed[1][system.tail]])]
    whole = (theirs != NONE).all(axis=0)
    kept = np.isin(ends, partner[partner != NONE]).all(axis=0) if given else np.ones(len(gold), dtype=bool)
    found = np.full(len(gold), NONE)
    for classes in (None, layer.classes) if equivalence else (None,):
        ours, rest = np.flatnonzero((found == NONE) & kept), np.setdiff1d(np.flatnonzero(whole), found)
        keys = []
        for rows, chosen, numbers in ((gold, ours, ends), (system, rest, theirs)):
            both = numbers[:, chosen] if classes is None else classes[numbers[:, chosen]]
            both = np.where(free[rows.label[chosen]], np.sort(both, axis=0), both)
            keys.append(np.stack([rows.label[chosen], *both], axis=1))
        group = distinct_rows(np.concatenate(keys))[1]
        pairs = one_to_one(group[: len(ours)], group[len(ours) :])
        found[ours[pairs != NONE]] = rest[pairs[pairs != NONE]]
    spurious = np.ones(len(system), dtype=bool)
    spurious[found[found != NONE]] = False
    if given:
        spurious &= whole
    return [
        ("correct", gold.sentence[found != NONE]),
        ("missing", gold.sentence[(found == NONE) & kept]),
        ("spurious", system.sentence[spurious]),
    ]


# --- agreement ---

UNRELATED = "(none)"
"""The label of two spans without a relation."""


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
    """Agreement of two annotators on relations, beyond chance, with spans taken as given.

    symmetric: as for relations.
    Counts: the ordered pairs of two spans in one sentence that both annotators have (same place and type), per label
        right, gold, system; a pair without a relation has the label (none), one with several has them all.
    Score: as for kappa. With the F1 of spans it tells how far annotators agree; whether spans are found at all is
        not in it.
    """
    layer = relations_of(pair)
    common = np.intersect1d(*layer.typed)
    first = np.unique(layer.typed[0], return_index=True)
    sentence = layer.spans.gold.sentence[first[1][np.searchsorted(first[0], common)]]
    number = np.bincount(sentence, minlength=pair.gold.sentences)
    known: dict[str, int] = {UNRELATED: 0}
    size = int(max(one.max(initial=-1) for one in layer.typed)) + 1
    where = np.full(size, NONE)
    where[common] = sentence
    marked: list[dict[tuple[int, int], str]] = []
    for rows, typed in zip(layer.chosen(symmetric), layer.typed, strict=True):
        head, tail = typed[rows.head], typed[rows.tail]
        kept = (where[head] != NONE) & (where[head] == where[tail]) & (head != tail)
        found: dict[tuple[int, int], str] = {}
        for one, other, code in zip(head[kept].tolist(), tail[kept].tolist(), rows.label[kept].tolist(), strict=True):
            before = found.get((one, other))
            found[one, other] = layer.labels[code] if before is None else f"{before}+{layer.labels[code]}"
        marked.append(found)
    pairs = sorted({*marked[0], *marked[1]})
    codes = [[known.setdefault(own.get(both, UNRELATED), len(known)) for both in pairs] for own in marked]
    ours, theirs = (np.array(one, dtype=np.int64) for one in codes)
    at = where[np.array([one for one, _ in pairs], dtype=np.int64)]
    items = Items.of(tuple(known), at, np.arange(len(pairs)), ours, theirs, ours == theirs)
    counts = by_label(items, pair.gold.sentences)
    # All other pairs have no relation in either.
    rest = number * (number - 1) - np.bincount(at, minlength=len(number))
    units = np.flatnonzero(rest)
    assert counts.label is not None
    return Counts(
        counts.fields,
        counts.units,
        np.concatenate([counts.unit, units]),
        np.concatenate([counts.values, np.repeat(rest[units, None], len(counts.fields), axis=1)]),
        counts.labels,
        np.concatenate([counts.label, np.zeros(len(units), dtype=np.int32)]),
    )
