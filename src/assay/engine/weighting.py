"""Weights of each type of error: parts of a hit, of something spurious and of something missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np

from assay.arrays import Floats
from assay.engine.counts import Sums
from assay.engine.measure import F1, Ratio, Score
from assay.errors import UsageError, unknown
from assay.result import ErrorType, Sweep, Table, kind_title

Parts = tuple[float, float, float]
"""The parts of TP, FP and FN."""
BOUNDARY = ("bes", "bel", "beo")
TYPES = ("le", *BOUNDARY, "lbe")
LISTED = "ge"
"""The type of errors on spans in which gold is wrong, if these are listed."""
UNGROUNDED = "ungrounded"
"""The type of mentions that do not occur in the text, which are spurious under every weighting."""
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
            raise UsageError(f"be and {clash[0]} are both given; be stands for bes, bel and beo.")
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
                f"the error weights leave out {', '.join(left_out)}. What is left out would not count as an error: "
                "give a formula for each type, or a preset to start from."
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
        raise UsageError(f"{name}={text!r}: the parts sum to {total:g}, not 1. If that is meant, add open=true.")
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
        notes=(f"Brackets contain percent of the errors. {note}",),
    )
