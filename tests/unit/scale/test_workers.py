"""Pieces of work on the workers of a cluster."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys

import pytest

ARRAYS = """
import json, resource
import numpy as np
import assay
from assay.scale.workers import do_piece

def arrays(count):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(count):
        np.zeros(1 << 20, dtype=np.uint8).fill(1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

arrays(10)
kept = do_piece(arrays, 200, assay.__version__, "")
print(json.dumps({"kept": kept, "after": arrays(200)}))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is one of the GNU C library")
def test_memory_is_kept_while_a_piece_is_worked_on_and_no_longer() -> None:
    # As Dask starts its workers.
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run([sys.executable, "-c", ARRAYS], env=environment, capture_output=True, text=True, check=True)
    faults = json.loads(done.stdout)
    # An array of 1 MB is 256 pages.
    assert faults["kept"] < 3 * 256
    assert faults["after"] > 100 * 256
