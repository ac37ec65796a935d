"""What scores files of tools and shared tasks with sets, after the library or a loop has read them.

Run: doorfloor.py FORMAT GOLD SYSTEM
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

Mention = tuple[str, int, int, str]
"""Document, beginning, end, entity or label."""


def read_hipe(path: str) -> Iterator[Mention]:
    """Mentions of the coarse column, by words, with their links."""
    document, begin, entity, place = "", -1, "", 0
    with open(path, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            if line.startswith("#"):
                document = line.rpartition(" = ")[2].strip()
                continue
            _, tag, link, _ = line.split("\t")
            if begin >= 0 and not tag.startswith("I-"):
                yield document, begin, place, entity
                begin = -1
            if tag.startswith("B-"):
                begin, entity = place, link
            place += 1
    if begin >= 0:
        yield document, begin, place, entity


def read_annotations(document: Any, annotations: Any) -> Iterator[Mention]:
    """What the package bioc has for an annotation of a passage."""
    for annotation in annotations:
        (place,) = annotation.locations
        yield document.id, place.offset, place.offset + place.length, annotation.infons["identifier"]


def read_bioc(path: str) -> Iterator[Mention]:
    """Mentions of a collection in XML."""
    from bioc import biocxml  # type: ignore[import-not-found, unused-ignore]

    with open(path, encoding="utf-8") as file:
        for document in biocxml.load(file).documents:
            for passage in document.passages:
                yield from read_annotations(document, passage.annotations)


def read_pubtator(path: str) -> Iterator[Mention]:
    """Mentions of abstracts."""
    from bioc import pubtator  # type: ignore[import-not-found, unused-ignore]

    with open(path, encoding="utf-8") as file:
        for document in pubtator.load(file):
            for one in document.annotations:
                yield document.pmid, one.start, one.end, one.id


def read_label_studio(path: str) -> Iterator[Mention]:
    """Spans of the only annotation of each task, with their labels."""
    with open(path, encoding="utf-8") as file:
        for task in json.load(file):
            for result in task["annotations"][0]["result"]:
                value = result["value"]
                yield str(task["id"]), value["start"], value["end"], value["labels"][0]


READERS: dict[str, Callable[[str], Iterator[Mention]]] = {
    "hipe": read_hipe,
    "pubtator": read_pubtator,
    "bioc": read_bioc,
    "label-studio": read_label_studio,
}


if __name__ == "__main__":
    gold, system = (set(READERS[sys.argv[1]](path)) for path in sys.argv[2:])
    print(json.dumps({"f1": 2 * len(gold & system) / (len(gold) + len(system))}))
