"""The report page as text: what is packed into it, and the code that it carries."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from html import escape, unescape
from itertools import combinations
from typing import Any

import pytest

import assay
from assay.demo import FOLDER
from assay.render.page import page, pages, script
from assay.result import Result, Results
from assay.result.chance import power_sentence
from assay.result.numbers import coefficient


@pytest.fixture(scope="module")
def result() -> Result:
    folder = FOLDER / "entities"
    systems = [str(folder / f"{name}.tsv") for name in ("rules", "crf-names", "spacy")]
    return assay.compare(str(folder / "gold.tsv"), systems, times=100, slices=("span-length",), embed="all")


def packed(result: Result, block: str = "data") -> str:
    found = re.search(rf'id="{block}">([^<]*)<', page(result))
    assert found
    return gzip.decompress(base64.b64decode(found[1])).decode("utf-8")


def test_each_two_systems_have_a_verdict_of_their_own(result):
    names = [system.name for system in result.systems]
    found = json.loads(packed(result))["pairs"]
    assert [(row["a"], row["b"]) for row in found] == list(combinations(names, 2))
    for row in found:
        own = tuple(one for one in result.comparisons if (one.a, one.b) == (row["a"], row["b"]))
        assert row["verdict"] == replace(result, comparisons=own).verdict
        assert row["a"] in row["verdict"] and row["b"] in row["verdict"]
        # What the head of the page says is not said again.
        head = (row["a"], row["b"]) == ("rules", "crf-names")
        significant = next(test for test in own if test in result.main_tests).is_significant
        assert [line.split()[0] for line in row["chance"]] == ([] if head or significant else ["With"])


def test_what_is_said_of_pairs_looks_at_each_test_a_few_times_alone(monkeypatch):
    """Not at all tests for each of them, which of 30 systems took half a minute."""
    systems = {f"s{n}": [["A"] * n + ["B"] * (12 - n)] * 3 for n in range(12)}
    result = assay.compare([["A"] * 12] * 3, systems, ["accuracy"], times=10)
    looked = 0
    found = Result.main_tests.fget

    def counted(self: Result) -> Any:
        nonlocal looked
        looked += len(self.comparisons)
        return found(self)

    monkeypatch.setattr(Result, "main_tests", property(counted))
    page(result)
    assert 0 < looked < 40 * len(result.comparisons)


def test_the_head_says_what_was_found_what_could_have_been_and_the_notes_once(result):
    written = page(replace(result, warnings=("Mind this.", "And <that>."), notes=("Mind this.",)))
    head = written[written.index('<main id="report"') : written.index('<div id="app"')]
    assert head.count(escape(result.verdict)) == 1
    best = next(test for test in result.comparisons if (test.a, test.b) == ("rules", "crf-names"))
    told = power_sentence(best, "sentence", result.about.units)
    assert told.startswith("With these 145 sentences, 77 of which differ between the systems, a true difference of ")
    assert "after correction for 6 tests." in told
    assert f"rules → crf-names: w{told[1:]}" in unescape(head)
    notes = "<ul><li>Mind this.</li><li>And &lt;that&gt;.</li></ul>"
    assert f'<details id="notes"><summary>2 notes</summary>{notes}</details>' in head
    # The tables of other pairs are in the exports where there are very many.
    assert "more tables" not in written
    assert written.count("<h2>Changes ") == 3


def test_pages_of_one_system_and_of_annotators_begin_with_a_sentence_too():
    folder = FOLDER / "german"
    gold, one, other = (str(folder / f"{name}.conllu") for name in ("gold", "hanta", "udpipe"))
    of_one = assay.score(gold, [one], times=20, measures=["accuracy"])
    assert f'<p class="verdict" id="verdict">{of_one.verdict}</p>' in page(of_one)
    most = max(of_one.confusion, key=lambda row: row.count)
    assert f"Most frequent errors: {most.gold} as {most.assigned} ({most.count})" in page(of_one)
    both = assay.agreement([one, other], times=20, measures=["kappa"])
    (score,) = [row for row in both.scores if row.main and row.label is None]
    assert f"The kappa between hanta and udpipe is {coefficient(score.value, 3)}" in both.verdict
    assert f'<p class="verdict" id="verdict">{both.verdict}</p>' in page(both)


def test_the_json_of_the_page_is_the_result_without_its_texts(result):
    assert packed(result, "export-JSON") == replace(result, texts=None).to_json()
    assert json.loads(packed(result))["texts"] == json.loads(result.to_json())["texts"]


def test_the_same_result_gives_the_same_page(result):
    assert page(result) == page(result)


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_no_others(result):
    sets = Results(result, {"one": result})
    for html in (page(result), *(text for _, text in pages(sets))):
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
        parts = dict(part.split(" ", 1) for part in policy.split("; "))
        assert parts["default-src"] == "'none'" and "unsafe" not in policy
        blocks = {"style-src": r"<style>(.*?)</style>", "script-src": r'<script type="module">(.*?)</script>'}
        for name, block in blocks.items():
            digests = [hashlib.sha256(text.encode()).digest() for text in re.findall(block, html, re.DOTALL)]
            hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
            assert parts.get(name, "") == hashes
        # Attributes of style are refused, and so are those of events.
        markup = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)
        assert not re.search(r'<[a-z][^<>]*\s(style|on[a-z]+)="', markup)
    assert 'setAttribute("style"' not in script()


def test_no_two_modules_of_the_page_have_a_name_in_common():
    names = re.findall(r"^(?:const|let|function|async function|class) +([\w$]+)", script(), re.MULTILINE)
    assert len(names) > 100
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_no_import_or_export_is_left_in_the_code_of_the_page():
    assert not re.search(r"^(?:import|export)\b", script(), re.MULTILINE)


def test_the_code_of_the_page_makes_no_markup_of_text():
    assert not re.search(r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(", script())
