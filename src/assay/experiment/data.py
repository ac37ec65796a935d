"""The text of a data set in pieces that can be put together to parts: the lines of each sentence, as they are."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assay import specs
from assay.corpus import Corpus
from assay.errors import InputError, UsageError
from assay.experiment.plan import DataSet
from assay.experiment.splitfiles import read_split
from assay.experiment.splits import Split, check_size, made_split
from assay.formats import Input
from assay.formats.columns import CONLL09, CONLLU, check_separator, is_named_comment
from assay.formats.source import Source, expand

WORDS = ("conllu", "conllx", "conll09", "tsv", "conll")
"""Formats with a word per line."""
_NUMBERED = ("conllu", "conllx", "conll09")
_LINES = ("slash", "jsonl", "clusters")
_DOCUMENTS = ("conll2012", "jsonl", "clusters")
"""Formats whose smallest pieces are documents."""
_BEFORE_A_SENTENCE = re.compile(r"#|<[A-Za-z][^/>]*>\s*$|-DOCSTART-|1-\d+\t|0\.\d+\t")
_EMPTY_NODE = re.compile(r"\d+\.\d+\t")
_COMMENT_KEY = re.compile(r"#\s*([^\s=]+)")
_HARMLESS = ("sent_id", "text", "newdoc", "newpar", "global.columns")
"""Comments that are no annotation."""


def checksum(path: str) -> str:
    """The hash of a data set's files, after decompression."""
    digests = []
    for file in expand(path):
        source = Source(file)
        for _ in source.batches():
            pass
        digests.append(source.sha256)
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def file_hash(path: str | Path) -> str:
    """The hash of a file; nothing where there is none."""
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class Data:
    """A data set that is read: its pieces, and which of them are units of the splits."""

    dataset: DataSet
    sha256: str
    format: str
    suffix: str
    head: str
    """What stands at the top of every part: a header, the names of columns."""
    pieces: tuple[str, ...]
    units: tuple[tuple[int, ...], ...]
    """The pieces of each unit."""
    sentences: tuple[int, ...]
    """How many sentences each unit has."""
    labels: tuple[str, ...]
    """The columns that can hold annotation."""
    names: tuple[str, ...]
    """All columns, where the format has a word per line."""

    @classmethod
    def read(cls, dataset: DataSet) -> Data:
        """Read the file or files of a data set."""
        source = Input(dataset.path, input_format=dataset.format, wanted=_wanted(dataset))
        corpus = source.read(())
        head, pieces = _pieces(source, corpus)
        units, sentences = _units(dataset, corpus, pieces)
        check_size(dataset.design, dataset.name, len(units))
        return cls(
            dataset=dataset,
            sha256=corpus.sha256,
            format=corpus.format,
            suffix=Path(source.files[0].removesuffix(".gz").removesuffix(".xz")).suffix or ".txt",
            head=head,
            pieces=tuple(pieces),
            units=units,
            sentences=sentences,
            labels=source.plan.labels,
            names=_column_names(corpus.format, head, pieces),
        )

    def split(self, repetition: int, fold: int) -> Split:
        """One of the splits: from the file of splits, or made."""
        if self.dataset.splits is not None:
            return read_split(self.dataset.splits, self.sha256, len(self.units), repetition, fold)
        return made_split(self.dataset.design, self.dataset.name, repetition, fold, len(self.units))

    def text(self, units: Sequence[int]) -> str:
        """The text of some units."""
        return self.head + "".join(self.pieces[piece] for unit in units for piece in self.units[unit])

    def blind(self, units: Sequence[int]) -> str:
        """The same without annotation."""
        if self.format == "slash":
            separator = _separator(self.dataset.format)
            return "".join(_untagged(self.pieces[piece], separator) for unit in units for piece in self.units[unit])
        # Columns under names that we do not know would stay as they are.
        if self.format not in WORDS or not set(self.labels) <= set(self.names):
            raise UsageError(
                f"data set {self.dataset.name}: annotation cannot be taken out of {self.format}. Say blind = false "
                "for the systems, and see to it that they do not look at it."
            )
        lines = self.text(units).splitlines(keepends=True)
        return "".join(lines[: self._header_lines]) + "".join(map(self._blinded, lines[self._header_lines :]))

    def count(self, units: Iterable[int]) -> int:
        """The sentences of some units."""
        return sum(self.sentences[unit] for unit in units)

    @property
    def _header_lines(self) -> int:
        return 0 if self.format in _NUMBERED else self.head.count("\n")

    @cached_property
    def _emptied(self) -> frozenset[int]:
        """The columns that the blind part has no values in."""
        folded = {name.casefold() for name in self.dataset.keep}
        return frozenset(
            index for index, name in enumerate(self.names) if name in self.labels and name.casefold() not in folded
        )

    def _blinded(self, line: str) -> str:
        if not line.strip() or line.startswith(("<", "-DOCSTART-")):
            return line
        if line.startswith("#") if self.format in _NUMBERED else is_named_comment(line):
            key = _COMMENT_KEY.match(line)
            return line if key and key[1] in (*_HARMLESS, *self.dataset.keep) else ""
        if self.format == "conllu" and _EMPTY_NODE.match(line):
            return ""
        separator = None if self.format == "conll" else "\t"
        cells = line.rstrip("\n").split(separator)
        cells = [
            _without_annotation(cell, index < len(self.names) and self.names[index] == "MISC")
            if index in self._emptied or index >= len(self.names)
            else cell
            for index, cell in enumerate(cells)
        ]
        return (separator or " ").join(cells) + "\n"


def _wanted(dataset: DataSet) -> list[str]:
    column = dict(dataset.scoring).get("column")
    return [*dataset.keep, *([column] if column else [])]


def _without_annotation(cell: str, misc: bool) -> str:
    """An empty cell; of MISC what is about white space stays."""
    spaces = [item for item in cell.split("|") if item.startswith("Space")] if misc else []
    return "|".join(spaces) or "_"


def _separator(given: str | None) -> str:
    """What stands between word and tag."""
    parameters = specs.parse(given, "format")[1] if given else {}
    return check_separator(parameters.get("separator", "/"))


def _untagged(line: str, separator: str) -> str:
    words = (word.rpartition(separator)[0].replace(f"\\{separator}", separator) for word in line.split())
    return " ".join(words) + "\n"


def _column_names(format: str, head: str, pieces: Sequence[str]) -> tuple[str, ...]:  # noqa: A002
    """The columns of a format with a word per line, as the reader names them."""
    if format not in WORDS:
        return ()
    first = head.partition("\n")[0]
    if first.startswith("# global.columns"):
        return tuple(first.partition("=")[2].split())
    if format in _NUMBERED:
        return CONLL09 if format == "conll09" else CONLLU
    separator = None if format == "conll" else "\t"
    if head.strip():
        return tuple(cell.strip() for cell in first.split(separator))
    word = next(line for line in reversed(pieces[0].rstrip().splitlines()) if not line.startswith("</"))
    return tuple(str(number) for number in range(1, len(word.split(separator)) + 1))


# --- where the pieces of a file begin and end ---


def _pieces(source: Input, corpus: Corpus) -> tuple[str, list[str]]:
    head, pieces = "", []
    firsts = [first for _, first in corpus.files] or [0]
    ends = [*firsts[1:], corpus.sentences]
    for number, (file, first, end) in enumerate(zip(source.files, firsts, ends, strict=True)):
        text = "".join(batch.text for batch in Source(file).batches())
        assert corpus.lines is not None
        lines = text.splitlines(keepends=True) if "\n" in text else [text]
        top, found = _cut(corpus.format, text, lines, [int(line) for line in corpus.lines[first:end]])
        pieces += found
        head = head if number else top
    expected = corpus.documents if corpus.format == "conll2012" else corpus.sentences
    if corpus.format not in ("clusters",) and len(pieces) != expected:
        raise InputError(
            f"{source.path}: {len(pieces)} pieces of text where {expected} sentences were read, so that it cannot be "
            "split. Convert it first: assay convert --to conllu"
        )
    return head, pieces


def _cut(format: str, text: str, lines: list[str], firsts: list[int]) -> tuple[str, list[str]]:  # noqa: A002
    """What stands at the top of a file, and its pieces."""
    if format in WORDS:
        return _by_first_lines(lines, firsts)
    if format in _LINES:
        return "", [line.rstrip("\n") + "\n" for line in lines if line.strip()]
    if format in ("brackets", "discbracket"):
        return "", _trees(text)
    if format == "export":
        found = re.findall(r"^#BOS.*?^#EOS[^\n]*\n?", text, re.MULTILINE | re.DOTALL)
        return text[: text.find("#BOS")], [piece.rstrip("\n") + "\n" for piece in found]
    if format == "conll2012":
        found = re.findall(r"^#begin document.*?^#end document[^\n]*\n?", text, re.MULTILINE | re.DOTALL)
        return "", [piece.rstrip("\n") + "\n" for piece in found]
    raise UsageError(f"{format} files cannot be split. Convert them first: assay convert --to conllu")


def _by_first_lines(lines: list[str], firsts: list[int]) -> tuple[str, list[str]]:
    """Cut before each sentence: before its first word, and what introduces it."""
    starts = []
    for first in firsts:
        start = first - 1
        while start and _introduces(lines, start - 1):
            start -= 1
        starts.append(start)
    head = "".join(lines[: starts[0]])
    if lines[0].startswith("# global.columns"):
        # It is about the file, though it stands among the comments of the first sentence.
        head, starts[0] = lines[0], max(starts[0], 1)
    ends = [*starts[1:], len(lines)]
    return head, ["".join(lines[start:end]).rstrip("\n") + "\n\n" for start, end in zip(starts, ends, strict=True)]


def _introduces(lines: list[str], index: int) -> bool:
    """Whether a line belongs to the sentence after it: a comment, an opening tag, a range, a mark of a document."""
    line = lines[index]
    if not line.strip():
        return index > 0 and lines[index - 1].startswith("-DOCSTART-")
    return _BEFORE_A_SENTENCE.match(line) is not None


def _trees(text: str) -> list[str]:
    """Each tree in brackets from its first to its last."""
    trees, depth, start = [], 0, 0
    for match in re.finditer(r"[()]", text):
        if match[0] == "(":
            start = match.start() if depth == 0 else start
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                trees.append(text[start : match.end()] + "\n")
    return trees


def _units(
    dataset: DataSet, corpus: Corpus, pieces: Sequence[str]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Which pieces make a unit, and how many sentences each unit has."""
    by, whole = dataset.design.by, corpus.format in _DOCUMENTS
    if by == "sentence" and whole:
        raise InputError(f'{dataset.path}: {corpus.format} is split by document only. Say by = "document"')
    if by == "sentence":
        return tuple((piece,) for piece in range(len(pieces))), (1,) * len(pieces)
    documents = corpus.document_of_sentence.tolist()
    if corpus.documents < 2:
        raise InputError(f'{dataset.path}: marks no documents, so it cannot be split by them. Say by = "sentence"')
    members: list[list[int]] = [[] for _ in range(corpus.documents)]
    for sentence, document in enumerate(documents):
        members[document].append(sentence)
    sizes = tuple(len(sentences) for sentences in members)
    if whole:
        return tuple((piece,) for piece in range(len(pieces))), sizes
    return tuple(map(tuple, members)), sizes
