"""The verdict: a sentence or two made of facts, of the kind that these allow and of nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from assay.result import Bound, Comparison, Result, Score, enumeration
from assay.result.chance import level_title
from assay.result.grammar import ALPHA, BETTER, NOTABLE, SURE, Decision, Facts, decide_kind
from assay.result.numbers import DIFFERENCES, WRITERS, coefficient, interval, p_value, percent, plural, points, signed
from assay.result.schema import Posterior, Record

NAMES = 5
"""The number of systems that are named in a sentence; of more, the number of the others is given."""
WIDE = 1.5
"""From this ratio of standard errors over documents and over sentences on, the verdict says so."""

_MOST_PAIRS = 4
"""So many pairs are named in a sentence."""


class Verdict(Record):
    """What a Result says in a sentence or two, as data and as text."""

    kind: str
    claims: tuple[str, ...]
    systems: Mapping[str, str]
    facts: Mapping[str, Any]
    text: str


def make_verdict(result: Result) -> Verdict:
    """The verdict by the first measure: the better system and how sure that is, or the score of one system."""
    # The facts of each sentence; the first is the verdict.
    parts: list[dict[str, Any]] = []
    if result.about.command == "bayes":
        for ranking in result.rankings:
            pairs = pairs_on(result, ranking.measure)
            said = summarise_pairs(result, ranking.measure, whole=len(result.bayes) == 1)
            if len(pairs) == 1:
                (row,) = pairs
                pair = {"type": "bayes", "a": row.a, "b": row.b, "measure": row.measure, "model": row.model}
                parts.append({**pair, "shares": {**vars(row.decision)}, "margin": row.rope or None, "said": said})
            else:
                named = said if describe_ranks(result, ranking.measure) else f"On {ranking.measure}: {said}"
                parts.append({"type": "order", "said": named})
        parts += [{"type": "order", "said": _said_of_runs(result, row)} for row in result.comparisons[:1]]
    elif result.about.command == "agreement":
        parts = list(_facts_of_annotators(result))
    elif result.about.command != "plan":
        mains, tests = [row for row in result.overall if row.main], result.main_tests
        measure = tests[0].measure if tests else mains[0].measure if mains else ""
        tests = [row for row in tests if row.measure == measure]
        rows = [row for row in mains if row.measure == measure]
        if len(tests) == 1:
            parts = list(_facts_of_pair(result, tests[0]))
        elif len(rows) > 1:
            parts = [_facts_of_many(result, rows, tests)]
        elif rows:
            parts = [_facts_of_score(result, rows[0])]
    if not parts:
        return Verdict("", (), {}, {}, "")
    facts, decision = parts[0], decide_kind(parts[0])
    systems = {role: str(facts.get(name, name)) for role, name in decision.systems.items()}
    return Verdict(decision.kind, decision.claims, systems, facts, " ".join(map(sentence, parts)))


def verdict_on(result: Result, row: Comparison) -> str:
    """The sentences on two systems by themselves."""
    return " ".join(map(sentence, _facts_of_pair(result, row)))


def sentence(facts: Facts) -> str:
    """The sentences that facts allow."""
    return _TEXTS[facts["type"]](facts, decide_kind(facts))


def _said_of_runs(result: Result, row: Comparison) -> str:
    """The means of runs on one data set, and the pairs that differ significantly."""
    rows = sorted((score for score in result.overall if score.measure == row.measure), key=lambda score: score.value)
    write, tests = WRITERS[result.form_of(row)], [test for test in result.comparisons if test.measure == row.measure]
    means = [f"{score.system} {write(score.value)} ± {write(score.runs.spread)}" for score in rows if score.runs]
    named = enumeration([f"{test.a} and {test.b}" for test in tests if test.is_significant] or ["none"])
    found = "no significant difference" if named == "none" else f"{named} differ significantly"
    p = _p(row.p, row.p_adjusted, "") if len(tests) == 1 else "p (Holm)"
    return f"Mean {row.measure} over runs on one data set: {enumeration(means)}; {found} ({p}, runs exchanged)."


def describe_ranks(result: Result, measure: str) -> str:
    """The pairs that differ significantly over data sets by Wilcoxon's test; empty if there is no such test.

    It comes before the shares of the Bayesian test, which reaches .95 more often between equally good systems.
    """
    rows = [row for row in result.pairs_over_sets if row.measure == measure and not math.isnan(row.signed_rank)]
    ranked = [test for row in result.ranks if row.measure == measure for test in row.pairs]
    holm = {(test.a, test.b): test.wilcoxon_holm for test in ranked}
    p = {(row.a, row.b): holm.get((row.a, row.b), row.signed_rank) for row in rows}
    apart = [pair for pair, value in p.items() if value <= ALPHA]
    if not rows:
        return ""
    least = _p(min(p.values()), math.nan, "")
    test = f"over {rows[0].data_sets} data sets (Wilcoxon's signed-rank test, "
    if len(rows) == 1:
        (row,) = rows
        word, better = "differ" if apart else "do not differ", max((row.b_better, row.b), (row.a_better, row.a))
        where = f"{better[1]} is better on {better[0]}" if row.a_better != row.b_better else "each is better as often"
        return f"{row.a} and {row.b} {word} significantly on {measure} {test}{least}; {where})."
    if not apart:
        least = least.replace("p", "p (Holm)", 1)
        return f"On {measure}, no two systems differ significantly {test}smallest {least})."
    few = ", ".join(f"{a} and {b}" for a, b in apart)
    named = few if len(apart) <= _MOST_PAIRS else f"{len(apart)} of {len(rows)} pairs of systems"
    return f"On {measure}, {named} differ significantly {test}p (Holm) at most {ALPHA:g})."


# --- facts ---


def _facts_of_score(result: Result, row: Score) -> dict[str, Any]:
    bare = math.isnan(row.low) or bool(row.too_short)
    return {
        **{
            "type": "score",
            "system": row.system,
            "measure": name_measure(result, row.measure),
            "form": result.form_of(row),
        },
        **{"value": _known(row.value), "low": None if bare else row.low, "high": None if bare else row.high},
        **{"unit": result.about.unit, "units": result.about.units},
        **{"assumed": row.assumed, "rare_labels": list(row.too_short)},
        "sets": result.systems_over_sets[0].data_sets if result.systems_over_sets else None,
        "all_sets": _number_of_sets(result),
    }


def pair_facts(row: Comparison, **further: Any) -> dict[str, Any]:
    """The facts of a comparison that decide its kind; its ends are those of the family's level."""
    low, high = (row.low, row.high) if row.low_family is None else (row.low_family, row.high_family)
    return {
        "type": "average" if row.family is not None and row.family.question == "average" else "pair",
        **{"differ": max(row.units, row.runs is not None), "difference": _known(row.difference)},
        **{"low": _known(low), "high": _known(high), "level": row.level or 0.95},
        **{"p": _known(row.p), "p_adjusted": _known(row.p_adjusted), "few": row.few},
        **{"margin": row.margin, "low90": row.low90, "high90": row.high90},
        **_direction(row),
        **further,
    }


def _facts_of_pair(result: Result, row: Comparison) -> Iterator[dict[str, Any]]:
    """The facts of two systems on one measure, and those of the first rival measure that says otherwise."""
    tests, about, with_judge = [row], result.about, {judged.measure for judged in result.judges}
    for other in result.comparisons if result.shown.rivals else ():
        same = {other.a, other.b} == {row.a, row.b} and other.score == row.score and other.measure != row.measure
        better, better_here = (
            "" if test.kind not in BETTER else test.b if test.gain > 0 else test.a for test in (row, other)
        )
        decided = other.is_of_score and other.slice is None and other.kind not in ("undefined", "identical", "")
        if same and decided and better != better_here:
            tests.append(other)
            break
    for test in tests:
        key = (test.measure, test.score, None, test.slice)
        scores = [score for score in result.scores if (score.measure, score.score, score.label, score.slice) == key]
        values = {score.system: score.value for score in scores}
        further: dict[str, Any] = {}
        if test.kind.removeprefix("average-") == "untestable":
            further = {"smallest_adjusted": 1.0, "needed": test.needed}
        elif test.kind.removeprefix("average-") == "unsettled":
            further = {"low_adjusted": 0.0, "high_adjusted": 1.0, "p_low": test.p_low, "p_high": test.p_high}
        if test.family is not None and test.family.question == "average":
            key_of_pair = (test.a, test.b, test.measure)
            over = next(pair for pair in result.pairs_over_sets if (pair.a, pair.b, pair.measure) == key_of_pair)
            shown = over.a_significant + over.b_significant
            further |= {"sets": over.data_sets, "all_sets": _number_of_sets(result), "shown_on": shown}
        # The numbers of runs of both systems, if a system has several.
        numbers = {score.system: score.runs.number for score in result.scores if score.runs is not None}
        yield pair_facts(
            test,
            **{"a": test.a, "b": test.b, "measure": name_measure(result, test.measure), "times": about.times},
            # With a judge, scores and differences are estimated by themselves, and do not add up.
            **{
                key: None if test.measure in with_judge else _known(values.get(name))
                for key, name in (("value_a", test.a), ("value_b", test.b))
            },
            **{"unit": about.unit, "units": about.units},
            **{"documents": about.documents, "cluster_ratio": about.cluster_ratio},
            **{"clustered": "clustered" in test.claims, "family_size": test.family.size if test.family else 1},
            form=result.form_of(test),
            runs=[numbers.get(name, 1) for name in (test.a, test.b)] if test.runs else None,
            **{"p_equivalent": test.p_equivalent, "p_not_worse": test.p_not_worse},
            **further,
            **({"however": True} if test is not row else {}),
            **_humans_alone(result),
        )


def _humans_alone(result: Result) -> dict[str, bool]:
    """With a judge: systems without a difference have none in the items of humans, but perhaps in others."""
    return {"humans_alone": True} if result.judges else {}


def _number_of_sets(result: Result) -> int:
    """The number of data sets of a Result over several."""
    return len({row.slice for row in result.scores if row.slice}) if result.systems_over_sets else 0


def _facts_of_many(result: Result, rows: Sequence[Score], tests: Sequence[Comparison]) -> dict[str, Any]:
    """The facts of the system with the highest score, or of all systems against their baseline."""
    values = {row.system: row.value for row in rows if not math.isnan(row.value)}
    highest = (min if rows[0].lower else max)(values.values(), default=math.nan)
    top = [name for name, value in values.items() if round(value - highest, 12) == 0]
    common = set.intersection(*({row.a, row.b} for row in tests)) if len(tests) > 1 else set()
    base = next(iter(common), None)
    leader = base or (top[0] if top else "")
    beside = {row.b if row.a == leader else row.a: row for row in tests if leader in (row.a, row.b)}
    beside = {name: row for name, row in beside.items() if base is not None or name not in top}
    between = [row for row in tests if {row.a, row.b} <= {*top}]
    sets = next((row.data_sets for row in result.systems_over_sets), None)
    return {
        **{"type": "many", "systems": len(values), "measure": name_measure(result, rows[0].measure), "sets": sets},
        **{"form": result.form_of(rows[0]), "all_sets": _number_of_sets(result)},
        **{"top": top, "values": values, "unit": result.about.unit, "baseline": base, **_humans_alone(result)},
        "leads": {name: row.kind.removeprefix("average-") for name, row in beside.items()},
        "differences": {name: row.difference if row.a == leader else -row.difference for name, row in beside.items()},
        "top_identical": bool(between) and all(row.kind.endswith("identical") for row in between),
        "family_size": next((row.family.size for row in tests if row.family), len(tests)),
        "documents": result.about.documents if any("clustered" in row.claims for row in tests) else 0,
        "cluster_ratio": result.about.cluster_ratio,
        "won": next((row.best for row in result.systems_over_sets if row.system == leader), None),
        "shown_on": next((row.significant for row in result.systems_over_sets if row.system == leader), None),
        **_direction(rows[0]),
    }


def _facts_of_annotators(result: Result) -> Iterator[dict[str, Any]]:
    """The facts of the agreement of all annotators, or of pairs of them, and of systems compared with them."""
    rows = [row for row in result.overall if row.main]
    known = result.about.agreement_facts
    alphas = [row for row in rows if row.system == "all annotators" and row.measure.partition("(")[0] == "alpha"]
    names = result.names
    for row in alphas[:1] if known else ():
        assert known is not None
        yield {
            **{"type": "agreement", "coefficient": result.title(row.measure), "value": _known(row.value)},
            **{"low": _known(row.low), "high": _known(row.high), "items": known.items},
            **{"minority_items": known.minority_items, "annotators": known.annotators, "level": known.level},
            "level_assumed": known.level_assumed,
            **_facts_of_deviation(result, row, "alpha"),
            "ordinal": next((other.value for other in rows if other.measure == "alpha(level=ordinal)"), None),
        }
    pairs = [row for row in rows if row.system == "mean of all pairs" or len(names) == 2]
    for row in [row for row in pairs if not (alphas or math.isnan(row.value))][:1]:
        yield {
            **{"type": "pairs", "measure": name_measure(result, row.measure), "value": row.value, "names": names},
            **{"low": _known(row.low), "high": _known(row.high), "form": result.form_of(row)},
            **_facts_of_deviation(result, row, "pairs"),
        }
    tests = [row for row in result.comparisons if row.a == "human ceiling"]
    if tests:
        yield {
            **{"type": "ceilings", "family_size": tests[0].family.size if tests[0].family else len(tests)},
            "systems": [
                {
                    **{"system": row.b, "annotators": row.annotators or 0, "difference": _known(row.difference)},
                    **{"p": _known(row.p), "p_adjusted": _known(row.p_adjusted)},
                    **{"low": _known(row.figure[1]), "high": _known(row.figure[2]), "level": row.level or 0.95},
                    **{"margin": row.margin, "low90": row.low90},
                    # p_not_worse is that of the side that scores higher.
                    "p_not_worse": row.p_not_worse if row.difference > 0 else row.p_equivalent,
                }
                for row in tests
            ],
        }


def _facts_of_deviation(result: Result, row: Score, of: str) -> dict[str, Any]:
    """Facts on the annotators without whom agreement rises, if there are three or more: those who stand out, or the
    one without whom it is highest."""
    known = [person for person in result.annotators if not math.isnan(getattr(person, f"{of}_gain"))]
    if len(known) < 3 or len(known) < len(result.annotators) or math.isnan(row.value):
        return {}
    ranked = sorted(known, key=lambda person: (-getattr(person, f"{of}_gain"), person.name))
    people = [person for person in ranked if person.stands_out]
    tested = not all(math.isnan(person.p_adjusted) for person in known)
    named = [{"name": person.name, "without": getattr(person, f"{of}_without")} for person in people or ranked[:1]]
    return {"deviation": {"form": result.form_of(row), "stands_out": bool(people), "tested": tested, "people": named}}


def name_measure(result: Result, measure: str) -> str:
    """The measure as people write it, with the kind of average that its main score is; of rival measures, which have
    several scores each, with the main one."""
    written, bracket, settings = result.title(measure).partition(" (")
    main = result.main_scores[measure]
    if not result.shown.rivals and main in ("macro-f1", "weighted-f1"):
        written = f"{main.removesuffix('-f1')} {written}"
    elif not result.shown.rivals and f"main {measure}" in result.shown.remarks:
        written = f"{written} {result.title(main)}"
    score = f" {result.title(main)}" if result.shown.rivals else ""
    return f"{written}{score}{bracket}{settings}"


def _direction(row: Score | Comparison) -> dict[str, bool]:
    """The facts of a score of which more is not better."""
    return {**({"lower": True} if row.lower else {}), **({} if row.judged else {"judged": False})}


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


# --- texts ---


_UNJUDGED = {False: "neither higher nor lower is better", True: "this alone makes no system better"}
"""Scores without a verdict, by whether less of them is better."""


def _pair(facts: Facts, found: Decision) -> str:
    """Two systems, the one with the higher score first."""
    a, b, unit = facts.get("a", "a"), facts.get("b", "b"), facts.get("unit", "sentence")
    kind, claims, difference = found.kind.removeprefix("average-"), found.claims, facts["difference"]
    form, sets = facts.get("form", "percent"), facts.get("sets") or 0
    write, write_signed = WRITERS[form], WRITERS[DIFFERENCES[form]]
    on = f"{facts.get('measure', 'accuracy')}{_over(facts)}"
    count = f" A difference is shown on {facts['shown_on'] or 'none'} of the {sets}." if sets > 1 else ""
    if kind == "undefined":
        lacking = [name for name, key in ((a, "value_a"), (b, "value_b")) if facts.get(key) is None]
        whose = f" for {enumeration(lacking)}" if lacking else ""
        return f"{a} and {b} cannot be compared on {on}: it is undefined{whose}."
    if kind == "identical":
        if facts.get("humans_alone"):
            return f"On {on}, {a} and {b} do not differ in any {unit}{_labelled(facts)}."
        return f"On {on}, {a} and {b} do not differ in any {unit}.{count}"
    differ = plural(facts["differ"], unit)
    size_of_margin = points if form == "percent" else write
    margin = f"the margin of {size_of_margin(facts['margin'])}" if facts.get("margin") else ""
    too_few = f"too few {unit}s differ to compare the difference with {margin}" if margin else ""
    if kind == "tied":
        value = facts.get("value_a")
        figure = "" if value is None else f" ({write(value)})"
        skipped = f"; {too_few}" if margin else ""
        return f"{a} and {b} have the same {on}{figure} but differ in {differ}{skipped}.{count}"
    less = bool(facts.get("lower"))
    # The better of the two systems, the other, and the sign of the difference.
    sign, word = 1 if difference > 0 else -1, "lower" if less else "higher"
    higher, lower = (b, a) if (difference > 0) != less else (a, b)
    # In the order of the names in the sentence.
    values = [facts.get("value_b"), facts.get("value_a")][:: -1 if kind == "equivalent" else -sign if less else sign]
    size = _size(difference, form)
    brackets = [" against ".join(write(value) for value in values if value is not None)]
    family = facts.get("family_size", 1)
    among = f" for {family:,} tests" if family > 1 else ""
    if kind == "untestable":
        needed = f"; at least {facts['needed']:,} must differ{among}" if facts.get("needed") else among
        needed += f"; {too_few}" * bool(margin and facts.get("few"))
        figures = f" ({brackets[0]})" if brackets[0] else ""
        return (
            f"{higher} scores {size} {word} than {lower} on {on}{figures}, but this cannot be tested: they differ in "
            f"only {differ}{needed}.{count}"
        )
    # With its sign the difference reads as in every table.
    change = f"{a} → {b} {write_signed(difference)}"
    if kind == "unjudged":
        both = " and ".join(
            write(value) for value in (facts.get("value_a"), facts.get("value_b")) if value is not None
        )
        figures = f"{both}; {change}, {_p(facts['p'], facts['p_adjusted'], among)}"
        return f"{a} and {b} differ by {size} on {on} ({figures}); {_UNJUDGED[less]}."
    low, high = facts["low"], facts["high"]
    if "interval" in claims:
        level = level_title(facts.get("level", 0.95))
        change += f", {level} interval {write_signed(low)} to {write_signed(high)}"
    elif "few" in claims:
        change += f", no interval, because they differ in only {differ}"
    p = _p(facts["p"], facts["p_adjusted"], among)
    if kind == "unsettled":
        p = f"p between {facts['p_low']:.4f} and {facts['p_high']:.4f}{' after Holm correction' * bool(among)}{among}"
    brackets.append(f"{change}, {p}")
    if facts.get("runs"):
        brackets.append(f"{' and '.join(map(str, dict.fromkeys(facts['runs'])))} runs")
    if "clustered" in claims:
        brackets.append(_clustered(facts))
    better = f"{higher} is {size} better than {lower} on {on}"
    scores = f"{higher} scores {size} {word} than {lower} on {on}"
    scores = scores if difference else f"{a} and {b} have the same {on}"
    near = (low if sign > 0 else -high) if "near-end" in claims else 0
    not_worse, other = (b, a) if found.systems.get("not_worse") == "b" else (a, b)
    times = facts.get("times", 10_000)
    text = {
        "different": f"{better}, at least {_size(near, form, bare=True)} judging by the "
        f"interval" if near > 0 else better,
        "more-than-margin": f"{better}, by more than {margin}",
        "trivial": f"{better}, by less than {margin}",
        "different-margin-open": f"{better}; it is open whether the difference exceeds {margin}",
        "equivalent": f"{a} and {b} are equivalent on {on}{',' * bool(_over(facts))} within {margin}",
        "not-worse": f"{scores}, and {not_worse} is not worse than {other} by {margin} or more",
        "open": f"{scores}; neither a difference nor equivalence within {margin} is shown",
        "unsettled": f"{scores}, but {times:,} random shufflings cannot decide whether p is below 0.05",
        "not-shown": f"{scores}, but the difference is not significant",
    }[kind]
    if "margin" not in claims:
        brackets.append(too_few)
    elif kind != "more-than-margin" and (low90 := facts["low90"]) is not None:
        # What is compared with the margin: the interval of the difference may say otherwise.
        high90 = facts["high90"]
        if low90 == -high90 and facts.get("p_equivalent") is None:
            brackets.append(f"the number of differing {unit}s allows a difference of at most {_size(high90, form)}")
        elif kind in ("trivial", "equivalent", "not-worse"):
            what, p = ("non-inferiority", "p_not_worse") if kind == "not-worse" else ("equivalence", "p_equivalent")
            level = level_title(1 - 2 * ALPHA / family)
            ends = f"{level} interval {write_signed(low90)} to {write_signed(high90)}"
            brackets.append(", ".join(filter(None, [_p_of(facts.get(p), what, family), ends])))
    text = f"{'However, ' * bool(facts.get('however'))}{text} ({'; '.join(filter(None, brackets))})."
    if "borderline" in claims:
        side, has = ("below", "contains") if "significant" in claims else ("above", "does not contain")
        text += f" The interval {has} 0 although p is {side} 0.05; the verdict follows p."
    if "alone-significant" in claims:
        text += f" Without correction p is below 0.05; corrected{among} it is not."
    return f"{text}{f' Draw more: --times {10 * times}.' * (kind == 'unsettled')}{count}"


def _over(facts: Facts) -> str:
    """The data sets that an average is over; nothing if there is none."""
    number = facts.get("sets")
    if not number:
        return ""
    common = " that all systems have" if number < (facts.get("all_sets") or 0) else ""
    return f", averaged over these {number:,} data sets{common}" if number > 1 else f", on one data set{common}"


def _clustered(facts: Facts) -> str:
    """The clause on documents that are not the unit."""
    number = f"{facts['documents']:,} " if facts.get("documents") else ""
    wide = facts.get("cluster_ratio") or 0
    error = f", over which the standard error is {wide:.1f} times as large" if wide > WIDE else ""
    unit = facts.get("unit", "sentence")
    return f"{unit}s are treated as independent, although they come from {number}documents{error}"


def _size(difference: float, form: str = "percent", *, bare: bool = False) -> str:
    """The size of a difference, for shares in points; two digits if the usual decimals do not show it."""
    size, text = abs(difference), WRITERS[form](abs(difference))
    unit, smallest = (" points", "0.01") if form == "percent" else ("", ".001")
    if size > 0 and not text.strip("0."):
        digits = f"{100 * size if form == 'percent' else size:.2g}"
        return digits if bare else f"less than {smallest}{unit} ({digits})"
    return text if bare else f"{text}{unit}"


def _p(p: float, adjusted: float, among: str) -> str:
    """p, and after Holm's correction if there are several tests."""
    texts = [p_value(p), p_value(adjusted)]
    first, second = (f"< {text[1:]}" if text.startswith("<") else f"= {text}" for text in texts)
    return f"p {first}, {second.removeprefix('= ')} after Holm correction{among}" if among else f"p {first}"


def _p_of(p: float | None, what: str, family: int = 1) -> str:
    """p of a test against the margin, after Bonferroni's correction if there are several tests."""
    if p is None:
        return ""
    text = p_value(min(1.0, p * family))
    corrected = f" after Bonferroni correction for {family:,} tests" if family > 1 else ""
    return f"p {f'< {text[1:]}' if text.startswith('<') else f'= {text}'} for {what}{corrected}"


def _some(names: Sequence[str], last: str = "and") -> str:
    """Names in a sentence, or the first of many and the number of the others; `last` joins the last one."""
    if len(names) > NAMES:
        names = [*names[: NAMES - 1], f"{len(names) - NAMES + 1} {'more' if last == 'and' else 'others'}"]
    return enumeration(names, last)


_UNSHOWN = {
    "not-shown": "it is not shown to be better than {others}",
    "untestable": "the difference from {names} cannot be tested, because too few {unit}s differ",
    "unsettled": "the random shufflings cannot decide whether it is better than {names}",
}
def _labelled(facts: Facts) -> str:
    return " that humans labelled" if facts.get("humans_alone") else ""


_OPPOSITE = {"not-shown": "no difference from {base} is shown for {names}", **{
    "untestable": "the difference from {base} cannot be tested for {names}, because too few {unit}s differ",
    "unsettled": "the random shufflings cannot decide whether {names} and {base} differ",
}}  # fmt: skip


def _many(facts: Facts, found: Decision) -> str:
    """The system with the highest score and what is shown of it, or all systems against their baseline."""
    measure, unit, leads = facts.get("measure", "accuracy"), facts.get("unit", "sentence"), facts["leads"]
    values, top, sets, over = facts.get("values", {}), facts["top"], facts.get("sets"), _over(facts)
    if not top:
        return f"The systems cannot be compared on {measure}: it is undefined."
    form, less = facts.get("form", "percent"), bool(facts.get("lower"))
    # A plural, such as records, is what is scored.
    noun = measure.partition(" (")[0]
    scored = f"score on {measure}" if noun.islower() and re.search("[^s]s$", noun) else measure
    most, over_next = ("lowest", "below") if less else ("highest", "above")
    write, write_signed = WRITERS[form], WRITERS[DIFFERENCES[form]]
    if found.kind == "unjudged":
        ends = f"{write(min(values.values()))} to {write(max(values.values()))}"
        return f"The systems have a {scored} of {ends}; {_UNJUDGED[less]}."
    highest = write(values[top[0]]) if values else ""
    figure = f" ({highest})" if highest else ""
    family = facts.get("family_size", len(leads))
    holm = f"p after Holm correction for {plural(family, 'test')}"
    groups: dict[str, list[str]] = {}
    for name, kind in leads.items():
        spoken = "better" if kind in BETTER else kind if kind in _UNSHOWN else "not-shown"
        groups.setdefault(spoken, []).append(name)
    trivial = [name for name, kind in leads.items() if kind in ("trivial", "equivalent")]
    margin, base = "", facts.get("baseline")
    if trivial:
        margin = f"the difference from {base or _some(trivial)} is below the margin"
        margin += f" for {_some(trivial)}" * bool(base)
    clustered = f"; {_clustered(facts)}" if facts.get("documents") else ""
    if found.kind == "baseline":
        base, differences = found.systems["baseline"], facts.get("differences", {})
        parts = []
        for word, sign in (("better", -1 if less else 1), ("worse", 1 if less else -1)):
            names = [name for name in groups.get("better", ()) if sign * differences.get(name, 1) > 0]
            signs = {name: f" ({write_signed(difference)})" for name, difference in differences.items()}
            listed = [f"{name}{signs.get(name, '')}" for name in names]
            parts += [f"{_some(listed)} {'is' if len(names) == 1 else 'are'} {word} than {base}"] if names else []
        parts += [
            pattern.format(names=_some(groups[kind]), base=base, unit=unit)
            for kind, pattern in _OPPOSITE.items()
            if kind in groups
        ]
        safe = [name for name, kind in leads.items() if kind == "not-worse"]
        safe = [name for name in safe if (differences.get(name, 0) > 0) != less]
        if safe:
            parts.append(f"{_some(safe)} {'is' if len(safe) == 1 else 'are'} not worse by the margin or more")
        score = f" ({measure}{over} {write(values[base])})" if base in values else ""
        clauses = "; ".join([*parts, *[margin] * bool(margin)])
        return f"Compared with {base}{score}: {clauses} ({holm}{clustered})."
    if len(top) > 1:
        same = f"; they do not differ in any {unit}{_labelled(facts)}" if "identical" in found.claims else ""
        return f"{_some(top)} share the {most} {scored}{figure}{over}{same}."
    first = top[0]
    number = f" of {facts['systems']} systems"
    others = sorted((name for name in values if name != first), key=lambda name: values[name], reverse=not less)
    above = f", {_size(values[first] - values[others[0]], form)} {over_next} {others[0]}" if others else ""
    count = ""
    if sets and sets > 1 and facts.get("won") is not None:
        count = f" It has the {most} score on {facts['won'] or 'none'} of them"
        count += f" and is better than every other system on {facts['shown_on'] or 'none'}."
    if found.kind == "leader-all":
        text = f"{first} is the best{number} on {measure}{figure}{over}{above}, and better than each of the others"
        return f"{text} (p at most 0.05{holm.removeprefix('p')}{clustered}){f'; {margin}' * bool(margin)}.{count}"
    head = f"{first} has the {most} {scored}{number}{figure}{over}{above}"
    if found.kind == "leader-untested":
        return f"{head}; the differences were not tested.{count}"
    parts = [f"it is better than {_some(groups['better'])}"] if "better" in groups else []
    if parts and "not-shown" in groups:
        parts[0] += f", but not shown to be better than {_some(groups.pop('not-shown'), 'or')}"
    if set(groups) == {"not-shown"}:
        parts = ["but it is not shown to be better than any other system"]
    else:
        parts += [
            pattern.format(names=_some(groups[kind]), others=_some(groups[kind], "or"), unit=unit)
            for kind, pattern in _UNSHOWN.items()
            if kind in groups
        ]
    joint = ", " if parts[0].startswith("but") else "; "
    clauses = "; ".join([*parts, *[margin] * bool(margin)])
    return f"{head}{joint}{clauses} ({holm}{clustered}).{count}"


def _score(facts: Facts, found: Decision) -> str:
    measure, system, unit = facts.get("measure", "accuracy"), facts.get("system", "a"), facts.get("unit", "sentence")
    if found.kind == "undefined":
        return f"{measure} of {system} is undefined."
    sets = _over(facts)
    write = WRITERS[facts.get("form", "percent")]
    reached = f"{system} scores {write(facts['value'])} on {measure}{sets}"
    if "interval" in found.claims:
        assumed = f", which assumes a correlation of .1 within {unit}s" if "assumed" in found.claims else ""
        return f"{reached} (95% interval {write(facts['low'])} to {write(facts['high'])}{assumed})."
    rare = facts.get("rare_labels") or []
    if rare:
        has = "label has" if len(rare) == 1 else "labels have"
        return f"{reached}; no interval, because {len(rare)} {has} fewer than 10 items ({_some(rare)})."
    return f"{reached}; no interval{f', because there is only one {unit}' if facts.get('units') == 1 else ''}."


def _deviation(facts: Facts, name: str) -> str:
    """How much agreement rises without an annotator, for those who stand out; nothing if that is not known."""
    known = facts.get("deviation")
    if not known:
        return ""
    write = coefficient if known["form"] == "coefficient" else WRITERS[known["form"]]
    value, people = write(facts["value"]), known["people"]
    first = write(people[0]["without"])
    rises = people[0]["without"] > facts["value"] and first != value
    if known["stands_out"]:
        more = [f"without {person['name']}, to {write(person['without'])}" for person in people[1:NAMES]]
        rest = f"; {len(people) - NAMES} more stand out" if len(people) > NAMES else ""
        said = "; ".join([f"Without {people[0]['name']}, {name} rises from {value} to {first}", *more])
        return f"{said}{rest}. "
    if not known["tested"]:
        return f"{name} rises most without {people[0]['name']}, from {value} to {first}. " if rises else ""
    if not rises:
        return f"No annotator stands out: {name} does not rise above {value} if one of them is left out. "
    # A rise that could matter is not denied by a test that does not find it.
    open_ = people[0]["without"] - facts["value"] >= NOTABLE
    said = "These data do not show that an annotator stands out" if open_ else "No annotator stands out"
    return f"{said}: {name} rises from {value} to at most {first} if one of them is left out. "


def _agreement(facts: Facts, found: Decision) -> str:
    """Who deviates, how well all annotators agree, and what that allows."""
    number, name = facts["annotators"], facts["coefficient"]
    if found.kind == "agreement-undefined":
        return f"The agreement of {number} annotators ({name}) is undefined."
    level = facts.get("level", "nominal")
    ends, decimals = "", 2
    if "interval" in found.claims:
        # With two decimals, the ends of a narrow interval would be equal, or on the wrong side of a limit.
        decimals = 3 if facts["high"] - facts["low"] < 0.02 else 2
        ends = f", 95% interval {coefficient(facts['low'], decimals)} to {coefficient(facts['high'], decimals)}"
    figure = f"{name} is {coefficient(facts['value'], decimals)} ({level}{ends})"
    limits = "By convention, tentative conclusions need .667 and firm ones .8."
    text = {
        "agreement-few": f"{figure[0].upper()}{figure[1:]} for {number} annotators, but "
        f"{plural(facts['items'], 'item')} {'is' if facts['items'] == 1 else 'are'} too few for a conclusion.",
        "agreement-reliable": f"The {number} annotators agree reliably: {figure}; by convention, .8 is needed.",
        "agreement-tentative": f"The {number} annotators agree well enough for tentative conclusions: {figure}; by "
        f"convention, .667 is needed.",
        "agreement-low": f"The {number} annotators agree too little for conclusions: {figure}; by convention, .667 "
        f"is needed.",
        "agreement-open": f"It is unclear whether the {number} annotators agree well enough: {figure}. {limits}",
    }[found.kind]
    if "level-assumed" in found.claims:
        ordinal = facts.get("ordinal")
        beside = "" if ordinal is None else f": {coefficient(ordinal)}"
        text += f" The labels are numbers but treated as names; alpha(level=ordinal) uses their order{beside}."
    return _deviation(facts, name) + text


def _pairs(facts: Facts, found: Decision) -> str:
    """How well two annotators agree, or any two of several on average."""
    write = WRITERS[facts["form"]]
    names, value = facts["names"], write(facts["value"])
    if len(names) > 2:
        said = f"Any two of the {len(names)} annotators agree with a mean {facts['measure']} of {value}."
        return _deviation(facts, f"mean {facts['measure']}") + said
    low, high = facts["low"], facts["high"]
    ends = "" if low is None else f" (95% interval {write(low)} to {write(high)})"
    return f"The {facts['measure']} between {enumeration(names)} is {value}{ends}."


def _ceilings(facts: Facts, found: Decision) -> str:
    """All systems against the human ceiling, by kind."""
    groups: dict[str, list[Facts]] = {}
    for system in facts["systems"]:
        row = {"type": "ceiling", "family_size": facts["family_size"], **system}
        groups.setdefault(decide_kind(row).kind, []).append(row)
    return " ".join(_ceiling(rows[0], decide_kind(rows[0]), rows) for rows in groups.values())


def _ceiling(facts: Facts, found: Decision, rows: Sequence[Facts] = ()) -> str:
    """A system, or several of one kind, against the annotators."""
    rows = rows or [facts]
    number, family = facts["annotators"], facts.get("family_size", 1)
    names = [str(row.get("system", "the system")) for row in rows]
    if found.kind == "ceiling-none":
        return (
            f"{enumeration(names)} cannot be compared with a human ceiling: with {number} annotators there is no "
            "majority of the others."
        )
    among = f" for {family:,} tests" if family > 1 else ""
    listed = []
    for name, row in zip(names, rows, strict=True):
        ends, level = "", level_title(row.get("level", 0.95))
        if row.get("low") is not None:
            ends = f", {level} interval {signed(row['low'])} to {signed(row['high'])}"
        p = _p(row["p"], row["p_adjusted"], among)
        if found.kind == "ceiling-as-good":
            p += f"; {_p_of(row.get('p_not_worse'), 'non-inferiority', family) or 'p below 0.05 for non-inferiority'}"
        listed.append(f"{name} ({signed(row['difference'])} points{ends}, {p})")
    people = f"the {number} annotators"
    if found.kind == "ceiling-open":
        return f"No difference from {people} is shown for {enumeration(listed)}."
    is_are, score = ("is", "scores") if len(rows) == 1 else ("are", "score")
    if found.kind == "ceiling-as-good":
        return f"{enumeration(listed)} {is_are} as good as {people} within the margin of {points(facts['margin'])}."
    word = found.kind.removeprefix("ceiling-")
    return f"{enumeration(listed)} {score} {word} {people} (human ceiling)."


_TEXTS: Mapping[str, Callable[[Facts, Decision], str]] = {
    "pair": _pair,
    "average": _pair,
    "many": _many,
    "score": _score,
    "agreement": _agreement,
    "pairs": _pairs,
    "ceiling": _ceiling,
    "ceilings": _ceilings,
    "bayes": lambda facts, found: str(facts["said"]),
    "order": lambda facts, found: str(facts["said"]),
}


def describe_combination(bound: Bound, *, by_label: bool) -> str:
    """What a combination reaches that is learnt on other parts of the data; it gains, or no gain is shown."""
    if bound.learnt is None or bound.single is None:
        return ""
    difference = bound.learnt - bound.single
    more = f"{abs(100 * difference):.2f} {'less' if difference < 0 else 'more'} than {bound.single_system}"
    more = more if difference else f"the same as {bound.single_system}"
    if bound.learnt_low is not None and bound.learnt_high is not None:
        more += f" {interval(bound.learnt_low, bound.learnt_high, signed)}"
    tested = "" if bound.p is None else f", {_p(bound.p, bound.p, '')}°"
    gains = bound.p is not None and bound.p <= ALPHA
    bounded = "" if bound.bound is None else f", {percent(bound.bound)},"
    return (
        f"A combination that learns which systems to trust{' for which label' * by_label}, from {bound.folds - 1}/"
        f"{bound.folds} of this test set at a time, scores {'F1 ' * (bound.combined == 'f1')}"
        f"{percent(bound.learnt)}, {more}{tested}: {'a gain' if gains else 'no gain is shown'}. To reach the upper "
        f"bound{bounded} you would have to know for each answer which system is right."
    )


# --- two systems over many runs ---


def is_drawn(posterior: Posterior) -> bool:
    """True if the shares are shares of posterior draws; probabilities otherwise."""
    return posterior.model in ("hierarchical", "signed-rank")


def count_data_sets(posterior: Posterior) -> str:
    """The number of data sets in words."""
    return "one data set" if posterior.data_sets == 1 else f"{posterior.data_sets} data sets"


def describe_posterior(posterior: Posterior, region: str = "") -> str:
    """What a posterior says about two systems, in one sentence; it ends with the region if that is given."""
    a, b, measure, shares = posterior.a, posterior.b, posterior.measure, posterior.decision
    if posterior.kind == "identical":
        single = posterior.runs == posterior.data_sets > 1
        where = f"on all {count_data_sets(posterior)}" if single else f"in all {posterior.runs:,} runs"
        return f"{a} and {b} have identical scores {where} on {measure}."
    last = f" ({region})." if region else "."
    if posterior.kind == "bayes-none":
        within = "they differ by no more than the region" if posterior.rope else "they score the same"
        cases = ((shares.a, f"{a} is ahead"), (shares.equal or 0.0, within), (shares.b, f"{b} is ahead"))
        counted = enumeration([f"{text} on {round(share * posterior.data_sets)}" for share, text in cases if share])
        reason = f"No difference on {measure} varies between runs, so there is no posterior"
        return f"{reason}: {counted} of {plural(posterior.data_sets, 'data set')}{last}"
    noun = "share of posterior draws" if is_drawn(posterior) else "posterior probability"
    named = [(shares.a, a), (shares.equal, "the region"), (shares.b, b)]
    most, likeliest = max(((share, name) for share, name in named if share is not None), key=lambda item: item[0])
    other = b if shares.a > shares.b else a
    text = {
        "bayes-better": f"{likeliest} is better than {other} on {measure}, with a {noun} of",
        "bayes-equivalent": f"{a} and {b} are practically equivalent on {measure}, with a {noun} of",
        "bayes-open": f"The data do not decide between {a} and {b} on {measure}: the largest {noun}, for "
        f"{likeliest}, is",
    }[posterior.kind]
    needed = f"; {coefficient(SURE)} is needed" * (posterior.kind == "bayes-open")
    return f"{text} {coefficient(most, 3)}{needed}{last}"


def unit_of(result: Result, measure: str) -> float:
    """The factor of a measure's scores that makes them fractions: 1, or 0.01 if they are written as they are."""
    return 1 if all(0 <= row.value <= 1 for row in result.scores if row.measure == measure) else 0.01


_LISTED = 2
"""The largest number of decided pairs that the summary names."""


def pairs_on(result: Result, measure: str) -> list[Posterior]:
    """The posteriors of each two systems on a measure."""
    return [row for row in result.bayes if row.measure == measure]


def describe_pair(result: Result, row: Posterior) -> tuple[str, str]:
    """One sentence on two systems with the region of equivalence, and the rest of their verdict."""
    first = describe_posterior(row)
    return describe_posterior(row, _region(result, row)), row.verdict.removeprefix(first).strip()


def _region(result: Result, row: Posterior) -> str:
    """The region of equivalence in words."""
    if not row.rope:
        return "every difference counts"
    fraction = unit_of(result, row.measure) == 1
    return f"region of equivalence: ±{points(float(f'{row.rope:.3g}')) if fraction else f'{row.rope:.3g}'}"


def summarise_pairs(result: Result, measure: str, *, whole: bool = False) -> str:
    """What is decided on a measure: the one pair (with `whole`, all about it), a few pairs by name, or how many; and
    how many are undecided."""
    rows, ranks = pairs_on(result, measure), describe_ranks(result, measure)
    sentences = [f"{ranks} Bayesian signed-rank test:"] if ranks else []
    if len(rows) == 1:
        return " ".join([*sentences, rows[0].verdict if whole else describe_pair(result, rows[0])[0]])
    decided = [row for row in rows if "undecided" not in row.claims]
    if len(decided) <= _LISTED:
        named = [describe_posterior(row).partition(f" on {measure}")[0] for row in decided]
    else:
        kinds = {
            "bayes-better": "one system is better",
            "bayes-equivalent": "both systems are practically equivalent",
        }
        kinds["identical"] = "both systems have identical scores"
        numbers = {text: sum(row.kind == kind for row in decided) for kind, text in kinds.items()}
        among = {number: f"{number:,} of {len(rows):,}" for number in numbers.values()}
        among[len(rows)] = f"all {len(rows):,}"
        named = [f"{text} in {among[number]} pairs" for text, number in numbers.items() if number]
        named = [f"{named[0][0].upper()}{named[0][1:]}", *named[1:]]
    noun = "share of posterior draws" if any(map(is_drawn, rows)) else "posterior probability"
    sure, region = coefficient(SURE), _region(result, rows[0])
    if decided:
        by_share = any(row.kind != "identical" for row in decided)
        sentences.append(f"{'; '.join(named)}{f' ({noun} of at least {sure}; {region})' * by_share}.")
    if undecided := len(rows) - len(decided):
        count = f"{undecided:,} of {len(rows):,}" if decided else f"All {len(rows):,}"
        reason = "" if decided else f" (no {noun} reaches {sure}; {region})"
        sentences.append(f"{count} pairs of systems {'is' if undecided == 1 else 'are'} undecided{reason}.")
    return " ".join(sentences)
