"""Agreement of any number of annotators, with gaps; systems compared with several annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from assay.arrays import NONE, Ints, ratio
from assay.corpus.ratings import Ratings, parse_number, sort_labels
from assay.engine import coefficients as numbers
from assay.engine.annotators import Continua
from assay.engine.coefficients import RatingSums, mask_wins
from assay.engine.measure import Coefficient, Ranged, measure
from assay.errors import UsageError, unknown
from assay.formats.ratings import SystemRatings
from assay.result import AltAnnotator, AltTest
from assay.stats import unitizing
from assay.stats.unitizing import alpha_u_sums


@measure(
    "alpha",
    task="ratings",
    takes="labels",
    papers=("krippendorff2004",),
    scores={
        "alpha": Coefficient(numbers.alpha_score, numbers.alpha_disagreement),
        "observed": lambda sums: numbers.observed_expected(sums)[0],
        "expected": lambda sums: numbers.observed_expected(sums)[1],
    },
    main="alpha",
)
def krippendorff_alpha(
    ratings: Ratings, group: Ints, groups: int, *, level: str = "nominal", distance: str = "jaccard"
) -> RatingSums:
    """Krippendorff's alpha: agreement of any number of annotators beyond chance, with gaps.

    level: `nominal`; `ordinal` (labels in their order), `interval`, `ratio` (numbers); `set` (sets of labels).
    distance: of sets, `jaccard` or `masi`.
    Counts: over items with two or more ratings the distances of their ratings, and the ratings of each label.
    Score: observed = mean distance of two ratings of an item, expected = mean distance of any two ratings,
        alpha = 1 − observed/expected; undefined if all ratings are equal.
    Paper: Krippendorff 2004, chapter 11; MASI: Passonneau 2006, with 2/3 and 1/3 in full.
    Peers: krippendorff, nltk.metrics.agreement, DKPro Statistics.
    """
    return numbers.alpha_rows(ratings, group, groups, level, distance)


@measure(
    "fleiss",
    task="ratings",
    takes="labels",
    papers=("fleiss1971",),
    scores={
        "kappa": Coefficient(numbers.fleiss_score, numbers.fleiss_disagreement),
        "agreement": numbers.agreement_of_pairs,
        "expected": numbers.fleiss_expected,
    },
    main="kappa",
)
def fleiss_kappa(ratings: Ratings, group: Ints, groups: int) -> RatingSums:
    """Fleiss's kappa: agreement of any number of annotators beyond chance; chance is drawing from the labels of all.

    Counts: over items with two or more ratings the share of pairs that agree, and the ratings of each label.
    Score: agreement p = the mean of these shares, expected e = the sum of the squared shares of labels,
        kappa = (p − e)/(1 − e); undefined if only one label occurs.
    Paper: Fleiss 1971; items may have different numbers of ratings, which are pooled.
    Peers: statsmodels fleiss_kappa; irrCAC, if no rating is missing.
    """
    return numbers.fleiss_rows(ratings, group, groups)


@measure(
    "ac1",
    task="ratings",
    takes="labels",
    papers=("gwet2008",),
    scores={
        "ac1": Coefficient(numbers.ac1_score, numbers.ac1_disagreement),
        "agreement": numbers.agreement_of_pairs,
        "expected": numbers.ac1_expected,
    },
    main="ac1",
)
def gwet_ac1(ratings: Ratings, group: Ints, groups: int, *, labels: int = 0) -> RatingSums:
    """Gwet's AC1: agreement beyond chance that stays high if nearly all items have one label.

    labels: the number of labels that could be given. Default (0): those that occur.
    Counts: as for fleiss, and the mean share of each label over all items with a rating.
    Score: agreement as for fleiss, expected e = Σ π(1−π)/(q−1) for q labels with shares π,
        ac1 = (p − e)/(1 − e); undefined if there is only one label.
    Paper: Gwet 2008. Peers: irrCAC.
    """
    return numbers.ac1_rows(ratings, group, groups, labels)


# --- units of a continuum, of any number of annotators ---


@measure(
    "alpha-u",
    task="ratings",
    takes="units",
    papers=("krippendorff1995",),
    scores={
        "alpha": Coefficient(lambda sums: 1 - ratio(sums["observed"], sums["expected"])),
        "observed": Ranged(lambda sums: sums["observed"], 0),
        "expected": Ranged(lambda sums: sums["expected"], 0),
    },
    main="alpha",
)
def alpha_u(continua: Continua, rng: np.random.Generator) -> tuple[RatingSums, str]:
    """Krippendorff's alpha for units that annotators cut out of a text themselves, any number of annotators.

    Counts: by document and label, observed and expected disagreement.
    Score: units that overlap disagree by the squared distances of their ends, a unit that lies in a gap by its
        squared length; alpha = 1 − observed/expected, over all labels and for each. Units of one label by one
        annotator must not overlap. Because lengths are squared, a near miss of a long unit costs more than leaving
        it out.
    Paper: Krippendorff 1995. Peers: DKPro Statistics.
    """
    continua.check_overlaps()
    shape = (len(continua.units), len(continua.labels))
    sums = {"observed": np.zeros(shape), "expected": np.zeros(shape)}
    for document, units in enumerate(continua.units):
        for label in np.unique(units.label).tolist():
            sums["observed"][document, label], sums["expected"][document, label] = alpha_u_sums(units, label)
    return RatingSums(sums, labels=continua.labels), ""


@measure(
    "gamma",
    task="ratings",
    takes="units",
    papers=("mathet2015", "mathet2017"),
    scores={
        "gamma": Coefficient(lambda sums: sums["gamma"]),
        "gamma-cat": Coefficient(lambda sums: sums["category"]),
        "disorder": Ranged(lambda sums: sums["disorder"], 0),
    },
    main="gamma",
    signed=("samples",),
)
def mathet_gamma(
    continua: Continua,
    rng: np.random.Generator,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    empty: float = 1.0,
    samples: int = 30,
    null: str = "rotate",
) -> tuple[RatingSums, str]:
    """Gamma: agreement on places and labels together, in the best alignment of the units of all annotators.

    alpha, beta, empty: the weights of places and of labels, and the cost of a unit that has no counterpart.
    samples: number of random continua that the disorder is compared with. null: how these are made: `rotate` moves
        each annotator's line on by a random amount, cyclically.
    Score: disorder = the least disorder of any alignment, exact; gamma = 1 − disorder/expected disorder; gamma-cat =
        this only for the labels of aligned units: the share of pairs whose labels differ; a pair of the v units of
        one alignment weighs max(0, 1 − alpha·d)/(v − 1), with d the dissimilarity of their places. The expected
        disorder is drawn, so gamma varies a little with the seed: a note gives its standard error.
    Paper: Mathet, Widlöcher and Métivier 2015, for gamma-cat Mathet 2017.
    Peers: pygamma-agreement, which draws random continua in another way, and in gamma-cat counts units without a
        counterpart as errors of labels.
    """
    if null != "rotate":
        raise unknown("value of null", null, ("rotate",))
    if samples < 2 or min(alpha, beta) < 0 or empty <= 0:
        raise UsageError("gamma: samples must be at least 2, alpha and beta at least 0, and empty above 0.")
    try:
        gamma = unitizing.compute_gamma(continua.units, unitizing.Weighting(alpha, beta, empty), samples, rng)
    except unitizing.TooManyUnitsError:
        raise UsageError("gamma: too many units lie near each other for an exact alignment.") from None
    fixed = {name: np.array(getattr(gamma, name)) for name in ("gamma", "category", "disorder")}
    return RatingSums({}, fixed), (
        f"gamma: expected disorder {gamma.expected:.4f} over {samples} random continua; the standard error of gamma "
        f"that comes from drawing them is {gamma.error:.4f}. More samples make it smaller."
    )


# --- systems among annotators ---


@measure(
    "alt-test",
    task="ratings",
    takes="systems",
    papers=("calderon2025",),
    scores={"winning-rate": lambda sums: sums["won"], "advantage": numbers.find_advantage},
    main="winning-rate",
    signed=("epsilon",),
)
def alt_test(
    ratings: Ratings,
    system: SystemRatings,
    group: Ints,
    groups: int,
    *,
    epsilon: float = 0.2,
    score: str = "accuracy",
    fdr: float = 0.05,
    min_items: int = 30,
    min_annotators: int = 2,
) -> tuple[RatingSums, AltTest]:
    """The Alternative Annotator Test: may a system take the place of an annotator?

    epsilon: how much more a human costs, as an advantage that the system is given: 0.2 for experts, 0.15 for skilled
        annotators, 0.1 for the crowd.
    score: how near an answer is to those of the others: `accuracy`, `neg-rmse` (numbers), `jaccard` or `masi` (sets).
    fdr: the rate of false discoveries over annotators (Benjamini & Yekutieli).
    min_items: annotators with fewer items are left out. min_annotators: items with fewer ratings are left out.
    Counts: for each annotator the items in which the system is at least as near to the others.
    Score: winning-rate = the share of annotators that the system beats (passed: 0.5 or more); advantage = the mean
        over annotators of the share of items in which it is at least as near.
    Paper: Calderon, Reichart and Dror 2025. Peers: AltTest.
    """
    if not 0 <= epsilon <= 1 or not 0 < fdr < 1:
        raise UsageError(f"alt-test: epsilon and fdr should be between 0 and 1, not {epsilon} and {fdr}.")
    rows, items = numbers.alt_rows(ratings, system.label, system.labels, score, min_annotators, system.members)
    used = [row for row in rows if len(row.items) >= max(min_items, 1)]
    beaten = dict(zip([row.annotator for row in used], mask_wins([row.p(epsilon) for row in used], fdr), strict=True))
    annotators = []
    for row in rows:
        name, number = ratings.annotators[row.annotator], len(row.items)
        if row.annotator not in beaten:
            annotators.append(AltAnnotator(name, number, math.nan, None, math.nan, math.nan))
            continue
        means = float(row.system.mean()), float(row.differences.mean())
        annotators.append(AltAnnotator(name, number, row.p(epsilon), beaten[row.annotator], *means))
    rates = {f"{cost:.2f}": numbers.winning_rate(used, cost, fdr) for cost in COSTS}
    rate = numbers.winning_rate(used, epsilon, fdr)
    sums = {name: np.zeros((groups, len(used))) for name in ("nearer", "items")}
    for place, row in enumerate(used):
        sums["nearer"][:, place] = numbers.sum_by_group(row.system, group[row.items], groups)
        sums["items"][:, place] = np.bincount(group[row.items], minlength=groups)
    nan = math.nan
    report = AltTest(
        *(system.name, "", epsilon, items, rate, nan, nan, nan, None if math.isnan(rate) else rate >= PASSED, rates),
        next((float(cost) for cost, value in rates.items() if value >= PASSED), nan),
        tuple(annotators),
    )
    return RatingSums(sums, {"won": np.array(rate)}), report


COSTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
"""The values of epsilon for which the winning rate is given."""
PASSED = 0.5


@measure(
    "soft",
    task="ratings",
    takes="systems",
    papers=("leonardelli2025",),
    scores={
        "distance": Ranged(
            lambda sums: np.where(sums["undefined"] > 0, np.nan, ratio(sums["distance"], sums["items"])), 0
        ),
        "entropy": Ranged(lambda sums: ratio(sums["entropy"], sums["items"]), 0),
    },
    main="distance",
)
def soft(
    ratings: Ratings,
    system: SystemRatings,
    group: Ints,
    groups: int,
    *,
    distance: str = "manhattan",
    floor: float = 0.0,
) -> tuple[RatingSums, str]:
    """Distance of a system's distribution over labels from the shares that annotators give them; lower is better.

    distance: `manhattan` Σ|p−g|, 0 to 2; `wasserstein` Σ|P−G| over the ranks of labels in their order;
        `cross-entropy` −Σ g ln p; `jensen-shannon`, in bits.
    floor: the least p in cross-entropy; without it, the mean is undefined if annotators give a label that the system
        excludes.
    Counts: items, distances. Score: distance = the mean over items; entropy = that of the annotators' shares, in
        nats; no cross-entropy is lower.
    Peers: LeWiDi's scoring program.
    """
    if distance not in numbers.SOFT:
        raise unknown("distance", distance, numbers.SOFT)
    width = len(system.labels)
    gold = np.zeros((ratings.items, width))
    gold[:, : len(ratings.labels)] = ratings.counts / np.maximum(ratings.sizes, 1)[:, None]
    shares = np.full((ratings.items, width), np.nan)
    answered = system.label != NONE
    shares[answered] = np.eye(width)[system.label[answered]]
    if system.soft is not None:
        shares = np.where(np.isnan(system.soft[:, :1]), shares, system.soft)
    used = ~np.isnan(shares[:, 0]) & (ratings.sizes > 0)
    if distance == "wasserstein":
        ordered = system.labels if ratings.ordered else sort_labels(set(system.labels))
        order = [system.labels.index(label) for label in ordered]
        assert len(ratings.ranks) <= len(order)
        gold, shares = gold[:, order], shares[:, order]
    distances = numbers.soft_distances(gold[used], shares[used], distance, floor)
    entropy = numbers.soft_distances(gold[used], gold[used], "cross-entropy")
    undefined = np.isnan(distances)
    values = {
        "distance": np.nan_to_num(distances),
        "undefined": undefined.astype(float),
        "entropy": entropy,
        "items": np.ones(len(distances)),
    }
    sums = {name: numbers.sum_by_group(column, group[used], groups) for name, column in values.items()}
    number = int(undefined.sum())
    return RatingSums(sums), (
        f"{system.name}: {number:,} items have a label that the system gives probability 0, so cross-entropy is "
        f"undefined. A floor: soft(distance=cross-entropy, floor=1e-12)"
        if number
        else ""
    )


@measure(
    "perspective",
    task="ratings",
    takes="systems",
    papers=("leonardelli2025",),
    scores={
        "error-rate": lambda sums: ratio(sums["missed"], sums["items"]),
        "absolute-distance": lambda sums: ratio(sums["far"], sums["items"]) + sums["measured"],
    },
    main="error-rate",
)
def perspective(
    ratings: Ratings,
    system: SystemRatings,
    group: Ints,
    groups: int,
    *,
    range: float = 0.0,  # noqa: A002
) -> tuple[RatingSums, Mapping[str, float]]:
    """Error of a system that predicts the label of each annotator; lower is better.

    range: the greatest distance of two labels that are numbers; if the order of labels is given, that of their ranks.
    Counts: items. Score: error-rate = the mean over items of the share of annotators whose label is missed;
        absolute-distance = the mean over items of |predicted − given|/range, if labels have an order or a range.
    Peers: LeWiDi's scoring program.
    """
    cells = ratings.table
    guessed = np.tile(system.label[:, None], cells.shape[1]) if system.each is None else system.each
    used = (cells != NONE) & (guessed != NONE)
    number = used.sum(axis=1)
    rated = number > 0
    missed = ((guessed != cells) & used).sum(axis=1)[rated] / number[rated]
    measured = ratings.ordered or range > 0
    far = np.zeros(int(rated.sum()))
    if measured:
        if ratings.ordered:
            values, reach = np.arange(len(system.labels), dtype=np.float64), len(ratings.labels) - 1.0
        else:
            values, reach = np.array([parse_number(label) or 0.0 for label in system.labels]), range
        apart = np.abs(values[guessed] - values[cells]) * used / reach
        far = apart.sum(axis=1)[rated] / number[rated]
    columns = {"missed": missed, "far": far, "items": np.ones(len(missed))}
    sums = {name: numbers.sum_by_group(column, group[rated], groups) for name, column in columns.items()}
    right = ratio(((guessed == cells) & used).sum(axis=0).astype(float), used.sum(axis=0).astype(float))
    by_annotator = dict(zip(ratings.annotators, right.tolist(), strict=True))
    return RatingSums(sums, {"measured": np.array(0.0 if measured else np.nan)}), by_annotator
