"""Builder: what readers hand their words, labels and boundaries to; it ends in a Corpus."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

import numpy as np

from assay.arrays import Ints, Stretches
from assay.corpus import Chains, Column, Corpus, Multiword, Spans, Trees
from assay.errors import InputError
from assay.formats.chains import merged, sorted_chains, with_crossings_noted


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

    def __init__(self, names: Sequence[str], *, tolerant: bool = False) -> None:
        self.names = tuple(names)
        """The label columns, in the order in which readers give their strings."""
        self.tolerant = tolerant
        """Whether a faulty sentence may be left out: the user said so, and it is noted."""
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
        self._spans = array("q")
        """Sentence, begin, end, label and line of each span."""
        self._span_labels = Vocabulary()
        self._stretches: dict[int, Stretches] = {}
        self.node_labels = Vocabulary()
        """The labels of tree nodes to their codes …"""
        self.edge_labels = Vocabulary()
        """… and those of the edges above them, in formats that have such."""
        self._nodes = array("q")
        """Sentence, parent, begin, end, label, edge and line of each node."""
        self._above = array("q")
        self._node_gaps: dict[int, Stretches] = {}
        self._unparsed: set[int] = set()
        self._mentions = array("q")
        """Document, begin, end, chain and line of each mention."""
        self._chain_names: list[str] = []
        self._texts: list[str] = []
        self._ids: dict[str, str] = {}
        """The place of each document that has an id."""
        self._notes: dict[str, int] = {}

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

    def codes(self, column: int, strings: Iterable[str]) -> Ints:
        """The codes of strings for `add_codes`: those of the words (0) or of a label column (from 1)."""
        return np.fromiter(map(self._vocabularies[column].__getitem__, strings), dtype=np.int32)

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

    def identify(self, name: str, place: str) -> None:
        """A document begins that is told from all others by its id; its first sentence comes next."""
        if name in self._ids:
            raise InputError(f"{place}: the id {name!r} is already that of {self._ids[name]}. Give each its own.")
        self._ids[name] = place
        self.document(name, self.sentence)

    @property
    def has_ids(self) -> bool:
        """Whether documents were told apart by their ids so far."""
        return bool(self._ids)

    @property
    def documents(self) -> int:
        """The number of documents told apart by their ids so far."""
        return len(self._ids)

    @property
    def begun(self) -> int:
        """The number of documents that have begun."""
        return len(self._documents)

    def span(self, sentence: int, atoms: Sequence[tuple[int, int]], label: str, line: int) -> None:
        """A labelled span that begins in a sentence; its atoms as stretches (first, end), counted from there on."""
        joined = merged(atoms)
        if len(joined) > 1:
            self._stretches[len(self._spans) // 5] = joined
        self._spans.extend((sentence, joined[0][0], joined[-1][1], self._span_labels[label], line))

    def spans(self, rows: Ints, labels: Sequence[str], stretches: Mapping[int, Stretches]) -> None:
        """Many spans at once: rows of sentence, begin, end, label and line, the label by its place among `labels`.

        Those with gaps have their stretches under the number of their row.
        """
        before = len(self._spans) // 5
        self._stretches.update((before + row, gaps) for row, gaps in stretches.items())
        codes = np.array([self._span_labels[label] for label in labels], dtype=np.int64)
        coded = rows.astype(np.int64)
        coded[:, 3] = codes[rows[:, 3]]
        self._spans.frombytes(coded.tobytes())

    def mentions(
        self, rows: Sequence[tuple[int, int, int, int]] | Ints, names: Sequence[str], number: int | None = None
    ) -> None:
        """The mentions of a document, of the one begun last unless a number is given: begin, end, chain and line.

        Words are counted in the document. A chain is given by its place among `names`, which stand in the order in
        which they appear; one without mentions is none.
        """
        given = np.array(rows, dtype=np.int64).reshape(-1, 4)
        used, chains = np.unique(given[:, 2], return_inverse=True)
        document = np.full(len(given), self.begun - 1 if number is None else number)
        placed = np.column_stack([document, given[:, :2], chains + len(self._chain_names), given[:, 3]])
        self._mentions.frombytes(placed.astype(np.int64).tobytes())
        self._chain_names += [names[chain] for chain in used.tolist()]

    def all_mentions(self, rows: Ints, names: Sequence[str]) -> None:
        """The same for many documents: rows of document, begin, end, chain and line; every chain has mentions."""
        placed = rows + np.array([0, 0, 0, len(self._chain_names), 0])
        self._mentions.frombytes(placed.astype(np.int64).tobytes())
        self._chain_names += names

    def trees(
        self, nodes: Ints, above: Ints, stretches: Mapping[int, Stretches], unparsed: Iterable[int], first: int
    ) -> None:
        """The trees of the sentences from `first` on, whose words have been added.

        Rows of sentence, parent, begin, end, label, edge and line, each node before those below it; for each word the
        node above it; for nodes with gaps their stretches; and the sentences without a tree. Sentences and nodes
        are counted from 0 here, and -1 is none. The rows are changed in place.
        """
        before = len(self._nodes) // 7
        nodes[:, 0] += first
        nodes[:, 1] += np.where(nodes[:, 1] < 0, 0, before)
        self._nodes.frombytes(nodes.view(np.uint8).data)
        self._above.frombytes((above + np.where(above < 0, 0, before)).astype(np.int64).tobytes())
        self._node_gaps.update((before + node, gaps) for node, gaps in stretches.items())
        self._unparsed.update(first + sentence for sentence in unparsed)

    def text(self, text: str, line: int) -> None:
        """A document given as a text, whose characters are the atoms; its words are what white space divides."""
        self._texts.append(text)
        words = text.split() or [""]
        self.add(words, [self.words + len(words)], [line])

    @property
    def has_texts(self) -> bool:
        """Whether documents were given as texts so far."""
        return bool(self._texts)

    def note(self, text: str, number: int = 0) -> None:
        """Something the user should know about how the files were read.

        A `{}` in it stands for a number, and numbers given with the same text are added up over all files.
        """
        self._notes[text] = self._notes.get(text, 0) + number

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

    def _sorted_spans(self) -> Spans:
        rows = np.array(self._spans, dtype=np.int64).reshape(-1, 5)
        sentence, begin, end, codes, lines = rows.T
        labels = Column(codes.astype(np.int32), tuple(self._span_labels))
        return Spans.sorted(sentence, begin, end, labels, lines, self._stretches)

    def _chains(self) -> Chains:
        return sorted_chains(np.array(self._mentions, dtype=np.int64).reshape(-1, 5), self._chain_names, {})

    def _trees(self) -> Trees:
        rows = np.asarray(self._nodes).reshape(-1, 7)
        sentence, parent, begin, end, labels, edges, lines = rows.T.copy()
        return Trees(
            sentence=sentence,
            parent=parent,
            begin=begin,
            end=end,
            labels=Column(labels.astype(np.int32), tuple(self.node_labels)),
            above=np.array(self._above, dtype=np.int64),
            lines=lines,
            edges=Column(edges.astype(np.int32), tuple(self.edge_labels)) if self.edge_labels else None,
            stretches=self._node_gaps,
        )

    def corpus(
        self,
        name: str,
        format: str,  # noqa: A002
        sha256: str,
        *,
        empty: str | None = None,
        word_per_line: bool = True,
        spans: bool = False,
        trees: bool = False,
        chains: bool = False,
        has_words: bool = True,
    ) -> Corpus:
        """The finished corpus."""
        self._check_multiwords()
        columns = [
            Column(np.array(codes, dtype=np.int32), tuple(vocabulary))
            for codes, vocabulary in zip(self._codes, self._vocabularies, strict=True)
        ]
        starts, names = self._document_bounds()
        corpus = Corpus(
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
            has_words=has_words,
            spans=self._sorted_spans() if spans else None,
            trees=self._trees() if trees else None,
            unparsed=frozenset(self._unparsed),
            chains=self._chains() if chains else None,
            texts=tuple(self._texts) if self._texts else None,
            by_id=self.has_ids,
            noted=tuple(self._notes.items()),
        )
        return with_crossings_noted(corpus)

    def _document_bounds(self) -> tuple[Ints, tuple[str, ...]]:
        # A mark behind the last sentence opens nothing.
        documents = [(first, name) for first, name in self._documents if first < self.sentence]
        firsts = [first for first, _ in documents]
        names = tuple(name or str(number) for number, (_, name) in enumerate(documents, 1))
        return np.array([*firsts, self.sentence], dtype=np.int64), names
