"""The task of links."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import Floats, Ints
from assay.corpus import Corpus, Marks
from assay.engine.confidences import rank_marks
from assay.engine.drawing import draw_spans
from assay.engine.items import Items
from assay.engine.lexicon import code_attribute, find_bands
from assay.engine.matching import Matches
from assay.engine.slices import SliceKind, Values
from assay.engine.spanpairs import count_words
from assay.engine.task import Annotators, Task
from assay.errors import UsageError
from assay.tasks.links import measures
from assay.tasks.links.mentions import TYPE, is_nil, links_of, match_links
from assay.tasks.links.prepare import AMBIGUOUS, prepare_links
from assay.tasks.links.tables import count_outcomes, finish_links, present_links

_MEANINGS = {
    "wrong-id": "wrong-id: another identifier",
    "wrong-rank": "wrong-rank: the right identifier is a later candidate",
    "nil-wrong": "nil-wrong: NIL, but gold has an identifier",
    "nil-linked": "nil-linked: an identifier, but gold has NIL",
    "boundary": "boundary: the right identifier at an overlapping place",
    "boundary-wrong-id": "boundary-wrong-id: another identifier at an overlapping place",
    "missed": "missed: not found",
    "spurious": "spurious: gold does not have it",
}
"""Outcomes of links in words."""
LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (5, "4-5"))


def _links_of(pair: Pair, items: Items, spec: str) -> tuple[Marks, Marks]:
    if "links" not in pair.marks or not items.kinds:
        raise UsageError(f"--slice {spec} is for links, but none are compared. Give --task links")
    return links_of(pair)


def _link_slice(name: str, help_: str, value: Callable[[Corpus, Marks], Ints], names: Sequence[str]) -> SliceKind:
    def of_items(pair: Pair, items: Items, _: str) -> Values:
        ours, theirs = _links_of(pair, items, name)
        return items.of_sides(value(pair.gold, ours), value(pair.system, theirs)), tuple(names)

    return SliceKind(name, help_, of_items=of_items)


def _type(pair: Pair, items: Items, _: str) -> Values:
    ours, theirs = (side.columns[TYPE] for side in _links_of(pair, items, "type"))
    return items.of_sides(ours.codes, theirs.codes), tuple(name or "(none)" for name in ours.vocabulary)


def _ambiguous(pair: Pair, items: Items, _: str) -> Values:
    _links_of(pair, items, AMBIGUOUS)
    return code_attribute(pair, items, AMBIGUOUS)


SLICES = (
    _link_slice(
        "nil",
        "mentions of something with an identifier, or without (links)",
        lambda _, side: is_nil(side).astype(np.int64),
        ("with an identifier", "NIL"),
    ),
    SliceKind("type", "type of the mention (links)", of_items=_type, by_number=True),
    _link_slice(
        "mention-length",
        "number of words of the mention (links)",
        lambda corpus, side: find_bands(count_words(corpus, side), LENGTHS),
        (*(name for _, name in LENGTHS), "over 5"),
    ),
    SliceKind(
        AMBIGUOUS,
        "surface with one or several identifiers in --train, or in gold without --train (links)",
        of_items=_ambiguous,
        counts="surfaces",
    ),
)


def _match_strictly(pair: Pair) -> tuple[Matches, Floats]:
    """The strict matches of links, and how sure the system is of its first candidate of each."""
    _, system, steps = match_links(pair, "strict")
    candidates, mentions = pair.marks["candidates"][1], links_of(pair)[1]
    if not len(candidates.scores):
        return steps.matches(1, 2), mentions.scores[system] if len(mentions.scores) else mentions.scores
    scores = np.full(len(mentions), np.nan)
    # The first of each mention is written last.
    scores[candidates.arguments["mention"][::-1]] = candidates.scores[::-1]
    return steps.matches(1, 2), scores[system]


TASK = Task(
    name="links",
    noun="link",
    measures=(measures,),
    defaults=("links", "fair-links", "link-accuracy", "link-mentions"),
    agreement=("links", "links(match=overlap)", "fair-links", "link-mentions"),
    annotators=Annotators(("link-kappa",), by_place=True),
    prepare=prepare_links,
    options=(
        *("train", "link_column", "link_field", "id_prefix", "same_ids", "min_score", "id_url", "blank_tag"),
        *("scheme", "repair", "missing"),
    ),
    slices=SLICES,
    drawing=draw_spans("spans", _MEANINGS),
    matched=True,
    combination={"fair-links": "given"},
    no_combination="defined only if systems link given mentions",
    text_unit="",
    present=present_links,
    sums=count_outcomes,
    finish=finish_links,
    confident=lambda run: rank_marks(run.pairs, _match_strictly),
)
