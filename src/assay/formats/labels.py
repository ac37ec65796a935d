"""The labels asked for, from what a file has: a column, two columns joined, a key of MISC, sets of tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from assay.corpus import SEVERAL, Column, Corpus
from assay.formats import Input
from assay.formats.columns import ALIASES


def read_labels(item: Input | Corpus, columns: Sequence[str]) -> Corpus:
    """The corpus with these label columns, under these names."""
    if isinstance(item, Corpus):
        combined = {
            name: _column_of(item, name, partial(name_in, item)) for name in columns if name not in item.columns
        }
        return replace(item, columns={**item.columns, **combined}) if combined else item
    parts = [part.partition(":")[0] for name in columns for part in name.split("+")]
    corpus = item.read(list(dict.fromkeys(parts)))
    # A file may call the column otherwise (a number, the only label of two columns); gold's name holds.
    return replace(corpus, columns={name: _column_of(corpus, name, item.plan.resolve) for name in columns})


def name_in(corpus: Corpus, name: str) -> str:
    """The name of a column in a corpus: as asked for, or the only other name for the same, as tag for XPOS."""
    if name in corpus.columns:
        return name
    same = [known for known in corpus.columns if _usual(known) == _usual(name)]
    return same[0] if len(same) == 1 else name


def _usual(name: str) -> str:
    return ALIASES.get(name.upper(), name.upper())


def _column_of(corpus: Corpus, name: str, resolve: Callable[[str], str]) -> Column:
    """A column; `UPOS+FEATS` joins two by a space, `MISC:Key` is the value of a key among `Key=value|…`."""
    columns = []
    for part in name.split("+"):
        base, colon, key = part.partition(":")
        column = corpus.column(resolve(base))
        if colon:
            column = column.mapped({text: _value_of(text, key) for text in column.vocabulary})
        if base == "FEATS":
            column = column.mapped({text: "|".join(sorted(text.split("|"))) for text in column.vocabulary})
        columns.append(column)
    if len(columns) == 1:
        return columns[0]
    return Column.of(" ".join(strings) for strings in zip(*(c.strings() for c in columns), strict=True))


def _value_of(text: str, key: str) -> str:
    """The value of a key in `Key=value|Key=value`."""
    found = [item.partition("=")[2] for item in text.split("|") if item.partition("=")[0] == key]
    return found[0] if found else "_"


def with_sets(corpus: Corpus, separator: str | None) -> Corpus:
    """The corpus with `A,B` read as the set of the tags A and B, in any order."""
    if separator is None:
        return corpus
    columns = {
        name: column.mapped(
            {text: SEVERAL.join(sorted(set(filter(None, text.split(separator))))) for text in column.vocabulary}
        )
        for name, column in corpus.columns.items()
    }
    return replace(corpus, columns=columns)
