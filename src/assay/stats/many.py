"""Many systems: groups without significant differences, ranks over data sets, replicated claims."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np

from assay.arrays import Floats
from assay.classes import dataclass
from assay.stats.significance import holm

MOST_EXACT = 25
"""The largest number of data sets for which the signed-rank test is exact."""
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def assign_letters(order: Sequence[str], different: Collection[frozenset[str]]) -> dict[str, str]:
    """The letters of each system; `order` has the best first, and systems that differ have no common letter.

    A letter is a largest set of systems without a difference; letters are in the order of their best members.
    """
    joined = {
        name: {other for other in order if other != name and frozenset((name, other)) not in different}
        for name in order
    }
    place = {name: index for index, name in enumerate(order)}
    groups: list[list[int]] = []

    def grow(group: set[str], possible: set[str], done: set[str]) -> None:
        if not possible and not done:
            groups.append(sorted(place[name] for name in group))
            return
        pivot = max(possible | done, key=lambda name: (len(joined[name] & possible), -place[name]))
        for name in sorted(possible - joined[pivot], key=place.__getitem__):
            grow(group | {name}, possible & joined[name], done & joined[name])
            possible, done = possible - {name}, done | {name}

    grow(set(), set(order), set())
    letters_of = dict.fromkeys(order, "")
    for number, group in enumerate(sorted(groups)):
        letter = _LETTERS[number] if number < len(_LETTERS) else f"({number + 1})"
        for index in group:
            letters_of[order[index]] += letter
    return letters_of


@dataclass(frozen=True)
class RankTests:
    """Tests on the ranks of systems over data sets."""

    ranks: Floats
    """Mean rank of each system, 1 for the best; ties have the mean of their ranks."""
    chi_square: float
    """Friedman's chi-square, with systems − 1 degrees of freedom."""
    p: float
    f: float
    """Iman and Davenport's F."""
    f_p: float
    critical_difference: float
    """Nemenyi's critical difference: mean ranks that differ by less do not differ significantly."""
    nemenyi: Mapping[tuple[int, int], float]
    """Nemenyi's p of each pair of systems."""
    wilcoxon: Mapping[tuple[int, int], float]
    """p of the signed-rank test of each pair of systems."""
    wilcoxon_holm: Mapping[tuple[int, int], float]
    """p of the signed-rank tests after Holm's correction."""


def rank_tests(scores: Floats, alpha: float = 0.05) -> RankTests:
    """Tests on scores, data sets × systems; higher scores are better."""
    # Not from scipy.stats, whose import takes longer than all of this.
    from scipy.special import chdtrc, fdtrc

    sets, systems = scores.shape
    # Rounded, so that scores that are equal up to rounding are ties.
    ranks = np.stack([_rank(-row) for row in np.round(scores, 12)])
    means = ranks.mean(axis=0)
    # Ties reduce the spread of ranks.
    spread = float(np.sum((ranks - (systems + 1) / 2) ** 2)) / (sets * (systems - 1))
    chi_square = math.nan if spread == 0 else sets * float(np.sum((means - (systems + 1) / 2) ** 2)) / spread
    rest = sets * (systems - 1) - chi_square
    f = math.inf if rest <= 0 else (sets - 1) * chi_square / rest
    degrees = systems - 1, (systems - 1) * (sets - 1)
    error = math.sqrt(systems * (systems + 1) / (6 * sets))
    low, high = 0.0, 100.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _range_tail(middle, systems) > alpha else (low, middle)
    pairs = list(combinations(range(systems), 2))
    nemenyi = {
        (a, b): _range_tail(abs(means[a] - means[b]) / error * math.sqrt(2), systems) for a, b in pairs
    }
    wilcoxon = {(a, b): signed_rank_p(scores[:, b] - scores[:, a]) for a, b in pairs}
    return RankTests(
        ranks=means,
        chi_square=chi_square,
        p=float(chdtrc(systems - 1, chi_square)),
        f=f,
        f_p=float(fdtrc(*degrees, f)),
        critical_difference=high / math.sqrt(2) * error,
        nemenyi=nemenyi,
        wilcoxon=wilcoxon,
        wilcoxon_holm=dict(zip(pairs, holm([wilcoxon[pair] for pair in pairs]), strict=True)),
    )


def _rank(values: Floats) -> Floats:
    """The ranks of values, 1 for the least; ties have the mean of their ranks."""
    _, place, number = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(number) - (number - 1) / 2)[place])


def _range_tail(value: float, number: int) -> float:
    """The probability that so many standard normal variables have a range above a value: Tukey's studentized range
    with infinitely many degrees of freedom.

    The integral over the largest of them is a sum, which is exact to the last digits for a function like this.
    """
    from scipy.special import ndtr

    largest = np.arange(-10, 10, 1 / 16)
    below = ndtr(largest)
    within = -np.expm1((number - 1) * np.log1p(-np.minimum(ndtr(largest - value) / below, 1 - 1e-16)))
    density = number * np.exp(-(largest**2) / 2) / math.sqrt(2 * math.pi) * below ** (number - 1)
    return float((density * within).sum() / 16)


def signed_rank_p(differences: Floats) -> float:
    """The two-sided p of Wilcoxon's signed-rank test; zeros are ranked and left out (Pratt).

    Exact, or for many data sets by the normal distribution.
    """
    # Rounded, so that differences that are equal up to rounding are ties.
    differences = np.round(differences, 12)
    if not differences.any():
        return 1.0
    # Twice the ranks are whole numbers, also with ties; each sign is as likely as the other.
    ranks = np.rint(2 * _rank(np.abs(differences))).astype(np.int64)[differences != 0]
    whole = int(ranks.sum())
    observed = abs(2 * int(ranks[differences[differences != 0] > 0].sum()) - whole)
    if len(differences) > MOST_EXACT:
        return math.erfc(observed / math.sqrt(2 * int((ranks * ranks).sum())))
    ways = np.zeros(whole + 1)
    ways[0] = 1.0
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    return float(ways[np.abs(2 * np.arange(whole + 1) - whole) >= observed].sum() / 2.0 ** len(ranks))


@dataclass(frozen=True)
class Replications:
    """Numbers of data sets on which a claim is true."""

    partial: tuple[float, ...]
    """For each number of data sets, p of the hypothesis that the claim is true on fewer."""
    least: int
    """The largest number for which this hypothesis is rejected."""
    named: tuple[int, ...]
    """The data sets on which the claim is significant after Holm's correction."""


def count_replications(p: Sequence[float], alpha: float = 0.05, *, independent: bool = False) -> Replications:
    """The number of data sets on which a claim is true (Dror et al. 2017), from the one-sided p of each.

    By Bonferroni's partial conjunction, under which data sets may depend on one another, or by Fisher's.
    """
    # Not from scipy.stats, whose import takes longer than all of this.
    from scipy.special import chdtrc

    ordered = sorted(p)
    if independent and ordered and ordered[0] <= 0:
        raise ValueError("Fisher's combination needs p above 0")
    partial: list[float] = []
    for number in range(1, len(ordered) + 1):
        rest = ordered[number - 1 :]
        if independent:
            combined = float(chdtrc(2 * len(rest), -2 * sum(map(math.log, rest))))
        else:
            combined = min(1.0, len(rest) * rest[0])
        partial.append(max([combined, *partial[-1:]]))
    named = [index for index, adjusted in enumerate(holm(list(p))) if adjusted <= alpha]
    return Replications(tuple(partial), sum(value <= alpha for value in partial), tuple(named))
