"""Graphs: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from assay.arrays import NONE, numbers_of_runs
from assay.corpus import Column, Corpus, Marks, one_vocabulary
from assay.engine.items import Items
from assay.engine.measure import measure_of
from assay.engine.prepare import Run, without_spans
from assay.engine.treebanks import with_heads
from assay.engine.warnings import (
    check_system,
    faulty_sentences,
    identical_outputs,
    number_of_things,
    numbers_by_side,
    remark,
)
from assay.errors import MOST_PROBLEMS, AlignmentError, InputError, UsageError, list_problems
from assay.formats import Input, read_labels
from assay.formats.graphs import NO_MARKS, find_empty_nodes, make_arcs, read_enhanced_graphs
from assay.result.numbers import plural
from assay.tasks.graphs.arcs import treat_empty_nodes, with_arcs, without_enhancements
from assay.tasks.graphs.measures import TAG, arcs_of, cut_subtypes, eulas, last_relation, name_way
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


def prepare_graphs(run: Run) -> None:
    """Read, check and align words with the graphs over them."""
    options, measures = run.options, run.measures
    if about_roles(measures):
        prepare_roles(run)
        return
    if options.column not in (None, DEPS):
        raise UsageError(f"--column {options.spelled_column}: graphs are in column DEPS, or in sdp and mrp files.")
    tags = PREDICATE_TAG in options.slices
    tags |= any("predicates" in one.parameters or one.parameters.get("punctuation") is False for one in measures)
    asked = [
        (str(one.parameters.get("empty", "collapse")), str(one.parameters.get("without", ""))) for one in measures
    ]
    ways = {name_way(*both): both for both in asked}
    trees = any(without for _, without in asked) or ENHANCED_ONLY in options.slices
    read = [_read(without_spans(item), tags, trees) for item in run.inputs]
    run.take([corpus for corpus, _ in read])
    faults = [list(wrong) for _, wrong in read]
    gold = run.gold
    run.decide(column=DEPS if DEPS in gold.columns else "")
    run.corpora[1:] = [_order_like_gold(gold, corpus) for _, corpus in run.systems]
    run.count_labels(lambda corpus: corpus.marks["arcs"].labels, _forms)
    run.note_reading()
    layers: dict[str, list[Marks]] = {}
    for name, (empty, without_) in ways.items():
        layers[name] = []
        for corpus, wrong in zip(run.corpora, faults, strict=True):
            arcs, more = treat_empty_nodes(corpus, empty)
            if without_:
                arcs = without_enhancements(with_heads(corpus, "HEAD")[0], arcs, without_.split("+"))
            if options.labels or options.ignore_labels:
                kept_names = (name for name in arcs.labels.vocabulary if options.keeps(*_forms(name)))
                arcs = arcs.where(arcs.labels.isin(kept_names))
            layers[name].append(arcs)
            wrong.extend(fault for fault in more if fault not in wrong)
    if any("arguments" in one.parameters for one in measures):
        # Predicates are arcs from the root, with their senses as labels.
        layers["predicates"] = []
        for corpus in run.corpora:
            predicates = corpus.marks.get("predicates", NO_MARKS)
            ends = {"dependent": corpus.words_of(predicates), "head": np.full(len(predicates), NONE)}
            layers["predicates"].append(replace(predicates, arguments=ends))
    run.align(faults=faults)
    for number, (name, pair) in enumerate(run.pairs):
        both = {layer: (sides[0], sides[number + 1]) for layer, sides in layers.items()}
        run.pairs[number] = name, with_arcs(pair, both)
    usual = asked[0] if asked else ("collapse", "")
    # As a measure, so that it is judged once.
    parameters = {"empty": usual[0], "relations": "", "without": usual[1]}
    plain = replace(measure_of(eulas, "eulas"), parameters=parameters)
    for name, pair in run.pairs:
        judged = plain.judge(pair)
        assert isinstance(judged, Items)
        run.warnings += check_system(name, pair, judged, "arc")
    outputs = [(name, arcs_of(pair, *usual)[1]) for name, pair in run.pairs]
    run.warnings.append(identical_outputs(outputs, Marks.equals))
    tops: dict[str, int] = {}
    alone: dict[str, int] = {}
    empties: dict[str, int] = {}
    for name, corpus, wrong in zip(run.names, run.corpora, faults, strict=True):
        places = [line for _, line in wrong[:MOST_PROBLEMS]]
        ids = corpus.metadata("sent_id") if corpus.format in _WITH_IDS else []
        arcs = corpus.marks["arcs"]
        dependent, head = arcs.arguments["dependent"], arcs.arguments["head"]
        several = int((np.bincount(dependent) > 1).sum())
        run.warnings += [
            faulty_sentences(name=name, places=places, number=len(wrong)),
            number_of_things(
                name=name,
                one="graph has",
                many="graphs have",
                text="the same id as another one, so graphs are matched by order.",
                number=len(ids) - len(set(ids)) if None not in ids else 0,
            ),
            no_graph(name=name, arcs=len(arcs), several=several, deps=DEPS in corpus.columns),
        ]
        tops[name], empties[name] = int((head == NONE).sum()), len(find_empty_nodes(corpus))
        alone[name] = int((~np.isin(np.arange(len(corpus)), np.concatenate([dependent, head]))).sum())
    for name in run.names[1:]:
        run.warnings.append(other_tops(name=name, gold=tops["gold"], system=tops[name]))
        run.warnings.append(other_loose_words(name=name, gold=alone["gold"], system=alone[name]))
    how = "+".join(dict.fromkeys(empty for empty, _ in asked))
    run.notes += [
        numbers_by_side(text="Tops: {}.", numbers=tops),
        numbers_by_side(text="Words without arcs: {}.", numbers=alone),
        numbers_by_side(text=f"Empty nodes: {{}} (empty={how}).", numbers=empties),
    ]
    run.items = len(arcs_of(run.pairs[0][1], *usual)[0])


# --- reading ---


def _read(item: Input | Corpus, tags: bool, trees: bool) -> tuple[Corpus, list[tuple[int, str]]]:
    """A corpus with its arcs and, if a measure needs them, with a column of tags and with trees; its faults."""
    if isinstance(item, Corpus):
        corpus = item
        if "arcs" not in corpus.marks and DEPS not in corpus.columns:
            raise InputError(f"{corpus.name}: contains no graphs. Formats that have them: {_FORMATS}.")
    elif "arcs" in item.plan.layers:
        corpus = item.read([TAG] if tags else [])
    elif DEPS in item.plan.labels:
        tagged = [name for name in _TAGS if name in item.plan.labels] if tags else []
        corpus = read_labels(item, [DEPS, *tagged, *(["HEAD", "DEPREL"] if trees else [])])
    else:
        raise InputError(
            f"{item.path}: contains no graphs ({item.plan.name}). Formats that have them: {_FORMATS}; name it "
            f"with --input-format."
        )
    if trees and not {"HEAD", "DEPREL"} <= set(corpus.columns):
        needs = f"without= and --slice {ENHANCED_ONLY} need"
        raise InputError(f"{corpus.name}: contains no trees (HEAD, DEPREL), which {needs}.")
    faults = with_heads(corpus, "HEAD")[1] if trees else []
    if faults:
        lines = [f"{corpus.place(fault.word)}: {fault.fact}" for fault in faults]
        remedy = f"Trees are needed to recognise enhancements. Leave without= or --slice {ENHANCED_ONLY} out."
        raise InputError("\n".join([*list_problems(lines), remedy]))
    if tags:
        # The tag of a word is the first that it has.
        known = [corpus.columns[name] for name in (TAG, *_TAGS) if name in corpus.columns]
        vocabulary, codes = one_vocabulary(known)
        filled = np.array([label not in ("", "_") for label in vocabulary] or [False])
        if not any(filled[own].any() for own in codes):
            raise InputError(f"{corpus.name}: contains no tags of words, which are needed to recognise predicates "
            f"and punctuation.")
        chosen = codes[-1]
        for own in reversed(codes[:-1]):
            chosen = np.where(filled[own], own, chosen)
        corpus = replace(corpus, columns={**corpus.columns, TAG: Column(chosen, vocabulary)})
    return (corpus, []) if "arcs" in corpus.marks else read_enhanced_graphs(corpus)


def _forms(label: str) -> dict[str, None]:
    """The forms in which a label can be named: as it is, cut at colons, and the last step."""
    return dict.fromkeys((label, cut_subtypes(label), last_relation(label)))


def _order_like_gold(gold: Corpus, system: Corpus) -> Corpus:
    """The system with its sentences in gold's order, if all have ids of their own; such files have no empty nodes."""
    if not all(corpus.format in _WITH_IDS for corpus in (gold, system)):
        return system
    ours, theirs = gold.metadata("sent_id"), system.metadata("sent_id")
    unclear = None in ours or None in theirs or len(set(ours)) < len(ours) or len(set(theirs)) < len(theirs)
    if unclear or ours == theirs:
        return system
    for missing, where, other in ((set(ours) - set(theirs), system, gold), (set(theirs) - set(ours), gold, system)):
        if missing:
            shown = ", ".join(sorted(map(str, missing))[:3]) + (", …" if len(missing) > 3 else "")
            raise AlignmentError(
                f"{where.name}: lacks the graph {shown}, which {other.name} has. Graphs correspond by their ids; "
                "a system without a parse has a graph without arcs."
            )
    number_of = {name: number for number, name in enumerate(theirs)}
    order = [number_of[name] for name in ours]
    sizes = np.diff(system.starts)[order]
    words = numbers_of_runs(system.starts[:-1][order], sizes)
    place, new = np.argsort(words), np.argsort(order)
    columns = {name: Column(column.codes[words], column.vocabulary) for name, column in system.columns.items()}
    comments = sorted((int(new[sentence]), line) for sentence, line in system.comments if sentence < system.sentences)
    moved = replace(
        system,
        forms=Column(system.forms.codes[words], system.forms.vocabulary),
        columns=columns,
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        lines=None if system.lines is None else system.lines[order],
        comments=tuple(comments),
    )
    arcs, predicates = system.marks["arcs"], system.marks["predicates"]
    # One place more, so that NONE leads to itself.
    dependent, head = (np.append(place, NONE)[arcs.arguments[role]] for role in ("dependent", "head"))
    predicates = replace(predicates, unit=new[predicates.unit])
    predicates = predicates.distinct(predicates.unit, predicates.begin)
    return moved.with_marks(arcs=make_arcs(moved, dependent, head, arcs.labels), predicates=predicates)


# --- what looks wrong ---


@remark
def no_graph(name: str, arcs: int, several: int, deps: bool) -> Iterator[str]:
    """A file without arcs, or whose enhanced graphs are mere trees."""
    if not arcs:
        yield f"{name}: contains no arcs{' (DEPS is empty)' if deps else ''}."
    elif deps and not several:
        yield f"{name}: no word has more than one arc in DEPS. Is DEPS a copy of HEAD and DEPREL?"


@remark
def other_tops(name: str, gold: int, system: int) -> Iterator[str]:
    """A system whose number of tops is quite another."""
    if _differ(gold, system):
        tops = plural(system, "top")
        yield f"{name}: has {tops}, but gold has {gold:,}. Did a converter add or remove arcs from the root?"


@remark
def other_loose_words(name: str, gold: int, system: int) -> Iterator[str]:
    """A system whose number of words without arcs is quite another."""
    if _differ(gold, system):
        arcs = "leave out arcs" if system > gold else "add arcs to words that have none"
        words = plural(system, "word has", "words have")
        yield f"{name}: {words} no arcs, but {gold:,} in gold. Did a converter {arcs}?"


def _differ(gold: int, system: int) -> bool:
    return abs(gold - system) > max(_SHARE * gold, _FEW)
