"""What the first lines of a file tell, and what the user is told of it: the tables of docs/formats.md."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import assay
from assay.engine.options import Options
from assay.engine.prepare import OpenFiles
from assay.formats import FORMATS, Input, choose_column
from unit.samples import refusal

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def is_head(row: list[str]) -> bool:
    return row[0] in ("format", "file")


BY_FORMAT = [row for row in rows("What the first lines show") if len(row) == 3 and not is_head(row)]
BY_COLUMNS = [row for row in rows("Columns without a format of their own") if not is_head(row)]
OTHERS = [row for row in rows("What the first lines show") if len(row) == 2 and not is_head(row)]


def told(name: str) -> str:
    """Notes and warnings about columns, or the refusal, without the name of the file, when it is scored by itself."""
    try:
        result = assay.score(name, {"s": name}, times=5)
    except assay.AssayError as error:
        return "refused: " + str(error).removeprefix(f"{name}: ")
    notes = [text for text in (*result.notes, *result.warnings) if re.search(r"\bread (from column|as format)", text)]
    assert notes == [text for text in notes if text.startswith("gold: ") and text.endswith(" The same applies to s.")]
    kind = "note" if set(notes) <= set(result.notes) else "warning"
    return "; ".join(f"{kind}: {text[6:].removesuffix(' The same applies to s.')}" for text in notes)


@pytest.mark.parametrize("row", [*BY_COLUMNS, *OTHERS], ids=lambda row: row[0])
def test_columns_are_read_and_said_as_the_page_says(file, row):
    example, message = row
    text = example.strip("`").replace("⇥", "\t").replace("⏎", "\n") + "\n"
    assert told(file("file.txt", text)) == message


def tagged(first: str, rows: int) -> str:
    """Lines of words and tags, no word and no tag of which is unique but those of the first line."""
    tags = ("NN", "ART", "VVFIN", "PTKANT")
    return "\n".join([first, *(f"w{i % 20}\t{tags[i % len(tags)]}" + "\n" * (i == 9) for i in range(rows))]) + "\n"


@pytest.mark.parametrize(
    ("first", "outcome"),
    [
        ("Wort\tWortart", "header"),
        ("слово\tтег", "header"),
        ("単語\t品詞_", "header"),
        ("WORT\tBEZEICHNUNG", "header"),
        # A first word whose tag is unique; a word or a tag that comes again.
        ("Danke\tITJ", "word"),
        ("(\t$(", "word"),
        ("w3\tWortart", "word"),
        ("Wort\tNN", "word"),
    ],
)
def test_a_header_in_another_language_is_refused_or_noted_in_short_files(file, first, outcome):
    for name in ("gold.tsv", "s.tsv"):
        file(name, tagged(first, 60))
    file("t.tsv", tagged(first.partition("\t")[0] + "\tNN", 60))
    shown = first.replace("\t", " ")
    if outcome == "header":
        assert refusal(assay.score, "gold.tsv", "s.tsv", times=5) == (
            f"gold.tsv: the first line, {shown!r}, may name the columns or be a word. Choose one: --input-format "
            '"tsv(header=true)" or "tsv(header=false)".'
        )
    else:
        assert assay.score("gold.tsv", "s.tsv", times=5).about.items == 61
    # A system that has a usual tag there says that it is a word; so does the user.
    assert assay.score("gold.tsv", ["s.tsv", "t.tsv"], times=5).about.items == 61
    assert assay.score("gold.tsv", "s.tsv", input_format="tsv(header=false)", times=5).about.items == 61
    for name in ("gold.tsv", "s.tsv"):
        file(name, tagged(first, 40))
    note = f"gold.tsv: the first line, {shown!r}, is read as a word. If it names the columns: --input-format "
    notes = assay.score("gold.tsv", "s.tsv", times=5).notes
    assert (note + '"tsv(header=true)"' in notes) == (outcome == "header")


def test_headers_of_all_files_of_a_folder_are_headers(file):
    for name in ("gold", "s"):
        for number in "ab":
            file(f"{name}/{number}.tsv", tagged("Wort\tWortart", 60))
    assert refusal(assay.score, "gold", "s", times=5).startswith("gold: the first line, 'Wort Wortart', may name")


def test_every_format_that_is_told_by_its_look_is_in_the_table():
    assert [row[0].strip("`") for row in BY_FORMAT] == [
        name
        for name, known in FORMATS.items()
        if name not in ("conllx", "up2-spans", "ratings") and not known.of_systems
    ]


@pytest.mark.parametrize(
    "row", [row for row in BY_FORMAT if row[0] not in ("`parquet`", "`docbin`")], ids=lambda row: row[0]
)
def test_the_example_of_a_format_is_told_by_its_first_lines(file, row):
    name, task = row[0].strip("`"), row[2].partition(",")[0]
    ending = "ann" if name == "brat" else "txt"
    path = file(f"a.{ending}", FORMATS[name].example + "\n")
    opened = OpenFiles(path, {"s": path}, Options())
    assert isinstance(opened.inputs[0], Input)
    assert (opened.inputs[0].plan.name, opened.task) == (name, task if name != "conll" else "spans")


# --- what was a number where there should be a refusal ---

SPACED = "# sent_id = 1\n1 The the DET DT _ 2 det _ _\n2 end end NOUN NN _ 0 root _ SpaceAfter=No\n"


def test_the_remedy_for_conllu_with_spaces_works(file):
    gold = file("gold.conllu", SPACED)
    message = refusal(assay.score, gold, {"s": file("s.conllu", SPACED.replace("NOUN", "VERB"))})
    command = message.partition("Put them in: ")[2].replace("new.conllu", "mended.conllu")
    subprocess.run(command, shell=True, check=True)
    assert assay.score("mended.conllu", {"s": "mended.conllu"}, times=5).about.column == "UPOS"
    assert Path("mended.conllu").read_text().splitlines()[0] == "# sent_id = 1"
    for asked in ("conllu", None):
        assert refusal(Input, gold, input_format=asked) == message


def test_two_files_with_other_words_are_not_alike_since_their_words_are_numbered_alike(file):
    gold, system = file("gold.tsv", "1\tThe\tDT\n2\tend\tNN\n"), file("s.tsv", "1\tA\tDT\n2\tcow\tNN\n")
    assert "'A', but gold.tsv:1 has 'The'" in refusal(assay.score, gold, {"s": system})
    assert refusal(assay.score, gold, {"s": gold}, input_format="tsv(word=1)") == (
        "gold.tsv: column 1 numbers the words (1, 2, 3 … in each sentence) and does not contain them. "
        'Give their column, e.g. --input-format "tsv(word=2)".'
    )


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (["1", "2", "1", "2"], "2"),
        (["0", "1", "0", "1"], "2"),
        (["1", "2", "3", "4"], "2"),
        (["7", "8", "9", "10"], "2"),
        (["1", "2", "2", "3"], "1"),
        (["1", "3", "1", "2"], "1"),
        (["1", "2", "1", "x"], "1"),
    ],
)
def test_what_counts_on_in_each_sentence_or_through_the_file_numbers_words(file, numbers, words):
    lines = [f"{number}\tw{index}\tX" for index, number in enumerate(numbers)]
    text = "\n".join([*lines[:2], "", *lines[2:]]) + "\n"
    assert Input(file("a.tsv", text)).plan.words == words


def test_each_file_is_read_by_its_own_columns_where_only_one_holds_labels(file):
    plain, numbered = file("a.tsv", "The\tDT\nend\tNN\n"), file("b.tsv", "1\tThe\tDT\n2\tend\tVB\n")
    for gold, system, wrong in ((plain, numbered, numbered), (numbered, plain, plain)):
        result = assay.score(gold, {"s": system}, "accuracy", times=5)
        assert [row.value for row in result.scores if row.score == "f1"] == [0.5], wrong
        assert len([text for text in result.notes if "are read from" in text]) == 2


def test_a_number_that_means_other_labels_in_another_file_is_refused(file):
    gold = file("a.tsv", "The\tthe\tDT\nend\tend\tNN\n")
    system = file("b.tsv", "1\tThe\tthe\tDT\n2\tend\tend\tNN\n")
    assert refusal(assay.score, gold, {"s": system}, column="3") == (
        "s: its words are in column 2, those of gold in column 1, so column 3 is not the same in both. Give both "
        "the same columns, or header lines."
    )


def test_more_labels_than_words_are_hardly_labels(file):
    swapped = "".join(f"{'DT' if number % 2 else 'NN'}\tw{number}\n" for number in range(100))
    assert refusal(choose_column, [Input(file("a.tsv", swapped))]) == (
        "a.tsv: column 2 has more different values than column 1, so these do not look like labels and words. "
        'Name both: --column 2 --input-format "tsv(word=1)", or the other way round.'
    )
    assert assay.score("a.tsv", {"s": "a.tsv"}, "accuracy", column="2", task="tags", times=5).about.column == "2"


def test_files_of_a_folder_have_their_words_in_the_same_column(file):
    file("d/1.tsv", "The\tDT\nend\tNN\n")
    file("d/2.tsv", "1\tThe\tDT\n2\tend\tNN\n")
    assert refusal(Input("d").read) == (
        "d/2.tsv: words seem to be in column 2, but d/1.tsv has them in column 1. Give their column, e.g. "
        '--input-format "tsv(word=2)".'
    )


def test_a_header_is_no_word(file):
    body = "The\tDT\nend\tNN\nis\tVB\n"
    gold = file("gold.tsv", f"word\ttag\n{body}")
    system = file("s.tsv", f"word\ttag\n{body.replace('NN', 'XX')}")
    for options in ({}, {"column": "tag"}, {"column": "2"}, {"input_format": "tsv(header=true)"}):
        result = assay.score(gold, {"s": system}, "accuracy", times=5, **options)
        assert result.about.items == 3
        assert [row.value for row in result.scores if row.score == "f1"] == [pytest.approx(2 / 3)]
    asked = assay.score(gold, {"s": system}, "accuracy", times=5, input_format="tsv(header=false)")
    assert asked.about.items == 4


def test_a_header_that_stands_there_twice_is_refused(file):
    text = "word\ttag\nThe\tDT\n\nword\ttag\nend\tNN\n"
    assert re.search(r"'word tag', may name the columns or be a word", refusal(Input, file("a.tsv", text)))


def test_nothing_is_said_where_the_user_said_it_all(file):
    path = file("a.tsv", "1\tThe\tDT\n2\tend\tNN\n")
    result = assay.score(path, {"s": path}, column="3", input_format="tsv(word=2)", times=5)
    assert result.notes == ()


def test_annotators_are_called_by_their_names_in_notes(file):
    path = file("a.tsv", "The\tDT\nend\tNN\n")
    result = assay.agreement({"anna": path, "bert": path})
    assert [text for text in result.notes if "gold" in text] == []


# --- layers ---


def test_layers_are_scored_when_they_are_named(file):
    layered = file("a.tsv", "New\tB-ORG\tB-LOC\nYork\tI-ORG\tI-LOC\nBank\tI-ORG\tO\n")
    for column, items in (("2+3", 2), ("2", 1), ("3", 1)):
        assert assay.score(layered, {"s": layered}, column=column, times=5).about.items == items


def test_the_one_column_with_tags_is_taken_wherever_it_stands(file):
    path = file("a.tsv", "New\tB-LOC\tx\nYork\tI-LOC\ty\n")
    result = assay.score(path, {"s": path}, "exact", times=5)
    assert (result.about.column, result.about.items) == ("2", 1)


# --- what is not read ---


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("a.ttl", "# NIF\n@prefix nif: <http://x/nif-core#> .\n<http://x/d#char=0,3> a nif:Context .\n", "Turtle"),
        ("a.xml", '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="x"></rdf:RDF>\n', "RDF in XML"),
        ("a.xml", '<?xml version="1.0"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><p>Ann</p></TEI>\n', "TEI"),
        ("a.html", "<!doctype html>\n<html><body>Ann left</body></html>\n", "HTML"),
        ("a.xml", '<?xml version="1.0"?>\n<doc><p>Ann left</p></doc>\n', "unknown XML format"),
        ("a.xml", "<doc><p>Ann/left</p></doc>\n", "unknown XML format"),
        ("a.conllu", "# global.columns = ID FORM IDENTITY\n1 Ann (1)\n", "CoNLL-UA of Universal Anaphora"),
        (
            "a.xls",
            b"\xd0\xcf\x11\xe0\0\0",
            "this is a Word or Excel file. Save tables as CSV, and texts as plain text.",
        ),
        ("a.json", '[{"fields": {"text": "Ann"}}]\n', "JSON with `fields`, but no `responses`: Argilla?"),
        ("a.json", '[{"sentences": [["Ann"]]}]\n', "no `ner`: DyGIE? JSON with `sentences`, but no `clusters`"),
        ("a.txt", "Ann B-PER\nLee I-PER\nleft\n", "line 3 has 1 cell, most have 2: --input-format conll, and"),
        ("a.txt", "Ann/NNP left/VBD Rome\nshe/PRP\n", "but 'Rome' has no slash: --input-format slash?"),
    ],
)
def test_what_is_not_read_is_named(tmp_path, name, text, named):
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    message = refusal(assay.score, str(tmp_path / name), str(tmp_path / name))
    assert named in message
    assert "\n" not in message
