"""Which task a file shows by its first lines, so that no other task need be loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.corpus import Corpus
from assay.errors import UsageError
from assay.formats import Input, contains_items, contains_records, refuse_plain, schemes
from assay.formats.columns import ROLES
from assay.formats.entities import ENTITY
from assay.formats.links import is_link_column
from assay.formats.roles import HEADS, SPANS, has_predicate

if TYPE_CHECKING:
    from assay.engine.options import Options


def recognise(item: Input | Corpus, options: Options) -> set[str]:
    """The tasks that a file may be for, besides words with labels."""
    if contains_items(item):
        return {"items"}
    if contains_records(item):
        return {"records"}
    if isinstance(item, Corpus):
        layers = {*item.marks, *(("constituents",) if item.trees is not None else ())}
        layers |= {"links"} if any(map(is_link_column, item.columns)) else set()
        # As by its first lines, what has events and no relations is there for its events.
        layers -= {"relations"} if "events" in layers and not len(item.marks.get("relations", ())) else set()
    else:
        refuse_plain(item)
        layers = set(item.plan.layers)
        form = item.plan.name
        # CoNLL-2012 is there for chains, and may be asked for its roles.
        if form == "conll09":
            roles = any(has_predicate(form, cells) for cells in item.plan.values(ROLES))
        else:
            roles = form in (*HEADS, *SPANS) and "mentions" not in layers
        layers |= {"arcs"} if roles else set()
    found = {"spans"} if shows_spans(item, options) else set()
    found |= {"coreference"} if "mentions" in layers else set()
    if options.column is None:
        if {"relations", "links"} <= layers and not (options.link_column or options.link_field):
            raise UsageError(
                f"{item.name}: contains relations and links. Choose what to compare: --task relations or --task links"
            )
        found |= layers & {"constituents", "relations", "links", "events"}
        found |= {"graphs"} if "arcs" in layers else set()
    return found | ({"links"} if options.link_column or options.link_field else set())


def shows_spans(gold: Input | Corpus, options: Options) -> bool:
    """True if a file has spans, or a column of tags that stand for spans, as far as the first lines show."""
    asked = options.column_of("gold")
    if isinstance(gold, Corpus):
        if "spans" in gold.marks:
            # If there are columns too, spans are compared only if there are any.
            return len(gold.spans) > 0 or not gold.columns
        columns = [gold.columns[asked]] if asked and asked in gold.columns else [*gold.columns.values()]
        return len(columns) == 1 and schemes.looks_like_tags(columns[0].counts())
    if "spans" in gold.plan.layers or asked == ENTITY:
        return True
    names = [asked] if asked else [] if has_named_columns(gold) else gold.plan.labels[-1:]
    cells = [gold.plan.values(part) for name in names for part in name.split("+")]
    # If the first lines have nothing but O, what follows are tags of spans as well.
    return any(map(mostly_tags, cells))


def mostly_tags(values: Sequence[str]) -> bool:
    """True for a column of tags of spans; the reader reports those that are misspelt."""
    others = [value for value in values if value != "O"]
    good = sum(schemes.looks_like_tags([value]) for value in others)
    return bool(values) and 2 * good >= len(others)


def has_named_columns(item: Input) -> bool:
    """True if columns have a meaning of their own, so that the last one is not the one to look at."""
    return item.plan.name in ("conllu", "conllx")
