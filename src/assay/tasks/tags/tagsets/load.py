"""Tagset files (TOML or JSON) → tagsets, with every mistake named by its line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from assay.errors import InputError, unknown
from assay.tasks.tags.tagsets.kinds import (
    KINDS,
    Atomic,
    Attribute,
    Feats,
    Msd,
    Positional,
    Separated,
    Tagset,
    attributes_of,
)

_COMMON = {"name", "kind", "doc", "unknown_tag"}
_KEYS = {
    "separated": {"separator", "value_separator", "any", "attributes", "pos"},
    "msd": {"absent", "positions", "values"},
    "positional": {"length", "positions", "pos_position", "absent", "any", "portmanteau"},
    "feats": {"pos_column", "feats_column", "keep"},
    "atomic": {"tags", "coarse"},
}


def from_text(text: str, path: str) -> Tagset:
    """The tagset that a file's text defines."""
    return _Loader(text, path).tagset()


class _Loader:
    """One file; keeps its text, so that a mistake in a value can be given its line."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.data: dict[str, Any] = self._parse()

    def _parse(self) -> dict[str, Any]:
        try:
            data = json.loads(self.text) if self.path.endswith(".json") else tomllib.loads(self.text)
        except json.JSONDecodeError as error:
            raise InputError(f"{self.path}:{error.lineno}: not JSON ({error.msg}).") from None
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            raise InputError(f"{self.path}:{line[1] if line else 1}: not TOML ({error}).") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path}: cannot be understood ({error}).") from None
        if not isinstance(data, dict):
            raise InputError(f"{self.path}:1: a tagset file is a table of keys.")
        return data

    def fail(self, key: str, fact: str) -> InputError:
        """The error for what stands at a key, with the line on which the key first occurs."""
        pattern = re.compile(rf"^[ \t]*(?:\[.*\b)?[\"']?{re.escape(key)}[\"']?[ \t]*(?:[=:\]]|$)", re.MULTILINE)
        match = pattern.search(self.text) or re.search(re.escape(key), self.text)
        line = self.text.count("\n", 0, match.start()) + 1 if match else 1
        return InputError(f"{self.path}:{line}: {fact}")

    def tagset(self) -> Tagset:
        kind = self.data.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            hint = unknown("kind of tagset", str(kind), KINDS)
            raise self.fail("kind", str(hint) if kind else f"no `kind`. A tagset has one of: {', '.join(KINDS)}.")
        for key in self.data:
            if key not in _COMMON | _KEYS[kind]:
                raise self.fail(key, f"{unknown(f'key of a {kind} tagset', key, sorted(_COMMON | _KEYS[kind]))}")
        common = {key: str(self.data[key]) for key in ("doc", "unknown_tag") if key in self.data}
        name = str(self.data.get("name") or self.path)
        build = getattr(self, f"_{kind}")
        try:
            tagset: Tagset = build(name, common)
        except (TypeError, AttributeError, ValueError) as error:
            raise InputError(
                f"{self.path}:1: a key of this {kind} tagset has a value of the wrong kind ({error})."
            ) from None
        return tagset

    def _separated(self, name: str, common: dict[str, str]) -> Separated:
        attributes: dict[str, frozenset[str]] = {}
        shorts: dict[str, str] = {}
        for key, entry in self._table("attributes").items():
            values = entry.get("values") if isinstance(entry, dict) else entry
            if not isinstance(values, list) or not values:
                raise self.fail(key, f"attribute {key} has no list of values.")
            doubled = [value for value in values if values.count(value) > 1]
            if doubled:
                raise self.fail(key, f"attribute {key} has the value {doubled[0]!r} twice.")
            attributes[key] = frozenset(map(str, values))
            if isinstance(entry, dict) and "short" in entry:
                shorts[key] = str(entry["short"])
        pos = {key: self._class(key, entry, attributes) for key, entry in self._table("pos").items()}
        strings = {key: str(self.data[key]) for key in ("separator", "value_separator", "any") if key in self.data}
        for key, text in strings.items():
            if key != "any" and not text:
                raise self.fail(key, f"{key} is empty. Leave the key out for the usual one.")
        if "pos" in attributes:
            raise self.fail("pos", "an attribute cannot be called pos: that is the part of speech.")
        return Separated(name, **common, **strings, attributes=attributes, shorts=shorts, pos=pos)

    def _class(self, key: str, entry: Any, attributes: Mapping[str, frozenset[str]]) -> tuple[Attribute, ...]:
        if isinstance(entry, str):
            found = attributes_of(entry)
        else:
            try:
                found = tuple(Attribute(item["attr"], bool(item.get("optional", False))) for item in entry)
            except (TypeError, KeyError, AttributeError):
                raise self.fail(key, f"class {key} should be a string such as 'number case [gender]'.") from None
        for attribute in found:
            if attribute.name not in attributes:
                raise self.fail(key, f"class {key}: {unknown('attribute', attribute.name, attributes)}")
        return found

    def _msd(self, name: str, common: dict[str, str]) -> Msd:
        positions = {}
        for key, entry in self._table("positions").items():
            if len(key) != 1:
                raise self.fail(key, f"class {key!r} should be one letter, the first of its tags.")
            positions[key] = self._names(key, entry.split() if isinstance(entry, str) else entry)
        values = {
            key: frozenset(self._names(key, entry)) for key, entry in self._table("values", needed=False).items()
        }
        attributes = {attribute for names in positions.values() for attribute in names}
        for key in values:
            if key not in attributes:
                raise self.fail(key, f"{unknown('attribute', key, sorted(attributes))}")
        return Msd(name, **common, absent=str(self.data.get("absent", "-")), positions=positions, values=values)

    def _positional(self, name: str, common: dict[str, str]) -> Positional:
        positions = self._names("positions", self.data.get("positions", []))
        length = self.data.get("length", len(positions))
        if len(positions) != length:
            raise self.fail("positions", f"{len(positions)} positions where length is {length}.")
        place = self.data.get("pos_position", 0)
        if not isinstance(place, int) or not 0 <= place < len(positions):
            raise self.fail("pos_position", f"pos_position {place} is no position from 0 to {len(positions) - 1}.")
        portmanteau = {
            key: {mark: self._names(mark, values) for mark, values in entry.items()}
            for key, entry in self._table("portmanteau", needed=False).items()
        }
        for key in portmanteau:
            if key not in positions:
                raise self.fail(key, f"{unknown('position', key, positions)}")
        strings = {key: str(self.data[key]) for key in ("absent", "any") if key in self.data}
        return Positional(
            name, **common, **strings, length=length, positions=positions, pos_position=place, portmanteau=portmanteau
        )

    def _feats(self, name: str, common: dict[str, str]) -> Feats:
        strings = {key: str(self.data[key]) for key in ("pos_column", "feats_column") if key in self.data}
        return Feats(name, **common, **strings, keep=frozenset(self._names("keep", self.data.get("keep", []))))

    def _atomic(self, name: str, common: dict[str, str]) -> Atomic:
        coarse = {str(tag): str(pos) for tag, pos in self._table("coarse", needed=False).items()}
        return Atomic(name, **common, tags=frozenset(self._names("tags", self.data.get("tags", []))), coarse=coarse)

    def _names(self, key: str, value: Any) -> tuple[str, ...]:
        """A list of names; of letters, a word of them will do."""
        if not isinstance(value, list | str) or not all(isinstance(name, str) for name in value):
            raise self.fail(key, f"{key} should be a list of names.")
        return tuple(value)

    def _table(self, key: str, *, needed: bool = True) -> dict[str, Any]:
        entry = self.data.get(key, None if needed else {})
        if not isinstance(entry, dict):
            raise self.fail(key, f"no table [{key}], which a {self.data['kind']} tagset needs.")
        return entry


def warnings(tagset: Tagset) -> list[str]:
    """What can be read in two ways: an optional attribute that shares a value with the one after it."""
    if not isinstance(tagset, Separated):
        return []
    found = []
    for name, attributes in tagset.pos.items():
        for here, after in pairwise(attributes):
            shared = tagset.attributes[here.name] & tagset.attributes[after.name]
            if here.optional and shared:
                found.append(
                    f"class {name}: {here.name} may be left out and shares {', '.join(sorted(shared))} with "
                    f"{after.name}; such a value is read as {here.name}."
                )
    return found
