"""Files of tools and shared tasks: scored beside the library or the loop that reads them (`run.py --only doors`).

As a script it prints how long such files take to read: `python bench/doors.py [NAME …] [--documents N]`. What is read
is made up, in `.bench/doors`. The CPU seconds are the best of three readings in one process.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from common import ASSAY, HERE, Bench, same, scores
from measure import run

FOLDER = Path(__file__).parents[1] / ".bench" / "doors"
WORDS = 500
"""The words of a document."""
SPANS = 50
RUNS = 3
DOCUMENTS = 2_000


def make_words(document: int) -> list[str]:
    """The words of a document, the same on every machine."""
    rng = random.Random(document)
    return ["".join(rng.choices("abcdeïłö", k=rng.randint(2, 9))) for _ in range(WORDS)]


def name_entity(number: int, errors: int) -> int:
    """The number of a mention's entity; a system has another one for every so many words."""
    return number + 1 if errors and number // (WORDS // SPANS) % errors == 0 else number


def make_hipe(documents: int, errors: int = 0) -> Iterator[str]:
    """A table with mentions and links, sentences of ten words."""
    yield "TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC\n"
    for document in range(documents):
        yield f"# hipe2022:document_id = d{document}\n"
        for number, word in enumerate(make_words(document)):
            tag, link = "O", "_"
            if number % (WORDS // SPANS) == 0:
                tag, link = "B-pers", f"Q{name_entity(number, errors)}"
            end = "EndOfSentence" if number % 10 == 9 else "_"
            yield f"{word}\t{tag}\t{link}\t{end}\n"


def make_pubtator(documents: int, errors: int = 0) -> Iterator[str]:
    """Abstracts with mentions, and a relation for every two of them."""
    for document in range(documents):
        words = make_words(document)
        yield f"{document}|t|{words[0]}\n{document}|a|{' '.join(words[1:])}\n"
        place = 0
        for number, word in enumerate(words):
            if number % (WORDS // SPANS) == 0:
                yield f"{document}\t{place}\t{place + len(word)}\t{word}\tDisease\tD{name_entity(number, errors)}\n"
                if number and number % (2 * WORDS // SPANS) == 0:
                    yield f"{document}\tCID\tD{name_entity(0, errors)}\tD{name_entity(number, errors)}\n"
            place += len(word) + 1
        yield "\n"


def make_bioc(documents: int, errors: int = 0) -> Iterator[str]:
    """A collection in XML, a passage for each document."""
    yield "<collection>\n"
    for document in range(documents):
        words = make_words(document)
        yield f"<document><id>{document}</id><passage><offset>0</offset><text>{' '.join(words)}</text>\n"
        place = 0
        for number, word in enumerate(words):
            if number % (WORDS // SPANS) == 0:
                entity = name_entity(number, errors)
                infons = f'<infon key="type">Disease</infon><infon key="identifier">D{entity}</infon>'
                location = f'<location offset="{place}" length="{len(word)}"/>'
                yield f'<annotation id="{number}">{infons}{location}<text>{word}</text></annotation>\n'
            place += len(word) + 1
        yield "</passage></document>\n"
    yield "</collection>\n"


def make_label_studio(documents: int, errors: int = 0) -> Iterator[str]:
    """A list of tasks with one annotation each, whose spans have labels."""
    tasks = []
    for document in range(documents):
        words, place, results = make_words(document), 0, []
        for number, word in enumerate(words):
            if number % (WORDS // SPANS) == 0:
                label = "Disease" if name_entity(number, errors) == number else "Drug"
                value = {"start": place, "end": place + len(word), "text": word, "labels": [label]}
                about = {"from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"}
                results.append({"id": f"r{number}", "value": value, **about})
            place += len(word) + 1
        entry = {"id": document, "completed_by": 1, "result": results, "was_cancelled": False}
        tasks.append({"id": document, "data": {"text": " ".join(words)}, "annotations": [entry], "predictions": []})
    yield json.dumps(tasks)


FILES: dict[str, tuple[str, Callable[..., Iterator[str]]]] = {
    "hipe": ("tsv", make_hipe),
    "pubtator": ("txt", make_pubtator),
    "bioc": ("xml", make_bioc),
    "label-studio": ("json", make_label_studio),
}
"""By format: the ending of its file, and what writes it."""
PEERS = {
    "hipe": ("HIPE", "links", "plain loop"),
    "pubtator": ("PubTator", "links", "bioc"),
    "bioc": ("BioC XML", "links", "bioc"),
    "label-studio": ("Label Studio", "exact", "json.load"),
}
"""By format: its title, the measure, and what reads its files in `doorfloor.py`, which scores sets."""


def bench_doors(bench: Bench) -> None:
    """One system against gold: every seventh mention has another entity, or another label."""
    documents = DOCUMENTS // 10 if bench.quick else DOCUMENTS
    for name, (title, measure, peer) in PEERS.items():
        files = [str(made(name, documents, errors)) for errors in (0, 7)]
        commands = {
            "assay": [ASSAY, "score", *files, "-m", measure, "--format", "json"],
            peer: [bench.peers.python, str(HERE / "doorfloor.py"), name, *files],
        }
        first = {who: run(command) for who, command in commands.items()}
        same(f"F1 of {title}", scores(first["assay"].output, "f1", measure)[0], json.loads(first[peer].output)["f1"])
        bench.race(f"score {measure}, {title}", commands)


def made(name: str, documents: int, errors: int = 0) -> Path:
    """The file of a format, written unless it is there."""
    ending, make = FILES[name]
    path = FOLDER / f"{name}-{documents}{f'-{errors}' if errors else ''}.{ending}"
    if not path.exists():
        print(f"making {path.name} …", file=sys.stderr)
        FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(make(documents, errors)), "utf-8")
    return path


def main() -> None:
    """Print a row for each format."""
    import assay

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(FILES), help=f"some of {', '.join(FILES)}")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    given = parser.parse_args()
    print(*("format", "MB", "words", "spans", "CPU s", "MB/s"), sep="\t")
    for name in given.names:
        path = made(name, given.documents)
        seconds = []
        for _ in range(RUNS):
            start = time.process_time()
            corpus = assay.read(path)
            seconds.append(time.process_time() - start)
        size = path.stat().st_size / 1e6
        spans = len(corpus.marks["spans"]) if "spans" in corpus.marks else given.documents * SPANS
        print(name, f"{size:.1f}", len(corpus), spans, f"{min(seconds):.2f}", f"{size / min(seconds):.1f}", sep="\t")


if __name__ == "__main__":
    main()
