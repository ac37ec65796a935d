"""Warnings and notes, as facts that add up over shards; put into words when all of them are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec

Facts = ParamSpec("Facts")
MOST_LISTED = 20
"""Of lists, such as places, so many entries are kept; how many there are is a fact of its own."""

_words: dict[str, Callable[..., Iterator[str]]] = {}


@dataclass(frozen=True)
class Remark:
    """One thing worth knowing. Numbers add up over shards, what must hold throughout holds in all, lists go on.

    Texts say which thing it is: remarks of one kind with the same texts are one.
    """

    kind: str
    facts: Mapping[str, Any]

    @property
    def key(self) -> tuple[object, ...]:
        """The kind and the texts: remarks with the same key are one."""
        return (self.kind, *((name, value) for name, value in self.facts.items() if isinstance(value, str | None)))

    def lines(self) -> Iterator[str]:
        """The remark in words: none where the facts are not worth any, an error where they forbid to go on."""
        return _words[self.kind](**self.facts)

    def __add__(self, other: Remark) -> Remark:
        return Remark(self.kind, _added(self.facts, other.facts))


def remark(words: Callable[Facts, Iterator[str]]) -> Callable[Facts, Remark]:
    """Make a function that puts facts into words one that takes them down; they are given by name."""
    assert words.__name__ not in _words, f"two remarks are called {words.__name__}"
    _words[words.__name__] = words

    def taken_down(*_: Facts.args, **facts: Facts.kwargs) -> Remark:
        return Remark(words.__name__, facts)

    taken_down.__doc__ = words.__doc__
    return taken_down


@remark
def said(text: str) -> Iterator[str]:
    """A plain sentence, the same in all shards."""
    yield text


def format_warnings(remarks: Iterable[Remark]) -> tuple[str, ...]:
    """All that is to be said, once; what holds of several systems in the same words, once for all of them."""
    found: dict[tuple[bool, str], list[str]] = {}
    for one in remarks:
        name = str(one.facts.get("name", ""))
        for line in one.lines():
            about = name if line.startswith(name) else ""
            names = found.setdefault((bool(about), line.removeprefix(about)), [])
            if about not in names:
                names.append(about)
    return tuple(_of_all(names, words) for (_, words), names in found.items())


def _of_all(names: Sequence[str], words: str) -> str:
    more = f" The same holds for {joined(names[1:])}." if len(names) > 1 else ""
    return f"{names[0]}{words}{more}"


def joined(names: Sequence[str]) -> str:
    """Names as they stand in a sentence: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def together(first: Iterable[Remark], second: Iterable[Remark]) -> tuple[Remark, ...]:
    """The remarks of two shards as those of one: what is new in the second stands before what follows it there."""
    mine, its = _by_key(first), _by_key(second)
    before: dict[tuple[object, ...], list[Remark]] = {}
    new: list[Remark] = []
    for key, one in its.items():
        if key in mine:
            before[key], new = new, []
        else:
            new.append(one)
    found: list[Remark] = []
    for key, one in mine.items():
        found += [*before.get(key, ()), one + its[key] if key in its else one]
    return (*found, *new)


def _by_key(remarks: Iterable[Remark]) -> dict[tuple[object, ...], Remark]:
    found: dict[tuple[object, ...], Remark] = {}
    for one in remarks:
        found[one.key] = found[one.key] + one if one.key in found else one
    return found


def _added(mine: Any, its: Any) -> Any:
    if isinstance(mine, bool):
        return mine and its
    if isinstance(mine, int):
        return mine + its
    if isinstance(mine, Mapping):
        new = {name: value for name, value in its.items() if name not in mine}
        return {**{name: _added(value, its[name]) if name in its else value for name, value in mine.items()}, **new}
    if isinstance(mine, list | tuple):
        return [*mine, *its][:MOST_LISTED]
    return mine
