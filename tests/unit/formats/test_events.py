"""Events in JSON, DyGIE and brat: what is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.corpus import Corpus
from assay.errors import InputError, UsageError
from assay.formats import Input, read
from assay.formats.write import convert_file
from cases import each

FORMATS = Path(__file__).parents[2] / "data" / "records" / "formats"
WORDS = ["Rebels", "attacked", "the", "old", "bridge", "."]
MENTIONS = [{"id": "m", "start": 2, "end": 5, "text": "the old bridge", "head": {"start": 4, "end": 5}}]


def contents(corpus: Corpus) -> list[tuple[Any, ...]]:
    """The events as (first word, end, type, then each argument), words counted over the file."""
    triggers, arguments = corpus.marks["events"], corpus.marks.get("event-arguments")
    found: dict[int, tuple[Any, ...]] = {}
    assert triggers.group is not None
    for marks in (triggers, arguments):
        if marks is None or marks.group is None:
            continue
        first = corpus.starts[marks.unit]
        rows = zip(marks.group.tolist(), (first + marks.begin).tolist(), (first + marks.end).tolist(), strict=True)
        for row, (event, begin, end) in enumerate(rows):
            found[event] = (*found.get(event, ()), (begin, end, marks.labels[row]))
    return sorted(found.values())


@each("name", sorted(path.name for path in FORMATS.glob("*.jsonl")))
def test_all_files_hold_the_two_events(name):
    expected = json.loads((FORMATS / "expected.json").read_text("utf-8"))
    wanted = []
    for event in expected["events"]:
        arguments = [] if name == "maven.jsonl" else event["arguments"]
        wanted.append(tuple(map(tuple, [event["trigger"], *arguments])))
    assert contents(read(FORMATS / name)) == wanted


def test_events_of_brat_have_attributes(tmp_path):
    corpus = read(FORMATS / "brat.ann")
    assert corpus.marks["events"].columns["attributes"].strings() == ["Negation", "Confidence=High"]
    (tmp_path / "a.txt").write_text("Rebels attacked the old bridge.\nTwo guards died in New Kell.\n")
    changed = (FORMATS / "brat.ann").read_text("utf-8").replace("E2 High", "E2 Low").replace("Target:", "Target2:")
    (tmp_path / "a.ann").write_text(changed)
    result = assay.score(
        FORMATS / "brat.ann", {"s": tmp_path / "a.ann"}, ["event-attributes", "events"], task="events"
    )
    values = {row.measure: row.value for row in result.scores if row.score == "f1" and not row.label}
    assert values == {"event-attributes": 0.5, "events": 1.0}
    assert not any("attributes" in text or "relations" in text for text in result.warnings)


def test_brat_is_read_as_relations_unless_events_are_asked_for():
    result = assay.score(FORMATS / "brat.ann", {"s": FORMATS / "brat.ann"}, task="relations")
    assert "Events read as relations; --task events compares them whole: 2." in " ".join(result.warnings)


def sentence(**more: Any) -> dict[str, Any]:
    return {"doc_id": "d", "tokens": WORDS, **more}


def mentioned(trigger: Any, *arguments: Any) -> dict[str, Any]:
    event = {"event_type": "Attack", "trigger": trigger, "arguments": [*arguments]}
    return sentence(entity_mentions=MENTIONS, event_mentions=[event])


_TRIGGER = {"start": 1, "end": 2, "text": "attacked"}
REFUSED = {
    "ends included": (
        mentioned({"start": 1, "end": 1, "text": "attacked"}),
        "event_mentions[0].trigger has the place [1, 1], but there are 6 words, counted from 0. The end is the "
        "number of the word after the last.",
    ),
    "another text": (
        mentioned({"start": 2, "end": 4, "text": "the old bridge"}),
        'event_mentions[0].trigger is "the old", not "the old bridge". Are ends included?',
    ),
    "a text nowhere": (
        mentioned({"start": 1, "end": 2, "text": "shelled"}),
        'event_mentions[0].trigger is "attacked", not "shelled". Correct the place or the text.',
    ),
    "no such mention": (
        mentioned(_TRIGGER, {"entity_id": "x", "role": "Target"}),
        'event_mentions[0].arguments[0]: there is no mention "x" of an entity. Name one that is, or its start.',
    ),
    "no role": (
        mentioned(_TRIGGER, {"entity_id": "m", "role": ""}),
        "event_mentions[0].arguments[0]: the label is empty. Give one, or remove the argument.",
    ),
    "a short row": (
        sentence(events=[{"trigger": [1, 2], "arguments": []}]),
        "events[0].trigger is [1, 2], but [first, end, type] is expected.",
    ),
    "a role of nothing": (
        sentence(graph={"entities": [], "triggers": [[1, 2, "Attack"]], "roles": [[0, 0, "Target"]]}),
        "graph.roles[0]: the number among entities is 0, but one below 0 is expected.",
    ),
    "no words": ({"tokens": [], "events": []}, "contains no words. A sentence is"),
}


@each("name", sorted(REFUSED))
def test_refusals(name, tmp_path):
    value, message = REFUSED[name]
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(value) + "\n", "utf-8")
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:1: {message}")


def test_a_place_counted_in_the_sentence_is_named(tmp_path):
    text = (FORMATS / "wikievents.jsonl").read_text("utf-8")
    path = tmp_path / "a.jsonl"
    path.write_text(text.replace('"start": 8, "end": 9', '"start": 2, "end": 3'), "utf-8")
    with pytest.raises(InputError, match=r'is "the", not "died"\. Are places counted in the sentence\?'):
        read(path)


def test_heads_and_overlaps_of_arguments(tmp_path):
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    argument = {"entity_id": "m", "role": "Target"}
    gold.write_text(json.dumps(mentioned(_TRIGGER, argument)) + "\n")
    shorter = [{**MENTIONS[0], "start": 3, "text": "old bridge"}]
    system.write_text(
        json.dumps({**mentioned(_TRIGGER, argument), "entity_mentions": shorter}).replace(
            '"the old bridge"', '"old bridge"'
        )
        + "\n"
    )
    measures = [f"arguments(match={match})" for match in ("span", "overlap", "head")]
    result = assay.score(gold, {"s": system}, measures, times=20)
    assert [row.value for row in result.scores if row.score == "f1" and not row.label] == [0, 1, 1]
    with pytest.raises(InputError, match="has no heads of mentions, which match=head needs"):
        assay.score(FORMATS / "oneie.jsonl", {"s": FORMATS / "oneie.jsonl"}, ["arguments(match=head)"])


def test_maven_has_no_arguments():
    maven = FORMATS / "maven.jsonl"
    assert {row.measure for row in assay.score(maven, {"s": maven}).scores} == {"triggers", "triggers(label=any)"}
    with pytest.raises(InputError, match="MAVEN has only triggers, so there are no arguments to compare"):
        assay.score(maven, {"s": maven}, ["fair-events"])


def test_triggers_of_several_words_in_dygie(tmp_path):
    text = (FORMATS / "dygie.jsonl").read_text("utf-8")
    path = tmp_path / "a.jsonl"
    path.write_text(text.replace('[8, "Die"]', '[8, 9, "Die"]'), "utf-8")
    assert contents(read(path))[1][0] == (8, 10, "Die")
    path.write_text(text.replace('[8, "Die"]', '[1, "Die"]'), "utf-8")
    with pytest.raises(InputError, match=r"events\[1\]\[0\] lies in sentence 0\. Places count over the document\."):
        read(path)


@each("name", ["dygie.jsonl", "oneie.jsonl"])
def test_files_and_corpora_show_the_task(name):
    for given in (FORMATS / name, read(FORMATS / name)):
        assert assay.score(given, {"s": given}, times=20).about.task == "events"


def converted(source: Path, target: str, folder: Path) -> tuple[Path, list[str]]:
    """What a file becomes in another format, and what is said."""
    texts, losses = convert_file(Input(str(source)), target, None)
    folder = folder / f"{source.stem}-{target}"
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / (name or "out.jsonl")).write_text(str(text), "utf-8")
    return folder if target == "brat" else folder / "out.jsonl", losses


def f1_of(gold: Path, system: Path, *measures: str) -> set[float]:
    """The different F1 of events of one file against another."""
    result = assay.score(gold, {"s": system}, [*measures], task="events", times=20)
    return {row.value for row in result.scores if row.score == "f1" and not row.label}


ALL = ("triggers", "triggers(label=any)", "arguments", "arguments(attached=true)", "events", "fair-events")


@each("name", sorted(path.name for path in [*FORMATS.glob("*.jsonl"), FORMATS / "brat.ann"]))
def test_events_are_written_as_dygie_and_read_back(name, tmp_path):
    out, _ = converted(FORMATS / name, "dygie", tmp_path)
    measures = ALL[:2] if name == "maven.jsonl" else ALL
    assert f1_of(FORMATS / name, out, *measures) == {1.0} == f1_of(out, FORMATS / name, *measures)
    expected = json.loads((FORMATS / "dygie.jsonl").read_text("utf-8"))["events"]
    if name != "maven.jsonl":
        documents = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
        found = [event for document in documents for one in document["events"] for event in one]
        assert found == [event for one in expected for event in one]


@each("name", ["brat.ann", "dygie.jsonl"])
def test_events_are_written_as_brat_and_read_back(name, tmp_path):
    out, losses = converted(FORMATS / name, "brat", tmp_path)
    attributes = ["event-attributes"] * (name == "brat.ann")
    assert f1_of(FORMATS / name, out, *ALL, *attributes) == {1.0}
    assert losses == []
    lines = next(out.glob("*.ann")).read_text("utf-8").splitlines()
    assert not [line for line in lines if line.startswith("R")]


def test_the_made_corpus_is_written_as_dygie(tmp_path):
    source = FORMATS.parent / "corpus" / "events.gold.jsonl"
    out, _ = converted(source, "dygie", tmp_path)
    assert f1_of(source, out, *ALL) == {1.0}
    assert contents(read(source)) == contents(read(out))


LOST = {
    ("brat.ann", "dygie"): [
        "dygie has no texts; they (1) are split into words at blanks, punctuation and ends of spans.",
        "dygie has no attributes of events; left out: 2.",
    ],
    ("brat.ann", "jsonl"): ["jsonl has no events; they (2) are written as spans and relations."],
    ("dygie.jsonl", "jsonl"): [
        "jsonl has no sentences within documents; ends left out: 1.",
        "jsonl has no events; left out: 2.",
    ],
    ("oneie.jsonl", "dygie"): [],
}


@each("case", LOST, ids="-".join)
def test_what_a_target_cannot_keep_of_events_is_said(case, tmp_path):
    assert converted(FORMATS / case[0], case[1], tmp_path)[1] == LOST[case]


def test_parts_of_events_without_a_place(tmp_path):
    with pytest.raises(UsageError, match=r"has events, which jsonl has no place for. Use --to dygie or brat"):
        converted(FORMATS / "oneie.jsonl", "jsonl", tmp_path)
    with pytest.raises(UsageError, match=r"the argument 'Rebels' without a type, which brat .* Use --to dygie"):
        converted(FORMATS / "oneie.jsonl", "brat", tmp_path)
    long = sentence(events=[{"trigger": [1, 3, "Attack"], "arguments": [[0, 1, "Role1"]]}])
    (tmp_path / "one.jsonl").write_text(json.dumps(long) + "\n", "utf-8")
    out, losses = converted(tmp_path / "one.jsonl", "dygie", tmp_path)
    assert contents(read(out)) == contents(read(tmp_path / "one.jsonl"))
    assert losses == [
        "dygie has no triggers of several words; they (1) are written as [first, last, type], which assay reads."
    ]
    with pytest.raises(UsageError, match=r"the role 'Role1' has blanks, a colon or a digit at its end, which brat"):
        converted(tmp_path / "one.jsonl", "brat", tmp_path)
