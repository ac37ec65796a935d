"""Pictures of comparisons over many runs as files, drawn from a Result alone by matplotlib, of the extra `plot`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.render.pictures.plots import KINDS, curves, forest, matrix, measures, pairs, panels
from assay.render.pictures.ranking import ranking_graph
from assay.render.pictures.ranks import critical_difference
from assay.render.pictures.sheet import check_plot, content, short
from assay.render.pictures.simplex import simplex, simplex_grid
from assay.result import Result
from assay.result.posteriors import Posterior

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST = 60

__all__ = ["check_plot", "files", "pictures"]


def files(result: Result, folder: Path, form: str) -> dict[Path, bytes]:
    """All pictures of a Result by their files in a folder; nothing is written yet."""
    named = ((folder / f"{name}.{form}", figure) for name, figure in pictures(result))
    return {path: content(figure, path) for path, figure in named}


def pictures(result: Result) -> Iterator[tuple[str, Figure]]:
    """All pictures of a Result, each with the stem of its file's name; no two stems are alike on any file system."""
    taken: set[str] = set()
    for stem, figure in _drawn(result):
        name, number = stem, 2
        while name.casefold() in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name.casefold())
        yield name, figure


def stem(*names: str) -> str:
    """A file's name from names of anything: letters and digits of any script, and nothing that moves to a folder."""
    safe = (re.sub(r"[^\w.]+", "_", unicodedata.normalize("NFC", name)).strip("._") for name in names)
    # File systems count bytes, and a letter cut in half is none.
    return "-".join(text.encode()[:_LONGEST].decode(errors="ignore") or "_" for text in safe)


def _drawn(result: Result) -> Iterator[tuple[str, Figure]]:
    """The pictures with their names; what to look at first comes first."""

    def named(kind: str, posterior: Posterior) -> str:
        return stem(kind, posterior.measure, posterior.a, posterior.b)

    for posterior in result.bayes:
        if posterior.by_data_set:
            yield named("forest", posterior), forest(posterior)
    for kind in KINDS if result.bayes else ():
        yield "matrix" if kind == "decision" else f"matrix-{kind}", matrix(result.bayes, kind)
    for ranking in result.rankings:
        yield stem("ranking", ranking.measure), ranking_graph(ranking)
    for ranks in result.ranks:
        yield stem("ranks", ranks.measure), critical_difference(ranks)
    # A page of triangles for each measure as in the paper, one of all measures, and each triangle large.
    drawn = [posterior for posterior in result.bayes if posterior.simplex]
    columns = measures(drawn)
    for measure in columns:
        chosen = [posterior for posterior in drawn if posterior.measure == measure]
        wide = 5 if len(chosen) > 9 else 3
        rows = [chosen[start : start + wide] for start in range(0, len(chosen), wide)]
        if len(chosen) > 1:
            yield stem("simplex", measure), simplex_grid(rows, f"All pairs: {short(measure)}")
    if len(columns) > 1:
        # A row per pair, a column per measure; a pair keeps the way round that each measure has.
        found = {(row.measure, frozenset((row.a, row.b))): row for row in drawn}
        grid = [[found.get((measure, frozenset(pair))) for measure in columns] for pair in pairs(drawn)]
        yield "simplex", simplex_grid(grid, "All pairs and measures", columns)
    for posterior in drawn:
        yield named("simplex", posterior), simplex(posterior)
    for posterior in result.bayes:
        if panels(posterior):
            yield named("curves", posterior), curves(posterior)
