"""Mapping files: labels that count as others, and what that changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.engine.mapping import Rule, read_rules
from unit.samples import refusal, tagged, tsv

GOLD = tsv(tagged("a/NN b/NE c/PROAV"), tagged("d/NN e/$("))
SYSTEM = tsv(tagged("a/NN b/NN c/PAV"), tagged("d/NN e/$["))


@pytest.fixture
def scored(file):
    file("gold.tsv", GOLD)
    file("s.tsv", SYSTEM)
    file("t.tsv", SYSTEM)

    def score(rules, **options):
        file("rules", rules)
        return assay.score("gold.tsv", ["s.tsv", "t.tsv"], "accuracy", map="rules", times=10, **options)

    return score


def accuracies(result):
    return {row.system: row.value for row in result.scores if row.score == "f1"}


def changed(result):
    return {(row.file, row.rule): row.words for row in result.mappings if row.before is None}


def test_two_columns_are_a_rule_for_both_sides(scored):
    result = scored("PAV\tPROAV\n$[\t$(\n")
    assert accuracies(result) == {"s": 0.8, "t": 0.8}
    assert changed(result)["s", "both: PAV → PROAV"] == 1
    assert changed(result)["gold", "both: PAV → PROAV"] == 0


def test_the_effect_is_the_main_score_before_and_after(scored):
    result = scored("PAV\tPROAV\n$[\t$(\n")
    effect = {row.file: (row.before, row.after) for row in result.mappings if row.before is not None}
    assert effect == {"s": (0.4, 0.8), "t": (0.4, 0.8)}


def test_three_columns_name_a_side_or_one_system(scored):
    assert accuracies(scored("system\tPAV\tPROAV\n")) == {"s": 0.6, "t": 0.6}
    assert accuracies(scored("t\tPAV\tPROAV\n")) == {"s": 0.4, "t": 0.6}
    assert accuracies(scored("gold\tPROAV\tPAV\n")) == {"s": 0.6, "t": 0.6}


def test_the_fourth_column_limits_a_rule_to_some_words(scored):
    assert changed(scored("system\tNN\tNE\t[bx]\n")) == {
        ("s", "system: NN → NE if the word is [bx]"): 1,
        ("t", "system: NN → NE if the word is [bx]"): 1,
    }


def test_a_regular_expression_may_use_its_groups(scored):
    result = scored("both\tre:(P)(?:RO)?(AV)\t\\1-\\2\n")
    assert changed(result)["gold", r"both: re:(P)(?:RO)?(AV) → \1-\2"] == 1
    assert accuracies(result)["s"] == 0.6


def test_an_expression_has_to_match_the_whole_label(scored):
    assert sum(changed(scored("re:N\tX\n")).values()) == 0


def test_the_first_rule_for_a_word_wins_and_rules_are_not_chained(scored):
    result = scored("system\tNN\tNE\tb\nsystem\tNN\tXX\nsystem\tNE\tYY\n")
    assert changed(result) == {
        (name, rule): words
        for name in ("s", "t")
        for rule, words in (
            ("system: NN → NE if the word is b", 1),
            ("system: NN → XX", 2),
            ("system: NE → YY", 0),
        )
    }
    assert accuracies(result)["s"] == 0.2


@pytest.mark.parametrize(
    "data",
    [
        {"PAV": "PROAV"},
        [{"from": "PAV", "to": "PROAV"}],
        [{"side": "system", "from": "re:PA.", "to": "PROAV", "form": "c"}],
    ],
)
def test_json_says_the_same(scored, data):
    assert accuracies(scored(json.dumps(data))) == {"s": 0.6, "t": 0.6}


def test_headers_comments_blank_lines_and_windows_ends_are_passed_over(file):
    name = file("r.tsv", "# a comment\r\nside\tfrom\tto\r\n\r\nboth\tA\tB\r\n#\tSYM\r\n")
    assert read_rules(name) == [Rule("both", "A", "B"), Rule("both", "#", "SYM")]


def test_the_effect_is_said_for_a_single_system_given_by_its_path(file):
    file("gold.tsv", GOLD)
    file("my-system.tsv", SYSTEM)
    file("rules", "PAV\tPROAV\n")
    for system in ("my-system.tsv", Path("my-system.tsv"), ["my-system.tsv"]):
        result = assay.score("gold.tsv", system, "accuracy", map="rules", times=10)
        assert [(row.before, row.after) for row in result.mappings if row.before is not None] == [(0.4, 0.6)]


def test_the_mapping_holds_for_training_words_too(file):
    """A word seen with a label that is mapped to the label it has now was seen with that label."""
    file("gold.tsv", GOLD)
    file("s.tsv", SYSTEM)
    file("train.tsv", tsv(tagged("c/PAV x/NN")))
    file("rules", "PAV\tPROAV\n")
    result = assay.score("gold.tsv", "s.tsv", "accuracy", map="rules", train="train.tsv", slices=["seen"], times=10)
    assert {row.slice for row in result.scores if row.slice} == {"seen=seen", "seen=unseen"}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            "both\tA\tB\tC\tD\n",
            "rules:1: 5 columns, but a rule has 2 (from, to), 3 (side, from, to) or 4 (… and a pattern for the "
            "word), separated by tabs.",
        ),
        (
            "# x\nA B\n",
            "rules:2: 1 columns, but a rule has 2 (from, to), 3 (side, from, to) or 4 (… and a pattern for the "
            "word), separated by tabs.",
        ),
        ("# nothing\n", "rules: contains no rules. A rule is a line: from TAB to"),
        (
            "A\tB\nre:(\tB\n",
            "rules:2: '(' is not a regular expression (missing ), unterminated subpattern at position 0).",
        ),
        ("sys\tA\tB\n", "rules: there is no side 'sys'. Did you mean system or s?"),
        ('[{"from": "A"}]', "rules: rule 1 has no `from` and `to`."),
        ('{"A": \n', "rules:2: not JSON (Expecting value)."),
    ],
)
def test_rules_that_are_none_are_refused_with_their_place(scored, rules, message):
    assert refusal(scored, rules) == message


def test_a_missing_mapping_file_is_refused_like_any_other_missing_file():
    assert refusal(read_rules, "none.tsv") == "none.tsv: cannot be opened (no such file or directory)."


def test_a_mapping_file_in_another_encoding_is_refused_with_its_place(file):
    message = refusal(read_rules, file("r.tsv", b"A\tB\nM\xfc\tB\n"))
    assert message.startswith("r.tsv:2: byte 0xFC is not UTF-8.")


def test_a_side_far_from_all_others_gets_the_whole_list(scored):
    assert refusal(scored, "zzz\tA\tB\n") == ("rules: there is no side 'zzz'. Available: gold, system, both, s, t.")


def test_rules_that_fit_no_word_are_told_of(scored):
    result = scored("PAV\tPROAV\nsystem\tPROAV\tX\nre:Q.*\tX\nsystem\tNN\tNE\tzzz\n")
    assert [text for text in result.warnings if "rule" in text] == [
        "the mapping rule both: re:Q.* → X matches nothing.",
        "the mapping rule system: PROAV → X matches nothing.",
        "the mapping rule system: NN → NE if the word is zzz matches nothing.",
    ]


# --- to no label ---


@pytest.mark.parametrize("target", ["O", ""])
def test_a_span_mapped_to_o_or_to_nothing_is_none(file, target):
    gold = file("g.tsv", "Anna\tB-PER\nin\tO\nNew\tB-LOC\nYork\tI-LOC\n")
    system = file("y.tsv", "Anna\tB-PER\nin\tB-LOC\nNew\tB-ORG\nYork\tI-ORG\n")
    file("rules", f"LOC\t{target}\n")
    result = assay.score(gold, {"s": system}, "exact", map="rules", times=5)
    assert result.about.items == 1
    assert {row.label for row in result.counts} == {None, "PER", "ORG"}
    (counts,) = [row.counts for row in result.counts if row.label is None]
    assert (counts["tp"], counts["fp"], counts["fn"]) == (1, 1, 0)
    text = "1 span is left out, because the mapping turns the label into O or nothing."
    assert f"gold: {text} The same applies to s." in result.warnings


def test_a_span_that_was_called_o_stays_one():
    gold = [[("O", 0, 1), ("X", 2, 3)]]
    rules = Path("rules")
    rules.write_text("X\tY\n")
    assert assay.score(gold, {"s": gold}, "exact", map="rules", times=5).about.items == 2


def test_gaps_stay_with_their_spans_when_others_are_mapped_away(file):
    lines = ["LOC\t1\t1\t1", "PER\t2\t4\t2, 4", "LOC\t5\t5\t5"]
    gold = file("g.tsv", "\n".join(lines) + "\n")
    file("rules", "LOC\tO\n")
    result = assay.score(gold, {"s": gold}, "exact", map="rules", times=5)
    assert result.about.items == 1
    assert any(text.startswith("Spans with gaps (gold 1, s 1)") for text in result.notes)


@pytest.mark.parametrize("rule", ["NE\t\n", "re:NE()\t\\1\n"])
def test_a_word_without_any_label_is_refused(scored, rule):
    assert refusal(scored, rule) == (
        "gold.tsv:2: the mapping removes the label NE. Map it to another label, because words need one."
    )
