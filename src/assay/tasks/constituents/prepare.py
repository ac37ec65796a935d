"""Phrase-structure trees: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.corpus import KEPT, Corpus
from assay.engine.counts import tally_credits
from assay.engine.items import Items
from assay.engine.measure import Measure, find
from assay.engine.options import Options
from assay.engine.phrases import node_spans, roots, trees_of, with_words_of
from assay.engine.prepare import Run, exclude_sentences
from assay.engine.spanpairs import have_same_spans
from assay.engine.warnings import check_system, identical_outputs, plain_sentence, remark
from assay.errors import InputError, UsageError
from assay.formats import Input
from assay.result.numbers import plural
from assay.tasks.constituents.brackets import EDGE, TAG, find_options, with_equal_words, with_nodes

_SHOWN = 3
_OF_CONSTITUENTS = ("span-length", "nesting", "gaps")
"""Slices that words cannot be cut by."""
_TREES = "brackets, discbracket, export, tigerxml"


def prepare_constituents(run: Run) -> None:
    """Read, check and align words with the trees over them."""
    options, measures = run.options, run.measures
    _check_options(options, measures)
    # The measures of brackets, one for each way to clean up.
    ways: dict[object, Measure] = {}
    for measure in measures:
        if "preset" in measure.parameters:
            ways.setdefault(tuple(measure.parameters.items()), measure)
    conventions = {
        str(measure): find_options(measure.parameters["preset"], measure.parameters["params"]).convention
        for measure in ways.values()
    }
    run.read(lambda _, item: _read(item, options))
    gold, corpora = run.gold, [*run.corpora]
    bare = np.isin(np.arange(gold.sentences), list(gold.unparsed))
    run.require(gold_trees(gold=gold.name, sentences=gold.sentences, bare=int(bare.sum())))
    if bare.any() and options.on_mismatch != "skip":
        raise InputError(
            f"{gold.place_of_sentence(int(bare.argmax()))}: no tree in gold, in "
            f"{plural(int(bare.sum()), 'sentence')}. To leave them out: --on-mismatch skip"
        )
    others = [measure for measure in measures if "preset" not in measure.parameters]
    if run.count_labels(lambda corpus: node_spans(corpus).labels) and others:
        raise UsageError(
            f"--labels and --ignore-labels are about brackets, which {others[0]} does not compare. Leave it out."
        )
    run.note_reading()
    unparsed = sorted(gold.unparsed)
    run.warnings.append(without_trees(number=len(unparsed), places=_first_places(gold, unparsed)))
    gold = with_words_of(gold, corpora[1])
    equal = [pair for convention in conventions.values() for pair in convention.equal_words]
    systems = [with_equal_words(with_words_of(corpus, gold), gold, equal) for corpus in corpora[1:]]
    run.corpora = [_with_spans(corpus, options) for corpus in (gold, *systems)]
    # A sentence with other words is an error of its system, and is compared for the others.
    run.align(TAG, together=False)
    run.skipped = bare
    run.pairs = [
        (name, with_nodes(exclude_sentences(pair, pair.skipped | bare) if bare.any() else pair))
        for name, pair in run.pairs
    ]
    judged: dict[tuple[str, str], Items] = {}
    for name, pair in run.pairs:
        for measure in ways.values() or [find("parseval")]:
            rows = measure.judge(pair)
            assert isinstance(rows, Items)
            judged[name, str(measure)] = rows
    # Sentences that are not scored, roots that count as constituents, and what else looks wrong.
    for (name, spec), rows in judged.items():
        for field, fault in (("skipped", "has no tree for"), ("errors", "keeps other words than gold in")):
            faulty = np.flatnonzero((rows.sums[field] != 0) & ~bare)
            places = _first_places(run.gold, faulty.tolist())
            run.warnings.append(not_scored(name=name, fault=fault, spec=spec, number=len(faulty), places=places))
    for spec, convention in conventions.items():
        for name, corpus in zip(run.names, corpora, strict=True) if not convention.roots else ():
            trees = trees_of(corpus)
            for code, number in zip(*np.unique(trees.labels.codes[roots(trees)], return_counts=True), strict=True):
                label = trees.labels.vocabulary[code]
                if not convention.deletes(label):
                    run.warnings.append(kept_roots(name=name, spec=spec, label=label, number=int(number)))
    constituents = int((~roots(trees_of(run.gold))).sum())
    run.warnings.append(gold_constituents(gold=run.gold.name, number=constituents))
    first: dict[str, Items] = {}
    for (name, spec), rows in judged.items():
        first.setdefault(name, rows)
        run.warnings.append(nothing_left(spec=spec, number=int(rows.has_gold.sum())))
    for name, pair in run.pairs:
        run.warnings += check_system(name, pair, first[name], "constituent")
    run.warnings.append(identical_outputs(run.pairs, have_same_spans))
    run.warnings += [plain_sentence(text=text) for convention in conventions.values() for text in convention.remarks]
    run.notes += [plain_sentence(text=f"{spec}: {convention.title}.") for spec, convention in conventions.items()]
    gaps = {name: len(trees_of(corpus).stretches) for name, corpus in zip(run.names, run.corpora, strict=True)}
    by_characters = sum(pair.aligned_by == "characters" for _, pair in run.pairs)
    run.notes += [constituents_with_gaps(numbers=gaps), compared_by_characters(times=by_characters)]
    run.items = int((~bare[run.gold.sentence_of]).sum())
    if ways:
        run.items = int(next(iter(judged.values())).has_gold.sum())


def _check_options(options: Options, measures: Sequence[Measure]) -> None:
    of_words = next((measure for measure in measures if measure.count is tally_credits), None)
    for name in options.slices:
        if of_words and name in _OF_CONSTITUENTS:
            raise UsageError(
                f"--slice {name} is for constituents, {of_words} about words. Use them in separate runs."
            )
    if options.column is not None:
        raise UsageError(
            f"--column {options.spelled_column}: constituents are not read from a column. Remove --column; for "
            f"tags: --task tags"
        )


# --- reading ---


def _read(item: Input | Corpus, options: Options) -> Corpus:
    if isinstance(item, Corpus):
        if item.trees is None or TAG not in item.columns:
            raise InputError(f"{item.name}: contains no trees with tags. Formats that have them: {_TREES}.")
        return item
    if "constituents" not in item.plan.layers:
        raise InputError(f"{item.path}: contains no trees ({item.plan.name}). Formats that have them: {_TREES}.")
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
        raise InputError(f"{gold}: contains no trees. Are gold and system swapped?")
    yield from ()


@remark
def without_trees(number: int, places: Sequence[str]) -> Iterator[str]:
    """Sentences of gold without a tree."""
    if number:
        were = plural(number, "sentence was", "sentences were")
        yield f"{were} left out, because gold has no tree there: {_shown(places, number)}."


@remark
def not_scored(name: str, fault: str, spec: str, number: int, places: Sequence[str]) -> Iterator[str]:
    """Sentences that a measure of brackets leaves out."""
    if number:
        yield (
            f"{name} {fault} {plural(number, 'sentence')} ({_shown(places, number)}). {spec} leaves "
            f"{'it' if number == 1 else 'them'} out; f1-all and recall-all count the constituents as missing."
        )


@remark
def kept_roots(name: str, spec: str, label: str, number: int) -> Iterator[str]:
    """Roots that count as constituents."""
    called = f"labelled {label}" if label else "without a label"
    count = "counts as a constituent" if number == 1 else "count as constituents"
    yield f"{name}: {spec} does not delete roots {called}, so {number:,} of them {count}."


@remark
def gold_constituents(gold: str, number: int) -> Iterator[str]:
    """Gold with nothing but roots."""
    if not number:
        raise InputError(f"{gold}: contains no constituents. Are gold and system swapped?")
    yield from ()


@remark
def nothing_left(spec: str, number: int) -> Iterator[str]:
    """A convention that leaves nothing to be compared."""
    if not number:
        yield f"{spec} leaves out all constituents of gold, so its scores mean nothing."


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


def _first_places(gold: Corpus, sentences: Sequence[int]) -> list[str]:
    return [gold.place_of_sentence(sentence) for sentence in sentences[:_SHOWN]]


def _shown(places: Sequence[str], number: int) -> str:
    return ", ".join(places[:_SHOWN]) + (", …" if number > _SHOWN else "")
