"""Warnings and notes, as facts that add up over shards; put into words when all of them are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, ParamSpec, TypeVar

import numpy as np

from assay.align import Pair
from assay.arrays import NONE
from assay.classes import dataclass
from assay.engine.items import Items
from assay.errors import MOST_PROBLEMS, InputError
from assay.result import enumeration
from assay.result.numbers import plural

Facts = ParamSpec("Facts")
MOST_LISTED = 20
"""The most entries of a list, such as places, that are kept; their number is a separate fact."""

_words: dict[str, Callable[..., Iterator[str]]] = {}


@dataclass(frozen=True)
class Remark:
    """A warning or note as facts. Over shards, numbers add up, truth values must all be true, and lists continue.

    Texts say which thing it is: remarks of one kind with the same texts are one.
    """

    kind: str
    facts: Mapping[str, Any]

    @property
    def key(self) -> tuple[object, ...]:
        """The kind and the texts: remarks with the same key are one."""
        return (self.kind, *((name, value) for name, value in self.facts.items() if isinstance(value, str | None)))

    def __add__(self, other: Remark) -> Remark:
        return Remark(self.kind, _add(self.facts, other.facts))


def remark(words: Callable[Facts, Iterator[str]]) -> Callable[Facts, Remark]:
    """Decorate a function that puts facts into words: called with them by name, it gives a Remark for later."""
    assert words.__name__ not in _words, f"two remarks are called {words.__name__}"
    _words[words.__name__] = words

    def take_down(*_: Facts.args, **facts: Facts.kwargs) -> Remark:
        return Remark(words.__name__, facts)

    take_down.__doc__ = words.__doc__
    return take_down


@remark
def plain_sentence(text: str) -> Iterator[str]:
    """A plain sentence, the same in all shards."""
    yield text


@remark
def number_of_things(name: str, one: str, many: str, text: str, number: int) -> Iterator[str]:
    """A number of things in a file, if there are any: `one` and `many` name them, with a verb."""
    if number:
        yield f"{name}: {plural(number, one, many)} {text}"


@remark
def numbers_by_side(text: str, numbers: Mapping[str, int]) -> Iterator[str]:
    """Numbers of gold and of each system if there are any, for which the text has a place."""
    if any(numbers.values()):
        yield text.format(", ".join(f"{name} {number:,}" for name, number in numbers.items()))


@remark
def documents_not_meant(name: str, reasons: Mapping[str, int], documents: int, is_gold: bool) -> Iterator[str]:
    """Documents without an annotation that is meant."""
    if number := sum(reasons.values()):
        listed = enumeration([f"{count:,} {reason}" for reason, count in reasons.items()])
        fact = "left out, also from the systems" if is_gold else "without an annotation to read"
        are = "is" if number == 1 else "are"
        yield f"{name}: {number:,} of {documents:,} documents {are} {fact} ({listed})."


_MANY_REPAIRS = 0.01
"""Repairs of a greater share of a file's spans are warned of first."""


@remark
def repair_made(
    name: str, fault: str, action: str, number: int, first: Sequence[str], marks: int
) -> Iterator[str]:
    """Annotations with a fault that were mended or dropped, in a file with `marks` spans (or words)."""
    yield f"{name}: {fault}: {number:,} {action} (the first: {first[0]})."


def put_repairs_first(remarks: Iterable[Remark]) -> list[Remark]:
    """Remarks, with repairs of many annotations of a file before all others."""
    return sorted(
        remarks,
        key=lambda one: one.kind != "repair_made" or one.facts["number"] <= _MANY_REPAIRS * one.facts["marks"],
    )


def format_warnings(remarks: Iterable[Remark]) -> tuple[str, ...]:
    """Sentences of the remarks, one for all systems that it applies to; an error if the facts forbid to go on."""
    systems: dict[tuple[bool, str], list[str]] = {}
    for remark in remarks:
        name = str(remark.facts.get("name", ""))
        for line in _words[remark.kind](**remark.facts):
            about = name if line.startswith(name) else ""
            names = systems.setdefault((bool(about), line.removeprefix(about)), [])
            if about not in names:
                names.append(about)
    more = [f" The same applies to {enumeration(names[1:])}." if len(names) > 1 else "" for names in systems.values()]
    return tuple(f"{names[0]}{text}{rest}" for ((_, text), names), rest in zip(systems.items(), more, strict=True))


def merge_remarks(first: Iterable[Remark], second: Iterable[Remark]) -> tuple[Remark, ...]:
    """Remarks of two shards as those of one; new ones of the second come before what follows them there."""
    mine, its = _by_key(first), _by_key(second)
    before: dict[tuple[object, ...], list[Remark]] = {}
    new: list[Remark] = []
    for key, one in its.items():
        if key in mine:
            before[key], new = new, []
        else:
            new.append(one)
    found: list[Remark] = []
    for key, one in mine.items():
        found += [*before.get(key, ()), one + its[key] if key in its else one]
    return (*found, *new)


def _by_key(remarks: Iterable[Remark]) -> dict[tuple[object, ...], Remark]:
    found: dict[tuple[object, ...], Remark] = {}
    for one in remarks:
        found[one.key] = found[one.key] + one if one.key in found else one
    return found


def _add(mine: Any, its: Any) -> Any:
    if isinstance(mine, bool):
        return mine and its
    if isinstance(mine, int):
        return mine + its
    if isinstance(mine, Mapping):
        new = {name: value for name, value in its.items() if name not in mine}
        return {**{name: _add(value, its[name]) if name in its else value for name, value in mine.items()}, **new}
    if isinstance(mine, list | tuple):
        return [*mine, *its][:MOST_LISTED]
    return mine


_OUTPUT = re.compile(r"(?:^|[^a-z])(?:pred|predicted|predictions|output|system|sys|hyp|tagged)(?:[^a-z]|$)")
_GOLD = re.compile(r"(?:^|[^a-z])(?:gold|reference|ref|key)(?:[^a-z]|$)")
Output = TypeVar("Output")
MOST = 5
FEW = 10
SURE = 0.8
"""From this share on one label may well be another name of the other."""


@remark
def nothing_in_gold(gold: str, nouns: str, symmetric: str, labels: str, number: int, theirs: int) -> Iterator[str]:
    """Gold without items, which are called `nouns`."""
    if number:
        return
    if not theirs:
        nothing = "any system, so there is nothing to score"
        nothing = "the other, so there is nothing to agree on" if symmetric else nothing
        raise InputError(f"{gold}: contains no {nouns}{labels}, nor does {nothing}.")
    asked = "" if symmetric else " Recall is undefined. Are gold and system swapped, or is it another column?"
    yield f"gold has no {nouns}.{asked}"


@remark
def nothing_in_system(name: str, nouns: str, number: int, spans: int = 0) -> Iterator[str]:
    """A system without items, though it may have the spans that these are made of."""
    if not number:
        yield f"{name} has no {nouns}{f', but {spans:,} spans. Is it the wrong file?' if spans else '.'}"


@remark
def faulty_sentences(name: str, places: Sequence[str], number: int) -> Iterator[str]:
    """Sentences that were left out since their annotation is faulty."""
    yield from (f"left out: {place}" for place in places)
    if number > MOST_PROBLEMS:
        yield f"left out: {plural(number - MOST_PROBLEMS, 'more faulty sentence')} of {name}."


def check_files(name: str, pair: Pair, judged: Items, noun: str) -> Iterator[Remark]:
    """Files that are given in the wrong order, or twice; `noun` is what the system may have copied."""
    gold, system = (PurePath(corpus.name).name.lower() for corpus in (pair.gold, pair.system))
    if _GOLD.search(system) and (_OUTPUT.search(gold) or not _GOLD.search(gold)):
        text = f"{pair.system.name} is given as a system but named like a gold standard; gold is {pair.gold.name}."
        yield plain_sentence(text=f"{text} Are the two swapped? Gold comes first.")
    elif _OUTPUT.search(gold) and not _OUTPUT.search(system):
        yield plain_sentence(
            text=f"{pair.gold.name} is given as gold but named like an output. Are gold and system swapped?"
        )
    yield copied(
        name=name,
        gold=pair.gold.name,
        system=pair.system.name,
        same=pair.gold.sha256 == pair.system.sha256 and bool(judged.right.all()),
        items=len(judged),
        right=int(judged.right.sum()),
        noun=noun,
    )


def check_system(name: str, pair: Pair, judged: Items, noun: str) -> Iterator[Remark]:
    """Everything worth a warning about one system against gold; `noun` is what an item is called."""
    yield from check_files(name, pair, judged, "label")
    # How many items of each side have each label; and for labels of one side alone, what the other has there.
    labels, width, answer = judged.labels, len(judged.labels), judged.answer[0]
    in_gold = np.bincount(judged.gold[judged.has_gold], minlength=width)
    in_system = np.bincount(answer[judged.has_system[0]], minlength=width)
    facts: dict[str, Any] = {
        name: {labels[code]: int(counts[code]) for code in np.flatnonzero(counts).tolist()}
        for name, counts in (("in_gold", in_gold), ("in_system", in_system))
    }
    both = (judged.gold != NONE) & (answer != NONE)
    for what, alone, here, there in (
        ("against_foreign", (in_gold == 0) & (in_system > 0), answer, judged.gold),
        ("against_unused", (in_gold > 0) & (in_system == 0), judged.gold, answer),
    ):
        met: dict[str, dict[str, int]] = {labels[code]: {} for code in np.flatnonzero(alone).tolist()}
        rows = np.flatnonzero(both & np.append(alone, False)[here])
        keys, sizes = np.unique(here[rows].astype(np.int64) * width + there[rows], return_counts=True)
        for key, size in zip(keys.tolist(), sizes.tolist(), strict=True):
            met[labels[key // width]][labels[key % width]] = size
        facts[what] = met
    yield clashes(name=name, noun=noun, items=len(judged), **facts)


@remark
def copied(name: str, gold: str, system: str, same: bool, items: int, right: int, noun: str) -> Iterator[str]:
    """A system that is gold itself."""
    if same:
        yield f"{name} ({system}) has the same content as gold ({gold})."
    elif items >= 20 and right == items:
        yield f"{name} agrees with gold on all {items:,} {noun}s. Was it copied, not predicted?"


Numbers = Mapping[str, int]


@remark
def clashes(
    name: str,
    noun: str,
    items: int,
    in_gold: Numbers,
    in_system: Numbers,
    against_foreign: Mapping[str, Numbers],
    against_unused: Mapping[str, Numbers],
) -> Iterator[str]:
    """Labels that only one side uses, with what the other side has there."""
    foreign = sorted((label for label in in_system if label not in in_gold), key=lambda x: (-in_system[x], x))
    words = sum(in_system[label] for label in foreign)
    # A handful of odd labels is an error like any other; a clash of label sets shows in numbers.
    if words >= max(FEW, 0.001 * items):
        listed = [_counterpart(x, in_system[x], against_foreign[x], "gold", noun) for x in foreign[:MOST]]
        more = ", …" if len(foreign) > MOST else ""
        # A line of a mapping file for the first label that nearly always corresponds to one of gold's.
        sure = ((label, target) for label, (_, target, share) in zip(foreign, listed, strict=False) if share >= SURE)
        lines = [f"{name} TAB {label} TAB {target}" for label, target in sure]
        hint = f" If they mean the same, map them with a line in a file for --map: {lines[0]}" if lines else ""
        yield (
            f"{name} uses {plural(len(foreign), 'label')} that gold never uses, on {plural(words, noun)}: "
            f"{', '.join(text for text, _, _ in listed)}{more}.{hint}"
        )
    unused = [label for label in in_gold if label not in in_system and in_gold[label] >= FEW]
    if unused:
        unused.sort(key=lambda x: (-in_gold[x], x))
        named = [_counterpart(x, in_gold[x], against_unused[x], "it", noun)[0] for x in unused[:MOST]]
        yield f"{name} never assigns {', '.join(named)}{', …' if len(unused) > MOST else ''}."


def _counterpart(label: str, total: int, others: Numbers, side: str, noun: str) -> tuple[str, str, float]:
    """A label with its number of words and what the other side mostly has on them."""
    target = min(others, key=lambda x: (-others[x], x), default="")
    share = others.get(target, 0) / total
    mostly = f", where {side} mostly has {target} ({share:.0%})" if others else ""
    return f"{label} ({plural(total, noun)}{mostly})", target, share


def identical_outputs(outputs: Sequence[tuple[str, Output]], same: Callable[[Output, Output], bool]) -> Remark:
    """Systems whose outputs are the same throughout."""
    return find_equal_answers(
        throughout={
            name: {other: bool(same(ours, theirs)) for other, theirs in outputs[index + 1 :]}
            for index, (name, ours) in enumerate(outputs)
        }
    )


@remark
def find_equal_answers(throughout: Mapping[str, Mapping[str, bool]]) -> Iterator[str]:
    """Systems with the same answers throughout: for each, True for each later system with the same answers."""
    named: set[str] = set()
    for name, others in throughout.items():
        group = [name, *(other for other, same in others.items() if same)]
        if len(group) > 1 and name not in named:
            named.update(group)
            yield f"{enumeration(group)} give the same answers everywhere."


EQUAL = "find_equal_answers"
"""The kind of remarks on systems with the same answers."""
