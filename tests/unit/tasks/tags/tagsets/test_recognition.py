"""Which bundled tagset splits the tags of a file into categories."""

from __future__ import annotations

import pytest

from assay.tasks.tags.tagsets import find_tagset, recognise_tagset


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["subst:sg:nom:m1", "prep:loc", "fin:sg:ter:imperf", "interp"], "ud-polish"),
        (["Case=Nom|Number=Sing", "Case=Acc", "Mood=Ind|VerbForm=Fin"], "feats"),
        (["NOUN Case=Nom|Number=Sing", "VERB Mood=Ind"], "ud"),
        # Tags without parts, and tags that no bundled tagset reads.
        (["NN", "VBZ", ":", "-LRB-"], ""),
        (["NOUN", "VERB"], ""),
        (["B:PER", "I:PER"], ""),
        ([], ""),
    ],
)
def test_a_tagset_is_recognised_if_it_reads_nearly_all_tags(tags, expected):
    assert recognise_tagset(dict.fromkeys(tags, 5)) == expected


def test_german_morphology_is_recognised_if_there_are_many_tags():
    cases, genders = ("Nom", "Gen", "Dat", "Acc"), ("Masc", "Fem", "Neut", "*")
    tags = {f"{pos}.{case}.{number}.{gender}": 1
            for pos in ("NN", "PDS") for case in cases for number in ("Sg", "Pl") for gender in genders}  # fmt: skip
    assert recognise_tagset(tags | {"$.": 5, "ADV": 3}) == "stts-morph"


def test_tags_without_separators_are_recognised_if_there_are_many():
    tags = {f"Nc{gender}{number}{case}": 1 for gender in "mfn" for number in "sdp" for case in "ngdali"}
    assert recognise_tagset(tags) == ""
    tags |= {f"Np{tag[2:]}": 1 for tag in tags}
    assert recognise_tagset(tags) == "mte-sl"


def test_features_alone_have_no_part_of_speech():
    tagset = find_tagset("feats")
    assert tagset.read("Gender=Masc,Fem|Case=Nom")[0].values == (("Case", "Nom"), ("Gender", "Fem,Masc"))
    assert tagset.read("_")[0].values == ()
    assert tagset.read("Case") == ()
