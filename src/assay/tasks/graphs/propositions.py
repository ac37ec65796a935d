"""Semantic roles: from files to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.corpus import Corpus, Marks
from assay.engine.items import Items
from assay.engine.measure import Measure, measure_of
from assay.engine.prepare import Run, without_spans
from assay.engine.warnings import Remark, check_system, identical_outputs, number_of_things, remark
from assay.errors import AlignmentError, InputError, UsageError
from assay.formats import Input, read_labels
from assay.formats.columns import ROLES
from assay.formats.roles import HEADS, SPANS, TAGS, with_roles
from assay.result.numbers import plural
from assay.tasks.graphs import roles
from assay.tasks.graphs.measures import TAG
from assay.tasks.graphs.roles import is_predicate, lemma_of, roles_of, sense_key, senses_by_word

_FORMATS = ", ".join((*HEADS, *SPANS))


def about_roles(measures: Sequence[Measure]) -> bool:
    """True if measures are about semantic roles; those of other graphs need other files."""
    own = [measure.function.__module__ == roles.__name__ for measure in measures]
    if any(own) and not all(own):
        names = [str(measures[own.index(which)]) for which in (True, False)]
        raise UsageError(f"{names[0]} is for semantic roles, {names[1]} for other graphs. Run them separately.")
    return any(own)


def prepare_roles(run: Run) -> None:
    """Read, check and align words with predicates and their arguments."""
    options, measures = run.options, run.measures
    if options.column is not None:
        raise UsageError("--column is for labels of words, not for semantic roles. Remove it.")
    further = list(dict.fromkeys(column for measure in measures for column in measure.columns))
    run.read(lambda _, item: _read(without_spans(item), further))
    if run.count_labels(lambda corpus: corpus.marks["roles"].labels):
        for number, corpus in enumerate(run.corpora):
            marks = corpus.marks["roles"]
            # C-A1 goes with A1.
            names = (role for role in marks.labels.vocabulary if options.keeps(role, role.removeprefix("C-")))
            run.corpora[number] = corpus.with_marks(roles=marks.where(marks.labels.isin(names)))
    run.note_reading()
    for _, system in run.systems:
        _check_places(run.gold, system)
    run.align(faults=[()] * len(run.corpora))
    spans = run.gold.format in SPANS
    usual = measure_of(roles.srl_span if spans else roles.srl, "srl")
    # The measure that is asked for if there is one, so that it is judged once.
    default = replace(usual, parameters=usual.defaults)
    plain = next((one for one in measures if one.function is usual.function), default)
    for name, pair in run.pairs:
        judged = plain.judge(pair)
        assert isinstance(judged, Items)
        run.items = int(judged.has_gold.sum())
        run.warnings += check_system(name, pair, judged, "argument" if spans else "arc")
        run.warnings += _differences(name, pair, measures, spans)
    answers = [(name, [pair.system.marks[layer] for layer in ("roles", "predicates")]) for name, pair in run.pairs]
    run.warnings.append(identical_outputs(answers, lambda ours, theirs: all(map(Marks.equals, ours, theirs))))
    for name, corpus in zip(run.names, run.corpora, strict=True):
        marks, number = corpus.marks["roles"], 0
        if spans and len(marks):
            # Arguments that begin inside another one of their predicate; ends on one line, predicate after predicate.
            order = np.lexsort((marks.end, marks.begin, marks.arguments["head"]))
            _, group = np.unique(marks.arguments["head"][order], return_inverse=True)
            base = group * (int(marks.end.max()) + 1)
            reach = np.maximum.accumulate(base + marks.end[order])
            number = int(((base + marks.begin[order])[1:] < reach[:-1]).sum())
        text = "another one of the same predicate, each counted by itself."
        one, many = "argument overlaps", "arguments overlap"
        run.warnings.append(number_of_things(name=name, one=one, many=many, text=text, number=number))
        run.warnings.append(no_predicates(name=name, number=len(corpus.marks["predicates"])))


def _read(item: Input | Corpus, further: Sequence[str]) -> Corpus:
    """A corpus with its predicates and arguments, and with a column of tags if the format has one."""
    if isinstance(item, Corpus):
        if "roles" not in item.marks:
            raise InputError(f"{item.name}: contains no semantic roles. Formats that have them: {_FORMATS}.")
        return item
    if item.plan.name not in (*HEADS, *SPANS):
        raise InputError(
            f"{item.path}: contains no semantic roles ({item.plan.name}). Formats that have them: {_FORMATS}; "
            f"name it with --input-format."
        )
    tag = TAGS.get(item.plan.name)
    tags = [tag] if tag is not None and tag in item.plan.labels else []
    corpus = with_roles(read_labels(item, [*dict.fromkeys((*further, *tags)), ROLES]))
    return replace(corpus, columns={**corpus.columns, TAG: corpus.columns[tags[0]]}) if tags else corpus


def _check_places(gold: Corpus, system: Corpus) -> None:
    """Refuse files without words whose sentences have other numbers of lines."""
    if gold.has_words and system.has_words:
        return
    lengths, expected = np.diff(system.starts), np.diff(gold.starts)
    shared = min(len(lengths), len(expected))
    different = np.flatnonzero(lengths[:shared] != expected[:shared])
    if len(different):
        first = int(different[0])
        raise AlignmentError(
            f"{system.place_of_sentence(first)}: a sentence of {lengths[first]} lines, but "
            f"{gold.place_of_sentence(first)} has one of {expected[first]}. Without words, the numbers must be equal."
        )
    if len(lengths) != len(expected):
        raise AlignmentError(
            f"{system.name}: {len(lengths):,} sentences, but {gold.name} has {len(expected):,}. Without words, the "
            f"numbers must be equal."
        )


# --- remarks ---


def _differences(name: str, pair: Pair, measures: Sequence[Measure], spans: bool) -> Iterator[Remark]:
    """Predicates right by the number of their sense alone, and arguments of predicates that gold does not have."""
    if spans:
        both = [one for one in measures if one.parameters.get("predicates") == "all"]
        if not both:
            return
        judged, settings = both[0].judge(pair), both[0].parameters
        join, exclude, lemma = settings["continuation"] == "join", settings["exclude"], settings["lemma"]
        _, fewer = roles_of(pair, spans=True, join=join, exclude=exclude, predicates="gold", lemma=lemma)
        assert isinstance(judged, Items)
        yield spurious_predicates(
            name=name,
            measure=str(both[0]),
            right=int(judged.right.sum()),
            gold=int(judged.has_gold.sum()),
            system=int(judged.has_system.sum()),
            fewer=int((~is_predicate(fewer)).sum()),
        )
        return
    if any(measure.parameters.get("sense") == "number" for measure in measures):
        ours, theirs = map(senses_by_word, roles_of(pair, spans=False, join=False))
        hits = [
            (sense, theirs[word])
            for word, sense in ours.items()
            if word in theirs
            and sense_key(sense, "number") == sense_key(theirs[word], "number")
            and lemma_of(sense) != lemma_of(theirs[word])
        ]
        yield other_lemmas(name=name, number=len(hits), first=[" for ".join(reversed(hit)) for hit in hits[:1]])


@remark
def other_lemmas(name: str, number: int, first: list[str]) -> Iterator[str]:
    """Senses that are right by their number, with another lemma."""
    if number:
        what, they = plural(number, "sense is", "senses are"), "It is" if number == 1 else "They are"
        yield f"{name}: {what} right by number, with another lemma ({first[0]}). {they} wrong with sense=full."


@remark
def spurious_predicates(name: str, measure: str, right: int, gold: int, system: int, fewer: int) -> Iterator[str]:
    """Arguments of predicates that gold does not have, and the score with them and without."""
    if system != fewer and gold + fewer:
        with_, without_ = (200 * right / (gold + number) for number in (system, fewer))
        arguments = plural(system - fewer, "argument belongs", "arguments belong")
        them = "it" if system - fewer == 1 else "them"
        yield (
            f"{name}: {arguments} to predicates that gold does not have. {measure}: f1 is {with_:.2f} with {them} "
            f"and {without_:.2f} without (predicates=gold)."
        )


@remark
def no_predicates(name: str, number: int) -> Iterator[str]:
    """A file without predicates."""
    if not number:
        yield f"{name}: contains no predicates."
