"""Weights from ambiguity."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.weights.ambiguity import from_corpus, from_counts, from_file, from_lexicon
from unit.samples import refusal, row

NKJP = find_tagset("nkjp")
UDA = ("fin:sg:ter:perf", "subst:pl:nom:n", "subst:pl:acc:n")
DOM = ("subst:sg:nom:m3", "subst:sg:acc:m3")
WORDS = [UDA, DOM, ("conj",)]
LEXICON = "uda\tudać\tfin:sg:ter:perf\ndom\tdom\tsubst:sg:nom.acc:m3\nuda\tudo\tsubst:pl:nom.acc:n\ni\ti\tconj\n"
F = Fraction


def from_words(words, tagset, **options):
    """Weights from the candidate tags of each running word."""
    return from_counts(Counter(map(frozenset, words)), tagset, **options)


def weights(words, **options):
    return from_words(words, NKJP, **options).weights.w


def test_all_words_as_denominator():
    assert weights(WORDS, denominator="all_words") == {
        **{"pos": F(4, 3), "number": F(1), "case": F(4, 3), "gender": F(2, 3)},
        **{"person": F(1, 3), "aspect": F(1, 3)},
    }


def test_excess_counts_values_beyond_the_first():
    assert weights(WORDS, excess=True) == {
        **{"pos": F(1, 3), "number": F(1, 2), "case": F(1), "gender": F(0)},
        **{"person": F(0), "aspect": F(0)},
    }
    assert weights(WORDS, excess=True, denominator="all_words")["case"] == F(2, 3)


def test_given_the_part_of_speech():
    assert weights(WORDS, conditional=True) == {
        "fin": {"pos": F(4, 3), "number": F(1), "person": F(1), "aspect": F(1)},
        "subst": {"pos": F(4, 3), "number": F(1), "case": F(2), "gender": F(1)},
        "conj": {"pos": F(4, 3)},
    }
    own = weights(WORDS, conditional=True, pos_conditional=True)
    assert {pos: table["pos"] for pos, table in own.items()} == {"fin": F(2), "subst": F(3, 2), "conj": F(1)}
    assert weights(WORDS, conditional=True, denominator="all_words")["subst"]["case"] == F(4, 3)


def test_a_lexicon_is_grouped_by_form_wherever_its_readings_stand(file):
    made = from_lexicon(file("lexicon.tsv", LEXICON), NKJP)
    assert made.weights.w == weights(WORDS)
    provenance = made.weights.provenance
    assert (provenance.source, provenance.unit, provenance.denominator) == (
        "ambiguity",
        "entries",
        "words_with_category",
    )
    assert provenance.inputs == ("lexicon.tsv",)
    assert provenance.counts == {"words": 3, "unknown": 0, "unread": 0, "outside": 0}
    assert len(provenance.date) == len("2010-08-23")
    two = "".join(f"{line.split(chr(9))[0]}\t{line.split(chr(9))[2]}\n" for line in LEXICON.splitlines())
    assert from_lexicon(file("two.tsv", two), NKJP).weights.w == weights(WORDS)


def test_unknown_words_and_foreign_tags_are_left_out_counted_and_listed():
    made = from_words([*WORDS, ("ign",), ("ign", "conj"), ("NN",), ("conj", "NN"), ()], NKJP)
    assert made.weights.w["pos"] == F(6, 5)
    assert made.weights.provenance.counts == {"words": 5, "unknown": 1, "unread": 2, "outside": 2}
    assert made.warnings == (
        "1 word left out as unknown (ign only).",
        "2 words left out because they have no reading within the tagset.",
        "left out: 2 readings are outside the tagset nkjp: NN (2).",
    )
    assert made.weights.provenance.unit == "running words"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a\tb\tconj\tx\n",
            "l.tsv:1: 4 columns, but a lexicon has 3 (form, lemma, tag) or 2. Give one reading per line: "
            "form TAB lemma TAB tag, or form TAB tag.",
        ),
        (
            "a\tb\tconj\n\na\tconj\n",
            "l.tsv:3: 2 columns, but the first line has 3. Give one reading per line: form TAB lemma TAB tag, "
            "or form TAB tag.",
        ),
        (
            "conj\n",
            "l.tsv:1: 1 column, but a lexicon has 3 (form, lemma, tag) or 2. Give one reading per line: "
            "form TAB lemma TAB tag, or form TAB tag.",
        ),
        ("a\tb\t \n", "l.tsv:1: no tag. Give one reading per line: form TAB lemma TAB tag."),
        ("\tb\tconj\n", "l.tsv:1: no form. Give one reading per line: form TAB lemma TAB tag."),
        (
            "a\tb\tNN\nc\td\tNN\n",
            "l.tsv: no word has a tag of the tagset nkjp. 2 readings are outside the tagset nkjp: NN (2).",
        ),
        ("a\tb\tign\n", "l.tsv: no word has a tag of the tagset nkjp. There are no readings."),
    ],
)
def test_lexicons_that_are_none_are_refused(file, text, message):
    assert refusal(from_lexicon, file("l.tsv", text), NKJP) == message


def test_other_refusals():
    assert refusal(from_words, [], NKJP) == "no word has a tag of the tagset nkjp. There are no readings."
    assert refusal(from_words, WORDS, NKJP, denominator="words") == (
        "there is no denominator 'words'. Did you mean all_words?"
    )


def test_tags_seen_in_a_corpus_are_marked_as_a_poor_substitute(file):
    path = file("c.tsv", "uda\tfin:sg:ter:perf\nuda\tsubst:pl:nom:n\ni\tconj\n")
    made = from_corpus(path, "2", NKJP)
    assert made.weights.w["pos"] == F(5, 3)
    assert made.weights.provenance.unit == "running words"
    assert made.weights.provenance.note == "tags seen with its form in the corpus, not those an analyser knows"
    assert made.warnings == (
        "c.tsv: the readings of a word are the tags seen with its form in the corpus, not those an analyser knows. "
        "This is a poor substitute.",
    )
    assert from_file(path, NKJP, column="2") == made


def test_candidates_of_a_corpus(file):
    text = "form\tcandidates\nuda\tfin:sg:ter:perf | subst:pl:nom:n\ni\tconj\ni\tconj\n"
    made = from_file(file("c.tsv", text), NKJP, column="candidates")
    assert made.weights.w["pos"] == F(4, 3)
    assert made.warnings == ()


def test_upos_and_feats_make_a_tag_together(file):
    rows_ = row(1, "a", "NOUN", feats="Case=Nom|Number=Sing") + row(2, "a", "VERB") + "\n"
    made = from_corpus(file("c.conllu", rows_), None, find_tagset("ud"))
    assert made.weights.w == {"pos": F(2), "Case": F(1), "Number": F(1)}


words = st.lists(st.lists(st.sampled_from((*UDA, *DOM, "conj", "ign", "NN")), max_size=4), min_size=1, max_size=8)


@given(words=words, data=st.data())
def test_order_and_doubled_readings_change_nothing(words, data):
    words = [*words, ["conj"]]
    shuffled = data.draw(st.permutations([data.draw(st.permutations(word + word)) for word in words]))
    for options in ({}, {"conditional": True}, {"denominator": "all_words", "excess": True}):
        one, other = from_words(words, NKJP, **options), from_words(shuffled, NKJP, **options)
        assert one == other


@given(words=words, times=st.integers(1, 4))
def test_repeating_a_corpus_changes_no_weight(words, times):
    words = [*words, ["conj"]]
    assert weights(words) == weights(words * times)
    excess = weights(words, excess=True)
    assert all(excess[key] == value - 1 for key, value in weights(words).items())
    assert all(value >= 1 for value in weights(words).values())


@given(data=st.data())
def test_the_order_of_the_lines_of_a_lexicon_changes_nothing(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("l") / "l.tsv"
    found = []
    for lines in (LEXICON.splitlines(), data.draw(st.permutations(LEXICON.splitlines()))):
        path.write_text("\n".join(lines) + "\n", "utf-8")
        found.append(from_lexicon(str(path), NKJP, conditional=True).weights.w)
    assert found[0] == found[1]
