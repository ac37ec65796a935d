"""Tables that only Results about records have: fields, answers, and the most frequent wrong values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.engine.parts import LabelSums, Part
from assay.engine.prepare import Run
from assay.engine.scores import Settings
from assay.formats.shapes import STATUSES
from assay.result import Result, Table
from assay.tasks.records.judge import BREACHES as BREACHES_OF
from assay.tasks.records.judge import ELSEWHERE, HALLUCINATED, STATUS, RecordRun, outcomes_of
from assay.tasks.records.kinds import BOOLEAN, ENUM, Readings, show_value
from assay.tasks.records.measures import compared_by
from assay.tasks.records.pairing import OUTCOMES, RIGHT, WRONG
from assay.tasks.records.schema import BREACHES

_MOST_PAIRS = 12
"""The most wrong values that are listed."""
_LONGEST = 40
_BY_ID = "matched\tid"


def sum_answers(run: Run, compares: bool) -> Mapping[str, LabelSums]:
    """The statuses of answers, and the wrong values of each field with gold's, by system."""
    sums: dict[str, LabelSums] = {_BY_ID: {}} if run.gold.by_id else {}
    for name, pair in run.pairs:
        statuses = pair.system.column(STATUS).counts()
        sums[f"answers\t{name}"] = {"": {status: statuses.get(status, 0) for status in STATUSES}}
        if BREACHES_OF in pair.system.columns:
            found = pair.system.column(BREACHES_OF).counts()
            breaches = {
                kind: sum(number for text, number in found.items() if kind in text.split()) for kind in BREACHES
            }
            sums[f"schema\t{name}"] = {"": {"schema-valid": found.get("", 0), **breaches}}
        wrong: defaultdict[str, Counter[str]] = defaultdict(Counter)
        chosen: defaultdict[str, Counter[str]] = defaultdict(Counter)
        places = pair.layers[RecordRun].schema.walk()
        closed = {place.path: Readings(place.kind) for place in places if place.kind.name in (ENUM, BOOLEAN)}
        for _, outcomes in outcomes_of(pair, compared_by(run.measures)):
            for one in outcomes:
                if one.outcome == WRONG:
                    wrong[one.field][f"{_cut(one.gold)}\t{_cut(one.system)}"] += 1
                if one.field in closed and one.outcome in (RIGHT, WRONG):
                    key = closed[one.field].read(one.system).key
                    said = one.gold if one.outcome == RIGHT else key if isinstance(key, bool) else one.system
                    chosen[one.field][f"{_cut(one.gold)}\t{_cut(said)}"] += 1
        sums[f"wrong\t{name}"] = wrong
        sums[f"chosen\t{name}"] = chosen
    return sums


def _cut(value: object) -> str:
    text = " ".join(show_value(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def finish_records(result: Result, part: Part, settings: Settings) -> Result:
    """Result with the tables of records; confusions are between values, not between fields."""
    keyed = [(key.split("\t"), sums) for key, sums in part.of_task.items() if key != _BY_ID]
    statuses = {name: sums[""] for (kind, name), sums in keyed if kind == "answers"}
    wrong = {name: sums for (kind, name), sums in keyed if kind == "wrong"}
    for (kind, name), sums in keyed:
        statuses[name] = {**statuses[name], **sums[""]} if kind == "schema" else statuses[name]
    chosen = {name: sums for (kind, name), sums in keyed if kind == "chosen"}
    tables = (*_answers(statuses), *_fields(result), *_confusions(chosen), *_wrong_values(wrong))
    remarks = {**result.shown.remarks, "matched by": "id" if _BY_ID in part.of_task else "order"}
    return replace(result, tables=tables, confusion=()).with_shown(remarks=remarks)


def present_records(result: Result) -> Result:
    """Result that calls labels fields."""
    return result.with_shown(remarks={"label": "field", "matched by": "", **result.shown.remarks})


def _answers(systems: Mapping[str, Mapping[str, int]]) -> Iterator[Table]:
    """How the answers could be read, if some of them had to be."""
    columns = [*next(iter(systems.values()))]
    totals = {name: sum(counts[status] for status in STATUSES) for name, counts in systems.items()}
    if columns == [*STATUSES] and all(counts["parsed"] == totals[name] for name, counts in systems.items()):
        return
    rows = []
    for name, counts in systems.items():
        rows.append((name, totals[name], *([counts[column], counts[column] / totals[name]] for column in columns)))
    valid = (
        " schema-valid: answers that follow the schema; type, enum, required, extra: answers that break it in this "
        "way."
    )
    yield Table(
        "Answers",
        ("system", "answers", *columns),
        tuple(rows),
        ("text", "count", "share"),
        after="scores",
        notes=(
            "Percentages in brackets. repaired: read despite formal errors. refused, malformed (without a record) "
            "and missing count as empty." + valid * (columns != [*STATUSES]),
        ),
    )


def _fields(result: Result) -> Iterator[Table]:
    """The outcomes of each field, one table for each system."""
    for system in dict.fromkeys(row.system for row in result.counts):
        counted = {
            row.label: row.counts
            for row in result.counts
            if row.system == system and row.slice is None and set(OUTCOMES) <= row.counts.keys()
        }
        if not counted:
            continue
        grounded = [name for name in (HALLUCINATED, ELSEWHERE) if name in counted[None]]
        rows = []
        for label in (*sorted((name for name in counted if name), key=lambda name: (name.count("[]"), name)), None):
            counts = counted[label]
            right, wrong, missing, spurious = (counts[name] for name in OUTCOMES)
            shares = [
                (right, right + wrong + spurious),
                (right, right + wrong + missing),
                (2 * right, 2 * (right + wrong) + missing + spurious),
                (2 * right, 2 * right + wrong + missing + spurious),
            ]
            numbers = (right + wrong + missing, *(counts[name] for name in (*OUTCOMES, *grounded)))
            rows.append((label or "overall", *numbers, *(part / whole if whole else None for part, whole in shares)))
        yield Table(
            f"Fields: {system}",
            ("field", "gold", *OUTCOMES, *grounded, "precision", "recall", "f1", "fair f1"),
            tuple(rows),
            ("text", *["count"] * (5 + len(grounded)), "percent"),
            bold=((len(rows) - 1, 0),),
            after="labels",
            measures=tuple(dict.fromkeys(row.measure for row in result.counts)),
            short=26,
            notes=(
                "wrong: both have a value. hallucinated: wrong or spurious and not in the text; elsewhere: in it."
                if grounded
                else "wrong: both have a value; in fair F1 it is one error, in F1 a missing and a spurious value.",
            ),
        )


def _confusions(systems: Mapping[str, LabelSums]) -> Iterator[Table]:
    """What a system says for each value of a field with few values."""
    for system, fields in systems.items():
        for field, counts in fields.items():
            pairs = {tuple(pair.split("\t")): number for pair, number in counts.items()}
            golds, answers = (sorted({pair[side] for pair in pairs}) for side in (0, 1))
            yield Table(
                f"{field} of {system}: gold (rows) and answers (columns)",
                ("gold", *answers),
                tuple((gold, *(pairs.get((gold, answer), 0) for answer in answers)) for gold in golds),
                ("text", "count"),
                after="confusion",
                name="confusion",
                minor=True,
            )


def _wrong_values(systems: Mapping[str, LabelSums]) -> Iterator[Table]:
    """The most frequent wrong values."""
    for system, fields in systems.items():
        pairs = [(-number, field, pair) for field, counts in fields.items() for pair, number in counts.items()]
        rows = [(field, *pair.split("\t"), -number) for number, field, pair in sorted(pairs)[:_MOST_PAIRS]]
        yield Table(
            f"Most frequent wrong values: {system}",
            ("field", "gold", system, "number"),
            tuple(rows),
            ("text", "text", "text", "count"),
            words=3,
            after="confusion",
            name="forms",
            minor=True,
        )
