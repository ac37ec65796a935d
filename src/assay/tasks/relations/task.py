"""The task of relations between spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from assay.align import Pair
from assay.arrays import Floats, Ints, distinct_rows
from assay.corpus import Marks
from assay.engine.confidences import rank_marks
from assay.engine.items import Items
from assay.engine.lexicon import code_attribute, find_bands
from assay.engine.matching import Matches
from assay.engine.slices import SliceKind, Values
from assay.engine.spanpairs import piece_places, spans_of
from assay.engine.task import Annotators, Task
from assay.errors import UsageError
from assay.tasks.relations import measures
from assay.tasks.relations.combined import with_relations
from assay.tasks.relations.drawing import DRAWING
from assay.tasks.relations.matching import match_relations
from assay.tasks.relations.pairs import choose_relations, ends_of, is_undirected, number_arguments, relations_of
from assay.tasks.relations.prepare import REACHED, prepare_relations
from assay.tasks.relations.tables import UNTYPED, finish_relations, present_relations, sum_by_types

DEFAULTS = ("relations(match=strict)", "relations(match=boundary)", "relations(match=overlap)")
DISTANCES = ((0, "0"), (3, "1-3"), (10, "4-10"))
NUMBERS = ((1, "1"), (3, "2-3"))


def _of_sides(pair: Pair, items: Items, spec: str, value: Callable[[int, Marks, Marks], Ints]) -> Ints:
    """A value of each relation, gold's or a spurious one, from its side, the spans and the relations there."""
    if "relations" not in pair.marks or items.partner is None:
        raise UsageError(f"--slice {spec} is for relations, but none are compared. Give --task relations")
    (gold, system), spans = relations_of(pair), spans_of(pair)
    return items.of_sides(value(0, spans[0], gold), value(1, spans[1], system))


def _distance(pair: Pair, side: int, spans: Marks, relations: Marks) -> Ints:
    corpus = (pair.gold, pair.system)[side]
    own = corpus.spans.where(spans.number)
    # The first word of each span and the one after its last, counted over all of the corpus.
    if corpus.texts is None:
        begin, end = corpus.starts[own.unit] + own.begin, corpus.starts[own.unit] + own.end
    else:
        firsts, lasts, before = piece_places(corpus.texts)
        begin = np.searchsorted(lasts, before[own.unit] + own.begin, side="right")
        end = np.searchsorted(firsts, before[own.unit] + own.end, side="left")
    between = ends_of(relations, begin).max(axis=0) - ends_of(relations, end).min(axis=0)
    return np.where(between < 0, 0, 1 + find_bands(between, DISTANCES))


def _relation_slice(
    name: str, help_: str, value: Callable[[Pair, int, Marks, Marks], Ints], names: Sequence[str]
) -> SliceKind:
    """A slice by a value of relations, from the pair, the side, and the spans and the relations there."""

    def of_items(pair: Pair, items: Items, _: str) -> Values:
        return _of_sides(pair, items, name, partial(value, pair)), tuple(names)

    return SliceKind(name, help_, of_items=of_items)


def _types(spec: str, *roles: str) -> Callable[[Pair, Items, str], Values]:
    """The slice by the types of the arguments with these roles."""

    def types(pair: Pair, items: Items, _: str) -> Values:
        def value(side: int, spans: Marks, relations: Marks) -> Ints:
            codes = [spans.label[relations.arguments[role]].astype(np.int64) for role in roles]
            return codes[0] if len(codes) == 1 else codes[0] * len(spans.labels.vocabulary) + codes[1]

        used, codes = np.unique(_of_sides(pair, items, spec, value), return_inverse=True)
        names = [name or UNTYPED for name in spans_of(pair)[0].labels.vocabulary]
        rows = [divmod(code, len(names)) if len(roles) == 2 else (code,) for code in used.tolist()]
        return codes.astype(np.int64), tuple(" ".join(names[code] for code in row) for row in rows)

    return types


def _shared_argument(pair: Pair, side: int, spans: Marks, relations: Marks) -> Ints:
    typed = number_arguments(pair, types=True)[side]
    ends, own = (np.sort(ends_of(rows, typed), axis=0) for rows in (choose_relations(pair)[side], relations))
    group = distinct_rows(np.concatenate([ends, own], axis=1).T)[1]
    same_pair = np.bincount(group[: ends.shape[1]], minlength=len(group) + 1)[group[ends.shape[1] :]]
    # A span joined with itself is one argument.
    once = ends[0] != ends[1]
    uses = np.bincount(np.concatenate([ends[0], ends[1][once]]), minlength=int(typed.max(initial=0)) + 1)
    shared = (uses[own[0]] > 1) | (uses[own[1]] > 1)
    return np.where(same_pair > 1, 0, np.where(shared, 1, 2))


def _nested(_: Pair, side: int, spans: Marks, relations: Marks) -> Ints:
    (head, tail), (head_end, tail_end) = ends_of(relations, spans.begin), ends_of(relations, spans.end)
    around, inside = (head <= tail) & (tail_end <= head_end), (tail <= head) & (head_end <= tail_end)
    return np.where(around | inside, 1, 0)


def _argument_found(pair: Pair, items: Items, _: str) -> Values:
    _of_sides(pair, items, REACHED, lambda side, spans, relations: relations.label)
    return code_attribute(pair, items, REACHED)


SLICES = (
    _relation_slice(
        "distance",
        "words between the arguments of a relation",
        _distance,
        ("overlapping", *(name for _, name in DISTANCES), "over 10"),
    ),
    _relation_slice(
        "sentences",
        "arguments in one sentence, in neighbouring ones, further apart",
        lambda _, side, spans, relations: np.asarray(np.minimum(np.ptp(ends_of(relations, spans.unit), axis=0), 2)),
        ("within one", "neighbouring", "further apart"),
    ),
    SliceKind("head-type", "type of a relation's head", of_items=_types("head-type", "head"), by_number=True),
    SliceKind("tail-type", "type of a relation's tail", of_items=_types("tail-type", "tail"), by_number=True),
    SliceKind(
        "types", "types of a relation's head and tail", of_items=_types("types", "head", "tail"), by_number=True
    ),
    _relation_slice(
        "symmetric",
        "relations with or without direction",
        lambda _, side, spans, relations: is_undirected(relations).astype(np.int64),
        ("with direction", "without direction"),
    ),
    _relation_slice(
        "nested",
        "arguments side by side, or one inside the other",
        _nested,
        ("side by side", "one inside the other"),
    ),
    _relation_slice(
        "relations-in-sentence",
        "number of relations in the sentence",
        lambda pair, side, spans, relations: find_bands(
            np.bincount(choose_relations(pair)[side].unit, minlength=pair.gold.sentences)[relations.unit], NUMBERS
        ),
        (*(name for _, name in NUMBERS), "over 3"),
    ),
    _relation_slice(
        "shared-argument",
        "relations that share both arguments with another (EPO), one of them (SEO), or none",
        _shared_argument,
        ("both (EPO)", "one (SEO)", "none"),
    ),
    SliceKind(
        REACHED,
        "arguments of a relation that some system has as spans (of a spurious one: that gold has)",
        of_items=_argument_found,
    ),
)


def _match_strictly(pair: Pair) -> tuple[Matches, Floats]:
    """The strict matches of relations, and how sure the system is of each of its own."""
    sides = choose_relations(pair)
    return match_relations(pair, sides).matches(1, 2), sides[1].scores


TASK = Task(
    name="relations",
    combined=with_relations,
    noun="relation",
    measures=(measures,),
    defaults=DEFAULTS,
    agreement=(*DEFAULTS, "fair-relations", "relation-kappa"),
    annotators=Annotators(by_place=True),
    prepare=prepare_relations,
    options=("train", "oov_fold_case", "only_annotated", "repair", "missing", "labels", "ignore_labels", "min_score"),
    slices=SLICES,
    drawing=DRAWING,
    matched=True,
    traits=("rivals",),
    text_unit="",
    combination={"relations(match=strict)": "sets"},
    present=present_relations,
    sums=sum_by_types,
    finish=finish_relations,
    confident=lambda run: rank_marks(run.pairs, _match_strictly),
)
