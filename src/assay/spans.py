"""Scores of tag sequences with seqeval's names, arguments and numbers, for those who come from there.

from assay.spans import classification_report
print(classification_report(gold, system, mode="strict", scheme="IOB2"))

`gold` and `system` are lists of sentences, each a list of tags. Without a mode, tags are read leniently, as conlleval
and seqeval do; with mode="strict", spans that break the scheme do not count, as in seqeval's strict mode. Where
seqeval divides by zero it gives `zero_division`; everywhere else in assay that is nan. What cannot be scored is a
ValueError, as in seqeval. `sample_weight` has a weight for each sentence: its spans count so often. seqeval takes
such weights and makes no use of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from typing import Any, ParamSpec, TypeVar

import numpy as np

from assay.arrays import Bools, Floats, Ints, ids_of_runs
from assay.errors import AssayError, InputError, UsageError, unknown
from assay.formats.schemes import BEGIN, END, INSIDE, NO_LABEL, OUTSIDE, ROLES, Level, Scheme, find, whole

__all__ = [
    "TagsError",
    "accuracy_score",
    "classification_report",
    "f1_score",
    "get_entities",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]

P = ParamSpec("P")
R = TypeVar("R")
Tags = Sequence[Sequence[str]]
Weights = Sequence[float] | Floats | None
AVERAGES = ("micro", "macro", "weighted")
_HEADERS = ("precision", "recall", "f1-score", "support")
_NO_TYPE = "_"
"""seqeval's name for what has no label."""


class TagsError(AssayError, ValueError):
    """Tags or arguments that cannot be scored."""


def _with_value_errors(function: Callable[P, R]) -> Callable[P, R]:
    """The function, its refusals made what code written for seqeval catches."""

    @wraps(function)
    def called(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except AssayError as error:
            raise TagsError(str(error)) from None

    return called


# --- what users call ---


@_with_value_errors
def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Weights = None,
    zero_division: int | str = 0,
    scheme: object = None,
) -> str | dict[str, dict[str, float]]:
    """Precision, recall, F1 and number of gold spans per label and on average, as a table or a dictionary."""
    counts = _counts(y_true, y_pred, suffix, mode, scheme, sample_weight)
    zero = _zero(zero_division)
    rows = dict(zip(counts.labels, counts.of_labels(zero).tolist(), strict=True))
    averages = {f"{name} avg": counts.average(name, zero).tolist() for name in AVERAGES}
    if output_dict:
        named = {name: dict(zip(_HEADERS, values, strict=False)) for name, values in (rows | averages).items()}
        support = [*counts.gold.tolist(), *[counts.gold.sum().item()] * len(AVERAGES)]
        return {
            name: {**values, "support": size} for (name, values), size in zip(named.items(), support, strict=True)
        }
    return _table(rows, averages, counts.gold.tolist(), digits)


@_with_value_errors
def f1_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Weights = None,
    zero_division: int | str = 0,
    scheme: object = None,
) -> float | Floats:
    """F1 of spans; with average=None one number per label, labels in alphabetical order."""
    counts = _counts(y_true, y_pred, suffix, mode, scheme, sample_weight)
    return counts.score(2, average, _zero(zero_division))


@_with_value_errors
def precision_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Weights = None,
    zero_division: int | str = 0,
    scheme: object = None,
) -> float | Floats:
    """Precision of spans; with average=None one number per label, labels in alphabetical order."""
    counts = _counts(y_true, y_pred, suffix, mode, scheme, sample_weight)
    return counts.score(0, average, _zero(zero_division))


@_with_value_errors
def recall_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Weights = None,
    zero_division: int | str = 0,
    scheme: object = None,
) -> float | Floats:
    """Recall of spans; with average=None one number per label, labels in alphabetical order."""
    counts = _counts(y_true, y_pred, suffix, mode, scheme, sample_weight)
    return counts.score(1, average, _zero(zero_division))


@_with_value_errors
def precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    beta: float = 1.0,
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Weights = None,
    zero_division: int | str = 0,
    scheme: object = None,
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F and number of gold spans: four numbers, or with average=None four arrays over labels.

    F weighs recall beta times as much as precision.
    """
    counts = _counts(y_true, y_pred, suffix, mode, scheme, sample_weight)
    scores = [counts.score(which, average, _zero(zero_division), beta) for which in range(3)]
    return scores[0], scores[1], scores[2], counts.gold if average is None else counts.gold.sum()


@_with_value_errors
def accuracy_score(y_true: Tags | Sequence[str], y_pred: Tags | Sequence[str]) -> float:
    """The share of words that have gold's tag."""
    sides = [[side] if _is_flat(side) else side for side in (y_true, y_pred)]
    lengths = _lengths(*sides)
    total = sum(lengths)
    if not total:
        raise InputError("no words in it. Give one list of tags per sentence.")
    gold, system = (chain.from_iterable(side) for side in sides)
    return sum(a == b for a, b in zip(gold, system, strict=True)) / total


@_with_value_errors
def get_entities(seq: Tags | Sequence[str], suffix: bool = False) -> list[tuple[str, int, int]]:
    """The spans of a list of tags in the lenient reading: label, first word, last word, both counted from 0.

    In a list of sentences, words are counted on, and each end of a sentence is one more.
    """
    sentences: Any = [seq] if _is_flat(seq) else seq
    known = _Codes()
    codes = _flattened(sentences, known)
    read = _reader(known, None, list(map(len, sentences)), suffix)
    found = read(codes)
    columns = (found.label.tolist(), found.begin.tolist(), found.last.tolist())
    return [(found.names[label], begin, last) for label, begin, last in zip(*columns, strict=True)]


# --- counts and scores ---


@dataclass(frozen=True, eq=False)
class _Counts:
    """Per label, in alphabetical order: spans that are right, spans of the system, spans of gold.

    Whole numbers, unless sentences have weights.
    """

    labels: tuple[str, ...]
    right: Ints | Floats
    system: Ints | Floats
    gold: Ints | Floats

    def of_labels(self, zero: float, beta: float = 1.0) -> Floats:
        """Labels × (precision, recall, F)."""
        return _scores(self.right, self.system, self.gold, zero, beta)

    def average(self, name: str, zero: float, beta: float = 1.0) -> Floats:
        """Precision, recall and F, averaged."""
        if name == "micro":
            sums = [np.atleast_1d(counts.sum()) for counts in (self.right, self.system, self.gold)]
            return np.asarray(_scores(sums[0], sums[1], sums[2], zero, beta)[0])
        each = self.of_labels(zero, beta)
        if name == "macro":
            return each.mean(axis=0) if len(each) else np.full(3, np.nan)
        if not self.gold.sum():
            unless_found = 0.0 if self.system.sum() else zero
            return np.array([unless_found, zero, unless_found])
        return np.array([np.average(column, weights=self.gold) for column in each.T])

    def score(self, which: int, average: str | None, zero: float, beta: float = 1.0) -> float | Floats:
        """One score: a number, or a number per label where no average is asked for."""
        if not beta >= 0:
            raise UsageError(f"beta is 0 or more, not {beta}.")
        if average is None:
            return np.asarray(self.of_labels(zero, beta)[:, which])
        if average not in AVERAGES:
            raise unknown("average", str(average), AVERAGES)
        return float(self.average(average, zero, beta)[which])


def _scores(right: Ints | Floats, system: Ints | Floats, gold: Ints | Floats, zero: float, beta: float) -> Floats:
    precision, recall = (
        np.where(count == 0, zero, right / np.where(count == 0, 1, count)) for count in (system, gold)
    )
    if np.isposinf(beta):
        return np.stack([precision, recall, recall], axis=1)
    total = beta**2 * precision + recall
    f = (1 + beta**2) * precision * recall / np.where(total == 0, 1, total)
    return np.stack([precision, recall, f], axis=1)


def _counts(
    y_true: Tags, y_pred: Tags, suffix: bool, mode: str | None, scheme: object, sample_weight: Weights
) -> _Counts:
    if _is_flat(y_true) or _is_flat(y_pred):
        raise InputError("a list of tags where a list of sentences, each a list of tags, is meant.")
    lengths = _lengths(y_true, y_pred)
    known = _Codes()
    sides = [_flattened(side, known) for side in (y_true, y_pred)]
    read = _reader(known, _strict_scheme(mode, scheme), lengths, suffix)
    gold, system = map(read, sides)
    right = system.among(gold)
    names = gold.names
    weights = None if sample_weight is None else _checked_weights(sample_weight, len(lengths))
    # An O behind each sentence is counted with it.
    ends = np.cumsum(np.array(lengths, dtype=np.int64) + 1)

    def sizes(found: _Entities, chosen: Bools | slice) -> Ints | Floats:
        label = found.label[chosen]
        weight = None if weights is None else weights[np.searchsorted(ends, found.last[chosen], "right")]
        return np.bincount(label, weight, minlength=len(names))

    everything = slice(None)
    present = np.unique(np.concatenate([gold.label, system.label]))
    order = sorted(present.tolist(), key=names.__getitem__)
    counts = [sizes(system, right), sizes(system, everything), sizes(gold, everything)]
    return _Counts(tuple(names[code] for code in order), *(size[order] for size in counts))


def _checked_weights(given: Sequence[float] | Floats, sentences: int) -> Floats:
    """A weight for each sentence."""
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.full(1, np.nan)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise UsageError("sample_weight has numbers from 0 on, one for each sentence.")
    if weights.shape != (sentences,):
        raise UsageError(
            f"sample_weight has {weights.size:,} numbers for {sentences:,} sentences. Give one for each."
        )
    return weights


def _strict_scheme(mode: str | None, scheme: object) -> Scheme | None:
    """The scheme of the strict mode; None for the lenient reading, which needs no scheme."""
    if mode is None:
        return None
    if mode != "strict":
        raise unknown("mode", str(mode), ("strict",))
    if scheme is None:
        raise UsageError("mode='strict' needs a scheme, e.g. scheme='IOB2'.")
    chosen = find(scheme if isinstance(scheme, str) else getattr(scheme, "__name__", type(scheme).__name__))
    if chosen.name == "stacked":
        raise UsageError("stacked tags are not flat. Read them from a file: assay score --scheme stacked")
    return chosen


def _zero(zero_division: int | str) -> float:
    if zero_division not in (0, 1, "warn"):
        raise UsageError(f"zero_division is 0 or 1, not {zero_division!r}.")
    return 1.0 if zero_division == 1 else 0.0


# --- lists of tags ---


class _Codes(dict[str, int]):
    """Tags to codes; a new tag gets the next code when it is looked up."""

    def __missing__(self, tag: str) -> int:
        if not isinstance(tag, str) or not tag:
            raise InputError(f"{tag!r} where a tag is meant, e.g. 'B-PER' or 'O'.")
        code = self[tag] = len(self)
        return code


def _is_flat(tags: Sequence[Any]) -> bool:
    return any(isinstance(sentence, str) for sentence in tags[:1])


def _lengths(y_true: Sequence[Any], y_pred: Sequence[Any]) -> list[int]:
    """The lengths of the sentences, which are the same on both sides."""
    gold, system = list(map(len, y_true)), list(map(len, y_pred))
    if len(gold) != len(system):
        raise InputError(
            f"{len(gold):,} sentences in gold and {len(system):,} in the system. Give the same sentences."
        )
    if gold != system:
        number = next(i for i, (a, b) in enumerate(zip(gold, system, strict=True)) if a != b)
        raise InputError(
            f"sentence {number + 1} has {gold[number]:,} tags in gold and {system[number]:,} in the system. "
            "Give one tag per word on both sides."
        )
    return gold


def _flattened(sentences: Iterable[Sequence[str]], known: _Codes) -> Ints:
    return np.fromiter(map(known.__getitem__, chain.from_iterable(sentences)), dtype=np.int32)


# --- readings ---


@dataclass(frozen=True, eq=False)
class _Entities:
    """Spans by their last word: no two of one side share it."""

    last: Ints
    begin: Ints
    label: Ints
    names: tuple[str, ...]

    def among(self, others: _Entities) -> Bools:
        """Which of the spans are among the others too."""
        if not len(others.last) or not len(self.last):
            return np.zeros(len(self.last), dtype=bool)
        number = np.full(max(int(self.last[-1]), int(others.last[-1])) + 1, -1, dtype=np.int32)
        number[others.last] = np.arange(len(others.last))
        other = number[self.last]
        same = (others.begin[other] == self.begin) & (others.label[other] == self.label)
        return np.asarray(same & (other >= 0))


def _reader(
    known: _Codes, scheme: Scheme | None, lengths: Sequence[int], suffix: bool
) -> Callable[[Ints], _Entities]:
    """The reading of tags of sentences of these lengths: strict in a scheme, lenient without one."""
    # An O behind each sentence ends what is open; words are counted with it, as seqeval counts them.
    outside = known["O"]
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    place = np.arange(starts[-1]) + ids_of_runs(starts)
    size = int(starts[-1]) + len(lengths)
    types: dict[str, int] = {}
    if scheme is None:
        kinds, labels = _lenient_tags(known, suffix, types)
    else:
        kinds, labels = _strict_tags(known, suffix, scheme, types)
    names = tuple(types)

    def read(codes: Ints) -> _Entities:
        padded = np.full(size, outside, dtype=np.intp)
        padded[place] = codes
        kind, label = kinds[padded], labels[padded]
        last, begin = _lenient(kind, label) if scheme is None else _strict(kind, label, scheme)
        return _Entities(last, begin, label[last], names)

    return read


# What a tag's letter does in the lenient reading; any other letter begins a span only where the label is new.
_DOT, _OTHER = 5, 6
_LETTERS = {"O": OUTSIDE, "B": BEGIN, "I": INSIDE, "E": END, "S": ROLES["S"], ".": _DOT}


def _lenient_tags(known: _Codes, suffix: bool, types: dict[str, int]) -> tuple[Ints, Ints]:
    """The letter and label of each tag; a tag without a hyphen is a letter and a label all the same."""
    kinds = [_LETTERS.get(tag[-1 if suffix else 0], _OTHER) for tag in known]
    if suffix:
        named = [tag[:-1].rpartition("-")[0] if "-" in tag[:-1] else tag[:-1] for tag in known]
    else:
        named = [tag[1:].partition("-")[2] if "-" in tag[1:] else tag[1:] for tag in known]
    labels = [types.setdefault(name or _NO_TYPE, len(types)) for name in named]
    return np.array(kinds, dtype=np.int8), np.array(labels, dtype=np.int32)


def _transitions() -> tuple[Bools, Bools]:
    """For each kind of tag, the kind before it and whether both have one label: does a span end, does one begin?"""
    single = ROLES["S"]
    ends = np.zeros((7, 7, 2), dtype=bool)
    begins = np.zeros((7, 7, 2), dtype=bool)
    ends[[END, single]] = True
    ends[np.ix_([BEGIN, INSIDE], [BEGIN, single, OUTSIDE])] = True
    ends[[BEGIN, INSIDE, END, single, _OTHER], :, 0] = True
    begins[:, [BEGIN, single]] = True
    begins[np.ix_([END, single, OUTSIDE], [END, INSIDE])] = True
    begins[:, [BEGIN, INSIDE, END, single, _OTHER], 0] = True
    return ends.ravel(), begins.ravel()


_ENDS, _BEGINS = _transitions()


def _lenient(kind: Ints, label: Ints) -> tuple[Ints, Ints]:
    """The last and first words of spans as conlleval finds them.

    A tag that ends a span where none was begun, which letters outside all schemes can do, ends one that reaches
    back to where the latest began: seqeval counts it so.
    """
    kind = np.concatenate([[OUTSIDE], kind]).astype(np.intp)
    # The first tag is compared with nothing, which differs from every label.
    same = np.zeros(len(label), dtype=bool)
    same[1:] = label[1:] == label[:-1]
    transition = (kind[:-1] * 7 + kind[1:]) * 2 + same
    last = np.flatnonzero(_ENDS[transition]) - 1
    begun = np.where(_BEGINS[transition], np.arange(len(label)), 0)
    return last, np.maximum.accumulate(begun)[last]


def _strict_tags(known: _Codes, suffix: bool, scheme: Scheme, types: dict[str, int]) -> tuple[Ints, Ints]:
    kinds, labels = [], []
    for tag in known:
        letter, rest = (tag[-1], tag[:-1]) if suffix else (tag[0], tag[1:])
        if letter not in ("O", *scheme.letters):
            letters = ", ".join(scheme.letters)
            raise InputError(
                f"tag {tag!r} with the prefix {letter!r}, which {scheme.title} does not have ({letters}; O outside)."
            )
        kinds.append(ROLES.get(letter, OUTSIDE))
        labels.append(NO_LABEL if letter == "O" else types.setdefault(rest.strip("-") or _NO_TYPE, len(types)))
    return np.array(kinds, dtype=np.int8), np.array(labels, dtype=np.int32)


def _strict(kind: Ints, label: Ints, scheme: Scheme) -> tuple[Ints, Ints]:
    """The last and first words of the spans that seqeval's strict mode lets count."""
    level = Level(kind, label, np.zeros(len(kind) + 1, dtype=bool))
    first, end = level.spans()
    if scheme.name == "iob1":
        first, keep = _strict_iob1(level, first, end)
    elif scheme.name == "ioe1":
        keep = _strict_ioe1(level, first, end)
    else:
        keep = whole(first, end, level.reread(scheme))
    return end[keep] - 1, first[keep]


def _strict_iob1(level: Level, first: Ints, end: Ints) -> tuple[Ints, Bools]:
    """A B that follows no span of its label is passed over, and what follows it is a span of its own.

    A span of nothing but B does not count before a B of another label.
    """
    stray = np.equal(level.role[first], BEGIN) & ~level.touches[first]
    first = first + stray
    alone = np.equal(level.role[end - 1], BEGIN)
    before_other = np.equal(level.role[end], BEGIN) & ~level.touches[end]
    return first, (first < end) & ~(alone & before_other)


def _strict_ioe1(level: Level, first: Ints, end: Ints) -> Bools:
    """E ends a span only before a span of its label, and is a span by itself only behind another such E."""
    lonely = np.equal(level.role[first], END) & ~(level.touches[first] & np.equal(level.role[first - 1], END))
    stray = np.equal(level.role[end - 1], END) & ~level.touches[end]
    return ~lonely & ~stray


# --- the table ---


def _table(rows: dict[str, Any], averages: dict[str, Any], support: list[float], digits: int) -> str:
    width = max(*map(len, rows), *map(len, averages), digits)
    lines = [f"{'':>{width}s} " + "".join(f" {header:>9}" for header in _HEADERS), ""]

    def line(name: str, values: Sequence[float], size: float) -> str:
        return f"{name:>{width}s} " + "".join(f" {value:>9.{digits}f}" for value in values) + f" {size:>9}"

    lines += [line(name, values, size) for (name, values), size in zip(rows.items(), support, strict=True)]
    lines += ["", *(line(name, values, sum(support)) for name, values in averages.items()), ""]
    return "\n".join(lines)
