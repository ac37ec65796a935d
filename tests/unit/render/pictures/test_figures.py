"""What figures show: the data, in the places and words that belong to them."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from assay.render.pictures import list_figures
from assay.render.pictures.runs import (
    assign_levels,
    draw_curves,
    draw_forest,
    draw_matrix,
    draw_ranking,
    draw_simplex,
    draw_simplex_grid,
    find_frame,
    lay_out_levels,
    list_corners,
    list_panels,
    place_shares,
    smooth_density,
    sort_relations,
)
from assay.render.pictures.sheet import FILLS, FLAG, Unit, find_largest, format_share
from assay.result.schema import Estimate, Ranking, RankRelation, Thirds
from unit.render.pictures.drawn import SYSTEMS, apart, posterior, ranking, result, table, texts


def bold(figure) -> set[str]:
    from matplotlib.text import Text

    return {text.get_text() for text in figure.findobj(Text) if text.get_weight() == "bold"}


def lines(axes, label: str) -> list:
    return [line for line in axes.lines if line.get_label() == label]


@pytest.mark.parametrize("draw", [draw_forest, draw_simplex, draw_curves, lambda row: draw_matrix([row])])
def test_long_names_do_not_run_into_each_other(draw):
    sets = ("treebank " * 20, "b")
    apart(draw(posterior("bidirectional-" * 9, "Transformer large " * 9, "accuracy " * 9, data_sets=sets, draws=50)))


# --- numbers ---


def test_shares_are_written_as_in_the_paper():
    assert [format_share(value) for value in (0.168, 0.0004, 1.0, None, float("nan"))] == [
        ".168",
        ".000",
        "1.000",
        "–",
        "–",
    ]
    assert [find_largest(Thirds(*row)) for row in ((0.4, 0.4, 0.2), (0.3, None, 0.7))] == ["a", "b"]


def test_differences_of_fractions_are_in_points_others_in_the_measures_own_units():
    fractions, others = Unit(posterior()), Unit(posterior(scale=100.0, rope=0.2))
    assert (fractions.name, others.name) == ("points", "units of token")
    assert [fractions(value) for value in (0.0031, -0.0031, 0.0)] == ["+0.31", "−0.31", "0.00"]
    assert others(0.31) == "+0.31"
    assert Unit(posterior(scale=100.0, rope=0.0004))(0.00051) == "+0.00051"


# --- forest ---


def test_a_forest_plot_has_every_data_set_the_mean_and_the_next():
    row = posterior(data_sets=("PTB", "OntoNotes", "GUM"))
    figure = draw_forest(row)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [f"{name}  (200 runs)" for name in ("PTB", "OntoNotes", "GUM")] + [
        "mean over data sets",
        "another data set",
    ]
    measured = [line.get_xydata()[0].tolist() for line in lines(axes, "measured")]
    assert measured == [[pytest.approx(100 * data.difference), number] for number, data in enumerate(row.by_data_set)]
    drawn = [
        *lines(axes, "estimate using all data sets, 95% interval"),
        *lines(axes, "mean"),
        *lines(axes, "another data set"),
    ]
    known = [*(data.estimate for data in row.by_data_set), row.mean, row.next]
    for number, (line, estimate) in enumerate(zip(drawn, known, strict=True)):
        assert line.get_xdata() == pytest.approx([100 * estimate.low, 100 * estimate.mean, 100 * estimate.high])
        assert set(line.get_ydata()) == {number}
        assert Unit(row).estimate(estimate) in texts(figure)
    (band,) = axes.patches
    assert (band.get_x(), band.get_width()) == (pytest.approx(-100 * row.rope), pytest.approx(200 * row.rope))
    shown = {"← TnT better", "Collins better →", "equal", "measured", "difference in token, points"}
    assert shown <= set(texts(figure))
    assert figure.get_label().startswith("TnT and Collins: token, difference in points (practically equal within")
    apart(figure)


def test_a_very_wide_interval_gets_arrows_and_does_not_dwarf_the_data_sets():
    row = replace(posterior(), next=Estimate(0.005, -9.0, 9.0))
    low, high = find_frame(row)
    assert high - low < 0.1
    shown = " ".join(texts(draw_forest(row)))
    assert "continues beyond the frame" in shown and "[−900.00, +900.00]" in shown
    assert [line.get_marker() for line in draw_forest(row).axes[0].lines if line.get_marker() in "<>"] == ["<", ">"]
    assert "beyond" not in " ".join(texts(draw_forest(replace(row, mean=None, next=None))))


def test_what_is_undefined_has_no_place_in_a_forest_plot():
    row, nan = posterior(), float("nan")
    first = replace(row.by_data_set[0], difference=nan, estimate=Estimate(nan, nan, nan))
    figure = draw_forest(replace(row, by_data_set=(first, row.by_data_set[1]), next=Estimate(0.1, nan, nan)))
    assert len(lines(figure.axes[0], "measured")) == 1
    assert not any("nan" in text or text == "another data set" for text in texts(figure))


def test_systems_that_never_differ_without_a_region_have_a_forest_plot_too():
    row = posterior(rope=0.0, data_sets=("PTB",), shares=Thirds(0.5, None, 0.5))
    flat = replace(row.by_data_set[0], difference=0.0, estimate=Estimate(0.0, 0.0, 0.0), b=row.by_data_set[0].a)
    figure = draw_forest(replace(row, by_data_set=(flat,), mean=None, next=None))
    assert "0.00 [0.00, 0.00]" in texts(figure)
    assert not figure.axes[0].patches and "equal" not in " ".join(texts(figure))


# --- matrix ---


def test_the_bars_of_a_matrix_are_whole_and_carry_the_papers_numbers():
    rows = table(50)
    figure = draw_matrix(rows)
    assert [axes.get_title("left") for axes in figure.axes] == ["token", "sentence", "oov"]
    for axes in figure.axes:
        chosen = [row for row in rows if row.measure == axes.get_title("left")]
        bars = [bar.get_width() for container in axes.containers for bar in container]
        given = [[row.decision.a, row.decision.equal, row.decision.b] for row in chosen]
        assert np.reshape(bars, (-1, 3)) == pytest.approx(np.array(given) / np.sum(given, axis=1, keepdims=True))
        shown = [text.get_text().removeprefix("≈ ") for text in axes.texts]
        for value in np.ravel(given):
            shown.remove(format_share(value))
    assert {".829", "≈ .550"} <= bold(figure) and ".168" not in bold(figure)
    assert {"left system better", "≈ practically equal", "right system better"} <= set(texts(figure))
    colours = [container[0].get_facecolor() for container in figure.axes[0].containers[:3]]
    # Apart in print without colour, too.
    grey = sorted(np.dot(colour[:3], (0.2126, 0.7152, 0.0722)) for colour in colours)
    assert len(FILLS) == 3 and min(b - a for a, b in pairwise(grey)) > 0.2
    apart(figure)


def test_a_pair_the_other_way_round_is_turned_and_one_that_was_not_compared_says_so():
    rows = [
        posterior("A", "B", "one", Thirds(0.1, 0.2, 0.7)),
        posterior("B", "A", "two", Thirds(0.6, 0.3, 0.1)),
        posterior("A", "C", "two"),
    ]
    figure = draw_matrix(rows)
    second = [bar.get_width() for container in figure.axes[1].containers for bar in container][:3]
    assert second == pytest.approx([0.1, 0.3, 0.6])
    assert texts(figure).count("A") == texts(figure).count("not compared") == 1


def test_a_matrix_of_region_probabilities_shows_those():
    row = posterior()
    figure = draw_matrix([row], "region")
    shown = texts(figure)
    assert format_share(row.region.b) in shown and format_share(row.decision.b) not in shown
    assert "Each bar shows the mean probability of each outcome on a new data set" in figure.get_label()


# --- curves ---


def test_curves_vary_the_region_and_both_bounds_of_the_prior():
    row = posterior(shares=Thirds(0.148, 0.441, 0.411))
    rope, spread, mean = list_panels(row)
    assert rope.chosen == pytest.approx(0.2) and len(rope.points) == 13
    assert sorted(spread.points) == [3, 10, 100, 1000] and spread.chosen == 1000
    assert sorted(mean.points) == [0.75, 1, 2, 5] and mean.chosen == 1
    figure = draw_curves(row)
    assert texts(figure).count("chosen") == len(figure.axes) == 6
    (line,) = lines(figure.axes[0], "practically equal")
    assert dict(line.get_xydata())[0.2] == pytest.approx(0.441)
    (line,) = lines(figure.axes[4], "Collins better")
    assert line.get_ydata() == pytest.approx([spread.points[x].region.b for x in (3, 10, 100, 1000)])
    looks = {
        (line.get_linestyle(), line.get_marker()) for line in figure.axes[0].lines if line.get_marker() != "None"
    }
    assert len(looks) == 3
    apart(figure)


def test_a_pair_without_curves_has_no_panels():
    assert list_panels(replace(posterior(), rope_curve=(), prior_curve=())) == []
    assert list_panels(replace(posterior(), rope_curve=posterior().rope_curve[:1], prior_curve=())) == []


# --- triangles ---


def shaded(axes) -> list:
    from matplotlib.collections import PolyCollection

    return [found for found in axes.collections if isinstance(found, PolyCollection)]


def test_a_is_at_the_bottom_left_b_at_the_bottom_right_equal_on_top():
    assert [place_shares(*corner) for corner in ((1, 0), (0, 1), (0, 0))] == [
        (0, 0),
        (1, 0),
        (0.5, pytest.approx(math.sqrt(3) / 2)),
    ]
    figure = draw_simplex(posterior())
    places = {text.get_text(): text.xy for text in figure.axes[0].texts if hasattr(text, "xy")}
    assert (places["TnT"], places["Collins"]) == ((0, 0), (1, 0))
    assert "equal .003" in texts(figure)
    assert ".829" in bold(figure) and not {".168", "equal .003"} & bold(figure)
    apart(figure)


def test_the_decision_boundaries_run_from_the_centre_to_the_middles_of_the_sides():
    found = lines(draw_simplex(posterior()).axes[0], "where the most probable outcome changes")
    starts, ends = zip(*(line.get_xydata() for line in found), strict=True)
    assert np.array(starts) == pytest.approx(np.array([place_shares(1 / 3, 1 / 3)] * 3))
    assert np.array(ends) == pytest.approx(
        np.array([place_shares(0.5, 0.5), place_shares(0.5, 0), place_shares(0, 0.5)])
    )


def test_a_cell_covers_just_the_draws_that_fall_into_it():
    for up in (True, False):
        a, b = (sum(corner) / 3 for corner in zip(*list_corners(3, 4, up), strict=True))
        assert (math.floor(a), math.floor(b)) == (3, 4)
        assert (math.floor(10 - a - b) == 10 - 1 - 3 - 4) is up


def test_every_cell_is_drawn_once_in_the_shade_of_its_draws():
    row = posterior(shares=Thirds(0.148, 0.441, 0.411))
    (cells,) = shaded(draw_simplex(row).axes[0])
    assert cells.get_array().tolist() == [cell.draws for cell in row.simplex]
    assert len(cells.get_paths()) == len(row.simplex)


@pytest.mark.parametrize("shares", [(0.148, 0.441, 0.411), (0.01, 0.98, 0.01), (0.0, 0.0, 1.0)])
def test_contours_hold_the_stated_share_with_no_cell_to_spare(shares):
    row = posterior(shares=Thirds(*shares))
    cells, corner_heights, levels = smooth_density(row)
    draws = {(cell.a, cell.b, cell.up): cell.draws for cell in row.simplex}
    keys = [(a, b, up) for a in range(24) for b in range(24 - a) for up in (True, False) if up or a + b < 23]
    heights = corner_heights[cells].mean(axis=1)
    ranked = sorted(zip(-heights, keys, strict=True))
    for percent, level in levels.items():
        held = [draws.get(key, 0) for height, key in ranked if -height >= level]
        assert 100 * sum(held) >= percent * sum(draws.values()) > 100 * sum(held[:-1])


def test_without_a_region_of_equality_draws_become_bars_on_a_line():
    row = posterior(shares=Thirds(0.2, None, 0.8), rope=0.0)
    (axes,) = draw_simplex(row).axes
    (bars,) = axes.containers
    assert len(bars) == len({cell.b for cell in row.simplex})
    tall = {round(bar.get_x() * row.sides): bar.get_height() for bar in bars}
    draws = {b: sum(cell.draws for cell in row.simplex if cell.b == b) for b in tall}
    assert max(tall, key=tall.get) == max(draws, key=draws.get)
    assert "equal" not in " ".join(texts(axes.figure))


def test_a_page_of_triangles_has_one_for_every_pair_and_one_scale():
    rows = [row for row in table(50) if row.measure == "oov"][:3]
    empty = replace(posterior("X", "Y"), simplex=())
    figure = draw_simplex_grid([rows[:2], [rows[2], empty], [None]], "All pairs, oov", ["one"] * 2)
    found = [cells for axes in figure.axes[:-1] for cells in shaded(axes)]
    assert [cells.get_array().sum() for cells in found] == [50] * 3
    assert len({(cells.norm.vmin, cells.norm.vmax) for cells in found}) == 1
    shown = texts(figure)
    assert shown.count("no draws") == shown.count("draws\nin a cell") == 1 and shown.count("one") == 2
    apart(figure)


# --- the order ---


def arrows(figure) -> dict[bool, list]:
    """The lines of the arrows, flagged or not."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import FancyArrowPatch

    found: dict[bool, list] = {True: [], False: []}
    for arrow in figure.axes[0].patches:
        if isinstance(arrow, FancyArrowPatch):
            found[arrow.get_edgecolor() == to_rgba(FLAG)].append(arrow._path_original.vertices)
    return found


def boxes(figure) -> dict[str, tuple[float, float, float, float]]:
    """The boxes of systems by their names: left, bottom, width, height."""
    axes = figure.axes[0]
    found = [box.get_bbox().bounds for box in axes.patches if hasattr(box, "get_boxstyle") and box.get_fill()]
    return dict(zip([text.get_text() for text in axes.texts if text.get_text() in SYSTEMS], found, strict=True))


def test_the_graph_has_a_box_for_every_system_and_a_line_for_every_relation_drawn():
    order = ranking("oov", table(50))
    assert set(sort_relations(order)[1]) == {("TnT", "LAPOS"), ("Stanford", "Flair")}
    figure = draw_ranking(order)
    bottom = {name: box[1] for name, box in boxes(figure).items()}
    assert (
        bottom["Flair"] > bottom["Stanford"] == bottom["NLP4J"] > bottom["LAPOS"] > bottom["TnT"] == bottom["Collins"]
    )
    found = arrows(figure)
    assert (len(found[True]), len(found[False])) == (2, len(sort_relations(order)[0]))
    assert all(line[0][1] < line[-1][1] for line in (*found[True], *found[False]))
    signs = [text.get_text() for text in figure.axes[0].texts]
    assert [signs.count(sign) for sign in "!≈⪅"] == [2, 3, 1]
    shown = texts(figure)
    assert order.chain in figure.get_label() and "≈ practically equivalent" in shown
    assert "⪅ means ≈, with < nearly as frequent." in " ".join(shown)
    assert all(sentence in " ".join("\n".join(shown).split()) for sentence in order.intransitive)


@pytest.mark.parametrize("measure", ["token", "sentence", "oov"])
def test_no_line_passes_behind_a_box(measure):
    figure = draw_ranking(ranking(measure, table(50)))
    drawn = [line for found in arrows(figure).values() for line in found]
    ties = [line.get_xydata() for line in figure.axes[0].lines if len(line.get_xydata())]
    assert ties
    drawn += ties
    parts = np.linspace(0.05, 0.95, 19)[:, None]
    for x, y, width, height in boxes(figure).values():
        for line in drawn:
            for start, end in pairwise(line):
                across, up = (start + parts * (end - start)).T
                assert not np.any((x < across) & (across < x + width) & (y < up) & (up < y + height))


def test_three_that_are_all_equal_stand_in_one_frame():
    order = ranking("token", table(50))
    assert sort_relations(order)[1] == ()
    figure = draw_ranking(order)
    (frame,) = [
        box.get_bbox() for box in figure.axes[0].patches if hasattr(box, "get_boxstyle") and not box.get_fill()
    ]
    within = {name for name, (_, y, _, _) in boxes(figure).items() if frame.y0 < y < frame.y1}
    assert within == {"Collins", "LAPOS", "Stanford"} and "all ≈" in texts(figure)


def test_a_cycle_is_drawn_with_its_edge_against_the_order_flagged():
    circle = Ranking(
        *("m", ("a", "b", "c"), "a < b < c"),
        relations=tuple(
            RankRelation(*row, covers, covers)
            for *row, covers in (("a", "b", "<", True), ("b", "c", "<", True), ("a", "c", ">", False))
        ),
        intransitive=("a < b < c < a: the relation is a cycle.",),
    )
    assert sort_relations(circle)[1] == (("c", "a"),)
    ((start, *_, end),) = arrows(draw_ranking(circle))[True]
    assert start[1] > end[1], "from c, the worse in this pair, down to a"


def test_long_edges_stop_at_every_level_they_pass():
    level = assign_levels(("a", "b", "c", "d"), [("a", "b"), ("b", "c")])
    assert level == {"a": 0, "b": 1, "c": 2, "d": 0}
    rows, paths = lay_out_levels(("a", "b", "c", "d"), level, [("a", "b"), ("b", "c"), ("a", "c")])
    assert paths["a", "c"] == ["a", ("a", "c", 1), "c"]
    assert sorted(map(str, rows[1])) == ["('a', 'c', 1)", "b"]
    assert assign_levels(("x",), []) == {"x": 0}


def dashes(figure) -> dict[str, set[str]]:
    """The dashes of arrows, of ties and of frames."""
    axes = figure.axes[0]
    frames = [box for box in axes.patches if hasattr(box, "get_boxstyle") and not box.get_fill()]
    arrows = [patch for patch in axes.patches if hasattr(patch, "get_arrowstyle")]
    ties = [line for line in axes.lines if len(line.get_xydata())]
    return {
        name: {drawn.get_linestyle() for drawn in found}
        for name, found in (("arrows", arrows), ("ties", ties), ("frames", frames))
    }


UNDECIDED = "undecided; the most frequent relation is shown"


def test_what_is_undecided_is_drawn_as_such_and_hides_nothing():
    rows = (("a", "b", "?"), ("b", "c", "≈"), ("a", "c", "<"))
    order = Ranking("m", ("a", "b", "c"), "a ? b ≈ c", tuple(RankRelation(*row, False, False) for row in rows))
    assert sort_relations(order)[1] == ()
    figure = draw_ranking(order, [frozenset("ab")])
    assert {UNDECIDED, "≈ practically equivalent"} <= set(texts(figure))
    assert dashes(figure)["ties"] == {"--", "-"}


def test_links_of_undecided_pairs_are_dashed_and_the_others_are_not():
    posteriors = table(50)
    undecided = [frozenset((row.a, row.b)) for row in posteriors if row.measure == "token"]
    order = ranking("token", posteriors)
    # No share of the paper reaches .95, so all links are dashed.
    dashed = dashes(draw_ranking(order, undecided))
    assert dashed == {"arrows": {"--"}, "ties": {"--"}, "frames": {"--"}}
    assert dashes(list_figures(result(posteriors, (order,)))["ranking-token"]()) == dashed
    decided = draw_ranking(order)
    assert dashes(decided) == {"arrows": {"-"}, "ties": {"-"}, "frames": {"-"}}
    assert UNDECIDED not in texts(decided)
    mixed = draw_ranking(order, undecided[:1])
    assert dashes(mixed)["arrows"] == {"--", "-"}
    assert {UNDECIDED, "worse → better"} <= set(texts(mixed))


def test_the_caption_of_a_ranking_is_its_headline_with_the_region():
    said = "TnT ? (< .829) Collins (≈: within 0.2 points, given by --rope)"
    figure = draw_ranking(replace(ranking("token", table(50)), headline=said))
    assert figure.get_label() == f"Order by token: {said}."


def test_thirty_systems_can_be_drawn():
    names = tuple(f"system {number:02}" for number in range(30))
    pairs = [(a, b) for index, a in enumerate(names) for b in names[index + 1 :]]
    rows = tuple(RankRelation(a, b, "≈", False, False) for a, b in pairs)
    figure = draw_ranking(Ranking("m", names, " ≈ ".join(names), rows))
    assert set(names) <= set(texts(figure))
