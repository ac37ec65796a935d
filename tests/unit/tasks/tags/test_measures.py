"""Universal features, and all tags of a word together."""

from __future__ import annotations

import pytest

import assay
from unit.samples import refusal, row

# UPOS, XPOS and FEATS of each word.
GOLD = ("N NN Number=Sing", "N _ Case=Nom|Number=Plur", "V VB _", "_ X Typo=Yes")
SYSTEM = ("N NN Number=Sing|Typo=Yes", "N _ Number=Plur|Case=Nom", "V VB Typo=Yes", "_ X Mood=Ind")


@pytest.fixture(name="counted")
def given_counted(file):
    """The words right and the words of gold under a measure."""

    def counted(measure, gold=GOLD, system=SYSTEM):
        paths = []
        for name, cells in (("gold", gold), ("s", system)):
            words = (cell.split() for cell in cells)
            text = "".join(row(i, "w", upos, xpos, feats=feats) for i, (upos, xpos, feats) in enumerate(words, 1))
            paths.append(file(f"{name}.conllu", text))
        [found] = assay.score(*paths, measure, times=2).counts
        return found.counts["right"], found.counts["gold"], found.counts["system"]

    return counted


def test_only_universal_features_count_in_any_order(counted):
    assert counted("ufeats") == (3, 4, 4)
    assert counted("accuracy(column=FEATS)") == (1, 4, 4)


def test_all_tags_are_right_where_each_is(counted):
    assert counted("alltags") == (3, 4, 4)
    assert counted("alltags", system=("N NN Number=Sing", "V _ _", "V VBD _", "_ X _")) == (2, 4, 4)


def test_words_without_a_tag_in_gold_may_be_left_out(counted):
    assert counted("ufeats(empty=skip)") == (2, 3, 3)
    assert counted("alltags(empty=skip)") == (2, 2, 2)


def test_gold_without_a_layer_can_be_scored(counted):
    """As in CoNLL 2018: files that both have no XPOS agree on it."""
    gold = ("N _ Number=Sing", "V _ _")
    assert counted("alltags", gold=gold, system=gold) == (2, 2, 2)


def test_other_policies_are_refused(counted):
    assert refusal(counted, "alltags(empty=drop)") == "there is no value 'drop' for empty. Available: label, skip."


@pytest.mark.parametrize(("measure", "column"), [("ufeats", "FEATS"), ("alltags", "UPOS")])
def test_a_file_without_the_column_is_refused(file, measure, column):
    path = file("g.tsv", "Ann\tB-PER\nsang\tO\n")
    expected = f"g.tsv: {measure} needs the column {column}, which this file does not have."
    assert refusal(assay.score, path, path, measure, task="tags") == expected


def test_features_that_gold_does_not_have_are_refused(file):
    path = file("g.conllu", "1\tAnn\tAnn\tPROPN\tNNP\t_\t0\troot\t_\t_\n\n")
    assert refusal(assay.score, path, path, "ufeats").startswith("g.conllu: column FEATS is empty in gold.")
