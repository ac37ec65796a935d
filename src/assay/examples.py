"""Sentences behind a change or an error, as data that any renderer can show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from assay.changes import KINDS, Items
from assay.errors import UsageError
from assay.judgements import NONE
from assay.prepare import Options, Run
from assay.result import Example, ExampleItem


def examples(run: Run, items: Items, options: Options) -> Iterator[Example]:
    """For each pair of systems (or for a single system) sentences drawn at random, in text order."""
    if not options.examples:
        return
    if options.kind is not None and len(items.systems) < 2:
        raise UsageError("--kind is about changes between two systems; with one system there are only errors.")
    pattern = _pattern(options.change)
    systems = range(len(items.systems))
    pairs: list[tuple[int, int | None]] = [*combinations(systems, 2)] if len(items.systems) > 1 else [(0, None)]
    for a, b in pairs:
        kinds = np.where(items.right[a], -1, 0) if b is None else items.kind(a, b)
        wanted = (kinds >= 0) & _matches(items, a, b, pattern)
        if options.kind is not None and b is not None:
            wanted &= kinds == KINDS.index(options.kind)
        sentences = np.unique(items.sentence[wanted])
        if len(sentences) > options.examples:
            rng = np.random.default_rng([options.seed, a, b or 0])
            sentences = np.sort(rng.choice(sentences, options.examples, replace=False))
        for sentence in sentences.tolist():
            yield _example(run, items, a, b, sentence, wanted, kinds)


def _pattern(change: str | None) -> list[str] | None:
    if change is None:
        return None
    parts = [part.strip() for part in change.replace("->", "→").split("→")]
    if len(parts) not in (2, 3) or not all(parts):
        raise UsageError(f"--change {change!r} should be of the form NN→NE, or gold→NN→NE; * stands for any label.")
    return parts


def _matches(items: Items, a: int, b: int | None, pattern: list[str] | None) -> Any:
    wanted = np.ones(len(items.gold), dtype=bool)
    if pattern is None:
        return wanted
    if b is None:
        columns = [items.gold, items.answers[a]]
        if len(pattern) == 3:
            raise UsageError("--change with one system is gold→assigned, e.g. NN→NE.")
    else:
        columns = [items.gold, items.answers[a], items.answers[b]][3 - len(pattern) :]
    known = {label: code for code, label in enumerate(items.labels)}
    for name, column in zip(pattern, columns, strict=True):
        if name == "∅":
            wanted &= column == NONE
        elif name != "*":
            wanted &= column == known.get(name, NONE - 1)
    return wanted


def _example(run: Run, items: Items, a: int, b: int | None, sentence: int, wanted: Any, kinds: Any) -> Example:
    gold = run.gold
    first, end = int(gold.starts[sentence]), int(gold.starts[sentence + 1])
    shown = np.flatnonzero(wanted & (items.sentence == sentence))
    return Example(
        sentence=gold.sentence_ids[sentence],
        place=gold.place_of_sentence(sentence),
        words=tuple(gold.forms.strings(first, end)),
        a=items.systems[a],
        b=None if b is None else items.systems[b],
        items=tuple(
            ExampleItem(
                position=int(items.word[index]) - first,
                gold=_name(items, items.gold[index]),
                answers={
                    name: _name(items, answers[index])
                    for name, answers in zip(items.systems, items.answers, strict=True)
                },
                kind="error" if b is None else KINDS[int(kinds[index])],
            )
            for index in shown.tolist()
        ),
    )


def _name(items: Items, code: int) -> str | None:
    return None if code == NONE else items.labels[code]
