"""Gates: exit 1 where a threshold asked for is missed, after the output; 2 where it cannot be checked."""

from __future__ import annotations

import json

import pytest

from assay.result import Result

SCORE = ("score", "gold.conllu", "a.conllu", "--times", "20")
COMPARE = ("compare", "gold.conllu", "a.conllu", "b.conllu", "--times", "20")


@pytest.fixture
def baseline(assay, here):
    """The result of a on the same gold, saved."""
    assay(*SCORE, "-o", "baseline.json")
    return Result.read("baseline.json")


def better(here, path="baseline.json", by=0.01):
    """Make a saved result better than it was."""
    data = json.loads((here / path).read_text("utf-8"))
    for row in data["scores"]:
        row["value"] += by
    (here / path).write_text(json.dumps(data), "utf-8")


# --- --fail-under ---


def test_a_threshold_that_is_reached_is_0(assay):
    done = assay(*SCORE, "--fail-under", "accuracy=0.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n# Scores\n" in done.stdout


def test_a_threshold_that_is_missed_is_1_after_the_output(assay, baseline):
    done = assay(*SCORE, "--fail-under", "accuracy=0.99")
    value = baseline.score("a", "accuracy").value
    assert done.returncode == 1
    assert "\n# Scores\n" in done.stdout
    assert done.stderr == f"assay: accuracy of a is {value:.4f}, below 0.99.\n"


def test_output_files_are_written_although_a_threshold_is_missed(assay, here):
    done = assay(*SCORE, "--fail-under", "0.99", "-o", "x.json", "--quiet")
    assert done.returncode == 1
    assert Result.read("x.json").about.command == "score"
    assert done.stderr.startswith("assay: accuracy of a is ")


def test_every_missed_threshold_has_its_line(assay):
    gates = ("--fail-under", "99%", "--fail-under", "sentence-accuracy=1", "--fail-under", "accuracy=0.1")
    done = assay(*COMPARE, "--times", "200", *gates)
    assert done.returncode == 1
    starts = [line.partition(" is ")[0] for line in done.stderr.splitlines()]
    assert starts == [
        *("assay: accuracy of a", "assay: accuracy of b"),
        *("assay: sentence-accuracy of a", "assay: sentence-accuracy of b"),
    ]


def test_a_threshold_may_name_a_score_and_a_system(assay):
    done = assay(*COMPARE, "-m", "tag-f1", "--fail-under", "tag-f1/macro-f1@b=0.99", "--quiet")
    assert done.returncode == 1
    assert done.stderr.startswith("assay: tag-f1/macro-f1 of b is 0.")
    assert len(done.stderr.splitlines()) == 1


def test_a_measure_with_parameters_is_named_as_it_was_asked_for(assay):
    spec = "accuracy(column=XPOS)"
    done = assay(*SCORE, "-m", spec, "--fail-under", f"{spec}=0.999")
    assert done.returncode == 1
    assert done.stderr.startswith(f"assay: {spec} of a is ")


def test_a_figure_just_under_the_threshold_shows_that_it_is(assay, baseline):
    value = baseline.score("a", "accuracy").value
    done = assay(*SCORE, "--fail-under", repr(value))
    assert done.returncode == 0
    done = assay(*SCORE, "--fail-under", f"accuracy={value + 1e-7!r}")
    shown = done.stderr.split(" is ")[1].split(",")[0]
    assert done.returncode == 1
    assert float(shown) < value + 1e-7


def test_a_system_without_figures_misses_every_threshold(assay, here):
    lines = (here / "a.conllu").read_text("utf-8").splitlines()
    bare = [
        "\t".join([*line.split("\t")[:3], "_", *line.split("\t")[4:]]) if "\t" in line else line for line in lines
    ]
    (here / "empty.conllu").write_text("\n".join(bare) + "\n", "utf-8")
    done = assay(
        *("score", "gold.conllu", "a.conllu", "empty.conllu", "--column", "UPOS", "--times", "20", "--quiet"),
        *("--fail-under", "accuracy=0.1"),
    )
    assert done.returncode == 1
    assert done.stderr == "assay: accuracy of empty is undefined, so it is not at least 0.1.\n"


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ("accuracy=high", "--fail-under accuracy=high: 'high' is not a number. Write e.g. accuracy=0.95"),
        ("accuracy", "--fail-under accuracy: 'accuracy' is not a number. Write e.g. accuracy=0.95"),
        ("accuracy=95", "--fail-under accuracy=95: give a score between 0 and 1, e.g. 0.95 or 95pt."),
        ("accuracy=nan", "--fail-under accuracy=nan: 'nan' is not a number. Write e.g. accuracy=0.95"),
        (
            "acuracy=0.9",
            "--fail-under acuracy=0.9: there is no measure 'acuracy'. Did you mean accuracy or sentence-accuracy?",
        ),
        (
            "accuracy/f2=0.9",
            "--fail-under accuracy/f2=0.9: there is no score 'f2'. Did you mean f1?",
        ),
        (
            "accuracy@c=0.9",
            "--fail-under accuracy@c=0.9: there is no system 'c'. Available: a.",
        ),
    ],
)
def test_a_threshold_that_means_nothing_is_2_and_nothing_is_written(assay, here, threshold, message):
    done = assay(*SCORE, "--fail-under", threshold, "-o", "x.json")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"assay: {message}\n")
    assert not (here / "x.json").exists()


# --- --fail-if-worse ---


def test_the_same_scores_are_not_worse(assay, baseline):
    done = assay(*SCORE, "--fail-if-worse", "baseline.json")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_score_that_has_fallen_is_1(assay, here, baseline):
    value = baseline.score("a", "accuracy").value
    better(here)
    done = assay(*SCORE, "-m", "accuracy", "--fail-if-worse", "baseline.json", "--quiet")
    assert done.returncode == 1
    assert "\n# Scores\n" in done.stdout
    assert done.stderr == (f"assay: accuracy of a is {value:.4f}, worse than {value + 0.01:.4f} in baseline.json.\n")


def test_scores_may_fall_within_the_tolerance(assay, here, baseline):
    better(here)
    assert assay(*SCORE, "--fail-if-worse", "baseline.json", "--tolerance", "0.02").returncode == 0
    done = assay(*SCORE, "--fail-if-worse", "baseline.json", "--tolerance", "0.002")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].endswith(" in baseline.json by more than 0.002.")


def test_a_fall_of_just_the_tolerance_is_within_it(assay, here, baseline):
    better(here, by=0.01)
    assert assay(*SCORE, "--fail-if-worse", "baseline.json", "--tolerance", "0.01").returncode == 0


def test_another_output_under_the_same_name_is_held_against_the_baseline(assay, here, baseline):
    worse = assay("score", "gold.conllu", "a=b.conllu", "--times", "20", "--fail-if-worse", "baseline.json")
    assay("score", "gold.conllu", "a=b.conllu", "--times", "20", "-o", "other.json")
    rows = [Result.read("other.json").score("a", name).value for name in ("accuracy", "sentence-accuracy")]
    before = [baseline.score("a", name).value for name in ("accuracy", "sentence-accuracy")]
    fallen = sum(now < then for now, then in zip(rows, before, strict=True))
    assert rows != before
    assert worse.returncode == (1 if fallen else 0)
    assert len(worse.stderr.splitlines()) == fallen


def test_what_only_the_baseline_has_is_said(assay):
    assay(*COMPARE, "-o", "baseline.json")
    done = assay(*SCORE, "-m", "accuracy", "--fail-if-worse", "baseline.json")
    assert done.returncode == 0
    note = "note: baseline.json also contains b and sentence-accuracy, which the present result does not.\n"
    assert done.stderr == note
    assert assay(*SCORE, "-m", "accuracy", "--fail-if-worse", "baseline.json", "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("score", "gold.conllu", "b.conllu", "--times", "20"),
            "baseline.json: there is no system 'b'. Available: a. To name a system: NAME=PATH",
        ),
        (
            (*SCORE, "-m", "tag-f1"),
            "baseline.json: there is no measure 'tag-f1'. Available: accuracy, sentence-accuracy. "
            "Make the baseline again.",
        ),
        (
            (*SCORE, "--column", "XPOS"),
            "baseline.json: evaluates column UPOS, not XPOS, so its scores cannot be compared. "
            "Make the baseline again.",
        ),
        (
            ("score", "b.conllu", "a.conllu", "--times", "20", "--column", "UPOS"),
            "baseline.json: was made with a different gold, so its scores cannot be compared. "
            "Make the baseline again.",
        ),
        (
            ("score", "names.tsv", "a=names.tsv", "--times", "20"),
            "baseline.json: evaluates tags, not spans, so its scores cannot be compared. Make the baseline again.",
        ),
    ],
)
def test_a_baseline_that_cannot_be_compared_is_2(assay, here, baseline, arguments, message):
    (here / "names.tsv").write_text("Anna\tB-PER\nsings\tO\n")
    done = assay(*arguments, "--fail-if-worse", "baseline.json", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"assay: {message}\n")


# What makes figures others, though gold, column, systems and measures are the same.
MERGED = "".join(f"re:{first}.*\tX\n" for first in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("--map", "merged.tsv"), "was made without --map"),
        (("--input-format", "conllu"), "was made without --input-format"),
        (("--train", "known.txt"), "was made without --train"),
    ],
)
def test_a_baseline_under_other_settings_is_2(assay, here, baseline, arguments, fact):
    (here / "merged.tsv").write_text(MERGED)
    done = assay(*SCORE, *arguments, "--fail-if-worse", "baseline.json", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (
        *(2, ""),
        f"assay: baseline.json: {fact}, so its scores cannot be compared. Give the same options, or make the "
        "baseline again.\n",
    )
    assay(*SCORE, *arguments, "-o", "same.json")
    assert assay(*SCORE, *arguments, "--fail-if-worse", "same.json", "--quiet").returncode == 0
    assert "was made with --" in assay(*SCORE, "--fail-if-worse", "same.json", "--quiet").stderr


def test_another_map_is_another_setting(assay, here):
    (here / "map.tsv").write_text("NOUN\tX\n")
    assay(*SCORE, "--map", "map.tsv", "-o", "baseline.json")
    (here / "map.tsv").write_text(MERGED)
    done = assay(*SCORE, "--map", "map.tsv", "--fail-if-worse", "baseline.json", "--quiet")
    assert done.returncode == 2
    assert done.stderr.startswith("assay: baseline.json: was made with a different file for --map, so ")


@pytest.mark.parametrize("arguments", [("--seed", "3"), ("--unit", "document"), ("--slice", "label")])
def test_what_changes_no_overall_figure_may_differ(assay, baseline, arguments):
    assert assay(*SCORE, *arguments, "--fail-if-worse", "baseline.json", "--quiet").returncode == 0


def without_sentences(here, source, target, *numbers):
    """An output in which these sentences have another word."""
    sentences = (here / source).read_text("utf-8").strip().split("\n\n")
    for number in numbers:
        lines = sentences[number].split("\n")
        first = next(index for index, line in enumerate(lines) if line.startswith("1\t"))
        lines[first] = lines[first].replace(lines[first].split("\t")[1], "Zzzz", 1)
        sentences[number] = "\n".join(lines)
    (here / target).write_text("\n\n".join(sentences) + "\n\n", "utf-8")


def test_other_sentences_are_not_compared(assay, here, baseline):
    skip = ("--on-mismatch", "skip", "--times", "20", "--quiet")
    without_sentences(here, "a.conllu", "some.conllu", 3, 5)
    without_sentences(here, "a.conllu", "others.conllu", 3, 6)
    units = baseline.about.units
    done = assay("score", "gold.conllu", "a=some.conllu", *skip, "--fail-if-worse", "baseline.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"evaluates {units} sentences, but {units - 2} sentences are compared here" in done.stderr
    assay("score", "gold.conllu", "a=some.conllu", *skip, "-o", "some.json")
    assert assay("score", "gold.conllu", "a=some.conllu", *skip, "--fail-if-worse", "some.json").returncode == 0
    done = assay("score", "gold.conllu", "a=others.conllu", *skip, "--fail-if-worse", "some.json")
    assert done.returncode == 2
    assert "some.json: leaves out different sentences" in done.stderr
    assert assay(*SCORE, *skip, "--fail-if-worse", "some.json").returncode == 2


def test_what_is_left_out_adds_up_over_shards(assay, here):
    for number in range(2):
        for side, source in (("gold", "gold.conllu"), ("some", "some.conllu")):
            (here / side).mkdir(exist_ok=True)
            without_sentences(here, "a.conllu", "some.conllu", 3, 5 + number)
            (here / side / f"{number}.conllu").write_bytes((here / source).read_bytes())
    score = ("score", "gold", "some", "--on-mismatch", "skip", "--times", "20", "--quiet")
    assay(*score, "-o", "whole.json")
    assay(*score, "--partial", "part.json")
    assay("merge", "part.json", "-o", "merged.json")
    assert "|left_out:" in Result.read("whole.json").signature
    assert Result.read("whole.json").signature == Result.read("merged.json").signature


def test_a_baseline_without_a_value_is_2(assay, here, baseline):
    data = json.loads((here / "baseline.json").read_text("utf-8"))
    for row in data["scores"]:
        row["value"] = None
    (here / "null.json").write_text(json.dumps(data), "utf-8")
    done = assay(*SCORE, "--fail-if-worse", "null.json", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (
        *(2, ""),
        "assay: null.json: accuracy of a is undefined there, so it cannot be compared. Make the baseline again, or "
        "leave the measure out.\n",
    )


def test_an_undefined_score_misses_a_threshold_of_0(assay, here):
    (here / "g.tsv").write_text("Anna\tB-PER\nsings\tO\n")
    (here / "s.tsv").write_text("Anna\tO\nsings\tO\n")
    done = assay("score", "g.tsv", "s.tsv", "-m", "exact", "--fail-under", "exact/precision=0", "--quiet")
    assert done.returncode == 1
    assert done.stderr == "assay: exact/precision of s is undefined, so it is not at least 0.\n"


def test_a_baseline_that_is_not_there_is_2_before_the_work(assay, here):
    (here / "half.json").write_text("{", "utf-8")
    assert assay(*SCORE, "--fail-if-worse", "none.json").returncode == 2
    done = assay("score", "not-there.conllu", "a.conllu", "--fail-if-worse", "half.json")
    assert done.returncode == 2
    assert done.stderr.startswith("assay: half.json: line 1: not JSON")


def test_a_tolerance_without_a_baseline_is_2(assay):
    done = assay(*SCORE, "--tolerance", "0.01")
    assert (done.returncode, done.stderr) == (2, "assay: --tolerance needs --fail-if-worse BASELINE.json.\n")


# --- --format flat ---


def test_flat_json_has_one_level_of_names_and_numbers(assay, baseline):
    figures = json.loads(assay(*COMPARE, "--format", "flat").stdout)
    assert figures["accuracy/a"] == baseline.score("a", "accuracy").value
    assert "accuracy/b - a/p" in figures
    assert all(isinstance(value, float) for value in figures.values())


def test_a_saved_result_can_be_made_flat(assay, here, baseline):
    assay("report", "baseline.json", "--format", "flat", "-o", "metrics.json")
    assert (
        json.loads((here / "metrics.json").read_text("utf-8"))["accuracy/a"] == baseline.score("a", "accuracy").value
    )


def test_undefined_figures_are_left_out_of_flat_json(assay, here):
    (here / "g.tsv").write_text("Anna\tB-PER\nsings\tO\n")
    (here / "s.tsv").write_text("Anna\tO\nsings\tO\n")
    figures = json.loads(assay("score", "g.tsv", "s.tsv", "-m", "exact", "--format", "flat").stdout)
    assert figures["exact/s"] == 0
    assert "exact/precision/s" not in figures


# --- --fail-unless ---


@pytest.mark.parametrize(
    ("files", "options", "code", "line"),
    [
        ("a a2=a", "--margin 20pt --fail-unless not-worse", 0, ""),
        ("a a2=a", "--fail-unless identical", 0, ""),
        (
            "a a2=a",
            "--margin 1pt --fail-unless not-worse",
            1,
            "the comparison does not show that a2 is not worse than a by the margin or more, because the test "
            "set is too small (verdict: identical).",
        ),
        ("a b", "--margin 20pt --fail-unless not-worse", 0, ""),
        ("a b", "--margin 20pt --fail-unless equivalent,better", 0, ""),
        ("a b", "--fail-unless better", 0, ""),
        ("b a", "--fail-unless better", 1, "does not show that a is better than b (verdict: different)."),
        (
            "b a",
            "--margin 0.01pt --fail-unless not-worse",
            1,
            "accuracy: the comparison does not show that a is not worse than b by the margin or more "
            "(verdict: more-than-margin).",
        ),
        ("a b", "--baseline b --fail-unless better", 1, "show that a is better than b (verdict: different)."),
        ("b a", "--baseline a --fail-unless better", 0, ""),
        ("a b", "--fail-unless=", 2, "--fail-unless : there is no kind ''."),
        ("a b", "--fail-unless not-worse", 2, "--fail-unless not-worse needs the smallest difference that matters"),
        ("a b", "--fail-unless worse", 2, "--fail-unless worse: there is no kind 'worse'."),
    ],
)
def test_a_comparison_must_show_what_is_asked_for(assay, files, options, code, line):
    systems = [name if "=" in name else f"{name}={name}.conllu" for name in files.split()]
    systems = [name if name.endswith(".conllu") else f"{name}.conllu" for name in systems]
    done = assay("compare", "gold.conllu", *systems, "-m", "accuracy", "--format", "tsv", *options.split())
    assert done.returncode == code
    assert line in done.stderr
    assert ("does not show that" in done.stderr) == (code == 1)


def test_a_margin_that_is_lacking_is_said_before_files_are_read(assay):
    done = assay("compare", "nowhere", "a.conllu", "b.conllu", "--fail-unless", "better,equivalent")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--fail-unless equivalent needs the smallest difference that matters: --margin 0.5pt" in done.stderr


def test_points_are_fractions_in_all_gates(assay, here, baseline):
    better(here, by=0.01)
    assert assay(*SCORE, "--fail-if-worse", "baseline.json", "--tolerance", "1pt").returncode == 0
    assert assay(*SCORE, "--fail-if-worse", "baseline.json", "--tolerance", "0.9pt").returncode == 1
    assert assay(*SCORE, "--fail-under", "accuracy=50pt").returncode == 0
    done = assay(*SCORE, "--fail-if-worse", "baseline.json", "--tolerance", "2")
    assert (done.returncode, done.stderr) == (
        2,
        "assay: --tolerance 2: give a number from 0 to 1, e.g. 0.002 or 0.2pt.\n",
    )


# --- --fail-if-breaks ---


@pytest.mark.parametrize(
    ("files", "options", "code", "line"),
    [
        ("a a2=a", "1%", 0, ""),
        ("a b", "99%", 0, ""),
        ("b a", "1%", 1, "accuracy: a breaks more than 1% of what b has right with a probability of "),
        ("b a", "1% --risk 0.01", 1, "more than 1% of what b has right"),
        ("b a", "1% --risk 2%", 2, "--risk 2% and --fail-if-breaks 1%: give one limit."),
        ("b a", "1", 2, "--fail-if-breaks 1: 0.01 is 1 percent. Write e.g. 0.01 or 1%"),
        ("b a", "x", 2, "--fail-if-breaks x: 'x' is not a number."),
        ("b a c=a", "1%", 2, "--fail-if-breaks 1%: there are 3 systems. Name the old one: --baseline"),
        ("b a c=a", "1% --baseline b", 1, "accuracy: c breaks more than 1% of what b has right"),
    ],
)
def test_a_new_system_must_not_break_too_much(assay, files, options, code, line):
    systems = [f"{name if '=' in name else f'{name}={name}'}.conllu" for name in files.split()]
    options = ["--fail-if-breaks", *options.split()]
    done = assay("compare", "gold.conllu", *systems, "-m", "accuracy", "--format", "tsv", *options)
    assert done.returncode == code
    assert line in done.stderr
    assert ("breaks more than" in done.stderr) == (code == 1)


def test_risk_needs_a_share_and_adds_probabilities(assay):
    files = ("gold.conllu", "b=b.conllu", "a=a.conllu", "-m", "accuracy")
    done = assay("compare", *files, "--risk", "0")
    assert (done.returncode, done.stderr) == (
        2,
        "assay: --risk 0: give a share above 0 and below 1. Write e.g. 0.01 or 1%\n",
    )
    plain, asked = (assay("compare", *files, "--format", "json", *risk) for risk in ((), ("--risk", "1%")))
    (row, _), (own, _) = (json.loads(done.stdout)["risks"] for done in (plain, asked))
    assert (row["p"], row["limit"], row["labels"]) == (None, None, [])
    assert own["limit"] == 0.01 and own["labels"] and own["p"] > 0.05
    assert all(row[name] == own[name] for name in ("broken", "of", "low", "high", "corrected"))
    assert "P(> 1%)" in assay("compare", *files, "--table", "risk", "--risk", "1%").stdout
    assert "P(" not in assay("compare", *files, "--table", "risk").stdout
