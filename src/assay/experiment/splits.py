"""Randomised splits, made or read from a file: the same on every platform and with every version of Python."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError, describe_os_error

ALGORITHM = "assay-split/1"
"""Its number changes if the same seed gives other splits."""
SCHEMA = "assay-splits/1"
SCHEMES = ("folds", "random")


@dataclass(frozen=True)
class Design:
    """A way to split data: repetitions of k folds, or as many plain random splits."""

    folds: int = 10
    repetitions: int = 1
    dev: bool = True
    by: str = "sentence"
    scheme: str = "folds"
    seed: int = 0
    stratify: bool = False
    """True if each fold gets the same share of every label."""

    @property
    def noun(self) -> str:
        """The word for the things that are split, in the plural."""
        return f"values of {self.by.removeprefix('meta:')}" if self.by.startswith("meta:") else f"{self.by}s"

    @property
    def runs_per_repetition(self) -> int:
        """Number of splits in a repetition."""
        return self.folds if self.scheme == "folds" else 1

    @property
    def description(self) -> str:
        """The design in words, with the sizes of train, development and test part in percent."""
        many = f"{self.repetitions} × {self.folds} folds" if self.scheme == "folds" else f"{self.repetitions} splits"
        part = 100 / self.folds
        sizes = f"{100 - 2 * part:.3g}/{part:.3g}/{part:.3g}" if self.dev else f"{100 - part:.3g}/{part:.3g}"
        return f"{many}, {sizes} by {self.by}{', stratified' * self.stratify}, seed {self.seed}"


@dataclass(frozen=True)
class Parts:
    """The units (sentences or documents) of each part of a split, in the order of the file."""

    train: tuple[int, ...]
    dev: tuple[int, ...]
    test: tuple[int, ...]


def split_name(repetition: int, fold: int) -> str:
    """Name of a split, in messages and of its folder."""
    return f"r{repetition:02}-f{fold:02}"


def shuffle_units(seed: int, name: str, repetition: int, units: int) -> list[int]:
    """The units of a data set, shuffled.

    They are sorted by a hash of seed, name, repetition and unit, because the ways in which libraries shuffle change
    with their versions.
    """
    texts = (json.dumps([ALGORITHM, seed, name, repetition, unit]) for unit in range(units))
    keys = [hashlib.sha256(text.encode()).digest() for text in texts]
    return sorted(range(units), key=lambda unit: (keys[unit], unit))


def run_seed(seed: int, name: str, repetition: int, fold: int) -> int:
    """The seed that all systems get for a run."""
    text = json.dumps(["assay-seed/1", seed, name, repetition, fold])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def check_size(design: Design, name: str, units: int) -> None:
    """Raise InputError if a part would be empty."""
    if units < design.folds:
        raise InputError(
            f"{name}: {units} {design.noun} cannot be divided into {design.folds} folds. Use fewer folds"
            + (', or split by = "sentence".' if design.by == "document" else ".")
        )


def make_split(
    design: Design, name: str, repetition: int, fold: int, units: int, labels: Sequence[str] = ()
) -> Parts:
    """One of the splits of a data set; repetitions and folds count from 1, `labels` are for stratify."""
    check_size(design, name, units)
    shuffled, folds = shuffle_units(design.seed, name, repetition, units), design.folds
    if design.stratify:
        # Units of one label after another are dealt to the folds like cards.
        shuffled.sort(key=lambda unit: labels[unit])
        return _make_split_of_folds([sorted(shuffled[number::folds]) for number in range(folds)], fold, design.dev)
    if design.scheme == "random":
        # Gorman and Bedrick's way: the first eight tenths train, one tenth dev, the rest test.
        first = units * (folds - 1 - design.dev) // folds
        second = first + units // folds * design.dev
        parts = (shuffled[:first], shuffled[first:second], shuffled[second:])
        return Parts(*(tuple(sorted(part)) for part in parts))
    # Sizes of folds differ by at most 1, the larger ones first.
    size, more = divmod(units, folds)
    ends = [number * size + min(number, more) for number in range(folds + 1)]
    return _make_split_of_folds([sorted(shuffled[start:end]) for start, end in pairwise(ends)], fold, design.dev)


def _make_split_of_folds(folds: Sequence[Sequence[int]], fold: int, dev: bool) -> Parts:
    """Test on one fold, develop on the one after it, train on the rest."""
    test = fold - 1
    development = (test + 1) % len(folds) if dev else test
    rest = [unit for number, part in enumerate(folds) if number not in (test, development) for unit in part]
    return Parts(tuple(sorted(rest)), tuple(folds[development]) if dev else (), tuple(folds[test]))


# --- files of splits ---


def read_design(path: str, name: str) -> Design:
    """The design of a file of splits."""
    content = _read_file(path)
    if content["dataset"] != name:
        raise InputError(f"{path}: contains the splits of {content['dataset']}, not of {name}.")
    plain = {key: content[key] for key in ("folds", "dev", "by", "scheme", "seed")}
    return Design(**plain, repetitions=len(content["splits"]), stratify=content.get("stratify") is True)


def read_split(path: str, sha256: str, units: int, repetition: int, fold: int) -> Parts:
    """One split from its file; InputError if the file is about other data."""
    content = _read_file(path)
    if content["data"]["sha256"] != sha256:
        raise InputError(f"{path}: was made for different data (the checksum differs). Make the splits again.")
    row = content["splits"][repetition - 1]
    if content["scheme"] == "random":
        split = Parts(tuple(row["train"]), tuple(row["dev"]), tuple(row["test"]))
    else:
        split = _make_split_of_folds(row["folds"], fold, content["dev"])
    if sorted([*split.train, *split.dev, *split.test]) != list(range(units)):
        raise InputError(f"{path}: repetition {repetition} does not contain each of {units} {content['by']}s once.")
    return split


def _read_file(path: str) -> dict[str, Any]:
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({describe_os_error(error)}).") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is not a file of splits (not JSON).") from None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise InputError(f"{path}: is not a file of splits. `assay experiment splits` writes such files.")
    kinds = {"dataset": str, "seed": int, "scheme": str, "by": str, "folds": int, "dev": bool, "data": dict}
    rows = content.get("splits")
    keys = ("train", "dev", "test") if content.get("scheme") == "random" else ("folds",)
    sound = (
        all(isinstance(content.get(key), kind) for key, kind in kinds.items())
        and content["scheme"] in SCHEMES
        and isinstance(rows, list)
        and len(rows) > 0
        and all(isinstance(row, dict) and all(_are_units(row.get(key)) for key in keys) for row in rows)
    )
    if not sound:
        raise InputError(f"{path}: is damaged. Write it again: assay experiment splits")
    return content


def _are_units(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    return all(_are_units(item) if isinstance(item, list) else isinstance(item, int) for item in value)
