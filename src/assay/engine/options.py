"""The options of a run, checked, and what the files decided."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from assay.arrays import to_python
from assay.classes import dataclass
from assay.corpus import UNITS, cluster_key
from assay.engine.measure import Measure
from assay.engine.task import Task, find_task, tasks
from assay.errors import InputError, UsageError, describe_os_error, unknown
from assay.formats import FORMATS
from assay.formats.items import FORMAT as ITEMS
from assay.formats.source import list_files
from assay.formats.whose import Asked, check_repair
from assay.keywords import OF_TASKS, OPTIONS
from assay.result import enumeration
from assay.specs import check_margin, read_fraction, read_share

T = TypeVar("T")
_CONFIDENCE = "give a number on the scale of the confidences, e.g. 0.5, or a file of --choose."
TRAIN = "train"
"""The name of training data in `--which`."""
TAGS = ("XPOS", "tag", "UPOS")
"""The columns of tags that can decide the types of mentions: the first that gold fills does."""
_PARAMETERS = ("params", "tagset", "weights")
"""Parameters of measures that may be the path of a file."""
_PERSON = re.compile(r"([^=:]*)=(.*)", re.DOTALL)
_BY_FILE = {
    "input_format": re.compile(r"([^=()]+)=(.+)", re.DOTALL),
    "which": _PERSON,
    "repair": _PERSON,
    "min_score": re.compile(r"([^=]*)=(.+)", re.DOTALL),
}
"""Options with values for one file, NAME=VALUE; `tsv(word=2)` and `annotator:a=b` have no name before them."""


@dataclass(frozen=True)
class Decided:
    """What the first of many shards decides, so that all others are read in the same way."""

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
    """The column of tags that decides the types of mentions."""
    inventory: tuple[str, ...] = ()
    """The labels by which answers of language models are read."""
    symmetric: tuple[str, ...] = ()
    """Labels of relations that have no direction, as some file says."""
    kind: str = ""
    """What items have: `labels`, `sets`, `ordered` labels or `numbers`."""
    joined_by: str = ""
    """What says which rows of gold and of a system are the same item: `id` or `order`."""
    order: tuple[str, ...] = ()
    """The labels of items in their order, if they have one."""
    parted_by: str = ""
    """The tagset by which tags are split into categories, named by the user or recognised; empty if they are not."""

    def __or__(self, other: Decided) -> Decided:
        """The way to read two shards; the first decides what cannot be reconciled."""
        return replace(
            self,
            filled=tuple(a or b for a, b in zip(self.filled, other.filled, strict=True)),
            characters=self.characters or other.characters,
            tags=min((self.tags, other.tags), key=(*TAGS, None).index),
            inventory=tuple(sorted({*self.inventory, *other.inventory})),
            symmetric=tuple(sorted({*self.symmetric, *other.symmetric})),
        )


def is_system_format(form: str) -> bool:
    """True if only systems have this format."""
    known = FORMATS.get(form.partition("(")[0].strip())
    return known is not None and known.of_systems


def _with_options(kind: type[T]) -> type[T]:
    """A dataclass with a field for each option that is declared."""
    kind.__annotations__ = {**dict.fromkeys(OPTIONS, Any), **kind.__annotations__}
    for name, option in OPTIONS.items():
        setattr(kind, name, option.default)
    return dataclass(frozen=True)(kind)


@_with_options
class Options:
    """The options of a run: those of keywords.py by their names, and what only the engine sets."""

    symmetric: bool = False
    """True if neither side is gold: two annotators."""
    figures_alone: bool = False
    """Only scores are wanted: no intervals, items or labels."""
    pairs_of_sets: int = 0
    """Number of pairs tested on all data sets of a run; 0 if there is only this one."""
    decided: Decided | None = None
    """For one of many shards: how it is read. What must be true of some shard is then not asked of each."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

        def __init__(self, **given: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            value = to_python(getattr(self, name))
            if isinstance(value, PathLike):
                value = fspath(value)
            if name in ("min_score", "margin", "risk") and isinstance(value, int | float):
                value = str(value)
            if option.separator and isinstance(value, str):
                # As on the command line, PER,LOC are two; the tag for commas is itself.
                value = [value] if value == option.separator else value.split(option.separator) if value else ()
            if isinstance(value, Mapping):
                by_file = {file: str(cell) for file, cell in value.items()}
                value = by_file if name == "column" else [f"{file}={cell}" for file, cell in by_file.items()]
            if option.default == ():
                value = (value,) if isinstance(value, str) else tuple(value or ())
                value = tuple(sorted({*value})) if option.separator else value
            elif name == "risk" and value is not None:
                value = read_share("--risk", value)
            elif isinstance(value, list | tuple):
                # One by itself is what it is, none is none.
                value = tuple(value) if len(value) > 1 else next(iter(value), None)
            object.__setattr__(self, name, value)

    def keeps(self, *names: str) -> bool:
        """True if a label counts, which may have several names (nsubj:pass, nsubj)."""
        wanted = not self.labels or any(name in self.labels for name in names)
        return wanted and not any(name in self.ignore_labels for name in names)

    # --- values for one file ---

    def _by_file(self, option: str) -> list[tuple[str, str]]:
        """The file that each value of an option is for, if it is not for all, and the value."""
        given = getattr(self, option) or ()
        values = (given,) if isinstance(given, str) else given
        matches = ((_BY_FILE[option].fullmatch(value), value) for value in values)
        return [(match[1], match[2]) if match else ("", value) for match, value in matches]

    def without_formats(self, names: Collection[str]) -> Options:
        """The options without the formats of files that are read already."""
        kept = [(file, form) for file, form in self._by_file("input_format") if file not in names]
        return replace(self, input_format=[f"{file}={form}" if file else form for file, form in kept])

    def format_of(self, name: str) -> str | None:
        """The format that the user gives for a file, or None; one that only systems have is not for gold."""
        given = self._by_file("input_format")
        formats = {file or ("systems" if is_system_format(form) else "all"): form for file, form in given}
        of_systems = formats.get("systems", formats.get("all")) if name != "gold" else formats.get("all")
        return formats.get(name, of_systems)

    def asked_of(self, name: str) -> Asked:
        """The user's wishes for a file: whose annotation to read, and how to treat faults."""
        which, repair = (dict(self._by_file(option)) for option in ("which", "repair"))
        # Training data are read as gold is.
        like = "gold" if name == TRAIN else name
        mending = check_repair(repair.get(like, repair.get("", "")))
        is_system = like != "gold" and not self.symmetric
        has_items = True if self.id or self.task == ITEMS else False if self.task or name == TRAIN else None
        sets = self.sets if isinstance(self.sets, str) else ""
        who = which.get(name, which.get("", ""))
        several = self.alternatives or "" if name == "gold" else ""
        layer = self.column_of(like)
        column = layer if isinstance(layer, str) else ""
        return Asked(name, who, mending, is_system, self.id, sets, several, has_items, self.symmetric, column)

    @property
    def annotators(self) -> list[str]:
        """Those that --which names without a file."""
        return [who for file, who in self._by_file("which") if not file]

    def with_annotators(self, who: Mapping[str, str]) -> Options:
        """The options with annotators of one file by the names that they have here."""
        others = [f"{file}={given}" for file, given in self._by_file("which") if file]
        return replace(self, which=[*(f"{name}={given}" for name, given in who.items()), *others])

    def threshold_of(self, name: str) -> tuple[float, str | None] | None:
        """The least score that counts in a system, and the checksum of the gold on which it was chosen; None if all
        count."""
        given = dict(self._by_file("min_score"))
        text = given.get(name, given.get("", ""))
        if not text:
            return None
        try:
            value, chosen_on = float(text), None
        except ValueError:
            value, chosen_on = read_threshold(text, name)
        if math.isnan(value):
            raise UsageError(f"--min-score {text}: {_CONFIDENCE}")
        return value, chosen_on

    def margin_of(self, measure: str, form: str) -> float | None:
        """The smallest difference of a measure that matters, or None; `form` is that of its main score."""
        margins = {name: (value, text) for name, value, text in self._margins}
        value, text = margins.get(measure, margins.get("", (None, "")))
        if value is not None and form == "percent":
            check_margin(text, value)
        return value

    @property
    def _margins(self) -> list[tuple[str, float, str]]:
        """Each margin: the measure (empty: all others), the difference, and the text that was given."""
        return [(*read_fraction("--margin", text, "0.005 or 0.5pt"), text) for text in self.margin]

    def check_margins(self, measures: Collection[str]) -> None:
        """Raise an error if a margin is for a measure that is not tested."""
        for measure, _, text in self._margins:
            if measure and measure not in measures:
                raise UsageError(f"--margin {text}: {unknown('measure', measure, measures)}")

    def check_formats(self, names: Sequence[str]) -> None:
        """Raise an error if formats, annotators or repairs are for files that are not there, or two for one file."""
        for option in _BY_FILE:
            files = [file for file, _ in self._by_file(option)]
            for file in files:
                if file == TRAIN and option == "which" and self.train:
                    continue
                if file and file not in names:
                    raise unknown("system", file, names)
                if files.count(file) > 1 and option != "input_format":
                    values = getattr(self, option)
                    given = " ".join(f"--{option} {value}" for value in values)
                    raise UsageError(f"{given}: name the file of each, e.g. --{option} gold={values[0]}")

    def column_of(self, name: str) -> str | None:
        """The column that the user gives for a file, or None."""
        column = self.column
        return column.get(name, column.get("")) if isinstance(column, Mapping) else cast(str | None, column)

    @property
    def spelled_column(self) -> str:
        """The columns as the user gave them."""
        given = [self.column or ""] if isinstance(self.column, str | int | None) else self.column
        by_name = given.items() if isinstance(given, Mapping) else [("", column) for column in given]
        return ",".join(f"{name}={column}" if name else str(column) for name, column in by_name)

    def with_columns(self, names: Sequence[str]) -> Options:
        """The options with columns by file; text before = that is none of these names belongs to a column."""
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
                twice = f"--column is given twice {f'for {name}' if name else 'without a name'}"
                remedy = f"--column {names[0]}={columns[name]} --column {names[1]}={column}"
                raise UsageError(f"{twice}: {columns[name]}, {column}. Name the file of each: {remedy}")
            columns[name] = column
        if "" in columns and columns.keys() >= {*names}:
            raise UsageError(
                f"--column {columns['']}: every file already has its own column. Leave it out, or put a name before "
                f"it: {', '.join(f'{name}=' for name in names)}"
            )
        return replace(self, column=columns if {*columns} - {""} else columns.get(""))

    def for_annotators(self, gold: str, others: Sequence[str], systems: Sequence[str]) -> Options:
        """The options of a run with this annotator in gold's place, others and systems in that of systems."""
        # A format that only systems have is for these, not for annotators.
        formats = [
            f"{name}={form}" if name else form
            for file, form in self._by_file("input_format")
            for name in (systems if not file and is_system_format(form) else [file])
        ]
        files = ("", TRAIN, gold, *others, *systems)
        named = replace(self, input_format=formats)
        return named._with_names(lambda file: ["gold" if file == gold else file] if file in files else [])

    def of_runs(self, runs: Mapping[str, Sequence[str]]) -> Options:
        """The options of a run over all runs of systems, by the names of each system's."""
        return self.with_columns(["gold", *runs])._with_names(lambda file: runs.get(file, [file]))

    def _with_names(self, names: Callable[[str], Sequence[str]]) -> Options:
        """The options with values for one file under the names that its name becomes."""
        others: dict[str, Any] = {
            option: tuple(
                f"{name}={value}" if name else value
                for file, value in self._by_file(option)
                for name in names(file)
            )
            for option in _BY_FILE
        }
        if isinstance(self.column, Mapping):
            others["column"] = {name: column for file, column in self.column.items() for name in names(file)}
        return replace(self, **others)

    # --- checks ---

    def check(self) -> None:
        """Raise an error for a value that an option cannot have."""
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if option.choices and value not in (None, *option.choices):
                raise unknown(f"value of {name}", value, option.choices)
            if option.least is not None and value < option.least:
                raise UsageError(f"{option.flag} {value}: give {option.least} or more.")
            if option.file == "path" and (value == "-" or (value and Path(value).is_fifo())):
                where = "standard input" if value == "-" else "a pipe"
                raise UsageError(f"{option.flag} {value} : this file is read twice, so it cannot come from {where}.")
        if self.task is not None and find_task(self.task).prepare is None:
            raise unknown("task", self.task, [name for name, task in tasks().items() if task.prepare])
        if self.unit not in (None, "item", *UNITS) and not cluster_key(self.unit):
            raise unknown("unit", self.unit, (*UNITS, "meta:KEY"))
        for _, value in self._by_file("repair"):
            check_repair(value)
        if self.power is not None and not 0 < self.power < 1:
            raise UsageError(f"--power {self.power:g}: give a probability between 0 and 1, e.g. 0.8.")
        for number, (measure, margin, text) in enumerate(self._margins):
            if margin <= 0:
                raise UsageError(f"--margin {text}: give a margin above 0, e.g. 0.005 or 0.5pt.")
            if measure in [name for name, *_ in self._margins[:number]]:
                raise UsageError(f"--margin {text}: a second margin for {measure or 'all measures'}.")
        for name, value in (("missing", "absent"), ("kind", "disagreement")):
            if getattr(self, name) == value and not self.symmetric:
                raise UsageError(f"--{name} {value} is for annotators. Use: assay agreement")
        if (self.change or self.kind) and not self.examples:
            raise UsageError("--change and --kind select examples. Give their number: --examples 5")
        if self.oov_fold_case and not (self.train or self.lexicon):
            raise UsageError("--oov-fold-case is for the words of --train and --lexicon. Give one of them.")
        if "" in (*self.labels, *self.ignore_labels):
            raise UsageError("--labels and --ignore-labels take names separated by commas, e.g. PER,LOC.")
        if both := set(self.labels) & set(self.ignore_labels):
            raise UsageError(f"{min(both)} is in both --labels and --ignore-labels. Remove it from one of them.")

    def check_task(self, task: Task) -> None:
        """Raise an error for an option that other tasks use, but not this one."""
        for name in (name for name in OPTIONS if name in OF_TASKS.difference(task.options)):
            option = OPTIONS[name]
            if getattr(self, name) != option.default:
                users = [other.name for other in tasks().values() if name in other.options]
                are = "are" if task.name.endswith("s") else "is"
                about = f"{option.flag} is for {enumeration(users)}, but {task.name} {are} compared."
                raise UsageError(f"{about} Remove {option.flag}.")


def read_threshold(path: str, name: str) -> tuple[float, str]:
    """The threshold that was chosen for a system, and the checksum of the gold on which it was chosen."""
    if not Path(path).is_file():
        raise UsageError(f"--min-score {path}: {_CONFIDENCE}")
    try:
        data = json.loads(Path(path).read_text("utf-8"))
        values = {str(system): float(row["value"]) for system, row in data["thresholds"].items()}
        chosen_on = str(data["gold"]["sha256"])
    except (ValueError, TypeError, LookupError, AttributeError):
        written = "assay score GOLD SYSTEM --choose MEASURE -o chosen.json"
        raise InputError(f"{path}: contains no thresholds. To write such a file: {written}") from None
    if name not in values:
        known = enumeration(list(values)) if values else "no system"
        raise UsageError(f"{path}: has a threshold for {known}, but none for {name}. Name the system to match: "
        f"NAME=FILE")
    return values[name], chosen_on


def checksum_files(options: Options, measures: Sequence[Measure]) -> dict[str, str]:
    """Checksums of the further files that scores depend on, by the option or parameter that names each.

    The module of a user's measure is one of them.
    """
    files: dict[str, str] = {}
    for name, option in OPTIONS.items():
        value = getattr(options, name) if option.file else None
        if value and isinstance(value, str) and (option.file == "path" or Path(value).is_file()):
            files[name] = value
    for measure in measures:
        for name in _PARAMETERS:
            value = measure.parameters.get(name)
            if isinstance(value, str) and Path(value).is_file():
                files[f"{name} {value}"] = value
        function = measure.function
        if not function.__module__.startswith("assay."):
            source = inspect.getsourcefile(function) or ""
            files.update({f"module {function.__module__}": source} if Path(source).is_file() else {})
    digests: dict[str, str] = {}
    for name, path in files.items():
        digest = hashlib.sha256()
        for file in list_files(path):
            try:
                with open(file, "rb") as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
            except OSError as error:
                raise InputError(f"--{name} {path}: cannot be opened ({describe_os_error(error)}).") from None
        digests[name] = digest.hexdigest()
    return digests
