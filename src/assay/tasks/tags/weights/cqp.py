"""Corpus queries in the style of CQP and Poliqarp, read as far as needed to know which words they ask for.

A query is a sequence of token expressions: `[pos="adj|ppas" & case!=nom] []{0,2} "uda"%c within s`. Labels,
repetitions, structural tags and the clauses at its end are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

from assay.classes import dataclass
from assay.engine.expressions import Expression as Pattern
from assay.engine.expressions import expression

FORM = "form"
"""The attribute that a quoted string or a bare word outside brackets is about."""

_OPERATORS = ("!==", "!~~", "==", "~~", "!=", "!~", "<=", ">=", "=", "~", "<", ">")
_STRING = re.compile(r'"((?:[^"\\]|\\.|"")*)"|\'((?:[^\'\\]|\\.)*)\'')
_NAME = re.compile(r"[^\W\d][\w-]*(?:\[\w+\])?(?:\.[^\W\d][\w-]*)?")
_BARE = re.compile(r"(?:[^\s\[\](){}&|!=~<>\"'%/;:]|:(?!\]))+")
_FLAGS = re.compile(r"\s*%([a-zA-Z]+)|/([a-zA-Z]+)(?![\w/])")
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
    """`case != "nom|acc" %c`; the value is None if it cannot be tested, e.g. an attribute of another word."""

    attribute: str
    value: str | None
    negated: bool = False
    flags: str = ""
    operator: str = "="


@dataclass(frozen=True)
class Combined:
    """`all` of the parts (any word if there are none), `any` of them, or `not` the only part."""

    how: str
    of: tuple[Expression, ...]


Expression = Test | Combined


class QueryError(Exception):
    """A query that cannot be read: the fault and its place in the query."""


def parse_sequence(query: str) -> tuple[list[Expression], list[Repeat] | None]:
    """The token expressions of a query in their order, and how often each may follow itself.

    Global constraints (`:: a.case = b.case`) come last. The repetitions are None if the query is not a plain
    sequence, because it has groups, alternatives of sequences, structural tags or such constraints.
    """
    parser = _Parser(query)
    expressions = parser.query()
    return expressions, parser.repeats if parser.plain and len(parser.repeats) == len(expressions) else None


def list_tests(expression: Expression) -> Iterator[Test]:
    """All attribute tests within an expression."""
    if isinstance(expression, Test):
        yield expression
    else:
        for part in expression.of:
            yield from list_tests(part)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.repeats: list[Repeat] = []
        self.plain = True
        self._match(_ASSIGNED)

    def fail(self, fact: str) -> NoReturn:
        raise QueryError(f"{fact} at character {self.place + 1}")

    # --- the sequence ---

    def query(self) -> list[Expression]:
        expressions: list[Expression] = []
        depth = 0
        clause = None
        while self.place < len(self.text) and not (clause := _CLAUSE.match(self.text, self.place)):
            mark = self._ahead()
            if mark in "()|<&!":
                self.plain = False
            if mark in "()":
                depth += 1 if mark == "(" else -1
                if depth < 0:
                    self.fail("a parenthesis that was never opened")
                self.place += 1
            elif not self._match(_SKIPPED):
                expressions.append(self._token())
                self.repeats.append(self._repeat())
        if clause and clause[0] == "::":
            # Constraints that cannot be read are left out, like metadata and the other clauses.
            self.place += 2
            with suppress(QueryError):
                expressions.append(self._either())
        if depth:
            self.fail("a parenthesis is not closed")
        return expressions

    def _token(self) -> Expression:
        """`[…]`, `"…"` or a bare word."""
        mark = self._ahead()
        if mark in "\"'":
            return Test(FORM, self._string(), flags=self._flags())
        if mark != "[":
            match = self._match(_WORD) or self.fail(f"{mark!r} is not expected")
            word, _, flags = match[0].partition("/")
            return Test(FORM, word, flags=flags)
        opened = self.place
        self.place += 1
        zero_width = self._take(":")
        self._space()
        expression = Combined("all", ()) if self._ahead() in ("]", ":") else self._either()
        if zero_width and not self._take(":"):
            self.fail("`:]` is expected")
        if not self._take("]"):
            if self.place >= len(self.text):
                self.place = opened
                self.fail("a bracket is not closed")
            self.fail(f"{self._ahead()!r} is not expected")
        return expression

    def _repeat(self) -> Repeat:
        """The times that the last expression may follow itself: `{2,5}`, `+`, `*`, `?`, or once."""
        match = self._match(_REPEAT)
        if not match:
            return 1, 1
        if match["mark"]:
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[match["mark"]]
        low = int(match["low"] or 0)
        if match["comma"] is None:
            return low, low
        return low, int(match["high"]) if match["high"] else None

    # --- within brackets ---

    def _either(self) -> Expression:
        branches: list[Expression] = []
        more = True
        while more:
            parts = [self._not()]
            while self._take("&"):
                self._take("&")
                parts.append(self._not())
            branches.append(parts[0] if len(parts) == 1 else Combined("all", tuple(parts)))
            more = self._take("|")
            self._take("|")
        return branches[0] if len(branches) == 1 else Combined("any", tuple(branches))

    def _not(self) -> Expression:
        if self._take("!"):
            return Combined("not", (self._not(),))
        if not self._take("("):
            return self._test()
        inner = self._either()
        if not self._take(")"):
            self.fail("a parenthesis is not closed")
        return inner

    def _test(self) -> Expression:
        self._space()
        if self._ahead() in ('"', "'"):
            # CQP: a string within brackets is about the word, too.
            return Test(FORM, self._string(), flags=self._flags())
        match = self._match(_NAME) or self.fail("the name of an attribute is expected")
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
        if match := self._match(_WORD_OPERATOR):
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
        values = [(self._match(_BARE) or self.fail("a value is expected"))[0]]
        # `pos=subst|adj`: a word after a bar that has no operator of its own is one more value.
        before = self.place
        while self._take("|"):
            self._space()
            match = self._match(_BARE)
            after = self.place
            if not match or self._operator():
                break
            values.append(match[0])
            self.place = before = after
        self.place = before
        return "|".join(values), self._flags()

    # --- pieces ---

    def _string(self) -> str:
        match = self._match(_STRING) or self.fail("a quotation is not closed")
        if match[1] is None:
            return match[2].replace("\\'", "'")
        return match[1].replace('\\"', '"').replace('""', '"')

    def _flags(self) -> str:
        flags = ""
        while match := self._match(_FLAGS):
            flags += match[1] or match[2]
        return flags

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of a pattern at this place, which is then after it."""
        match = pattern.match(self.text, self.place)
        self.place = match.end() if match else self.place
        return match

    def _space(self) -> None:
        while self._ahead().isspace():
            self.place += 1

    def _ahead(self) -> str:
        return self.text[self.place : self.place + 1]

    def _take(self, mark: str) -> bool:
        self._space()
        if self._ahead() != mark or (mark == "!" and self.text.startswith("!=", self.place)):
            return False
        self.place += 1
        return True


def compile_value(test: Test) -> Pattern:
    """The regular expression of a test's value; its flags are those of CQP (c, d, l) and Poliqarp (i, x)."""
    value = test.value or ""
    if "l" in test.flags:
        value = re.escape(value)
    if "x" in test.flags:
        value = f".*(?:{value}).*"
    try:
        return expression(strip_diacritics(value, test.flags), re.IGNORECASE if set(test.flags) & {"c", "i"} else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise QueryError(f"{test.value!r} is not a regular expression ({error})") from None


def strip_diacritics(text: str, flags: str) -> str:
    """Text without its diacritics if the flags have `d`."""
    if "d" not in flags:
        return text
    import unicodedata

    return "".join(mark for mark in unicodedata.normalize("NFD", text) if not unicodedata.combining(mark))
