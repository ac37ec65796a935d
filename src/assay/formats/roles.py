"""Semantic roles: predicates with their senses, and their arguments, in columns of their own behind each word.

In CoNLL-2008, CoNLL-2009 and files of Universal Propositions a word is an argument: its cell in a predicate's column
is a role. In CoNLL-2005 (props) and CoNLL-2012 arguments are stretches of words, as brackets in that column.
Universal Propositions 2.0 list the arguments of a predicate in its own line, by their heads and as stretches.
Readers of tables hand on what stands behind the columns of words (`ROLES`); `with_roles` makes the graph of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np

from assay.arrays import numbers_of_runs
from assay.corpus import Column, Corpus
from assay.errors import InputError, UsageError
from assay.formats.builder import Builder, refuse_all
from assay.formats.columns import CONLLU, ROLES, Layout
from assay.formats.graphs import Graph
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
"""A word of a file that has none."""
MARK = "V"
"""The role of the predicate itself."""
NOTHING = ("_", "-", "")
"""Cells without a sense or role."""
_CONLL08 = ("ID", "FORM", "LEMMA", "GPOS", "PPOS", "SPLIT_FORM", "SPLIT_LEMMA", "PPOSS", "HEAD", "DEPREL")
_CELL = re.compile(r"((?:\([^()*\s]+)*)\*((?:[^()*\s]*\))*)")
_OPENED = re.compile(r"\(([^()*\s]+)")
_CLOSED = re.compile(r"([^()*\s]*)\)")
_UP2 = (("UP:PRED", "UP:PREDS"), ("UP:ARGHEADS",), ("UP:ARGSPANS",))
"""The last columns of Universal Propositions 2.0, by the names that they go by."""
_LISTED = {"up2": re.compile(r"(.+):([0-9]{1,9})"), "up2-spans": re.compile(r"(.+):([0-9]{1,9})-([0-9]{1,9})")}
"""An argument in such a column: its role and its word, or its first and last word."""

CONLL08_LAYOUT = Layout("conll08", "\t", len(_CONLL08), 5, _CONLL08, ids=True, empty="_", open_end=True)
"""Ten columns, of which the sixth has the words, and behind them predicates and their arguments."""
UP_LAYOUTS = {
    10: Layout("up", "\t", 10, 1, CONLLU, ids=True, comments=True, empty="_", open_end=True),
    8: Layout("up", "\t", 9, 1, (*CONLLU[:8], "FLAG"), ids=True, comments=True, empty="_", open_end=True),
}
"""Universal Propositions behind the ten columns of CoNLL-U, or behind eight of them and a flag at each predicate."""


# --- telling the formats by their first lines ---


def _sentences(head: Sequence[str]) -> tuple[list[list[list[str]]], bool]:
    """The words of the first lines in sentences, cut into cells, and whether all of these are whole.

    The last sentence, which may be cut short, is among them only where there is no other.
    """
    found: list[list[list[str]]] = [[]]
    for line in head:
        if not line.strip():
            found.append([])
        elif not line.startswith("#"):
            found[-1].append(line.split("\t"))
    # What follows the last line end is nothing, so that the last sentence ends with the second but last.
    last = found[-2:] if not found[-1] else found[-1:]
    whole = [rows for rows in found[: len(found) - len(last)] if rows]
    return whole or [rows for rows in found if rows], bool(whole)


def _fits(head: Sequence[str], predicate: int, *, cut: bool = False) -> bool:
    """True if every sentence has as many columns behind that of predicates as it has predicates.

    `cut`: a sentence that is cut short may have more predicates than can be seen.
    """
    sentences, whole = _sentences(head)
    if cut and whole:
        return False
    for rows in sentences:
        words = [row for row in rows if row[0].isdigit()]
        if any(len(row) <= predicate for row in words):
            return False
        least = predicate + 1 + sum(row[predicate] not in NOTHING for row in words)
        widths = {len(row) for row in words}
        if len(widths) > 1 or (min(widths, default=least) < least if cut else widths - {least}):
            return False
    return True


def looks_conll08(head: Sequence[str]) -> bool:
    """Words numbered from 1, heads in the ninth column, predicates in the eleventh."""
    rows = [row for rows in _sentences(head)[0] for row in rows]
    return (
        bool(rows)
        and rows[0][0] == "1"
        and all(len(row) > len(_CONLL08) and row[0].isdigit() and row[8].isdigit() for row in rows)
        and not all(row[9].isdigit() for row in rows)
        and _fits(head, len(_CONLL08))
    )


def looks_up(head: Sequence[str]) -> bool:
    """Columns as in CoNLL-U, of which the seventh has heads, and columns of predicates and roles behind them."""
    if head[0].startswith("# global.columns"):
        return _named_form(head[0]) is not None
    words = [row for rows in _sentences(head)[0] for row in rows if row[0].isdigit()]
    if not words or not all(len(row) > 9 and row[6].isdigit() for row in words):
        return False
    # Ten columns without any predicate are those of CoNLL-U.
    flagged = _flagged(words) and any(row[8] == "Y" for row in words)
    return any(_fits(head, 10, cut=cut) or (flagged and _fits(head, 9, cut=cut)) for cut in (False, True))


def _named_form(line: str) -> int | None:
    """The columns of CoNLL-U before those of propositions, as the first line names them."""
    names = line.partition("=")[2].upper().split()
    for number in UP_LAYOUTS:
        if tuple(names[:number]) == CONLLU[:number] and any("PRED" in name for name in names[number:]):
            return number
    return None


def _flagged(words: Sequence[Sequence[str]]) -> bool:
    return all(row[8] in ("Y", "_") for row in words)


def up_layout(head: Sequence[str], path: str, columns: int) -> Layout:
    """The layout of a file of Universal Propositions, by the number of its columns of CoNLL-U; 0: by its look."""
    if columns not in (0, *UP_LAYOUTS):
        raise UsageError(f"format up: columns is 8 or 10, the number of columns before propositions, not {columns}.")
    named = _named_form(head[0]) if head else None
    if columns or named:
        return UP_LAYOUTS[columns or named or 10]
    words = [row for rows in _sentences(head)[0] for row in rows if row[0].isdigit()]
    fitting: list[int] = []
    for cut in (False, True):
        if not fitting:
            fitting = [number for number, predicate in ((10, 10), (8, 9)) if _fits(head, predicate, cut=cut)]
            if 8 in fitting and not (words and _flagged(words)):
                fitting.remove(8)
    if len(fitting) != 1:
        fact = "propositions may begin in column 9 or in column 11" if fitting else "no columns of propositions fit"
        raise InputError(
            f'{path}: {fact}. Say where they are: --input-format "up(columns=8)" (a flag, the sense, roles behind '
            'eight columns) or "up(columns=10)" (the sense, roles behind ten).'
        )
    return UP_LAYOUTS[fitting[0]]


def looks_up2(head: Sequence[str]) -> bool:
    """The first line names the columns of Universal Propositions 2.0, behind those of words or the ID alone."""
    names = head[0].partition("=")[2].upper().split() if head[0].startswith("# global.columns") else []
    return len(names) > len(_UP2) and all(
        name in known for name, known in zip(names[-len(_UP2) :], _UP2, strict=True)
    )


def up2_layout(head: Sequence[str], path: str, format: str) -> Layout:  # noqa: A002
    """The layout of such a file; one without words has nothing but the ID before its propositions."""
    names = tuple(head[0].partition("=")[2].split()) if head and looks_up2(head) else ()
    if not names or names[0] != "ID" or (len(names) > len(_UP2) + 1 and "FORM" not in names):
        raise InputError(
            f"{path}:1: names no columns of Universal Propositions 2.0. Begin the file with # global.columns = "
            "ID FORM … UP:PRED UP:ARGHEADS UP:ARGSPANS, or with ID and the last three where it has no words."
        )
    own = names[: -len(_UP2)]
    word = own.index("FORM") if "FORM" in own else 0
    return Layout(format, "\t", len(own), word, own, ids=True, comments=True, empty="_", open_end=True)


def looks_props(head: Sequence[str]) -> bool:
    """A lemma or - in the first column, behind it brackets and nothing else, in some line at least."""
    rows = [line.split("\t" if "\t" in line else None) for line in head if line.strip()]
    return (
        any(len(row) > 1 for row in rows)
        and any("(" in cell for row in rows for cell in row[1:])
        and all(_CELL.fullmatch(cell) for row in rows for cell in row[1:])
    )


# --- reading ---


def read_props(source: Source, builder: Builder, *, word: int = 0, predicate: int = 1) -> None:
    """Read one file; `word` and `predicate` are columns, counted from 1, and behind the second come the brackets."""
    builder.begin_file(source.path)
    problems: list[str] = []
    needed = max(word, predicate)
    form, rest = word - 1, predicate - 1
    flat: list[str] = []
    ends: list[int] = []
    lines: list[int] = []
    size, last, before, width = 1 + len(builder.names), 0, builder.words, 0
    for batch in source.batches():
        for number, line in batch.lines():
            # Between tabs a lemma may be empty, of a predicate all the same.
            cells = line.rstrip().split("\t") if "\t" in line else line.split()
            if not line.strip():
                if len(flat) > last:
                    last = len(flat)
                    ends.append(before + last // size)
                continue
            if len(cells) < needed:
                columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
                problems.append(f"{source.path}:{number}: {columns} where {needed} are needed. Is a cell missing?")
            if len(flat) == last:
                lines.append(number)
                width = len(cells)
            elif len(cells) != width:
                problems.append(
                    f"{source.path}:{number}: {len(cells)} columns where the sentence has {width}. "
                    "Is a cell missing, or a blank line between two sentences?"
                )
            # Without words, predicates are shown by their lemmas.
            shown = cells[form] if 0 <= form < len(cells) else cells[rest] if rest < len(cells) else ""
            flat.append(UNKNOWN if shown == "-" and form < 0 else shown)
            flat += ["\t".join(cells[rest:])] * (size - 1)
    if len(flat) > last:
        ends.append(before + len(flat) // size)
    refuse_all(problems)
    builder.add(flat, ends, lines)
    builder.end_file()


def roles_too(resolve: Callable[[str], str]) -> Callable[[str], str]:
    """A plan's way to resolve names of columns that knows ROLES besides."""
    return lambda name: ROLES if name == ROLES else resolve(name)


def has_predicate(format: str, cells: str) -> bool:  # noqa: A002
    """True if what stands behind the columns of a word makes it a predicate; in CoNLL-2009 a flag comes first."""
    place = int(format == "conll09")
    return any(cell not in NOTHING for cell in cells.split("\t")[place : place + 1])


# --- from cells to a graph ---


def with_roles(corpus: Corpus) -> Corpus:
    """The corpus with the graph of its predicates and arguments in place of the column ROLES."""
    cells = corpus.column(ROLES)
    columns = {name: column for name, column in corpus.columns.items() if name != ROLES}
    bare = replace(corpus, columns=columns)
    if bare.layer(Graph) is not None:
        return bare
    if corpus.format in _LISTED:
        return _with_listed(bare, cells)
    if corpus.format in HEADS:
        graph = _graph_of_heads(bare, cells)
        return _with_asides_noted(bare, graph).with_layer(graph)
    return _with_spans(bare, cells)


def _graph_of_heads(corpus: Corpus, cells: Column) -> Graph:
    """Predicates and arguments that are words; each distinct rest of a line is taken apart once."""
    flagged, marked = corpus.format == "conll09", corpus.format == "up"
    senses, widths, flags = [], [], []
    columns: list[int] = []
    roles: list[str] = []
    sizes = []
    for text in cells.vocabulary:
        row = text.split("\t")
        sense, *given = row[flagged:] or [""]
        flags.append(flagged and row[0] == "Y" and sense in NOTHING)
        senses.append("" if sense in NOTHING else sense)
        widths.append(len(given))
        found = [
            (place, role)
            for place, cell in enumerate(given)
            if cell not in NOTHING
            for role in cell.split("|")
            if role not in NOTHING
        ]
        columns += [place for place, _ in found]
        roles += [role for _, role in found]
        sizes.append(len(found))
    codes, sentence_of = cells.codes, corpus.sentence_of
    has_sense = np.array([bool(sense) for sense in senses], dtype=bool)[codes]
    predicates = np.flatnonzero(has_sense)
    numbers = np.bincount(sentence_of[predicates], minlength=corpus.sentences)
    width, faulty = np.array(widths, dtype=np.int64)[codes], np.array(flags, dtype=bool)[codes]
    wrong = width != numbers[sentence_of]
    problems = []
    for word in np.flatnonzero(wrong | faulty).tolist():
        place = corpus.place(word)
        if faulty[word]:
            problems.append(f"{place}: FILLPRED is Y and PRED is empty. Fill it with a sense, or take the Y away.")
            continue
        own, there = int(width[word]), int(numbers[sentence_of[word]])
        arguments = "1 column" if own == 1 else f"{own} columns"
        predicate = "1 predicate" if there == 1 else f"{there} predicates"
        problems.append(
            f"{place}: {arguments} of arguments where the sentence has {predicate}. Is a cell missing, or too many?"
        )
    refuse_all(problems)
    size = np.array(sizes, dtype=np.int64)
    firsts = (np.cumsum(size) - size)[codes]
    rows = numbers_of_runs(firsts, size[codes])
    dependent = np.repeat(np.arange(len(corpus)), size[codes])
    first_predicate = np.cumsum(numbers) - numbers
    column = np.array(columns, dtype=np.int64)[rows]
    head = np.append(predicates, 0)[first_predicate[sentence_of[dependent]] + column]
    all_roles = Column.of(roles)
    label = all_roles.codes[rows]
    if marked:
        # The mark of the predicate itself is no argument.
        kept = (dependent != head) | ~np.isin(label, [all_roles.vocabulary.index(MARK)] if MARK in roles else [])
        dependent, head, label = dependent[kept], head[kept], label[kept]
    named = Column.of([senses[code] for code in codes[predicates].tolist()])
    return Graph.of(dependent, head, Column(label, all_roles.vocabulary), predicates=predicates, senses=named)


def _with_asides_noted(corpus: Corpus, graph: Graph) -> Corpus:
    """The corpus with a note on senses and roles in lines that are no words, such as ranges and empty nodes."""
    numbers = np.bincount(corpus.sentence_of[graph.predicates], minlength=corpus.sentences).tolist()
    lost = 0
    for line, sentence in zip(corpus.aside_lines, corpus.aside_sentences, strict=True):
        cells = [] if line.startswith("#") else line.split("\t")
        lost += sum(cell not in NOTHING for cell in cells[-1 - numbers[sentence] :])
    if not lost:
        return corpus
    note = "Senses and roles of ranges or empty nodes, which are no words here, were not read: {}."
    return replace(corpus, noted=(*corpus.noted, (note, lost)))


@cache
def _brackets(cell: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The roles opened and those closed in a cell, the last without a name where it has none; None: no brackets."""
    match = _CELL.fullmatch(cell)
    return (tuple(_OPENED.findall(match[1])), tuple(_CLOSED.findall(match[2]))) if match else None


def graph_of_spans(
    arcs: Iterable[tuple[int, int, int, str]], predicates: Sequence[int], senses: Sequence[str]
) -> Graph:
    """The graph of predicates, in their order, and of arguments as first word, end, predicate and role."""
    distinct = sorted(set(arcs))
    begins, ends, heads = (np.array([arc[axis] for arc in distinct], dtype=np.int64) for axis in (0, 1, 2))
    return Graph(
        dependent=begins,
        head=heads,
        labels=Column.of([str(arc[3]) for arc in distinct]),
        predicates=np.array(predicates, dtype=np.int64),
        senses=Column.of(senses),
        begin=begins,
        end=ends,
    )


def _with_listed(corpus: Corpus, cells: Column) -> Corpus:
    """The corpus with the predicates that list their arguments, by heads or as stretches of words."""
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
            problems.append(f"{place}: {len(row)} columns of propositions where 3 are named. Is a cell missing?")
            continue
        if row[0] in NOTHING:
            problems.append(f"{place}: arguments of a word that is no predicate. Fill UP:PRED with a sense.")
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
                problems.append(f"{place}: {part!r} where arguments such as {expected} should stand.")
                continue
            first, last = int(match[2]), int(match[len(match.groups())])
            if not 1 <= first <= last <= size:
                problems.append(
                    f"{place}: {part!r} in a sentence of {size} words, which are counted from 1. Mend the numbers."
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
    if repeated := len(arcs) - len(set(arcs)):
        corpus = replace(
            corpus, noted=(*corpus.noted, ("Arguments that a predicate lists twice, read once: {}.", repeated))
        )
    graph = graph_of_spans(arcs, predicates, senses)
    if not spans:
        graph = Graph.of(graph.dependent, graph.head, graph.labels, predicates=graph.predicates, senses=graph.senses)
    return corpus.with_layer(graph)


def _with_spans(corpus: Corpus, cells: Column) -> Corpus:
    """The corpus with predicates and arguments that are stretches of words."""
    framed = corpus.format == "conll2012"
    problems: list[str] = []
    arcs: list[tuple[int, int, int, str]] = []
    predicates: list[int] = []
    senses: list[str] = []
    without: list[int] = []
    split = [text.split("\t") for text in cells.vocabulary]
    codes, starts = cells.codes.tolist(), corpus.starts.tolist()
    for first, end in pairwise(starts):
        rows = [split[code] for code in codes[first:end]]
        lemmas = [row[0] for row in rows]
        frames = [row[1] if len(row) > 1 else "-" for row in rows] if framed else lemmas
        own = [first + place for place, frame in enumerate(frames) if frame != "-"]
        predicates += own
        senses += [
            f"{lemmas[word - first]}.{frames[word - first]}" if framed else lemmas[word - first] for word in own
        ]
        before = 1 + framed
        width = len(rows[0]) - before
        uneven = next((place for place, row in enumerate(rows) if len(row) - before != width), None)
        if uneven is not None or width > len(own):
            there = "1 predicate" if len(own) == 1 else f"{len(own)} predicates"
            line = corpus.place(first + (uneven or 0))
            number = len(rows[uneven or 0]) - before
            roles = "1 column" if number == 1 else f"{number} columns"
            problems.append(
                f"{line}: {roles} of arguments where the sentence has {there}. Is a cell missing, or too many?"
            )
            continue
        without += own[width:]
        for column in range(width):
            still_open: list[tuple[str, int]] = []
            for place, row in enumerate(rows):
                cell = row[before + column]
                if cell == "*":
                    continue
                found = _brackets(cell)
                if found is None:
                    problems.append(
                        f"{corpus.place(first + place)}: {cell!r} where brackets such as (A0*, * or *) should stand."
                    )
                    continue
                still_open += [(role, first + place) for role in found[0]]
                for name in found[1]:
                    # What was opened last is closed first, unless the bracket says which it closes.
                    named = [at for at, (role, _) in enumerate(still_open) if not name or role == name]
                    if not named:
                        fact = f"{name or 'a bracket'} is closed here that is not open"
                        problems.append(f"{corpus.place(first + place)}: {fact}. Is a bracket missing?")
                        continue
                    role, begin = still_open.pop(named[-1])
                    arcs.append((begin, first + place + 1, own[column], role))
            for role, begin in still_open:
                problems.append(
                    f"{corpus.place(begin)}: the argument {role} that opens here is not closed in its sentence. "
                    "Is a bracket missing?"
                )
    refuse_all(problems)
    graph = graph_of_spans(arcs, predicates, senses)
    noted = corpus.noted
    if without:
        text = "predicates without a column of arguments, taken as predicates that have none: {} (the first: "
        noted = (*noted, (f"{text}{corpus.place(without[0])}).", len(without)))
    return replace(corpus, noted=noted).with_layer(graph)
