"""The options of a run."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from assay.align import MISMATCH
from assay.arrays import plain
from assay.corpus import UNITS, cluster_key
from assay.engine.measure import Measure
from assay.engine.task import task_options, tasks
from assay.errors import UsageError, unknown
from assay.formats import FORMATS
from assay.formats.source import expand
from assay.formats.whose import Asked, check_repair
from assay.records import dataclass

TAGS = ("XPOS", "tag", "UPOS")
"""The columns of tags that types of mentions go by: the first that gold fills."""


_NAMED = re.compile(r"([^=()]+)=(.+)", re.DOTALL)
"""The format of one file: NAME=FORMAT."""
_BY_NAME = ("which", "repair")
"""Options whose values may be said of one file each: NAME=VALUE."""
_PARAMETERS = ("params", "tagset", "weights")
"""Parameters of measures that may be the path of a file."""
_OF_ENGINE = ("symmetric", "figures_alone", "pairs_of_sets", "decided")
"""Options that only the engine sets."""


def _files() -> dict[str, str]:
    """The options that are the path of a file (`path`), or may be (`name`)."""
    own = {name: option.file for name, option in task_options().items() if option.file}
    return {"map": "path", "train": "path", "lexicon": "path", **own}


def _split_names(values: Sequence[str]) -> list[tuple[str, str]]:
    """The name before each value, nothing if it holds for all files, and the value; `annotator:a=b` has no name."""
    named = ((value.partition("="), value) for value in values)
    return [(name, rest) if equals and ":" not in name else ("", value) for (name, equals, rest), value in named]


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
    inventory: tuple[str, ...] = ()
    """The labels by which answers of language models are read."""
    symmetric: tuple[str, ...] = ()
    """Labels of relations that have no direction, as some file says."""

    def __or__(self, other: Decided) -> Decided:
        """The way to read both of two shards; where they cannot be reconciled, the first's."""
        filled = tuple(a or b for a, b in zip(self.filled, other.filled, strict=True))
        tags = min((self.tags, other.tags), key=(*TAGS, None).index)
        inventory = tuple(sorted({*self.inventory, *other.inventory}))
        symmetric = tuple(sorted({*self.symmetric, *other.symmetric}))
        characters = self.characters or other.characters
        return replace(
            self, filled=filled, characters=characters, tags=tags, inventory=inventory, symmetric=symmetric
        )


def is_of_systems(form: str) -> bool:
    """True of formats that only systems have."""
    known = FORMATS.get(form.partition("(")[0].strip())
    return known is not None and known.of_systems


@dataclass(frozen=True)
class _Options:
    """The options of a run; the same words as on the command line. Those of tasks are added below."""

    column: str | tuple[str, ...] | Mapping[str, str] | None = None
    """The column compared; several, if NAME=COLUMN says it of gold or one system, or columns by these names."""
    input_format: str | tuple[str, ...] | None = None
    """The format of the files; several, where NAME=FORMAT says it for gold or one system."""
    which: tuple[str, ...] = ()
    """Whose annotation is read if a file contains several; NAME=WHO for gold or one system."""
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
    interval: str = "score"
    power: float | None = 0.8
    """The chance with which a difference is to be found, where it is asked what could have been; None: it is not."""
    baseline: str | None = None
    """The system that all others are tested against; all pairs are where none is named."""
    correct: str = "pairs"
    """The p that are corrected for many: those of pairs and measures, or those of slices too."""
    on_mismatch: str = "error"
    examples: int = 0
    change: str | None = None
    kind: str | None = None
    label_order: str = "effect"
    embed: str = "none"
    """The texts that go into the Result for a page: all, those with differences or errors, a sample, none."""
    symmetric: bool = False
    """Neither side is gold: two annotators."""
    figures_alone: bool = False
    """Nothing but the figures of systems is read: no intervals, no look at their items or labels."""
    pairs_of_sets: int = 0
    """The number of pairs that are tested on all data sets of a run, of which this is one; 0: there is no other."""
    decided: Decided | None = None
    """For one of many shards: how it is to be read. What must hold in some shard is then not asked of each."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = plain(getattr(self, one.name))
            if isinstance(one.default, int) and not isinstance(value, int):
                wanted = "True or False" if isinstance(one.default, bool) else "a whole number"
                raise UsageError(f"{one.name}: expected {wanted}, but got {value!r}.")
            object.__setattr__(self, one.name, value)
        # One may be given by itself, in Python.
        own = (name for name, option in task_options().items() if option.default == ())
        for name in ("slices", "which", *own):
            value = getattr(self, name) or ()
            if isinstance(value, Mapping):
                value = [f"{said}={one}" for said, one in value.items()]
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        for name in ("labels", "ignore_labels"):
            value = getattr(self, name)
            # As on the command line, PER,LOC are two; the tag for commas is itself.
            names = [value] if value == "," else value.split(",") if isinstance(value, str) and value else value
            object.__setattr__(self, name, tuple(sorted(set(names or ()))))
        if isinstance(self.column, int | Mapping):
            by_name = isinstance(self.column, Mapping) and {name: str(one) for name, one in self.column.items()}
            object.__setattr__(self, "column", by_name or str(self.column))
        for name in ("column", "input_format"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str | Mapping):
                # One by itself is what it is, none is none.
                object.__setattr__(self, name, tuple(value) if len(value) > 1 else next(iter(value), None))
        for name in _files():
            if isinstance(getattr(self, name), Path):
                object.__setattr__(self, name, str(getattr(self, name)))

    if TYPE_CHECKING:

        def __init__(self, **given: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def keeps(self, *names: str) -> bool:
        """True if a label counts, which may have several names (nsubj:pass, nsubj)."""
        wanted = not self.labels or any(name in self.labels for name in names)
        return wanted and not any(name in self.ignore_labels for name in names)

    def format_of(self, name: str) -> str | None:
        """The format of gold's file or of a system's, where the user says it.

        A format that only systems have says nothing of gold's, and stands before one that is said of all.
        """
        found = {
            said or ("systems" if is_of_systems(form) else "all"): form for said, form in self._formats
        }
        of_systems = found.get("systems", found.get("all")) if name != "gold" else found.get("all")
        return found.get(name, of_systems)

    @property
    def _formats(self) -> list[tuple[str, str]]:
        """The formats that the user says, and of which file each; nothing: of all."""
        given = (self.input_format,) if isinstance(self.input_format, str) else self.input_format or ()
        return [(named[1], named[2]) if (named := _NAMED.fullmatch(spec)) else ("", spec) for spec in given]

    def asked_of(self, name: str) -> Asked:
        """What the user asks of a file: whose annotation, and what to do with faults."""
        which, repair = (dict(_split_names(getattr(self, option))) for option in _BY_NAME)
        mending = check_repair(repair.get(name, repair.get("", "")))
        is_system = name != "gold" and not self.symmetric
        return Asked(name, which.get(name, which.get("", "")), mending, is_system)

    def check_formats(self, names: Sequence[str]) -> None:
        """Refuse formats, annotators and repairs that are said of systems that are not there, or twice of one."""
        for said, _ in self._formats:
            if said and said not in names:
                raise unknown("system", said, names)
        for option in _BY_NAME:
            values = getattr(self, option)
            said_of = [said for said, _ in _split_names(values)]
            for said in said_of:
                if said and said not in names:
                    raise unknown("system", said, names)
                if said_of.count(said) > 1:
                    given = " ".join(f"--{option} {value}" for value in values)
                    raise UsageError(f"{given}: give one for each file, e.g. --{option} gold={values[0]}")

    def column_of(self, name: str) -> str | None:
        """The column of gold's file or of a system's, where the user says it."""
        column = self.column
        return column.get(name, column.get("")) if isinstance(column, Mapping) else cast(str | None, column)

    @property
    def spelled_column(self) -> str:
        """The columns as the user says them."""
        by_name = self.column.items() if isinstance(self.column, Mapping) else [("", self.column or "")]
        return ",".join(f"{name}={column}" if name else str(column) for name, column in by_name)

    def with_columns(self, names: Sequence[str]) -> _Options:
        """The options with columns by these names; what stands before = and is none of them belongs to a column."""
        if isinstance(self.column, Mapping):
            for name in self.column:
                if name not in ("", *names):
                    raise unknown("system", name, names)
            return self
        columns: dict[str, str] = {}
        for spec in (self.column,) if isinstance(self.column, str) else self.column or ():
            before, equals, after = spec.partition("=")
            name, column = (before, after) if equals and before in names else ("", spec)
            if name in columns:
                said = f"--column {names[0]}={columns[name]} --column {names[1]}={column}"
                whose = f"for {name}" if name else "without a name"
                raise UsageError(f"--column is given twice {whose}: {columns[name]}, {column}. Say for which: {said}")
            columns[name] = column
        if "" in columns and columns.keys() >= {*names}:
            raise UsageError(
                f"--column {columns['']}: no file is left for it, because each has its own column. Leave it out, or "
                f"put a name before it: {', '.join(f'{name}=' for name in names)}"
            )
        return replace(self, column=columns if {*columns} - {""} else columns.get(""))

    def among(self, gold: str, others: Sequence[str], systems: Sequence[str]) -> _Options:
        """The options of a run with this annotator in gold's place, others and systems in that of systems."""
        formats = []
        for said, form in self._formats:
            # What only systems have is said of these, not of annotators.
            names = systems if not said and is_of_systems(form) else [said]
            formats += [
                f"{'gold' if name == gold else name}={form}" if name else form
                for name in names
                if name in ("", gold, *others, *systems)
            ]
        own = ("", gold, *others, *systems)
        renamed = self._with_names(lambda said: ["gold" if said == gold else said] if said in own else [])
        return replace(renamed, input_format=tuple(formats))

    def of_runs(self, runs: Mapping[str, Sequence[str]]) -> _Options:
        """The options of a run over all runs of systems, by the names of each system's."""
        formats = [
            f"{name}={form}" if name else form for said, form in self._formats for name in runs.get(said, [said])
        ]
        named = self.with_columns(["gold", *runs])._with_names(lambda said: runs.get(said, [said]))
        return replace(named, input_format=tuple(formats))

    def _with_names(self, names: Callable[[str], Sequence[str]]) -> _Options:
        """The options with what is said of one file under the names that its name becomes."""
        others: dict[str, Any] = {
            option: tuple(
                f"{name}={value}" if name else value
                for said, value in _split_names(getattr(self, option))
                for name in names(said)
            )
            for option in _BY_NAME
        }
        if isinstance(self.column, Mapping):
            others["column"] = {name: one for said, one in self.column.items() for name in names(said)}
        return replace(self, **others)

    def check(self) -> None:
        """Refuse values that are none of the choices."""
        from assay.engine.items import KINDS, LABEL_ORDERS, UNRESOLVED

        choices: list[tuple[str, str | None, Sequence[str]]] = [
            ("task", self.task, [name for name, task in tasks().items() if task.prepare]),
            ("unit", None if cluster_key(self.unit or "") else self.unit, (*UNITS, "meta:KEY")),
            ("value of embed", self.embed, ("all", "diff", "sample", "none", "auto")),
            ("interval", self.interval, ("score", "percentile", "bca", "wilson")),
            ("value of correct", self.correct, ("pairs", "slices")),
            ("value of on_mismatch", self.on_mismatch, MISMATCH),
            ("kind of change", self.kind, (*KINDS, UNRESOLVED)),
            ("order of labels", self.label_order, LABEL_ORDERS),
            *((one.noun, getattr(self, one.name), one.choices) for one in task_options().values() if one.choices),
        ]
        for name, value, known in choices:
            if value is not None and value not in known:
                raise unknown(name, value, known)
        for _, value in _split_names(self.repair):
            check_repair(value)
        if self.times < 1:
            raise UsageError(f"{self.times} resamples are too few.")
        if self.power is not None and not 0 < self.power < 1:
            raise UsageError(f"--power {self.power}: give a probability between 0 and 1, e.g. 0.8.")
        if self.sweep < 0:
            raise UsageError(f"{self.sweep} weightings cannot be drawn.")
        if self.missing == "absent" and not self.symmetric:
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
        namespace={"__doc__": _Options.__doc__},
        frozen=True,
    )
    Options.__module__ = __name__


def defaults() -> dict[str, Any]:
    """The options that are not said, by name; what only the engine sets is not among them."""
    return {one.name: one.default for one in fields(Options) if one.name not in _OF_ENGINE}


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
