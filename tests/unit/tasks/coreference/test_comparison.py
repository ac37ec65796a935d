"""What resolvers do differently: wrong antecedents, mentions nobody resolves, errors of chains, averages."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import assay
from assay import Result
from assay.render import render
from coreftexts import documents
from older import as_assay_1
from unit.samples import refusal

File = Callable[[str, str | bytes], str]

GOLD = "[1 Ann] saw [2 Bob] and [3 Eve] .|[1 She] left .|[1 She] saw [3 her] ."


@pytest.fixture
def files(file: File) -> dict[str, str]:
    """A key, and three resolvers: `her` is wrong in all, `She` in some of them."""
    texts = {
        "gold": GOLD,
        "a": "[1 Ann] saw [2 Bob] and [3 Eve] .|[2 She] left .|[1 She] saw [2 her] .",
        "b": "[1 Ann] saw [2 Bob] and [3 Eve] .|[3 She] left .|[1 She] saw [2 her] .",
        "c": "[1 Ann] saw [2 Bob] and [3 Eve] .|[1 She] left .|[1 She] [2 saw] her .",
    }
    return {name: file(f"{name}.conll", documents(one=text, two=text)) for name, text in texts.items()}


def compared(files: dict[str, str], names: str, *measures: str, **options: Any) -> Result:
    return assay.compare(files["gold"], [files[name] for name in names], measures, times=20, **options)


# --- wrong antecedents ---


def test_another_wrong_antecedent_is_counted_and_no_change(files: dict[str, str]) -> None:
    """The closest noun for the first `She` is Bob in one, Eve in the other; for `her` it is Bob in both."""
    (diff,) = compared(files, "ab", "arcs-nom").diffs
    assert (diff.different, diff.changed_errors, diff.other_target) == (0, 0, 2)


def test_another_wrong_antecedent_is_a_changed_error_if_asked_for(files: dict[str, str]) -> None:
    result = compared(files, "ab", "arcs-nom(antecedents=true)")
    (diff,) = result.diffs
    assert (diff.different, diff.changed_errors, diff.other_target) == (2, 2, 2)
    (change,) = diff.changes
    assert (change.before, change.after, change.count) == ("PRP (WL)", "PRP (WL)", 2)
    assert "are changed errors here: a → b 2" in render(result, "md")


def test_a_right_link_has_no_other_antecedent(files: dict[str, str]) -> None:
    (diff,) = compared(files, "ac", "arcs-any").diffs
    assert diff.other_target == 0
    assert (diff.corrections, diff.changed_errors) == (2, 2)


# --- what differs ---


def test_the_difference_is_that_of_f1_and_net_has_a_name_of_its_own(file: File) -> None:
    """B wins 3 of gold's 5 links and adds 4 without need: F1 rises from 2/6 to 8/13, more is broken than mended."""
    words = "a b c d e f g h i j k l m n"
    texts = {
        "gold": f"[1 x] [1 y] [1 z] [1 u] [1 v] [1 w] {words}",
        "a": f"[1 x] [1 y] z u v w {words}",
        "b": f"[1 x] [1 y] [1 z] [1 u] [1 v] w [2 a] [2 b] [2 c] [2 d] [2 e] {words[10:]}",
    }
    paths = {name: file(f"{name}.conll", documents(one=text)) for name, text in texts.items()}
    result = compared(paths, "ab", "arcs-any")
    (diff,) = result.diffs
    assert (diff.corrections, diff.new_errors, diff.net) == (3, 4, -1)
    assert (diff.score, diff.difference) == ("f1", pytest.approx(8 / 13 - 2 / 6))
    shuffled = next(row for row in result.comparisons if row.test == "shuffling")
    assert diff.difference == pytest.approx(shuffled.difference)
    assert Result.from_json(result.to_json()).diffs == result.diffs
    table = render(result, "tsv").split("# What differs (arcs-any)\n")[1].splitlines()
    assert table[0].split("\t")[2:7] == ["diff", "Δ F1", "net", "corr.", "new errors"]
    assert table[1].split("\t")[3:7] == ["+28.21", "-1", "3", "4"]
    for form, named in (("md", "Δ F1 | net"), ("latex", r"$\Delta$ F1 & net")):
        assert named in render(result, form)


def test_files_from_before_scores_were_named_show_no_difference(files: dict[str, str]) -> None:
    data = as_assay_1(compared(files, "ac", "arcs-any"))
    for diff in data["diffs"]:
        del diff["score"], diff["net"], diff["outcomes"]
    table = render(Result.from_json(json.dumps(data)), "tsv").split("# What differs (arcs-any)\n")[1].splitlines()
    assert table[1].split("\t")[3:6] == ["nan", "nan", "2"]


def test_every_arcs_has_its_own_changes_in_one_run(files: dict[str, str]) -> None:
    both = compared(files, "abc", "arcs-any", "arcs-nom")
    for name in ("arcs-any", "arcs-nom"):
        alone = compared(files, "abc", name)
        for rows in ("diffs", "bounds", "growth", "unique", "transitions", "unresolved"):
            assert tuple(row for row in getattr(both, rows) if row.on == name) == getattr(alone, rows), rows
        for title in ("What differs", "Changes of outcome a → c", "Changes a → c", "Upper bound of the combination"):
            assert f"# {title} ({name})" in render(both, "tsv")
            assert f"# {title}" in render(alone, "tsv")


def test_mentions_that_no_system_resolves_are_counted_for_each_arcs(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.tasks.coreference.drawing.MOST_UNRESOLVED", 1)
    said = [note for note in compared(files, "ac", "arcs-any", "arcs-nom").notes if "No system resolves" in note]
    assert said == [
        f"No system resolves 2 mentions ({name}); 1 of them, drawn at random, are listed."
        for name in ("arcs-any", "arcs-nom")
    ]


def test_outcomes_that_became_others_are_percent_of_all_changes(files: dict[str, str]) -> None:
    """Per document: the first `She` is WL and then TP, `her` WL and then FN, `saw` resolved without need."""
    result = compared(files, "ac", "arcs-any")
    (diff,) = result.diffs
    rows = [(row.kind, row.before, row.after, row.count, row.share_of_changes) for row in diff.outcomes]
    assert rows == [
        ("correction", "wl", "tp", 2, 1 / 3),
        ("new-error", "none", "fp", 2, 1 / 3),
        ("changed-error", "wl", "fn", 2, 1 / 3),
    ]
    table = render(result, "tsv").split("# Changes of outcome a → c\n")[1].split("\n\n")[0].splitlines()
    assert [line.split("\t") for line in table[1:3]] == [
        ["Corrections", "", "2", "", "33.33"],
        ["", "WL → TP", "2", "100.00", "33.33"],
    ]


def test_labels_are_sorted_by_the_size_of_their_difference_if_asked_for() -> None:
    """X: 1 of 10 words more; Y: 1 of 1 less; Z: 2 of 4 more."""
    gold = [["X"] * 10 + ["Y"] + ["Z"] * 4]
    systems = {"a": [["-"] * 10 + ["Y"] + ["-"] * 4], "b": [["X"] + ["-"] * 9 + ["-"] + ["Z"] * 2 + ["-"] * 2]}
    found = {
        order: assay.compare(gold, systems, ["accuracy"], times=20, label_order=order)
        for order in ("contribution", "difference", "frequency", "name")
    }
    orders = {order: "".join(row.label for row in result.diffs[0].labels) for order, result in found.items()}
    assert orders == {"contribution": "ZXY", "difference": "YZX", "frequency": "XZY", "name": "XYZ"}
    assert len({result.signature for result in found.values()}) == 1
    refused = refusal(assay.compare, gold, systems, ["accuracy"], label_order="size")
    assert refused.startswith("there is no value 'size' for label_order.")


# --- tests, bounds and what nobody resolves ---


def test_mcnemars_test_is_over_golds_mentions(files: dict[str, str]) -> None:
    result = compared(files, "ac", "muc", "arcs-any")
    (row,) = [row for row in result.comparisons if row.test == "mcnemar"]
    assert (row.measure, row.score, row.units, row.difference) == ("arcs-any", "recall", 2, pytest.approx(2 / 6))
    assert row.p == 0.5
    assert "treats gold's mentions (recall) as independent" in render(result, "md")


def test_mentions_that_no_system_resolves_are_listed_with_their_texts(files: dict[str, str]) -> None:
    result = compared(files, "ac", "arcs-any")
    assert [(row.text, row.label, row.document) for row in result.unresolved] == [
        ("her", "PRP", "(one); part 000"),
        ("her", "PRP", "(two); part 000"),
    ]
    assert result.unresolved[0].outcomes == {"a": "wl", "c": "fn"}
    assert result.unresolved[0].place == "gold.conll:15"
    assert len(result.unresolved) == result.bounds[0].none_right
    assert Result.from_json(result.to_json()).unresolved == result.unresolved
    table = render(result, "tsv").split("# Mentions that no system resolves\n")[1]
    assert table.splitlines()[:2] == ["text\ttype\tfirst\tmentions", "her\tPRP\tgold.conll:15\t2"]


def test_mentions_that_no_system_resolves_can_be_shown_in_the_text(files: dict[str, str]) -> None:
    result = compared(files, "abc", "arcs-any", examples=5, kind="unresolved")
    assert [example.sides for example in result.examples] == [("gold", "a", "b", "c")] * 2
    assert "gold [Ann]1 saw [Bob]2 and [Eve]3 . [She]1 left . [She]1 saw [»her«]3 ." in render(result, "tsv")


def test_unresolved_is_no_kind_of_change(files: dict[str, str], file: File) -> None:
    assert refusal(compared, files, "ac", "arcs-any", examples=1, kind="unresolved", change="PRP→*") == (
        "--change selects changes, but --kind unresolved has none. Remove one of them."
    )
    tags = file("tags.tsv", "Ann\tNN\nleft\tVBD\n\n")
    other = file("other.tsv", "Ann\tNN\nleft\tNN\n\n")
    assert refusal(assay.compare, tags, [tags, other], examples=1, kind="unresolved") == (
        "--kind unresolved is for coreference, but tags are compared."
    )


def test_bounds_say_how_many_systems_are_right(files: dict[str, str]) -> None:
    bound = compared(files, "abc", "arcs-any").bounds[0]
    assert bound.items == 6
    assert bound.right_in == (2, 2, 0, 2)
    assert sum(bound.right_in) == bound.items and bound.right_in[0] == bound.none_right


def test_the_best_choice_drops_what_some_system_leaves_alone(files: dict[str, str]) -> None:
    """Of gold's 6 mentions 4 can be had; `her` is left alone by one system, and so is the verb by another."""
    bound = compared(files, "ac", "arcs-any").bounds[0]
    assert (bound.upper, bound.precision, bound.f1) == (pytest.approx(4 / 6), 1, pytest.approx(8 / 10))
    both = compared(files, "ab", "arcs-any").bounds[0]
    assert (both.upper, both.precision) == (pytest.approx(2 / 6), pytest.approx(2 / 6))


def test_pronouns_can_be_told_apart_by_their_forms(files: dict[str, str]) -> None:
    result = compared(files, "ac", "arcs-any(forms=true)")
    assert [row.label for row in result.bounds] == [None, "PRP she", "PRP her"]
    (diff,) = result.diffs
    assert {(row.gold, row.count) for row in diff.changes} >= {("PRP she", 2), ("PRP her", 2)}
    plain = compared(files, "ac", "arcs-any")
    assert (diff.different, diff.items) == (plain.diffs[0].different, plain.diffs[0].items)


def test_forms_need_tags(file: File) -> None:
    bare = file("bare.conll", "#begin document (x)\nx (1)\nx (1)\n#end document\n")
    assert refusal(assay.score, bare, bare, "arcs-any(forms=true)") == (
        "forms=true needs tags to recognise pronouns, but gold has none."
    )


# --- what is wrong with chains ---


def errors(file: File, gold: str, system: str) -> dict[str, int]:
    key, response = file("key.conll", documents(one=gold)), file("response.conll", documents(one=system))
    result = assay.score(key, response, "muc", times=10)
    return {row.type: row.count for row in result.error_types if row.measure == "chains" and row.count}


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ("[1 a] [1 b] [2 c] [2 d]", "[1 a] [1 b] [2 c] [2 d]", {}),
        ("[1 a] [1 b] [2 c] [2 d]", "[1 a] [1 b] [1 c] [1 d]", {"merged": 1}),
        ("[1 a] [1 b] [1 c] [1 d]", "[1 a] [1 b] [2 c] [2 d]", {"split": 1}),
        ("[1 a] [1 b] [2 c] [2 d]", "[1 a] [2 b] [1 c] [2 d]", {"merged": 2, "split": 2}),
        ("[1 a] [1 b] [2 c] [2 d]", "[1 a] [1 b] c d", {"missing-entity": 1}),
        ("[1 a] [1 b] c d", "[1 a] [1 b] [2 c] [2 d]", {"extra-entity": 1}),
        ("[1 a] [1 b] [1 c] d", "[1 a] b [1 c] [1 d]", {"missing-mention": 1, "extra-mention": 1}),
        ("[1 a b] [1 c] d", "[1 a] b [1 c] d", {"span": 1}),
        ("[1 a b] [1 c] d", "a [1 b] [1 c] d", {"span": 1}),
        ("a [1 b c] [1 d]", "[1 a b] c [1 d]", {"missing-mention": 1, "extra-mention": 1}),
        ("[1 a b c] [1 d]", "[2 a] b [1 c] [1 d]", {"span": 1, "extra-entity": 1}),
    ],
)
def test_errors_of_chains_by_kind(file: File, gold: str, system: str, expected: dict[str, int]) -> None:
    assert errors(file, gold, system) == expected


def test_errors_of_chains_are_a_table(files: dict[str, str]) -> None:
    result = assay.score(files["gold"], [files["a"]], "muc", times=10)
    rows = render(result, "tsv").split("# Errors in the chains\n")[1].splitlines()
    assert rows[1].split("\t")[:4] == ["a", "8", "0", "0.00"]
    assert sum(row.share for row in result.error_types) == pytest.approx(1)


# --- averages, and what is undefined ---


def test_macro_is_the_mean_over_documents_where_a_score_is_defined(file: File) -> None:
    """The third document has no links, so MUC is undefined there."""
    gold = file("gold.conll", documents(one="[1 a] [1 b] [1 c]", two="[1 a] [1 b]", three="[1 a] b"))
    system = file("s.conll", documents(one="[1 a] [1 b] c", two="[1 a] [1 b]", three="[1 a] b"))
    names = ["muc", "muc(average=macro)", "muc(average=macro, zero=0)", "conll(average=macro)"]
    result = assay.score(gold, system, names, times=20)
    assert result.score("s", names[0], "recall").value == pytest.approx(2 / 3)
    assert result.score("s", names[1], "recall").value == pytest.approx((1 / 2 + 1) / 2, abs=1e-9)
    assert result.score("s", names[2], "recall").value == pytest.approx((1 / 2 + 1 + 0) / 3, abs=1e-9)
    assert "muc(average=macro) of s is the mean over 2 of 3 documents." in result.notes
    assert "conll(average=macro) of s is the mean over 2 of 3 documents." in result.notes
    assert "muc(average=macro, zero=0) of s is the mean over 3 of 3 documents." in result.notes


def test_what_is_undefined_can_count_as_nothing(file: File) -> None:
    gold = file("gold.conll", documents(one="[1 a] b", two="[1 a] b"))
    result = assay.score(gold, gold, ["muc", "muc(zero=0)", "conll", "conll(zero=0)", "arcs-any(zero=0)"], times=10)
    assert math.isnan(result.score("gold", "muc").value) and math.isnan(result.score("gold", "conll").value)
    assert result.score("gold", "muc(zero=0)").value == 0
    assert result.score("gold", "conll(zero=0)").value == pytest.approx(2 / 3)
    assert result.score("gold", "arcs-any(zero=0)").value == 0


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("muc(average=mean)", "there is no average 'mean'. Available: micro, macro."),
        ("muc(zero=1)", "zero=1: give zero=0 to count undefined scores as 0, or leave zero out."),
    ],
)
def test_averages_that_do_not_exist_are_refused(files: dict[str, str], measure: str, message: str) -> None:
    assert refusal(compared, files, "a", measure).startswith(message)
