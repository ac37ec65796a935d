"""Queries rerun on a corpus: sequences match as sequences (Acedański & Przepiórkowski 2010, section 2.4)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from assay.tagsets import find
from assay.weights.cqp import parse_sequence
from assay.weights.queries import from_log

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
        made = from_log("log.txt", find("nkjp"), conditional=True, corpus="c.tsv", column="2", **options)
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
