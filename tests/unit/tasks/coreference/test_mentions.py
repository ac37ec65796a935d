"""Chains of two sides over the same words: repeated spans, types of mentions, equal spans under equal numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from assay.arrays import Stretches
from assay.corpus import Chains, Column, Corpus
from assay.errors import InputError, UsageError
from assay.tasks.coreference.mentions import ChainPair, TypeRule, chain_pair, take_mentions, without_duplicates

Mention = tuple[int, int, int, str]
"""Document, first word, the one behind the last, and chain."""

WORDS = ["Ann", "saw", "the", "old", "dog", ".", "She", "liked", "it", "."]
TAGS = ["NNP", "VBD", "DT", "JJ", "NN", ".", "PRP", "VBD", "PRP", "."]


def chains(
    *mentions: Mention, stretches: dict[int, Stretches] | None = None, heads: Sequence[int] | None = None
) -> Chains:
    """Mentions in their order; chains are numbered as they come."""
    names = list(dict.fromkeys((document, chain) for document, _, _, chain in mentions))
    columns = np.array(
        [(document, begin, end, names.index((document, chain))) for document, begin, end, chain in mentions],
        dtype=np.int64,
    ).reshape(-1, 4)
    return Chains(
        *columns.T.copy(),
        tuple(name for _, name in names),
        np.arange(len(mentions)) + 2,
        None if heads is None else np.array(heads, dtype=np.int64),
        stretches or {},
    )


def corpus(found: Chains, documents: int = 1) -> Corpus:
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
        chains=found,
    )


def pair(gold: Chains, system: Chains, rule: TypeRule | None = None, documents: int = 1) -> ChainPair:
    return chain_pair(corpus(gold, documents), corpus(system, documents), rule or TypeRule(), "XPOS")


def spans(found: Chains | None) -> list[tuple[int, int, int, str]]:
    assert found is not None
    names = [found.names[number] for number in found.chain.tolist()]
    return list(zip(found.document.tolist(), found.begin.tolist(), found.end.tolist(), names, strict=True))


# --- repeated mentions ---


REPEATED = chains((0, 0, 1, "a"), (0, 2, 5, "a"), (0, 2, 5, "b"), (0, 6, 7, "b"), (0, 6, 7, "b"), (0, 6, 7, "c"))


def test_chains_without_repeated_spans_stay_as_they_are() -> None:
    given = corpus(chains((0, 0, 1, "a"), (0, 6, 7, "a"), (0, 2, 5, "b")))
    assert without_duplicates(given, "error") == (given, 0)


def test_the_first_of_repeated_spans_is_kept() -> None:
    kept, left_out = without_duplicates(corpus(REPEATED), "first")
    assert spans(kept.chains) == [(0, 0, 1, "a"), (0, 2, 5, "a"), (0, 6, 7, "b")]
    assert left_out == 3


def test_all_of_repeated_spans_are_dropped() -> None:
    kept, left_out = without_duplicates(corpus(REPEATED), "drop")
    assert spans(kept.chains) == [(0, 0, 1, "a")]
    assert left_out == 5


def test_every_repeated_span_is_named() -> None:
    with pytest.raises(InputError) as caught:
        without_duplicates(corpus(REPEATED), "error")
    assert str(caught.value).splitlines()[:3] == [
        "some.conll:4: words 3 to 5 of (d0); part 000 are in the chains a and b",
        "some.conll:6: word 7 of (d0); part 000 is in chain b twice",
        "some.conll:7: word 7 of (d0); part 000 is in the chains b and c",
    ]


def test_the_same_words_of_another_document_are_another_span() -> None:
    given = corpus(chains((0, 0, 1, "a"), (1, 0, 1, "a")), documents=2)
    assert without_duplicates(given, "error") == (given, 0)


def test_a_span_with_a_gap_is_not_the_span_without_it() -> None:
    given = chains((0, 2, 5, "a"), (0, 2, 5, "b"), stretches={1: ((2, 3), (4, 5))})
    assert without_duplicates(corpus(given), "error")[1] == 0
    twice = chains((0, 2, 5, "a"), (0, 2, 5, "b"), stretches={0: ((2, 3), (4, 5)), 1: ((2, 3), (4, 5))})
    assert without_duplicates(corpus(twice), "first")[1] == 1


def test_what_is_chosen_keeps_its_gaps_and_heads() -> None:
    given = chains((0, 0, 1, "a"), (0, 2, 5, "a"), (0, 6, 7, "b"), stretches={1: ((2, 3), (4, 5))}, heads=[0, 4, 6])
    some = take_mentions(given, np.array([1, 2]))
    assert spans(some) == [(0, 2, 5, "a"), (0, 6, 7, "b")]
    assert some.stretches == {0: ((2, 3), (4, 5))}
    assert (some.heads is not None and some.heads.tolist(), some.lines.tolist()) == ([4, 6], [3, 4])


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
    assert found.types is not None and found.nominal is not None
    assert found.types.strings() == ["name", "NN", "PRP", "PRP"]
    assert found.nominal.tolist() == [True, True, False, False]


def test_without_tags_there_are_no_types() -> None:
    given = corpus(chains((0, 0, 1, "a")))
    found = chain_pair(given, given, TypeRule(), None)
    assert (found.types, found.nominal) == (None, None)


# --- pairs ---


GOLD = chains((0, 0, 1, "a"), (0, 2, 5, "b"), (0, 6, 7, "a"), (0, 8, 9, "b"), (1, 0, 1, "a"))
SYSTEM = chains((0, 0, 1, "x"), (0, 3, 5, "y"), (0, 6, 7, "x"), (0, 8, 9, "y"), (1, 2, 5, "x"))


def test_equal_spans_have_equal_numbers() -> None:
    found = pair(GOLD, SYSTEM, documents=2)
    ours, theirs = (side.tolist() for side in found.exact)
    assert [number in theirs for number in ours] == [True, False, True, True, False]
    assert len({*ours, *theirs}) == 7
    # Numbers follow the text, so that gold's mentions have the same order beside any system.
    assert ours == sorted(ours)
    assert [found.places.document[number] for number in ours] == [0, 0, 0, 0, 1]
    assert [(found.places.begin[number], found.places.end[number]) for number in theirs] == [
        (0, 1),
        (3, 5),
        (6, 7),
        (8, 9),
        (2, 5),
    ]


def test_what_is_counted_in_a_document_is_counted_at_its_first_sentence() -> None:
    found = pair(GOLD, SYSTEM, documents=2)
    assert found.first_sentence.tolist() == [0, 2]
    assert found.names == ("(d0); part 000", "(d1); part 000")


def test_chains_of_one_mention_can_be_left_aside() -> None:
    found = pair(GOLD, SYSTEM, documents=2)
    kept, alone = found.mentions(), found.mentions(singletons=False)
    assert [len(side) for side in kept] == [5, 5]
    assert [len(side) for side in alone] == [4, 4]


def test_the_table_is_made_once() -> None:
    found = pair(GOLD, SYSTEM, documents=2)
    assert found.table("exact", True) is found.table("exact", True)
    assert found.table("exact", True) is not found.table("exact", False)
    assert sorted(found.table("exact", True).shared.tolist()) == [1, 2]


def test_mentions_come_in_the_order_of_the_text_whatever_the_order_of_the_file() -> None:
    turned = chains((0, 6, 7, "a"), (0, 2, 5, "a"), (0, 0, 1, "a"))
    gold, _ = pair(turned, turned).mentions()
    assert gold.order.tolist() == [2, 1, 0]


def test_one_system_against_another_has_nothing_of_gold() -> None:
    one = pair(GOLD, SYSTEM, documents=2)
    other = pair(GOLD, GOLD, documents=2)
    both, back = one.against(other), other.against(one)
    assert (both.gold, both.system) == (SYSTEM, GOLD)
    assert (both.types, both.nominal) == (None, None)
    assert sorted(both.table("exact", True).shared.tolist()) == [1, 2]
    assert sorted(back.table("exact", True).shared.tolist()) == [1, 2]
    assert one.table("exact", True).key_size.tolist() != []


# --- heads ---


def test_mentions_with_equal_heads_match_where_heads_are_asked_for() -> None:
    found = pair(
        chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]),
        chains((0, 3, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]),
    )
    assert found.table("exact", True).shared.tolist() == [1]
    assert found.table("head", True).shared.tolist() == [2]


def test_equal_spans_match_by_their_heads_too() -> None:
    """Of two mentions with one head the system has the longer one, in the chain where it belongs."""
    found = pair(
        chains((0, 2, 5, "a"), (0, 4, 5, "b"), (0, 6, 7, "b"), (0, 8, 9, "a"), heads=[4, 4, 6, 8]),
        chains((0, 2, 5, "a"), (0, 8, 9, "a"), heads=[4, 8]),
    )
    assert found.table("head", True).shared.tolist() == [2]


def test_heads_of_files_without_any_are_asked_for_in_vain() -> None:
    one, other = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]), chains((0, 2, 5, "a"), (0, 6, 7, "a"))
    for match in ("head", "partial"):
        with pytest.raises(UsageError, match=f"match={match} needs the heads of mentions"):
            pair(one, other).matched(match)


def test_where_a_head_is_not_given_it_is_the_first_word() -> None:
    one = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[2, 6])
    other = chains((0, 2, 4, "a"), (0, 6, 7, "a"), heads=[-1, 6])
    assert pair(one, other).table("head").shared.tolist() == [2]


def test_of_mentions_with_one_head_those_with_most_words_in_common_go_together() -> None:
    """Key [2, 6), response [3, 4) and [2, 5), all with head 3."""
    found = pair(
        chains((0, 2, 6, "a"), (0, 8, 9, "a"), heads=[3, 8]),
        chains((0, 3, 4, "b"), (0, 2, 5, "a"), (0, 8, 9, "a"), heads=[3, 3, 8]),
    )
    assert found.table("head", True).shared.tolist() == [2]


def test_equal_spans_with_other_heads_do_not_go_together() -> None:
    one = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[4, 6])
    other = chains((0, 2, 5, "a"), (0, 6, 7, "a"), heads=[3, 6])
    assert pair(one, other).table("head", True).shared.tolist() == [1]
    assert pair(one, other).table("exact", True).shared.tolist() == [2]


def test_singletons_are_dropped_before_mentions_go_together() -> None:
    """With its singletons the key has the response's [4, 5) itself; without them the longer one is its partner."""
    found = pair(
        chains((0, 2, 5, "a"), (0, 6, 7, "a"), (0, 4, 5, "b"), heads=[4, 6, 4]),
        chains((0, 4, 5, "a"), (0, 6, 7, "a"), heads=[4, 6]),
    )
    assert sorted(found.table("head", True).shared.tolist()) == [1, 1]
    assert found.table("head", False).shared.tolist() == [2]


def test_the_order_of_the_file_has_no_say_in_which_mentions_go_together() -> None:
    """Both mentions of the response share two of three words; the first in the text is taken."""
    key = chains((0, 2, 5, "a"), (0, 8, 9, "a"), heads=[3, 8])
    for mentions, heads in (
        ([(0, 2, 4, "a"), (0, 3, 5, "b"), (0, 8, 9, "a")], [3, 3, 8]),
        ([(0, 8, 9, "a"), (0, 3, 5, "b"), (0, 2, 4, "a")], [8, 3, 3]),
    ):
        assert pair(key, chains(*mentions, heads=heads)).table("head", True).shared.tolist() == [2]


def test_words_in_gaps_are_not_in_common() -> None:
    """The key's [2, 6) has head 2; of the response's mentions one covers three of its words, the other two."""
    found = pair(
        chains((0, 2, 6, "a"), (0, 8, 9, "a"), heads=[2, 8]),
        chains((0, 2, 6, "b"), (0, 2, 5, "a"), (0, 8, 9, "a"), heads=[2, 2, 8], stretches={0: ((2, 3), (5, 6))}),
    )
    assert found.table("head", True).shared.tolist() == [2]


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
    found = chain_pair(replace(gold, chains=sides[0]), replace(gold, chains=sides[1]), TypeRule(), None)
    assert found.table("exact", True).shared.tolist() == []
    assert found.table("head", True).shared.tolist() == [number]
