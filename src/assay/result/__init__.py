"""Result: frozen data, JSON there and back. Fractions, not percent; undefined is nan here and null in JSON."""

# ruff: noqa: F405

from __future__ import annotations

import dataclasses
import json
import math
import os
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.classes import dataclass
from assay.errors import InputError, UsageError, unknown
from assay.result.encoding import dumps, from_plain, to_plain
from assay.result.schema import *  # noqa: F403

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from assay.result.verdict import Verdict

SCHEMA = "assay/2"
SCHEMA_OF_SETS = "assay/sets/2"
_ORIGIN = "Was it written by assay --format json?"
TABLES = tuple(Tables.__annotations__)
"""The names of the declared tables."""
_ORDER = (
    *("schema", "version", "signature", "verdict", "about", "shown", "gold", "systems", *TABLES),
    *("tables", "examples", "texts", "warnings", "notes"),
)
"""The order of fields in JSON."""
_IF_FILLED = ("curves", "calibrations", "thresholds", "judges", "plans", "gold_differences")
"""Tables that JSON leaves out if they are empty."""
Read = typing.TypeVar("Read")
Confident = typing.TypeVar("Confident", Curve, Calibration)


def is_best(values: Sequence[float], index: int) -> bool:
    """True if a value is the highest of several that differ."""
    defined = [round(value, 12) for value in values if not math.isnan(value)]
    return len(defined) > 1 and round(values[index], 12) == max(defined) != min(defined)


def kind_title(kind: str) -> str:
    """A kind of outcome as people write it: `FP`, `BEs`, `none`."""
    titles = {"bes": "BEs", "bel": "BEl", "beo": "BEo", "ungrounded": "UG"}
    return titles.get(kind, kind.upper() if len(kind) <= 3 else kind)


def is_category(measure: str) -> bool:
    """True if a measure is about one category, such as `features/Case`; a parameter may contain a path."""
    return "/" in measure.partition("(")[0]


def enumeration(names: Sequence[str], last: str = "and") -> str:
    """Names in a sentence: `a, b and c`."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


# --- the whole ---


_INNER = ("schema", "version", "shown", "texts", "counts")
"""Fields that a user hardly needs."""
_OFFERED = (
    *("verdict", "chance", "names", "measures", "score", "plot", "figures", "write", "flat"),
    *("to_html", "to_json", "to_latex", "to_markdown", "to_pandas", "to_polars"),
)
"""Properties and methods that are completed."""


class Result(Tables, kw_only=True):
    """Everything that a command found: facts, files, the declared tables, and what is drawn."""

    schema: str
    version: str
    signature: str
    """Everything on which the numbers depend."""
    about: About
    shown: Presentation
    gold: InputFile
    systems: tuple[InputFile, ...]
    tables: tuple[Table, ...] = ()
    """Tables of the task."""
    examples: tuple[Example, ...] = ()
    texts: Mapping[str, Any] | None = None
    """The texts that a page draws."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes on how the numbers were computed: blocks, enumeration, sentences left out."""
    combined: Any = dataclasses.field(default=None, compare=False, repr=False, metadata={"json": ""})
    """The learnt combination of the systems as a corpus, if `combined` was given; not written."""

    def to_json(self) -> str:
        """The Result as JSON text, a record per line."""
        # Joined once, because it may be hundreds of megabytes.
        return "".join(self.json_pieces())

    def json_pieces(self) -> Iterator[str]:
        """The JSON text in pieces, so that it need not be in memory as a whole."""
        before = "{"
        for name in _ORDER:
            value = self.verdict_data if name == "verdict" else getattr(self, name)
            if name in _IF_FILLED and not value:
                continue
            yield f'{before}"{name}": '
            if isinstance(value, tuple) and value and isinstance(value[0], Record):
                for number, row in enumerate(value):
                    yield ",\n  " if number else "[\n  "
                    yield dumps(row)
                yield "]"
            else:
                yield dumps(value)
            before = ",\n "
        yield "}\n"

    @classmethod
    def from_json(cls, text: str) -> Result:
        """A Result from its JSON text."""
        return cls._from_data(_parse(text, SCHEMA))

    @classmethod
    def _from_data(cls, data: Mapping[str, Any]) -> Result:
        try:
            return typing.cast(Result, from_plain(cls, data)) if data["schema"] == SCHEMA else _from_assay_1(data)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"not a whole Result ({error}).") from None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Result:
        """A Result from a file of its JSON."""
        return _read(path, cls.from_json)

    @property
    def measures(self) -> list[str]:
        """The measures that have scores, in their order."""
        return list(dict.fromkeys(row.measure for row in self.scores))

    @property
    def names(self) -> list[str]:
        """The names of the systems, in their order."""
        return [source.name for source in self.systems]

    @property
    def of_annotators(self) -> bool:
        """True if annotators are in the place of systems: their agreement, or a plan with them."""
        return self.about.command == "agreement" or any(row.annotators for row in self.plans)

    @property
    def overall(self) -> list[Score]:
        """The scores of all data and labels together."""
        return [row for row in self.scores if row.slice is None and row.label is None]

    @property
    def main_scores(self) -> dict[str, str]:
        """The name of each measure's main score."""
        names: dict[str, str] = {}
        for row in self.scores:
            # Systems that are compared with annotators have another main score than these.
            if row.main and row.slice is None:
                names.setdefault(row.measure, row.score)
        return names

    def with_about(self, **changes: Any) -> Result:
        """This Result with other facts on what was compared."""
        return replace(self, about=replace(self.about, **changes))

    def with_shown(self, **changes: Any) -> Result:
        """This Result with other facts on how it is shown."""
        return replace(self, shown=replace(self.shown, **changes))

    @property
    def text_noun(self) -> str:
        """What a text of a page or an example is called: a sentence, or an item without words."""
        return self.shown.text_unit if self.about.joined_by else "sentence"

    def title(self, name: str) -> str:
        """A measure or a score as people write it."""
        return self.shown.titles.get(name, name)

    def form_of(self, row: Score | Comparison) -> str:
        """The form of a score: `percent`, `coefficient` or `number`."""
        return self.shown.score_forms.get(row.measure, {}).get(row.score, "percent")

    def is_lower(self, measure: str, score: str) -> bool:
        """True if less of a score is better."""
        return any(row.lower for row in self.scores if (row.measure, row.score) == (measure, score))

    def label_contributions(self, diff: Diff) -> dict[str, float]:
        """How much each label adds to the difference; none if that is not known."""
        key = (diff.a, diff.b, diff.on, diff.score, "label")
        rows = self.contributions if diff.slice is None else ()
        return {row.group: row.value for row in rows if (row.a, row.b, row.measure, row.score, row.by) == key}

    @property
    def main_tests(self) -> list[Comparison]:
        """The tests of main scores, by shuffling or over runs, overall."""
        mains = self.main_scores
        tests = (row for row in self.comparisons if row.is_of_score and row.slice is None)
        return [row for row in tests if row.score == mains.get(row.measure)]

    @property
    def verdict(self) -> str:
        """A sentence or two: the better system, by how much, and how sure that is."""
        return self.verdict_data.text

    @property
    def verdict_data(self) -> Verdict:
        """The verdict as data: its kind, what it claims, of which systems, and the facts that decided."""
        from assay.result.verdict import make_verdict

        return make_verdict(self)

    @property
    def chance(self) -> list[str]:
        """Sentences to the verdict: what it rests on, and what its test could have found."""
        from assay.result.chance import of_verdict

        return of_verdict(self)

    def score(self, system: str, measure: str, score: str | None = None, label: str | None = None) -> Score:
        """One overall score by name; the main score of the measure if none is named."""
        measure = self.measure_named(measure)
        for row in self.scores:
            same = row.system == system and row.measure == measure and row.label == label and row.slice is None
            if same and (row.main if score is None else row.score == score):
                return row
        for kind, name, known in (("system", system, self.names), ("measure", measure, self.measures)):
            if name not in known:
                raise unknown(kind, name, known)
        named = "main score" if score is None else f"score {score!r}"
        raise UsageError(f"{measure} has no {named} for {system} and label {label!r}.")

    def curve(self, system: str, label: str | None = None) -> Curve:
        """The curve of a system over the thresholds of its confidence; without a label that of its answers, or of the
        label that its confidences are about."""
        return self._of_confidences("curve", self.curves, system, label)

    def calibration(self, system: str, label: str | None = None) -> Calibration:
        """How well the confidences of a system are calibrated, with a row for each bin."""
        return self._of_confidences("calibration", self.calibrations, system, label)

    def _of_confidences(self, kind: str, rows: Sequence[Confident], system: str, label: str | None) -> Confident:
        if system not in self.names:
            raise unknown("system", system, self.names)
        own = {row.label: row for row in rows if row.system == system}
        if label is None and None not in own and len(own) == 1:
            return next(iter(own.values()))
        if label not in own:
            about = f" of label {label!r}" if label is not None else ""
            raise UsageError(f"{system} has no {kind}{about}, because its file contains no such confidences.")
        return own[label]

    def measure_named(self, spec: str) -> str:
        """The measure of this Result that a spec stands for; the spec itself if there is none.

        Parameters may be in any order, and defaults may be spelt out.
        """
        from assay.engine.measure import find

        name, at, theory = spec.rpartition("@") if "@" in spec else (spec, "", "")
        # The user's own measure is known by its spec alone: nothing of it is loaded here.
        if spec in self.measures or ":" in name.partition("(")[0]:
            return spec
        with suppress(UsageError):
            measure = f"{find(name, self.about.task)}{at}{theory}"
            return measure if measure in self.measures else spec
        return spec

    def to_pandas(self, rows: str = "scores") -> Any:
        """One of the lists of this Result (`scores`, `comparisons`, `diffs`, …) as a data frame of pandas."""
        return _library("pandas").DataFrame(self._records(rows, vars))

    def to_polars(self, rows: str = "scores") -> Any:
        """A list of this Result as a data frame of polars; undefined is null, and nested rows are as in JSON."""
        return _library("polars").DataFrame(self._records(rows, to_plain), infer_schema_length=None)

    def to_html(self) -> str:
        """The report page, with the sentences behind the numbers if the Result was made with `embed="auto"`."""
        return self._rendered("html")

    def to_latex(self) -> str:
        """All tables in booktabs style."""
        return self._rendered("latex")

    def to_markdown(self) -> str:
        """The verdict, all tables and examples in Markdown."""
        return self._rendered("md")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of its ending: .html, .json, .tex, .md, .csv, .tsv."""
        from assay.files import write
        from assay.render import find_format

        write(os.fspath(path), self._rendered(find_format(os.fspath(path))))

    def _rendered(self, form: str) -> str:
        from assay.render import render

        return render(self, form)

    def figures(
        self, directory: str | os.PathLike[str], formats: str | Sequence[str] = "svg", *, full: bool = False
    ) -> list[Path]:
        """Write the figures that a paper needs, or with `full` all, into a folder (svg, pdf or png); their files."""
        return _write_figures(self, directory, formats, full)

    def paper(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write what a paper needs into a folder: a ranked table, a figure (if matplotlib is installed), their
        captions, a paragraph on methods, and references; their files."""
        return _write_paper(self, directory)

    def plot(self, kind: str = "scores") -> Figure:
        """One figure of matplotlib, by the name of its file (`confusion-A`), or the first of a kind."""
        from assay.render.pictures import draw_figure

        return draw_figure(self, kind)

    def flat(self) -> dict[str, float]:
        """Overall scores by names such as `accuracy/A`, for trackers such as MLflow; undefined is nan."""
        from assay.render.formats import flat_scores

        return flat_scores(self)

    def _records(self, name: str, plain: Callable[[Any], Any]) -> list[Any]:
        lists = [item.name for item in dataclasses.fields(self) if isinstance(getattr(self, item.name), tuple)]
        if name not in lists:
            raise unknown("list of rows", name, lists)
        return [plain(row) if dataclasses.is_dataclass(row) else {name: row} for row in getattr(self, name)]

    def __dir__(self) -> list[str]:
        """What a user looks for: results that there are, and what can be done with them; all else can be reached."""
        filled = {item.name for item in dataclasses.fields(self) if getattr(self, item.name)}
        return sorted(filled.difference(_INNER).union(_OFFERED))

    def __str__(self) -> str:
        from assay.render.formats import summary

        return summary(self)

    def __repr__(self) -> str:
        from assay.render.table import summarise_line

        return summarise_line(self)

    def _repr_html_(self) -> str:
        from assay.render.page import fragment

        return fragment(self)


@dataclass(frozen=True)
class Results:
    """One Result for each of several data sets, and one over all of them."""

    overall: Result
    """Averages, ranks, tests over data sets, and tables with a row for each; scores and comparisons of one data set
    have the slice `dataset:NAME`."""
    sets: Mapping[str, Result]
    """By name, in the order in which they were given."""

    def __getitem__(self, name: str) -> Result:
        if name not in self.sets:
            raise unknown("data set", name, self.sets)
        return self.sets[name]

    def to_json(self) -> str:
        """All Results as JSON text."""
        sets = ",\n".join(f"{dumps(name)}: {result.to_json().rstrip()}" for name, result in self.sets.items())
        overall = self.overall.to_json().rstrip()
        return f'{{"schema": "{SCHEMA_OF_SETS}",\n"overall": {overall},\n"sets": {{{sets}}}}}\n'

    @classmethod
    def from_json(cls, text: str) -> Results:
        """Results from their JSON text."""
        data = _parse(text, SCHEMA_OF_SETS)
        try:
            sets = {name: Result._from_data(result) for name, result in data["sets"].items()}
            return cls(Result._from_data(data["overall"]), sets)
        except (LookupError, TypeError, AttributeError) as error:
            raise InputError(f"not whole Results ({error}).") from None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Results:
        """Results from a file of their JSON."""
        return _read(path, cls.from_json)

    def figures(
        self, directory: str | os.PathLike[str], formats: str | Sequence[str] = "svg", *, full: bool = False
    ) -> list[Path]:
        """Write the figures over all data sets into a folder, with `full` also those of each into a folder in it;
        their files."""
        return _write_figures(self, directory, formats, full)

    def paper(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write what a paper needs into a folder: a ranked table, a figure (if matplotlib is installed), their
        captions, a paragraph on methods, and references; their files."""
        return _write_paper(self, directory)

    def flat(self) -> dict[str, float]:
        """Averages over data sets by names such as `accuracy/A`, then the scores of each, `NAME/accuracy/A`."""
        each = {f"{name}/{key}": value for name, result in self.sets.items() for key, value in result.flat().items()}
        return self.overall.flat() | each

    @property
    def verdict(self) -> str:
        """A sentence or two: the better system over all data sets, by how much, and how sure that is."""
        return self.overall.verdict

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of its ending: .json for all Results, the others for the tables over all."""
        from assay.files import write
        from assay.render import find_format, render

        write(os.fspath(path), render(self, find_format(os.fspath(path))))

    def __str__(self) -> str:
        return str(self.overall)

    def __repr__(self) -> str:
        return f"<assay.Results {', '.join(self.sets)}: {self.overall!r}>"

    def _repr_html_(self) -> str:
        return self.overall._repr_html_()


def read_results(path: str) -> Result | Results:
    """The Result in a file of JSON, or those of several data sets."""
    return _read(path, lambda text: (Results if '"assay/sets/' in text[:100] else Result).from_json(text))


def _write_figures(
    result: Result | Results, directory: str | os.PathLike[str], formats: str | Sequence[str], full: bool
) -> list[Path]:
    from assay.files import write_into
    from assay.render.pictures import draw_files

    drawn = draw_files(result, Path(directory), [formats] if isinstance(formats, str) else formats, full=full)
    return write_into(Path(directory), drawn)


def _write_paper(result: Result | Results, directory: str | os.PathLike[str]) -> list[Path]:
    from assay.files import write_into
    from assay.render.paper import make_paper

    return write_into(Path(directory), make_paper(result, Path(directory))[0])


def _read(path: str | os.PathLike[str], from_json: Callable[[str], Read]) -> Read:
    from assay.formats.source import Source as File

    text = "".join(batch.text for batch in File(os.fspath(path)).batches())
    try:
        return from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _parse(text: str, schema: str) -> dict[str, Any]:
    """The object of a JSON text that has this schema, or the one before it."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"line {error.lineno}: not JSON ({error.msg}). {_ORIGIN}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be understood ({error}).") from None
    found = data.get("schema") if isinstance(data, dict) else None
    if found not in (schema, f"{schema[:-1]}1"):
        has = f"the schema {found!r}" if found else "no schema"
        raise InputError(f"has {has}, but assay reads {schema!r}. {_ORIGIN}")
    return typing.cast(dict[str, Any], data)


def _refuse_constant(constant: str) -> typing.NoReturn:
    raise ValueError(f"JSON has no number {constant}")


def _from_assay_1(data: Mapping[str, Any]) -> Result:
    """A Result from the JSON of `assay/1`, whose facts were fields of the Result itself."""
    from assay.engine.build import adjust_p_values
    from assay.engine.counts import FEW_DIFFERING, FEW_UNITS
    from assay.engine.task import describe
    from assay.result.grammar import with_kind

    parts = {
        name: {fact: data[fact] for fact in kind.__annotations__ if fact in data}
        for name, kind in (("about", About), ("shown", Presentation))
    }
    result = typing.cast(Result, from_plain(Result, {**data, **parts, "schema": SCHEMA}))
    if not result.main_scores:
        # Before rows said which score is the main one, it was the first.
        first: dict[str, str] = {}
        rows = [(row, first.setdefault(row.measure, row.score)) for row in result.scores]
        result = replace(result, scores=tuple(replace(row, main=row.score == main) for row, main in rows))
    if any(row.is_of_score and row.slice is None and not row.kind for row in result.comparisons):
        few = result.about.units < FEW_UNITS
        tests = [replace(row, few=few or 0 < row.units < FEW_DIFFERING) for row in result.comparisons]
        adjusted = adjust_p_values(tests, result.main_scores, clustered=result.about.documents > 0)
        result = replace(result, comparisons=tuple(adjusted))
    if any(not row.kind for row in result.bayes):
        result = replace(result, bayes=tuple(map(with_kind, result.bayes)))
    # Before Results said how they are shown, the name of the task did.
    return result if "tables" in data else describe(result, noun="noun" not in data)


def _library(name: str) -> Any:
    """A library that is not a dependency of assay."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed: pip install {name}") from None
