"""What the readers of coreference share: ids of documents, chains in order, and refusals that name all problems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import Ints, Stretches
from assay.corpus import Chains, Corpus
from assay.errors import InputError, listed, unknown

_PART = re.compile(r"(?:part\s+([0-9]{1,9}))?")
_IN_BRACKETS = re.compile(rf"\((.*)\)\s*+;?\s*+{_PART.pattern}")


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


def check_choice(parameter: str, value: str, choices: Sequence[str]) -> None:
    """Refuse what is none of the values of a parameter."""
    if value not in choices:
        raise unknown(f"{parameter} =", value, choices)


def refuse_all(problems: Sequence[str]) -> None:
    """Refuse what has problems, each a line with its place: the first twenty, then the number of the others."""
    if problems:
        raise InputError("\n".join(listed(problems)))


def merged(stretches: Iterable[tuple[int, int]]) -> Stretches:
    """Stretches in their order, those that touch made one."""
    joined: list[tuple[int, int]] = []
    for first, end in stretches:
        if joined and first == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((first, end))
    return tuple(joined)


def sorted_chains(
    rows: Ints, names: Sequence[str], stretches: Mapping[int, Stretches], heads: Ints | None = None
) -> Chains:
    """Chains from rows of document, begin, end, chain and line, sorted by the first four.

    Chains are numbered in the order in which they appear, so among equal spans the one that came first stands first.
    """
    order = np.lexsort((rows[:, 3], rows[:, 2], rows[:, 1], rows[:, 0]))
    document, begin, end, chain, lines = rows[order].T.copy()
    place = np.argsort(order)
    return Chains(
        document=document,
        begin=begin,
        end=end,
        chain=chain,
        names=tuple(names),
        lines=lines,
        heads=None if heads is None else heads[order],
        stretches={int(place[number]): gaps for number, gaps in stretches.items()},
    )


def first_words(corpus: Corpus) -> Ints:
    """The first word of each document."""
    starts = np.zeros(1, dtype=np.int64) if corpus.document_starts is None else corpus.document_starts[:-1]
    words: Ints = corpus.starts[starts]
    return words


def with_crossings_noted(corpus: Corpus) -> Corpus:
    """The corpus with a note on the mentions that cross the end of a sentence, where there are any."""
    chains = corpus.chains
    if chains is None or not len(chains):
        return corpus
    firsts = first_words(corpus)[chains.document]
    sentence = corpus.sentence_of[firsts + chains.begin]
    crossing = np.flatnonzero(sentence != corpus.sentence_of[firsts + chains.end - 1])
    if not len(crossing):
        return corpus
    place = f"{corpus.path_of(int(sentence[crossing[0]]))}:{int(chains.lines[crossing[0]])}"
    note = f"Mentions that cross the end of a sentence, taken as they are: {{}} (the first: {place})."
    return replace(corpus, noted=(*corpus.noted, (note, len(crossing))))
