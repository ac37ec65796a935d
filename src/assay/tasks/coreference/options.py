"""Options of coreference."""

from __future__ import annotations

from assay.specs import Option
from assay.tasks.options import MISSING, PRESET

_MENTIONS = "Spans and mentions"
PRESETS = {
    "crac2024": ("head", "dependent"),
    "crac2023": ("head", "linear"),
    "crac2022": ("partial", "linear"),
}
"""Shared tasks, and how they match mentions and zeros."""
OPTIONS = (
    PRESET,
    Option(
        "duplicates",
        "Mentions given twice: refuse, keep the first, or drop all.",
        _MENTIONS,
        default="error",
        choices=("error", "first", "drop"),
        noun="value of duplicates",
    ),
    MISSING,
    Option(
        "zeros",
        "Mentions of empty nodes: score, refuse, or leave out and count.",
        _MENTIONS,
        default="score",
        choices=("score", "error", "drop"),
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
