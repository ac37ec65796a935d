"""Agreement on units that annotators find in a continuum: alpha-u (Krippendorff 1995), gamma (Mathet, Widlöcher and
Métivier 2015) and gamma-cat (Mathet 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from assay.arrays import Floats, Ints, numbers_of_runs, ratio
from assay.classes import dataclass

MOST_CANDIDATES = 2_000_000
"""Largest number of unitary alignments that are considered."""
_TINY = 1e-9


class TooManyUnitsError(Exception):
    """Too many units are close to each other for an exact alignment."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of all annotators on one continuum, by annotator and place."""

    annotators: int
    length: int
    annotator: Ints
    begin: Ints
    end: Ints
    label: Ints

    @classmethod
    def of(cls, annotators: int, length: int, rows: Sequence[tuple[int, int, int, int]]) -> Units:
        """Units from tuples of annotator, begin, end and label."""
        table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4)
        return cls(annotators, length, *table.T)

    def __len__(self) -> int:
        return len(self.begin)


# --- alpha-u ---


def alpha_u_sums(units: Units, label: int) -> tuple[float, float]:
    """Observed and expected disagreement on the units of one label."""
    labelled = units.label == label
    who, begin, end = units.annotator[labelled], units.begin[labelled], units.end[labelled]
    size, many = units.length, units.annotators
    observed = 0.0
    lines = [(begin[who == annotator], end[who == annotator]) for annotator in range(many)]
    for (begin_a, end_a), (begin_b, end_b) in combinations(lines, 2):
        # Squared distances of overlapping units, and squared lengths of units in a gap of the other line.
        first = np.searchsorted(end_b, begin_a, side="right")
        number = np.maximum(np.searchsorted(begin_b, end_a, side="left") - first, 0)
        here, there = np.repeat(np.arange(len(begin_a)), number), numbers_of_runs(first, number)
        starts, ends = (begin_a[here] - begin_b[there]).astype(float), (end_a[here] - end_b[there]).astype(float)
        distance = float((starts**2 + ends**2).sum())
        distance += float(((end_a - begin_a)[number == 0].astype(np.float64) ** 2).sum())
        alone = np.ones(len(begin_b), dtype=bool)
        alone[there] = False
        distance += float(((end_b - begin_b)[alone].astype(np.float64) ** 2).sum())
        # Both directions have the same sum.
        observed += 2 * distance
    observed /= many * (many - 1) * size**2
    lengths = end - begin
    gaps = np.concatenate([np.append(start, size) - np.append(0, stop) for start, stop in lines])
    gaps = gaps[gaps > 0]
    within = (len(lengths) - 1) / 3 * (2 * lengths**3 - 3 * lengths**2 + lengths)
    # In how many places each unit would fit into gaps that are long enough.
    ordered = np.sort(gaps)
    sums = np.append(np.cumsum(ordered[::-1])[::-1], 0)
    first = np.searchsorted(ordered, lengths)
    room = sums[first] + (len(ordered) - first) * (1 - lengths)
    total = float((within + lengths.astype(np.float64) ** 2 * room).sum())
    pairs = many * size * (many * size - 1) - int((lengths * (lengths - 1)).sum())
    return observed, 2 / size * total / pairs if pairs else 0.0


def find_overlap(units: Units) -> tuple[int, int] | None:
    """The first two overlapping units with the same label and annotator, or None."""
    order = np.lexsort((units.begin, units.label, units.annotator))
    same = (np.diff(units.annotator[order]) == 0) & (np.diff(units.label[order]) == 0)
    overlaps = np.flatnonzero(same & (units.begin[order][1:] < units.end[order][:-1]))
    return (int(order[overlaps[0]]), int(order[overlaps[0] + 1])) if len(overlaps) else None


# --- gamma ---


@dataclass(frozen=True)
class Weighting:
    """The costs of gamma: of places, of labels, and of a unit without a counterpart."""

    alpha: float = 1.0
    beta: float = 1.0
    empty: float = 1.0


def _costs(units: Units, first: Ints, second: Ints, weighting: Weighting) -> Floats:
    """The dissimilarity of pairs of units."""
    labels = units.label[first] != units.label[second]
    places = _compare_places(units, first, second)
    return np.asarray((weighting.alpha * places + weighting.beta * labels) * weighting.empty)


def _compare_places(units: Units, first: Ints, second: Ints) -> Floats:
    """The squared distance of the places of two units, relative to their lengths."""
    lengths = units.end - units.begin
    moved = np.abs(units.begin[first] - units.begin[second]) + np.abs(units.end[first] - units.end[second])
    return np.asarray((moved / (lengths[first] + lengths[second])) ** 2)


def align_units(units: Units, weighting: Weighting) -> tuple[float, list[tuple[int, ...]]]:
    """The smallest disorder, not divided by units, and an alignment with it: the units of each of its parts."""
    if not len(units):
        return 0.0, []
    members = [np.flatnonzero(units.annotator == annotator) for annotator in range(units.annotators)]
    if units.annotators != 2:
        return _partition_units(units, members, weighting)
    # For two annotators it is an assignment in which units may stay alone.
    from scipy.optimize import linear_sum_assignment

    a, b = members
    cost = _costs(units, a[:, None], b[None], weighting)
    # A pair saves two units that would stay alone, or is not worth it.
    saved = np.minimum(cost - 2 * weighting.empty, 0)
    rows, columns = linear_sum_assignment(saved)
    kept = saved[rows, columns] < 0
    rows, columns = rows[kept], columns[kept]
    pairs: list[tuple[int, ...]] = list(zip(a[rows].tolist(), b[columns].tolist(), strict=True))
    alone = set(a.tolist()) | set(b.tolist())
    alone -= {unit for pair in pairs for unit in pair}
    total = float(cost[rows, columns].sum()) + weighting.empty * len(alone)
    return total, [*pairs, *((unit,) for unit in sorted(alone))]


def _partition_units(
    units: Units, members: Sequence[Ints], weighting: Weighting
) -> tuple[float, list[tuple[int, ...]]]:
    """The best alignment of more annotators: parts with at most one unit of each annotator.

    An alignment that costs more than its units cost one by one is in no best partition.
    """
    many = units.annotators
    pairs = many * (many - 1) / 2
    first, second = np.indices((len(units), len(units)))
    table = _costs(units, first, second, weighting)
    # Two units are never together if their distance costs more than pairing one of them elsewhere could save.
    near = table <= (many - 1 + pairs) * weighting.empty + _TINY
    parts = np.full((1, many), -1, dtype=np.int64)
    cost = np.zeros(1)
    for annotator, candidates in enumerate(members):
        fits = np.ones((len(parts), len(candidates)), dtype=bool)
        added = np.zeros((len(parts), len(candidates)))
        for other in range(annotator):
            before = parts[:, other]
            filled = before >= 0
            fits[filled] &= near[before[filled]][:, candidates]
            added[filled] += table[before[filled]][:, candidates]
            added[~filled] += weighting.empty
        # With one of this annotator's units, or without any.
        which, unit = np.nonzero(fits)
        extended = parts[which]
        extended[:, annotator] = candidates[unit]
        cost = np.concatenate([cost + annotator * weighting.empty, cost[which] + added[which, unit]])
        parts = np.concatenate([parts, extended])
        if len(parts) * max(map(len, members)) > 50 * MOST_CANDIDATES:
            raise TooManyUnitsError
        size = (parts >= 0).sum(axis=1)
        kept = cost <= pairs * weighting.empty * (size + many - annotator - 1) + _TINY
        parts, cost = parts[kept], cost[kept]
    # No unit may cost more in a part than alone.
    size = (parts >= 0).sum(axis=1)
    useful = size > 0
    for annotator in range(many):
        filled = parts[:, annotator] >= 0
        shared = np.zeros(len(parts))
        for other in range(many):
            both = filled & (parts[:, other] >= 0) & (other != annotator)
            shared[both] += table[parts[both, annotator], parts[both, other]]
        useful &= ~filled | (shared <= (size - 1 + pairs) * weighting.empty + _TINY)
    return _cheapest_partition(len(units), parts[useful], cost[useful] / pairs)


def _cheapest_partition(units: int, parts: Ints, cost: Floats) -> tuple[float, list[tuple[int, ...]]]:
    """The cheapest parts that contain each unit once; components that share no unit are solved one by one."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = np.nonzero(parts >= 0)
    where = parts[rows, columns]
    table = csc_array((np.ones(len(where)), (where, rows)), shape=(units, len(parts)))
    _, piece = connected_components(table @ table.T, directed=False)
    piece_of_part = piece[parts.max(axis=1)]
    order = np.argsort(piece_of_part, kind="stable")
    firsts = np.flatnonzero(np.diff(piece_of_part[order], prepend=-1))
    total = 0.0
    partition: list[tuple[int, ...]] = []
    for group in np.split(order, firsts[1:]):
        members = np.unique(parts[group][parts[group] >= 0])
        if len(members) == 1:
            total += float(cost[group].min())
            partition.append((int(members[0]),))
            continue
        small = table[members][:, group]
        exactly = np.ones(len(members))
        solution = milp(
            cost[group],
            integrality=np.ones(len(group), dtype=np.int64),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(small, exactly, exactly),
            options={"mip_rel_gap": 0.0},
        )
        if solution.x is None:
            raise TooManyUnitsError(solution.message)
        picked = group[solution.x > 0.5]
        total += float(cost[picked].sum())
        partition += [tuple(row[row >= 0].tolist()) for row in parts[picked]]
    return total, partition


def compute_disorder(units: Units, weighting: Weighting) -> float:
    """Disorder of the best alignment, per unit of an annotator; nan if there are no units."""
    total, _ = align_units(units, weighting)
    return float(ratio(np.array(total), np.array(len(units) / units.annotators)))


def sum_label_disagreement(
    units: Units, parts: Sequence[tuple[int, ...]], weighting: Weighting
) -> tuple[float, float]:
    """Total weight of the aligned pairs of units with different labels, and of all aligned pairs.

    A pair in a part of v units weighs 1/(v − 1), so that each unit weighs the same, and less if they are far apart.
    Units without a counterpart do not count.
    """
    listed = [(a, b, 1 / (len(part) - 1)) for part in parts for a, b in combinations(part, 2)]
    if not listed:
        return 0.0, 0.0
    first, second = np.array([pair[:2] for pair in listed]).T
    near = np.maximum(0, 1 - weighting.alpha * _compare_places(units, first, second) * weighting.empty)
    weight = np.array([pair[2] for pair in listed]) * near
    return float(weight[units.label[first] != units.label[second]].sum()), float(weight.sum())


def rotate_lines(units: Units, rng: np.random.Generator) -> Units:
    """A random continuum: each line is rotated by a random amount, at least a mean unit apart from others.

    A unit is never split: at the end of the line it extends beyond it.
    """
    many, length = units.annotators, units.length
    apart = min(float((units.end - units.begin).mean()) if len(units) else 0.0, length / (2 * many))
    shifts: list[int] = []
    for _ in range(many):
        for _ in range(1000):
            by = int(rng.integers(0, max(length, 1)))
            near = [min(abs(by - other), length - abs(by - other)) for other in shifts]
            if all(distance >= apart for distance in near):
                break
        shifts.append(by)
    moved = np.array(shifts)[units.annotator]
    begin = (units.begin + moved) % max(length, 1)
    end = begin + units.end - units.begin
    order = np.lexsort((end, begin, units.annotator))
    return Units(many, length, units.annotator[order], begin[order], end[order], units.label[order])


@dataclass(frozen=True)
class Gamma:
    """Gamma and its parts."""

    gamma: float
    category: float
    disorder: float
    expected: float
    error: float
    """The standard error of gamma from drawing random continua."""


def compute_gamma(continua: Sequence[Units], weighting: Weighting, samples: int, rng: np.random.Generator) -> Gamma:
    """Gamma of one or several continua; their observed and expected disorders are added, weighted by units."""
    numbers = np.array([len(units) / units.annotators for units in continua])
    used = [units for units, number in zip(continua, numbers, strict=True) if number]
    if not used or samples < 2:
        return Gamma(*[float("nan")] * 5)
    alignments = [align_units(units, weighting) for units in used]
    total = float(numbers.sum())
    observed = sum(cost for cost, _ in alignments) / total
    disorders = np.zeros((samples, 2))
    for sample in range(samples):
        random = [rotate_lines(units, rng) for units in used]
        aligned = [align_units(units, weighting) for units in random]
        disorders[sample, 0] = sum(cost for cost, _ in aligned) / total
        disorders[sample, 1] = _label_disorder(random, [parts for _, parts in aligned], weighting)
    expected = float(disorders[:, 0].mean())
    error = float(disorders[:, 0].std(ddof=1) / np.sqrt(samples))
    category = _label_disorder(used, [parts for _, parts in alignments], weighting)
    defined = disorders[~np.isnan(disorders[:, 1]), 1]
    by_chance = float(defined.mean()) if len(defined) else float("nan")
    return Gamma(
        gamma=float(1 - ratio(np.array(observed), np.array(expected))),
        category=float(1 - ratio(np.array(category), np.array(by_chance))),
        disorder=observed,
        expected=expected,
        error=observed / expected**2 * error if expected else float("nan"),
    )


def _label_disorder(
    continua: Sequence[Units], parts: Sequence[Sequence[tuple[int, ...]]], weighting: Weighting
) -> float:
    """Share of aligned pairs with different labels, by their weights; nan if there are no pairs."""
    sums = [
        sum_label_disagreement(units, alignment, weighting) for units, alignment in zip(continua, parts, strict=True)
    ]
    differing, total = np.sum(sums, axis=0)
    return float(ratio(differing, total))
