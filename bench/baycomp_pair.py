"""baycomp's hierarchical test on one simulated pair, 4,000 draws. Run: baycomp_pair.py FOLDER ROPE REPETITIONS

Stan compiles the model on first use and keeps it; the first of the two fits here is not counted.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np

# In the peers' environment alone.
baycomp = import_module("baycomp")


def cpu() -> float:
    """CPU seconds of this process and those it waited for, among them Stan's."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Two fits, the second timed; baycomp keeps a sample in the working directory, so each has one of its own."""
    folder, rope, repetitions = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    x, y = (np.loadtxt(folder / f"sim_mid_{side}.csv", delimiter=",") for side in "xy")
    shares: tuple[float, ...] = ()
    before = 0.0
    for _ in range(2):
        before = cpu()
        with tempfile.TemporaryDirectory() as here:
            os.chdir(here)
            shares = baycomp.HierarchicalTest.probs(x, y, rope=rope, runs=repetitions, nsamples=1000)
            os.chdir("/")
    print(json.dumps({"cpu": cpu() - before, "shares": [float(share) for share in shares]}))


main()
