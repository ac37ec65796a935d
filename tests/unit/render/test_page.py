"""The report page as text: what is packed into it, and the code that it carries."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

import assay
from assay.demo import FOLDER
from assay.render.page import page, script
from assay.result import Result


@pytest.fixture(scope="module")
def result() -> Result:
    folder = FOLDER / "entities"
    systems = [str(folder / f"{name}.tsv") for name in ("rules", "crf-names", "spacy")]
    return assay.compare(str(folder / "gold.tsv"), systems, times=100, slices=("span-length",), embed="all")


def packed(result: Result) -> Any:
    found = re.search(r'id="data">([^<]*)<', page(result))
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_each_two_systems_have_a_verdict_of_their_own(result):
    names = [system.name for system in result.systems]
    found = packed(result)["pairs"]
    assert [(row["a"], row["b"]) for row in found] == list(combinations(names, 2))
    for row in found:
        own = tuple(one for one in result.comparisons if (one.a, one.b) == (row["a"], row["b"]))
        assert row["verdict"] == replace(result, comparisons=own).verdict
        assert row["a"] in row["verdict"] and row["b"] in row["verdict"]


def test_the_json_of_the_page_is_the_result_without_its_texts(result):
    block = packed(result)
    assert block["exports"]["JSON"] == replace(result, texts=None).to_json()
    assert block["texts"] == json.loads(result.to_json())["texts"]


def test_the_same_result_gives_the_same_page(result):
    assert page(result) == page(result)


def test_no_two_modules_of_the_page_have_a_name_in_common():
    names = re.findall(r"^(?:const|let|function|async function|class) +([\w$]+)", script(), re.MULTILINE)
    assert len(names) > 100
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_no_import_or_export_is_left_in_the_code_of_the_page():
    assert not re.search(r"^(?:import|export)\b", script(), re.MULTILINE)


def test_the_code_of_the_page_makes_no_markup_of_text():
    assert not re.search(r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(", script())
