"""From what the user names to pairs that can be judged: read, map, mark known words, align, check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.adapters import corpus_of, is_foreign
from assay.corpus import Corpus, from_lists, from_spans, holds_spans
from assay.errors import InputError, UsageError
from assay.measures import Measure
from assay.prepare.constituents import prepare_constituents, shows_trees
from assay.prepare.coreference import prepare_coreference, shows_chains
from assay.prepare.dependencies import prepare_dependencies
from assay.prepare.options import ONLY_FOR, Decided, Options, contents_of
from assay.prepare.run import Run, gold_source
from assay.prepare.spans import ENTITY, prepare_spans, shows_spans
from assay.prepare.tags import prepare_tags, tags_outside
from assay.readers import Files, Input
from assay.remarks import joined
from assay.systems import Given, named_systems

__all__ = ["Decided", "Options", "Prepared", "Run", "contents_of", "gold_source", "prepare", "tags_outside"]

_ROOMS = {
    "tags": prepare_tags,
    "spans": prepare_spans,
    "dependencies": prepare_dependencies,
    "constituents": prepare_constituents,
    "coreference": prepare_coreference,
}


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
        if self.task in ("tags", "dependencies"):
            # A corpus may have spans beside them; here words are what is compared.
            self.inputs = [replace(item, spans=None) if isinstance(item, Corpus) else item for item in self.inputs]

    def _told(self) -> str:
        """The task that the files tell."""
        if self.options.column is None and shows_trees(self.inputs[0]):
            return "constituents"
        if shows_chains(self.inputs[0]):
            return "coreference"
        return "spans" if shows_spans(self.inputs[0], self.options) else "tags"

    def run(self, measures: Sequence[Measure]) -> Run:
        """Read, map, mark and align."""
        for name, tasks in ONLY_FOR.items():
            if getattr(self.options, name) != getattr(Options, name, None) and self.task not in tasks:
                option = name.replace("_", "-")
                are = "is" if self.task == "coreference" else "are"
                raise UsageError(f"--{option} is about {joined(tasks)}, but {self.task} {are} compared.")
        for measure in measures:
            wanted = measure.definition.task
            if wanted != self.task:
                raise UsageError(f"{measure} is about {wanted}, but {self.task} are compared. Say --task {wanted}")
        return _ROOMS[self.task](self.inputs, self.names, measures, self.options)


def prepare(gold: Given, systems: Any, measures: Sequence[Measure], options: Options) -> Run:
    """Everything that these measures are to judge."""
    return Prepared(gold, systems, options, measures).run(measures)


def _task_of(measures: Sequence[Measure]) -> str | None:
    tasks = list(dict.fromkeys(measure.definition.task for measure in measures))
    if len(tasks) > 1:
        raise UsageError(f"the measures are about different tasks: {', '.join(tasks)}. Run them one by one.")
    if tasks == ["cross"]:
        raise UsageError(f"{measures[0]} compares parsers of different frameworks. That is: assay cross")
    return tasks[0] if tasks else None


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
