"""Files as tools write them: whose annotation is read, which layer, what is left out, and what is mended."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.corpus import Corpus, Marks
from assay.engine.answers import ground_systems
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare
from assay.errors import AssayError
from assay.formats import Input, schemes
from assay.formats.whose import Asked
from cases import each
from commands import call

DATA = Path(__file__).parents[1] / "data" / "doors"
READINGS = json.loads((DATA / "expected.json").read_text("utf-8"))
COMMANDS = {case["id"]: case for case in json.loads((DATA / "commands.json").read_text("utf-8"))}


IN_COLUMNS = ("aida", "hipe-document", "up1-empty-cell", "multiconer", "germeval", "conll2003-iob1")
"""Cases of columns, which are read as their task reads them."""
MEASURES = {"spans": "exact", "links": "links", "graphs": "srl"}
ELSEWHERE = frozenset(("webanno-pos", "webanno-chains", "docred-nbsp"))
"""Cases of tags and chains, in `tests/unit/formats/test_layered.py`."""


def read(case: dict[str, Any]) -> Corpus:
    said = case.get("say", {})
    side = said.get("as", "gold")
    asked = Asked(
        side, said.get("which", ""), said.get("repair", ""), side == "system", column=said.get("column", "")
    )
    form = f"jsonl(names={DATA / said['names']})" if "names" in said else None
    corpus = Input(str(DATA / case["path"]), input_format=form, asked=asked).read()
    if "texts from" in said:
        gold = Input(str(DATA / said["texts from"])).read()
        corpus = ground_systems([gold, corpus], ["gold", "system"], (), ())[1]
        assert corpus.texts == gold.texts
    if "spans" not in corpus.marks and list(corpus.columns) == ["ner_tags"]:
        scheme = schemes.guess_scheme(corpus, ["ner_tags"])
        corpus, _ = schemes.spans_from_tags(corpus, ["ner_tags"], scheme, None)
    return corpus


def read_columns(case: dict[str, Any], task: str, repair: str = "") -> Corpus:
    """The file as the task has it that compares its columns."""
    said, path = case.get("say", {}), str(DATA / case["path"])
    given = {key: said[key] for key in {"column"} & said.keys()}
    given |= {"scheme": [said["scheme"]]} if "scheme" in said else {}
    given |= {"repair": repair} if repair else {}
    options = Options(task=task, **given)
    return prepare(path, {"s": path}, [find(MEASURES[task])], options).gold


def documents_of(corpus: Corpus) -> list[dict[str, Any]]:
    """The documents of a corpus as the cases write them, spans with their places in the whole document."""
    assert corpus.document_starts is not None
    sizes = [len(text) for text in corpus.texts] if corpus.texts else np.diff(corpus.starts).tolist()
    firsts = [0, *accumulate(sizes)]
    documents: list[dict[str, Any]] = []
    document_of = corpus.document_of_sentence
    for number, (first, end) in enumerate(pairwise(corpus.document_starts.tolist())):
        words = corpus.forms.strings(int(corpus.starts[first]), int(corpus.starts[end]))
        document: dict[str, Any] = {"id": corpus.document_ids[number] if corpus.by_id else None, "spans": []}
        document |= {"text": "".join(corpus.texts[first:end])} if corpus.texts else {"tokens": words}
        document |= {"relations": [], "meta": {}}
        for key in corpus.metadata_keys():
            if (value := corpus.metadata(key)[first]) is not None:
                document["meta"][key] = value
        documents.append(document)

    def spans_of(marks: Marks) -> list[tuple[int, Any, str, float]]:
        found = []
        scores = marks.scores if len(marks.scores) else np.full(len(marks), np.nan)
        for row, (unit, begin, end) in enumerate(zip(marks.unit, marks.begin, marks.end, strict=True)):
            document = int(document_of[unit])
            before = firsts[unit] - firsts[int(corpus.document_starts[document])]
            parts = marks.stretches.get(row, ((int(begin), int(end)),))
            at = tuple((start + before, stop + before) for start, stop in parts)
            found.append((document, at, marks.labels[row], float(scores[row])))
        return found

    links: dict[tuple[int, Any, str], list[str]] = {}
    if "candidates" in corpus.marks:
        mentions = spans_of(corpus.marks["links"])
        for row, mention in enumerate(corpus.marks["candidates"].arguments["mention"].tolist()):
            links.setdefault(mentions[mention][:3], []).append(corpus.marks["candidates"].labels[row])
    for document, at, label, score in spans_of(corpus.spans):
        span = {"at": at, "label": label} | ({} if math.isnan(score) else {"score": score})
        identifiers = links.get((document, at, label))
        documents[document]["spans"].append(span | ({"links": identifiers} if identifiers else {}))
    if (relations := corpus.marks.get("relations")) is not None:
        arguments = spans_of(corpus.marks["arguments"])
        for row, label in enumerate(relations.labels.strings()):
            head, tail = (arguments[int(relations.arguments[role][row])] for role in ("head", "tail"))
            documents[head[0]]["relations"].append((label, head[1:3], tail[1:3]))
    return documents


def in_characters(document: dict[str, Any], text: str) -> dict[str, Any]:
    """A document of words with the places of its spans in this text."""
    bounds, end = [], 0
    for word in document["tokens"]:
        start = text.index(word, end)
        end = start + len(word)
        bounds.append((start, end))

    def placed(at: Any) -> Any:
        return tuple((bounds[first][0], bounds[stop - 1][1]) for first, stop in at)

    spans = [{**span, "at": placed(span["at"])} for span in document["spans"]]
    relations = [(label, *((placed(at), name) for at, name in ends)) for label, *ends in document["relations"]]
    return {**document, "spans": spans, "relations": relations}


def as_tuples(value: Any) -> Any:
    return tuple(map(as_tuples, value)) if isinstance(value, list | tuple) else value


def sorted_spans(spans: list[dict[str, Any]]) -> list[Any]:
    return sorted(sorted((key, as_tuples(value)) for key, value in span.items()) for span in spans)


@each("case", [case for case in READINGS if case["id"] in IN_COLUMNS[2:]], ids=lambda case: case["id"])
def test_columns(case):
    if "task" in case.get("say", {}):
        (expected,), corpus = case["documents"], read_columns(case, "graphs")
        senses, roles = corpus.marks["predicates"], corpus.marks["roles"]
        heads = roles.arguments["head"] - corpus.starts[roles.unit]
        words = corpus.forms.strings()
        assert [words[first:end] for first, end in pairwise(corpus.starts.tolist())] == expected["sentences"]
        assert [[*row] for row in zip(senses.unit, senses.begin, senses.labels.strings(), strict=True)] == (
            expected["predicates"]
        )
        rows = zip(roles.unit, heads, roles.begin, roles.labels.strings(), strict=True)
        assert [[*row] for row in rows] == expected["arguments"]
        return
    if case["id"] == "conll2003-iob1":
        # Its first tag, B- after nothing, is none of IOB1.
        with pytest.raises(AssayError, match="3: B-ORG at the beginning of a sentence"):
            read_columns(case, "spans")
    corpus = read_columns(case, "spans", "mend" if case["id"] == "conll2003-iob1" else "")
    words, spans = corpus.forms.strings(), corpus.spans
    assert corpus.sentences == len(case["documents"])
    for number, expected in enumerate(case["documents"]):
        assert words[corpus.starts[number] : corpus.starts[number + 1]] == expected["tokens"]
        own = spans.where(spans.unit == number)
        rows = zip(own.begin.tolist(), own.end.tolist(), own.labels.strings(), strict=True)
        found = [{"at": ((begin, end),), "label": label} for begin, end, label in rows]
        assert sorted_spans(found) == sorted_spans(expected["spans"])
        for key, value in {"sent_id": expected.get("id"), **expected.get("meta", {})}.items():
            assert corpus.metadata(key)[number] == value
    assert len(corpus.document_ids) == case.get("holds", {}).get("documents", 1)


@each("case", [case for case in READINGS if case["id"] in IN_COLUMNS[:2]], ids=lambda case: case["id"])
def test_linked_columns(case):
    if case["id"] == "aida":
        corpus = read(case)
        linked = documents_of(corpus.with_marks(spans=corpus.marks["links"]))
        for span in (span for document in linked for span in document["spans"]):
            # Its mentions have no type.
            span["label"] = span["label"] or None
        sizes = [size for document in case["documents"] for size in document["sentences"]]
        assert np.diff(corpus.starts).tolist() == sizes
    else:
        # If links are compared, they are the labels.
        linked = documents_of(read_columns(case, "links"))
        links = [{span["at"]: span["links"] for span in document["spans"]} for document in linked]
        corpus = read_columns(case, "spans")
        linked = documents_of(corpus)
        for document, identifiers in zip(linked, links, strict=True):
            for span in document["spans"]:
                span["links"] = identifiers[span["at"]]
        assert corpus.metadata("language")[0] == case["documents"][0]["meta"]["language"]
    for document, expected in zip(linked, case["documents"], strict=True):
        assert (document["id"], document["tokens"]) == (expected["id"], expected["tokens"])
        assert sorted_spans(document["spans"]) == sorted_spans(expected["spans"])


LIBRARIES = ("pyarrow", "spacy")
IN_DOCUMENTS = [case for case in READINGS if case["id"] not in (*IN_COLUMNS, *ELSEWHERE)]


@each("case", [case for case in IN_DOCUMENTS if case.get("needs") in LIBRARIES], ids=lambda case: case["id"])
def test_readings_with_libraries(case):
    pytest.importorskip(case["needs"])
    check_reading(case)


@each("case", [case for case in IN_DOCUMENTS if case.get("needs") not in LIBRARIES], ids=lambda case: case["id"])
def test_readings(case, monkeypatch):
    if "without" in case.get("say", {}):
        monkeypatch.setitem(sys.modules, case["say"]["without"], None)
    check_reading(case)


def check_reading(case: dict[str, Any]) -> None:
    if case["outcome"] == "refused":
        try:
            read(case)
        except AssayError as error:
            assert all(name in str(error) for name in case["names"]), error
            return
        raise AssertionError("read")
    corpus, documents = read(case), case["documents"]
    found = documents_of(corpus)
    assert len(found) == len(documents)
    for read_as, expected in zip(found, documents, strict=True):
        in_words = expected.get("text") is not None and "tokens" in read_as
        one = in_characters(read_as, expected["text"]) if in_words else read_as
        if (case["path"].endswith(".json") or "meta" in expected) and "texts from" not in case.get("say", {}):
            assert one["id"] == expected.get("id")
        for key in {"text", "tokens"} & {key for key in expected if expected[key] is not None} & one.keys():
            assert one[key] == expected[key]
        assert sorted_spans(one["spans"]) == sorted_spans(expected["spans"])
        relations = one["relations"]
        if "facts" in expected:
            # Relations of identifiers join the first mentions that have them.
            names = {(span["at"], span["label"]): span["links"][0] for span in one["spans"]}
            relations = [(label, names[head], names[tail]) for label, head, tail in relations]
        assert sorted(relations) == sorted(as_tuples(expected.get("facts", expected.get("relations", []))))
        if "meta" in expected:
            assert one["meta"] == {key: str(value) for key, value in expected["meta"].items()}
    assert Counter(reason for _, _, reason in corpus.left_out) == case.get("left_out", {})
    if case["path"] == "brat/clean.ann":
        relations = {action: number for fault, action, number, _ in corpus.repairs if "relations" in fault}
        spans = sum(number for fault, _, number, _ in corpus.repairs if "relations" not in fault)
        noted = dict(case["noted"])
        assert relations == {"dropped": noted.pop("relations dropped with their spans")}
        assert spans == sum(noted.values())
    else:
        numbers = [int(note.rpartition(": ")[2].rstrip(".")) for note in corpus.notes if note[-2].isdigit()]
        assert not Counter(case.get("noted", {}).values()) - Counter(numbers), corpus.notes


def test_words_of_white_space_keep_their_number_in_docred():
    (case,) = (case for case in READINGS if case["id"] == "docred-nbsp")
    corpus = read(case)
    (found,), (expected,) = documents_of(corpus), case["documents"]
    entities = [tuple(map(tuple, places)) for places in expected["entities"]]
    assert (found["id"], found["tokens"]) == (expected["id"], expected["tokens"])
    assert [span["at"] for span in found["spans"]] == entities
    assert [(label, head[0], tail[0]) for label, head, tail in found["relations"]] == [
        (label, entities[head], entities[tail]) for label, head, tail in expected["facts"]
    ]


def test_flags_of_words_need_a_label_of_words_without_one():
    gold, system = (str(DATA / "disrpt" / name) for name in ("gold.conllu", "sys.conllu"))
    options = {"task": "tags", "column": "MISC:BeginSeg", "times": 5}
    result = assay.score(gold, {"sys": system}, "tag-f1", blank_tag="_", **options)
    expected = COMMANDS["disrpt-flag"]["expected"]
    counts = next(row.counts for row in result.counts if row.label == expected["label"])
    spurious, missing = (counts[side] - counts["right"] for side in ("system", "gold"))
    assert [counts["right"], spurious, missing] == [expected[name] for name in ("tp", "fp", "fn")]
    f1 = next(row.value for row in result.scores if (row.label, row.score) == (expected["label"], "f1"))
    assert abs(f1 - Fraction(expected["f1"])) < 1e-12
    with pytest.raises(AssayError) as caught:
        assay.score(gold, {"sys": system}, "tag-f1", **options)
    assert all(name in str(caught.value) for name in COMMANDS["disrpt-flag-unsaid"]["expected"]["refused"])


def test_gold_and_systems_are_columns_of_one_file():
    both, columns = str(DATA / "columns" / "both.txt"), ("gold=2", "a=3", "b=4")
    cases = {name: COMMANDS[f"columns-{name}"]["expected"] for name in ("side-by-side", "twice", "same")}
    result = assay.compare(both, {"a": both, "b": both}, "exact", column=columns, times=5)
    for system, expected in cases["side-by-side"].items():
        check_counts(result, system, expected)
    assert not any("same content" in text for text in result.warnings)
    result = assay.score(both, {"a": both}, "exact", column="2", times=5)
    check_counts(result, "a", cases["same"]["a"])
    assert all(text in result.warnings[0] for text in cases["same"]["warned"])
    with pytest.raises(AssayError) as caught:
        assay.score(both, {"a": both}, "exact", column=("2", "3"), times=5)
    assert all(name in str(caught.value) for name in cases["twice"]["refused"])


def test_many_repairs_are_warned_of_first():
    faulty = str(DATA / "brat" / "clean.ann")
    result = assay.score(faulty, {"s": faulty}, "exact", repair={"gold": "mend", "s": "drop"}, times=5)
    kinds = [(row.file, row.action) for row in result.repairs]
    assert kinds == sorted(kinds, key=lambda row: row[0] != "gold")
    assert result.warnings[0] == (
        f"gold: fragments out of order or overlapping: 1 mended (the first: {faulty}:1: T1)."
    )
    assert sum(row.count for row in result.repairs if row.file == "s") == 7


def counted(result: assay.Result, system: str) -> dict[str, Any]:
    row = next(row for row in result.counts if (row.system, row.label, row.slice) == (system, None, None))
    return {name: row.counts.get(name, 0) for name in ("tp", "fp", "fn")}


def check_counts(result: assay.Result, system: str, expected: dict[str, Any]) -> None:
    found = counted(result, system)
    assert found == {name: expected[name] for name in found}
    f1 = next(row.value for row in result.scores if (row.system, row.score, row.label) == (system, "f1", None))
    assert abs(f1 - Fraction(expected["f1"])) < 1e-12


def test_documents_are_sliced_by_their_metadata():
    gold, system = (str(DATA / "jsonl" / name) for name in ("meta.jsonl", "other-ids.jsonl"))
    result = assay.score(gold, {"s": system}, "exact", slices=["meta:genre"], times=5)
    for value, expected in COMMANDS["slice-meta"]["expected"]["s"].items():
        row = next(row for row in result.counts if row.slice == f"meta:genre={value}")
        assert all(row.counts.get(name, 0) == expected[name] for name in ("tp", "fp", "fn"))
    with pytest.raises(AssayError) as caught:
        assay.score(gold, {"s": system}, "exact", slices=["meta:domain"], times=5)
    assert all(name in str(caught.value) for name in COMMANDS["slice-unknown"]["expected"]["refused"])


def test_gold_leaves_out_what_nobody_annotated_and_so_do_systems():
    export, expected = str(DATA / "labelstudio" / "mixed.json"), COMMANDS["ls-mixed"]["expected"]
    result = assay.score(export, {"m1": export}, "exact", which={"m1": "predictions"}, times=5)
    check_counts(result, "m1", expected["exact"])
    assert (result.about.units, result.gold.left_out) == (expected["units"], expected["left_out"])
    assert assay.Result.from_json(result.to_json()).gold.left_out == expected["left_out"]
    assert result.warnings[0] == (
        "gold: 2 of 4 documents are left out, also from the systems (1 not annotated and 1 skipped)."
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
    assert "m2: lacks 2 documents: 12, 14; these are scored as empty." in result.warnings
    try:
        assay.compare(export, systems, "exact", which=which, times=5)
    except AssayError as error:
        lacking = f"{export}, model:m2: lacks the documents 12, 14, which {export}, 1 has. To score them as empty: "
        lacking += "--missing empty"
        assert str(error) == lacking
    else:
        raise AssertionError("scored")


def test_a_task_of_label_studio_counts_utf16_and_has_metadata_in_its_data(tmp_path):
    source, target = str(DATA / "doccano" / "relations.jsonl"), str(tmp_path / "tasks.json")
    assert call("convert", source, "--to", "labelstudio", "-o", target).returncode == 0
    tasks = json.loads(Path(target).read_text("utf-8"))
    for task, expected in zip(tasks, COMMANDS["convert-labelstudio"]["expected"]["tasks"], strict=True):
        results = {one["id"]: one["value"] for one in task["annotations"][0]["result"] if one["type"] == "labels"}
        spans = [[one["start"], one["end"], *one["labels"]] for one in results.values()]
        relations = [
            [*one["labels"], *(results[one[end]]["labels"][0] for end in ("from_id", "to_id"))]
            for one in task["annotations"][0]["result"]
            if one["type"] == "relation" and one["direction"] == "right"
        ]
        assert (task["data"]["text"], spans, relations) == tuple(
            expected[key] for key in ("text", "spans", "relations")
        )
        assert task["data"].items() >= expected["data"].items()
    again, corpus = (documents_of(Input(path).read()) for path in (target, source))
    assert again == corpus


def test_a_span_within_another_has_no_place_in_tags():
    done = call("convert", str(DATA / "doccano" / "relations.jsonl"), "--to", "hf")
    assert done.returncode == 2
    assert done.stderr == (
        "assay: document 14: the span 'Rome' lies over 'Bank of Rome', which hf has no place for. Use --to jsonl\n"
    )


def adjudicate(path: Path | str) -> assay.Result:
    """Write the differences of the two annotators of an export."""
    export = str(DATA / "labelstudio" / "two.json")
    return assay.agreement(export, "exact", missing="absent", items=str(path), times=5)


def test_differences_of_annotators_are_tasks_whose_decisions_come_back_as_gold(tmp_path):
    path = tmp_path / "adjudicate.json"
    result = adjudicate(path)
    assert f"{path}: 2 documents with 5 differences to decide." in result.notes
    tasks = json.loads(path.read_text("utf-8"))
    for task, expected in zip(tasks, COMMANDS["adjudicate"]["expected"]["tasks"], strict=True):
        found = {
            prediction["model_version"]: [
                [one["value"]["start"], one["value"]["end"], *one["value"]["labels"]]
                for one in prediction["result"]
                if one["type"] == "labels"
            ]
            for prediction in task["predictions"]
        }
        assert found == expected["predictions"]
        assert task["data"] == expected["data"] | {"id": expected["source_id"]}
    shared = [
        one["value"]["text"]
        for task in tasks
        for prediction in task["predictions"]
        for one in prediction["result"]
        if one.get("meta") == {"agreed": True}
    ]
    assert shared == ["Zoë Łuczak", "Zoë Łuczak", "kidney function", "kidney function"]
    # Someone decides: for the first annotator in the first task, for the second in the other.
    for task, chosen in zip(tasks, (0, 1), strict=True):
        results = task["predictions"][chosen]["result"]
        task["annotations"] = [{"completed_by": 7, "ground_truth": True, "result": results}]
    decided = tmp_path / "decided.json"
    decided.write_text(json.dumps(tasks), "utf-8")
    systems = dict.fromkeys(("a", "b"), str(decided))
    which = {"gold": "ground-truth", "a": "model:1", "b": "model:ben@example.org"}
    scored = assay.score(str(decided), systems, "exact", which=which, times=5)
    assert counted(scored, "a") == {"tp": 4, "fp": 1, "fn": 1}
    assert counted(scored, "b") == {"tp": 3, "fp": 1, "fn": 2}


def test_differences_are_rows_of_prodigy_or_folders_of_brat_too(tmp_path):
    adjudicate(tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["_annotator_id"]) for row in rows] == [
        (name, who) for name in ("11", "12") for who in ("1", "ben@example.org")
    ]
    assert len({(row["text"], row["_input_hash"]) for row in rows}) == 2
    adjudicate(f"{tmp_path}/brat/")
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("brat/*/*.ann"))
    assert found == [f"brat/{who}/{name}.ann" for who in ("1", "ben@example.org") for name in ("11", "12")]
    assert (tmp_path / "brat/ben@example.org/12.ann").read_text("utf-8").splitlines()[1] == "T2\tPER 34 40\tOkafor"
    for path in ("rows.jsonl", "brat/"):
        again = assay.agreement(f"{tmp_path}/{path}", "exact", times=5)
        assert again.score("1 ~ ben@example.org", "exact").value == 4 / 9


def test_changes_of_a_kind_between_systems_are_tasks_too(tmp_path):
    export, path = str(DATA / "labelstudio" / "two.json"), tmp_path / "changes.json"
    sides = ("gold=1", "m1=model:m1", "m2=model:m2")
    which = [part for side in sides for part in ("--which", side)]
    files = (export, f"m1={export}", f"m2={export}", *which, "--missing", "empty", "-m", "exact", "--times", "5")
    done = call("compare", *files, "--kind", "new-error", "--items", str(path))
    assert done.returncode == 0, done.stderr
    assert f"{path}: 2 documents with 2 differences to decide." in done.stdout
    tasks = json.loads(path.read_text("utf-8"))
    assert [[one["model_version"] for one in task["predictions"]] for task in tasks] == [["gold", "m1", "m2"]] * 2
    assert [task["data"]["id"] for task in tasks] == ["11", "14"]
    refused = call("compare", *files, "--items", str(tmp_path / "changes.tsv"))
    assert refused.stderr.endswith("give tasks.json (Label Studio), rows.jsonl (Prodigy) or FOLDER/ (brat).\n")
