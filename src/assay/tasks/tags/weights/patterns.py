"""Patterns on whole tags, and the positions of a tag that they restrict: `subst:sg:gen:.*` pos, number and case."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache

from assay.engine.expressions import expression
from assay.errors import InputError
from assay.tasks.tags.tagsets import Atomic, Attribute, Feats, Msd, Positional, Separated, Tagset
from assay.tasks.tags.weights import POS

_ANYTHING = re.compile(r"\(?(?:\.|\\S|\\w|\[\^[^\]]*\])(?:[*+]\??|\{[\d,]*\})?\)?")
_STRETCHING = re.compile(r"\(?(?:\.|\\S)[*+]\??\)?")
_ATOM = re.compile(r"(\.[*+]\??|\[\^?\]?[^\]]*\]|\\.|.)(?:\{(\d{1,2})\})?")
_MOST_BRANCHES = 1_000
_FEATURE = re.compile(r"([A-Za-z]\w*(?:\\?\[\w+\\?\])?)=")


def restricted_positions(pattern: str, tagset: Tagset) -> frozenset[str]:
    """The categories, `pos` among them, that a pattern on whole tags says something about: its non-wildcards."""
    return frozenset().union(*(_restrictions(branch, tagset)[1] for branch in split_branches(pattern)))


def parts_of_speech(pattern: str, tagset: Tagset) -> frozenset[str] | None:
    """The parts of speech to which a pattern on whole tags restricts them; None if it leaves that open."""
    branches = [_restrictions(branch, tagset) for branch in split_branches(pattern)]
    if not any(POS in restricted for _, restricted in branches):
        return None
    parts: set[str] = set()
    for head in (head for heads, _ in branches for head in heads):
        classes = matching_classes(head, tagset)
        if classes is None:
            return None
        parts |= classes
    return frozenset(parts)


def _restrictions(pattern: str, tagset: Tagset) -> tuple[list[str], set[str]]:
    """The patterns on the part of speech within a pattern without branches, and the positions that it restricts."""
    if isinstance(tagset, Separated):
        # subst:sg:gen:.*
        branches = _fields(pattern, tagset.separator)
        return [fields[0] for fields in branches], set().union(
            *(_restrict_separated(fields, tagset) for fields in branches)
        )
    if isinstance(tagset, Msd | Positional):
        # Ncmsn, NNMS1-----A----: pieces that match one character each, `.{4}` as four of them, and `.*`.
        atoms = [atom for atom, times in _ATOM.findall(pattern) for _ in range(int(times or 1))]
        stretch = next((place for place, atom in enumerate(atoms) if _STRETCHING.fullmatch(atom)), len(atoms))
        numbered, head_place = list(enumerate(atoms[:stretch])), 0
        if isinstance(tagset, Msd):
            classes = [row for pos, row in tagset.positions.items() if atoms and _matches(atoms[0], pos)]
            names = [{POS}, *({row[place] for row in classes if place < len(row)} for place in range(stretch))]
        else:
            # Places after `.*` are counted from the end of the tag.
            ending = atoms[stretch + 1 :]
            numbered += enumerate(ending, tagset.length - len(ending))
            head_place = tagset.pos_position
            names = [{POS if place == head_place else name} for place, name in enumerate(tagset.positions)]
        restricted = [names[place] for place, atom in numbered if 0 <= place < len(names) and not _is_wildcard(atom)]
        return atoms[head_place : head_place + 1], set().union(*restricted)
    head = pattern.partition(" ")[0]
    if isinstance(tagset, Feats):
        # NOUN Case=Nom|Number=Sing
        features = {name.replace("\\", "") for name in _FEATURE.findall(pattern)}
        return [head], features | (
            {POS} if head and "=" not in head and not _is_wildcard(head) and head != "_" else set()
        )
    return [head], set() if _is_wildcard(pattern) else {POS}


def matching_classes(pattern: str, tagset: Tagset) -> frozenset[str] | None:
    """The parts of speech that a pattern matches; None if neither pattern nor tagset lists them."""
    classes = list_classes(tagset)
    if classes:
        return frozenset(pos for pos in classes if _matches(pattern, pos))
    names = split_branches(pattern)
    return frozenset(names) if all(re.escape(name) == name for name in names) else None


def list_classes(tagset: Tagset) -> frozenset[str]:
    """All parts of speech of a tagset; empty if it does not list them."""
    return tagset.tags if isinstance(tagset, Atomic) else frozenset(tagset.classes())


def split_branches(pattern: str) -> list[str]:
    """The branches of a pattern, without parentheses around the whole."""
    branches = _split(pattern, "|")
    if len(branches) == 1 and _is_enclosed(pattern):
        return split_branches(pattern[1:-1].removeprefix("?:"))
    return branches


def _split(pattern: str, separator: str) -> list[str]:
    """Cut at a separator outside of parentheses, classes and escapes."""
    pieces, depth, start, place = [], 0, 0, 0
    while place < len(pattern):
        mark = pattern[place]
        if mark == "\\":
            place += 1
        elif mark == "[":
            end = pattern.find("]", place + (3 if pattern.startswith("[^", place) else 2))
            place = end if end > 0 else place
        elif mark in "()":
            depth += 1 if mark == "(" else -1
        elif depth == 0 and pattern.startswith(separator, place):
            pieces.append(pattern[start:place])
            start = place + len(separator)
        place += 1
    return [*pieces, pattern[start:]]


def _is_enclosed(pattern: str) -> bool:
    """True if the last character closes the first parenthesis."""
    if not (pattern.startswith("(") and pattern.endswith(")")):
        return False
    depth = 0
    for place, mark in enumerate(pattern):
        if mark in "()" and pattern[place - 1 : place] != "\\":
            depth += 1 if mark == "(" else -1
        if depth == 0:
            return place == len(pattern) - 1
    return False


# --- subst:sg:gen:.* ---


def _restrict_separated(fields: Sequence[str], tagset: Separated) -> set[str]:
    """The positions that a list of fields restricts."""
    head, *rest = fields
    wild = _is_wildcard(head)
    heads = [pos for pos in tagset.pos if wild or _matches(head, pos)]
    places = (fields if _STRETCHING.fullmatch(head) else rest) if heads else fields
    by_class = [_restrict_fields(places, tagset.pos[pos], tagset) for pos in heads or tagset.pos]
    fitting = [categories for categories in by_class if categories is not None]
    restricted = {POS} if heads and not wild else set()
    if fitting:
        return restricted.union(*fitting)
    # The pattern fits no class as a whole: the categories that have a value which a field matches.
    for field in (field for field in places if not _is_wildcard(field)):
        for category, values in tagset.attributes.items():
            restricted |= {category} if any(_matches(field, value) for value in values) else set()
    return restricted


def _fields(pattern: str, separator: str) -> list[list[str]]:
    """The fields of a pattern; a group with separators within is opened into one list per branch."""
    fields = _split(pattern, separator)
    groups = [split_branches(field) for field in fields if separator in field and _is_enclosed(field)]
    if math.prod(map(len, groups)) > _MOST_BRANCHES:
        raise InputError(f"{pattern!r} has over {_MOST_BRANCHES:,} ways to read it. Write it with fewer branches.")
    for place, field in enumerate(fields):
        if separator in field and _is_enclosed(field):
            opened = []
            for branch in split_branches(field):
                joined = separator.join([*fields[:place], branch, *fields[place + 1 :]])
                opened += _fields(joined, separator)
            return opened
    return [fields]


def _restrict_fields(fields: Sequence[str], attributes: Sequence[Attribute], tagset: Separated) -> set[str] | None:
    """Categories that fields restrict in tags of a class; None if the pattern matches no tag of the class."""

    @cache
    def walk(place: int, attribute: int) -> set[str] | None:
        """Categories from a field and an attribute on; each pair of them is computed once."""
        if place == len(fields):
            return set() if all(later.optional for later in attributes[attribute:]) else None
        field = fields[place]
        ways = []
        if _STRETCHING.fullmatch(field):
            # It may stand for any number of fields, and with nothing after it for none.
            ways = [walk(place + 1, after) for after in range(attribute, len(attributes) + 1)]
        elif attribute < len(attributes):
            first = attributes[attribute]
            if _is_wildcard(field):
                ways.append(walk(place + 1, attribute + 1))
            elif any(_matches(field, value) for value in tagset.attributes[first.name]):
                # `sg.*` matches the rest of the tag as well.
                furthest = len(attributes) if field.endswith((".*", ".+")) else attribute + 1
                rest = [walk(place + 1, after) for after in range(attribute + 1, furthest + 1)]
                ways += [None if way is None else {first.name, *way} for way in rest]
            if first.optional:
                ways.append(walk(place, attribute + 1))
        possible = [way for way in ways if way is not None]
        return min(possible, key=len) if possible else None

    return walk(0, 0)


def _is_wildcard(field: str) -> bool:
    return _ANYTHING.fullmatch(field) is not None


def _matches(pattern: str, value: str) -> bool:
    try:
        return expression(pattern).fullmatch(value) is not None
    except (re.error, RecursionError, OverflowError):
        return False
