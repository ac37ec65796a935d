"""DyGIE and DocRED: documents in sentences, with mentions and relations."""

from __future__ import annotations

import json
from typing import Any

import pytest

import assay
from assay.formats import Input, read
from assay.formats.relations import links_in, relations_in
from cases import each
from unit.samples import placed, refusal, related

DYGIE: dict[str, Any] = {
    "doc_key": "d1",
    "sentences": [["Ann", "Lee", "left"], [], ["She", "saw", "Rome"]],
    "ner": [[[0, 1, "PER"]], [], [[5, 5, "LOC"]]],
    "relations": [[], [], [[3, 3, 5, 5, "saw"], [0, 1, 5, 5, "left"]]],
}
ANN, ROME, SHE = (0, "PER", [(0, 2)]), (1, "LOC", [(2, 3)]), (1, "", [(0, 1)])
DOCRED: dict[str, Any] = {
    "title": "d1",
    "sents": [["Ann", "Lee", "left"], ["She", "saw", "Rome"]],
    "vertexSet": [
        [{"pos": [0, 1], "sent_id": 1, "type": "PER"}, {"pos": [0, 2], "sent_id": 0, "type": "PER", "name": "Ann"}],
        [{"pos": [2, 3], "sent_id": 1, "type": "LOC"}],
    ],
    "labels": [{"h": 0, "t": 1, "r": "P1", "evidence": [1]}],
}


@pytest.fixture
def documents(file):
    """Write documents, one per line; returns the name of the file."""

    def write(*values: Any, name: str = "a.json") -> str:
        return file(name, "".join(json.dumps(value) + "\n" for value in values))

    return write


# --- DyGIE ---


def test_mentions_and_relations_count_words_over_the_document(documents):
    corpus = read(documents(DYGIE))
    assert (corpus.format, corpus.sentences, corpus.by_id, "mentions" in corpus.marks) == ("dygie", 2, True, False)
    assert placed(corpus) == [ANN, ROME]
    assert related(corpus) == [("saw", SHE, ROME), ("left", ANN, ROME)]
    assert corpus.notes == ("Arguments of relations that are not among the spans: 1.",)


def test_a_document_may_have_no_spans_or_no_relations(documents):
    bare = {**DYGIE, "ner": [[], [], []]}
    corpus = read(documents({**bare, "relations": [[], [], []]}, {**bare, "doc_key": "d2"}))
    assert placed(corpus) == []
    untyped = [(3, "", [(0, 1)]), (3, "", [(2, 3)]), (2, "", [(0, 2)])]
    assert related(corpus) == [("saw", *untyped[:2]), ("left", untyped[2], untyped[1])]
    assert corpus.notes == ("Arguments of relations that are not among the spans: 3.",)


def test_predictions_have_two_more_numbers(documents):
    predicted = {
        "doc_key": "d1",
        "sentences": [["Ann", "left"]],
        "predicted_ner": [[[0, 0, "PER", 7.1, 0.9], [1, 1, "X", 3, 0.5]]],
        "predicted_relations": [[[0, 0, 1, 1, "r", 2.5, 0.8]]],
    }
    rows = [(0, "PER", [(0, 1)]), (0, "X", [(1, 2)])]
    assert related(read(documents(predicted))) == [("r", *rows)]
    both = documents({**predicted, "ner": [[]], "relations": [[]]})
    assert refusal(read, both) == (
        "a.json:1: ner, relations are there, and predicted_ner, predicted_relations. Choose one: "
        '--input-format "dygie(which=predicted)"; files that have none of these are read as they are.'
    )
    assert related(read(both, input_format="dygie(which=predicted)")) == [("r", *rows)]
    assert related(read(both, input_format="dygie(which=gold)")) == []
    assert related(read(documents(DYGIE), input_format="dygie(which=predicted)"))[0][0] == "saw"


def test_a_document_without_predictions_is_refused_where_the_first_has_some(documents):
    first = {"doc_key": "a", "sentences": [["Ann"]], "predicted_ner": [[]]}
    name = documents(first, {"doc_key": "b", "sentences": [["Ann"]], "ner": [[]]})
    assert refusal(read, name) == (
        "a.json:2: no predicted_ner or predicted_relations, but the first document has such."
    )


def test_an_argument_that_may_be_two_spans_is_the_first_and_counted(documents):
    ner = [[[0, 1, "PER"], [0, 1, "ORG"]], [], [[5, 5, "LOC"]]]
    corpus = read(documents({**DYGIE, "ner": ner, "relations": [[], [], [[0, 1, 5, 5, "left"]]]}))
    assert related(corpus) == [("left", ANN, ROME)]
    assert corpus.notes == ("Arguments of relations that may be several spans (the first counts): 1.",)


def test_chains_are_read_too(documents):
    clusters = [[[0, 1], [3, 3]]]
    corpus = read(documents({**DYGIE, "clusters": clusters}))
    assert (corpus.marks["mentions"].begin.tolist(), corpus.marks["mentions"].end.tolist()) == ([0, 3], [2, 4])
    assert "mentions" in read(documents({**DYGIE, "clusters": clusters}), input_format="clusters").marks
    plain = {key: value for key, value in DYGIE.items() if key in ("doc_key", "sentences")}
    assert Input(documents({**plain, "clusters": clusters})).plan.name == "clusters"
    late = documents({**DYGIE, "doc_key": "d0"}, {**DYGIE, "clusters": clusters})
    assert refusal(read, late) == "a.json:2: clusters, but the first document has none. Give it []."


COUNTED = "but there are 6 words. Places count over the document, from 0, and the last word belongs to the mention."
OVER = "over the end of a sentence. Is the last word counted twice, or do places not count over the document?"
DYGIE_FAULTS = [
    ({"ner": [[[0, 6, "X"]], [], []]}, f"ner[0][0] has the place 0 to 6, {COUNTED}"),
    ({"ner": [[[2, 1, "X"]], [], []]}, f"ner[0][0] has the place 2 to 1, {COUNTED}"),
    ({"ner": [[[0, 10**30, "X"]], [], []]}, f"ner[0][0] has the place 0 to 1{'0' * 30}, {COUNTED}"),
    (
        {"relations": [[], [], [[3, 3, 4, 4, "r"], [3, 3, -1, 5, "r"]]]},
        f"relations[2][1] has the place -1 to 5, {COUNTED}",
    ),
    ({"ner": [[[1, 3, "X"]], [], []]}, f"ner[0][0] reaches from 1 to 3, {OVER}"),
    ({"relations": [[[0, 3, 4, 4, "X"]], [], []]}, f"relations[0][0] reaches from 0 to 3, {OVER}"),
    ({"ner": [[], [], [[0, 1, "X"]]]}, "ner[2][0] lies in sentence 0. Places count over the document."),
    ({"ner": [[[0, 1]], [], []]}, "ner[0][0] is [0, 1], but [first, last, type] is expected."),
    ({"ner": [[[0, "1", "X"]], [], []]}, 'ner[0][0] is [0, "1", "X"], but [first, last, type] is expected.'),
    ({"ner": [[[0, 1, ""]], [], []]}, "ner[0][0]: the label is empty. Give one, or remove the span."),
    (
        {"relations": [[[0, 0, 1, 1, ""]], [], []]},
        "relations[0][0]: the label is empty. Give one, or remove the relation.",
    ),
    (
        {"relations": [[[0, 0, 1, "x"]], [], []]},
        'relations[0][0] is [0, 0, 1, "x"], but [first, last, first, last, label] is expected.',
    ),
    (
        {"relations": [[], [], [[3, 3, 4, 4, True]]]},
        "relations[2][0]: the label is true, but a string is expected.",
    ),
    ({"relations": [[]]}, "relations should be a list of 3 lists, one for each sentence."),
    ({"ner": {}}, "ner should be a list of 3 lists, one for each sentence."),
]


@each("changes, fault", DYGIE_FAULTS)
def test_a_faulty_document_of_dygie_is_refused(documents, changes, fault):
    name = documents({**DYGIE, "doc_key": "d0"}, {**DYGIE, "relations": [[], [], []], **changes})
    assert refusal(read, name) == f"a.json:2: {fault}"


# --- DocRED ---


def test_facts_are_relations_between_first_mentions(documents, file):
    for name in (documents(DOCRED), file("b.json", json.dumps([DOCRED], indent=1))):
        corpus = read(name)
        assert (corpus.format, corpus.document_ids, corpus.sentences) == ("docred", ("d1",), 2)
        assert placed(corpus) == [ANN, (1, "PER", [(0, 1)]), ROME]
        assert related(corpus) == [("P1", ANN, ROME)]
        assert corpus.marks["arguments"].group.tolist() == [0, 0, 1]


def test_entities_count_over_all_documents_and_there_may_be_no_facts(documents):
    without = {key: value for key, value in DOCRED.items() if key != "labels"}
    corpus = read(documents({**without, "title": "d0"}, without))
    assert corpus.marks["arguments"].group.tolist() == [0, 0, 1, 2, 2, 3]
    assert related(corpus) == []


def test_predictions_are_facts_about_golds_entities(documents, file):
    documents(DOCRED, {**DOCRED, "title": "d2"}, name="gold.json")
    facts = [{"title": "d1", "h_idx": 1, "t_idx": 0, "r": "P2"}, {"title": "d1", "h_idx": 0, "t_idx": 1, "r": "P1"}]
    name = file("s.json", json.dumps(facts))
    assert refusal(read, name) == (
        "s.json: facts about entities that it does not have. Name the file that has them: "
        '--input-format "docred(gold=FILE)"'
    )
    corpus = read(name, input_format="docred(gold=gold.json)")
    assert related(corpus) == [("P2", ROME, ANN), ("P1", ANN, ROME)]
    assert corpus.document_ids == ("d1", "d2")
    assert related(read("gold.json", input_format="docred(gold=gold.json)"))[0] == ("P1", ANN, ROME)
    nothing = file("n.json", "[]")
    assert related(read(nothing, input_format="docred(gold=gold.json)")) == []


def test_predictions_about_other_documents_or_entities_are_refused(documents, file):
    documents(DOCRED, name="gold.json")
    fact = {"title": "d1", "h_idx": 1, "t_idx": 0, "r": "P2"}
    form = "docred(gold=gold.json)"
    assert refusal(read, documents({**fact, "title": "d7"}), input_format=form) == (
        "a.json:1: gold.json has no document 'd7'. Is it the right file?"
    )
    assert refusal(read, documents(fact, {**fact, "t_idx": 2}), input_format=form) == (
        "a.json:2: t_idx is 2, but there are 2 entities, counted from 0."
    )


MENTION = {"pos": [0, 1], "sent_id": 0, "type": "PER"}
OUTSIDE = "Words count from 0 in their sentence, end exclusive."
DOCRED_FAULTS = [
    ({"sents": [["Ann", ""]]}, 'sents[0][1] is "", but a text is expected.'),
    ({"title": " "}, 'the title is " ", but a text is expected.'),
    ({"sents": [["Ann"], []]}, "sents should be a list of sentences, each a list of words."),
    ({"sents": [["Ann", 3]]}, "sents[0][1] is 3, but a text is expected."),
    ({"vertexSet": [[]]}, "vertexSet[0] is []. An entity has one mention or more."),
    (
        {"vertexSet": [[{"pos": [0, 1]}]]},
        'vertexSet[0][0] is {"pos": [0, 1]}. A mention has "sent_id": 0, "pos": [0, 1], "type".',
    ),
    (
        {"vertexSet": [[{**MENTION, "pos": [2, 4]}]]},
        f"vertexSet[0][0] lies outside its sentence: sent_id 0, pos [2, 4]. {OUTSIDE}",
    ),
    (
        {"vertexSet": [[{**MENTION, "sent_id": 2}]]},
        f"vertexSet[0][0] lies outside its sentence: sent_id 2, pos [0, 1]. {OUTSIDE}",
    ),
    ({"vertexSet": [[{**MENTION, "type": None}]]}, "vertexSet[0][0]: the label is null, but a string is expected."),
    ({"labels": {}}, "labels are {}, but a list is expected."),
    ({"labels": [{"h": 0, "r": "P1"}]}, "labels[0]: t is null, but there are 2 entities, counted from 0."),
    ({"labels": [{"h": 0, "t": 5, "r": "P1"}]}, "labels[0]: t is 5, but there are 2 entities, counted from 0."),
    (
        {"labels": [{"h": 0, "t": 1, "r": ""}]},
        "labels[0]: r: the label is empty. Give one, or remove the relation.",
    ),
    ({"labels": [7]}, "labels[0]: h is null, but there are 2 entities, counted from 0."),
    ({"title": "d0"}, "the id 'd0' is already used in a.json:1. Give each its own id."),
]


@each("changes, fault", DOCRED_FAULTS)
def test_a_faulty_document_of_docred_is_refused(documents, changes, fault):
    name = documents({**DOCRED, "title": "d0"}, {**DOCRED, **changes})
    title = "" if "title" in changes else '"d1": '
    assert refusal(read, name) == f"a.json:2: {title}{fault}"


def test_white_space_is_part_of_words_of_docred(documents):
    words = ["Ann", "met", "J.\xa0K.", "Ng", "in", "\xa0", "Rome"]
    mentions = [[{**MENTION, "pos": place}] for place in ([0, 1], [2, 4], [6, 7])]
    document = {"sents": [words], "vertexSet": mentions, "labels": [{"h": 0, "t": 2, "r": "P1"}]}
    corpus = read(documents(document, document))
    assert corpus.forms.strings(0, 7) == words and corpus.document_ids == ("1", "2")
    # Other words for the same characters: the word without characters has a number and no counterpart.
    split = {**document, "sents": [[*words[:2], "J.", "K.", *words[3:5], "Rome"]]}
    split["vertexSet"] = [[{**MENTION, "pos": place}] for place in ([0, 1], [2, 5], [6, 7])]
    result = assay.score(documents(document, name="g.json"), documents(split, name="s.json"), "relations", times=1)
    assert result.score("s", "relations").value == 1


def test_what_is_no_document_is_refused(file):
    assert refusal(read, file("a.json", "[]"), input_format="docred").startswith("a.json: facts about entities")
    name = file("b.json", '{"vertexSet": 3}')
    assert refusal(read, name).startswith('b.json:1: {"vertexSet": 3}, but a document is expected. It is {"title"')


# --- what is compared ---


def test_spans_of_dygie_are_compared_by_sentence_and_documents_by_id(documents):
    other = {**DYGIE, "doc_key": "d2", "ner": [[[0, 0, "PER"]], [], []]}
    documents(DYGIE, {**other, "ner": DYGIE["ner"]}, name="gold.json"), documents(other, DYGIE, name="s.json")
    result = assay.score("gold.json", "s.json", "exact", task="spans", times=5)
    assert (result.about.unit, result.about.units, result.about.items) == ("sentence", 4, 4)
    assert result.score("s", "exact").value == 4 / 7


def test_documents_with_chains_are_still_compared_by_these(documents):
    clusters = [[[0, 1], [3, 3]]]
    name = documents({**DYGIE, "clusters": clusters})
    assert assay.score(name, name, task="coreference", times=5).scores[0].value == 1
    without = {key: value for key, value in DYGIE.items() if key != "relations"}
    assert assay.score(documents({**without, "clusters": clusters}), name, times=5).about.task == "coreference"


def test_a_corpus_without_spans_has_nothing_to_relate_or_to_link(file):
    corpus = read(file("a.tsv", "The\tDT\nend\tNN\n"))
    message = (
        "a.tsv: contains no spans (tsv), so there is nothing to relate or to link. Try another --task or "
        "--input-format."
    )
    assert (refusal(relations_in, corpus), refusal(links_in, corpus)) == (message, message)
