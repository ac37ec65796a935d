"""Systems compared over many runs and data sets: from a table of runs to a Result."""

from __future__ import annotations

import hashlib
import math
import reprlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay import experiment
from assay.arrays import Floats, to_python
from assay.bayesian.pairs import BayesOptions, Measured, find_grid
from assay.bayesian.scores import read_scores
from assay.bayesian.table import (
    PERCENT,
    Discordant,
    Rope,
    RunTable,
    choose_names,
    find_rope,
    pair_runs,
    read_discordant,
    read_matrices,
    read_table_text,
    scale_doubts,
    suggests_less,
)
from assay.corpus.adapters import is_frame, named_systems, table_text
from assay.engine.build import Findings, build
from assay.engine.sets import tabulate_scores
from assay.errors import InputError, UsageError
from assay.experiment.plan import measure_and_score
from assay.keywords import File, explicit
from assay.result import Comparison, InputFile, Result, Score, Table
from assay.result.grammar import ALPHA
from assay.result.numbers import DASH, plural
from assay.result.schema import RunScores
from assay.stats.bayes import FEW_DATA_SETS
from assay.stats.runs import exchange_runs

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
    input_format: str | None = None,
) -> Result:
    """Compare systems over many runs and data sets, after Szymański and Gorman (2020), or over a table of scores.

    `runs` is a CSV or TSV file with a row for each measurement, a data frame with the same columns, the TOML file of
    an experiment, or one matrix for each system (`name=path`). A table of scores has a row for each data set and a
    column for each system, or the reverse; if its first cell does not say which, `input_format` does:
    `scores(rows=systems)` or `scores(rows=datasets)`. With one or two runs, the Bayesian signed-rank test takes the
    place of the model over data sets. `rope` is the largest difference that does not matter:
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
    table, discordant = _read(runs, to_python(folds), str(pairs) if pairs else None, input_format)
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
                    f"{table.name}: the name of {measure} suggests that lower is better. Confirm it: --lower "
                    f"{measure}; if higher is better: --higher {measure}"
                )
            table.check_scale(measure, taken, sets)
        if table.layout == "seeds":
            continue
        data, losses = pair_runs(table, measure, taken, sets, common=common or table.layout == "scores")
        grid = find_grid(table, measure, taken, sets, min(len(own.splits) for own in data), how)
        if grid and table.layout == "scores":
            absent = np.array(grid.sets)[~grid.common].tolist()
            listed = f"{', '.join(absent)} ({len(absent):,} of {plural(len(grid.sets), 'data set')})"
            reason = "left out of means, ranks and tests, because a system has no score there"
            losses = [f"{measure}: {reason}: {listed}."] * bool(absent)
        region = Rope()
        if len(taken) > 1:
            given = rope.get(measure, rope.get("")) if isinstance(rope, Mapping) else rope
            apart = _disagreement(measure, annotations, adjudicated, column) if given == "annotators" else None
            bounded, by_interval = measure not in how.lower, grid is None
            region = find_rope(given, measure, data, apart, bounded=bounded, by_interval=by_interval)
        parts.append(Measured(measure, tuple(taken), tuple(data), region, tuple(losses), how, discordant, grid))
    if table.layout == "seeds":
        return _result_of_seeds(table, wanted, taken, how)
    return _result(table, parts, [name for name in named if name not in wanted], how)


def _read(runs: Any, folds: int | None, pairs: str | None, how: str | None) -> tuple[RunTable, Discordant]:
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
        # An index with a name is a column: that of the data sets, for example.
        index = getattr(getattr(runs, "index", None), "name", None)
        text = table_text(runs if index is None or index in runs.columns else runs.reset_index(), name)
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
            return read_scores(name, *read_table_text(name), how), discordant
        text = experiment.export(name)
    return read_scores(name, text, hashlib.sha256(text.encode()).hexdigest(), how), discordant


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
            f"{sets} little about a new one, so the results depend much on the prior. The table 'How sure, and how "
            f"large' (--table differences) shows in brackets how each share changes under other priors."
        )
    if error > LARGEST_ERROR:
        warnings.append(
            f"The shares have a numerical error of up to {error:.4f}. More draws can reduce it: --draws 200000"
        )
    if posteriors and discordant and not any(split.tested for row in posteriors for split in row.replications):
        warnings.append("--pairs: no row matches these measures, data sets, systems and splits.")

    notes = ["There is only one system, so nothing is compared."]
    if posteriors:
        several = len({part.rope.sentence for part in parts}) > 1
        sentences = [f"{part.name}: {part.rope.sentence}" if several else part.rope.sentence for part in parts]
        notes = list(dict.fromkeys(sentences))
        if not all(part.rope.origin or part.grid for part in parts):
            notes.append(
                "The default region is the width of a 95% interval (ci95). It is not used if it is more than 1 point "
                "or if the number of items (the column denominator) is not known."
            )
    values = ", ".join(sorted({f"{rho:.3g}" for rho in rhos}))
    notes += [f"Correlation of runs that share training data, rho: {values}."] * bool(rhos)
    by_means = [(part, part.grid) for part in parts if part.grid]
    if by_means and posteriors:
        single = all(len(runs.splits) == 1 for part, _ in by_means for runs in part.data)
        notes.append(
            f"Model: the Bayesian signed-rank test (Benavoli et al. 2014) on {'one score' if single else 'the mean'} "
            f"of each system and data set. It ignores how uncertain each score is. With outputs: assay compare "
            "--data; with three or more runs of each system on each data set: the model over data sets."
        )
        if any(not part.rope.half for part, _ in by_means):
            notes.append(
                "A share of .95 is weaker evidence than p = 0.05: without a region, equally good systems reach it in "
                "18% of tables with 5 data sets, 13% with 10 and 11% with 40. Compare it with the signed-rank tests."
            )
    if any(row.model == "correlated-t" for row in posteriors):
        notes.append("On a single data set, the correlated t-test is used. It does not apply to other data sets.")
    if len(posteriors) > 1:
        notes.append("These shares are not corrected for multiple comparisons.")
    notes += table.notes
    if 0 < error <= LARGEST_ERROR:
        notes.append(f"The shares have a numerical error of at most {error:.4f}.")
    if left_out:
        names = ", ".join(left_out)
        notes.append(f"Not read as scores, because they exceed 1 or fall below 0: {names}. To compare them: -m")
    notes += dict.fromkeys(f"{row.a}, {row.b}, {row.measure}: {note}" for row in posteriors for note in row.notes)

    ropes = ",".join(f"{part.name}={part.rope.half:g}({part.rope.origin})" for part in parts if part.rope.origin)
    pairs_hash = hashlib.sha256(repr(sorted(discordant.items())).encode()).hexdigest()
    rho = f"|rho:{','.join(f'{rho:g}' for rho in dict.fromkeys(rhos))}" if rhos else "|model:signed-rank"
    settings = f"|rope:{ropes or 'none'}{rho}|draws:{how.draws}|seed:{how.seed}"
    found = _findings(table, systems, how, settings, f"|pairs:sha256={pairs_hash[:12]}" * bool(discordant))
    found.about |= {
        "units": max(sum(len(runs.splits) for runs in part.data) for part in parts),
        "items": len({runs.name for part in parts for runs in part.data}),
    }
    found.warnings += warnings
    found.notes += notes
    found.rows["scores"] += [score for part in parts for score in part.scores()]
    found.rows["tables"] += _sizes(parts)
    found.rows["bayes"] += posteriors
    found.rows["rankings"] += [ranking for _, ranking in ranked]
    found.rows["ranks"] += [ranks for part in parts if (ranks := part.mean_ranks()) is not None]
    for part, grid in by_means:
        found.rows["systems_over_sets"] += grid.of_systems
        common = replace(grid, values=np.where(grid.common[:, None], grid.values, np.nan))
        found.rows["pairs_over_sets"] += common.of_pairs
        averages = {row.system: row for row in part.scores() if row.slice is None}
        in_percent = grid.form == "number" and grid.sign > 0
        shown = replace(grid, values=grid.values / PERCENT, form="percent") if in_percent else grid
        found.rows["tables"].append(tabulate_scores(shown, part.name, averages, first=part is parts[0]))
        if table.layout == "scores":
            sizes = f"{plural(len(systems), 'system')}, {plural(len(grid.sets), 'data set')}"
            found.about["heading"] = f"table of scores: {sizes}"
    return build(found)


def _sizes(parts: Sequence[Measured]) -> Iterator[Table]:
    """A table of data sets with the number of items in one repetition, for measures whose runs give it."""
    items: dict[str, dict[str, int | str]] = {}
    for part in parts:
        for runs in part.data:
            by_repetition: Counter[int] = Counter()
            for split, number in zip(runs.splits, runs.denominators.tolist(), strict=True):
                by_repetition[split.repetition] += number
            numbers = {*by_repetition.values()}
            if not any(map(math.isnan, numbers)):
                items.setdefault(runs.name, {})[part.name] = int(min(numbers)) if len(numbers) == 1 else "varies"
    names = [part.name for part in parts if any(part.name in own for own in items.values())]
    if names:
        rows = tuple((name, *(own.get(measure, DASH) for measure in names)) for name, own in items.items())
        note = "The number of items that each measure counts in one repetition, all folds together."
        yield Table("Data sets", ("data set", *names), rows, ("text", "count"), notes=(note,), name="sizes")


def _findings(table: RunTable, systems: Sequence[str], how: BayesOptions, settings: str, last: str = "") -> Findings:
    """The facts of all comparisons of runs."""
    signature = (
        f"assay {assay.__version__}|bayes|{Path(table.name).name}{settings}"
        + (f"|lower:{','.join(how.lower)}" if how.lower else "")
        + f"|runs:sha256={'+'.join(digest[:12] for digest in table.sha256.split('+'))}{last}"
    )
    return Findings(
        {
            **{"command": "bayes", "task": "runs", "unit": "run", "aligned_by": "split"},
            **{"seed": how.seed, "times": how.draws, "interval": "posterior", "test": "bayes"},
            # Measures are called as in the table of runs.
            "titles": {},
        },
        signature,
        InputFile(Path(table.name).name, table.name, table.sha256, "runs", 0, 0),
        [InputFile(name, *table.files.get(name, (table.name, table.sha256)), "runs", 0, 0) for name in systems],
    )


# --- seeds ---


def _result_of_seeds(table: RunTable, measures: Sequence[str], systems: Sequence[str], how: BayesOptions) -> Result:
    """Runs on one data set that are not paired: means and spreads, and each two systems tested by exchanging runs."""
    found = _findings(table, systems, how, "|test:permutation")
    scores, tests = found.rows["scores"], found.rows["comparisons"]
    for measure in measures:
        (by_system,) = table.cells[measure].values()
        runs: dict[str, Floats] = {}
        for name in systems:
            values = np.array([row.value for row in by_system.get(name, {}).values() if math.isfinite(row.value)])
            if len(values) < 2:
                raise InputError(f"{table.name}: {plural(len(values), 'run')} of {name}, {measure}. Give 2 or more.")
            spread = RunScores(len(values), float(np.std(values, ddof=1)), min(values), max(values), tuple(values))
            row = (name, measure, "mean", None, None, float(np.mean(values)), math.nan, math.nan, True)
            scores.append(Score(*row, runs=spread))
            runs[name] = values
        for a, b in combinations(systems, 2):
            p, method = exchange_runs(runs[a], runs[b])
            difference, units = float(np.round(runs[b].mean() - runs[a].mean(), 12)), len(runs[a]) + len(runs[b])
            numbers = (difference, math.nan, math.nan, "permutation", p, p, p, math.nan, units)
            tests.append(Comparison(a, b, measure, "mean", None, *numbers, exact=method != "t", method=method))
    sizes = sorted(row.runs.number for row in scores)
    beyond = {row.measure for row in scores if row.runs.low < 0 or row.runs.high > 1}
    found.about |= {
        **{"units": sizes[-1], "items": 1, "interval": "none", "test": "permutation"},
        "heading": f"runs on one data set: {plural(len(systems), 'system')}, {plural(sizes[-1], 'run')} of each",
        "score_forms": {measure: {"mean": "number"} for measure in beyond},
    }
    found.notes += [
        "Rows are runs on one data set, not data sets. p comes from all assignments of the runs to the two systems, "
        "or from Welch's t if there are more than 200,000. It does not apply to other test items.",
        *table.notes,
    ]
    ways = math.comb(sum(sizes[-2:]), sizes[-1]) if len(systems) > 1 else 1
    if ways > 1 and (least := (1 + (sizes[-2] == sizes[-1])) / ways) > ALPHA:
        found.notes.append(f"With {sizes[-2]} and {sizes[-1]} runs, p cannot be below {least:.2f}. Give more runs.")
    return build(found)
