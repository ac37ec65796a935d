"""JSON as text: values with the lines in which they begin, checks of values, and how messages quote them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from assay.errors import InputError
from assay.formats.offsets import shorten
from assay.formats.source import Source

_FILLED = re.compile(r".*\S.*")
"""A line that is not blank."""


def quote(value: Any) -> str:
    """A value as JSON writes it, shortened if it is long."""
    return shorten(json.dumps(value, ensure_ascii=False))


def json_values(source: Source, example: str, noun: str = "document") -> Iterator[tuple[int, Any]]:
    """The documents with the line in which each begins: one per line, or spread over lines, or a list of them."""
    return values_in((batch.text for batch in source.batches()), source.path, example, noun)


def values_in(texts: Iterator[str], path: str, example: str, noun: str) -> Iterator[tuple[int, Any]]:
    """The values of JSON with the line in which each begins, from texts of whole lines.

    Text that is not JSON stops with an error, which shows an example of what the noun names.
    """
    first = next(texts, "")
    number = 1
    try:
        lines = [match[0] for match in islice(_FILLED.finditer(first), 2)]
        if lines and lines[0].lstrip().startswith("{") and any(json_object(line) is not None for line in lines):
            number = 0
            for text in chain([first], texts):
                for line in text.removesuffix("\n").split("\n"):
                    number += 1
                    if line.strip():
                        yield number, json.loads(line)
            return
        text, position = "".join([first, *texts]).rstrip(), 0
        try:
            for place, value in _decode(text):
                number += text.count("\n", position, place)
                position = place
                yield number, value
        except (ValueError, RecursionError) as error:
            number += text.count("\n", position, getattr(error, "pos", position))
            raise
    except (ValueError, RecursionError) as error:
        fault = f"not JSON for {noun}s: nested too deeply, or a number too long."
        if isinstance(error, json.JSONDecodeError):
            named = f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}"
            fault = f"not JSON ({error.msg}, at character {error.colno} of the line). {named} is {example}"
        raise InputError(f"{path}:{number}: {fault}") from None


def json_object(line: str) -> dict[str, Any] | None:
    """The object that a line of JSON is; None if it is something else."""
    with suppress(ValueError, RecursionError):
        value = json.loads(line) if line.lstrip().startswith("{") else None
        return value if isinstance(value, dict) else None
    return None


def first_object(head: Sequence[str]) -> dict[str, Any]:
    """The object in the first line that is not blank; empty if there is none."""
    return json_object(next((line for line in head if line.strip()), "")) or {}


def _decode(text: str) -> Iterator[tuple[int, Any]]:
    """The values of a text, one after the other or in a list with commas, and the place where each begins."""
    decode, blanks = json.JSONDecoder().raw_decode, re.compile(r"\s*+")

    def skip_blanks(position: int) -> int:
        match = blanks.match(text, position)
        return match.end() if match else position

    position = skip_blanks(0)
    is_list = text.startswith("[", position)
    position = skip_blanks(position + is_list)
    while position < len(text) and not (is_list and text[position] == "]"):
        value, end = decode(text, position)
        yield position, value
        position = skip_blanks(end)
        if is_list and text.startswith(",", position):
            position = skip_blanks(position + 1)
        elif is_list and not text.startswith("]", position):
            raise json.JSONDecodeError("Expecting ',' or ']'", text, position)
    if is_list and skip_blanks(position + 1) < len(text):
        raise json.JSONDecodeError("Extra data", text, position + 1)


def is_number(value: Any) -> bool:
    """True if a value of JSON is a number that is not too large."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def expect(fits: bool, what: str, value: Any, noun: str) -> None:
    """Stop with an error if a value of JSON does not fit; `what`: its place and name, `noun`: what is wanted."""
    if not fits:
        raise InputError(f"{what} is {quote(value)}, but {noun} is expected.")


def check_string(value: Any, what: str) -> str:
    """A string without halves of characters; other values stop with an error."""
    expect(isinstance(value, str), what, value, "a string")
    if not is_text(value):
        raise InputError(f"{what} has half a character (a lone surrogate) in it. Write the file as UTF-8.")
    return str(value)


def is_text(value: str) -> bool:
    """True if a string contains no half of a character (a lone surrogate)."""
    try:
        return value.isascii() or bool(value.encode("utf-8"))
    except UnicodeEncodeError:
        return False
