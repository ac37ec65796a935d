"""Span tables: label, begin, end, list of words."""

from __future__ import annotations

import time

import pytest

from assay.formats import read
from unit.samples import placed, refusal


def test_spans_count_words_from_one_in_the_file_and_from_zero_in_the_corpus(file):
    corpus = read(file("a.tsv", "PER\t1\t2\t1, 2\nORG\t5\t5\t5\n\nLOC\t3\t3\t3\n"))
    assert corpus.format == "spans"
    assert placed(corpus) == [(0, "PER", [(0, 2)]), (0, "ORG", [(4, 5)]), (1, "LOC", [(2, 3)])]
    assert corpus.starts.tolist() == [0, 5, 8]
    assert [corpus.place_of_span(span) for span in range(3)] == ["a.tsv:1", "a.tsv:2", "a.tsv:4"]
    assert [corpus.place_of_sentence(sentence) for sentence in range(2)] == ["a.tsv:1", "a.tsv:4"]


def test_there_are_no_words_to_compare(file):
    assert not read(file("a.tsv", "PER\t1\t2\t1, 2\n")).has_words


@pytest.mark.parametrize(
    "dummy", ["NONE\t999\t999\t999", "EMPTY\t999\t999\t999", "NONE\t999\t999", "EMPTY\t999\t999\t"]
)
def test_a_sentence_without_spans_has_one_word_and_no_span(file, dummy):
    corpus = read(file("a.tsv", f"{dummy}\n\nPER\t1\t2\t1, 2\n\n{dummy}\n"))
    assert placed(corpus) == [(1, "PER", [(0, 2)])]
    assert corpus.starts.tolist() == [0, 1, 3, 4]
    assert corpus.lines is not None and corpus.lines.tolist() == [1, 3, 5]


def test_a_file_of_nothing_but_empty_sentences_has_sentences(file):
    corpus = read(file("a.tsv", "NONE\t999\t999\t999\n\nNONE\t999\t999\t999\n\n"))
    assert corpus.sentences == 2
    assert placed(corpus) == []


def test_fewer_words_than_the_range_are_a_span_with_gaps(file):
    corpus = read(file("a.tsv", "A\t1\t7\t1, 2, 5,7\n"))
    assert placed(corpus) == [(0, "A", [(0, 2), (4, 5), (6, 7)])]


@pytest.mark.parametrize("words", ["\t", "", "\t2,3,4", "\t2, 3, 4", "\t4, 3, 2"])
def test_the_list_of_words_may_be_missing_tight_or_in_another_order(file, words):
    corpus = read(file("a.tsv", f"A\t2\t4{words}\n"), input_format="spans")
    assert placed(corpus) == [(0, "A", [(1, 4)])]


def test_windows_ends_and_a_byte_order_mark_are_accepted(file):
    corpus = read(file("a.tsv", "\ufeffPER\t1\t2\t1, 2\r\n\r\nLOC\t3\t3\t3\r\n"))
    assert placed(corpus) == [(0, "PER", [(0, 2)]), (1, "LOC", [(2, 3)])]


def test_the_order_in_the_file_does_not_matter(file):
    first = read(file("a.tsv", "B\t1\t2\t1, 2\nA\t1\t2\t1, 2\nA\t1\t1\t1\n"))
    second = read(file("b.tsv", "A\t1\t1\t1\nA\t1\t2\t1, 2\nB\t1\t2\t1, 2\n"))
    assert placed(first) == placed(second) == [(0, "A", [(0, 1)]), (0, "A", [(0, 2)]), (0, "B", [(0, 2)])]


def test_several_files_are_read_one_after_the_other(file):
    file("d/a.tsv", "PER\t1\t2\t1, 2\n\nA\t1\t3\t1, 3\n")
    file("d/b.tsv", "LOC\t1\t1\t1\nA\t2\t4\t2, 4\n")
    corpus = read("d")
    assert placed(corpus) == [
        (0, "PER", [(0, 2)]),
        (1, "A", [(0, 1), (2, 3)]),
        (2, "LOC", [(0, 1)]),
        (2, "A", [(1, 2), (3, 4)]),
    ]
    assert corpus.place_of_span(3) == "d/b.tsv:2"
    assert corpus.documents == 2


FAULTS = {
    "A\t3\t2\t2, 3": "end 2 lies before begin 3. Both count words from 1, and end belongs to the span.",
    "A\t0\t2\t0, 1, 2": "begin is 0. Words are counted from 1.",
    "A\t-1\t2\t1": "begin is '-1', but the number of a word is expected.",
    "A\tx\t2\t1": "begin is 'x', but the number of a word is expected.",
    "A\t1\t2.0\t1": "end is '2.0', but the number of a word is expected.",
    "A\t1\t99999999\t1": "end is 99999999, which no sentence reaches. Words are counted in each sentence from 1.",
    "A\t1\t2\t1, 2, 3": "word 3 lies outside the span, which reaches from 1 to 2.",
    "A\t2\t4\t2, 3, 3, 4": "word 3 is listed twice. Each word of a span is listed once.",
    "A\t1\t2\t1, b": "a word of the span is 'b', but the number of a word is expected.",
    "A\t1\t2\t1,,2": "a word of the span is '', but the number of a word is expected.",
    "A\t1\t4\t2, 3": "begin and end are 1 and 4, but the words listed reach from 2 to 3. "
    "The first and the last word of a span belong to it.",
    "A\t1": "2 columns, but a span has label, begin, end and its words. Are they separated by tabs?",
    "A 1 2 1": "1 column, but a span has label, begin, end and its words. Are they separated by tabs?",
    "A\t1\t2\t1, 2\tx": "5 columns, but a span has label, begin, end and its words. Are they separated by tabs?",
    "\t1\t2\t1, 2": "the label is empty. It belongs in the first column.",
    "NONE\t1\t2\t1, 2": "NONE is not a label, it stands for a sentence without spans. "
    "Write NONE<tab>999<tab>999<tab>999, or give the spans another label.",
    "EMPTY": "EMPTY is not a label, it stands for a sentence without spans. "
    "Write NONE<tab>999<tab>999<tab>999, or give the spans another label.",
    "NONE\t999\t999\t999": "says that the sentence has no spans, but this is not its only line. "
    "Remove this line, or put a blank line between two sentences.",
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_faulty_line_is_refused_with_its_place_wherever_it_stands(file, line):
    name = file("a.tsv", f"PER\t1\t2\t1, 2\n\nPER\t1\t2\t1, 2\n{line}\nPER\t1\t2\t1, 2\n")
    assert refusal(read, name) == f"a.tsv:4: {FAULTS[line]}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A\t1\t1\t1\n\n\nA\t1\t1\t1\n", 3),
        ("\nA\t1\t1\t1\n", 1),
        ("A\t1\t1\t1\n\n\n", 3),
        ("A\t1\t1\t1\n\n   \nB\t1\t1\t1\n", 3),
    ],
)
def test_a_blank_line_that_ends_no_sentence_is_refused(file, text, line):
    assert refusal(read, file("a.tsv", text), input_format="spans") == (
        f"a.tsv:{line}: a blank line that ends no sentence. "
        "A sentence without spans needs a line of its own: NONE<tab>999<tab>999<tab>999"
    )


def test_two_marks_of_no_spans_in_one_sentence_are_refused(file):
    name = file("a.tsv", "A\t1\t1\t1\n\nNONE\t999\t999\t999\nNONE\t999\t999\t999\n")
    assert refusal(read, name).startswith(
        "a.tsv:3: says that the sentence has no spans, but this is not its only line."
    )


def test_a_file_of_blank_lines_is_refused(file):
    assert refusal(read, file("a.tsv", "\n\n"), input_format="spans").startswith("a.tsv:1: a blank line that ends no")


def test_a_column_cannot_be_asked_for(file):
    name = file("a.tsv", "PER\t1\t2\t1, 2\n")
    assert refusal(read, name, columns=["UPOS"]) == (
        "a.tsv: contains labelled spans and no columns, so there is no UPOS."
    )


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("PER\t2\t2\t2\n", "spans"),
        ("person\t2\t2\t2\nplace\t4\t4\t4\n", "spans"),
        ("PER\t1\t2\nLOC\t4\t4\n", "spans"),
        ("PER\t1\t2\t\n", "spans"),
        ("NONE\t999\t999\t999\n", "spans"),
        ("EMPTY\t999\t999\n\nperson\t1\t2\n", "spans"),
        ("1\t1\t1\t1\n", "spans"),
        ("The\t1\t0\t0\nend\t1\t1\t1\n", "tsv"),
        ("The\t5\t5\nend\t7\t8\n", "tsv"),
        ("The\t5\t5\t5\nend\t7\t8\t6\n", "tsv"),
        ("The\tDET\t1\t1\nend\tNOUN\t2\t2\n", "tsv"),
        ("NONE\tO\nmore\tO\n", "tsv"),
        ("1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n", "conllu"),
        ("1\t2\t2\tNUM\tCD\t_\t0\troot\t_\t_\n", "conllu"),
        ("0\t1\tThe\tthe\tdet\t\t\t1.000\t\teos\t\n", "dag"),
    ],
)
def test_span_tables_are_told_from_tables_of_words(file, text, format_):
    assert read(file("a.tsv", text)).format == format_


def test_the_published_files_are_read_whole_and_fast(shared_data):
    folder = shared_data("spans-faireval")
    counts = {"ner_spans.target": (5_100, 6_178), "chunk_spans.system": (10_527, 100_461)}
    for name, (sentences, spans) in counts.items():
        before = time.process_time()
        corpus = read(str(folder / f"{name}.csv"))
        assert time.process_time() - before < 1
        assert (corpus.sentences, len(corpus.spans)) == (sentences, spans)
        assert not corpus.spans.stretches
