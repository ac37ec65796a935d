"""Tagsets, which split a tag into a part of speech and categories. They are data files; users can write their own.

Each kind of tagset reads a tag as the set of its analyses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields
from itertools import pairwise, product
from math import prod
from pathlib import Path
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError, unknown

MOST_ANALYSES = 256
"""A compact tag with more analyses than this is not a tag."""


@dataclass(frozen=True)
class Tag:
    """A part of speech and the values of the categories that the tag has."""

    pos: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Attribute:
    """A category of a class of words; an optional one may be missing in a tag."""

    name: str
    optional: bool = False


@dataclass(frozen=True)
class Tagset:
    """A tagset of any kind."""

    name: str
    doc: str = ""
    unknown_tag: str = ""

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The analyses of a tag, nearly always one; empty if it is outside the tagset."""
        raise NotImplementedError

    def categories(self) -> tuple[str, ...]:
        """The categories, in their order; empty if the tagset does not list them."""
        return ()

    def classes(self) -> dict[str, tuple[str, ...]]:
        """The categories that each part of speech can have; empty if the tagset does not list them."""
        return {}

    def short_names(self) -> dict[str, str]:
        """Other names of categories, e.g. in corpus queries."""
        return {}

    def coarse_pos(self, pos: str) -> str:
        """The part of speech of tags that have this one; tags without parts may have one by their tagset."""
        return pos


@dataclass(frozen=True)
class Separated(Tagset):
    """`subst:sg:nom:m1`: a class, then values in a fixed order; optional ones may be left out."""

    separator: str = ":"
    value_separator: str = "."
    any: str = ""
    attributes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shorts: Mapping[str, str] = field(default_factory=dict)
    pos: Mapping[str, tuple[Attribute, ...]] = field(default_factory=dict)

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The analyses of a tag; a value that does not fit an optional attribute of the class skips it."""
        # A class may contain the separator: `$.` of STTS.
        head, *fields = [tag] if tag in self.pos else tag.split(self.separator)
        if head not in self.pos:
            return ()
        chosen: list[tuple[str, Sequence[str]]] = []
        place = 0
        for attribute in self.pos[head]:
            values = fields[place].split(self.value_separator) if place < len(fields) else []
            if values and all(value in self.attributes[attribute.name] for value in values):
                chosen.append((attribute.name, values))
                place += 1
            elif not attribute.optional:
                return ()
            elif expand_optional:
                chosen.append((attribute.name, sorted(self.attributes[attribute.name] - {self.any})))
        if place < len(fields):
            return ()
        return _combinations(head, chosen)

    def categories(self) -> tuple[str, ...]:
        """The attributes, as the file lists them."""
        return tuple(self.attributes)

    def classes(self) -> dict[str, tuple[str, ...]]:
        """The attributes of each class."""
        return {pos: tuple(attribute.name for attribute in attributes) for pos, attributes in self.pos.items()}

    def short_names(self) -> dict[str, str]:
        """The `short` name of each attribute."""
        return {short: name for name, short in self.shorts.items()}


@dataclass(frozen=True)
class Msd(Tagset):
    """`Ncmsn`: a letter for the class, then a letter per attribute; the attributes depend on the class."""

    absent: str = "-"
    positions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The analysis of a tag; a hyphen or a missing end is an absent attribute."""
        names = self.positions.get(tag[:1])
        if names is None or len(tag.rstrip(self.absent)) > len(names) + 1:
            return ()
        pairs = [(name, mark) for name, mark in zip(names, tag[1:], strict=False) if mark != self.absent]
        if any(name in self.values and mark not in self.values[name] for name, mark in pairs):
            return ()
        return (Tag(tag[:1], tuple(pairs)),)

    def categories(self) -> tuple[str, ...]:
        """The attributes of all classes."""
        return tuple(dict.fromkeys(name for names in self.positions.values() for name in names))

    def classes(self) -> dict[str, tuple[str, ...]]:
        """The attributes of each class."""
        return dict(self.positions)


@dataclass(frozen=True)
class Positional(Tagset):
    """`NNMS1-----A----`: a fixed number of characters, one of which is the part of speech."""

    length: int = 15
    positions: tuple[str, ...] = ()
    pos_position: int = 0
    absent: str = "-"
    any: str = ""
    portmanteau: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The analyses of a tag; each character that is not the mark of absence is a value, a portmanteau several."""
        if len(tag) != self.length or tag[self.pos_position] == self.absent:
            return ()
        chosen = []
        for index, (name, mark) in enumerate(zip(self.positions, tag, strict=True)):
            if index != self.pos_position and mark != self.absent:
                chosen.append((name, self.portmanteau.get(name, {}).get(mark, (mark,))))
        return _combinations(tag[self.pos_position], chosen)

    def categories(self) -> tuple[str, ...]:
        """The positions except that of the part of speech."""
        return tuple(name for index, name in enumerate(self.positions) if index != self.pos_position)


@dataclass(frozen=True)
class Feats(Tagset):
    """`NOUN Case=Nom|Number=Sing`: UPOS and FEATS of Universal Dependencies, joined by a space; or FEATS alone."""

    pos_column: str = "UPOS"
    feats_column: str = "FEATS"
    keep: frozenset[str] = frozenset()

    @property
    def column(self) -> str:
        """The columns that together make a tag."""
        return f"{self.pos_column}+{self.feats_column}" if self.pos_column else self.feats_column

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The analysis of a tag; each feature is a category, and its values in any order are one value."""
        pos, _, feats = tag.partition(" ") if self.pos_column else ("", "", tag)
        pairs = []
        for item in feats.split("|") if feats not in ("", "_") else []:
            name, equals, value = item.partition("=")
            if not equals or not name or not value:
                return ()
            if not self.keep or name in self.keep:
                pairs.append((name, ",".join(sorted(value.split(",")))))
        without_pos = bool(self.pos_column) and (not pos or pos == "_" or "=" in pos)
        if without_pos or len({name for name, _ in pairs}) < len(pairs):
            return ()
        return (Tag(pos, tuple(sorted(pairs))),)

    def categories(self) -> tuple[str, ...]:
        """The features that are kept; empty if all are."""
        return tuple(sorted(self.keep))


@dataclass(frozen=True)
class Atomic(Tagset):
    """Tags without parts; the part of speech of a tag is its coarse one if there is one."""

    tags: frozenset[str] = frozenset()
    coarse: Mapping[str, str] = field(default_factory=dict)

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The tag itself as a part of speech."""
        if self.tags and tag not in self.tags:
            return ()
        return (Tag(tag),)

    def coarse_pos(self, pos: str) -> str:
        """The coarse part of speech, if there is one."""
        return self.coarse.get(pos, pos)


KINDS: dict[str, type[Tagset]] = {kind.__name__.lower(): kind for kind in (Separated, Msd, Positional, Feats, Atomic)}


_RICH = ("ud", "feats", "ud-polish", "nkjp", "sgjp", "ipic", "mte-sl", "pdt", "stts-morph")
"""The bundled tagsets whose tags have categories."""
_SEPARATED = re.compile(r"\w[:|=]\w")
_MANY_TAGS = 60
_NEARLY_ALL = 0.95


def _combinations(pos: str, chosen: Sequence[tuple[str, Sequence[str]]]) -> tuple[Tag, ...]:
    names, values = [name for name, _ in chosen], [values for _, values in chosen]
    if prod(map(len, values)) > MOST_ANALYSES:
        return ()
    return tuple(Tag(pos, tuple(zip(names, combination, strict=True))) for combination in product(*values))


# --- files ---


def read_bundled() -> dict[str, str]:
    """The names of the bundled tagsets, and their texts."""
    from importlib.resources import files

    folder = files("assay.tasks.tags.tagsets").joinpath("data")
    return dict(sorted((entry.name.removesuffix(".toml"), entry.read_text("utf-8")) for entry in folder.iterdir()))


def find_tagset(name: str) -> Tagset:
    """A tagset by its name or by the path of its file."""
    if name.endswith((".toml", ".json")):
        try:
            text = Path(name).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{name}: cannot be read ({error}).") from None
        return parse_tagset(text, name)
    bundled = read_bundled()
    if name not in bundled:
        raise unknown("tagset", name, [*bundled, "a file my.toml"])
    return parse_tagset(bundled[name], f"{name}.toml")


def recognise_tagset(counts: Mapping[str, int]) -> str:
    """The bundled tagset that splits nearly all tags into categories, the best first; empty if there is none.

    `counts` are those of the tags. A tag without a separator can have parts too, but then there are many tags.
    """
    total = sum(counts.values())
    if len(counts) < _MANY_TAGS and not any(_SEPARATED.search(tag) for tag in counts):
        return ""
    shares = {}
    for name in _RICH:
        tagset = find_tagset(name)
        analyses = {tag: tagset.read(tag) for tag in counts}
        parted = sum(counts[tag] for tag, found in analyses.items() if any(one.values for one in found))
        if 2 * parted >= sum(counts[tag] for tag in counts if tag != "_"):
            shares[name] = sum(counts[tag] for tag, found in analyses.items() if found) / total
    best = max(shares, key=lambda name: shares[name], default="")
    return best if best and shares[best] >= _NEARLY_ALL else ""


def parse_data(path: str, text: str, *, toml: bool = False, **options: Any) -> Any:
    """The data of a text in JSON or TOML; `options` are those of its reader. Errors name the line."""
    # A run without a tagset or weights need not pay for these.
    import json
    import tomllib

    try:
        return tomllib.loads(text, **options) if toml else json.loads(text, **options)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg}).") from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise InputError(f"{path}:{line[1] if line else 1}: not TOML ({error}).") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be understood ({error}).") from None


def parse_tagset(text: str, path: str) -> Tagset:
    """The tagset that a file's text defines, TOML or JSON."""
    data = parse_data(path, text, toml=not path.endswith(".json"))
    if not isinstance(data, dict):
        raise InputError(f"{path}:1: a tagset file is a table of keys.")
    file = _File(text, path, data)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        hint = unknown("kind of tagset", str(kind), KINDS)
        raise file.fail("kind", str(hint) if kind else f"no `kind`. A tagset has one of: {', '.join(KINDS)}.")
    keys = sorted({"kind", *(key.name for key in fields(KINDS[kind]))} - {"shorts"})
    file.check(f"key of a {kind} tagset", data, keys)
    texts = {key.name: str(data[key.name]) for key in fields(KINDS[kind]) if key.type == "str" and key.name in data}
    texts["name"] = str(data.get("name") or path)
    try:
        return KINDS[kind](**texts, **getattr(file, kind)())
    except (TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{path}:1: a key of this {kind} tagset has a value of the wrong kind ({error}).") from None


@dataclass(frozen=True)
class _File:
    """A file, with its text for the lines of errors; a method for each kind of tagset."""

    text: str
    path: str
    data: dict[str, Any]

    def fail(self, key: str, fact: str) -> InputError:
        """An error about the value of a key, with the line on which the key first occurs."""
        pattern = re.compile(rf"^[ \t]*(?:\[.*\b)?[\"']?{re.escape(key)}[\"']?[ \t]*(?:[=:\]]|$)", re.MULTILINE)
        match = pattern.search(self.text) or re.search(re.escape(key), self.text)
        line = self.text.count("\n", 0, match.start()) + 1 if match else 1
        return InputError(f"{self.path}:{line}: {fact}")

    def names(self, key: str, value: Any) -> tuple[str, ...]:
        """A list of names; letters can be given as a word."""
        if not isinstance(value, list | str) or not all(isinstance(name, str) for name in value):
            raise self.fail(key, f"{key} should be a list of names.")
        return tuple(value)

    def table(self, key: str, *, needed: bool = True) -> dict[str, Any]:
        """The table at a key."""
        entry = self.data.get(key, None if needed else {})
        if not isinstance(entry, dict):
            raise self.fail(key, f"no table [{key}], which a {self.data['kind']} tagset needs.")
        return entry

    def check(self, what: str, keys: Iterable[str], accepted: Sequence[str]) -> None:
        """Raise InputError for a key that is not accepted."""
        for key in keys:
            if key not in accepted:
                raise self.fail(key, str(unknown(what, key, accepted)))

    def separated(self) -> dict[str, Any]:
        """Attributes, their short names, and classes."""
        attributes: dict[str, frozenset[str]] = {}
        shorts: dict[str, str] = {}
        for key, entry in self.table("attributes").items():
            values = entry.get("values") if isinstance(entry, dict) else entry
            if not isinstance(values, list) or not values:
                raise self.fail(key, f"attribute {key} has no list of values.")
            doubled = [value for value in values if values.count(value) > 1]
            if doubled:
                raise self.fail(key, f"attribute {key} has the value {doubled[0]!r} twice.")
            attributes[key] = frozenset(map(str, values))
            if isinstance(entry, dict) and "short" in entry:
                shorts[key] = str(entry["short"])
        pos = {}
        for key, entry in self.table("pos").items():
            if isinstance(entry, str):
                # `number case [vocalicity]`: in brackets those that may be left out.
                words = [(word, re.fullmatch(r"\[(.+)\]", word)) for word in entry.split()]
                pos[key] = tuple(Attribute(match[1] if match else word, bool(match)) for word, match in words)
            else:
                try:
                    pos[key] = tuple(Attribute(item["attr"], bool(item.get("optional", False))) for item in entry)
                except (TypeError, KeyError, AttributeError):
                    raise self.fail(key, f"class {key} should be a string such as 'number case [gender]'.") from None
            foreign = [attribute.name for attribute in pos[key] if attribute.name not in attributes]
            if foreign:
                raise self.fail(key, f"class {key}: {unknown('attribute', foreign[0], attributes)}")
        for key in ("separator", "value_separator"):
            if key in self.data and not str(self.data[key]):
                raise self.fail(key, f"{key} is empty. Leave the key out for the usual one.")
        if "pos" in attributes:
            raise self.fail("pos", "an attribute cannot be called pos: that is the part of speech.")
        return {"attributes": attributes, "shorts": shorts, "pos": pos}

    def msd(self) -> dict[str, Any]:
        """The attributes of each class, and the values of attributes."""
        positions = {}
        for key, entry in self.table("positions").items():
            if len(key) != 1:
                raise self.fail(key, f"class {key!r} should be one letter, the first of its tags.")
            positions[key] = self.names(key, entry.split() if isinstance(entry, str) else entry)
        values = {key: frozenset(self.names(key, entry)) for key, entry in self.table("values", needed=False).items()}
        self.check("attribute", values, sorted({name for names in positions.values() for name in names}))
        return {"positions": positions, "values": values}

    def positional(self) -> dict[str, Any]:
        """The positions, and the letters that stand for several values."""
        positions = self.names("positions", self.data.get("positions", []))
        length = self.data.get("length", len(positions))
        if len(positions) != length:
            raise self.fail("positions", f"{len(positions)} positions, but length is {length}.")
        place = self.data.get("pos_position", 0)
        if not isinstance(place, int) or not 0 <= place < len(positions):
            raise self.fail("pos_position", f"pos_position {place} is not a position from 0 to {len(positions) - 1}.")
        portmanteau = {
            key: {mark: self.names(mark, values) for mark, values in entry.items()}
            for key, entry in self.table("portmanteau", needed=False).items()
        }
        self.check("position", portmanteau, positions)
        return {"length": length, "positions": positions, "pos_position": place, "portmanteau": portmanteau}

    def feats(self) -> dict[str, Any]:
        """The features that are kept."""
        return {"keep": frozenset(self.names("keep", self.data.get("keep", [])))}

    def atomic(self) -> dict[str, Any]:
        """The tags, and the parts of speech of some."""
        coarse = {str(tag): str(pos) for tag, pos in self.table("coarse", needed=False).items()}
        return {"coarse": coarse, "tags": frozenset(self.names("tags", self.data.get("tags", [])))}


def ambiguous_tags(tagset: Tagset) -> list[str]:
    """Warnings about tags with two readings: an optional attribute that shares a value with the next one."""
    if not isinstance(tagset, Separated):
        return []
    warnings = []
    for name, attributes in tagset.pos.items():
        for attribute, after in pairwise(attributes):
            shared = tagset.attributes[attribute.name] & tagset.attributes[after.name]
            if attribute.optional and shared:
                warnings.append(
                    f"class {name}: {attribute.name} may be left out and shares {', '.join(sorted(shared))} with "
                    f"{after.name}; such a value is read as {attribute.name}."
                )
    return warnings
