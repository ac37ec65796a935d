"""The kinds of tagsets: each reads a tag as the set of analyses it stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

MOST_ANALYSES = 256
"""A compact tag that stands for more analyses than this is not a tag."""


@dataclass(frozen=True)
class Tag:
    """A part of speech and the values of the categories that the tag has."""

    pos: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Attribute:
    """A category of a class of words; an optional one may be left out of a tag."""

    name: str
    optional: bool = False


@dataclass(frozen=True)
class Tagset:
    """What all kinds have in common: reading a tag, and the categories there are."""

    name: str
    doc: str = ""
    unknown_tag: str = ""

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The analyses that a tag stands for, nearly always one; none where it is outside the tagset."""
        raise NotImplementedError

    def categories(self) -> tuple[str, ...]:
        """The categories, in their order; empty where tags bring their own."""
        return ()

    def short_names(self) -> dict[str, str]:
        """Other names of categories, e.g. in corpus queries."""
        return {}


@dataclass(frozen=True)
class Separated(Tagset):
    """`subst:sg:nom:m1`: a class, then values in a fixed order, of which optional ones may be left out."""

    separator: str = ":"
    value_separator: str = "."
    any: str = ""
    attributes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shorts: Mapping[str, str] = field(default_factory=dict)
    pos: Mapping[str, tuple[Attribute, ...]] = field(default_factory=dict)

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """Walk the attributes of the class; a value that is not of the next one may skip it if it is optional."""
        head, *fields = tag.split(self.separator)
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

    def short_names(self) -> dict[str, str]:
        """The `short` name of each attribute."""
        return {short: name for name, short in self.shorts.items()}


@dataclass(frozen=True)
class Msd(Tagset):
    """`Ncmsn`: a letter for the class, then a letter per attribute; what they stand for depends on the class."""

    absent: str = "-"
    positions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """A hyphen or a missing end is an absent attribute."""
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
        """Each character that is not the mark of absence is a value; portmanteau letters stand for several."""
        if len(tag) != self.length or tag[self.pos_position] == self.absent:
            return ()
        chosen = []
        for index, (name, mark) in enumerate(zip(self.positions, tag, strict=True)):
            if index != self.pos_position and mark != self.absent:
                chosen.append((name, self.portmanteau.get(name, {}).get(mark, (mark,))))
        return _combinations(tag[self.pos_position], chosen)

    def categories(self) -> tuple[str, ...]:
        """The positions but that of the part of speech."""
        return tuple(name for index, name in enumerate(self.positions) if index != self.pos_position)


@dataclass(frozen=True)
class Feats(Tagset):
    """`NOUN Case=Nom|Number=Sing`: UPOS and FEATS of Universal Dependencies, joined by a space."""

    pos_column: str = "UPOS"
    feats_column: str = "FEATS"
    keep: frozenset[str] = frozenset()

    @property
    def column(self) -> str:
        """The columns that together make a tag."""
        return f"{self.pos_column}+{self.feats_column}"

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """Each feature is a category; several values of one feature are one value, whatever their order."""
        pos, _, feats = tag.partition(" ")
        pairs = []
        for item in feats.split("|") if feats not in ("", "_") else []:
            name, equals, value = item.partition("=")
            if not equals or not name or not value:
                return ()
            if not self.keep or name in self.keep:
                pairs.append((name, ",".join(sorted(value.split(",")))))
        if not pos or pos == "_" or "=" in pos or len({name for name, _ in pairs}) < len(pairs):
            return ()
        return (Tag(pos, tuple(sorted(pairs))),)


@dataclass(frozen=True)
class Atomic(Tagset):
    """Tags without parts; where a coarse part of speech is given for a tag, that is its part of speech."""

    tags: frozenset[str] = frozenset()
    coarse: Mapping[str, str] = field(default_factory=dict)

    def read(self, tag: str, *, expand_optional: bool = False) -> tuple[Tag, ...]:
        """The tag itself; with a coarse part of speech, the tag is the value of one category."""
        if self.tags and tag not in self.tags:
            return ()
        return (Tag(tag),)

    def coarse_pos(self, tag: str) -> str:
        """The part of speech of a tag."""
        return self.coarse.get(tag, tag)


KINDS: dict[str, type[Tagset]] = {
    "separated": Separated,
    "msd": Msd,
    "positional": Positional,
    "feats": Feats,
    "atomic": Atomic,
}

_OPTIONAL = re.compile(r"\[(.+)\]")


def attributes_of(text: str) -> tuple[Attribute, ...]:
    """`number case [vocalicity]`: attributes in order, in brackets those that may be left out."""
    found = []
    for word in text.split():
        match = _OPTIONAL.fullmatch(word)
        found.append(Attribute(match[1], True) if match else Attribute(word))
    return tuple(found)


def _combinations(pos: str, chosen: Sequence[tuple[str, Sequence[str]]]) -> tuple[Tag, ...]:
    number = 1
    for _, values in chosen:
        number *= len(values)
    if number > MOST_ANALYSES:
        return ()
    names = [name for name, _ in chosen]
    return tuple(
        Tag(pos, tuple(zip(names, values, strict=True))) for values in product(*(values for _, values in chosen))
    )
