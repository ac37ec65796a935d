"""Relations: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE
from assay.corpus import Column, Corpus, code_by_alphabet
from assay.engine.answers import refuse_answers
from assay.engine.lexicon import KNOWN
from assay.engine.matching import Steps
from assay.engine.offsets import check_offsets
from assay.engine.options import TRAIN, Options
from assay.engine.prepare import Run
from assay.engine.spanpairs import have_same_spans, spans_of, surface_forms
from assay.engine.warnings import Remark, check_system, identical_outputs, nothing_in_system, remark
from assay.errors import AlignmentError, UsageError
from assay.formats import Input
from assay.formats.relations import SYMMETRIC, is_symmetric, relations_in
from assay.result.numbers import plural
from assay.tasks.relations.matching import match_relations, relation_columns
from assay.tasks.relations.measures import relation_items
from assay.tasks.relations.pairs import (
    DIRECTIONS,
    IN_FILE,
    ROLES,
    choose_relations,
    ends_of,
    first_of_each,
    found_spans,
    is_undirected,
    number_arguments,
    pair_relations,
    relations_of,
)

_PROPOSED = ("CONJUNCTION", "COMPARE")
"""Labels of SciERC that have no direction by its guidelines; no file says so."""
_SURE = 0.5
"""From this share of gold's relations on, an odd way to find them is no chance."""
REACHED = "argument-found"
"""The column of the number of arguments that the other side has: of gold's relations that of the best system."""
Triple = tuple[str, str, str]
"""A label and the words of both arguments."""


def prepare_relations(run: Run) -> None:
    """Read, check and align relations and their spans."""
    options, measures = run.options, run.measures
    no_layer = f"--column {options.spelled_column}: relations are not read from a column. Remove --column."
    if not run.names_layers:
        raise UsageError(no_layer)
    run.take(_read(run.inputs))
    named = [corpus for name, corpus in zip(run.names, run.corpora, strict=True) if options.column_of(name)]
    if options.decided is None and not all(corpus.layer_read for corpus in named):
        raise UsageError(no_layer)
    run.order_documents()
    run.note_reading()
    run.drop_unsure("relations", "relation has", "relations have")
    names_labels = run.count_labels(lambda corpus: corpus.marks["relations"].labels)
    # Labels without direction: as the user says, and as files say, in shards those of all.
    asked = {label for one in measures for label in str(one.parameters.get("symmetric", "")).split("+") if label}
    others, here = {}, set[str]()
    for number, (name, corpus) in enumerate(zip(run.names, run.corpora, strict=True)):
        relations = corpus.marks["relations"]
        counted = relations.labels.isin(filter(options.keeps, relations.labels.vocabulary))
        others[name] = int((~counted).sum())
        relations = relations.where(counted)
        run.corpora[number] = corpus.with_marks(relations=relations)
        here |= {*Column(relations.label[is_symmetric(relations)], relations.labels.vocabulary).counts()}
    run.decide(symmetric=tuple(sorted(here)))
    stated = here | set(options.decided.symmetric if options.decided is not None else ())
    training: list[Corpus] = []
    if options.train is not None:
        form, asked_of_train = options.format_of("gold"), options.asked_of(TRAIN)
        training = _read([Input(options.train, input_format=form, asked=asked_of_train)])
    known = {triple for corpus in training for triples in _triples(corpus, options) for triple in triples}
    related = {triple[1:] for triple in known}
    for number, corpus in enumerate(run.corpora):
        relations = corpus.marks["relations"]
        free = np.where(relations.labels.isin(stated), IN_FILE, relations.labels.isin(asked))
        columns = {SYMMETRIC: Column(free.astype(np.int8), DIRECTIONS)}
        if training:
            seen = []
            for triples in _triples(corpus, options):
                # What training data have between the same words: this label, others, or none.
                others_seen = any(triple[1:] in related for triple in triples)
                seen.append(1 if not known.isdisjoint(triples) else 2 * others_seen)
            columns["train"] = Column(np.array(seen, dtype=np.int8), KNOWN)
        run.corpora[number] = corpus.with_marks(relations=replace(relations, columns=columns))
    run.align()
    gold = run.gold
    if options.only_annotated:
        bare = ~np.isin(np.arange(gold.sentences), gold.marks["arguments"].unit) & ~run.skipped
        units = "documents" if gold.whole_documents else "sentences"
        skipped = bare | run.skipped
        facts = {"number": int(bare.sum()), "sentences": len(bare), "left": int((~skipped).sum())}
        run.leave_out(skipped, bare_units(gold=gold.name, units=units, **facts))
    run.put_on_line()
    run.pairs = _count_arguments([(name, pair_relations(pair)) for name, pair in run.pairs])
    each = next((one.name for one in measures if one.name == "ehealth-kd"), "")
    run.warnings += _check(run.pairs, asked, stated, each, options)
    for name, pair in run.pairs:
        same = all(bool(mask.all()) for mask in found_spans(pair))
        run.notes.append(spans_given(name=name, same=same, spans=len(spans_of(pair)[0])))
    run.notes.append(undirected(labels=dict.fromkeys(sorted(asked | stated), 1)))
    run.notes += [other_relations(numbers=others)] if names_labels else []
    run.items = len(choose_relations(run.pairs[0][1])[0])
    of_documents = any("entities" in one.parameters for one in measures)
    run.unit = options.unit or ("document" if of_documents else "")


# --- reading ---


def _read(items: Sequence[Input | Corpus]) -> list[Corpus]:
    """Corpora whose spans are those of their relations, labels and types with the same codes in all of them."""
    corpora = [item if isinstance(item, Corpus) else item.read(()) for item in items]
    for corpus in corpora:
        refuse_answers(corpus)
    layers = [relations_in(corpus) for corpus in corpora]
    types, labels = (code_by_alphabet([marks.labels for marks in side]) for side in zip(*layers, strict=True))
    read = []
    for corpus, marks, kinds, names in zip(corpora, layers, types, labels, strict=True):
        spans, relations = replace(marks[0], labels=kinds), replace(marks[1], labels=names)
        read.append(corpus.with_marks(spans=spans, arguments=spans, relations=relations))
    return read


def _triples(corpus: Corpus, options: Options) -> Iterator[list[Triple]]:
    """For each relation its label with the words of its arguments, of any mention of their entities."""
    spans, relations = relations_in(corpus)
    forms = [form.casefold() if options.oov_fold_case else form for form in surface_forms(corpus)]
    entity = np.full(len(spans), NONE) if spans.group is None else spans.group
    texts: dict[int, dict[str, None]] = {}
    for form, number in zip(forms, entity.tolist(), strict=True):
        texts.setdefault(number, {})[form] = None

    def names(span: int) -> Collection[str]:
        return [forms[span]] if entity[span] == NONE else texts[int(entity[span])]

    ends = zip(*(relations.arguments[role].tolist() for role in ROLES), strict=True)
    for label, (head, tail) in zip(relations.labels.strings(), ends, strict=True):
        yield [(label, one, other) for one in names(head) for other in names(tail)]


def _count_arguments(pairs: Sequence[tuple[str, Pair]]) -> list[tuple[str, Pair]]:
    """The pairs with a column of how many arguments of each relation the other side has, same place and type."""
    numbers = [
        [ends_of(side, ~mask).sum(axis=0) for side, mask in zip(relations_of(pair), found_spans(pair), strict=True)]
        for _, pair in pairs
    ]
    best = np.min([gold for gold, _ in numbers], axis=0)
    counted = []
    for (name, pair), (_, own) in zip(pairs, numbers, strict=True):
        gold, system = (
            replace(side, columns={**side.columns, REACHED: Column(number.astype(np.int8), ("both", "one", "none"))})
            for side, number in zip(relations_of(pair), (best, own), strict=True)
        )
        counted.append((name, pair.with_marks(relations=(gold, system))))
    return counted


# --- what looks wrong ---


@remark
def bare_units(gold: str, units: str, number: int, sentences: int, left: int) -> Iterator[str]:
    """Sentences that gold does not annotate."""
    if not left:
        raise AlignmentError(f"{gold}: contains no annotation, so --only-annotated leaves nothing.")
    yield f"--only-annotated: {number:,} of {sentences:,} {units} are left out, because gold has no annotation there."


@remark
def other_relations(numbers: Mapping[str, int]) -> Iterator[str]:
    """Relations that do not count for their labels."""
    listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    yield f"Relations with other labels were left out on both sides ({listed})."


def _check(
    pairs: Sequence[tuple[str, Pair]], asked: set[str], stated: set[str], each: str, options: Options
) -> Iterator[Remark]:
    first = relations_of(pairs[0][1])[0]
    sides = [("gold", pairs[0][1], 0), *((name, pair, 1) for name, pair in pairs)]
    yield gold_relations(
        gold=pairs[0][1].gold.name,
        symmetric="symmetric" if options.symmetric else "",
        number=len(first),
        theirs=sum(len(relations_of(pair)[1]) for _, pair in pairs),
    )
    yield from check_offsets(pairs, options, "spans")
    for label in sorted(asked):
        both = [relations.labels.isin((label,)) for _, pair in pairs for relations in relations_of(pair)]
        yield symmetric_nowhere(label=label, number=sum(int(mask.sum()) for mask in both))
    for label in _PROPOSED:
        if label in first.labels.vocabulary and label not in {*asked, *stated}:
            yield proposed(label=label, number=int(first.labels.isin((label,)).sum()))
    for name, pair, side in sides:
        relations, single = relations_of(pair)[side], choose_relations(pair)[side]
        typed = number_arguments(pair, types=True)[side]
        ordered = len(first_of_each(relations.label, *ends_of(relations, typed)))
        yield odd_relations(
            name=name,
            each=each,
            repeated=len(relations) - ordered,
            turned=ordered - len(single),
            same_span=int(np.equal(*ends_of(single, typed)).sum()),
        )
        if name != "gold":
            spans = len(spans_of(pair)[1])
            yield nothing_in_system(name=name, nouns="relations", number=len(relations), spans=spans)
    for name, pair in pairs:
        gold, system = choose_relations(pair)
        turned = replace(system, arguments=dict(zip(ROLES[::-1], system.arguments.values(), strict=True)))
        steps = []
        for other in (system, turned):
            # The same label and places.
            steps.append(Steps(len(gold), len(other)))
            free = is_undirected(gold), is_undirected(other)
            steps[-1].by_columns(0, *relation_columns((gold, other), number_arguments(pair, types=False), free))
        straight, crossed = (int((one.partner != NONE).sum()) for one in steps)
        overlap = 0
        if not straight:
            overlap = int((match_relations(pair, (gold, system), match="overlap").partner != NONE).sum())
        yield odd_places(name=name, straight=straight, turned=crossed, overlap=overlap, number=len(gold))
        if not options.symmetric:
            yield from check_system(name, pair, relation_items(pair, (gold, system), steps[0]), "relation")
    yield identical_outputs(pairs, _have_same_output)


def _have_same_output(ours: Pair, theirs: Pair) -> bool:
    """True if two systems have the same relations throughout."""
    sides = [relations_of(pair)[1] for pair in (ours, theirs)]
    # Spans that are the same have the same numbers.
    columns = [(side.label, *(side.arguments[role] for role in ROLES)) for side in sides]
    same = all(np.array_equal(one, other) for one, other in zip(*columns, strict=True))
    return same and have_same_spans(ours, theirs)


@remark
def gold_relations(gold: str, symmetric: str, number: int, theirs: int) -> Iterator[str]:
    """Gold without relations."""
    if number:
        return
    if not theirs:
        nothing = "any system, so there is nothing to score"
        nothing = "the other, so there is nothing to agree on" if symmetric else nothing
        yield f"{gold}: contains no relations, nor does {nothing}."
    elif not symmetric:
        yield "gold has no relations. Recall is undefined. Are gold and system swapped?"


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
            f"{label} ({plural(number, 'relation')} of gold) has no direction by the guidelines of SciERC, which "
            f"is not assumed. To say so: -m 'relations(symmetric={'+'.join(_PROPOSED)})'"
        )


@remark
def odd_relations(name: str, each: str, repeated: int, turned: int, same_span: int) -> Iterator[str]:
    """Relations that appear twice, in both orders though they have no direction, or of a span with itself.

    each: a measure that counts both orders.
    """
    if repeated:
        what = plural(repeated, "relation appears", "relations appear")
        yield f"{name}: {what} twice (same label, same arguments); each is counted once."
    if turned:
        what = plural(turned, "relation is", "relations are")
        also = f" {each} counts both, as its scorer does." if each else ""
        yield f"{name}: {what} given in both orders; measures without direction count one.{also}"
    if same_span:
        yield f"{name}: {plural(same_span, 'relation joins', 'relations join')} a span with itself."


@remark
def odd_places(name: str, straight: int, turned: int, overlap: int, number: int) -> Iterator[str]:
    """A system whose heads are gold's tails, or none of whose arguments ends where gold's do."""
    if turned > straight and turned >= _SURE * number:
        yield (
            f"{name}: has {turned:,} of gold's {number:,} relations with head and tail exchanged, and {straight:,} "
            f"in gold's direction. Are heads and tails swapped?"
        )
    if not straight and overlap >= max(_SURE * number, 2):
        yield (
            f"{name}: no relation has gold's places, but {overlap:,} of {number:,} have arguments that overlap. Is "
            "the end of a span included in one file and not in the other?"
        )


@remark
def spans_given(name: str, same: bool, spans: int) -> Iterator[str]:
    """A system that was given gold's spans."""
    if same and spans:
        yield (
            f"{name} has exactly gold's spans, so relations were classified, not extracted. Do not compare such "
            f"scores with those of systems that find spans themselves."
        )


@remark
def undirected(labels: Mapping[str, int]) -> Iterator[str]:
    """The labels taken to have no direction."""
    if labels:
        yield f"Relations without direction: {', '.join(labels)}."
