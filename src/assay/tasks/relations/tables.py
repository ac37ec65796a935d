"""Tables and sentences that only Results about relations have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, groupby

import numpy as np

from assay.arrays import NONE
from assay.engine.items import KINDS, Items, join
from assay.engine.parts import LabelSums, Part, choose_bases, sum_by_label
from assay.engine.prepare import Run
from assay.engine.scores import Settings
from assay.engine.spanpairs import spans_of
from assay.engine.weighting import errors_by_type
from assay.result import Result, Table, kind_title
from assay.tasks.relations.matching import FAIR
from assay.tasks.relations.measures import CAUSES, UNRELATED
from assay.tasks.relations.pairs import ends_of, found_spans, have_both, relations_of

UNTYPED = "(none)"
"""Shown as the type of an argument without one."""
_MEANINGS = (
    "LE: wrong label, DE: head and tail exchanged, TE: wrong type of an argument, BE: wrong boundary, ME: several of "
    "these, FN: missing, FP: spurious."
)
MATRIX = 12
"""Largest number of labels that fit into a terminal."""


def sum_by_types(run: Run, compares: bool) -> Mapping[str, LabelSums]:
    """Outcomes and changes by types of arguments, and numbers of relations that can be found with the systems' spans.

    They belong to the measure that systems are compared on.
    """
    judged = [[(name, measure.judge(pair)) for name, pair in run.pairs] for measure in run.measures]
    firsts = [table[0][1] for table in judged]
    kinds = {number: first.kinds if isinstance(first, Items) else None for number, first in enumerate(firsts)}
    basis, _ = choose_bases(kinds, run.measures)
    if basis is None:
        return {}
    on = str(run.measures[basis])
    tables = [(name, items) for name, items in judged[basis] if isinstance(items, Items)]
    types = [name or UNTYPED for name in spans_of(run.pairs[0][1])[0].labels.vocabulary]
    names = [f"{head} {tail}" for head in types for tail in types]
    pairs_of_types = []
    """Types of the arguments of each relation of gold and of each system, as a place among the names."""
    for _, pair in run.pairs:
        sides = zip(relations_of(pair), spans_of(pair), strict=True)
        ends = [ends_of(relations, spans.label) for relations, spans in sides]
        pairs_of_types.append([head.astype(np.int64) * len(types) + tail for head, tail in ends])
    sums_by_kind: dict[str, LabelSums] = {}
    for (system, items), codes in zip(tables, pairs_of_types, strict=True):
        group = items.of_sides(*codes)
        masks = {name: items.kind[0] == kind for kind, name in enumerate(items.kinds)}
        sums_by_kind[f"types\t{on}\t{system}"] = sum_by_label(names, group, masks)
    if not compares:
        return sums_by_kind
    items = join(tables)
    group = np.zeros(len(items), dtype=np.int64)
    for owner in range(-1, len(tables)):
        rows = items.owner == owner
        group[rows] = pairs_of_types[max(owner, 0)][int(owner != NONE)][items.item[rows]]
    for a, b in combinations(range(len(tables)), 2):
        change = items.change(a, b)
        masks = {name: change == kind for kind, name in enumerate(KINDS)}
        sums_by_kind[f"changes\t{on}\t{tables[a][0]}\t{tables[b][0]}"] = sum_by_label(names, group, masks)
    in_gold = np.flatnonzero(items.has_gold)
    both = [have_both(relations_of(pair)[0], found_spans(pair)[0]) for _, pair in run.pairs]
    reached = np.any(both, axis=0)[items.item[in_gold]]
    right = items.right[:, in_gold].any(axis=0)
    masks = {"gold": in_gold >= 0, "found": reached, "right": right, "both": reached & right}
    sums_by_kind[f"given\t{on}"] = sum_by_label(items.labels, items.gold[in_gold], masks)
    return sums_by_kind


def finish_relations(result: Result, part: Part, settings: Settings) -> Result:
    """Result with the sums by types of arguments, and the upper bound that spans set."""
    tables: list[Table] = []
    keyed = [(key.split("\t"), sums) for key, sums in part.of_task.items()]
    by_types = {names[0]: sums for (kind, _, *names), sums in keyed if kind == "types"}
    tables += [_outcomes_by_types(on, by_types) for (kind, on, *_), _ in keyed if kind == "types"][:1]
    for (kind, on, *names), sums in keyed:
        rows = {label: tuple(numbers.values()) for label, numbers in sums.items()}
        if kind == "changes":
            order = sorted(rows.items(), key=lambda row: (-sum(row[1]), row[0]))
            changes = Table(
                f"Changes by types of arguments: {' → '.join(names)}",
                ("head tail", "corrections", "new errors", "changed errors", "net"),
                tuple((name, *row, row[0] - row[1]) for name, row in order),
                ("text", "count", "count", "count", "net"),
                after="changes",
                pair=(names[0], names[1]),
                short=10,
                notes=(f"On {on}.",),
            )
            tables.append(changes)
        elif kind == "given":
            order = sorted(rows.items(), key=lambda row: (-row[1][0], row[0]))
            whole = tuple(sum(column) for column in zip(*rows.values(), strict=True)) or (0, 0, 0, 0)
            bounds = Table(
                "Upper bound given spans",
                ("label", "gold", "spans found", "right in one", "bound", "bound given spans"),
                tuple(
                    (name, gold, reached, right, _share(right, gold), _share(both, reached))
                    for name, (gold, reached, right, both) in [("overall", whole), *order]
                ),
                ("text", "count", "count", "count", "percent"),
                after="bounds",
                short=12,
                notes=(
                    f"Spans found: relations of gold for which some system has both arguments with the same place "
                    f"and type; the bound given spans is the share of these that some system has right ({on}).",
                ),
            )
            tables.append(bounds)
    return replace(result, tables=tuple(tables))


def _outcomes_by_types(on: str, systems: Mapping[str, LabelSums]) -> Table:
    """Outcomes of one system by the types of arguments, or the F1 of several."""
    gold: dict[str, int] = {}
    for rows in systems.values():
        for types, counts in rows.items():
            gold[types] = max(gold.get(types, 0), sum(counts.values()) - counts["fp"])

    def f1(counts: Mapping[str, int]) -> float:
        hits = counts.get("tp", 0)
        return _share(2 * hits, hits + sum(counts.values()))

    order = sorted(gold, key=lambda types: (-gold[types], types))
    if len(systems) == 1:
        (rows,) = systems.values()
        kinds = next(iter(rows.values()), {})
        shown = [kind for kind in kinds if any(counts[kind] for counts in rows.values())]
        header = ("head tail", "gold", *map(kind_title, shown), "f1")
        body = [(types, gold[types], *(rows[types][kind] for kind in shown), f1(rows[types])) for types in order]
        forms: tuple[str, ...] = ("text", *["count"] * (1 + len(shown)), "percent")
    else:
        header, forms = ("head tail", "gold", *systems), ("text", "count", "percent")
        body = [(types, gold[types], *(f1(rows.get(types, {})) for rows in systems.values())) for types in order]
    return Table(
        f"By types of arguments: {on}",
        header,
        tuple(body),
        forms,
        after="labels",
        short=15,
        notes=("Types of gold's arguments; for spurious relations, types of the system's.",),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


# --- from the rest of a Result ---


def present_relations(result: Result) -> Result:
    """Result with types of errors and their causes, confused labels, and the ceiling that spans set."""
    made = [*_errors(result), *_causes(result), *_ceilings(result), *_confusions(result), *_pairs_of_spans(result)]
    titles = {table.title for table in made}
    kept = [table for table in result.tables if table.title not in titles]
    remarks = {
        "differences": "An error is the same if it has the same label and type.",
        "confusion page": "; ∅: spurious or missing",
        "agreement relation-kappa": "labels, spans given",
    }
    labels = {row.label for row in result.scores if row.label is not None and row.measure == result.measures[0]}
    if any(row.score == "macro-f1" for row in result.scores):
        remarks["scores"] = f"Labels that gold or a system has: {len(labels)}."
    if any(row.measure.startswith("fair-relations") for row in result.confusion):
        remarks["confusion"] = "The diagonal has errors of arguments and direction, row ∅ FP, column ∅ FN."
        remarks["outcomes"] = _MEANINGS
    else:
        remarks["confusion"] = (
            "Here relations are either right or wrong: all errors are FP (row ∅) and FN (column ∅). For wrong "
            "labels, directions and arguments: -m fair-relations"
        )
    return replace(result, tables=(*kept, *made)).with_shown(remarks=remarks)


def _errors(result: Result) -> Iterator[Table]:
    fair = [row for row in result.error_types if row.measure.startswith("fair-relations")]
    table = replace(errors_by_type(fair, FAIR, _MEANINGS), droppable=())
    if result.about.command == "agreement":
        table = replace(table, title="Types of differences", header=("pair", *table.header[1:]), after="agreement")
    yield table


def _causes(result: Result) -> Iterator[Table]:
    if result.about.command == "agreement":
        return
    whole = [row for row in result.counts if row.label is None and row.slice is None and CAUSES[0] in row.counts]
    fields = ("fn", *CAUSES[:2], "fp", *CAUSES[2:])
    yield Table(
        "Missing and spurious relations",
        ("system", "measure", "FN", "argument missing", "not related", "FP", "argument spurious", "spurious"),
        tuple((row.system, row.measure, *(row.counts[name] for name in fields)) for row in whole),
        ("text", "text", "count"),
        words=2,
        after="further scores",
        name="errors",
        notes=("Argument missing, spurious: no span of the other side overlaps an argument of the relation.",),
    )


def _ceilings(result: Result) -> Iterator[Table]:
    given = [row for row in result.scores if row.label is None and row.slice is None]
    values = {(row.measure, row.system, row.score): row for row in given}
    rows = []
    for (measure, system, score), row in values.items():
        if score == "ceiling":
            inner = values[measure, system, "recall"].value
            rows.append((system, [row.value, row.low, row.high], inner, row.value * inner))
    yield Table(
        "What spans allow for",
        ("system", "ceiling", "recall given spans", "recall"),
        tuple(rows),
        ("text", "percent"),
        after="further scores",
        notes=(
            "Ceiling: share of gold's relations for which the system has both arguments with the same place and "
            "type. "
            "Recall is the ceiling times the recall given spans.",
        ),
    )


def _confusions(result: Result) -> Iterator[Table]:
    """Labels of relations with gold's arguments; the others are missing, spurious or in another direction."""
    fair = [row for row in result.confusion if row.measure.startswith("fair-relations")]
    if result.about.command == "agreement":
        return
    for system, group in groupby(fair, key=lambda row: row.system):
        rows = list(group)
        labels = sorted({name for row in rows for name in (row.gold, row.assigned) if name is not None})
        cells, turned = Counter[tuple[str | None, str | None]](), Counter[str | None]()
        for row in rows:
            if row.type in ("tp", "le", "fn", "fp"):
                cells[row.gold, row.assigned] += row.count
            elif row.type == "de":
                turned[row.gold] += row.count
        yield Table(
            f"Labels of {system} between the right arguments",
            ("gold \\ system", *labels, "_", "direction"),
            tuple(
                (gold or "_", *(cells[gold, name] or "·" for name in (*labels, None)), turned[gold] or "·")
                for gold in (*labels, None)
            ),
            ("text", "count"),
            after="confusion",
            minor=len(labels) > MATRIX or result.about.command == "compare",
            notes=(
                "Right ones and wrong labels (TP, LE); _: missing, in row _ spurious. Direction: right except that "
                "head and tail are exchanged.",
            ),
        )


def _pairs_of_spans(result: Result) -> Iterator[Table]:
    """Numbers of pairs of spans that kappa is computed from."""
    if result.about.command != "agreement":
        return
    rows = []
    kappa = [row for row in result.counts if row.measure.startswith("relation-kappa") and row.slice is None]
    unrelated = {(row.measure, row.system): row.counts for row in kappa if row.label == UNRELATED}
    for row in (row for row in kappa if row.label is None):
        number, none = row.counts["gold"], unrelated.get((row.measure, row.system), {"gold": 0, "system": 0})
        rows.append((row.system, number, number - none["gold"], number - none["system"]))
    yield Table(
        "Pairs of spans that both have",
        ("pair", "pairs of spans", "related by the first", "related by the second"),
        tuple(rows),
        ("text", "count"),
        after="agreement",
        notes=(
            "Kappa is computed over ordered pairs of spans in one sentence that both annotators have; the spans are "
            "taken as given.",
        ),
    )
