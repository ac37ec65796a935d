"""One measure: every two systems over the runs on all data sets, and the order of all (Szymański and Gorman 2020)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from typing import Any, Literal

import numpy as np

from assay.arrays import Floats
from assay.bayesian.table import Discordant, PairedRuns, Rope, RunTable, full_score, number_in, score_range
from assay.classes import dataclass
from assay.engine.sets import ScoreGrid, mean_ranks
from assay.errors import InputError, UsageError
from assay.experiment.tables import Split
from assay.result import Comparison, Score, enumeration
from assay.result.grammar import ALPHA, with_kind
from assay.result.numbers import coefficient, plural
from assay.result.schema import (
    CurvePoint,
    DataSetDifference,
    Estimate,
    MeanRanks,
    Posterior,
    Ranking,
    RankRelation,
    Replication,
    SimplexCell,
    Thirds,
)
from assay.result.verdict import count_data_sets, describe_posterior, is_drawn
from assay.stats import bayes
from assay.stats.bayes import Fit, Priors, Three, constant_rows, fit_correlated
from assay.stats.many import count_replications
from assay.stats.significance import mcnemar

SIDES = 24
"""The number of parts into which the sides of a simplex are cut."""
CURVE = 13
"""The number of regions of equivalence that are tried, from none to three times the chosen one."""
MANY_DATA_SETS = 10
"""From this many data sets on, the signed-rank test on their means is worth a look."""
RHO = ("folds", "sizes")


@dataclass(frozen=True)
class BayesOptions:
    """Settings of a comparison of runs."""

    rho: str | float | None = None
    lower: tuple[str, ...] = ()
    hierarchical: bool = False
    priors: bool = False
    draws: int = 50_000
    seed: int = 0
    alpha: float = 0.05
    nemenyi: bool = False


@dataclass(frozen=True, eq=False)
class Measured:
    """The runs of all systems under one measure."""

    name: str
    systems: tuple[str, ...]
    data: tuple[PairedRuns, ...]
    rope: Rope
    losses: tuple[str, ...]
    """Warnings of runs that are left out."""
    how: BayesOptions
    discordant: Discordant
    grid: ScoreGrid | None = None
    """The means of all systems on all data sets, if there are too few runs for the model over data sets."""

    @property
    def rhos(self) -> list[float]:
        """For each data set the correlation of runs that share training data: one over the number of folds."""
        values = []
        for runs in () if self.grid else self.data:
            wanted = ("folds" if runs.folds > 1 else "sizes") if self.how.rho is None else self.how.rho
            if wanted in RHO:
                value = 1 / runs.folds if wanted == "folds" else runs.share
                if not 0 <= value < 1:
                    raise UsageError(
                        f"{runs.name}: neither folds nor the sizes of the parts (n_train, n_test) show how runs "
                        f"are correlated. Give --rho, the test part's share of the data, e.g. 0.1; for matrices "
                        f"--folds"
                    )
            else:
                value = number_in(wanted, 1)
                if math.isnan(value):
                    raise UsageError(f"--rho {wanted}: give a number from 0 to below 1, or {' or '.join(RHO)}.")
            values.append(value)
        return values

    @cached_property
    def range(self) -> tuple[float, float]:
        """The least and the greatest score that there can be."""
        return score_range(self.data, bounded=self.name not in self.how.lower)

    def estimate(self, mean: float, low: float, high: float) -> Estimate:
        """A difference and its interval, cut to what scores can lie apart: the model does not know their range."""
        apart = self.range[1] - self.range[0]
        return Estimate(*np.clip((mean, low, high), -apart, apart).tolist())

    def scores(self) -> Iterator[Score]:
        """Each system's mean over runs on each data set, and over data sets."""
        lower = self.name in self.how.lower
        if self.grid:
            slices = [None, *(f"dataset:{name}" for name in self.grid.sets)]
            rows = np.vstack([self.grid.values[self.grid.common].mean(axis=0), self.grid.values])
            for (number, name), (place, system) in product(enumerate(slices), enumerate(self.systems)):
                value = float(rows[number, place])
                yield Score(system, self.name, "mean", None, name, value, math.nan, math.nan, True, lower=lower)
            return
        for system in self.systems:
            means = [float(data.values[system].mean()) for data in self.data]
            overall = (float(np.mean(means)), math.nan, math.nan)
            yield Score(system, self.name, "mean", None, None, *overall, True, lower=lower)
            for data, rho, mean in zip(self.data, self.rhos, means, strict=True):
                runs = data.values[system]
                ends = fit_correlated(runs, rho).interval() if len(runs) > 1 else (math.nan, math.nan)
                low, high = np.clip(ends, *self.range).tolist()
                name = f"dataset:{data.name}"
                yield Score(system, self.name, "mean", None, name, mean, low, high, True, lower=lower)

    def ranked(self) -> tuple[list[Posterior], Ranking]:
        """All pairs, the worse system of the order first, and the order."""
        # Runs must be enough for a spread, and for the model to integrate it out.
        alone = len(self.data) == 1 and not self.how.hierarchical
        least, test = (2, "the correlated t-test") if alone else (bayes.LEAST_RUNS, "the model over data sets")
        short = next((runs for runs in self.data if len(runs.splits) < least), None)
        if short and not self.grid:
            raise InputError(
                f"{short.name}: {self.name} was measured in {len(short.splits)} runs, but {test} needs {least}. "
                "For one test set: assay compare"
            )
        # By their means they are nearly in the order that comes out, so that few pairs must be turned round.
        means = {row.system: row.value for row in self.scores() if row.slice is None}
        sign = -1 if self.name in self.how.lower else 1
        likely = sorted(self.systems, key=lambda system: (sign * means[system], system))
        posteriors = {pair: self.posterior(*pair) for pair in combinations(likely, 2)}
        shares = {pair: _shares(posterior.decision) for pair, posterior in posteriors.items()}
        ranking = order_systems(self.name, self.systems, shares)
        ordered = [posteriors.get(pair) or self.posterior(*pair) for pair in combinations(ranking.order, 2)]
        return ordered, replace(ranking, headline=describe_order(ranking.order, ordered, self.rope))

    def mean_ranks(self) -> MeanRanks | None:
        """Tests on ranks; None if there are too few systems or data sets."""
        sign = -1.0 if self.name in self.how.lower else 1.0
        means = np.array([[sign * runs.values[name].mean() for name in self.systems] for runs in self.data])
        means = sign * self.grid.values[self.grid.common] if self.grid else means
        return mean_ranks(self.name, self.systems, means, by="nemenyi" if self.how.nemenyi else "wilcoxon")

    def posterior(self, a: str, b: str) -> Posterior:
        """Two systems compared by the model that their runs allow."""
        if self.grid:
            return self._posterior_of_means(a, b, self.grid)
        half, how, number = self.rope.half, self.how, len(self.data)
        sign = -1.0 if self.name in how.lower else 1.0
        rows: list[Floats] = [sign * (runs.values[b] - runs.values[a]) for runs in self.data]
        fitted: Fit | None = None
        mean: Estimate | None = None
        signed: Three | None = None
        points: list[CurvePoint] = []
        priors: list[CurvePoint] = []
        notes: list[str] = []
        # What does not differ at all is equal, however small the region.
        width = half
        if not any(row.any() for row in rows):
            model, decision, mean, width = "identical", (0.0, 1.0, 0.0), Estimate(0.0, 0.0, 0.0), half or 1.0
        elif constant_rows(rows).all():
            regions = bayes.constant_regions(rows, half)
            left, equal, right = (regions.count(region) / number for region in ("left", "rope", "right"))
            model, decision, width = "constant", (left, equal, right), half or equal
        elif number == 1 and not how.hierarchical:
            alone = fit_correlated(rows[0], self.rhos[0])
            model, decision, mean = "correlated-t", alone.regions(half), self.estimate(alone.mean, *alone.interval())
            points = [_point(rope, bayes.USUAL, alone.regions(rope), alone.regions(rope)) for rope in _ropes(half)]
        else:
            known = np.concatenate([runs.denominators for runs in self.data])
            # The smallest possible step of the score: one item of a test part.
            step = None if np.isnan(known).any() else full_score(self.data) / float(known.max())
            fitted = bayes.fit(rows, self.rhos, half, step=step, draws=how.draws, seed=how.seed)
            model, decision = "hierarchical", fitted.decision
            mean = self.estimate(float(fitted.delta0.mean()), *_ends(fitted.delta0))
            seen, noise = fitted.evidence, "the region of equivalence" if half else "half an item of a test part"
            for places, text in (
                (seen.treated, f"no variation between runs; assumed to vary within {noise}"),
                (seen.left_out, "left out, because nothing varies and there is no region of equivalence"),
            ):
                notes += [f"{', '.join(self.data[index].name for index in places)}: {text}."] if places else []
            # If a data set does not vary, each region needs a posterior of its own.
            ropes = _ropes(half, CURVE // 2 + 1 if notes else CURVE)
            if seen.same_means:
                notes.append(
                    "All data sets have the same mean difference, so the spread of runs bounds the prior instead."
                )
            others = bayes.compute_curve(rows, self.rhos, ropes, fitted, step=step)
            points = [_point(rope, bayes.USUAL, *shares) for rope, *shares in others]
            if number < bayes.FEW_DATA_SETS or how.priors:
                priors = [_point(half, prior, *shares) for prior, *shares in bayes.compute_sensitivity(fitted)]
            if number >= MANY_DATA_SETS:
                means = np.array([row.mean() for row in rows])
                signed = bayes.signed_rank(means, half, draws=how.draws, seed=how.seed).decision
        by_data_set = tuple(self._by_data_set(a, b, rows, fitted))
        better: dict[str, Any] = {}
        whole = sum(row.difference for row in by_data_set)
        if number > 1 and model != "constant" and whole and not math.isnan(whole):
            # Each data set is tested by itself, one-sided: is the system better that is better on the whole?
            p_values = [row.p / 2 if row.difference * whole > 0 else 1 - row.p / 2 for row in by_data_set]
            count = count_replications([1.0 if math.isnan(p) else p for p in p_values], ALPHA)
            names = tuple(by_data_set[index].name for index in count.named)
            better = {"better": b if whole > 0 else a, "better_on": count.least, "better_on_names": names}
        shares = _thirds(decision, width)
        posterior = Posterior(
            a=a,
            b=b,
            measure=self.name,
            model=model,
            rope=half,
            data_sets=number,
            runs=sum(len(runs.splits) for runs in self.data),
            decision=shares,
            region=_thirds(fitted.region, width) if fitted else shares,
            error=fitted.error if fitted else 0.0,
            relation=find_relation(_shares(shares)),
            verdict="",
            mean=mean,
            next=self.estimate(float(fitted.delta0.mean()), *_ends(fitted.next)) if fitted else None,
            by_data_set=by_data_set,
            sides=SIDES if fitted else 0,
            simplex=tuple(_cells(fitted.left, fitted.right, fitted.equal)) if fitted else (),
            rope_curve=tuple(points),
            prior_curve=tuple(priors),
            replications=tuple(
                find_replications(self.discordant, (self.name, runs.name, a, b), runs.splits, row, how.alpha)
                for runs, row in zip(self.data, rows, strict=True)
            ),
            notes=tuple(notes),
            signed_rank=_thirds(signed, half) if signed else None,
            **better,
        )
        posterior = with_kind(posterior)
        return replace(posterior, verdict=posterior_verdict(posterior, self.rope))

    def _posterior_of_means(self, a: str, b: str, grid: ScoreGrid) -> Posterior:
        """Two systems compared by their means on data sets alone: the signed-rank test."""
        means = grid.values[grid.common]
        columns = [means[:, grid.systems.index(name)] for name in (a, b)]
        # Scores are decimals, and so are their differences: without rounding some would miss an edge.
        differences = np.round(grid.sign * (columns[1] - columns[0]), 12)
        half, identical = self.rope.half, not differences.any()
        # Neither the order of data sets nor that of the two systems decides what is drawn.
        ordered, turned = np.sort(differences).tolist(), np.sort(-differences).tolist()
        rows = np.array(max(ordered, turned))
        test = bayes.signed_rank(rows, half, draws=self.how.draws, seed=self.how.seed)
        test = test.mirrored if turned > ordered else test
        if identical:
            # What does not differ at all is equal, however small the region.
            test = replace(test, decision=(0.0, 1.0, 0.0), region=(0.0, 1.0, 0.0))
        decision, region = (_thirds(shares, half or identical) for shares in (test.decision, test.region))
        runs, relation = sum(len(runs.splits) for runs in self.data), find_relation(_shares(decision))
        facts = (a, b, self.name, "identical" if identical else "signed-rank", half, len(rows), runs)
        mean = Estimate(float(differences.mean()), math.nan, math.nan)
        cells = () if identical else tuple(_cells(test.left, test.right, test.equal))
        shares = (decision, region, test.error, relation, "", mean, None)
        posterior = with_kind(Posterior(*facts, *shares, sides=SIDES * bool(cells), simplex=cells))
        return replace(posterior, verdict=posterior_verdict(posterior, self.rope))

    def _by_data_set(self, a: str, b: str, rows: Sequence[Floats], fitted: Fit | None) -> Iterator[DataSetDifference]:
        shrunken = fitted.rows if fitted else (None,) * len(self.data)
        for runs, rho, row, seen in zip(self.data, self.rhos, rows, shrunken, strict=True):
            alone = fit_correlated(row, rho)
            yield DataSetDifference(
                name=runs.name,
                runs=len(row),
                rho=rho,
                a=float(runs.values[a].mean()),
                b=float(runs.values[b].mean()),
                difference=alone.mean,
                spread=float(np.std(row, ddof=1)),
                estimate=self.estimate(*(seen or (alone.mean, *alone.interval()))),
                decision=_thirds(alone.regions(self.rope.half), self.rope.half or float(not row.any())),
                t=alone.t,
                p=alone.p,
                a_ahead=int((row < 0).sum()),
                b_ahead=int((row > 0).sum()),
                note="no variation between runs" if constant_rows([row])[0] else "",
            )


def find_grid(
    table: RunTable, measure: str, systems: Sequence[str], sets: Sequence[str], fewest: int, how: BayesOptions
) -> ScoreGrid | None:
    """The means on five or more data sets, if the `fewest` runs are too few for the model over data sets."""
    by_set = {name: table.cells[measure][name] for name in sets if name in table.cells[measure]}
    hierarchical = how.hierarchical and len(systems) > 1
    if fewest >= bayes.LEAST_RUNS or hierarchical or len(by_set) < bayes.FEW_DATA_SETS:
        if table.layout == "scores" and not hierarchical:
            raise InputError(
                f"{table.name}: one score of each system on {plural(len(by_set), 'data set')}, but the signed-rank "
                f"test needs {bayes.FEW_DATA_SETS} data sets. Give three or more runs on each (a column seed or "
                "fold); for one test set: assay compare"
            )
        return None
    runs = [[by_system.get(name, {}).values() for name in systems] for by_system in by_set.values()]
    means = [[float(np.mean([row.value for row in cell])) if cell else math.nan for cell in row] for row in runs]
    values, nothing = np.round(means, 12), list[Comparison | None]([None] * len(by_set))
    form = "percent" if np.nanmin(values) >= 0 and np.nanmax(values) <= 1 else "number"
    sign, untested = -1.0 if measure in how.lower else 1.0, dict.fromkeys(combinations(systems, 2), nothing)
    return ScoreGrid(measure, "mean", tuple(by_set), tuple(systems), values, untested, form, sign)


def _ropes(half: float, points: int = CURVE) -> list[float]:
    return [3 * half * number / (points - 1) for number in range(points)] if half else []


def _point(half: float, priors: Priors, decision: Three, region: Three) -> CurvePoint:
    return CurvePoint(half, priors.std0, priors.delta0, _thirds(decision, half), _thirds(region, half))


def _thirds(shares: Three, half: float) -> Thirds:
    """Without a region of equality there are two shares."""
    a, equal, b = (float(share) for share in shares)
    return Thirds(a, equal if half else None, b)


def _shares(shares: Thirds) -> Three:
    return shares.a, shares.equal or 0.0, shares.b


def _ends(draws: Floats) -> tuple[float, float]:
    """The 95% interval of draws."""
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def _cells(left: Floats, right: Floats, equal: Floats) -> Iterator[SimplexCell]:
    """The small triangles of the simplex that draws fall into."""
    shares = np.stack([left, right, equal])
    floors = np.minimum((shares * SIDES).astype(np.int64), SIDES - 1)
    # A point on a corner of small triangles belongs to the one below.
    corner = floors.sum(axis=0) >= SIDES
    largest = floors.argmax(axis=0)
    floors[largest[corner], np.flatnonzero(corner)] -= 1
    up = floors.sum(axis=0) == SIDES - 1
    draws = np.bincount((floors[0] * SIDES + floors[1]) * 2 + up)
    for cell in np.flatnonzero(draws).tolist():
        yield SimplexCell(cell // 2 // SIDES, cell // 2 % SIDES, bool(cell % 2), int(draws[cell]))


def find_replications(
    discordant: Discordant, key: tuple[str, str, str, str], splits: Sequence[Split], differences: Floats, alpha: float
) -> Replication:
    """Splits of a data set in which B is ahead, and in how many the mid-p of McNemar's test says so.

    `key` is measure, data set, A and B. The level is divided by the number of splits (Bonferroni), as Gorman and
    Bedrick (2019) did.
    """
    level = alpha / len(splits)
    counts = [discordant[*key, split] for split in splits if (*key, split) in discordant]
    significant = [pair for pair in counts if mcnemar(*pair)[1] < level]
    return Replication(
        dataset=key[1],
        splits=len(splits),
        tested=len(counts),
        significantly_better=sum(only_b > only_a for only_a, only_b in significant),
        significantly_worse=sum(only_a > only_b for only_a, only_b in significant),
        better=int((differences > 0).sum()),
        worse=int((differences < 0).sum()),
        alpha=level,
    )


# --- the order of all systems ---

Relation = Literal["<", "⪅", "≈", "⪆", ">", "?"]
"""The relation of a to b; "?" if both are equally likely to be the better one."""
MARGIN = 0.05
EQUAL: tuple[Relation, ...] = ("⪅", "≈", "⪆")


def find_relation(shares: Three, margin: float = MARGIN) -> Relation:
    """The most probable of a better, equal and b better; equality that leads by less than the margin has a side."""
    a, equal, b = shares
    if equal < max(a, b):
        return ">" if a > b else "<" if b > a else "?"
    if a == b or equal - max(a, b) >= margin:
        return "≈"
    return "⪆" if a > b else "⪅"


def order_systems(
    measure: str, names: Sequence[str], shares: Mapping[tuple[str, str], Three], margin: float = MARGIN
) -> Ranking:
    """The order of systems, given the shares of each pair one way round or the other.

    More wins than losses come later; ties are decided by how likely the systems are better than others, then by name.
    """
    both = {**shares, **{(b, a): turned[::-1] for (a, b), turned in shares.items()}}
    missing = [pair for pair in combinations(names, 2) if pair not in both]
    if missing or len(set(names)) < len(names):
        raise ValueError(f"there are no shares for {missing[0]}" if missing else "a system is named twice")
    relations = {pair: find_relation(both[pair], margin) for pair in permutations(names, 2)}

    def place(name: str) -> tuple[int, float, str]:
        others = [other for other in sorted(names) if other != name]
        wins = sum((relations[name, other] == ">") - (relations[name, other] == "<") for other in others)
        # Rounded, so that sums of the same shares in another order are the same.
        return wins, round(sum(both[name, other][0] - both[name, other][2] for other in others), 9), name

    def covers(worse: str, better: str) -> bool:
        between = (name for name in names if name not in (worse, better))
        return relations[worse, better] == "<" and not any(
            relations[worse, name] == "<" and relations[name, better] == "<" for name in between
        )

    order = tuple(sorted(names, key=place))
    neighbours = list(pairwise(order))
    return Ranking(
        measure,
        order,
        "".join([*order[:1], *(f" {relations[pair]} {pair[1]}" for pair in neighbours)]),
        tuple(
            RankRelation(*pair, relation=relations[pair], adjacent=pair in neighbours, covers=covers(*pair))
            for pair in combinations(order, 2)
        ),
        tuple(_misfits(order, relations)),
    )


def _misfits(order: Sequence[str], relations: Mapping[tuple[str, str], Relation]) -> Iterator[str]:
    """A sentence for each relation that the chain of neighbours does not show."""
    for first, last in combinations(order, 2):
        sign = relations[first, last]
        for middle in (name for name in order if sign in ("<", ">") and name not in (first, last)):
            if relations[first, middle] in EQUAL and relations[middle, last] in EQUAL:
                yield f"{first} ≈ {middle} ≈ {last}, but {first} {sign} {last}: the equivalences hide a difference."
    for first, second, third in permutations(order, 3):
        circle = ((first, second), (second, third), (third, first))
        # Each is named once, from the system that comes first.
        is_first = order.index(first) < min(order.index(second), order.index(third))
        if is_first and all(relations[pair] == "<" for pair in circle):
            yield f"{first} < {second} < {third} < {first}: there is no order of these three."
    links = [relations[pair] for pair in pairwise(order)]
    for begin, end in combinations(range(len(order)), 2):
        sign = relations[order[begin], order[end]]
        if end - begin > 1 and "<" in links[begin:end] and sign != "<":
            yield f"The order has {order[begin]} below {order[end]}, but {order[begin]} {sign} {order[end]}."


# --- what a posterior says in a sentence, by its kind; never more than the numbers do ---


def describe_order(order: Sequence[str], posteriors: Sequence[Posterior], rope: Rope) -> str:
    """The order with the relation of neighbours as it was decided, its share, and the region."""
    pairs = {(row.a, row.b): row for row in posteriors}

    text = order[0]
    for pair in pairwise(order):
        posterior = pairs[pair]
        sign, share = max(zip(">≈<", _shares(posterior.decision), strict=True), key=lambda item: item[1])
        digits = coefficient(share, 3)
        link = f"? ({sign} {digits})" if "undecided" in posterior.claims else f"{sign} ({digits})"
        text += f" {'=' if posterior.kind == 'identical' else link} {pair[1]}"
    return f"{text} (≈: within {rope}, {rope.source})" if rope.half else text


def posterior_verdict(posterior: Posterior, rope: Rope) -> str:
    """The verdict on two systems, its shares, and the region."""
    a, b, shares = posterior.a, posterior.b, posterior.decision
    if posterior.kind == "identical":
        return describe_posterior(posterior)
    if posterior.kind == "bayes-none":
        return f"{describe_posterior(posterior)} {rope.sentence}"
    sets = count_data_sets(posterior)
    counted = "one score each" if posterior.runs == posterior.data_sets > 1 else f"{posterior.runs:,} runs"
    named = [(shares.a, a), (shares.equal, "the region"), (shares.b, b)]
    listed = enumeration([f"{coefficient(share, 3)} for {name}" for share, name in named if share is not None])
    sentences = [
        describe_posterior(posterior),
        f"The {'shares' if is_drawn(posterior) else 'probabilities'} are {listed} ({sets}, {counted}).",
        rope.sentence,
    ]
    if posterior.prior_curve:
        name, side = (a, "a") if shares.a > shares.b else (b, "b")
        under = [getattr(point.decision, side) for point in posterior.prior_curve]
        sentences.append(
            f"With {sets}, this depends much on the prior: under other priors, the share for {name} is between "
            f"{coefficient(min(under), 3)} and {coefficient(max(under), 3)}."
        )
    return " ".join(sentences)
