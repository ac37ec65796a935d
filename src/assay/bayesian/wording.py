"""What a posterior says in a sentence; never more than the numbers do."""

from __future__ import annotations

import math

from assay.result.posteriors import Thirds
from assay.stats.ranking import MARGIN

HALF = 0.5


def verdict(
    a: str,
    b: str,
    measure: str,
    model: str,
    decision: Thirds,
    half: float,
    items: float,
    data_sets: int,
    runs: int,
    few: str = "",
) -> str:
    """One sentence on two systems, and what stands behind it."""
    if model == "identical":
        return f"{a} and {b} have identical scores in all {runs:,} runs on {measure}."
    region = _region(half, items)
    if model == "constant":
        return f"{_counted(a, b, decision, data_sets)} on {measure}: no difference varies between runs. {region}"
    behind = _behind(a, b, model, decision, data_sets, runs)
    return " ".join(filter(None, (f"{_claim(a, b, measure, decision)} {behind}.", region, few)))


def _claim(a: str, b: str, measure: str, decision: Thirds) -> str:
    named = {"a": decision.a, "equal": decision.equal, "b": decision.b}
    shares = sorted(((share, name) for name, share in named.items() if share is not None), reverse=True)
    best, runner_up = shares[0], shares[1]
    leading = {best[1], runner_up[1]}
    if best[0] - runner_up[0] < MARGIN:
        either = "each is about as likely the better one"
        if "equal" in leading:
            either = f"practically equivalent, or {a if 'a' in leading else b} better"
        return f"No clear winner between {a} and {b} on {measure}: {either}"
    better, worse = (a, b) if best[1] == "a" else (b, a)
    # The likeliest of three may still be the less likely than the other two together.
    sure, behind = (
        ("are most likely", "") if best[0] > HALF else ("may be", ", the likeliest case but below one half")
    )
    if best[1] == "equal":
        return f"{a} and {b} {sure} practically equivalent on {measure}{behind}"
    return f"{better} {sure.replace('are', 'is')} better than {worse} on {measure}{behind}"


def _counted(a: str, b: str, decision: Thirds, data_sets: int) -> str:
    """Data sets counted, where there are no probabilities."""
    shares = (
        (decision.a, f"{a} is better"),
        (decision.equal or 0.0, "they are equivalent"),
        (decision.b, f"{b} is better"),
    )
    said = [f"{text} on {round(share * data_sets)}" for share, text in shares if share]
    sets = "data set" if data_sets == 1 else "data sets"
    return f"{', '.join(said)} of {data_sets} {sets}"


def _behind(a: str, b: str, model: str, decision: Thirds, data_sets: int, runs: int) -> str:
    kind = "decision shares" if model == "hierarchical" else "probabilities"
    equal = "" if decision.equal is None else f"equivalent {_share(decision.equal)}, "
    over = f"{data_sets} data sets, {runs:,} runs" if data_sets > 1 else f"one data set, {runs:,} runs"
    return f"({kind}: {a} better {_share(decision.a)}, {equal}{b} better {_share(decision.b)}; {over})"


def _region(half: float, items: float) -> str:
    if half == 0:
        return "No region of practical equivalence was given: every difference counts."
    counted = "" if math.isnan(items) else f", which is {items:,.0f} items of a test part"
    return f"Equivalent means a difference of at most {half:.4g}{counted}."


def _share(share: float) -> str:
    """Three digits, as in the paper's Table 2."""
    return f"{share:.3f}".removeprefix("0")


def few_data_sets(data_sets: int, low: float, high: float, better: str) -> str:
    """The caution for few data sets: how far the prior decides."""
    sets = "one data set" if data_sets == 1 else f"{data_sets} data sets"
    return (
        f"With {sets} much of this is the prior's: under other priors the share for {better} lies "
        f"between {_share(low)} and {_share(high)}."
    )
