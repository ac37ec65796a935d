"""Who deviates from the other annotators and what it costs, what is confused, and marks compared place by place."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import assay
from assay.corpus.ratings import Ratings
from assay.engine import coefficients as numbers
from assay.engine.annotators import confused_rows
from assay.engine.places import NOTHING
from assay.render import render
from assay.result.gates import Gates
from assay.result.numbers import coefficient, percent
from assay.result.verdict import sentence

NAMES = ("anna", "ben", "carl", "dora", "emil")


def people(skills: dict[str, float], items: int = 120, labels: str = "ABC", gaps: float = 0.0) -> dict[str, dict]:
    """Ratings by annotators who are right as often as their skill says; some are missing."""
    draw = random.Random(3)
    truth = [draw.choice(labels) for _ in range(items)]
    return {
        name: {
            f"d{item}": label if draw.random() < skill else draw.choice(labels)
            for item, label in enumerate(truth)
            if draw.random() >= gaps
        }
        for name, skill in skills.items()
    }


DEVIATING = people({**dict.fromkeys(NAMES, 0.85), "emil": 0.3}, gaps=0.3)
EVEN = people(dict.fromkeys(NAMES, 0.85))


def spans_of(name: str) -> list[list[tuple[str, str]]]:
    """Sentences with a name and a place; emil takes every second name for a place and leaves out some places."""
    sentences = []
    for number in range(24):
        tags = ["B-PER", "I-PER", "O", "B-LOC"]
        if name == "emil" and number % 2:
            tags[:2] = ["B-LOC", "I-LOC"]
        if name == "emil" and number % 3 == 0:
            tags[3] = "O"
        if number == NAMES.index(name):
            tags[3] = "B-ORG"
        words = ["Ada", "Lovelace", "saw", f"Rome{number}"]
        sentences.append(list(zip(words, tags, strict=True)))
    return sentences


def write_spans(folder: Path) -> dict[str, str]:
    """The files of all annotators."""
    for name in NAMES:
        lines = ["".join(f"{word}\t{tag}\n" for word, tag in sentence) for sentence in spans_of(name)]
        (folder / f"{name}.tsv").write_text("\n".join(lines), "utf-8")
    return {name: str(folder / f"{name}.tsv") for name in NAMES}


@pytest.fixture(scope="module")
def span_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return write_spans(tmp_path_factory.mktemp("spans"))


def test_agreement_without_an_annotator_is_that_of_the_others() -> None:
    result = assay.agreement(DEVIATING, times=20)
    alpha, kappa = result.score("all annotators", "alpha"), result.score("mean of all pairs", "kappa")
    for row in result.annotators:
        others = assay.agreement({name: given for name, given in DEVIATING.items() if name != row.name}, times=20)
        assert row.alpha_without == pytest.approx(others.score("all annotators", "alpha").value, abs=1e-12)
        assert row.alpha_gain == pytest.approx(row.alpha_without - alpha.value, abs=1e-12)
        assert row.pairs_without == pytest.approx(others.score("mean of all pairs", "kappa").value, abs=1e-12)
        assert row.pairs_gain == pytest.approx(row.pairs_without - kappa.value, abs=1e-12)


def test_pairs_of_spans_without_an_annotator_are_those_of_the_others(span_files: dict[str, str]) -> None:
    result = assay.agreement(span_files, ["exact"], times=20)
    whole = result.score("mean of all pairs", "exact")
    for row in result.annotators:
        others = assay.agreement(
            {name: file for name, file in span_files.items() if name != row.name}, ["exact"], times=20
        )
        assert row.pairs_without == pytest.approx(others.score("mean of all pairs", "exact").value, abs=1e-12)
        assert row.pairs_gain == pytest.approx(row.pairs_without - whole.value, abs=1e-12)
        assert math.isnan(row.alpha_gain)


def test_the_first_sentence_is_about_who_stands_out_in_every_rendering() -> None:
    result = assay.agreement(DEVIATING, times=50)
    assert [row.name for row in result.annotators if row.stands_out] == ["emil"]
    alpha, emil = (
        result.score("all annotators", "alpha"),
        next(row for row in result.annotators if row.name == "emil"),
    )
    said = f"Without emil, alpha rises from {coefficient(alpha.value)} to {coefficient(emil.alpha_without)}."
    assert result.verdict.startswith(f"{said} ")
    for form in ("md", "table", "html"):
        text = " ".join(render(result, form).split())
        # It comes before all tables.
        assert 0 < text.index(said) < text.index("AC1")
    facts = result.verdict_data.facts["deviation"]
    assert facts["people"] == [{"name": "emil", "without": emil.alpha_without}] and facts["stands_out"]


def test_if_nobody_stands_out_the_first_sentence_says_so() -> None:
    result = assay.agreement(EVEN, times=50)
    assert not any(row.stands_out for row in result.annotators)
    most = max(row.alpha_without for row in result.annotators)
    alpha = result.score("all annotators", "alpha").value
    said = f"alpha rises from {coefficient(alpha)} to at most {coefficient(most)} if one of them is left out."
    # A rise by .01 or more is not denied.
    assert most - alpha >= 0.01
    assert result.verdict.startswith(f"These data do not show that an annotator stands out: {said} ")
    facts = result.verdict_data.facts
    for highest, wanted in (
        (0.756, "alpha rises from .75 to at most .76 if"),
        (0.753, "alpha does not rise above .75 if"),
    ):
        deviation = {**facts["deviation"], "people": [{"name": "ben", "without": highest}]}
        text = sentence({**facts, "value": 0.75, "deviation": deviation})
        assert text.startswith(f"No annotator stands out: {wanted} one of them is left out. ")
    two = assay.agreement({name: EVEN[name] for name in NAMES[:2]}, times=50)
    assert two.verdict.startswith("The 2 annotators agree") or two.verdict.startswith("It is unclear")
    assert all(math.isnan(row.p_adjusted) for row in two.annotators)


def test_spans_name_the_mean_over_pairs(span_files: dict[str, str]) -> None:
    result = assay.agreement(span_files, times=20)
    (emil,) = [row for row in result.annotators if row.stands_out]
    mean = result.score("mean of all pairs", "exact")
    rises = f"from {percent(mean.value)} to {percent(emil.pairs_without)}"
    assert result.verdict.startswith(f"Without emil, mean exact F1 rises {rises}. Any two of the 5 annotators agree")


def distance(level: str, a: str, b: str, middle: dict[str, float]) -> float:
    if level == "nominal":
        return float(a != b)
    return (middle[a] - middle[b]) ** 2 if level == "ordinal" else (float(a) - float(b)) ** 2


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_p_is_that_of_students_t_over_items(level: str) -> None:
    data = people({**dict.fromkeys(NAMES, 0.7), "emil": 0.4}, 40, "1357", gaps=0.2)
    ratings = Ratings.of(
        *zip(*((item, name, label) for name, given in data.items() for item, label in given.items()), strict=True)
    )
    by_item: dict[str, dict[str, str]] = {}
    for name, given in data.items():
        for item, label in given.items():
            by_item.setdefault(item, {})[name] = label
    counts = Counter(label for given in by_item.values() if len(given) > 1 for label in given.values())
    below, middle = 0.0, {}
    for label in sorted(counts):
        middle[label], below = below + counts[label] / 2, below + counts[label]
    for place, name in enumerate(ratings.annotators):
        values = []
        for given in by_item.values():
            if name not in given or len(given) < 3:
                continue
            others = [label for other, label in given.items() if other != name]
            mine = np.mean([distance(level, given[name], label, middle) for label in others])
            theirs = np.mean([distance(level, a, b, middle) for a, b in combinations(others, 2)])
            values.append(mine - theirs)
        expected = ttest_1samp(values, 0, alternative="greater").pvalue
        assert numbers.distance_p_values(ratings, level)[place] == pytest.approx(expected, rel=1e-9)


def test_an_annotator_who_always_differs_has_a_small_p() -> None:
    items = [f"d{number}" for number in range(10) for _ in range(3)]
    ratings = Ratings.of(items, ["a", "b", "c"] * 10, ["x", "x", "y"] * 10)
    assert numbers.distance_p_values(ratings) == [1.0, 1.0, 0.5**10]


def most_frequent(labels: list[str]) -> set[str]:
    counts = Counter(labels)
    return {label for label, number in counts.items() if number == max(counts.values())}


def test_confused_labels_count_items() -> None:
    result = assay.agreement(DEVIATING, times=20)
    expected: Counter[tuple[str, str, str]] = Counter()
    rated: Counter[tuple[str, str]] = Counter()
    for name, given in DEVIATING.items():
        for item, label in given.items():
            others = [labels[item] for other, labels in DEVIATING.items() if other != name and item in labels]
            rated[name, label] += bool(others)
            most = most_frequent(others)
            expected.update((name, label, other) for other in most if label not in most)
    assert {(row.annotator, row.label, row.other): row.items for row in result.confused_labels} == expected
    for row in result.confused_labels:
        assert row.share == pytest.approx(row.items / rated[row.annotator, row.label])


def test_labels_without_a_disagreement_are_not_confused() -> None:
    ratings = Ratings.of(["d1", "d1", "d2", "d2"], ["a", "b", "a", "b"], ["x", "x", "y", "y"])
    assert list(confused_rows(ratings)) == []


def test_spans_are_compared_place_by_place(span_files: dict[str, str]) -> None:
    result = assay.agreement(span_files, ["exact"], times=20, items=True, embed="all")
    places = {
        (number, begin): [(name, tag) for name in NAMES if (tag := spans_of(name)[number][begin][1][2:] or NOTHING)]
        for number in range(24)
        for begin in (0, 3)
    }
    assert len(result.disagreements) == len(places)
    for row in result.disagreements:
        number, begin = row.item.partition(" ")[0].split(":")
        given = dict(places[int(number) - 1, int(begin.partition("-")[0]) - 1])
        assert row.ratings == given
        apart = sum(a != b for a, b in combinations(given.values(), 2)) / 10
        assert row.value == pytest.approx(apart)
    emil = next(row for row in result.annotators if row.name == "emil")
    assert emil.bias[NOTHING] == pytest.approx(8 / 48) and emil.items == 48
    texts = result.texts
    assert texts is not None and texts["systems"] == sorted(NAMES)
    split = sorted(value for value in texts["items"]["split"] if value)
    assert split == pytest.approx(sorted(row.value for row in result.disagreements if row.value))
    assert [layer["side"] for layer in texts["layers"]] == ["", *sorted(NAMES)]


def test_the_order_of_annotators_changes_nothing(span_files: dict[str, str]) -> None:
    there = assay.agreement(span_files, ["exact"], times=20)
    back = assay.agreement(dict(reversed(span_files.items())), ["exact"], times=20)
    for name in ("annotators", "coincidences", "confused_labels", "disagreements"):
        assert getattr(there, name) == getattr(back, name)


def test_notes_and_files_of_many_pairs_are_given_once(span_files: dict[str, str]) -> None:
    result = assay.agreement(span_files, times=20)
    assert [note for note in result.notes if "words are read from column" in note] == [
        "anna: words are read from column 1, labels from column 2. The same applies to ben, carl, dora and emil."
    ]
    assert result.signature.count("assay:") == 1
    assert all(result.signature.count(f"{name}:sha256=") == 1 for name in NAMES)


def test_annotators_without_a_document_are_compared_where_they_are(tmp_path: Path) -> None:
    for name, documents in (("anna", "12"), ("ben", "12"), ("carl", "2")):
        for document in documents:
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / f"d{document}.txt").write_text("Ada saw Rome", "utf-8")
            label = "ORG" if name == "carl" else "PER"
            (tmp_path / name / f"d{document}.ann").write_text(f"T1\t{label} 0 3\tAda\n", "utf-8")
    folders = {name: str(tmp_path / name) for name in ("anna", "ben", "carl")}
    result = assay.agreement(folders, ["exact"], missing="absent", times=20, items=True, embed="all")
    assert [row.ratings for row in result.disagreements] == [
        {"anna": "PER", "ben": "PER"},
        {"anna": "PER", "ben": "PER", "carl": "ORG"},
    ]


@pytest.mark.parametrize(
    ("limit", "missed"),
    [
        ("alpha=0.9", ["alpha of all annotators is "]),
        ("kappa=0.9", ["kappa of mean of all pairs is "]),
        ("kappa@anna ~ emil=0.9", ["kappa of anna ~ emil is "]),
        ("alpha=0.1", []),
    ],
)
def test_a_threshold_is_about_all_annotators(limit: str, missed: list[str]) -> None:
    lines = Gates((limit,)).missed(assay.agreement(DEVIATING, times=20))
    assert len(lines) == len(missed) and all(map(str.startswith, lines, missed))


@pytest.mark.parametrize("form", ["table", "md", "latex"])
def test_coefficients_are_no_percentages(form: str) -> None:
    result = assay.agreement(DEVIATING, times=50)
    text = render(result, form)
    for score in (row for row in result.scores if result.form_of(row) == "coefficient" and row.label is None):
        assert percent(score.value) not in text, score
    assert coefficient(result.score("all annotators", "alpha").value, 3) in text
