"""A page for each kind of annotation that other tests do not open: it is whole, and shows what is in the files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.tasks.cross.test_texts import crossed

import assay
from assay.result import Result

CHOICES = ("yes", "no")
SYSTEMS = [f"prompt-{number}" for number in range(7)]
CHOSEN = {"times": 5, "embed": "all"}


def events(folder: Path) -> Result:
    words = ["Rebels", "attacked", "the", "old", "bridge", "."]
    for name, roles in {
        "gold": ("Attacker", "Target"),
        "a": ("Attacker", "Place"),
        "b": ("Target", "Target"),
    }.items():
        arguments = [[0, 1, roles[0]], [2, 5, roles[1]]]
        event = {"trigger": [1, 2, "Attack"], "arguments": arguments}
        line = json.dumps({"doc_id": "d1", "tokens": words, "events": [event]})
        (folder / f"{name}.jsonl").write_text(f"{line}\n", encoding="utf-8")
    return assay.compare(*paths(folder, "jsonl"), **CHOSEN)


def nested_without_words(folder: Path) -> Result:
    rows = {"gold": ("person", "place"), "a": ("person", "person"), "b": ("place", "place")}
    for name, (outer, inner) in rows.items():
        lines = [f"{outer}\t1\t6\t1, 2, 3, 4, 5, 6", f"{inner}\t3\t4\t3, 4", ""]
        (folder / f"{name}.tsv").write_text("\n".join([*lines, *lines, ""]), encoding="utf-8")
    return assay.compare(*paths(folder, "tsv"), **CHOSEN)


def logs(folder: Path) -> Result:
    for name, right in (("a", (1, 0, 1)), ("b", (1, 1, 0))):
        lines = []
        for number, is_right in enumerate(right):
            calls = {
                f"gen_args_{place}": {"arg_0": f"Is {number} odd?\nAnswer:", "arg_1": f" {choice}"}
                for place, choice in enumerate(CHOICES)
            }
            values = [["-1.5", "False"], ["-4.0", "False"]]
            lines.append(
                {
                    **{"doc_id": number, "doc": {"subject": "logic"}, "target": "0", "arguments": calls},
                    **{"filtered_resps": values if is_right else values[::-1], "filter": "none"},
                    **{"metrics": ["acc"], "acc": float(is_right)},
                }
            )
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return assay.compare(None, {name: str(folder / f"{name}.jsonl") for name in "ab"}, **CHOSEN)


def many_items(_: Path) -> Result:
    gold = {"m1": "praise", "m2": "complaint about delivery"}
    return assay.compare(gold, {name: {**gold, "m1": "complaint about delivery"} for name in SYSTEMS}, **CHOSEN)


def many_fields(_: Path) -> Result:
    record = {f"section_{part}": {f"field_with_a_long_name_{n}": n for n in range(3)} for part in range(3)}
    gold = [{"id": f"d{number}", "text": "A form. " * 300, "record": record} for number in range(2)]
    wrong = [{"id": one["id"], "record": {**record, "section_1": {}}} for one in gold]
    return assay.compare(gold, {name: wrong if number else gold for number, name in enumerate(SYSTEMS)}, **CHOSEN)


def frameworks(_: Path) -> Result:
    return crossed()


def paths(folder: Path, ending: str) -> tuple[str, dict[str, str]]:
    gold, *systems = (str(folder / f"{name}.{ending}") for name in ("gold", "a", "b"))
    return gold, dict(zip("ab", systems, strict=True))


# What the page of each kind says where its sentence or item is.
SHOWN: dict[Callable[[Path], Result], tuple[str, ...]] = {
    events: ("Attack", "✗ Place", "✗ Target", "Rebels"),
    nested_without_words: ("person", "place", "✗ person"),
    logs: ("Is 0 odd?", "0: yes", "1: no", "✓ 0"),
    many_items: ("praise", "complaint about delivery", *SYSTEMS),
    many_fields: ("section_1.", "field_with_a_long_name_2", "missing"),
    frameworks: ("spurious", "gold dep", "generalised"),
}


@pytest.mark.parametrize("make", SHOWN, ids=lambda make: make.__name__)
def test_the_page_of_each_kind_is_whole(opened, tmp_path, make):
    result = make(tmp_path)
    report = opened(result)
    page = report.page
    assert page.inner_text("#verdict") == result.verdict
    assert report.number("items") > 0
    drawn = page.text_content("#drawing")
    assert [text for text in SHOWN[make] if text not in drawn] == []
    assert page.locator("#drawing [data-item]").count() > 1 or make in (logs, many_items)
    said = page.locator("main").inner_text().count("The files contain no words.")
    assert said == (make is nested_without_words)
    # Names of fields and systems are not cut, and nothing is wider than a phone.
    cut = "cells => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)"
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("#drawing tbody th:visible").evaluate_all(cut) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert report.seen.errors == []
