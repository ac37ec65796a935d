"""Tables and sentences that only Results about words with labels have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from assay.engine import changes
from assay.engine.parts import Part
from assay.engine.scores import Settings
from assay.engine.weighting import weights_table
from assay.result import Result, Table, is_best, is_category
from assay.tasks.tags.sweep import compare_weightings
from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.tagsets.analysis import ABSENT, POS, Analysis
from assay.tasks.tags.weights import load_weights

_FREQUENT = 3
_SET_SCORES = ("strong", "weak", "precision", "recall", "f1")


def finish_tags(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with confusions and changes by category, and the order of systems under other weightings."""
    words, options = part.labels, part.plan.options
    if words is None:
        return result
    items = words.fold()
    tagset = find_tagset(part.plan.decided.parted_by)
    analysis = Analysis.of(items.labels, tagset, expand_optional=options.expand_optional, empty=part.plan.empty)
    # A table of items for each category, if tags have any besides the part of speech.
    used = [name for name in analysis.positions if {*analysis.value_names(name)} != {ABSENT}]
    positions = used if used != [POS] else []
    if result.texts is not None and positions:
        labels, optional = result.texts["labels"], options.expand_optional
        shown = Analysis.of(labels, tagset, expand_optional=optional, empty=part.plan.empty)
        values = {name: shown.value_names(name) for name in positions}
        result = replace(result, texts={**result.texts, "categories": values})
    categories = [(f"features/{name}", items.renamed(analysis.value_names(name))) for name in positions]
    if any(measure.name == "features" for measure in part.plan.measures):
        rows = [row for on, own in categories for row in changes.confusion_rows(own, on)]
        result = replace(result, confusion=(*result.confusion, *rows))
    if part.plan.compares:
        order = options.label_order
        diffs = [
            diff for on, own in categories for diff in changes.compare_answers(own, on, None, "accuracy", {}, order)
        ]
        result = replace(result, diffs=(*result.diffs, *diffs))
        if not options.tagset and positions:
            note = f"The tagset {tagset.name}, recognised from gold's tags, splits them into categories."
            result = replace(result, notes=(*result.notes, f"{note} --tagset names another."))
    if options.sweep and len(part.plan.judged) > 1:
        weights = load_weights(options.weights) if options.weights else None
        result = replace(
            result, sweeps=tuple(compare_weightings(words, analysis, weights, options.sweep, settings.rng("sweep")))
        )
    return result


def add_tag_tables(result: Result) -> Result:
    """The Result with scores of sets of tags, changes by category, and systems under other weightings of these."""
    remarks = {}
    if result.about.aligned_by == "characters":
        remarks["scores"] = (
            "Tokenisation differs: f1 counts all words of gold and system, `aligned` only those that correspond."
        )
    tables = (*_tag_sets(result), *_categories(result), *(_sweeps(result) if result.sweeps else ()))
    return replace(result, tables=tables).with_shown(remarks=remarks)


def _tag_sets(result: Result) -> Iterator[Table]:
    """Tables 2 to 5 of Acedański & Przepiórkowski 2010 as one, if a word may have several tags."""
    values = {
        (row.system, row.measure, row.score): row.value
        for row in result.scores
        if row.slice is None and row.label is None
    }
    names = [source.name for source in result.systems]
    measures = list(dict.fromkeys(measure for _, measure, score in values if score == "weak"))
    rows: list[tuple[Any, ...]] = []
    bold: list[tuple[int, int]] = []
    for measure in measures:
        columns = [[values.get((name, measure, score), math.nan) for name in names] for score in _SET_SCORES]
        for index, name in enumerate(names):
            bold += [(len(rows), 2 + place) for place, column in enumerate(columns) if is_best(column, index)]
            rows.append((name, measure, *(column[index] for column in columns)))
    if any(abs(v - row[2]) > 1e-12 or math.isnan(v) != math.isnan(row[2]) for row in rows for v in row[2:]):
        yield Table(
            "Sets of tags",
            ("system", "measure", *_SET_SCORES),
            tuple(rows),
            ("text", "text", "percent"),
            words=2,
            bold=tuple(bold),
            after="scores",
            measures=tuple(measures),
            notes=(
                "strong, weak: strong and weak correctness, the lowest and highest score of a word's tags; "
                "precision, recall and f1 count tags.",
            ),
        )


def _categories(result: Result) -> Iterator[Table]:
    """Changes of each category of the tags, the largest net change first."""
    parts = [row for row in result.diffs if row.slice is None and is_category(row.on)]
    for pair, group in groupby(sorted(parts, key=lambda row: (row.a, row.b)), key=lambda row: (row.a, row.b)):
        yield Table(
            f"By category, {pair[0]} → {pair[1]}",
            ("category", "words", "diff", "corr.", "new errors", "changed errors", "net", "most frequent"),
            tuple(
                (
                    *(row.on.partition("/")[2], row.items, row.diff),
                    *(row.corrections, row.new_errors, row.changed_errors, row.corrections - row.new_errors),
                    ", ".join(
                        f"{change.before} → {change.after} {change.count:,}"
                        for change in sorted(row.changes, key=lambda change: -change.count)[:_FREQUENT]
                    ),
                )
                for row in sorted(group, key=lambda row: -abs(row.corrections - row.new_errors))
            ),
            ("text", "count", "percent", "count", "count", "count", "net", "text"),
            after="differences",
            pair=pair,
            notes=(
                "Words for which gold or a system has the category; a tag counts for each of its categories "
                f"separately. Most frequent: values of {pair[0]} → {pair[1]}; {ABSENT}: not in the tag.",
            ),
        )


def _sweeps(result: Result) -> Iterator[Table]:
    rows = []
    for row in result.sweeps:
        turned = [name for name, value in row.named.items() if value * (row.b_better - row.a_better) < 0]
        shares = (row.a_better, row.b_better, row.low, row.high)
        rows.append(([row.a, row.b], *shares, ", ".join(turned) or "none"))
    yield Table(
        "Under every weighting",
        ("pair", "first better %", "second better %", "least Δ", "greatest Δ", "turned round by"),
        tuple(rows),
        ("pair", "percent", "percent", "points", "points", "text"),
        after="differences",
        short=15,
        notes=(
            "wpa under random weights of all categories, drawn uniformly. Turned round by: named weights (presets, "
            "or one category alone) under which the other system is ahead.",
        ),
    )
    yield weights_table(result.sweeps, "categories", "differences")
