"""Randomised splits that are the same on every platform and with every version of Python."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import InputError

ALGORITHM = "assay-split/1"
"""Changes when the same seed would give other splits."""
SCHEMES = ("folds", "random")


@dataclass(frozen=True)
class Design:
    """How data are split: repetitions of k folds, or as many plain random splits."""

    folds: int = 10
    repetitions: int = 1
    dev: bool = True
    by: str = "sentence"
    scheme: str = "folds"
    seed: int = 0

    @property
    def runs_per_repetition(self) -> int:
        """How many splits one repetition gives."""
        return self.folds if self.scheme == "folds" else 1

    @property
    def told(self) -> str:
        """In words."""
        splits = (
            f"{self.repetitions} × {self.folds} folds" if self.scheme == "folds" else f"{self.repetitions} splits"
        )
        return f"{splits}, {self.parts} by {self.by}, seed {self.seed}"

    @property
    def parts(self) -> str:
        """The sizes of train, development and test part in per cent."""
        part = 100 / self.folds
        return f"{100 - 2 * part:.3g}/{part:.3g}/{part:.3g}" if self.dev else f"{100 - part:.3g}/{part:.3g}"


@dataclass(frozen=True)
class Split:
    """The units (sentences or documents) of each part, in the order of the file."""

    train: tuple[int, ...]
    dev: tuple[int, ...]
    test: tuple[int, ...]


def order(seed: int, name: str, repetition: int, units: int) -> list[int]:
    """The units of a data set in an order that only these numbers decide.

    Each unit is placed by a hash of seed, name, repetition and its own number, as libraries' ways to shuffle
    change with their versions.
    """

    def key(unit: int) -> bytes:
        return hashlib.sha256(json.dumps([ALGORITHM, seed, name, repetition, unit]).encode()).digest()

    return sorted(range(units), key=lambda unit: (key(unit), unit))


def folds_of(shuffled: Sequence[int], folds: int) -> list[list[int]]:
    """Cut into folds whose sizes differ by at most 1, the larger ones first."""
    size, more = divmod(len(shuffled), folds)
    ends = [(number + 1) * size + min(number + 1, more) for number in range(folds)]
    return [sorted(shuffled[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def made_split(design: Design, name: str, repetition: int, fold: int, units: int) -> Split:
    """One of the splits of a data set of so many units; repetitions and folds count from 1."""
    check_size(design, name, units)
    shuffled = order(design.seed, name, repetition, units)
    if design.scheme == "random":
        return _random(shuffled, design)
    return split_of_folds(folds_of(shuffled, design.folds), fold, design.dev)


def split_of_folds(folds: Sequence[Sequence[int]], fold: int, dev: bool) -> Split:
    """Test on one fold, develop on the one after it, train on the rest."""
    test = fold - 1
    development = (test + 1) % len(folds) if dev else test
    rest = [unit for number, part in enumerate(folds) if number not in (test, development) for unit in part]
    return Split(tuple(sorted(rest)), tuple(folds[development]) if dev else (), tuple(folds[test]))


def _random(shuffled: Sequence[int], design: Design) -> Split:
    """Gorman and Bedrick's way: the first eight tenths train, one tenth dev, the rest test."""
    tenth = len(shuffled) // design.folds
    first = len(shuffled) * (design.folds - 1 - design.dev) // design.folds
    second = first + tenth * design.dev
    train, dev, test = shuffled[:first], shuffled[first:second], shuffled[second:]
    return Split(tuple(sorted(train)), tuple(sorted(dev)), tuple(sorted(test)))


def check_size(design: Design, name: str, units: int) -> None:
    """Every part must hold something."""
    if units < design.folds:
        raise InputError(
            f"{name}: {units} {design.by}s cannot be cut into {design.folds} folds. Take fewer folds"
            + (', or split by = "sentence".' if design.by == "document" else ".")
        )


def run_seed(seed: int, name: str, repetition: int, fold: int) -> int:
    """The seed that systems get for a run: the same for all of them."""
    text = json.dumps(["assay-seed/1", seed, name, repetition, fold])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
