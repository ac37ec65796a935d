"""Parsers of different frameworks compared through function trees, each against its own gold and all golds."""

from __future__ import annotations

from assay.tasks.cross.compare import cross
from assay.tasks.cross.written import common_gold, enrich

__all__ = ["common_gold", "cross", "enrich"]
