"""Systems compared over many runs and data sets: the table of measurements, regions of equivalence, posteriors."""

from __future__ import annotations

from assay.bayesian.compare import bayes

__all__ = ["bayes"]
