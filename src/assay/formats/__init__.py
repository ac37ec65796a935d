"""Text becomes a Corpus here; only this room knows formats and their quirks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assay.corpus import SEVERAL, Column, Corpus
from assay.errors import InputError, UsageError
from assay.formats.builder import Builder
from assay.formats.columns import ALIASES
from assay.formats.formats import FORMATS, Format, Plan, plan
from assay.formats.source import Source, expand, folder_of

__all__ = ["FORMATS", "Files", "Format", "Input", "choose_column", "joint_digest", "name_in", "read", "read_labels"]

# Where several columns could be meant, the first of these that all files fill is compared.
_PREFERRED = ("UPOS", "XPOS", "FEATS", "LEMMA", "label")
_NOT_LABELS = frozenset({"HEAD", "DEPREL", "DEPS", "MISC"})
_ENOUGH = 100
"""So many words have more different forms than labels, whatever the language."""


@dataclass(frozen=True)
class Files:
    """Some of the files that a folder or a pattern stands for."""

    path: str
    """The folder, as the user names it."""
    files: tuple[str, ...]


class Input:
    """What a path stands for: one or more files whose format is known and of which nothing is read yet."""

    def __init__(
        self,
        given: str | Files,
        *,
        input_format: str | None = None,
        name: str | None = None,
        wanted: Sequence[str] = (),
    ) -> None:
        self.path = path = given.path if isinstance(given, Files) else given
        self.name = name or path
        self.files = list(given.files) if isinstance(given, Files) else expand(path)
        self.digests: tuple[str, ...] = ()
        """The checksums of the files, when they have been read."""
        self._folder = folder_of(path)
        self._source: Source | None = Source(self.files[0], self._folder)
        """The first file, whose first lines were looked at; standard input and pipes cannot be opened twice."""
        self._input_format = input_format
        self.plan: Plan = plan(self._source.head(), self._source.path, input_format, wanted)

    def read(self, columns: Sequence[str] | None = None, *, tolerant: bool = False) -> Corpus:
        """The corpus with these label columns, by name or number; without, with all of them.

        Where it is `tolerant`, faulty trees are taken for sentences without a parse.
        """
        names = self.plan.labels if columns is None else tuple(dict.fromkeys(map(self.plan.resolve, columns)))
        builder = Builder(names, tolerant=tolerant)
        digests = []
        for number, file in enumerate(self.files):
            source = Source(file, self._folder) if self._source is None or number else self._source
            self._source = None
            chosen = plan(source.head(), source.path, self._input_format, names) if number else self.plan
            if chosen.format != self.plan.format:
                raise InputError(
                    f"{source.path}: looks like {chosen.format} where {self.files[0]} looks like {self.plan.format}. "
                    "Say which it is with --input-format."
                )
            if chosen.words != self.plan.words:
                raise InputError(
                    f"{source.path}: words seem to be in column {chosen.words} where {self.files[0]} has them in "
                    f'column {self.plan.words}. Say where they are, e.g. --input-format "{chosen.format}(word=2)".'
                )
            try:
                chosen.read(source, builder)
            finally:
                source.close()
            digests.append(source.sha256)
        self.digests = tuple(digests)
        return builder.corpus(self.name, joint_digest(digests), self.plan)


def joint_digest(digests: Sequence[str]) -> str:
    """The checksum of several files together."""
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def read(path: str, *, columns: Sequence[str] | None = None, input_format: str | None = None) -> Corpus:
    """Read a file, a folder, a glob pattern or `-` (standard input) into a Corpus.

    `columns` are the label columns wanted, by name or number; all of them where none are named. The format
    is told by the first lines, or given as on the command line: `input_format="tsv(word=2)"`.
    """
    return Input(str(path), input_format=input_format, wanted=columns or ()).read(columns)


def choose_column(inputs: Sequence[Input]) -> str:
    """The column to compare where the user names none: the first usual one that every file fills."""
    for item in inputs:
        if item.plan.spans:
            raise InputError(
                f"{item.path}: holds spans ({item.plan.format}), not words with labels. Try --task spans"
            )
        if not item.plan.labels:
            raise InputError(f"{item.path}: no column but the words, so there are no labels to compare.")
    named = [item for item in inputs if len(item.plan.labels) > 1]
    candidates = [name for name in _PREFERRED if named and all(name in item.plan.labels for item in named)]
    for name in candidates:
        if all(name in item.plan.filled for item in named):
            return name
    if candidates:
        fills = [[name for name in item.plan.filled if name not in _NOT_LABELS] for item in named]
        described = "; ".join(
            f"{item.name} fills {', '.join(filled) or 'none'}" for item, filled in zip(named, fills, strict=True)
        )
        spans = " Spans: --column MISC:Entity, or MISC:NER and the like." if "MISC" in named[0].plan.filled else ""
        raise UsageError(f"no column is filled in all files: {described}. Choose one with --column.{spans}")
    if not named:
        return _default(inputs[0])
    last = {_default(item) for item in named}
    if len(last) > 1:
        raise UsageError(
            f"the files have different columns ({', '.join(sorted(last))} at the end). Choose one with --column."
        )
    return last.pop()


def _default(item: Input) -> str:
    """The last label column; in a table the only one that is filled, and that can hold labels."""
    plan = item.plan
    if not plan.words:
        return plan.labels[-1]
    if len(plan.filled) > 1:
        shown = ", ".join(plan.filled)
        raise InputError(
            f"{item.path}: with words in column {plan.words}, labels may be in {shown}. Say which: --column "
            f"{plan.filled[-1]}, or another of them."
        )
    column = plan.filled[0] if plan.filled else plan.labels[-1]
    labels, words = plan.values(column), plan.values(plan.words)
    if len(words) >= _ENOUGH and len(set(labels)) > len(set(words)):
        raise InputError(
            f"{item.path}: column {column} has more different values than column {plan.words}, so that these hardly "
            f'are labels and words. Say which they are: --column {column} --input-format "{plan.format}(word='
            f'{plan.words})", or the other way round.'
        )
    return column


# --- labels: a column, two columns joined, a key of MISC, sets of tags ---


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
    usual = [ALIASES.get(known.upper(), known.upper()) for known in (name, *corpus.columns)]
    same = [known for known, called in zip(corpus.columns, usual[1:], strict=True) if called == usual[0]]
    return same[0] if len(same) == 1 else name


def _column_of(corpus: Corpus, name: str, resolve: Callable[[str], str]) -> Column:
    """A column; `UPOS+FEATS` joins two by a space, `MISC:Key` is the value of a key among `Key=value|…`."""
    columns = []
    for part in name.split("+"):
        base, colon, key = part.partition(":")
        column = corpus.column(resolve(base))
        if colon:
            # Of a key that is there twice the first value counts.
            pairs = {text: [pair.partition("=") for pair in text.split("|")] for text in column.vocabulary}
            values = {text: [value for name, _, value in given if name == key] for text, given in pairs.items()}
            column = column.mapped({text: found[0] if found else "_" for text, found in values.items()})
        if base == "FEATS":
            column = column.sorted_within("|")
        columns.append(column)
    if len(columns) == 1:
        return columns[0]
    return Column.of(" ".join(strings) for strings in zip(*(c.strings() for c in columns), strict=True))


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
