"""Known words: what training data or a dictionary has becomes a column of the corpora compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.classes import dataclass
from assay.corpus import SPANS, Column, Corpus, Marks, one_vocabulary
from assay.engine.items import Items
from assay.engine.spanpairs import Line, spans_of
from assay.engine.warnings import Remark, remark
from assay.errors import InputError, UsageError, unknown
from assay.formats import Input
from assay.formats.source import Source, list_files

Bands = Sequence[tuple[int, str]]
"""Bands of values: the highest value of each, and its name."""
BANDS = ((0, "0"), (1, "1"), (5, "2-5"), (20, "6-20"), (100, "21-100"), (1000, "101-1000"))


KNOWN = ("unseen", "seen", "seen with other labels")
_SOURCES = ("train", "lexicon")
_DISTINCT = 3
"""So many different words hardly are all new."""


@dataclass(frozen=True)
class Lexicon:
    """Word forms with their frequencies and, if the file has labels, the labels each was seen with."""

    path: str
    frequency: dict[str, int]
    labels: frozenset[tuple[str, str]] | None
    fold: bool
    counted: bool = False
    """True if the file is a list of words with their counts."""

    @classmethod
    def read(
        cls,
        path: str,
        column: str,
        *,
        fold: bool = False,
        input_format: str | None = None,
        labels: Callable[[Corpus], Corpus] = lambda corpus: corpus,
    ) -> Lexicon:
        """From a list of words, one per line, with or without counts, or from an annotated file, whose labels go
        through `labels`.
        """
        key: Callable[[str], str] = str.casefold if fold else str
        listed = cls.read_list(path, fold=fold, is_list=_is_word_list)
        if listed is not None:
            return listed
        corpus = Input(path, input_format=input_format, wanted=[column]).read([column])
        corpus = labels(replace(corpus, columns={column: next(iter(corpus.columns.values()))}))
        frequency: Counter[str] = Counter()
        for form, count in corpus.forms.counts().items():
            frequency[key(form)] += count
        labelled = corpus.column(column)
        pairs = set(zip(corpus.forms.codes.tolist(), labelled.codes.tolist(), strict=True))
        seen = {(key(corpus.forms.vocabulary[form]), labelled.vocabulary[label]) for form, label in pairs}
        return cls(path, dict(frequency), frozenset(seen), fold)

    @classmethod
    def read_list(
        cls, path: str, *, fold: bool, is_list: Callable[[Sequence[str]], bool], blanks: bool = False
    ) -> Lexicon | None:
        """From a list, one entry per line, in which `blanks` may be; None if the file is no list."""
        files = list_files(path)
        head = Source(files[0]).head() if len(files) == 1 else []
        pattern = _counted_lines(head, blanks)
        if not head or not (pattern or is_list([line for line in head if line.strip()])):
            return None
        key: Callable[[str], str] = str.casefold if fold else str
        frequency: Counter[str] = Counter()
        for batch in Source(files[0]).batches():
            for number, line in batch.lines():
                match = pattern.fullmatch(line) if pattern else None
                if pattern and not match and line.strip() and number > 1:
                    raise InputError(f"{path}:{number}: {line.strip()!r}, but other lines are a word and its count.")
                word = (match["word"] or "") if match else "" if pattern else line
                if match and len(word) > 2 and word[0] == word[-1] == '"':
                    word = word[1:-1].replace('""', '"')
                if words := word.split():
                    frequency[key(" ".join(words))] += int(match["count"]) if match else 1
        return cls(path, dict(frequency), None, fold, counted=pattern is not None)

    def mark_words(self, corpus: Corpus, name: str, column: str) -> Corpus:
        """The corpus with a column `name` that says of each word: seen, unseen, or seen with other labels only."""
        forms = [form.casefold() if self.fold else form for form in corpus.forms.vocabulary]
        known = np.array([form in self.frequency for form in forms], dtype=bool)[corpus.forms.codes]
        codes = known.astype(np.int32)
        if self.labels is not None:
            labels = corpus.column(column)
            width = len(labels.vocabulary)
            distinct, inverse = np.unique(
                corpus.forms.codes.astype(np.int64) * width + labels.codes, return_inverse=True
            )
            new = [
                (forms[key // width], labels.vocabulary[key % width]) not in self.labels for key in distinct.tolist()
            ]
            codes[np.array(new, dtype=bool)[inverse] & known] = 2
        columns = {**corpus.columns, name: Column(codes, KNOWN)}
        if name == "train" and (self.labels is not None or self.counted):
            columns["frequency"] = frequency_bands(Column(corpus.forms.codes, tuple(forms)), self.frequency)
        return replace(corpus, columns=columns)


def find_bands(values: Ints, bands: Bands) -> Ints:
    """The band of each value, by the highest value of each; one more for higher ones."""
    return np.searchsorted([upper for upper, _ in bands], values, side="left")


def frequency_bands(column: Column, frequency: dict[str, int]) -> Column:
    """Each word's band of frequency."""
    values = np.array([frequency.get(form, 0) for form in column.vocabulary])
    return Column(find_bands(values, BANDS)[column.codes], (*(name for _, name in BANDS), "over 1000"))


def _counted_lines(head: Sequence[str], blanks: bool) -> re.Pattern[str] | None:
    """The pattern of lines with a word and its count, first as `uniq -c` has it, or last; None if no pattern fits.

    Each word is there once, and a first line may name the columns. If entries may have `blanks`, a number after one
    is no count.
    """
    lines = head[:-1] if head and not head[-1].strip() else head
    word, last = (r"[^\t]*\S", r"[\t,;]") if blanks else (r"\S+", r"[ \t,;]")
    for text in (
        rf'\s*(?P<count>\d{{1,15}})[ \t,;](?P<word>"[^\t]+"|{word})?',
        rf'(?P<word>"[^\t]+"|{word}){last}(?P<count>\d{{1,15}})\s*',
    ):
        pattern = re.compile(text)
        matches = [pattern.fullmatch(line) for line in lines]
        words = [match["word"] for match in matches if match]
        if len(words) > 1 and None not in matches[1:] and len({*words}) == len(words):
            return pattern
    return None


def check_known(lexicon: Lexicon, gold: Corpus, option: str) -> Remark:
    """A remark on how many of gold's words or spans are known, by the column of the option."""
    columns = gold.spans.columns if SPANS in gold.marks else gold.columns
    words = {} if SPANS in gold.marks else dict.fromkeys(gold.forms.vocabulary[:_DISTINCT], True)
    known = int((columns[option].codes > 0).sum())
    return nothing_known(option=option, path=lexicon.path, words=words, known=known)


@remark
def read_with_counts(option: str, path: str) -> Iterator[str]:
    """A list in which numbers are counts, not words or labels."""
    yield f"--{option} {path}: read as a list with counts."


@remark
def nothing_known(option: str, path: str, words: Mapping[str, bool], known: int) -> Iterator[str]:
    """Training data or a dictionary that has nothing of gold: an error for words, which hardly are all new."""
    if known:
        return
    fact = f"--{option} {path}: contains no word of gold"
    if len(words) >= _DISTINCT:
        raise InputError(f"{fact}. Give training data, or a list with a word per line, with or without its count.")
    yield f"{fact}, so all count as unseen."


def _is_word_list(head: Sequence[str]) -> bool:
    """Lines without tabs, hardly any of more than one word."""
    if any("\t" in line for line in head):
        return False
    return sum(len(line.split()) > 1 for line in head) <= len(head) // 10


# --- known words of a pair ---


def known_words(pair: Pair, items: Items, source: str, wanted_by: str) -> tuple[Ints, tuple[str, ...]]:
    """For each item, seen or unseen in `--train` or `--lexicon` (the first that was given, if none is named)."""
    if source and source not in _SOURCES:
        raise unknown("source of words", source, _SOURCES)
    given = [name for name in _SOURCES if name in _sides_with(pair, name)[0].columns]
    name = source or (given[0] if given else "train")
    if name not in given:
        raise UsageError(f"{wanted_by} needs a list of known words: --{name} FILE")
    return code_attribute(pair, items, name)


def _sides_with(pair: Pair, column: str) -> Sequence[Corpus | Marks]:
    """Gold's and the system's marks that have a column of this name, or their spans, or words."""
    others = (pair.gold, pair.system) if pair.layer(Line) is None else spans_of(pair)
    # What refers to spans comes after them.
    layers = reversed([*pair.marks.values()])
    return next((sides for sides in layers if column in sides[0].columns), others)


def code_attribute(pair: Pair, items: Items, name: str) -> tuple[Ints, tuple[str, ...]]:
    """A column's value per item, from gold or, for a spurious item, from the system; as codes."""
    vocabulary, (gold, system) = one_vocabulary([side.columns[name] for side in _sides_with(pair, name)])
    return items.of_sides(gold, system), vocabulary
