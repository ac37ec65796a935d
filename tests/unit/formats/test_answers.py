"""Answers in shapes that the cases do not have, or not quite so."""

from __future__ import annotations

import pytest

import assay
from assay.formats.grounding import Ground, SearchText, edit_distance, fold_spelling
from assay.formats.shapes import read_answer
from cases import each

TEXT = "Ada Lovelace met Charles Babbage in London."
LABELS = ("PER", "LOC", "ORG")
ADA, LONDON = ("Ada Lovelace", "PER"), ("London", "LOC")

READ = {
    "links and labels before": ("[PER: Ada Lovelace] met him in [London](LOC).", "parsed", [ADA, LONDON]),
    "object around": ('{"entities": [{"text": "London", "label": "LOC"}], "text": "…"}', "parsed", [LONDON]),
    "strings to labels": ('{"Ada Lovelace": "PER", "London": "LOC"}', "parsed", [ADA, LONDON]),
    "labels first": ('[["PER", "Ada Lovelace"], ["LOC", "London"]]', "parsed", [ADA, LONDON]),
    "one pair": ('["London", "LOC"]', "parsed", [LONDON]),
    "one list more": ('[[["Ada Lovelace", "PER"], ["London", "LOC"]]]', "parsed", [ADA, LONDON]),
    "tuples": ('[("Ada Lovelace", "PER"), ("London", "LOC")]', "repaired", [ADA, LONDON]),
    "a key twice": ('{"PER": "Ada Lovelace", "PER": "Babbage"}', "parsed", [ADA, ("Babbage", "PER")]),
    "several labels": ('[{"text": "London", "labels": ["LOC", "ORG"]}]', "parsed", [LONDON, ("London", "ORG")]),
    "an object per line": (
        '{"text": "Ada Lovelace", "label": "PER"}\n{"text": "London", "label": "LOC"}',
        "parsed",
        [ADA, LONDON],
    ),
    "the last value": ('[["met", "ORG"]] is wrong, rather [["London", "LOC"]]', "parsed", [LONDON]),
    "the last fence": ('```\n[["met", "ORG"]]\n```\nNo:\n```json\n[["London", "LOC"]]\n```', "parsed", [LONDON]),
    "a fence without end": ('```json\n[["London", "LOC"]]', "parsed", [LONDON]),
    "cut in a list of a label": ('{"PER": ["Ada Lovelace"], "LOC": ["London", "Par', "repaired", [ADA, LONDON]),
    "cut in another list": ('{"PER": ["Ada Lovelace"], "LOC": ["Lon', "repaired", [ADA]),
    "apostrophes": ("[['Ada Lovelace', 'PER'], ['St. Mary's', 'LOC']]", "malformed", []),
    "brackets in a mention": ('[{"text": "the [old] town", "label": "LOC"}]', "parsed", [("the [old] town", "LOC")]),
    "lines with arrows": ("* PER → Ada Lovelace\n* LOC → London", "parsed", [ADA, LONDON]),
    "lines with dashes": ("1. Ada Lovelace - PER\n2) London – LOC", "parsed", [ADA, LONDON]),
    "labels with their entities": ("PER: Ada Lovelace\nLOC: London\nORG: none", "parsed", [ADA, LONDON]),
    "prose around lines": ("Sure! Here:\n- Ada Lovelace (PER)\n- London (LOC)\nNote: done.", "parsed", [ADA, LONDON]),
    "answer before lines": ("Answer: Ada Lovelace (PER)\nLondon (LOC)", "parsed", [ADA, LONDON]),
    "tags around tags": ("<x>\n<PER>Ada Lovelace</PER>\n<LOC>London</LOC>\n</x>", "parsed", [ADA, LONDON]),
    "tags around JSON": ('<answer>[["London", "LOC"]]</answer>', "parsed", [LONDON]),
    "tags that cross": ("<PER>Ada <LOC>Lovelace</PER> met</LOC>", "repaired", [ADA, ("Lovelace met", "LOC")]),
    "less than": ("p <0.05 and x> 3: <LOC>London</LOC>", "parsed", [LONDON]),
    "thinking begun in the prompt": ("London is a place.</think>London (LOC)", "parsed", [LONDON]),
    "a table without rows": ("| Text | Label |\n|---|---|", "empty", []),
    "nothing under any label": ('{"PER": [], "LOC": null}', "empty", []),
    "nothing but O": ("Ada/O Lovelace/O met/O", "empty", []),
    "nothing in a sentence": ("I looked, and there are no entities of these kinds.", "empty", []),
    "the text in capitals": (TEXT.upper(), "empty", []),
    "a refusal with other apostrophes": ("I’m sorry, I can’t.", "refused", []),
    "strings without a label": ('["Ada Lovelace", "Charles Babbage"]', "malformed", []),
    # Shapes near those of the cases.
    "keys in capitals": ('{"Entity": "London", "Type": "LOC"}', "parsed", [LONDON]),
    "a table of nothing": ("| Entity | Type |\n|---|---|\n| None | PER |\n| - | LOC |", "empty", []),
    "rows without heads": ("| Ada Lovelace | PER |\n| London | LOC |", "parsed", [ADA, LONDON]),
    "a number beside a label": ("PER (1): Ada Lovelace\nLOC (1): London", "parsed", [ADA, LONDON]),
    "words outside": ("PER: Ada Lovelace\nO: met, in", "parsed", [ADA]),
    "keys in one line": ("Entity: Ada Lovelace, Type: PER\nType: LOC | Text: London", "parsed", [ADA, LONDON]),
    "an explanation before the label": ("- London: This is a city (LOC).", "parsed", [LONDON]),
    "another key for the label": ('{"text": "London", "kind": "LOC"}', "parsed", [LONDON]),
    "a label and its list": ('{"label": "PER", "entities": ["Ada Lovelace"]}', "parsed", [ADA]),
    "texts to objects": ('{"Ada Lovelace": {"label": "PER", "start": 0, "end": 12}}', "parsed", [ADA]),
    "reasons are no label": ('{"reasoning": "There is one.", "PER": ["Ada Lovelace"]}', "parsed", [ADA]),
    "no list, and a model": ('{"entities": [], "model": "x"}', "empty", []),
    "a call of a tool": (
        '{"type": "function", "function": {"name": "x", "arguments": "{\\"PER\\": [\\"Ada Lovelace\\"]}"}}',
        "parsed",
        [ADA],
    ),
    "JSON in quotes": ('"[[\\"London\\", \\"LOC\\"]]"', "parsed", [LONDON]),
    "lists that follow each other": ('["Ada Lovelace", "PER"]\n["London", "LOC"]', "parsed", [ADA, LONDON]),
    "objects of words": (
        '[{"word": "Ada", "tag": "B-PER"}, {"word": "Lovelace", "tag": "I-PER"}]',
        "parsed",
        [ADA],
    ),
    "cut before the first mention": ('{"PER": ["Ada', "malformed", []),
    "bold colon": ("**PER:** Ada Lovelace\n**LOC:** London", "parsed", [ADA, LONDON]),
    "a word and its quoted label": ('"Ada Lovelace": "PER",\n"London": "LOC"', "parsed", [ADA, LONDON]),
    "pairs in brackets": ("(Ada Lovelace, PER)\n(London, LOC)", "parsed", [ADA, LONDON]),
    "pairs with commas": ("Ada Lovelace, PER; London, LOC", "parsed", [ADA, LONDON]),
    "fields in lines": ("Entity: Ada Lovelace\nType: PER\n\nEntity: London\nType: LOC", "parsed", [ADA, LONDON]),
    "an answer after reasons": ("I see two.\nAnswer: Ada Lovelace (PER); London (LOC)", "parsed", [ADA, LONDON]),
    "headings and prose": ("**LOC**\n- London\n\nLet me know if you need more!", "parsed", [LONDON]),
    "tags as a list in another order": ("<LOC>London</LOC>\n<PER>Ada Lovelace</PER>", "parsed", [LONDON, ADA]),
    "elements of HTML": ("<b>Ada Lovelace</b> met <i>him</i>", "malformed", []),
    "an element without a label": ("<entity>London</entity>", "malformed", []),
    "a list with a label outside": ("Ada Lovelace (PER), London (CITY)", "malformed", []),
    "a name with a comma too many": ('{"PER": "Charles, Babbage"}', "parsed", [("Charles, Babbage", "PER")]),
    "deeper than anything": ("[" * 200 + '"a"' + "]" * 200, "malformed", []),
}


@each("name, expected", READ.items(), ids=lambda row: row[0])
def test_readings(name, expected):
    answer, status, mentions = expected
    reading = read_answer(answer, TEXT, LABELS)
    assert (reading.status, [(one.text, one.label) for one in reading.mentions]) == (status, mentions)


def test_a_label_for_those_that_have_none():
    for answer in ('["Ada Lovelace", "Babbage"]', "- Ada Lovelace\n- Babbage", "@@Ada Lovelace## met @@Babbage##"):
        reading = read_answer(answer, TEXT, LABELS, label="PER")
        assert [(one.text, one.label) for one in reading.mentions] == [ADA, ("Babbage", "PER")]


def test_a_word_for_nothing_may_be_an_element():
    """Na is sodium: real answers name it."""
    reading = read_answer('[["Na", "MATTER"], ["NA", "MATTER"], ["n/a", "MATTER"]]', "Na and K", ("MATTER",))
    assert [one.text for one in reading.mentions] == ["Na"]


def test_words_of_a_text_that_is_all_mentions():
    """Without any O, a list of words is one of mentions; with tags of words it is not."""
    for answer, expected in (
        ('[["Paris", "LOC"], ["London", "LOC"]]', ["Paris", "London"]),
        ("Paris\tLOC\nLondon\tLOC", ["Paris", "London"]),
        ("Paris\tB-LOC\nLondon\tI-LOC", ["Paris London"]),
        ("Paris LOC\nLondon LOC", ["Paris London"]),
    ):
        assert [one.text for one in read_answer(answer, "Paris London", LABELS).mentions] == expected, answer


def test_only_the_shape_that_is_named_is_read():
    answer = '<LOC>London</LOC> ["Ada Lovelace", "PER"]'
    assert [one.text for one in read_answer(answer, TEXT, LABELS).mentions] == ["London"]
    assert [one.text for one in read_answer(answer, TEXT, LABELS, shape="json").mentions] == ["Ada Lovelace"]
    assert read_answer(answer, TEXT, LABELS, shape="table").status == "malformed"


@each(
    "text, folded",
    [
        ("Depart-\n  ment", "department"),
        ("Depart-\nMent", "depart- ment"),
        ("1-\na", "1- a"),
        ("so\u00adft\u200b", "soft"),
        ("“a” ‘b’ «c» `d´", "\"a\" 'b' \"c\" 'd'"),
        ("a–b — c − d", "a-b - c - d"),
        (" a\t\n b ", "a b"),
        ("Straße ﬁn Ⅳ", "strasse fin iv"),
        ("Mu\u0308ller", "müller"),
    ],
)
def test_folding(text, folded):
    assert fold_spelling(text) == folded


def test_a_part_of_a_folded_character_is_no_place():
    text = SearchText("Groß")
    assert list(text._candidates("gros", "gros", Ground(level=1))[1]) == []
    assert list(text._candidates("gross", "gross", Ground(level=1))[1]) == [(0, 4)]


def test_distance():
    assert [edit_distance(*pair) for pair in (("kitten", "sitting"), ("", "abc"), ("abc", ""), ("a", "a"))] == [
        3,
        3,
        3,
        0,
    ]


def test_a_long_mention_is_found_in_a_long_text():
    words = [f"word{number}x" for number in range(400)]
    mention = " ".join(words[100:180]).replace("word120x", "wrd120x")
    level, places = SearchText(" ".join(words))._candidates(mention, fold_spelling(mention), Ground())
    assert (level, [" ".join(words)[slice(*place)] for place in places]) == (2, [" ".join(words[100:180])])


def test_answers_that_are_read_as_spans_are_told_apart(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "d1", "text": "a", "answer": "<PER>a</PER>"}\n', "utf-8")
    with pytest.raises(assay.AssayError) as error:
        assay.read(str(path))
    assert str(error.value) == (
        f'{path}:1: the answer is "<PER>a</PER>". If that is what a language model said of gold\'s text: '
        "--input-format answers"
    )
