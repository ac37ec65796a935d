"""The floor: read the files, count (gold, a, b) and be done. Run: floor.py conllu|tsv GOLD SYSTEM..."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator


def tags(path: str, form: str) -> Iterator[str]:
    """The tags of a file, without a check of anything."""
    column = 4 if form == "conllu" else 1
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line != "\n" and not (form == "conllu" and line[0] == "#"):
                yield line.rstrip("\n").split("\t")[column]


def main() -> None:
    """Count, and print what the comparison is checked by."""
    form, *paths = sys.argv[1:]
    outcomes = Counter(zip(*(tags(path, form) for path in paths), strict=True))
    total = outcomes.total()
    accuracies = [
        sum(count for outcome, count in outcomes.items() if outcome[0] == outcome[system]) / total
        for system in range(1, len(paths))
    ]
    different = sum(count for outcome, count in outcomes.items() if outcome[1] != outcome[-1])
    print(json.dumps({"accuracy": accuracies, "different": different}))


if __name__ == "__main__":
    main()
