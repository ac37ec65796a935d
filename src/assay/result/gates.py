"""Gates: the thresholds that a Result misses, and the scores that are lower than in an earlier Result."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from assay.errors import InputError, UsageError, unknown
from assay.records import dataclass
from assay.result import Result
from assay.result.numbers import plural

ROUNDING = 1e-12
"""The largest rounding error of a difference of fractions: 0.95 - 0.948 is not quite 0.002."""
_NO_SETTINGS = (
    *("assay", "task", "column", "measures", "unit", "n", "interval", "times", "seed", "slices", "sweep"),
    *("on_mismatch", "gold"),
)
"""Keys of a signature that change no overall score, or that are compared by themselves."""


@dataclass(frozen=True)
class Threshold:
    """The least value of a score, by default of the main score of the first measure and of all systems."""

    text: str
    score: str
    """`measure` or `measure/score`; empty: the first."""
    system: str
    value: float

    @classmethod
    def of(cls, text: str) -> Threshold:
        """A threshold from `[MEASURE[/SCORE][@SYSTEM]=]VALUE`; the value is a fraction or a percentage."""
        target, _, number = text.rpartition("=")
        score, _, system = target.partition("@")
        try:
            value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
        except ValueError:
            raise UsageError(f"--fail-under {text}: {number!r} is no number. Write e.g. accuracy=0.95") from None
        if not 0 <= value <= 1:
            raise UsageError(f"--fail-under {text}: scores lie between 0 and 1. Write 0.95 or 95%")
        return cls(text, score, system, value)

    def missed(self, result: Result) -> Iterator[str]:
        """A line for each system that is below it."""
        systems, known = result.names, result.measures
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
                yield f"{title} of {system} is {_digits(value, self.value)}, under {self.value:g}."


def _value(result: Result, system: str, measure: str, score: str) -> float:
    """An overall score; nan if the system has none, such as one whose column is empty."""
    key = (system, measure, score)
    return next((row.value for row in result.overall if (row.system, row.measure, row.score) == key), math.nan)


def _digits(value: float, other: float) -> str:
    """A number with four decimals, or as many as it needs to differ from another."""
    texts = (f"{value:.{digits}f}" for digits in range(4, 17))
    return next((text for text in texts if float(text) != other), repr(value))


def _settings(result: Result) -> dict[str, str]:
    """The settings that scores depend on, by name, from the signature; systems are at its end."""
    chosen, _, _ = result.signature.partition("|systems:")
    parts = (part.partition(":") for part in re.split(r"\|(?=\w+:)", chosen))
    return {name: value for name, _, value in parts if name not in _NO_SETTINGS}


@dataclass(frozen=True)
class Baseline:
    """An earlier Result, whose scores are the least ones."""

    path: str
    result: Result
    tolerance: float = 0.0

    @classmethod
    def read(cls, path: str, tolerance: float = 0.0) -> Baseline:
        """A baseline from the JSON of a Result."""
        return cls(path, Result.read(path), tolerance)

    def check(self, result: Result) -> None:
        """Raise if this is not comparable: other gold, settings or sentences, systems and measures without scores."""
        before = self.result
        about, past_about = result.about, before.about
        for fact, now, then in (
            (f"is about {past_about.task}, not {about.task}", about.task, past_about.task),
            (f"is about column {past_about.column}, not {about.column}", about.column, past_about.column),
            ("is about gold with other content", result.gold.sha256, before.gold.sha256),
        ):
            if now != then:
                raise self._error(f"{fact}, so its scores cannot be compared. Make the baseline again.")
        settings, settings_before = _settings(result), _settings(before)
        for name in dict.fromkeys((*settings, *settings_before)):
            present, past = settings.get(name), settings_before.get(name)
            if present == past:
                continue
            option = name if name == "atoms" else f"--{name.replace('_', '-')}"
            if name == "left_out" and before.about.units != result.about.units:
                here, then = (plural(one.about.units, one.about.unit) for one in (result, before))
                fact = f"is about {then}, but {here} {'is' if result.about.units == 1 else 'are'} compared here"
            elif name == "left_out":
                fact = "leaves out other sentences"
            elif present is None or past is None:
                fact = f"was made {'without' if past is None else 'with'} {option}"
            elif past.startswith("sha256=") and present.startswith("sha256="):
                fact = f"was made with another file for {option}"
            else:
                fact = f"was made with {option} {past}, not {present}"
            remedy = "Give the same options, or make the baseline again."
            raise self._error(f"{fact}, so its scores cannot be compared. {remedy}")
        for kind, names, known, remedy in (
            ("system", result.names, before.names, "A system is named by NAME=PATH."),
            ("measure", result.measures, before.measures, "Make the baseline again."),
        ):
            for name in names:
                if name not in known:
                    raise self._error(f"{unknown(kind, name, known)} {remedy}")
        for measure, score in result.main_scores.items():
            for system in result.names:
                if math.isnan(_value(before, system, measure, score)):
                    raise self._error(
                        f"{measure} of {system} is undefined there, so nothing can be compared with it. "
                        "Make the baseline again, or leave the measure out."
                    )

    def _error(self, text: str) -> InputError:
        return InputError(f"{self.path}: {text}")

    def worse(self, result: Result) -> Iterator[str]:
        """A line for each main score that has fallen by more than the tolerance."""
        for measure, score in result.main_scores.items():
            for system in result.names:
                # The same score of both: earlier files may have had another main score.
                now, before = (_value(one, system, measure, score) for one in (result, self.result))
                allowed = f" by more than {self.tolerance:g}" if self.tolerance else ""
                if math.isnan(now):
                    yield f"{measure} of {system} is undefined, where it was {before:.4f} in {self.path}."
                elif before - now > self.tolerance + ROUNDING:
                    figure = _digits(now, round(before, 4))
                    yield f"{measure} of {system} is {figure}, worse than {before:.4f} in {self.path}{allowed}."


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
        """A note on what the baseline has and this Result does not."""
        if self.baseline is None:
            return []
        before, here = self.baseline.result, {*result.names, *result.measures}
        names = [name for name in (*before.names, *before.measures) if name not in here]
        note = f"{self.baseline.path} also has {', '.join(names)}, which nothing here is compared with."
        return [note] if names else []
