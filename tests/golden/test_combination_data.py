"""What combinations of real systems reach, counted by other code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine import run as way
from assay.engine.combination import Units, find_folds
from assay.result import Bound

DATA = Path(__file__).parents[2].parent / "shared/data"
GERMAN = ("hanta-pretrained", "crfsuite", "udpipe", "nltk-perceptron", "nltk-tnt", "perceptron-dict", "spacy")
GUM = (
    *("rule-gold-syntax-majority-type", "crfsuite-layered-cascade", "perceptron-innermost-words-only"),
    *("crfsuite-outermost-only", "spacy-ner-outermost"),
)
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")


def reached(folder: str, gold: str, names: Any, ending: str = "conllu", **options: Any) -> Bound:
    systems = {name: DATA / folder / f"{name}.{ending}" for name in names}
    bound = assay.compare(DATA / folder / gold, systems, times=1, power=None, **options).bounds[0]
    assert bound.label is None
    return bound


def counts(bound: Bound) -> list[int]:
    return [round((value or 0) * bound.items) for value in (bound.single, bound.vote, bound.learnt, bound.bound)]


@needs_data
def test_the_best_three_german_taggers() -> None:
    bound = reached("pos-german", "gold.conllu", GERMAN[:3], column="XPOS", measures=["accuracy"])
    assert counts(bound) == [15889, 15673, 15953, 16261]
    assert (bound.single_system, bound.folds) == ("hanta-pretrained", 10)
    assert [bound.learnt_low, bound.learnt_high, bound.p] == pytest.approx([0.00197, 0.00579, 0.0013], rel=0.01)
    assert bound.verdict == (
        "A combination that learns which systems to trust for which label, from 9/10 of this test set at a time, "
        "scores 96.69, 0.39 more than hanta-pretrained [+0.20, +0.58], p = 0.0013°: a gain. To reach the upper "
        "bound, 98.56, you would have to know for each answer which system is right."
    )


@needs_data
def test_six_german_taggers_without_the_best() -> None:
    bound = reached("pos-german", "gold.conllu", GERMAN[1:], column="XPOS", measures=["accuracy"])
    assert counts(bound) == [15219, 15321, 15391, 15995]
    assert [bound.learnt_low, bound.learnt_high, bound.p] == pytest.approx([0.00758, 0.01327, 1.68e-05], rel=0.01)


@needs_data
@pytest.mark.slow
def test_all_german_taggers_and_five_slovene_ones() -> None:
    bound = reached("pos-german", "gold.conllu", GERMAN, column="XPOS", measures=["accuracy"])
    assert counts(bound) == [15889, 15523, 15951, 16322]
    names = ["meta-tagger", "obeliks", "parser-v3", "reldi-tagger", "stanfordnlp-ft"]
    systems = [f"systems/{name}" for name in names]
    bound = reached("morph-slovene-ssj500k", "test.conllu", systems, column="XPOS", measures=["accuracy"])
    assert counts(bound) == [47354, 46924, 47527, 48310]


@needs_data
@pytest.mark.slow
def test_english_parsers_make_trees(tmp_path: Path) -> None:
    names = ["perceptron-arc-eager", "perceptron-arc-hybrid", "spacy", "udpipe-projective", "udpipe-swap"]
    out = tmp_path / "combined.conllu"
    bound = reached("dep-english", "gold.conllu", names, measures=["las"], combined=str(out))
    assert counts(bound)[:2] == [19630, 20090] and counts(bound)[3] == 22452
    assert bound.learnt == pytest.approx(0.8072, abs=0.0005)
    again = assay.score(DATA / "dep-english/gold.conllu", out, ["las"], times=1).score("combined", "las")
    assert again.value == bound.learnt


@needs_data
def test_nested_entities_by_number_and_by_document(monkeypatch: pytest.MonkeyPatch) -> None:
    for names, single, vote, learnt, bound in (
        (GUM, 0.5842, 0.5080, 0.6077, 0.8267),
        (GUM[1:4], 0.4798, 0.4817, 0.4838, 0.6950),
    ):
        row = reached("spans-entities-gum", "gold.spans.tsv", names, "spans.tsv", measures=["exact"])
        assert [row.single, row.vote, row.learnt, row.bound] == pytest.approx([single, vote, learnt, bound], abs=5e-5)
    lines = (DATA / "spans-entities-gum/gold.bio.tsv").read_text("utf-8").splitlines()
    ids = [match[1] for line in lines if (match := re.match(r"# sent_id = (.*)-\d+$", line))]
    documents = list(dict.fromkeys(ids))
    of_sentence, folds = np.array([documents.index(name) for name in ids]), find_folds(documents)
    units = Units(of_sentence, folds, False, None)
    monkeypatch.setattr(way, "find_units", lambda *given: units)
    for names, learnt in ((GUM, 0.6058), (GUM[1:4], 0.4791)):
        row = reached("spans-entities-gum", "gold.spans.tsv", names, "spans.tsv", measures=["exact"])
        assert row.learnt == pytest.approx(learnt, abs=5e-5)
