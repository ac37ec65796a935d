"""Relations: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints
from assay.corpus import Column, Corpus, Marks
from assay.engine.answers import refuse_answers
from assay.engine.documents import align_spans, order_documents, with_one_line
from assay.engine.lexicon import KNOWN
from assay.engine.matching import Steps
from assay.engine.measure import Measure
from assay.engine.offsets import check_offsets
from assay.engine.options import Decided, Options
from assay.engine.prepare import Run, check_folders, kept_labels, left_out, notes_on_reading, source_of, without
from assay.engine.spanpairs import spans_of, surface_forms
from assay.engine.warnings import Remark, check_system, identical_outputs, nothing_in_system, numbered, remark
from assay.errors import UsageError
from assay.formats import Input
from assay.formats.relations import SYMMETRIC, is_symmetric, relations_in
from assay.tasks.relations.measures import found_matches, relation_items
from assay.tasks.relations.pairing import match_relations, relation_keys
from assay.tasks.relations.pairs import (
    DIRECTIONS,
    ROLES,
    choose_relations,
    ends_of,
    first_of_each,
    found_spans,
    is_undirected,
    number_spans,
    pair_relations,
    relations_of,
)

_PROPOSED = ("CONJUNCTION", "COMPARE")
"""Labels of SciERC that have no direction by its guidelines; no file says so."""
_SURE = 0.5
"""From this share of gold's relations on, an odd way to find them is no chance."""
REACHED = "argument-found"
"""The column of the number of arguments that the other side has: of gold's relations that of the best system."""
_NUMBERS = ("both", "one", "none")
Triple = tuple[str, str, str]
"""A label and the words of both arguments."""


def prepare_relations(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align relations and their spans."""
    if options.column is not None:
        raise UsageError(f"--column {options.spelled_column}: relations are not read from a column. Remove --column.")
    names = ["gold", *named]
    corpora = _code_alike([_read(item) for item in inputs])
    check_folders(corpora)
    formats = tuple(corpus.format for corpus in corpora)
    corpora, absent = order_documents(corpora, names, options)
    kept = kept_labels((corpus.marks["relations"].labels for corpus in corpora), options)
    asked = {label for one in measures for label in str(one.parameters.get("symmetric", "")).split("+") if label}
    others, told = {}, set(options.decided.symmetric if options.decided is not None else ())
    here: set[str] = set()
    for number, (name, corpus) in enumerate(zip(names, corpora, strict=True)):
        relations = corpus.marks["relations"]
        counted = relations.labels.isin(filter(options.keeps, relations.labels.vocabulary))
        others[name] = int((~counted).sum())
        relations = relations.where(counted)
        corpora[number] = corpus.with_marks(relations=relations)
        here |= {*Column(relations.label[is_symmetric(relations)], relations.labels.vocabulary).counts()}
    told |= here
    known = _read_triples(options.train, options) if options.train is not None else None
    for number, corpus in enumerate(corpora):
        relations = corpus.marks["relations"]
        known_as = {label: "asked" if label in asked else "" for label in relations.labels.vocabulary}
        known_as |= dict.fromkeys(told & {*known_as}, SYMMETRIC)
        codes = np.array([DIRECTIONS.index(direction) for direction in known_as.values()] or [0])
        columns = {SYMMETRIC: Column(codes[relations.label], DIRECTIONS)}
        if known is not None:
            columns["train"] = Column(_find_known(corpus, known, options), KNOWN)
        corpora[number] = corpus.with_marks(relations=replace(relations, columns=columns))
    gold, outputs = corpora[0], dict(zip(named, corpora[1:], strict=True))
    pairs, skipped, warnings = align_spans(gold, outputs, options)
    units = "documents" if gold.whole_documents else "sentences"
    if options.only_annotated:
        bare = ~np.isin(np.arange(gold.sentences), gold.marks["arguments"].unit) & ~skipped
        nothing = f"{gold.name}: no annotation in it, so that --only-annotated leaves nothing."
        warnings += left_out(bare | skipped, nothing, "", options)[:1]
        warnings.append(bare_units(units=units, number=int(bare.sum()), sentences=len(bare)))
        skipped = skipped | bare
        pairs = [(name, without(pair, skipped)) for name, pair in pairs]
    pairs, characters = with_one_line(pairs, options)
    pairs = _count_arguments([(name, pair_relations(pair)) for name, pair in pairs])
    for name, corpus in zip(names, corpora, strict=True):
        warnings += notes_on_reading(name, corpus)
    each = next((one.definition.name for one in measures if one.definition.name == "ehealth-kd"), "")
    warnings += _check(pairs, asked, told, each, options)
    facts = any("entities" in one.parameters for one in measures)
    undirected_labels = dict.fromkeys(sorted(asked | told), 1)
    return Run(
        gold=gold,
        column="",
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in pairs),
        skipped=skipped,
        warnings=(*kept, *absent, *warnings),
        mappings=(),
        atoms=spans_of(pairs[0][1]).atoms,
        items=len(choose_relations(pairs[0][1])[0]),
        unit=options.unit or ("document" if units == "documents" or facts else "sentence"),
        notes=(
            *(
                same_spans(
                    name=name,
                    same=all(bool(mask.all()) for mask in found_spans(pair)),
                    spans=len(spans_of(pair).gold),
                )
                for name, pair in pairs
            ),
            undirected(labels=undirected_labels),
            *([other_relations(numbers=others)] if kept else ()),
        ),
        decided=Decided(formats=formats, characters=characters, symmetric=tuple(sorted(here))),
    )


# --- reading ---


def _read(item: Input | Corpus) -> Corpus:
    """A corpus whose spans are those of its relations."""
    corpus = item if isinstance(item, Corpus) else item.read(())
    refuse_answers(corpus)
    spans, relations = relations_in(corpus)
    return replace(corpus, spans=spans).with_marks(arguments=spans, relations=relations)


def _code_alike(corpora: Sequence[Corpus]) -> list[Corpus]:
    """The corpora with the same codes for labels and types, in alphabetical order."""
    coded = []
    layers: dict[str, list[Marks]] = {}
    for name in ("arguments", "relations"):
        columns = [corpus.marks[name].labels for corpus in corpora]
        vocabulary = tuple(sorted({label for column in columns for label in column.vocabulary}))
        place = {label: code for code, label in enumerate(vocabulary)}
        layers[name] = []
        for corpus, column in zip(corpora, columns, strict=True):
            codes = np.array([place[label] for label in column.vocabulary] or [0], dtype=np.int32)
            layers[name].append(replace(corpus.marks[name], labels=Column(codes[column.codes], vocabulary)))
    for corpus, spans, relations in zip(corpora, layers["arguments"], layers["relations"], strict=True):
        coded.append(replace(corpus, spans=spans).with_marks(arguments=spans, relations=relations))
    return coded


def _read_triples(path: str, options: Options) -> set[Triple]:
    """All relations of training data."""
    training = _read(Input(path, input_format=options.format_of("gold")))
    return {triple for triples in _triples(training, options) for triple in triples}


def _find_known(corpus: Corpus, known: set[Triple], options: Options) -> Ints:
    """For each relation what training data have between the same words, as a place in KNOWN."""
    related = {triple[1:] for triple in known}
    codes = [
        1 if any(triple in known for triple in triples) else 2 * any(triple[1:] in related for triple in triples)
        for triples in _triples(corpus, options)
    ]
    return np.array(codes, dtype=np.int64)


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
    numbers = []
    for _, pair in pairs:
        sides = zip(relations_of(pair), found_spans(pair), strict=True)
        numbers.append([ends_of(side, mask.astype(np.int64)).sum(axis=0) for side, mask in sides])
    best = np.max([gold for gold, _ in numbers], axis=0)
    counted = []
    for (name, pair), (_, own) in zip(pairs, numbers, strict=True):
        gold, system = (
            replace(side, columns={**side.columns, REACHED: Column(2 - number, _NUMBERS)})
            for side, number in zip(relations_of(pair), (best, own), strict=True)
        )
        counted.append((name, pair.with_marks(relations=(gold, system))))
    return counted


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
    pairs: Sequence[tuple[str, Pair]], asked: set[str], told: set[str], each: str, options: Options
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
        if label in first.labels.vocabulary and label not in {*asked, *told}:
            yield proposed(label=label, number=int(first.labels.isin((label,)).sum()))
    for name, pair, side in sides:
        relations, single = relations_of(pair)[side], choose_relations(pair)[side]
        typed = number_spans(pair, types=True)[side]
        ordered = len(first_of_each(relations.label, *ends_of(relations, typed)))
        yield repeated(name=name, number=len(relations) - ordered)
        yield both_orders(name=name, number=ordered - len(single), each=each)
        yield to_itself(name=name, number=int(np.equal(*ends_of(single, typed)).sum()))
        if name != "gold":
            spans = len(spans_of(pair).system)
            yield nothing_in_system(name=name, nouns="relations", number=len(relations), spans=spans)
    for name, pair in pairs:
        gold, system = choose_relations(pair)
        turned = replace(system, arguments=dict(zip(ROLES[::-1], system.arguments.values(), strict=True)))
        steps = [_match_places(pair, gold, other) for other in (system, turned)]
        straight, crossed = (int((one.partner != NONE).sum()) for one in steps)
        yield reversed_(name=name, straight=straight, turned=crossed, number=len(gold))
        overlap = 0
        if not straight:
            overlap = int((match_relations(pair, (gold, system), match="overlap").partner != NONE).sum())
        yield ends_apart(name=name, overlap=overlap, number=len(gold), exact=straight)
        if not options.symmetric:
            judged = relation_items(pair, (gold, system), found_matches(steps[0]))
            yield from check_system(name, pair, judged, "relation")
    yield identical_outputs(pairs, _have_same_output)


def _match_places(pair: Pair, gold: Marks, system: Marks) -> Steps:
    """Relations with the same label and places."""
    steps = Steps(len(gold), len(system))
    free = is_undirected(gold), is_undirected(system)
    steps.by_key(*relation_keys((gold, system), number_spans(pair, types=False), free), 0)
    return steps


def _have_same_output(ours: Pair, theirs: Pair) -> bool:
    """True if two systems have the same relations throughout."""
    sides = [relations_of(pair)[1] for pair in (ours, theirs)]
    # Spans that are the same have the same numbers.
    columns = [(side.label, *(side.arguments[role] for role in ROLES)) for side in sides]
    same = all(np.array_equal(one, other) for one, other in zip(*columns, strict=True))
    return same and spans_of(ours).same_output(spans_of(theirs))


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
