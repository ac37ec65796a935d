"""How a task's items are found in the text again: for examples, and for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import NONE, Ints

if TYPE_CHECKING:
    from assay.engine.examples import Drawn
    from assay.engine.items import Items
    from assay.engine.judgements import Judgements
    from assay.engine.options import Options
    from assay.engine.pagetexts import Rows
    from assay.engine.prepare import Run
    from assay.engine.texts import Shown

Judged = Sequence[tuple[str, "Judgements"]]
"""The judgements of each system, by name."""
Places = tuple[Ints, Ints, Mapping[int, Any]]
"""The first word and the end of each item in its text, and the stretches of those with gaps."""
Layers = tuple[tuple[str, ...], "Rows | None", "tuple[Rows, ...]"]
"""What the sides are called, their arcs, or the spans of each."""
Wanted = tuple[tuple[int, int | None], Any, Any]
"""Two systems (or one), a mask of the items wanted, and what kind of change each is."""


def word_places(run: Run, items: Items) -> Places:
    """Items that are words."""
    begin = np.where(items.owner == NONE, items.item - run.gold.starts[items.sentence], 0)
    return begin, begin + 1, {}


@dataclass(frozen=True)
class Drawing:
    """What examples and pages show of a task beside the words and what is said of them."""

    kind: str = "tags"
    """What the page and the terminal draw: tags, arcs, spans, trees, chains, units."""
    places: Callable[[Run, Items], Places] = word_places
    layers: Callable[[Run, Items, Judged, Shown], Layers] = lambda run, items, judged, shown: ((), None, ())
    """The layers of gold and systems in the texts of a page."""
    example: Callable[[Run, Items, Judged, int], Mapping[str, Any]] = lambda run, items, judged, sentence: {}
    """The same in one sentence: fields of an Example."""
    examples: Callable[[Run, Items, Wanted, Options], Iterator[Drawn]] | None = None
    """Examples of single items, where sentences are not what is drawn."""
    unit: str = "sentence"
    """What one text of a page is."""


WORDS = Drawing()
