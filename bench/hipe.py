"""Published counts of HIPE-2022, NERC coarse, beside assay's: `python bench/hipe.py FOLDER`.

FOLDER is a copy of github.com/hipe-eval/HIPE-2022-eval, with or without a work tree: gold, responses and published
evaluations are in it.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import assay
from assay.errors import AssayError

GOLD = "HIPE-2022-data-provisional/data/v2.1/HIPE-2022-v2.1-{}-test-{}.tsv"
RESPONSE = "evaluation/system-responses/submitted/{}.tsv"
PUBLISHED = "evaluation/system-evaluations/{}_nerc_coarse.tsv"
COLUMN = "NE-COARSE-LIT"
Counts = tuple[int, int, int]
"""TP, FP, FN."""


def main() -> None:
    """Print a row per run, and how many runs have the published counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    same = dict.fromkeys(("strict", "fuzzy"), 0)
    print(*("run", "strict published", "assay", "fuzzy published", "assay", "warnings"), sep="\t")
    with tempfile.TemporaryDirectory() as temporary:
        _unpack(folder, Path(temporary))
        runs = sorted(path.name for path in Path(temporary).glob(PUBLISHED.format("*")))
        for run in (name.removesuffix("_nerc_coarse.tsv") for name in runs):
            published = dict(_published(Path(temporary, PUBLISHED.format(run))))
            scored, warnings = _score(Path(temporary), run)
            cells = []
            for name in same:
                same[name] += published[name] == scored.get(name)
                cells += ["/".join(map(str, counts)) for counts in (published[name], scored.get(name, ("-",)))]
            print(run, *cells, " ".join(warnings), sep="\t", flush=True)
    print(", ".join(f"{name}: {number} of {len(runs)} as published" for name, number in same.items()))


def _unpack(folder: Path, target: Path) -> None:
    """Write the files that are needed from the newest commit of a repository into a folder."""
    files = [pattern.format("*", "*") for pattern in (GOLD, RESPONSE, PUBLISHED)]
    command = ["git", "-C", str(folder), "archive", "HEAD", *(f":(glob){pattern}" for pattern in files)]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as content:
        content.extractall(target, filter="data")


def _published(path: Path) -> Iterator[tuple[str, Counts]]:
    """The published counts of all labels together, by the name of the regime."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            for name in ("strict", "fuzzy"):
                if row["Label"] == "ALL" and row["Evaluation"].startswith(f"{COLUMN}-micro-{name}-"):
                    yield name, (int(row["TP"]), int(row["FP"]), int(row["FN"]))


def _score(folder: Path, run: str) -> tuple[dict[str, Counts], list[str]]:
    """assay's counts of a run by the same names, and its first warnings; after an error none, and its message."""
    _, _, data, language, _ = run.split("_")
    gold, response = folder / GOLD.format(data, language), folder / RESPONSE.format(run)
    measures = ["exact", "semeval"]
    try:
        # Some responses spell words otherwise, which the official scorer lets pass.
        result = assay.score(
            str(gold), {run: str(response)}, measures, task="spans", column=COLUMN, times=1, on_mismatch="warn"
        )
    except AssayError as error:
        return {}, [str(error).partition("\n")[0].replace(f"{folder}/", "")]
    exact, semeval = (row.counts for row in result.counts if row.label is None and row.slice is None)
    right = semeval["same"] + semeval["same-label"]
    fuzzy = (right, semeval["system"] - right, semeval["gold"] - right)
    told = [text.replace(f"{folder}/", "") for text in result.warnings[:3]]
    return {"strict": (exact["tp"], exact["fp"], exact["fn"]), "fuzzy": fuzzy}, told


if __name__ == "__main__":
    main()
