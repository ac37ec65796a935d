"""Two small taggers for the demo of `assay experiment`: plain Python, a second's work on a small corpus.

Here is what both share: CoNLL-U in and out, and the command line.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

Sentence = list[tuple[str, str]]
"""Words with their tags."""
XPOS = 4


def read_sentences(path: str) -> Iterator[Sentence]:
    """The words of each sentence of a file, with their tags."""
    sentence: Sentence = []
    for line in Path(path).read_text("utf-8").splitlines():
        cells = line.split("\t")
        if not line.strip():
            if sentence:
                yield sentence
            sentence = []
        elif cells[0].isdigit():
            sentence.append((cells[1], cells[XPOS]))
    if sentence:
        yield sentence


def run_tagger(
    description: str, train: Callable[[list[Sentence]], Any], tag: Callable[[Any, list[str]], list[str]]
) -> None:
    """`train CORPUS MODEL` and `predict MODEL CORPUS OUTPUT`, for a model that can be written as JSON."""
    parser = argparse.ArgumentParser(description=description)
    actions = parser.add_subparsers(dest="action", required=True)
    for action, names in (("train", ("corpus", "model")), ("predict", ("model", "corpus", "output"))):
        chosen = actions.add_parser(action)
        for name in names:
            chosen.add_argument(name)
    given = parser.parse_args()
    if given.action == "train":
        model = train(list(read_sentences(given.corpus)))
        Path(given.model).write_text(json.dumps(model), "utf-8")
        return
    model = json.loads(Path(given.model).read_text("utf-8"))
    tagged = (tag(model, [word for word, _ in sentence]) for sentence in read_sentences(given.corpus))
    tags = chain.from_iterable(tagged)
    lines = []
    for line in Path(given.corpus).read_text("utf-8").splitlines():
        cells = line.split("\t")
        if cells[0].isdigit():
            cells[XPOS] = next(tags)
        lines.append("\t".join(cells) + "\n")
    Path(given.output).write_text("".join(lines), "utf-8", newline="\n")
