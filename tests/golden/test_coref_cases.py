"""The cases of the reference coreference scorer, and the toy documents with the figures of the comparison."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from assay.tasks.coreference.chains import CLASSES, ChainTable
from assay.tasks.coreference.measures import ARCS_SCORES
from chainlists import (
    NAMES,
    check_chain_metrics,
    class_counts,
    judged,
    paired,
    read,
    span_at,
    sums_of,
    triple,
    without_singletons,
)

FOLDER = Path(__file__).parents[1] / "data" / "coreference"
EXPECTED = json.loads((FOLDER / "expected.json").read_text("utf-8"))
SYSTEMS = ("system-a", "system-b")
TRIPLES = 85
KEY = read(FOLDER / "key.conll")


def sides(system):
    return paired(KEY, read(FOLDER / f"{system}.conll"))


# --- the reference scorer ---


def test_all_triples_of_the_reference_scorer(shared_data) -> None:
    folder = shared_data("coref-reference-scorer")
    wrong, checked = [], 0
    for case in json.loads((folder / "reference_cases.json").read_text("utf-8"))["cases"]:
        key, response = (read(folder / case[side], None) for side in ("key", "response"))
        t = ChainTable.of(*paired(key, response), len(key))
        for name, expected in case["expected"].items():
            checked += 1
            if not np.abs(np.subtract(triple(t, NAMES[name]), expected)).sum() < 1e-4:
                wrong.append((case["case"], name, triple(t, NAMES[name]), expected))
    assert wrong == []
    assert checked == TRIPLES


# --- chain metrics of the toy documents ---


@pytest.mark.parametrize("singletons", ["keep_singletons", "remove_singletons"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_chain_metrics_of_the_toy_documents(system, singletons) -> None:
    key, response = sides(system)
    if singletons == "remove_singletons":
        key, response = without_singletons(key), without_singletons(response)
    t = ChainTable.of(key, response, len(KEY))
    expected = EXPECTED["chain_metrics"][system][singletons]
    check_chain_metrics(t, KEY, expected["scores"], expected["counts_per_document"], within=5e-7)


# --- ARCS of the toy documents ---


@pytest.mark.parametrize("criterion", ["any", "nom"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_classes_and_scores_of_the_toy_documents(system, criterion) -> None:
    counts = class_counts(judged(sides(system), KEY, criterion), len(KEY))
    parts = {"toy/one": counts[:1], "toy/two": counts[1:], "all": counts}
    for scope, part in parts.items():
        expected = EXPECTED["arcs"][scope][criterion][system]
        sums = sums_of(part, CLASSES)
        assert [sums[name] for name in ("tp", "wl", "fn", "fp")] == [expected[n] for n in ("tp", "wl", "fn", "fp")]
        for short, score in zip("frp", ("f1", "recall", "precision"), strict=True):
            assert ARCS_SCORES[score](sums) == pytest.approx(expected[short], abs=1e-6)
        assert ARCS_SCORES["accuracy"](sums) == pytest.approx(expected["acc"], abs=1e-6)


@pytest.mark.parametrize("criterion", ["any", "nom"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_class_of_every_mention_of_the_second_document(system, criterion) -> None:
    found = judged(sides(system), KEY, criterion)
    rows = zip(found.document.tolist(), found.place.tolist(), found.kind.tolist(), strict=True)
    classes = {span_at(place): CLASSES[kind] for document, place, kind in rows if document == 1}
    expected = {tuple(row["span"]): row[system] for row in EXPECTED["arcs"]["toy/two"][criterion]["mentions"]}
    assert {span: classes.get(span, "tn") for span in expected} == expected
    assert {span for span, kind in classes.items() if kind not in ("tn", "out")} <= set(expected)


@pytest.mark.parametrize("criterion", ["any", "nom"])
@pytest.mark.parametrize("scope", ["toy/one", "toy/two", "all"])
def test_transitions_between_the_toy_systems(scope, criterion) -> None:
    found = Counter()
    kinds_at, documents = [], {}
    for system in SYSTEMS:
        rows = judged(sides(system), KEY, criterion)
        documents |= dict(zip(rows.place.tolist(), rows.document.tolist(), strict=True))
        kinds_at.append(dict(zip(rows.place.tolist(), (CLASSES[kind] for kind in rows.kind), strict=True)))
    for place, document in documents.items():
        if scope in ("all", list(KEY)[document]):
            found["->".join(side.get(place, "tn") for side in kinds_at)] += 1
    for apart in ("tn->tn", "out->out"):
        found.pop(apart, None)
    assert dict(found) == EXPECTED["arcs"][scope][criterion]["a->b"]["transitions"]


def test_another_wrong_antecedent_is_told_from_the_same_one() -> None:
    """`them` in the last sentence is linked wrongly by both systems, to another antecedent each."""
    wrong = []
    for system in SYSTEMS:
        rows = judged(sides(system), KEY, "nom")
        mask = rows.kind == CLASSES.index("wl")
        wrong.append(dict(zip(rows.place[mask].tolist(), rows.antecedent[mask].tolist(), strict=True)))
    both = set(wrong[0]) & set(wrong[1])
    assert [span_at(place) for place in both] == [(39, 39)]
    assert [wrong[0][place] == wrong[1][place] for place in both] == [False]
