"""0 done, 2 usage or input, 70 internal error, 130 interrupted, 141 closed pipe; no traceback without --debug."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCORE = ("score", "gold.conllu", "a.conllu", "--times", "20")


def test_done_is_0(assay):
    done = assay(*SCORE)
    assert done.returncode == 0
    assert "\n# Scores\n" in done.stdout


def test_nothing_said_shows_the_help_as_a_usage_error(assay):
    done = assay()
    assert done.returncode == 2
    assert "compare" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("scroe", "x"),
            "there is no command 'scroe'. Did you mean score or cross or convert? See: assay --help",
        ),
        (("score", "--formt", "json", "g", "s"), "No such option"),
        (("score", "gold.conllu"), "Missing argument 'SYSTEMS...'. See: assay score --help"),
        ((*SCORE, "--format", "jsn"), "there is no format 'jsn'. Did you mean json?"),
        (
            (*SCORE, "--times", "many"),
            "Invalid value for '--times': 'many' is not a valid integer. See: assay score --help",
        ),
        (("weights", "ambiguity"), "Missing argument 'LEXICON'. See: assay weights ambiguity --help"),
        (("tagset", "show", "nkpj"), "there is no tagset 'nkpj'. Did you mean nkjp?"),
        (
            (*SCORE, "-m", "pa"),
            "this measure splits tags into categories. Give --tagset (assay tagset lists them).",
        ),
        (
            (*SCORE, "--examples", "1", "--kind", "correction"),
            "--kind selects changes between two systems, but there is only one. Give a second system.",
        ),
        (
            (*SCORE, "--slice", "frequency", "--train", "known.txt"),
            "--slice frequency: --train is a list of words without frequencies. Give the training data itself.",
        ),
        (
            ("compare", "gold.conllu", "m=a.conllu", "m=b.conllu"),
            "two systems are called 'm'. Give each its own name.",
        ),
        (
            ("compare", "gold.conllu", "a.conllu"),
            "compare takes gold and at least two systems. For one system: assay score",
        ),
        (("score", "gold.conllu", "none.conllu"), "none.conllu: cannot be opened (no such file or directory)."),
        ((*SCORE, "-m", "accuracy,tag-f1"), "-m accuracy,tag-f1: one measure at a time, e.g. -m accuracy -m tag-f1"),
        ((*SCORE, "-m", "acuracy"), "there is no measure 'acuracy'. Did you mean accuracy"),
        (
            (*SCORE, "-m", "accuracy(colum=X)"),
            "there is no parameter 'colum' of measure accuracy. Did you mean column?",
        ),
        ((*SCORE, "--column", "XPSO"), "gold.conllu: there is no column 'XPSO'. Did you mean XPOS"),
        ((*SCORE, "--slice", "lable"), "there is no slice 'lable'. Did you mean label?"),
        (
            (*SCORE, "--slice", "meta:gnre"),
            "--slice meta:gnre: gold.conllu has no comment `# gnre = …`. Available: newdoc id, genre.",
        ),
        ((*SCORE, "--slice", "seen"), "--slice seen needs a list of known words: --train FILE"),
        ((*SCORE, "-m", "oov-accuracy"), "oov-accuracy needs a list of known words: --train FILE"),
        ((*SCORE, "--input-format", "conlu"), "there is no format 'conlu'. Did you mean conllu"),
        ((*SCORE, "--seed", "-1"), "--seed -1: give 0 or more."),
        (("score", "gold.conllu", "a.conllu", "--times", "0"), "--times 0: give 1 or more."),
        (
            (*SCORE, "-o", "out.doc"),
            "out.doc: unknown file ending. Use .json, .tsv, .csv, .md, .tex, .txt, .html, .htm, or give",
        ),
        ((*SCORE, "-o", "no/out.json"), "no/out.json: the folder no does not exist."),
        ((*SCORE, "--html", "no/out.html"), "no/out.html: the folder no does not exist."),
        (("score", "-", "-"), "- (standard input) can be given only once."),
        (("score", "gold.conllu", "x=-", "-"), "- (standard input) can be given only once."),
        (("measures", "tagf1"), "there is no measure 'tagf1'. Did you mean tag-f1"),
        (("cite", "acc"), "there is no measure or test 'acc'. Did you mean"),
        (("cite", "none.json"), "none.json: cannot be opened (no such file or directory)."),
        (("convert", "gold.conllu", "--to", "cnll"), "there is no format 'cnll'. Did you mean conll"),
        ((*SCORE, "--examples", "1", "--change", "NN"), "--change 'NN' should have the form NN→NE"),
    ],
)
def test_wrong_usage_and_input_are_2_with_one_line_on_stderr(assay, arguments, message):
    done = assay(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"assay: {message}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize("option", ["--formt", "--colum", "--zzz"])
def test_an_option_that_does_not_exist_is_one_line_that_says_where_to_look(assay, option):
    done = assay(*SCORE, option, "x")
    assert done.stderr.startswith("assay: No such option")
    assert option in done.stderr
    assert done.stderr.endswith(" See: assay score --help\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ((*SCORE, "--examples", "-1"), "examples"),
        ((*SCORE, "-m", ":x"), ":x"),
        ((*SCORE, "-m", "broken:measure"), "broken"),
        ((*SCORE, "-m", "oov-accuracy(words=dictionary)", "--train", "known.txt"), "train"),
        ((*SCORE, "--slice", "seen:dictionary", "--train", "known.txt"), "train"),
        ((*SCORE, "--map", "rules.tsv"), "rules.tsv"),
        ((*SCORE, "--map", "rules.json"), "rules.json"),
        (("cite", "partial.json"), "partial.json"),
        (("cite", "latin.json"), "latin.json"),
    ],
)
def test_odd_input_is_2_and_names_what_is_wrong(assay, here, arguments, about):
    (here / "broken.py").write_text("def measure(:\n")
    (here / "rules.tsv").write_text("re:(N.*)\t\\2\n")
    (here / "rules.json").write_text('{"NOUN": 1}')
    (here / "partial.json").write_text('{"schema": "assay/1"}')
    (here / "latin.json").write_bytes(b'{"schema": "\xfc"}')
    done = assay(*arguments)
    assert done.returncode == 2, done.stderr
    assert about in done.stderr
    assert "--dictionary" not in done.stderr


@pytest.mark.parametrize("option", ["train", "lexicon", "map"])
def test_files_that_are_read_twice_do_not_come_from_standard_input(assay, here, option):
    done = assay(*SCORE, f"--{option}", "-", stdin=(here / "gold.conllu").read_bytes())
    assert done.returncode == 2
    assert done.stderr == (f"assay: --{option} - : this file is read twice, so it cannot come from standard input.\n")


# --- internal errors, interruption, closed pipes ---


def test_an_internal_error_is_70_in_one_line_that_asks_for_a_report(assay, monkeypatch):
    monkeypatch.setattr("assay.scale.run.evaluate", lambda *_, **__: 1 / 0)
    done = assay(*SCORE)
    assert done.returncode == 70
    assert done.stderr == (
        "assay: internal error: ZeroDivisionError: division by zero. Please report it, with the output of this "
        "command when run with --debug.\n"
    )


def test_debug_shows_the_traceback_of_an_internal_error(assay, monkeypatch):
    monkeypatch.setattr("assay.scale.run.evaluate", lambda *_, **__: 1 / 0)
    monkeypatch.setattr(sys, "argv", ["assay", *SCORE, "--debug"])
    done = assay(*SCORE, "--debug")
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert "ZeroDivisionError" in done.stderr


def test_debug_is_read_from_the_arguments_that_were_given(assay):
    done = assay("score", "gold.conllu", "none.conllu", "--debug")
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert done.stderr.rstrip().endswith("none.conllu: cannot be opened (no such file or directory).")


@pytest.mark.parametrize("arguments", [("measures",), ("formats",), ("cite",)])
def test_every_command_takes_debug(assay, arguments):
    assert assay(*arguments, "--debug").returncode == 0


@pytest.mark.parametrize("raised", [KeyboardInterrupt, RuntimeError])
def test_an_interruption_is_130_also_where_another_error_hides_it(assay, monkeypatch, raised):
    def stop(*_, **__):
        raise raised from KeyboardInterrupt()

    monkeypatch.setattr("assay.scale.run.evaluate", stop)
    done = assay(*SCORE)
    assert done.returncode == 130
    assert done.stderr.strip() == "interrupted"


INTERRUPTED = """
import signal, sys
sys.addaudithook(lambda event, details: event == "import" and details[0] == {name!r} and signal.raise_signal(2))
sys.argv = ["assay", *{words!r}]
"""
SCRIPT = "from assay.__main__ import main\nsys.exit(main())"
MODULE = "import runpy\nrunpy.run_module('assay', run_name='__main__')"


LOADED = ["assay.cli", "click", "click.core", "assay.cli.options", "assay.engine.run", "numpy"]


@pytest.mark.parametrize("way_in", [SCRIPT, MODULE], ids=["script", "module"])
@pytest.mark.parametrize("name", LOADED)
def test_an_interruption_while_modules_are_loaded_is_130_without_a_traceback(here, name, way_in):
    program = INTERRUPTED.format(name=name, words=SCORE) + way_in
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr.strip() in ("", "interrupted")
    assert done.stdout == ""


def test_an_end_of_file_of_ours_is_no_interruption(assay, monkeypatch):
    def stop(*_, **__):
        raise EOFError("unexpected")

    monkeypatch.setattr("assay.scale.run.evaluate", stop)
    assert assay(*SCORE).returncode == 70


@pytest.mark.parametrize(
    "arguments",
    [("measures",), ("formats",), ("cite",), SCORE, (*SCORE, "--format", "json"), ("--help",), ("score", "--help")],
    ids=" ".join,
)
def test_a_closed_pipe_is_141_and_silent(here, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "assay",
            *arguments,
            *(["--quiet"] if arguments[0] == "score" and "--help" not in arguments else []),
        ],
        cwd=here,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_output_that_cannot_hold_the_characters_is_no_internal_error(command):
    done = command("compare", "gold.conllu", "a.conllu", "b.conllu", "--times", "20", PYTHONIOENCODING="ascii")
    assert done.returncode in (0, 2), done.stderr
    assert "internal error" not in done.stderr
