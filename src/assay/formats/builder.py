"""Builder: what readers hand their words, labels and boundaries to; it ends in a Corpus."""

from __future__ import annotations

import math
import os
import re
import shlex
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import PurePath
from typing import TYPE_CHECKING, AnyStr, Protocol, TypeVar, cast

import numpy as np

from assay.arrays import NONE, Floats, Ints, Stretches
from assay.corpus import Column, Corpus, Marks, Multiword, Trees
from assay.corpus.items import ItemTable
from assay.errors import AssayError, InputError, list_problems, unknown
from assay.formats.whose import MEND, Asked, LayerChoice, Whose

if TYPE_CHECKING:
    from assay.formats import Format

_PART = re.compile(r"(?:part\s+([0-9]{1,9}))?")
_IN_BRACKETS = re.compile(rf"\((.*)\)\s*+;?\s*+{_PART.pattern}")


class Vocabulary(dict[AnyStr, int]):
    """Strings to codes; a new string gets the next code when it is looked up."""

    def __missing__(self, string: AnyStr) -> int:
        code = self[string] = len(self)
        return code


class Cells(dict[bytes, int]):
    """Undecoded cells of a file to the codes of their strings."""

    def __init__(self, code: Callable[[str], int]) -> None:
        super().__init__()
        self._code = code

    def __missing__(self, cell: bytes) -> int:
        code = self[cell] = self._code(cell.decode("utf-8"))
        return code


class Collector(Protocol):
    """Something that readers gather a layer of the corpus in, file after file."""

    def layer(self) -> object:
        """The finished layer, or several by name."""


class SpanLists:
    """Spans as readers find them."""

    def __init__(self) -> None:
        self._rows = array("q")
        """Sentence, begin, end, label and line of each span."""
        self._labels = Vocabulary[str]()
        self._stretches: dict[int, Stretches] = {}
        self._confidences: dict[int, float] = {}

    def __len__(self) -> int:
        """The number of spans so far, which is that of the next one."""
        return len(self._rows) // 5

    def span(
        self, sentence: int, atoms: Sequence[tuple[int, int]], label: str, line: int, score: float = math.nan
    ) -> int:
        """The number of a labelled span that begins in a sentence.

        Its atoms are stretches (first, end), counted from there on; `score`: how sure the file is of it.
        """
        number, joined = len(self), merge_stretches(atoms) if len(atoms) > 1 else (atoms[0],)
        if len(joined) > 1:
            self._stretches[number] = joined
        if not math.isnan(score):
            self._confidences[number] = score
        self._rows.extend((sentence, joined[0][0], joined[-1][1], self._labels[label], line))
        return number

    def spans(
        self,
        rows: Ints,
        labels: Sequence[str],
        stretches: Mapping[int, Stretches],
        scores: Mapping[int, float] | None = None,
    ) -> None:
        """Many spans at once: rows of sentence, begin, end, label and line, the label by its place among `labels`.

        Those with gaps have their stretches under the number of their row, those with a score have it there too.
        """
        before = len(self)
        self._confidences.update((before + row, score) for row, score in (scores or {}).items())
        self._stretches.update((before + row, gaps) for row, gaps in stretches.items())
        codes = np.array([self._labels[label] for label in labels], dtype=np.int64)
        coded = rows.astype(np.int64)
        coded[:, 3] = codes[rows[:, 3]]
        self._rows.frombytes(coded.tobytes())

    def add(self, other: SpanLists) -> None:
        """Take over all spans of another list."""
        rows = np.array(other._rows, dtype=np.int64).reshape(-1, 5)
        self.spans(rows, tuple(other._labels), other._stretches, other._confidences)

    def sorted(self) -> tuple[Marks, Ints]:
        """All spans in the order of the text, and the number by which each was known here."""
        sentence, begin, end, codes, lines = np.array(self._rows, dtype=np.int64).reshape(-1, 5).T
        labels = Column(codes.astype(np.int32), tuple(self._labels))
        scores = fill_scores(self._confidences, len(self))
        return Marks(sentence, begin, end, labels, lines, self._stretches, scores=scores).in_order()


def fill_scores(scores: Mapping[int, float], number: int) -> Floats:
    """The scores of marks by their numbers, nan without one; nothing if none has one."""
    filled = np.full(number if scores else 0, np.nan)
    filled[list(scores)] = list(scores.values())
    return filled


class MarkLists:
    """Marks of a layer as readers find them."""

    def __init__(self, roles: Sequence[str]) -> None:
        self.roles = roles
        self.rows = array("q")
        """Sentence, begin, end, label and arguments of each mark."""
        self.labels = Vocabulary[str]()

    def add(self, sentence: int, begin: int, end: int, label: str, *arguments: int) -> None:
        """A mark in a sentence, with one argument for each role."""
        self.rows.extend((sentence, begin, end, self.labels[label], *arguments))

    def marks(self) -> Marks:
        """All marks by sentence, place, arguments and label, each once."""
        rows = np.frombuffer(self.rows, dtype=np.int64).reshape(-1, 4 + len(self.roles))
        unit, begin, end, codes, *arguments = rows.T
        labels = Column(codes.astype(np.int32), tuple(self.labels))
        named = dict(zip(self.roles, arguments, strict=True))
        if (begin == NONE).all():
            return Marks.without_place(unit, labels, **named).distinct(unit, *arguments)
        return Marks(unit, begin, end, labels, arguments=named).distinct(unit, begin, end, *arguments)


class SpanCollector(Collector, Protocol):
    """A collector of a layer over all spans of the files."""

    def add(self, other: SpanLists) -> None:
        """Take over all spans of another list."""


C = TypeVar("C", bound=Collector)
S = TypeVar("S", bound=SpanCollector)


_OTHER_UNIT = "Documents with offsets in {}, as the texts of their spans show: {{}}."


class Builder:
    """Collects one corpus from one or more files; readers call it, nobody else."""

    def __init__(self, names: Sequence[str], *, tolerant: bool = False, asked: Asked | None = None) -> None:
        self.asked = asked or Asked()
        """What the user asks of the files: whose annotation, and what to do with faults."""
        self.whose = Whose(self.asked)
        self.layers = LayerChoice(self.asked)
        self.names = tuple(names)
        """The label columns, in the order in which readers give their strings."""
        self.tolerant = tolerant
        """True if faulty sentences are left out: the user asked for it, and it is noted."""
        self.vocabularies = [Vocabulary[str]() for _ in range(len(names) + 1)]
        """Strings to codes: one for the words, then one per label column."""
        self.cells = [Cells(vocabulary.__getitem__) for vocabulary in self.vocabularies]
        """Undecoded cells to the same codes."""
        self._codes = [array("i") for _ in range(len(names) + 1)]
        self._starts = array("q", [0])
        self._lines = array("q")
        self._files: list[tuple[str, int]] = []
        self._asides: list[tuple[int, int, str]] = []
        """Word, sentence and text of lines that are no words."""
        self._multiwords: list[tuple[Multiword, str]] = []
        self._comments: list[tuple[int, str]] = []
        self._documents: list[tuple[int, str]] = []
        self._document_names = Counter[str]()
        self._spans = SpanLists()
        self.span, self.spans = self._spans.span, self._spans.spans
        """Add a labelled span, or many at once."""
        self.node_labels = Vocabulary[str]()
        """The labels of tree nodes to their codes …"""
        self.edge_labels = Vocabulary[str]()
        """… and those of the edges above them, in formats that have labels of edges."""
        self._nodes = array("q")
        """Sentence, parent, begin, end, label, edge and line of each node."""
        self._above = array("q")
        self._node_gaps: dict[int, Stretches] = {}
        self._unparsed: set[int] = set()
        self._mentions = array("q")
        """Document, begin, end, chain and line of each mention."""
        self._chain_names: list[str] = []
        self._mention_types: list[str] = []
        """The types of all mentions, in formats that have them."""
        self.texts: list[str] = []
        """The documents that were given as texts."""
        self.ids: dict[str, str] = {}
        """The place of each document that has an id."""
        self._notes: dict[str, int] = {}
        self.shape = ""
        """The shape of the files if their format has several, as the heading names it: Label Studio JSON."""
        self.offsets = Counter[str]()
        """The number of documents whose offsets do not count characters, by what they count."""
        self.unread = Counter[str]()
        """The number of things that are not read, by what they are: `Results of type choices`."""
        self._left_out: list[tuple[int, str, str]] = []
        """Number among all documents, id and status of those that are left out."""
        self._repairs: dict[tuple[str, str], tuple[int, str]] = {}
        self.faults: list[str] = []
        """Faulty annotations with their places, which are refused at the end of the file."""
        self.labels: dict[str, Counter[str]] = {}
        """The numbers of labels of all annotations by layer, if it is asked what a file contains."""
        self._collectors: dict[Callable[[], Collector], Collector] = {}
        self._marks: dict[str, MarkLists] = {}
        self.tables: list[ItemTable] = []
        """The tables of files with items, which have no words."""
        self._on_units: dict[str, list[tuple[int, str, int, dict[str, str]]]] = {}
        """By layer: unit, label, line and attributes of marks without a place."""

    def layer(self, name: str, *roles: str) -> MarkLists:
        """The marks of a layer, whose arguments have these roles, the same for all files of the corpus."""
        return self._marks.setdefault(name, MarkLists(roles))

    def unit(self, name: str, line: int) -> int:
        """The number of a new unit without text, known by its id."""
        self.identify(name, f"{self._files[-1][0]}:{line}")
        self.add([""] * len(self._codes), [self.words + 1], [line])
        return self.sentence - 1

    def mark(self, layer: str, unit: int, label: str, line: int = 0, **attributes: str) -> None:
        """A mark on a unit, without a place in it; all marks of a layer have the same attributes."""
        self._on_units.setdefault(layer, []).append((unit, label, line, attributes))

    def collector(self, kind: Callable[[], C]) -> C:
        """The collector of a layer that only a task and its readers know, the same for all files of the corpus."""
        if kind not in self._collectors:
            self._collectors[kind] = kind()
        return cast("C", self._collectors[kind])

    def over_spans(self, kind: Callable[[], S], wanted: bool) -> S | None:
        """The collector of a layer over all spans, with those so far; None as long as no document wants one."""
        if wanted and kind not in self._collectors:
            self.collector(kind).add(self._spans)
        return self.collector(kind) if kind in self._collectors else None

    @property
    def words(self) -> int:
        """The number of words so far."""
        return len(self._codes[0])

    def first_word(self, sentence: int) -> int:
        """The number of the first word of a sentence."""
        return self._starts[sentence]

    @property
    def sentence(self) -> int:
        """The number of sentences that are complete, which is the index of the one under way."""
        return len(self._starts) - 1

    def begin_file(self, path: str) -> None:
        """Begin a file, unless it has begun; all that follows is in it."""
        if self._files[-1:] != [(path, self.sentence)]:
            self._files.append((path, self.sentence))

    def add(self, flat: list[str], ends: Iterable[int], lines: Iterable[int]) -> None:
        """Words with their labels (form, label, label, …, form, label, …) and the sentences that end among them.

        A sentence is given by the number of words before its end and by the line of its first word.
        """
        width = len(self._codes)
        for index, (codes, vocabulary) in enumerate(zip(self._codes, self.vocabularies, strict=True)):
            codes.extend(map(vocabulary.__getitem__, flat[index::width]))
        self._starts.extend(ends)
        self._lines.extend(lines)

    def add_codes(self, columns: Sequence[Ints], ends: Iterable[int], lines: Iterable[int]) -> None:
        """Words with their labels as columns of codes from `cells`, and sentences as in `add`."""
        for codes, column in zip(self._codes, columns, strict=True):
            codes.frombytes(column.astype(np.int32).tobytes())
        self._starts.extend(ends)
        self._lines.extend(lines)

    def codes(self, column: int, strings: Iterable[str]) -> Ints:
        """The codes of strings for `add_codes`: those of the words (0) or of a label column (from 1)."""
        return np.fromiter(map(self.vocabularies[column].__getitem__, strings), dtype=np.int32)

    def aside(self, word: int, line: str, sentence: int) -> None:
        """A line of a sentence that is no word, and the word after it."""
        self._asides.append((word, sentence, line))

    def multiword(self, first: int, end: int, form: str, place: str) -> None:
        """A surface token that covers several words; its place is for the case that it reaches too far."""
        self._multiwords.append((Multiword(first, end, form), place))

    def comments(self, lines: Sequence[str], sentences: Sequence[int]) -> None:
        """Comment lines on sentences; `# newdoc` opens a document."""
        self._comments.extend(zip(sentences, lines, strict=True))
        for line, sentence in zip(lines, sentences, strict=True):
            if line.startswith(("# newdoc", "#newdoc")):
                self.document(line.partition("=")[2].strip(), sentence)

    def document(self, name: str, sentence: int) -> None:
        """A document begins with this sentence."""
        if self._documents and self._documents[-1][0] == sentence:
            self._document_names[self._documents.pop()[1]] -= 1
        self._documents.append((sentence, name))
        self._document_names[name] += 1

    def identify(self, name: str, place: str) -> None:
        """Begin a document with an id that no other has; its first sentence comes next."""
        if name in self.ids:
            raise InputError(f"{place}: the id {name!r} is already used in {self.ids[name]}. Give each its own id.")
        self.ids[name] = place
        self.document(name, self.sentence)

    @property
    def begun(self) -> int:
        """The number of documents that have begun."""
        return len(self._documents)

    def mentions(self, rows: Ints, names: Sequence[str], types: Sequence[str] = ()) -> None:
        """Mentions in rows of document, begin, end, chain and line, and their types if the format has them.

        Documents are counted over all files, words within their document. A chain is given by its place among
        `names`, which are in the order in which they appear; those without mentions are left out.
        """
        self._mention_types += types
        used, chains = np.unique(rows[:, 3], return_inverse=True)
        placed = np.column_stack([rows[:, :3], chains + len(self._chain_names), rows[:, 4]])
        self._mentions.frombytes(placed.astype(np.int64).tobytes())
        self._chain_names += [names[chain] for chain in used.tolist()]

    def trees(self, nodes: Ints, above: Ints, stretches: Mapping[int, Stretches], unparsed: Iterable[int]) -> None:
        """Trees of sentences whose words have been added.

        Rows of sentence, parent, begin, end, label, edge and line, each node before those below it; for each word the
        node above it; for nodes with gaps their stretches; and the sentences without a tree. Nodes are counted from 0
        here, and -1 is none. The rows are changed in place.
        """
        before = len(self._nodes) // 7
        nodes[:, 1] += np.where(nodes[:, 1] < 0, 0, before)
        self._nodes.frombytes(nodes.view(np.uint8).data)
        self._above.frombytes((above + np.where(above < 0, 0, before)).astype(np.int64).tobytes())
        self._node_gaps.update((before + node, gaps) for node, gaps in stretches.items())
        self._unparsed.update(unparsed)

    def text(self, text: str, line: int) -> None:
        """A document given as a text, whose characters are the atoms; its words are what white space divides."""
        self.texts.append(text)
        words = text.split() or [""]
        self.add(words, [self.words + len(words)], [line])

    def note(self, text: str, number: int = 0) -> None:
        """Something the user should know about how the files were read.

        A `{}` in it is replaced by a number, the sum of those given with this text over all files; 0 is not noted.
        """
        if number or "{}" not in text:
            self._notes[text] = self._notes.get(text, 0) + number

    def describe(self, metadata: Iterable[tuple[str, str]]) -> None:
        """Metadata of a document whose first sentence comes next, as comments `# key = value` have it."""
        self._comments += [(self.sentence, f"# {key} = {value}") for key, value in metadata]

    def leave_out(self, name: str, status: str) -> None:
        """Leave out a document, by its id if it has one; without a status it has no annotation that is meant."""
        self._left_out.append((self.begun + len(self._left_out), name, status))

    def repair(self, fault: str, action: str, place: str) -> None:
        """Count an annotation with a fault, and what became of it: mended or dropped."""
        number, first = self._repairs.get((fault, action), (0, place))
        self._repairs[fault, action] = number + 1, first

    def drop_words(self) -> None:
        """Drop the words of the sentence under way, and all that was said of it; the next one takes its place."""
        first = self._starts[-1]
        for codes in self._codes:
            del codes[first:]
        self._comments = [row for row in self._comments if row[0] != self.sentence]
        self._asides = [row for row in self._asides if row[1] != self.sentence]
        self._multiwords = [row for row in self._multiwords if row[0].first < first]

    def fault(self, problem: str) -> None:
        """Take down a faulty annotation with its place, which `refuse_faults` refuses unless it is to be repaired."""
        self.faults += [] if self.asked.repair else [problem]

    def refuse_faults(self) -> None:
        """Refuse files with faulty annotations, and name the option that repairs them."""
        if self.faults and not self.asked.surveys:
            option = self.asked.spell(MEND, "repair")
            remedy = f"To mend those with one clear reading and drop the rest: {option}"
            raise InputError("\n".join([*list_problems([*dict.fromkeys(self.faults)]), remedy]))

    def end_file(self) -> None:
        """A file begins a document, whether it marks one or not."""
        self.refuse_faults()
        path, first = self._files[-1]
        if self.tables or (first == self.sentence and self._left_out):
            return
        if first == self.sentence:
            raise InputError(f"{path}: contains no words.")
        place = bisect_left(self._documents, (first, ""))
        if place == len(self._documents) or self._documents[place][0] > first:
            # A file of the same name in another folder is named with its folder.
            stem = os.path.basename(path).partition(".")[0]
            name = f"{PurePath(path).parent.name}/{stem}" if self._document_names[stem] else stem
            self._documents.insert(place, (first, name))
            self._document_names[name] += 1

    def check_choices(self, name: str, documents: int) -> None:
        """Refuse files in which the layer or the annotation that is asked for is not the only one, or not there.

        `documents` are left.
        """
        try:
            self.layers.check(name)
            self.whose.check(name, documents)
        except AssayError as error:
            # Data of Python have no path.
            if not os.path.exists(name):
                raise
            contents = f"all that it contains: assay formats {shlex.quote(name)}"
            raise type(error)(f"{str(error).removesuffix('.')}; {contents}") from None

    def corpus(self, name: str, sha256: str, plan: Format) -> Corpus:
        """The finished corpus."""
        if self.tables:
            items = reduce(ItemTable.followed_by, self.tables)
            return replace(items, path=name if len(self.tables) > 1 else items.path, sha256=sha256).corpus()
        if not self.asked.surveys:
            self.check_choices(name, self.sentence)
        unread = {**self.unread, **self.layers.unread}
        starts = np.array(self._starts, dtype=np.int64)
        sentences = np.searchsorted(starts, [token.first for token, _ in self._multiwords], side="right")
        for (token, place), sentence in zip(self._multiwords, sentences.tolist(), strict=True):
            if sentence == len(starts) or token.end > starts[sentence]:
                raise InputError(f"{place} reaches beyond the last word of its sentence. Is a word missing?")
        forms, *columns = (
            Column(np.array(codes, dtype=np.int32), tuple(vocabulary))
            for codes, vocabulary in zip(self._codes, self.vocabularies, strict=True)
        )
        # A mark after the last sentence opens nothing.
        documents = [(first, given) for first, given in self._documents if first < self.sentence]
        trees = None
        layers = {name: lists.marks() for name, lists in self._marks.items()}
        if "spans" in plan.layers:
            layers["spans"], _ = self._spans.sorted()
        if "constituents" in plan.layers:
            # Each column alone, so that none keeps the memory of all.
            nodes = np.asarray(self._nodes).reshape(-1, 7).T
            sentence_of, parent, begin, end, lines = (nodes[number].copy() for number in (0, 1, 2, 3, 6))
            labels = Column(nodes[4].astype(np.int32), tuple(self.node_labels))
            named = Column(nodes[5].astype(np.int32), tuple(self.edge_labels)) if self.edge_labels else None
            above = np.array(self._above, dtype=np.int32)
            trees = Trees(
                sentence_of, parent, begin, end, labels, above, lines.astype(np.int32), named, self._node_gaps
            )
        if "mentions" in plan.layers:
            mentions = np.array(self._mentions, dtype=np.int64).reshape(-1, 5)
            types = Column.of(self._mention_types) if any(self._mention_types) else None
            layers["mentions"] = sort_mentions(mentions, self._chain_names, types=types)
        corpus = Corpus(
            name=name,
            format=plan.name,
            sha256=sha256,
            forms=forms,
            columns=dict(zip(self.names, columns, strict=True)),
            starts=starts,
            files=tuple(self._files),
            lines=np.array(self._lines, dtype=np.int64),
            aside_words=np.array([word for word, _, _ in self._asides], dtype=np.int64),
            aside_sentences=tuple(sentence for _, sentence, _ in self._asides),
            aside_lines=tuple(line for _, _, line in self._asides),
            multiwords=tuple(token for token, _ in self._multiwords),
            comments=tuple(self._comments),
            empty=plan.empty,
            word_per_line=plan.word_per_line,
            document_starts=np.array([*(first for first, _ in documents), self.sentence], dtype=np.int64),
            document_ids=tuple(given or str(number) for number, (_, given) in enumerate(documents, 1)),
            has_words=plan.has_words,
            trees=trees,
            unparsed=frozenset(self._unparsed),
            texts=tuple(self.texts) or None,
            in_documents=plan.in_documents,
            tags_by_document=plan.tags_by_document,
            by_id=bool(self.ids),
            noted=(
                *((_OTHER_UNIT.format(unit), number) for unit, number in self.offsets.items()),
                *self._notes.items(),
                *((f"{kind}, not read: {{}}.", number) for kind, number in unread.items()),
            ),
            shape=self.shape,
            which=self.whose.chosen,
            layer_read=self.layers.chosen,
            offsets=dict(self.offsets),
            unread=unread,
            left_out=tuple((number, known, status or self.whose.absence) for number, known, status in self._left_out),
            repairs=tuple((*kind, *found) for kind, found in self._repairs.items()),
            marks=layers,
        )
        for layer, rows in self._on_units.items():
            unit, line = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 2))
            marks = Marks.without_place(unit, Column.of([label for _, label, _, _ in rows]))
            attributes = {key: Column.of([given[key] for *_, given in rows]) for key in rows[0][3]}
            corpus = corpus.with_marks(**{layer: replace(marks, lines=line, columns=attributes)})
        for collected in self._collectors.values():
            own = collected.layer()
            corpus = corpus.with_marks(**own) if isinstance(own, dict) else corpus.with_layer(own)
        return with_crossings_noted(corpus) if "mentions" in layers else corpus


def check_choice(parameter: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a value that a parameter does not have."""
    if value not in choices:
        raise unknown(f"{parameter} =", value, choices)


def refuse_all(problems: Sequence[str]) -> None:
    """Refuse what has problems, each a line with its place: the first twenty, then the number of the others."""
    if problems:
        raise InputError("\n".join(list_problems(problems)))


def merge_stretches(stretches: Iterable[tuple[int, int]]) -> Stretches:
    """Stretches in their order, those that touch made one."""
    joined: list[tuple[int, int]] = []
    for first, end in stretches:
        if joined and first == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((first, end))
    return tuple(joined)


# --- chains ---


def document_id(text: str, number: int) -> str:
    """The one form of a document's id, `(name); part 000`; a part that is not given is the first, 0.

    A document without a name is called by its number.
    """
    text = text.strip()
    before, semicolon, after = text.rpartition(";")
    name, part = text, None
    if match := _IN_BRACKETS.fullmatch(text):
        name, part = match[1], match[2]
    elif semicolon and (match := _PART.fullmatch(after.strip())):
        name, part = before, match[1]
    return f"({name.strip() or number}); part {int(part or 0):03d}"


def sort_mentions(
    rows: Ints,
    names: Sequence[str],
    stretches: Mapping[int, Stretches] | None = None,
    heads: Ints | None = None,
    types: Column | None = None,
) -> Marks:
    """Mentions from rows of document, begin, end, chain and line, sorted by the first four.

    Chains are numbered in the order in which they appear, so that equal spans stay in order.
    The column `chain` has the names of chains, by their numbers; a name may occur in several documents.
    """
    document, begin, end, chain, lines = rows.T.copy()
    marks = Marks(
        unit=document,
        begin=begin,
        end=end,
        labels=Column(np.zeros(len(rows), dtype=np.int32), ()) if types is None else types,
        lines=lines,
        stretches=stretches or {},
        columns={"chain": Column(chain, tuple(names))},
        arguments={} if heads is None else {"head": heads},
        group=chain,
    )
    return marks.where(np.lexsort((chain, end, begin, document)))


def with_crossings_noted(corpus: Corpus) -> Corpus:
    """The corpus with a note on the mentions that cross the end of a sentence, if there are any."""
    mentions = corpus.marks["mentions"]
    firsts = corpus.first_words[mentions.unit]
    sentence = corpus.sentence_of[firsts + mentions.begin]
    crossing = np.flatnonzero(sentence != corpus.sentence_of[firsts + mentions.end - 1])
    if not len(crossing):
        return corpus
    place = f"{corpus.path_of(int(sentence[crossing[0]]))}:{int(mentions.lines[crossing[0]])}"
    note = f"Mentions that cross the end of a sentence, taken as they are: {{}} (the first: {place})."
    return replace(corpus, noted=(*corpus.noted, (note, len(crossing))))
