"""CoNLL-2009: gold's and predicted values beside each other, predicates and their arguments behind them."""

from __future__ import annotations

import pytest

import assay
from assay.formats import Input, read
from unit.samples import refusal

NAMES = ["LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT", "HEAD", "PHEAD", "DEPREL", "PDEPREL"]


def row(number, form, head, phead, deprel, pdeprel, *behind):
    """A line of fourteen columns or more."""
    cells = [number, form, form.lower(), "_", "NN", "NX", "_", "_", head, phead, deprel, pdeprel, *behind]
    return "\t".join(map(str, cells)) + "\n"


# The second sentence has two predicates, and so two columns of arguments.
TEXT = (
    row(1, "The", 2, 2, "NMOD", "NMOD", "_", "_", "_")
    + row(2, "end", 3, 3, "SBJ", "OBJ", "_", "_", "A0")
    + row(3, "comes", 0, 0, "ROOT", "ROOT", "Y", "come.01", "_")
    + "\n"
    + row(1, "Go", 0, 2, "ROOT", "OPRD", "Y", "go.01", "_", "A1")
    + row(2, "see", 1, 0, "OPRD", "ROOT", "Y", "see.01", "_", "_")
    + "\n"
    + row(1, "#", 0, 0, "ROOT", "ROOT", "_", "_")
)


@pytest.fixture(name="path")
def given_path(file):
    return file("x.txt", TEXT)


def test_the_format_is_told_by_its_columns(path):
    assert Input(path).plan.name == "conll09"


def test_words_sentences_and_columns(path):
    corpus = read(path)
    assert corpus.format == "conll09"
    assert corpus.forms.strings() == ["The", "end", "comes", "Go", "see", "#"]
    assert corpus.starts.tolist() == [0, 3, 5, 6]
    assert list(corpus.columns) == NAMES
    assert corpus.column("HEAD").strings() == ["2", "3", "0", "0", "1", "0"]
    assert corpus.column("PHEAD").strings() == ["2", "3", "0", "2", "0", "0"]
    assert corpus.column("DEPREL").strings() == ["NMOD", "SBJ", "ROOT", "ROOT", "OPRD", "ROOT"]
    assert corpus.column("PDEPREL").strings() == ["NMOD", "OBJ", "ROOT", "OPRD", "ROOT", "ROOT"]
    assert corpus.column("PPOS").strings() == ["NX"] * 6


def test_places_are_lines(path):
    corpus = read(path)
    assert [corpus.place(word) for word in (0, 4, 5)] == ["x.txt:1", "x.txt:6", "x.txt:8"]


def test_line_ends_and_a_mark_at_the_beginning_are_taken_as_they_come(file):
    path = file("x.txt", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert read(path).forms.strings() == ["The", "end", "comes", "Go", "see", "#"]


def test_a_name_of_other_formats_finds_its_column(path):
    result = assay.score(path, {"s": path}, "accuracy", column="POS", times=2)
    assert result.about.column == "POS"


def test_two_columns_more_or_less_are_no_other_format(file):
    twelve = "\n".join("\t".join(line.split("\t")[:12]) for line in TEXT.splitlines()) + "\n"
    path = file("x.txt", twelve)
    assert read(path, input_format="conll09").column("PDEPREL").strings()[:2] == ["NMOD", "OBJ"]


def test_conllu_is_not_taken_for_it(file):
    line = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
    assert Input(file("u.conllu", line)).plan.name == "conllu"
    assert refusal(read, "u.conllu", input_format="conll09") == (
        "u.conllu:1: 10 columns, but CoNLL-2009 has 12. Is it another format? Try --input-format tsv"
    )


def test_a_table_of_as_many_columns_is_not_taken_for_it(file):
    table = "\t".join(["1", "Go", *"abcdefghijkl"]) + "\n"
    assert Input(file("x.tsv", table)).plan.name != "conll09"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXT.replace("2\tend\tend\t_", "2\tend").replace("\tOBJ\t_\t_\tA0", "\tOBJ"),
            "x.txt:2: 10 columns, but CoNLL-2009 has 12. Is it another format? Try --input-format tsv",
        ),
        (
            TEXT.replace("2\tend", "7\tend"),
            "x.txt:2: ID '7', but 2 comes next. Is a line missing, or a blank line between two sentences?",
        ),
        (
            TEXT.replace("3\tcomes\tcomes", "3\t\tcomes"),
            "x.txt:3: the word is empty. Is a cell missing?",
        ),
    ],
)
def test_mistakes_are_told_with_their_line(file, text, message):
    assert refusal(read, file("x.txt", text), input_format="conll09") == message


# --- scored ---


def counted(gold, system, **options):
    result = assay.score(gold, {"s": system}, ["las", "uas"], times=2, **options)
    return {row.measure: (row.counts["right"], row.counts["gold"]) for row in result.counts}


def test_heads_are_scored_and_not_predicted_ones(path, file):
    assert counted(path, path) == {"las": (6, 6), "uas": (6, 6)}
    other = file("s.txt", TEXT.replace("\t2\t2\tNMOD\tNMOD", "\t3\t2\tNMOD\tNMOD"))
    assert counted(path, other) == {"las": (5, 6), "uas": (5, 6)}


@pytest.fixture(name="predicted")
def given_predicted(file):
    """A system's output: nothing in gold's columns, its answers in those of predictions."""
    cells = [line.split("\t") for line in TEXT.splitlines()]
    lines = ["\t".join([*row[:8], "_", row[9], "_", *row[11:]]) if len(row) > 1 else "" for row in cells]
    return file("s.txt", "\n".join(lines) + "\n")


def test_an_empty_column_is_told_of_with_what_may_be_meant(path, predicted):
    assert refusal(counted, path, predicted) == (
        "s.txt: contains no heads (every cell is _). Systems' predictions may be in --column PHEAD+PDEPREL."
    )


@pytest.mark.parametrize("column", ["PHEAD+PDEPREL", "phead+pdeprel", "10+12"])
def test_predictions_are_scored_against_the_heads_of_gold(path, predicted, column):
    """Gold's own columns of predictions are some parser's."""
    assert counted(path, predicted, column=column) == {"las": (3, 6), "uas": (4, 6)}
    assert counted(path, path, column=column) == {"las": (3, 6), "uas": (4, 6)}
