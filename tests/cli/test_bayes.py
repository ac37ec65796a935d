"""assay bayes as a user runs it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from assay.bayesian import bayes
from assay.render.terminal import show
from cli.conftest import Run
from unit.bayesian.tables import HEADER, made, text_of

GAINS = {"TnT": 0.0, "Flair": 0.03, "LAPOS": 0.0005}
QUICK = ("--rope", "0.008", "--draws", "2000")


def write(here: Path, data_sets: int) -> None:
    """Three systems, two measures, ten runs on each data set."""
    scores = made(GAINS, data_sets, runs=10)
    more = made({name: 2 * gain for name, gain in GAINS.items()}, data_sets, runs=10, seed=1)
    text = text_of(scores) + text_of(more, "sentence-accuracy").partition("\n")[2]
    (here / "runs.csv").write_text(text, encoding="utf-8")


@pytest.fixture
def runs(here: Path) -> None:
    """Two data sets: the model over data sets."""
    write(here, 2)


@pytest.fixture
def alone(here: Path) -> None:
    """One data set: the t-test, which is quick."""
    write(here, 1)


@pytest.mark.usefixtures("runs")
def test_the_first_thing_is_the_order_and_then_the_papers_table(assay: Run) -> None:
    done = assay("bayes", "runs.csv", *QUICK, "--format", "md")
    assert done.returncode == 0
    heading, verdict, table = done.stdout.split("\n\n")[:3]
    assert heading == "*many runs: 3 systems, 2 measures, 2 data sets, 20 runs of each system*"
    assert verdict.startswith("**On accuracy: TnT and LAPOS are practically equivalent (share of posterior ")
    assert ". On sentence-accuracy: " in verdict
    assert table == "### Order"
    assert re.search(r"^\| accuracy \| TnT (≈ \(1?\.\d{3}\)|\? \(≈ \.\d{3}\)) LAPOS", done.stdout, re.MULTILINE)
    assert "|  |  | accuracy \\> | ≈ | \\< | sentence-accuracy \\> | ≈ | \\< |" in done.stdout
    assert re.search(r"^\| TnT \| LAPOS \| \.\d{3} \| \*\*1?\.\d{3}\*\* \| \.\d{3} \|", done.stdout, re.MULTILINE)
    assert re.search(r"^\|  \| Flair \| \.\d{3} \| \.\d{3} \| \*\*1?\.\d{3}\*\* \|", done.stdout, re.MULTILINE)


@pytest.mark.usefixtures("runs")
def test_programs_get_a_column_for_each_number(assay: Run) -> None:
    done = assay("bayes", "runs.csv", *QUICK, "--format", "tsv")
    assert done.stderr.count("2 data sets say little about a new one") == 1
    verdict, *texts = done.stdout.split("\n\n")
    assert verdict.startswith("# ") and "\n" not in verdict
    blocks = dict(block.split("\n", 1) for block in texts)
    header, *rows = (line.split("\t") for line in blocks["# Which is better"].splitlines())
    assert header == [
        "a",
        "b",
        *(f"{measure} {sign}" for measure in ("accuracy", "sentence-accuracy") for sign in ">≈<"),
    ]
    assert [row[:2] for row in rows] == [["TnT", "LAPOS"], ["TnT", "Flair"], ["LAPOS", "Flair"]]
    assert all(sum(map(float, row[2:5])) == pytest.approx(1, abs=2e-6) for row in rows)
    sizes = [line.split("\t") for line in blocks["# How sure, and how large"].splitlines()]
    assert sizes[0][:7] == ["measure", "a", "b", "rel.", "share", "share low", "share high"]
    assert all(len(row) == len(sizes[0]) for row in sizes)
    assert {row[0] for row in sizes[1:]} == {"accuracy", "sentence-accuracy"}


@pytest.mark.usefixtures("alone")
def test_a_narrow_terminal_gets_a_table_for_each_measure() -> None:
    result = bayes("runs.csv", rope=0.008)
    shown = {}
    for width in (50, 120):
        stream = io.StringIO()
        show(result, Console(file=stream, width=width, highlight=False, force_terminal=False))
        shown[width] = stream.getvalue()
    assert "Which is better: sentence-accuracy" in shown[50]
    tables, signature = shown[50].strip().rsplit("\n", 1)
    assert signature.startswith("assay ")
    assert max(map(len, tables.splitlines())) <= 50
    assert "Which is better\n" in shown[120]
    assert "accuracy >     ≈      <" in shown[120]


@pytest.mark.usefixtures("alone")
def test_latex_has_the_largest_of_three_in_bold_and_no_sign_it_cannot_set(assay: Run) -> None:
    done = assay("bayes", "runs.csv", "-m", "accuracy", *QUICK, "--format", "latex")
    text = done.stdout
    assert re.search(r"^TnT & LAPOS & \.\d{3} & \\textbf\{1?\.\d{3}\} & \.\d{3} \\\\$", text, re.MULTILINE)
    assert re.search(r"^ & Flair & \.\d{3} & \.\d{3} & \\textbf\{1?\.\d{3}\} \\\\$", text, re.MULTILINE)
    assert not re.search("[≈⪅⪆→±−]", text)
    assert re.search(r"TnT .*\$\\approx\$.* LAPOS .*\\textless\{\}.* Flair", text)


@pytest.mark.usefixtures("alone")
def test_json_is_the_same_each_time_and_can_be_read_back(assay: Run, here: Path) -> None:
    arguments = ("bayes", "runs.csv", "-m", "accuracy", *QUICK, "--format", "json")
    first, second = assay(*arguments), assay(*arguments, "-o", "out.json")
    assert first.stdout == (here / "out.json").read_text(encoding="utf-8")
    assert second.stdout == ""
    found = json.loads(first.stdout)
    assert found["rankings"][0]["chain"] == "TnT ≈ LAPOS < Flair"
    one = found["bayes"][0]
    assert {"a", "b", "measure", "rope", "data_sets", "error", "decision", "region"} <= set(one)
    assert set(one["decision"]) == {"a", "equal", "b"}


@pytest.mark.usefixtures("alone")
def test_figures_are_written_to_a_folder(assay: Run, here: Path) -> None:
    arguments = ("--system", "TnT", "--system", "LAPOS", "-m", "accuracy", *QUICK)
    done = assay("bayes", "runs.csv", *arguments, "--figures", "figures")
    assert done.returncode == 0
    written = [line.removeprefix("written: ") for line in done.stderr.splitlines() if line.startswith("written: ")]
    assert sorted(map(str, (here / "figures").iterdir())) == sorted(str(here / path) for path in written)
    assert written[0] == "figures/forest-accuracy-TnT-LAPOS.svg"
    assert all((here / path).read_text("utf-8").startswith("<?xml") for path in written)
    (here / "file").write_text("")
    refused = assay("bayes", "runs.csv", *arguments, "--figures", "file")
    assert refused.returncode == 2


def test_without_matplotlib_figures_are_refused_before_anything_is_done(command: Run, here: Path) -> None:
    write(here, 2)
    (here / "without" / "matplotlib").mkdir(parents=True)
    (here / "without" / "matplotlib" / "__init__.py").write_text("raise ImportError")
    arguments = ("bayes", "runs.csv", *QUICK, "--figures", "figures", "--figure-format", "pdf", "-o", "out.json")
    done = command(*arguments, PYTHONPATH=str(here / "without"))
    assert done.returncode == 2
    assert done.stderr == "assay: figures need matplotlib. Install it: pip install matplotlib\n"
    assert not (here / "figures").exists() and not (here / "out.json").exists()
    page = command("bayes", "runs.csv", *QUICK, "--html", "page.html", PYTHONPATH=str(here / "without"))
    assert page.returncode == 0, page.stderr


def test_percent_are_shown_as_they_are(assay: Run, here: Path) -> None:
    scores = {data: {name: [100 * float(value) for value in row] for name, row in rows.items()}
              for data, rows in made({"a": 0.0, "b": 0.01}, runs=10).items()}  # fmt: skip
    (here / "p.csv").write_text(text_of(scores))
    done = assay("bayes", "p.csv", "--rope", "0.2", "--draws", "2000", "--format", "tsv")
    means = done.stdout.partition("# Mean scores over runs\n")[2].splitlines()
    assert means[0] == "system\tset0\tset0 low\tset0 high\tset1\tset1 low\tset1 high\tmean\tmean low\tmean high"
    assert all(85 < float(cell) < 95 for row in means[1:3] for cell in row.split("\t")[1:7])
    sizes = done.stdout.partition("# How sure, and how large\n")[2].splitlines()[1].split("\t")
    assert sizes[-1] == "0.2"
    assert 0.5 < float(sizes[6]) < 1.5


def test_one_pair_is_told_in_a_sentence(assay: Run, here: Path) -> None:
    (here / "p.csv").write_text(text_of(made({"a": 0.0, "b": 0.01}, 1)))
    done = assay("bayes", "p.csv", "--rope", "0.002", "--format", "md")
    assert "**b is better than a on accuracy, with a posterior probability of " in done.stdout
    assert " differences of at most 0.2 points, given by --rope.**" in done.stdout


def test_without_a_region_there_are_two_shares_and_a_hint(assay: Run, here: Path) -> None:
    (here / "p.csv").write_text(text_of(made({"a": 0.0, "b": 0.01}, 1)))
    done = assay("bayes", "p.csv", "--format", "md")
    assert done.returncode == 0
    assert "Every difference counts (to ignore differences of up to 1 point: --rope 0.01).**" in done.stdout
    assert re.search(r"^\| a \| b \| \.\d{3} \| – \| \*\*1?\.\d{3}\*\* \|$", done.stdout, re.MULTILINE)
    assert "≈ needs a region (--rope)" in done.stdout
    assert "practically equivalent" not in done.stdout.partition("### Which is better")[2]


def test_a_single_system_has_its_means(assay: Run, here: Path) -> None:
    (here / "p.csv").write_text(text_of(made({"a": 0.0})))
    done = assay("bayes", "p.csv", "--format", "md")
    assert done.returncode == 0
    assert re.search(r"\| a \| \d\d\.\d\d \[", done.stdout.replace("\\", ""))
    assert "There is only one system, so nothing is compared." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("runs.csv", "--rope", "0.002", "-m", "acc"), "runs.csv: there is no measure 'acc'. Did you mean accuracy?"),
        (("runs.csv", "--rope", "0.002", "--system", "Tnt"), "there is no system 'Tnt'. Did you mean TnT?"),
        (("runs.csv", "--rope", "0.002", "--dataset", "set"), "there is no data set 'set'. Did you mean"),
        (("runs.csv", "--rope", "acuracy=0.002"), "there is no measure 'acuracy'. Did you mean accuracy or"),
        (("runs.csv", "--rope", "1", "--rope", "2"), "--rope 2: a second region for all measures."),
        (("runs.csv", "--rope", "-1"), "--rope -1: give a number from 0 on, points (0.5pt), '98 items', ci95, "
        "ci95half or annotators."),
        (("runs.csv", "--rope", "ci95"), "accuracy: --rope ci95 needs the number of items of each test part"),
        (("runs.csv", "--rope", "0.002", "--rho", "1"), "--rho 1: give a number from 0 to below 1, or folds or "
        "sizes."),
        (("runs.csv", "--rope", "0.002", "--lower", "time"), "there is no measure 'time'."),
        (("none.csv",), "none.csv"),
        (("gold.conllu",), "gold.conllu:1: there is no column dataset. The first line names the columns: dataset, "),
        (("runs.csv", "runs.csv"), "runs.csv:1: expected a line of numbers. A matrix has a line for each data set; "),
        (("runs.csv", "--rope", "0.002", "--pairs", "runs.csv"), "runs.csv:1: there is no column a. The columns are"),
    ],
)
@pytest.mark.usefixtures("alone")
def test_a_mistake_is_one_line_and_exit_code_2(assay: Run, arguments: tuple[str, ...], message: str) -> None:
    done = assay("bayes", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_runs_come_from_a_pipe_too(assay: Run) -> None:
    text = text_of(made({"a": 0.0, "b": 0.01}, 1))
    done = assay("bayes", "-", "--rope", "0.002", "--format", "tsv", stdin=text.encode())
    assert done.returncode == 0
    assert "# Which is better" in done.stdout


def test_missing_runs_are_an_error_and_may_be_left_out(assay: Run, here: Path) -> None:
    lines = text_of(made({"a": 0.0, "b": 0.01}, 1)).splitlines()
    (here / "p.csv").write_text("\n".join(lines[:-1]) + "\n")
    refused = assay("bayes", "p.csv", "--rope", "0.002")
    assert refused.returncode == 2
    assert (
        "no accuracy of b on set0 r02-f10 (1 in all). To compare on the runs that all have: --common"
        in refused.stderr
    )
    done = assay("bayes", "p.csv", "--rope", "0.002", "--common")
    assert done.returncode == 0
    assert "1 measurement is missing or undefined, so 1 run was left out." in done.stderr


def test_help_says_which_columns_and_options_there_are(assay: Run) -> None:
    text = " ".join(assay("bayes", "--help").stdout.split())
    for word in HEADER.split(","):
        assert word in text
    for option in ("--rope", "--rho", "--common", "--pairs", "--figures", "--dataset", "--lower"):
        assert option in text


def test_the_input_format_says_what_the_rows_of_a_table_of_scores_are(assay: Run, here: Path) -> None:
    (here / "scores.csv").write_text("name,x,y,z\np,1,2,3\nq,2,3,4\nr,3,4,6\ns,1,1,1\nt,5,6,7\n")
    refused = assay("bayes", "scores.csv")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "scores(rows=datasets)" in refused.stderr and "scores(rows=systems)" in refused.stderr
    more = ("--draws", "1000", "--format", "json")
    done = assay("bayes", "scores.csv", "--input-format", "scores(rows=datasets)", *more)
    assert [row["name"] for row in json.loads(done.stdout)["systems"]] == ["x", "y", "z"]
    other = assay("bayes", "scores.csv", "--input-format", "scores(rows=systems)")
    assert "one score of each system on 3 data sets, but the signed-rank test needs 5" in other.stderr
    for spec in ("scores(rows=cells)", "csv", "scores(columns=2)"):
        wrong = assay("bayes", "scores.csv", "--input-format", spec).stderr
        assert f"--input-format {spec}: give scores(rows=datasets) or scores(rows=systems)." in wrong


def test_a_table_of_scores_is_shown_in_every_format(assay: Run, here: Path) -> None:
    rows = ["dataset,a,b,c", *(f"d{number},{80 + number},{81 + number},{79 + 2 * number}" for number in range(6))]
    (here / "scores.csv").write_text("\n".join(rows))
    arguments = ("bayes", "scores.csv", "--draws", "1000")
    text = assay(*arguments, "--format", "table").stdout
    parts = ["table of scores: 3 systems, 6 data sets", "On two new data sets", "mean rank", "best on"]
    for part in (*parts, "Signed-rank tests", "Friedman's test over 6 data sets", "Bayesian signed-rank test"):
        assert part in text
    assert "| d0 | 80.00 | **81.00** | 79.00 |" in assay(*arguments, "--format", "md").stdout
    assert r"mean rank & " in assay(*arguments, "--format", "latex").stdout
    page = assay(*arguments, "--html", "page.html")
    assert page.returncode == 0
    assert "Scores by data set" in (here / "page.html").read_text("utf-8")
