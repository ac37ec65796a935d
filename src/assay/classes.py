"""dataclass: as in the standard library, but a class is made one when it is first used.

Methods of a dataclass are compiled when it is made, which takes longer than the rest of an import, and a command uses
few of the classes that it imports.
"""

from __future__ import annotations

import dataclasses
from threading import RLock
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]
_LOCK = RLock()
_WAYS = ("__init__", "__setstate__", "__dataclass_fields__")
"""All ways to an instance, by call or from a pickle, and to the fields of a class."""


class _Later:
    """An attribute that makes its class a dataclass when it is first asked for, and is gone then."""

    def __init__(self, kind: type, name: str, how: dict[str, Any]) -> None:
        self.kind, self.name, self.how = kind, name, how

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        with _LOCK:
            if vars(self.kind).get(self.name) is self:
                for name in _WAYS:
                    delattr(self.kind, name)
                dataclasses.dataclass(**self.how)(self.kind)
        if self.name == "__setstate__":
            return vars(instance).update
        return getattr(owner if instance is None else instance, self.name)


def _dataclass(kind: type | None = None, /, **how: Any) -> Any:
    if kind is None:
        return lambda decorated: _dataclass(decorated, **how)
    for name in _WAYS:
        setattr(kind, name, _Later(kind, name, how))
    return kind


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass
