"""Patterns of users: they match what Python's matcher does, and none takes forever."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.engine.expressions import Expression, expression

SAMPLES = [
    *("", "a", "b", "ab", "aab", "abab", "ABa", "NN", "NNS", "VBD", "subst:sg:gen", "a1_", "é", "\n", "aa\n", "x y"),
    *("aaa", "abcabc", "B-PER", "I-LOC", "ba", "bb"),
]
PATTERNS = [
    *(
        "a",
        "a*",
        "a+?b",
        "(a|b)*",
        "(a|ab)(c|bcd)*",
        "N.*",
        "[A-Z]+(?P<rest>S)?",
        r"\w+:(\w+):.*",
        "(?i)AB?a",
        "(?i:a)b",
    ),
    *(
        "(?!N).*",
        "(?=a)[ab]+",
        ".*(?<=b)",
        ".*(?<!b)",
        "a{2,3}",
        "(a{1,2}){2}",
        "^a$",
        "a|",
        "(|a)+",
        "(a*)*",
        "(a*)*b",
    ),
    *(
        r"\bab\b",
        r"(?s).",
        ".",
        "(?:a|b)+?",
        "([BI])-(.*)",
        "(?x) a  b # both",
        "[^a]",
        r"\d|\S\s\S",
        "(?-i:a)B",
        "a??",
    ),
]


def agrees(pattern: str, text: str) -> None:
    ours, theirs = Expression(pattern).fullmatch(text), re.fullmatch(pattern, text)
    assert (ours is None) == (theirs is None), (pattern, text)
    if ours is not None and theirs is not None:
        for number in range(1, theirs.re.groups + 1):
            span = (ours.get(2 * number, -1), ours.get(2 * number + 1, -1))
            assert span == theirs.span(number), (pattern, text, number)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_matches_is_what_python_matches(pattern):
    for text in SAMPLES:
        ours, theirs = Expression(pattern).fullmatch(text), re.fullmatch(pattern, text)
        assert (ours is None) == (theirs is None), text


@pytest.mark.parametrize("pattern", ["(a|ab)(c|bcd)*", "([BI])-(.*)", r"\w+:(\w+):.*", "(a+?)(a*)", "(a)|(b)|(.*)"])
def test_groups_are_those_of_python(pattern):
    for text in SAMPLES:
        agrees(pattern, text)


small = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\w"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{1,2}", "+?"])).map(lambda two: f"(?:{two[0]}){two[1]}"),
        inner.map(lambda one: f"(?={one}).*"),
    ),
    max_leaves=6,
)


@given(small, st.text("abc", max_size=6))
@example("(?:(?:a)*)*", "aa")
def test_any_pattern_matches_what_python_matches(pattern, text):
    assert (Expression(pattern).fullmatch(text) is None) == (re.fullmatch(pattern, text) is None)


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a|a?)+b", "(.*a){20}b", "a*" * 30 + "b", "(a*)*b", "(?=(a+)+b)a*"]
)
def test_no_pattern_takes_forever(pattern):
    """Each of these would keep Python's own matcher busy for years."""
    assert Expression(pattern).fullmatch("a" * 200) is None


@pytest.mark.parametrize(
    ("pattern", "fact"),
    [
        (r"(a)\1", "refers back"),
        ("(?>a+)b", "possessive"),
        ("a++b", "possessive"),
        ("((a{100}){100}){100}", "too long"),
        ("(", "unterminated"),
    ],
)
def test_what_cannot_be_matched_so_is_an_error(pattern, fact):
    with pytest.raises(re.error, match=fact):
        Expression(pattern)


@pytest.mark.parametrize(
    ("pattern", "template", "text"),
    [
        ("([BI])-(.*)", r"\2_\1", "B-PER"),
        ("(?P<first>.)(x)?.*", r"\g<first>\g<0>\2\n", "abc"),
        (".*", "plain", "abc"),
        ("(a)|(b)", r"[\1\2]", "b"),
    ],
)
def test_templates_are_filled_as_python_does(pattern, template, text):
    match = re.fullmatch(pattern, text)
    assert match is not None
    assert expression(pattern).expand(template, text) == match.expand(template)


def test_what_does_not_match_has_no_template():
    assert expression("a").expand("x", "b") is None
