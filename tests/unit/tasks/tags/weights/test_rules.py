"""Weights from the rules that a parser used."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.weights.rules import from_uses, read_grammar
from unit.samples import refusal, row

NKJP = find_tagset("nkjp")
F = Fraction
FULL = {
    "rule": "PP",
    "terminals": [
        {"word": 3, "pos": "prep", "refers": ["pos", "case"]},
        {"word": 4, "pos": "subst", "refers": ["case"]},
    ],
}
GRAMMAR = '{"PP": [{"refers": ["pos","case"]}, {"refers": ["case"], "repeat": true}]}'
USES = '{"id": "s1", "rules": [["PP", [3, 4, 5]]]}\n'


def sentence(*parses, **more):
    return json.dumps({"id": "s1", "parses": list(parses), **more}) + "\n"


def made(file, text, **options):
    return from_uses(file("uses.jsonl", text), **options)


def w(file, text, **options):
    return made(file, text, **options).weights.w


def test_the_full_form_of_the_specification(file):
    text = sentence({"prob": 1.0, "rules": [FULL]})
    assert w(file, text) == {"pos": 1, "case": 2, "*": 0}
    assert w(file, text, conditional=True) == {
        "prep": {"pos": 1, "case": 1},
        "subst": {"case": 1},
        "*": {"*": 0},
    }


def test_the_short_form_counts_each_word_of_a_repetition_once(file):
    grammar = file("grammar.json", GRAMMAR)
    found = made(file, USES, grammar=grammar, tagset=NKJP)
    assert found.weights.w == {"pos": 1, "case": 3, "*": 0}
    provenance = found.weights.provenance
    assert (provenance.source, provenance.unit) == ("parser-rules", "rules")
    assert provenance.inputs == ("uses.jsonl", "grammar.json")
    assert provenance.counts == {"sentences": 1, "parses": 1, "rules": 1, "terminals": 3}


def test_parses_count_by_probability_or_share_alike_or_fully(file):
    other = {"rule": "X", "terminals": [{"refers": ["number", "number"]}]}
    weighted = sentence({"prob": 0.7, "rules": [FULL]}, {"prob": 0.1, "rules": [other]})
    assert w(file, weighted) == {"pos": F(7, 10), "case": F(7, 5), "number": F(1, 10), "*": 0}
    alike = sentence({"rules": [FULL]}, {"rules": [other]}, {"rules": [FULL]})
    assert w(file, alike) == {"pos": F(2, 3), "case": F(4, 3), "number": F(1, 3), "*": 0}
    for text in (weighted, alike):
        assert w(file, text, all_parses=True)["number"] == 1


def test_a_rule_within_parses_may_be_short(file):
    grammar = file("g.json", GRAMMAR)
    assert w(file, sentence({"rules": [["PP", [1, 2]]]}, {"rules": [FULL]}), grammar=grammar)["case"] == 2


def test_parts_of_speech_come_from_the_corpus_that_was_parsed(file):
    grammar = file("g.json", GRAMMAR)
    words = [("a", "conj"), ("b", "conj"), ("w", "prep:loc"), ("x", "subst:sg:loc:n"), ("y", "adj:sg:loc:n:pos")]
    lines = "".join(row(number, form, xpos=tag) for number, (form, tag) in enumerate(words, 1))
    corpus = file("c.conllu", f"# sent_id = s1\n{lines}\n")
    options = {"grammar": grammar, "tagset": NKJP, "conditional": True, "corpus": corpus, "column": "XPOS"}
    assert w(file, USES, **options) == {
        "prep": {"pos": 1, "case": 1},
        "subst": {"case": 1},
        "adj": {"case": 1},
        "*": {"*": 0},
    }
    assert refusal(w, file, '{"id": "s2", "rules": [["PP", [3, 4]]]}', **options) == (
        "uses.jsonl:1: rule PP: c.conllu has no sentence 's2'. Its ids are those of `# sent_id`."
    )
    assert refusal(w, file, '{"id": "s1", "rules": [["PP", [3, 6]]]}', **options) == (
        "uses.jsonl:1: rule PP: no word 6 in sentence 's1' of c.conllu, which has 5 words."
    )
    assert refusal(w, file, USES, corpus=corpus) == ("the parts of speech of a corpus need a tagset. Give --tagset.")


def test_what_is_left_out_is_said(file):
    partly = {"rule": "X", "terminals": [{"refers": ["case"]}]}
    found = made(file, sentence({"rules": [FULL, partly]}) + sentence(), conditional=True)
    assert found.warnings == (
        "1 sentence without a parse.",
        "1 terminal left out because they have no part of speech.",
    )
    assert refusal(w, file, sentence({"rules": [partly]}), conditional=True) == (
        "uses.jsonl: no terminal has a part of speech, which conditional weights need. Give `pos` with the "
        "terminals, or the corpus that was parsed with --corpus."
    )
    assert refusal(w, file, sentence()) == "uses.jsonl: no rule refers to a category of a word."


def test_several_repetitions_take_lists_of_words(file):
    grammar = file("g.json", '{"R": [{"refers": ["case"], "repeat": true}, {"refers": ["pos"], "repeat": true}]}')
    assert w(file, '{"rules": [["R", [[1, 2, 3], [4]]]]}', grammar=grammar) == {"case": 3, "pos": 1, "*": 0}
    assert w(file, '{"rules": [["R", [1, 2]]]}', grammar=grammar) == {"case": 1, "pos": 1, "*": 0}
    assert refusal(w, file, '{"rules": [["R", [1, 2, 3]]]}', grammar=grammar) == (
        "uses.jsonl:1: rule R: several terminals are repeated. Write the words of each as a list, e.g. "
        "[3, [4, 5], [6]]."
    )


USE = '{"id": "s1", "rules": [["PP", [3, 4]]]}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", f"not JSON (Expecting property name enclosed in double quotes). Each line is one sentence, e.g. {USE}"),
        ("[]", f"no sentence. Each line is one, e.g. {USE}"),
        ("{}", f"neither `rules` nor `parses`. A sentence has one of them, e.g. {USE}"),
        ('{"parses": [1]}', "`parses` should be a list of parses, each with its `rules`."),
        (
            '{"parses": [{}]}',
            'a parse without a list of `rules`, e.g. [{"rule": "PP", "terminals": [{"word": 3, "pos": "prep", '
            '"refers": ["pos", "case"]}]}]',
        ),
        (
            '{"rules": [{"rule": "PP"}]}',
            'rule PP: no list of `terminals`, e.g. {"rule": "PP", "terminals": [{"word": 3, "pos": "prep", '
            '"refers": ["pos", "case"]}]}',
        ),
        (
            '{"rules": [{"rule": "PP", "terminals": [{"word": 3}]}]}',
            'rule PP: a terminal without a list `refers`, e.g. {"refers": ["pos", "case"]}.',
        ),
        (
            '{"rules": [{"rule": "PP", "terminals": [{"word": "x", "refers": []}]}]}',
            "rule PP: word 'x' is not a number.",
        ),
        (
            '{"rules": [{"rule": "PP", "terminals": [{"refers": ["kase"]}]}]}',
            "rule PP: tagset nkjp: there is no category 'kase'. Did you mean case or aspect?",
        ),
        (
            '{"rules": [["PP"]]}',
            'rule PP: should be its name and its words, e.g. ["PP", [3, 4]], or a table with its terminals.',
        ),
        (
            '{"rules": [5]}',
            'rule 1: should be its name and its words, e.g. ["PP", [3, 4]], or a table with its terminals.',
        ),
        ('{"rules": [["NP", [1]]]}', "rule NP: g.json: there is no rule 'NP'. Did you mean PP?"),
        ('{"rules": [["PP", [1]]]}', "rule PP: 1 word, but the grammar has 2 terminals."),
        ('{"rules": [["PP", [[1, 2], 3]]]}', "rule PP: 2 words for a terminal that is not repeated."),
        ('{"rules": [["PP", [1, "x"]]]}', "rule PP: word 'x' is not a number."),
        ('{"rules": [["PP", [1, 1]]]}', "rule PP: word 1 occurs twice."),
        ('{"parses": [{"prob": 2, "rules": []}]}', "prob 2 is not a number from 0 to 1."),
        ('{"parses": [{"prob": "x", "rules": []}]}', "prob x is not a number from 0 to 1."),
        ('{"parses": [{"prob": NaN, "rules": []}]}', "prob NaN is not a number from 0 to 1."),
        (
            '{"parses": [{"prob": 1, "rules": []}, {"rules": []}]}',
            "some parses have a `prob` and some do not. Give it to all or to none.",
        ),
    ],
)
def test_mistakes_are_named_with_line_and_rule(file, line, message):
    grammar = file("g.json", GRAMMAR)
    assert refusal(w, file, f"\n{line}\n", grammar=grammar, tagset=NKJP) == f"uses.jsonl:2: {message}"


def test_a_short_form_needs_a_grammar(file):
    assert refusal(w, file, USES) == (
        "uses.jsonl:1: rule PP: only its name and its words are given. Give a --grammar that lists what each rule "
        "refers to."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n", "g.json:2: not JSON (Expecting property name enclosed in double quotes)."),
        (
            "[]",
            "g.json: a grammar is a table of rules and their terminals, e.g. "
            '{"PP": [{"refers": ["pos", "case"]}, {"refers": ["case"], "repeat": true}]}',
        ),
        ('{"PP": [{}]}', 'g.json: rule PP: a terminal without a list `refers`, e.g. {"refers": ["pos", "case"]}.'),
        (
            '{"PP": [{"refers": ["kas"]}]}',
            "g.json: rule PP: tagset nkjp: there is no category 'kas'. Did you mean case?",
        ),
    ],
)
def test_grammars_that_are_none_are_refused(file, text, message):
    assert refusal(read_grammar, file("g.json", text), NKJP) == message


def test_short_names_of_categories_will_do(file):
    grammar = read_grammar(file("g.json", '{"PP": [{"refers": ["cas"]}]}'), NKJP)
    assert grammar["PP"][0][0] == {"case"}


@given(data=st.data(), times=st.integers(1, 3))
def test_order_changes_nothing_and_repeating_scales(data, times, tmp_path_factory):
    path = tmp_path_factory.mktemp("u") / "u.jsonl"
    other = {"rule": "X", "terminals": [{"pos": "adj", "refers": ["number"]}]}
    lines = [sentence({"rules": [FULL, other]}), sentence({"rules": [other]}, {"rules": [FULL]}), sentence()]

    def weights(chosen):
        path.write_text("".join(chosen), "utf-8")
        return from_uses(str(path)).weights

    once = weights(lines)
    many = weights(data.draw(st.permutations(lines * times)))
    assert many.w == {key: value * times for key, value in once.w.items()}
    assert many.normalised().w == once.normalised().w
