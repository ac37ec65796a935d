"""PubTator and BioC."""

from __future__ import annotations

import json

import pytest

from assay.formats import read
from unit.samples import refusal

TITLE = "7|t|Fever after Trazodone\n7|a|A case.\n"


def spans_in(corpus):
    spans = corpus.spans
    return [
        (spans.stretches.get(row, ((int(begin), int(end)),)), label)
        for row, (begin, end, label) in enumerate(zip(spans.begin, spans.end, spans.labels.strings(), strict=True))
    ]


# --- PubTator ---


def test_cells_after_the_identifier_are_counted_and_identifiers_may_be_missing(file):
    text = TITLE + (
        "7\t0\t5\tFever\tDisease\tD1|D2\ta|b\n7\t12\t21\tTrazodone\tChemical\n7\t24\t28\tcase\tX\t-1\t\n"
        "7\tCID\tD1|D2\tD1|D2\tNovel\n"
    )
    corpus = read(file("a.txt", text))
    assert (corpus.format, corpus.document_ids) == ("pubtator", ("7",))
    assert spans_in(corpus) == [(((0, 5),), "Disease"), (((12, 21),), "Chemical"), (((24, 28),), "X")]
    assert corpus.marks["candidates"].labels.strings() == ["D1|D2"]
    assert dict(corpus.unread) == {"Texts of the parts of a mention": 1, "Fifth cells of relations": 1}


def test_a_fact_is_between_the_first_mentions_of_entities(file):
    text = TITLE + (
        "7\t12\t21\tTrazodone\tChemical\tD1\n7\t24\t28\tcase\tChemical\tD1\n7\t0\t5\tFever\tDisease\tD2\n"
        "7\tCID\tD1\tD2\n7\tCID\tD1\tD9\n"
    )
    name = file("a.txt", text)
    assert refusal(read, name) == (
        'a.txt:1: relation 2: its tail is "D9", which is the id of no span. Name a span that is listed.\n'
        "To mend those with one clear reading and drop the rest: --repair mend"
    )
    corpus = read(name, repair="drop")
    arguments, relations = corpus.marks["arguments"], corpus.marks["relations"]
    assert arguments.group is not None
    assert arguments.group[arguments.begin == 12] == arguments.group[arguments.begin == 24]
    head, tail = (int(arguments.begin[relations.arguments[role][0]]) for role in ("head", "tail"))
    assert (len(relations), head, tail) == (1, 12, 0)
    assert corpus.repairs[0][1:] == ("dropped", 1, "a.txt:1: relation 2")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("7|t|Fever\n8\t0\t5\tFever\tX\tD1\n", 2),
        ("7|t|Fever\n7|t|Fever\n", 2),
        ("7|t|Fever\n7\tFever\n", 2),
        ("7|t|Fever\n7|b|More\n", 2),
    ],
)
def test_other_lines_are_refused_with_their_place(file, text, line):
    message = refusal(read, file("a.txt", text))
    assert message.startswith(f"a.txt:{line}: ")
    assert "is not expected here. A document is ID|t|title" in message


def test_offsets_of_pubtator_may_count_other_units(file):
    text = "7|t|😀 Łódź\n7|a|x\n7\t3\t7\tŁódź\tLOC\tQ1\n"
    assert spans_in(read(file("a.txt", text))) == [(((2, 6),), "LOC")]
    corpus = read(file("a.txt", text.replace("\t3\t7\t", "\t5\t12\t")), input_format="pubtator(offsets=bytes)")
    assert spans_in(corpus) == [(((2, 6),), "LOC")]


# --- BioC ---


def passage(offset, text, *annotations, **more):
    marks = [
        {
            "id": name,
            "infons": {"type": "X", "identifier": name},
            "text": own,
            "locations": [{"offset": at, "length": size} for at, size in places],
        }
        for name, own, *places in annotations
    ]
    return {"offset": offset, "infons": {}, "text": text, "annotations": marks, **more}


def bioc(file, *passages, **more):
    value = {"documents": [{"id": "1", "infons": {"year": 2020}, "passages": passages, **more}]}
    return file("a.json", json.dumps(value, ensure_ascii=False) + "\n")


@pytest.mark.parametrize(("lodz", "rome"), [((2, 4), 7), ((3, 4), 8), ((5, 7), 13)])
def test_passages_lie_at_their_offsets_in_characters_or_other_units(file, lodz, rome):
    first, second = passage(0, "😀 Łódź", ("A", "Łódź", lodz)), ("B", "Rome", (rome, len("Rome")))
    corpus = read(bioc(file, first, passage(rome, "Rome", second)))
    assert (corpus.format, corpus.texts) == ("bioc", ("😀 Łódź\nRome",))
    assert spans_in(corpus) == [(((2, 6),), "X"), (((7, 11),), "X")]


def test_the_unit_of_offsets_may_be_asked_for(file):
    name = bioc(file, passage(0, "😀 Łódź"), passage(8, "Rome", ("A", None, (8, 4))))
    corpus = read(name, input_format="bioc(offsets=utf16)")
    assert corpus.texts == ("😀 Łódź\nRome",)
    assert spans_in(corpus) == [(((7, 11),), "X")]


def test_annotations_of_sentences_and_relations_of_more_than_two(file):
    sentences = [passage(0, "Ann left.", ("A", "Ann", (0, 3))), passage(10, "Bo ran.", ("B", "Bo", (10, 2)))]
    nodes = [[{"refid": name} for name in names] for names in ("AB", "ABA")]
    relations = [{"infons": {"type": "r"}, "nodes": given} for given in nodes]
    name = bioc(file, {"offset": 0, "infons": {}, "sentences": sentences}, relations=relations)
    corpus = read(name)
    assert corpus.texts == ("Ann left.\nBo ran.",)
    assert corpus.metadata("year") == ["2020"]
    assert len(corpus.marks["relations"]) == 1
    assert dict(corpus.unread) == {"Relations that do not join two annotations": 1}


@pytest.mark.parametrize(
    ("passages", "fault"),
    [
        ([passage(0, "Ann left"), passage(3, "Bo")], "has the offset 3, but 8 characters are before it."),
        ([passage(0, "Ann", ("A", "Ann", (0, "x")))], "a location with offset and length is expected."),
        ([passage(None, "Ann")], "the offset of a passage is null, but a number is expected."),
        ([passage(0, "Ann", ("A", "Bo", (0, 3)))], "says 'Bo', but the text has 'Ann'."),
        ([7], "passages is [7], but a list of objects is expected."),
        ([passage(9_999_999, "Ann")], "has the offset 9,999,999"),
    ],
)
def test_faults_of_bioc_are_named(file, passages, fault):
    assert fault in refusal(read, bioc(file, *passages), input_format="bioc")


def test_a_dtd_is_not_loaded_and_entities_are_refused(file):
    body = (
        "<collection><document><id>1</id><passage><offset>0</offset><text>Ann &amp; Bo</text></passage></document>"
        "</collection>\n"
    )
    corpus = read(file("a.xml", f'<!DOCTYPE collection SYSTEM "BioC.dtd">\n{body}'))
    assert corpus.texts == ("Ann & Bo",)
    with_entity = f'<!DOCTYPE collection [<!ENTITY a "x">]>\n{body}'
    assert "declares the entity 'a'" in refusal(read, file("b.xml", with_entity))
