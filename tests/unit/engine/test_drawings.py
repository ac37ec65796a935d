"""Trees drawn as text."""

from __future__ import annotations

import assay
from assay.render.drawings import (
    LONGEST,
    constituent_lines,
    dependency_lines,
    example_lines,
    example_text,
    unit_lines,
)
from assay.result import Example, ExampleArcs, ExampleSpan
from parses import dependencies

WORDS = ("Jo", "saw", "the", "man", "with", "binoculars", ".")
GOLD = ExampleArcs("gold", (1, -1, 3, 1, 5, 1, 1), ("nsubj", "root", "det", "obj", "case", "obl", "punct"))


def example(*arcs: ExampleArcs, words: tuple[str, ...] = WORDS, units: tuple[ExampleSpan, ...] = ()) -> Example:
    return Example("s1", "gold.conllu:1", words, "a", None, (), arcs=arcs, units=units)


def test_a_tree_hangs_below_its_root():
    assert dependency_lines(example(GOLD)) == [
        "saw            root",
        "├─ Jo          nsubj",
        "├─ man         obj",
        "│  └─ the      det",
        "├─ binoculars  obl",
        "│  └─ with     case",
        "└─ .           punct",
    ]


def test_what_systems_do_otherwise_stands_behind_the_words():
    a = ExampleArcs("a", (1, -1, 3, 1, 5, 3, 1), ("nsubj", "root", "det", "obj", "case", "nmod", "punct"))
    b = ExampleArcs("b", (1, -1, -3, -1, -2, 3, 1), ("obj", "root", "", "root", "case", "nmod", "punct"))
    assert dependency_lines(example(GOLD, a, b)) == [
        "saw            root",
        "├─ Jo          nsubj  ✗ b: obj ← saw (2)",
        "├─ man         obj    ✗ b: root ← root",
        "│  └─ the      det    ✗ b: no such word",
        "├─ binoculars  obl    ✗ a: nmod ← man (4)   ✗ b: nmod ← man (4)",
        "│  └─ with     case   ✗ b: case ← another word",
        "└─ .           punct",
    ]


def test_several_roots_stand_side_by_side():
    gold = ExampleArcs("gold", (-1, 0, -1), ("root", "x", "root"))
    assert dependency_lines(example(gold, words=("a", "b", "c"))) == ["a     root", "└─ b  x", "c     root"]


def test_a_crossing_tree_is_drawn_by_what_depends_on_what():
    gold = ExampleArcs("gold", (-1, 0, 0, 1), ("root", "x", "x", "x"))
    assert dependency_lines(example(gold, words=("a", "b", "c", "d"))) == [
        "a        root",
        "├─ b     x",
        "│  └─ d  x",
        "└─ c     x",
    ]


def test_a_deep_tree_is_drawn_without_end_of_the_stack():
    words = tuple(f"w{n}" for n in range(LONGEST))
    gold = ExampleArcs("gold", (-1, *range(LONGEST - 1)), ("x",) * LONGEST)
    lines = dependency_lines(example(gold, words=words))
    assert len(lines) == LONGEST
    assert lines[-1] == f"{'   ' * (LONGEST - 2)}└─ w{LONGEST - 1}  x"


def test_of_a_long_sentence_the_differing_words_are_listed():
    size = LONGEST + 1
    words = tuple(f"w{n}" for n in range(size))
    gold = ExampleArcs("gold", (-1, *[0] * (size - 1)), ("root", *["x"] * (size - 1)))
    a = ExampleArcs("a", (-1, *[0] * (size - 2), 4), ("root", "y", *["x"] * (size - 2)))
    lines = dependency_lines(example(gold, a, words=words))
    assert [line.split() for line in lines] == [
        ["w1", "x", "←", "w0", "(1)", "✗", "a:", "y", "←", "w0", "(1)"],
        [f"w{size - 1}", "x", "←", "w0", "(1)", "✗", "a:", "x", "←", "w4", "(5)"],
    ]


def test_where_there_is_no_room_systems_stand_below_each_other():
    a = ExampleArcs("a", (1, -1, 3, 1, 5, 3, 1), ("nsubj", "root", "det", "iobj", "case", "nmod", "punct"))
    b = ExampleArcs("b", (1, -1, 3, 1, 5, 3, 1), ("nsubj", "root", "det", "nmod", "case", "nmod", "punct"))
    assert dependency_lines(example(GOLD, a, b), 50) == [
        "saw            root",
        "├─ Jo          nsubj",
        "├─ man         obj    ✗ a: iobj ← saw (2)",
        "│  │                  ✗ b: nmod ← saw (2)",
        "│  └─ the      det",
        "├─ binoculars  obl    ✗ a: nmod ← man (4)",
        "│  │                  ✗ b: nmod ← man (4)",
        "│  └─ with     case",
        "└─ .           punct",
    ]


# --- from files ---


def drawn(file, measure, gold, **systems):
    for name, text in (("gold", gold), *systems.items()):
        file(f"{name}.conllu", dependencies(text))
    files = {name: f"{name}.conllu" for name in systems}
    result = assay.compare("gold.conllu", files, measure, times=2, examples=1)
    return [dependency_lines(one) for one in result.examples]


def test_examples_of_a_comparison_have_the_trees_of_both_systems(file):
    gold = "Jo/2/nsubj saw/0/root the/4/det man/2/obj"
    a, b = gold.replace("4/det", "2/det"), "Jo/2/obj saw/0/root them/4/det an/2/obj"
    assert drawn(file, "las", gold, a=a, b=b) == [
        [
            "saw        root",
            "├─ Jo      nsubj  ✗ b: obj ← saw (2)",
            "└─ man     obj    ✗ b: no such word",
            "   └─ the  det    ✗ a: det ← saw (2)   ✗ b: no such word",
        ]
    ]


def test_subtypes_are_drawn_where_they_count(file):
    gold, b = "Jo/2/nsubj:pass saw/0/root", "Jo/2/nsubj saw/0/root"
    assert drawn(file, "las(subtypes=true)", gold, a=gold, b=b) == [
        ["saw    root", "└─ Jo  nsubj:pass  ✗ b: nsubj ← saw (2)"]
    ]
    assert drawn(file, "las", gold, a=gold, b="Jo/2/obj saw/0/root") == [
        ["saw    root", "└─ Jo  nsubj  ✗ b: obj ← saw (2)"]
    ]


def test_without_subtypes_a_subtype_is_no_difference(file):
    gold = "Jo/2/nsubj:pass saw/0/root now/2/advmod"
    (lines,) = drawn(file, "las", gold, a=gold, b="Jo/2/nsubj saw/0/root now/1/advmod")
    assert lines == ["saw     root", "├─ Jo   nsubj", "└─ now  advmod  ✗ b: advmod ← Jo (1)"]


# --- function trees ---


def test_function_trees_are_indented_by_what_they_lie_in():
    units = (
        ExampleSpan("gold ps", "root", ((0, 3),), "gold"),
        ExampleSpan("gold ps", "sbj", ((0, 1),), "gold"),
        ExampleSpan("gold ps", None, ((1, 3),), "gold"),
        ExampleSpan("gold ps", "obj", ((2, 3),), "gold"),
        ExampleSpan("x@ps", "root", ((0, 3),), "right"),
        ExampleSpan("x@ps", "sbj", ((0, 1), (2, 3)), "spurious"),
        ExampleSpan("x@ps", "obj", ((2, 3),), "missing"),
        ExampleSpan("x@ps", "prd", ((1, 2),), "forgiven"),
        ExampleSpan("x@ps", None, ((1, 2),), "unasked"),
    )
    assert unit_lines(example(words=("John", "loves", "Mary"), units=units)) == [
        "gold ps:",
        "  root: John loves Mary",
        "    sbj: John",
        "    ∅: loves Mary",
        "      obj: Mary",
        "x@ps:",
        "  root: John loves Mary",
        "✗   sbj: John _ Mary  (spurious)",
        "−     obj: Mary  (missing)",
        "~   prd: loves  (forgiven)",
        "·   ∅: loves  (unasked)",
    ]


def test_long_yields_are_shortened_in_the_middle():
    words = ("a", "very", "long", "noun", "phrase", "indeed")
    units = (ExampleSpan("x@ps", "sbj", ((0, 6),), "spurious"),)
    assert unit_lines(example(words=words, units=units), 42) == ["x@ps:", "✗ sbj: a very … phrase indeed  (spurious)"]
    assert unit_lines(example(words=words, units=units), 10) == ["x@ps:", "✗ sbj: a … indeed  (spurious)"]
    two = (ExampleSpan("x@ps", "sbj", ((0, 2),), "spurious"),)
    assert unit_lines(example(words=words, units=two), 10) == ["x@ps:", "✗ sbj: a very  (spurious)"]


# --- constituents ---


def constituents(file, gold, *systems, measure="parseval", **options):
    file("gold.mrg", f"{gold}\n")
    files = {}
    for name, text in zip("ab", systems, strict=False):
        files[name] = file(f"{name}.mrg", f"{text}\n")
    run = assay.compare if len(files) > 1 else assay.score
    return run("gold.mrg", files, measure, times=2, examples=1, **options)


NP_VP = "(ROOT (S (NP (NN Jo)) (VP (V saw) (NP (DT the) (NN man)))))"


def test_constituents_are_drawn_as_one_tree_without_roots(file):
    a = NP_VP.replace("(VP (V saw) (NP (DT the) (NN man)))", "(NP (VP (V saw) (DT the)) (NN man))")
    b = NP_VP.replace("(NP (NN Jo))", "(NN Jo)")
    (one,) = constituents(file, NP_VP, a, b).examples
    assert constituent_lines(one) == [
        "  S: Jo saw the man",
        "−   NP: Jo  (missing in b)",
        "−   VP: saw the man  (missing in a)",
        "✗   NP: saw the man  (spurious in a)",
        "✗     VP: saw the  (spurious in a)",
        "−     NP: the man  (missing in a)",
    ]
    assert example_lines(one, 40)[0] == "Jo saw the man"


def test_what_no_system_has_is_missing_in_all(file):
    a = NP_VP.replace("(NP (NN Jo))", "(NX (NN Jo))")
    b = a.replace("(VP", "(XP")
    (one,) = constituents(file, NP_VP, a, b).examples
    assert constituent_lines(one)[1:3] == ["−   NP: Jo  (missing in all)", "✗   NX: Jo  (spurious in all)"]


def test_of_one_system_constituents_are_missing_or_spurious(file):
    (one,) = constituents(file, NP_VP, NP_VP.replace("(NP (NN Jo))", "(NX (NN Jo))")).examples
    assert constituent_lines(one)[1:3] == ["−   NP: Jo  (missing)", "✗   NX: Jo  (spurious)"]
    assert "ROOT" not in example_text(one)


def test_roots_are_drawn_where_they_count(file):
    (one,) = constituents(
        file, NP_VP, NP_VP.replace("(NP (NN Jo))", "(NN Jo)"), measure="parseval(preset=collins)"
    ).examples
    assert constituent_lines(one)[0] == "  ROOT: Jo saw the man"


def test_labels_that_do_not_count_are_no_difference(file):
    a = NP_VP.replace("(NP (NN Jo))", "(NN Jo)").replace("(VP", "(XP")
    (one,) = constituents(file, NP_VP, a, measure="parseval(labelled=false)").examples
    assert [line for line in constituent_lines(one) if not line.startswith(" ")] == ["−   NP: Jo  (missing)"]


def test_equal_constituents_are_drawn_as_often_as_they_are_there(file):
    (one,) = constituents(file, NP_VP.replace("(NP (NN Jo))", "(NP (NP (NN Jo)))"), NP_VP).examples
    assert constituent_lines(one)[1:3] == ["    NP: Jo", "−   NP: Jo  (missing)"]


def test_of_a_long_sentence_the_differing_constituents_are_listed(file):
    words = " ".join(f"(N w{n})" for n in range(LONGEST))
    gold = f"(ROOT (S (NP (N a)) {words}))"
    (one,) = constituents(file, gold, gold.replace("(NP (N a))", "(N a)")).examples
    assert constituent_lines(one) == ["−   NP: a  (missing)"]
