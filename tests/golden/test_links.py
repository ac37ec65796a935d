"""Links against the counts of HIPE-scorer and neleval, and of the cases."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.arrays import Ints
from assay.engine.counts import as_sums
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare
from assay.tasks.links.measures import FAIR
from cases import each
from linklists import corpus_of

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "link_cases.jsonl").read_text("utf-8").splitlines()
]
SETTINGS = {
    "mentions": "link-mentions(linked=true)",
    "strict": "links",
    "strict,nil=drop": "links(nil=drop)",
    "strict,nil=only": "links(nil=only)",
    "strict,types=same": "links(types=same)",
    "overlap": "links(match=overlap)",
    "strict,at=3": "links(at=3)",
    "strict,at=5": "links(at=5)",
    "document-entities": "document-entities",
    "link-accuracy": "link-accuracy",
    "fair": "fair-links",
}
NELEVAL = {
    "strong_mention_match": "link-mentions",
    "strong_all_match": "links",
    "strong_link_match": "links(nil=drop)",
    "strong_nil_match": "links(nil=only)",
    "strong_typed_all_match": "links(types=same)",
    "strong_typed_link_match": "links(nil=drop, types=same)",
    "strong_typed_nil_match": "links(nil=only, types=same)",
    "entity_match": "document-entities",
}
OFFICIAL = {
    f"{level} {mode} @{number}": (f"links(match={match}, at={number})", prefix)
    for level, prefix in (("micro", ""), ("macro-by-document", "document-"))
    for mode, match in (("strict", "strict"), ("fuzzy", "overlap"))
    for number in (1, 3, 5)
}
DATA = {
    "ajmc-en": ("team2-bundle1-run1", "team2-bundle1-run2", "team5-bundle5-run1", "team5-bundle5-run2"),
    "sonar-de": ("team5-bundle5-run1", "team5-bundle5-run2"),
}


def counts_in(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts that the cases have."""
    if "found" in counts:
        return {"right": counts["right"], "found": counts["found"]}
    if "missed" in counts:
        assert sum(counts[kind] for kind in FAIR if kind != "spurious") == counts["gold"]
        return {"TP" if kind == "tp" else kind: counts[kind] for kind in FAIR}
    return {kind: counts[kind] for kind in ("tp", "fp", "fn")}


def judged(case: Mapping[str, Any], spec: str) -> tuple[dict[str, int], float]:
    """The counts of a case under a measure, and its main score; also where neither side has any links."""
    measure = find(spec)
    gold, system = corpus_of([case["gold"]], "gold"), corpus_of([case["system"]], "system")
    run = prepare(gold, {"system": system}, [measure], Options(task="links"))
    pair = run.pairs[0][1]
    counts = measure.counts_of(measure.judge(pair), pair.gold.sentences)
    totals: Ints = counts.total()
    value = float(measure.scores[measure.main](as_sums(totals, counts.fields)))
    return dict(zip(counts.fields, totals.tolist(), strict=True)), value


@each("case", CASES, ids=lambda case: str(case["id"]))
def test_each_case_under_every_setting(case: dict[str, Any]) -> None:
    assert set(case["expected"]) == set(SETTINGS)
    for name, spec in SETTINGS.items():
        expected = dict(case["expected"][name])
        f1 = expected.pop("f1", "")
        counts, value = judged(case, spec)
        assert counts_in(counts) == expected, f"{name}: {counts}"
        if f1 is None:
            assert math.isnan(value), name
        elif f1 != "":
            assert math.isclose(value, f1, abs_tol=1e-6), name


@each("case", [case for case in CASES if case["official"]], ids=lambda case: str(case["id"]))
def test_neleval_counts_the_same(case: dict[str, Any]) -> None:
    official = case["official"]["neleval"]
    for name, spec in NELEVAL.items():
        assert counts_in(judged(case, spec)[0]) == official[name], f"{name}, {spec}"


@pytest.fixture(scope="module", params=[(data, system) for data, systems in DATA.items() for system in systems])
def hipe(request: pytest.FixtureRequest, shared_data: Callable[[str], Path]) -> tuple[assay.Result, Any]:
    """The counts and scores of a system under all settings, and what they should be."""
    folder = shared_data("links-hipe2022")
    data, system = request.param
    specs = [*SETTINGS.values(), *(spec for spec, _ in OFFICIAL.values())]
    files = str(folder / data / "gold.tsv"), {"system": str(folder / data / f"{system}.tsv")}
    result = assay.score(*files, list(dict.fromkeys(str(find(spec)) for spec in specs)), times=1)
    return result, json.loads((folder / "expected.json").read_text("utf-8"))[data][system]


def test_counts_on_historical_newspapers_and_commentaries(hipe: tuple[assay.Result, Any]) -> None:
    result, expected = hipe
    counts = {row.measure: row.counts for row in result.counts}
    scores = {(row.measure, row.score): row.value for row in result.scores}
    assert set(expected["assay"]) == set(SETTINGS)
    for name, spec in SETTINGS.items():
        own = dict(expected["assay"][name])
        f1 = own.pop("f1", None)
        assert counts_in(counts[spec]) == own, name
        assert f1 is None or math.isclose(scores[spec, "f1"], f1, abs_tol=1e-6), name


def test_the_figures_of_the_official_scorer(hipe: tuple[assay.Result, Any]) -> None:
    result, expected = hipe
    counts = {row.measure: row.counts for row in result.counts}
    scores = {(row.measure, row.score): row.value for row in result.scores}
    assert set(expected["official"]) == set(OFFICIAL)
    for name, (given, prefix) in OFFICIAL.items():
        spec, official = str(find(given)), expected["official"][name]
        for kind in ("tp", "fp", "fn") if not prefix else ():
            assert counts[spec][kind] == official[kind], name
        for short, score in (("p", "precision"), ("r", "recall"), ("f1", "f1")):
            assert abs(scores[spec, prefix + score] - official[short]) <= 0.0005 + 1e-9, (name, score)


@pytest.mark.parametrize(
    ("run", "strict", "fuzzy", "official"), [(1, (305, 65, 43), 323, 321), (2, (296, 60, 52), 315, 311)]
)
def test_mentions_of_hipe_against_its_published_evaluations(
    run: int, strict: tuple[int, ...], fuzzy: int, official: int, shared_data: Callable[[str], Path]
) -> None:
    folder = shared_data("links-hipe2022") / "ajmc-en"
    files = str(folder / "gold.tsv"), {"s": str(folder / f"team2-bundle1-run{run}.tsv")}
    result = assay.score(*files, ["exact", "semeval"], task="spans", column="NE-COARSE-LIT", times=1)
    exact, semeval = (row.counts for row in result.counts if row.label is None)
    assert tuple(exact[name] for name in ("tp", "fp", "fn")) == strict
    # The scorer gives each prediction the first mention that it overlaps, so it never has more than the best pairs.
    assert official <= semeval["same"] + semeval["same-label"] == fuzzy
