"""Numbers become places, and round numbers become ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Scale:
    """From numbers between `low` and `high` to pixels between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a number."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def within(self, value: float) -> float:
        """The pixel of a number or, where it lies outside, the end next to it."""
        return self.at(min(max(value, self.low), self.high))

    def ticks(self, about: int = 5) -> list[float]:
        """Round numbers, about so many."""
        step = _step((self.high - self.low) / about)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def _step(least: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(part * power for part in (1, 2, 5, 10) if part * power >= least * (1 - 1e-9))


def tick_label(value: float, ticks: list[float]) -> str:
    """A tick with as many decimals as the distance of ticks asks for, and a true minus."""
    apart = min((abs(b - a) for a, b in pairwise(ticks)), default=1.0)
    digits = max(0, -math.floor(math.log10(apart) + 1e-9))
    text = f"{abs(value):.{digits}f}"
    return text if value >= 0 or float(text) == 0 else f"−{text}"
