"""The arcs of gold and of a system over one set of nodes, and which of them answer for which."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from zlib import crc32

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, numbers_of_runs
from assay.corpus import Column, Corpus, one_vocabulary
from assay.formats.graphs import Graph, GraphFault
from assay.records import dataclass

EMPTY = ("collapse", "drop", "align")
"""The ways to treat empty nodes."""
ENHANCEMENTS = ("gapping", "shared-heads", "shared-dependents", "control", "relative-clauses")
"""Enhancements that can be taken out."""
KINDS = ("tp", "le", "head", "dependent", "direction", "fn", "fp")
"""What became of an arc: right, wrong label, head or dependent, turned round, missing, spurious."""
TP, LE, HEAD, DEPENDENT, DIRECTION, FN, FP = range(len(KINDS))
WHOLE_KINDS = ("tp", "sense", "arguments", "fn", "fp")
"""Outcomes of predicates taken with all their arguments."""
PREDICATE = "(predicate)"
"""The label of all predicates."""
PREDICATES = "predicates"
"""Beside ways to treat empty nodes: the predicates, as arcs from the root that have their senses as labels."""
TOP = "(top)"
"""The label of an arc from the root where its format has none."""
STEP = ">"
"""The sign between the labels of a path through empty nodes."""
MOST_PATHS = 100_000
_MOST_STEPS = 10 * MOST_PATHS
_FAR = 1 << 40
"""The distance of the root from all words."""
_MOST_CANDIDATES = 20_000_000


# --- empty nodes taken out of a graph ---


@dataclass(frozen=True, eq=False)
class Flat:
    """The arcs of a corpus with empty nodes treated in one of the ways."""

    dependent: Ints
    head: Ints
    labels: Column
    path: Bools
    """Mask of the arcs that lead through empty nodes."""


def graph_of(corpus: Corpus) -> Graph:
    """The graph that a corpus holds."""
    graph = corpus.layer(Graph)
    assert graph is not None
    return graph


def number_of(name: str) -> int:
    """A number that tells a name from others, the same in every run."""
    return crc32(name.encode("utf-8", "replace"))


def flat_predicates(corpus: Corpus) -> Flat:
    """The predicates of a corpus, as arcs from the root."""
    graph = graph_of(corpus)
    nothing = np.full(len(graph.predicates), NONE)
    return Flat(graph.predicates, nothing, graph.senses, np.zeros(len(nothing), dtype=bool))


def flat(corpus: Corpus, empty: str) -> tuple[Flat, list[GraphFault]]:
    """The arcs of a corpus; the faults are sentences with more paths than can be listed."""
    graph, words = graph_of(corpus), len(corpus)
    at_empty = (graph.dependent >= words) | (graph.head >= words)
    if empty == "align" or not at_empty.any():
        path = at_empty
        return Flat(graph.dependent, graph.head, graph.labels, path), []
    kept = np.flatnonzero(~at_empty)
    plain = Flat(
        graph.dependent[kept],
        graph.head[kept],
        Column(graph.labels.codes[kept], graph.labels.vocabulary),
        np.zeros(len(kept), dtype=bool),
    )
    if empty == "drop":
        return plain, []
    sentence_of = np.concatenate([corpus.sentence_of, graph.empty_sentence])
    rows = np.flatnonzero(at_empty)
    into: dict[int, list[tuple[int, str]]] = {}
    for arc in rows.tolist():
        into.setdefault(int(graph.dependent[arc]), []).append((int(graph.head[arc]), graph.labels[arc]))
    found: dict[tuple[int, int, str], None] = {}
    faults: list[GraphFault] = []
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
            fact = f"more than {MOST_PATHS:,} paths through empty nodes. Take empty=align, e.g. elas(empty=align)."
            faults.append(GraphFault(sentence, corpus.place_of_sentence(sentence), fact))
            paths = -1
        numbers[sentence] = (paths, steps)
    known = {label: code for code, label in enumerate(graph.labels.vocabulary)}
    codes = np.array([known.setdefault(label, len(known)) for _, _, label in found], dtype=np.int32)
    ends = np.array([[word, node] for word, node, _ in found], dtype=np.int64).reshape(-1, 2).T
    labels = Column(np.concatenate([plain.labels.codes, codes]), tuple(known))
    # A collapsed file has such paths as labels already, so that one may be there twice.
    graph = Graph.of(np.append(plain.dependent, ends[0]), np.append(plain.head, ends[1]), labels)
    steps_of = np.array([STEP in label for label in graph.labels.vocabulary] or [False])
    return Flat(graph.dependent, graph.head, graph.labels, steps_of[graph.labels.codes]), faults


# --- enhancements taken out of a graph ---


def without_enhancements(corpus: Corpus, one: Flat, enhancements: Collection[str]) -> Flat:
    """The arcs without some enhancements of the tree, which the corpus has as heads and DEPREL.

    `gapping`, and of `relative-clauses` the arcs ref: the arc of the tree stands in their place. Otherwise arcs are
    left out, but none of the tree: those that conjuncts share with the first (`shared-heads`), those with the label
    of an arc of the tree (`shared-dependents`), subjects of open complements (`control`), and antecedents as
    arguments within their relative clause (`relative-clauses`).
    """
    assert corpus.heads is not None
    words, heads, relation = len(corpus), corpus.heads, corpus.column("DEPREL")
    vocabulary, (codes, basic) = one_vocabulary([one.labels, relation])

    def begins(prefix: str) -> Bools:
        return np.array([label.startswith(prefix) for label in vocabulary] or [False])

    of_word = one.dependent < words
    dependent = np.minimum(one.dependent, words - 1)
    in_tree = of_word & (one.head == heads[dependent])
    from_word = (one.head >= 0) & (one.head < words)
    above = np.where(from_word, one.head, 0)
    replaced, gone = np.zeros(len(codes), dtype=bool), np.zeros(len(codes), dtype=bool)
    if "gapping" in enhancements:
        replaced |= of_word & one.path
    if "relative-clauses" in enhancements:
        replaced |= of_word & np.array([label == "ref" for label in vocabulary] or [False])[codes]
        gone |= of_word & from_word & begins("acl:relcl")[basic[above]] & (heads[above] == dependent)
    if "control" in enhancements:
        gone |= from_word & begins("nsubj")[codes] & begins("xcomp")[basic[above]] & ~in_tree
    width, nodes = len(vocabulary), words + len(graph_of(corpus).empty_ids) + 1
    if "shared-heads" in enhancements:
        conjunct = of_word & begins("conj")[basic[dependent]] & (heads[dependent] >= 0)
        keys, first = (
            (own * nodes + one.head + 1) * width + codes for own in (one.dependent, np.maximum(heads[dependent], 0))
        )
        gone |= conjunct & np.isin(first, keys) & ~in_tree
    if "shared-dependents" in enhancements:
        alike = one.dependent * width + codes
        gone |= np.isin(alike, alike[in_tree]) & ~in_tree
    kept = ~gone | replaced
    head = np.where(replaced, heads[dependent], one.head)[kept]
    labels = Column(np.where(replaced, basic[dependent], codes)[kept].astype(np.int32), vocabulary)
    graph = Graph.of(one.dependent[kept], head, labels)
    paths = np.array([STEP in label for label in vocabulary] or [False])
    at_empty = (graph.dependent >= words) | (graph.head >= words)
    return Flat(graph.dependent, graph.head, graph.labels, paths[graph.labels.codes] | at_empty)


# --- both sides over one set of nodes ---


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs of one side over the nodes of both.

    Nodes are numbered alike on both sides: gold's words and empty nodes, then the root of each gold sentence, then
    the nodes of the system that gold does not have.
    """

    dependent: Ints
    head: Ints
    labels: Column
    sentence: Ints
    """The gold sentence that each belongs to: that of its dependent."""
    top: Bools
    path: Bools
    """Mask of those that lead through empty nodes."""
    own_dependent: Ints
    """The dependent in its own corpus …"""
    own_head: Ints
    """… and the head there, NONE for the root."""
    number: Ints
    """The number of each among all of its side in the pair."""
    several: Bools
    """Mask of those whose dependent has more than one arc in gold."""

    def __len__(self) -> int:
        return len(self.dependent)

    def where(self, rows: Bools | Ints) -> Arcs:
        """Some of the arcs."""
        return Arcs(
            self.dependent[rows],
            self.head[rows],
            Column(self.labels.codes[rows], self.labels.vocabulary),
            self.sentence[rows],
            self.top[rows],
            self.path[rows],
            self.own_dependent[rows],
            self.own_head[rows],
            self.number[rows],
            self.several[rows],
        )

    def renamed(self, names: Mapping[str, str]) -> Arcs:
        """The arcs under other labels."""
        return replace(self, labels=self.labels.mapped(names))


@dataclass(frozen=True, eq=False)
class Sides:
    """The arcs of gold and system, and what is known of their nodes."""

    gold: Arcs
    system: Arcs
    position: Ints
    """The place of each node on the line of gold's words, for what is nearer."""
    identity: Ints
    """A number of each node that is the same for all systems."""
    nodes: tuple[int, int]
    """The number of gold's nodes, and of these with the roots of the sentences."""


@dataclass(frozen=True, eq=False)
class GraphPair:
    """A layer of a Pair: the arcs of both sides, with empty nodes treated in each of the ways asked for.

    Arcs are numbered through all of these ways, so that items tell their arcs.
    """

    sides: Mapping[str, Sides]

    @classmethod
    def of(cls, pair: Pair, flats: Mapping[str, tuple[Flat, Flat]]) -> GraphPair:
        """The layer from the arcs of both sides, by the way in which empty nodes are treated."""
        found: dict[str, Sides] = {}
        first = [0, 0]
        for empty, both in flats.items():
            found[empty] = sides_of(pair, both, empty.partition(" ")[0], first)
            first = [number + len(one.dependent) for number, one in zip(first, both, strict=True)]
        return cls(found)

    def arcs(self, side: int, numbers: Ints) -> tuple[Arcs, Ints]:
        """All arcs of gold (0) or of the system (1), and the places among them of those with these numbers."""
        chosen = [(one.gold, one.system)[side] for one in self.sides.values()]
        vocabulary, codes = one_vocabulary([arcs.labels for arcs in chosen])
        columns = {
            one.name: np.concatenate([getattr(arcs, one.name) for arcs in chosen])
            for one in fields(Arcs)
            if one.name != "labels"
        }
        whole = Arcs(labels=Column(np.concatenate(codes), vocabulary), **columns)
        return whole, np.searchsorted(whole.number, numbers)


def sides_of(pair: Pair, flats: tuple[Flat, Flat], empty: str, first: Sequence[int] = (0, 0)) -> Sides:
    """The arcs of a pair over one set of nodes, numbered from `first` on; sentences that are left out have none."""
    gold, system = pair.gold, pair.system
    ours, theirs = graph_of(gold), graph_of(system)
    of_gold, of_system = len(gold) + len(ours.empty_ids), len(system) + len(theirs.empty_ids)
    roots, beyond = of_gold, of_gold + gold.sentences
    # Each node of the system in common numbers, its gold sentence, and the gold word where it stands.
    number = beyond + np.arange(of_system)
    number[pair.system_words] = pair.gold_words
    before = np.maximum(system.starts[theirs.empty_sentence] + theirs.empty_behind - 1, 0)
    before = np.maximum(before, system.starts[theirs.empty_sentence])
    sentence = np.concatenate([pair.system_sentence, pair.system_sentence[before]])
    covering = np.concatenate([pair.covering, pair.covering[before]])
    if empty == "align" and len(ours.empty_ids) and len(theirs.empty_ids):
        number[len(system) :] = _paired_empties(pair, number, sentence)
    position = np.concatenate(
        [
            2 * np.arange(len(gold)),
            2 * (gold.starts[ours.empty_sentence] + ours.empty_behind) - 1,
            np.full(gold.sentences, -_FAR),
            2 * covering + (np.arange(of_system) >= len(system)),
        ]
    )
    identity = np.arange(beyond + of_system)
    identity[beyond:] = beyond + _node_identities(pair, before)
    sentence_of = np.concatenate([gold.sentence_of, ours.empty_sentence])
    arcs, in_gold = [], np.bincount(flats[0].dependent, minlength=beyond + of_system)
    for side, one, numbers, sentences in (
        (0, flats[0], np.arange(of_gold), sentence_of),
        (1, flats[1], number, sentence),
    ):
        own = sentences[one.dependent]
        kept = np.flatnonzero(~pair.skipped[own] if side == 0 else own >= 0)
        dependent, head, own = one.dependent[kept], one.head[kept], own[kept]
        top = head == NONE
        arcs.append(
            Arcs(
                dependent=numbers[dependent],
                head=np.where(top, roots + own, numbers[head]),
                labels=Column(one.labels.codes[kept], one.labels.vocabulary),
                sentence=own,
                top=top,
                path=one.path[kept],
                own_dependent=dependent,
                own_head=head,
                number=first[side] + kept,
                several=in_gold[numbers[dependent]] > 1,
            )
        )
    return Sides(arcs[0], arcs[1], position, identity, (of_gold, beyond))


def identities(pair: Pair) -> Ints:
    """Numbers for a system's words that tell them by the characters they cover, not by their number there."""
    words = len(pair.system)
    if pair.aligned_by != "characters":
        return np.arange(words)
    taken = np.ones(pair.system.sentences, dtype=bool) if pair.apart is None else ~pair.apart[1]
    places = pair.texts[1].spans(taken)
    found = np.zeros(words, dtype=np.int64)
    length = np.minimum(places.end - places.begin, 4095)
    # Words of a multiword token share its characters, and are told by their order.
    order = np.minimum(_order_among_equals(places.begin), 15)
    found[places.words] = (places.begin * 4096 + length) * 16 + order
    return found


def _node_identities(pair: Pair, before: Ints) -> Ints:
    """The same for words and empty nodes, which are told by the word before them and their order."""
    words = identities(pair)
    order = np.minimum(_order_among_equals(before), 1023)
    return np.concatenate([2 * words, 2 * (words[before] * 1024 + order) + 1])


def _order_among_equals(values: Ints) -> Ints:
    """The number of equal values just before each."""
    new = np.ones(len(values), dtype=bool)
    new[1:] = values[1:] != values[:-1]
    return np.arange(len(new)) - np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))


def _paired_empties(pair: Pair, number: Ints, sentence: Ints) -> Ints:
    """The common number of each of the system's empty nodes: gold's, where one has equal arcs with aligned words.

    Within a gold sentence pairs are one to one and have as many equal labelled arcs as can be; among equals those
    that lie nearer, then by order. What is paired then counts as aligned for the empty nodes that are left, and those
    that have arcs among themselves alone are paired by the labels of these.
    """
    from scipy.optimize import linear_sum_assignment

    gold, system = pair.gold, pair.system
    ours, theirs = graph_of(gold), graph_of(system)
    words, own = len(gold), len(system)
    common = number.copy()
    behind = np.minimum(system.starts[theirs.empty_sentence] + theirs.empty_behind, own - 1)
    places = (gold.starts[ours.empty_sentence] + ours.empty_behind, pair.covering[behind])
    sentences = (np.where(pair.skipped[ours.empty_sentence], NONE, ours.empty_sentence), sentence[own:])
    left = tuple(np.ones(len(one), dtype=bool) for one in sentences)
    rows = [
        [
            (int(graph.dependent[arc]), int(graph.head[arc]), graph.labels[arc])
            for arc in np.flatnonzero((graph.dependent >= size) | (graph.head >= size)).tolist()
        ]
        for graph, size in ((ours, words), (theirs, own))
    ]

    def around(side: int, alone: bool) -> dict[int, dict[int, set[tuple[object, ...]]]]:
        """By sentence and empty node that is left the arcs with aligned nodes; `alone`: with any empty node."""
        size, numbers = ((words, np.arange(words + len(ours.empty_ids))), (own, common))[side]
        found: dict[int, dict[int, set[tuple[object, ...]]]] = {}
        for dependent, head, label in rows[side]:
            for node, other, down in ((dependent, head, True), (head, dependent, False)):
                if node < size or not left[side][node - size] or sentences[side][node - size] == NONE:
                    continue
                known = other == NONE or (other < size and numbers[other] < words)
                known = known or (other >= size and not left[side][other - size])
                if known or alone:
                    place: object = other == node if alone else NONE if other == NONE else int(numbers[other])
                    nodes = found.setdefault(int(sentences[side][node - size]), {})
                    nodes.setdefault(node - size, set()).add((place, label, down))
        return found

    for alone in (False, True):
        new = True
        while new:
            new = False
            in_gold, in_system = around(0, alone), around(1, alone)
            for where in in_gold.keys() & in_system.keys():
                nodes, rivals = sorted(in_gold[where]), sorted(in_system[where])
                sets = [in_gold[where][node] for node in nodes], [in_system[where][node] for node in rivals]
                shared = np.array([[len(one & other) for other in sets[1]] for one in sets[0]], dtype=np.float64)
                order = np.abs(np.subtract.outer(np.arange(len(nodes)), np.arange(len(rivals)))) / 1e4
                distance = np.abs(places[0][nodes][:, None] - places[1][rivals][None, :]) + order
                scale = float(distance.max()) * (min(distance.shape) + 1) + 1.0
                worth = shared * scale - np.where(shared > 0, distance, 0.0)
                for row, column in zip(*linear_sum_assignment(worth, maximize=True), strict=True):
                    if shared[row, column]:
                        node, rival = nodes[row], rivals[column]
                        common[own + rival] = words + node
                        left[0][node] = left[1][rival] = False
                        new = True
    return common[own:]


# --- which arc answers for which ---


@dataclass(frozen=True, eq=False)
class Matching:
    """For each gold arc the system's arc that answers for it, NONE where none does, and what became of it."""

    partner: Ints
    kind: Ints
    spurious: Ints
    """The system's arcs that answer for none."""


def matching(sides: Sides, gold: Ints, system: Ints, *, directed: bool = True) -> Matching:
    """Arcs made pairs one to one, right ones first; `gold` and `system` are the codes of their labels.

    Then those between the same nodes, with the same dependent and label, the same head and label, those that are
    turned round. Among several the one whose other end lies nearer is taken, then the first in the text.
    """
    ours, theirs = sides.gold, sides.system
    nodes = len(sides.position) + 1
    width = int(max(gold.max(initial=0), system.max(initial=0))) + 1
    ends = [np.stack([one.dependent, one.head]) for one in (ours, theirs)]
    if not directed:
        ends = [np.sort(one, axis=0) for one in ends]
    # Both ends as one number, small enough to be taken together with a label.
    a_ends, b_ends = (one[0] * nodes + one[1] for one in ends)
    if nodes * nodes * width >= 1 << 62:
        _, joint = np.unique(np.concatenate([a_ends, b_ends]), return_inverse=True)
        a_ends, b_ends = joint[: len(ours)], joint[len(ours) :]
    partner = np.full(len(ours), NONE, dtype=np.int64)
    kind = np.full(len(ours), FN, dtype=np.int64)
    taken = np.zeros(len(theirs), dtype=bool)

    def settle(rows: Ints, others: Ints, what: int) -> None:
        partner[rows], kind[rows], taken[others] = others, what, True

    def left() -> tuple[Ints, Ints]:
        return np.flatnonzero(partner == NONE), np.flatnonzero(~taken)

    settle(*in_order(a_ends * width + gold, b_ends * width + system), TP)
    a, b = left()
    if width > 1 and len(a) and len(b):
        rows, others = in_order(a_ends[a], b_ends[b])
        settle(a[rows], b[others], LE)
        a, b = left()
    for what, same, other in ((HEAD, 0, 1), (DEPENDENT, 1, 0)):
        if len(a) and len(b):
            keys = ends[0][same][a] * width + gold[a], ends[1][same][b] * width + system[b]
            places = sides.position[ends[0][other][a]], sides.position[ends[1][other][b]]
            rows, others = nearest(*keys, *places)
            settle(a[rows], b[others], what)
            a, b = left()
    if directed and len(a) and len(b):
        keys = ends[0][0][a] * nodes + ends[0][1][a], ends[1][1][b] * nodes + ends[1][0][b]
        rows, others = nearest(*keys, gold[a], system[b], same=True)
        settle(a[rows], b[others], DIRECTION)
    return Matching(partner, kind, np.flatnonzero(~taken))


def _occurrences(keys: Ints) -> Ints:
    """The number of equal keys before each."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    number = np.empty(len(keys), dtype=np.int64)
    number[order] = np.arange(len(keys)) - np.flatnonzero(new)[np.cumsum(new) - 1] if len(keys) else 0
    return number


def in_order(ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """Rows with equal keys as pairs, the first with the first and so on."""
    a, b = _occurrences(ours), _occurrences(theirs)
    most = int(max(a.max(initial=0), b.max(initial=0))) + 1
    if most > 1:
        # Keys anew, so that the number of the occurrence fits beside them.
        _, joint = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
        ours, theirs = joint[: len(ours)] * most + a, joint[len(ours) :] * most + b
    _, rows, others = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    return rows, others


def nearest(ours: Ints, theirs: Ints, here: Ints, there: Ints, *, same: bool = False) -> tuple[Ints, Ints]:
    """Rows with equal keys as pairs, those nearest to each other first; `same`: only being equal is near."""
    order = np.argsort(theirs, kind="stable")
    low, high = (np.searchsorted(theirs[order], ours, side=side) for side in ("left", "right"))
    sizes = high - low
    if int(sizes.sum()) > _MOST_CANDIDATES:
        return in_order(ours, theirs)
    a = np.repeat(np.arange(len(ours)), sizes)
    b = order[numbers_of_runs(low, sizes)]
    distance = (here[a] != there[b]).astype(np.int64) if same else np.abs(here[a] - there[b])
    ranked = np.lexsort((b, a, distance))
    a, b = a[ranked], b[ranked]
    rows, others = [], []
    while len(a):
        first_a, first_b = np.zeros(len(a), dtype=bool), np.zeros(len(a), dtype=bool)
        first_a[np.unique(a, return_index=True)[1]] = True
        first_b[np.unique(b, return_index=True)[1]] = True
        chosen = first_a & first_b
        rows.append(a[chosen])
        others.append(b[chosen])
        rest = ~(np.isin(a, a[chosen]) | np.isin(b, b[chosen]))
        a, b = a[rest], b[rest]
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *rows]), np.concatenate([nothing, *others])
