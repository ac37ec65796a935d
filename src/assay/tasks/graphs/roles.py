"""Semantic roles: predicates with their senses, and arguments that are words or stretches of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Floats, Ints, Stretches, all_but, as_codes, ratio
from assay.corpus import Corpus
from assay.engine.counts import Counts, Sums, bracketed, matched, whole_sentences
from assay.engine.items import Items
from assay.engine.measure import F1, Macro, Proportion, Scores, measure, weighted
from assay.errors import InputError, UsageError, unknown
from assay.formats.graphs import Graph
from assay.records import dataclass
from assay.specs import whole_number
from assay.tasks.graphs.arcs import PREDICATE, WHOLE_KINDS, graph_of, identities, in_order, nearest, number_of
from assay.tasks.graphs.measures import EXACT, MATCHED, whole_sentences_of

ARGUMENT = "(argument)"
"""The label of all arguments where roles do not count."""
KINDS = ("tp", "le", "head", "dependent", "sense", "fn", "fp", "fn-predicate", "fp-predicate")
"""Outcomes of predicates and of arguments that are words: right, wrong role, at another predicate, at another word,
wrong sense, missing, spurious, argument of a predicate that the system does not have, or that gold does not have."""
TP, LE, HEAD, DEPENDENT, SENSE, FN, FP, FN_PREDICATE, FP_PREDICATE = range(len(KINDS))
SPAN_KINDS = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp", "fn-predicate", "fp-predicate")
"""Outcomes of arguments that are stretches: right, wrong role, wrong boundary (the system's is smaller, larger,
or overlaps), both; the others as above."""
_BES, _BEL, _BEO, _LBE, _SPAN_FN, _SPAN_FP, _SPAN_FN_PREDICATE, _SPAN_FP_PREDICATE = range(2, len(SPAN_KINDS))
SENSES = ("number", "full", "false")
CONTINUATIONS = ("separate", "join")
_CONTINUED = "C-"
_HASH = (1 << 31) - 1


OVER_ROLES: Scores = {
    **{f"macro-{name}": Macro(score) for name, score in MATCHED.items()},
    "weighted-f1": weighted(MATCHED["f1"]),
}
"""Averages over roles."""


# --- both sides over one set of places ---


@dataclass(frozen=True, eq=False)
class RoleSide:
    """The predicates and arguments of one side that take part, in the order of the text.

    Words are numbered alike on both sides and in all systems: gold's, and behind them those that only systems have.
    """

    predicate: Ints
    """The word of each predicate …"""
    senses: tuple[str, ...]
    """… its sense …"""
    predicate_sentence: Ints
    """… its gold sentence …"""
    predicate_item: Ints
    """… and its number as an item: behind the arcs of its graph."""
    owner: Ints
    """The number of each argument's predicate among these …"""
    place: tuple[Stretches, ...]
    """… the words or stretches that it consists of …"""
    role: tuple[str, ...]
    """… its role …"""
    item: Ints
    """… its number as an item: that of its first arc …"""
    pieces: tuple[tuple[int, ...], ...]
    """… and all of its arcs."""

    @property
    def sentence(self) -> Ints:
        """The gold sentence of each argument: that of its predicate."""
        return self.predicate_sentence[self.owner]


@dataclass(frozen=True, eq=False)
class RoleSides:
    """Gold and system."""

    gold: RoleSide
    system: RoleSide

    def codes(self, values: str) -> tuple[Ints, Ints, tuple[Any, ...]]:
        """Places or roles as codes that are the same on both sides."""
        known: dict[Any, int] = {}
        ours, theirs = (
            np.array([known.setdefault(value, len(known)) for value in getattr(side, values)], dtype=np.int64)
            for side in (self.gold, self.system)
        )
        return ours, theirs, tuple(known)

    def predicates(self) -> tuple[Ints, Ints, Ints]:
        """Gold's predicates and the system's by number in one list of both, and that list: their words."""
        both = np.concatenate([self.gold.predicate, self.system.predicate])
        words, joint = np.unique(both, return_inverse=True)
        return joint[: len(self.gold.predicate)], joint[len(self.gold.predicate) :], words


def _graph(corpus: Corpus, spans: bool) -> Graph:
    graph = graph_of(corpus)
    if len(graph.dependent) and (graph.begin is not None) != spans:
        what, other = ("stretches of words", "words") if spans else ("words", "stretches of words")
        remedy = "srl, srl-arguments and the like" if spans else "srl-span, srl-span-perfect"
        raise UsageError(
            f"{corpus.name}: its arguments are {other}, and the measure is about {what}. There is {remedy}."
        )
    return graph


def role_sides(
    pair: Pair, *, spans: bool, join: bool, exclude: str = "", predicates: str = "all", lemma: bool = False
) -> RoleSides:
    """The predicates and arguments of both sides, C- joined to what it continues or not."""
    base = pair.once(f"roles {spans} {join} {exclude}", lambda: _role_sides(pair, spans, join, exclude))
    ours, theirs = base.gold, base.system
    if lemma:
        # A predicate of another lemma is another predicate.
        lemmas = dict(zip(ours.predicate.tolist(), map(lemma_of, ours.senses), strict=True))
        own = [(word, lemma_of(sense)) for word, sense in zip(theirs.predicate.tolist(), theirs.senses, strict=True)]
        other = np.array([lemmas.get(word, name) != name for word, name in own], dtype=bool)
        theirs = replace(theirs, predicate=np.where(other, NONE - 1 - theirs.predicate, theirs.predicate))
    if predicates == "gold":
        theirs = _only(theirs, np.isin(theirs.predicate, ours.predicate))
    return RoleSides(ours, theirs)


def _role_sides(pair: Pair, spans: bool, join: bool, exclude: str) -> RoleSides:
    gold, system = pair.gold, pair.system
    number = len(gold) + identities(pair)
    number[pair.system_words] = pair.gold_words
    ours_at, theirs_at = _lines(pair, number) if spans else ((np.arange(len(gold)),) * 2, (number, number))
    settings = (spans, join, frozenset(filter(None, exclude.split("+"))))
    sentence_of = np.where(pair.skipped[gold.sentence_of], NONE, gold.sentence_of)
    return RoleSides(
        _role_side(_graph(gold, spans), np.arange(len(gold)), sentence_of, ours_at, settings),
        _role_side(_graph(system, spans), number, pair.system_sentence, theirs_at, settings),
    )


def _only(side: RoleSide, kept: Bools) -> RoleSide:
    """The side with some of its predicates."""
    place = np.cumsum(kept) - 1
    rows = np.flatnonzero(kept[side.owner]) if len(side.owner) else side.owner
    return RoleSide(
        side.predicate[kept],
        tuple(sense for sense, keep in zip(side.senses, kept.tolist(), strict=True) if keep),
        side.predicate_sentence[kept],
        side.predicate_item[kept],
        place[side.owner[rows]],
        tuple(side.place[row] for row in rows.tolist()),
        tuple(side.role[row] for row in rows.tolist()),
        side.item[rows],
        tuple(side.pieces[row] for row in rows.tolist()),
    )


def _lines(pair: Pair, number: Ints) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """The places where each word begins and ends on a line that both sides share: of words, else of characters."""
    gold, system = pair.gold, pair.system
    if pair.aligned_by != "characters":
        return (np.arange(len(gold)), np.arange(len(gold)) + 1), (number, number + 1)
    apart = pair.apart or (np.zeros(gold.sentences, dtype=bool), np.zeros(system.sentences, dtype=bool))
    found = []
    for text, out, size in zip(pair.texts, apart, (len(gold), len(system)), strict=True):
        places = text.spans(~out)
        begin, end = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        begin[places.words], end[places.words] = places.begin, places.end
        found.append((begin, end))
    return found[0], found[1]


def _role_side(
    graph: Graph,
    number: Ints,
    sentence_of: Ints,
    line: tuple[Ints, Ints],
    settings: tuple[bool, bool, frozenset[str]],
) -> RoleSide:
    """One side; `number` and `sentence_of` are of its words, `line` says where each begins and ends."""
    spans, join, excluded = settings
    words = len(number)
    taking = graph.predicates < words
    taking[taking] = sentence_of[graph.predicates[taking]] >= 0
    chosen = np.flatnonzero(taking)
    words_of = graph.predicates[chosen]
    # Arcs from the root, from what is no predicate, and to or from empty nodes are no arguments.
    at = np.searchsorted(words_of, graph.head)
    of_predicate = np.append(words_of, NONE)[at] == graph.head
    arcs = np.flatnonzero(of_predicate & (graph.head != NONE) & (graph.dependent < words))
    if spans and len(arcs):
        assert graph.begin is not None and graph.end is not None
        begin, end = graph.begin[arcs], graph.end[arcs]
    else:
        begin, end = graph.dependent[arcs], graph.dependent[arcs] + 1
    first, last = line[0][begin], line[1][end - 1]
    order = np.lexsort((end, begin, at[arcs]))
    vocabulary, codes = graph.labels.vocabulary, graph.labels.codes[arcs[order]]
    owner = at[arcs][order]
    owners, numbers = owner.tolist(), arcs[order].tolist()
    roles = list(map(vocabulary.__getitem__, codes.tolist()))
    pieces = list(zip(first[order].tolist(), last[order].tolist(), strict=True))
    continued = np.array([role.startswith(_CONTINUED) for role in vocabulary] or [False])
    joining = np.isin(owner, owner[continued[codes]]) if join else np.zeros(len(owner), dtype=bool)
    plain = np.flatnonzero(~joining).tolist()
    rows: list[tuple[int, Stretches, str, tuple[int, ...]]] = [
        (owners[row], (pieces[row],), roles[row], (numbers[row],)) for row in plain
    ]
    together = np.flatnonzero(joining)
    for group in np.split(together, np.flatnonzero(np.diff(owner[together])) + 1) if len(together) else ():
        own = [(pieces[row], roles[row], numbers[row]) for row in group.tolist()]
        rows += _joined(own, owners[int(group[0])], spans)
    rows = [row for row in rows if row[2] not in excluded]
    return RoleSide(
        predicate=number[words_of],
        senses=tuple(graph.senses[place] for place in chosen.tolist()),
        predicate_sentence=sentence_of[words_of],
        predicate_item=len(graph) + chosen,
        owner=np.array([row[0] for row in rows], dtype=np.int64),
        place=tuple(row[1] for row in rows),
        role=tuple(row[2] for row in rows),
        item=np.array([row[3][0] for row in rows], dtype=np.int64),
        pieces=tuple(row[3] for row in rows),
    )


def _joined(
    arguments: Sequence[tuple[tuple[int, int], str, int]], owner: int, spans: bool
) -> Iterator[tuple[int, Stretches, str, tuple[int, ...]]]:
    """The arguments of a predicate, C-X made one with the latest X before it.

    Where there is none before it, a stretch becomes an X itself; a word goes with the first X behind it, and only
    where there is none at all becomes an X.
    """
    found: list[tuple[str, list[tuple[tuple[int, int], int]]]] = []
    latest: dict[str, int] = {}
    waiting: dict[str, list[tuple[tuple[int, int], int]]] = {}
    for piece, role, arc in arguments:
        base = role
        while base.startswith(_CONTINUED):
            base = base.removeprefix(_CONTINUED)
        if base != role and base in latest:
            found[latest[base]][1].append((piece, arc))
        elif base != role and not spans:
            waiting.setdefault(base, []).append((piece, arc))
        else:
            latest[base] = len(found)
            found.append((base, [*waiting.pop(base, []), (piece, arc)]))
    for role, pieces in [*found, *waiting.items()]:
        yield owner, tuple(sorted({piece for piece, _ in pieces})), role, tuple(arc for _, arc in pieces)


# --- senses and roles ---


def lemma_of(sense: str) -> str:
    """A sense without its number."""
    lemma, dot, number = sense.rpartition(".")
    return lemma if dot and number.isdigit() else sense


def sense_key(sense: str, how: str) -> str:
    """The part of a sense that is compared: with exactly one dot what follows it, 01 and 1 being the same."""
    if how == "false":
        return ""
    if how == "number" and sense.count(".") == 1:
        number = sense.partition(".")[2]
        return f".{number.lstrip('0') or 0}" if number.isascii() and number.isdigit() else f".{number}"
    return sense


def is_core(role: str) -> bool:
    """True of a role that has a meaning only within a frame: A0, ARG1, AA, also with C- or R- before it."""
    while role[:2] in ("C-", "R-"):
        role = role[2:]
    rest = role.removeprefix("ARG") if role.startswith("ARG") else role.removeprefix("A")
    return len(rest) == 1 and rest != role and (rest.isdigit() or rest == "A")


def _check(**given: tuple[str, Sequence[str]]) -> None:
    for name, (value, known) in given.items():
        if value not in known:
            raise unknown(f"value of {name}", value, known)


# --- predicates and arguments that are words ---


def _partners(ours: RoleSide, theirs: RoleSide) -> Ints:
    """For each predicate of gold the system's at the same word, NONE where there is none."""
    partner = np.full(len(ours.predicate), NONE, dtype=np.int64)
    rows, others = in_order(ours.predicate, theirs.predicate)
    partner[rows] = others
    return partner


@dataclass(frozen=True, eq=False)
class _Matched:
    """For each item of gold the system's item that answers for it, what became of it; what the system adds."""

    partner: Ints
    kind: Ints
    spurious: Ints
    spurious_kind: Ints


def _sense_right(sides: RoleSides, sense: str) -> tuple[Ints, Bools]:
    """The partner of each of gold's predicates, and whether its sense is gold's."""
    partner = _partners(sides.gold, sides.system)
    ours, theirs = ([sense_key(one, sense) for one in side.senses] for side in (sides.gold, sides.system))
    right = np.array(
        [other != NONE and key == theirs[other] for key, other in zip(ours, partner.tolist(), strict=True)],
        dtype=bool,
    )
    return partner, right


def _matched_predicates(sides: RoleSides, sense: str) -> _Matched:
    partner, right = _sense_right(sides, sense)
    kind = np.where(partner == NONE, FN, np.where(right, TP, SENSE))
    spurious = all_but(partner, len(sides.system.predicate))
    return _Matched(partner, kind, spurious, np.full(len(spurious), FP))


def _matched_arguments(sides: RoleSides, labelled: bool, dependent: bool) -> _Matched:
    """Arguments one to one: the same, of the same place, of another predicate, at another word."""
    ours, theirs = sides.gold, sides.system
    place, other_place, places = sides.codes("place")
    role, other_role, roles = sides.codes("role")
    of_gold, of_system, words = sides.predicates()
    predicate, other_predicate = of_gold[ours.owner], of_system[theirs.owner]
    shape, width = len(places) + 1, len(roles) + 1
    partner = np.full(len(ours.owner), NONE, dtype=np.int64)
    kind = np.full(len(ours.owner), FN, dtype=np.int64)
    taken = np.zeros(len(theirs.owner), dtype=bool)
    rows = np.arange(len(ours.owner))
    others = np.arange(len(theirs.owner))

    def settle(chosen: tuple[Ints, Ints], what: int) -> None:
        nonlocal rows, others
        here, there = rows[chosen[0]], others[chosen[1]]
        partner[here], kind[here], taken[there] = there, what, True
        rows, others = np.flatnonzero(partner == NONE), np.flatnonzero(~taken)

    at, other_at = predicate * shape + place, other_predicate * shape + other_place
    settle(in_order(at * width + role, other_at * width + other_role), TP)
    settle(in_order(at[rows], other_at[others]), LE if labelled else TP)
    if labelled:
        keys = (place * width + role)[rows], (other_place * width + other_role)[others]
        settle(nearest(*keys, words[predicate[rows]], words[other_predicate[others]]), HEAD)
        firsts = np.array([one[0][0] for one in places], dtype=np.int64)
        keys = (predicate * width + role)[rows], (other_predicate * width + other_role)[others]
        settle(nearest(*keys, firsts[place[rows]], firsts[other_place[others]]), DEPENDENT)
    if dependent and len(kind):
        # A core role says something within its frame alone.
        right = _sense_right(sides, "full")[1]
        core = np.array([is_core(one) for one in ours.role], dtype=bool)
        kind[(kind == TP) & core & ~right[ours.owner]] = SENSE
    lonely = ~np.isin(predicate, of_system)
    kind[(kind == FN) & lonely] = FN_PREDICATE
    spurious_kind = np.where(np.isin(other_predicate[others], of_gold), FP, FP_PREDICATE)
    return _Matched(partner, kind, others, spurious_kind)


def _items(
    sides: RoleSides,
    kinds: tuple[str, ...],
    *,
    predicates: _Matched | None = None,
    arguments: _Matched | None = None,
    labelled: bool = True,
) -> Items:
    """Predicates, arguments or both as items, by what was matched: gold's in text order, then spurious ones."""
    known: dict[str, int] = {}
    tables = []
    for found, of_predicates in ((predicates, True), (arguments, False)):
        if found is None:
            continue
        columns: list[tuple[Ints, Ints, Ints, Ints]] = []
        for side in (sides.gold, sides.system):
            if of_predicates:
                codes = as_codes([PREDICATE] * len(side.predicate), known)
                columns.append((codes, side.predicate_sentence, side.predicate_item, _keys_of_predicates(side)))
            else:
                codes = as_codes(side.role if labelled else [ARGUMENT] * len(side.role), known)
                columns.append((codes, side.sentence, side.item, _keys_of_arguments(side)))
        (label, sentence, item, _), (answer, there, their_item, key) = columns
        partner = np.concatenate([found.partner, found.spurious])
        tables.append(
            {
                "gold": np.concatenate([label, np.full(len(found.spurious), NONE)]),
                # NONE is -1, the last.
                "answer": np.append(answer, NONE)[partner],
                "sentence": np.concatenate([sentence, there[found.spurious]]),
                "item": np.concatenate([item, their_item[found.spurious]]),
                "kind": np.concatenate([found.kind, found.spurious_kind]),
                "partner": np.append(their_item, NONE)[partner],
                "key": np.concatenate([key, np.full((len(key), 1), NONE)], axis=1)[:, partner],
                "target": np.full(len(partner), NONE),
            }
        )
        if of_predicates:
            senses = np.array([*map(number_of, sides.system.senses), NONE])
            told = {"sense": senses[partner]}
        else:
            predicate, first, _, pieces = tables[-1]["key"]
            told = {"head": predicate, "dependent": np.where(pieces > 0, NONE - pieces, first)}
        for name, values in told.items():
            rows = tables[-1]["kind"] == (kinds.index(name) if name in kinds else NONE)
            tables[-1]["target"][rows] = values[rows]
    joined = {name: np.concatenate([table[name] for table in tables], axis=-1) for name in tables[0]}
    order = np.lexsort((joined["item"], joined["sentence"], joined["gold"] == NONE))
    joined = {name: column[..., order] for name, column in joined.items()}
    gold, answer = joined["gold"], joined["answer"]
    joined["key"] = np.concatenate([joined["key"], answer[None]])
    label = np.where(gold == NONE, answer, gold)
    same = ("answer", "target")
    return Items.of(labels=tuple(known), right=joined["kind"] == TP, kinds=kinds, label=label, same=same, **joined)


def _keys_of_predicates(side: RoleSide) -> Ints:
    """Numbers that tell predicates apart, in any system."""
    nothing = np.full(len(side.predicate), NONE)
    return np.stack([side.predicate, nothing, nothing, nothing])


def _keys_of_arguments(side: RoleSide) -> Ints:
    """The same of arguments: predicate, first and last place, and what lies between where there are gaps."""
    return np.array(
        [
            side.predicate[side.owner],
            [place[0][0] for place in side.place],
            [place[-1][1] for place in side.place],
            [hash(place) & _HASH if len(place) > 1 else 0 for place in side.place],
        ],
        dtype=np.int64,
    ).reshape(4, -1)


def _judged(
    pair: Pair,
    sense: str,
    dependent: bool,
    continuation: str,
    *,
    labelled: bool = True,
    which: str = "both",
) -> Items:
    _check(sense=(sense, SENSES), continuation=(continuation, CONTINUATIONS))
    sides = role_sides(pair, spans=False, join=continuation == "join")
    predicates = _matched_predicates(sides, sense) if which != "arguments" else None
    arguments = _matched_arguments(sides, labelled, dependent) if which != "predicates" else None
    return _items(sides, KINDS, predicates=predicates, arguments=arguments, labelled=labelled)


@measure("srl", scores=MATCHED, averages=OVER_ROLES, main="f1", count=matched, task="graphs", papers=("hajic2009",))
def srl(pair: Pair, *, sense: str = "number", dependent: bool = False, continuation: str = "separate") -> Items:
    """Semantic roles: predicates with their senses, and arguments (words) with their roles, taken together.

    sense: `number`: of a sense with exactly one dot only what follows it is compared, numbers as numbers (try.01,
        do.1); `full`: all of it; `false`: only whether the word is a predicate.
    dependent: core roles (A0, ARG1, AA, also with C- or R-) count only where the predicate's full sense is gold's.
    continuation: `join`: C-X is made one with the latest X before it, else with the next, and the place of an
        argument is the set of its words; `separate`: C-X is a role like others.
    Counts: per role, and for `(predicate)`, tp, le (wrong role), head (at another predicate), dependent (at another
        word), sense (wrong sense), fn, fp, fn-predicate and fp-predicate (arguments of a predicate that the system,
        or gold, does not have); gold, system.
    Score: precision = tp/system, recall = tp/gold, f1 = 2·tp/(gold+system).
    Paper: Hajič et al. 2009. Peers: eval09.pl (labelled F1).
    """
    return _judged(pair, sense, dependent, continuation)


@measure("srl-unlabelled", scores=MATCHED, main="f1", count=bracketed, task="graphs", papers=("hajic2009",))
def srl_unlabelled(pair: Pair, *, continuation: str = "separate") -> Items:
    """Semantic roles without labels: words that are predicates, and words that are their arguments.

    continuation: as for srl.
    Counts and Score: as for srl. A word that gold gives two roles of one predicate is two arguments.
    Peers: eval09.pl (unlabelled F1).
    """
    return _judged(pair, "false", False, continuation, labelled=False)


@measure(
    "srl-arguments",
    scores=MATCHED,
    averages=OVER_ROLES,
    main="f1",
    count=matched,
    task="graphs",
    noun="argument",
    papers=("hajic2009",),
)
def srl_arguments(pair: Pair, *, dependent: bool = False, continuation: str = "separate") -> Items:
    """Arguments alone: words with their role at a predicate, whatever its sense.

    dependent, continuation: as for srl.
    Counts and Score: as for srl.
    Peers: eval09.pl, PriMeSRL-Eval (dependent=true, continuation=join).
    """
    return _judged(pair, "number", dependent, continuation, which="arguments")


@measure(
    "srl-predicates",
    scores=MATCHED,
    main="f1",
    count=bracketed,
    task="graphs",
    noun="predicate",
    papers=("hajic2009",),
)
def srl_predicates(pair: Pair, *, sense: str = "number") -> Items:
    """Predicates alone: words with their sense.

    sense: as for srl; `false` asks only whether predicates are found.
    Counts: tp, sense (wrong sense), fn, fp, gold, system. Score: as for srl.
    Peers: eval09.pl.
    """
    return _judged(pair, sense, False, "separate", which="predicates")


def _whole(sides: RoleSides, right: Bools | None, found: _Matched) -> Items:
    """Predicates with all their arguments as items; `right`: whether the sense of each is right, None: none asked."""
    ours, theirs = sides.gold, sides.system
    partner = _partners(ours, theirs)
    faults, excess = (np.zeros(len(side.predicate), dtype=bool) for side in (ours, theirs))
    wrong = found.kind != TP
    faults[ours.owner[wrong]] = True
    # What answers wrongly for one predicate may be an argument of another.
    excess[theirs.owner[found.partner[wrong & (found.partner != NONE)]]] = True
    excess[theirs.owner[found.spurious]] = True
    faulty = faults | np.append(excess, False)[partner]
    kind = np.where(faulty, WHOLE_KINDS.index("arguments"), 0)
    if right is not None:
        kind = np.where(~right, WHOLE_KINDS.index("sense"), kind)
    missing = partner == NONE if right is not None else (partner == NONE) & faults
    kind = np.where(missing, WHOLE_KINDS.index("fn"), kind)
    spurious = all_but(partner, len(theirs.predicate)) if right is not None else partner[:0]
    whole = _Matched(partner, kind, spurious, np.full(len(spurious), WHOLE_KINDS.index("fp")))
    return _items(sides, WHOLE_KINDS, predicates=whole)


@measure(
    "srl-propositions",
    scores=MATCHED,
    main="f1",
    count=bracketed,
    task="graphs",
    noun="predicate",
    own_outcomes=True,
    papers=("hajic2009",),
)
def srl_propositions(
    pair: Pair, *, sense: str = "number", dependent: bool = False, continuation: str = "separate"
) -> Items:
    """Predicates that are right in sense and in all of their arguments.

    sense, dependent, continuation: as for srl.
    Counts: tp, sense (wrong sense), arguments (sense right, arguments not), fn, fp, gold, system (predicates).
    Score: as for srl.
    Peers: eval09.pl (proposition F1).
    """
    _check(sense=(sense, SENSES), continuation=(continuation, CONTINUATIONS))
    sides = role_sides(pair, spans=False, join=continuation == "join")
    return _whole(sides, _sense_right(sides, sense)[1], _matched_arguments(sides, True, dependent))


@measure(
    "srl-exact",
    scores=EXACT,
    count=whole_sentences,
    task="graphs",
    noun="sentence",
    papers=("hajic2009",),
)
def srl_exact(pair: Pair, *, sense: str = "number", dependent: bool = False, continuation: str = "separate") -> Items:
    """Gold sentences in which all predicates, senses and arguments are right, and none is spurious.

    sense, dependent, continuation: as for srl.
    Counts: right, sentences. Score: value = right/sentences; a sentence without predicates on both sides is right,
        one that the system cuts otherwise is wrong.
    Peers: eval09.pl (exact match).
    """
    return whole_sentences_of(pair, _judged(pair, sense, dependent, continuation))


# --- together with the tree ---


def _macro_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    share = float(parameters["weight"])
    if not 0 <= share <= 1:
        raise UsageError(f"srl-macro: weight is a share between 0 and 1, not {share}.")

    def mean(sums: Sums, whole: str, words: str) -> Floats:
        return np.asarray((1 - share) * ratio(sums["attached"], sums[words]) + share * ratio(sums["tp"], sums[whole]))

    def f1(sums: Sums) -> Floats:
        # Where one of both is undefined the other is not, and as in f1 what is not there counts as nothing.
        any_ = sums["gold"] + sums["system"] > 0
        parts = []
        for whole, words in (("system", "system-words"), ("gold", "gold-words")):
            roles = np.where(any_ & (sums[whole] == 0), 0.0, ratio(sums["tp"], sums[whole]))
            parts.append((1 - share) * ratio(sums["attached"], sums[words]) + share * roles)
        return ratio(2 * parts[0] * parts[1], parts[0] + parts[1])

    scores: Scores = {
        "f1": f1,
        "precision": lambda sums: mean(sums, "system", "system-words"),
        "recall": lambda sums: mean(sums, "gold", "gold-words"),
        "micro-f1": F1(
            lambda sums: 2 * (sums["tp"] + sums["attached"]),
            lambda sums: sums["gold"] + sums["system"] + sums["gold-words"] + sums["system-words"],
        ),
    }
    return scores, {}


@measure(
    "srl-macro",
    scores=_macro_scores({"weight": 0.5})[0],
    main="f1",
    task="graphs",
    columns=("HEAD", "DEPREL"),
    chosen=_macro_scores,
    papers=("hajic2009",),
)
def srl_macro(
    pair: Pair,
    *,
    weight: float = 0.5,
    labelled: bool = True,
    sense: str = "number",
    dependent: bool = False,
    continuation: str = "separate",
) -> Counts:
    """Semantic roles and the dependency tree of the same file: the mean of both, as in the shared task of 2009.

    weight: the share of semantic roles in the mean.
    labelled: labelled attachment and srl; false: unlabelled attachment and srl-unlabelled.
    sense, dependent, continuation: as for srl.
    Counts: tp, gold, system (predicates and arguments), attached (words with gold's HEAD and, where labelled, DEPREL;
        punctuation counts), gold-words, system-words.
    Score: precision = (attached/system-words + tp/system)/2, recall alike, f1 their harmonic mean; micro-f1 is F1 of
        words, predicates and arguments counted together.
    Peers: eval09.pl (macro and micro F1).
    """
    judged = _judged(pair, sense if labelled else "false", dependent, continuation, labelled=labelled)
    sentences = pair.gold.sentences
    attached = _attached(pair, labelled)
    columns = [
        judged.sentence[judged.kind[0] == TP],
        judged.sentence[judged.has_gold],
        judged.sentence[judged.has_system[0]],
        pair.gold.sentence_of[attached],
        pair.gold.sentence_of[~pair.skipped[pair.gold.sentence_of]],
        pair.system_sentence[pair.system_sentence >= 0],
    ]
    values = np.stack([np.bincount(column, minlength=sentences) for column in columns], axis=1).astype(np.int64)
    fields = ("tp", "gold", "system", "attached", "gold-words", "system-words")
    return Counts(fields, sentences, np.arange(sentences), values)


def _attached(pair: Pair, labelled: bool) -> Ints:
    """The gold words that have gold's head in the system, and its relation."""
    heads = []
    for corpus in (pair.gold, pair.system):
        column = corpus.column("HEAD")
        numbers = [whole_number(text, -1) for text in column.vocabulary]
        if max(numbers, default=-1) < 0:
            raise InputError(f"{corpus.name}: no heads in it, which srl-macro needs. Leave it out, or add a tree.")
        number = np.array(numbers, dtype=np.int64)[column.codes]
        inside = (number > 0) & (number <= np.diff(corpus.starts)[corpus.sentence_of])
        place = corpus.starts[:-1][corpus.sentence_of] + number - 1
        heads.append(np.where(inside, place, np.where(number == 0, -1, -2)))
    common = np.full(len(pair.system) + 2, -3)
    common[pair.system_words] = pair.gold_words
    # The last place is the root's, -1; one before it is that of what is no number.
    common[-1] = -1
    words, theirs = pair.gold_words, pair.system_words
    right = (heads[0][words] == common[heads[1][theirs]]) & (heads[0][words] != -2)
    if labelled:
        ours, other = pair.labels("DEPREL")
        names = {name: code for code, name in enumerate(ours.vocabulary)}
        recoded = np.array([names.get(name, -1) for name in other.vocabulary], dtype=np.int64)
        right &= ours.codes[words] == recoded[other.codes[theirs]]
    return np.asarray(words[right])


# --- arguments that are stretches ---


def _matched_spans(sides: RoleSides, labelled: bool) -> _Matched:
    """Arguments of one predicate one to one: the same, the same stretches, the same role and others that overlap."""
    ours, theirs = sides.gold, sides.system
    place, other_place, places = sides.codes("place")
    role, other_role, roles = sides.codes("role")
    of_gold, of_system, _ = sides.predicates()
    predicate, other_predicate = of_gold[ours.owner], of_system[theirs.owner]
    shape, width = len(places) + 1, len(roles) + 1
    partner = np.full(len(ours.owner), NONE, dtype=np.int64)
    kind = np.full(len(ours.owner), _SPAN_FN, dtype=np.int64)
    taken = np.zeros(len(theirs.owner), dtype=bool)
    at, other_at = predicate * shape + place, other_predicate * shape + other_place
    rows, others = in_order(at * width + role, other_at * width + other_role)
    partner[rows], kind[rows], taken[others] = others, TP, True
    rows, others = np.flatnonzero(partner == NONE), np.flatnonzero(~taken)
    here, there = in_order(at[rows], other_at[others])
    partner[rows[here]], kind[rows[here]], taken[others[there]] = others[there], LE if labelled else TP, True
    # Of what is left, stretches that share most; few arguments are wrong, and those of one predicate are few.
    free: dict[int, tuple[list[int], list[int]]] = {}
    for row in np.flatnonzero(partner == NONE).tolist():
        free.setdefault(int(predicate[row]), ([], []))[0].append(row)
    for row in np.flatnonzero(~taken).tolist():
        free.setdefault(int(other_predicate[row]), ([], []))[1].append(row)
    for mine, its in free.values():
        candidates = []
        for a in mine:
            for b in its:
                shared = _shared(ours.place[a], theirs.place[b])
                if shared:
                    candidates.append((ours.role[a] != theirs.role[b], -shared, a, b))
        for other, _, a, b in sorted(candidates):
            if partner[a] == NONE and not taken[b]:
                partner[a], taken[b] = b, True
                kind[a] = _LBE if other and labelled else _boundary(ours.place[a], theirs.place[b])
    kind[(kind == _SPAN_FN) & ~np.isin(predicate, of_system)] = _SPAN_FN_PREDICATE
    spurious = np.flatnonzero(~taken)
    spurious_kind = np.where(np.isin(other_predicate[spurious], of_gold), _SPAN_FP, _SPAN_FP_PREDICATE)
    return _Matched(partner, kind, spurious, spurious_kind)


def _boundary(ours: Stretches, theirs: Stretches) -> int:
    """The kind of error of stretches that overlap and are not the same."""
    shared = _shared(ours, theirs)
    smaller = shared == sum(end - begin for begin, end in theirs)
    return _BES if smaller else _BEL if shared == sum(end - begin for begin, end in ours) else _BEO


def _shared(ours: Stretches, theirs: Stretches) -> int:
    """The number of places in both."""
    return sum(max(0, min(a_end, b_end) - max(a, b)) for a, a_end in ours for b, b_end in theirs)


def _span_sides(pair: Pair, exclude: str, continuation: str, predicates: str, lemma: bool) -> RoleSides:
    _check(continuation=(continuation, CONTINUATIONS), predicates=(predicates, ("all", "gold")))
    join = continuation == "join"
    return role_sides(pair, spans=True, join=join, exclude=exclude, predicates=predicates, lemma=lemma)


@measure(
    "srl-span",
    scores=MATCHED,
    averages=OVER_ROLES,
    main="f1",
    count=matched,
    task="graphs",
    noun="argument",
    signed=("predicates",),
    papers=("carreras2005",),
)
def srl_span(
    pair: Pair, *, exclude: str = "V", continuation: str = "join", predicates: str = "all", lemma: bool = False
) -> Items:
    """Semantic roles of stretches: arguments with gold's predicate, role and all of its stretches.

    exclude: roles that do not count (V+AM-MOD), V being the predicate itself; nothing: all count.
    continuation: `join`: C-X is a further stretch of the latest X before it, and an X itself where there is none,
        also C-V and C-R-X; `separate`: each stretch is an argument of its own, with the role as it is written.
    predicates: `all`; `gold`: what the system says of predicates that gold does not have is left out.
    lemma: whether a predicate of another lemma is another predicate.
    Counts: per role tp, le (wrong role), bes, bel, beo (wrong boundary: smaller, larger, overlapping), lbe (both),
        fn, fp, fn-predicate and fp-predicate (arguments of a predicate that the system, or gold, does not have);
        gold, system.
    Score: precision = tp/system, recall = tp/gold, f1 = 2·tp/(gold+system).
    Paper: Carreras and Màrquez 2005. Peers: srl-eval.pl, which is
        srl-span(predicates=gold, lemma=true).
    """
    sides = _span_sides(pair, exclude, continuation, predicates, lemma)
    return _items(sides, SPAN_KINDS, arguments=_matched_spans(sides, True))


@measure(
    "srl-span-unlabelled",
    scores=MATCHED,
    main="f1",
    count=bracketed,
    task="graphs",
    noun="argument",
    signed=("predicates",),
    papers=("carreras2005",),
)
def srl_span_unlabelled(
    pair: Pair, *, exclude: str = "V", continuation: str = "join", predicates: str = "all", lemma: bool = False
) -> Items:
    """Semantic roles of stretches without labels: arguments with gold's predicate and all of its stretches.

    exclude, continuation, predicates, lemma: as for srl-span; roles say what does not count.
    Counts and Score: as for srl-span.
    Peers: srl-eval.pl -C.
    """
    sides = _span_sides(pair, exclude, continuation, predicates, lemma)
    return _items(sides, SPAN_KINDS, arguments=_matched_spans(sides, False), labelled=False)


@measure(
    "srl-span-perfect",
    scores={"value": Proportion("tp", "gold")},
    count=bracketed,
    task="graphs",
    noun="predicate",
    own_outcomes=True,
    papers=("carreras2005",),
)
def srl_span_perfect(pair: Pair, *, exclude: str = "V", continuation: str = "join", lemma: bool = False) -> Items:
    """Gold's predicates all of whose arguments are right, none of them missing and none too many.

    exclude, continuation, lemma: as for srl-span.
    Counts: tp, arguments (some are wrong), fn (the predicate is missing, and its arguments with it), gold.
    Score: value = tp/gold; a predicate without arguments is right where the system has none of it either.
    Peers: srl-eval.pl (perfect propositions).
    """
    sides = _span_sides(pair, exclude, continuation, "all", lemma)
    return _whole(sides, None, _matched_spans(sides, True))
