"""Splits: the same everywhere, each sentence tested once per repetition, and readable from disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.experiment import read_plan, write_splits
from assay.experiment.data import Data
from assay.experiment.splits import Design, make_split, run_seed, shuffle_units
from unit.experiment.plans import corpus, plan
from unit.samples import refusal

File = Callable[[str, str | bytes], str]


def test_the_order_of_sentences_never_changes() -> None:
    # From `sha256sum` over lines such as ["assay-split/1", 0, "news", 1, 5]: no Python is involved.
    assert shuffle_units(0, "news", 1, 8) == [7, 4, 6, 1, 5, 0, 2, 3]
    assert shuffle_units(0, "news", 2, 8) == [3, 4, 5, 2, 1, 0, 7, 6]
    assert shuffle_units(1, "news", 1, 8) == [7, 0, 6, 4, 5, 2, 3, 1]
    assert run_seed(0, "news", 1, 1) == 1867942688


@given(
    units=st.integers(10, 97),
    folds=st.integers(3, 10),
    dev=st.booleans(),
    repetition=st.integers(1, 3),
    seed=st.integers(0, 5),
)
def test_in_each_repetition_every_unit_is_tested_once(
    units: int, folds: int, dev: bool, repetition: int, seed: int
) -> None:
    design = Design(folds=folds, dev=dev, seed=seed)
    splits = [make_split(design, "x", repetition, fold, units) for fold in range(1, folds + 1)]
    assert sorted(unit for split in splits for unit in split.test) == list(range(units))
    sizes = [len(split.test) for split in splits]
    assert max(sizes) - min(sizes) <= 1
    for number, split in enumerate(splits):
        assert sorted([*split.train, *split.dev, *split.test]) == list(range(units))
        assert split.dev == (splits[(number + 1) % folds].test if dev else ())


def test_random_splits_are_eight_tenths_one_tenth_and_the_rest() -> None:
    design = Design(folds=10, repetitions=2, scheme="random")
    first, second = (make_split(design, "x", number, 1, 105) for number in (1, 2))
    assert (len(first.train), len(first.dev), len(first.test)) == (84, 10, 11)
    assert first.test != second.test
    without = make_split(Design(folds=10, dev=False, scheme="random"), "x", 1, 1, 105)
    assert (len(without.train), len(without.dev), len(without.test)) == (94, 0, 11)


def test_too_few_sentences_are_refused() -> None:
    text = refusal(make_split, Design(folds=10), "news", 1, 1, 7)
    assert text == "news: 7 sentences cannot be divided into 10 folds. Use fewer folds."


@pytest.mark.parametrize("scheme", ["folds", "random"])
def test_splits_written_to_disk_are_the_splits_that_are_used(file: File, scheme: str) -> None:
    file("gold.conllu", corpus(12))
    made = Data.read(read_plan(file("a.toml", plan(repetitions=2, scheme=scheme))).datasets["news"])
    (path,) = write_splits("a.toml", "splits")
    assert path == Path("splits/news.splits.json")
    given_plan = plan(folds=7, seed=99, news={"splits": "splits/news.splits.json"})
    data = Data.read(read_plan(file("b.toml", given_plan)).datasets["news"])
    assert data.dataset.design == made.dataset.design
    for repetition in (1, 2):
        assert data.split(repetition, 1) == made.split(repetition, 1)


def test_splits_of_other_data_are_refused(file: File) -> None:
    file("gold.conllu", corpus(12))
    file("a.toml", plan())
    write_splits("a.toml", ".")
    file("gold.conllu", corpus(13))
    data = Data.read(read_plan(file("b.toml", plan(news={"splits": "news.splits.json"}))).datasets["news"])
    with pytest.raises(InputError, match="was made for different data"):
        data.split(1, 1)


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (lambda content: "no", "is not a file of splits"),
        (lambda content: {**content, "schema": "x"}, "is not a file of splits"),
        (lambda content: {**content, "dataset": "other"}, "contains the splits of other, not of news"),
        (lambda content: {**content, "splits": []}, "is damaged"),
        (lambda content: {**content, "splits": [{"folds": "x"}]}, "is damaged"),
    ],
)
def test_a_damaged_file_of_splits_is_refused_with_its_place(
    file: File, change: Callable[[dict[str, object]], object], fact: str
) -> None:
    file("gold.conllu", corpus(12))
    file("a.toml", plan())
    (path,) = write_splits("a.toml", ".")
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))), "utf-8")
    text = refusal(read_plan, file("b.toml", plan(news={"splits": "news.splits.json"})))
    assert text.startswith("b.toml:") and "[datasets.news] splits: " in text
    assert fact in text


def test_a_sentence_in_two_folds_is_refused(file: File) -> None:
    file("gold.conllu", corpus(12))
    file("a.toml", plan())
    (path,) = write_splits("a.toml", ".")
    content = json.loads(path.read_text("utf-8"))
    content["splits"][0]["folds"][0][0] = content["splits"][0]["folds"][1][0]
    path.write_text(json.dumps(content), "utf-8")
    data = Data.read(read_plan(file("b.toml", plan(news={"splits": path.name}))).datasets["news"])
    assert "does not contain each of 12 sentences once" in refusal(data.split, 1, 1)


def test_parts_can_be_written_too(file: File) -> None:
    file("gold.conllu", corpus(12))
    write_splits(file("a.toml", plan(folds=4, dev=True)), "out", parts=True)
    folder = Path("out/news/r01-f02")
    texts = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert sorted(texts) == ["dev.conllu", "test.conllu", "train.conllu"]
    pieces = [piece for text in texts.values() for piece in text.split("\n\n") if piece]
    assert sorted(pieces) == sorted(piece for piece in corpus(12).split("\n\n") if piece)
