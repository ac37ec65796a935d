"""Weights from ambiguity: the average number of different values of a category per word.

Acedański & Przepiórkowski 2010, section 2.3.1. What the paper leaves open: a category is averaged over the words
that can have it (`words_with_category`) or over `all_words`; over entries of a lexicon or running words of a corpus.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from assay.errors import AssayError, InputError, unknown
from assay.formats import Input
from assay.tasks.tags.tagsets import Tag, Tagset
from assay.tasks.tags.weights.inputs import BETWEEN, changed_on, frequent, lines, plural, tagged
from assay.tasks.tags.weights.table import POS, Made, Provenance, Weights

DENOMINATORS = ("words_with_category", "all_words")
CANDIDATES = "candidates"
"""The column in which formats that list readings hold them."""
Readings = frozenset[str]


def from_words(words: Iterable[Sequence[str]], tagset: Tagset, **options: Any) -> Made:
    """Weights from the candidate tags of each running word; the options are those of `from_counts`."""
    return from_counts(Counter(frozenset(word) for word in words), tagset, **options)


def from_lexicon(path: str, tagset: Tagset, *, alternatives: str | None = None, **options: Any) -> Made:
    """Weights from a lexicon, one reading per line: `form TAB lemma TAB tag` or `form TAB tag`.

    The readings of a form belong together wherever they stand; each form is one entry. A cell has several where
    `alternatives` says what divides them.
    """
    readings: dict[str, set[str]] = defaultdict(set)
    width = 0
    for number, line in lines(path):
        cells = line.split("\t")
        width = width or len(cells)
        if len(cells) not in (2, 3) or len(cells) != width:
            expected = f"the first line has {width}" if width in (2, 3) else "a lexicon has 3 (form, lemma, tag) or 2"
            raise InputError(
                f"{path}:{number}: {plural(len(cells), 'column')} where {expected}. "
                "Give one reading per line: form TAB lemma TAB tag, or form TAB tag."
            )
        if not cells[0] or not cells[-1].strip():
            missing = "tag" if cells[0] else "form"
            raise InputError(f"{path}:{number}: no {missing}. Give one reading per line: form TAB lemma TAB tag.")
        readings[cells[0]] |= _tags_of(cells[-1].strip(), alternatives)
    words = Counter(frozenset(tags) for tags in readings.values())
    return from_counts(words, tagset, unit="entries", inputs=(path,), date=changed_on(path), **options)


def from_file(path: str, tagset: Tagset, *, column: str | None = None, **options: Any) -> Made:
    """Weights from a lexicon, from a file that lists the readings of each word, or from a column of a corpus."""
    if column or _lists_readings(path):
        return from_corpus(path, column or CANDIDATES, tagset, **options)
    return from_lexicon(path, tagset, **options)


def _lists_readings(path: str) -> bool:
    if path == "-" or Path(path).is_fifo():
        # It can be read once only, so a lexicon is expected there unless a column is named.
        return False
    try:
        return CANDIDATES in Input(path).plan.labels
    except AssayError:
        return False


def from_corpus(
    path: str, column: str | None, tagset: Tagset, *, alternatives: str | None = None, **options: Any
) -> Made:
    """Weights over the running words of a corpus.

    With the column `candidates`, a word's readings are those it lists. With any other, they are the tags with
    which its form was seen: a poor substitute, since most readings of most forms are never seen; the weights are
    marked so.
    """
    corpus, tags = tagged(path, column, tagset)
    cells = [_tags_of(cell, alternatives) if cell != corpus.empty else frozenset() for cell in tags.vocabulary]
    options = {"inputs": (path,), "date": changed_on(path), **options}
    if column == CANDIDATES:
        return from_counts(_summed(cells, tags.codes.tolist()), tagset, **options)
    seen: dict[int, set[str]] = defaultdict(set)
    for form, tag in set(zip(corpus.forms.codes.tolist(), tags.codes.tolist(), strict=True)):
        seen[form] |= cells[tag]
    readings = [frozenset(seen[form]) for form in range(len(corpus.forms.vocabulary))]
    note = "tags seen with its form in the corpus, not those an analyser knows"
    made = from_counts(_summed(readings, corpus.forms.codes.tolist()), tagset, note=note, **options)
    return Made(made.weights, (f"{path}: the readings of a word are the {note}: a poor substitute.", *made.warnings))


def _tags_of(cell: str, alternatives: str | None) -> Readings:
    """The tags of a cell; more than one where formats list several, or where the user says what divides them."""
    parts = cell.split(BETWEEN)
    return frozenset(tag for part in parts for tag in (part.split(alternatives) if alternatives else [part]) if tag)


def _summed(readings: Sequence[Readings], codes: Iterable[int]) -> Counter[Readings]:
    words: Counter[Readings] = Counter()
    for code, count in Counter(codes).items():
        words[readings[code]] += count
    return words


def from_counts(
    words: Mapping[Readings, int],
    tagset: Tagset,
    *,
    denominator: str = "words_with_category",
    conditional: bool = False,
    pos_conditional: bool = False,
    excess: bool = False,
    unit: str = "running words",
    inputs: tuple[str, ...] = (),
    date: str = "",
    note: str = "",
) -> Made:
    """Weights from sets of tags and the number of words that have each.

    denominator: the words that can have the category, or all words. conditional: weights given the part of
    speech. pos_conditional: a part of speech weighs what the words that can have it average, not what all words
    do. excess: values beyond the first, so that a category that is never ambiguous weighs 0.

    Unknown words, whose only reading is the tagset's `unknown_tag`, are left out. So are readings outside the
    tagset, since they would be classes of their own. Compact tags are expanded first.
    """
    if denominator not in DENOMINATORS:
        raise unknown("denominator", denominator, DENOMINATORS)
    sums = _Sums(tagset, less=int(excess))
    for readings, count in words.items():
        sums.add(readings, count)
    if not sums.words:
        where = f"{', '.join(inputs)}: " if inputs else ""
        raise InputError(
            f"{where}no word has a tag of the tagset {tagset.name}. {sums.outside_text() or 'There are no readings.'}"
        )
    over = None if denominator == "words_with_category" else sums.words
    row = {key: total.mean(over) for key, total in sums.overall.items()}
    w: Any = sums.conditional(over, None if pos_conditional else row[POS]) if conditional else row
    counts = {"words": sums.words, "unknown": sums.unknown, "unread": sums.unread, "outside": sums.outside.total()}
    source = "ambiguity in excess of one value" if excess else "ambiguity"
    each = str(Fraction(sums.readings, sums.words))
    provenance = Provenance(source, unit, denominator, inputs, counts, date, note, each)
    return Made(Weights("cwpa" if conditional else "wpa", w, provenance), sums.warnings(unit))


@dataclass
class _Total:
    """The number of values, and of words that have some."""

    values: int = 0
    words: int = 0

    def add(self, values: int, words: int) -> None:
        self.values += values * words
        self.words += words

    def mean(self, over: int | None) -> Fraction:
        return Fraction(self.values, over or self.words)


@dataclass
class _Sums:
    tagset: Tagset
    less: int
    words: int = 0
    readings: int = 0
    unknown: int = 0
    unread: int = 0
    outside: Counter[str] = field(default_factory=Counter)
    overall: dict[str, _Total] = field(default_factory=lambda: defaultdict(_Total))
    given: dict[tuple[str, str], _Total] = field(default_factory=lambda: defaultdict(_Total))

    def add(self, readings: Readings, count: int) -> None:
        known = [tag for tag in readings if tag != self.tagset.unknown_tag or not tag]
        analyses: list[Tag] = []
        for tag in known:
            found = self.tagset.read(tag)
            analyses += found
            if not found:
                self.outside[tag] += count
        if analyses:
            self._add(analyses, count)
        elif readings and not known:
            self.unknown += count
        else:
            self.unread += count

    def _add(self, analyses: list[Tag], count: int) -> None:
        self.words += count
        self.readings += len(set(analyses)) * count
        every: dict[str, set[str]] = defaultdict(set)
        given: dict[tuple[str, str], set[str]] = defaultdict(set)
        for analysis in analyses:
            every[POS].add(analysis.pos)
            for category, value in analysis.values:
                every[category].add(value)
                given[analysis.pos, category].add(value)
        for category, values in every.items():
            self.overall[category].add(len(values) - self.less, count)
        for pos in every[POS]:
            self.given[pos, POS].add(len(every[POS]) - self.less, count)
        for key, values in given.items():
            self.given[key].add(len(values) - self.less, count)

    def conditional(self, over: int | None, pos_weight: Fraction | None) -> dict[str, dict[str, Fraction]]:
        """A row per part of speech; a part of speech itself weighs `pos_weight`, or what its own words average."""
        rows: dict[str, dict[str, Fraction]] = defaultdict(dict)
        for (pos, category), total in self.given.items():
            if category != POS:
                rows[pos][category] = total.mean(over)
            else:
                # The mean over the words that can be p is what defines this weight, whatever the denominator.
                rows[pos][POS] = total.mean(None) if pos_weight is None else pos_weight
        return dict(rows)

    def outside_text(self) -> str:
        if not self.outside:
            return ""
        number = plural(self.outside.total(), "reading is", "readings are")
        return f"{number} outside the tagset {self.tagset.name}: {frequent(self.outside)}."

    def warnings(self, unit: str) -> tuple[str, ...]:
        noun, nouns = ("entry", "entries") if unit == "entries" else ("word", "words")
        found = []
        if self.unknown:
            found.append(f"{plural(self.unknown, noun, nouns)} left out as unknown ({self.tagset.unknown_tag} only).")
        if self.unread:
            found.append(f"{plural(self.unread, noun, nouns)} left out for want of a reading within the tagset.")
        if self.outside:
            found.append(f"left out: {self.outside_text()}")
        return tuple(found)
