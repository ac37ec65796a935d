"""Sentences behind a change or an error, as data that any renderer can show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arcs import MISSING
from assay.arrays import NONE, Ints, atoms_at
from assay.corpus import Chains
from assay.errors import UsageError
from assay.judgements import Judgements
from assay.outcomes import KINDS, UNRESOLVED, Items
from assay.prepare import Options, Run
from assay.result import Example, ExampleArcs, ExampleItem, ExampleSpan, Unresolved
from assay.spanpairs import pieces

BEFORE = 2
"""How many sentences before its own a mention is shown with."""
MOST_UNRESOLVED = 10_000
"""Of more mentions that no system resolves so many are listed, drawn at random."""


@dataclass(frozen=True)
class Drawn:
    """Something that was drawn, and by what: of several shards the same are drawn as of one."""

    group: str
    """What it was drawn for: a pair of systems."""
    lot: int
    """Those with the smallest numbers are drawn: a hash of the name, whatever else there is."""
    shown: Example | Unresolved
    number: int | None = None
    """The number of its sentence, where that stands for an id; sentences before it count too."""


def drawn_of(drawn: Sequence[Drawn], most: int) -> list[Drawn]:
    """Of each group as many as are asked for, in their order."""
    kept: set[int] = set()
    for group in dict.fromkeys(one.group for one in drawn):
        members = [index for index, one in enumerate(drawn) if one.group == group]
        kept.update(sorted(members, key=lambda index: drawn[index].lot)[:most])
    return [one for index, one in enumerate(drawn) if index in kept]


def lot_of(seed: int, group: str, name: str) -> int:
    """By what something with this name is drawn for a group."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\t{group}\t{name}".encode(), digest_size=8).digest())


def examples(run: Run, items: Items, judged: Sequence[tuple[str, Judgements]], options: Options) -> Iterator[Drawn]:
    """For each pair of systems (or for a single system) sentences drawn at random, in text order."""
    if not options.examples:
        return
    if options.kind is not None and len(items.systems) < 2:
        raise UsageError("--kind is about changes between two systems; with one system there are only errors.")
    if options.kind == UNRESOLVED:
        yield from _unresolved(run, items, options)
        return
    pattern = _pattern(options.change)
    ids, names = run.gold.metadata("sent_id"), list(run.gold.unit_names("sentence"))
    systems = range(len(items.systems))
    pairs: list[tuple[int, int | None]] = [*combinations(systems, 2)] if len(items.systems) > 1 else [(0, None)]
    for a, b in pairs:
        kinds = np.where(items.right[a], -1, 0) if b is None else items.change(a, b)
        wanted = (kinds >= 0) & _matches(items, a, b, pattern)
        if options.kind is not None and b is not None:
            wanted &= kinds == KINDS.index(options.kind)
        if run.task == "coreference":
            yield from _mentions(run, items, (a, b), wanted, kinds, options)
            continue
        group = f"{a}-{b}"
        for sentence, lot in _chosen(np.unique(items.sentence[wanted]), names, group, options.seed, options.examples):
            shown = _example(run, items, judged, (a, b), sentence, wanted, kinds)
            by_number = ids[sentence] is None and not run.gold.by_id
            yield Drawn(group, lot, shown, sentence if by_number else None)


def _chosen(numbers: Ints, names: Sequence[str], group: str, seed: int, most: int) -> list[tuple[int, int]]:
    """As many as are asked for, drawn at random, in their order, each with its lot."""
    lots = {number: lot_of(seed, group, names[number]) for number in numbers.tolist()}
    return [(number, lots[number]) for number in sorted(sorted(lots, key=lots.__getitem__)[:most])]


def _pattern(change: str | None) -> list[str] | None:
    if change is None:
        return None
    parts = [part.strip() for part in change.replace("->", "→").split("→")]
    if len(parts) not in (2, 3) or not all(parts):
        raise UsageError(f"--change {change!r} should be of the form NN→NE, or gold→NN→NE; * stands for any label.")
    return parts


def _matches(items: Items, a: int, b: int | None, pattern: list[str] | None) -> Any:
    wanted = np.ones(len(items.gold), dtype=bool)
    if pattern is None:
        return wanted
    if b is None:
        columns = [items.gold, items.answers[a]]
        if len(pattern) == 3:
            raise UsageError("--change with one system is gold→assigned, e.g. NN→NE.")
    else:
        columns = [items.gold, items.answers[a], items.answers[b]][3 - len(pattern) :]
    known = {label: code for code, label in enumerate(items.labels)}
    for name, column in zip(pattern, columns, strict=True):
        if name == "∅":
            wanted &= column == NONE
        elif name != "*":
            wanted &= column == known.get(name, NONE - 1)
    return wanted


def _example(
    run: Run,
    items: Items,
    judged: Sequence[tuple[str, Judgements]],
    pair: tuple[int, int | None],
    sentence: int,
    wanted: Any,
    kinds: Any,
) -> Example:
    gold = run.gold
    first, end = int(gold.starts[sentence]), int(gold.starts[sentence + 1])
    shown = np.flatnonzero(wanted & (items.sentence == sentence)).tolist()
    a, b = pair
    systems = [a] if b is None else [a, b]
    return Example(
        sentence=gold.sentence_ids[sentence],
        place=gold.place_of_sentence(sentence),
        words=tuple(gold.forms.strings(first, end)) if gold.texts is None else tuple(pieces(gold.texts[sentence])),
        a=items.systems[a],
        b=None if b is None else items.systems[b],
        items=tuple(
            _item(run, items, index, first, "error" if b is None else KINDS[kinds[index]]) for index in shown
        ),
        spans=tuple(_spans(run, [judged[number] for number in systems], sentence)) if items.kinds else (),
        arcs=tuple(_trees(run, [judged[number] for number in systems], sentence)),
        sides=("gold", *(items.systems[number] for number in systems)) if items.kinds else (),
        tree=run.task == "constituents" and bool(items.kinds),
    )


def _item(run: Run, items: Items, index: int, first: int, kind: str) -> ExampleItem:
    position, end = _place(run, items, index, first)
    return ExampleItem(
        position=position,
        gold=_name(items, items.gold[index]),
        answers={
            name: _name(items, answers[index]) for name, answers in zip(items.systems, items.answers, strict=True)
        },
        kind=kind,
        end=end,
    )


def _place(run: Run, items: Items, index: int, first: int) -> tuple[int, int | None]:
    """Where an item stands in its gold sentence, in words."""
    item, owner = int(items.item[index]), int(items.owner[index])
    if not items.kinds:
        return item - first, None
    spans = run.pairs[max(owner, 0)][1].spanned()
    stretches = spans.gold_words(spans.gold if owner == NONE else spans.system, item)
    return stretches[0][0], stretches[-1][1]


def _spans(run: Run, judged: Sequence[tuple[str, Judgements]], sentence: int) -> Iterator[ExampleSpan]:
    """Gold's spans and the systems' in a sentence, the latter with what became of them."""
    pairs = dict(run.pairs)
    # Roots, and what else a convention leaves out, are no constituents.
    all_count = run.task != "constituents"
    spans, ours = pairs[judged[0][0]].spanned(), judged[0][1]
    counted = set() if all_count else set(ours.item[ours.has_gold & (ours.sentence == sentence)].tolist())
    for item in np.flatnonzero(spans.gold.sentence == sentence).tolist():
        if not (all_count or item in counted):
            continue
        yield ExampleSpan("gold", spans.label(spans.gold, item), spans.gold_words(spans.gold, item), "")
    for name, judgements in judged:
        spans, matches = pairs[name].spanned(), judgements.matches
        assert matches is not None
        there = np.flatnonzero(matches.new_system & (matches.partner != NONE))
        kinds = dict(zip(matches.partner[there].tolist(), matches.kind[there].tolist(), strict=True))
        for item in np.flatnonzero(spans.system.sentence == sentence).tolist():
            if not (all_count or item in kinds):
                continue
            kind = matches.kinds[kinds[item]] if item in kinds else matches.kinds[0]
            yield ExampleSpan(name, spans.label(spans.system, item), spans.gold_words(spans.system, item), kind)


def _mentions(
    run: Run, items: Items, pair: tuple[int, int | None], wanted: Any, kinds: Any, options: Options
) -> Iterator[Drawn]:
    """Mentions drawn at random, each in its sentence and the ones before it, with the chains of all sides."""
    a, b = pair
    systems, group = ([a] if b is None else [a, b]), f"{a}-{b}"
    names = _mention_names(run, items)
    for index, lot in _chosen(np.flatnonzero(wanted), names, group, options.seed, options.examples):
        shown = _mention(run, items, index, (a, b), "error" if b is None else KINDS[kinds[index]], systems)
        yield Drawn(group, lot, shown)


def _mention_names(run: Run, items: Items) -> list[str]:
    """A name for each mention, which is the same in whatever company files are read."""
    documents = list(run.gold.unit_names("document"))
    names = []
    for item, owner in zip(items.item.tolist(), items.owner.tolist(), strict=True):
        places = run.pairs[max(owner, 0)][1].chained().places
        names.append(f"{documents[int(places.document[item])]}/{places.shape(item)}")
    return names


def _mention(
    run: Run, items: Items, index: int, pair: tuple[int, int | None], kind: str, systems: Sequence[int]
) -> Example:
    gold = run.gold
    assert gold.document_starts is not None
    chains = run.pairs[max(int(items.owner[index]), 0)][1].chained()
    place = int(items.item[index])
    document, shape = int(chains.places.document[place]), chains.places.shape(place)
    begin = int(chains.first_word[document])
    word, stop = begin + shape[0][0], begin + shape[-1][1]
    first_sentence = max(int(gold.sentence_of[word]) - BEFORE, int(gold.document_starts[document]))
    first, end = int(gold.starts[first_sentence]), int(gold.starts[int(gold.sentence_of[stop - 1]) + 1])
    window = (document, first - begin, end - begin)
    a, b = pair
    item = ExampleItem(
        position=word - first,
        gold=_name(items, items.gold[index]),
        answers={
            name: _name(items, answers[index]) for name, answers in zip(items.systems, items.answers, strict=True)
        },
        kind=kind,
        end=stop - first,
    )
    sides = [("gold", run.pairs[0][1].chained().gold)]
    sides += [(items.systems[number], run.pairs[number][1].chained().system) for number in systems]
    return Example(
        sentence=gold.document_name(document),
        place=gold.place(word),
        words=tuple(gold.forms.strings(first, end)),
        a=items.systems[a],
        b=None if b is None else items.systems[b],
        items=(item,),
        spans=tuple(span for name, side in sides for span in _chain_spans(name, side, window)),
        sides=tuple(name for name, _ in sides),
        marked=tuple((begin + one - first, begin + other - first) for one, other in shape),
    )


def _unresolved(run: Run, items: Items, options: Options) -> Iterator[Drawn]:
    """Mentions that no system resolves, drawn at random, with the chains of all systems."""
    if run.task != "coreference":
        raise UsageError(f"--kind {UNRESOLVED} is about coreference, but {run.task} are compared.")
    if options.change is not None:
        raise UsageError(f"--change chooses among changes, and what is {UNRESOLVED} is none.")
    nobody = np.flatnonzero((items.owner == NONE) & ~np.any(items.right, axis=0))
    everyone = list(range(len(items.systems)))
    names = _mention_names(run, items)
    for index, lot in _chosen(nobody, names, UNRESOLVED, options.seed, options.examples):
        shown = _mention(run, items, index, (0, None), UNRESOLVED, everyone)
        yield Drawn(UNRESOLVED, lot, replace(shown, a=", ".join(items.systems)))


def unresolved(run: Run, items: Items, on: str) -> Iterator[Drawn]:
    """The mentions of gold that no system resolves, with their texts, in text order; of very many, some."""
    gold, chains = run.gold, run.pairs[0][1].chained()
    nobody = np.flatnonzero((items.owner == NONE) & ~np.any(items.right, axis=0))
    for index, lot in _chosen(nobody, _mention_names(run, items), on, 0, MOST_UNRESOLVED):
        place = int(items.item[index])
        document = int(chains.places.document[place])
        first = int(chains.first_word[document])
        shape = chains.places.shape(place)
        words = [" ".join(gold.forms.strings(first + begin, first + end)) for begin, end in shape]
        shown = Unresolved(
            on=on,
            document=gold.document_name(document),
            place=gold.place(first + shape[0][0]),
            label=items.labels[int(items.gold[index])],
            text=" … ".join(words),
            outcomes={
                name: items.kinds[int(kind[index])] for name, kind in zip(items.systems, items.kind, strict=True)
            },
        )
        yield Drawn(on, lot, shown)


def _chain_spans(side: str, chains: Chains, window: tuple[int, int, int]) -> Iterator[ExampleSpan]:
    """The mentions of one side that lie in a stretch of a document, each under the name of its chain."""
    document, first, end = window
    inside = (chains.document == document) & (chains.begin >= first) & (chains.end <= end)
    for mention in np.flatnonzero(inside).tolist():
        shape = atoms_at(mention, chains.begin, chains.end, chains.stretches)
        words = tuple((begin - first, stop - first) for begin, stop in shape)
        yield ExampleSpan(side, chains.names[int(chains.chain[mention])], words, "")


def _trees(run: Run, judged: Sequence[tuple[str, Judgements]], sentence: int) -> Iterator[ExampleArcs]:
    """Gold's tree of a sentence and those of the systems, over gold's words."""
    heads = run.gold.heads
    if heads is None or any(judgements.heads is None for _, judgements in judged):
        return
    first, end = int(run.gold.starts[sentence]), int(run.gold.starts[sentence + 1])
    ours = judged[0][1]
    rows = np.flatnonzero((ours.sentence == sentence) & (ours.gold != NONE))
    given = {int(ours.item[row]): _label(ours, int(ours.gold[row])) for row in rows}
    labels = tuple(given.get(word, "") for word in range(first, end))
    yield ExampleArcs("gold", tuple(_local(head, first) for head in heads[first:end].tolist()), labels)
    for name, judgements in judged:
        assert judgements.heads is not None
        rows = np.flatnonzero((judgements.sentence == sentence) & (judgements.gold != NONE))
        answers = dict(zip(judgements.item[rows].tolist(), rows.tolist(), strict=True))
        chosen = [answers.get(word) for word in range(first, end)]
        yield ExampleArcs(
            name,
            tuple(MISSING if row is None else _local(int(judgements.heads[row]), first) for row in chosen),
            tuple("" if row is None else _label(judgements, int(judgements.system[row])) for row in chosen),
        )


def _local(head: int, first: int) -> int:
    return head - first if head >= 0 else head


def _label(judgements: Judgements, code: int) -> str:
    return "" if code == NONE else judgements.labels[code]


def _name(items: Items, code: int) -> str | None:
    return None if code == NONE else items.labels[code]
