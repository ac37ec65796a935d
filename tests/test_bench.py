"""The benchmarks name parts of assay by their places: these are there."""

from __future__ import annotations

import runpy
from functools import reduce
from importlib import import_module
from pathlib import Path

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
