"""Tables of a comparison over many runs, laid out as in Szymański and Gorman 2020."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.render.table import Cell, Table, is_best, p_cell, pair_cell, table
from assay.render.text import DASH, count, signed, with_interval
from assay.result import Result, Score
from assay.result.posteriors import CurvePoint, Estimate, Posterior, Ranking, Thirds

Row = list[Cell | str]
_TABLE_2 = ("", "", *">≈<")
_PLAIN_2 = ("a", "b", *">≈<")
_KINDS = {"decision": "Which is better", "region": "On a new data set"}
_SAID = {
    "decision": "Shares of posterior draws in which that is the likeliest of the three (the paper's likelihoods): "
    "not the probability that a system is better on a new data set, which the next table gives.",
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
_BEYOND = "The model knows no bounds: with few data sets, intervals may reach beyond what scores can be."


def tables(result: Result) -> Iterator[Table]:
    """In reading order: the orders, all pairs (Table 2), sizes of differences, data sets, priors, splits."""
    yield _orders(result)
    yield from _relations(result)
    for kind in _kinds(result):
        yield _pairs(result, kind)
    yield _sizes(result)
    yield _means(result)
    yield _by_data_set(result)
    yield _priors(result)
    yield _splits(result)
    yield _signed_ranks(result)
    yield _regions(result)


def _kinds(result: Result) -> list[str]:
    """Both kinds of shares, where they differ: on a single data set there is one."""
    return [kind for kind in _KINDS if kind == "decision" or any(one.model == "hierarchical" for one in result.bayes)]


def _first_of(names: Sequence[str]) -> Iterator[Cell]:
    """Names for people only where they change, for programs in each row."""
    before = ""
    for name in names:
        yield Cell("" if name == before else name, data=(name,))
        before = name


def _by_measure(
    result: Result,
    title: str,
    header: Sequence[str],
    rows: Sequence[tuple[str, Row]],
    words: int,
    note: str,
    *,
    droppable: Sequence[int] = (),
    minor: bool = False,
) -> Table:
    """Rows with their measures, which are named where there are several; the first columns are words."""
    if len(result.measures) == 1:
        plain = [row for _, row in rows]
        return table(title, header, plain, words, notes=(note,), droppable=tuple(droppable), minor=minor)
    named = [[cell, *row] for cell, (_, row) in zip(_first_of([measure for measure, _ in rows]), rows, strict=True)]
    moved = tuple(index + 1 for index in droppable)
    return table(title, ["measure", *header], named, words + 1, notes=(note,), droppable=moved, minor=minor)


# --- order ---


def _orders(result: Result) -> Table:
    rows = [[ranking.measure, ranking.chain, " ".join(ranking.intransitive)] for ranking in result.rankings]
    flagged = any(row[2] for row in rows)
    used = {one.relation for ranking in result.rankings for one in ranking.relations if one.adjacent}
    signs = ", ".join(said for sign, said in _SIGNS.items() if sign in used)
    hint = " It shows neighbours alone." if any(len(ranking.order) > 2 for ranking in result.rankings) else ""
    return table(
        "Order",
        ["measure", "order", "what it hides"] if flagged else ["measure", "order"],
        [row if flagged else row[:2] for row in rows],
        words=3,
        minor=len(result.bayes) == 1,
        notes=(f"From the worst to the best, by the likeliest relation of each two: {signs}.{hint}",),
    )


def _relations(result: Result) -> Iterator[Table]:
    """How each system stands to each, where a chain does not tell by itself."""
    for ranking in result.rankings:
        if len(ranking.order) > 2:
            yield _matrix(ranking)


def _matrix(ranking: Ranking) -> Table:
    signs = {(one.a, one.b): one.relation for one in ranking.relations}
    rows = [[a, *(signs.get((a, b), "") for b in ranking.order[1:])] for a in ranking.order[:-1]]
    edges = [f"{one.a} < {one.b}" for one in ranking.relations if one.covers]
    partial = f" Partial order: {', '.join(edges)}." if edges else ""
    return table(
        f"Relations: {ranking.measure}",
        ["", *ranking.order[1:]],
        rows,
        minor=not ranking.intransitive,
        notes=(f"How the system of the row stands to that of the column.{partial}",),
    )


# --- the paper's Table 2 ---


def _pairs(result: Result, kind: str) -> Table:
    """A row for each two systems, three columns for each measure."""
    measures = [ranking.measure for ranking in result.rankings]
    order = result.rankings[0].order if result.rankings else ()
    said = _SAID[kind] if len(_kinds(result)) > 1 else _ALONE
    note = f"> the first is better, ≈ practically equivalent, < the second is better. {said}"
    if len(measures) == 1:
        rows = _pair_rows(result, kind, order, measures)
        return table(_KINDS[kind], _TABLE_2, rows, 2, notes=(note,), columns=_PLAIN_2)
    each = [
        table(
            f"{_KINDS[kind]}: {ranking.measure}",
            _TABLE_2,
            _pair_rows(result, kind, ranking.order, [ranking.measure]),
            words=2,
            notes=(note,) if ranking is result.rankings[-1] else (),
        )
        for ranking in result.rankings
    ]
    return table(
        _KINDS[kind],
        ["", "", *(f"{measure} {sign}" if sign == ">" else sign for measure in measures for sign in ">≈<")],
        _pair_rows(result, kind, order, measures),
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
    for one in result.bayes:
        unit = _unit(result, one.measure)
        new = [unit.estimate(one.next)] if several else []
        found: Row = [pair_cell(one.a, one.b), one.relation, _sure(one), unit.estimate(one.mean), *new]
        rows.append((one.measure, [*found, unit.bare(one.rope)]))
    header = ["pair", "rel.", "share", "difference", *(["new data set"] if several else []), "±equivalent"]
    priors = " In brackets its range under other priors." if any(one.prior_curve for one in result.bayes) else ""
    note = (
        f"Share: of the relation.{priors} Differences: posterior mean and 95% interval; positive favours the second. "
        f"{_said(result)}{_beyond(result)}"
    )
    return _by_measure(result, "How sure, and how large", header, rows, 2, note, droppable=(5, 4)[not several :])


def _sure(one: Posterior) -> Cell:
    """The share behind the relation, and what other priors make of it."""
    side = {"<": "b", ">": "a", "?": "a"}.get(one.relation, "equal")
    share = getattr(one.decision, side)
    under = [getattr(point.decision, side) for point in one.prior_curve]
    low, high = (min(under), max(under)) if under else (math.nan, math.nan)
    return Cell(with_interval(share, low, high, _share), data=(_plain(share), _plain(low), _plain(high)))


def _beyond(result: Result) -> str:
    reach = [
        abs(end) > (1 if _unit(result, one.measure).is_fraction else 100)
        for one in result.bayes
        for end in ((one.next.low, one.next.high) if one.next else ())
    ]
    return f" {_BEYOND}" if any(reach) else ""


def _means(result: Result) -> Table:
    """The systems' mean scores."""
    slices = list(dict.fromkeys(row.slice for row in result.scores if row.slice))
    order = {ranking.measure: ranking.order for ranking in result.rankings}
    several = [None] if len(slices) > 1 else []
    rows: list[tuple[str, Row]] = []
    for measure in result.measures:
        unit = _unit(result, measure)
        own = {(row.system, row.slice): row for row in result.scores if row.measure == measure}
        for system in order.get(measure, [source.name for source in result.systems]):
            means = [unit.mean(own.get((system, name))) for name in (*slices, *several)]
            rows.append((measure, [system, *means]))
    header = ["system", *(name.removeprefix("dataset:") for name in slices), *(["mean"] if several else [])]
    note = "In brackets the 95% interval of the mean, corrected for runs that share training data."
    return _by_measure(result, "Mean scores over runs", header, rows, 1, note)


# --- details ---


def _by_data_set(result: Result) -> Table:
    rows: list[tuple[str, Row]] = []
    for one in result.bayes:
        unit = _unit(result, one.measure)
        for data in one.by_data_set:
            tied = data.runs - data.a_ahead - data.b_ahead
            ahead = [count(number) for number in (data.a_ahead, tied, data.b_ahead)]
            measured = Cell(unit.difference(data.difference), data=(unit.plain(data.difference),))
            figures = [measured, unit.estimate(data.estimate), *ahead, *_thirds(data.decision), p_cell(data.p)]
            rows.append((one.measure, [pair_cell(one.a, one.b), data.name, *figures]))
    header = ["pair", "data set", "measured", "estimated", "first ahead", "tied", "second ahead", *">≈<", "p"]
    others = " in the light of the other data sets" if any(one.next for one in result.bayes) else " with its interval"
    note = (
        f"Measured: the mean difference over runs; estimated: the same{others}. Ahead: in how many runs. > ≈ <: "
        "probabilities on this data set alone (correlated t-test); p: corrected resampled t-test. "
        f"{_said(result)}"
    )
    minor = len(result.bayes) > 1 and len(rows) > 12
    return _by_measure(result, "Data set by data set", header, rows, 2, note, droppable=(5, 4, 6), minor=minor)


def _priors(result: Result) -> Table:
    rows: list[tuple[str, Row]] = [
        (one.measure, [pair_cell(one.a, one.b), f"{point.std0:g}", f"{point.delta0:g}", *_thirds(point.decision)])
        for one in result.bayes
        for point in one.prior_curve
    ]
    note = (
        "Bounds of the flat priors: of the spread among data sets as a multiple of that seen, of the mean difference "
        "as a multiple of the largest seen. Usual: 1000 and 1."
    )
    header = ["pair", "spread up to", "mean up to", *">≈<"]
    return _by_measure(result, "Under other priors", header, rows, 1, note, minor=len(result.bayes) > 1)


def _splits(result: Result) -> Table:
    """As Gorman and Bedrick counted."""
    counted = [(one, row) for one in result.bayes for row in one.replications]
    tested = any(row.tested for _, row in counted)
    rows: list[tuple[str, Row]] = []
    for one, row in counted:
        figures = [row.splits, row.better, row.worse]
        figures += [row.tested, row.significantly_better, row.significantly_worse] if tested else []
        rows.append((one.measure, [pair_cell(one.a, one.b), row.dataset, *map(count, figures)]))
    header = ["pair", "data set", "splits", "better", "worse"]
    said = "Splits in which the second system is better or worse."
    if tested:
        header += ["tested", "significantly better", "significantly worse"]
        alphas = {row.alpha for _, row in counted}
        level = f"{min(alphas):.2g}" if len(alphas) == 1 else f"{min(alphas):.2g} to {max(alphas):.2g}"
        said += f" Significance: McNemar's test (mid-p) at {level}, Bonferroni's correction for the splits."
    return _by_measure(result, "Split by split", header, rows, 2, said, minor=len(result.bayes) > 1 and not tested)


def _signed_ranks(result: Result) -> Table:
    """The Bayesian signed-rank test, where there are enough data sets for it."""
    rows: list[tuple[str, Row]] = [
        (one.measure, [pair_cell(one.a, one.b), *_thirds(one.signed_rank)])
        for one in result.bayes
        if one.signed_rank is not None
    ]
    note = "On the means of the data sets alone, whatever their spread: a check of the shares above."
    return _by_measure(result, "Bayesian signed-rank test", ["pair", *">≈<"], rows, 1, note, minor=len(rows) > 12)


def _regions(result: Result) -> Table:
    """The shares for other regions of equivalence."""
    rows: list[tuple[str, Row]] = []
    for one in result.bayes:
        unit = _unit(result, one.measure)
        rows += [
            (one.measure, [pair_cell(one.a, one.b), unit.bare(point.rope), *_both(point)]) for point in one.rope_curve
        ]
    header = ["pair", "±equivalent", *(f"{kind} {sign}" for kind in ("decision", "new") for sign in ">≈<")]
    note = f"Decision: shares of draws; new: on a new data set. {_said(result)}"
    return _by_measure(result, "Under other regions of equivalence", header, rows, 1, note, minor=True)


def _both(point: CurvePoint) -> Row:
    return [*_thirds(point.decision), *_thirds(point.region)]


# --- units ---


@dataclass(frozen=True)
class _Unit:
    """How figures of a measure are written: fractions as percent, others as they are."""

    is_fraction: bool

    def plain(self, value: float) -> str:
        """For programs."""
        return f"{100 * value if self.is_fraction else value:.2f}"

    def number(self, value: float) -> str:
        return DASH if math.isnan(value) else f"{100 * value if self.is_fraction else value:,.2f}"

    def difference(self, value: float) -> str:
        return signed(value if self.is_fraction else value / 100)

    def bare(self, value: float) -> str:
        """A region: with the digits that it has."""
        return f"{100 * value if self.is_fraction else value:.3g}"

    def mean(self, row: Score | None) -> Cell:
        return Cell(DASH) if row is None else self._cell(row.value, row.low, row.high, self.number)

    def estimate(self, found: Estimate | None) -> Cell:
        return Cell(DASH) if found is None else self._cell(found.mean, found.low, found.high, self.difference)

    def _cell(self, value: float, low: float, high: float, form: Callable[[float], str]) -> Cell:
        return Cell(with_interval(value, low, high, form), data=tuple(map(self.plain, (value, low, high))))


def _unit(result: Result, measure: str) -> _Unit:
    return _Unit(all(0 <= row.value <= 1 for row in result.scores if row.measure == measure))


def _said(result: Result) -> str:
    fractions = [_unit(result, measure).is_fraction for measure in result.measures]
    if all(fractions):
        return "In percentage points."
    return (
        "In units of the measure; fractions in percentage points." if any(fractions) else "In units of the measure."
    )
