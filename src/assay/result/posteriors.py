"""Results of a comparison over many runs, for two systems, all pairs, and their order: frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.records import dataclass
from assay.result.grammar import decide


@dataclass(frozen=True)
class Thirds:
    """Three shares that add up to 1: A better, practically equivalent, B better; without a region, two."""

    a: float
    equal: float | None
    b: float


@dataclass(frozen=True)
class Estimate:
    """A posterior mean and its 95% interval, in units of the measure."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class DataSetDifference:
    """Two systems on one data set; differences are b - a, so positive favours b."""

    name: str
    runs: int
    rho: float
    """The correlation of runs that share training data."""
    a: float
    """The mean score of A …"""
    b: float
    """… and of B."""
    difference: float
    """Their mean difference as measured …"""
    spread: float
    """… its standard deviation over runs …"""
    estimate: Estimate
    """… and what the model makes of it: in the light of the other data sets, or by itself where there is one."""
    decision: Thirds
    """On this data set alone, by the correlated t-test."""
    t: float
    """The corrected resampled t-test (Nadeau and Bengio) …"""
    p: float
    """… and its two-sided p."""
    a_ahead: int
    """Runs in which A is ahead …"""
    b_ahead: int
    """… and B."""
    note: str = ""


@dataclass(frozen=True)
class SimplexCell:
    """A small triangle of the simplex and how many posterior draws fall into it.

    Each side of the simplex is cut into `sides` parts. `a` and `b` are the floors of sides·P(A better) and
    sides·P(B better); `up` tells the two triangles of such a rhombus apart (the one that points upwards has the
    floor of sides·P(equal) = sides - 1 - a - b).
    """

    a: int
    b: int
    up: bool
    draws: int


@dataclass(frozen=True)
class CurvePoint:
    """Both kinds of shares for another region of equality, or under another prior."""

    rope: float
    std0: float
    """The prior's bound for the spread among data sets, as a multiple of the spread seen."""
    delta0: float
    """The prior's bound for the mean difference, as a multiple of the largest difference seen."""
    decision: Thirds
    region: Thirds


@dataclass(frozen=True)
class Replication:
    """Two systems split by split, as Gorman and Bedrick counted; `better` and `worse` are B's."""

    dataset: str
    splits: int
    tested: int
    """Splits whose counts of items right and wrong were there to be tested."""
    significantly_better: int
    significantly_worse: int
    better: int
    worse: int
    alpha: float
    """The level of each test, after Bonferroni's correction for the splits."""


@dataclass(frozen=True)
class Posterior:
    """Two systems compared on one measure over many runs."""

    a: str
    b: str
    measure: str
    model: str
    """`hierarchical` over data sets, `correlated-t` on one, `identical` or `constant` where no model is needed."""
    rope: float
    """Half the width of the region of practical equivalence, in units of the measure."""
    data_sets: int
    runs: int
    """All of them together."""
    decision: Thirds
    """The shares of posterior draws in which each region is the likeliest: the paper's likelihoods."""
    region: Thirds
    """The mean probability of each region for a new data set."""
    error: float
    """The numerical error of these shares: the largest change against a grid of half the size."""
    relation: str
    """`<`, `⪅`, `≈`, `⪆`, `>`: how A stands to B."""
    verdict: str
    """What may be said of the two, by the kind, in a sentence or more."""
    mean: Estimate | None
    """The mean difference over all data sets (delta0) …"""
    next: Estimate | None
    """… and the one to be expected on another data set."""
    by_data_set: tuple[DataSetDifference, ...] = ()
    sides: int = 0
    """Into how many parts the sides of the simplex are cut."""
    simplex: tuple[SimplexCell, ...] = ()
    rope_curve: tuple[CurvePoint, ...] = ()
    prior_curve: tuple[CurvePoint, ...] = ()
    signed_rank: Thirds | None = None
    """The Bayesian signed-rank test on the data sets' means, where there are enough of them."""
    replications: tuple[Replication, ...] = ()
    notes: tuple[str, ...] = ()
    better: str = ""
    """The system that is better over data sets on the whole …"""
    better_on: int = 0
    """… the number of data sets on which it is so at least (95% confidence, Bonferroni's partial conjunction) …"""
    better_on_names: tuple[str, ...] = ()
    """… and those that Holm's correction leaves."""
    kind: str = ""
    """The kind of verdict: `bayes-better`, `bayes-equivalent`, `bayes-open`; `identical` if the systems differ in no
    run, `bayes-none` if no difference varies between runs."""
    claims: tuple[str, ...] = ()
    """What the verdict says: `better`, `equivalent`, `undecided`, `identical`, `probability`, `margin` (a region)."""


def with_kind(one: Posterior) -> Posterior:
    """The posterior with the kind of verdict and the claims that its shares allow."""
    shares = {"a": one.decision.a, "equal": one.decision.equal, "b": one.decision.b}
    found = decide({"type": "bayes", "shares": shares, "margin": one.rope or None, "model": one.model})
    return replace(one, kind=found.kind, claims=found.claims)


@dataclass(frozen=True)
class RankTest:
    """Two systems by their ranks over data sets."""

    a: str
    b: str
    wilcoxon: float
    """p of the signed-rank test …"""
    wilcoxon_holm: float
    """… after Holm's correction …"""
    nemenyi: float
    """… and of Nemenyi's test, which depends on the other systems."""


@dataclass(frozen=True)
class MeanRanks:
    """The ranks of three systems or more over five data sets or more."""

    measure: str
    data_sets: int
    ranks: Mapping[str, float]
    """Mean ranks, 1 being the best, the best first."""
    groups: Mapping[str, str]
    """Letters: systems that share none are told apart by the test that `by` names."""
    friedman: float
    friedman_p: float
    iman_davenport: float
    iman_davenport_p: float
    critical_difference: float
    """Nemenyi's."""
    pairs: tuple[RankTest, ...]
    by: str = "wilcoxon"
    """The test behind the groups: `wilcoxon`, the signed-rank test after Holm's correction, or `nemenyi`."""


@dataclass(frozen=True)
class RankRelation:
    """The relation of one system to another."""

    a: str
    b: str
    relation: str
    adjacent: bool
    """True if they are neighbours in the chain."""
    covers: bool
    """An edge of the partial order: A is worse than B and none stands between them."""


@dataclass(frozen=True)
class Ranking:
    """The systems in order, by the most frequent relation of each pair."""

    measure: str
    order: tuple[str, ...]
    """From the worst to the best."""
    chain: str
    relations: tuple[RankRelation, ...]
    intransitive: tuple[str, ...] = ()
    """Sentences on what the chain hides."""
    headline: str = ""
    """The order with shares, and the region: `<`, `≈` and `=` (identical) as decided, `?` if undecided."""
