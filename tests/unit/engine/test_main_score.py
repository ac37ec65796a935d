"""A measure declares its main score, rows of a Result carry it, and nothing else decides which it is."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import assay
from assay.align import Pair
from assay.engine.counts import by_label
from assay.engine.items import Items
from assay.engine.measure import Macro, f1, find, measure, measures
from assay.engine.parts import add_tables
from assay.errors import UsageError
from assay.render import render
from assay.render.table import summarise_line
from assay.result import Result
from assay.result.gates import Gates
from assay.tasks.tags.measures import judge_words
from older import as_assay_1

GOLD = [["A", "A", "A", "B"], ["A", "B"]]
FIRST = [["A", "A", "A", "A"], ["A", "B"]]
SECOND = [["A", "B", "B", "B"], ["A", "B"]]
# By hand: 5 of 6 agree, by chance (4·5 + 2·1)/36 = 22/36, so κ = (5/6 − 22/36)/(1 − 22/36) = 8/14.
KAPPA = {"first": 8 / 14, "second": 0.4}


def scored() -> Result:
    return assay.compare(GOLD, {"first": FIRST, "second": SECOND}, ["kappa"], times=20)


def test_every_measure_declares_one_of_its_scores() -> None:
    for definition in measures().values():
        assert definition.main in (*definition.scores, *definition.averages)
        assert set(definition.tested) <= {*definition.scores, *definition.averages}
    assert measures()["kappa"].main == measures()["span-kappa"].main == "kappa"


def test_several_scores_without_a_main_one_are_refused() -> None:
    with pytest.raises(UsageError, match=r"measure 'mine' has several scores and no main one. Declare one of them"):
        measure("mine", scores={"f1": f1, "f": f1})
    with pytest.raises(UsageError, match="measure 'mine' has no score 'f2' to be the main one"):
        measure("mine", scores={"f1": f1}, main="f2")


def test_kappa_is_the_main_score_of_kappa_everywhere() -> None:
    result = scored()
    for system, value in KAPPA.items():
        assert result.score(system, "kappa").value == pytest.approx(value)
        assert result.flat()[f"kappa/{system}"] == pytest.approx(value)
    assert [row.value for row in result.overall if row.main] == pytest.approx(list(KAPPA.values()))
    assert {row.score for row in result.scores if row.main} == {"kappa"}
    assert "first kappa .571" in summarise_line(result)
    assert "first scores .171 higher than second on kappa" in result.verdict
    assert result.flat()["kappa/second - first"] == pytest.approx(0.4 - 8 / 14)
    assert assay.measure("kappa")(GOLD, FIRST)["kappa"] == pytest.approx(8 / 14)
    assert assay.measure("kappa")(GOLD, FIRST)["kappa/agreement"] == pytest.approx(5 / 6)
    header, first = render(result, "tsv", ("scores",)).splitlines()[1:3]
    assert (header.split("\t")[:2], first.split("\t")[:2]) == (["system", "kappa"], ["first", "0.571429"])


@measure("mine", scores={"f1": f1}, averages={"macro": Macro(f1)}, main="macro", count=by_label, by_item=True)
def mine(pair: Pair) -> Items:
    """Macro F1 of tags, as a user may write it."""
    return judge_words(pair, None)


def test_what_differs_is_the_difference_of_the_main_scores() -> None:
    result = assay.compare(GOLD, {"first": FIRST, "second": SECOND}, [f"{__name__}:mine"], times=20)
    (diff,), (test,) = result.diffs, result.comparisons
    first, second = (result.score(name, "mine").value for name in ("first", "second"))
    assert diff.difference == test.difference == second - first != diff.net / diff.items
    # Nor is it a share of right items: McNemar's test is not about it.
    assert (diff.score, test.score, test.test) == ("macro", "macro", "shuffling")
    assert math.fsum(result.label_contributions(diff).values()) == pytest.approx(diff.difference, abs=1e-12)
    assert "| label | words | first | second | Δ | contribution |\n" in render(result, "md")


def test_sentence_and_table_have_the_same_digits() -> None:
    # 7/96 − 4/96 is a little more than 3/96 = 0.03125 in floating point.
    gold = [["A"] * 96]
    systems = {name: [["A"] * right + ["B"] * (96 - right)] for name, right in (("first", 4), ("second", 7))}
    result = assay.compare(gold, systems, ["accuracy"], times=20)
    assert {row.difference for row in (*result.diffs, *result.comparisons)} == {7 / 96 - 4 / 96}
    assert "second scores 3.13 points higher" in result.verdict
    assert "\nfirst\tsecond\t3.12\t+3.13\t3\t0\t" in render(result, "tsv")


def test_gates_are_about_the_main_score() -> None:
    result = scored()
    assert Gates(["kappa@first=0.6"]).missed(result) == ["kappa of first is 0.5714, below 0.6."]
    assert Gates(["kappa/agreement@first=0.6"]).missed(result) == []


def test_slices_have_the_main_score_where_it_is_an_average() -> None:
    gold = [["A", "A", "A", "B"], ["A"] * 5 + ["B"] * 3]
    system = [["A", "A", "A", "A"], ["A"] * 5 + ["B"] * 3]
    result = assay.score(gold, {"x": system}, ["kappa"], times=20, slices=["sentence-length"])
    values = {row.slice: row.value for row in result.scores if row.slice is not None and row.main}
    assert values == {"sentence-length=1-5": pytest.approx(0.0), "sentence-length=6-10": pytest.approx(1.0)}
    assert "kappa by sentence-length" in render(result, "tsv")


def test_json_carries_it_there_and_back() -> None:
    result = scored()
    rows = json.loads(result.to_json())["scores"]
    assert {row["score"] for row in rows if row["main"]} == {"kappa"}
    assert Result.from_json(result.to_json()).to_json() == result.to_json()


def before(result: Result) -> Result:
    """A Result as it was written when rows did not say which score is the main one."""
    data = as_assay_1(result)
    for row in data["scores"]:
        del row["main"]
    return Result.from_json(json.dumps(data))


def test_files_from_before_are_read_with_the_first_score_as_the_main_one() -> None:
    old = before(assay.score(GOLD, {"first": FIRST}, ["tag-f1", "accuracy"], times=20))
    assert old.main_scores == {"tag-f1": "f1", "accuracy": "f1"}
    assert before(scored()).main_scores == {"kappa": "agreement"}


def test_a_baseline_from_before_is_compared_on_the_same_score() -> None:
    result = scored()
    assert Gates((), before(result), "old.json").missed(result) == []
    better = replace(before(result), scores=tuple(replace(row, value=1.0) for row in before(result).scores))
    assert Gates((), better, "old.json").missed(result)[0] == (
        "kappa of first is 0.5714, worse than 1.0000 in old.json."
    )


def test_labels_have_no_average_over_labels() -> None:
    result = scored()
    with pytest.raises(UsageError, match="kappa has no main score for first and label 'A'"):
        result.score("first", "kappa", label="A")
    assert result.score("first", "kappa", "agreement", label="A").value == pytest.approx(8 / 9)
    assert "# kappa by label: agreement" in render(result, "tsv")


def test_a_mapping_shows_the_main_score_before_and_after(tmp_path) -> None:
    (tmp_path / "gold.tsv").write_text("u\tA\nv\tB\nw\tC\n", "utf-8")
    (tmp_path / "x.tsv").write_text("u\tA\nv\tC\nw\tC\n", "utf-8")
    (tmp_path / "map.tsv").write_text("B\tC\n", "utf-8")
    paths = [str(tmp_path / name) for name in ("gold.tsv", "x.tsv", "map.tsv")]
    result = assay.score(paths[0], {"x": paths[1]}, ["kappa"], times=20, map=paths[2])
    row = next(row for row in result.mappings if row.before is not None)
    assert (row.before, row.after) == (pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9)), pytest.approx(1.0))


def test_sums_by_label_add_up_by_the_names_of_labels() -> None:
    first = {"A": {"right": 1, "gold": 2}, "B": {"right": 3, "gold": 4}}
    second = {"B": {"right": 10, "gold": 20}, "C": {"right": 30, "gold": 40}}
    both = {"A": {"right": 1, "gold": 2}, "B": {"right": 13, "gold": 24}, "C": {"right": 30, "gold": 40}}
    assert add_tables(first, second) == both
    assert list(add_tables(first, second)) == ["A", "B", "C"]


def test_tables_say_which_score_of_a_measure_is_shown() -> None:
    gold = [[("zadanie", "subst:sg:nom:n"), ("uda", "subst:pl:acc:n")]]
    system = [[("zadanie", "subst:sg:acc:n"), ("uda", "subst:pl:acc:n")]]
    result = assay.score(gold, {"x": system}, ["pos-accuracy", "pa"], tagset="nkjp", times=20)
    assert (find("pos-accuracy").main, find("pa").main) == ("f1", "strong")
    assert render(result, "tsv", ("scores",)).splitlines()[1].split("\t")[1::3] == ["pos-accuracy f1", "pa strong"]
    one = assay.score(GOLD, {"x": FIRST}, ["accuracy", "sentence-accuracy"], times=20)
    assert render(one, "tsv", ("scores",)).splitlines()[1].split("\t")[1::3] == ["accuracy", "sentence-accuracy"]
    assert "For measures with several scores, F1 is shown." in render(one, "md")


def test_tests_on_different_scores_name_them() -> None:
    gold = [[("zadanie", "subst:sg:nom:n"), ("uda", "subst:pl:acc:n")]]
    system = [[("zadanie", "subst:sg:acc:n"), ("uda", "subst:pl:acc:n")]]
    both = {"x": system, "y": gold}
    result = assay.compare(gold, both, ["pos-accuracy", "pa", "sentence-accuracy"], tagset="nkjp", times=20)
    titles = [line for line in render(result, "tsv").splitlines() if line.startswith("# Differences on")]
    assert titles == [
        "# Differences on pos-accuracy, f1",
        "# Differences on pa, strong",
        "# Differences on sentence-accuracy",
    ]
