"""Options that several tasks share; those of one task are in its folder."""

from __future__ import annotations

from assay.specs import Option

COMPARED = "What is compared"
MAP = Option("map", "Mapping file: labels to be replaced by others.", COMPARED, file="path")
LABELS = (
    Option("labels", "Only these labels count.", COMPARED, default="", metavar="PER,LOC"),
    Option("ignore_labels", "These labels do not count.", COMPARED, default="", metavar="MISC"),
)
SWEEP = Option(
    "sweep",
    "Compare under N random weightings too, of categories (--tagset) or of types of errors (spans).",
    "Tags with parts",
    default=0,
    metavar="N",
)
REPAIR = Option(
    "repair",
    "If annotations are faulty: mend what has one sure reading and drop the rest (mend, for tags as conlleval does), "
    "or drop all of them (drop). NAME=mend for one file. Default: stop with an error.",
    "Spans and mentions",
    default=(),
    metavar="[NAME=]mend|drop",
)
MISSING = Option(
    "missing",
    "If a system lacks a document: stop (error) or score it as empty (empty). For annotators also: they did not get "
    "it (absent).",
    "Spans and mentions",
    default="error",
    choices=("error", "empty", "absent"),
    noun="value of missing",
)
PRESET = Option(
    "preset",
    "Measures and settings of a shared task: CRAC on coreference (crac2024 is that of 2025 too), or CoNLL 2018 on "
    "words, tags and trees (conll18).",
    COMPARED,
    choices=("crac2024", "crac2023", "crac2022", "conll18"),
    noun="preset",
)
BLANK_TAG = Option(
    "blank_tag",
    "Mark of words without annotation (_): O in tags of spans, a label of its own in other tags. Default: such words "
    "stop spans with an error if others have O, and are left out of tags.",
    COMPARED,
    default="",
    metavar="_",
)
