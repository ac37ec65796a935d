"""The task of links."""

from __future__ import annotations

import numpy as np

from assay.align import Pair
from assay.engine.drawing import span_drawing
from assay.engine.items import Items
from assay.engine.lexicon import attribute
from assay.engine.slices import SliceKind, Values
from assay.engine.task import Task
from assay.errors import UsageError
from assay.tasks.links import measures
from assay.tasks.links.mentions import LinkPair
from assay.tasks.links.prepare import AMBIGUOUS, prepare_links, shows_links
from assay.tasks.links.tables import finish, numbers, present

LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (5, "4-5"))


def _links_of(pair: Pair, judged: Items, spec: str) -> LinkPair:
    links = pair.layer(LinkPair)
    if links is None or not judged.kinds:
        raise UsageError(f"--slice {spec} is about links, but none are compared. Say --task links")
    return links


def _nil(pair: Pair, judged: Items, _: str) -> Values:
    links = _links_of(pair, judged, "nil")
    ours, theirs = links.gold.nil.astype(np.int64), links.system.nil.astype(np.int64)
    return judged.of_sides(ours, theirs), ("with an identifier", "NIL")


def _type(pair: Pair, judged: Items, _: str) -> Values:
    links = _links_of(pair, judged, "type")
    names = tuple(name or "(none)" for name in links.types)
    return judged.of_sides(links.gold.types, links.system.types), names


def _length(pair: Pair, judged: Items, _: str) -> Values:
    spans = _links_of(pair, judged, "mention-length").spans
    uppers = np.array([upper for upper, _ in LENGTHS])
    words = judged.of_sides(spans.gold.words, spans.system.words)
    return np.searchsorted(uppers, words, side="left"), (*(name for _, name in LENGTHS), "over 5")


def _ambiguous(pair: Pair, judged: Items, _: str) -> Values:
    _links_of(pair, judged, "ambiguous")
    return attribute(pair, judged, AMBIGUOUS)


SLICES = (
    SliceKind("nil", "mentions of something with an identifier, or without (links)", of_items=_nil),
    SliceKind("type", "type of the mention (links)", of_items=_type, by_number=True),
    SliceKind("mention-length", "number of words of the mention (links)", of_items=_length),
    SliceKind(
        AMBIGUOUS,
        "surface with one or several identifiers in --train, else in gold (links)",
        of_items=_ambiguous,
        counts="surfaces",
    ),
)

TASK = Task(
    name="links",
    noun="link",
    measures=(measures,),
    defaults=("links", "fair-links", "link-accuracy", "link-mentions"),
    agreement=("links", "links(match=overlap)", "fair-links", "link-mentions"),
    agreement_where_defined=("link-kappa",),
    prepare=prepare_links,
    recognises=shows_links,
    options=(
        *("train", "link_column", "link_field", "id_prefix", "same_ids", "min_score", "id_url", "blank_tag"),
        *("scheme", "repair", "missing"),
    ),
    slices=SLICES,
    drawing=span_drawing(all_count=True),
    matched=True,
    text_unit="",
    present=present,
    sums=numbers,
    finish=finish,
)
