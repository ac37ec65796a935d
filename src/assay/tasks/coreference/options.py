"""Options of coreference."""

from __future__ import annotations

from assay.specs import Option

_MENTIONS = "Spans and mentions"
OPTIONS = (
    Option(
        "duplicates",
        "Mentions given twice: refuse, keep the first, or drop all.",
        _MENTIONS,
        default="error",
        choices=("error", "first", "drop"),
        noun="value of duplicates",
    ),
    Option(
        "missing",
        "Documents that a system lacks: refuse, or score as empty; of annotators also: they were not given them.",
        _MENTIONS,
        default="error",
        choices=("error", "empty", "absent"),
        noun="value of missing",
    ),
    Option(
        "zeros",
        "Mentions of empty nodes: refuse, or leave out and count.",
        _MENTIONS,
        default="error",
        choices=("error", "drop"),
        noun="value of zeros",
    ),
    Option(
        "mention_types",
        "Types of mentions: by the tags of their heads, or by a file (tag TAB type, nominal TAB type).",
        _MENTIONS,
        metavar="[head|PATH]",
        file="name",
    ),
)
