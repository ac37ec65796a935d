"""What the makers of weights share: lines of files, tags of corpora, dates, and lists of what was left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.corpus import Column, Corpus
from assay.errors import InputError
from assay.formats import Input, choose_column
from assay.formats.source import Source
from assay.tasks.tags.tagsets import Tag, Tagset

MOST_LISTED = 10
BETWEEN = " | "
"""What stands between the tags of a cell with several."""


def lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers."""
    for batch in Source(path).batches():
        for number, line in batch.lines():
            if line.strip():
                yield number, line


def parsed(path: str, text: str) -> Any:
    """The JSON of a file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg}).") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be understood ({error}).") from None


def changed_on(path: str) -> str:
    """The day on which a file was last changed; empty for standard input and for folders and patterns."""
    file = Path(path)
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat() if file.is_file() else ""


def tagged(path: str, column: str | None, tagset: Tagset, input_format: str | None = None) -> tuple[Corpus, Column]:
    """A corpus with its lemmas, if it has some, and its tags; `UPOS+FEATS` are columns that make a tag together."""
    source = Input(path, input_format=input_format, wanted=[column] if column else [])
    names = (column or getattr(tagset, "column", "") or choose_column([source])).split("+")
    lemma = [name for name in source.plan.labels if name.casefold() == "lemma"]
    corpus = source.read([*names, *lemma])
    columns = [corpus.column(source.plan.resolve(name)) for name in names]
    if len(columns) == 1:
        return corpus, columns[0]
    return corpus, Column.of(map(" ".join, zip(*(found.strings() for found in columns), strict=True)))


def lemmas(corpus: Corpus) -> Column | None:
    """The lemmas of a corpus whose lemma column is not empty."""
    for name in corpus.columns:
        if name.casefold() == "lemma" and not corpus.is_empty(name):
            return corpus.column(name)
    return None


def analyses(tagset: Tagset, tag: str) -> tuple[Tag, ...]:
    """What a tag, or each of several, stands for; outside the tagset it is a part of speech without categories."""
    return tuple(found for part in tag.split(BETWEEN) for found in tagset.read(part) or (Tag(part),))


def frequent(counts: Mapping[str, int]) -> str:
    """`a (3), b (1)`: the most frequent first, at most ten of them."""
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    more = f" and {len(ordered) - MOST_LISTED} more" if len(ordered) > MOST_LISTED else ""
    return ", ".join(f"{name} ({counts[name]})" for name in ordered[:MOST_LISTED]) + more


def plural(number: int, noun: str, nouns: str = "") -> str:
    """`1 word`, `2 words`."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"
