"""Function trees: conversions, yields with gaps, operations on odd trees, sizes and scores."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import AlignmentError, UsageError
from assay.tasks.cross.functiontrees import (
    from_dependencies,
    from_nodes,
    from_relational_realizational,
    generalise,
    overlay,
    projectivise,
    subsumes,
    tl_unify,
    unify,
)
from assay.tasks.cross.measures import Parse, sentence_scores, tedeval
from functionsets import arcs, describe, edits, from_arcs, from_brackets, from_models, model, starts_of, to_models
from unit.samples import refusal

# b hangs on d, over c.
CROSSING = [(3, "x"), (4, "y"), (0, "root"), (3, "z")]


def words(*positions):
    return frozenset(positions)


def labels(*names):
    return frozenset(names)


def nodes(*rows):
    """Sentence, begin and end of nodes as columns."""
    return np.array(rows, dtype=np.int64).reshape(-1, 3).T


def test_a_word_without_dependents_is_no_head():
    assert to_models(from_arcs([(2, "det"), (0, "root")])) == [model(_02="root", _01="det", _12="hd")]
    assert to_models(from_arcs([(0, "root")])) == [model(_01="root")]


def test_the_outer_root_stands_beside_another_relation():
    frag = [(2, "det"), (0, "frag")]
    assert to_models(from_arcs(frag)) == [model(_02="root frag", _01="det", _12="hd")]


def test_several_roots_are_daughters_of_the_outer_root():
    sentence = [(0, "root"), (0, "root"), (2, "obj")]
    assert to_models(from_arcs(sentence)) == [model(_03="root", _01="root", _13="root", _12="hd", _23="obj")]


def test_a_relation_may_be_called_as_the_head_label():
    assert to_models(from_arcs([(2, "hd"), (0, "root")])) == [model(_02="root", _01="hd", _12="hd")]


def test_non_projective_words_have_yields_with_gaps():
    trees = from_arcs([(0, "root")], CROSSING)
    assert to_models(trees)[1] == {
        words(0, 1, 2, 3): labels("root"),
        words(0): labels("x"),
        words(1): labels("y"),
        words(2): labels("hd"),
        words(1, 3): labels("z"),
        words(3): labels("hd"),
    }
    (gapped,) = np.flatnonzero(trees.nodes.gapped)
    assert trees.nodes.stretches(gapped) == ((1, 2), (3, 4))
    assert (trees.nodes.first[gapped], trees.nodes.last[gapped], trees.nodes.size[gapped]) == (1, 3, 2)
    assert trees.with_gaps.tolist() == [False, True]


def test_nodes_stand_before_those_below_them():
    trees = from_brackets("(root (a u) (b (c v) (d w)))", "(root x)")
    assert [trees.nodes.stretches(node) for node in range(len(trees))] == [
        ((0, 3),),
        ((0, 1),),
        ((1, 3),),
        ((1, 2),),
        ((2, 3),),
        ((0, 1),),
    ]


def test_keys_tell_yields_with_equal_ends_and_sizes_apart():
    shapes = [words(0, 1, 4, 6), words(0, 2, 4, 6), words(0, 3, 4, 6), words(0, 2, 3, 6)]
    trees = from_models([{shape: labels()} for shape in shapes], [7] * 4)
    assert len(set(trees.nodes.key.tolist())) == 4
    again = from_models([{shapes[2]: labels("a")}], [7])
    assert again.nodes.key[0] == trees.nodes.key[2]


def test_stretches_that_touch_are_one():
    functions = (np.array([0, 0]), [("a",)])
    trees = from_nodes(
        starts_of([6]),
        *nodes((0, 0, 6), (0, 1, 5)),
        functions,
        stretches={0: ((0, 2), (2, 6)), 1: ((1, 2), (3, 4), (4, 5))},
    )
    other = from_models([{words(*range(6)): labels("a"), words(1, 3, 4): labels("a")}], [6])
    assert trees.nodes.key.tolist() == other.nodes.key.tolist()
    assert trees.nodes.gapped.tolist() == [False, True]
    assert [trees.nodes.stretches(node) for node in (0, 1)] == [((0, 6),), ((1, 2), (3, 5))]


def test_sentences_of_any_length_have_their_places():
    length = 2**31
    functions = (np.array([0, 0, 0]), [("a",)])
    gaps = {1: ((5, 6), (length - 1, length)), 2: ((5, 7), (length - 1, length))}
    rows = nodes((0, 0, length), (0, 5, length), (0, 5, length))
    trees = from_nodes(starts_of([length]), *rows, functions, stretches=gaps)
    assert trees.nodes.size.tolist() == [length, 3, 2]
    assert [trees.nodes.stretches(node) for node in (1, 2)] == [gaps[2], gaps[1]]


def test_long_chains_are_climbed():
    length = 5_000
    heads = np.arange(-1, length - 1)
    trees = from_dependencies(starts_of([length]), heads, np.zeros(length, dtype=np.int64), ["next"])
    assert len(trees) == 2 * length - 1
    assert np.bincount(trees.nodes.size).tolist() == [0, length] + [1] * (length - 1)


def test_small_integers_do_not_overflow():
    starts, heads, relations, names = arcs(*[CROSSING] * 15_000)
    small = from_dependencies(*(column.astype(np.int32) for column in (starts, heads, relations)), names)
    large = from_dependencies(starts, heads, relations, names)
    assert (small.nodes.key == large.nodes.key).all()
    assert (small.nodes.sentence == large.nodes.sentence).all()
    assert small.nodes.stretches(len(small) - 4) == large.nodes.stretches(len(large) - 4) == ((1, 2), (3, 4))
    assert subsumes(small, large).all()


def test_heads_in_a_circle_are_refused():
    with pytest.raises(ValueError, match="circle"):
        from_arcs([(2, "a"), (1, "b")])


def test_functions_of_nodes_and_tags():
    # (S (NP-LOC-PRD (NN-hd u) v) (VB w)), v without a tag
    functions = (np.array([0, 1]), [(), ("LOC", "PRD")])
    tags = (np.array([1, -1, 0]), [(), ("hd",)])
    rows = nodes((0, 0, 3), (0, 0, 2))
    trees = from_nodes(starts_of([3]), *rows, functions, preterminals=tags)
    assert to_models(trees) == [model(_03="root", _02="LOC PRD", _01="hd", _23="")]
    assert to_models(from_nodes(starts_of([3]), *rows, functions, preterminals=tags, top_root=False)) == [
        model(_03="", _02="LOC PRD", _01="hd", _23="")
    ]


def test_the_top_gets_root_only_where_it_has_no_label():
    assert to_models(from_brackets("(_ (frag u))", "(_ (_ u) (_ v))", top_root=True)) == [
        model(_01="frag"),
        model(_02="root", _01="", _12=""),
    ]


def test_no_top_is_made_where_there_is_none():
    functions = (np.array([0, 0]), [()])
    trees = from_nodes(starts_of([3, 2]), *nodes((0, 0, 2), (0, 2, 3)), functions)
    assert to_models(trees) == [model(_02="", _23=""), {}]


def test_relational_realizational_tags_may_be_functions():
    # (S (sbj John) (prd loves)) and (S (hd (NN yes))): S, NN and V are categories
    vocabulary = ["S", "hd"]
    tag_names = ["sbj", "prd", "NN"]
    trees = from_relational_realizational(
        starts_of([2, 1]),
        *nodes((0, 0, 2), (1, 0, 1), (1, 0, 1)),
        (np.array([0, 0, 1]), vocabulary),
        {"sbj", "prd", "hd"},
        tags=(np.array([0, 1, 2]), tag_names),
    )
    assert to_models(trees) == [model(_02="root", _01="sbj", _12="prd"), model(_01="root hd")]


def test_relational_realizational_trees_with_gaps():
    # A category and a function over the first and the last of three words; neither is the top.
    gap = ((0, 1), (2, 3))
    trees = from_relational_realizational(
        starts_of([3]),
        *nodes((0, 0, 3), (0, 0, 3), (0, 0, 3)),
        (np.array([0, 0, 1]), ["S", "obj"]),
        {"obj"},
        tags=(np.zeros(3, dtype=np.int64), ["NN"]),
        stretches={1: gap, 2: gap},
    )
    assert to_models(trees) == [{words(0, 1, 2): labels("root"), words(0, 2): labels("obj")}]


def test_nothing_is_no_trouble():
    none = from_arcs()
    assert (none.sentences, len(none)) == (0, 0)
    assert len(generalise(none, none)) == 0
    assert len(describe_all(none)) == 0
    empty = from_dependencies(starts_of([0, 1]), np.array([-1]), np.array([0]), ["root"])
    assert to_models(empty) == [{}, model(_01="root")]
    unparsed = from_models([{}], [2])
    assert unify(unparsed, unparsed)[1].tolist() == [False]
    assert subsumes(unparsed, from_arcs([(2, "det"), (0, "root")])).tolist() == [True]


def describe_all(trees):
    return [unit for sentence in range(trees.sentences) for unit in describe(sentence, trees, trees, trees)]


def test_what_one_tree_lacks_is_not_general():
    flat, deep = from_brackets("(root (a u) (b v) (c w))"), from_brackets("(root (_ (a u) (b v)) (c w))")
    assert subsumes(flat, deep).tolist() == [True]
    assert subsumes(deep, flat).tolist() == [False]
    assert to_models(generalise(flat, deep)) == to_models(flat)


def test_a_label_on_one_side_only_leaves_a_bare_node():
    one, other = from_brackets("(root (a u) (b v))"), from_brackets("(root (c u) (_ v))")
    assert to_models(generalise(one, other)) == [model(_02="root", _01="", _12="")]


def test_generalising_counts_all_golds():
    golds = [from_brackets(text) for text in ("(root (a u) (b v))", "(root (c u) (b v))", "(root (a u) (b v))")]
    assert to_models(generalise(*golds)) == [model(_02="root", _01="", _12="b")]


def test_crossing_yields_do_not_unify():
    left = from_brackets("(root (x (a u) (b v)) (c w))", "(root u)")
    right = from_brackets("(root (a u) (y (b v) (c w)))", "(frag u)")
    unified, fails = unify(left, right)
    assert fails.tolist() == [True, False]
    assert to_models(unified) == [{}, model(_01="root frag")]


def test_intertwined_yields_do_unify():
    one = from_models([{words(0, 2): labels("a")}], [4])
    other = from_models([{words(1, 3): labels("b")}], [4])
    unified, fails = unify(one, other)
    assert not fails.any()
    assert to_models(unified) == [{words(0, 2): labels("a"), words(1, 3): labels("b")}]


def test_labels_are_transferred_onto_yields_that_are_there():
    structure = from_brackets("(_ (_ u) (x v))")
    given = from_brackets("(root (a (b u)) (y v))")
    assert to_models(tl_unify(structure, given)) == [model(_02="root", _01="a b", _12="x y")]


def test_trees_over_other_words_are_refused():
    pair = from_brackets("(a u)", "(a u v)"), from_brackets("(a u)", "(a u v w)")
    with pytest.raises(AlignmentError):
        overlay(*pair)
    assert refusal(generalise, *pair) == (
        "sentence 2: 2 words in one tree and 3 in another. Give all files the same words."
    )
    assert refusal(generalise, pair[0], from_brackets("(a u)")) == (
        "trees of 2 sentences and of 1. Give all files the same sentences."
    )


def test_a_bare_node_of_the_generalised_gold_alone_is_not_asked_for():
    golds = from_brackets("(root (a u) (b v))"), from_brackets("(root (c u) (b v))")
    generalised = generalise(*golds)
    parse = from_brackets("(root (_ u) (b v))")
    found = edits(parse, golds[0], generalised, labelled=True, empty_counts=True)
    assert (found.delta[0], found.unasked[0]) == (0, 1)
    assert describe(0, parse, golds[0], generalised) == [
        ("root", ((0, 2),), "right"),
        (None, ((0, 1),), "right"),
        ("a", ((0, 1),), "unasked"),
        ("b", ((1, 2),), "right"),
    ]
    wrong = from_brackets("(root (d u) (b v))")
    assert describe(0, wrong, golds[0], generalised)[1:3] == [
        ("a", ((0, 1),), "unasked"),
        ("d", ((0, 1),), "spurious"),
    ]


def test_described_yields_have_their_gaps():
    gold, parse = (
        from_arcs([(0, "root")], CROSSING),
        from_arcs([(0, "root")], [*CROSSING[:1], (3, "y"), *CROSSING[2:]]),
    )
    assert describe(1, parse, gold, gold, labelled=True, empty_counts=False) == [
        ("root", ((0, 4),), "right"),
        ("x", ((0, 1),), "right"),
        ("z", ((1, 2), (3, 4)), "missing"),
        ("y", ((1, 2),), "right"),
        ("hd", ((2, 3),), "right"),
        ("hd", ((3, 4),), "missing"),
        ("z", ((3, 4),), "spurious"),
    ]


def test_swapped_heads_are_invisible_without_labels():
    gold = from_arcs([(2, "det"), (3, "sbj"), (0, "root")])
    parse = from_arcs([(3, "sbj"), (1, "det"), (0, "root")])
    assert edits(parse, gold, gold, labelled=False, empty_counts=False).delta[0] == 0
    assert edits(parse, gold, gold, labelled=True, empty_counts=False).delta[0] == 4


def test_sizes():
    tree = from_brackets("(root (_ (a u) (b v)) (c w))")
    with_bare = edits(tree, tree, tree, labelled=True, empty_counts=True)
    assert (with_bare.norm("2.1")[0], with_bare.norm("2.2")[0]) == (8, 14)
    assert edits(tree, tree, tree, labelled=True, empty_counts=False).norm("paper")[0] == 8
    with pytest.raises(UsageError, match=r"there is no way to measure trees '2\.3'"):
        tedeval(Parse(tree, tree, tree), sizes="2.3")


def test_sentence_scores_where_there_is_nothing_to_divide_by():
    errors, norms = np.array([0, 1, 0, 1, 3, 1]), np.array([0, 0, -1, -1, 2, 4])
    assert sentence_scores(errors, norms).tolist() == [1, 0, 1, 0, 0, 0.75]


def test_projective_sentences_are_left_as_they_are():
    starts, heads, *_ = arcs([(2, "a"), (0, "root")], CROSSING, [(0, "root")])
    assert projectivise(starts, heads).tolist() == [1, -1, 4, 4, -1, 4, -1]


def test_the_shortest_arc_is_lifted_first():
    # Both 3 → 1 and the longer 1 → 4 stand over 2. First 1 goes to 2, then 4 does; else 4 would have stayed on 3.
    starts, heads, *_ = arcs([(3, "a"), (0, "root"), (2, "b"), (1, "c")])
    assert projectivise(starts, heads).tolist() == [1, -1, 1, 1]
