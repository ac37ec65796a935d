"""Many annotators: cases with exact figures, continua of gamma, and the data of the Alternative Annotator Test."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.corpus.ratings import Ratings
from assay.engine import annotators as many
from assay.engine import coefficients as numbers
from assay.engine.annotators import ALL, ALL_PAIRS, CEILING
from assay.engine.measure import find
from assay.engine.scores import Settings
from assay.formats.ratings import SystemRatings, ratings_in, system_ratings
from assay.result import Result
from assay.stats.unitizing import (
    Units,
    Weighting,
    align_units,
    alpha_u_sums,
    compute_disorder,
    compute_gamma,
    rotate_lines,
    sum_label_disagreement,
)
from cases import each

DATA = Path(__file__).parents[1] / "data"
CASES = [json.loads(line) for line in (DATA / "annotator_cases.jsonl").read_text("utf-8").splitlines()]
DECISIONS = {
    name: [json.loads(line) for line in (DATA / "decisions" / f"{name}.jsonl").read_text("utf-8").splitlines()]
    for name in ("agreement", "ceilings")
}
FETCHED = Path(os.environ.get("ASSAY_ALTTEST", "absent"))
"""The files of AltTest have no licence: they are fetched by hand, to a folder outside the repository."""


def of_kind(kind: str) -> list[Any]:
    return [case for case in CASES if case["kind"] == kind]


def ids(case: Any) -> str:
    return f"{case['id']} {case['name']}"


def turned(data: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """From labels by item to labels by annotator; items without any label are missing for all."""
    who = sorted({annotator for given in data.values() for annotator in given})
    return {one: {item: given.get(one) for item, given in data.items()} for one in who}


def rated(data: Mapping[str, Mapping[str, Any]]) -> Ratings:
    return ratings_in(turned(data)).ratings(list(data))


def value_of(given: Any) -> float:
    """A figure of a case: a fraction with its number, a number, or nothing."""
    if given is None:
        return math.nan
    return float(given[1] if isinstance(given, list) else given)


def same(found: float, expected: Any) -> bool:
    return found == pytest.approx(value_of(expected), abs=1e-12, nan_ok=True)


def of_sums(rows: numbers.RatingSums) -> dict[str, Any]:
    return {**{name: values.sum(axis=0) for name, values in rows.sums.items()}, **rows.fixed}


def alpha_of(ratings: Ratings, level: str, distance: str = "jaccard") -> dict[str, float]:
    group = np.zeros(ratings.items, dtype=np.int64)
    sums = of_sums(numbers.alpha_rows(ratings, group, 1, level, distance))
    observed, expected = numbers.observed_expected(sums)
    return {"observed": float(observed), "expected": float(expected), "alpha": float(numbers.alpha_score(sums))}


# --- coefficients ---


def test_there_are_as_many_cases_as_the_readme_says() -> None:
    assert len(CASES) == 65


@each("case", of_kind("coefficients"), ids)
def test_coefficients(case: Any) -> None:
    expected = case["expected"]
    ratings = rated(case["data"])
    for level in ("nominal", "ordinal", "interval", "ratio"):
        wanted = expected.get(f"alpha-{level}")
        if wanted:
            found = alpha_of(ratings, level)
            assert {name: same(found[name], wanted[name]) for name in found} == dict.fromkeys(found, True)
            assert int(ratings.sizes[ratings.sizes > 1].sum()) == wanted["pairable"]
    values = numbers.disagreement(ratings)
    for number, item in enumerate(ratings.names):
        assert same(values[number], expected["disagreement"][item])
    if len(ratings.annotators) < 2:
        with pytest.raises(assay.AssayError, match=r"^agreement takes at least two annotators\.$"):
            assay.agreement(turned(case["data"]))
        return
    inventory = f"ac1(labels={case['categories']})" if "categories" in case else "ac1"
    result = assay.agreement(turned(case["data"]), ["kappa", "alpha", "fleiss", inventory], times=5)
    assert same(result.score(ALL, "alpha").value, (expected["alpha-nominal"] or {}).get("alpha"))
    for name in ("kappa", "agreement", "expected"):
        assert same(result.score(ALL, "fleiss", name).value, expected["fleiss"][name])
    for name in ("ac1", "agreement", "expected"):
        assert same(result.score(ALL, inventory, name).value, expected["ac1"][name])
    for pair, wanted in expected["pairs"].items():
        assert same(result.score(pair, "kappa").value, wanted["kappa"])
        assert same(result.score(pair, "kappa", "agreement").value, wanted["agreement"])
    if len(expected["pairs"]) > 1:
        assert same(result.score(ALL_PAIRS, "kappa").value, expected["mean-pairwise-kappa"])


@each("case", of_kind("weighted-kappa"), ids)
def test_weighted_kappa(case: Any) -> None:
    spec = f"kappa(weights={case['weights']})"
    result = assay.agreement(turned(case["data"]), [spec], times=5)
    assert same(result.score("a ~ b", spec).value, case["expected"]["kappa"])
    assert same(result.score("a ~ b", spec, "agreement").value, case["expected"]["agreement"])


@each("case", of_kind("sets"), ids)
def test_sets(case: Any) -> None:
    ratings = rated(case["data"])
    for name in ("nominal", "jaccard", "masi"):
        found = alpha_of(ratings, "nominal" if name == "nominal" else "set", name)
        wanted = case["expected"][f"alpha-{name}"]
        assert {key: same(found[key], wanted[key]) for key in found} == dict.fromkeys(found, True)
    if "nltk-masi" in case["expected"]:
        # nltk has .67 and .33 for 2/3 and 1/3.
        assert alpha_of(ratings, "set", "masi")["alpha"] == pytest.approx(case["expected"]["nltk-masi"], abs=0.01)


@each("case", of_kind("unitizing"), ids)
def test_unitizing(case: Any) -> None:
    names = sorted(case["spans"])
    labels = sorted({label for spans in case["spans"].values() for _, _, label in spans})
    rows = [
        (names.index(name), begin, end, labels.index(label))
        for name, spans in case["spans"].items()
        for begin, end, label in spans
    ]
    units = Units.of(len(names), case["length"], rows)
    expected = case["expected"]["alpha-u"]
    found = [alpha_u_sums(units, label) for label in range(len(labels))]
    for label, (observed, by_chance) in zip(labels, found, strict=True):
        wanted = expected["labels"][label]
        assert same(observed, wanted["observed"])
        assert same(by_chance, wanted["expected"])
        assert same(1 - observed / by_chance, wanted["alpha"])
    observed, by_chance = (sum(column) for column in zip(*found, strict=True)) if found else (0.0, 0.0)
    assert same(1 - observed / by_chance if by_chance else math.nan, expected["alpha"])
    if "gamma-disorder" in case["expected"]:
        assert compute_disorder(units, Weighting()) == pytest.approx(
            value_of(case["expected"]["gamma-disorder"]), abs=1e-9
        )


# --- who disagrees ---


@each("case", of_kind("profile"), ids)
def test_profiles_and_coincidences(case: Any) -> None:
    result = assay.agreement(turned(case["data"]), ["alpha"], times=5)
    for row in result.annotators:
        wanted = case["expected"]["annotators"][row.name]
        assert row.items == wanted["items"]
        assert same(row.agreement, wanted["agreement"])
        assert same(row.alpha_without, wanted["alpha_without"])
        assert same(row.alpha_gain, wanted["alpha_gain"])
        for label, bias in wanted["bias"].items():
            assert same(row.bias[label], bias)
    found = {f"{row.first} {row.second}": row.count for row in result.coincidences}
    assert found == pytest.approx({key: value_of(one) for key, one in case["expected"]["coincidences"].items()})


# --- systems ---


@each("case", of_kind("ceiling"), ids)
def test_systems_against_several_annotators(case: Any) -> None:
    expected = case["expected"]
    result = assay.agreement(turned(case["data"]), ["alpha"], systems={"model": case["system"]}, times=5)
    assert same(result.score("model", "accuracy", "each").value, expected["each-mean"])
    assert same(result.score("model", "accuracy", "majority").value, expected["majority"])
    assert same(result.score("model", "accuracy", "any").value, expected["any"])
    assert same(result.score("model", "accuracy", "leave-one-out").value, expected["system"])
    assert same(result.score(CEILING, "accuracy", "leave-one-out").value, expected["ceiling"])
    difference = value_of(expected["system"]) - value_of(expected["ceiling"])
    assert result.comparisons[0].difference == pytest.approx(difference)
    ratings, sums = ceiling_sums(case)
    for field, wanted in (("each", "each"), ("human", "leave-one-out-humans"), ("left", "leave-one-out-system")):
        values = dict(zip(ratings.annotators, sums[field] / sums[ITEMS[field]], strict=True))
        assert values == pytest.approx({name: value_of(one) for name, one in expected[wanted].items()})


ITEMS = {"each": "each items", "human": "left items", "left": "left items"}


def ceiling_sums(case: Any) -> tuple[Ratings, dict[str, Any]]:
    """The points of each annotator, and of the system beside each."""
    ratings = rated(case["data"])
    label = system_ratings(ratings_in(case["system"]), "model", ratings)[0].label
    return ratings, of_sums(numbers.ceiling_rows(ratings, label, np.zeros(ratings.items, dtype=np.int64), 1))


@each("case", DECISIONS["ceilings"], lambda case: str(case["id"]))
def test_human_ceilings(case: Any) -> None:
    expected = case["expected"]
    ratings, sums = ceiling_sums(case)
    assert dict(zip(ratings.annotators, sums["left items"], strict=True)) == expected["items"]
    for field, wanted in (("human", "humans"), ("left", "system")):
        values = dict(zip(ratings.annotators, sums[field] / sums["left items"], strict=True))
        assert values == pytest.approx({name: value_of(one) for name, one in expected[wanted].items()})
    result = assay.agreement(turned(case["data"]), ["alpha"], systems={"model": case["system"]}, times=5)
    assert same(result.score("model", "accuracy", "leave-one-out").value, expected["system_mean"])
    assert same(result.score(CEILING, "accuracy", "leave-one-out").value, expected["ceiling"])
    (row,) = result.comparisons
    assert same(row.difference, expected["difference"]) and same(row.p_items or 0, expected["p_items"])
    assert (row.variance, row.df, row.p) == pytest.approx(
        (expected["variance"], expected["df"], expected["p"]), abs=1e-12
    )
    assert row.annotators == sum(number > 0 for number in expected["items"].values())


@each("case", DECISIONS["agreement"], lambda case: str(case["id"]))
def test_lower_ends_of_alpha(case: Any) -> None:
    expected, given = case["expected"], case["ratings"]
    spec = "alpha" if case["level"] == "nominal" else f"alpha(level={case['level']})"
    data = {item: {f"a{who}": label for who, label in enumerate(labels)} for item, labels in given.items()}
    result = assay.agreement(turned(data), [spec], times=2_000)
    row = result.score(ALL, spec)
    assert same(row.value, expected["alpha"]) and result.about.items == expected["items"]
    ratings = rated(data)
    rows = numbers.alpha_rows(ratings, np.arange(ratings.items), ratings.items, case["level"], "jaccard")
    observed, by_chance = numbers.observed_expected(rows.totals)
    assert same(float(observed), expected["observed"]) and same(float(by_chance), expected["expected_disagreement"])
    apart, weight, chance = numbers.alpha_disagreement(rows)
    assert float(by_chance / chance) == pytest.approx(value_of(expected["largest_distance"]))
    assert float(numbers.lower_ends(apart, weight, chance)) == pytest.approx(expected["bound"], abs=1e-12)
    assert row.low <= expected["bound"] + 1e-12 and row.high <= 1
    if not value_of(expected["observed"]):
        assert (row.low, row.high) == (pytest.approx(expected["bound"], abs=1e-12), 1)


@pytest.mark.parametrize("weights", [1.0, 20.0])
def test_lower_ends_of_many_annotators_are_those_of_a_mean(weights: float) -> None:
    """With many units that hardly differ, a unit is more than one trial; with shares of 0 and 1 it is one."""
    rng, units = np.random.default_rng(2), 4_000
    apart = rng.normal(0.3, 0.05, units).clip(0, 1)
    upper = 1 - numbers.lower_ends(apart * weights, np.full(units, weights), np.array(1.0))
    assert upper - apart.mean() == pytest.approx(1.96 * 0.05 / math.sqrt(units), rel=0.35)
    apart = (rng.random(units) < 0.3).astype(float)
    upper = 1 - numbers.lower_ends(apart * weights, np.full(units, weights), np.array(1.0))
    share = apart.mean()
    assert upper - share == pytest.approx(1.96 * math.sqrt(share * (1 - share) / units), rel=0.02)


def soft_table(system: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    return {item: {"soft_label": shares} for item, shares in system.items()}


@each("case", of_kind("soft"), ids)
def test_soft_labels(case: Any, tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps(turned(case["gold"])), "utf-8")
    (tmp_path / "system.json").write_text(json.dumps(soft_table(case["system"])), "utf-8")
    order = "<".join(case["order"])
    specs = {name: f"soft(distance={name})" for name in numbers.SOFT}
    result = assay.agreement(
        tmp_path / "gold.json",
        list(specs.values()),
        systems={"model": tmp_path / "system.json"},
        input_format=f"ratings(order={order})",
        times=5,
    )
    for name, spec in specs.items():
        found = result.score("model", spec if name != "manhattan" else "soft").value
        assert found == pytest.approx(value_of(case["expected"][name]), nan_ok=True, abs=1e-12), name


@each("case", of_kind("perspectives"), ids)
def test_perspectives(case: Any) -> None:
    spec = f"perspective(range={case['range']})" if "range" in case else "perspective"
    result = assay.agreement(turned(case["gold"]), [spec], systems={"model": turned(case["system"])}, times=5)
    measure = result.measure_named(spec)
    assert same(result.score("model", measure).value, case["expected"]["error-rate"])
    assert same(result.score("model", measure, "absolute-distance").value, case["expected"]["absolute-distance"])
    for name, wanted in case["expected"]["by-annotator"].items():
        assert same(result.score("model", measure, "accuracy", name).value, wanted)


def alt_test(result: Result, system: str) -> Any:
    return next(row for row in result.alt_tests if row.system == system)


@each("case", of_kind("alt-test"), ids)
def test_alternative_annotators(case: Any) -> None:
    expected = case["expected"]
    spec = (
        f"alt-test(epsilon={case['epsilon']}, score={case['score']}, fdr={case['fdr']}, "
        f"min-items={case['min_items']}, min-annotators={case['min_annotators']})"
    )
    result = assay.agreement(turned(case["data"]), [spec], systems={"model": case["system"]}, times=5)
    found = alt_test(result, "model")
    assert found.items == expected["items"]
    assert found.passed == expected["passed"]
    assert same(found.winning_rate, expected["winning-rate"])
    assert same(found.advantage, expected["advantage-probability"])
    for row in found.annotators:
        wanted = expected["annotators"][row.name]
        assert row.items == wanted["items"]
        assert row.won == wanted.get("won")
        assert same(row.difference, wanted.get("mean-difference"))
        assert same(row.advantage, wanted.get("advantage"))
        assert row.p == pytest.approx(value_of(wanted.get("p")), rel=1e-9, nan_ok=True)


# --- data ---


@pytest.mark.parametrize("name", ["wax", "lgbteen", "mtbench", "framing", "cebab_stars", "lesion"])
def test_the_data_of_the_alternative_annotator_test(name: str, shared_data: Callable[[str], Path]) -> None:
    expected = json.loads((shared_data("alttest") / "expected.json").read_text("utf-8"))[name]
    folder = next((place for place in (shared_data("alttest") / name, FETCHED / name) if place.is_dir()), None)
    if folder is None:
        pytest.skip(f"the data set alttest/{name} is not in ../shared/data")
    spec = f"alt-test(epsilon={expected['epsilon']}, score={expected['scoring'].replace('_', '-')})"
    given, systems = folder / "human_annotations.json", folder / "llm_annotations.json"
    levels = [f"alpha(level={name[6:]})" for name in expected["humans"] if name[6:] in ("ordinal", "interval")]
    result = assay.agreement(given, [spec, "alpha", "fleiss", "ac1", *levels], systems=[str(systems)], times=5)
    for system, wanted in expected["systems"].items():
        found = alt_test(result, system)
        assert found.passed == wanted["passed"]
        assert found.winning_rate == pytest.approx(wanted["winning_rate"], abs=1e-12)
        assert found.advantage == pytest.approx(wanted["advantage_probability"], abs=1e-12)
        tests = sorted((row.items, row.difference, row.p) for row in found.annotators if row.won is not None)
        theirs = sorted((one["n"], one["mean_difference"], one["p"]) for one in wanted["tests"])
        for mine, its in zip(tests, theirs, strict=True):
            assert mine == pytest.approx(its, rel=1e-9, abs=1e-12)
    humans = expected["humans"]
    assert len(result.annotators) == humans["annotators"]
    assert result.about.items == humans["pairable_items"]
    assert result.score(ALL, "alpha").value == pytest.approx(humans["alpha-nominal"], abs=1e-12)
    assert result.score(ALL, "fleiss").value == pytest.approx(humans["fleiss"], abs=1e-12)
    assert result.score(ALL, "fleiss", "agreement").value == pytest.approx(humans["agreement"], abs=1e-12)
    assert result.score(ALL, "ac1").value == pytest.approx(humans["ac1"], abs=1e-12)
    for level in {"ordinal", "interval"} & {name.removeprefix("alpha-") for name in humans}:
        found = result.score(ALL, f"alpha(level={level})").value
        assert found == pytest.approx(humans[f"alpha-{level}"], abs=1e-9)


CONTINUA = (
    "AlexPaulSuzan",
    "annotation_dalton",
    "annotation_paul_suzann_alex",
    "example_figure10",
    "example_figure19",
)


def continuum(path: Path, length: int) -> tuple[Units, list[str]]:
    rows = list(csv.reader(path.read_text("utf-8").splitlines()))
    names, labels = sorted({row[0] for row in rows}), sorted({row[1] for row in rows})
    units = [(names.index(a), float(begin), float(end), labels.index(label)) for a, label, begin, end in rows]
    columns = (np.array(column) for column in zip(*sorted(units), strict=True))
    return Units(len(names), length, *columns), labels


@each("name", CONTINUA)
def test_continua_of_gamma(name: str, shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("gamma-continua")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[name]
    units, labels = continuum(folder / f"{name}.csv", expected["length"])
    assert compute_disorder(units, Weighting()) == pytest.approx(value_of(expected["observed_disorder"]), abs=1e-9)
    sums = np.array([alpha_u_sums(units, label) for label in range(len(labels))]).sum(axis=0)
    assert 1 - sums[0] / sums[1] == pytest.approx(expected["alpha_u"], abs=1e-9)
    first, again = (compute_gamma([units], Weighting(), 5, np.random.default_rng(7)) for _ in range(2))
    assert repr(first) == repr(again)
    assert 0 < first.error < 1
    assert first.disorder == pytest.approx(value_of(expected["observed_disorder"]), abs=1e-9)


def test_labels_at_the_same_places_differ_as_in_nominal_alpha() -> None:
    """Mathet 2017: without differences of places the disorder of labels is alpha's, with gaps too."""
    labels = ["AAB", "AB", "CCC", "BBA", "AC", "B"]
    rows = [(who, 20 * item, 20 * item + 5, "ABC".index(label))
            for item, given in enumerate(labels) for who, label in enumerate(given)]
    units = Units.of(3, 120, rows)
    differing, total = sum_label_disagreement(units, align_units(units, Weighting())[1], Weighting())
    ratings = {str(who): {str(item): given[who] for item, given in enumerate(labels) if who < len(given)}
               for who in range(3)}
    result = assay.agreement(ratings, ["alpha"], times=100)
    assert differing / total == pytest.approx(result.score("all annotators", "alpha", "observed").value, abs=1e-12)


@each(
    ("name", "alpha", "samples", "low", "high"),
    [("AlexPaulSuzan", 3, 60, 0.67, 0.73), ("3by100", 3, 4, 0.96, 0.98), ("annotation_dalton", 1, 5, 1, 1)],
)
def test_gamma_cat_as_pygamma_had_it(
    name: str, alpha: float, samples: int, low: float, high: float, shared_data: Callable[[str], Path]
) -> None:
    """The ranges are those of the tests of pygamma 0.4, of random continua whose shifts may be nearer (.70)."""
    path = shared_data("gamma-continua") / f"{name}.csv"
    units, _ = continuum(path, int(max(float(line.split(",")[3]) for line in path.read_text("utf-8").split())))
    found = compute_gamma([units], Weighting(alpha=alpha), samples, np.random.default_rng(7))
    assert low <= found.category <= high


@each(
    ("name", "samples", "tolerance"),
    [("AlexPaulSuzan", 30, 0.08), ("annotation_paul_suzann_alex", 30, 0.08), ("3by100", 4, 0.005)],
)
def test_gamma_cat_with_units_alone_is_that_of_pygamma(
    name: str, samples: int, tolerance: float, shared_data: Callable[[str], Path]
) -> None:
    """Units without a counterpart as errors of labels, as pygamma has since 0.5; random continua are others."""
    folder = shared_data("gamma-continua")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[name]
    figure = expected.get("gamma_cat_one_seed") or float(np.mean(expected["gamma_cat_three_seeds"]))
    path = folder / f"{name}.csv"
    units, _ = continuum(path, int(max(float(line.split(",")[3]) for line in path.read_text("utf-8").split())))

    def with_alone(units: Units) -> float:
        parts = align_units(units, Weighting())[1]
        alone = sum(len(part) * (units.annotators - len(part)) for part in parts)
        differing, total = sum_label_disagreement(units, parts, Weighting())
        return (differing + alone) / (total + alone)

    rng = np.random.default_rng(7)
    by_chance = np.mean([with_alone(rotate_lines(units, rng)) for _ in range(samples)])
    assert 1 - with_alone(units) / by_chance == pytest.approx(figure, abs=tolerance)


# --- simulations (docs/guide/annotators.md has the tables) ---


def ratings_of(labels: Any, shown: Any) -> Ratings:
    """Ratings from items × annotators of codes, of the cells that are shown."""
    item, annotator = np.nonzero(shown)
    people = tuple(f"r{who:02}" for who in range(labels.shape[1]))
    names = tuple(f"i{number}" for number in range(len(labels)))
    return Ratings(names, people, tuple("12345"), item, annotator, labels[item, annotator])


def rated_by(rng: np.random.Generator, truth: Any, skills: Any, shares: Sequence[float]) -> Any:
    """Items × annotators: what is right with the annotator's skill, else drawn from the shares of labels."""
    drawn = rng.choice(len(shares), p=shares, size=(len(truth), len(skills)))
    return np.where(rng.random(drawn.shape) < skills, truth[:, None], drawn)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "people", "shares", "alpha", "level"),
    [
        (20, 2, (0.5, 0.5), 0.8, "nominal"),
        (50, 3, (0.6, 0.3, 0.1), 0.8, "nominal"),
        (50, 3, (0.9, 0.1), 0.8, "nominal"),
        (200, 2, (0.9, 0.1), 0.8, "nominal"),
        (25, 2, (0.2,) * 5, 0.8, "interval"),
        (50, 3, (0.2,) * 5, 0.8, "ordinal"),
        (100, 20, (0.6, 0.3, 0.1), 0.8, "nominal"),
    ],
)
def test_lower_ends_are_seldom_above_the_true_coefficient(
    items: int, people: int, shares: tuple[float, ...], alpha: float, level: str
) -> None:
    """2.5% are promised; of those who agree by .8 at most as many are called reliable."""
    rng, samples, above = np.random.default_rng(1), 400, dict.fromkeys(("alpha", "fleiss", "ac1"), 0)
    # Two who know the answer with chance √alpha agree so far beyond chance, at all levels.
    by_chance = sum(share * (1 - share) for share in shares) / (len(shares) - 1)
    agreeing = 1 - (1 - alpha) * (1 - sum(share**2 for share in shares))
    true = {"alpha": alpha, "fleiss": alpha, "ac1": (agreeing - by_chance) / (1 - by_chance)}
    specs = [find(f"alpha(level={level})"), *([find("fleiss"), find("ac1")] if level == "nominal" else [])]
    for seed in range(samples):
        truth = rng.choice(len(shares), p=shares, size=items)
        labels = rated_by(rng, truth, np.full(people, math.sqrt(alpha)), shares)
        ratings = ratings_of(labels, np.ones_like(labels))
        groups = many.Groups.of(ratings.unit_names, ratings.unit_of_item, ratings.sizes > 0)
        figures = [many.figure_of(spec, ratings, groups) for spec in specs]
        for row in many.scores_of(figures, groups.number, Settings(seed, 200, "percentile"), None)[0]:
            name = row.measure.partition("(")[0]
            above[name] += row.main and row.low > true[name]
    assert max(above.values()) / samples <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / samples), above


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "each", "items", "spread"),
    [(3, 3, 100, 0.0), (3, 3, 100, 0.5), (5, 3, 200, 0.5), (10, 3, 200, 0.0), (10, 3, 200, 0.5), (12, 12, 100, 0.5)],
)
def test_a_system_like_the_annotators_is_seldom_above_or_below_them(
    people: int, each: int, items: int, spread: float
) -> None:
    """A system as good as the mean of all annotators, of whom some were drawn and each rated some items."""
    rng, samples, shares = np.random.default_rng([people, each, items]), 500, (1 / 3,) * 3
    found = []
    for seed in range(samples):
        truth, skills = rng.integers(3, size=items), 0.7 + spread * (rng.random(people) - 0.5)
        shown = np.argsort(np.argsort(rng.random((items, people)), axis=1), axis=1) < each
        ratings = ratings_of(rated_by(rng, truth, skills, shares), shown)
        groups = many.Groups.of(ratings.unit_names, ratings.unit_of_item, ratings.sizes > 0)
        system = SystemRatings("m", rated_by(rng, truth, np.array([0.7]), shares)[:, 0], ratings.labels)
        figures = many.against_figures(ratings, [system], groups, ("leave-one-out",))
        found += many.ceiling_comparisons(figures, ratings.annotators, Settings(seed, 20, "percentile"))[0]
    assert np.mean([row.p <= 0.05 for row in found]) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)
    differences = np.array([row.difference for row in found])
    assert abs(differences.mean()) <= 3 * differences.std(ddof=1) / math.sqrt(samples)
