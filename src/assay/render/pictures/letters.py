"""Words in pictures: how wide they are, how they are cut, and numbers as the paper's tables write them."""

from __future__ import annotations

import math
import unicodedata

from assay.render.text import DASH, visible
from assay.result.posteriors import Estimate, Posterior, Thirds

_NARROW = frozenset("iljtfrI.,:;'!|()[]{}/\\ -`\"")
_BROAD = frozenset("mwMWQOGD@%—…≈⪅⪆")
_TURNING = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"}
_UNWRITABLE = dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")


def clean(text: str) -> str:
    """Text from data that any XML and any font engine can take: controls as pictures, half characters replaced."""
    return visible(text).translate(_UNWRITABLE)


def isolated(name: str) -> str:
    """A name to stand within a sentence: one that runs from right to left must not turn its neighbours round."""
    if any(unicodedata.bidirectional(letter) in _TURNING for letter in name):
        return f"\u2068{name}\u2069"
    return name


def width_of(text: str, size: float, bold: bool = False) -> float:
    """How wide a text will be at most, in the wider of the usual fonts."""
    return sum(map(_em, text)) * size * (1.14 if bold else 1)


def is_mark(letter: str) -> bool:
    """Whether a letter takes no room of its own: accents, joiners, signs of direction."""
    return unicodedata.category(letter) in ("Cf", "Mn", "Me")


def is_wide(letter: str) -> bool:
    """Whether a letter fills a square, as in Chinese and Japanese."""
    return unicodedata.east_asian_width(letter) in ("W", "F")


def _em(letter: str) -> float:
    if is_mark(letter):
        return 0
    if is_wide(letter):
        return 1.05
    if letter in _NARROW:
        return 0.38
    if letter in _BROAD:
        return 0.95
    return 0.7 if letter.isupper() else 0.62


def fitted(text: str, size: float, room: float, bold: bool = False) -> str:
    """The text, or as much of it as there is room for and an ellipsis."""
    if width_of(text, size, bold) <= room:
        return text
    end = len(text)
    while end and width_of(text[:end].rstrip() + "…", size, bold) > room:
        end -= 1
    # Marks that belong to the letter cut off must not hang on the one before.
    while end and end < len(text) and is_mark(text[end]):
        end -= 1
    return text[:end].rstrip() + "…"


def share(value: float | None) -> str:
    """A share with three digits and no zero before the point."""
    if value is None or math.isnan(value):
        return DASH
    return f"{value:.3f}".removeprefix("0")


def thirds(posterior: Posterior, shares: Thirds) -> str:
    """Three shares in words."""
    a, b = isolated(posterior.a), isolated(posterior.b)
    equal = "" if shares.equal is None else f"practically equal {share(shares.equal)}, "
    return f"{a} better {share(shares.a)}, {equal}{b} better {share(shares.b)}"


def largest(shares: Thirds) -> str:
    """Which of the three is the largest: `a`, `equal` or `b`; ties as in the model, A first."""
    rows = [("a", shares.a), ("equal", shares.equal), ("b", shares.b)]
    return max(((name, value) for name, value in rows if value is not None), key=lambda row: row[1])[0]


def turned(shares: Thirds) -> Thirds:
    """The same with A and B changed over."""
    return Thirds(shares.b, shares.equal, shares.a)


class Unit:
    """How differences of a measure are written: in points where scores are fractions, else as they are."""

    def __init__(self, posterior: Posterior) -> None:
        scores = [score for row in posterior.by_data_set for score in (row.a, row.b)]
        self.points = bool(scores) and all(0 <= score <= 1 for score in scores)
        self.scale = 100.0 if self.points else 1.0
        self.name = "points" if self.points else f"units of {posterior.measure}"
        self.digits = _digits(posterior, self.scale)

    def __call__(self, value: float) -> str:
        """A difference with its sign; a true minus, and none on zero."""
        if math.isnan(value):
            return DASH
        text = f"{abs(self.scale * value):.{self.digits}f}"
        return text if float(text) == 0 else ("+" if value > 0 else "−") + text

    def bare(self, value: float) -> str:
        """A width, which has no sign."""
        return f"{self.scale * value:.{self.digits}f}"

    def estimate(self, estimate: Estimate) -> str:
        """A mean and its interval."""
        return f"{self(estimate.mean)} [{self(estimate.low)}, {self(estimate.high)}]"


def _digits(posterior: Posterior, scale: float) -> int:
    """Enough decimals to show the region of equality or, without one, the largest difference."""
    sizes = [posterior.rope] if posterior.rope else [abs(row.difference) for row in posterior.by_data_set]
    size = scale * max(sizes, default=0.0)
    return min(max(2, math.ceil(-math.log10(size)) + 1), 6) if size > 0 else 2
