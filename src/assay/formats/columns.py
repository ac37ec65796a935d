"""Words with labels: in columns, one word per line (CoNLL-U, CoNLL-X, CoNLL-2000/2003, tables), or as word/TAG."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from assay.arrays import Ints
from assay.classes import dataclass
from assay.corpus import Corpus
from assay.errors import InputError, UsageError, unknown
from assay.formats.builder import Builder, Vocabulary, check_choice
from assay.formats.clean import DOCSTART, clean_lines
from assay.formats.source import Batch, Source
from assay.formats.whose import DROP, DROPPED, MENDED
from assay.specs import whole_number

CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
CONLL09 = ("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT", "HEAD", "PHEAD", "DEPREL", "PDEPREL")
# CoNLL-X names for the same places; users may type either.
ALIASES = {"CPOSTAG": "UPOS", "POSTAG": "XPOS", "PHEAD": "DEPS", "PDEPREL": "MISC", "POS": "XPOS", "TAG": "XPOS"}
MOST_COLUMNS = 1_000
"""The most columns that a file of words may have."""
WORDS = frozenset({"word", "words", "form", "forms", "token", "tokens"})
"""Names of the column of words in a header line …"""
_NAMES = WORDS | {
    *("id", "idx", "index", "nr", "sentence", "sent", "sent_id", "document", "doc", "doc_id", "text"),
    *("lemma", "lemmas", "pos", "postag", "pos_tag", "upos", "xpos", "cpostag", "tag", "tags", "label", "labels"),
    *("ner", "ner_tag", "ner_tags", "entity", "entities", "chunk", "feats", "feat", "features", "morph"),
    *("head", "deprel", "deps", "misc", "gold", "pred", "predicted", "prediction", "system"),
}
"""… and of any column."""
ROLES = "(roles)"
"""The column of everything after the columns of words: predicates and their arguments, cells separated by tabs. It is
read if a task asks for it, and contains no labels."""
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_FIRST_ID = re.compile(r"1|1-\d+|0\.1")
_EMPTY_NODE = re.compile(r"\d+\.\d+")
# What CoNLL-U, MultiCoNER (`# id X`) and GermEval (#, a tab, a source) write before a sentence. No word of a table
# looks like it: it lacks the tabs, or # has such a label.
_PAIRS = r"id \S+(?:\t[^\s=]+=[^\t\n]*)+"
_NAMED = rf"^#(?: [a-z]\S*(?: id)? =(?: [^\t\n]*)?| new(?:doc|par) ?| {_PAIRS}| id [^\s=]+|\t\S+ \S[^\t\n]*)$"
_ID_WITH_PAIRS = re.compile(f"# {_PAIRS}")
"""A comment, though cut at white space it may have as many cells as a word."""
_NAMED_COMMENT = re.compile(_NAMED, re.ASCII)
_NAMED_COMMENTS = re.compile(_NAMED.encode(), re.MULTILINE)
_FORMATS = {
    "conllu": "CoNLL-U",
    "conllx": "CoNLL-X",
    "conll08": "CoNLL-2008",
    "conll09": "CoNLL-2009",
    **dict.fromkeys(("up", "up2", "up2-spans"), "a file of Universal Propositions"),
}
"""Formats that number words, as messages call them."""
SHORT, FILL = "rows with too few cells", "To fill such rows with _: --repair mend"
"""A fault of rows, and what to do."""
FEW = 1 << 11
"""Fewer bytes are read faster line by line than with arrays."""
_STRUCTURE = re.compile(r"</?([A-Za-z]\w*)(?:\s[^<>]*)?/?>")
_NAME = re.compile(r"""\b(?:id|name|n)\s*=\s*["']([^"']*)["']""")


@dataclass(frozen=True)
class Layout:
    """The columns of a file and how its lines are split into them."""

    format: str
    separator: str | None
    """None: any run of white space."""
    width: int
    """The number of columns; in CoNLL-2009 of those that every line has."""
    word: int
    names: tuple[str, ...] = ()
    ids: bool = False
    comments: bool = False
    """True if lines with # are comments; even if not, `# key = value` before a sentence is one …"""
    hash_words: bool = False
    """… unless it has as many cells as a word."""
    header: bool = False
    empty: str | None = None
    empty_nodes: bool = False
    """True if empty nodes such as 8.1 count as words."""
    open_end: bool = False
    """True if lines may have more columns than these; all of them together are the column ROLES."""
    numbering: tuple[int, ...] = ()
    """In a table, the columns that number the words, which are neither words nor labels."""
    sniffed: bool = False
    """True if the first lines decided the column of words, or that the first line is a header."""

    def name(self, index: int) -> str:
        """A column's name, or its number from 1 if columns have no names."""
        if index == self.width:
            return ROLES
        return self.names[index] if self.names else str(index + 1)

    def labels(self) -> tuple[str, ...]:
        """The columns that can contain labels, by name, or by number from 1 if they have no names."""
        apart = {self.word, *self.numbering, *([0] if self.ids else [])}
        return tuple(self.name(index) for index in range(self.width) if index not in apart)

    def index(self, name: str, path: str) -> int:
        """The place of a column given by its name or its number from 1."""
        if name == ROLES and self.open_end:
            return self.width
        if name in self.names:
            return self.names.index(name)
        folded = [known.casefold() for known in self.names]
        for called in (name.casefold(), ALIASES.get(name.upper(), name).casefold()):
            if called in folded:
                return folded.index(called)
        if 1 <= whole_number(name) <= self.width:
            return int(name) - 1
        if not self.names and not name.isdigit():
            raise InputError(
                f"{path}: has {self.width} columns without names, so there is no {name}. "
                "Give the column by number, e.g. --column 2, or add a header line."
            )
        raise InputError(f"{path}: {unknown('column', name, self.labels())}")

    def label(self, name: str, path: str) -> int:
        """The place of a label column; a table's only one also answers to what it is called in other files."""
        labels = self.labels()
        if len(labels) == 1 and not self.ids and (not self.names or name.isdigit()):
            return self.index(labels[0], path)
        index = self.index(name, path)
        if index == self.word:
            raise InputError(f"{path}: column {name} contains the words. Labels may be in {', '.join(labels)}.")
        return index


CONLL09_LAYOUT = Layout("conll09", "\t", len(CONLL09), 1, CONLL09, ids=True, empty="_", open_end=True)
"""Twelve columns and, after them, predicates and their arguments, as many as a sentence has."""
CONLLX_LAYOUT = Layout("conllx", "\t", len(CONLLU), 1, CONLLU, ids=True, comments=True, empty="_")


# --- telling the layout from a file's first lines ---


def first_row(head: Sequence[str]) -> list[str]:
    """The cells of the first line that is neither blank nor a comment."""
    return next((line.split("\t") for line in head if line.strip() and not line.startswith("#")), [""])


def conllu_layout(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> Layout:
    """CoNLL-U, and CoNLL-U Plus, whose first line names the columns."""
    if "\t" not in "".join(head):
        refuse_anaphora(path, head[0])
    if spaced_conllu(head):
        raise InputError(
            f"{path}: its columns are separated by spaces, but CoNLL-U has tabs. Put them in: "
            f"awk -v OFS='\\t' '!/^#/ {{$1=$1}} 1' {path} > new.conllu"
        )
    names: tuple[str, ...] = CONLLU
    if head[0].startswith("# global.columns"):
        names = tuple(head[0].partition("=")[2].split())
    if "FORM" not in names:
        raise InputError(f"{path}:1: # global.columns names no FORM column.")
    ids, nodes = names[0] == "ID", bool(given["empty_nodes"])
    word = names.index("FORM")
    return Layout("conllu", "\t", len(names), word, names, ids=ids, comments=True, empty="_", empty_nodes=nodes)


def looks_conll09(head: Sequence[str]) -> bool:
    """Words numbered from 1 with at least twelve columns, of which the ninth and tenth contain heads."""
    row = first_row(head)
    # A file that names its columns is CoNLL-U Plus, whose ninth and tenth may be blank too.
    named = head[0].startswith("# global.columns")
    wide = row[0] == "1" and len(row) >= len(CONLL09)
    return wide and not named and all(cell == "_" or cell.isdigit() for cell in row[8:10])


def looks_conllu(head: Sequence[str]) -> bool:
    """Ten columns of which the first numbers the words, or columns named in the first line."""
    if head[0].startswith("# global.columns") or spaced_conllu(head):
        return True
    row = next((line.split("\t") for line in head if "\t" in line and not line.startswith("#")), [""])
    return _FIRST_ID.fullmatch(row[0]) is not None and len(row) >= 8


def refuse_anaphora(path: str, columns: str) -> None:
    """Refuse CoNLL-UA by its name; `columns` is the line that names them."""
    if columns.startswith("# global.columns") and "IDENTITY" in columns.split():
        raise InputError(
            f"{path}: CoNLL-UA of Universal Anaphora (IDENTITY in # global.columns), which is not read. Write "
            "CorefUD: ten columns separated by tabs, mentions as Entity= in the last one."
        )


def check_width(width: int, path: str) -> None:
    """Refuse more columns than any file of words has."""
    if width > MOST_COLUMNS:
        raise InputError(
            f"{path}: {width:,} columns, but at most {MOST_COLUMNS:,} are read. Is it running text, or are "
            "its lines separated by something else than line feeds?"
        )


def spaced_conllu(head: Sequence[str]) -> bool:
    """True of CoNLL-U but for its tabs: ten cells, or those that the first line names, numbered, with heads."""
    named = head[0].partition("=")[2].split() if head[0].startswith("# global.columns") else CONLLU
    line = next((line for line in head if line.strip() and not line.startswith("#")), "")
    cells = line.split()
    if "\t" in line or len(cells) != len(named) or len(cells) < len(CONLLU):
        return False
    return _FIRST_ID.fullmatch(cells[0]) is not None and (cells[6] == "_" or cells[6].isdigit())


def table_layout(
    head: Sequence[str],
    path: str,
    given: Mapping[str, Any],
    wanted: Sequence[str],
    *,
    separator: str | None,
    format: str,  # noqa: A002
) -> Layout:
    """Columns separated by tabs or white space, with or without a header line.

    If the user does not say whether there is a header and which column contains the words, the first lines decide.
    Columns that number words do not contain them. If first lines are not clear, the file is refused.
    """
    check_choice("header", str(given["header"]).lower(), ("auto", "true", "false"))
    said = str(given["comments"]).lower()
    check_choice("comments", said, ("auto", "true", "false"))
    comments = said == "true"
    cut: list[list[list[str]]] = [[]]
    for line in head:
        begin = line[:1]
        is_sign = (begin == "-" and line.startswith("-DOCSTART-")) or (begin == "<" and bool(name_of_tag(line)))
        if is_sign or not line.strip():
            cut.append([])
        elif begin != "#" or not is_comment(line, comments):
            cut[-1].append(line.rstrip("\r").split(separator))
    sentences = [sentence for sentence in cut if sentence]
    if not sentences:
        raise InputError(f"{path}: no line with columns among the first ones.")
    first = [cell.strip() for cell in sentences[0][0]]
    if len(first) < 2:
        width = max(len(row) for sentence in sentences for row in sentence)
        if first[0].startswith("#") and width > 1:
            raise InputError(
                f"{path}: {first[0]!r} is a line of one column, but others have {width}. If such lines are "
                f'comments: --input-format "{format}(comments=true)"'
            )
        raise InputError(
            f"{path}: has only one column, so there are no labels to compare. Give a file with a word and its label "
            f"on each line."
        )
    check_width(len(first), path)
    below = [sentences[0][1:], *sentences[1:]]
    header = {"true": True, "false": False, "auto": None}[str(given["header"]).lower()]
    if header is None:
        # The first line names the columns: those asked for, or as columns are usually called. A line whose label
        # another line has too is a word. Names among other things, or again below, may be either.
        called = [_fold(cell) for cell in first]
        usual = [name in _NAMES for name in called]
        full = [row for sentence in below for row in sentence if len(row) == len(first)]
        again = any(first[column] in {row[column].strip() for row in full} for column in range(1, len(first)))
        header = (
            any(_fold(name) in called for name in wanted if not name.isdigit())
            or any(not cell[:1].isdigit() and _numbers_words(below, column) for column, cell in enumerate(first))
            or (all(usual) and not again)
        )
        if not header and full and (all(usual) if again else called[0] in WORDS or any(usual[1:])):
            raise doubtful_header(path, first, format)
    rows = below if header else sentences
    names = tuple(first) if header else ()
    numbering = tuple(column for column in range(len(first)) if _numbers_words(rows, column))
    layout = Layout(format, separator, len(first), 0, names, comments=comments, header=header, numbering=numbering)
    layout = replace(layout, hash_words=said == "false")
    cells = (row[column] for sentence in rows for row in sentence for column in numbering if column < len(row))
    if odd := next((number for number in cells if not number.isdigit()), None):
        raise InputError(
            f"{path}: the range or empty node {odd} among numbered words, which {format} does not have. "
            "Is it CoNLL-U? That has ten columns separated by tabs, or a first line "
            "`# global.columns = ID FORM …`."
        )
    asked = str(given["word"])
    sniffed = asked == "auto"
    word = _word_column(layout, rows, path) if sniffed else layout.index(asked, path)
    if word in layout.numbering:
        raise InputError(
            f"{path}: column {layout.name(word)} numbers the words (1, 2, 3 … in each sentence) and does not contain "
            f'them. Give their column, e.g. --input-format "{format}(word={word + 2})".'
        )
    return replace(layout, word=word, sniffed=sniffed or (header and str(given["header"]) == "auto"))


def doubtful_header(path: str, cells: Sequence[str], format: str) -> InputError:  # noqa: A002
    """The error for a first line that may name the columns or be a word."""
    return InputError(
        f"{path}: the first line, {' '.join(cells)[:60]!r}, may name the columns or be a word. Choose one: "
        f'--input-format "{format}(header=true)" or "{format}(header=false)".'
    )


def looks_header(corpus: Corpus, column: str) -> bool:
    """True if word and label of the first line occur in first lines alone, and the label looks like no other.

    It has three letters or more, and small ones (or those of a script without) where no other label has any, or two
    letters more than all others. In up to 15% of texts of 50 words the first word and its tag are unique, but none
    of these tags looked like this in 7 columns of 3 corpora; 0.5% of lemmas did.
    """
    if corpus.files and corpus.files[0][1] < 0:
        # A piece of a file, without its first line.
        return False
    labels = corpus.column(column)
    firsts = corpus.starts[[sentence for _, sentence in corpus.files] or [0]]
    for cells in (corpus.forms, labels):
        if not np.isin(np.flatnonzero(cells.codes == cells.codes[0]), firsts).all():
            return False
    label, others = labels[0], [other for other in labels.counts() if other != labels[0]]
    small = [any(letter.isalpha() and not letter.isupper() for letter in text) for text in (label, *others)]
    longer = len(label) > 1 + max(map(len, others), default=len(label))
    return label.replace("_", "").isalpha() and len(label) > 2 and (longer or small == [True, *[False] * len(others)])


def _numbers_words(sentences: Sequence[Sequence[Sequence[str]]], column: int) -> bool:
    """True if a column counts words, from 0 or 1 in every sentence or on through the file; ranges may be between."""
    counts: list[list[int]] = []
    for sentence in sentences:
        counts.append([])
        for cell in [row[column] for row in sentence if column < len(row)]:
            if cell.isascii() and cell.isdigit():
                counts[-1] += [int(cell)] if len(cell) < 10 else []
            elif not (_RANGE.fullmatch(cell) or _EMPTY_NODE.fullmatch(cell)):
                return False
    counts = [sentence for sentence in counts if sentence]
    if sum(map(len, counts)) < 2:
        return False
    in_each = {sentence[0] for sentence in counts} in ({0}, {1})
    tried = [counts] * in_each + [[[number for sentence in counts for number in sentence]]]
    return any(all(b == a + 1 for run in runs for a, b in pairwise(run)) for runs in tried)


def _word_column(layout: Layout, sentences: Sequence[Sequence[Sequence[str]]], path: str) -> int:
    """The column of words: the one called so, else the first that does not number them."""
    others = [index for index in range(layout.width) if index not in layout.numbering]
    if len(others) < 2:
        raise InputError(
            f"{path}: column {layout.name(layout.numbering[0])} numbers the words, so words or labels are "
            f"missing. Give a file with a word and its label on each line."
        )
    word = next((index for index in others if layout.names and _fold(layout.names[index]) in WORDS), others[0])
    words = [[row[word] for row in sentence if word < len(row)] for sentence in sentences]
    long = [sentence for sentence in words if len(sentence) > 1]
    if layout.width > 2 and len(long) > 1 and all(len(set(sentence)) == 1 for sentence in long):
        raise InputError(
            f"{path}: column {layout.name(word)} is the same throughout each sentence, so it does not seem to "
            f'contain the words. Give their column, e.g. --input-format "{layout.format}(word={word + 2})".'
        )
    return word


def _fold(name: str) -> str:
    return name.strip(" #").casefold()


def is_comment(line: str, every: bool) -> bool:
    """True if a line of a table is `# key = value`, `# newdoc` or `# newpar`, as CoNLL-U has before sentences.

    `every`: whatever begins with # is one.
    """
    return line.startswith("#") and (every or _NAMED_COMMENT.match(line) is not None)


def name_of_tag(line: str) -> str:
    """The name of the tag that a line consists of; empty if it is no tag."""
    match = _STRUCTURE.fullmatch(line.strip()) if line.startswith("<") else None
    return match[1] if match else ""


# --- reading ---


def read_columns(source: Source, builder: Builder, layout: Layout) -> None:
    """Read one file into the builder, all of its labels in one pass."""
    reader = _ColumnReader(source, layout, builder)
    for batch in source.batches():
        if reader.header_pending or not reader.read_clean(batch):
            reader.read_lines(batch)
    if reader.dropping:
        builder.drop_words()
    elif reader.position:
        builder.add([], [builder.words], [reader.first_line])


class _ColumnReader:
    """Long batches without surprises are read with arrays (`clean_lines`), the others line by line."""

    def __init__(self, source: Source, layout: Layout, builder: Builder) -> None:
        self.source, self.layout, self.builder = source, layout, builder
        self.wanted = [layout.word, *(layout.label(name, source.path) for name in builder.names)]
        # A piece is planned by the first lines of its file, and read from its own.
        self.header_pending = layout.header and not (source.piece and source.piece.begin)
        self.position = 0
        """The number of words read of the sentence under way …"""
        self.empties = 0
        """… and the number of empty nodes among them, which have no number of their own."""
        self.first_line = 0
        """The line of the sentence's first word."""
        self.dropping = False
        """True if the sentence is dropped because a row of it has too few cells."""

    def read_clean(self, batch: Batch) -> bool:
        """Read a batch in which every line is what it should be; False leaves all to be read line by line."""
        layout, builder, data = self.layout, self.builder, batch.data
        if layout.separator not in {None, "\t"} or layout.width < 2 or self.empties or len(data) < FEW:
            return False
        # Lines that begin with # and a space, and those of them that look like comments.
        hashes = 0 if layout.comments or layout.ids else data.count(b"\n# ") + data.startswith(b"# ")
        named = len(_NAMED_COMMENTS.findall(data)) if hashes else 0
        comments = layout.comments or named > 0
        if named not in (0, hashes) or (comments and not layout.ids and DOCSTART in data):
            return False
        clean = clean_lines(data, layout, comments, self.position)
        if clean is None or (clean.bounds[layout.word + 1] - clean.bounds[layout.word] == 1).any():
            # Something is odd, or a word is empty.
            return False
        try:
            columns = [clean.codes(index, cells) for index, cells in zip(self.wanted, builder.cells, strict=True)]
            notes, asides = clean.texts(clean.comments), clean.texts(clean.asides)
            doubtful = clean.doubtful()
        except UnicodeDecodeError:
            return False
        # Lines may be something else: empty nodes that count as words, words that begin with #, markup, blank lines.
        if (
            (layout.empty_nodes and any(map(_EMPTY_NODE.match, asides)))
            or (not (layout.comments or layout.ids) and (asides or not all(map(self._is_comment, notes))))
            or any(not line.strip() or (not layout.ids and name_of_tag(line)) for line in doubtful)
        ):
            return False
        words, sentence = builder.words, builder.sentence
        builder.comments(notes, (clean.sentences[clean.comments] + sentence).tolist())
        for line in clean.documents.tolist():
            builder.document("", sentence + int(clean.sentences[line]) + bool(clean.positions[line]))
        for line, text in zip(clean.asides.tolist(), asides, strict=True):
            position, word = int(clean.positions[line]), words + int(clean.words[line])
            self._aside(text, position, word, batch.line + line, sentence + int(clean.sentences[line]))
        first_lines = (clean.firsts + batch.line).tolist()
        if self.position:
            first_lines.insert(0, self.first_line)
        ends = (clean.sentence_ends + words).tolist()
        builder.add_codes(columns, ends, first_lines[: len(ends)])
        self.position = clean.last_position
        if self.position:
            self.first_line = first_lines[-1]
        return True

    def read_lines(self, batch: Batch) -> None:
        layout, builder = self.layout, self.builder
        flat: list[str] = []
        ends: list[int] = []
        first_lines: list[int] = []
        words, sentence = builder.words, builder.sentence
        for number, line in batch.lines():
            word = words + len(flat) // len(self.wanted)
            if not line.strip():
                ending = True
            elif not self.position and self._is_comment(line):
                builder.comments([line], [sentence + len(ends)])
                continue
            else:
                cells = line.split(layout.separator)
                empty_node = layout.empty_nodes and _EMPTY_NODE.fullmatch(cells[0]) is not None
                self._mend(cells, line, number)
                is_word = self._fits(cells) and not self.header_pending
                if is_word and layout.ids:
                    # The words are numbered, so that it has to be the next one.
                    is_word = cells[0] == str(self.position - self.empties + 1) or empty_node
                elif is_word:
                    is_word = not (self._is_comment(line) or line.startswith("-DOCSTART-") or name_of_tag(line))
                if is_word:
                    if not cells[layout.word]:
                        raise InputError(f"{self.source.path}:{number}: the word is empty. Is a cell missing?")
                    doubtful = cells[0] == "#" and layout.separator is None and not layout.hash_words
                    if doubtful and is_comment(" ".join(cells), False):
                        raise InputError(
                            f"{self.source.path}:{number}: a comment, or the word #? Choose one: "
                            '--input-format "conll(comments=true)" or "conll(comments=false)".'
                        )
                    if not self.position:
                        self.first_line = number
                    self.position += 1
                    self.empties += empty_node
                    if layout.open_end:
                        cells[layout.width :] = ["\t".join(cells[layout.width :])]
                    flat.extend([cells[index] for index in self.wanted])
                    continue
                ending = self._other(line, cells, word, number, sentence + len(ends))
            if ending and self.position and not self.dropping:
                ends.append(word)
                first_lines.append(self.first_line)
            elif ending and self.position:
                builder.add(flat, ends, first_lines)
                builder.drop_words()
                words, sentence = builder.words, builder.sentence
                flat, ends, first_lines = [], [], []
            if ending:
                self.position = self.empties = 0
                self.dropping = False
        builder.add(flat, ends, first_lines)

    def _mend(self, cells: list[str], line: str, number: int) -> None:
        """Fill a row that lacks cells at its end, or drop its sentence, if that is asked for."""
        layout, builder, repair = self.layout, self.builder, self.builder.asked.repair
        lacks = layout.word < len(cells) < layout.width and not self.header_pending
        if repair and lacks and not (line.startswith(("#", "-DOCSTART-")) or name_of_tag(line)):
            self.dropping |= repair == DROP
            builder.repair(SHORT, DROPPED if repair == DROP else MENDED, f"{self.source.path}:{number}")
            cells += ["_"] * (layout.width - len(cells))

    def _other(self, line: str, cells: list[str], word: int, number: int, sentence: int) -> bool:
        """A range, an empty node, markup, a header or a mistake; True if the sentence ends here."""
        layout, builder = self.layout, self.builder
        if line.startswith("-DOCSTART-"):
            builder.document("", sentence + bool(self.position))
            return True
        if self.header_pending:
            self.header_pending = False
            return False
        if layout.comments and self._is_comment(line):
            builder.aside(word, line, sentence)
            return False
        if not layout.ids and (tag := name_of_tag(line)):
            # `<s>`, `</s>` and `<doc …>` cut; other tags are passed over.
            if tag == "doc" and not line.startswith("</"):
                name = _NAME.search(line)
                builder.document(name[1] if name else "", sentence + bool(self.position))
            if self.position and tag not in {"s", "doc"}:
                builder.aside(word, line, sentence)
            return tag in {"s", "doc"}
        if layout.ids and self._fits(cells):
            self._aside(line, self.position - self.empties, word, number, sentence)
            return False
        if self._fits(cells):
            raise InputError(
                f"{self.source.path}:{number}: a comment among the words of a sentence. Put a blank line before it. "
                f'If it is a word: --input-format "{layout.format}(comments=false)"'
            )
        what = _FORMATS.get(layout.format)
        hint = "Is it another format? Try --input-format tsv" if what else "Is a cell missing, or empty?"
        if len(cells) < layout.width and not what:
            hint += f" {FILL}"
        if line.startswith("# ") and not what:
            hint = (
                "Is it a comment? Comments are # key = value or # id X, before the first word of a sentence; others "
                f'are passed over with --input-format "{layout.format}(comments=true)"'
            )
        columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
        raise InputError(
            f"{self.source.path}:{number}: {columns}, but {what or 'the first line'} has {layout.width}. {hint}"
        )

    def _is_comment(self, line: str) -> bool:
        """True for lines with #, except for words that begin with # if words are not numbered."""
        if not line.startswith("#"):
            return False
        if self.layout.ids:
            return self.layout.comments
        full = self._fits(line.split(self.layout.separator))
        if full and not self.layout.hash_words and _ID_WITH_PAIRS.fullmatch(line):
            return True
        if self.layout.comments:
            return line.startswith("# ") or not full
        return not full and is_comment(line, False)

    def _fits(self, cells: list[str]) -> bool:
        return len(cells) == self.layout.width or (self.layout.open_end and len(cells) > self.layout.width)

    def _aside(self, line: str, position: int, word: int, number: int, sentence: int) -> None:
        """A range such as 3-4, an empty node such as 5.1, a comment among words, or a word out of turn."""
        cells = line.split("\t")
        place = f"{self.source.path}:{number}"
        if span := _RANGE.fullmatch(cells[0]):
            first, last = int(span[1]), int(span[2])
            if first != position + 1 or last < first:
                raise InputError(
                    f"{place}: the range {cells[0]} comes before word {position + 1}. A range comes before its "
                    f"first word."
                )
            end = word + last - first + 1
            self.builder.multiword(word, end, cells[self.layout.word], f"{place}: the range {cells[0]}")
        elif not line.startswith("#") and not _EMPTY_NODE.fullmatch(cells[0]):
            raise InputError(
                f"{place}: ID {cells[0]!r}, but {position + 1} comes next. "
                "Is a line missing, or a blank line between two sentences?"
            )
        self.builder.aside(word, line, sentence)


# --- word/TAG word/TAG …: one sentence per line, cut at the last separator of each token ---


def looks_slashed(head: Sequence[str]) -> bool:
    """Nearly every token of the first lines carries a slash with something on both sides."""
    tokens = [token for line in head[:50] for token in line.split()]
    slashed = sum("/" in token[1:-1] for token in tokens)
    # A token in ten may be faulty; it is then named by its line.
    return bool(tokens) and slashed >= 0.9 * len(tokens)


def check_separator(separator: str) -> str:
    """The separator; UsageError unless it is one character."""
    if len(separator) != 1:
        raise UsageError(f"separator {separator!r} should be one character.")
    return separator


def read_slashed(source: Source, builder: Builder, separator: str) -> None:
    """Read one file; `\\/` in a word stands for the separator itself."""
    check_separator(separator)
    # Most tokens occur more than once, and each is taken apart once.
    known = Vocabulary[str]()
    columns: list[Ints] = [np.zeros(0, dtype=np.int32) for _ in ("word", *builder.names)]
    for batch in source.batches():
        tokens, ends, first_lines = array("q"), [], []
        for number, line in batch.lines():
            if cells := line.split():
                tokens.extend(map(known.__getitem__, cells))
                ends.append(builder.words + len(tokens))
                first_lines.append(number)
        new = [token.rpartition(separator) for token in list(known)[len(columns[0]) :]]
        if faulty := {"".join(parts) for parts in new if not (parts[0] and parts[2])}:
            places = ((number, token) for number, line in batch.lines() for token in line.split())
            number, token = next(place for place in places if place[1] in faulty)
            other = "_" if separator == "/" else "/"
            raise InputError(
                f"{source.path}:{number}: {token!r} is not of the form word{separator}TAG. "
                f'Is the separator another? Try --input-format "slash(separator={other})"'
            )
        strings = ([word.replace("\\" + separator, separator) for word, _, _ in new], [label for _, _, label in new])
        for index, column in enumerate(columns):
            columns[index] = np.append(column, builder.codes(index, strings[index]))
        builder.add_codes([column[np.asarray(tokens)] for column in columns], ends, first_lines)
