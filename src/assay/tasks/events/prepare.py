"""Events: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.corpus import Column, Corpus, Marks
from assay.engine.options import Options
from assay.engine.prepare import Run
from assay.engine.warnings import (
    Remark,
    check_system,
    identical_outputs,
    nothing_in_gold,
    nothing_in_system,
    number_of_things,
    remark,
)
from assay.errors import InputError, UsageError
from assay.formats import Input
from assay.formats.events import ARGUMENTS, ATTRIBUTES, EVENTS, NOT_WHOLE, UNREAD
from assay.tasks.events.measures import triggers
from assay.tasks.events.pairs import ARGUMENT, TRIGGER, events_of, is_part, lay_out, pair_events

_CAN = ("brat", "dygie", "events")
"""Formats that have events, though a file may have none."""


def prepare_events(run: Run) -> None:
    """Read, check and align events."""
    options = run.options
    if options.column is not None:
        raise UsageError(f"--column {options.spelled_column}: events are not read from a column. Remove --column.")
    run.take([_read(item) for item in run.inputs])
    run.order_documents()
    run.note_reading()
    if run.count_labels(lambda corpus: corpus.marks[EVENTS].labels):
        others = {}
        for number, (name, corpus) in enumerate(zip(run.names, run.corpora, strict=True)):
            events = corpus.marks[EVENTS]
            kept = events.where(events.labels.isin(filter(options.keeps, events.labels.vocabulary)))
            others[name] = len(events) - len(kept)
            run.corpora[number] = corpus.with_marks(**{EVENTS: kept})
        run.notes.append(other_events(numbers=others))
    run.drop_unsure(EVENTS, "event has", "events have")
    run.drop_unsure(ARGUMENTS, "argument has", "arguments have", needs_scores=False)
    run.corpora = lay_out(run.corpora)
    run.align()
    run.put_on_line()
    repeated = {}
    for number, (name, pair) in enumerate(run.pairs):
        paired, (repeated["gold"], repeated[name]) = pair_events(pair)
        run.pairs[number] = name, paired
    for name, times in repeated.items():
        text = "given twice (same trigger, type and arguments) and counted once."
        one, many = "event is", "events are"
        run.warnings.append(number_of_things(name=name, one=one, many=many, text=text, number=times))
    run.warnings += _check(run.pairs, options)
    run.items = int(is_part(events_of(run.pairs[0][1])[0], TRIGGER).sum())


def _read(item: Input | Corpus) -> Corpus:
    """The corpus with a layer of events, empty if its format has events and the file has none."""
    corpus = item if isinstance(item, Corpus) else item.read(())
    if EVENTS not in corpus.marks:
        if corpus.format not in _CAN:
            raise InputError(
                f"{corpus.name}: contains no events ({corpus.format}). Try another --task or --input-format."
            )
        nothing = np.zeros(0, dtype=np.int64)
        empty = Marks(nothing, nothing, nothing, Column.of(()), nothing, group=nothing)
        ends = {"head_begin": nothing, "head_end": nothing}
        events = replace(empty, columns={ATTRIBUTES: Column.of(())})
        corpus = corpus.with_marks(**{EVENTS: events, ARGUMENTS: replace(empty, arguments=ends)})
    # What tasks over single spans must say of events does not hold here.
    texts = corpus.marks[EVENTS].columns[ATTRIBUTES].strings()
    read = {UNREAD: sum(text.count("\t") + 1 for text in texts if text)}
    noted = ((text, max(number - read.get(text, 0), 0)) for text, number in corpus.noted if text not in NOT_WHOLE)
    return replace(corpus, noted=tuple((text, number) for text, number in noted if number or "{}" not in text))


@remark
def other_events(numbers: Mapping[str, int]) -> Iterator[str]:
    """Events that do not count for their types."""
    listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    yield f"Events of other types were left out on both sides ({listed})."


def _check(pairs: list[tuple[str, Pair]], options: Options) -> Iterator[Remark]:
    gold = events_of(pairs[0][1])[0]
    systems = {name: events_of(pair)[1] for name, pair in pairs}
    yield nothing_in_gold(
        gold=pairs[0][1].gold.name,
        nouns="events",
        symmetric="symmetric" if options.symmetric else "",
        labels="",
        number=len(gold),
        theirs=sum(map(len, systems.values())),
    )
    for name, pair in pairs:
        yield nothing_in_system(name=name, nouns="events", number=len(systems[name]))
        if not options.symmetric:
            yield from check_system(name, pair, triggers(pair), "event")
        arguments = [int(is_part(side, ARGUMENT).sum()) for side in events_of(pair)]
        yield no_arguments(name=name, events=len(systems[name]), gold=arguments[0], number=arguments[1])
    yield identical_outputs(pairs, lambda ours, theirs: events_of(ours)[1].equals(events_of(theirs)[1]))


@remark
def no_arguments(name: str, events: int, gold: int, number: int) -> Iterator[str]:
    """A system whose events have no arguments."""
    if events and gold and not number:
        yield f"{name}: no event has arguments. Does the file contain triggers only?"
