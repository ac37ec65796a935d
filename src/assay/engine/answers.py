"""Answers of language models as systems: they are located in gold, and problems are reported."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.arrays import NONE, Ints, as_codes
from assay.classes import dataclass
from assay.corpus import SPANS, Column, Corpus, Marks
from assay.engine.mapping import Rule
from assay.engine.slices import Values
from assay.engine.spanpairs import CLAIMS, SHOWN, shown_words
from assay.engine.warnings import Remark, remark
from assay.errors import UsageError, unknown
from assay.formats import from_documents
from assay.formats.answers import (
    LONG,
    OUTSIDE,
    SAID,
    Answers,
    Mentions,
    add_mentions,
    choose_inventory,
    ground_answers,
    texts_of,
)
from assay.formats.grounding import REPEATED, UNGROUNDED, fold_spelling
from assay.formats.shapes import STATUSES
from assay.formats.whose import Asked
from assay.result.numbers import plural

MANY = 0.05
"""The share of answers that cannot be read, or of mentions that are not there, from which on a warning is due."""
_LOOPS = 10
"""The least number of repetitions for a warning that a model loops."""
_UNREAD = tuple(map(STATUSES.index, ("malformed", "refused", "missing")))
_WORST = tuple(map(STATUSES.index, ("malformed", "refused", "missing", "repaired", "parsed", "empty")))


def refuse_answers(corpus: Corpus) -> None:
    """Refuse answers if more than their spans is to be compared."""
    if corpus.layer(Answers) is not None:
        raise UsageError(
            f"{corpus.name}: answers of language models can only be compared as spans. Give --task spans"
        )


def ground_systems(
    corpora: Sequence[Corpus],
    names: Sequence[str],
    rules: Sequence[Rule],
    golds: Collection[str],
    asked_of: Callable[[str], Asked] = Asked,
) -> list[Corpus]:
    """The corpora with answers located in gold, which comes first; `golds` are its labels, mapped.

    `asked_of` gives a user's wishes for a file.
    """
    grounded = [corpora[0]]
    if corpora[0].layer(Answers) is not None:
        raise UsageError(
            f"{corpora[0].name}: model answers cannot be gold, because they are located in gold's text. Give the "
            f"annotated file first."
        )
    for name, corpus in zip(names[1:], corpora[1:], strict=True):
        answers = corpus.layer(Answers)
        if answers is not None and answers.answers[0].spans is not None:
            corpus = _place_predictions(corpus, corpora[0], answers, asked_of(name))  # noqa: PLW2901
        elif answers is not None:
            labels = {*choose_inventory(answers.parameters, golds)}
            # A label that the mapping makes one of them is one of them.
            sides = ("both", "system", name)
            labels |= {rule.before for rule in rules if rule.side in sides and rule.after in labels}
            corpus = ground_answers(corpus, corpora[0], labels)  # noqa: PLW2901
        grounded.append(corpus)
    return grounded


def _place_predictions(system: Corpus, gold: Corpus, answers: Answers, asked: Asked) -> Corpus:
    """The texts of gold with a system's predicted spans, a list for each text; one left out has a list as well."""
    left_out = {number for number, _, _ in gold.left_out}
    if left_out and len(answers.answers) == gold.documents + len(left_out):
        kept = [answer for number, answer in enumerate(answers.answers) if number not in left_out]
        answers = replace(answers, answers=kept)
    texts, found = texts_of(gold, system, answers)
    documents: list[dict[str, Any]] = [
        {"text": texts.read(number)[0], SPANS: found[number][0].spans} for number in range(len(found))
    ]
    for number, document in enumerate(documents if gold.by_id else ()):
        document["id"] = gold.document_ids[number]
    placed = from_documents(documents, system.name, asked)
    return replace(placed, format=system.format, sha256=system.sha256)


def flag_outside(corpus: Corpus, raw: Corpus, golds: Collection[str]) -> Corpus:
    """The corpus with flags on mentions whose labels are not in the inventory; `raw`: its answers as read."""
    mentions, answers = corpus.layer(Mentions), raw.layer(Answers)
    if mentions is None or answers is None:
        return corpus
    return add_mentions(corpus, mentions.in_inventory(choose_inventory(answers.parameters, golds)))


@dataclass(frozen=True)
class Statuses:
    """A layer of gold: the status of each system's answer, a code for each sentence."""

    systems: Mapping[str, Ints]


def place_claims(gold: Corpus, systems: Sequence[tuple[str, Corpus]]) -> tuple[Corpus, list[Marks | None]]:
    """Gold with what systems claim beside its sentences, and each system's claims; None if there are no answers."""
    layers = [(name, corpus, corpus.layer(Mentions)) for name, corpus in systems]
    if all(mentions is None for _, _, mentions in layers):
        return gold, [None] * len(layers)
    known: dict[str, int] = {}
    places: dict[tuple[int, str], int] = {}
    texts: dict[int, list[str]] = {}
    lengths: dict[int, int] = {}
    found: list[Marks | None] = []
    statuses = {}
    for name, corpus, mentions in layers:
        if mentions is None:
            none = corpus.spans.where(np.zeros(len(corpus.spans), dtype=bool))
            found.append(replace(none, arguments={SHOWN: none.unit}, group=none.unit))
            continue
        unplaced = mentions.marks.where(mentions.scored & (mentions.level == UNGROUNDED))
        said = unplaced.columns[SAID].strings()
        folded = [fold_spelling(text) for text in said]
        sentences = unplaced.unit
        for key, text in zip(zip(sentences.tolist(), folded, strict=True), said, strict=True):
            if key not in places:
                beside = texts.setdefault(key[0], [])
                if key[0] not in lengths:
                    lengths[key[0]] = len(shown_words(gold, key[0]))
                places[key] = lengths[key[0]] + len(beside)
                beside.append(f"⟨{text}⟩")
        words = [places[key] for key in zip(sentences.tolist(), folded, strict=True)]
        found.append(
            replace(
                unplaced,
                columns={name: unplaced.columns[name] for name in corpus.spans.columns},
                arguments={SHOWN: np.array(words, dtype=np.int64)},
                group=as_codes(folded, known).astype(np.int64),
                number=np.full(len(unplaced), NONE),
            )
        )
        worst = np.array([next((code for code in _WORST if row[code]), NONE) for row in mentions.statuses.tolist()])
        statuses[name] = worst[mentions.text_of]
    rows = [(sentence, text) for sentence in sorted(texts) for text in texts[sentence]]
    units, shown = np.array([sentence for sentence, _ in rows], dtype=np.int64), Column.of(text for _, text in rows)
    gold = gold.with_marks(**{CLAIMS: Marks.without_place(units, shown)})
    return gold.with_layer(Statuses(statuses)), found


def by_status(gold: Corpus, name: str) -> Values:
    """For each sentence how the answer to it could be read: that of one system, or the worst of all systems'."""
    statuses = gold.layer(Statuses)
    if statuses is None:
        raise UsageError('--slice answer is for answers of language models. Give --input-format "answers"')
    if name and name not in statuses.systems:
        raise unknown("system with answers", name, statuses.systems)
    columns = [statuses.systems[name]] if name else list(statuses.systems.values())
    rank = np.argsort(_WORST)
    worst = np.array(_WORST)[np.min([rank[codes] for codes in columns], axis=0)]
    return worst, STATUSES


# --- what looks wrong ---


def answer_remarks(name: str, corpus: Corpus, gold: Corpus) -> Iterator[Remark]:
    """Warnings about a system's answers."""
    mentions = corpus.layer(Mentions)
    if mentions is None:
        return
    unread = np.flatnonzero(mentions.statuses[:, _UNREAD].any(axis=1))
    first = [corpus.sentence_ids[int(unread[0])]] if len(unread) else []
    number = int(mentions.statuses[:, _UNREAD].sum())
    yield answers_not_read(name=name, number=number, answers=int(mentions.statuses.sum()), first=first)
    marks, level = mentions.marks, mentions.level
    yield mentions_not_there(name=name, number=int((level == UNGROUNDED).sum()), mentions=len(marks))
    yield labels_outside(name=name, numbers=marks.where(mentions.has_flag(OUTSIDE)).labels.counts())
    repeated = np.bincount(marks.unit[level == REPEATED], minlength=1)
    most = int(repeated.argmax())
    largest = {corpus.sentence_ids[most]: int(repeated[most])} if repeated.any() else {}
    yield looping(name=name, number=int(repeated.sum()), largest=largest)
    suspects = marks.where(mentions.has_flag(LONG))
    known = {*_places(gold.spans)} if SPANS in gold.marks and len(suspects) else set()
    long = [place[0] for place in _places(suspects) if place not in known]
    first = [corpus.sentence_ids[long[0]]] if long else []
    yield mentions_too_long(name=name, number=len(long), first=first)


def _places(spans: Marks) -> Iterator[tuple[int, int, int]]:
    return zip(spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), strict=True)


@remark
def answers_not_read(name: str, number: int, answers: int, first: Sequence[str]) -> Iterator[str]:
    """Answers that could not be read."""
    if number > MANY * answers:
        what = f"{number:,} of {plural(answers, 'answer')}"
        yield f"{name}: {what} could not be read and count as empty (first: {first[0]})."


@remark
def mentions_not_there(name: str, number: int, mentions: int) -> Iterator[str]:
    """Mentions that are not in their text."""
    if number > MANY * mentions:
        yield f"{name}: {number:,} of {mentions:,} mentions do not occur in their text and count as spurious (UG)."


@remark
def labels_outside(name: str, numbers: Mapping[str, int]) -> Iterator[str]:
    """Labels that are not in the inventory."""
    if numbers:
        ranked = sorted(numbers, key=lambda label: (-numbers[label], label))
        listed = ", ".join(f"{label} {numbers[label]:,}" for label in ranked[:5]) + (", …" if len(ranked) > 5 else "")
        what = plural(sum(numbers.values()), "mention has a label", "mentions have labels")
        yield f"{name}: {what} that gold does not use: {listed}."


@remark
def looping(name: str, number: int, largest: Mapping[str, int]) -> Iterator[str]:
    """One answer that repeats itself."""
    if largest and number >= _LOOPS:
        most = max(largest, key=lambda one: largest[one])
        if 2 * largest[most] > number:
            yield (
                f"{name}: the answer to {most} has {largest[most]:,} of all {number:,} repeated mentions; the model "
                f"may be looping."
            )


@remark
def mentions_too_long(name: str, number: int, first: Sequence[str]) -> Iterator[str]:
    """Mentions that gold does not have and that are most of their text."""
    if number:
        what, whose = plural(number, "mention is", "mentions are"), "its" if number == 1 else "their"
        yield f"{name}: {what} longer than half of {whose} text (first: {first[0]}). Was the answer read correctly?"
