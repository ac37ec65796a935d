"""What a page draws of a comparison across frameworks: units are counted as TedEval counts them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import accumulate
from typing import Any

import pytest

from assay.demo import FOLDER
from assay.result import Result
from assay.tasks.cross.compare import cross
from assay.tasks.cross.measures import KINDS
from assay.tasks.cross.texts import UNLABELLED
from unit.engine.test_texts import counted

TREES = FOLDER / "trees"
THEORIES = [f"dep={TREES / 'gold.conllu'}", f"ps={TREES / 'gold.mrg'}", "ps+dep"]
SYSTEMS = [
    f"eager@dep={TREES / 'arc-eager.conllu'}",
    f"pcfg@ps={TREES / 'pcfg-functions.mrg'}",
    f"hybrid@dep={TREES / 'arc-hybrid.conllu'}",
]


def crossed(systems: list[str] = SYSTEMS, **options: Any) -> Result:
    return cross(THEORIES, systems, times=20, **{"embed": "all", **options})


def counts(result: Result, system: str) -> dict[str, int]:
    assert result.texts is not None
    on = result.texts["on"]
    return next(
        row.counts for row in result.counts if row.system == system and row.measure == on and row.label is None
    )


@pytest.mark.parametrize("sizes", ["2.1", "paper"])
def test_wrong_units_are_those_that_cost_something(sizes):
    result = crossed(sizes=sizes)
    found = result.texts
    for name, one in zip(found["systems"], found["items"]["systems"], strict=True):
        kinds = Counter(KINDS[kind] for kind in one["kind"] if kind >= 0)
        assert len(one["wrong"]) == counts(result, name)["delta"]
        assert kinds["spurious"] == counts(result, name)["spurious"]
        assert kinds["missing"] == counts(result, name)["missing"]


def test_layers_have_what_becomes_of_the_units_of_systems():
    result = crossed()
    found = result.texts
    assert [layer["side"] for layer in found["layers"]] == [
        *("generalised", "eager@dep", "pcfg@ps", "hybrid@dep"),
        *("gold dep", "gold ps+dep"),
    ]
    for name, layer in zip(found["systems"], found["layers"][1:], strict=False):
        kinds = Counter(KINDS[kind] for kind in layer["kind"])
        expected = counts(result, name)
        assert {kind: kinds[kind] for kind in KINDS[1:]} == {kind: expected[kind] for kind in KINDS[1:]}


def test_changes_of_units_can_be_counted_item_by_item():
    result = crossed()
    found = json.loads(json.dumps(result.texts))
    assert [(row.a, row.b) for row in result.diffs] == [("eager", "pcfg"), ("eager", "hybrid"), ("pcfg", "hybrid")]
    for row in result.diffs:
        numbers = counted(found, found["systems"].index(row.a), found["systems"].index(row.b))
        assert row.on == found["on"]
        assert (numbers["correction"], numbers["new error"]) == (row.corrections, row.new_errors)
        assert (numbers["same error"], numbers["both right"]) == (row.same_error, row.both_right)
        assert numbers.total() == row.items


def test_units_lie_within_their_texts():
    found = crossed().texts
    assert len(found["words"]) == sum(found["lengths"])
    for rows in (found["items"], *found["layers"]):
        for text, begin, length in zip(accumulate(rows["text"]), rows["begin"], rows["length"], strict=True):
            assert 0 <= begin < begin + length <= found["lengths"][text]


def test_a_system_without_functions_is_compared_without_labels():
    result = crossed([f"eager@dep={TREES / 'arc-eager.conllu'}", f"pcfg@ps={TREES / 'pcfg-1.mrg'}"])
    found = result.texts
    assert found["on"] == "tedeval(labelled=false)"
    assert {found["labels"][code] for code in found["items"]["gold"] if code >= 0} == {UNLABELLED}
    for name, one in zip(found["systems"], found["items"]["systems"], strict=True):
        assert len(one["wrong"]) == counts(result, name)["delta"]


def test_only_sentences_with_errors_are_embedded_if_so_asked():
    found = crossed(embed="diff").texts
    assert found["how"] == "diff"
    assert 0 < found["embedded"] < found["total"]
    wrong = {place for one in found["items"]["systems"] for place in accumulate(one["wrong"])}
    texts = list(accumulate(found["items"]["text"]))
    assert {texts[place] for place in wrong} == set(range(found["embedded"]))


def test_sentences_are_left_out_unless_asked_for():
    assert cross(THEORIES, SYSTEMS, times=20).texts is None
