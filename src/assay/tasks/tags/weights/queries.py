"""Weights from a log of corpus queries: how often users ask for each category.

Acedański & Przepiórkowski 2010, sections 2.3.3 and 3. As the paper's Table 1 counts "occurrences of queries
involving particular grammatical categories", a category counts once per query; `mentions` counts each test.

Conditional weights (section 2.4) have two sources. From the log alone they are approximate: a category in a
bracket that fixes the part of speech counts for it (for each of several), in a bracket that fixes none for all.
From a corpus: the paper says that "a query for a sequence of 5 genitive words occurring in logs would have to be
rerun on the corpus again in order to find out parts of speech of the returned 5-word sequences". We read this as
follows. The query is matched on the corpus; each word that one of its expressions matches there and that has the
category counts the category for the word's part of speech. The paper does not say how a query with many results
weighs against one with few. Because weights are to correspond to frequencies *in queries*, the count of a query is by
default shared out over the words it matches, so that n(c|p) summed over p is the n(c) of the unconditional weights;
with `count="words"` each matched word counts fully. A query that is a sequence of token expressions, with or without
repetitions, is matched as a sequence within sentences, at every word where it can begin; one with groups or
constraints is matched word by word, and a warning gives the number of these.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import NONE
from assay.classes import dataclass
from assay.corpus import Column, Corpus
from assay.errors import InputError, unknown
from assay.result.numbers import plural
from assay.specs import whole_number
from assay.tasks.tags.tagsets import Feats, Tagset, parse_data
from assay.tasks.tags.weights import (
    ANY,
    MOST_LISTED,
    POS,
    NewWeights,
    analyse_tag,
    file_text,
    group_by_pos,
    make_weights,
    most_frequent,
    no_category,
    number_lines,
    read_tagged,
)
from assay.tasks.tags.weights.cqp import (
    FORM,
    Expression,
    QueryError,
    Repeat,
    Test,
    compile_value,
    list_tests,
    parse_sequence,
    strip_diacritics,
)
from assay.tasks.tags.weights.patterns import list_classes, matching_classes, parts_of_speech, restricted_positions

UNITS = ("queries", "mentions")
COUNTS = ("shares", "words")
LEMMA, TAG, CATEGORY = "lemma", "tag", "category"
_USUAL = {
    **dict.fromkeys(("form", "orth", "word", "token", "lc", "word_lc"), (FORM, "")),
    **dict.fromkeys(("lemma", "base", "lemma_lc"), (LEMMA, "")),
    **dict.fromkeys(("tag", "ctag", "xpos", "msd", "morph", "feats"), (TAG, "")),
    **dict.fromkeys(("pos", "upos"), (CATEGORY, POS)),
}
_SPECIAL = frozenset(r"\.[](){}*+?|^$")


@dataclass(frozen=True)
class Query:
    """A query: how often it was asked, and its token expressions."""

    count: int
    expressions: Sequence[Expression]
    repeats: Sequence[Repeat] | None = None
    """The times that each expression may follow itself, if the query is a plain sequence of them."""


def from_log(
    path: str,
    tagset: Tagset,
    *,
    aliases: str | None = None,
    unit: str = "queries",
    conditional: bool = False,
    corpus: str | None = None,
    column: str | None = None,
    count: str = "shares",
) -> NewWeights:
    """Weights from the queries of a file; with a `corpus`, conditional ones by matching the queries on it."""
    for kind, name, accepted in (("unit", unit, UNITS), ("way to count", count, COUNTS)):
        if name not in accepted:
            raise unknown(kind, name, accepted)
    attributes = Attributes(tagset, read_aliases(aliases, tagset) if aliases else {})
    queries, lines, unread = read_log(path)
    warnings = [f"{plural(len(unread), 'line')} of {path} could not be read."] if unread else []
    warnings += unread[:MOST_LISTED]
    if len(unread) > MOST_LISTED:
        warnings.append(f"… and {plural(len(unread) - MOST_LISTED, 'more line')}.")
    # Once per query, or each mention.
    total: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    for query in queries:
        names = [test.attribute for expression in query.expressions for test in list_tests(expression)]
        foreign.update({name: query.count for name in names if not attributes.meaning(name)[0]})
        mentions = [attributes.count_mentions(expression) for expression in query.expressions]
        for category, times in sum(mentions, Counter[str]()).items():
            total[category] += query.count * (times if unit == "mentions" else 1)
    w: Any = {category: Fraction(times) for category, times in total.items() if times}
    if not w:
        reason = warnings[0] if warnings else "None of its queries names one."
        raise InputError(f"{path}: no query about a category of the tagset {tagset.name}. {reason}")
    if foreign:
        warnings.append(
            f"attributes that the tagset {tagset.name} does not have: {most_frequent(foreign)}. "
            "Map them with --aliases."
        )
    w[ANY] = Fraction(0)
    note = ""
    if corpus:
        matcher = Matcher(*read_tagged(corpus, column, tagset), attributes)
        w = {**group_by_pos(matcher.weigh(queries, unit, count)), ANY: {ANY: Fraction(0)}}
        warnings += matcher.warnings()
        note = f"by the words of {corpus} that the queries match, counted as {count}"
    elif conditional:
        w = _approximate_weights(queries, attributes, unit)
        note = "approximate: parts of speech as far as the queries name them"
    counts = {"queries": sum(query.count for query in queries), "lines": lines, "unread": len(unread)}
    conditional, files = bool(corpus or conditional), (path, aliases, corpus)
    return make_weights(w, conditional, files, counts, warnings, source="query-log", unit=unit, note=note)


def read_log(path: str) -> tuple[list[Query], int, list[str]]:
    """The distinct queries of a file, the number of its lines, and those that cannot be read with the reason.

    Lines are `query` or `count TAB query`; a query that was asked many times is read once.
    """
    asked: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, line in number_lines(path):
        first, tab, rest = line.strip().partition("\t")
        counted = tab and not set(first) - set("0123456789.,+-e ")
        asked[rest.strip() if counted else line.strip()].append((number, first.strip() if counted else "1"))
    queries, faults = [], []
    for query, places in asked.items():
        try:
            expressions, repeats = parse_sequence(query)
            for test in (test for expression in expressions for test in list_tests(expression)):
                # Most values are plain words, and to compile each would take most of the time.
                if _SPECIAL.intersection(test.value or ""):
                    compile_value(test)
        except (QueryError, RecursionError) as error:
            reason = str(error) if isinstance(error, QueryError) else "too deeply nested"
            faults += [(number, f"{reason}: {query}") for number, _ in places]
            continue
        whole = {number: times for number, count in places if (times := whole_number(count, -1)) >= 0}
        if whole:
            queries.append(Query(sum(whole.values()), expressions, repeats))
        faults += [
            (number, f"the count {count!r} is not a whole number: {query}")
            for number, count in places
            if number not in whole
        ]
    return queries, sum(map(len, asked.values())), [f"{path}:{number}: {fault}" for number, fault in sorted(faults)]


def _approximate_weights(
    queries: Sequence[Query], attributes: Attributes, unit: str
) -> dict[str, dict[str, Fraction]]:
    """n(c|p) from brackets that fix p, and from those that fix none as the row of any part of speech."""
    classes, once = attributes.tagset.classes(), unit == "queries"
    free: Counter[str] = Counter()
    by_pos: Counter[tuple[str, str]] = Counter()
    for query in queries:
        anywhere: Counter[str] = Counter()
        fixing: Counter[tuple[str, str]] = Counter()
        for expression in query.expressions:
            mentions, fixed = attributes.count_mentions(expression), attributes.fixed_pos(expression)
            if fixed is None:
                anywhere += mentions
            for pos in fixed or ():
                for category, times in mentions.items():
                    if category == POS or category in classes.get(pos, (category,)):
                        fixing[pos, category] += times
        for category, times in anywhere.items():
            free[category] += query.count * (1 if once else times)
        for (pos, category), times in fixing.items():
            if not once or category not in anywhere:
                by_pos[pos, category] += query.count * (1 if once else times)
    rows = group_by_pos({key: Fraction(times + free[key[1]]) for key, times in by_pos.items() if times})
    return {**rows, ANY: {**{category: Fraction(times) for category, times in free.items()}, ANY: Fraction(0)}}


# --- attributes ---


@dataclass(frozen=True)
class Attributes:
    """The names of attributes in queries: categories of a tagset, the whole tag, the form and the lemma."""

    tagset: Tagset
    aliases: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset((POS, *self.tagset.categories()))

    @cached_property
    def _names(self) -> dict[str, str]:
        """Categories by all their names: `Post-Prepositionality` is post_prepositionality."""
        named = {category: category for category in self._known} | self.tagset.short_names()
        return {_fold_name(name): category for name, category in named.items()}

    def meaning(self, attribute: str) -> tuple[str, str]:
        """Kind of an attribute, and its name if it is a category; ("", "") if it is unknown."""
        name = self.aliases.get(attribute, attribute)
        if name in self._known:
            return CATEGORY, name
        if name.casefold() in _USUAL:
            return _USUAL[name.casefold()]
        if _fold_name(name) in self._names:
            return CATEGORY, self._names[_fold_name(name)]
        brings_its_own = isinstance(self.tagset, Feats) and not self.tagset.keep
        return (CATEGORY, name) if brings_its_own and name[:1].isupper() else ("", "")

    def count_mentions(self, expression: Expression) -> Counter[str]:
        """Number of times that a token expression mentions each category."""
        mentions: Counter[str] = Counter()
        for test in list_tests(expression):
            kind, category = self.meaning(test.attribute)
            if kind == CATEGORY:
                mentions[category] += 1
            elif kind == TAG and test.value is not None:
                mentions.update(restricted_positions(test.value, self.tagset))
        return mentions

    def fixed_pos(self, expression: Expression) -> frozenset[str] | None:
        """The parts of speech that an expression allows; None if these are all, or unknown."""
        fixed = self._fixed(expression, negated=False)
        return fixed if fixed and fixed != list_classes(self.tagset) else None

    def _fixed(self, expression: Expression, *, negated: bool) -> frozenset[str] | None:
        if isinstance(expression, Test):
            kind, category = self.meaning(expression.attribute)
            negated ^= expression.negated
            if expression.value is None:
                return None
            if kind == TAG:
                # Not to be `subst:sg:.*` leaves other nouns.
                return None if negated else parts_of_speech(expression.value, self.tagset)
            if kind != CATEGORY or category != POS:
                return None
            named = matching_classes(expression.value, self.tagset)
            return named if not negated or named is None else list_classes(self.tagset) - named or None
        if expression.how == "not":
            return self._fixed(expression.of[0], negated=not negated)
        parts = [self._fixed(part, negated=negated) for part in expression.of]
        fixing = [part for part in parts if part is not None]
        # The opposite of a conjunction is a disjunction, and the other way round.
        if (expression.how == "all") != negated:
            return frozenset.intersection(*fixing) if fixing else None
        return frozenset.union(*fixing) if fixing and len(fixing) == len(parts) else None


def _fold_name(name: str) -> str:
    return name.casefold().replace("-", "_")


def read_aliases(path: str, tagset: Tagset) -> dict[str, str]:
    """Other names of attributes: lines `alias TAB category`, or a JSON table; also of form, lemma, tag and pos."""
    text = file_text(path)
    if text.lstrip().startswith("{"):
        table = parse_data(path, text)
        places = [text.count("\n", 0, max(text.find(json.dumps(alias)), 0)) + 1 for alias in table]
        rows = [(place, [alias, str(table[alias])]) for place, alias in zip(places, table, strict=True)]
    else:
        numbered = enumerate(text.split("\n"), 1)
        lines = [(number, line) for number, line in numbered if line.strip() and not line.startswith("# ")]
        rows = [(number, [cell.strip() for cell in line.split("\t")]) for number, line in lines]
    attributes = Attributes(tagset)
    for number, cells in rows:
        if len(cells) != 2:
            raise InputError(f"{path}:{number}: an alias is a line: alias TAB category, e.g. cas TAB case.")
        if not attributes.meaning(cells[1])[0]:
            raise InputError(f"{path}:{number}: {no_category(cells[1], tagset, (FORM, LEMMA, TAG))}")
    return {cells[0]: cells[1] for _, cells in rows}


# --- words of a corpus that queries match ---


class UntestableError(Exception):
    """An expression about something that the corpus does not have."""


class Matcher:
    """A corpus as its distinct words (form, lemma, tag), against which expressions are tried."""

    def __init__(self, corpus: Corpus, tags: Column, attributes: Attributes) -> None:
        self.attributes = attributes
        self.analyses = [analyse_tag(attributes.tagset, tag) for tag in tags.vocabulary]
        lemma = [name for name in corpus.columns if name.casefold() == "lemma" and not corpus.is_empty(name)]
        columns = {FORM: corpus.forms, TAG: tags, **({LEMMA: corpus.column(lemma[0])} if lemma else {})}
        stacked = np.stack([column.codes for column in columns.values()])
        distinct, word, self._sizes = np.unique(stacked, axis=1, return_inverse=True, return_counts=True)
        self._word = word.ravel()
        """The distinct word of each word of the corpus."""
        self._tags = tags.codes
        self._starts = corpus.starts
        self._codes = dict(zip(columns, distinct, strict=True))
        self._vocabulary = {name: column.vocabulary for name, column in columns.items()}
        self._masks: dict[Test, Any] = {}
        self.untestable: Counter[str] = Counter()
        self.word_by_word = self.without_word = 0
        """Numbers of queries matched word by word, and of queries that match no word that has the category."""

    def weigh(self, queries: Sequence[Query], unit: str, count: str) -> dict[tuple[str, str], Fraction]:
        """The count of each category given the part of speech of the words that match."""
        total: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        for query in queries:
            # Category, number of mentions, and the tags of words: expressions one by one, or pooled.
            groups: list[tuple[str, int, Counter[int]]] = []
            pooled: dict[str, Counter[int]] = defaultdict(Counter)
            for mentions, tags in self._matches(query):
                for category, times in mentions.items():
                    if unit == "mentions":
                        groups.append((category, times, tags))
                    else:
                        pooled[category].update(tags)
            groups += [(category, 1, tags) for category, tags in pooled.items()]
            has_word = False
            for category, times, tags in groups:
                words = {
                    tag: size
                    for tag, size in tags.items()
                    if category == POS or any(category in dict(analysis.values) for analysis in self.analyses[tag])
                }
                has_word = has_word or bool(words)
                each = Fraction(query.count * times, 1 if count == "words" else sum(words.values()) or 1)
                for tag, size in words.items():
                    total[self.analyses[tag][0].pos, category] += each * size
            self.without_word += query.count if groups and not has_word else 0
        return total

    def _matches(self, query: Query) -> list[tuple[Counter[str], Counter[int]]]:
        """The categories of each expression, and the numbers of the tags of words that it matches."""
        mentions = [self.attributes.count_mentions(expression) for expression in query.expressions]
        if query.repeats is not None and query.repeats != [(1, 1)]:
            try:
                tags = self.match_sequence(query.expressions, query.repeats)
                return list(zip(mentions, tags, strict=True))
            except UntestableError:
                # Below, the expressions that the corpus cannot test are counted one by one.
                pass
        else:
            self.word_by_word += len(query.expressions) > 1
        matches = []
        for expression, categories in zip(query.expressions, mentions, strict=True):
            try:
                if categories:
                    hit = self._hits(expression)
                    sizes = np.bincount(self._codes[TAG][hit], self._sizes[hit], minlength=len(self.analyses))
                    matches.append((categories, _as_counter(sizes)))
            except UntestableError as error:
                self.untestable[str(error)] += 1
        return matches

    def match_sequence(self, expressions: Sequence[Expression], repeats: Sequence[Repeat]) -> list[Counter[int]]:
        """Numbers of the tags of the words that each expression matches in matches of the whole sequence.

        The sequence is tried at every word of every sentence, and each expression takes as many words as leave a
        match for those after it. From the last expression to the first, its end is computed for each beginning.
        """
        # The places of words, with one more at the end of each sentence, which fits nothing.
        place = np.arange(len(self._word)) + np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        number = len(self._word) + len(self._starts) - 1
        every = np.arange(number)
        possible = np.ones(number, dtype=bool)
        ends = []
        for expression, (low, high) in zip(reversed(expressions), reversed(repeats), strict=True):
            fits = np.zeros(number, dtype=bool)
            fits[place] = self._hits(expression)[self._word]
            furthest = np.minimum.accumulate(np.where(fits, number, every)[::-1])[::-1]
            if high is not None:
                furthest = np.minimum(furthest, every + min(high, number))
            # The last place up to there from which the rest matches.
            end = np.maximum.accumulate(np.where(possible, every, NONE))[furthest]
            possible = end >= every + min(low, number)
            ends.append(end)
        begin, numbers = np.flatnonzero(possible), []
        for end in reversed(ends):
            taken = np.cumsum(
                np.bincount(begin, minlength=number + 1) - np.bincount(end[begin], minlength=number + 1)
            )
            numbers.append(_as_counter(np.bincount(self._tags, taken[place], minlength=len(self.analyses))))
            begin = end[begin]
        return numbers

    def warnings(self) -> list[str]:
        """Warnings about expressions and queries that were left out or matched word by word."""
        untested, names = plural(self.untestable.total(), "token expression"), most_frequent(self.untestable)
        in_groups, nowhere = (plural(number, "query", "queries") for number in (self.word_by_word, self.without_word))
        lines = {
            f"{untested} left out, because the corpus has nothing to test: {names}.": self.untestable,
            f"{in_groups} with groups or constraints matched word by word, not as sequences.": self.word_by_word,
            f"{nowhere} left out, because no word of the corpus with the category matches.": self.without_word,
        }
        return [line for line, number in lines.items() if number]

    def _hits(self, expression: Expression) -> Any:
        """Mask of the distinct words that an expression matches."""
        if isinstance(expression, Test):
            if expression not in self._masks:
                self._masks[expression] = self._test(expression)
            return self._masks[expression]
        parts = [self._hits(part) for part in expression.of]
        if expression.how == "not":
            return ~parts[0]
        if expression.how == "any":
            return np.logical_or.reduce(parts)
        return np.logical_and.reduce(parts) if parts else np.ones(len(self._sizes), dtype=bool)

    def _test(self, test: Test) -> Any:
        kind, category = self.attributes.meaning(test.attribute)
        column = TAG if kind == CATEGORY else kind
        if test.value is None or column not in self._codes:
            raise UntestableError(test.attribute)
        pattern = compile_value(test)

        def fits(text: str) -> bool:
            pieces = text.split("|") if test.operator in ("contains", "matches") else [text]
            return any(pattern.fullmatch(strip_diacritics(piece, test.flags)) is not None for piece in pieces)

        if kind == CATEGORY:
            values = [
                [value for tag in cell for name, value in ((POS, tag.pos), *tag.values) if name == category]
                for cell in self.analyses
            ]
        elif isinstance(self.attributes.tagset, Feats) and test.attribute.casefold() == "feats":
            values = [[text.partition(" ")[2]] for text in self._vocabulary[column]]
        else:
            values = [[text] for text in self._vocabulary[column]]
        hits = np.array([any(map(fits, cell)) for cell in values], dtype=bool)
        return hits[self._codes[column]] ^ test.negated


def _as_counter(sizes: Any) -> Counter[int]:
    return Counter({code: int(sizes[code]) for code in np.flatnonzero(sizes).tolist()})
