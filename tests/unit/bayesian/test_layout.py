"""The paper's Table 2 and its orders, laid out from the shares that it prints."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from rich.console import Console

from assay.bayesian import bayes
from assay.bayesian.pairs import Measured, find_relation
from assay.bayesian.table import read_runs
from assay.render import render
from assay.render.terminal import show
from assay.result import Result
from assay.result.grammar import with_kind
from assay.result.schema import Posterior, Replication, Thirds
from unit.bayesian.tables import made, pair, text_of
from unit.stats.runs import CASES, REFERENCE

SYSTEMS = ("TnT", "Collins", "LAPOS", "Stanford", "NLP4J", "Flair")
MEASURES = ("token", "sentence", "oov")


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Result:
    """A comparison of made-up runs that finds what the paper found."""
    template = pair(made({"a": 0.0, "b": 0.01}, 1))
    with (CASES / "szymanski2020_table2.csv").open(encoding="utf-8") as file:
        printed = {
            (row["measure"], row["left"], row["right"]): tuple(
                float(row[f"p_{side}"]) for side in ("left", "rope", "right")
            )
            for row in csv.DictReader(file)
        }

    def found(self: Measured, a: str, b: str) -> Posterior:
        turned = (self.name, a, b) not in printed
        left, equal, right = printed[self.name, b, a][::-1] if turned else printed[self.name, a, b]
        shares = Thirds(left, equal, right)
        found = replace(
            template, a=a, b=b, measure=self.name, decision=shares, region=shares,
            relation=find_relation((left, equal, right)),
            model="hierarchical",
        )  # fmt: skip
        return with_kind(found)

    monkeypatch.setattr(Measured, "posterior", found)
    gains = {name: 0.001 * place for place, name in enumerate(SYSTEMS)}
    texts = [text_of(made(gains, runs=3), measure) for measure in MEASURES]
    whole = "".join([texts[0], *(text.partition("\n")[2] for text in texts[1:])])
    return bayes(read_runs("runs.csv", whole, ""), rope=0.002, rho=0.1)


def test_the_orders_are_those_of_the_paper_with_what_they_hide(paper: Result) -> None:
    assert {ranking.measure: ranking.chain for ranking in paper.rankings} == REFERENCE["ranking"]["chains"]
    hidden = {ranking.measure: ranking.intransitive for ranking in paper.rankings}
    assert hidden["token"] == hidden["sentence"] == ()
    assert [sentence.partition(":")[0].partition("but ")[2] for sentence in hidden["oov"]] == [
        "TnT < LAPOS",
        "Stanford < Flair",
    ]


def test_nothing_of_the_papers_orders_is_decided_and_each_names_its_region(paper: Result) -> None:
    assert {one.kind for one in paper.bayes} == {"bayes-open"}
    for ranking in paper.rankings:
        assert ranking.headline.count(" ? (") == 5
        assert ranking.headline.endswith(" Flair (≈: within 0.2 points, given by --rope)")
    assert paper.rankings[0].headline.startswith("TnT ? (< .829) Collins ? (≈ .617) LAPOS ? (≈ .822) Stanford ")


def test_table_2_is_laid_out_as_in_the_paper(paper: Result) -> None:
    lines = render(paper, "md").partition("### Which is better\n\n")[2].splitlines()
    assert lines[0] == "|  |  | token \\> | ≈ | \\< | sentence \\> | ≈ | \\< | oov \\> | ≈ | \\< |"
    assert lines[2] == "| TnT | Collins | .168 | .003 | **.829** | .125 | .001 | **.874** | .158 | **.550** | .292 |"
    assert lines[3] == "|  | LAPOS | .137 | .001 | **.862** | .127 | .000 | **.873** | .162 | .305 | **.533** |"
    assert (
        lines[7] == "| Collins | LAPOS | .116 | **.617** | .267 | .105 | .215 | **.680** | .063 | **.842** | .095 |"
    )
    assert lines[16] == "| NLP4J | Flair | .150 | .055 | **.795** | .148 | .024 | **.827** | .092 | **.619** | .288 |"
    assert lines[17] == ""


def test_a_chain_that_hides_something_has_its_relations_beside_it(paper: Result) -> None:
    stream = io.StringIO()
    show(paper, Console(file=stream, width=100, highlight=False))
    shown = stream.getvalue()
    assert "Relations: oov" in shown
    assert "Relations: token" not in shown
    text = render(paper, "md")
    matrix = text.partition("### Relations: oov\n\n")[2].splitlines()
    assert matrix[0] == "|  | Collins | LAPOS | Stanford | NLP4J | Flair |"
    assert matrix[2] == "| TnT | ≈ | \\< | \\< | \\< | \\< |"
    assert "Partial order: " in text
    assert "⪅ equivalent, worse nearly as frequent" in text


def test_latex_sets_the_signs_of_the_paper_without_more_packages(paper: Result) -> None:
    text = render(paper, "latex")
    assert r"Stanford $\stackrel{<}{\approx}$ NLP4J $\approx$ Flair" in text
    assert r"TnT & Collins & .168 & .003 & \textbf{.829} & .125" in text
    assert " & ".join(f"\\multicolumn{{3}}{{c}}{{{name}}}" for name in MEASURES) + r" \\" in text
    assert r"\cmidrule(lr){3-5}\cmidrule(lr){6-8}\cmidrule(lr){9-11}" in text


def test_data_sets_have_their_sizes() -> None:
    rows = [("one", 1, 1, 10), ("one", 1, 2, 12), ("one", 2, 1, 11), ("one", 2, 2, 11)]
    rows += [("two", 1, 1, 5), ("two", 1, 2, 5), ("two", 2, 1, 5), ("two", 2, 2, 6)]
    row = "{},{},{},{},accuracy,0.{}{},{}".format
    lines = [row(data, name, turn, fold, turn, fold, n) for name in "ab" for data, turn, fold, n in rows]
    text = "\n".join(["dataset,system,repetition,fold,measure,value,denominator", *lines, ""])
    result = bayes(read_runs("runs.csv", text, ""), rope=0.02)
    assert render(result, "tsv", ("sizes",)).splitlines()[1:4] == ["data set\taccuracy", "one\t22", "two\tvaries"]


def test_splits_that_were_tested_have_columns_of_their_own(paper: Result) -> None:
    row = Replication("PTB", 20, 20, 7, 0, 19, 1, 0.0025)
    tested = replace(paper, bayes=tuple(replace(one, replications=(row,)) for one in paper.bayes))
    lines = render(tested, "tsv").partition("# Split by split\n")[2].splitlines()
    assert lines[0] == (
        "measure\ta\tb\tdata set\tsplits\tbetter\tworse\ttested\tsignificantly better\tsignificantly worse"
    )
    assert lines[1] == "token\tTnT\tCollins\tPTB\t20\t19\t1\t20\t7\t0"
