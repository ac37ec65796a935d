"""Mentions of gold and of a system over the same words: their spans, their types, and how they are matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, all_but, as_codes, distinct_rows, numbers_of_runs, sum_integers
from assay.classes import dataclass
from assay.corpus import Column, Corpus, Marks
from assay.engine.matching import (
    Steps,
    best_pairs,
    equal_pairs,
    expand_ranges,
    find_overlaps,
    number_shapes,
    shared_atoms,
)
from assay.errors import MOST_PROBLEMS, InputError, UsageError, list_problems, unknown
from assay.formats.emptynodes import ZERO, find_node_words, list_empty_nodes
from assay.tasks.coreference.chains import ChainTable, best_alignment, chain_of, drop_singletons, match_same_spans

MATCHES = ("exact", "partial", "head")
ALIGNMENTS = ("dependent", "linear")
NOUN = "NOUN"
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NE", "NOUN", "PROPN"})
"""Nouns in the tagsets of Penn and Stuttgart, and in UPOS."""
MENTION_TYPES = {"zero": (ZERO,), "pronoun": ("PRON", "DET"), "name": ("PROPN",), "noun": ("NOUN",)}
"""Types of mentions by UPOS of their heads …"""
OTHER = "other"
"""… and of all other mentions."""
COMPAREVAL, HEAD = "compareval", "head"
"""The rules of types that have a name."""


@dataclass(frozen=True)
class TypeRule:
    """Type of mention for each tag, and the types that are nominal."""

    name: str = COMPAREVAL
    types: Mapping[str, str] = field(default_factory=dict)
    nominal: frozenset[str] = frozenset({NOUN})
    longer: str | None = NOUN
    """Type of mentions of more than one word; None: the type of their head, or last word."""
    tags: str | None = None
    """Column of gold's tags, if it has one."""

    def of(self, tag: str, words: int) -> str:
        """Type of a mention with this tag and number of words."""
        if words > 1 and self.longer is not None:
            return self.longer
        if self.types:
            return self.types.get(tag, tag)
        return NOUN if tag in NOUN_TAGS else tag


# --- spans ---


def number_mention_spans(sides: Sequence[Marks]) -> tuple[list[Ints], Marks]:
    """Number of each mention's span on each side, and the distinct spans in text order."""
    places = [np.stack([mentions.unit, mentions.begin, mentions.end], axis=1) for mentions in sides]
    rows = np.column_stack([np.concatenate(places).astype(np.int64), number_shapes(sides)])
    distinct, number, _ = distinct_rows(rows)
    numbers = np.split(number, np.cumsum([len(mentions) for mentions in sides])[:-1])
    stretches = {
        int(span[mention]): shape
        for mentions, span in zip(sides, numbers, strict=True)
        for mention, shape in mentions.stretches.items()
    }
    document, begin, end = distinct.T[:3].copy()
    labels = Column(np.zeros(len(distinct), dtype=np.int32), ("mention",))
    return numbers, Marks(document, begin, end, labels, stretches=stretches)


def remove_duplicates(corpus: Corpus, policy: str) -> tuple[Corpus, int]:
    """Corpus with each span in one chain at most, and the number of mentions that were left out."""
    mentions = corpus.marks["mentions"]
    (span,), spans = number_mention_spans([mentions])
    if len(spans) == len(mentions):
        return corpus, 0
    _, firsts = np.unique(span, return_index=True)
    repeated = all_but(firsts, len(mentions))
    first = firsts[span[repeated]]
    if policy != "error":
        kept = all_but(np.append(repeated, first) if policy == "drop" else repeated, len(mentions))
        return corpus.with_marks(mentions=mentions.where(kept)), len(mentions) - len(kept)
    lines = []
    for earlier, mention in zip(first[:MOST_PROBLEMS].tolist(), repeated[:MOST_PROBLEMS].tolist(), strict=True):
        document, begin, end = (int(column[mention]) for column in (mentions.unit, mentions.begin, mentions.end))
        starts = corpus.document_starts
        path = corpus.name if starts is None else corpus.path_of(int(starts[document]))
        words = f"word {end} of" if end - begin == 1 else f"words {begin + 1} to {end} of"
        verb = "is" if end - begin == 1 else "are"
        names = [mentions.columns["chain"][number] for number in (earlier, mention)]
        where = f"in chain {names[0]} twice" if names[0] == names[1] else f"in the chains {names[0]} and {names[1]}"
        line = int(mentions.lines[mention])
        lines.append(f"{path}:{line}: {words} {corpus.document_name(document)} {verb} {where}")
    remedy = "To keep the first of them: --duplicates first; to leave them all out: --duplicates drop"
    raise InputError("\n".join([*list_problems(lines, len(repeated)), remedy]))


# --- mentions of a pair ---


def pair_mentions(pair: Pair, rule: TypeRule) -> Pair:
    """Pair with the mentions of both sides and their distinct spans.

    Arguments of mentions are `head`, as in their files; `span`, the number of the span; and `node`, the empty node
    that is the head. Spans are in text order, labelled with their types; their `head` is the gold word with the tag.
    """
    corpora = pair.gold, pair.system
    numbers, spans = number_mention_spans([corpus.marks["mentions"] for corpus in corpora])
    sides = []
    for corpus, span in zip(corpora, numbers, strict=True):
        mentions, nodes = corpus.marks["mentions"], find_node_words(corpus)
        words = corpus.first_words[mentions.unit] + head_atoms(mentions)
        place = np.searchsorted(nodes, words)
        node = np.where(np.append(nodes, NONE)[place] == words, place, NONE)
        sides.append(replace(mentions, arguments={**mentions.arguments, "span": span, "node": node}))
    heads = _head_words(pair.gold, sides, spans)
    labels = spans.labels
    if rule.tags is not None:
        column, types = pair.gold.column(rule.tags), dict[str, int]()
        codes = as_codes([rule.of(tag, 1) for tag in column.vocabulary], types)[column.codes[heads]]
        if rule.longer is not None:
            codes = np.where(spans.lengths() > 1, as_codes([rule.longer], types)[0], codes)
        for mentions in sides:
            if (zeros := mentions.arguments["node"] != NONE).any():
                codes[mentions.arguments["span"][zeros]] = as_codes([ZERO], types)[0]
        labels = Column(codes, tuple(types))
    spans = replace(spans, labels=labels, arguments={"head": heads})
    return pair.with_layer(rule).with_marks(mentions=(sides[0], sides[1]), spans=(spans, spans))


def mentions_of(pair: Pair, singletons: bool = True) -> tuple[Marks, Marks]:
    """Mentions of gold and of the system, with or without those in chains of one."""
    if "mentions" not in pair.marks:
        raise UsageError("this measure is for chains of mentions. Give --task coreference")
    gold, system = pair.marks["mentions"]
    if singletons:
        return gold, system
    return pair.once("mentions in chains of two", lambda: (drop_singletons(gold), drop_singletons(system)))


def spans_of_mentions(pair: Pair) -> Marks:
    """Distinct spans of the mentions of both sides."""
    return pair.marks["spans"][0]


def first_sentences_of(pair: Pair) -> Ints:
    """First sentence of each document: counts of a document belong to it."""
    assert pair.gold.document_starts is not None
    return pair.gold.document_starts[:-1]


def rule_of(pair: Pair) -> TypeRule:
    """Rule of mention types of a pair."""
    return pair.layer(TypeRule) or TypeRule()


def head_atoms(mentions: Marks) -> Ints:
    """Head of each mention, counted within its document; its first word if the head is unknown."""
    heads = mentions.arguments.get("head", mentions.begin)
    return np.where(heads < 0, mentions.begin, heads)


def _head_words(gold: Corpus, sides: Sequence[Marks], spans: Marks) -> Ints:
    """Word that each span's type comes from: its head in gold's tree or by its file, or its last word."""
    words = gold.first_words
    first, end = (words[spans.unit] + side for side in (spans.begin, spans.end))
    heads = end - 1
    if gold.heads is not None:
        owner = np.repeat(np.arange(len(spans)), end - first)
        word = numbers_of_runs(first, end - first)
        # The first word whose head is outside; in a tree there is at least one.
        outside = (gold.heads[word] < first[owner]) | (gold.heads[word] >= end[owner])
        with_head, place = np.unique(owner[outside], return_index=True)
        heads[with_head] = word[outside][place]
        for number, shape in spans.stretches.items():
            # The words in its gaps do not belong to it.
            inside = int(words[spans.unit[number]]) + np.concatenate([np.arange(*part) for part in shape])
            heads[number] = next(iter(inside[~np.isin(gold.heads[inside], inside)]), inside[-1])
        return np.asarray(heads)
    for mentions in reversed(sides):
        if "head" in mentions.arguments:
            in_file = mentions.arguments["head"]
            has_head = in_file >= 0
            heads[mentions.arguments["span"][has_head]] = words[mentions.unit[has_head]] + in_file[has_head]
    return np.asarray(heads)


# --- types of mentions ---


def head_tags(pair: Pair, singletons: bool = True) -> tuple[Column, Column]:
    """UPOS in gold of the head of each mention, for each side; ZERO for a zero."""
    upos = pair.gold.columns.get("UPOS")
    if upos is None:
        raise UsageError("types of mentions by their heads need UPOS, which gold does not have.")
    names = tuple(dict.fromkeys((*upos.vocabulary, ZERO)))
    sides = []
    for mentions in mentions_of(pair, singletons):
        heads = spans_of_mentions(pair).arguments["head"][mentions.arguments["span"]]
        if "head" in mentions.arguments:
            in_file = mentions.arguments["head"]
            heads = np.where(in_file < 0, heads, pair.gold.first_words[mentions.unit] + in_file)
        zero = mentions.arguments["node"] != NONE
        sides.append(Column(np.where(zero, names.index(ZERO), upos.codes[heads]), names))
    return sides[0], sides[1]


def mention_types(pair: Pair, singletons: bool = True) -> tuple[Column, Column]:
    """Type of each mention of each side: zero, pronoun, name, noun, other; or by the rule of the user."""
    rule = rule_of(pair)
    if rule.name == COMPAREVAL:
        numbers = {tag: number for number, tags in enumerate(MENTION_TYPES.values()) for tag in tags}
        gold, system = head_tags(pair, singletons)
        types = Column.of((*MENTION_TYPES, OTHER))
        of_tag = np.array([numbers.get(tag, len(MENTION_TYPES)) for tag in gold.vocabulary])
        return types.where(of_tag[gold.codes]), types.where(of_tag[system.codes])
    if rule.tags is None:
        raise UsageError("types of mentions need tags, which gold does not have.")
    labels = spans_of_mentions(pair).labels
    marks, system_marks = mentions_of(pair, singletons)
    return labels.where(marks.arguments["span"]), labels.where(system_marks.arguments["span"])


def has_type(pair: Pair, name: str, singletons: bool = True) -> tuple[Bools, Bools]:
    """Masks of the mentions of each side with a type: zero, pronoun, noun, name, or a label."""
    gold, system = mentions_of(pair, singletons)
    if name == "zero":
        return gold.arguments["node"] != NONE, system.arguments["node"] != NONE
    rule = rule_of(pair)
    if name in MENTION_TYPES and rule.name == COMPAREVAL:
        types = mention_types(pair, singletons)
        return types[0].isin([name]), types[1].isin([name])
    if rule.tags is None:
        raise UsageError(f"of={name} needs tags, which gold does not have.")
    wanted = spans_of_mentions(pair).labels.isin([name])
    return wanted[gold.arguments["span"]], wanted[system.arguments["span"]]


# --- matching ---


def match_mentions(
    pair: Pair, match: str = "exact", singletons: bool = True, zeros: str = ALIGNMENTS[0]
) -> tuple[Ints, Ints]:
    """Mentions of gold and of the system that are matched one to one, by their numbers in `mentions_of`.

    First come zeros, by what they depend on (`dependent`); then equal mentions; then those with the same head
    (`head`), or those inside the gold mention that contain its head (`partial`).
    """
    if match not in MATCHES:
        raise unknown("way to match mentions", match, MATCHES)
    if zeros not in ALIGNMENTS:
        raise unknown("way to match zeros", zeros, ALIGNMENTS)
    sides = mentions_of(pair, singletons)
    if not all((side.arguments["node"] != NONE).any() for side in sides):
        zeros = "linear"

    def make() -> tuple[Ints, Ints]:
        if match == "exact" and zeros == "linear":
            return match_same_spans(*sides)
        if match != "exact" and any("head" not in side.arguments and len(side) for side in sides):
            raise UsageError(f"match={match} needs the heads of mentions, which these files do not have.")
        spans, first_words = spans_of_mentions(pair), pair.gold.first_words
        words = spans.lengths()
        heads = [first_words[side.unit] + head_atoms(side) for side in sides]
        gold_span, system_span = span_numbers = [side.arguments["span"] for side in sides]
        # By first and last word, number of words and head, not by the order of the file.
        ranks = [
            np.argsort(np.lexsort((span, head, words[span], side.end, side.begin, side.unit)))
            for side, span, head in zip(sides, span_numbers, heads, strict=True)
        ]
        steps = Steps(len(sides[0]), len(sides[1]))
        if zeros == "dependent":
            steps.settle(*_match_zeros(pair, sides, ranks), 0)
        steps.by_columns(0, (gold_span, system_span), *([(heads[0], heads[1])] if match == "head" else []))
        if match != "exact":
            rows, system_rows = steps.left()
            if match == "head":
                near = equal_pairs(heads[0][rows], heads[1][system_rows])
            else:
                near = _list_partial(sides, heads[0], rows, system_rows, first_words)
            rows, system_rows = rows[near[0]], system_rows[near[1]]
            _, _, shared = shared_atoms(spans, spans, gold_span[rows], system_span[system_rows])
            best = best_pairs(ranks[0][rows], ranks[1][system_rows], shared, whole=words[gold_span[rows]])
            steps.settle(rows[best], system_rows[best], 0)
        pairs = steps.pairs()
        return pairs.gold, pairs.system

    return pair.once(f"matched mentions {match} {singletons} {zeros}", make)


def _list_partial(
    sides: Sequence[Marks], heads: Ints, rows: Ints, system_rows: Ints, first_words: Ints
) -> tuple[Ints, Ints]:
    """Pairs of a gold mention and a system mention that is inside it and contains its head, by their places among
    the numbers of mentions (`rows`, `system_rows`) of each side."""
    first, head = first_words[sides[0].unit[rows]], heads[rows]
    end = first + sides[0].end[rows]
    system_first = first_words[sides[1].unit[system_rows]]
    begins, ends = system_first + sides[1].begin[system_rows], system_first + sides[1].end[system_rows]
    by_begin = np.argsort(begins, kind="stable")
    low = np.searchsorted(begins[by_begin], first + sides[0].begin[rows])
    a, b = expand_ranges(low, np.searchsorted(begins[by_begin], head, side="right"))
    b = by_begin[b]
    inside = (ends[b] <= end[a]) & (ends[b] > head[a])
    a, b = a[inside], b[inside]
    fits = np.ones(len(a), dtype=bool)
    gaps = sides[0].with_gaps[rows[a]] | sides[1].with_gaps[system_rows[b]]
    for row in np.flatnonzero(gaps).tolist():
        outer, inner = (
            {atom for part in side.atoms_of(int(mention)) for atom in range(*part)}
            for side, mention in ((sides[0], rows[a[row]]), (sides[1], system_rows[b[row]]))
        )
        fits[row] = inner <= outer and int(head[a[row]] - first[a[row]]) in inner
    return a[fits], b[fits]


def _match_zeros(pair: Pair, sides: Sequence[Marks], ranks: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Match zeros of both sides that depend on the same words: by relations and parents first, then by parents."""
    numbers, sentences, deps, parents = [], [], [], []
    for corpus, mentions in zip((pair.gold, pair.system), sides, strict=True):
        zeros = np.flatnonzero(mentions.arguments["node"] != NONE)
        words = corpus.first_words[mentions.unit[zeros]] + head_atoms(mentions)[zeros]
        numbers.append(zeros)
        sentences.append(corpus.starts[corpus.sentence_of[words]].tolist())
        deps.append(dependencies_of_zeros(corpus, mentions))
        parents.append([frozenset(parent for parent, _ in pairs) for pairs in deps[-1]])
    by_parent: dict[tuple[int, str], list[int]] = {}
    for row, sentence in enumerate(sentences[1]):
        for parent in parents[1][row]:
            by_parent.setdefault((sentence, parent), []).append(row)
    pairs: list[tuple[int, int, int, int]] = []
    for row, sentence in enumerate(sentences[0]):
        for other in {near for parent in parents[0][row] for near in by_parent.get((sentence, parent), ())}:
            # w = 10 F(relations) + F(parents), as a quotient of whole numbers.
            shared = len(deps[0][row] & deps[1][other])
            common = len(parents[0][row] & parents[1][other])
            relations = len(deps[0][row]) + len(deps[1][other])
            both = len(parents[0][row]) + len(parents[1][other])
            pairs.append((row, other, 20 * shared * both + 2 * common * relations, relations * both))
    rows, others, weight, whole = np.array(pairs, dtype=np.int64).reshape(-1, 4).T
    a, b = numbers[0][rows], numbers[1][others]
    best = best_pairs(ranks[0][a], ranks[1][b], weight, whole=whole)
    return a[best], b[best]


def dependencies_of_zeros(corpus: Corpus, mentions: Marks) -> list[frozenset[tuple[str, str]]]:
    """Parents of the head of each zero by their IDs, with the relation to each."""
    labels = list_empty_nodes(corpus).labels
    dependencies = []
    for cell in labels.vocabulary:
        parts = (part.partition(":") for part in cell.split("|"))
        dependencies.append(frozenset((parent, relation) for parent, colon, relation in parts if colon))
    nodes = mentions.arguments["node"]
    return [dependencies[code] for code in labels.codes[nodes[nodes != NONE]].tolist()]


def chain_table(pair: Pair, match: str = "exact", singletons: bool = True, zeros: str = ALIGNMENTS[0]) -> ChainTable:
    """Table of chains that all chain metrics read, made once."""
    matched = match_mentions(pair, match, singletons, zeros)
    # Parameters with the same effect have one matching, and so one table.
    return pair.once(
        f"chain table {id(matched)} {singletons}",
        lambda: ChainTable.of(*mentions_of(pair, singletons), pair.gold.documents, matched),
    )


def overlap_mentions(pair: Pair, singletons: bool) -> Ints:
    """Documents × (words shared under the best one-to-one choice, words of gold's mentions, of the system's).

    Equal mentions are in a best choice in any case.
    """
    spans = spans_of_mentions(pair)
    words = spans.lengths()
    sides = [side.arguments["span"] for side in mentions_of(pair, singletons)]
    equal = np.intersect1d(sides[0], sides[1], assume_unique=True)
    rest = [np.setdiff1d(side, equal) for side in sides]
    first = pair.gold.first_words[spans.unit]
    lines = [Marks.on_line(first[side] + spans.begin[side], first[side] + spans.end[side], side) for side in rest]
    a, b, _ = find_overlaps(lines[0], lines[1], np.arange(len(rest[0])), np.arange(len(rest[1])))
    a, b, shared = shared_atoms(spans, spans, rest[0][a], rest[1][b])
    best = best_alignment(a, b, shared.astype(np.float64))
    columns = (
        (np.append(equal, a[best]), np.append(words[equal], shared[best])),
        *((side, words[side]) for side in sides),
    )
    documents = pair.gold.documents
    return np.stack([sum_integers(size, spans.unit[span], documents) for span, size in columns], axis=1)


# --- errors in chains ---


def chain_errors(pair: Pair) -> dict[str, int]:
    """Number of errors in the system's chains, by type.

    A mention that the system lacks and one of its spurious ones are one mention with a wrong span if they have the
    same head or, if heads are unknown, the first or the last word in common. Each is taken once, those that share
    most words first, then those whose chains share other mentions.
    """
    sides, matched = mentions_of(pair), match_mentions(pair)
    spans, (gold_span, system_span) = spans_of_mentions(pair), (side.arguments["span"] for side in sides)
    missing, spurious = (all_but(rows, len(side)) for rows, side in zip(matched, sides, strict=True))
    have_heads = all("head" in side.arguments and (side.arguments["head"] >= 0).all() for side in sides)
    places = [(side.arguments["head"],) if have_heads else (side.begin, side.end) for side in sides]
    pairs = []
    for columns in zip(*places, strict=True):
        words = [
            pair.gold.first_words[side.unit[rows]] + column[rows]
            for side, rows, column in zip(sides, (missing, spurious), columns, strict=True)
        ]
        pairs.append(equal_pairs(*words))
    a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
    a, b = missing[a], spurious[b]
    shared = shared_atoms(spans, spans, gold_span[a], system_span[b])[2]
    chains, system_chains = map(chain_of, sides)
    width = int(system_chains.max(initial=0)) + 1
    related = np.isin(chains[a] * width + system_chains[b], chains[matched[0]] * width + system_chains[matched[1]])
    wrong: dict[int, int] = {}
    used: set[int] = set()
    for row in np.lexsort((b, a, ~related, -shared)).tolist():
        mention, other = int(a[row]), int(b[row])
        if mention not in wrong and other not in used:
            wrong[mention] = other
            used.add(other)
    both = [
        np.append(rows, [*more]).astype(np.int64) for rows, more in zip(matched, (wrong, wrong.values()), strict=True)
    ]
    return ChainTable.of(*sides, pair.gold.documents, (both[0], both[1])).count_errors(len(wrong))
