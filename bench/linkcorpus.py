"""Links for benchmarks: HIPE tables of gold and two systems, generated, the same on every machine.

`python linkcorpus.py FOLDER WORDS`: documents of 500 words, a mention in ten words, 15% of them NIL; systems with 92%
and 88% of gold's mentions and three candidates each.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

DOCUMENT = 500
SENTENCE = 20
EVERY = 10
ENTITIES = 20_000
TYPES = ("pers", "loc", "org")
HEADER = "TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC"


def main(folder: Path, words: int) -> None:
    """Write gold and two systems."""
    rng = random.Random(2022)
    files = {name: [HEADER] for name in ("gold", "a", "b")}
    for number in range(words // DOCUMENT):
        for rows in files.values():
            rows.append(f"# bench:document_id = d{number}")
        cells = {name: [("O", "_")] * DOCUMENT for name in files}
        for place in range(0, DOCUMENT - EVERY, EVERY):
            begin, length = place + rng.randrange(4), rng.choice((1, 1, 2, 3))
            entity = min(int(rng.paretovariate(0.6)), ENTITIES)
            kind, nil = TYPES[entity % 3], rng.random() < 0.15
            _mark(cells["gold"], begin, length, kind, "NIL" if nil else f"Q{entity}")
            for name, found in (("a", 0.92), ("b", 0.88)):
                if rng.random() < found:
                    shift = rng.random() < 0.05
                    right = "NIL" if nil and rng.random() < 0.5 else f"Q{entity}"
                    others = [f"Q{entity + rng.randrange(1, 9)}", f"Q{entity + 10}"]
                    names = [right, *others] if rng.random() < 0.75 else [others[0], right, others[1]]
                    _mark(cells[name], begin, length + shift, kind, "|".join(names))
        for word in range(DOCUMENT):
            form = f"w{int(rng.paretovariate(0.8)) % 50_000}"
            misc = "EndOfSentence" if word % SENTENCE == SENTENCE - 1 else "_"
            for name, rows in files.items():
                tag, link = cells[name][word]
                rows.append(f"{form}\t{tag}\t{link}\t{misc}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        (folder / f"{name}.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    (folder / "made").touch()


def _mark(cells: list[tuple[str, str]], begin: int, length: int, kind: str, link: str) -> None:
    for place in range(begin, begin + length):
        cells[place] = ("B-" if place == begin else "I-") + kind, link


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
