"""Matching of mentions and zeros against a slow, literal reading of its definition, and slices that add up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.align import Pair
from assay.corpus import Column, Corpus, Marks
from assay.engine.measure import find
from assay.formats.emptynodes import with_empty_nodes
from assay.tasks.coreference.mentions import TypeRule, match_mentions, mentions_of, overlap_mentions, pair_mentions
from assay.tasks.coreference.slices import SLICES, SPLIT

THOROUGH = settings(max_examples=3 * settings().max_examples, deadline=None)
ATOMS, SENTENCES = 9, (0, 4, 9)
NODES = (1, 3, 5, 6)
TAGS = ["NOUN", "ZERO", "PRON", "ZERO", "PROPN", "ZERO", "ZERO", "VERB", "DET"]
PARENTS = ["_", "1:nsubj", "1:obj", "2:nsubj", "1:nsubj|2:obj", "2:obj|1:nsubj", "0:root"]
MATCHES = ("exact", "partial", "head")
SHAPES = st.sets(st.integers(0, ATOMS - 1), min_size=1, max_size=4).map(lambda atoms: tuple(sorted(atoms)))


@st.composite
def sides(draw, shapes=SHAPES):
    """Mentions (atoms, head, chain, type), no atoms twice, and what each node depends on."""
    chosen = draw(st.lists(shapes, unique=True, max_size=5))
    rows = [
        (atoms, draw(st.sampled_from(atoms)), draw(st.integers(0, 2)), draw(st.sampled_from(["", "x", "y"])))
        for atoms in chosen
    ]
    return sorted(rows), {node: draw(st.sampled_from(PARENTS)) for node in NODES}


WORDS = st.sets(st.sampled_from([atom for atom in range(ATOMS) if atom not in NODES]), min_size=1, max_size=3)
WITHOUT_ZEROS = sides(WORDS.map(lambda atoms: tuple(sorted(atoms))))


def stretches(atoms):
    parts = []
    for atom in atoms:
        if parts and parts[-1][1] == atom:
            parts[-1][1] = atom + 1
        else:
            parts.append([atom, atom + 1])
    return tuple(map(tuple, parts))


def corpus(side):
    mentions, deps = side
    numbers = {chain: number for number, chain in enumerate(dict.fromkeys(chain for _, _, chain, _ in mentions))}
    columns = np.array(
        [(0, atoms[0], atoms[-1] + 1, numbers[chain], head) for atoms, head, chain, _ in mentions], dtype=np.int64
    ).reshape(-1, 5)
    document, begin, end, chain, heads = columns.T.copy()
    gaps = {number: shape for number, row in enumerate(mentions) if len(shape := stretches(row[0])) > 1}
    types = Column.of(["", *(kind for *_, kind in mentions)])
    types = Column(types.codes[1:], types.vocabulary)
    nodes = np.array(NODES)
    chains = Column(chain, tuple(map(str, numbers)))
    marks = Marks(document, begin, end, types, begin, gaps, {"chain": chains}, {"head": heads}, chain)
    given = Corpus(
        name="a.conllu",
        format="conllu",
        sha256="",
        forms=Column.of(map(str, range(ATOMS))),
        columns={"UPOS": Column.of(TAGS)},
        starts=np.array(SENTENCES),
        document_starts=np.array([0, 2]),
        document_ids=("a",),
        marks={"mentions": marks},
    )
    return with_empty_nodes(given, nodes, nodes * 0, nodes, [deps[node] for node in NODES])


def judged_pair(key, response):
    gold, system = corpus(key), corpus(response)
    words = np.arange(ATOMS)
    skipped = np.zeros(2, dtype=bool)
    pair = Pair(gold, system, "words", words, words, gold.sentence_of, words, skipped)
    return pair_mentions(pair, TypeRule(tags="UPOS"))


# --- the definition, literally ---


def alike(ours, theirs):
    return Fraction(2 * len(ours & theirs), len(ours) + len(theirs)) if ours & theirs else Fraction(0)


def weight_of_zeros(key, response, deps):
    if any(one[1] not in NODES for one in (key, response)) or (key[1] < 4) != (response[1] < 4):
        return Fraction(0)
    ours, theirs = (
        {tuple(pair.split(":")) for pair in of[row[1]].split("|") if ":" in pair}
        for row, of in zip((key, response), deps, strict=True)
    )
    return 10 * alike(ours, theirs) + alike({parent for parent, _ in ours}, {parent for parent, _ in theirs})


def weight_by_head(key, response):
    shared = set(key[0]) & set(response[0])
    return Fraction(len(shared), len(key[0])) if key[1] == response[1] else Fraction(0)


def weight_of_parts(key, response):
    inside = set(response[0]) <= set(key[0]) and key[1] in response[0]
    return Fraction(len(response[0]), len(key[0])) if inside else Fraction(0)


def best(key, response, weight):
    """The pairs with the greatest sum of weights, of several the first in the order of the text."""

    def ways(rows, others):
        if not rows:
            yield []
            return
        for place, other in enumerate(others):
            if weight(rows[0], other) > 0:
                for rest in ways(rows[1:], others[:place] + others[place + 1 :]):
                    yield [(rows[0], other), *rest]
        yield from ways(rows[1:], others)

    return max(ways(key, response), key=lambda way: sum(weight(*pair) for pair in way))


def literally(key, response, match, zeros):
    deps = key[1], response[1]
    left = [
        sorted(side[0], key=lambda row: (row[0][0], row[0][-1], len(row[0]), row[1], row[0]))
        for side in (key, response)
    ]
    found = []

    def step(weight):
        pairs = best(*left, weight)
        found.extend(pairs)
        for side, gone in zip(left, zip(*pairs, strict=True), strict=False):
            side[:] = [row for row in side if row not in gone]

    if zeros == "dependent":
        step(lambda a, b: weight_of_zeros(a, b, deps))
    step(lambda a, b: Fraction(a[0] == b[0] and (match != "head" or a[1] == b[1])))
    if match != "exact":
        step(weight_by_head if match == "head" else weight_of_parts)
    return {(a[0], b[0]) for a, b in found}


def matched(key, response, match, zeros="dependent", singletons=True):
    pair = judged_pair(key, response)
    gold, system = (
        [tuple(atom for part in side.atoms_of(number) for atom in range(*part)) for number in range(len(side))]
        for side in mentions_of(pair, singletons)
    )
    return [(gold[a], system[b]) for a, b in zip(*match_mentions(pair, match, singletons, zeros), strict=True)]


@THOROUGH
@given(sides(), sides(), st.sampled_from(MATCHES), st.sampled_from(["dependent", "linear"]))
def test_the_matching_is_the_one_that_is_defined(key, response, match, zeros) -> None:
    assert set(matched(key, response, match, zeros)) == literally(key, response, match, zeros)


@given(sides(), sides(), st.sampled_from(MATCHES), st.booleans())
def test_the_matching_is_one_to_one(key, response, match, singletons) -> None:
    pairs = matched(key, response, match, singletons=singletons)
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    assert len(matched(key, key, match)) == len(key[0])


@given(sides(), sides(), st.sampled_from(["dependent", "linear"]))
def test_every_exact_match_is_a_partial_one(key, response, zeros) -> None:
    assert set(matched(key, response, "exact", zeros)) <= set(matched(key, response, "partial", zeros))


@given(WITHOUT_ZEROS, WITHOUT_ZEROS, st.sampled_from(MATCHES))
def test_without_zeros_dependencies_say_nothing(key, response, match) -> None:
    assert matched(key, response, match, "dependent") == matched(key, response, match, "linear")


@given(sides(), sides(), st.sampled_from(MATCHES), st.permutations(range(3)))
def test_names_of_chains_say_nothing(key, response, match, names) -> None:
    renamed = [(atoms, head, names[chain], kind) for atoms, head, chain, kind in response[0]], response[1]
    assert matched(key, renamed, match) == matched(key, response, match)


@given(sides(), sides(), st.booleans())
def test_exchanging_the_sides_exchanges_precision_and_recall(key, response, singletons) -> None:
    """By exact spans and places; the other weights are of the key's words."""
    chosen = f"singletons={str(singletons).lower()}"
    for name in ("mentions", "muc", "b-cubed", "ceaf-m", "ceaf-e", "lea"):
        measure = find(f"{name}({chosen}, zeros=linear)")
        forth, back = (measure.judge(judged_pair(*both)).values[0] for both in ((key, response), (response, key)))
        if len(forth) == 3:
            assert forth[[0, 2, 1]].tolist() == back.tolist(), name
        else:
            assert forth[[2, 3, 0, 1]].tolist() == back.tolist(), name
    measure = find(f"mor({chosen})")
    forth, back = (measure.judge(judged_pair(*both)).values[0] for both in ((key, response), (response, key)))
    assert forth[[0, 2, 1]].tolist() == back.tolist()


@given(sides(), sides())
def test_the_overlap_of_mentions_is_the_greatest_there_is(key, response) -> None:
    pairs = best(key[0], response[0], lambda a, b: len(set(a[0]) & set(b[0])))
    shared = sum(len(set(a[0]) & set(b[0])) for a, b in pairs)
    sizes = [sum(len(row[0]) for row in side[0]) for side in (key, response)]
    assert overlap_mentions(judged_pair(key, response), True)[0].tolist() == [shared, *sizes]


@given(sides(), sides(), st.sampled_from(MATCHES), st.booleans(), st.sampled_from(SLICES))
def test_parts_of_slices_add_up_to_the_whole(key, response, match, singletons, kind) -> None:
    pair = judged_pair(key, response)
    for name in SPLIT[kind.name]:
        measure = find(f"{name}(match={match}, singletons={str(singletons).lower()})")
        whole = measure.judge(pair).values[0].astype(float)
        if len(whole) == 3:
            whole = whole[[0, 1, 0, 2]]
        assert kind.of_counts is not None
        parts = [counts.values[0][:4] for _, _, counts in kind.of_counts(pair, measure, "")]
        total = np.sum(parts, axis=0) if parts else np.zeros(4)
        # Fractions are rounded to units of 2⁻³² part by part.
        assert total == pytest.approx(whole, abs=8), name
    for measure in (find(f"arcs-any(match={match})"), find("zeros")):
        items = measure.judge(pair)
        assert kind.of_items is not None
        codes, names = kind.of_items(pair, items, "")
        assert len(codes) == len(items)
        assert not len(codes) or 0 <= codes.min() <= codes.max() < len(names)


@given(sides(), sides(), st.sampled_from(MATCHES))
def test_arcs_of_zeros_are_those_of_the_definition(key, response, match) -> None:
    """TP, WL, FN and FP of zeros, by the table of the specification."""
    pairs = dict(matched(key, response, match))
    back = {b: a for a, b in pairs.items()}
    chain = {row[0]: row[2] for row in response[0]}
    counts = {"tp": 0, "wl": 0, "fn": 0, "fp": 0}

    def earlier(side, mention):
        """The mentions before one in its chain; of those with the same ends as the file has them."""
        listed = sorted(side[0], key=lambda row: (row[0][0], row[0][-1]))
        place = [row[0] for row in listed].index(mention)
        return [row[0] for row in listed[:place] if row[2] == listed[place][2]]

    counted = set()
    for atoms, head, _, _ in key[0]:
        if head in NODES and earlier(key, atoms):
            partner = pairs.get(atoms)
            counted.add(atoms)
            if partner is None or not earlier(response, partner):
                counts["fn"] += 1
            elif any(chain[pairs[one]] == chain[partner] for one in earlier(key, atoms) if one in pairs):
                counts["tp"] += 1
            else:
                counts["wl"] += 1
    for atoms, head, _, _ in response[0]:
        if head in NODES and earlier(response, atoms) and back.get(atoms) not in counted:
            counts["fp"] += 1
    pair = judged_pair(key, response)
    items = find(f"zeros(match={match})").judge(pair)
    kinds = [items.kinds[kind] for kind in items.kind[0].tolist()]
    assert {name: kinds.count(name) for name in counts} == counts
