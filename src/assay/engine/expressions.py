"""Regular expressions of users; the time to match grows with the length of the pattern times that of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

# Python's own reading of patterns, so that they mean what they mean everywhere; only the matching is ours.
_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")
_LONGEST = 10_000
"""The most steps of a pattern, each repetition written out."""
_STEPS = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "AT")
"""Steps that match in at most one way."""
Groups = dict[int, int]
"""The places where groups begin (under twice their number) and end (under one more)."""


class Expression:
    """A regular expression of Python without references back to groups; `re.error` is raised for any other."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        known = re.compile(pattern, flags)
        self.groups, self._names = known.groups, {number: name for name, number in known.groupindex.items()}
        tree = _parser.parse(pattern, flags)
        self._program = _Program(tree, tree.state.flags)

    def fullmatch(self, text: str) -> Groups | None:
        """The groups if the whole text matches, which are those of Python; None if it does not."""
        return self._program.run(text, 0, len(text))

    def expand(self, template: str, text: str) -> str | None:
        """A template such as `\\\\1-X` with the groups of a text filled in; None if the text does not match."""
        places = self.fullmatch(text)
        if places is None or "\\" not in template:
            return None if places is None else template
        # A pattern that plainly has these groups, for Python to expand the template.
        plain, groups = "", ""
        for number in range(1, self.groups + 1):
            group = text[places[2 * number] : places[2 * number + 1]] if 2 * number + 1 in places else ""
            opened = f"?P<{self._names[number]}>" if number in self._names else ""
            plain, groups = f"{plain}({opened}{re.escape(group)})", groups + group
        match = re.match(f"{re.escape(text)}(?={plain})", text + groups)
        assert match is not None
        return match.expand(template)


@lru_cache(maxsize=1024)
def expression(pattern: str, flags: int = 0) -> Expression:
    """The expression of a pattern, which is cached."""
    return Expression(pattern, flags)


class _Program:
    """Steps to be tried from the first on; a choice has two that may follow, the better first."""

    def __init__(self, items: Iterable[Any], flags: int) -> None:
        self._steps: list[tuple[str, Any]] = []
        self._add(list(items), flags)
        self._append("end", None)

    def run(self, text: str, begin: int, end: int | None) -> Groups | None:
        """The groups of the best match from a place on, up to `end` or, with None, up to anywhere.

        No step is tried twice at one place, since what follows does not depend on how one got there.
        """
        tried: set[tuple[int, int]] = set()
        open_ways: list[tuple[int, int, Groups]] = [(0, begin, {})]
        while open_ways:
            step, place, groups = open_ways.pop()
            if (step, place) in tried:
                continue
            tried.add((step, place))
            kind, what = self._steps[step]
            if kind == "one":
                if match := what(text, place):
                    open_ways.append((step + 1, match.end(), groups))
            elif kind == "either":
                open_ways.extend((way, place, groups) for way in reversed(what))
            elif kind == "group":
                open_ways.append((step + 1, place, {**groups, what: place}))
            elif kind == "look":
                program, back, wanted = what
                found = program.run(text, place - back, place if back else None) if place >= back else None
                if (found is not None) == wanted:
                    open_ways.append((step + 1, place, {**groups, **(found or {})}))
            elif end in (None, place):
                return groups
        return None

    def _append(self, kind: str, what: Any) -> int:
        if len(self._steps) > _LONGEST:
            raise re.error("too long when its repetitions are written out")
        self._steps.append((kind, what))
        return len(self._steps) - 1

    def _add(self, items: Sequence[Any], flags: int) -> None:
        plain: list[Any] = []
        for item in [*items, None]:
            if item is not None and str(item[0]) in _STEPS:
                plain.append(item)
                continue
            if plain:
                # Characters one after the other, as Python matches them.
                state = _parser.State()
                state.flags = flags
                self._append("one", _compiler.compile(_parser.SubPattern(state, plain)).match)
                plain = []
            if item is not None:
                self._add_one(str(item[0]), item[1], flags)

    def _add_one(self, kind: str, what: Any, flags: int) -> None:
        if kind == "BRANCH":
            ends = []
            for branch in what[1]:
                choice = self._append("either", None)
                self._add(branch, flags)
                ends.append(self._append("either", None))
                self._steps[choice] = ("either", (choice + 1, len(self._steps)))
            # The last branch has none after it.
            self._steps[choice] = ("either", (choice + 1,))
            for end in ends:
                self._steps[end] = ("either", (len(self._steps),))
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, inner = what
            for _ in range(low):
                self._add(inner, flags)
            endless = high is _parser.MAXREPEAT
            choices = []
            for _ in range(1 if endless else high - low):
                choices.append(self._append("either", None))
                self._add(inner, flags)
            if endless:
                self._append("either", (choices[0],))
            for choice in choices:
                ways = (choice + 1, len(self._steps))
                self._steps[choice] = ("either", ways if kind == "MAX_REPEAT" else ways[::-1])
        elif kind == "SUBPATTERN":
            number, added, taken, inner = what
            if number is not None:
                self._append("group", 2 * number)
            self._add(inner, (flags | added) & ~taken)
            if number is not None:
                self._append("group", 2 * number + 1)
        elif kind in ("ASSERT", "ASSERT_NOT"):
            direction, inner = what
            back = inner.getwidth()[0] if direction < 0 else 0
            self._append("look", (_Program(inner, flags), back, kind == "ASSERT"))
        else:
            raise re.error("refers back to a group, or is possessive, which is not supported here")
