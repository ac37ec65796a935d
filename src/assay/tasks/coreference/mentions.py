"""Gold's and a system's chains of mentions over the same words, ready to be compared."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field, replace
from typing import Any, TypeVar

import numpy as np

from assay.align import Pair
from assay.arrays import (
    NONE,
    Bools,
    Ints,
    Stretches,
    all_but,
    as_codes,
    atoms_at,
    chosen_stretches,
    distinct_rows,
    numbers_of_runs,
)
from assay.corpus import Chains, Column, Corpus, Marks
from assay.engine.matching import best_pairs, overlapping, shared_size
from assay.errors import MOST_PROBLEMS, InputError, UsageError, listed, unknown
from assay.formats.emptynodes import ZERO
from assay.records import dataclass
from assay.tasks.coreference.chains import (
    ERRORS,
    Matched,
    Mentions,
    Table,
    best_alignment,
    chain_errors,
    equal_pairs,
    in_order,
    linked,
    same_places,
    table,
)
from assay.tasks.coreference.matching import ALIGNMENTS, MATCHES, Zeros, head_atoms, match_zeros, zeros_of

T = TypeVar("T")
NOUN = "NOUN"
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NE", "NOUN", "PROPN"})
"""Nouns in the tagsets of Penn and Stuttgart, and in UPOS."""
MENTION_TYPES = {"zero": (ZERO,), "pronoun": ("PRON", "DET"), "name": ("PROPN",), "noun": ("NOUN",)}
"""Types of mentions by UPOS of their heads …"""
OTHER = "other"
"""… and what is none of these."""
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
    repeated = all_but(firsts, len(chains))
    first = firsts[place[repeated]]
    if policy != "error":
        gone = np.concatenate([repeated, first]) if policy == "drop" else repeated
        kept = all_but(gone, len(chains))
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
        types=None if chains.types is None else Column(chains.types.codes[rows], chains.types.vocabulary),
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
        return Marks.on_line(self.begin, self.end, self.begin, self.gaps).lengths()


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
    zeros: tuple[Zeros, Zeros]
    """The mentions of each side whose head is an empty node."""
    heads: tuple[Ints, Ints]
    """The gold word that is the head of each mention of each side, as far as it is known."""
    upos: Column | None
    """UPOS of gold's words."""
    own_types: bool
    """True if types of mentions are not the usual ones."""
    _kept: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The thing made under a name, kept: all metrics rest on the same."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def rows(self, singletons: bool) -> tuple[Ints, Ints]:
        """The mentions of each side that take part."""
        ours, theirs = (
            np.arange(len(side)) if singletons else np.flatnonzero(linked(side.chain))
            for side in (self.gold, self.system)
        )
        return ours, theirs

    def mentions(self, singletons: bool = True) -> tuple[Mentions, Mentions]:
        """Both sides as the metrics take them."""

        def make() -> tuple[Mentions, Mentions]:
            found = []
            for side, kept, place in zip((self.gold, self.system), self.rows(singletons), self.exact, strict=True):
                rank = np.empty(len(side), dtype=np.int64)
                rank[in_order(side.document, side.begin, side.end, np.arange(len(side)))] = np.arange(len(side))
                found.append(Mentions(side.document[kept], place[kept], side.chain[kept], rank[kept]))
            return found[0], found[1]

        return self.once(("mentions", singletons), make)

    def matched(self, match: str = "exact", singletons: bool = True, zeros: str = ALIGNMENTS[0]) -> Matched:
        """The mentions of both sides that go together, one to one, by their places among `mentions`.

        Zeros by what they depend on first, if so asked; then equal ones; then those with the same head, or parts of
        gold's mention with its head.
        """
        if match not in MATCHES:
            raise unknown("way to match mentions", match, MATCHES)
        if zeros not in ALIGNMENTS:
            raise unknown("way to match zeros", zeros, ALIGNMENTS)
        if not all(len(one.mention) for one in self.zeros):
            # Step 1 has nothing to do, whatever is asked.
            zeros = "linear"
        return self.once(("matched", match, singletons, zeros), lambda: self._match(match, singletons, zeros))

    def _match(self, match: str, singletons: bool, zeros: str) -> Matched:
        if match == "exact" and zeros == "linear":
            return same_places(*self.mentions(singletons))
        rows, sides = self.rows(singletons), (self.gold, self.system)
        for chains in sides:
            if match != "exact" and chains.heads is None and len(chains):
                raise UsageError(f"match={match} needs the heads of mentions, which these files do not have.")
        heads = [self.first_word[chains.document] + head_atoms(chains) for chains in sides]
        words = self.places.words()
        # By first and last word, number of words and head, whatever the order of the file.
        ranks = []
        for place, kept, head in zip(self.exact, rows, heads, strict=True):
            columns = (self.places.document, self.places.begin, self.places.end, words)
            order = np.lexsort((place[kept], head[kept], *(column[place[kept]] for column in columns[::-1])))
            rank = np.full(len(place), NONE, dtype=np.int64)
            rank[kept[order]] = np.arange(len(kept))
            ranks.append(rank)
        partner = np.full(len(self.gold), NONE, dtype=np.int64)
        taken = np.zeros(len(self.system), dtype=bool)

        def take(ours: Ints, theirs: Ints) -> None:
            partner[ours], taken[theirs] = theirs, True

        def left() -> tuple[Ints, Ints]:
            """The mentions that are not matched, in the order of the text."""
            ours, theirs = rows[0][partner[rows[0]] == NONE], rows[1][~taken[rows[1]]]
            return ours[np.argsort(ranks[0][ours])], theirs[np.argsort(ranks[1][theirs])]

        if zeros == "dependent":
            take(*match_zeros(*self.zeros, ranks))
        ours, theirs = left()
        _, a, b = np.intersect1d(self.exact[0][ours], self.exact[1][theirs], assume_unique=True, return_indices=True)
        ours, theirs = ours[a], theirs[b]
        if match == "head":
            same = heads[0][ours] == heads[1][theirs]
            ours, theirs = ours[same], theirs[same]
        take(ours, theirs)
        if match != "exact":
            ours, theirs = left()
            near = equal_pairs(heads[0][ours], heads[1][theirs]) if match == "head" else self._parts(ours, theirs)
            ours, theirs = ours[near[0]], theirs[near[1]]
            places = self.exact[0][ours], self.exact[1][theirs]
            shared = self.places.shared(*places)
            best = best_pairs(ranks[0][ours], ranks[1][theirs], shared, whole=words[places[0]])
            take(ours[best], theirs[best])
        place = np.full(len(taken), NONE, dtype=np.int64)
        place[rows[1]] = np.arange(len(rows[1]))
        found = np.flatnonzero(partner[rows[0]] != NONE)
        return found, place[partner[rows[0][found]]]

    def _parts(self, ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
        """Pairs of a mention of gold and one of the system that lies in it and has its head, by their places."""
        first = self.first_word[self.gold.document[ours]]
        columns = self.gold.begin, self.gold.end, head_atoms(self.gold)
        begin, end, head = (first + column[ours] for column in columns)
        own_first = self.first_word[self.system.document[theirs]]
        begins, ends = own_first + self.system.begin[theirs], own_first + self.system.end[theirs]
        by_begin = np.argsort(begins, kind="stable")
        low = np.searchsorted(begins[by_begin], begin)
        sizes = np.searchsorted(begins[by_begin], head, side="right") - low
        a = np.repeat(np.arange(len(ours)), sizes)
        b = by_begin[numbers_of_runs(low, sizes)]
        inside = (ends[b] <= end[a]) & (ends[b] > head[a])
        a, b = a[inside], b[inside]
        gold, system = self.exact[0][ours[a]], self.exact[1][theirs[b]]
        inside = self.places.shared(gold, system) == self.places.words()[system]
        gaps = np.array(list(self.places.gaps), dtype=np.int64)
        for row in np.flatnonzero(inside & np.isin(system, gaps)).tolist():
            word = int(head[a[row]] - first[a[row]])
            inside[row] = any(low <= word < high for low, high in self.places.shape(int(system[row])))
        return a[inside], b[inside]

    def mention_types(self) -> tuple[Column, Column]:
        """The type of each mention of each side: zero, pronoun, name, noun, other; or by the rule that was given."""

        def make() -> tuple[Column, Column]:
            names = (*MENTION_TYPES, OTHER)
            if self.own_types:
                if self.types is None:
                    raise UsageError("types of mentions need tags, which gold does not have.")
                names = self.types.vocabulary
                codes = [self.types.codes[place] for place in self.exact]
                zero = names.index(ZERO) if ZERO in names else NONE
            else:
                usual = {tag: number for number, tags in enumerate(MENTION_TYPES.values()) for tag in tags}
                column = self.by_upos()
                of_tag = np.array([usual.get(tag, len(MENTION_TYPES)) for tag in column[0].vocabulary])
                codes, zero = [of_tag[one.codes] for one in column], 0
            for one, own in zip(codes, self.zeros, strict=True):
                one[own.mention] = zero
            return Column(codes[0], names), Column(codes[1], names)

        return self.once("mention types", make)

    def by_upos(self) -> tuple[Column, Column]:
        """UPOS of each mention's head in gold, of each side; ZERO for a zero."""
        if self.upos is None:
            raise UsageError("types of mentions by their heads need UPOS, which gold does not have.")
        names = tuple(dict.fromkeys((*self.upos.vocabulary, ZERO)))
        codes = [self.upos.codes[heads] for heads in self.heads]
        for one, own in zip(codes, self.zeros, strict=True):
            one[own.mention] = names.index(ZERO)
        return Column(codes[0], names), Column(codes[1], names)

    def of_type(self, name: str) -> tuple[Bools, Bools]:
        """Mask of the mentions of each side that are of a type: zero, pronoun, noun, name, or a label."""
        if name == "zero":
            sides = []
            for chains, own in zip((self.gold, self.system), self.zeros, strict=True):
                sides.append(np.isin(np.arange(len(chains)), own.mention))
            return sides[0], sides[1]
        if name in MENTION_TYPES and not self.own_types:
            ours, theirs = self.mention_types()
            return ours.isin([name]), theirs.isin([name])
        if self.types is None:
            raise UsageError(f"of={name} needs tags, which gold does not have.")
        wanted = self.types.isin([name])
        return wanted[self.exact[0]], wanted[self.exact[1]]

    def overlap(self, singletons: bool) -> Ints:
        """Documents × (words in common under the best one-to-one choice, words of gold's mentions, of the system's).

        Equal mentions are in a best choice whatever else is.
        """
        words, places = self.places.words(), self.exact
        ours, theirs = self.rows(singletons)
        equal = np.intersect1d(places[0][ours], places[1][theirs], assume_unique=True)
        rest = np.setdiff1d(places[0][ours], equal), np.setdiff1d(places[1][theirs], equal)
        lines = [
            Marks.on_line(first + self.places.begin[side], first + self.places.end[side], side)
            for side in rest
            for first in (self.first_word[self.places.document[side]],)
        ]
        a, b, _ = overlapping(lines[0], lines[1], np.arange(len(rest[0])), np.arange(len(rest[1])))
        shared = self.places.shared(rest[0][a], rest[1][b])
        a, b, shared = a[shared > 0], b[shared > 0], shared[shared > 0]
        best = best_alignment(a, b, shared.astype(np.float64))
        columns = (
            (np.append(equal, rest[0][a[best]]), np.append(words[equal], shared[best])),
            *((side, words[side]) for side in (places[0][ours], places[1][theirs])),
        )
        sums = [np.bincount(self.places.document[place], size, self.documents) for place, size in columns]
        return np.stack(sums, axis=1).astype(np.int64)

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
            zeros=(self.zeros[1], other.zeros[1]),
            heads=(self.heads[1], other.heads[1]),
            _kept={},
        )

    def table(self, match: str = "exact", singletons: bool = True, zeros: str = ALIGNMENTS[0]) -> Table:
        """The table of how many mentions each two chains share, kept: all metrics rest on it."""
        matched = self.matched(match, singletons, zeros)
        # Matchings that are the same one are kept once, and so is their table.
        key = ("table", id(matched), singletons)
        return self.once(key, lambda: table(*self.mentions(singletons), self.documents, matched))

    def errors(self) -> dict[str, int]:
        """The number of errors in the system's chains, by kind."""
        found = chain_errors(*self.mentions(), self.span_errors(), self.documents, self.matched())
        return dict(zip(ERRORS, found.sum(axis=0).tolist(), strict=True))

    def span_errors(self) -> tuple[Ints, Ints]:
        """Gold's mentions that the system lacks, and which of its spurious ones is each of them with a wrong span.

        They have the same head or, where heads are not known, the first or the last word in common. Each is taken
        once, those with the most words in common first, then those whose chains have other mentions in common.
        """
        ours, theirs = self.exact
        matched = self.matched()
        missing, spurious = (
            np.delete(np.arange(len(side)), found) for side, found in zip(self.exact, matched, strict=True)
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
        related = np.isin(self._cells(a, b), self._cells(*matched))
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
    zeros = zeros_of(gold), zeros_of(system)
    types = None
    sides = [(ours, exact[0]), (theirs, exact[1])]
    head_words = _head_words(gold, sides, places, words)
    if tags is not None:
        column, known = gold.column(tags), dict[str, int]()
        codes = as_codes([rule.of(tag, 1) for tag in column.vocabulary], known)[column.codes[head_words]]
        if rule.longer is not None:
            codes = np.where(places.words() > 1, as_codes([rule.longer], known)[0], codes)
        for one, numbers in zip(zeros, exact, strict=True):
            if len(one.mention):
                codes[numbers[one.mention]] = as_codes([ZERO], known)[0]
        types = Column(codes, tuple(known))
    heads = []
    for chains, place in sides:
        given = np.full(len(chains), NONE) if chains.heads is None else chains.heads
        heads.append(np.where(given < 0, head_words[place], words[chains.document] + given))
    return ChainPair(
        gold=ours,
        system=theirs,
        documents=gold.documents,
        first_sentence=gold.document_starts[:-1],
        exact=(exact[0], exact[1]),
        places=places,
        first_word=words,
        types=types,
        zeros=zeros,
        heads=(heads[0], heads[1]),
        upos=gold.columns.get("UPOS"),
        own_types=rule.name != COMPAREVAL,
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
