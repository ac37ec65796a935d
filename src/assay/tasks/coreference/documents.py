"""Documents of systems brought into gold's order, and those whose words differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.arrays import Bools
from assay.corpus import Chains, Column, Corpus, one_vocabulary
from assay.engine.options import Options
from assay.engine.prepare import left_out
from assay.engine.warnings import Remark, format_warnings, remark, said
from assay.errors import MOST_PROBLEMS, AlignmentError, listed

_SHOWN = 3
"""So many documents are named."""


def in_golds_order(
    name: str, gold: Corpus, system: Corpus, options: Options
) -> tuple[list[int | None] | None, list[Remark]]:
    """Which of the system's documents each of gold's is, by their ids; None where they are as in gold."""
    there = gold_documents(gold=gold.name, system=system.name, number=gold.documents)
    if gold.document_ids == system.document_ids:
        return None, [there]
    if not (gold.by_id and system.by_id):
        # Without ids documents correspond by their order.
        if gold.documents != system.documents:
            raise AlignmentError(
                f"{system.name}: documents: {system.documents:,}, where {gold.name} has {gold.documents:,}; without "
                "ids they cannot be told apart."
            )
        return None, [there]
    theirs = {name: number for number, name in enumerate(system.document_ids)}
    ours = {name: number for number, name in enumerate(gold.document_ids)}
    absent = [number for name, number in ours.items() if name not in theirs]
    foreign = [number for name, number in theirs.items() if name not in ours]
    if (absent or foreign) and options.missing == "error":
        problems = []
        if absent:
            names = _listed(len(absent), _named(gold, absent))
            problems.append(
                f"{_beginning(gold, absent[0])}: {system.name} lacks {names}. To score as empty: --missing empty"
            )
        if foreign:
            names = _listed(len(foreign), _named(system, foreign))
            problems.append(
                f"{_beginning(system, foreign[0])}: {gold.name} does not have {names}. To ignore: --missing empty"
            )
        raise AlignmentError("\n".join(problems))
    there = gold_documents(gold=gold.name, system=system.name, number=gold.documents - len(absent))
    if options.decided is None:
        format_warnings([there])
    remarks = [
        there,
        absent_documents(name=name, number=len(absent), named=_named(gold, absent)),
        foreign_documents(name=name, number=len(foreign), named=_named(system, foreign)),
    ]
    return [theirs.get(name) for name in gold.document_ids], remarks


@remark
def gold_documents(gold: str, system: str, number: int) -> Iterator[str]:
    """A system without any document of gold."""
    if not number:
        raise AlignmentError(f"{system}: no document of {gold} is in it.")
    yield from ()


@remark
def absent_documents(name: str, number: int, named: Sequence[str]) -> Iterator[str]:
    """Documents of gold that a system lacks."""
    if number:
        yield f"{name}: without {_listed(number, named)}, scored as empty."


@remark
def foreign_documents(name: str, number: int, named: Sequence[str]) -> Iterator[str]:
    """Documents of a system that gold lacks."""
    if number:
        yield f"{name}: {_listed(number, named)} ignored: not in gold."


def _beginning(corpus: Corpus, document: int) -> str:
    """`file:line` of the mark that a document begins with, which stands before its first word."""
    assert corpus.document_starts is not None
    sentence = int(corpus.document_starts[document])
    if corpus.lines is None or not corpus.word_per_line:
        return corpus.place_of_sentence(sentence)
    return f"{corpus.path_of(sentence)}:{int(corpus.lines[sentence]) - 1}"


def _named(corpus: Corpus, documents: Sequence[int]) -> list[str]:
    """Some documents by name; of a folder with the files that they are in."""
    assert corpus.document_starts is not None
    named = []
    for number in documents[:_SHOWN]:
        path = corpus.path_of(int(corpus.document_starts[number]))
        named.append(corpus.document_ids[number] + (f" in {path}" if path != corpus.name else ""))
    return named


def _listed(number: int, named: Sequence[str]) -> str:
    """How many documents, and the first of them by name."""
    noun = "the document" if number == 1 else f"{number:,} documents:"
    return f"{noun} {', '.join(named[:_SHOWN])}{', …' if number > _SHOWN else ''}"


def arranged(gold: Corpus, system: Corpus, order: Sequence[int | None]) -> Corpus:
    """The system's chains in gold's documents; a document that it does not have has gold's words and no chains."""
    chains = system.chains
    assert chains is not None
    place = np.full(system.documents + 1, -1, dtype=np.int64)
    for target, source in enumerate(order):
        if source is not None:
            place[source] = target
    kept = np.flatnonzero(place[chains.document] >= 0)
    kept = kept[np.argsort(place[chains.document[kept]], kind="stable")]
    number = {int(old): new for new, old in enumerate(kept)}
    moved = Chains(
        place[chains.document[kept]],
        chains.begin[kept],
        chains.end[kept],
        chains.chain[kept],
        chains.names,
        chains.lines[kept],
        None if chains.heads is None else chains.heads[kept],
        {number[mention]: shape for mention, shape in chains.stretches.items() if mention in number},
    )
    return replace(_words(gold, system, order), chains=moved)


@dataclass(frozen=True)
class _Piece:
    corpus: Corpus
    document: int

    def sentences(self) -> range:
        assert self.corpus.document_starts is not None
        return range(
            int(self.corpus.document_starts[self.document]), int(self.corpus.document_starts[self.document + 1])
        )


def _words(gold: Corpus, system: Corpus, order: Sequence[int | None]) -> Corpus:
    """The words of the documents in gold's order."""
    pieces = [
        _Piece(gold, target) if source is None else _Piece(system, source) for target, source in enumerate(order)
    ]
    forms: list[str] = []
    sizes: list[int] = []
    lines: list[int] = []
    starts = [0]
    files: list[tuple[str, int]] = []
    for piece in pieces:
        for sentence in piece.sentences():
            path = piece.corpus.path_of(sentence)
            if not files or files[-1][0] != path:
                files.append((path, len(sizes)))
            lines.append(0 if piece.corpus.lines is None else int(piece.corpus.lines[sentence]))
            first, end = int(piece.corpus.starts[sentence]), int(piece.corpus.starts[sentence + 1])
            forms += piece.corpus.forms.strings(first, end)
            sizes.append(end - first)
        starts.append(len(sizes))
    return replace(
        system,
        forms=Column.of(forms),
        columns={},
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        lines=None if system.lines is None else np.array(lines, dtype=np.int64),
        files=tuple(files),
        aside_words=np.zeros(0, dtype=np.int64),
        aside_sentences=(),
        aside_lines=(),
        multiwords=(),
        comments=(),
        document_starts=np.array(starts, dtype=np.int64),
        document_ids=gold.document_ids,
    )


def differences(gold: Corpus, systems: dict[str, Corpus], options: Options) -> tuple[Bools, list[Remark]]:
    """Documents whose words differ: refused, left out, or (only other forms) compared by position."""
    wrong = np.zeros(gold.documents, dtype=bool)
    problems: dict[str, list[str]] = {name: [] for name in systems}
    warnings: list[Remark] = []
    for name, system in systems.items():
        for document, line, sizes_differ in _unequal(gold, system):
            if options.on_mismatch == "warn" and not sizes_differ:
                warnings.append(said(text=f"{name}: {line}."))
                continue
            wrong[document] = True
            problems[name].append(line)
        warnings.append(_other_sentences(name, gold, system))
    lines = [line for found in problems.values() for line in found]
    if lines and options.on_mismatch != "skip":
        remedy = "The texts differ. To leave such documents out: --on-mismatch skip"
        raise AlignmentError("\n".join([*listed(lines), remedy]))
    nothing = "no document has the same words in all files."
    told = "{number} of {sentences} documents were left out: the texts differ."
    gone = left_out(wrong, nothing, told, options)
    warnings += [documents_left_out(system=name, lines=found[:MOST_PROBLEMS]) for name, found in problems.items()]
    warnings += gone
    return wrong[gold.document_of_sentence], warnings


@remark
def documents_left_out(system: str, lines: Sequence[str]) -> Iterator[str]:
    """Where the texts of documents that were left out differ in a system."""
    yield from (f"left out: {line}." for line in lines)


@remark
def other_sentences(name: str, number: int, first: Sequence[str]) -> Iterator[str]:
    """Documents that are cut into other sentences."""
    if number:
        what = "1 document is" if number == 1 else f"{number:,} documents are"
        yield f"{name}: {what} cut into other sentences than in gold (the first: {first[0]}), which changes no score."


def _other_sentences(name: str, gold: Corpus, system: Corpus) -> Remark:
    """What is to be said where documents of the same length are cut into other sentences."""
    assert gold.document_starts is not None and system.document_starts is not None
    sides = ((gold.starts, gold.document_starts), (system.starts, system.document_starts))
    ours, theirs = (np.split(np.diff(starts), documents[1:-1]) for starts, documents in sides)
    other = [
        document
        for document, (a, b) in enumerate(zip(ours, theirs, strict=True))
        if a.sum() == b.sum() and not np.array_equal(a, b)
    ]
    places = [system.place_of_sentence(int(system.document_starts[document])) for document in other[:1]]
    return other_sentences(name=name, number=len(other), first=places)


def _unequal(gold: Corpus, system: Corpus) -> Iterator[tuple[int, str, bool]]:
    """The documents that differ: the place where they part, and whether they have other numbers of words."""
    assert gold.document_starts is not None and system.document_starts is not None
    ours = gold.starts[gold.document_starts]
    theirs = system.starts[system.document_starts]
    _, (here, there) = one_vocabulary([gold.forms, system.forms])
    compared = gold.has_words and system.has_words
    for document in range(gold.documents):
        a, b = (slice(int(side[document]), int(side[document + 1])) for side in (ours, theirs))
        sizes = (a.stop - a.start, b.stop - b.start)
        shared = min(sizes)
        differing = np.flatnonzero(here[a][:shared] != there[b][:shared]) if compared else np.zeros(0, dtype=np.int64)
        if len(differing):
            word = int(differing[0])
            found, wanted = system.forms[b.start + word], gold.forms[a.start + word]
            fact = f"{found!r} where {gold.place(a.start + word)} has {wanted!r}"
            yield document, f"{system.place(b.start + word)}: {fact}", sizes[0] != sizes[1]
        elif sizes[0] != sizes[1]:
            # One ends before the other does.
            last = system.place(b.stop - 1)
            name = gold.document_name(document)
            yield document, f"{last}: {name} has {sizes[1]:,} words here, {sizes[0]:,} in {gold.name}", True
