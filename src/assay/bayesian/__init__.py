"""Systems compared over many runs and data sets: from a table of runs to a Result."""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import assay
from assay import experiment
from assay.arrays import to_python
from assay.bayesian.pairs import BayesOptions, Measured
from assay.bayesian.table import (
    Discordant,
    Rope,
    RunTable,
    choose_names,
    find_rope,
    pair_runs,
    read_discordant,
    read_matrices,
    read_runs,
    read_table_text,
    scale_doubts,
    suggests_less,
)
from assay.corpus.adapters import is_frame, named_systems, table_text
from assay.engine.build import Findings, build
from assay.errors import UsageError
from assay.experiment.plan import measure_and_score
from assay.keywords import File, explicit
from assay.result import InputFile, Result
from assay.stats.bayes import FEW_DATA_SETS

__all__ = ["bayes"]

LARGEST_ERROR = 0.005


@explicit
def bayes(
    runs: File | Sequence[File] | RunTable | Any,
    measures: Sequence[str] | str | None = None,
    *,
    systems: Sequence[str] | str = (),
    datasets: Sequence[str] | str = (),
    rope: str | float | Mapping[str, str | float] | None = None,
    folds: int | None = None,
    common: bool = False,
    pairs: File | None = None,
    annotations: Sequence[File] = (),
    adjudicated: File | None = None,
    column: str | None = None,
    rho: str | float | None = None,
    lower: Sequence[str] | str = (),
    higher: Sequence[str] | str = (),
    hierarchical: bool = False,
    priors: bool = False,
    draws: int = 50_000,
    seed: int = 0,
    alpha: float = 0.05,
    nemenyi: bool = False,
) -> Result:
    """Compare systems over many runs and data sets, after Szymański and Gorman (2020).

    `runs` is a CSV or TSV file with a row for each measurement, a data frame with the same columns, the TOML file of
    an experiment, or one matrix for each system (`name=path`). `rope` is the largest difference that does not matter:
    a number, `98 items`, `ci95` (the default, unless it is more than a point) or `annotators`; or such for each
    measure. `rho` is the correlation of runs: `folds`, `sizes` or a number. `lower` are measures of which less is
    better; a measure whose name suggests this (`loss`, `error-rate`) must be in `lower` or in `higher`. With
    `hierarchical` the model over data sets is used for a single one too, with `priors` other priors are shown in any
    case. The tests of single splits are made at the level `alpha`; with `nemenyi`, groups of mean ranks are by
    Nemenyi's test.
    """
    systems, datasets, lower, higher = (
        (names,) if isinstance(names, str) else tuple(names) for names in (systems, datasets, lower, higher)
    )
    table, discordant = _read(runs, to_python(folds), str(pairs) if pairs else None)
    settings = (to_python(draws), to_python(seed), to_python(alpha), nemenyi)
    how = BayesOptions(to_python(rho), lower, hierarchical, priors, *settings)
    asked = [measures] if isinstance(measures, str) else measures or ()
    named = choose_names("measure", asked, table.cells, table.name)
    wanted = named if measures else table.scores()
    for names in (how.lower, higher, rope if isinstance(rope, Mapping) else ()):
        choose_names("measure", [name for name in names if name], table.cells, table.name)
    if both := {*lower} & {*higher}:
        raise UsageError(f"--lower {min(both)} and --higher {min(both)} contradict each other. Give one of them.")
    taken = choose_names("system", systems, table.systems(wanted), table.name)
    sets = choose_names("data set", datasets, table.data_sets(wanted), table.name)
    parts = []
    for measure in wanted:
        if measure not in how.lower:
            if measure not in higher and suggests_less(measure):
                raise UsageError(
                    f"{table.name}: the name of {measure} suggests that less is better. Confirm it: --lower "
                    f"{measure}; if more is better: --higher {measure}"
                )
            table.check_scale(measure, taken, sets)
        data, losses = pair_runs(table, measure, taken, sets, common=common)
        region = Rope()
        if len(taken) > 1:
            given = rope.get(measure, rope.get("")) if isinstance(rope, Mapping) else rope
            apart = _disagreement(measure, annotations, adjudicated, column) if given == "annotators" else None
            region = find_rope(given, measure, data, apart, bounded=measure not in how.lower)
        parts.append(Measured(measure, tuple(taken), tuple(data), region, tuple(losses), how, discordant))
    return _result(table, parts, [name for name in named if name not in wanted], how)


def _read(runs: Any, folds: int | None, pairs: str | None) -> tuple[RunTable, Discordant]:
    def is_plan(path: str) -> bool:
        return Path(path).suffix.lower() == ".toml"

    discordant: Discordant = {}
    if pairs:
        text = experiment.export_pairs(pairs) if is_plan(pairs) else read_table_text(pairs)[0]
        discordant = read_discordant(text, pairs)
    if isinstance(runs, RunTable):
        return runs, discordant
    name = "data frame"
    if is_frame(runs):
        text = table_text(runs, name)
    elif not isinstance(runs, str | PathLike | Sequence) or not runs:
        raise UsageError(
            f"runs: expected a table of runs, but got {reprlib.repr(runs)}. Give a CSV or TSV file, a data frame, "
            "the TOML file of an experiment, or a matrix for each system."
        )
    else:
        files = [str(file) for file in ([runs] if isinstance(runs, str | PathLike) else runs)]
        name = files[0]
        if len(files) > 1:
            return read_matrices(list(named_systems(files).items()), folds), discordant
        if not is_plan(name):
            return read_runs(name, *read_table_text(name)), discordant
        text = experiment.export(name)
    return read_runs(name, text, hashlib.sha256(text.encode()).hexdigest()), discordant


def _disagreement(
    measure: str, annotations: Sequence[File], adjudicated: File | None, column: str | None
) -> tuple[float, str]:
    """The difference of two annotators: one scored against the other, or both against the adjudicated version."""
    from assay.scale.run import score

    if len(annotations) != 2:
        raise UsageError("--rope annotators needs two annotations of the same text: --annotation A --annotation B")
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


def _result(table: RunTable, parts: Sequence[Measured], left_out: Sequence[str], how: BayesOptions) -> Result:
    systems, discordant = parts[0].systems, parts[0].discordant
    ranked = [part.ranked() for part in parts] if len(systems) > 1 else []
    posteriors = [row for pairs, _ in ranked for row in pairs]
    rhos = [rho for part in parts for rho in part.rhos]
    error = max((row.error for row in posteriors), default=0.0)

    warnings: list[str] = []
    for part in parts:
        warnings += scale_doubts(part.rope, part.name, part.data) if posteriors else ()
        warnings += part.losses
    few = sorted({row.data_sets for row in posteriors if row.model == "hierarchical"} & set(range(FEW_DATA_SETS)))
    if few:
        sets = "One data set says" if few == [1] else f"{' or '.join(map(str, few))} data sets say"
        warnings.append(
            f"{sets} little about a new one: much of each answer comes from the prior. The table 'How sure, "
            "and how large' (--table differences) has in brackets how each share changes under other priors."
        )
    if error > LARGEST_ERROR:
        warnings.append(
            f"Numerical error of the shares: up to {error:.4f}. More draws may make it smaller: --draws 200000"
        )
    if posteriors and discordant and not any(split.tested for row in posteriors for split in row.replications):
        warnings.append("--pairs: none of its rows is about these measures, data sets, systems and splits.")

    notes = ["There is nothing to compare one system with."]
    if posteriors:
        several = len({part.rope.sentence for part in parts}) > 1
        sentences = [f"{part.name}: {part.rope.sentence}" if several else part.rope.sentence for part in parts]
        notes = list(dict.fromkeys(sentences))
        if not all(part.rope.origin for part in parts):
            notes.append(
                "The default region is the width of a 95% interval (ci95). It is not used if it is more than 1 point "
                "or if the number of items (the column denominator) is not known."
            )
    values = ", ".join(sorted({f"{rho:.3g}" for rho in rhos}))
    notes.append(f"Correlation of runs that share training data, rho: {values}.")
    if any(row.model == "correlated-t" for row in posteriors):
        notes.append("On a single data set the correlated t-test is given; it says nothing about other data sets.")
    if len(posteriors) > 1:
        notes.append("No correction for many comparisons applies to these shares.")
    if 0 < error <= LARGEST_ERROR:
        notes.append(f"Numerical error of the shares: at most {error:.4f}.")
    if left_out:
        names = ", ".join(left_out)
        notes.append(f"Not read as scores, because they exceed 1 or fall below 0: {names}. To compare them: -m")
    notes += dict.fromkeys(f"{row.a}, {row.b}, {row.measure}: {note}" for row in posteriors for note in row.notes)

    ropes = ",".join(f"{part.name}={part.rope.half:g}({part.rope.origin})" for part in parts if part.rope.origin)
    pairs_hash = hashlib.sha256(repr(sorted(discordant.items())).encode()).hexdigest()
    signature = (
        f"assay {assay.__version__}|bayes|{Path(table.name).name}|rope:{ropes or 'none'}"
        f"|rho:{','.join(f'{rho:g}' for rho in dict.fromkeys(rhos))}|draws:{how.draws}|seed:{how.seed}"
        + (f"|lower:{','.join(how.lower)}" if how.lower else "")
        + f"|runs:sha256={'+'.join(digest[:12] for digest in table.sha256.split('+'))}"
        + (f"|pairs:sha256={pairs_hash[:12]}" if discordant else "")
    )
    found = Findings(
        {
            **{"command": "bayes", "task": "runs", "unit": "run", "aligned_by": "split"},
            "units": max(sum(len(runs.splits) for runs in part.data) for part in parts),
            "items": len({runs.name for part in parts for runs in part.data}),
            **{"seed": how.seed, "times": how.draws, "interval": "posterior", "test": "bayes"},
            # Measures are called as in the table of runs.
            "titles": {},
        },
        signature,
        InputFile(Path(table.name).name, table.name, table.sha256, "runs", 0, 0),
        [InputFile(name, *table.files.get(name, (table.name, table.sha256)), "runs", 0, 0) for name in systems],
        warnings=warnings,
        notes=notes,
    )
    found.rows["scores"] += [score for part in parts for score in part.scores()]
    found.rows["bayes"] += posteriors
    found.rows["rankings"] += [ranking for _, ranking in ranked]
    found.rows["ranks"] += [ranks for part in parts if (ranks := part.mean_ranks()) is not None]
    return build(found)
