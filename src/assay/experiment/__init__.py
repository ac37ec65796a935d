"""Cross-validation over external programs: splits, runs, and a store that an interruption cannot harm.

from assay import experiment
progress = experiment.run("demo.toml", jobs=2)
table = experiment.export("demo.toml")
"""

from __future__ import annotations

from assay.experiment.exchange import export, import_measurements
from assay.experiment.pairs import export_pairs
from assay.experiment.plan import Experiment, read_plan
from assay.experiment.progress import Progress, status
from assay.experiment.run import run
from assay.experiment.splitfiles import write_splits

__all__ = [
    "Experiment",
    "Progress",
    "export",
    "export_pairs",
    "import_measurements",
    "read_plan",
    "run",
    "status",
    "write_splits",
]
