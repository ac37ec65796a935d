"""Pictures of comparisons over many runs as files, drawn from a Result alone by matplotlib, of the extra `plot`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.render.pictures.curves import curves, panels
from assay.render.pictures.forest import forest
from assay.render.pictures.matrix import KINDS, matrix, measures, pairs
from assay.render.pictures.ranking import ranking_graph
from assay.render.pictures.sheet import check_plot, content
from assay.render.pictures.simplex import simplex, simplex_grid
from assay.render.pictures.words import short
from assay.result import Result
from assay.result.posteriors import Posterior

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Named = Iterator[tuple[str, "Figure"]]
_LONGEST = 60

__all__ = ["PICTURES", "check_plot", "files", "pictures"]


def files(result: Result, folder: Path, form: str) -> dict[Path, bytes]:
    """All pictures of a Result by their files in a folder; nothing is written yet."""
    named = ((folder / f"{name}.{form}", figure) for name, figure in pictures(result))
    return {path: content(figure, path) for path, figure in named}


def pictures(result: Result) -> Named:
    """All pictures of a Result, each with the stem of its file's name; no two stems are alike on any file system."""
    taken: set[str] = set()
    for draw in PICTURES.values():
        for stem, figure in draw(result):
            name, number = stem, 2
            while name.casefold() in taken:
                name, number = f"{stem}-{number}", number + 1
            taken.add(name.casefold())
            yield name, figure


def stem(*names: str) -> str:
    """A file's name from names of anything: letters and digits of any script, and nothing that moves to a folder."""
    return "-".join(map(_safe, names))


def _safe(name: str) -> str:
    text = re.sub(r"[^\w.]+", "_", unicodedata.normalize("NFC", name)).strip("._")
    # File systems count bytes, and a letter cut in half is none.
    return text.encode()[:_LONGEST].decode(errors="ignore") or "_"


def _forests(result: Result) -> Named:
    for posterior in result.bayes:
        if posterior.by_data_set:
            yield _named("forest", posterior), forest(posterior)


def _matrices(result: Result) -> Named:
    for kind in KINDS if result.bayes else ():
        yield "matrix" if kind == "decision" else f"matrix-{kind}", matrix(result.bayes, kind)


def _simplexes(result: Result) -> Named:
    """A page of triangles for each measure as in the paper, one of all measures, and each triangle large."""
    drawn = [posterior for posterior in result.bayes if posterior.simplex]
    for measure in measures(drawn):
        chosen = [posterior for posterior in drawn if posterior.measure == measure]
        columns = 5 if len(chosen) > 9 else 3
        rows = [chosen[start : start + columns] for start in range(0, len(chosen), columns)]
        if len(chosen) > 1:
            yield stem("simplex", measure), simplex_grid(rows, f"All pairs: {short(measure)}")
    if len(measures(drawn)) > 1:
        yield "simplex", _all_measures(drawn)
    for posterior in drawn:
        yield _named("simplex", posterior), simplex(posterior)


def _all_measures(posteriors: list[Posterior]) -> Figure:
    """A row per pair, a column per measure; a pair keeps the way round that each measure has."""
    found = {(row.measure, frozenset((row.a, row.b))): row for row in posteriors}
    columns = measures(posteriors)
    rows = [[found.get((measure, frozenset(pair))) for measure in columns] for pair in pairs(posteriors)]
    return simplex_grid(rows, "All pairs and measures", columns)


def _curves(result: Result) -> Named:
    for posterior in result.bayes:
        if panels(posterior):
            yield _named("curves", posterior), curves(posterior)


def _rankings(result: Result) -> Named:
    for ranking in result.rankings:
        yield stem("ranking", ranking.measure), ranking_graph(ranking)


def _named(kind: str, posterior: Posterior) -> str:
    return stem(kind, posterior.measure, posterior.a, posterior.b)


PICTURES: dict[str, Callable[[Result], Named]] = {
    "forest": _forests,
    "matrix": _matrices,
    "ranking": _rankings,
    "simplex": _simplexes,
    "curves": _curves,
}
"""Each kind of picture by name; what to look at first comes first."""
