"""Semantic roles whatever the files: random propositions, written out, read and scored."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import assay

FEW = settings(max_examples=max(5, settings().max_examples // 5), deadline=None)
ROLES = st.sampled_from(["A0", "A1", "AM-TMP", "C-A0", "R-A1", "C-A1"])
SENSES = st.sampled_from(["try.01", "do.01", "try.1", "try.02", "be"])
LENGTH = 5
SETTINGS = ("", "sense=full", "sense=false", "dependent=true", "continuation=join")
OF_HEADS = (
    *(f"srl({one})" if one else "srl" for one in SETTINGS),
    *("srl-unlabelled", "srl-unlabelled(continuation=join)", "srl-arguments", "srl-arguments(dependent=true)"),
    *("srl-predicates", "srl-predicates(sense=full)", "srl-predicates(sense=false)"),
    *("srl-propositions", "srl-propositions(sense=full)", "srl-propositions(continuation=join)"),
)
WHOLE = ("srl-exact", "srl-macro", "srl-macro(labelled=false)", "srl-macro(weight=0.2)")
OF_SPANS = (
    *("srl-span", "srl-span(continuation=separate)", "srl-span(lemma=true)", "srl-span(exclude=)"),
    *("srl-span-unlabelled", "srl-span-unlabelled(continuation=separate)"),
)
PERFECT = ("srl-span-perfect", "srl-span-perfect(continuation=separate)", "srl-span(predicates=gold)")


@st.composite
def sentences(draw):
    """Predicates by word: sense, and arguments as (word, role)."""
    words = draw(st.sets(st.integers(0, LENGTH - 1), max_size=3))
    arguments = st.sets(st.tuples(st.integers(0, LENGTH - 1), ROLES), max_size=4)
    return {word: (draw(SENSES), draw(arguments)) for word in sorted(words)}


@st.composite
def propositions(draw):
    """Predicates by word: lemma, and arguments as (first, end, role), none of which overlaps another."""
    words = draw(st.sets(st.integers(0, LENGTH - 1), max_size=3))
    found = {}
    for word in sorted(words):
        cuts = draw(st.lists(st.none() | ROLES | st.just("V"), min_size=LENGTH, max_size=LENGTH))
        arguments = {(place, place + draw(st.integers(1, 2)), role) for place, role in enumerate(cuts) if role}
        kept = set()
        for first, end, role in sorted(arguments):
            if end <= LENGTH and all(end <= a or b <= first for a, b, _ in kept):
                kept.add((first, end, role))
        found[word] = (draw(st.sampled_from(["give", "try"])), kept)
    return found


def conll09(texts, order=1):
    """Sentences as CoNLL-2009; `order` -1 writes roles of one word in another order."""
    lines = []
    for sentence in texts:
        for word in range(LENGTH):
            sense = sentence[word][0] if word in sentence else "_"
            cells = [
                "|".join(sorted(role for place, role in arguments if place == word)[::order]) or "_"
                for _, arguments in sentence.values()
            ]
            flag = "Y" if word in sentence else "_"
            number, form, head = str(word + 1), f"w{word}", str(word)
            lines.append("\t".join([number, form, *"______", head, head, "r", "r", flag, sense, *cells]))
        lines.append("")
    return "\n".join(lines) + "\n"


def props(texts):
    """Sentences as props."""
    lines = []
    for sentence in texts:
        for word in range(LENGTH):
            cells = [sentence[word][0] if word in sentence else "-"]
            for _, arguments in sentence.values():
                opened = "".join(f"({role}" for first, _, role in sorted(arguments) if first == word)
                closed = ")" * sum(end == word + 1 for _, end, _ in arguments)
                cells.append(f"{opened}*{closed}")
            lines.append("\t".join(cells))
        lines.append("")
    return "\n".join(lines) + "\n"


def scored(gold, system, measures, form):
    """Scores and counts of everything, by measure."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("a.txt", "b.txt")]
        for path, text in zip(paths, (gold, system), strict=True):
            path.write_text(text)
        result = assay.score(str(paths[0]), {"s": str(paths[1])}, list(measures), times=1, input_format=form)
    plain = [row for row in result.scores if row.label is None and row.slice is None]
    by_label = [row for row in result.scores if row.label is not None]
    assert all(math.isnan(row.value) or 0 <= row.value <= 1 for row in by_label)
    counts = {row.measure: row.counts for row in result.counts if row.label is None and row.slice is None}
    return {(row.measure, row.score): row.value for row in plain}, counts


def same(one, other):
    """True of equal scores; what is undefined is so on both sides."""
    return math.isclose(one, other, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))


TEXTS = st.lists(sentences(), min_size=1, max_size=3)
SPANS = st.lists(propositions(), min_size=1, max_size=3)


@FEW
@given(TEXTS)
def test_gold_against_itself_is_right_in_every_setting(gold):
    text = conll09(gold)
    scores, _ = scored(text, text, (*OF_HEADS, *WHOLE), "conll09")
    assert all(math.isnan(value) or value == 1 for value in scores.values())


@FEW
@given(SPANS)
def test_gold_against_itself_is_right_for_stretches_too(gold):
    text = props(gold)
    scores, _ = scored(text, text, (*OF_SPANS, *PERFECT), "props")
    assert all(math.isnan(value) or value == 1 for value in scores.values())


@FEW
@given(st.lists(st.tuples(sentences(), sentences()), min_size=1, max_size=3))
def test_exchanging_sides_exchanges_precision_and_recall(both):
    gold, system = (conll09([pair[side] for pair in both]) for side in (0, 1))
    there, counts = scored(gold, system, (*OF_HEADS, *WHOLE), "conll09")
    back, turned = scored(system, gold, (*OF_HEADS, *WHOLE), "conll09")
    check_exchange(there, back, OF_HEADS)
    assert all(math.isnan(value) or 0 <= value <= 1 for value in there.values())
    assert counts["srl-exact"] == turned["srl-exact"]
    for measure in OF_HEADS:
        check_types(counts[measure])


@FEW
@given(st.lists(st.tuples(propositions(), propositions()), min_size=1, max_size=3))
def test_the_same_of_stretches(both):
    gold, system = (props([pair[side] for pair in both]) for side in (0, 1))
    there, counts = scored(gold, system, (*OF_SPANS, *PERFECT), "props")
    back, _ = scored(system, gold, (*OF_SPANS, *PERFECT), "props")
    check_exchange(there, back, OF_SPANS)
    assert all(math.isnan(value) or 0 <= value <= 1 for value in there.values())
    assert counts["srl-span"]["tp"] <= counts["srl-span-unlabelled"]["tp"]
    assert counts["srl-span(lemma=true)"]["tp"] <= counts["srl-span"]["tp"]
    for measure in OF_SPANS:
        check_types(counts[measure])


def check_exchange(there, back, measures):
    """Precision is recall and recall precision, F1 stays."""
    for measure in measures:
        for one, other in (("precision", "recall"), ("recall", "precision"), ("f1", "f1")):
            assert same(there[measure, one], back[measure, other]), (measure, one)


def check_types(counts):
    """Kinds of outcomes add up to gold's items, and to the system's."""
    kinds = {name: number for name, number in counts.items() if name not in ("gold", "system")}
    missing = sum(number for name, number in kinds.items() if name.startswith("fn"))
    spurious = sum(number for name, number in kinds.items() if name.startswith("fp"))
    assert sum(kinds.values()) - spurious == counts["gold"]
    assert sum(kinds.values()) - missing == counts["system"]


@FEW
@given(st.lists(st.tuples(sentences(), sentences()), min_size=1, max_size=3))
def test_stricter_settings_find_fewer(both):
    gold, system = (conll09([pair[side] for pair in both]) for side in (0, 1))
    _, counts = scored(gold, system, OF_HEADS, "conll09")
    right = {measure: row["tp"] for measure, row in counts.items()}
    assert right["srl(sense=full)"] <= right["srl"] <= right["srl(sense=false)"] <= right["srl-unlabelled"]
    assert right["srl(dependent=true)"] <= right["srl"]
    assert right["srl-propositions"] <= right["srl-predicates"]
    assert right["srl"] == right["srl-arguments"] + right["srl-predicates"]


@FEW
@given(TEXTS, TEXTS)
def test_the_order_of_roles_in_a_cell_says_nothing(gold, system):
    size = min(len(gold), len(system))
    ours, theirs = gold[:size], system[:size]
    assert (
        scored(conll09(ours), conll09(theirs), OF_HEADS, "conll09")[1]
        == (scored(conll09(ours, -1), conll09(theirs, -1), OF_HEADS, "conll09")[1])
    )


@FEW
@given(st.lists(st.tuples(sentences(), sentences()), min_size=1, max_size=3), st.permutations(range(LENGTH)))
def test_the_order_of_predicates_says_nothing(both, order):
    """Words in another order on both sides: columns of predicates change places with their flags."""

    def moved(sentence):
        places = {
            order[word]: (sense, {(order[place], role) for place, role in arguments})
            for word, (sense, arguments) in sentence.items()
        }
        return dict(sorted(places.items()))

    measures = [one for one in (*OF_HEADS, "srl-exact") if "join" not in one]
    plain, mixed = (
        scored(*(conll09([change(pair[side]) for pair in both]) for side in (0, 1)), measures, "conll09")[1]
        for change in (dict, moved)
    )
    for measure, counts in plain.items():
        for name in ("tp", "gold", "system", "right", "sentences"):
            assert counts.get(name) == mixed[measure].get(name), measure


@FEW
@given(st.lists(st.tuples(sentences(), sentences()), min_size=1, max_size=3))
def test_stretches_of_one_word_are_words(both):
    """Without C- the arguments are those of srl-arguments; which sense a predicate has does not matter."""
    without = [
        [
            {
                word: (sense, {(place, role) for place, role in arguments if not role.startswith("C-")})
                for word, (sense, arguments) in pair[side].items()
            }
            for pair in both
        ]
        for side in (0, 1)
    ]
    _, heads = scored(*map(conll09, without), ("srl-arguments",), "conll09")
    as_spans = [
        [
            {word: ("v", {(place, place + 1, role) for place, role in own}) for word, (_, own) in sentence.items()}
            for sentence in side
        ]
        for side in without
    ]
    _, spans = scored(*map(props, as_spans), ("srl-span",), "props")
    for field in ("tp", "gold", "system"):
        assert heads["srl-arguments"][field] == spans["srl-span"][field]


@FEW
@given(st.lists(st.tuples(sentences(), sentences()), min_size=2, max_size=4))
def test_counts_add_up_over_files(both):
    measures = (*OF_HEADS, *WHOLE)
    sides = [[pair[side] for pair in both] for side in (0, 1)]
    whole = scored(*map(conll09, sides), measures, "conll09")[1]
    parts = [
        scored(*(conll09(side[cut]) for side in sides), measures, "conll09")[1] for cut in (slice(1), slice(1, None))
    ]
    for measure, counts in whole.items():
        assert counts == {name: sum(part[measure][name] for part in parts) for name in counts}
