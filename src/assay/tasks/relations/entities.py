"""Facts: relations between entities, each of which has one mention or several, and which entities correspond."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, distinct_rows
from assay.corpus import Marks
from assay.engine.matching import Steps, best_pairs, one_to_one, ranges
from assay.engine.spanpairs import spans_of
from assay.formats.relations import SYMMETRIC
from assay.tasks.relations.pairing import relation_columns
from assay.tasks.relations.pairs import TOLD, ends_of, first_of_each, number_arguments, relations_of

ENTITIES = ("all", "any", "first")
"""Ways to pair entities: by all their mentions, by any of them, by the first."""


def match_facts(pair: Pair, entities: str) -> tuple[tuple[Marks, Marks], Steps]:
    """The facts of gold and of a system, each once, between first mentions, and the matching of them.

    `entities` says how entities are paired: by the same set of mentions and type (`all`), by any mention, as many
    pairs as can be and then as many shared mentions (`any`), or by the `first` mention.
    """
    spans, places, typed = spans_of(pair), number_arguments(pair, types=False), number_arguments(pair, types=True)
    sides = []
    """The entity of each span, in the order of first mentions, and the first mention of each entity."""
    for side, alone in zip((spans.gold, spans.system), typed, strict=True):
        own = alone
        if side.group is not None:
            # What is in no entity is one by its place and type.
            own = np.where(side.group == NONE, alone + int(side.group.max(initial=-1)) + 1, side.group)
        # Spans are in text order, so that the first of each is its first mention.
        _, first, entity = np.unique(own, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        sides.append((np.argsort(order)[entity], first[order]))
    (gold_of, gold_first), (system_of, system_first) = sides
    mentions = [distinct_rows(np.stack([of, place], axis=1))[0] for (of, _), place in zip(sides, places, strict=True)]
    partner = np.full(len(system_first), NONE)
    """Gold's entity for each of the system's."""
    if entities == "any":
        # Entities that share mentions, and how many.
        theirs = mentions[1][np.argsort(mentions[1][:, 1], kind="stable")]
        one, other = ranges(*(np.searchsorted(theirs[:, 1], mentions[0][:, 1], side) for side in ("left", "right")))
        rows, _, shared = distinct_rows(np.stack([mentions[0][one, 0], theirs[other, 0]], axis=1))
        chosen = best_pairs(rows[:, 0], rows[:, 1], shared, most=True)
        partner[rows[chosen, 1]] = rows[chosen, 0]
    else:
        keys = [places[0][gold_first], places[1][system_first]]
        if entities == "all":
            signatures: dict[tuple[bytes, int], int] = {}
            for number, (side, first) in enumerate(((spans.gold, gold_first), (spans.system, system_first))):
                own = np.ascontiguousarray(mentions[number][:, 1])
                starts = np.searchsorted(mentions[number][:, 0], np.arange(len(first) + 1)).tolist()
                types = side.label[first].tolist()
                keys[number] = np.array(
                    [
                        signatures.setdefault((own[begin:end].tobytes(), label), len(signatures))
                        for begin, end, label in zip(starts, starts[1:], types, strict=False)
                    ],
                    dtype=np.int64,
                )
        ours = one_to_one(keys[0], keys[1])
        partner[ours[ours != NONE]] = np.flatnonzero(ours != NONE)
    facts = []
    for relations, side, (of, first) in zip(relations_of(pair), (spans.gold, spans.system), sides, strict=True):
        free = relations.columns[SYMMETRIC].codes == TOLD
        ends = ends_of(relations, of)
        head, tail = first[np.where(free, np.sort(ends, axis=0), ends)]
        unit = np.minimum(side.unit[head], side.unit[tail])
        fact = replace(relations, arguments={"head": head, "tail": tail}, unit=unit)
        facts.append(fact.where(first_of_each(fact.label, head, tail)))
    # An entity without a partner is like none of gold's.
    free = [fact.columns[SYMMETRIC].codes == TOLD for fact in facts]
    steps = Steps(len(facts[0]), len(facts[1]))
    steps.by_columns(0, *relation_columns((facts[0], facts[1]), (gold_of, partner[system_of]), (free[0], free[1])))
    return (facts[0], facts[1]), steps
