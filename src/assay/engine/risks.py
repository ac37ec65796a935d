"""How much of what one system has right another breaks, by the items of a measure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import NONE, Floats, Ints
from assay.engine.items import NOTHING, Items
from assay.result import Risk, RiskPart, is_category
from assay.stats.risk import design_effect, posterior, predict

if TYPE_CHECKING:
    from assay.engine.build import Compared
    from assay.engine.options import Options

Overlaps = Mapping[str, Mapping[str, Ints]]
"""For each two systems, `0-1`: the counts of each unit by its name, if units can come again in other shards;
otherwise the sums over units of the products of each two of 1 and the counts, under an empty name. The counts are the
items that the first has right, the second, both, and all."""
DATA_SETS = "data set"


def count_overlaps(items: Items, of_sentence: Ints, names: Sequence[str]) -> Overlaps:
    """Sums over units of gold's items that each two systems have right; `names` are those of the units, if any."""
    unit = of_sentence[items.sentence]
    kept = unit != NONE
    if items.kinds:
        kept &= items.gold != NONE
    unit, right = unit[kept], items.right[:, kept]
    units = int(of_sentence.max(initial=NONE)) + 1
    every = np.bincount(unit, minlength=units)
    rights = [np.bincount(unit[row], minlength=units) for row in right]
    overlaps: dict[str, Mapping[str, Ints]] = {}
    for a, b in combinations(range(len(right)), 2):
        both = np.bincount(unit[right[a] & right[b]], minlength=units)
        counts = np.stack([np.ones_like(every), rights[a], rights[b], both, every]).astype(np.int64)
        overlaps[f"{a}-{b}"] = dict(zip(names, counts[1:].T, strict=True)) if names else {"": counts @ counts.T}
    return overlaps


def find_risks(compared: Iterable[Compared], options: Options) -> Iterator[Risk]:
    """The risks of each two systems on everything; with a limit also by label and over the values of slices."""
    slices: dict[str, dict[str, list[Risk]]] = {}
    first = None
    for one in compared:
        if not one.overlaps or not isinstance(one.items, Items) or is_category(one.on):
            continue
        rows = list(_pair_risks(one.items, one.on, one.overlaps, options, labels=first is None))
        # A data set in which two systems do not differ counts among several.
        if one.slice is None and not options.pairs_of_sets:
            pairs, systems = {frozenset((row.a, row.b)) for row in rows}, one.items.systems
            differ = {pair for pair in pairs if one.items.differ(*map(systems.index, pair)).any()}
            rows = [row for row in rows if {row.a, row.b} in differ]
        first = first or one.on
        if one.slice is None:
            yield from rows
        else:
            spec, _, value = one.slice.partition("=")
            slices.setdefault(spec, {}).setdefault(value, []).extend(rows)
    for spec, by_value in slices.items():
        yield from risks_over(by_value, spec)


def _pair_risks(items: Items, on: str, overlaps: Overlaps, options: Options, *, labels: bool) -> Iterator[Risk]:
    """The risk of replacing each system by each other one; by label, that of the best two, or of the baseline."""
    limit, gold, systems = options.risk, items.of_gold(), items.systems
    best = sorted(range(len(systems)), key=lambda system: -gold.sum(gold.right[system]))[:2]
    pairs: list[tuple[int, int]] = []
    rates: list[tuple[str, int, int, float]] = []
    for a, b in permutations(range(len(systems)), 2):
        if options.baseline not in (None, systems[a]):
            continue
        of_units = list(overlaps[f"{min(a, b)}-{max(a, b)}"].values())
        products = of_units[0].astype(np.float64)
        if products.ndim == 1:
            units = np.array([(1, *counts) for counts in of_units], dtype=np.float64)
            products = units.T @ units
        _, of_first, of_second, both, every = np.eye(5)
        of_a, of_b = (of_first, of_second) if a < b else (of_second, of_first)
        wrong = design_effect(products, every - of_b, every)
        pairs.append((a, b))
        for name, part, whole in (("", of_a - both, of_a), ("corrected_", of_b - both, every - of_a)):
            count, number = (int(products[0] @ vector) for vector in (part, whole))
            rates.append((name, count, number, max(1.0, design_effect(products, part, whole), wrong)))
    # The intervals of all pairs are found together.
    found = [*zip(rates, _intervals(rates, limit), strict=True)]
    for (a, b), *of_pair in zip(pairs, found[::2], found[1::2], strict=True):
        fields: dict[str, Any] = {"limit": limit}
        for (name, count, number, design), interval in of_pair:
            fields |= {f"{name}of": number, name[:-1] or "broken": count, f"{name}design_effect": design, **interval}
        if limit is not None and labels and (options.baseline is not None or {a, b} == {*best}):
            fields["labels"] = tuple(_label_risks(gold, a, b, limit))
        yield Risk(a=systems[a], b=systems[b], on=on, by="", **fields)


def _intervals(rates: Sequence[tuple[str, int, int, float]], limit: float | None) -> list[dict[str, Any]]:
    """Fields of each rate (its name, count, number and design effect): its interval, and the probability that it is
    above the limit."""
    counts, numbers, designs = (np.array([rate[place] for rate in rates], dtype=np.float64) for place in (1, 2, 3))
    return [
        {f"{name}low": low, f"{name}high": high, f"{name}p": None if math.isnan(p) else p}
        for (name, *_), (low, high, p) in zip(rates, posterior(counts, numbers, designs, limit), strict=True)
    ]


def _label_risks(gold: Items, a: int, b: int, limit: float) -> Iterator[RiskPart]:
    """The risk of each gold label that the first system has right somewhere, the most probable first."""
    codes, group = np.unique(gold.gold, return_inverse=True)
    of, broken = (
        np.array(gold.by_group(mask, group, len(codes))) for mask in (gold.right[a], gold.right[a] & ~gold.right[b])
    )
    there = np.flatnonzero(of)
    names = (*gold.labels, NOTHING)
    rows = _shrink([names[code] for code in codes[there].tolist()], broken[there], of[there], limit)[1]
    yield from sorted(rows, key=lambda row: (-(row.p or 0), row.name))


def _shrink(names: Sequence[str], broken: Any, of: Any, limit: float | None, design: Any = 1.0) -> Any:
    """The rates on a new data set; and those of data sets or labels, shrunk to each other."""
    design = np.broadcast_to(np.asarray(design, dtype=np.float64), len(names))
    found, rates, above = predict(np.asarray(broken) / design, np.asarray(of) / design, limit)
    columns: tuple[Floats, ...] = (np.asarray(broken), np.asarray(of), rates, above, design)
    rows = [RiskPart(name, *row) for name, *row in zip(names, *(column.tolist() for column in columns), strict=True)]
    return found, [replace(row, p=None) if limit is None else row for row in rows]


def risks_over(sets: Mapping[str, Iterable[Risk]], by: str) -> Iterator[Risk]:
    """The risk of each two systems over data sets or slices, and on a new one; sets without right items are left out.

    The intervals are for these data sets: variances add up over them.
    """
    groups: dict[tuple[str, str, str], dict[str, Risk]] = {}
    for name, rows in sets.items():
        for row in rows:
            if row.by == "":
                groups.setdefault((row.a, row.b, row.on), {})[name] = row
    for (a, b, on), by_name in groups.items():
        there = {name: row for name, row in by_name.items() if row.of}
        if len(there) < 2 or not any(row.broken or row.corrected for row in there.values()):
            continue
        limit = next(iter(by_name.values())).limit
        fields: dict[str, Any] = {"limit": limit}
        for name, part in (("", "broken"), ("corrected_", "corrected")):
            counts, numbers, designs = (
                np.array([getattr(row, field) for row in by_name.values()], dtype=np.float64)
                for field in (part, f"{name}of", f"{name}design_effect")
            )
            count, number = counts.sum(), numbers.sum()
            rates, rate = counts / np.maximum(numbers, 1), count / max(number, 1)
            within = float((designs * numbers * rates * (1 - rates)).sum())
            design = max(1.0, within / (number * rate * (1 - rate)) if 0 < rate < 1 else 1.0)
            fields |= {f"{name}of": int(number), part: int(count), f"{name}design_effect": design}
            fields |= _intervals([(name, count, number, design)], limit)[0]
        columns = zip(*((row.broken, row.of, row.design_effect) for row in there.values()), strict=True)
        broken, of, designs = map(np.array, columns)
        (new, narrow), parts = _shrink(list(there), broken, of, limit, designs)
        probabilities = (None, None) if limit is None else (new.p, narrow.p)
        fields |= dict(zip(("new_p", "narrow_p"), probabilities, strict=True))
        fields |= {"new_median": new.median, "new_high": new.high, "narrow_high": narrow.high}
        yield Risk(a=a, b=b, on=on, by=by, **fields, parts=tuple(parts))
