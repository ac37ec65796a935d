"""Real documents: counts that agree with the reference scorer, and scores that agree with coval."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest

from assay.tasks.coreference.chains import ARCS_SCORES, CLASSES, table
from chainlists import (
    NAMES,
    check_chain_metrics,
    class_counts,
    judged,
    paired,
    read,
    scores,
    sums_of,
    triple,
    without_singletons,
)

RESPONSES = ("xrenner-rules", "noised-1", "noised-2")


@pytest.fixture(scope="module")
def ontogum(shared_data):
    """The expected figures, the key, and both sides of each response."""
    folder = shared_data("coref-ontogum")
    key = read(folder / "gold.conll")
    pairs = {name: paired(key, read(folder / f"{name}.conll")) for name in RESPONSES}
    return json.loads((folder / "expected.json").read_text("utf-8")), key, pairs


def classes(ontogum, name, criterion):
    _, key, pairs = ontogum
    return judged(pairs[name], key, criterion)


# --- OntoGUM ---


@pytest.mark.parametrize("singletons", ["keep_singletons", "remove_singletons"])
@pytest.mark.parametrize("response", RESPONSES)
def test_chain_metrics_of_ontogum(ontogum, response, singletons) -> None:
    figures, key, pairs = ontogum
    both = pairs[response]
    if singletons == "remove_singletons":
        both = tuple(map(without_singletons, both))
    t = table(*both, len(key))
    expected = figures["chain_metrics"][response][singletons]
    check_chain_metrics(t, key, expected["scores"], expected["per_document_counts"], within=1e-8)


@pytest.mark.parametrize("criterion", ["any", "nom"])
@pytest.mark.parametrize("response", RESPONSES)
def test_arcs_of_ontogum(ontogum, response, criterion) -> None:
    figures, key, _ = ontogum
    sums = sums_of(class_counts(classes(ontogum, response, criterion), len(key)), CLASSES)
    expected = figures["arcs"][criterion]["single"][response]
    assert [sums[name] for name in ("tp", "wl", "fn", "fp")] == [expected[n] for n in ("tp", "wl", "fn", "fp")]
    for short, score in zip("frp", ("f1", "recall", "precision"), strict=True):
        assert ARCS_SCORES[score](sums) == pytest.approx(expected[short], abs=1e-8)


@pytest.mark.parametrize("criterion", ["any", "nom"])
def test_transitions_between_the_responses_of_ontogum(ontogum, criterion) -> None:
    rows = [classes(ontogum, name, criterion) for name in RESPONSES]
    by_place = [dict(zip(each.place.tolist(), (CLASSES[kind] for kind in each.kind), strict=True)) for each in rows]
    pairs = ontogum[0]["arcs"][criterion]["pairs"]
    assert len(pairs) == 3
    for title, expected in pairs.items():
        first, second = (by_place[RESPONSES.index(name)] for name in title.split(" -> "))
        found = Counter(f"{first.get(place, 'tn')}->{second.get(place, 'tn')}" for place in {*first, *second})
        assert {kind: found[kind] for kind in found if kind not in ("tn->tn", "out->out")} == expected["transitions"]


@pytest.mark.parametrize("criterion", ["any", "nom"])
def test_mentions_that_some_response_of_ontogum_resolves(ontogum, criterion) -> None:
    rows = [classes(ontogum, name, criterion) for name in RESPONSES]
    wanted, solved = (
        [
            {int(place) for place in each.place[np.isin(each.kind, [CLASSES.index(name) for name in names])]}
            for each in rows
        ]
        for names in (("tp", "wl", "fn"), ("tp",))
    )
    expected = ontogum[0]["arcs"][criterion]["upper_bound_all_three"]["ALL"]
    assert [len(places) for places in wanted] == [expected["total"]] * 3
    assert len(set.union(*solved)) == expected["solved"]


# --- coval on GUM ---


def coval(folder):
    """What coval printed: (file, singletons) → metric → recall, precision, F; the CoNLL score."""
    blocks = re.split(r"^== ", (folder / "coval.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]
    for block in blocks:
        file, singletons = block.splitlines()[0].split()
        triples = re.findall(r"^(\w+) +Recall: ([\d.]+) +Precision: ([\d.]+) +F1: ([\d.]+)", block, re.MULTILINE)
        conll = re.search(r"CoNLL score: ([\d.]+)", block)
        yield file, singletons, {name: [float(value) for value in rest] for name, *rest in triples}, float(conll[1])


def test_scores_of_six_systems_as_coval_prints_them(shared_data) -> None:
    folder = shared_data("coref-english")
    key = read(folder / "key.conll")
    checked = 0
    for file, singletons, expected, conll in coval(folder):
        both = paired(key, read(folder / file))
        if singletons == "remove_singletons":
            both = tuple(map(without_singletons, both))
        t = table(*both, len(key))
        for name, figures in expected.items():
            assert [100 * value for value in triple(t, NAMES[name])] == pytest.approx(figures, abs=0.00501), file
            checked += 1
        assert 100 * scores(t, "conll")["value"] == pytest.approx(conll, abs=0.00501)
    assert checked == 6 * 2 * 5
