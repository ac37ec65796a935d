"""One word per line with columns: CoNLL-U, CoNLL-X, CoNLL-2000/2003, tab-separated and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import InputError, unknown
from assay.readers.builder import Builder
from assay.readers.clean import DOCSTART, CleanLines, clean_lines
from assay.readers.source import Batch, Source

CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
CONLL09 = ("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT", "HEAD", "PHEAD", "DEPREL", "PDEPREL")
# CoNLL-X names for the same places; users may type either.
ALIASES = {"CPOSTAG": "UPOS", "POSTAG": "XPOS", "PHEAD": "DEPS", "PDEPREL": "MISC", "POS": "XPOS", "TAG": "XPOS"}
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_FIRST_ID = re.compile(r"1|1-\d+|0\.1")
_EMPTY_NODE = re.compile(r"\d+\.\d+")
# What CoNLL-U writes before a sentence. No word of a table looks like it: it lacks the tabs, or # has such a label.
_NAMED = r"^# (?:[a-z]\S*(?: id)? =(?: [^\t\n]*)?|new(?:doc|par) ?)$"
_NAMED_COMMENT = re.compile(_NAMED, re.ASCII)
_NAMED_COMMENTS = re.compile(_NAMED.encode(), re.MULTILINE)
_STRUCTURE = re.compile(r"</?([A-Za-z]\w*)(?:\s[^<>]*)?/?>")
_NAME = re.compile(r"""\b(?:id|name|n)\s*=\s*["']([^"']*)["']""")


@dataclass(frozen=True)
class Layout:
    """How the lines of a file fall into columns."""

    format: str
    separator: str | None
    """None: any run of white space."""
    width: int
    """The number of columns; in CoNLL-2009 of those that every line has."""
    word: int
    names: tuple[str, ...] = ()
    ids: bool = False
    comments: bool = False
    """Whether lines with # are comments; where not, `# key = value` before a sentence is one nevertheless."""
    header: bool = False
    empty: str | None = None
    empty_nodes: bool = False
    """Whether empty nodes such as 8.1 count as words."""
    open_end: bool = False
    """Whether lines may have more columns than these."""

    def labels(self) -> tuple[str, ...]:
        """The columns that can hold labels, by name or, where there are no names, by number from 1."""
        names = self.names or tuple(str(number) for number in range(1, self.width + 1))
        return tuple(name for i, name in enumerate(names) if i != self.word and not (self.ids and i == 0))

    def index(self, name: str, path: str) -> int:
        """The place of a column given by its name or its number from 1."""
        if name in self.names:
            return self.names.index(name)
        folded = [known.casefold() for known in self.names]
        if name.casefold() in folded:
            return folded.index(name.casefold())
        alias = ALIASES.get(name.upper(), name).casefold()
        if alias in folded:
            return folded.index(alias)
        if name.isascii() and name.isdigit() and len(name) < 9 and 1 <= int(name) <= self.width:
            return int(name) - 1
        if not self.names and not name.isdigit():
            if self.width == 2:
                # Two columns: a word and its only label, whatever the other file calls it.
                return 1 - self.word
            raise InputError(
                f"{path}: has {self.width} columns without names, so there is no {name}. "
                "Give the column by number, e.g. --column 2, or add a header line."
            )
        raise InputError(f"{path}: {unknown('column', name, self.labels())}")


# --- telling the layout from a file's first lines ---


def conllu_layout(head: Sequence[str], format: str = "conllu") -> Layout:  # noqa: A002
    """CoNLL-U, CoNLL-X, and CoNLL-U Plus, whose first line names the columns."""
    names: tuple[str, ...] = CONLLU
    if head and head[0].startswith("# global.columns"):
        names = tuple(head[0].partition("=")[2].split())
    if "FORM" not in names:
        raise InputError("# global.columns names no FORM column.")
    return Layout(
        format=format,
        separator="\t",
        width=len(names),
        word=names.index("FORM"),
        names=names,
        ids=names[0] == "ID",
        comments=True,
        empty="_",
    )


def conll09_layout() -> Layout:
    """CoNLL-2009: twelve columns and, behind them, predicates and their arguments, as many as a sentence has."""
    return Layout(
        format="conll09",
        separator="\t",
        width=len(CONLL09),
        word=1,
        names=CONLL09,
        ids=True,
        empty="_",
        open_end=True,
    )


def looks_conll09(head: Sequence[str]) -> bool:
    """Words numbered from 1 with at least twelve columns, of which the ninth and tenth hold heads."""
    row = next((line.split("\t") for line in head if line.strip() and not line.startswith("#")), [""])
    return row[0] == "1" and len(row) >= len(CONLL09) and all(cell == "_" or cell.isdigit() for cell in row[8:10])


def looks_conllu(head: Sequence[str]) -> bool:
    """Ten columns of which the first numbers the words, or columns named in the first line."""
    if head[0].startswith("# global.columns"):
        return True
    rows = [line for line in head if "\t" in line and not line.startswith("#")]
    return bool(rows) and _FIRST_ID.fullmatch(rows[0].split("\t", 1)[0]) is not None and rows[0].count("\t") >= 7


def table_layout(
    head: Sequence[str],
    path: str,
    separator: str | None,
    parameters: dict[str, Any],
    format: str,  # noqa: A002
) -> Layout:
    """Columns divided by tabs or white space, with or without a header line."""
    comments = bool(parameters["comments"])
    rows = [line for line in rows_of(head, comments) if not _structure(line) and not line.startswith("-DOCSTART-")]
    if not rows:
        raise InputError(f"{path}: no line with columns among the first ones.")
    first = rows[0].rstrip("\r").split(separator)
    named = bool(parameters["header"])
    layout = Layout(
        format=format,
        separator=separator,
        width=len(first),
        word=0,
        names=tuple(cell.strip() for cell in first) if named else (),
        comments=comments,
        header=named,
    )
    if layout.width < 2:
        raise InputError(
            f"{path}: one column only, so there are no labels to compare. "
            "Give a file with a word and its label on each line."
        )
    word = str(parameters["word"])
    return replace(layout, word=layout.index(word, path)) if word else layout


def looks_like_header(head: Sequence[str], separator: str, wanted: Sequence[str]) -> bool:
    """Whether the first line names one of the columns asked for."""
    first = next(iter(rows_of(head, comments=False)), "")
    cells = [cell.strip().casefold() for cell in first.split(separator)]
    return any(name.casefold() in cells for name in wanted if not name.isdigit())


def is_named_comment(line: str) -> bool:
    """Whether a line of a table is `# key = value`, `# newdoc` or `# newpar`, as CoNLL-U has before sentences."""
    return _NAMED_COMMENT.match(line) is not None


def rows_of(head: Sequence[str], comments: bool) -> list[str]:
    """The first lines without those that are blank or comments."""
    kept = [line for line in head if line.strip() and not is_named_comment(line)]
    return [line for line in kept if not line.startswith("#")] if comments else kept


def _hashes(data: bytes) -> tuple[int, int]:
    """How many lines begin with # and a space, and how many of them look like comments."""
    hashes = data.count(b"\n# ") + data.startswith(b"# ")
    return hashes, len(_NAMED_COMMENTS.findall(data)) if hashes else 0


def _structure(line: str) -> bool:
    return line.startswith("<") and _STRUCTURE.fullmatch(line.strip()) is not None


# --- reading ---


def read_columns(source: Source, layout: Layout, builder: Builder) -> None:
    """Read one file into the builder, all of its labels in one pass."""
    _ColumnReader(source, layout, builder).read()


class _ColumnReader:
    """Batches without surprises are read with arrays (`clean_lines`), the others line by line."""

    def __init__(self, source: Source, layout: Layout, builder: Builder) -> None:
        self.source, self.layout, self.builder = source, layout, builder
        self.wanted = [layout.word, *(layout.index(name, source.path) for name in builder.names)]
        self.header_pending = layout.header
        self.position = 0
        """How many words of the sentence under way were read."""
        self.empties = 0
        """How many of them are empty nodes, which have no number of their own."""
        self.first_line = 0
        """The line of the first of them."""

    def read(self) -> None:
        self.builder.begin_file(self.source.path)
        for batch in self.source.batches():
            if self.header_pending or not self._read_clean(batch):
                self._read_lines(batch)
        if self.position:
            self.builder.add([], [self.builder.words], [self.first_line])
        self.builder.end_file()

    # --- with arrays ---

    def _read_clean(self, batch: Batch) -> bool:
        """Read a batch in which every line is what it should be; False leaves all to be read line by line."""
        builder = self.builder
        clean = self._clean(batch.data)
        if clean is None:
            return False
        try:
            columns = [clean.codes(index, cells) for index, cells in zip(self.wanted, builder.cells, strict=True)]
            comments, asides = clean.texts(clean.comments), clean.texts(clean.asides)
            surprising = self._surprising(comments, asides, clean.doubtful())
        except UnicodeDecodeError:
            return False
        if surprising:
            return False
        words, sentence = builder.words, builder.sentence
        builder.comments(comments, (clean.sentences[clean.comments] + sentence).tolist())
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

    def _clean(self, data: bytes) -> CleanLines | None:
        layout = self.layout
        if layout.separator not in {None, "\t"} or layout.width < 2 or not data or self.empties:
            return None
        hashes, named = (0, 0) if layout.comments or layout.ids else _hashes(data)
        comments = layout.comments or named > 0
        if named not in (0, hashes) or (comments and not layout.ids and DOCSTART in data):
            return None
        clean = clean_lines(
            data, layout.separator, layout.width, ids=layout.ids, comments=comments, before=self.position
        )
        return None if clean is None or clean.has_empty(layout.word) else clean

    def _surprising(self, comments: list[str], asides: list[str], doubtful: list[str]) -> bool:
        """Whether lines may be something else: empty nodes that count as words, comments, markup, blank lines."""
        layout = self.layout
        if layout.empty_nodes and any(map(_EMPTY_NODE.match, asides)):
            return True
        if not (layout.comments or layout.ids) and (asides or not all(map(self._is_comment, comments))):
            return True
        return any(not line.strip() or (not layout.ids and _structure(line)) for line in doubtful)

    # --- line by line ---

    def _read_lines(self, batch: Batch) -> None:
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
                if self._is_word(line, cells):
                    flat.extend(self._cells(cells, number))
                    continue
                ending = self._other(line, cells, word, number, sentence + len(ends))
            if ending and self.position:
                ends.append(word)
                first_lines.append(self.first_line)
                self.position = self.empties = 0
        builder.add(flat, ends, first_lines)

    def _is_word(self, line: str, cells: list[str]) -> bool:
        """Whether a line is a word; in formats that number words, it has to be the next one."""
        if not self._fits(cells) or self.header_pending:
            return False
        if self.layout.ids:
            return cells[0] == str(self.numbered + 1) or self._is_empty_node(cells)
        return not (self._is_comment(line) or line.startswith("-DOCSTART-") or _structure(line))

    def _is_empty_node(self, cells: list[str]) -> bool:
        return self.layout.empty_nodes and _EMPTY_NODE.fullmatch(cells[0]) is not None

    @property
    def numbered(self) -> int:
        """How many words of the sentence under way have a number."""
        return self.position - self.empties

    def _cells(self, cells: list[str], number: int) -> list[str]:
        """The cells asked for, of a line that is a word."""
        if not cells[self.layout.word]:
            raise InputError(f"{self.source.path}:{number}: the word is empty. Is a cell missing?")
        if cells[0] == "#" and self.layout.separator is None and is_named_comment(" ".join(cells)):
            raise InputError(
                f"{self.source.path}:{number}: a comment, or the word #? If it is a comment, say so: "
                '--input-format "conll(comments=true)". If it is a word, divide the columns by tabs.'
            )
        if not self.position:
            self.first_line = number
        self.position += 1
        self.empties += self._is_empty_node(cells)
        return [cells[index] for index in self.wanted]

    def _other(self, line: str, cells: list[str], word: int, number: int, sentence: int) -> bool:
        """A range, an empty node, markup, a header or a mistake; returns whether the sentence ends here."""
        layout = self.layout
        if line.startswith("-DOCSTART-"):
            self.builder.document("", sentence + bool(self.position))
            return True
        if self.header_pending:
            self.header_pending = False
            return False
        if layout.comments and self._is_comment(line):
            self.builder.aside(word, line, sentence)
            return False
        if not layout.ids and _structure(line):
            return self._markup(line, word, sentence)
        if not layout.ids or not self._fits(cells):
            raise self._wrong_width(line, number, len(cells))
        self._aside(line, self.numbered, word, number, sentence)
        return False

    def _is_comment(self, line: str) -> bool:
        """Lines that begin with #; but where words are not numbered, one may begin so: #word with all its cells."""
        if not line.startswith("#"):
            return False
        if self.layout.ids:
            return self.layout.comments
        full = self._fits(line.split(self.layout.separator))
        if self.layout.comments:
            return line.startswith("# ") or not full
        return not full and is_named_comment(line)

    def _fits(self, cells: list[str]) -> bool:
        return len(cells) == self.layout.width or (self.layout.open_end and len(cells) > self.layout.width)

    def _wrong_width(self, line: str, number: int, found: int) -> InputError:
        layout = self.layout
        what = {"conllu": "CoNLL-U", "conllx": "CoNLL-X", "conll09": "CoNLL-2009"}.get(layout.format)
        expected = f"{what} has {layout.width}" if what else f"the first line has {layout.width}"
        hint = "Is it another format? Try --input-format tsv" if what else "Is a cell missing, or empty?"
        if line.startswith("# ") and not what:
            hint = (
                "Is it a comment? Comments are # key = value, before the first word of a sentence; others are passed "
                f'over with --input-format "{layout.format}(comments=true)"'
            )
        columns = "1 column" if found == 1 else f"{found} columns"
        return InputError(f"{self.source.path}:{number}: {columns} where {expected}. {hint}")

    def _aside(self, line: str, position: int, word: int, number: int, sentence: int) -> None:
        """A range such as 3-4, an empty node such as 5.1, a comment among words, or a word out of turn."""
        cells = line.split("\t")
        span = _RANGE.fullmatch(cells[0])
        if span:
            first, last = int(span[1]), int(span[2])
            if first != position + 1 or last < first:
                raise InputError(
                    f"{self.source.path}:{number}: the range {cells[0]} stands before word {position + 1}. "
                    "A range stands before its first word."
                )
            place = f"{self.source.path}:{number}: the range {cells[0]}"
            self.builder.multiword(word, word + last - first + 1, cells[self.layout.word], place)
        elif not line.startswith("#") and not _EMPTY_NODE.fullmatch(cells[0]):
            raise InputError(
                f"{self.source.path}:{number}: ID {cells[0]!r} where {position + 1} comes next. "
                "Is a line missing, or a blank line between two sentences?"
            )
        self.builder.aside(word, line, sentence)

    def _markup(self, line: str, word: int, sentence: int) -> bool:
        """`<s>`, `</s>` and `<doc …>` cut; other tags are passed over."""
        match = _STRUCTURE.fullmatch(line.strip())
        assert match is not None
        if match[1] == "doc" and not line.startswith("</"):
            name = _NAME.search(line)
            self.builder.document(name[1] if name else "", sentence + bool(self.position))
        if match[1] in {"s", "doc"}:
            return True
        if self.position:
            self.builder.aside(word, line, sentence)
        return False
