"""Gates: which of the thresholds that were asked for a Result misses, and where it is worse than one before."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from assay.errors import InputError, UsageError, unknown
from assay.records import dataclass
from assay.result import Result

ROUNDING = 1e-12
"""The largest rounding error of a difference of fractions: 0.95 - 0.948 is not quite 0.002."""
_NO_SETTINGS = (
    *("assay", "task", "column", "measures", "unit", "n", "interval", "times", "seed", "slices", "sweep"),
    *("on_mismatch", "gold"),
)
"""Keys of a signature that change no overall figure, or that are compared by themselves."""


@dataclass(frozen=True)
class Threshold:
    """The least value of a score: of the main score of the first measure, and of all systems, unless it says."""

    text: str
    score: str
    """`measure` or `measure/score`; empty: the first."""
    system: str
    value: float

    @classmethod
    def of(cls, text: str) -> Threshold:
        """A threshold from `[MEASURE[/SCORE][@SYSTEM]=]VALUE`, where the value is a fraction or a percentage."""
        target, _, number = text.rpartition("=")
        score, _, system = target.partition("@")
        try:
            value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
        except ValueError:
            raise UsageError(f"--fail-under {text}: {number!r} is no number. Say e.g. accuracy=0.95") from None
        if not 0 <= value <= 1:
            raise UsageError(f"--fail-under {text}: scores lie between 0 and 1. Say 0.95 or 95%")
        return cls(text, score, system, value)

    def missed(self, result: Result) -> Iterator[str]:
        """A line for each system that stays under it."""
        systems, known = _systems(result), result.measures
        try:
            target = self.score or known[0]
            # The names of measures may have a slash themselves.
            measure, _, score = (target, "", "") if target in known or "/" not in target else target.rpartition("/")
            measure = result.measure_named(measure)
            if measure not in known:
                raise unknown("measure", measure, known)
            scores = dict.fromkeys(row.score for row in result.scores if row.measure == measure and row.label is None)
            if score and score not in scores:
                raise unknown("score", score, list(scores))
            if self.system and self.system not in systems:
                raise unknown("system", self.system, systems)
        except UsageError as error:
            raise UsageError(f"--fail-under {self.text}: {error}") from None
        main = result.main_scores[measure]
        title = measure if (score or main) == main else f"{measure}/{score}"
        for system in [self.system] if self.system else systems:
            value = _value(result, system, measure, score or main)
            if math.isnan(value):
                yield f"{title} of {system} is undefined, so not at least {self.value:g}."
            elif self.value - value > ROUNDING:
                yield f"{title} of {system} is {_apart(value, self.value)}, under {self.value:g}."


def _systems(result: Result) -> list[str]:
    return [source.name for source in result.systems]


def _value(result: Result, system: str, measure: str, score: str) -> float:
    """An overall figure; nan where the system has none, such as one whose column is empty."""
    for row in result.scores:
        here = row.system == system and row.measure == measure and row.label is None and row.slice is None
        if here and row.score == score:
            return row.value
    return math.nan


def _apart(value: float, other: float) -> str:
    """A number with four decimals, or as many as it takes to tell it from another."""
    texts = (f"{value:.{digits}f}" for digits in range(4, 17))
    return next((text for text in texts if float(text) != other), repr(value))


def _settings(result: Result) -> dict[str, str]:
    """The settings that figures depend on, by name, as the signature tells them; systems stand at its end."""
    chosen, _, _ = result.signature.partition("|systems:")
    parts = (part.partition(":") for part in re.split(r"\|(?=\w+:)", chosen))
    return {name: value for name, _, value in parts if name not in _NO_SETTINGS}


def _differing(name: str, result: Result, before: Result) -> str:
    """A Result from before as it differs in a setting, in words."""
    if name == "left_out":
        then, now = (f"{one.units:,} {one.unit}{'' if one.units == 1 else 's'}" for one in (before, result))
        of_all = f"{then}, where {now} {'is' if result.units == 1 else 'are'} compared here"
        return f"is about {of_all}" if before.units != result.units else "leaves out other sentences"
    ours, theirs = _settings(result).get(name), _settings(before).get(name)
    option = name if name == "atoms" else f"--{name.replace('_', '-')}"
    if theirs is None or ours is None:
        return f"was made {'without' if theirs is None else 'with'} {option}"
    if theirs.startswith("sha256=") and ours.startswith("sha256="):
        return f"was made with another file for {option}"
    return f"was made with {option} {theirs}, not {ours}"


@dataclass(frozen=True)
class Baseline:
    """A Result from before, which is not to be fallen behind."""

    path: str
    result: Result
    tolerance: float = 0.0

    @classmethod
    def read(cls, path: str, tolerance: float = 0.0) -> Baseline:
        """A baseline from the JSON of a Result."""
        return cls(path, Result.read(path), tolerance)

    def check(self, result: Result) -> None:
        """Refuse what is not like this: other gold, settings or sentences, systems and measures without figures."""
        before = self.result
        for fact, ours, theirs in (
            (f"is about {before.task}, not {result.task}", result.task, before.task),
            (f"is about column {before.column}, not {result.column}", result.column, before.column),
            ("is about gold with other content", result.gold.sha256, before.gold.sha256),
        ):
            if ours != theirs:
                raise InputError(f"{self.path}: {fact}, so its scores cannot be compared. Make the baseline anew.")
        for name in dict.fromkeys((*_settings(result), *_settings(before))):
            if _settings(result).get(name) != _settings(before).get(name):
                raise InputError(
                    f"{self.path}: {_differing(name, result, before)}, so its scores cannot be compared. "
                    "Say the same options, or make the baseline anew."
                )
        for kind, names, known in (
            ("system", _systems(result), _systems(before)),
            ("measure", result.measures, before.measures),
        ):
            for name in names:
                if name not in known:
                    remedy = "A system is named by NAME=PATH." if kind == "system" else "Make the baseline anew."
                    raise InputError(f"{self.path}: {unknown(kind, name, known)} {remedy}")
        for measure, score in result.main_scores.items():
            for system in _systems(result):
                if math.isnan(_value(before, system, measure, score)):
                    raise InputError(
                        f"{self.path}: {measure} of {system} is undefined there, so nothing can be compared with it. "
                        "Make the baseline anew, or leave the measure out."
                    )

    def worse(self, result: Result) -> Iterator[str]:
        """A line for each main score that has fallen by more than the tolerance."""
        for measure, score in result.main_scores.items():
            for system in _systems(result):
                # The same score of both: files from before may have had another for the main one.
                now, before = (_value(one, system, measure, score) for one in (result, self.result))
                allowed = f" by more than {self.tolerance:g}" if self.tolerance else ""
                if math.isnan(now):
                    yield f"{measure} of {system} is undefined, where it was {before:.4f} in {self.path}."
                elif before - now > self.tolerance + ROUNDING:
                    figure = _apart(now, round(before, 4))
                    yield f"{measure} of {system} is {figure}, worse than {before:.4f} in {self.path}{allowed}."

    def left_over(self, result: Result) -> Iterator[str]:
        """A note on what the baseline has and this Result does not."""
        ours = {*_systems(result), *result.measures}
        names = [name for name in (*_systems(self.result), *self.result.measures) if name not in ours]
        if names:
            yield f"{self.path} also has {', '.join(names)}, which nothing here is compared with."


@dataclass(frozen=True)
class Gates:
    """Everything that a Result has to pass."""

    thresholds: Sequence[Threshold] = ()
    baseline: Baseline | None = None

    def missed(self, result: Result) -> list[str]:
        """A line for everything that is missed."""
        lines = [line for threshold in self.thresholds for line in threshold.missed(result)]
        if self.baseline is not None:
            self.baseline.check(result)
            lines += self.baseline.worse(result)
        return list(dict.fromkeys(lines))

    def notes(self, result: Result) -> list[str]:
        """Notes on what was not looked at."""
        return list(self.baseline.left_over(result)) if self.baseline else []
