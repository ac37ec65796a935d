"""Arcs found in the text again, for examples and pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from assay.arrays import NONE, Ints, as_codes, numbers_of_runs
from assay.engine.drawing import Drawing, Judged, Layers
from assay.engine.items import Items
from assay.engine.judgements import Judgements
from assay.engine.pagetexts import Rows
from assay.engine.prepare import Run
from assay.engine.texts import Shown
from assay.result import ExampleArcs
from assay.tasks.dependencies.arcs import ELSEWHERE, MISSING


def _has_arcs(judged: Judged) -> bool:
    return all(rows.heads is not None for _, rows in judged)


def _example(run: Run, items: Items, judged: Judged, sentence: int) -> dict[str, Any]:
    return {"arcs": tuple(_trees(run, judged, sentence))} if _has_arcs(judged) else {}


def _layers(run: Run, items: Items, judged: Judged, shown: Shown) -> Layers:
    """Heads and relations, where the measure is about heads."""
    if not _has_arcs(judged):
        return (), None, ()
    return ("gold", *(name for name, _ in judged)), _arcs(run, judged, shown), ()


def _trees(run: Run, judged: Judged, sentence: int) -> Iterator[ExampleArcs]:
    """Gold's tree of a sentence and those of the systems, over gold's words."""
    heads = run.gold.heads
    assert heads is not None
    first, end = int(run.gold.starts[sentence]), int(run.gold.starts[sentence + 1])
    ours = judged[0][1]
    rows = np.flatnonzero((ours.sentence == sentence) & (ours.gold != NONE))
    given = {int(ours.item[row]): _label(ours, int(ours.gold[row])) for row in rows}
    labels = tuple(given.get(word, "") for word in range(first, end))
    yield ExampleArcs("gold", tuple(_place(head, first) for head in heads[first:end].tolist()), labels)
    for name, judgements in judged:
        assert judgements.heads is not None
        rows = np.flatnonzero((judgements.sentence == sentence) & (judgements.gold != NONE))
        answers = dict(zip(judgements.item[rows].tolist(), rows.tolist(), strict=True))
        chosen = [answers.get(word) for word in range(first, end)]
        yield ExampleArcs(
            name,
            tuple(MISSING if row is None else _place(int(judgements.heads[row]), first) for row in chosen),
            tuple("" if row is None else _label(judgements, int(judgements.system[row])) for row in chosen),
        )


def _place(head: int, first: int) -> int:
    return head - first if head >= 0 else head


def _label(judgements: Judgements, code: int) -> str:
    return "" if code == NONE else judgements.labels[code]


def _arcs(run: Run, judged: Judged, shown: Shown) -> Rows:
    """Heads and relations word by word; a head is a place in the sentence, below 0: root, elsewhere, missing."""
    gold = run.gold
    assert gold.heads is not None
    lengths = np.diff(gold.starts)[shown.chosen]
    words = numbers_of_runs(gold.starts[shown.chosen], lengths)
    first, beyond = (np.repeat(gold.starts[shown.chosen + end], lengths) for end in (0, 1))
    known: dict[str, int] = {}
    columns: dict[str, Ints] = {}
    ours = judged[0][1]
    sides = [(ours, None, ours.gold), *((rows, rows.heads, rows.system) for _, rows in judged)]
    for side, (rows, answers, relations) in enumerate(sides):
        there = np.flatnonzero(rows.gold != NONE)
        heads, labels = gold.heads, np.full(len(gold), NONE)
        if answers is not None:
            heads = np.full(len(gold), MISSING)
            heads[rows.item[there]] = answers[there]
        labels[rows.item[there]] = _recoded(rows.labels, known)[relations[there]]
        columns[f"heads/{side}"] = _local(heads[words], first, beyond)
        columns[f"relations/{side}"] = labels[words]
    text = np.repeat(np.arange(len(lengths)), lengths)
    return Rows(text, columns, tuple(name for name in columns if name.startswith("relations")), tuple(known))


def _recoded(labels: Iterable[str], known: dict[str, int]) -> Ints:
    return np.append(as_codes(labels, known), NONE)


def _local(heads: Ints, first: Ints, beyond: Ints) -> Ints:
    """Heads as places in their sentence; where a system cuts sentences otherwise, one may lie in another."""
    inside = (heads >= first) & (heads < beyond)
    return np.where(inside, heads - first, np.where(heads >= 0, ELSEWHERE, heads))


ARCS = Drawing("arcs", layers=_layers, example=_example)
