"""Figures that the pages on the papers quote from real data, and the equations of commands that they claim."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay import spans

Shared = Callable[[str], Path]

# --- Tuggener 2017 ---


@pytest.mark.parametrize(
    ("register", "accuracies", "counts", "changes"),
    [
        ("novelette", ("91.75", "86.65"), (224, 50, 131, 43), ("VVPP → VVFIN", 34)),
        ("wikipedia", ("92.14", "89.17"), (180, 60, 105, 15), ("VVPP → VVFIN", 26)),
    ],
)
def test_treetagger_and_clevertagger_on_two_registers(
    register: str, accuracies: tuple[str, str], counts: tuple[int, ...], changes: tuple[str, int], shared_data: Shared
) -> None:
    folder = shared_data("pos-german-konvens2019") / register
    systems = {name: folder / f"{name}.conll" for name in ("treetagger", "clevertagger")}
    result = assay.compare(folder / "gold.conll", systems, ["accuracy"], column="XPOS", times=20)
    assert tuple(f"{100 * result.score(name, 'accuracy').value:.2f}" for name in systems) == accuracies
    (diff,) = result.diffs
    assert (diff.different, diff.corrections, diff.new_errors, diff.changed_errors) == counts
    top = next(row for row in diff.changes if row.kind == "new-error")
    assert (f"{top.before} → {top.after}", top.count) == changes
    assert [text for text in result.warnings if text.startswith("clevertagger never assigns VVPP")]


# --- Acedański & Przepiórkowski 2010 ---

POLISH = {
    "nltk-tnt": "76.87 92.36 88.65 90.44 88.83",
    "udpipe": "80.25 94.26 91.21 93.06 91.50",
    "crfsuite-cascade": "79.97 95.22 91.83 94.13 92.22",
    "morfeusz-perceptron": "86.57 96.69 94.46 95.44 94.27",
}
"""Accuracy of tags and of parts of speech, partial accuracy, and the same weighted as in Table 1 and section 2.3."""


def test_partial_credit_of_polish_taggers_and_an_order_that_it_turns_round(shared_data: Shared) -> None:
    folder = shared_data("morph-polish")
    systems = {name: folder / f"{name}.conllu" for name in POLISH}
    measures = ["accuracy", "pos-accuracy", "pa", "wpa(weights=poliqarp)", "wpa(weights=paper)"]
    result = assay.compare(folder / "gold.conllu", systems, measures, column="XPOS", tagset="ud-polish", times=200)
    for name, figures in POLISH.items():
        found = [f"{100 * result.score(name, measure).value:.2f}" for measure in measures]
        assert found == figures.split(), name
    p = {
        row.measure: row.p
        for row in result.comparisons
        if (row.a, row.b, row.test) == ("udpipe", "crfsuite-cascade", "shuffling")
        and row.score in (None, "f1", "strong")
    }
    assert p["accuracy"] > 0.2
    assert p["pa"] < 0.01


# --- coming from seqeval ---


@pytest.mark.parametrize(("theirs", "ours"), [("IOB2", "iob2"), ("IOBES", "bioes"), ("IOE2", "ioe2")])
def test_the_strict_mode_of_seqeval_is_exact_with_broken_spans_discarded(theirs: str, ours: str) -> None:
    rng = random.Random(7)
    letters = {"IOB2": "BI", "IOBES": "BIES", "IOE2": "IE"}[theirs]
    tags = ["O", "O", *(f"{letter}-{label}" for letter in letters for label in "AB")]
    gold = [[rng.choice(tags) for _ in range(9)] for _ in range(400)]
    system = [[tag if rng.random() < 0.7 else rng.choice(tags) for tag in sentence] for sentence in gold]
    result = assay.score(gold, {"s": system}, "exact", scheme=(ours,), repair="discard", times=1)
    for name, score in (("f1", spans.f1_score), ("precision", spans.precision_score), ("recall", spans.recall_score)):
        expected = score(gold, system, mode="strict", scheme=theirs)
        assert result.score("s", "exact", name).value == pytest.approx(expected, rel=1e-12)
