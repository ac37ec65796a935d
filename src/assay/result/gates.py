"""Gates: the thresholds that a Result misses, and the scores that are lower than in an earlier Result."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from assay.classes import dataclass
from assay.errors import InputError, UsageError, unknown
from assay.result import Result, enumeration
from assay.result.grammar import BETTER
from assay.result.numbers import plural
from assay.result.risks import breaking_pairs
from assay.specs import read_fraction

SHOWN = {
    "better": "{system} is better than {base}",
    "more-than-margin": "{system} is better than {base} by more than the margin",
    "equivalent": "{system} and {base} are equivalent within the margin",
    "not-worse": "{system} is not worse than {base} by the margin or more",
    "identical": "{system} and {base} do not differ in any unit",
}
"""What `--fail-unless` can ask of a comparison."""
ROUNDING = 1e-12
"""The largest rounding error of a difference of fractions: 0.95 - 0.948 is not quite 0.002."""
_NO_SETTINGS = (
    *("assay", "task", "column", "measures", "unit", "n", "interval", "times", "seed", "slices", "sweep"),
    *("on_mismatch", "gold"),
)
"""Keys of a signature that change no overall score, or that are compared by themselves."""


@dataclass(frozen=True)
class Gates:
    """Everything that a Result has to pass."""

    thresholds: Sequence[str] = ()
    """Least values of scores, each `[MEASURE[/SCORE][@SYSTEM]=]VALUE`; by default that of the main score of the first
    measure, for all systems."""
    baseline: Result | None = None
    """An earlier Result, whose main scores are the least ones."""
    path: str = ""
    """The file of the baseline."""
    tolerance: float = 0.0
    """The largest decrease from the baseline that is allowed."""
    ceilings: Sequence[str] = ()
    """Largest values of scores for which lower is better, written as thresholds are."""
    unless: str | None = None
    """What the comparison must show, separated by commas: keys of SHOWN."""
    against: str | None = None
    """The system with which all others are compared; by default the last is compared with the first."""
    breaks: str = ""
    """The largest share of what a system has right that another may break."""

    def __post_init__(self) -> None:
        for option, text in self._limits:
            _parse_threshold(option, text)
        for name in self.unless.split(",") if self.unless is not None else ():
            if name not in SHOWN:
                raise UsageError(f"--fail-unless {self.unless}: {unknown('kind', name, SHOWN)}")

    @property
    def _limits(self) -> list[tuple[str, str]]:
        """Each limit of a score, with its option."""
        lists = (("--fail-under", self.thresholds), ("--fail-over", self.ceilings))
        return [(option, text) for option, texts in lists for text in texts]

    def missed(self, result: Result) -> list[str]:
        """A line for everything that is missed."""
        lines = [line for option, text in self._limits for line in _missed_scores(option, text, result)]
        if self.baseline is not None:
            try:
                _check_comparable(self.baseline, result)
            except InputError as error:
                raise InputError(f"{self.path}: {error}") from None
            lines += self._worse_scores(self.baseline, result)
        return list(dict.fromkeys(lines))

    def check_margin(self, margins: Sequence[object]) -> None:
        """Raise an error if there is no margin, but what the comparison must show needs one."""
        for kind in self.unless.split(",") if self.unless is not None and not margins else ():
            if kind not in ("better", "identical"):
                raise UsageError(f"--fail-unless {kind} needs the smallest difference that matters: --margin 0.5pt")

    def unshown(self, result: Result) -> list[str]:
        """A line for each comparison that does not show what is asked for, or in which too much breaks.

        The last system is compared with the first or, with `against`, each with that. The measures are those with a
        margin; without one, the first.
        """
        lines = [*breaking_pairs(result, self.breaks)] if self.breaks else []
        if self.unless is None:
            return lines
        wanted, tests = self.unless.split(","), list(result.main_tests)
        with_margin = [row for row in tests if row.margin is not None]
        self.check_margin(with_margin)
        first, *_, last = result.names
        base = self.against or first
        for row in with_margin or [row for row in tests if row.measure == tests[0].measure]:
            system = row.b if row.a == base else row.a
            if base not in (row.a, row.b) or not (self.against or system == last):
                continue
            kind, is_higher = row.kind.removeprefix("average-"), (row.gain > 0) == (system == row.b)
            is_better = kind in BETTER and is_higher
            # Systems that differ in no unit of a small test set may differ by any amount on other data.
            is_within = row.margin is not None and row.high90 is not None and row.high90 < row.margin
            is_close = kind in ("equivalent", "trivial") or (kind == "identical" and is_within)
            shown = {
                "better": is_better,
                "more-than-margin": is_better and kind == "more-than-margin",
                "equivalent": is_close,
                "not-worse": is_close or is_better or (kind == "not-worse" and is_higher),
                "identical": kind == "identical",
            }
            if not any(shown[name] for name in wanted):
                asked = " or ".join(SHOWN[name].format(system=system, base=base) for name in wanted)
                why = ", because too few units differ" if row.few or kind == "untestable" else ""
                why = ", because the test set is too small" if kind == "identical" else why
                lines.append(f"{row.measure}: the comparison does not show that {asked}{why} (verdict: {kind}).")
        return lines

    def _worse_scores(self, baseline: Result, result: Result) -> Iterator[str]:
        """A line for each main score that has fallen by more than the tolerance."""
        allowed = f" by more than {self.tolerance:g}" if self.tolerance else ""
        for measure, score in result.main_scores.items():
            for system in result.names:
                # The same score of both: earlier files may have had another main score.
                now, before = (_value(source, system, measure, score) for source in (result, baseline))
                if math.isnan(now):
                    yield f"{measure} of {system} is undefined, but it was {before:.4f} in {self.path}."
                elif (now - before if result.is_lower(measure, score) else before - now) > self.tolerance + ROUNDING:
                    figure = _digits(now, round(before, 4))
                    yield f"{measure} of {system} is {figure}, worse than {before:.4f} in {self.path}{allowed}."

    def notes(self, result: Result) -> list[str]:
        """A note on what the baseline has and this Result does not."""
        here = {*result.names, *result.measures}
        before = (*self.baseline.names, *self.baseline.measures) if self.baseline is not None else ()
        names = [name for name in before if name not in here]
        if not names:
            return []
        return [f"{self.path} also contains {enumeration(names)}, which the present result does not."]


def _parse_threshold(option: str, text: str) -> tuple[str, str, float]:
    """The score (`measure` or `measure/score`; empty: the first), the system (empty: all) and the limit."""
    target, value = read_fraction(option, text, "accuracy=0.95" if option == "--fail-under" else "mae=0.5")
    score, _, system = target.partition("@")
    if option == "--fail-under" and not 0 <= value <= 1:
        raise UsageError(f"--fail-under {text}: give a score between 0 and 1, e.g. 0.95 or 95pt.")
    if not 0 <= value < math.inf:
        raise UsageError(f"{option} {text}: give 0 or more, e.g. mae=0.5")
    return score, system, value


def _missed_scores(option: str, threshold: str, result: Result) -> Iterator[str]:
    """A line for each system that is below a threshold or, if lower is better, above it."""
    target, only, limit = _parse_threshold(option, threshold)
    systems, measures = result.names, result.measures
    try:
        target = target or measures[0]
        # The names of measures may have a slash themselves.
        measure, _, score = (target, "", "") if target in measures or "/" not in target else target.rpartition("/")
        measure = result.measure_named(measure)
        if measure not in measures:
            raise unknown("measure", measure, measures)
        scores = dict.fromkeys(row.score for row in result.scores if row.measure == measure and row.label is None)
        if score and score not in scores:
            raise unknown("score", score, list(scores))
        if result.about.command == "agreement":
            # Annotators have no scores by themselves: all of them, the mean over pairs, or the only pair has.
            found = list(dict.fromkeys(row.system for row in result.overall if row.measure == measure and row.main))
            whole: list[str] = [name for name in ("all annotators", "mean of all pairs") if name in found]
            systems = found if only else whole[:1] or found
        if only and only not in systems:
            raise unknown("system", only, systems)
    except UsageError as error:
        raise UsageError(f"{option} {threshold}: {error}") from None
    main = result.main_scores[measure]
    title = measure if (score or main) == main else f"{measure}/{score}"
    lower = result.is_lower(measure, score or main)
    if lower != (option == "--fail-over"):
        other = "lower" if lower else "higher"
        right = "--fail-over" if lower else "--fail-under"
        raise UsageError(f"{option} {threshold}: for {title}, {other} is better. Write {right} {title}={limit:g}")
    for system in [only] if only else systems:
        value = _value(result, system, measure, score or main)
        if math.isnan(value):
            yield f"{title} of {system} is undefined, so it is not at {'most' if lower else 'least'} {limit:g}."
        elif (value - limit if lower else limit - value) > ROUNDING:
            yield f"{title} of {system} is {_digits(value, limit)}, {'above' if lower else 'below'} {limit:g}."


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


def _check_comparable(before: Result, result: Result) -> None:
    """Raise an error if gold, settings or sentences differ, or if systems and measures have no scores before."""
    about, past_about = result.about, before.about
    for fact, now, then in (
        (f"evaluates {past_about.task}, not {about.task}", about.task, past_about.task),
        (f"evaluates column {past_about.column}, not {about.column}", about.column, past_about.column),
        ("was made with a different gold", result.gold.sha256, before.gold.sha256),
    ):
        if now != then:
            raise InputError(f"{fact}, so its scores cannot be compared. Make the baseline again.")
    settings, past_settings = _settings(result), _settings(before)
    for name in dict.fromkeys((*settings, *past_settings)):
        present, past = settings.get(name), past_settings.get(name)
        if present == past:
            continue
        option = name if name == "atoms" else f"--{name.replace('_', '-')}"
        if name == "left_out" and past_about.units != about.units:
            here, there = (plural(facts.units, facts.unit) for facts in (about, past_about))
            fact = f"evaluates {there}, but {here} {'is' if about.units == 1 else 'are'} compared here"
        elif name == "left_out":
            fact = "leaves out different sentences"
        elif present is None or past is None:
            fact = f"was made {'without' if past is None else 'with'} {option}"
        elif past.startswith("sha256=") and present.startswith("sha256="):
            fact = f"was made with a different file for {option}"
        else:
            fact = f"was made with {option} {past}, not {present}"
        remedy = "Give the same options, or make the baseline again."
        raise InputError(f"{fact}, so its scores cannot be compared. {remedy}")
    for kind, names, known, remedy in (
        ("system", result.names, before.names, "To name a system: NAME=PATH"),
        ("measure", result.measures, before.measures, "Make the baseline again."),
    ):
        for name in names:
            if name not in known:
                raise InputError(f"{unknown(kind, name, known)} {remedy}")
    for measure, score in result.main_scores.items():
        for system in result.names:
            if math.isnan(_value(before, system, measure, score)):
                raise InputError(
                    f"{measure} of {system} is undefined there, so it cannot be compared. Make the baseline again, "
                    f"or leave the measure out."
                )
