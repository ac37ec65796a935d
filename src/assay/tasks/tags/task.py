"""The task of words with labels."""

from __future__ import annotations

from dataclasses import replace

from assay.engine import changes
from assay.engine.parts import Part
from assay.engine.scores import Settings
from assay.engine.task import Annotators, Drawing, Task
from assay.result import Result
from assay.tasks.tags import measures
from assay.tasks.tags.prepare import prepare_tags
from assay.tasks.tags.ratings import word_ratings
from assay.tasks.tags.sweep import sweeps
from assay.tasks.tags.tables import add_tag_tables
from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.tagsets.analysis import Analysis
from assay.tasks.tags.weights import load_weights


def _finish(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with confusions and changes by category, and the order of systems under other weightings."""
    items, options = part.labels, part.plan.options
    if items is None:
        return result
    tagset = find_tagset(str(options.tagset))
    analysis = Analysis.of(items.labels, tagset, expand_optional=options.expand_optional, empty=part.plan.empty)
    # A table of items for each category, if tags have any besides the part of speech.
    positions = analysis.positions if len(analysis.positions) > 1 else ()
    categories = [(f"features/{name}", items.renamed(analysis.value_names(name))) for name in positions]
    if any(measure.name == "features" for measure in part.plan.measures):
        values = [row for on, own in categories for row in changes.confusion_rows(own, on)]
        result = replace(result, confusion=(*result.confusion, *values))
    if part.plan.compares:
        order = options.label_order
        diffs = [diff for on, own in categories for diff in changes.diffs(own, on, None, "accuracy", {}, order)]
        result = replace(result, diffs=(*result.diffs, *diffs))
    if options.sweep and len(part.plan.judged) > 1:
        weights = load_weights(options.weights) if options.weights else None
        result = replace(
            result, sweeps=tuple(sweeps(items, analysis, weights, options.sweep, settings.rng("sweep")))
        )
    return result


TASK = Task(
    name="tags",
    noun="word",
    drawing=Drawing("tags"),
    measures=(measures,),
    defaults=("accuracy", "sentence-accuracy"),
    with_known_words=("oov-accuracy",),
    agreement=("kappa", "alpha", "fleiss", "ac1"),
    annotators=Annotators(ratings=word_ratings),
    prepare=prepare_tags,
    options=(
        *("train", "lexicon", "oov_fold_case"),
        *("tagset", "strict_tagset", "expand_optional", "alternatives", "weights", "sweep", "blank_tag"),
        *("map", "labels", "ignore_labels"),
    ),
    present=add_tag_tables,
    finish=_finish,
)
