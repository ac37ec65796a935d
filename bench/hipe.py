"""Published counts of HIPE-2022 (NERC) beside assay's: `python bench/hipe.py FOLDER [--level fine]`.

FOLDER is a copy of github.com/hipe-eval/HIPE-2022-eval, with or without a work tree: gold, responses and published
evaluations are in it.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import assay
from assay.errors import AssayError

GOLD = "HIPE-2022-data-provisional/data/v2.1/HIPE-2022-v2.1-{}-test-{}.tsv"
RESPONSE = "evaluation/system-responses/submitted/{}.tsv"
PUBLISHED = "evaluation/system-evaluations/{}_nerc_{}.tsv"
REGIMES = ("strict", "fuzzy")
Counts = tuple[int, int, int]
"""TP, FP, FN."""


def main() -> None:
    """Print a row per run and column, and how many of them have the published counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--level", choices=("coarse", "fine"), default="coarse")
    given = parser.parse_args()
    same, rows = dict.fromkeys(REGIMES, 0), 0
    print(*("run", "column", "strict published", "assay", "fuzzy published", "assay", "said"), sep="\t")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _unpack(given.folder, folder)
        for path in sorted(folder.glob(PUBLISHED.format("*", given.level))):
            run = path.name.partition("_nerc_")[0]
            for column, published in _published(path).items():
                scored, said = _score(folder, run, column)
                rows += 1
                cells = []
                for regime in REGIMES:
                    same[regime] += published[regime] == scored.get(regime)
                    cells += ["/".join(map(str, counts.get(regime, "-"))) for counts in (published, scored)]
                print(run, column, *cells, " ".join(said).replace(f"{folder}/", ""), sep="\t", flush=True)
    print(", ".join(f"{regime}: {number} of {rows} as published" for regime, number in same.items()))


def _unpack(repository: Path, folder: Path) -> None:
    """Write the files that are needed from the newest commit of a repository into a folder."""
    files = [pattern.format("*", "*") for pattern in (GOLD, RESPONSE, PUBLISHED)]
    command = ["git", "-C", str(repository), "archive", "HEAD", *(f":(glob){pattern}" for pattern in files)]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as content:
        content.extractall(folder, filter="data")


def _published(path: Path) -> dict[str, dict[str, Counts]]:
    """The published counts of all labels together, by column and regime; columns without any are left out."""
    found: dict[str, dict[str, Counts]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            column, micro, regime = row["Evaluation"].partition("-micro-")
            counts = tuple(int(row[name] or 0) for name in ("TP", "FP", "FN"))
            if micro and row["Label"] == "ALL" and any(counts):
                found.setdefault(column, {})[regime.partition("-")[0]] = (counts[0], counts[1], counts[2])
    return found


def _score(folder: Path, run: str, column: str) -> tuple[dict[str, Counts], list[str]]:
    """assay's counts of a run by regime, and its first warnings; after an error none, and its message."""
    _, _, data, language, _ = run.split("_")
    files = str(folder / GOLD.format(data, language)), {run: str(folder / RESPONSE.format(run))}
    try:
        # Some responses spell words otherwise, which the official scorer lets pass.
        result = assay.score(*files, ["exact", "semeval"], task="spans", column=column, times=1, on_mismatch="warn")
    except AssayError as error:
        return {}, [str(error).partition("\n")[0]]
    exact, semeval = (row.counts for row in result.counts if row.label is None and row.slice is None)
    right = semeval["same"] + semeval["same-label"]
    fuzzy = (right, semeval["system"] - right, semeval["gold"] - right)
    return {"strict": (exact["tp"], exact["fp"], exact["fn"]), "fuzzy": fuzzy}, list(result.warnings[:3])


if __name__ == "__main__":
    main()
