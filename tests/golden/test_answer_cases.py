"""The cases of cases/answers and cases/records/answers.jsonl, which were once misread.

How answers are read, where their mentions are found, and what that scores.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.formats.grounding import LEVELS, REPEATED, UNGROUNDED, Ground, SearchText
from assay.formats.shapes import read_answer
from cases import each

DATA = Path(__file__).parents[1] / "data"
CASES, MISREAD = (
    [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    for name in ("answer_cases.jsonl", "misread_answers.jsonl")
)
READ = [case for case in (*CASES, *MISREAD) if case["group"] not in ("strings", "scored")]
STRINGS = [
    (case, setting, expected)
    for case in CASES
    if case["group"] == "strings"
    for setting, expected in case["expected"].items()
]
SCORED = [case for case in CASES if case["group"] == "scored"]
NAMES = {"mode": "ground", "tol": "tolerance"}


def test_all_cases_are_there():
    assert (len(READ), len(STRINGS), len(SCORED)) == (71 + 68, 96, 7)


def options_of(case):
    """The options of a case under the names of the format."""
    return {NAMES.get(name, name): value for name, value in case["options"].items()}


@each("case", READ, ids=lambda case: case["id"])
def test_reading_and_grounding(case):
    options = options_of(case)
    ground = Ground(
        LEVELS.index(options.get("ground", "fuzzy")),
        options.get("tolerance", 0.2),
        options.get("occurrences") == "all",
    )
    reading = read_answer(case["answer"], case["text"], case["labels"], label=options.get("label", ""))
    found = list(SearchText(case["text"]).ground(reading.mentions, reading.plain, ground))
    assert {
        "status": reading.status,
        "spans": sorted([*one.place, one.mention.label, LEVELS[one.level]] for one in found if one.place),
        "ungrounded": [[one.mention.text, one.mention.label] for one in found if one.level == UNGROUNDED],
        "repeated": sum(one.level == REPEATED for one in found),
        "outside": sorted({one.label for one in reading.mentions} - {*case["labels"]}),
    } == case["expected"]


def written(path, documents):
    """A file of texts with spans, given as text and [start, end, label]."""
    rows = [{"id": f"d{number}", "text": text, "label": spans} for number, (text, spans) in enumerate(documents)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def placed(pairs, others):
    """A text that has all of these strings, and the spans of some of them there."""
    text, spans, rest = "", [], []
    for number, (string, label) in enumerate([*pairs, *others]):
        (spans if number < len(pairs) else rest).append([len(text), len(text) + len(string), label])
        text += f"{string} | "
    return text or "nothing", spans, rest


@each("case, setting, expected", STRINGS, ids=lambda row: f"{row[0]['id']} {row[1]}")
def test_strings(case, setting, expected, tmp_path):
    rows = [placed(document["gold"], document["system"]) for document in case["documents"]]
    gold = written(tmp_path / "gold.jsonl", [(text, ours) for text, ours, _ in rows])
    system = written(tmp_path / "system.jsonl", [(text, theirs) for text, _, theirs in rows])
    if not any(ours or theirs for _, ours, theirs in rows):
        with pytest.raises(assay.AssayError, match="there is nothing to score"):
            assay.score(gold, {"s": system}, [f"strings({setting})"], times=2)
        assert expected["f1"] is None
        return
    result = assay.score(gold, {"s": system}, [f"strings({setting})"], times=2)
    counts = next(row.counts for row in result.counts if row.label is None)
    names = ("tp", "fp", "fn")
    assert [counts[name] for name in names] == [expected[name] for name in names]
    assert result.scores[0].value == pytest.approx(expected["f1"][1], abs=1e-12)


@each("case", SCORED, ids=lambda case: case["id"])
def test_scores_of_exact(case, tmp_path):
    expected = case["expected"]
    # A further document, right in every case, so that there is something to score.
    documents = [(case["text"], case["gold"]), ("Rome", [[0, 4, "LOC"]])]
    gold = written(tmp_path / "gold.jsonl", documents)
    system = assay.answers([case["answer"], "Rome (LOC)"], labels=case["labels"], **options_of(case))
    result = assay.score(gold, {"s": system}, ["exact"], times=2, slices="document")
    counts = next(row.counts for row in result.counts if row.label is None and row.slice == "document=d0")
    assert [counts[name] for name in ("tp", "fp", "ungrounded", "fn")] == [
        expected[name] for name in ("tp", "fp", "ungrounded", "fn")
    ]
    scores = {row.score: row.value for row in result.scores if row.slice == "document=d0" and row.measure == "exact"}
    for name in ("precision", "recall", "f1"):
        value = float("nan") if expected[name] is None else expected[name]
        assert scores[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name
    assert [getattr(result.answers[0], expected["status"])] == [2 if expected["status"] == "parsed" else 1]
