"""The measurements of one run: its predictions against the test part, unseen words by its own training part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import AlignmentError, AssayError, UsageError
from assay.experiment.plan import DataSet, measure_and_score
from assay.result import Result


@dataclass(frozen=True)
class Measurement:
    """One figure of one run, with the counts behind it."""

    measure: str
    value: float
    """nan where it is undefined."""
    numerator: int | None = None
    denominator: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


def measured(
    dataset: DataSet, system: str, specs: Sequence[str], test: str, train: str, predictions: str
) -> list[Measurement]:
    """All measurements of one run."""
    try:
        return _measured(dataset, system, specs, test, train, predictions)
    except AssayError as error:
        raise type(error)(_advice(str(error))) from None
    except Exception as error:
        # Whatever goes wrong in a measure of the user's own is the user's to put right.
        if not any(":" in measure_and_score(spec)[0].partition("(")[0] for spec in specs):
            raise
        raise UsageError(f"a measure failed: {type(error).__name__}: {error}.") from error


def gold_measured(dataset: DataSet, specs: Sequence[str]) -> None:
    """Measure a data set against itself, for what is wrong with its settings."""
    measured(dataset, "gold", specs, dataset.path, dataset.path, dataset.path)


def _advice(text: str) -> str:
    """What the command line advises, in the words of an experiment's file."""
    for option, setting in (("--column", "column"), ("--input-format", "format"), ("--task", "task")):
        text = text.replace(option, f'{setting} = "…"')
    return text.replace(" To score only the sentences they share: --on-mismatch skip", "")


def _measured(
    dataset: DataSet, system: str, specs: Sequence[str], test: str, train: str, predictions: str
) -> list[Measurement]:
    from assay.engine.measure import find
    from assay.scale.run import score

    wanted = [measure_and_score(spec) for spec in specs]
    found = [find(measure) for measure, _ in wanted]
    measures = [measure for measure, _ in wanted]
    result = score(test, {system: predictions}, measures, **_options(dataset, found[0].definition.task, train))
    if result.aligned_by != "words" and not dataset.own_tokens:
        raise AlignmentError(_first_difference(dataset, test, predictions))
    names = result.measures
    rows = []
    for spec, (_, chosen), measure, name in zip(specs, wanted, found, _in_order(names, found), strict=True):
        main = chosen or measure.main
        rows.append(_measurement(spec, measure, main, name, result))
    return rows


def _options(dataset: DataSet, task: str, train: str) -> dict[str, Any]:
    from assay.engine.task import tasks

    options = {**dict(dataset.scoring), "input_format": dataset.format}
    if tasks()[task].with_known_words:
        options["train"] = train
    # Chance is looked at over runs here, not within one: nothing is resampled but what cannot be left out.
    return {**options, "times": 1}


def discordant(
    dataset: DataSet, specs: Sequence[str], test: str, train: str, predictions: Mapping[str, str]
) -> Iterator[tuple[str, str, str, int, int]]:
    """Measure, two systems, and the items that only the first and that only the second has right."""
    from assay.engine.measure import find
    from assay.scale.run import compare

    named = {str(find(spec)): spec for spec in specs}
    task = find(specs[0]).definition.task
    result = compare(test, dict(predictions), list(specs), **_options(dataset, task, train))
    for diff in result.diffs:
        if diff.slice is None and diff.on in named:
            yield named[diff.on], diff.a, diff.b, diff.new_errors, diff.corrections


def _in_order(names: list[str], found: Sequence[Any]) -> list[str]:
    """The name that each measure has in the Result: its own, or with the column as the data name it."""
    distinct = list(dict.fromkeys(map(str, found)))
    if len(distinct) != len(names):
        raise UsageError(f"two of the measures are one: {', '.join(distinct)}. Leave one of them out.")
    named = dict(zip(distinct, names, strict=True))
    return [named[str(measure)] for measure in found]


def _measurement(spec: str, measure: Any, main: str, name: str, result: Result) -> Measurement:
    overall = [row for row in result.scores if row.measure == name and row.label is None and row.slice is None]
    values = {row.score: row.value for row in overall}
    if main not in values:
        raise UsageError(f"{spec}: {name} has no score {main!r}. There is: {', '.join(values)}.")
    counts: Mapping[str, int] = next(
        (row.counts for row in result.counts if row.measure == name and row.label is None and row.slice is None), {}
    )
    value = values[main]
    part, whole = _share(measure.scores.get(main), main, counts)
    if part is not None and whole and not math.isclose(part / whole, value, rel_tol=1e-9, abs_tol=1e-12):
        part = whole = None
    return Measurement(spec, value, part, whole, dict(counts))


def _share(function: Any, main: str, counts: Mapping[str, int]) -> tuple[int | None, int | None]:
    """How many items were right, and of how many, where the score is such a share."""
    from assay.engine.measure import Proportion

    if isinstance(function, Proportion) and all(name in counts for name in function.whole):
        part = function.part if function.part in counts else function.instead
        if part in counts:
            return int(counts[part]), int(sum(counts[name] for name in function.whole))
    # With equal tokens the F1 of words is their accuracy.
    if main == "f1" and counts.get("gold") == counts.get("system") and "right" in counts and "gold" in counts:
        return int(counts["right"]), int(counts["gold"])
    return None, None


def _first_difference(dataset: DataSet, test: str, predictions: str) -> str:
    from assay.formats import Input

    gold, system = (Input(path, input_format=dataset.format).read(()) for path in (test, predictions))
    place = next(
        (word for word in range(min(len(gold), len(system))) if gold.forms[word] != system.forms[word]),
        min(len(gold), len(system)) - 1,
    )
    return (
        f"the predictions have other words than the test part, first {system.forms[place]!r} where gold has "
        f"{gold.forms[place]!r} ({gold.place(place)}). If systems may cut words as they like: own_tokens = true"
    )
