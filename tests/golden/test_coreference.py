"""Coreference all the way from files: toy documents, the reference scorer's cases, OntoGUM, and coval on GUM."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import Result
from assay.engine.items import ONE
from chainlists import NAMES

TOY = Path(__file__).parents[1] / "data" / "coreference"
EXPECTED = json.loads((TOY / "expected.json").read_text("utf-8"))
VARIANTS = {"keep_singletons": "{}", "remove_singletons": "{}(singletons=false)"}
CHAIN_METRICS = [way.format(name) for way in VARIANTS.values() for name in (*NAMES.values(), "conll")]
CLASSES = ("tp", "wl", "fn", "fp")
TRIPLE = ("recall", "precision", "f1")
SHORT = {"r": "recall", "p": "precision", "f": "f1", "acc": "accuracy"}
SYSTEMS = ("system-a", "system-b")
RESPONSES = ("xrenner-rules", "noised-1", "noised-2")

Shared = Callable[[str], Path]


def values(result: Result, system: str, measure: str, where: str | None = None) -> dict[str, float]:
    rows = [row for row in result.scores if (row.system, row.measure, row.slice) == (system, measure, where)]
    assert rows, (system, measure, where)
    return {row.score: row.value for row in rows}


def triple(result: Result, system: str, measure: str, where: str | None = None) -> list[float]:
    """Recall, precision and F, what is undefined as 0: the reference scorer's way."""
    found = values(result, system, measure, where)
    return [0.0 if math.isnan(found[name]) else found[name] for name in TRIPLE]


def counts(result: Result, system: str, measure: str, where: str | None = None) -> Mapping[str, int]:
    (row,) = [row for row in result.counts if (row.system, row.measure, row.slice) == (system, measure, where)]
    return row.counts


def fractions(found: Mapping[str, int]) -> dict[str, list[float]]:
    """Numerators and denominators of recall and precision; BLANC has those of its two classes of links."""
    if "rnum" in found:
        return {"": [found["rnum"] / ONE, found["rden"], found["pnum"] / ONE, found["pden"]]}
    if "right" in found:
        return {"": [found["right"], found["gold"], found["right"], found["system"]]}
    return {
        suffix: [found[name], found[f"gold-{name}"], found[name], found[f"system-{name}"]]
        for suffix, name in (("_c", "coreferent"), ("_n", "apart"))
    }


def check_counts(result: Result, system: str, measure: str, where: str | None, name: str, expected: Any) -> None:
    for suffix, found in fractions(counts(result, system, measure, where)).items():
        assert found == pytest.approx(expected[name + suffix], abs=1e-6), (system, measure, where)


def check_chain_metrics(
    result: Result,
    system: str,
    singletons: str,
    expected: Mapping[str, Any],
    by_document: Mapping[str, Any],
    within: float,
) -> None:
    """All scores of a system, and its counts together and in each document."""
    for name, plain in NAMES.items():
        measure = VARIANTS[singletons].format(plain)
        assert triple(result, system, measure) == pytest.approx(expected["scores"][name], abs=within), measure
        check_counts(result, system, measure, None, name, expected["counts"])
        for scope, wanted in by_document.items():
            check_counts(result, system, measure, document(scope), name, wanted)
    conll = VARIANTS[singletons].format("conll")
    assert values(result, system, conll) == pytest.approx({"value": expected["scores"]["mela_f"]}, abs=within)


def document(scope: str) -> str | None:
    """The slice that holds a document, or none for all of them."""
    return None if scope == "all" else f"document=({scope}); part 000"


def check_arcs(result: Result, system: str, measure: str, where: str | None, expected: Mapping[str, Any]) -> None:
    """The four classes, which add up to the mentions of both sides, and the four scores."""
    found = counts(result, system, measure, where)
    assert [found[name] for name in CLASSES] == [expected[name] for name in CLASSES]
    assert found["gold"] == found["tp"] + found["wl"] + found["fn"]
    assert found["system"] == found["tp"] + found["wl"] + found["fp"]
    scores = values(result, system, measure, where)
    named = {SHORT[short]: value for short, value in expected.items() if short in SHORT}
    assert scores == pytest.approx(named, abs=1e-6)


def check_diff(result: Result, pair: Sequence[str], on: str, where: str | None, expected: Mapping[str, Any]) -> None:
    """Universe, differences, groups and transitions; `tn` is what assay calls none."""
    (diff,) = [row for row in result.diffs if ((row.a, row.b), row.on, row.slice) == (tuple(pair), on, where)]
    assert (diff.items, diff.different) == (expected["universe"], expected["different"])
    assert diff.diff == pytest.approx(expected["diff"], abs=1e-6)
    groups = {
        "correction": diff.corrections,
        "new_error": diff.new_errors,
        "changed_error": diff.changed_errors,
    }
    assert groups == expected["groups"]
    found = {
        f"{row.before}->{row.after}".replace("none", "tn"): row.count
        for row in result.transitions
        if ((row.a, row.b), row.on, row.slice, row.label) == (tuple(pair), on, where, None)
    }
    assert found == expected["transitions"]


def check_bounds(result: Result, on: str, where: str | None, expected: Mapping[str, Any]) -> None:
    """The bound overall and of each type of mention, the frequent types first."""
    rows = [row for row in result.bounds if (row.on, row.slice) == (on, where)]
    assert {row.label or "ALL" for row in rows} == set(expected)
    assert [row.items for row in rows[1:]] == sorted((row.items for row in rows[1:]), reverse=True)
    for row in rows:
        wanted = expected[row.label or "ALL"]
        assert (row.items - row.none_right, row.items) == (wanted["solved"], wanted["total"])
        assert row.upper == pytest.approx(wanted["recall"], abs=1e-6)


# --- toy documents ---


@pytest.fixture(scope="module")
def toy() -> Result:
    """Every chain metric, with and without singletons, overall and in each document."""
    systems = {name: TOY / f"{name}.conll" for name in SYSTEMS}
    return assay.score(TOY / "key.conll", systems, CHAIN_METRICS, times=10, slices=("document",))


@pytest.fixture(scope="module")
def toy_arcs() -> dict[str, Result]:
    """The comparison on each criterion."""
    systems = {name: TOY / f"{name}.conll" for name in SYSTEMS}
    return {
        criterion: assay.compare(
            TOY / "key.conll", systems, [f"arcs-{criterion}", "muc"], times=10, slices=("document",)
        )
        for criterion in ("any", "nom")
    }


@pytest.mark.parametrize("singletons", VARIANTS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_chain_metrics_of_the_toy_documents(toy: Result, system: str, singletons: str) -> None:
    expected = EXPECTED["chain_metrics"][system][singletons]
    check_chain_metrics(toy, system, singletons, expected, expected["counts_per_document"], within=1e-6)


LEFT_OUT = {
    (criterion, scope): figures["any"]["upper_bound"]["ALL"]["total"]
    - figures[criterion]["upper_bound"]["ALL"]["total"]
    for scope, figures in EXPECTED["arcs"].items()
    for criterion in ("any", "nom")
}
"""Mentions without a noun among their antecedents: `the nurses` and `this` in the second document."""


@pytest.mark.parametrize("criterion", ["any", "nom"])
@pytest.mark.parametrize("scope", ["toy/one", "toy/two", "all"])
def test_arcs_of_the_toy_documents(toy_arcs: dict[str, Result], scope: str, criterion: str) -> None:
    """Classes, scores, what differs between the two systems, and the bound of both by type of mention."""
    result, on, where = toy_arcs[criterion], f"arcs-{criterion}", document(scope)
    expected = EXPECTED["arcs"][scope][criterion]
    for system in SYSTEMS:
        check_arcs(result, system, on, where, expected[system])
    assert {counts(result, system, on, where).get("left-out", 0) for system in SYSTEMS} == {
        LEFT_OUT[criterion, scope]
    }
    check_diff(result, SYSTEMS, on, where, expected["a->b"])
    check_bounds(result, on, where, expected["upper_bound"])
    (overall,) = [row for row in result.bounds if (row.on, row.slice, row.label) == (on, where, None)]
    alone = {name: figures["recall"] for name, figures in expected["upper_bound_single"].items()}
    assert overall.systems == pytest.approx(alone, abs=1e-6)
    assert overall.gain == pytest.approx(expected["upper_bound"]["ALL"]["recall"] - max(alone.values()), abs=1e-6)


@pytest.mark.parametrize("scope", ["toy/one", "toy/two", "all"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_arcs_to_any_antecedent_has_the_scores_of_muc(toy_arcs: dict[str, Result], system: str, scope: str) -> None:
    arcs = values(toy_arcs["any"], system, "arcs-any", document(scope))
    muc = values(toy_arcs["any"], system, "muc", document(scope))
    assert {name: arcs[name] for name in TRIPLE} == muc


@pytest.mark.parametrize("criterion", ["any", "nom"])
def test_each_mention_of_the_second_toy_document_has_its_class(criterion: str) -> None:
    """All mentions of the comparison as examples: those that differ, with type and words."""
    systems = {name: TOY / f"{name}.conll" for name in SYSTEMS}
    result = assay.compare(TOY / "key.conll", systems, [f"arcs-{criterion}"], times=10, examples=99)
    found = {
        (" ".join(example.words[item.position : item.end]), item.kind): dict(item.answers)
        for example in result.examples
        for item in example.items
        if "two" in example.sentence
    }
    rows = EXPECTED["arcs"]["toy/two"][criterion]["mentions"]
    changed = [row for row in rows if row["system-a"] != row["system-b"]]
    assert found == {
        (row["text"], kind_of_change(row)): {name: answer(row["type"], row[name]) for name in SYSTEMS}
        for row in changed
    }


def kind_of_change(row: Mapping[str, Any]) -> str:
    right = [row[name] in ("tp", "tn") for name in SYSTEMS]
    return "correction" if right[1] else "new-error" if right[0] else "changed-error"


def answer(kind: str, outcome: str) -> str | None:
    """How a class is shown: the type of mention, with what is wrong, or nothing."""
    return {"tp": kind, "fp": kind, "wl": f"{kind} (WL)"}.get(outcome)


def test_the_types_of_the_toy_mentions_are_named(toy_arcs: dict[str, Result]) -> None:
    assert toy_arcs["nom"].notes[0] == "Mention types come from gold's XPOS tags (rule: compareval)."


# --- the reference scorer ---


REPEATED = {"A7", "A8"}
"""Cases in which the response has a span twice; the reference scorer keeps the first."""


def test_all_triples_of_the_reference_scorer(shared_data: Shared) -> None:
    """85 triples of 24 cases, none of which differs by decision; what is undefined in assay is 0 there."""
    folder = shared_data("coref-reference-scorer")
    wrong, checked = [], 0
    for case in json.loads((folder / "reference_cases.json").read_text("utf-8"))["cases"]:
        result = reference(folder, case)
        for name, expected in case["expected"].items():
            checked += 1
            found = triple(result, "response", NAMES[name])
            if not sum(abs(ours - theirs) for ours, theirs in zip(found, expected, strict=True)) < 1e-4:
                wrong.append((case["case"], name, found, expected))
        repeated = any("repeated" in warning for warning in result.warnings)
        assert repeated == (case["case"] in REPEATED), case["case"]
    assert wrong == []
    assert checked == 85


def reference(folder: Path, case: Mapping[str, Any]) -> Result:
    """A case as its README says: fillers have other words, repeated spans count once."""
    return assay.score(
        folder / case["key"],
        {"response": folder / case["response"]},
        [NAMES[name] for name in case["expected"]],
        times=1,
        on_mismatch="warn",
        duplicates="first",
        task="coreference",
        input_format="conll2012",
    )


@pytest.mark.parametrize("case", sorted(REPEATED))
def test_repeated_spans_of_the_reference_scorer_are_refused_unless_one_says_so(
    shared_data: Shared, case: str
) -> None:
    folder = shared_data("coref-reference-scorer") / "files"
    with pytest.raises(assay.AssayError, match="To keep the first of them: --duplicates first"):
        assay.score(
            folder / "TC-A.key",
            folder / f"TC-A-{case[1:]}.response",
            "muc",
            times=1,
            on_mismatch="warn",
            input_format="conll2012",
        )


# --- OntoGUM ---


@pytest.fixture(scope="module")
def ontogum(shared_data: Shared) -> tuple[Any, dict[str, Result]]:
    """The expected figures, and what assay gives: chain metrics, and the comparison on each criterion."""
    folder = shared_data("coref-ontogum")
    systems = {name: folder / f"{name}.conll" for name in RESPONSES}
    key = folder / "gold.conll"
    results = {
        "chains": assay.score(key, systems, CHAIN_METRICS, times=10, slices=("document",)),
        **{
            criterion: assay.compare(key, systems, [f"arcs-{criterion}", "muc"], times=10, slices=("label",))
            for criterion in ("any", "nom")
        },
    }
    return json.loads((folder / "expected.json").read_text("utf-8")), results


@pytest.mark.parametrize("singletons", VARIANTS)
@pytest.mark.parametrize("response", RESPONSES)
def test_chain_metrics_of_ontogum(ontogum: Any, response: str, singletons: str) -> None:
    figures, results = ontogum
    expected, result = figures["chain_metrics"][response][singletons], results["chains"]
    assert len(expected["per_document_counts"]) == result.about.units == 21
    check_chain_metrics(result, response, singletons, expected, expected["per_document_counts"], within=1e-7)


@pytest.mark.parametrize("criterion", ["any", "nom"])
@pytest.mark.parametrize("response", RESPONSES)
def test_arcs_of_ontogum_overall_and_by_type(ontogum: Any, response: str, criterion: str) -> None:
    figures, results = ontogum
    expected, result, on = figures["arcs"][criterion]["single"][response], results[criterion], f"arcs-{criterion}"
    check_arcs(result, response, on, None, expected)
    for kind, wanted in expected["by_type"].items():
        found = counts(result, response, on, f"label={kind}")
        assert {name: found[name] for name in CLASSES} == wanted, kind


@pytest.mark.parametrize("criterion", ["any", "nom"])
def test_pairs_and_bound_of_ontogum(ontogum: Any, criterion: str) -> None:
    figures, results = ontogum
    expected, result, on = figures["arcs"][criterion], results[criterion], f"arcs-{criterion}"
    assert len(expected["pairs"]) == len([diff for diff in result.diffs if diff.slice is None]) == 3
    for title, wanted in expected["pairs"].items():
        check_diff(result, title.split(" -> "), on, None, wanted)
    check_bounds(result, on, None, expected["upper_bound_all_three"])


@pytest.mark.parametrize("response", RESPONSES)
def test_arcs_to_any_antecedent_has_the_scores_of_muc_on_ontogum(ontogum: Any, response: str) -> None:
    arcs, muc = (values(ontogum[1]["any"], response, measure) for measure in ("arcs-any", "muc"))
    assert {name: arcs[name] for name in TRIPLE} == muc


def test_the_mention_of_ontogum_that_crosses_sentences_is_told_of_and_scored(ontogum: Any) -> None:
    (warning,) = [text for text in ontogum[1]["chains"].warnings if "cross the end of a sentence" in text]
    assert warning.startswith("xrenner-rules: Mentions that cross the end of a sentence, taken as they are: 1 ")


# --- coval on GUM ---


def coval(folder: Path) -> Iterator[tuple[str, str, dict[str, list[float]], float]]:
    """What coval printed: file, singletons, recall, precision and F of each metric, and the CoNLL score."""
    for block in re.split(r"^== ", (folder / "coval.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        file, singletons = block.splitlines()[0].split()
        triples = re.findall(r"^(\w+) +Recall: ([\d.]+) +Precision: ([\d.]+) +F1: ([\d.]+)", block, re.MULTILINE)
        conll = re.search(r"CoNLL score: ([\d.]+)", block)
        assert conll is not None
        figures = {name: [float(value) for value in rest] for name, *rest in triples}
        yield file.removesuffix(".conll"), singletons, figures, float(conll[1])


def test_f1_rises_while_more_is_broken_than_mended(shared_data: Shared) -> None:
    """ARCS any is MUC, so that coval tells the difference; corrections minus new errors follow from the counts."""
    folder = shared_data("coref-english")
    names = ["stringmatch-pronoun_synmentions", "mentionpair-logreg_synmentions"]
    systems = {name: folder / f"{name}.conll" for name in names}
    result = assay.compare(folder / "key.conll", systems, ["arcs-any", "arcs-nom"], times=1)
    printed = {name: figures["muc"][2] for name, kept, figures, _ in coval(folder) if kept == "keep_singletons"}
    assert [diff.on for diff in result.diffs] == ["arcs-any", "arcs-nom"]
    diff = result.diffs[0]
    assert 100 * diff.difference == pytest.approx(printed[names[1]] - printed[names[0]], abs=0.0101)
    counts = {row.system: row.counts for row in result.counts if row.measure == "arcs-any"}
    before, after = (counts[name]["tp"] - counts[name]["fp"] for name in names)
    assert diff.corrections - diff.new_errors == diff.net == after - before
    assert diff.net < 0 < diff.difference


def test_scores_of_six_systems_as_coval_prints_them(shared_data: Shared) -> None:
    folder = shared_data("coref-english")
    printed = list(coval(folder))
    systems = {name: folder / f"{name}.conll" for name, *_ in printed}
    result = assay.score(folder / "key.conll", systems, CHAIN_METRICS, times=1)
    checked = 0
    for system, singletons, expected, conll in printed:
        for name, figures in expected.items():
            found = triple(result, system, VARIANTS[singletons].format(NAMES[name]))
            assert [100 * value for value in found] == pytest.approx(figures, abs=0.00501), (system, name)
            checked += 1
        value = values(result, system, VARIANTS[singletons].format("conll"))["value"]
        assert 100 * value == pytest.approx(conll, abs=0.00501), system
    assert (len(systems), checked) == (6, 6 * 2 * 5)
