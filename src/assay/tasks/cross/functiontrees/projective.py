"""Dependency trees made projective, as the paper did with its data."""

from __future__ import annotations

import numpy as np

from assay.arrays import Ints, ids_of_runs
from assay.tasks.cross.functiontrees.trees import subtrees


def projectivised(starts: Ints, heads: Ints) -> Ints:
    """The heads, where words of non-projective sentences are lifted to their head's head until all is projective.

    Of the arcs over a word that is not below their head the shortest is lifted first, the leftmost of equal ones.
    """
    crossed = np.unique(ids_of_runs(starts)[subtrees(starts, heads).gapped])
    lifted = heads.copy()
    for sentence in crossed.tolist():
        first, end = int(starts[sentence]), int(starts[sentence + 1])
        own = [head - first if head >= 0 else -1 for head in heads[first:end].tolist()]
        _lift(own)
        lifted[first:end] = [head + first if head >= 0 else -1 for head in own]
    return lifted


def _lift(heads: list[int]) -> None:
    """Lift arcs of one sentence in place."""
    while True:
        crossing = [
            (abs(head - word), word) for word, head in enumerate(heads) if head >= 0 and _leaps(heads, head, word)
        ]
        if not crossing:
            return
        word = min(crossing)[1]
        heads[word] = heads[heads[word]]


def _leaps(heads: list[int], head: int, word: int) -> bool:
    """Whether an arc stands over a word that is not below its head."""
    return any(not _is_below(heads, other, head) for other in range(min(head, word) + 1, max(head, word)))


def _is_below(heads: list[int], word: int, head: int) -> bool:
    """Whether a word is below another."""
    while word >= 0 and word != head:
        word = heads[word]
    return word == head
