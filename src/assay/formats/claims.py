"""Mentions that an answer claims: labels as models write them, words that say "nothing", strings that are several."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache

from assay.classes import dataclass
from assay.formats.grounding import Mention, divides_words, find_occurrences, fold_spelling

LONGEST_LABEL = 60
"""The most characters of a label."""
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
class AnswerReading:
    """An answer that was read."""

    status: str = ""
    mentions: tuple[Mention, ...] = ()
    plain: str | None = None
    """The answer without its markup, if it repeats the text."""
    repaired: bool = False
    nothing: bool = False
    """True if the shape was there, and it says that there are no mentions."""

    @staticmethod
    def of(claims: Iterable[Claim]) -> AnswerReading:
        """The reading of mentions that have to be looked for."""
        listed = list(claims)
        mentions = tuple(mention for mention in listed if mention is not None)
        mended = any(mention.mended for mention in mentions)
        return AnswerReading("", mentions, None, mended, nothing=len(listed) > len(mentions))


UNREAD = AnswerReading()
Claim = Mention | None
"""A mention, or None if the answer says at this place that there is none."""


@dataclass(frozen=True)
class Question:
    """What answers are read by: the labels, the label of mentions that have none, and the text."""

    inventory: Collection[str]
    label: str = ""
    text: str = ""

    @cached_property
    def folded(self) -> str:
        """The folded text."""
        return fold_spelling(self.text)

    @cached_property
    def _without_commas(self) -> str:
        return _COMMA.sub(" ", self.folded)

    def has(self, string: str) -> bool:
        """True if a string occurs in the text, folded."""
        return fold_spelling(string) in self.folded

    def _has_words(self, string: str) -> bool:
        folded = fold_spelling(string)
        places = find_occurrences(self.folded, folded) if folded else ()
        return any(divides_words(self.folded, begin) and divides_words(self.folded, end) for begin, end in places)

    def first_label(self, text: str) -> str:
        """The longest label of the inventory that a text begins with; empty if there is none."""
        ends = [word.end() for word in re.finditer(r"\w+|[^\w\s]", text[: 2 * LONGEST_LABEL])]
        return next((text[:end] for end in ends[::-1] if text[:end] in self.inventory), "")

    def labels_in(self, part: str) -> list[str] | None:
        """The labels of the inventory that a part names, with numbers or a gloss; None if it has another label.

        An empty list: it says that this is no entity.
        """
        if part in self.inventory:
            return [part]
        if _NO_LABEL.match(part) or is_none(part):
            return []
        pieces = [piece for piece in map(unmark, re.split("[,/;|]", part)) if not _NUMBER.fullmatch(piece)]
        if pieces and all(piece in self.inventory for piece in pieces):
            return pieces
        label = self.first_label(part)
        return [label] if label and _GLOSS.match(part, len(label)) else None

    def claim(self, text: str, label: str) -> list[Claim]:
        """A mention for each of its labels; one without text is a claim that nothing can bear out."""
        text, label = text.strip(), " ".join(label.split())
        labels = self.labels_in(label)
        if labels == [] or is_none(text):
            return [None]
        return [Mention(text, name) for name in labels or [label] if name]

    def claim_listed(self, strings: Iterable[str], label: str) -> Iterator[Claim]:
        """The mentions of a label in a list, looked for from the beginning of the text.

        A string that is not in the text may be several: those between commas or *and*, if all of them are there, or
        what comes before a bracket or a dash.
        """
        from_start = True
        for string in strings:
            folded = fold_spelling(string)
            if not string.strip() or is_none(string):
                yield None
                continue
            pieces: list[str] = []
            # A name with a comma too many is still one name.
            if folded not in self.folded and _COMMA.sub(" ", folded) not in self._without_commas:
                between = [piece for piece in _BETWEEN.split(string.strip()) if piece]
                before = _EXPLAINED.split(string, maxsplit=1)[0].strip()
                if len(between) > 1 and all(map(self._has_words, between)):
                    pieces = between
                elif before != string.strip() and self._has_words(before):
                    pieces = [before]
            for piece in pieces or [string.strip()]:
                yield Mention(piece, label, from_start, mended=bool(pieces))
                from_start = False


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
