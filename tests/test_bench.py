"""The benchmarks name parts of assay by their places: these are there."""

from __future__ import annotations

import re
import runpy
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

import assay
from cases import each

BENCH = Path(__file__).parents[1] / "bench"
PARTS = runpy.run_path(str(BENCH / "breakdown.py"))["PARTS"]


@each("place", [place for places in PARTS.values() for place in places])
def test_what_a_breakdown_of_time_names_is_there(place):
    module, _, name = place.partition(":")
    assert callable(found := reduce(getattr, name.split("."), import_module(f"assay.{module}"))) or hasattr(
        found, "func"
    )


def test_the_tables_have_their_places():
    for path in (BENCH.parent / "README.md", BENCH / "README.md"):
        text = path.read_text(encoding="utf-8")
        assert text.index("<!-- begin: make bench -->") < text.index("<!-- end: make bench -->")


def test_every_benchmark_is_described():
    text = (BENCH / "README.md").read_text("utf-8")
    names = re.findall(r'^    "(\w+)": bench_\1,$', (BENCH / "run.py").read_text("utf-8"), re.MULTILINE)
    assert len(names) > 15
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_loop_beside_events_has_the_same_numbers(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    events = runpy.run_path(str(BENCH / "events.py"))
    events["make"](tmp_path, 60)
    gold, *systems = (str(tmp_path / f"{name}.jsonl") for name in ("gold", "a", "b"))
    result = assay.score(gold, systems, list(events["MEASURES"]), times=1)
    for name, values in events["count"]([gold, *systems]).items():
        assert [result.score(system, name).value for system in "ab"] == pytest.approx(values, abs=1e-12)
        assert 0 < min(values) <= max(values) < 1


@pytest.mark.parametrize(("name", "measure"), [("hipe", "links"), ("label-studio", "exact")])
def test_what_stands_beside_doors_has_the_same_numbers(name, measure, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    ending, make = runpy.run_path(str(BENCH / "doors.py"))["FILES"][name]
    read = runpy.run_path(str(BENCH / "doorfloor.py"))["READERS"][name]
    paths = [tmp_path / f"{side}.{ending}" for side in ("gold", "system")]
    for path, errors in zip(paths, (0, 7), strict=True):
        path.write_text("".join(make(2, errors)), "utf-8")
    gold, system = (set(read(str(path))) for path in paths)
    result = assay.score(*map(str, paths), measure, times=1)
    # Of 100 mentions, eight in each document have another entity or label.
    assert (len(gold), len(system), len(gold & system)) == (100, 100, 84)
    assert result.score("system", measure).value == pytest.approx(0.84, abs=1e-12)
