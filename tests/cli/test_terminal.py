"""What files bring along (escape sequences, line ends, marks that turn text around) does nothing to a terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest

from assay.cli.output import Output
from assay.engine.options import Options
from assay.scale.run import evaluate
from commands import environment

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\x7f\u202eX\u2066\u2028\x85"
"""Sets the title, clears the screen, changes colours, turns text around, ends the line."""
HARMFUL = {character for character in EVIL if not character.isprintable()} | {"\r"}
FAST = ("--times", "20")


@pytest.fixture
def evil(here):
    for name, second in (("gold", "NN"), ("one", EVIL), (f"n\r{EVIL}", "VB")):
        rows = [f"Anna{EVIL}\t{EVIL}", f"sings\t{second}", "well\tAV"]
        (here / f"{name}.tsv").write_text("\n\n".join("\n".join(rows) for _ in range(3)) + "\n", "utf-8")
    return ("compare", "gold.tsv", "one.tsv", f"sys\r{EVIL}=n\r{EVIL}.tsv", "--examples", "3", *FAST)


def on_terminal(here, *arguments, columns=200):
    """What a terminal without colours gets."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *arguments],
        cwd=here,
        env=environment(TERM="dumb", COLUMNS=str(columns), LINES="50"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    found = b""
    try:
        while data := os.read(ours, 1 << 16):
            found += data
    except OSError:
        # So Linux says that the other side is closed.
        pass
    os.close(ours)
    assert process.wait() in (0, 1, 2)
    # The terminal itself makes a line feed a carriage return and a line feed.
    return found.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize("form", [None, "tsv", "csv", "md", "latex", "json", "html"])
def test_nothing_harmful_reaches_a_terminal(here, evil, form):
    text = on_terminal(here, *evil, *(("--format", form) if form else ()))
    assert "Traceback" not in text
    assert not HARMFUL & set(text)
    assert "title" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "one.tsv", "--to", "slash"),
        ("tagset", "check", "one.tsv", "--tagset", "ptb", "--column", "2"),
        ("score", "gold.tsv", "one.tsv", "--fail-under", "1", *FAST),
        ("score", "gold.tsv", f"{EVIL}=missing.tsv"),
    ],
)
def test_nothing_harmful_of_other_commands_either(here, evil, arguments):
    assert not HARMFUL & set(on_terminal(here, *arguments))


@pytest.mark.parametrize("form", ["tsv", "csv", "md", "latex", "json"])
def test_nothing_harmful_is_in_a_file_to_be_shown_later(assay, here, evil, form):
    done = assay(*evil, "--format", form)
    assert done.returncode == 0
    # Cells of CSV in quotes may hold line ends.
    assert not (HARMFUL - ({"\r"} if form == "csv" else set())) & set(done.stdout)
    assert not HARMFUL & set(done.stderr)


def test_json_says_what_the_labels_are(assay, here, evil):
    result = json.loads(assay(*evil, "--format", "json").stdout)
    assert f"sys\r{EVIL}" in [source["name"] for source in result["systems"]]
    assert EVIL in {
        row["label"] for row in json.loads(assay(*evil, "-m", "tag-f1", "--format", "json").stdout)["scores"]
    }


def test_a_name_splits_no_line_of_latex_or_tsv(assay, here, evil):
    for form, mark in (("latex", "%"), ("tsv", "#")):
        plain = assay("compare", "gold.tsv", "one.tsv", f"sys=n\r{EVIL}.tsv", *FAST, "--format", form).stdout
        odd = assay(*evil[:-4], *FAST, "--format", form).stdout
        assert len(odd.splitlines()) == len(plain.splitlines())
        assert [line[:1] == mark for line in odd.splitlines()] == [line[:1] == mark for line in plain.splitlines()]


def test_convert_into_a_pipe_keeps_what_there_is(assay, here, evil):
    assert EVIL in assay("convert", "one.tsv", "--to", "tsv").stdout


def test_merge_runs_no_code_that_a_part_names_unless_it_is_said(assay, here):
    (here / "mine.py").write_text(
        "import pathlib\npathlib.Path('ran').touch()\nfrom assay.tasks.tags.measures import accuracy\n"
    )
    for side in ("gold", "a"):
        (here / side).mkdir()
        (here / side / "1.conllu").write_bytes((here / f"{side}.conllu").read_bytes())
    score = ("score", "gold", "a", "-m", "mine:accuracy", *FAST, "--quiet")
    assert assay(*score, "--partial", "part.json").returncode == 0
    (here / "ran").unlink()
    sys.modules.pop("mine", None)
    done = assay("merge", "part.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "assay: part.json: names the measure mine:accuracy, which is code. If you trust it, add: -m mine:accuracy\n"
    )
    assert not (here / "ran").exists()
    assert assay("merge", "part.json", "-m", "mine:accuracy", "--quiet").stdout.startswith("# a scores ")
    assert assay("merge", "part.json", "-m", "mine:accuracy", "-m", "accuracy").returncode == 2


def test_a_terminal_gets_a_screenful_and_what_to_try_next(here):
    command = ("compare", "gold.conllu", "a.conllu", "b.conllu", "--column", "XPOS", *FAST)
    text = on_terminal(here, *command)
    assert len(text.splitlines()) < 45
    assert "\nb is 9.65 points better than a on accuracy, at least " in text
    # Lines break wherever they are full.
    assert "(91.14 against 81.49; a → b" in " ".join(text.split())
    again = f"assay {' '.join(command)}"
    assert f"\nNext: {again} --html report.html\n      {again} --examples 3 --kind new-error\n" in text
    assert "\nNext: assay compare gold.conllu a.conllu b.conllu --times 20\n" in on_terminal(
        here, "score", *command[1:4], *FAST
    )


def test_at_80_columns_intervals_are_below_their_scores_and_the_signature_is_short(here):
    files = ("gold.conllu", "a.conllu", "b.conllu")
    text = on_terminal(here, "compare", *files, "--column", "XPOS", *FAST, "--quiet", columns=80)
    lines = [line.rstrip() for line in text.splitlines()]
    at = next(number for number, line in enumerate(lines) if line.startswith("accuracy "))
    assert lines[at].split() == ["accuracy", "81.49", "91.14", "+9.65", "<0.0001"]
    assert lines[at + 1].split("[")[1:] == ["78.01, 84.52]  ", "88.31, 93.34]  ", "+5.70, +13.61]"]
    assert lines[at].index("81.49") + 5 == lines[at + 1].index("]") + 1
    assert "need a wider window" not in text
    assert re.fullmatch(r"assay:[^|]+\|unit:sentence\|n:48\|times:20\|seed:0\|gold:sha256=\w{12}", lines[-1])
    assert len(lines[-1]) <= 80
    full = on_terminal(here, *("score", "gold.conllu", "a.conllu", "--full", *FAST, "--quiet"))
    assert "|systems:a:sha256=" in full


@pytest.mark.parametrize(("wait", "shown"), [(0.0, True), (60.0, False)])
def test_progress_names_the_step_and_the_time_of_longer_work(monkeypatch, wait, shown):
    stream = Streams()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("assay.cli.output.WAIT", wait)
    with Output().progress("Comparing …") as status:
        status.update("Comparing … intervals and tests")
        if shown:
            status._timer.join()
    text = stream.getvalue()
    assert ("Comparing … intervals and tests" in text and "0:00:0" in text) == shown
    assert Output(quiet=True).progress("Comparing …").__enter__() is None


class Streams(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_the_engine_names_its_steps(here):
    steps = []
    evaluate("score", "gold.conllu", ["a.conllu"], None, Options(times=5), report=steps.append)
    assert steps == ["reading and matching", "intervals and tests"]
