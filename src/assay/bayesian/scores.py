"""Tables of scores as papers have them: a row for each data set or system, or for each score; also rows of runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assay.bayesian.table import RunTable, read_runs, sort_names
from assay.errors import InputError, UsageError
from assay.experiment.tables import COLUMNS, Row, Split, read_table_rows, read_word
from assay.specs import parse

MEASURE = "score"
"""The name of the only measure of a table that names none."""
_ROLES = {
    "dataset": ("dataset", "datasets", "data", "corpus", "language", "task"),
    "system": ("system", "systems", "model", "method"),
    "run": ("seed", "run", "repetition", "split"),
    "fold": ("fold",),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
"""What a column is, by its name."""
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names}
_ROWS = {"datasets": "dataset", "systems": "system"}
_MEANS = ("average", "avg", "mean", "overall")
_GAPS = ("", "-", "–", "—", "nan")
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_SCORE = re.compile(rf"({_NUMBER})\s*(?:%\s*)?((?:±|\+/?-)\s*{_NUMBER}\s*%?|\((?:\s*±)?\s*{_NUMBER}\s*(?:%\s*)?\))?")


def read_scores(path: str, text: str, sha256: str, input_format: str | None = None) -> RunTable:
    """A table of runs, or one of scores; `input_format` may say what its rows are: `scores(rows=systems)`."""
    rows = _read_format(input_format)
    first_line = text.partition("\n")[0]
    lines = list(read_table_rows(path, text, (), "")) if "," in first_line or "\t" in first_line else []
    header = list(lines[0][1]) if lines else []
    roles = [_ROLE_OF.get(re.sub(r"[\s_-]", "", name.lower())) for name in header]
    if not rows and (not lines or {*COLUMNS} <= {*header}):
        return read_runs(path, text, sha256)
    keys = {role: name for role, name in zip(roles, header, strict=True) if role}
    if not rows and {"system", "value"} <= {*keys}:
        return _enter_scores(RunTable(path, sha256), keys, [keys["value"]], lines)
    roles[:1] = [rows] * bool(rows) or roles[:1]
    if not roles or roles[0] not in ("dataset", "system", "run", "fold"):
        if len(header) < 3 or not all(_read_score(cell) for _, cells in lines for cell in [*cells.values()][1:]):
            return read_runs(path, text, sha256)
        raise InputError(
            f"{path}:1: {header[0]!r} does not show whether rows are data sets or systems. Choose one: "
            '--input-format "scores(rows=datasets)" or --input-format "scores(rows=systems)"'
        )
    # Columns before the scores, such as the seed of each row, each with a role of its own.
    known = ["run", "fold", "measure", *["dataset"] * (roles[0] != "system"), roles[0]]
    place = next((at for at, role in enumerate(roles) if role not in known or role in roles[:at]), len(roles))
    keys = {str(role): name for role, name in zip(roles[:place], header, strict=False)}
    return _enter_scores(RunTable(path, sha256), keys, header[place:], lines)


def _enter_scores(
    table: RunTable, keys: Mapping[str, str], columns: Sequence[str], lines: Iterable[tuple[str, Mapping[str, str]]]
) -> RunTable:
    """The table with all scores; `keys` are the columns that say what a row is, `columns` those with scores."""
    # Runs are numbered in the order of their names, which may be any.
    numbers: dict[str, dict[str, int]] = {}
    for role in ("run", "fold"):
        names = sort_names({cells[keys[role]] for _, cells in lines}) if role in keys else [""]
        numbers[role] = {name: number for number, name in enumerate(names, 1)}
    means: dict[str, None] = {}
    has_spreads = False
    for place, cells in lines:
        row_names = {role: read_word(place, cells, name) for role, name in keys.items() if role != "value"}
        split = Split(*(numbers[role][row_names.get(role, "")] for role in ("run", "fold")))
        for column in columns:
            column_name = {} if "value" in keys else {"dataset" if "system" in keys else "system": column}
            named = {**row_names, **column_name}
            if averages := [name for role, name in named.items() if role != "measure" and _is_mean(name)]:
                means[averages[0]] = None
                continue
            named = {"dataset": Path(table.name).stem, "measure": MEASURE, **named}
            score = _read_score(cells[column])
            if score is None:
                raise InputError(
                    f"{place}: {cells[column]!r} is not a score. Write 88.3, 88.3±0.4, 88.3 (0.4) or 88.3%, and a "
                    "dash for a missing score."
                )
            row = Row(place, named["dataset"], named["system"], split, named["measure"], score[0])
            if split in table.cells.get(row.measure, {}).get(row.dataset, {}).get(row.system, {}):
                raise InputError(f"{place}: a second {row.measure} of {row.system} on {row.dataset}.")
            table.add(row)
            has_spreads |= score[1]
    if not table.cells:
        raise InputError(f"{table.name}: contains no scores.")
    if means:
        table.notes.append(f"Not read, because they seem to be means of the others: {', '.join(means)}.")
    if has_spreads:
        table.notes.append("Spreads after a score (±0.4, (0.4)) are not used.")
    if not {"run", "fold"} & {*keys}:
        table.layout = "scores"
    # Splits are paired: their differences are tested. Seeds are not.
    elif not {"dataset", "fold"} & {*keys} and keys["run"].lower() != "split":
        table.layout = "seeds" if len(next(iter(table.cells.values()))) == 1 else "runs"
    return table


def _read_format(input_format: str | None) -> str | None:
    """The role of the first column that `scores(rows=…)` names."""
    name, given = parse(input_format or "scores", "format")
    rows = given.pop("rows", "")
    if name != "scores" or given or rows not in ("", *_ROWS):
        raise UsageError(f"--input-format {input_format}: give scores(rows=datasets) or scores(rows=systems).")
    return _ROWS.get(rows)


def _is_mean(name: str) -> bool:
    return name.lower().rstrip(".") in _MEANS


def _read_score(cell: str) -> tuple[float, bool] | None:
    """The number in a cell, nan for a gap, and True if it has a spread; None for anything else."""
    if cell.lower() in _GAPS:
        return math.nan, False
    match = _SCORE.fullmatch(cell.replace("−", "-"))
    return (float(match[1]), bool(match[2])) if match and math.isfinite(float(match[1])) else None
