"""Mentions that an answer claims: labels as models write them, words that say "nothing", strings that are several."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from functools import cached_property, lru_cache

from assay.formats.grounding import Mention, divides_words, fold, occurrences
from assay.records import dataclass

LONGEST_LABEL = 60
"""Longer strings are no labels."""
TEXTS = ("text", "word", "token", "mention", "name", "entity", "value", "span", "extractiontext")
LABELS = (
    *("label", "type", "entitygroup", "entitytype", "entitylabel", "category", "class", "tag", "labels"),
    *("extractionclass", "entity"),
)
"""Keys of a mention's text and label; `entity` comes last, for beside another of these it is the mention itself."""
AROUND = (
    *("entities", "extractions", "spans", "ents", "mentions", "annotations", "namedentities", "results", "result"),
    *("items", "data", "output", "answer", "response", "list", "arguments", "parameters"),
)
"""Keys of lists of mentions, which are no labels."""
PROSE = (
    *("note", "notes", "explanation", "reason", "reasoning", "thought", "thoughts", "analysis", "comment"),
    *("text", "sentence", "input", "answer", "output"),
)
"""Words before a colon that are no labels, unless the inventory has them."""

_FOUND = r"(?:found|present|detected|identified|mentioned|given|specified|available|applicable)"
_HERE = r"(?:\s+in\s+(?:the|this)\s+(?:text|sentence))?"
_NONE = re.compile(
    r"""["'(]*(?:\[\s*\]|\{\s*\}|null|n/a|(?-i:NA|na)|[-–—]|"""
    rf"""(?:none|nothing|not(?=\s+{_FOUND}))(?:\s+{_FOUND})?{_HERE}|no(?:\s+\w+){{1,4}}\s+{_FOUND}{_HERE}|"""
    r"(?:there\s+(?:are|were)\s+)?no\s+(?:named\s+)?entit(?:y|ies)"
    rf"""(?:\s+(?:(?:were|was|are)\s+)?{_FOUND})?{_HERE})["')]*[.!]?""",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    r"(?:O|(?i:none|null|nothing|n/?a|non-entity|no(?:t\s+an?)?\s+(?:named\s+)?(?:entity|entities|label|type)))"
    r"\s*(?:\Z|[-–—(\[,:;])"
)
_NUMBER = re.compile(r"[\d\s.:%–-]*")
_GLOSS = re.compile(r"\s+[-–—]|\s*[–—:(\[]")
"""What begins an explanation of a label."""
_BETWEEN = re.compile(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_EXPLAINED = re.compile(r"[(\[]|\s[-–—]\s")
_COMMA = re.compile(r"\s*,\s*")
_QUOTED = (("**", "**"), ("__", "__"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("*", "*"))


@dataclass(frozen=True)
class Question:
    """The things that answers are read by: the labels, the label of mentions that have none, and the text."""

    inventory: Collection[str]
    label: str = ""
    text: str = ""

    @cached_property
    def folded(self) -> str:
        """The folded text."""
        return fold(self.text)

    @cached_property
    def _without_commas(self) -> str:
        return _COMMA.sub(" ", self.folded)

    def has(self, string: str) -> bool:
        """True if a string occurs in the text, folded."""
        return fold(string) in self.folded

    def mend(self, string: str) -> list[str]:
        """The strings that one stands for which is not in the text: those between commas or *and*, if all of them
        are there, else what stands before a bracket or a dash. Empty if it is there itself, or nothing of it."""
        folded = fold(string)
        # A name with a comma too many is still one name.
        if folded in self.folded or _COMMA.sub(" ", folded) in self._without_commas:
            return []
        pieces = [piece for piece in _BETWEEN.split(string.strip()) if piece]
        if len(pieces) > 1 and all(map(self._has_words, pieces)):
            return pieces
        before = _EXPLAINED.split(string, maxsplit=1)[0].strip()
        return [before] if before != string.strip() and self._has_words(before) else []

    def _has_words(self, string: str) -> bool:
        folded = fold(string)
        places = occurrences(self.folded, folded) if folded else ()
        return any(divides_words(self.folded, begin) and divides_words(self.folded, end) for begin, end in places)


@dataclass(frozen=True)
class AnswerReading:
    """An answer that was read."""

    status: str = ""
    mentions: tuple[Mention, ...] = ()
    plain: str | None = None
    """The answer without its markup, where it is the text written again."""
    repaired: bool = field(default=False, repr=False)
    nothing: bool = field(default=False, repr=False)
    """True if the shape was there, and it says that there are no mentions."""


UNREAD = AnswerReading()
Claim = Mention | None
"""A mention, or None if the answer says at this place that there is none."""


def reading_of(claims: Iterable[Claim], *, repaired: bool = False) -> AnswerReading:
    """A AnswerReading of mentions that have to be looked for."""
    listed = list(claims)
    mentions = tuple(mention for mention in listed if mention is not None)
    mended = any(mention.mended for mention in mentions)
    return AnswerReading("", mentions, None, repaired or mended, nothing=len(listed) > len(mentions))


def unmark(text: str) -> str:
    """A cell or a piece of a line without bold, code and quotes around it."""
    text = text.strip()
    while len(text) > 1 and text[0] in "*_`\"'“":
        for left, right in _QUOTED:
            inner = text[len(left) : len(text) - len(right)]
            around = text.startswith(left) and text.endswith(right) and len(text) >= len(left + right)
            # Two quotations, as in "a": "b", are not one.
            if around and not (left in inner and re.search(rf"\W{re.escape(left)}|{re.escape(right)}\W", inner)):
                text = inner.strip()
                break
        else:
            return text
    return text


def is_none(text: str) -> bool:
    """True of words that say that there is nothing."""
    return _NONE.fullmatch(text.strip()) is not None


@lru_cache(1 << 10)
def key_of(name: str) -> str:
    """A name as keys are compared: in lower case, without blanks and hyphens."""
    return re.sub(r"[\W_]", "", name).lower()


# --- labels ---


def first_label(text: str, asked: Question) -> str:
    """The longest label of the inventory that a text begins with; empty if there is none."""
    words = re.finditer(r"\w+|[^\w\s]", text[: 2 * LONGEST_LABEL])
    return next((text[:end] for end in [word.end() for word in words][::-1] if text[:end] in asked.inventory), "")


def labels_in(part: str, asked: Question) -> list[str] | None:
    """The labels of the inventory that a part names, with numbers or a gloss; None if it has another label.

    An empty list: it says that this is no entity.
    """
    if part in asked.inventory:
        return [part]
    if _NO_LABEL.match(part) or is_none(part):
        return []
    pieces = [piece for piece in map(unmark, re.split("[,/;|]", part)) if not _NUMBER.fullmatch(piece)]
    if pieces and all(piece in asked.inventory for piece in pieces):
        return pieces
    label = first_label(part, asked)
    return [label] if label and _GLOSS.match(part, len(label)) else None


def claim(text: str, label: str, asked: Question) -> Iterator[Claim]:
    """A mention with its label, or with each of its labels; one without text is a claim that nothing can bear out."""
    text, label = text.strip(), " ".join(label.split())
    labels = labels_in(label, asked)
    if labels == [] or is_none(text):
        yield None
    elif label:
        yield from (Mention(text, name) for name in labels or [label])


def claim_listed(strings: Iterable[str], label: str, asked: Question) -> Iterator[Claim]:
    """The mentions of a label in a list, which begins anew; a string that is not in the text may be several."""
    anew = True
    for string in strings:
        if not string.strip() or is_none(string):
            yield None
            continue
        pieces = asked.mend(string)
        for piece in pieces or [string.strip()]:
            yield Mention(piece, label, anew, mended=bool(pieces))
            anew = False
