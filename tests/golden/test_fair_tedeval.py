"""Fair TedEval, costs of edits and subsumption, case by case in exact arithmetic, and on real parses."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import assay
from assay.errors import UsageError
from assay.tasks.cross.functiontrees import generalise, subsumes
from assay.tasks.cross.measures import Parse, fair_tedeval, tedeval
from assay.tasks.cross.treebanks import ListedFunctions, read_trees
from cases import each
from functionsets import from_models
from parses import dependencies

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "beyond" / "cross_cases.jsonl").read_text("utf-8").splitlines()
]


def of_kind(kind):
    return [case for case in CASES if case["kind"] == kind]


def trees_of(rows, words=0):
    """The tree of one sentence, from its sets of words and their labels."""
    model = {frozenset(word - 1 for word in place): frozenset(labels) for place, labels in rows}
    return from_models([model], [words or max(max(place) for place, _ in rows)])


def parse_of(case):
    words = case.get("words", 3)
    golds = [trees_of(gold, words) for gold in case["golds"]]
    return Parse(trees_of(case["parse"], words), golds[case["own"]], generalise(*golds))


def sums(counts):
    return dict(zip(counts.fields, counts.values.sum(axis=0).tolist(), strict=True))


def value(function, counts):
    return function.scores["value"]({name: float(number) for name, number in counts.items()})


@each("case", of_kind("fair-tedeval"), ids=lambda case: case["id"])
def test_fair_tedeval(case):
    parse, expected = parse_of(case), case["expected"]
    counts = sums(fair_tedeval(parse, sizes=case["sizes"]))
    names = {"spurious": "spurious", "missing": "missing", "norm": "size", "fp": "fp", "fn": "fn"}
    assert {name: counts[name] for name in names} == {name: expected[key] for name, key in names.items()}
    size, edits, pairs = counts["norm"], counts["delta"], counts["le"] + counts["be"]
    assert Fraction(size - edits, size - pairs) == Fraction(expected["fair"])
    assert Fraction(size - edits, size) == Fraction(expected["tedeval"])
    found = parse.pairs(empty_counts=case["sizes"] != "paper")
    nodes, units = parse._overlays["multiple"].union.nodes, found.units

    def place(row):
        return [word + 1 for begin, end in nodes.stretches(int(units.node[row])) for word in range(begin, end)]

    def name(row):
        return found.names[units.label[row]]

    le = [[name(wrong), name(own), place(own)] for wrong, own in found.labelling.T]
    be = [[name(wrong), place(wrong), place(own)] for wrong, own in found.boundary.T]
    assert (sorted(le), sorted(be)) == (sorted(expected["le"]), sorted(expected["be"]))


@each("case", of_kind("edit-costs"), ids=lambda case: case["id"])
def test_costs_of_edits(case):
    costs = {name: int(case[name]) for name in ("add", "delete")}
    counts = sums(tedeval(parse_of(case), sizes="paper", **costs))
    expected = {name: Fraction(number) for name, number in case["expected"].items()}
    assert (counts["delta"], counts["norm"]) == (expected["delta"], expected["size"])
    assert 1 - Fraction(counts["delta"], counts["norm"]) == expected["score"]


@pytest.mark.parametrize("costs", [{"add": -1}, {"add": 0, "delete": 0}, {"add": 1.5}])
def test_costs_that_are_not_accepted(costs):
    with pytest.raises(UsageError, match="--edit-costs"):
        tedeval(parse_of(of_kind("edit-costs")[0]), sizes="paper", **costs)


def test_subsumption():
    (case,) = of_kind("subsumes")
    found = [
        bool(subsumes(trees_of(general, 3), trees_of(special, 3))[0]) for general, special, _ in case["expected"]
    ]
    assert found == [expected for *_, expected in case["expected"]]


ANCHORS = json.loads((Path(__file__).parents[1] / "data" / "beyond" / "cross_anchors.json").read_text("utf-8"))


def test_real_parses(shared_data):
    """Counts of four parsers on GUM, with two sizes, against all golds and against their own."""
    folder = shared_data("const-dep-english")
    (figures,) = ANCHORS["fair-tedeval"].values()
    trees = {}
    for path in [
        folder / "gold.enriched.ptb",
        folder / "gold.conllu",
        *(folder / name for name in figures["paper multiple"]),
    ]:
        trees[path.name] = read_trees(str(path), None).function_trees()
    golds = {".ptb": trees["gold.enriched.ptb"], ".conllu": trees["gold.conllu"]}
    common = generalise(*golds.values())
    for variant, by_system in figures.items():
        sizes, gold = variant.split()
        for name, (spurious, missing, le, be, size) in by_system.items():
            parse = Parse(trees[name], golds[Path(name).suffix], common)
            counts = sums(fair_tedeval(parse, sizes=sizes, gold=gold))
            assert [counts[field] for field in ("spurious", "missing", "le", "be", "norm")] == [
                spurious,
                missing,
                le,
                be,
                size,
            ], (variant, name)
            assert counts["fp"] + le + be == spurious
            assert counts["fn"] + le + be == missing


def test_the_gap_between_frameworks_halves(shared_data):
    folder = shared_data("const-dep-english")
    systems = ["eager@dep=perceptron-arc-eager.conllu", "v2@ps=pcfg-functions-v2-h1_predpos.ptb"]
    result = assay.cross(
        [f"ps={folder / 'gold.enriched.ptb'}", f"dep={folder / 'gold.conllu'}"],
        [f"{name}={folder / path}" for name, path in (system.split("=") for system in systems)],
        sizes="paper",
        times=10,
        power=None,
    )
    scores = {(row.system, row.measure): round(row.value, 4) for row in result.scores if row.score == "value"}
    for system, plain, fair in (("eager", 0.8727, 0.9153), ("v2", 0.8396, 0.8983)):
        assert scores[system, "tedeval(sizes=paper)"] == plain
        assert scores[system, "fair-tedeval(sizes=paper)"] == fair
    assert scores["eager", "fair-tedeval(gold=single, sizes=paper)@dep"] == 0.9090
    rows = [row for row in result.confusion if row.system == "eager"]
    assert sum(row.count for row in rows) == 1268
    assert {row.type for row in rows} == {"le"}
    assert any(row.a == "eager" and row.measure == "fair-tedeval(sizes=paper)" for row in result.comparisons)


@each("case", of_kind("functions"), ids=lambda case: case["id"])
def test_lists_of_functions(case, tmp_path):
    (tmp_path / "rr.mrg").write_text(case["tree"] + "\n", "utf-8")
    corpus = read_trees(str(tmp_path / "rr.mrg"), None).corpus
    found = ListedFunctions.of([corpus], case["functions"], case["other_functions"])
    assert {
        "functions": found.functions,
        "categories": found.categories,
        "listed_nowhere": [*found.nowhere],
        "suspicious": [*found.doubtful],
    } == case["expected"]


def test_bare_phrase_structure(tmp_path):
    (case,) = of_kind("bare")
    (tmp_path / "rr.mrg").write_text(case["gold"] + "\n", "utf-8")
    (tmp_path / "bare.mrg").write_text(case["output"] + "\n", "utf-8")
    (tmp_path / "dep.conllu").write_text(dependencies("John/2/sbj loves/0/root Mary/2/obj"), "utf-8")
    golds = [f"rr={tmp_path / 'rr.mrg'}", f"dep={tmp_path / 'dep.conllu'}"]
    for sizes, score in case["expected"]["unlabelled"].items():
        result = assay.cross(
            golds, [f"b@rr={tmp_path / 'bare.mrg'}"], function_labels={"rr": case["functions"]}, sizes=sizes, times=2
        )
        scores = {row.measure: row.value for row in result.scores if row.score == "value"}
        (name,) = [name for name in scores if "tedeval" in name and "@" not in name]
        assert "labelled=false" in name
        assert scores[name] == pytest.approx(float(Fraction(score)))
        counts = next(row.counts for row in result.counts if row.measure == name)
        assert (counts["spurious"], counts["missing"]) == (case["expected"]["spurious"], case["expected"]["missing"])
        notes = [note for note in result.notes if "taken as functions" in note]
        assert notes == [
            "Gold rr: labels taken as functions: hd 2, obj 1, prd 1, sbj 1; as categories: NN 2, NP 2, S 1, V 1."
        ]
        assert any("labelled TedEval does not apply" in line for line in result.warnings)
