"""Tables about annotators: their agreement, annotators, labels and items that differ, and systems against them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, groupby
from typing import Any

from assay.render.table import (
    MATRIX,
    PAIRS,
    SHORT,
    cell,
    make_table,
    score_cell,
    spell_controls,
    unit_notes,
    value_of,
)
from assay.result import Result, Score, Table
from assay.result.numbers import DASH, DIFFERENCES, percent

ALL, PAIRS_MEAN, CEILING = "all annotators", "mean of all pairs", "human ceiling"
_WAYS = {
    "each": "each: mean over the annotators.",
    "majority": "majority: the most frequent label; tied labels share the credit.",
    "any": "any: right if any annotator agrees.",
    "leave-one-out": "leave-one-out: each annotator in turn is compared with the majority of the others, and so is "
    "the system, on the same items; the human ceiling is the mean of the annotators.",
}
_WAYS_OF_PAIRS = {
    **_WAYS,
    "majority": "majority: spans that more than half of the annotators have, with the same place and label.",
    "leave-one-out": "leave-one-out: each annotator in turn is compared with each of the others, and so is the "
    "system; the human ceiling is the mean of the annotators.",
}
_COEFFICIENTS = {"alpha": "alpha (Krippendorff)", "fleiss": "kappa (Fleiss)", "ac1": "AC1 (Gwet)"}
_CONFUSED = 200
"""The number of rows of the table of labels that annotators confuse."""
_FURTHER = ("agreement", "alpha")
"""Scores that are shown with the main one, kappa."""


def annotator_tables(result: Result) -> Iterator[Table]:
    """All tables in reading order: each annotator, all of them, pairs, systems, labels, items, slices."""
    of_all = [row for row in result.overall if row.system == ALL]
    pairs = [row for row in result.overall if _is_of_pairs(row)]
    of_systems = [row for row in result.overall if not _is_of_pairs(row) and row.system != ALL]
    several = len(result.annotators) > 2
    parts = {
        **({"annotators": _annotators(result)} if several else {}),
        "scores": _coefficients(result, of_all, pairs),
        "pairs": _pairs(result, pairs),
        "errors": iter(result.tables),
        "systems": _systems(result, of_systems),
        **({} if several else {"annotators": _annotators(result)}),
        "confusion": chain(_label_matrix(result), _confused(result)),
        "items": _items(result),
        "labels": _label_scores(result),
        "slices": _slices(result),
    }
    for name, part in parts.items():
        yield from (replace(table, name=table.name or name) for table in part)


def _is_of_pairs(row: Score) -> bool:
    return " ~ " in row.system or row.system == PAIRS_MEAN


def _noun(result: Result) -> str:
    """The word for an item that annotators rate: `word` if spans are compared."""
    return result.shown.remarks.get("rated", result.shown.noun)


def _coefficients(result: Result, rows: list[Score], pairs: list[Score]) -> Iterator[Table]:
    """The coefficients of all annotators, and the means over pairs of those that compare two annotators."""
    by_key = {(row.measure, row.score): row for row in rows}
    body = []
    means = {row.measure: row for row in pairs if row.main and row.system == PAIRS_MEAN}
    observed = {row.measure: row for row in pairs if row.score == "agreement" and row.system == PAIRS_MEAN}
    for measure, row in means.items() if rows else ():
        title = f"{result.title(measure)} ({PAIRS_MEAN})"
        body.append([title, score_cell(result, row), percent(value_of(observed.get(measure))), DASH])
    ordered = False
    for measure, score in dict.fromkeys((row.measure, row.score) for row in rows if row.main):
        parts = [by_key.get((measure, name)) for name in ("agreement", "expected")]
        shown = [percent(value_of(part)) for part in parts]
        if parts[0] is None and (measure, "observed") in by_key:
            level = measure.partition("level=")[2].partition(")")[0].partition(",")[0]
            if level in ("", "nominal", "set"):
                # Shown as agreement, like the other coefficients.
                shown = [percent(1 - value_of(by_key[measure, name])) for name in ("observed", "expected")]
            else:
                ordered, shown = True, [DASH, DASH]
        title = _COEFFICIENTS.get(measure, result.title(measure))
        body.append([title, score_cell(result, by_key[measure, score]), *shown])
    notes = [
        *_explain_brackets(result, [*rows, *means.values()]),
        f"observed: percentage of rating pairs on the same {_noun(result)} that agree; expected: the percentage that "
        f"each coefficient expects by random labelling.",
    ]
    notes += ["For ordered labels, a near miss counts as partial agreement."] * ordered
    if result.about.agreement_facts and result.about.agreement_facts.level_assumed:
        notes.append(
            "The labels are ordered, so alpha is also given at the ordinal level. To choose one: -m "
            "alpha(level=nominal), -m alpha(level=ordinal)"
        )
    # One label may be so frequent that coefficients differ by the agreement that they expect.
    shares: dict[str, float] = {}
    for meeting in result.coincidences:
        shares[meeting.first] = shares.get(meeting.first, 0.0) + meeting.count
    alpha, ac1 = value_of(by_key.get(("alpha", "alpha"))), value_of(by_key.get(("ac1", "ac1")))
    if sum(shares.values()) and ac1 - alpha >= 0.1:
        label = max(shares, key=lambda name: shares[name])
        share = shares[label] / sum(shares.values())
        if share >= 0.8:
            notes.append(
                f"{percent(share)}% of the ratings are {spell_controls(label)}. Kappa and alpha then expect much "
                f"agreement from random labels and are low; AC1 expects little and is high. Neither is wrong: report "
                f"both, and this percentage."
            )
    header = ["coefficient", "value", "observed", "expected"]
    yield make_table("Agreement of all annotators", header, body, notes=notes)


def _explain_brackets(result: Result, rows: Iterable[Score]) -> Iterator[str]:
    """A sentence on the intervals of scores, if there are any."""
    if not all(math.isnan(row.low) for row in rows):
        lower = any(row.interval == "percentile+wilson" for row in rows)
        wilson = "; the lower end also allows for few disagreements" * lower
        yield f"95% intervals in brackets ({result.about.times:,} resamples of {result.about.unit}s{wilson})."


def _pairs(result: Result, rows: list[Score]) -> Iterator[Table]:
    """Each pair of annotators and the mean over pairs."""
    by_key = {(row.system, row.measure, row.score): row for row in rows if row.main or row.score in _FURTHER}
    columns = list(dict.fromkeys((measure, score) for _, measure, score in by_key))
    header = ["pair"]
    short = Counter(measure.partition("(")[0] for measure in dict.fromkeys(measure for measure, _ in columns))
    for measure, score in columns:
        # With parameters if several measures have the same name.
        name = result.title(measure)
        name = name.partition("(")[0].rstrip() if short[measure.partition("(")[0]] == 1 else name
        if score in ("kappa", "alpha", "agreement"):
            header.append(f"{score} {result.shown.remarks.get(f'agreement {measure}', '')}".strip())
        else:
            header.append(name if score in ("f1", "value") else f"{name} {result.title(score)}")
    systems = list(dict.fromkeys(pair for pair, _, _ in by_key))
    if len(systems) > PAIRS:
        # If a terminal cannot show all, the mean comes first.
        systems = sorted(systems, key=lambda name: name != PAIRS_MEAN)
    symmetric = "F1 is the same in either order; " if any(score == "f1" for _, score in columns) else ""
    of_all = int(result.shown.remarks.get("pairs", 0))
    shown = len(systems) - (PAIRS_MEAN in systems)
    yield make_table(
        "Agreement of pairs" if any(row.system == ALL for row in result.scores) else "Agreement",
        header,
        [[pair, *(score_cell(result, by_key.get((pair, *key))) for key in columns)] for pair in systems],
        notes=(
            *[f"{shown:,} of {of_all:,} pairs: those with the most items in common."] * bool(of_all),
            *unit_notes(map(result.form_of, by_key.values())),
            *_explain_brackets(result, rows),
            f"{symmetric}Cohen's kappa and Krippendorff's nominal alpha are corrected for expected agreement.",
        ),
        short=PAIRS,
    )


# --- annotators, labels, items ---


def _annotators(result: Result) -> Iterator[Table]:
    """Each annotator against the others, the one without whom they agree best first."""
    people = result.annotators
    if len(people) < 2:
        return
    # Without a coefficient of all annotators, the mean over pairs is compared.
    of = "alpha" if any(not math.isnan(row.alpha_gain) for row in people) else "pairs"
    first = next((row for row in result.overall if row.main and _is_of_pairs(row)), None)
    form = "coefficient" if of == "alpha" or first is None else result.form_of(first)
    name = of if of == "alpha" or first is None else result.title(first.measure)
    rows: list[list[Any]] = []
    for row in sorted(people, key=lambda row: (-_known(getattr(row, f"{of}_gain")), _known(row.agreement), row.name)):
        leanings = sorted(row.bias.items(), key=lambda pair: (-abs(pair[1]), pair[0]))[:2]
        shares = [
            f"{spell_controls(label)} {'+' if share > 0 else '−'}{abs(100 * share):.1f}"
            for label, share in leanings
            if abs(share) >= 0.005
        ]
        gains = [getattr(row, f"{of}_without"), getattr(row, f"{of}_gain"), (row.p_adjusted, row.stands_out)]
        rows.append([row.name, row.items, row.agreement, row.kappa, *gains, ", ".join(shares) or DASH])
    header = ["annotator", f"{_noun(result)}s", "agrees", "kappa", f"{name} without", "gain", "p (Holm)", "leans to"]
    forms = ["text", "count", "percent", "coefficient", form, DIFFERENCES[form], "holm", "text"]
    lacking = [*(at for at, lost in ((1, not any(row[1] for row in rows)), (2, _lacks(rows, 2))) if lost)]
    lacking += [at for at in (3, 4, 5) if _lacks(rows, at)] + [6] * all(math.isnan(row[6][0]) for row in rows)
    kept = [at for at in range(len(header)) if at not in lacking]
    meanings = {
        2: "agrees: mean share of the others who give the same label",
        3: "kappa: against the majority of the others",
        4: f"{name} without: {'of the others alone' if of == 'alpha' else 'mean over the pairs of the others'}",
        5: f"gain: this minus {name} of all",
        6: "p: test whether the others are closer to each other than to this annotator (bold: stands out)",
        7: "leans to: this annotator's share of a label minus the others', in points",
    }
    told = "; ".join(text for at, text in meanings.items() if at in kept)
    drop = [kept.index(at) for at in (7, 3) if at in kept]
    over = "Over places that at least one annotator marks; ∅: no mark there. "
    over = (over if of == "pairs" else f"Over {_noun(result)}s that others rated too. ") if 1 in kept else ""
    yield make_table(
        "Annotators",
        [header[at] for at in kept],
        [[row[at] for at in kept] for row in rows],
        " ".join(forms[at] for at in kept),
        notes=[f"{over}{told}."],
        short=25,
        droppable=drop,
    )


def _known(value: float) -> float:
    """A number to sort by; what is undefined comes last."""
    return -math.inf if math.isnan(value) else value


def _lacks(rows: list[list[Any]], at: int) -> bool:
    return all(math.isnan(row[at]) for row in rows)


def _confused(result: Result) -> Iterator[Table]:
    """Which annotator gives which label if most of the others give another."""
    rows = sorted(result.confused_labels, key=lambda row: (-row.items, row.annotator, row.label, row.other))
    listed = f" The {_CONFUSED} most frequent of {len(rows):,}; --format json has all." * (len(rows) > _CONFUSED)
    yield make_table(
        "Labels confused by annotator",
        ["annotator", "label", "most others", f"{_noun(result)}s", "% of label"],
        [(row.annotator, row.label, row.other, row.items, row.share) for row in rows[:_CONFUSED]],
        "text text text count percent",
        words=3,
        short=SHORT,
        minor=True,
        notes=[
            f"{_noun(result).capitalize()}s that most of the others label differently, in percent of those with the "
            f"annotator's label.{listed}"
        ],
    )


def _label_matrix(result: Result) -> Iterator[Table]:
    """The labels that annotators confuse."""
    labels = list(dict.fromkeys(row.first for row in result.coincidences))
    by_key = {(row.first, row.second): row for row in result.coincidences}
    if len(labels) < 2:
        return
    if len(labels) <= MATRIX:
        rows: list[list[Any]] = []
        for label in labels:
            total = sum(row.count for row in result.coincidences if row.first == label)
            shares = (percent(by_key[label, other].share) if (label, other) in by_key else "·" for other in labels)
            rows.append([label, f"{total:,.0f}", *shares])
        note = (
            f"For each label (row): how often the other annotators gave the same {_noun(result)} each label "
            "(column), in percent. The diagonal is agreement."
        )
        yield make_table("Labels against labels", ["label", "given", *labels], rows, notes=[note])
        return
    off = [row for row in result.coincidences if row.first < row.second]
    yield make_table(
        "Labels against labels",
        ["label", "other label", "pairs", "% of label", "% of other"],
        [
            (row.first, row.second, f"{row.count:,.1f}", row.share, by_key[row.second, row.first].share)
            for row in sorted(off, key=lambda row: (-row.count, row.first))
        ],
        "text text text percent percent",
        words=2,
        short=SHORT,
        notes=["Labels that annotators gave to the same items, most frequent first."],
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
        labels = "; ".join(
            f"{label}: {', '.join(names) if len(names) < 4 else f'{len(names)} annotators'}"
            for label, names in sorted(by_label.items(), key=lambda pair: -len(pair[1]))
        )
        majority = row.majority if row.majority.count(" / ") < 2 else "(tied)"
        rows.append([row.item, f"{row.value:.3f}", majority, labels, row.text])
    columns = 5 if any(row[4] for row in rows) else 4
    items = f"{_noun(result).capitalize()}s"
    yield make_table(
        f"{items} to adjudicate",
        [_noun(result), "disagreement", "majority", "labels given", "text"][:columns],
        [row[:columns] for row in rows],
        words=5,
        short=SHORT,
        notes=[
            f"{items} with the largest mean distance between two ratings. --examples N shows more; --items PATH "
            "writes all."
        ],
        droppable=(4,)[: columns - 4],
    )


def _label_scores(result: Result) -> Iterator[Table]:
    """Agreement of pairs on each label."""
    labelled = [row for row in result.scores if row.slice is None and row.label is not None and _is_of_pairs(row)]
    labelled = sorted((row for row in labelled if row.main or row.score in _FURTHER), key=lambda row: row.measure)
    for measure, group in groupby(labelled, key=lambda row: row.measure):
        by_label = {(str(row.label), row.system): row for row in group}
        names = list(dict.fromkeys(pair for _, pair in by_label))
        names = [PAIRS_MEAN] if len(names) > PAIRS else names
        if all(math.isnan(row.value) for (_, pair), row in by_label.items() if pair in names):
            continue
        shares, title = all(row.score == "agreement" for row in by_label.values()), result.title(measure)
        labels = dict.fromkeys(label for label, _ in by_label)
        rows = [[label, *(value_of(by_label.get((label, pair))) for pair in names)] for label in labels]
        title = f"Agreement by label ({title})" if shares else f"{title} by label"
        more = {"short": 25, "droppable": range(len(names) - 1, 0, -1)}
        form = result.form_of(next(iter(by_label.values())))
        yield make_table(title, ["label", *names], rows, f"text {form}", **more)


def _slices(result: Result) -> Iterator[Table]:
    """The main scores of all annotators, and the means over pairs, by a slice."""
    rows = [row for row in result.scores if row.slice is not None and row.label is None and row.main]
    few = {row.system for row in rows if " ~ " in row.system}
    shown = [row for row in rows if row.system in (ALL, PAIRS_MEAN) or len(few) == 1]
    for name, group in groupby(shown, key=lambda row: str(row.slice).partition("=")[0]):
        by_key = {(str(row.slice), row.measure): row for row in group}
        measures = list(dict.fromkeys(measure for _, measure in by_key))
        body = [
            [where.partition("=")[2], *(score_cell(result, by_key.get((where, measure))) for measure in measures)]
            for where in dict.fromkeys(where for where, _ in by_key)
        ]
        yield make_table(f"Agreement by {name}", [name, *map(result.title, measures)], body, short=25)


# --- systems ---


def _systems(result: Result, rows: list[Score]) -> Iterator[Table]:
    """Systems against several annotators."""
    by_key = {(row.system, row.measure, row.score): row for row in rows}
    names = list(dict.fromkeys(row.system for row in rows))
    ceilings, unit = [row for row in result.comparisons if row.a == CEILING], result.about.unit
    for measure in dict.fromkeys(row.measure for row in rows):
        order = list(_WAYS)
        ways = list(dict.fromkeys(row.score for row in rows if row.measure == measure))
        ways.sort(key=lambda way: order.index(way) if way in order else len(order))
        if not set(ways) & _WAYS.keys():
            if not measure.startswith("alt-test"):
                main = [name for name in names if (name, measure, ways[0]) in by_key]
                body = [
                    [name, *(score_cell(result, by_key.get((name, measure, way))) for way in ways)] for name in main
                ]
                yield make_table(measure, ["system", *ways], body, notes=["Lower is better."])
            continue
        body = []
        tests = {row.b: row for row in ceilings if row.measure == measure}
        for name in names:
            more: list[Any] = [DASH] * (3 if tests else 0)
            if test := tests.get(name):
                more[0] = cell(test.figure, "points")
                # With two annotators, there is no majority of the others.
                if test.annotators != 2:
                    more[1:] = [cell(test.p_items, "p"), cell(test.holm, "holm")]
            body.append([name, *(score_cell(result, by_key.get((name, measure, way))) for way in ways), *more])
        notes = [" ".join((_WAYS if measure == "accuracy" else _WAYS_OF_PAIRS)[way] for way in ways)]
        if any(row.annotators == 2 for row in tests.values()):
            notes.append("With only two annotators, there is no test against the human ceiling.")
        elif tests:
            family = next((row.family for row in ceilings if row.family), None)
            level = 100 * (next(row.level for row in ceilings) or 0.95)
            many = f", for {family.size:,} tests" if family and family.size > 1 else ""
            notes.append(
                f"− ceiling: difference in points, with the {level:.4g}% interval{many}. p (Holm) generalises to new "
                f"{unit}s and new annotators like these (Student's t); p (items) to new {unit}s and the same "
                f"annotators."
            )
        yield make_table(
            f"Systems against several annotators ({measure})",
            ["system", *ways, *(["− ceiling", "p (items)", "p (Holm)"] if tests else [])],
            body,
            notes=notes,
            droppable=(*[len(ways) + 2] * bool(tests), *range(len(ways) - 1, 0, -1)),
        )
    for measure, group in groupby(result.alt_tests, key=lambda row: row.measure):
        alt_tests = sorted(group, key=lambda row: -row.advantage if not math.isnan(row.advantage) else 1)
        first, costs = alt_tests[0], list(alt_tests[0].rates)
        body = []
        for row in alt_tests:
            rates = [DASH if math.isnan(rate) else f"{rate:.2f}" for rate in (*row.rates.values(), row.least_epsilon)]
            passed = {True: "passed", False: "not passed", None: DASH}[row.passed]
            winning = f"{row.winning_rate:.2f}" if row.passed is not None else DASH
            body.append([row.system, passed, winning, cell([row.advantage, row.low, row.high], "percent"), *rates])
        notes = [
            f"ω: share of annotators that the system beats at ε = {first.epsilon:g} (passed if 0.5 or more); ρ: how "
            f"often it is at least as close to the other annotators as the one it is compared with, in percent; then "
            f"ω at other values of ε. ε is the extra cost of a human: 0.2 for experts, 0.15 for skilled annotators, "
            f"0.1 for crowd workers."
        ]
        left = [row.name for row in first.annotators if row.won is None]
        notes += [f"Left out because of too few items: {', '.join(left[:10])}."] if left else []
        yield make_table(
            f"Alternative Annotator Test ({measure})",
            ["system", "verdict", "ω", "ρ", *(f"ε {cost}" for cost in costs), "least ε"],
            body,
            name="alt-test",
            words=2,
            notes=notes,
            droppable=range(4, 4 + len(costs)),
        )
        yield make_table(
            "Alternative Annotator Test by annotator",
            ["system", "annotator", f"{_noun(result)}s", "human − system", "p", "beaten"],
            [
                (test.system, row.name, row.items, row.difference, row.p, "yes" if row.won else "no")
                for test in alt_tests
                for row in test.annotators
                if row.won is not None
            ],
            "text text count points p text",
            name="alt-test",
            words=2,
            minor=len(alt_tests) > 1,
            short=SHORT,
        )
