"""Properties of items: what holds of any labels, sets, numbers and confidences, in any order."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Result
from assay.engine import run
from assay.engine.counts import BLOCKS

LABELS = ("no", "maybe", "yes")
MEASURES = ["accuracy", "label-f1", "mcc", "kappa"]
SEEDS = st.integers(0, 10_000)


def made(seed: int, number: int = 20) -> dict[str, list[str]]:
    """Labels of gold and of two systems, one of which has a label that gold lacks."""
    rng = random.Random(seed)
    gold = [*LABELS, *rng.choices(LABELS, k=number - len(LABELS))]
    sides = {"gold": gold}
    for name, share, labels in (("a", 0.7, LABELS), ("b", 0.6, (*LABELS, "other"))):
        sides[name] = [label if rng.random() < share else rng.choice(labels) for label in gold]
    return sides


def compared(gold: Any, systems: Any, measures: Any = MEASURES, **more: Any) -> Result:
    return assay.compare(gold, systems, measures=measures, times=100, power=None, **more)


def scores_of(result: Result, names: dict[str, str] | None = None) -> dict[Any, Any]:
    """Values and intervals by system, measure, score and label, which may have new names."""
    return {
        (row.system, row.measure, row.score, (names or {}).get(row.label or "", row.label)): repr(
            (row.value, row.low, row.high)
        )
        for row in result.scores
    }


def differences_of(result: Result) -> dict[Any, Any]:
    """Differences, intervals and p by measure, score and test, from a to b."""
    tests = {}
    for row in result.comparisons:
        sign = 1 if row.a < row.b else -1
        ends = sorted(sign * end for end in (row.low, row.high)) if not math.isnan(row.low) else []
        tests[row.measure, row.score, row.test] = (sign * row.difference, ends, row.p, row.units)
    return tests


@given(SEEDS)
def test_order_of_rows_and_systems_changes_nothing(seed: int) -> None:
    sides = made(seed)
    ids = [f"r{place}" for place in range(len(sides["gold"]))]
    tables = {name: dict(zip(ids, labels, strict=True)) for name, labels in sides.items()}
    one = compared(tables["gold"], {"a": tables["a"], "b": tables["b"]})
    rng, mixed = random.Random(seed), {}
    for name, table in tables.items():
        rows = [*table.items()]
        rng.shuffle(rows)
        mixed[name] = dict(rows)
    other = compared(mixed["gold"], {"b": mixed["b"], "a": mixed["a"]})
    assert scores_of(one) == scores_of(other)
    # Two systems exchanged: differences change their sign, and p stays to the last digit.
    assert differences_of(one) == differences_of(other)


def test_order_of_columns_changes_nothing(tmp_path: Path) -> None:
    sides, results = made(1), []
    for order in ((0, 1, 2), (2, 0, 1)):
        files = []
        for name, labels in sides.items():
            rows = [("id", "label", "topic"), *((f"r{place}", label, "x") for place, label in enumerate(labels))]
            path = tmp_path / f"{name}.csv"
            path.write_text("".join(",".join(row[place] for place in order) + "\n" for row in rows), encoding="utf-8")
            files.append(str(path))
        results.append(compared(files[0], files[1:]))
    assert scores_of(results[0]) == scores_of(results[1])
    assert differences_of(results[0]) == differences_of(results[1])


@given(SEEDS)
def test_names_of_labels_change_nothing_but_names(seed: int) -> None:
    sides, names = made(seed), {"no": "z", "maybe": "k", "yes": "b", "other": "a"}
    renamed = {name: [names[label] for label in labels] for name, labels in sides.items()}
    one, other = (compared(side["gold"], {name: side[name] for name in "ab"}) for side in (sides, renamed))
    for (key, ours), (same, theirs) in zip(
        sorted(scores_of(one, names).items(), key=repr), sorted(scores_of(other).items(), key=repr), strict=True
    ):
        assert key == same
        assert [*map(float, ours[1:-1].split(","))] == pytest.approx(
            [*map(float, theirs[1:-1].split(","))], rel=1e-12, nan_ok=True
        )
    exact = ("accuracy", "value", "shuffling")
    assert differences_of(one)[exact] == differences_of(other)[exact]


@pytest.mark.parametrize("number", [20, BLOCKS + 500])
def test_items_are_tags_of_sentences_with_one_word(number: int) -> None:
    sides = made(number, number)
    words = {name: [[("w", label)] for label in labels] for name, labels in sides.items()}
    items = compared(sides["gold"], {name: sides[name] for name in "ab"}, ["accuracy", "label-f1"])
    tags = compared(words["gold"], {name: words[name] for name in "ab"}, ["accuracy", "tag-f1"])
    ours, theirs = scores_of(items), scores_of(tags)
    for system in "ab":
        assert ours[system, "accuracy", "value", None] == theirs[system, "accuracy", "f1", None]
        assert ours[system, "label-f1", "macro-f1", None] == theirs[system, "tag-f1", "macro-f1", None]
    # The percentiles of accuracy of tags are drawn with one count more, those of tag-f1 with the same counts.
    assert (
        differences_of(items)["accuracy", "value", "shuffling"] == differences_of(tags)["tag-f1", "f1", "shuffling"]
    )
    macro = [
        differences_of(one)[name, "macro-f1", "shuffling"] for one, name in ((items, "label-f1"), (tags, "tag-f1"))
    ]
    assert macro[0] == macro[1]
    assert items.diffs[0].changes == tags.diffs[0].changes


@given(SEEDS)
def test_singletons_as_sets_have_accuracy_as_micro_f1(seed: int) -> None:
    sides = made(seed)
    sets = {name: [{label} for label in labels] for name, labels in sides.items()}
    whole = scores_of(assay.score(sides["gold"], sides["a"], measures=["accuracy"], times=1))
    result = assay.score(sets["gold"], sets["a"], measures=["label-f1", "subset-accuracy"], times=1)
    values = {(row.measure, row.score): row.value for row in result.scores if row.label is None}
    accuracy = next(float(value[1:].split(",")[0]) for key, value in whole.items() if key[2] == "value")
    assert values["label-f1", "f1"] == pytest.approx(accuracy, abs=1e-15)
    assert values["subset-accuracy", "value"] == accuracy


@given(SEEDS)
def test_increasing_maps_change_no_ranking(seed: int) -> None:
    rng = random.Random(seed)
    gold = [["yes", "no"][place % 2] for place in range(30)]
    sure = [round(rng.random() ** (2 if label == "no" else 0.7), 2) for label in gold]

    def ranked(confidences: list[float]) -> dict[str, float]:
        rows = [{"label": "yes" if p >= 0.5 else "no", "yes": p} for p in confidences]
        system = [{"label": row["label"], "score": row["yes"]} for row in rows]
        measures = ["auc(positive=yes)", "average-precision(positive=yes)"]
        result = assay.score(gold, system, measures=measures, times=1)
        return {row.measure.partition("(")[0]: row.value for row in result.scores}

    one, other, turned = (
        ranked([change(p) for p in sure]) for change in (lambda p: p, lambda p: p**3, lambda p: 1 - p)
    )
    assert other == one
    assert turned["auc"] == pytest.approx(1 - one["auc"], abs=1e-12)


@given(SEEDS)
def test_scales_change_no_correlation(seed: int) -> None:
    rng = random.Random(seed)
    gold = [rng.gauss(0, 1) for _ in range(35)]
    a, b = ([number + rng.gauss(0, noise) for number in gold] for noise in (1, 1.5))
    names = ["pearson", "spearman", "kendall"]
    one = compared(gold, {"a": a, "b": b}, names)
    other = compared(gold, {"a": [3 * x + 7 for x in a], "b": b}, names)
    bent = compared(gold, {"a": [math.exp(x) for x in a], "b": b}, names[1:])
    for result in (other, bent):
        for key, (difference, _, p, _) in differences_of(result).items():
            assert difference == pytest.approx(differences_of(one)[key][0], abs=1e-12)
            assert p == pytest.approx(differences_of(one)[key][2], rel=1e-4)


@given(SEEDS)
def test_a_distribution_with_a_single_1_is_its_answer(seed: int) -> None:
    sides = made(seed)
    system = [[{"label": label, "score": float(label == own)} for label in LABELS] for own in sides["a"]]
    result = assay.score(sides["gold"], system, measures=["accuracy", "brier", "calibration"], times=100)
    values = {(row.measure, row.score): row.value for row in result.scores if row.label is None}
    wrong = 1 - values["accuracy", "value"]
    assert values["brier", "value"] == pytest.approx(2 * wrong, abs=1e-12)
    assert values["calibration", "ece"] == pytest.approx(wrong, abs=1e-12)


@pytest.mark.parametrize("number", [60, BLOCKS + 900])
def test_shards_have_the_digits_of_one_file(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "TEXT", 1)
    results = []
    for ends in ((number,), (20, number // 2, number)):
        for name, labels in made(7, number).items():
            folder, begin = tmp_path / str(len(ends)) / name, 0
            folder.mkdir(parents=True)
            for end in ends:
                rows = "".join(f"r{place},{labels[place]}\n" for place in range(begin, end))
                (folder / f"{end:06}.csv").write_text("id,label\n" + rows, encoding="utf-8")
                begin = end
        folders = [str(tmp_path / str(len(ends)) / name) for name in ("gold", "a", "b")]
        few = number < BLOCKS
        measures = MEASURES if few else MEASURES[:2]
        results.append(compared(folders[0], folders[1:], measures, slices=["label"] if few else []))
    assert scores_of(results[0]) == scores_of(results[1])
    assert differences_of(results[0]) == differences_of(results[1])
