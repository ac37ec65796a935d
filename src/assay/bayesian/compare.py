"""From a table of runs to a Result: every two systems on every measure, and the order of all."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import assay
from assay.bayesian.pairs import NOTHING, Choices, Measured
from assay.bayesian.replication import Discordant, read_discordant
from assay.bayesian.rope import Rope, of_annotators, rope, scale_doubts
from assay.bayesian.table import DataSet, Runs, chosen, data_sets, in_order, read_matrices, read_runs, read_text
from assay.corpus.adapters import is_frame, table_text
from assay.corpus.systems import named_systems
from assay.errors import UsageError
from assay.result import SCHEMA, Result, Source
from assay.result.posteriors import Posterior
from assay.stats.hierarchical import FEW_DATA_SETS

LARGEST_ERROR = 0.005
File = str | PathLike[str]


def bayes(
    runs: File | Sequence[File] | Runs | Any,
    measures: Sequence[str] | str | None = None,
    *,
    systems: Sequence[str] = (),
    datasets: Sequence[str] = (),
    rope: str | float | Mapping[str, str | float] | None = None,
    folds: int | None = None,
    common: bool = False,
    pairs: File | None = None,
    annotations: Sequence[str] = (),
    adjudicated: str | None = None,
    column: str | None = None,
    **choices: Any,
) -> Result:
    """Compare systems over many runs and data sets, after Szymański and Gorman (2020).

    `runs` is a CSV or TSV file with a row for each measurement, a data frame with the same columns, the TOML file of
    an experiment, or one matrix for each system (`name=path`). `rope` is the largest difference that does not matter:
    a number, `98 items`, `ci95`, or `annotators`; or such for each measure. `choices` are those of `Choices`: rho,
    lower, hierarchical, priors, draws, seed, alpha.
    """
    table, discordant = _read(runs, folds, str(pairs) if pairs else None)
    how = Choices(**choices)
    named = chosen("measure", [measures] if isinstance(measures, str) else measures or (), table.measures, table.name)
    wanted = named if measures else table.scores()
    for names in (how.lower, rope if isinstance(rope, Mapping) else ()):
        chosen("measure", [name for name in names if name], table.measures, table.name)
    taken = chosen("system", systems, _all(wanted, table.systems), table.name)
    sets = chosen("data set", datasets, _all(wanted, table.data_sets), table.name)
    parts = []
    for measure in wanted:
        if measure not in how.lower:
            table.check_scale(measure, taken, sets)
        data, dropped = data_sets(table, measure, taken, sets, common=common)
        region = _region(rope, measure, data, annotations, adjudicated, column) if len(taken) > 1 else NOTHING
        parts.append(Measured(measure, tuple(taken), tuple(data), region, dropped, how, discordant))
    return _result(table, parts, [name for name in named if name not in wanted], how)


def _all(measures: Sequence[str], names: Callable[[str], list[str]]) -> list[str]:
    """What any of the measures was taken of."""
    return in_order({name for measure in measures for name in names(measure)})


def _read(runs: Any, folds: int | None, pairs: str | None) -> tuple[Runs, Discordant]:
    discordant = _read_pairs(pairs) if pairs else {}
    if isinstance(runs, Runs):
        return runs, discordant
    if is_frame(runs):
        text = table_text(runs, "data frame")
        return read_runs("data frame", text, hashlib.sha256(text.encode()).hexdigest()), discordant
    files = [str(file) for file in ([runs] if isinstance(runs, str | PathLike) else runs)]
    if len(files) > 1:
        return read_matrices(list(named_systems(files).items()), folds), discordant
    if Path(files[0]).suffix.lower() != ".toml":
        return read_runs(files[0], *read_text(files[0])), discordant
    from assay import experiment

    text = experiment.export(files[0])
    return read_runs(files[0], text, hashlib.sha256(text.encode()).hexdigest()), discordant


def _read_pairs(path: str) -> Discordant:
    if Path(path).suffix.lower() != ".toml":
        return read_discordant(read_text(path)[0], path)
    from assay import experiment

    return read_discordant(experiment.export_pairs(path), path)


def _region(
    wanted: str | float | Mapping[str, str | float] | None,
    measure: str,
    data: Sequence[DataSet],
    annotations: Sequence[str],
    adjudicated: str | None,
    column: str | None,
) -> Rope:
    given = wanted.get(measure, wanted.get("")) if isinstance(wanted, Mapping) else wanted
    if given != "annotators":
        return rope(given, measure, data)
    if len(annotations) != 2:
        raise UsageError("--rope annotators needs two annotations of the same text: --annotation A --annotation B")
    return of_annotators(*_disagreement(measure, annotations, adjudicated, column), measure, data)


def _disagreement(
    measure: str, annotations: Sequence[str], adjudicated: str | None, column: str | None
) -> tuple[float, str]:
    """What two annotators differ by: one scored against the other, or both against what they agreed on at last."""
    from assay.experiment.plan import measure_and_score
    from assay.scale.run import score

    spec, part = measure_and_score(measure)
    gold, *others = annotations if adjudicated is None else (adjudicated, *annotations)
    # Nothing is resampled but what cannot be left out.
    rows = [row for row in score(gold, others, spec, column=column, times=1).scores if row.label is None]
    values = [row.value for row in rows if (row.score == part if part else row.main)]
    if len(values) != len(others):
        raise UsageError(f"--rope annotators: {spec} has no score {part!r}.")
    if adjudicated is None:
        return 1 - values[0], f"one annotator against the other: {measure} {values[0]:.4f}"
    shown = " and ".join(f"{value:.4f}" for value in values)
    return abs(values[0] - values[1]), f"two annotators against the adjudicated version: {shown}"


# --- the Result ---


def _result(table: Runs, parts: Sequence[Measured], left_out: Sequence[str], how: Choices) -> Result:
    systems = parts[0].systems
    ranked = [part.ranked() for part in parts] if len(systems) > 1 else []
    posteriors = tuple(one for pairs, _ in ranked for one in pairs)
    return Result(
        schema=SCHEMA,
        version=assay.__version__,
        signature=_signature(table, parts, how),
        command="bayes",
        task="runs",
        column="",
        unit="run",
        units=max(sum(len(one.splits) for one in part.data) for part in parts),
        items=len({one.name for part in parts for one in part.data}),
        aligned_by="split",
        seed=how.seed,
        times=how.draws,
        interval="posterior",
        test="bayes",
        family=0,
        gold=Source(Path(table.name).name, table.name, table.sha256, "runs", 0, 0),
        systems=tuple(
            Source(name, *table.files.get(name, (table.name, table.sha256)), "runs", 0, 0) for name in systems
        ),
        scores=tuple(score for part in parts for score in part.scores()),
        bayes=posteriors,
        rankings=tuple(ranking for _, ranking in ranked),
        warnings=tuple(_warnings(parts, posteriors)),
        notes=tuple(_notes(parts, left_out, posteriors)),
    )


def _signature(table: Runs, parts: Sequence[Measured], how: Choices) -> str:
    regions = ",".join(f"{part.name}={part.rope.half:g}({part.rope.origin})" for part in parts if part.rope.origin)
    rhos = ",".join(f"{rho:g}" for rho in dict.fromkeys(rho for part in parts for rho in part.rhos))
    pairs = hashlib.sha256(repr(sorted(parts[0].discordant.items())).encode()).hexdigest()
    return (
        f"assay {assay.__version__}|bayes|{Path(table.name).name}|rope:{regions or 'none'}|rho:{rhos}"
        f"|draws:{how.draws}|seed:{how.seed}"
        + (f"|lower:{','.join(how.lower)}" if how.lower else "")
        + f"|runs:sha256={'+'.join(one[:12] for one in table.sha256.split('+'))}"
        + (f"|pairs:sha256={pairs[:12]}" if parts[0].discordant else "")
    )


def _warnings(parts: Sequence[Measured], posteriors: Sequence[Posterior]) -> Iterator[str]:
    for part in parts:
        yield from scale_doubts(part.rope, part.name, part.data) if posteriors else ()
        yield from _losses(part)
    modelled = {one.measure: one.data_sets for one in posteriors if one.model == "hierarchical"}
    few = sorted({number for number in modelled.values() if number < FEW_DATA_SETS})
    if few:
        sets = "One data set says" if few == [1] else f"{' or '.join(map(str, few))} data sets say"
        yield (
            f"{sets} little about a new one: much of each answer is the prior's. How much, other priors show: "
            "the range beside each share."
        )
    rough = _error(posteriors)
    if rough > LARGEST_ERROR:
        yield f"Numerical error of the shares: up to {rough:.4f}. More draws may make it smaller: --draws 200000"
    tested = any(row.tested for one in posteriors for row in one.replications)
    if posteriors and parts[0].discordant and not tested:
        yield "--pairs: none of its rows is about these measures, data sets, systems and splits."


def _error(posteriors: Sequence[Posterior]) -> float:
    return max((one.error for one in posteriors), default=0.0)


def _losses(part: Measured) -> Iterator[str]:
    lost = part.dropped
    if lost.runs:
        yield f"{part.name}: {lost.measurements:,} measurements missing or undefined, so {lost.runs:,} runs left out."
    if lost.data_sets:
        yield f"{part.name}: no runs of all systems on {', '.join(lost.data_sets)}."


def _notes(parts: Sequence[Measured], left_out: Sequence[str], posteriors: Sequence[Posterior]) -> Iterator[str]:
    regions = [f"{_region_text(part)} ({part.name})" if len(parts) > 1 else _region_text(part) for part in parts]
    if posteriors:
        yield f"Equivalent means a difference of at most {'; '.join(regions)}."
    else:
        yield "There is nothing to compare one system with."
    rhos = {f"{rho:.3g}" for part in parts for rho in part.rhos}
    yield f"Correlation of runs that share training data, rho: {', '.join(sorted(rhos))}."
    if any(one.model == "correlated-t" for one in posteriors):
        yield "On a single data set the correlated t-test is given; it says nothing about other data sets."
    if len(posteriors) > 1:
        yield "No correction for many comparisons applies to these shares."
    if 0 < _error(posteriors) <= LARGEST_ERROR:
        yield f"Numerical error of the shares: at most {_error(posteriors):.4f}."
    if left_out:
        names = ", ".join(left_out)
        yield f"Not taken for scores, since they exceed 1 or fall below 0: {names}. To compare them: -m"
    yield from dict.fromkeys(f"{one.a}, {one.b}, {one.measure}: {note}" for one in posteriors for note in one.notes)


def _region_text(part: Measured) -> str:
    items = "" if math.isnan(part.rope.items) else f", {part.rope.items:,.0f} items of a test part"
    origin = "" if part.rope.origin in ("", "given") else f", by {part.rope.origin}"
    return f"{part.rope.half:.4g}{items}{origin}"
