"""What terminals, exports and pages show of items without words."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.itemtables import items, make_tables

import assay
from assay.corpus import Column
from assay.engine.examples import DrawnExample, merge_drawn
from assay.engine.slices import quarter_numbers
from assay.errors import UsageError
from assay.render import render
from assay.render.drawings import example_lines, example_text
from assay.render.pictures import list_figures
from assay.render.table import make_heading
from assay.render.terminal import draw_text
from assay.result import Result
from assay.tasks.items.drawing import rank_confidence


def compare(**options) -> Result:
    gold, *systems = (table.corpus() for table in make_tables())
    return assay.compare(gold, dict(zip("ab", systems, strict=True)), **{"times": 50, **options})


def test_the_heading_says_what_was_left_out_and_how_items_were_joined():
    gold, a, _ = make_tables()
    missing = np.arange(len(gold)) < 2
    result = assay.score(replace(gold, missing=missing).corpus(), {"a": a.corpus()}, times=50)
    assert make_heading(result) == "items: 118 items with a gold label (2 left out), 1 system; joined by id"
    assert (result.about.unit, result.about.kind, result.about.joined_by) == ("item", "labels", "id")
    assert Result.from_json(result.to_json()).about == result.about


def test_the_surest_errors_are_the_first_examples():
    gold, a, b = make_tables()
    result = compare(examples=4, kind="new-error")
    ids = [row for row in range(len(gold)) if gold.labels[row] == a.labels[row] != b.labels[row]]
    ids.sort(key=lambda row: (-b.confidence[row], row))
    assert [example.sentence for example in result.examples] == [f"r{row + 1}" for row in ids[:4]]
    line = example_lines(result.examples[0], 90)[0]
    first = ids[0]
    named = (("a", a), ("b", b))
    answers = [f"{name} {one.labels[first]} .{100 * one.confidence[first]:02.0f}" for name, one in named]
    assert len(line) <= 90
    assert line.endswith(f"…  gold {gold.labels[first]}  {' → '.join(answers)}  new error")
    assert example_text(result.examples[0]).startswith(f"r{first + 1} · {gold.texts['premise'][first].strip()} ‖ 1 ")


def test_examples_of_shards_are_ranked_together():
    sure = [math.inf, 12.5, 1.0, 0.9, 0.0, -0.5, -3.0, -math.inf]
    lots = [rank_confidence(value) for value in sure]
    assert lots == sorted(lots) and len(set(lots)) == len(lots) and max(lots) < 0
    drawn = [DrawnExample("a-b", lot, compare(examples=1).examples[0]) for lot in lots[1:3]]
    assert [row.lot for row in merge_drawn(drawn[1:], drawn[:1], 5, 2)] == lots[1:3]


def test_a_missing_answer_is_called_so():
    gold, a, _ = make_tables()
    result = assay.score(gold.corpus(), {"a": a.corpus()}, times=50)
    text = draw_text(result)
    assert "gold \\ system  neg  neu  pos  (no answer)" in text
    assert "(no answer)" in draw_text(compare(), names=("changes",))


@pytest.mark.parametrize("form", ["table", "md", "latex", "tsv", "html"])
def test_nothing_calls_an_item_a_sentence_or_a_word(form):
    result = compare(examples=2, slices=("meta:domain",), unit="meta:domain")
    text = draw_text(result, full=True) if form == "table" else render(result, form)
    text = text.partition("<body")[2].partition("<script")[0] or text
    assert "sentence" not in text and "word" not in text


def test_texts_have_parts_metadata_and_confidences():
    gold, a, _ = make_tables()
    texts = compare(embed="all").texts
    assert texts["unit"] == "item" and texts["parts"] == ["premise", "hypothesis"]
    words = [texts["vocabulary"][code] for code in texts["words"][:2]]
    assert words == [gold.texts[part][0] for part in texts["parts"]]
    assert [texts["values"][code] for code in texts["facts"]["domain"]] == gold.metadata["domain"].strings()
    sure = texts["items"]["systems"][0]["confidence"]
    assert sure[2] is None and sure[:2] == a.confidence[:2].tolist()


def test_only_results_of_items_say_how_these_were_joined():
    tagged = assay.score([["A", "B"]], {"a": [["A", "A"]]}, times=50)
    assert "joined_by" not in json.loads(tagged.to_json())["about"]


def test_confidences_have_figures():
    pytest.importorskip("matplotlib")
    result = compare()
    draws = list_figures(result)
    axes, counts = draws["reliability-a"]().axes
    bins = result.calibration("a").bins
    dots = [tuple(float(*values) for values in line.get_data()) for line in axes.lines[1:]]
    assert dots == [(100 * one.confidence, 100 * one.right) for one in bins]
    assert [round(bar.get_height()) for bar in counts.patches] == [one.items for one in bins]
    (axes,) = draws["precision-recall"]().axes
    recalls = [100 * result.curve(name).highest_recall for name in "ab"]
    assert [line.get_xdata()[-1] for line in axes.lines] == pytest.approx(recalls)


def slice_items(*slices: str, **metadata: list[str]) -> dict[str, tuple[int, float]]:
    """The number of items and a's accuracy in each slice."""
    gold, *systems = make_tables()
    gold = replace(gold, metadata={name: Column.of(cells) for name, cells in metadata.items()})
    named = {name: table.corpus() for name, table in zip("ab", systems, strict=True)}
    result = assay.compare(gold.corpus(), named, measures="accuracy", slices=slices, times=50)
    values = {row.slice: row.value for row in result.scores if row.system == "a" and row.main and row.slice}
    counts = {row.slice: row.counts["gold"] for row in result.counts if row.system == "a" and row.slice}
    return {name: (counts[name], value) for name, value in values.items()}


def test_numbers_in_metadata_are_divided_into_quarters():
    numbers = [str(row // 2) for row in range(118)] + ["", ""]
    parts = {name.partition("=")[2]: number for name, (number, _) in slice_items("meta:n", n=numbers).items()}
    # Equal numbers stay together:.
    assert parts == {"0 to 14": 30, "15 to 28": 28, "29 to 43": 30, "44 to 58": 30, "(none)": 2}
    few = slice_items("meta:n", n=[str(row % 10) for row in range(120)])
    assert len(few) == 10 and "meta:n=3" in few
    codes, names = quarter_numbers(np.array([5.0, 5, 5, 5, -1.5]))
    assert codes.tolist() == [1, 1, 1, 1, 0] and names == ("-1.5", "5", "(none)")


def test_items_are_divided_by_confidence_text_and_systems():
    gold, a, b = make_tables()
    lengths = np.array([sum(map(len, parts)) for parts in zip(*gold.texts.values(), strict=True)])
    parts = slice_items("confidence", "confidence:b", "systems-right", "text-length")
    right = [np.array([gold.labels[row] == one.labels[row] for row in range(len(gold))]) for one in (a, b)]
    both = right[0].astype(int) + right[1]
    for number, name in enumerate(("0 systems", "1 system", "2 systems")):
        mask = both == number
        assert parts[f"systems-right={name}"] == (mask.sum(), pytest.approx(right[0][mask].mean()))
    lowest = np.fmin(a.confidence, b.confidence)
    for sure, spec in ((lowest, "confidence"), (b.confidence, "confidence:b")):
        mask = (sure > 0.7) & (sure <= 0.8)
        assert parts[f"{spec}=0.7-0.8"] == (mask.sum(), pytest.approx(right[0][mask].mean()))
    texts = [number for name, (number, _) in parts.items() if name.startswith("text-length=")]
    assert sum(texts) == 120 and len(texts) == 4 and f"text-length={lengths.min()} to" in " ".join(parts)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": "sentence"}, "items have no sentences. Units are items, unless --unit meta:COLUMN"),
        ({"slices": "seen"}, "items have none. Use --slice label, meta:COLUMN, text-length, confidence or systems-"),
        ({"slices": "confidence:c"}, "there is no system with confidences 'c'"),
    ],
)
def test_what_only_words_have_is_refused(options, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        compare(**options)
    with pytest.raises(UsageError, match="only items without words have this slice"):
        assay.score([["A"], ["B"]], {"a": [["A"], ["A"]]}, slices="systems-right")


@pytest.mark.parametrize(("labels", "is_ordered"), [(("1", "2", "10"), False), (("low", "mid", "high"), True)])
def test_confusions_of_ordered_labels_and_numbers_are_in_their_order(labels, is_ordered):
    order = labels if is_ordered else ()
    gold = items([*labels] * 5, order=order)
    answers = items([labels[(row * row + 1) % 3] for row in range(15)], "a", order=order)
    result = assay.score(gold, {"a": answers}, measures="accuracy", times=50)
    assert result.about.order == labels
    table = next(line.split() for line in draw_text(result).splitlines() if line.startswith("gold \\ system"))
    assert table[3:] == [*labels]
    assert Result.from_json(result.to_json()).about.order == labels


def test_latex_has_no_raw_arrow_for_less_is_better():
    result = assay.score(["0.5", "2.5", "3"], {"a": ["0.5", "2", "3"]}, measures=("mae", "within"), times=50)
    text = render(result, "latex")
    assert r"$\downarrow$" in text and "↓" not in text


def test_an_undefined_measure_is_no_test_anywhere():
    gold = ["a", "b"] * 20
    systems = {"always": ["a"] * 40, "b": ["a", "b"] * 14 + ["a", "a"] * 6, "c": ["a", "b"] * 18 + ["b", "b"] * 2}
    result = assay.compare(gold, systems, measures=("accuracy", "mcc"), times=50)
    # MCC of a constant system is undefined, so there are 3 + 1 tests.
    tests = [row for row in result.main_tests if not math.isnan(row.p)]
    assert len(tests) == result.about.family == tests[0].family.size == 4
    assert {round(0.05 / row.power.alpha) for row in tests if row.power} == {4}


NUMBERS = {"gold": [0.4, 0.4, 1.0, 2.0], "a": [0.1, 0.4, 3.0, 2.5], "b": [0.7, 0.5, 1.5, 2.5]}


def compare_numbers(measures=(), **options) -> Result:
    gold, *systems = (items(list(map(str, row)), name) for name, row in NUMBERS.items())
    return assay.compare(gold, dict(zip("ab", systems, strict=True)), list(measures), times=50, **options)


@pytest.mark.parametrize("measures", [(), ["mae"], ["rmse"], ["pearson"], ["bias"], ["r2", "kendall"]])
def test_numbers_improve_and_worsen_by_their_errors(measures):
    result = compare_numbers(measures, examples=2, embed="all")
    (diff,) = result.diffs
    # 0.4 − 0.1 and 0.7 − 0.4 are equal.
    assert (diff.improved, diff.worsened, diff.items - diff.different) == (1, 1, 2)
    assert not diff.is_judged and diff.on == ("mae" if not measures else measures[0])
    assert not (result.bounds or result.confusion or diff.changes)
    shown = [(example.sentence, example.items[0].kind, example.items[0].grades) for example in result.examples]
    assert shown == [("3", "improved", {"a": 2.0, "b": 0.5}), ("2", "worsened", {"a": 0.0, "b": 0.1})]
    assert result.texts["graded"] == "error"
    assert [one["grade"] for one in result.texts["items"]["systems"]] == [[0.3, 0, 2, 0.5], [0.3, 0.1, 0.5, 0.5]]
    assert Result.from_json(result.to_json()) == result
    text = draw_text(result)
    assert re.search(r"1 improved\s+1 worsened\s+improved, worsened: items with a smaller or larger error in b", text)
    assert "3  gold 1.0  a 3.0 (2) → b 1.5 (0.5)  improved" in text


def test_examples_of_numbers_have_a_kind_or_are_the_worst():
    (example,) = compare_numbers(examples=5, kind="worsened").examples
    assert example.sentence == "2"
    with pytest.raises(UsageError, match=r"--kind correction: unknown here\. Available: improved, worsened"):
        compare_numbers(examples=5, kind="correction")
    gold, a = (items(list(map(str, NUMBERS[name])), name) for name in ("gold", "a"))
    assert [example.sentence for example in assay.score(gold, {"a": a}, "mae", examples=2).examples] == ["3", "4"]
    # With a measure of what is right, kinds are those of labels.
    (diff,) = (result := compare_numbers(["mae", "within"])).diffs
    assert (diff.on, diff.corrections, diff.improved, diff.worsened, diff.sideways) == ("within", 1, 1, 1, 1)
    assert "b has a smaller error in 1 item and the opposite in 1." in draw_text(result)


def test_scores_improve_if_they_rise():
    result = assay.compare(None, {"a": [1, 5, 2, 2], "b": [4, 4, 2, 9]}, "mean", examples=2, embed="all", times=50)
    (diff,) = result.diffs
    assert (diff.improved, diff.worsened, diff.same_error, diff.on) == (2, 1, 1, "mean")
    lines = [example_text(example) for example in result.examples]
    assert lines == ["4 · a 2 → b 9 · improved", "1 · a 1 → b 4 · improved"]
    assert result.texts["graded"] == "score" and result.texts["items"]["systems"][1]["grade"] == [4, 4, 2, 9]
    assert make_heading(result) == "items: 4 items, 2 systems; joined by order"
    assert "against" not in re.search("<title>(.*?)</title>", render(result, "html"))[1]


def test_sets_are_nearer_to_gold_or_further_by_jaccard():
    gold = items([["x", "y"], ["x"], ["x", "y"], [], ["x"]])
    a = items([["x"], ["y"], ["x", "y"], ["x"], ["y"]], "a")
    b = items([["x", "y"], ["x", "z"], ["x", "z"], ["y"], ["z"]], "b")
    result = assay.compare(gold, {"a": a, "b": b}, ["label-f1(average=micro)", "subset-accuracy"], times=50)
    labels, sets = result.diffs
    assert labels.improved is None
    assert (sets.corrections, sets.new_errors, sets.changed_errors) == (1, 1, 3)
    assert (sets.improved, sets.worsened, sets.sideways) == (2, 1, 2)
    alone = draw_text(assay.compare(gold, {"a": a, "b": b}, "subset-accuracy", times=50))
    assert "b has a set that is more like gold's in 2 items and the opposite in 1." in alone


def test_shards_of_numbers_have_the_changes_of_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    for name, numbers in NUMBERS.items():
        lines = [f"i{row},{number}\n" for row, number in enumerate(numbers)]
        (tmp_path / f"{name}.csv").write_text("id,label\n" + "".join(lines))
        (tmp_path / name).mkdir()
        for part, some in enumerate((lines[:2], lines[2:])):
            (tmp_path / name / f"{part}.csv").write_text("id,label\n" + "".join(some))
    options = {"measures": ["mae"], "examples": 2, "embed": "all", "times": 50}
    whole = assay.compare("gold.csv", ["a.csv", "b.csv"], **options)
    parts = assay.compare("gold", ["a", "b"], **options)
    assert whole.diffs == parts.diffs
    assert [row.items for row in whole.examples] == [row.items for row in parts.examples]
    assert whole.texts["items"] == parts.texts["items"]
