"""The verdict: which system is better and how sure that is, in a sentence or two; never more than the numbers say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.result import Comparison, Result, enumeration
from assay.result.chance import is_too_short
from assay.result.numbers import p_value, percent, signed

LEVEL = 0.05
"""Below this p, after correction, a difference is not put down to chance."""
_RELIABLE, _TENTATIVE = 0.8, 0.667
"""Krippendorff's (2004) limits of alpha for conclusions that can be relied on, and for tentative ones."""


def verdict(result: Result) -> str:
    """The better system and how sure that is, by the first measure; of one system its score."""
    if result.bayes and len({(row.a, row.b) for row in result.bayes}) == 1:
        return " ".join(row.verdict for row in result.bayes)
    if result.command == "bayes":
        return " ".join(f"On {row.measure}, the worst first: {row.headline or row.chain}." for row in result.rankings)
    if result.command == "agreement":
        return _of_annotators(result)
    if result.systems_over_sets:
        return _over_sets(result)
    mains = [row for row in result.scores if row.main and row.slice is None and row.label is None]
    if not mains:
        return ""
    tests = result.main_tests
    measure = tests[0].measure if tests else mains[0].measure
    tests = [row for row in tests if row.measure == measure]
    rows = {row.system: row for row in mains if row.measure == measure}
    values = {name: row.value for name, row in rows.items()}
    if len(tests) == 1:
        said = _of_pair(tests[0], values, named(result, measure), result)
        return " ".join(filter(None, (said, _otherwise(result, tests[0]))))
    if len(rows) > 1:
        return _of_many(named(result, measure), values, tests)
    (row,) = rows.values()
    if math.isnan(row.value):
        return f"{named(result, measure)} of {row.system} is undefined."
    reached = f"{row.system} reaches {percent(row.value)} on {named(result, measure)}"
    return f"{reached}{_interval(row.low, row.high, ' (', ')')}."


def named(result: Result, measure: str) -> str:
    """The measure as people write it; of rival measures, which have several scores each, with the main one."""
    written, bracket, settings = result.title(measure).partition(" (")
    score = f" {result.title(result.main_scores[measure])}" if result.rivals else ""
    return f"{written}{score}{bracket}{settings}"


def _of_pair(row: Comparison, values: Mapping[str, float], measure: str, result: Result) -> str:
    """Two systems on one measure, the better one first."""
    if row.units == 0 and row.runs is None:
        return f"{row.a} and {row.b} do not differ in any {result.unit} on {measure}: no difference."
    if math.isnan(row.p):
        return f"{row.a} and {row.b} cannot be compared on {measure}: it is undefined."
    sign = -1 if row.difference < 0 else 1
    better, worse = (row.b, row.a) if sign > 0 else (row.a, row.b)
    # With its sign the difference reads as in every table.
    change = f"{row.a} → {row.b} {signed(row.difference)}"
    if not (math.isnan(row.low) or is_too_short(row, result.units)):
        change += f", 95% interval {signed(row.low)} to {signed(row.high)}"
    figures = f"{percent(values[better])} and {percent(values[worse])}; {change}, {_p(row)}"
    points = percent(abs(row.difference))
    chance = "" if row.p_adjusted < LEVEL else ", which may be chance"
    if float(points) == 0:
        return f"{better} and {worse} are equally good on {measure} ({figures})."
    return f"{better} is {points} points better than {worse} on {measure}{chance} ({figures})."


def _otherwise(result: Result, first: Comparison) -> str:
    """The first of the rival measures that says otherwise."""
    sure = first.p_adjusted < LEVEL
    of_scores = (row for row in result.comparisons if row.is_of_score and row.slice is None)
    for row in of_scores if result.rivals else ():
        if row.measure == first.measure or row.score != first.score or math.isnan(row.p):
            continue
        points, better = percent(abs(row.difference)), row.b if row.difference > 0 else row.a
        on = named(result, row.measure)
        if row.p_adjusted < LEVEL and not (sure and (row.difference > 0) == (first.difference > 0)):
            return f"On {on}, however, {better} is better ({points} points, {_p(row)})."
        if row.p_adjusted >= LEVEL and sure:
            return f"On {on}, however, the difference may be chance ({points} points, {_p(row)})."
    return ""


def _of_many(measure: str, values: Mapping[str, float], tests: Sequence[Comparison]) -> str:
    """The best of several systems and over which of them it is ahead beyond chance, or all beside their baseline."""
    defined = {name: value for name, value in values.items() if not math.isnan(value)}
    if not defined:
        return f"The systems cannot be compared on {measure}: it is undefined."
    first, *others = sorted(defined, key=lambda name: -defined[name])
    equal = [name for name in others if defined[name] == defined[first]]
    if not tests:
        also = f"{enumeration([first, *equal])} have" if equal else f"{first} has"
        return f"{also} the highest {measure}, {percent(defined[first])}; the differences were not tested."
    common = set.intersection(*({row.a, row.b} for row in tests))
    if common:
        return _beside_baseline(common.pop(), measure, defined, tests)
    if equal:
        return f"{enumeration([first, *equal])} share the highest {measure}, {percent(defined[first])}."
    sure = {
        row.b if row.a == first else row.a for row in tests if first in (row.a, row.b) and row.p_adjusted < LEVEL
    }
    unsure = [name for name in others if name not in sure]
    best = f"{first} is the best of {len(defined)} systems on {measure} with {percent(defined[first])}"
    ahead = f"{percent(defined[first] - defined[others[0]])} points ahead of {others[0]}"
    if not unsure:
        return f"{best}, {ahead}, and better than each of the others (p < 0.05 after Holm)."
    if len(unsure) == len(others):
        return f"{best}, {ahead}, but all its leads may be chance (p > 0.05 after Holm)."
    return f"{best}, {ahead}; its lead over {enumeration(unsure)} may be chance (p > 0.05 after Holm)."


def _beside_baseline(base: str, measure: str, values: Mapping[str, float], tests: Sequence[Comparison]) -> str:
    """The systems that are better than the one that all were tested against, worse, or not told apart from it."""
    found: dict[str, list[str]] = {"better": [], "worse": [], "": []}
    for row in tests:
        difference = row.difference if row.a == base else -row.difference
        kind = "" if not row.p_adjusted < LEVEL else "better" if difference > 0 else "worse"
        found[kind].append(f"{row.b if row.a == base else row.a} ({signed(difference)})")
    said = [
        f"{enumeration(names)} {'is' if len(names) == 1 else 'are'} {kind} than {base} (p < 0.05 after Holm)"
        for kind, names in found.items()
        if kind and names
    ]
    if found[""]:
        several = len(found[""]) > 1
        said.append(f"the difference{'s' * several} of {enumeration(found[''])} from {base} may be chance")
    return f"On {measure}, where {base} has {percent(values.get(base, math.nan))}, {'; '.join(said)}."


def _of_annotators(result: Result) -> str:
    """A sentence on how well all annotators agree and what that allows, and on whether systems reach them."""
    sentences = []
    rows = [row for row in result.scores if row.main and row.slice is None and row.label is None]
    for row in rows:
        if row.system != "all annotators" or row.measure.partition("(")[0] != "alpha":
            continue
        many = len(result.annotators) or len(result.systems)
        figures = f"{result.title(row.measure)} {percent(row.value)}{_interval(row.low, row.high, ', ')}"
        if math.isnan(row.value):
            sentences.append(f"The agreement of {many} annotators beyond chance ({row.measure}) is undefined.")
        elif row.low >= _RELIABLE:
            sentences.append(f"The {many} annotators agree reliably: {figures}, above 80.")
        elif row.high < _TENTATIVE:
            sentences.append(f"The {many} annotators agree too little for conclusions: {figures}, below 66.7.")
        elif row.low >= _TENTATIVE:
            sentences.append(f"The {many} annotators agree enough for tentative conclusions: {figures}, above 66.7.")
        else:
            sentences.append(
                f"Whether the {many} annotators agree well enough is not sure: {figures}; from 66.7 on conclusions "
                "are tentative, from 80 on reliable."
            )
        break
    if not sentences:
        pairs = [row for row in rows if row.system == "mean of all pairs" or len(result.systems) == 2]
        for row in [row for row in pairs if not math.isnan(row.value)][:1]:
            names = [source.name for source in result.systems]
            who = enumeration(names) if len(names) == 2 else f"two of the {len(names)} annotators"
            told = f"{percent(row.value)} {named(result, row.measure)}"
            told += " on average" if len(names) > 2 else _interval(row.low, row.high, " (", ")")
            sentences.append(f"The agreement of {who} is {told}.")
    for test in [row for row in result.comparisons if row.a == "human ceiling"][:3]:
        points = f"{percent(abs(test.difference))} points"
        where = f"{points} above" if test.low > 0 else f"{points} below" if test.high < 0 else "not told apart from"
        low, high = sorted((test.low, test.high)) if test.difference > 0 else sorted((-test.high, -test.low))
        sentences.append(f"{test.b} is {where} the human ceiling{_interval(low, high, ' (', ')')}.")
    return " ".join(sentences)


def _interval(low: float, high: float, before: str = "", end: str = "") -> str:
    """The 95% interval in words, between what stands around it; nothing where there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    ends = [signed(value).removeprefix("+") for value in (low, high)]
    return f"{before}95% interval {ends[0]} to {ends[1]}{end}"


def _p(row: Comparison) -> str:
    """p, and what Holm's correction makes of it where that is another figure."""
    texts = [p_value(row.p), p_value(row.p_adjusted)]
    p, adjusted = (f"p < {text[1:]}" if text.startswith("<") else f"p = {text}" for text in texts)
    return p if texts[0] == texts[1] else f"{p}, after Holm {adjusted.removeprefix('p ').removeprefix('= ')}"


def _over_sets(result: Result) -> str:
    """The better system over data sets by the first measure, on how many it is ahead, and on how many surely."""
    measure, number = result.systems_over_sets[0].measure, result.systems_over_sets[0].data_sets
    own = [row for row in result.systems_over_sets if row.measure == measure]
    rows = {row.system: row for row in own if not math.isnan(row.average)}
    pairs = [row for row in result.pairs_over_sets if row.measure == measure]
    ranked = [row for row in result.ranks if row.measure == measure]
    measure = named(result, measure)
    if not rows:
        return f"No data set has {measure} of all systems, so that there is no average."
    total = len({row.slice for row in result.scores if row.slice})
    common = " that all systems have" * (number < total)
    over = f"averaged over {f'the {number}' if common else number} data sets" if number > 1 else "on the one data set"
    over = "on one data set" if total == 1 else f"{over}{common}"
    correction = f"p < {LEVEL} after Holm's correction over data sets"
    if len(rows) == 2 and len(pairs) == 1 and round(pairs[0].difference, 12):
        pair = pairs[0]
        sides = [(pair.a, pair.a_better, pair.a_significant), (pair.b, pair.b_better, pair.b_significant)]
        (worse, behind, against), (better, ahead, sure) = sides if pair.difference > 0 else reversed(sides)
        lost = f" {worse} is ahead on {behind}, significantly on {against or 'none'}." if behind else ""
        return (
            f"{better} is {percent(abs(pair.difference))} points better than {worse} on {measure}, {over}: it is "
            f"ahead on {ahead}, significantly on {sure or 'none'} ({correction}).{lost}"
        )
    highest = max(row.average for row in rows.values())
    best = [name for name, row in rows.items() if round(row.average - highest, 12) == 0]
    if len(rows) == 1:
        return f"{best[0]} reaches {percent(highest)} on {measure}, {over}."
    if len(best) > 1:
        return f"{enumeration(best)} share the highest {measure}, {percent(highest)}, {over}."
    first = rows[best[0]]
    second = max((row for row in rows.values() if row is not first), key=lambda row: row.average)
    ahead_by = f"{percent(highest - second.average)} points ahead of {second.system}"
    won = f"It is the best on {first.best or 'none'} of {number}"
    # Against a baseline alone, not all leads are tested.
    if first.best and len(pairs) == len(own) * (len(own) - 1) // 2:
        won += f", significantly ahead of every other system on {first.significant or 'none'} ({correction})"
    head = f"{best[0]} is the best of {len(rows)} systems on {measure} with {percent(highest)}"
    sentence = f"{head}, {over}, {ahead_by}. {won}."
    for ranks in ranked:
        p = p_value(ranks.friedman_p)
        friedman = f"Friedman's test, p {'<' if p.startswith('<') else '='} {p.removeprefix('<')}"
        if not ranks.friedman_p < LEVEL:
            return f"{sentence} Ranks over data sets do not tell the systems apart ({friedman})."
        leader, *others = ranks.ranks
        apart = [name for name in others if not set(ranks.groups[name]) & set(ranks.groups[leader])]
        told = "each other system" if len(apart) == len(others) else enumeration(apart or ["none of the others"])
        sentence += (
            f" Ranks differ over data sets ({friedman}); {leader} has the best mean rank, {ranks.ranks[leader]:.2f}, "
            f"and is told apart from {told} (signed-rank test, p < {LEVEL} after Holm)."
        )
    return sentence
