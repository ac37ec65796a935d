"""Cases of combinations, with exact fractions; folds are given."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.arrays import NONE, as_codes
from assay.engine.combination import (
    Ballots,
    Units,
    accept,
    best_tree,
    choose,
    collect_choices,
    collect_sets,
    find_chances,
    find_folds,
    reach,
)
from assay.engine.items import Items, join

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/combination/cases.jsonl").read_text(encoding="utf-8").splitlines()
]


def cases_of(*kinds: str) -> Any:
    return pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["kind"] in kinds])


def ballots_of_choice(case: Any, order: Any) -> tuple[Ballots, np.ndarray[Any, Any]]:
    """The ballots of a case with the systems in another order, and the row of each item."""
    items, tables = case["items"], []
    numbers = np.arange(len(items))
    for system in order:
        codes: dict[str, int] = {}
        gold = as_codes((right[-1] for _, right, _ in items), codes)
        answers = [given[system] for *_, given in items]
        labels = as_codes((answer[-1] for answer in answers), codes)
        right = np.array([answer == own for answer, (_, own, _) in zip(answers, items, strict=True)])
        more: dict[str, Any] = {}
        if len(answers[0]) > 1:
            heads = np.array([answer[0] for answer in answers], dtype=np.int64)
            more = {"target": heads, "same": ("answer", "target", "right")}
        table = Items.of(tuple(codes), numbers, numbers, gold, labels, right, **more)
        tables.append((case["systems"][system], table))
    joined = join(tables)
    folded, group = joined.fold_groups()
    folds = np.array([fold for fold, *_ in items])
    ballots, trace = collect_choices(joined, folded, group, Units(numbers, folds, False, None))
    return ballots, trace.rows


@cases_of("choice")
def test_choices(case: Any) -> None:
    expected, systems = case["expected"], case["systems"]
    for order in permutations(range(len(systems))):
        ballots, rows = ballots_of_choice(case, order)
        chances, vote, learnt = choose(ballots)
        items = [given for *_, given in case["items"]]
        for name, chosen in (("vote", vote), ("learnt", learnt)):
            answers = [given[order[chosen[row]]] for given, row in zip(items, rows, strict=True)]
            assert answers == expected[f"{name}_answers"]
        for given, row, fractions in zip(items, rows, expected["chances"], strict=True):
            for place, system in enumerate(order):
                chance = float(Fraction(fractions["/".join(map(str, given[system]))]))
                assert chances.chance[chances.answers.of[place, row]] == pytest.approx(chance, abs=1e-12)
        reached = reach(ballots)
        best, voted, _, bound = reached.scores[None]
        total = expected["items"]
        assert best * total == pytest.approx(max(expected["right"].values()))
        assert voted * total == pytest.approx(expected["vote"])
        assert bound * total == pytest.approx(expected["bound"])


def ballots_of_sets(case: Any, order: Any) -> tuple[Ballots, Any]:
    tables, sentences = [], case["sentences"]
    for system in order:
        codes: dict[str, int] = {}
        rows = []
        for number, (_, gold, given) in enumerate(sentences):
            marks = [tuple(mark) for mark in gold]
            own = [tuple(mark) for mark in given[system]]
            rows += [(number, mark, True, mark in own) for mark in marks]
            rows += [(number, mark, False, True) for mark in own if mark not in marks]
        label = as_codes((mark[2] for _, mark, *_ in rows), codes)
        in_gold, in_system = (np.array([row[at] for row in rows], dtype=bool) for at in (2, 3))
        begin, end = (np.array([mark[at] for _, mark, *_ in rows], dtype=np.int64) for at in (0, 1))
        places = (begin, end + 1, begin * 0) if case["kind"] == "sets" else (begin, end)
        key = np.stack([*places, label])
        number = np.array([row[0] for row in rows], dtype=np.int64)
        kind, numbers = np.where(in_gold, np.where(in_system, 0, 2), 1), np.arange(len(rows))
        sides = np.where(in_gold, label, NONE), np.where(in_system, label, NONE), in_gold & in_system
        more = {"key": np.where(in_system, key, NONE), "kinds": ("tp", "fp", "fn"), "kind": kind, "partner": numbers}
        tables.append((case["systems"][system], Items.of(tuple(codes), number, numbers, *sides, **more)))
    folds = np.array([fold for fold, *_ in sentences])
    way = "flat" if case["kind"] == "sets" else "sets"
    units = Units(np.arange(len(sentences)), folds, False, None)
    ballots, trace = collect_sets(tables, way, case["expected"].get("nested", True), units)
    return ballots, (trace.rows, tables)


@cases_of("sets", "sets-free")
def test_sets(case: Any) -> None:
    expected, systems = case["expected"], case["systems"]
    for order in permutations(range(len(systems))):
        ballots, (source, tables) = ballots_of_sets(case, order)
        chances = find_chances(ballots)
        for fold, threshold in expected["thresholds"].items():
            assert chances.thresholds[int(fold)] == pytest.approx(float(Fraction(threshold)), abs=1e-12)
        for name, taken in zip(("vote", "learnt"), accept(ballots, chances), strict=True):
            found: list[list[Any]] = [[] for _ in case["sentences"]]
            for at in np.flatnonzero(taken).tolist():
                system = int(np.flatnonzero(source[:, at] != NONE)[0])
                table, row = tables[system][1], source[system, at]
                shift = 1 if case["kind"] == "sets" else 0
                first, last = int(table.key[0, row]), int(table.key[1, row]) - shift
                found[table.sentence[row]].append([first, last, table.labels[table.key[-1, row]]])
            assert [sorted(own) for own in found] == [sorted(own) for own in expected[name]]
        reached = reach(ballots)
        best, vote, _, bound = reached.scores[None]
        assert best == pytest.approx(max(float(Fraction(value)) for value in expected["single"].values()))
        assert (vote, bound) == pytest.approx([float(Fraction(expected["f1"][name])) for name in ("vote", "bound")])


@cases_of("tree")
def test_trees(case: Any) -> None:
    arcs = [(head, word, math.log(Fraction(p))) for head, word, p in case["arcs"]]
    assert best_tree(case["words"], arcs) == case["expected"]["heads"]


@cases_of("fold")
def test_folds(case: Any) -> None:
    assert find_folds(text for text, _ in case["expected"]).tolist() == [fold for _, fold in case["expected"]]


def is_tree(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        above = word
        for _ in heads:
            above = heads[above - 1] if above else 0
        if above:
            return False
    return heads.count(0) == 1


def test_trees_against_all_trees() -> None:
    rng = np.random.default_rng(3)
    for _ in range(150):
        words = int(rng.integers(1, 6))
        arcs = {}
        for word in range(1, words + 1):
            for head in rng.choice(words + 1, size=min(words, 3), replace=False).tolist():
                if head != word:
                    arcs[head, word] = int(rng.integers(1, 4)) / 4
        trees = []
        for heads in product(range(words + 1), repeat=words):
            given = [arcs.get((head, word)) for word, head in enumerate(heads, 1)]
            if is_tree(heads) and None not in given:
                trees.append((-sum(math.log(p) for p in given if p), heads))
        found = best_tree(words, [(head, word, math.log(p)) for (head, word), p in arcs.items()])
        if not trees:
            assert found is None
            continue
        least = min(trees)[0]
        assert found == list(min(heads for value, heads in trees if value < least + 1e-9))
