"""Gold's and a system's chains of mentions over the same words, ready to be compared."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from assay.align import Pair
from assay.arrays import (
    NONE,
    Bools,
    Ints,
    Stretches,
    as_codes,
    atoms_at,
    chosen_stretches,
    distinct_rows,
    numbers_of_runs,
)
from assay.corpus import Chains, Column, Corpus
from assay.engine.matching import shared_size, span_sizes
from assay.errors import MOST_PROBLEMS, InputError, UsageError, listed
from assay.tasks.coreference.chains import (
    ERRORS,
    Mentions,
    Table,
    chain_errors,
    equal_pairs,
    in_order,
    linked,
    table,
    with_same_heads,
)

MATCHES = ("exact", "head")
NOUN = "NOUN"
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NE", "NOUN", "PROPN"})
"""Nouns in the tagsets of Penn and Stuttgart, and in UPOS."""
COMPAREVAL, HEAD = "compareval", "head"
"""The rules of types that have a name."""


# --- repeated mentions ---


def without_duplicates(corpus: Corpus, policy: str) -> tuple[Corpus, int]:
    """The corpus with each span in one chain at most, and how many others were left out."""
    chains = corpus.chains
    assert chains is not None
    (place,), places = _number_spans([chains])
    if len(places) == len(chains):
        return corpus, 0
    _, firsts = np.unique(place, return_index=True)
    repeated = np.setdiff1d(np.arange(len(chains)), firsts)
    first = firsts[place[repeated]]
    if policy != "error":
        gone = np.concatenate([repeated, first]) if policy == "drop" else repeated
        kept = np.setdiff1d(np.arange(len(chains)), gone)
        return replace(corpus, chains=take_mentions(chains, kept)), len(chains) - len(kept)
    lines = []
    for one, other in zip(first[:MOST_PROBLEMS].tolist(), repeated[:MOST_PROBLEMS].tolist(), strict=True):
        document, begin, end = (int(column[other]) for column in (chains.document, chains.begin, chains.end))
        starts = corpus.document_starts
        path = corpus.name if starts is None else corpus.path_of(int(starts[document]))
        words = f"word {end} of" if end - begin == 1 else f"words {begin + 1} to {end} of"
        verb = "is" if end - begin == 1 else "are"
        names = [chains.names[chains.chain[mention]] for mention in (one, other)]
        where = f"in chain {names[0]} twice" if names[0] == names[1] else f"in the chains {names[0]} and {names[1]}"
        name = corpus.document_name(document)
        lines.append(f"{path}:{int(chains.lines[other])}: {words} {name} {verb} {where}")
    remedy = "To keep the first of them: --duplicates first; to leave them all out: --duplicates drop"
    raise InputError("\n".join([*listed(lines, len(repeated)), remedy]))


def take_mentions(chains: Chains, rows: Ints) -> Chains:
    """Some of the mentions, in the order of `rows`."""
    return replace(
        chains,
        document=chains.document[rows],
        begin=chains.begin[rows],
        end=chains.end[rows],
        chain=chains.chain[rows],
        lines=chains.lines[rows],
        heads=None if chains.heads is None else chains.heads[rows],
        stretches=chosen_stretches(chains.stretches, rows),
    )


# --- places ---


@dataclass(frozen=True, eq=False)
class Places:
    """Different spans, by document, first and last word."""

    document: Ints
    begin: Ints
    end: Ints
    gaps: Mapping[int, Stretches]
    """The stretches of words of those with gaps."""

    def __len__(self) -> int:
        return len(self.document)

    def shape(self, place: int) -> Stretches:
        """The stretches of words of a span in its document."""
        return atoms_at(place, self.begin, self.end, self.gaps)

    def identity(self, place: int) -> Hashable:
        """A key that tells a span from all others, whatever it was numbered with."""
        return int(self.document[place]), self.shape(place)

    def keys(self, words: Ints) -> Ints:
        """A number for each span that is the same whatever it was numbered with; `words`: each document's first."""
        first = words[self.document]
        keys = ((first + self.begin) << 31) + first + self.end
        for place, shape in self.gaps.items():
            # Few spans have gaps; those with the same ends must not be taken for each other.
            keys[place] = -2 - (hash((int(first[place]), shape)) & (1 << 61) - 1)
        return np.asarray(keys)

    def shared(self, ours: Ints, theirs: Ints) -> Ints:
        """The number of words that two spans of one document have in common, of each pair."""
        numbers = np.minimum(self.end[ours], self.end[theirs]) - np.maximum(self.begin[ours], self.begin[theirs])
        with_gaps = np.array(list(self.gaps), dtype=np.int64)
        for row in np.flatnonzero(np.isin(ours, with_gaps) | np.isin(theirs, with_gaps)).tolist():
            numbers[row] = shared_size(self.shape(int(ours[row])), self.shape(int(theirs[row])))
        return np.asarray(np.maximum(numbers, 0))

    def words(self) -> Ints:
        """The number of words of each."""
        return span_sizes(self.begin, self.end, self.gaps)


def _number_spans(sides: list[Chains]) -> tuple[list[Ints], Places]:
    """The number of each mention's span on each side, equal spans having equal numbers, and the spans."""
    found = sorted({shape for chains in sides for shape in chains.stretches.values()})
    shapes = {shape: number for number, shape in enumerate(found, 1)}
    gaps = [np.zeros(len(chains), dtype=np.int64) for chains in sides]
    for column, chains in zip(gaps, sides, strict=True):
        for mention, shape in chains.stretches.items():
            column[mention] = shapes[shape]
    columns = [[getattr(c, name) for c in sides] for name in ("document", "begin", "end")]
    rows = np.stack([np.concatenate(column) for column in (*columns, gaps)], axis=1).astype(np.int64)
    distinct, number, _ = distinct_rows(rows)
    document, begin, end, gap = distinct.T.copy()
    places = Places(document, begin, end, {place: found[gap[place] - 1] for place in np.flatnonzero(gap).tolist()})
    return np.split(number, np.cumsum([len(chains) for chains in sides])[:-1]), places


# --- kinds of mentions ---


@dataclass(frozen=True)
class TypeRule:
    """The kind of mention that a tag makes, and the kinds that are nominal."""

    name: str = COMPAREVAL
    types: Mapping[str, str] = field(default_factory=dict)
    nominal: frozenset[str] = frozenset({NOUN})
    longer: str | None = NOUN
    """The type of mentions of more than one word; None: that of their head, or last word."""

    def of(self, tag: str, words: int) -> str:
        """The type of a mention."""
        if words > 1 and self.longer is not None:
            return self.longer
        if self.types:
            return self.types.get(tag, tag)
        return NOUN if tag in NOUN_TAGS else tag


@dataclass(frozen=True, eq=False)
class ChainPair:
    """Both sides' mentions, numbered so that equal spans have equal numbers."""

    gold: Chains
    system: Chains
    documents: int
    first_sentence: Ints
    """The gold sentence that each document begins with: what is counted in a document is counted there."""
    exact: tuple[Ints, Ints]
    """The number of each gold mention's and each system mention's span."""
    places: Places
    """The spans."""
    first_word: Ints
    """The gold word that each document begins with."""
    types: Column | None
    """The type of each span, by gold's tags."""
    nominal: Bools | None
    names: tuple[str, ...]
    """The documents."""
    _tables: dict[tuple[str, bool], Table] = field(default_factory=dict)
    _mentions: dict[tuple[str, bool], tuple[Mentions, Mentions]] = field(default_factory=dict)

    def mentions(self, match: str = "exact", singletons: bool = True) -> tuple[Mentions, Mentions]:
        """Both sides as the metrics take them."""
        key = (match, singletons)
        if key not in self._mentions:
            sides = (self.gold, self.system)
            rows = [np.arange(len(side)) if singletons else np.flatnonzero(linked(side.chain)) for side in sides]
            places = (self.exact[0][rows[0]], self.exact[1][rows[1]]) if match == "exact" else self._by_heads(*rows)
            found = []
            for side, kept, place in zip(sides, rows, places, strict=True):
                rank = np.empty(len(side), dtype=np.int64)
                rank[in_order(side.document, side.begin, side.end, np.arange(len(side)))] = np.arange(len(side))
                found.append(Mentions(side.document[kept], place, side.chain[kept], rank[kept]))
            self._mentions[key] = found[0], found[1]
        return self._mentions[key]

    def _by_heads(self, ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
        """Numbers for some mentions of each side, the same for two that go together by their heads.

        Equal spans with equal heads do so first, then what is left, as `with_same_heads` has it.
        """
        sides = ((self.gold, ours), (self.system, theirs))
        heads = []
        for chains, rows in sides:
            if chains.heads is None or (chains.heads[rows] == NONE).any():
                raise UsageError("match=head needs the heads of mentions, which these files do not have.")
            heads.append(self.first_word[chains.document[rows]] + chains.heads[rows])
        place = self.exact[0][ours], self.exact[1][theirs]
        numbers = np.arange(len(ours)), len(ours) + np.arange(len(theirs))
        _, a, b = np.intersect1d(*place, assume_unique=True, return_indices=True)
        equal = heads[0][a] == heads[1][b]
        numbers[1][b[equal]] = a[equal]
        # By first and last word, number of words and head, whatever the order of the file.
        words = self.places.words()
        columns = words, self.places.end, self.places.begin, self.places.document
        left, span = [], []
        for side, matched, head in zip(place, (a, b), heads, strict=True):
            rows = np.setdiff1d(np.arange(len(side)), matched[equal])
            rows = rows[np.lexsort((side[rows], head[rows], *(column[side[rows]] for column in columns)))]
            left.append(rows)
            span.append(side[rows])
        in_gold, in_system = with_same_heads(
            heads[0][left[0]],
            heads[1][left[1]],
            words[span[0]],
            lambda one, other: self.places.shared(span[0][one], span[1][other]),
        )
        numbers[1][left[1][in_system]] = left[0][in_gold]
        return numbers

    def against(self, other: ChainPair) -> ChainPair:
        """This pair's system taken as gold for another's; types are of no account there."""
        (ours, theirs), places = _number_spans([self.system, other.system])
        return replace(
            self,
            gold=self.system,
            system=other.system,
            exact=(ours, theirs),
            places=places,
            types=None,
            nominal=None,
            _tables={},
            _mentions={},
        )

    def table(self, match: str, singletons: bool) -> Table:
        """The table of how many mentions each two chains share, kept: all metrics rest on it."""
        key = (match, singletons)
        if key not in self._tables:
            self._tables[key] = table(*self.mentions(match, singletons), self.documents)
        return self._tables[key]

    def errors(self) -> dict[str, int]:
        """The number of errors in the system's chains, by kind."""
        found = chain_errors(*self.mentions(), self.span_errors(), self.documents)
        return dict(zip(ERRORS, found.sum(axis=0).tolist(), strict=True))

    def span_errors(self) -> tuple[Ints, Ints]:
        """Gold's mentions that the system lacks, and which of its spurious ones is each of them with a wrong span.

        They have the same head or, where heads are not known, the first or the last word in common. Each is taken
        once, those with the most words in common first, then those whose chains have other mentions in common.
        """
        ours, theirs = self.exact
        missing, spurious = (
            np.flatnonzero(~np.isin(side, other)) for side, other in ((ours, theirs), (theirs, ours))
        )
        sides = ((self.gold, missing), (self.system, spurious))
        known = all(chains.heads is not None and (chains.heads >= 0).all() for chains, _ in sides)
        pairs = []
        for name in ("heads",) if known else ("begin", "end"):
            words = [self.first_word[chains.document[rows]] + getattr(chains, name)[rows] for chains, rows in sides]
            pairs.append(equal_pairs(*words))
        a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
        a, b = missing[a], spurious[b]
        shared = self.places.shared(ours[a], theirs[b])
        related = np.isin(self._cells(a, b), self._cells(*np.intersect1d(ours, theirs, return_indices=True)[1:]))
        taken: dict[int, int] = {}
        used: set[int] = set()
        for row in np.lexsort((b, a, ~related, -shared)).tolist():
            one, other = int(a[row]), int(b[row])
            if one not in taken and other not in used:
                taken[one] = other
                used.add(other)
        return np.array(list(taken), dtype=np.int64), np.array(list(taken.values()), dtype=np.int64)

    def _cells(self, ours: Ints, theirs: Ints) -> Ints:
        """A number for the two chains of a mention of gold and one of the system."""
        return np.asarray(self.gold.chain[ours] * len(self.system.names) + self.system.chain[theirs])


def chain_pair(gold: Corpus, system: Corpus, rule: TypeRule, tags: str | None) -> ChainPair:
    """Gold's chains and a system's over the same documents."""
    ours, theirs = gold.chains, system.chains
    assert ours is not None and theirs is not None
    assert gold.document_starts is not None
    exact, places = _number_spans([ours, theirs])
    words = gold.starts[gold.document_starts[:-1]]
    types = None
    if tags is not None:
        heads = _head_words(gold, [(ours, exact[0]), (theirs, exact[1])], places, words)
        column, known = gold.column(tags), dict[str, int]()
        codes = as_codes([rule.of(tag, 1) for tag in column.vocabulary], known)[column.codes[heads]]
        if rule.longer is not None:
            codes = np.where(places.words() > 1, as_codes([rule.longer], known)[0], codes)
        types = Column(codes, tuple(known))
    return ChainPair(
        gold=ours,
        system=theirs,
        documents=gold.documents,
        first_sentence=gold.document_starts[:-1],
        exact=(exact[0], exact[1]),
        places=places,
        first_word=words,
        types=types,
        nominal=None if types is None else types.isin(rule.nominal),
        names=tuple(gold.document_name(document) for document in range(gold.documents)),
    )


def _head_words(gold: Corpus, sides: list[tuple[Chains, Ints]], places: Places, words: Ints) -> Ints:
    """The word that each span's type comes from: its head in gold's tree or by its file, else its last word."""
    first, end = (words[places.document] + side for side in (places.begin, places.end))
    heads = end - 1
    if gold.heads is not None:
        owner = np.repeat(np.arange(len(places)), end - first)
        word = numbers_of_runs(first, end - first)
        # The first word that hangs on none of the others; in a tree there is one at least.
        outside = (gold.heads[word] < first[owner]) | (gold.heads[word] >= end[owner])
        found, place = np.unique(owner[outside], return_index=True)
        heads[found] = word[outside][place]
        for number, shape in places.gaps.items():
            # The words in its gaps are none of its own.
            own = int(words[places.document[number]]) + np.concatenate([np.arange(*part) for part in shape])
            heads[number] = next(iter(own[~np.isin(gold.heads[own], own)]), own[-1])
        return np.asarray(heads)
    for chains, numbers in reversed(sides):
        if chains.heads is not None:
            known = chains.heads >= 0
            heads[numbers[known]] = words[chains.document[known]] + chains.heads[known]
    return np.asarray(heads)


def chains_of(pair: Pair) -> ChainPair:
    """The mentions and chains of both sides."""
    chains = pair.layer(ChainPair)
    if chains is None:
        raise UsageError("this measure is about chains of mentions. Say --task coreference")
    return chains
