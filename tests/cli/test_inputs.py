"""What is given as input is never an output, by whatever name; nor is a store, nor one file for two outputs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import click
import pytest

from assay.cli import assay_command
from assay.cli.options import Command, OutputPath
from assay.demo import FOLDER
from commands import environment

FAST = ("--times", "20", "--quiet")
JSON = ("--format", "json")


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def inputs(here):
    """A file of every kind that a command takes as input."""
    for folder in ("english", "german", "trees", "experiment"):
        shutil.copytree(FOLDER / folder, here / folder)
    for side in ("gold", "a"):
        (here / side).mkdir()
        shutil.copy(here / f"{side}.conllu", here / side / "one.conllu")
    (here / "map.tsv").write_text("NN\tNOUN\n")
    tagset = FOLDER.parent / "tasks" / "tags" / "tagsets" / "data" / "nkjp.toml"
    (here / "tagset.toml").write_bytes(tagset.read_bytes())
    (here / "plain.prm").write_text("LABELED 1\n")
    (here / "log.txt").write_text('[pos="subst"]\n')
    (here / "lexicon.tsv").write_text("a\tsubst:sg:nom:m1\n")
    (here / "doc.txt").write_text("Anna sings.")
    (here / "doc.ann").write_text("T1\tPER 0 4\tAnna\n")
    return here


SCORE = ("score", "gold.conllu", "a.conllu", *FAST)
CASES = [
    (*SCORE, *JSON, "-o", "gold.conllu"),
    (*SCORE, *JSON, "-o", "a.conllu"),
    (*SCORE, *JSON, "-o", "./trees/../gold.conllu"),
    (*SCORE, "--html", "a.conllu"),
    (*SCORE, "--partial", "gold.conllu"),
    ("score", "gold.conllu", "first=a.conllu", *FAST, *JSON, "-o", "a.conllu"),
    (*SCORE, "--map", "map.tsv", "-o", "map.tsv"),
    (*SCORE, "--train", "known.txt", *JSON, "-o", "known.txt"),
    (*SCORE, "--lexicon", "known.txt", "--html", "known.txt"),
    (*SCORE, "--tagset", "tagset.toml", *JSON, "-o", "tagset.toml"),
    (*SCORE, "--fail-if-worse", "base.json", "-o", "base.json"),
    ("score", "gold", "a", *FAST, *JSON, "-o", "a/one.conllu"),
    ("score", "gold", "a", *FAST, "-o", "a/new.json"),
    ("score", "gold.conllu", "[ab].conllu", *FAST, *JSON, "-o", "b.conllu"),
    ("compare", "gold.conllu", "a.conllu", "b.conllu", *FAST, *JSON, "-o", "b.conllu"),
    ("score", "trees/gold.mrg", "trees/pcfg-1.mrg", "-m", "parseval(params=plain.prm)", *JSON, "-o", "plain.prm"),
    ("agreement", "a.conllu", "b.conllu", "--column", "XPOS", *FAST, *JSON, "-o", "b.conllu"),
    ("cross", "--theory", "dep=trees/gold.conllu", "x@dep=trees/arc-eager.conllu", *JSON, "-o", "trees/gold.conllu"),
    ("cross", "enrich", "trees/gold.mrg", "trees/gold.conllu", "-o", "trees/gold.mrg"),
    ("convert", "a.conllu", "--to", "tsv", "--column", "XPOS", "-o", "a.conllu"),
    ("convert", "doc.ann", "--to", "tsv", "-o", "doc.txt"),
    ("weights", "queries", "log.txt", "--tagset", "nkjp", "-o", "log.txt"),
    ("weights", "ambiguity", "lexicon.tsv", "--tagset", "tagset.toml", "-o", "tagset.toml"),
    ("report", "base.json", "-o", "base.json"),
    ("report", "base.json", "--html", "base.json"),
    ("merge", "part.json", "-o", "part.json"),
    ("bayes", "experiment/runs.csv", "--rope", "0.02", "-o", "experiment/runs.csv"),
    ("experiment", "export", "experiment/taggers.toml", "-o", "experiment/taggers.toml"),
    ("experiment", "export", "experiment/taggers.toml", "-o", "german/gold.conllu"),
]


@pytest.mark.parametrize("arguments", CASES, ids=" ".join)
def test_an_input_is_never_an_output(assay, inputs, arguments):
    assay(*SCORE, "-o", "base.json")
    assay("score", "gold", "a", *FAST, "--partial", "part.json")
    before = contents(inputs)
    done = assay(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "input" in done.stderr and done.stderr.count("\n") == 1
    assert contents(inputs) == before


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_a_link_to_an_input_is_that_input(assay, here, link):
    link("gold.conllu", "other.json")
    before = contents(here)
    done = assay(*SCORE, "-o", "other.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "other.json: is gold.conllu" in done.stderr
    assert contents(here) == before


def test_standard_input_from_a_file_is_that_file(here):
    with open("a.conllu") as stdin:
        command = [sys.executable, "-m", "assay", "score", "gold.conllu", "-", *FAST, *JSON, "-o", "a.conllu"]
        done = subprocess.run(command, env=environment(), stdin=stdin, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a.conllu: is standard input" in done.stderr


def test_parts_of_splits_do_not_replace_the_data_that_they_are_made_of(assay, here):
    (here / "plan.toml").write_text(
        'folds = 3\nmeasures = ["accuracy"]\n[datasets.d]\npath = "d/r01-f01/train.conllu"\n'
        '[systems.s]\npredict = "true"\n'
    )
    (here / "d" / "r01-f01").mkdir(parents=True)
    shutil.copy("gold.conllu", "d/r01-f01/train.conllu")
    before = contents(here)
    assert assay("experiment", "splits", "plan.toml", "-o", "other", "--parts").returncode == 0
    assert "train.conllu" in {path.name for path in (here / "other" / "d" / "r01-f01").iterdir()}
    done = assay("experiment", "splits", "plan.toml", "-o", ".", "--parts")
    assert done.returncode == 2
    assert "d/r01-f01/train.conllu: is" in done.stderr
    assert {path: text for path, text in contents(here).items() if path in before} == before


def test_no_store_is_an_output(assay, here):
    import sqlite3

    sqlite3.connect(here / "runs.sqlite").executescript("CREATE TABLE runs (x); INSERT INTO runs VALUES (1)")
    before = contents(here)
    done = assay(*SCORE, *JSON, "-o", "runs.sqlite")
    assert (done.returncode, done.stdout) == (2, "")
    assert "runs.sqlite: this is a database" in done.stderr
    assert contents(here) == before


def test_two_outputs_are_two_files(assay, here):
    (here / "link.html").symlink_to("x.html")
    for other in ("x.html", "./x.html", "link.html"):
        done = assay(*SCORE, *JSON, "-o", "x.html", "--html", other)
        assert (done.returncode, done.stdout) == (2, "")
        assert "-o and --html" in done.stderr
        assert not (here / "x.html").exists()
    assert assay(*SCORE, *JSON, "-o", "/dev/null", "--html", "/dev/null").returncode == 0


def test_an_older_output_is_replaced(assay, here):
    (here / "x.json").write_text("older")
    assert assay(*SCORE, "-o", "x.json").returncode == 0
    assert (here / "x.json").read_text().startswith("{")


def commands(group, names=("assay",)):
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands(found, (*names, name))
        yield " ".join((*names, name)), found


def test_every_output_is_checked():
    """The mechanism is that of a command's class and of the type of its options."""
    outputs = set()
    for name, found in commands(assay_command):
        for parameter in found.params:
            if isinstance(parameter.type, OutputPath):
                assert isinstance(found, Command), name
                outputs.add((name, parameter.name))
            elif isinstance(parameter, click.Option) and parameter.name in ("output", "html", "partial", "pictures"):
                pytest.fail(f"{name} {parameter.opts[0]} is an output")
    assert len(outputs) > 20


def test_the_demo_copies_over_nothing_that_was_changed(assay, here):
    assert assay("demo", "--language", "english", "--copy", "try").returncode == 0
    assert assay("demo", "--language", "english", "--copy", "try").returncode == 0
    (here / "try" / "english" / "gold.conllu").write_text("edited\n")
    before = contents(here)
    done = assay("demo", "--language", "english", "--copy", "try")
    assert (done.returncode, done.stdout) == (2, "")
    assert "try/english/gold.conllu: " in done.stderr and done.stderr.count("\n") == 1
    assert contents(here) == before


@pytest.mark.parametrize("name", ["english", "english/gold.conllu"])
def test_the_demo_copies_through_no_link(assay, here, name):
    (here / "mine").mkdir()
    link = here / "try" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(here / "mine" if name == "english" else here / "mine" / "new.conllu")
    done = assay("demo", "--language", "english", "--copy", "try")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"try/{name}: this is a symbolic link" in done.stderr
    assert not any((here / "mine").iterdir())
