"""Seven taggers on the German GSD test set, against published scores and a count that shares no code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest

import assay
from assay import Result
from cases import each

SYSTEMS = (
    "nltk-tnt",
    "perceptron-dict",
    "crfsuite",
    "hanta-pretrained",
    "nltk-perceptron",
    "spacy",
    "udpipe",
)
COLUMNS = {"UPOS": 3, "XPOS": 4}
MEASURES = ["accuracy", "oov-accuracy", "sentence-accuracy", "tag-f1"]


@dataclass(frozen=True)
class Plain:
    """The files as plain lists: forms, gold tags and every system's tags, and each word's sentence."""

    forms: list[str]
    sentence: list[int]
    gold: list[str]
    tags: dict[str, list[str]]
    train: frozenset[str]

    def right(self, system: str) -> list[bool]:
        return [g == s for g, s in zip(self.gold, self.tags[system], strict=True)]


def words(path: Path, column: int) -> Iterator[tuple[int, str, str]]:
    """(sentence, form, tag) of each word: ranges, empty nodes and comments are no words."""
    sentence = 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        cells = line.split("\t")
        if line == "":
            sentence += 1
        elif cells[0].isdigit():
            yield sentence, cells[1], cells[column]


@pytest.fixture(scope="module", params=list(COLUMNS))
def column(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(shared_data: Callable[[str], Path]) -> Path:
    return shared_data("pos-german")


@pytest.fixture(scope="module")
def plain(folder: Path, column: str) -> Plain:
    index = COLUMNS[column]
    gold = list(words(folder / "gold.conllu", index))
    outputs = {system: list(words(folder / f"{system}.conllu", index)) for system in SYSTEMS}
    return Plain(
        forms=[form for _, form, _ in gold],
        sentence=[sentence for sentence, _, _ in gold],
        gold=[tag for _, _, tag in gold],
        tags={system: [tag for _, _, tag in rows] for system, rows in outputs.items()},
        train=frozenset((folder / "train-words.txt").read_text(encoding="utf-8").split("\n")),
    )


@pytest.fixture(scope="module")
def result(folder: Path, column: str) -> Result:
    return assay.compare(
        folder / "gold.conllu",
        {system: folder / f"{system}.conllu" for system in SYSTEMS},
        MEASURES,
        column=column,
        train=str(folder / "train-words.txt"),
        times=20,
        power=None,
    )


def test_the_whole_test_set_is_compared_word_by_word(result: Result, plain: Plain) -> None:
    """977 sentences and 16,499 words, aligned by words."""
    assert (result.about.units, result.about.items, result.about.aligned_by) == (977, 16_499, "words")
    assert len(plain.gold) == 16_499
    assert [source.name for source in result.systems] == list(SYSTEMS)


@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_equal_the_published_ones(result: Result, folder: Path, column: str, system: str) -> None:
    """Accuracy, accuracy on unseen words and whole sentences, to the two decimals of scores.json."""
    published = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert set(published) == set(SYSTEMS)
    ours = {
        "acc": result.score(system, "accuracy").value,
        "oov": result.score(system, "oov-accuracy").value,
        "sent": result.score(system, "sentence-accuracy").value,
    }
    assert {name: round(100 * value, 2) for name, value in ours.items()} == published[system][column]


@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_equal_a_plain_count(result: Result, plain: Plain, system: str) -> None:
    """The same three figures exactly, and the four scores of an accuracy are one number."""
    right = plain.right(system)
    unseen = [ok for ok, form in zip(right, plain.forms, strict=True) if form not in plain.train]
    faulty = {sentence for sentence, ok in zip(plain.sentence, right, strict=True) if not ok}
    sentences = set(plain.sentence)
    for score in ("f1", "precision", "recall", "aligned"):
        assert result.score(system, "accuracy", score).value == sum(right) / len(right)
        assert result.score(system, "oov-accuracy", score).value == sum(unseen) / len(unseen)
    assert result.score(system, "sentence-accuracy").value == len(sentences - faulty) / len(sentences)


@pytest.mark.parametrize("system", SYSTEMS)
def test_precision_recall_and_f1_of_each_tag_equal_a_plain_count(result: Result, plain: Plain, system: str) -> None:
    """Every tag that gold or any system uses is there; 0/0 is undefined, not 0."""
    in_gold, assigned = Counter(plain.gold), Counter(plain.tags[system])
    right = Counter(tag for tag, ok in zip(plain.gold, plain.right(system), strict=True) if ok)
    tags = set(plain.gold).union(*plain.tags.values())
    rows = {
        (row.label, row.score): row.value
        for row in result.scores
        if (row.system, row.measure) == (system, "tag-f1") and row.label is not None
    }
    assert {label for label, _ in rows} == tags
    for tag in tags:
        for score, below in (("precision", assigned[tag]), ("recall", in_gold[tag])):
            expected = right[tag] / below if below else float("nan")
            assert rows[tag, score] == pytest.approx(expected, abs=0, nan_ok=True), (tag, score)
        assert rows[tag, "f1"] == pytest.approx(
            2 * right[tag] / (assigned[tag] + in_gold[tag]) if assigned[tag] + in_gold[tag] else float("nan"),
            abs=0,
            nan_ok=True,
        ), tag


@pytest.mark.parametrize("system", SYSTEMS)
def test_averages_over_tags_equal_a_plain_count(result: Result, plain: Plain, system: str) -> None:
    """Macro averages run over the tags that gold has; weighted ones count each as often as gold has it."""
    in_gold, assigned = Counter(plain.gold), Counter(plain.tags[system])
    right = Counter(tag for tag, ok in zip(plain.gold, plain.right(system), strict=True) if ok)
    f1 = {tag: 2 * right[tag] / (assigned[tag] + in_gold[tag]) for tag in in_gold}
    recall = {tag: right[tag] / in_gold[tag] for tag in in_gold}
    precision = {tag: right[tag] / assigned[tag] if assigned[tag] else 0 for tag in in_gold}
    for score, values in (("macro-f1", f1), ("macro-recall", recall), ("macro-precision", precision)):
        ours = result.score(system, "tag-f1", score).value
        assert ours == pytest.approx(sum(values.values()) / len(values), rel=1e-12)
    weighted = sum(f1[tag] * in_gold[tag] for tag in in_gold) / len(plain.gold)
    assert result.score(system, "tag-f1", "weighted-f1").value == pytest.approx(weighted, rel=1e-12)


def test_confusions_equal_a_plain_count(result: Result, plain: Plain) -> None:
    """Gold tag and wrong tag, the most frequent first."""
    for system in SYSTEMS:
        expected = Counter((g, s) for g, s in zip(plain.gold, plain.tags[system], strict=True) if g != s)
        rows = [row for row in result.confusion if row.system == system]
        assert {(row.gold, row.assigned): row.count for row in rows} == expected
        assert [row.count for row in rows] == sorted(expected.values(), reverse=True)


def test_every_pair_of_systems_is_compared_once(result: Result) -> None:
    """21 pairs, in the order in which the systems were given."""
    pairs = [(diff.a, diff.b) for diff in result.diffs if diff.on == "accuracy" and diff.slice is None]
    assert pairs == list(combinations(SYSTEMS, 2))


@each("a, b", combinations(SYSTEMS, 2), ids=" and ".join)
def test_what_differs_between_two_systems_equals_a_plain_count(result: Result, plain: Plain, a: str, b: str) -> None:
    """Differences, corrections, new and changed errors, and which tag became which."""
    (diff,) = [diff for diff in result.diffs if (diff.a, diff.b, diff.on) == (a, b, "accuracy")]
    kinds: Counter[str] = Counter()
    changes: Counter[tuple[str, str, str, str]] = Counter()
    for gold, before, after in zip(plain.gold, plain.tags[a], plain.tags[b], strict=True):
        if before == after:
            kinds["both right" if before == gold else "same error"] += 1
            continue
        kind = "correction" if after == gold else "new-error" if before == gold else "changed-error"
        kinds[kind] += 1
        changes[kind, gold, before, after] += 1
    different = kinds["correction"] + kinds["new-error"] + kinds["changed-error"]
    assert (diff.items, diff.different, diff.diff) == (len(plain.gold), different, different / len(plain.gold))
    assert (diff.corrections, diff.new_errors) == (kinds["correction"], kinds["new-error"])
    assert (diff.changed_errors, diff.both_right) == (kinds["changed-error"], kinds["both right"])
    assert diff.same_error == kinds["same error"]
    assert {(row.kind, row.gold, row.before, row.after): row.count for row in diff.changes} == changes
    for row in diff.changes:
        assert row.share_of_kind == row.count / kinds[row.kind]
        assert row.share_of_changes == row.count / different
    rights = sum(plain.right(a)) + sum(plain.right(b))
    assert diff.overlap_right == 2 * kinds["both right"] / rights


@each("a, b", combinations(SYSTEMS, 2), ids=" and ".join)
def test_accuracy_per_gold_tag_of_two_systems_equals_a_plain_count(
    result: Result, plain: Plain, a: str, b: str
) -> None:
    """Tuggener's Table 12, the largest contribution to the difference first."""
    (diff,) = [diff for diff in result.diffs if (diff.a, diff.b, diff.on) == (a, b, "accuracy")]
    items = Counter(plain.gold)
    right_a = Counter(tag for tag, ok in zip(plain.gold, plain.right(a), strict=True) if ok)
    right_b = Counter(tag for tag, ok in zip(plain.gold, plain.right(b), strict=True) if ok)
    rows = {row.label: (row.items, row.a, row.b) for row in diff.labels}
    assert rows == {tag: (number, right_a[tag] / number, right_b[tag] / number) for tag, number in items.items()}
    adds = result.label_contributions(diff)
    gained = {tag: (right_b[tag] - right_a[tag]) / len(plain.gold) for tag in items}
    assert adds == pytest.approx({tag: gained[tag] for tag in adds}, abs=1e-12)
    assert not any(gained[tag] for tag in items if tag not in adds)
    sizes = [abs(adds.get(row.label, 0.0)) for row in diff.labels]
    assert sizes == sorted(sizes, reverse=True)


def test_upper_bounds_overall_and_per_tag_equal_a_plain_count(result: Result, plain: Plain) -> None:
    """A word is right if any system is right; also the words no system and every system solves."""
    rights = {system: plain.right(system) for system in SYSTEMS}
    bounds = {bound.label: bound for bound in result.bounds if bound.on == "accuracy" and bound.slice is None}
    assert set(bounds) == {None, *plain.gold}
    best = max(SYSTEMS, key=lambda system: sum(rights[system]))
    for label, bound in bounds.items():
        chosen = [index for index, tag in enumerate(plain.gold) if label in (None, tag)]
        votes = [sum(rights[system][index] for system in SYSTEMS) for index in chosen]
        each = {system: sum(rights[system][index] for index in chosen) / len(chosen) for system in SYSTEMS}
        upper = sum(vote > 0 for vote in votes) / len(chosen)
        assert (bound.items, bound.systems, bound.upper) == (len(chosen), each, upper)
        assert bound.none_right == votes.count(0)
        assert bound.all_right == votes.count(len(SYSTEMS))
        assert bound.best == best
        assert bound.gain == upper - each[best]
        assert bound.gain_over_best_here == upper - max(each.values())


def test_words_that_one_system_alone_solves_equal_a_plain_count(result: Result, plain: Plain) -> None:
    """For each system the words that all others have wrong."""
    rights = {system: plain.right(system) for system in SYSTEMS}
    votes = [sum(column) for column in zip(*rights.values(), strict=True)]
    expected = {
        system: sum(ok and vote == 1 for ok, vote in zip(rights[system], votes, strict=True)) for system in SYSTEMS
    }
    assert {row.system: row.only_right for row in result.unique if row.on == "accuracy"} == expected


def test_the_upper_bound_grows_by_the_system_that_adds_most(result: Result, plain: Plain) -> None:
    """The best system first; then each time no other system would have added more."""
    rights = {system: set(_where(plain.right(system))) for system in SYSTEMS}
    covered: set[int] = set()
    shared = set(range(len(plain.gold)))
    left = set(SYSTEMS)
    rows = [row for row in result.growth if row.on == "accuracy"]
    assert [row.systems for row in rows] == list(range(1, len(SYSTEMS) + 1))
    for row in rows:
        assert len(covered | rights[row.added]) == max(len(covered | rights[system]) for system in left)
        left.remove(row.added)
        covered |= rights[row.added]
        shared &= rights[row.added]
        assert (row.upper, row.all_right) == (len(covered) / len(plain.gold), len(shared) / len(plain.gold))
    assert not left


def _where(values: list[bool]) -> list[int]:
    return [index for index, value in enumerate(values) if value]
