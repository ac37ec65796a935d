"""Small documents with coreference, written as text with brackets: `[1 Ann] saw [2 the dog] .`"""

from __future__ import annotations

import re

TAGS = {
    **dict.fromkeys(("she", "he", "it", "they", "them", "her", "him"), "PRP"),
    **dict.fromkeys(("its", "their"), "PRP$"),
    "this": "DT",
    **dict.fromkeys(("saw", "liked", "left"), "VBD"),
    "the": "DT",
    ".": ".",
}
"""The tags of some words; all others are nouns."""


def rows(*sentences: str) -> list[list[tuple[str, str, str]]]:
    """Words with tags and cells of brackets. A bracket closes what was opened last, even in another sentence."""
    opened: list[str] = []
    found = []
    for sentence in sentences:
        words: list[tuple[str, str, str]] = []
        openings: list[str] = []
        for piece in re.findall(r"\[\w+|\]|[^\s\[\]]+", sentence):
            if piece.startswith("["):
                opened.append(piece[1:])
                openings.append(f"({piece[1:]}")
            elif piece == "]":
                word, tag, cell = words[-1]
                words[-1] = (word, tag, _closed(cell, opened.pop()))
            else:
                words.append((piece, TAGS.get(piece.lower(), "NN"), "|".join(openings)))
                openings = []
        found.append(words)
    assert not opened, "a bracket is not closed"
    return found


def _closed(cell: str, chain: str) -> str:
    """The cell with one more bracket closed: a mention that opens here becomes a word of its own."""
    parts = cell.split("|") if cell else []
    if f"({chain}" in parts:
        place = len(parts) - 1 - parts[::-1].index(f"({chain}")
        parts[place] += ")"
    else:
        parts.append(f"{chain})")
    return "|".join(parts)


def document(name: str, *sentences: str, part: int = 0) -> str:
    """A document in the layout of CoNLL-2012."""
    lines = [f"#begin document ({name}); part {part:03d}"]
    for words in rows(*sentences):
        lines += [
            f"{name}\t{part}\t{number}\t{word}\t{tag}\t{cell or '-'}"
            for number, (word, tag, cell) in enumerate(words)
        ]
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def documents(**texts: str) -> str:
    """Documents by name, the sentences of each divided by bars."""
    return "".join(document(name, *text.split("|")) for name, text in texts.items())
