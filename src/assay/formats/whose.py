"""Whose annotation is read if a file contains several: readers give them by name and status, one is chosen here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError, UsageError, unknown

ANNOTATIONS, PREDICTIONS, TRUTH, LAST = "annotations", "predictions", "ground-truth", "last"
SKIPPED, NOT_ANNOTATED = "skipped", "not annotated"
CURATION, _HAS_TRUTH = "curation", "ground truth"
MEND, DROP = "mend", "drop"
MENDED, DROPPED = "mended", "dropped"
"""What became of faulty annotations."""
_REPAIRS = {MEND: MEND, DROP: DROP, "conlleval": MEND, "discard": DROP}
"""The repairs, and their names for tags of spans."""
_KINDS = ("annotator", "model")
LAYER_UNREAD = "Spans of "
"""What comes before the name of a layer that was not read."""
_MOST = 10
"""So many names are listed."""


@dataclass(frozen=True)
class Asked:
    """What a user asks of one file."""

    name: str = ""
    """Gold, a system or an annotator of the command line; nothing for a file by itself."""
    which: str = ""
    """Whose annotation; nothing: that of people or, of a system, the only kind that the file contains."""
    repair: str = ""
    """What to do with faulty annotations: mend or drop them; nothing: stop with an error."""
    is_system: bool = False
    id: str = ""
    """The columns of the ids of items; `none`: they have none."""
    sets: str = ""
    """The separator of the labels of an item."""
    alternatives: str = ""
    """The separator of labels of gold of which any is right."""
    items: bool | None = None
    """True if rows are items, False if they are words; None if the file shows it."""
    among_annotators: bool = False
    """True if no file is gold, although the first one is called so."""
    column: str = ""
    """The layer of spans, if a file has several; nothing: its only one."""
    surveys: bool = False
    """True if it is to be seen what the file contains: nothing is refused that another choice would allow."""

    @property
    def may_answer(self) -> bool:
        """True if a table of items may have confidences and gold's labels too: a system's, or one by itself."""
        return self.is_system or not self.name

    def spell(self, value: str, option: str = "which") -> str:
        """The option that names an annotator or a model of this file, or its layer."""
        return f"--{option} {self.name}={value}" if self.name else f"--{option} {value}"

    def choice(self, names: Iterable[str]) -> str:
        """The options that name some of them."""
        return " or ".join(self.spell(name) for name in names)

    @property
    def side(self) -> str:
        """The side that the file is on."""
        return self.name or "meant"


def check_repair(name: str) -> str:
    """The repair of this name, mend or drop; nothing if none is named."""
    if name and name not in _REPAIRS:
        raise unknown("repair", name, _REPAIRS)
    return _REPAIRS.get(name, "")


@dataclass
class Annotation:
    """What one annotator or model says of a document."""

    name: str | None
    """The annotator's or the model's; None if the file names nobody."""
    spans: Sequence[Any] = ()
    """Spans as in JSON, `{"start": 0, "end": 5, "label": "PER"}` or `[0, 5, "PER"]`; also `fragments`, `text`, `id`,
    `score`, `link`, and `layer` if the file has several layers."""
    relations: Sequence[Any] = ()
    """Relations as in JSON: label, and head and tail by the ids of spans, their places in the list, or offsets."""
    entities: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The places in the list of the mentions of each entity, in the order of the text, if relations name entities."""
    is_model: bool = False
    status: str = ""
    """Why it does not count: skipped, rejected; nothing if it counts."""
    is_truth: bool = False
    time: str | float = ""
    """When it was last changed, in ISO 8601 or in seconds."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """What there is that cannot be read, with its number."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """What users should know if it is read; the numbers are added up and replace `{}`."""


class LayerChoice:
    """Chooses the spans of a layer if a file has several, which is refused at its end if none is named."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self.counts: Counter[str] = Counter()
        """The number of spans of each layer."""

    def choose(self, spans: Sequence[Any]) -> Sequence[Any]:
        """The spans of the layer that is asked for; all of them if none is."""
        named = [str(span["layer"]) for span in spans if isinstance(span, dict) and "layer" in span]
        self.counts.update(named)
        if not self._asked.column or not named:
            return spans
        return [span for span in spans if self.holds(span)]

    def holds(self, span: Any) -> bool:
        """True if a span is of a layer that is asked for, or of none."""
        return not (isinstance(span, dict) and "layer" in span) or self.is_meant(str(span["layer"]))

    def is_meant(self, layer: str) -> bool:
        """True if a layer is asked for by its name, or by the last part of it."""
        asked = self._asked.column.split("+")
        return not self._asked.column or layer in asked or layer.rpartition(".")[2] in asked

    @property
    def chosen(self) -> str:
        """The layers that are read, if the file has several or one is asked for."""
        several = len(self.counts) > 1 or self._asked.column
        return "+".join(name for name in self.counts if self.is_meant(name)) if several else ""

    @property
    def unread(self) -> dict[str, int]:
        """The numbers of spans of the other layers."""
        filled = ((name, number) for name, number in self.counts.items() if number)
        return {f"{LAYER_UNREAD}{name}": number for name, number in filled if not self.is_meant(name)}

    def check(self, path: str) -> None:
        """Refuse a file with several layers if none is named, and a name that no layer has."""
        there = ", ".join(f"{name} ({number:,})" for name, number in self.counts.most_common())
        if self.counts and self._asked.column and not any(map(self.is_meant, self.counts)):
            raise InputError(f"{self._asked.spell(self._asked.column, 'column')}: no such layer in {path}. {there}.")
        if sum(map(bool, self.counts.values())) > 1 and not self._asked.column:
            first = self.counts.most_common(1)[0][0]
            raise InputError(
                f"{path}: spans of several layers: {there}. Which one? {self._asked.spell(first, 'column')}"
            )


class Whose:
    """Chooses an annotation of each document, and counts what there is.

    What only the whole file shows is refused at its end, with all names in it.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._who = asked.which or ("" if asked.is_system else ANNOTATIONS)
        kind, colon, name = self._who.partition(":")
        self._kinds = (_KINDS.index(kind),) if colon and kind in _KINDS else (0, 1)
        """The lists of names, annotators and models, that a name is looked for in."""
        self._name = name if len(self._kinds) == 1 else self._who
        self._documents: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        """The number of documents of each annotator and of each model."""
        self.statuses = Counter[str]()
        """The numbers of documents by status: skipped, rejected, not annotated, with a ground truth or a curation."""
        self._several: tuple[str, list[Annotation]] | None = None
        """The place of the first document with several annotations that may be meant, and these."""

    def choose(self, place: str, given: Sequence[Annotation]) -> Annotation | str:
        """The annotation that is meant; if there is none, its status, or nothing."""
        curated = [one for one in given if one.name == CURATION and not one.is_model]
        people, models = (
            [one for one in given if one.is_model == is_model and one not in curated] for is_model in (False, True)
        )
        for documents, found in zip(self._documents, (people, models), strict=True):
            documents.update(dict.fromkeys((one.name or "" for one in found), 0))
            documents.update({one.name or "" for one in found if not one.status})
        has_truth = any(one.is_truth for one in people)
        statuses = dict.fromkeys(one.status for one in people if one.status)
        statuses |= {} if people or curated else {NOT_ANNOTATED: None}
        for status in (*statuses, *[_HAS_TRUTH] * has_truth, *[CURATION] * bool(curated)):
            self.statuses[status] += 1
        if self.asked.surveys:
            return next((one for one in (*people, *models, *curated) if not one.status), "")
        if self._who in ("", ANNOTATIONS, LAST):
            found = [*people, *curated] or ([] if self._who else models)
        elif self._who == CURATION:
            found = curated
        elif self._who in (PREDICTIONS, TRUTH):
            found = models if self._who == PREDICTIONS else [one for one in people if one.is_truth]
        else:
            found = [one for kind in self._kinds for one in (people, models)[kind] if one.name == self._name]
        valid = [one for one in found if not one.status]
        if self._who == LAST and len(valid) > 1:
            times = [_seconds(one.time) for one in valid]
            if not any(map(math.isnan, times)):
                valid = [one for one, time in zip(valid, times, strict=True) if time == max(times)]
        if len(valid) > 1 and self._several is None:
            self._several = place, valid
        return valid[0] if valid else found[0].status if found else ""

    @property
    def names(self) -> dict[str, Counter[str]]:
        """The numbers of documents of annotators and of models, by name."""
        return dict(zip(("annotators", "models"), self._documents, strict=True))

    @property
    def chosen(self) -> str:
        """Whose annotation is read, a model as `model:NAME`; nothing if the file names nobody."""
        people, models = self._documents
        if not people and not models:
            return ""
        if self._name in models and self._kinds[-1] == 1:
            return f"{_KINDS[1]}:{self._name}"
        return self._who or (ANNOTATIONS if people else PREDICTIONS)

    @property
    def absence(self) -> str:
        """The reason why a document without an annotation that is meant is left out; known at the end of the file."""
        if self._who == TRUTH:
            return "without ground truth"
        if self._who == CURATION and self.statuses[CURATION]:
            return "not curated"
        people, models = self._documents
        by_model = (
            not people
            if not self._who
            else self._who == PREDICTIONS or (self._name in models and self._kinds[-1] == 1)
        )
        return "without predictions" if by_model else NOT_ANNOTATED

    def check(self, path: str, documents: int) -> None:
        """Refuse a choice that fits no annotation of the file, or several; `documents` are left."""
        people, models = self._documents
        asked, who = self.asked, self._who
        if not people and not models and not self.statuses[CURATION]:
            if who not in ("", ANNOTATIONS):
                raise UsageError(f"{asked.spell(who)}: {path} names no annotators or models. Remove the option.")
            if not documents:
                raise InputError(f"{path}: no document is left, because all are {self.absence} or skipped.")
            return
        contents = f"Documents of {self._contents()}"
        if not who and people and models:
            either = (PREDICTIONS if len(models) == 1 else f"model:{min(models)}", ANNOTATIONS)
            fact = f"contains annotations and predictions. {contents}."
            raise InputError(f"{path}: {fact} Whose is {asked.side}? {asked.choice(either)}")
        if who in (ANNOTATIONS, LAST, TRUTH) and models and not people and not self.statuses[CURATION]:
            fact = f"only predictions of {_enumerate(_show(models))}, no annotations"
            raise InputError(f"{path}: {fact}. To take them: {asked.spell(f'model:{min(models)}')}")
        if (who == PREDICTIONS or not (who or people)) and len(models) != 1:
            names = [f"model:{name}" for name in sorted(models)] or list(people)
            fact = "predictions of several models" if models else "no predictions"
            raise InputError(f"{path}: {fact}. {contents}. Whose is {asked.side}? {asked.choice(names)}")
        if who not in ("", ANNOTATIONS, PREDICTIONS, TRUTH, LAST, CURATION if self.statuses[CURATION] else ""):
            there = [_KINDS[kind] for kind in self._kinds if self._name in self._documents[kind]]
            if not there:
                raise InputError(f"{asked.spell(who)}: no such annotator or model in {path}. {contents}.")
            if len(there) > 1:
                both = asked.choice([f"{kind}:{who}" for kind in _KINDS])
                raise InputError(f"{asked.spell(who)}: an annotator and a model of {path} have this name. {both}")
        if self._several is not None:
            place, found = self._several
            names = list(dict.fromkeys(one.name or "" for one in found))
            others = names if len(names) > 1 else []
            if who != LAST and (others or all(one.time for one in found)):
                timed = LAST if any(one.time for one in found) else names[-1]
                others = [*others[:1], CURATION if CURATION in names else timed]
            remedy = f"Whose is {asked.side}? {asked.choice(others)}" if others else "Keep one of them."
            if len(names) > 1 and not (asked.among_annotators or found[0].is_model or who == LAST):
                remedy += f"; to compare all of them: assay agreement {path}"
            noun = "predictions" if found[0].is_model else "annotations"
            when = " with equal times or none" if who == LAST else ""
            raise InputError(f"{place}: {len(found)} {noun}{when} of one text. {contents}. {remedy}")
        if not documents:
            raise InputError(f"{path}: no document is left, because all are {self.absence} or skipped. {contents}.")

    def _contents(self) -> str:
        """The annotators and models with their numbers of documents."""
        parts = [
            f"{kind}{'s' * (len(found) > 1)} {_enumerate(_show(found))}"
            for kind, found in zip(_KINDS, self._documents, strict=True)
            if found
        ]
        others = (f"{name} ({self.statuses[name]:,})" for name in (_HAS_TRUTH, CURATION) if self.statuses[name])
        return ", ".join([*parts, *others])


def _seconds(time: str | float) -> float:
    """A time in seconds; nan if it is none."""
    if isinstance(time, str):
        try:
            moment = datetime.fromisoformat(time)
        except ValueError:
            return math.nan
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(time)


def _show(documents: Counter[str]) -> list[str]:
    """Names with their numbers of documents, the first ones."""
    names = [f"{name or 'without a name'} ({number:,})" for name, number in documents.most_common(_MOST)]
    return [*names, "…"] if len(documents) > _MOST else names


def _enumerate(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
