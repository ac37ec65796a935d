"""Tables and sentences that only Results about relations have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.engine.items import KINDS, Items, join
from assay.engine.parts import Part, Summed, basis_of, whole_numbers
from assay.engine.prepare import Run
from assay.engine.scores import Settings
from assay.engine.spanpairs import spans_of
from assay.result import Result, Table, kind_title
from assay.tasks.relations.measures import CAUSES
from assay.tasks.relations.pairing import FAIR
from assay.tasks.relations.pairs import ends_of, found_spans, have_both, relations_of

_BY_TYPES = "By types of arguments"
_CHANGES = "Changes by types of arguments"
_GIVEN = "Upper bound given spans"
UNTYPED = "(none)"
"""The type of an argument that has none."""
_MEANINGS = (
    "LE: wrong label, DE: head and tail exchanged, TE: wrong type of an argument, BE: wrong boundary, ME: several of "
    "these, FN: missing, FP: spurious."
)
MATRIX = 12
"""So many labels fit into a terminal."""


def _summed(fields: Sequence[str], names: Sequence[str], group: Ints, masks: Sequence[Bools]) -> Summed:
    """The number of rows with each mask in each group that occurs."""
    numbers = np.stack([np.bincount(group[mask], minlength=len(names)) for mask in masks], axis=1)
    there = np.flatnonzero(numbers.any(axis=1))
    return Summed(tuple(fields), whole_numbers(numbers[there].ravel()), tuple(names[code] for code in there.tolist()))


def sums(run: Run, compares: bool) -> Mapping[str, Summed]:
    """Outcomes and changes by types of arguments, and how many relations can be found with the spans that are there.

    They are of the measure that systems are compared on.
    """
    judged = [[(name, one.judge(pair)) for name, pair in run.pairs] for one in run.measures]
    firsts = [table[0][1] for table in judged]
    kinds = {number: one.kinds if isinstance(one, Items) else None for number, one in enumerate(firsts)}
    basis = basis_of(kinds, run.measures)
    if basis is None:
        return {}
    on = str(run.measures[basis])
    tables = [(name, one) for name, one in judged[basis] if isinstance(one, Items)]
    types = [name or UNTYPED for name in spans_of(run.pairs[0][1]).labels]
    names = [f"{head} {tail}" for head in types for tail in types]
    pairs_of_types = []
    """For each relation of gold and of each system the types of its arguments, as a place among the names."""
    for _, pair in run.pairs:
        spans, relations = spans_of(pair), relations_of(pair)
        ends = ends_of(relations[0], spans.gold.label), ends_of(relations[1], spans.system.label)
        pairs_of_types.append([own[0].astype(np.int64) * len(types) + own[1] for own in ends])
    found: dict[str, Summed] = {}
    for (system, one), codes in zip(tables, pairs_of_types, strict=True):
        group = one.of_sides(*codes)
        masks = [one.kind[0] == kind for kind in range(len(one.kinds))]
        found[f"types\t{on}\t{system}"] = _summed(one.kinds, names, group, masks)
    if not compares:
        return found
    items = join(tables)
    group = np.zeros(len(items), dtype=np.int64)
    for owner in range(-1, len(tables)):
        rows = items.owner == owner
        group[rows] = pairs_of_types[max(owner, 0)][int(owner != NONE)][items.item[rows]]
    for a, b in combinations(range(len(tables)), 2):
        change = items.change(a, b)
        masks = [change == kind for kind in range(len(KINDS))]
        found[f"changes\t{on}\t{tables[a][0]}\t{tables[b][0]}"] = _summed(KINDS, names, group, masks)
    ours = np.flatnonzero(items.has_gold)
    both = [have_both(relations_of(pair)[0], found_spans(pair)[0]) for _, pair in run.pairs]
    reached = np.any(both, axis=0)[items.item[ours]]
    right = items.right[:, ours].any(axis=0)
    masks = [np.ones(len(ours), dtype=bool), reached, right, reached & right]
    fields = ("gold", "found", "right", "both")
    found[f"given\t{on}"] = _summed(fields, items.labels, items.gold[ours], masks)
    return found


def _rows(one: Summed) -> dict[str, dict[str, int]]:
    width = len(one.fields)
    return {
        name: dict(zip(one.fields, one.totals[number * width : (number + 1) * width], strict=True))
        for number, name in enumerate(one.labels or ())
    }


def finish(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with what was summed up by types of arguments, and the bound that spans set."""
    found = {tuple(key.split("\t")): _rows(one) for key, one in part.of_task.items()}
    return replace(result, tables=(*_by_types(found), *_changes(found), *_given(found)))


def _f1(counts: Mapping[str, int]) -> float:
    paired = sum(number for kind, number in counts.items() if kind not in ("tp", "fn", "fp"))
    total = 2 * counts["tp"] + counts["fn"] + counts["fp"] + paired
    return 2 * counts["tp"] / total if total else float("nan")


Sums = Mapping[tuple[str, ...], Mapping[str, Mapping[str, int]]]


def _by_types(found: Sums) -> Iterator[Table]:
    own = {key: rows for key, rows in found.items() if key[0] == "types"}
    if not own:
        return
    systems, on = [key[2] for key in own], next(iter(own))[1]
    gold: dict[str, int] = {}
    for rows in own.values():
        for name, counts in rows.items():
            gold[name] = max(gold.get(name, 0), sum(counts.values()) - counts["fp"])
    names = sorted(gold, key=lambda name: (-gold[name], name))
    if len(systems) == 1:
        (rows,) = own.values()
        kinds = [kind for kind in next(iter(rows.values()), {}) if any(one[kind] for one in rows.values())]
        body = [(name, gold[name], *(rows[name][kind] for kind in kinds), _f1(rows[name])) for name in names]
        header = ("head tail", "gold", *map(kind_title, kinds), "f1")
        forms: tuple[str, ...] = ("text", *["count"] * (1 + len(kinds)), "percent")
    else:
        body = [(name, gold[name], *(_f1(rows[name]) if name in rows else float("nan") for rows in own.values()))
                for name in names]
        header, forms = ("head tail", "gold", *systems), ("text", "count", "percent")
    yield Table(
        f"{_BY_TYPES}: {on}",
        header,
        tuple(body),
        forms,
        after="labels",
        short=15,
        notes=("Types of gold's arguments; of a spurious relation those of the system's.",),
    )


def _changes(found: Sums) -> Iterator[Table]:
    for (kind, *names), rows in found.items():
        if kind == "changes":
            on, a, b = names
            numbers = {name: [counts[one] for one in KINDS] for name, counts in rows.items()}
            order = sorted((name for name in numbers if any(numbers[name])), key=lambda x: (-sum(numbers[x]), x))
            yield Table(
                f"{_CHANGES}: {a} → {b}",
                ("head tail", "corrections", "new errors", "changed errors", "net"),
                tuple((name, *numbers[name], numbers[name][0] - numbers[name][1]) for name in order),
                ("text", "count", "count", "count", "net"),
                after="changes",
                pair=(a, b),
                short=10,
                notes=(f"On {on}.",),
            )


def _given(found: Sums) -> Iterator[Table]:
    for (kind, *names), rows in found.items():
        if kind == "given":
            fields = ("gold", "found", "right", "both")
            whole = {field: sum(counts[field] for counts in rows.values()) for field in fields}
            order = sorted(rows, key=lambda name: (-rows[name]["gold"], name))
            yield Table(
                _GIVEN,
                ("label", "gold", "spans found", "right in one", "bound", "bound given spans"),
                tuple(
                    (name, own["gold"], own["found"], own["right"], _share(own["right"], own["gold"]),
                     _share(own["both"], own["found"]))
                    for name, own in [("overall", whole), *((name, rows[name]) for name in order)]
                ),
                ("text", "count", "count", "count", "percent"),
                after="bounds",
                short=12,
                notes=(
                    "Spans found: relations of gold of which some system has both arguments, same place and type; "
                    f"the bound given spans is the share of these that some system has right ({names[0]}).",
                ),
            )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


# --- from the rest of a Result ---


def present(result: Result) -> Result:
    """The Result with types of errors and their causes, labels that were confused, and what spans allow for."""
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
        remarks["confusion"] = "On the diagonal errors of arguments and direction, in row ∅ FP, in column ∅ FN."
        remarks["outcomes"] = _MEANINGS
    else:
        remarks["confusion"] = (
            "Relations are right or not here: all errors are FP (row ∅) and FN (column ∅). For wrong labels, "
            "directions and arguments: -m fair-relations"
        )
    return replace(result, tables=(*kept, *made)).with_shown(remarks=remarks)


def _errors(result: Result) -> Iterator[Table]:
    fair = [row for row in result.error_types if row.measure.startswith("fair-relations")]
    types = [kind for kind in FAIR if any(row.type == kind for row in fair)]
    rows = []
    for (measure, system), group in groupby(fair, key=lambda row: (row.measure, row.system)):
        found = {row.type: [row.count, row.share] for row in group}
        rows.append((system, measure, sum(count for count, _ in found.values()), *map(found.get, types)))
    of_annotators = result.about.command == "agreement"
    yield Table(
        "Types of differences" if of_annotators else "Errors by type",
        ("pair" if of_annotators else "system", "measure", "errors", *map(kind_title, types)),
        tuple(rows),
        ("text", "text", "count", "share"),
        words=2,
        after="agreement" if of_annotators else "further scores",
        name="errors",
        notes=(f"In brackets percent of the errors. {_MEANINGS}",),
    )


def _causes(result: Result) -> Iterator[Table]:
    if result.about.command == "agreement":
        return
    whole = [row for row in result.counts if row.label is None and row.slice is None and CAUSES[0] in row.counts]
    yield Table(
        "Missing and spurious relations",
        ("system", "measure", "FN", "argument missing", "not related", "FP", "argument spurious", "spurious"),
        tuple(
            (
                *(row.system, row.measure, row.counts["fn"], *(row.counts[name] for name in CAUSES[:2])),
                *(row.counts["fp"], *(row.counts[name] for name in CAUSES[2:])),
            )
            for row in whole
        ),
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
            "Ceiling: the share of gold's relations of which the system has both arguments, same place and type. "
            "Recall is the ceiling times the recall given spans.",
        ),
    )


def _confusions(result: Result) -> Iterator[Table]:
    """Labels from relations with gold's arguments; the rest is missing, spurious or in another direction."""
    fair = [row for row in result.confusion if row.measure.startswith("fair-relations")]
    if result.about.command == "agreement":
        return
    for system, group in groupby(fair, key=lambda row: row.system):
        rows = list(group)
        labels = sorted({name for row in rows for name in (row.gold, row.assigned) if name is not None})
        cells: dict[tuple[str | None, str | None], int] = {}
        turned: dict[str | None, int] = {}
        for row in rows:
            if row.type in ("tp", "le", "fn", "fp"):
                cells[row.gold, row.assigned] = cells.get((row.gold, row.assigned), 0) + row.count
            elif row.type == "de":
                turned[row.gold] = turned.get(row.gold, 0) + row.count
        yield Table(
            f"Labels of {system} between the right arguments",
            ("gold \\ system", *labels, "_", "direction"),
            tuple(
                (gold or "_", *(cells.get((gold, name)) or "·" for name in (*labels, None)), turned.get(gold) or "·")
                for gold in (*labels, None)
            ),
            ("text", "count"),
            after="confusion",
            minor=len(labels) > MATRIX or result.about.command == "compare",
            notes=(
                "Right ones and wrong labels (TP, LE); _: missing, in row _ spurious. Direction: right but for head "
                "and tail, which are exchanged.",
            ),
        )


def _pairs_of_spans(result: Result) -> Iterator[Table]:
    """The numbers behind kappa."""
    if result.about.command != "agreement":
        return
    rows = []
    for row in result.counts:
        if row.measure.startswith("relation-kappa") and row.label is None and row.slice is None:
            unrelated = next(
                (
                    other.counts
                    for other in result.counts
                    if (other.measure, other.system, other.label) == (row.measure, row.system, "(none)")
                ),
                {"gold": 0, "system": 0},
            )
            number = row.counts["gold"]
            rows.append((row.system, number, number - unrelated["gold"], number - unrelated["system"]))
    yield Table(
        "Pairs of spans that both have",
        ("pair", "pairs of spans", "related by the first", "related by the second"),
        tuple(rows),
        ("text", "count"),
        after="agreement",
        notes=(
            "Kappa is over the ordered pairs of two spans in one sentence that both annotators have: the spans are "
            "taken as given.",
        ),
    )
