"""Tables of weights: presets, files, fallbacks, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.weights import (
    Provenance,
    Weights,
    check_categories,
    check_weights,
    dump_weights,
    load_weights,
    presets,
)
from unit.samples import refusal

HALF = Fraction(1, 2)
CWPA = """{"kind": "cwpa", "source": "ambiguity", "denominator": "words_with_category",
 "w": {"subst": {"pos": "4", "number": "1", "case": "3", "gender": "1"}, "*": {"pos": 1, "*": 0}}}"""


def test_presets():
    assert list(presets()) == ["equal", "paper", "poliqarp"]
    assert load_weights("equal").of("subst", "pos") == load_weights("equal").of("subst", "case") == 1
    assert load_weights("paper").of("ger", "case") == load_weights("paper").of("ger", "pos") == 2
    assert load_weights("paper").of("ger", "aspect") == HALF
    assert load_weights("poliqarp").of("x", "case") == 14055


def test_the_examples_of_the_specification(file):
    path = file(
        "w.json",
        '{"kind": "wpa",  "source": "query-log", "unit": "queries", "w": {"pos": 37771, "case": 14055, "*": 0}}',
    )
    weights = load_weights(path)
    assert (weights.of("x", "pos"), weights.of("x", "case"), weights.of("x", "degree")) == (37771, 14055, 0)
    assert (weights.provenance.source, weights.provenance.unit) == ("query-log", "queries")
    weights = load_weights(file("c.json", CWPA))
    assert weights.of("subst", "pos") == 4
    assert weights.of("subst", "case") == 3
    assert weights.of("adj", "pos") == 1
    assert weights.of("adj", "case") == 0
    assert weights.provenance.denominator == "words_with_category"


def test_what_is_not_listed_takes_the_nearest_fallback():
    rows = {"a": {"c": Fraction(1), "*": Fraction(2)}, "b": {"c": Fraction(3)}, "*": {"d": Fraction(4)}}
    weights = Weights("cwpa", rows)
    assert weights.of("a", "d") == 2
    assert weights.of("b", "d") == 4
    assert weights.of("x", "d") == 4
    assert weights.of("b", "e") is None
    assert weights.of("x", "pos") is None
    assert Weights("wpa", {"c": Fraction(1)}).of("a", "pos") is None


def test_toml_and_numbers_of_all_kinds(file):
    path = file("w.toml", 'kind = "wpa"\n[w]\npos = 0.1\ncase = "1/3"\nnumber = 2e1\n"*" = 0\n')
    assert load_weights(path).w == {"pos": Fraction(1, 10), "case": Fraction(1, 3), "number": 20, "*": 0}
    assert load_weights(file("w", '\ufeff{"kind": "wpa", "w": {"pos": 0.1}}')).w == {"pos": Fraction(1, 10)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "w.json:1: weights are a table with the keys kind and w."),
        ('{"kind":\n', "w.json:2: not JSON (Expecting value)."),
        ('{"w": {"pos": 1}}', "w.json:1: no `kind`. Weights have one of: wpa, cwpa."),
        ('{\n"kind": "cwp", "w": {}}', "w.json:2: there is no kind of weights 'cwp'. Did you mean cwpa or wpa?"),
        (
            '{"kind": "wpa"}',
            'w.json:1: no table `w` with the weights, e.g. {"kind": "wpa", "w": {"pos": 2, "case": "1/2", "*": 0}}.',
        ),
        (
            '{"kind": "wpa",\n"w": {}}',
            'w.json:2: no table `w` with the weights, e.g. {"kind": "wpa", "w": {"pos": 2, "case": "1/2", "*": 0}}.',
        ),
        (
            '{"kind": "wpa",\n"w": {"pos": 1,\n"case": -1}}',
            "w.json:3: w.case is -1, but a weight is 0 or more.",
        ),
        (
            '{"kind": "wpa",\n"w": {"pos": 1,\n"case": "-1/2"}}',
            "w.json:3: w.case is -1/2, but a weight is 0 or more.",
        ),
        (
            '{"kind": "wpa", "w": {"pos": "x"}}',
            'w.json:1: w.pos is x, but a weight is a number such as 2, 0.5 or "1/2".',
        ),
        (
            '{"kind": "wpa", "w": {"pos": "1/0"}}',
            'w.json:1: w.pos is 1/0, but a weight is a number such as 2, 0.5 or "1/2".',
        ),
        (
            '{"kind": "wpa", "w": {"pos": NaN}}',
            'w.json:1: w.pos is NaN, but a weight is a number such as 2, 0.5 or "1/2".',
        ),
        (
            '{"kind": "wpa", "w": {"pos": Infinity}}',
            'w.json:1: w.pos is Infinity, but a weight is a number such as 2, 0.5 or "1/2".',
        ),
        (
            '{"kind": "wpa", "w": {"pos": true}}',
            'w.json:1: w.pos is true, but a weight is a number such as 2, 0.5 or "1/2".',
        ),
        (
            '{"kind": "wpa", "w": {"pos": 1e999999999}}',
            'w.json:1: w.pos is 1e999999999, but a weight is a number such as 2, 0.5 or "1/2".',
        ),
        (
            '{"kind": "cwpa", "w": {"subst":\n{"case": 1},\n"adj": {"case": null}}}',
            'w.json:3: w.adj.case is null, but a weight is a number such as 2, 0.5 or "1/2".',
        ),
        (
            '{"kind": "cwpa", "w": {"pos": 1}}',
            "w.json:1: w.pos should be a table, because the weights of cwpa are given per part of speech, e.g. "
            '{"kind": "cwpa", "w": {"subst": {"pos": 2, "case": 1}, "*": {"*": 0}}}.',
        ),
        (
            '{"kind": "wpa", "w": {"pos": 1,\n"pos": 2}}',
            "w.json:1: the key 'pos' comes twice in one table. Keep one of them.",
        ),
        (
            '{"kind": "wpa", "w": {"pos": 1}, "units": "x"}',
            "w.json:1: there is no key 'units' of a weights file. Did you mean unit or counts or inputs?",
        ),
        ('{"kind": "wpa", "w": {"pos": 1}, "inputs": "x"}', "w.json:1: inputs should be a list of file names."),
        ('{"kind": "wpa", "w": {"pos": 1}, "counts": [1]}', "w.json:1: counts should be a table of whole numbers."),
    ],
)
def test_files_that_are_no_weights_are_refused_with_place_and_key(file, text, message):
    assert refusal(load_weights, file("w.json", text)) == message


def test_toml_mistakes(file):
    assert refusal(load_weights, file("w.toml", 'kind = "wpa"\n[w]\npos = nan\n')) == (
        'w.toml:3: w.pos is nan, but a weight is a number such as 2, 0.5 or "1/2".'
    )
    assert refusal(load_weights, file("w.toml", "kind = \n")).startswith("w.toml:1: not TOML (Invalid value")
    assert refusal(load_weights, file("w.toml", 'kind = "cwpa"\n[w.subst]\npos = 1\n[w.adj]\npos = -2\n')) == (
        "w.toml:5: w.adj.pos is -2, but a weight is 0 or more."
    )


def test_names_that_are_none():
    assert refusal(load_weights, "poliqap") == (
        "there is no preset of weights 'poliqap'. Did you mean poliqarp or paper?"
    )
    assert refusal(load_weights, "none.json") == "none.json: cannot be opened (no such file or directory)."


def test_dump_has_a_stable_order_and_exact_numbers():
    table = {"*": Fraction(0), "case": HALF, "pos": Fraction(2), "aspect": Fraction(1)}
    provenance = Provenance("query-log", "queries", "", ("log",), {"queries": 3}, "2010-08-23")
    assert dump_weights(Weights("wpa", table, provenance)) == (
        '{\n  "kind": "wpa",\n  "source": "query-log",\n  "unit": "queries",\n  "inputs": [\n    "log"\n  ],\n'
        '  "counts": {\n    "queries": 3\n  },\n  "date": "2010-08-23",\n'
        '  "w": {\n    "pos": 2,\n    "aspect": 1,\n    "case": "1/2",\n    "*": 0\n  }\n}\n'
    )


fractions = st.fractions(0, 100)
rows = st.dictionaries(st.text(min_size=1, max_size=5), fractions, min_size=1, max_size=4)
tables = st.one_of(
    st.builds(Weights, st.just("wpa"), rows),
    st.builds(Weights, st.just("cwpa"), st.dictionaries(st.text(max_size=5), rows, min_size=1, max_size=3)),
)


@given(weights=tables)
def test_what_is_written_is_read_back_the_same(weights, tmp_path_factory):
    path = tmp_path_factory.mktemp("w") / "w.json"
    path.write_text(dump_weights(weights), "utf-8", errors="surrogatepass")
    assert load_weights(str(path)) == weights


@given(weights=tables)
def test_normalised_weights_sum_to_one_and_keep_their_proportions(weights):
    scaled = weights.normalised()
    total = sum(weight for row in weights.rows.values() for weight in row.values())
    if not total:
        assert scaled == weights
        return
    assert sum(weight for row in scaled.rows.values() for weight in row.values()) == 1
    for pos, row in weights.rows.items():
        assert all(scaled.of(pos, key) * total == weight for key, weight in row.items())


def test_presets_survive_a_round_trip(file):
    for name, weights in presets().items():
        assert load_weights(file(f"{name}.json", dump_weights(weights))) == weights


def test_categories_that_the_tagset_does_not_have_are_refused():
    weights = Weights("wpa", {"pos": Fraction(1), "kase": Fraction(1), "*": Fraction(0)})
    assert refusal(check_categories, weights, find_tagset("nkjp")) == (
        "tagset nkjp: there is no category 'kase'. Did you mean case or aspect?"
    )
    check_categories(weights, find_tagset("ud"))
    check_categories(weights, find_tagset("ptb"))
    check_categories(Weights("cwpa", {"x": {"case": Fraction(1)}}), find_tagset("nkjp"))


def test_a_preset_may_know_more_categories_than_a_tagset_but_not_only_others():
    check_categories(load_weights("poliqarp"), find_tagset("sgjp"))
    check_categories(load_weights("equal"), find_tagset("mte-sl"))
    check_categories(load_weights("poliqarp"), find_tagset("mte-sl"))
    poliqarp = load_weights("poliqarp")
    assert poliqarp.of("N", "Case") == poliqarp.of("N", "case"), "Case and case are one category"
    other = Weights("wpa", {"pos": Fraction(1), "colour": Fraction(1)})
    assert refusal(check_categories, other, find_tagset("mte-sl")).startswith(
        "tagset mte-sl: there is no category 'colour'."
    )


def test_weights_without_weight_are_warned_about():
    zero = Fraction(0)
    assert check_weights(Weights("wpa", {"pos": zero, "*": zero})) == [
        "all weights are 0, so identical tags score 1 and all others 0."
    ]
    weights = Weights("cwpa", {"subst": {"pos": Fraction(1)}, "ger": {"case": zero}, "verb": {"pos": Fraction(1)}})
    weightless = "the total weight is 0 for class ger, so identical tags score 1 and all others 0."
    assert check_weights(weights) == [weightless]
    assert check_weights(load_weights("poliqarp")) == check_weights(load_weights("equal"), find_tagset("nkjp")) == []
    found = check_weights(weights, find_tagset("nkjp"))
    assert found[0] == "the tagset nkjp has no class verb, so these weights are never used."
    assert found[1].startswith("the total weight is 0 for class adja, adjp, ")
    assert found[1].endswith(" and 25 more, so identical tags score 1 and all others 0.")
    only_case = Weights("wpa", {"case": Fraction(1), "*": zero})
    assert check_weights(only_case) == []
    assert "conj" in check_weights(only_case, find_tagset("nkjp"))[0]
