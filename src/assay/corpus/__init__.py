"""What a file holds: words, labels, spans, trees, chains."""

from assay.corpus.model import (
    KEPT,
    SEVERAL,
    UNITS,
    Chains,
    Column,
    Corpus,
    Multiword,
    Spans,
    Trees,
    from_lists,
    from_spans,
    holds_spans,
    is_pair,
    is_span,
    one_vocabulary,
)

__all__ = [
    "KEPT",
    "SEVERAL",
    "UNITS",
    "Chains",
    "Column",
    "Corpus",
    "Multiword",
    "Spans",
    "Trees",
    "from_lists",
    "from_spans",
    "holds_spans",
    "is_pair",
    "is_span",
    "one_vocabulary",
]
