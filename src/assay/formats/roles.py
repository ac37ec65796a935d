"""Semantic roles: predicates with their senses, and their arguments, in further columns of each word.

In CoNLL-2008, CoNLL-2009 and files of Universal Propositions a word is an argument: its cell in a predicate's column
is a role. In CoNLL-2005 (props) and CoNLL-2012 arguments are stretches of words, as brackets in that column.
Universal Propositions 2.0 list the arguments of a predicate in its own line, by their heads and as stretches.
Readers of tables keep the cells after the columns of words (`ROLES`); `with_roles` makes marks of them:
predicates with their senses as labels, and roles at the places of arguments, whose `head` is the predicate's word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from assay.arrays import Ints, numbers_of_runs
from assay.corpus import Column, Corpus, Marks
from assay.errors import InputError, UsageError
from assay.formats.builder import Builder, Vocabulary, refuse_all
from assay.formats.columns import CONLLU, ROLES, Layout, first_row
from assay.formats.source import Source

HEADS = ("conll08", "conll09", "up", "up2")
"""Formats in which arguments are words …"""
SPANS = ("props", "conll2012", "biojson", "up2-spans")
"""… and those in which they are stretches of words."""
TAGS = {
    **{"conll08": "PPOSS", "conll09": "POS", "conll2012": "XPOS"},
    **dict.fromkeys(("up", "up2", "up2-spans"), "UPOS"),
}
"""The column of a word's part of speech."""
UNKNOWN = "·"
"""Stands for each word if a file has no words."""
MARK = "V"
"""The role of the predicate itself."""
NOTHING = ("_", "-", "")
"""Cells without a sense or role."""
_CONLL08 = ("ID", "FORM", "LEMMA", "GPOS", "PPOS", "SPLIT_FORM", "SPLIT_LEMMA", "PPOSS", "HEAD", "DEPREL")
_CELL = re.compile(r"((?:\([^()*\s]+)*)\*((?:[^()*\s]*\))*)")
_OPENED = re.compile(r"\(([^()*\s]+)")
_CLOSED = re.compile(r"([^()*\s]*)\)")
_UP2 = (("UP:PRED", "UP:PREDS"), ("UP:ARGHEADS",), ("UP:ARGSPANS",))
"""Names of the last columns of Universal Propositions 2.0."""
_LISTED = {"up2": re.compile(r"(.+):([0-9]{1,9})"), "up2-spans": re.compile(r"(.+):([0-9]{1,9})-([0-9]{1,9})")}
"""An argument in such a column: its role and its word, or its first and last word."""

CONLL08_LAYOUT = Layout("conll08", "\t", len(_CONLL08), 5, _CONLL08, ids=True, empty="_", open_end=True)
"""Ten columns with the words in the sixth, then predicates and their arguments."""
UP_LAYOUTS = {
    10: Layout("up", "\t", 10, 1, CONLLU, ids=True, comments=True, empty="_", open_end=True),
    8: Layout("up", "\t", 9, 1, (*CONLLU[:8], "FLAG"), ids=True, comments=True, empty="_", open_end=True),
}
"""Universal Propositions after the ten columns of CoNLL-U, or after eight of them and a flag at each predicate."""


# --- recognising the formats by their first lines ---


_Sentences = tuple[list[list[list[str]]], bool]
"""Sentences as lists of lines, split into cells, and True if all of them are whole."""


def _split_sentences(head: Sequence[str]) -> _Sentences:
    """The sentences of the first lines.

    The last sentence, which may be cut short, is among them only if there is no other.
    """
    sentences: list[list[list[str]]] = [[]]
    for line in head:
        if not line.strip():
            sentences.append([])
        elif not line.startswith("#"):
            sentences[-1].append(line.split("\t"))
    # If the text ends with a line end, the last list is empty, and the one before it is the last sentence.
    last = 1 if sentences[-1] else 2
    whole = [rows for rows in sentences[:-last] if rows]
    return whole or [rows for rows in sentences if rows], bool(whole)


def _fits_predicates(split: _Sentences, predicate: int, *, cut: bool = False) -> bool:
    """True if every sentence has as many columns after the column of predicates as it has predicates.

    `cut`: a sentence that is cut short may have further predicates.
    """
    sentences, whole = split
    if cut and whole:
        return False
    for rows in sentences:
        words = [row for row in rows if row[0].isdigit()]
        if any(len(row) <= predicate for row in words):
            return False
        number = sum(row[predicate] not in NOTHING for row in words)
        least = predicate + 1 + number
        # Without predicates the line may end in an empty cell.
        widths = {len(row) - (not number and row[least:] == [""]) for row in words}
        if len(widths) > 1 or (min(widths, default=least) < least if cut else widths - {least}):
            return False
    return True


def looks_conll08(head: Sequence[str]) -> bool:
    """True if words are numbered from 1, with heads in the ninth column and predicates in the eleventh."""
    first = first_row(head)
    if first[0] != "1" or len(first) <= len(_CONLL08):
        return False
    split = _split_sentences(head)
    rows = [row for rows in split[0] for row in rows]
    return (
        all(len(row) > len(_CONLL08) and row[0].isdigit() and row[8].isdigit() for row in rows)
        and not all(row[9].isdigit() for row in rows)
        and _fits_predicates(split, len(_CONLL08))
    )


def looks_up(head: Sequence[str]) -> bool:
    """True for the columns of CoNLL-U, with heads in the seventh, and then columns of predicates and roles."""
    if head[0].startswith("# global.columns"):
        return _count_named_columns(head[0]) is not None
    rows = (line.split("\t") for line in head if line[:1].isdigit())
    if len(next((row for row in rows if row[0].isdigit()), ())) < 10:
        return False
    split = _split_sentences(head)
    words = [row for rows in split[0] for row in rows if row[0].isdigit()]
    if not words or not all(len(row) > 9 and row[6].isdigit() for row in words):
        return False
    # Ten columns without any predicate are those of CoNLL-U.
    return bool(_fit_columns(split, with_flag=True))


def _fit_columns(split: _Sentences, *, with_flag: bool = False) -> list[int]:
    """The numbers of columns of CoNLL-U (10, or 8 and a flag) that leave as many columns as there are predicates.

    `with_flag`: some word must have the flag.
    """
    flags = {"".join(row[8:9]) for rows in split[0] for row in rows if row[0].isdigit()}
    flagged = bool(flags) and flags <= {"Y", "_"} and ("Y" in flags or not with_flag)
    for cut in (False, True):
        columns = ((10, 10), (8, 9)) if flagged else ((10, 10),)
        if fitting := [number for number, predicate in columns if _fits_predicates(split, predicate, cut=cut)]:
            return fitting
    return []


def _count_named_columns(line: str) -> int | None:
    """The number of columns of CoNLL-U before those of propositions that the first line names."""
    names = line.partition("=")[2].upper().split()
    for number in UP_LAYOUTS:
        if tuple(names[:number]) == CONLLU[:number] and any("PRED" in name for name in names[number:]):
            return number
    return None


def up_layout(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> Layout:
    """The layout of a file of Universal Propositions by its number of columns of CoNLL-U; 0: by its first lines."""
    columns = given["columns"]
    if columns not in (0, *UP_LAYOUTS):
        raise UsageError(
            f"format up: columns should be 8 or 10, the number of columns before propositions, not {columns}."
        )
    if number := columns or (_count_named_columns(head[0]) if head else None):
        return UP_LAYOUTS[number]
    fitting = _fit_columns(_split_sentences(head))
    if len(fitting) != 1:
        fact = "propositions may begin in column 9 or in column 11" if fitting else "no columns of propositions fit"
        raise InputError(
            f'{path}: {fact}. Give their column: --input-format "up(columns=8)" (a flag, the sense, roles after '
            'eight columns) or "up(columns=10)" (the sense, roles after ten).'
        )
    return UP_LAYOUTS[fitting[0]]


def looks_up2(head: Sequence[str]) -> bool:
    """True if the first line names the columns of Universal Propositions 2.0, after those of words or only the ID."""
    names = head[0].partition("=")[2].upper().split() if head[0].startswith("# global.columns") else []
    return len(names) > len(_UP2) and all(
        name in known for name, known in zip(names[-len(_UP2) :], _UP2, strict=True)
    )


def up2_layout(head: Sequence[str], path: str, *_: object, format: str) -> Layout:  # noqa: A002
    """The layout of a file of Universal Propositions 2.0; without words it has only the ID before propositions."""
    names = tuple(head[0].partition("=")[2].split()) if head and looks_up2(head) else ()
    if not names or names[0] != "ID" or (len(names) > len(_UP2) + 1 and "FORM" not in names):
        raise InputError(
            f"{path}:1: names no columns of Universal Propositions 2.0. Begin the file with # global.columns = "
            "ID FORM … UP:PRED UP:ARGHEADS UP:ARGSPANS, or with ID and the last three if it has no words."
        )
    columns = names[: -len(_UP2)]
    word = columns.index("FORM") if "FORM" in columns else 0
    return Layout(format, "\t", len(columns), word, columns, ids=True, comments=True, empty="_", open_end=True)


def looks_props(head: Sequence[str]) -> bool:
    """True if only brackets follow the first column, and some line has a bracket."""
    rows = (line.split("\t" if "\t" in line else None) for line in head if line.strip())
    opened = False
    for cell in (cell for row in rows for cell in row[1:]):
        if not _CELL.fullmatch(cell):
            return False
        opened |= "(" in cell
    return opened


# --- reading ---


def read_props(source: Source, builder: Builder, *, word: int = 0, predicate: int = 1) -> None:
    """Read one file; `word` and `predicate` are columns, counted from 1, and brackets follow the second.

    Each distinct line is split once.
    """
    texts = Vocabulary[str]()
    codes = [np.fromiter(map(texts.__getitem__, batch.strings()), dtype=np.int64) for batch in source.batches()]
    lines = np.concatenate([np.zeros(0, dtype=np.int64), *codes])
    needed = max(word, predicate)
    form, rest = word - 1, predicate - 1
    sizes, shown, role_cells = [], [], []
    for line in texts:
        # Between tabs the lemma of a predicate may be empty.
        cells = line.rstrip().split("\t") if "\t" in line else line.split()
        sizes.append(len(cells) if line.strip() else 0)
        # Without words, predicates are shown by their lemmas.
        name = cells[form] if 0 <= form < len(cells) else cells[rest] if rest < len(cells) else ""
        shown.append(UNKNOWN if name == "-" and form < 0 else name)
        role_cells.append("\t".join(cells[rest:]))
    size = np.array(sizes, dtype=np.int64)[lines]
    rows = np.flatnonzero(size)
    new = np.diff(rows, prepend=-2) > 1
    width = size[rows]
    first = width[new][np.cumsum(new) - 1]
    problems: list[str] = []
    for row in np.flatnonzero((width < needed) | (width != first)).tolist():
        place = f"{source.path}:{rows[row] + 1}"
        if width[row] < needed:
            columns = _count_columns(width[row])
            problems.append(f"{place}: {columns}, but {needed} are needed. Is a cell missing?")
        if width[row] != first[row]:
            problems.append(
                f"{place}: {width[row]} columns, but the sentence has {first[row]}. "
                "Is a cell missing, or a blank line between two sentences?"
            )
    refuse_all(problems)
    columns_of = [builder.codes(0, shown), *(builder.codes(1 + at, role_cells) for at in range(len(builder.names)))]
    ends = builder.words + np.append(np.flatnonzero(new)[1:], len(rows))[: int(new.sum())]
    builder.add_codes([column[lines[rows]] for column in columns_of], ends.tolist(), (rows[new] + 1).tolist())


def has_predicate(format: str, cells: str) -> bool:  # noqa: A002
    """True if the cells after the columns of a word make it a predicate; in CoNLL-2009 a flag comes first."""
    place = int(format == "conll09")
    return any(cell not in NOTHING for cell in cells.split("\t")[place : place + 1])


# --- from cells to marks ---


def with_roles(corpus: Corpus) -> Corpus:
    """The corpus with marks of its predicates and roles in place of the column ROLES."""
    cells = corpus.column(ROLES)
    columns = {name: column for name, column in corpus.columns.items() if name != ROLES}
    bare = replace(corpus, columns=columns)
    if "roles" in bare.marks:
        return bare
    if corpus.format in _LISTED:
        return _read_listed(bare, cells)
    return _read_words(bare, cells) if corpus.format in HEADS else _read_brackets(bare, cells)


def _add_marks(
    corpus: Corpus, begin: Ints, end: Ints, head: Ints, labels: Column, predicates: Ints, senses: Column
) -> Corpus:
    """The corpus with roles and predicates; roles that a predicate has twice are noted."""
    unit, of_predicate = (corpus.sentence_of[words].astype(np.int64) for words in (begin, predicates))
    first, start = corpus.starts[unit], predicates - corpus.starts[of_predicate]
    roles = Marks(unit, begin - first, end - first, labels, arguments={"head": head}).distinct(begin, end, head)
    if len(roles) < len(begin):
        note = "Arguments that a predicate has twice, read once: {}."
        corpus = replace(corpus, noted=(*corpus.noted, (note, len(begin) - len(roles))))
    return corpus.with_marks(roles=roles, predicates=Marks(of_predicate, start, start + 1, senses))


def _find_filled_cells(
    corpus: Corpus, codes: Ints, parts: Sequence[Sequence[tuple[int, str]]], predicates: Ints, faulty: Sequence[int]
) -> tuple[Ints, Ints, Ints, list[str]]:
    """Word, predicate and number of the text of each filled cell, and these texts; faulty sentences have none.

    `parts` are the filled cells of each distinct line: the column of arguments, and the text.
    """
    size = np.array([len(row) for row in parts], dtype=np.int64)
    columns = np.array([place for row in parts for place, _ in row], dtype=np.int64)
    number = np.where(np.isin(corpus.sentence_of, faulty), 0, size[codes])
    texts = numbers_of_runs((np.cumsum(size) - size)[codes], number)
    words = np.repeat(np.arange(len(corpus)), number)
    in_sentence = np.bincount(corpus.sentence_of[predicates], minlength=corpus.sentences)
    first = (np.cumsum(in_sentence) - in_sentence)[corpus.sentence_of[words]]
    return words, np.append(predicates, 0)[first + columns[texts]], texts, [text for row in parts for _, text in row]


def _count_columns(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"


def _describe_width(width: int, predicates: int) -> str:
    count = "1 predicate" if predicates == 1 else f"{predicates} predicates"
    fact = f"{_count_columns(width)} of arguments, but the sentence has {count}"
    return f"{fact}. Is a cell missing, or too many?"


def _read_words(corpus: Corpus, cells: Column) -> Corpus:
    """The corpus with predicates and arguments that are words; each distinct text of cells is split once."""
    flagged, marked = corpus.format == "conll09", corpus.format == "up"
    senses, widths, flags, blank, parts = [], [], [], [], []
    for text in cells.vocabulary:
        row = text.split("\t")
        sense, *arguments = row[flagged:] or [""]
        flags.append(flagged and row[0] == "Y" and sense in NOTHING)
        senses.append("" if sense in NOTHING else sense)
        widths.append(len(arguments))
        # A line of Universal Propositions 1.0 without predicates ends in an empty cell.
        blank.append(marked and arguments == [""])
        filled = [(place, cell) for place, cell in enumerate(arguments) if cell not in NOTHING]
        parts.append([(place, role) for place, cell in filled for role in cell.split("|") if role not in NOTHING])
    codes, sentence_of = cells.codes, corpus.sentence_of
    predicates = np.flatnonzero(np.array(list(map(bool, senses)), dtype=bool)[codes])
    numbers = np.bincount(sentence_of[predicates], minlength=corpus.sentences)
    width, faulty = np.array(widths, dtype=np.int64)[codes], np.array(flags, dtype=bool)[codes]
    wrong = width != numbers[sentence_of]
    wrong &= ~(np.array(blank, dtype=bool)[codes] & (numbers[sentence_of] == 0))
    problems = []
    for word in np.flatnonzero(wrong | faulty).tolist():
        fact = "FILLPRED is Y and PRED is empty. Fill it with a sense, or remove the Y."
        if not faulty[word]:
            fact = _describe_width(int(width[word]), int(numbers[sentence_of[word]]))
        problems.append(f"{corpus.place(word)}: {fact}")
    refuse_all(problems)
    dependent, head, rows, texts = _find_filled_cells(corpus, codes, parts, predicates, ())
    roles = Column.of(texts)
    labels = Column(roles.codes[rows], roles.vocabulary)
    if marked:
        # The mark of the predicate itself is not an argument.
        kept = (dependent != head) | ~labels.isin([MARK])
        dependent, head, labels = dependent[kept], head[kept], Column(labels.codes[kept], labels.vocabulary)
    named = Column.of([senses[code] for code in codes[predicates].tolist()])
    corpus = _add_marks(corpus, dependent, dependent + 1, head, labels, predicates, named)
    lost = 0
    for line, sentence in zip(corpus.aside_lines, corpus.aside_sentences, strict=True):
        row = [] if line.startswith("#") else line.split("\t")
        lost += sum(cell not in NOTHING for cell in row[-1 - int(numbers[sentence]) :])
    if not lost:
        return corpus
    note = "Senses and roles of ranges or empty nodes, which are not words here, were not read: {}."
    return replace(corpus, noted=(*corpus.noted, (note, lost)))


@cache
def _split_brackets(cell: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The roles opened and closed in a cell (empty: a closing bracket without a name); None if it is not brackets."""
    match = _CELL.fullmatch(cell)
    return (tuple(_OPENED.findall(match[1])), tuple(_CLOSED.findall(match[2]))) if match else None


def _add_arguments(
    corpus: Corpus, arguments: Sequence[tuple[int, int, int, str]], predicates: Sequence[int], senses: Sequence[str]
) -> Corpus:
    """The corpus with these predicates and senses, and arguments given as first word, end, predicate and role."""
    begin, end, head = (np.array([row[axis] for row in arguments], dtype=np.int64) for axis in (0, 1, 2))
    labels, words = Column.of([row[3] for row in arguments]), np.array(predicates, dtype=np.int64)
    return _add_marks(corpus, begin, end, head, labels, words, Column.of(senses))


def _read_listed(corpus: Corpus, cells: Column) -> Corpus:
    """The corpus with predicates that list their arguments, as heads or as stretches of words."""
    pattern, spans = _LISTED[corpus.format], corpus.format in SPANS
    expected = "A0:2-3|A1:5-5" if spans else "A0:3|A1:5"
    problems: list[str] = []
    arcs: list[tuple[int, int, int, str]] = []
    split = [text.split("\t") for text in cells.vocabulary]
    filled = np.array([any(cell not in NOTHING for cell in row) for row in split], dtype=bool)[cells.codes]
    uneven = np.array([len(row) != len(_UP2) for row in split], dtype=bool)[cells.codes]
    predicates: list[int] = []
    senses: list[str] = []
    for word in np.flatnonzero(filled | uneven).tolist():
        row, place = split[cells.codes[word]], corpus.place(word)
        if len(row) != len(_UP2):
            problems.append(f"{place}: {len(row)} columns of propositions, but 3 are named. Is a cell missing?")
            continue
        if row[0] in NOTHING:
            problems.append(f"{place}: arguments of a word that is not a predicate. Fill UP:PRED with a sense.")
            continue
        predicates.append(word)
        senses.append(row[0])
        sentence = int(corpus.sentence_of[word])
        start, end = corpus.starts[sentence : sentence + 2].tolist()
        size = end - start
        listed = row[1 + spans]
        for part in [] if listed in NOTHING else listed.split("|"):
            match = pattern.fullmatch(part)
            if match is None:
                problems.append(f"{place}: {part!r}, but arguments such as {expected} are expected.")
                continue
            first, last = int(match[2]), int(match[len(match.groups())])
            if not 1 <= first <= last <= size:
                problems.append(
                    f"{place}: {part!r} in a sentence of {size} words, which are counted from 1. Correct the numbers."
                )
                continue
            arcs.append((start + first - 1, start + last, word, match[1]))
    refuse_all(problems)
    if not corpus.has_words:
        # Without words, predicates are shown by their lemmas.
        shown = [UNKNOWN] * len(corpus)
        for word, sense in zip(predicates, senses, strict=True):
            shown[word] = sense.rpartition(".")[0] or sense
        corpus = replace(corpus, forms=Column.of(shown))
    return _add_arguments(corpus, arcs, predicates, senses)


def _read_brackets(corpus: Corpus, cells: Column) -> Corpus:
    """The corpus with predicates and arguments that are stretches; each distinct text of cells is split once."""
    framed = corpus.format == "conll2012"
    senses, is_predicate, widths, parts = [], [], [], []
    for text in cells.vocabulary:
        row = text.split("\t")
        arguments = row[1 + framed :]
        senses.append(".".join(row[: 1 + framed]))
        is_predicate.append(row[framed:][:1] not in (["-"], []))
        widths.append(len(arguments))
        parts.append([(place, cell) for place, cell in enumerate(arguments) if cell != "*"])
    codes, sentence_of, firsts = cells.codes, corpus.sentence_of, corpus.starts[:-1]
    predicates = np.flatnonzero(np.array(is_predicate, dtype=bool)[codes])
    numbers = np.bincount(sentence_of[predicates], minlength=corpus.sentences)
    width = np.array(widths, dtype=np.int64)[codes]
    expected = width[firsts]
    wrong = width != expected[sentence_of]
    wrong[firsts[expected > numbers]] = True
    faulty, at = np.unique(sentence_of[wrong], return_index=True)
    problems = [
        (word, _describe_width(int(width[word]), int(numbers[sentence_of[word]])))
        for word in np.flatnonzero(wrong)[at].tolist()
    ]
    # Filled cells, column after column.
    words, heads, rows, filled = _find_filled_cells(corpus, codes, parts, predicates, faulty.tolist())
    order = np.lexsort((words, heads))
    table = zip(heads[order].tolist(), words[order].tolist(), rows[order].tolist(), strict=True)
    brackets = list(map(_split_brackets, filled))
    arcs: list[tuple[int, int, int, str]] = []
    for head, column in groupby(table, itemgetter(0)):
        still_open: list[tuple[str, int]] = []
        for _, word, row in column:
            roles = brackets[row]
            if roles is None:
                problems.append((word, f"{filled[row]!r}, but brackets such as (A0*, * or *) are expected."))
                continue
            still_open += [(role, word) for role in roles[0]]
            for name in roles[1]:
                # The role opened last is closed first, unless the bracket names another.
                named = [place for place, (role, _) in enumerate(still_open) if not name or role == name]
                if not named:
                    fact = f"{name or 'a bracket'} is closed here that is not open"
                    problems.append((word, f"{fact}. Is a bracket missing?"))
                    continue
                role, begin = still_open.pop(named[-1])
                arcs.append((begin, word + 1, head, role))
        problems += [
            (begin, f"the argument {role} that opens here is not closed in its sentence. Is a bracket missing?")
            for role, begin in still_open
        ]
    refuse_all([f"{corpus.place(word)}: {fact}" for word, fact in sorted(problems)])
    corpus = _add_arguments(corpus, arcs, predicates.tolist(), [senses[code] for code in codes[predicates].tolist()])
    first_predicate = (np.cumsum(numbers) - numbers)[sentence_of[predicates]]
    without = predicates[np.arange(len(predicates)) - first_predicate >= width[predicates]]
    if len(without):
        text = "predicates without a column of arguments, taken as predicates that have none: {} (the first: "
        note = (f"{text}{corpus.place(int(without[0]))}).", len(without))
        corpus = replace(corpus, noted=(*corpus.noted, note))
    return corpus
