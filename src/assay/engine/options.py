"""The options of a run."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.align import MISMATCH
from assay.corpus import UNITS
from assay.engine.measure import Measure
from assay.engine.task import task_options, tasks
from assay.errors import UsageError, unknown
from assay.formats.source import expand

TAGS = ("XPOS", "tag", "UPOS")
"""The columns of tags that types of mentions go by: the first that gold fills."""


_PARAMETERS = ("params", "tagset", "weights")
"""Parameters of measures that may be the path of a file."""


def _files() -> dict[str, str]:
    """The options that are the path of a file (`path`), or may be (`name`)."""
    own = {name: option.file for name, option in task_options().items() if option.file}
    return {"map": "path", "train": "path", "lexicon": "path", **own}


@dataclass(frozen=True)
class Decided:
    """The way in which the first of many shards is read, so that all others are read alike."""

    task: str = ""
    column: str = ""
    formats: tuple[str, ...] = ()
    """Of gold and of each system."""
    filled: tuple[bool, ...] = ()
    """Mask of the systems that have answers."""
    schemes: tuple[str, ...] = ()
    """The schemes by which tags of gold and of each system are read as spans …"""
    columns: tuple[str, ...] = ()
    """… and from which columns."""
    characters: bool = False
    """True if spans are compared as sets of characters."""
    tags: str | None = None
    """The column that types of mentions go by."""

    def __or__(self, other: Decided) -> Decided:
        """The way to read both of two shards; where they cannot be reconciled, the first's."""
        filled = tuple(a or b for a, b in zip(self.filled, other.filled, strict=True))
        tags = min((self.tags, other.tags), key=(*TAGS, None).index)
        return replace(self, filled=filled, characters=self.characters or other.characters, tags=tags)


@dataclass(frozen=True)
class _Options:
    """The options of a run; the same words as on the command line. Those of tasks are added below."""

    column: str | None = None
    input_format: str | None = None
    task: str | None = None
    unit: str | None = None
    slices: tuple[str, ...] = ()
    train: str | None = None
    lexicon: str | None = None
    oov_fold_case: bool = False
    map: str | None = None
    labels: tuple[str, ...] = ()
    """The labels that count; all where none is named."""
    ignore_labels: tuple[str, ...] = ()
    """Labels that do not count."""
    seed: int = 0
    times: int = 10_000
    interval: str = "percentile"
    on_mismatch: str = "error"
    examples: int = 0
    change: str | None = None
    kind: str | None = None
    label_order: str = "effect"
    embed: str = "none"
    """The texts that go into the Result for a page: all, those with differences or errors, a sample, none."""
    symmetric: bool = False
    """Neither side is gold: two annotators."""
    decided: Decided | None = None
    """For one of many shards: how it is to be read. What must hold in some shard is then not asked of each."""

    def __post_init__(self) -> None:
        # One may be given by itself, in Python.
        for name in ("slices", *(name for name, option in task_options().items() if option.default == ())):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        for name in ("labels", "ignore_labels"):
            value = getattr(self, name)
            # As on the command line, PER,LOC are two; the tag for commas is itself.
            names = [value] if value == "," else value.split(",") if isinstance(value, str) and value else value
            object.__setattr__(self, name, tuple(sorted(set(names or ()))))
        for name in _files():
            if isinstance(getattr(self, name), Path):
                object.__setattr__(self, name, str(getattr(self, name)))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def keeps(self, *names: str) -> bool:
        """True if a label counts, which may have several names (nsubj:pass, nsubj)."""
        wanted = not self.labels or any(name in self.labels for name in names)
        return wanted and not any(name in self.ignore_labels for name in names)

    def check(self) -> None:
        """Refuse values that are none of the choices."""
        from assay.engine.items import KINDS, LABEL_ORDERS, UNRESOLVED

        choices: list[tuple[str, str | None, Sequence[str]]] = [
            ("task", self.task, [name for name, task in tasks().items() if task.prepare]),
            ("unit", self.unit, UNITS),
            ("value of embed", self.embed, ("all", "diff", "sample", "none", "auto")),
            ("interval", self.interval, ("percentile", "bca", "wilson")),
            ("value of on_mismatch", self.on_mismatch, MISMATCH),
            ("kind of change", self.kind, (*KINDS, UNRESOLVED)),
            ("order of labels", self.label_order, LABEL_ORDERS),
            *((one.noun, getattr(self, one.name), one.choices) for one in task_options().values() if one.choices),
        ]
        for name, value, known in choices:
            if value is not None and value not in known:
                raise unknown(name, value, known)
        if self.times < 1:
            raise UsageError(f"{self.times} resamples are too few.")
        if self.sweep < 0:
            raise UsageError(f"{self.sweep} weightings cannot be drawn.")
        if self.missing == "absent":
            raise UsageError("--missing absent is about annotators: assay agreement")
        if self.seed < 0:
            raise UsageError(f"seed {self.seed} is negative; a seed is 0 or more.")
        if self.examples < 0:
            raise UsageError(f"{self.examples} examples cannot be shown.")
        if (self.change or self.kind) and not self.examples:
            raise UsageError("--change and --kind choose among examples. Say how many: --examples 5")
        if "" in (*self.labels, *self.ignore_labels):
            raise UsageError("--labels and --ignore-labels are names divided by commas, e.g. PER,LOC.")
        if both := set(self.labels) & set(self.ignore_labels):
            raise UsageError(f"{min(both)} is among --labels and among --ignore-labels.")
        for name in (name for name, kind in _files().items() if kind == "path"):
            path = getattr(self, name)
            if path == "-" or (path and Path(path).is_fifo()):
                where = "standard input" if path == "-" else "a pipe"
                raise UsageError(
                    f"--{name.replace('_', '-')} {path} : this file is read twice, so it cannot come from {where}."
                )


if TYPE_CHECKING:
    Options = _Options
else:
    # Tasks have options of their own: fields like the others.
    Options = make_dataclass(
        "Options",
        [
            (name, Any, field(default=option.default))
            for name, option in task_options().items()
            if name not in _Options.__dataclass_fields__
        ],
        bases=(_Options,),
        frozen=True,
    )
    Options.__module__ = __name__


def contents_of(options: Options, measures: Sequence[Measure]) -> dict[str, str]:
    """Checksums of the files that figures depend on beside gold and systems, by the option or parameter of each.

    The module of a measure of the user's own is one of them.
    """
    files: dict[str, str] = {}
    for name, kind in _files().items():
        value = getattr(options, name)
        if value and (kind == "path" or Path(value).is_file()):
            files[name] = value
    for measure in measures:
        for name in _PARAMETERS:
            value = measure.parameters.get(name)
            if isinstance(value, str) and Path(value).is_file():
                files[f"{name} {value}"] = value
        function = measure.definition.function
        if not function.__module__.startswith("assay."):
            source = inspect.getsourcefile(function) or ""
            files.update({f"module {function.__module__}": source} if Path(source).is_file() else {})
    return {name: _digest(path) for name, path in files.items()}


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    for file in expand(path):
        with open(file, "rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
