"""Dependency trees in the text, for examples and pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.arrays import NONE, Ints, as_codes, numbers_of_runs
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Tables
from assay.engine.texts import Rows, Shown
from assay.engine.treebanks import ELSEWHERE, MISSING
from assay.result import ExampleArcs


def _example(run: Run, items: Items, tables: Tables, sentence: int) -> dict[str, Any]:
    """Gold's tree of a sentence and those of the systems, over gold's words."""
    if items.target is None:
        return {}
    first, end = int(run.gold.starts[sentence]), int(run.gold.starts[sentence + 1])
    arcs = tuple(
        ExampleArcs(
            name,
            tuple(_places(heads[first:end], first, end).tolist()),
            tuple("" if code == NONE else labels[code] for code in relations[first:end].tolist()),
        )
        for name, heads, relations, labels in _sides(run, tables)
    )
    return {"arcs": arcs}


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """Heads and relations; nothing if the measure does not compare heads."""
    if items.target is None:
        return Layers()
    return Layers(("gold", *(name for name, _ in tables)), arcs=_arcs(run, tables, shown))


def _sides(run: Run, tables: Tables) -> Iterator[tuple[str, Ints, Ints, tuple[str, ...]]]:
    """Name of each side, the head of each gold word there, the code of its relation, and the names of relations."""
    gold, first = run.gold, tables[0][1]
    assert gold.heads is not None
    for name, items in [("gold", first), *tables]:
        rows = np.flatnonzero(items.gold != NONE)
        heads, relations = gold.heads, np.full(len(gold), NONE)
        relations[items.item[rows]] = (items.gold if name == "gold" else items.answer[0])[rows]
        if name != "gold":
            assert items.target is not None
            heads = np.full(len(gold), MISSING)
            heads[items.item[rows]] = items.target[0, rows]
        yield name, heads, relations, items.labels


def _places(heads: Ints, first: Ints | int, beyond: Ints | int) -> Ints:
    """Places of heads in their sentences; ELSEWHERE for a head in another sentence, if sentences differ."""
    inside = (heads >= first) & (heads < beyond)
    return np.where(inside, heads - first, np.where(heads >= 0, ELSEWHERE, heads))


def _arcs(run: Run, tables: Tables, shown: Shown) -> Rows:
    """Heads and relations by word; a head is a place in the sentence, or below 0: root, elsewhere, missing."""
    starts = run.gold.starts
    lengths = np.diff(starts)[shown.chosen]
    words = numbers_of_runs(starts[shown.chosen], lengths)
    first, beyond = (np.repeat(starts[shown.chosen + end], lengths) for end in (0, 1))
    codes: dict[str, int] = {}
    columns: dict[str, Ints] = {}
    for side, (_, heads, relations, labels) in enumerate(_sides(run, tables)):
        columns[f"heads/{side}"] = _places(heads[words], first, beyond)
        columns[f"relations/{side}"] = np.append(as_codes(labels, codes), NONE)[relations[words]]
    text = np.repeat(np.arange(len(lengths)), lengths)
    return Rows(text, columns, tuple(name for name in columns if name.startswith("relations")), tuple(codes))


ARCS = Drawing("arcs", layers=_layers, example=_example)
