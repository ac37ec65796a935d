"""Parsers of different frameworks compared through function trees, each against its own gold and all golds."""

from __future__ import annotations

from assay.crossframework.compare import cross
from assay.crossframework.enrich import enrich
from assay.crossframework.written import common_gold

__all__ = ["common_gold", "cross", "enrich"]
