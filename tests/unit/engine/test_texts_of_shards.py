"""The texts of many shards: the same as of one, and never more than a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import assay
from assay.engine import run as shards
from assay.engine import texts
from assay.engine.parts import Part
from assay.engine.texts import Texts, limit_texts, merge_texts
from pieces import folders
from unit.samples import refusal

ENGLISH = ("english", "gold.conllu", ("crfsuite.conllu", "hanta.conllu"))
NAMES = ("entities", "gold.tsv", ("rules.tsv", "spacy.tsv"))
CHAINS = ("coreference", "key.conll", ("pronoun-rules.conll", "string-match.conll"))


def whole_and_cut(files: Any, where: Any, monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[Any]:
    """The texts of four files that are one shard, and of four shards."""
    gold, systems = folders(where, *files, pieces=4)
    found = []
    for size in (1 << 40, 1):
        monkeypatch.setattr(shards, "TEXT", size)
        found.append(assay.compare(gold, systems, times=10, **options).texts)
    return found


@pytest.mark.parametrize("files", [ENGLISH, NAMES, CHAINS])
@pytest.mark.parametrize("how", ["auto", "sample"])
@pytest.mark.parametrize("most", [3, 11])
def test_of_too_many_texts_the_same_are_drawn_from_any_number_of_shards(files, how, most, tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "MOST_TEXTS", most)
    whole, cut = whole_and_cut(files, tmp_path, monkeypatch, embed=how)
    assert cut == whole
    assert (cut["how"], cut["embedded"]) == ("sample", most)
    assert cut["total"] > most


def test_all_texts_are_shown_if_they_fit_in_all_shards_together(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "MOST_TEXTS", 48)
    whole, cut = whole_and_cut(ENGLISH, tmp_path, monkeypatch, embed="auto", slices=("label", "sentence-length"))
    assert cut == whole
    assert (cut["how"], cut["embedded"], cut["total"]) == ("all", 48, 48)
    monkeypatch.setattr(texts, "MOST_TEXTS", 47)
    _, fewer = whole_and_cut(ENGLISH, tmp_path, monkeypatch, embed="auto")
    assert (fewer["how"], fewer["total"]) == ("sample", 48)
    assert fewer["embedded"] < 47


@pytest.mark.parametrize("how", ["all", "diff"])
def test_more_texts_than_a_page_shows_are_kept_of_one_file_and_refused_of_shards(how, tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "MOST_TEXTS", 20)
    gold, systems = folders(tmp_path, *ENGLISH, pieces=4)
    assert assay.compare(gold, systems, times=10, embed=how).texts["embedded"] > 20
    monkeypatch.setattr(shards, "TEXT", 1)
    assert refusal(assay.compare, gold, systems, times=10, embed=how) == (
        f"--embed {how}: there are more than 20 such sentences, and files are read separately. Use --embed sample"
    )


def test_what_is_kept_of_texts_does_not_grow_with_the_number_of_shards(tmp_path, monkeypatch):
    gold, systems = folders(tmp_path, *ENGLISH, pieces=4)
    monkeypatch.setattr(shards, "TEXT", 1)
    monkeypatch.setattr(texts, "MOST_TEXTS", 8)
    kept: list[int] = []

    def noted(pieces: Sequence[Texts]) -> tuple[Texts, ...]:
        found = limit_texts(pieces)
        kept.append(sum(map(len, found)))
        if len(found) == 1:
            assert len(found[0].words.vocabulary) == len(set(found[0].words.columns["word"].tolist()))
        return found

    monkeypatch.setitem(Part.__add__.__globals__, "limit_texts", noted)
    result = assay.compare(gold, systems, times=10, embed="sample")
    assert len(kept) == 3
    assert max(kept) <= 10
    assert result.texts["embedded"] == 8


def test_the_texts_of_one_shard_are_not_joined_with_anything(tmp_path):
    gold, systems = folders(tmp_path, *ENGLISH, pieces=4)
    from assay.engine.options import Options
    from assay.engine.run import measure_shard

    part = measure_shard("compare", gold, systems, ["accuracy"], Options(embed="auto"))
    assert merge_texts(part.texts) is part.texts[0]
