"""Weights of each type of error: parts of a hit, of something spurious and of something missing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any

import numpy as np

from assay.arrays import Array, Floats
from assay.engine.counts import Sums
from assay.engine.measure import F1, Ratio, Score
from assay.errors import UsageError, unknown
from assay.result import ErrorType, Sweep, Table, kind_title
from assay.result.numbers import WRITERS, with_interval
from assay.stats.intervals import percentiles, t_quantile

Parts = tuple[float, float, float]
"""The parts of TP, FP and FN."""
BOUNDARY = ("bes", "bel", "beo")
TYPES = ("le", *BOUNDARY, "lbe")
LISTED = "ge"
"""The type of errors on spans in which gold is wrong, if these are listed."""
UNGROUNDED = "ungrounded"
"""The type of mentions that do not occur in the text, which are spurious under every weighting."""
_LINES = 5
"""The number of pairs with a sentence on their weights."""
_HALF: Parts = (0.0, 0.5, 0.5)
_MIXED: Parts = (0.5, 0.25, 0.25)
_FAIR = dict.fromkeys((*TYPES, LISTED), _HALF)
PRESETS: Mapping[str, Mapping[str, Parts]] = {
    "fair": _FAIR,
    "be-half": {**_FAIR, **dict.fromkeys(BOUNDARY, _MIXED)},
    "be-typed": {**_FAIR, "bes": (0.5, 0.0, 0.5), "bel": (0.5, 0.5, 0.0), "beo": _MIXED},
    "all-fp": dict.fromkeys(_FAIR, (0.0, 1.0, 0.0)),
    "all-fn": dict.fromkeys(_FAIR, (0.0, 0.0, 1.0)),
}
_PART = re.compile(r"([0-9]*\.?[0-9]+)?\s*\*?\s*(tp|fp|fn)", re.IGNORECASE)


def weighted_scores(
    preset: str,
    given: Mapping[str, str],
    *,
    open_sums: bool = False,
    types: Sequence[str] = TYPES,
    presets: Mapping[str, Mapping[str, Parts]] = PRESETS,
    usual: str = "be-typed",
) -> dict[str, Score]:
    """F1, precision and recall under the weights of a preset, of formulas such as `le=0.5FP+0.5FN`, or of both.

    `types` and `presets` are those of spans unless others are given, `usual` is the preset if nothing is given. Hits,
    spurious and missing items count as they are.
    """
    formulas = {name: text for name, text in given.items() if text}
    if "be" in formulas and "be" not in types:
        clash = [name for name in BOUNDARY if name in formulas]
        if clash:
            raise UsageError(
                f"be and {clash[0]} are both given, but be stands for bes, bel and beo. Give one of them."
            )
        boundary = formulas.pop("be")
        formulas.update(dict.fromkeys(BOUNDARY, boundary))
    if preset and preset not in presets:
        hint = " The traditional evaluation is the measure exact." if preset == "traditional" else ""
        raise UsageError(f"{unknown('preset of error weights', preset, presets)}{hint}")
    parts = {name: _parts(name, text, open_sums) for name, text in formulas.items()}
    if not preset and parts:
        left_out = [name for name in types if name not in parts]
        if left_out:
            raise UsageError(
                f"the error weights leave out {', '.join(left_out)}, which would then not count as errors. Give a "
                f"formula for each type, or a preset to start from."
            )
    weights = {**presets[preset or ("fair" if parts else usual)], **parts}

    def add_up(sums: Sums, part: int) -> Floats:
        """The weighted number of hits (0), spurious (1) or missing items (2)."""
        total = sums[("tp", "fp", "fn")[part]] + (sums.get(UNGROUNDED, 0) if part == 1 else 0)
        for name, weight in weights.items():
            if weight[part] and name in sums:
                total = total + weight[part] * sums[name]
        return np.asarray(total)

    def score(*others: int) -> Score:
        def hits(sums: Sums) -> Floats:
            return len(others) * add_up(sums, 0)

        def total(sums: Sums) -> Floats:
            return np.asarray(hits(sums) + sum(add_up(sums, part) for part in others))

        return (F1 if len(others) > 1 else Ratio)(hits, total)

    return {"f1": score(1, 2), "precision": score(1), "recall": score(2)}


def _parts(name: str, text: str, open_sums: bool) -> Parts:
    weights = {"tp": 0.0, "fp": 0.0, "fn": 0.0}
    for term in text.split("+"):
        match = _PART.fullmatch(term.strip())
        if match is None:
            raise UsageError(f"{name}={text!r}: {term.strip()!r} is not a part such as 0.5FP (TP, FP or FN).")
        if match[1] is None:
            raise UsageError(f"{name}={text!r}: {term.strip()!r} has no number. Write e.g. 0.5{match[2].upper()}")
        weights[match[2].lower()] += float(match[1])
    total = sum(weights.values())
    if abs(total - 1) > 1e-9 and not open_sums:
        raise UsageError(f"{name}={text!r}: the parts sum to {total:g}, not 1. If this is intended, add open=true.")
    return weights["tp"], weights["fp"], weights["fn"]


def sweep(
    a: str,
    b: str,
    difference: Floats,
    positions: Sequence[str],
    weightings: Floats,
    named: Mapping[str, float],
    corners: int = 0,
) -> Sweep:
    """A summary of two systems' differences under weightings; the first weightings are the corners of all."""
    lowest, highest = int(np.argmin(difference)), int(np.argmax(difference))
    at_corners, sampled = difference[:corners], difference[corners:]
    ahead = [name for name, sign in ((a, -1), (b, 1)) if corners and (sign * at_corners > 0).all()]
    low_at, high_at = (
        {name: round(float(weight), 4) for name, weight in zip(positions, weightings[place], strict=True)}
        for place in (lowest, highest)
    )
    return Sweep(
        a=a,
        b=b,
        weightings=len(sampled),
        a_better=float(np.mean(sampled < 0)),
        b_better=float(np.mean(sampled > 0)),
        low=float(difference[lowest]),
        high=float(difference[highest]),
        low_at=low_at,
        high_at=high_at,
        named=named,
        always=ahead[0] if ahead else "",
    )


# --- which system is better under which credits of errors ---

CREDITS = ("le", "be", "lbe")
LEAST_UNITS, MANY_UNITS = 20, 200
"""Below the first, there is no map; below the second, it is by Student's t, from it on by the share of resamples."""
_NEAR, _FAR = 1.0, 3.5
_STEPS = 10
GRID = np.array([(_STEPS, *point) for point in product(range(_STEPS + 1), repeat=len(CREDITS))], dtype=np.float64)
"""Credits of errors in whole tenths, after the tenths of the constant, so that sums are exact."""
_CORNERS = np.array([(1, *point) for point in product((0, 1), repeat=len(CREDITS))], dtype=np.float64)
_COARSE = np.array([(4, *point) for point in product(range(5), repeat=len(CREDITS))], dtype=np.float64)
_SIDES = ("a", "-", "b")
_SIGNS = (("a", -1), ("b", 1))


def credit_counts(sums: Sums) -> Floats:
    """Hits, 2·hits and all errors, and the errors that may get credit, from the counts of `fair`."""
    boundary = sum(sums[name] for name in BOUNDARY)
    errors = sum(sums[name] for name in ("fp", "fn", "le", "lbe", LISTED, UNGROUNDED) if name in sums) + boundary
    return np.stack([sums["tp"], 2 * sums["tp"] + errors, sums["le"], boundary, sums["lbe"]], axis=-1)


def make_planes(a: Floats, b: Floats) -> Floats:
    """A constant and the factors of credits, whose sum has the sign of b's F1 minus a's: F1 = 2(tp+q)/(K+q) with the
    credit q, and products of both credits cancel."""
    free_a, free_b = (side[..., 1] - side[..., 0] for side in (a, b))
    constant = b[..., 0] * a[..., 1] - a[..., 0] * b[..., 1]
    return np.stack([constant, *(b[..., at] * free_a - a[..., at] * free_b for at in (2, 3, 4))], axis=-1)


def share_ahead(planes: Floats, points: Floats) -> Floats:
    """The share of planes above 0 at each point, 0 itself half."""
    above = np.zeros(len(points))
    for start in range(0, len(planes), 512):
        above += np.sign(planes[start : start + 512] @ points.T).sum(axis=0)
    return 0.5 + above / (2 * len(planes))


def weigh_credits(a: Floats, b: Floats, resampled: Sequence[Floats], units: int) -> dict[str, Any]:
    """Fields of a Sweep: for which credits which of two systems is better, from their counts and from resamples."""
    plane = make_planes(a, b)
    slope = float(plane[1:].sum())
    names = ["+".join(name for name, at in zip(CREDITS, row[1:], strict=True) if at) or "none" for row in _CORNERS]
    scores = []
    for side in (a, b):
        credit = _CORNERS[:, 1:] @ side[2:]
        scores.append(2 * (side[0] + credit) / np.maximum(side[1] + credit, 1))
    fields: dict[str, Any] = {
        "plane": tuple(plane.tolist()),
        "corners": dict(zip(names, (scores[1] - scores[0]).tolist(), strict=True)),
        "even_at": -float(plane[0]) / slope if slope else None,
    }
    if not resampled or units < LEAST_UNITS:
        return fields
    planes = make_planes(*resampled)
    corners = planes @ _CORNERS.T
    fields |= {f"everywhere_{name}": float((sign * corners > 0).all(axis=1).mean()) for name, sign in _SIGNS}
    t = t_quantile(0.975, units - 1)
    certainty = _standardise(plane, planes, GRID, units)
    if units < MANY_UNITS:
        sides = np.sign(certainty) * (np.abs(certainty) > t)
    else:
        # Shares that are certainly on one side of the limits need not be counted.
        share = 0.5 + 0.5 * np.sign(certainty) * (np.abs(certainty) > _NEAR)
        near = (np.abs(certainty) > _NEAR) & (np.abs(certainty) < _FAR)
        share[near] = share_ahead(planes, GRID[near])
        sides = (share >= 0.975).astype(np.int64) - (share <= 0.025)
    fields |= summarise_sides(sides)
    letters = write_sides(sides)
    fields["panels"] = tuple(letters[at :: _STEPS + 1] for at in (0, _STEPS // 2, _STEPS))
    # For all credits together, the largest deviation of any resample counts.
    largest = np.abs(_standardise(planes, planes, _COARSE, 0)).max(axis=1)
    limit = float(np.quantile(largest, 0.95)) / 1.96 * t
    fields["clearly"] = tuple(name for name, sign in _SIGNS if (sign * certainty > limit).any())
    slopes = planes[:, 1:].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        even = -planes[:, 0] / slopes
    if not np.isnan(even).all() and fields["even_at"] is not None:
        low, high = percentiles(np.nan_to_num(even, nan=np.nan, posinf=1e9, neginf=-1e9)[None])[0].tolist()
        inside = float(((even >= 0) & (even <= 1)).mean())
        fields |= {"even_low": low, "even_high": high, "even_inside": inside}
    return fields


def _standardise(values: Floats, planes: Floats, points: Floats, units: int) -> Floats:
    """Values of planes at points, divided by the standard deviation over resamples; deviations from their mean if
    `units` is 0. A variance of n units is n/(n-1) times that of resamples."""
    spread = np.cov(planes.T, bias=True) * (units / (units - 1) if units else 1.0)
    deviation = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", points, spread, points), 0))
    values = (values if units else values - planes.mean(axis=0)) @ points.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(values / deviation, nan=0.0))


def summarise_sides(sides: Array) -> dict[str, float]:
    """Shares of weightings under which a (-1), neither (0) and b (1) are surely better."""
    names = (("surely_a", -1), ("undecided", 0), ("surely_b", 1))
    return {name: float((sides == side).mean()) for name, side in names}


def write_sides(sides: Array) -> str:
    """A letter for each weighting."""
    return "".join(_SIDES[side] for side in (sides.astype(np.int64) + 1).tolist())


def weights_table(sweeps: Sequence[Sweep], what: str, after: str) -> Table:
    """For each pair, the parts of all weightings under which each system is surely better."""
    rows = []
    spans = any(row.plane for row in sweeps)
    for row in sweeps:
        even = "none"
        if row.even_at is not None and (row.even_inside is None or row.even_inside > 0.5):
            low, high = (math.nan if end is None else end for end in (row.even_low, row.even_high))
            even = with_interval(row.even_at, low, high, WRITERS["coefficient"])
        corners = [*row.corners.values()] or [math.nan]
        everywhere = [row.everywhere_a, row.everywhere_b, even] * spans
        rows.append(
            ([row.a, row.b], row.surely_a, row.undecided, row.surely_b, *everywhere, min(corners), max(corners))
        )
    at_all = ("everywhere first", "everywhere second", "even at") if spans else ()
    forms = ("coefficient", "coefficient", "text") if spans else ()
    return Table(
        f"Decision under unknown weights of {what}",
        ("pair", "surely first %", "undecided %", "surely second %", *at_all, "least corner Δ", "greatest corner Δ"),
        tuple(rows) if any(row.surely_a is not None for row in sweeps) else (),
        ("pair", "percent", "percent", "percent", *forms, "points"),
        after=after,
        name="weights",
        short=15,
        droppable=(8, 7) if spans else (),
        notes=(
            "Percentage of all weightings under which a system is better with 95% confidence, each weighting taken "
            "separately"
            + (
                ": credits of LE, BE and LBE from 0 (fair) to 1 (a hit). everywhere: share of resamples in which a "
                "system is better under all weightings; even at: the common credit at which both systems score the "
                "same."
                if spans
                else ", by Student's t."
            )
            + f" Corners: {'every type counts 0 or 1' if spans else 'one category alone'}.",
        ),
        lines=tuple(_describe_weights(sweeps)),
    )


def _describe_weights(sweeps: Sequence[Sweep]) -> Iterator[str]:
    """A sentence for each pair that allows a claim on all weights together, or on some."""
    for row in sweeps[:_LINES]:
        by_side = {"a": (row.a, row.everywhere_a), "b": (row.b, row.everywhere_b)}
        sure = [name for name, share in by_side.values() if share is not None and share >= 0.975]
        some = [by_side[side][0] for side in row.clearly]
        if sure:
            yield f"{row.a} → {row.b}: {sure[0]} is better under all credits."
        elif len(some) == 2:
            yield f"{row.a} → {row.b}: the weights decide, because each system is better under some credits."
        elif some:
            rest = "under the others, these data do not show which system is better"
            yield f"{row.a} → {row.b}: {some[0]} is better under some credits; {rest}."


def errors_by_type(errors: Sequence[ErrorType], kinds: Sequence[str], note: str) -> Table:
    """A table of each system's errors by type; if there is no room, types that do not occur are left out first."""
    types = [kind for kind in kinds if any(row.type == kind for row in errors)]
    rows = []
    for (measure, system), group in groupby(errors, key=lambda row: (row.measure, row.system)):
        numbers = {row.type: [row.count, row.share] for row in group}
        rows.append((system, measure, sum(count for count, _ in numbers.values()), *map(numbers.get, types)))
    occurring = {row.type for row in errors if row.count}
    return Table(
        "Errors by type",
        ("system", "measure", "errors", *map(kind_title, types)),
        tuple(rows),
        ("text", "text", "count", "share"),
        words=2,
        after="further scores",
        name="errors",
        droppable=tuple(3 + place for place, kind in enumerate(types) if kind not in occurring),
        notes=(f"Percentages of all errors in brackets. {note}",),
    )
