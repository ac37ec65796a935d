"""From what the user names to pairs that can be judged: read, map, mark known words, align, check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.corpus import Corpus, from_lists, from_spans, holds_spans
from assay.corpus.adapters import corpus_of, is_foreign
from assay.corpus.systems import Given, named_systems
from assay.engine.measure import Measure
from assay.engine.options import Decided, Options
from assay.engine.prepare import Run
from assay.engine.task import tasks
from assay.engine.warnings import joined
from assay.errors import InputError, UsageError
from assay.formats import Files, Input
from assay.formats.entities import ENTITY


class Prepared:
    """What the user named, opened: the task can be told, and nothing but the first lines is read yet."""

    def __init__(self, gold: Given, systems: Any, options: Options, measures: Sequence[Measure] = ()) -> None:
        options.check()
        if holds_spans(gold) and isinstance(systems, list) and len(systems) == len(gold) and not any(systems):
            # Sentences without spans, not systems without sentences.
            systems = [systems]
        named = named_systems(systems)
        self.options = options
        self.names = list(named)
        all_given = [("gold", gold), *named.items()]
        # A system without any span looks like one without any label; the others tell.
        lists = from_spans if any(holds_spans(given) for _, given in all_given) else from_lists
        self.inputs = [_open(given, name, options, lists) for name, given in all_given]
        decided = options.decided or Decided()
        self.task = options.task or _task_of(measures) or decided.task or self._told()
        for item, form in zip(self.inputs, decided.formats, strict=False):
            if isinstance(item, Input) and item.plan.format != form:
                raise InputError(
                    f"{item.files[0]}: looks like {item.plan.format} where the first files look like {form}. "
                    "Say which it is with --input-format."
                )

    def _told(self) -> str:
        """The task that the files tell; words with labels are what is left."""
        known = [name for name, task in tasks().items() if task.recognises(self.inputs[0], self.options)]
        return known[-1] if known else next(iter(tasks()))

    def run(self, measures: Sequence[Measure]) -> Run:
        """Read, map, mark and align."""
        task = tasks()[self.task]
        for name in {name: None for one in tasks().values() for name in one.options if name not in task.options}:
            if getattr(self.options, name) != getattr(Options, name, None):
                about = joined([one.name for one in tasks().values() if name in one.options])
                are = "are" if self.task.endswith("s") else "is"
                raise UsageError(f"--{name.replace('_', '-')} is about {about}, but {self.task} {are} compared.")
        for measure in measures:
            wanted = measure.definition.task
            if wanted != self.task:
                raise UsageError(f"{measure} is about {wanted}, but {self.task} are compared. Say --task {wanted}")
        assert task.prepare is not None
        return task.prepare(self.inputs, self.names, measures, self.options)


def prepare(gold: Given, systems: Any, measures: Sequence[Measure], options: Options) -> Run:
    """Everything that these measures are to judge."""
    return Prepared(gold, systems, options, measures).run(measures)


def _task_of(measures: Sequence[Measure]) -> str | None:
    found = list(dict.fromkeys(measure.definition.task for measure in measures))
    if len(found) > 1:
        raise UsageError(f"the measures are about different tasks: {', '.join(found)}. Run them one by one.")
    if found and tasks()[found[0]].command:
        raise UsageError(f"{measures[0]} {tasks()[found[0]].command}")
    return found[0] if found else None


def _open(given: Given, name: str, options: Options, from_data: Callable[[Any, str], Corpus]) -> Input | Corpus:
    if isinstance(given, Corpus):
        return given
    if isinstance(given, str | Path | Files):
        wanted = [options.column] if options.column else []
        # Mentions may consist of words that the text leaves out.
        plain = options.input_format in (None, "conllu") and options.column == ENTITY
        form = "conllu(empty_nodes=true)" if plain else options.input_format
        return Input(given if isinstance(given, Files) else str(given), input_format=form, wanted=wanted)
    return corpus_of(given, name) if is_foreign(given) else from_data(given, name)
