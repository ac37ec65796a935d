"""Records: values of gold and of a system, which of them answer for which, and what is right."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.tasks.records.anls import anls_of
from assay.tasks.records.grounding import RecordText
from assay.tasks.records.kinds import MATCHES
from assay.tasks.records.pairing import MISSING, OUTCOMES, RIGHT, WRONG, Comparer, Match, assign
from assay.tasks.records.reading import read_record
from assay.tasks.records.schema import declare, infer_schema, merge_schemas, read_schema
from cases import each

DATA = Path(__file__).parents[1] / "data" / "records"
CASES = [json.loads(line) for line in (DATA / "records.jsonl").read_text("utf-8").splitlines()]


def counted(comparer: Comparer, documents: Sequence[tuple[Any, Any]]) -> tuple[dict[str, int], dict[str, Any]]:
    """The numbers of outcomes, of all values and of each field that has some."""
    fields: dict[str, Counter[str]] = {}
    for gold, system in documents:
        for one in comparer.compare(gold, system):
            fields.setdefault(one.field, Counter())[one.outcome] += 1
    total = sum(fields.values(), Counter[str]())
    by_field = {name: {outcome: counts[outcome] for outcome in OUTCOMES} for name, counts in fields.items()}
    return {outcome: total[outcome] for outcome in OUTCOMES}, by_field


@each("case", CASES, ids=lambda case: case["id"])
def test_outcomes_of_values(case):
    documents = [(document["gold"], document["system"]) for document in case["documents"]]
    schema = infer_schema([(f"gold:{number}", gold) for number, (gold, _) in enumerate(documents, 1)])
    if case["schema"]:
        schema = merge_schemas(read_schema(case["schema"], "schema.json"), schema)
    schema = declare(schema, case["fields"])
    for match in MATCHES:
        comparer = Comparer(schema, Match(match, keeps_outside=case["options"].get("outside") != "drop"))
        expected = case["expected"][match]
        total, by_field = counted(comparer, documents)
        assert total == expected["counts"], match
        assert by_field == {name: counts for name, counts in expected["fields"].items() if any(counts.values())}


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 4), st.integers(0, 4)),
        st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any),
        max_size=15,
    )
)
def test_an_assignment_is_as_good_as_the_best_of_all(weights):
    def worth(pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
        return sum(weights[pair][0] for pair in pairs), sum(weights[pair][1] for pair in pairs)

    found = assign(weights)
    assert len({row for row, _ in found}) == len({column for _, column in found}) == len(found)
    every = (zip(range(5), order, strict=True) for order in permutations(range(5)))
    best = max(worth([pair for pair in pairs if pair in weights]) for pairs in every)
    assert worth(found) == best


_NAMES = st.sampled_from(["a", "b", "c"])
_OBJECTS = st.lists(st.dictionaries(_NAMES, st.sampled_from(["x", "y", "z", None]), max_size=3), max_size=4)


@given(_OBJECTS, _OBJECTS, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_sides_exchange(golds, systems, random):
    schema = infer_schema([("gold:1", {"list": [*golds, *systems]})])
    comparer = Comparer(schema, Match())
    total, _ = counted(comparer, [({"list": golds}, {"list": systems})])
    shuffled = [dict(sorted(one.items(), reverse=True)) for one in random.sample(systems, len(systems))]
    assert counted(comparer, [({"list": golds}, {"list": shuffled})])[0] == total
    back, _ = counted(comparer, [({"list": systems}, {"list": golds})])
    assert (back["missing"], back["spurious"]) == (total["spurious"], total["missing"])
    same, _ = counted(comparer, [({"list": golds}, {"list": golds})])
    assert sum(same.values()) == same[RIGHT]
    assert (back[RIGHT], back[WRONG]) == (total[RIGHT], total[WRONG])


_SCALARS = st.sampled_from(["tea", "Tea", "teas", 1, 2, "2.0", True, "4 March 2021", "2021-03-04", "n/a", " ", None])
_FLAT = st.dictionaries(_NAMES, _SCALARS, max_size=3)
_RECORDS = st.fixed_dictionaries(
    {},
    optional={"v": _SCALARS, "l": st.lists(_SCALARS, max_size=4), "o": _FLAT, "items": st.lists(_FLAT, max_size=5)},
)


def with_nulls(value: Any) -> Any:
    """A record in which each object has another field and each list another element, with nothing in them."""
    if isinstance(value, dict):
        return {"new": None, **{key: with_nulls(one) for key, one in value.items()}, "more": {"x": [" "]}}
    return [None, *map(with_nulls, value), {}] if isinstance(value, list) else value


def renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {f"{key}_": renamed(one) for key, one in value.items()}
    return [*map(renamed, value)] if isinstance(value, list) else value


@given(_RECORDS, _RECORDS)
def test_properties_of_the_outcomes_of_records(gold, system):
    schema = infer_schema([("gold:1", gold), ("gold:2", system)])
    right = []
    for match in MATCHES:
        comparer = Comparer(schema, Match(match))
        total, fields = counted(comparer, [(gold, system)])
        for same in (gold, with_nulls(gold)):
            assert {one.outcome for one in comparer.compare(gold, same)} <= {RIGHT}
        assert counted(comparer, [(with_nulls(gold), with_nulls(system))]) == (total, fields)
        flat, _ = counted(Comparer(schema, Match(match, is_flat=True)), [(gold, system)])
        assert flat[RIGHT] >= total[RIGHT]
        others = infer_schema([("gold:1", renamed(gold)), ("gold:2", renamed(system))])
        again, by_name = counted(Comparer(others, Match(match)), [(renamed(gold), renamed(system))])
        assert again == total
        named = {re.sub(r"(\w+)", r"\1_", name): counts for name, counts in fields.items()}
        assert by_name == named
        right.append(total[RIGHT])
    assert right == sorted(right)


@given(st.lists(_FLAT, max_size=5), st.lists(_FLAT, max_size=5))
def test_objects_are_paired_as_well_as_by_trying_all_pairings(golds, systems):
    schema = infer_schema([("gold:1", {"items": [*golds, *systems, {}]})])
    for match in MATCHES:
        comparer = Comparer(schema, Match(match))
        worth = {}
        for i, gold in enumerate(golds):
            for j, system in enumerate(systems):
                own, _ = counted(comparer, [({"items": [gold]}, {"items": [system]})])
                worth[i, j] = (own[RIGHT], own[WRONG]) if own[RIGHT] else (0, 0)
        longer = [*range(max(len(golds), len(systems)))]
        every = ([worth.get(pair, (0, 0)) for pair in enumerate(order)] for order in permutations(longer))
        best = max((sum(right for right, _ in one), sum(wrong for _, wrong in one)) for one in every)
        total, _ = counted(comparer, [({"items": golds}, {"items": systems})])
        assert (total[RIGHT], total[WRONG]) == best


READINGS = [json.loads(line) for line in (DATA / "reading.jsonl").read_text("utf-8").splitlines()]


@each("case", READINGS, ids=lambda case: case["id"])
def test_records_in_answers(case):
    reading = read_record(case["answer"], read_schema(case["schema"], "schema.json"))
    assert {"status": reading.status, "record": reading.record} == case["expected"]


@each("case", CASES, ids=lambda case: case["id"])
def test_flat_values_and_anls(case):
    documents = [(document["gold"], document["system"]) for document in case["documents"]]
    schema = infer_schema([(f"gold:{number}", gold) for number, (gold, _) in enumerate(documents, 1)])
    if case["schema"]:
        schema = merge_schemas(read_schema(case["schema"], "schema.json"), schema)
    match = Match(keeps_outside=case["options"].get("outside") != "drop", is_flat=True)
    total, _ = counted(Comparer(declare(schema, case["fields"]), match), documents)
    expected = case["expected"]["flat"]
    assert {name: total[name] for name in ("right", "missing", "spurious")} == {
        name: expected[name] for name in ("right", "missing", "spurious")
    }
    values = [anls_of(gold, {} if system is None else system) for gold, system in documents]
    assert abs(sum(values) / len(values) - case["official"]["anls_star 1.0.1"]) < 1e-8


def test_a_corpus_of_answers_has_the_figures_that_two_programs_counted():
    expected = json.loads((DATA / "corpus" / "expected.json").read_text("utf-8"))
    corpus = DATA / "corpus"
    systems = {name: str(corpus / f"{name}.jsonl") for name in ("a", "b")}
    wanted = ("records", "fair-records", "record-match", "slot-accuracy", "anls", "records(match=exact)")
    result = assay.compare(str(corpus / "gold.jsonl"), systems, wanted, times=5)
    for system in systems:
        for spec in wanted[:4]:
            found = {
                row.score: row.value
                for row in result.scores
                if (row.measure, row.system, row.label, row.slice) == (spec, system, None, None)
            }
            figures = expected[system]["normalised"][spec]
            figures = figures if isinstance(figures, dict) else {"accuracy": figures}
            assert found == pytest.approx({name: float(Fraction(share)) for name, (share, _) in figures.items()})
        rows = [row for row in result.counts if (row.measure, row.system, row.slice) == ("records", system, None)]
        assert {row.label: {name: row.counts.get(name, 0) for name in OUTCOMES} for row in rows if row.label} == {
            name: counts for name, counts in expected[system]["normalised"]["fields"].items() if any(counts.values())
        }
        unread = f"{system}: {expected[system]['unread']} of 200 answers could not be read and count as empty."
        assert unread in result.warnings


GROUNDINGS = [json.loads(line) for line in (DATA / "grounding.jsonl").read_text("utf-8").splitlines()]


@each("case", GROUNDINGS, ids=lambda case: case["id"])
def test_values_are_looked_for_in_the_text(case):
    schema = declare(infer_schema([("gold:1", case["gold"])]), case["fields"])
    places, text = {place.path: place for place in schema.walk()}, RecordText(case["text"])
    outcomes = Comparer(schema, Match()).compare(case["gold"], case["system"])
    outcomes = [one for one in outcomes if one.outcome != MISSING]
    found = [[one.field, one.system, one.outcome, text.level(one.system, places.get(one.field))] for one in outcomes]
    assert sorted(map(str, found)) == sorted(map(str, case["expected"]["values"]))
    nowhere = [outcome for _, _, outcome, level in found if level == "none"]
    assert nowhere.count(RIGHT) == case["expected"]["right-not-in-text"]
    assert len(nowhere) - nowhere.count(RIGHT) == case["expected"]["hallucinated"]


@each(
    ("value", "text", "level"),
    [
        ("e", "Acme sold tea.", "none"),
        ("tea", "Acme sold teapots.", "none"),
        ("sold", "Acme SOLD tea.", "folded"),
        ("tea", "teapots and tea", "exact"),
        ("teapot", "Acme sold teapots.", "fuzzy"),
        ("mg", "Take 5mg daily.", "exact"),
        ("5", "Take 15 daily.", "none"),
        ("東京", "彼は東京都に住む", "exact"),
        ("서울", "서울에서 만났다", "exact"),
    ],
)
def test_a_value_within_a_word_of_the_text_is_not_in_it(value, text, level):
    assert RecordText(text).level(value, None) == level
