"""One measure: every two systems over the runs on all data sets, and the order of all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from assay.arrays import Floats
from assay.bayesian.replication import Discordant, replications
from assay.bayesian.rope import Rope, full_score
from assay.bayesian.table import DataSet, Dropped
from assay.bayesian.wording import few_data_sets, verdict
from assay.errors import InputError, UsageError
from assay.experiment.runtables import Split
from assay.result import Score
from assay.result.posteriors import (
    CurvePoint,
    DataSetDifference,
    Estimate,
    Posterior,
    Ranking,
    RankRelation,
    SimplexCell,
    Thirds,
)
from assay.stats.correlated import correlated
from assay.stats.evidence import LEAST_RUNS, constant, settled
from assay.stats.hierarchical import FEW_DATA_SETS, USUAL, Fit, curve, fit, sensitivity
from assay.stats.ranking import Flag, rank, relation
from assay.stats.regions import Three
from assay.stats.signedrank import signed_rank

SIDES = 24
"""Into how many parts the sides of a simplex are cut."""
CURVE = 13
"""How many regions of equivalence are tried, from none to three times the chosen one."""
MANY_DATA_SETS = 10
"""From this many data sets on, the signed-rank test on their means is worth a look."""
RHO = ("folds", "sizes")
NOTHING = Rope(0.0, "", math.nan)
"""The region where there is nothing to compare."""


@dataclass(frozen=True)
class Choices:
    """How runs are compared."""

    rho: str | float | None = None
    lower: tuple[str, ...] = ()
    hierarchical: bool = False
    priors: bool = False
    draws: int = 50_000
    seed: int = 0
    alpha: float = 0.05


@dataclass(frozen=True, eq=False)
class Measured:
    """The runs of all systems under one measure."""

    name: str
    systems: tuple[str, ...]
    data: tuple[DataSet, ...]
    rope: Rope
    dropped: Dropped
    how: Choices
    discordant: Discordant

    def rho(self, one: DataSet) -> float:
        """The correlation of runs that share training data: one over the number of folds."""
        wanted = self.how.rho
        if wanted is None:
            wanted = "folds" if one.folds > 1 else "sizes"
        if wanted not in RHO:
            return _rho_number(wanted)
        value = 1 / one.folds if wanted == "folds" else one.share
        if not 0 <= value < 1:
            raise UsageError(
                f"{one.name}: neither folds nor the sizes of the parts (n_train, n_test) tell how runs are "
                "correlated. Say --rho, the test part's share of the data, e.g. 0.1; for matrices --folds"
            )
        return value

    @property
    def rhos(self) -> list[float]:
        """One for each data set."""
        return [self.rho(one) for one in self.data]

    def differences(self, a: str, b: str) -> list[Floats]:
        """By how much B is better, run by run."""
        sign = -1.0 if self.name in self.how.lower else 1.0
        return [sign * (one.values[b] - one.values[a]) for one in self.data]

    def scores(self) -> Iterator[Score]:
        """Each system's mean over runs on each data set, and over data sets."""
        for system in self.systems:
            means = [float(one.values[system].mean()) for one in self.data]
            yield Score(system, self.name, "mean", None, None, float(np.mean(means)), math.nan, math.nan, True)
            for one, rho, mean in zip(self.data, self.rhos, means, strict=True):
                runs = one.values[system]
                low, high = correlated(runs, rho).interval() if len(runs) > 1 else (math.nan, math.nan)
                yield Score(system, self.name, "mean", None, f"dataset:{one.name}", mean, low, high, True)

    def ranked(self) -> tuple[list[Posterior], Ranking]:
        """All pairs, the worse system of the order first, and the order."""
        self._check_runs()
        # By their means they are nearly in the order that comes out, so that few pairs must be turned round.
        means = {row.system: row.value for row in self.scores() if row.slice is None}
        sign = -1 if self.name in self.how.lower else 1
        likely = sorted(self.systems, key=lambda system: (sign * means[system], system))
        found = {pair: self.posterior(*pair) for pair in combinations(likely, 2)}
        order = rank(self.systems, {pair: _shares(one.decision) for pair, one in found.items()})
        pairs = [found[pair] if pair in found else self.posterior(*pair) for pair in combinations(order.order, 2)]
        covers = set(order.covers)
        relations = tuple(
            RankRelation(
                a=one.a,
                b=one.b,
                relation=one.relation,
                adjacent=abs(order.order.index(one.a) - order.order.index(one.b)) == 1,
                covers=(one.a, one.b) in covers,
            )
            for one in pairs
        )
        return pairs, Ranking(self.name, order.order, order.chain, relations, tuple(map(_flagged, order.flags)))

    def _check_runs(self) -> None:
        """Whether runs are enough for a spread, and for the model to integrate it out."""
        alone = len(self.data) == 1 and not self.how.hierarchical
        least, test = (2, "the correlated t-test") if alone else (LEAST_RUNS, "the model over data sets")
        short = next((one for one in self.data if len(one.splits) < least), None)
        if short:
            raise InputError(
                f"{short.name}: {self.name} was measured in {len(short.splits)} runs where {test} needs {least}. "
                "On one test set, assay compare says how sure a difference is."
            )

    def posterior(self, a: str, b: str) -> Posterior:
        """Two systems."""
        rows, half = self.differences(a, b), self.rope.half
        if not any(row.any() for row in rows):
            return self._told(a, b, "identical", (0.0, 1.0, 0.0), mean=Estimate(0.0, 0.0, 0.0))
        if constant(rows).all():
            places = settled(rows, half)
            left, equal, right = (places.count(place) / len(rows) for place in ("left", "rope", "right"))
            return self._told(a, b, "constant", (left, equal, right))
        if len(rows) == 1 and not self.how.hierarchical:
            return self._on_one(a, b, rows[0])
        return self._on_several(a, b, rows)

    def _on_one(self, a: str, b: str, row: Floats) -> Posterior:
        found = correlated(row, self.rho(self.data[0]))
        shares = found.regions(self.rope.half)
        mean = Estimate(found.mean, *found.interval())
        told = self._told(a, b, "correlated-t", shares, mean=mean, rope_curve=self._curve(found.regions))
        return replace(told, error=0.0)

    def _on_several(self, a: str, b: str, rows: Sequence[Floats]) -> Posterior:
        half, how = self.rope.half, self.how
        found = fit(rows, self.rhos, half, step=self._step(), draws=how.draws, seed=how.seed)
        # Where a data set does not vary, each region needs a posterior of its own.
        ropes = _ropes(half, CURVE // 2 + 1 if found.treated or found.left_out else CURVE)
        points = [
            CurvePoint(width, USUAL.std0, USUAL.delta0, _thirds(decision, width), _thirds(region, width))
            for width, decision, region in curve(rows, self.rhos, ropes, found, step=self._step())
        ]
        few = len(rows) < FEW_DATA_SETS
        priors = [
            CurvePoint(half, prior.std0, prior.delta0, _thirds(decision, half), _thirds(region, half))
            for prior, decision, region in (sensitivity(found) if few or how.priors else ())
        ]
        many = len(rows) >= MANY_DATA_SETS
        means = np.array([row.mean() for row in rows])
        signed = signed_rank(means, half, draws=how.draws, seed=how.seed)[0] if many else None
        told = self._told(
            a,
            b,
            "hierarchical",
            found.decision,
            found.region,
            mean=_estimate(found.delta0),
            rope_curve=tuple(points),
            prior_curve=tuple(priors),
            fitted=found,
        )
        return replace(told, signed_rank=_thirds(signed, half) if signed else None)

    def _told(
        self,
        a: str,
        b: str,
        model: str,
        decision: Three,
        region: Three | None = None,
        *,
        mean: Estimate | None = None,
        rope_curve: tuple[CurvePoint, ...] = (),
        prior_curve: tuple[CurvePoint, ...] = (),
        fitted: Fit | None = None,
    ) -> Posterior:
        half, runs = self.rope.half, sum(len(one.splits) for one in self.data)
        # What does not differ at all is equal, however small the region.
        width = half or (decision[1] if model in ("identical", "constant") else 0.0)
        shares = _thirds(decision, width)
        few = _caution(a, b, shares, prior_curve, len(self.data))
        return Posterior(
            a=a,
            b=b,
            measure=self.name,
            model=model,
            rope=half,
            data_sets=len(self.data),
            runs=runs,
            decision=shares,
            region=_thirds(region or decision, width),
            error=fitted.error if fitted else 0.0,
            relation=relation(_shares(shares)),
            verdict=verdict(a, b, self.name, model, shares, half, self.rope.items, len(self.data), runs, few),
            mean=mean,
            next=replace(_estimate(fitted.next), mean=float(fitted.delta0.mean())) if fitted else None,
            by_data_set=tuple(self._by_data_set(a, b, fitted)),
            sides=SIDES if fitted else 0,
            simplex=tuple(_cells(fitted)) if fitted else (),
            rope_curve=rope_curve,
            prior_curve=prior_curve,
            replications=tuple(replications(self.discordant, self.name, a, b, self._by_split(a, b), self.how.alpha)),
            notes=tuple(self._treated(fitted)) if fitted else (),
        )

    def _by_split(self, a: str, b: str) -> dict[str, tuple[tuple[Split, ...], Floats]]:
        rows = self.differences(a, b)
        return {one.name: (one.splits, row) for one, row in zip(self.data, rows, strict=True)}

    def _by_data_set(self, a: str, b: str, fitted: Fit | None) -> Iterator[DataSetDifference]:
        shrunken = fitted.rows if fitted else (None,) * len(self.data)
        for one, rho, row, seen in zip(self.data, self.rhos, self.differences(a, b), shrunken, strict=True):
            alone = correlated(row, rho)
            yield DataSetDifference(
                name=one.name,
                runs=len(row),
                rho=rho,
                a=float(one.values[a].mean()),
                b=float(one.values[b].mean()),
                difference=alone.mean,
                spread=float(np.std(row, ddof=1)),
                estimate=Estimate(*(seen or (alone.mean, *alone.interval()))),
                decision=_thirds(alone.regions(self.rope.half), self.rope.half or float(not row.any())),
                t=alone.t,
                p=alone.p,
                a_ahead=int((row < 0).sum()),
                b_ahead=int((row > 0).sum()),
                note="no variation between runs" if constant([row])[0] else "",
            )

    def _step(self) -> float | None:
        """The smallest possible step of the score: one item of a test part."""
        known = np.concatenate([one.denominators for one in self.data])
        return None if np.isnan(known).any() else full_score(self.data) / float(known.max())

    def _curve(self, regions: Callable[[float], Three]) -> tuple[CurvePoint, ...]:
        widths = [(width, _thirds(regions(width), width)) for width in _ropes(self.rope.half)]
        return tuple(CurvePoint(width, USUAL.std0, USUAL.delta0, shares, shares) for width, shares in widths)

    def _treated(self, found: Fit) -> Iterator[str]:
        for numbers, said in (
            (found.treated, "no variation between runs; taken to vary within the region of equivalence"),
            (found.left_out, "left out, since nothing varies and there is no region of equivalence"),
        ):
            names = ", ".join(self.data[number].name for number in numbers)
            if names:
                yield f"{names}: {said}."
        if found.evidence.same_means:
            yield "All data sets have the same mean difference; the spread of runs bounds the prior in its place."


def _rho_number(wanted: str | float) -> float:
    try:
        value = float(wanted)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise UsageError(f"--rho {wanted}: a number from 0 to below 1, or {' or '.join(RHO)}.")
    return value


def _ropes(half: float, points: int = CURVE) -> list[float]:
    return [3 * half * number / (points - 1) for number in range(points)] if half else []


def _thirds(shares: Three, half: float) -> Thirds:
    """Without a region of equality there are two shares."""
    a, equal, b = (float(share) for share in shares)
    return Thirds(a, equal if half else None, b)


def _shares(shares: Thirds) -> Three:
    return shares.a, shares.equal or 0.0, shares.b


def _estimate(draws: Floats) -> Estimate:
    low, high = np.quantile(draws, [0.025, 0.975])
    return Estimate(float(draws.mean()), float(low), float(high))


def _caution(a: str, b: str, shares: Thirds, priors: Sequence[CurvePoint], number: int) -> str:
    """What other priors make of it, where data sets are few."""
    if not priors:
        return ""
    better, name = (a, "a") if shares.a > shares.b else (b, "b")
    under = [getattr(point.decision, name) for point in priors]
    return few_data_sets(number, min(under), max(under), f"{better} being better")


def _cells(found: Fit) -> Iterator[SimplexCell]:
    """The small triangles of the simplex that draws fall into."""
    shares = np.stack([found.left, found.right, found.equal])
    floors = np.minimum((shares * SIDES).astype(np.int64), SIDES - 1)
    # A point on a corner of small triangles belongs to the one below.
    corner = floors.sum(axis=0) >= SIDES
    largest = floors.argmax(axis=0)
    floors[largest[corner], np.flatnonzero(corner)] -= 1
    up = floors.sum(axis=0) == SIDES - 1
    draws = np.bincount((floors[0] * SIDES + floors[1]) * 2 + up)
    for cell in np.flatnonzero(draws).tolist():
        yield SimplexCell(cell // 2 // SIDES, cell // 2 % SIDES, bool(cell % 2), int(draws[cell]))


def _flagged(flag: Flag) -> str:
    if flag.kind == "hidden":
        first, middle, last = flag.systems
        return f"{first} ≈ {middle} ≈ {last}, yet {first} {flag.relation} {last}: equivalences hide a difference."
    if flag.kind == "cycle":
        first, second, third = flag.systems
        return f"{first} < {second} < {third} < {first}: there is no order of these three."
    first, last = flag.systems
    return f"The chain has {first} below {last}, yet {first} {flag.relation} {last}."
