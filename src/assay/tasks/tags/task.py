"""The task of words with labels."""

from __future__ import annotations

from assay.engine.combined import with_labels
from assay.engine.task import Annotators, Drawing, Task
from assay.tasks.tags import measures
from assay.tasks.tags.prepare import prepare_tags
from assay.tasks.tags.ratings import rate_words
from assay.tasks.tags.tables import add_tag_tables, finish_tags

TASK = Task(
    name="tags",
    combined=with_labels,
    noun="word",
    traits=("in pieces",),
    drawing=Drawing("tags"),
    measures=(measures,),
    defaults=("accuracy", "sentence-accuracy"),
    with_known_words=("oov-accuracy",),
    agreement=("kappa", "alpha", "fleiss", "ac1"),
    annotators=Annotators(ratings=rate_words),
    prepare=prepare_tags,
    options=(
        *("train", "lexicon", "oov_fold_case"),
        *("tagset", "strict_tagset", "expand_optional", "alternatives", "weights", "sweep", "blank_tag", "repair"),
        *("map", "labels", "ignore_labels"),
    ),
    present=add_tag_tables,
    finish=finish_tags,
)
