"""The same spans in every format that holds spans, and how formats are told."""

from __future__ import annotations

import json

import pytest

from assay.corpus.adapters import named_systems
from assay.formats import FORMATS, plan, read
from unit.samples import placed

WORDS = [["Angela", "Merkel", "left", "North", "and", "South", "America"], ["Fine", "."]]
SPANS = [[("LOC", [3, 6]), ("LOC", [5, 6]), ("PER", [0, 1]), ("PER", [0, 1])], []]


def stretches(atoms: list[int]) -> list[list[int]]:
    """The stretches (first, end) of atoms."""
    result: list[list[int]] = []
    for atom in atoms:
        if result and result[-1][1] == atom:
            result[-1][1] += 1
        else:
            result.append([atom, atom + 1])
    return result


def characters(words: list[str], atoms: list[int]) -> list[list[int]]:
    """The stretches of characters of words that are joined by spaces."""
    starts = [len(" ".join(["", *words[:i]])) for i in range(len(words))]
    return [[starts[first], starts[end - 1] + len(words[end - 1])] for first, end in stretches(atoms)]


def as_table() -> str:
    blocks = [
        "".join(f"{label}\t{a[0] + 1}\t{a[-1] + 1}\t{', '.join(str(i + 1) for i in a)}\n" for label, a in spans)
        for spans in SPANS
    ]
    return "\n".join(block or "NONE\t999\t999\t999\n" for block in blocks)


def as_lines_of_tokens() -> str:
    rows = zip(WORDS, SPANS, strict=True)
    return "\n".join(
        json.dumps(
            {"tokens": words, "spans": [{"label": label, "fragments": stretches(atoms)} for label, atoms in spans]}
        )
        for words, spans in rows
    )


def as_lines_of_text(tokens: bool) -> str:
    documents = []
    for words, spans in zip(WORDS, SPANS, strict=True):
        document = {"id": f"d{len(documents)}", "text": " ".join(words)}
        if tokens:
            bounds = [characters(words, [i])[0] for i in range(len(words))]
            document["tokens"] = [{"start": start, "end": end} for start, end in bounds]
        document["spans"] = [{"label": label, "fragments": characters(words, atoms)} for label, atoms in spans]
        documents.append(json.dumps(document))
    return "\n".join(documents)


def test_the_same_spans_of_words_are_read_from_every_format(file):
    table = read(file("a.spans", as_table()))
    assert placed(table) == [
        (0, "PER", [(0, 2)]),
        (0, "PER", [(0, 2)]),
        (0, "LOC", [(3, 4), (6, 7)]),
        (0, "LOC", [(5, 7)]),
    ]
    assert placed(read(file("a.jsonl", as_lines_of_tokens()))) == placed(table)
    assert placed(read(file("b.jsonl", as_lines_of_text(tokens=True)))) == placed(table)


def test_the_same_spans_of_characters_are_read_from_every_format(file):
    for number, (words, spans) in enumerate(zip(WORDS, SPANS, strict=True)):
        text = " ".join(words)
        file(f"brat/d{number}.txt", text)
        lines = [
            f"T{i}\t{label} {';'.join(f'{a} {b}' for a, b in parts)}\t{' '.join(text[a:b] for a, b in parts)}\n"
            for i, (label, atoms) in enumerate(spans)
            for parts in [characters(words, atoms)]
        ]
        file(f"brat/d{number}.ann", "".join(lines))
    brat, lines_of_text = read("brat"), read(file("a.jsonl", as_lines_of_text(tokens=False)))
    assert (
        placed(brat)
        == placed(lines_of_text)
        == [
            (0, "PER", [(0, 13)]),
            (0, "PER", [(0, 13)]),
            (0, "LOC", [(19, 24), (35, 42)]),
            (0, "LOC", [(29, 42)]),
        ]
    )
    assert brat.texts == lines_of_text.texts
    assert brat.document_ids == lines_of_text.document_ids == ("d0", "d1")
    assert brat.by_id and lines_of_text.by_id


@pytest.mark.parametrize(
    "name",
    [name for name, known in FORMATS.items() if known.looks is not None and name not in ("parquet", "docbin")],
)
def test_the_example_of_each_format_is_told_as_that_format(name):
    assert plan(FORMATS[name].example.split("\n"), "file", None, ()).name == name


def test_the_endings_of_files_with_spans_are_no_part_of_a_systems_name():
    endings = ("ann", "jsonl", "json", "spans", "spans.tsv", "bio", "iob", "jsonl.gz")
    assert {next(iter(named_systems([f"out/tagger.{ending}"]))) for ending in endings} == {"tagger"}
