"""Exports of Label Studio and faulty brat files: whose annotation is read, what is left out, and what is mended."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import assay
from assay.corpus import Corpus
from assay.errors import AssayError
from assay.formats import Input
from assay.formats.whose import Asked
from cases import each

DATA = Path(__file__).parents[1] / "data" / "doors"
READINGS = json.loads((DATA / "expected.json").read_text("utf-8"))
COMMANDS = {case["id"]: case for case in json.loads((DATA / "commands.json").read_text("utf-8"))}


def read(case: dict[str, Any]) -> Corpus:
    said = case.get("say", {})
    side = said.get("as", "gold")
    asked = Asked(side, said.get("which", ""), said.get("repair", ""), side == "system")
    return Input(str(DATA / case["path"]), asked=asked).read()


def placed(corpus: Corpus, document: int) -> list[tuple[Any, str]]:
    spans = corpus.spans
    rows = zip(spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), spans.labels.strings(), strict=True)
    return sorted(
        (spans.stretches.get(number, ((begin, end),)), label)
        for number, (sentence, begin, end, label) in enumerate(rows)
        if sentence == document
    )


@each("case", READINGS, ids=lambda case: case["id"])
def test_readings(case):
    if case["outcome"] == "refused":
        try:
            read(case)
        except AssayError as error:
            assert all(name in str(error) for name in case["names"]), error
            return
        raise AssertionError("read")
    corpus, documents = read(case), case["documents"]
    ids = [one["id"] for one in documents] if case["path"].endswith(".json") else [None] * len(documents)
    assert (list(corpus.document_ids) if corpus.by_id else [None] * corpus.documents) == ids
    assert list(corpus.texts or ()) == [one["text"] for one in documents]
    for number, one in enumerate(documents):
        expected = sorted((tuple(map(tuple, span["at"])), span["label"]) for span in one["spans"])
        assert placed(corpus, number) == expected
    related = corpus.marks.get("relations")
    found = [] if related is None else related.labels.strings()
    assert found == [relation[0] for one in documents for relation in one.get("relations", ())]
    assert Counter(reason for _, _, reason in corpus.left_out) == case.get("left_out", {})
    if case["path"] == "brat/clean.ann":
        relations = {action: number for fault, action, number, _ in corpus.repairs if "relations" in fault}
        spans = sum(number for fault, _, number, _ in corpus.repairs if "relations" not in fault)
        noted = case["noted"]
        assert relations == {"dropped": noted.pop("relations dropped with their spans")}
        assert spans == sum(noted.values())
    elif "noted" in case:
        assert [int(note.rpartition(": ")[2].rstrip(".")) for note in corpus.notes if "offsets" in note] == [
            number for name, number in case["noted"].items() if name.startswith("offsets")
        ] or "choices" in str(case["noted"])


def counted(result: assay.Result, system: str) -> dict[str, Any]:
    row = next(row for row in result.counts if (row.system, row.label, row.slice) == (system, None, None))
    return {name: row.counts.get(name, 0) for name in ("tp", "fp", "fn")}


def check_counts(result: assay.Result, system: str, expected: dict[str, Any]) -> None:
    found = counted(result, system)
    assert found == {name: expected[name] for name in found}
    f1 = next(row.value for row in result.scores if (row.system, row.score, row.label) == (system, "f1", None))
    assert abs(f1 - Fraction(expected["f1"])) < 1e-12


def test_gold_leaves_out_what_nobody_annotated_and_so_do_systems():
    export, expected = str(DATA / "labelstudio" / "mixed.json"), COMMANDS["ls-mixed"]["expected"]
    result = assay.score(export, {"m1": export}, "exact", which={"m1": "predictions"}, times=5)
    check_counts(result, "m1", expected["exact"])
    assert (result.about.units, result.gold.left_out) == (expected["units"], expected["left_out"])
    assert assay.Result.from_json(result.to_json()).gold.left_out == expected["left_out"]
    assert result.warnings[0] == (
        "gold: 2 of 4 documents are left out, also of the systems (1 not annotated and 1 skipped)."
    )
    # Predictions without ids correspond by their numbers in the file.
    bare = str(DATA / "labelstudio" / "predictions.json")
    check_counts(assay.score(export, {"m1": bare}, "exact", times=5), "m1", expected["exact"])


def test_documents_without_a_prediction_are_scored_as_empty_on_request():
    export, expected = str(DATA / "labelstudio" / "two.json"), COMMANDS["ls-two-models"]["expected"]
    systems, which = {"m1": export, "m2": export}, ("gold=1", "m1=model:m1", "m2=model:m2")
    result = assay.compare(export, systems, "exact", which=which, missing="empty", times=5)
    for system in systems:
        check_counts(result, system, expected[system])
    assert result.systems[1].left_out == {"without predictions": 2}
    assert "m2: without 2 documents: 12, 14, scored as empty." in result.warnings
    try:
        assay.compare(export, systems, "exact", which=which, times=5)
    except AssayError as error:
        lacking = f"{export}: lacks the documents 12, 14, which {export} has. To score them as empty: --missing empty"
        assert str(error) == lacking
    else:
        raise AssertionError("scored")
