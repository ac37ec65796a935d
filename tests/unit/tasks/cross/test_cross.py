"""Parsers of several frameworks on the same sentences, through their function trees."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace
from itertools import product

import pytest
from rich.console import Console

import assay
from assay.engine.scores import MeasureScores
from assay.errors import UsageError
from assay.render import render
from assay.render.tables import tables
from assay.render.terminal import show
from assay.result import Result
from assay.tasks.cross.brackets import common_gold, enrich
from parses import dependencies
from unit.samples import refusal

# Figure 1 of the paper: three ways to say who loves whom.
DEP = "John/2/sbj loves/0/root Mary/2/obj"
PS = "(S-root (NP-sbj (NN-hd John)) (VP-prd (V-hd loves) (NP-obj (NN-hd Mary))))"
RR = "(S ({sbj,prd,obj} (sbj (NP ({hd} (hd (NN John))))) (prd (V loves)) (obj (NP ({hd} (hd (NN Mary)))))))"
FUNCTIONS = {"rr": ["sbj", "prd", "obj", "iobj", "hd"]}

RAN = "He/2/sbj ran/0/root"
RAN_PS = "(S-root (NP-sbj (PRP-sbj He)) (VP-hd (V-hd ran)))"


@pytest.fixture(name="write")
def given_write(file):
    def write(name, *sentences):
        text = dependencies(*sentences) if name.endswith(".conllu") else "".join(f"{tree}\n" for tree in sentences)
        return file(name, text)

    return write


@pytest.fixture(name="golds")
def given_golds(write):
    """Two golds of two sentences."""
    write("gold.conllu", DEP, RAN)
    write("gold.mrg", PS, RAN_PS)
    return ["dep=gold.conllu", "ps=gold.mrg"]


@pytest.fixture(name="crossed")
def given_crossed(golds):
    def cross(*systems, theories=(), **options):
        return assay.cross([*golds, *theories], list(systems), **{"times": 20, **options})

    return cross


def values(result, system, score="value"):
    return {row.measure: row.value for row in result.scores if (row.system, row.score) == (system, score)}


def parts(result, measure, system):
    """Delta and its parts."""
    (row,) = [row for row in result.counts if (row.measure, row.system) == (measure, system)]
    names = ("delta", "norm", "spurious", "missing", "forgiven", "unasked")
    return {name: row.counts[name] for name in names}


# --- the paper's figures ---


@pytest.fixture(name="figure")
def given_figure(write):
    """The three golds of Figure 1, and a system in each framework that has them right."""
    for name, text in (("dep.conllu", DEP), ("ps.mrg", PS), ("rr.mrg", RR)):
        write(name, text)
    return ["dep=dep.conllu", "ps=ps.mrg", "rr=rr.mrg"]


@pytest.mark.parametrize(
    ("sizes", "labelled", "unlabelled"),
    [
        ("paper", (8 / 11, 6 / 10, 10 / 13), (8 / 9, 1, 8 / 9)),
        ("2.1", (6 / 9, 4 / 8, 8 / 11), (6 / 7, 1, 6 / 7)),
        ("2.2", (12 / 15, 10 / 14, 14 / 17), (12 / 13, 1, 12 / 13)),
    ],
)
def test_figure_1_how_far_the_golds_agree(figure, sizes, labelled, unlabelled):
    """The score of one gold against the other, by the sizes chosen."""
    result = assay.cross(figure, ["x@dep=dep.conllu"], sizes=sizes, function_labels=FUNCTIONS, times=2)
    pairs = [("dep", "ps"), ("dep", "rr"), ("ps", "rr")]
    found = {(row.a, row.b, row.labelled): row.value for row in result.overlaps}
    expected = {(*pair, True): value for pair, value in zip(pairs, labelled, strict=True)}
    expected |= {(*pair, False): value for pair, value in zip(pairs, unlabelled, strict=True)}
    assert found == pytest.approx(expected)


def test_figure_1_every_gold_agrees_with_itself_and_with_what_all_share(figure):
    systems = ["a@dep=dep.conllu", "b@ps=ps.mrg", "c@rr=rr.mrg"]
    result = assay.cross(figure, systems, function_labels=FUNCTIONS, times=2)
    for name in "abc":
        assert set(values(result, name).values()) == {1}
    # All three share root, sbj and obj, and over `loves` a node without a label; hd over all words is c's and b's.
    assert parts(result, "tedeval", "a")["forgiven"] == 1
    assert parts(result, "tedeval", "b")["forgiven"] == 4
    assert parts(result, "tedeval", "c")["forgiven"] == 3


@pytest.mark.parametrize(("sizes", "norms"), [("paper", 12), ("2.1", 10), ("2.2", 16)])
def test_figure_1_relational_realizational_trees(figure, write, sizes, norms):
    """Their functions are scored, their categories are not."""
    write("wrong.mrg", RR.replace("obj", "iobj"))
    write("other.mrg", RR.replace("NP", "XP"))
    systems = ["right@rr=rr.mrg", "wrong@rr=wrong.mrg", "other@rr=other.mrg"]
    result = assay.cross(figure, systems, sizes=sizes, function_labels=FUNCTIONS, times=2)
    single = next(row.measure for row in result.counts if row.measure.endswith("@rr"))
    for name, errors in (("right", 0), ("wrong", 2), ("other", 0)):
        found = parts(result, single, name)
        assert (found["delta"], found["norm"]) == (errors, norms)
    assert values(result, "wrong")[single] == pytest.approx(1 - 2 / norms)


def test_function_nodes_are_no_constituents(figure, write):
    """PARSEVAL is about the categories of such trees."""
    write("function.mrg", RR.replace("(obj ", "(iobj "))
    write("category.mrg", RR.replace("(NP ({hd} (hd (NN Mary", "(XP ({hd} (hd (NN Mary"))
    systems = ["f@rr=function.mrg", "c@rr=category.mrg"]
    result = assay.cross(figure, systems, function_labels=FUNCTIONS, times=2)
    found = {row.system: row.value for row in result.scores if (row.measure, row.score) == ("parseval@rr", "f1")}
    assert found["f"] == 1
    assert found["c"] < 1


@pytest.mark.parametrize(
    ("parse", "expected", "scores"),
    [
        (PS, {"delta": 0, "spurious": 0, "missing": 0, "forgiven": 3, "unasked": 0}, {}),
        (
            PS.replace("obj", "iobj"),
            {"delta": 2, "spurious": 1, "missing": 1, "forgiven": 3, "unasked": 0},
            {"paper": 9 / 11, "2.1": 7 / 9, "2.2": 13 / 15},
        ),
        (
            "(S-root (NP-sbj (NN-hd John)) (V-hd loves) (NP-obj (NN-hd Mary)))",
            {"delta": 0, "spurious": 0, "missing": 0, "forgiven": 2, "unasked": 1},
            {},
        ),
    ],
)
def test_worked_examples_with_two_golds(write, parse, expected, scores):
    write("dep.conllu", DEP)
    write("ps.mrg", PS)
    write("parse.mrg", parse)
    for sizes in ("paper", "2.1", "2.2"):
        result = assay.cross(["dep=dep.conllu", "ps=ps.mrg"], ["b@ps=parse.mrg"], sizes=sizes, times=2)
        measure = result.counts[0].measure
        found = parts(result, measure, "b")
        found.pop("norm")
        assert found == expected
        assert values(result, "b")[measure] == pytest.approx(scores.get(sizes, 1))


def test_figure_4_functions_are_carried_over(write):
    write("dep.conllu", DEP)
    bare = write("bare.mrg", "(S (NP (NN John)) (VP (V loves) (NP (NN Mary))))")
    assert enrich(bare, "dep.conllu") == (
        "(S-root (NP-sbj (NN-sbj John)) (VP (V-hd loves) (NP-obj (NN-obj Mary))))\n"
    )
    # What both share is the tree of dependencies; the node over `loves Mary` is one's own.
    result = assay.cross(
        ["dep=dep.conllu", "ps=bare.mrg", "ps+dep"],
        ["b@ps=bare.mrg", "b@dep=dep.conllu", "m@dep=dep.conllu"],
        times=2,
    )
    assert parts(result, "tedeval", "b") == {
        "delta": 0,
        "norm": 5 + 4 - 2,
        "spurious": 0,
        "missing": 0,
        "forgiven": 1,
        "unasked": 0,
    }
    assert set(values(result, "b").values()) == set(values(result, "m").values()) == {1}


# --- what a Result holds ---


def test_scores_come_by_framework_and_together(crossed, write):
    write("m.conllu", DEP.replace("obj", "iobj"), RAN)
    write("b.mrg", PS, RAN_PS.replace("NP-sbj", "NP-obj"))
    result = crossed("m@dep=m.conllu", "b@ps=b.mrg")
    kinds = ("tedeval", "tedeval(labelled=false)", "fair-tedeval")
    single = ("tedeval(gold=single)", "tedeval(gold=single, labelled=false)", "fair-tedeval(gold=single)")
    assert values(result, "m").keys() == {*kinds, *(f"{name}@dep" for name in single)}
    assert values(result, "b").keys() == {*kinds, *(f"{name}@ps" for name in single)}
    assert values(result, "m", "f1") == {"uas@dep": 1, "las(subtypes=true)@dep": 4 / 5}
    assert values(result, "b", "f1") == {"parseval@ps": 1}
    assert [(row.name, row.kind, row.systems, row.first) for row in result.frameworks] == [
        ("dep", "dependencies", ("m",), ("m",)),
        ("ps", "constituents", ("b",), ("b",)),
    ]
    about = result.about
    assert (about.command, about.task, about.units, about.items) == ("cross", "cross", 2, 5)
    assert [source.name for source in result.systems] == ["m@dep", "b@ps"]


def test_the_mean_over_sentences_is_beside_the_score_of_all(crossed, write):
    # Two edits on a size of 6, and none on one of 4.
    write("m.conllu", DEP.replace("obj", "iobj"), RAN)
    result = crossed("m@dep=m.conllu")
    assert values(result, "m")["tedeval"] == pytest.approx(1 - 2 / 10)
    assert values(result, "m", "sentence-mean")["tedeval"] == pytest.approx((4 / 6 + 1) / 2)


def test_a_result_is_the_same_after_json(crossed, write):
    write("m.conllu", DEP.replace("obj", "iobj"), RAN)
    write("b.mrg", PS.replace("-prd", ""), "(())")
    result = crossed("m@dep=m.conllu", "b@ps=b.mrg", "b@dep=m.conllu", examples=2)
    assert result.examples
    assert any(row.units for row in result.examples)
    again = Result.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    for name in ("frameworks", "overlaps", "examples", "counts", "warnings", "notes"):
        assert getattr(again, name) == getattr(result, name)


@pytest.mark.parametrize(("form", "mark"), [("tsv", "nan"), ("md", "N/A"), ("latex", "N/A"), ("html", "N/A")])
def test_every_rendering_marks_what_does_not_apply(crossed, write, form, mark):
    write("bare.mrg", "(S (NP (NN John)) (VP (V loves) (NP (NN Mary))))", "(S (NP (PRP He)) (VP (V ran)))")
    text = render(crossed("m@dep=gold.conllu", "bare@ps=bare.mrg"), form)
    assert mark in text
    assert "bare" in text


def test_what_figures_depend_on_is_in_the_signature(crossed):
    plain = crossed("m@dep=gold.conllu").signature
    assert "sizes:2.1" in plain
    others = [
        crossed("m@dep=gold.conllu", sizes="paper"),
        crossed("m@dep=gold.conllu", subtypes=False),
        crossed("m@dep=gold.conllu", theories=["ps+dep"]),
        crossed("m@dep=gold.conllu", seed=3),
        crossed("m@dep=gold.conllu", on_mismatch="skip"),
        crossed("m@dep=gold.conllu", function_labels={"ps": ["NP-sbj"]}),
    ]
    assert len({plain, *(one.signature for one in others)}) == 7


def test_subtypes_are_cut_in_all_frameworks(write):
    write("gold.conllu", DEP.replace("sbj", "sbj:pass"))
    write("gold.mrg", PS.replace("sbj", "sbj:pass"))
    write("s.conllu", DEP)
    write("s.mrg", PS)
    options = {
        "theories": ["dep=gold.conllu", "ps=gold.mrg"],
        "systems": ["m@dep=s.conllu", "b@ps=s.mrg"],
        "times": 2,
    }
    kept, cut = assay.cross(**options), assay.cross(**options, subtypes=False)
    for name in "mb":
        assert values(kept, name)["tedeval"] < 1
        assert values(cut, name)["tedeval"] == 1


PASSIVE = "Mary/3/nsubj:pass was/3/aux loved/0/root"


@pytest.mark.parametrize(
    ("subtypes", "measure", "attached"), [(True, "las(subtypes=true)@dep", 2 / 3), (False, "las@dep", 1)]
)
def test_attachment_scores_and_function_trees_treat_subtypes_alike(write, subtypes, measure, attached):
    write("gold.conllu", PASSIVE)
    write("m.conllu", PASSIVE.replace("nsubj:pass", "nsubj"))
    result = assay.cross(["dep=gold.conllu"], ["m@dep=m.conllu"], subtypes=subtypes, times=20)
    assert values(result, "m", "f1")[measure] == pytest.approx(attached)
    assert (values(result, "m")["tedeval"] == 1) is not subtypes
    (told,) = [note for note in result.notes if "subtypes" in note]
    assert told.startswith("Relations keep their subtypes" if subtypes else "Relations are compared without subtypes")


def test_a_measure_that_says_so_itself_cuts_subtypes(write):
    write("gold.conllu", PASSIVE)
    write("m.conllu", PASSIVE.replace("nsubj:pass", "nsubj"))
    asked = ["las(subtypes=false)", "las"]
    result = assay.cross(["dep=gold.conllu"], ["m@dep=m.conllu"], asked, times=20)
    assert values(result, "m", "f1") == {"las@dep": 1, "las(subtypes=true)@dep": pytest.approx(2 / 3)}


# --- measures of the frameworks ---


def test_measures_of_a_framework_are_chosen_and_others_keep_theirs(crossed, write):
    write("m.conllu", DEP.replace("obj", "iobj"), RAN)
    systems = ["m@dep=m.conllu", "b@ps=gold.mrg"]
    result = crossed(*systems, measures=["ls", "tree-match(of=uas)", "blex"])
    assert [name for name in result.measures if "tedeval" not in name] == [
        "ls(subtypes=true)@dep",
        "tree-match(of=uas, subtypes=true)@dep",
        "blex@dep",
        "parseval@ps",
    ]
    assert result.score("m", "tree-match(of=uas, subtypes=true)@dep").value == 1
    assert result.score("m", "ls(subtypes=true)@dep").value == pytest.approx(4 / 5)
    # What a measure needs is read; here it is missing on both sides, and that is said.
    assert [text for text in result.warnings if "LEMMA" in text]
    header = next(table for table in tables(result) if table.title == "Native scores and TedEval").header
    assert header[4:] == (
        "dep LS (subtypes=true)",
        "dep tree match (of=uas, subtypes=true)",
        "dep BLEX",
        "ps PARSEVAL",
    )
    assert crossed(*systems).signature != result.signature


def test_brackets_may_be_counted_as_evalb_does(crossed):
    result = crossed("b@ps=gold.mrg", measures="parseval(preset=collins)")
    assert result.score("b", "parseval(preset=collins)@ps").value == 1
    assert [note for note in result.notes if note.startswith("ps: parseval(preset=collins): ")]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "tag-f1",
            "-m tag-f1: this measure is for tags, but trees are compared here. Use measures of dependencies or "
            "constituents.",
        ),
        (
            "tedeval(sizes=paper)",
            "-m tedeval(sizes=paper): TedEval is always reported. To change how it is measured: --sizes",
        ),
        ("parseval", "-m parseval: no gold has constituents. Give one: --theory name=path"),
    ],
)
def test_other_measures_are_refused(golds, spec, message):
    assert refusal(lambda: assay.cross(golds[:1], ["m@dep=gold.conllu"], spec)) == message


def test_edge_labels_are_functions(write, file):
    lines = ("John\tNN\t--\tsbj\t500", "loves\tV\t--\thd\t500", "Mary\tNN\t--\tobj\t500", "#500\tS\t--\t--\t0")
    file("gold.export", "\n".join(["#BOS 1", *lines, "#EOS 1"]) + "\n")
    write("dep.conllu", DEP)
    result = assay.cross(["dep=dep.conllu", "ps=gold.export"], ["x@ps=gold.export"], times=2)
    assert set(values(result, "x").values()) == {1}
    assert {row.labelled: row.value for row in result.overlaps} == {True: 1, False: 1}


def test_gaps_are_scored_and_counted(write):
    write("gold.conllu", "a/0/root b/1/x c/1/y d/2/z")
    write("s.conllu", "a/0/root b/1/x c/1/y d/3/z")
    result = assay.cross(["dep=gold.conllu"], ["m@dep=s.conllu"], times=2)
    assert result.notes[0] == (
        "Sentences with gaps (non-projective, discontinuous), scored like all others: gold dep 1."
    )
    # Gold: root, x over b d, hd over a, hd over b, y, z. System: root, x over b, y over c d, hd over c, hd over a, z.
    assert parts(result, "tedeval", "m")["delta"] == 6


# --- systems in several versions, systems without functions ---

BARE = ("(S (NP (NN John)) (VP (V loves) (NP (NN Mary))))", "(S (NP (PRP He)) (VP (V ran)))")


def test_phrase_structure_takes_its_functions_from_its_dependencies(crossed, write):
    bare, own = write("bare.mrg", *BARE), write("own.conllu", DEP.replace("obj", "iobj"), RAN)
    two = crossed("b@ps=bare.mrg", "b@dep=own.conllu", theories=["ps+dep"])
    write("rich.mrg", *enrich(bare, own).splitlines())
    one = crossed("b@ps=rich.mrg", theories=["ps+dep"])
    for measure in ("tedeval", "tedeval(gold=single)@ps", "tedeval(labelled=false)"):
        assert parts(two, measure, "b") == parts(one, measure, "b")
    assert parts(two, "tedeval", "b")["delta"] > 0
    assert values(two, "b", "f1").keys() == {"uas@dep", "las(subtypes=true)@dep", "parseval@ps"}
    assert values(two, "b", "f1")["las(subtypes=true)@dep"] == 4 / 5
    assert [(row.name, row.systems, row.first) for row in two.frameworks] == [
        ("dep", ("b",), ()),
        ("ps", ("b",), ("b",)),
    ]
    assert not [text for text in two.warnings if "functions" in text]


def test_functions_of_its_own_are_kept(crossed, write):
    write("own.conllu", DEP.replace("obj", "iobj"), RAN)
    with_both = crossed("b@ps=gold.mrg", "b@dep=own.conllu")
    alone = crossed("b@ps=gold.mrg")
    assert parts(with_both, "tedeval", "b") == parts(alone, "tedeval", "b")


def test_without_functions_only_the_unlabelled_score_applies(crossed, write):
    write("bare.mrg", *BARE)
    result = crossed("b@ps=bare.mrg", "m@dep=gold.conllu")
    assert values(result, "b").keys() == {"tedeval(labelled=false)", "tedeval(gold=single, labelled=false)@ps"}
    assert values(result, "b")["tedeval(labelled=false)"] == 1
    assert [text for text in result.warnings if "functions" in text] == [
        "b: its trees have no functions, so labelled TedEval does not apply. Give its dependencies too: b@dep=…"
    ]
    assert {row.measure for row in result.comparisons} == {"tedeval(labelled=false)"}


def test_a_gold_may_be_given_the_functions_of_another(golds, write):
    write("bare.mrg", *BARE)
    write("rich.mrg", *enrich("bare.mrg", "gold.conllu").splitlines())
    write("s.mrg", "(S-root (NP-sbj (NN-hd John)) (V-hd loves) (NP-dat (NN-hd Mary)))", RAN_PS)
    systems = ["b@ps=s.mrg", "m@dep=gold.conllu"]
    enriched = assay.cross(["dep=gold.conllu", "ps=bare.mrg", "ps+dep"], systems, times=2)
    given = assay.cross(["dep=gold.conllu", "ps=rich.mrg"], systems, times=2)
    assert enriched.counts == given.counts
    assert enriched.overlaps == given.overlaps
    assert [row.enriched_by for row in enriched.frameworks] == ["", "dep"]


# --- the same words ---


def test_other_words_are_refused_with_their_place(crossed, write):
    write("b.mrg", PS, RAN_PS.replace("He", "She"))
    assert refusal(crossed, "b@ps=b.mrg") == (
        "b.mrg:2: word 1 is 'She', but gold.conllu:5 has 'He'\n"
        "All files must have the same words. To leave such sentences out: --on-mismatch skip"
    )


def test_more_or_fewer_words_are_refused_with_their_place(crossed, write):
    write("m.conllu", DEP, "He/2/sbj ran/0/root off/2/prt")
    assert refusal(crossed, "m@dep=m.conllu") == (
        "m.conllu:5: 3 words, but gold.conllu:5 has 2\n"
        "All files must have the same words. To leave such sentences out: --on-mismatch skip"
    )


def test_a_gold_with_other_words_is_refused_too(golds, write):
    write("gold.mrg", PS.replace("Mary", "Marie"), RAN_PS)
    assert refusal(assay.cross, golds, ["m@dep=gold.conllu"], times=2).splitlines()[0] == (
        "gold.mrg:1: word 3 is 'Marie', but gold.conllu:1 has 'Mary'"
    )


@pytest.mark.parametrize("other", [RAN.replace("He", "She"), "He/2/sbj ran/0/root off/2/prt"])
def test_sentences_with_other_words_are_left_out_for_all(crossed, write, other):
    write("m.conllu", DEP, other)
    write("b.mrg", PS.replace("obj", "iobj"), RAN_PS)
    result = crossed("m@dep=m.conllu", "b@ps=b.mrg", on_mismatch="skip")
    assert (result.about.units, result.about.items) == (1, 3)
    assert parts(result, "tedeval", "m") == {
        "delta": 0,
        "norm": 6,
        "spurious": 0,
        "missing": 0,
        "forgiven": 0,
        "unasked": 0,
    }
    assert parts(result, "tedeval", "b")["delta"] == 2
    assert values(result, "m", "f1") == {"uas@dep": 1, "las(subtypes=true)@dep": 1}
    place = [text for text in result.warnings if text.startswith("left out: m.conllu:5: ")]
    assert len(place) == 1
    assert "1 of 2 sentences was left out." in result.warnings


def test_what_is_left_out_first_does_not_shift_what_follows(crossed, write):
    write("m.conllu", DEP.replace("Mary", "Marie"), RAN.replace("sbj", "obj"))
    write("b.mrg", PS, RAN_PS.replace("NP-sbj", "NP-obj"))
    result = crossed("m@dep=m.conllu", "b@ps=b.mrg", on_mismatch="skip", examples=1)
    assert parts(result, "tedeval", "m")["delta"] == 2
    assert parts(result, "tedeval", "b")["delta"] == 1
    assert values(result, "m", "f1")["las(subtypes=true)@dep"] == 1 / 2
    assert [(row.place, row.words) for row in result.examples] == [("gold.conllu:5", ("He", "ran"))]


def test_words_written_otherwise_may_be_compared_by_their_place(crossed, write):
    write("b.mrg", PS, RAN_PS.replace("He", "he"))
    result = crossed("b@ps=b.mrg", on_mismatch="warn")
    assert result.about.units == 2
    assert set(values(result, "b").values()) == {1}
    assert "b.mrg:2: word 1 is 'he', but gold.conllu:5 has 'He'." in result.warnings
    write("m.conllu", DEP, "He/2/sbj ran/0/root off/2/prt")
    assert refusal(crossed, "m@dep=m.conllu", on_mismatch="warn").splitlines()[0] == (
        "m.conllu:5: 3 words, but gold.conllu:5 has 2"
    )


def test_brackets_are_the_same_words_however_they_are_written(write):
    write("dep.conllu", "(/2/punct Yes/0/root :)/2/punct")
    write("ps.mrg", "(S-root (-LRB--punct -LRB-) (UH-hd Yes) (:-punct :-RRB-))")
    result = assay.cross(["dep=dep.conllu", "ps=ps.mrg"], ["b@ps=ps.mrg"], times=2)
    assert result.about.units == 1
    assert result.warnings[:-1] == ("b@ps (ps.mrg) has the same content as the gold ps (ps.mrg).",)


def test_other_numbers_of_sentences_are_refused(crossed, write):
    write("m.conllu", DEP)
    assert refusal(crossed, "m@dep=m.conllu", on_mismatch="skip") == (
        "m.conllu: contains 1 sentence, but gold.conllu has 2. "
        "Files of all frameworks must have the same sentences in the same order."
    )


def test_nothing_is_left_where_all_sentences_differ(crossed, write):
    write("m.conllu", DEP.replace("Mary", "Marie"), RAN.replace("He", "She"))
    assert refusal(crossed, "m@dep=m.conllu", on_mismatch="skip") == "no sentence has the same words in all files."


def test_places_stay_true_where_sentences_are_left_out(file):
    for folder in ("gold", "s"):
        for name in ("one", "two"):
            first = DEP.replace("Mary", "Marie") if (folder, name) == ("s", "one") else DEP
            second = RAN if folder == "gold" else RAN.replace("sbj", "x")
            text = dependencies(first, second)
            file(f"{folder}/{name}.conllu", text.replace("1\tHe", f"# sent_id = {name}-2\n1\tHe"))
    result = assay.cross(["dep=gold"], ["m@dep=s"], on_mismatch="skip", examples=5, times=2)
    assert [(row.place, row.sentence) for row in result.examples] == [
        ("gold/one.conllu:6", "one-2"),
        ("gold/two.conllu:6", "two-2"),
    ]


# --- faulty trees, no parse ---


def test_a_faulty_tree_is_refused_or_left_out(crossed, write):
    write("m.conllu", DEP, "He/2/sbj ran/1/root")
    fault = "m.conllu:5: a cycle: following heads from here leads to no root"
    assert refusal(crossed, "m@dep=m.conllu") == f"{fault}\nTo leave such sentences out: --on-mismatch skip"
    result = crossed("m@dep=m.conllu", on_mismatch="skip")
    assert (result.about.units, parts(result, "tedeval", "m")["delta"]) == (1, 0)
    assert f"left out: {fault}." in result.warnings
    assert "1 of 2 sentences was left out." in result.warnings


def test_several_roots_hang_below_one(crossed, write):
    write("m.conllu", DEP, "He/0/sbj ran/0/root")
    result = crossed("m@dep=m.conllu")
    # Gold's hd over `ran` is missing, `root` over it is one too many.
    assert parts(result, "tedeval", "m")["delta"] == 2


@pytest.mark.parametrize("sizes", ["paper", "2.1", "2.2"])
def test_a_sentence_without_a_parse_scores_nothing_but_its_root(crossed, write, sizes):
    write("b.mrg", "(())", "(())")
    result = crossed("b@ps=b.mrg", "b@dep=gold.conllu", sizes=sizes)
    for row in result.scores:
        for value in (row.value, row.low, row.high):
            assert math.isnan(value) or 0 <= value <= 1, row
    assert [text for text in result.warnings if "parse" in text] == [
        "b@ps: no parse of 2 sentences, so TedEval sees words under a root.",
        "ps: b has no tree for 2 sentences (gold.mrg:1, gold.mrg:2). parseval leaves them out; f1-all and recall-all "
        "count the constituents as missing.",
    ]
    assert values(result, "b", "recall-all") == {"parseval@ps": 0}


def test_no_parse_is_the_sentence_under_a_root(crossed, write):
    write("b.mrg", PS, "(())")
    result = crossed("b@ps=b.mrg")
    # Root over `He ran` and two words without a label, of which gold has sbj and hd.
    assert parts(result, "tedeval", "b") == {
        "delta": 4,
        "norm": (7 + 4 - 2) + (3 + 3 - 2),
        "spurious": 2,
        "missing": 2,
        "forgiven": 3,
        "unasked": 0,
    }


# --- statistics ---


def test_p_is_that_of_all_shufflings_of_sentences(write):
    """Deltas and sizes of sentences, taken one by one, change places in every way."""
    sentences = [DEP, RAN, DEP, "a/0/root b/1/x c/1/x", "a/2/x b/0/root c/2/y d/3/z", RAN]
    a = [DEP, RAN, DEP.replace("obj", "iobj"), "a/0/root b/1/x c/2/x", "a/2/x b/0/root c/2/y d/2/z", RAN]
    b = [
        DEP.replace("sbj", "agt"),
        "He/0/root ran/1/x",
        DEP,
        "a/0/root b/1/x c/1/x",
        "a/2/v b/0/root c/2/v d/3/z",
        RAN,
    ]
    records = {}
    for name, output in (("a", a), ("b", b)):
        rows = []
        for gold, parse in zip(sentences, output, strict=True):
            write("one.conllu", gold)
            write("parse.conllu", parse)
            found = parts(assay.cross(["dep=one.conllu"], ["x@dep=parse.conllu"], times=2), "tedeval", "x")
            rows.append((found["delta"], found["norm"]))
        records[name] = rows

    def difference(swaps):
        chosen = [(y, x) if swap else (x, y) for swap, x, y in zip(swaps, records["a"], records["b"], strict=True)]
        first, second = ([pair[side] for pair in chosen] for side in (0, 1))
        scores = [1 - sum(d for d, _ in rows) / sum(n for _, n in rows) for rows in (first, second)]
        return scores[1] - scores[0]

    observed = difference([False] * 6)
    extreme = [abs(difference(swaps)) >= abs(observed) - 1e-12 for swaps in product((False, True), repeat=6)]
    for name, output in (("gold", sentences), ("a", a), ("b", b)):
        write(f"{name}.conllu", *output)
    result = assay.cross(["dep=gold.conllu"], ["a@dep=a.conllu", "b@dep=b.conllu"], times=20)
    (row,) = [row for row in result.comparisons if row.measure == "tedeval"]
    assert row.exact
    assert row.difference == pytest.approx(observed)
    assert row.p == pytest.approx(sum(extreme) / len(extreme))
    assert 0 < row.p < 1


def plain(row):
    """A test without what depends on how many are made together."""
    shared = {"level": None, "low_family": None, "high_family": None, "family": None, "needed": None}
    return replace(row, measure="", p_adjusted=0.0, power=None, kind="", claims=(), **shared)


def test_systems_of_a_framework_are_tested_on_single_and_native_scores_too(crossed, write):
    """As those alone are, by the measures of their framework or with one gold."""
    outputs = {"a": DEP.replace("obj", "iobj"), "b": DEP.replace("John/2", "John/3"), "c": DEP}
    for name, first in outputs.items():
        write(f"{name}.conllu", first, RAN)
    dependency = [f"{name}@dep={name}.conllu" for name in outputs]
    result = crossed(*dependency, "d@ps=gold.mrg")
    pairs = {}
    for row in result.comparisons:
        pairs.setdefault(row.measure, []).append((row.a, row.b))
    inside = [("a", "b"), ("a", "c"), ("b", "c")]
    assert pairs.pop("tedeval") == pairs.pop("tedeval(labelled=false)") == pairs.pop("fair-tedeval") == [
        *inside[:2], ("a", "d"), inside[2], ("b", "d"), ("c", "d"),
    ]  # fmt: skip
    assert pairs == dict.fromkeys(
        (
            "tedeval(gold=single)@dep",
            "tedeval(gold=single, labelled=false)@dep",
            "fair-tedeval(gold=single)@dep",
            "uas@dep",
            "las(subtypes=true)@dep",
        ),
        inside,
    )
    alone = assay.compare(
        "gold.conllu", [f"{name}.conllu" for name in outputs], ["uas", "las(subtypes=true)"], times=20
    )
    for measure in ("uas", "las(subtypes=true)"):
        ours, theirs = (
            [plain(row) for row in one.comparisons if (row.measure, row.test) == (named, "shuffling")]
            for one, named in ((result, f"{measure}@dep"), (alone, measure))
        )
        assert ours == theirs
    single = assay.cross(["dep=gold.conllu"], dependency, times=20)
    for row in single.comparisons:
        if row.measure == "tedeval(gold=single)@dep":
            assert plain(row) in [plain(other) for other in result.comparisons]
    text = render(result, "md")
    assert "### Differences within frameworks, on TedEval single and native scores" in text
    assert "| dep las(subtypes=true) | a → b |" in text


def test_swapping_the_systems_changes_signs_alone(crossed, write):
    write("m.conllu", DEP.replace("obj", "iobj"), RAN)
    forward = crossed("m@dep=m.conllu", "b@ps=gold.mrg").comparisons
    backward = crossed("b@ps=gold.mrg", "m@dep=m.conllu").comparisons
    assert [(row.measure, row.difference, row.p) for row in forward] == [
        (row.measure, -row.difference, row.p) for row in backward
    ]


def test_documents_may_be_what_is_resampled(write, file):
    for folder in ("gold", "s"):
        for name in ("one", "two", "three"):
            file(f"{folder}/{name}.conllu", dependencies(DEP, RAN if folder == "gold" else RAN.replace("sbj", "x")))
    result = assay.cross(["dep=gold"], ["m@dep=s"], unit="document", times=20)
    assert (result.about.unit, result.about.units) == ("document", 3)
    # All documents are alike, so that nothing varies in resamples.
    result = assay.cross(["dep=gold"], ["m@dep=s"], unit="document", times=20, interval="percentile")
    (row,) = [row for row in result.scores if (row.measure, row.score) == ("tedeval", "value")]
    assert row.low == pytest.approx(row.value) == pytest.approx(row.high)
    by_sentence = assay.cross(["dep=gold"], ["m@dep=s"], times=200)
    (row,) = [row for row in by_sentence.scores if (row.measure, row.score) == ("tedeval", "value")]
    assert by_sentence.about.units == 6
    assert row.low < row.value < row.high


# --- examples ---


def test_examples_show_what_becomes_of_every_unit(crossed, write):
    write("b.mrg", PS.replace("NP-obj", "NP-iobj").replace("VP-prd", "VP"), RAN_PS)
    result = crossed("b@ps=b.mrg", examples=3)
    (example,) = result.examples
    assert example.words == ("John", "loves", "Mary")
    kinds = {(unit.label, unit.stretches, unit.kind) for unit in example.units if unit.side == "b@ps"}
    assert {
        ("iobj", ((2, 3),), "spurious"),
        ("obj", ((2, 3),), "missing"),
        ("prd", ((1, 3),), "unasked"),
        ("hd", ((0, 1),), "forgiven"),
        ("sbj", ((0, 1),), "right"),
    } <= kinds
    assert {unit.side for unit in example.units} == {"gold dep", "gold ps", "generalised", "b@ps"}


@pytest.mark.parametrize(("sizes", "shown"), [("2.1", 1), ("paper", 0)])
def test_examples_are_of_sentences_with_an_error_by_the_sizes_chosen(crossed, write, sizes, shown):
    """A node without a label is a unit of TedEval 2.1, and none of the paper."""
    write("b.mrg", PS.replace("VP-prd", "VP"), RAN_PS)
    assert len(crossed("b@ps=b.mrg", examples=3, sizes=sizes).examples) == shown


def test_no_score_is_below_0(write):
    """Not even the roots agree, which the sizes of TedEval 2.1 leave out: 6 edits for 4 units."""
    write("gold.mrg", "(S-foo (A-x a) (B-y b))")
    write("s.mrg", "(S-bar (A-p a) (B-q b))")
    result = assay.cross(["ps=gold.mrg"], ["s@ps=s.mrg"], times=20)
    assert parts(result, "tedeval", "s")["delta"] > parts(result, "tedeval", "s")["norm"]
    assert values(result, "s")["tedeval"] == values(result, "s", "sentence-mean")["tedeval"] == 0


@pytest.mark.parametrize(("parse", "expected"), [("Yes/0/root", 1), ("Yes/0/dep", 0)])
def test_roots_alone_score_as_their_sentences_do(write, parse, expected):
    """TedEval 2.1 counts no roots, so that there is nothing to divide by."""
    write("gold.conllu", "Yes/0/root", "No/0/root")
    write("s.conllu", parse, parse.replace("Yes", "No"))
    result = assay.cross(["dep=gold.conllu"], ["s@dep=s.conllu"], times=20)
    (row,) = [row for row in result.scores if (row.measure, row.score) == ("tedeval", "value")]
    assert values(result, "s", "sentence-mean")["tedeval"] == expected
    assert row.value == expected
    assert (row.high if expected else row.low) == expected


# --- resampling ---


def test_it_is_said_where_blocks_were_resampled(crossed, write, monkeypatch):
    write("m.conllu", DEP, RAN)
    assert not any("blocks" in note for note in crossed("m@dep=m.conllu").notes)
    monkeypatch.setattr(MeasureScores, "pooled", property(lambda self: True, lambda self, value: None), raising=False)
    assert any("grouped into 4,096 blocks" in note for note in crossed("m@dep=m.conllu").notes)


# --- usage ---


@pytest.mark.parametrize(
    ("theories", "systems", "message"),
    [
        (
            [],
            ["m@dep=gold.conllu"],
            "no gold given. Give one for each framework: --theory dep=gold.conllu --theory ps=gold.mrg",
        ),
        (["dep=gold.conllu"], [], "no system given. Give at least one: malt@dep=malt.conllu"),
        (["dep=gold.conllu"], ["m@depp=gold.conllu"], "there is no theory 'depp'. Did you mean dep?"),
        (
            ["dep=gold.conllu"],
            ["m@dep=gold.conllu", "m@dep=gold.conllu"],
            "m is given twice for dep.",
        ),
        (
            ["dep=gold.conllu"],
            ["m=gold.conllu"],
            "'m=gold.conllu' should be system@theory=path, e.g. malt@dep=malt.conllu",
        ),
        (
            ["dep=gold.conllu"],
            ["gold.conllu"],
            "'gold.conllu' should be system@theory=path, e.g. malt@dep=malt.conllu",
        ),
        (
            ["dep=gold.conllu"],
            ["@dep=gold.conllu"],
            "'@dep=gold.conllu' should be system@theory=path, e.g. malt@dep=malt.conllu",
        ),
        (
            ["dep=gold.conllu", "dep=gold.mrg"],
            ["m@dep=gold.conllu"],
            "--theory 'dep=gold.mrg' should be name=path, each name once.",
        ),
        (
            ["gold.conllu"],
            ["m@dep=gold.conllu"],
            "--theory 'gold.conllu' should be name=path, or a+b: a with the functions of b.",
        ),
        (["dep=gold.conllu", "dep+xx"], ["m@dep=gold.conllu"], "there is no theory 'xx'. Available: dep."),
        (
            ["dep=gold.conllu", "ps=gold.mrg"],
            ["m@ps=gold.conllu"],
            "m@ps has dependencies, but the gold ps has constituents.",
        ),
    ],
)
def test_what_is_named_wrongly_is_refused_in_one_line(golds, theories, systems, message):
    with pytest.raises(UsageError) as caught:
        assay.cross(theories, systems, times=2)
    assert str(caught.value) == message


def test_unknown_sizes_and_theories_of_functions_are_refused(crossed):
    assert refusal(crossed, "m@dep=gold.conllu", sizes="3") == (
        "there is no value '3' for sizes. Available: 2.1, 2.2, paper."
    )
    assert refusal(crossed, "m@dep=gold.conllu", function_labels={"rr": ["sbj"]}) == (
        "there is no theory 'rr'. Available: dep, ps."
    )


def test_other_commands_say_where_trees_of_several_frameworks_are_compared(golds):
    for command in (assay.score, assay.compare):
        with pytest.raises(UsageError, match="assay cross"):
            command("gold.conllu", "gold.conllu", "tedeval", times=2)


def test_a_file_without_trees_is_refused(crossed, file):
    file("tags.conllu", dependencies("John/_/_ loves/_/_ Mary/_/_", "He/_/_ ran/_/_"))
    assert refusal(crossed, "m@dep=tags.conllu") == ("tags.conllu: column HEAD is empty, so there are no trees.")


# --- enriching ---


def test_functions_are_written_behind_categories(golds, write):
    write("bare.mrg", "(ROOT (S (NP-SBJ-1 (NN John)) (VP (V loves) (NP (NN Mary)))))", BARE[1])
    assert enrich("bare.mrg", "gold.conllu").splitlines() == [
        "(ROOT (S-root (NP-sbj (NN-sbj John)) (VP (V-hd loves) (NP-obj (NN-obj Mary)))))",
        "(S-root (NP-sbj (PRP-sbj He)) (VP-hd (V-hd ran)))",
    ]


def test_enriching_cuts_subtypes_where_asked_for(write):
    write("dep.conllu", "He/2/sbj:pass ran/0/root")
    write("bare.mrg", BARE[1])
    assert "NP-sbj:pass" in enrich("bare.mrg", "dep.conllu")
    assert enrich("bare.mrg", "dep.conllu", subtypes=False) == f"{RAN_PS}\n"


def test_brackets_in_words_are_written_so_that_they_can_be_read_again(write):
    write("dep.conllu", "(/2/punct Yes/0/root")
    write("bare.mrg", "(S (-LRB- -LRB-) (UH Yes))")
    text = enrich("bare.mrg", "dep.conllu")
    assert text == "(S-root (LRB-punct -LRB-) (UH-hd Yes))\n"


def test_sentences_without_a_parse_stay_so(golds, write):
    write("bare.mrg", BARE[0], "(())")
    assert enrich("bare.mrg", "gold.conllu").splitlines()[1] == "(())"


def test_enriching_refuses_what_does_not_fit(golds, write):
    write("bare.mrg", BARE[0], BARE[1].replace("He", "She"))
    assert refusal(enrich, "bare.mrg", "gold.conllu") == (
        "gold.conllu:5: word 1 is 'He', but bare.mrg:2 has 'She'\nBoth treebanks must have the same words."
    )
    assert refusal(enrich, "gold.conllu", "gold.conllu") == (
        "gold.conllu: contains no phrase structure. Give the treebank to be enriched first."
    )
    write("faulty.conllu", DEP, "He/2/sbj ran/1/root")
    write("bare.mrg", *BARE)
    assert refusal(enrich, "bare.mrg", "faulty.conllu") == (
        "faulty.conllu:5: a cycle: following heads from here leads to no root. Such a tree has no functions to give."
    )


# --- other words for the same characters ---


@pytest.fixture(name="cut")
def given_cut(write):
    """Gold `b clm hneim`, of which a system has the first two as one word."""
    write("gold.mrg", "(X-root (P-pp (I-in b) (N-nn clm)) (N-nn hneim))", RAN_PS)
    write("under.mrg", "(X-root (N-nn bclm) (N-nn hneim))", RAN_PS)
    write("whole.mrg", "(X-root (P-pp (I-in b) (N-nn clm)) (N-nn hneim))", RAN_PS.replace("sbj", "obj"))

    def cross(*systems, **options):
        return assay.cross(["ps=gold.mrg"], list(systems), **{"times": 2, **options})

    return cross


def test_other_words_for_the_same_characters_are_refused_with_both_remedies(cut):
    assert refusal(cut, "x@ps=under.mrg") == (
        "under.mrg:1: word 1 is 'bclm', but gold.mrg:1 has 'b'\n"
        "All files must have the same words. To leave such sentences out: --on-mismatch skip; to compare the same "
        "characters in other words: --segmentation chars"
    )


@pytest.mark.parametrize(("sizes", "norm"), [("2.1", 3 + 5 - 2), ("2.2", 3 + 5 - 2 + 2 + 3), ("paper", 3 + 5)])
def test_trees_over_other_words_are_compared_as_sets_of_characters(cut, sizes, norm):
    # Gold has pp over bclm, in over b, nn over clm; the system nn over bclm.
    of_second = {"2.1": 4, "2.2": 8, "paper": 6}[sizes]
    result = cut("x@ps=under.mrg", segmentation="chars", sizes=sizes)
    found = parts(result, result.counts[0].measure, "x")
    assert (found["spurious"], found["missing"], found["norm"]) == (1, 3, norm + of_second)
    assert result.about.aligned_by == "characters"
    assert "segmentation:chars" in result.signature
    assert result.notes[0] == (
        "1 sentence is split into different words in some file and compared as sets of characters, which TedEval "
        "itself "
        "does not do."
    )


def test_who_else_takes_part_changes_no_score_by_characters(cut, write):
    write("finer.mrg", "(X-root (P-pp (I-in b) (N-nn (L-l c) (M-m lm))) (N-nn hneim))", RAN_PS)
    for sizes in ("2.1", "2.2", "paper"):
        alone = cut("x@ps=under.mrg", segmentation="chars", sizes=sizes)
        both = cut("x@ps=under.mrg", "y@ps=finer.mrg", segmentation="chars", sizes=sizes)
        measure = alone.counts[0].measure
        assert parts(alone, measure, "x") == parts(both, measure, "x")
        assert parts(both, measure, "y")["spurious"] == 2


def test_gold_itself_may_be_cut_otherwise_by_characters(cut, write):
    write("gold.conllu", "bclm/0/nn hneim/1/nn", RAN)
    result = assay.cross(
        ["dep=gold.conllu", "ps=gold.mrg"],
        ["m@dep=gold.conllu", "b@ps=gold.mrg"],
        segmentation="chars",
        times=2,
    )
    assert set(values(result, "m").values()) == set(values(result, "b").values()) == {1}
    assert values(result, "m", "f1") == {"uas@dep": 1, "las(subtypes=true)@dep": 1}
    assert refusal(
        assay.cross, ["dep=gold.conllu", "ps=gold.mrg"], ["b@ps=gold.mrg"], segmentation="strict", times=2
    ).startswith("gold.mrg:1: word 1 is 'b', but gold.conllu:1 has 'bclm'")


def test_words_of_a_multiword_token_have_its_characters(file, write):
    def words(range_form, *forms):
        rows = [f"1-2\t{range_form}" + "\t_" * 8]
        rows += [
            f"{n}\t{form}\t_\t_\t_\t_\t{head}\t{rel}\t_\t_"
            for n, (form, head, rel) in enumerate(zip(forms, (3, 3, 0), ("case", "det", "root"), strict=True), 1)
        ]
        return "\n".join(rows) + "\n\n"

    file("gold.conllu", words("du", "de", "le", "pain"))
    file("parts.conllu", words("du", "d", "u", "pain"))
    write("one.conllu", "du/2/case pain/0/root")
    result = assay.cross(["dep=gold.conllu"], ["one@dep=one.conllu"], segmentation="chars", times=2)
    # `de` and `le` both stand over `du`: case and det there; the system lacks det.
    found = parts(result, "tedeval", "one")
    assert (found["spurious"], found["missing"]) == (0, 1)
    split = assay.cross(["dep=parts.conllu"], ["one@dep=one.conllu"], segmentation="chars", times=2)
    # Here `d` and `u` make up `du`, and have a character each.
    found = parts(split, "tedeval", "one")
    assert (found["spurious"], found["missing"]) == (1, 2)


@pytest.mark.parametrize("sizes", ["2.1", "2.2", "paper"])
def test_a_sentence_cut_otherwise_may_count_as_wholly_missing(cut, sizes):
    result = cut("x@ps=under.mrg", "w@ps=whole.mrg", segmentation="strict", sizes=sizes)
    measure = result.counts[0].measure
    found = parts(result, measure, "x")
    assert (found["spurious"], found["missing"], found["delta"]) == (0, 5, 5)
    assert values(result, "x", "sentence-mean")[measure] == 1 / 2
    assert "unaligned: under.mrg:1: word 1 is 'bclm', but gold.mrg:1 has 'b'." in result.warnings
    assert result.notes[0] == "x@ps: 1 sentence is split into different words and counted as entirely missing."
    assert parts(result, measure, "w") == parts(cut("w@ps=whole.mrg", sizes=sizes), measure, "w")


@pytest.mark.parametrize("segmentation", ["chars", "strict"])
def test_other_characters_are_refused_however_words_are_cut(cut, write, segmentation):
    write("other.mrg", "(X-root (P-pp (I-in b) (N-nn cl)) (N-nn hneim))", RAN_PS)
    assert refusal(cut, "x@ps=other.mrg", segmentation=segmentation).splitlines()[0] == (
        "other.mrg:1: word 2 is 'cl', but gold.mrg:1 has 'clm'"
    )
    result = cut("x@ps=other.mrg", "y@ps=under.mrg", segmentation=segmentation, on_mismatch="skip")
    assert result.about.units == 1
    assert set(values(result, "y").values()) == {1}


def test_the_parts_of_words_are_shown_in_examples(cut):
    (example,) = cut("x@ps=under.mrg", segmentation="chars", examples=1).examples
    assert example.words == ("b", "clm", "hneim")
    of_system = {(unit.label, unit.stretches): unit.kind for unit in example.units if unit.side == "x@ps"}
    assert of_system["nn", ((0, 2),)] == "spurious"
    assert of_system["nn", ((1, 2),)] == "missing"


# --- non-projective trees ---

CROSSED = "a/0/root b/1/x c/1/y d/2/z"
FLAT = "a/0/root b/1/x c/1/y d/1/z"


def test_sentences_with_gaps_may_be_left_out(write):
    write("gold.conllu", CROSSED, RAN)
    write("s.conllu", FLAT, RAN)
    result = assay.cross(["dep=gold.conllu"], ["m@dep=s.conllu"], times=2, non_projective="leave-out")
    assert (result.about.units, set(values(result, "m").values())) == (1, {1})
    assert result.notes[0] == "1 sentence with gaps (non-projective, discontinuous) is left out: gold dep 1."
    assert "non_projective:leave-out" in result.signature
    write("gold.conllu", CROSSED)
    write("s.conllu", FLAT)
    assert refusal(assay.cross, ["dep=gold.conllu"], ["m@dep=s.conllu"], times=2, non_projective="leave-out") == (
        "every sentence is non-projective or discontinuous in some file, so none is left. Keep or lift them: "
        "--non-projective lift"
    )


def test_dependencies_may_be_lifted_until_they_are_projective(write):
    write("gold.conllu", CROSSED, RAN)
    write("s.conllu", FLAT, RAN)
    result = assay.cross(["dep=gold.conllu"], ["m@dep=s.conllu"], times=2, non_projective="lift")
    # d hangs on b beyond c, and is lifted to a.
    assert (result.about.units, set(values(result, "m").values())) == (2, {1})
    assert values(result, "m", "f1")["uas@dep"] == 5 / 6
    assert result.notes[0] == (
        "Non-projective sentences, lifted for TedEval and unchanged for uas and las: gold dep 1."
    )


# --- copies of gold ---


def test_a_copied_gold_is_named(write):
    write("gold.conllu", *[DEP, RAN] * 4)
    write("copy.conllu", *[DEP, RAN] * 4)
    text = "# other\n" + dependencies(*[DEP, RAN] * 4)
    with open("commented.conllu", "w", encoding="utf-8") as out:
        out.write(text)
    result = assay.cross(["dep=gold.conllu"], ["a@dep=copy.conllu", "b@dep=commented.conllu"], times=2)
    assert result.warnings[:2] == (
        "a@dep (copy.conllu) has the same content as the gold dep (gold.conllu).",
        "b@dep agrees with the gold dep in every tree. Was it copied, not parsed?",
    )


def test_an_enriched_gold_is_called_so_in_examples(golds, write):
    write("m.conllu", DEP.replace("obj", "iobj"), RAN)
    result = assay.cross([*golds, "ps+dep"], ["m@dep=m.conllu"], times=2, examples=1)
    sides = list(dict.fromkeys(unit.side for unit in result.examples[0].units))
    assert sides == ["gold dep", "gold ps+dep", "generalised", "m@dep"]


# --- what is said of files ---


def test_sentences_without_a_parse_and_several_roots_are_named(crossed, write):
    write("b.mrg", PS, "(())")
    write("m.conllu", DEP, "He/0/sbj ran/0/root")
    result = crossed("b@ps=b.mrg", "m@dep=m.conllu")
    assert result.warnings[:2] == (
        "b@ps: no parse of 1 sentence, so TedEval sees words under a root.",
        "m@dep: 1 sentence has more than one root, scored like the others.",
    )


def test_a_gold_without_a_tree_is_refused_or_left_out(golds, write):
    write("gold.mrg", PS, "(())")
    assert refusal(assay.cross, golds, ["m@dep=gold.conllu"], times=2).splitlines()[0] == (
        "gold.mrg:2: no tree in gold"
    )
    assert assay.cross(golds, ["m@dep=gold.conllu"], times=2, on_mismatch="skip").about.units == 1


def test_trees_are_drawn_in_markdown(crossed, write):
    write("m.conllu", DEP.replace("obj", "iobj"), RAN)
    text = render(crossed("m@dep=m.conllu", examples=1), "md")
    assert "- gold.conllu:1\n\n      John loves Mary\n      gold dep:\n        root: John loves Mary\n" in text
    assert "\n      ✗   iobj: Mary  (spurious)\n" in text


def test_where_there_is_no_room_a_terminal_shows_scores_without_intervals(crossed, write):
    write("b.mrg", PS.replace("obj", "iobj"), RAN_PS)
    result = crossed("b@ps=b.mrg", "m@dep=gold.conllu")
    shown = {}
    for width in (80, 200):
        out = io.StringIO()
        show(result, Console(file=out, width=width, highlight=False), names=["scores"])
        shown[width] = out.getvalue()
    row = next(row for row in result.scores if row.measure == "parseval@ps" and row.score == "f1")
    assert f"[{100 * row.low:.2f}, " in shown[200]
    assert "wider window" not in shown[200]
    assert shown[200].count("Percent. 95% intervals in brackets, from the variance over sentences.") == 2
    assert f"[{100 * row.low:.2f}" not in shown[80]
    assert shown[80].count("Intervals need a wider window, or --format tsv. Percent.") == 2
    assert "95% intervals" not in shown[80]


# --- functions of different kinds ---

PENN = ("(S (NP-SBJ (NN John)) (VP (V loves) (NP (NN Mary))))", "(S (NP-SBJ (PRP He)) (VP (V ran)))")


def test_functions_of_another_kind_than_golds_are_named(golds, write):
    write("gold.mrg", *PENN)
    write("b.mrg", *PENN)
    result = assay.cross([*golds, "ps+dep"], ["b@ps=b.mrg"], times=2)
    assert [text for text in result.warnings if "functions" in text] == [
        "b@ps: none of its functions (SBJ) is one of dep's, which the gold ps was given, so labelled TedEval "
        "says little. Give its dependencies too: b@dep=…"
    ]


def test_where_gold_takes_functions_from_dependencies_so_does_a_system_that_has_some(golds, write):
    write("gold.mrg", *PENN)
    write("b.mrg", *PENN)
    result = assay.cross([*golds, "ps+dep"], ["b@ps=b.mrg", "b@dep=gold.conllu"], times=2)
    assert set(values(result, "b").values()) == {1}
    assert not [text for text in result.warnings if "functions" in text]


def test_what_cannot_be_done_is_refused(golds):
    assert refusal(assay.cross, golds, ["m@dep=gold.conllu"], function_labels={"dep": ["sbj"]}, times=2) == (
        "--functions dep=…: the gold dep has dependencies, whose relations are functions. Remove it."
    )
    assert refusal(assay.cross, ["dep=-"], ["m@dep=-"], times=2) == "- (standard input) can be given only once."
    assert refusal(enrich, "-", "-") == "- (standard input) can be given only once."
    assert refusal(assay.cross, golds, ["m@dep=gold.conllu"], segmentation="words", times=2) == (
        "there is no value 'words' for segmentation. Available: same, strict, chars."
    )
    assert refusal(assay.cross, golds, ["m@dep=gold.conllu"], non_projective="drop", times=2) == (
        "there is no value 'drop' for non_projective. Available: keep, leave-out, lift."
    )


def test_multiword_tokens_behind_a_sentence_left_out_keep_their_words(file):
    contracted = "1-2\tdu" + "\t_" * 8 + "\n"
    gold = dependencies("de/3/case le/3/det pain/0/root")
    file("gold.conllu", dependencies("a/0/root b/1/x") + contracted + gold)
    file("s.conllu", dependencies("a/0/root c/1/x", "du/2/case pain/0/root"))
    result = assay.cross(
        ["dep=gold.conllu"], ["s@dep=s.conllu"], segmentation="chars", on_mismatch="skip", times=2, examples=1
    )
    assert result.about.units == 1
    assert result.examples[0].words == ("du", "pain")
    found = parts(result, "tedeval", "s")
    assert (found["spurious"], found["missing"]) == (0, 1)


# --- golds as function trees, written out ---


def test_what_golds_agree_on_is_written_and_read_again(golds, write, file):
    text, warnings = common_gold(golds)
    assert warnings == []
    assert text.splitlines() == [
        "(X-root (X-sbj John) (X-hd loves) (X-obj Mary))",
        "(X-root (X-sbj He) (X-hd ran))",
    ]
    file("common.mrg", text)
    for theories in (["common=common.mrg"], [*golds, "common=common.mrg"]):
        assert common_gold(theories) == (text, [])


def test_functions_of_a_gold_that_has_none_of_its_own_are_refused(golds):
    asked = {"no": ["sbj"]}
    assert refusal(common_gold, golds, function_labels=asked).startswith("there is no theory 'no'.")
    assert refusal(common_gold, golds, function_labels={"dep": ["sbj"]}) == (
        "--functions dep=…: the gold dep has dependencies, whose relations are functions. Remove it."
    )


def test_what_golds_say_together_is_written(golds):
    text, warnings = common_gold(golds, "unify")
    assert warnings == []
    assert text.splitlines() == [
        "(X-root (X-hd-sbj John) (X-prd (X-hd loves) (X-hd-obj Mary)))",
        "(X-root (X-sbj He) (X-hd ran))",
    ]


def test_golds_that_cannot_be_unified_are_refused_or_left_out(write):
    write("gold.conllu", "a/2/x b/0/root c/2/y", RAN)
    write("gold.mrg", "(S (A (B a) (C b)) (D c))", RAN_PS)
    write("other.mrg", "(S (B a) (A (C b) (D c)))", RAN_PS)
    theories = ["dep=gold.conllu", "ps=gold.mrg", "other=other.mrg"]
    assert refusal(lambda: common_gold(theories, "unify")) == (
        "gold.conllu:1: nodes of the golds overlap without nesting\nTo leave such sentences out: --on-mismatch skip"
    )
    text, warnings = common_gold(theories, "unify", on_mismatch="skip")
    assert text == "(X-root (X-sbj He) (X-hd ran))\n"
    assert warnings == ["left out: gold.conllu:1: nodes of the golds overlap without nesting."]


def test_nodes_with_gaps_have_numbered_words(write, file):
    write("gold.conllu", "a/0/root b/1/x c/1/y d/2/z", RAN)
    text, _ = common_gold(["dep=gold.conllu"])
    assert text.splitlines() == [
        "(X-root (X-hd 0=a) (X-x (X-hd 1=b) (X-z 3=d)) (X-y 2=c))",
        "(X-root (X-sbj 0=He) (X-hd 1=ran))",
    ]
    file("common.mrg", text)
    assert common_gold(["common=common.mrg"])[0] == text
    result = assay.cross(["dep=gold.conllu", "c=common.mrg"], ["m@dep=gold.conllu"], times=2)
    assert {row.value for row in result.overlaps} == {1}


def test_brackets_may_say_more_than_the_trees_and_then_this_is_said(write):
    """In relational-realizational trees a word may have no function of its own."""
    write("rr.mrg", "(S ({sbj} (sbj (NP (D the) (N dog)))) (V barks))")
    text, warnings = common_gold(["rr=rr.mrg"], function_labels={"rr": ["sbj"]})
    assert text == "(X-root (X-sbj (X the) (X dog)) (X barks))\n"
    assert warnings == [
        "1 sentence has a word without its own node, or no root. Brackets add one, which will be read as a node."
    ]


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (
            "a/0/root b/1/conj-and",
            "the function 'conj-and' cannot be written after a category, because hyphens separate functions "
            "there. Rename it in the files.",
        ),
        (
            "a/0/root b c/1/x",
            "gold.conllu:1: the word 'b c' contains white space, which separates words in brackets. Write a "
            "no-break space instead.",
        ),
    ],
)
def test_what_brackets_cannot_hold_is_refused(file, sentence, message):
    rows = [word.rsplit("/", 2) for word in re.findall(r"\S.*?/\d/\S+", sentence)]
    lines = [f"{n}\t{form}\t_\t_\t_\t_\t{head}\t{rel}\t_\t_\n" for n, (form, head, rel) in enumerate(rows, 1)]
    file("gold.conllu", "".join(lines) + "\n")
    assert refusal(lambda: common_gold(["dep=gold.conllu"])) == message
