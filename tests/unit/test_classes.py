"""Dataclasses that are made when they are first used."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from assay.classes import dataclass
from cases import each


def made() -> Any:
    """Two classes that nothing has asked for anything yet."""

    @dataclass(frozen=True, order=True)
    class Place:
        line: int
        words: tuple[str, ...] = dataclasses.field(default=(), metadata={"json": "tokens"})

    @dataclass(frozen=True)
    class Named(Place):
        name: str = "x"

    return Place, Named


WAYS: dict[str, tuple[Callable[[Any, Any], object], object]] = {
    "a call": (lambda place, named: place(1) == place(line=1) != place(2), True),
    "order": (lambda place, named: place(1) < place(2), True),
    "hash": (lambda place, named: len({place(1), place(1)}), 1),
    "repr": (lambda place, named: repr(named(1)).endswith("Named(line=1, words=(), name='x')"), True),
    "inheriting": (lambda place, named: [one.name for one in dataclasses.fields(named)], ["line", "words", "name"]),
    "fields": (lambda place, named: dataclasses.fields(place)[1].metadata["json"], "tokens"),
    "being one": (lambda place, named: dataclasses.is_dataclass(named), True),
    "replacing": (lambda place, named: dataclasses.replace(named(1), name="y").name, "y"),
    "its signature": (lambda place, named: list(inspect.signature(place).parameters), ["line", "words"]),
}


@each("name", WAYS)
def test_what_a_dataclass_does_it_does_when_first_asked(name: str) -> None:
    way, expected = WAYS[name]
    assert way(*made()) == expected


def test_it_is_frozen() -> None:
    place = made()[0](1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        place.line = 2


def test_what_comes_from_a_pickle_is_equal_where_nothing_else_asked_for_its_class() -> None:
    from assay.engine.options import Decided

    data = pickle.dumps([Decided(task="tags"), Decided(task="tags")])
    code = f"import pickle\none, other = pickle.loads({data!r})\nprint(one == other, one is other)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"
