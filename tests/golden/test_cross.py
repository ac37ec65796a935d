"""TedEval through files of two frameworks, figure for figure, and a treebank enriched by another line for line."""

from __future__ import annotations

import json

import pytest

import assay
from assay.tasks.cross.brackets import common_gold, enrich
from assay.tasks.cross.treebanks import read_trees
from functionsets import edits

VARIANTS = {"paper": "paper", "2.1": "tedeval-2.1", "2.2": "tedeval-2.2"}


@pytest.fixture(scope="module", name="folder")
def given_folder(shared_data):
    return shared_data("const-dep-english")


@pytest.fixture(scope="module", name="figures")
def given_figures(folder):
    return json.loads((folder / "expected_tedeval.json").read_text("utf-8"))


def golds(folder, structure="gold.enriched.ptb"):
    return [f"ps={folder / structure}", f"dep={folder / 'gold.conllu'}"]


def system(folder, name):
    """A parser's file as a system of its framework, called by its file."""
    return f"{name}@{'dep' if name.endswith('.conllu') else 'ps'}={folder / name}"


@pytest.fixture(
    scope="module",
    name="crossed",
    params=[(sizes, subtypes) for sizes in VARIANTS for subtypes in (True, False)],
    ids=lambda param: f"{param[0]}, subtypes {'kept' if param[1] else 'cut'}",
)
def given_crossed(request, folder, figures):
    """All five systems under one way to measure trees, the figures for it, and its name in them."""
    sizes, subtypes = request.param
    expected = figures["tedeval"]["subtypes_kept" if subtypes else "subtypes_cut"]
    systems = [system(folder, name) for name in expected["systems"]]
    result = assay.cross(golds(folder), systems, sizes=sizes, subtypes=subtypes, times=1, power=None)
    return result, expected, VARIANTS[sizes]


def test_all_scores_and_counts(crossed):
    result, expected, variant = crossed
    scores = {(row.system, row.measure, row.score): row.value for row in result.scores}
    checked = 0
    for row in result.counts:
        spec, _, theory = row.measure.partition("@")
        if spec.startswith("fair"):
            continue
        assert ("gold=single" in spec) == bool(theory)
        mode = expected["systems"][row.system]["single" if theory else "multiple"]
        figure = mode["unlabelled" if "labelled=false" in spec else "labelled"][variant]
        found = {
            "score": pytest.approx(scores[row.system, row.measure, "value"], abs=6e-7),
            "sentence_mean": pytest.approx(scores[row.system, row.measure, "sentence-mean"], abs=6e-7),
            "N": row.counts["norm"],
            **{name: row.counts[name] for name in ("delta", "spurious", "missing", "forgiven", "unasked")},
        }
        assert found == {name: figure[name] for name in found}, (row.system, row.measure)
        checked += 1
    assert checked == 5 * 2 * 2


def test_how_far_the_golds_agree(crossed, figures):
    """The published figures divide by all units; sizes of TedEval 2.x are without roots, those of 2.2 with words."""
    result, expected, variant = crossed
    gold = figures["files"]["gold.conllu"]
    further = {
        "paper": 0,
        "tedeval-2.1": -2 * gold["sentences"],
        "tedeval-2.2": 2 * gold["words"] - 2 * gold["sentences"],
    }
    named = {
        True: expected["theory_overlap"]["labelled_paper_units" if variant == "paper" else "labelled_2x_units"],
        False: expected["theory_overlap"]["unlabelled"],
    }
    for row in result.overlaps:
        figure = named[row.labelled]
        units, differing = (
            figure["phrase_structure_units"] + figure["dependency_units"],
            figure["symmetric_difference"],
        )
        assert figure["overlap"] == pytest.approx(1 - differing / units, abs=6e-6)
        assert row.value == 1 - differing / (units + further[variant])
    assert len(result.overlaps) == 2


@pytest.fixture(scope="module", name="mixed")
def given_mixed(folder, figures):
    """Bare phrase structure that is given functions; every kind of system."""
    names = ["pcfg-functions-v2-h1_predpos.ptb", "perceptron-arc-eager.conllu", "pcfg-v2-h1_predpos.ptb"]
    systems = [system(folder, name) for name in names]
    enriched = assay.cross([*golds(folder, "gold.ptb"), "ps+dep"], systems, times=20)
    given = assay.cross(golds(folder), systems, times=20)
    return enriched, given


def test_a_gold_enriched_on_the_way_is_the_enriched_gold(mixed):
    enriched, given = mixed
    assert enriched.counts == given.counts
    assert enriched.overlaps == given.overlaps
    tests = [[row for row in one.comparisons if row.measure.startswith("tedeval")] for one in mixed]
    assert tests[0] == tests[1] != []
    # The enriched file writes the tags of brackets without hyphens, which tagging alone sees, and the order of draws.
    scores = zip(enriched.scores, given.scores, strict=True)
    assert {(a.measure, a.score) for a, b in scores if a.value != b.value} <= {("parseval@ps", "tagging")}


def test_native_scores_are_those_published_with_the_parses(mixed, figures):
    enriched, _ = mixed
    name = "pcfg-functions-v2-h1_predpos.ptb"
    brackets = figures["brackets"][name]["without functions"]
    found = {row.score: f"{100 * row.value:.2f}" for row in enriched.scores if row.system == name}
    assert [found[score] for score in ("precision", "recall", "f1", "exact-match")] == [
        f"{brackets[title]:.2f}" for title in ("P", "R", "F1", "exact")
    ]


@pytest.mark.parametrize(("subtypes", "cut"), [(True, "kept"), (False, "cut")])
def test_attachment_scores_keep_subtypes_where_function_trees_do(folder, figures, subtypes, cut):
    parser = "perceptron-arc-eager.conllu"
    result = assay.cross(golds(folder), [system(folder, parser)], subtypes=subtypes, times=1)
    found = {row.measure: row.value for row in result.scores if row.score == "f1"}
    arcs = figures["dependencies"][parser]
    las = "las(subtypes=true)@dep" if subtypes else "las@dep"
    assert {name: round(100 * value, 2) for name, value in found.items()} == {
        "uas@dep": arcs["UAS"],
        las: arcs[f"LAS_subtypes_{cut}"],
    }


def test_parsers_of_one_framework_are_tested_on_all_of_their_scores(folder):
    names = ["perceptron-arc-eager.conllu", "perceptron-arc-hybrid.conllu", "pcfg-functions-v2-h1_predpos.ptb"]
    theories = [*golds(folder, "gold.ptb"), "ps+dep"]
    result = assay.cross(theories, [system(folder, name) for name in names], times=2000)
    alike = {row.measure: row.p for row in result.comparisons if (row.a, row.b) == (names[0], names[1])}
    assert set(alike) == {
        "fair-tedeval",
        "fair-tedeval(gold=single)@dep",
        "tedeval",
        "tedeval(labelled=false)",
        "tedeval(gold=single)@dep",
        "tedeval(gold=single, labelled=false)@dep",
        "uas@dep",
        "las(subtypes=true)@dep",
    }
    assert min(alike.values()) > 0.15
    ahead = [row for row in result.comparisons if row.b == names[2]]
    # All tests are one family.
    assert {(row.measure, row.difference < 0, row.p < 0.01, row.p_adjusted < 0.05) for row in ahead} == {
        ("fair-tedeval", True, True, True),
        ("tedeval", True, True, True),
        ("tedeval(labelled=false)", True, True, True),
    }


def test_a_parser_without_functions_has_no_labelled_score(mixed):
    enriched, _ = mixed
    bare = "pcfg-v2-h1_predpos.ptb"
    measures = {row.measure for row in enriched.scores if row.system == bare and row.score == "value"}
    assert measures == {"tedeval(labelled=false)", "tedeval(gold=single, labelled=false)@ps"}
    assert [text for text in enriched.warnings if text.startswith(f"{bare}: its trees have no functions")]


def test_sentences_with_gaps_are_scored_like_all_others(mixed, figures):
    enriched, _ = mixed
    crossing = figures["files"]["gold.conllu"]["nonprojective_sentences"]
    assert enriched.about.units == figures["files"]["gold.conllu"]["sentences"]
    assert enriched.notes[0] == (
        f"Sentences with gaps (non-projective, discontinuous), scored like all others: gold dep {crossing}."
    )


def test_what_golds_agree_on_is_written_and_read_again(folder, figures, tmp_path):
    text, warnings = common_gold([*golds(folder, "gold.ptb"), "ps+dep"])
    assert warnings == []
    (tmp_path / "common.mrg").write_text(text, "utf-8")
    trees = read_trees(str(tmp_path / "common.mrg"), None).function_trees()
    overlap = figures["tedeval"]["subtypes_kept"]["theory_overlap"]
    assert len(trees.label) == overlap["labelled_paper_units"]["generalisation_units"]
    assert len(trees) == overlap["unlabelled"]["generalisation_units"]
    # Against this gold alone a parser has the missing units that it has against both.
    parser = "perceptron-arc-eager.conllu"
    multiple = figures["tedeval"]["subtypes_kept"]["systems"][parser]["multiple"]["labelled"]["paper"]
    parse = read_trees(str(folder / parser), None).function_trees()
    assert int(edits(parse, trees, trees, labelled=True, empty_counts=False).missing.sum()) == multiple["missing"]


def test_a_treebank_is_enriched_line_for_line(folder):
    found = enrich(str(folder / "gold.ptb"), str(folder / "gold.conllu")).splitlines()
    given = (folder / "gold.enriched.ptb").read_text("utf-8").splitlines()
    assert len(found) == len(given) == 1046
    assert [(a, b) for a, b in zip(found, given, strict=True) if a != b] == []


def test_a_parser_takes_its_functions_from_its_own_dependencies(folder, tmp_path):
    structure, labels = folder / "pcfg-v2-h1_predpos.ptb", folder / "perceptron-arc-eager.conllu"
    rich = tmp_path / "rich.ptb"
    rich.write_text(enrich(str(structure), str(labels)), "utf-8")
    two = assay.cross(golds(folder), [f"b@ps={structure}", f"b@dep={labels}"], times=1)
    one = assay.cross(golds(folder), [f"b@ps={rich}"], times=1)
    for measure in ("tedeval", "tedeval(labelled=false)", "tedeval(gold=single)@ps"):
        assert two.score("b", measure).value == one.score("b", measure).value
    assert two.score("b", "las(subtypes=true)@dep").value == pytest.approx(0.7847, abs=5e-5)
    assert two.score("b", "parseval@ps").value == pytest.approx(0.7764, abs=5e-5)


def test_folders_of_two_annotations(shared_data):
    """Trees over many lines beside multiword tokens and empty nodes."""
    folder = shared_data("gum-const-dep")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["unlabelled_dep_vs_const"]["token_sets_all"]
    theories = [f"dep={folder / 'dep'}", f"ps={folder / 'const'}"]
    result = assay.cross(theories, [f"x@dep={folder / 'dep'}"], sizes="paper", unit="document", times=1)
    assert (result.about.units, result.gold.sentences) == (40, expected["sentences"])
    overlaps = {row.labelled: row.value for row in result.overlaps}
    assert overlaps[False] == pytest.approx(expected["score_paper"], abs=6e-7)
    assert {row.value for row in result.scores if row.system == "x"} == {1}
