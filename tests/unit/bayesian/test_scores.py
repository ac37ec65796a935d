"""Tables of scores: cases of the specification (tests/data/item_cases.jsonl), layouts, and every refusal."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from assay.bayesian import bayes
from assay.bayesian.scores import read_scores
from assay.errors import AssayError
from assay.render.pictures import list_figures
from assay.render.terminal import draw_text
from assay.result import Result
from assay.result.citations import list_methods
from assay.stats.many import signed_rank_p
from cases import each
from unit.bayesian.tables import made, runs_of

CASES = [
    json.loads(line)
    for line in Path(__file__).parents[2].joinpath("data/item_cases.jsonl").read_text("utf-8").splitlines()
]
TABLES = [case for case in CASES if case["kind"] == "table"]
READING = [case for case in CASES if case["kind"] == "reading" and case["arguments"][0] == "bayes"]
QUICK = 1000


def name(case: Any) -> str:
    return str(case["id"])


def text_of(case: Any, order: int = 1) -> str:
    lines = [
        f"d{number},{','.join('–' if cell is None else cell for cell in row)}"
        for number, row in enumerate(case["scores"])
    ]
    return "\n".join([",".join(["dataset", *case["systems"]]), *lines[::order]]) + "\n"


def result_of(text: str, **options: Any) -> Result:
    return bayes(read_scores("scores.csv", text, "0" * 64), **{"draws": QUICK, **options})


def number(value: Any) -> Any:
    return value[1] if isinstance(value, list) else value


@each("case", TABLES, name)
def test_tables_of_the_specification(case: Any) -> None:
    expected, systems = case["expected"], case["systems"]
    found = result_of(text_of(case), rope=case.get("rope"), lower="score" if case.get("lower") else ())
    over = {row.system: row for row in found.systems_over_sets}
    assert {row.data_sets for row in over.values()} == {expected["data sets"]}
    assert sum(f"({expected['left out']} of " in text for text in found.warnings) == bool(expected["left out"])
    for key, values in (("mean ranks", {name: row.rank for name, row in over.items()}),
                        ("means", {name: row.average for name, row in over.items()})):  # fmt: skip
        assert values == pytest.approx({name: number(value) for name, value in expected[key].items()}, abs=1e-12)
    pairs = list(combinations(sorted(systems), 2))
    wilcoxon = {frozenset((row.a, row.b)): row.signed_rank for row in found.pairs_over_sets}
    assert len(wilcoxon) == len(pairs)
    assert wilcoxon == {frozenset(pair.split("-")): number(p) for pair, p in expected["wilcoxon"].items()}
    assert len(found.ranks) == ("friedman" in expected)
    for ranks in found.ranks:
        if expected["friedman"] is None:
            assert math.isnan(ranks.friedman)
        else:
            chi_square = number(expected["friedman"]["chi2"]), expected["friedman"]["p"]
            assert (ranks.friedman, ranks.friedman_p) == pytest.approx(chi_square, rel=1e-11)
            f = number(expected["iman-davenport"]["F"]), expected["iman-davenport"]["p"]
            assert (ranks.iman_davenport, ranks.iman_davenport_p) == pytest.approx(f, rel=1e-9)
        assert ranks.critical_difference == pytest.approx(expected["nemenyi cd"], abs=1e-6)
        for key, field in (("nemenyi p", "nemenyi"), ("wilcoxon holm", "wilcoxon_holm"), ("wilcoxon", "wilcoxon")):
            values = {frozenset((row.a, row.b)): getattr(row, field) for row in ranks.pairs}
            wanted = {frozenset(pair.split("-")): number(p) for pair, p in expected[key].items()}
            assert values == pytest.approx(wanted, abs=1e-6)
    for pair, regions in expected.get("bayesian signed rank, regions", {}).items():
        a, b = pair.split("-")
        (row,) = [row for row in found.bayes if {row.a, row.b} == {a, b}]
        sides = (row.region.a, row.region.b) if row.a == a else (row.region.b, row.region.a)
        wanted = number(regions["a"]), number(regions["b"])
        assert sides == pytest.approx(wanted, abs=1e-12)
        assert (row.region.equal or 0.0) == pytest.approx(number(regions["equal"]), abs=1e-12)
        assert row.model == "signed-rank"


@pytest.mark.parametrize("by", ["wilcoxon", "nemenyi"])
def test_five_systems_on_twelve_data_sets(by: str) -> None:
    """The table of cases/chance: scipy's and scikit-posthocs' numbers."""
    text = Path(__file__).parents[2].joinpath("data/chance/many-systems.json").read_text("utf-8")
    case = json.loads(text)["data_sets"]
    rows = [list(map(str, row)) for row in case["scores"]]
    found = result_of(text_of({"systems": case["systems"], "scores": rows}), nemenyi=by == "nemenyi")
    (ranks,) = found.ranks
    assert (round(ranks.friedman, 4), round(ranks.critical_difference, 5)) == (27.9333, 1.76077)
    assert ranks.ranks == pytest.approx(case["mean_ranks"])
    assert {f"{row.a}-{row.b}": row.wilcoxon for row in ranks.pairs} == pytest.approx(case["wilcoxon"], rel=1e-12)
    assert ranks.groups == case["letters_nemenyi" if by == "nemenyi" else "letters_wilcoxon_holm"]


@each("case", READING, name)
def test_tables_are_read_as_the_specification_says(
    case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ((file, text),) = case["files"].items()
    Path(file).write_text(text, encoding="utf-8")
    expected = case["expected"]
    if "refused" in expected:
        with pytest.raises(AssayError) as caught:
            bayes(file)
        assert all(part in str(caught.value) for part in expected["refused"])
        return
    found = bayes(file, draws=QUICK)
    if "scores" in expected:
        scores = {(row.slice, row.system): row.value for row in found.scores if row.slice}
        wanted = {
            (f"dataset:{data}", system): math.nan if score is None else float(score)
            for data, row in expected["scores"].items()
            for system, score in row.items()
        }
        assert scores == pytest.approx(wanted, nan_ok=True)
    else:
        assert (found.about.items, found.about.units) == (expected["data sets"], expected["runs"])
        means = {row.system: row.value for row in found.scores}
        assert means == pytest.approx({name: number(value) for name, value in expected["means"].items()})
        assert found.comparisons[0].p == number(expected["p of all exchanges of runs"])
        assert not found.ranks and not found.bayes
        assert "does not apply to other test items" in " ".join(found.notes)
    notes = " ".join(found.notes)
    assert all(part in notes for part in expected.get("note", ()))


def cells_of(text: str, **options: Any) -> dict[str, dict[str, list[float]]]:
    """The values of each system on each data set."""
    table = read_scores("s.csv", text, "", **options)
    (by_set,) = table.cells.values()
    return {
        data: {name: [row.value for row in rows.values()] for name, rows in own.items()}
        for data, own in by_set.items()
    }


def test_the_same_scores_in_every_layout() -> None:
    wanted = {"de": {"a": [88.3], "b": [90.0]}, "en": {"a": [70.0], "b": [71.5]}}
    for text in (
        "Data set,a,b\nde,88.3,90\nen,70,71.5\n",
        "language\ta\tb\nde\t88.3±0.4\t90 ± 1\nen\t70 (0.2)\t71.5%\n",
        "model,de,en,Avg.\na,88.3,70,79.2\nb,90,71.5,80.8\nmean,1,1,1\n",
        "system,dataset,score\na,de,88.3\nb,de,90\na,en,70\nb,en,71.5\n",
        "value,metric,Method,corpus\n88.3,F1,a,de\n90,F1,b,de\n70,F1,a,en\n71.5,F1,b,en\n",
    ):
        assert cells_of(text) == wanted, text
    assert cells_of("name,de,en\na,88.3,70\nb,90,71.5\n", input_format="scores(rows=systems)") == wanted
    spread = read_scores("s.csv", "task,a\nde,88.3±0.4\nmean,88.3\n", "")
    assert spread.notes == [
        "Not read, because they seem to be means of the others: mean.",
        "Spreads after a score (±0.4, (0.4)) are not used.",
    ]


def test_rows_with_folds_and_seeds_are_runs() -> None:
    rng = np.random.default_rng(0)
    rows = [f"{run},{80 + a:.2f},{81 + b:.2f}" for run, (a, b) in enumerate(rng.normal(size=(5, 2)), 1)]
    folds = result_of("\n".join(["fold,a,b", *rows]), rope=0.1)
    assert (folds.bayes[0].model, folds.bayes[0].by_data_set[0].rho) == ("correlated-t", 0.2)
    with pytest.raises(AssayError, match="show how runs are correlated"):
        result_of("\n".join(["split,a,b", *rows]))
    splits = result_of("\n".join(["split,a,b", *rows]), rho=0.1)
    assert splits.bayes[0].by_data_set[0].rho == 0.1
    both = ["dataset,seed,a,b", *(f"{data},{row}" for data in ("de", "en") for row in rows)]
    assert result_of("\n".join(both), rho=0.1, rope=0.1).bayes[0].model == "hierarchical"


def test_seeds_need_not_be_the_same_number_and_are_not_paired() -> None:
    found = result_of("model,seed,score\na,x,80\na,y,81\na,z,82\nb,x,83\nb,y,84\n")
    assert found.comparisons[0].p == 0.2
    assert [(row.runs.number, row.value) for row in found.scores if row.runs] == [(3, 81.0), (2, 83.5)]
    assert "a 81.000 ± 1.000 and b 83.500 ± 0.707; no significant difference (p = 0.2000" in found.verdict
    many = "\n".join(["seed,a,b", *(f"{seed},{80 + seed % 3},{84 + seed % 3}" for seed in range(6))])
    sure = result_of(many)
    assert sure.comparisons[0].p == pytest.approx(2 / math.comb(12, 6))
    assert "a and b differ significantly" in sure.verdict
    assert not any("cannot be below" in note for note in sure.notes)
    with pytest.raises(AssayError, match="1 run of b, score"):
        result_of("seed,a,b\n1,80,81\n2,80,-\n")


def test_neither_order_nor_names_change_a_digit() -> None:
    case = TABLES[0]
    first, turned = (result_of(text_of(case, order), rope=0.5) for order in (1, -1))
    # Systems called backwards are sorted backwards.
    renamed = text_of({**case, "systems": ["z", "y", "x", "w"]})
    other = result_of(renamed, rope=0.5)
    names = dict(zip(["z", "y", "x", "w"], case["systems"], strict=True))
    assert first.bayes == turned.bayes
    shares = {frozenset((row.a, row.b)): {row.a: row.decision.a, row.b: row.decision.b} for row in first.bayes}
    for row in other.bayes:
        a, b = names[row.a], names[row.b]
        assert shares[frozenset((a, b))] == {a: row.decision.a, b: row.decision.b}


def test_few_runs_are_compared_by_their_means() -> None:
    found = bayes(runs_of(made({"a": 0.0, "b": 0.01}, 5, 2)), rope=0.002, draws=QUICK)
    assert (found.bayes[0].model, found.bayes[0].runs) == ("signed-rank", 10)
    assert "signed-rank test (Benavoli et al. 2014) on the mean of each system" in " ".join(found.notes)
    assert bayes(runs_of(made({"a": 0.0, "b": 0.01}, 5, 3)), rope=0.002, draws=QUICK).bayes[0].model == "hierarchical"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "dataset,a,b\nde,88.3,x\n",
            "s.csv:2: 'x' is not a score. Write 88.3, 88.3±0.4, 88.3 (0.4) or 88.3%, and a dash",
        ),
        ("dataset,a,b\nde,1,2\nde,3,4\n", "s.csv:3: a second score of a on de."),
        ("dataset,a,a\nde,1,2\n", "s.csv:1: has the column a twice."),
        ("dataset,a,b\n,1,2\n", "s.csv:2: dataset is empty."),
        ("dataset,average\nde,1\n", "s.csv: contains no scores."),
        ("a,b\nde,1\n", "s.csv:1: there is no column dataset. The first line names the columns"),
        ("a,b,c\nde,x,1\n", "s.csv:1: there is no column dataset."),
    ],
)
def test_a_mistake_in_a_table_of_scores_is_one_line(text: str, message: str) -> None:
    with pytest.raises(AssayError) as caught:
        read_scores("s.csv", text, "")
    assert str(caught.value).startswith(message)


def test_wilcoxon_is_exact_with_ties_and_zeros() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        differences = rng.integers(-3, 4, 9).astype(float)
        ranks = rankdata(np.abs(differences))[differences != 0]
        signs = np.array(np.meshgrid(*[[-1, 1]] * len(ranks))).reshape(len(ranks), -1)
        observed = abs((np.sign(differences[differences != 0]) * ranks).sum())
        assert signed_rank_p(differences) == np.mean(np.abs(ranks @ signs) >= observed)
    assert signed_rank_p(np.zeros(6)) == 1.0


def test_frames_are_read_as_tables_also_with_a_named_index() -> None:
    pandas = pytest.importorskip("pandas")
    case = TABLES[0]
    rows = {name: [float(row[place]) for row in case["scores"]] for place, name in enumerate(case["systems"])}
    frame = pandas.DataFrame({"dataset": [f"d{number}" for number in range(10)], **rows})
    first = bayes(frame, rope=0.5, draws=QUICK)
    indexed = bayes(frame.set_index("dataset"), rope=0.5, draws=QUICK)
    assert first.bayes == indexed.bayes == result_of(text_of(case), rope=0.5).bayes


def test_pictures_and_papers_of_a_table_of_scores() -> None:
    found = result_of(text_of(TABLES[0]), rope=0.5)
    figures = list_figures(found)
    assert {"scores-score", "ranks-score", "ranking-score", "matrix-region", "simplex-score"} <= {*figures}
    texts = {text.get_text() for axes in figures["scores-score"]().axes for text in axes.texts}
    assert {"68.5", "96.1", "80.8", "average", "d9"} <= texts
    assert "mean rank" not in texts
    # The other way round, with a gap and from JSON.
    wide = "model,de,en,fr,it,es\na,1,2,3,4,5\nb,2,3,4,5,-\nc,0,1,2,3,4\nd,5,5,5,5,5\ne,1,1,2,3,4\nf,1,1,2,3,5\n"
    saved = Result.from_json(result_of(wide).to_json())
    texts = {text.get_text() for axes in list_figures(saved)["scores-score"]().axes for text in axes.texts}
    assert {"f", "5.0"} <= texts
    assert {"signed-rank", "bayes"} <= {*list_methods(found)}
    seeds = result_of("seed,a,b\n1,80,81\n2,81,82\n")
    assert list_methods(seeds) == ["holm"]


def test_the_verdict_begins_with_wilcoxons_test() -> None:
    rows = [(80, 82, 84), (70, 72, 74), (90, 92, 94), (65, 66, 67), (77, 79, 80), (81, 82, 83)]
    text = "dataset,A,B,C\n" + "".join(f"d{place},{a},{b},{c}\n" for place, (a, b, c) in enumerate(rows))
    result = result_of(text)
    assert result.verdict.startswith(
        "On score, no two systems differ significantly over 6 data sets (Wilcoxon's signed-rank test, smallest p "
        "(Holm) = 0.0938). Bayesian signed-rank test: One system is better in all 3 pairs (share of posterior draws "
    )
    for copy in (result, Result.from_json(result.to_json())):
        shown = draw_text(copy, full=True).replace("\n", " ")
        assert "so Iman and Davenport's F has no finite value" in shown and "F = " not in shown
    pair = result_of("\n".join(line.rpartition(",")[0] for line in text.splitlines()))
    assert pair.verdict.startswith(
        "A and B differ significantly on score over 6 data sets (Wilcoxon's signed-rank test, p = 0.0312; B is "
        "better on 6). Bayesian signed-rank test: B is better than A on score"
    )
