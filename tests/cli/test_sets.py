"""Several data sets on the command line: ways to name them, where results go, and what is refused."""

from __future__ import annotations

import json
import runpy
import shutil
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

import assay as library
from assay.demo import FOLDER
from cases import each
from commands import call

FAST = ("--column", "XPOS", "-m", "accuracy", "--times", "100")
SYSTEMS = ("{data}/hanta.conllu", "tnt={data}/nltk-tnt.conllu")
PATTERN = ("compare", "--data", "{data}/gold.conllu", *SYSTEMS, *FAST)
NAMED = ("compare", "--data", "english=english/gold.conllu", "--data", "german=german/gold.conllu", *SYSTEMS, *FAST)
TOML = """
[data]
english = "english/gold.conllu"
german = "{data}/gold.conllu"

[systems]
hanta = "{data}/hanta.conllu"
tnt = {english = "english/nltk-tnt.conllu", german = "german/nltk-tnt.conllu"}
"""


@pytest.fixture(scope="module")
def taggers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The taggers of two languages, and a file that names them."""
    folder = tmp_path_factory.mktemp("sets")
    for name in ("english", "german"):
        shutil.copytree(FOLDER / name, folder / name)
    (folder / "sets.toml").write_text(TOML)
    return folder


def test_all_ways_to_name_data_sets_give_the_same_and_it_is_shown_again(taggers: Path) -> None:
    ways = (PATTERN, NAMED, ("compare", "--data", "sets.toml", *FAST))
    outputs = [call(*way, "--format", "json", folder=taggers) for way in ways]
    assert [done.returncode for done in outputs] == [0, 0, 0], [done.stderr for done in outputs]
    assert outputs[0].stdout == outputs[1].stdout == outputs[2].stdout
    jobs = [call("score", *PATTERN[1:], "--jobs", number, folder=taggers).stdout for number in "12"]
    assert jobs[0] == jobs[1] != ""
    (taggers / "saved.json").write_text(outputs[0].stdout)
    again = call("report", "saved.json", "--html", "pages", folder=taggers)
    assert again.stdout == call(*PATTERN, folder=taggers).stdout
    assert "note: the page has no sentences" in again.stderr
    assert {path.name for path in (taggers / "pages").iterdir()} == {"english.html", "german.html", "index.html"}
    one_page = call("report", "saved.json", "--html", "page.html", folder=taggers)
    told = "assay: page.html: each data set has a page of its own. Give a folder: --html FOLDER\n"
    assert (one_page.returncode, one_page.stdout, one_page.stderr) == (2, "", told)
    assert not (taggers / "page.html").exists()
    results = library.Results.read(str(taggers / "saved.json"))
    files = ("german/gold.conllu", "german/hanta.conllu", "tnt=german/nltk-tnt.conllu")
    alone = library.Result.from_json(call("compare", *files, *FAST, "--format", "json", folder=taggers).stdout)
    assert (results["german"].scores, results["german"].diffs) == (alone.scores, alone.diffs)
    # Only the correction is over all data sets.
    assert [row.p for row in results["german"].comparisons] == [row.p for row in alone.comparisons]
    (one,), (other,) = results["german"].main_tests, alone.main_tests
    assert (one.p_adjusted, other.p_adjusted) == (2 * one.p, one.p)


def test_options_hold_for_all_and_paths_may_have_the_name_of_the_data_set(taggers: Path) -> None:
    known = ("--train", "{data}/known-words.txt", "-m", "oov-accuracy", "--slice", "seen")
    done = call("score", *PATTERN[1:], *known, "--html", "new/pages", "--format", "flat", folder=taggers)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    mean = (figures["english/oov-accuracy/hanta"] + figures["german/oov-accuracy/hanta"]) / 2
    assert figures["oov-accuracy/hanta"] == pytest.approx(mean)
    page = (taggers / "new/pages/index.html").read_text()
    assert "(92.39), averaged over these 2 data sets, 11.99 points above tnt" in page
    assert "Slices are in the Result of each data set" in page
    assert 'id="data"' in (taggers / "new/pages/german.html").read_text()


def test_gates_hold_on_each_data_set(taggers: Path) -> None:
    done = call("score", *PATTERN[1:], "--fail-under", "accuracy@hanta=0.92", folder=taggers)
    assert done.returncode == 1
    assert "assay: english: accuracy of hanta is 0.9114, below 0.92." in done.stderr
    assert "german" not in done.stderr.partition("assay: ")[2]


@each(
    ("arguments", "message"),
    [
        (("score", "--data", "de"), "--data de: should be NAME=GOLD, a pattern with {data}, or a TOML file."),
        ((*PATTERN[:4], *FAST), "compare takes gold and at least two systems. For one system: assay score"),
        ((*PATTERN, "--partial", "x.json"), "--partial works on one data set at a time. Remove --data."),
        ((*PATTERN, "--cluster", "slurm"), "--cluster works on one data set at a time. Remove --data."),
        ((*PATTERN, "--format", "html"), "each data set has a page of its own. Give a folder for them: --html"),
        ((*PATTERN, "--html", "x.htm"), "x.htm: each data set has a page of its own. Give a folder: --html FOLDER\n"),
        (
            (*PATTERN, SYSTEMS[0]),
            "two systems are called 'hanta'. Give each its own name: NAME={data}/hanta.conllu\n",
        ),
        (
            (*PATTERN, "-o", "german/hanta.conllu", "--format", "json"),
            "german/hanta.conllu: is given as input. Choose another name, so that no input is overwritten.",
        ),
        (
            ("compare", "--data", "sets.toml", *FAST, "-o", "german/gold.conllu", "--format", "json"),
            "german/gold.conllu: is given as input. Choose another name, so that no input is overwritten.",
        ),
        (
            ("cross", "--data", "x=gold", "--theory", "dep=x", "m@dep={data}"),
            "--data x=gold: should be NAME, without gold.",
        ),
        ((*PATTERN, "--column", "NONE"), "data set english: "),
    ],
    ids=lambda case: " ".join(case[0]),
)
def test_what_is_refused(taggers: Path, arguments: tuple[str, ...], message: str) -> None:
    before = {path: path.read_bytes() for path in taggers.rglob("*.conllu")}
    done = call(*arguments, folder=taggers)
    assert done.returncode == 2
    assert done.stderr.startswith(f"assay: {message}")
    assert {path: path.read_bytes() for path in taggers.rglob("*.conllu")} == before


def test_the_scoring_program_for_codabench_writes_what_a_leaderboard_reads(taggers: Path, tmp_path: Path) -> None:
    program = Path(__file__).parents[2] / "docs" / "guide" / "codabench" / "score.py"
    for side, system in (("ref", "gold"), ("res", "hanta")):
        (tmp_path / "input" / side).mkdir(parents=True)
        for name in ("english", "german"):
            shutil.copy(taggers / name / f"{system}.conllu", tmp_path / "input" / side / f"{name}.conllu")
    with patch.object(sys, "argv", [str(program), str(tmp_path / "input"), str(tmp_path)]):
        runpy.run_path(str(program))
        scores = json.loads((tmp_path / "scores.json").read_text())
        (tmp_path / "input" / "res" / "german.conllu").unlink()
        with pytest.raises(SystemExit) as stop:
            runpy.run_path(str(program))
    english, german = 576 / 632, 516 / 551
    assert scores == pytest.approx({"english": english, "german": german, "average": (english + german) / 2})
    assert stop.value.code == "assay: data set german: no system has an output for it. Leave it out."
    assert (program.parent / "metadata.yaml").read_text().endswith("/app/program/score.py /app/input /app/output\n")


def test_frameworks_are_compared_on_several_data_sets(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(FOLDER / "trees", tmp_path / name)
    theories = ("--theory", "dep={data}/gold.conllu", "--theory", "ps={data}/gold.mrg", "--theory", "ps+dep")
    systems = ("hybrid@dep={data}/arc-hybrid.conllu", "pcfg@ps={data}/pcfg-2.mrg")
    done = call("cross", "--data", "one", "--data", "two", *theories, *systems, "--times", "50", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    alone = library.cross(
        [text.replace("{data}", str(tmp_path / "one")) for text in theories[1::2]],
        [text.replace("{data}", str(tmp_path / "one")) for text in systems],
        times=50,
    )
    value = 100 * alone.score("pcfg", "tedeval(labelled=false)").value
    assert f"one\t91.72\t{value:.2f}" in done.stdout
    text = call("cross", "--data", "one", *theories, *systems, "--times", "50", "--format", "table", folder=tmp_path)
    assert text.stdout.startswith("cross: 1 data set, 40 sentences, 444 words, 2 systems\n")
    assert "hybrid scores 0.24 points higher than pcfg on TedEval (labelled=false), averaged over" in done.stdout
