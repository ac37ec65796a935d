"""Relations as a task: names, refusals, remarks, choices of what counts, slices, tables and degenerate cases."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.corpus import Corpus
from assay.errors import AlignmentError, InputError, UsageError
from assay.result import Result
from commands import call
from relationlists import corpus_of

SPANS = [["a", "PER", [[0, 2]]], ["b", "ORG", [[4, 7]]], ["c", "LOC", [[9, 10]]]]
GOLD = {"spans": SPANS, "relations": [["works", "a", "b"], ["in", "b", "c"]]}


def one(side: dict[str, Any], name: str = "data", length: int = 12) -> Corpus:
    return corpus_of([side], [length], name)


def scored(gold: dict[str, Any], system: dict[str, Any], *measures: str, **options: Any) -> Result:
    return assay.score(one(gold, "gold"), {"s": one(system, "s")}, list(measures), times=1, **options)


def values(result: Result) -> dict[tuple[str, str], float]:
    return {(row.measure, row.score): row.value for row in result.scores if row.label is None and row.slice is None}


def with_relations(*relations: list[str], spans: list[Any] | None = None) -> dict[str, Any]:
    return {"spans": SPANS if spans is None else spans, "relations": list(relations)}


def test_scores_go_by_the_full_name_of_their_criterion() -> None:
    result = scored(GOLD, GOLD)
    assert result.measures == ["relations(match=strict)", "relations(match=boundary)", "relations(match=overlap)"]
    assert scored(GOLD, GOLD, "relations").measures == ["relations(match=strict)"]
    assert scored(GOLD, GOLD, "facts", "ehealth-kd").measures == ["facts(entities=all)", "ehealth-kd(task=both)"]
    assert result.score("s", "relations").value == 1.0
    assert result.flat()["relations_match_boundary_/s"] == 1.0


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("relations(match=exact)", "match"),
        ("relations(types=same)", "relations: match=strict already decides whether types count"),
        ("relations(match=overlap, equivalence=true)", "equivalence=true goes with match=strict or boundary"),
        ("relations(given=relations)", "given"),
        ("facts(entities=some)", "entities"),
        ("facts(ignore=train)", "facts(ignore=train) needs the training data: --train FILE"),
        ("ehealth-kd(task=links)", "task"),
        ("fair-relations(be=0.5TP)", "be='0.5TP': the parts sum to 0.5, not 1. If this is intended, add open=true."),
        ("fair-relations(be=1TP)", "the error weights leave out le, de, te, me, which"),
        ("fair-relations(preset=be-typed)", "preset of error weights"),
        ("fair-relations(be=TP)", "has no number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(measure: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        scored(GOLD, GOLD, measure)
    assert message in str(refused.value)


def test_weights_of_errors_can_be_set() -> None:
    moved = with_relations(["works", "a", "b"], spans=[["a", "PER", [[0, 2]]], ["b", "ORG", [[4, 6]]]])
    gold = with_relations(["works", "a", "b"])
    assert scored(gold, moved, "fair-relations").score("s", "fair-relations").value == 0.0
    half = scored(gold, moved, "fair-relations(preset=be-half)")
    assert math.isclose(half.scores[0].value, 2 * 0.5 / (2 * 0.5 + 0.25 + 0.25))
    own = "fair-relations(preset=fair, be=1TP)"
    assert scored(gold, moved, own).scores[0].value == 1.0


def test_arguments_without_types_are_refused_by_criteria_that_compare_types() -> None:
    bare = with_relations(["works", "a", "b"], spans=[["a", "", [[0, 2]]], ["b", "ORG", [[4, 7]]]])
    with pytest.raises(InputError) as refused:
        scored(GOLD, bare)
    assert str(refused.value) == (
        "s: 1 argument has no type, which match=strict compares. Use relations(match=boundary), which compares "
        "places alone."
    )
    result = scored(GOLD, bare, "relations(match=boundary)", "relations(match=overlap)")
    assert [row.value for row in result.scores if row.main and row.label is None] == [2 / 3, 2 / 3]


# --- remarks ---


def remarks(gold: dict[str, Any], system: dict[str, Any], *measures: str, **options: Any) -> str:
    result = scored(gold, system, *measures, **options)
    return "\n".join((*result.warnings, *result.notes))


def test_what_looks_wrong_is_said() -> None:
    itself = remarks(GOLD, with_relations(["works", "a", "a"]))
    assert "s: 1 relation joins a span with itself." in itself
    turned = remarks(GOLD, with_relations(["works", "b", "a"], ["in", "c", "b"]))
    assert (
        "s: has 2 of gold's 2 relations with head and tail exchanged, and 0 in gold's direction. Are heads and "
        "tails swapped?" in turned
    )
    longer = [[key, kind, [[begin, end + 1]]] for key, kind, [[begin, end]] in SPANS]
    ends = remarks(GOLD, with_relations(*GOLD["relations"], spans=longer))
    assert (
        "s: no relation has gold's places, but 2 of 2 have arguments that overlap. Is the end of a span included in "
        "one file and not in the other?" in ends
    )
    assert "s has no relations, but 3 spans. Is it the wrong file?" in remarks(GOLD, with_relations())
    assert "gold has no relations. Recall is undefined. Are gold and system swapped?" in remarks(
        with_relations(), GOLD
    )
    assert "symmetric=spouse: no relation has this label." in remarks(GOLD, GOLD, "relations(symmetric=spouse)")
    twice = remarks(GOLD, with_relations(*GOLD["relations"], ["in", "b", "c"]))
    assert "s: 1 relation appears twice (same label, same arguments); each is counted once." in twice


def test_repetitions_are_told_as_they_are_counted() -> None:
    # Three times the same line and once with the arguments exchanged: the scorer of eHealth-KD keeps two of them.
    spans = [["a", "PER", [[0, 2]]], ["b", "ORG", [[4, 7]]], ["again", "ORG", [[4, 7]]]]
    gold = with_relations(["works", "a", "b"], spans=spans[:2])
    lines = [["same-as", "a", "b"]] * 3 + [["same-as", "b", "a"]]
    system = {**with_relations(*lines, spans=spans[:2]), "symmetric": ["same-as"]}
    result = scored(gold, system, "ehealth-kd(task=relations)", "ehealth-kd", "relations")
    assert values(result)["ehealth-kd(task=both)", "precision"] == 2 / (2 + 2)
    assert "s: 2 relations appear twice (same label, same arguments); each is counted once." in result.warnings
    told = "s: 1 relation is given in both orders; measures without direction count one."
    assert f"{told} ehealth-kd counts both, as its scorer does." in result.warnings
    assert told in scored(gold, system, "relations").warnings
    # Two spans at one place with one type are one, in facts too.
    twice = with_relations(["works", "a", "b"], ["works", "a", "again"], spans=spans)
    result = scored(gold, twice, "facts")
    assert values(result)["facts(entities=all)", "precision"] == 1
    assert "s: 1 relation appears twice (same label, same arguments); each is counted once." in result.warnings


def test_labels_without_direction_are_proposed_not_assumed() -> None:
    gold = with_relations(["CONJUNCTION", "a", "b"])
    told = remarks(gold, with_relations(["CONJUNCTION", "b", "a"]))
    assert (
        "CONJUNCTION (1 relation of gold) has no direction by the guidelines of SciERC, which is not assumed. To say "
        "so: -m 'relations(symmetric=CONJUNCTION+COMPARE)'" in told
    )
    assert "guidelines" not in remarks(gold, gold, "relations(symmetric=CONJUNCTION)")


def test_labels_of_one_side_alone_are_said() -> None:
    ours, theirs = (
        corpus_of([with_relations([label, "a", "b"])] * 12, [12] * 12, label) for label in ("works", "employs")
    )
    result = assay.score(ours, {"s": theirs}, times=1)
    start = "s uses 1 label that gold never uses, on 12 relations: employs"
    assert any(line.startswith(start) for line in result.warnings)


def test_it_is_said_where_spans_were_given() -> None:
    same = remarks(GOLD, with_relations(["works", "a", "b"]))
    assert "s has exactly gold's spans, so relations were classified, not extracted." in same
    other = remarks(GOLD, with_relations(["works", "a", "b"], spans=SPANS[:2]))
    assert "exactly gold's spans" not in other


def test_relations_of_a_file_that_says_so_have_no_direction() -> None:
    gold = {**with_relations(["same-as", "a", "b"]), "symmetric": ["same-as"]}
    result = scored(gold, with_relations(["same-as", "b", "a"]), "relations", "fair-relations")
    assert values(result)["relations(match=strict)", "f1"] == 1.0
    assert "Relations without direction: same-as." in result.notes


# --- what counts ---


def test_only_annotated_sentences_count_on_demand() -> None:
    nothing = with_relations(spans=[])
    gold = corpus_of([GOLD, nothing, nothing], [12, 3, 12], "gold")
    system = corpus_of([GOLD, nothing, GOLD], [12, 3, 12], "s")
    every, some = (
        assay.score(gold, {"s": system}, ["relations"], times=1, only_annotated=own) for own in (False, True)
    )
    assert (every.scores[0].value, some.scores[0].value) == (2 / 3, 1.0)
    assert "--only-annotated: 2 of 3 sentences are left out, because gold has no annotation there." in some.warnings
    with pytest.raises(AlignmentError) as refused:
        assay.score(corpus_of([nothing], [3]), {"s": corpus_of([nothing], [3])}, times=1, only_annotated=True)
    assert str(refused.value) == "data: contains no annotation, so --only-annotated leaves nothing."


def test_relations_with_other_labels_do_not_count() -> None:
    result = scored(GOLD, with_relations(["works", "a", "b"], ["in", "a", "c"]), "relations", labels="works")
    assert result.scores[0].value == 1.0 and result.about.items == 1
    assert "Relations with other labels were left out on both sides (gold 1, s 1)." in result.notes


def test_spans_that_gold_says_are_the_same_are_one_on_demand() -> None:
    spans = [*SPANS, ["d", "PER", [[10, 12]]]]
    gold = with_relations(["same-as", "a", "d"], ["works", "a", "b"], spans=spans)
    system = with_relations(["same-as", "a", "d"], ["works", "d", "b"], ["works", "a", "b"], spans=spans)
    found = scored(gold, system, "relations", "relations(equivalence=true)", "fair-relations(equivalence=true)")
    rows = {row.measure: row.counts for row in found.counts if row.label is None}
    assert [rows[name]["tp"] for name in found.measures] == [2, 2, 2]
    other = with_relations(["works", "d", "b"], spans=spans)
    found = scored(gold, other, "relations", "relations(equivalence=true)")
    rows = {row.measure: row.counts for row in found.counts if row.label is None}
    assert [rows[name]["tp"] for name in found.measures] == [0, 1]
    places = scored(gold, other, "relations(match=boundary, equivalence=true)")
    assert places.counts[0].counts["tp"] == 1


def test_facts_seen_in_training_are_left_out_of_precision(tmp_path: Path) -> None:
    def side(*facts: tuple[str, int, int]) -> dict[str, Any]:
        words = ["Ann", "Bob", "Cas", "Dan", "."]
        return {
            "title": "d",
            "sents": [words],
            "vertexSet": [
                [{"name": word, "pos": [place, place + 1], "sent_id": 0, "type": "PER"}]
                for place, word in enumerate(words[:4])
            ],
            "labels": [{"h": head, "t": tail, "r": label, "evidence": []} for label, head, tail in facts],
        }

    files = {
        "gold": side(("knows", 0, 1), ("knows", 1, 2), ("likes", 0, 2)),
        "system": side(("knows", 0, 1), ("knows", 1, 2), ("knows", 2, 3)),
        "train": side(("knows", 0, 1)),
    }
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps([content]), "utf-8")
    gold, system, train = (str(tmp_path / f"{name}.json") for name in files)
    result = assay.score(gold, {"s": system}, ["facts", "facts(ignore=train)"], times=1, train=train)
    found = values(result)
    assert found["facts(entities=all)", "f1"] == pytest.approx(2 / 3)
    ignored = "facts(entities=all, ignore=train)"
    assert found[ignored, "precision"] == pytest.approx((2 - 1) / (3 - 1))
    assert found[ignored, "recall"] == pytest.approx(2 / 3)
    assert found[ignored, "f1"] == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))
    assert result.about.unit == "document"
    cut = assay.score(gold, {"s": system}, ["facts"], times=1, train=train, slices=("seen",))
    assert {row.slice: row.counts["gold"] for row in cut.counts if row.slice and row.label is None} == {
        "seen=unseen": 2,
        "seen=seen": 1,
    }


# --- slices ---


CUT = {
    "spans": [
        *(["a", "PER", [[0, 2]]], ["b", "ORG", [[2, 4]]], ["c", "LOC", [[6, 7]]], ["d", "ORG", [[10, 16]]]),
        *(["e", "LOC", [[12, 13]]], ["f", "PER", [[28, 29]]]),
    ],
    "relations": [
        *(["works", "a", "b"], ["owns", "a", "b"], ["in", "b", "c"], ["in", "d", "e"], ["works", "f", "d"]),
        ["spouse", "f", "f"],
    ],
}


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        ("distance", {"0": 2, "1-3": 1, "over 10": 1, "overlapping": 2}),
        ("head-type", {"PER": 4, "ORG": 2}),
        ("tail-type", {"ORG": 3, "LOC": 2, "PER": 1}),
        ("types", {"PER ORG": 3, "ORG LOC": 2, "PER PER": 1}),
        ("label", {"works": 2, "in": 2, "owns": 1, "spouse": 1}),
        ("symmetric", {"with direction": 5, "without direction": 1}),
        ("nested", {"side by side": 4, "one inside the other": 2}),
        ("shared-argument", {"both (EPO)": 2, "one (SEO)": 4}),
        ("argument-found", {"both": 4, "one": 2}),
    ],
)
def test_relations_are_cut_by_what_they_join(cut: str, expected: dict[str, int]) -> None:
    less = {"spans": [span for span in CUT["spans"] if span[0] not in ("c", "e")], "relations": []}
    result = assay.score(
        *(one(CUT, "gold", 30), {"s": one(less, "s", 30)}, ["fair-relations(symmetric=spouse)"]),
        times=1,
        slices=(cut,),
    )
    assert numbers(result) == expected


def numbers(result: Result) -> dict[str, int]:
    """How many relations of gold have each value of a slice."""
    rows = [(row.slice, row.counts) for row in result.counts if row.label is None]
    return {where.partition("=")[2]: counts["gold"] for where, counts in rows if where}


def test_relations_are_cut_by_sentences() -> None:
    first = {"spans": [["a", "PER", [[0, 1]]], ["b", "ORG", [[3, 4]]], ["c", "LOC", [[9, 10]]]], "relations": []}
    first["relations"] = [["r", "a", "b"], ["r", "b", "a"], ["r", "a", "c"]]
    gold = corpus_of([first, with_relations(), GOLD], [2, 3, 12])
    for cut, expected in (
        ("sentences", {"within one": 2, "neighbouring": 2, "further apart": 1}),
        ("relations-in-sentence", {"2-3": 5}),
    ):
        result = assay.score(gold, {"s": gold}, ["relations"], times=1, slices=(cut,))
        found = numbers(result)
        # What has one value only is not shown.
        assert found == (expected if len(expected) > 1 else {}), cut


def test_slices_of_relations_are_about_relations(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ann B-PER\n\n", "utf-8")
    done = call("score", "a.conll", "a.conll", "--slice", "nested", folder=tmp_path)
    assert done.returncode == 2
    assert "--slice nested is for relations, but none are compared. Give --task relations" in done.stderr


# --- tables ---


def test_tables_by_types_causes_and_what_spans_allow_for() -> None:
    less = {"spans": [*SPANS[:2], ["x", "LOC", [[11, 12]]]], "relations": [["works", "a", "b"], ["in", "b", "x"]]}
    other = {"spans": SPANS, "relations": [["owns", "a", "b"]]}
    result = assay.compare(
        one(GOLD, "gold"),
        {"a": one(less, "a"), "b": one(other, "b")},
        ["fair-relations", "relations(given=spans)"],
        times=1,
    )
    tables = {table.title: table for table in result.tables}
    assert tables["By types of arguments: fair-relations"].rows == (
        ("ORG LOC", 1, 0.0, 0.0),
        ("PER ORG", 1, 1.0, 0.0),
    )
    assert tables["Changes by types of arguments: a → b"].rows == (
        ("ORG LOC", 1, 0, 0, 1),
        ("PER ORG", 0, 1, 0, -1),
    )
    assert tables["Upper bound given spans"].rows == (
        ("overall", 2, 2, 1, 0.5, 0.5),
        ("in", 1, 1, 0, 0.0, 0.0),
        ("works", 1, 1, 1, 1.0, 1.0),
    )
    assert tables["Missing and spurious relations"].rows == (
        ("a", "fair-relations", 1, 1, 0, 1, 1, 0),
        ("b", "fair-relations", 1, 0, 1, 0, 0, 0),
    )
    ceilings = [(row[0], row[1][0], *row[2:]) for row in tables["What spans allow for"].rows]
    assert ceilings == [("a", 0.5, 1.0, 0.5), ("b", 1.0, 0.0, 0.0)]
    labels = tables["Labels of b between the right arguments"]
    assert labels.header == ("gold \\ system", "in", "owns", "works", "_", "direction")
    assert labels.rows[2] == ("works", "·", 1, "·", "·", "·")


def test_kappa_is_over_pairs_of_spans_that_both_have() -> None:
    second = with_relations(["works", "a", "b"], ["in", "a", "c"])
    result = assay.agreement({"a": one(GOLD, "a"), "b": one(second, "b")}, times=1)
    # Of 6 ordered pairs 1 is related by both, 1 by each alone.
    expected = (1 * 1 + 1 * 1 + 4 * 4) / 36
    value = next(row.value for row in result.scores if row.score == "kappa")
    assert value == pytest.approx((4 / 6 - expected) / (1 - expected))
    tables = {table.title: table.rows for table in result.tables}
    assert tables["Pairs of spans that both have"] == (("a ~ b", 6, 2, 2),)


def test_labels_without_direction_are_those_that_annotators_named() -> None:
    turned = with_relations(["works", "b", "a"], ["in", "b", "c"])
    result = assay.agreement({"a": one(GOLD, "a"), "b": one(turned, "b")}, "relations(symmetric=works)", times=1)
    assert values(result)["relations(match=strict, symmetric=works)", "f1"] == 1.0
    assert not any("symmetric=" in text for text in result.warnings)


def test_scores_by_label_that_depend_on_who_comes_first_are_given_for_no_label() -> None:
    # "works" is right in both; one of "in" and "near" is gold's, and the other the system's, whoever comes first.
    relabelled = with_relations(["works", "a", "b"], ["near", "b", "c"])
    both = {"a": one(GOLD, "a"), "b": one(relabelled, "b")}
    result = assay.agreement(both, ["relations", "fair-relations"], times=1)
    by_label = {(row.measure, row.label): row.value for row in result.scores if row.label and row.score == "f1"}
    strict = {("relations(match=strict)", "works"): 1.0, ("relations(match=strict)", "in"): 0.0}
    assert by_label == strict | {("relations(match=strict)", "near"): 0.0}
    # In a third pair, where both are the same, they would be the same both ways.
    three = assay.agreement({**both, "c": one(GOLD, "c")}, ["relations", "fair-relations"], times=1)
    assert {row.measure for row in three.scores if row.label} == {"relations(match=strict)"}


def test_messages_name_annotators_who_are_called_gold() -> None:
    twice = with_relations(["works", "a", "b"], ["works", "a", "b"], ["in", "b", "c"])
    for name in ("gold", "gold/a", "gold-2"):
        result = assay.agreement({"a": one(GOLD, "a"), name: one(twice, name)}, "relations", times=1)
        said = [text for text in result.warnings if "twice" in text]
        assert said == [f"{name}: 1 relation appears twice (same label, same arguments); each is counted once."]


# --- degenerate cases ---


def test_what_is_not_there_is_undefined_or_zero() -> None:
    nothing, none_at_all = with_relations(), with_relations(spans=[])
    for gold, system, expected in (
        (nothing, nothing, (math.nan, math.nan, math.nan)),
        (nothing, GOLD, (0.0, 0.0, math.nan)),
        (GOLD, nothing, (0.0, math.nan, 0.0)),
        (GOLD, none_at_all, (0.0, math.nan, 0.0)),
    ):
        result = scored(gold, system, "relations", "fair-relations", task="relations")
        for measure in result.measures:
            found = [values(result)[measure, score] for score in ("f1", "precision", "recall")]
            assert found == pytest.approx(list(expected), nan_ok=True), (gold, system, measure)
    result = scored(GOLD, none_at_all, "fair-relations")
    assert result.counts[0].counts["fn-argument-missing"] == 2


def test_a_sentence_without_relations_is_a_unit_all_the_same() -> None:
    both = [corpus_of([GOLD, with_relations()], [12, 12], name) for name in ("gold", "s")]
    result = assay.score(both[0], {"s": both[1]}, ["relations"], times=1)
    assert result.about.units == 2 and result.about.unit == "sentence"


# --- files one after the other ---


def test_what_one_file_says_of_a_label_holds_for_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A label without direction in the second file has none in the first, whoever reads the files."""
    text, spans = "Ann and Bob left .\n", "T1\tPER 0 3\tAnn\nT2\tPER 8 11\tBob\n"
    for side, first in (("gold", "R1\tsame-as Arg1:T1 Arg2:T2\n"), ("s", "R1\tsame-as Arg1:T2 Arg2:T1\n")):
        folder = tmp_path / side
        folder.mkdir()
        for name, relation in (("d1", first), ("d2", "*\tsame-as T1 T2\n")):
            (folder / f"{name}.txt").write_text(text, "utf-8")
            (folder / f"{name}.ann").write_text(spans + relation, "utf-8")
    gold, systems = str(tmp_path / "gold"), {"s": str(tmp_path / "s")}
    whole = assay.score(gold, systems, ["relations", "fair-relations"], times=5)
    assert whole.scores[0].value == 1.0
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    assert assay.score(gold, systems, ["relations", "fair-relations"], times=5).to_json() == whole.to_json()
