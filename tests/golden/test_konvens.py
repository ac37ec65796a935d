"""Eight off-the-shelf taggers on two German registers (Ortmann, Roussel & Dipper 2019)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay import Result

SYSTEMS = ("clevertagger", "corenlp", "rftagger", "rnntagger", "someweta", "spacy", "stanfordnlp", "treetagger")
REGISTERS = {"novelette": (69, 1588), "wikipedia": (96, 1514)}


@pytest.fixture(scope="module")
def folder(shared_data: Callable[[str], Path]) -> Path:
    return shared_data("pos-german-konvens2019")


@pytest.fixture(scope="module", params=list(REGISTERS))
def register(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def result(folder: Path, register: str) -> Result:
    return assay.score(
        folder / register / "gold.conll",
        [folder / register / f"{system}.conll" for system in SYSTEMS],
        ["accuracy", "sentence-accuracy"],
        column="XPOS",
        times=20,
    )


def sentences(path: Path) -> list[list[tuple[str, str]]]:
    """(form, tag) by sentence, with nothing but line splitting."""
    blocks = path.read_text(encoding="utf-8").strip("\n").split("\n\n")
    return [[(cells[1], cells[4]) for cells in (line.split("\t") for line in b.split("\n"))] for b in blocks]


@pytest.mark.parametrize("system", SYSTEMS)
def test_accuracy_equals_the_published_one(result: Result, folder: Path, register: str, system: str) -> None:
    """To the two decimals of scores.json; with equal words all four scores are one number."""
    published = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert set(published) == set(SYSTEMS)
    for score in ("f1", "precision", "recall", "aligned"):
        ours = round(100 * result.score(system, "accuracy", score).value, 2)
        assert ours == published[system][register]["xpos_acc_positional"]


def test_all_systems_have_golds_words(result: Result, folder: Path, register: str) -> None:
    """Forms are identical, so words are compared directly, and none is left without a counterpart."""
    number, words = REGISTERS[register]
    published = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert (result.about.aligned_by, result.about.units, result.about.items) == ("words", number, words)
    assert not [warning for warning in result.warnings if "aligned by characters" in warning]
    for source in result.systems:
        facts = published[source.name][register]
        assert facts["forms_identical"]
        assert (source.words, source.sentences, source.unaligned, source.status) == (
            facts["tokens"],
            facts["sentences"],
            0,
            "",
        )


def test_corenlp_cuts_wikipedia_into_other_sentences(folder: Path) -> None:
    """The case that the test below is about is in the data: 76 sentences where gold has 96."""
    wikipedia = folder / "wikipedia"
    assert len(sentences(wikipedia / "gold.conll")) == 96
    assert len(sentences(wikipedia / "corenlp.conll")) == 76


@pytest.mark.parametrize("system", SYSTEMS)
def test_whole_sentences_are_golds_sentences(result: Result, folder: Path, register: str, system: str) -> None:
    """Wherever a system cuts its sentences, gold's are counted."""
    gold = sentences(folder / register / "gold.conll")
    tags = iter([tag for sentence in sentences(folder / register / f"{system}.conll") for _, tag in sentence])
    clean = [[next(tags) for _ in sentence] == [tag for _, tag in sentence] for sentence in gold]
    assert result.score(system, "sentence-accuracy").value == sum(clean) / len(gold)
