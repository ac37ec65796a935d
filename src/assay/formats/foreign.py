"""Files that are not read: those of known formats by their names, others with the formats that they resemble most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from assay.errors import InputError

_FOREIGN = {
    r"(?:\s|#[^\n]*\n)*(?:@prefix|@base|PREFIX)\s": "NIF or other RDF in Turtle. Write neleval's TSV or JSON lines.",
    r".{0,999}?<(?:\w+:)?RDF[\s>]": "RDF in XML. Write neleval's TSV or JSON lines.",
    r".{0,999}?<(?:\w+:)?(?:TEI|teiCorpus)[\s>]": "TEI. Write WebAnno TSV 3, brat or JSON lines.",
    r"\s*(?:<!DOCTYPE html|<html[\s>])": "HTML. Write brat or JSON lines.",
}
"""What is not read, by the beginnings of files, and what to do."""
_MARKUP = {"": "<[?!A-Za-z]", "slash": "<[?!A-Za-z]", "conll": r"<\?xml\b|<!"}
"""Beginnings of XML by the format that first lines look like; vertical text may begin with a tag."""
_SHAPES = {
    "Label Studio": ("data", "annotations"),
    "Argilla": ("fields", "responses"),
    "GLiNER": ("tokenized_text", "ner"),
    "rows of Hugging Face": ("tokens", "ner_tags"),
    "TACRED": ("token", "subj_start", "obj_start"),
    "DyGIE": ("sentences", "ner"),
    "clusters of mentions": ("sentences", "clusters"),
    "DocRED": ("sents", "vertexSet"),
    "BioC": ("passages", "infons"),
    "tags of roles": ("words", "tags"),
}
"""Shapes of JSON by the keys of their objects."""
_MOST_NAMED = 2
_MOST_KEYS = 5
_PROSE = 5
"""The least number of words in a line that can be a sentence of a text."""


def refuse_foreign(text: str, path: str, like: str) -> None:
    """Refuse a file that is not read by its name, and other XML; `like` is the format that it looks like, if any."""
    for pattern, what in _FOREIGN.items():
        if re.match(pattern, text, re.DOTALL | re.IGNORECASE):
            raise InputError(f"{path}: assay does not read {what}")
    if like in _MARKUP and re.match(_MARKUP[like], text):
        raise InputError(f"{path}: unknown XML format. `assay formats` lists the known ones.")


def refuse_prose(head: Sequence[str], path: str, *, in_columns: bool) -> None:
    """Refuse a text without annotations: most of its lines end sentences or, unless they look like columns, most of
    its words are in small letters."""
    lines = [line.strip() for line in head if len(line.split()) >= _PROSE]
    words = [word for line in lines for word in line.split()]
    ends = sum(bool(re.search(r"\w[.!?:…][\"'”»)]*$", line)) for line in lines)
    plain = sum(bool(re.fullmatch(r"[^\W\d_]{2,}[.,;:!?]?", word)) and word[1:].islower() for word in words)
    is_prose = 2 * ends > len(lines) or (not in_columns and 10 * plain > 7 * len(words))
    if is_prose and not any("\t" in line or re.search(r"\S/[A-Z]", line) for line in lines):
        raise InputError(
            f"{path}: looks like a text without annotations. Give the file with the labels (assay formats lists "
            f"the formats)."
        )


def name_keys(value: Iterable[str]) -> str:
    """The first keys of an object in brackets, after a blank."""
    keys = [str(key)[:30] for key in value]
    return f" (keys: {', '.join(keys[:_MOST_KEYS])}{', …' * (len(keys) > _MOST_KEYS)})" if keys else ""


def name_shapes(keys: Iterable[str]) -> str:
    """The shapes of JSON that share most keys with an object, as questions after a blank; nothing if none does."""
    there = {*keys}
    shares = {name: len(there.intersection(needed)) / len(needed) for name, needed in _SHAPES.items()}
    near = [name for name in sorted(shares, key=lambda name: -shares[name]) if 0 < shares[name] < 1]
    questions = []
    for name in near[:_MOST_NAMED]:
        has, lacks = ([f"`{key}`" for key in _SHAPES[name] if (key in there) == side] for side in (True, False))
        questions.append(f" JSON with {', '.join(has)}, but no {', '.join(lacks)}: {name}?")
    return "".join(questions)


def name_tables(head: Sequence[str]) -> str:
    """What keeps first lines from being columns or word/TAG, as questions after a blank; nothing if much does."""
    rows = {number: line.split() for number, line in enumerate(head, 1) if line.strip() and not line.startswith("#")}
    ((width, times),) = Counter(map(len, rows.values())).most_common(1) or [(0, 0)]
    tokens = [token for row in rows.values() for token in row]
    plain = [token for token in tokens if "/" not in token[1:-1]]
    questions = ""
    if width > 1 and len(rows) > times > len(rows) / 2:
        odd = next(number for number, row in rows.items() if len(row) != width)
        cells = f"{len(rows[odd])} cell{'s' * (len(rows[odd]) != 1)}"
        fact = f"line {odd} has {cells}, most have {width}"
        questions += f" Columns, but {fact}: --input-format conll, and --repair mend to fill rows?"
    if 2 * len(plain) < len(tokens):
        questions += f" Words with tags, but {plain[0][:40]!r} has no slash: --input-format slash?"
    return questions
