"""All annotators at once: coefficients with intervals from one draw, disagreements, systems compared with them."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Floats, Ints, ratio
from assay.classes import dataclass
from assay.corpus.ratings import Ratings, majority, parse_number
from assay.engine import coefficients as numbers
from assay.engine.coefficients import AGAINST, RatingSums
from assay.engine.counts import BLOCKS
from assay.engine.matching import connect_cells
from assay.engine.measure import Coefficient, Measure
from assay.engine.scores import Settings, make_comparison
from assay.errors import UsageError, unknown
from assay.formats.ratings import SystemRatings, ratings_in, read_ratings, system_ratings
from assay.result import (
    AgreementFacts,
    Annotator,
    Coincidence,
    Comparison,
    ConfusedLabel,
    Disagreement,
    Score,
    enumeration,
)
from assay.result.grammar import ALPHA, NOTABLE
from assay.result.numbers import plural
from assay.stats.intervals import percentiles, t_interval, t_tail
from assay.stats.resample import CHUNK_NUMBERS, PackedColumns
from assay.stats.significance import SMALLEST, Shuffling, holm, shuffling_test
from assay.stats.streams import BOOTSTRAP, generator, rows_text
from assay.stats.unitizing import Units, find_overlap

ALL = "all annotators"
ALL_PAIRS = "mean of all pairs"
CEILING = "human ceiling"
MOST_FIELDS = 2_000
"""The most numbers per unit that are resampled for a measure; beyond that, it has no interval."""
MOST_OF_SYSTEMS = 3_000
"""The most numbers of a unit for systems against annotators: intervals and tests up to 500 annotators."""
SHOWN = 10
"""Number of the items that annotators disagree on most that are kept by default."""
ROUNDING = 1e-12
"""The largest difference that counts as rounding."""
_TIES = " / "
_LEAST = 64
"""The fewest replicates whose scores are computed at once."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The units of resampling: items, sentences or documents, or blocks of these if they are many."""

    of_item: Ints
    number: int
    pooled: bool

    @classmethod
    def of(cls, names: Sequence[str], unit: Ints, used: Array) -> Groups:
        """Units in an order that depends on their names alone; units without a used item are left out."""
        kept = np.flatnonzero(np.bincount(unit[used], minlength=1))
        hashes = np.fromiter((zlib.crc32(names[code].encode("utf-8", "replace")) for code in kept.tolist()), np.int64)
        place = np.full(len(names), NONE, dtype=np.int64)
        pooled = len(kept) > BLOCKS
        if pooled:
            place[kept] = hashes % BLOCKS
        else:
            order = sorted(range(len(kept)), key=lambda index: (hashes[index], names[int(kept[index])]))
            place[kept[order]] = np.arange(len(kept))
        return cls(np.maximum(place[unit], 0), BLOCKS if pooled else len(kept), pooled)

    @property
    def whole(self) -> Groups:
        """All items as one unit, for measures that are not resampled."""
        return Groups(np.zeros_like(self.of_item), 1, pooled=False)


@dataclass(frozen=True, eq=False)
class Figure:
    """A measure of annotators with its name and the numbers from which its scores are computed."""

    system: str
    measure: str
    main: str
    rows: RatingSums
    scores: Mapping[str, Callable[[Any], Array]]
    averages: Mapping[str, Callable[[Any], Array]] = field(default_factory=dict)
    """Scores of all labels together, which the last axis of the sums runs over; `scores` are then of each."""
    resampled: bool = True
    by_annotator: Callable[[Any], Array] | None = None
    """For measures of pairs, what `leave-one-out` is the mean of: the score with each annotator left out."""
    least: Mapping[str, Array] = field(default_factory=dict)
    """The highest lower end that the interval of a score may have; of pairs, one for each."""

    def values(self, sums: Mapping[str, Array]) -> Iterator[tuple[str, bool, Array]]:
        """The name of each score, whether it is one of each label, and its values."""
        parts = [(self.scores, {**sums, **self.rows.fixed}, False)]
        if labels := self.rows.labels:
            whole = {name: values.sum(axis=-1) for name, values in sums.items() if values.shape[-1] == len(labels)}
            parts = [(self.scores, whole, False), (self.averages, parts[0][1], False), (*parts[0][:2], True)]
        for scores, numbers_of_scores, by_label in parts:
            yield from ((name, by_label, np.asarray(score(numbers_of_scores))) for name, score in scores.items())


def resample(
    figures: Sequence[Figure], groups: int, settings: Settings
) -> Iterator[tuple[int, list[dict[str, Array]]]]:
    """The resampled sums of each figure, with one draw for all: some replicates at a time, and their number."""
    tables = [
        {name: values.reshape(groups, -1) for name, values in figure.rows.sums.items()} if figure.resampled else {}
        for figure in figures
    ]
    parts = [table for by_table in tables for table in by_table.values() if table.size]
    if not parts or groups < 2:
        # A single unit cannot be resampled.
        return
    # What is the same in all units, or in two columns, is drawn once.
    columns: dict[bytes, int] = {}
    place = np.array([columns.setdefault(column, len(columns)) for part in parts for column in _as_bytes(part)])
    packed = PackedColumns([np.frombuffer(column, f"=f{len(column) // groups}") for column in columns])
    del columns
    sums = packed.draw(settings.times, settings.rng(BOOTSTRAP))
    pieces = min(len(sums) // _LEAST, len(sums) * len(place) // CHUNK_NUMBERS)
    for some in np.array_split(sums, max(1, pieces)):
        distinct, at, by_figure = packed.unpack(some), 0, []
        for figure, by_table in zip(figures, tables, strict=True):
            by_name = {}
            for name, table in by_table.items():
                shape = (len(some), *figure.rows.sums[name].shape[1:])
                by_name[name] = distinct[:, place[at : at + table.shape[1]]].reshape(shape)
                at += table.shape[1]
            by_figure.append(by_name)
        yield len(some), by_figure


def _as_bytes(table: Array) -> Iterator[bytes]:
    """The bytes of each column, in single precision if that is exact, so that equal columns have equal bytes."""
    for column in np.ascontiguousarray(table.T, dtype=np.float64):
        with np.errstate(over="ignore"):
            single = column.astype(np.float32)
        yield (single if (single == column).all() else column).tobytes()


def scores_of(
    figures: Sequence[Figure], groups: int, settings: Settings, where: str | None
) -> tuple[list[Score], list[str]]:
    """The scores of figures with their intervals, and notes on them."""
    rows: list[Score] = []
    notes: list[str] = []
    drawn: list[dict[tuple[str, bool], Array]] = [{} for _ in figures]
    done = 0
    for number, sums in resample(figures, groups, settings):
        for figure, part, replicates in zip(figures, sums, drawn, strict=True):
            for name, by_label, values in figure.values(part) if part else ():
                key = (name, by_label)
                # What depends on nothing that is drawn has no interval.
                if values.ndim:
                    if key not in replicates:
                        replicates[key] = np.empty_like(values, shape=(settings.times, *values.shape[1:]))
                    replicates[key][done : done + number] = values
        done += number
    for figure, replicates in zip(figures, drawn, strict=True):
        totals = {name: values.sum(axis=0) for name, values in figure.rows.sums.items()}
        lost: list[str] = []
        for name, by_label, values in figure.values(totals):
            again, main = replicates.pop((name, by_label), None), name == figure.main
            least = figure.least.get(name, np.full(values.shape, np.inf))
            for system, label, value, replicate, lowest in _cells(figure, by_label, values, again, least):
                low, high = (math.nan, math.nan) if replicate is None else percentiles(replicate[None])[0].tolist()
                kind = "" if replicate is None else "percentile"
                if low > lowest:
                    low, kind = float(lowest), "percentile+wilson"
                rows.append(Score(system, figure.measure, name, label, where, float(value), low, high, main, kind))
                if main and where is None and replicate is not None and label is None and not np.isnan(value):
                    gone = float(np.isnan(replicate).mean())
                    lost += [f"{system} {100 * gone:.0f}%"] if gone > 0.01 else []
            if main and where is None and figure.rows.number > 1 and not by_label:
                notes += _undefined_pairs(figure, values)
        if lost:
            notes.append(f"Resamples in which {figure.measure} is undefined were left out: {', '.join(lost[:5])}.")
    return rows, notes


def _cells(
    figure: Figure, by_label: bool, values: Array, again: Array | None, least: Array
) -> Iterator[tuple[str, str | None, Any, Array | None, Any]]:
    """Each system or pair, label, value, resampled values (None if there are none), and highest lower end."""
    rows = figure.rows
    for place, label in enumerate(rows.labels if by_label else (None,)):
        observed, resampled = values, again
        if by_label:
            observed, resampled = values[..., place], None if again is None else again[..., place]
        if not rows.number:
            yield figure.system, label, observed, resampled, math.inf if by_label else least
            continue
        listed = observed if rows.listed is None else observed[rows.listed]
        for pair, system in enumerate(rows.pairs if figure.resampled or not by_label else ()):
            lowest = math.inf if by_label else least[pair]
            yield system, label, listed[pair], None if resampled is None else resampled[:, pair], lowest
        if rows.number > 1:
            # Exact, so that the order of pairs changes no digit; undefined if one of them is.
            mean = math.nan if len(observed) < rows.number else math.fsum(observed.tolist()) / len(observed)
            if by_label or resampled is None:
                yield ALL_PAIRS, label, mean, None, math.inf
            else:
                # Sorted, so that the order of pairs changes no digit.
                yield ALL_PAIRS, label, mean, np.sort(resampled).mean(axis=1), np.sort(least).mean()


def _undefined_pairs(figure: Figure, values: Array) -> Iterator[str]:
    """Notes on the pairs that leave the mean undefined, and on those that are not listed."""
    rows, undefined = figure.rows, np.flatnonzero(np.isnan(values))
    if rows.unmet:
        yield (
            f"{figure.measure} is undefined for {rows.unmet:,} pairs of annotators who have nothing in common, and "
            "so is the mean over pairs."
        )
    elif rows.listed is not None and len(values) < rows.number:
        yield f"{figure.measure} has no mean over pairs, because there are too many pairs."
    elif len(undefined):
        first = rows.pairs[undefined[0]] if rows.listed is None else f"{len(undefined):,} pairs of annotators"
        more = f" and {len(undefined) - 1:,} more" if rows.listed is None and len(undefined) > 1 else ""
        yield f"{figure.measure} is undefined for {first}{more}, and so is the mean over pairs."
    if rows.listed is not None:
        listed = f"the {len(rows.pairs):,} with the most in common are listed" if rows.pairs else "none is listed"
        yield f"There are {plural(rows.number, 'pair')} of annotators; {listed}."


def ordinal_figure(measure: Measure, ratings: Ratings, groups: Groups) -> Figure:
    """Alpha of labels in their order, which the user did not ask for: without an interval if that takes long."""
    if len(ratings.labels) * (len(ratings.labels) - 1) // 2 <= MOST_FIELDS:
        return figure_of(measure, ratings, groups)
    return replace(figure_of(measure, ratings, groups.whole), resampled=False)


def figure_of(measure: Measure, ratings: Ratings, groups: Groups) -> Figure:
    """A measure of the labels of all annotators."""
    parameters = {name: value for name, value in measure.parameters.items() if name != "column"}
    averages: Mapping[str, Callable[[Any], Array]] = {}
    many = False
    if measure.takes == "labels":
        rows = measure.function(ratings, groups.of_item, groups.number, **parameters)
    else:
        assert measure.together is not None
        who, averages = len(ratings.annotators), measure.averages
        many = who * (who - 1) // 2 * 3 * len(ratings.labels) > MOST_FIELDS
        used = groups.whole if many else groups
        rows = measure.together(ratings, used.of_item, used.number, **parameters)
    units = len(np.unique(ratings.unit_of_item[ratings.sizes > 1])) if groups.pooled else None
    least = {
        name: numbers.lower_ends(*score.disagreement(rows), units)
        for name, score in {**measure.scores, **averages}.items()
        if isinstance(score, Coefficient) and score.disagreement is not None and not many
    }
    return Figure(ALL, str(measure), measure.main, rows, measure.scores, averages, not many, least=least)


# --- who and what ---


def agreement_facts(ratings: Ratings, measures: Sequence[Measure]) -> AgreementFacts:
    """Facts for the verdict on the agreement of all annotators."""
    pairable = ratings.sizes > 1
    counts = ratings.counts[pairable]
    number = counts.sum(axis=0)
    # Of several that are the most frequent, the one that the most items have alone.
    of_one = (counts == counts.sum(axis=1, keepdims=True))[:, number == number.max(initial=0)].sum(axis=0)
    alphas = [measure for measure in measures if "level" in measure.parameters]
    level_given = any("level" in measure.given for measure in alphas)
    has_order = ratings.ordered or all(parse_number(label) is not None for label in ratings.labels)
    # Two labels have the same alpha at any level.
    of_names = bool(alphas) and not level_given and ratings.members is None
    assumed = of_names and has_order and int(np.count_nonzero(number)) > 2
    items, level = int(pairable.sum()), alpha_level(measures)[0]
    return AgreementFacts(items, items - int(of_one.max(initial=0)), len(ratings.annotators), level, assumed)


def profile_rows(ratings: Ratings, level: str, distance: str) -> Iterator[Annotator]:
    """The row of each annotator against the others, over the items that others rated too."""
    who, width = len(ratings.annotators), len(ratings.labels)
    annotator, cell, label, others = numbers.compare_with_others(ratings)
    # Labels that are tied share an item of the majority.
    shares, votes = others / others.sum(axis=1, keepdims=True), majority(others)

    def add_up(values: Array) -> Floats:
        return np.bincount(annotator, weights=values[cell], minlength=who).astype(np.float64)

    def add_up_labels(table: Array) -> Floats:
        return np.stack([add_up(column) for column in table.T], axis=1)

    number = np.bincount(annotator, minlength=who).astype(np.float64)
    counts = np.bincount(annotator * width + label[cell], minlength=who * width).reshape(who, width)
    own = np.arange(len(label)), label
    bias = ratio(counts - add_up_labels(shares), number[:, None])
    agreement = ratio(add_up(shares[own]), number)
    by_chance = ratio((counts * add_up_labels(votes)).sum(axis=1), number**2)
    right = ratio(add_up(votes[own]), number)
    kappas = numbers.beyond_chance(right, by_chance)
    whole = numbers.alpha_of(ratings, level, distance)
    p = holm(numbers.distance_p_values(ratings, level, distance))
    for code, alone in enumerate(numbers.alphas_without(ratings, level, distance)):
        yield Annotator(
            name=ratings.annotators[code],
            items=int(number[code]),
            agreement=float(agreement[code]),
            kappa=float(kappas[code]),
            alpha_without=alone,
            alpha_gain=alone - whole,
            bias=dict(zip(ratings.labels, bias[code].tolist(), strict=True)),
            p_adjusted=p[code],
            stands_out=is_notable(p[code], alone - whole),
        )


def is_notable(p: float, gain: float) -> bool:
    """True if an annotator stands out: p is small, and agreement without them rises by an amount that matters."""
    return p <= ALPHA and gain >= NOTABLE


def confused_rows(ratings: Ratings) -> Iterator[ConfusedLabel]:
    """Each annotator's labels of items to which most of the others gave another one."""
    width = len(ratings.labels)
    annotator, cell, label, others = numbers.compare_with_others(ratings)
    votes = majority(others) > 0
    votes[votes[np.arange(len(label)), label]] = False
    given = annotator.astype(np.int64) * width + label[cell]
    number = np.bincount(given, minlength=len(ratings.annotators) * width).tolist()
    keys = [given[votes[cell, other]] * width + other for other in range(width)]
    pairs, items_of = np.unique(np.concatenate(keys), return_counts=True) if keys else (given, given)
    for pair, items in zip(pairs.tolist(), items_of.tolist(), strict=True):
        own, other = divmod(pair, width)
        who, code = divmod(own, width)
        yield ConfusedLabel(
            ratings.annotators[who], ratings.labels[code], ratings.labels[other], items, items / number[own]
        )


def coincidence_rows(ratings: Ratings) -> list[Coincidence]:
    """The numbers of pairs of labels that annotators gave to one item."""
    table = numbers.count_coincidences(ratings)
    totals = table.sum(axis=1)
    return [
        Coincidence(ratings.labels[a], ratings.labels[b], float(table[a, b]), float(table[a, b] / totals[a]))
        for a, b in zip(*np.nonzero(table), strict=True)
    ]


def disagreement_rows(ratings: Ratings, level: str, distance: str, number: int | None) -> Iterator[Disagreement]:
    """The items with the most disagreement, up to a number, or all items in their order, with their ratings."""
    values = numbers.disagreement(ratings, level, distance)
    order = np.argsort(-np.nan_to_num(values), kind="stable")
    differing = order[np.nan_to_num(values)[order] > 0]
    for item in range(ratings.items) if number is None else differing[:number].tolist():
        first, end = np.searchsorted(ratings.item, [item, item + 1])
        rows = zip(ratings.annotator[first:end].tolist(), ratings.label[first:end].tolist(), strict=True)
        labels = {ratings.annotators[who]: ratings.labels[code] for who, code in rows}
        text = ratings.columns["text"][item] if "text" in ratings.columns else ratings.text_of(item)
        most = _TIES.join(ratings.labels[code] for code in np.flatnonzero(ratings.votes[item]))
        yield Disagreement(ratings.names[item], float(values[item]), most, labels, text)


def different_labels(ratings: Ratings) -> Iterator[str]:
    """A warning if annotators have no label in common with others, not even by way of a third one."""
    width = len(ratings.labels)
    who, label = np.divmod(np.unique(ratings.annotator.astype(np.int64) * width + ratings.label), width)
    group = connect_cells(who, label)
    if len(np.unique(group)) < 2:
        return
    named = []
    for number in np.unique(group)[:2]:
        members = group == number
        labels = ", ".join(ratings.labels[code] for code in np.unique(label[members])[:3].tolist())
        named.append(f"{ratings.annotators[who[members].min()]} ({labels})")
    yield (
        f"{named[0]} and {named[1]} have no label in common, so they never agree. Write labels that mean the same in "
        f"the same way."
    )


# --- slices ---


def slice_items(ratings: Ratings, spec: str) -> tuple[Ints, Sequence[str]]:
    """The value of each item in a slice (NONE if it has none): the majority's label, or its value in a column."""
    name, _, argument = spec.partition(":")
    if name == "label":
        codes = np.where((ratings.votes > 0).sum(axis=1) == 1, ratings.votes.argmax(axis=1), len(ratings.labels))
        return np.where(ratings.sizes > 0, codes, NONE), (*ratings.labels, "(tied)")
    key = argument if name == "meta" else name
    if key not in ratings.columns:
        names = [*("document" for column in ratings.columns if column == "document"), "label"]
        raise unknown(
            "slice", spec, [*names, *(f"meta:{column}" for column in ratings.columns if column != "document")]
        )
    column = ratings.columns[key]
    return column.codes, column.vocabulary


# --- systems ---


def against_figures(
    ratings: Ratings, systems: Sequence[SystemRatings], groups: Groups, against: Sequence[str]
) -> list[Figure]:
    """Each system against the annotators in several ways, and the annotators against the others."""
    for name in against:
        if name not in AGAINST:
            raise unknown("value of against", name, AGAINST)
    fields = {"each": "each", "majority": "majority", "any": "any", "leave-one-out": "left"}
    scores = {name: numbers.against_score(fields[name]) for name in AGAINST if name in against}
    main = "leave-one-out" if "leave-one-out" in scores else next(iter(scores))
    results: list[Figure] = []
    used = groups if len(ratings.annotators) * 5 <= MOST_OF_SYSTEMS else groups.whole
    # Annotators are judged on the items that a system answered.
    answered = [(system.label != NONE) & (ratings.sizes > 0) for system in systems]
    common = all(np.array_equal(answered[0], other) for other in answered)
    for system in systems:
        rows = numbers.ceiling_rows(ratings, system.label, used.of_item, used.number)
        if "leave-one-out" in scores and not (common and results):
            name = CEILING if common else f"{CEILING} ({system.name})"
            human = {"leave-one-out": numbers.against_score("human")}
            results.append(Figure(name, "accuracy", main, rows, human, resampled=used is groups))
        results.append(Figure(system.name, "accuracy", main, rows, scores, resampled=used is groups))
    return results


def ceiling_comparisons(
    figures: Sequence[Figure], people: Sequence[str], settings: Settings
) -> tuple[list[Comparison], list[str]]:
    """Each system against the human ceiling before it, as far as there is one; notes on annotators left out."""
    rows, notes, human = [], [], None
    for figure in figures:
        if figure.system.startswith(CEILING) and "leave-one-out" in figure.scores:
            human = figure
        elif human is not None and figure.resampled:
            row, left_out = _ceiling_comparison(figure, human, settings)
            rows.append(row)
            if left_out.any():
                names = enumeration([people[who] for who in np.flatnonzero(left_out).tolist()])
                notes.append(
                    f"The human ceiling leaves out {names}, because nobody else rated any of their items that "
                    f"{figure.system} answered."
                )
    return rows, notes


_Sides = tuple[Array, Array, Callable[[Array], Array], Array, Array]
"""The annotators and a system on the same items and references: units × numbers of both that add up, and the score of
their sums; what each unit adds to the difference, up to a constant; and the difference with each annotator left out,
undefined for those who have no item in common with others."""


def _label_sides(rows: RatingSums) -> _Sides:
    points = [rows.sums[name] for name in ("human", "left")]
    number = rows.sums["left items"].sum(axis=0)
    by_annotator = ratio(points[1].sum(axis=0) - points[0].sum(axis=0), number)
    weight = ratio(np.ones(len(number)), number * (number > 0).sum())
    here = rows.sums["left items"].any(axis=1)
    humans, system = (side[here] @ np.nan_to_num(weight)[:, None] for side in points)
    return humans, system, lambda sums: sums[..., 0], (system - humans)[:, 0], by_annotator


def _pair_sides(human: Figure, system: Figure) -> _Sides:
    names, each = list(system.rows.sums), system.by_annotator
    assert each is not None
    stacks = [np.stack([side.rows.sums[name] for name in names], axis=1) for side in (human, system)]
    shape = stacks[0].shape[1:]

    def of_people(sums: Array) -> Array:
        split = sums.reshape(*sums.shape[:-1], *shape)
        return each({name: split[..., place, :, :] for place, name in enumerate(names)})

    def value(sums: Array) -> Array:
        return numbers.average_annotators(of_people(sums))

    humans, machines = (side.reshape(len(side), -1) for side in stacks)
    totals = humans.sum(axis=0), machines.sum(axis=0)
    # By leaving out each unit: for means, this is what a unit adds.
    without = value(totals[1] - machines) - value(totals[0] - humans)
    parts = -without * (1 - 1 / len(without))
    return humans, machines, value, parts, of_people(totals[1]) - of_people(totals[0])


def _ceiling_comparison(system: Figure, human: Figure, settings: Settings) -> tuple[Comparison, Array]:
    """A system against the human ceiling, with units and annotators as factors; and a mask of annotators left out."""
    sides = _label_sides(system.rows) if "left" in system.rows.sums else _pair_sides(human, system)
    humans, machines, value, parts, by_annotator = sides
    left_out = np.isnan(by_annotator)
    difference = float(numbers.average_annotators(by_annotator))
    over_units, over_people, freedom = numbers.ceiling_variance(parts, by_annotator[~left_out])
    variance = over_units + over_people
    apart = humans - machines
    apart = apart[np.abs(apart).max(axis=1, initial=0) > ROUNDING]
    # Rounding, which the order of annotators decides, makes no other row.
    keys, first, sizes = np.unique(np.round(apart, 14), axis=0, return_index=True, return_counts=True)

    def stream(purpose: str) -> np.random.Generator:
        return generator(settings.seed, rows_text(purpose, keys, sizes))

    totals = humans.sum(axis=0), machines.sum(axis=0)
    exchanged = shuffling_test(*totals, apart[first], sizes, lambda x, y: value(y) - value(x), stream, settings.times)
    p, low, high = exchanged.p, math.nan, math.nan
    # If nothing varies, the items alone decide.
    if not variance <= ROUNDING**2:
        p = max(2 * t_tail(abs(difference) / math.sqrt(variance), freedom), SMALLEST)
        low, high = t_interval(difference, variance, 1 + freedom, -1.0, 1.0)
    comparison = make_comparison(
        (CEILING, system.system),
        (system.measure, "leave-one-out", None),
        difference,
        (low, high, "t"),
        Shuffling(p, p, p, int(sizes.sum()), "t", math.log10(p), None),
        (variance, freedom),
        "ceiling",
        annotators=int((~left_out).sum()),
        p_items=exchanged.p,
        v_items=None if math.isnan(variance) else over_units,
        v_annotators=None if math.isnan(variance) else over_people,
    )
    return comparison, left_out


def system_figure(measure: Measure, ratings: Ratings, system: SystemRatings, groups: Groups) -> tuple[Figure, Any]:
    """A measure of one system against all annotators, and its report."""
    used = groups if len(ratings.annotators) * 2 <= MOST_OF_SYSTEMS else groups.whole
    rows, report = measure.function(ratings, system, used.of_item, used.number, **measure.parameters)
    return Figure(system.name, str(measure), measure.main, rows, measure.scores, resampled=used is groups), report


def alpha_level(measures: Sequence[Measure]) -> tuple[str, str]:
    """The level and the distance of the first alpha among measures, by which items are ordered."""
    for measure in measures:
        if "level" in measure.parameters:
            return str(measure.parameters["level"]), str(measure.parameters["distance"])
    return "nominal", "jaccard"


def merge_ratings(parts: Sequence[Ratings]) -> Ratings:
    """Ratings of different documents as one; items are named by the number of their part and their name."""
    if len(parts) == 1:
        return parts[0]
    rows = [(number, part) for number, part in enumerate(parts, 1)]
    items = [f"{number}/{part.names[item]}" for number, part in rows for item in part.item.tolist()]
    who = [part.annotators[code] for part in parts for code in part.annotator.tolist()]
    labels = [part.labels[code] for part in parts for code in part.label.tolist()]
    names = [f"{number}/{name}" for number, part in rows for name in part.names]
    units = [f"{number}/{part.unit_names[code]}" for number, part in rows for code in part.unit_of_item.tolist()]
    codes = {name: number for number, name in enumerate(dict.fromkeys(units))}
    merged = Ratings.of(items, who, labels, names=names)
    unit = np.array([codes[name] for name in units], dtype=np.int64)
    return replace(merged, unit=unit, units=tuple(codes), noun=parts[0].noun, unit_noun=parts[0].unit_noun)


def systems_of(
    given: Mapping[str, Any], ratings: Ratings, format_of: Callable[[str], str | None]
) -> tuple[list[SystemRatings], list[str]]:
    """The systems that are judged against the annotators of a table, and warnings about them."""
    rated_systems: list[SystemRatings] = []
    warnings = []
    for name, data in given.items():
        if isinstance(data, Mapping):
            table = ratings_in(data)
        else:
            table = read_ratings([str(data)], format_of(name), answers=True)
        rated_systems += system_ratings(table, name, ratings)
        unknown_items = len(set(table.names) - set(ratings.names))
        if unknown_items == len(table.names):
            raise UsageError(f"{table.path}: contains none of the annotators' items. Do items have the same names in "
            f"both files?")
        if unknown_items:
            gone = plural(unknown_items, "item that no annotator has was", "items that no annotator has were")
            warnings.append(f"{name}: {gone} left out.")
    names = [system.name for system in rated_systems]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two systems are called {name!r}. Give each its own name.")
    for system in rated_systems:
        answered = system.label != NONE
        answered |= False if system.soft is None else ~np.isnan(system.soft[:, 0])
        answered |= False if system.each is None else (system.each != NONE).any(axis=1)
        rated = ratings.sizes > 0
        if lacking := int((rated & ~answered).sum()):
            warnings.append(f"{system.name} has no answer to {lacking:,} of {int(rated.sum()):,} items.")
    return rated_systems, warnings


def split_systems(ratings: Ratings, systems: Sequence[str]) -> tuple[Ratings, list[SystemRatings]]:
    """The ratings of annotators, and the answers of the systems among them."""
    codes = [ratings.annotators.index(name) for name in systems]
    of_systems = np.isin(ratings.annotator, codes)
    used_labels = np.isin(np.arange(len(ratings.labels)), ratings.label[~of_systems])
    order = np.concatenate([np.flatnonzero(used_labels), np.flatnonzero(~used_labels)])
    place = np.argsort(order)
    labels = tuple(ratings.labels[code] for code in order)
    people = [name for name in ratings.annotators if name not in systems]
    who = np.array([people.index(name) if name in people else NONE for name in ratings.annotators], dtype=np.int64)
    kept = replace(
        ratings,
        annotators=tuple(people),
        labels=labels[: int(used_labels.sum())],
        item=ratings.item[~of_systems],
        annotator=who[ratings.annotator[~of_systems]],
        label=place[ratings.label[~of_systems]],
    )
    cells = ratings.table
    answers = [
        SystemRatings(name, np.where(cells[:, code] == NONE, NONE, place[cells[:, code]]), labels)
        for name, code in zip(systems, codes, strict=True)
    ]
    return kept, answers


@dataclass(frozen=True, eq=False)
class Continua:
    """The units of all annotators, document by document."""

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    units: tuple[Units, ...]
    labels: tuple[str, ...]

    def check_overlaps(self) -> None:
        """Raise if two units of one annotator with the same label overlap."""
        for name, units in zip(self.documents, self.units, strict=True):
            overlap = find_overlap(units)
            if overlap is not None:
                first, second = overlap
                number, label = int(units.annotator[first]), self.labels[int(units.label[first])]
                who = self.annotators[number] if self.annotators else f"annotator {number + 1}"
                raise UsageError(
                    f"{who}, document {name}: two spans {label} overlap at {int(units.begin[second])}, so the "
                    f"text cannot be divided into units and gaps."
                )


def join_continua(parts: Sequence[Continua]) -> Continua:
    """The units of different documents as one; each document has the annotators who were given it."""
    labels = tuple(sorted({label for part in parts for label in part.labels}))
    place = {label: number for number, label in enumerate(labels)}
    units = []
    for part in parts:
        codes = np.array([place[label] for label in part.labels], dtype=np.int64)
        units += [replace(one, label=codes[one.label] if len(codes) else one.label) for one in part.units]
    documents = tuple(name for part in parts for name in part.documents)
    return Continua(documents, parts[0].annotators if len(parts) == 1 else (), tuple(units), labels)


def unit_figure(measure: Measure, continua: Continua, settings: Settings) -> tuple[Figure, str]:
    """A measure of the units of all annotators, and a note on it."""
    rng = settings.rng(measure.name)
    rows, note = measure.function(continua, rng, **measure.parameters)
    return Figure(ALL, str(measure), measure.main, rows, measure.scores, resampled=bool(rows.sums)), note


# --- systems against annotators, pair by pair ---


def paired_figures(
    measure: Measure,
    counts: Mapping[tuple[str, str], Array],
    fields: Sequence[str],
    people: Sequence[str],
    systems: Sequence[str],
    against: Sequence[str],
) -> list[Figure]:
    """A measure of pairs with each annotator in gold's place: systems against the others, and each annotator.

    `counts` are units × fields by gold and by who is judged. All pairs of annotator and reference weigh the same.
    """
    name = measure.main if measure.main in measure.scores else next(iter(measure.scores))
    function = measure.scores[name]

    def by_annotator(sums: Mapping[str, Array]) -> Floats:
        return numbers.average_annotators(np.asarray(function(sums)))

    def score(sums: Mapping[str, Array]) -> Floats:
        return numbers.average_annotators(by_annotator(sums))

    def rows(system: str = "") -> RatingSums:
        # Units × annotators × the others as references × fields, of a system or of the annotators themselves.
        tables = [
            np.stack([counts[other, system or name] for other in people if other != name], axis=1) for name in people
        ]
        joint = np.stack(tables, axis=1).astype(np.float64)
        return RatingSums({field: joint[..., place] for place, field in enumerate(fields)})

    ways = {way: score for way in ("each", "leave-one-out") if way in against}
    if not ways:
        return []
    main = list(ways)[-1]
    human = [(CEILING, rows(), {main: score})] if main == "leave-one-out" else []
    sides = [*human, *((system, rows(system), ways) for system in systems)]
    return [Figure(name, str(measure), main, table, given, by_annotator=by_annotator) for name, table, given in sides]


def voted_figure(measure: Measure, system: str, counts: Array, fields: Sequence[str]) -> Figure:
    """A measure of pairs of a system against what more than half of the annotators have."""
    name = measure.main if measure.main in measure.scores else next(iter(measure.scores))
    rows = RatingSums({field: counts[:, place].astype(np.float64) for place, field in enumerate(fields)})
    return Figure(system, str(measure), "", rows, {"majority": measure.scores[name]})
