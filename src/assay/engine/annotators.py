"""All annotators at once: coefficients with intervals from one draw, who and what disagrees, systems beside them."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Floats, Ints, ratio
from assay.corpus.ratings import Ratings
from assay.engine import coefficients as numbers
from assay.engine.coefficients import AGAINST, Rows
from assay.engine.counts import BLOCKS
from assay.engine.matching import components
from assay.engine.measure import Measure
from assay.engine.scores import Settings
from assay.errors import UsageError, unknown
from assay.formats.ratings import SystemRatings, ratings_in, read_ratings, system_ratings
from assay.records import dataclass
from assay.result import Annotator, Coincidence, Comparison, Disagreement, Score
from assay.stats.intervals import percentiles
from assay.stats.resample import bootstrap_weights
from assay.stats.significance import holm, shuffling_test
from assay.stats.streams import BOOTSTRAP, SHUFFLING, generator, rows_text
from assay.stats.unitizing import Units, overlapping

ALL = "all annotators"
ALL_PAIRS = "mean of all pairs"
CEILING = "human ceiling"
MOST_FIELDS = 2_000
"""The most numbers of a unit that are resampled for one measure; beyond that it has no interval."""
MOST_OF_SYSTEMS = 3_000
"""The same for systems against annotators: intervals and tests up to 500 annotators."""
SHOWN = 10
"""So many of the items that annotators disagree on most are kept where the user does not say how many."""
_TIES = " / "


@dataclass(frozen=True, eq=False)
class Groups:
    """The units of resampling: items, sentences or documents, or blocks of these where they are many."""

    of_item: Ints
    number: int
    pooled: bool

    @classmethod
    def of(cls, names: Sequence[str], unit: Ints, used: Array) -> Groups:
        """Units in an order that depends on their names alone; those of which nothing is used are left out."""
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


@dataclass(frozen=True, eq=False)
class Figure:
    """A measure, what it is called by, and the numbers that its scores are made of."""

    system: str
    measure: str
    main: str
    rows: Rows
    scores: Mapping[str, Callable[[Any], Array]]
    averages: Mapping[str, Callable[[Any], Array]] = field(default_factory=dict)
    """Scores of all labels together, which the last axis of the sums runs over; `scores` are then of each."""
    resampled: bool = True

    def values(self, sums: Mapping[str, Array]) -> Iterator[tuple[str, bool, Array]]:
        """The name of each score, whether it is one of each label, and its values."""
        given = {**sums, **self.rows.fixed}
        if not self.rows.labels:
            yield from ((name, False, np.asarray(score(given))) for name, score in self.scores.items())
            return
        whole = {
            name: values.sum(axis=-1) for name, values in sums.items() if values.shape[-1] == len(self.rows.labels)
        }
        yield from ((name, False, np.asarray(score(whole))) for name, score in self.scores.items())
        yield from ((name, False, np.asarray(score(given))) for name, score in self.averages.items())
        yield from ((name, True, np.asarray(score(given))) for name, score in self.scores.items())


def resample(figures: Sequence[Figure], groups: int, settings: Settings) -> Iterator[dict[str, Array]]:
    """For each figure its resampled sums: one draw serves all of them."""
    tables = [
        {name: values.reshape(groups, -1) for name, values in one.rows.sums.items()} if one.resampled else {}
        for one in figures
    ]
    parts = [table for own in tables for table in own.values()]
    if not parts or groups < 2:
        # Of a single unit there is nothing to draw.
        yield from ({} for _ in figures)
        return
    joint = np.concatenate(parts, axis=1)
    # What is the same in all units, or in two columns, is drawn once.
    distinct, place = np.unique(joint, axis=1, return_inverse=True)
    rng = settings.rng(BOOTSTRAP)
    drawn = np.concatenate(
        [
            weights.astype(np.float64) @ distinct
            for weights in bootstrap_weights(groups, settings.times, rng, distinct.shape[1])
        ]
    )
    place, at = place.ravel(), 0
    for one, own in zip(figures, tables, strict=True):
        found = {}
        for name, table in own.items():
            width = table.shape[1]
            found[name] = drawn[:, place[at : at + width]].reshape(settings.times, *one.rows.sums[name].shape[1:])
            at += width
        yield found


def scores_of(
    figures: Sequence[Figure], groups: int, settings: Settings, where: str | None
) -> tuple[list[Score], list[str], list[dict[str, Array]]]:
    """The scores of figures with their intervals, notes on them, and the resampled values of each figure by score."""
    rows: list[Score] = []
    notes: list[str] = []
    kept: list[dict[str, Array]] = []
    for one, drawn in zip(figures, resample(figures, groups, settings), strict=True):
        totals = {name: values.sum(axis=0) for name, values in one.rows.sums.items()}
        found = one.values(drawn) if drawn else ()
        # What depends on nothing that is drawn has no interval.
        replicates = {(name, label): values for name, label, values in found if values.ndim}
        kept.append({name: values for (name, label), values in replicates.items() if not label})
        lost: list[str] = []
        for name, by_label, values in one.values(totals):
            again = replicates.get((name, by_label))
            main = name == one.main

            def row(
                system: str,
                label: str | None,
                value: Any,
                again: Array | None,
                name: str = name,
                main: bool = main,
                lost: list[str] = lost,
                measure: str = one.measure,
            ) -> None:
                low, high = (math.nan, math.nan) if again is None else percentiles(again[None])[0].tolist()
                kind = "" if again is None else "percentile"
                rows.append(Score(system, measure, name, label, where, float(value), low, high, main, kind))
                if again is not None and label is None and not np.isnan(value):
                    gone = float(np.isnan(again).mean())
                    if gone > 0.01 and main and where is None:
                        lost.append(f"{system} {100 * gone:.0f}%")

            pairs, number = one.rows.pairs, one.rows.number
            listed = values if one.rows.listed is None else values[one.rows.listed]
            if by_label:
                for place, label in enumerate(one.rows.labels):
                    if not number:
                        row(one.system, label, values[place], None if again is None else again[:, place])
                    for pair, system in enumerate(pairs if one.resampled else ()):
                        row(system, label, values[pair, place], None if again is None else again[:, pair, place])
                    if number > 1:
                        row(ALL_PAIRS, label, math.nan if len(values) < number else _mean(values[:, place]), None)
            elif number:
                for pair, system in enumerate(pairs):
                    row(system, None, listed[pair], None if again is None else again[:, pair])
                if number > 1:
                    mean = math.nan if len(values) < number else _mean(values)
                    # Sorted, so that the order of pairs changes no digit.
                    row(ALL_PAIRS, None, mean, None if again is None else np.sort(again).mean(axis=1))
                    if main and where is None:
                        notes += _undefined_pairs(one, values)
            else:
                row(one.system, None, values, again)
        if lost:
            notes.append(f"Resamples in which {one.measure} is undefined are left out: {', '.join(lost[:5])}.")
    return rows, notes, kept


def _undefined_pairs(figure: Figure, values: Array) -> Iterator[str]:
    """Notes on the pairs that leave the mean undefined, and on those that are not listed."""
    rows, undefined = figure.rows, np.flatnonzero(np.isnan(values))
    if rows.unmet:
        yield (
            f"{figure.measure} is undefined for {rows.unmet:,} pairs of annotators who have nothing in common, and "
            "so is the mean over pairs."
        )
    elif rows.listed is not None and len(values) < rows.number:
        yield f"{figure.measure} has no mean over pairs: there are too many."
    elif len(undefined):
        first = rows.pairs[undefined[0]] if rows.listed is None else f"{len(undefined):,} pairs of annotators"
        more = f" and {len(undefined) - 1:,} more" if rows.listed is None and len(undefined) > 1 else ""
        yield f"{figure.measure} is undefined for {first}{more}, and so is the mean over pairs."
    if rows.listed is not None:
        listed = f"the {len(rows.pairs):,} with the most in common are listed" if rows.pairs else "none is listed"
        yield f"There are {rows.number:,} pairs of annotators; {listed}."


def _mean(values: Array) -> float:
    """The mean, exact, so that the order of pairs changes no digit; undefined where one of them is."""
    return math.fsum(values.tolist()) / len(values)


def figure_of(measure: Measure, ratings: Ratings, groups: Groups) -> Figure:
    """A measure of the labels of all annotators."""
    known = measure.definition
    given = {name: value for name, value in measure.parameters.items() if name != "column"}
    if known.takes == "labels":
        rows = known.function(ratings, groups.of_item, groups.number, **given)
        return Figure(ALL, str(measure), known.main, rows, known.scores)
    assert known.together is not None
    who = len(ratings.annotators)
    many = who * (who - 1) // 2 * 3 * len(ratings.labels) > MOST_FIELDS
    group, number = (np.zeros(ratings.items, dtype=np.int64), 1) if many else (groups.of_item, groups.number)
    rows = known.together(ratings, group, number, **given)
    return Figure(ALL, str(measure), known.main, rows, known.scores, known.averages, not many)


# --- who and what ---


def profile_rows(ratings: Ratings, level: str, distance: str) -> list[Annotator]:
    """Each annotator against the others."""
    whole = numbers.alpha_of(ratings, level, distance)
    without = numbers.alphas_without(ratings, level, distance)
    return [
        Annotator(
            name=name,
            items=one.items,
            agreement=one.agreement,
            kappa=one.kappa,
            alpha_without=alone,
            alpha_gain=alone - whole,
            bias=dict(zip(ratings.labels, one.bias.tolist(), strict=True)),
        )
        for name, one, alone in zip(ratings.annotators, numbers.profiles(ratings), without, strict=True)
    ]


def coincidence_rows(ratings: Ratings) -> list[Coincidence]:
    """The labels that meet, each with each."""
    table = numbers.coincidences(ratings)
    totals = table.sum(axis=1)
    return [
        Coincidence(ratings.labels[a], ratings.labels[b], float(table[a, b]), float(table[a, b] / totals[a]))
        for a, b in zip(*np.nonzero(table), strict=True)
    ]


def disagreements(ratings: Ratings, level: str, distance: str) -> tuple[Ints, Floats]:
    """The items that annotators rate differently, from the highest disagreement on, and that of each item."""
    values = numbers.disagreement(ratings, level, distance)
    order = np.argsort(-np.nan_to_num(values), kind="stable")
    return order[np.nan_to_num(values)[order] > 0], values


def disagreement_row(ratings: Ratings, item: int, value: float) -> Disagreement:
    """One item with all its ratings."""
    first, end = np.searchsorted(ratings.item, [item, item + 1])
    tied = np.flatnonzero(ratings.votes[item])
    rows = zip(ratings.annotator[first:end].tolist(), ratings.label[first:end].tolist(), strict=True)
    given = {ratings.annotators[who]: ratings.labels[code] for who, code in rows}
    text = ratings.columns["text"][item] if "text" in ratings.columns else ratings.text_of(item)
    majority = _TIES.join(ratings.labels[code] for code in tied)
    return Disagreement(ratings.names[item], value, majority, given, text)


def different_labels(ratings: Ratings) -> Iterator[str]:
    """A warning if annotators have no label in common with others, not even by way of a third one."""
    width = len(ratings.labels)
    who, label = np.divmod(np.unique(ratings.annotator.astype(np.int64) * width + ratings.label), width)
    group = components(who, label)
    if len(np.unique(group)) < 2:
        return
    named = []
    for number in np.unique(group)[:2]:
        own = group == number
        labels = ", ".join(ratings.labels[code] for code in np.unique(label[own])[:3].tolist())
        named.append(f"{ratings.annotators[who[own].min()]} ({labels})")
    yield (
        f"{named[0]} and {named[1]} have no label in common, so they never agree. Labels that mean the same must be "
        "written the same way."
    )


# --- slices ---


def cut(ratings: Ratings, spec: str) -> tuple[Ints, Sequence[str]]:
    """The value of each item, NONE where it has none: its majority's label, or what a column says of it."""
    name, _, argument = spec.partition(":")
    if name == "label":
        codes = np.where((ratings.votes > 0).sum(axis=1) == 1, ratings.votes.argmax(axis=1), len(ratings.labels))
        return np.where(ratings.sizes > 0, codes, NONE), (*ratings.labels, "(tied)")
    key = argument if name == "meta" else name
    if key not in ratings.columns:
        known = [*("document" for column in ratings.columns if column == "document"), "label"]
        raise unknown(
            "slice", spec, [*known, *(f"meta:{column}" for column in ratings.columns if column != "document")]
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
    found = []
    used = whole_if_many(groups, ratings, 6)
    resampled = used is groups
    for system in systems:
        rows = numbers.ceiling_rows(ratings, system.label, used.of_item, used.number)
        found.append(Figure(system.name, "accuracy", main, rows, scores, resampled=resampled))
        if "leave-one-out" in scores and len(found) == 1:
            human = {"leave-one-out": numbers.against_score("human")}
            found.insert(0, Figure(CEILING, "accuracy", main, rows, human, resampled=resampled))
    return found


def whole_if_many(groups: Groups, ratings: Ratings, fields: int) -> Groups:
    """The units, or all as one if there are too many annotators to resample the numbers of each."""
    if len(ratings.annotators) * fields <= MOST_OF_SYSTEMS:
        return groups
    return Groups(np.zeros_like(groups.of_item), 1, pooled=False)


def ceiling_comparisons(
    figures: Sequence[Figure], drawn: Sequence[Mapping[str, Array]], settings: Settings
) -> list[Comparison]:
    """Each system against the human ceiling, which comes first where there is one, with Holm's correction."""
    if not figures or figures[0].system != CEILING or not figures[0].resampled:
        return []
    # Of a single unit nothing is drawn.
    human, *others = (own.get("leave-one-out", np.full(1, np.nan)) for own in drawn)
    pairs = zip(figures[1:], others, strict=True)
    rows = [ceiling_comparison(one, figures[0], own, human, settings) for one, own in pairs]
    return [replace(row, p_adjusted=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]


def ceiling_comparison(
    system: Figure, human: Figure, drawn: Array, drawn_human: Array, settings: Settings
) -> Comparison:
    """A system against the human ceiling: the difference with its paired interval, and a test that swaps the points
    of both in each unit."""
    if "left" in system.rows.sums:
        fields = (("human", "human items"), ("left", "left items"))
        one, other = (np.concatenate([system.rows.sums[name] for name in names], axis=1) for names in fields)
        who = one.shape[1] // 2

        def value(sums: Array) -> Floats:
            return numbers.means(ratio(sums[..., :who], sums[..., who:]))

    else:
        names = list(system.rows.sums)
        one, other = (np.concatenate(list(side.rows.sums.values()), axis=1) for side in (human, system))
        who, score = one.shape[1] // len(names), system.scores["leave-one-out"]

        def value(sums: Array) -> Floats:
            parts = {name: sums[..., place * who : (place + 1) * who] for place, name in enumerate(names)}
            return np.asarray(score(parts))

    def difference(x: Array, y: Array) -> Floats:
        return np.asarray(value(y) - value(x))

    totals = one.sum(axis=0), other.sum(axis=0)
    swaps, sizes = np.unique((one - other)[(one != other).any(axis=1)], axis=0, return_counts=True)
    rng = generator(settings.seed, rows_text(SHUFFLING, swaps, sizes))
    test = shuffling_test(*totals, swaps, sizes, difference, rng, settings.times)
    low, high = percentiles((drawn - drawn_human)[None])[0].tolist()
    return Comparison(
        a=CEILING,
        b=system.system,
        measure=system.measure,
        score="leave-one-out",
        slice=None,
        difference=float(difference(*totals)),
        low=low,
        high=high,
        test="shuffling",
        p=test.p,
        p_low=test.low,
        p_high=test.high,
        p_adjusted=test.p,
        units=int(sizes.sum()),
        exact=test.exact,
        interval="percentile",
    )


def system_figure(measure: Measure, ratings: Ratings, system: SystemRatings, groups: Groups) -> tuple[Figure, Any]:
    """A measure of one system against all annotators, and what it reports beside its scores."""
    used, known = whole_if_many(groups, ratings, 2), measure.definition
    rows, report = known.function(ratings, system, used.of_item, used.number, **measure.parameters)
    return Figure(system.name, str(measure), known.main, rows, known.scores, resampled=used is groups), report


def levels(measures: Sequence[Measure]) -> tuple[str, str]:
    """The level and the distance of the first alpha among measures, by which items are ordered."""
    for one in measures:
        if "level" in one.parameters:
            return str(one.parameters["level"]), str(one.parameters["distance"])
    return "nominal", "jaccard"


def check_systems(measures: Sequence[Measure], systems: Sequence[SystemRatings]) -> None:
    """A measure of systems needs one."""
    for one in measures:
        if one.definition.takes == "systems" and not systems:
            raise UsageError(f"{one} is about systems among annotators. Give one: --system NAME=PATH")


def merged(parts: Sequence[Ratings]) -> Ratings:
    """Ratings of different documents as one; items are told apart by the number of their part."""
    if len(parts) == 1:
        return parts[0]
    rows = [(number, part) for number, part in enumerate(parts, 1)]
    items = [f"{number}/{part.names[item]}" for number, part in rows for item in part.item.tolist()]
    who = [part.annotators[one] for part in parts for one in part.annotator.tolist()]
    labels = [part.labels[code] for part in parts for code in part.label.tolist()]
    names = [f"{number}/{name}" for number, part in rows for name in part.names]
    units = [f"{number}/{part.unit_names[code]}" for number, part in rows for code in part.unit_of_item.tolist()]
    known = {name: number for number, name in enumerate(dict.fromkeys(units))}
    made = Ratings.of(items, who, labels, names=names)
    unit = np.array([known[name] for name in units], dtype=np.int64)
    return replace(made, unit=unit, units=tuple(known), noun=parts[0].noun, unit_noun=parts[0].unit_noun)


def with_systems(number: int) -> str:
    """The number of systems for a heading, where there are such."""
    return f", {number:,} system{'s' * (number > 1)}" if number else ""


def systems_of(
    given: Mapping[str, Any], ratings: Ratings, format_of: Callable[[str], str | None]
) -> tuple[list[SystemRatings], list[str]]:
    """The systems that are judged against the annotators of a table, and warnings about them."""
    found: list[SystemRatings] = []
    warnings = []
    for name, one in given.items():
        if isinstance(one, Mapping):
            table = ratings_in(one)
        else:
            table = read_ratings([str(one)], format_of(name), answers=True)
        found += system_ratings(table, name, ratings)
        unknown_items = len(set(table.names) - set(ratings.names))
        if unknown_items == len(table.names):
            raise UsageError(f"{table.path}: has none of the annotators' items. Are items called alike in both?")
        if unknown_items:
            warnings.append(f"{name}: {unknown_items:,} items that no annotator has are left out.")
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two systems are called {name!r}. Give each a name of its own.")
    for one in found:
        answered = one.label != NONE
        answered |= False if one.soft is None else ~np.isnan(one.soft[:, 0])
        answered |= False if one.each is None else (one.each != NONE).any(axis=1)
        lacking = int(((ratings.sizes > 0) & ~answered).sum())
        if lacking:
            warnings.append(f"{one.name} has no answer to {lacking:,} of {int((ratings.sizes > 0).sum()):,} items.")
    return found, warnings


def split(ratings: Ratings, systems: Sequence[str]) -> tuple[Ratings, list[SystemRatings]]:
    """The ratings of annotators, and the answers of the systems among them."""
    codes = [ratings.annotators.index(name) for name in systems]
    theirs = np.isin(ratings.annotator, codes)
    seen = np.isin(np.arange(len(ratings.labels)), ratings.label[~theirs])
    order = np.concatenate([np.flatnonzero(seen), np.flatnonzero(~seen)])
    place = np.argsort(order)
    labels = tuple(ratings.labels[code] for code in order)
    people = [name for name in ratings.annotators if name not in systems]
    who = np.array([people.index(name) if name in people else NONE for name in ratings.annotators], dtype=np.int64)
    kept = replace(
        ratings,
        annotators=tuple(people),
        labels=labels[: int(seen.sum())],
        item=ratings.item[~theirs],
        annotator=who[ratings.annotator[~theirs]],
        label=place[ratings.label[~theirs]],
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
        """Refuse two units of one label by one annotator that overlap."""
        for name, units in zip(self.documents, self.units, strict=True):
            found = overlapping(units)
            if found is not None:
                one, other = found
                number, label = int(units.annotator[one]), self.labels[int(units.label[one])]
                who = self.annotators[number] if self.annotators else f"annotator {number + 1}"
                raise UsageError(
                    f"{who}, document {name}: two spans {label} overlap at {int(units.begin[other])}, so that the "
                    "line does not fall into units and gaps."
                )


def joined(parts: Sequence[Continua]) -> Continua:
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
    known = measure.definition
    rng = settings.rng(known.name)
    rows, note = known.function(continua, rng, **measure.parameters)
    return Figure(ALL, str(measure), known.main, rows, known.scores, resampled=bool(rows.sums)), note


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

    `counts` are units × fields by gold and by who is judged. Of annotator a and reference b all pairs count alike.
    """
    name = measure.main if measure.main in measure.scores else next(iter(measure.scores))
    function = measure.scores[name]

    def score(sums: Mapping[str, Array]) -> Floats:
        return numbers.means(np.asarray(function(sums)))

    def rows(judged: Sequence[tuple[str, str]]) -> Rows:
        joint = np.stack([counts[pair] for pair in judged], axis=1).astype(np.float64)
        return Rows({field: joint[:, :, place] for place, field in enumerate(fields)})

    pairs = [(b, a) for a in people for b in people if a != b]
    ways = {way: score for way in ("each", "leave-one-out") if way in against}
    if not ways:
        return []
    main = list(ways)[-1]
    found = [Figure(CEILING, str(measure), main, rows(pairs), {main: score})] if main == "leave-one-out" else []
    return found + [
        Figure(system, str(measure), main, rows([(b, system) for b, _ in pairs]), ways) for system in systems
    ]


def voted_figure(measure: Measure, system: str, counts: Array, fields: Sequence[str]) -> Figure:
    """A measure of pairs of a system against what more than half of the annotators have."""
    name = measure.main if measure.main in measure.scores else next(iter(measure.scores))
    rows = Rows({field: counts[:, place].astype(np.float64) for place, field in enumerate(fields)})
    return Figure(system, str(measure), "", rows, {"majority": measure.scores[name]})
