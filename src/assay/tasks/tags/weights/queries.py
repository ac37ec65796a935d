"""Weights from a log of corpus queries: how often users ask for each category.

Acedański & Przepiórkowski 2010, sections 2.3.3 and 3. As the paper's Table 1 counts "occurrences of queries
involving particular grammatical categories", a category counts once per query; `mentions` counts each test.

Conditional weights (section 2.4) have two sources. From the log alone they are approximate: a category in a
bracket that fixes the part of speech counts for it (for each of several), in a bracket that fixes none for all.
From a corpus: the paper says that "a query for a sequence of 5 genitive words occurring in logs would have to be
rerun on the corpus again in order to find out parts of speech of the returned 5-word sequences". We read this as
follows. The query is matched on the corpus; each word that one of its expressions matches there and that has the
category counts the category for the word's part of speech. The paper does not say how a query with many results
weighs against one with few. Since weights are to correspond to frequencies *in queries*, the count of a query is by
default shared out over the words it matches, so that n(c|p) summed over p is the n(c) of the unconditional weights;
with `count="words"` each matched word counts fully. A query that is a sequence of token expressions, with or without
repetitions, is matched as a sequence within sentences, at every word where it can begin; one with groups or
constraints is taken word by word, and how many were is said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, unknown
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.weights.attributes import CATEGORY, TAG, Attributes, read_aliases
from assay.tasks.tags.weights.cqp import (
    All,
    Expression,
    Not,
    QueryError,
    Repeat,
    Test,
    compiled,
    parse_sequence,
    tests,
)
from assay.tasks.tags.weights.inputs import MOST_LISTED, changed_on, frequent, lines, plural, tagged
from assay.tasks.tags.weights.patterns import matching_classes, parts_of_speech, universe
from assay.tasks.tags.weights.table import ANY, POS, Made, Provenance, Weights, classes

if TYPE_CHECKING:
    from assay.tasks.tags.weights.matching import Matcher

UNITS = ("queries", "mentions")
COUNTS = ("shares", "words")
_SPECIAL = frozenset(r"\.[](){}*+?|^$")
Given = dict[tuple[str, str], Fraction]


@dataclass(frozen=True)
class Query:
    """A query: how often it was asked, and its token expressions."""

    count: int
    expressions: tuple[Expression, ...]
    repeats: tuple[Repeat, ...] | None = None
    """How often each expression may follow itself, where the query is a plain sequence of them."""

    @property
    def is_sequence(self) -> bool:
        """Whether neighbours matter and can be matched."""
        return self.repeats is not None and (len(self.expressions) > 1 or self.repeats != ((1, 1),))


@dataclass
class Log:
    """The distinct queries of a file, and the lines that could not be read with the reason."""

    path: str
    lines: int = 0
    queries: list[Query] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: str) -> Log:
        """Lines `query` or `count TAB query`; what was asked many times is read once."""
        log = cls(path)
        asked: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for number, line in lines(path):
            log.lines += 1
            count, query = _counted(line)
            asked[query].append((number, count))
        faults: list[tuple[int, str]] = []
        for query, places in asked.items():
            faults += log._add(query, places)
        log.unread = [f"{path}:{number}: {fault}" for number, fault in sorted(faults)]
        return log

    def _add(self, query: str, places: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
        """Take a query in; returns the lines that cannot be read, and why."""
        try:
            found, repeats = parse_sequence(query)
            expressions = tuple(found)
            for test in (test for expression in expressions for test in tests(expression)):
                # Most values are plain words, and to compile each would take most of the time.
                if _SPECIAL.intersection(test.value or ""):
                    compiled(test)
        except (QueryError, RecursionError) as error:
            reason = str(error) if isinstance(error, QueryError) else "too deeply nested"
            return [(number, f"{reason}: {query}") for number, _ in places]
        whole = [int(count) for _, count in places if count.isascii() and count.isdigit()]
        if whole:
            self.queries.append(Query(sum(whole), expressions, None if repeats is None else tuple(repeats)))
        return [
            (number, f"the count {count!r} is no whole number: {query}")
            for number, count in places
            if not (count.isascii() and count.isdigit())
        ]


def _counted(line: str) -> tuple[str, str]:
    first, tab, rest = line.strip().partition("\t")
    return (first.strip(), rest.strip()) if tab and not set(first) - set("0123456789.,+-e ") else ("1", line.strip())


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
) -> Made:
    """Weights from the queries of a file; with a `corpus`, conditional ones by matching the queries on it."""
    for kind, name, known in (("unit", unit, UNITS), ("way to count", count, COUNTS)):
        if name not in known:
            raise unknown(kind, name, known)
    attributes = Attributes(tagset, read_aliases(aliases, tagset) if aliases else {})
    log = Log.read(path)
    total = _total(log.queries, attributes, unit)
    if not total:
        reason = _unread(log) or ["None of its queries names one."]
        raise InputError(f"{path}: no query about a category of the tagset {tagset.name}. {reason[0]}")
    found = [*_unread(log), *_foreign(log, attributes)]
    w: Any = {**total, ANY: Fraction(0)}
    note = ""
    if corpus:
        from assay.tasks.tags.weights.matching import Matcher

        matching = _Matching(Matcher(*tagged(corpus, column, tagset), attributes), unit, count)
        w = {**_rows(matching.given(log.queries)), ANY: {ANY: Fraction(0)}}
        found += matching.warnings()
        note = f"by the words of {corpus} that the queries match, counted as {count}"
    elif conditional:
        w = _approximate(log.queries, attributes, unit)
        note = "approximate: parts of speech as far as the queries name them"
    counts = {
        "queries": sum(query.count for query in log.queries),
        "lines": log.lines,
        "unread": len(log.unread),
    }
    inputs = tuple(name for name in (path, aliases, corpus) if name)
    provenance = Provenance("query-log", unit, "", inputs, counts, changed_on(path), note)
    return Made(Weights("cwpa" if corpus or conditional else "wpa", w, provenance), tuple(found))


def mentioned(expression: Expression, attributes: Attributes) -> Counter[str]:
    """How often each category is mentioned in a token expression."""
    return Counter(category for test in tests(expression) for category in attributes.involved(test))


def _total(queries: Sequence[Query], attributes: Attributes, unit: str) -> dict[str, Fraction]:
    total: Counter[str] = Counter()
    for query in queries:
        found = Counter[str]()
        for expression in query.expressions:
            found += mentioned(expression, attributes)
        for category, times in found.items():
            total[category] += query.count * (times if unit == "mentions" else 1)
    return {category: Fraction(times) for category, times in total.items() if times}


# --- conditional, by what the queries say ---


def _approximate(queries: Sequence[Query], attributes: Attributes, unit: str) -> dict[str, dict[str, Fraction]]:
    """n(c|p): brackets that fix p; and those that fix none, which are the row of any part of speech."""
    free: Counter[str] = Counter()
    own: Counter[tuple[str, str]] = Counter()
    for query in queries:
        anywhere, given = _mentions(query, attributes)
        once = unit == "queries"
        for category, times in anywhere.items():
            free[category] += query.count * (1 if once else times)
        for (pos, category), times in given.items():
            if not once or category not in anywhere:
                own[pos, category] += query.count * (1 if once else times)
    given_rows = _rows({key: Fraction(times + free[key[1]]) for key, times in own.items() if times})
    return {**given_rows, ANY: {**{category: Fraction(times) for category, times in free.items()}, ANY: Fraction(0)}}


def _mentions(query: Query, attributes: Attributes) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    listed = classes(attributes.tagset)
    anywhere: Counter[str] = Counter()
    given: Counter[tuple[str, str]] = Counter()
    for expression in query.expressions:
        found = mentioned(expression, attributes)
        fixed = fixed_pos(expression, attributes)
        if fixed is None:
            anywhere += found
            continue
        for category, times in found.items():
            for pos in fixed:
                if category == POS or category in listed.get(pos, (category,)):
                    given[pos, category] += times
    return anywhere, given


def fixed_pos(expression: Expression, attributes: Attributes) -> frozenset[str] | None:
    """The parts of speech that an expression leaves possible; None where that is any, or where none is known."""
    fixed = _fixed(expression, attributes, negated=False)
    return fixed if fixed and fixed != universe(attributes.tagset) else None


def _fixed(expression: Expression, attributes: Attributes, *, negated: bool) -> frozenset[str] | None:
    if isinstance(expression, Test):
        return _fixed_by_test(expression, attributes, negated=negated ^ expression.negated)
    if isinstance(expression, Not):
        return _fixed(expression.of, attributes, negated=not negated)
    parts = [_fixed(part, attributes, negated=negated) for part in expression.of]
    known = [part for part in parts if part is not None]
    # The opposite of a conjunction is a disjunction, and the other way round.
    if isinstance(expression, All) != negated:
        return frozenset.intersection(*known) if known else None
    return frozenset.union(*known) if known and len(known) == len(parts) else None


def _fixed_by_test(test: Test, attributes: Attributes, *, negated: bool) -> frozenset[str] | None:
    kind, category = attributes.meaning(test.attribute)
    if test.value is None:
        return None
    if kind == TAG:
        # Not to be `subst:sg:.*` leaves other nouns.
        return None if negated else parts_of_speech(test.value, attributes.tagset)
    if kind != CATEGORY or category != POS:
        return None
    named = matching_classes(test.value, attributes.tagset)
    if not negated or named is None:
        return named
    return universe(attributes.tagset) - named or None


# --- conditional, by the words that match ---


@dataclass
class _Matching:
    matcher: Matcher
    unit: str
    count: str
    untestable: Counter[str] = field(default_factory=Counter)
    without_word: int = 0
    word_by_word: int = 0

    def given(self, queries: Sequence[Query]) -> Given:
        """The count of each category given the part of speech of the words that match."""
        total: Given = defaultdict(Fraction)
        for query in queries:
            found = False
            wanted = False
            for category, times, tags in self._groups(query):
                words = {tag: size for tag, size in tags.items() if self.matcher.has(tag, category)}
                wanted, found = True, found or bool(words)
                each = Fraction(query.count * times, 1 if self.count == "words" else sum(words.values()) or 1)
                for tag, size in words.items():
                    total[self.matcher.analyses[tag][0].pos, category] += each * size
            self.without_word += query.count if wanted and not found else 0
        return total

    def _groups(self, query: Query) -> Iterator[tuple[str, int, Counter[int]]]:
        """Category, number of mentions, and the tags of the words; a query's expressions pooled or one by one."""
        pooled: dict[str, Counter[int]] = defaultdict(Counter)
        in_sequence = self._in_sequence(query)
        for index, expression in enumerate(query.expressions):
            mentions = mentioned(expression, self.matcher.attributes)
            if in_sequence is not None:
                tags: Counter[int] | None = in_sequence[index]
            else:
                tags = self._matched(expression) if mentions else None
            for category, times in mentions.items() if tags is not None else ():
                if self.unit == "mentions":
                    yield category, times, tags or Counter()
                else:
                    pooled[category].update(tags or {})
        for category, words in pooled.items():
            yield category, 1, words

    def _in_sequence(self, query: Query) -> list[Counter[int]] | None:
        """The tags of the words of the sequences that a query matches; None where it is to be taken word by word."""
        from assay.tasks.tags.weights.matching import UntestableError

        if query.repeats is None or not query.is_sequence:
            self.word_by_word += len(query.expressions) > 1
            return None
        try:
            return self.matcher.matched_in_sequence(query.expressions, query.repeats)
        except UntestableError:
            # What the corpus cannot test is found out, and said, expression by expression.
            return None

    def _matched(self, expression: Expression) -> Counter[int] | None:
        from assay.tasks.tags.weights.matching import UntestableError

        try:
            return self.matcher.matched(expression)
        except UntestableError as error:
            self.untestable[str(error)] += 1
            return None

    def warnings(self) -> list[str]:
        found = []
        if self.untestable:
            number = plural(self.untestable.total(), "token expression")
            found.append(f"{number} left out, since the corpus has nothing to test: {frequent(self.untestable)}.")
        if self.word_by_word:
            number = plural(self.word_by_word, "query", "queries")
            found.append(f"{number} with groups or constraints matched word by word, not as sequences.")
        if self.without_word:
            number = plural(self.without_word, "query", "queries")
            found.append(f"{number} left out, since no word of the corpus that has the category matches.")
        return found


# --- what was left out ---


def _rows(given: Mapping[tuple[str, str], Fraction]) -> dict[str, dict[str, Fraction]]:
    rows: dict[str, dict[str, Fraction]] = defaultdict(dict)
    for (pos, category), weight in given.items():
        rows[pos][category] = weight
    return dict(rows)


def _unread(log: Log) -> list[str]:
    if not log.unread:
        return []
    more = len(log.unread) - MOST_LISTED
    return [
        f"{plural(len(log.unread), 'line')} of {log.path} could not be read, so left out.",
        *log.unread[:MOST_LISTED],
        *([f"… and {plural(more, 'more line')}."] if more > 0 else []),
    ]


def _foreign(log: Log, attributes: Attributes) -> list[str]:
    """Attributes that are neither categories nor known not to be any."""
    counts: Counter[str] = Counter()
    for query in log.queries:
        names = {test.attribute for expression in query.expressions for test in tests(expression)}
        counts.update({name: query.count for name in names if not attributes.meaning(name)[0]})
    if not counts:
        return []
    return [
        f"attributes that the tagset {attributes.tagset.name} does not have: {frequent(counts)}. "
        "Say with --aliases what they are."
    ]
