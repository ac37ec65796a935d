"""Systems and their names, columns, units, folders."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.corpus.adapters import named_systems
from assay.formats import read
from unit.samples import conllu, refusal, row, tagged, tsv


@pytest.mark.parametrize(
    ("systems", "names"),
    [
        (["a.conllu", "dir/b.tsv.gz"], ["a", "b"]),
        (["new=a.conllu", "x y=b.tsv"], ["new", "x y"]),
        (["one/out.conllu", "two/out.conllu"], ["one/out", "two/out"]),
        (["out.conllu", "out.conllu"], ["out (1)", "out (2)"]),
        (["d/out.conllu", "d/out.conllu"], ["d/out (1)", "d/out (2)"]),
        ("a.conllu", ["a"]),
        (Path("runs/a.conllu"), ["a"]),
        (["-"], ["stdin"]),
        (["m=-"], ["m"]),
        ([[["A"]], [["B"]]], ["system 1", "system 2"]),
        ([["A", "B"]], ["system 1"]),
        ({"007": [["A"]]}, ["007"]),
        (["odd/na=me.conllu"], ["na=me"]),
    ],
)
def test_systems_are_named_by_the_user_their_file_their_folder_or_a_number(systems, names):
    assert list(named_systems(systems)) == names


def test_a_name_is_cut_off_its_path():
    assert named_systems(["new=runs/a=b.conllu"]) == {"new": "runs/a=b.conllu"}


def test_a_file_that_exists_is_no_name_and_path(file):
    assert named_systems([file("a=b.conllu", "x")]) == {"a=b": "a=b.conllu"}


def test_no_system_is_lost_whatever_they_are_called():
    named = named_systems(["x.conllu", "x.conllu", "x (1)=y.conllu"])
    assert len(named) == 3


def test_no_system_at_all_is_refused():
    message = "no system to score. Give at least one in addition to gold."
    assert refusal(named_systems, []) == message
    assert refusal(assay.score, [["A"]], []) == message
    assert refusal(assay.score, [["A"]], {}) == message


# --- columns ---


def test_the_first_usual_column_that_all_files_fill_is_compared(file):
    file("gold.conllu", row(1, "a", "X", "Y"))
    file("s.conllu", row(1, "a", "_", "Y"))
    assert assay.score("gold.conllu", "s.conllu", times=10).about.column == "XPOS"


def test_where_no_column_is_filled_everywhere_it_is_said_who_fills_what(file):
    file("gold.conllu", row(1, "a", "X", "_"))
    file("s.conllu", row(1, "a", "_", "Y"))
    assert refusal(assay.score, "gold.conllu", "s.conllu", times=10) == (
        "no column is filled in all files: gold.conllu fills UPOS; s.conllu fills XPOS. Choose one with --column."
    )


def test_a_file_of_two_columns_is_compared_on_the_column_that_gold_names(file):
    file("gold.conllu", row(1, "a", "X", "Y"))
    file("s.tsv", "a\tY\n")
    assert assay.score("gold.conllu", "s.tsv", column="XPOS", times=10).score("s", "accuracy").value == 1
    assert assay.score("gold.conllu", "s.tsv", times=10).score("s", "accuracy").value == 0


def test_a_system_with_an_empty_column_has_no_figures_and_the_others_have(file):
    file("gold.conllu", conllu(tagged("a/X b/Y")))
    file("s.conllu", conllu(tagged("a/X b/X")))
    file("t.conllu", conllu(tagged("a/_ b/_")))
    result = assay.compare("gold.conllu", ["s.conllu", "t.conllu"], column="UPOS", times=10)
    assert [(source.name, source.status) for source in result.systems] == [("s", ""), ("t", "column empty")]
    assert {score.system for score in result.scores} == {"s"}
    assert "t: column UPOS is empty, so there are no scores for it." in result.warnings
    assert result.comparisons == ()


def test_an_empty_column_alone_is_refused(file):
    file("gold.conllu", conllu(tagged("a/X b/Y")))
    file("t.conllu", conllu(tagged("a/_ b/_")))
    assert refusal(assay.score, "gold.conllu", "t.conllu", column="UPOS", times=10) == (
        "t.conllu: column UPOS is empty. Choose another with --column."
    )
    assert refusal(assay.score, "t.conllu", "gold.conllu", column="UPOS", times=10) == (
        "t.conllu: column UPOS is empty in gold (every cell is _). "
        "Are gold and system swapped? Or choose another with --column."
    )


def test_the_lemma_of_a_real_underscore_is_compared(file):
    file("gold.conllu", row(1, "_", "SYM", lemma="_") + row(2, "x", "X", lemma="y") + row(3, "z", "X"))
    file("s.conllu", row(1, "_", "SYM", lemma="_") + row(2, "x", "X", lemma="x") + row(3, "z", "X", lemma="z"))
    result = assay.score("gold.conllu", "s.conllu", column="LEMMA", times=10)
    assert result.about.items == 2
    assert result.score("s", "accuracy").value == 0.5


# --- units and folders ---


def test_documents_may_be_the_units(file):
    gold = [tagged("a/X b/Y"), tagged("c/X"), tagged("d/X")]
    file("gold.conllu", conllu(*gold, comments=[["newdoc id = 1"], [], ["newdoc id = 2"]]))
    file("s.conllu", conllu(*gold[:2], tagged("d/Y")))
    result = assay.score("gold.conllu", "s.conllu", unit="document", times=10)
    assert (result.about.unit, result.about.units) == ("document", 2)
    assert "|unit:document|n:2|" in result.signature
    assert "There are only 2 documents, so intervals and p-values are rough." in result.warnings


def test_folders_correspond_by_file_name(file):
    for folder in ("gold", "s"):
        for name in ("x", "y"):
            file(f"{folder}/{name}.{folder}.tsv", tsv(tagged(f"{name}/X")))
    assert assay.score("gold", "s", times=10).about.items == 2
    file("gold/z.gold.tsv", tsv(tagged("z/X")))
    assert refusal(assay.score, "gold", "s", times=10) == (
        "s: lacks z, which gold has. Files in the two folders are matched by name."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "paragraph"}, "there is no unit 'paragraph'. Available: sentence, document, meta:KEY."),
        ({"interval": "bcaa"}, "there is no value 'bcaa' for interval. Did you mean bca?"),
        ({"on_mismatch": "skp"}, "there is no value 'skp' for on_mismatch. Did you mean skip?"),
        ({"kind": "corrections"}, "there is no value 'corrections' for kind. Did you mean correction?"),
        ({"times": 0}, "--times 0: give 1 or more."),
        ({"seed": -3}, "--seed -3: give 0 or more."),
    ],
)
def test_values_that_are_none_of_the_choices_are_refused(options, message):
    assert refusal(assay.score, [["A"]], [["A"]], **options) == message


def test_an_option_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises((TypeError, assay.AssayError), match="colum"):
        assay.score([["A"]], [["A"]], colum="UPOS")


# --- the public names ---


def test_read_is_a_function_before_and_after_other_names_were_used(file):
    import subprocess
    import sys

    file("a.tsv", tsv(tagged("a/X")))
    script = 'import assay; assay.score("a.tsv", "a.tsv", times=5); print(len(assay.read("a.tsv")))'
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr


def test_inputs_are_corpora_too_and_are_not_changed(file):
    corpus = read(file("a.tsv", tsv(tagged("a/X b/Y"))))
    before = corpus.columns["2"].codes.copy()
    result = assay.score(corpus, {"s": corpus}, map=file("m", "X\tZ\n"), times=10)
    assert result.score("s", "accuracy").value == 1
    assert corpus.columns["2"].codes.tolist() == before.tolist()
    assert corpus.columns["2"].strings() == ["X", "Y"]


def test_a_file_that_gold_lacks_is_named_too(file):
    for folder, names in (("gold", "uvxy"), ("s", "abcdxy")):
        for name in names:
            file(f"{folder}/{name}.tsv", tsv(tagged(f"{name}/X")))
    assert refusal(assay.score, "gold", "s", times=10) == (
        "s: lacks u, v, which gold has. Files in the two folders are matched by name."
    )
    for name in "uv":
        file(f"s/{name}.tsv", tsv(tagged(f"{name}/X")))
    assert refusal(assay.score, "gold", "s", times=10) == (
        "gold: lacks a, b, c, …, which s has. Files in the two folders are matched by name."
    )


def test_two_systems_of_one_name_are_refused(file):
    assert refusal(named_systems, ["m=a.tsv", "b.tsv", "m=c.tsv"]) == (
        "two systems are called 'm'. Give each its own name."
    )


def test_another_sentence_split_is_told_of(file):
    file("gold.conllu", conllu(tagged("a/X b/Y"), tagged("c/X"), tagged("d/X")))
    file("s.conllu", conllu(tagged("a/X b/X c/X d/X")))
    result = assay.score("gold.conllu", "s.conllu", times=10)
    assert "s has 1 sentence, but gold has 3. Gold's sentences are used." in result.warnings
    assert (result.about.units, result.about.aligned_by) == (3, "words")


# --- lists ---


def test_pairs_of_word_and_label_are_one_system():
    gold = [[("a", "X"), ("b", "Y")], [("c", "X"), ("d", "Y")]]
    result = assay.score(gold, gold, times=10)
    assert [source.name for source in result.systems] == ["system 1"]
    assert result.score("system 1", "accuracy").value == 1
    assert result.about.aligned_by == "words"


def test_several_systems_may_be_lists_of_pairs():
    gold = [[("a", "X"), ("b", "Y")]]
    result = assay.score(gold, [gold, [[("a", "X"), ("b", "X")]]], times=10)
    assert [row.value for row in result.scores if (row.measure, row.score) == ("accuracy", "f1")] == [1, 0.5]


def test_several_systems_may_be_lists_of_labels_whatever_their_number():
    """Two labels in a sentence are no word with its label."""
    systems = [[["A", "B"]], [["B", "A"]]]
    assert list(named_systems(systems)) == ["system 1", "system 2"]


def test_integers_are_labels():
    result = assay.score([[1, 2], [3]], [[1, 20], [3]], "tag-f1", times=10)
    assert result.score("system 1", "tag-f1").value == pytest.approx(2 / 3)
    assert {row.label for row in result.scores} == {None, "1", "2", "20", "3"}


def test_integers_beside_words_are_labels():
    gold = [[("a", 1), ("b", 2)]]
    assert assay.score(gold, {"s": gold}, times=10).score("s", "accuracy").value == 1


@pytest.mark.parametrize(
    ("gold", "systems", "options", "name"),
    [([["A"]], {"s": ["A"]}, {}, "s"), (["A"], [["A"]], {"task": "tags"}, "gold")],
)
def test_a_list_of_strings_is_no_list_of_sentences(gold, systems, options, name):
    assert refusal(assay.score, gold, systems, **options, times=10) == (
        f"{name}: expected a list of sentences, each a list of labels, but got one list of labels."
    )


# --- columns of single measures ---


def test_an_empty_column_that_a_measure_names_is_refused_in_gold_and_told_of_in_systems(file):
    file("full.conllu", row(1, "a", "X", "Y"))
    file("half.conllu", row(1, "a", "X"))
    measures = ["accuracy", "accuracy(column=XPOS)"]
    assert refusal(assay.score, "half.conllu", "full.conllu", measures, column="UPOS", times=10) == (
        "half.conllu: column XPOS is empty in gold. Choose another for the measure."
    )
    result = assay.score("full.conllu", "half.conllu", measures, column="UPOS", times=10)
    assert "half: column XPOS is empty, so its scores there mean nothing." in result.warnings
    assert result.score("half", "accuracy").value == 1
    assert result.score("half", "accuracy(column=XPOS)").value == 0


def test_a_file_without_labels_is_refused(file):
    file("gold.conllup", "# global.columns = FORM\na\nb\n")
    file("s.conllu", row(1, "a", "X") + row(2, "b", "X"))
    message = "gold.conllup: has only a column of words, so there are no labels to compare."
    assert refusal(assay.score, "gold.conllup", "gold.conllup", times=10) == message
    assert refusal(assay.score, "gold.conllup", "s.conllu", times=10) == message
    assert refusal(assay.score, "s.conllu", "gold.conllup", times=10) == message


# --- several tags in a cell, and columns made of others ---


def test_alternatives_in_a_cell_are_a_set_in_any_order(file):
    gold, system = file("g.tsv", "a\tNN,JJ\nb\tVB\n"), file("s.tsv", "a\tJJ,NN\nb\tVB,NN\n")
    result = assay.score(gold, system, ["accuracy", "pa"], alternatives=",", tagset="ptb", times=1)
    assert result.score("s", "accuracy").value == 0.5
    assert result.score("s", "pa", "weak").value == 1
    assert result.score("s", "pa", "strong").value == 0.5
    assert result.score("s", "pa", "precision").value == pytest.approx(3 / 4, abs=1e-9)


def test_tags_may_come_from_a_key_of_misc(file):
    line = "1\ta\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|Alt={}\n"
    gold, system = file("g.conllu", line.format("NN,JJ")), file("s.conllu", line.format("JJ"))
    result = assay.score(gold, system, ["pa"], column="MISC:Alt", alternatives=",", tagset="ptb", times=1)
    assert result.score("s", "pa", "recall").value == pytest.approx(0.5, abs=1e-9)
    assert result.score("s", "pa", "weak").value == 1


def test_upos_and_feats_together_are_a_tag_of_universal_dependencies(file):
    line = "1\ta\t_\t{}\t_\t{}\t_\t_\t_\t_\n"
    gold = file("g.conllu", line.format("NOUN", "Case=Nom|Number=Sing"))
    system = file("s.conllu", line.format("NOUN", "Number=Sing|Case=Acc"))
    result = assay.score(gold, system, ["pa", "pos-accuracy"], tagset="ud", times=1)
    assert result.about.column == "UPOS+FEATS"
    assert result.score("s", "pos-accuracy").value == 1
    assert result.score("s", "pa").value == pytest.approx(2 / 3, abs=1e-9)


def test_tags_outside_the_tagset_are_counted_placed_and_refused_on_request(file):
    gold, system = file("g.tsv", "a\tsubst:sg:nom:n\n"), file("s.tsv", "a\tsubst:sg:nom:x\n")
    result = assay.score(gold, system, ["pa"], tagset="nkjp", times=1)
    text = "s: 1 tag on 1 word is outside the tagset nkjp: subst:sg:nom:x (1, s.tsv:1)."
    assert f"{text} They are read as tags without parts." in result.warnings
    assert result.score("s", "pa").value == 0
    assert refusal(assay.score, gold, system, ["pa"], tagset="nkjp", strict_tagset=True, times=1) == (
        f"{text} (--strict-tagset)"
    )


def test_an_empty_cell_of_the_system_has_no_tags_and_no_credit(file):
    line = "1\ta\t_\t_\t{}\t_\t_\t_\t_\t_\n2\tb\t_\t_\tNN\t_\t_\t_\t_\t_\n"
    gold, system = file("g.conllu", line.format("NN")), file("s.conllu", line.format("_"))
    result = assay.score(gold, system, ["pa"], column="XPOS", tagset="ptb", times=1)
    scores = {row.score: row.value for row in result.scores}
    assert scores == pytest.approx({"strong": 0.5, "weak": 0.5, "f1": 2 / 3, "precision": 1, "recall": 0.5}, abs=1e-9)


def test_a_sweep_says_what_turns_the_order_round(file):
    gold = file("g.tsv", "a\tsubst:sg:nom:n\nb\tsubst:sg:nom:n\n")
    case = file("case.tsv", "a\tsubst:sg:acc:n\nb\tsubst:sg:nom:n\n")
    number = file("number.tsv", "a\tsubst:pl:nom:n\nb\tsubst:sg:nom:n\n")
    result = assay.compare(gold, [case, number], ["pa"], tagset="nkjp", sweep=400, times=1)
    (sweep,) = result.sweeps
    assert 0.4 < sweep.a_better < 0.6
    assert sweep.a_better + sweep.b_better == 1
    assert sweep.named["case only"] == 0.5
    assert sweep.named["number only"] == -0.5
    assert sweep.named["equal"] == 0
    assert sweep.low < 0 < sweep.high


def test_a_word_without_a_tag_counts_against_its_system_in_a_sweep(file):
    line = "1\ta\t_\t_\tsubst:sg:nom:m3\t_\t_\t_\t_\t_\n2\tb\t_\t_\t{}\t_\t_\t_\t_\t_\n"
    gold, one, two = (
        file(f"{name}.conllu", line.format(tag))
        for name, tag in (("g", "subst:sg:nom:m3"), ("one", "_"), ("two", "subst:sg:acc:m3"))
    )
    (sweep,) = assay.compare(gold, [one, two], "pa", column="XPOS", tagset="nkjp", sweep=50, times=1).sweeps
    assert sweep.b_better == 1
    assert sweep.named["equal"] == pytest.approx(0.875 - 0.5)


def test_a_category_alone_is_judged_on_the_words_that_have_it(file):
    gold = file("g.tsv", "a\tsubst:sg:nom:n\nb\tconj\n")
    one, two = file("one.tsv", "a\tsubst:sg:acc:n\nb\tqub\n"), file("two.tsv", "a\tsubst:sg:nom:n\nb\tqub\n")
    (sweep,) = assay.compare(gold, [one, two], "pa", tagset="nkjp", sweep=10, times=1).sweeps
    assert sweep.named["case only"] == 1
    assert sweep.named["number only"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["wpa"]}, "wpa needs weights: give --weights FILE, or a preset such as --weights poliqarp."),
        ({"measures": ["pa"], "tagset": None}, "this measure splits tags into categories. Give --tagset"),
        ({"measures": ["wpa(weights=bad.json)"]}, "tagset nkjp: there is no category 'caze'. Did you mean case?"),
        (
            {"measures": ["wpa(weights=per-class.json)"]},
            "these weights depend on the part of speech: use the measure cwpa.",
        ),
        ({"measures": ["pa"], "sweep": -1}, "--sweep -1: give 0 or more."),
        (
            {"measures": ["pa"], "tagset": "ud", "column": "2"},
            "--tagset ud takes tags from UPOS+FEATS; leave --column out.",
        ),
    ],
)
def test_what_rich_tags_need_is_said(file, options, message):
    file("bad.json", '{"kind": "wpa", "source": "x", "w": {"pos": 1, "caze": 2}}')
    file("per-class.json", '{"kind": "cwpa", "source": "x", "w": {"subst": {"pos": 1}, "*": {"*": 1}}}')
    gold = file("g.tsv", "a\tsubst:sg:nom:n\n")
    options = {"tagset": "nkjp", "times": 1, **options}
    assert refusal(assay.score, gold, {"s": gold}, **options).startswith(message)


def test_categories_are_compared_whichever_measures_come_first(file):
    gold = file("g.tsv", "a\tsubst:sg:nom:n\nb\tsubst:sg:gen:n\n")
    one, two = file("one.tsv", "a\tsubst:sg:acc:n\nb\tsubst:sg:gen:n\n"), gold
    result = assay.compare(gold, {"one": one, "two": two}, ["pos-accuracy", "pa"], tagset="nkjp", times=1)
    fixed = {row.on: (row.corrections, row.new_errors) for row in result.diffs if "/" in row.on}
    assert fixed == {
        "features/pos": (0, 0),
        "features/number": (0, 0),
        "features/case": (1, 0),
        "features/gender": (0, 0),
    }
