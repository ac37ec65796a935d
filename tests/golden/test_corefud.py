"""Zeros and ways to match mentions: own cases, the test files of the CorefUD scorer, and real documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.engine.items import ONE
from assay.engine.measure import find
from assay.errors import InputError

FOLDER = Path(__file__).parents[1] / "data" / "corefud"
EXPECTED = json.loads((FOLDER / "expected.json").read_text("utf-8"))
METRICS = ("muc", "b-cubed", "ceaf-e", "ceaf-m", "lea", "zeros")
REPEATED = ("TC-A-7", "TC-A-8", "TC-A-9")
"""Test files with repeated mentions, which are refused."""


def four(counts):
    """Numerator and denominator of recall, then of precision."""
    if "tp" in counts:
        linked = counts["tp"] + counts["wl"]
        return [counts["tp"], linked + counts["fn"], counts["tp"], linked + counts["fp"]]
    if "right" in counts:
        return [counts["right"], counts["gold"], counts.get("found", counts["right"]), counts["system"]]
    return [counts["rnum"] / ONE, counts["rden"], counts["pnum"] / ONE, counts["pden"]]


def links(counts):
    """The two kinds of links of BLANC."""
    kinds = {"c": "coreferent", "n": "apart"}
    return {key: [counts[f"{side}{kind}"] for side in ("", "gold-", "", "system-")] for key, kind in kinds.items()}


def counted(key, response, settings):
    """For each setting: matched mentions beside those of both sides, what each measure counts, and links of BLANC."""
    names = ("mentions", "blanc", *METRICS)
    specs = {(setting, name): f"{name}({setting})" for setting in settings for name in names}
    specs |= {(setting, "mor"): f"mor({setting.rpartition(',')[2]})" for setting in settings}
    result = assay.score(key, {"s": response}, list(specs.values()), task="coreference", times=1)
    rows = {str(find(row.measure)): row.counts for row in result.counts}
    for setting in settings:
        of_setting = {name: rows[str(find(specs[setting, name]))] for name in (*names, "mor")}
        blanc = links(of_setting.pop("blanc"))
        found = {name: four(counts) for name, counts in of_setting.items()}
        matched, in_key, _, in_response = found.pop("mentions")
        yield setting, [matched, in_key, in_response], found, blanc


@pytest.mark.parametrize("name", EXPECTED)
def test_cases_of_zeros_and_matching(name) -> None:
    cases = EXPECTED[name]["results"]
    files = FOLDER / f"{name}.key.conllu", FOLDER / f"{name}.response.conllu"
    for setting, matched, metrics, blanc in counted(*files, cases):
        expected = cases[setting]["expected"]
        assert matched[0] == expected["matched"], setting
        assert blanc == expected["blanc"], setting
        for metric, numbers in metrics.items():
            assert numbers == pytest.approx(expected[metric], abs=1e-8), (setting, metric)


def test_counts_of_the_corefud_scorer(shared_data) -> None:
    """All its test files under all settings; it stops where a zero has no dependencies, and assay does not."""
    folder = shared_data("coref-corefud-scorer")
    wrong, checked, stopped = [], 0, 0
    for response, case in json.loads((folder / "expected.json").read_text("utf-8")).items():
        if any(name in response for name in REPEATED):
            continue
        files = [folder / "tests-corefud" / name for name in (case["key"], response)]
        for setting, matched, metrics, blanc in counted(*files, case["results"]):
            expected = case["results"][setting]
            checked += 1
            if "error" in expected:
                stopped += 1
                continue
            theirs = {name: expected["zero" if name == "zeros" else name]["counts"] for name in metrics}
            own = case.get("differs", {}).get(setting, {})
            theirs |= {"zeros" if name == "zero" else name: counts for name, counts in own.items()}
            same = all(numbers == pytest.approx(theirs[name], abs=1e-6) for name, numbers in metrics.items())
            if matched != expected["matched"] or not same or blanc != expected["blanc"]["counts"]:
                wrong.append((response, setting))
    assert wrong == []
    assert (checked, stopped) == (474, 42)


def test_files_with_repeated_mentions_are_refused(shared_data) -> None:
    folder = shared_data("coref-corefud-scorer") / "tests-corefud"
    for name in REPEATED:
        with pytest.raises(InputError, match="--duplicates first"):
            assay.score(folder / "exact-match/TC-A.key", folder / f"exact-match/{name}.response", task="coreference")


@pytest.mark.parametrize("response", ["noised-1", "noised-2"])
def test_real_documents_with_zeros(shared_data, response) -> None:
    folder = shared_data("coref-gum-zeros")
    cases = json.loads((folder / "expected.json").read_text("utf-8"))
    settings = [name.partition("|")[2] for name in cases if name.startswith(response)]
    for setting, matched, metrics, blanc in counted(folder / "key.conllu", folder / f"{response}.conllu", settings):
        theirs, spec = (cases[f"{response}|{setting}"][name] for name in ("scorer", "spec"))
        assert (matched, blanc) == (theirs["matched"], theirs["blanc"]["counts"]), setting
        for metric, numbers in metrics.items():
            own = theirs["zero" if metric == "zeros" else metric] if spec == "equal" else spec[metric]
            assert numbers == pytest.approx(own["counts"], abs=1e-6), (setting, metric)


@pytest.mark.parametrize("response", ["noised-1", "noised-2"])
def test_parts_of_real_documents(shared_data, response) -> None:
    """By type of entity, length of chain, part of speech of the head and type of mention."""
    folder = shared_data("coref-gum-zeros")
    cases = json.loads((folder / "expected.json").read_text("utf-8"))
    slices = ("entity-type", "chain-length", "head-upos", "mention-type")
    checked = 0
    for name, case in cases.items():
        if not name.startswith(response) or "typed" not in case["spec"]:
            continue
        specs = [f"{measure}({name.partition('|')[2]})" for measure in ("mentions", "muc", "b-cubed", "lea")]
        files = folder / "key.conllu", {"s": folder / f"{response}.conllu"}
        result = assay.score(*files, specs, task="coreference", times=1, slices=slices)
        rows = [row for row in result.counts if row.slice]
        found = {f"{row.slice}|{row.measure.partition('(')[0]}": four(row.counts) for row in rows}
        assert set(found) == set(case["spec"]["typed"])
        for part, counts in case["spec"]["typed"].items():
            assert found[part] == pytest.approx(counts, abs=1e-6), (name, part)
            checked += 1
    assert checked > 300


FIGURES = {
    ("noised-1", "head"): (72.66, 71.94, 78.96, 78.29, 22, 20),
    ("noised-1", "partial"): (63.51, 61.56, 71.09, 69.47, 22, 16),
    ("noised-1", "exact"): (59.46, 57.54, 67.89, 66.28, 22, 16),
    ("noised-2", "head"): (48.83, 47.25, 60.89, 59.80, 12, 7),
    ("noised-2", "partial"): (29.79, 27.68, 42.63, 41.12, 10, 3),
    ("noised-2", "exact"): (25.07, 23.23, 36.80, 35.50, 9, 3),
}
"""CoNLL score without singletons and with them, by dependency and by place, and zeros found of 36."""


@pytest.mark.parametrize(("response", "match"), FIGURES)
def test_figures_of_real_documents(shared_data, response, match) -> None:
    folder = shared_data("coref-gum-zeros")
    specs = [
        f"conll(match={match},zeros={zeros},singletons={single})"
        for single in ("false", "true")
        for zeros in ("dependent", "linear")
    ]
    of_zeros = [f"zeros(match={match},zeros={zeros},singletons=false)" for zeros in ("dependent", "linear")]
    files = folder / "key.conllu", {"s": folder / f"{response}.conllu"}
    result = assay.score(*files, [*specs, *of_zeros], task="coreference", times=1)
    *conll, one, other = FIGURES[response, match]
    values = [round(100 * row.value, 2) for row in result.scores if row.measure.startswith("conll")]
    assert values == conll
    zeros = [four(row.counts) for row in result.counts if row.measure.startswith("zeros")]
    in_response = {"noised-1": 22, "noised-2": 23}[response]
    assert zeros == [[one, 36, one, in_response], [other, 36, other, in_response]]
