"""Tables of a comparison over many runs, laid out as in Szymański and Gorman 2020."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from assay.render.table import Cell, cell, make_table
from assay.result import Comparison, PairOverSets, Result, Table, is_best
from assay.result.grammar import ALPHA
from assay.result.numbers import DASH, p_value, signed, with_interval
from assay.result.schema import Estimate, MeanRanks, Posterior, Thirds
from assay.result.verdict import unit_of

Row = list[Any]
_KINDS = {"decision": "Which is better", "region": "On a new data set"}
_MEANINGS = {
    "decision": "Share of posterior draws in which each outcome is the most probable (the likelihoods of Szymański & "
    "Gorman 2020). The next table gives the probability that a system is better on a new data set.",
    "region": "Mean probability that the difference on a new data set falls into each region.",
}
_OF_MEANS = {
    "decision": "Share of posterior draws in which each outcome is the most probable.",
    "region": "Expected probability that the mean difference on two new data sets falls into each region.",
}
_ALONE = "Probabilities on this data set (correlated t-test). They do not apply to other data sets."
_SIGNS = {
    "<": "< worse",
    "⪅": "⪅ equivalent, worse nearly as frequent",
    "≈": "≈ practically equivalent",
    "⪆": "⪆ equivalent, better nearly as frequent",
    ">": "> better",
    "?": "? as likely better as worse",
}
_CUT = "The model ignores the limits of scores, so intervals are cut off at ±100 points."


def run_tables(result: Result) -> Iterator[Table]:
    """The tables in reading order: orders, all pairs (Table 2), sizes of differences, data sets, priors, splits."""
    yield from _orders(result)
    # Both kinds of shares; a single data set has only one.
    models = {row.model for row in result.bayes}
    meanings = _MEANINGS if "hierarchical" in models else _OF_MEANS if result.systems_over_sets else {}
    for kind in meanings or ("decision",):
        yield _pairs(result, kind, meanings.get(kind, _ALONE))
    yield _sizes(result)
    by_set = [table for table in result.tables if table.name == "scores"]
    yield from by_set
    yield from [_means(result)] * (len(by_set) < len(result.measures))
    yield from _details(result)
    yield _tests(result)
    yield from (table for table in result.tables if table not in by_set)


def _blank_repeats(names: Sequence[str]) -> Iterator[Cell]:
    """Names in cells that are blank if they repeat the name before; programs get the name in each row."""
    for before, name in zip(["", *names], names, strict=False):
        yield Cell("" if name == before else name, data=(name,))


def _make_table(
    result: Result, title: str, header: Sequence[str], rows: Sequence[tuple[str, Row]], note: str, **more: Any
) -> Table:
    """A table of rows with their measures, which have a column if there are several."""
    body, more = [row for _, row in rows], {"words": 2, **more}
    if len(result.measures) > 1:
        header = ["measure", *header]
        body = [
            [name, *row] for name, row in zip(_blank_repeats([measure for measure, _ in rows]), body, strict=True)
        ]
        more |= {"words": more["words"] + 1, "droppable": [index + 1 for index in more.get("droppable", ())]}
    return make_table(title, header, body, notes=[note], **more)


def _pair(row: Posterior | Comparison | PairOverSets) -> Cell:
    return cell([row.a, row.b], "pair")


# --- order ---


def _orders(result: Result) -> Iterator[Table]:
    """The order of systems, their mean ranks, and the relation of each pair."""
    flagged = any(ranking.intransitive for ranking in result.rankings)
    hint = " It shows only neighbouring systems." if any(len(row.order) > 2 for row in result.rankings) else ""
    identical = " a = b: identical scores." if any(row.kind == "identical" for row in result.bayes) else ""
    yield make_table(
        "Order",
        ["measure", "order", "by most frequent relation", *["what it hides"] * flagged],
        [
            (row.measure, row.headline or row.chain, row.chain, *[" ".join(row.intransitive)] * flagged)
            for row in result.rankings
        ],
        name="order",
        words=4,
        droppable=(2,),
        notes=(
            "a < b: a is worse; a ≈ b: practically equivalent (share of posterior draws at least .95). a ? b: "
            f"undecided; the most frequent relation and its share follow.{identical} The column by most frequent "
            f"relation shows the order of Szymański & Gorman (2020), which uses the most frequent relation of each "
            f"pair even if its share is small.{hint}",
        ),
    )
    yield from rank_tables(result)
    for ranking in result.rankings:
        relation = {(row.a, row.b): row.relation for row in ranking.relations}
        signs = ", ".join(meaning for sign, meaning in _SIGNS.items() if sign in {*relation.values()})
        edges = [f"{row.a} < {row.b}" for row in ranking.relations if row.covers]
        partial = f" Partial order: {', '.join(edges)}." if edges else ""
        rows = [[a, *(relation.get((a, b), "") for b in ranking.order[1:])] for a in ranking.order[:-1]]
        yield make_table(
            f"Relations: {ranking.measure}",
            ["", *ranking.order[1:]],
            rows if len(ranking.order) > 2 else [],
            name="order",
            minor=not ranking.intransitive,
            notes=(
                "Most frequent relation of the row's system to the column's, even if its share is small: "
                f"{signs}.{partial}",
            ),
        )


def _p(p: float) -> str:
    return f"p {'<' if p < 0.0001 else '='} {p_value(p).removeprefix('<')}"


def _statistic(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.2f}"


def _iman_davenport(row: MeanRanks) -> str:
    """Iman and Davenport's test, whose F has no finite value if all data sets rank the systems in the same way."""
    if row.iman_davenport_p == 0 and not math.isfinite(row.iman_davenport):
        return "all data sets rank the systems in the same order, so Iman and Davenport's F has no finite value"
    return f"Iman and Davenport: F = {_statistic(row.iman_davenport)}, {_p(row.iman_davenport_p)}"


_RANK_TESTS = {
    "wilcoxon": "Wilcoxon's signed-rank test, p > 0.05 after Holm",
    "nemenyi": "Nemenyi's test, p > 0.05, which depends on the other systems",
}


def rank_tables(result: Result) -> Iterator[Table]:
    """The mean ranks over data sets, with groups of systems that do not differ significantly."""
    for row in result.ranks:
        several = f": {row.measure}" if len(result.ranks) > 1 else ""
        yield make_table(
            f"Ranks over data sets{several}",
            ["system", "mean rank", "group"],
            [(name, f"{rank:.2f}", row.groups[name]) for name, rank in row.ranks.items()],
            name="order",
            notes=(
                f"Systems with a common letter do not differ significantly ({_RANK_TESTS[row.by]}). This does not "
                f"mean that they are equally good. Friedman's test over {row.data_sets} data sets: "
                f"χ² = {_statistic(row.friedman)}, {_p(row.friedman_p)}; {_iman_davenport(row)}. "
                f"Nemenyi's critical difference of mean ranks: {row.critical_difference:.2f}.",
            ),
        )


# --- the paper's Table 2 ---


def _pairs(result: Result, kind: str, meaning: str) -> Table:
    """A row for each pair and three columns for each measure; a narrow terminal has a table for each measure."""
    shares = {(row.a, row.b, row.measure): getattr(row, kind) for row in result.bayes}
    equal = "≈ practically equivalent" if any(row.rope for row in result.bayes) else "≈ needs a region (--rope)"
    note = f"> the first is better, {equal}, < the second is better. {meaning}"

    def make_pairs(title: str, order: Sequence[str], measures: Sequence[str], note: str, **more: Any) -> Table:
        pairs, rows = list(combinations(order, 2)), []
        for left, (a, b) in zip(_blank_repeats([a for a, _ in pairs]), pairs, strict=True):
            rows.append([left, b])
            for measure in measures:
                turned = shares.get((b, a, measure))
                thirds = Thirds(turned.b, turned.equal, turned.a) if turned else shares[a, b, measure]
                rows[-1] += _thirds(thirds)
        signs = [(measure, sign) for measure in measures for sign in ">≈<"]
        is_single = len(measures) == 1
        header = ["", "", *(sign if is_single or sign != ">" else f"{measure} {sign}" for measure, sign in signs)]
        columns = ("a", "b", *(sign if is_single else f"{measure} {sign}" for measure, sign in signs))
        more |= {"over": () if is_single else (("", 2), *((measure, 3) for measure in measures))}
        notes = [note] * bool(note)
        return make_table(title, header, rows, name="pairs", words=2, notes=notes, columns=columns, **more)

    rankings = result.rankings
    order = rankings[0].order if rankings else ()
    title = _KINDS[kind] if meaning != _OF_MEANS["region"] else "On two new data sets"
    if len(rankings) == 1:
        return make_pairs(title, order, [rankings[0].measure], note)
    each = [
        make_pairs(f"{title}: {row.measure}", row.order, [row.measure], note * (row is rankings[-1]))
        for row in rankings
    ]
    note = f"{note} Systems in the order of the first measure."
    return make_pairs(title, order, [row.measure for row in rankings], note, narrow=each)


def _thirds(shares: Thirds) -> Row:
    values = [shares.a, math.nan if shares.equal is None else shares.equal, shares.b]
    cells = [Cell(_share(value), data=(f"{value:.6f}",)) for value in values]
    return [replace(cell, bold=is_best(values, index)) for index, cell in enumerate(cells)]


def _share(value: float) -> str:
    """Three digits without a leading zero, as in the paper."""
    return DASH if math.isnan(value) else f"{value:.3f}".removeprefix("0")


# --- how sure, how large ---


def _sizes(result: Result) -> Table:
    several = any(row.next for row in result.bayes)
    rows: list[tuple[str, Row]] = []
    cut = False
    for row in result.bayes:
        unit = unit_of(result, row.measure)
        # The share of the relation, and its range under other priors.
        side = {"<": "b", ">": "a", "?": "a"}.get(row.relation, "equal")
        under = [getattr(point.decision, side) for point in row.prior_curve] or [math.nan]
        shares = (getattr(row.decision, side), min(under), max(under))
        sure = Cell(with_interval(*shares, _share), data=tuple(f"{value:.6f}" for value in shares))
        estimates = [_estimate(row.mean, unit), *[_estimate(row.next, unit)] * several]
        rope = f"{100 * unit * row.rope:.3g}" if row.rope else Cell(DASH, data=("nan",))
        rows.append((row.measure, [_pair(row), row.relation, sure, *estimates, rope]))
        cut |= row.next is not None and round(1 / unit) in (-row.next.low, row.next.high)
    priors = " Its range under other priors is in brackets." if any(row.prior_curve for row in result.bayes) else ""
    has_ends = any(row.mean and not math.isnan(row.mean.low) for row in result.bayes)
    estimated = "posterior mean and 95% interval" if has_ends else "mean over data sets"
    note = (
        f"Rel.: the most frequent relation, with its share of posterior draws.{priors} Differences: {estimated}; "
        f"positive if the second is better. {_name_units(result)}{f' {_CUT}' if cut else ''}"
    )
    header = ["pair", "rel.", "share", "difference", *["new data set"] * several, "±equivalent"]
    more: dict[str, Any] = {"name": "differences", "droppable": (5, 4)[not several :]}
    return _make_table(result, "How sure, and how large", header, rows, note, **more)


def _means(result: Result) -> Table:
    """The systems' mean scores."""
    slices = list(dict.fromkeys(row.slice for row in result.scores if row.slice))
    order = {ranking.measure: ranking.order for ranking in result.rankings}
    several = [None] if len(slices) != 1 else []
    rows: list[tuple[str, Row]] = []
    for measure in result.measures:
        scale = 100 * unit_of(result, measure)
        scores = {(row.system, row.slice): row for row in result.scores if row.measure == measure}
        for system in order.get(measure, result.names):
            cells: Row = [system]
            for name in (*slices, *several):
                if row := scores.get((system, name)):
                    value, low, high = (scale * value for value in (row.value, row.low, row.high))
                    text = with_interval(value, low, high, lambda part: DASH if math.isnan(part) else f"{part:,.2f}")
                    cells.append(Cell(text, data=tuple(f"{part:.2f}" for part in (value, low, high))))
                    cells += [f"{scale * row.runs.spread:,.2f}"] if row.runs else []
                else:
                    cells.append(DASH)
            rows.append((measure, cells))
    header = ["system", *(name.removeprefix("dataset:") for name in slices), *["mean"] * len(several)]
    note = "95% intervals of the mean in brackets, corrected for runs that share training data."
    if any(row.runs for row in result.scores):
        header, note = [*header, "± s.d."], "Mean and standard deviation over runs."
    return _make_table(result, "Mean scores over runs", header, rows, note, name="scores", words=1)


def _tests(result: Result) -> Table:
    """Wilcoxon's test of each two systems over data sets, or the exchange of their runs on one."""
    holm = {(row.measure, test.a, test.b): test.wilcoxon_holm for row in result.ranks for test in row.pairs}
    rows: list[tuple[str, Row]] = []
    for row in result.pairs_over_sets:
        p = holm.get((row.measure, row.a, row.b), row.signed_rank)
        better = [f"{row.a_better:,}", f"{row.b_better:,}", cell(row.signed_rank, "p"), cell((p, p <= ALPHA), "holm")]
        rows.append((row.measure, [_pair(row), *better]))
    for test in result.comparisons:
        difference = _estimate(Estimate(test.difference, math.nan, math.nan), unit_of(result, test.measure))
        rows.append((test.measure, [_pair(test), difference, cell(test.p, "p"), cell(test.holm, "holm")]))
    title, header = "Signed-rank tests", ["pair", "first better", "second better", "p", "p (Holm)"]
    note = (
        "Better: number of data sets on which a system scores higher. p: Wilcoxon's signed-rank test over data sets; "
        "bold: p (Holm) at most 0.05."
    )
    if result.comparisons:
        title, header = "Differences of runs", ["pair", "difference", "p", "p (Holm)"]
        note = f"Second minus first. p: runs exchanged between the two systems. {_name_units(result)}"
    return _make_table(result, title, header, rows, note, name="tests", words=1)


# --- details ---


def _details(result: Result) -> Iterator[Table]:
    many, units = len(result.bayes) > 1, _name_units(result)
    rows: list[tuple[str, Row]] = []
    for row in result.bayes:
        unit = unit_of(result, row.measure)
        for data in row.by_data_set:
            tied = data.runs - data.a_ahead - data.b_ahead
            ahead = [f"{number:,}" for number in (data.a_ahead, tied, data.b_ahead)]
            measured = Cell(signed(unit * data.difference), data=(f"{100 * unit * data.difference:.2f}",))
            figures = [measured, _estimate(data.estimate, unit), *ahead, *_thirds(data.decision), cell(data.p, "p")]
            rows.append((row.measure, [_pair(row), data.name, *figures]))
    others = " using the other data sets" if any(row.next for row in result.bayes) else " with its interval"
    note = (
        f"Measured: mean difference over runs; estimated: this difference{others}. Ahead: number of runs in which a "
        f"system scores higher. > ≈ <: "
        f"probabilities on this data set alone (correlated t-test); p: corrected resampled t-test. {units}"
    )
    for row in result.bayes:
        if row.better_on:
            note += (
                f" {row.better} is better than {row.b if row.better == row.a else row.a} on at least {row.better_on} "
                f"of these {row.data_sets} data sets (95% confidence"
                f"{', ' + row.measure if len(result.measures) > 1 else ''})"
                f"{': ' * bool(row.better_on_names)}{', '.join(row.better_on_names)}."
            )
    header = ["pair", "data set", "measured", "estimated", "first ahead", "tied", "second ahead", *">≈<", "p"]
    more: dict[str, Any] = {"name": "data-sets", "droppable": (5, 4, 6), "minor": many and len(rows) > 12}
    yield _make_table(result, "Data set by data set", header, rows, note, **more)

    points = [(row, point) for row in result.bayes for point in row.prior_curve]
    rows = [
        (row.measure, [_pair(row), f"{point.std0:g}", f"{point.delta0:g}", *_thirds(point.decision)])
        for row, point in points
    ]
    note = (
        "Bounds of the flat priors: of the spread among data sets, as a multiple of the observed spread, and of the "
        "mean difference, as a multiple of the largest observed one. Default: 1000 and 1."
    )
    header = ["pair", "spread up to", "mean up to", *">≈<"]
    yield _make_table(result, "Under other priors", header, rows, note, name="priors", words=1, minor=many)

    # Counted as by Gorman and Bedrick.
    counted = [(row, splits) for row in result.bayes for splits in row.replications]
    tested = any(splits.tested for _, splits in counted)
    header, fields = ["pair", "data set", "splits", "better", "worse"], ["splits", "better", "worse"]
    note = "Number of splits in which the second system scores higher or lower."
    if tested:
        header += ["tested", "significantly better", "significantly worse"]
        fields += ["tested", "significantly_better", "significantly_worse"]
        alphas = {splits.alpha for _, splits in counted}
        level = f"{min(alphas):.2g}" if len(alphas) == 1 else f"{min(alphas):.2g} to {max(alphas):.2g}"
        note += f" Significance: McNemar's test (mid-p) at {level}, after Bonferroni correction for the splits."
    rows = [
        (row.measure, [_pair(row), splits.dataset, *(f"{getattr(splits, name):,}" for name in fields)])
        for row, splits in counted
    ]
    yield _make_table(result, "Split by split", header, rows, note, name="splits", minor=many and not tested)

    rows = [(row.measure, [_pair(row), *_thirds(row.signed_rank)]) for row in result.bayes if row.signed_rank]
    note = "Uses only the means of the data sets, not their spread: a check of the shares above."
    more = {"name": "tests", "words": 1, "minor": len(rows) > 12}
    yield _make_table(result, "Bayesian signed-rank test", ["pair", *">≈<"], rows, note, **more)

    points = [(row, point) for row in result.bayes for point in row.rope_curve]
    rows = []
    for row, point in points:
        rope = f"{100 * unit_of(result, row.measure) * point.rope:.3g}"
        rows.append((row.measure, [_pair(row), rope, *_thirds(point.decision), *_thirds(point.region)]))
    header = ["pair", "±equivalent", *(f"{kind} {sign}" for kind in ("decision", "new") for sign in ">≈<")]
    note = f"Decision: shares of posterior draws; new: probabilities on a new data set. {units}"
    more = {"name": "regions", "words": 1, "minor": True}
    yield _make_table(result, "Under other regions of equivalence", header, rows, note, **more)


# --- units ---


def _estimate(estimate: Estimate | None, unit: float) -> Cell:
    """A posterior mean with its interval."""
    if estimate is None:
        return Cell(DASH)
    return cell([unit * value for value in (estimate.mean, estimate.low, estimate.high)], "points")


def _name_units(result: Result) -> str:
    """A sentence on the units of differences."""
    fractions = [unit_of(result, measure) == 1 for measure in result.measures]
    if all(fractions):
        return "In percentage points."
    return f"In units of the measure{'; fractions in percentage points' * any(fractions)}."
