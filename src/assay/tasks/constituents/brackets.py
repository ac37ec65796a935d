"""Phrase-structure trees of gold and a system, cleaned up by one convention: brackets over one line of kept words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Ints, Stretches, chosen_stretches, ids_of_runs
from assay.corpus import KEPT, Column, Corpus, Spans, Trees, one_vocabulary
from assay.engine.matching import SpanList, same_places
from assay.engine.spanpairs import Line, Side, SpanPair
from assay.tasks.constituents.labels import category, edge_functions, functions

TAG, EDGE = "tag", "edge"
ROOTS = ("", "TOP", "ROOT", "S1", "VROOT")
"""What a root is called; the first is a root without a name."""
_MARKS = ('"', "``", "''", "`", "'")
"""Quotation marks, as treebanks write them."""
_CUT = re.compile(r"[-=]")


@dataclass(frozen=True)
class Convention:
    """What is left out, and what is taken as equal, before brackets are compared."""

    name: str
    title: str
    """The same in a sentence."""
    deleted: frozenset[str] = frozenset()
    """Tags whose words are left out, and labels of phrases whose brackets are."""
    roots: bool = True
    """Whether a topmost node with the name of a root is no constituent."""
    lengthless: frozenset[str] = frozenset()
    """Tags of words that do not count in the length of a sentence."""
    equal: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()
    quotes: frozenset[str] = frozenset()
    """Tags of quotation marks that are put back where only one side would leave them out."""
    whole_tags: bool = False
    """EVALB's way: tags are compared as they stand, and labels are cut at - and = but not at #."""
    said: tuple[str, ...] = ()
    """What the user should know about it."""

    @cached_property
    def _classes(self) -> Mapping[str, str]:
        return classes(self.equal)

    def phrase(self, label: str) -> str:
        """The category of a phrase, as it is compared."""
        plain = label[:1] + _CUT.split(label[1:])[0] if self.whole_tags else category(label)
        return self._classes.get(plain, plain)

    def tag(self, label: str) -> str:
        """A tag, as it is compared."""
        plain = self.cut_tag(label)
        return self._classes.get(plain, plain)

    def cut_tag(self, label: str) -> str:
        """A tag, as it is looked up among those that are deleted."""
        return label if self.whole_tags else category(label)

    def deletes(self, label: str) -> bool:
        """Whether a phrase with this label is no constituent."""
        return self.phrase(label) in {self._classes.get(name, name) for name in self.deleted}


def classes(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For strings that are paired as equal, directly or through others, one that stands for all of them."""
    found: dict[str, str] = {}
    for a, b in pairs:
        kept, gone = found.setdefault(a, a), found.setdefault(b, b)
        found = {name: kept if standing == gone else standing for name, standing in found.items()}
    return found


@dataclass(frozen=True)
class Choices:
    """A convention, and which of the constituents count."""

    convention: Convention
    labelled: bool = True
    functions: bool = False
    unary: bool = True
    trivial: bool = True
    disc_only: bool = False
    cutoff: int = 0


@dataclass(frozen=True, eq=False)
class Cleaned:
    """What is compared: the brackets of both sides, and which sentences can be compared at all."""

    brackets: SpanPair
    """The sides' `index` are the numbers of nodes; the system's brackets are those of valid sentences alone."""
    counted: Bools
    """The gold sentences that are not too long."""
    errors: Bools
    """Those of them in which other words are left than in the system's …"""
    skipped: Bools
    """… and those for which the system has no tree, or no words are left in it."""
    words: Ints
    """For each sentence that is left the number of words …"""
    right_tags: Ints
    """… and how many have gold's tag."""

    @property
    def valid(self) -> Bools:
        """The sentences that can be compared."""
        return self.counted & ~self.errors & ~self.skipped


# --- nodes as spans ---


def roots(trees: Trees) -> Bools:
    """The nodes that only hold a tree: topmost ones with the name of a root, or directly below such a one."""
    named = trees.labels.isin(ROOTS)
    found = named & (trees.parent < 0)
    while (more := named & ~found & (trees.parent >= 0) & found[trees.parent]).any():
        found |= more
    return np.asarray(found)


def node_spans(corpus: Corpus) -> Spans:
    """All nodes as spans of words, in their order, with their categories as labels."""
    trees = trees_of(corpus)
    labels = trees.labels.mapped({label: category(label) for label in trees.labels.vocabulary})
    return Spans(trees.sentence, trees.begin, trees.end, labels, trees.lines, trees.stretches)


def constituent_spans(corpus: Corpus) -> Corpus:
    """The corpus with its constituents, which roots are not, as spans."""
    spans, kept = node_spans(corpus), np.flatnonzero(~roots(trees_of(corpus)))
    sentence, begin, end = (column[kept] for column in (spans.sentence, spans.begin, spans.end))
    labels = Column(spans.labels.codes[kept], spans.labels.vocabulary)
    shapes = chosen_stretches(spans.stretches, kept)
    return replace(corpus, spans=Spans.sorted(sentence, begin, end, labels, spans.lines[kept], shapes))


def with_nodes(pair: Pair) -> Pair:
    """The pair with all nodes of both sides over one line, so that they can be shown and sliced."""
    everything = [np.ones(len(corpus), dtype=bool) for corpus in (pair.gold, pair.system)]
    lines = _lines(pair, everything)
    atoms = "characters" if pair.aligned_by == "characters" else "words"
    return pair.with_layer(SpanPair.of(pair.gold, lines[0], pair.system, lines[1], atoms))


def trees_of(corpus: Corpus) -> Trees:
    """The trees of a corpus that has some."""
    assert corpus.trees is not None
    return corpus.trees


# --- sentences without a tree, and words taken as equal ---


def with_words_of(corpus: Corpus, other: Corpus) -> Corpus:
    """The corpus with the other's words in its sentences without a tree, whose own words may not be given."""
    if not corpus.unparsed or corpus.sentences != other.sentences:
        return corpus
    bare = np.zeros(corpus.sentences, dtype=bool)
    bare[list(corpus.unparsed)] = True
    starts = np.concatenate([[0], np.cumsum(np.where(bare, np.diff(other.starts), np.diff(corpus.starts)))])
    sentence = ids_of_runs(starts)
    taken = bare[sentence]
    within = np.arange(len(sentence)) - starts[sentence]
    here, there = (side.starts[sentence] + within for side in (corpus, other))
    vocabulary, (ours, theirs) = one_vocabulary([corpus.forms, other.forms])
    trees = trees_of(corpus)

    def merged(own: Ints, added: Ints | int) -> Ints:
        codes = np.full(len(sentence), added) if isinstance(added, int) else added[np.where(taken, there, 0)]
        codes[~taken] = own[here[~taken]]
        return codes

    columns = {
        name: Column(merged(column.codes, len(column.vocabulary)), (*column.vocabulary, ""))
        for name, column in corpus.columns.items()
    }
    forms = Column(merged(ours, theirs), vocabulary)
    return replace(
        corpus, starts=starts, forms=forms, columns=columns, trees=replace(trees, above=merged(trees.above, -1))
    )


def with_equal_words(system: Corpus, gold: Corpus, equal: Sequence[tuple[str, str]]) -> Corpus:
    """The system with gold's forms for words that are to be taken as equal, in sentences of the same length."""
    if not equal or system.sentences != gold.sentences:
        return system
    standing = classes(equal)
    vocabulary, (theirs, ours) = one_vocabulary([system.forms, gold.forms])
    alike = Column.of(standing.get(form, form) for form in vocabulary).codes
    same_length = np.diff(gold.starts) == np.diff(system.starts)
    here, there = (np.flatnonzero(same_length[side.sentence_of]) for side in (system, gold))
    equal_here = alike[theirs[here]] == alike[ours[there]]
    theirs[here[equal_here]] = ours[there[equal_here]]
    return replace(system, forms=Column(theirs, vocabulary))


# --- the clean-up ---


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of one side: their tags as they are compared, and which are left."""

    corpus: Corpus
    tags: Column
    own: Bools
    """Those that this side's tags leave …"""
    kept: Bools
    """… and those with what is put back since the other side keeps it."""


def cleaned(pair: Pair, choices: Choices) -> Cleaned:
    """Clean up both sides of a pair."""
    sides = _put_back(pair, [_words(corpus, choices) for corpus in (pair.gold, pair.system)], choices.convention)
    lines = _lines(pair, [side.kept for side in sides])
    errors, skipped = _not_comparable(pair, sides)
    lengths = _length(pair.gold, choices.convention)
    counted = lengths <= choices.cutoff if choices.cutoff else np.ones(len(lengths), dtype=bool)
    valid = counted & ~errors & ~skipped
    labels, codes = one_vocabulary([_node_labels(side.corpus, choices) for side in sides])
    starts = lines[0].begin[pair.gold.starts[:-1]]
    taking_part = (counted, valid)
    brackets = [_brackets(pair, number, sides, lines, codes, taking_part[number], choices) for number in (0, 1)]
    words, right = _tagging(pair, sides, valid)
    return Cleaned(
        SpanPair(brackets[0], brackets[1], labels, "words", lines[0], starts),
        counted,
        errors & counted,
        skipped & counted,
        words,
        right,
    )


def _words(corpus: Corpus, choices: Choices) -> _Words:
    tags, convention = corpus.column(TAG), choices.convention
    kept = ~tags.isin(tag for tag in tags.vocabulary if convention.cut_tag(tag) in convention.deleted)
    edges = corpus.columns.get(EDGE) if choices.functions else None
    return _Words(corpus, _compared(tags, convention.tag, choices.functions, edges), kept, kept)


def _node_labels(corpus: Corpus, choices: Choices) -> Column:
    trees = trees_of(corpus)
    edges = trees.edges if choices.functions else None
    return _compared(trees.labels, choices.convention.phrase, choices.functions, edges)


def _compared(labels: Column, form: Callable[[str], str], with_functions: bool, edges: Column | None) -> Column:
    """Labels as they are compared: their categories, with functions where these count."""

    def spelt(label: str, edge: str = "") -> str:
        added = sorted({*functions(label), *edge_functions(edge)}) if with_functions else []
        return "-".join([form(label), *added])

    if edges is None:
        return labels.mapped({label: spelt(label) for label in labels.vocabulary})
    width = len(edges.vocabulary)
    pairs, codes = np.unique(labels.codes.astype(np.int64) * width + edges.codes, return_inverse=True)
    both = ((labels.vocabulary[pair // width], edges.vocabulary[pair % width]) for pair in pairs.tolist())
    column = Column.of(spelt(label, edge) for label, edge in both)
    return Column(column.codes[codes], column.vocabulary)


def _put_back(pair: Pair, sides: list[_Words], convention: Convention) -> list[_Words]:
    """Quotation marks that one side alone leaves out are kept, where both have a tag that such marks may get."""
    if not convention.quotes:
        return sides
    places = (pair.gold_words, pair.system_words)
    marks = [
        (side.corpus.column(TAG).isin(convention.quotes) & side.corpus.forms.isin(_MARKS))[words]
        for side, words in zip(sides, places, strict=True)
    ]
    back = marks[0] & marks[1] & (sides[0].own[places[0]] != sides[1].own[places[1]])
    done = []
    for side, words in zip(sides, places, strict=True):
        kept = side.own.copy()
        kept[words[back]] = True
        done.append(replace(side, kept=kept))
    return done


def _length(gold: Corpus, convention: Convention) -> Ints:
    tags = gold.column(TAG)
    counted = ~tags.isin(tag for tag in tags.vocabulary if convention.cut_tag(tag) in convention.lengthless)
    return np.bincount(gold.sentence_of[counted], minlength=gold.sentences)


# --- one line ---


def _lines(pair: Pair, kept: Sequence[Bools]) -> list[Line]:
    """Both sides' words on gold's line; what is left out has no width, what has no gold sentence no place."""
    widths = [
        np.where(mask, _widths(pair, corpus), 0) for corpus, mask in zip((pair.gold, pair.system), kept, strict=True)
    ]
    end = np.cumsum(widths[0])
    gold = Line(pair.gold.starts, end - widths[0], end)
    sentence = pair.system_sentence
    taken = np.flatnonzero(sentence >= 0)
    end = np.cumsum(widths[1][taken])
    begin = end - widths[1][taken]
    of_taken = sentence[taken]
    first = np.flatnonzero(np.concatenate([[True], of_taken[1:] != of_taken[:-1]])) if len(taken) else taken
    shift = np.zeros(pair.gold.sentences, dtype=np.int64)
    shift[of_taken[first]] = gold.begin[pair.gold.starts[of_taken[first]]] - begin[first]
    bounds = np.full((2, len(pair.system)), -1, dtype=np.int64)
    bounds[:, taken] = np.stack([begin, end]) + shift[of_taken]
    return [gold, Line(pair.system.starts, bounds[0], bounds[1])]


def _widths(pair: Pair, corpus: Corpus) -> Ints:
    """What a word takes on the line: one place, or its characters where tokenisation differs."""
    if pair.aligned_by != "characters":
        return np.ones(len(corpus), dtype=np.int64)
    sizes = [len("".join(form.split())) for form in corpus.forms.vocabulary]
    return np.array(sizes, dtype=np.int64)[corpus.forms.codes]


# --- which sentences can be compared ---


def _not_comparable(pair: Pair, sides: Sequence[_Words]) -> tuple[Bools, Bools]:
    """The gold sentences with other words than the system's, and those for which it has no tree."""
    sentences = pair.gold.sentences
    sentence = pair.system_sentence
    left = np.bincount(sentence[sides[1].kept & (sentence >= 0)], minlength=sentences)
    no_tree = (left == 0) & ~pair.skipped
    if pair.system.unparsed:
        words = np.isin(pair.system.sentence_of, list(pair.system.unparsed)) & (sentence >= 0)
        no_tree[sentence[words]] = True
    differ = _by_characters(pair, sides) if pair.aligned_by == "characters" else _by_words(pair, sides)
    return (pair.skipped | differ) & ~no_tree, no_tree


def _by_words(pair: Pair, sides: Sequence[_Words]) -> Bools:
    """The sentences of which not the same words are left."""
    _, (ours, theirs) = one_vocabulary([pair.gold.forms, pair.system.forms])
    if pair.aligned_by == "position":
        theirs[pair.system_words] = ours[pair.gold_words]
    of_gold, of_system = pair.gold.sentence_of, pair.system_sentence
    sizes = [
        np.bincount(sentence[mask], minlength=pair.gold.sentences)
        for sentence, mask in ((of_gold, sides[0].kept), (of_system, sides[1].kept & (of_system >= 0)))
    ]
    differ: Bools = sizes[0] != sizes[1]
    here = sides[0].kept & ~differ[of_gold]
    there = sides[1].kept & (of_system >= 0) & ~differ[of_system]
    other = ours[here] != theirs[there]
    differ[of_gold[here][other]] = True
    return differ


def _by_characters(pair: Pair, sides: Sequence[_Words]) -> Bools:
    """The sentences of which not the same characters are left."""
    texts: list[list[list[str]]] = []
    for side, sentence in zip(sides, (pair.gold.sentence_of, pair.system_sentence), strict=True):
        pieces: list[list[str]] = [[] for _ in range(pair.gold.sentences)]
        words = np.flatnonzero(side.kept & (sentence >= 0))
        for place, word in zip(sentence[words].tolist(), words.tolist(), strict=True):
            pieces[place].extend(side.corpus.forms[word].split())
        texts.append(pieces)
    return np.array(["".join(ours) != "".join(theirs) for ours, theirs in zip(*texts, strict=True)], dtype=bool)


def _tagging(pair: Pair, sides: Sequence[_Words], valid: Bools) -> tuple[Ints, Ints]:
    """For each sentence the number of words left, and of those with the right tag."""
    sentences, of_gold, of_system = pair.gold.sentences, pair.gold.sentence_of, pair.system_sentence
    _, (ours, theirs) = one_vocabulary([side.tags for side in sides])
    left = sides[0].kept & valid[of_gold]
    if pair.aligned_by == "characters":
        both = left[pair.gold_words] & sides[1].kept[pair.system_words]
        here, there = pair.gold_words[both], pair.system_words[both]
    else:
        # In a valid sentence the words that are left are the same, one by one.
        here = np.flatnonzero(left)
        there = np.flatnonzero(sides[1].kept & (of_system >= 0) & valid[of_system])
    right = here[ours[here] == theirs[there]]
    return (
        np.bincount(of_gold[left], minlength=sentences),
        np.bincount(of_gold[right], minlength=sentences),
    )


# --- brackets ---


@dataclass(frozen=True, eq=False)
class _Nodes:
    """All nodes of one side on the line."""

    begin: Ints
    end: Ints
    size: Ints
    """The number of words that are left of each by its own side's tags."""
    stretches: dict[int, Stretches] = field(default_factory=dict)


def _brackets(
    pair: Pair,
    number: int,
    sides: Sequence[_Words],
    lines: Sequence[Line],
    codes: Sequence[Ints],
    taking_part: Bools,
    choices: Choices,
) -> Side:
    """The constituents of one side that count, in the gold sentences that take part."""
    side, line, code = sides[number], lines[number], codes[number]
    corpus, trees, convention = side.corpus, trees_of(side.corpus), choices.convention
    nodes = _nodes(side, line)
    sentence = trees.sentence if number == 0 else pair.system_sentence[corpus.starts[trees.sentence] + trees.begin]
    counted = (nodes.size > 0) & (sentence >= 0) & taking_part[sentence]
    counted &= ~trees.labels.isin(label for label in trees.labels.vocabulary if convention.deletes(label))
    if corpus.spans is not None and KEPT in corpus.spans.columns:
        counted &= corpus.spans.columns[KEPT].isin([KEPT])
    if convention.roots:
        counted &= ~roots(trees)
    if not choices.trivial:
        whole = np.bincount(corpus.sentence_of[side.own], minlength=corpus.sentences)
        counted &= (nodes.size > 1) & (nodes.size < whole[trees.sentence])
    if choices.disc_only:
        gapped = np.zeros(len(trees), dtype=bool)
        gapped[list(nodes.stretches)] = True
        counted &= gapped
    chosen = np.flatnonzero(counted)
    if not choices.unary:
        # The first of the nodes over the same words is the topmost.
        places = same_places(_listed(nodes, code, chosen), _listed(nodes, code, chosen[:0]))[0]
        chosen = chosen[np.sort(np.unique(places, return_index=True)[1])]
    return Side(corpus, chosen, sentence[chosen], _listed(nodes, code, chosen))


def _nodes(side: _Words, line: Line) -> _Nodes:
    trees = trees_of(side.corpus)
    first = line.starts[trees.sentence]
    before = np.concatenate([[0], np.cumsum(side.own)])
    size = before[first + trees.end] - before[first + trees.begin]
    begin, end = line.begin[first + trees.begin], line.end[first + trees.end - 1]
    stretches: dict[int, Stretches] = {}
    for node, local in trees.stretches.items():
        start = int(first[node])
        size[node] = sum(int(before[start + b] - before[start + a]) for a, b in local)
        shape = _joined([(int(line.begin[start + a]), int(line.end[start + b - 1])) for a, b in local])
        if shape:
            begin[node], end[node] = shape[0][0], shape[-1][1]
        if len(shape) > 1:
            stretches[node] = shape
    return _Nodes(begin, end, size, stretches)


def _joined(stretches: Sequence[tuple[int, int]]) -> Stretches:
    """The stretches of which something is left, those made one between which nothing is."""
    joined: list[tuple[int, int]] = []
    for begin, end in stretches:
        if joined and begin == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        elif begin < end:
            joined.append((begin, end))
    return tuple(joined)


def _listed(nodes: _Nodes, code: Ints, chosen: Ints) -> SpanList:
    stretches = chosen_stretches(nodes.stretches, chosen)
    return SpanList(nodes.begin[chosen], nodes.end[chosen], code[chosen], stretches)
