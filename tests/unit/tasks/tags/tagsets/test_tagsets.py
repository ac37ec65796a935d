"""How tags fall apart, and what is wrong with a tagset's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.tasks.tags.tagsets import Tag, Tagset, ambiguous_tags, find_tagset, parse_tagset, read_bundled


def one(tagset: str, tag: str) -> tuple[str, dict[str, str]]:
    (found,) = find_tagset(tagset).read(tag)
    return found.pos, dict(found.values)


def test_separated_tags_are_read_by_category_not_by_position() -> None:
    assert one("nkjp", "subst:sg:nom:m3") == ("subst", {"number": "sg", "case": "nom", "gender": "m3"})
    _, values = one("nkjp", "ppron3:sg:acc:m1:ter:npraep")
    assert values["post_prepositionality"] == "npraep"
    assert "accentability" not in values


def test_the_value_pos_of_degree_is_no_part_of_speech() -> None:
    assert one("nkjp", "adj:sg:nom:f:pos") == (
        "adj",
        {"number": "sg", "case": "nom", "gender": "f", "degree": "pos"},
    )


@pytest.mark.parametrize(
    "tag", ["nonsense", "subst:sg:nom", "subst:sg:nom:m3:sg", "subst:nom:sg:m3", "subst:sg:nom:m9", "", "subst:"]
)
def test_tags_outside_are_told_from_those_inside(tag: str) -> None:
    assert find_tagset("nkjp").read(tag) == ()


def test_several_values_stand_for_all_their_combinations() -> None:
    found = find_tagset("nkjp").read("subst:sg.pl:nom.acc:m3")
    assert len(found) == 4
    assert {dict(tag.values)["case"] for tag in found} == {"nom", "acc"}


def test_a_left_out_optional_attribute_can_stand_for_all_its_values() -> None:
    assert find_tagset("nkjp").read("prep:gen") == (Tag("prep", (("case", "gen"),)),)
    assert {dict(tag.values)["vocalicity"] for tag in find_tagset("nkjp").read("prep:gen", expand_optional=True)} == {
        "wok",
        "nwok",
    }


def test_msd_letters_mean_what_their_class_says_and_trailing_hyphens_nothing() -> None:
    assert one("mte-sl", "Ncmsn") == ("N", {"Type": "c", "Gender": "m", "Number": "s", "Case": "n"})
    assert find_tagset("mte-sl").read("Rgp") == find_tagset("mte-sl").read("Rgp--")
    assert one("mte-sl", "Pp3fpa--y")[1]["Clitic"] == "y"
    assert find_tagset("mte-sl").read("Ncmsnnnn") == ()


def test_positional_tags_have_a_fixed_length() -> None:
    pos, values = one("pdt", "NNMS1-----A----")
    assert (pos, values["Gender"], values["Case"], values["Negation"]) == ("N", "M", "1", "A")
    assert find_tagset("pdt").read("NNMS1") == ()
    assert {dict(tag.values)["Gender"] for tag in find_tagset("pdt").read("NNYS1-----A----")} == {"M", "I"}


def test_universal_features_are_categories_and_their_values_sets() -> None:
    assert one("ud", "NOUN Case=Nom|Number[psor]=Sing") == ("NOUN", {"Case": "Nom", "Number[psor]": "Sing"})
    assert one("ud", "NOUN Case=Nom,Acc") == one("ud", "NOUN Case=Acc,Nom")
    assert one("ud", "PUNCT _") == ("PUNCT", {})
    assert find_tagset("ud").read("NOUN Case") == ()
    assert find_tagset("ud").read("_ Case=Nom") == ()


def test_atomic_tags_have_no_parts() -> None:
    assert one("stts", "VVFIN") == ("VVFIN", {})
    assert find_tagset("stts").read("NNP") == ()
    assert one("atomic", "whatever you like") == ("whatever you like", {})


def test_german_tags_are_split_into_their_morphology() -> None:
    values = {"degree": "Pos", "case": "Nom", "number": "Sg", "gender": "Fem"}
    assert one("stts-morph", "ADJA.Pos.Nom.Sg.Fem") == ("ADJA", values)
    assert one("stts-morph", "ADJA.*.Nom.*.Fem")[1]["number"] == "*"
    verb = {"person": "3", "number": "Sg", "tense": "Past", "mood": "Subj"}
    assert one("stts-morph", "VAFIN.3.Sg.Past.Subj") == ("VAFIN", verb)
    article = ("ART", {"case": "Dat", "number": "Pl", "gender": "*"})
    assert one("stts-morph", "ART.Dat.Pl.*") == article
    assert one("stts-morph", "ART.Def.Dat.Pl.*") == ("ART", {"definiteness": "Def"} | article[1])
    assert [one("stts-morph", tag) for tag in ("$.", "$,", "APPR")] == [("$.", {}), ("$,", {}), ("APPR", {})]
    assert find_tagset("stts-morph").read("NN.Fem.Nom.Sg") == ()


@pytest.mark.parametrize("name", list(read_bundled()))
def test_every_tagset_that_comes_along_is_sound(name: str) -> None:
    tagset = find_tagset(name)
    assert tagset.name == name
    assert tagset.doc.endswith(".")
    assert ambiguous_tags(tagset) == []


def test_a_file_of_ones_own_wins_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text('name = "my"\nkind = "atomic"\ntags = ["A"]\n', "utf-8")
    assert find_tagset(str(path)).read("A") == (Tag("A"),)
    assert find_tagset(str(path)).read("B") == ()


SEPARATED = """name = "t"
kind = "separated"
[attributes.case]
values = ["nom", "acc"]
[attributes.other]
values = ["nom"]
[pos]
n = "case"
p = "[case] other"
"""


def refused(text: str, path: str = "t.toml") -> str:
    with pytest.raises(AssayError) as error:
        parse_tagset(text, path)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "seperated"', "t.toml:1: there is no kind of tagset 'seperated'. Did you mean separated?"),
        ('name = "x"', "t.toml:1: no `kind`. A tagset has one of: separated, msd, positional, feats, atomic."),
        ("kind = ", "t.toml:1: not TOML (Invalid value (at end of document))."),
        (
            SEPARATED.replace('n = "case"', 'n = "cas"'),
            "t.toml:8: class n: there is no attribute 'cas'. Did you mean case?",
        ),
        (
            SEPARATED.replace('"nom", "acc"', '"nom", "nom"'),
            "t.toml:3: attribute case has the value 'nom' twice.",
        ),
        (SEPARATED + 'colour = "x"\n', "t.toml:10: class colour: there is no attribute 'x'. Available: case, other."),
        ('kind = "separated"\ncolour = 1', "t.toml:2: there is no key 'colour' of a separated tagset. "),
        ('kind = "msd"', "t.toml:1: no table [positions], which a msd tagset needs."),
        (
            'kind = "positional"\nlength = 3\npositions = ["A"]',
            "t.toml:3: 1 positions, but length is 3.",
        ),
    ],
)
def test_mistakes_in_a_tagset_file_are_named_with_their_line(text: str, message: str) -> None:
    assert refused(text).startswith(message)


def test_what_can_be_read_in_two_ways_is_warned_of() -> None:
    assert ambiguous_tags(parse_tagset(SEPARATED, "t.toml")) == [
        "class p: case may be left out and shares nom with other; such a value is read as case."
    ]


def test_json_has_the_same_keys() -> None:
    tagset = parse_tagset('{"name": "j", "kind": "msd", "positions": {"N": ["Case"]}}', "j.json")
    assert isinstance(tagset, Tagset)
    assert tagset.read("Na") == (Tag("N", (("Case", "a"),)),)
    assert refused('{"kind": ', "j.json").startswith("j.json:1: not JSON")
