"""The floor: read the files, count and be done.

Run: floor.py conllu|tsv GOLD SYSTEM..., or floor.py spans GOLD SYSTEM
"""

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


def spans(path: str) -> Iterator[tuple[int, str, str, str]]:
    """Sentence, label, first and last word of each line of a span table, without a check of anything."""
    sentence = 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line == "\n":
                sentence += 1
            elif not line.startswith("EMPTY"):
                label, first, last, _ = line.split("\t")
                yield sentence, label, first, last


def common_spans(gold_path: str, system_path: str) -> dict[str, int]:
    """The numbers of different spans, and of those that both files have."""
    gold, system = set(spans(gold_path)), set(spans(system_path))
    return {"gold": len(gold), "system": len(system), "tp": len(gold & system)}


def tag_outcomes(form: str, paths: list[str]) -> dict[str, object]:
    """Accuracies, and how many words the systems differ in."""
    outcomes = Counter(zip(*(tags(path, form) for path in paths), strict=True))
    total = outcomes.total()
    accuracies = [
        sum(count for outcome, count in outcomes.items() if outcome[0] == outcome[system]) / total
        for system in range(1, len(paths))
    ]
    different = sum(count for outcome, count in outcomes.items() if outcome[1] != outcome[-1])
    return {"accuracy": accuracies, "different": different}


def main() -> None:
    """Count, and print what the comparison is checked by."""
    form, *paths = sys.argv[1:]
    print(json.dumps(common_spans(*paths) if form == "spans" else tag_outcomes(form, paths)))


if __name__ == "__main__":
    main()
