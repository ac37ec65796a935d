"""What `--paper` writes: a table that fits, a figure, captions, methods and references that belong together."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import assay as library
from assay.demo import FOLDER
from assay.render.paper import make_paper
from assay.result.citations import bibtex
from cases import each
from cli.conftest import Run
from commands import call
from unit.bayesian.tables import made, text_of

FILES = {"table.tex", "figure.tex", "figure.pdf", "methods.tex", "methods.txt", "references.bib"}
DOCUMENT = r"""\documentclass[twocolumn]{article}
\usepackage{booktabs}\usepackage{graphicx}\usepackage[T1]{fontenc}
\begin{document}
\input{paper/methods}
\input{paper/table}
\input{paper/figure}
\end{document}
"""


@pytest.fixture(scope="module")
def taggers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold and twenty systems with more and more errors, some of them with names that LaTeX does not like."""
    folder = tmp_path_factory.mktemp("taggers")
    lines = (FOLDER / "english" / "gold.conllu").read_text("utf-8").split("\n")
    (folder / "gold.conllu").write_text("\n".join(lines), "utf-8")
    for number in range(20):
        draw, rows = random.Random(number), []
        for line in lines:
            cells = line.split("\t")
            if len(cells) == 10 and draw.random() < 0.03 + 0.012 * number:
                cells[3] = draw.choice(["NOUN", "VERB", "ADJ"])
            rows.append("\t".join(cells))
        name = ("roBERTa_large 50%", "bi-LSTM & CRF")[number] if number < 2 else f"tagger-{number:02}"
        (folder / f"{name}.conllu").write_text("\n".join(rows), "utf-8")
    return folder


@pytest.fixture(scope="module")
def twenty(taggers: Path) -> library.Result:
    """The accuracy of all twenty systems."""
    return library.compare(*list_files(taggers, 20), measures=["accuracy"], power=None)


def list_files(folder: Path, number: int) -> tuple[str, list[str]]:
    systems = sorted(str(path) for path in folder.glob("*.conllu") if path.name != "gold.conllu")
    return str(folder / "gold.conllu"), systems[:number]


def paper_table(result: library.Result) -> str:
    text = make_paper(result, Path("paper"))[0][Path("paper", "table.tex")]
    assert isinstance(text, str)
    return text


def compile_document(folder: Path) -> str:
    """The log of a two-column document with the files of a paper."""
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")
    (folder / "document.tex").write_text(DOCUMENT, "utf-8")
    program = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "document.tex"]
    done = subprocess.run(program, cwd=folder, capture_output=True, check=False, timeout=60)
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    return log


def test_the_table_of_twenty_systems_fits_a_column(taggers: Path, twenty: library.Result) -> None:
    twenty.paper(taggers / "paper")
    assert r"\begin{table}[t]" in (taggers / "paper" / "table.tex").read_text("utf-8")
    log = compile_document(taggers)
    assert "Overfull" not in log and "the table is scaled" not in log


@each(("measures", "environment"), [(["accuracy"], "table"), (["accuracy", "sentence-accuracy", "tag-f1"], "table*")])
def test_the_table_of_five_systems_fits_a_column_or_the_page(
    taggers: Path, measures: list[str], environment: str
) -> None:
    library.compare(*list_files(taggers, 5), measures=measures, power=None).paper(taggers / "paper")
    assert f"\\begin{{{environment}}}[t]" in (taggers / "paper" / "table.tex").read_text("utf-8")
    log = compile_document(taggers)
    assert "Overfull" not in log and "the table is scaled" not in log


@each(
    "options",
    [
        ("entities/gold.tsv", "entities/rules.tsv", "entities/crf-names.tsv", "entities/spacy.tsv"),
        ("trees/gold.conllu", "trees/arc-eager.conllu", "trees/arc-hybrid.conllu", "--task", "dependencies"),
        ("trees/gold.mrg", "trees/pcfg-1.mrg", "trees/pcfg-2.mrg"),
        ("coreference/key.conll", "coreference/pronoun-rules.conll", "coreference/mention-pair.jsonl"),
        ("messages/gold.csv", "messages/keywords.csv", "messages/learned.csv", "--margin", "5pt"),
        ("--data", "{data}/gold.conllu", *(f"{{data}}/{name}.conllu" for name in ("hanta", "udpipe", "nltk-tnt"))),
    ],
)
def test_papers_on_other_data_fit(options: tuple[str, ...], tmp_path: Path) -> None:
    if "--data" in options:
        for name in ("english", "german"):
            shutil.copytree(FOLDER / name, tmp_path / name)
    done = call(
        "compare", *options, "--paper", str(tmp_path / "paper"), folder=[FOLDER, tmp_path]["--data" in options]
    )
    assert done.returncode == 0, done.stderr
    log = compile_document(tmp_path)
    assert "Overfull" not in log and "the table is scaled" not in log


def test_the_table_is_ranked_with_letters_intervals_and_the_best_in_bold(twenty: library.Result) -> None:
    text = paper_table(twenty)
    rows = [line.removesuffix(r" \\").split(" & ") for line in text.split("\n") if r"\scriptsize" in line]
    ranked = sorted((row for row in twenty.overall if row.main), key=lambda row: -row.value)
    plain = [row[0].replace("\\", "") for row in rows if "LSTM" not in row[0]]
    assert plain == [row.system for row in ranked if "LSTM" not in row.system]
    values = [re.sub(r"\\textbf|[{}]", "", row[-3]) for row in rows]
    assert values == [f"{100 * row.value:.2f}" for row in ranked]
    assert [r"\textbf" in row[-3] for row in rows] == [True, *[False] * 19]
    assert [row[-2] for row in rows] == [f"\\textsuperscript{{{row.group}}}" for row in ranked]
    ends = [re.findall(r"\d+\.\d", row[-1]) for row in rows]
    assert ends == [[f"{100 * row.low:.1f}", f"{100 * row.high:.1f}"] for row in ranked]
    assert r"Systems with a common letter do not differ significantly (p \textgreater{} 0.05 after Holm)." in text


def test_methods_and_references_are_those_of_the_result(taggers: Path) -> None:
    gold, systems = list_files(taggers, 5)
    options = ("-m", "accuracy", "-m", "tag-f1", "--margin", "1pt", "--power", "none", "-o", "result.json")
    done = call("compare", gold, *systems, *options, "--paper", "new/paper", folder=taggers)
    folder = taggers / "new" / "paper"
    assert {path.name for path in folder.iterdir()} == FILES
    assert [line for line in done.stderr.split("\n") if "paper/" in line] == [
        f"written: new/paper/{name}"
        for name in ("table.tex", "methods.tex", "methods.txt", "references.bib", "figure.pdf", "figure.tex")
    ]
    text, signature = (folder / "methods.txt").read_text("utf-8").strip().split("\n\n")
    result = library.Result.read(taggers / "result.json")
    assert signature == result.signature
    for sentence in (
        "We scored 5 systems on 48 sentences, 632 words with a gold label (tags, column UPOS).",
        "The measures are accuracy and tag F1.",
        "Intervals and tests treat the 48 sentences as independent, although they come from 4 documents.",
        "We report 95% intervals of scores (Wilson, with the effective number of words from the variance over",
        "paired shuffling, which exchanges outputs sentence by sentence (p is exact) [noreen1989].",
        "p-values were corrected with Holm's method for 20 tests (10 pairs, 2 measures) [holm1979].",
        "a margin of 1 point by two one-sided tests at 0.05, with Bonferroni correction for 20 tests.",
        f"All scores were computed with assay {library.__version__} [assay].",
    ):
        assert sentence in text
    references = (folder / "references.bib").read_text("utf-8")
    assert references == bibtex([str(taggers / "result.json")])
    cited = re.findall(r"\\cite\{(.*?)\}", (folder / "methods.tex").read_text("utf-8"))
    assert {key for keys in cited for key in keys.split(",")} <= set(re.findall(r"@\w+\{(.*?),", references))
    assert {"assay", "noreen1989", "holm1979", "wilson1927"} <= {key for keys in cited for key in keys.split(",")}


def test_two_systems_have_their_difference(assay: Run, here: Path) -> None:
    assay("compare", "gold.conllu", "a.conllu", "b.conllu", "-m", "accuracy", "--paper", "p", "-o", "r.json")
    text, row = (here / "p" / "table.tex").read_text("utf-8"), library.Result.read("r.json").comparisons[0]
    assert f"difference & +{100 * row.difference:.2f} & " in text
    assert r"Difference: b minus a in points, with the 95\% interval." in text
    caption = "with the 95\\% interval, and p, in bold if at most 0.05."
    assert caption in (here / "p" / "figure.tex").read_text("utf-8")
    methods = (here / "p" / "methods.txt").read_text("utf-8")
    assert "A difference is significant if p is at most 0.05." in methods and "Holm" not in methods


def test_a_baseline_has_stars(taggers: Path) -> None:
    options = {"measures": ["accuracy"], "baseline": "tagger-02", "power": None}
    result = library.compare(*list_files(taggers, 8), **options)
    significant = sum(row.is_significant for row in result.main_tests)
    text = paper_table(result)
    assert 0 < significant == text.count(r"\textsuperscript{{*}}") < 7
    assert "{*}: differs significantly from tagger-02 (p at most 0.05 after Holm)." in text


def test_scores_alone_are_not_tested(assay: Run, here: Path) -> None:
    assert assay("score", "gold.conllu", "a.conllu", "--paper", "p").returncode == 0
    assert "p was" not in (text := (here / "p" / "methods.txt").read_text("utf-8")) and "shuffling" not in text
    assert "Intervals treat the 48 sentences as independent" in text


def test_several_data_sets_are_averaged(tmp_path: Path) -> None:
    for name in ("english", "german"):
        shutil.copytree(FOLDER / name, tmp_path / name)
    systems = ("{data}/hanta.conllu", "{data}/udpipe.conllu", "{data}/crfsuite.conllu")
    options = ("--column", "XPOS", "-m", "accuracy", "--times", "100", "-o", "sets.json")
    done = call("compare", "--data", "{data}/gold.conllu", *systems, *options, "--paper", "paper", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "paper" / "table.tex").read_text("utf-8")
    assert "{english} &" in text and "{german} &" in text and "{average}" in text
    assert "averaged over 2 data sets" in text
    assert "Averages over 2 data sets." in (tmp_path / "paper" / "figure.tex").read_text("utf-8")
    methods = (tmp_path / "paper" / "methods.txt").read_text("utf-8")
    assert "on 2 data sets (english and german) with 99 sentences" in methods
    assert "sentence by sentence within each data set" in methods
    again = call("report", "sets.json", "--paper", "again", folder=tmp_path)
    assert again.returncode == 0
    assert (tmp_path / "again" / "table.tex").read_text("utf-8") == text


def test_runs_have_their_model(assay: Run, here: Path) -> None:
    (here / "runs.csv").write_text(text_of(made({"a": 0.0, "b": 0.03}, 2, runs=5)), "utf-8")
    done = assay("bayes", "runs.csv", "--draws", "1000", "--rope", "0.01", "--paper", "p")
    assert done.returncode == 0, done.stderr
    methods = (here / "p" / "methods.txt").read_text("utf-8")
    assert "We compared 2 systems on 2 data sets" in methods
    assert "from a hierarchical model" in methods and "[szymanski2020, corani2017]" in methods
    assert "Differences of at most 1 point count as practically equivalent." in methods
    assert "{average}" in (here / "p" / "table.tex").read_text("utf-8")
    # The forest plot is wider than a column, where nobody could read it.
    assert r"\begin{figure*}[t]" in (here / "p" / "figure.tex").read_text("utf-8")


def test_without_matplotlib_all_but_the_figure_is_written(
    assay: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    done = assay("score", "gold.conllu", "a.conllu", "--paper", "p")
    assert done.returncode == 0, done.stderr
    reason = "figures need matplotlib. Install it: pip install matplotlib"
    assert f"note: p/figure.pdf was not written: {reason}\n" in done.stderr
    assert {path.name for path in (here / "p").iterdir()} == FILES - {"figure.tex", "figure.pdf"}


def test_what_has_no_ranking_of_systems_is_refused(assay: Run, here: Path) -> None:
    assay("agreement", "a.conllu", "b.conllu", "-o", "agreement.json")
    done = assay("report", "agreement.json", "--paper", "p")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: --paper needs systems and their scores, but a result of agreement")
    assert not (here / "p").exists()
    assert assay("agreement", "a.conllu", "b.conllu", "--paper", "p").returncode == 2
