"""Tables of items, logs and data of Python: the cases of the specification, and what else is read or refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import assay
from assay.corpus import SEVERAL, Corpus
from assay.corpus.adapters import from_predictions
from assay.corpus.items import ItemTable
from assay.engine.options import Options
from assay.engine.prepare import OpenFiles, Run
from assay.engine.sides import find_sides
from commands import call

ALL = [*map(json.loads, (Path(__file__).parents[2] / "data/item_cases.jsonl").read_text("utf-8").splitlines())]
READING = [case for case in ALL if case["kind"] == "reading" and case["arguments"][0] != "bayes"]
PYTHON = [case for case in ALL if case["kind"] == "python"]


def write_files(case: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Write the files of a case; returns the paths and options of its command."""
    for name, content in case["files"].items():
        if isinstance(content, str):
            Path(name).write_text(content, "utf-8", newline="")
        else:
            with zipfile.ZipFile(name, "w") as archive:
                for entry, value in content["zip"].items():
                    archive.writestr(entry, json.dumps(value))
    given = case["arguments"][1:]
    number = next((place for place, word in enumerate(given) if word.startswith("--")), len(given))
    options = {
        flag[2:].replace("-", "_"): value
        for flag, value in zip(given[number::2], given[number + 1 :: 2], strict=True)
    }
    return given[:number], options


def prepare(gold: Any, systems: Any, **options: Any) -> Run:
    """Gold and systems as they are compared; of several runs the first."""
    gold, systems, chosen = find_sides(gold, systems, Options(**options))
    if isinstance(systems, dict):
        systems = {name: given[0] if isinstance(given, list) else given for name, given in systems.items()}
    return OpenFiles(gold, systems, chosen).run(())


def table_of(corpus: Corpus) -> ItemTable:
    table = corpus.layer(ItemTable)
    assert table is not None
    return table


def label_of(table: ItemTable, row: int) -> Any:
    if table.missing[row]:
        return None
    label = table.labels[row]
    return [one for one in label.split(SEVERAL) if one] if table.sets else label


@pytest.mark.parametrize("case", READING, ids=lambda case: case["id"])
def test_files_are_read_as_the_cases_say(case):
    files, options = write_files(case)
    expected = case["expected"]
    if "refused" in expected:
        done = call(*case["arguments"])
        assert done.returncode == 2
        assert all(text in done.stderr for text in expected["refused"]), done.stderr
        return
    run = prepare(files[0], files[1:], **options)
    assert run.task == expected["task"]
    if "note" in expected:
        notes = assay.score(files[0], files[1:], times=10, **options).notes
        assert all(any(text in note for note in notes) for text in expected["note"])
    if run.task != "items":
        return
    gold, systems = table_of(run.gold), {name: table_of(corpus) for name, corpus in run.systems}
    assert gold.sets == expected.get("sets", False)
    for row, item in enumerate(expected.get("items", ())):
        assert gold.ids is None or gold.ids[row] == item["id"]
        assert label_of(gold, row) == item["gold"]
        for name, table in systems.items():
            assert label_of(table, row) == item[name]
        assert "text" not in item or gold.texts["text"][row] == item["text"]
        assert all(gold.metadata[key][row] == value for key, value in item.get("meta", {}).items())
    assert "count" not in expected or len(gold) == expected["count"]
    assert "unit column" not in expected or gold.unit == expected["unit column"]
    if "right" in expected:
        (table,) = systems.values()
        answers = [label_of(table, row) for row in range(len(gold))]
        right = [answer in label_of(gold, row).split(SEVERAL) for row, answer in enumerate(answers) if answer]
        assert (sum(right), len(right)) == (expected["right"], expected.get("answered", expected["count"]))
    for metric, means in (
        (key.removeprefix("mean of "), value) for key, value in expected.items() if "mean of" in key
    ):
        _, given, _ = find_sides(files[0], files[1:], Options(**options))
        for name, (_, mean) in means.items():
            runs = given[name] if isinstance(given[name], list) else [given[name]]
            found = [float(table_of(corpus).scores[metric].mean()) for corpus in runs]
            assert np.mean(found) == pytest.approx(mean)
            assert found == pytest.approx([value for _, value in expected.get("run means", [("", mean)])])


def from_case(given: Any) -> Any:
    """Data as the case means it."""
    if isinstance(given, dict) and "sets" in given:
        return [set(members) for members in given["sets"]]
    if isinstance(given, dict) and "series" in given:
        return SimpleNamespace(index=given["index"], to_list=lambda: given["series"])
    return given


def docs(cats: list[dict[str, float]]) -> list[Any]:
    return [SimpleNamespace(cats=own, ents=(), has_annotation=lambda _: False) for own in cats]


def mean_error(gold: Any, system: Any) -> float:
    """The mean difference of numbers, as they are read."""
    run = prepare(gold, system)
    sides = (np.array(corpus.column("label").strings(), dtype=float) for corpus in run.corpora)
    ours, theirs = sides
    return float(abs(ours - theirs).mean())


@pytest.mark.parametrize("case", PYTHON, ids=lambda case: case["id"])
def test_data_are_read_as_the_cases_say(case):
    asked, expected = case["call"], case["expected"]
    figures = {
        **{key: value[1] for key, value in expected.items() if key in ("accuracy", "subset-accuracy")},
        **({"label-f1(average=micro)": expected["micro-f1"][1]} if "micro-f1" in expected else {}),
    }
    if asked["function"] == "measure":
        given = SimpleNamespace(predictions=np.array(asked["predictions"]), label_ids=np.array(asked["label_ids"]))
        if "mae" in expected:
            assert mean_error(*from_predictions(given.predictions, given.label_ids)) == pytest.approx(
                expected["mae"][1]
            )
            return
        measured = assay.measure(*figures, id2label=asked.get("id2label"))(given)
        assert {name: measured[name] for name in figures} == pytest.approx(figures)
        return
    gold = docs(asked["gold_cats"]) if "gold_cats" in asked else from_case(asked["gold"])
    system = docs(asked["system_cats"]) if "system_cats" in asked else from_case(asked.get("system"))
    function = {"score": assay.score, "compare": assay.compare}[asked["function"]]
    given = (gold, asked.get("systems", system), [*figures] or None)
    if "refused" in expected:
        with pytest.raises(assay.AssayError) as caught:
            function(*given)
        assert all(text in str(caught.value) for text in expected["refused"])
        return
    if "mae" in expected:
        assert mean_error(gold, system) == pytest.approx(expected["mae"][1])
        return
    result = function(*given, times=10)
    assert result.about.task == expected["task"]
    assert "items" not in expected or result.about.items == expected["items"]
    for name, value in figures.items():
        assert [
            row.value for row in result.scores if row.measure == name and row.main and row.label is None
        ] == pytest.approx([value])
    for text in expected.get("note", ()):
        assert any(text in note for note in result.notes)
    if "confidence" in expected or "brier" in expected:
        table = table_of(prepare(gold, system).systems[0][1])
        assert (table.confidence is not None, table.shares is not None) == (
            "confidence" in expected,
            "brier" in expected,
        )
    if "corrections" in expected:
        assert result.comparisons[0].p == expected["p accuracy"][1]
