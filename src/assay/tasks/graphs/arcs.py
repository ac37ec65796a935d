"""Arcs of graphs on one set of nodes of gold and system, with empty nodes treated as a measure asks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from zlib import crc32

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints
from assay.classes import dataclass
from assay.corpus import Column, Corpus, Marks, one_vocabulary
from assay.engine.matching import places_in_runs
from assay.formats.graphs import find_empty_nodes, find_node_sentences, make_arcs

EMPTY = ("collapse", "drop", "align")
"""The ways to treat empty nodes."""
ENHANCEMENTS = ("gapping", "shared-heads", "shared-dependents", "control", "relative-clauses")
"""Enhancements that can be taken out."""
WHOLE_KINDS = ("tp", "sense", "arguments", "fn", "fp")
"""Outcomes of predicates taken with all their arguments."""
PREDICATE = "(predicate)"
"""The label of all predicates."""
TOP = "(top)"
"""The label of an arc from the root where its format has none."""
STEP = ">"
"""The sign between the labels of a path through empty nodes."""
PATHS = ("between words", "through an empty node")
SEVERAL = ("one arc in gold", "several in gold")
MOST_PATHS = 100_000
_MOST_STEPS = 10 * MOST_PATHS
_FAR = 1 << 40
"""The distance of the root from all words."""


def hash_name(name: str) -> int:
    """A number for a name, the same in every run."""
    return crc32(name.encode("utf-8", "replace"))


# --- empty nodes and enhancements taken out of a graph ---


def _with_paths(arcs: Marks, path: Bools) -> Marks:
    """The arcs with a column that says which of them lead through empty nodes."""
    return replace(arcs, columns={"path": Column(path.astype(np.int8), PATHS)})


def treat_empty_nodes(corpus: Corpus, empty: str) -> tuple[Marks, list[tuple[int, str]]]:
    """The arcs of a corpus; the faults are sentences with more paths than can be listed."""
    arcs, words = corpus.marks["arcs"], len(corpus)
    dependents, heads = arcs.arguments["dependent"], arcs.arguments["head"]
    at_empty = (dependents >= words) | (heads >= words)
    if empty == "align" or not at_empty.any():
        return _with_paths(arcs, at_empty), []
    plain = arcs.where(~at_empty)
    if empty == "drop":
        return _with_paths(plain, np.zeros(len(plain), dtype=bool)), []
    sentence_of = find_node_sentences(corpus)
    into: dict[int, list[tuple[int, str]]] = {}
    for arc in np.flatnonzero(at_empty).tolist():
        into.setdefault(int(dependents[arc]), []).append((int(heads[arc]), arcs.labels[arc]))
    found: dict[tuple[int, int, str], None] = {}
    faults: list[tuple[int, str]] = []
    numbers: dict[int, tuple[int, int]] = {}
    for word in [node for node in into if node < words]:
        sentence = int(sentence_of[word])
        paths, steps = numbers.get(sentence, (0, 0))
        if paths < 0:
            continue
        # From the word up: the node reached, the empty nodes passed, and the labels so far, the last first.
        open_ends = [(head, frozenset((head,)), label) for head, label in into[word] if head >= words]
        while open_ends and paths <= MOST_PATHS and steps <= _MOST_STEPS:
            node, passed, label = open_ends.pop()
            steps += 1
            for head, above in into.get(node, ()):
                if head < words:
                    found[word, head, f"{above}{STEP}{label}"] = None
                    paths += 1
                elif head not in passed:
                    open_ends.append((head, passed | {head}, f"{above}{STEP}{label}"))
        if open_ends:
            fact = f"more than {MOST_PATHS:,} paths through empty nodes. Use empty=align, e.g. elas(empty=align)."
            faults.append((sentence, f"{corpus.place_of_sentence(sentence)}: {fact}"))
            paths = -1
        numbers[sentence] = (paths, steps)
    known = {label: code for code, label in enumerate(arcs.labels.vocabulary)}
    codes = np.array([known.setdefault(label, len(known)) for _, _, label in found], dtype=np.int32)
    ends = np.array([[word, node] for word, node, _ in found], dtype=np.int64).reshape(-1, 2).T
    labels = Column(np.concatenate([plain.label, codes]), tuple(known))
    upper = np.append(plain.arguments["head"], ends[1])
    # A collapsed file has such paths as labels already, so that one may be there twice.
    made = make_arcs(corpus, np.append(plain.arguments["dependent"], ends[0]), upper, labels)
    return _with_paths(made, made.labels.isin(label for label in known if STEP in label)), faults


def without_enhancements(corpus: Corpus, arcs: Marks, enhancements: Collection[str]) -> Marks:
    """The arcs without some enhancements of the tree, which the corpus has as heads and DEPREL.

    `gapping`, and of `relative-clauses` the arcs ref: the arc of the tree replaces them. Otherwise arcs are left
    out, but none of the tree: those that conjuncts share with the first (`shared-heads`), those with the label
    of an arc of the tree (`shared-dependents`), subjects of open complements (`control`), and antecedents as
    arguments within their relative clause (`relative-clauses`).
    """
    assert corpus.heads is not None
    words, heads, relation = len(corpus), corpus.heads, corpus.column("DEPREL")
    vocabulary, (codes, basic) = one_vocabulary([arcs.labels, relation])
    nodes, head = arcs.arguments["dependent"], arcs.arguments["head"]

    def begins(prefix: str) -> Bools:
        return np.array([label.startswith(prefix) for label in vocabulary] or [False])

    of_word = nodes < words
    dependent = np.minimum(nodes, words - 1)
    in_tree = of_word & (head == heads[dependent])
    from_word = (head >= 0) & (head < words)
    above = np.where(from_word, head, 0)
    replaced, gone = np.zeros(len(codes), dtype=bool), np.zeros(len(codes), dtype=bool)
    if "gapping" in enhancements:
        replaced |= of_word & (arcs.columns["path"].codes == 1)
    if "relative-clauses" in enhancements:
        replaced |= of_word & Column(codes, vocabulary).isin(["ref"])
        gone |= of_word & from_word & begins("acl:relcl")[basic[above]] & (heads[above] == dependent)
    if "control" in enhancements:
        gone |= from_word & begins("nsubj")[codes] & begins("xcomp")[basic[above]] & ~in_tree
    width, size = len(vocabulary), words + len(find_empty_nodes(corpus)) + 1
    if "shared-heads" in enhancements:
        conjunct = of_word & begins("conj")[basic[dependent]] & (heads[dependent] >= 0)
        keys, first = ((own * size + head + 1) * width + codes for own in (nodes, np.maximum(heads[dependent], 0)))
        gone |= conjunct & np.isin(first, keys) & ~in_tree
    if "shared-dependents" in enhancements:
        keys = nodes * width + codes
        gone |= np.isin(keys, keys[in_tree]) & ~in_tree
    kept = ~gone | replaced
    head = np.where(replaced, heads[dependent], head)[kept]
    labels = Column(np.where(replaced, basic[dependent], codes)[kept].astype(np.int32), vocabulary)
    made = make_arcs(corpus, nodes[kept], head, labels)
    at_empty = (made.arguments["dependent"] >= words) | (made.arguments["head"] >= words)
    return _with_paths(made, made.labels.isin(label for label in vocabulary if STEP in label) | at_empty)


# --- both sides over one set of nodes ---


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a pair, with the same numbers on both sides.

    First gold's words and empty nodes, then the root of each gold sentence, then the nodes of the system, of which
    those count that gold does not have.
    """

    roots: int
    """The number of the first root …"""
    beyond: int
    """… and of the system's first node."""
    number: Ints
    """The common number of each of the system's nodes, empty nodes not paired with gold's …"""
    sentence: Ints
    """… and its gold sentence, NONE if it is left out."""
    position: Ints
    """The place of each node on the line of gold's words, for what is nearer."""
    identity: Ints
    """A number of each node that is the same for all systems."""

    @classmethod
    def of(cls, pair: Pair) -> Nodes:
        """The nodes of gold and system."""
        gold, system = pair.gold, pair.system
        ours, theirs = find_empty_nodes(gold), find_empty_nodes(system)
        roots, of_system = len(gold) + len(ours), len(system) + len(theirs)
        beyond = roots + gold.sentences
        number = beyond + np.arange(of_system)
        number[pair.system_words] = pair.gold_words
        before = np.maximum(system.words_of(theirs) - 1, 0)
        before = np.maximum(before, system.starts[theirs.unit])
        covering = np.concatenate([pair.covering, pair.covering[before]])
        position = np.concatenate(
            [
                2 * np.arange(len(gold)),
                2 * gold.words_of(ours) - 1,
                np.full(gold.sentences, -_FAR),
                2 * covering + (np.arange(of_system) >= len(system)),
            ]
        )
        # An empty node is known by the word before it and its order there.
        words, order = identify_words(pair), np.minimum(places_in_runs(before), 1023)
        identity = np.concatenate([2 * words, 2 * (words[before] * 1024 + order) + 1])
        identity = np.concatenate([np.arange(beyond), beyond + identity])
        sentence = np.concatenate([pair.system_sentence, pair.system_sentence[before]])
        return cls(roots, beyond, number, sentence, position, identity)


def identify_words(pair: Pair) -> Ints:
    """Numbers of a system's words by the characters that they cover, the same for the same word of any system."""
    words = len(pair.system)
    if pair.aligned_by != "characters":
        return np.arange(words)
    taken = np.ones(pair.system.sentences, dtype=bool) if pair.apart is None else ~pair.apart[1]
    places = pair.texts[1].spans(taken)
    found = np.zeros(words, dtype=np.int64)
    length = np.minimum(places.end - places.begin, 4095)
    # Words of a multiword token share its characters, and are known by their order.
    order = np.minimum(places_in_runs(places.begin), 15)
    found[places.words] = (places.begin * 4096 + length) * 16 + order
    return found


def with_arcs(pair: Pair, layers: Mapping[str, tuple[Marks, Marks]]) -> Pair:
    """The pair with layers of arcs, or of predicates as arcs from the root, over one set of nodes.

    In addition to `dependent` and `head` an arc has those of its own corpus (`own_dependent`, `own_head`). Arcs of
    all layers have different numbers, so that the number of an item is enough. Sentences that are left out have none.
    """
    nodes = Nodes.of(pair)
    first, found = [0, 0], {}
    for name, sides in layers.items():
        numbers = nodes.number
        if name.startswith("align") and len(find_empty_nodes(pair.gold)) and len(find_empty_nodes(pair.system)):
            numbers = np.concatenate([numbers[: len(pair.system)], _paired_empties(pair, nodes)])
        in_gold = np.bincount(sides[0].arguments["dependent"], minlength=len(nodes.position))
        both = []
        for side, (arcs, common) in enumerate(zip(sides, (np.arange(nodes.roots), numbers), strict=True)):
            unit = arcs.unit if side == 0 else nodes.sentence[arcs.arguments["dependent"]]
            kept = np.flatnonzero(~pair.skipped[unit] if side == 0 else unit >= 0)
            chosen, unit = arcs if len(kept) == len(arcs) else arcs.where(kept), unit[kept]
            dependent, head = chosen.arguments["dependent"], chosen.arguments["head"]
            several = (in_gold[common[dependent]] > 1).astype(np.int8)
            arguments = {
                "dependent": dependent if side == 0 else common[dependent],
                "head": np.where(head == NONE, nodes.roots + unit, common[head]),
                "own_dependent": dependent,
                "own_head": head,
            }
            columns = {**chosen.columns, "several": Column(several, SEVERAL)}
            number = first[side] + kept
            both.append(replace(chosen, unit=unit, arguments=arguments, columns=columns, number=number))
        found[name] = (both[0], both[1])
        first = [number + len(arcs) for number, arcs in zip(first, sides, strict=True)]
    return pair.with_marks(**found).with_layer(nodes)


def columns_of_arcs(pair: Pair, side: int, numbers: Ints) -> dict[str, Ints]:
    """Arguments and codes of the columns of gold's (0) or the system's (1) arcs with these numbers."""
    found: dict[str, Ints] = {}
    for both in pair.marks.values():
        arcs = both[side]
        rows = np.searchsorted(arcs.number, numbers)
        here = np.flatnonzero(np.append(arcs.number, NONE)[rows] == numbers)
        columns = {**arcs.arguments, **{name: column.codes for name, column in arcs.columns.items()}}
        for name, column in columns.items():
            found.setdefault(name, np.zeros(len(numbers), dtype=np.int64))[here] = column[rows[here]]
    return found


def is_top(arcs: Marks) -> Bools:
    """Mask of the arcs from the root."""
    return np.asarray(arcs.arguments["own_head"] == NONE)


def _paired_empties(pair: Pair, nodes: Nodes) -> Ints:
    """The common number of each of the system's empty nodes: gold's, where one has equal arcs with aligned words.

    Within a gold sentence pairs are one to one and have as many equal labelled arcs as can be; among equals those
    that lie nearer, then by order. What is paired then counts as aligned for the empty nodes that are left, and those
    that have arcs among themselves alone are paired by the labels of these.
    """
    from scipy.optimize import linear_sum_assignment

    gold, system = pair.gold, pair.system
    ours, theirs = find_empty_nodes(gold), find_empty_nodes(system)
    words, own = len(gold), len(system)
    common = nodes.number.copy()
    behind = np.minimum(system.words_of(theirs), own - 1)
    places = (gold.words_of(ours), pair.covering[behind])
    sentences = (np.where(pair.skipped[ours.unit], NONE, ours.unit), nodes.sentence[own:])
    left = tuple(np.ones(len(one), dtype=bool) for one in sentences)
    rows = []
    for corpus in (gold, system):
        arcs = corpus.marks["arcs"]
        at_empty = (arcs.arguments["dependent"] >= len(corpus)) | (arcs.arguments["head"] >= len(corpus))
        chosen = arcs.where(at_empty)
        columns = (chosen.arguments[role].tolist() for role in ("dependent", "head"))
        rows.append([*zip(*columns, chosen.labels.strings(), strict=True)])

    def around(side: int, alone: bool) -> dict[int, dict[int, set[tuple[object, ...]]]]:
        """By sentence and empty node that is left the arcs with aligned nodes; `alone`: with any empty node."""
        size, numbers = ((words, np.arange(words + len(ours))), (own, common))[side]
        found: dict[int, dict[int, set[tuple[object, ...]]]] = {}
        for dependent, head, label in rows[side]:
            for node, other, down in ((dependent, head, True), (head, dependent, False)):
                if node < size or not left[side][node - size] or sentences[side][node - size] == NONE:
                    continue
                known = other == NONE or (other < size and numbers[other] < words)
                known = known or (other >= size and not left[side][other - size])
                if known or alone:
                    place: object = other == node if alone else NONE if other == NONE else int(numbers[other])
                    around_nodes = found.setdefault(int(sentences[side][node - size]), {})
                    around_nodes.setdefault(node - size, set()).add((place, label, down))
        return found

    for alone in (False, True):
        new = True
        while new:
            new = False
            in_gold, in_system = around(0, alone), around(1, alone)
            for where in in_gold.keys() & in_system.keys():
                targets, rivals = sorted(in_gold[where]), sorted(in_system[where])
                sets = [in_gold[where][node] for node in targets], [in_system[where][node] for node in rivals]
                shared = np.array([[len(one & other) for other in sets[1]] for one in sets[0]], dtype=np.float64)
                order = np.abs(np.subtract.outer(np.arange(len(targets)), np.arange(len(rivals)))) / 1e4
                distance = np.abs(places[0][targets][:, None] - places[1][rivals][None, :]) + order
                scale = float(distance.max()) * (min(distance.shape) + 1) + 1.0
                worth = shared * scale - np.where(shared > 0, distance, 0.0)
                for row, column in zip(*linear_sum_assignment(worth, maximize=True), strict=True):
                    if shared[row, column]:
                        node, rival = targets[row], rivals[column]
                        common[own + rival] = words + node
                        left[0][node] = left[1][rival] = False
                        new = True
    return common[own:]
