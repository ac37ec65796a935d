"""Many data sets in one run: the Result of each is made as ever, and one over all of them.

`{data}` in a path stands for the name of the data set.
"""

from __future__ import annotations

import glob
import os
import re
import reprlib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from assay.corpus.adapters import named_systems
from assay.engine.options import Options
from assay.engine.sets import over_sets
from assay.errors import AssayError, InputError, UsageError, reason
from assay.keywords import CompareKeywords, explicit
from assay.records import dataclass
from assay.result import Result, Results, enumeration
from assay.scale.run import TRIES, evaluate, score
from assay.scale.workers import hired, serve, work

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
    stand in a TOML file that is given for `data`. Options are those of `compare`, for all data sets, and paths among
    them may hold `{data}`. Data sets are shared out among so many processes (`jobs`).
    """
    golds, systems = data_sets([data] if isinstance(data, str | Path) else data, systems)
    function = compare_one if len(systems) > 1 else score
    return evaluate_sets(golds, systems, function, {"measures": measures, **options}, jobs=jobs)


# --- what the user names ---


def data_sets(
    given: Mapping[str, Any] | Sequence[str | Path], systems: Any = None, gold: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The gold of each data set, and the pattern or the outputs of each system, by name.

    Data sets are given as a mapping or by `NAME=GOLD`, a pattern or a TOML file; or by `NAME` alone, where `gold` is
    the gold of all.
    """
    golds: dict[str, Any] = {}
    named: dict[str, Any] = {}
    if not isinstance(given, Mapping | Sequence) or not all(isinstance(one, str | Path) for one in given):
        raise UsageError(
            f"expected data sets by name, but got {reprlib.repr(given)}. Give e.g. {{'de': 'de.conllu'}}, or a "
            "pattern: 'gold/{data}.conllu'"
        )
    pairs: list[tuple[str, Any]] = list(given.items()) if isinstance(given, Mapping) else []
    for spec in () if isinstance(given, Mapping) else map(str, given):
        name, equals, own = spec.partition("=")
        if spec.lower().endswith(".toml") and not equals:
            of_file, of_systems = read_toml(spec)
            pairs += of_file.items()
            named |= of_systems
        elif DATA in spec and (DATA in name or not equals):
            pairs += found_by(spec)
        elif bool(equals) == (gold is not None):
            should = "NAME=GOLD, a pattern with {data}, or a TOML file" if gold is None else "NAME, without gold"
            raise UsageError(f"--data {spec}: should be {should}.")
        else:
            pairs.append((name, own))
    for name, own in pairs:
        if not name or name in golds:
            raise UsageError(f"--data: two data sets are called {name!r}." if name else "--data: a name is empty.")
        golds[name] = _filled(own if gold is None else gold, name)
    if not golds:
        raise UsageError("no data set is given. Say --data NAME=GOLD, or a pattern: --data 'gold/{data}.conllu'")
    if systems:
        named |= named_systems(systems)
    for name, system in named.items():
        if DATA in name:
            # The folder stands before the names of files that are called alike.
            folder, _, own = name.rpartition("/")
            if DATA in folder and DATA not in own:
                own = re.sub(r" \(\d+\)$", "", own)
                raise UsageError(f"two systems are called {own!r}. Give each a name of its own: NAME={system}")
            raise UsageError(f"{system}: the system has no name. Say NAME={system}")
        if isinstance(system, str | Path) and DATA not in str(system) and len(golds) > 1:
            raise UsageError(
                f"{system}: would be the output of {name} for every data set. Put {DATA} where it has their names."
            )
    if not named:
        raise UsageError("no system is given. Say e.g. udpipe='out/{data}/udpipe.conllu'")
    return golds, named


def found_by(pattern: str) -> list[tuple[str, str]]:
    """The name and the path of each file that a pattern with `{data}` finds, by name."""
    literal = pattern.split(DATA)
    # A second {data} is the same name again.
    expression = f"{re.escape(literal[0])}([^/]+)" + r"\1".join(map(re.escape, literal[1:]))
    paths = glob.glob("*".join(map(glob.escape, literal)))
    found = sorted((match[1], path) for path in paths if (match := re.fullmatch(expression, path)))
    if not found:
        raise InputError(f"{pattern}: there is no such file, whatever {DATA} is.")
    return found


def read_toml(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables `data` and `systems` of a file; paths are seen from its folder."""
    try:
        content = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is no TOML ({error}).") from None
    tables = [content.get(name, {}) for name in ("data", "systems")]
    strange = [name for name in content if name not in ("data", "systems")]
    if strange or not all(isinstance(table, dict) for table in tables):
        what = f"there is no {strange[0]!r} here" if strange else "data and systems are no tables"
        raise InputError(f"{path}: {what}. It has the tables [data] and [systems].")
    folder = Path(path).parent

    def seen(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: seen(one, f"{name}.{key}") for key, one in value.items()}
        if not isinstance(value, str):
            raise InputError(f"{path}: {name} should be a path in quotes.")
        return ",".join(str(folder / one) for one in value.split(","))

    data, systems = ({key: seen(value, key) for key, value in table.items()} for table in tables)
    return data, systems


def _filled(value: Any, name: str) -> Any:
    """A path as given, with the name of a data set in place of `{data}`."""
    if isinstance(value, str):
        return value.replace(DATA, name)
    if isinstance(value, Path):
        return Path(str(value).replace(DATA, name))
    if isinstance(value, tuple | list) and all(isinstance(one, str | Path) for one in value):
        return type(value)(_filled(one, name) for one in value)
    return value


# --- the work ---


@dataclass(frozen=True)
class DataSet:
    """One data set, with the outputs that there are for it, and the function that makes a Result of them."""

    name: str
    gold: Any
    systems: Mapping[str, Any]
    function: Callable[..., Result]
    options: Mapping[str, Any]

    def evaluate(self) -> Result:
        """The Result of this data set."""
        try:
            return self.function(
                self.gold, self.systems, **{key: _filled(value, self.name) for key, value in self.options.items()}
            )
        except AssayError as error:
            raise type(error)(f"data set {self.name}: {error}") from None


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
    given = {name: {system: _output(outputs, name) for system, outputs in systems.items()} for name in golds}
    missing: dict[str, list[str]] = {}
    for name, outputs in given.items():
        for system in [system for system, output in outputs.items() if not _is_there(output)]:
            missing.setdefault(system, []).append(name)
    for system, names in missing.items():
        if len(names) == len(golds):
            output = given[names[0]][system]
            raise InputError(f"{output or system}: is not there, nor has {system} an output for any other data set.")
    pieces = []
    for name, outputs in given.items():
        there = {system: output for system, output in outputs.items() if name not in missing.get(system, ())}
        if not there:
            raise InputError(f"data set {name}: no system has an output for it. Leave it out.")
        pieces.append(DataSet(name, golds[name], there, function, options))
    if function is compare_one:
        numbers = [len(piece.systems) for piece in pieces]
        baseline = options.get("baseline") is not None
        pairs = sum(number - 1 if baseline else number * (number - 1) // 2 for number in numbers)
        pieces = [replace(piece, options={**options, "pairs_of_sets": pairs}) for piece in pieces]
    found = dict(_worked(pieces, jobs, report))
    sets = {name: found[index] for index, name in enumerate(golds)}
    told = [
        f"{system} has no output for {enumeration(names)}: averages, ranks and the best are over the data sets "
        "that all systems have."
        for system, names in missing.items()
    ]
    return over_sets(sets, told)


def _output(outputs: Any, name: str) -> Any:
    return _filled(outputs.get(name), name) if isinstance(outputs, Mapping) else _filled(outputs, name)


def _is_there(output: Any) -> bool:
    """True of data, and of a path, or several runs, of which some file exists."""
    if not isinstance(output, str | Path):
        return output is not None
    parts = [str(output), *str(output).split(",")]
    return any(os.path.exists(part) or glob.glob(part, recursive=True) for part in parts)


def _worked(
    pieces: Sequence[DataSet], jobs: int, report: Callable[[int, int], None]
) -> Iterator[tuple[int, Result]]:
    if jobs < 1:
        raise UsageError(f"{jobs} processes cannot work. Say --jobs 1 or more.")
    number = min(jobs, len(pieces))
    with hired(__name__, number if number > 1 else 0) as crew:
        answers: Any = ((index, piece.evaluate()) for index, piece in enumerate(pieces))
        if crew:
            answers = work(crew, pieces, tries=TRIES, ahead=len(pieces))
        for done, (index, result) in enumerate(answers, 1):
            if result is None:
                raise UsageError(
                    f"data set {pieces[index].name}: its process was killed {TRIES} times. Is there too little "
                    "memory? Use fewer --jobs."
                )
            report(done, len(pieces))
            yield index, result


def main() -> None:
    """A worker: evaluate the data sets that standard input names."""
    serve(DataSet.evaluate)
