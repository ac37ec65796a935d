"""The reference cases of a comparison over many runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CASES = Path(__file__).parents[2] / "data" / "statistics"
REFERENCE: dict[str, Any] = json.loads((CASES / "reference.json").read_text("utf-8"))
PAIRS: dict[str, Any] = REFERENCE["pairs"]
SIMULATED = tuple(name for name in PAIRS if name.startswith("sim_"))
MEASURED = tuple(name for name in PAIRS if name.startswith("acc_"))

Rows = list[NDArray[np.float64]]


def simulated(name: str) -> Rows:
    """Differences y - x of a simulated pair, a row for each data set."""
    x, y = (np.loadtxt(CASES / f"{name}_{side}.csv", delimiter=",") for side in "xy")
    return list(y - x)


def accuracies(folder: Path) -> dict[str, NDArray[np.float64]]:
    """Data sets × runs of each classifier."""
    blocks: dict[str, list[list[float]]] = {}
    for line in (folder / "accuracies.txt").read_text("utf-8").splitlines():
        fields = line.split()
        if len(fields) == 1:
            block = blocks.setdefault(fields[0], [])
        elif fields:
            block.append([float(field) for field in fields[-100:]])
    return {name: np.array(rows) for name, rows in blocks.items()}


def differences(name: str, shared_data: Callable[[str], Path]) -> Rows:
    """Differences y - x of any pair of the reference."""
    if name in SIMULATED:
        return simulated(name)
    blocks = accuracies(shared_data("statistics-accuracies"))
    given = PAIRS[name]["input"]
    return list(blocks[given["y_block"]] - blocks[given["x_block"]])
