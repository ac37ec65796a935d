"""Several tags per word: the five scores of each scoring function in one table of one run."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError
from assay.render import render

GOLD = "zadanie\tsubst:sg:nom:n,subst:sg:acc:n\nuda\tsubst:pl:acc:n\n"
TAGGER = "zadanie\tsubst:sg:nom:n\nuda\tsubst:pl:nom:n,fin:sg:ter:perf\n"
OTHER = "zadanie\tsubst:sg:nom:n,subst:sg:acc:n\nuda\tsubst:pl:nom:n\n"
MEASURES = ["pa(tagset=atomic)", "pos-accuracy", "pa"]


@pytest.fixture
def paths(tmp_path):
    texts = {"gold": GOLD, "tagger": TAGGER, "other": OTHER}
    for name, text in texts.items():
        (tmp_path / f"{name}.tsv").write_text(text, "utf-8")
    return {name: str(tmp_path / f"{name}.tsv") for name in texts}


def scored(paths, measures, **options):
    systems = {name: paths[name] for name in ("tagger", "other")}
    return assay.score(paths["gold"], systems, measures, alternatives=",", times=10, **options)


def test_whole_tags_parts_of_speech_and_positions_in_one_run(paths) -> None:
    """By hand: C, WC, P, R, F of `tagger`: one of the first word's two tags, and two wrong ones."""
    result = scored(paths, MEASURES, tagset="nkjp")
    names = ("strong", "weak", "precision", "recall", "f1")
    found = {measure: [result.score("tagger", measure, name).value for name in names] for measure in MEASURES}
    # Whole tags: of 3 assigned and of 3 gold tags one is right; every word has a tag that is not.
    assert found["pa(tagset=atomic)"] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
    # Parts of speech: all gold tags are found, the verb is wrong.
    assert found["pos-accuracy"] == pytest.approx([1 / 2, 1, 2 / 3, 1, 4 / 5])
    # Positions: a wrong case leaves 3/4. Assigned 1, 3/4, 0; gold 1, 3/4, 3/4; least 3/4 and 0; best 1 and 3/4.
    p, r = (1 + 3 / 4) / 3, (1 + 3 / 4 + 3 / 4) / 3
    assert found["pa"] == pytest.approx([3 / 8, 7 / 8, p, r, 2 * p * r / (p + r)])


def test_they_stand_in_one_table(paths) -> None:
    text = render(scored(paths, MEASURES, tagset="nkjp"), "tsv")
    table = text.partition("# Sets of tags\n")[2].partition("\n\n")[0].splitlines()
    assert table[0] == "system\tmeasure\tstrong\tweak\tprecision\trecall\tf1"
    assert [line.split("\t")[:2] for line in table[1:]] == [
        [name, measure] for measure in MEASURES for name in ("tagger", "other")
    ]
    assert table[1] == "tagger\tpa(tagset=atomic)\t0.00\t50.00\t33.33\t33.33\t33.33"
    assert "# Further scores" not in text


def test_with_one_tag_per_word_there_is_nothing_more_to_show(paths) -> None:
    text = render(assay.score(paths["gold"], paths["gold"], MEASURES, tagset="nkjp", times=10), "tsv")
    assert "# Sets of tags" not in text


def test_a_tagset_of_the_measure_needs_none_of_the_run_and_is_in_the_signature(paths) -> None:
    result = scored(paths, ["pa(tagset=atomic)"])
    assert result.score("tagger", "pa(tagset=atomic)", "f1").value == pytest.approx(1 / 3)
    assert "pa(tagset=atomic)" in result.signature
    whole = scored(paths, ["pa"], tagset="atomic")
    assert whole.score("tagger", "pa", "f1").value == result.score("tagger", "pa(tagset=atomic)", "f1").value


def test_a_tagset_of_columns_is_for_the_run(paths) -> None:
    with pytest.raises(AssayError, match=r"pa\(tagset=ud\) takes tags from UPOS\+FEATS. Give --tagset ud"):
        scored(paths, ["pa(tagset=ud)"])
    with pytest.raises(AssayError, match="there is no tagset 'atom'"):
        scored(paths, ["pa(tagset=atom)"])
