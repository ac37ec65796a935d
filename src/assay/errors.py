"""Errors that a user can put right.

AssayError
├── InputError       a file is not what it should be: place, fact, remedy
├── AlignmentError   gold and system do not have the same text
└── UsageError       a name or an option that does not exist, with the nearest that does

Each message is complete: the command line prints it as it is and exits with 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

MOST_PROBLEMS = 20
"""The most problems that are listed one by one."""
_LONGEST_LINE = 1_000
_MOST_NAMES = 8
"""The most names of those that exist in an error, if a command lists all of them."""
_OF = {"parameter": "of", "key": "of", "value": "for"}
"""Nouns whose owner follows the name, with the word between: there is no parameter 'x' of tsv."""
CONTROL = {
    **{code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))},
    # Other line ends, and what makes text run the other way.
    **{code: f"\\u{code:04x}" for code in (0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}
"""Characters that would move the cursor of a terminal or turn text around, spelt out."""
_SHOWN = {code: spelt for code, spelt in CONTROL.items() if chr(code) not in "\t\n"}


class AssayError(Exception):
    """Something the user can put right."""

    def __init__(self, message: str = "") -> None:
        super().__init__("\n".join(map(_shortened, escape_controls(str(message)).split("\n"))))


def escape_controls(text: str) -> str:
    """Text as any terminal can show it, whatever a file or its name brought into it; tabs and line ends stay."""
    return text.translate(_SHOWN).encode("utf-8", "backslashreplace").decode("utf-8")


def _shortened(line: str) -> str:
    """A line, without its middle if it is very long: the place is at its beginning, the remedy at its end."""
    half = _LONGEST_LINE // 2
    return line if len(line) <= _LONGEST_LINE else f"{line[:half]} … {line[-half:]}"


class InputError(AssayError):
    """A file is not what it should be."""


class AlignmentError(AssayError):
    """Gold and system do not have the same text."""


class UsageError(AssayError):
    """A name or an option that does not exist."""


def describe_os_error(error: OSError) -> str:
    """The reason of the operating system, in its own words: `no such file or directory`."""
    return (error.strerror or str(error)).lower()


def list_problems(problems: Sequence[str], number: int | None = None) -> list[str]:
    """The first problems, each in a line, and how many more there are; `number` counts all of them."""
    number = len(problems) if number is None else number
    more = [f"… and {number - MOST_PROBLEMS:,} more places"] if number > MOST_PROBLEMS else []
    return [*problems[:MOST_PROBLEMS], *more]


def unknown(
    kind: str, name: str, known: Iterable[str], usual: Mapping[str, str] | None = None, command: str = ""
) -> UsageError:
    """The error for a name that does not exist, naming the nearest that do.

    `usual` has what others call them, `ner` for spans; several are divided by blanks. `command` lists names that are
    too many for a line.
    """
    import difflib

    known = list(dict.fromkeys(known))
    key = re.sub("[ _]", "-", name.casefold())
    folded = {candidate.casefold(): candidate for candidate in known}
    near = [folded[match] for match in difflib.get_close_matches(key, folded, n=3, cutoff=0.5)]
    near = (usual or {}).get(key, "").split() or near
    more = f", … All: {command}" if len(known) > _MOST_NAMES and command else "."
    hint = f"Available: {', '.join(known[:_MOST_NAMES] if command else known)}{more}"
    if near:
        hint = f"Did you mean {' or '.join(near)}?{f' All: {command}' if command else ''}"
    noun, _, owner = kind.partition(" of ")
    what = f"{noun} {name!r} {_OF[noun]} {owner}" if noun in _OF else f"{kind} {name!r}"
    return UsageError(f"there is no {what}. {hint}")
