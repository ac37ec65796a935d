"""Known words become a column: seen, unseen, seen with other labels."""

from __future__ import annotations

import pytest

import assay
from assay.engine.lexicon import Lexicon
from assay.formats import read
from cases import each
from unit.samples import conllu, refusal, tagged, tsv

GOLD = tsv(tagged("The/DET run/NOUN Run/VERB new/ADJ"))


@pytest.fixture
def gold(file):
    return read(file("gold.tsv", GOLD))


def seen(lexicon, corpus):
    return lexicon.mark_words(corpus, "train", "2").columns["train"].strings()


def test_a_list_of_words_says_seen_or_unseen(file, gold):
    lexicon = Lexicon.read(file("words.txt", "The\nrun\n\n"), "2")
    assert seen(lexicon, gold) == ["seen", "seen", "unseen", "unseen"]


def test_an_annotated_file_says_seen_with_other_labels_too(file, gold):
    lexicon = Lexicon.read(file("train.tsv", tsv(tagged("The/DET run/VERB"))), "2")
    assert seen(lexicon, gold) == ["seen", "seen with other labels", "unseen", "unseen"]


def test_training_data_may_have_another_format_than_gold(file, gold):
    lexicon = Lexicon.read(file("train.conllu", conllu(tagged("run/NOUN"))), "4")
    assert seen(lexicon, gold) == ["unseen", "seen", "unseen", "unseen"]


def test_case_is_folded_where_asked_for(file, gold):
    name = file("train.tsv", tsv(tagged("the/DET RUN/NOUN")))
    assert seen(Lexicon.read(name, "2", fold=True), gold) == ["seen", "seen", "seen with other labels", "unseen"]
    assert seen(Lexicon.read(name, "2"), gold) == ["unseen"] * 4


def test_frequency_bands_count_how_often_a_word_was_seen(file, gold):
    lexicon = Lexicon.read(file("train.tsv", tsv(tagged("The/DET " * 6 + "run/NOUN " * 5 + "Run/VERB"))), "2")
    assert lexicon.mark_words(gold, "train", "2").columns["frequency"].strings() == ["6-20", "2-5", "1", "0"]


def test_a_folder_with_one_list_of_words_is_read_like_the_list(file, gold):
    file("lists/words.txt", "The\n")
    assert seen(Lexicon.read("lists", "2"), gold) == ["seen", "unseen", "unseen", "unseen"]


def test_oov_accuracy_is_over_unseen_words_alone(file):
    file("gold.tsv", GOLD)
    file("s.tsv", tsv(tagged("The/X run/X Run/VERB new/X")))
    file("words.txt", "The\nrun\n")
    result = assay.score("gold.tsv", "s.tsv", "oov-accuracy", train="words.txt", times=10)
    assert result.score("s", "oov-accuracy").value == 0.5


def test_without_unseen_words_oov_accuracy_is_undefined(file):
    file("gold.tsv", GOLD)
    file("s.tsv", GOLD.replace("DET", "X"))
    file("words.txt", "The\nrun\nRun\nnew\n")
    result = assay.compare("gold.tsv", {"a": "s.tsv", "b": "gold.tsv"}, "oov-accuracy", train="words.txt", times=10)
    row = result.score("a", "oov-accuracy")
    assert [str(number) for number in (row.value, row.low, row.high)] == ["nan"] * 3
    assert '"value": null' in result.to_json()


def test_training_data_is_read_in_the_format_that_was_forced(file):
    """`--input-format` is the format of the files; training data in that format is no exception."""
    file("gold.tsv", "1\tThe\tDET\n2\tend\tNOUN\n")
    file("s.tsv", "1\tThe\tDET\n2\tend\tX\n")
    file("train.tsv", "1\tThe\tDET\n2\tnew\tADJ\n")
    result = assay.score(
        "gold.tsv", "s.tsv", "oov-accuracy", column="3", input_format="tsv(word=2)", train="train.tsv", times=10
    )
    assert result.score("s", "oov-accuracy").value == 0.0
    assert [row.counts["gold"] for row in result.counts] == [1]


def test_an_unknown_source_of_words_is_refused():
    assert refusal(assay.score, [["A"]], [["A"]], "oov-accuracy", times=10) == (
        "oov-accuracy needs a list of known words: --train FILE"
    )


@each(
    "text",
    [
        "      5 The\n     12 run\n      3 \n",
        "The 5\nrun 12\n",
        "The\t5\nrun\t12\n",
        "5\tThe\n12\trun\n",
        "The,5\nrun,12\n",
        "word,count\nThe,5\nrun,12\n",
        '"The",5\n"run",12\n",",2\n',
    ],
)
def test_a_list_may_have_counts(file, gold, text):
    lexicon = Lexicon.read(file("words.txt", text), "2")
    assert lexicon.counted and lexicon.labels is None
    assert {word: lexicon.frequency[word] for word in ("The", "run")} == {"The": 5, "run": 12}
    assert seen(lexicon, gold) == ["seen", "seen", "unseen", "unseen"]
    assert lexicon.mark_words(gold, "train", "2").columns["frequency"].strings() == ["2-5", "6-20", "0", "0"]


def test_numbers_that_are_labels_are_no_counts(file, gold):
    # Words that come again, and blank lines between sentences, are those of annotated text.
    for text in ("The\t5\nrun\t1\nThe\t5\n", "The\t5\nrun\t1\n\nnew\t5\nold\t1\n"):
        lexicon = Lexicon.read(file("train.tsv", text), "2")
        assert ("The", "5") in (lexicon.labels or ())


def test_lists_of_names_may_have_counts(file):
    file("gold.tsv", "Ann\tB-PER\nLee\tI-PER\nBo\tB-PER\n")
    for text in ("  5 Ann Lee\n  1 Cy\n", "Ann Lee\t5\nCy\t1\n", "Ann Lee,5\nCy,1\n", "Ann Lee\nBoeing 747\n"):
        file("names.txt", text)
        result = assay.score("gold.tsv", {"s": "gold.tsv"}, "exact", train="names.txt", slices="seen", times=5)
        found = {row.slice: row.value for row in result.scores if row.slice and row.label is None}
        assert {*found} == {"seen=seen", "seen=unseen"}
        assert ("--train names.txt: read as a list with counts." in result.notes) == ("747" not in text)


def test_a_list_of_none_of_golds_words_is_refused(file):
    file("gold.tsv", GOLD)
    file("words.txt", "the;0.5\nrun;0.1\n")
    assert refusal(assay.score, "gold.tsv", {"s": "gold.tsv"}, train="words.txt", times=5) == (
        "--train words.txt: contains no word of gold. Give training data, or a list with a word per line, with "
        "or without its count."
    )


def test_two_words_may_both_be_new(file):
    file("gold.tsv", tsv(tagged("new/ADJ run/NOUN new/ADJ")))
    file("words.txt", "The\nend\n")
    result = assay.score("gold.tsv", {"s": "gold.tsv"}, "oov-accuracy", train="words.txt", times=5)
    assert "--train words.txt: contains no word of gold, so all count as unseen." in result.warnings


def test_a_line_without_a_count_is_refused_though_it_comes_late(file):
    file("words.txt", "".join(f"{number} w{number}\n" for number in range(9000)) + "the run\n")
    message = "words.txt:9001: 'the run', but other lines are a word and its count."
    assert refusal(Lexicon.read, "words.txt", "2") == message


def test_names_that_are_all_new_are_said(file):
    file("gold.tsv", "Ann\tB-PER\nLee\tI-PER\n")
    file("names.txt", "Bo\nCy\n")
    result = assay.score("gold.tsv", {"s": "gold.tsv"}, "exact", train="names.txt", times=5)
    assert "--train names.txt: contains no word of gold, so all count as unseen." in result.warnings
