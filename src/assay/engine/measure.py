"""Measures: a function from a Pair to its items or counts, and the scores computed from their sums."""

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
from assay.classes import dataclass
from assay.engine.coefficients import (
    Disagreement,
    RatingSums,
    kappa_disagreement,
    kappa_score,
    pair_alpha,
    pair_alpha_disagreement,
)
from assay.engine.counts import Counts, Sums, tally, tally_brackets, tally_credits, tally_outcomes
from assay.engine.items import ONE, Items
from assay.engine.task import find_task, shared_names, task_names, tasks
from assay.errors import UsageError, unknown

Score = Callable[[Sums], Floats]
Scores = Mapping[str, Score]
Judge = Callable[..., Any]
Function = TypeVar("Function", bound=Callable[..., Any])

registered: dict[str, dict[str, Measure]] = {}
"""Measures by name and task: accuracy is that of words or that of items."""
USUAL = {
    **dict.fromkeys(("f1", "f-score", "f1-score", "f-measure", "micro-f1", "macro-f1"), "tag-f1 exact label-f1"),
    **dict.fromkeys(("precision", "recall", "p", "r", "prf"), "tag-f1 exact label-f1"),
    **dict.fromkeys(("cohen", "cohens-kappa", "cohen-kappa"), "kappa"),
    **dict.fromkeys(("krippendorff", "krippendorffs-alpha", "krippendorff-alpha"), "alpha"),
    **dict.fromkeys(("seqeval", "conlleval", "nervaluate", "ner", "entity-f1"), "exact"),
    **{"evalb": "parseval", "acc": "accuracy", "mse": "rmse", "em": "accuracy", "ece": "calibration"},
}
"""What others call our measures."""


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; its text is as on the command line."""

    name: str
    function: Callable[..., Any]
    scores: Scores
    """Functions of sums by name; if the measure counts by label, for each label and for all labels."""
    main: str
    """The main score: one of the scores, or an average over labels."""
    tested: tuple[str, ...]
    """The scores on which systems are compared; by default the main score."""
    task: str
    """The task that it belongs to."""
    averages: Scores = field(default_factory=dict)
    """Scores of all labels that need the sums of each label (the last axis runs over labels)."""
    count: Callable[[Items, int], Counts] = tally
    """Function from items to counts per sentence."""
    chosen: Callable[[Mapping[str, Any]], tuple[Scores, Scores] | tuple[Scores, Scores, str]] | None = None
    """Function from parameters to scores and averages, and the main one, if these depend on parameters."""
    columns: tuple[str, ...] = ()
    """Further columns that it needs."""
    characters: bool = False
    """True if it compares characters, which must then agree even if all words do."""
    own_outcomes: bool = False
    """True if changes are always shown on it, because its outcomes differ from those of other measures."""
    by_item: bool | None = None
    """True if a user's counter counts each item as right or wrong."""
    errors: tuple[str, ...] = ()
    """The fields that count types of errors, if a measure gives only counts."""
    one_sided: str = ""
    """A sentence on why it cannot measure agreement, if one side must be gold."""
    papers: tuple[str, ...] = ()
    """The papers to be cited, by their keys in `result/references.bib` or in a `references.bib` of the task."""
    noun: str = ""
    """The word for an item, if it differs from that of the task."""
    named: tuple[str, ...] = ()
    """Parameters that its name always contains, because scores with other values have the same name."""
    signed: tuple[str, ...] = ()
    """Parameters that a signature always contains, because scores depend much on them."""
    takes: str = "pair"
    """What it is computed from: a `pair`; or, in agreement, the `labels` or the `units` of all annotators, or a
    system's answers besides these (`systems`)."""
    together: Callable[..., Any] | None = None
    """Function from the ratings of all annotators, if it is also a measure of these."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    given: frozenset[str] = field(default=frozenset(), compare=False)
    """The parameters that the user gave, including those with the default value."""
    asked: str = ""
    """The score that the user made the main one (`pa/weak`)."""

    def __str__(self) -> str:
        return self._spell(self.named)

    @property
    def signature(self) -> str:
        """The measure as text with the parameters that a signature always contains."""
        return self._spell((*self.signed, *self.named)) + f"/{self.asked}" * bool(self.asked)

    def _spell(self, always: Sequence[str]) -> str:
        default = self.defaults
        spelled = {key: value for key, value in self.parameters.items() if key in always or value != default.get(key)}
        return specs.spell(self.name, spelled)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The keywords of the function with their defaults."""
        keywords = inspect.signature(self.function).parameters.values()
        return {keyword.name: keyword.default for keyword in keywords if keyword.kind is keyword.KEYWORD_ONLY}

    @property
    def judges_items(self) -> bool:
        """True if it counts items one by one, so that they can be sliced and systems compared on them."""
        return (
            self.by_item
            if self.by_item is not None
            else self.count in (tally, tally_credits, tally_outcomes, tally_brackets)
        )

    @property
    def is_share(self) -> bool:
        """True if the score is the share of right items, so that McNemar's test applies."""
        shares = self.by_item is True and self.count not in (tally_credits, tally_outcomes, tally_brackets)
        return (self.count is tally or shares) and self.main not in self.averages and not self.asked

    @property
    def score_names(self) -> tuple[str, ...]:
        """All its scores and averages, the main one first."""
        return tuple(dict.fromkeys((self.main, *self.scores, *self.averages)))

    @property
    def documentation(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""

    def fields_read(self, sums: Sums, *, averages: bool = False) -> tuple[str, ...]:
        """The fields that scores (and averages) read; other fields are counted, but not resampled."""
        reading = _Reading(sums)
        for function in (*self.scores.values(), *(self.averages.values() if averages else ())):
            function(reading)
        return tuple(name for name in sums if name in reading.names)

    def with_parameters(self, parameters: Mapping[str, Any]) -> Measure:
        """The measure with these parameters, and the scores that they choose."""
        changed = replace(self, parameters=parameters)
        if self.chosen is None:
            return changed
        scores, averages, *main = self.chosen(parameters)
        changed = replace(changed, scores=scores, averages=averages)
        return replace(changed, main=main[0], tested=(main[0],)) if main and not self.asked else changed

    def judge(self, pair: Pair) -> Any:
        """The items of a pair; for measures of whole documents the counts, for scores of numbers the values."""
        items: Any = pair.once(str(self), lambda: self.function(pair, **self.parameters))
        return items

    def counts_of(self, judged: Any, sentences: int) -> Counts:
        """Counts per sentence."""
        return judged if isinstance(judged, Counts) else self.count(judged, sentences)


class _Reading(UserDict[str, Floats]):
    """Sums that record which fields are read."""

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

    `main` is the main score, which must be given if there are several. Without `task`, the measure is about words
    with labels. `traits` are further fields of Measure, such as `count`.
    """
    names = [*scores, *(averages or {})]
    if main not in names:
        if main or len(names) > 1:
            fault = f"has no score {main!r} to be the main one" if main else "has several scores and no main one"
            raise UsageError(f"measure {name!r} {fault}. Declare one of them: main={names[0]!r}")
        main = names[0]
    about = task or task_names()[0]

    def register(function: Function) -> Function:
        new_measure = Measure(name, function, scores, main, tested or (main,), about, averages or {}, **traits)
        function.__assay_measure__ = new_measure  # type: ignore[attr-defined]
        if function.__module__.startswith("assay."):
            registered.setdefault(name, {})[about] = new_measure
        return function

    return register


def measure_of(function: Any, name: str) -> Measure:
    """The measure of a decorated function."""
    decorated = getattr(function, "__assay_measure__", None)
    if not isinstance(decorated, Measure):
        raise UsageError(f"measure {name!r} is not a measure. Decorate the function with @assay.measure(...).")
    return decorated


# --- measures by name ---


def measures() -> dict[str, Measure]:
    """All measures of assay by name, in the order of tasks; a name that an earlier task has is `name (task)`."""
    modules = [module.__name__ for task in tasks().values() for module in task.measures]
    every = sorted(
        (measure for by_task in registered.values() for measure in by_task.values()),
        key=lambda measure: modules.index(measure.function.__module__),
    )
    by_name: dict[str, Measure] = {}
    for measure in every:
        by_name[measure.name if measure.name not in by_name else f"{measure.name} ({measure.task})"] = measure
    return by_name


def find(spec: str, task: str = "") -> Measure:
    """The measure of a spec such as `accuracy(column=XPOS)` or `mymodule:myfunction`; if tasks share its name, that
    of the task. `pa/weak` makes the score weak the main one."""
    written, score = specs.split_score(spec)
    name, arguments = specs.parse(written, "measure")
    if ":" in name:
        # A user's measure, which may be in the current folder.
        module_name, _, function_name = name.partition(":")
        if not module_name or not function_name:
            raise UsageError(f"measure {name!r} should be module:function.")
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            function = getattr(import_module(module_name), function_name)
        except Exception as error:
            # Any exception in a user's module is an error of that module.
            raise UsageError(f"measure {name!r} cannot be loaded: {type(error).__name__}: {error}.") from error
        base: Measure | None = measure_of(function, name)
    else:
        base = _registered(name, task)
    if base is None:
        raise unknown("measure", name, measures(), USUAL, "assay measures")
    parameters = specs.convert_parameters(f"measure {name}", arguments, base.defaults)
    found = replace(base.with_parameters(parameters), given=frozenset(arguments))
    if not score:
        return found
    if score not in found.score_names:
        raise unknown(f"score of {name}", score, found.score_names)
    return replace(found, main=score, tested=(score,), asked=score)


def _registered(name: str, task: str = "") -> Measure | None:
    """A measure of assay or of an installed package; tasks are loaded one by one until one has it."""
    for first in filter(None, (task, *shared_names().get(name, ())[:1])):
        find_task(first)
        if first in registered.get(name, {}):
            return registered[name][first]
    for other in task_names():
        if name in registered:
            break
        find_task(other)
    if name not in registered and (function := plugins.load("measures", name)):
        return measure_of(function, name)
    return next(iter(registered.get(name, {}).values()), None)


def form_of_score(measure: str, score: str) -> str:
    """The form of a score of one of assay's measures: percent by default."""
    name = re.split("[(@/]", measure)[0]
    base = None if ":" in name else _registered(name)
    functions = {**base.scores, **base.averages} if base else {}
    return str(getattr(functions.get(score), "form", "percent"))


# --- scores that many measures share ---


class Ratio:
    """A share: a sum of counts divided by another."""

    of_items = True
    """True if its effective items are at most its items."""

    def __init__(self, part: Callable[[Sums], Any], total: Callable[[Sums], Any]) -> None:
        self.part, self.total = part, total

    def __call__(self, sums: Sums) -> Floats:
        """The share."""
        return ratio(np.asarray(self.part(sums)), np.asarray(self.total(sums)))

    def items(self, sums: Sums) -> tuple[Floats, Floats]:
        """The numbers of right and of all items from which the interval is computed."""
        return np.asarray(self.part(sums)), np.asarray(self.total(sums))

    def of_share(self, share: float) -> tuple[float, float]:
        """The score for a share of these items, and its derivative."""
        return share, 1.0


class Proportion(Ratio):
    """A share of items that are right or wrong, for which Wilson's interval is made."""

    def __init__(self, part: str, *whole: str, instead: str = "") -> None:
        # `instead` is the field that is used if `part` is not counted.
        self.names, self.whole = (part, instead), whole
        super().__init__(
            lambda sums: sums[part if part in sums else instead],
            lambda sums: sum(sums[field] for field in whole if field in sums),
        )

    def is_counted(self, fields: Iterable[str]) -> bool:
        """True if these fields are enough to compute it."""
        counted = {*fields}
        return not counted.isdisjoint(self.whole) and not counted.isdisjoint(self.names)


class F1(Ratio):
    """An F1 score, from the right items and all items of both sides.

    Its interval is computed from the share of right items among those of either side, TP/(TP+FP+FN).
    """

    def items(self, sums: Sums) -> tuple[Floats, Floats]:
        """TP, and TP+FP+FN."""
        right = np.asarray(self.part(sums)) / 2
        return right, np.asarray(self.total(sums)) - right

    def of_share(self, share: float) -> tuple[float, float]:
        """The F1 for a share of these items, and its derivative."""
        return 2 * share / (1 + share), 2 / (1 + share) ** 2


class Mean(Ratio):
    """The mean of defined values between 0 and 1, whose sum is counted in units of 1/ONE."""

    of_items = False

    def __init__(self, values: str, number: str) -> None:
        super().__init__(lambda sums: sums[values] / ONE, lambda sums: sums[number])


class ByFields:
    """A score whose function depends on whether a field is counted."""

    def __init__(self, field: str, counted: Score, otherwise: Score) -> None:
        self.field, self.counted, self.otherwise = field, counted, otherwise

    def __call__(self, sums: Sums) -> Floats:
        """The score."""
        return self.of(sums)(sums)

    def of(self, fields: Container[str]) -> Score:
        """The function for these fields."""
        return self.counted if self.field in fields else self.otherwise


class Ranged:
    """A score with other limits than 0 and 1."""

    form = "number"
    """The form in tables: a plain number."""

    def __init__(
        self, function: Score, low: float = -math.inf, high: float = math.inf, *, lower: bool = False
    ) -> None:
        self.function, self.low, self.high = function, float(low), float(high)
        self.lower = lower
        """True if lower is better."""

    def __call__(self, sums: Sums) -> Floats:
        """The score."""
        return self.function(sums)


class Coefficient(Ranged):
    """A coefficient from −1 to 1, such as kappa: 1 − disagreement / expected disagreement."""

    form = "coefficient"
    """The form in tables: .571."""

    def __init__(self, function: Score, disagreement: Callable[[RatingSums], Disagreement] | None = None) -> None:
        super().__init__(function, -1, 1)
        self.disagreement = disagreement


precision = Proportion("found", "system", instead="right")
"""The share of the system's items that are right."""
recall = Proportion("right", "gold")
"""The share of gold's items that are right."""
aligned = Proportion("right", "aligned")
"""The share of aligned items that are right."""
f1 = F1(lambda sums: sums["right"] + sums.get("found", sums["right"]), lambda sums: sums["gold"] + sums["system"])
"""The harmonic mean of precision and recall, computed from counts."""


BLANK = "blank"
"""The field of gold items with a blank label, which a macro average does not include."""


class Macro:
    """The plain mean of a score over the labels with counts in some fields, usually the labels of gold."""

    def __init__(self, score: Score, fields: Sequence[str] = ("gold",)) -> None:
        self.score, self.fields = score, fields

    def counts(self, sums: Sums) -> Bools:
        """Mask of the labels whose scores are averaged."""
        return np.asarray((_sizes(sums, self.fields) > 0) & (np.asarray(sums.get(BLANK, 0.0)) == 0))

    def items(self, sums: Sums) -> Floats:
        """The number of gold's and the system's items of each label."""
        return _sizes(sums, ("gold", "system") if "system" in sums else self.fields)

    def __call__(self, sums: Sums) -> Floats:
        """The mean."""
        present, scores = self.counts(sums), self.score(sums)
        # A gold label that no system assigns has no precision; it counts as 0 in an average over labels, as it
        # does in its F1.
        values = np.where(present & ~np.isnan(scores), scores, 0.0)
        return ratio(_total_over_labels(values), present.sum(axis=-1).astype(np.float64))


def mean_by_size(score: Score, fields: Sequence[str] = ("gold",)) -> Score:
    """The mean of a score over labels, weighted by their counts in some fields, usually the gold items."""

    def averaged(sums: Sums) -> Floats:
        sizes, scores = _sizes(sums, fields), score(sums)
        return ratio(_total_over_labels(np.where(np.isnan(scores), 0.0, scores) * sizes), sizes.sum(axis=-1))

    return averaged


def _sizes(sums: Sums, fields: Sequence[str]) -> Floats:
    """The sum of each label over those of the fields that are counted."""
    return np.asarray(sum(sums[field] for field in fields if field in sums))


def _total_over_labels(values: Floats) -> Floats:
    """The sum over labels; that of a single score is exact, so that labels without items change no digit."""
    return np.asarray(math.fsum(values.tolist()) if values.ndim == 1 else values.sum(axis=-1))


FOUND: Scores = {"f1": f1, "precision": precision, "recall": recall}
"""Scores of items that a system finds."""
FOUND_WORDS: Scores = {**FOUND, "aligned": aligned}
"""Scores of words, which may differ between gold and system."""
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
