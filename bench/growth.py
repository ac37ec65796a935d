"""CPU seconds and peak memory where there is much of one thing: systems, files, labels, documents, mentions, calls.

Run: growth.py [NAME ...] [--runs N]; all rows, each the best of three, unless told. What is read is made once, in
.bench/growth. `growth.py --exponents` prints how time grows with each of them.
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path

from common import ASSAY, HERE, ROOT, same
from measure import best, run

FOLDER = ROOT / ".bench" / "growth"
SEED = 20261
LOOP = """
import random, sys, time
rng = random.Random(1)
kinds = (["O"], ["O"], ["B-PER"], ["B-LOC"], ["B-ORG", "I-ORG"], ["B-PER", "I-PER"])
gold = [[tag for _ in range(15) for tag in rng.choice(kinds)] for _ in range(1000)]
system = [[tag if rng.random() < 0.95 or tag[0] == "B" else "O" for tag in tags] for tags in gold]
name = sys.argv[1]
flat = lambda sentences: [tag for tags in sentences for tag in tags]
if name == "accuracy_score":
    from sklearn.metrics import accuracy_score
    make = lambda: accuracy_score(flat(gold), flat(system))
elif name == "f1_score":
    from seqeval.metrics import f1_score
    make = lambda: f1_score(gold, system)
else:
    import assay
    metric = assay.measure(name) if name != "score" else (lambda gold, system: assay.score(gold, {"system": system}))
    make = lambda: metric(gold, system)
found = make()
least = 9.0
for _ in range(25):
    begun = time.process_time()
    make()
    least = min(least, time.process_time() - begun)
print(least, found.get(name, "") if isinstance(found, dict) else "" if name == "score" else found)
"""
SAME = {"accuracy_score": "accuracy", "f1_score": "exact"}
"""Calls of others and the measure of assay that has to give the same."""


def write(name: str, lines: Iterable[str]) -> str:
    """The path of a file of the folder, which is made of these lines where it is missing."""
    path = FOLDER / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Line by line: what this process holds would count as memory of what it runs.
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines)
    return str(path)


def tags(sentences: int, labels: int, errors: float, seed: int) -> Iterable[str]:
    """Sentences of ten words with labels after Zipf, as word-tab-label; errors are one of four other labels."""
    text, wrong = random.Random(SEED), random.Random(seed)
    weights = [1 / (rank + 3) for rank in range(labels)]
    for _ in range(sentences):
        for label in text.choices(range(labels), weights, k=10):
            word = f"w{text.randrange(9000)}"
            other = (label + wrong.randint(1, 4)) % labels
            yield f"{word}\tL{other if wrong.random() < errors else label}\n"
        yield "\n"


def startup() -> list[str]:
    """Two files of three sentences."""
    return ["score", write("tiny/gold.tsv", tags(3, 3, 0, 7)), write("tiny/a.tsv", tags(3, 3, 0.2, 7))]


def systems() -> list[str]:
    """Thirty systems on 100,000 words."""
    gold = write("systems/gold.tsv", tags(10_000, 50, 0, 1))
    outputs = [write(f"systems/s{n:02}.tsv", tags(10_000, 50, 0.03 + n / 1000, 100 + n)) for n in range(30)]
    return ["compare", gold, *outputs, "--format", "json"]


def one_file() -> list[str]:
    """What the files hold, in one."""
    return ["score", write("gold.tsv", tags(20_000, 20, 0, 5)), write("a.tsv", tags(20_000, 20, 0.1, 5))]


def files() -> list[str]:
    """Ten thousand files of two sentences."""
    folders = []
    for name in ("gold", "a"):
        folder = FOLDER / "files" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            sentences = Path(one_file()[1 if name == "gold" else 2]).read_text("utf-8").split("\n\n")
            for number in range(10_000):
                text = "\n\n".join(sentences[2 * number : 2 * number + 2])
                (folder / f"{number:05}.tsv").write_text(text + "\n\n", encoding="utf-8")
        folders.append(str(folder))
    return ["score", *folders]


def many_labels(*options: str) -> list[str]:
    """2,000 labels on 100,000 words."""
    gold, system = (write(f"labels/{n}.tsv", tags(10_000, 2_000, e, 3)) for n, e in (("gold", 0), ("a", 0.1)))
    return ["score", gold, system, *options]


def documents() -> list[str]:
    """50,000 documents of two sentences with three mentions or so, in CoNLL-2012."""

    def lines(errors: float) -> Iterable[str]:
        text, wrong = random.Random(SEED), random.Random(11)
        for number in range(50_000):
            yield f"#begin document (doc{number}); part 000\n"
            for _ in range(2):
                for place in range(6):
                    chain = text.choice(("-", "-", "(1)", "(2)"))
                    chain = wrong.choice(("-", "(1)", "(2)")) if wrong.random() < errors else chain
                    yield f"doc{number}\t0\t{place}\tw{text.randrange(9000)}\tNN\t{chain}\n"
                yield "\n"
            yield "#end document\n"

    return ["score", write("documents/key.conll", lines(0)), write("documents/a.conll", lines(0.2))]


def corefud() -> list[str]:
    """281 documents with zeros, matched by heads."""
    folder = FOLDER / "chains"
    if not (folder / "made").exists():
        subprocess.run([sys.executable, str(HERE / "chaincorpus.py"), str(folder), "281"], check=True)
    names = ("muc", "b-cubed", "ceaf-e", "conll", "zeros")
    specs = [part for name in names for part in ("-m", f"{name}(match=head, singletons=false)")]
    return ["score", str(folder / "key.conllu"), str(folder / "a.conllu"), *specs]


def loop(name: str) -> list[str]:
    """Calls in one process, of which the best is printed, and what they give."""
    python = str(ROOT / ".bench" / "peers" / "bin" / "python") if name in SAME else sys.executable
    return [python, "-c", LOOP, name]


ROWS: dict[str, tuple[str, Callable[[], Sequence[str]]]] = {
    "startup": ("score, 2 files of 3 sentences", startup),
    "file": ("score, 20,000 sentences in one file", one_file),
    "files": ("score, 20,000 sentences in 10,000 files", files),
    "slice": ("score --slice label, 2,000 labels", lambda: many_labels("--slice", "label")),
    "tag-f1": ("score -m tag-f1, 2,000 labels", lambda: many_labels("-m", "tag-f1")),
    "documents": ("score, 50,000 coreference documents", documents),
    "corefud": ("score, CorefUD by heads", corefud),
    "exact": ("assay.measure('exact'), 1,000 sentences", lambda: loop("exact")),
    "accuracy": ("assay.measure('accuracy'), 1,000 sentences", lambda: loop("accuracy")),
    "score": ("assay.score, 1,000 sentences", lambda: loop("score")),
    "accuracy_score": ("scikit-learn's accuracy_score, 1,000 sentences", lambda: loop("accuracy_score")),
    "f1_score": ("seqeval's f1_score, 1,000 sentences", lambda: loop("f1_score")),
    # Last: its output, which is looked at here, would count as memory of what follows.
    "systems": ("compare, 30 systems, JSON", systems),
}


def scaled(name: str, sentences: int, labels: int, systems: int = 1) -> list[str]:
    """Gold and systems of so many sentences and labels."""
    names = ["gold", *(f"s{number:02}" for number in range(systems))]
    return [
        write(f"scaled/{name}/{own}.tsv", tags(sentences, labels, number / 50, number))
        for number, own in enumerate(names)
    ]


def of_sets(number: int) -> list[str]:
    """Two systems on so many data sets."""
    sets = [f"set{one:02}" for one in range(number)]
    named = [part for name in sets for part in ("--data", f"{name}={scaled(name, 1_000, 17, 2)[0]}")]
    return ["compare", *named, *(f"{name}={FOLDER}/scaled/{{data}}/{name}.tsv" for name in ("s00", "s01"))]


def of_items(number: int) -> list[str]:
    """One of ten labels for each of so many items."""
    rng = random.Random(SEED)
    files = []
    for name, share in (("gold", 1.0), ("a", 0.85), ("b", 0.8)):
        rows = (f"r{row},c{row % 10 if rng.random() < share else rng.randrange(10)}\n" for row in range(number))
        files.append(write(f"scaled/items{number}/{name}.csv", chain(["id,label\n"], rows)))
    return ["compare", *files]


def of_numbers(number: int) -> list[str]:
    """So many systems that predict 500 numbers."""
    files = []
    for system in range(number + 1):
        text, wrong = random.Random(SEED), random.Random(system)
        spread = 0.4 + system / 40 if system else 0.0
        rows = (f"r{row},{text.gauss(0, 1) + wrong.gauss(0, spread):.2f}\n" for row in range(500))
        files.append(write(f"scaled/numbers/s{system:02}.csv", chain(["id,label\n"], rows)))
    return ["compare", *files]


def of_annotators(number: int) -> list[str]:
    """5,000 items that so many annotators label."""
    rng = random.Random(SEED)
    head = ",".join(["item", *(f"ann{who}" for who in range(number))])
    rows = (
        ",".join([f"i{row}", *(f"L{row % 5 if rng.random() < 0.8 else rng.randrange(5)}" for _ in range(number))])
        for row in range(5_000)
    )
    return ["agreement", write(f"scaled/annotators{number}.csv", (f"{row}\n" for row in chain([head], rows)))]


def of_files(number: int) -> list[str]:
    """So many files of ten sentences."""
    folders = [FOLDER / "scaled" / f"files{number}" / name for name in ("gold", "a")]
    for side, folder in enumerate(folders):
        for one in range(number):
            write(str(folder / f"{one:05}.tsv"), tags(10, 17, side / 10, one))
    return ["score", *map(str, folders)]


STEP = 4
"""The larger command has this many times as much as the smaller one."""
MOST = 1.2
"""The largest exponent that is no cliff."""
GROWING: dict[str, tuple[int, Callable[[int], list[str]]]] = {
    "sentences": (25_000, lambda n: ["compare", *scaled(f"sentences{n}", n, 17, 2)]),
    "labels": (250, lambda n: ["score", *scaled(f"labels{n}", 10_000, n), "-m", "tag-f1"]),
    "slices": (50, lambda n: ["score", *scaled(f"labels{n}", 10_000, n), "--slice", "label"]),
    "items": (100_000, of_items),
    "files": (500, of_files),
    "data sets": (4, of_sets),
    # Up to 16 annotators with five labels, kappa has an interval for each pair; beyond that, it has none.
    "annotators": (32, of_annotators),
    "annotators (pairs)": (4, of_annotators),
    "systems (pairs)": (4, lambda n: ["compare", *scaled("systems", 2_000, 17, 16)[: n + 1]]),
    "systems (pairs, macro F1)": (4, lambda n: ["compare", "-mtag-f1", *scaled("systems", 2_000, 17, 16)[: n + 1]]),
    "systems (pairs, correlations)": (4, of_numbers),
}
"""By what there is much of: how much of it the smaller command has, and the command. Pairs grow with the square."""


def print_exponents(runs: int) -> None:
    """Print how CPU time beyond the start-up's grows: with the exponent 1, four times as much takes four times."""
    begun = best([run([ASSAY, *startup()]) for _ in range(runs)]).cpu
    print("| much of | from | to | CPU s | CPU s | MB | MB | exponent | at most 1.2, of pairs 2 |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---|")
    for name, (number, command) in GROWING.items():
        sizes = (number, STEP * number)
        commands = [[ASSAY, *command(size), "--format", "json"] for size in sizes]
        small, large = (best([run(words) for _ in range(runs)]) for words in commands)
        exponent = math.log(max(large.cpu - begun, 1e-3) / max(small.cpu - begun, 1e-3), STEP)
        cells = (*(f"{size:,}" for size in sizes), f"{small.cpu:.2f}", f"{large.cpu:.2f}")
        memory = (f"{small.memory:.0f}", f"{large.memory:.0f}")
        # Pairs grow with the square.
        met = "yes" if exponent <= (2 if "pairs" in name else MOST) else "**no**"
        print(f"| {' | '.join([name, *cells, *memory, f'{exponent:.2f}', met])} |", flush=True)


def main() -> None:
    """Print a row for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", choices=[*ROWS, []], help="rows; all of them where none is named")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--exponents", action="store_true", help="how time grows with what there is much of")
    known = parser.parse_args()
    if known.exponents:
        print_exponents(known.runs)
        return
    print("| task | CPU s | MB |\n|---|---:|---:|")
    for name in known.names or ROWS:
        title, command = ROWS[name]
        words = list(command())
        if not Path(words[0]).is_absolute():
            words = [ASSAY, *words]
        elif not Path(words[0]).exists():
            print(f"{title}: left out, for `make bench` has not installed the peers", file=sys.stderr)
            continue
        done = [run(words) for _ in range(known.runs)]
        taken = best(done).cpu
        if words[0] != ASSAY:
            taken = min(float(one.output.split()[0]) for one in done)
        if name in SAME:
            ours = run(loop(SAME[name])).output.split()
            same(title, float(ours[1]), float(done[0].output.split()[1]))
        print(f"| {title} | {taken:.3f} | {best(done).memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
