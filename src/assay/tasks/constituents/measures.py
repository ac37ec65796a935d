"""Phrase-structure trees: PARSEVAL with the conventions of EVALB, brackets by label, and leaf-ancestor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Bools, Floats, Ints, count_heads_above, group_by_depth, ratio, sum_integers
from assay.corpus import Column, Corpus, Trees, one_vocabulary
from assay.engine import matching
from assay.engine.counts import Counts, Sums, tally_brackets, tally_credits, tally_outcomes
from assay.engine.items import CREDITS, ONE, Items
from assay.engine.measure import F1, Macro, Proportion, Ranged, Scores, find, mean_by_size, measure
from assay.engine.phrases import category, edge_functions, functions, roots, trees_of
from assay.engine.spanpairs import place_keys, spans_of
from assay.errors import InputError, UsageError, unknown
from assay.tasks.constituents.brackets import clean_trees, find_options

KINDS = (*matching.BRACKETS, "unscored")
"""Outcomes of a constituent; unscored: a gold constituent in a sentence that cannot be compared."""
MEANS = ("words", "sentences")
BEGINS, ENDS = "[", "]"
DEEPEST = 4000
"""Lineages of the words of one sentence grow with the square of its depth, and comparing them with the cube."""
_f1 = F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * sums["tp"] + sums["fp"] + sums["fn"] + sums["le"])
_BRACKETS: Scores = {
    "f1": _f1,
    "precision": Proportion("tp", "tp", "fp"),
    "recall": Proportion("tp", "tp", "fn", "le"),
}
_GOLDS = ("tp", "fn", "le")
"""Outcomes of gold's constituents in sentences that can be compared."""


@measure(
    "parseval",
    papers=("black1991",),
    scores={
        **_BRACKETS,
        "exact-match": Proportion("exact", "sentences"),
        "crossing": Ranged(lambda sums: ratio(sums["crossing"], sums["sentences"]), 0),
        "no-crossing": Proportion("no-crossing", "sentences"),
        "two-crossing": Proportion("two-crossing", "sentences"),
        "tagging": Proportion("tags", "words"),
        "f1-all": F1(lambda sums: 2 * sums["tp"], lambda sums: sums["system"] + sums["gold"]),
        "recall-all": Proportion("tp", "gold"),
    },
    main="f1",
    count=tally_brackets,
    task="constituents",
)
def parseval(
    pair: Pair,
    *,
    preset: str = "plain",
    labelled: bool = True,
    functions: bool = False,
    unary: bool = True,
    trivial: bool = True,
    disc_only: bool = False,
    cutoff: int = 0,
    params: str = "",
) -> Items:
    """PARSEVAL: constituents with the label and the words that gold has.

    preset: what is left out first: `plain` (roots and empty elements; functions are cut off), `collins`, `new`
        (EVALB with COLLINS.prm and new.prm), `spmrl` (evalb_spmrl); also written evalb-collins and so on.
    params: a parameter file of EVALB instead of a preset.
    labelled: whether labels count.
    functions: whether labels and tags are compared with their functions (NP-SBJ).
    unary: whether all constituents over the same words count, or only the topmost.
    trivial: whether constituents of one word and of the whole sentence count.
    disc_only: whether only constituents with gaps count.
    cutoff: the largest number of words of a sentence that counts; 0 is no limit.
    Counts: tp; fp, only in the system; missing gold constituents: le if the system has the same words under another
        label (which is an fp), otherwise fn; unscored, those of gold in sentences that the system has no tree for
        (skipped) or other words in (errors); gold, system; sentences that can be compared, and among these: exact,
        trivial (fewer than two constituents in gold), no crossing brackets, two at most; crossing brackets; words
        left, right tags.
    Score: precision = tp/(tp+fp), recall = tp/(tp+fn+le), f1; exact-match, no-crossing, two-crossing: shares of
        sentences; crossing: system brackets that overlap a gold bracket without nesting, per sentence; tagging:
        share of words. These are over sentences that can be compared, as in EVALB; for f1-all and recall-all the
        constituents of the other sentences are missing. Equal constituents are matched one to one.
    Peers: EVALB, evalb_spmrl.
    """
    if cutoff < 0:
        raise UsageError(f"parseval: cutoff should be a number of words, or 0 for no limit, not {cutoff}.")
    options = find_options(preset, params)
    options = replace(
        options,
        labelled=labelled and options.labelled,
        functions=functions,
        unary=unary,
        trivial=trivial,
        disc_only=disc_only or options.disc_only,
        cutoff=cutoff,
    )
    clean = clean_trees(pair, options)
    gold, system, valid = clean.gold, clean.system, clean.valid
    if not options.labelled:
        gold, system = (replace(side, labels=Column(np.zeros_like(side.label), ("",))) for side in (gold, system))
    records = matching.match_brackets(gold, system)
    crossing = np.bincount(system.unit[matching.crossing_brackets(gold, system, records)], minlength=len(valid))
    sentence = np.append(gold.unit, 0)[records.gold]
    kind = np.where((records.gold != NONE) & ~valid[sentence], KINDS.index("unscored"), records.kind)
    keys = place_keys(clean.line, clean.system)
    rows = replace(records, kind=kind).items(KINDS, clean.gold, clean.system, keys, under_gold=True)
    assert rows.partner is not None and rows.key is not None
    if not options.labelled:
        key = np.concatenate([rows.key[:-1], np.full((1, len(rows)), NONE)])
        rows = replace(rows, answer=np.where(rows.right, rows.gold, rows.answer), key=key)

    # Counts of EVALB by sentence; none for those that are too long.
    wrong = np.bincount(rows.sentence[~rows.right[0]], minlength=len(valid)) > 0
    in_gold = np.bincount(rows.sentence[rows.has_gold], minlength=len(valid))
    sums: dict[str, Ints | Bools] = {
        "sentences": valid,
        "errors": clean.errors,
        "skipped": clean.skipped,
        "exact": valid & ~wrong,
        "trivial": valid & (in_gold < 2),
        "crossing": crossing,
        "no-crossing": valid & (crossing == 0),
        "two-crossing": valid & (crossing <= 2),
        "words": clean.words,
        "tags": clean.right_tags,
    }

    # Items are nodes, by their numbers among the spans of the pair.
    spans = spans_of(pair)[1]
    among_spans = np.full(len(trees_of(pair.system)), NONE)
    among_spans[spans.number] = np.arange(len(spans))
    gold_nodes, system_nodes = gold.number, np.append(among_spans[system.number], NONE)
    item = np.empty(len(rows), dtype=np.int64)
    item[rows.has_gold] = gold_nodes[rows.item[rows.has_gold]]
    item[~rows.has_gold] = system_nodes[rows.item[~rows.has_gold]]
    integers = {name: np.asarray(column, dtype=np.int64) for name, column in sums.items()}
    return replace(rows, item=item, partner=system_nodes[rows.partner], sums=integers)


@measure(
    "bracket-f1",
    papers=("black1991",),
    scores=_BRACKETS,
    averages={
        **{f"macro-{name}": Macro(score, _GOLDS) for name, score in _BRACKETS.items()},
        "weighted-f1": mean_by_size(_f1, _GOLDS),
    },
    count=tally_outcomes,
    main="f1",
    tested=("f1", "macro-f1"),
    task="constituents",
)
@wraps(parseval, assigned=(), updated=())
def bracket_f1(pair: Pair, **parameters: Any) -> Items:
    """Precision, recall and F1 of the constituents of each label, and their averages.

    preset, params, labelled, functions, unary, trivial, disc_only, cutoff: as for parseval.
    Counts: per label tp, fp, fn, le, unscored, gold, system.
    Score: as for parseval, averages as for tag-f1, all over sentences that can be compared.
    """
    # The items are those of parseval, and are there if it has judged the pair.
    rows = find("parseval", "constituents").with_parameters(parameters).judge(pair)
    assert isinstance(rows, Items)
    return rows


# --- functions ---


@measure(
    "function-tags",
    papers=("black1991",),
    scores={
        "accuracy": Proportion("right", "constituents"),
        "f1": F1(lambda sums: 2 * sums["both"], lambda sums: sums["gold-tags"] + sums["system-tags"]),
        "precision": Proportion("both", "system-tags"),
        "recall": Proportion("both", "gold-tags"),
    },
    main="accuracy",
    task="constituents",
)
def function_tags(pair: Pair) -> Counts:
    """Functions (SBJ, LOC) of constituents that have gold's category and gold's words.

    Counts: constituents that match, as in parseval, and have a function on either side; right: those with exactly
        gold's functions; both, gold-tags, system-tags: functions of these constituents that both sides have, that
        gold has, that the system has. Labels of edges are functions too.
    Score: accuracy = right/constituents; precision, recall, f1 of single functions.
    """
    clean = clean_trees(pair, find_options("plain", ""))
    gold, system = clean.gold, clean.system
    records = matching.match_brackets(gold, system)
    hit = records.kind == KINDS.index("tp")
    target, source = records.gold[hit], records.system[hit]
    corpora = (pair.gold, gold), (pair.system, system)
    sets = [_node_functions(trees_of(corpus))[side.number] for corpus, side in corpora]
    both = zip(sets[0][target], sets[1][source], strict=True)
    sizes = [(len(first & second), len(first), len(second)) for first, second in both]
    shared, gold_size, system_size = np.array(sizes, dtype=np.int64).reshape(-1, 3).T
    some = gold_size + system_size > 0
    columns = {
        "right": some & (shared == gold_size) & (shared == system_size),
        "constituents": some,
        "both": shared,
        "gold-tags": gold_size,
        "system-tags": system_size,
    }
    sentence, sentences = gold.unit[target], pair.gold.sentences
    values = [sum_integers(column, sentence, sentences) for column in columns.values()]
    return Counts(tuple(columns), sentences, np.arange(sentences), np.stack(values, axis=1))


def _node_functions(trees: Trees) -> Array:
    """Set of the functions of each node."""
    sets = np.array([frozenset(functions(label)) for label in trees.labels.vocabulary], dtype=object)
    of_label = sets[trees.labels.codes]
    if trees.edges is None:
        return of_label
    of_edge = np.array([frozenset(edge_functions(edge)) for edge in trees.edges.vocabulary], dtype=object)
    return np.asarray(of_label | of_edge[trees.edges.codes])


# --- leaf-ancestor ---


def _mean_credit(sums: Sums) -> Floats:
    return ratio(sums[CREDITS[-1]], ONE * sums["items"])


@measure(
    "leaf-ancestor",
    papers=("sampson2000", "sampson2003"),
    scores={"value": _mean_credit},
    count=tally_credits,
    task="constituents",
)
def leaf_ancestor(pair: Pair, *, mean: str = "words") -> Items | Counts:
    """Leaf-ancestor: how similar the labels above each word are to gold's.

    mean: over `words`, or over `sentences` of the means of their words.
    Counts: items (words or sentences) and credit, in units of 2⁻³².
    Score: value = mean credit. The lineage of a word lists the categories above it, without the root, with a mark
        after the highest constituent that begins at the word, and another after the highest that ends there. Credit =
        1 - edits / (sum of both lengths); an insertion or deletion is one edit, a replacement two. A word that the
        system does not have, or has outside all trees, gets no credit. More than 4,000 constituents above one another
        are an error.
    Paper: Sampson & Babarczy 2003.
    """
    if mean not in MEANS:
        raise unknown("mean", mean, MEANS)
    labels, (expected, lineages) = one_vocabulary([list_lineages(pair.gold), list_lineages(pair.system)])
    assigned = np.full(len(pair.gold), NONE)
    parsed = ~np.isin(pair.system.sentence_of[pair.system_words], list(pair.system.unparsed))
    assigned[pair.gold_words[parsed]] = lineages[pair.system_words[parsed]]
    credit = np.where(expected == assigned, ONE, 0)
    # Every distinct pair of lineages is compared once.
    rows = np.flatnonzero((expected != assigned) & (assigned != NONE))
    pairs, place = np.unique(expected[rows].astype(np.int64) * len(labels) + assigned[rows], return_inverse=True)
    texts = [[labels[code] for code in side.tolist()] for side in (pairs // len(labels), pairs % len(labels))]
    credit[rows] = compare_lineages(*texts)[place]
    sentence = pair.gold.sentence_of
    if mean == "sentences":
        words = np.diff(pair.gold.starts)
        total = np.add.reduceat(credit, pair.gold.starts[:-1])
        values = np.stack([np.ones_like(words), (total + words // 2) // words], axis=1)
        return Counts(("items", CREDITS[-1]), len(words), np.arange(len(words)), values)
    table = np.zeros((len(CREDITS), len(credit)), dtype=np.int64)
    table[-1] = credit
    return Items.of(labels, sentence, np.arange(len(credit)), expected, assigned, credit == ONE, credits=table)


def list_lineages(corpus: Corpus) -> Column:
    """Lineage of each word: the categories above it, the lowest first, without the root, separated by spaces.

    BEGINS comes after the highest constituent that begins at the word, ENDS after the highest that ends there.
    """
    trees = trees_of(corpus)
    above = count_heads_above(trees.parent)
    if above.max(initial=0) >= DEEPEST:
        place = corpus.place_of_sentence(int(trees.sentence[above.argmax()]))
        raise InputError(
            f"{place}: {int(above.max()) + 1:,} levels of constituents, but leaf-ancestor takes at most {DEEPEST:,}. "
            "Leave the sentence out, or choose another measure: -m parseval"
        )
    counted = ~roots(trees)
    labels = trees.labels.mapped({label: category(label) for label in trees.labels.vocabulary})
    path, depth, paths = _number_paths(trees.parent, counted, labels)
    nodes = np.flatnonzero(counted)
    first = corpus.starts[trees.sentence[nodes]]
    # The path after that of the last node belongs to words without a node above them.
    rows = [np.append(path, 0)[trees.above]]
    for words in (first + trees.begin[nodes], first + trees.end[nodes] - 1):
        # The depth of the first node of each word, 0 without one; nodes above others come first.
        highest = np.zeros(len(corpus), dtype=np.int64)
        distinct, place_of = np.unique(words, return_index=True)
        highest[distinct] = depth[nodes[place_of]]
        rows.append(highest)
    size = max(int(row.max(initial=0)) for row in rows) + 1
    keys, codes = np.unique((rows[0] * size + rows[1]) * size + rows[2], return_inverse=True)
    texts = []
    for key in keys.tolist():
        labels_down, opened, closed = paths[key // size**2], key // size % size, key % size
        symbols = list(labels_down[::-1])
        # From the top down, so that lower places do not change; at one node the end comes after the beginning.
        for level, mark in sorted([(closed, ENDS), (opened, BEGINS)], key=lambda place: place[0]):
            if level:
                symbols.insert(len(labels_down) - level + 1, mark)
        texts.append(" ".join(symbols))
    return Column(codes, tuple(texts))


def _number_paths(parent: Ints, counted: Bools, labels: Column) -> tuple[Ints, Ints, list[tuple[str, ...]]]:
    """Number and length of the path from the top down to each node, and all paths (labels) by number."""
    path, length = (np.zeros(len(parent) + 1, dtype=np.int64) for _ in range(2))
    paths: list[tuple[str, ...]] = [()]
    width = len(labels.vocabulary)
    for nodes in group_by_depth(parent):
        above = parent[nodes]
        length[nodes] = length[above] + counted[nodes]
        path[nodes] = path[above]
        new = nodes[counted[nodes]]
        keys, codes = np.unique(path[new] * width + labels.codes[new], return_inverse=True)
        path[new] = len(paths) + codes
        paths.extend((*paths[key // width], labels.vocabulary[key % width]) for key in keys.tolist())
    return path[:-1], length[:-1], paths


def compare_lineages(gold: Sequence[str], system: Sequence[str]) -> Ints:
    """Similarity of each pair of lineages, 1 - edits / (sum of lengths), in units of 1/ONE.

    An insertion or deletion is one edit, a replacement two, so this is twice the longest common subsequence over the
    sum of lengths.
    """
    pairs = ((first.split(), second.split()) for first, second in zip(gold, system, strict=True))
    rows = [(len(first) + len(second), _common_length(first, second)) for first, second in pairs]
    total, common = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return np.where(total == 0, ONE, (2 * common * ONE + total // 2) // np.maximum(total, 1))


def _common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence.

    Each row of the table of all pairs of places is one number, with a bit for each place at which the row does not
    grow; one addition leads from row to row, for all places at once (Hyyrö 2004).
    """
    places: dict[str, int] = {}
    for place, symbol in enumerate(first):
        places[symbol] = places.get(symbol, 0) | 1 << place
    every = (1 << len(first)) - 1
    flat = every
    for symbol in second:
        equal = flat & places.get(symbol, 0)
        flat = (flat + equal | flat - equal) & every
    return len(first) - flat.bit_count()
