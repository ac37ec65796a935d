"""A TOML file whose every mistake is one line with its place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.errors import AssayError, InputError, reason, unknown

_HEADER = re.compile(r"^\s*\[+([^\[\]]+)\]")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=""")
_KINDS: Mapping[type, str] = {str: "text in quotes", int: "a whole number", bool: "true or false", dict: "a table"}


class Table:
    """A table of the file: what is taken from it is checked, what is left over is a mistake."""

    def __init__(self, path: Path, source: str, name: str, values: Mapping[str, Any]) -> None:
        self.path, self.source, self.name = path, source, name
        self._left = dict(values)

    @classmethod
    def read(cls, path: Path) -> Table:
        """The whole file as a table."""
        try:
            source = path.read_bytes().decode("utf-8")
            values = tomllib.loads(source)
        except OSError as error:
            raise InputError(f"{path}: cannot be opened ({reason(error)}).") from None
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: is not UTF-8 ({error.reason} at byte {error.start}).") from None
        except tomllib.TOMLDecodeError as error:
            text = str(error)
            place = re.search(r"\(at line (\d+), column \d+\)", text)
            line = f":{place[1]}" if place else ""
            fact = text[: place.start()].strip() if place else text
            raise InputError(f"{path}{line}: not TOML: {fact}. Text stands in quotes.") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: cannot be understood ({error}).") from None
        return cls(path, source, "", values)

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """A value of this kind, or the default where it is not given."""
        if key not in self._left:
            return default
        value = self._left.pop(key)
        # In TOML true is no number, in Python it is.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"should be {_KINDS[kind]}, not {value!r}.")
        return value

    def number(self, key: str, default: int, least: int) -> int:
        """A whole number that is not too small."""
        value: int = self.take(key, int, default)
        if value < least:
            raise self.error(key, f"is {value}, where {least} is the least.")
        return value

    def choice(self, key: str, known: Sequence[str], default: str) -> str:
        """One of these words."""
        value: str = self.take(key, str, default)
        if value not in known:
            raise self.error(key, str(unknown("choice", value, known)))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one of them may stand alone."""
        value = self._left.pop(key, ())
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"should be a list of texts in quotes, not {value!r}.")
        return tuple(value)

    def any(self, key: str) -> Any:
        """A value of any kind; None where it is not given."""
        return self._left.pop(key, None)

    def rest(self) -> dict[str, Any]:
        """All that is left."""
        rest, self._left = self._left, {}
        return rest

    def left(self) -> list[str]:
        """What has not been taken yet."""
        return list(self._left)

    def table(self, key: str) -> Table:
        """A table within this one, empty where it is not given."""
        name = f"{self.name}.{key}" if self.name else key
        return Table(self.path, self.source, name, self.take(key, dict, {}))

    def tables(self, key: str) -> Iterator[tuple[str, Table]]:
        """The tables within a table, by name."""
        outer = self.table(key)
        for name in outer.left():
            yield name, outer.table(name)

    def within(self, *names: str) -> Table:
        """A table to name places in; nothing is taken from it."""
        return Table(self.path, self.source, ".".join(names), {})

    def close(self, known: Sequence[str]) -> None:
        """Refuse what nobody asked for."""
        for key in self._left:
            raise self.error(key, str(unknown("setting", key, known)), named=False)

    def error(self, key: str, fact: str, named: bool = True) -> InputError:
        """The error for a key of this table."""
        line = self.line(key)
        place = f"{self.path}:{line}" if line else str(self.path)
        words = [f"[{self.name}]" if self.name else "", key if named else ""]
        what = " ".join(filter(None, words))
        return InputError(f"{place}: {what}: {fact}" if what else f"{place}: {fact}")

    def line(self, key: str = "") -> int:
        """The line of a key, else of the table's head; 0 where neither is found."""
        here, head = "", 0
        for number, line in enumerate(self.source.splitlines(), 1):
            if header := _HEADER.match(line):
                here = _plain(header[1])
                head = number if here == self.name else head
            elif (found := _KEY.match(line)) and _joined(here, _plain(found[1])) == _joined(self.name, key):
                return number
        return head

    @contextmanager
    def place(self, key: str) -> Iterator[None]:
        """Mistakes found in here get the place of this key."""
        try:
            yield
        except AssayError as error:
            raise self.error(key, str(error)) from None


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def _joined(table: str, key: str) -> str:
    return f"{table}.{key}" if table and key else table or key
