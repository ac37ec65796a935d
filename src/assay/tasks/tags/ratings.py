"""The words of all annotators as items with a label from each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.align import Text
from assay.arrays import Bools, Ints
from assay.corpus import KEPT, Column, Corpus, one_vocabulary
from assay.corpus.ratings import Ratings, WordNames, no_text, sort_labels
from assay.engine.prepare import Run


def rate_words(run: Run, names: Sequence[str], column: str) -> Ratings:
    """Labels of the words that annotators have in common, because they cover the same characters.

    `names` are the annotators, and the first is in the place of gold; words without a label have no rating.
    """
    corpora = [run.gold, *(pair.system for _, pair in run.pairs)]
    kept = [~run.skipped]
    for _, pair in run.pairs:
        mask = np.zeros(pair.system.sentences, dtype=bool)
        mask[pair.system.sentence_of[pair.system_sentence >= 0]] = True
        kept.append(mask)
    if any(pair.aligned_by == "characters" for _, pair in run.pairs):
        keyed = [_key_words(corpus, mask) for corpus, mask in zip(corpora, kept, strict=True)]
        joint = sorted({key for keys, _ in keyed for key in keys})
        place = {key: number for number, key in enumerate(joint)}
        items = [np.array([place[key] for key in keys], dtype=np.int64) for keys, _ in keyed]
        words = [word for _, word in keyed]
        # Each item is named by a word of the first annotator who has it.
        first: dict[int, tuple[int, int]] = {}
        for number, columns in enumerate(zip(items, words, strict=True)):
            for item, word in zip(*(column.tolist() for column in columns), strict=True):
                first.setdefault(item, (number, word))
        gold_sentence = [run.gold.sentence_of, *(pair.system_sentence for _, pair in run.pairs)]
        firsts = [first[item] for item in range(len(joint))]
        sentence = np.array([gold_sentence[number][word] for number, word in firsts], dtype=np.int64)
        named: Sequence[str] = [
            f"{run.gold.sentence_ids[sentence[item]]}:{'-'.join(map(str, joint[item][:2]))} "
            f"{corpora[number].forms[word]}"
            for item, (number, word) in enumerate(firsts)
        ]
    else:
        gold_words = np.flatnonzero(kept[0][run.gold.sentence_of])
        item_of = np.full(len(run.gold), -1, dtype=np.int64)
        item_of[gold_words] = np.arange(len(gold_words))
        words = [gold_words, *(pair.system_words for _, pair in run.pairs)]
        items = [np.arange(len(gold_words)), *(item_of[pair.gold_words] for _, pair in run.pairs)]
        named = WordNames(run.gold, gold_words)
        sentence = run.gold.sentence_of[gold_words].astype(np.int64)
    labels, codes = one_vocabulary([corpus.column(column) for corpus in corpora])
    rows = []
    for number, (corpus, item, word) in enumerate(zip(corpora, items, words, strict=True)):
        left_out = corpus.unlabelled(column)
        if KEPT in corpus.columns:
            left_out = left_out | ~corpus.columns[KEPT].isin([KEPT])
        labelled = ~left_out[word] & (item >= 0)
        rows.append((item[labelled], np.full(int(labelled.sum()), number), codes[number][word[labelled]]))
    item, annotator, label = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    seen = sort_labels({labels[code] for code in np.unique(label).tolist()})
    place_of = {name: place for place, name in enumerate(seen)}
    order = np.array([place_of.get(name, -1) for name in labels], dtype=np.int64)
    ranks = np.argsort(np.argsort(names))
    by_item = np.lexsort((ranks[annotator], item))
    sentence_column = Column(sentence.astype(np.int32), tuple(run.gold.sentence_ids))
    return Ratings(
        named,
        tuple(sorted(names)),
        tuple(seen),
        item[by_item],
        ranks[annotator][by_item],
        order[label[by_item]],
        unit=run.gold.unit_of_sentence(run.unit)[sentence],
        units=run.gold.names_of_units(run.unit),
        noun="word",
        unit_noun=run.unit,
        columns={"sentence": sentence_column},
        text_of=named.text if isinstance(named, WordNames) else no_text,
    )


def _key_words(corpus: Corpus, kept: Bools) -> tuple[list[tuple[int, int, str, int]], Ints]:
    """Keys of words, and the words: their characters; in multiword tokens, which share them, also form and number."""
    places = Text(corpus).spans(kept)
    keys: list[tuple[int, int, str, int]] = []
    seen: dict[tuple[int, int, str], int] = {}
    for word, begin, end, multi in zip(
        places.words.tolist(), places.begin.tolist(), places.end.tolist(), places.multi.tolist(), strict=True
    ):
        form = corpus.forms[word].lower() if multi else ""
        number = seen[begin, end, form] = seen.get((begin, end, form), -1) + 1
        keys.append((begin, end, form, number))
    return keys, places.words
