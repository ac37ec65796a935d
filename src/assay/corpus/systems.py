"""Names of systems: given by the user, by their files, or by number."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from assay.corpus import Corpus, is_pair, is_span
from assay.corpus.adapters import is_foreign
from assay.errors import UsageError

Given = Any
"""A path, a Corpus, lists of labels, or what adapters know."""
_ENDINGS = (
    *(".gz", ".xz", ".conllu", ".conll", ".conllx", ".tsv", ".txt", ".vert", ".pos", ".xml", ".ccl", ".dag", ".ann"),
    *(".jsonl", ".json", ".spans", ".csv", ".ptb", ".mrg", ".export", ".bio", ".iob"),
)
"""Endings of files that are no part of a system's name, taken off in this order."""


def named_systems(systems: Any) -> dict[str, Given]:
    """Systems by name: given as a mapping, as one system, or as a sequence of `name=path` or paths."""
    if isinstance(systems, Mapping) and systems:
        return {str(name): given for name, given in systems.items()}
    if isinstance(systems, str | Path | Corpus) or is_foreign(systems) or _is_lists(systems):
        systems = [systems]
    names: list[str] = []
    given: list[Given] = []
    for item in systems:
        before, equals, after = item.partition("=") if isinstance(item, str) else ("", "", item)
        named = equals and before and not any(mark in before for mark in "/\\") and not Path(item).exists()
        names.append(before if named else "")
        given.append(after if named else item)
    if not given:
        raise UsageError("no system to score. Give at least one beside gold.")
    given_twice = [name for name in names if name and names.count(name) > 1]
    if given_twice:
        raise UsageError(f"two systems are called {given_twice[0]!r}. Give each a name of its own.")
    stems = [name or _stem(item, number) for number, (name, item) in enumerate(zip(names, given, strict=True), 1)]
    if len(set(stems)) < len(stems):
        # Two files of the same name are told apart by their folder, or else by a number.
        stems = [
            f"{PurePath(item).parent.name}/{stem}"
            if stems.count(stem) > 1 and isinstance(item, str | Path) and PurePath(item).parent.name
            else stem
            for stem, item in zip(stems, given, strict=True)
        ]
    distinct: dict[str, Given] = {}
    for stem, item in zip(stems, given, strict=True):
        name, number = stem, 1
        while name in distinct or (stems.count(stem) > 1 and name in stems):
            name, number = f"{stem} ({number})", number + 1
        distinct[name] = item
    return distinct


def _is_lists(systems: Any) -> bool:
    """True of one system's sentences (lists of labels or of pairs), not a list of systems."""
    if not isinstance(systems, list | tuple) or any(map(is_foreign, systems[:1])):
        return False
    if any(isinstance(sentence, str | Path | Corpus) for sentence in systems):
        return False
    first = next((sentence for sentence in systems if len(sentence)), None)
    # A list of two labels looks like a pair; here only tuples count as pairs.
    return first is not None and (
        isinstance(first[0], str | int) or is_span(first[0]) or (isinstance(first[0], tuple) and is_pair(first[0]))
    )


def _stem(item: Given, number: int) -> str:
    if isinstance(item, Corpus):
        return _stem(item.name, number) if item.name != "data" else f"system {number}"
    if isinstance(item, str | Path):
        if str(item) == "-":
            return "stdin"
        name = PurePath(item).name
        for ending in _ENDINGS:
            name = name.removesuffix(ending)
        return name or str(item)
    return f"system {number}"
