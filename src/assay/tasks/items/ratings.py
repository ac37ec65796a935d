"""The items of all annotators, with a label from each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.corpus import SEVERAL
from assay.corpus.items import LABEL, ItemTable
from assay.corpus.ratings import EMPTY_SET, Ratings
from assay.engine.prepare import Run


def rate_items(run: Run, names: Sequence[str], column: str) -> Ratings:
    """The labels that annotators, by name, give to the items; an item without a label has no rating."""
    table, ids = run.gold.layers[ItemTable], run.gold.sentence_ids
    items: list[str] = []
    annotators: list[str] = []
    labels: list[str] = []
    for name, corpus in zip(names, (run.gold, *(pair.system for _, pair in run.pairs)), strict=True):
        rated = np.flatnonzero(~corpus.layers[ItemTable].missing).tolist()
        items += [ids[item] for item in rated]
        annotators += [name] * len(rated)
        labels += [corpus.column(LABEL)[item] or EMPTY_SET for item in rated]
    made = Ratings.of(items, annotators, labels, order=table.order, names=ids, raters=names)
    members = None
    if run.decided.kind == "sets":
        members = tuple(frozenset(label.split(SEVERAL)) - {EMPTY_SET} for label in made.labels)
    texts = [*table.texts.values()]
    return replace(
        made,
        members=members,
        unit=run.gold.unit_of_sentence(run.unit),
        units=run.gold.names_of_units(run.unit),
        unit_noun=run.unit if run.unit != "sentence" else "item",
        columns=table.metadata,
        text_of=lambda item: " ‖ ".join(part[item] for part in texts),
    )
