"""Confidences: curves over thresholds, average precision, areas under curves, Brier score, log loss, calibration."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.arrays import Array, Bools, Floats, Ints, distinct_numbers, ratio, sum_integers
from assay.classes import dataclass
from assay.stats.intervals import percentile
from assay.stats.streams import generator
from assay.stats.values import Columns, Moments

EXACT_ITEMS = 2000
"""Up to this number of items, the expected calibration error is exact; above it, near confidences are merged."""
_CELLS = 100
"""The number of cells of a bin in which confidences are merged then."""
_STRATA = 4
"""The number of strata of a bin from which the bootstrap draws, each for right and wrong answers."""
_NEARLY = 1e-9
"""Differences up to this are only rounding."""


@dataclass(frozen=True, eq=False)
class Confidences:
    """How many answers have each confidence, and how many of these are right. Those of several files add up."""

    values: Floats
    """The distinct confidences, from the lowest."""
    sizes: Ints
    """The number of answers with each …"""
    right: Ints
    """… and the number of the right ones."""
    positives: int
    """All that can be right, with or without an answer …"""
    negatives: int
    """… and all that is wrong."""

    @classmethod
    def of(cls, confidence: Floats, right: Bools, missed: int = 0) -> Confidences:
        """Confidences of answers; one of nan has no place in the order. `missed`: what gold has and no answer."""
        there = ~np.isnan(confidence)
        values, place = np.unique(confidence[there] + 0.0, return_inverse=True)  # -0.0 is 0.0
        positives = int(right.sum())
        sizes, hits = (np.bincount(place[chosen], minlength=len(values)) for chosen in (slice(None), right[there]))
        return cls(values, sizes, hits, positives + missed, len(right) - positives)

    def __add__(self, other: Confidences) -> Confidences:
        values, place = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        sizes, right = (
            sum_integers(np.concatenate(numbers), place, len(values))
            for numbers in ((self.sizes, other.sizes), (self.right, other.right))
        )
        positives, negatives = self.positives + other.positives, self.negatives + other.negatives
        return Confidences(values, sizes, right, positives, negatives)

    @property
    def are_probabilities(self) -> bool:
        """True if all confidences are between 0 and 1."""
        return not len(self.values) or bool(self.values[0] >= 0 and self.values[-1] <= 1)

    @property
    def highest_recall(self) -> float:
        """The share of right answers in all that can be right."""
        return int(self.right.sum()) / self.positives if self.positives else math.nan


class CountedCurve(NamedTuple):
    """Counts at each threshold, from the highest: answers with at least this confidence count."""

    threshold: Floats
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints

    def scores(self) -> dict[str, Floats]:
        """The scores at each threshold by name."""
        tp, fp, fn, tn = (field.astype(np.float64) for field in self[1:])
        return {
            "precision": ratio(tp, tp + fp),
            "recall": ratio(tp, tp + fn),
            "f1": ratio(2 * tp, 2 * tp + fp + fn),
            "accuracy": ratio(tp + tn, tp + fp + fn + tn),
        }


def sweep_thresholds(answers: Confidences, thresholds: Floats | None = None) -> CountedCurve:
    """The counts at each threshold, or at each distinct confidence; equal confidences enter together."""
    thresholds = answers.values[::-1] if thresholds is None else thresholds
    first = np.searchsorted(answers.values, thresholds)
    tp, count = (np.append(np.cumsum(one[::-1])[::-1], 0)[first] for one in (answers.right, answers.sizes))
    return CountedCurve(thresholds, tp, count - tp, answers.positives - tp, answers.negatives - count + tp)


def choose_threshold(curve: CountedCurve, score: str, least: tuple[str, float] | None = None) -> int:
    """The place of the highest score, of equal ones that of the highest threshold; -1 if no place has the least
    value of another score."""
    scores = curve.scores()
    values = np.where(np.isnan(scores[score]), -1.0, scores[score])
    if least is not None:
        values[~(scores[least[0]] >= least[1] - _NEARLY)] = -1.0
    best = int(np.argmax(values)) if len(values) else -1
    return best if best >= 0 and values[best] >= 0 else -1


def thin_curve(curve: CountedCurve, most: int = 500) -> CountedCurve:
    """A curve with about `most` points or fewer, at even steps of its length in precision and recall."""
    if len(curve.threshold) <= most:
        return curve
    scores = curve.scores()
    steps = sum(np.abs(np.diff(np.nan_to_num(scores[name]))) for name in ("precision", "recall"))
    length = np.append(0.0, np.cumsum(steps))
    wanted = np.linspace(0, length[-1], most // 2)
    ranks = np.linspace(0, len(length) - 1, most // 2).astype(np.int64)
    chosen = np.unique(np.concatenate([ranks, np.searchsorted(length, wanted).clip(max=len(length) - 1)]))
    return CountedCurve(*(field[chosen] for field in curve))


def mean_precision(answers: Confidences) -> float:
    """Average precision: the sum of precision times the gain in recall over the thresholds, without interpolation."""
    precision = sweep_thresholds(answers).scores()["precision"]
    return float(precision @ answers.right[::-1]) / answers.positives if answers.positives else math.nan


def roc_auc(answers: Confidences) -> float:
    """The probability that a positive has a higher confidence than a negative, ties by half.

    Items without a confidence are below all others.
    """
    curve, ends = sweep_thresholds(answers), (answers.positives, answers.negatives)
    tp, fp = (np.concatenate([[0], field, [end]]) for field, end in zip((curve.tp, curve.fp), ends, strict=True))
    return int(np.diff(fp) @ (tp[1:] + tp[:-1])) / (2 * ends[0] * ends[1]) if all(ends) else math.nan


def squared_errors(probabilities: Floats, truth: Array) -> Floats:
    """The Brier score of each item: (p − y)², summed over labels if there is a column for each."""
    squares = (probabilities - truth) ** 2
    return np.asarray(squares.sum(axis=1) if squares.ndim == 2 else squares)


def surprises(probabilities: Floats, floor: float = 0.0) -> Floats:
    """−ln of the probability of what is true of each item, nan if it is impossible; `floor` is the least
    probability."""
    with np.errstate(divide="ignore"):
        values = -np.log(np.maximum(probabilities, floor) if floor else probabilities)
    return np.where(np.isinf(values), np.nan, np.abs(values))


def mean_square(answers: Confidences) -> float:
    """The Brier score: the mean of (p − y)²."""
    p, wrong, count = answers.values, answers.sizes - answers.right, int(answers.sizes.sum())
    return float(answers.right @ (1 - p) ** 2 + wrong @ p**2) / count if count else math.nan


def mean_surprise(answers: Confidences, floor: float = 0.0) -> tuple[float, int]:
    """The log loss: the mean of −ln of the probability of what is true, and the number of items for which it is 0."""
    numbers = np.concatenate([answers.right, answers.sizes - answers.right])
    values = surprises(np.concatenate([answers.values, 1 - answers.values]), floor)
    impossible = int(numbers[np.isnan(values)].sum())
    there, count = numbers > 0, int(numbers.sum())
    return float(numbers[there] @ values[there]) / count if count else math.nan, impossible


# --- calibration ---


class Bins(NamedTuple):
    """Answers in bins of confidence. Empty bins are left out."""

    number: Ints
    """The number of each bin, from 1."""
    place: Ints
    """The bin of each distinct confidence, from 0."""
    items: Ints
    confidence: Floats
    """The mean confidence …"""
    right: Floats
    """… and the share of right answers."""

    @property
    def expected(self) -> list[float]:
        """The number of right answers of each that its confidences promise."""
        return [*map(float, self.items * self.confidence)]

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of the two over answers."""
        return float(self.items @ np.abs(self.confidence - self.right)) / int(self.items.sum())

    @property
    def squared(self) -> float:
        """The squared error without its bias, which may be negative; nan if a bin has one answer."""
        noise = ratio(self.right * (1 - self.right), self.items.astype(np.float64) - 1)
        return float(self.items @ ((self.confidence - self.right) ** 2 - noise)) / int(self.items.sum())


def find_bins(confidence: Floats, bins: int) -> Ints:
    """The number of the bin (a, b] of equal width of each confidence, from 1; 0 is in the first.

    Nine decimals count, so 0.3 belongs to the third of ten bins.
    """
    return np.maximum(np.ceil(np.round(confidence * bins, 9)), 1).astype(np.int64)


def fill_bins(answers: Confidences, bins: int, *, by_mass: bool = False) -> Bins:
    """Bins of equal width, or of about equal numbers of answers, in which equal confidences stay together."""
    number = find_bins(answers.values, bins)
    if by_mass:
        # Twice the mean rank from the lowest, minus 1.
        doubled = 2 * np.cumsum(answers.sizes) - answers.sizes
        number = bins * doubled // (2 * int(answers.sizes.sum())) + 1
    numbers, place = np.unique(number, return_inverse=True)
    items, right, sums = (
        np.bincount(place, weights=weights, minlength=len(numbers))
        for weights in (answers.sizes, answers.right, answers.sizes * answers.values)
    )
    return Bins(numbers, place, items.astype(np.int64), sums / items, right / items)


class Calibrated(NamedTuple):
    """How far confidences are from the share of right answers, and how far they would be by chance."""

    ece: float
    low: float
    """The interval of the ECE: from here …"""
    high: float
    """… to here."""
    mce: float
    """The largest distance of a bin."""
    floor: float
    """The ECE that is expected if confidences are calibrated."""
    p: float
    """The share of calibrated draws with an ECE at least as large."""
    ece_mass: float
    """The ECE in bins of equal mass …"""
    floor_mass: float
    """… its expectation …"""
    squared: float
    """… and the squared error in these without its bias."""


def calibrate(
    answers: Confidences, bins: int = 15, seed: int = 0, times: int = 10_000
) -> tuple[Calibrated, Bins, Floats] | None:
    """The calibration of probabilities, its bins and, of each, both ends of the share of right answers in 95% of
    calibrated draws; None if there are no answers."""
    if not len(answers.values):
        return None
    by_width, by_mass = fill_bins(answers, bins), fill_bins(answers, bins, by_mass=True)
    content = b"".join(field.astype("<f8").tobytes() for field in (answers.values, answers.sizes, answers.right))
    rng = generator(seed, b"calibration" + content)
    outcomes = _right_answers(answers, by_width)
    drawn, ends = np.zeros(times), []
    for (first, chances), mean in zip(outcomes, by_width.expected, strict=True):
        below = np.cumsum(chances)
        ends.append(first + np.searchsorted(below, [0.025, 0.975]))
        drawn += np.abs(first + np.searchsorted(below, rng.random(times) * below[-1], side="right") - mean)
    ece = by_width.error
    p = (1 + int((drawn >= (ece - _NEARLY) * int(answers.sizes.sum())).sum())) / (1 + times)
    low, high = percentile(_resample_errors(answers, by_width, bins, times, rng))
    found = Calibrated(
        ece,
        low=0.0 if p > 0.05 else max(0.0, 2 * ece - high),
        high=max(ece, 2 * ece - low),
        mce=float(np.abs(by_width.confidence - by_width.right).max()),
        floor=_expect_error(outcomes, by_width),
        p=p,
        ece_mass=by_mass.error,
        floor_mass=_expect_error(_right_answers(answers, by_mass), by_mass),
        squared=by_mass.squared,
    )
    return found, by_width, np.array(ends) / by_width.items[:, None]


def _expect_error(outcomes: list[tuple[int, Floats]], bins: Bins) -> float:
    """The ECE that is expected if answers are right with the probabilities of their confidences."""
    distances = [
        float(np.abs(first + np.arange(len(chances)) - mean) @ chances)
        for (first, chances), mean in zip(outcomes, bins.expected, strict=True)
    ]
    return math.fsum(distances) / int(bins.items.sum())


def _right_answers(answers: Confidences, bins: Bins) -> list[tuple[int, Floats]]:
    """The distribution of the number of right answers in each bin if confidences are their probabilities: the least
    number, and the probability of this and of each further one.

    The generating function of the sum is the product of those of the answers. It is known at the roots of unity, and
    their transform is the convolution of all answers. Numbers whose probability is below 10^-14 are left out.
    """
    found = []
    for place in range(len(bins.number)):
        p, sizes = answers.values[bins.place == place], answers.sizes[bins.place == place].astype(np.float64)
        if int(bins.items.sum()) > EXACT_ITEMS and len(p) > _CELLS:
            cell = ((p - p[0]) * (_CELLS / (p[-1] - p[0]))).astype(np.int64).clip(max=_CELLS - 1)
            numbers = np.bincount(cell, weights=sizes)
            p = (np.bincount(cell, weights=sizes * p) / np.maximum(numbers, 1))[numbers > 0]
            sizes = numbers[numbers > 0]
        mean, reach = float(sizes @ p), 8 * math.sqrt(float(sizes @ (p * (1 - p)))) + 24
        first, last = max(0, math.floor(mean - reach)), min(int(sizes.sum()), math.ceil(mean + reach))
        width = last - first + 1
        angles = 2 * math.pi / width * np.arange(width // 2 + 1)
        factors = 1 + p * (np.exp(1j * angles) - 1)[:, None]
        with np.errstate(divide="ignore"):
            logs = np.log(np.abs(factors)) @ sizes
        turned = np.angle(factors) @ sizes - angles * first
        found.append((first, np.maximum(np.fft.irfft(np.exp(logs - 1j * turned), width), 0.0)))
    return found


def _resample_errors(answers: Confidences, bins: Bins, count: int, times: int, rng: np.random.Generator) -> Floats:
    """The ECE of resampled answers, which are drawn from narrow strata of right and of wrong answers."""
    # Each stratum of a bin has an even number for right answers, and the next for wrong ones.
    stratum = np.floor(np.round(answers.values * (count * _STRATA), 9)).astype(np.int64)
    even = 2 * (stratum * len(bins.number) + bins.place)
    rows, place, _ = distinct_numbers(np.concatenate([even, even + 1]), 2 * (count * _STRATA + 1) * len(bins.number))
    sizes = np.concatenate([answers.right, answers.sizes - answers.right]).astype(np.float64)
    gaps = np.concatenate([1 - answers.values, -answers.values])
    numbers, sums = (np.bincount(place, weights=weights, minlength=len(rows)) for weights in (sizes, sizes * gaps))
    there = np.flatnonzero(numbers)
    total = int(numbers.sum())
    table = np.zeros((len(there), len(bins.number)))
    table[np.arange(len(there)), rows[there] // 2 % len(bins.number)] = sums[there] / numbers[there]
    drawn = rng.multinomial(total, numbers[there] / total, size=times)
    return np.asarray(np.abs(drawn @ table).sum(axis=1) / total)


# --- as scores of values ---


class CalibrationScore(Moments):
    """The expected calibration error in bins of equal width, of a `confidence` and whether it is `right`; or another
    number of a calibration, which has no interval."""

    form, high, lower, judged = "percent", 1.0, True, False

    def __init__(self, bins: int, name: str = "ece") -> None:
        self.bins, self.name, self.low = bins, name, -1.0 if name == "squared" else 0.0

    def __call__(self, columns: Columns) -> Floats:
        """The number."""
        if self.name == "ece":
            return super().__call__(columns)
        found = self._calibrate(columns, times=1)
        return np.asarray(math.nan if found is None else getattr(found[0], self.name))

    def _calibrate(self, columns: Columns, **how: int) -> tuple[Calibrated, Bins, Floats] | None:
        return calibrate(Confidences.of(columns["confidence"], columns["right"] > 0), self.bins, **how)

    def features(self, columns: Columns) -> Floats:
        """1, and in the column of its bin how far a row is from its confidence."""
        place = find_bins(columns["confidence"], self.bins)
        features = np.zeros((len(place), self.bins + 1))
        features[:, 0] = 1
        features[np.arange(len(place)), place] = columns["right"] - columns["confidence"]
        return features

    def of_sums(self, sums: Floats) -> Floats:
        """The sum of the distances of bins, divided by the number of rows."""
        return ratio(np.abs(sums[..., 1:]).sum(axis=-1), sums[..., 0])

    def influence(self, columns: Columns) -> Floats:
        """The distance of a row in the direction of its bin, less the score."""
        features = self.features(columns)[:, 1:]
        values = features @ np.sign(features.sum(axis=0))
        return np.asarray((values - values.mean()) / len(values))

    def find_ends(self, columns: Columns) -> tuple[float, float] | None:
        """The interval by the bootstrap, which allows for the bias of the score."""
        found = self._calibrate(columns) if self.name == "ece" else None
        return (math.nan, math.nan) if found is None else (found[0].low, found[0].high)
