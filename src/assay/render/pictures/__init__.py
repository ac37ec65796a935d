"""Figures as files, drawn from a Result alone by matplotlib, of the extra `plot`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import unknown
from assay.render.pictures import runs, systems
from assay.render.pictures.sheet import FORMATS, check_plot, content, short
from assay.result import Comparison, Result, Results, is_category
from assay.result.numbers import DIFFERENCES
from assay.result.schema import Posterior

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST = 60
Draw = Callable[[], "Figure"]

__all__ = ["check_plot", "files", "picture", "pictures"]


def files(result: Result | Results, folder: Path, formats: Sequence[str]) -> dict[Path, bytes]:
    """All figures of a Result, or of several data sets, by their files in a folder; nothing is written yet."""
    for form in formats:
        if form not in FORMATS:
            raise unknown("format of figures", form, FORMATS)
    check_plot()
    found: dict[Path, bytes] = {}
    for name, draw in pictures(result).items():
        figure = draw()
        found |= {path: content(figure, path) for path in (folder / f"{name}.{form}" for form in formats)}
    return found


def picture(result: Result | Results, kind: str) -> Figure:
    """The figure of this name, or the first of this kind."""
    check_plot()
    found = pictures(result)
    name = next((name for name in found if name == kind or name.startswith(f"{kind}-")), None)
    if name is None:
        raise unknown("figure", kind, list(found))
    return found[name]()


def pictures(result: Result | Results) -> dict[str, Draw]:
    """Functions that draw figures, by the stems of their files' names, which differ on any file system.

    Of several data sets those over all come first, then those of each, in a folder of its name.
    """
    found: dict[str, Draw] = {}
    taken: set[str] = set()
    drawn = _of_sets(result) if isinstance(result, Results) else (*_of_scores(result), *_of_runs(result))
    for stem, draw in drawn:
        name, number = stem, 2
        while name.casefold() in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name.casefold())
        found[name] = draw
    return found


def stem(*names: str) -> str:
    """A file's name from names of anything: letters and digits of any script, and nothing that moves to a folder."""
    safe = (re.sub(r"[^\w.-]+", "_", unicodedata.normalize("NFC", name)).strip("._-") for name in names)
    # File systems count bytes, and a letter cut in half is none.
    return "-".join(text.encode()[:_LONGEST].decode(errors="ignore") or "_" for text in safe)


def _of_scores(result: Result) -> Iterator[tuple[str, Draw]]:
    """Figures of systems on one data set, by what is in the Result; what to look at first comes first."""
    if result.bayes:
        return
    for number, (form, by_measure) in enumerate(systems.overall(result)):
        yield stem("scores", *list(by_measure)[: min(number, 1)]), partial(systems.scores, by_measure, form)
    tests: dict[str, list[Comparison]] = {}
    for row in systems.choose_tests(result):
        tests.setdefault(DIFFERENCES[result.form_of(row)], []).append(row)
    for number, (form, own) in enumerate(tests.items()):
        yield stem("differences", *[own[0].measure] * min(number, 1)), partial(systems.differences, own, form)
    median = f" {result.shown.remarks['median']}" if "median" in result.shown.remarks else ""
    bounds = [row for row in result.bounds if row.slice is None and row.on == result.bounds[0].on]
    if len(bounds) > 2 and len(bounds[0].systems) > 2:
        yield "labels", partial(systems.label_scores, bounds, result.shown.noun, median)
    whole = [row for row in result.diffs if row.slice is None and not is_category(row.on)]
    shown = systems.choose_pairs(result, [(row.a, row.b) for row in whole])
    first = {pair: next(row for row in whole if (row.a, row.b) == pair) for pair in shown}
    for diff in whole:
        if first.get((diff.a, diff.b)) is diff and any(row.difference for row in diff.labels):
            yield stem("labels", diff.a, diff.b), partial(systems.label_differences, diff, result.shown.noun, median)
    for system, cells in systems.confusions(result).items():
        same = result.shown.remarks.get("confusion same", "On the diagonal the label is right, but not the place.")
        diagonal = f" {same}" if any(one is not None and one == other for one, other in cells) else ""
        caption = f"Errors of {short(system)} by gold's label and its own.{diagonal}{median}"
        yield stem("confusion", system), partial(systems.draw_confusion, cells, "gold", short(system), caption)
    if result.coincidences:
        meetings = {(row.first, row.second): row.count for row in result.coincidences if row.first != row.second}
        if meetings:
            caption = "Labels that annotators give to the same item, in pairs of ratings."
            yield "coincidences", partial(systems.draw_confusion, meetings, "one annotator", "another", caption)
    for number, group in enumerate(systems.group_error_types(result)):
        yield stem("errors", *group[: min(number, 1)]), partial(systems.error_types, [("", result)], group)
    for name in systems.slice_scores(result):
        yield stem("slices", name), partial(systems.slice_curves, result, name)


def _of_sets(results: Results) -> Iterator[tuple[str, Draw]]:
    """Ranks and types of errors over several data sets, then the figures of each."""
    yield from _of_runs(results.overall)
    for number, group in enumerate(systems.group_error_types(next(iter(results.sets.values())))):
        name = stem("errors", group[0]) if number else "errors"
        yield name, partial(systems.error_types, list(results.sets.items()), group)
    for name, result in results.sets.items():
        yield from ((f"{stem(name)}/{own}", draw) for own, draw in pictures(result).items())


def _of_runs(result: Result) -> Iterator[tuple[str, Draw]]:
    """Figures of systems over many runs."""

    def named(kind: str, posterior: Posterior) -> str:
        return stem(kind, posterior.measure, posterior.a, posterior.b)

    for posterior in result.bayes:
        if posterior.by_data_set:
            yield named("forest", posterior), partial(runs.forest, posterior)
    for kind in runs.KINDS if result.bayes else ():
        yield "matrix" if kind == "decision" else f"matrix-{kind}", partial(runs.matrix, result.bayes, kind)
    for ranking in result.rankings:
        of_measure = [one for one in result.bayes if one.measure == ranking.measure]
        undecided = [frozenset((one.a, one.b)) for one in of_measure if "undecided" in one.claims]
        yield stem("ranking", ranking.measure), partial(runs.ranking_graph, ranking, undecided)
    for ranks in result.ranks:
        yield stem("ranks", ranks.measure), partial(runs.critical_difference, ranks)
    # A page of triangles for each measure as in the paper, one of all measures, and each triangle large.
    drawn = [posterior for posterior in result.bayes if posterior.simplex]
    columns = list(dict.fromkeys(posterior.measure for posterior in drawn))
    for measure in columns:
        chosen = [posterior for posterior in drawn if posterior.measure == measure]
        wide = 5 if len(chosen) > 9 else 3
        rows = [chosen[start : start + wide] for start in range(0, len(chosen), wide)]
        if len(chosen) > 1:
            yield stem("simplex", measure), partial(runs.simplex_grid, rows, f"All pairs, {short(measure)}")
    if len(columns) > 1:
        # A row per pair, a column per measure; a pair keeps the way round that each measure has.
        found = {(row.measure, frozenset((row.a, row.b))): row for row in drawn}
        grid = [[found.get((measure, frozenset(pair))) for measure in columns] for pair in runs.pairs(drawn)]
        yield "simplex", partial(runs.simplex_grid, grid, "All pairs and measures", columns)
    for posterior in drawn:
        yield named("simplex", posterior), partial(runs.simplex, posterior)
    for posterior in result.bayes:
        if runs.panels(posterior):
            yield named("curves", posterior), partial(runs.curves, posterior)
