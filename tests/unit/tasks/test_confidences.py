"""Confidences of spans, relations and links: read, ranked, cut off by a threshold, and thresholds chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from commands import call

SPANS = next(
    case
    for line in (Path(__file__).parents[2] / "data" / "item_cases.jsonl").read_text("utf-8").splitlines()
    if (case := json.loads(line))["kind"] == "span-confidence"
)
TEXT = "abcdefghijklmnopqrstuvwxyz"


def documents(rows: list[list[Any]], key: str = "score", lead: str = "") -> str:
    """Documents of JSON lines with these spans; the fifth cell of a row is its confidence."""
    lines = []
    for document in ("d1", "d2"):
        spans = [
            {"start": row[1], "end": row[2], "label": row[3], **({key: float(row[4])} if len(row) > 4 else {})}
            for row in rows
            if row[0] == document
        ]
        lines.append(json.dumps({"id": lead + document, "text": TEXT, "spans": spans}))
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, rows, lead in (("gold", "gold", ""), ("a", "system", ""), ("test", "gold", "t"), ("b", "system", "t")):
        (tmp_path / f"{name}.jsonl").write_text(documents(SPANS[rows], lead=lead), "utf-8")
    return tmp_path


@pytest.mark.parametrize("key", ["score", "confidence", "prob"])
def test_spans_are_ranked_by_their_confidence(files: Path, key: str) -> None:
    (files / "a.jsonl").write_text(documents(SPANS["system"], key), "utf-8")
    result = assay.score(str(files / "gold.jsonl"), str(files / "a.jsonl"), "fair", times=10)
    curve, expected = result.curve("a"), SPANS["expected"]
    assert curve.average_precision == pytest.approx(expected["average-precision"][1])
    assert curve.highest_recall == expected["highest recall"][1]
    found = [(point.threshold, point.tp, point.fp, point.fn) for point in curve.points]
    assert found == [(row["threshold"], row["tp"], row["fp"], row["fn"]) for row in expected["curve"]]
    assert result.calibration("a").items == 5


def test_parts_give_the_same_curve(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source, side in (("gold", "g"), ("a", "s")):
        (files / side).mkdir()
        for number, line in enumerate((files / f"{source}.jsonl").read_text("utf-8").splitlines()):
            (files / side / f"{number}.jsonl").write_text(line, "utf-8")
    whole = json.loads(call("score", "g", "a=s", "--times", "10", "--format", "json", folder=files).stdout)
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    for number in ("1", "2"):
        call("score", "g", "a=s", "--times", "10", "--partial", number, "--shard", f"{number}/2", folder=files)
    merged = json.loads(call("merge", "1", "2", "--format", "json", folder=files).stdout)
    assert len(merged["curves"][0]["points"]) == 4
    assert all(merged[name] == whole[name] for name in ("curves", "calibrations", "thresholds"))


def test_spans_below_the_threshold_do_not_count(files: Path) -> None:
    gold, system = str(files / "gold.jsonl"), {"a": str(files / "a.jsonl")}
    for least in (0.9, "0.9", "a=0.9", {"a": 0.9}):
        result = assay.score(gold, system, "exact", times=10, min_score=least)
        assert result.score("a", "exact", "precision").value == pytest.approx(2 / 3)
    assert "a: 2 spans have a score below 0.9 and do not count (--min-score)." in result.warnings
    assert [row.value for row in result.thresholds if row.applied] == [0.9]
    with pytest.raises(assay.AssayError, match=r"gold\.jsonl: contains no scores, which --min-score needs"):
        assay.score(gold, {"b": gold}, min_score=0.5)


def test_thresholds_are_chosen_on_other_data(files: Path) -> None:
    done = call("score", "gold.jsonl", "a.jsonl", "--choose", "exact", "-o", "chosen.json", folder=files)
    assert (done.returncode, done.stdout) == (0, "")
    chosen = json.loads((files / "chosen.json").read_text("utf-8"))
    assert (chosen["measure"], chosen["thresholds"]["a"]["value"]) == ("exact", 0.3)
    again = call("score", "gold.jsonl", "a.jsonl", "--min-score", "chosen.json", folder=files)
    assert again.returncode == 2
    assert "was chosen on the same items (gold.jsonl)" in again.stderr
    other = call("score", "test.jsonl", "a=b.jsonl", "--min-score", "chosen.json", "--format", "json", folder=files)
    (row,) = (row for row in json.loads(other.stdout)["thresholds"] if row["applied"])
    assert (row["value"], row["chosen_on"]) == (0.3, chosen["gold"]["sha256"])
    unnamed = call("score", "test.jsonl", "b.jsonl", "--min-score", "chosen.json", folder=files)
    assert "a threshold for a, but none for b" in unnamed.stderr


@pytest.mark.parametrize(
    ("goal", "threshold"), [("precision>=0.9", 0.95), ("recall >= 0.5", 0.9), ("recall>=.6", 0.3), ("f1", 0.3)]
)
def test_thresholds_by_a_least_value(files: Path, goal: str, threshold: float) -> None:
    done = call("score", "gold.jsonl", "a.jsonl", "--choose", goal, folder=files)
    assert json.loads(done.stdout)["thresholds"]["a"]["value"] == threshold


@pytest.mark.parametrize(
    ("goal", "system", "refused"),
    [
        ("recall>=0.9", "a.jsonl", "no threshold of a reaches this"),
        ("fair", "a.jsonl", "its main score (f1) is not computed at each threshold"),
        ("exact", "gold.jsonl", "no system gives confidences for its answers"),
    ],
)
def test_thresholds_that_cannot_be_chosen(files: Path, goal: str, system: str, refused: str) -> None:
    done = call("score", "gold.jsonl", system, "--choose", goal, folder=files)
    assert done.returncode == 2
    assert refused in done.stderr


def test_relations_of_dygie_have_the_last_number_as_confidence(tmp_path: Path) -> None:
    words = {"doc_key": "d", "sentences": [["Ann", "met", "Bob", "in", "Rome"]]}
    gold = {"ner": [[[0, 0, "PER"], [2, 2, "PER"], [4, 4, "LOC"]]], "relations": [[[0, 0, 2, 2, "met"]]]}
    found = {
        "predicted_ner": [[[0, 0, "PER", 9.1, 0.9], [2, 2, "PER", 8.2, 0.8], [4, 4, "LOC", 7.0, 0.7]]],
        "predicted_relations": [[[0, 0, 2, 2, "met", 3.5, 0.6], [2, 2, 4, 4, "in", 1.5, 0.4]]],
    }
    for name, layers in (("gold", gold), ("a", found)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**words, **layers}) + "\n", "utf-8")
    paths = str(tmp_path / "gold.jsonl"), str(tmp_path / "a.jsonl")
    result = assay.score(*paths, times=10)
    assert [(point.threshold, point.tp, point.fp) for point in result.curve("a").points] == [(0.6, 1, 0), (0.4, 1, 1)]
    kept = assay.score(*paths, times=10, min_score=0.5)
    assert kept.score("a", "relations(match=strict)", "precision").value == 1
    spans = assay.score(*paths, times=10, task="spans")
    assert [point.threshold for point in spans.curve("a").points] == [0.9, 0.8, 0.7]


def test_links_have_the_score_of_their_first_candidate(tmp_path: Path) -> None:
    rows = {"gold": "d1\t0\t4\tQ1\t1\tLOC\nd1\t6\t8\tQ2\t1\tLOC\n"}
    rows["a"] = "d1\t0\t4\tQ5\t0.2\tLOC\tQ1\t0.7\tLOC\nd1\t6\t8\tQ3\t0.9\tLOC\n"
    for name, text in rows.items():
        (tmp_path / f"{name}.tab").write_text(text, "utf-8")
    result = assay.score(str(tmp_path / "gold.tab"), {"a": str(tmp_path / "a.tab")}, "links", times=10)
    assert [(point.threshold, point.tp, point.fn) for point in result.curve("a").points] == [(0.9, 0, 2), (0.7, 1, 1)]


def test_confidences_of_label_studio_and_words_in_place_of_numbers(tmp_path: Path) -> None:
    def task(key: str = "predictions", **more: Any) -> str:
        value = {"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}
        result = [{"id": "r", "type": "labels", "value": value, **more}]
        return json.dumps([{"id": 1, "data": {"text": "Ann met"}, key: [{"result": result}]}])

    for name, text in (("gold", task("annotations")), ("a", task(score=0.8)), ("b", task(score="high"))):
        (tmp_path / f"{name}.json").write_text(text, "utf-8")
    names = {name: str(tmp_path / f"{name}.json") for name in ("a", "b")}
    result = assay.score(str(tmp_path / "gold.json"), names, times=10)
    assert [(row.system, row.points[0].threshold) for row in result.curves] == [("a", 0.8)]
    assert any("not numbers, and were not read: 1" in text for text in (*result.notes, *result.warnings))
