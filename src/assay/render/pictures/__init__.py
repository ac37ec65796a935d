"""Figures as files, drawn from a Result alone by matplotlib, of the extra `plot`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import unknown
from assay.render.pictures import confidences, runs, systems, weights
from assay.render.pictures.sheet import DPI, FORMATS, check_plot, encode_figure, shorten_name
from assay.render.tables import describe_contributions, name_group, name_nothing
from assay.result import Comparison, Result, Results, is_category
from assay.result.numbers import DIFFERENCES, plural
from assay.result.schema import Posterior
from assay.result.verdict import name_measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST = 60
Draw = Callable[[], "Figure"]

_MAIN = ("scores", "differences", "slices", "coincidences", "forest", "matrix", "ranking", "ranks")
"""The kinds of figures that a paper needs, if they are over all data."""

__all__ = ["check_plot", "choose_figures", "draw_figure", "draw_files", "list_figures"]


def draw_files(
    result: Result | Results, folder: Path, formats: Sequence[str], *, full: bool = False
) -> dict[Path, bytes]:
    """The figures that a paper needs, or all, by their files in a folder; nothing is written yet."""
    for form in formats:
        if form not in FORMATS:
            raise unknown("format of figures", form, FORMATS)
    check_plot()
    contents: dict[Path, bytes] = {}
    for name, draw in (list_figures(result) if full else choose_figures(result)).items():
        figure = draw()
        contents |= {path: encode_figure(figure, path) for path in (folder / f"{name}.{form}" for form in formats)}
    return contents


def draw_figure(result: Result | Results, kind: str) -> Figure:
    """The figure of this name, or the first of this kind."""
    check_plot()
    draws = list_figures(result)
    name = next((name for name in draws if name == kind or name.startswith(f"{kind}-")), None)
    if name is None:
        raise unknown("figure", kind, list(draws))
    figure = draws[name]()
    # A notebook draws figures only if pyplot was imported, so this one brings its picture along.
    vars(figure)["_repr_png_"] = partial(_show_picture, figure)
    return figure


def _show_picture(figure: Figure) -> tuple[bytes, dict[str, int]]:
    """A figure as PNG for a notebook, and the width there: 120 of its pixels in an inch, though the file has more."""
    content = encode_figure(figure, Path("figure.png"))
    return content, {"width": int.from_bytes(content[16:20], "big") * 120 // DPI}


def list_figures(result: Result | Results) -> dict[str, Draw]:
    """Functions that draw figures, by the names of their files without endings, which differ on any file system.

    Figures over all data sets come first, then those of each data set, in a folder with its name.
    """
    draws: dict[str, Draw] = {}
    used_names: set[str] = set()
    figures = (
        _set_figures(result) if isinstance(result, Results) else (*_score_figures(result), *_run_figures(result))
    )
    for stem, draw in figures:
        name, number = stem, 2
        while name.casefold() in used_names:
            name, number = f"{stem}-{number}", number + 1
        used_names.add(name.casefold())
        draws[name] = draw
    return draws


def choose_figures(result: Result | Results) -> dict[str, Draw]:
    """The few figures that a paper needs: scores, differences, and slices; over runs, each data set of the one pair,
    or the matrix and the order of several systems."""
    draws = list_figures(result)
    posteriors = result.bayes if isinstance(result, Result) else ()
    pairs = {frozenset((row.a, row.b)) for row in posteriors}
    is_pair = len(pairs) == 1 and any(row.by_data_set for row in posteriors)
    without = {"matrix", "ranking"} if is_pair else {"forest"}
    kinds = {name: name.partition("-")[0] for name in draws if "/" not in name and not name.startswith("matrix-")}
    return {name: draws[name] for name, kind in kinds.items() if kind in _MAIN and kind not in without}


def stem(*names: str) -> str:
    """The name of a file, without its ending, from any names: letters and digits of any script, but no slash."""
    safe = (re.sub(r"[^\w.-]+", "_", unicodedata.normalize("NFC", name)).strip("._-") for name in names)
    # File systems limit the number of bytes, and a letter must not be cut in half.
    return "-".join(text.encode()[:_LONGEST].decode(errors="ignore") or "_" for text in safe)


def _score_figures(result: Result) -> Iterator[tuple[str, Draw]]:
    """Figures of systems on one data set for which the Result has data, the most important first."""
    if result.bayes:
        return
    yield from _main_figures(result)
    median = f" {result.shown.remarks['median']}" if "median" in result.shown.remarks else ""
    bounds = [row for row in result.bounds if row.slice is None and row.on == result.bounds[0].on]
    if bounds and bounds[0].verdict:
        yield "bounds", partial(systems.draw_combination, bounds[0], result.shown.noun, median)
    if len(bounds) > 2 and len(bounds[0].systems) > 2:
        yield "labels", partial(systems.draw_label_scores, bounds, result.shown.noun, median)
    whole = [row for row in result.diffs if row.slice is None and not is_category(row.on)]
    shown = systems.choose_pairs(result, [(row.a, row.b) for row in whole])
    first = {pair: next(row for row in whole if (row.a, row.b) == pair) for pair in shown}
    for diff in whole:
        if first.get((diff.a, diff.b)) is diff and any(row.difference for row in diff.labels):
            yield (
                stem("labels", diff.a, diff.b),
                partial(
                    systems.draw_label_differences, diff, result.label_contributions(diff), result.shown.noun, median
                ),
            )
    main = next(iter(result.main_scores), "")
    for a, b in dict.fromkeys((row.a, row.b) for row in result.contributions if (row.a, row.b) in shown):
        parts = [row for row in result.contributions if (row.a, row.b, row.measure) == (a, b, main)]
        if difference := describe_contributions(result, a, b, main).partition(" = ")[0]:
            named = [(name_group(result, row), row) for row in parts]
            form = result.shown.score_forms.get(main, {}).get(parts[0].score, "percent")
            yield stem("contributions", a, b), partial(systems.draw_contributions, named, difference, form, median)
    for system, cells in systems.count_confusions(result).items():
        same = result.shown.remarks.get("confusion same", "On the diagonal the label is right, but not the place.")
        diagonal = f" {same}" if any(gold is not None and gold == assigned for gold, assigned in cells) else ""
        caption = f"Errors of {shorten_name(system)} by gold label and assigned label.{diagonal}{median}"
        missing = name_nothing(result).replace("∅", "missing")
        matrix = partial(systems.draw_confusion, cells, "gold", shorten_name(system), caption, missing)
        yield stem("confusion", system), matrix
    for one in result.calibrations:
        if one.bins:
            yield stem("reliability", one.system), partial(confidences.draw_reliability, one, median)
    for label in dict.fromkeys(row.label for row in result.curves):
        curves = [row for row in result.curves if row.label == label and row.points]
        if curves:
            yield (
                stem("precision-recall", *filter(None, [label])),
                partial(confidences.draw_precision_recall, curves, median),
            )
    pairs = systems.choose_pairs(result, [(row.a, row.b) for row in result.sweeps])
    for sweep in result.sweeps:
        if sweep.panels and (sweep.a, sweep.b) in pairs:
            yield stem("weights", sweep.a, sweep.b), partial(weights.draw_weights, sweep, median)
    if result.coincidences:
        meetings = {(row.first, row.second): row.count for row in result.coincidences if row.first != row.second}
        if meetings:
            caption = "Labels that annotators gave to the same item, in pairs of ratings."
            yield "coincidences", partial(systems.draw_confusion, meetings, "one annotator", "another", caption)
    for number, group in enumerate(systems.group_error_types(result)):
        yield stem("errors", *group[: min(number, 1)]), partial(systems.draw_error_types, [("", result)], group)
    for name in systems.group_slices(result):
        yield stem("slices", name), partial(systems.draw_slices, result, name)


def _main_figures(result: Result) -> Iterator[tuple[str, Draw]]:
    """Figures of scores and differences; of averages, if the Result is over several data sets."""
    sets = next((row.data_sets for row in result.systems_over_sets), 0)
    over = f" Averages over {plural(sets, 'data set')}." if sets else ""
    for number, (form, by_measure) in enumerate(systems.group_scores(result)):
        name = stem("scores", *list(by_measure)[: min(number, 1)])
        titled = {name_measure(result, measure): rows for measure, rows in by_measure.items()}
        yield name, partial(systems.draw_scores, titled, form, over)
    tests: dict[str, list[Comparison]] = {}
    for row in systems.choose_tests(result):
        tests.setdefault(DIFFERENCES[result.form_of(row)], []).append(row)
    for number, (form, rows) in enumerate(tests.items()):
        name = stem("differences", *[rows[0].measure] * min(number, 1))
        titled_rows = [replace(row, measure=name_measure(result, row.measure)) for row in rows]
        yield name, partial(systems.draw_differences, titled_rows, form, over)


def _set_figures(results: Results) -> Iterator[tuple[str, Draw]]:
    """Figures of averages, ranks and error types over several data sets, then those of each data set."""
    yield from _main_figures(results.overall)
    yield from _run_figures(results.overall)
    for number, group in enumerate(systems.group_error_types(next(iter(results.sets.values())))):
        name = stem("errors", group[0]) if number else "errors"
        yield name, partial(systems.draw_error_types, list(results.sets.items()), group)
    for name, result in results.sets.items():
        yield from ((f"{stem(name)}/{figure_name}", draw) for figure_name, draw in list_figures(result).items())


def _run_figures(result: Result) -> Iterator[tuple[str, Draw]]:
    """Figures of systems over many runs."""

    def name_figure(kind: str, posterior: Posterior) -> str:
        return stem(kind, posterior.measure, posterior.a, posterior.b)

    for posterior in result.bayes:
        if posterior.by_data_set:
            yield name_figure("forest", posterior), partial(runs.draw_forest, posterior)
    for kind in runs.KINDS if result.bayes else ():
        yield "matrix" if kind == "decision" else f"matrix-{kind}", partial(runs.draw_matrix, result.bayes, kind)
    for ranking in result.rankings:
        rows = [row for row in result.bayes if row.measure == ranking.measure]
        undecided = [frozenset((row.a, row.b)) for row in rows if "undecided" in row.claims]
        yield stem("ranking", ranking.measure), partial(runs.draw_ranking, ranking, undecided)
    for table in result.tables if result.about.command == "bayes" else ():
        if table.name == "scores":
            yield stem("scores", table.title.partition(": ")[2]), partial(systems.draw_score_map, table)
    for ranks in result.ranks:
        yield stem("ranks", ranks.measure), partial(runs.draw_critical_difference, ranks)
    # A page of triangles for each measure as in the paper, one of all measures, and each triangle large.
    with_simplex = [posterior for posterior in result.bayes if posterior.simplex]
    columns = list(dict.fromkeys(posterior.measure for posterior in with_simplex))
    for measure in columns:
        of_measure = [posterior for posterior in with_simplex if posterior.measure == measure]
        wide = 5 if len(of_measure) > 9 else 3
        grid_rows = [of_measure[start : start + wide] for start in range(0, len(of_measure), wide)]
        if len(of_measure) > 1:
            yield (
                stem("simplex", measure),
                partial(runs.draw_simplex_grid, grid_rows, f"All pairs, {shorten_name(measure)}"),
            )
    if len(columns) > 1:
        # A row per pair, a column per measure; the order of a pair's systems may differ between measures.
        by_pair = {(row.measure, frozenset((row.a, row.b))): row for row in with_simplex}
        grid = [
            [by_pair.get((measure, frozenset(pair))) for measure in columns] for pair in runs.list_pairs(with_simplex)
        ]
        yield "simplex", partial(runs.draw_simplex_grid, grid, "All pairs and measures", columns)
    for posterior in with_simplex:
        yield name_figure("simplex", posterior), partial(runs.draw_simplex, posterior)
    for posterior in result.bayes:
        if runs.list_panels(posterior):
            yield name_figure("curves", posterior), partial(runs.draw_curves, posterior)
