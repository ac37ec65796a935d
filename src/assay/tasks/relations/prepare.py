"""Relations: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints, distinct_rows
from assay.corpus import Column, Corpus
from assay.engine.lexicon import KNOWN, ItemColumns
from assay.engine.measure import Measure
from assay.engine.offsets import check_offsets
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
)
from assay.engine.spanpairs import needs_characters, surface_forms, with_spans
from assay.engine.warnings import Remark, check_system, identical_outputs, nothing_in_system, numbered, remark
from assay.errors import UsageError
from assay.formats import Input
from assay.formats.relations import Relations
from assay.formats.relations import relations_of as file_relations
from assay.tasks.relations.measures import judged
from assay.tasks.relations.pairing import FOUND, Setting, at_same_places, matched
from assay.tasks.relations.pairs import RelationPair, relations_in, relations_of
from assay.tasks.spans.answers import refuse_answers
from assay.tasks.spans.prepare import check_reach, order_documents

_PROPOSED = ("CONJUNCTION", "COMPARE")
"""Labels of SciERC that have no direction by its guidelines; no file says so."""
_SURE = 0.5
"""From this share of gold's relations on, an odd way to find them is no chance."""
Triple = tuple[str, str, str]
"""A label and the words of both arguments."""


def holds_relations(item: Input | Corpus) -> bool:
    """True where a file holds relations."""
    return item.layer(Relations) is not None if isinstance(item, Corpus) else item.plan.relations


def prepare_relations(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align relations and their spans."""
    if options.column is not None:
        raise UsageError(f"--column {options.spelled_column}: relations are in no column.")
    names = ["gold", *named]
    corpora = _coded([_read(item) for item in inputs])
    check_folders(corpora)
    formats = tuple(corpus.format for corpus in corpora)
    corpora, absent = order_documents(corpora, names, options)
    kept = kept_labels((relations_in(corpus).labels for corpus in corpora), options)
    others = {}
    for number, (name, corpus) in enumerate(zip(names, corpora, strict=True)):
        corpora[number], others[name] = _kept(corpus, options)
    told = {label for corpus in corpora for label in _undirected(relations_in(corpus))}
    symmetric = told | set(options.decided.symmetric if options.decided is not None else ())
    seen = [_seen(options.train, corpora, options)] if options.train is not None else []
    gold, outputs = corpora[0], dict(zip(named, corpora[1:], strict=True))
    for output in outputs.values():
        check_reach(gold, output)
    pairs, warnings = aligned(gold, outputs, [True] * len(outputs), "", options)
    skipped = np.any([pair.skipped for _, pair in pairs], axis=0)
    units = "documents" if gold.whole_documents else "sentences"
    nothing = f"no sentence is shared by {gold.name} and all systems."
    warnings += left_out(
        skipped, nothing, f"left out, since the texts differ: {{number}} of {{sentences}} {units}.", options
    )
    if options.only_annotated:
        bare = ~np.isin(np.arange(gold.sentences), relations_in(gold).spans.sentence) & ~skipped
        warnings += left_out(
            bare | skipped,
            f"{gold.name}: no annotation in it, so that --only-annotated leaves nothing.",
            "",
            options,
        )[:1]
        warnings.append(bare_units(units=units, number=int(bare.sum()), sentences=len(bare)))
        skipped = skipped | bare
    pairs = [(name, without(pair, skipped)) for name, pair in pairs]
    # One kind of atom for all systems: they are to be judged alike.
    needed = any(needs_characters(pair) for _, pair in pairs)
    characters = needed or (options.decided is not None and options.decided.characters)
    asked = frozenset(
        label for one in measures for label in str(one.parameters.get("symmetric", "")).split("+") if label
    )
    ready: list[tuple[str, Pair]] = []
    for number, (name, pair) in enumerate(pairs, 1):
        spanned = with_spans(pair, characters=characters)
        known = (seen[0][0], seen[0][number]) if seen else None
        layer = RelationPair.of(spanned, symmetric, asked, known)
        spanned = spanned.with_layer(layer)
        if layer.seen is not None:
            ours, theirs = (Column(codes, KNOWN) for codes in layer.seen)
            spanned = spanned.with_layer(ItemColumns({"train": (ours, theirs)}))
        ready.append((name, spanned))
    reached = np.max([_arguments_found(relations_of(pair)) for _, pair in ready], axis=0)
    ready = [(name, pair.with_layer(replace(relations_of(pair), reached=reached))) for name, pair in ready]
    for name, corpus in zip(names, corpora, strict=True):
        warnings += notes_on_reading(name, corpus)
    each = next((one.definition.name for one in measures if one.definition.name == "ehealth-kd"), "")
    warnings += _check(ready, asked, each, options)
    layers = [relations_of(pair) for _, pair in ready]
    facts = any("entities" in one.parameters for one in measures)
    by_document = units == "documents" or facts
    return Run(
        gold=gold,
        column="",
        measures=tuple(measures),
        pairs=tuple(ready),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in ready),
        skipped=skipped,
        warnings=(*kept, *absent, *warnings),
        mappings=(),
        atoms=layers[0].spans.atoms,
        items=len(layers[0].chosen("+".join(sorted(asked)))[0]),
        unit=options.unit or ("document" if by_document else "sentence"),
        notes=(*_notes(ready, asked), *([other_relations(numbers=others)] if kept else ())),
        decided=Decided(formats=formats, characters=needed, symmetric=tuple(sorted(told))),
    )


# --- reading ---


def _read(item: Input | Corpus) -> Corpus:
    """A corpus whose spans are those of its relations."""
    corpus = item if isinstance(item, Corpus) else item.read(())
    refuse_answers(corpus)
    layer = file_relations(corpus)
    return replace(corpus, spans=layer.spans).with_layer(layer)


def _coded(corpora: Sequence[Corpus]) -> list[Corpus]:
    """The corpora with labels and types coded alike in all of them, in the order of the alphabet."""
    layers = [relations_in(corpus) for corpus in corpora]
    labels = sorted({label for layer in layers for label in layer.labels.vocabulary})
    types = sorted({label for layer in layers for label in layer.spans.labels.vocabulary})
    found = []
    for corpus, layer in zip(corpora, layers, strict=True):
        spans = replace(layer.spans, labels=_recoded(layer.spans.labels, types))
        own = replace(layer, spans=spans, labels=_recoded(layer.labels, labels))
        found.append(replace(corpus, spans=spans).with_layer(own))
    return found


def _recoded(column: Column, vocabulary: Sequence[str]) -> Column:
    place = {label: code for code, label in enumerate(vocabulary)}
    codes = np.array([place[label] for label in column.vocabulary] or [0], dtype=np.int32)
    return Column(codes[column.codes], tuple(vocabulary))


def _kept(corpus: Corpus, options: Options) -> tuple[Corpus, int]:
    """The corpus without relations whose labels do not count, and how many these are."""
    layer = relations_in(corpus)
    rows = np.flatnonzero(layer.labels.isin(label for label in layer.labels.vocabulary if options.keeps(label)))
    gone = len(layer) - len(rows)
    if not gone:
        return corpus, 0
    labels = Column(layer.labels.codes[rows], layer.labels.vocabulary)
    lines, symmetric = layer.lines[rows], layer.symmetric[rows]
    return corpus.with_layer(
        replace(layer, labels=labels, head=layer.head[rows], tail=layer.tail[rows], lines=lines, symmetric=symmetric)
    ), gone


def _undirected(layer: Relations) -> list[str]:
    """The labels of relations that a file says have no direction."""
    return [layer.labels.vocabulary[code] for code in np.unique(layer.labels.codes[layer.symmetric]).tolist()]


def _seen(path: str, corpora: Sequence[Corpus], options: Options) -> list[Ints]:
    """For each relation of each corpus what training data have between the same words, as a place in KNOWN."""
    training = _read(Input(path, input_format=options.format_of("gold")))
    known = {triple for triples in _triples(training, options) for triple in triples}
    related = {triple[1:] for triple in known}
    found: list[Ints] = []
    for corpus in corpora:
        codes = [
            1 if any(one in known for one in triples) else 2 * any(one[1:] in related for one in triples)
            for triples in _triples(corpus, options)
        ]
        found.append(np.array(codes, dtype=np.int64))
    return found


def _triples(corpus: Corpus, options: Options) -> Iterator[list[Triple]]:
    """For each relation its label with the words of its arguments, of any mention of their entities."""
    layer = relations_in(corpus)
    forms = [form.casefold() if options.oov_fold_case else form for form in surface_forms(corpus)]
    texts: dict[int, list[str]] = {}
    if layer.entity is not None:
        for form, entity in zip(forms, layer.entity.tolist(), strict=True):
            if entity != NONE and form not in texts.setdefault(entity, []):
                texts[entity].append(form)

    def names(span: int) -> list[str]:
        entity = NONE if layer.entity is None else int(layer.entity[span])
        return [forms[span]] if entity == NONE else texts[entity]

    for label, head, tail in zip(layer.labels.strings(), layer.head.tolist(), layer.tail.tolist(), strict=True):
        yield [(label, one, other) for one in names(head) for other in names(tail)]


def _arguments_found(layer: RelationPair) -> Ints:
    """The number of arguments of each of gold's relations that the system has, same place and type."""
    found = layer.found[0].astype(np.int64)
    return np.asarray(found[layer.gold.head] + found[layer.gold.tail])


# --- what looks wrong ---


@remark
def bare_units(units: str, number: int, sentences: int) -> Iterator[str]:
    """Sentences that gold does not annotate."""
    yield f"--only-annotated: {number:,} of {sentences:,} {units} are left out, since gold has no annotation there."


@remark
def other_relations(numbers: Mapping[str, int]) -> Iterator[str]:
    """Relations that do not count for their labels."""
    listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    yield f"Relations with other labels were left out on both sides ({listed})."


def _check(
    pairs: Sequence[tuple[str, Pair]], asked: Collection[str], each: str, options: Options
) -> Iterator[Remark]:
    layers = [(name, relations_of(pair)) for name, pair in pairs]
    first = layers[0][1]
    chosen = "+".join(sorted(asked))
    yield gold_relations(
        gold=first.spans.gold.corpus.name,
        symmetric="symmetric" if options.symmetric else "",
        number=len(first.gold),
        theirs=sum(len(layer.system) for _, layer in layers),
    )
    yield from check_offsets(pairs, options, "spans")
    for label in sorted(asked):
        number = sum(int((rows.label == first.labels.index(label)).sum()) if label in first.labels else 0
                     for _, layer in layers for rows in (layer.gold, layer.system))
        yield symmetric_nowhere(label=label, number=number)
    for label in _PROPOSED:
        if label in first.labels and label not in {*asked, *first.symmetric}:
            yield proposed(label=label, number=int((first.gold.label == first.labels.index(label)).sum()))
    for name, layer in [("gold", first), *layers]:
        rows, side = (layer.gold, layer.spans.gold) if name == "gold" else (layer.system, layer.spans.system)
        single = layer.chosen(chosen)[name != "gold"]
        typed = layer.typed[name != "gold"]
        ordered = len(distinct_rows(np.stack([rows.label, typed[rows.head], typed[rows.tail]], axis=1))[0])
        yield repeated(name=name, number=len(rows) - ordered)
        yield both_orders(name=name, number=ordered - len(single), each=each)
        yield to_itself(name=name, number=int((typed[single.head] == typed[single.tail]).sum()))
        if name != "gold":
            yield nothing_in_system(name=name, nouns="relations", number=len(rows), spans=len(side))
    for name, pair in pairs:
        layer = relations_of(pair)
        gold, system = layer.chosen(chosen)
        straight = at_same_places(layer, gold, system)
        turned = at_same_places(layer, gold, replace(system, head=system.tail, tail=system.head))
        numbers = [int((one != NONE).sum()) for one in (straight, turned)]
        yield reversed_(name=name, straight=numbers[0], turned=numbers[1], number=len(gold))
        if not numbers[0]:
            overlap = matched(layer, gold, system, Setting("overlap", symmetric=chosen))
            yield ends_apart(name=name, overlap=int((overlap != NONE).sum()), number=len(gold), exact=0)
        else:
            yield ends_apart(name=name, overlap=0, number=len(gold), exact=numbers[0])
        if not options.symmetric:
            kind = np.where(straight == NONE, FOUND.index("fn"), 0)
            yield from check_system(name, pair, judged(layer, gold, system, straight, FOUND, kind), "relation")
    yield identical_outputs([(name, relations_of(pair)) for name, pair in pairs], _same_output)


def _same_output(ours: RelationPair, theirs: RelationPair) -> bool:
    """True where two systems have the same relations throughout."""
    if len(ours.system) != len(theirs.system):
        return False
    # Spans that are the same have the same numbers.
    columns = [(layer.system.label, layer.system.head, layer.system.tail) for layer in (ours, theirs)]
    same = all(np.array_equal(one, other) for one, other in zip(*columns, strict=True))
    return same and ours.spans.same_output(theirs.spans)


@remark
def gold_relations(gold: str, symmetric: str, number: int, theirs: int) -> Iterator[str]:
    """Gold without relations."""
    if number:
        return
    if not theirs:
        nothing = "the other: there is nothing to agree on" if symmetric else "any system: there is nothing to score"
        yield f"{gold}: no relations in it, nor in {nothing}."
    elif not symmetric:
        yield "gold has no relations at all. Recall is undefined. Are gold and system swapped?"


@remark
def symmetric_nowhere(label: str, number: int) -> Iterator[str]:
    """A label said to have no direction that does not occur."""
    if not number:
        yield f"symmetric={label}: no relation has this label."


@remark
def proposed(label: str, number: int) -> Iterator[str]:
    """A label that has no direction by the guidelines of its corpus."""
    if number:
        yield (
            f"{label} ({numbered(number, 'relation')} of gold) has no direction by the guidelines of SciERC, which "
            f"is not assumed. To say so: -m 'relations(symmetric={'+'.join(_PROPOSED)})'"
        )


@remark
def repeated(name: str, number: int) -> Iterator[str]:
    """Relations that are there twice."""
    if number:
        what = "1 relation is" if number == 1 else f"{number:,} relations are"
        yield f"{name}: {what} there twice (same label, same arguments) and counted once."


@remark
def both_orders(name: str, number: int, each: str) -> Iterator[str]:
    """Relations without direction that are there with either argument first, and a measure that counts both."""
    if number:
        what = "1 relation is" if number == 1 else f"{number:,} relations are"
        also = f" {each} counts both, as its scorer does." if each else ""
        yield f"{name}: {what} there in both orders; measures that take them without direction count one.{also}"


@remark
def to_itself(name: str, number: int) -> Iterator[str]:
    """Relations of a span with itself."""
    if number:
        what = "1 relation joins a span" if number == 1 else f"{number:,} relations join a span"
        yield f"{name}: {what} with itself."


@remark
def reversed_(name: str, straight: int, turned: int, number: int) -> Iterator[str]:
    """A system whose heads are gold's tails."""
    if turned > straight and turned >= _SURE * number:
        yield (
            f"{name}: {turned:,} of gold's {number:,} relations are there with head and tail exchanged, {straight:,} "
            "as they stand. Are heads and tails exchanged?"
        )


@remark
def ends_apart(name: str, overlap: int, number: int, exact: int) -> Iterator[str]:
    """A system none of whose arguments ends where gold's do."""
    if not exact and overlap >= max(_SURE * number, 2):
        yield (
            f"{name}: no relation has gold's places, but {overlap:,} of {number:,} have arguments that overlap. Is "
            "the end of a span included in one file and not in the other?"
        )


def _notes(pairs: Sequence[tuple[str, Pair]], asked: Collection[str]) -> Iterator[Remark]:
    for name, pair in pairs:
        layer = relations_of(pair)
        yield same_spans(name=name, same=layer.same_spans(), spans=len(layer.spans.gold))
    labels = {*asked, *relations_of(pairs[0][1]).symmetric}
    yield undirected(labels=dict.fromkeys(sorted(labels), 1))


@remark
def same_spans(name: str, same: bool, spans: int) -> Iterator[str]:
    """A system that was given gold's spans."""
    if same and spans:
        yield (
            f"{name} has gold's spans throughout: relations were classified, not extracted. Such scores must not be "
            "compared with those of systems that find spans themselves."
        )


@remark
def undirected(labels: Mapping[str, int]) -> Iterator[str]:
    """The labels taken to have no direction."""
    if labels:
        yield f"Relations without direction: {', '.join(labels)}."
