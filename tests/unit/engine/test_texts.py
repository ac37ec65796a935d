"""What a page draws and filters: the counts that can be made of it are those of the Result."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import assay
from assay.demo import FOLDER
from assay.engine import texts
from assay.engine.items import Items
from assay.result import Result

ENGLISH = [f"english/{name}.conllu" for name in ("gold", "crfsuite", "hanta", "nltk-tnt", "udpipe")]
TASKS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "tags": (ENGLISH, {"column": "XPOS"}),
    "graded tags": (ENGLISH, {"column": "XPOS", "tagset": "ptb", "measures": ["pa"]}),
    "spans": ([f"entities/{name}.tsv" for name in ("gold", "rules", "crf-names", "spacy")], {}),
    "dependencies": (
        [f"trees/{name}.conllu" for name in ("gold", "arc-eager", "arc-hybrid")],
        {"task": "dependencies"},
    ),
    "heads alone": ([f"trees/{name}.conllu" for name in ("gold", "arc-eager", "arc-hybrid")], {"measures": ["uas"]}),
    "constituents": ([f"trees/{name}.mrg" for name in ("gold", "pcfg-1", "pcfg-2")], {}),
    "coreference": (
        [
            f"coreference/{name}"
            for name in ("key.conll", "pronoun-rules.conll", "mention-pair.jsonl", "string-match.conll")
        ],
        {},
    ),
}


def compared(task: str, **more: Any) -> Result:
    files, options = TASKS[task]
    gold, *systems = (str(FOLDER / name) for name in files)
    chosen = dict(options)
    return assay.compare(gold, systems, chosen.pop("measures", None), times=20, **chosen, **{"embed": "auto", **more})


def column(sparse: dict[str, list[int]], usual: list[int]) -> list[int]:
    filled = list(usual)
    for place, value in zip(accumulate(sparse["at"]), sparse["values"], strict=True):
        filled[place] = value
    return filled


def counted(found: Any, a: int, b: int) -> Counter[str]:
    """The kinds of change from one system to another, item by item, as the page counts them."""
    items = found["items"]
    size = len(items["text"])
    owner = column(items["owner"], [-1] * size)
    wrong = [set(accumulate(one["wrong"])) for one in items["systems"]]
    alike = [column(one["alike"], [0] * size) for one in items["systems"]]
    numbers: Counter[str] = Counter()
    for item in range(size):
        if owner[item] >= 0 and all(items["systems"][one]["kind"][item] < 0 for one in (a, b)):
            continue
        pair = (item not in wrong[a], item not in wrong[b])
        if alike[a][item] == alike[b][item]:
            numbers["both right" if pair[0] else "same error"] += 1
        else:
            kinds = {(False, True): "correction", (True, False): "new error", (False, False): "changed error"}
            numbers[kinds.get(pair, "both right")] += 1
    return numbers


@pytest.mark.parametrize("task", TASKS)
def test_changes_can_be_counted_item_by_item(task):
    result = compared(task)
    found = json.loads(json.dumps(result.texts))
    diffs = [row for row in result.diffs if row.on == found["on"] and row.slice is None]
    assert len(diffs) == len(found["systems"]) * (len(found["systems"]) - 1) // 2
    for row in diffs:
        a, b = (found["systems"].index(name) for name in (row.a, row.b))
        numbers = counted(found, a, b)
        assert numbers["correction"] == row.corrections
        assert numbers["new error"] == row.new_errors
        assert numbers["changed error"] == row.changed_errors
        assert numbers["same error"] == row.same_error
        assert numbers["both right"] == row.both_right
        assert numbers.total() == row.items


@pytest.mark.parametrize(
    ("task", "cut"),
    [("tags", "sentence-length"), ("tags", "label"), ("spans", "span-length"), ("dependencies", "direction")],
)
def test_the_items_of_a_slice_are_those_that_its_diffs_count(task, cut):
    result = compared(task, slices=(cut,))
    found = json.loads(json.dumps(result.texts))
    items = found["items"]
    owner = column(items["owner"], [-1] * len(items["text"]))
    diffs = [row for row in result.diffs if row.on == found["on"] and row.slice is not None]
    assert {row.slice for row in diffs} == set(items["slices"])
    for row in diffs:
        kinds = [items["systems"][found["systems"].index(name)].get("kind") for name in (row.a, row.b)]
        members = accumulate(items["slices"][row.slice])
        assert sum(owner[item] < 0 or any(kind[item] >= 0 for kind in kinds) for item in members) == row.items


def test_a_slice_that_selects_an_added_span_under_one_system_only_is_not_marked():
    items = Items(
        systems=("a", "b"),
        labels=("X",),
        sentence=np.array([0, 0]),
        item=np.array([0, 0]),
        owner=np.array([-1, 0]),
        gold=np.array([0, -1]),
        answer=np.array([[0, 0], [0, 0]]),
        right=np.array([[True, False], [True, False]]),
        has_gold=np.array([True, False]),
        has_system=np.ones((2, 2), dtype=bool),
        kinds=("tp", "fp"),
        kind=np.array([[0, 1], [0, 1]]),
    )
    assert texts._members(items, items).tolist() == [True, True]
    assert texts._members(items, replace(items, kind=np.array([[0, 1], [0, -1]]))) is None


@pytest.mark.parametrize("task", TASKS)
def test_every_item_lies_within_its_text(task):
    found = compared(task).texts
    items, lengths = found["items"], found["lengths"]
    assert len(found["words"]) == sum(lengths)
    assert found["embedded"] == found["total"] == len(lengths) == len(found["ids"]) == len(found["places"])
    for text, begin, length in zip(accumulate(items["text"]), items["begin"], items["length"], strict=True):
        assert 0 <= begin < begin + length <= lengths[text]
    assert max(found["words"]) < len(found["vocabulary"]) == len(set(found["vocabulary"]))


@pytest.mark.parametrize("task", ["spans", "constituents", "coreference"])
def test_every_span_of_a_layer_lies_within_its_text(task):
    found = compared(task).texts
    for layer in found["layers"]:
        labels = layer.get("labels", found["layers"][0]["labels"])
        columns = zip(accumulate(layer["text"]), layer["begin"], layer["length"], layer["label"], strict=True)
        for text, begin, length, label in columns:
            assert 0 <= begin < begin + length <= found["lengths"][text]
            assert 0 <= label < len(labels)


def test_arcs_of_systems_are_told_by_their_differences_from_gold():
    found = compared("dependencies").texts
    gold, *systems = found["layers"]
    read = assay.read(str(FOLDER / "trees" / "gold.conllu"))
    heads = [int(read.column("HEAD")[word]) - 1 for word in range(len(read))]
    assert gold["heads"] == heads
    for layer, name in zip(systems, found["systems"], strict=True):
        output = assay.read(str(FOLDER / "trees" / f"{name}.conllu"))
        assert column(layer["heads"], heads) == [int(output.column("HEAD")[word]) - 1 for word in range(len(output))]
        relations = column(layer["relations"], gold["relations"])
        # Subtypes are not compared unless that is asked for.
        known = [label.partition(":")[0] for label in output.column("DEPREL").strings()]
        assert [gold["labels"][code] for code in relations] == known


def test_words_are_gold_words_in_order():
    found = compared("tags").texts
    read = assay.read(str(FOLDER / "english" / "gold.conllu"))
    assert [found["vocabulary"][code] for code in found["words"]] == read.forms.strings()


def test_a_document_tells_where_its_sentences_end():
    found = compared("coreference").texts
    assert sum(found["sentences"]) == len(found["sentence_lengths"])
    assert sum(found["sentence_lengths"]) == sum(found["lengths"])
    assert found["unit"] == "document"


def test_texts_without_an_error_can_be_left_out():
    everything, telling = compared("spans").texts, compared("spans", embed="diff").texts
    assert telling["how"] == "diff"
    assert 0 < telling["embedded"] < everything["embedded"] == telling["total"]
    a, b = 0, 1
    kinds = ("correction", "new error", "changed error", "same error")
    assert [counted(telling, a, b)[kind] for kind in kinds] == [counted(everything, a, b)[kind] for kind in kinds]


def test_of_too_many_texts_a_sample_is_kept_that_the_seed_decides(monkeypatch):
    monkeypatch.setattr(texts, "MOST_TEXTS", 7)
    found = compared("tags").texts
    assert (found["how"], found["embedded"], found["total"]) == ("sample", 7, 48)
    assert found["ids"] == compared("tags").texts["ids"]
    assert found["ids"] != compared("tags", seed=1).texts["ids"]
    assert np.all(np.diff([int(place.rpartition(":")[2]) for place in found["places"]]) > 0)


def test_without_being_asked_for_there_are_no_texts():
    assert compared("tags", embed="none").texts is None
