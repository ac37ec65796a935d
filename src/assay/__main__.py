"""`python -m assay`."""

from assay.cli import run

run()
