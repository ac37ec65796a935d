"""Phrase-structure trees: PARSEVAL with the conventions of EVALB, brackets by label, and leaf-ancestor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Bools, Floats, Ints, ratio
from assay.corpus import Column, Trees, one_vocabulary
from assay.engine import matching
from assay.engine.counts import Counts, Sums, bracketed, graded, matched
from assay.engine.items import CREDITS, ONE, Items
from assay.engine.measure import F1, Macro, Proportion, Ranged, Scores, mean_by_size, measure
from assay.engine.phrases import edge_functions, functions, trees_of
from assay.engine.spanpairs import span_items, spans_of
from assay.errors import UsageError, unknown
from assay.tasks.constituents.brackets import (
    Choices,
    Cleaned,
    choices,
    cleaned,
)
from assay.tasks.constituents.lineages import lineages, similarities

KINDS = (*matching.BRACKETS, "unscored")
"""Outcomes of a constituent: unscored is one of gold's in a sentence without a tree that could be compared."""
MEANS = ("words", "sentences")


_f1 = F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * sums["tp"] + sums["fp"] + sums["fn"] + sums["le"])
_BRACKETS: Scores = {
    "f1": _f1,
    "precision": Proportion("tp", "tp", "fp"),
    "recall": Proportion("tp", "tp", "fn", "le"),
}


_GOLDS = ("tp", "fn", "le")
"""Outcomes of gold's constituents in sentences that can be compared."""


def judge_brackets(pair: Pair, chosen: Choices) -> Items:
    """Gold's constituents and those that only the system has, and what is counted sentence by sentence."""
    clean = cleaned(pair, chosen)
    brackets, valid = clean.brackets, clean.valid
    ours, theirs = brackets.gold, brackets.system
    if not chosen.labelled:
        ours, theirs = (replace(side, labels=Column(np.zeros_like(side.label), ("",))) for side in (ours, theirs))
    records = matching.match_brackets(ours, theirs)
    crossing = brackets.system.unit[matching.crossing_brackets(ours, theirs, records)]
    gold = np.append(brackets.gold.unit, 0)[records.gold]
    kind = np.where((records.gold != NONE) & ~valid[gold], KINDS.index("unscored"), records.kind)
    rows = span_items(brackets, replace(records, kind=kind), KINDS, True)
    if not chosen.labelled:
        rows = replace(rows, answer=np.where(rows.right, rows.gold, rows.answer))
    numbers = _sums(clean, rows, np.bincount(crossing, minlength=len(valid)))
    # Items are nodes, as they are numbered among the pair's spans.
    assert rows.partner is not None and rows.key is not None
    among_spans = np.full(len(trees_of(pair.system)), NONE)
    among_spans[spans_of(pair).system.number] = np.arange(len(spans_of(pair).system))
    nodes, others = brackets.gold.number, np.append(among_spans[brackets.system.number], NONE)
    item = np.empty(len(rows), dtype=np.int64)
    item[rows.has_gold] = nodes[rows.item[rows.has_gold]]
    item[~rows.has_gold] = others[rows.item[~rows.has_gold]]
    key = rows.key if chosen.labelled else np.concatenate([rows.key[:-1], np.full((1, len(rows)), NONE)])
    return replace(rows, item=item, partner=others[rows.partner], key=key, sums=numbers)


def _sums(clean: Cleaned, rows: Items, crossing: Ints) -> dict[str, Ints]:
    """Counts of EVALB by sentence; none for those that are too long."""
    valid = clean.valid
    wrong = np.bincount(rows.sentence[~rows.right[0]], minlength=len(valid)) > 0
    in_gold = np.bincount(rows.sentence[rows.has_gold], minlength=len(valid))
    numbers: dict[str, Ints | Bools] = {
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
    return {name: np.asarray(column, dtype=np.int64) for name, column in numbers.items()}


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
    count=bracketed,
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

    preset: what is left out before: `plain` (roots and empty elements; functions are cut off), `collins`, `new`
        (EVALB with COLLINS.prm and new.prm), `spmrl` (evalb_spmrl); evalb-collins and so on will do too.
    params: a parameter file of EVALB in place of a preset.
    labelled: whether labels count.
    functions: whether labels and tags are compared with their functions (NP-SBJ).
    unary: whether of several constituents over the same words all count, or the topmost alone.
    trivial: whether constituents of one word and of the whole sentence count.
    disc_only: only constituents with gaps.
    cutoff: only sentences of at most so many words; 0 is no limit.
    Counts: tp; fp, only in the system; missed ones of gold: le where the system has the same words under another
        label (which is an fp), else fn; unscored, gold's in sentences that the system has no tree for (skipped) or
        other words in (errors); gold, system; sentences that can be compared, and of these: exact, trivial (fewer
        than two constituents in gold), no crossing brackets, two at most; crossing brackets; words left, right tags.
    Score: precision = tp/(tp+fp), recall = tp/(tp+fn+le), f1; exact-match, no-crossing, two-crossing: shares of
        sentences; crossing: system's brackets that overlap one of gold's without nesting, per sentence; tagging:
        share of words. Over sentences that can be compared, as EVALB does; in f1-all and recall-all the constituents
        of the others are missing. Of equal constituents as many match as both sides have.
    Peers: EVALB, evalb_spmrl.
    """
    if cutoff < 0:
        raise UsageError(f"parseval: cutoff is a number of words, or 0 for no limit, not {cutoff}.")
    chosen = choices(preset, params)
    return judge_brackets(
        pair,
        replace(
            chosen,
            labelled=labelled and chosen.labelled,
            functions=functions,
            unary=unary,
            trivial=trivial,
            disc_only=disc_only or chosen.disc_only,
            cutoff=cutoff,
        ),
    )


@measure(
    "bracket-f1",
    papers=("black1991",),
    scores=_BRACKETS,
    averages={
        **{f"macro-{name}": Macro(score, _GOLDS) for name, score in _BRACKETS.items()},
        "weighted-f1": mean_by_size(_f1, _GOLDS),
    },
    count=matched,
    main="f1",
    tested=("f1", "macro-f1"),
    task="constituents",
)
def bracket_f1(
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
    """Precision, recall and F1 of the constituents of each label, and their averages.

    preset, params, labelled, functions, unary, trivial, disc_only, cutoff: as for parseval.
    Counts: per label tp, fp, fn, le, unscored, gold, system.
    Score: as for parseval, averages as for tag-f1, all over sentences that can be compared.
    """
    return parseval(
        pair,
        preset=preset,
        labelled=labelled,
        functions=functions,
        unary=unary,
        trivial=trivial,
        disc_only=disc_only,
        cutoff=cutoff,
        params=params,
    )


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

    Counts: constituents that match, as in parseval, and have a function on either side; right, of these with gold's
        functions and no other; both, gold-tags, system-tags: functions of them that both sides have, that gold has,
        that the system has. Labels of edges are functions too.
    Score: accuracy = right/constituents; precision, recall, f1 of single functions.
    """
    clean = cleaned(pair, choices("plain", ""))
    gold, system = clean.brackets.gold, clean.brackets.system
    records = matching.match_brackets(gold, system)
    hit = records.kind == KINDS.index("tp")
    target, source = records.gold[hit], records.system[hit]
    sets = [_functions(trees_of(clean.brackets.corpus_of(side)))[side.number] for side in (gold, system)]
    both = zip(sets[0][target], sets[1][source], strict=True)
    sizes = [(len(a & b), len(a), len(b)) for a, b in both]
    shared, ours, theirs = np.array(sizes, dtype=np.int64).reshape(-1, 3).T
    some = ours + theirs > 0
    columns = {
        "right": some & (shared == ours) & (shared == theirs),
        "constituents": some,
        "both": shared,
        "gold-tags": ours,
        "system-tags": theirs,
    }
    sentence, sentences = gold.unit[target], pair.gold.sentences
    values = [np.bincount(sentence, weights=column, minlength=sentences) for column in columns.values()]
    return Counts(tuple(columns), sentences, np.arange(sentences), np.stack(values, axis=1).astype(np.int64))


def _functions(trees: Trees) -> Array:
    """The functions of each node."""
    edges = trees.edges
    of_label = [frozenset(functions(label)) for label in trees.labels.vocabulary]
    own = np.array(of_label, dtype=object)[trees.labels.codes]
    if edges is None:
        return own
    of_edge = [frozenset(edge_functions(edge)) for edge in edges.vocabulary]
    return np.asarray(own | np.array(of_edge, dtype=object)[edges.codes])


# --- leaf-ancestor ---


def _value(sums: Sums) -> Floats:
    return ratio(sums[CREDITS[-1]], ONE * sums["items"])


@measure(
    "leaf-ancestor",
    papers=("sampson2000", "sampson2003"),
    scores={"value": _value},
    count=graded,
    task="constituents",
)
def leaf_ancestor(pair: Pair, *, mean: str = "words") -> Items | Counts:
    """Leaf-ancestor: how far the labels above each word agree with gold's.

    mean: over `words`, or over `sentences` of the means of their words.
    Counts: items (words or sentences) and credit, in units of 2⁻³².
    Score: value = mean credit. The list of a word has the categories above it, without the root, a mark where the
        highest constituent that begins at the word begins, and one where the highest that ends there ends; credit =
        1 - edits / (sum of both lengths), where an insertion or deletion is one edit and a replacement two. A word
        that the system does not have, or has in no tree, gets none. Trees of more than 4,000 constituents above one
        another are refused.
    Paper: Sampson & Babarczy 2003.
    """
    if mean not in MEANS:
        raise unknown("mean", mean, MEANS)
    labels, (ours, theirs) = one_vocabulary([lineages(pair.gold), lineages(pair.system)])
    assigned = np.full(len(pair.gold), NONE)
    parsed = ~np.isin(pair.system.sentence_of[pair.system_words], list(pair.system.unparsed))
    assigned[pair.gold_words[parsed]] = theirs[pair.system_words[parsed]]
    credit = np.where(ours == assigned, ONE, 0)
    # Every distinct pair of lineages is compared once.
    rows = np.flatnonzero((ours != assigned) & (assigned != NONE))
    pairs, place = np.unique(ours[rows].astype(np.int64) * len(labels) + assigned[rows], return_inverse=True)
    texts = [[labels[code] for code in side.tolist()] for side in (pairs // len(labels), pairs % len(labels))]
    credit[rows] = similarities(*texts)[place]
    sentence = pair.gold.sentence_of
    if mean == "sentences":
        words = np.diff(pair.gold.starts)
        total = np.add.reduceat(credit, pair.gold.starts[:-1])
        values = np.stack([np.ones_like(words), (total + words // 2) // words], axis=1)
        return Counts(("items", CREDITS[-1]), len(words), np.arange(len(words)), values)
    table = np.zeros((len(CREDITS), len(credit)), dtype=np.int64)
    table[-1] = credit
    return Items.of(labels, sentence, np.arange(len(credit)), ours, assigned, credit == ONE, credits=table)
