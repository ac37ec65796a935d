"""Properties of graphs: what holds of any arcs over any words."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay

RELATIONS = ("nsubj", "nsubj:pass", "obl:in", "obl:on", "conj", "root")
ROLES = ("ARG1", "ARG2", "BV", "x-arg")
Arcs = set[tuple[str, str, str]]
"""Dependent, head and label, nodes by their ids; 0 is the root."""
Sentence = tuple[int, list[str], Arcs]
"""The number of words, the ids of empty nodes, and the arcs."""
ENHANCED = ("elas", "eulas", "euas")
WAYS = ("collapse", "drop", "align")
SEMANTIC = ("sdp", "sdp-unlabelled", "predications(predicates=any)", "frames(predicates=any)", "sdp(directed=false)")
KINDS = ("tp", "le", "head", "dependent", "direction")
WHOLE = ("sense", "arguments")


@st.composite
def graphs(draw: Any, words: int, empties: int = 2) -> Sentence:
    """A graph over so many words."""
    ids = [f"{draw(st.integers(0, words))}.{number}" for number in range(1, draw(st.integers(0, empties)) + 1)]
    nodes = [*(str(word) for word in range(1, words + 1)), *ids]
    arc = st.tuples(st.sampled_from(nodes), st.sampled_from(["0", *nodes]), st.sampled_from(RELATIONS))
    return words, ids, draw(st.sets(arc, max_size=9))


@st.composite
def pairs(draw: Any, empties: int = 2) -> list[tuple[Sentence, Sentence]]:
    """Sentences of gold and of a system with the same words."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    return [(draw(graphs(words, empties)), draw(graphs(words, empties))) for words in lengths]


def conllu(sentences: list[Sentence], mixed: random.Random | None = None) -> str:
    """Sentences as CoNLL-U; `mixed`: with the arcs of a cell in any order and other ids of empty nodes."""
    text = ""
    for words, empties, arcs in sentences:
        names = {name: name for name in empties}
        if mixed:
            names = {name: f"{mixed.randint(0, words)}.{number + 5}" for number, name in enumerate(empties)}
        nodes = sorted(
            [*range(words + 1), *empties], key=lambda node: int(str(names.get(str(node), node)).split(".")[0])
        )
        for node in nodes:
            cells = [f"{names.get(head, head)}:{label}" for own, head, label in sorted(arcs) if own == str(node)]
            if mixed:
                mixed.shuffle(cells)
            name = names.get(str(node), str(node))
            if name != "0":
                text += f"{name}\tw{name.split('.')[0]}\t_\t_\t_\t_\t_\t_\t{'|'.join(cells) or '_'}\t_\n"
        text += "\n"
    return text


def sdp(sentences: list[Sentence]) -> str:
    """The arcs between words as SDP; of several between two words one, and each relation as a role."""
    text = "#SDP 2015\n"
    for number, (words, _, arcs) in enumerate(sentences, 1):
        between = {(own, head): label for own, head, label in sorted(arcs) if "." not in own + head}
        heads = sorted({int(head) for _, head in between if head != "0"})
        text += f"#{number}\n"
        for word in range(1, words + 1):
            own = str(word)
            cells = [
                ROLES[len(between.get((own, str(head)), "")) % 4] if (own, str(head)) in between else "_"
                for head in heads
            ]
            flags = [
                "+" if (own, "0") in between else "-",
                "+" if word in heads else "-",
                f"f{words % 2}" if word in heads else "_",
            ]
            text += "\t".join([own, f"w{word}", "_", "VB", *flags, *cells]) + "\n"
        text += "\n"
    return text


def counted(folder: Path, gold: str, system: str, measures: list[str]) -> dict[str, dict[str, float]]:
    """Counts and scores of measures by the names given."""
    (folder / "gold").write_text(gold)
    (folder / "system").write_text(system)
    form = "sdp" if gold.startswith("#SDP") else "conllu"
    systems = {"s": str(folder / "system")}
    result = assay.score(str(folder / "gold"), systems, measures, task="graphs", input_format=form, times=1)
    found: dict[str, dict[str, float]] = {name: {} for name in result.measures}
    for row in result.counts:
        if row.label is None:
            found[row.measure].update(row.counts)
    for score in result.scores:
        if score.label is None:
            found[score.measure][score.score] = score.value
    return {spec: found[name] for spec, name in zip(measures, result.measures, strict=True)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


def texts(both: list[tuple[Sentence, Sentence]]) -> list[tuple[str, str, list[str]]]:
    """Both sides as CoNLL-U and as SDP, each with its measures."""
    sides = [[one for one, _ in both], [other for _, other in both]]
    specs = [f"{name}(empty={way})" for name in ENHANCED for way in WAYS]
    return [
        (conllu(sides[0]), conllu(sides[1]), [*specs, "elas(case_labels=false)", "arc-f1"]),
        (sdp(sides[0]), sdp(sides[1]), [*SEMANTIC, "sdp(top=false)", "sdp-exact", "sdp-unlabelled-exact"]),
    ]


@given(pairs())
def test_gold_against_itself_is_right_and_no_score_leaves_its_range(folder: Path, both: Any) -> None:
    for gold, system, specs in texts(both):
        for found in counted(folder, gold, gold, specs).values():
            scores = [found[name] for name in ("f1", "precision", "recall", "value") if name in found]
            assert all(math.isnan(value) or value == 1.0 for value in scores)
        for found in counted(folder, gold, system, specs).values():
            scores = [found[name] for name in ("f1", "precision", "recall", "value") if name in found]
            assert all(math.isnan(value) or 0.0 <= value <= 1.0 for value in scores)


@given(pairs())
def test_exchanging_both_sides_exchanges_precision_and_recall(folder: Path, both: Any) -> None:
    for gold, system, specs in texts(both):
        there, back = counted(folder, gold, system, specs), counted(folder, system, gold, specs)
        for spec in specs:
            for one, other in (("precision", "recall"), ("recall", "precision"), ("f1", "f1"), ("value", "value")):
                if one in there[spec]:
                    assert there[spec][one] == pytest.approx(back[spec][other], nan_ok=True), spec


@given(pairs())
def test_coarser_keys_find_no_less(folder: Path, both: Any) -> None:
    (gold, system, _), (gold_sdp, system_sdp, _) = texts(both)
    for way in WAYS:
        specs = [f"{name}(empty={way})" for name in ENHANCED]
        right = [found["tp"] for found in counted(folder, gold, system, specs).values()]
        assert right == sorted(right)
    found = counted(folder, gold_sdp, system_sdp, list(SEMANTIC))
    assert found["sdp"]["tp"] <= found["sdp-unlabelled"]["tp"]
    assert found["frames(predicates=any)"]["tp"] <= found["predications(predicates=any)"]["tp"]


@given(pairs(), st.integers(0, 99))
def test_order_of_arcs_and_ids_of_empty_nodes_say_nothing(folder: Path, both: Any, seed: int) -> None:
    gold, system = [one for one, _ in both], [other for _, other in both]
    specs = ["elas", "eulas", "euas", "elas(empty=drop)"]
    plain = counted(folder, conllu(gold), conllu(system), specs)
    mixed = counted(folder, conllu(gold, random.Random(seed)), conllu(system, random.Random(seed + 1)), specs)
    for spec in specs:
        # Which arc answers for which may go by place; how many are right may not.
        for name in ("tp", "gold", "system"):
            assert plain[spec][name] == mixed[spec][name]


@given(pairs(empties=0), st.integers(0, 99))
def test_the_order_of_predicates_says_nothing(folder: Path, both: Any, seed: int) -> None:
    """Words in another order on both sides, so that columns of predicates change places with their flags."""
    chance = random.Random(seed)

    def moved(one: Sentence, order: list[int]) -> Sentence:
        place = {str(word): str(new) for word, new in enumerate(order, 1)} | {"0": "0"}
        return one[0], [], {(place[own], place[head], label) for own, head, label in one[2]}

    orders = [chance.sample(range(1, one[0] + 1), one[0]) for one, _ in both]
    texts_of = [
        [sdp([change(pair[side], order) for pair, order in zip(both, orders, strict=True)]) for side in (0, 1)]
        for change in (lambda one, order: one, moved)
    ]
    specs = [*SEMANTIC, "sdp-exact"]
    plain, mixed = (counted(folder, *own, specs) for own in texts_of)
    for spec in specs:
        for name in ("tp", "gold", "system", "right", "sentences"):
            assert plain[spec].get(name) == mixed[spec].get(name), spec


@st.composite
def trees(draw: Any) -> list[tuple[list[int], list[str]]]:
    """Trees: the head of each word, always before it or the root, and its relation."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    heads = [[draw(st.integers(0, word)) for word in range(length)] for length in lengths]
    return [(own, [draw(st.sampled_from(RELATIONS)) for _ in own]) for own in heads]


@given(trees(), st.integers(0, 999))
def test_graphs_that_are_trees_score_as_trees(folder: Path, gold: Any, seed: int) -> None:
    chance = random.Random(seed)
    system = [
        ([chance.randint(0, word) for word in range(len(heads))], [chance.choice(RELATIONS) for _ in heads])
        for heads, _ in gold
    ]

    def rows(both: Any, deps: bool) -> str:
        text = ""
        for heads, labels in both:
            for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1):
                text += f"{word}\tw{word}\t_\t_\t_\t_\t{head}\t{label}\t{f'{head}:{label}' if deps else '_'}\t_\n"
            text += "\n"
        return text

    ours = counted(folder, rows(gold, True), rows(system, True), list(ENHANCED))
    result = assay.score(
        str(folder / "gold"), {"s": str(folder / "system")}, ["las(subtypes=true)", "las", "uas"], times=1
    )
    official = [row.counts["right"] for row in result.counts if row.label is None]
    assert [ours[name]["tp"] for name in ENHANCED] == official

    def as_sdp(both: Any) -> str:
        arcs = [
            (
                len(heads),
                [],
                {
                    (str(word), str(head), label)
                    for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
                },
            )
            for heads, labels in both
        ]
        return sdp(arcs)

    assert counted(folder, as_sdp(gold), as_sdp(system), ["sdp-unlabelled"])["sdp-unlabelled"]["tp"] == official[2]


@given(pairs(), st.data())
def test_a_right_arc_more_and_a_wrong_arc_more(folder: Path, both: Any, data: Any) -> None:
    gold, system = [one for one, _ in both], [other for _, other in both]
    before = counted(folder, conllu(gold), conllu(system), ["elas(empty=drop)"])["elas(empty=drop)"]
    words, _, arcs = gold[0]
    if missing := sorted(arcs - system[0][2]):
        arc = data.draw(st.sampled_from(missing))
        if "." not in arc[0] + arc[1]:
            more = [(words, system[0][1], system[0][2] | {arc}), *system[1:]]
            after = counted(folder, conllu(gold), conllu(more), ["elas(empty=drop)"])["elas(empty=drop)"]
            assert after["recall"] >= before["recall"]
    more = [(words, system[0][1], system[0][2] | {("1", "0", "never")}), *system[1:]]
    after = counted(folder, conllu(gold), conllu(more), ["elas(empty=drop)"])["elas(empty=drop)"]
    assert math.isnan(before["precision"]) or after["precision"] <= before["precision"]


@given(pairs())
def test_types_add_up_and_so_do_sentences(folder: Path, both: Any) -> None:
    for way in (0, 1):
        gold, system, specs = texts(both)[way]
        whole = counted(folder, gold, system, specs)
        apart = [counted(folder, *texts([one])[way][:2], specs) for one in both]
        for spec in specs:
            counts = whole[spec]
            if "tp" in counts:
                paired = sum(counts.get(kind, 0) for kind in (*KINDS, *WHOLE))
                assert counts["gold"] == paired + counts["fn"] and counts["system"] == paired + counts["fp"]
            for name in ("tp", "gold", "system", "right", "sentences", *KINDS, *WHOLE, "fn", "fp"):
                if name in counts:
                    assert counts[name] == sum(one[spec][name] for one in apart), (spec, name)
