"""How long files of tools and shared tasks take to read: `python bench/doors.py [NAME …] [--documents N]`.

What is read is made up, in `.bench/doors`. The CPU seconds are the best of three readings in one process.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import assay

FOLDER = Path(__file__).parents[1] / ".bench" / "doors"
WORDS = 500
"""The words of a document."""
SPANS = 50
RUNS = 3


def make_words(document: int) -> list[str]:
    """The words of a document, the same on every machine."""
    rng = random.Random(document)
    return ["".join(rng.choices("abcdeïłö", k=rng.randint(2, 9))) for _ in range(WORDS)]


def make_hipe(documents: int) -> Iterator[str]:
    """A table with mentions and links, sentences of ten words."""
    yield "TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC\n"
    for document in range(documents):
        yield f"# hipe2022:document_id = d{document}\n"
        for number, word in enumerate(make_words(document)):
            tag, link = ("B-pers", f"Q{number}") if number % (WORDS // SPANS) == 0 else ("O", "_")
            end = "EndOfSentence" if number % 10 == 9 else "_"
            yield f"{word}\t{tag}\t{link}\t{end}\n"


def make_pubtator(documents: int) -> Iterator[str]:
    """Abstracts with mentions, and a relation for every two of them."""
    for document in range(documents):
        words = make_words(document)
        yield f"{document}|t|{words[0]}\n{document}|a|{' '.join(words[1:])}\n"
        place = 0
        for number, word in enumerate(words):
            if number % (WORDS // SPANS) == 0:
                yield f"{document}\t{place}\t{place + len(word)}\t{word}\tDisease\tD{number}\n"
                if number and number % (2 * WORDS // SPANS) == 0:
                    yield f"{document}\tCID\tD0\tD{number}\n"
            place += len(word) + 1
        yield "\n"


def make_bioc(documents: int) -> Iterator[str]:
    """A collection in XML, a passage for each document."""
    yield "<collection>\n"
    for document in range(documents):
        words = make_words(document)
        yield f"<document><id>{document}</id><passage><offset>0</offset><text>{' '.join(words)}</text>\n"
        place = 0
        for number, word in enumerate(words):
            if number % (WORDS // SPANS) == 0:
                infons = f'<infon key="type">Disease</infon><infon key="identifier">D{number}</infon>'
                location = f'<location offset="{place}" length="{len(word)}"/>'
                yield f'<annotation id="{number}">{infons}{location}<text>{word}</text></annotation>\n'
            place += len(word) + 1
        yield "</passage></document>\n"
    yield "</collection>\n"


FILES: dict[str, tuple[str, Callable[[int], Iterator[str]]]] = {
    "hipe": ("tsv", make_hipe),
    "pubtator": ("txt", make_pubtator),
    "bioc": ("xml", make_bioc),
}
"""By format: the ending of its file, and what writes it."""


def main() -> None:
    """Print a row for each format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(FILES), help=f"some of {', '.join(FILES)}")
    parser.add_argument("--documents", type=int, default=2_000)
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(*("format", "MB", "words", "spans", "CPU s", "MB/s"), sep="\t")
    for name in given.names:
        ending, make = FILES[name]
        path = FOLDER / f"{name}-{given.documents}.{ending}"
        if not path.exists():
            path.write_text("".join(make(given.documents)), "utf-8")
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
