"""Words in pictures: names that fit, and numbers as the paper's tables write them."""

from __future__ import annotations

import math
import unicodedata

from assay.render.text import DASH, visible
from assay.result.posteriors import Estimate, Posterior, Thirds

_UNWRITABLE = dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")
_LONGEST = 32
OUTCOMES = ("a", "equal", "b")


def short(name: str, longest: int = _LONGEST) -> str:
    """A name from data that any XML and any font engine can take, cut between letters where it is long."""
    text, room = visible(name).translate(_UNWRITABLE), longest
    for place, letter in enumerate(text):
        room -= _columns(letter)
        if room < 0:
            return text[:place].rstrip() + "…"
    return text


def _columns(letter: str) -> int:
    # Accents, joiners and signs of direction take no room; Chinese and Japanese letters that of two.
    if unicodedata.category(letter) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def pair_title(posterior: Posterior) -> str:
    """The names of a pair and their measure."""
    return f"{short(posterior.a)} and {short(posterior.b)}: {short(posterior.measure)}"


def share(value: float | None) -> str:
    """A share with three digits and no zero before the point."""
    return DASH if value is None or math.isnan(value) else f"{value:.3f}".removeprefix("0")


def largest(shares: Thirds) -> str:
    """Which of the three is the largest: `a`, `equal` or `b`; ties as in the model, A first."""
    return max(OUTCOMES, key=lambda name: -1.0 if getattr(shares, name) is None else getattr(shares, name))


class Unit:
    """How differences of a measure are written: in points where scores are fractions, else as they are."""

    def __init__(self, posterior: Posterior) -> None:
        scores = [score for row in posterior.by_data_set for score in (row.a, row.b)]
        points = bool(scores) and all(0 <= score <= 1 for score in scores)
        self.scale = 100.0 if points else 1.0
        self.name = "points" if points else f"units of {short(posterior.measure)}"
        # Enough decimals to show the region of equality or, without one, the largest difference.
        sizes = [posterior.rope] if posterior.rope else [abs(row.difference) for row in posterior.by_data_set]
        size = self.scale * max(filter(math.isfinite, sizes), default=0.0)
        self.digits = min(max(2, math.ceil(-math.log10(size)) + 1), 6) if size > 0 else 2

    def __call__(self, value: float) -> str:
        """A difference with its sign; a true minus, and none on zero."""
        text = self.bare(abs(value))
        return text if float(text) == 0 else ("+" if value > 0 else "−") + text

    def bare(self, value: float) -> str:
        """A width, which has no sign."""
        return f"{self.scale * value:.{self.digits}f}"

    def estimate(self, estimate: Estimate) -> str:
        """A mean and its interval."""
        return f"{self(estimate.mean)} [{self(estimate.low)}, {self(estimate.high)}]"
