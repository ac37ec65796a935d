"""Small experiments and data for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

WORDS = ("the", "cat", "sees", "a", "dog", "and", "sleeps")
TAGS = {"the": "DT", "a": "DT", "cat": "NN", "dog": "NN", "sees": "VB", "sleeps": "VB", "and": "CC"}
COPY = "cp {test} {output}"
"""A system that is always right, where it may look at gold."""


def corpus(sentences: int) -> str:
    """CoNLL-U with tags in XPOS; each sentence has a word of its own."""
    blocks = []
    for number in range(sentences):
        words = [*(WORDS[(number + step) % len(WORDS)] for step in range(4)), f"w{number}"]
        lines = [
            f"{place}\t{word}\t{word}\tX\t{TAGS.get(word, 'NEW')}\t_\t_\t_\t_\tSpaceAfter=No|Gold=yes"
            for place, word in enumerate(words, 1)
        ]
        blocks.append("\n".join([f"# sent_id = s{number}", f"# analysis = {number}", *lines]) + "\n\n")
    return "".join(blocks)


def plan(
    systems: Mapping[str, Mapping[str, Any]] | None = None, news: Mapping[str, Any] | None = None, **top: Any
) -> str:
    """The file of an experiment on one data set, `news`."""
    lines = _lines({"measures": ["accuracy"], "folds": 3, "dev": False, **top})
    lines += ["[datasets.news]", *_lines({"path": "gold.conllu", "column": "XPOS", **(news or {})})]
    for name, settings in (systems or {"copy": {"predict": COPY, "blind": False}}).items():
        lines += [f"[systems.{name}]", *_lines(settings)]
    return "\n".join(lines) + "\n"


def _lines(settings: Mapping[str, Any]) -> list[str]:
    # Texts, numbers, truth values and lists are the same in JSON and TOML.
    return [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
