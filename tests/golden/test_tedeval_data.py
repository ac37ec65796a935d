"""TedEval on real parses of two frameworks, count for count."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from assay.tasks.cross.functiontrees import from_dependencies, from_nodes, generalise, tl_unify
from assay.tasks.cross.measures import sentence_scores
from functionsets import arcs, edits, nodes_of

VARIANTS = {"paper": "paper", "tedeval-2.1": "2.1", "tedeval-2.2": "2.2"}


def dependencies(path, cut):
    """The dependency trees of a file; cut: relations without their subtypes."""
    sentences = []
    for block in path.read_text("utf-8").strip().split("\n\n"):
        cells = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        rows = [row for row in cells if row[0].isdigit()]
        sentences.append([(int(row[6]), row[7].partition(":")[0] if cut else row[7]) for row in rows])
    return from_dependencies(*arcs(*sentences))


def bracketed_trees(text):
    """Each tree of a text by itself."""
    depth, begin = 0, 0
    for match in re.finditer(r"[()]", text):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            yield text[begin : match.end()]
            begin = match.end()


def functions_of(label, cut):
    """What stands behind the first hyphen of a label."""
    name = label[1:].partition("-")[2]
    return [name.partition(":")[0] if cut else name] if name else []


def phrase_structure(path, cut=False, **options):
    """The function trees of a file of brackets."""
    read = [nodes_of(tree) for tree in bracketed_trees(path.read_text("utf-8"))]
    rows = [(sentence, begin, end) for sentence, (nodes, _) in enumerate(read) for _, begin, end in nodes]
    names = [label for nodes, _ in read for label, *_ in nodes]
    vocabulary = sorted(set(names))
    number = {name: code for code, name in enumerate(vocabulary)}
    functions = (
        np.array([number[name] for name in names]), [functions_of(name, cut) for name in vocabulary]
    )
    sentence, begin, end = np.array(rows).T
    starts = np.concatenate([[0], np.cumsum([words for _, words in read])])
    return from_nodes(starts, sentence, begin, end, functions, **options)


@pytest.fixture(scope="module", params=[False, True], ids=["subtypes kept", "subtypes cut"])
def expected(request, shared_data):
    """The figures for relations as they are or cut, and a function that reads a file in that way."""
    folder = shared_data("const-dep-english")
    figures = json.loads((folder / "expected_tedeval.json").read_text("utf-8"))
    known = {}

    def trees(name):
        if name not in known:
            read = dependencies if name.endswith(".conllu") else phrase_structure
            known[name] = read(folder / name, request.param)
        return known[name]

    return figures["tedeval"]["subtypes_cut" if request.param else "subtypes_kept"], trees


def summed(found, sizes):
    """The figures of a whole file, as the expected ones are named."""
    errors, norms = found.delta, found.norm(sizes)
    return {
        "score": pytest.approx(1 - errors.sum() / norms.sum(), abs=6e-7),
        "sentence_mean": pytest.approx(sentence_scores(errors, norms).mean(), abs=6e-7),
        "delta": errors.sum(),
        "N": norms.sum(),
        "spurious": found.spurious.sum(),
        "missing": found.missing.sum(),
        "forgiven": found.forgiven.sum(),
        "unasked": found.unasked.sum(),
        "parse": found.parse.sum(),
        "gold": found.gold.sum(),
        "gen": found.generalised.sum(),
    }


def test_all_systems_in_all_variants(expected):
    figures, trees = expected
    generalised = generalise(trees("gold.enriched.ptb"), trees("gold.conllu"))
    assert len(figures["systems"]) == 5
    for name, of_system in figures["systems"].items():
        gold = trees(of_system["native_gold"])
        for mode, by_labels in ((mode, of_system[mode]) for mode in ("single", "multiple")):
            target = gold if mode == "single" else generalised
            for labels, by_sizes in by_labels.items():
                for variant, figure in by_sizes.items():
                    options = {"labelled": labels == "labelled", "empty_counts": variant != "paper"}
                    found = edits(trees(name), gold, target, **options)
                    assert summed(found, VARIANTS[variant]) == figure, (name, mode, labels, variant)


@pytest.mark.parametrize(
    ("units", "labelled", "empty_counts"),
    [("labelled_paper_units", True, False), ("labelled_2x_units", True, True), ("unlabelled", False, False)],
)
def test_overlap_of_the_two_theories(expected, units, labelled, empty_counts):
    figures, trees = expected
    phrases, words = trees("gold.enriched.ptb"), trees("gold.conllu")
    options = {"labelled": labelled, "empty_counts": empty_counts}
    found = edits(phrases, words, words, **options)
    difference = found.delta.sum()
    assert {
        "overlap": pytest.approx(1 - difference / found.norm("paper").sum(), abs=6e-6),
        "symmetric_difference": difference,
        "phrase_structure_units": found.parse.sum(),
        "dependency_units": found.gold.sum(),
        "generalisation_units": edits(phrases, words, generalise(phrases, words), **options).generalised.sum(),
    } == figures["theory_overlap"][units]


def test_units_of_each_file(shared_data):
    folder = shared_data("const-dep-english")
    files = json.loads((folder / "expected_tedeval.json").read_text("utf-8"))["files"]
    for name, figures in files.items():
        if name.endswith(".ptb"):
            trees = phrase_structure(folder / name)
            assert len(trees.label) == figures["labelled_units"]
            assert trees.bare.sum() == figures["yields_without_label"]
        else:
            trees = dependencies(folder / name, False)
            assert trees.words.sum() == figures["words"]
            assert trees.with_gaps.sum() == figures["nonprojective_sentences"]
        assert trees.sentences == figures["sentences"]


def test_enriching_bare_trees_by_tl_unification(shared_data):
    folder = shared_data("const-dep-english")
    bare = phrase_structure(folder / "gold.ptb", top_root=False)
    enriched = tl_unify(bare, dependencies(folder / "gold.conllu", False))
    given = phrase_structure(folder / "gold.enriched.ptb", top_root=False)
    assert (enriched.nodes.sentence == given.nodes.sentence).all()
    assert (enriched.nodes.key == given.nodes.key).all()
    names = [[trees.labels[code] for code in trees.label.tolist()] for trees in (enriched, given)]
    assert (enriched.label_node == given.label_node).all()
    assert names[0] == names[1]


def test_yields_of_the_two_annotations_of_gum(shared_data):
    folder = shared_data("gum-const-dep")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    errors, sizes, gaps = [], [], []
    for name, figures in expected["documents"].items():
        phrases = phrase_structure(folder / "const" / f"{name}.ptb")
        words = dependencies(folder / "dep" / f"{name}.conllu", False)
        assert (words.sentences, words.words.sum()) == (figures["sentences"], figures["tokens"])
        assert words.with_gaps.sum() == figures["nonprojective_sentences"]
        found = edits(words, phrases, phrases, labelled=False, empty_counts=False)
        errors.append(found.delta)
        sizes.append(found.norm("paper"))
        gaps.append(words.with_gaps)
    error, units, crossed = (np.concatenate(parts) for parts in (errors, sizes, gaps))
    for name, chosen in (("token_sets_all", crossed | True), ("projective_only", ~crossed)):
        figures = expected["unlabelled_dep_vs_const"][name]
        assert chosen.sum() == figures["sentences"]
        assert (error[chosen].sum(), units[chosen].sum()) == (figures["delta"], figures["size_paper"])
        score = 1 - error[chosen].sum() / units[chosen].sum()
        smaller = 1 - error[chosen].sum() / (units[chosen] - 2).sum()
        assert score == pytest.approx(figures["score_paper"], abs=6e-7)
        assert smaller == pytest.approx(figures["score_tedeval_2_1"], abs=6e-7)
