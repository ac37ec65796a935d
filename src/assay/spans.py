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
from functools import wraps
from itertools import chain
from typing import Any, ParamSpec, TypedDict, TypeVar, Unpack

import numpy as np

from assay.arrays import Floats, Ints, ids_of_runs
from assay.errors import AssayError, InputError, UsageError, unknown
from assay.formats.schemes import (
    BEGIN,
    END,
    INSIDE,
    NO_LABEL,
    OUTSIDE,
    ROLES,
    Level,
    Scheme,
    find_scheme,
    mask_whole_spans,
)

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
_Spans = tuple[Ints, Ints, Ints]
"""Last word, first word and label of spans by their last words: no two of one side share it."""


class ScoreOptions(TypedDict, total=False):
    """ScoreOptions of all scores."""

    suffix: bool
    """True if the letter of a tag is its last character. Default: False."""
    mode: str | None
    """None, or `strict` with a scheme."""
    sample_weight: Weights
    zero_division: int | str
    """The score if there is nothing to divide by: 0 (default) or 1."""
    scheme: object


class TagsError(AssayError, ValueError):
    """Tags or arguments that cannot be scored."""


def _with_value_errors(function: Callable[P, R]) -> Callable[P, R]:
    """The function with errors that code written for seqeval catches."""

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
    options: ScoreOptions = {"suffix": suffix, "mode": mode, "sample_weight": sample_weight, "scheme": scheme}
    options["zero_division"] = zero_division
    labels, counts = _count(y_true, y_pred, options)
    names = [*labels, *(f"{name} avg" for name in AVERAGES)]
    scores = np.stack(_scores(counts, None, options), axis=1).tolist()
    scores += [_scores(counts, name, options) for name in AVERAGES]
    support = [*counts[2].tolist(), *[counts[2].sum().item()] * len(AVERAGES)]
    if output_dict:
        rows = zip(names, scores, support, strict=True)
        return {name: dict(zip(_HEADERS, (*row, size), strict=True)) for name, row, size in rows}
    width = max(*map(len, names), digits)
    lines = [
        f"{name:>{width}s} " + "".join(f" {score:>9.{digits}f}" for score in row) + f" {size:>9}"
        for name, row, size in zip(names, scores, support, strict=True)
    ]
    header = f"{'':>{width}s} " + "".join(f" {header:>9}" for header in _HEADERS)
    return "\n".join([header, "", *lines[: len(labels)], "", *lines[len(labels) :], ""])


@_with_value_errors
def f1_score(
    y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Unpack[ScoreOptions]
) -> float | Floats:
    """F1 of spans; with average=None one number per label, labels in alphabetical order."""
    return _scores(_count(y_true, y_pred, options)[1], average, options)[2]


@_with_value_errors
def precision_score(
    y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Unpack[ScoreOptions]
) -> float | Floats:
    """Precision of spans; with average=None one number per label, labels in alphabetical order."""
    return _scores(_count(y_true, y_pred, options)[1], average, options)[0]


@_with_value_errors
def recall_score(
    y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Unpack[ScoreOptions]
) -> float | Floats:
    """Recall of spans; with average=None one number per label, labels in alphabetical order."""
    return _scores(_count(y_true, y_pred, options)[1], average, options)[1]


@_with_value_errors
def precision_recall_fscore_support(
    y_true: Tags, y_pred: Tags, *, average: str | None = None, beta: float = 1.0, **options: Unpack[ScoreOptions]
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F and number of gold spans: four numbers, or with average=None four arrays over labels.

    F weighs recall beta times as much as precision.
    """
    _, counts = _count(y_true, y_pred, options)
    scores = _scores(counts, average, options, beta)
    return scores[0], scores[1], scores[2], counts[2] if average is None else counts[2].sum()


@_with_value_errors
def accuracy_score(y_true: Tags | Sequence[str], y_pred: Tags | Sequence[str]) -> float:
    """Share of words with gold's tag."""
    sides = [[side] if _is_flat(side) else side for side in (y_true, y_pred)]
    lengths = _lengths(*sides)
    total = sum(lengths)
    if not total:
        raise InputError("contains no words. Give one list of tags per sentence.")
    gold, system = (chain.from_iterable(side) for side in sides)
    return sum(a == b for a, b in zip(gold, system, strict=True)) / total


@_with_value_errors
def get_entities(seq: Tags | Sequence[str], suffix: bool = False) -> list[tuple[str, int, int]]:
    """The spans of a list of tags in the lenient reading: label, first word, last word, both counted from 0.

    In a list of sentences, words are counted on, and each end of a sentence is one more.
    """
    sentences: Any = [seq] if _is_flat(seq) else seq
    names, [(last, begin, label)] = _read([sentences], list(map(len, sentences)), {"suffix": suffix})
    columns = (label.tolist(), begin.tolist(), last.tolist())
    return [(names[code], first, end) for code, first, end in zip(*columns, strict=True)]


# --- counts and scores ---


def _count(y_true: Tags, y_pred: Tags, options: ScoreOptions) -> tuple[tuple[str, ...], list[Ints | Floats]]:
    """Labels in alphabetical order, and the number of right spans, of the system's and of gold's for each of them.

    The numbers are whole, unless sentences have weights.
    """
    if unknown_names := options.keys() - ScoreOptions.__annotations__:
        raise TypeError(f"unexpected keyword argument {sorted(unknown_names)[0]!r}")
    if _is_flat(y_true) or _is_flat(y_pred):
        raise InputError("expected a list of sentences, each a list of tags, but got one list of tags.")
    lengths = _lengths(y_true, y_pred)
    names, [gold, system] = _read([y_true, y_pred], lengths, options)
    _, ours, theirs = np.intersect1d(gold[0], system[0], assume_unique=True, return_indices=True)
    same = (gold[1][ours] == system[1][theirs]) & (gold[2][ours] == system[2][theirs])
    right = [column[ours[same]] for column in gold]
    weights = None
    if (given := options.get("sample_weight")) is not None:
        try:
            weights = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            weights = np.full(1, np.nan)
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise UsageError("sample_weight: give a number of at least 0 for each sentence.")
        if weights.shape != (len(lengths),):
            raise UsageError(
                f"sample_weight has {weights.size:,} numbers for {len(lengths):,} sentences. Give one for each."
            )
    # An O after each sentence is counted with it.
    ends = np.cumsum(np.array(lengths, dtype=np.int64) + 1)
    present = np.unique(np.concatenate([gold[2], system[2]]))
    order = sorted(present.tolist(), key=names.__getitem__)
    counts: list[Ints | Floats] = []
    for last, _, label in (right, system, gold):
        weight = None if weights is None else weights[np.searchsorted(ends, last, "right")]
        counts.append(np.bincount(label, weight, minlength=len(names))[order])
    return tuple(names[code] for code in order), counts


def _scores(
    counts: Sequence[Ints | Floats], average: str | None, options: ScoreOptions, beta: float = 1.0
) -> list[float | Floats]:
    """Precision, recall and F: numbers, or arrays over labels if there is no average."""
    zero_division = options.get("zero_division", 0)
    if zero_division not in (0, 1, "warn"):
        raise UsageError(f"zero_division: expected 0 or 1, but got {zero_division!r}.")
    zero = 1.0 if zero_division == 1 else 0.0
    if not beta >= 0:
        raise UsageError(f"beta: expected 0 or more, but got {beta}.")
    if average not in (None, *AVERAGES):
        raise unknown("average", str(average), AVERAGES)
    right, system, gold = [np.atleast_1d(count.sum()) for count in counts] if average == "micro" else counts
    precision, recall = (
        np.where(count == 0, zero, right / np.where(count == 0, 1, count)) for count in (system, gold)
    )
    f = recall
    if not np.isposinf(beta):
        total = beta**2 * precision + recall
        f = (1 + beta**2) * precision * recall / np.where(total == 0, 1, total)
    if average is None:
        return [precision, recall, f]
    if average == "weighted":
        unless_found = 0.0 if system.sum() else zero
        if not gold.sum():
            return [unless_found, zero, unless_found]
        return [float(np.average(each, weights=gold)) for each in (precision, recall, f)]
    each: Floats = np.stack([precision, recall, f], axis=1)
    return list(map(float, each.mean(axis=0) if len(each) else np.full(3, np.nan)))


# --- lists of tags ---


class _Codes(dict[str, int]):
    """Tags to codes; a new tag gets the next code when it is looked up."""

    def __missing__(self, tag: str) -> int:
        if not isinstance(tag, str) or not tag:
            raise InputError(f"expected a tag, e.g. 'B-PER' or 'O', but got {tag!r}.")
        code = self[tag] = len(self)
        return code


def _is_flat(tags: Sequence[Any]) -> bool:
    return any(isinstance(sentence, str) for sentence in tags[:1])


def _lengths(y_true: Sequence[Any], y_pred: Sequence[Any]) -> list[int]:
    """Lengths of the sentences; InputError if they differ between the sides."""
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


# --- readings ---

# What a tag's letter does in the lenient reading; any other letter begins a span only where the label is new.
_SINGLE, _DOT, _OTHER = ROLES["S"], 5, 6
_LETTERS = {"O": OUTSIDE, "B": BEGIN, "I": INSIDE, "E": END, "S": _SINGLE, ".": _DOT}
# For each kind of tag, the kind before it and whether both have one label: does a span end, does one begin?
_ENDS, _BEGINS = np.zeros((2, 7, 7, 2), dtype=bool)
_ENDS[[END, _SINGLE]] = True
_ENDS[np.ix_([BEGIN, INSIDE], [BEGIN, _SINGLE, OUTSIDE])] = True
_ENDS[[BEGIN, INSIDE, END, _SINGLE, _OTHER], :, 0] = True
_BEGINS[:, [BEGIN, _SINGLE]] = True
_BEGINS[np.ix_([END, _SINGLE, OUTSIDE], [END, INSIDE])] = True
_BEGINS[:, [BEGIN, INSIDE, END, _SINGLE, _OTHER], 0] = True


def _read(
    sides: Sequence[Tags], lengths: Sequence[int], options: ScoreOptions
) -> tuple[tuple[str, ...], list[_Spans]]:
    """The labels, and the spans of each side: strict in a scheme, lenient without a mode."""
    mode, scheme = options.get("mode"), options.get("scheme")
    known = _Codes()
    coded = [np.fromiter(map(known.__getitem__, chain.from_iterable(side)), dtype=np.int32) for side in sides]
    # An O after each sentence ends what is open; words are counted with it, as seqeval counts them.
    outside = known["O"]
    chosen = None
    if mode is not None:
        if mode != "strict":
            raise unknown("mode", str(mode), ("strict",))
        if scheme is None:
            raise UsageError("mode='strict' needs a scheme, e.g. scheme='IOB2'.")
        name = scheme if isinstance(scheme, str) else getattr(scheme, "__name__", type(scheme).__name__)
        chosen = find_scheme(name)
        if chosen.name == "stacked":
            raise UsageError("stacked tags are not flat. Read them from a file: assay score --scheme stacked")
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    place = np.arange(starts[-1]) + ids_of_runs(starts)
    names, kinds, labels = _split_tags(known, bool(options.get("suffix")), chosen)
    found = []
    for codes in coded:
        padded = np.full(int(starts[-1]) + len(lengths), outside, dtype=np.intp)
        padded[place] = codes
        kind, label = kinds[padded], labels[padded]
        last, begin = _lenient(kind, label) if chosen is None else _strict(kind, label, chosen)
        found.append((last, begin, label[last]))
    return names, found


def _split_tags(known: Iterable[str], suffix: bool, scheme: Scheme | None) -> tuple[tuple[str, ...], Ints, Ints]:
    """The labels, and the kind and the label of each tag."""
    kinds, labels = [], []
    types: dict[str, int] = {}
    for tag in known:
        letter, rest = (tag[-1], tag[:-1]) if suffix else (tag[0], tag[1:])
        if scheme is None:
            # A tag without a hyphen is a letter and a label all the same.
            before, hyphen, behind = rest.rpartition("-") if suffix else rest.partition("-")
            name = (before if suffix else behind) if hyphen else rest
        elif letter in ("O", *scheme.letters):
            name = rest.strip("-")
        else:
            letters = ", ".join(scheme.letters)
            raise InputError(
                f"tag {tag!r} has the prefix {letter!r}, which {scheme.title} does not have ({letters}; O outside)."
            )
        kinds.append(_LETTERS.get(letter, _OTHER) if scheme is None else ROLES.get(letter, OUTSIDE))
        unlabelled = scheme is not None and letter == "O"
        labels.append(NO_LABEL if unlabelled else types.setdefault(name or _NO_TYPE, len(types)))
    return tuple(types), np.array(kinds, dtype=np.int8), np.array(labels, dtype=np.int32)


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
    last = np.flatnonzero(_ENDS.ravel()[transition]) - 1
    begun = np.where(_BEGINS.ravel()[transition], np.arange(len(label)), 0)
    return last, np.maximum.accumulate(begun)[last]


def _strict(kind: Ints, label: Ints, scheme: Scheme) -> tuple[Ints, Ints]:
    """The last and first words of the spans that count in seqeval's strict mode."""
    level = Level(kind, label, np.zeros(len(kind) + 1, dtype=bool))
    first, end = level.spans()
    if scheme.name == "iob1":
        # A B that follows no span of its label is passed over, and what follows it is a span of its own.
        first = first + (np.equal(level.role[first], BEGIN) & ~level.touches[first])
        # A span of nothing but B does not count before a B of another label.
        alone = np.equal(level.role[end - 1], BEGIN)
        before_other = np.equal(level.role[end], BEGIN) & ~level.touches[end]
        keep = (first < end) & ~(alone & before_other)
    elif scheme.name == "ioe1":
        # E ends a span only before a span of its label, and is a span by itself only behind another such E.
        lonely = np.equal(level.role[first], END) & ~(level.touches[first] & np.equal(level.role[first - 1], END))
        stray = np.equal(level.role[end - 1], END) & ~level.touches[end]
        keep = ~lonely & ~stray
    else:
        keep = mask_whole_spans(first, end, level.reread(scheme))
    return end[keep] - 1, first[keep]
