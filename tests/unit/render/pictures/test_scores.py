"""Figures of systems on one data set: numbers are the Result's, all fits into a column, no text lies on another."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.demo import FOLDER
from assay.render.pictures import draw_files, list_figures
from assay.render.pictures.sheet import COLUMN, PAGE
from assay.render.pictures.systems import count_confusions, draw_confusion, draw_error_types
from assay.result import LabelDifference, Result, Score
from assay.result.schema import MeanRanks
from unit.render.pictures.drawn import apart, texts


@cache
def spans() -> Result:
    """Three recognisers, by the length of spans too."""
    folder = FOLDER / "entities"
    systems = [folder / f"{name}.tsv" for name in ("rules", "crf-names", "spacy")]
    return assay.compare(folder / "gold.tsv", systems, slices=["span-length"], times=100)


def fits(figure, width: float) -> None:
    """The figure has this width, all of it lies within, and no text lies upon another."""
    assert figure.get_figwidth() == width
    box = figure.get_tightbbox()
    assert box.x0 >= -0.01 and box.x1 <= width + 0.01, box
    apart(figure)


def points(axes, mark: str) -> np.ndarray:
    return np.concatenate([line.get_xydata() for line in axes.lines if line.get_marker() == mark])


def test_the_contents_of_a_result_decide_which_figures_there_are():
    names = list(list_figures(spans()))
    pairs = ["rules-crf-names", "rules-spacy", "crf-names-spacy"]
    assert names == [
        *("scores", "differences", "bounds", "labels", *(f"labels-{pair}" for pair in pairs)),
        *(f"contributions-{pair}" for pair in pairs),
        *(f"confusion-{name}" for name in ("rules", "crf-names", "spacy")),
        *(f"weights-{pair}" for pair in pairs),
        *("errors", "slices-span-length"),
    ]
    bare = replace(spans(), comparisons=(), bounds=(), diffs=(), contributions=(), confusion=(), error_types=())
    bare = replace(bare, sweeps=())
    assert list(list_figures(bare)) == ["scores", "slices-span-length"]
    # Measures of other systems have a figure of their own, and what nobody does wrong has none.
    other = replace(spans().scores[0], system="all annotators", measure="alpha(level=nominal)")
    flawless = tuple(replace(row, count=0) for row in spans().error_types)
    names = list(list_figures(replace(bare, scores=(other, *bare.scores), error_types=flawless)))
    assert names == ["scores", "scores-alpha_level_nominal", "slices-span-length"]
    assert all(
        ".svg" in path.name for path in draw_files(replace(bare, scores=bare.scores[:2]), Path("figures"), ["svg"])
    )


def test_scores_stand_from_the_best_to_the_worst_with_their_intervals_and_groups():
    figure = spans().plot("scores")
    assert [axes.get_xlabel() for axes in figure.axes] == ["exact F1 (%)", "fair F1 (%)"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["rules", "crf-names", "spacy"]
    for axes, measure in zip(figure.axes, ("exact", "fair"), strict=True):
        rows = [spans().score(name, measure) for name in ("rules", "crf-names", "spacy")]
        assert points(axes, "o") == pytest.approx(np.array([[100 * row.value, at] for at, row in enumerate(rows)]))
        drawn = np.array(axes.collections[0].get_segments())[:, :, 0]
        assert drawn == pytest.approx(np.array([[100 * row.low, 100 * row.high] for row in rows]))
        assert {f"{100 * row.value:.2f} {row.group}".strip() for row in rows} <= set(texts(figure))
    fits(figure, PAGE)
    one = replace(spans(), scores=tuple(row for row in spans().scores if row.system == "spacy"))
    figure = one.plot("scores")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["exact F1", "fair F1"]
    fits(figure, COLUMN)
    # The mean over pairs of annotators, between them in value, is none of them.
    called = {"rules": "a ~ b", "crf-names": "mean of all pairs", "spacy": "b ~ c"}
    pairs = replace(spans(), scores=tuple(replace(row, system=called[row.system]) for row in spans().scores))
    figure = pairs.plot("scores")
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["a ~ b", "b ~ c", "mean of all pairs"]
    assert [1.5, 1.5] in [list(line.get_ydata()) for line in figure.axes[0].lines]


def test_differences_are_the_second_systems_score_minus_the_firsts():
    figure = spans().plot("differences")
    rows = [row for row in spans().comparisons if row.slice is None and row.measure == "fair"]
    names = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert names == ["", "", ""], "names stand before the first panel alone"
    assert points(figure.axes[1], "o")[:, 0] == pytest.approx([100 * row.difference for row in rows])
    fits(figure, PAGE)


def test_labels_have_both_systems_in_the_order_of_the_result():
    (diff,) = [row for row in spans().diffs if row.slice is None and (row.a, row.b) == ("rules", "spacy")]
    figure = spans().plot("labels-rules-spacy")
    right, added = figure.axes
    adds = spans().label_contributions(diff)
    assert [bar.get_width() for bar in added.patches] == pytest.approx(
        [100 * adds.get(row.label, 0) for row in diff.labels]
    )
    assert points(right, "o")[:, 0] == pytest.approx([100 * row.a for row in diff.labels])
    assert points(right, "D")[:, 0] == pytest.approx([100 * row.b for row in diff.labels])
    assert {"rules", "spacy", *(row.label for row in diff.labels)} <= set(texts(figure))
    assert "overall difference" in figure.get_label()
    fits(figure, COLUMN)


def test_bars_of_contributions_begin_where_the_one_above_ends():
    figure = spans().plot("contributions-rules-spacy")
    rows = [row for row in spans().contributions if (row.a, row.b, row.measure) == ("rules", "spacy", "exact")]
    (axes,) = figure.axes
    bars = [bar for bar in axes.patches if bar.get_height() == pytest.approx(0.7)]
    for by in ("kind", "label"):
        own = [bars.pop(0) for row in rows if row.by == by]
        ends = np.cumsum([100 * row.value for row in rows if row.by == by])
        assert [bar.get_x() for bar in own] == pytest.approx([0, *ends[:-1]])
        assert ends[-1] == pytest.approx(100 * sum(row.value for row in rows if row.by == "outcome"))
    assert not bars
    assert "how the difference exact F1 " in figure.get_label()
    fits(figure, COLUMN)


def test_labels_have_their_contributions_to_the_difference():
    folder = FOLDER / "english"
    systems = [folder / f"{name}.conllu" for name in ("hanta", "udpipe")]
    result = assay.compare(folder / "gold.conllu", systems, times=100)
    diff, figure = result.diffs[0], result.plot("labels-hanta-udpipe")
    _, added = figure.axes
    adds = result.label_contributions(diff)
    shown = [adds.get(row.label, 0.0) for row in diff.labels if row.difference or adds.get(row.label)]
    assert [bar.get_width() for bar in added.patches] == pytest.approx([100 * value for value in shown])
    assert sum(shown) == pytest.approx(diff.difference)
    assert figure.get_label().endswith("and how much each label adds to the overall difference.")
    fits(figure, COLUMN)


def test_labels_of_three_systems_are_a_table_of_shades_the_best_system_first():
    figure = spans().plot("labels")
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["rules", "crf-names", "spacy"]
    rows = [row for row in spans().bounds if row.slice is None]
    values = [row.systems[name] for row in rows for name in ("rules", "crf-names", "spacy")]
    assert axes.collections[0].get_array().tolist() == values
    assert {f"{100 * value:.0f}" for value in values} | {"all", "PER", "LOC"} <= set(texts(figure))
    fits(figure, COLUMN)


def test_a_confusion_has_boundary_errors_on_its_diagonal_and_what_is_spurious_and_missing_at_its_edges():
    figure = spans().plot("confusion-crf-names")
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_xticklabels()]
    assert names[-1] == "missing" and [label.get_text() for label in axes.get_yticklabels()] == [
        *names[:-1],
        "spurious",
    ]
    place = dict(zip(names, axes.get_xticks(), strict=True))
    shown = {tuple(text.get_position()): text.get_text() for text in axes.texts}
    errors = [row for row in spans().confusion if row.system == "crf-names" and row.type != "tp"]
    boundary = sum(row.count for row in errors if (row.gold, row.type[:2]) == ("PER", "be"))
    assert shown[place["PER"], place["PER"]] == str(boundary)
    missing = sum(row.count for row in errors if row.gold == "MISC" and row.assigned is None)
    assert shown[place["missing"], place["MISC"]] == str(missing)
    assert sum(map(int, shown.values())) == sum(row.count for row in errors)
    fits(figure, COLUMN)


def test_types_of_errors_are_bars_of_a_hundred_percent_on_one_data_set_or_several():
    figure = draw_error_types([("news", spans()), ("web", spans())], ["exact", "fair"])
    (axes,) = figure.axes
    bars: dict[float, list] = {}
    for bar in axes.patches:
        bars.setdefault(round(bar.get_y(), 6), []).append(bar)
    assert len(bars) == 2 * 3 * 2
    assert all(sum(bar.get_width() for bar in row) == pytest.approx(100) for row in bars.values())
    own = [row for row in spans().error_types if (row.system, row.measure) == ("rules", "fair")]
    share = {row.type: 100 * row.share for row in own}
    fair = [bar.get_width() for bar in list(bars.values())[1]]
    # What is spurious at one end, what is missing at the other.
    assert (fair[0], fair[-1]) == pytest.approx((share["fp"], share["fn"]))
    assert {"news", "web", "FP", "FN", "LE", "BEs", "BEl", "LBE"} <= set(texts(figure))
    fits(figure, PAGE)


def test_parts_of_the_data_are_points_of_a_curve_for_each_system():
    figure = spans().plot("slices")
    exact = figure.axes[0]
    rows = [row for row in spans().scores if row.slice and row.main and row.label is None and row.measure == "exact"]
    (line,) = [line for line in exact.lines if line.get_label() == "spacy"]
    assert line.get_ydata() == pytest.approx([100 * row.value for row in rows if row.system == "spacy"])
    assert exact.get_xticklabels()[0].get_text() == "1\n127"
    fits(figure, PAGE)


@pytest.mark.parametrize(("systems", "labels"), [(2, 5), (20, 40)])
def test_many_systems_labels_and_long_names_have_room(systems, labels):
    names = [f"{'bidirectional-' * (number % 3)}\ud800{number}" for number in range(systems)]
    parts = [None, *(f"genre\ud800=a very long name of a genre {number}" for number in range(5))]
    rows = [
        Score(name, measure, "f1", None, part, 0.9 - number / 50, 0.88 - number / 50, 0.93 - number / 50, True)
        for measure in ("accuracy", "a-measure(with=many, parameters=true)")
        for part in parts
        for number, name in enumerate(names)
    ]
    diff = next(row for row in spans().diffs if row.slice is None)
    own = tuple(LabelDifference(f"LABEL{n:02}", 10**4, 0.5, 0.9, 0.4) for n in range(labels))
    bound = replace(spans().bounds[0], systems=dict.fromkeys(names, 0.9))
    bounds = (bound, *(replace(bound, label=row.label) for row in own))
    result = replace(spans(), scores=tuple(rows), counts=(), diffs=(replace(diff, labels=own),), bounds=bounds)
    one_measure = tuple(row for row in rows if row.measure != "accuracy")
    fits(replace(result, scores=one_measure).plot("scores"), COLUMN if systems == 2 else PAGE)
    own_pair = f"labels-{diff.a}-{diff.b}"
    assert ("labels" in list_figures(result)) == (systems > 2)
    kinds = [("scores", PAGE), (own_pair, COLUMN), *[("labels", PAGE)] * (systems > 2), ("slices", PAGE)]
    for kind, width in kinds:
        figure = result.plot(kind)
        fits(figure, width)
    # Names that begin alike are cut in their middles.
    assert {f"a very…genre {number}" for number in range(5)} <= set(texts(figure))
    inside = {(f"L{n}", f"L{n * 7 % labels}"): 3 * n + 1 for n in range(labels)}
    cells = {**inside, (None, "L1"): 4000, ("L2", None): 7}
    figure = draw_confusion(cells, "gold", "system", "A caption.")
    fits(figure, COLUMN if labels == 5 else PAGE)
    assert figure.get_tightbbox().height < 8
    ranks = MeanRanks(
        *("m", 9, {name: 1 + number for number, name in enumerate(names)}, dict.fromkeys(names, "a")),
        *(9.0, 0.1, 9.0, 0.1, 0.8, (), "nemenyi"),
    )
    figure = replace(result, ranks=(ranks,)).plot("ranks")
    assert "critical difference 0.80" in texts(figure) and "Nemenyi's test" in figure.get_label()
    fits(figure, COLUMN if systems == 2 else PAGE)


def test_labels_that_cannot_be_confused_have_no_matrix():
    only_at_the_edges = tuple(row for row in spans().confusion if None in (row.gold, row.assigned))
    assert count_confusions(replace(spans(), confusion=only_at_the_edges)) == {}


def test_weights_are_three_squares_with_the_line_of_equal_systems():
    figure = spans().plot("weights-rules-spacy")
    assert [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes] == ["LBE 0", "LBE ½", "LBE 1"]
    assert all(axes.images and axes.lines for axes in figure.axes)
    assert "surely better" in figure.get_label()
