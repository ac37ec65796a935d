"""Measures of spans: what each type of error weighs, whose label it counts under, which pairs count as pairs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

import assay
from assay.corpus import from_lists
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare
from assay.result import Result
from strategies import Outputs, listed_spans, span_outputs
from unit.samples import refusal, spans

NUMBERS = {"tp": 7, "fp": 1, "fn": 2, "le": 3, "bes": 1, "bel": 4, "beo": 2, "lbe": 5}
ONE_OF_EACH = {
    "tp": ("A1-2", "A1-2"),
    "fp": ("", "A1-2"),
    "fn": ("A1-2", ""),
    "le": ("A1-2", "B1-2"),
    "bes": ("A1-3", "A1-2"),
    "bel": ("A1-2", "A1-3"),
    "beo": ("A1-2", "A2-3"),
    "lbe": ("A1-2", "B2-3"),
}
"""Gold's span and the system's for each kind of outcome."""


def of_numbers(numbers: dict[str, int]) -> tuple[list, list]:
    """Gold and a system with so many outcomes of each kind, each in a sentence of its own."""
    pairs = [ONE_OF_EACH[kind] for kind, number in numbers.items() for _ in range(number)]
    return spans(*(gold for gold, _ in pairs)), spans(*(system for _, system in pairs))


def scored(gold: object, system: object, spec: str, **options: object) -> Result:
    return assay.score(gold, {"s": system}, spec, times=5, **options)


def overall(gold: object, system: object, spec: str, *names: str, **options: object) -> list[float]:
    """Some overall scores of a measure."""
    result = scored(gold, system, spec, **options)
    return [result.score("s", result.scores[0].measure, name).value for name in names]


def counts(gold: object, system: object, spec: str, label: str | None = None, **options: object) -> dict[str, int]:
    """The counts above zero, overall or of a label."""
    rows = [row.counts for row in scored(gold, system, spec, **options).counts if row.label == label]
    return {name: number for name, number in rows[0].items() if number}


# --- what errors weigh ---

HALF = {"fp": Fraction(1, 2), "fn": Fraction(1, 2)}
MIXED = {"tp": Fraction(1, 2), "fp": Fraction(1, 4), "fn": Fraction(1, 4)}
TYPES = ("le", "bes", "bel", "beo", "lbe")
EQUATIONS = {
    "fair": dict.fromkeys(TYPES, HALF),
    "weighted(preset=fair)": dict.fromkeys(TYPES, HALF),
    "weighted(preset=be-half)": {"le": HALF, "lbe": HALF, **dict.fromkeys(("bes", "bel", "beo"), MIXED)},
    "weighted": {
        "le": HALF,
        "lbe": HALF,
        "bes": {"tp": Fraction(1, 2), "fn": Fraction(1, 2)},
        "bel": {"tp": Fraction(1, 2), "fp": Fraction(1, 2)},
        "beo": MIXED,
    },
    "weighted(preset=all-fp)": {name: {"fp": 1} for name in TYPES},
    "weighted(preset=all-fn)": {name: {"fn": 1} for name in TYPES},
    "weighted(le=1FN, be=0.25TP+0.75FP, lbe=0.5TP+0.5FN)": {
        "le": {"fn": 1},
        **{name: {"tp": Fraction(1, 4), "fp": Fraction(3, 4)} for name in ("bes", "bel", "beo")},
        "lbe": {"tp": Fraction(1, 2), "fn": Fraction(1, 2)},
    },
    "weighted(preset=all-fp, bel=0.5 * TP + .5fp)": {
        **{name: {"fp": 1} for name in TYPES},
        "bel": {"tp": Fraction(1, 2), "fp": Fraction(1, 2)},
    },
}
"""Each measure with the parts of TP, FP and FN that an error of each type counts as."""


def by_hand(numbers: dict[str, int], weights: dict) -> list[Fraction]:
    """F1, precision and recall of weighted sums."""
    tp, fp, fn = (
        numbers[kind] + sum(weights[name].get(kind, 0) * numbers[name] for name in TYPES)
        for kind in ("tp", "fp", "fn")
    )
    return [Fraction(2 * tp, 2 * tp + fp + fn), Fraction(tp, tp + fp), Fraction(tp, tp + fn)]


def test_the_sample_has_every_kind_as_often_as_it_should() -> None:
    gold, system = of_numbers(NUMBERS)
    found = counts(gold, system, "fair")
    assert {kind: found[kind] for kind in NUMBERS} == NUMBERS
    assert (found["be"], found["gold"], found["system"]) == (1 + 4 + 2, 24, 23)


@pytest.mark.parametrize("spec", EQUATIONS)
def test_each_preset_and_formula_weighs_errors_as_its_equation_says(spec: str) -> None:
    found = overall(*of_numbers(NUMBERS), spec, "f1", "precision", "recall")
    assert found == pytest.approx([float(value) for value in by_hand(NUMBERS, EQUATIONS[spec])], rel=1e-14)


def test_exact_counts_an_error_twice() -> None:
    gold, system = of_numbers(NUMBERS)
    errors = sum(NUMBERS[kind] for kind in TYPES)
    expected = {"tp": 7, "fp": 1 + errors, "fn": 2 + errors, "gold": 24, "system": 23}
    assert counts(gold, system, "exact") == expected
    assert overall(gold, system, "exact", "f1", "precision", "recall") == [14 / 47, 7 / 23, 7 / 24]


def test_parts_that_do_not_sum_to_1_count_as_given_where_that_is_allowed() -> None:
    spec = "weighted(preset=fair, le=0.25FP+0.25FN, open=true)"
    weights = {**EQUATIONS["fair"], "le": {"fp": Fraction(1, 4), "fn": Fraction(1, 4)}}
    assert overall(*of_numbers(NUMBERS), spec, "f1") == [float(by_hand(NUMBERS, weights)[0])]


@given(data=span_outputs(systems=1))
def test_the_f1_of_fair_is_twice_the_hits_over_twice_the_hits_and_all_errors(data: Outputs) -> None:
    """However errors are divided between spurious and missing; so equations 6 and 7 also give one F1."""
    names = ["fair", "weighted(preset=all-fp)", "weighted(preset=all-fn)", "weighted(preset=be-half)", "weighted"]
    result = assay.score(data.gold, {"s": data.systems["s1"]}, names, times=5)
    found = next(row.counts for row in result.counts if row.label is None)
    hits, errors = found["tp"], sum(found[kind] for kind in ("fp", "fn", *TYPES))
    values = [result.score("s", name).value for name in names]
    assert values[:3] == pytest.approx([2 * hits / (2 * hits + errors)] * 3, rel=1e-14)
    assert values[3] == pytest.approx(values[4], rel=1e-14)


# --- formulas that are refused ---


@pytest.mark.parametrize(
    ("given_weights", "message"),
    [
        ("lx=1FP", "there is no parameter 'lx' of measure weighted. Did you mean le?"),
        ("le=1FP, le=1FN", "measure 'weighted(le=1FP, le=1FN)': le is given twice."),
        ("be=1FP, bes=1FN", "be and bes are both given, but be stands for bes, bel and beo. Give one of them."),
        ("preset=fair, le=-0.5FP+1.5FN", "le='-0.5FP+1.5FN': '-0.5FP' is not a part such as 0.5FP (TP, FP or FN)."),
        ("preset=fair, le=0.5FP-0.5FN", "le='0.5FP-0.5FN': '0.5FP-0.5FN' is not a part such as 0.5FP (TP, FP or "
        "FN)."),
        ("preset=fair, le=FP", "le='FP': 'FP' has no number. Write e.g. 0.5FP"),
        ("preset=fair, le=0.5TX+0.5FN", "le='0.5TX+0.5FN': '0.5TX' is not a part such as 0.5FP (TP, FP or FN)."),
        ("preset=fair, le=1FP+", "le='1FP+': '' is not a part such as 0.5FP (TP, FP or FN)."),
        (
            "preset=fair, lbe=0.5FP+0.4FN",
            "lbe='0.5FP+0.4FN': the parts sum to 0.9, not 1. If this is intended, add open=true.",
        ),
        (
            "le=1FP, bes=1FP, bel=1FP",
            "the error weights leave out beo, lbe, which would then not count as errors. Give a formula for each "
            "type, or a preset to start from.",
        ),
        ("preset=be-halve", "there is no preset of error weights 'be-halve'. Did you mean be-half or be-typed?"),
        ("focus=gold", "there is no focus 'gold'. Available: target, system."),
    ],
)
def test_wrong_weights_are_refused_with_what_is_wrong(given_weights: str, message: str) -> None:
    gold, system = of_numbers(NUMBERS)
    assert refusal(assay.score, gold, system, f"weighted({given_weights})", times=5) == message


def test_numbers_that_are_no_shares_are_refused_as_the_least_overlap() -> None:
    gold, system = of_numbers(NUMBERS)
    for least in ("1.5", "-0.5"):
        assert refusal(assay.score, gold, system, f"semeval(least={least})", times=5) == (
            f"semeval: least should be a share between 0 and 1, not {least}."
        )


# --- whose label ---


def test_errors_of_labelling_count_under_golds_label_or_the_systems() -> None:
    gold, system = of_numbers(NUMBERS)
    ours = counts(gold, system, "fair", "A")
    assert (ours["le"], ours["lbe"], ours["gold"], ours["system"]) == (3, 5, 24, 15)
    assert counts(gold, system, "fair", "B") == {"system": 8}
    theirs = counts(gold, system, "fair(focus=system)", "A")
    assert {kind: theirs.get(kind, 0) for kind in NUMBERS} == {**NUMBERS, "le": 0, "lbe": 0}
    assert counts(gold, system, "fair(focus=system)", "B") == {"le": 3, "lbe": 5, "system": 8}


@given(data=span_outputs(systems=1))
def test_the_focus_changes_nothing_overall(data: Outputs) -> None:
    result = assay.score(data.gold, {"s": data.systems["s1"]}, ["fair", "fair(focus=system)"], times=5)
    target, system = (row.counts for row in result.counts if row.label is None)
    assert target == system
    for score in ("f1", "precision", "recall"):
        values = [result.score("s", name, score).value for name in ("fair", "fair(focus=system)")]
        assert values[0] == pytest.approx(values[1], abs=0, nan_ok=True)


def test_a_label_with_nothing_counted_under_the_focus_is_no_part_of_the_macro_average() -> None:
    """B is only ever assigned in place of A: under gold's labels nothing is counted for it."""
    gold, system = spans("A1-2", "A1-2"), spans("A1-2", "B1-2")
    assert overall(gold, system, "fair", "f1", "macro-f1") == [2 / 3, 2 / 3]
    assert overall(gold, system, "fair(focus=system)", "f1", "macro-f1") == [2 / 3, 1 / 2]
    assert overall(gold, system, "exact", "macro-f1") == [pytest.approx((2 / 3 + 0) / 2)]


def test_averages_over_labels() -> None:
    """Macro: each label as much as any other, F1 of each; weighted: as much as gold has spans of it."""
    gold, system = spans("A1 A3 A5 B7"), spans("A1 A3 B6 B7")
    a, b = 2 * 2 / (2 * 2 + 1), 2 * 1 / (2 * 1 + 1)
    names = ("macro-f1", "weighted-f1", "macro-precision", "macro-recall")
    expected = [(a + b) / 2, (3 * a + b) / 4, (1 + 1 / 2) / 2, (2 / 3 + 1) / 2]
    assert overall(gold, system, "exact", *names) == pytest.approx(expected, rel=1e-14)


# --- which side ---


def test_boundary_errors_are_told_apart_by_the_side_that_is_wrong() -> None:
    gold = spans("A3-6", "A3-6", "A3-6", "A3-6", "A3-6", "A3-6", "A3-6")
    system = spans("A4-6", "A2-6", "A3-5", "A3-7", "A2-7", "A4-5", "B4-6")
    found = counts(gold, system, "fair(sides=true)")
    assert found == {
        **{"bes": 3, "bel": 3, "lbe": 1, "be": 6, "be-left": 2, "be-right": 2, "be-both": 2},
        **{"gold": 7, "system": 7},
    }


# --- neither side is gold ---

MIRROR = {"fp": "fn", "fn": "fp", "bes": "bel", "bel": "bes", "gold": "system", "system": "gold"}


@given(data=listed_spans(systems=1, most_spans=6))
def test_the_symmetric_variant_mirrors_its_counts_when_the_sides_change_places(data: Outputs) -> None:
    """On any spans, nested ones too; the variant that has a gold side does not always."""
    gold, system = data.gold, data.systems["s1"]
    if not any(system):
        system = [[("A", 0, 0)], *system[1:]]
    there, back = (counts(*sides, "fair(symmetric=true)") for sides in ((gold, system), (system, gold)))
    assert {MIRROR.get(name, name): number for name, number in there.items()} == back


def test_fair_itself_is_not_symmetric_on_nested_spans() -> None:
    """Of two nested spans the longer takes up all of the other side's span; the shorter, come first, leaves some."""
    gold, system = spans("A1-3"), spans("A2 A2-3")
    there, back = counts(gold, system, "fair"), counts(system, gold, "fair")
    assert there == {"bes": 1, "be": 1, "fp": 1, "gold": 1, "system": 2}
    assert back == {"bel": 2, "be": 2, "gold": 2, "system": 1}
    both = counts(gold, system, "fair(symmetric=true)")
    for name in NUMBERS:
        assert both.get(name, 0) == there.get(name, 0) + back.get(MIRROR.get(name, name), 0)


# --- SemEval 2013 ---


def test_the_four_scores_of_semeval() -> None:
    """One pair of each kind, one gold span missed, one system span spurious."""
    gold, system = spans("A1-2 A4-5 A7-8 A10-11 A13"), spans("A1-2 B4-5 A7 B10 A20")
    assert counts(gold, system, "semeval") == {
        **{"same": 1, "same-span": 1, "same-label": 1, "overlap": 1},
        **{"missed": 1, "spurious": 1, "gold": 5, "system": 5},
    }
    credit = {"strict": 1, "exact": 2, "partial": 3, "type": 2}
    for name, gained in credit.items():
        names = [f"{name}-{score}" for score in ("f1", "precision", "recall")]
        assert overall(gold, system, "semeval", *names) == pytest.approx([gained / 5] * 3, rel=1e-14)


def test_pairs_that_share_less_than_asked_for_are_no_pairs() -> None:
    gold, system = spans("A1-4 A6-9"), spans("A4-5 A6-7")
    assert counts(gold, system, "semeval") == {"same-label": 2, "gold": 2, "system": 2}
    half = {"same-label": 1, "missed": 1, "spurious": 1, "gold": 2, "system": 2}
    assert counts(gold, system, "semeval(least=0.5)") == half
    assert counts(gold, system, "semeval(least=0.51)") == {"missed": 2, "spurious": 2, "gold": 2, "system": 2}


def test_a_prediction_over_two_gold_spans_pairs_with_one_of_them() -> None:
    gold, system = spans("A1-2 A3-4"), spans("A1-4")
    assert counts(gold, system, "semeval") == {"same-label": 1, "missed": 1, "gold": 2, "system": 1}
    assert counts(gold, system, "fair") == {"bel": 2, "be": 2, "gold": 2, "system": 1}


@pytest.mark.parametrize("order", ["A1-6 A1-3", "A1-3 A1-6"])
def test_the_order_of_spans_does_not_matter(order: str) -> None:
    """The case in which nervaluate finds nothing right in one of the orders."""
    assert counts(spans("A1-3"), spans(order), "semeval") == {"same": 1, "spurious": 1, "gold": 1, "system": 2}


# --- what all have in common ---


@given(data=span_outputs(systems=1))
def test_rows_account_for_every_span_of_both_sides(data: Outputs) -> None:
    """Every span is new in one row; labels add up; there are no more rows than spans."""
    result = assay.score(data.gold, {"s": data.systems["s1"]}, ["exact", "fair", "semeval"], times=5)
    sizes = (result.about.items, result.systems[0].spans)
    kinds = {
        "exact": ("tp", "fp", "fn"),
        "fair": tuple(NUMBERS),
        "semeval": ("same", "same-span", "same-label", "overlap", "missed", "spurious"),
    }
    for name, types in kinds.items():
        everything, *labels = [row.counts for row in result.counts if row.measure == name]
        assert everything["gold"] == sizes[0]
        assert everything == {field: sum(row[field] for row in labels) for field in everything}
        if name == "exact":
            assert everything["tp"] + everything["fn"] == sizes[0]
        else:
            assert everything["system"] == sizes[1]
            assert max(sizes) <= sum(everything[kind] for kind in types) <= sum(sizes)
    found = next(row.counts for row in result.counts if row.measure == "fair")
    assert found["be"] == found["bes"] + found["bel"] + found["beo"]


def test_spans_given_twice_count_as_in_the_papers_software() -> None:
    """Each of gold's counts where the system has the span; only the one-to-one matching sees that one is missing."""
    gold, system = spans("A1-2 A1-2"), spans("A1-2")
    assert counts(gold, system, "exact") == {"tp": 2, "gold": 2, "system": 1}
    assert overall(system, gold, "exact", "f1", "precision", "recall") == [1, 1, 1]
    assert counts(gold, system, "fair") == {"tp": 1, "fn": 1, "gold": 2, "system": 1}
    assert counts(system, gold, "fair") == {"tp": 1, "fp": 1, "gold": 1, "system": 2}


def test_measures_of_spans_refuse_tags_and_the_other_way_round() -> None:
    tags = [["N", "V"]]
    for measure, sides in (("fair", "tags"), ("accuracy", "spans")):
        wanted = "spans" if measure == "fair" else "tags"
        assert refusal(assay.score, tags, tags, measure, task=sides, times=5) == (
            f"{measure} is a measure of {wanted}, but {sides} are compared. Give --task {wanted}"
        )
    assert refusal(assay.score, tags, tags, ["accuracy", "fair"], times=5) == (
        "the measures belong to different tasks: tags, spans. Run them separately."
    )


def test_a_pair_of_tags_has_no_spans_to_judge() -> None:
    corpus = from_lists([["N", "V"]])
    ((_, pair),) = prepare(corpus, {"s": corpus}, [find("accuracy")], Options()).pairs
    assert refusal(find("exact").judge, pair) == (
        "this measure is for spans, but the files are compared as tags. Give --task spans"
    )


def test_more_overlaps_than_can_be_paired_one_to_one_are_refused_in_one_line(monkeypatch):
    monkeypatch.setattr("assay.engine.matching.MOST", 3)
    gold, system = spans("A1", "A1-5 A2-4"), spans("A1", "B2-5 B1-4")
    result = assay.score(gold, {"s": system}, ["exact", "fair"])
    assert result.score("s", "exact").value == 1 / 3
    assert refusal(assay.score, gold, {"s": system}, ["semeval"]) == (
        "gold, sentence 2: 2 spans of gold and 2 of the system overlap each other, too many for semeval to pair "
        "one to one. Leave it out, or divide the text into smaller documents."
    )
