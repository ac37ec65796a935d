"""Weights from logs of corpus queries."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.weights.cqp import QueryError, parse_sequence
from assay.tasks.tags.weights.patterns import parts_of_speech, restricted_positions
from assay.tasks.tags.weights.queries import Attributes, from_log, read_aliases
from unit.samples import refusal, row

NKJP = find_tagset("nkjp")
NAMES = Attributes(NKJP)
F = Fraction


def involved(query, attributes=NAMES):
    return set().union(*(attributes.count_mentions(expression) for expression in parse_sequence(query)[0]))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # the specification
        ("[case=acc & pos=subst]", "case pos"),
        ('[pos="adj|ppas" & case!=nom] []{0,2} [pos=subst]', "pos case"),
        ('[tag="subst:sg:gen:.*"]', "pos number case"),
        ('[orth="uda"]', ""),
        ('"uda"', ""),
        ("[cas=acc]", "case"),
        ("[nmb=sg]", "number"),
        ("[post-prepositionality=praep]", "post_prepositionality"),
        ('[base="a" & lemma="b" & word="c"]', ""),
        # operators
        *((f"[case{operator}gen]", "case") for operator in ("=", "!=", "==", "~", "~~", "!~", "!==", "!~~")),
        ("[case = 'gen' & number != \"sg\"]", "case number"),
        ('[feats contains "x" & case not contains "gen"]', "case"),
        # logic
        ("[!(case=gen | number=sg) & !gender=f]", "case number gender"),
        ("[(pos=subst)&(case=gen)]", "pos case"),
        ("[pos=subst|adj]", "pos"),
        ("[pos=subst|case=gen]", "pos case"),
        # brackets and quotes in quotes, escapes, flags
        (r'[orth="a[]x]b\"]" & case=gen]', "case"),
        ('[orth="\\["] [case=gen]', "case"),
        ('[orth="a ""case=gen"" b"]', ""),
        ('[base=pies/i & case="gen"%c & number="sg" %cd]', "case number"),
        ('"uda"%c [case=gen]', "case"),
        ("pies/i [case=gen]", "case"),
        # repetition, groups, labels, structure
        ("([case=gen]|[number=sg]){2,3} [gender=f]+ [person=ter]* [degree=sup]?", "case number gender person degree"),
        ("a:[pos=subst] @[case=gen] @1:[number=sg]", "pos case number"),
        ('<s> [case=gen] </s> <ne type="x"> [] </ne>', "case"),
        ("[:case=gen:]", "case"),
        ("A = [case=gen];", "case"),
        # clauses
        ("[case=gen] within s", "case"),
        ("[case=gen] within <number/> cut 5", "case"),
        ("[case=gen] meta number=1", "case"),
        ("a:[case=gen] b:[] :: a.number = b.number within s", "case number"),
        ('[case=gen] :: match.text_year > "1990" & f(x)', "case"),
        # whole tags
        ('[tag=".*:gen:.*"]', "case"),
        ('[tag="(subst|depr):pl:(nom|acc):m."]', "pos number case gender"),
        ('[tag="subst:(sg:nom|pl:gen):.*"]', "pos number case"),
        ('[tag="ppron3:sg:acc:m1:ter:npraep"]', "pos number case gender person post_prepositionality"),
        ('[tag="prep:.*:wok"]', "pos vocalicity"),
        ('[tag="subst.*"]', "pos"),
        ('[tag="subst:sg.*"]', "pos number"),
        ('[tag="subst:[^:]+:gen:.*"]', "pos case"),
        ('[tag=".*gen.*"]', "case"),
        ('[tag="adj:.*:com"]', "pos degree"),
        ('[tag="adj:sg:nom:f:pos"]', "pos number case gender degree"),
        ('[tag="subst:.*|adj:.*:gen:.*"]', "pos case"),
        ('[tag!="subst:.*"]', "pos"),
        ("[tag=subst:sg:gen:m1]", "pos number case gender"),
        ('[tag=".*"]', ""),
        ("[foo=bar & case=gen]", "case"),
        ("[]", ""),
        ("uda się", ""),
    ],
)
def test_categories_that_a_query_involves(query, expected):
    assert involved(query) == set(expected.split())


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("[] [case=gen", "a bracket is not closed at character 4"),
        ("[case gen]", "an operator is expected after case at character 7"),
        ('[case="gen]', "a quotation is not closed at character 7"),
        ('[case="gen" within s]', "'w' is not expected at character 13"),
        ("[case=]", "a value is expected at character 7"),
        ("[=gen]", "the name of an attribute is expected at character 2"),
        ("[(case=gen]", "a parenthesis is not closed at character 11"),
        ("([case=gen]", "a parenthesis is not closed at character 12"),
        ("[case=gen])", "a parenthesis that was never opened at character 11"),
        ("[case=gen]]", "']' is not expected at character 11"),
        ("[:case=gen]", "`:]` is expected at character 11"),
    ],
)
def test_queries_that_cannot_be_read(query, message):
    with pytest.raises(QueryError) as caught:
        parse_sequence(query)[0]
    assert str(caught.value) == message


@given(st.text(alphabet="[]()&|!=~\"'\\{},.:@<>/%;a1 ", max_size=25))
def test_no_text_breaks_the_parser(text):
    with suppress(QueryError):
        parse_sequence(text)


@pytest.mark.parametrize(
    ("tagset", "pattern", "expected", "pos"),
    [
        ("mte-sl", "Nc.*", "pos Type", {"N"}),
        ("mte-sl", "N..[sp]g", "pos Number Case", {"N"}),
        ("mte-sl", "(Nc.*|Va.*)", "pos Type", {"N", "V"}),
        ("mte-sl", ".*", "", None),
        ("pdt", "NNMS1.*", "pos SubPOS Gender Number Case", {"N"}),
        ("pdt", ".{4}1.*", "Case", None),
        ("pdt", "N.*-", "pos Var", {"N"}),
        ("ud", ".*Case=Acc.*", "Case", None),
        ("ud", r"NOUN .*Number\[psor\]=Sing.*", "pos Number[psor]", {"NOUN"}),
        ("ptb", "JJ.*", "pos", {"JJ", "JJR", "JJS"}),
        ("atomic", "A|B", "pos", {"A", "B"}),
        ("atomic", "A.*", "pos", None),
    ],
)
def test_patterns_on_whole_tags_of_other_tagsets(tagset, pattern, expected, pos):
    assert restricted_positions(pattern, find_tagset(tagset)) == set(expected.split())
    assert parts_of_speech(pattern, find_tagset(tagset)) == pos


def test_attributes_of_tagsets_that_bring_their_own_categories():
    names = Attributes(find_tagset("ud"))
    assert involved('[upos="NOUN" & Case="Acc" & feats=".*Number=Sing.*" & text_id="x"]', names) == {
        "pos",
        "Case",
        "Number",
    }


# --- logs ---


def made(file, text, tagset=NKJP, **options):
    return from_log(file("log", text), tagset, **options)


def w(file, text, **options):
    return made(file, text, **options).weights.w


LOG = '[case=acc & pos=subst]\n3\t[pos="adj|ppas" & case!=nom] []{0,2} [pos=subst]\n"uda"\n\n'


def test_categories_count_once_per_query_or_each_time(file):
    assert w(file, LOG) == {"case": 4, "pos": 4, "*": 0}
    assert w(file, LOG, unit="mentions") == {"case": 4, "pos": 7, "*": 0}
    provenance = made(file, LOG).weights.provenance
    assert (provenance.source, provenance.unit, provenance.inputs) == ("query-log", "queries", ("log",))
    assert provenance.counts == {"queries": 5, "lines": 3, "unread": 0}


def test_lines_that_cannot_be_read_are_counted_and_listed(file):
    found = made(file, '[case=gen\n[case=gen]\n2.5\t[case=gen]\n[pos="(subst"]\n[foo=x]\n')
    assert found.weights.w == {"case": 1, "*": 0}
    assert found.warnings == (
        "3 lines of log could not be read.",
        "log:1: a bracket is not closed at character 1: [case=gen",
        "log:3: the count '2.5' is not a whole number: [case=gen]",
        "log:4: '(subst' is not a regular expression (missing ), unterminated subpattern at position 0): "
        '[pos="(subst"]',
        "attributes that the tagset nkjp does not have: foo (1). Map them with --aliases.",
    )
    many = made(file, "[case=gen\n" * 12 + "[case=gen]\n")
    assert len(many.warnings) == 12
    assert many.warnings[-1] == "… and 2 more lines."


def test_refusals(file):
    assert refusal(made, file, "uda\n") == (
        "log: no query about a category of the tagset nkjp. None of its queries names one."
    )
    assert refusal(made, file, "[\n") == (
        "log: no query about a category of the tagset nkjp. 1 line of log could not be read."
    )
    assert refusal(made, file, LOG, unit="words") == "there is no unit 'words'. Available: queries, mentions."
    assert refusal(made, file, LOG, count="all") == "there is no way to count 'all'. Available: shares, words."


def test_aliases(file):
    tabbed = file("a.tsv", "# names\nprzyp\tcase\nczm\tpos\nhasło\tlemma\n")
    assert read_aliases(tabbed, NKJP) == {"przyp": "case", "czm": "pos", "hasło": "lemma"}
    assert read_aliases(file("a.json", '{"przyp": "cas"}'), NKJP) == {"przyp": "cas"}
    assert w(file, '[przyp=gen & hasło="a"] [czm=subst]\n', aliases=tabbed) == {"case": 1, "pos": 1, "*": 0}
    assert refusal(read_aliases, file("b.tsv", "x\tcase\n\ny\tkase\n"), NKJP) == (
        "b.tsv:3: tagset nkjp: there is no category 'kase'. Did you mean case or aspect?"
    )
    assert refusal(read_aliases, file("b.tsv", "x\n"), NKJP) == (
        "b.tsv:1: an alias is a line: alias TAB category, e.g. cas TAB case."
    )
    assert refusal(read_aliases, file("b.json", '{"x"}'), NKJP) == "b.json:1: not JSON (Expecting ':' delimiter)."
    assert refusal(read_aliases, file("b.json", '{\n"x": "kase"}'), NKJP).startswith("b.json:2: tagset nkjp: ")


# --- conditional ---


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("[pos=subst]", {"subst"}),
        ('[pos="adj|ppas" & case=gen]', {"adj", "ppas"}),
        ('[tag="(subst|depr):pl:.*"]', {"subst", "depr"}),
        ("[pos=subst & case=gen | pos=adj]", {"subst", "adj"}),
        ("[pos=subst | case=gen]", None),
        ("[case=gen]", None),
        ("[]", None),
        ('[pos="subst|adj" & pos!=adj]', {"subst"}),
        ("[!(pos!=subst | case=gen)]", {"subst"}),
        ('[pos=".*"]', None),
        ("[pos=noun]", None),
    ],
)
def test_parts_of_speech_that_a_bracket_fixes(query, expected):
    assert NAMES.fixed_pos(parse_sequence(query)[0][0]) == expected


def test_the_opposite_of_a_part_of_speech_fixes_the_others():
    assert NAMES.fixed_pos(parse_sequence("[pos!=subst]")[0][0]) == frozenset(NKJP.pos) - {"subst"}
    assert NAMES.fixed_pos(parse_sequence('[tag!="subst:sg:.*"]')[0][0]) is None


def test_approximate_conditional_weights(file):
    log = '2\t[pos="subst|conj" & case=gen]\n[case=gen]{5}\n[pos=subst & case=gen & case!=nom] [case=acc]\n'
    found = made(file, log, conditional=True)
    # conj has no case, so the case of the first query is that of subst alone.
    assert found.weights.w == {
        "subst": {"pos": 3, "case": 4},
        "conj": {"pos": 2},
        "*": {"case": 2, "*": 0},
    }
    assert found.weights.of("adj", "case") == 2
    assert found.weights.of("adj", "pos") == 0
    assert found.weights.provenance.note == "approximate: parts of speech as far as the queries name them"
    mentions = w(file, log, conditional=True, unit="mentions")
    assert mentions["subst"] == {"pos": 3, "case": 6}
    assert mentions["*"]["case"] == 2


WORDS = (
    ("domu", "dom", "subst:sg:gen:m3"),
    ("kota", "kot", "subst:sg:gen:m2"),
    ("kota", "kot", "subst:sg:acc:m2"),
    ("dużego", "duży", "adj:sg:gen:m3:pos"),
    ("bez", "bez", "prep:gen:nwok"),
    ("śpi", "spać", "fin:sg:ter:imperf"),
    ("xyz", "xyz", "NN"),
)


@pytest.fixture
def corpus(file):
    lines = "".join(row(number, form, lemma=lemma, xpos=tag) for number, (form, lemma, tag) in enumerate(WORDS, 1))
    return {"corpus": file("c.conllu", lines + "\n"), "column": "XPOS"}


def test_a_query_is_shared_out_over_the_words_it_matches(file, corpus):
    """Section 2.4: the parts of speech of genitive words are found out by running the query on the corpus."""
    found = made(file, "4\t[case=gen]\n", **corpus)
    assert found.weights.kind == "cwpa"
    assert found.weights.w == {"subst": {"case": 2}, "adj": {"case": 1}, "prep": {"case": 1}, "*": {"*": 0}}
    assert found.weights.provenance.note == "by the words of c.conllu that the queries match, counted as shares"
    assert w(file, "4\t[case=gen]\n", count="words", **corpus)["subst"] == {"case": 8}


def test_shares_add_up_to_the_unconditional_counts(file, corpus):
    log = '3\t[case=gen & number=sg]\n[pos!=prep & case=gen]\n2\t[tag=".*:gen:.*"]\n'
    for unit in ("queries", "mentions"):
        absolute = w(file, log, unit=unit)
        rows = w(file, log, unit=unit, **corpus)
        for category in ("pos", "case", "number"):
            assert sum(table.get(category, 0) for table in rows.values()) == absolute[category]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('[base="k.*" & case=gen]', {"subst": 1}),
        ("[orth=kota & case!=gen]", {"subst": 1}),
        ("[case=acc | !(pos=subst) & case=gen]", {"subst": F(1, 3), "adj": F(1, 3), "prep": F(1, 3)}),
        ('[orth="DOMU"%c & case=gen]', {"subst": 1}),
        ('[orth="DOMU"/i & case=gen]', {"subst": 1}),
        ('[orth="duzego"%d & case=gen]', {"adj": 1}),
        ('[orth="om"/x & case=gen]', {"subst": 1}),
        ('[tag="adj:.*:gen:.*"]', {"adj": 1}),
        ('[case="gen|acc" & number=sg]', {"subst": F(3, 4), "adj": F(1, 4)}),
        # a word without case is no word about whose case anything is said
        ("[case!=gen]", {"subst": 1}),
    ],
)
def test_words_that_match_an_expression(file, corpus, query, expected):
    rows = w(file, f"{query}\n", **corpus)
    assert {pos: table["case"] for pos, table in rows.items() if "case" in table} == expected


def test_what_cannot_be_matched_is_said(file, corpus):
    log = "[case=gen]\n[case=voc]\n2\t[case=gen & foo=x]\n:: a.case = b.case\n"
    assert made(file, log, **corpus).warnings == (
        "attributes that the tagset nkjp does not have: foo (2). Map them with --aliases.",
        "2 token expressions left out, because the corpus has nothing to test: case (1), foo (1).",
        "1 query left out, because no word of the corpus with the category matches.",
    )


def test_a_tag_outside_the_tagset_is_a_part_of_speech(file, corpus):
    assert w(file, "[pos=NN]\n", **corpus)["NN"] == {"pos": 1}


QUERIES = ("[case=acc & pos=subst]", "2\t[pos=adj]", "[number=sg] [case=gen]", "[case", "uda")


@given(data=st.data(), times=st.integers(1, 3))
def test_order_changes_nothing_and_repeating_scales(data, times, tmp_path_factory):
    path = tmp_path_factory.mktemp("q") / "log"

    def weights(lines, **options):
        path.write_text("\n".join(lines), "utf-8")
        return from_log(str(path), NKJP, **options).weights

    many = data.draw(st.permutations(QUERIES * times))
    for options in ({}, {"unit": "mentions"}, {"conditional": True}):
        once, often = weights(QUERIES, **options), weights(many, **options)
        for pos, table in once.rows.items():
            assert {key: weight * times for key, weight in table.items()} == often.rows[pos]
        assert once.normalised().w == often.normalised().w


def test_a_query_asked_many_times_is_one_query_with_a_count(file):
    text = "[case=gen]\n2\t[case=gen]\nx\n[case=gen]\n2.5\t[case=gen]\n"
    found = made(file, text)
    assert found.weights.w == {"case": 4, "*": 0}
    assert found.weights.provenance.counts == {"queries": 5, "lines": 5, "unread": 1}
