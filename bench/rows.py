"""How long rows of libraries and tasks of tools take to read, beside loading: rows.py [NAME …] [--rows N] [--runs N].

Each file is made once, in `.bench/rows`, and read in a process of its own; without its library a kind is left out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

from common import ROOT
from measure import alternating, best

NAMES = ("O", "B-PER", "I-PER", "B-LOC")
WORDS = [f"word{number}" for number in range(20_000)]


def rows(number: int) -> Iterator[dict[str, Any]]:
    """Rows of 5 to 30 words, every fifth or so in a span."""
    rng = random.Random(0)
    for row in range(number):
        tags: list[str] = []
        size = rng.randint(5, 30)
        while len(tags) < size:
            tags += rng.choices((["O"], ["B-PER", "I-PER"], ["B-LOC"]), (80, 10, 10))[0]
        yield {"id": str(row), "tokens": rng.choices(WORDS, k=size), "ner_tags": tags[:size]}


def write_lines(path: Path, number: int) -> None:
    """Rows of JSON, one per line."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows(number))


def write_list(path: Path, number: int) -> None:
    """A list of rows."""
    path.write_text(json.dumps([*rows(number)]), encoding="utf-8")


def write_gliner(path: Path, number: int) -> None:
    """A list of GLiNER's training rows."""
    path.write_text(
        json.dumps(
            [
                {
                    "tokenized_text": row["tokens"],
                    "ner": [[at, at, tag[2:]] for at, tag in enumerate(row["ner_tags"]) if tag.startswith("B-")],
                }
                for row in rows(number)
            ]
        ),
        encoding="utf-8",
    )


def write_tasks(path: Path, number: int) -> None:
    """A list of Label Studio's tasks, with the fields of its export."""
    tasks = []
    stamp = "2024-05-01T10:00:00.000000Z"
    for row in rows(number):
        text, ends = " ".join(row["tokens"]), [*accumulate(len(word) + 1 for word in row["tokens"])]
        results = [
            {
                "value": {"start": end - 1 - len(word), "end": end - 1, "text": word, "labels": [tag[2:]]},
                "id": f"r{end}",
                **{"from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"},
            }
            for word, end, tag in zip(row["tokens"], ends, row["ner_tags"], strict=True)
            if tag.startswith("B-")
        ]
        about = {"ground_truth": False, "created_at": stamp, "updated_at": stamp, "lead_time": 12.5, "prediction": {}}
        entry = {
            "id": 1,
            "completed_by": 1,
            "result": results,
            "was_cancelled": False,
            **about,
            "unique_id": row["id"],
        }
        data = {"text": text, "genre": "news", "year": 2019}
        numbers = {"total_annotations": 1, "cancelled_annotations": 0, "total_predictions": 0, "project": 1}
        dates = {"created_at": stamp, "updated_at": stamp, "inner_id": 1}
        lists = {"annotations": [entry], "drafts": [], "predictions": [], "meta": {}}
        tasks.append({"id": int(row["id"]), "data": data, **lists, **dates, **numbers})
    path.write_text(json.dumps(tasks), encoding="utf-8")


def write_parquet(path: Path, number: int) -> None:
    """Rows with numbers for labels, whose names are in the schema."""
    import pyarrow  # type: ignore[import-not-found, unused-ignore]
    from pyarrow import parquet  # type: ignore[import-not-found, unused-ignore]

    made = [{**row, "ner_tags": [NAMES.index(tag) for tag in row["ner_tags"]]} for row in rows(number)]
    described = {"info": {"features": {"ner_tags": {"feature": {"names": NAMES, "_type": "ClassLabel"}}}}}
    table = pyarrow.Table.from_pylist(made)
    table = table.replace_schema_metadata({"huggingface": json.dumps(described)})
    parquet.write_table(table, path, row_group_size=10_000)


_JSON = "import json; values = json.load(open(PATH, encoding='utf-8'))"
_LINES = "import json; values = [*map(json.loads, open(PATH, encoding='utf-8'))]"
KINDS: dict[str, tuple[str, Callable[[Path, int], None], str, str]] = {
    "rows": ("rows.json", write_list, _JSON, ""),
    "lines": ("rows.jsonl", write_lines, _LINES, ""),
    "tasks": ("tasks.json", write_tasks, _JSON, ""),
    "gliner": ("gliner.json", write_gliner, _JSON, ""),
    "parquet": (
        "rows.parquet",
        write_parquet,
        "from pyarrow import parquet; values = parquet.read_table(PATH).to_pylist()",
        "pyarrow",
    ),
}
"""The file of each kind, how it is made, what loads it without understanding it, and the library that this needs."""


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(KINDS))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    folder = ROOT / ".bench" / "rows" / str(options.rows)
    folder.mkdir(parents=True, exist_ok=True)
    start = best(alternating({"": [sys.executable, "-c", "import assay"]}, options.runs)[""]).cpu
    print("| file | MB | loaded | read | ratio | memory |\n|---|--:|--:|--:|--:|--:|")
    for name in options.names or KINDS:
        file, write, load, library = KINDS[name]
        if library and find_spec(library) is None:
            print(f"{name}: left out, for {library} is not there", file=sys.stderr)
            continue
        path = folder / file
        if not path.exists():
            write(path, options.rows)
        commands = {
            "load": [sys.executable, "-c", load.replace("PATH", repr(str(path)))],
            "read": [sys.executable, "-c", f"import assay; assay.read({str(path)!r})"],
        }
        done = {key: best(runs) for key, runs in alternating(commands, options.runs).items()}
        loaded, read = done["load"].cpu, done["read"].cpu - start
        size = path.stat().st_size / 1e6
        times = f"{loaded:.2f} s", f"{read:.2f} s", f"{read / loaded:.1f}"
        cells = (f"{size:.0f}", *times, f"{done['read'].memory:.0f} MB")
        print(f"| {file}, {options.rows:,} rows | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
