"""Records: right, wrong, missing and spurious values, whole records, slots, and ANLS*."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import Floats
from assay.engine.counts import Counts, Sums
from assay.engine.counts import tally_outcomes as by_kind
from assay.engine.items import ONE, Items
from assay.engine.measure import F1, Macro, Mean, Measure, Proportion, Ratio, Score, Scores, measure
from assay.errors import UsageError, unknown
from assay.tasks.records.anls import anls_of
from assay.tasks.records.judge import RecordRun, judge_values, outcomes_of, records_of
from assay.tasks.records.kinds import MATCHES, NORMALISED
from assay.tasks.records.pairing import OUTCOMES, RIGHT, Match

ALIGNED = ("objects", "flat")
OUTSIDE = ("count", "drop")
_RECORDS: Scores = {
    "f1": F1(
        lambda sums: 2 * sums["right"],
        lambda sums: 2 * (sums["right"] + sums["wrong"]) + sums["missing"] + sums["spurious"],
    ),
    "precision": Proportion("right", "right", "wrong", "spurious"),
    "recall": Proportion("right", "right", "wrong", "missing"),
}


def _fair(*others: str) -> Score:
    """A share of right values in which a wrong value is half a missing and half a spurious one."""

    def right(sums: Sums) -> Floats:
        return len(others) * sums["right"]

    def total(sums: Sums) -> Floats:
        return np.asarray(right(sums) + 0.5 * len(others) * sums["wrong"] + sum(sums[name] for name in others))

    return (F1 if len(others) > 1 else Ratio)(right, total)


_FAIR: Scores = {"f1": _fair("missing", "spurious"), "precision": _fair("spurious"), "recall": _fair("missing")}


def _match(match: str, tolerance: float, outside: str, align: str) -> Match:
    for name, value, values in (("match", match, MATCHES), ("outside", outside, OUTSIDE), ("align", align, ALIGNED)):
        if value not in values:
            raise unknown(f"value of {name}", value, values)
    if not 0 <= tolerance < 1:
        raise UsageError(f"tolerance={tolerance:g}: a share of characters, from 0 to 1.")
    return Match(match, tolerance, outside == "count", align == "flat")


def compared_by(measures: Sequence[Measure]) -> Match:
    """How the values are compared by the first measure that compares them."""
    given = next((one.parameters for one in measures if one.name in ("records", "fair-records")), {})
    usual = {"match": NORMALISED, "tolerance": 0.2, "outside": "count", "align": "objects"}
    return _match(**{**usual, **given})


@measure(
    "records",
    scores=_RECORDS,
    averages={"macro-f1": Macro(_RECORDS["f1"], OUTCOMES)},
    main="f1",
    count=by_kind,
    errors=OUTCOMES[1:],
    signed=("match",),
    task="records",
)
def records(
    pair: Pair, *, match: str = NORMALISED, tolerance: float = 0.2, outside: str = "count", align: str = "objects"
) -> Items:
    """Values of records: those that are right among gold's and among the system's.

    match: `exact` (same type and value), `normalised` (by the kind of the field: folded text, numbers and dates as
        they are read), or `partial` (besides, texts with few edits and the same digits, dates of another precision).
    tolerance: the edits that `partial` allows, as a share of the longer text.
    outside: whether fields that the schema does not have `count` as spurious, or are left out (`drop`).
    align: `objects` pairs elements of lists; `flat` compares fields and values and no objects, as donut's F1.
    Counts: per field right, wrong (both have a value), missing, spurious; retyped, structure, outside.
    Score: precision = right/(right+wrong+spurious), recall = right/(right+wrong+missing), f1 their harmonic mean;
        macro-f1 is the mean over fields with a value on either side.
    """
    return judge_values(pair, _match(match, tolerance, outside, align))


@measure(
    "fair-records",
    scores=_FAIR,
    averages={"macro-f1": Macro(_FAIR["f1"], OUTCOMES)},
    main="f1",
    count=by_kind,
    errors=OUTCOMES[1:],
    papers=("ortmann2022",),
    task="records",
)
def fair_records(pair: Pair, *, match: str = NORMALISED, tolerance: float = 0.2, outside: str = "count") -> Items:
    """Values of records, a wrong value being one error, not a missing value and a spurious one.

    match, tolerance, outside: as for records.
    Counts: as for records.
    Score: f1 = 2·right/(2·right + wrong + missing + spurious); a wrong value is half a spurious value in precision
        and half a missing one in recall.
    """
    return judge_values(pair, _match(match, tolerance, outside, "objects"))


@measure("record-match", scores={"accuracy": Proportion("right", "records")}, task="records", errors=())
def record_match(pair: Pair, *, match: str = NORMALISED, tolerance: float = 0.2, outside: str = "count") -> Counts:
    """Records that were read and have no error.

    match, tolerance, outside: as for records.
    Counts: right (records without an error), records.
    Score: accuracy = right/records.
    """
    chosen = _match(match, tolerance, outside, "objects")
    read = {number for number, _, system in records_of(pair) if system is not None}
    rows = [
        (number, number in read and all(one.outcome == RIGHT for one in outcomes), 1)
        for number, outcomes in outcomes_of(pair, chosen)
    ]
    return _per_record(pair, ("right", "records"), rows)


@measure("slot-accuracy", scores={"accuracy": Proportion("right", "slots")}, task="records", errors=())
def slot_accuracy(pair: Pair, *, match: str = NORMALISED, tolerance: float = 0.2) -> Counts:
    """Fields outside lists with gold's value, or without a value if gold has none: "field accuracy" elsewhere.

    match, tolerance: as for records.
    Counts: right, slots.
    Score: accuracy = right/slots; all slots of an answer that cannot be read are wrong.
    """
    slots = pair.layers[RecordRun].schema.slots
    paths = {slot.path for slot in slots}
    read = {number for number, _, system in records_of(pair) if system is not None}
    rows = []
    for number, outcomes in outcomes_of(pair, _match(match, tolerance, "count", "objects")):
        wrong = {one.field for one in outcomes if one.outcome != RIGHT and one.field in paths}
        rows.append((number, len(slots) - len(wrong) if number in read else 0, len(slots)))
    return _per_record(pair, ("right", "slots"), rows)


@measure("anls", scores={"anls": Mean("credit", "records")}, task="records", errors=())
def anls(pair: Pair) -> Counts:
    """ANLS*, as its package computes it, for comparison with published tables.

    Counts: credit (the similarities of all records), records.
    Score: the mean over records of the similarity of their values, texts by edits from .5 on.
    Peers: anls_star 1.0.1.
    """
    scores = ((number, anls_of(gold, {} if system is None else system)) for number, gold, system in records_of(pair))
    return _per_record(pair, ("credit", "records"), [(number, round(score * ONE), 1) for number, score in scores])


def _per_record(pair: Pair, fields: tuple[str, ...], rows: Sequence[tuple[int, int, int]]) -> Counts:
    values = np.zeros((pair.gold.sentences, 2), dtype=np.int64)
    for number, *counted in rows:
        values[number] = counted
    return Counts(fields, len(values), np.arange(len(values)), values)
