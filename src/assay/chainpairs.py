"""Gold's and a system's chains of mentions over the same words, ready to be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.arrays import Bools, Ints, Stretches
from assay.chains import Mentions, Table, table, without_singletons
from assay.corpus import Chains, Column, Corpus
from assay.errors import InputError, UsageError

DUPLICATES = ("error", "first", "drop")
MATCHES = ("exact", "head")
NOUN = "NOUN"
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NE"})
MOST = 20


# --- repeated mentions ---


def without_duplicates(corpus: Corpus, policy: str) -> tuple[Corpus, str]:
    """The corpus with each span in one chain at most, and what was done about others."""
    chains = corpus.chains
    assert chains is not None
    first, repeated = _repeated(chains)
    if not len(repeated):
        return corpus, ""
    if policy == "error":
        remedy = "To keep the first of them: --duplicates first; to leave them all out: --duplicates drop"
        raise InputError("\n".join([*_named(corpus, first, repeated), remedy]))
    gone = np.zeros(len(chains), dtype=bool)
    gone[repeated] = True
    if policy == "drop":
        gone[first] = True
    number = int(gone.sum())
    what = "1 repeated mention was" if number == 1 else f"{number:,} repeated mentions were"
    return replace(corpus, chains=chosen(chains, ~gone)), f"{what} left out (--duplicates {policy})."


def _repeated(chains: Chains) -> tuple[Ints, Ints]:
    """For each mention that repeats a span before it the first one with that span, and the mention itself."""
    keys: dict[tuple[int, Stretches], int] = {}
    first, repeated = [], []
    rows = zip(chains.document.tolist(), chains.begin.tolist(), chains.end.tolist(), strict=True)
    for mention, (document, begin, end) in enumerate(rows):
        key = (document, chains.stretches.get(mention) or ((begin, end),))
        known = keys.setdefault(key, mention)
        if known != mention:
            first.append(known)
            repeated.append(mention)
    return np.array(first, dtype=np.int64), np.array(repeated, dtype=np.int64)


def _named(corpus: Corpus, first: Ints, repeated: Ints) -> Iterator[str]:
    chains = corpus.chains
    assert chains is not None
    for one, other in list(zip(first.tolist(), repeated.tolist(), strict=True))[:MOST]:
        starts = corpus.document_starts
        path = corpus.name if starts is None else corpus.path_of(int(starts[chains.document[other]]))
        one_word = int(chains.end[other]) - int(chains.begin[other]) == 1
        words = f"words {chains.begin[other] + 1} to {chains.end[other]}"
        words = f"word {chains.end[other]}" if one_word else words
        names = [chains.names[chains.chain[mention]] for mention in (one, other)]
        where = f"in chain {names[0]} twice" if names[0] == names[1] else f"in the chains {names[0]} and {names[1]}"
        name = corpus.document_name(int(chains.document[other]))
        verb = "is" if one_word else "are"
        yield f"{path}:{int(chains.lines[other])}: {words} of {name} {verb} {where}"
    if len(repeated) > MOST:
        yield f"… and {len(repeated) - MOST:,} more places"


def chosen(chains: Chains, kept: Bools) -> Chains:
    """Some of the mentions."""
    place = np.cumsum(kept) - 1
    return replace(
        chains,
        document=chains.document[kept],
        begin=chains.begin[kept],
        end=chains.end[kept],
        chain=chains.chain[kept],
        lines=chains.lines[kept],
        heads=None if chains.heads is None else chains.heads[kept],
        stretches={int(place[number]): shape for number, shape in chains.stretches.items() if kept[number]},
    )


# --- kinds of mentions ---


@dataclass(frozen=True)
class TypeRule:
    """What kind of mention a tag makes, and which kinds are nominal."""

    name: str = "compareval"
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
    heads: tuple[Ints, Ints] | None
    """The same by head words, where these are known."""
    place_document: Ints
    place_begin: Ints
    place_end: Ints
    shapes: tuple[Stretches, ...]
    """The words of each span."""
    types: Column | None
    """The type of each span, by gold's tags."""
    nominal: Bools | None
    names: tuple[str, ...]
    """The documents."""
    _tables: dict[tuple[str, bool], Table] = field(default_factory=dict)

    def mentions(self, match: str = "exact", singletons: bool = True) -> tuple[Mentions, Mentions]:
        """Both sides as the metrics take them."""
        if match == "head" and self.heads is None:
            raise UsageError("match=head needs the heads of mentions, which these files do not have.")
        places = self.exact if match == "exact" else self.heads
        assert places is not None
        sides = [
            Mentions(chains.document, place, chains.chain, _order(chains))
            for chains, place in zip((self.gold, self.system), places, strict=True)
        ]
        if not singletons:
            sides = [without_singletons(side) for side in sides]
        return sides[0], sides[1]

    def against(self, other: ChainPair) -> ChainPair:
        """This pair's system taken as gold for another's; types are of no account there."""
        keys = [_spans(chains) for chains in (self.system, other.system)]
        known = {key: number for number, key in enumerate(sorted({*keys[0], *keys[1]}))}
        exact = [np.array([known[key] for key in side], dtype=np.int64) for side in keys]
        return replace(
            self,
            gold=self.system,
            system=other.system,
            exact=(exact[0], exact[1]),
            heads=None,
            types=None,
            nominal=None,
            _tables={},
        )

    def table(self, match: str, singletons: bool) -> Table:
        """How many mentions each gold chain and each system chain share, kept: all metrics rest on it."""
        key = (match, singletons)
        if key not in self._tables:
            self._tables[key] = table(*self.mentions(match, singletons), self.documents)
        return self._tables[key]


def _order(chains: Chains) -> Ints:
    """The rank of each mention by document, first and last word."""
    order = np.lexsort((chains.end, chains.begin, chains.document))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def chain_pair(gold: Corpus, system: Corpus, rule: TypeRule, tags: str | None) -> ChainPair:
    """Gold's chains and a system's over the same documents."""
    ours, theirs = gold.chains, system.chains
    assert ours is not None and theirs is not None
    assert gold.document_starts is not None
    keys = [_spans(chains) for chains in (ours, theirs)]
    known = {key: number for number, key in enumerate(sorted({*keys[0], *keys[1]}))}
    exact = tuple(np.array([known[key] for key in side], dtype=np.int64) for side in keys)
    places = list(known)
    words = gold.starts[gold.document_starts[:-1]]
    types = None if tags is None else _types(gold, places, words, rule, gold.column(tags))
    return ChainPair(
        gold=ours,
        system=theirs,
        documents=gold.documents,
        first_sentence=gold.document_starts[:-1],
        exact=(exact[0], exact[1]),
        heads=_by_heads(ours, theirs, (exact[0], exact[1])),
        place_document=np.array([document for document, _ in places], dtype=np.int64),
        place_begin=np.array([shape[0][0] for _, shape in places], dtype=np.int64),
        place_end=np.array([shape[-1][1] for _, shape in places], dtype=np.int64),
        shapes=tuple(shape for _, shape in places),
        types=types,
        nominal=None if types is None else types.isin(rule.nominal),
        names=tuple(gold.document_name(document) for document in range(gold.documents)),
    )


def _spans(chains: Chains) -> list[tuple[int, Stretches]]:
    rows = zip(chains.document.tolist(), chains.begin.tolist(), chains.end.tolist(), strict=True)
    plain: list[tuple[int, Stretches]] = [(document, ((begin, end),)) for document, begin, end in rows]
    for mention, shape in chains.stretches.items():
        plain[mention] = (plain[mention][0], shape)
    return plain


def _types(
    gold: Corpus, places: Sequence[tuple[int, Stretches]], words: Ints, rule: TypeRule, tags: Column
) -> Column:
    codes, names, starts = tags.codes.tolist(), tags.vocabulary, words.tolist()
    found = []
    for document, shape in places:
        size = sum(end - begin for begin, end in shape)
        found.append(rule.of(names[codes[starts[document] + shape[-1][1] - 1]], size))
    return Column.of(found)


def _by_heads(ours: Chains, theirs: Chains, exact: tuple[Ints, Ints]) -> tuple[Ints, Ints] | None:
    """Numbers by head word: equal spans together, then those that share a head, the shorter ones first."""
    if ours.heads is None or theirs.heads is None or (ours.heads < 0).any() or (theirs.heads < 0).any():
        return None
    both = np.intersect1d(*exact)
    known: dict[tuple[int, ...], int] = {}
    numbers = []
    for chains, places in ((ours, exact[0]), (theirs, exact[1])):
        assert chains.heads is not None
        side = np.empty(len(chains), dtype=np.int64)
        seen: dict[tuple[int, int], int] = {}
        equal = np.isin(places, both)
        for mention in np.lexsort((chains.end - chains.begin, chains.heads, chains.document)).tolist():
            head = (int(chains.document[mention]), int(chains.heads[mention]))
            if equal[mention]:
                key: tuple[int, ...] = (int(places[mention]),)
            else:
                seen[head] = seen.get(head, -1) + 1
                key = (*head, seen[head])
            side[mention] = known.setdefault(key, len(known))
        numbers.append(side)
    return numbers[0], numbers[1]
