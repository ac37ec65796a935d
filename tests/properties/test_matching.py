"""The matchings against slow, literal readings of their definitions, on nested, crossing and broken spans."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from assay.engine.matching import EXACT, FAIR, SEMEVAL, best_pairs, find_wrong_sides, max_weight_matching
from assay.engine.matching import match_exact as exact
from assay.engine.matching import match_fair as fair
from assay.engine.matching import match_semeval as semeval
from spanlists import kinds_of, rows, span_lists

BOTH = [(fair, FAIR), (semeval, SEMEVAL)]
HARD = settings(max_examples=10 * settings().max_examples)
LABELS = st.sampled_from("ABC")
PLAIN = st.tuples(st.integers(1, 12), st.integers(1, 7)).map(lambda both: tuple(range(both[0], sum(both))))
BROKEN = st.sets(st.integers(1, 12), min_size=1, max_size=6).map(lambda atoms: tuple(sorted(atoms)))


def lists_of(atoms, largest):
    """Lists with duplicates, in any order."""
    spans = st.lists(st.tuples(LABELS, atoms), max_size=largest)
    copies = st.lists(st.integers(0, largest), max_size=2)
    return st.builds(lambda made, again: made + [made[index % len(made)] for index in again if made], spans, copies)


ANY = lists_of(PLAIN, 9) | lists_of(PLAIN | BROKEN, 9)
FEW = lists_of(PLAIN, 3) | lists_of(PLAIN | BROKEN, 3)


class Item:
    """A span of the literal algorithm."""

    def __init__(self, index, span):
        self.index, (self.label, self.atoms) = index, span
        self.full, self.left = frozenset(self.atoms), set(self.atoms)


def fair_by_the_book(target, system):
    """Section 3 of the rules, step by step, with sets of atoms."""
    targets, systems = ([Item(*each) for each in enumerate(side)] for side in (target, system))
    found = []
    for kind, fits in (
        ("tp", lambda t, s: t.label == s.label and t.full == s.full),
        ("le", lambda t, s: t.label != s.label and t.full == s.full),
    ):
        for t in list(targets):
            s = next((s for s in systems if fits(t, s)), None)
            if s:
                found.append((t.index, s.index, kind, True, True))
                targets.remove(t)
                systems.remove(s)
    targets.sort(key=lambda item: len(item.full))
    systems.sort(key=lambda item: len(item.full))
    used_targets, used_systems = [], []
    for same_label in (True, False):
        for t in list(targets):
            s = most_similar(t, systems, same_label)
            if s:
                found.append((t.index, s.index, error(t, s), True, True))
                targets.remove(t)
                systems.remove(s)
                used_targets.append(t)
                used_systems.append(s)
        for t in list(targets):
            s = most_similar(t, used_systems, same_label)
            if s:
                found.append((t.index, s.index, error(t, s), True, False))
                targets.remove(t)
                used_targets.append(t)
        for s in list(systems):
            t = most_similar(s, used_targets, same_label)
            if t:
                found.append((t.index, s.index, error(t, s), False, True))
                systems.remove(s)
                used_systems.append(s)
    found += [(t.index, None, "fn", True, False) for t in targets]
    found += [(None, s.index, "fp", False, True) for s in systems]
    return sorted(found, key=lambda row: (not row[3], row[0] if row[3] else row[1]))


def most_similar(query, others, same_label):
    """The best candidate, from which the shared atoms are then taken, as they are from the query."""
    candidates = [
        other
        for other in others
        if (other.label == query.label) == same_label and other.full != query.full and query.left & other.left
    ]
    if not candidates:
        return None
    best = min(
        candidates, key=lambda c: (-len(query.left & c.left), len(c.left - query.left), len(c.full), others.index(c))
    )
    shared = query.left & best.left
    query.left -= shared
    best.left -= shared
    return best


def error(target, system):
    if target.label != system.label:
        return "lbe"
    if system.full < target.full:
        return "bes"
    return "bel" if system.full > target.full else "beo"


def semeval_by_trying_all(target, system, least):
    """Section 6.2: all one-to-one matchings, the best by five sums, then by the list of pairs."""
    best = None
    for size in range(min(len(target), len(system)) + 1):
        for ours in combinations(range(len(target)), size):
            for theirs in permutations(range(len(system)), size):
                pairs = list(zip(ours, theirs, strict=True))
                rank = value(target, system, pairs, least)
                if rank is not None and (best is None or rank < best):
                    best = rank
    return best[-1]


def value(target, system, pairs, least):
    sums = [0, 0, 0, 0, 0]
    for ours, theirs in pairs:
        label, atoms = target[ours]
        other_label, other_atoms = system[theirs]
        shared = len(set(atoms) & set(other_atoms))
        if not shared or shared / len(atoms) < least:
            return None
        found = (label == other_label and atoms == other_atoms, atoms == other_atoms, label == other_label, 1, shared)
        sums = [total - part for total, part in zip(sums, found, strict=True)]
    return (*sums, pairs)


@HARD
@given(ANY, ANY, st.sampled_from([0.0, 0.4]))
def test_the_solver_of_long_chains_finds_the_same_sums(target, system, least):
    lists = span_lists(target, system)
    expected = rows(semeval(*lists, least=least), SEMEVAL)
    with mock.patch("assay.engine.matching.FEW", 0):
        found = rows(semeval(*lists, least=least), SEMEVAL)
    assert kinds_of(found) == kinds_of(expected)
    assert shared_atoms(found, target, system) == shared_atoms(expected, target, system)


def shared_atoms(found, target, system):
    return sum(
        len({*target[ours][1]} & {*system[theirs][1]})
        for ours, theirs, *_ in found
        if ours is not None and theirs is not None
    )


def in_readers_order(spans):
    return sorted(spans, key=lambda each: (each[1][0], each[1][-1], *each))


@HARD
@given(ANY, ANY)
def test_exact_is_membership(target, system):
    found = rows(exact(*span_lists(target, system)), EXACT)
    assert [(ours, kind) for ours, _, kind, new, _ in found if new] == [
        (index, "tp" if each in system else "fn") for index, each in enumerate(target)
    ]
    assert [theirs for _, theirs, kind, *_ in found if kind == "fp"] == [
        index for index, each in enumerate(system) if each not in target
    ]
    assert all(target[ours] == system[theirs] for ours, theirs, kind, *_ in found if kind == "tp")
    new = [theirs for _, theirs, _, _, new in found if new]
    assert len(new) == len(set(new))


@HARD
@given(ANY, ANY)
def test_fair_is_the_algorithm_read_literally(target, system):
    assert rows(fair(*span_lists(target, system)), FAIR) == fair_by_the_book(target, system)


@HARD
@given(ANY, ANY)
def test_each_span_is_new_once_and_totals_keep_their_bounds(target, system):
    found = rows(fair(*span_lists(target, system)), FAIR)
    assert [ours for ours, _, _, new, _ in found if new] == list(range(len(target)))
    assert sorted(theirs for _, theirs, _, _, new in found if new) == list(range(len(system)))
    assert max(len(target), len(system)) <= len(found) <= len(target) + len(system)


@given(ANY, ANY, st.randoms(use_true_random=False))
def test_lists_as_readers_sort_them_give_the_same_counts_from_any_order(target, system, random):
    shuffled = [random.sample(side, len(side)) for side in (target, system)]
    results = [
        [rows(matching(*span_lists(*map(in_readers_order, sides))), kinds) for matching, kinds in BOTH]
        for sides in ((target, system), shuffled)
    ]
    assert results[0] == results[1]


@given(ANY, ANY, st.integers(20, 40))
def test_units_do_not_touch_each_other(target, system, offset):
    moved = [[(label, tuple(atom + offset for atom in atoms)) for label, atoms in side] for side in (target, system)]
    for matching, kinds in BOTH:
        once = Counter(kinds_of(rows(matching(*span_lists(target, system)), kinds)))
        twice = kinds_of(rows(matching(*span_lists(target + moved[0], moved[1] + system)), kinds))
        assert twice == dict(once + once)


@HARD
@given(FEW, FEW, st.sampled_from([0.0, 0.0, 0.5, 1.0]))
def test_semeval_is_the_best_of_all_matchings(target, system, least):
    found = rows(semeval(*span_lists(target, system), least=least), SEMEVAL)
    pairs = [(ours, theirs) for ours, theirs, *_ in found if None not in (ours, theirs)]
    assert pairs == semeval_by_trying_all(target, system, least)


WEIGHTS = st.lists(st.dictionaries(st.integers(0, 8), st.integers(1, 9)), max_size=9)


@HARD
@given(WEIGHTS)
def test_the_heaviest_choice_weighs_what_a_dense_solver_finds(weights):
    chosen = [(row, column) for row, column in enumerate(max_weight_matching(weights)) if column is not None]
    assert len({column for _, column in chosen}) == len(chosen)
    table = np.array([[columns.get(column, 0) for column in range(9)] for columns in weights]).reshape(-1, 9)
    assert sum(weights[row][column] for row, column in chosen) == table[linear_sum_assignment(-table)].sum()


@given(ANY, ANY, st.randoms(use_true_random=False))
def test_semeval_counts_do_not_depend_on_the_order_of_the_lists(target, system, random):
    shuffled = [random.sample(side, len(side)) for side in (target, system)]
    assert kinds_of(rows(semeval(*span_lists(target, system)), SEMEVAL)) == kinds_of(
        rows(semeval(*span_lists(*shuffled)), SEMEVAL)
    )


@given(ANY, ANY)
def test_semeval_uses_every_span_once_and_names_what_a_pair_has_in_common(target, system):
    found = rows(semeval(*span_lists(target, system)), SEMEVAL)
    assert [ours for ours, *_ in found if ours is not None] == list(range(len(target)))
    assert sorted(theirs for _, theirs, *_ in found if theirs is not None) == list(range(len(system)))
    for ours, theirs, kind, *_ in found:
        if None not in (ours, theirs):
            same = [one == other for one, other in zip(target[ours], system[theirs], strict=True)]
            assert kind == {(1, 1): "same", (0, 1): "same-span", (1, 0): "same-label", (0, 0): "overlap"}[tuple(same)]


@given(ANY, ANY)
def test_boundaries_tell_the_wrong_side_of_pairs_with_different_atoms(target, system):
    lists = span_lists(target, system)
    for matching, kinds in BOTH:
        records = matching(*lists)
        for (ours, theirs, *_), side in zip(
            rows(records, kinds), find_wrong_sides(*lists, records).tolist(), strict=True
        ):
            if None in (ours, theirs) or target[ours][1] == system[theirs][1]:
                assert side == -1
            else:
                left, right = (target[ours][1][end] != system[theirs][1][end] for end in (0, -1))
                assert side == {(1, 0): 0, (0, 1): 1, (1, 1): 2, (0, 0): 3}[left, right]


CELLS = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 4), min_size=1, max_size=9)


def every_choice(cells):
    """All one-to-one choices of cells, as masks."""
    for number in range(len(cells) + 1):
        for chosen in combinations(range(len(cells)), number):
            if all(len({cells[place][end] for place in chosen}) == number for end in (0, 1)):
                yield [place in chosen for place in range(len(cells))]


@HARD
@given(CELLS, st.booleans(), st.randoms(use_true_random=False))
def test_the_best_pairs_are_the_heaviest_then_the_first(weights, most, random) -> None:
    cells = list(weights)
    order = list(range(len(cells)))
    random.shuffle(order)
    ours, theirs = np.array(cells, dtype=np.int64).T
    weight = np.array([weights[cell] for cell in cells], dtype=np.int64)

    def worth(mask):
        sums = sum(int(weight[place]) for place, there in enumerate(mask) if there)
        return (sum(mask) if most else 0), sums, [mask[place] for place in order]

    best = max(every_choice(cells), key=worth)
    found = best_pairs(ours, theirs, weight, most=most, order=np.array(order))
    assert sorted(found.tolist()) == [place for place, there in enumerate(best) if there]
    with mock.patch("assay.engine.matching._EXACT", 0):
        # With a solver ties are left open, and nothing else.
        solved = set(best_pairs(ours, theirs, weight, most=most, order=np.array(order)).tolist())
    assert worth([place in solved for place in range(len(cells))])[:2] == worth(best)[:2]
