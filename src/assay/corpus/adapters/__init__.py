"""Data of other libraries, told by their shape and made a Corpus; none of those libraries is imported."""

from __future__ import annotations

from typing import Any

from assay.corpus import Corpus
from assay.corpus.adapters.documents import from_spacy, is_doc
from assay.corpus.adapters.frames import from_frame, is_frame, table_text
from assay.corpus.adapters.predictions import from_predictions

__all__ = [
    "corpus_of",
    "from_frame",
    "from_predictions",
    "from_spacy",
    "is_doc",
    "is_foreign",
    "is_frame",
    "table_text",
]


def is_foreign(given: Any) -> bool:
    """Whether this is one text of another library: a data frame, a spaCy Doc, or a list of Docs."""
    return is_frame(given) or is_doc(given) or (isinstance(given, list | tuple) and bool(given) and is_doc(given[0]))


def corpus_of(given: Any, name: str) -> Corpus:
    """The corpus in what `is_foreign`."""
    return from_frame(given, name=name) if is_frame(given) else from_spacy(given, name=name)
