"""Cross-validation over external programs: splits, runs, and a store that an interruption cannot harm.

from assay import experiment
progress = experiment.run("demo.toml", jobs=2)
table = experiment.export("demo.toml")
"""

from __future__ import annotations

from assay.experiment.data import write_splits
from assay.experiment.plan import Experiment, read_plan
from assay.experiment.run import ExperimentProgress, status
from assay.experiment.run import run_plan as run
from assay.experiment.tables import export, export_pairs, import_measurements

__all__ = [
    "Experiment",
    "ExperimentProgress",
    "export",
    "export_pairs",
    "import_measurements",
    "read_plan",
    "run",
    "status",
    "write_splits",
]
