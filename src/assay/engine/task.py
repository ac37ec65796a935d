"""Task: all that the engine, the page and the command line know of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay import plugins
from assay.arrays import NONE, Floats, Ints
from assay.classes import dataclass
from assay.corpus import cluster_key
from assay.errors import unknown

if TYPE_CHECKING:
    from assay.align import Pair
    from assay.corpus import Corpus
    from assay.corpus.ratings import Ratings
    from assay.engine.annotators import Continua
    from assay.engine.confidences import Confident
    from assay.engine.examples import DrawnExample
    from assay.engine.items import Items
    from assay.engine.measure import Measure
    from assay.engine.options import Options
    from assay.engine.parts import LabelSums, Part
    from assay.engine.prepare import Run
    from assay.engine.scores import Settings
    from assay.engine.slices import SliceKind
    from assay.engine.texts import Rows, Shown
    from assay.formats import Input
    from assay.result import Result

Tables = Sequence[tuple[str, "Items"]]
"""The items of each system by itself, by name."""
Places = tuple[Ints, Ints, Mapping[int, Any]]
"""The first word and the end of each item in its text, and the stretches of those with gaps."""
Wanted = tuple[tuple[int, int | None], Any, Any]
"""Two systems (or one), a mask of the items wanted, and what kind of change each is."""


class Layers(NamedTuple):
    """The annotation of gold and systems in the texts of a page."""

    sides: tuple[str, ...] = ()
    """Their names."""
    arcs: Rows | None = None
    """The trees of all, word by word, …"""
    spans: tuple[Rows, ...] = ()
    """… or the spans of each, with heads or without, …"""
    nodes: Rows | None = None
    """… and what these may cover besides words."""
    words: Rows | None = None
    """What is shown instead of words, such as the parts of an item's text (`word`), …"""
    parts: tuple[str, ...] = ()
    """… and what these are called."""
    facts: Rows | None = None
    """One row per text: its metadata."""
    values: Rows | None = None
    """One row per item, in their order in the texts: its place in the record, gold's value and each system's."""
    confidence: Sequence[Floats | None] = ()
    """How sure each system is of its answer to each item, nan if it does not say; None if its file never does."""


def word_places(run: Run, items: Items) -> Places:
    """Items that are words."""
    begin = np.where(items.owner == NONE, items.item - run.gold.starts[items.sentence], 0)
    return begin, begin + 1, {}


def unit_places(run: Run, items: Items) -> Places:
    """Items that are about a whole unit: its first word stands for it."""
    nothing = np.zeros(len(items), dtype=np.int64)
    return nothing, nothing + 1, {}


@dataclass(frozen=True)
class Drawing:
    """The layers that examples and pages draw besides words and items."""

    kind: str
    """The kind of layer that the page draws: tags, arcs, spans, graph, frames, trees, chains, units, cards."""
    places: Callable[[Run, Items], Places] = word_places
    layers: Callable[[Run, Items, Tables, Shown], Layers] = lambda run, items, tables, shown: Layers()
    """The layers of gold and systems in the texts of a page."""
    example: Callable[[Run, Items, Tables, int], Mapping[str, Any]] = lambda run, items, tables, sentence: {}
    """The layers in one sentence: fields of an Example."""
    examples: Callable[[Run, Items, Wanted, Options], Iterator[DrawnExample]] | None = None
    """Examples of single items, if it is not sentences that are drawn."""
    unit: str = "sentence"
    """The unit that is one text of a page."""
    weight: int = 1
    """The number of sentences that take as much room on a page as one text."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """Kinds of outcome in words, for those that a drawing names."""
    unresolved: Callable[[Run, Items, str], Iterator[DrawnExample]] | None = None
    """The items that no system has right, as a list …"""
    unresolved_examples: Callable[[Run, Items, Options], Iterator[DrawnExample]] | None = None
    """… and in the text."""


@dataclass(frozen=True)
class Annotators:
    """What a task can do with several annotators at once."""

    where_defined: tuple[str, ...] = ()
    """Measures of agreement that are added if the files have a meaning for them."""
    ratings: Callable[[Run, Sequence[str], str], Ratings] | None = None
    """The labels that annotators, by name, give to the items of a column if items are given to them …"""
    units: Callable[[Run, Sequence[str]], Continua] | None = None
    """… and the units that they find themselves."""
    majority: Callable[[Run, Sequence[str]], list[tuple[str, Pair]]] | None = None
    """Systems against what more than half of the annotators have."""
    by_place: bool = False
    """True if the marks that are drawn have labels that can be compared place by place."""


@dataclass(frozen=True)
class Task:
    """A task. All fields with a default are optional."""

    name: str
    noun: str
    """The word for one item in tables and sentences."""
    drawing: Drawing
    """Its items and layers in the text, for examples and pages."""
    measures: tuple[ModuleType, ...]
    """The modules with its measures, in the order in which they are listed."""
    defaults: tuple[str, ...] = ()
    """The measures if the user names none …"""
    measures_for: Callable[[Input | Corpus], tuple[str, ...]] | None = None
    """… those, and the ones of agreement, if they depend on what gold's file holds …"""
    with_known_words: tuple[str, ...] = ()
    """… and those that are added if --train or --lexicon is given."""
    presets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lists of measures with their parameters by name, such as those of a shared task (--preset)."""
    judges_too: tuple[str, ...] = ()
    """Other tasks whose measures can be judged in the same run, by columns that they name."""
    agreement: tuple[str, ...] = ()
    """The measures of agreement, in which the order of annotators does not matter."""
    annotators: Annotators = Annotators()
    """What else is known of annotators."""
    prepare: Callable[[Run], None] | None = None
    """From opened files to pairs that can be judged."""
    command: str = ""
    """A sentence on its measures and the command that has them, if that is not score or compare."""
    layers: tuple[str, ...] = ()
    """The layers of marks that it compares; a file of a plug-in's format with the first of them shows it."""
    options: tuple[str, ...] = ()
    """The options that it uses of those that not all tasks do."""
    slices: tuple[SliceKind, ...] = ()
    """Ways to cut the data that belong to it."""
    matched: bool = False
    """Systems find its items themselves, as they do spans; words are given to them."""
    traits: tuple[str, ...] = ()
    """`rivals`: its measures are rival ways to score the same items. `by outcome`: answers are right by what they
    link to, not by a label. `whole sentences`: the number of sentences that are entirely right is worth knowing. `own
    number`: it counts items itself, since there are more than those that a measure judges. `in
    pieces`: pieces of a large file certainly give the result of the whole."""
    text_unit: str = "sentence"
    """The texts that a heading counts; if empty, the unit of the run."""
    present: Callable[[Result], Result] | None = None
    """Adds to the Result what only this task shows: `tables`, `remarks` below other tables, a `heading`."""
    combination: Mapping[str, str] = field(default_factory=dict)
    """By measure how answers can be combined (`Ballots.way`); answers to given items need no entry …"""
    no_combination: str = "not defined for these items"
    """… why it is not done under other measures …"""
    combined: Callable[[Corpus, Run, Any], Corpus] | None = None
    """… and a function that puts what was learnt into a system's corpus, if that can be written."""
    gold_test: str = ""
    """The score that McNemar's test over gold's items is about, if that is not the main one."""
    sums: Callable[[Run, bool], Mapping[str, LabelSums]] | None = None
    """Further numbers of a shard, which add up; whether systems are compared …"""
    finish: Callable[[Result, Part, Settings], Result] | None = None
    """… and a function that adds what they say to the Result."""
    confident: Callable[[Run], Confident] | None = None
    """The confidences of the systems' answers; nothing if their files have none."""

    def find_combination(self, measure: Measure, matched: bool) -> str:
        """The way to combine answers under a measure; empty if there is none. `matched`: systems find items."""
        way = self.combination.get(str(measure)) or self.combination.get(measure.name, "")
        return way if matched or way == "tree" else "choice"

    def name_unit(self, unit: str) -> str:
        """The word for one unit: the key of `meta:KEY`, or that of the task's texts if these are no sentences."""
        return cluster_key(unit) or (self.text_unit or unit if unit == "sentence" else unit)


# The tasks stand above the engine, which knows nothing of them but what these hand over.


@cache
def tasks() -> dict[str, Task]:
    """All tasks that come with assay, by name."""
    return {name: find_task(name) for name in task_names()}


def task_names() -> tuple[str, ...]:
    """The names of all tasks that come with assay, in the order in which they are listed."""
    names: tuple[str, ...] = import_module("assay.tasks").NAMES
    return names


def shared_names() -> dict[str, tuple[str, ...]]:
    """The names of measures that several tasks have, with these tasks."""
    names: dict[str, tuple[str, ...]] = import_module("assay.tasks").SHARED
    return names


@cache
def find_task(name: str) -> Task:
    """The task with this name, one of assay's own or of an installed package."""
    if name in task_names():
        own: Task = import_module(f"assay.tasks.{name}.task").TASK
        return own
    task = plugins.load("tasks", name)
    if not isinstance(task, Task):
        usual = import_module("assay.tasks").USUAL
        raise unknown("task", name, [known for known, one in tasks().items() if one.prepare], usual)
    return task


def recognise_task(items: Sequence[Input | Corpus], options: Options) -> str:
    """The task of files: the last one that all of them can be for; words with labels if there is none."""
    names, recognise = import_module("assay.tasks").NAMES, import_module("assay.tasks.recognition").recognise
    shown = set.intersection(*(recognise(item, options) for item in items))
    if task := next((name for name in reversed(names) if name in shown), ""):
        return str(task)
    # The tasks of assay's own have been asked for their layers.
    layers = {layer for item in items for layer in (item.plan.layers if hasattr(item, "plan") else item.marks)}
    others = plugins.load_all("tasks") if layers else {}
    return next((name for name, other in others.items() if layers.intersection(other.layers)), names[0])


def preset_measures(name: str) -> tuple[str, ...]:
    """The measures of a preset."""
    return next((task.presets[name] for task in tasks().values() if name in task.presets), ())


def measure_title(name: str) -> str:
    """A measure or a score as people write it: `macro F1` for `macro-f1`, `LAS (punct=no)` for `las(punct=no)`."""
    base, bracket, settings = name.partition("(")
    if any(mark in base for mark in ":/@"):
        return name
    spelling = import_module("assay.tasks").SPELLING
    written = spelling.get(base) or " ".join(spelling.get(part, part) for part in base.split("-"))
    return f"{written} {bracket}{settings}" if bracket else written


def describe(result: Result, *, by_task: bool = True, noun: bool = False) -> Result:
    """The Result with the names of its measures and scores as people write them, the forms of these scores and, if
    `by_task`, all that its task's record says of how it is shown; on demand with what items are called."""
    from assay.engine.measure import form_of_score

    named = dict.fromkeys(name for row in result.scores for name in (row.measure, row.score))
    titles = {name: measure_title(name) for name in named if measure_title(name) != name}
    forms: dict[str, dict[str, str]] = {}
    for measure, score in dict.fromkeys((row.measure, row.score) for row in result.scores):
        form = form_of_score(measure, score)
        if form != "percent":
            forms.setdefault(measure, {})[score] = form
    result = result.with_shown(titles=titles, score_forms=forms)
    if not by_task or not result.about.task:
        return result
    task = find_task(result.about.task)
    if noun:
        result = result.with_shown(noun=task.noun, drawing=task.drawing.kind)
    result = result.with_shown(
        matched=task.matched,
        rivals="rivals" in task.traits,
        by_outcome="by outcome" in task.traits,
        text_unit=task.text_unit or ("document" if result.about.unit == "document" else "sentence"),
    )
    if task.present is None:
        return result
    result = task.present(result)
    # Between annotators there is no gold that other tables could be about.
    tables = [one for one in result.tables if result.about.command != "agreement" or one.after == "agreement"]
    return replace(result, tables=tuple(one for one in tables if one.rows))
