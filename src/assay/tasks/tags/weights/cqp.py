"""Corpus queries in the style of CQP and Poliqarp, read as far as needed to know which words they ask for.

A query is a sequence of token expressions: `[pos="adj|ppas" & case!=nom] []{0,2} "uda"%c within s`. Labels,
repetitions, structural tags and the clauses at its end are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from assay.engine.expressions import Expression as Pattern
from assay.engine.expressions import expression

FORM = "form"
"""The attribute that a quoted string or a bare word outside brackets is about."""

_OPERATORS = ("!==", "!~~", "==", "~~", "!=", "!~", "<=", ">=", "=", "~", "<", ">")
_STRING = re.compile(r'"((?:[^"\\]|\\.|"")*)"|\'((?:[^\'\\]|\\.)*)\'')
_NAME = re.compile(r"[^\W\d][\w-]*(?:\[\w+\])?(?:\.[^\W\d][\w-]*)?")
_BARE = re.compile(r"(?:[^\s\[\](){}&|!=~<>\"'%/;:]|:(?!\]))+")
_FLAGS = re.compile(r"\s*%([a-zA-Z]+)|/([a-zA-Z]+)(?![\w/])")
_SPACE = re.compile(r"\s*")
_WORD_OPERATOR = re.compile(r"(not\s+)?(contains|matches)\b")

_CLAUSE = re.compile(r"(?:within|meta)\b|cut\s+\d|expand\s+(?:left|right|to)\b|::")
_SKIPPED = re.compile(
    r"""\s+ | \{\s*\d*\s*(?:,\s*\d*\s*)?\} | [*+?|&!;,]
      | </?[A-Za-z][\w:.-]*(?:\s[^<>]*|=[^<>]*)?/?>      # structural tags
      | @\d?:? | [^\W\d]\w*\s*:(?=\s*[\["'(@])           # targets and labels
    """,
    re.VERBOSE,
)
_REPEAT = re.compile(r"\s*(?:(?P<mark>[*+?])|\{\s*(?P<low>\d*)\s*(?P<comma>,\s*(?P<high>\d*)\s*)?\})")
Repeat = tuple[int, int | None]
"""The least and the greatest number of times; None: any number."""
_WORD = re.compile(r"[^\s\[\](){}|\"'<>;@&*+?!]+")
_ASSIGNED = re.compile(r"\s*[A-Z]\w*\s*=\s*(?=[\[\"'(<@])")


@dataclass(frozen=True)
class Test:
    """`case != "nom|acc" %c`; the value None stands for what cannot be tested, such as another word's attribute."""

    attribute: str
    value: str | None
    negated: bool = False
    flags: str = ""
    operator: str = "="


@dataclass(frozen=True)
class Not:
    """The opposite of an expression."""

    of: Expression


@dataclass(frozen=True)
class All:
    """Every one of the parts; with no parts, any word."""

    of: tuple[Expression, ...]


@dataclass(frozen=True)
class Either:
    """At least one of the parts."""

    of: tuple[Expression, ...]


Expression = Test | Not | All | Either


class QueryError(Exception):
    """A query that cannot be read: what is wrong, and where in it."""


def parse_sequence(query: str) -> tuple[list[Expression], list[Repeat] | None]:
    """The token expressions of a query in their order, and how often each may follow itself.

    Global constraints (`:: a.case = b.case`) come last. Groups, alternatives of sequences, structural tags and such
    constraints make a query more than a plain sequence: then there are no repetitions.
    """
    parser = _Parser(query)
    found = parser.query()
    return found, parser.repeats if parser.plain and len(parser.repeats) == len(found) else None


def tests(expression: Expression) -> Iterator[Test]:
    """All attribute tests within an expression."""
    if isinstance(expression, Test):
        yield expression
    elif isinstance(expression, Not):
        yield from tests(expression.of)
    else:
        for part in expression.of:
            yield from tests(part)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.repeats: list[Repeat] = []
        self.plain = True

    def fail(self, fact: str) -> NoReturn:
        raise QueryError(f"{fact} at character {self.place + 1}")

    # --- the sequence ---

    def query(self) -> list[Expression]:
        found: list[Expression] = []
        depth = 0
        if match := _ASSIGNED.match(self.text):
            self.place = match.end()
        while self.place < len(self.text):
            here = self.text[self.place]
            if match := _CLAUSE.match(self.text, self.place):
                found += self._constraint(match[0])
                break
            if here in "()|<&!":
                self.plain = False
            if here in "()":
                depth += 1 if here == "(" else -1
                if depth < 0:
                    self.fail("a parenthesis that was never opened")
                self.place += 1
            elif here == "[":
                found.append(self._bracket())
                self.repeats.append(self._repeat())
            elif here in "\"'":
                found.append(Test(FORM, self._string(), flags=self._flags()))
                self.repeats.append(self._repeat())
            elif match := _SKIPPED.match(self.text, self.place):
                self.place = match.end()
            elif match := _WORD.match(self.text, self.place):
                self.place = match.end()
                word, _, flags = match[0].partition("/")
                found.append(Test(FORM, word, flags=flags))
                self.repeats.append(self._repeat())
            else:
                self.fail(f"{here!r} is not expected")
        if depth:
            self.fail("a parenthesis is not closed")
        return found

    def _repeat(self) -> Repeat:
        """How often what was just read may follow itself: `{2,5}`, `+`, `*`, `?`, or once."""
        match = _REPEAT.match(self.text, self.place)
        if not match:
            return 1, 1
        self.place = match.end()
        if match["mark"]:
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[match["mark"]]
        low = int(match["low"] or 0)
        if match["comma"] is None:
            return low, low
        return low, int(match["high"]) if match["high"] else None

    def _constraint(self, clause: str) -> list[Expression]:
        """What follows `::`, if it can be read; metadata and the rest are no business of ours."""
        if clause != "::":
            return []
        self.place += 2
        try:
            return [self._either()]
        except QueryError:
            return []

    def _bracket(self) -> Expression:
        opened = self.place
        self.place += 1
        zero_width = self._take(":")
        self._space()
        expression: Expression = All(()) if self._ahead() in ("]", ":") else self._either()
        if zero_width and not self._take(":"):
            self.fail("`:]` is expected")
        if not self._take("]"):
            if self.place >= len(self.text):
                self.place = opened
                self.fail("a bracket is not closed")
            self.fail(f"{self._ahead()!r} is not expected")
        return expression

    # --- within brackets ---

    def _either(self) -> Expression:
        parts = [self._all()]
        while self._take("|"):
            self._take("|")
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _all(self) -> Expression:
        parts = [self._not()]
        while self._take("&"):
            self._take("&")
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _not(self) -> Expression:
        if self._take("!"):
            return Not(self._not())
        if self._take("("):
            inner = self._either()
            if not self._take(")"):
                self.fail("a parenthesis is not closed")
            return inner
        return self._test()

    def _test(self) -> Expression:
        self._space()
        if self._ahead() in ('"', "'"):
            # CQP: a string within brackets is about the word, too.
            return Test(FORM, self._string(), flags=self._flags())
        match = _NAME.match(self.text, self.place)
        if not match:
            self.fail("the name of an attribute is expected")
        self.place = match.end()
        operator = self._operator()
        if not operator:
            self.fail(f"an operator is expected after {match[0]}")
        # `a.case` is the attribute of the word labelled a, which may be another word than this one.
        label, _, attribute = match[0].rpartition(".")
        value, flags = self._value()
        plain = not label and operator not in ("<", ">", "<=", ">=")
        negated = operator.startswith(("!", "not"))
        return Test(attribute, value if plain else None, negated, flags, operator.removeprefix("not ").strip())

    def _operator(self) -> str:
        self._space()
        if match := _WORD_OPERATOR.match(self.text, self.place):
            self.place = match.end()
            return f"not {match[2]}" if match[1] else match[2]
        for operator in _OPERATORS:
            if self.text.startswith(operator, self.place):
                self.place += len(operator)
                return operator
        return ""

    def _value(self) -> tuple[str | None, str]:
        self._space()
        if self._ahead() in ('"', "'"):
            return self._string(), self._flags()
        match = _BARE.match(self.text, self.place)
        if not match:
            self.fail("a value is expected")
        self.place = match.end()
        values = [match[0]]
        while another := self._another_value():
            values.append(another)
        return "|".join(values), self._flags()

    def _another_value(self) -> str:
        """`pos=subst|adj`: a word after a bar that has no operator of its own is one more value."""
        before = self.place
        if self._take("|"):
            self._space()
            match = _BARE.match(self.text, self.place)
            if match:
                self.place = match.end()
                after = self.place
                if not self._operator():
                    self.place = after
                    return match[0]
        self.place = before
        return ""

    # --- pieces ---

    def _string(self) -> str:
        match = _STRING.match(self.text, self.place)
        if not match:
            self.fail("a quotation is not closed")
        self.place = match.end()
        if match[1] is None:
            return match[2].replace("\\'", "'")
        return match[1].replace('\\"', '"').replace('""', '"')

    def _flags(self) -> str:
        found = ""
        while match := _FLAGS.match(self.text, self.place):
            self.place = match.end()
            found += match[1] or match[2]
        return found

    def _space(self) -> None:
        match = _SPACE.match(self.text, self.place)
        self.place = match.end() if match else self.place

    def _ahead(self) -> str:
        return self.text[self.place : self.place + 1]

    def _take(self, mark: str) -> bool:
        self._space()
        if self._ahead() != mark or (mark == "!" and self.text.startswith("!=", self.place)):
            return False
        self.place += 1
        return True


def compiled(test: Test) -> Pattern:
    """The regular expression of a test's value; its flags are those of CQP (c, d, l) and Poliqarp (i, x)."""
    value = test.value or ""
    if "l" in test.flags:
        value = re.escape(value)
    if "x" in test.flags:
        value = f".*(?:{value}).*"
    try:
        return expression(plain(value, test.flags), re.IGNORECASE if set(test.flags) & {"c", "i"} else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise QueryError(f"{test.value!r} is no regular expression ({error})") from None


def plain(text: str, flags: str) -> str:
    """Text without its diacritics where the flag `d` asks for that."""
    if "d" not in flags:
        return text
    import unicodedata

    return "".join(mark for mark in unicodedata.normalize("NFD", text) if not unicodedata.combining(mark))
