"""Known names: the texts of spans in training data, or a list of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.corpus import Column, Corpus
from assay.engine.lexicon import KNOWN, Lexicon
from assay.engine.spanpairs import surface_forms
from assay.formats.schemes import looks_like_tags
from assay.formats.source import Source, expand


def known_names(path: str, training: Callable[[], Corpus], *, fold: bool = False) -> Lexicon:
    """The texts of spans: from a plain list, one per line, or of training data, read where it is no list."""
    key: Callable[[str], str] = str.casefold if fold else str
    files = expand(path)
    if len(files) == 1 and _is_list_of_names(files[0]):
        lines = (" ".join(line.split()) for batch in Source(files[0]).batches() for _, line in batch.lines())
        return Lexicon(path, dict(Counter(key(line) for line in lines if line)), None, fold)
    corpus = training()
    assert corpus.spans is not None
    forms = [key(form) for form in surface_forms(corpus)]
    labelled = frozenset(zip(forms, corpus.spans.labels.strings(), strict=True))
    return Lexicon(path, dict(Counter(forms)), labelled, fold)


def mark_spans(lexicon: Lexicon, corpus: Corpus, name: str) -> Corpus:
    """The corpus with a column `name` of its spans: seen, unseen, or seen with other labels only."""
    spans = corpus.spans
    assert spans is not None
    forms = [form.casefold() if lexicon.fold else form for form in surface_forms(corpus)]
    seen = np.array([form in lexicon.frequency for form in forms], dtype=np.int32)
    if lexicon.labels is not None:
        pairs = zip(forms, spans.labels.strings(), strict=True)
        seen[np.array([pair not in lexicon.labels for pair in pairs], dtype=bool) & (seen > 0)] = 2
    known = Column(seen, KNOWN)
    return replace(corpus, spans=replace(spans, columns={**spans.columns, name: known}))


def _is_list_of_names(path: str) -> bool:
    """Lines without tabs or other marks of a format."""
    head = [line for line in Source(path).head() if line.strip()]
    widths = {len(line.split()) for line in head}
    # In a table all lines have as many columns, and the last is a tag.
    table = len(widths) == 1 and widths != {1} and looks_like_tags(line.split()[-1] for line in head)
    return not table and not any("\t" in line or line.lstrip()[:1] in "{[<" for line in head)
