"""Mistakes that new users make: each gets one line with the place, the fact and the remedy."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import tarfile
import zipfile

import pytest

from assay.demo import FOLDER
from assay.tasks import NAMES, USUAL

SCORE = ("score", "gold.conllu", "a.conllu", "--times", "20")
COMPARE = ("compare", "gold.conllu", "a.conllu", "b.conllu", "--times", "20")
PROSE = "It was the best of times, it was the worst of times.\nIt was the age of wisdom.\n"
WRAPPED = "permission is granted to any person who gets a copy\nof this software and of its documents to use\nit\n"
SETTINGS = json.dumps({"name": "x", "version": "1", "scripts": {}, "files": [], "type": "y", "main": "z"})
GIVE = "Give the file with the annotations (assay formats lists the formats)."
SAVE = "Save tables as CSV, and texts as plain text."


def refused(done):
    """The line that a command stops with."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: ") and done.stderr.count("\n") == 1
    return done.stderr.removeprefix("assay: ").rstrip("\n")


def packed(*names):
    """A zip file with members of these names."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>")
    return content.getvalue()


def archived(text):
    """A tar file with one file in it."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo("a.conllu")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return content.getvalue()


# --- files ---


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.png", b"\x89PNG\r\n\x1a\n\0", f"this is a picture. {GIVE}"),
        ("x.jpg", b"\xff\xd8\xff\xe0\0", f"this is a picture. {GIVE}"),
        ("x.pt", b"\x80\x04\x95\0", f"this is a Python pickle. {GIVE}"),
        ("x.npy", b"\x93NUMPY\x01\0", f"contains arrays of numbers. {GIVE}"),
        ("x.db", b"SQLite format 3\0\r", f"this is an SQLite database. {GIVE}"),
        ("x.rtf", b"{\\rtf1 a}", "this is an RTF document. Save it as plain text."),
        ("x.doc", b"\xd0\xcf\x11\xe0\0", f"this is a Word or Excel file. {SAVE}"),
        ("x.docx", packed("[Content_Types].xml", "word/document.xml"), "this is a Word file. Save it as plain text"),
        ("x.xlsx", packed("[Content_Types].xml", "xl/workbook.xml"), "this is an Excel file. Save it as CSV."),
        ("x.odt", packed("mimetype", "content.xml"), f"this is a LibreOffice document or an e-book. {SAVE}"),
        ("x.bz2", bz2.compress(b"x"), "this file is compressed with bzip2, which assay does not read. Decompress it"),
        ("x.tar", archived(b"x"), "this is a tar archive. Unpack it first: tar xf x.tar"),
        ("x.tar.gz", gzip.compress(archived(b"x")), "this is a tar archive. Unpack it first: tar xf x.tar.gz"),
        ("x.txt", PROSE.encode(), "looks like a text without annotations. Give the file with the labels (assay"),
        ("one.txt", PROSE.encode().splitlines()[0], "looks like a text without annotations."),
        ("LICENSE", WRAPPED.encode(), "looks like a text without annotations."),
        ("x.conllu", b"", "the file is empty. Did the program that writes it stop with an error?"),
        ("blank.conllu", b"\n\n", "contains no words. Did the program that writes it stop with an error?"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_file_that_has_no_annotations_is_named_for_what_it_is(assay, here, name, content, message, first):
    (here / name).write_bytes(content)
    files = (name, "a.conllu") if first else ("gold.conllu", name)
    assert refused(assay("score", *files)).startswith(f"{name}: {message}")


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("files", [("x.json", "x.json"), ("x.json", "a.conllu"), ("gold.conllu", "x.json")])
def test_json_that_is_about_something_else_is_named_with_its_keys(assay, here, files, indent):
    (here / "x.json").write_text(json.dumps(json.loads(SETTINGS), indent=indent), "utf-8")
    assert refused(assay("score", *files)) == (
        "x.json: this JSON contains no texts or labels (keys: name, version, scripts, files, type, …). Give the "
        "file with the annotations; if each object is a record: --task records"
    )


def test_columns_that_end_in_a_full_stop_are_no_prose(assay, here):
    rows = [("It", "PRON"), ("ended", "VERB"), (".", ".")]
    (here / "x.conll").write_text("".join(f"{word} a b c {tag}\n" for word, tag in rows), "utf-8")
    assert assay("score", "x.conll", "x.conll", "--times", "5", "--column", "5", "--quiet").returncode == 0


def test_files_of_different_texts_say_how_much_agrees(assay, here):
    (here / "german.conllu").write_bytes((FOLDER / "german" / "gold.conllu").read_bytes())
    assert refused(assay("compare", "german.conllu", "a.conllu", "b.conllu")) == (
        "a.conllu:3: 'Storm', but german.conllu:5 has 'Sturm'; none of gold's 51 sentences agree, so the files "
        "do not seem to belong together. Give the system's output for german.conllu."
    )
    sentences = (here / "a.conllu").read_text("utf-8").strip().split("\n\n")
    (here / "few.conllu").write_text("\n\n".join(sentences[:10]) + "\n\n", "utf-8")
    assert refused(assay("score", "gold.conllu", "few.conllu")).endswith(
        "; 10 of gold's 48 sentences agree, and few.conllu has no others. Give its whole output; to score only those "
        "that agree: --on-mismatch skip"
    )
    (here / "half.conllu").write_text("\n\n".join(sentences[:24]) + "\n\n", "utf-8")
    done = assay("score", "gold.conllu", "half.conllu")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "assay: gold.conllu:451: 'Pizza' is missing in half.conllu\nThe texts differ (24 of gold's 48 sentences "
        "agree). To score only the sentences they share: --on-mismatch skip\n"
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("id,label\n7,x\n", "s.csv: ids 7; g.csv has 1, 2: none in common. Name the column of ids: --id NAME; to"),
        ("id,label,confidence\n1,x,90%\n2,y,5%\n", "s.csv:2: '90%' in column confidence is not a number: write 0.9 "),
        (None, "a.conllu: contains words in columns (conllu), but gold has one row per item. Give a table of items."),
    ],
)
def test_items_that_do_not_fit(assay, here, rows, message):
    (here / "g.csv").write_text("id,label\n1,x\n2,y\n", "utf-8")
    (here / "s.csv").write_text(rows or "", "utf-8")
    assert refused(assay("score", "g.csv", "s.csv" if rows else "a.conllu")).startswith(message)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("gold.conlu", "a.conllu"), "gold.conlu: cannot be opened (no such file or directory). Did you mean gold.c"),
        (("no/gold.conllu", "a.conllu"), "no/gold.conllu: cannot be opened (no such file or directory). There is no"),
        (("-", "-"), "- (standard input) can be given only once. Give the other as a file."),
    ],
)
def test_files_that_are_not_there(assay, files, message):
    assert refused(assay("score", *files)).startswith(message)


def test_a_measure_of_trees_on_a_file_without_trees(assay):
    assert refused(assay(*SCORE, "-m", "las")) == (
        "gold.conllu: contains no heads (every cell is _). Give a file with trees, or compare its labels: -m accuracy"
    )


# --- names and options ---


@pytest.mark.parametrize(
    ("task", "ours"),
    [
        ("ner", "spans"), ("NER", "spans"), ("pos", "tags"), ("dep", "dependencies"), ("coref", "coreference"),
        ("srl", "graphs"), ("re", "relations"), ("classification", "items"), ("qa", "items"),
        ("entity linking", "links"), ("parsing", "dependencies or constituents"),
        ("relation_extraction", "relations"),
    ],
)  # fmt: skip
def test_what_others_call_a_task(assay, task, ours):
    assert refused(assay(*SCORE, "--task", task)) == f"there is no task {task!r}. Did you mean {ours}?"


def test_what_others_call_tasks_are_tasks():
    assert {name for names in USUAL.values() for name in names.split()} <= {*NAMES}
    assert not {*USUAL} & {*NAMES}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (*COMPARE, "--slice", "foo"),
            "there is no slice 'foo'. Available: label, seen, frequency, sentence-length,",
        ),
        ((*COMPARE, "--slice", "lenght"), "there is no slice 'lenght'. Did you mean arc-length or text-length or "),
        ((*COMPARE, "--table", "comparisons"), "there is no table 'comparisons'. Did you mean tests?"),
        ((*COMPARE, "--table", "error_types"), "there is no table 'error_types'. Did you mean errors?"),
        ((*SCORE, "-m", "F1"), "there is no measure 'F1'. Did you mean tag-f1 or exact or label-f1? All: assay meas"),
        ((*SCORE, "-m", "zzz"), "there is no measure 'zzz'. Available: accuracy, sentence-accuracy, "),
        ((*SCORE, "-m", "accuracy kappa"), "-m accuracy kappa: one measure at a time, e.g. -m accuracy -m kappa"),
        (("measures", "precision"), "there is no measure 'precision'. Did you mean tag-f1 or exact or label-f1? All"),
        (("cite", "zzz"), "there is no measure or test 'zzz'. Available: accuracy, "),
        ((*SCORE, "--input-format", "bio"), "there is no format 'bio'. Did you mean conll or tsv? All: assay format"),
        ((*SCORE, "--input-format", "json"), "there is no format 'json'. Did you mean jsonl or records or items? Al"),
        ((*SCORE, "--format", "pdf"), "there is no format 'pdf'. Did you mean html?"),
        ((*SCORE, "-o", "x.xlsx"), "x.xlsx: unknown file ending. Use .json, .tsv, .csv, .md, .tex, .txt, .html, .ht"),
        ((*SCORE, "-o", "no/x.json"), "no/x.json: the folder no does not exist. Make it: mkdir -p no"),
        ((*COMPARE, "--figure", "x"), "No such option '--figure'. Did you mean --figures? See: assay compare --help"),
        ((*COMPARE, "--colum", "x"), "No such option '--colum'. Did you mean --column? See: assay compare --help"),
        ((*SCORE, "--metric", "x"), "No such option '--metric'. Did you mean --measure? See: assay score --help"),
        (("score", "--gold", "x"), "No such option '--gold'. Did you mean the file without an option? See: "),
        ((*SCORE, "-column", "x"), "No such option '-c'. Options have two dashes, as in --column; only -m and -o "),
        ((*COMPARE, "--power", "80"), "--power 80: give a probability between 0 and 1, e.g. 0.8."),
        (("gold.conllu", "a.conllu"), "gold.conllu is a file, not a command. Write: assay score gold.conllu a.conll"),
        (COMPARE[1:4], "gold.conllu is a file, not a command. Write: assay compare gold.conllu a.conl"),
        (("help",), "there is no command 'help'. Write: assay --help"),
        (("help", "compare"), "there is no command 'help'. Write: assay compare --help"),
        (
            ("experiment", "x.toml"),
            "there is no command 'x.toml'. Available: run, status, export, import, splits. Se",
        ),
        (("tagset", "shw"), "there is no command 'shw'. Did you mean show? See: assay tagset --help"),
        (("compare", "gold.conllu", "a.conllu"), "compare takes gold and at least two systems. For one system: assa"),
        (("plan", "gold.conllu", "a.conllu"), "plan takes gold and at least two systems: assay plan gold.conllu a.c"),
        (("agreement", "gold.conllu"), "agreement takes at least two annotators, but gold.conllu has no names of "),
        (
            ("convert", "gold.conllu", "--to", "zzz"),
            "there is no format 'zzz'. Available: conllu, conllx, conll, tsv",
        ),
    ],
)
def test_a_name_that_does_not_exist(assay, arguments, message):
    line = refused(assay(*arguments))
    assert line.startswith(message)
    assert len(line) < 250
