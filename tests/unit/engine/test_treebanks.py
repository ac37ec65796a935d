"""Heads of words, and what makes a tree faulty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.arrays import count_heads_above
from assay.corpus import Column, Corpus
from assay.engine.treebanks import ROOT, count_several_roots, mask_nonprojective, with_heads

Tree = list[int]
"""The head of each word, counted from 1; 0: root."""


def corpus_of(*trees: list[str] | Tree) -> Corpus:
    """Trees as a corpus whose column H has the heads."""
    words = [f"w{number}" for tree in trees for number in range(len(tree))]
    heads = Column.of(str(head) for tree in trees for head in tree)
    starts = np.concatenate([[0], np.cumsum([len(tree) for tree in trees])]).astype(np.int64)
    return Corpus("x", "lists", "", Column.of(words), {"H": heads}, starts)


def found(*trees: list[str] | Tree) -> list[tuple[int, int, str]]:
    """The faults: sentence, word, fact."""
    _, faults = with_heads(corpus_of(*trees), "H")
    return [(fault.sentence, fault.word, fault.fact) for fault in faults]


CYCLE = "a cycle: following heads from here leads to no root"


def test_heads_are_places_in_the_corpus():
    corpus, faults = with_heads(corpus_of([2, 0, 2], [0], [0, 1]), "H")
    assert corpus.heads is not None
    assert corpus.heads.tolist() == [1, ROOT, 1, ROOT, ROOT, 4]
    assert faults == []


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (["0", "3"], (1, "head '3' in a sentence of 2 words")),
        (["0", "99999999999999999999999"], (1, "head '99999999999999999999999' in a sentence of 2 words")),
        (["0", "x"], (1, "head 'x' is not a number")),
        (["0", "_"], (1, "head '_' is not a number")),
        (["0", "-1"], (1, "head '-1' is not a number")),
        (["0", "1.1"], (1, "head '1.1' is not a number")),
        (["0", "²"], (1, "head '²' is not a number")),
        (["0", ""], (1, "head '' is not a number")),
        (["0", "2"], (1, CYCLE)),
        (["0", "3", "2"], (1, CYCLE)),
        (["2", "1"], (0, CYCLE)),
        (["2", "3", "2", "0"], (0, CYCLE)),
        (["1"], (0, CYCLE)),
    ],
)
def test_faults_are_told_with_their_word(tree, expected):
    assert found(tree) == [(0, *expected)]


def test_faults_are_told_once_for_a_cycle_and_for_every_wrong_head_in_text_order():
    good, cyclic, wrong = ["0", "1"], ["0", "3", "2"], ["x", "9"]
    assert found(good, wrong, good, cyclic) == [
        (1, 2, "head 'x' is not a number"),
        (1, 3, "head '9' in a sentence of 2 words"),
        (3, 7, CYCLE),
    ]


def test_a_long_chain_is_no_cycle():
    chain = list(range(5_000))
    corpus, faults = with_heads(corpus_of(chain), "H")
    assert faults == []
    assert corpus.heads is not None
    assert count_heads_above(corpus.heads).tolist() == chain
    assert mask_nonprojective(corpus).tolist() == [False]


def test_a_cycle_at_the_end_of_a_long_chain_is_found():
    chain = [*range(1, 5_001), 4_999]
    assert found(chain) == [(0, 0, CYCLE)]


def test_sentences_with_several_roots_are_counted():
    corpus, _ = with_heads(corpus_of([0, 0], [0, 1], [0, 0, 0], [0]), "H")
    assert count_several_roots(corpus) == 2


def test_a_faulty_word_makes_no_second_root():
    corpus, faults = with_heads(corpus_of(["0", "x"], ["0", "0"]), "H")
    assert count_several_roots(corpus, [fault.sentence for fault in faults]) == 1


@pytest.mark.parametrize(
    ("tree", "crossing"),
    [
        ([0], False),
        ([2, 0, 2], False),
        ([0, 1, 1, 3], False),
        # 1 → 3 and 2 → 4 cross.
        ([0, 4, 1, 1], True),
        ([3, 4, 0, 3], True),
        # An arc over a root, where there are two.
        ([3, 0, 0], True),
        ([0, 0], False),
    ],
)
def test_trees_that_are_not_projective(tree, crossing):
    corpus, _ = with_heads(corpus_of([0], tree, [0, 1]), "H")
    assert mask_nonprojective(corpus).tolist() == [False, crossing, False]


# --- against definitions ---


def trees() -> st.SearchStrategy[Tree]:
    """Trees in which each word but the roots hangs below another."""

    @st.composite
    def draw_tree(draw: st.DrawFn) -> Tree:
        size = draw(st.integers(1, 9))
        order = draw(st.permutations(range(size)))
        heads = [0] * size
        for place, word in enumerate(order[1:], 1):
            heads[word] = draw(st.one_of(st.just(0), *([st.sampled_from(order[:place]).map(lambda w: w + 1)] * 3)))
        return heads

    return draw_tree()


def graphs() -> st.SearchStrategy[Tree]:
    """Any heads within the sentence, trees or not."""
    return st.integers(1, 8).flatmap(lambda size: st.lists(st.integers(0, size), min_size=size, max_size=size))


def above(tree: Tree, word: int) -> list[int]:
    """The words above a word, as far as they are not met again."""
    way: list[int] = []
    head = tree[word]
    while head and head - 1 not in way:
        way.append(head - 1)
        head = tree[head - 1]
    return way


def below(tree: Tree, word: int) -> set[int]:
    return {other for other in range(len(tree)) if other == word or word in above(tree, other)}


@given(st.lists(trees(), min_size=1, max_size=4))
def test_projectivity_is_that_every_yield_is_one_stretch(given_trees):
    corpus, faults = with_heads(corpus_of(*given_trees), "H")
    yields = [[below(tree, word) for word in range(len(tree))] for tree in given_trees]
    expected = [any(max(words) - min(words) + 1 != len(words) for words in tree) for tree in yields]
    assert mask_nonprojective(corpus).tolist() == expected
    assert faults == []


@given(st.lists(trees(), min_size=1, max_size=4))
def test_depth_is_the_number_of_words_above(given_trees):
    corpus, _ = with_heads(corpus_of(*given_trees), "H")
    assert corpus.heads is not None
    expected = [len(above(tree, word)) for tree in given_trees for word in range(len(tree))]
    assert count_heads_above(corpus.heads).tolist() == expected


@given(st.lists(graphs(), min_size=1, max_size=4))
def test_cycles_are_found_where_a_way_up_never_ends(given_graphs):
    """A way up that is cut off where it meets itself ends below a word that has a head."""
    caught = []
    offset = 0
    for sentence, tree in enumerate(given_graphs):
        endless = [word for word in range(len(tree)) if tree[[word, *above(tree, word)][-1]] != 0]
        if endless:
            caught.append((sentence, offset + endless[0], CYCLE))
        offset += len(tree)
    assert found(*given_graphs) == caught
