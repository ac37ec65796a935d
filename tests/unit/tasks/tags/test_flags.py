"""Columns in which a few words have a mark and all others are blank: blank counts as a label, or is refused."""

from __future__ import annotations

import pytest

import assay
from unit.samples import refusal

WORDS = [f"w{number}" for number in range(1, 11)]
GOLD, SYSTEM = {1, 5, 8}, {1, 3, 8, 9}


def flagged(places: set[int], key: str = "BeginSeg=Yes") -> str:
    rows = [f"{i}\t{w}" + "\t_" * 7 + "\t" + (key if i in places else "_") for i, w in enumerate(WORDS, 1)]
    return "\n".join(rows) + "\n\n"


@pytest.fixture
def files(file):
    return file("gold.conllu", flagged(GOLD)), {"s": file("s.conllu", flagged(SYSTEM))}


def test_a_flag_without_a_tag_for_blanks_is_refused(files, file):
    message = (
        "gold.conllu: MISC:BeginSeg has one label, Yes, and is blank at 7 words, so precision would be 100 for any "
        "system. If blank means no: --blank-tag _"
    )
    options = {"column": "MISC:BeginSeg", "task": "tags", "times": 10}
    assert refusal(assay.score, *files, "tag-f1", **options) == message
    # Two labels, or a column that is filled throughout, can be judged as ever; so can flags without blanks.
    file("gold.conllu", flagged(GOLD).replace("Yes", "No", 1))
    assert assay.score(*files, "accuracy", **options).about.items == 3
    file("gold.conllu", flagged({*range(1, 11)}))
    assert assay.score(*files, "accuracy", **options).about.items == 10


def test_a_blank_that_counts_is_a_label_but_for_macro_averages(files):
    result = assay.score(*files, "tag-f1", column="MISC:BeginSeg", task="tags", blank_tag="_", times=10)
    rows = {(row.label, row.score): row.value for row in result.scores}
    assert result.about.items == 10
    assert rows[None, "f1"] == pytest.approx(0.7)
    assert [rows["Yes", score] for score in ("precision", "recall", "f1")] == pytest.approx([2 / 4, 2 / 3, 4 / 7])
    assert rows[None, "macro-f1"] == pytest.approx(4 / 7)
    only = assay.score(*files, "tag-f1", column="MISC:BeginSeg", blank_tag="_", labels="Yes", times=10)
    assert only.score("s", "tag-f1").value == pytest.approx(4 / 7)


def test_a_system_that_is_blank_throughout_has_answered(files, file):
    file("s.conllu", flagged(set()))
    result = assay.score(*files, "tag-f1", column="MISC:BeginSeg", task="tags", blank_tag="_", times=10)
    assert {row.label: row.value for row in result.scores if row.score == "recall"} == {"Yes": 0, "_": 1, None: 0.7}


def test_in_folders_all_files_together_tell_a_flag(file, monkeypatch):
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    for name in ("gold", "s"):
        file(f"{name}/a.conllu", flagged(GOLD))
        file(f"{name}/b.conllu", flagged(GOLD, "BeginSeg=No"))
    options = {"column": "MISC:BeginSeg", "task": "tags", "times": 10}
    assert assay.score("gold", "s", "accuracy", **options).about.items == 6
    file("gold/b.conllu", flagged(GOLD))
    assert refusal(assay.score, "gold", "s", "accuracy", **options).startswith(
        "gold: MISC:BeginSeg has one label, Yes, and is blank at 14 words"
    )
