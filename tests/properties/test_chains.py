"""The chain metrics and ARCS against slow, literal readings of their definitions, on small random chains."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from assay.engine.items import ONE
from assay.engine.matching import best_pairs, max_weight_matching_sparse
from assay.tasks.coreference.chains import CLASSES, ChainTable, best_alignment
from assay.tasks.coreference.measures import METRICS
from chainlists import arcs, class_counts, four, mentions, scores, span_at, table_of, without_singletons

THOROUGH = settings(max_examples=5 * settings().max_examples)
SPANS = [(first, last) for first in range(4) for last in range(first, min(first + 2, 4))]
"""Spans of one or two words, nested and crossing."""
ABSENT = -1


@st.composite
def partitions(draw):
    """Some of the spans, in chains."""
    chosen = draw(st.lists(st.integers(ABSENT, 3), min_size=len(SPANS), max_size=len(SPANS)))
    chains = {}
    for span, chain in zip(SPANS, chosen, strict=True):
        if chain != ABSENT:
            chains.setdefault(chain, []).append(span)
    return list(chains.values())


SIDES = partitions() | st.just([])
CORPORA = st.lists(st.tuples(SIDES, SIDES), min_size=1, max_size=3)


def both_sides(corpus):
    return [key for key, _ in corpus], [response for _, response in corpus]


# --- the definitions, literally ---


def links_by_parts(key, response):
    """MUC after Vilain et al.: of each chain its size less the parts that the other side cuts it into."""
    held = 0
    for chain in key:
        parts = [set(chain) & set(other) for other in response]
        absent = set(chain) - {mention for other in response for mention in other}
        held += len(chain) - sum(map(bool, parts)) - len(absent)
    return held, sum(len(chain) - 1 for chain in key)


def share_per_mention(key, response):
    """B³: of each mention's chain the share that its chain on the other side has."""
    total = Fraction(0)
    for chain in key:
        for mention in chain:
            other = next((set(other) for other in response if mention in other), set())
            total += Fraction(len(set(chain) & other), len(chain))
    return total, sum(map(len, key))


def resolved_links(key, response):
    """LEA: the size of each chain times the share of its links that are resolved; a singleton links to itself."""
    total = Fraction(0)
    for chain in key:
        if len(chain) == 1:
            total += chain in [list(other) for other in response]
        else:
            links = set(combinations(sorted(chain), 2))
            theirs = {link for other in response for link in combinations(sorted(other), 2)}
            total += len(chain) * Fraction(len(links & theirs), len(links))
    return total, sum(map(len, key))


def best_by_trying(key, response, similarity):
    """CEAF: the best of all ways to give each chain of the shorter side one of the longer."""
    few, many = sorted((key, response), key=len)
    ways = permutations(many, len(few))
    return max(sum((similarity(a, b) for a, b in zip(few, way, strict=True)), Fraction(0)) for way in ways)


def shared(one, other):
    return Fraction(len(set(one) & set(other)))


def likeness(one, other):
    return 2 * shared(one, other) / (len(one) + len(other))


def links(chains):
    """All pairs of mentions, those in one chain and those in two."""
    of = {mention: number for number, chain in enumerate(chains) for mention in chain}
    pairs = set(combinations(sorted(of), 2))
    together = {(one, other) for one, other in pairs if of[one] == of[other]}
    return together, pairs - together


def count_literally(metric, key, response):
    """Recall numerator and denominator, precision numerator and denominator; BLANC: for both classes."""
    of_key, of_response = (sum(map(len, side)) for side in (key, response))
    if metric == "mentions":
        both = len({m for chain in key for m in chain} & {m for chain in response for m in chain})
        return [both, of_key, both, of_response]
    if metric == "ceaf-m":
        best = best_by_trying(key, response, shared)
        return [best, of_key, best, of_response]
    if metric == "ceaf-e":
        best = best_by_trying(key, response, likeness)
        return [best, len(key), best, len(response)]
    if metric == "blanc":
        classes = zip(links(key), links(response), strict=True)
        return [number for a, b in classes for number in (len(a & b), len(a), len(a & b), len(b))]
    one_way = {"muc": links_by_parts, "b-cubed": share_per_mention, "lea": resolved_links}[metric]
    return [*one_way(key, response), *one_way(response, key)]


COUNTED = [name for name in METRICS if name != "conll"]


@pytest.mark.parametrize("metric", COUNTED)
@THOROUGH
@given(corpus=CORPORA)
def test_each_document_counts_what_the_definition_says(metric, corpus) -> None:
    found = four(table_of(*both_sides(corpus)), metric)
    for row, (key, response) in zip(found, corpus, strict=True):
        expected = np.array([float(number) for number in count_literally(metric, key, response)])
        assert np.abs(row - expected).max() <= 0.5000001 / ONE, (row, expected)


def blanc_literally(counts):
    """Recall, precision and F with the special cases of the definition; 0/0 is 0."""
    c, in_key, _, in_response, n, not_in_key, _, not_in_response = counts
    classes = []
    for right, ours, theirs in ((c, in_key, in_response), (n, not_in_key, not_in_response)):
        r, p = right / ours if ours else 0, right / theirs if theirs else 0
        classes.append((r, p, 2 * r * p / (r + p) if r + p else 0))
    if not in_key and not not_in_key:
        return (0, 0, 0)
    if not in_key:
        return classes[1]
    return classes[0] if not not_in_key else tuple(np.mean(classes, axis=0))


@THOROUGH
@given(corpus=CORPORA)
def test_blanc_is_made_of_the_sums_over_documents(corpus) -> None:
    expected = blanc_literally(np.sum([count_literally("blanc", *both) for both in corpus], axis=0))
    found = scores(table_of(*both_sides(corpus)), "blanc")
    values = [np.nan_to_num(found[name]) for name in ("recall", "precision", "f1")]
    assert values == pytest.approx(list(expected))


@given(corpus=CORPORA)
def test_the_conll_score_is_the_mean_of_three_fs(corpus) -> None:
    t = table_of(*both_sides(corpus))
    parts = [scores(t, name)["f1"] for name in ("muc", "b-cubed", "ceaf-e")]
    assert scores(t, "conll")["value"] == pytest.approx(np.mean(parts), nan_ok=True)


# --- the alignment by itself ---


@settings(max_examples=10 * settings().max_examples)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 9)), max_size=14, unique_by=lambda c: c[:2]
    )
)
def test_the_alignment_is_the_best_of_all(cells) -> None:
    row, column, weight = np.array(cells, dtype=np.int64).reshape(-1, 3).T
    matrix = np.zeros((5, 5))
    matrix[row, column] = weight
    chosen = best_alignment(row, column, weight.astype(np.float64))
    assert len(set(row[chosen])) == len(set(column[chosen])) == len(chosen)
    assert weight[chosen].sum() == max(matrix[range(5), list(way)].sum() for way in permutations(range(5)))


@given(st.integers(0, 10**6))
def test_sparse_and_full_solvers_agree(seed) -> None:
    rng = np.random.default_rng(seed)
    cell = rng.permutation(12 * 9)[:40]
    row, column, shared_by = cell // 9, cell % 9, rng.integers(1, 6, 40)
    weight = 2 * shared_by / (np.bincount(row, shared_by)[row] + np.bincount(column, shared_by)[column])
    sparse = weight[max_weight_matching_sparse(row, column, weight, (12, 9))[row] == column].sum()
    matrix = np.zeros((12, 9))
    matrix[row, column] = weight
    assert sparse == pytest.approx(matrix[linear_sum_assignment(matrix, maximize=True)].sum(), abs=1e-12)


# --- what must not matter, and what must ---


@given(corpus=CORPORA, seed=st.integers(0, 10**6))
def test_names_of_chains_and_the_order_of_mentions_change_nothing(corpus, seed) -> None:
    rng = np.random.default_rng(seed)
    sides = [mentions(side) for side in both_sides(corpus)]
    others = [shuffled(side, rng) for side in sides]
    t, other = (ChainTable.of(*both, len(corpus)) for both in (sides, others))
    for name, metric in METRICS.items():
        assert metric.count(t).tolist() == metric.count(other).tolist(), name
    rows, other_rows = arcs(*sides), arcs(*others)
    for column in ("place", "document", "kind", "antecedent"):
        assert getattr(rows, column).tolist() == getattr(other_rows, column).tolist()


def shuffled(side, rng):
    """Mentions in another order, chains under other numbers, with gaps between them."""
    order = rng.permutation(len(side))
    names = 7 * rng.permutation(len(side) + 1)
    return replace(side, group=names[side.group]).where(order)


@given(corpus=CORPORA)
def test_exchanging_key_and_response_exchanges_recall_and_precision(corpus) -> None:
    key, response = both_sides(corpus)
    there, back = table_of(key, response), table_of(response, key)
    for name in COUNTED:
        if name != "blanc":  # the key alone decides about its special cases
            one, other = scores(there, name), scores(back, name)
            expected = [other["precision"], other["recall"], other["f1"]]
            assert [one["recall"], one["precision"], one["f1"]] == pytest.approx(expected, nan_ok=True), name
        assert four(there, name).tolist() == swapped(four(back, name)).tolist()


def swapped(counts):
    """Recall's two numbers where precision's were."""
    return np.concatenate([counts[:, [at + 2, at + 3, at, at + 1]] for at in range(0, counts.shape[1], 4)], axis=1)


@given(corpus=CORPORA)
def test_identical_sides_score_1_wherever_there_is_a_score(corpus) -> None:
    key, _ = both_sides(corpus)
    t = table_of(key, key)
    for name in METRICS:
        assert all(value == 1 or np.isnan(value) for value in scores(t, name).values()), name
    if any(key):
        assert all(scores(t, name)["f1"] == 1 for name in ("mentions", "b-cubed", "ceaf-m", "ceaf-e", "lea"))


@given(corpus=CORPORA)
def test_singletons_are_removed_and_nothing_else(corpus) -> None:
    key, response = both_sides(corpus)
    fewer = [[[chain for chain in chains if len(chain) > 1] for chains in side] for side in (key, response)]
    t = ChainTable.of(*(without_singletons(mentions(side)) for side in (key, response)), len(corpus))
    for name, metric in METRICS.items():
        assert metric.count(t).tolist() == metric.count(table_of(*fewer)).tolist(), name


# --- ARCS ---


@THOROUGH
@given(corpus=CORPORA)
def test_arcs_any_counts_what_muc_counts(corpus) -> None:
    key, response = both_sides(corpus)
    counts = class_counts(arcs(mentions(key), mentions(response)), len(corpus))
    tp, wl, fn, fp, _, out = counts.T
    expected = METRICS["muc"].count(table_of(key, response))
    assert np.stack([tp, tp + wl + fn, tp + wl + fp], axis=1).tolist() == expected.tolist()
    assert not out.any()


def judged_literally(mention, key, response, nominal):
    """The class of a mention and the antecedent that decides, by the definitions."""
    ours, theirs = (
        [each for chain in side if mention in chain for each in sorted(chain) if each < mention]
        for side in (key, response)
    )
    ours_eligible, theirs_eligible = ([each for each in side if nominal(each)] for side in (ours, theirs))
    closest = theirs_eligible[-1] if theirs_eligible else None
    if nominal is everything:
        both = [each for each in theirs if each in ours]
        closest, right = (both[-1], True) if both else (closest, False)
    else:
        right = closest in ours
    if ours and not ours_eligible:
        return "out", closest
    if ours_eligible:
        return ("fn" if closest is None else "tp" if right else "wl"), closest
    return ("tn" if closest is None else "fp"), closest


def everything(_):
    return True


def of_two_words(span):
    return span[0] < span[1]


@pytest.mark.parametrize("nominal", [everything, of_two_words])
@THOROUGH
@given(corpus=CORPORA)
def test_each_mention_has_the_class_that_the_definition_gives_it(nominal, corpus) -> None:
    key, response = (mentions(side) for side in both_sides(corpus))
    places = [side.arguments["span"].tolist() for side in (key, response)]
    masks = [np.array([nominal(span_at(place)) for place in side], dtype=bool) for side in places]
    masks = [] if nominal is everything else masks
    found = arcs(key, response, *masks)
    assert len(found.place) == sum(len({m for side in both for chain in side for m in chain}) for both in corpus)
    for row in range(len(found.place)):
        mention = span_at(int(found.place[row]))
        kind, antecedent = judged_literally(mention, *corpus[found.document[row]], nominal)
        assert CLASSES[found.kind[row]] == kind
        assert (None if found.antecedent[row] < 0 else span_at(int(found.antecedent[row]))) == antecedent
        for side, index in ((key, found.key[row]), (response, found.response[row])):
            places = side.arguments["span"]
            assert places[index] == found.place[row] if index >= 0 else found.place[row] not in places


# --- mentions with the same head ---


NESTED = [frozenset(range(first, end)) for first in range(3) for end in range(4, 7)]
"""Spans around one head, in the order of the text."""
OF_ONE_HEAD = st.lists(st.sampled_from(NESTED), unique=True, max_size=4).map(lambda spans: sorted(spans, key=ranked))


def ranked(span):
    return min(span), max(span)


def every_choice(key, response):
    """All ways to give mentions of the key a partner, the first in the order of the text first."""
    if not key:
        yield []
        return
    for place, other in enumerate(response):
        for rest in every_choice(key[1:], response[:place] + response[place + 1 :]):
            yield [(key[0], other), *rest]
    yield from every_choice(key[1:], response)


@THOROUGH
@given(st.lists(st.tuples(OF_ONE_HEAD, OF_ONE_HEAD), min_size=1, max_size=3))
def test_mentions_of_one_head_go_together_so_that_most_of_the_key_is_shared(groups) -> None:
    sides = [[(head, span) for head, pair in enumerate(groups) for span in pair[side]] for side in (0, 1)]
    near = [(a, b) for a, key in enumerate(sides[0]) for b, other in enumerate(sides[1]) if key[0] == other[0]]
    facts = [(a, b, len(sides[0][a][1] & sides[1][b][1]), len(sides[0][a][1])) for a, b in near]
    columns = np.array(facts, dtype=np.int64).reshape(-1, 4).T
    pairs = [near[row] for row in best_pairs(*columns[:3], whole=columns[3]).tolist()]
    found = sorted((sides[0][a], sides[1][b]) for a, b in pairs)
    expected = []
    for head, (key, response) in enumerate(groups):
        # max() keeps the first of several that are as good.
        best = max(every_choice(key, response), key=lambda way: sum(Fraction(len(a & b), len(a)) for a, b in way))
        expected += [((head, a), (head, b)) for a, b in best]
    assert found == sorted(expected)
