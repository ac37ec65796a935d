"""Measurements of many runs, side by side; and the region of practical equivalence (ROPE) of their differences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from assay.arrays import Floats
from assay.classes import dataclass
from assay.errors import InputError, UsageError, unknown
from assay.experiment.tables import PAIRS, Row, Split, read_measurements, read_table_rows, read_whole, read_word
from assay.formats.source import Source
from assay.result.numbers import plural
from assay.stats.bayes import is_within
from assay.stats.intervals import wilson

MOST_NAMED = 5
PERCENT = 100.0
"""A perfect score in percent."""
ONLY = "value"
"""The name of the only measure of a matrix."""
_DIGITS = re.compile(r"(\d+)")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""The words of a name such as `error-rate`, `val_loss` or `wordErrorRate`."""
_LESS = {
    *("loss", "losses", "logloss", "error", "errors", "err", "entropy", "perplexity", "ppl", "nll", "brier", "ece"),
    *("mse", "rmse", "mae", "mape", "wer", "cer", "ter", "der", "eer", "distance", "latency", "time", "seconds"),
}
"""Words in the names of measures for which lower is better."""

Cells = dict[str, dict[str, dict[str, dict[Split, Row]]]]
"""By measure, data set, system and split."""
Discordant = Mapping[tuple[str, str, str, str, Split], tuple[int, int]]
"""By measure, data set, A, B and split: the items that only A, and that only B, has right; both ways round."""


@dataclass
class RunTable:
    """All measurements of a file, or of one file for each system."""

    name: str
    sha256: str
    cells: Cells = field(default_factory=dict)
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The file of each system and its hash, if each has its own."""
    layout: str = "runs"
    """`scores` if there is one score for each system and data set, `seeds` for runs on one data set, not paired."""
    notes: list[str] = field(default_factory=list)
    """Notes on what was not read."""

    def add(self, row: Row) -> None:
        """Enter one measurement."""
        self.cells.setdefault(row.measure, {}).setdefault(row.dataset, {}).setdefault(row.system, {})[row.split] = row

    def systems(self, measures: Iterable[str]) -> list[str]:
        """The systems that have any of the measures, sorted by name: the order of lines does not matter."""
        by_systems = (by_system for measure in measures for by_system in self.cells[measure].values())
        return sort_names({name for by_system in by_systems for name in by_system})

    def data_sets(self, measures: Iterable[str]) -> list[str]:
        """The data sets that have any of the measures, sorted by name."""
        return sort_names({name for measure in measures for name in self.cells[measure]})

    def scores(self) -> list[str]:
        """The measures whose values all lie between 0 and 1; all measures if there are none."""
        fractions = [name for name in self.cells if all(0 <= row.value <= 1 for row in self._rows(name))]
        return fractions or list(self.cells)

    def check_scale(self, measure: str, systems: Sequence[str], datasets: Sequence[str]) -> None:
        """Raise an error with a place if not all scores are fractions, or all percent."""
        rows = [
            row for row in self._rows(measure) if row.system in systems and row.dataset in datasets and row.value != 0
        ]
        if self.layout != "runs":
            # In a table of scores 1 may be a perfect score or one percent.
            rows = [row for row in rows if row.value != 1]
        beyond = next((row for row in rows if not 0 <= row.value <= PERCENT), None)
        if beyond is not None:
            raise InputError(
                f"{beyond.place}: {measure} is {beyond.value:g}, but scores are between 0 and 1, or 0 and 100 in "
                f"percent. Correct it; if lower is better, any number is allowed with: --lower {measure}"
            )
        scales: tuple[list[Row], list[Row]] = ([], [])
        for row in rows:
            scales[row.value > 1].append(row)
        fewer, more = sorted(scales, key=len)
        if fewer:
            raise InputError(
                f"{fewer[0].place}: {measure} is {fewer[0].value:g}, but {more[0].value:g} in {more[0].place}: "
                "fractions and percent are mixed. Give all as fractions."
            )

    def _rows(self, measure: str) -> Iterator[Row]:
        """The measurements that are defined."""
        for by_system in self.cells[measure].values():
            for splits in by_system.values():
                yield from (row for row in splits.values() if math.isfinite(row.value))


def suggests_less(measure: str) -> bool:
    """True if a word of a measure's name suggests that lower is better, such as `loss` or `error-rate`."""
    return any(word.lower() in _LESS for word in _WORDS.findall(measure))


def sort_names(names: Iterable[str]) -> list[str]:
    """Names in order, with 2 before 10."""
    return sorted(names, key=lambda name: [int(part) if part.isdecimal() else part for part in _DIGITS.split(name)])


def choose_names(kind: str, wanted: Iterable[str], known: Iterable[str], where: str) -> list[str]:
    """The names that are asked for, in that order; all known ones if none is."""
    names, known = list(dict.fromkeys(wanted)), list(known)
    for name in names:
        if name not in known:
            raise UsageError(f"{where}: {unknown(kind, name, known)}")
    return names or known


# --- reading ---


def read_table_text(path: str) -> tuple[str, str]:
    """A file's text and the hash of it."""
    source = Source(path)
    return "".join(batch.text for batch in source.batches()), source.sha256


def read_runs(path: str, text: str, sha256: str) -> RunTable:
    """CSV or TSV text with a row for each measurement."""
    runs = RunTable(path, sha256)
    for row in read_measurements(path, text, " Matrices are given as NAME=FILE, one for each system."):
        runs.add(row)
    return runs


def read_matrices(files: Sequence[tuple[str, str]], folds: int | None) -> RunTable:
    """One matrix for each system: a line for each data set, a number for each run, repetition by repetition."""
    runs = RunTable(", ".join(path for _, path in files), "")
    first: list[int] = []
    for system, path in files:
        text, sha256 = read_table_text(path)
        runs.files[system] = (path, sha256)
        rows: list[tuple[str, list[float]]] = []
        for number, line in enumerate(text.splitlines(), 1):
            try:
                if numbers := [float(cell) for cell in line.replace(",", " ").split()]:
                    rows.append((f"{path}:{number}", numbers))
            except ValueError:
                raise InputError(
                    f"{path}:{number}: expected a line of numbers. A matrix has a line for each data set; give a "
                    f"table of measurements alone, without NAME=."
                ) from None
        if not rows:
            raise InputError(f"{path}: contains no numbers.")
        lengths = [len(row) for _, row in rows]
        first = first or lengths
        if lengths != first:
            raise InputError(
                f"{path}: {_shape(lengths)}, but {files[0][1]} has {_shape(first)}. Runs are paired: "
                "the same line and column is the same data and split."
            )
        for number, (place, row) in enumerate(rows, 1):
            if len(row) % (folds or 1):
                raise InputError(f"{place}: {len(row)} runs cannot be repetitions of {folds} folds.")
            for run, value in enumerate(row):
                # Without folds each run is a split of its own, and --rho must say how they are correlated.
                repetition, fold = divmod(run, folds or 1)
                runs.add(Row(place, f"line {number}", system, Split(repetition + 1, fold + 1), ONLY, value))
    runs.sha256 = "+".join(sha256 for _, sha256 in runs.files.values())
    return runs


def _shape(lengths: Sequence[int]) -> str:
    return f"{len(lengths)} lines of {lengths[0] if len(set(lengths)) == 1 else 'unequal'} numbers"


def read_discordant(text: str, path: str) -> Discordant:
    """CSV or TSV text with a row for each measure, two systems and split."""
    counts: dict[tuple[str, str, str, str, Split], tuple[int, int]] = {}
    for place, cells in read_table_rows(path, text, PAIRS, f"The columns are {', '.join(PAIRS)}."):
        dataset, a, b, measure = (read_word(place, cells, name) for name in ("dataset", "a", "b", "measure"))
        split = Split(read_whole(place, cells, "repetition"), read_whole(place, cells, "fold"))
        only_a, only_b = read_whole(place, cells, "only_a"), read_whole(place, cells, "only_b")
        if (measure, dataset, a, b, split) in counts:
            fact = f"{measure} of {a} and {b} on {dataset} {split} is given twice"
            raise InputError(f"{place}: {fact}. Keep one of them.")
        counts[measure, dataset, a, b, split] = only_a, only_b
        counts[measure, dataset, b, a, split] = only_b, only_a
    return counts


# --- runs side by side ---


@dataclass(frozen=True, eq=False)
class PairedRuns:
    """The runs of all systems on one data set, split by split."""

    name: str
    splits: tuple[Split, ...]
    values: Mapping[str, Floats]
    denominators: Floats
    """The number of items of each measurement; nan if it is not known."""
    folds: int
    share: float
    """The test part's share of the test and training parts; nan if their sizes are not known."""


def pair_runs(
    runs: RunTable, measure: str, systems: Sequence[str], datasets: Sequence[str], *, common: bool
) -> tuple[list[PairedRuns], list[str]]:
    """The data sets of a measure with the splits that all systems were measured on, and warnings of the rest.

    A run that one of them lacks, or whose score is undefined, is an error without `common`.
    """
    paired: list[PairedRuns] = []
    empty: list[str] = []
    missing: list[str] = []
    lost = 0
    for dataset in datasets:
        by_system = runs.cells[measure].get(dataset, {})
        splits = sorted({split for system in systems for split in by_system.get(system, {})})
        defined = {
            system: {split for split, row in by_system.get(system, {}).items() if math.isfinite(row.value)}
            for system in systems
        }
        for name, known in defined.items():
            missing += [f"{name} on {dataset} {split}" for split in splits if split not in known]
        shared = [split for split in splits if all(split in known for known in defined.values())]
        lost += len(splits) - len(shared)
        if not shared:
            empty.append(dataset)
            continue
        first = [by_system[systems[0]][split] for split in shared]
        shares = [
            row.n_test / (row.n_test + row.n_train) if row.n_train and row.n_test else math.nan for row in first
        ]
        folds = {split.fold for split in splits}
        paired.append(
            PairedRuns(
                name=dataset,
                splits=tuple(shared),
                values={name: np.array([by_system[name][split].value for split in shared]) for name in systems},
                denominators=np.array([math.nan if row.denominator is None else row.denominator for row in first]),
                # Folds may be counted from 0 or 1, and the last may be missing.
                folds=max(len(folds), *folds),
                share=float(np.mean(shares)),
            )
        )
    if missing and not common:
        named = "; ".join(missing[:MOST_NAMED]) + ("; …" if len(missing) > MOST_NAMED else "")
        raise InputError(
            f"{runs.name}: no {measure} of {named} ({len(missing):,} in all). "
            "To compare on the runs that all have: --common"
        )
    if not paired:
        unit = "data set" if runs.layout == "scores" else "run"
        raise InputError(f"{runs.name}: no {unit} has {measure} of all systems.")
    warnings = []
    if lost:
        gone = plural(len(missing), "measurement is", "measurements are")
        warnings.append(f"{measure}: {gone} missing or undefined, so {plural(lost, 'run was', 'runs were')} "
        f"left out.")
    if empty:
        warnings.append(f"{measure}: no runs of all systems on {', '.join(empty)}.")
    return paired, warnings


# --- the region of practical equivalence ---

INTERVALS = {"ci95": 1.0, "ci95half": 0.5}
"""The part of the width of a 95% interval that is half of the region: the paper takes all of it."""
WIDEST = 0.01
"""The largest half width of the default region, as a fraction: a wider one would hide what matters."""
WIDE = 0.05
"""From this half width on, as a fraction, a region from an interval depends on test parts more than on systems."""
_ITEMS = re.compile(r"(\d+(?:\.\d+)?)\s*items?")
_POINTS = re.compile(r"(margin )?(\S+)\s*(?:pt|%)")
_REMEDY = "Give it in units of the measure, e.g. --rope"
_SOURCES = {
    "given": "given by --rope",
    "margin": "given by --margin",
    "ci95": "from ci95, the width of a 95% interval",
    "ci95half": "from ci95half, half the width of a 95% interval",
}


@dataclass(frozen=True)
class Rope:
    """Half the width of the region of practical equivalence, and its origin; without one, every difference counts."""

    half: float = 0.0
    origin: str = ""
    """Empty if no region was given, and the default would be too wide or cannot be computed."""
    items: float = math.nan
    """The half width in items of a test part; nan if their number is not known."""
    full: float = math.nan
    """A perfect score, 1 or 100; nan for other numbers, which are not shown in points."""

    def __str__(self) -> str:
        """Half the width of the region, in points if scores have them."""
        if math.isnan(self.full):
            return f"{self.half:.3g}"
        points = f"{100 * self.half / self.full:.3g}"
        return f"{points} point{'s' * (points != '1')}"

    @property
    def source(self) -> str:
        """The origin of the region in words."""
        return _SOURCES.get(self.origin, f"from {self.origin}")

    @property
    def sentence(self) -> str:
        """The region and where it comes from; without one, how to give it."""
        if self.half:
            number = 0 if math.isnan(self.items) else round(self.items)
            items = f"{number:,} item{'s' * (number > 1)}" if number else "less than one item"
            counted = "" if math.isnan(self.items) else f" ({items} of a test part)"
            return f"Region of equivalence: differences of at most {self}{counted}, {self.source}."
        if self.origin:
            return "Every difference counts (--rope 0)."
        if math.isnan(self.full):
            return "Every difference counts (to ignore small ones: --rope with their size in units of the measure)."
        return f"Every difference counts (to ignore differences of up to 1 point: --rope {WIDEST * self.full:g})."


def find_rope(
    wanted: str | float | None,
    measure: str,
    data: Sequence[PairedRuns],
    apart: tuple[float, str] | None = None,
    *,
    bounded: bool = True,
    by_interval: bool = True,
) -> Rope:
    """The region for a measure: a number, `98 items`, `ci95` or `ci95half`; by default `ci95` if that is narrow.

    Or it is how far two annotators are `apart`, as a fraction, which comes with its origin. Scores that are not
    `bounded` may be any numbers, so that those up to 100 are no percent. Without `by_interval` there is no default.
    """
    items, full, values = _items(data), full_score(data), _values(data)
    known = values.min() >= 0 and values.max() <= full and (bounded or full == 1)
    # From Wilson's interval at the mean score over systems and data sets, for a test part of mean size.
    mean = float(np.mean([row.mean() for runs in data for row in runs.values.values()])) / full
    low, high = wilson(mean * items, items) if known and not math.isnan(items) else (math.nan, math.nan)
    if wanted is None and not (by_interval and high - low <= WIDEST):
        return Rope(full=full if known else math.nan)
    text = "ci95" if wanted is None else str(wanted).strip()
    counted = _ITEMS.fullmatch(text)
    if apart is not None:
        half, origin = apart[0] * full, apart[1]
        if math.isnan(half):
            raise UsageError(f"{measure}: it is undefined on these annotations, so they give no region.")
    elif (text in INTERVALS or counted) and math.isnan(items):
        raise UsageError(
            f"{measure}: --rope {text} needs the number of items of each test part (the column denominator). "
            f"{_REMEDY} {0.002 * full:g}"
        )
    elif text in INTERVALS:
        half, origin = INTERVALS[text] * (high - low) * full, text
        if math.isnan(half):
            raise UsageError(f"{measure}: an interval needs scores between 0 and 1. {_REMEDY} 0.002")
    elif counted:
        half, origin = float(counted[1]) / items * full, f"{counted[1]} items of {items:,.0f}"
    else:
        in_points = _POINTS.fullmatch(text)
        origin = "margin" if in_points and in_points[1] else "given"
        half = number_in(in_points[2] if in_points else text, math.inf)
        half *= (full if known else 1) / 100 if in_points else 1
        if math.isnan(half):
            raise UsageError(
                f"--rope {text}: give a number from 0 on, points (0.5pt), '98 items', ci95, ci95half or annotators."
            )
    # Of scores without a bound nobody knows how far they can lie apart.
    if half > full and known:
        raise UsageError(
            f"{measure}: a region of ±{half:g} is wider than the range of scores ({full:g}). "
            f"{_REMEDY} {0.002 * full:g}"
        )
    return Rope(half, origin, half / full * items, full) if known else Rope(half, origin)


def number_in(text: str | float, end: float) -> float:
    """A number from 0 to below an end; nan for everything else."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if 0 <= value < end else math.nan


def score_range(data: Sequence[PairedRuns], *, bounded: bool) -> tuple[float, float]:
    """The least and the greatest possible score; infinite if there is no known bound."""
    if bounded:
        return 0.0, full_score(data)
    return 0.0 if _values(data).min() >= 0 else -math.inf, math.inf


def full_score(data: Sequence[PairedRuns]) -> float:
    """A perfect score: 1, or 100 if scores are percent."""
    values = _values(data)
    return 100.0 if values.min() >= 0 and 1 < values.max() <= 100 else 1.0


def _items(data: Sequence[PairedRuns]) -> float:
    """The mean number of items of a test part."""
    known = np.concatenate([runs.denominators for runs in data])
    return math.nan if np.isnan(known).any() else float(known.mean())


def _values(data: Sequence[PairedRuns]) -> Floats:
    return np.concatenate([row for runs in data for row in runs.values.values()])


def scale_doubts(region: Rope, measure: str, data: Sequence[PairedRuns]) -> list[str]:
    """Warnings if the region is very wide, or seems to be on another scale than the scores."""
    half, doubts = region.half, []
    largest = max((float(np.ptp([*runs.values.values()], axis=0).max()) for runs in data), default=0.0)
    if region.origin in INTERVALS and half > WIDE * full_score(data):
        doubts.append(
            f"{measure}: test parts of {_items(data):,.0f} items make the region as wide as ±{half:.3g} "
            f"({region.origin}), which hides true differences. Give the largest difference that does not matter: "
            f"--rope"
        )
    if largest > 0 and is_within(largest, half):
        doubts.append(f"{measure}: no difference is larger than the region of ±{half:g}, so all systems count as "
        f"equivalent.")
    elif half > np.ptp(_values(data)) / 2 > 0:
        doubts.append(
            f"{measure}: the region of ±{half:g} is wider than half of the range of scores. Is it on their scale?"
        )
    means = [row.mean() for runs in data for row in runs.values.values()]
    if min(means) < 1 < max(means) and max(means) > 1.5:
        doubts.append(f"{measure}: some scores are below 1 and some far above. Are fractions and percent mixed?")
    return doubts
