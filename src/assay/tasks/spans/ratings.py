"""Spans of all annotators: labels of words for agreement on words, and units of a continuum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints, Stretches
from assay.corpus import Column, Corpus, Marks
from assay.corpus.ratings import Ratings, WordNames
from assay.engine.annotators import Continua
from assay.engine.prepare import Run
from assay.engine.spanpairs import SHOWN, line_of, spans_of, with_spans
from assay.errors import UsageError
from assay.stats.unitizing import Units

OUTSIDE = "(none)"
"""Label of a word outside all spans."""


def span_ratings(run: Run, names: Sequence[str], column: str) -> Ratings:
    """Ratings of words by the labels of spans, with one more label for words outside; spans must not overlap."""
    gold = run.pairs[0][1].gold
    sides = _list_sides(run)
    for _, pair in run.pairs:
        check_words(pair)
    labels = sorted({name for _, _, vocabulary in sides for name in vocabulary})
    words = np.flatnonzero(~run.skipped[gold.sentence_of])
    cells = []
    for corpus, side, vocabulary in (sides[number] for number in np.argsort(names)):
        codes = labels_of_words(corpus, side, len(vocabulary))
        cells.append(np.array([labels.index(name) for name in vocabulary] + [len(labels)])[codes[words]])
    annotators, number = len(cells), len(words)
    sentence = gold.sentence_of[words].astype(np.int64)
    named = WordNames(gold, words)
    return Ratings(
        named,
        tuple(sorted(names)),
        (*labels, OUTSIDE),
        np.repeat(np.arange(number), annotators),
        np.tile(np.arange(annotators), number),
        np.stack(cells, axis=1).ravel(),
        unit=run.gold.unit_of_sentence(run.unit)[sentence],
        units=run.gold.names_of_units(run.unit),
        noun="word",
        unit_noun=run.unit,
        columns={"sentence": Column(sentence.astype(np.int32), tuple(run.gold.sentence_ids))},
        text_of=named.text,
    )


def _list_sides(run: Run) -> list[tuple[Corpus, Marks, tuple[str, ...]]]:
    """Corpus, spans and names of labels of each annotator, the first one first."""
    sides = [(run.pairs[0][1].gold, spans_of(run.pairs[0][1])[0])]
    sides += [(pair.system, spans_of(pair)[1]) for _, pair in run.pairs]
    return [(corpus, marks, marks.labels.vocabulary) for corpus, marks in sides]


def check_words(pair: Pair) -> None:
    """Raise an error if the files have no words, or different ones."""
    gold, system = pair.gold, pair.system
    if line_of(pair).atoms != "words" or not (gold.has_words and system.has_words) or len(gold) != len(system):
        raise UsageError("agreement on words needs the same words in all files.")


def labels_of_words(corpus: Corpus, spans: Marks, outside: int) -> Ints:
    """Label of each word, `outside` for words outside all spans; overlapping spans are an error."""
    codes = np.full(len(corpus), outside, dtype=np.int64)
    covered = 0
    for index in range(len(spans)):
        for begin, end in spans.atoms_of(index):
            codes[begin:end] = spans.label[index]
            covered += end - begin
    if covered != int((codes != outside).sum()):
        raise UsageError(f"{corpus.name}: spans overlap, so a word has no single label for agreement on words.")
    return codes


def make_continua(run: Run, names: Sequence[str]) -> Continua:
    """Units of all annotators, document by document, on a line of words or characters."""
    if any(not pair.gold.has_words or not pair.system.has_words for _, pair in run.pairs):
        raise UsageError("this measure needs the text that spans are in: files with spans alone have no length.")
    sides = _list_sides(run)
    labels = sorted({name for _, _, vocabulary in sides for name in vocabulary})
    line, corpus = line_of(run.pairs[0][1]), run.gold
    sentences = [0, corpus.sentences] if corpus.document_starts is None else corpus.document_starts
    size = int(line.end.max(initial=0))
    starts = np.append(line.sentence_places, size)[sentences]
    rows: list[list[tuple[int, int, int, int]]] = [[] for _ in range(corpus.documents)]
    for number, place in enumerate(np.argsort(np.argsort(names)).tolist()):
        annotated, side, vocabulary = sides[number]
        if side.stretches:
            where = annotated.place_of_span(int(side.number[next(iter(side.stretches))]))
            raise UsageError(f"{where}: a span with a gap, which is not a unit of a continuum.")
        document = corpus.document_of_sentence[side.unit] if len(side) else np.zeros(0, dtype=np.int64)
        codes = np.array([labels.index(name) for name in vocabulary], dtype=np.int64)[side.label]
        columns = (document, side.begin - starts[document], side.end - starts[document], codes)
        for doc, begin, end, label in zip(*(column.tolist() for column in columns), strict=True):
            rows[doc].append((place, begin, end, label))
    lengths = np.diff(starts).tolist()
    units = tuple(
        Units.of(len(names), length, of_document) for of_document, length in zip(rows, lengths, strict=True)
    )
    documents = tuple(corpus.document_name(number) for number in range(corpus.documents))
    return Continua(documents, tuple(sorted(names)), units, tuple(labels))


def majority_pairs(run: Run, systems: Sequence[str]) -> list[tuple[str, Pair]]:
    """Pair of each system with the spans, by place and label, of more than half of the annotators instead of gold's.

    None if words are tokenised differently, or if only some labels count: then spans have no common place here.
    """
    people = [run.gold, *(pair.system for name, pair in run.pairs if name not in systems)]
    votes: dict[tuple[int, int, int, str, Stretches], int] = {}
    for corpus in people:
        spans = corpus.marks.get("spans")
        if spans is None or spans.columns or any(pair.aligned_by == "characters" for _, pair in run.pairs):
            return []
        rows = zip(spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), spans.labels.strings(), strict=True)
        for key in {(*row, spans.stretches.get(index, ())) for index, row in enumerate(rows)}:
            votes[key] = votes.get(key, 0) + 1
    kept = [key for key, number in votes.items() if 2 * number > len(people)]
    sentence, begin, end = (np.array([key[place] for key in kept], dtype=np.int64) for place in range(3))
    stretches = {index: key[4] for index, key in enumerate(kept) if key[4]}
    labels, lines = Column.of(key[3] for key in kept), np.ones(len(kept), dtype=np.int64)
    gold = run.gold.with_marks(spans=Marks(sentence, begin, end, labels, lines, stretches).in_order()[0])
    pairs = []
    for name, pair in run.pairs:
        if name in systems:
            spans, characters = spans_of(pair)[1], line_of(pair).atoms == "characters"
            claims = spans.where(spans.begin == NONE) if SHOWN in spans.arguments else None
            pairs.append((name, with_spans(replace(pair, gold=gold), characters=characters, claims=claims)))
    return pairs
