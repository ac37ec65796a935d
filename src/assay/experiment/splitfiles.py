"""Splits written to disk and read again: which sentences or documents each fold has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, reason
from assay.experiment.runtables import split_name
from assay.experiment.splits import ALGORITHM, SCHEMES, Design, Split, split_of_folds
from assay.files import inputs, make_folder, write

if TYPE_CHECKING:
    from assay.experiment.data import Data

SCHEMA = "assay-splits/1"


def write_splits(path: str | Path, folder: str | Path, *, parts: bool = False) -> list[Path]:
    """Write the splits of every data set into a folder; with `parts` also the texts of every part."""
    from assay.experiment.data import Data
    from assay.experiment.plan import read_plan

    experiment = read_plan(path)
    written = []
    with inputs(experiment.inputs()):
        for dataset in experiment.datasets.values():
            data = Data.read(dataset)
            target = Path(folder) / f"{dataset.name}.splits.json"
            _write(target, split_text(data))
            written.append(target)
            if parts:
                _write_parts(data, Path(folder))
    return written


def split_text(data: Data) -> str:
    """The file of a data set's splits."""
    design = data.dataset.design
    content = {
        "schema": SCHEMA,
        "algorithm": ALGORITHM,
        "dataset": data.dataset.name,
        "seed": design.seed,
        "scheme": design.scheme,
        "by": design.by,
        "folds": design.folds,
        "repetitions": design.repetitions,
        "dev": design.dev,
        "data": {"sha256": data.sha256, "units": len(data.units), "sentences": sum(data.sentences)},
    }
    head = json.dumps(content, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = [json.dumps(_repetition(data, number + 1)) for number in range(design.repetitions)]
    return head + ',\n "splits": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"


def _repetition(data: Data, repetition: int) -> dict[str, Any]:
    """The units of every fold, from 0; of plain random splits the three parts."""
    design = data.dataset.design
    if design.scheme == "random":
        split = data.split(repetition, 1)
        return {"repetition": repetition, "train": split.train, "dev": split.dev, "test": split.test}
    tests = [data.split(repetition, fold + 1).test for fold in range(design.folds)]
    return {"repetition": repetition, "folds": tests}


def _write_parts(data: Data, folder: Path) -> None:
    design = data.dataset.design
    for repetition in range(1, design.repetitions + 1):
        for fold in range(1, design.runs_per_repetition + 1):
            split = data.split(repetition, fold)
            place = folder / data.dataset.name / split_name(repetition, fold)
            for part in ("train", "dev", "test"):
                if units := getattr(split, part):
                    _write(place / f"{part}{data.suffix}", data.text(units))


def _write(path: Path, text: str) -> None:
    make_folder(path.parent)
    write(path, text)


def read_design(path: str, name: str) -> Design:
    """The design that a file of splits was made by."""
    content = _read(path)
    if content["dataset"] != name:
        raise InputError(f"{path}: holds the splits of {content['dataset']}, not of {name}.")
    return Design(
        folds=content["folds"],
        repetitions=len(content["splits"]),
        dev=content["dev"],
        by=content["by"],
        scheme=content["scheme"],
        seed=content["seed"],
    )


def read_split(path: str, sha256: str, units: int, repetition: int, fold: int) -> Split:
    """One split from its file, which must be about these very data."""
    content = _read(path)
    if content["data"]["sha256"] != sha256:
        raise InputError(f"{path}: was made for other data (their checksum differs). Make the splits anew.")
    row = content["splits"][repetition - 1]
    if content["scheme"] == "random":
        split = Split(tuple(row["train"]), tuple(row["dev"]), tuple(row["test"]))
    else:
        split = split_of_folds(row["folds"], fold, content["dev"])
    used = [*split.train, *split.dev, *split.test]
    if sorted(used) != list(range(units)):
        raise InputError(f"{path}: repetition {repetition} does not hold each of {units} {content['by']}s once.")
    return split


def _read(path: str) -> dict[str, Any]:
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({reason(error)}).") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is no file of splits (not JSON).") from None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise InputError(f"{path}: is no file of splits. `assay experiment splits` writes such files.")
    if not _sound(content):
        raise InputError(f"{path}: is damaged. Write it anew: assay experiment splits")
    return content


def _sound(content: dict[str, Any]) -> bool:
    """Whether everything is of its kind."""
    kinds = {"dataset": str, "seed": int, "scheme": str, "by": str, "folds": int, "dev": bool, "data": dict}
    if not all(isinstance(content.get(key), kind) for key, kind in kinds.items()):
        return False
    rows = content.get("splits")
    if content["scheme"] not in SCHEMES or not isinstance(rows, list) or not rows:
        return False
    keys = ("train", "dev", "test") if content["scheme"] == "random" else ("folds",)
    return all(isinstance(row, dict) and all(_units(row.get(key)) for key in keys) for row in rows)


def _units(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    return all(_units(item) if isinstance(item, list) else isinstance(item, int) for item in value)
