"""`word/TAG word/TAG`."""

from __future__ import annotations

import pytest

from assay.formats import read
from unit.samples import refusal


def test_a_line_is_a_sentence_and_the_last_separator_counts(file):
    corpus = read(file("a.pos", "The/DT end/NN ./.\n\n1\\/2/CD //SYM and/or/CC \\//SYM\n"))
    assert corpus.format == "slash"
    assert corpus.forms.strings() == ["The", "end", ".", "1/2", "/", "and/or", "/"]
    assert corpus.columns["label"].strings() == ["DT", "NN", ".", "CD", "SYM", "CC", "SYM"]
    assert corpus.starts.tolist() == [0, 3, 7]
    assert [corpus.place(word) for word in (0, 2, 3, 6)] == ["a.pos:1", "a.pos:1", "a.pos:3", "a.pos:3"]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("slash(separator=_)", "The_DT snake_case_NN a\\_b_NN\n"),
        ("slash(separator=|)", "The|DT snake_case|NN a_b|NN\n"),
    ],
)
def test_the_separator_may_be_another(file, spec, text):
    corpus = read(file("a.pos", text), input_format=spec)
    assert corpus.forms.strings() == ["The", "snake_case", "a_b"]
    assert corpus.columns["label"].strings() == ["DT", "NN", "NN"]


def test_the_last_line_counts_without_a_line_feed_and_with_windows_ends(file):
    corpus = read(file("a.pos", "The/DT\r\nend/NN"))
    assert corpus.columns["label"].strings() == ["DT", "NN"]
    assert corpus.sentences == 2


def test_any_column_name_stands_for_the_only_label(file):
    assert list(read(file("a.pos", "The/DT end/NN\n"), columns=["XPOS"]).columns) == ["label"]


@pytest.mark.parametrize("token", ["end", "/NN", "end/"], ids=["no separator", "no word", "no tag"])
def test_a_token_that_is_no_pair_is_refused_with_its_line(file, token):
    name = file("a.pos", f"The/DT big/JJ\n{token}\n")
    assert refusal(read, name, input_format="slash") == (
        f"a.pos:2: {token!r} is not of the form word/TAG. "
        'Is the separator another? Try --input-format "slash(separator=_)"'
    )


def test_one_token_without_separator_among_the_first_lines_is_named_with_its_line(file):
    name = file("a.pos", "The/DT big/JJ end/NN ./.\n" * 10 + "The/DT end ./.\n")
    assert refusal(read, name).startswith("a.pos:11: 'end' is not of the form word/TAG.")


def test_the_remedy_does_not_propose_the_separator_in_use(file):
    name = file("a.pos", "The_DT end\n")
    assert "separator=_)" not in refusal(read, name, input_format="slash(separator=_)")


def test_a_separator_of_several_characters_is_refused(file):
    name = file("a.pos", "The/DT\n")
    assert refusal(read, name, input_format="slash(separator=//)") == ("separator '//' should be one character.")
