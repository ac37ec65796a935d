"""What looks wrong is said in full sentences."""

from __future__ import annotations

import pytest

import assay
from unit.samples import conllu, tagged, tsv

PLAIN = [tagged("a/X b/Y c/X d/Y")] * 6


def warned(gold, *systems, **options):
    result = assay.score(gold, systems[0] if len(systems) == 1 else list(systems), "accuracy", times=10, **options)
    return [text for text in result.warnings if not text.startswith("There ")]


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            "out.tsv",
            "gold.tsv",
            "gold.tsv is given as a system but named like a gold standard; gold is out.tsv. Are the "
            "two swapped? Gold comes first.",
        ),
        (
            "tagger.pred.tsv",
            "a.tsv",
            "tagger.pred.tsv is given as gold but named like an output. Are gold and system swapped?",
        ),
    ],
)
def test_files_named_the_wrong_way_round_are_told_of(file, gold, system, message):
    file(gold, tsv(*PLAIN))
    file(system, tsv(*PLAIN).replace("a\tX", "a\tY"))
    assert warned(gold, system) == [message]


@pytest.mark.parametrize(
    ("gold", "system"), [("gold.tsv", "pred.tsv"), ("test.tsv", "a.tsv"), ("gold.tsv", "gold-retagged.tsv")]
)
def test_ordinary_names_give_no_warning(file, gold, system):
    file(gold, tsv(*PLAIN))
    file(system, tsv(*PLAIN).replace("a\tX", "a\tY"))
    assert warned(gold, system) == []


def test_the_same_file_and_a_copied_column_are_told_of(file):
    file("gold.tsv", tsv(*PLAIN))
    file("same.tsv", tsv(*PLAIN))
    file("copy.tsv", tsv(*PLAIN) + "\n")
    assert warned("gold.tsv", "same.tsv") == ["same (same.tsv) has the same content as gold (gold.tsv)."]
    assert warned("gold.tsv", "copy.tsv") == ["copy agrees with gold on all 24 labels. Was it copied, not predicted?"]


def test_a_few_right_labels_are_no_copy(file):
    file("gold.conllu", conllu(tagged("a/X")))
    file("s.conllu", "# x\n" + conllu(tagged("a/X")))
    assert warned("gold.conllu", "s.conllu") == []


def test_a_clash_that_a_mapping_would_heal_comes_with_the_line_for_it(file):
    file("gold.tsv", tsv(*([tagged("x/PROAV y/NN")] * 10)))
    file("s.tsv", tsv(*([tagged("x/PAV y/NN")] * 10)))
    assert warned("gold.tsv", "s.tsv") == [
        "s uses 1 label that gold never uses, on 10 words: PAV (10 words, where gold mostly has PROAV (100%)). If "
        "they mean the same, map them with a line in a file for --map: s TAB PAV TAB PROAV",
        "s never assigns PROAV (10 words, where it mostly has PAV (100%)).",
    ]


def test_no_line_is_offered_where_mapping_would_harm_other_words(file):
    file("gold.tsv", tsv(*([tagged("x/NE y/NN")] * 10)))
    file("s.tsv", tsv(*([tagged("x/NN y/NN")] * 10)))
    assert warned("gold.tsv", "s.tsv") == ["s never assigns NE (10 words, where it mostly has NN (100%))."]


def listed(gold, system):
    """Warnings on one system given as labels of words."""
    return warned([[label] for label in gold], {"s": [[label] for label in system]})


@pytest.mark.parametrize(
    ("words", "foreign", "said"),
    [(100, 9, False), (100, 10, True), (10_000, 10, True), (10_001, 10, False), (20_000, 20, True)],
)
def test_foreign_labels_are_told_of_from_ten_words_and_a_thousandth_on(words, foreign, said):
    gold = ["A"] * foreign + ["B"] * (words - foreign - 1) + ["A"]
    system = ["X"] * foreign + ["B"] * (words - foreign - 1) + ["A"]
    message = (
        f"s uses 1 label that gold never uses, on {foreign} words: X ({foreign} words, where gold mostly has A "
        f"(100%)). If they mean the same, map them with a line in a file for --map: s TAB X TAB A"
    )
    assert listed(gold, system) == ([message] if said else [])


@pytest.mark.parametrize(("same", "share", "hint"), [(16, "80%", True), (15, "75%", False)])
def test_a_line_is_offered_from_four_fifths_on(same, share, hint):
    gold = ["A"] * same + ["B"] * (20 - same) + ["A", "B"]
    line = " If they mean the same, map them with a line in a file for --map: s TAB X TAB A" if hint else ""
    assert listed(gold, ["X"] * 20 + ["A", "B"]) == [
        f"s uses 1 label that gold never uses, on 20 words: X (20 words, where gold mostly has A ({share})).{line}"
    ]


def test_of_many_foreign_labels_the_five_most_frequent_are_named_each_with_what_gold_has_there():
    gold = [label for number in range(7) for label in [f"G{number}"] * (7 - number)] + [f"G{n}" for n in range(7)]
    system = [label for number in range(7) for label in [f"X{number}"] * (7 - number)] + [f"G{n}" for n in range(7)]
    named = ", ".join(f"X{n} ({7 - n} words, where gold mostly has G{n} (100%))" for n in range(5))
    assert listed(gold, system) == [
        f"s uses 7 labels that gold never uses, on 28 words: {named}, …. If they mean the same, map them with a line "
        "in a file for --map: s TAB X0 TAB G0"
    ]


def test_a_label_never_assigned_is_told_of_with_what_the_system_mostly_has_there():
    assert listed(["A"] * 40 + ["B", "C"], ["B"] * 39 + ["C"] + ["B", "C"]) == [
        "s never assigns A (40 words, where it mostly has B (98%))."
    ]


def test_rare_labels_that_are_never_assigned_are_no_clash(file):
    file("gold.tsv", tsv(*([tagged("x/NE y/NN")] * 9)))
    file("s.tsv", tsv(*([tagged("x/NN y/NN")] * 9)))
    assert warned("gold.tsv", "s.tsv") == []


def test_where_no_word_has_a_counterpart_no_label_is_said_to_stand_there(file):
    file("gold.tsv", tsv(*([tagged("ab/N c/X")] * 10)))
    file("s.tsv", tsv(*([tagged("a/X b/X c/X")] * 10)))
    assert not [text for text in warned("gold.tsv", "s.tsv") if "mostly" in text]


def test_identical_systems_are_told_of(file):
    file("gold.tsv", tsv(*PLAIN))
    text = tsv(*PLAIN).replace("a\tX", "a\tY")
    file("s.tsv", text)
    file("t.tsv", text + "\n")
    assert warned("gold.tsv", "s.tsv", "t.tsv") == ["s and t give the same answers everywhere."]


def test_many_identical_systems_are_told_of_in_one_line_for_each_group():
    gold, one, other = [["A", "B", "B"]] * 20, [["A", "A", "B"]] * 20, [["B", "A", "B"]] * 20
    outputs = {"r": one, "s": other, "t": one, "u": other, "v": one, "w": [["A", "B", "A"]] * 20}
    assert warned(gold, outputs) == [
        "r, t and v give the same answers everywhere.",
        "s and u give the same answers everywhere.",
    ]


def test_what_holds_of_several_systems_in_the_same_words_is_said_once():
    gold, system = [["A", "B"]] * 10, [["B", "B"]] * 10
    assert warned(gold, {"s": system, "t": system, "u": system}) == [
        "s never assigns A (10 words, where it mostly has B (100%)). The same applies to t and u.",
        "s, t and u give the same answers everywhere.",
    ]


def test_of_many_labels_never_assigned_the_five_most_frequent_are_named_in_one_line():
    gold = [label for number in range(7) for label in [f"G{number}"] * (20 - number)] + ["X"]
    named = ", ".join(f"G{n} ({20 - n} words, where it mostly has X (100%))" for n in range(5))
    assert listed(gold, ["X"] * len(gold)) == [f"s never assigns {named}, …."]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (
            1,
            "There is only 1 sentence, so there is no interval, and p = 1 means nothing.",
        ),
        (19, "There are only 19 sentences, so intervals and p-values are rough."),
        (20, None),
    ],
)
def test_few_units_are_told_of(sentences, message):
    gold, system = [["A", "B"]] * sentences, [["A", "A"]] * sentences
    found = [text for text in assay.score(gold, system, "accuracy", times=10).warnings if text.startswith("There ")]
    assert found == ([message] if message else [])
