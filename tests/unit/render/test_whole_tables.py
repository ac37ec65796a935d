"""Tables of changes and of error types are whole, however many labels there are."""

from __future__ import annotations

import assay
from assay.demo import FOLDER
from assay.render import render
from assay.render.tables import tables
from assay.render.terminal import draw_text
from unit.samples import spans

LANGUAGES = ("english", "german")


def test_changes_list_all_rows_of_each_kind() -> None:
    folder = FOLDER / "english"
    systems = [folder / "udpipe.conllu", folder / "hanta.conllu"]
    result = assay.compare(folder / "gold.conllu", systems, times=20)
    (diff,) = [row for row in result.diffs if row.on == "accuracy"]
    block = render(result, "tsv", ["changes"]).split("\n\n")[0].splitlines()
    assert len(block) == 2 + 3 + len(diff.changes)
    assert len(diff.changes) > 15
    assert "json" not in draw_text(result, ["changes"]).partition("assay:")[0]


def test_errors_by_label_and_type_are_listed_if_there_are_many_labels() -> None:
    labels = "ABCDEFGHIJKLMN"
    gold = spans(*(f"{label}1" for label in labels))
    system = spans(*(f"{'A' if label in 'BCD' else label}{2 if label == 'E' else 1}" for label in labels))
    result = assay.score(gold, {"s": system}, ["fair"], times=20)
    shown = render(result, "tsv", ["confusion"]).splitlines()
    assert shown[0] == "# Errors of s by label and type"
    assert shown[1].split("\t") == ["gold", "system", "type", "spans", "share"]
    rows = [line.split("\t") for line in shown[2 : shown.index("")]]
    assert sorted(row[:3] for row in rows if row[2] == "LE") == [[label, "A", "LE"] for label in "BCD"]
    assert sum(int(row[3]) for row in rows) == sum(row.count for row in result.confusion if row.type != "tp")
    assert sum(float(row[4]) for row in rows) > 99.9


def test_degrees_of_correctness_are_listed_by_data_set_on_average_and_all_together() -> None:
    gold, outputs = ({name: FOLDER / name / f"{file}.conllu" for name in LANGUAGES} for file in ("gold", "hanta"))
    others = {name: FOLDER / name / "udpipe.conllu" for name in LANGUAGES}
    options = {"column": "XPOS", "tagset": "atomic", "times": 20}
    results = assay.compare_sets(gold, {"hanta": outputs, "udpipe": others}, ["pa"], **options)
    (table,) = [one for one in tables(results.overall) if one.title.startswith("Degrees of correctness")]
    assert table.header == ("system", "data set", "strong", "weak", "precision", "recall", "f1")
    rows = {row[1].text: float(row[2].text) for row in table.rows if row[0].text == "hanta"}
    scores = [100 * results[name].score("hanta", "pa", "strong").value for name in LANGUAGES]
    assert rows["mean"] == round(sum(scores) / 2, 2)
    assert rows["± sd"] == round(abs(scores[0] - scores[1]) / 2**0.5, 2)
    words = [results[name].about.items for name in LANGUAGES]
    right = sum(score * number for score, number in zip(scores, words, strict=True))
    assert rows["all together"] == round(right / sum(words), 2)
