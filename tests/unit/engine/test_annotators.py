"""Tables of ratings, refusals, systems among annotators, documents that some annotators lack."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.annotators import ALL, ALL_PAIRS, CEILING
from assay.formats import FORMATS
from assay.formats.ratings import read_ratings
from assay.render import render
from assay.result import Result
from assay.result.verdict import sentence
from cases import each
from commands import call

LONG = "item,annotator,label\nd1,anna,A\nd1,ben,A\nd2,anna,B\nd2,ben,A\nd3,anna,B\nd3,ben,B\n"
WIDE = "item\tanna\tben\nd1\tA\tA\nd2\tB\tA\nd3\tB\tB\n"
BY_ANNOTATOR = {"anna": {"d1": "A", "d2": "B", "d3": "B"}, "ben": {"d1": "A", "d2": "A", "d3": "B"}}
RECORDS = {
    item: {"text": f"text of {item}", "annotations": {name: given[item] for name, given in BY_ANNOTATOR.items()}}
    for item in ("d1", "d2", "d3")
}
SHAPES = {
    "long.csv": LONG,
    "long.tsv": LONG.replace(",", "\t"),
    "semicolons.csv": LONG.replace(",", ";"),
    "wide.tsv": WIDE,
    "wide.csv": WIDE.replace("\t", ","),
    "annotators.json": json.dumps(BY_ANNOTATOR),
    "lines.json": json.dumps(BY_ANNOTATOR, indent=1),
    "records.json": json.dumps(RECORDS),
}


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


def refusal(folder: Path, text: str, form: str | None = None, name: str = "ratings.csv") -> str:
    path = written(folder, name, text)
    with pytest.raises(assay.AssayError) as error:
        assay.agreement(path, input_format=form, times=5)
    return str(error.value).replace(str(folder) + "/", "")


# --- shapes ---


@each("name", SHAPES)
def test_a_table_is_told_by_its_shape(name: str, tmp_path: Path) -> None:
    result = assay.agreement(written(tmp_path, name, SHAPES[name]), times=5)
    assert [row.name for row in result.annotators] == ["anna", "ben"]
    # 2 of 3 agree; by chance (1·2 + 2·1)/9.
    assert result.score("anna ~ ben", "kappa").value == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    assert result.disagreements[0].item == "d2"
    assert result.disagreements[0].ratings == {"anna": "B", "ben": "A"}


def test_the_text_of_items_is_shown_beside_them(tmp_path: Path) -> None:
    result = assay.agreement(written(tmp_path, "r.json", json.dumps(RECORDS)), times=5)
    assert result.disagreements[0].text == "text of d2"
    assert "text of d2" in render(result, "md")


def test_data_in_python_have_the_shape_of_the_json() -> None:
    assert assay.agreement(BY_ANNOTATOR, times=5).about.items == 3


def test_columns_may_have_any_name(tmp_path: Path) -> None:
    text = LONG.replace("item,annotator,label", "text,who,says")
    form = "ratings(item=text, annotator=who, label=says)"
    assert assay.agreement(written(tmp_path, "r.csv", text), input_format=form, times=5).about.items == 3


def test_missing_marks_are_no_labels(tmp_path: Path) -> None:
    text = "item,annotator,label\nd1,a,A\nd1,b,\nd1,c,NA\nd2,a,nan\nd2,b,null\nd2,c,B\nd3,a,?\nd3,b,A\nd3,c,A\n"
    table = read_ratings([written(tmp_path, "r.csv", text)], "ratings(missing=?)").ratings()
    assert table.labels == ("A", "B")
    assert table.table.tolist() == [[0, -1, -1], [-1, -1, 1], [-1, 0, 0]]


def test_equal_numbers_are_equal_labels(tmp_path: Path) -> None:
    """A table of pandas has 3.0 in columns with gaps and 3 in others."""
    path = written(tmp_path, "r.csv", "item,a,b\nx,3.0,3\ny,,4\nz,10.0,10\n")
    table = read_ratings([path], columns=["a", "b"]).ratings()
    assert table.labels == ("3", "4", "10")
    assert table.table.tolist() == [[0, 0], [-1, 1], [2, 2]]


def test_sets_and_order_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "r.csv", "item,a,b\nx,p|q,q|p\ny,q,p|q\nz,p,p\n")
    sets = assay.agreement(path, ["alpha(level=set)"], input_format="ratings(sets=|)", times=5)
    assert sets.disagreements[0].value == 0.5
    ordered = written(tmp_path, "o.csv", "item,a,b\nx,low,high\ny,middle,low\nz,high,high\n")
    levels = ["alpha(level=ordinal)", "kappa(weights=linear)"]
    result = assay.agreement(ordered, levels, input_format="ratings(order=low<middle<high)", times=5)
    # Distances in ranks 2, 1, 0; by chance (1·(0+2+2) + 1·(1+1+1) + 1·(2+0+0))/3.
    assert result.score("a ~ b", "kappa(weights=linear)").value == pytest.approx(1 - 3 / ((4 + 3 + 2) / 3))


# --- refusals ---

REFUSED = [
    (
        "item,annotator,label\nd3,7,A\nd3,7,B\n",
        None,
        "ratings.csv:3: annotator 7 has item d3 twice: A and B.",
    ),
    ("item,annotator,label\nd1,anna,A\nd2,anna,B\n", None, "agreement takes at least two annotators."),
    ("item,a,b\nx,1\n", None, "ratings.csv:2: 2 cells, but the first line has 3."),
    ("item,annotator,label\n,a,1\n", None, "ratings.csv:2: a rating without an item in column item."),
    (
        "item,annotator,label\nd1,a,1\n",
        "ratings(label=lable)",
        "ratings.csv:1: there is no column 'lable'. Did you mean label?",
    ),
    (
        "item,a,b\nx,low,low\ny,high,mid\nz,low,high\n",
        "ratings(order=low<high)",
        "ratings.csv:3: label 'mid' is not in order=low<high. Add it there.",
    ),
    ("item,a,a\nx,1,2\n", None, "ratings.csv:1: two columns are called 'a'. Give each its own name."),
    (
        "x,annotator,y,z\n1,a,2,3\n",
        None,
        "ratings.csv:1: which column has the items, which the labels? Name them: --input-format "
        '"ratings(item=…, annotator=…, label=…)". Available: x, annotator, y, z.',
    ),
    ("item,annotator,label\n", None, "ratings.csv: contains no ratings."),
    ("item,a,b\nx,1,2\n", "ratings(layout=tall)", "there is no layout = 'tall'. Available: auto, long, wide."),
]


@each("text, form, message", REFUSED, lambda case: case[2][:50])
def test_refusals_name_place_fact_and_remedy(text: str, form: str | None, message: str, tmp_path: Path) -> None:
    found = refusal(tmp_path, text, form)
    assert found == message


def test_json_with_a_key_twice_is_refused(tmp_path: Path) -> None:
    text = '{"a": {"x": "A", "x": "B"}, "b": {"x": "A"}}'
    assert refusal(tmp_path, text, name="r.json") == "r.json: 'x' appears twice in one object."


NAN, INFINITE = math.nan, math.inf
WRONG_VALUES: list[tuple[Any, str]] = [
    ({"x": INFINITE}, "ratings: a, x: Infinity, but a label is expected."),
    ({"x": {"k": 1}}, "ratings: a, x: an object, but a label is expected."),
    ({"x": [["A"], "B"]}, 'ratings: a, x: a list of labels has texts and numbers only, not [["A"], "B"].'),
    ({"x": ["A", NAN]}, 'ratings: a, x: a list of labels has texts and numbers only, not ["A", NaN].'),
    ({"x": b"A"}, "ratings: a, x: b'A' is not a label. Give a text, a number, or a set of these."),
    ({("x", 1): "A"}, "ratings: ('x', 1) is not a name. Name annotators and items by texts or numbers."),
    ({"x": None}, "ratings: contains no ratings."),
]


@each("given, message", WRONG_VALUES)
def test_values_that_are_no_labels_are_refused_in_one_line(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(assay.AssayError) as error:
        assay.agreement({"a": given, "b": {"x": None}}, times=5)
    assert str(error.value) == message
    if "is no" not in message:
        text = json.dumps({"a": given, "b": {"x": None}})
        assert refusal(tmp_path, text, name="r.json") == message.replace("ratings:", "r.json:")
        record = json.dumps({"x": {"annotations": {"a": given["x"], "b": None}}})
        assert refusal(tmp_path, record, name="r.json") == message.replace("ratings:", "r.json:")


def test_sets_numbers_of_numpy_and_nan_are_read() -> None:
    data: Any = {"a": {"x": {"q", "p"}, "y": "p", "z": NAN}, "b": {"x": ("p", "q"), "y": ["q"], "z": "p"}}
    result = assay.agreement(data, ["alpha(level=set)"], times=5)
    assert result.about.items == 2 and {row.first for row in result.coincidences} == {"p", "q", "p|q"}
    numbers: Any = {"a": {"x": np.int64(1), "y": np.float64(2)}, "b": {"x": 1, "y": 10**400}}
    assert assay.agreement(numbers, times=5).disagreements[0].ratings == {"a": "2", "b": str(10**400)}


def test_one_annotated_text_is_no_table(tmp_path: Path) -> None:
    text = "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tend\tend\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
    assert refusal(tmp_path, text, name="a.conllu") == (
        "agreement takes at least two annotators, but a.conllu has no names of annotators. Give one file per "
        "annotator."
    )


@each(
    "spec, message",
    [
        ("alpha(level=ordinal)", "the order of labels is unknown, because 'A' is not a number."),
        ("alpha(level=interval)", "label 'A' is not a number, which levels interval and ratio need."),
        ("alpha(level=set)", "alpha(level=set) needs sets of labels"),
        ("alpha(level=nomnal)", "there is no level 'nomnal'. Did you mean nominal"),
        ("exact", "exact is for spans, which a table of ratings does not have."),
        ("alt-test", "alt-test compares a system with annotators. Give one: --system NAME=PATH"),
        ("ac1(labels=1)", "ac1(labels=1): there are 2 different labels. Give at least as many."),
    ],
)
def test_measures_that_do_not_fit_are_refused(spec: str, message: str) -> None:
    with pytest.raises(assay.AssayError) as error:
        assay.agreement(BY_ANNOTATOR, [spec], times=5)
    assert str(error.value).startswith(message)


def test_measures_of_annotators_are_refused_for_gold_and_system() -> None:
    with pytest.raises(assay.AssayError, match="alpha is for several annotators: assay agreement"):
        assay.score([["A"]], {"s": [["A"]]}, measures=["alpha"])
    with pytest.raises(assay.AssayError, match="--missing absent is for annotators"):
        assay.score([["A"]], {"s": [["A"]]}, missing="absent")


# --- degenerate ---


def test_one_label_is_undefined_and_not_one_or_nothing() -> None:
    result = assay.agreement({"a": {"x": "A", "y": "A"}, "b": {"x": "A", "y": "A"}}, times=5)
    values = {row.measure: row.value for row in result.scores if row.main and row.label is None}
    assert all(value != value for value in values.values())
    assert result.score(ALL, "fleiss", "agreement").value == 1
    assert "| alpha (Krippendorff) | – |" in render(result, "md")


def test_items_that_nobody_shares_are_said() -> None:
    result = assay.agreement({"a": {"x": "A"}, "b": {"y": "B"}}, times=5)
    assert "no item has two ratings, so there is no agreement to measure." in result.warnings
    assert "kappa is undefined for a ~ b" not in " ".join(result.notes)


def test_a_pair_without_common_items_leaves_the_mean_undefined_and_is_named() -> None:
    data = {"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "x", "3": "y"}, "c": {"3": "y"}}
    result = assay.agreement(data, times=5)
    assert result.score(ALL_PAIRS, "kappa").value != result.score(ALL_PAIRS, "kappa").value
    assert any(note.startswith("kappa is undefined for a ~ c") for note in result.notes)


@each("interval", ["percentile", "bca"])
def test_one_unit_has_no_interval_where_the_warning_says_so(interval: Any) -> None:
    sides = [["O", "B-PER", "O", "B-PER"]], [["O", "B-PER", "O", "O"]]
    pair = assay.agreement({"a": sides[0], "b": sides[1]}, task="spans", times=5)
    scored = assay.compare(sides[0], {"s": sides[1], "t": sides[0]}, task="spans", interval=interval, times=5)
    assert "There is only 1 sentence, so there is no interval, and p = 1 means nothing." in pair.warnings
    assert pair.score("a ~ b", "exact").value == pytest.approx(2 / 3)
    for row in (*pair.scores, *scored.scores, *scored.comparisons):
        assert math.isnan(row.low) and math.isnan(row.high) and not row.interval
    assert "interval" not in pair.verdict
    assert "95% intervals" not in render(pair, "md")


# --- systems ---


def test_systems_are_no_part_of_the_agreement(tmp_path: Path) -> None:
    alone = assay.agreement(BY_ANNOTATOR, times=50)
    beside = assay.agreement(BY_ANNOTATOR, systems={"model": {"d1": "B", "d2": "B", "d3": "A"}}, times=50)
    assert [row for row in beside.scores if row.system not in ("model", CEILING)] == list(alone.scores)
    assert [row.name for row in beside.systems] == ["anna", "ben"]


def test_a_system_may_lack_items_and_give_labels_of_its_own() -> None:
    system = {"d1": "A", "d2": "C", "d9": "A"}
    result = assay.agreement(BY_ANNOTATOR, ["alpha"], systems={"model": system}, times=5)
    assert "model: 1 item that no annotator has was left out." in result.warnings
    assert "model has no answer to 1 of 3 items." in result.warnings
    assert result.score("model", "accuracy", "each").value == 0.5
    assert result.score("model", "accuracy", "any").value == 0.5


def test_only_the_ways_asked_for_are_given() -> None:
    systems = {"model": BY_ANNOTATOR["anna"]}
    result = assay.agreement(BY_ANNOTATOR, ["alpha"], systems=systems, against=["majority"], times=5)
    assert {row.score for row in result.scores if row.system == "model"} == {"majority"}
    assert not result.comparisons
    with pytest.raises(assay.AssayError, match="there is no value 'every' for against"):
        assay.agreement(BY_ANNOTATOR, systems=systems, against=["every"])


def test_a_distribution_that_does_not_sum_to_1_is_refused_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "s.csv", "item,p:A,p:B\nd1,0.5,0.5\nd2,0.5,0.6\n")
    with pytest.raises(assay.AssayError, match=r"s\.csv:3: the distribution of item d2 sums to 1\.1, not to 1\."):
        assay.agreement(BY_ANNOTATOR, ["soft"], systems={"m": path}, times=5)


def test_distributions_in_columns_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "s.csv", "item,p:A,p:B\nd1,1,0\nd2,0.5,0.5\nd3,0.25,0.75\n")
    result = assay.agreement(BY_ANNOTATOR, ["soft"], systems={"m": path}, times=5)
    assert result.score("m", "soft").value == pytest.approx(0.5 / 3)


def test_cross_entropy_with_a_zero_is_undefined_and_said() -> None:
    systems = {"m": BY_ANNOTATOR["anna"]}
    result = assay.agreement(BY_ANNOTATOR, ["soft(distance=cross-entropy)"], systems=systems, times=5)
    assert result.score("m", "soft(distance=cross-entropy)").value != 0
    assert any("1 items have a label that the system gives probability 0" in text for text in result.warnings)


def crowd(people: int, items: int, seed: int = 1, labels: str = "abc") -> tuple[dict[str, Any], dict[str, str]]:
    """Annotators who are right in four of five items, and what is right."""
    draw = np.random.default_rng(seed)
    truth = {f"i{number}": str(draw.choice(list(labels))) for number in range(items)}

    def annotated() -> dict[str, str]:
        guessed = {item: str(draw.choice(list(labels))) for item in truth}
        return {item: label if draw.random() < 0.8 else guessed[item] for item, label in truth.items()}

    return {f"r{number}": annotated() for number in range(people)}, truth


def test_p_against_the_human_ceiling_is_corrected_over_systems() -> None:
    people, truth = crowd(4, 60)
    systems = {"good": truth, "bad": dict.fromkeys(truth, "a"), "anna": people["r0"]}
    result = assay.agreement(people, ["alpha"], systems=systems, times=50)
    assert [row.test for row in result.comparisons] == ["ceiling"] * 3
    assert {(row.family.question, row.family.size) for row in result.comparisons if row.family} == {("ceiling", 3)}
    ordered = sorted(result.comparisons, key=lambda row: row.p)
    assert [row.p_adjusted for row in ordered] == pytest.approx(
        np.minimum(np.maximum.accumulate([row.p * (3 - rank) for rank, row in enumerate(ordered)]), 1)
    )
    assert [row.kind for row in result.comparisons] == ["ceiling-open", "ceiling-below", "ceiling-open"]
    assert [row.is_significant for row in result.comparisons] == [False, True, False]
    for row in result.comparisons:
        assert row.low_family is not None and row.high_family is not None and row.level == pytest.approx(1 - 0.05 / 3)
        assert row.low_family < row.low < row.difference < row.high < row.high_family
        alone = assay.agreement(people, ["alpha"], systems={row.b: systems[row.b]}, times=50).comparisons[0]
        assert (alone.p, alone.p_items, alone.low, alone.high) == (row.p, row.p_items, row.low, row.high)


def test_annotators_without_a_common_item_are_left_out_of_the_ceiling_by_name() -> None:
    people, truth = crowd(3, 30)
    alone = {"zoe": {"x1": "a", "x2": "b"}, "yann": {"i1": "a", "x3": "c"}}
    result = assay.agreement({**people, **alone}, ["alpha"], systems={"m": {**truth, "x1": "a"}}, times=5)
    assert result.comparisons[0].annotators == 4
    without = "The human ceiling leaves out zoe, because nobody else rated any of their items that m answered."
    assert without in result.notes
    assert result.comparisons[0].p == pytest.approx(
        assay.agreement({**people, "yann": {"i1": "a"}}, ["alpha"], systems={"m": truth}, times=5).comparisons[0].p
    )


def test_systems_with_other_items_have_ceilings_of_their_own() -> None:
    people, truth = crowd(3, 30)
    half = {item: label for number, (item, label) in enumerate(truth.items()) if number % 2}
    result = assay.agreement(people, ["alpha"], systems={"all": truth, "half": half}, times=5)
    alone = assay.agreement(people, ["alpha"], systems={"half": half}, times=5)
    assert result.score(f"{CEILING} (half)", "accuracy").value == alone.score(CEILING, "accuracy").value
    assert result.score(f"{CEILING} (all)", "accuracy").value != alone.score(CEILING, "accuracy").value
    assert {row.a for row in result.comparisons} == {CEILING}
    assert result.comparisons[1].difference == alone.comparisons[0].difference
    assert "human ceiling (half)" in render(result, "md")


def test_where_nothing_varies_the_items_decide() -> None:
    """Two items that all annotators have right and the system wrong prove nothing; twenty do."""
    for items, p in ((2, 0.5), (20, 2.0**-19)):
        truth = {f"i{number}": "a" if number % 2 else "b" for number in range(items)}
        wrong = dict.fromkeys(truth, "c")
        (row,) = assay.agreement(dict.fromkeys("xyz", truth), ["alpha"], systems={"m": wrong}, times=5).comparisons
        assert (row.difference, row.p, row.p_items) == (-1, p, p)
        assert math.isnan(row.low)


def test_measures_of_pairs_have_the_same_rule(tmp_path: Path) -> None:
    """For means, leaving out each unit gives what a unit adds to the difference."""
    people, truth = crowd(3, 40)
    given = {**people, "m": truth, "other": dict.fromkeys(truth, "a")}
    files = {
        name: written(tmp_path, name, "".join(f"word\t{label}\n\n" for label in labels.values()))
        for name, labels in given.items()
    }
    systems = {name: files.pop(name) for name in ("m", "other")}
    result = assay.agreement(files, ["accuracy"], systems=systems, times=50)
    rows = {(row.measure, row.b): row for row in result.comparisons}
    same = {
        (one, other): np.array([people[one][item] == answers[item] for item in truth])
        for other, answers in {**people, "m": truth}.items()
        for one in people
        if one != other
    }
    parts = [
        np.mean([same[one, "m"].astype(float) - same[one, who] for one in people if one != who], axis=0)
        for who in people
    ]
    by_unit = np.mean(parts, axis=0) / len(truth)
    over_units = len(truth) / (len(truth) - 1) * ((by_unit - by_unit.mean()) ** 2).sum()
    over_people = np.var([part.mean() for part in parts], ddof=1) / len(people)
    row = rows["accuracy", "m"]
    assert row.difference == pytest.approx(by_unit.sum())
    assert row.variance == pytest.approx(over_units + over_people)


def test_levels_that_are_assumed_are_facts_and_the_ordinal_figure_stands_beside() -> None:
    draw = np.random.default_rng(1)
    numbers = {name: {f"i{item}": str(draw.integers(1, 6)) for item in range(30)} for name in "xyz"}
    words = {name: {item: f"grade {label}" for item, label in given.items()} for name, given in numbers.items()}
    two = {name: {item: str(int(label) % 2) for item, label in given.items()} for name, given in numbers.items()}
    for data, measures, assumed in (
        (numbers, None, True),
        (numbers, ["alpha"], True),
        (numbers, ["alpha(level=nominal)"], False),
        (numbers, ["alpha", "alpha(level=interval)"], False),
        (numbers, ["fleiss"], False),
        (words, None, False),
        (two, None, False),
    ):
        result = assay.agreement(data, measures, times=5)
        facts = result.about.agreement_facts
        assert facts is not None and (facts.level, facts.level_assumed) == ("nominal", assumed)
        assert (facts.items, facts.annotators) == (30, 3)
        assert ("alpha(level=ordinal)" in result.measures) == assumed
    ordered = assay.agreement(numbers, ["alpha(level=ordinal)"], times=5)
    assert ordered.about.agreement_facts and ordered.about.agreement_facts.level == "ordinal"
    both = assay.agreement(numbers, ["alpha"], times=5)
    assert both.measures == ["alpha", "alpha(level=ordinal)"]
    assert both.score(ALL, "alpha(level=ordinal)") == ordered.score(ALL, "alpha(level=ordinal)")


def test_the_order_of_words_is_told_as_that_of_numbers_is(tmp_path: Path) -> None:
    words = ("low", "middle", "high")
    lines = "".join(f"i{number},{words[number % 3]},{words[number % 5 % 3]}\n" for number in range(30))
    table = written(tmp_path, "words.csv", f"item,x,y\n{lines}")
    result = assay.agreement(table, ["alpha"], input_format="ratings(order=low<middle<high)", times=5)
    assert result.about.agreement_facts and result.about.agreement_facts.level_assumed
    assert result.measures == ["alpha", "alpha(level=ordinal)"]


def test_facts_count_the_items_with_another_than_the_most_frequent_label() -> None:
    data = {
        "x": {"i1": "a", "i2": "a", "i3": "a", "i4": "b", "i5": "c"},
        "y": {"i1": "a", "i2": "b", "i3": "a", "i4": "b"},
    }
    facts = assay.agreement(data, ["alpha"], times=5).about.agreement_facts
    assert facts and (facts.items, facts.minority_items, facts.annotators) == (4, 2, 2)


def test_for_many_values_the_ordinal_figure_has_no_interval() -> None:
    draw = np.random.default_rng(1)
    data = {name: {f"i{item}": str(draw.integers(0, 101)) for item in range(200)} for name in "xyz"}
    result = assay.agreement(data, ["alpha"], times=5)
    row = result.score(ALL, "alpha(level=ordinal)")
    assert math.isnan(row.low) and not math.isnan(result.score(ALL, "alpha").low)
    asked = assay.agreement(data, ["alpha(level=ordinal)"], times=5).score(ALL, "alpha(level=ordinal)")
    assert row.value == pytest.approx(asked.value) and not math.isnan(asked.low)


def test_all_coefficients_of_perfect_agreement_have_an_interval() -> None:
    truth = {f"i{number}": "ab"[number % 2] for number in range(30)}
    result = assay.agreement({"x": truth, "y": dict(truth)}, ["alpha", "fleiss", "ac1", "kappa"], times=200)
    for row in result.scores:
        if row.score in ("alpha", "kappa", "ac1"):
            assert (row.value, row.high) == (1, 1) and 0.7 < row.low < 0.8, row
            assert row.interval == "percentile+wilson"


# --- files of each annotator ---

WORDS = "The\t{}\nend\t{}\n\nGo\t{}\n\n"


def tagged(folder: Path, name: str, *labels: str) -> str:
    return written(folder, name, WORDS.format(*labels))


def test_words_of_several_files_are_ratings(tmp_path: Path) -> None:
    paths = [tagged(tmp_path, "a.tsv", "D", "N", "V"), tagged(tmp_path, "b.tsv", "D", "V", "V")]
    paths.append(tagged(tmp_path, "c.tsv", "D", "N", "N"))
    result = assay.agreement(paths, times=5)
    given = (("a", "DNV"), ("b", "DVV"), ("c", "DNN"))
    table = {name: dict(zip("123", labels, strict=True)) for name, labels in given}
    again = assay.agreement(table, times=5)
    for measure in ("alpha", "fleiss", "ac1"):
        assert result.score(ALL, measure).value == pytest.approx(again.score(ALL, measure).value)
    assert result.disagreements[0].text == "The [end]"
    assert result.shown.noun == "word"


def test_a_system_among_tagged_files(tmp_path: Path) -> None:
    people = {name: tagged(tmp_path, f"{name}.tsv", *labels) for name, labels in (("a", "DNV"), ("b", "DVV"))}
    result = assay.agreement(people, ["alpha"], systems={"m": tagged(tmp_path, "m.tsv", "D", "N", "X")}, times=5)
    assert result.score("m", "accuracy", "each").value == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert result.score("m", "accuracy", "any").value == pytest.approx(2 / 3)
    with pytest.raises(assay.AssayError, match="'a' is both an annotator and a system"):
        assay.agreement(people, systems={"a": people["b"]})


def test_words_cut_otherwise_are_compared_where_they_cover_the_same_characters(tmp_path: Path) -> None:
    first = written(tmp_path, "a.tsv", "New\tN\nYork\tN\nis\tV\n")
    second = written(tmp_path, "b.tsv", "NewYork\tN\nis\tV\n")
    third = written(tmp_path, "c.tsv", "New\tA\nYork\tN\nis\tV\n")
    result = assay.agreement([first, second, third], ["fleiss"], times=5)
    # New: N A, York: N N, is: V V V, NewYork: one rating.
    assert result.about.items == 3
    assert result.score(ALL, "fleiss", "agreement").value == pytest.approx(2 / 3)


ANN = "T1\tPER 0 4\tAnna\n"


def brat(folder: Path, documents: dict[str, str]) -> str:
    folder.mkdir()
    for name, spans in documents.items():
        (folder / f"{name}.txt").write_text("Anna met Ben in Rome.", "utf-8")
        (folder / f"{name}.ann").write_text(spans, "utf-8")
    return str(folder)


def three(folder: Path) -> dict[str, str]:
    both = ANN + "T2\tPER 9 12\tBen\n"
    return {
        "anna": brat(folder / "anna", {"d1": ANN, "d2": both, "d3": ANN}),
        "ben": brat(folder / "ben", {"d1": ANN, "d2": ANN}),
        "carl": brat(folder / "carl", {"d2": both, "d3": both}),
    }


def test_documents_that_were_not_given_are_no_empty_annotations(tmp_path: Path) -> None:
    people = three(tmp_path)
    with pytest.raises(assay.AssayError, match="lacks"):
        assay.agreement(people, ["exact"], times=5)
    result = assay.agreement(people, ["exact", "alpha-u"], missing="absent", times=5)
    assert result.score("anna ~ ben", "exact").value == pytest.approx(4 / 5)
    assert result.score("ben ~ carl", "exact").value == pytest.approx(2 / 3)
    assert 0 < result.score(ALL, "alpha-u").value < 1


def studio(path: Path, **spans: dict[str, list[list[int]]]) -> str:
    """An export of Label Studio: by annotator, the offsets of spans in each document that was given to them."""
    numbers = sorted({number for documents in spans.values() for number in documents})
    tasks = [
        {
            "id": int(number),
            "data": {"text": "Anna met Ben."},
            "annotations": [
                {"completed_by": who, "result": [_region(*one) for one in documents[number]]}
                for who, documents in spans.items()
                if number in documents
            ],
        }
        for number in numbers
    ]
    path.write_text(json.dumps(tasks), "utf-8")
    return str(path)


def _region(start: int, end: int) -> dict[str, Any]:
    return {"type": "labels", "value": {"start": start, "end": end, "labels": ["PER"]}}


def test_annotators_of_one_export_are_compared_on_the_documents_that_both_have(tmp_path: Path) -> None:
    first, second = [0, 4], [9, 12]
    name = studio(
        tmp_path / "e.json", A={"1": [first, second], "2": [first]}, B={"1": [first], "3": [first]}, C={"1": [second]}
    )
    people, which = {"a": name, "b": name, "c": name}, {"a": "A", "b": "B", "c": "C"}
    with pytest.raises(assay.AssayError, match=r"To compare the documents that both have: --missing absent$"):
        assay.agreement(people, ["exact"], which=which, times=5)
    result = assay.agreement(people, ["exact", "alpha-u"], which=which, missing="absent", times=5)
    pairs = {row.system: row.value for row in result.scores if row.measure == "exact" and row.score == "f1"}
    assert [pairs[f"{a} ~ {b}"] for a, b in ("ab", "ac", "bc")] == pytest.approx([2 / 3, 2 / 3, 0])
    assert "a and b are compared on the 1 document that both have." in result.warnings
    assert not [text for text in result.warnings if "copies of one file" in text]
    # The file alone stands for all of its annotators, or for those that are named.
    alone = assay.agreement([name], ["exact"], missing="absent", times=5)
    same = {row.system: row.value for row in alone.scores if row.score == "f1"}
    assert [same[f"{a} ~ {b}"] for a, b in ("AB", "AC", "BC")] == pytest.approx([2 / 3, 2 / 3, 0])
    two = assay.agreement(name, ["exact"], which=["A", "C"], missing="absent", times=5)
    assert [(source.name, source.which) for source in two.systems] == [("A", "A"), ("C", "C")]
    with pytest.raises(assay.AssayError, match=r"at least two annotators, but .*e.json has only A\. Give one"):
        assay.agreement(name, which="A")
    with pytest.raises(assay.AssayError, match=r"^--missing is for .*, but tags are compared"):
        assay.agreement([[["A"]], [["A"]]], missing="absent")
    chains = {}
    for who in "ab":
        text = '{"doc_key": "%s", "sentences": [["Ann", "left"]], "clusters": [[[0, 0]]]}\n'
        (tmp_path / f"{who}.jsonlines").write_text(text % who + text % "c", "utf-8")
        chains[who] = str(tmp_path / f"{who}.jsonlines")
    with pytest.raises(assay.AssayError, match="needs a folder with one file per document"):
        assay.agreement(chains, missing="absent", times=5)
    name = studio(tmp_path / "f.json", A={"1": [first]}, B={"2": [first]})
    with pytest.raises(assay.AssayError, match="no document is annotated by"):
        assay.agreement({"a": name, "b": name}, ["exact"], which={"a": "A", "b": "B"}, missing="absent", times=5)


def test_units_of_one_label_that_overlap_are_refused_with_a_place(tmp_path: Path) -> None:
    twice = ANN + "T2\tPER 0 8\tAnna met\n"
    people = {"a": brat(tmp_path / "a", {"d1": twice}), "b": brat(tmp_path / "b", {"d1": ANN})}
    with pytest.raises(assay.AssayError, match=r"^a, document d1: two spans PER overlap at 0, so the text"):
        assay.agreement(people, ["alpha-u"], times=5)


def test_gamma_has_a_standard_error_and_follows_the_seed(tmp_path: Path) -> None:
    people = three(tmp_path)
    specs = ["gamma(samples=5)"]
    first, again, other = (assay.agreement(people, specs, missing="absent", times=5, seed=s) for s in (1, 1, 2))
    measure = first.measures[0]
    assert first.score(ALL, measure).value == again.score(ALL, measure).value
    assert first.score(ALL, measure, "disorder").value == other.score(ALL, measure, "disorder").value
    assert any("the standard error of gamma" in note for note in first.notes)


def test_spans_of_a_system_beside_annotators(tmp_path: Path) -> None:
    text = {"a": "B-X O B-Y", "b": "B-X O O", "m": "B-X O B-Y"}
    sides = {name: [tags.split()] * 12 for name, tags in text.items()}
    people = {name: sides[name] for name in "ab"}
    result = assay.agreement(people, ["exact"], systems={"m": sides["m"]}, times=20)
    # Both have X, one has Y: a vote of two is for X alone.
    assert result.score("m", "exact", "majority").value == pytest.approx(2 / 3)
    assert result.score("m", "exact", "each").value == pytest.approx((1 + 2 / 3) / 2)
    assert result.score(CEILING, "exact", "leave-one-out").value == pytest.approx(2 / 3)
    voted = assay.agreement(people, ["exact"], systems={"m": sides["m"]}, against="majority", times=5)
    assert {row.score for row in voted.scores if row.system == "m"} == {"majority"}
    with pytest.raises(assay.AssayError, match="for this task, use each or leave-one-out"):
        assay.agreement(people, ["exact"], systems={"m": sides["m"]}, against="any", times=5)
    assert result.comparisons[0].difference == pytest.approx(5 / 6 - 2 / 3)
    assert result.main_scores["exact"] == "f1"
    both = assay.agreement(people, ["exact", "fair"], systems={"m": sides["m"], "n": sides["b"]}, times=20)
    assert len(both.comparisons) == 4 and {row.family.size for row in both.comparisons if row.family} == {4}


# --- output ---


def test_the_command_writes_all_items_and_obeys_gates(tmp_path: Path) -> None:
    written(tmp_path, "ratings.csv", LONG)
    done = call("agreement", "ratings.csv", "-m", "alpha", "--items", "items.tsv", "--times", "5", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "items.tsv").read_text("utf-8").splitlines() == [
        "item\tdisagreement\tmajority\traters\tanna\tben",
        "d2\t1\tA / B\t2\tB\tA",
        "d1\t0\tA\t2\tA\tA",
        "d3\t0\tB\t2\tB\tB",
    ]
    strict = ("--fail-under", "alpha=0.9", "--times", "5")
    done = call("agreement", "ratings.csv", "-m", "alpha", *strict, folder=tmp_path)
    assert done.returncode == 1
    done = call("score", "ratings.csv", "ratings.csv", "--input-format", "ratings", folder=tmp_path)
    assert done.returncode == 2
    assert "a table of ratings contains several annotators. Use: assay agreement" in done.stderr


def test_items_are_not_written_where_a_table_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "ratings.csv", LONG)
    words = ("agreement", "ratings.csv", "-m", "alpha", "--times", "5", "--table", "changes", "--items", "items.tsv")
    done = call(*words, folder=tmp_path)
    assert done.returncode == 2 and "there is no table changes here" in done.stderr
    assert not (tmp_path / "items.tsv").exists()


def test_json_there_and_back(tmp_path: Path) -> None:
    systems = {"model": BY_ANNOTATOR["anna"]}
    result = assay.agreement(BY_ANNOTATOR, ["alpha", "alt-test(min_items=1)"], systems=systems, times=5)
    again = Result.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert again.alt_tests[0].annotators[0].name == "anna"
    for form in ("md", "tsv", "csv", "latex", "html", "flat"):
        assert render(again, form) == render(result, form)


def test_slices_cut_items_by_columns_and_by_their_majority(tmp_path: Path) -> None:
    rows = ["item,annotator,label,genre"]
    for number, (first, second) in enumerate(("AA", "AB", "BB", "AA", "BB")):
        genre = "news" if number < 3 else "mail"
        rows += [f"d{number},x,{first},{genre}", f"d{number},y,{second},{genre}"]
    path = written(tmp_path, "r.csv", "\n".join(rows) + "\n")
    result = assay.agreement(path, ["alpha"], slices=["meta:genre", "label"], times=5)
    found = {row.slice: row.value for row in result.scores if row.slice and row.score == "alpha"}
    assert found["meta:genre=mail"] == 1
    assert found["meta:genre=news"] < 1
    assert set(found) == {"meta:genre=mail", "meta:genre=news", "label=A", "label=B", "label=(tied)"}
    with pytest.raises(assay.AssayError, match=r"there is no slice 'meta:gerne'\. Did you mean meta:genre"):
        assay.agreement(path, slices=["meta:gerne"])


def test_prevalence_is_pointed_out() -> None:
    data = {name: {f"d{i}": "no" for i in range(40)} for name in "ab"}
    data["a"]["d0"] = data["b"]["d1"] = "yes"
    text = render(assay.agreement(data, times=20), "md")
    assert "97.50% of the ratings are no. Kappa and alpha then expect much agreement from random labels" in text


def test_one_item_has_a_verdict_without_an_interval(tmp_path: Path) -> None:
    result = assay.agreement(written(tmp_path, "ratings.csv", FORMATS["ratings"].example), times=5)
    said = "Alpha is .00 (nominal) for 2 annotators, but 1 item is too few for a conclusion."
    assert result.verdict == said


def test_the_verdict_shows_on_which_side_of_a_limit_a_narrow_interval_ends() -> None:
    facts = {"type": "agreement", "coefficient": "alpha", "value": 0.6612, "low": 0.6563, "high": 0.6661}
    known = facts | {"annotators": 20, "items": 10_000, "minority_items": 9000, "level_assumed": False}
    said = "alpha is .661 (nominal, 95% interval .656 to .666); by convention, .667 is needed."
    assert sentence(known) == f"The 20 annotators agree too little for conclusions: {said}"


def test_the_verdict_says_no_more_than_the_interval(shared_data: Callable[[str], Path]) -> None:
    perfect = {name: {f"d{i}": "AB"[i % 2] for i in range(50)} for name in "abc"}
    alone = "No annotator stands out: alpha does not rise above 1.00 if one of them is left out."
    said = f"{alone} The 3 annotators agree reliably: alpha is 1.00 ("
    assert assay.agreement(perfect, times=50).verdict.startswith(said)
    random = {"a": {f"d{i}": "AB"[i % 2] for i in range(60)}, "b": {f"d{i}": "AB"[i // 2 % 2] for i in range(60)}}
    assert assay.agreement(random, times=50).verdict.startswith("The 2 annotators agree too little")
    few = {"a": {f"d{i}": "AB"[i % 2] for i in range(8)}, "b": {f"d{i}": "ABABABAA"[i] for i in range(8)}}
    assert assay.agreement(few, times=200).verdict.startswith("Alpha is .76 (")
    open_ = {"a": {f"d{i}": "AB"[i % 2] for i in range(30)}, "b": {f"d{i}": "AB"[i % 2 or i < 9] for i in range(30)}}
    assert assay.agreement(open_, times=200).verdict.startswith("It is unclear whether the 2 annotators agree")


@each(
    ("text", "message"),
    [
        ('item,anna,ben\n"d1,yes' + "s" * 200_000, "not a table that can be read"),
        ('{"anna": ' + "[" * 200_000, "not JSON for ratings: nested too deeply"),
        ('{"anna": {"d1": ' + "1" * 5_000 + "}}", "or a number too long"),
        ('{"anna": {"d1": "a", "d1": "b"}}', "'d1' appears twice in one object"),
    ],
)
def test_tables_that_no_parser_takes_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(text, "utf-8")
    with pytest.raises(assay.AssayError, match=message):
        assay.agreement(str(tmp_path / "r.txt"), input_format="ratings", times=20)


def test_copies_of_one_file_are_told_of(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.tsv").write_text("x\tA\ny\tB\n\n" * 3, "utf-8")
    (tmp_path / "c.tsv").write_text("x\tA\ny\tA\n\n" * 3, "utf-8")
    result = assay.agreement([tmp_path / f"{name}.tsv" for name in "abc"], times=10)
    told = [text for text in result.warnings if "copies" in text]
    assert told == ["a and b are copies of one file, so their agreement means nothing."]
