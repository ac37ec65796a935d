"""Phrase-structure trees: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Ints
from assay.corpus import KEPT, Corpus
from assay.engine import checks
from assay.engine.counts import graded
from assay.engine.items import Items
from assay.engine.measure import Measure, find
from assay.engine.options import Decided, Options
from assay.engine.prepare import Run, aligned, check_folders, kept_labels, notes_on_reading, source_of, without
from assay.engine.spanpairs import spans_of
from assay.engine.warnings import Remark, format_warnings, remark, said
from assay.errors import InputError, UsageError
from assay.formats import Input
from assay.tasks.constituents.brackets import (
    EDGE,
    TAG,
    Convention,
    node_spans,
    roots,
    trees_of,
    with_equal_words,
    with_nodes,
    with_words_of,
)
from assay.tasks.constituents.evalb import choices

_SHOWN = 3
_OF_CONSTITUENTS = ("span-length", "nesting", "gaps")
"""Slices that words cannot be cut by."""
_TREES = "brackets, discbracket, export, tigerxml"


def shows_trees(gold: Input | Corpus) -> bool:
    """Whether what is compared are trees, unless something else is asked for."""
    return gold.trees is not None if isinstance(gold, Corpus) else gold.plan.trees


def prepare_constituents(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align words with the trees over them."""
    _check_options(options, measures)
    conventions = _conventions(measures)
    corpora = [_read(item, options) for item in inputs]
    check_folders(corpora)
    bare = _without_trees(corpora[0], options)
    kept = kept_labels([node_spans(corpus).labels for corpus in corpora], options)
    _check_have_labels(measures, options)
    gold = _with_spans(with_words_of(corpora[0], corpora[1]), options)
    equal = [pair for known in conventions.values() for pair in known.equal_words]
    outputs = [with_equal_words(with_words_of(corpus, gold), gold, equal) for corpus in corpora[1:]]
    systems = {name: _with_spans(output, options) for name, output in zip(named, outputs, strict=True)}
    found, warnings = aligned(gold, systems, [True] * len(systems), TAG, options)
    # A sentence with other words is an error of its system, and is compared for the others.
    pairs = [(name, with_nodes(without(pair, pair.skipped | bare) if bare.any() else pair)) for name, pair in found]
    judged = {(name, str(measure)): rows for name, pair in pairs for measure, rows in _judged(pair, measures)}
    constituents = int(next(iter(judged.values())).has_gold.sum())
    words = int((~bare[gold.sentence_of]).sum())
    warnings = [
        gold_trees(gold=gold.name, sentences=gold.sentences, bare=int(bare.sum())),
        *kept,
        *_read_so(["gold", *named], corpora),
        *warnings,
        *_faulty(gold, bare, judged),
        *_counted_roots(["gold", *named], corpora, conventions),
        *_checked(pairs, judged),
        *(said(text=text) for known in conventions.values() for text in known.said),
    ]
    return Run(
        gold=gold,
        column="",
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in pairs),
        skipped=bare,
        warnings=tuple(warnings),
        mappings=(),
        task="constituents",
        items=constituents if _of_brackets(measures) else words,
        unit=options.unit or "sentence",
        notes=tuple(_notes(pairs, conventions)),
        decided=Decided(formats=tuple(corpus.format for corpus in corpora)),
    )


def _check_options(options: Options, measures: Sequence[Measure]) -> None:
    of_words = next((measure for measure in measures if measure.definition.count is graded), None)
    for name in options.slices:
        if of_words and name in _OF_CONSTITUENTS:
            raise UsageError(
                f"--slice {name} is about constituents, {of_words} about words. Ask for them one by one."
            )
    for name in ("train", "lexicon"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is about words and spans; constituents have no use for it.")
    if options.column is not None:
        raise UsageError(
            f"--column {options.column}: trees have no columns that hold constituents. For tags say --task tags"
        )


def _check_have_labels(measures: Sequence[Measure], options: Options) -> None:
    others = [measure for measure in measures if "preset" not in measure.parameters]
    if others and (options.labels or options.ignore_labels):
        raise UsageError(
            f"--labels and --ignore-labels are about brackets, which {others[0]} does not compare. Leave it out."
        )


def _of_brackets(measures: Sequence[Measure]) -> list[Measure]:
    """The measures of brackets, one for each way to clean up."""
    found: dict[object, Measure] = {}
    for measure in measures:
        if "preset" in measure.parameters:
            found.setdefault(tuple(measure.parameters.items()), measure)
    return list(found.values())


def _conventions(measures: Sequence[Measure]) -> dict[str, Convention]:
    """By what each measure of brackets compares, under the way it is written."""
    given = {str(measure): measure.parameters for measure in _of_brackets(measures)}
    return {spec: choices(known["preset"], known["params"]).convention for spec, known in given.items()}


def _judged(pair: Pair, measures: Sequence[Measure]) -> Iterator[tuple[Measure, Items]]:
    """What the measures of brackets say; where there are none, the one that is taken unless another is named."""
    for measure in _of_brackets(measures) or [find("parseval")]:
        rows = measure.judge(pair)
        assert isinstance(rows, Items)
        yield measure, rows


# --- reading ---


def _read(item: Input | Corpus, options: Options) -> Corpus:
    if isinstance(item, Corpus):
        if item.trees is None or TAG not in item.columns:
            raise InputError(f"{item.name}: holds no trees with tags. Formats that have them: {_TREES}.")
        return item
    if not item.plan.trees:
        raise InputError(f"{item.path}: holds no trees ({item.plan.format}). Formats that have them: {_TREES}.")
    columns = [name for name in (TAG, EDGE) if name in item.plan.labels]
    return item.read(columns, tolerant=options.on_mismatch == "skip")


def _with_spans(corpus: Corpus, options: Options) -> Corpus:
    """The corpus with its nodes as spans, those marked that have categories that count."""
    spans = node_spans(corpus)
    if options.labels or options.ignore_labels:
        kept = {label: KEPT if options.keeps(label) else "" for label in spans.labels.vocabulary}
        spans = replace(spans, columns={KEPT: spans.labels.mapped(kept)})
    return replace(corpus, spans=spans)


def _without_trees(gold: Corpus, options: Options) -> Bools:
    """The gold sentences without a tree, which can be left out if the user says so."""
    bare = np.zeros(gold.sentences, dtype=bool)
    bare[list(gold.unparsed)] = True
    if options.decided is None:
        format_warnings([gold_trees(gold=gold.name, sentences=gold.sentences, bare=int(bare.sum()))])
    if bare.any() and options.on_mismatch != "skip":
        raise InputError(
            f"{_places(gold, bare)}: no tree in gold, in {_sentences(int(bare.sum()))}. "
            "To leave them out: --on-mismatch skip"
        )
    return bare


# --- what looks wrong ---


@remark
def gold_trees(gold: str, sentences: int, bare: int) -> Iterator[str]:
    """Gold without any tree."""
    if bare == sentences:
        raise InputError(f"{gold}: no trees in gold. Are gold and system swapped?")
    yield from ()


def _read_so(names: Sequence[str], corpora: Sequence[Corpus]) -> Iterator[Remark]:
    for name, corpus in zip(names, corpora, strict=True):
        noted = tuple((f"{text.removesuffix('.')}.", number) for text, number in corpus.noted)
        yield from notes_on_reading(name, replace(corpus, noted=noted))
    gold = corpora[0]
    yield without_trees(number=len(gold.unparsed), places=_list(gold, sorted(gold.unparsed)))


@remark
def without_trees(number: int, places: Sequence[str]) -> Iterator[str]:
    """Sentences of gold without a tree."""
    if number:
        yield f"{_sentences(number)} left out, since gold has no tree: {_shown(places, number)}."


def _faulty(gold: Corpus, bare: Bools, judged: Mapping[tuple[str, str], Items]) -> Iterator[Remark]:
    """Sentences that are not scored, as they are counted by EVALB."""
    for (name, spec), rows in judged.items():
        for field, fault in (
            ("skipped", "has no tree for"),
            ("errors", "has other words left than gold in"),
        ):
            faulty = np.flatnonzero((rows.sums[field] != 0) & ~bare)
            places = _list(gold, faulty.tolist())
            yield not_scored(name=name, fault=fault, spec=spec, number=len(faulty), places=places)


@remark
def not_scored(name: str, fault: str, spec: str, number: int, places: Sequence[str]) -> Iterator[str]:
    """Sentences that a measure of brackets leaves out."""
    if number:
        yield (
            f"{name} {fault} {_sentences(number)} ({_shown(places, number)}): left out of "
            f"{spec}, missing constituents in f1-all and recall-all."
        )


def _counted_roots(
    names: Sequence[str], corpora: Sequence[Corpus], conventions: Mapping[str, Convention]
) -> Iterator[Remark]:
    """Roots that EVALB takes for constituents."""
    for spec, convention in conventions.items():
        if convention.roots:
            continue
        for name, corpus in zip(names, corpora, strict=True):
            trees = trees_of(corpus)
            labels = trees.labels.codes[roots(trees)]
            for code, number in zip(*np.unique(labels, return_counts=True), strict=True):
                label = trees.labels.vocabulary[code]
                if not convention.deletes(label):
                    yield kept_roots(name=name, spec=spec, label=label, number=int(number))


@remark
def kept_roots(name: str, spec: str, label: str, number: int) -> Iterator[str]:
    """Roots that count as constituents."""
    called = f"labelled {label}" if label else "without a label"
    count = "counts as a constituent" if number == 1 else "count as constituents"
    yield f"{name}: {spec} does not delete roots {called}, so that {number:,} of them {count}."


def _checked(pairs: Sequence[tuple[str, Pair]], judged: Mapping[tuple[str, str], Items]) -> Iterator[Remark]:
    gold = pairs[0][1].gold
    yield gold_constituents(gold=gold.name, number=int((~roots(trees_of(gold))).sum()))
    first: dict[str, Items] = {}
    for (name, spec), rows in judged.items():
        first.setdefault(name, rows)
        yield nothing_left(spec=spec, number=int(rows.has_gold.sum()))
    for name, pair in pairs:
        yield from checks.warnings(name, pair, first[name], "constituent")
    yield checks.identical_spans([(name, spans_of(pair)) for name, pair in pairs])


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
        yield f"{spec} leaves no constituent of gold, so that it says nothing."


def _notes(pairs: Sequence[tuple[str, Pair]], conventions: Mapping[str, Convention]) -> Iterator[Remark]:
    for spec, convention in conventions.items():
        yield said(text=f"{spec}: {convention.title}.")
    gold = pairs[0][1].gold
    gaps = {name: len(trees_of(corpus).stretches) for name, corpus in (("gold", gold), *_systems(pairs))}
    yield constituents_with_gaps(numbers=gaps)
    yield compared_by_characters(times=sum(pair.aligned_by == "characters" for _, pair in pairs))


@remark
def constituents_with_gaps(numbers: Mapping[str, int]) -> Iterator[str]:
    """How many constituents have gaps on each side."""
    if any(numbers.values()):
        listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items() if number)
        yield f"Constituents with gaps ({listed}) are compared as sets of words."


@remark
def compared_by_characters(times: int) -> Iterator[str]:
    """Trees over other words."""
    if times:
        yield "Tokenisation differs, so constituents are compared as sets of characters (without white space)."


def _systems(pairs: Sequence[tuple[str, Pair]]) -> Iterator[tuple[str, Corpus]]:
    return ((name, pair.system) for name, pair in pairs)


def _sentences(number: int) -> str:
    return "1 sentence" if number == 1 else f"{number:,} sentences"


def _list(gold: Corpus, sentences: Sequence[int]) -> list[str]:
    return [gold.place_of_sentence(sentence) for sentence in sentences[:_SHOWN]]


def _shown(places: Sequence[str], number: int) -> str:
    return ", ".join(places[:_SHOWN]) + (", …" if number > _SHOWN else "")


def _places(gold: Corpus, mask: Bools) -> str:
    first: Ints = np.flatnonzero(mask)[:1]
    return gold.place_of_sentence(int(first[0]))
