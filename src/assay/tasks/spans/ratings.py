"""Spans of all annotators: the label of each word for agreement on words, and units of a continuum."""

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
    """The label of each word, with one more for words outside all spans; spans must not overlap."""
    first = run.pairs[0][1]
    sides = _sides(run)
    for pair in (pair for _, pair in run.pairs):
        check_words(pair)
    labels = sorted({name for _, _, known in sides for name in known})
    order = np.argsort(names)
    words = np.flatnonzero(~run.skipped[first.gold.sentence_of])
    cells = []
    for corpus, side, known in (sides[number] for number in order):
        codes = labels_of_words(corpus, side, len(known))
        cells.append(np.array([labels.index(name) for name in known] + [len(labels)])[codes[words]])
    who, number = len(cells), len(words)
    sentence = first.gold.sentence_of[words].astype(np.int64)
    named = WordNames(first.gold, words)
    return Ratings(
        named,
        tuple(sorted(names)),
        (*labels, OUTSIDE),
        np.repeat(np.arange(number), who),
        np.tile(np.arange(who), number),
        np.stack(cells, axis=1).ravel(),
        unit=run.gold.unit_of_sentence(run.unit)[sentence],
        units=run.gold.names_of_units(run.unit),
        noun="word",
        unit_noun=run.unit,
        columns={"sentence": Column(sentence.astype(np.int32), tuple(run.gold.sentence_ids))},
        text_of=named.text,
    )


def _sides(run: Run) -> list[tuple[Corpus, Marks, tuple[str, ...]]]:
    """The spans of the first annotator, and those of the others, each with the names of its labels."""
    sides = [(run.pairs[0][1].gold, spans_of(run.pairs[0][1])[0])]
    sides += [(pair.system, spans_of(pair)[1]) for _, pair in run.pairs]
    return [(corpus, marks, marks.labels.vocabulary) for corpus, marks in sides]


def check_words(pair: Pair) -> None:
    """Refuse files without words, or whose words differ."""
    gold, system = pair.gold, pair.system
    if line_of(pair).atoms != "words" or not (gold.has_words and system.has_words) or len(gold) != len(system):
        raise UsageError("agreement on words needs the words of all files, cut alike.")


def labels_of_words(corpus: Corpus, spans: Marks, outside: int) -> Ints:
    """The label of each word; words that spans share have no single one."""
    codes = np.full(len(corpus), outside, dtype=np.int64)
    covered = 0
    for index in range(len(spans)):
        for begin, end in spans.atoms_of(index):
            codes[begin:end] = spans.label[index]
            covered += end - begin
    if covered != int((codes != outside).sum()):
        raise UsageError(f"{corpus.name}: spans overlap, so a word has no single label for agreement on words.")
    return codes


def continua(run: Run, names: Sequence[str]) -> Continua:
    """The units of all annotators, document by document, on a line of words or characters."""
    if any(not pair.gold.has_words or not pair.system.has_words for _, pair in run.pairs):
        raise UsageError("this measure needs the text that spans are in: files with spans alone have no length.")
    sides = _sides(run)
    labels = sorted({name for _, _, known in sides for name in known})
    line, corpus = line_of(run.pairs[0][1]), run.gold
    sentences = np.append(corpus.document_starts if corpus.document_starts is not None else [0, corpus.sentences], 0)[
        :-1
    ]
    size = int(line.end.max(initial=0))
    starts = np.append(line.sentence_places, size)[sentences]
    rows: list[list[tuple[int, int, int, int]]] = [[] for _ in range(corpus.documents)]
    for number, place in enumerate(np.argsort(np.argsort(names)).tolist()):
        owner, side, known = sides[number]
        if side.stretches:
            where = owner.place_of_span(int(side.number[next(iter(side.stretches))]))
            raise UsageError(f"{where}: a span with a gap, which is no unit of a continuum.")
        document = corpus.document_of_sentence[side.unit] if len(side) else np.zeros(0, dtype=np.int64)
        codes = np.array([labels.index(name) for name in known], dtype=np.int64)
        for doc, begin, end, label in zip(
            document.tolist(),
            side.begin.tolist(),
            side.end.tolist(),
            side.label.tolist(),
            strict=True,
        ):
            rows[doc].append((place, begin - int(starts[doc]), end - int(starts[doc]), int(codes[label])))
    lengths = np.diff(starts)
    units = tuple(Units.of(len(names), int(length), own) for own, length in zip(rows, lengths, strict=True))
    documents = tuple(corpus.document_name(number) for number in range(corpus.documents))
    return Continua(documents, tuple(sorted(names)), units, tuple(labels))


def majority_pairs(run: Run, systems: Sequence[str]) -> list[tuple[str, Pair]]:
    """Each system with the spans in gold's place that more than half of the annotators have, place and label.

    None where words are cut otherwise, or where only some labels count: then spans have no common place here.
    """
    people = [run.gold, *(pair.system for name, pair in run.pairs if name not in systems)]
    found: dict[tuple[int, int, int, str, Stretches], int] = {}
    for corpus in people:
        spans = corpus.marks.get("spans")
        if spans is None or spans.columns or any(pair.aligned_by == "characters" for _, pair in run.pairs):
            return []
        rows = zip(
            spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), spans.labels.strings(), strict=True
        )
        for key in {(*row, spans.stretches.get(index, ())) for index, row in enumerate(rows)}:
            found[key] = found.get(key, 0) + 1
    kept = [key for key, number in found.items() if 2 * number > len(people)]
    sentence, begin, end = (np.array([key[place] for key in kept], dtype=np.int64) for place in range(3))
    stretches = {index: key[4] for index, key in enumerate(kept) if key[4]}
    labels, lines = Column.of(key[3] for key in kept), np.ones(len(kept), dtype=np.int64)
    gold = run.gold.with_marks(spans=Marks(sentence, begin, end, labels, lines, stretches).in_order()[0])
    pairs = []
    for name, pair in run.pairs:
        if name in systems:
            own, characters = spans_of(pair)[1], line_of(pair).atoms == "characters"
            claims = own.where(own.begin == NONE) if SHOWN in own.arguments else None
            pairs.append((name, with_spans(replace(pair, gold=gold), characters=characters, claims=claims)))
    return pairs
