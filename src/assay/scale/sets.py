"""Many data sets in one run: the Result of each, and one over all of them.

`{data}` in a path stands for the name of the data set.
"""

from __future__ import annotations

import glob
import os
import re
import reprlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Unpack

from assay.corpus.adapters import named_systems
from assay.engine.options import Options
from assay.engine.sets import over_sets
from assay.errors import AssayError, InputError, UsageError, describe_os_error
from assay.keywords import CompareKeywords, explicit
from assay.result import Result, Results, enumeration
from assay.scale.run import TRIES, evaluate, score
from assay.scale.workers import start_workers, work

DATA = "{data}"


@explicit
def compare_sets(
    data: Any,
    systems: Any = None,
    measures: Sequence[str] | str | None = None,
    *,
    jobs: int = 1,
    **options: Unpack[CompareKeywords],
) -> Results:
    """Compare systems on several data sets; one system is scored.

    `data` is a mapping from names to golds, or a pattern with `{data}` for the name, such as `gold/{data}.conllu`.
    `systems` are patterns, `{"udpipe": "out/{data}/udpipe.conllu"}`, or mappings from data sets to outputs; both may
    be in a TOML file that is given for `data`. Options are those of `compare`, for all data sets, and paths among
    them may contain `{data}`. `jobs` is the number of processes that share the data sets.
    """
    golds, systems = name_data_sets([data] if isinstance(data, str | Path) else data, systems)
    function = compare_one if len(systems) > 1 else score
    return evaluate_sets(golds, systems, function, {"measures": measures, **options}, jobs=jobs)


# --- what the user names ---


def name_data_sets(
    given: Mapping[str, Any] | Sequence[str | Path], systems: Any = None, gold: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The gold of each data set, and the pattern or the outputs of each system, by name.

    Data sets are given as a mapping or by `NAME=GOLD`, a pattern or a TOML file; or by `NAME` alone if `gold` is
    the gold of all.
    """
    golds: dict[str, Any] = {}
    named: dict[str, Any] = {}
    if not isinstance(given, Mapping | Sequence) or not all(isinstance(name, str | Path) for name in given):
        raise UsageError(
            f"expected data sets by name, but got {reprlib.repr(given)}. Give e.g. {{'de': 'de.conllu'}}, or a "
            "pattern: 'gold/{data}.conllu'"
        )
    pairs: list[tuple[str, Any]] = list(given.items()) if isinstance(given, Mapping) else []
    for spec in () if isinstance(given, Mapping) else map(str, given):
        name, equals, path = spec.partition("=")
        if spec.lower().endswith(".toml") and not equals:
            file_golds, file_systems = read_toml(spec)
            pairs += file_golds.items()
            named |= file_systems
        elif DATA in spec and (DATA in name or not equals):
            literal = spec.split(DATA)
            # A second {data} is the same name again.
            expression = f"{re.escape(literal[0])}([^/]+)" + r"\1".join(map(re.escape, literal[1:]))
            paths = glob.glob("*".join(map(glob.escape, literal)))
            matches = sorted((match[1], path) for path in paths if (match := re.fullmatch(expression, path)))
            if not matches:
                raise InputError(f"{spec}: no file matches this pattern.")
            pairs += matches
        elif bool(equals) == (gold is not None):
            should = "NAME=GOLD, a pattern with {data}, or a TOML file" if gold is None else "NAME, without gold"
            raise UsageError(f"--data {spec}: should be {should}.")
        else:
            pairs.append((name, path))
    for name, value in pairs:
        if not name or name in golds:
            raise UsageError(f"--data: two data sets are called {name!r}." if name else "--data: a name is empty.")
        golds[name] = _fill(value if gold is None else gold, name)
    if not golds:
        raise UsageError("no data set is given. Give --data NAME=GOLD, or a pattern: --data 'gold/{data}.conllu'")
    if systems:
        named |= named_systems(systems)
    for name, system in named.items():
        if DATA in name:
            # Files with the same name are called by folder and file.
            folder, _, file = name.rpartition("/")
            if DATA in folder and DATA not in file:
                file = re.sub(r" \(\d+\)$", "", file)
                raise UsageError(f"two systems are called {file!r}. Give each its own name: NAME={system}")
            raise UsageError(f"{system}: the system has no name. Give it one: NAME={system}")
        if isinstance(system, str | Path) and DATA not in str(system) and len(golds) > 1:
            raise UsageError(
                f"{system}: would be the output of {name} for every data set. Write {DATA} in the path where the "
                f"names of the data sets go."
            )
    if not named:
        raise UsageError("no system is given. Give e.g. udpipe='out/{data}/udpipe.conllu'")
    return golds, named


def read_toml(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables `data` and `systems` of a file; paths are relative to its folder."""
    try:
        content = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({describe_os_error(error)}).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not TOML ({error}).") from None
    tables = [content.get(name, {}) for name in ("data", "systems")]
    strange = [name for name in content if name not in ("data", "systems")]
    if strange or not all(isinstance(table, dict) for table in tables):
        what = f"there is no {strange[0]!r} here" if strange else "data and systems are not tables"
        raise InputError(f"{path}: {what}. It should contain the tables [data] and [systems].")
    folder = Path(path).parent

    def resolve(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: resolve(path, f"{name}.{key}") for key, path in value.items()}
        if not isinstance(value, str):
            raise InputError(f"{path}: {name} should be a path in quotes.")
        return ",".join(str(folder / path) for path in value.split(","))

    data, systems = ({key: resolve(value, key) for key, value in table.items()} for table in tables)
    return data, systems


def _fill(value: Any, name: str) -> Any:
    """Paths with the name of a data set in place of `{data}`; other values unchanged."""
    if isinstance(value, str):
        return value.replace(DATA, name)
    if isinstance(value, Path):
        return Path(str(value).replace(DATA, name))
    if isinstance(value, tuple | list) and all(isinstance(path, str | Path) for path in value):
        return type(value)(_fill(path, name) for path in value)
    return value


# --- the work ---


def evaluate_set(piece: tuple[Callable[..., Result], str, Any, Mapping[str, Any], Mapping[str, Any]]) -> Result:
    """The Result that a function makes of one data set: its name, gold, outputs of systems, and options."""
    function, name, gold, systems, options = piece
    try:
        return function(gold, systems, **{key: _fill(value, name) for key, value in options.items()})
    except AssayError as error:
        raise type(error)(f"data set {name}: {error}") from None


def compare_one(gold: Any, systems: Any, measures: Any = None, **options: Any) -> Result:
    """A comparison on one of several data sets, which keeps what tests over all of them need."""
    return evaluate("compare", gold, systems, measures, Options(**options))


def evaluate_sets(
    golds: Mapping[str, Any],
    systems: Mapping[str, Any],
    function: Callable[..., Result],
    options: Mapping[str, Any],
    *,
    jobs: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Results:
    """The Result that a function of gold, systems and options makes of each data set, and the one over all."""
    outputs: dict[str, dict[str, Any]] = {name: {} for name in golds}
    missing: dict[str, dict[str, Any]] = {}
    for name, (system, pattern) in product(golds, systems.items()):
        output = _fill(pattern.get(name) if isinstance(pattern, Mapping) else pattern, name)
        # A path may be a pattern, or the paths of several runs.
        paths = [str(output), *str(output).split(",")] if isinstance(output, str | Path) else []
        there = any(os.path.exists(path) or glob.glob(path, recursive=True) for path in paths)
        if output is None or (paths and not there):
            missing.setdefault(system, {})[name] = output
        else:
            outputs[name][system] = output
    for system, absent in missing.items():
        if len(absent) == len(golds):
            output = next(iter(absent.values())) or system
            raise InputError(f"{output}: does not exist, and {system} has no output for any other data set either.")
    for name in golds:
        if not outputs[name]:
            raise InputError(f"data set {name}: no system has an output for it. Leave it out.")
    if function is compare_one:
        numbers, baseline = map(len, outputs.values()), options.get("baseline") is not None
        pairs = sum(number - 1 if baseline else number * (number - 1) // 2 for number in numbers)
        options = {**options, "pairs_of_sets": pairs}
    if jobs < 1:
        raise UsageError(f"--jobs {jobs}: give 1 or more.")
    pieces = [(function, name, gold, outputs[name], options) for name, gold in golds.items()]
    number = min(jobs, len(pieces))
    results: dict[int, Result] = {}
    with start_workers(__name__, number if number > 1 else 0) as crew:
        answers: Any = ((index, evaluate_set(piece)) for index, piece in enumerate(pieces))
        if crew:
            answers = work(crew, evaluate_set, pieces, tries=TRIES, ahead=len(pieces))
        for done, (index, result) in enumerate(answers, 1):
            if result is None:
                raise UsageError(
                    f"data set {pieces[index][1]}: its process was killed {TRIES} times. Is there too little memory? "
                    "Use fewer --jobs."
                )
            report(done, len(pieces))
            results[index] = result
    notes = [
        f"{system} has no output for {enumeration([*absent])}, so averages, ranks and bests are computed over the "
        f"data sets that all systems have."
        for system, absent in missing.items()
    ]
    return over_sets({name: results[index] for index, name in enumerate(golds)}, notes)
