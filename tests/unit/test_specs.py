"""`name(key=value, ...)`."""

from __future__ import annotations

import pytest

import assay
from assay import specs
from assay.engine.measure import find, measures
from assay.errors import unknown
from unit.samples import refusal


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("accuracy", ("accuracy", {})),
        ("accuracy()", ("accuracy", {})),
        (" tsv ( word = 2 , header=true ) ", ("tsv", {"word": "2", "header": "true"})),
        ("my.module:function(a=b=c)", ("my.module:function", {"a": "b=c"})),
        ("x(a=)", ("x", {"a": ""})),
    ],
)
def test_a_spec_is_a_name_with_parameters(text, parsed):
    assert specs.parse(text, "measure") == parsed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "measure '' is not of the form name or name(key=value, ...)."),
        ("a(b", "measure 'a(b' is not of the form name or name(key=value, ...)."),
        ("a(b)", "measure 'a(b)': 'b' is not of the form key=value."),
    ],
)
def test_what_is_no_spec_is_refused(text, message):
    assert refusal(specs.parse, text, "measure") == message


def test_values_take_the_types_of_their_defaults():
    defaults = {"flag": False, "size": 2, "share": 0.5, "name": "x", "open": None}
    given = {"flag": "TRUE", "size": "3", "share": "1", "name": "2020", "open": "7"}
    typed = specs.convert_parameters("m", given, defaults)
    assert typed == {"flag": True, "size": 3, "share": 1.0, "name": "2020", "open": "7"}
    assert [type(value) for value in typed.values()] == [bool, int, float, str, str]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"flag": "1"}, "m: flag should be true or false, not '1'."),
        ({"size": "two"}, "m: size should be a number, not 'two'."),
        ({"sise": "2"}, "there is no parameter 'sise' of m. Did you mean size?"),
    ],
)
def test_values_of_another_type_are_refused(given, message):
    assert refusal(specs.convert_parameters, "m", given, {"flag": False, "size": 2}) == message


def test_a_spec_is_spelled_as_it_would_be_typed():
    assert specs.spell("m", {"b": True, "a": 1, "c": None}) == "m(a=1, b=true)"
    assert specs.spell("m", {}) == "m"


@pytest.mark.parametrize(
    "text",
    [
        *("accuracy", "accuracy(column=XPOS)", "tag-f1(column=XPOS)"),
        *("las(punctuation=no-punct-char, subtypes=true)", "tree-match(of=uas)", "tedeval(gold=single, sizes=2.2)"),
    ],
)
def test_measures_print_as_they_were_typed(text):
    assert str(find(text)) == text


def test_parameters_that_say_what_holds_anyway_are_left_out():
    assert str(find("las(subtypes=false, punctuation=all)")) == "las"
    assert str(find("tedeval(sizes=2.1, labelled=true, gold=multiple)")) == "tedeval"


def test_names_far_from_all_others_get_the_whole_list():
    assert str(unknown("measure", "zzz", ("accuracy", "tag-f1"))) == (
        "there is no measure 'zzz'. Available: accuracy, tag-f1."
    )
    # A very long line has no middle.
    first, last = str(unknown("measure", "zzz", measures())).split(" … ")
    assert f"Available: {', '.join(measures())}.".startswith(first.partition("'zzz'. ")[2])
    assert last.endswith(f", {list(measures())[-1]}.")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        *(
            (name, options, "this measure splits tags into categories. Give --tagset (assay tagset lists them).")
            for name, options in (
                ("pa", {}),
                ("wpa", {"weights": "paper"}),
                ("pos-accuracy", {}),
                ("features", {}),
            )
        ),
        *(
            (
                name,
                {"tagset": "nkjp"},
                f"{name} needs weights: give --weights FILE, or a preset such as --weights poliqarp.",
            )
            for name in ("wpa", "cwpa")
        ),
    ],
)
def test_measures_of_rich_tags_say_what_they_need(name, options, message):
    assert refusal(assay.score, [["subst:sg:nom:f"]], {"s": [["adj"]]}, name, times=5, **options) == message


def test_measures_of_rich_tags_give_partial_credit():
    """Of the positions pos, number, case, gender three of four agree."""
    result = assay.score(
        [["subst:sg:nom:f"]],
        {"s": [["subst:pl:nom:f"]]},
        ["accuracy", "pa", "pos-accuracy", "features"],
        tagset="nkjp",
        times=5,
    )
    assert {row.measure: row.value for row in result.scores if row.score == "f1" and row.label is None} == {
        "accuracy": 0,
        "pa": 0.75,
        "pos-accuracy": 1,
        "features": pytest.approx(2 / 3),
    }
    assert result.about.tagset == "nkjp"
