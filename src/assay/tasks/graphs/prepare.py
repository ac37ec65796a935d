"""Graphs: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints, numbers_of_runs
from assay.corpus import Column, Corpus, one_vocabulary
from assay.engine.items import Items
from assay.engine.measure import Measure, definition_of
from assay.engine.options import Decided, Options
from assay.engine.prepare import (
    Run,
    aligned,
    check_folders,
    kept_labels,
    left_out,
    notes_on_reading,
    source_of,
    without,
    words_alone,
)
from assay.engine.warnings import check_system, faulty_sentences, identical_outputs, remark
from assay.errors import MOST_PROBLEMS, AlignmentError, InputError, UsageError, listed
from assay.formats import Input, read_labels
from assay.formats.graphs import Graph, GraphFault, with_enhanced
from assay.tasks.dependencies.arcs import with_heads
from assay.tasks.graphs.arcs import (
    PREDICATES,
    Flat,
    GraphPair,
    flat,
    flat_predicates,
    graph_of,
    without_enhancements,
)
from assay.tasks.graphs.measures import TAG, eulas, last_relation, sides, universal, way
from assay.tasks.graphs.propositions import about_roles, prepare_roles
from assay.tasks.graphs.slices import ENHANCED_ONLY, PREDICATE_TAG

DEPS = "DEPS"
_TAGS = ("XPOS", "UPOS")
"""Columns of tags in CoNLL-U."""
_WITH_IDS = ("sdp", "mrp")
"""Formats in which graphs correspond by their ids."""
_FORMATS = "sdp, mrp, and conllu with a column DEPS"
_SHARE = 0.2
"""From this difference in their numbers of tops or of words without arcs on, two files may mean different things …"""
_FEW = 10
"""… unless so few differ."""


def holds_graphs(item: Input | Corpus) -> bool:
    """True where a file holds graphs and nothing else."""
    return item.layer(Graph) is not None if isinstance(item, Corpus) else item.plan.graphs


def prepare_graphs(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align words with the graphs over them."""
    if about_roles(measures):
        return prepare_roles(inputs, named, measures, options)
    if options.column not in (None, DEPS):
        raise UsageError(f"--column {options.spelled_column}: graphs are in column DEPS, or in sdp and mrp files.")
    tags = PREDICATE_TAG in options.slices
    tags |= any("predicates" in one.parameters or one.parameters.get("punctuation") is False for one in measures)
    names = ["gold", *named]
    asked = [
        (str(one.parameters.get("empty", "collapse")), str(one.parameters.get("without", ""))) for one in measures
    ]
    ways = {way(*both): both for both in asked}
    trees = any(without for _, without in asked) or ENHANCED_ONLY in options.slices
    found = [_read(item, tags, trees) for item in words_alone(inputs)]
    corpora = [corpus for corpus, _ in found]
    faults = [list(own) for _, own in found]
    check_folders(corpora)
    flats: dict[str, list[Flat]] = {}
    for name, (empty, without_) in ways.items():
        made = [flat(corpus, empty) for corpus in corpora]
        chosen = [one for one, _ in made]
        if without_:
            enhancements = without_.split("+")
            chosen = [
                without_enhancements(with_heads(corpus, "HEAD")[0], one, enhancements)
                for corpus, one in zip(corpora, chosen, strict=True)
            ]
        flats[name] = [_kept(one, options) for one in chosen]
        for known, (_, more) in zip(faults, made, strict=True):
            known.extend(fault for fault in more if fault not in known)
    if any("arguments" in one.parameters for one in measures):
        flats[PREDICATES] = [flat_predicates(corpus) for corpus in corpora]
    lines = [f"{fault.place}: {fault.fact}" for own in faults for fault in own]
    if lines and options.on_mismatch != "skip":
        raise InputError("\n".join([*listed(lines), "To leave such sentences out: --on-mismatch skip"]))
    kept = kept_labels((_names(graph_of(corpus).labels) for corpus in corpora), options)
    gold = corpora[0]
    for number, corpus in enumerate(corpora[1:], 1):
        order = _order(gold, corpus)
        if order is not None:
            moved, words = _reordered(corpus, order)
            corpora[number] = moved
            for flatted in flats.values():
                flatted[number] = _moved(flatted[number], words)
            place = np.argsort(order)
            faults[number] = [replace(fault, sentence=int(place[fault.sentence])) for fault in faults[number]]
    systems = dict(zip(named, corpora[1:], strict=True))
    pairs, warnings = aligned(gold, systems, [True] * len(systems), "", options)
    skipped = np.zeros(gold.sentences, dtype=bool)
    skipped[[fault.sentence for fault in faults[0]]] = True
    for (_, pair), own_faults in zip(pairs, faults[1:], strict=True):
        faulty = np.isin(pair.system.sentence_of, [fault.sentence for fault in own_faults])
        skipped[pair.system_sentence[faulty & (pair.system_sentence >= 0)]] = True
        skipped |= pair.skipped
    nothing = f"no sentence of {gold.name} is whole in all files."
    warnings += left_out(skipped, nothing, "{number} of {sentences} sentences were left out.", options)
    ready: list[tuple[str, Pair]] = []
    for number, (name, pair) in enumerate(pairs, 1):
        whole = without(pair, skipped)
        layer = GraphPair.of(whole, {named_way: (both[0], both[number]) for named_way, both in flats.items()})
        ready.append((name, whole.with_layer(layer)))
    usual = asked[0] if asked else ("collapse", "")
    outputs = []
    # As a measure, so that it is judged once.
    plain = Measure(definition_of(eulas, "eulas"), {"empty": usual[0], "relations": "", "without": usual[1]})
    for name, pair in ready:
        found_arcs = plain.judge(pair)
        assert isinstance(found_arcs, Items)
        warnings += check_system(name, pair, found_arcs, "arc")
        theirs = sides(pair, *usual).system
        outputs.append((name, (theirs.own_dependent, theirs.own_head, theirs.labels)))
    warnings.append(identical_outputs(outputs, _same_arcs))
    for name, corpus, own_faults in zip(names, corpora, faults, strict=True):
        places = [f"{fault.place}: {fault.fact}" for fault in own_faults[:MOST_PROBLEMS]]
        warnings.append(faulty_sentences(name=name, places=places, number=len(own_faults)))
        warnings += notes_on_reading(name, corpus)
        ids = corpus.metadata("sent_id") if corpus.format in _WITH_IDS else []
        warnings.append(repeated_ids(name=name, number=len(ids) - len(set(ids)) if None not in ids else 0))
        graph = graph_of(corpus)
        several = int((np.bincount(graph.dependent) > 1).sum())
        warnings.append(no_graph(name=name, arcs=len(graph), several=several, deps=DEPS in corpus.columns))
    tops = {name: int((graph_of(corpus).head == NONE).sum()) for name, corpus in zip(names, corpora, strict=True)}
    alone = {name: _unconnected(corpus) for name, corpus in zip(names, corpora, strict=True)}
    empties = {name: len(graph_of(corpus).empty_ids) for name, corpus in zip(names, corpora, strict=True)}
    notes = [
        numbers_of_tops(tops=tops, words=alone),
        numbers_of_empties(numbers=empties, ways="+".join(dict.fromkeys(empty for empty, _ in asked))),
    ]
    for name in named:
        warnings.append(other_tops(name=name, gold=tops["gold"], system=tops[name]))
        warnings.append(other_loose_words(name=name, gold=alone["gold"], system=alone[name]))
    return Run(
        gold=gold,
        column=DEPS if DEPS in gold.columns else "",
        measures=tuple(measures),
        pairs=tuple(ready),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in ready),
        skipped=skipped,
        warnings=(*kept, *warnings),
        mappings=(),
        items=len(sides(ready[0][1], *usual).gold),
        unit=options.unit or "sentence",
        notes=tuple(notes),
        decided=Decided(formats=tuple(corpus.format for corpus in corpora)),
    )


# --- reading ---


def _read(item: Input | Corpus, tags: bool, trees: bool) -> tuple[Corpus, list[GraphFault]]:
    """A corpus with its graph and, where a measure asks for it, with a column of tags and with trees; its faults."""
    if isinstance(item, Corpus):
        corpus = item
        if corpus.layer(Graph) is None and DEPS not in corpus.columns:
            raise InputError(f"{corpus.name}: holds no graphs. Formats that have them: {_FORMATS}.")
    elif item.plan.graphs:
        corpus = item.read([TAG] if tags else [])
    elif DEPS in item.plan.labels:
        tagged = [name for name in _TAGS if name in item.plan.labels] if tags else []
        corpus = read_labels(item, [DEPS, *tagged, *(["HEAD", "DEPREL"] if trees else [])])
    else:
        raise InputError(
            f"{item.path}: holds no graphs ({item.plan.format}). Formats that have them: {_FORMATS}; say which it is "
            "with --input-format."
        )
    if trees and not {"HEAD", "DEPREL"} <= set(corpus.columns):
        needs = f"without= and --slice {ENHANCED_ONLY} need"
        raise InputError(f"{corpus.name}: no trees in it (HEAD, DEPREL), which {needs}.")
    faults = with_heads(corpus, "HEAD")[1] if trees else []
    if faults:
        lines = [f"{corpus.place(fault.word)}: {fault.fact}" for fault in faults]
        remedy = f"Trees tell what enhancements are. Leave without= or --slice {ENHANCED_ONLY} out."
        raise InputError("\n".join([*listed(lines), remedy]))
    if tags:
        # The tag of a word is the first that it has.
        known = [corpus.columns[name] for name in (TAG, *_TAGS) if name in corpus.columns]
        vocabulary, codes = one_vocabulary(known)
        filled = np.array([label not in ("", "_") for label in vocabulary] or [False])
        if not any(filled[own].any() for own in codes):
            raise InputError(f"{corpus.name}: no tags of words in it, which tell predicates and punctuation.")
        chosen = codes[-1]
        for own in reversed(codes[:-1]):
            chosen = np.where(filled[own], own, chosen)
        corpus = replace(corpus, columns={**corpus.columns, TAG: Column(chosen, vocabulary)})
    return (corpus, []) if corpus.layer(Graph) is not None else with_enhanced(corpus)


def _names(labels: Column) -> Column:
    """The labels in all the forms in which they can be named: as they are, cut at colons, and the last step."""
    names = [dict.fromkeys((full, universal(full), last_relation(full))) for full in labels.strings()]
    return Column.of(name for forms in names for name in forms)


def _kept(one: Flat, options: Options) -> Flat:
    """The arcs with labels that count."""
    if not options.labels and not options.ignore_labels:
        return one
    vocabulary = one.labels.vocabulary
    rows = np.flatnonzero(
        one.labels.isin(label for label in vocabulary if options.keeps(label, universal(label), last_relation(label)))
    )
    return Flat(one.dependent[rows], one.head[rows], Column(one.labels.codes[rows], vocabulary), one.path[rows])


def _order(gold: Corpus, system: Corpus) -> list[int] | None:
    """The system's sentences in gold's order, where both have ids and in another order; None: as they stand."""
    if not all(corpus.layer(Graph) is not None and corpus.format in _WITH_IDS for corpus in (gold, system)):
        return None
    ours, theirs = gold.metadata("sent_id"), system.metadata("sent_id")
    if None in ours or None in theirs or len(set(ours)) < len(ours) or len(set(theirs)) < len(theirs):
        return None
    if ours == theirs:
        return None
    for missing, where, other in ((set(ours) - set(theirs), system, gold), (set(theirs) - set(ours), gold, system)):
        if missing:
            shown = ", ".join(sorted(map(str, missing))[:3]) + (", …" if len(missing) > 3 else "")
            raise AlignmentError(
                f"{where.name}: lacks the graph {shown}, which {other.name} has. Graphs correspond by their ids; "
                "a system without a parse has a graph without arcs."
            )
    place = {name: number for number, name in enumerate(theirs)}
    return [place[name] for name in ours]


def _reordered(corpus: Corpus, order: Sequence[int]) -> tuple[Corpus, Ints]:
    """The sentences of a corpus without empty nodes in another order, and the new place of each word."""
    sizes = np.diff(corpus.starts)[order]
    words = numbers_of_runs(corpus.starts[:-1][order], sizes)
    place = np.argsort(words)
    graph, new = graph_of(corpus), np.argsort(order)
    head = np.where(graph.head == NONE, NONE, place[graph.head])
    predicates = place[graph.predicates]
    sorted_ = np.argsort(predicates)
    senses = Column(graph.senses.codes[sorted_], graph.senses.vocabulary)
    moved = Graph.of(place[graph.dependent], head, graph.labels, predicates=predicates[sorted_], senses=senses)
    columns = {name: Column(one.codes[words], one.vocabulary) for name, one in corpus.columns.items()}
    comments = sorted((int(new[sentence]), line) for sentence, line in corpus.comments if sentence < corpus.sentences)
    whole = replace(
        corpus,
        forms=Column(corpus.forms.codes[words], corpus.forms.vocabulary),
        columns=columns,
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        lines=None if corpus.lines is None else corpus.lines[order],
        comments=tuple(comments),
    )
    return whole.with_layer(moved), place


def _moved(one: Flat, place: Ints) -> Flat:
    head = np.where(one.head == NONE, NONE, place[one.head])
    graph = Graph.of(place[one.dependent], head, one.labels)
    return Flat(graph.dependent, graph.head, graph.labels, np.zeros(len(graph), dtype=bool))


# --- what looks wrong ---


def _same_arcs(ours: tuple[Ints, Ints, Column], theirs: tuple[Ints, Ints, Column]) -> bool:
    same = np.array_equal(ours[0], theirs[0]) and np.array_equal(ours[1], theirs[1])
    return same and ours[2].strings() == theirs[2].strings()


def _unconnected(corpus: Corpus) -> int:
    """The number of words without any arc."""
    graph = graph_of(corpus)
    touched = np.zeros(len(corpus) + len(graph.empty_ids) + 1, dtype=bool)
    touched[graph.dependent] = touched[graph.head] = True
    return int((~touched[: len(corpus)]).sum())


@remark
def repeated_ids(name: str, number: int) -> Iterator[str]:
    """Graphs that cannot be found by their ids."""
    if number:
        graphs = "1 graph has" if number == 1 else f"{number:,} graphs have"
        yield f"{name}: {graphs} the id of another one, so that graphs correspond by their order."


@remark
def no_graph(name: str, arcs: int, several: int, deps: bool) -> Iterator[str]:
    """A file without arcs, or whose enhanced graphs are mere trees."""
    if not arcs:
        yield f"{name}: no arcs in it{' (DEPS is empty)' if deps else ''}."
    elif deps and not several:
        yield f"{name}: no word has more than one arc in DEPS. Is it a copy of HEAD and DEPREL?"


@remark
def numbers_of_tops(tops: Mapping[str, int], words: Mapping[str, int]) -> Iterator[str]:
    """Numbers of tops and of words without arcs, on each side."""
    for what, numbers in (("Tops", tops), ("Words without arcs", words)):
        if any(numbers.values()):
            yield f"{what}: {', '.join(f'{name} {number:,}' for name, number in numbers.items())}."


@remark
def numbers_of_empties(numbers: Mapping[str, int], ways: str) -> Iterator[str]:
    """Numbers of empty nodes on each side, and what is done with them."""
    if any(numbers.values()):
        shown = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
        yield f"Empty nodes: {shown} (empty={ways})."


@remark
def other_tops(name: str, gold: int, system: int) -> Iterator[str]:
    """A system whose number of tops is quite another."""
    if _differ(gold, system):
        yield f"{name}: {system:,} tops where gold has {gold:,}. Did a converter add or remove arcs from the root?"


@remark
def other_loose_words(name: str, gold: int, system: int) -> Iterator[str]:
    """A system whose number of words without arcs is quite another."""
    if _differ(gold, system):
        arcs = "leave out arcs" if system > gold else "add arcs to words that have none"
        yield f"{name}: {system:,} words without arcs where gold has {gold:,}. Did a converter {arcs}?"


def _differ(gold: int, system: int) -> bool:
    return abs(gold - system) > max(_SHARE * gold, _FEW)
