"""Chains of two sides over the same words: repeated spans, types of mentions, equal spans under equal numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from assay.align import Pair
from assay.arrays import NONE, Stretches
from assay.corpus import Column, Corpus, Marks
from assay.errors import InputError, UsageError
from assay.tasks.coreference.mentions import (
    TypeRule,
    chain_table,
    first_sentences_of,
    match_mentions,
    mentions_of,
    pair_mentions,
    remove_duplicates,
    spans_of_mentions,
)

Mention = tuple[int, int, int, str]
"""Document, first word, the one behind the last, and chain."""

WORDS = ["Ann", "saw", "the", "old", "dog", ".", "She", "liked", "it", "."]
TAGS = ["NNP", "VBD", "DT", "JJ", "NN", ".", "PRP", "VBD", "PRP", "."]


def chains(
    *mentions: Mention, stretches: dict[int, Stretches] | None = None, heads: Sequence[int] | None = None
) -> Marks:
    """Mentions in their order; chains are numbered as they come."""
    names = list(dict.fromkeys((document, chain) for document, _, _, chain in mentions))
    columns = np.array(
        [(document, begin, end, names.index((document, chain))) for document, begin, end, chain in mentions],
        dtype=np.int64,
    ).reshape(-1, 4)
    document, begin, end, chain = columns.T.copy()
    return Marks(
        unit=document,
        begin=begin,
        end=end,
        labels=Column(np.zeros(len(mentions), dtype=np.int32), ()),
        lines=np.arange(len(mentions)) + 2,
        stretches=stretches or {},
        columns={"chain": Column(chain, tuple(name for _, name in names))},
        arguments={} if heads is None else {"head": np.array(heads, dtype=np.int64)},
        group=chain,
    )


def corpus(found: Marks, documents: int = 1) -> Corpus:
    """The same ten words in two sentences, in each document."""
    return Corpus(
        name="some.conll",
        format="conll2012",
        sha256="",
        forms=Column.of(WORDS * documents),
        columns={"XPOS": Column.of(TAGS * documents)},
        starts=np.array([0, *(10 * document + end for document in range(documents) for end in (6, 10))]),
        files=(("some.conll", 0),),
        document_starts=np.arange(documents + 1) * 2,
        document_ids=tuple(f"(d{number}); part 000" for number in range(documents)),
        marks={"mentions": found},
    )


def paired(gold: Corpus, system: Corpus, rule: TypeRule) -> Pair:
    words, skipped = np.arange(len(gold)), np.zeros(gold.sentences, dtype=bool)
    return pair_mentions(Pair(gold, system, "words", words, words, gold.sentence_of, words, skipped), rule)


def pair(gold: Marks, system: Marks, rule: TypeRule | None = None, documents: int = 1) -> Pair:
    return paired(corpus(gold, documents), corpus(system, documents), replace(rule or TypeRule(), tags="XPOS"))


def shared(pair: Pair, match: str = "exact", singletons: bool = True) -> list[int]:
    """How many mentions each two chains share."""
    return sorted(chain_table(pair, match, singletons).shared.tolist())


def spans(corpus: Corpus) -> list[tuple[int, int, int, str]]:
    found = corpus.marks["mentions"]
    columns = found.unit.tolist(), found.begin.tolist(), found.end.tolist(), found.columns["chain"].strings()
    return list(zip(*columns, strict=True))


# --- repeated mentions ---


REPEATED = chains((0, 0, 1, "a"), (0, 2, 5, "a"), (0, 2, 5, "b"), (0, 6, 7, "b"), (0, 6, 7, "b"), (0, 6, 7, "c"))


def test_chains_without_repeated_spans_stay_as_they_are() -> None:
    given = corpus(chains((0, 0, 1, "a"), (0, 6, 7, "a"), (0, 2, 5, "b")))
    assert remove_duplicates(given, "error") == (given, 0)


def test_the_first_of_repeated_spans_is_kept() -> None:
    kept, left_out = remove_duplicates(corpus(REPEATED), "first")
    assert spans(kept) == [(0, 0, 1, "a"), (0, 2, 5, "a"), (0, 6, 7, "b")]
    assert left_out == 3


def test_all_of_repeated_spans_are_dropped() -> None:
    kept, left_out = remove_duplicates(corpus(REPEATED), "drop")
    assert spans(kept) == [(0, 0, 1, "a")]
    assert left_out == 5


def test_every_repeated_span_is_named() -> None:
    with pytest.raises(InputError) as caught:
        remove_duplicates(corpus(REPEATED), "error")
    assert str(caught.value).splitlines()[:3] == [
        "some.conll:4: words 3 to 5 of (d0); part 000 are in the chains a and b",
        "some.conll:6: word 7 of (d0); part 000 is in chain b twice",
        "some.conll:7: word 7 of (d0); part 000 is in the chains b and c",
    ]


def test_the_same_words_of_another_document_are_another_span() -> None:
    given = corpus(chains((0, 0, 1, "a"), (1, 0, 1, "a")), documents=2)
    assert remove_duplicates(given, "error") == (given, 0)


def test_a_span_with_a_gap_is_not_the_span_without_it() -> None:
    given = chains((0, 2, 5, "a"), (0, 2, 5, "b"), stretches={1: ((2, 3), (4, 5))})
    assert remove_duplicates(corpus(given), "error")[1] == 0
    twice = chains((0, 2, 5, "a"), (0, 2, 5, "b"), stretches={0: ((2, 3), (4, 5)), 1: ((2, 3), (4, 5))})
    assert remove_duplicates(corpus(twice), "first")[1] == 1


# --- types of mentions ---


@pytest.mark.parametrize(
    ("tag", "words", "kind"),
    [
        *((tag, 1, "NOUN") for tag in ("NN", "NNS", "NNP", "NNPS", "NE")),
        ("PRP", 1, "PRP"),
        ("PRP$", 1, "PRP$"),
        ("DT", 1, "DT"),
        ("PRP", 2, "NOUN"),
    ],
)
def test_the_rule_of_the_paper(tag: str, words: int, kind: str) -> None:
    """Nouns and whatever has several words are nouns; else the tag itself is the type."""
    assert TypeRule().of(tag, words) == kind


def test_a_rule_of_ones_own() -> None:
    rule = TypeRule("own", {"NN": "noun", "PRP": "pronoun"}, frozenset({"noun"}), longer=None)
    assert [rule.of("NN", 3), rule.of("PRP", 1), rule.of("CD", 1)] == ["noun", "pronoun", "CD"]
    assert TypeRule("own", {"NN": "noun"}, longer="phrase").of("NN", 2) == "phrase"


def test_types_come_from_golds_tags_for_the_spans_of_both_sides() -> None:
    found = pair(
        chains((0, 0, 1, "a"), (0, 6, 7, "a")),
        chains((0, 0, 1, "a"), (0, 2, 5, "b"), (0, 8, 9, "b")),
        TypeRule("own", {"NNP": "name"}, frozenset({"name", "NN"}), longer=None),
    )
    assert spans_of_mentions(found).labels.strings() == ["name", "NN", "PRP", "PRP"]


def test_without_tags_there_are_no_types() -> None:
    given = corpus(chains((0, 0, 1, "a")))
    assert spans_of_mentions(paired(given, given, TypeRule())).labels.strings() == ["mention"]


# --- pairs ---


GOLD = chains((0, 0, 1, "a"), (0, 2, 5, "b"), (0, 6, 7, "a"), (0, 8, 9, "b"), (1, 0, 1, "a"))
SYSTEM = chains((0, 0, 1, "x"), (0, 3, 5, "y"), (0, 6, 7, "x"), (0, 8, 9, "y"), (1, 2, 5, "x"))


def test_equal_spans_have_equal_numbers() -> None:
    found = pair(GOLD, SYSTEM, documents=2)
    ours, theirs = (side.arguments["span"].tolist() for side in mentions_of(found))
    assert [number in theirs for number in ours] == [True, False, True, True, False]
    assert len({*ours, *theirs}) == 7
    # Numbers follow the text, so that gold's mentions have the same order beside any system.
    assert ours == sorted(ours)
    distinct = spans_of_mentions(found)
    assert distinct.unit[ours].tolist() == [0, 0, 0, 0, 1]
    assert distinct.begin[theirs].tolist() == [0, 3, 6, 8, 2]
    assert distinct.end[theirs].tolist() == [1, 5, 7, 9, 5]


def test_what_is_counted_in_a_document_is_counted_at_its_first_sentence() -> None:
    assert first_sentences_of(pair(GOLD, SYSTEM, documents=2)).tolist() == [0, 2]


def test_chains_of_one_mention_can_be_left_aside() -> None:
    found = pair(GOLD, SYSTEM, documents=2)
    assert [len(side) for side in mentions_of(found)] == [5, 5]
    assert [len(side) for side in mentions_of(found, singletons=False)] == [4, 4]


def test_the_table_is_made_once() -> None:
    found = pair(GOLD, SYSTEM, documents=2)
    assert chain_table(found) is chain_table(found)
    assert chain_table(found) is not chain_table(found, singletons=False)
    assert shared(found) == [1, 2]


def test_a_mention_on_no_empty_node_has_none() -> None:
    assert {*mentions_of(pair(GOLD, SYSTEM, documents=2))[0].arguments["node"].tolist()} == {NONE}


# --- heads ---


def test_mentions_with_equal_heads_match_where_heads_are_asked_for() -> None:
    found = pair(
        chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]),
        chains((0, 3, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]),
    )
    assert shared(found, "exact") == [1]
    assert shared(found, "head") == [2]


def test_equal_spans_match_by_their_heads_too() -> None:
    """Of two mentions with one head the system has the longer one, in the chain where it belongs."""
    found = pair(
        chains((0, 2, 5, "a"), (0, 4, 5, "b"), (0, 6, 7, "b"), (0, 8, 9, "a"), heads=[4, 4, 6, 8]),
        chains((0, 2, 5, "a"), (0, 8, 9, "a"), heads=[4, 8]),
    )
    assert shared(found, "head") == [2]


def test_heads_of_files_without_any_are_asked_for_in_vain() -> None:
    one, other = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]), chains((0, 2, 5, "a"), (0, 6, 7, "a"))
    for match in ("head", "partial"):
        with pytest.raises(UsageError, match=f"match={match} needs the heads of mentions"):
            match_mentions(pair(one, other), match)


def test_where_a_head_is_not_given_it_is_the_first_word() -> None:
    one = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[2, 6])
    other = chains((0, 2, 4, "a"), (0, 6, 7, "a"), heads=[-1, 6])
    assert shared(pair(one, other), "head") == [2]


def test_of_mentions_with_one_head_those_with_most_words_in_common_go_together() -> None:
    """Key [2, 6), response [3, 4) and [2, 5), all with head 3."""
    found = pair(
        chains((0, 2, 6, "a"), (0, 8, 9, "a"), heads=[3, 8]),
        chains((0, 3, 4, "b"), (0, 2, 5, "a"), (0, 8, 9, "a"), heads=[3, 3, 8]),
    )
    assert shared(found, "head") == [2]


def test_equal_spans_with_other_heads_do_not_go_together() -> None:
    one = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[4, 6])
    other = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[3, 6])
    assert shared(pair(one, other), "head") == [1]
    assert shared(pair(one, other), "exact") == [2]


def test_singletons_are_dropped_before_mentions_go_together() -> None:
    """With its singletons the key has the response's [4, 5) itself; without them the longer one is its partner."""
    found = pair(
        chains((0, 2, 5, "a"), (0, 6, 7, "a"), (0, 4, 5, "b"), heads=[4, 6, 4]),
        chains((0, 4, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]),
    )
    assert shared(found, "head") == [1, 1]
    assert shared(found, "head", singletons=False) == [2]


def test_the_order_of_the_file_has_no_say_in_which_mentions_go_together() -> None:
    """Both mentions of the response share two of three words; the first in the text is taken."""
    key = chains((0, 2, 5, "a"), (0, 8, 9, "a"), heads=[3, 8])
    for mentions, heads in (
        ([(0, 2, 4, "a"), (0, 3, 5, "b"), (0, 8, 9, "a")], [3, 3, 8]),
        ([(0, 8, 9, "a"), (0, 3, 5, "b"), (0, 2, 4, "a")], [8, 3, 3]),
    ):
        assert shared(pair(key, chains(*mentions, heads=heads)), "head") == [2]


def test_words_in_gaps_are_not_in_common() -> None:
    """The key's [2, 6) has head 2; of the response's mentions one covers three of its words, the other two."""
    found = pair(
        chains((0, 2, 6, "a"), (0, 8, 9, "a"), heads=[2, 8]),
        chains((0, 2, 6, "b"), (0, 2, 5, "a"), (0, 8, 9, "a"), heads=[2, 2, 8], stretches={0: ((2, 3), (5, 6))}),
    )
    assert shared(found, "head") == [2]


def test_many_mentions_of_one_head_are_bounded() -> None:
    """300 on each side, none of them equal: 90,000 pairs, of which each mention of the key finds the best."""
    number = 300
    gold = Corpus(
        name="long.conll",
        format="conll2012",
        sha256="",
        forms=Column.of(["it"] * (2 * number + 2)),
        columns={},
        starts=np.array([0, 2 * number + 2]),
        files=(("long.conll", 0),),
        document_starts=np.array([0, 1]),
        document_ids=("(long); part 000",),
    )
    sides = [
        chains(
            *((0, number - place, number + 1 + place + more, "a") for place in range(number)), heads=[number] * number
        )
        for more in (0, 1)
    ]
    found = paired(*(gold.with_marks(mentions=side) for side in sides), TypeRule())
    assert shared(found, "exact") == []
    assert shared(found, "head") == [number]
