"""Function trees as arrays against plain sets, and the set difference against a real tree edit distance."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tasks.cross.brackets import common_gold
from assay.tasks.cross.functiontrees import (
    from_dependencies,
    generalise,
    map_to_parts,
    projectivise,
    subsumes,
    tl_unify,
    unify,
)
from assay.tasks.cross.measures import sentence_scores
from assay.tasks.cross.treebanks import read_trees
from functionsets import arcs, describe, edits, from_arcs, from_models, to_models

LABELS = ("a", "b", "c", "root")
LABEL_SETS = st.frozensets(st.sampled_from(LABELS), max_size=3)


@st.composite
def heads(draw, length):
    """Heads of a tree or a forest over words in any order, counted from 1, 0 for none."""
    order = draw(st.permutations(range(1, length + 1)))
    above = [draw(st.sampled_from([0, *order[:place]])) for place in range(length)]
    return [head for _, head in sorted(zip(order, above, strict=True))]


@st.composite
def dependencies(draw, lengths):
    """Sentences of (head, relation), projective or not, with one or more roots."""
    return [[(head, draw(st.sampled_from(LABELS))) for head in draw(heads(length))] for length in lengths]


def splits(draw, words, continuous):
    """The yields below a node over these words: parts of the words, split again and again."""
    if len(words) == 1 or draw(st.booleans()):
        return []
    if continuous:
        cut = draw(st.integers(1, len(words) - 1))
        parts = [words[:cut], words[cut:]]
    else:
        sides = draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
        parts = [[word for word, side in zip(words, sides, strict=True) if side is own] for own in (True, False)]
    return [part for half in parts if 0 < len(half) < len(words) for part in [half, *splits(draw, half, continuous)]]


@st.composite
def models(draw, lengths, *, continuous=False):
    """A multi-function tree per sentence, as a dictionary."""
    found = []
    for length in lengths:
        words = list(range(length))
        yields = [words, *splits(draw, words, continuous), *([word] for word in words)]
        kept = [frozenset(each) for each in yields if draw(st.integers(0, 3))]
        found.append({each: draw(LABEL_SETS) for each in kept})
    return found


@st.composite
def several(draw, count, *, continuous=False, longest=6):
    """Lengths of sentences, and several trees over them."""
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=3))
    return lengths, [draw(models(lengths, continuous=continuous)) for _ in range(count)]


# What the operations mean, on dictionaries.


def more_general(one, other):
    return all(words in other and labels <= other[words] for words, labels in one.items())


def common(*trees):
    return {
        words: frozenset.intersection(*(tree[words] for tree in trees))
        for words in trees[0]
        if all(words in tree for tree in trees)
    }


def union(one, other):
    return {words: one.get(words, frozenset()) | other.get(words, frozenset()) for words in {**one, **other}}


def is_tree(yields):
    return all(not (a & b) or a <= b or b <= a for a in yields for b in yields)


def unit_set(tree, *, labelled, empty_counts):
    if not labelled:
        return {(None, words) for words in tree}
    bare = {(None, words) for words, labels in tree.items() if not labels and empty_counts}
    return bare | {(label, words) for words, labels in tree.items() for label in labels}


def function_tree(sentence):
    """The dictionary of a dependency tree, by climbing from each word."""
    found = {frozenset(range(len(sentence))): {"root"}}
    below = {word: set() for word in range(1, len(sentence) + 1)}
    for word in below:
        above = word
        while above:
            below[above].add(word - 1)
            above = sentence[above - 1][0]
    for word, (_, relation) in enumerate(sentence, 1):
        found.setdefault(frozenset(below[word]), set()).add(relation)
        if len(below[word]) > 1:
            found.setdefault(frozenset([word - 1]), set()).add("hd")
    return {words: frozenset(labels) for words, labels in found.items()}


LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=4)


@given(LENGTHS.flatmap(dependencies))
def test_dependencies_become_function_trees(sentences):
    trees = from_arcs(*sentences)
    expected = [function_tree(sentence) for sentence in sentences]
    assert to_models(trees) == expected
    gaps = [any(max(words) - min(words) >= len(words) for words in tree) for tree in expected]
    assert trees.with_gaps.tolist() == gaps


@given(several(1))
def test_trees_survive_the_arrays(drawn):
    lengths, (tree,) = drawn
    trees = from_models(tree, lengths)
    assert to_models(trees) == tree
    places = list(zip(trees.nodes.sentence, trees.nodes.first, -trees.nodes.size, strict=True))
    assert places == sorted(places)


@given(several(3))
def test_operations_are_those_on_sets(drawn):
    lengths, trees = drawn
    a, b, c = (from_models(tree, lengths) for tree in trees)
    rows = list(zip(*trees, strict=True))
    assert to_models(generalise(a, b, c)) == [common(*row) for row in rows]
    assert subsumes(a, b).tolist() == [more_general(one, other) for one, other, _ in rows]
    unified, fails = unify(a, b)
    assert fails.tolist() == [not is_tree({**one, **other}) for one, other, _ in rows]
    assert to_models(unified) == [
        {} if failed else union(one, other) for (one, other, _), failed in zip(rows, fails, strict=True)
    ]
    together, fails = unify(a, b, c)
    assert fails.tolist() == [not is_tree({**one, **two, **three}) for one, two, three in rows]
    assert to_models(together) == [
        {} if failed else union(union(one, two), three) for (one, two, three), failed in zip(rows, fails, strict=True)
    ]
    assert to_models(tl_unify(a, b)) == [
        {words: labels | other.get(words, frozenset()) for words, labels in one.items()} for one, other, _ in rows
    ]


@given(LENGTHS.flatmap(dependencies))
def test_written_trees_are_read_as_they_were(sentences):
    with TemporaryDirectory() as folder:
        gold, again = Path(folder, "gold.conllu"), Path(folder, "common.mrg")
        rows = [
            [f"{word}\tw{word}\t_\t_\t_\t_\t{head}\t{name}\t_\t_\n" for word, (head, name) in enumerate(sentence, 1)]
            for sentence in sentences
        ]
        gold.write_text("".join("".join([*lines, "\n"]) for lines in rows), "utf-8")
        text, warnings = common_gold([f"dep={gold}"])
        again.write_text(text, "utf-8")
        trees = [read_trees(str(path), None).function_trees() for path in (gold, again)]
    assert not [text for text in warnings if "brackets" in text]
    assert to_models(trees[0]) == to_models(trees[1])


@given(several(3))
def test_generalisation_is_a_meet(drawn):
    lengths, trees = drawn
    a, b, c = (from_models(tree, lengths) for tree in trees)
    both = generalise(a, b)
    assert to_models(both) == to_models(generalise(b, a))
    assert to_models(generalise(a, a)) == to_models(generalise(a)) == to_models(a)
    folded = to_models(generalise(both, c))
    assert folded == to_models(generalise(a, generalise(b, c))) == to_models(generalise(a, b, c))
    assert subsumes(both, a).all() and subsumes(both, b).all()
    below_both = subsumes(c, a) & subsumes(c, b)
    assert (subsumes(c, both) == below_both).all()


@given(several(2))
def test_unification_is_a_join(drawn):
    lengths, trees = drawn
    a, b = (from_models(tree, lengths) for tree in trees)
    unified, fails = unify(a, b)
    other, also_fails = unify(b, a)
    assert to_models(unified) == to_models(other)
    assert (fails == also_fails).all()
    assert (subsumes(a, unified) | fails).all() and (subsumes(b, unified) | fails).all()
    assert to_models(unify(generalise(a, b), a)[0]) == to_models(a)


@pytest.mark.parametrize(("labelled", "empty_counts"), [(True, True), (True, False), (False, False)])
@given(drawn=several(3))
def test_edits_are_differences_of_sets(labelled, empty_counts, drawn):
    lengths, trees = drawn
    parse, gold, other = (from_models(tree, lengths) for tree in trees)
    generalised = generalise(gold, other)
    options = {"labelled": labelled, "empty_counts": empty_counts}
    found = edits(parse, gold, generalised, **options)
    for sentence, row in enumerate(zip(trees[0], trees[1], to_models(generalised), strict=True)):
        p, g, e = (unit_set(tree, **options) for tree in row)
        assert found.spurious[sentence] == len(p - (g | e))
        assert found.missing[sentence] == len((e & g) - p)
        assert found.forgiven[sentence] == len((p & g) - e)
        assert found.unasked[sentence] == len(g - (p | e))
        assert (found.parse[sentence], found.gold[sentence], found.generalised[sentence]) == (len(p), len(g), len(e))
        # The definition of the paper: what both scripts do alike costs nothing.
        of_parse = {("delete", unit) for unit in p - e} | {("add", unit) for unit in e - p}
        of_gold = {("delete", unit) for unit in g - e} | {("add", unit) for unit in e - g}
        assert found.delta[sentence] == len(of_parse - of_gold)
        described = describe(sentence, parse, gold, generalised, **options)
        kinds = [kind for *_, kind in described]
        assert kinds.count("spurious") == found.spurious[sentence]
        assert kinds.count("unasked") == found.unasked[sentence]
        assert kinds.count("right") == len(p & e)
        assert {
            (label, frozenset(word for begin, end in stretches for word in range(begin, end)))
            for label, stretches, _ in described
        } == p | g


@given(several(3))
def test_scores_stay_within_bounds(drawn):
    lengths, trees = drawn
    parse, gold, other = (from_models(tree, lengths) for tree in trees)
    for labelled in (True, False):
        for sizes in ("paper", "2.1", "2.2"):
            options = {"labelled": labelled, "empty_counts": sizes != "paper"}
            found = edits(parse, gold, generalise(gold, other), **options)
            scores = sentence_scores(found.delta, found.norm(sizes))
            assert ((scores >= 0) & (scores <= 1)).all()
            perfect = edits(gold, gold, generalise(gold, other), **options)
            assert (sentence_scores(perfect.delta, perfect.norm(sizes)) == 1).all()


# A tree edit distance without renaming, on sorted function trees.


def sorted_tree(tree, length):
    """The function tree in which each label set is a chain in alphabetic order: (label, daughters) over the words."""
    chains = sorted(tree.items(), key=lambda item: (-len(item[0]), min(item[0])))

    def forest(words, rest):
        daughters, todo = [], sorted(words)
        while todo:
            first = todo[0]
            chosen = next(((place, item) for place, item in enumerate(rest) if first in item[0]), None)
            if chosen is None:
                daughters.append((f"word {first}", ()))
                todo = todo[1:]
                continue
            place, (own, labels) = chosen
            inner = forest(own, rest[place + 1 :])
            for label in sorted(labels, reverse=True):
                inner = ((label, inner),)
            daughters.extend(inner)
            todo = [word for word in todo if word not in own]
        return tuple(daughters)

    return forest(frozenset(range(length)), chains)


def cost(label):
    """Words are no nodes: they stay."""
    return 1000 if label.startswith("word") else 1


@cache
def weight(forest):
    return sum(cost(label) + weight(daughters) for label, daughters in forest)


@cache
def distance(one, other):
    """The fewest deletions and insertions of nodes that turn one ordered forest into another (Zhang and Shasha)."""
    if not one or not other:
        return weight(one) + weight(other)
    (label, daughters), (other_label, other_daughters) = one[-1], other[-1]
    ways = [
        distance(one[:-1] + daughters, other) + cost(label),
        distance(one, other[:-1] + other_daughters) + cost(other_label),
    ]
    if label == other_label:
        ways.append(distance(one[:-1], other[:-1]) + distance(daughters, other_daughters))
    return min(ways)


@given(several(2, continuous=True, longest=5))
def test_the_set_difference_is_the_tree_edit_distance(drawn):
    lengths, trees = drawn
    a, b = (from_models(tree, lengths) for tree in trees)
    found = edits(a, b, b, labelled=True, empty_counts=False).delta
    for sentence, (one, other) in enumerate(zip(*trees, strict=True)):
        forests = [sorted_tree(tree, lengths[sentence]) for tree in (one, other)]
        assert found[sentence] == distance(*forests)


@given(LENGTHS.flatmap(dependencies))
def test_lifting_makes_trees_projective(sentences):
    starts, given_heads, relations, labels = arcs(*sentences)
    before = from_dependencies(starts, given_heads, relations, labels)
    lifted = projectivise(starts, given_heads)
    after = from_dependencies(starts, lifted, relations, labels)
    assert not after.with_gaps.any()
    changed = np.zeros(len(sentences), dtype=bool)
    changed[np.repeat(np.arange(len(sentences)), np.diff(starts))[lifted != given_heads]] = True
    assert (changed == before.with_gaps).all()


@given(several(1), st.data())
def test_trees_over_parts_of_words_are_sets_of_these_parts(drawn, data):
    lengths, (trees,) = drawn
    parts, begins, ends, expected = [], [], [], []
    for length, tree in zip(lengths, trees, strict=True):
        # The words of a multiword token share its parts, which begin behind those of the token before.
        sizes = data.draw(st.lists(st.integers(1, 3), min_size=length, max_size=length))
        shared = [False, *data.draw(st.lists(st.booleans(), min_size=length - 1, max_size=length - 1))]
        of_word = []
        for size, same in zip(sizes, shared, strict=True):
            last = of_word[-1][1] if of_word else 0
            of_word.append(of_word[-1] if same else (last, last + size))
        parts.append(of_word[-1][1])
        begins += [begin for begin, _ in of_word]
        ends += [end for _, end in of_word]
        merged = {}
        for words, labels in tree.items():
            found = frozenset(part for word in words for part in range(*of_word[word]))
            merged[found] = merged.get(found, frozenset()) | labels
        expected.append(merged)
    found = map_to_parts(from_models(trees, lengths), np.array(parts), np.array(begins), np.array(ends))
    assert to_models(found) == expected
