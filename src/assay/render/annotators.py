"""Tables about annotators: how far they agree, who and what differs, and systems beside them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from assay.render.table import cell, figure, table, unit_notes, value_of
from assay.render.text import visible
from assay.result import Result, Score, Table
from assay.result.numbers import DASH, percent

ALL, PAIRS_MEAN, CEILING = "all annotators", "mean of all pairs", "human ceiling"
PAIRS = 15
"""So many pairs of annotators a terminal shows."""
SHORT = 10
MATRIX = 12
_WAYS = {
    "each": "each: the mean over annotators.",
    "majority": "majority: the most frequent label; tied labels share the point.",
    "any": "any: right if some annotator says so.",
}
_VOTE = "majority: what more than half of the annotators have, place and label; a strict vote."
_LEFT_OUT = (
    "leave-one-out: each annotator in turn is compared with the majority of the others, and so is the system, on the "
    "same items; the human ceiling is the mean of the annotators."
)
_LEFT_OUT_PAIRS = (
    "leave-one-out: each annotator in turn is compared with each of the others, and so is the system; the human "
    "ceiling is the mean of the annotators."
)
_COEFFICIENTS = {"alpha": "alpha (Krippendorff)", "fleiss": "kappa (Fleiss)", "ac1": "AC1 (Gwet)"}


def tables(result: Result) -> Iterator[Table]:
    """All tables, in reading order: all annotators, pairs, who, which labels, which items, systems, slices."""
    overall = [row for row in result.scores if row.slice is None and row.label is None]
    names = {row.name for row in result.systems}
    pairs = [row for row in overall if _is_of_pairs(row)]
    parts = {
        "scores": _all(result, [row for row in overall if row.system == ALL], pairs),
        "pairs": _pairs(result, pairs),
        "errors": iter(result.tables),
        "systems": _systems(result, [row for row in overall if not _is_of_pairs(row) and row.system != ALL], names),
        "annotators": _annotators(result),
        "confusion": _labels(result),
        "items": _items(result),
        "labels": _by_label(result),
        "slices": _slices(result),
    }
    for name, part in parts.items():
        yield from (replace(one, name=one.name or name) for one in part)


def _is_of_pairs(row: Score) -> bool:
    return " ~ " in row.system or row.system == PAIRS_MEAN


def _noun(result: Result) -> str:
    """The word for what has a label from each annotator; words, where spans are compared."""
    return result.remarks.get("rated", result.noun)


def _all(result: Result, rows: list[Score], pairs: list[Score]) -> Iterator[Table]:
    """The coefficients of all annotators, and the means over pairs of those that are of pairs."""
    found = {(row.measure, row.score): row for row in rows}
    body = []
    means = {row.measure: row for row in pairs if row.main and row.system == PAIRS_MEAN}
    observed = {row.measure: row for row in pairs if row.score == "agreement" and row.system == PAIRS_MEAN}
    for measure, row in means.items():
        if rows:
            seen = value_of(observed.get(measure))
            body.append([f"{result.title(measure)} ({PAIRS_MEAN})", figure(result, row), percent(seen), DASH])
    disagreement = False
    for measure, score in dict.fromkeys((row.measure, row.score) for row in rows if row.main):
        parts = [found.get((measure, name)) for name in ("agreement", "expected")]
        if parts[0] is None and (measure, "observed") in found:
            level = measure.partition("level=")[2].partition(")")[0].partition(",")[0]
            if level in ("", "nominal", "set"):
                # As agreement, which is what the others have here.
                shown = [percent(1 - value_of(found[measure, name])) for name in ("observed", "expected")]
            else:
                disagreement = True
                shown = [DASH, DASH]
        else:
            shown = [percent(value_of(part)) for part in parts]
        name = _COEFFICIENTS.get(measure, result.title(measure))
        body.append([name, figure(result, found[measure, score]), *shown])
    notes = [
        *_brackets(result, [*rows, *means.values()]),
        f"observed: percentage of pairs of ratings of one {_noun(result)} that agree; expected: the percentage that "
        "each coefficient expects of random labels.",
    ]
    notes += ["For ordered labels, a near miss counts as partial agreement."] * disagreement
    if result.agreement_facts and result.agreement_facts.level_assumed:
        notes.append(
            "The labels have an order, so alpha is also given for it. To choose one: -m alpha(level=nominal), "
            "-m alpha(level=ordinal)"
        )
    yield table(
        "Agreement of all annotators",
        ["coefficient", "value", "observed", "expected"],
        body,
        notes=(*notes, *_prevalence(result, found)),
    )


def _prevalence(result: Result, found: dict[tuple[str, str], Score]) -> Iterator[str]:
    """A sentence where one label is so frequent that coefficients differ by the agreement that they expect."""
    shares: dict[str, float] = {}
    for row in result.coincidences:
        shares[row.first] = shares.get(row.first, 0.0) + row.count
    total = sum(shares.values())
    first, second = found.get(("alpha", "alpha")), found.get(("ac1", "ac1"))
    if not total or first is None or second is None or math.isnan(first.value):
        return
    label = max(shares, key=lambda name: shares[name])
    if shares[label] / total >= 0.8 and second.value - first.value >= 0.1:
        yield (
            f"{percent(shares[label] / total)}% of the ratings are {visible(label)}: kappa and alpha expect nearly "
            "as much agreement of random labels and are low, AC1 expects little and is high. Neither is wrong; give "
            "both, and the share."
        )


def _brackets(result: Result, rows: Iterable[Score]) -> Iterator[str]:
    """A sentence on the intervals of some scores, if there are any."""
    if not all(math.isnan(row.low) for row in rows):
        lower = any(row.interval == "percentile+wilson" for row in rows)
        wilson = "; the lower end also by Wilson's method for the share that disagrees" * lower
        yield f"In brackets the 95% interval ({result.times:,} resamples of {result.unit}s{wilson})."


def _pairs(result: Result, rows: list[Score]) -> Iterator[Table]:
    """Each pair of annotators and the mean over pairs."""
    # Beside the main score, kappa, stand two more.
    beside = ("agreement", "alpha")
    found = {(row.system, row.measure, row.score): row for row in rows if row.main or row.score in beside}
    columns = list(dict.fromkeys((measure, score) for _, measure, score in found))
    header = ["pair"]
    short = Counter(measure.partition("(")[0] for measure in dict.fromkeys(measure for measure, _ in columns))
    for measure, score in columns:
        # In full where several go by the same name.
        name = measure.partition("(")[0]
        name = result.title(measure).partition("(")[0].rstrip() if short[name] == 1 else result.title(measure)
        if score in ("kappa", "alpha", "agreement"):
            header.append(f"{score} {result.remarks.get(f'agreement {measure}', '')}".strip())
        else:
            header.append(name if score in ("f1", "value") else f"{name} {result.title(score)}")
    systems = list(dict.fromkeys(pair for pair, _, _ in found))
    if len(systems) > PAIRS:
        # Where a terminal cannot show all, the mean comes first.
        systems = sorted(systems, key=lambda name: name != PAIRS_MEAN)
    symmetric = "F1 is the same whoever comes first; " if any(score == "f1" for _, score in columns) else ""
    of_all = int(result.remarks.get("pairs", 0))
    shown = len(systems) - (PAIRS_MEAN in systems)
    listed = [f"{shown:,} of {of_all:,} pairs, with the most in common."] * bool(of_all)
    yield table(
        "Agreement of pairs" if any(row.system == ALL for row in result.scores) else "Agreement",
        header,
        [[pair, *(figure(result, found.get((pair, *key))) for key in columns)] for pair in systems],
        notes=(
            *listed,
            *unit_notes(map(result.form_of, found.values())),
            *_brackets(result, rows),
            f"{symmetric}kappa (Cohen) and alpha (Krippendorff, nominal) are corrected for expected agreement.",
        ),
        short=PAIRS,
    )


# --- who, which labels, which items ---


def _annotators(result: Result) -> Iterator[Table]:
    """Each annotator against the others."""
    whole = next(
        (row for row in result.scores if row.system == ALL and row.measure.startswith("alpha") and row.main), None
    )
    noun = _noun(result)
    half = (whole.high - whole.low) / 2 if whole else math.nan
    rows: list[list[Any]] = []
    notable = []
    for row in result.annotators:
        leanings = sorted(row.bias.items(), key=lambda pair: (-abs(pair[1]), pair[0]))[:2]
        lean = ", ".join(f"{visible(label)} {_points(share)}" for label, share in leanings if abs(share) >= 0.005)
        rows.append(
            [
                row.name,
                row.items,
                row.agreement,
                row.kappa,
                row.alpha_without,
                row.alpha_gain,
                lean or DASH,
            ]
        )
        if row.alpha_gain > half:
            notable.append(row.name)
    notes = [
        f"Over {noun}s that others rated too. agrees: mean share of the others with the same label; kappa: "
        "against the others' majority; alpha without: of the others alone, gain: minus that of all; leans to: own "
        "share of a label minus the others', in points."
    ]
    if notable:
        notes.append(
            f"Without {', '.join(notable[:3])} agreement rises by more than half its interval: look there first."
        )
    rows.sort(key=lambda row: row[2] if not math.isnan(row[2]) else 2)
    yield table(
        "Annotators",
        ["annotator", f"{_noun(result)}s", "agrees", "kappa", "alpha without", "gain", "leans to"],
        rows if len(rows) > 1 else [],
        "text count percent coefficient coefficient coefficient-difference text",
        notes=tuple(notes),
        short=25,
        droppable=(6, 3),
    )


def _points(share: float) -> str:
    return f"{'+' if share > 0 else '−'}{abs(100 * share):.1f}"


def _labels(result: Result) -> Iterator[Table]:
    """The table of labels that are taken for each other."""
    labels = list(dict.fromkeys(row.first for row in result.coincidences))
    found = {(row.first, row.second): row for row in result.coincidences}
    totals = {label: sum(row.count for row in result.coincidences if row.first == label) for label in labels}
    if len(labels) < 2:
        return
    note = (
        f"For each label (row): how often the other annotators gave the same {_noun(result)} each label (column), in "
        "percent. The diagonal is agreement."
    )
    if len(labels) <= MATRIX:
        rows = [
            [
                one,
                f"{totals[one]:,.0f}",
                *(percent(found[one, other].share) if (one, other) in found else "·" for other in labels),
            ]
            for one in labels
        ]
        yield table("Labels against labels", ["label", "given", *labels], rows, notes=(note,))
        return
    off = sorted(
        (row for row in result.coincidences if row.first < row.second), key=lambda row: (-row.count, row.first)
    )
    pairs = [
        [row.first, row.second, f"{row.count:,.1f}", row.share, found[row.second, row.first].share] for row in off
    ]
    yield table(
        "Labels against labels",
        ["label", "other label", "pairs", "% of label", "% of other"],
        pairs,
        "text text text percent percent",
        words=2,
        short=SHORT,
        notes=("Labels that annotators give to the same items, the most frequent first.",),
    )


def _items(result: Result) -> Iterator[Table]:
    """The items to adjudicate first."""
    rows = []
    for row in result.disagreements:
        if math.isnan(row.value) or not row.value:
            continue
        by_label: dict[str, list[str]] = {}
        for name, label in row.ratings.items():
            by_label.setdefault(label, []).append(name)
        groups = sorted(by_label.items(), key=lambda pair: -len(pair[1]))
        given = "; ".join(
            f"{label}: {', '.join(names) if len(names) < 4 else f'{len(names)} annotators'}"
            for label, names in groups
        )
        majority = row.majority if row.majority.count(" / ") < 2 else "(tied)"
        rows.append([row.item, f"{row.value:.3f}", majority, given, row.text])
    with_text = any(row[4] for row in rows)
    header = [_noun(result), "disagreement", "majority", "labels given", "text"]
    yield table(
        f"{_noun(result).capitalize()}s to adjudicate",
        header if with_text else header[:4],
        [row if with_text else row[:4] for row in rows],
        words=5,
        short=SHORT,
        notes=(
            f"{_noun(result).capitalize()}s with the largest mean distance between two ratings. --examples N shows "
            "more; --items PATH writes all.",
        ),
        droppable=(4,) if with_text else (),
    )


def _by_label(result: Result) -> Iterator[Table]:
    """Agreement of pairs on each label."""
    beside = ("agreement", "alpha")
    labelled = [
        row
        for row in result.scores
        if row.slice is None
        and row.label is not None
        and (row.main or row.score in beside)
        and _is_of_pairs(row)
    ]
    for measure, group in groupby(sorted(labelled, key=lambda row: row.measure), key=lambda row: row.measure):
        by_label: dict[tuple[str, str], Score] = {(str(row.label), row.system): row for row in group}
        shares = all(row.score == "agreement" for row in by_label.values())
        names = list(dict.fromkeys(pair for _, pair in by_label))
        if len(names) > PAIRS:
            names = [PAIRS_MEAN]
        labels = dict.fromkeys(label for label, _ in by_label)
        if all(math.isnan(row.value) for (_, pair), row in by_label.items() if pair in names):
            continue
        yield table(
            f"Agreement by label ({result.title(measure)})" if shares else f"{result.title(measure)} by label",
            ["label", *names],
            [[label, *(value_of(by_label.get((label, pair))) for pair in names)] for label in labels],
            "text percent",
            short=25,
            droppable=tuple(range(len(names) - 1, 0, -1)),
        )


def _slices(result: Result) -> Iterator[Table]:
    """The main scores of all annotators, and the means over pairs, by a slice."""
    rows = [row for row in result.scores if row.slice is not None and row.label is None and row.main]
    few = {row.system for row in rows if " ~ " in row.system}
    shown = [row for row in rows if row.system in (ALL, PAIRS_MEAN) or len(few) == 1]
    for name, group in groupby(shown, key=lambda row: str(row.slice).partition("=")[0]):
        found = {(str(row.slice), row.measure): row for row in group}
        measures = list(dict.fromkeys(measure for _, measure in found))
        values = dict.fromkeys(where for where, _ in found)
        yield table(
            f"Agreement by {name}",
            [name, *map(result.title, measures)],
            [
                [where.partition("=")[2], *(figure(result, found.get((where, one))) for one in measures)]
                for where in values
            ],
            short=25,
        )


# --- systems ---


def _systems(result: Result, rows: list[Score], annotators: set[str]) -> Iterator[Table]:
    """Systems against several annotators."""
    found = {(row.system, row.measure, row.score): row for row in rows}
    names = list(dict.fromkeys(row.system for row in rows))
    ceilings = [row for row in result.comparisons if row.a == CEILING]
    for measure in dict.fromkeys(row.measure for row in rows):
        order = ("each", "majority", "any", "leave-one-out")
        ways = list(dict.fromkeys(row.score for row in rows if row.measure == measure))
        ways.sort(key=lambda way: order.index(way) if way in order else len(order))
        if any(way in ("each", "majority", "any", "leave-one-out") for way in ways):
            body = []
            tests = {row.b: row for row in ceilings if row.measure == measure}
            for name in names:
                own = [figure(result, found.get((name, measure, way))) for way in ways]
                more: list[Any] = [DASH] * 3
                if name in tests:
                    test = tests[name]
                    more[0] = cell(test.figure, "points")
                    # Two annotators have no majority of the others.
                    if test.annotators != 2:
                        more[1:] = [cell(test.p_items, "p"), cell(test.holm, "holm")]
                body.append([name, *own, *(more if tests else [])])
            notes = [_WAYS[way] for way in ways if way != "leave-one-out"]
            if measure != "accuracy":
                notes = [_VOTE if way == "majority" else _WAYS[way] for way in ways if way != "leave-one-out"]
            if "leave-one-out" in ways:
                notes.append(_LEFT_OUT if measure == "accuracy" else _LEFT_OUT_PAIRS)
            notes = [" ".join(notes)]
            if any(row.annotators == 2 for row in tests.values()):
                notes.append("With two annotators there is no test against the human ceiling.")
            elif tests:
                family = next((row.family for row in ceilings if row.family), None)
                level = 100 * (next(row.level for row in ceilings) or 0.95)
                many = f", for {family.size:,} tests" if family and family.size > 1 else ""
                units = f"other {result.unit}s"
                notes.append(
                    f"− ceiling: in points, with the {level:.4g}% interval{many}. p (Holm) is for {units} and other "
                    f"annotators like these (Student's t); p (items) is for {units} and these annotators."
                )
            yield table(
                f"Systems against several annotators ({measure})",
                ["system", *ways, *(["− ceiling", "p (items)", "p (Holm)"] if tests else [])],
                body,
                notes=tuple(notes),
                droppable=(*[len(ways) + 2] * bool(tests), *range(len(ways) - 1, 0, -1)),
            )
        elif not measure.startswith("alt-test"):
            main = [name for name in names if (name, measure, ways[0]) in found]
            body = [[name, *(figure(result, found.get((name, measure, way))) for way in ways)] for name in main]
            yield table(f"{measure}", ["system", *ways], body, notes=("Lower is better.",))
    for measure, group in groupby(result.alt_tests, key=lambda row: row.measure):
        tests_of = sorted(group, key=lambda row: -row.advantage if not math.isnan(row.advantage) else 1)
        costs = list(tests_of[0].rates)
        body = []
        for one in tests_of:
            verdict = {True: "passed", False: "not passed", None: DASH}[one.passed]
            rates = [DASH if math.isnan(rate) else f"{rate:.2f}" for rate in one.rates.values()]
            least = DASH if math.isnan(one.least_epsilon) else f"{one.least_epsilon:.2f}"
            body.append(
                [
                    one.system,
                    verdict,
                    f"{one.winning_rate:.2f}" if one.passed is not None else DASH,
                    cell([one.advantage, one.low, one.high], "percent"),
                    *rates,
                    least,
                ]
            )
        first = tests_of[0]
        left = [row.name for row in first.annotators if row.won is None]
        notes = [
            f"ω: share of annotators whom the system beats at ε = {first.epsilon:g} (passed: 0.5 and more); ρ: how "
            "often it is at least as near to the other annotators as the one it is compared with, in percent; then ω "
            "at other ε. ε is what a human costs more: 0.2 for experts, 0.15 for skilled annotators, 0.1 for the "
            "crowd."
        ]
        notes += [f"Left out for too few items: {', '.join(left[:10])}."] if left else []
        yield table(
            f"Alternative Annotator Test ({measure})",
            ["system", "verdict", "ω", "ρ", *(f"ε {cost}" for cost in costs), "least ε"],
            body,
            name="alt-test",
            words=2,
            notes=tuple(notes),
            droppable=tuple(range(4, 4 + len(costs))),
        )
        details = [
            [one.system, row.name, row.items, row.difference, row.p, "yes" if row.won else "no"]
            for one in tests_of
            for row in one.annotators
            if row.won is not None
        ]
        yield table(
            "Alternative Annotator Test by annotator",
            ["system", "annotator", f"{_noun(result)}s", "human − system", "p", "beaten"],
            details,
            "text text count points p text",
            name="alt-test",
            words=2,
            minor=len(tests_of) > 1,
            short=SHORT,
        )
