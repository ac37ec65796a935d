"""Golds and systems of several frameworks: reading, aligning their words, making function trees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from assay.arrays import Bools, Ints, ids_of_runs, numbers_of_runs
from assay.classes import dataclass
from assay.corpus import Column, Corpus, Trees, one_vocabulary
from assay.engine import mapping
from assay.engine.mapping import Rule, idle_rules, read_rules
from assay.engine.options import Options, checksum_files
from assay.engine.phrases import edge_functions, functions, with_words_of
from assay.engine.treebanks import Fault, count_several_roots, mask_nonprojective, with_heads
from assay.engine.warnings import format_warnings
from assay.errors import AlignmentError, InputError, UsageError, list_problems, unknown
from assay.formats import Input, read_labels
from assay.keywords import CrossKeywords, File, options_of
from assay.result import GoldDifference, Mapped, Overlap, enumeration
from assay.result.numbers import plural
from assay.tasks.cross.functiontrees import (
    FunctionTrees,
    LabelSets,
    Overlay,
    from_dependencies,
    from_nodes,
    from_relational_realizational,
    generalise,
    map_to_parts,
    overlay,
    projectivise,
    tl_unify,
)
from assay.tasks.cross.measures import Parse, check_edit_costs

DEPENDENCIES, CONSTITUENTS = "dependencies", "constituents"


@dataclass(frozen=True, eq=False)
class Treebank:
    """A gold, or a system's output in one framework."""

    corpus: Corpus
    kind: str
    faults: tuple[Fault, ...] = ()
    """Faults of dependency trees."""
    theory: str = ""
    system: str = ""
    """Empty for a gold."""

    @property
    def title(self) -> str:
        """The name in messages."""
        return f"{self.system}@{self.theory}" if self.system else f"gold {self.theory}"

    @property
    def sides(self) -> tuple[str, ...]:
        """The names for it in the rules of a mapping file."""
        return ("system", self.system, self.title, self.theory) if self.system else ("gold", self.theory)

    def function_trees(
        self, *, subtypes: bool = True, function_labels: frozenset[str] | None = None, lift: bool = False
    ) -> FunctionTrees:
        """The trees as function trees: by relations, by labels such as NP-SBJ, or by the labels of edges.

        subtypes: relations keep what follows the colon; function_labels: for relational-realizational trees, the
        labels that are functions; lift: dependencies are made projective first.
        """
        corpus, trees = self.corpus, self.corpus.trees
        if trees is None:
            relations = corpus.column("DEPREL")
            if not subtypes:
                relations = relations.mapped({text: text.partition(":")[0] for text in relations.vocabulary})
            assert corpus.heads is not None
            heads = projectivise(corpus.starts, corpus.heads) if lift else corpus.heads
            return from_dependencies(corpus.starts, heads, relations.codes, relations.vocabulary)
        if function_labels is not None:
            labels, tags = ((column.codes, column.vocabulary) for column in (trees.labels, corpus.column("tag")))
            place = (corpus.starts, trees.sentence, trees.begin, trees.end)
            return from_relational_realizational(
                *place, labels, function_labels, stretches=trees.stretches, tags=tags
            )

        def label_sets(column: Column) -> LabelSets:
            sets = [functions(text) if trees.edges is None else edge_functions(text) for text in column.vocabulary]
            if not subtypes:
                sets = [tuple(dict.fromkeys(name.partition(":")[0] for name in names)) for names in sets]
            return column.codes, sets

        codes, sets = label_sets(trees.labels if trees.edges is None else trees.edges)
        # A sentence without a parse is its words under a root.
        unparsed = np.array(sorted(corpus.unparsed), dtype=np.int64)
        return from_nodes(
            corpus.starts,
            np.append(trees.sentence, unparsed),
            np.append(trees.begin, np.zeros_like(unparsed)),
            np.append(trees.end, np.diff(corpus.starts)[unparsed]),
            (np.append(codes, np.full(len(unparsed), len(sets))), [*sets, ()]),
            stretches=trees.stretches,
            preterminals=label_sets(corpus.column("tag") if trees.edges is None else corpus.columns["edge"]),
        )

    def has_functions(self) -> bool:
        """True for dependencies, and for constituents that have functions in labels or on edges."""
        trees = self.corpus.trees
        if trees is None or trees.edges is not None:
            return True
        return any(functions(label) for label in (*trees.labels.vocabulary, *self.corpus.column("tag").vocabulary))

    def has_labels(self, labels: frozenset[str]) -> bool:
        """True if some node or word of constituents has one of the labels."""
        assert self.corpus.trees is not None
        return any(column.isin(labels).any() for column in (self.corpus.trees.labels, self.corpus.column("tag")))

    def with_gaps(self) -> Bools:
        """Mask of the sentences with non-projective or discontinuous trees."""
        if self.corpus.trees is None:
            return mask_nonprojective(self.corpus)
        has_gaps = np.zeros(self.corpus.sentences, dtype=bool)
        has_gaps[self.corpus.trees.sentence[list(self.corpus.trees.stretches)]] = True
        return has_gaps

    def select(self, kept: Bools) -> Treebank:
        """The treebank with the chosen sentences only."""
        if kept.all():
            return self
        corpus, trees = self.corpus, self.corpus.trees
        words = kept[corpus.sentence_of]
        number = np.cumsum(kept) - 1
        place = np.append(np.cumsum(words) - 1, -1)
        documents = corpus.document_of_sentence[kept]
        if trees is not None:
            trees = _keep_nodes(trees, kept[trees.sentence], trees.parent, trees.above[words])
            trees = replace(trees, sentence=number[trees.sentence])
        chosen = replace(
            corpus,
            forms=corpus.forms.where(words),
            columns={name: column.where(words) for name, column in corpus.columns.items()},
            starts=np.concatenate([[0], np.cumsum(np.diff(corpus.starts)[kept])]).astype(np.int64),
            lines=None if corpus.lines is None else corpus.lines[kept],
            files=tuple((path, int(kept[:first].sum())) for path, first in corpus.files),
            comments=tuple((int(number[sentence]), line) for sentence, line in corpus.comments if kept[sentence]),
            multiwords=tuple(
                replace(token, first=int(place[token.first]), end=int(place[token.end - 1]) + 1)
                for token in corpus.multiwords
                if words[token.first]
            ),
            aside_words=np.zeros(0, dtype=np.int64),
            aside_sentences=(),
            aside_lines=(),
            document_starts=np.append(np.flatnonzero(np.diff(documents, prepend=-1)), len(documents)),
            document_ids=tuple(map(corpus.document_name, np.unique(documents).tolist())),
            unparsed=frozenset(int(number[s]) for s in corpus.unparsed if kept[s]),
            heads=None if corpus.heads is None else place[corpus.heads[words]],
            trees=trees,
        )
        return replace(self, corpus=chosen)


def read_trees(
    path: str, input_format: str | None, *, tolerant: bool = False, columns: Sequence[str] = ()
) -> Treebank:
    """Constituents, or dependencies with further columns, as the file has them; `tolerant`: see `Input.read`."""
    item = Input(path, input_format=input_format)
    if "constituents" in item.plan.layers:
        return Treebank(item.read(tolerant=tolerant), CONSTITUENTS)
    corpus = read_labels(item, ["HEAD", "DEPREL", *columns])
    if corpus.is_empty("HEAD"):
        raise InputError(f"{corpus.name}: column HEAD is empty, so there are no trees.")
    if item.plan.name == "conllu" and "DEPS" in item.plan.filled:
        note = "the graphs in DEPS are not used, because they are not trees."
        corpus = replace(corpus, noted=(*corpus.noted, (note, 0)))
    corpus, faults = with_heads(corpus, "HEAD")
    return Treebank(corpus, DEPENDENCIES, tuple(faults))


def categories_only(corpus: Corpus, labels: frozenset[str]) -> Corpus:
    """Relational-realizational trees without their function nodes, whose children move up."""
    trees = corpus.trees
    assert trees is not None
    kept = ~trees.labels.isin(labels)
    parents, stays = np.append(trees.parent, -1), np.append(kept, True)
    nodes = np.concatenate([trees.parent, trees.above])
    while not stays[nodes].all():
        nodes = np.where(stays[nodes], nodes, parents[nodes])
    return replace(corpus, trees=_keep_nodes(trees, kept, nodes[: len(kept)], nodes[len(kept) :]))


def unlisted_functions(corpus: Corpus, function_labels: frozenset[str]) -> Counter[str]:
    """Numbers of unlisted labels in the place of a function: next to a listed one, or named in their parent's set."""
    trees = corpus.trees
    assert trees is not None
    names, (labels, tags) = one_vocabulary([trees.labels, corpus.column("tag")])
    codes, parents = np.concatenate([labels, tags]), np.concatenate([trees.parent, trees.above])
    is_listed = np.array([name in function_labels for name in names], dtype=bool)
    has_function = np.zeros(len(labels) + 1, dtype=bool)
    has_function[parents[is_listed[codes]]] = True
    has_function[-1] = False
    inside = ~is_listed[codes] & (parents >= 0)
    pairs = Counter(zip(labels[parents[inside]].tolist(), codes[inside].tolist(), strict=True))
    unlisted = Counter(codes[inside & has_function[parents]].tolist())
    for (parent, child), number in pairs.items():
        if child not in unlisted and parent != child and names[child] in re.split(r"[{}<>,|+\s]+", names[parent]):
            unlisted[child] = number
    return Counter({names[code]: number for code, number in unlisted.items() if re.search(r"\w", names[code])})


@dataclass(frozen=True)
class ListedFunctions:
    """What a list of functions makes of the labels of relational-realizational trees."""

    functions: Counter[str]
    """Numbers of nodes and words whose labels are functions …"""
    categories: Counter[str]
    """… and of the others."""
    nowhere: tuple[str, ...]
    """Listed labels that no tree has."""
    doubtful: tuple[str, ...]
    """Labels of categories that are functions elsewhere."""

    @classmethod
    def of(cls, corpora: Sequence[Corpus], listed: Collection[str], others: Collection[str]) -> ListedFunctions:
        """The labels of the first corpus, the gold, with labels that no corpus has; others: functions elsewhere."""
        gold, *_ = numbers = [
            Counter(corpus.trees.labels.counts()) + Counter(corpus.column("tag").counts())
            for corpus in corpora
            if corpus.trees is not None
        ]
        labels = frozenset().union(*numbers)
        return cls(
            Counter({label: number for label, number in gold.items() if label in listed}),
            Counter({label: number for label, number in gold.items() if label not in listed}),
            tuple(sorted({*listed} - labels)),
            tuple(sorted(labels.intersection(others) - {*listed})),
        )


def _keep_nodes(trees: Trees, kept: Bools, parent: Ints, above: Ints) -> Trees:
    """Trees of the kept nodes; `parent` and `above`: the kept node above each node and each word, -1 for none."""
    place = np.append(np.cumsum(kept) - 1, -1)
    return Trees(
        sentence=trees.sentence[kept],
        parent=place[parent[kept]],
        begin=trees.begin[kept],
        end=trees.end[kept],
        labels=trees.labels.where(kept),
        above=place[above],
        lines=trees.lines[kept],
        edges=None if trees.edges is None else trees.edges.where(kept),
        stretches={int(place[node]): shape for node, shape in trees.stretches.items() if kept[node]},
    )


# --- words of several files ---


def differing_sentences(reference: Corpus, other: Corpus) -> Bools:
    """Mask of the sentences with different words; AlignmentError if the numbers of sentences differ."""
    if reference.sentences != other.sentences:
        raise AlignmentError(
            f"{other.name}: contains {plural(other.sentences, 'sentence')}, but {reference.name} has "
            f"{reference.sentences:,}. "
            "Files of all frameworks must have the same sentences in the same order."
        )
    _, (reference_forms, other_forms) = one_vocabulary([reference.forms, other.forms])
    sizes = np.diff(reference.starts)
    different = sizes != np.diff(other.starts)
    # The words of all sentences of equal size are compared at once.
    same_size = np.flatnonzero(~different)
    words, other_words = (
        numbers_of_runs(corpus.starts[same_size], sizes[same_size]) for corpus in (reference, other)
    )
    sentence = np.repeat(same_size, sizes[same_size])
    different[sentence[reference_forms[words] != other_forms[other_words]]] = True
    return np.asarray(different)


def describe_difference(reference: Corpus, other: Corpus, sentence: int) -> str:
    """The first difference of two files in a sentence, in words."""
    for corpus in (reference, other):
        if sentence in corpus.unparsed:
            return f"{corpus.place_of_sentence(sentence)}: no tree in gold"
    words, other_words = (
        corpus.forms.strings(int(corpus.starts[sentence]), int(corpus.starts[sentence + 1]))
        for corpus in (reference, other)
    )
    place, reference_place = other.place_of_sentence(sentence), reference.place_of_sentence(sentence)
    for number, (a, b) in enumerate(zip(words, other_words, strict=False), 1):
        if a != b:
            return f"{place}: word {number} is {b!r}, but {reference_place} has {a!r}"
    return f"{place}: {len(other_words)} words, but {reference_place} has {len(words)}"


def word_differences(banks: Sequence[Treebank], allowed: Mapping[str, Bools]) -> tuple[Bools, list[str]]:
    """Mask of the sentences with different words in some file, and their first differences, without allowed ones."""
    reference = banks[0].corpus
    wrong, lines = np.zeros(reference.sentences, dtype=bool), []
    for bank in banks:
        different = differing_sentences(reference, bank.corpus)
        if bank.title in allowed:
            different &= ~allowed[bank.title]
        sentences = np.flatnonzero(different).tolist()
        lines += [describe_difference(reference, bank.corpus, sentence) for sentence in sentences]
        wrong |= different
    return wrong, lines


def retokenised_sentences(reference: Corpus, other: Corpus) -> Bools:
    """Mask of the sentences with different words in both files, but the same characters without white space."""
    different = differing_sentences(reference, other)
    texts, other_texts = (_characters(corpus, different) for corpus in (reference, other))
    for sentence, (text, _) in texts.items():
        different[sentence] = text == other_texts[sentence][0]
    return different


def split_words(
    banks: Sequence[Treebank], sentences: Bools
) -> tuple[dict[int, tuple[str, ...]], dict[str, tuple[Ints, Ints, Ints]]]:
    """The parts of the words of these sentences; and by file the arguments of `map_to_parts` after the trees.

    A part ends where a word of any file ends, so that sets of parts are sets of characters; in the other sentences
    each word is one part. The characters of these sentences must be the same in all files.
    """
    texts = [_characters(bank.corpus, sentences) for bank in banks]
    number = np.diff(banks[0].corpus.starts)
    ranges: dict[str, tuple[Ints, Ints, Ints]] = {}
    for bank in banks:
        starts = bank.corpus.starts
        begin = np.arange(len(bank.corpus)) - starts[ids_of_runs(starts)]
        ranges[bank.title] = (number, begin, begin + 1)
    parts: dict[int, tuple[str, ...]] = {}
    for sentence, (text, _) in texts[0].items():
        ends = sorted({place for by_sentence in texts for word in by_sentence[sentence][1] for place in word} | {0})
        parts[sentence] = tuple(text[a:b] for a, b in pairwise(ends))
        number[sentence] = len(parts[sentence])
        for bank, by_sentence in zip(banks, texts, strict=True):
            rows = slice(int(bank.corpus.starts[sentence]), int(bank.corpus.starts[sentence + 1]))
            words = np.array(by_sentence[sentence][1], dtype=np.int64).reshape(-1, 2)
            _, begins, stops = ranges[bank.title]
            begins[rows], stops[rows] = np.searchsorted(ends, words.T)
    return parts, ranges


def _characters(corpus: Corpus, sentences: Bools) -> dict[int, tuple[str, list[tuple[int, int]]]]:
    """The characters of each sentence, and the range of them that belongs to each word.

    The words of a multiword token have their part of it if they make it up; otherwise they share all of it.
    """
    multiwords = {token.first: token for token in corpus.multiwords}
    by_sentence = {}
    for sentence in np.flatnonzero(sentences).tolist():
        word, last = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
        text, ranges = "", []
        while word < last:
            token = multiwords.get(word)
            end = word + 1 if token is None else token.end
            forms = ["".join(form.split()) for form in corpus.forms.strings(word, end)]
            surface = forms[0] if token is None else "".join(token.form.split())
            first = len(text)
            text += surface
            if "".join(forms) == surface:
                ends = (first + np.cumsum([len(form) for form in forms])).tolist()
                ranges += list(zip([first, *ends], ends, strict=False))
            else:
                ranges += [(first, len(text))] * len(forms)
            word = end
        by_sentence[sentence] = text, ranges
    return by_sentence


# --- all files of a comparison ---


@dataclass(frozen=True, kw_only=True)
class CrossOptions(Options):
    """The options of a run, and those that only `cross` has."""

    sizes: str
    subtypes: bool
    segmentation: str
    non_projective: str
    label_path: str
    edit_costs: Mapping[str, int]
    """Costs of `add` and `delete`; nothing if each is 1."""
    maps: tuple[str, ...]
    """Mapping files, each with its theory before an equals sign if it is for one theory."""
    function_labels: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, given: CrossKeywords, function_labels: Mapping[str, Iterable[str]] | None) -> CrossOptions:
        """The given options and the defaults of the others; UsageError for a value that is not accepted."""
        declared = options_of(CrossKeywords)
        chosen: dict[str, Any] = {name: option.default for name, option in declared.items()} | given
        for name, option in declared.items():
            if option.choices and chosen[name] not in (option.default, *option.choices):
                raise unknown(f"value of {name}", chosen[name], option.choices)
        maps = chosen.pop("map") or ()
        maps = [f"{name}={path}" for name, path in maps.items()] if isinstance(maps, Mapping) else maps
        chosen["maps"] = tuple(map(str, [maps] if isinstance(maps, str | PathLike) else maps))
        costs = chosen["edit_costs"] or {}
        if isinstance(costs, str):
            parts = [part.partition("=") for part in costs.split(",")]
            if any(not equals or not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", number) for _, equals, number in parts):
                raise UsageError(f"--edit-costs {costs}: give both costs as numbers, e.g. add=2,delete=1")
            costs = {name.strip(): float(number) for name, _, number in parts}
        check_edit_costs(costs, "paper" if chosen["task"] else chosen["sizes"])
        chosen["edit_costs"] = {name: int(cost) for name, cost in costs.items()} if {*costs.values()} - {1} else {}
        label_sets = {theory: frozenset(labels) for theory, labels in (function_labels or {}).items()}
        options = cls(**chosen, function_labels=label_sets)
        options.check()
        return options

    def rules(self, golds: Collection[str], sides: Sequence[str]) -> list[Rule]:
        """The rules of all mapping files; those of a file for one theory are for its side."""
        rules = []
        for theory, path in self.map_files():
            if theory and theory not in golds:
                raise UsageError(f"--map {theory}={path}: {unknown('theory', theory, golds)}")
            Options(map=path).check()
            own = read_rules(path, sides)
            rules += [replace(rule, side=theory) if theory and rule.side == "both" else rule for rule in own]
        return rules

    def map_files(self) -> list[tuple[str, str]]:
        """The theory of each mapping file, empty for all, and its path, which may contain an equals sign."""
        parts = [(spec, *spec.partition("=")) for spec in self.maps]
        return [(a, b) if equals and not Path(spec).exists() else ("", spec) for spec, a, equals, b in parts]

    def map_checksums(self) -> dict[str, str]:
        """Checksums of the mapping files by the theory that they are for."""
        return {
            f"map {theory}".strip(): checksum_files(Options(map=path), ())["map"] for theory, path in self.map_files()
        }


def theory_paths(specs: Sequence[str]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Paths of golds by name, and the pairs of a gold and the one that it takes its functions from."""
    golds: dict[str, str] = {}
    enrichments = []
    for spec in specs:
        name, equals, path = spec.partition("=")
        if equals:
            if name in golds or not name or not path or "+" in name or "@" in name:
                raise UsageError(f"--theory {spec!r} should be name=path, each name once.")
            golds[name] = path
        else:
            structure, plus, labels = spec.partition("+")
            if not plus:
                raise UsageError(f"--theory {spec!r} should be name=path, or a+b: a with the functions of b.")
            enrichments.append((structure, labels))
    if not golds:
        raise UsageError("no gold given. Give one for each framework: --theory dep=gold.conllu --theory ps=gold.mrg")
    for name in (name for pair in enrichments for name in pair):
        if name not in golds:
            raise unknown("theory", name, golds)
    return golds, enrichments


def system_paths(specs: Sequence[str] | Mapping[str, File], golds: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Paths of systems by name and theory."""
    systems: dict[str, dict[str, str]] = {}
    for spec in [f"{name}={path}" for name, path in specs.items()] if isinstance(specs, Mapping) else specs:
        named, equals, path = spec.partition("=")
        name, at, theory = named.rpartition("@")
        if not (equals and at and name and path):
            raise UsageError(f"{spec!r} should be system@theory=path, e.g. malt@dep=malt.conllu")
        if theory not in golds:
            raise unknown("theory", theory, golds)
        if theory in systems.setdefault(name, {}):
            raise UsageError(f"{name} is given twice for {theory}.")
        systems[name][theory] = path
    if not systems:
        raise UsageError("no system given. Give at least one: malt@dep=malt.conllu")
    return systems


@dataclass(frozen=True, eq=False)
class Treebanks:
    """All golds and all systems over the same sentences."""

    golds: Mapping[str, Treebank]
    """By theory; the first has the sentences that are shown."""
    outputs: Sequence[Treebank]
    """The trees of systems in one framework or several, system by system."""
    options: CrossOptions
    enriched: Mapping[str, str]
    """The gold that gave each theory its functions."""
    trees: Mapping[str, FunctionTrees]
    """The function trees of all files, by their titles."""
    labelled: frozenset[str]
    """The systems that have functions in one framework at least."""
    bare: frozenset[str]
    """Titles of outputs without any of the functions that are listed for their framework."""
    parts: Mapping[int, tuple[str, ...]]
    """The parts that are compared in sentences with different words in some file."""
    mappings: tuple[Mapped, ...]
    """The effect of each rule of the mapping file."""
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    skipped: Bools | None = None
    """Mask of the sentences that are left out though all files have them."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """By theory the column that tags, spans or arcs are read from, if the user names it …"""
    column: str | None = None
    """… and the name that it has in all corpora of tags."""
    overlaps: Sequence[Overlap] = ()
    """The agreement of golds, if it is not that of trees …"""
    differences: Sequence[GoldDifference] = ()
    """… and where they disagree."""
    joint: Overlay | None = None
    """The common gold, golds and outputs together, if units of several files are one although their places differ."""
    places: Mapping[str, Ints] = field(default_factory=dict)
    """By title the node at whose place each node of the joint overlay is in this file."""
    by_convention: Mapping[str, Ints] = field(default_factory=dict)
    """By title the number of right units with another place than in the system's own gold, of each sentence."""
    _parses: dict[tuple[str, str], Parse] = field(default_factory=dict)

    @property
    def reference(self) -> Corpus:
        """The first gold."""
        return next(iter(self.golds.values())).corpus

    @property
    def files(self) -> dict[str, Treebank]:
        """Golds and outputs by their titles."""
        return {bank.title: bank for bank in (*self.golds.values(), *self.outputs)}

    @cached_property
    def first(self) -> dict[str, Treebank]:
        """The output of each system in its first framework, which is compared with those of other systems."""
        first: dict[str, Treebank] = {}
        for bank in self.outputs:
            if bank.system not in first or first[bank.system].title in self.bare:
                first[bank.system] = bank
        return first

    @cached_property
    def common(self) -> FunctionTrees:
        """The trees that the golds agree on."""
        if self.joint is not None:
            return self.trees["generalised"]
        return generalise(*(self.trees[gold.title] for gold in self.golds.values()))

    def overlay(self, *titles: str) -> Overlay:
        """The overlay of the trees of some files, and of those that the golds agree on at the end."""
        if self.joint is None:
            return overlay(*(self.trees[title] for title in titles), self.common)
        rows = [list(self.trees).index(title) for title in (*titles, "generalised")]
        return Overlay(self.joint.union, self.joint.has_node[rows], self.joint.has_label[rows])

    def is_labelled(self, bank: Treebank) -> bool:
        """True if an output has functions."""
        return bank.system in self.labelled and bank.title not in self.bare

    def parse(self, bank: Treebank, gold: Treebank | None = None) -> Parse:
        """A parse and its gold, or another one, with the numbers of words if trees are over parts of words."""
        gold = gold or self.golds[bank.theory]
        if (key := (bank.title, gold.title)) not in self._parses:
            words = (np.diff(bank.corpus.starts), np.diff(gold.corpus.starts)) if self.parts else None
            trees = (self.trees[bank.title], self.trees[gold.title], self.common)
            moved, both = self.by_convention.get(bank.title), self.overlay(bank.title, gold.title)
            self._parses[key] = Parse(*trees, words, self.skipped, moved, {"multiple": both})
        return self._parses[key]

    def outputs_in(self, theory: str) -> dict[str, Treebank]:
        """The output of each system in a framework."""
        return {bank.system: bank for bank in self.outputs if bank.theory == theory}

    def full_name(self, theory: str) -> str:
        """The name of a gold with that of the gold that gave it functions."""
        return f"{theory}+{self.enriched[theory]}" if theory in self.enriched else theory

    def words(self, sentence: int) -> tuple[str, ...]:
        """The words of a sentence, or their parts if these are compared."""
        starts = self.reference.starts
        first, end = int(starts[sentence]), int(starts[sentence + 1])
        return self.parts.get(sentence) or tuple(self.reference.forms.strings(first, end))


def read_comparison(
    theories: Sequence[str],
    systems: Sequence[str] | Mapping[str, File] | None,
    options: CrossOptions,
    columns: Sequence[str] = (),
) -> Treebanks:
    """All files; with --on-mismatch skip, without sentences that are faulty or have different words.

    `theories` and `systems` as for `cross`, None to read golds only; `columns`: those that measures of dependencies
    need in addition to heads and relations. A system's phrase structure takes functions from its dependencies if it
    has none, and always if its gold does.
    """
    golds, enrichments = theory_paths(theories)
    paths = {} if systems is None else system_paths(systems, golds)
    function_labels = options.function_labels
    for name in function_labels:
        if name not in golds:
            raise unknown("theory", name, golds)
    banks, allowed, warnings = _read_files(golds, paths, options, columns)
    for bank in banks[: len(golds)]:
        if bank.theory in function_labels and bank.kind == DEPENDENCIES:
            name = bank.theory
            raise UsageError(
                f"--functions {name}=…: the gold {name} has dependencies, whose relations are functions. Remove it."
            )
    notes: list[str] = []
    if options.non_projective == "leave-out":
        gaps = {bank.title: bank.with_gaps() for bank in banks}
        kept = ~np.any(list(gaps.values()), axis=0)
        if not kept.any():
            raise InputError(
                "every sentence is non-projective or discontinuous in some file, so none is left. Keep or lift them: "
                "--non-projective lift"
            )
        if number := int((~kept).sum()):
            what, are = plural(number, "sentence"), "is" if number == 1 else "are"
            where = ", ".join(f"{title} {int(mask.sum()):,}" for title, mask in gaps.items() if mask.any())
            notes.append(f"{what} with gaps (non-projective, discontinuous) {are} left out: {where}.")
            banks = [bank.select(kept) for bank in banks]
            allowed = {title: mask[kept] for title, mask in allowed.items()}
    reference = banks[0].corpus
    parts: dict[int, tuple[str, ...]] = {}
    ranges: dict[str, tuple[Ints, Ints, Ints]] = {}
    # Sentences that systems tokenise differently from gold, without their trees.
    absent: dict[str, Bools] = {}
    if options.segmentation == "strict":
        absent, lines = {title: mask for title, mask in allowed.items() if mask.any()}, []
        for bank in banks:
            if bank.title in absent:
                sentences = np.flatnonzero(absent[bank.title]).tolist()
                lines += [describe_difference(reference, bank.corpus, sentence) for sentence in sentences]
                what = plural(len(sentences), "sentence is", "sentences are")
                notes.append(f"{bank.title}: {what} split into different words and counted as entirely missing.")
        warnings += [f"unaligned: {line}." for line in list_problems(lines)]
    elif allowed and (retokenised := np.any(list(allowed.values()), axis=0)).any():
        parts, ranges = split_words(banks, retokenised)
        notes.append(
            f"{plural(len(parts), 'sentence is', 'sentences are')} split into different words in some file and "
            f"compared as "
            "sets of characters, which TedEval itself does not do."
        )
    rules = options.rules(golds, [name for bank in banks for name in bank.sides])
    mappings: list[Mapped] = []
    for number, bank in enumerate(banks):
        # Relations are mapped for all measures, functions of phrases below for TedEval.
        if bank.kind == DEPENDENCIES and rules:
            corpus, rows = mapping.map_corpus(rules, bank.corpus, "DEPREL", bank.sides)
            banks[number] = replace(bank, corpus=corpus)
            mappings += rows
    before, bare = {}, set()
    for bank in banks:
        listed_labels = function_labels.get(bank.theory)
        if listed_labels is not None and not bank.has_labels(listed_labels):
            if not bank.system:
                some = ", ".join(sorted(listed_labels)[:3])
                raise UsageError(
                    f"--functions {bank.theory}=…: {bank.corpus.name} has no node with one of these labels ({some}, "
                    "…). List the labels of its function nodes."
                )
            # Its phrases as they are.
            bare.add(bank.title)
            listed_labels = None
        tree = bank.function_trees(
            subtypes=options.subtypes, function_labels=listed_labels, lift=options.non_projective == "lift"
        )
        if bank.title in ranges:
            tree = map_to_parts(tree, *ranges[bank.title])
        if bank.title in absent:
            kept_nodes = ~absent[bank.title][tree.nodes.sentence]
            tree = replace(tree.select(kept_nodes), words=np.diff(reference.starts))
        if bank.kind != DEPENDENCIES and rules:
            if rule := next((rule for rule in rules if rule.form and rule.side in ("both", *bank.sides)), None):
                raise InputError(
                    f"--map: the rule {rule} is about words, but the functions of {bank.corpus.name} belong to "
                    "phrases. Write the rule without the pattern for the word."
                )
            labels = Column(tree.label, tree.labels)
            column, rows = mapping.map_labels(rules, labels, labels, bank.sides, bank.corpus.name)
            tree = FunctionTrees.of(tree.words, tree.nodes, tree.label_node, column.codes, column.vocabulary)
            mappings += rows
        before[bank.title] = tree
    for theory, theory_labels in function_labels.items():
        in_theory = [bank.corpus for bank in banks if bank.theory == theory]
        elsewhere = [before[f"gold {name}"].functions for name in golds if name != theory]
        found = ListedFunctions.of(in_theory, theory_labels, frozenset().union(*elsewhere))
        lists = [
            ", ".join(f"{label} {-number:,}" for number, label in sorted((-own[label], label) for label in own))
            for own in (found.functions, found.categories)
        ]
        notes.append(f"Gold {theory}: labels taken as functions: {lists[0]}; as categories: {lists[1] or 'none'}.")
        if found.nowhere:
            warnings.append(
                f"--functions {theory}=…: no tree has {enumeration(found.nowhere)}. Check the spelling of the list."
            )
        numbers = sum((unlisted_functions(corpus, theory_labels) for corpus in in_theory), Counter[str]())
        if numbers:
            shown = [f"{name} ({number:,})" for name, number in sorted(numbers.items(), key=lambda row: -row[1])]
            warnings.append(
                f"--functions {theory}=…: the list lacks {enumeration(shown)}, which the trees have where functions "
                f"are. TedEval leaves such nodes out, like categories. Add the labels that are functions."
            )
        if doubtful := [label for label in found.doubtful if label not in numbers]:
            warnings.append(
                f"--functions {theory}=…: {enumeration(doubtful)} "
                f"{'is' if len(doubtful) == 1 else 'are'} not in the list and taken as "
                f"{'a category' if len(doubtful) == 1 else 'categories'}, but other golds have such functions."
            )
    warnings += format_warnings(idle_rules(mappings))
    trees, enriched = dict(before), dict(enrichments)
    for structure, giver in enrichments:
        trees[f"gold {structure}"] = tl_unify(trees[f"gold {structure}"], trees[f"gold {giver}"])
    # By system the output that it takes functions from.
    outputs = [bank for bank in banks if bank.system]
    labelled = [
        bank
        for bank in outputs
        if bank.title not in bare and (bank.theory in function_labels or bank.has_functions())
    ]
    sources = {bank.system: bank.title for bank in reversed(labelled)}
    for bank in outputs:
        giver = f"{bank.system}@{enriched.get(bank.theory, '')}"
        if giver not in before and bank not in labelled:
            giver = sources.get(bank.system, "")
        if giver in before and bank.title not in bare:
            trees[bank.title] = tl_unify(before[bank.title], before[giver])
    return Treebanks(
        {bank.theory: bank for bank in banks if not bank.system},
        *(outputs, options, enriched, trees, frozenset(sources), frozenset(bare), parts, tuple(mappings)),
        *(tuple(warnings), tuple(notes)),
    )


def _read_files(
    golds: Mapping[str, str],
    systems: Mapping[str, Mapping[str, str]],
    options: CrossOptions,
    columns: Sequence[str],
) -> tuple[list[Treebank], dict[str, Bools], list[str]]:
    """The files with the sentences that can be compared, masks of those that some tokenise differently, warnings."""
    paths = [*golds.values(), *(path for versions in systems.values() for path in versions.values())]
    if paths.count("-") > 1:
        raise UsageError("- (standard input) can be given only once.")
    skip, segmentation = options.on_mismatch == "skip", options.segmentation
    trees = partial(read_trees, input_format=options.format_of("gold"), tolerant=skip, columns=columns)
    banks = [replace(trees(path), theory=name) for name, path in golds.items()]
    kinds = {bank.theory: bank.kind for bank in banks}
    reference = banks[0].corpus
    for bank in [
        replace(trees(path), theory=theory, system=name)
        for name, versions in systems.items()
        for theory, path in versions.items()
    ]:
        if bank.kind != kinds[bank.theory]:
            kind = kinds[bank.theory]
            raise UsageError(f"{bank.title} has {bank.kind}, but the gold {bank.theory} has {kind}.")
        banks.append(replace(bank, corpus=with_words_of(bank.corpus, reference)))
    # Sentences that may be tokenised differently from the first gold; in golds only if characters are compared.
    allowed = {
        bank.title: retokenised_sentences(reference, bank.corpus)
        for bank in banks
        if segmentation == "chars" or (segmentation != "same" and bank.system)
    }
    wrong, places = word_differences(banks, allowed)
    if options.on_mismatch == "warn":
        # Words with different spelling can be compared by position.
        sizes = [np.diff(bank.corpus.starts) for bank in banks]
        wrong &= np.any([size != sizes[0] for size in sizes], axis=0)
    if wrong.any() and not skip:
        remedy = "All files must have the same words. To leave such sentences out: --on-mismatch skip"
        if segmentation != "chars" and any(retokenised_sentences(reference, bank.corpus).any() for bank in banks):
            remedy += "; to compare the same characters in other words: --segmentation chars"
        raise AlignmentError("\n".join([*list_problems(places), remedy]))
    faults = [(bank.corpus, fault) for bank in banks for fault in bank.faults]
    facts = [f"{corpus.place(fault.word)}: {fault.fact}" for corpus, fault in faults]
    if facts and not skip:
        raise InputError("\n".join([*list_problems(facts), "To leave such sentences out: --on-mismatch skip"]))
    wrong[[fault.sentence for _, fault in faults]] = True
    if wrong.all():
        raise AlignmentError("no sentence has the same words in all files.")
    warnings = [f"{'left out: ' if skip else ''}{line}." for line in (*list_problems(places), *list_problems(facts))]
    if wrong.any():
        were = "was" if wrong.sum() == 1 else "were"
        warnings.append(f"{int(wrong.sum()):,} of {len(wrong):,} sentences {were} left out.")
    banks = [bank.select(~wrong) for bank in banks]
    for bank in banks:
        corpus, unparsed = bank.corpus, len(bank.corpus.unparsed)
        # Sentences without a parse have another warning below.
        notes = [note for note in corpus.notes if not note.startswith("sentences without a parse")]
        warnings += [f"{bank.title}: {note}" for note in notes]
        if unparsed:
            what = plural(unparsed, "sentence")
            warnings.append(f"{bank.title}: no parse of {what}, so TedEval sees words under a root.")
        if corpus.heads is not None and (roots := count_several_roots(corpus)):
            what = plural(roots, "sentence has", "sentences have")
            warnings.append(f"{bank.title}: {what} more than one root, scored like the others.")
    return banks, {title: mask[~wrong] for title, mask in allowed.items()}, warnings
