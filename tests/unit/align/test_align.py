"""Gold and system words find each other, or the places where the texts differ are named."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest

import assay
from assay.align import align
from assay.corpus import from_lists
from assay.engine.items import judge_words
from assay.formats import read
from unit.samples import conllu, refusal, row, tagged


@pytest.fixture
def both(file):
    """Gold and system, read from their texts."""

    def make(gold, system):
        return read(file("gold.conllu", gold)), read(file("sys.conllu", system))

    return make


def aligned(pair):
    """The pairs of words that correspond, as they are written."""
    return [
        (pair.gold.forms[int(a)], pair.system.forms[int(b)])
        for a, b in zip(pair.gold_words, pair.system_words, strict=True)
    ]


def test_equal_words_are_compared_directly(both):
    pair = align(*both(conllu(tagged("a/X b/Y")), conllu(tagged("a/X b/Z"))), column="UPOS")
    assert pair.aligned_by == "words"
    assert aligned(pair) == [("a", "a"), ("b", "b")]
    assert judge_words(pair).right[0].tolist() == [True, False]


def test_another_sentence_split_keeps_gold_sentences(both):
    gold, system = both(conllu(tagged("a/X b/Y"), tagged("c/X")), conllu(tagged("a/X"), tagged("b/Y c/X")))
    pair = align(gold, system, column="UPOS")
    assert pair.aligned_by == "words"
    assert pair.system_sentence.tolist() == [0, 0, 1]


def test_another_tokenisation_is_aligned_by_characters(both):
    gold, system = both(conllu(tagged("can/A not/B go/C"), tagged("now/D")), conllu(tagged("cannot/A go/C no/D w/D")))
    pair = align(gold, system, column="UPOS")
    assert pair.aligned_by == "characters"
    assert aligned(pair) == [("go", "go")]
    judged = judge_words(pair)
    assert judged.has_gold.tolist() == [True] * 4 + [False] * 3
    assert judged.right[0].tolist() == [False, False, True, False] + [False] * 3
    assert pair.system_sentence.tolist() == [0, 0, 1, 1]


def test_white_space_within_words_is_no_difference(both):
    gold, system = both(conllu([("10 000", "NUM")]), conllu(tagged("10000/NUM")))
    assert aligned(align(gold, system)) == [("10 000", "10000")]


def test_words_of_multiword_tokens_are_matched_by_their_longest_common_subsequence(both):
    gold = row("1-3", "vámonos") + row(1, "vamos") + row(2, "nos") + row(3, "x") + row(4, "mar")
    system = row("1-2", "vámonos") + row(1, "Vamos") + row(2, "x") + row(3, "mar")
    pair = align(*both(gold, system))
    assert pair.aligned_by == "characters"
    assert aligned(pair) == [("vamos", "Vamos"), ("x", "x"), ("mar", "mar")]


def test_a_multiword_token_against_plain_words_is_matched_within_its_characters(both):
    gold = row("1-2", "zum") + row(1, "zu") + row(2, "dem") + row(3, "Bad")
    pair = align(*both(gold, row(1, "zum") + row(2, "Bad")))
    assert aligned(pair) == [("Bad", "Bad")]


def multiword(words):
    """A sentence of one multiword token, whatever its words are."""
    return row(f"1-{len(words)}", "w" * 9) + "".join(row(number, word) for number, word in enumerate(words, 1))


def longest_common(a, b):
    """The length of the longest common subsequence, by its definition."""
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + longest_common(a[1:], b[1:])
    return max(longest_common(a[1:], b), longest_common(a, b[1:]))


def test_as_many_words_of_multiword_tokens_correspond_as_can(both):
    rng = random.Random(0)
    for _ in range(50):
        ours, theirs = ("".join(rng.choices(letters, k=rng.randint(1, 8))) for letters in ("ab", "abc"))
        found = aligned(align(*both(multiword(ours), multiword(theirs))))
        assert all(a == b for a, b in found)
        assert len(found) == longest_common(ours, theirs)


def test_a_multiword_token_of_thousands_of_words_is_refused_at_once(both):
    gold, system = both(multiword("ab" * 3000), multiword("ba" * 3000))
    assert refusal(align, gold, system) == (
        "sys.conllu:2: multiword tokens cover 6,000 words in a row, too many to match by their forms. Is that "
        "one token?"
    )


def test_words_that_stick_out_of_a_multiword_token_correspond_to_none(both):
    """`bc` lies in the characters of `ab` in part only; by the rule of CoNLL 2018 it is not looked for there."""
    gold = row(1, "a") + row(2, "bc")
    system = row("1-2", "ab") + row(1, "bc") + row(2, "ab") + row(3, "c")
    assert aligned(align(*both(gold, system))) == []
    assert aligned(align(*both(system, gold))) == []


def test_a_word_that_begins_before_a_multiword_token_corresponds_to_none_of_its_words(both):
    gold = row(1, "x") + row(2, "ab") + row(3, "c")
    system = row(1, "x") + row(2, "a") + row("3-4", "bc") + row(3, "ab") + row(4, "c")
    assert aligned(align(*both(gold, system))) == [("x", "x"), ("c", "c")]


# --- words that are equal though the text is not ---

ZUM, PLAIN = row("1-2", "zum") + row(1, "zu") + row(2, "dem"), row(1, "zu") + row(2, "dem")


def test_equal_words_are_compared_one_by_one_though_a_file_has_no_multiword_tokens(both):
    pair = align(*both(ZUM + row(3, "Bad"), PLAIN + row(3, "Bad")))
    assert pair.aligned_by == "words"
    assert aligned(pair) == [("zu", "zu"), ("dem", "dem"), ("Bad", "Bad")]


def test_equal_words_of_other_text_are_refused_where_characters_are_compared(both):
    sides = both(ZUM + row(3, "Bad"), PLAIN + row(3, "Bad"))
    told = (
        "sys.conllu:2: 'dem', but gold.conllu:2 has 'zum'\n"
        "The words are the same as in gold, but the text of their multiword tokens is not. Is a line such as 3-4 "
        "missing? Tokens and sentences are compared by characters. Leave these measures out, or leave such sentences "
        "out: --on-mismatch skip"
    )
    assert refusal(align, *sides, characters=True) == told
    assert refusal(align, *sides, characters=True, on_mismatch="warn") == told


def test_sentences_of_other_text_are_left_out_where_characters_are_compared(both):
    pair = align(*both(f"{ZUM}\n{row(1, 'Bad')}", f"{PLAIN}\n{row(1, 'Bad')}"), characters=True, on_mismatch="skip")
    assert pair.skipped.tolist() == [True, False]
    assert aligned(pair) == [("Bad", "Bad")]


def test_words_are_not_compared_by_position_where_characters_are_compared(both):
    told = refusal(align, *both(row(1, "a"), row(1, "b")), characters=True, on_mismatch="warn")
    assert told.splitlines()[-1] == (
        "Tokens and sentences are compared by characters, which differ, so they cannot be compared by position."
    )


def test_equal_words_in_other_multiword_tokens_correspond_where_these_do(both):
    """The second `b` is in the characters of `a` here and of `bc` there, two multiword tokens that share nothing."""
    gold = row("1-2", "a") + row(1, "a") + row(2, "b") + row("3-4", "bc") + row(3, "c") + row(4, "d")
    system = row(1, "a") + row(2, "b") + row("3-4", "c") + row(3, "c") + row(4, "d")
    pair = align(*both(gold, system))
    assert pair.aligned_by == "characters"
    assert aligned(pair) == [("a", "a"), ("c", "c"), ("d", "d")]


def test_spans_by_characters_need_the_same_characters(file):
    """A system with other tokens brings all to characters, and then one whose text differs cannot be placed."""
    tags = [row(1, "zu", "O"), row(2, "dem", "O"), row(3, "Bad", "B-LOC")]
    gold = file("gold.conllu", row("1-2", "zum") + "".join(tags))
    same = file("same.conllu", "".join(tags))
    other = file("other.conllu", row("1-2", "zum") + tags[0] + tags[1] + row(3, "Ba", "B-LOC") + row(4, "d", "I-LOC"))
    options = {"column": "UPOS", "task": "spans", "times": 2}
    assert assay.score(gold, same, "exact", **options).score("same", "exact").value == 1
    told = refusal(assay.score, gold, [same, other], "exact", **options)
    assert told.splitlines()[0] == "same.conllu:2: 'dem', but gold.conllu:2 has 'zum'"


# --- texts that differ ---


def test_differing_text_is_refused_with_both_places(both):
    gold, system = both(conllu(tagged("a/X b/Y"), tagged("c/X")), "# c\n" + conllu(tagged("a/X B/Y"), tagged("c/X")))
    assert refusal(align, gold, system) == (
        "sys.conllu:3: 'B', but gold.conllu:2 has 'b'\n"
        "The texts differ. To score only the sentences they share: --on-mismatch skip"
    )


def test_sentences_in_another_order_are_called_so(both):
    one, other = tagged("a/X b/Y"), tagged("c/X")
    told = refusal(align, *both(conllu(one, other), conllu(other, one)))
    assert told.endswith("Both have the same sentences in a different order. Sort them as in gold.")


def test_a_missing_sentence_is_named_in_gold_and_an_extra_one_in_the_system(both):
    three = conllu(tagged("a/X"), tagged("b/X"), tagged("c/X"))
    two = conllu(tagged("a/X"), tagged("c/X"))
    assert refusal(align, *both(three, two)).splitlines()[0] == "gold.conllu:3: 'b' is missing in sys.conllu"
    assert refusal(align, *both(two, three)).splitlines()[0] == "sys.conllu:3: 'b' is not in gold.conllu"


def test_at_most_twenty_places_are_named_and_the_others_counted(both):
    gold = conllu(*([(f"w{i}", "X")] for i in range(60)))
    system = conllu(*([(f"w{i}" if i % 2 else f"v{i}", "X")] for i in range(60)))
    lines = refusal(align, *both(gold, system)).splitlines()
    assert len(lines) == 22
    assert lines[20] == "… and 10 more places"


def test_texts_that_differ_in_normalisation_only_are_told_so(both):
    gold, system = (conllu([(unicodedata.normalize(form, "é"), "X")]) for form in ("NFC", "NFD"))
    assert refusal(align, *both(gold, system)).splitlines()[1] == (
        "The texts differ only in Unicode normalisation. Convert both to NFC, e.g. with uconv -x nfc."
    )


def test_skip_leaves_altered_missing_and_extra_sentences_out_and_lists_them(both):
    gold = conllu(*(tagged(s) for s in ("a/X b/X", "c/X", "d/X", "e/X f/X")))
    system = conllu(*(tagged(s) for s in ("a/X b/X", "C/X", "new/X", "e/X f/Y")))
    pair = align(*both(gold, system), column="UPOS", on_mismatch="skip")
    assert pair.skipped.tolist() == [False, True, True, False]
    assert pair.aligned_by == "words"
    assert aligned(pair) == [("a", "a"), ("b", "b"), ("e", "e"), ("f", "f")]
    assert len(judge_words(pair)) == 4
    assert len(pair.problems) >= 1


def test_skip_with_other_tokens_elsewhere_is_by_characters(both):
    gold = conllu(*(tagged(s) for s in ("ab/X", "c/X")))
    pair = align(*both(gold, conllu(tagged("a/X b/X"), tagged("C/X"))), column="UPOS", on_mismatch="skip")
    assert (pair.skipped.tolist(), pair.aligned_by) == ([False, True], "characters")


def test_skip_says_in_the_result_that_words_were_aligned(file):
    file("gold.conllu", conllu(tagged("a/X b/Y"), tagged("c/X")))
    file("s.conllu", conllu(tagged("a/X b/X"), tagged("C/X")))
    result = assay.score("gold.conllu", "s.conllu", on_mismatch="skip", times=10)
    assert result.about.aligned_by == "words"
    assert not [text for text in result.warnings if "aligned by characters" in text]


def test_skip_counts_one_missing_sentence_as_one(both):
    gold = conllu(*(tagged(s) for s in ("a/X", "b/X", "c/X")))
    pair = align(*both(gold, conllu(tagged("a/X"), tagged("c/X"))), on_mismatch="skip")
    assert pair.skipped.tolist() == [False, True, False]
    assert pair.problems == ("gold.conllu:3: 'b' is missing in sys.conllu",)


def test_skip_with_nothing_left_is_refused(both):
    gold, system = both(conllu(tagged("a/X")), conllu(tagged("b/X")))
    assert refusal(align, gold, system, on_mismatch="skip") == (
        "sys.conllu:1: 'b', but gold.conllu:1 has 'a'\ngold.conllu and sys.conllu have no sentence in common."
    )


def test_another_sentence_split_elsewhere_is_no_difference(both):
    """One sentence is altered, two others are only cut at another place: one problem, one sentence left out."""
    tail = [tagged(f"w{i}/X") for i in range(8)]
    gold = conllu(tagged("a/X b/X"), tagged("c/X"), *tail)
    system = conllu(tagged("a/X"), tagged("b/X c/X"), *tail[:-1], tagged("other/X"))
    refused = refusal(align, *both(gold, system)).splitlines()
    assert len(refused) == 2
    assert "'other'" in refused[0]
    pair = align(*both(gold, system), on_mismatch="skip")
    assert pair.skipped.tolist() == [False] * 9 + [True]


def test_warn_compares_by_position_where_only_forms_differ(both):
    gold, system = both(conllu(tagged("a/X b/Y")), conllu(tagged("a/X B/Y")))
    pair = align(gold, system, column="UPOS", on_mismatch="warn")
    assert pair.aligned_by == "position"
    assert judge_words(pair).right[0].tolist() == [True, True]
    assert pair.problems == ("sys.conllu:2: 'B', but gold.conllu:2 has 'b'",)


def test_warn_cannot_compare_by_position_where_the_numbers_of_words_differ(both):
    gold, system = both(conllu(tagged("a/X b/Y")), conllu(tagged("a/X")))
    assert refusal(align, gold, system, on_mismatch="warn").splitlines()[-1] == (
        "Sentences have different numbers of words, so they cannot be compared by position. Try --on-mismatch skip"
    )


def test_warn_does_not_speak_of_numbers_of_words_where_these_are_equal(both):
    gold, system = both(conllu(tagged("a/X b/Y"), tagged("c/X")), conllu(tagged("a/X"), tagged("b/Y C/X")))
    assert "numbers of words differ" not in refusal(align, gold, system, on_mismatch="warn")


def test_two_systems_that_together_leave_nothing_are_refused(file):
    file("gold.conllu", conllu(tagged("a/X"), tagged("b/X")))
    file("one.conllu", conllu(tagged("a/X"), tagged("B/X")))
    file("two.conllu", conllu(tagged("A/X"), tagged("b/X")))
    message = refusal(assay.compare, "gold.conllu", ["one.conllu", "two.conllu"], on_mismatch="skip", times=10)
    assert "have no sentence in common" in message


def test_sentences_left_out_for_one_system_are_left_out_for_all(file):
    gold = [tagged(f"w{i}/X v{i}/Y") for i in range(6)]
    file("gold.conllu", conllu(*gold))
    file("one.conllu", conllu(*gold[:-1], tagged("other/X words/Y")))
    file("two.conllu", conllu(*gold))
    result = assay.compare("gold.conllu", ["one.conllu", "two.conllu"], on_mismatch="skip", times=10)
    assert (result.about.units, result.about.items) == (5, 10)
    assert "1 of 6 sentences was left out, because their texts differ." in result.warnings
    assert "one: one.conllu:16: 'other', but gold.conllu:16 has 'w5'" in result.warnings


# --- lists ---


def test_lists_of_labels_are_aligned_by_position():
    pair = align(from_lists([["A", "B"], ["C"]], "gold"), from_lists([["A", "X"], ["C"]], "s"), column="label")
    assert pair.aligned_by == "position"
    assert judge_words(pair).right[0].tolist() == [True, False, True]


def test_lists_of_labels_of_unequal_length_are_refused_with_the_sentence():
    gold = from_lists([["A", "B"], ["C"]], "gold")
    assert refusal(align, gold, from_lists([["A", "B"], ["C", "D"]], "s")) == (
        "s, sentence 2: 2 labels, but gold has 1. Give (word, label) pairs to have them aligned by their text."
    )
    assert refusal(align, gold, from_lists([["A", "B"]], "s")) == (
        "s: 1 sentence, but gold has 2. Give (word, label) pairs to have them aligned by their text."
    )


def test_lists_of_pairs_are_aligned_by_their_words():
    gold = from_lists([[("can", "A"), ("not", "B")]], "gold")
    pair = align(gold, from_lists([[("cannot", "A")]], "s"), column="label")
    assert pair.aligned_by == "characters"
    assert refusal(align, gold, from_lists([[("can", "A"), ("too", "B")]], "s")).splitlines()[0] == (
        "s, sentence 1, word 2: 'too', but gold, sentence 1, word 2 has 'not'"
    )


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "d: contains no words. Give one list of labels per sentence."),
        (
            [["A", ("w", "B")]],
            "d: found ('w', 'B'), but all items should be labels, or all of them (word, label) pairs.",
        ),
        (
            [[("w", "B", "C")]],
            "d: found ('w', 'B', 'C'), but all items should be labels, or all of them (word, label) pairs.",
        ),
        ([[3.5, 4]], "d: found 3.5, but all items should be labels, or all of them (word, label) pairs."),
    ],
    ids=["nothing", "mixed", "triples", "numbers"],
)
def test_lists_that_are_neither_labels_nor_pairs_are_refused(items, message):
    assert refusal(from_lists, items, "d") == message


# --- what is judged ---


def test_gold_words_without_a_label_are_left_out_and_counted(file):
    file("gold.conllu", conllu(tagged("a/X b/_ c/Y")))
    file("s.conllu", conllu(tagged("a/X b/Z c/X")))
    result = assay.score("gold.conllu", "s.conllu", times=10)
    assert result.about.items == 2
    assert result.score("s", "accuracy", "recall").value == 0.5
    assert "1 word has no gold label in UPOS and was left out." in result.warnings


def test_a_word_left_out_for_want_of_gold_is_no_spurious_word_of_the_system(file):
    """With equal words precision, recall and F are one number, the accuracy."""
    file("gold.conllu", conllu(tagged("a/X b/_ c/Y")))
    file("s.conllu", conllu(tagged("a/X b/Z c/X")))
    result = assay.score("gold.conllu", "s.conllu", times=10)
    assert {row.score: row.value for row in result.scores if row.measure == "accuracy"} == {
        "f1": 0.5,
        "precision": 0.5,
        "recall": 0.5,
        "aligned": 0.5,
    }


def test_a_gold_word_without_label_that_the_system_splits_is_not_counted_against_precision(file):
    file("gold.conllu", conllu(tagged("ab/_ c/X d/Y")))
    file("s.conllu", conllu(tagged("a/Z b/Z c/X d/X")))
    result = assay.score("gold.conllu", "s.conllu", times=10)
    assert result.about.aligned_by == "characters"
    (counts,) = [row.counts for row in result.counts if row.measure == "accuracy"]
    assert counts == {"right": 1, "gold": 2, "system": 2, "aligned": 2}
    assert result.score("s", "accuracy", "precision").value == 0.5


def test_empty_features_count_and_their_order_does_not(file):
    file("gold.conllu", row(1, "a", feats="_") + row(2, "b", feats="A=1|B=2") + row(3, "c", feats="C=1"))
    file("s.conllu", row(1, "a", feats="_") + row(2, "b", feats="B=2|A=1") + row(3, "c", feats="_"))
    result = assay.score("gold.conllu", "s.conllu", column="FEATS", times=10)
    assert result.about.items == 3
    assert result.score("s", "accuracy").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("spelling", ["FEATS", "feats", "6"])
def test_a_measure_may_name_its_column_in_any_way(file, spelling):
    file("gold.conllu", row(1, "a", "X", feats="_") + row(2, "b", "X", feats="A=1|B=2"))
    file("s.conllu", row(1, "a", "X", feats="_") + row(2, "b", "X", feats="B=2|A=1"))
    result = assay.score("gold.conllu", "s.conllu", f"accuracy(column={spelling})", times=10)
    assert [row.value for row in result.scores if row.score == "f1"] == [1.0]
    assert result.about.items == 2


def test_lists_of_strings_are_refused():
    assert refusal(from_lists, ["A", "B"], "d") == (
        "d: expected a list of sentences, each a list of labels, but got one list of labels."
    )


def test_integers_in_lists_are_taken_as_their_text():
    assert from_lists([[3, "B"]], "d").column("label").strings() == ["3", "B"]


def test_arrays_of_numbers_are_sentences_too():
    gold, system = [np.array([1, 2, 3]), np.array([1, 2])], [np.array([1, 2, 2]), np.array([1, 2])]
    assert assay.score(gold, system, times=10).score("system 1", "accuracy").value == 0.8
    assert assay.score(np.array([[1, 2]]), np.array([[1, 1]]), times=10).score("system 1", "accuracy").value == 0.5
    assert assay.score(np.array([1, 2]), np.array([1, 1]), times=10).about.task == "items"
    assert "a list of labels, but" in refusal(assay.score, np.array([1, 2]), np.array([1, 1]), task="tags")


def test_a_name_without_a_path_is_refused(file):
    file("gold.conllu", row(1, "a", "X"))
    assert refusal(assay.score, "gold.conllu", ["a="]) == "a=: there is no path after the name. Write NAME=PATH."
