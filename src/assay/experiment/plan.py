"""The file that describes an experiment: data sets, systems, measures, and how data are split."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from assay.errors import unknown
from assay.experiment.commands import PLACEHOLDERS, Template, filled
from assay.experiment.runtables import split_name
from assay.experiment.splitfiles import read_design
from assay.experiment.splits import SCHEMES, Design, run_seed
from assay.experiment.toml import Table

_NAME = re.compile(r"[^\W_][\w.+-]*")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
SCORING = (
    *("column", "task", "lexicon", "oov_fold_case", "map", "tagset", "strict_tagset", "expand_optional"),
    *("alternatives", "weights", "scheme", "repair", "gold_errors", "duplicates", "missing", "zeros"),
    "mention_types",
)
"""Options of `assay score` that an experiment may set."""
_FILES = ("lexicon", "map", "gold_errors", "mention_types", "tagset", "weights")
_TOP = (
    *("name", "seed", "repetitions", "folds", "scheme", "by", "dev", "measures", "time_limit", "jobs", "store"),
    *("runs", "keep_models", "scoring", "datasets", "systems", "cluster"),
)
_DATA = ("path", "format", "keep", "by", "splits", "own_tokens")
_SYSTEM = ("train", "predict", "predictions", "shell", "blind", "time_limit", "environment")


@dataclass(frozen=True)
class DataSet:
    """A corpus to be split."""

    name: str
    path: str
    design: Design
    format: str | None = None
    keep: tuple[str, ...] = ()
    """Columns and comments that stay in the blind test part."""
    own_tokens: bool = False
    """Whether predictions may have other tokens than the data."""
    splits: str | None = None
    """A file of splits to be used, in place of making them."""
    scoring: tuple[tuple[str, Any], ...] = ()
    """Options of `assay score`."""


@dataclass(frozen=True)
class System:
    """An external program: how it is trained and how it predicts, or where its predictions lie."""

    name: str
    train: Template | None = None
    predict: Template | None = None
    predictions: str | None = None
    blind: bool = True
    """Whether {test} is without annotation for predict too."""
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
        """All runs, split by split, so that systems stay comparable however far one gets."""
        longest = max((data.design.repetitions for data in self.datasets.values()), default=0)
        for repetition in range(1, longest + 1):
            for data in self.datasets.values():
                if repetition <= data.design.repetitions:
                    for fold, system in product(range(1, data.design.runs_per_repetition + 1), self.systems):
                        yield RunId(data.name, system, repetition, fold)

    def inputs(self) -> Iterator[Path]:
        """The files and folders that the experiment reads or keeps: its own, data, predictions, store and runs."""
        yield from (self.path, self.store, self.runs)
        for data in self.datasets.values():
            files = [value for key, value in data.scoring if key in _FILES]
            yield from map(Path, filter(None, (data.path, data.splits, *files)))
        for run in self.run_ids():
            given = self.systems[run.system].predictions
            if given is not None:
                values = values_of_run(run, self.datasets[run.dataset].design, self.here)
                yield Path(filled(given, values))

    def folder(self, run: RunId) -> Path:
        """Where a run's logs and predictions are kept."""
        return self.runs / run.dataset / run.system / run.split


def values_of_run(run: RunId, design: Design, here: str | Path) -> dict[str, str]:
    """What placeholders stand for that have nothing to do with the folder of a run."""
    return {
        "seed": str(run_seed(design.seed, run.dataset, run.repetition, run.fold)),
        "data_set": run.dataset,
        "repetition": str(run.repetition),
        "fold": str(run.fold),
        "python": sys.executable,
        "here": str(here),
    }


def values_of_folder(folder: Path, suffix: str) -> dict[str, str]:
    """What placeholders stand for in the folder of a run, whose data have this suffix."""
    parts = {name: str(folder / "parts" / f"{name}{suffix}") for name in ("train", "dev", "test", "test_blind")}
    output = str(folder / f"predictions{suffix}")
    return {**parts, "model": str(folder / "model"), "output": output, "workdir": str(folder)}


def read_plan(path: str | Path) -> Experiment:
    """Read and check the file of an experiment; nothing is run and no data are read."""
    file = Path(path).absolute()
    top = Table.read(Path(path))
    here = file.parent
    name = top.take("name", str, file.stem)
    _check_name(top, "name", "experiment", name)
    limit = _duration(top, "time_limit")
    scoring = _scoring(top.table("scoring"), here)
    measures = _measures(top)
    design = _design(top)
    datasets = {key: _data_set(key, table, design, scoring, here) for key, table in top.tables("datasets")}
    dev = all(data.design.dev for data in datasets.values())
    systems = {key: _system(key, table, limit, dev, here) for key, table in top.tables("systems")}
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
        cluster=top.table("cluster").rest(),
    )
    top.close(_TOP)
    for key, found in (("datasets", datasets), ("systems", systems)):
        if not found:
            example = "news" if key == "datasets" else "mytagger"
            raise top.error("", f"no {key}. Add a table such as [{key}.{example}]")
        _check_distinct(top, key, found)
    return experiment


def measure_and_score(spec: str) -> tuple[str, str | None]:
    """`tag-f1/macro-f1` is a measure and one of its scores; without, the main one is meant."""
    measure, slash, score = spec.rpartition("/")
    return (measure, score) if slash and ")" not in score else (spec, None)


def _measures(top: Table) -> tuple[str, ...]:
    measures = top.texts("measures")
    if not measures:
        raise top.error("measures", 'names none. Say e.g. measures = ["accuracy"]; `assay measures` lists them.')
    for spec in measures:
        if measures.count(spec) > 1:
            raise top.error("measures", f"{spec} is named twice.")
    return measures


def _design(top: Table) -> Design:
    scheme = top.choice("scheme", SCHEMES, "folds")
    dev = top.take("dev", bool, True)
    folds = top.number("folds", 10, 3 if dev else 2)
    return Design(
        folds=folds,
        repetitions=top.number("repetitions", 1, 1),
        dev=dev,
        by=top.choice("by", ("sentence", "document"), "sentence"),
        scheme=scheme,
        seed=top.number("seed", 0, 0),
    )


def _data_set(name: str, table: Table, design: Design, scoring: Mapping[str, Any], here: Path) -> DataSet:
    _check_name(table, "", "data set", name)
    path = table.take("path", str)
    if not path:
        raise table.error("", 'names no file. Say path = "gold.conllu"')
    splits = table.take("splits", str)
    design = replace(design, by=table.choice("by", ("sentence", "document"), design.by))
    if splits is not None:
        splits = str(here / splits)
        with table.place("splits"):
            design = read_design(splits, name)
    data = DataSet(
        name=name,
        path=str(here / path),
        design=design,
        format=table.take("format", str),
        keep=table.texts("keep"),
        own_tokens=table.take("own_tokens", bool, False),
        splits=splits,
        scoring=tuple(sorted({**scoring, **_scoring(table, here, others=_DATA)}.items())),
    )
    if data.format is not None:
        with table.place("format"):
            _check_format(data.format)
    return data


def _check_format(spec: str) -> None:
    from assay import specs
    from assay.formats import FORMATS

    name, given = specs.parse(spec, "format")
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    specs.typed(f"format {name}", given, FORMATS[name].parameters)


def _scoring(table: Table, here: Path, others: tuple[str, ...] = ()) -> dict[str, Any]:
    """The options of `assay score` that a table sets; files lie beside the experiment."""
    from assay.engine.options import Options

    known = {item.name: item.default for item in fields(Options) if item.name in SCORING}
    chosen: dict[str, Any] = {}
    for key, default in known.items():
        if key == "scheme":
            value: Any = table.texts(key)
        else:
            value = table.take(key, bool if isinstance(default, bool) else str, default)
        if value != default:
            chosen[key] = str(here / value) if key in _FILES and (here / value).is_file() else value
    table.close((*others, *SCORING))
    return chosen


def _system(name: str, table: Table, limit: float, dev: bool, here: Path) -> System:
    _check_name(table, "", "system", name)
    shell = table.take("shell", bool, False)
    given = {kind: table.any(kind) for kind in ("train", "predict")}
    templates = {kind: _template(table, kind, text, shell, dev) for kind, text in given.items() if text is not None}
    predictions = table.take("predictions", str)
    if predictions is None and "predict" not in templates:
        raise table.error("", 'has no predict command. Say predict = "…" (or predictions = "…", where they exist)')
    if predictions is not None:
        if templates:
            raise table.error("predictions", "stands in place of commands: leave train and predict out.")
        with table.place("predictions"):
            Template((predictions,)).check("predictions", dev)
        predictions = str(here / predictions)
    variables = table.table("environment")
    system = System(
        name=name,
        train=templates.get("train"),
        predict=templates.get("predict"),
        predictions=predictions,
        blind=table.take("blind", bool, True),
        limit=_duration(table, "time_limit", limit),
        environment={key: variables.take(key, str) for key in variables.left()},
    )
    table.close(_SYSTEM)
    return system


def _template(table: Table, kind: str, given: Any, shell: bool, dev: bool) -> Template:
    listed = isinstance(given, list) and given and all(isinstance(word, str) for word in given)
    if not isinstance(given, str) and not listed:
        raise table.error(kind, f"should be a command in quotes, or a list of words, not {given!r}.")
    assert kind in PLACEHOLDERS
    with table.place(kind):
        template = Template.of(given, shell)
        template.check(kind, dev)
    return template


def _duration(table: Table, key: str, default: float = 0.0) -> float:
    """Seconds, from a number or from text such as 90s, 30m, 2h."""
    value = table.any(key)
    if value is None:
        return default
    match = _DURATION.fullmatch(str(value)) if not isinstance(value, bool) else None
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not seconds:
        raise table.error(key, f'should be a time such as 90 (seconds), "30m" or "2h", not {value!r}.')
    return seconds


def _check_name(table: Table, key: str, what: str, name: str) -> None:
    """Names are those of folders too."""
    if not _NAME.fullmatch(name):
        raise table.error(key, f"the {what} {name!r} should be named by letters, digits and . + - _ alone.")


def _check_distinct(top: Table, key: str, names: Mapping[str, Any]) -> None:
    """Where capitals do not count in names of files, these folders would be one."""
    seen: dict[str, str] = {}
    for name in names:
        if name.casefold() in seen:
            raise top.error("", f"[{key}.{seen[name.casefold()]}] and [{key}.{name}] differ in capitals alone.")
        seen[name.casefold()] = name
