"""A column for gold and for each system: side by side in one file, or by other names in other files."""

from __future__ import annotations

import assay
from cases import each
from commands import call
from unit.samples import refusal

BOTH = """Ann B-PER B-PER O
Lee I-PER O B-PER
left O O O
Rome B-LOC B-LOC B-LOC

Bo B-PER B-LOC B-PER
ran O O O
"""
SIDE_BY_SIDE = {"gold": 2, "a": "3", "b": 4}


def test_gold_and_systems_are_columns_of_one_file(file):
    file("both.txt", BOTH)
    systems = {"a": "both.txt", "b": "both.txt"}
    result = assay.compare("both.txt", systems, "exact", column=SIDE_BY_SIDE, times=10)
    assert [round(result.score(name, "exact").value, 4) for name in "ab"] == [0.3333, 0.6667]
    assert not [text for text in result.warnings if "same" in text]
    assert "|column:gold=2,a=3,b=4|" in result.signature
    tags = assay.score("both.txt", systems, "accuracy", column=["gold=2", "a=3", "b=4"], times=10)
    assert [round(tags.score(name, "accuracy").value, 4) for name in "ab"] == [0.6667, 0.6667]
    # Of runs and of annotators, each has the column of its name.
    file("other.txt", BOTH)
    runs = assay.score("both.txt", {"a": ["both.txt", "other.txt"]}, "exact", column=["gold=2", "a=3"], times=10)
    assert round(runs.score("a", "exact").value, 4) == 0.3333
    people = assay.agreement(systems, "exact", column={"a": "2", "b": "4"}, times=10)
    assert round(people.scores[0].value, 4) == 0.6667
    assert not [text for text in people.warnings if "copies" in text]


def test_heads_and_relations_have_a_column_each_too(file):
    file("gold.conllu", "1\ta\t_\t_\t_\t_\t0\troot\t0\troot\n2\tb\t_\t_\t_\t_\t1\tobj\t0\troot\n\n")
    result = assay.score("gold.conllu", {"s": "gold.conllu"}, "uas", column={"s": "DEPS+MISC"}, times=10)
    assert result.score("s", "uas").value == 0.5


def test_a_text_that_is_no_name_belongs_to_the_column(file):
    file("gold.tsv", "word\tk=v\tother\na\tX\tY\nb\tY\tY\n")
    result = assay.score("gold.tsv", {"s": "gold.tsv"}, "accuracy", column=["k=v", "s=other"], times=10)
    assert result.score("s", "accuracy").value == 0.5


def test_the_same_column_of_the_same_file_is_said_first(file):
    file("both.txt", BOTH)
    for measure in ("exact", "accuracy"):
        result = assay.score("both.txt", {"a": "both.txt"}, measure, column="2", times=10)
        assert result.score("a", measure).value == 1
        assert result.warnings[0] == (
            "a and gold are the same column of the same file (column 2 of both.txt; others: 3, 4)."
        )
        assert not [text for text in result.warnings if "same content" in text]
    # A copy is another file; what is read of it may be the same or not.
    file("copy.txt", BOTH)
    said = [assay.score("both.txt", {"a": "copy.txt"}, "exact", column={"": "2", "a": a}).warnings for a in "23"]
    assert ["same content as gold" in warnings[0] for warnings in said] == [True, False]


@each(
    ("columns", "message"),
    [
        (
            ("2", "3"),
            "--column is given twice without a name: 2, 3. Name the file of each: --column gold=2 --column a=3",
        ),
        (
            ("a=2", "a=3"),
            "--column is given twice for a: 2, 3. Name the file of each: --column gold=2 --column a=3",
        ),
        (
            ("gold=2", "a=3", "c=4"),
            "--column c=4: every file already has its own column. Leave it out, or put a name before it: gold=, a=",
        ),
        ({"gold": "2", "c": "3"}, "there is no system 'c'. Available: gold, a."),
        (
            {"gold": "2", "a": "3+4"},
            "--column: 3+4 and gold's 2 join different numbers of columns. Give as many each.",
        ),
    ],
)
def test_columns_that_belong_to_nobody_are_refused(file, columns, message):
    file("both.txt", BOTH)
    assert refusal(assay.score, "both.txt", {"a": "both.txt"}, "accuracy", column=columns, times=10) == message


def test_a_measure_does_not_name_the_column_that_is_golds_alone(file):
    file("both.txt", BOTH)
    given = {"gold": "2", "a": "3"}
    assert refusal(assay.score, "both.txt", {"a": "both.txt"}, "tag-f1(column=2)", column=given, times=10) == (
        "--column gold=2,a=3: a measure names column 2 too, which is gold's alone. Leave column= out of the measure."
    )


def test_the_command_line_takes_a_column_for_each(file, in_folder):
    file("both.txt", BOTH)
    arguments = ("score", "both.txt", "a=both.txt", "-m", "exact", "--times", "10")
    done = call(*arguments, "--column", "gold=2", "--column", "a=3", folder=in_folder)
    assert "exact\t33.33" in done.stdout
    assert call(*arguments, "--column", "2", "--column", "3", folder=in_folder).returncode == 2
