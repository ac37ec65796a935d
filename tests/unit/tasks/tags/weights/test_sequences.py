"""Queries rerun on a corpus: sequences match as sequences (Acedański & Przepiórkowski 2010, section 2.4)."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from assay.corpus import Column, Corpus
from assay.errors import InputError
from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.weights.cqp import parse_sequence
from assay.tasks.tags.weights.queries import Attributes, Matcher, from_log

CORPUS = (
    "stary\tadj:sg:gen:m3:pos\ndom\tsubst:sg:gen:m3\nbrata\tsubst:sg:gen:m1\nspi\tfin:sg:ter:imperf\n\n"
    "domu\tsubst:sg:gen:m3\n\nbez\tprep:gen:nwok\ndomu\tsubst:sg:gen:m3\n"
)


@pytest.fixture
def given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.tsv").write_text(CORPUS, "utf-8")

    def weigh(query: str, **options: object) -> dict[tuple[str, str], Fraction]:
        (tmp_path / "log.txt").write_text(f"{query}\n", "utf-8")
        made = from_log("log.txt", find_tagset("nkjp"), conditional=True, corpus="c.tsv", column="2", **options)
        return {
            (pos, category): weight
            for pos, row in made.weights.rows.items()
            for category, weight in row.items()
            if weight and "*" not in (pos, category)
        }

    return weigh


def test_a_word_of_its_own_matches_everywhere(given):
    assert given("[case=gen]") == {
        ("adj", "case"): Fraction(1, 6),
        ("subst", "case"): Fraction(4, 6),
        ("prep", "case"): Fraction(1, 6),
    }


def test_a_repetition_counts_only_the_words_of_sequences_that_long(given):
    assert given("[case=gen]{3}") == {("adj", "case"): Fraction(1, 3), ("subst", "case"): Fraction(2, 3)}
    assert given("[case=gen]{4}") == {}


def test_neighbours_and_optional_words_between_are_looked_at(given):
    assert given("[pos=prep] [case=gen]")["subst", "case"] == 1
    assert given('[orth="stary"] []{0,1} [pos=subst & case=gen]') == {
        ("subst", "pos"): 1,
        ("subst", "case"): 1,
    }
    assert given('[orth="nie"] [case=gen]') == {}


def test_a_sequence_does_not_cross_the_end_of_a_sentence(given):
    assert given("[pos=fin] [case=gen]") == {}


def test_every_matched_word_can_count_fully(given):
    assert given("[case=gen]{2}", count="words") == {
        ("adj", "case"): 1,
        ("subst", "case"): 4,
        ("prep", "case"): 1,
    }


@pytest.mark.parametrize(
    ("query", "repeats"),
    [
        ("[a=1]", [(1, 1)]),
        ("[a=1]{2} [b=2]{1,3} []* x+ 'y'?", [(2, 2), (1, 3), (0, None), (1, None), (0, 1)]),
        ("[a=1]{2,} [b=2]{,3}", [(2, None), (0, 3)]),
        ("[a=1] within s", [(1, 1)]),
        ("([a=1] [b=2])+", None),
        ("[a=1] | [b=2]", None),
        ("<s> [a=1]", None),
    ],
)
def test_plain_sequences_are_told_from_what_is_more(query, repeats):
    assert parse_sequence(query)[1] == repeats


SENTENCES = st.lists(st.text("abc", min_size=1, max_size=8), min_size=1, max_size=4)
ELEMENTS = st.lists(
    st.tuples(st.sets(st.sampled_from("abc")), st.integers(0, 2), st.one_of(st.none(), st.integers(2, 3))),
    min_size=1,
    max_size=4,
)


def corpus_of(sentences):
    """Words of one letter, the letter's number for a tag."""
    codes = np.array(["abc".index(letter) for sentence in sentences for letter in sentence])
    starts = np.cumsum([0, *map(len, sentences)])
    tags = Column(codes, ("adj:sg:gen:m3:pos", "subst:sg:gen:m3", "prep:gen"))
    return Corpus("c", "tsv", "", Column(codes, ("a", "b", "c")), {"2": tags}, starts), tags


def matched_in_sequence(sentences, query):
    corpus, tags = corpus_of(sentences)
    return Matcher(corpus, tags, Attributes(find_tagset("nkjp"))).match_sequence(*parse_sequence(query))


@drawn(SENTENCES, ELEMENTS)
def test_sequences_match_as_a_regular_expression_over_words_would(sentences, elements):
    """Words are letters here, so that Python's own matcher can tell."""
    texts = [("".join(sorted(letters)) or "z", f"{{{low},{high or ''}}}") for letters, low, high in elements]
    query = " ".join(f'[orth="[{letters}]"]{times}' for letters, times in texts)
    pattern = "".join(f"([{letters}]{times})" for letters, times in texts)
    expected = [Counter() for _ in elements]
    for sentence in sentences:
        for match in re.finditer(f"(?={pattern})", sentence):
            for index, counter in enumerate(expected):
                counter.update("abc".index(letter) for letter in match[index + 1])
    assert matched_in_sequence(sentences, query) == expected


def test_many_repetitions_in_a_row_take_no_time():
    """Python's matcher would try every way to divide the words among them."""
    assert not any(matched_in_sequence(["a" * 500] * 3, "[orth=a]* " * 40 + "[orth=b]"))


@pytest.mark.parametrize("pattern", ["(a+)+b", ":".join([".*"] * 60), "(s+)+:sg"])
def test_patterns_of_queries_take_no_time(given, tmp_path, pattern):
    (tmp_path / "c.tsv").write_text(f"{'d' * 100}\tsubst:sg:gen:m3\n", "utf-8")
    assert given(f'[case=gen & tag="{pattern}" & orth="(d+)+x"]') == {}


def test_a_pattern_with_very_many_readings_is_refused(given):
    with pytest.raises(InputError, match="over 1,000 ways to read it"):
        given(f'[tag="{":".join(["(sg:gen|pl:nom)"] * 40)}"]')
