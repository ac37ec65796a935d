"""What goes where: stdout, stderr, files, formats."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys

import pytest

FAST = ("--times", "20")
SCORE = ("score", "gold.conllu", "a.conllu", *FAST)
COMPARE = ("compare", "gold.conllu", "a.conllu", "b.conllu", *FAST)


def test_a_pipe_gets_tsv_with_full_labels_and_nothing_else(assay):
    done = assay(*COMPARE)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("# b is ") and lines[1] == ""
    assert lines[2] == "# Scores"
    assert lines[3].split("\t")[0] == "system"
    assert [line.split("\t")[0] for line in lines[4:6]] == ["a", "b"]
    assert not any(mark in done.stdout for mark in ("\x1b", "━", "│", "…"))
    assert lines[-1].startswith("# assay:")


def test_warnings_go_to_stderr_and_not_to_stdout(assay, here):
    (here / "same.conllu").write_bytes((here / "gold.conllu").read_bytes())
    done = assay("score", "gold.conllu", "same.conllu", *FAST)
    assert done.stderr == "warning: same (same.conllu) has the same content as gold (gold.conllu).\n"
    assert "same content" not in done.stdout


def test_quiet_leaves_stderr_empty(assay, here):
    (here / "same.conllu").write_bytes((here / "gold.conllu").read_bytes())
    done = assay("score", "gold.conllu", "same.conllu", *FAST, "--quiet", "-o", "x.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("form", "start"),
    [("json", '{"schema": "assay/2",\n'), ("tsv", "# a scores "), ("md", "*tags, column "), ("latex", "% Needs: ")],
)
def test_format_says_what_stdout_gets(assay, form, start):
    assert assay(*SCORE, "--format", form).stdout.startswith(start)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.json", '{"schema": "assay/2",\n'),
        ("x.tsv", "# a scores "),
        ("x.md", "*tags, column "),
        ("x.tex", "% Needs: "),
        ("x.html", "<!doctype html>"),
        ("X.JSON", '{"schema": "assay/2",\n'),
    ],
)
def test_the_ending_of_the_output_says_its_format(assay, here, name, start):
    done = assay(*SCORE, "-o", name)
    assert done.stdout == ""
    assert (here / name).read_text("utf-8").startswith(start)
    assert f"written: {name}" in done.stderr


def test_format_wins_over_the_ending_and_allows_any(assay, here):
    assay(*SCORE, "--format", "json", "-o", "result.txt")
    assert json.loads((here / "result.txt").read_text("utf-8"))["schema"] == "assay/2"


def test_html_is_written_beside_the_other_output(assay, here):
    done = assay(*COMPARE, "--html", "r.html", "-o", "t.tex")
    assert done.returncode == 0
    assert "</html>" in (here / "r.html").read_text("utf-8")
    assert (here / "t.tex").read_text("utf-8").startswith("% Needs: ")


def test_an_unknown_ending_is_refused_before_any_file_is_read(assay):
    done = assay("score", "none.conllu", "none.conllu", "-o", "x.doc")
    assert done.returncode == 2
    assert done.stderr == (
        "assay: x.doc: unknown file ending. Use .json, .tsv, .csv, .md, .tex, .txt, .html, .htm, or give "
        "--format.\n"
    )


@pytest.mark.parametrize("option", ["-o", "--html"])
def test_a_missing_folder_is_refused_before_any_file_is_read(assay, option):
    done = assay("score", "none.conllu", "none.conllu", option, "no/x.html")
    assert done.returncode == 2
    assert done.stderr == "assay: no/x.html: the folder no does not exist. Make it: mkdir -p no\n"


def test_a_folder_is_no_output(assay, here):
    (here / "x.json").mkdir()
    done = assay("score", "none.conllu", "none.conllu", "-o", "x.json")
    assert (done.returncode, done.stderr) == (2, "assay: x.json: this is a folder. Choose another name.\n")


def test_a_run_that_fails_leaves_the_older_file_whole_and_nothing_beside_it(assay, here):
    (here / "x.json").write_text("old")
    before = sorted(os.listdir(here))
    assert assay("score", "gold.conllu", "none.conllu", "-o", "x.json").returncode == 2
    assert (here / "x.json").read_text() == "old"
    assert sorted(os.listdir(here)) == before


def test_writing_that_fails_midway_leaves_the_older_file_whole(assay, here, monkeypatch):
    (here / "x.json").write_text("old")
    before = sorted(os.listdir(here))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    done = assay(*SCORE, "-o", "x.json")
    assert done.returncode == 2
    assert "assay: x.json: cannot be written (no space left on device)." in done.stderr
    assert (here / "x.json").read_text() == "old"
    assert sorted(os.listdir(here)) == before


def test_an_existing_output_keeps_its_permissions_and_a_new_one_has_the_usual(assay, here):
    (here / "x.json").write_text("old")
    (here / "x.json").chmod(0o640)
    mask = os.umask(0)
    os.umask(mask)
    assay(*SCORE, "-o", "x.json")
    assay(*SCORE, "-o", "y.json")
    assert stat.S_IMODE((here / "x.json").stat().st_mode) == 0o640
    assert stat.S_IMODE((here / "y.json").stat().st_mode) == 0o666 & ~mask


def test_inputs_are_never_written_to(assay, here):
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    assay(*COMPARE, "--train", "known.txt", "-o", "x.json")
    assert {name: (here / name).read_bytes() for name in before} == before


# --- standard input ---


def test_a_system_or_gold_may_come_from_standard_input(command, here):
    plain = command(*SCORE, "--quiet")
    piped = command("score", "gold.conllu", "a=-", *FAST, "--quiet", stdin=(here / "a.conllu").read_bytes())
    gold = command("score", "-", "a.conllu", *FAST, "--quiet", stdin=(here / "gold.conllu").read_bytes())
    assert plain.stdout == piped.stdout == gold.stdout != ""


# --- terminals ---


def on_terminal(here, *arguments, **env):
    """What a terminal of 80 columns shows."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *arguments],
        cwd=here,
        stdout=follower,
        stderr=subprocess.PIPE,
        env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", "COLUMNS": "80", **env},
    )
    os.close(follower)
    data = b""
    try:
        while piece := os.read(leader, 65536):
            data += piece
    except OSError:
        pass
    _, err = process.communicate(timeout=60)
    os.close(leader)
    assert process.returncode == 0, err
    return data.decode("utf-8").replace("\r\n", "\n")


def test_a_terminal_gets_tables_in_colour_and_without_it_on_request(here):
    plain = on_terminal(here, *COMPARE, "--quiet")
    assert "\x1b[" in plain
    assert "Scores" in plain
    assert "\t" not in plain
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = on_terminal(here, *COMPARE, "--quiet", **env)
        assert "\x1b[3" not in shown
        assert "\x1b[9" not in shown
        assert "Scores" in shown


def test_an_empty_no_color_is_none(here):
    assert "\x1b[" in on_terminal(here, *SCORE, "--quiet", NO_COLOR="")


# --- examples ---


def test_examples_are_filtered_by_kind_and_change(assay):
    def shown(*more):
        done = assay(*COMPARE, "--column", "XPOS", "--examples", "100", *more, "--format", "json", "--quiet")
        return [item for row in json.loads(done.stdout)["examples"] for item in row["items"]]

    everything = shown()
    assert {item["kind"] for item in everything} == {"correction", "new-error", "changed-error"}
    assert {item["kind"] for item in shown("--kind", "new-error")} == {"new-error"}
    first = everything[0]["answers"]
    change = f"{first['a']}->{first['b']}"
    found = shown("--change", change)
    assert {(item["answers"]["a"], item["answers"]["b"]) for item in found} == {(first["a"], first["b"])}
    assert 0 < len(found) < len(everything)


def test_a_filter_without_examples_is_not_silently_ignored(assay):
    done = assay(*COMPARE, "--kind", "new-error")
    assert done.returncode == 2 or "# Examples" in done.stdout or "--examples" in done.stderr


def test_tables_are_chosen_drawn_in_a_pipe_and_refused_by_a_wrong_name(assay, here):
    command = ("compare", "gold.conllu", "a.conllu", "b.conllu", "--column", "XPOS", "--times", "20")
    full = assay(*command, "--format", "table", "--full", "-o", "full.txt")
    assert full.returncode == 0 and "Upper bound of the combination" in (here / "full.txt").read_text("utf-8")
    short = assay(*command, "--format", "table").stdout
    assert "─────" in short and "Upper bound" not in short and "Next:" not in short
    chosen = assay(*command, "--table", "scores,bounds", "--table", "slices")
    assert [line for line in chosen.stdout.splitlines() if line.startswith("# ")][:2] == [
        "# Scores",
        "# Upper bound of the combination",
    ]
    there = "scores, tests, differences, contributions, changes, "
    assert f"note: there is no table slices here. Available: {there}" in chosen.stderr
    none = assay(*command, "--table", "slices,growth", "-o", "none.tsv", "--html", "none.html")
    assert none.returncode == 2 and none.stderr.count("\n") == 1
    assert none.stderr.startswith("assay: there is no table slices or growth here. Available: scores, tests, ")
    assert not list(here.glob("none.*"))
    empty = assay(*command, "--table", "")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert empty.stderr == "assay: --table: no table is named. Write e.g. --table scores,changes\n"
    wrong = assay("compare", "none", "none", "none", "--table", "change")
    assert (wrong.returncode, wrong.stderr) == (2, "assay: there is no table 'change'. Did you mean changes?\n")
    json = assay("score", "none", "none", "--table", "scores", "--format", "json")
    assert json.stderr == (
        "assay: json has no tables to choose from. Use tsv, csv, md, latex, table.\n"
    )
