"""Commands on files as tools write them: columns and annotators of one file, and what a file contains."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from cases import each
from commands import call

DATA = Path(__file__).parents[1] / "data" / "doors"
COMMANDS = {case["id"]: case for case in json.loads((DATA / "commands.json").read_text("utf-8"))}
READINGS = {case["id"]: case for case in json.loads((DATA / "expected.json").read_text("utf-8"))}
OTHERS = {"adjudicate", "convert-labelstudio", "convert-hf-nested"}
"""Commands that write files, which other tests are about."""


def run(case: str, *more: str) -> tuple[dict[str, Any], str, int]:
    """The Result as JSON, what was said beside it, and the exit code."""
    done = call(*COMMANDS[case]["args"], "--times", "5", "--format", "json", *more, folder=DATA)
    return json.loads(done.stdout or "{}"), done.stderr, done.returncode


def check_counts(result: dict[str, Any], system: str, expected: dict[str, Any], where: str | None = None) -> None:
    key = {"system": system, "label": None, "slice": where}
    of_pair = next(row["counts"] for row in result["counts"] if key.items() <= row.items())
    assert {name: of_pair.get(name, 0) for name in ("tp", "fp", "fn")} == {
        name: expected[name] for name in ("tp", "fp", "fn")
    }
    scores = (row for row in result["scores"] if {**key, "score": "f1"}.items() <= row.items())
    assert abs(next(scores)["value"] - Fraction(expected["f1"])) < 1e-12


@each("case", [case for case in COMMANDS if case not in OTHERS])
def test_commands(case):
    result, said, code = run(case)
    expected = COMMANDS[case]["expected"]
    if "refused" in expected:
        assert code == 2 and said.count("\n") == 1 and all(name in said for name in expected["refused"]), said
        return
    assert code == 0, said
    if "annotators" in expected:
        assert [row["name"] for row in result["systems"]] == expected["annotators"]
        check_counts(result, " ~ ".join(expected["annotators"]), expected["exact"])
        assert result["about"]["units"] == expected.get("documents of both", result["about"]["units"])
        return
    if "label" in expected:
        key = {"label": expected["label"], "score": "f1"}
        f1 = next(row["value"] for row in result["scores"] if key.items() <= row.items())
        assert abs(f1 - Fraction(expected["f1"])) < 1e-12
        return
    for name, wanted in expected.items():
        if name == "units":
            assert result["about"]["units"] == wanted
        elif name == "left_out":
            assert result["gold"]["left_out"] == wanted
        elif name in ("warned", "said"):
            assert all(text in (said if name == "said" else said.splitlines()[0]) for text in wanted), said
        elif name == "exact":
            check_counts(result, "m1", wanted)
        elif "tp" in wanted:
            check_counts(result, name, wanted)
        else:
            for value, numbers in wanted.items():
                check_counts(result, name, numbers, f"meta:genre={value}")
    assert "same content as gold" not in said


@each("case", [name for name, case in READINGS.items() if "holds" in case])
def test_contents(case):
    holds, found = READINGS[case]["holds"], assay.describe(DATA / READINGS[case]["path"])
    for what, wanted in holds.items():
        if what in ("annotators", "models", "layers"):
            names = [*getattr(found, what)]
            names = [name.rpartition(".")[2] for name in names] if what == "layers" else names
            assert sorted(names) == sorted(wanted)
        elif what == "documents":
            assert found.documents == wanted
        else:
            assert found.statuses[what] == wanted


def test_contents_of_an_export():
    found = assay.describe(DATA / "labelstudio" / "two.json")
    assert (found.format, found.told_by, found.shape) == ("jsonl", "first lines", "Label Studio JSON")
    assert (found.documents, found.annotators) == (4, {"1": 4, "ben@example.org": 2})
    assert found.models == {"m1": 4, "m2": 2}
    assert (found.statuses, found.offsets) == ({"ground truth": 1, "skipped": 1}, {"UTF-16 units": 2})
    # Spans of all annotators and models.
    assert found.layers["label"].labels == {"PER": 7, "ORG": 4, "LOC": 4, "FIND": 2}
    assert found.metadata == {"genre": 2, "year": 3}
    done = call("formats", "labelstudio/two.json", "--format", "json", folder=DATA)
    assert json.loads(done.stdout)["annotators"] == found.annotators
    lines = call("formats", "labelstudio/two.json", folder=DATA).stdout.splitlines()
    assert lines[0] == "labelstudio/two.json: jsonl, Label Studio JSON (recognised by its first lines)"
    assert "  annotators, with their documents: 1 (4), ben@example.org (2)" in lines


def test_contents_of_columns_and_of_faulty_files():
    found = assay.describe(DATA / "columns" / "both.txt")
    assert [(name, layer.number) for name, layer in found.layers.items()] == [("2", 6), ("3", 6), ("4", 6)]
    faulty = assay.describe(DATA / "brat" / "clean.ann")
    assert faulty.told_by == "ending" and len(faulty.faults) == 5 and "clean.ann:1" in faulty.faults[0]
    assert not assay.describe(DATA / "brat" / "clean.ann", repair="mend").faults
    assert "There is no format 'nosuch'" in call("formats", "nosuch").stderr.replace("there", "There")
    assert "is a file and conllu a format" in call("formats", "conllu", "labelstudio/two.json", folder=DATA).stderr


def test_every_file_is_described_or_refused_in_one_line():
    for path in sorted(DATA.rglob("*.*")):
        try:
            assert next(assay.describe(path).lines()).startswith(str(path))
        except AssayError as error:
            assert str(error)


def test_annotators_of_a_project_are_compared():
    result = assay.agreement(DATA / "inception", "exact", missing="absent", times=5)
    assert [(row.name, row.which) for row in result.systems] == [("anna", "annotator:anna"), ("ben", "annotator:ben")]


def test_a_refusal_of_a_choice_names_the_command_that_shows_all():
    with pytest.raises(AssayError, match="; all that it contains: assay formats ") as caught:
        assay.score(DATA / "labelstudio" / "two.json", {"m1": DATA / "labelstudio" / "two.json"}, "exact")
    assert "to compare all of them: assay agreement" in str(caught.value)


def test_outputs_say_whose_annotation_was_read_and_what_was_left_out(tmp_path):
    result, _, _ = run("ls-mixed", "--html", str(tmp_path / "page.html"))
    own = {"shape": "Label Studio JSON", "which": "annotations", "documents": 2, "offsets": {"UTF-16 units": 1}}
    left = [["11", "not annotated"], ["13", "skipped"]]
    assert {**own, "documents_left_out": left}.items() <= result["gold"].items()
    page = (tmp_path / "page.html").read_text("utf-8")
    line = (
        "gold: annotations in labelstudio/mixed.json (Label Studio JSON), 2 of 4 documents: 1 not annotated and 1 "
        "skipped are left out"
    )
    assert f"<summary>Data</summary><ul><li>{line}</li>" in page
    assert "gold: without 11 (not annotated), 13 (skipped)" in page
    shown = call(*COMMANDS["ls-mixed"]["args"], "--times", "5", "--format", "md", folder=DATA).stdout
    assert f"*{line}*" in shown.replace("\\", "")
    models, _, _ = run("ls-two-models")
    assert [(row["which"], row["documents"]) for row in models["systems"]] == [("model:m1", 4), ("model:m2", 2)]
    columns, _, _ = run("columns-side-by-side")
    assert [row["column"] for row in (columns["gold"], *columns["systems"])] == ["2", "3", "4"]


def test_a_file_with_layers_has_one_for_each_side(tmp_path):
    spans = [
        {"id": f"{layer}{start}", "start": start, "end": end, "label": label, "layer": f"my.{layer}"}
        for layer, label in (("First", "PER"), ("Second", "ORG"))
        for start, end, label in ((0, 3, label), (8, 12, "LOC"))
    ]
    relations = [{"label": "saw", "head": "First0", "tail": "First8"}]
    path = tmp_path / "layers.jsonl"
    path.write_text(json.dumps({"id": "d", "text": "Ann saw Rome", "spans": spans, "relations": relations}))
    assert assay.describe(path).layers["my.Second"].labels == {"ORG": 1, "LOC": 1}
    with pytest.raises(AssayError, match=r"my.First \(2\), my.Second \(2\). Which one\? --column gold=my.First"):
        assay.score(path, {"s": path}, "exact")
    column = {"gold": "First", "s": "Second"}
    result = assay.score(path, {"s": path}, "exact", task="spans", column=column, times=5)
    assert result.counts[0].counts["tp"] == 1 and result.gold.not_read == {
        "Spans of my.Second": 2
    }
    same = assay.score(path, {"s": path}, task="relations", column="First", times=5)
    assert same.scores[0].value == 1 and "|column:First|" in same.signature
    assert same.warnings[0] == (
        f"s and gold are the same column of the same file (column my.First of {path}; others: my.Second)."
    )
    other = assay.score(path, {"s": path}, task="relations", column=column, times=5)
    assert other.systems[0].not_read["Relations of spans in other layers"] == 1
    assert assay.read(path, column="Second").spans.labels.counts() == {"ORG": 1, "LOC": 1}
    plain = DATA / "jsonl" / "meta.jsonl"
    with pytest.raises(AssayError, match=r"--column First: relations are not read from a column"):
        assay.score(plain, {"s": plain}, task="relations", column="First")


def test_whose_holds_for_runs_data_sets_and_shards(tmp_path):
    export = str(DATA / "labelstudio" / "two.json")
    which = ("gold=1", "m1=model:m1", "m2=model:m2")
    plain = assay.compare(export, {"m1": export, "m2": export}, "exact", which=which, missing="empty", times=5)

    def f1_of(result: assay.Result) -> dict[str, float]:
        return {row.system: row.value for row in result.scores if row.score == "f1" and row.label is None}

    values = f1_of(plain)
    assert values == {"m1": pytest.approx(1 / 2), "m2": pytest.approx(2 / 9)}
    copy = tmp_path / "copy.json"
    copy.write_bytes(Path(export).read_bytes())
    systems = {"m1": [export, str(copy)], "m2": [export, str(copy)]}
    runs = assay.compare(export, systems, "exact", which=which, missing="empty", times=5)
    assert f1_of(runs) == values
    golds = {"first": export, "second": str(copy)}
    sets = assay.compare_sets(golds, {"m1": golds, "m2": golds}, "exact", which=which, missing="empty", times=5)
    for name in golds:
        assert f1_of(sets[name]) == values
    # Two files with the documents of one, as shards.
    tasks = json.loads(Path(export).read_text("utf-8"))
    (tmp_path / "all").mkdir()
    for number in (0, 2):
        (tmp_path / "all" / f"{number}.json").write_text(json.dumps(tasks[number : number + 2]))
    folder = str(tmp_path / "all")
    whose = {"gold": "1", "m1": "model:m1"}
    parts = assay.score(folder, {"m1": folder}, "exact", which=whose, jobs=2, times=5)
    assert parts.counts[0].counts == plain.counts[0].counts
    assert (parts.gold.documents, parts.gold.offsets) == (4, {"UTF-16 units": 2})


def test_training_data_of_several_annotators_need_a_name():
    export = str(DATA / "labelstudio" / "two.json")
    given = {"slices": ["seen:train"], "train": export, "times": 5}
    which = {"gold": "1", "m1": "model:m1"}
    with pytest.raises(AssayError, match="--which train=1"):
        assay.score(export, {"m1": export}, "exact", which=which, **given)
    result = assay.score(export, {"m1": export}, "exact", which={**which, "train": "1"}, **given)
    assert {row.slice for row in result.counts} >= {None, "seen:train=seen"}
