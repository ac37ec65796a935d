"""Tables about annotators: how far each pair agrees, on which labels, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from assay.render.table import Cell, Table, figure, table, value_of
from assay.render.text import count, percent
from assay.result import ErrorType, Result, Score

_BESIDE = ("agreement", "alpha")
"""What stands beside the main score, kappa."""
_TITLES = {
    "le": "label",
    "bes": "second smaller",
    "bel": "second larger",
    "beo": "overlap",
    "lbe": "label and boundary",
    "fn": "only first",
    "fp": "only second",
}


def tables(result: Result) -> Iterator[Table]:
    """In reading order."""
    overall = [row for row in result.scores if row.label is None and row.slice is None and _is_shown(row)]
    columns = list(dict.fromkeys((row.measure, row.score) for row in overall))
    found = {(row.system, row.measure, row.score): row for row in overall}
    pairs = list(dict.fromkeys(row.system for row in overall))
    rows: list[list[Cell | str]] = [[pair, *(figure(found.get((pair, *key))) for key in columns)] for pair in pairs]
    yield table(
        "Agreement",
        ["pair", *(_column(*key) for key in columns)],
        rows,
        notes=(
            f"Percent, in brackets the 95% interval ({result.times:,} resamples of {result.unit}s). F1 is the same "
            "whoever comes first; kappa (Cohen) and alpha (Krippendorff, nominal) are what goes beyond chance.",
        ),
    )
    yield from _differences(result)
    yield from _labels(result)


def _is_shown(row: Score) -> bool:
    return row.main or row.score in _BESIDE


def _column(measure: str, score: str) -> str:
    name = measure.partition("(")[0]
    on = {"span-kappa": "labels", "span-kappa(on=words)": "words"}.get(measure, "")
    if score in ("kappa", "alpha"):
        return f"{score} {on}".strip()
    if score == "agreement":
        return f"agreement {on}".strip()
    return name if score in ("f1", "value") else f"{name} {score}"


def _differences(result: Result) -> Iterator[Table]:
    rows: list[list[Cell | str]] = []
    for (measure, pair), group in groupby(result.error_types, key=lambda row: (row.measure, row.system)):
        by_type: dict[str, ErrorType] = {row.type: row for row in group}
        if "le" in by_type:
            # Matched both ways and added up: each difference was counted twice.
            cells = (count(round(by_type[kind].count / 2)) for kind in _TITLES)
            rows.append([pair, measure.partition("(")[0], *cells])
    yield table(
        "How they differ",
        ["pair", "measure", *_TITLES.values()],
        rows,
        words=2,
        notes=("Spans, the mean of the matchings with either annotator as the target.",),
    )


def _labels(result: Result) -> Iterator[Table]:
    rows = [row for row in result.scores if row.label is not None and row.slice is None and _is_shown(row)]
    for measure, group in groupby(sorted(rows, key=lambda row: row.measure), key=lambda row: row.measure):
        found: dict[tuple[str | None, str], Score] = {(row.label, row.system): row for row in group}
        pairs = list(dict.fromkeys(pair for _, pair in found))
        yield table(
            f"{measure} by label",
            ["label", *pairs],
            [
                [str(label), *(percent(value_of(found.get((label, pair)))) for pair in pairs)]
                for label in dict.fromkeys(label for label, _ in found)
            ],
            short=25,
        )
