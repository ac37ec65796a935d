"""Strings of spans: measures of answers, whose mentions may have no place, and the surface forms of errors.

Forms are counted by error type: missing, spurious, or not in the text.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import combinations

import numpy as np

from assay.align import Pair
from assay.arrays import NONE
from assay.corpus import Column, Corpus, Marks
from assay.engine.counts import Counts
from assay.engine.matching import FAIR, match_fair
from assay.engine.measure import F1, Macro, Proportion, Ratio, Scores, mean_by_size, measure
from assay.engine.parts import LabelSums
from assay.engine.prepare import Run
from assay.engine.spanpairs import identify, is_listed, line_of, match_spans, spans_of, surface_forms
from assay.errors import UsageError, unknown
from assay.formats.answers import BESIDE, SAID, Mentions
from assay.formats.grounding import LEVELS, fold_spelling
from assay.formats.shapes import STATUSES
from assay.result import FormCount

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = {ord(mark): None for mark in string.punctuation}


def _strip_articles(text: str) -> str:
    """UniversalNER's normal form: lower case, without ASCII punctuation and articles."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


FOLDS: dict[str, Callable[[str], str]] = {
    "folded": fold_spelling,
    "none": lambda text: " ".join(text.split()),
    "words": _strip_articles,
}
COUNTS = ("set", "bag")
_f1 = F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * sums["tp"] + sums["fp"] + sums["fn"])
_STRINGS: Scores = {
    "f1": _f1,
    "precision": Proportion("tp", "tp", "fp"),
    "recall": Proportion("tp", "tp", "fn"),
}


@measure(
    "strings",
    scores=_STRINGS,
    averages={"macro-f1": Macro(_f1, ("tp", "fp", "fn")), "weighted-f1": mean_by_size(_f1)},
    main="f1",
    task="spans",
    one_sided="strings is for mentions without places. For agreement use exact or fair.",
)
def strings(pair: Pair, *, count: str = "set", fold: str = "folded", label: bool = True) -> Counts:
    """Strings with gold's label at any place: the match of mentions that have no places.

    count: `set`: a string counts once in a document; `bag`: as often as it occurs.
    fold: `folded`: case, forms of Unicode, quotes, dashes and white space do not matter; `none`; `words`: in lower
        case, without ASCII punctuation and the articles a, an, the.
    label: whether the label must be gold's too.
    Counts: per label tp, fp, fn; gold, system (strings). Answers count as the model wrote them, even if they are not
        in the text; a document is a text that was answered: a sentence if the model answered sentences.
    Score: precision = tp/(tp+fp), recall = tp/(tp+fn), f1 = 2·tp/(2·tp+fp+fn); averages as for exact. The difference
        from exact is what placing costs: strings that occur several times.
    Peers: UniversalNER (count=set, fold=words; up to its 1e-10), BRIDGE.
    """
    if count not in COUNTS:
        raise unknown("value of count", count, COUNTS)
    if fold not in FOLDS:
        raise unknown("value of fold", fold, FOLDS)
    for corpus in (pair.gold, pair.system):
        if corpus.texts is None and not corpus.has_words:
            raise UsageError(f"strings compares the words of spans, but {corpus.name} has none.")
    corpora = zip((pair.gold, pair.system), spans_of(pair), strict=True)
    sides = [_count_strings(pair, corpus, side, FOLDS[fold], label) for corpus, side in corpora]
    if count == "set":
        sides = [Counter(dict.fromkeys(side, 1)) for side in sides]
    gold, system = sides
    both = gold & system
    keys = [*dict.fromkeys((*gold, *system))]
    values = np.array(
        [(both[key], system[key] - both[key], gold[key] - both[key], gold[key], system[key]) for key in keys],
        dtype=np.int64,
    ).reshape(-1, 5)
    labels = Column.of(key[2] for key in keys)
    unit = np.array([key[0] for key in keys], dtype=np.int64)
    fields = ("tp", "fp", "fn", "gold", "system")
    return Counts(fields, pair.gold.sentences, unit, values, labels.vocabulary or ("",), labels.codes)


def _count_strings(
    pair: Pair, corpus: Corpus, side: Marks, folded: Callable[[str], str], label: bool
) -> Counter[tuple[int, str, str]]:
    """Number of times that each string with its label is in each text; a text is given by its first sentence."""
    mentions, of_system = corpus.layer(Mentions), pair.system.layer(Mentions)
    text_of = np.arange(pair.gold.sentences) if of_system is None else of_system.text_of
    if mentions is not None:
        counted = mentions.marks.where(mentions.scored & ~pair.skipped[mentions.marks.unit])
        sentence, labels, texts = counted.unit, counted.labels.strings(), counted.columns[SAID].strings()
    else:
        sentence, labels = side.unit, side.labels.strings()
        texts = surface_forms(corpus, side.number, as_written=True)
    forms = {text: folded(text) for text in dict.fromkeys(texts)}
    names = labels if label else [""] * len(labels)
    return Counter(zip(text_of[sentence].tolist(), map(forms.__getitem__, texts), names, strict=True))


READ = ("parsed", "repaired", "empty")
_SHARES: Scores = {
    "read": Ratio(
        lambda sums: sum(sums[status] for status in READ), lambda sums: sum(sums[status] for status in STATUSES)
    ),
    **{status: Proportion(status, *STATUSES) for status in STATUSES},
    **{level: Proportion(level, *LEVELS) for level in LEVELS},
    **{name: Proportion(name, *LEVELS) for name in BESIDE},
}


@measure(
    "answers",
    scores=_SHARES,
    main="read",
    tested=tuple(_SHARES),
    task="spans",
    one_sided="only systems have answers, gold has none.",
)
def answer_shares(pair: Pair) -> Counts:
    """Shares of a language model's answers that could be read, and of their mentions by how they were found.

    Counts: per document answers that were parsed, repaired, empty, refused, malformed, missing; mentions found exact,
        folded, fuzzy, ungrounded and repeated ones; outside: labels outside the inventory; offsets: given only by
        offsets.
    Score: read is the share of answers that were parsed, repaired or empty; the others are shares of all answers, or
        of all mentions.
    """
    fields = (*STATUSES, *LEVELS, *BESIDE)
    mentions, sentences = pair.system.layer(Mentions), pair.gold.sentences
    values = np.zeros((sentences, len(fields)), dtype=np.int64)
    if mentions is not None:
        values[:, : len(STATUSES)] = mentions.statuses
        masks = [mentions.level == code for code in range(len(LEVELS))] + [*map(mentions.has_flag, BESIDE)]
        for place, mask in enumerate(masks, len(STATUSES)):
            values[:, place] = np.bincount(mentions.marks.unit[mask], minlength=sentences)
        values[pair.skipped] = 0
    return Counts(fields, sentences, np.arange(sentences), values)


# --- forms of errors ---

TYPES = ("missing", "spurious", "ungrounded")
Errors = Mapping[Hashable, str]
"""Errors by a key of each, with its type, label and folded form, separated by tabs."""


def form_sums(run: Run) -> Iterator[tuple[str, LabelSums]]:
    """Number of times that each form is an error of each system, and of one system but not of another."""
    errors = {name: _list_errors(pair) for name, pair in run.pairs}
    for name, of_system in errors.items():
        yield f"forms\t{name}", _count_forms(of_system.values())
    for a, b in combinations(errors, 2):
        for change, here, there in (("gained", errors[b], errors[a]), ("lost", errors[a], errors[b])):
            yield f"forms\t{a}\t{b}\t{change}", _count_forms([form for key, form in here.items() if key not in there])


def _list_errors(pair: Pair) -> Errors:
    gold, system = spans_of(pair)
    records = match_spans(pair, match_fair)
    listed = is_listed(pair, records)
    errors: dict[Hashable, str] = {}
    for kind, type_, corpus, side, column in (
        ("fn", "missing", pair.gold, gold, records.gold),
        ("fp", "spurious", pair.system, system, records.system),
    ):
        mask = (records.kind == FAIR.index(kind)) & (column != NONE)
        items = np.unique(column[mask if listed is None else mask & ~listed])
        items = items[side.begin[items] != NONE]
        forms = surface_forms(corpus, side.number[items], as_written=True)
        for item, form in zip(items.tolist(), forms, strict=True):
            identity: tuple[Hashable, ...] = (item,) if side is gold else identify(line_of(pair), side, item)
            errors[type_, *identity] = f"{type_}\t{side.labels[item]}\t{_fold_form(form)}"
    for item in np.flatnonzero(system.begin == NONE).tolist():
        form, label = _fold_form(system.columns[SAID][item]), system.labels[item]
        key = ("ungrounded", int(system.unit[item]), form, label)
        # A repeated one is another error.
        errors[(*key, item) if key in errors else key] = f"ungrounded\t{label}\t{form}"
    return errors


def _fold_form(text: str) -> str:
    return fold_spelling(text).replace("\t", " ")


def _count_forms(forms: Iterable[str]) -> LabelSums:
    return {form: {"number": number} for form, number in Counter(forms).items()}


def form_counts(sums: Mapping[str, LabelSums], most: int) -> Iterator[FormCount]:
    """Most frequent forms of each type, with their share of the errors of this type."""
    for key, numbers in sums.items():
        _, system, *pair = key.split("\t")
        rows = [(name.split("\t", 2), fields["number"]) for name, fields in numbers.items()]
        for type_ in TYPES:
            of_type = [(label, form, number) for (kind, label, form), number in rows if kind == type_]
            total = sum(number for _, _, number in of_type)
            for label, form, number in sorted(of_type, key=lambda row: (-row[2], row[1], row[0]))[:most]:
                other, change = pair if pair else (None, "")
                yield FormCount(system, other, change, type_, label, form, number, number / total)
