"""Five systems on the Slovene ssj500k test set; the expected figures lie beside the data."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import AssayError, Result

SYSTEMS = ("reldi-tagger", "obeliks", "meta-tagger", "parser-v3", "stanfordnlp-ft")
PAIRS = [f"{a} -> {b}" for a, b in combinations(SYSTEMS, 2)]
SEGMENTATIONS = ("parser-v3.segm-reldi", "parser-v3.segm-obeliks")
KINDS = {"corrections": "correction", "new_errors": "new-error", "changed_errors": "changed-error"}


@pytest.fixture(scope="module")
def folder(shared_data: Callable[[str], Path]) -> Path:
    return shared_data("morph-slovene-ssj500k")


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "expected.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def result(folder: Path) -> Result:
    """Whole tags (XPOS) of all five systems."""
    return compared(folder, "XPOS")


def said(result: Result, system: str, text: str) -> bool:
    """Whether a warning with this text names a system, alone or among others."""
    return any(text in warning and system in warning for warning in result.warnings)


def compared(folder: Path, column: str) -> Result:
    return assay.compare(
        folder / "test.conllu",
        [folder / "systems" / f"{system}.conllu" for system in SYSTEMS],
        ["accuracy", "sentence-accuracy"],
        column=column,
        times=20,
    )


def counts(result: Result, system: str, measure: str) -> dict[str, int]:
    (row,) = [row for row in result.counts if (row.system, row.measure, row.slice) == (system, measure, None)]
    return dict(row.counts)


def test_gold_has_the_words_and_sentences_it_should_have(result: Result, expected: dict[str, Any]) -> None:
    """48,959 words in 2,310 sentences, aligned by words."""
    gold = expected["gold"]
    assert (result.gold.words, result.gold.sentences) == (gold["tokens"], gold["sentences"])
    about = result.about
    assert (about.items, about.units, about.aligned_by) == (gold["tokens"], gold["sentences"], "words")


@pytest.mark.parametrize("system", SYSTEMS)
def test_accuracy_and_sentence_accuracy(result: Result, expected: dict[str, Any], system: str) -> None:
    """n of d, and the value that is their quotient."""
    full, whole = expected["systems"][system]["full"], expected["systems"][system]["sentence_full"]
    assert counts(result, system, "accuracy") == {
        "right": full["n"],
        "gold": full["d"],
        "system": full["d"],
        "aligned": full["d"],
    }
    assert result.score(system, "accuracy").value == full["n"] / full["d"]
    assert counts(result, system, "sentence-accuracy") == {"right": whole["n"], "sentences": whole["d"]}
    assert result.score(system, "sentence-accuracy").value == whole["n"] / whole["d"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_confusions_and_labels_that_gold_never_has(
    result: Result, expected: dict[str, Any], folder: Path, system: str
) -> None:
    """The ten top confusions, and the number of tags (types, words) that only the system uses."""
    facts = expected["systems"][system]
    rows = [row for row in result.confusion if row.system == system]
    found = {f"{row.gold}→{row.assigned}": row.count for row in rows}
    top = {f"{gold}→{assigned}": count for gold, assigned, count in facts["top_confusions_gold_system"]}
    assert {name: found.get(name) for name in top} == top
    assert [row.count for row in rows[:10]] == sorted(top.values(), reverse=True)
    in_gold = set(assay.read(str(folder / "test.conllu"), columns=["XPOS"]).column("XPOS").counts())
    foreign = [row for row in rows if row.assigned not in in_gold]
    assert len({row.assigned for row in foreign}) == facts["system_only_tag_types"]
    assert sum(row.count for row in foreign) == facts["system_only_tag_tokens"]
    # Less than one word in a thousand: rare tags, no clash of tagsets.
    assert facts["system_only_tag_tokens"] < result.about.items / 1000
    assert not [text for text in result.warnings if "that gold never uses" in text]


@pytest.mark.parametrize("pair", PAIRS)
def test_what_differs_between_two_systems(result: Result, expected: dict[str, Any], pair: str) -> None:
    """Differences, corrections, new errors, changed errors, and what they add up to."""
    facts = expected["pairs"][pair]
    (diff,) = [diff for diff in result.diffs if f"{diff.a} -> {diff.b}" == pair and diff.on == "accuracy"]
    assert (diff.different, diff.items) == (facts["diff"]["n"], facts["diff"]["d"])
    assert {name: getattr(diff, name) for name in KINDS} == {name: facts[name] for name in KINDS}
    assert round(100 * diff.difference, 6) == facts["delta_full_points"]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_most_frequent_label_pairs_of_each_kind_of_change(
    result: Result, expected: dict[str, Any], pair: str
) -> None:
    """The five that are listed have the counts listed, and nothing is more frequent than they are."""
    (diff,) = [diff for diff in result.diffs if f"{diff.a} -> {diff.b}" == pair and diff.on == "accuracy"]
    for name, kind in KINDS.items():
        top = dict(expected["pairs"][pair]["top_label_pairs"][name])
        rows = [row for row in diff.changes if row.kind == kind]
        spelled = [
            f"{row.gold}→{row.before}→{row.after}" if kind == "changed-error" else f"{row.before}→{row.after}"
            for row in rows
        ]
        found = {text: row.count for text, row in zip(spelled, rows, strict=True)}
        assert {text: found.get(text) for text in top} == top
        assert [row.count for row in rows[: len(top)]] == sorted(top.values(), reverse=True)


@pytest.mark.parametrize("pair", PAIRS)
def test_mcnemar_mid_p_on_corrections_and_new_errors(result: Result, expected: dict[str, Any], pair: str) -> None:
    """To one millionth, down to 1e-200."""
    (row,) = [row for row in result.comparisons if row.test == "mcnemar" and f"{row.a} -> {row.b}" == pair]
    facts = expected["pairs"][pair]
    assert row.p_mid == pytest.approx(facts["mcnemar_midp"], rel=1e-6, abs=0)
    assert row.units == facts["corrections"] + facts["new_errors"]
    assert row.p_mid < row.p


def test_upper_bound_and_words_that_all_have_right(result: Result, expected: dict[str, Any]) -> None:
    """Words right in at least one of the five outputs, and in all of them."""
    oracle = expected["oracle"]
    (overall,) = [bound for bound in result.bounds if bound.label is None]
    assert overall.items == oracle["full"]["d"]
    assert overall.items - overall.none_right == oracle["full"]["n"]
    assert overall.upper == oracle["full"]["n"] / oracle["full"]["d"]
    assert overall.all_right == oracle["all_right"]["n"]
    assert overall.best == "stanfordnlp-ft"


def test_upper_bounds_per_tag_add_up_to_those_of_each_part_of_speech(
    result: Result, expected: dict[str, Any]
) -> None:
    """A tag's part of speech is its first letter; words and right words add up over its tags."""
    by_tag = [bound for bound in result.bounds if bound.label is not None]
    assert len(by_tag) == expected["gold"]["tag_types"]
    for pos, facts in expected["oracle"]["by_gold_pos_full_tag"].items():
        bounds = [bound for bound in by_tag if str(bound.label).startswith(pos)]
        items = sum(bound.items for bound in bounds)
        assert items == facts["tokens"]
        right = items - sum(bound.none_right for bound in bounds)
        assert round(100 * right / items, 6) == facts["upper_bound"]
        for system in SYSTEMS:
            right = round(sum(bound.systems[system] * bound.items for bound in bounds))
            assert round(100 * right / items, 6) == facts[system]


# --- other columns ---


def test_lemmas(folder: Path, expected: dict[str, Any]) -> None:
    """An empty column has no figure, a copied one a warning, and the word `_` a lemma."""
    result = compared(folder, "LEMMA")
    assert result.about.items == 48_959
    for system in SYSTEMS:
        facts = expected["systems"][system]["lemma"]
        (source,) = [source for source in result.systems if source.name == system]
        if facts.get("status") == "column empty":
            assert source.status == "column empty"
            assert not [row for row in (*result.scores, *result.counts) if row.system == system]
            assert not [diff for diff in result.diffs if system in (diff.a, diff.b)]
            assert said(result, system, "column LEMMA is empty")
            continue
        assert source.status == ""
        assert counts(result, system, "accuracy")["right"] == facts["n"]
        assert round(100 * result.score(system, "accuracy").value, 6) == facts["pct"]
        assert said(result, system, "copied, not predicted") == ("status" in facts)
    assert [source.name for source in result.systems if source.status] == ["reldi-tagger"]
    assert round(100 * result.score("obeliks", "accuracy").value, 6) == 98.192365


@pytest.mark.parametrize(("column", "name"), [("UPOS", "upos"), ("FEATS", "feats_whole")])
def test_columns_that_one_system_alone_fills(folder: Path, expected: dict[str, Any], column: str, name: str) -> None:
    """stanfordnlp-ft has figures, the four others are said to be empty."""
    result = compared(folder, column)
    facts = expected["systems"]["stanfordnlp-ft"][name]
    assert counts(result, "stanfordnlp-ft", "accuracy")["right"] == facts["n"]
    assert counts(result, "stanfordnlp-ft", "accuracy")["gold"] == facts["d"]
    assert round(100 * result.score("stanfordnlp-ft", "accuracy").value, 6) == facts["pct"]
    assert [source.name for source in result.systems if source.status == "column empty"] == list(SYSTEMS[:4])
    assert {row.system for row in result.scores} == {"stanfordnlp-ft"}
    for system in SYSTEMS[:4]:
        assert expected["systems"][system][name] == {"status": "column empty"}
        assert said(result, system, f"column {column} is empty, so there are no scores for it.")


def test_a_system_without_the_column_cannot_be_scored_by_itself(folder: Path) -> None:
    """With no other system there is nothing left to score."""
    with pytest.raises(AssayError, match="column LEMMA is empty"):
        assay.score(folder / "test.conllu", folder / "systems" / "reldi-tagger.conllu", column="LEMMA")


# --- other line ends, other tokens ---


@pytest.mark.parametrize("column", ["XPOS", "LEMMA"])
def test_crlf_line_ends_change_nothing(folder: Path, column: str) -> None:
    """The file as published and the one with LF are the same system."""
    result = assay.compare(
        folder / "test.conllu",
        {"lf": folder / "systems" / "obeliks.conllu", "crlf": folder / "original" / "obeliks.crlf.conllu"},
        ["accuracy", "sentence-accuracy", "tag-f1"] if column == "XPOS" else ["accuracy"],
        column=column,
        times=20,
    )
    assert b"\r\n" in (folder / "original" / "obeliks.crlf.conllu").read_bytes()[:1000]
    assert b"\r" not in (folder / "systems" / "obeliks.conllu").read_bytes()
    figures = {
        name: {(row.measure, row.score, row.label): row.value for row in result.scores if row.system == name}
        for name in ("lf", "crlf")
    }
    assert figures["lf"] == pytest.approx(figures["crlf"], abs=0, nan_ok=True)
    for diff in result.diffs:
        assert (diff.different, diff.both_right + diff.same_error) == (0, diff.items)
    assert all(row.p == 1 and row.difference == 0 for row in result.comparisons)
    assert "lf and crlf give the same answers everywhere." in result.warnings
    right = {"XPOS": 45_369, "LEMMA": 48_074}[column]
    assert result.score("crlf", "accuracy").value == right / 48_959


@pytest.fixture(scope="module", params=SEGMENTATIONS)
def segmentation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def resegmented(folder: Path, segmentation: str) -> Result:
    return assay.score(
        folder / "test.conllu",
        {"other": folder / "original" / f"{segmentation}.conllu"},
        ["accuracy", "sentence-accuracy"],
        column="XPOS",
        times=20,
    )


def test_other_tokens_are_aligned_by_characters(
    resegmented: Result, expected: dict[str, Any], segmentation: str
) -> None:
    """Every output says so, with the numbers of aligned and unaligned words."""
    facts = expected["different_segmentation"][segmentation]
    (system,) = resegmented.systems
    assert resegmented.about.aligned_by == "characters"
    assert (system.words, system.sentences) == (facts["system_tokens"], facts["system_sentences"])
    assert system.unaligned == facts["system_tokens"] - facts["aligned_tokens"]
    assert resegmented.gold.unaligned == facts["gold_tokens"] - facts["aligned_tokens"]
    assert (
        f"other is tokenised differently from gold. The words were aligned by characters: "
        f"{facts['aligned_tokens']:,} of {facts['gold_tokens']:,} gold words have a counterpart among "
        f"{facts['system_tokens']:,}."
    ) in resegmented.warnings


def test_scores_with_other_tokens_equal_those_of_the_conll18_scorer(
    resegmented: Result, expected: dict[str, Any], segmentation: str
) -> None:
    """Precision over the system's words, recall over gold's, and accuracy over those that both have."""
    facts = expected["different_segmentation"][segmentation]
    assert counts(resegmented, "other", "accuracy") == {
        "right": facts["right"],
        "gold": facts["gold_tokens"],
        "system": facts["system_tokens"],
        "aligned": facts["aligned_tokens"],
    }
    named = {"precision": "P", "recall": "R", "f1": "F", "aligned": "aligned_accuracy"}
    ours = {name: round(100 * resegmented.score("other", "accuracy", name).value, 6) for name in named}
    assert ours == {name: facts[theirs] for name, theirs in named.items()}


def test_whole_sentences_with_other_tokens_are_golds_sentences(
    resegmented: Result, expected: dict[str, Any], folder: Path, segmentation: str
) -> None:
    """A gold sentence is right where each of its words is there with its tag, wherever the system cuts.

    `sentences_all_right` beside the data counts only those whose first and last character the system's
    sentence has too; so both are counted here, and the narrower count vouches for the wider.
    """
    facts = expected["different_segmentation"][segmentation]
    gold, other = spans(folder / "test.conllu"), spans(folder / "original" / f"{segmentation}.conllu")
    answers = {(begin, end): tag for sentence in other for begin, end, tag in sentence}
    right = [sentence for sentence in gold if all(answers.get((a, b)) == tag for a, b, tag in sentence)]
    cuts = {(sentence[0][0], sentence[-1][1]) for sentence in other}
    same_cut = [sentence for sentence in right if (sentence[0][0], sentence[-1][1]) in cuts]
    assert len(same_cut) == facts["sentences_all_right"]
    row = counts(resegmented, "other", "sentence-accuracy")
    assert row == {"right": len(right), "sentences": facts["gold_sentences"]}


def spans(path: Path) -> list[list[tuple[int, int, str]]]:
    """The characters that each word covers, and its tag, by sentence; nothing but line splitting."""
    position = 0
    sentences: list[list[tuple[int, int, str]]] = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        cells = line.split("\t")
        if line == "":
            sentences.append([])
        elif cells[0].isdigit():
            begin, position = position, position + len("".join(cells[1].split()))
            sentences[-1].append((begin, position, cells[4]))
    return [sentence for sentence in sentences if sentence]
