"""What holds for every measure, whatever it measures."""

from __future__ import annotations

import copy
import math
import os
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import assay
from assay import Result
from assay.corpus import from_lists
from assay.counts import Counts, merged
from assay.measures import find, measures
from assay.prepare import Options, prepare
from strategies import FOREIGN, LABELS, TRAINED, WORDS, Outputs, Text, outputs, seeds

MEASURES = list(measures())
AVERAGES = {(name, average) for name, definition in measures().items() for average in definition.averages}
"""Scores that are averages over labels; they are resampled unit by unit, in the order of the units."""
INTERVALS = ("percentile", "bca", "wilson")
GRADED = ("pa", "wpa", "cwpa")
TAKING_APART = (*GRADED, "pos-accuracy", "features")
"""Measures that look into labels, so that other names of labels are other labels."""


# "N|V" is an N with a category; the other labels have a part of speech alone, or are outside.
TAGSET = """
name = "small"
kind = "separated"
separator = "|"
[attributes.case]
values = ["V"]
[pos]
N = "[case]"
V = ""
"""


RICH = {"weights": "paper"}
"""What the measures of rich tags ask for."""


@pytest.fixture(scope="module", autouse=True)
def tagset(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("tagset") / "small.toml"
    path.write_text(TAGSET, encoding="utf-8")
    RICH["tagset"] = str(path)


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A list of known words, for the measures that ask for one."""
    path = tmp_path_factory.mktemp("train") / "words.txt"
    path.write_text("\n".join(TRAINED) + "\n", encoding="utf-8")
    return str(path)


def compared(data: Outputs, train: str, **options: Any) -> Result:
    options = {"times": 50, **options}
    return assay.compare(data.gold, data.systems, MEASURES, train=train, **RICH, **options)


def values(result: Result) -> dict[tuple[str, str, str, str | None], float]:
    return {(row.system, row.measure, row.score, row.label): row.value for row in result.scores}


# --- counts ---


@pytest.mark.parametrize("name", MEASURES)
@given(data=outputs(systems=1, most_sentences=8), seed=st.randoms(use_true_random=False))
def test_counts_add_up_over_any_split_of_the_sentences(name: str, train: str, data: Outputs, seed: Any) -> None:
    """Two parts counted apart and merged have the totals, the rows and the scores of the whole."""
    assume(len(data.gold) > 1)
    order = list(range(len(data.gold)))
    seed.shuffle(order)
    cut = seed.randint(1, len(order) - 1)
    whole = counted(name, data.part(order), train)
    together = merged([counted(name, data.part(part), train) for part in (order[:cut], order[cut:])])
    assert together.fields == whole.fields
    assert together.units == whole.units
    assert np.array_equal(together.matrix(), whole.matrix())
    assert by_label(together) == by_label(whole)
    assert scored(name, together) == pytest.approx(scored(name, whole), rel=1e-12, nan_ok=True)


def counted(name: str, data: Outputs, train: str) -> Counts:
    measure = find(name)
    run = prepare(data.gold, data.systems, [measure], Options(train=train, **RICH))
    ((_, pair),) = run.pairs
    return measure.count(measure.judge(pair), run.gold.sentences)


def by_label(counts: Counts) -> dict[str | None, tuple[int, ...]]:
    """Totals by label, without the labels that do not occur."""
    total = counts.total()
    if counts.labels is None:
        return {None: tuple(total.tolist())}
    rows = zip(counts.labels, total.tolist(), strict=True)
    return {label: tuple(row) for label, row in rows if any(row)}


def scored(name: str, counts: Counts) -> dict[str, float]:
    """The overall scores of some counts."""
    definition = measures()[name]
    overall = counts.matrix().sum(axis=0)
    sums = {field: np.asarray(float(n)) for field, n in zip(counts.fields, overall.tolist(), strict=True)}
    return {
        **{score: float(function(sums)) for score, function in definition.scores.items()},
        **{score: float(function(counts.sums())) for score, function in definition.averages.items()},
    }


# --- scores ---


@given(data=outputs(systems=1, other_words=False))
def test_perfect_output_has_the_best_score(train: str, data: Outputs) -> None:
    """Every score, overall and per label, is 1 with the interval [1, 1]; undefined only where nothing counts."""
    result = assay.score(data.gold, {"perfect": copy.deepcopy(data.gold)}, MEASURES, train=train, times=50, **RICH)
    empty = {(row.measure, row.label) for row in result.counts if not any(row.counts.values())}
    assert {row.measure for row in result.scores} == set(MEASURES)
    for row in result.scores:
        expected = math.nan if (row.measure, row.label) in empty else 1.0
        # Averages are sums of products of floats; nothing else may differ from 1.
        assert (row.value, row.low, row.high) == pytest.approx((expected,) * 3, rel=1e-14, nan_ok=True), row
    unseen = any(word not in TRAINED for sentence in data.gold for word, _ in sentence)
    # Without a tag that has a category, there is nothing to count for features.
    assert empty - {("features", None)} == (set() if unseen else {("oov-accuracy", None)})


@given(data=outputs(), seed=seeds(), interval=st.sampled_from(INTERVALS))
def test_every_figure_is_undefined_or_a_share(train: str, data: Outputs, seed: int, interval: str) -> None:
    """Values and interval ends lie in [0, 1], differences in [-1, 1], p in ]0, 1]; low is not above high."""
    result = compared(data, train, seed=seed, interval=interval)
    for row in result.scores:
        shares = (row.value, row.low, row.high)
        assert all(math.isnan(share) for share in shares) or (
            all(0 <= share <= 1 for share in shares) and row.low <= row.high
        ), row
    for pair in result.comparisons:
        assert math.isnan(pair.difference) or -1 <= pair.difference <= 1
        assert not pair.low > pair.high
        if not math.isnan(pair.p):
            assert 0 < pair.p <= pair.p_adjusted <= 1
            assert 0 <= pair.p_low <= pair.p <= pair.p_high <= 1
    for bound in result.bounds:
        assert all(0 <= share <= bound.upper <= 1 for share in bound.systems.values())
        assert 0 <= bound.gain_over_best_here <= bound.gain


@given(data=outputs(), seed=st.randoms(use_true_random=False))
def test_the_order_of_sentences_changes_nothing(train: str, data: Outputs, seed: Any) -> None:
    """Nor does it change what differs, or the intervals and tests of scores that are no averages over labels."""
    order = list(range(len(data.gold)))
    seed.shuffle(order)
    one, other = compared(data, train), compared(data.part(order), train)
    assert values(one) == pytest.approx(values(other), rel=1e-12, nan_ok=True)
    # Spelled out, since an undefined overlap is not equal to itself.
    for part in ("diffs", "bounds", "growth", "unique"):
        assert repr(getattr(one, part)) == repr(getattr(other, part))
    assert one.confusion == other.confusion
    assert resampled(one) == pytest.approx(resampled(other), abs=0, nan_ok=True)


@given(data=outputs(), names=st.permutations([*FOREIGN, "more", "labels"]))
def test_the_names_of_labels_change_nothing_overall(train: str, data: Outputs, names: list[str]) -> None:
    """The same text under other names of labels has the same overall scores, intervals and tests."""
    renamed = dict(zip(FOREIGN, names, strict=False))

    def rename(text: Text) -> Text:
        return [[(word, renamed[label]) for word, label in sentence] for sentence in text]

    plain = [name for name in MEASURES if name not in TAKING_APART]
    one, other = (
        assay.compare(d.gold, d.systems, plain, train=train, times=50) for d in (data, data.changed(rename))
    )
    overall = [{key: value for key, value in values(result).items() if key[-1] is None} for result in (one, other)]
    assert overall[0] == pytest.approx(overall[1], rel=1e-12, nan_ok=True)
    by_name = {(*key[:3], renamed[key[3]]): value for key, value in values(one).items() if key[3] is not None}
    assert by_name == pytest.approx(
        {key: value for key, value in values(other).items() if key[3] is not None}, abs=0, nan_ok=True
    )
    assert resampled(one) == pytest.approx(resampled(other), abs=0, nan_ok=True)
    for ours, theirs in zip(one.diffs, other.diffs, strict=True):
        for field in ("items", "different", "corrections", "new_errors", "changed_errors", "both_right"):
            assert getattr(ours, field) == getattr(theirs, field)


def resampled(result: Result) -> dict[tuple[str, ...], float]:
    """Interval ends and p-values, of scores that are no averages over labels."""
    figures = {}
    for row in result.scores:
        if row.label is None and (row.measure, row.score) not in AVERAGES:
            figures[row.system, row.measure, row.score, "low"] = row.low
            figures[row.system, row.measure, row.score, "high"] = row.high
    for pair in result.comparisons:
        if (pair.measure, pair.score) not in AVERAGES:
            for end in ("low", "high", "p", "p_low", "p_high"):
                figures[pair.test, pair.a, pair.b, pair.measure, pair.score, end] = getattr(pair, end)
    return figures


# --- Results ---


@given(data=outputs(), seed=seeds(), interval=st.sampled_from(INTERVALS))
def test_the_same_seed_gives_the_same_json_and_json_can_be_read_back(
    train: str, data: Outputs, seed: int, interval: str
) -> None:
    """Byte for byte; and a Result read back is written as the same text."""
    options: dict[str, Any] = {"seed": seed, "interval": interval, "slices": ("seen",), "examples": 2}
    text = compared(data, train, **options).to_json()
    assert compared(data, train, **options).to_json() == text
    assert Result.from_json(text).to_json() == text


_PROGRAM = """
import sys, assay
from assay.measures import measures
gold = [[(w, "NVA"[(i * k) % 3]) for i, w in enumerate("abcdefg"[:k % 7 + 1])] for k in range(40)]
outs = {name: [[(w, "NVAX"[(i * k + k // m) % 4]) for i, (w, _) in enumerate(s)] for k, s in enumerate(gold)]
        for name, m in (("p", 3), ("q", 4), ("r", 5))}
result = assay.compare(gold, outs, list(measures()), train=sys.argv[1], times=200, seed=int(sys.argv[2]),
                       slices=("label", "seen"), examples=3, tagset=sys.argv[3], weights="paper", sweep=50)
sys.stdout.buffer.write(result.to_json().encode())
"""


def test_another_process_gives_the_same_json(train: str) -> None:
    """Whatever order its hash tables have; another seed gives other intervals."""

    def run(hash_seed: str, seed: int) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", _PROGRAM, train, str(seed), RICH["tagset"]]
        return subprocess.run(command, env=environment, check=True, capture_output=True).stdout

    first = run("1", 7)
    assert run("2", 7) == first
    ours, other = Result.from_json(first.decode()), Result.from_json(run("1", 8).decode())
    assert values(ours) == pytest.approx(values(other), abs=0, nan_ok=True)
    assert [row.low for row in ours.scores] != [row.low for row in other.scores]


@given(data=outputs())
def test_inputs_are_never_changed(train: str, data: Outputs) -> None:
    """Lists and corpora are afterwards what they were before."""
    before = copy.deepcopy(data)
    compared(data, train, slices=("seen", "sentence-length"), examples=1)
    assert data == before
    gold = from_lists(data.gold, "gold")
    systems = {name: from_lists(text, name) for name, text in data.systems.items()}
    pictures = [picture(corpus) for corpus in (gold, *systems.values())]
    assay.compare(gold, systems, MEASURES, train=train, times=20, slices=("seen",), examples=1, **RICH)
    assert [picture(corpus) for corpus in (gold, *systems.values())] == pictures
    assert Path(train).read_text(encoding="utf-8").split() == list(TRAINED)


def picture(corpus: Any) -> Any:
    """All that a corpus holds, as plain values."""
    columns = {name: (column.codes.tolist(), column.vocabulary) for name, column in corpus.columns.items()}
    return corpus.name, corpus.forms.codes.tolist(), corpus.forms.vocabulary, columns, corpus.starts.tolist()


# --- comparing ---


@given(data=outputs(systems=1))
def test_a_system_against_itself_differs_in_nothing(train: str, data: Outputs) -> None:
    """p is 1, every difference 0 with the interval [0, 0], and there is no change of any kind."""
    twice = Outputs(data.gold, {"one": data.systems["s1"], "two": copy.deepcopy(data.systems["s1"])})
    result = compared(twice, train)
    undefined = {(row.measure, row.score) for row in result.scores if row.label is None and math.isnan(row.value)}
    assert {row.measure for row in result.comparisons} == set(MEASURES)
    for row in result.comparisons:
        assert (row.p, row.p_low, row.p_high, row.p_adjusted, row.units) == (1, 1, 1, 1, 0)
        if row.test == "shuffling":
            expected = math.nan if (row.measure, row.score) in undefined else 0.0
            assert (row.difference, row.low, row.high) == pytest.approx((expected,) * 3, abs=0, nan_ok=True)
        else:
            assert row.p_mid == 1
    for diff in result.diffs:
        assert (diff.different, diff.corrections, diff.new_errors, diff.changed_errors) == (0, 0, 0, 0)
        assert (diff.diff, diff.difference, diff.changes, diff.overlap_all) == (0, 0, (), 1)
        assert diff.overlap_right == 1 or (math.isnan(diff.overlap_right) and diff.both_right == 0)
    assert any("one and two give the same answers throughout" in warning for warning in result.warnings)


@given(data=outputs())
def test_swapping_two_systems_swaps_corrections_and_new_errors(train: str, data: Outputs) -> None:
    """What was a correction is a new error, differences change their sign, and every p stays."""
    forth, back = both_ways(data, train)
    for ours, theirs in zip(forth.diffs, back.diffs, strict=True):
        assert (ours.a, ours.b, ours.on) == (theirs.b, theirs.a, theirs.on)
        assert (ours.corrections, ours.new_errors) == (theirs.new_errors, theirs.corrections)
        for field in ("items", "different", "changed_errors", "both_right", "same_error", "overlap_right"):
            assert getattr(ours, field) == pytest.approx(getattr(theirs, field), abs=0, nan_ok=True)
        assert ours.difference == -theirs.difference
        turned = {"correction": "new-error", "new-error": "correction", "changed-error": "changed-error"}
        assert {(turned[row.kind], row.gold, row.after, row.before, row.count) for row in ours.changes} == {
            (row.kind, row.gold, row.before, row.after, row.count) for row in theirs.changes
        }
        assert {(row.label, row.items, row.a, row.b, row.difference, row.effect) for row in ours.labels} == {
            (row.label, row.items, row.b, row.a, -row.difference, -row.effect) for row in theirs.labels
        }
    assert outcomes_of(forth) == pytest.approx(outcomes_of(back, turned=True), abs=0, nan_ok=True)


def both_ways(data: Outputs, train: str, **options: Any) -> tuple[Result, Result]:
    turned = Outputs(data.gold, dict(reversed(data.systems.items())))
    return compared(data, train, **options), compared(turned, train, **options)


def outcomes_of(result: Result, *, turned: bool = False) -> dict[tuple[str, ...], float]:
    """The difference and p-values of each test; turned round, as if the systems were given the other way."""
    figures = {}
    for row in result.comparisons:
        a, b, sign = (row.b, row.a, -1) if turned else (row.a, row.b, 1)
        figures[a, b, row.test, row.measure, row.score, "difference"] = sign * row.difference
        for field in ("p", "p_low", "p_high", "p_adjusted", "units"):
            figures[a, b, row.test, row.measure, row.score, field] = getattr(row, field)
    return figures


def large(words: int = 9, sentences: int = 120, seed: int = 5) -> Outputs:
    """Two systems that differ in so many ways that shufflings are drawn, not enumerated."""
    rng = np.random.default_rng(seed)
    gold: Text = [
        [(str(rng.choice(WORDS)), str(rng.choice(LABELS))) for _ in range(rng.integers(1, words + 1))]
        for _ in range(sentences)
    ]
    found = {
        name: [
            [(word, label if rng.random() < share else str(rng.choice(FOREIGN))) for word, label in sentence]
            for sentence in gold
        ]
        for name, share in (("s1", 0.6), ("s2", 0.65))
    }
    return Outputs(gold, found)


def test_swapping_two_systems_keeps_p_where_shufflings_are_drawn(train: str) -> None:
    """The shufflings drawn for a pair do not depend on which of the two is named first."""
    forth, back = both_ways(large(), train, times=500)
    drawn = [row for row in forth.comparisons if row.test == "shuffling" and not row.exact]
    assert {row.measure for row in drawn} >= {"accuracy", "tag-f1"}
    assert outcomes_of(forth) == outcomes_of(back, turned=True)


def test_swapping_two_systems_turns_the_interval_of_their_difference_round(train: str) -> None:
    """[low, high] becomes [-high, -low], since both ways the same resamples are drawn."""
    forth, back = both_ways(large(), train, times=500)
    pairs = list(zip(forth.comparisons, back.comparisons, strict=True))
    assert all((ours.measure, ours.score) == (theirs.measure, theirs.score) for ours, theirs in pairs)
    ours = [(one.low, one.high) for one, _ in pairs if one.test == "shuffling"]
    theirs = [(-other.high, -other.low) for _, other in pairs if other.test == "shuffling"]
    assert np.array(ours) == pytest.approx(np.array(theirs), rel=1e-12)


def test_swapping_two_systems_keeps_the_interval_of_each(train: str) -> None:
    """A system's own figures do not depend on its place among the others."""
    forth, back = both_ways(large(), train, times=500)
    assert intervals_of(forth) == pytest.approx(intervals_of(back), rel=1e-12, nan_ok=True)


def intervals_of(result: Result) -> dict[tuple[str, str, str, str | None, str], float]:
    return {
        (row.system, row.measure, row.score, row.label, end): getattr(row, end)
        for row in result.scores
        for end in ("low", "high")
    }


@given(data=outputs(systems=3))
def test_changes_account_for_every_item_and_for_the_difference(train: str, data: Outputs) -> None:
    """Five kinds of items make up all; corrections minus new errors is what one system is ahead."""
    result = compared(data, train)
    assert len(result.diffs) == 3 * len({diff.on for diff in result.diffs})
    for diff in result.diffs:
        kinds = (diff.both_right, diff.corrections, diff.new_errors, diff.changed_errors, diff.same_error)
        assert sum(kinds) == diff.items
        assert diff.different == diff.corrections + diff.new_errors + diff.changed_errors
        if diff.on in GRADED:
            assert (diff.improved or 0) + (diff.worsened or 0) + (diff.sideways or 0) == diff.different
            assert (diff.gain or 0) - (diff.loss or 0) == pytest.approx(diff.difference * diff.items, abs=1e-6)
        else:
            assert diff.corrections - diff.new_errors == pytest.approx(diff.difference * diff.items, abs=1e-9)
        if "/" not in diff.on:
            score = "strong" if diff.on in GRADED else "recall"
            scores = [result.score(name, diff.on, score).value for name in (diff.a, diff.b)]
            assert diff.difference == pytest.approx(scores[1] - scores[0], abs=1e-9)
        listed = defaultdict(int)
        for row in diff.changes:
            listed[row.kind] += row.count
        assert (listed["correction"], listed["new-error"]) == (diff.corrections, diff.new_errors)
        assert listed["changed-error"] == diff.changed_errors
        assert sum(row.items for row in diff.labels) == diff.items
        assert sum(row.effect for row in diff.labels) == pytest.approx(diff.difference, abs=1e-12)


@given(data=outputs())
def test_all_tests_of_a_score_are_about_the_same_difference(train: str, data: Outputs) -> None:
    """Whichever test it is, the difference is that of the scores of this name."""
    result = compared(data, train)
    for row in result.comparisons:
        scores = [result.score(name, row.measure, row.score).value for name in (row.a, row.b)]
        assert row.difference == pytest.approx(scores[1] - scores[0], abs=1e-12, nan_ok=True), row.test


@given(data=outputs(systems=3))
def test_a_perfect_choice_is_at_least_as_good_as_any_system(train: str, data: Outputs) -> None:
    """Overall and for each label; the labels add up to the whole, and so do the systems that join one by one."""
    result = compared(data, train)
    for on in {bound.on for bound in result.bounds}:
        overall, *labels = [bound for bound in result.bounds if bound.on == on]
        assert overall.label is None
        for bound in (overall, *labels):
            assert bound.upper >= max(bound.systems.values())
            assert bound.all_right / bound.items <= min(bound.systems.values()) + 1e-12
            if on not in GRADED:
                assert bound.upper == (bound.items - bound.none_right) / bound.items
            assert bound.gain == bound.upper - bound.systems[bound.best]
        for field in ("items", "all_right", "none_right"):
            assert sum(getattr(bound, field) for bound in labels) == getattr(overall, field)
        steps = [step for step in result.growth if step.on == on]
        assert sorted(step.added for step in steps) == sorted(data.systems)
        assert increasing([step.upper for step in steps])
        assert increasing([-step.all_right for step in steps])
        assert (steps[-1].upper, steps[-1].all_right) == pytest.approx(
            (overall.upper, overall.all_right / overall.items), abs=1e-12
        )
        alone = sum(row.only_right for row in result.unique if row.on == on)
        assert alone <= overall.items - overall.none_right - overall.all_right


def increasing(numbers: list[float]) -> bool:
    return all(before <= after for before, after in pairwise(numbers))


@given(data=outputs(other_words=False))
def test_labels_without_words_are_compared_by_position(train: str, data: Outputs) -> None:
    """Plain labels give the figures that the same labels with their words give."""

    def bare(text: Text) -> list[list[str]]:
        return [[label for _, label in sentence] for sentence in text]

    names = [name for name in MEASURES if name != "oov-accuracy"]
    with_words = assay.compare(data.gold, data.systems, names, times=50, **RICH)
    without = assay.compare(
        bare(data.gold), {name: bare(text) for name, text in data.systems.items()}, names, times=50, **RICH
    )
    assert values(with_words) == pytest.approx(values(without), abs=0, nan_ok=True)
    assert outcomes_of(with_words) == pytest.approx(outcomes_of(without), abs=0, nan_ok=True)
    assert intervals_of(with_words) == pytest.approx(intervals_of(without), abs=0, nan_ok=True)
    assert repr(with_words.diffs) == repr(without.diffs)
    assert without.aligned_by == "position"
