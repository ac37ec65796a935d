"""Several real data sets in one run: the figures that papers and their authors give for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import assay

Data = Callable[[str], Path]


def test_taggers_of_konvens_2019_on_two_registers(shared_data: Data) -> None:
    """Ortmann, Roussel and Dipper (2019): accuracy of three of their taggers."""
    folder = shared_data("pos-german-konvens2019")
    expected = json.loads((folder / "scores.json").read_text())
    systems = {name: f"{folder}/{{data}}/{name}.conll" for name in ("someweta", "corenlp", "stanfordnlp")}
    found = assay.compare_sets(f"{folder}/{{data}}/gold.conll", systems, "accuracy", column="XPOS", power=None)
    assert list(found.sets) == ["novelette", "wikipedia"]
    for row in found.overall.systems_over_sets:
        values = [expected[row.system][name]["xpos_acc_positional"] for name in found.sets]
        assert [round(100 * found[name].score(row.system, "accuracy").value, 2) for name in found.sets] == values
        assert abs(100 * row.average - sum(values) / 2) < 0.011
    assert "(94.35), averaged over these 2 data sets, 1.28 points above stanfordnlp" in found.overall.verdict


def test_table_1_of_ortmann_2022(shared_data: Data) -> None:
    """Traditional and fair precision, recall and F1 of two corpora in one table."""
    folder = shared_data("spans-faireval")
    found = assay.compare_sets(
        f"{folder}/{{data}}_spans.target.csv",
        {"system": f"{folder}/{{data}}_spans.system.csv"},
        ["exact", "fair"],
    )
    (table,) = [one for one in found.overall.tables if one.title == "Precision and recall by data set"]
    figures = {row[:2]: [round(100 * value, 2) for value in (*row[3:5], row[5][0])] for row in table.rows}
    assert figures == {
        ("chunk", "exact"): [97.20, 96.39, 96.79],
        ("chunk", "fair"): [97.86, 97.86, 97.86],
        ("ner", "exact"): [86.66, 83.51, 85.05],
        ("ner", "fair"): [90.42, 87.23, 88.80],
    }
