"""Tables about annotators: how far each pair agrees, on which labels, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from assay.render.table import figure, table, value_of
from assay.result import Result, Score, Table

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
    shown = [row for row in result.scores if row.slice is None and (row.main or row.score in _BESIDE)]
    found = {(row.system, row.measure, row.score): row for row in shown if row.label is None}
    columns = list(dict.fromkeys((measure, score) for _, measure, score in found))
    header = ["pair"]
    for measure, score in columns:
        name = measure.partition("(")[0]
        on = {"span-kappa": " labels", "span-kappa(on=words)": " words"}.get(measure, "")
        if score in ("kappa", "alpha", "agreement"):
            header.append(f"{score}{on}")
        else:
            header.append(name if score in ("f1", "value") else f"{name} {score}")
    pairs = dict.fromkeys(pair for pair, _, _ in found)
    yield table(
        "Agreement",
        header,
        [[pair, *(figure(found.get((pair, *key))) for key in columns)] for pair in pairs],
        notes=(
            f"Percent, in brackets the 95% interval ({result.times:,} resamples of {result.unit}s). F1 is the same "
            "whoever comes first; kappa (Cohen) and alpha (Krippendorff, nominal) are what goes beyond chance.",
        ),
    )
    rows = []
    for (measure, pair), group in groupby(result.error_types, key=lambda row: (row.measure, row.system)):
        number = {row.type: row.count for row in group}
        if "le" in number:
            # Matched both ways and added up: each difference was counted twice.
            rows.append([pair, measure.partition("(")[0], *(round(number[kind] / 2) for kind in _TITLES)])
    yield table(
        "How they differ",
        ["pair", "measure", *_TITLES.values()],
        rows,
        "text text count",
        words=2,
        notes=("Spans, the mean of the matchings with either annotator as the target.",),
    )
    labelled = sorted((row for row in shown if row.label is not None), key=lambda row: row.measure)
    for measure, of_measure in groupby(labelled, key=lambda row: row.measure):
        by_label: dict[tuple[str, str], Score] = {(str(row.label), row.system): row for row in of_measure}
        names = list(dict.fromkeys(pair for _, pair in by_label))
        labels = dict.fromkeys(label for label, _ in by_label)
        yield table(
            f"{measure} by label",
            ["label", *names],
            [[label, *(value_of(by_label.get((label, pair))) for pair in names)] for label in labels],
            "text percent",
            short=25,
        )
