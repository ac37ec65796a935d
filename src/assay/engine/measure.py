"""Measures: one function from a Pair to what is counted, and the scores made of the sums."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections import UserDict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from assay import plugins, specs
from assay.align import Pair
from assay.arrays import Bools, Floats, ratio
from assay.engine.coefficients import (
    Disagreement,
    RatingSums,
    kappa_disagreement,
    kappa_score,
    pair_alpha,
    pair_alpha_disagreement,
)
from assay.engine.counts import Counts, Sums, bracketed, graded, matched, tally
from assay.engine.items import ONE, Items
from assay.engine.task import find_task, first_task, task_names, tasks
from assay.errors import UsageError, unknown
from assay.records import dataclass

Score = Callable[[Sums], Floats]
Scores = Mapping[str, Score]
Judge = Callable[..., "Items | Counts"]
Function = TypeVar("Function", bound=Callable[..., Any])

registered: dict[str, Measure] = {}


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; it prints as what one would type."""

    name: str
    function: Callable[..., Any]
    scores: Scores
    """For a measure that counts by label they are given per label and for all labels."""
    main: str
    """The score that is meant if none is named: one of the scores, or an average over labels."""
    tested: tuple[str, ...]
    """The scores that systems are compared on; the main one unless the measure says otherwise."""
    task: str
    """The kind of annotation it is about."""
    averages: Scores = field(default_factory=dict)
    """Scores of all labels together that need each label's sums (the last axis runs over labels)."""
    count: Callable[[Items, int], Counts] = tally
    """From items to counts per sentence."""
    chosen: Callable[[Mapping[str, Any]], tuple[Scores, Scores]] | None = None
    """The scores and averages under given parameters, if they depend on these."""
    columns: tuple[str, ...] = ()
    """Columns that it needs besides those of its task."""
    characters: bool = False
    """True if it compares characters, which must then agree even if all words do."""
    own_outcomes: bool = False
    """True if changes are shown on it even if they are shown on another measure: its outcomes are others."""
    by_item: bool | None = None
    """True if a counter of the user's own counts each item by itself, right or wrong."""
    errors: tuple[str, ...] = ()
    """The fields that count types of errors, if items do not show them: it may give counts alone."""
    one_sided: str = ""
    """A sentence that says why it cannot measure agreement, if it needs one side as gold."""
    papers: tuple[str, ...] = ()
    """The papers to be cited, by their keys in `result/references.bib` or in a `references.bib` of the task."""
    noun: str = ""
    """The word for one item, if that is not the task's."""
    named: tuple[str, ...] = ()
    """Parameters that its name contains even if they have their default: scores under others have the same name."""
    signed: tuple[str, ...] = ()
    """Parameters that a signature names even if they have their default: scores depend much on them."""
    takes: str = "pair"
    """What it is computed from: a `pair`; or, in agreement, the `labels` or the `units` of all annotators, or a
    system's answers besides these (`systems`)."""
    together: Callable[..., Any] | None = None
    """The function from the ratings of all annotators, if it is also a measure of these."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    given: frozenset[str] = field(default=frozenset(), compare=False)
    """The parameters that the user gave, also if with their default."""

    def __str__(self) -> str:
        return self._spell(self.named)

    @property
    def signature(self) -> str:
        """The measure with the parameters that a signature always names."""
        return self._spell((*self.signed, *self.named))

    def _spell(self, always: Sequence[str]) -> str:
        default = self.defaults
        chosen = {key: value for key, value in self.parameters.items() if key in always or value != default.get(key)}
        return specs.spell(self.name, chosen)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The keywords of the function with their defaults."""
        keywords = inspect.signature(self.function).parameters.values()
        return {one.name: one.default for one in keywords if one.kind is one.KEYWORD_ONLY}

    @property
    def judges_items(self) -> bool:
        """True if each item counts by itself, so that items can be sliced and systems compared on them."""
        return self.by_item if self.by_item is not None else self.count in (tally, graded, matched, bracketed)

    @property
    def is_share(self) -> bool:
        """True if the score is the share of items that are right, which McNemar's test is about."""
        shares = self.by_item is True and self.count not in (graded, matched, bracketed)
        return (self.count is tally or shares) and self.main not in self.averages

    @property
    def score_names(self) -> tuple[str, ...]:
        """All its scores and averages, the main one first."""
        return tuple(dict.fromkeys((self.main, *self.scores, *self.averages)))

    @property
    def documentation(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""

    def fields_read(self, sums: Sums, *, averages: bool = False) -> tuple[str, ...]:
        """The fields that some score reads, or some average too; the others are counted, not resampled."""
        reading = _Reading(sums)
        for function in (*self.scores.values(), *(self.averages.values() if averages else ())):
            function(reading)
        return tuple(name for name in sums if name in reading.names)

    def judge(self, pair: Pair) -> Items | Counts:
        """The items (or, for measures of whole documents, the counts) of a pair."""
        judged: Items | Counts = pair.once(str(self), lambda: self.function(pair, **self.parameters))
        return judged

    def counts_of(self, judged: Items | Counts, sentences: int) -> Counts:
        """Counts per sentence."""
        return judged if isinstance(judged, Counts) else self.count(judged, sentences)


class _Reading(UserDict[str, Floats]):
    """Sums that note which of their fields are read."""

    def __init__(self, sums: Sums) -> None:
        self.names: set[str] = set()
        super().__init__(sums)

    def __getitem__(self, name: str) -> Floats:
        self.names.add(name)
        return super().__getitem__(name)


def measure(
    name: str,
    *,
    scores: Scores,
    main: str = "",
    averages: Scores | None = None,
    tested: tuple[str, ...] = (),
    task: str = "",
    **traits: Any,
) -> Callable[[Function], Function]:
    """Make a function a measure: its keywords are the parameters, its docstring is the documentation.

    `main` is the score that is meant if none is named; only a single score need not be declared so. A measure that
    names no task is about words with labels. Traits are further fields of Measure, such as `count`.
    """
    known = [*scores, *(averages or {})]
    if main not in known:
        if main or len(known) > 1:
            fault = f"has no score {main!r} to be the main one" if main else "has several scores and no main one"
            raise UsageError(f"measure {name!r} {fault}. Declare one of them: main={known[0]!r}")
        main = known[0]
    about = task or first_task()

    def register(function: Function) -> Function:
        made = Measure(name, function, scores, main, tested or (main,), about, averages or {}, **traits)
        function.__assay_measure__ = made  # type: ignore[attr-defined]
        if function.__module__.startswith("assay."):
            registered[name] = made
        return function

    return register


def measure_of(function: Any, name: str) -> Measure:
    """The measure that a decorated function is."""
    made = getattr(function, "__assay_measure__", None)
    if not isinstance(made, Measure):
        raise UsageError(f"measure {name!r} is no measure. Decorate the function with @assay.measure(...).")
    return made


# --- measures by name ---


def measures() -> dict[str, Measure]:
    """All measures that come with assay, by name, task by task."""
    modules = [module.__name__ for task in tasks().values() for module in task.measures]
    return dict(sorted(registered.items(), key=lambda item: modules.index(item[1].function.__module__)))


def find(spec: str) -> Measure:
    """The measure that a spec such as `accuracy(column=XPOS)` or `mymodule:myfunction` stands for."""
    name, given = specs.parse(spec, "measure")
    if ":" in name:
        # A user's measure, looked up from the current folder too.
        module_name, _, function_name = name.partition(":")
        if not module_name or not function_name:
            raise UsageError(f"measure {name!r} should be module:function.")
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            function = getattr(import_module(module_name), function_name)
        except Exception as error:
            # Any exception of a user's module is a mistake in that module.
            raise UsageError(f"measure {name!r} cannot be loaded: {type(error).__name__}: {error}.") from error
        made: Measure | None = measure_of(function, name)
    else:
        made = _registered(name)
    if made is None:
        raise unknown("measure", name, measures())
    parameters = specs.convert_parameters(f"measure {name}", given, made.defaults)
    scores, averages = made.chosen(parameters) if made.chosen else (made.scores, made.averages)
    return replace(made, scores=scores, averages=averages, parameters=parameters, given=frozenset(given))


def _registered(name: str) -> Measure | None:
    """A measure of assay's own, or of an installed package; tasks are loaded one by one until one has it."""
    for task in task_names():
        if name in registered:
            break
        find_task(task)
    if name not in registered and (function := plugins.load("measures", name)):
        return measure_of(function, name)
    return registered.get(name)


def form_of_score(measure: str, score: str) -> str:
    """The form in which people read a score of a measure that comes with assay: percent, unless it says otherwise."""
    name = re.split("[(@/]", measure)[0]
    known = None if ":" in name else _registered(name)
    functions = {**known.scores, **known.averages} if known else {}
    return str(getattr(functions.get(score), "form", "percent"))


# --- scores that many measures share ---


class Ratio:
    """A share: one sum of counts over another."""

    of_items = True
    """True if its effective items are at most its items."""

    def __init__(self, part: Callable[[Sums], Any], total: Callable[[Sums], Any]) -> None:
        self.part, self.total = part, total

    def __call__(self, sums: Sums) -> Floats:
        """The share."""
        return ratio(np.asarray(self.part(sums)), np.asarray(self.total(sums)))

    def items(self, sums: Sums) -> tuple[Floats, Floats]:
        """The numbers of right items and of all whose ratio the interval is made of."""
        return np.asarray(self.part(sums)), np.asarray(self.total(sums))

    def of_share(self, share: float) -> tuple[float, float]:
        """The score for a share of these items, and its derivative there."""
        return share, 1.0


class Proportion(Ratio):
    """A share of items, each of which is in or out; Wilson's interval is made for these."""

    def __init__(self, part: str, *whole: str, instead: str = "") -> None:
        # `instead` is the field of the part if that is not counted by itself.
        self.names, self.whole = (part, instead), whole
        super().__init__(
            lambda sums: sums[part if part in sums else instead],
            lambda sums: sum(sums[field] for field in whole if field in sums),
        )

    def is_counted(self, fields: Iterable[str]) -> bool:
        """True if these fields are enough to compute it."""
        known = {*fields}
        return not known.isdisjoint(self.whole) and not known.isdisjoint(self.names)


class F1(Ratio):
    """An F1, of all that either side has right and of all that both have.

    Its interval is made of the items that are right among those that either side has, TP/(TP+FP+FN).
    """

    def items(self, sums: Sums) -> tuple[Floats, Floats]:
        """TP, and TP+FP+FN."""
        right = np.asarray(self.part(sums)) / 2
        return right, np.asarray(self.total(sums)) - right

    def of_share(self, share: float) -> tuple[float, float]:
        """The F1 for a share of these items, and its derivative there."""
        return 2 * share / (1 + share), 2 / (1 + share) ** 2


class Mean(Ratio):
    """The mean of values between 0 and 1, whose sum is counted in units of 1/ONE, over those that are defined."""

    of_items = False

    def __init__(self, values: str, number: str) -> None:
        super().__init__(lambda sums: sums[values] / ONE, lambda sums: sums[number])


class ByFields:
    """A score with one function if some field is counted, and another one if it is not."""

    def __init__(self, field: str, counted: Score, otherwise: Score) -> None:
        self.field, self.counted, self.otherwise = field, counted, otherwise

    def __call__(self, sums: Sums) -> Floats:
        """The score."""
        return self.of(sums)(sums)

    def of(self, fields: Container[str]) -> Score:
        """The function if these fields are counted."""
        return self.counted if self.field in fields else self.otherwise


class Ranged:
    """A score with other limits than 0 and 1."""

    form = "number"
    """How people read it: a plain number …"""

    def __init__(self, function: Score, low: float = -math.inf, high: float = math.inf) -> None:
        self.function, self.low, self.high = function, float(low), float(high)

    def __call__(self, sums: Sums) -> Floats:
        """The score."""
        return self.function(sums)


class Coefficient(Ranged):
    """A coefficient from −1 to 1, such as kappa: 1 − disagreement / disagreement by chance."""

    form = "coefficient"
    """… or .571."""

    def __init__(self, function: Score, disagreement: Callable[[RatingSums], Disagreement] | None = None) -> None:
        super().__init__(function, -1, 1)
        self.disagreement = disagreement


precision = Proportion("found", "system", instead="right")
"""Right of what the system has."""
recall = Proportion("right", "gold")
"""Right of what gold has."""
aligned = Proportion("right", "aligned")
"""Right of the items that both have."""
f1 = F1(lambda sums: sums["right"] + sums.get("found", sums["right"]), lambda sums: sums["gold"] + sums["system"])
"""The harmonic mean of precision and recall, from the counts themselves."""


BLANK = "blank"
"""The field of the gold items whose label is a blank, which is no label of its own in a macro average."""


class Macro:
    """The plain mean of a score over the labels that have anything in some fields: the labels that gold has."""

    def __init__(self, score: Score, fields: Sequence[str] = ("gold",)) -> None:
        self.score, self.fields = score, fields

    def counts(self, sums: Sums) -> Bools:
        """Mask of the labels whose scores are averaged."""
        return np.asarray((_sizes(sums, self.fields) > 0) & (np.asarray(sums.get(BLANK, 0.0)) == 0))

    def items(self, sums: Sums) -> Floats:
        """The number of items of each label, those of gold and those of the system."""
        return _sizes(sums, ("gold", "system") if "system" in sums else self.fields)

    def __call__(self, sums: Sums) -> Floats:
        """The mean."""
        present, found = self.counts(sums), self.score(sums)
        # A label that gold has and no system assigns has no precision; as an average over labels needs
        # a number for each, it counts as 0 there, as it does in its F.
        values = np.where(present & ~np.isnan(found), found, 0.0)
        return ratio(_total_over_labels(values), present.sum(axis=-1).astype(np.float64))


def mean_by_size(score: Score, fields: Sequence[str] = ("gold",)) -> Score:
    """The mean of a score over labels, each weighing as much as it has in some fields: its gold items."""

    def averaged(sums: Sums) -> Floats:
        sizes, found = _sizes(sums, fields), score(sums)
        return ratio(_total_over_labels(np.where(np.isnan(found), 0.0, found) * sizes), sizes.sum(axis=-1))

    return averaged


def _sizes(sums: Sums, fields: Sequence[str]) -> Floats:
    """The sum of each label over some fields, of those that are counted."""
    return np.asarray(sum(sums[field] for field in fields if field in sums))


def _total_over_labels(values: Floats) -> Floats:
    """The sum over labels; for a single score it is exact, so that labels without items change no digit."""
    return np.asarray(math.fsum(values.tolist()) if values.ndim == 1 else values.sum(axis=-1))


FOUND: Scores = {"f1": f1, "precision": precision, "recall": recall}
"""Scores of found items."""
FOUND_WORDS: Scores = {**FOUND, "aligned": aligned}
"""Scores of words, if both sides may have other words."""
MATCHED: Scores = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * sums["tp"] + sums["fp"] + sums["fn"]),
    "precision": Proportion("tp", "tp", "fp"),
    "recall": Proportion("tp", "tp", "fn"),
}
"""Scores of matched items, by their outcomes."""
OVER_LABELS: Scores = {
    **{f"macro-{name}": Macro(score) for name, score in FOUND.items()},
    "weighted-f1": mean_by_size(f1),
}
"""Averages over labels."""


SCORES = {"agreement": f1}
BEYOND_CHANCE: Scores = {
    "kappa": Coefficient(kappa_score, kappa_disagreement),
    "alpha": Coefficient(pair_alpha, pair_alpha_disagreement),
}
"""Cohen's kappa and, for nominal labels, Krippendorff's alpha."""
