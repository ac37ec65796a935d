"""The files of eHealth-KD 2020: as many sentences, spans and relations are read as the shared task counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.formats import Input, read
from assay.formats.write import convert_file
from unit.samples import placed, related

FOLDER = "relations-ehealthkd2020"


@pytest.mark.parametrize(("part", "spans"), [("main", 574), ("task-b", 581)])
def test_all_relations_of_gold_and_systems_are_read(
    shared_data: Callable[[str], Path], tmp_path: Path, part: str, spans: int
) -> None:
    folder = shared_data(FOLDER)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[part]
    sizes = {}
    for name in ("gold", *expected):
        corpus = read(str(folder / part / name), input_format="brat(units=lines)")
        relations = corpus.marks["relations"]
        assert (corpus.sentences, len(corpus.marks.get("spans", ()))) == (100, spans) or name != "gold"
        sizes[name] = len(relations)
    for name, figures in expected.items():
        counts = figures["assay"]["counts"]
        assert sizes["gold"] == counts["gold"] + counts["duplicates gold"]
        assert sizes[name] == counts["system"] + counts["duplicates system"]


def test_files_of_brat_become_json_and_come_back(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    gold = str(shared_data(FOLDER) / "main" / "gold")
    texts, losses = convert_file(Input(gold), "jsonl", None)
    (tmp_path / "a.jsonl").write_text(texts[""], "utf-8")
    texts, more = convert_file(Input(str(tmp_path / "a.jsonl")), "brat", None)
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    before, after = read(gold), read(str(tmp_path / "scenario.ann"))
    assert (losses, more) == ([], [])
    assert (placed(after), sorted(related(after))) == (placed(before), sorted(related(before)))
