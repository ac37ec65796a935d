"""Triggers, arguments and whole events: each right or wrong, or every error once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Floats, Ints
from assay.corpus import Marks
from assay.engine.counts import Sums
from assay.engine.counts import tally_outcomes as by_kind
from assay.engine.items import Items
from assay.engine.matching import EXACT, Matches, Steps, equal_pairs, find_overlaps, same_places
from assay.engine.measure import F1, MATCHED, Macro, Scores, measure
from assay.engine.spanpairs import line_of, place_keys, spans_of
from assay.engine.weighting import Parts, weighted_scores
from assay.errors import InputError, unknown
from assay.formats.events import ARGUMENTS, EVENTS
from assay.tasks.events.pairs import ARGUMENT, ATTRIBUTE, TRIGGER, events_of, is_part, types_of

FAIR = ("tp", "le", "be", "lbe", "ae", "fn", "fp")
"""Outcomes if every error counts once: wrong label, boundary, both, an argument of another event."""
_TP, _LE, _BE, _LBE, _AE = range(5)
ERRORS = FAIR[1:5]
CAUSES = ("fn-event-missing", "fn-argument-missing", "fp-event-spurious", "fp-argument-spurious")
"""Causes of missing and spurious arguments."""
_PARTS = ("trigger-tp", "trigger-errors", "argument-tp", "argument-errors")
_HALF: Parts = (0.0, 0.5, 0.5)
_PRESETS: Mapping[str, Mapping[str, Parts]] = {
    "fair": dict.fromkeys(ERRORS, _HALF),
    "be-half": {**dict.fromkeys(ERRORS, _HALF), "be": (0.5, 0.25, 0.25)},
    "all-fp": dict.fromkeys(ERRORS, (0.0, 1.0, 0.0)),
    "all-fn": dict.fromkeys(ERRORS, (0.0, 0.0, 1.0)),
}
_VALUES = {"label": ("same", "any"), "match": ("span", "overlap", "head")}
_AVERAGES: Scores = {"macro-f1": Macro(MATCHED["f1"], EXACT)}
_event_measure = partial(measure, scores=MATCHED, averages=_AVERAGES, main="f1", count=by_kind, task="events")
_Sides = tuple[Marks, Marks]
_Columns = list[tuple[Ints, Ints]]


def _check_values(**parameters: str) -> None:
    for name, value in parameters.items():
        if value not in _VALUES[name]:
            raise unknown(f"value of {name}", value, _VALUES[name])


def _choose(pair: Pair, part: int) -> _Sides:
    """The triggers, arguments or attributes of both sides; arguments are refused if a file cannot have any."""
    for corpus in (pair.gold, pair.system):
        if part == ARGUMENT and ARGUMENTS not in corpus.marks:
            raise InputError(
                f"{corpus.name}: MAVEN has only triggers, so there are no arguments to compare. Use -m triggers"
            )
    gold, system = events_of(pair)
    return gold.where(is_part(gold, part)), system.where(is_part(system, part))


def _places(sides: _Sides, whole: _Sides) -> tuple[_Columns, _Columns]:
    """The columns of types and places, and those of the places of triggers."""
    at = same_places(*whole)
    events = [side.arguments["event"] for side in sides]
    types = [types_of(table)[side.arguments["event"]] for side, table in zip(sides, whole, strict=True)]
    own = same_places(*sides)
    return [(types[0], types[1]), own], [(at[0][events[0]], at[1][events[1]])]


def _match(
    pair: Pair, part: int, *, types: bool = True, label: bool = True, attached: bool = True, match: str = "span"
) -> tuple[Matches, Marks, Marks]:
    """The matches of parts of events by their keys, and the parts of both sides, each once.

    `types`: whether the key has the event's type.
    """
    whole, sides = events_of(pair), _choose(pair, part)
    columns, triggers = _places(sides, whole)
    keys = [*(columns[:1] if types else ()), *columns[1:], *(triggers if attached else ())]
    rows = []
    for side in (0, 1):
        # Of equal ones the first; what is left is in the order of the text.
        packed = np.stack([column[side] for column in keys] + [sides[side].label], axis=1)
        rows.append(np.sort(np.unique(packed, axis=0, return_index=True)[1]))
    gold, system = sides[0].where(rows[0]), sides[1].where(rows[1])
    keys = [(column[0][rows[0]], column[1][rows[1]]) for column in keys]
    labels, place = (gold.label, system.label), 1 if types else 0
    steps = Steps(len(gold), len(system))
    # Those that are equal in all come first, so that pairs are what one expects.
    steps.by_columns(0, *keys, labels)
    compared = [labels] if label else []
    steps.by_columns(0, *keys, *compared)
    elsewhere = [*keys[:place], *keys[place + 1 :], *compared]
    if match == "head":
        heads = [(gold.arguments[end], system.arguments[end]) for end in ("head_begin", "head_end")]
        steps.by_columns(0, *heads, *elsewhere)
    if match == "overlap":
        _pair_overlaps(steps, gold, system, elsewhere, 0)
    return steps.matches(EXACT.index("fn"), EXACT.index("fp")), gold, system


def _judge(pair: Pair, part: int, *, attached: bool = True, **how: Any) -> Items:
    """Parts of events by their keys, each once."""
    matches, gold, system = _match(pair, part, attached=attached, **how)
    key = _keys(pair, system, events_of(pair)[1], attached=attached)
    return matches.items(EXACT, gold, system, key, numbers=(gold.number, system.number))


def match_triggers(pair: Pair) -> tuple[Matches, Floats]:
    """The matches of triggers by place and type, and how sure the system is of each of its own."""
    matches, _, system = _match(pair, TRIGGER, types=False, attached=False)
    scores = pair.system.marks[EVENTS].scores
    return matches, scores[spans_of(pair)[1].arguments["own"][system.number]] if len(scores) else scores


def _keys(pair: Pair, system: Marks, whole: Marks, *, attached: bool = True) -> Ints:
    """Numbers by which parts of events are equal in all systems."""
    own = place_keys(line_of(pair), system)
    trigger = place_keys(line_of(pair), whole)[:, system.arguments["event"]]
    return np.concatenate([trigger[3:], trigger[:3] * attached, system.arguments["part"][None], own])


def _pair_overlaps(
    steps: Steps, gold: Marks, system: Marks, columns: _Columns, kind: int, weight: Any = None
) -> None:
    """Pair what is left of marks that overlap and are equal in all columns: as many as can be, most shared atoms."""
    ours, theirs, shared = find_overlaps(gold, system, *steps.left())
    fits = np.ones(len(ours), dtype=bool)
    for one, other in columns:
        fits &= one[ours] == other[theirs]
    ours, theirs, shared = ours[fits], theirs[fits], shared[fits]
    worth = shared if weight is None else weight(ours, theirs, shared)
    ranks = same_places(gold, system)
    steps.by_weight(ours, theirs, worth, ranks, kind)


@_event_measure("triggers", noun="trigger")
def triggers(pair: Pair, *, label: str = "same") -> Items:
    """Triggers of events, by place and type; elsewhere Tri-C, and Tri-I with label=any.

    label: whether the type must be the `same`, or `any` type is right.
    Counts: per type tp, fn, fp; gold, system: different triggers with their types, whatever label says.
    Score: precision = tp/(tp+fp), recall = tp/(tp+fn), f1 = 2·tp/(2·tp+fp+fn); macro-f1 is the mean over types.
    Peers: TextEE, OneIE, DyGIE++ (docs/differences.md).
    """
    _check_values(label=label)
    return _judge(pair, TRIGGER, types=False, label=label == "same", attached=False)


@_event_measure("arguments", noun="argument", named=("attached",))
def arguments(pair: Pair, *, label: str = "same", attached: bool = False, match: str = "span") -> Items:
    """Arguments of events, by the event's type, place and role; elsewhere Arg-C, and Arg-I with label=any.

    label: whether the role must be the `same`, or `any` role is right.
    attached: whether the place of the event's trigger must be the same too (Arg-C+ and Arg-I+ of TextEE). Without it
        an argument of several events of one type counts once.
    match: arguments are equal by their `span`, if they `overlap` (as many pairs as possible, same places first), or
        by their `head`, if the file has heads of mentions.
    Counts: per role tp, fn, fp; gold, system: different arguments with their roles, whatever label and match say.
    Score: as for triggers.
    Peers: TextEE, OneIE, DyGIE++ (docs/differences.md).
    """
    _check_values(label=label, match=match)
    if match == "head":
        for corpus in (pair.gold, pair.system):
            heads = corpus.marks[ARGUMENTS].arguments["head_begin"] if ARGUMENTS in corpus.marks else np.zeros(0)
            if len(heads) and (heads == NONE).all():
                raise InputError(
                    f"{corpus.name}: has no heads of mentions, which match=head needs. Use match=overlap"
                )
    return _judge(pair, ARGUMENT, label=label == "same", attached=attached, match=match)


@_event_measure("event-attributes", noun="attribute")
def event_attributes(pair: Pair) -> Items:
    """Attributes of events (lines A of brat), by the trigger's place, the event's type, attribute and value.

    Counts: per attribute with its value tp, fn, fp; gold, system. Score: as for triggers.
    """
    return _judge(pair, ATTRIBUTE)


@_event_measure("events", noun="event")
def events(pair: Pair) -> Items:
    """Whole events: trigger, type and all arguments are gold's, and none is missing or spurious.

    Counts: per type tp, fn, fp; gold, system. Score: as for triggers.
    """
    whole, (gold, system) = events_of(pair), _choose(pair, TRIGGER)
    _choose(pair, ARGUMENT)
    steps = Steps(len(gold), len(system))
    steps.by_columns(0, (gold.arguments["whole"], system.arguments["whole"]))
    matches = steps.matches(EXACT.index("fn"), EXACT.index("fp"))
    key = _keys(pair, system, whole[1])
    # Events with other arguments are other answers.
    inside = whole[1].where(is_part(whole[1], ARGUMENT))
    places, owner = place_keys(line_of(pair), inside), inside.arguments["event"]
    starts = np.searchsorted(owner, np.arange(len(system) + 1)).tolist()
    content = [hash(tuple(places[:, a:b].ravel().tolist())) for a, b in pairwise(starts)]
    key = np.concatenate([np.array(content, dtype=np.int64)[None], key])
    return matches.items(EXACT, gold, system, key, numbers=(gold.number, system.number))


# --- fair ---


def pair_parts(gold: Marks, system: Marks) -> Steps:
    """Match triggers, then arguments within paired events, then arguments that are attached to another event."""
    steps, place, label = Steps(len(gold), len(system)), same_places(gold, system), (gold.label, system.label)
    sides, size = (gold, system), len(system) + 1
    parts = [side.arguments["part"] for side in sides]
    ours, theirs = (np.flatnonzero(part == ARGUMENT) for part in parts)
    # The number of arguments that two events have in common.
    keys = [
        own[rows] * (int(max(codes.max(initial=0) for codes in label)) + 1) + codes[rows]
        for own, codes, rows in zip(place, label, (ours, theirs), strict=True)
    ]
    same = equal_pairs(keys[0], keys[1])
    events = [side.arguments["event"] for side in sides]
    pairs, numbers = np.unique(events[0][ours[same[0]]] * size + events[1][theirs[same[1]]], return_counts=True)
    most = int(numbers.max(initial=0)) + 1

    def weigh(one: Ints, other: Ints, shared: Ints) -> Ints:
        wanted = one * size + other
        at = np.minimum(np.searchsorted(pairs, wanted), max(len(pairs) - 1, 0))
        found = pairs[at] == wanted if len(pairs) else np.zeros(len(wanted), dtype=bool)
        return np.asarray(shared * most + np.where(found, np.append(numbers, 0)[at], 0))

    tiers: list[tuple[int, _Columns]] = [(_TP, [place, label]), (_LE, [place]), (_BE, [label]), (_LBE, [])]
    of_trigger = [np.where(part == TRIGGER, 0, 1 + side) for side, part in enumerate(parts)]
    for kind, columns in tiers:
        _pair_overlaps(steps, gold, system, [(of_trigger[0], of_trigger[1]), *columns], kind, weigh)
    # An argument of gold belongs to the system's event that its own is paired with.
    partner = np.where(parts[0] == ARGUMENT, steps.partner[events[0]], NONE)
    event = partner, np.where(parts[1] == ARGUMENT, events[1], NONE - 1)
    for kind, columns in tiers:
        _pair_overlaps(steps, gold, system, [event, *columns], kind)
    types = [
        np.where(part == ARGUMENT, types_of(side), NONE - number)
        for number, (part, side) in enumerate(zip(parts, sides, strict=True))
    ]
    steps.by_columns(_AE, place, label, (types[0], types[1]))
    return steps


def _part_f1(part: str) -> F1:
    def hits(sums: Sums) -> Any:
        return 2 * sums[f"{part}-tp"]

    return F1(hits, lambda sums: hits(sums) + sums[f"{part}-errors"])


def _fair_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """Scores and averages under the weights of errors in the parameters."""
    formulas = {name: str(parameters.get(name, "")) for name in ERRORS}
    preset, opened = str(parameters["preset"]), bool(parameters["open"])
    scores = weighted_scores(preset, formulas, open_sums=opened, types=ERRORS, presets=_PRESETS, usual="fair")
    parts = {f"{part}-f1": _part_f1(part) for part in ("trigger", "argument")}
    return {**scores, **parts}, {"macro-f1": Macro(scores["f1"], FAIR)}


_FAIR_SCORES, _FAIR_AVERAGES = _fair_scores({"preset": "", "open": False})


@measure(
    "fair-events",
    papers=("ortmann2022",),
    scores=_FAIR_SCORES,
    averages=_FAIR_AVERAGES,
    main="f1",
    count=by_kind,
    errors=FAIR,
    task="events",
    noun="part",
    chosen=_fair_scores,
)
def fair_events(
    pair: Pair,
    *,
    preset: str = "",
    le: str = "",
    be: str = "",
    lbe: str = "",
    ae: str = "",
    open: bool = False,  # noqa: A002
) -> Items:
    """Triggers and arguments together; every error counts once: a wrong type leaves arguments right.

    preset: `fair` (the default), `be-half` (half of a boundary error is a hit), `all-fp`, `all-fn`.
    le, be, lbe, ae: weights of an error of this type, e.g. `be=0.5TP+0.25FP+0.25FN`. Without a preset each type needs
        a formula.
    open: whether the parts of a formula may have another sum than 1.
    Counts: per type or role tp, le (wrong type or role), be (wrong boundary), lbe (both), ae (argument of another
        event of this type), fn (missing), fp (spurious); the causes fn-event-missing, fn-argument-missing,
        fp-event-spurious, fp-argument-spurious of arguments; trigger-tp, trigger-errors, argument-tp,
        argument-errors. Events are paired by their triggers first, then arguments within paired events.
    Score: le, be, lbe and ae count as half a spurious and half a missing one: f1 = 2·tp/(2·tp + all errors);
        trigger-f1 and argument-f1 are those of triggers and of arguments alone, whatever the weights.
    Paper: after Ortmann 2022.
    """
    _choose(pair, ARGUMENT)
    whole = events_of(pair)
    gold, system = (side.where(side.arguments["part"] != ATTRIBUTE) for side in whole)
    steps = pair_parts(gold, system)
    matches = steps.matches(FAIR.index("fn"), FAIR.index("fp"))
    unpaired = np.append(steps.partner == NONE, False), np.ones(len(system) + 1, dtype=bool)
    unpaired[1][steps.partner[steps.partner != NONE]] = False
    kind, marks = matches.kind, dict[str, Bools]()
    is_argument = np.append(is_part(gold, ARGUMENT), False)[matches.gold]
    is_argument |= np.append(is_part(system, ARGUMENT), False)[matches.system]
    for name, own, side, lonely in (
        ("fn", matches.gold, gold, unpaired[0]),
        ("fp", matches.system, system, unpaired[1]),
    ):
        alone = lonely[np.append(side.arguments["event"], NONE)[own]]
        wrong = (kind == FAIR.index(name)) & is_argument
        marks |= {cause: wrong & (alone == ("event" in cause)) for cause in CAUSES if cause.startswith(name)}
    for part, mask in (("trigger", ~is_argument), ("argument", is_argument)):
        marks |= {f"{part}-tp": mask & (kind == _TP), f"{part}-errors": mask & (kind != _TP)}
    key = np.concatenate([system.arguments["again"][None], _keys(pair, system, system)])
    return matches.items(FAIR, gold, system, key, numbers=(gold.number, system.number), marks=marks)
