"""The task of relations between spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import Ints, distinct_rows
from assay.engine.items import Items
from assay.engine.slices import SliceKind, Values
from assay.engine.spanpairs import Side, piece_places
from assay.engine.task import Task
from assay.errors import UsageError
from assay.tasks.relations import measures
from assay.tasks.relations.drawing import DRAWING
from assay.tasks.relations.pairs import RelationList, RelationPair
from assay.tasks.relations.prepare import holds_relations, prepare_relations
from assay.tasks.relations.tables import UNTYPED, finish, present, sums

DEFAULTS = ("relations(match=strict)", "relations(match=boundary)", "relations(match=overlap)")
DISTANCES = ((0, "0"), (3, "1-3"), (10, "4-10"))
NUMBERS = ((1, "1"), (3, "2-3"))


def _sided(
    pair: Pair, judged: Items, spec: str, values: Callable[[RelationPair, int, RelationList, Side], Ints]
) -> Ints:
    """A value of each relation: of gold's, for a spurious one of the system's."""
    layer = pair.layer(RelationPair)
    if layer is None or judged.partner is None:
        raise UsageError(f"--slice {spec} is about relations, but none are compared. Say --task relations")
    sides = ((layer.gold, layer.spans.gold), (layer.system, layer.spans.system))
    gold, system = (values(layer, number, rows, side) for number, (rows, side) in enumerate(sides))
    return judged.of_sides(gold, system)


def _words(side: Side) -> tuple[Ints, Ints]:
    """The first word of each span and the one behind its last, counted over all of the corpus."""
    spans, corpus = side.corpus.spans, side.corpus
    assert spans is not None
    begin, end, sentence = spans.begin[side.index], spans.end[side.index], spans.sentence[side.index]
    if corpus.texts is None:
        return corpus.starts[sentence] + begin, corpus.starts[sentence] + end
    firsts, lasts, before = piece_places(corpus.texts)
    return (
        np.searchsorted(lasts, before[sentence] + begin, side="right"),
        np.searchsorted(firsts, before[sentence] + end, side="left"),
    )


def _distance(pair: Pair, judged: Items, _: str) -> Values:
    uppers = np.array([upper for upper, _ in DISTANCES])

    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        begin, end = _words(side)
        between = np.maximum(begin[rows.head], begin[rows.tail]) - np.minimum(end[rows.head], end[rows.tail])
        return np.where(between < 0, 0, 1 + np.searchsorted(uppers, between, side="left"))

    names = ("overlapping", *(name for _, name in DISTANCES), "over 10")
    return _sided(pair, judged, "distance", values), names


def _sentences(pair: Pair, judged: Items, _: str) -> Values:
    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        return np.asarray(np.minimum(np.abs(side.sentence[rows.head] - side.sentence[rows.tail]), 2))

    return _sided(pair, judged, "sentences", values), ("within one", "neighbouring", "further apart")


def _types(pair: Pair, judged: Items, spec: str, ends: Sequence[str]) -> Values:
    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        codes = [side.spans.label[getattr(rows, end)] for end in ends]
        return np.asarray(codes[0] if len(codes) == 1 else codes[0] * len(layer.spans.labels) + codes[1])

    found = _sided(pair, judged, spec, values)
    layer = pair.layer(RelationPair)
    assert layer is not None
    types = [name or UNTYPED for name in layer.spans.labels]
    used, codes = np.unique(found, return_inverse=True)
    if len(ends) == 1:
        names = [types[code] for code in used.tolist()]
    else:
        names = [f"{types[code // len(types)]} {types[code % len(types)]}" for code in used.tolist()]
    return codes.astype(np.int64), tuple(names)


def _head_type(pair: Pair, judged: Items, _: str) -> Values:
    return _types(pair, judged, "head-type", ("head",))


def _tail_type(pair: Pair, judged: Items, _: str) -> Values:
    return _types(pair, judged, "tail-type", ("tail",))


def _both_types(pair: Pair, judged: Items, _: str) -> Values:
    return _types(pair, judged, "types", ("head", "tail"))


def _symmetric(pair: Pair, judged: Items, _: str) -> Values:
    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        labels = {*layer.symmetric, *layer.asked}
        return np.array([label in labels for label in layer.labels] or [False])[rows.label].astype(np.int64)

    return _sided(pair, judged, "symmetric", values), ("with direction", "without direction")


def _nested(pair: Pair, judged: Items, _: str) -> Values:
    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        begin, end = side.spans.begin, side.spans.end
        around = (begin[rows.head] <= begin[rows.tail]) & (end[rows.tail] <= end[rows.head])
        inside = (begin[rows.tail] <= begin[rows.head]) & (end[rows.head] <= end[rows.tail])
        return np.where(around | inside, 1, 0)

    return _sided(pair, judged, "nested", values), ("side by side", "one inside the other")


def _distinct(layer: RelationPair, number: int) -> RelationList:
    return layer.chosen("+".join(sorted(layer.asked)))[number]


def _in_sentence(pair: Pair, judged: Items, _: str) -> Values:
    uppers = np.array([upper for upper, _ in NUMBERS])

    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        sizes = np.bincount(_distinct(layer, number).sentence, minlength=pair.gold.sentences)
        return np.searchsorted(uppers, sizes[rows.sentence], side="left")

    names = (*(name for _, name in NUMBERS), "over 3")
    return _sided(pair, judged, "relations-in-sentence", values), names


def _shared_argument(pair: Pair, judged: Items, _: str) -> Values:
    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        distinct, typed = _distinct(layer, number), layer.typed[number]
        ends = np.sort(np.stack([typed[distinct.head], typed[distinct.tail]]), axis=0)
        own = np.sort(np.stack([typed[rows.head], typed[rows.tail]]), axis=0)
        group = distinct_rows(np.concatenate([ends, own], axis=1).T)[1]
        same_pair = np.bincount(group[: ends.shape[1]], minlength=len(group) + 1)[group[ends.shape[1] :]]
        # A span joined with itself is one argument.
        once = ends[0] != ends[1]
        uses = np.bincount(np.concatenate([ends[0], ends[1][once]]), minlength=int(typed.max(initial=0)) + 1)
        shared = (uses[own[0]] > 1) | (uses[own[1]] > 1)
        return np.where(same_pair > 1, 0, np.where(shared, 1, 2))

    names = ("both (EPO)", "one (SEO)", "none")
    return _sided(pair, judged, "shared-argument", values), names


def _argument_found(pair: Pair, judged: Items, _: str) -> Values:
    def values(layer: RelationPair, number: int, rows: RelationList, side: Side) -> Ints:
        if number == 0 and layer.reached is not None:
            return 2 - layer.reached
        found = layer.found[number]
        return 2 - found[rows.head].astype(np.int64) - found[rows.tail]

    return _sided(pair, judged, "argument-found", values), ("both", "one", "none")


SLICES = (
    SliceKind("distance", "words between the arguments of a relation", of_items=_distance),
    SliceKind("sentences", "arguments in one sentence, in neighbouring ones, further apart", of_items=_sentences),
    SliceKind("head-type", "type of a relation's head", of_items=_head_type, by_number=True),
    SliceKind("tail-type", "type of a relation's tail", of_items=_tail_type, by_number=True),
    SliceKind("types", "types of a relation's head and tail", of_items=_both_types, by_number=True),
    SliceKind("symmetric", "relations with or without direction", of_items=_symmetric),
    SliceKind("nested", "arguments side by side, or one inside the other", of_items=_nested),
    SliceKind("relations-in-sentence", "number of relations in the sentence", of_items=_in_sentence),
    SliceKind(
        "shared-argument",
        "relations that share both arguments with another (EPO), one of them (SEO), or none",
        of_items=_shared_argument,
    ),
    SliceKind(
        "argument-found",
        "arguments of a relation that some system has as spans (of a spurious one: that gold has)",
        of_items=_argument_found,
    ),
)


TASK = Task(
    name="relations",
    noun="relation",
    spelling={"ehealth-kd": "eHealth-KD"},
    measures=(measures,),
    defaults=DEFAULTS,
    agreement=(*DEFAULTS, "fair-relations", "relation-kappa"),
    prepare=prepare_relations,
    recognises=lambda item, options: options.column is None and holds_relations(item),
    options=("train", "oov_fold_case", "only_annotated", "repair", "missing", "labels", "ignore_labels"),
    slices=SLICES,
    drawing=DRAWING,
    matched=True,
    rivals=True,
    text_unit="",
    present=present,
    sums=sums,
    finish=finish,
)
