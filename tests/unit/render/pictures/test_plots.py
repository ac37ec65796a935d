"""Forest plots, matrices of bars, curves, and the graph of the order."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from assay.render.pictures.canvas import Canvas, Circle, Lines, Mark, Rect, Text, svg
from assay.render.pictures.curves import curves, panels
from assay.render.pictures.forest import forest, span
from assay.render.pictures.layers import laid_out, levels
from assay.render.pictures.letters import Unit, largest, share
from assay.render.pictures.matrix import matrix
from assay.render.pictures.ranking import ranking_graph, ranking_levels, relations
from assay.render.pictures.scales import Scale, tick_label
from assay.result.posteriors import Estimate, Ranking, RankRelation, Thirds
from unit.render.pictures.drawn import SYSTEMS, posterior, ranking, table


def of(canvas: Canvas, kind: type[Mark], *roles: str) -> list:
    return [mark for mark in canvas.marks if isinstance(mark, kind) and mark.role in roles]


def texts(canvas: Canvas) -> list[str]:
    return [mark.text for mark in of(canvas, Text, *{mark.role for mark in canvas.marks})]


# --- numbers ---


def test_shares_are_written_as_in_the_paper():
    assert [share(value) for value in (0.168, 0.0004, 1.0, None, float("nan"))] == [".168", ".000", "1.000", "–", "–"]
    assert largest(Thirds(0.4, 0.4, 0.2)) == "a"
    assert largest(Thirds(0.3, None, 0.7)) == "b"


def test_differences_of_fractions_are_in_points_others_in_the_measures_own_units():
    fractions, others = Unit(posterior()), Unit(posterior(scale=100.0, rope=0.2))
    assert (fractions.name, others.name) == ("points", "units of token")
    assert fractions(0.0031) == "+0.31" and fractions(-0.0031) == "−0.31" and fractions(0.0) == "0.00"
    assert others(0.31) == "+0.31"


def test_ticks_are_round_and_within():
    assert Scale(-0.27, 0.9, 0, 100).ticks() == pytest.approx([0, 0.5])
    ticks = Scale(0, 0.006, 0, 100).ticks(4)
    assert [tick_label(tick, ticks) for tick in ticks] == ["0.000", "0.002", "0.004", "0.006"]
    assert tick_label(-0.5, [-0.5, 0.0]) == "−0.5"


# --- forest ---


def test_a_forest_plot_has_every_data_set_the_mean_and_the_next():
    row = posterior(data_sets=("PTB", "OntoNotes", "GUM"))
    canvas = forest(row)
    assert len(of(canvas, Circle, "measured")) == 3 + 1
    assert len(of(canvas, Rect, "estimate")) == 3 + 1
    shown = texts(canvas)
    assert {"PTB", "OntoNotes", "GUM", "mean over data sets", "another data set", "200 runs"} <= set(shown)
    assert {"← TnT better", "Collins better →"} <= set(shown)
    for data_set in row.by_data_set:
        assert f"{data_set.name}: measured {Unit(row)(data_set.difference)}" in canvas.description


def test_places_in_a_forest_plot_are_the_numbers():
    row = posterior(data_sets=("PTB", "OntoNotes"))
    canvas = forest(row)
    (band,) = of(canvas, Rect, "band")
    zero = of(canvas, Lines, "zero")[0].lines[0][0][0]
    per_point = band.width / (2 * 100 * row.rope)
    assert zero == pytest.approx(band.x + band.width / 2)
    circles = of(canvas, Circle, "measured")[:2]
    for data_set, circle in zip(row.by_data_set, circles, strict=True):
        assert circle.x == pytest.approx(zero + per_point * 100 * data_set.difference)
    bars = [mark.lines[0] for mark in of(canvas, Lines, "interval")]
    estimate = row.by_data_set[0].estimate
    assert bars[0][1][0] - bars[0][0][0] == pytest.approx(per_point * 100 * (estimate.high - estimate.low))


def test_a_very_wide_interval_gets_arrows_and_does_not_dwarf_the_data_sets():
    row = replace(posterior(), next=Estimate(0.005, -9.0, 9.0))
    low, high = span(row)
    assert high - low < 0.1
    canvas = forest(row)
    assert any("goes on beyond the frame" in text for text in texts(canvas))
    assert any("[−900.00, +900.00]" in text for text in texts(canvas))
    assert not any("beyond" in text for text in texts(forest(replace(row, mean=None, next=None))))


def test_without_a_region_of_equality_a_forest_plot_has_no_band():
    canvas = forest(posterior(shares=Thirds(0.2, None, 0.8), rope=0.0))
    assert not of(canvas, Rect, "band")
    assert "equal" not in " ".join(texts(canvas))


def test_identical_systems_have_a_forest_plot_too():
    row = posterior(rope=0.0, data_sets=("PTB",), shares=Thirds(0.5, None, 0.5))
    flat = replace(row.by_data_set[0], difference=0.0, estimate=Estimate(0.0, 0.0, 0.0), b=row.by_data_set[0].a)
    canvas = forest(replace(row, by_data_set=(flat,), mean=None, next=None))
    assert "0.00 [0.00, 0.00]" in texts(canvas)


def test_what_is_undefined_has_no_place_in_a_forest_plot():
    row = posterior()
    nan = float("nan")
    first = replace(row.by_data_set[0], difference=nan, estimate=Estimate(nan, nan, nan))
    canvas = forest(replace(row, by_data_set=(first, row.by_data_set[1]), next=Estimate(0.1, nan, nan)))
    assert len(of(canvas, Circle, "measured")) == 1 + 1
    assert "nan" not in svg(canvas)


# --- matrix ---


def test_the_bars_of_a_matrix_add_up_and_carry_the_papers_numbers():
    rows = table(50)
    canvas = matrix(rows)
    bars = [mark for mark in of(canvas, Rect, "a", "equal", "b") if mark.height == 13]
    assert sum(mark.width for mark in bars) == pytest.approx(45 * 170)
    shown = [mark.text.removeprefix("≈ ") for mark in of(canvas, Text, "small", "small-strong")]
    for row in rows:
        for value in (row.decision.a, row.decision.equal, row.decision.b):
            shown.remove(share(value))
    bold = of(canvas, Text, "small-strong")
    assert len(bold) == 45
    assert "token: TnT better .168, practically equal .003, Collins better .829." in canvas.description


def test_a_pair_that_is_the_other_way_round_on_another_measure_is_turned():
    rows = [posterior("A", "B", "one", Thirds(0.1, 0.2, 0.7)), posterior("B", "A", "two", Thirds(0.6, 0.3, 0.1))]
    canvas = matrix(rows)
    assert "two: A better .100, practically equal .300, B better .600." in canvas.description
    assert texts(canvas).count("A") == 1


def test_pairs_that_were_not_compared_on_a_measure_say_so():
    canvas = matrix([posterior("A", "B", "one"), posterior("A", "C", "two")])
    assert texts(canvas).count("not compared") == 2


def test_a_matrix_of_region_probabilities_shows_those():
    row = posterior()
    canvas = matrix([row], "region")
    assert share(row.region.b) in texts(canvas)
    assert share(row.decision.b) not in texts(canvas)
    assert "mean probability of each outcome on a new data set" in canvas.description


# --- curves ---


def test_curves_vary_the_region_and_both_bounds_of_the_prior():
    row = posterior(shares=Thirds(0.148, 0.441, 0.411))
    rope, spread, mean = panels(row)
    assert rope.chosen == pytest.approx(0.2) and len(rope.points) == 13
    assert spread.names == ("3", "10", "100", "1000") and spread.chosen == 3
    assert mean.names == ("0.75", "1", "2", "5") and mean.chosen == 0


def test_the_chosen_width_is_marked_and_the_curve_passes_the_chosen_shares():
    row = posterior(shares=Thirds(0.148, 0.441, 0.411))
    canvas = curves(row)
    assert texts(canvas).count("chosen") == 6
    chosen = next(mark.lines[0][0][0] for mark in of(canvas, Lines, "axis") if len(mark.lines) == 1)
    line = of(canvas, Lines, "curve-equal")[1].lines[0]
    y = next(y for x, y in line if x == pytest.approx(chosen))
    top, bottom = of(canvas, Lines, "grid")[0].lines[-1][0][1], of(canvas, Lines, "grid")[0].lines[0][0][1]
    assert (bottom - y) / (bottom - top) == pytest.approx(0.441)
    assert "0.2: .148, .441, .411;" in canvas.description


def test_a_pair_without_curves_has_no_panels():
    assert panels(replace(posterior(), rope_curve=(), prior_curve=())) == []
    assert panels(replace(posterior(), rope_curve=posterior().rope_curve[:1], prior_curve=())) == []


# --- the order ---


def test_the_papers_orders_stand_in_levels_and_flag_what_the_chain_hides():
    rows = table(50)
    oov = ranking("oov", rows)
    assert set(relations(oov).flagged) == {("TnT", "LAPOS"), ("Stanford", "Flair")}
    assert ranking_levels(oov) == [["Flair"], ["Stanford", "NLP4J"], ["LAPOS"], ["TnT", "Collins"]]
    for measure in ("token", "sentence"):
        assert relations(ranking(measure, rows)).flagged == ()
    assert ranking_levels(ranking("token", rows))[2] == ["Collins", "LAPOS", "Stanford"]


def test_the_graph_has_a_box_for_every_system_and_a_line_for_every_relation_drawn():
    rows = table(50)
    oov = ranking("oov", rows)
    canvas = ranking_graph(oov)
    assert [mark.text for mark in of(canvas, Text, "strong")] == list(SYSTEMS)
    boxes = {text.text: box for text, box in zip(of(canvas, Text, "strong"), of(canvas, Rect, "node"), strict=True)}
    assert boxes["Flair"].y < boxes["Stanford"].y == boxes["NLP4J"].y < boxes["LAPOS"].y < boxes["TnT"].y
    # One more of each stands in the key.
    assert len(of(canvas, Lines, "flagged")) == len(of(canvas, Lines, "flag")) == 2 + 1
    assert len(of(canvas, Lines, "edge")) == len(relations(oov).covers) + 1
    assert [mark.text for mark in of(canvas, Text, "small-strong")] == ["!"] * 3
    signs = [mark.text for mark in of(canvas, Text, "text")]
    assert sorted(signs) == ["≈", "≈", "≈", "⪅"]
    for sentence in oov.intransitive:
        assert sentence in canvas.description
    assert oov.chain in texts(canvas)


def test_no_line_passes_behind_a_box():
    canvas = ranking_graph(ranking("oov", table(50)))
    for box in of(canvas, Rect, "node"):
        for mark in of(canvas, Lines, "edge", "flagged", "tie"):
            for line in mark.lines:
                for (x, y), (end_x, end_y) in pairwise(line):
                    inside = [
                        part
                        for part in (0.1, 0.3, 0.5, 0.7, 0.9)
                        if box.x < x + part * (end_x - x) < box.x + box.width
                        and box.y < y + part * (end_y - y) < box.y + box.height
                    ]
                    assert not inside


def test_three_that_are_all_equal_stand_in_one_frame():
    canvas = ranking_graph(ranking("token", table(50)))
    (frame,) = of(canvas, Rect, "tie")
    names = {"Collins", "LAPOS", "Stanford"}
    for text, box in zip(of(canvas, Text, "strong"), of(canvas, Rect, "node"), strict=True):
        assert (frame.y < box.y < frame.y + frame.height) is (text.text in names)
    assert "all ≈" in texts(canvas)


def test_a_cycle_is_drawn_with_its_edge_against_the_order_flagged():
    circle = Ranking(
        "m",
        ("a", "b", "c"),
        "a < b < c",
        (
            RankRelation("a", "b", "<", True, True),
            RankRelation("b", "c", "<", True, True),
            RankRelation("a", "c", ">", False, False),
        ),
        ("a < b < c < a: the relation is a cycle.",),
    )
    assert relations(circle).flagged == (("c", "a"),)
    assert ranking_levels(circle) == [["c"], ["b"], ["a"]]
    canvas = ranking_graph(circle)
    (line,) = of(canvas, Lines, "flagged")[0].lines
    assert line[0][1] < line[-1][1], "from c, the worse in this pair, down to a"


def test_long_edges_stop_at_every_level_they_pass():
    layers = laid_out(("a", "b", "c", "d"), [("a", "b"), ("b", "c")], [("a", "b"), ("b", "c"), ("a", "c")])
    assert layers.level == {"a": 0, "b": 1, "c": 2, "d": 0}
    assert layers.paths["a", "c"] == ["a", ("a", "c", 1), "c"]
    assert sorted(map(str, layers.rows[1])) == ["('a', 'c', 1)", "b"]
    assert levels(("x",), []) == {"x": 0}


def test_thirty_systems_can_be_drawn():
    names = tuple(f"system {number:02}" for number in range(30))
    pairs = [(a, b) for index, a in enumerate(names) for b in names[index + 1 :]]
    rows = tuple(RankRelation(a, b, "≈", False, False) for a, b in pairs)
    canvas = ranking_graph(Ranking("m", names, " ≈ ".join(names), rows))
    assert len(of(canvas, Rect, "node")) == 30
    assert canvas.width > 30 * 100


def test_what_is_undecided_is_drawn_as_such_and_hides_nothing():
    rows = tuple(
        RankRelation(a, b, sign, False, False) for a, b, sign in (("a", "b", "?"), ("b", "c", "≈"), ("a", "c", "<"))
    )
    order = Ranking("m", ("a", "b", "c"), "a ? b ≈ c", rows)
    assert relations(order).flagged == ()
    assert "≈ practically equal, ? undecided" in texts(ranking_graph(order))
