"""Predictions of Hugging Face models, token by token: arrays of ids or scores, with -100 where no word is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.arrays import Array, Ints
from assay.errors import InputError

IGNORED = -100
"""The id of a position that is not to be judged: padding, special tokens, all but the first piece of a word."""

Labels = Mapping[Any, str] | Sequence[str]
"""What ids stand for: `model.config.id2label`, or a list of names."""
Sentences = list[list[Any]]


def from_predictions(
    predictions: Any, label_ids: Any, id2label: Labels | None = None, *, words: Any = None
) -> tuple[Sentences, Sentences]:
    """Gold's and the system's labels, sentence by sentence, as `score` takes them.

    `predictions` are ids, or a score for each label, of which the highest counts; of a tuple of outputs the first is
    taken. Where `label_ids` is -100 both sides are left out, and so are sentences of nothing else. With `words`, a
    list for each sentence, labels become (word, label) pairs.
    """
    outputs, golds = _first(predictions, 3), _first(label_ids, 2)
    if len(outputs) != len(golds):
        raise InputError(f"predictions: {len(outputs):,} sentences where label_ids have {len(golds):,}.")
    if words is not None and len(words) != len(golds):
        raise InputError(f"words: {len(words):,} sentences where label_ids have {len(golds):,}.")
    named = _names(id2label)
    gold: Sentences = []
    system: Sentences = []
    for number, (output, given) in enumerate(zip(outputs, golds, strict=True)):
        ids = _array(given)
        kept = ids != IGNORED
        answers = _answers(_array(output), kept, number)
        if not kept.any():
            continue
        right = [named(label, f"label_ids, sentence {number + 1}") for label in ids[kept].tolist()]
        found = [named(label, f"predictions, sentence {number + 1}") for label in answers.tolist()]
        gold.append(right if words is None else _paired(words[number], right, number))
        system.append(found if words is None else _paired(words[number], found, number))
    if not gold:
        raise InputError(f"label_ids: every label is {IGNORED}, so there is nothing to judge.")
    return gold, system


def _first(given: Any, dimensions: int) -> Any:
    """The first of several outputs, which a model may give as a tuple; else what is given."""
    several = isinstance(given, tuple) and given and np.ndim(_array(given[0])) == dimensions
    return given[0] if several else given


def _array(given: Any) -> Array:
    """An array, also from a tensor that lies on another device."""
    return np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)


def _answers(output: Array, kept: Array, number: int) -> Ints:
    """The predicted ids of the positions that are judged."""
    place = f"predictions, sentence {number + 1}"
    if len(output) != len(kept):
        raise InputError(f"{place}: {len(output)} positions where label_ids have {len(kept)}.")
    chosen = output[kept]
    if chosen.ndim == 2:
        if np.isnan(chosen).any():
            raise InputError(f"{place}: scores that are no numbers (nan). Has the training diverged?")
        return np.asarray(chosen.argmax(axis=-1))
    if chosen.ndim != 1 or (len(chosen) and not np.issubdtype(chosen.dtype, np.integer)):
        raise InputError(f"{place}: neither ids (whole numbers) nor a score for each label.")
    return chosen


def _names(id2label: Labels | None) -> Callable[[int, str], str]:
    if id2label is None:
        return lambda label, _: str(label)
    pairs = id2label.items() if isinstance(id2label, Mapping) else enumerate(id2label)
    # Read from JSON, the ids are texts.
    known = {int(key): str(text) for key, text in pairs}

    def named(label: int, place: str) -> str:
        if label not in known:
            raise InputError(f"{place}: the id {label} is not in id2label, which has {len(known)} labels.")
        return known[label]

    return named


def _paired(words: Sequence[str], labels: Sequence[str], number: int) -> list[tuple[str, str]]:
    if len(words) != len(labels):
        raise InputError(
            f"words, sentence {number + 1}: {len(words)} words where {len(labels)} positions have a label. "
            "Was the sentence cut short for the model?"
        )
    return list(zip(words, labels, strict=True))
