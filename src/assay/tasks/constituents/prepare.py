"""Phrase-structure trees: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import Bools
from assay.corpus import KEPT, Corpus
from assay.engine.counts import graded
from assay.engine.items import Items
from assay.engine.measure import Measure, find
from assay.engine.options import Decided, Options
from assay.engine.phrases import node_spans, roots, trees_of, with_words_of
from assay.engine.prepare import Run, aligned, check_folders, kept_labels, notes_on_reading, without
from assay.engine.spanpairs import SpanPair, spans_of
from assay.engine.warnings import Remark, check_system, format_warnings, identical_outputs, remark, said
from assay.errors import InputError, UsageError
from assay.formats import Input
from assay.tasks.constituents.brackets import (
    EDGE,
    TAG,
    Convention,
    choices,
    with_equal_words,
    with_nodes,
)

_SHOWN = 3
_OF_CONSTITUENTS = ("span-length", "nesting", "gaps")
"""Slices that words cannot be cut by."""
_TREES = "brackets, discbracket, export, tigerxml"


def prepare_constituents(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align words with the trees over them."""
    _check_options(options, measures)
    conventions = {
        str(measure): choices(measure.parameters["preset"], measure.parameters["params"]).convention
        for measure in _of_brackets(measures)
    }
    names = ["gold", *named]
    corpora = [_read(item, options) for item in inputs]
    check_folders(corpora)
    gold = corpora[0]
    bare = np.isin(np.arange(gold.sentences), list(gold.unparsed))
    has_trees = gold_trees(gold=gold.name, sentences=gold.sentences, bare=int(bare.sum()))
    if options.decided is None:
        format_warnings([has_trees])
    if bare.any() and options.on_mismatch != "skip":
        raise InputError(
            f"{gold.place_of_sentence(int(bare.argmax()))}: no tree in gold, in {_sentences(int(bare.sum()))}. "
            "To leave them out: --on-mismatch skip"
        )
    kept = kept_labels((node_spans(corpus).labels for corpus in corpora), options)
    others = [measure for measure in measures if "preset" not in measure.parameters]
    if others and (options.labels or options.ignore_labels):
        raise UsageError(
            f"--labels and --ignore-labels are about brackets, which {others[0]} does not compare. Leave it out."
        )
    gold = _with_spans(with_words_of(gold, corpora[1]), options)
    equal = [pair for known in conventions.values() for pair in known.equal_words]
    outputs = [with_equal_words(with_words_of(corpus, gold), gold, equal) for corpus in corpora[1:]]
    systems = {name: _with_spans(output, options) for name, output in zip(named, outputs, strict=True)}
    found, alignment = aligned(gold, systems, [True] * len(systems), TAG, options)
    # A sentence with other words is an error of its system, and is compared for the others.
    pairs = [(name, with_nodes(without(pair, pair.skipped | bare) if bare.any() else pair)) for name, pair in found]
    judged: dict[tuple[str, str], Items] = {}
    for name, pair in pairs:
        for measure in _of_brackets(measures) or [find("parseval")]:
            rows = measure.judge(pair)
            assert isinstance(rows, Items)
            judged[name, str(measure)] = rows
    constituents = int(next(iter(judged.values())).has_gold.sum())
    warnings = [has_trees, *kept]
    for name, corpus in zip(names, corpora, strict=True):
        noted = tuple((f"{text.removesuffix('.')}.", number) for text, number in corpus.noted)
        warnings += notes_on_reading(name, replace(corpus, noted=noted))
    unparsed = sorted(corpora[0].unparsed)
    warnings.append(without_trees(number=len(unparsed), places=_first_places(corpora[0], unparsed)))
    warnings += [
        *alignment,
        *_check(names, corpora, pairs, conventions, judged, bare),
        *(said(text=text) for known in conventions.values() for text in known.said),
    ]
    gaps = {name: len(trees_of(corpus).stretches) for name, corpus in [("gold", gold), *systems.items()]}
    notes = [said(text=f"{spec}: {convention.title}.") for spec, convention in conventions.items()]
    notes += [
        constituents_with_gaps(numbers=gaps),
        compared_by_characters(times=sum(pair.aligned_by == "characters" for _, pair in pairs)),
    ]
    return Run(
        gold=gold,
        measures=tuple(measures),
        pairs=tuple(pairs),
        skipped=bare,
        warnings=tuple(warnings),
        items=constituents if _of_brackets(measures) else int((~bare[gold.sentence_of]).sum()),
        unit=options.unit or "sentence",
        notes=tuple(notes),
        decided=Decided(formats=tuple(corpus.format for corpus in corpora)),
    )


def _check_options(options: Options, measures: Sequence[Measure]) -> None:
    of_words = next((measure for measure in measures if measure.count is graded), None)
    for name in options.slices:
        if of_words and name in _OF_CONSTITUENTS:
            raise UsageError(
                f"--slice {name} is about constituents, {of_words} about words. Ask for them one by one."
            )
    if options.column is not None:
        raise UsageError(
            f"--column {options.spelled_column}: trees have no columns that hold constituents. For tags say "
            "--task tags"
        )


def _of_brackets(measures: Sequence[Measure]) -> list[Measure]:
    """The measures of brackets, one for each way to clean up."""
    found: dict[object, Measure] = {}
    for measure in measures:
        if "preset" in measure.parameters:
            found.setdefault(tuple(measure.parameters.items()), measure)
    return list(found.values())


# --- reading ---


def _read(item: Input | Corpus, options: Options) -> Corpus:
    if isinstance(item, Corpus):
        if item.trees is None or TAG not in item.columns:
            raise InputError(f"{item.name}: holds no trees with tags. Formats that have them: {_TREES}.")
        return item
    if "constituents" not in item.plan.layers:
        raise InputError(f"{item.path}: holds no trees ({item.plan.name}). Formats that have them: {_TREES}.")
    columns = [name for name in (TAG, EDGE) if name in item.plan.labels]
    return item.read(columns, tolerant=options.on_mismatch == "skip")


def _with_spans(corpus: Corpus, options: Options) -> Corpus:
    """The corpus with its nodes as spans, those marked that have categories that count."""
    spans = node_spans(corpus)
    if options.labels or options.ignore_labels:
        kept = {label: KEPT if options.keeps(label) else "" for label in spans.labels.vocabulary}
        spans = replace(spans, columns={KEPT: spans.labels.mapped(kept)})
    return corpus.with_marks(spans=spans)


# --- what looks wrong ---


@remark
def gold_trees(gold: str, sentences: int, bare: int) -> Iterator[str]:
    """Gold without any tree."""
    if bare == sentences:
        raise InputError(f"{gold}: no trees in gold. Are gold and system swapped?")
    yield from ()


@remark
def without_trees(number: int, places: Sequence[str]) -> Iterator[str]:
    """Sentences of gold without a tree."""
    if number:
        yield f"{_sentences(number)} left out, since gold has no tree: {_shown(places, number)}."


def _check(
    names: Sequence[str],
    corpora: Sequence[Corpus],
    pairs: Sequence[tuple[str, Pair]],
    conventions: Mapping[str, Convention],
    judged: Mapping[tuple[str, str], Items],
    bare: Bools,
) -> Iterator[Remark]:
    """Sentences that are not scored, roots that count as constituents, and what else looks wrong."""
    gold = pairs[0][1].gold
    for (name, spec), rows in judged.items():
        for field, fault in (("skipped", "has no tree for"), ("errors", "has other words left than gold in")):
            faulty = np.flatnonzero((rows.sums[field] != 0) & ~bare)
            places = _first_places(gold, faulty.tolist())
            yield not_scored(name=name, fault=fault, spec=spec, number=len(faulty), places=places)
    for spec, convention in conventions.items():
        for name, corpus in zip(names, corpora, strict=True) if not convention.roots else ():
            trees = trees_of(corpus)
            for code, number in zip(*np.unique(trees.labels.codes[roots(trees)], return_counts=True), strict=True):
                label = trees.labels.vocabulary[code]
                if not convention.deletes(label):
                    yield kept_roots(name=name, spec=spec, label=label, number=int(number))
    yield gold_constituents(gold=gold.name, number=int((~roots(trees_of(gold))).sum()))
    first: dict[str, Items] = {}
    for (name, spec), rows in judged.items():
        first.setdefault(name, rows)
        yield nothing_left(spec=spec, number=int(rows.has_gold.sum()))
    for name, pair in pairs:
        yield from check_system(name, pair, first[name], "constituent")
    yield identical_outputs([(name, spans_of(pair)) for name, pair in pairs], SpanPair.same_output)


@remark
def not_scored(name: str, fault: str, spec: str, number: int, places: Sequence[str]) -> Iterator[str]:
    """Sentences that a measure of brackets leaves out."""
    if number:
        yield (
            f"{name} {fault} {_sentences(number)} ({_shown(places, number)}): left out of "
            f"{spec}, missing constituents in f1-all and recall-all."
        )


@remark
def kept_roots(name: str, spec: str, label: str, number: int) -> Iterator[str]:
    """Roots that count as constituents."""
    called = f"labelled {label}" if label else "without a label"
    count = "counts as a constituent" if number == 1 else "count as constituents"
    yield f"{name}: {spec} does not delete roots {called}, so that {number:,} of them {count}."


@remark
def gold_constituents(gold: str, number: int) -> Iterator[str]:
    """Gold with nothing but roots."""
    if not number:
        raise InputError(f"{gold}: no constituents in gold. Are gold and system swapped?")
    yield from ()


@remark
def nothing_left(spec: str, number: int) -> Iterator[str]:
    """A convention that leaves nothing to be compared."""
    if not number:
        yield f"{spec} leaves no constituent of gold, so its scores mean nothing."


@remark
def constituents_with_gaps(numbers: Mapping[str, int]) -> Iterator[str]:
    """Numbers of constituents with gaps, on each side."""
    if any(numbers.values()):
        listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items() if number)
        yield f"Constituents with gaps ({listed}) are compared as sets of words."


@remark
def compared_by_characters(times: int) -> Iterator[str]:
    """Trees over other words."""
    if times:
        yield "Tokenisation differs, so constituents are compared as sets of characters (without white space)."


def _sentences(number: int) -> str:
    return "1 sentence" if number == 1 else f"{number:,} sentences"


def _first_places(gold: Corpus, sentences: Sequence[int]) -> list[str]:
    return [gold.place_of_sentence(sentence) for sentence in sentences[:_SHOWN]]


def _shown(places: Sequence[str], number: int) -> str:
    return ", ".join(places[:_SHOWN]) + (", …" if number > _SHOWN else "")
