"""Semantic roles: predicates with their senses, and arguments that are words or stretches of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Floats, Ints, Stretches, as_codes, ratio
from assay.corpus import Column, Marks, one_vocabulary
from assay.engine.counts import Counts, Sums, tally_brackets, tally_outcomes
from assay.engine.items import Items
from assay.engine.matching import Matches, Steps, same_places, shared_size
from assay.engine.measure import F1, Macro, Proportion, Scores, mean_by_size, measure
from assay.engine.spanpairs import line_of_characters
from assay.errors import InputError, UsageError, unknown
from assay.formats.roles import SPANS
from assay.specs import whole_number
from assay.tasks.graphs.arcs import PREDICATE, WHOLE_KINDS, hash_name, identify_words
from assay.tasks.graphs.measures import MATCHED, arc_measure, sentence_measure, whole_sentences_of

ARGUMENT = "(argument)"
"""The label of all arguments where roles do not count."""
KINDS = ("tp", "le", "head", "dependent", "sense", "fn", "fp", "fn-predicate", "fp-predicate")
"""Outcomes of predicates and of arguments that are words: right, wrong role, at another predicate, at another word,
wrong sense, missing, spurious, argument of a predicate that the system does not have, or that gold does not have."""
TP, LE, HEAD, DEPENDENT, SENSE = range(5)
SPAN_KINDS = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp", "fn-predicate", "fp-predicate")
"""Outcomes of arguments that are stretches: right, wrong role, wrong boundary (the system's is smaller, larger,
or overlaps), both; the others as above."""
SENSES = ("number", "full", "false")
CONTINUATIONS = ("separate", "join")
_HASH = (1 << 31) - 1


OVER_ROLES: Scores = {
    **{f"macro-{name}": Macro(score) for name, score in MATCHED.items()},
    "weighted-f1": mean_by_size(MATCHED["f1"]),
}
"""Averages over roles."""
_HAJIC, _CARRERAS = ("hajic2009",), ("carreras2005",)
_role_measure = partial(measure, scores=MATCHED, averages=OVER_ROLES, main="f1", count=tally_outcomes, task="graphs")


# --- both sides over one set of places ---


def roles_of(
    pair: Pair, *, spans: bool, join: bool, exclude: str = "", predicates: str = "all", lemma: bool = False
) -> tuple[Marks, Marks]:
    """The predicates and arguments of both sides, C- joined to what it continues or not.

    Places are those of words or, if tokens differ and arguments are stretches, of characters. The argument `head` is
    the word of the predicate, of a predicate its own. Words have the same numbers on both sides and in all systems:
    gold's first, then those that only systems have. The number of an argument is that of its first role in its
    corpus; predicates are numbered after all roles.
    """
    gold, system = pair.once(f"roles {spans} {join} {exclude}", lambda: _place_roles(pair, spans, join, exclude))
    if lemma:
        # A predicate of another lemma is another predicate.
        heads = system.arguments["head"]
        lemmas, others = (
            {word: lemma_of(sense) for word, sense in senses_by_word(marks).items()} for marks in (gold, system)
        )
        other = np.isin(heads, [word for word, name in others.items() if lemmas.get(word, name) != name])
        system = replace(system, arguments={"head": np.where(other, NONE - 1 - heads, heads)})
    if predicates == "gold":
        system = system.where(np.isin(system.arguments["head"], gold.arguments["head"]))
    return gold, system


def senses_by_word(marks: Marks) -> dict[int, str]:
    """The senses of predicates by their words."""
    predicates = marks.where(is_predicate(marks))
    return dict(zip(predicates.arguments["head"].tolist(), predicates.columns["sense"].strings(), strict=True))


def is_predicate(marks: Marks) -> Bools:
    """Mask of the predicates among predicates and arguments."""
    return np.asarray(marks.columns["sense"].codes != NONE)


def _place_roles(pair: Pair, spans: bool, join: bool, exclude: str) -> tuple[Marks, Marks]:
    gold, system = pair.gold, pair.system
    number = len(gold) + identify_words(pair)
    number[pair.system_words] = pair.gold_words
    lines = [(np.arange(len(gold)), np.arange(len(gold)) + 1), (number, number + 1)]
    if spans and pair.aligned_by == "characters":
        lines = [(line.begin, line.end) for line in (line_of_characters(pair, side) for side in (0, 1))]
    sentence_of = np.where(pair.skipped[gold.sentence_of], NONE, gold.sentence_of)
    excluded = frozenset(filter(None, exclude.split("+")))
    found = []
    for corpus, numbers, sentences, (begins, ends) in (
        (gold, np.arange(len(gold)), sentence_of, lines[0]),
        (system, number, pair.system_sentence, lines[1]),
    ):
        roles, predicates = corpus.marks["roles"], corpus.marks["predicates"]
        if len(roles) and (corpus.format in SPANS) != spans:
            what, other = ("stretches of words", "words") if spans else ("words", "stretches of words")
            remedy = "srl, srl-arguments and the like" if spans else "srl-span, srl-span-perfect"
            raise UsageError(f"{corpus.name}: its arguments are {other}, but the measure needs {what}. Use {remedy}.")
        first, last = corpus.words_of(roles), corpus.starts[roles.unit] + roles.end - 1
        labels, at = roles.labels, corpus.words_of(predicates)
        pieces: Ints = np.arange(len(roles))
        if join:
            pieces = continued_roles(roles, spans)
            labels = labels.mapped({role: plain_role(role, "C-") for role in labels.vocabulary})
        rows = np.flatnonzero((pieces == np.arange(len(roles))) & (sentences[roles.arguments["head"]] >= 0))
        rows = rows[~Column(labels.codes[rows], labels.vocabulary).isin(excluded)]
        chosen = np.flatnonzero(sentences[at] >= 0)
        words = np.concatenate([roles.arguments["head"][rows], at[chosen]])
        # Predicates, then roles in the order in which they appear, predicate by predicate.
        order = np.lexsort((roles.end[rows], roles.begin[rows], roles.arguments["head"][rows]))
        used, firsts = np.unique(labels.codes[rows[order]], return_index=True)
        used = used[np.argsort(firsts)]
        codes = np.zeros(len(labels.vocabulary) + 1, dtype=np.int32)
        codes[used] = 1 + np.arange(len(used))
        vocabulary = (PREDICATE, *(labels.vocabulary[code] for code in used.tolist()))
        begin, end = begins[first[rows]], ends[last[rows]]
        stretches: dict[int, Stretches] = {}
        for argument, own in pieces_by_role(pieces).items():
            shape = sorted({*zip(begins[first[own]].tolist(), ends[last[own]].tolist(), strict=True)})
            row = int(np.searchsorted(rows, argument))
            if row < len(rows) and rows[row] == argument:
                begin[row], end[row] = shape[0][0], shape[-1][1]
                if len(shape) > 1:
                    stretches[row] = tuple(shape)
        nowhere = numbers[at[chosen]]
        marks = Marks(
            sentences[words],
            # No argument has the place of a predicate, which is empty.
            np.concatenate([begin, nowhere]),
            np.concatenate([end, nowhere]),
            Column(np.append(codes[labels.codes[rows]], np.zeros(len(chosen), dtype=np.int32)), vocabulary),
            stretches=stretches,
            columns={
                "sense": Column(
                    np.concatenate([np.full(len(rows), NONE), predicates.label[chosen]]), predicates.labels.vocabulary
                )
            },
            arguments={"head": numbers[words]},
            number=np.concatenate([rows, len(roles) + chosen]),
        )
        found.append(marks.where(np.lexsort((marks.number, marks.unit))))
    return found[0], found[1]


def continued_roles(roles: Marks, spans: bool) -> Ints:
    """The number of the role of which each is a piece, itself if it continues no other.

    C-X belongs to the latest X before it. If there is none before it, a stretch becomes an X itself; a word belongs
    to the first X after it, and becomes an X only if the predicate has none.
    """
    found = np.arange(len(roles))
    head = roles.arguments["head"]
    continuing = roles.labels.isin(role for role in roles.labels.vocabulary if role.startswith("C-"))
    rows = np.flatnonzero(np.isin(head, head[continuing]))
    latest: dict[tuple[int, str], int] = {}
    waiting: dict[tuple[int, str], int] = {}
    for row in rows[np.lexsort((roles.end[rows], roles.begin[rows], head[rows]))].tolist():
        role = roles.labels[row]
        own = (int(head[row]), plain_role(role, "C-"))
        continues = own[1] != role
        if continues and own in latest:
            found[row] = latest[own]
        elif continues and not spans:
            found[row] = waiting.setdefault(own, row)
        else:
            found[row] = latest[own] = waiting.pop(own, row)
    return found


def pieces_by_role(pieces: Ints) -> dict[int, list[int]]:
    """All pieces of each argument that consists of several roles."""
    found: dict[int, list[int]] = {}
    for row in np.flatnonzero(pieces != np.arange(len(pieces))).tolist():
        found.setdefault(int(pieces[row]), [int(pieces[row])]).append(row)
    return found


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


def plain_role(role: str, *prefixes: str) -> str:
    """A role without such prefixes (C-, R-)."""
    while role.startswith(prefixes):
        role = role[2:]
    return role


def is_core(role: str) -> bool:
    """True of a role that has a meaning only within a frame: A0, ARG1, AA, also with C- or R- before it."""
    role = plain_role(role, "C-", "R-")
    rest = role.removeprefix("ARG") if role.startswith("ARG") else role.removeprefix("A")
    return len(rest) == 1 and rest != role and (rest.isdigit() or rest == "A")


def _check(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise unknown(f"value of {name}", value, known)


# --- which predicate or argument answers for which ---


def _same_senses(gold: Marks, system: Marks, partner: Ints, sense: str) -> Bools:
    """Mask of gold's predicates that the system has with the same sense."""
    known: dict[str, int] = {}
    keys = [
        as_codes([sense_key(name, sense) for name in marks.columns["sense"].vocabulary], known)
        for marks in (gold, system)
    ]
    same = np.zeros(len(gold), dtype=bool)
    rows = np.flatnonzero(is_predicate(gold) & (partner != NONE))
    ours, theirs = gold.columns["sense"].codes[rows], system.columns["sense"].codes[partner[rows]]
    same[rows] = keys[0][ours] == keys[1][theirs]
    return same


def _match(
    gold: Marks, system: Marks, *, spans: bool, sense: str = "false", labelled: bool = True, dependent: bool = False
) -> Matches:
    """Predicates at the same word, and arguments one to one: the same, at the same place, and near ones.

    Near are, of words, those with the same role at another predicate or another word; of stretches, those of the
    same predicate that share most.
    """
    kinds = SPAN_KINDS if spans else KINDS
    _, codes = one_vocabulary([gold.labels, system.labels])
    head, role = (gold.arguments["head"], system.arguments["head"]), (codes[0], codes[1])
    place = same_places(gold, system)
    steps = Steps(len(gold), len(system))
    steps.by_columns(TP, head, place, role)
    steps.by_columns(LE if labelled else TP, head, place)
    if spans:
        _match_overlaps(gold, system, steps, labelled)
    elif labelled:
        steps.by_columns(HEAD, place, role, near=head)
        steps.by_columns(DEPENDENT, head, role, near=(gold.begin, system.begin))
    of_gold, of_system = is_predicate(gold), is_predicate(system)
    if sense != "false":
        right = _same_senses(gold, system, steps.partner, sense)
        steps.kind[of_gold & (steps.partner != NONE) & ~right] = SENSE
    if dependent:
        # A core role says something within its frame alone.
        right = _same_senses(gold, system, steps.partner, "full")
        core = gold.labels.isin(filter(is_core, gold.labels.vocabulary))
        steps.kind[(steps.kind == TP) & core & ~of_gold & ~np.isin(head[0], head[0][right])] = SENSE
    matches = steps.matches(kinds.index("fn"), kinds.index("fp"))
    # Arguments of a predicate that only one side has.
    kind = matches.kind.copy()
    for name, mine, marks, others in (
        ("fn", matches.gold, gold, head[1][of_system]),
        ("fp", matches.system, system, head[0][of_gold]),
    ):
        lonely = ~is_predicate(marks) & ~np.isin(marks.arguments["head"], others)
        kind[(kind == kinds.index(name)) & np.append(lonely, False)[mine]] = kinds.index(f"{name}-predicate")
    return replace(matches, kind=kind)


def _match_overlaps(gold: Marks, system: Marks, steps: Steps, labelled: bool) -> None:
    """Pair what is left of the arguments of a predicate, those that share most first, the same role before others."""
    # Few arguments are wrong, and those of one predicate are few.
    left: dict[int, tuple[list[int], list[int]]] = {}
    sizes = gold.lengths(), system.lengths()
    for side, (marks, rows) in enumerate(zip((gold, system), steps.left(), strict=True)):
        for row in rows[~is_predicate(marks)[rows]].tolist():
            left.setdefault(int(marks.arguments["head"][row]), ([], []))[side].append(row)
    for ours, theirs in left.values():
        candidates = []
        for row in ours:
            for other in theirs:
                shared = shared_size(gold.atoms_of(row), system.atoms_of(other))
                if shared:
                    candidates.append((gold.labels[row] != system.labels[other], -shared, row, other))
        taken: set[int] = set()
        for different, shared, row, other in sorted(candidates):
            if steps.partner[row] == NONE and other not in taken:
                taken.add(other)
                kind = "bes" if -shared == sizes[1][other] else "bel" if -shared == sizes[0][row] else "beo"
                kind = "lbe" if different and labelled else kind
                steps.settle(np.array([row]), np.array([other]), SPAN_KINDS.index(kind))


def _of_predicates(matches: Matches, gold: Marks, system: Marks) -> Bools:
    """Mask of the matches of predicates."""
    ours, theirs = (np.append(is_predicate(marks), False) for marks in (gold, system))
    return np.asarray(ours[matches.gold] | theirs[matches.system])


def _items(matches: Matches, kinds: tuple[str, ...], gold: Marks, system: Marks, labelled: bool = True) -> Items:
    """Predicates and arguments as items."""
    of_system = is_predicate(system)
    names, codes = one_vocabulary([gold.labels, system.labels])
    if not labelled:
        names, codes = (PREDICATE, ARGUMENT), [(~is_predicate(marks)).astype(np.int64) for marks in (gold, system)]
    gaps = np.zeros(len(system), dtype=np.int64)
    for row, shape in system.stretches.items():
        gaps[row] = hash(shape) & _HASH
    places = np.where(of_system, NONE, np.stack([system.begin, system.end, gaps]))
    key = np.concatenate([system.arguments["head"][None], places, codes[1][None]])
    senses = system.columns["sense"]
    numbers = np.array([*map(hash_name, senses.vocabulary), NONE], dtype=np.int64)
    answers = {
        "sense": np.where(of_system, numbers[senses.codes], NONE),
        "head": key[0],
        "dependent": np.where(gaps > 0, NONE - gaps, system.begin),
    }
    target = np.full(len(matches.kind), NONE)
    for name in answers.keys() & {*kinds}:
        rows = np.flatnonzero(matches.kind == kinds.index(name))
        target[rows] = np.append(answers[name], NONE)[matches.system[rows]]
    return matches.items(
        kinds,
        gold,
        system,
        key,
        labels=(names, codes[0], codes[1]),
        numbers=(gold.number, system.number),
        target=target,
        same=("answer", "target"),
    )


def _whole(matches: Matches, gold: Marks, system: Marks, with_senses: bool) -> Items:
    """Predicates with all their arguments as items; without senses, only gold's."""
    of_predicates = _of_predicates(matches, gold, system)
    wrong = ~of_predicates & (matches.kind != TP)
    heads = gold.arguments["head"], system.arguments["head"]
    # What answers wrongly for one predicate may be an argument of another.
    faults, excess = (
        head[side[wrong & (side != NONE)]] for head, side in zip(heads, (matches.gold, matches.system), strict=True)
    )
    rows = np.flatnonzero(of_predicates & (with_senses | (matches.gold != NONE)))
    ours, theirs, kind = matches.gold[rows], matches.system[rows], matches.kind[rows]
    head = np.append(heads[0], NONE)[ours]
    lacking = np.isin(head, faults)
    faulty = lacking | (np.isin(head, excess) & (theirs != NONE))
    outcome = np.where(faulty, WHOLE_KINDS.index("arguments"), TP)
    if with_senses:
        outcome[kind == SENSE] = WHOLE_KINDS.index("sense")
    outcome[(theirs == NONE) & (lacking | with_senses)] = WHOLE_KINDS.index("fn")
    outcome[ours == NONE] = WHOLE_KINDS.index("fp")
    whole = Matches(ours, theirs, outcome, matches.new_gold[rows], matches.new_system[rows])
    return _items(whole, WHOLE_KINDS, gold, system, labelled=False)


def _judge(
    pair: Pair,
    continuation: str,
    which: str = "",
    *,
    spans: bool = False,
    sense: str = "false",
    dependent: bool = False,
    labelled: bool = True,
    **settings: Any,
) -> Items:
    """Predicates and arguments as items; `which`: `arguments` or `predicates` alone, or `propositions`."""
    _check("sense", sense, SENSES)
    _check("continuation", continuation, CONTINUATIONS)
    _check("predicates", settings.get("predicates", "all"), ("all", "gold"))
    gold, system = roles_of(pair, spans=spans, join=continuation == "join", **settings)
    matches = _match(gold, system, spans=spans, sense=sense, labelled=labelled, dependent=dependent)
    if which == "propositions":
        return _whole(matches, gold, system, not spans)
    items = _items(matches, SPAN_KINDS if spans else KINDS, gold, system, labelled)
    return items.where(_of_predicates(matches, gold, system) == (which == "predicates")) if which else items


# --- predicates and arguments that are words ---


@_role_measure("srl", papers=_HAJIC)
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
    return _judge(pair, continuation, sense=sense, dependent=dependent)


@arc_measure("srl-unlabelled", papers=_HAJIC)
def srl_unlabelled(pair: Pair, *, continuation: str = "separate") -> Items:
    """Semantic roles without labels: words that are predicates, and words that are their arguments.

    continuation: as for srl.
    Counts and Score: as for srl. A word that gold gives two roles of one predicate is two arguments.
    Peers: eval09.pl (unlabelled F1).
    """
    return _judge(pair, continuation, labelled=False)


@_role_measure("srl-arguments", noun="argument", papers=_HAJIC)
def srl_arguments(pair: Pair, *, dependent: bool = False, continuation: str = "separate") -> Items:
    """Arguments alone: words with their role at a predicate, whatever its sense.

    dependent, continuation: as for srl.
    Counts and Score: as for srl.
    Peers: eval09.pl, PriMeSRL-Eval (dependent=true, continuation=join).
    """
    return _judge(pair, continuation, "arguments", sense="number", dependent=dependent)


@arc_measure("srl-predicates", noun="predicate", papers=_HAJIC)
def srl_predicates(pair: Pair, *, sense: str = "number") -> Items:
    """Predicates alone: words with their sense.

    sense: as for srl; `false` asks only whether predicates are found.
    Counts: tp, sense (wrong sense), fn, fp, gold, system. Score: as for srl.
    Peers: eval09.pl.
    """
    return _judge(pair, "separate", "predicates", sense=sense)


@arc_measure("srl-propositions", noun="predicate", own_outcomes=True, papers=_HAJIC)
def srl_propositions(
    pair: Pair, *, sense: str = "number", dependent: bool = False, continuation: str = "separate"
) -> Items:
    """Predicates that are right in sense and in all of their arguments.

    sense, dependent, continuation: as for srl.
    Counts: tp, sense (wrong sense), arguments (sense right, arguments not), fn, fp, gold, system (predicates).
    Score: as for srl.
    Peers: eval09.pl (proposition F1).
    """
    return _judge(pair, continuation, "propositions", sense=sense, dependent=dependent)


@sentence_measure("srl-exact", papers=_HAJIC)
def srl_exact(pair: Pair, *, sense: str = "number", dependent: bool = False, continuation: str = "separate") -> Items:
    """Gold sentences in which all predicates, senses and arguments are right, and none is spurious.

    sense, dependent, continuation: as for srl.
    Counts: right, sentences. Score: value = right/sentences; a sentence without predicates on both sides is right,
        one that the system cuts otherwise is wrong.
    Peers: eval09.pl (exact match).
    """
    return whole_sentences_of(pair, _judge(pair, continuation, sense=sense, dependent=dependent))


# --- together with the tree ---


def _macro_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    share = float(parameters["weight"])
    if not 0 <= share <= 1:
        raise UsageError(f"srl-macro: weight should be a share between 0 and 1, not {share}.")

    def mean(sums: Sums, side: str, within_f1: bool = False) -> Floats:
        roles = ratio(sums["tp"], sums[side])
        if within_f1:
            # If one of both is undefined the other is not, and as in f1 what is missing counts as 0.
            roles = np.where((sums["gold"] + sums["system"] > 0) & (sums[side] == 0), 0.0, roles)
        return np.asarray((1 - share) * ratio(sums["attached"], sums[f"{side}-words"]) + share * roles)

    def f1(sums: Sums) -> Floats:
        precision, recall = (mean(sums, side, within_f1=True) for side in ("system", "gold"))
        return ratio(2 * precision * recall, precision + recall)

    scores: Scores = {
        "f1": f1,
        "precision": lambda sums: mean(sums, "system"),
        "recall": lambda sums: mean(sums, "gold"),
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
    Score: precision = (attached/system-words + tp/system)/2, recall likewise, f1 their harmonic mean; micro-f1 is F1
        of words, predicates and arguments counted together.
    Peers: eval09.pl (macro and micro F1).
    """
    senses = sense if labelled else "false"
    judged = _judge(pair, continuation, sense=senses, dependent=dependent, labelled=labelled)
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
            raise InputError(f"{corpus.name}: contains no heads, which srl-macro needs. Leave it out, or add a tree.")
        number = np.array(numbers, dtype=np.int64)[column.codes]
        inside = (number > 0) & (number <= np.diff(corpus.starts)[corpus.sentence_of])
        place = corpus.starts[:-1][corpus.sentence_of] + number - 1
        heads.append(np.where(inside, place, np.where(number == 0, -1, -2)))
    common = np.full(len(pair.system) + 2, -3)
    common[pair.system_words] = pair.gold_words
    # The last place is the root's, -1; the one before it is for heads that are not numbers.
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


@_role_measure("srl-span", noun="argument", signed=("predicates",), papers=_CARRERAS)
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
    return _judge(pair, continuation, "arguments", spans=True, exclude=exclude, predicates=predicates, lemma=lemma)


@arc_measure("srl-span-unlabelled", noun="argument", signed=("predicates",), papers=_CARRERAS)
def srl_span_unlabelled(
    pair: Pair, *, exclude: str = "V", continuation: str = "join", predicates: str = "all", lemma: bool = False
) -> Items:
    """Semantic roles of stretches without labels: arguments with gold's predicate and all of its stretches.

    exclude, continuation, predicates, lemma: as for srl-span; roles say what does not count.
    Counts and Score: as for srl-span.
    Peers: srl-eval.pl -C.
    """
    settings: dict[str, Any] = {"exclude": exclude, "predicates": predicates, "lemma": lemma}
    return _judge(pair, continuation, "arguments", spans=True, labelled=False, **settings)


@measure(
    "srl-span-perfect",
    scores={"value": Proportion("tp", "gold")},
    count=tally_brackets,
    task="graphs",
    noun="predicate",
    own_outcomes=True,
    papers=("carreras2005",),
)
def srl_span_perfect(pair: Pair, *, exclude: str = "V", continuation: str = "join", lemma: bool = False) -> Items:
    """Gold's predicates with exactly gold's arguments: all right, none missing, none spurious.

    exclude, continuation, lemma: as for srl-span.
    Counts: tp, arguments (some are wrong), fn (the predicate is missing, and its arguments with it), gold.
    Score: value = tp/gold; a predicate without arguments is right if the system has none either.
    Peers: srl-eval.pl (perfect propositions).
    """
    return _judge(pair, continuation, "propositions", spans=True, exclude=exclude, lemma=lemma)
