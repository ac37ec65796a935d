"""Semantic roles: what becomes of predicates and arguments, remarks, slices, and other tokenisation."""

from __future__ import annotations

import pytest

import assay
from assay.tasks.graphs.roles import is_core, lemma_of, sense_key
from unit.samples import refusal


def heads(*sentences):
    """CoNLL-2009 of sentences `word:sense:role@predicate+…`, predicates given by their place from 1."""
    lines = []
    for sentence in sentences:
        cells = [[*one.split(":"), "", ""][:3] for one in sentence.split()]
        predicates = [place for place, (_, sense, _) in enumerate(cells, 1) if sense]
        for place, (form, sense, roles) in enumerate(cells, 1):
            own = dict(one.split("@")[::-1] for one in roles.split("+") if one)
            given = [own.get(str(predicate), "_") for predicate in predicates]
            row = [
                str(place),
                form,
                *"__",
                form[-1],
                "N",
                "_",
                "_",
                "1",
                "1",
                "r",
                "r",
                "Y" if sense else "_",
                sense or "_",
            ]
            lines.append("\t".join([*row, *given]))
        lines.append("")
    return "\n".join(lines) + "\n"


def props(*columns):
    """Props of one sentence, given as columns."""
    return "\n".join("\t".join(row) for row in zip(*(column.split() for column in columns), strict=True)) + "\n\n"


def counted(gold, system, measure="srl", **options):
    """The counts of a measure that are not 0."""
    result = assay.score(gold, {"s": system}, measure, times=1, **options)
    (found,) = [row.counts for row in result.counts if row.label is None and row.slice is None]
    return {name: number for name, number in found.items() if number}


@pytest.mark.parametrize(
    ("system", "kinds"),
    [
        ("Kim::A0@2 left:leave.01: it::A1@2 now:be.02:", {"tp": 4}),
        ("Kim::A1@2 left:leave.01: it::A1@2 now:be.02:", {"tp": 3, "le": 1}),
        ("Kim::A0@4 left:leave.01: it::A1@2 now:be.02:", {"tp": 3, "head": 1}),
        ("Kim:: left:leave.01: it::A1@2 now:be.02:A0@2", {"tp": 3, "dependent": 1}),
        ("Kim::A0@2 left:leave.02: it::A1@2 now:be.02:", {"tp": 3, "sense": 1}),
        ("Kim:: left:leave.01: it::A1@2+A4@4 now:be.02:", {"tp": 3, "fn": 1, "fp": 1}),
        ("Kim:: left:: it::A4@4 now:be.02:", {"tp": 1, "fn": 1, "fn-predicate": 2, "fp": 1}),
        ("Kim:go.01: left:leave.01: it::A1@1 now:be.02:", {"tp": 2, "head": 1, "fn": 1, "fp": 1}),
        (
            "Kim:go.01: left:leave.01: it::A1@2+A2@1 now:be.02:A0@2",
            {"tp": 3, "dependent": 1, "fp": 1, "fp-predicate": 1},
        ),
    ],
)
def test_kinds_of_outcomes(file, system, kinds):
    gold = "Kim::A0@2 left:leave.01: it::A1@2 now:be.02:"
    found = counted(file("g.txt", heads(gold)), file("s.txt", heads(system)))
    assert {name: number for name, number in found.items() if name not in ("gold", "system")} == kinds


@pytest.mark.parametrize(
    ("brackets", "kinds"),
    [
        ("(A0* *) (V*) (A1* *)", {"tp": 2}),
        ("(A0* *) (V*) (A2* *)", {"tp": 1, "le": 1}),
        ("(A0* *) (V*) (A1*) *", {"tp": 1, "bes": 1}),
        ("(A0*) * (V*) (A1* *)", {"tp": 1, "bes": 1}),
        ("(A0*) (A1* * *) *", {"bes": 1, "beo": 1}),
        ("(A0* * * *) *", {"bel": 1, "fn": 1}),
        ("* * (V*) (A2*) *", {"lbe": 1, "fn": 1}),
        ("(A1*) * * (A0*) *", {"lbe": 2}),
    ],
)
def test_kinds_of_outcomes_of_stretches(file, brackets, kinds):
    gold = props("- - go - -", "(A0* *) (V*) (A1* *)")
    system = props("- - go - -", brackets)
    found = counted(file("g.txt", gold), file("s.txt", system), "srl-span", input_format="props")
    assert {name: number for name, number in found.items() if name not in ("gold", "system")} == kinds


def test_core_roles_count_under_the_right_sense_alone_where_that_is_asked_for(file):
    gold = file("g.txt", heads("Kim::A0@2 left:leave.01: now::AM-TMP@2"))
    system = file("s.txt", heads("Kim::A0@2 left:quit.01: now::AM-TMP@2"))
    assert counted(gold, system) == {"tp": 3, "gold": 3, "system": 3}
    assert counted(gold, system, "srl-arguments(dependent=true)") == {"tp": 1, "sense": 1, "gold": 2, "system": 2}
    result = assay.score(gold, {"s": system}, "srl", times=1)
    assert (
        "s: 1 sense is right by number, with another lemma (quit.01 for leave.01). It is wrong with sense=full."
        in (result.warnings)
    )


def test_what_is_continued_is_one_argument(file):
    gold = file("g.txt", heads("a::A0@2 go:go.01: b::C-A0@2 c::C-A1@2"))
    system = file("s.txt", heads("a::C-A0@2 go:go.01: b::A0@2 c::A1@2"))
    assert counted(gold, system, "srl-arguments(continuation=join)") == {"tp": 2, "gold": 2, "system": 2}
    assert counted(gold, system, "srl-arguments")["gold"] == 3
    # A word that continues itself is one word, as is a stretch.
    once, twice = file("o.txt", heads("go:go.01:A0@1")), file("t.txt", heads("go:go.01:A0|C-A0@1"))
    assert counted(once, twice, "srl-arguments(continuation=join)") == {"tp": 1, "gold": 1, "system": 1}
    once, twice = file("o", props("go - -", "(V*) (A0* *)")), file("t", props("go - -", "(V*) (A0(C-A0* *))"))
    assert counted(once, twice, "srl-span", input_format="props") == {"tp": 1, "gold": 1, "system": 1}


def test_senses_and_roles():
    assert [sense_key(one, "number") for one in ("try.01", "do.1", "try.a", "try", "a.b.1", "try.")] == (
        [".1", ".1", ".a", "try", "a.b.1", "."]
    )
    assert [lemma_of(one) for one in ("try.01", "try", "a.b", "a.b.2")] == ["try", "try", "a.b", "a.b"]
    core = ["A0", "AA", "ARG5", "ARGA", "C-A1", "R-ARG1", "C-R-A0"]
    assert all(map(is_core, core))
    assert not any(map(is_core, ["AM-TMP", "ARGM-LOC", "A", "ARG", "V", "C-V", "A10", "AD"]))


def test_other_words_are_aligned_by_characters(file):
    """A word that gold does not have has no counterpart; a stretch of the same characters is the same."""
    gold = file("g.txt", heads("Kim::A0@2 left:leave.01: NewYork::A1@2"))
    system = file("s.txt", heads("Kim::A0@2 left:leave.01: New::A1@2 York::"))
    assert counted(gold, system) == {"tp": 2, "dependent": 1, "gold": 3, "system": 3}
    words = "props(word=1, predicate=2)"
    gold = file("g.props", props("Kim left NewYork", "- leave -", "(A0*) (V*) (A1*)"))
    system = file("s.props", props("Kim left New York", "- leave - -", "(A0*) (V*) (A1* *)"))
    assert counted(gold, system, "srl-span", input_format=words) == {"tp": 2, "gold": 2, "system": 2}


def test_sentences_may_be_left_out(file):
    text = heads("Kim::A0@2 left:leave.01:", "He::A0@2 left:leave.01:")
    gold, system = file("g.txt", text), file("s.txt", text.replace("He", "She"))
    assert counted(gold, system, on_mismatch="skip") == {"tp": 2, "gold": 2, "system": 2}


def test_some_roles_alone(file):
    path = file("g.txt", heads("Kim::A0@2 left:leave.01: now::AM-TMP@2 home::C-A0@2"))
    assert counted(path, path, "srl-arguments", labels=("A0",)) == {"tp": 2, "gold": 2, "system": 2}
    assert counted(path, path, "srl-arguments", ignore_labels=("A0",)) == {"tp": 1, "gold": 1, "system": 1}


def test_remarks_on_predicates_and_overlaps(file):
    gold = file("g.txt", props("- go -", "(A0(A1*)) (V*) *"))
    system = file("s.txt", props("- go be", "(A0*) (V*) *", "(A1*) * (V*)"))
    result = assay.score(gold, {"s": system}, "srl-span", times=1)
    assert (
        "s: 1 argument belongs to predicates that gold does not have. srl-span: f1 is 50.00 with it and 66.67 "
        "without (predicates=gold)."
    ) in result.warnings
    assert "gold: 1 argument overlaps another one of the same predicate, each counted by itself." in result.warnings
    nothing = file("n.txt", props("- - -"))
    result = assay.score(gold, {"s": nothing}, "srl-span", times=1, input_format="props")
    assert "s: contains no predicates." in result.warnings


SLICES = ("role", "role-kind", "role-prefix", "predicate-tag", "argument-distance", "discontinuous")


@pytest.mark.parametrize("spec", SLICES)
def test_slices_add_up(file, spec):
    gold = file("g.txt", heads("Kim::A0@2 left:leave.01: it::C-A0@2 now::AM-TMP@2", "a:b.01: c::R-A1@1"))
    system = file("s.txt", heads("Kim::A0@2 left:leave.02: it::A1@2 now::", "a:b.01:A0@1 c::R-A1@1"))
    result = assay.score(gold, {"s": system}, "srl", slices=(spec,), times=1)
    rows = [row.counts for row in result.counts if row.slice and row.label is None]
    (whole,) = [row.counts for row in result.counts if not row.slice and row.label is None]
    for name in ("tp", "gold", "system"):
        assert sum(row[name] for row in rows) == whole[name]


def test_arguments_in_several_pieces_are_a_slice(file):
    gold = file("g.txt", props("- go - -", "(A0*) (V*) (C-A0*) (A1*)"))
    system = file("s.txt", props("- go - -", "(A0*) (V*) (A1*) (C-A1*)"))
    result = assay.score(gold, {"s": system}, "srl-span", slices=("discontinuous",), times=1, input_format="props")
    parts = {row.slice: row.counts for row in result.counts if row.slice and row.label is None}
    assert {name: (row["tp"], row["gold"], row["system"]) for name, row in parts.items()} == {
        "discontinuous=in one piece": (0, 1, 1),
        "discontinuous=discontinuous": (0, 1, 1),
    }


@pytest.mark.parametrize(
    ("answers", "kinds", "other"),
    [
        (("Kim::A0@4 left:leave.01: it:: now:be.02:", "Kim::A0@3 left:leave.01: it:go.01: now::"), None, "head"),
        (("Kim:: left:leave.01: it::A0@2 now:be.02:", "Kim:: left:leave.01: it:: now:be.02:A0@2"), None, "dependent"),
        (("Kim::A0@2 left:leave.02: it:: now:be.02:", "Kim::A0@2 left:leave.03: it:: now:be.02:"), None, "sense"),
    ],
)
def test_another_wrong_predicate_word_or_sense_is_a_changed_error(file, answers, kinds, other):
    gold = file("g.txt", heads("Kim::A0@2 left:leave.01: it:: now:be.02:"))
    systems = {name: file(f"{name}.txt", heads(text)) for name, text in zip("ab", answers, strict=True)}
    (diff,) = assay.compare(gold, systems, "srl", times=10).diffs
    changed = [change for change in diff.changes if change.kind == "changed-error"]
    assert [(change.count, change.other.endswith(f"(other {other})")) for change in changed] == [(1, True)]


def test_what_two_systems_add_at_the_same_characters_is_one_item(file):
    """Their words have other numbers there, since one of them cuts a word before."""
    gold = file("g.txt", heads("Kim left:leave.01: NewYork today"))
    one = file("a.txt", heads("Kim left:leave.01: New::A1@2 York today"))
    other = file("b.txt", heads("K im left:leave.01: New::A1@3 York today"))
    (diff,) = assay.compare(gold, {"a": one, "b": other}, "srl", times=10).diffs
    assert (diff.items, diff.different) == (2, 0)


def test_sentences_and_predicates_are_items(file):
    text = "Kim::A0@2 left:leave.01: it::A1@2"
    gold = file("g.txt", heads(text, text))
    system = file("s.txt", heads(text, text.replace("A1", "A2")))
    for measure, noun in (("srl-exact", "sentence"), ("srl-propositions", "predicate")):
        result = assay.compare(gold, {"gold": gold, "s": system}, measure, times=10, examples=1)
        (diff,) = result.diffs
        assert (diff.items, diff.new_errors, diff.corrections, result.shown.noun) == (2, 1, 0, noun)
        (example,) = result.examples
        assert example.spans


def test_slices_of_roles_are_refused_elsewhere(file):
    path = file(
        "x.conllu", "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t2:det\t_\n2\tend\tend\tNOUN\tNN\t_\t0\troot\t0:root\t_\n"
    )
    assert refusal(assay.score, path, {"s": path}, "elas", slices=("role-kind",)) == (
        "--slice role-kind is for semantic roles, which are not compared here."
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("srl(sense=lemma)", "there is no value 'lemma' for sense. Available: "),
        ("srl(continuation=both)", "there is no value 'both' for continuation. Available: "),
        ("srl-macro(weight=2)", "srl-macro: weight should be a share between 0 and 1, not 2.0."),
    ],
)
def test_values_that_are_none(file, spec, message):
    path = file("g.txt", heads("Kim::A0@2 left:leave.01:"))
    assert message in refusal(assay.score, path, {"s": path}, spec)


def test_what_needs_a_tree_says_so(file):
    text = heads("Kim::A0@2 left:leave.01:").replace("\t1\t1\tr\tr\t", "\t_\t_\t_\t_\t")
    path = file("g.txt", text)
    assert refusal(assay.score, path, {"s": path}, "srl-macro") == (
        "g.txt: contains no heads, which srl-macro needs. Leave it out, or add a tree."
    )


def test_what_is_undefined_is_no_number(file):
    some, none = file("g.txt", heads("Kim::A0@2 left:leave.01:")), file("n.txt", heads("Kim:: left::"))
    values = {}
    for name, gold, system in (("none", none, none), ("spurious", none, some), ("missing", some, none)):
        result = assay.score(gold, {"s": system}, ["srl", "srl-exact"], times=1)
        scores = {row.score: row.value for row in result.scores if row.label is None}
        values[name] = [scores[score] for score in ("f1", "precision", "recall", "value")]
    nan = pytest.approx(float("nan"), nan_ok=True)
    assert values == {"none": [nan, nan, nan, 1], "spurious": [0, 0, nan, 0], "missing": [0, nan, 0, 0]}


def test_a_folder_is_the_sum_of_its_files(file):
    texts = [heads("Kim::A0@2 left:leave.01: it::A1@2"), heads("a:b.01: c::R-A1@1")]
    others = [texts[0].replace("A1", "A2"), texts[1].replace("b.01", "c.01")]
    for folder, parts in (("gold", texts), ("system", others)):
        for number, text in enumerate(parts):
            file(f"{folder}/{number}.txt", text)
        file(f"{folder}.txt", "".join(parts))
    measures = ["srl", "srl-propositions", "srl-exact", "srl-macro"]
    whole = assay.compare("gold.txt", {"a": "gold.txt", "b": "system.txt"}, measures, times=10)
    parts = assay.compare("gold", {"a": "gold", "b": "system"}, measures, times=10, jobs=2)
    assert parts.counts == whole.counts
    assert repr(parts.scores) == repr(whole.scores)
    assert parts.diffs == whole.diffs
    assert any("1 sense is right by number" in text for text in parts.warnings)
