"""Semantic roles as tags in JSON: two ways to write them, and every fault with its place and a remedy."""

from __future__ import annotations

import json

import pytest

import assay
from assay.formats import Input, read_labels
from assay.formats.columns import ROLES
from assay.formats.roles import with_roles
from graphlayers import roles_in
from unit.samples import refusal

WORDS = ["She", "has", "not", "left", "home"]
LEFT = ["B-ARG0", "O", "B-ARGM-NEG", "B-V", "B-ARG1"]
HAS = ["O", "B-V", "O", "O", "O"]


def sentence(**more: object) -> str:
    return json.dumps({"words": WORDS, **more})


def verbs(*tags: list[str], **more: object) -> str:
    return sentence(verbs=[{"verb": "x", "tags": given, **more} for given in tags])


def corpus_of(path, form=None):
    return with_roles(read_labels(Input(path, input_format=form), [ROLES]))


def roles_of(path, form=None):
    """Predicates with senses, and arguments as (first word, end, predicate, role)."""
    return roles_in(corpus_of(path, form))


ROLES_OF_BOTH = (
    {1: "", 3: ""},
    [(0, 1, 3, "ARG0"), (1, 2, 1, "V"), (2, 3, 3, "ARGM-NEG"), (3, 4, 3, "V"), (4, 5, 3, "ARG1")],
)


@pytest.mark.parametrize(
    "text",
    [
        verbs(HAS, LEFT),
        verbs(LEFT, HAS),
        f"[{verbs(HAS, LEFT)}]",
        json.dumps([{"words": WORDS, "verbs": [{"tags": HAS}, {"tags": LEFT}]}], indent=1),
        sentence(tags=HAS) + "\n" + sentence(tags=LEFT),
        sentence(tags=HAS, verb=1) + "\n" + sentence(tags=LEFT, predicate=3),
        sentence(tags=LEFT, id="a", verb="left") + "\n" + sentence(tags=HAS, id="a", verb="has"),
    ],
)
def test_predicates_together_or_one_by_one(file, text):
    path = file("x.jsonl", text + "\n")
    assert Input(path).plan.name == "biojson"
    assert roles_of(path) == ROLES_OF_BOTH
    assert corpus_of(path).sentences == 1
    assert assay.score(path, {"s": path}, times=1).measures == ["srl-span", "srl-span-unlabelled"]


def test_lines_that_begin_again_are_another_sentence_and_joined_ones_are_told_of(file):
    text = "\n".join([sentence(tags=HAS), sentence(tags=LEFT), sentence(tags=HAS), sentence(tags=["O"] * 5)])
    corpus = corpus_of(file("x.jsonl", text))
    assert corpus.sentences == 3
    assert corpus.notes == ("Lines with one predicate that continue the sentence of the line before: 1.",)
    apart = sentence(tags=HAS, id=1) + "\n" + sentence(tags=LEFT, id=2)
    assert corpus_of(file("y.jsonl", apart)).sentences == 2


def test_the_number_tells_the_predicate_and_a_sense_may_be_given(file):
    tags = ["B-ARG0", "O", "O", "O", "B-ARG1"]
    path = file("x.jsonl", sentence(verbs=[{"predicate": 3, "sense": "leave.01", "tags": tags}]))
    assert roles_of(path) == ({3: "leave.01"}, [(0, 1, 3, "ARG0"), (4, 5, 3, "ARG1")])


def test_stretches_of_several_words_and_continuations_under_other_schemes(file):
    tags = ["B-A0", "I-A0", "E-A0", "S-V", "S-C-A0"]
    expected = [(0, 3, 3, "A0"), (3, 4, 3, "V"), (4, 5, 3, "C-A0")]
    assert roles_of(file("x.jsonl", verbs(tags)))[1] == expected
    assert roles_of("x.jsonl", "biojson(scheme=bioes)")[1] == expected


def test_a_sentence_without_predicates(file):
    assert roles_of(file("x.jsonl", sentence(verbs=[]) + "\n" + sentence(tags=["O"] * 5))) == ({}, [])


def test_broken_tags_are_repaired_where_it_is_asked_for(file):
    path = file("x.jsonl", verbs(["I-A0", "I-A0", "O", "B-V", "O"]))
    assert refusal(roles_of, path) == (
        "x.jsonl:1: I-A0 at the beginning of a sentence, which IOB2 does not allow (a span begins with B). Repair "
        'with repair=conlleval or discard. Give it with --input-format "biojson(…)".'
    )
    assert roles_of(path, "biojson(repair=conlleval)")[1] == [(0, 2, 3, "A0"), (3, 4, 3, "V")]
    assert roles_of(path, "biojson(repair=discard)")[1] == [(3, 4, 3, "V")]


STANDS = 'It is {"words": ["She", "left"], "verbs": [{"verb": "left", "tags": ["B-ARG0", "B-V"]}]}'
WHICH = 'Tag it B-V, or give its number, counted from 0: "predicate": 2.'
FAULTS = {
    "no object": ("[1]", f"1, but a sentence with its words is expected. {STANDS}"),
    "no words": ('{"verbs": []}', f'{{"verbs": []}}, but a sentence with its words is expected. {STANDS}'),
    "words a string": ('{"words": "a", "tags": []}', 'words is "a", but a list of strings is expected.'),
    "words of numbers": ('{"words": [1], "tags": ["O"]}', "words is [1], but a list of strings is expected."),
    "no word at all": ('{"words": [], "tags": []}', "words is [], but a list of strings is expected."),
    "an empty word": ('{"words": ["a", " "], "tags": ["O", "O"]}', "word 1 is empty. Fill it."),
    "verbs no list": (sentence(verbs=3), "verbs is 3, but a list of objects with tags is expected."),
    "verbs of strings": (sentence(verbs=["a"]), 'verbs is ["a"], but a list of objects with tags is expected.'),
    "no tags": (sentence(), "tags is null, but a list of strings is expected, one for each word."),
    "tags of numbers": (
        sentence(tags=[1] * 5),
        "tags is [1, 1, 1, 1, 1], but a list of strings is expected, one for each word.",
    ),
    "too few tags": (verbs(["O", "B-V"]), "5 words, and tags: 2. Give each word one; O is outside."),
    "a number too high": (sentence(tags=HAS, predicate=5), "predicate 5 in a sentence of 5 words, counted from 0."),
    "a number too low": (sentence(tags=HAS, predicate=-1), "predicate -1 in a sentence of 5 words, counted from 0."),
    "no predicate": (
        verbs(["B-A0", "O", "O", "O", "O"]),
        f"which word is the predicate? no word is tagged V. {WHICH}",
    ),
    "a word that does not tell": (
        sentence(tags=["O"] * 5, verb="left"),
        f"which word is the predicate? no word is tagged V. {WHICH}",
    ),
    "two predicates": (
        verbs(["B-V", "O", "O", "B-V", "O"]),
        f"which word is the predicate? 2 stretches are tagged V. {WHICH}",
    ),
    "a contradiction": (
        verbs(LEFT, predicate=1),
        "the predicate is word 1, but V is at word 3, counted from 0. Which of them is right?",
    ),
    "a predicate twice": (
        verbs(LEFT, LEFT),
        "word 3, counted from 0, is a predicate twice. Give each its tags once.",
    ),
    "no tag": (
        verbs(["A0", "O", "O", "B-V", "O"]),
        "tag 'A0' without a hyphen. A tag is O, or a prefix, a hyphen and a label, e.g. I-PER.",
    ),
    "an id of two lines": (
        sentence(tags=HAS, id="a\nb"),
        'the id is "a\\nb", but a string of one line is expected.',
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told_with_their_line_and_a_remedy(file, name):
    text, message = FAULTS[name]
    path = file("x.jsonl", text + "\n")
    assert refusal(roles_of, path, "biojson") == f"x.jsonl:1: {message}"


def test_the_line_is_that_of_the_fault(file):
    path = file("x.jsonl", verbs(HAS) + "\n\n" + verbs(["O"]) + "\n")
    assert refusal(roles_of, path) == "x.jsonl:3: 5 words, and tags: 1. Give each word one; O is outside."
    broken = file("y.jsonl", verbs(HAS) + "\n" + verbs(HAS)[:-2] + "\n")
    assert refusal(roles_of, broken).startswith("y.jsonl:2: not JSON (")


def test_an_unknown_scheme_or_repair(file):
    path = file("x.jsonl", verbs(LEFT))
    assert refusal(roles_of, path, "biojson(scheme=bix)").startswith("there is no scheme 'bix'.")
    assert refusal(roles_of, path, "biojson(repair=x)").startswith("there is no repair 'x'.")
