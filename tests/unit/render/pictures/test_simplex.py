"""Triangles of posterior draws."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from assay.render.pictures.canvas import Canvas, Lines, Rect, Text
from assay.render.pictures.simplex import Triangle, corners, densest, outline, scale, simplex, simplex_grid
from assay.render.pictures.style import SHADES
from assay.result.posteriors import SimplexCell, Thirds
from unit.render.pictures.drawn import SIDES, posterior, table


def drawn(canvas: Canvas, role: str) -> list[tuple[tuple[float, float], ...]]:
    return [line for mark in canvas.marks if isinstance(mark, Lines) and mark.role == role for line in mark.lines]


def texts(canvas: Canvas) -> list[str]:
    return [mark.text for mark in canvas.marks if isinstance(mark, Text)]


def test_a_is_at_the_bottom_left_b_at_the_bottom_right_equal_on_top():
    triangle = Triangle(100, 300, 200)
    assert triangle.at(1, 0) == (100, 300)
    assert triangle.at(0, 1) == (300, 300)
    assert triangle.at(0, 0) == pytest.approx((200, 300 - 100 * math.sqrt(3)))
    canvas = simplex(posterior())
    left, right, top = drawn(canvas, "frame")[0]
    assert left[0] < top[0] < right[0] and left[1] == right[1] > top[1]
    assert math.dist(left, right) == pytest.approx(math.dist(left, top)) == pytest.approx(math.dist(right, top))


def test_the_decision_boundaries_run_from_the_centre_to_the_middles_of_the_sides():
    canvas = simplex(posterior())
    left, right, top = drawn(canvas, "frame")[0]
    centre = (sum(p[0] for p in (left, right, top)) / 3, sum(p[1] for p in (left, right, top)) / 3)
    ends = set()
    for start, end in drawn(canvas, "boundary")[:3]:
        assert start == pytest.approx(centre)
        ends.add((round(end[0], 6), round(end[1], 6)))
    middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in ((left, right), (left, top), (right, top))]
    assert ends == {(round(x, 6), round(y, 6)) for x, y in middles}


def test_a_cell_covers_just_the_draws_that_fall_into_it():
    triangle = Triangle(0, 0, 1)
    for cell in (SimplexCell(3, 4, True, 1), SimplexCell(3, 4, False, 1)):
        points = corners((cell.a, cell.b, cell.up))
        a, b = (sum(point[side] for point in points) / 3 for side in (0, 1))
        equal = 10 - a - b
        assert (math.floor(a), math.floor(b)) == (3, 4)
        assert (math.floor(equal) == 10 - 1 - 3 - 4) is cell.up
        ys = sorted(triangle.at(x / 10, y / 10)[1] for x, y in points)
        # y runs downwards: a triangle that points upwards has one corner above two.
        assert (ys[1] == pytest.approx(ys[2])) is cell.up


def test_every_cell_is_drawn_once_in_the_shade_of_its_draws():
    row = posterior(shares=Thirds(0.148, 0.441, 0.411))
    canvas = simplex(row)
    steps = scale(max(cell.draws for cell in row.simplex))
    shades = [drawn(canvas, f"shade-{step}") for step in range(SHADES)]
    assert sum(map(len, shades)) == len(row.simplex)
    used = [len(rings) for rings in shades if rings]
    wanted = [
        sum(1 for cell in row.simplex if least <= cell.draws < most)
        for least, most in zip(steps, [*steps[1:], math.inf], strict=True)
    ]
    assert used == [number for number in wanted if number]


def test_the_scale_has_round_numbers_from_one_up():
    assert scale(1) == [1]
    assert scale(40) == [1, 3, 10, 30]
    assert scale(50_000) == [1, 30, 100, 300, 1000, 3000, 10_000, 30_000]
    assert "3,000" in texts(simplex(posterior(shares=Thirds(0.01, 0.98, 0.01), draws=60_000)))


def test_contours_hold_the_stated_share_with_no_cell_to_spare():
    row = posterior(shares=Thirds(0.148, 0.441, 0.411))
    draws = {(cell.a, cell.b, cell.up): cell.draws for cell in row.simplex}
    whole = sum(draws.values())
    inner, outer = densest(row, (50, 95))
    assert inner < outer
    for cells, percent in ((inner, 50), (outer, 95)):
        held = sum(draws.get(cell, 0) for cell in cells)
        assert 100 * held >= percent * whole
        assert 100 * (held - max(draws.values())) < percent * whole


def test_an_outline_is_closed_and_has_each_open_side_once():
    one = outline([(0, 0, True)])
    assert [sorted(line) for line in one] == [[(0, 0), (0, 1), (1, 0)]]
    rhombus = outline([(0, 0, True), (0, 0, False)])
    assert [sorted(line) for line in rhombus] == [[(0, 0), (0, 1), (1, 0), (1, 1)]]
    apart = outline([(0, 0, True), (5, 0, True)])
    assert len(apart) == 2
    touching = outline([(0, 0, True), (1, 0, True)])
    assert sum(map(len, touching)) == 6


def test_names_and_shares_stand_at_the_corners():
    canvas = simplex(posterior())
    left, right, top = drawn(canvas, "frame")[0]
    places = {mark.text: (mark.x, mark.y, mark.role) for mark in canvas.marks if isinstance(mark, Text)}
    assert places["TnT"][0] == left[0] and places["TnT"][1] > left[1]
    assert places["Collins"][0] == right[0]
    assert places["equal .003"][0] == top[0] and places["equal .003"][1] < top[1]
    assert places[".829"][2] == "strong"
    assert places[".168"][2] == "text"
    assert ".168" in canvas.description and "Mean probability on a new data set" in canvas.description


def test_without_a_region_of_equality_draws_become_bars_on_a_line():
    row = posterior(shares=Thirds(0.2, None, 0.8), rope=0.0)
    canvas = simplex(row)
    bars = [mark for mark in canvas.marks if isinstance(mark, Rect) and mark.role == "histogram"]
    assert len(bars) == len({cell.b for cell in row.simplex}) <= SIDES
    assert not drawn(canvas, "contour-50")
    assert "equal" not in canvas.description


def test_a_pair_without_draws_says_so():
    canvas = simplex_grid([[replace(posterior(), simplex=()), posterior("TnT", "LAPOS")]], "t")
    assert texts(canvas).count("no draws") == 1
    assert len(drawn(canvas, "frame")) == 2


def test_a_page_of_triangles_has_one_for_every_pair_and_one_scale():
    rows = [row for row in table(300) if row.measure == "oov"]
    canvas = simplex_grid([rows[:5], rows[5:10], rows[10:]], "All pairs: oov")
    assert len(drawn(canvas, "frame")) == 15
    assert sum(len(drawn(canvas, f"shade-{step}")) for step in range(SHADES)) == sum(len(row.simplex) for row in rows)
    lefts = [frame[0] for frame in drawn(canvas, "frame")]
    assert len(set(lefts)) == 15
    assert canvas.description.count("\n") == 14
    assert texts(canvas).count("draws in a cell, at least") == 1
