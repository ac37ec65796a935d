"""Parsers of different frameworks compared through function trees, each against its own gold and all golds."""

from __future__ import annotations

from assay.crossframework.compare import cross
from assay.crossframework.enrich import enrich

__all__ = ["cross", "enrich"]
