"""Tables of items, logs and data of Python: the cases of the specification, and what else is read or refused."""

from __future__ import annotations

import json
import sys
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
from assay.errors import AlignmentError
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


GOLD = "id,text,label\n1,a b,x\n2,c d,y\n3,e f,x\n"


def refusal(*arguments: str) -> str:
    done = call(*arguments)
    assert done.returncode == 2, done.stdout
    return done.stderr.removeprefix("assay: ").strip()


@pytest.mark.parametrize(
    ("system", "options", "message"),
    [
        ("id,label\n1,x\n2\n3,x\n", (), "s.csv:3: 1 cell, but the first line has 2."),
        ('id,label\n1,"x\n2,y\n', (), "s.csv:2: not a table that can be read (unexpected end of data)."),
        ("id,mine\n1,x\n2,y\n3,x\n", (), "s.csv: no column is called like a system's labels (prediction,"),
        ("id,label,conf,prob\n1,x,.1,.2\n", (), "s.csv: the confidence may be in conf or prob. Choose one:"),
        ("id,label,conf\n1,x,.1\n2,y,high\n", (), "s.csv:3: 'high' in column conf is not a number."),
        ("id,label,label\n1,x,y\n", (), "s.csv:1: two columns are called 'label'."),
        ("id,label\n1,x\n,y\n3,x\n", (), "s.csv:3: the id in column id is empty."),
        ("qid,uid,label\n1,1,x\n2,2,y\n", (), "s.csv: the ids may be in uid or qid. Choose one: --id uid"),
        ("id,pred,output\n1,x,y\n", (), "s.csv: s may be pred or output. Choose one: --column s=pred."),
        ("id,label\n", (), "s.csv: contains no items, only a header."),
        ("x,1,y\nz,2,y\n", (), "s.csv: 3 columns without names. Name them, e.g."),
        (GOLD, ("--id", "nr"), "g.csv: there is no column 'nr'."),
        (GOLD, ("--input-format", "items(order=x<x)"), "format items: order=x<x names a label twice, or none."),
        (GOLD, ("--input-format", "items(order=x<z)"), "g.csv:3: label 'y' is not in order=x<z. Add it there."),
        ('{"1": "x", "2": "y", "1": "x"}', (), "s.csv, item 3: id 1 is repeated (item 1: x, here: x)."),
        ('{"id": 1, "label": ["a", {"b": 1}]}\n', (), "s.csv:1: a list of labels has texts and numbers only."),
        ('{"id": 1, "label": "a"}\n"b"\n', (), "s.csv:2: not an object, but other items are."),
    ],
)
def test_a_system_that_cannot_be_read_is_refused_with_its_place(file, system, options, message):
    file("g.csv", GOLD)
    assert refusal("score", "g.csv", file("s.csv", system), *options).startswith(message)


@pytest.mark.parametrize(
    "system",
    [
        "id;label\n1;x\n2;y\n3;y\n",
        '\ufeffid,label\r\n1,"x"\r\n\r\n2,y\r\n3,y\r\n',
        'id\tlabel\n1\t"x"\n2\ty\n3\ty\n',
        "ID, Label \n 3 , y\n1,x\n2,y\n",
        "id,gold-label,y-pred\n1,x,x\n2,y,y\n3,x,y\n",
        '{"1": "x", "2": "y", "3": "y"}',
        '[{"id": 1, "label": "x"}, {"id": 2, "label": "y"}, {"id": 3, "label": "y"}]',
        '{"id": 1, "label": {"x": 0.5, "y": 0.5}}\n{"id": 2, "label": {"y": 1}}\n{"id": 3, "label": {"y": 1}}\n',
        "id,p:y,p:x\n1,.5,.5\n2,1,0\n3,.9,.1\n",
        "id label\n1 x\n2 y\n3 y\n",
    ],
)
def test_tables_of_all_kinds_are_the_same_items(file, system):
    options = {"input_format": "s=items(sep=space)"} if system.startswith("id label") else {}
    run = prepare(file("g.csv", GOLD), file("s.csv", system), **options)
    assert run.systems[0][1].column("label").strings() == ["x", "y", "y"]


def test_quotation_marks_in_a_table_with_tabs_are_part_of_texts_unless_they_are_around_a_cell(file):
    text = '"He said ""no"""\tneg\nthe "big" one\tpos\n"left open\tneg\n'
    table = table_of(prepare(file("g.tsv", text), "g.tsv", task="items").gold)
    assert table.texts["1"] == ['He said "no"', 'the "big" one', '"left open']


def test_columns_have_their_roles(file):
    text = "qid,premise,hypothesis,verdict,logprob,genre\n1,a b,c,x,0,news\n2,c d,e,NA,-1,web\n3,e f,g,,,\n"
    form = "items(confidence=exp:logprob)"
    run = prepare(file("g.csv", GOLD), file("s.csv", text), input_format=f"s={form}")
    table = table_of(run.systems[0][1])
    assert [*table.texts] == ["premise", "hypothesis"]
    assert table.metadata["genre"].strings() == ["news", "web", ""]
    np.testing.assert_allclose(table.confidence, [1, np.exp(-1), np.nan])
    assert table.missing.tolist() == [False, False, True]
    assert table.lines.tolist() == [2, 3, 4]
    assert table.warnings[0].startswith("1 labels are the text NA, which counts as a label.")
    told = table_of(prepare("g.csv", "s.csv", input_format=f"s={form[:-1]}, missing=NA)").systems[0][1])
    assert told.missing.tolist() == [False, True, True] and not told.warnings


def test_ids_of_two_columns_and_order_in_their_place(file):
    file("g.csv", "doc,turn,label\nd,1,x\nd,2,y\n")
    file("s.csv", "turn,doc,label\n2,d,y\n1,d,x\n")
    run = prepare("g.csv", "s.csv", id="doc,turn")
    assert table_of(run.systems[0][1]).ids == ["d/1", "d/2"]
    assert prepare("g.csv", "s.csv", id="none").systems[0][1].column("label").strings() == ["y", "x"]


def test_one_table_has_several_systems_and_runs(file):
    rows = [(item, name, run) for name in "AB" for run in "12" for item in range(4)]
    lines = [f"{item},{name},{run},{'xy'[item % 2]},{'xy'[(item + (name == 'B')) % 2]}" for item, name, run in rows]
    file("long.csv", "\n".join(["id,system,run,gold,prediction", *lines]))
    result = assay.compare("long.csv", measures="accuracy", times=10)
    assert {row.system: (row.value, row.runs.number) for row in result.scores if row.main} == {
        "A": (1, 2),
        "B": (0, 2),
    }
    file("g.csv", "id,label\n0,x\n1,y\n2,x\n3,y\n")
    assert assay.compare("g.csv", "long.csv", "accuracy", times=10).scores[0].value == 1
    file("all.csv", "id,label,a,b,size\n1,x,x,y,3\n2,y,y,y,4\n3,x,y,x,5\n")
    _, systems, _ = find_sides("all.csv", None, Options(column=["gold=label", "b", "mine=a"]))
    assert {name: corpus.column("label").strings() for name, corpus in systems.items()} == {
        "b": ["y", "y", "x"],
        "mine": ["x", "y", "y"],
    }
    numbers = file("numbers.csv", "id,gold,a\n1,0.5,0.4\n2,0.25,0.2\n")
    assert "so name the systems: --column gold=gold --column NAME=COLUMN. Available: a." in refusal("score", numbers)
    assert "so there are no systems" in refusal("score", file("alone.csv", "id,gold,size\n1,x,3\n2,y,4\n"))


def test_files_of_a_folder_are_one_table(file):
    for side, last in (("gold", "y"), ("s", "x")):
        for name in "ab":
            file(f"{side}/{name}.csv", f"id,label\n{name}1,x\n{name}2,{last}\n")
    run = prepare("gold", "s")
    assert table_of(run.gold).ids == ["a1", "a2", "b1", "b2"]
    assert run.systems[0][1].column("label").strings() == ["x", "x", "x", "x"]
    file("gold/c.csv", "id,label,genre\nc1,x,news\n")
    with pytest.raises(assay.AssayError, match=r"gold/c.csv: does not have the same metadata as gold/a.csv"):
        prepare("gold", "s")


def test_relations_of_the_same_units_correspond_by_order(file):
    text = "doc\tunit1_toks\tunit2_toks\tlabel\nd1\t1\t2\tx\nd1\t1\t2\ty\n"
    table = table_of(prepare(file("g.rels", text), "g.rels").gold)
    assert table.ids is None and table.texts["units"] == ["d1/1/2", "d1/1/2"] and table.unit == "doc"
    other = refusal("score", "g.rels", file("s.rels", text.replace("d1\t1\t2\ty", "d1\t1\t3\ty")))
    assert "no ids" in other


def test_logs_with_other_documents_or_targets_are_refused(file):
    line = {"doc_id": 0, "doc": {}, "target": "1", "filtered_resps": [["-2", "False"], ["-1", "False"]]}
    line |= {"metrics": ["acc"], "acc": 1.0, "doc_hash": "a"}
    file("a.jsonl", json.dumps(line) + "\n")
    file("b.jsonl", json.dumps({**line, "doc_hash": "b"}) + "\n")
    assert refusal("compare", "a.jsonl", "b.jsonl").startswith(
        "b.jsonl:1: document 0 differs from the one in a.jsonl:1."
    )
    file("b.jsonl", json.dumps({**line, "target": "0", "acc": 0.0}) + "\n")
    assert refusal("compare", "a.jsonl", "b.jsonl").startswith(
        "b.jsonl:1: gold's label is 0 here, but 1 in a.jsonl:1."
    )
    file("b.jsonl", json.dumps({**line, "acc": 0.0}) + "\n")
    _, systems, _ = find_sides("a.jsonl", ["b.jsonl"], Options())
    assert (table_of(systems["a"]).is_logged, table_of(systems["b"]).is_logged) == (False, True)


def test_scores_of_inspect_are_numbers(file):
    values = ["C", "P", "no", True, 0.25, "0.5", {"a": 1, "b": "I"}]
    samples = [
        {"id": n, "epoch": 1, "target": "x", "scores": {"s": {"value": value}}} for n, value in enumerate(values)
    ]
    log = {"version": 2, "eval": {"run_id": "r", "task_id": "t"}, "samples": samples}
    _, systems, _ = find_sides(file("m.json", json.dumps(log, indent=1)), (), Options())
    scores = table_of(systems["m"]).scores
    assert scores["s"].tolist()[:6] == [1, 0.5, 0, 1, 0.25, 0.5]
    assert (scores["s/a"][6], scores["s/b"][6]) == (1, 0)
    samples[0]["scores"]["s"]["value"] = "good"
    message = refusal("score", file("m.json", json.dumps(log)))
    assert message == "m.json: sample 0: s is 'good', which is not a score."


def test_data_of_python_are_joined_by_their_ids():
    class Frame(dict):
        columns = property(lambda self: [*self])
        shape = (3, 2)
        __len__ = lambda self: 3  # noqa: E731

    def column(*cells: Any) -> Any:
        return SimpleNamespace(to_list=lambda: [*cells])

    frame = Frame(id=column(3, 1, 2), label=column(1.0, np.nan, np.float64(2)), b=column("1", "2", "2"))
    run = prepare({1: 1, 2: 2, 3: 1}, {"a": frame})
    assert [label_of(table_of(run.systems[0][1]), row) for row in range(3)] == [None, "2", "1"]
    _, systems, _ = find_sides(frame, None, Options())
    assert [*systems] == ["b"]
    assert assay.compare(["x", "y"], [["x", "x"], ["x", "y"]], "accuracy", times=10).scores[0].value == 0.5
    assert prepare([["a"], []], [["a"], ["b"]], sets=True).task == "items"
    assert prepare(np.array([1, 2]), np.array(["1", "2"])).systems[0][0] == "system 1"


def test_cells_of_frames_may_be_arrays_and_names_are_different():
    def frame(names: list[str], *columns: list[Any]) -> Any:
        cells = [SimpleNamespace(to_list=lambda own=own: own) for own in columns]
        return Frame(names, dict(zip(names, cells, strict=True)))

    class Frame(SimpleNamespace):
        def __init__(self, columns: list[str], cells: dict[str, Any]) -> None:
            super().__init__(columns=columns, cells=cells, shape=(2, len(columns)))

        def __len__(self) -> int:
            return 2

        def __getitem__(self, name: str) -> Any:
            return self.cells[name]

    gold = frame(["id", "label"], ["x", "y"], [np.array(["b", "a"]), np.array([], dtype=object)])
    system = frame(["id", "label"], ["y", "x"], [["a"], ["a", "b"]])
    result = assay.score(gold, system, "subset-accuracy", times=10)
    assert [row.value for row in result.scores if row.main and row.label is None] == [0.5]
    with pytest.raises(assay.AssayError, match="gold: two columns are called 'label'"):
        assay.score(frame(["label", "label"], ["a", "b"], ["a", "b"]), ["a", "b"])


def test_a_threshold_makes_sets_of_categories():
    gold, system = (
        docs([{"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 0.0}]),
        docs([{"a": 0.9, "b": 0.4}, {"a": 0.1, "b": 0}]),
    )
    for least, value in ((None, 0.5), (0.3, 1.0), (0.05, 0.5)):
        result = assay.score(gold, system, "subset-accuracy", times=10, min_score=least)
        assert [row.value for row in result.scores if row.main and row.label is None] == [value]


def test_an_answer_beside_the_column_of_answers_is_not_taken_for_gold(file):
    gold = file("g.csv", "id,label\n1,a\n2,b\n3,b\n")
    both = file("s.csv", "id,label,answer\n1,a,a\n2,b,a\n3,b,b\n")
    assert table_of(prepare(gold, both, column=["s=label"]).corpora[1]).targets is None
    result = assay.score(gold, both, "accuracy", column=["s=label"], times=10)
    assert [row.value for row in result.scores if row.main] == [1.0]
    assert "only s, but compare takes at least two systems" in refusal("compare", gold, both)


def test_the_column_of_systems_may_be_named(file):
    gold = file("g.csv", "id,label\n1,a\n2,b\n")
    long = file("s.csv", "id,who,label\n1,x,a\n2,x,b\n1,y,b\n2,y,b\n")
    result = assay.compare(gold, long, "accuracy", input_format=["s=items(system=who)"], times=10)
    assert [row.value for row in result.scores if row.main and row.label is None] == [1.0, 0.5]


def test_logs_packed_with_zstd_need_a_package_before_python_3_14(monkeypatch):
    def refuse(*_: object) -> bytes:
        raise NotImplementedError("That compression method is not supported")

    sample = {"id": 1, "epoch": 1, "target": "x", "scores": {"s": {"value": "C"}}}
    with zipfile.ZipFile("m.eval", "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
    monkeypatch.setattr(zipfile.ZipFile, "read", refuse)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert "pip install 'assay-nlp[zstd]'" in refusal("score", "m.eval")
    # The packed bytes of an entry are found by its header; here they are not packed.
    fake = SimpleNamespace(stream_reader=lambda packed, read_across_frames: packed)
    monkeypatch.setitem(sys.modules, "zstandard", SimpleNamespace(ZstdDecompressor=lambda: fake))
    monkeypatch.setattr("assay.formats.logs._ZSTD", zipfile.ZIP_STORED)
    _, systems, _ = find_sides("m.eval", (), Options())
    assert table_of(systems["m"]).scores["s"].tolist() == [1]


def refuse(*sides: Any, **options: Any) -> str:
    """The error of a call in Python."""
    with pytest.raises(assay.AssayError) as caught:
        assay.score(*sides, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            "pairID,label\np1,a\np2,b\np3,a\n",
            "pairID,prediction\np3,a\np1,a\np2,b\n",
            "s.csv: column pairID has the cells of g.csv, each once and in another order. If these are ids: --id "
            "pairID; to match by order anyway: --id none",
        ),
        (
            "id;label\n1;2,5\n2;4\n",
            "id;label\n1;2,5\n2;3\n",
            "g.csv: 2,5 has a decimal comma. Write numbers with a point: save the table with English numbers",
        ),
        (
            "id,label\n1,a\n2,b\n",
            'id,prediction,prob\n1,a,.5\n2,b,"0,9"\n',
            "s.csv:3: '0,9' in column prob is not a number: write a decimal point, not a comma.",
        ),
        (
            "id label\n1 a\n2 b\n",
            "id label\n1 a\n2 b\n",
            'g.csv: are the columns separated by spaces? Then: --input-format "items(sep=space)"',
        ),
        (
            "id,label\n1,a\n2,b\n",
            '{"id": 1, "label": {"body": {}}}\n{"id": 2, "label": {"body": {}}}\n',
            "s.csv:1: {'body': {}} is neither a label nor {label: probability}.",
        ),
    ],
)
def test_tables_that_would_be_misread_are_refused(file, gold, system, message):
    file("g.csv", gold)
    file("s.csv", system)
    assert refuse("g.csv", "s.csv", task="items") == message


def test_labels_that_have_nothing_in_common_can_be_mapped(file):
    file("g.csv", "id,label\n1,negative\n2,positive\n3,positive\n")
    file("s.csv", "id,label\n1,LABEL_0\n2,LABEL_1\n3,LABEL_0\n")
    assert "none in common" in refuse("g.csv", "s.csv")
    file("m.tsv", "LABEL_0\tnegative\nLABEL_1\tpositive\n")
    assert assay.score("g.csv", "s.csv", map="m.tsv", times=10).scores[0].value == 2 / 3


def test_cells_that_look_like_sets_and_systems_that_always_say_the_same_are_told(file):
    file("g.csv", "id,label\n1,arts|tech\n2,arts\n3,tech\n")
    file("s.csv", "id,label\n1,arts\n2,arts\n3,arts\n")
    warnings = assay.score("g.csv", "s.csv", times=10).warnings
    assert "the label arts|tech may be a set. If it is: --sets '|'" in warnings
    assert "s: always answers arts." in warnings


def test_a_series_goes_by_order_beside_a_list_and_a_matrix_is_no_system():
    gold = SimpleNamespace(index=[7, 3, 9], to_list=lambda: ["a", "b", "a"])
    assert assay.score(gold, np.array(["a", "b", "b"]), times=10).scores[0].value == 2 / 3
    assert refuse(np.array([0, 1, 2]), np.eye(3)).startswith("expected labels, but got a matrix of 3 × 3.")


def test_scores_need_no_gold(file):
    file("a.csv", "id,text,judge,fluency\n1,x,2,.5\n2,y,4,.5\n")
    file("b.csv", "id,judge,year\n2,1,2020\n1,1,2021\n")
    file("long.csv", "id,system,judge\n1,a,2\n2,a,4\n1,b,1\n2,b,1\n")
    file("wide.csv", "id,a,b\n1,2,1\n2,4,1\n")
    file("rows.jsonl", '{"id": "1", "judge": 2}\n{"id": "2", "judge": 4}\n')

    def means(*arguments: Any, **options: Any) -> dict[str, float]:
        return {row.system: row.value for row in assay.score(*arguments, **options).scores}

    of = "mean(of=judge)"
    both = {"a": 3, "b": 1}
    assert means("a.csv", ["b.csv"], of) == both
    assert means(None, {"a": "a.csv", "b": "b.csv"}, of) == both
    assert means("long.csv", None, "mean") == means("long.csv", None, of) == both
    assert means("wide.csv", None, ["mean"], column=["a", "b"]) == both
    assert means(None, {"a": [2, 4], "b": [1, 1]}, "mean") == both
    assert means("rows.jsonl", None, of) == {"rows": 3}
    assert means(None, [2, 4], "mean") == {"system 1": 3}
    # A file with gold's labels is gold, unless it has a name.
    file("c.csv", "id,label,judge\n1,x,2\n2,y,4\n")
    file("d.csv", "id,prediction,judge\n1,x,1\n2,y,1\n")
    assert means("c.csv", ["d.csv"], of) == {"d": 1}
    assert means("c=c.csv", ["d.csv"], of) == {"c": 3, "d": 1}
    assert refusal("compare", "c.csv", "d.csv", "-m", of).endswith("If this file is a system too, name it: NAME=PATH")
    assert call("compare", "a=a.csv", "b=b.csv", "-m", of).returncode == 0


def test_scores_without_gold_are_refused_if_unclear(file):
    file("a.csv", "id,judge,fluency\n1,2,.5\n2,,.5\n")
    several = 'a.csv: judge, fluency have numbers. Name the score: -m "mean(of=judge)"; if each is a system\'s: '
    assert refusal("score", "a.csv", "-m", "mean") == f"{several}--column judge --column fluency"
    assert "there is no column 'x'. Available: id, judge, fluency." in refusal("score", "a.csv", "-m", "mean(of=x)")
    assert "(2). --missing empty" in refusal("score", "a.csv", "-m", "mean(of=judge)")
    file("b.csv", "id,name\n1,x\n")
    assert refusal("score", "b.csv", "-m", "mean").startswith("b.csv: no column has numbers.")
    assert "no column is called like gold's labels" in refusal("score", "a.csv", "b.csv", "-m", "accuracy")


def test_what_differs_between_systems_is_no_metadata(file):
    file("a.csv", "id,judge,seconds,domain\n1,2,5,x\n2,4,6,y\n")
    file("b.csv", "id,judge,seconds,domain\n1,3,5,x\n2,4,7,y\n")
    gold, _, _ = find_sides("a.csv", ["b.csv"], Options(), "mean(of=judge)")
    assert [*table_of(gold).metadata] == ["domain"]


def test_the_index_of_a_frame_has_ids_unless_it_counts_the_rows():
    class Frame(SimpleNamespace):
        columns, shape = ("label",), (3, 1)
        __len__ = lambda self: 3  # noqa: E731
        __getitem__ = lambda self, name: SimpleNamespace(to_list=lambda: self.cells)  # noqa: E731

    gold = Frame(cells=["a", "b", "c"], index=[7, 3, 9])
    assert assay.score(gold, Frame(cells=["c", "b", "a"], index=[9, 3, 7]), "accuracy", times=10).scores[0].value == 1
    # Beside a list, all go by order.
    assert assay.score(gold, ["a", "b", "a"], "accuracy", times=10).scores[0].value == 2 / 3
    with pytest.raises(AlignmentError, match="no ids, but gold has some"):
        assay.score(gold, Frame(cells=["c", "b", "a"], index=range(3)), times=10)
    assert assay.score(gold, Frame(cells=["a"] * 3, index=range(3)), id="none", times=10).about.joined_by == "order"


def test_annotators_may_be_lists_of_labels_or_series():
    series = SimpleNamespace(index=list("uvwx"), to_list=lambda: ["a", "b", "a", "b"])
    other = SimpleNamespace(index=list("xwvu"), to_list=lambda: ["b", "b", "b", "a"])
    by_id = assay.agreement([series, other], measures="kappa", times=10)
    assert by_id.about.joined_by == "id" and by_id.scores[0].value == pytest.approx(0.75)
    lists = assay.agreement({"x": ["a", "b", "a", "b"], "y": ["a", "b", "b", "b"]}, measures="kappa", times=10)
    assert lists.scores[0].value == by_id.scores[0].value and lists.about.task == "items"
    words = assay.agreement([[["a", "b"], ["c"]], [["a", "b"], ["d"]]], measures="kappa", times=10)
    assert words.about.task == "tags"


def test_logs_of_inspect_are_called_by_their_models_and_say_what_failed(file):
    def log(name: str, model: str, *failed: int) -> str:
        samples = [
            {"id": n, "epoch": 1, "target": "x", "scores": {"s": {"value": "C"}}, "error": n in failed or None}
            for n in range(3)
        ]
        return file(
            name,
            json.dumps({"version": 2, "eval": {"run_id": "r", "task_id": "t", "model": model}, "samples": samples}),
        )

    log("a.json", "lab/large")
    log("b.json", "lab/small")
    assert [*find_sides("a.json", ["b.json"], Options())[1]] == ["lab/large", "lab/small"]
    assert [*find_sides("x=a.json", ["b.json"], Options())[1]] == ["x", "b"]
    log("b.json", "lab/large")
    assert [*find_sides("a.json", ["b.json"], Options())[1]] == ["a", "b"]
    log("b.json", "lab/small", 0, 2)
    message = refusal("score", "a.json", "b.json")
    assert message.startswith("b.json: 2 of 3 items of gold ended with an error (0, 2). --missing empty")


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (
            '{"id": "1", "label": "a"}\n{"id": "2" "label": "b"}\n{"id": "3", "label": "a"}\n',
            "g:2: not JSON (Expecting",
        ),
        ("id,text,label\n1,good,a\n2,bad, really,b\n", "g:3: 4 cells, but the first line has 3. Put a text that"),
        ("id,label\n1,a\n2\n", "g:3: 1 cell, but the first line has 2."),
        ("word,label\nAnna,B-PER\nsings,O\n", "g: contains words, but its columns are separated by commas."),
        ("id,label\n001,a\n2,b\n3,a\n", "s.csv:2: id 1 is not in g, which has 001: write ids in the same way."),
    ],
)
def test_faults_of_gold_name_their_line(file, gold, message):
    file("s.csv", "id,label\n1,a\n2,b\n3,a\n")
    assert refusal("score", file("g", gold), "s.csv").startswith(message)


def test_columns_like_confidences_get_a_hint_and_scores_rank_without_answers(file):
    file("g.csv", "id,label\n1,pos\n2,neg\n3,pos\n4,neg\n")
    file("a.csv", "id,prob_pos,prob_neg\n" + "".join(f"{row},.8,.2\n" for row in range(1, 5)))
    call_them = "If columns have the probabilities of labels, call prob_pos p:pos, prob_neg p:neg"
    assert refusal("score", "g.csv", "a.csv") == f"a.csv: no column has a system's labels. {call_them}"
    file("b.csv", "id,pred,prob_pos\n" + "".join(f"{row},pos,.8\n" for row in range(1, 5)))
    assert "call prob_pos p:pos" in refusal("score", "g.csv", "b.csv", "-m", "auc")
    file("s.csv", "id,score\n1,2.5\n2,-1\n3,-2\n4,-3\n")
    assert '--input-format "s=items(confidence=score)"; if answers: --column s=score' in refusal(
        "score", "g.csv", "s.csv"
    )
    ranked = assay.score("g.csv", "s.csv", "auc", input_format="s=items(confidence=score)", times=10)
    assert ranked.scores[0].value == 0.75 and not any("no answer" in text for text in ranked.warnings)
    assert "rank the items: -m auc" in refuse("g.csv", "s.csv", input_format="s=items(confidence=score)")
