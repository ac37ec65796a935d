"""Result: frozen data, JSON there and back. Fractions, not percent; undefined is nan here and null in JSON."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import InputError, UsageError, unknown
from assay.result.encoding import decode, dumps, encode
from assay.result.posteriors import Posterior, Ranking
from assay.result.rows import (
    Bound,
    Change,
    Comparison,
    Confusion,
    CountsRow,
    Diff,
    ErrorType,
    Example,
    ExampleArcs,
    ExampleItem,
    ExampleSpan,
    ExampleUnit,
    Framework,
    Growth,
    LabelDifference,
    Mapped,
    OutcomeChange,
    Overlap,
    Score,
    Similarity,
    Source,
    Sweep,
    Transition,
    Unique,
    Unresolved,
)

__all__ = [
    "SCHEMA",
    "Bound",
    "Change",
    "Comparison",
    "Confusion",
    "CountsRow",
    "Diff",
    "ErrorType",
    "Example",
    "ExampleArcs",
    "ExampleItem",
    "ExampleSpan",
    "ExampleUnit",
    "Framework",
    "Growth",
    "LabelDifference",
    "Mapped",
    "OutcomeChange",
    "Overlap",
    "Result",
    "Score",
    "Similarity",
    "Source",
    "Sweep",
    "Transition",
    "Unique",
    "Unresolved",
]

SCHEMA = "assay/1"
_ORIGIN = "Was it written by assay --format json?"


@dataclass(frozen=True)
class Result:
    """All that one command found out."""

    schema: str
    version: str
    signature: str
    command: str
    task: str
    column: str
    unit: str
    units: int
    items: int
    aligned_by: str
    seed: int
    times: int
    interval: str
    test: str
    family: int
    """How many p-values were adjusted together."""
    gold: Source
    systems: tuple[Source, ...]
    scores: tuple[Score, ...] = ()
    counts: tuple[CountsRow, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    diffs: tuple[Diff, ...] = ()
    bounds: tuple[Bound, ...] = ()
    growth: tuple[Growth, ...] = ()
    unique: tuple[Unique, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    confusion: tuple[Confusion, ...] = ()
    transitions: tuple[Transition, ...] = ()
    frameworks: tuple[Framework, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    similarities: tuple[Similarity, ...] = ()
    error_types: tuple[ErrorType, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    tagset: str = ""
    scheme: str = ""
    """How tags were read as spans."""
    atoms: str = ""
    """What spans are sets of: words or characters."""
    noun: str = "word"
    """What one item is called."""
    drawing: str = "tags"
    """What is drawn: tags, arcs, spans, trees, chains or units."""
    labels: tuple[str, ...] = ()
    """The labels that count; all where none is named …"""
    ignore_labels: tuple[str, ...] = ()
    """… but for these."""
    bayes: tuple[Posterior, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    examples: tuple[Example, ...] = ()
    mappings: tuple[Mapped, ...] = ()
    texts: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """How the figures came about, where that is worth knowing: blocks, enumeration, what was left out."""

    def to_json(self) -> str:
        """The Result as JSON text, a record per line."""
        parts = []
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
                rows = ",\n  ".join(dumps(encode(row)) for row in value)
                parts.append(f'"{item.name}": [\n  {rows}]')
            else:
                parts.append(f'"{item.name}": {dumps(encode(value))}')
        return "{" + ",\n ".join(parts) + "}\n"

    @classmethod
    def from_json(cls, text: str) -> Result:
        """A Result from its JSON text."""
        try:
            data = json.loads(text, parse_constant=_refused)
        except json.JSONDecodeError as error:
            raise InputError(f"line {error.lineno}: not JSON ({error.msg}). {_ORIGIN}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"cannot be understood ({error}).") from None
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            found = data.get("schema") if isinstance(data, dict) else None
            raise InputError(f"schema {found!r} where {SCHEMA!r} is read. {_ORIGIN}")
        noun, drawing = _DRAWN.get(str(data.get("task")), ("word", "tags"))
        try:
            result = typing.cast(Result, decode(cls, {"noun": noun, "drawing": drawing, **data}))
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"not a whole Result ({error}).") from None
        return result if result.main_scores else replace(result, scores=tuple(_first_as_main(result.scores)))

    @classmethod
    def read(cls, path: str) -> Result:
        """A Result from a file of its JSON."""
        from assay.formats.source import Source as File

        text = "".join(batch.text for batch in File(path).batches())
        try:
            return cls.from_json(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    @property
    def measures(self) -> list[str]:
        """The measures that there are scores of, in their order."""
        return list(dict.fromkeys(row.measure for row in self.scores))

    @property
    def main_scores(self) -> dict[str, str]:
        """The name of each measure's main score."""
        return {row.measure: row.score for row in self.scores if row.main}

    def score(self, system: str, measure: str, score: str | None = None, label: str | None = None) -> Score:
        """One overall figure by name; the measure's main score where none is named."""
        measure = self.measure_named(measure)
        for row in self.scores:
            same = row.system == system and row.measure == measure and row.label == label and row.slice is None
            if same and (row.main if score is None else row.score == score):
                return row
        for kind, name, known in (
            ("system", system, [row.name for row in self.systems]),
            ("measure", measure, self.measures),
        ):
            if name not in known:
                raise unknown(kind, name, known)
        named = "main score" if score is None else f"score {score!r}"
        raise UsageError(f"{measure} has no {named} for {system} and label {label!r}.")

    def measure_named(self, spec: str) -> str:
        """The measure of this Result that a spec stands for, or the spec itself where there is none.

        Parameters may be in any order, and defaults may be spelt out.
        """
        from assay.engine.measure import find

        spelt, at, theory = spec.rpartition("@") if "@" in spec else (spec, "", "")
        # A measure of one's own is known by its spec alone: nothing of it is loaded here.
        if spec in self.measures or ":" in spelt.partition("(")[0]:
            return spec
        try:
            found = f"{find(spelt)}{at}{theory}"
        except UsageError:
            return spec
        return found if found in self.measures else spec

    def to_pandas(self, rows: str = "scores") -> Any:
        """One of the lists of this Result (`scores`, `comparisons`, `diffs`, …) as a data frame of pandas."""
        found = [vars(row) if dataclasses.is_dataclass(row) else {rows: row} for row in self._rows(rows)]
        return _library("pandas").DataFrame(found)

    def to_polars(self, rows: str = "scores") -> Any:
        """The same as a data frame of polars; undefined is null, and what is nested has the names of the JSON."""
        found = [encode(row) if dataclasses.is_dataclass(row) else {rows: row} for row in self._rows(rows)]
        return _library("polars").DataFrame(found, infer_schema_length=None)

    def flat(self) -> dict[str, float]:
        """Overall figures by names such as `accuracy/A`, for trackers such as MLflow; undefined is nan."""
        from assay.render.flat import flat

        return flat(self)

    def _rows(self, name: str) -> tuple[Any, ...]:
        lists = [item.name for item in dataclasses.fields(self) if isinstance(getattr(self, item.name), tuple)]
        if name not in lists:
            raise unknown("list of rows", name, lists)
        found: tuple[Any, ...] = getattr(self, name)
        return found

    def __repr__(self) -> str:
        from assay.render.text import one_line

        return one_line(self)

    def _repr_html_(self) -> str:
        from assay.render.html import fragment

        return fragment(self)


_DRAWN = {
    "spans": ("span", "spans"),
    "dependencies": ("word", "arcs"),
    "constituents": ("constituent", "trees"),
    "coreference": ("mention", "chains"),
    "cross": ("unit", "units"),
}
"""What files from before Results said it call items, and draw."""


def _first_as_main(scores: Sequence[Score]) -> Iterator[Score]:
    """Scores of a file from before rows said which is the main one: it stood first."""
    first: dict[str, str] = {}
    for row in scores:
        yield replace(row, main=first.setdefault(row.measure, row.score) == row.score)


def _refused(constant: str) -> typing.NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _library(name: str) -> Any:
    """A library that is no dependency: whoever wants a frame has it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed: pip install {name}") from None
