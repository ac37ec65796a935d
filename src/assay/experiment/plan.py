"""The file that describes an experiment: data sets, systems with their commands, measures, how data are split."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from itertools import product
from pathlib import Path
from typing import Any

from assay import specs
from assay.classes import dataclass
from assay.errors import AssayError, InputError, UsageError, describe_os_error, unknown
from assay.experiment.splits import SCHEMES, Design, read_design, run_seed, split_name
from assay.keywords import OPTIONS

MOST_RUNS = 1_000_000
"""Largest number of runs: each is listed whenever the file is read."""
_NAME = re.compile(r"[^\W_][\w.+-]*")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
SCORING = (
    *("column", "task", "lexicon", "oov_fold_case", "map", "tagset", "strict_tagset", "expand_optional"),
    *("alternatives", "weights", "scheme", "repair", "gold_errors", "duplicates", "missing", "zeros"),
    *("mention_types", "id", "schema", "field"),
)
"""Options of `assay score` that an experiment may set."""
_TOP = (
    *("name", "seed", "repetitions", "folds", "scheme", "by", "stratify", "dev", "measures", "time_limit", "jobs"),
    *("store", "runs", "keep_models", "scoring", "datasets", "systems", "cluster"),
)
_DATA = ("path", "format", "keep", "by", "stratify", "splits", "own_tokens")
ITEMS = "items"
_BY = ("sentence", "document", "item", "meta:COLUMN")
_SYSTEM = ("train", "predict", "predictions", "shell", "blind", "time_limit", "environment")
_GENERAL = ("seed", "data_set", "repetition", "fold", "python", "here")
PLACEHOLDERS = {
    "train": ("train", "dev", "model", "workdir", *_GENERAL),
    "predict": ("train", "dev", "test", "test_blind", "model", "output", "workdir", *_GENERAL),
    "predictions": _GENERAL,
}
"""The placeholders that each kind of template may contain."""
# {name} is a placeholder, {{name}} the text {name}; other braces are plain text.
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
_HEADER = re.compile(r"^\s*\[+([^\[\]]+)\]")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=""")
_KINDS: Mapping[type, str] = {str: "text in quotes", int: "a whole number", bool: "true or false", dict: "a table"}


# --- commands ---


def find_placeholders(text: str) -> list[str]:
    """Placeholders in a text, in order."""
    return [match[2] for match in _PLACEHOLDER.finditer(text) if match[2]]


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """A text with values in place of its placeholders."""
    return _PLACEHOLDER.sub(lambda match: values[match[2]] if match[2] else f"{{{match[1]}}}", text)


@dataclass(frozen=True)
class Template:
    """A command with placeholders: words, or one line for the shell."""

    words: tuple[str, ...]
    shell: bool = False

    @classmethod
    def of(cls, command: str | Sequence[str], shell: bool) -> Template:
        """A template from a line or a list of words; a line is split into words before values are filled in."""
        if shell:
            return cls((command if isinstance(command, str) else shlex.join(command),), True)
        try:
            words = tuple(shlex.split(command) if isinstance(command, str) else command)
        except ValueError as error:
            raise UsageError(f"cannot be split into words ({str(error).lower()}).") from None
        if not words:
            raise UsageError("the command is empty.")
        return cls(words)

    def check(self, kind: str, dev: bool) -> None:
        """Raise UsageError for a placeholder that has no value."""
        for name in self.placeholders:
            if name in ("test", "test_blind", "output") and kind == "train":
                raise UsageError(f"{{{name}}} is only for predict, because training must not see the test part.")
            if name not in PLACEHOLDERS[kind]:
                error = str(unknown("placeholder", name, PLACEHOLDERS[kind]))
                raise UsageError(f"{error} To write braces as text, double them: {{{{{name}}}}}")
            if name == "dev" and not dev:
                raise UsageError("{dev}: there is no development part, because dev = false.")

    @property
    def placeholders(self) -> list[str]:
        """The placeholders in all words."""
        return [name for word in self.words for name in find_placeholders(word)]

    def argv(self, values: Mapping[str, str]) -> list[str]:
        """The words to be run."""
        if self.shell:
            quoted = {name: shlex.quote(value) for name, value in values.items()}
            return ["/bin/sh", "-c", fill_placeholders(self.words[0], quoted)]
        words = [fill_placeholders(word, values) for word in self.words]
        # A program with a slash in its name is relative to the experiment's file, not to the folder of the run.
        if "/" in words[0]:
            words[0] = str(Path(values["here"], words[0]))
        return words

    def check_files(self, here: str) -> None:
        """Raise UsageError for a missing program, or a file that is named as if commands ran where it is."""
        if self.shell:
            return
        values = {"here": here, "python": sys.executable}
        first = self.words[0]
        if set(find_placeholders(first)) <= values.keys():
            program = fill_placeholders(first, values)
            if "/" in program and not Path(here, program).is_file():
                raise UsageError(f"there is no program {Path(here, program)}.")
            if shutil.which(str(Path(here, program)) if "/" in program else program) is None:
                raise UsageError(f"the program {program} is not found, or may not be run.")
        for word in self.words[1:]:
            if not Path(word).is_absolute() and not word.startswith("-") and Path(here, word).is_file():
                raise UsageError(
                    f"{word} is in the experiment's folder, but each command runs in its own folder. "
                    f"Write {{here}}/{word}"
                )


# --- an experiment ---


@dataclass(frozen=True)
class DataSet:
    """A data set of an experiment."""

    name: str
    path: str
    design: Design
    format: str | None = None
    keep: tuple[str, ...] = ()
    """Columns and comments that stay in the blind test part."""
    own_tokens: bool = False
    """True if predictions may have different tokens from the data."""
    splits: str | None = None
    """A file of splits; None if they are made."""
    scoring: tuple[tuple[str, Any], ...] = ()
    """Options of `assay score`."""

    @property
    def task(self) -> str:
        """The task of a table of items; nothing for words."""
        return "" if self.design.by in _BY[:2] else ITEMS


@dataclass(frozen=True)
class System:
    """An external program: how it is trained and how it predicts, or where its predictions are."""

    name: str
    commands: Mapping[str, Template]
    """`train`, if there is anything to train, and `predict`; empty if there are predictions."""
    predictions: str | None = None
    blind: bool = True
    """True if {test} has no annotation for predict."""
    limit: float = 0.0
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, order=True)
class RunId:
    """One run: a system on one split of a data set; repetitions and folds count from 1."""

    dataset: str
    system: str
    repetition: int
    fold: int

    @property
    def split(self) -> str:
        """The split's name, which is that of the run's folder."""
        return split_name(self.repetition, self.fold)

    def __str__(self) -> str:
        return f"{self.dataset} {self.system} {self.split}"


@dataclass(frozen=True)
class Experiment:
    """An experiment as its file describes it."""

    path: Path
    given: Path
    """The path as the user gave it, for messages."""
    name: str
    datasets: Mapping[str, DataSet]
    systems: Mapping[str, System]
    measures: tuple[str, ...]
    store: Path
    runs: Path
    """The folder of the runs' folders."""
    jobs: int
    keep_models: bool
    cluster: Mapping[str, Any]

    @property
    def here(self) -> Path:
        """The folder of the file."""
        return self.path.parent

    def run_ids(self) -> Iterator[RunId]:
        """All runs, split by split, so that systems can be compared before all runs are done."""
        longest = max((data.design.repetitions for data in self.datasets.values()), default=0)
        for repetition in range(1, longest + 1):
            for data in self.datasets.values():
                if repetition <= data.design.repetitions:
                    for fold, system in product(range(1, data.design.runs_per_repetition + 1), self.systems):
                        yield RunId(data.name, system, repetition, fold)

    def inputs(self) -> Iterator[Path]:
        """Files and folders that the experiment reads or keeps: its own, data, predictions, store and runs."""
        yield from (self.path, self.store, self.runs)
        for data in self.datasets.values():
            files = [value for key, value in data.scoring if OPTIONS[key].file]
            yield from map(Path, filter(None, (data.path, data.splits, *files)))
        for run in self.run_ids():
            predictions = self.systems[run.system].predictions
            if predictions is not None:
                yield Path(
                    fill_placeholders(
                        predictions, placeholder_values(run, self.datasets[run.dataset].design, self.here)
                    )
                )

    def folder(self, run: RunId) -> Path:
        """The folder of a run's logs and predictions."""
        return self.runs / run.dataset / run.system / run.split


def placeholder_values(
    run: RunId, design: Design, here: str | Path, folder: Path | None = None, suffix: str = ""
) -> dict[str, str]:
    """Values of placeholders; with a folder also those of the files in it, which have this suffix."""
    values = {
        "seed": str(run_seed(design.seed, run.dataset, run.repetition, run.fold)),
        "data_set": run.dataset,
        "repetition": str(run.repetition),
        "fold": str(run.fold),
        "python": sys.executable,
        "here": str(here),
    }
    if folder is not None:
        for name in ("train", "dev", "test", "test_blind"):
            values[name] = str(folder / "parts" / f"{name}{suffix}")
        values |= {"model": str(folder / "model"), "output": str(folder / f"predictions{suffix}")}
        values["workdir"] = str(folder)
    return values


def measure_and_score(spec: str) -> tuple[str, str | None]:
    """Measure and score of `tag-f1/macro-f1`; the score is None if only a measure is named."""
    measure, slash, score = spec.rpartition("/")
    return (measure, score) if slash and ")" not in score else (spec, None)


def read_plan(path: str | Path) -> Experiment:
    """Read and check the file of an experiment, without reading data."""
    file = Path(path).absolute()
    top = TomlTable.read(Path(path))
    here = file.parent
    name = top.take("name", str, file.stem)
    _check_name(top, "name", "experiment", name)
    limit = _read_duration(top, "time_limit")
    scoring = _read_scoring(top.table("scoring"), here)
    measures = top.texts("measures")
    if not measures:
        raise top.error("measures", 'is empty. Write e.g. measures = ["accuracy"]; `assay measures` lists them.')
    for spec in measures:
        if measures.count(spec) > 1:
            raise top.error("measures", f"{spec} is named twice.")
    scheme = top.choice("scheme", SCHEMES, "folds")
    dev = top.take("dev", bool, True)
    design = Design(
        folds=top.number("folds", 10, 3 if dev else 2),
        repetitions=top.number("repetitions", 1, 1),
        dev=dev,
        by=_read_by(top, "sentence"),
        stratify=top.take("stratify", bool, False),
        scheme=scheme,
        seed=top.number("seed", 0, 0),
    )
    datasets = {key: _read_data_set(key, table, design, scoring, here) for key, table in top.tables("datasets")}
    dev = all(data.design.dev for data in datasets.values())
    systems = {key: _read_system(key, table, limit, dev, here) for key, table in top.tables("systems")}
    experiment = Experiment(
        path=file,
        given=Path(path),
        name=name,
        datasets=datasets,
        systems=systems,
        measures=measures,
        store=here / top.take("store", str, f"{name}.sqlite"),
        runs=here / top.take("runs", str, f"{name}-runs"),
        jobs=top.number("jobs", 1, 1),
        keep_models=top.take("keep_models", bool, False),
        cluster=top.take("cluster", dict, {}),
    )
    top.close(_TOP)
    for key, tables in (("datasets", datasets), ("systems", systems)):
        if not tables:
            example = "news" if key == "datasets" else "mytagger"
            raise top.error("", f"no {key}. Add a table such as [{key}.{example}]")
        # On file systems that ignore case these folders would be one.
        seen: dict[str, str] = {}
        for name in tables:
            if (other := seen.setdefault(name.casefold(), name)) != name:
                raise top.error("", f"[{key}.{other}] and [{key}.{name}] differ only in case. Rename one of them.")
    splits = sum(data.design.repetitions * data.design.runs_per_repetition for data in datasets.values())
    if splits * len(systems) > MOST_RUNS:
        place = "repetitions" if design.repetitions > design.folds else "folds"
        raise top.error(place, f"makes more than {MOST_RUNS:,} runs of all systems. Use fewer repetitions or folds.")
    return experiment


def _read_data_set(name: str, table: TomlTable, design: Design, scoring: Mapping[str, Any], here: Path) -> DataSet:
    _check_name(table, "", "data set", name)
    path = table.take("path", str)
    if not path:
        raise table.error("", 'names no file. Write path = "gold.conllu"')
    splits = table.take("splits", str)
    stratify = table.take("stratify", bool, design.stratify)
    design = replace(design, by=_read_by(table, design.by), stratify=stratify)
    if splits is not None:
        splits = str(here / splits)
        with table.place("splits"):
            design = read_design(splits, name)
    if design.by not in _BY[:2]:
        scoring = {**scoring, "task": ITEMS}
    elif design.stratify:
        raise table.error("stratify", 'is for tables of items. Write by = "item" or "meta:COLUMN"')
    data = DataSet(
        name=name,
        path=str(here / path),
        design=design,
        format=table.take("format", str),
        keep=table.texts("keep"),
        own_tokens=table.take("own_tokens", bool, False),
        splits=splits,
        scoring=tuple(sorted({**scoring, **_read_scoring(table, here, others=_DATA)}.items())),
    )
    if data.format is not None:
        from assay.formats import named_format

        with table.place("format"):
            form, given = specs.parse(data.format, "format")
            specs.convert_parameters(f"format {form}", given, named_format(form).parameters)
    return data


def _read_by(table: TomlTable, default: str) -> str:
    """The things that are split: sentences, documents, items, or the values of a column of items."""
    by: str = table.take("by", str, default)
    if by not in _BY[:3] and not re.fullmatch("meta:.+", by):
        raise table.error("by", str(unknown("choice", by, _BY)))
    return by


def _read_scoring(table: TomlTable, here: Path, others: tuple[str, ...] = ()) -> dict[str, Any]:
    """Options of `assay score` that a table sets; files are relative to the experiment's file."""
    chosen: dict[str, Any] = {}
    for key, default in ((name, option.default) for name, option in OPTIONS.items() if name in SCORING):
        if key in ("scheme", "field"):
            value: Any = table.texts(key)
        else:
            value = table.take(key, bool if isinstance(default, bool) else str, default)
        if value != default:
            chosen[key] = str(here / value) if OPTIONS[key].file and (here / value).is_file() else value
    table.close((*others, *SCORING))
    return chosen


def _read_system(name: str, table: TomlTable, limit: float, dev: bool, here: Path) -> System:
    _check_name(table, "", "system", name)
    shell = table.take("shell", bool, False)
    templates: dict[str, Template] = {}
    for kind in ("train", "predict"):
        command = table.left.pop(kind, None)
        if command is None:
            continue
        listed = isinstance(command, list) and command and all(isinstance(word, str) for word in command)
        if not isinstance(command, str) and not listed:
            raise table.error(kind, f"should be a command in quotes, or a list of words, not {command!r}.")
        with table.place(kind):
            templates[kind] = Template.of(command, shell)
            templates[kind].check(kind, dev)
    predictions = table.take("predictions", str)
    if predictions is None and "predict" not in templates:
        raise table.error("", 'has no predict command. Write predict = "…" (or predictions = "…" if they exist)')
    if predictions is not None:
        if templates:
            raise table.error("predictions", "replaces the commands. Leave train and predict out.")
        with table.place("predictions"):
            Template((predictions,)).check("predictions", dev)
        predictions = str(here / predictions)
    variables = table.table("environment")
    system = System(
        name=name,
        commands=templates,
        predictions=predictions,
        blind=table.take("blind", bool, True),
        limit=_read_duration(table, "time_limit", limit),
        environment={key: variables.take(key, str) for key in list(variables.left)},
    )
    table.close(_SYSTEM)
    return system


def _read_duration(table: TomlTable, key: str, default: float = 0.0) -> float:
    """Seconds, from a number or from text such as 90s, 30m, 2h."""
    value = table.left.pop(key, None)
    if value is None:
        return default
    match = _DURATION.fullmatch(str(value)) if not isinstance(value, bool) else None
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not seconds:
        raise table.error(key, f'should be a time such as 90 (seconds), "30m" or "2h", not {value!r}.')
    return seconds


def _check_name(table: TomlTable, key: str, what: str, name: str) -> None:
    """Raise InputError for a name that cannot be the name of a folder."""
    if not _NAME.fullmatch(name):
        raise table.error(key, f"the {what} {name!r} can contain only letters, digits and . + - _")


# --- a TOML file; the error for each mistake names its line ---


class TomlTable:
    """A table of the file; values are checked when they are taken, and those left at the end are mistakes."""

    def __init__(self, path: Path, source: str, name: str, values: Mapping[str, Any]) -> None:
        self.path, self.source, self.name = path, source, name
        self.left = dict(values)
        """Values that have not been taken yet."""

    @classmethod
    def read(cls, path: Path) -> TomlTable:
        """The whole file as a table."""
        try:
            source = path.read_bytes().decode("utf-8")
            values = tomllib.loads(source)
        except OSError as error:
            raise InputError(f"{path}: cannot be opened ({describe_os_error(error)}).") from None
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: is not UTF-8 ({error.reason} at byte {error.start}).") from None
        except tomllib.TOMLDecodeError as error:
            text = str(error)
            place = re.search(r"\(at line (\d+), column \d+\)", text)
            line = f":{place[1]}" if place else ""
            fact = text[: place.start()].strip() if place else text
            raise InputError(f"{path}{line}: not TOML: {fact}. Put text in quotes.") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: cannot be understood ({error}).") from None
        return cls(path, source, "", values)

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """A value of this type, or the default if it is missing."""
        if key not in self.left:
            return default
        value = self.left.pop(key)
        # In Python true is a number, in TOML it is not.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"should be {_KINDS[kind]}, not {value!r}.")
        return value

    def number(self, key: str, default: int, least: int) -> int:
        """A whole number of at least `least`."""
        value: int = self.take(key, int, default)
        if value < least:
            raise self.error(key, f"is {value}, but must be at least {least}.")
        return value

    def choice(self, key: str, known: Sequence[str], default: str) -> str:
        """One of these words."""
        value: str = self.take(key, str, default)
        if value not in known:
            raise self.error(key, str(unknown("choice", value, known)))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; a single one needs no list."""
        value = self.left.pop(key, ())
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"should be a list of texts in quotes, not {value!r}.")
        return tuple(value)

    def table(self, key: str) -> TomlTable:
        """A table within this one; empty if it is missing."""
        name = f"{self.name}.{key}" if self.name else key
        return TomlTable(self.path, self.source, name, self.take(key, dict, {}))

    def tables(self, key: str) -> Iterator[tuple[str, TomlTable]]:
        """The tables within a table, by name."""
        outer = self.table(key)
        for name in list(outer.left):
            yield name, outer.table(name)

    def within(self, *names: str) -> TomlTable:
        """A table for the places of errors; it has no values."""
        return TomlTable(self.path, self.source, ".".join(names), {})

    def close(self, known: Sequence[str]) -> None:
        """Raise InputError if a value was not taken."""
        for key in self.left:
            raise self.error(key, str(unknown("setting", key, known)), named=False)

    def error(self, key: str, fact: str, named: bool = True) -> InputError:
        """The error for a key of this table."""
        # The line of the key; if it is not there, that of the table's header.
        section, place, wanted = "", str(self.path), ".".join(filter(None, (self.name, key)))
        for number, line in enumerate(self.source.splitlines(), 1):
            header, pair = _HEADER.match(line), _KEY.match(line)
            names = [part.strip().strip("\"'") for part in (header or pair or ["", ""])[1].split(".")]
            if header:
                section = ".".join(names)
                place = f"{self.path}:{number}" if section == self.name else place
            elif pair and ".".join(filter(None, (section, *names))) == wanted:
                place = f"{self.path}:{number}"
                break
        what = " ".join(filter(None, (f"[{self.name}]" if self.name else "", key if named else "")))
        return InputError(f"{place}: {what}: {fact}" if what else f"{place}: {fact}")

    @contextmanager
    def place(self, key: str) -> Iterator[None]:
        """Give errors that are raised inside the place of this key."""
        try:
            yield
        except AssayError as error:
            raise self.error(key, str(error)) from None
