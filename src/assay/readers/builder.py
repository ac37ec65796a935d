"""Builder: what readers hand their words, labels and boundaries to; it ends in a Corpus."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from pathlib import PurePath

import numpy as np

from assay.arrays import Ints
from assay.corpus import Column, Corpus, Multiword
from assay.errors import InputError


class Vocabulary(dict[str, int]):
    """Strings to codes; a new string gets the next code when it is looked up."""

    def __missing__(self, string: str) -> int:
        code = self[string] = len(self)
        return code


class Cells(dict[bytes, int]):
    """Cells as they stand in a file to the codes of their strings."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self.numbers = _Numbers(self)
        """The same for cells of up to eight bytes, each taken as one number, the first byte lowest."""

    def __missing__(self, cell: bytes) -> int:
        code = self[cell] = self._vocabulary[cell.decode("utf-8")]
        return code


class _Numbers(dict[int, int]):
    def __init__(self, cells: Cells) -> None:
        super().__init__()
        self._cells = cells

    def __missing__(self, number: int) -> int:
        code = self[number] = self._cells[number.to_bytes(8, "little").rstrip(b"\0")]
        return code


class Builder:
    """Collects one corpus from one or more files; readers call it, nobody else."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        """The label columns, in the order in which readers give their strings."""
        self._vocabularies = [Vocabulary() for _ in range(len(names) + 1)]
        self.cells = [Cells(vocabulary) for vocabulary in self._vocabularies]
        """Cells as they stand in a file, undecoded, to codes: one for the words, then one per label column."""
        self._codes = [array("i") for _ in range(len(names) + 1)]
        self._starts = array("q", [0])
        self._lines = array("q")
        self._files: list[tuple[str, int]] = []
        self._aside_words = array("q")
        self._aside_sentences = array("q")
        self._aside_lines: list[str] = []
        self._multiwords: list[Multiword] = []
        self._multiword_places: list[str] = []
        self._comments: list[tuple[int, str]] = []
        self._documents: list[tuple[int, str]] = []

    @property
    def words(self) -> int:
        """The number of words so far."""
        return len(self._codes[0])

    @property
    def sentence(self) -> int:
        """The number of sentences that are complete, which is the index of the one under way."""
        return len(self._starts) - 1

    def begin_file(self, path: str) -> None:
        """All that follows stands in this file."""
        self._files.append((path, self.sentence))

    def add(self, flat: list[str], ends: Iterable[int], lines: Iterable[int]) -> None:
        """Words with their labels (form, label, label, …, form, label, …) and the sentences that end among them.

        A sentence is given by the number of words before its end and by the line of its first word.
        """
        width = len(self._codes)
        for index, (codes, vocabulary) in enumerate(zip(self._codes, self._vocabularies, strict=True)):
            codes.extend(map(vocabulary.__getitem__, flat[index::width]))
        self._starts.extend(ends)
        self._lines.extend(lines)

    def add_codes(self, columns: Sequence[Ints], ends: Iterable[int], lines: Iterable[int]) -> None:
        """The same from columns of codes that were looked up in `cells`."""
        for codes, column in zip(self._codes, columns, strict=True):
            codes.frombytes(column.astype(np.int32).tobytes())
        self._starts.extend(ends)
        self._lines.extend(lines)

    def aside(self, word: int, line: str, sentence: int) -> None:
        """A line of a sentence that stands before a word and is none itself."""
        self._aside_words.append(word)
        self._aside_sentences.append(sentence)
        self._aside_lines.append(line)

    def multiword(self, first: int, end: int, form: str, place: str) -> None:
        """A surface token that covers several words; its place is for the case that it reaches too far."""
        self._multiwords.append(Multiword(first, end, form))
        self._multiword_places.append(place)

    def comments(self, lines: Sequence[str], sentences: Sequence[int]) -> None:
        """Comment lines on sentences; `# newdoc` opens a document."""
        self._comments.extend(zip(sentences, lines, strict=True))
        for line, sentence in zip(lines, sentences, strict=True):
            if line.startswith(("# newdoc", "#newdoc")):
                self.document(line.partition("=")[2].strip(), sentence)

    def document(self, name: str, sentence: int) -> None:
        """A document begins with this sentence."""
        if self._documents and self._documents[-1][0] == sentence:
            self._documents.pop()
        self._documents.append((sentence, name))

    def end_file(self) -> None:
        """A file begins a document, whether it marks one or not."""
        path, first = self._files[-1]
        if first == self.sentence:
            raise InputError(f"{path}: no words in it.")
        place = next((i for i, (start, _) in enumerate(self._documents) if start >= first), len(self._documents))
        if place == len(self._documents) or self._documents[place][0] > first:
            self._documents.insert(place, (first, self._file_name(path)))

    def _file_name(self, path: str) -> str:
        """The name of a file as a document; one of the same name in another folder is told by the folder."""
        pure = PurePath(path)
        stem = pure.name.partition(".")[0]
        return f"{pure.parent.name}/{stem}" if stem in (name for _, name in self._documents) else stem

    def _check_multiwords(self) -> None:
        """A multiword token lies within its sentence."""
        starts = np.array(self._starts)
        sentences = np.searchsorted(starts, [token.first for token in self._multiwords], side="right")
        for token, place, sentence in zip(self._multiwords, self._multiword_places, sentences.tolist(), strict=True):
            if sentence == len(starts) or token.end > starts[sentence]:
                raise InputError(f"{place} reaches beyond the last word of its sentence. Is a word missing?")

    def corpus(self, name: str, format: str, sha256: str, empty: str | None, word_per_line: bool) -> Corpus:  # noqa: A002
        """The finished corpus."""
        self._check_multiwords()
        columns = [
            Column(np.array(codes, dtype=np.int32), tuple(vocabulary))
            for codes, vocabulary in zip(self._codes, self._vocabularies, strict=True)
        ]
        starts, names = self._document_bounds()
        return Corpus(
            name=name,
            format=format,
            sha256=sha256,
            forms=columns[0],
            columns=dict(zip(self.names, columns[1:], strict=True)),
            starts=np.array(self._starts, dtype=np.int64),
            files=tuple(self._files),
            lines=np.array(self._lines, dtype=np.int64),
            aside_words=np.array(self._aside_words, dtype=np.int64),
            aside_sentences=tuple(self._aside_sentences),
            aside_lines=tuple(self._aside_lines),
            multiwords=tuple(self._multiwords),
            comments=tuple(self._comments),
            empty=empty,
            word_per_line=word_per_line,
            document_starts=starts,
            document_ids=names,
        )

    def _document_bounds(self) -> tuple[Ints, tuple[str, ...]]:
        # A mark behind the last sentence opens nothing.
        documents = [(first, name) for first, name in self._documents if first < self.sentence]
        firsts = [first for first, _ in documents]
        names = tuple(name or str(number) for number, (_, name) in enumerate(documents, 1))
        return np.array([*firsts, self.sentence], dtype=np.int64), names
