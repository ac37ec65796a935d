"""Weights from ambiguity: the average number of different values of a category per word.

Acedański & Przepiórkowski 2010, section 2.3.1. The paper leaves two choices open: a category is averaged over the
words that can have it (`words_with_category`) or over `all_words`; over entries of a lexicon or running words of a
corpus.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from assay.corpus import SEVERAL
from assay.errors import AssayError, InputError, unknown
from assay.formats import Input
from assay.result.numbers import plural
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.weights import (
    POS,
    NewWeights,
    group_by_pos,
    make_weights,
    most_frequent,
    number_lines,
    read_tagged,
)

DENOMINATORS = ("words_with_category", "all_words")
CANDIDATES = "candidates"
"""The column of readings in formats that list them."""
Readings = frozenset[str]


def from_file(path: str, tagset: Tagset, *, column: str | None = None, **options: Any) -> NewWeights:
    """Weights from a lexicon, from a file that lists the readings of each word, or from a column of a corpus."""
    # A stream, which can be read only once, is a lexicon unless a column is named.
    if not column and path != "-" and not Path(path).is_fifo():
        try:
            column = CANDIDATES if CANDIDATES in Input(path).plan.labels else None
        except AssayError:
            column = None
    return from_corpus(path, column, tagset, **options) if column else from_lexicon(path, tagset, **options)


def from_lexicon(path: str, tagset: Tagset, *, alternatives: str | None = None, **options: Any) -> NewWeights:
    """Weights from a lexicon, one reading per line: `form TAB lemma TAB tag` or `form TAB tag`.

    All readings of a form belong to one entry, in any lines of the file. `alternatives` separates several tags in a
    cell.
    """
    readings: dict[str, set[str]] = defaultdict(set)
    width = 0
    for number, line in number_lines(path):
        cells = line.split("\t")
        width = width or len(cells)
        if len(cells) not in (2, 3) or len(cells) != width:
            expected = f"the first line has {width}" if width in (2, 3) else "a lexicon has 3 (form, lemma, tag) or 2"
            raise InputError(
                f"{path}:{number}: {plural(len(cells), 'column')}, but {expected}. "
                "Give one reading per line: form TAB lemma TAB tag, or form TAB tag."
            )
        if not cells[0] or not cells[-1].strip():
            missing = "tag" if cells[0] else "form"
            raise InputError(f"{path}:{number}: no {missing}. Give one reading per line: form TAB lemma TAB tag.")
        readings[cells[0]] |= _tags_of(cells[-1].strip(), alternatives)
    words = Counter(frozenset(tags) for tags in readings.values())
    return from_counts(words, tagset, unit="entries", path=path, **options)


def from_corpus(
    path: str, column: str, tagset: Tagset, *, alternatives: str | None = None, **options: Any
) -> NewWeights:
    """Weights over the running words of a corpus.

    With the column `candidates`, a word's readings are those it lists. With any other, they are the tags with
    which its form was seen: a poor substitute, because most readings of most forms are never seen; a note in the
    weights says so.
    """
    corpus, tags = read_tagged(path, column, tagset)
    readings = [_tags_of(cell, alternatives) if cell != corpus.empty else frozenset() for cell in tags.vocabulary]
    if column == CANDIDATES:
        return from_counts(_count_readings(readings, tags.codes.tolist()), tagset, path=path, **options)
    seen: dict[int, set[str]] = defaultdict(set)
    for form, tag in set(zip(corpus.forms.codes.tolist(), tags.codes.tolist(), strict=True)):
        seen[form] |= readings[tag]
    of_form = [frozenset(seen[form]) for form in range(len(corpus.forms.vocabulary))]
    note = "tags seen with its form in the corpus, not those an analyser knows"
    words = _count_readings(of_form, corpus.forms.codes.tolist())
    made = from_counts(words, tagset, path=path, note=note, **options)
    return NewWeights(
        made.weights, (f"{path}: the readings of a word are the {note}. This is a poor substitute.", *made.warnings)
    )


def _tags_of(cell: str, alternatives: str | None) -> Readings:
    """The tags of a cell, if formats list several, or the user gives a separator."""
    parts = cell.split(SEVERAL)
    return frozenset(tag for part in parts for tag in (part.split(alternatives) if alternatives else [part]) if tag)


def _count_readings(readings: Sequence[Readings], codes: Iterable[int]) -> Counter[Readings]:
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
    path: str = "",
    note: str = "",
) -> NewWeights:
    """Weights from sets of tags and the number of words that have each.

    denominator: the words that can have the category, or all words. conditional: weights given the part of speech.
    pos_conditional: the weight of a part of speech is the mean over the words that can have it, not over all words.
    excess: count values beyond the first, so that a category that is never ambiguous weighs 0.

    Unknown words, whose only reading is the tagset's `unknown_tag`, are left out, and so are readings outside the
    tagset, because they would be further classes. Compact tags are expanded first.
    """
    if denominator not in DENOMINATORS:
        raise unknown("denominator", denominator, DENOMINATORS)
    counts = dict.fromkeys(("words", "unknown", "unread"), 0)
    outside: Counter[str] = Counter()
    readings = 0
    # By part of speech (None for any) and category: number of values, and of words that have some.
    values: Counter[tuple[str | None, str]] = Counter()
    having: Counter[tuple[str | None, str]] = Counter()
    for tags, count in words.items():
        known = [tag for tag in tags if tag != tagset.unknown_tag or not tag]
        by_tag = {tag: tagset.read(tag) for tag in known}
        outside.update({tag: count for tag, analyses_of_tag in by_tag.items() if not analyses_of_tag})
        analyses = {analysis for analyses_of_tag in by_tag.values() for analysis in analyses_of_tag}
        kind = "words" if analyses else "unknown" if tags and not known else "unread"
        counts[kind] += count
        readings += len(analyses) * count
        # The values of each category, by part of speech and, under None, in all.
        classes = {analysis.pos for analysis in analyses}
        every: dict[tuple[str | None, str], set[str]] = {(pos, POS): classes for pos in (*classes, None) if classes}
        for analysis in analyses:
            for category, value in analysis.values:
                every.setdefault((None, category), set()).add(value)
                every.setdefault((analysis.pos, category), set()).add(value)
        for key, different in every.items():
            values[key] += (len(different) - excess) * count
            having[key] += count
    total = counts["words"]
    are = plural(outside.total(), "reading is", "readings are")
    left_out = f"{are} outside the tagset {tagset.name}: {most_frequent(outside)}." if outside else ""
    if not total:
        place = f"{path}: " if path else ""
        reason = left_out or "There are no readings."
        raise InputError(f"{place}no word has a tag of the tagset {tagset.name}. {reason}")
    over = dict.fromkeys(values, total) if denominator == "all_words" else having
    means = {key: Fraction(number, over[key]) for key, number in values.items()}
    w: Any = {category: mean for (pos, category), mean in means.items() if pos is None}
    if conditional:
        # With any denominator, the mean over the words that can be p defines the weight of p.
        of_pos = {key: Fraction(values[key], having[key]) if pos_conditional else w[POS] for key in means}
        by_pos = {key: of_pos[key] if key[1] == POS else mean for key, mean in means.items()}
        w = group_by_pos({(pos, category): mean for (pos, category), mean in by_pos.items() if pos is not None})
    noun, nouns = ("entry", "entries") if unit == "entries" else ("word", "words")
    warnings = []
    if counts["unknown"]:
        warnings.append(f"{plural(counts['unknown'], noun, nouns)} left out as unknown ({tagset.unknown_tag} only).")
    if counts["unread"]:
        warnings.append(
            f"{plural(counts['unread'], noun, nouns)} left out because they have no reading within the tagset."
        )
    if left_out:
        warnings.append(f"left out: {left_out}")
    counts["outside"] = outside.total()
    source = "ambiguity in excess of one value" if excess else "ambiguity"
    origin = {"denominator": denominator, "note": note, "readings_per_word": str(Fraction(readings, total))}
    return make_weights(w, conditional, [path], counts, warnings, source=source, unit=unit, **origin)
