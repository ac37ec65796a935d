"""Text with tags of chains behind its words, as language models write it, brought to gold's words."""

from __future__ import annotations

import pytest

import assay
from assay.formats import read
from unit.samples import chained, refusal

TEXT = "Ann|[e1] saw the|[e2 old dog|e2] . It|[e2] ran\nBob|[e1] left\n"
KEY = """\
# newdoc id = a
# global.Entity = eid-etype-head-other
1\tThen\t_\tADV\t_\t_\t2\tadvmod\t_\t_
1.1\t_\t_\t_\t_\t_\t_\t_\t2:nsubj\tEntity=(e1-person-1-)
2\tgave\t_\tVERB\t_\t_\t0\troot\t_\t_
3\tthe\t_\tDET\t_\t_\t4\tdet\t_\tEntity=(e2-object-2-
4\tNew York\t_\tNOUN\t_\t_\t2\tobj\t_\tEntity=e2)
4.1\t_\t_\t_\t_\t_\t_\t_\t2:iobj\tEntity=(e3-person-1-)

1\tAna\t_\tPROPN\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1-)
2\tlaughed\t_\tVERB\t_\t_\t0\troot\t_\t_
2.1\t_\t_\t_\t_\t_\t_\t_\t2:obj\tEntity=(e3-person-1-)

"""
RIGHT = "Then gave ##|[e1] ##|[e3] the|[e2 New_York|e2] Ana|[e1] laughed ##|[e3]\n"


def test_a_line_is_a_document_and_tags_are_brackets(file):
    corpus = read(file("a.txt", TEXT))
    assert corpus.format == "text2text"
    assert corpus.forms.strings() == ["Ann", "saw", "the", "old", "dog", ".", "It", "ran", "Bob", "left"]
    assert chained(corpus) == ["0 e1 0-1", "0 e2 2-5", "0 e2 6-7", "1 e1 0-1"]
    assert corpus.marks["mentions"].lines.tolist() == [1, 1, 1, 2]
    assert not corpus.by_id


def test_tags_of_a_word_are_divided_by_commas_and_bars_without_brackets_are_words(file):
    corpus = read(file("a.txt", "a|[e1,[e2] b|c d|e1] | |[e2]\n"), input_format="text2text")
    assert corpus.forms.strings() == ["a", "b|c", "d", "|", "|[e2]"]
    assert chained(corpus) == ["0 e2 0-1", "0 e1 0-3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a|[e1 b", "word 1: the mention of e1 that opens here is not closed in its document."),
        ("a|[e2] b|e1]", "word 2: e1 is closed here, but no mention of it is open."),
    ],
)
def test_brackets_without_their_other_half_are_refused_or_counted(file, text, message):
    path = file("a.txt", text + "\n")
    remedy = "Is a bracket missing? To leave such mentions out: --repair drop"
    assert refusal(read, path, input_format="text2text") == f"a.txt:1: {message} {remedy}"
    fault = "brackets that are never closed" if "[e1 " in text else "brackets that were not opened"
    for options in ({"input_format": "text2text(broken=drop)"}, {"repair": "drop"}):
        assert read(path, **options).repairs == ((fault, "dropped", 1, f"a.txt:1: {message.partition(':')[0]}"),)


def test_odd_tags_and_empty_lines_are_refused(file):
    message = refusal(read, file("a.txt", "a|[e1],e2 b\n\n"), input_format="text2text")
    assert message.split("\n") == [
        "a.txt:1: word 1: '[e1],e2' is not of the form [e1,[e2],e3]. Correct the brackets.",
        "a.txt:2: an empty line, but a document is expected, e.g. Los|[e1 jugadores|e1] dijeron que ##|[e1] ganan",
    ]


def scores(key, text, *wanted, **options):
    result = assay.score(key, {"s": text}, list(wanted), task="coreference", times=1, **options)
    return {row.measure.partition("(")[0]: row.value for row in result.scores if row.main}, result


def test_tagged_text_has_golds_heads_sentences_and_what_nodes_depend_on(file):
    """Nodes stand behind their parents; by their place they would be others, and `New_York` would be another word."""
    key, text = file("key.conllu", KEY), file("s.txt", RIGHT)
    found, result = scores(key, text, "conll(match=head)", "mentions", "zeros")
    assert found == {"conll": 1, "mentions": 1, "zeros": 1}
    assert "Zeros (mentions whose head is an empty node): gold 3, s 3." in result.notes
    by_place, _ = scores(key, text, "mentions(zeros=linear)")
    # Of the five, the nodes behind `gave` have another place.
    assert by_place["mentions"] == pytest.approx(3 / 5)


def test_where_nodes_are_others_than_golds_they_depend_on_the_word_alone(file):
    """One node for two: it has the parent of both, and goes with the first."""
    text = file("s.txt", RIGHT.replace(" ##|[e3] the", " the"))
    found, _ = scores(file("key.conllu", KEY), text, "mentions")
    assert found["mentions"] == pytest.approx(2 * 4 / 9)


def test_a_head_is_the_highest_word_in_golds_tree(file):
    key = file("key.conllu", KEY)
    text = file("s.txt", RIGHT.replace("the|[e2 New_York|e2]", "the New_York|[e2]"))
    assert scores(key, text, "mentions(match=head)")[0]["mentions"] == 1
    text = file("s.txt", RIGHT.replace("the|[e2 New_York|e2]", "the|[e2] New_York"))
    assert scores(key, text, "mentions(match=head)")[0]["mentions"] == pytest.approx(4 / 5)


def test_nodes_of_tagged_text_can_be_dropped_or_refused(file):
    key, text = file("key.conllu", KEY), file("s.txt", RIGHT)
    found, result = scores(key, text, "mentions", zeros="drop")
    assert found["mentions"] == 1
    assert any("Mentions of empty nodes alone that were left out: 3." in line for line in result.warnings)
    message = refusal(assay.score, file("k.txt", RIGHT), {"s": text}, zeros="error")
    assert "k.txt:1: a mention begins on an empty node. Score such mentions (--zeros score)" in message


def test_other_words_are_refused_with_their_place(file):
    message = refusal(
        assay.score, file("key.conllu", KEY), {"s": file("s.txt", RIGHT.replace("gave", "got"))}, task="coreference"
    )
    assert message.startswith("s.txt:1: 'got', but key.conllu:5 has 'gave'")
    message = refusal(
        assay.score, file("key.conllu", KEY), {"s": file("s.txt", RIGHT.replace(" laughed", ""))}, task="coreference"
    )
    assert "words here, 6 in key.conllu" in message


def test_two_tagged_texts_are_compared(file):
    one, other = file("one.txt", RIGHT), file("other.txt", RIGHT.replace("##|[e3] the", "## the"))
    found, result = scores(one, other, "mentions(match=head)")
    assert found["mentions"] == pytest.approx(2 * 4 / 9)
    assert "gold: Mentions without a head, headed by their first word: 1. The same applies to s." in result.warnings
