"""The task of words with labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.engine import changes
from assay.engine.items import Items
from assay.engine.parts import Part
from assay.engine.scores import Settings
from assay.engine.task import Drawing, Task
from assay.result import Result
from assay.tasks.tags import measures
from assay.tasks.tags.prepare import prepare_tags
from assay.tasks.tags.ratings import word_ratings
from assay.tasks.tags.sweep import sweeps
from assay.tasks.tags.tables import present
from assay.tasks.tags.tagsets import find as find_tagset
from assay.tasks.tags.tagsets.analysis import Analysis
from assay.tasks.tags.weights import load


def _by_category(part: Part) -> Iterator[tuple[str, Items]]:
    """The items of every category by itself, from the labels as they are; none where tags have no categories."""
    if part.labels is None:
        return
    items, analysis = part.labels, _analysis(part, part.labels)
    if len(analysis.positions) > 1:
        for position in analysis.positions:
            yield f"features/{position}", items.renamed(analysis.value_names(position))


def _analysis(part: Part, items: Items) -> Analysis:
    """All labels taken apart."""
    tagset = find_tagset(str(part.options.tagset))
    return Analysis.of(items.labels, tagset, expand_optional=part.options.expand_optional, empty=part.empty)


def _finish(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with confusions and changes by category, and the order of systems under other weightings."""
    categories = list(_by_category(part))
    if any(measure.definition.name == "features" for measure in part.measures):
        values = [row for on, items in categories for row in changes.confusion(items, on)]
        result = replace(result, confusion=(*result.confusion, *values))
    order = part.options.label_order
    if part.compares:
        diffs = [
            diff for on, items in categories for diff in changes.diffs(items, on, None, "accuracy", {}, order)
        ]
        result = replace(result, diffs=(*result.diffs, *diffs))
    if part.options.sweep and len(part.judged) > 1 and part.labels is not None:
        given = load(part.options.weights) if part.options.weights else None
        drawn = sweeps(part.labels, _analysis(part, part.labels), given, part.options.sweep, settings.rng("sweep"))
        result = replace(result, sweeps=tuple(drawn))
    return result


TASK = Task(
    name="tags",
    noun="word",
    spelling={
        **{name: name.upper() for name in ("oov", "pos", "pa", "wpa", "cwpa")},
        **{"ufeats": "UFeats", "alltags": "AllTags"},
    },
    drawing=Drawing("tags"),
    measures=(measures,),
    defaults=("accuracy", "sentence-accuracy"),
    with_known_words=("oov-accuracy",),
    agreement=("kappa", "alpha", "fleiss", "ac1"),
    ratings=word_ratings,
    prepare=prepare_tags,
    options=(
        *("train", "lexicon", "oov_fold_case"),
        *("tagset", "strict_tagset", "expand_optional", "alternatives", "weights", "sweep", "blank_tag"),
        *("map", "labels", "ignore_labels"),
    ),
    present=present,
    finish=_finish,
)
