"""Six systems of the CoNLL 2018 shared task, each with tokens of its own, against the official figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay

FOLDER = "dep-conll2018-en_ewt"


@pytest.mark.parametrize(("column", "name"), [("UPOS", "UPOS"), ("XPOS", "XPOS"), ("LEMMA", "Lemmas")])
def test_figures_of_other_tokenisations_equal_those_of_the_shared_task(
    shared_data: Callable[[str], Path], column: str, name: str
) -> None:
    folder = shared_data(FOLDER)
    official = json.loads((folder / "expected.json").read_text("utf-8"))["systems"]
    systems = {system: str(folder / f"{system}.conllu") for system in official}
    result = assay.score(str(folder / "gold.conllu"), systems, "accuracy", column=column, times=1)
    counts = {row.system: row.counts for row in result.counts}
    empty = {source.name for source in result.systems if source.status == "column empty"}
    assert empty == ({"IBM-NY"} if column == "XPOS" else set())
    assert len(official) == 6
    assert counts.keys() | empty == official.keys()
    for system, figures in official.items():
        if system in empty:
            continue
        metric = figures["metrics"][name]
        counted = counts[system]
        assert [counted["gold"], counted["system"], counted["aligned"]] == [
            metric["gold"],
            metric["system"],
            metric["aligned"],
        ]
        if name != "Lemmas":
            assert counted["right"] == metric["correct"]
            assert result.score(system, "accuracy").value == pytest.approx(metric["f1"], abs=1e-12)


def test_the_table_of_the_shared_task_comes_out_in_one_run(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data(FOLDER)
    official = json.loads((folder / "expected.json").read_text("utf-8"))["systems"]
    systems = {system: str(folder / f"{system}.conllu") for system in official}
    result = assay.score(str(folder / "gold.conllu"), systems, preset="conll18", times=1)
    titles = (
        *("LAS", "MLAS", "BLEX", "UAS", "CLAS", "Tokens", "Sentences", "Words"),
        *("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    )
    measures = dict.fromkeys(row.measure for row in result.counts)
    ours = {(row.system, row.measure): row.value for row in result.scores if row.main and row.label is None}
    assert ours == pytest.approx(
        {
            (system, measure): figures["metrics"][title]["f1"]
            for system, figures in official.items()
            for measure, title in zip(measures, titles, strict=True)
        },
        abs=1e-12,
    )


def test_universal_features_and_all_tags_equal_those_of_the_shared_task(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data(FOLDER)
    official = json.loads((folder / "expected.json").read_text("utf-8"))["systems"]
    systems = {system: str(folder / f"{system}.conllu") for system in official}
    measures = {"ufeats": "UFeats", "alltags": "AllTags"}
    result = assay.score(str(folder / "gold.conllu"), systems, list(measures), times=1)
    assert len(result.counts) == 12
    for row in result.counts:
        metric = official[row.system]["metrics"][measures[row.measure]]
        assert row.counts == {
            "right": metric["correct"],
            **{name: metric[name] for name in ("gold", "system", "aligned")},
        }
    assert "IBM-NY: column XPOS is empty, so its scores there mean nothing." in result.warnings
