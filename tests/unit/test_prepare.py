"""Systems and their names, columns, units, folders."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.prepare import named_systems
from assay.readers import read
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
    assert refusal(named_systems, []) == "no system to score. Give at least one beside gold."


# --- columns ---


def test_the_first_usual_column_that_all_files_fill_is_compared(file):
    file("gold.conllu", row(1, "a", "X", "Y"))
    file("s.conllu", row(1, "a", "_", "Y"))
    assert assay.score("gold.conllu", "s.conllu", times=10).column == "XPOS"


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
    assert "t: column UPOS is empty, so there are no figures for it." in result.warnings
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
    assert result.items == 2
    assert result.score("s", "accuracy").value == 0.5


# --- units and folders ---


def test_documents_may_be_the_units(file):
    gold = [tagged("a/X b/Y"), tagged("c/X"), tagged("d/X")]
    file("gold.conllu", conllu(*gold, comments=[["newdoc id = 1"], [], ["newdoc id = 2"]]))
    file("s.conllu", conllu(*gold[:2], tagged("d/Y")))
    result = assay.score("gold.conllu", "s.conllu", unit="document", times=10)
    assert (result.unit, result.units) == ("document", 2)
    assert "|unit:document|n:2|" in result.signature
    assert "2 documents only: intervals and p-values from so few units are rough." in result.warnings


def test_folders_correspond_by_file_name(file):
    for folder in ("gold", "s"):
        for name in ("x", "y"):
            file(f"{folder}/{name}.{folder}.tsv", tsv(tagged(f"{name}/X")))
    assert assay.score("gold", "s", times=10).items == 2
    file("gold/z.gold.tsv", tsv(tagged("z/X")))
    assert refusal(assay.score, "gold", "s", times=10) == (
        "s: 2 files where gold has 3; missing: z. Files of two folders correspond by name."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "paragraph"}, "there is no unit 'paragraph'. There is: sentence, document."),
        ({"interval": "bcaa"}, "there is no interval 'bcaa'. Did you mean bca?"),
        ({"on_mismatch": "skp"}, "there is no value of on_mismatch 'skp'. Did you mean skip?"),
        ({"kind": "corrections"}, "there is no kind of change 'corrections'. Did you mean correction?"),
        ({"times": 0}, "0 resamples are too few."),
        ({"seed": -3}, "seed -3 is negative; a seed is 0 or more."),
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
