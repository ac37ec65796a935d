"""The relations that were accepted of several systems, as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import Ints
from assay.corpus import SPANS, Corpus, Marks
from assay.engine.combined import join_spans
from assay.engine.prepare import Run
from assay.formats.relations import SYMMETRIC
from assay.tasks.relations.pairs import relations_of


def with_relations(base: Corpus, run: Run, accepted: Sequence[Ints]) -> Corpus:
    """The corpus with the relations that were accepted of each system, and the spans that they need."""
    # In a pair relations refer to its spans, which know their numbers in the corpus.
    ends = [pair.system.spans.where(pair.marks[SPANS][1].number) for _, pair in run.pairs]
    relations = [relations_of(pair)[1] for _, pair in run.pairs]
    spans, place = join_spans(ends)
    shifts = np.cumsum([0, *(len(one) for one in ends)])
    parts = [
        replace(
            Marks.without_place(own.unit[rows], own.labels.where(rows)),
            arguments={role: place[at[rows] + shift] for role, at in own.arguments.items()},
            columns={SYMMETRIC: own.columns[SYMMETRIC].where(rows)},
        )
        for own, rows, shift in zip(relations, accepted, shifts, strict=False)
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.followed_by(part)
    return base.with_marks(spans=spans, arguments=spans, relations=whole)
