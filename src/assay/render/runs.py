"""Tables of a comparison over many runs, laid out as in Szymański and Gorman 2020."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from assay.render.table import Cell, cell, make_table
from assay.result import Result, Table, is_best
from assay.result.numbers import DASH, p_value, signed, with_interval
from assay.result.schema import Estimate, Posterior, Thirds

Row = list[Any]
_TABLE_2 = ("", "", *">≈<")
_PLAIN_2 = ("a", "b", *">≈<")
_KINDS = {"decision": "Which is better", "region": "On a new data set"}
_SAID = {
    "decision": "Share of posterior draws in which each outcome is the most probable (the likelihoods of Szymański & "
    "Gorman 2020): not the probability that a system is better on a new data set, which the next table gives.",
    "region": "Mean probability that the difference on a new data set lies there.",
}
_ALONE = "Probabilities on this data set (correlated t-test); they say nothing about other data sets."
_SIGNS = {
    "<": "< worse",
    "⪅": "⪅ equivalent with worse close behind",
    "≈": "≈ practically equivalent",
    "⪆": "⪆ equivalent with better close behind",
    ">": "> better",
    "?": "? as likely better as worse",
}
_CUT = "The model ignores the limits of scores, so intervals are cut to ±100 points."


def run_tables(result: Result) -> Iterator[Table]:
    """In reading order: the orders, all pairs (Table 2), sizes of differences, data sets, priors, splits."""
    yield from _orders(result)
    # Both kinds of shares, where they differ: on a single data set there is one.
    several = any(one.model == "hierarchical" for one in result.bayes)
    for kind in _KINDS if several else ("decision",):
        yield _pairs(result, kind, _SAID[kind] if several else _ALONE)
    yield _sizes(result)
    yield _means(result)
    yield from _details(result)


def _first_of(names: Sequence[str]) -> Iterator[Cell]:
    """Names for people only if they change, for programs in each row."""
    for before, name in zip(["", *names], names, strict=False):
        yield Cell("" if name == before else name, data=(name,))


def _by_measure(
    result: Result, title: str, header: Sequence[str], rows: Sequence[tuple[str, Row]], note: str, **more: Any
) -> Table:
    """Rows with their measures, which are named if there are several."""
    body, more = [row for _, row in rows], {"words": 2, **more}
    if len(result.measures) > 1:
        header = ["measure", *header]
        body = [[name, *row] for name, row in zip(_first_of([measure for measure, _ in rows]), body, strict=True)]
        more |= {"words": more["words"] + 1, "droppable": [index + 1 for index in more.get("droppable", ())]}
    return make_table(title, header, body, notes=[note], **more)


def _pair(row: Posterior) -> Cell:
    return cell([row.a, row.b], "pair")


# --- order ---


def _orders(result: Result) -> Iterator[Table]:
    """The order of systems, and how each stands to each where a chain does not tell by itself."""
    flagged = any(ranking.intransitive for ranking in result.rankings)
    hint = " It shows only neighbouring systems." if any(len(one.order) > 2 for one in result.rankings) else ""
    identical = " a = b: identical scores." if any(one.kind == "identical" for one in result.bayes) else ""
    yield make_table(
        "Order",
        ["measure", "order", "by most frequent relation", *["what it hides"] * flagged],
        [
            (one.measure, one.headline or one.chain, one.chain, *[" ".join(one.intransitive)] * flagged)
            for one in result.rankings
        ],
        name="order",
        words=4,
        droppable=(2,),
        notes=(
            "a < b: a is worse; a ≈ b: practically equivalent (share of posterior draws at least .95). a ? b: "
            f"undecided; the most frequent relation and its share follow.{identical} The column by most frequent "
            "relation has the order of Szymański & Gorman (2020), which takes this relation of each pair even if its "
            f"share is small.{hint}",
        ),
    )
    yield from rank_tables(result)
    for ranking in result.rankings:
        relation = {(one.a, one.b): one.relation for one in ranking.relations}
        signs = ", ".join(said for sign, said in _SIGNS.items() if sign in {*relation.values()})
        edges = [f"{one.a} < {one.b}" for one in ranking.relations if one.covers]
        partial = f" Partial order: {', '.join(edges)}." if edges else ""
        rows = [[a, *(relation.get((a, b), "") for b in ranking.order[1:])] for a in ranking.order[:-1]]
        yield make_table(
            f"Relations: {ranking.measure}",
            ["", *ranking.order[1:]],
            rows if len(ranking.order) > 2 else [],
            name="order",
            minor=not ranking.intransitive,
            notes=(
                "How the system of the row stands to that of the column, by the most frequent relation, even if its "
                f"share is small: {signs}.{partial}",
            ),
        )


def _p(p: float) -> str:
    return f"p {'<' if p < 0.0001 else '='} {p_value(p).removeprefix('<')}"


_RANK_TESTS = {
    "wilcoxon": "Wilcoxon's signed-rank test, p > 0.05 after Holm",
    "nemenyi": "Nemenyi's test, p > 0.05, which depends on the other systems",
}


def rank_tables(result: Result) -> Iterator[Table]:
    """Mean ranks over data sets and the groups that a test leaves."""
    for one in result.ranks:
        several = f": {one.measure}" if len(result.ranks) > 1 else ""
        yield make_table(
            f"Ranks over data sets{several}",
            ["system", "mean rank", "group"],
            [(name, f"{rank:.2f}", one.groups[name]) for name, rank in one.ranks.items()],
            name="order",
            notes=(
                f"Systems with a common letter do not differ significantly ({_RANK_TESTS[one.by]}). This does not "
                f"mean that they are equally good. Friedman's test over {one.data_sets} data sets: "
                f"χ² = {one.friedman:.2f}, {_p(one.friedman_p)}; Iman and Davenport: "
                f"F = {one.iman_davenport:.2f}, {_p(one.iman_davenport_p)}. "
                f"Nemenyi's critical difference of mean ranks: {one.critical_difference:.2f}.",
            ),
        )


# --- the paper's Table 2 ---


def _pairs(result: Result, kind: str, said: str) -> Table:
    """A row for each two systems, three columns for each measure."""
    measures = [ranking.measure for ranking in result.rankings]
    order = result.rankings[0].order if result.rankings else ()
    equal = "≈ practically equivalent" if any(one.rope for one in result.bayes) else "≈ needs a region (--rope)"
    note = f"> the first is better, {equal}, < the second is better. {said}"
    if len(measures) == 1:
        rows = _pair_rows(result, kind, order, measures)
        return make_table(_KINDS[kind], _TABLE_2, rows, name="pairs", words=2, notes=(note,), columns=_PLAIN_2)
    each = [
        make_table(
            f"{_KINDS[kind]}: {ranking.measure}",
            _TABLE_2,
            _pair_rows(result, kind, ranking.order, [ranking.measure]),
            words=2,
            notes=(note,) if ranking is result.rankings[-1] else (),
        )
        for ranking in result.rankings
    ]
    return make_table(
        _KINDS[kind],
        ["", "", *(f"{measure} {sign}" if sign == ">" else sign for measure in measures for sign in ">≈<")],
        _pair_rows(result, kind, order, measures),
        name="pairs",
        words=2,
        notes=(f"{note} Systems in the order of the first measure.",),
        columns=("a", "b", *(f"{measure} {sign}" for measure in measures for sign in ">≈<")),
        narrow=tuple(each),
    )


def _pair_rows(result: Result, kind: str, order: Sequence[str], measures: Sequence[str]) -> list[Row]:
    shares = {(one.a, one.b, one.measure): getattr(one, kind) for one in result.bayes}
    pairs = list(combinations(order, 2))
    rows: list[Row] = []
    for left, (a, b) in zip(_first_of([a for a, _ in pairs]), pairs, strict=True):
        row: Row = [left, b]
        for measure in measures:
            turned = shares.get((b, a, measure))
            row += _thirds(Thirds(turned.b, turned.equal, turned.a) if turned else shares[a, b, measure])
        rows.append(row)
    return rows


def _thirds(shares: Thirds) -> Row:
    values = [shares.a, math.nan if shares.equal is None else shares.equal, shares.b]
    return [Cell(_share(value), is_best(values, index), data=(_plain(value),)) for index, value in enumerate(values)]


def _share(value: float) -> str:
    """Three digits without a leading zero, as in the paper."""
    return DASH if math.isnan(value) else f"{value:.3f}".removeprefix("0")


def _plain(value: float) -> str:
    return f"{value:.6f}"


# --- how sure, how large ---


def _sizes(result: Result) -> Table:
    several = any(one.next for one in result.bayes)
    rows: list[tuple[str, Row]] = []
    cut = False
    for one in result.bayes:
        unit = _Unit(result, one.measure)
        # The share behind the relation, and what other priors make of it.
        side = {"<": "b", ">": "a", "?": "a"}.get(one.relation, "equal")
        under = [getattr(point.decision, side) for point in one.prior_curve] or [math.nan]
        shares = (getattr(one.decision, side), min(under), max(under))
        sure = Cell(with_interval(*shares, _share), data=tuple(map(_plain, shares)))
        row = [_pair(one), one.relation, sure, unit.estimate(one.mean), *[unit.estimate(one.next)] * several]
        rows.append((one.measure, [*row, unit.bare(one.rope) if one.rope else Cell(DASH, data=("nan",))]))
        bound = 1 if unit.is_fraction else 100
        cut |= one.next is not None and bound in (-one.next.low, one.next.high)
    priors = " Brackets contain its range under other priors." if any(one.prior_curve for one in result.bayes) else ""
    note = (
        f"Rel.: the most frequent relation, with its share of posterior draws.{priors} Differences: posterior mean "
        f"and 95% interval; positive favours the second. {_units(result)}{f' {_CUT}' if cut else ''}"
    )
    header = ["pair", "rel.", "share", "difference", *["new data set"] * several, "±equivalent"]
    more: dict[str, Any] = {"name": "differences", "droppable": (5, 4)[not several :]}
    return _by_measure(result, "How sure, and how large", header, rows, note, **more)


def _means(result: Result) -> Table:
    """The systems' mean scores."""
    slices = list(dict.fromkeys(row.slice for row in result.scores if row.slice))
    order = {ranking.measure: ranking.order for ranking in result.rankings}
    several = [None] if len(slices) > 1 else []
    rows: list[tuple[str, Row]] = []
    for measure in result.measures:
        unit = _Unit(result, measure)
        own = {(row.system, row.slice): row for row in result.scores if row.measure == measure}
        for system in order.get(measure, [source.name for source in result.systems]):
            found = [own.get((system, name)) for name in (*slices, *several)]
            means = [unit.figure(row.value, row.low, row.high, unit.number) if row else DASH for row in found]
            rows.append((measure, [system, *means]))
    header = ["system", *(name.removeprefix("dataset:") for name in slices), *["mean"] * len(several)]
    note = "Brackets contain the 95% interval of the mean, corrected for runs that share training data."
    return _by_measure(result, "Mean scores over runs", header, rows, note, name="scores", words=1)


# --- details ---


def _details(result: Result) -> Iterator[Table]:
    many, said = len(result.bayes) > 1, _units(result)
    rows: list[tuple[str, Row]] = []
    for one in result.bayes:
        unit = _Unit(result, one.measure)
        for data in one.by_data_set:
            tied = data.runs - data.a_ahead - data.b_ahead
            ahead = [f"{number:,}" for number in (data.a_ahead, tied, data.b_ahead)]
            measured = Cell(unit.difference(data.difference), data=(unit.plain(data.difference),))
            figures = [measured, unit.estimate(data.estimate), *ahead, *_thirds(data.decision), cell(data.p, "p")]
            rows.append((one.measure, [_pair(one), data.name, *figures]))
    others = " in the light of the other data sets" if any(one.next for one in result.bayes) else " with its interval"
    note = (
        f"Measured: the mean difference over runs; estimated: the same{others}. Ahead: in how many runs. > ≈ <: "
        f"probabilities on this data set alone (correlated t-test); p: corrected resampled t-test. {said}"
    )
    claims = [
        f"{one.better} is better than {one.b if one.better == one.a else one.a} on at least {one.better_on} of "
        f"these {one.data_sets} data sets (95% confidence{', ' + one.measure if len(result.measures) > 1 else ''})"
        + (f": {', '.join(one.better_on_names)}." if one.better_on_names else ".")
        for one in result.bayes
        if one.better_on
    ]
    note = " ".join([note, *claims])
    header = ["pair", "data set", "measured", "estimated", "first ahead", "tied", "second ahead", *">≈<", "p"]
    more: dict[str, Any] = {"name": "data-sets", "droppable": (5, 4, 6), "minor": many and len(rows) > 12}
    yield _by_measure(result, "Data set by data set", header, rows, note, **more)

    rows = [
        (one.measure, [_pair(one), f"{point.std0:g}", f"{point.delta0:g}", *_thirds(point.decision)])
        for one in result.bayes
        for point in one.prior_curve
    ]
    note = (
        "Bounds of the flat priors: of the spread among data sets as a multiple of that seen, of the mean difference "
        "as a multiple of the largest seen. Usual: 1000 and 1."
    )
    header = ["pair", "spread up to", "mean up to", *">≈<"]
    yield _by_measure(result, "Under other priors", header, rows, note, name="priors", words=1, minor=many)

    # As Gorman and Bedrick counted.
    counted = [(one, row) for one in result.bayes for row in one.replications]
    tested = any(row.tested for _, row in counted)
    rows = []
    for one, row in counted:
        numbers = [row.splits, row.better, row.worse]
        numbers += [row.tested, row.significantly_better, row.significantly_worse] if tested else []
        rows.append((one.measure, [_pair(one), row.dataset, *map("{:,}".format, numbers)]))
    header = ["pair", "data set", "splits", "better", "worse"]
    note = "Splits in which the second system is better or worse."
    if tested:
        header += ["tested", "significantly better", "significantly worse"]
        alphas = {row.alpha for _, row in counted}
        level = f"{min(alphas):.2g}" if len(alphas) == 1 else f"{min(alphas):.2g} to {max(alphas):.2g}"
        note += f" Significance: McNemar's test (mid-p) at {level}, Bonferroni's correction for the splits."
    yield _by_measure(result, "Split by split", header, rows, note, name="splits", minor=many and not tested)

    ranked = [(one, one.signed_rank) for one in result.bayes if one.signed_rank is not None]
    rows = [(one.measure, [_pair(one), *_thirds(shares)]) for one, shares in ranked]
    note = "On the means of the data sets alone, whatever their spread: a check of the shares above."
    more = {"name": "tests", "words": 1, "minor": len(rows) > 12}
    yield _by_measure(result, "Bayesian signed-rank test", ["pair", *">≈<"], rows, note, **more)

    rows = [
        (
            one.measure,
            [
                *(_pair(one), _Unit(result, one.measure).bare(point.rope)),
                *(*_thirds(point.decision), *_thirds(point.region)),
            ],
        )
        for one in result.bayes
        for point in one.rope_curve
    ]
    header = ["pair", "±equivalent", *(f"{kind} {sign}" for kind in ("decision", "new") for sign in ">≈<")]
    note = f"Decision: shares of draws; new: on a new data set. {said}"
    more = {"name": "regions", "words": 1, "minor": True}
    yield _by_measure(result, "Under other regions of equivalence", header, rows, note, **more)


# --- units ---


class _Unit:
    """Figures of a measure as they are written: fractions as percent, others as they are."""

    def __init__(self, result: Result, measure: str) -> None:
        self.is_fraction = all(0 <= row.value <= 1 for row in result.scores if row.measure == measure)
        self.scale = 100 if self.is_fraction else 1

    def plain(self, value: float) -> str:
        """A figure for programs."""
        return f"{self.scale * value:.2f}"

    def number(self, value: float) -> str:
        """A figure for people."""
        return DASH if math.isnan(value) else f"{self.scale * value:,.2f}"

    def difference(self, value: float) -> str:
        """A figure with its sign."""
        return signed(value if self.is_fraction else value / 100)

    def bare(self, value: float) -> str:
        """A region, with the digits that it has."""
        return f"{self.scale * value:.3g}"

    def estimate(self, found: Estimate | None) -> Cell:
        """A posterior mean with its interval."""
        return self.figure(found.mean, found.low, found.high, self.difference) if found else Cell(DASH)

    def figure(self, value: float, low: float, high: float, form: Callable[[float], str]) -> Cell:
        """A figure with its interval."""
        return Cell(with_interval(value, low, high, form), data=tuple(map(self.plain, (value, low, high))))


def _units(result: Result) -> str:
    """A sentence on what figures are counted in."""
    fractions = [_Unit(result, measure).is_fraction for measure in result.measures]
    if all(fractions):
        return "In percentage points."
    return (
        "In units of the measure; fractions in percentage points." if any(fractions) else "In units of the measure."
    )
