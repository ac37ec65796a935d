"""Scores that are no functions of sums: what may not change them, their parts, runs, and directions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cases import each
from tests.itemtables import item_cases, items, value

import assay
from assay.arrays import Floats
from assay.engine.counts import hash_blocks
from assay.engine.measure import Measure, find
from assay.engine.scores import Settings
from assay.engine.values import JointValues, Values, ValueScores
from assay.errors import InputError, UsageError
from assay.result.gates import Gates
from assay.stats.values import (
    Auc,
    AveragePrecision,
    ColumnMean,
    Determination,
    Kendall,
    Pearson,
    RootMean,
    Spearman,
    ValueScore,
)

CORRELATIONS = ("pearson", "spearman", "kendall")
SCORES = (Pearson(), Spearman(), Kendall(), Determination())


def draw(number: int, *spreads: float, seed: int = 1) -> list[Floats]:
    """Gold and systems with errors of these sizes, with one decimal, so that there are ties."""
    rng = np.random.default_rng(seed)
    gold = np.round(rng.normal(3, 1, number), 1)
    return [gold, *(np.round(gold + spread * rng.normal(size=number), 1) for spread in spreads)]


def texts(values: Floats) -> list[str]:
    return [repr(float(number)) for number in values]


def compare(gold: Floats, *systems: Floats, names: Any = CORRELATIONS, order: Any = None, **more: Any) -> Any:
    """Two systems on items with ids, in an order."""
    order = range(len(gold)) if order is None else order
    ids = [f"i{place}" for place in order]
    key, *tables = [items(texts(own[[*order]]), ids=ids) for own in (gold, *systems)]
    return assay.compare(key, dict(zip("ab", tables, strict=True)), list(names), times=200, **more)


def figures(result: Any) -> list[Any]:
    scores = [(row.system, row.measure, row.value, row.low, row.high, row.variance) for row in result.scores]
    return [
        scores,
        [
            (row.measure, row.difference, row.low, row.high, row.p)
            for row in result.comparisons
            if row.test == "shuffling"
        ],
    ]


def measured(score: Any, values: list[Values], names: list[str], seed: int = 0, **more: Any) -> ValueScores:
    """The scores of systems, a unit for each row."""
    measure = Measure("made", lambda pair: None, {"value": score}, "value", ("value",), "items")
    number = len({*values[0].unit.tolist()})
    joint = JointValues.of(
        list(zip(names, values, strict=True)), np.arange(number), number, lambda: hash_blocks(map(str, range(number)))
    )
    return ValueScores(measure, None, replace(joint, **more), Settings(seed, 500, "score", None))


def test_influence_is_the_change_by_a_weight() -> None:
    gold, system = draw(40, 0.8)
    right, step = (gold > 3).astype(float), 1e-4
    cases = [(score, {"gold": gold, "system": system}) for score in SCORES]
    cases += [
        (ColumnMean("error"), {"error": np.abs(gold - system)}),
        (RootMean("error"), {"error": (gold - system) ** 2}),
    ]
    cases += [(score, {"score": system, "right": right}) for score in (Auc(), AveragePrecision())]
    for score, columns in cases:
        bound = score.bind(score.prepare(columns))
        up, down = (bound(1 + sign * step * np.eye(40)) for sign in (1, -1))
        tolerance = 1e-2 if isinstance(score, Kendall) else 1e-6
        assert score.influence(columns) == pytest.approx((up - down) / (2 * step), abs=tolerance), score
        assert score.influence(columns).sum() == pytest.approx(0, abs=1e-12)


def test_weights_stand_for_repeated_rows() -> None:
    """A resample by weights has the score of the rows themselves."""
    gold, system = draw(30, 0.8)
    weights = np.random.default_rng(2).multinomial(30, np.full(30, 1 / 30))
    columns, right = {"gold": gold, "system": system}, (gold > 3).astype(float)
    cases = [(score, columns) for score in SCORES]
    cases += [(score, {"score": system, "right": right}) for score in (Auc(), AveragePrecision())]
    for score, own in cases:
        repeated = {name: np.repeat(values, weights) for name, values in own.items()}
        (weighted,) = score.bind(score.prepare(own))(weights[:, None].astype(float))
        assert weighted == pytest.approx(float(score(repeated)), abs=1e-12)


@each("score", [Spearman(), Kendall(), Determination()])
def test_exchanged_scores_are_those_of_the_exchanged_answers(score: ValueScore) -> None:
    """What a test computes at once for both systems is the score of each system's answers."""
    gold, first, second = draw(40, 0.6, 1.2)
    moved = np.random.default_rng(5).integers(0, 2, (40, 50)).astype(float)
    sides = [score.prepare({"gold": gold, "system": own}) for own in (first, second)]
    here, there = sides[0]["system"][:, None], sides[1]["system"][:, None]
    expected = [
        [float(score({"gold": gold, "system": own})) for own in np.where(moved == kept, here, there).T]
        for kept in (0, 1)
    ]
    assert np.array(score.bind_both(*sides)(moved)) == pytest.approx(np.array(expected), abs=1e-12)


def test_further_systems_change_no_digit_of_a_correlation() -> None:
    gold, a, b, *others = draw(40, 0.5, 0.9, *[1.0] * 20)
    tables = {f"s{place}": items(texts(own)) for place, own in enumerate((a, b, *others))}
    every = assay.compare(items(texts(gold)), tables, ["spearman"], times=60)
    two = assay.compare(items(texts(gold)), dict([*tables.items()][:2]), ["spearman"], times=60)
    (row,) = [row for row in every.comparisons if (row.a, row.b) == ("s0", "s1")]
    (same,) = two.comparisons
    keys = ("difference", "low", "high", "p", "p_low", "p_high", "method", "variance")
    assert [getattr(row, key) for key in keys] == [getattr(same, key) for key in keys]


def test_many_items_have_the_kendall_of_few() -> None:
    """Counting concordant rows gives what signs of all pairs give."""
    gold, system = draw(300, 1.5)
    columns = {"gold": gold, "system": system}
    assert Kendall._concordances(columns)[0] == pytest.approx(float(Kendall()(columns)), abs=1e-12)


@each("name", CORRELATIONS)
def test_scales_change_nothing(name: str) -> None:
    """Pearson's of ax + b, the others' of increasing maps: the score and the p of a comparison stay."""
    gold, a, b = draw(14, 0.5, 1.0)
    change: Callable[[Floats], Floats] = (lambda values: 10 + 2 * values) if name == "pearson" else np.exp
    plain, other = (compare(gold, a, changed, names=[name]) for changed in (b, change(b)))
    for row, same in zip(plain.comparisons, other.comparisons, strict=True):
        assert (row.p, row.difference) == pytest.approx((same.p, same.difference), abs=1e-10)
        if name == "pearson":
            assert row.p_shuffling == pytest.approx(same.p_shuffling, abs=1e-12)


def test_increasing_maps_do_not_change_rankings() -> None:
    gold, system, other = draw(60, 1.0, 1.5)
    right = (gold > 3).astype(float)
    unit = np.arange(60)
    for score in (Auc(), AveragePrecision()):
        values = [Values(unit, {"score": own, "right": right}) for own in (system, other)]
        mapped = [Values(unit, {"score": np.exp(own), "right": right}) for own in (system, other)]
        assert float(score(values[0].columns)) == float(score(mapped[0].columns))
        p, same = (next(measured(score, own, ["a", "b"]).comparisons()).p for own in (values, mapped))
        assert p == same
    turned = {"score": 1 - system, "right": right}
    assert float(Auc()(turned)) == pytest.approx(1 - float(Auc()(values[0].columns | {"score": system})), abs=1e-12)


@each("number", [12, 60])
def test_the_order_of_systems_and_of_rows_changes_no_digit(number: int) -> None:
    gold, a, b = draw(number, 0.5, 0.9)
    names = (*CORRELATIONS, "mae", "rmse", "bias", "r2", "within")
    here, back = compare(gold, a, b, names=names), compare(gold, b, a, names=names)
    for row, other in zip(here.comparisons, back.comparisons, strict=True):
        if row.test == "shuffling":
            assert (row.difference, row.low, row.high) == (-other.difference, -other.high, -other.low)
            assert (row.variance, row.units) == (other.variance, other.units)
        assert row.p == other.p
    order = np.random.default_rng(4).permutation(number)
    assert figures(compare(gold, a, b, names=names, order=order.tolist())) == figures(here)


def test_shards_have_the_digits_of_one_file() -> None:
    gold, a, b = draw(40, 0.5, 0.9)
    right, labels = (gold > 3).astype(float), ("x", "y")
    for names in (None, tuple(f"s{number}" for number in range(8))):
        parts = []
        for rows in (slice(0, 40), slice(0, 15), slice(15, 40)):
            number = len(gold[rows])
            group = np.arange(number) if names is None else np.arange(40)[rows] % 8
            known = np.unique(group)
            values = [
                Values(
                    np.tile(np.arange(number), 2),
                    {"score": np.concatenate([own[rows], -own[rows]]),
                     "right": np.concatenate([right[rows], 1 - right[rows]])},
                    labels,
                    np.repeat([0, 1], number),
                )
                for own in (a, b)
            ]  # fmt: skip
            own_names = None if names is None else tuple(names[place] for place in known.tolist())
            unit = "sentence" if names is None else "meta:speaker"
            of_sentence = np.searchsorted(known, group)
            joint = JointValues.of(
                [("a", values[0]), ("b", values[1])], of_sentence, len(known), lambda known=known: known,
                alone=False, names=own_names, unit=unit,
            )  # fmt: skip
            parts.append(joint)
        whole, sum_of_parts = parts[0], parts[1] + parts[2]
        measure = Measure("made", lambda pair: None, {"value": Auc()}, "value", ("value",), "items")
        settings = Settings(0, 300, "score", None)
        one, two = (ValueScores(measure, None, joint, settings) for joint in (whole, sum_of_parts))
        assert one.tallies.units == two.tallies.units == (40 if names is None else 8)
        assert list(one.scores()) == list(two.scores())
        assert list(one.comparisons()) == list(two.comparisons())
        # A macro average over two labels that mirror each other is each of them.
        assert one.values("value") == pytest.approx(one.values("value", "x"), abs=1e-12)


def test_parts_add_up_to_the_file(tmp_path: Path) -> None:
    gold, a, b = draw(40, 0.5, 0.9)
    for folder, values in (("gold", gold), ("a", a), ("b", b)):
        for stem, rows in (("whole/x", slice(0, 40)), ("cut/x", slice(0, 15)), ("cut/y", slice(15, 40))):
            path = tmp_path / stem.partition("/")[0] / folder / f"{stem.partition('/')[2]}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [f"r{row},{values[row]}" for row in range(40)[rows]]
            path.write_text("\n".join(["id,label", *lines]) + "\n", encoding="utf-8")
    results = []
    for name in ("whole", "cut"):
        folder = tmp_path / name
        systems = {system: str(folder / system) for system in ("a", "b")}
        results.append(assay.compare(str(folder / "gold"), systems, [*CORRELATIONS, "mae"], times=100))
    assert figures(results[0]) == figures(results[1])


@each("case", item_cases("compare-confidence"), ids=lambda case: case["id"])
def test_brier_of_two_systems(case: dict[str, Any]) -> None:
    truth = np.array([label == case["positive"] for label in case["gold"]], dtype=float)
    number = len(truth)
    values = [Values(np.arange(number), {"error": (np.array(case[name], dtype=float) - truth) ** 2}) for name in "ab"]
    (row,) = measured(ColumnMean("error"), values, ["a", "b"]).comparisons()
    assert row.difference == pytest.approx(value(case["expected"]["difference brier"]), abs=1e-12)
    assert row.p == pytest.approx(value(case["expected"]["p brier"]), abs=1e-12)


def test_a_perfect_ranking_has_an_interval() -> None:
    right = np.repeat([0.0, 1.0], [50, 10])
    (row,) = measured(Auc(), [Values(np.arange(60), {"score": right, "right": right})], ["a"]).scores()
    assert (row.value, row.high, row.interval) == (1, 1, "score") and 0.6 < row.low < 0.9


def test_less_is_better() -> None:
    gold, a, b = draw(80, 0.4, 1.2)
    result = compare(gold, a, b, names=["mae"])
    assert result.verdict.startswith("a is ") and "better than b on MAE" in result.verdict
    assert all(row.lower for row in (*result.scores, *result.comparisons))
    assert Gates(ceilings=["mae@a=0.5"]).missed(result) == []
    assert [line.partition(" is ")[0] for line in Gates(ceilings=["mae=0.5"]).missed(result)] == ["mae of b"]
    with pytest.raises(UsageError, match="--fail-over mae="):
        Gates(["mae=0.5"]).missed(result)
    with pytest.raises(UsageError, match="--fail-under pearson="):
        Gates(ceilings=["pearson=0.5"]).missed(compare(gold, a, b, names=["pearson"]))
    worse = compare(gold, b, a, names=["mae"])
    assert Gates((), result, "old.json").missed(worse) and not Gates((), worse, "old.json", 2.0).missed(result)
    assert [line.partition(" is ")[0] for line in Gates((), result, "old.json").missed(worse)] == ["mae of a"]
    assert "neither higher nor lower is better" in compare(gold, a, b, names=["bias"]).verdict


def test_a_missing_number_is_an_error() -> None:
    gold, a, _ = draw(20, 0.4, 1.2)
    answers: list[str | None] = [*texts(a)]
    answers[3] = None
    with pytest.raises(InputError, match=r"no answer to 1 of 20 items \(4\), but mae needs a number for each"):
        assay.score(items(texts(gold)), {"a": items(answers, "a")}, ["mae"])
    result = assay.score(items(texts(gold)), {"a": items(answers, "a")}, ["mae"], on_mismatch="skip")
    assert result.scores[0].value == pytest.approx(float(np.abs(np.delete(a - gold, 3)).mean()), abs=1e-12)
    assert result.about.items == 19 and find("mae").scores["value"].lower
