"""Answers that write the text again: with tags, marks or brackets around mentions, or with a tag for each word."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from assay.formats.claims import AROUND, LABELS, LONGEST_LABEL, TEXTS, UNREAD, AnswerReading, Question, key_of
from assay.formats.grounding import WORD, Mention, fold_spelling

_HTML = ("a", "b", "body", "code", "div", "em", "html", "i", "li", "mark", "ol", "p", "pre", "s", "strong", "u", "ul")
_NO_LABELS = frozenset((*TEXTS, *LABELS, *AROUND, *_HTML))
"""Names of elements that are no labels."""
_TAG = re.compile(r"<(/?)([^\W\d_][^<>/\n]{0,80})>")
_ATTRIBUTE = re.compile(r"\s(?:data-)?(?:type|label|class|category|tag)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.I)
_BRACKETED = re.compile(r"\[([^\[\]\n]+)\](?:\(([^()\[\]\n:/]{1,60})\)|\{([^{}\n]{1,60})\})?")
_SPAN_TAG = re.compile(r"([BIESLUM])-(.+)")
_ENOUGH = 0.8
"""The least share of words that have a tag, and of the text's words that tagged words are."""
_NEAR = 10
"""The most words of the text that a tagged word may leave out before it."""


def _remove_markup(
    body: str,
    cuts: Sequence[tuple[int, int]],
    spans: Iterable[tuple[int, int, str]],
    asked: Question,
    *,
    repaired: bool = False,
) -> AnswerReading:
    """The body without some stretches of markup, and spans of it as mentions, without white space at their ends.

    If there are no words but those of the mentions, it is a list of these, and no text written again.
    """
    cuts = sorted(cuts)
    ends = [end for _, end in cuts]
    shifts = [*accumulate((end - begin for begin, end in cuts), initial=0)]
    begins = [*(begin for begin, _ in cuts), len(body)]
    plain = "".join(body[begin:end] for begin, end in zip([0, *ends], begins, strict=True))
    mentions = []
    others, behind = [], 0
    for begin, end, label in sorted(spans):
        first, last = (place - shifts[bisect_right(ends, place)] for place in (begin, end))
        others.append(plain[behind:first])
        behind = max(behind, last)
        said = plain[first:last]
        first += len(said) - len(said.lstrip())
        if said.strip() and label.strip():
            mentions.append(Mention(said.strip(), label, place=(first, first + len(said.strip()))))
    if not re.search(r"\w", "".join([*others, plain[behind:]])) and fold_spelling(plain) != asked.folded:
        return AnswerReading("", tuple(replace(mention, place=None) for mention in mentions), None, repaired)
    return AnswerReading("", tuple(mentions), plain, repaired)


def _label_of(element: str, asked: Question) -> tuple[str, str]:
    """The name of an element, and the label that it has by an attribute or its name; empty if it has none."""
    name, _, attributes = element.partition(" ")
    if "=" not in attributes:
        named = element in asked.inventory or key_of(element) not in _NO_LABELS
        return element, element if named else ""
    labels = [match[1] or match[2] or match[3] for match in _ATTRIBUTE.finditer(" " + attributes)]
    return name, next((label for label in labels if label in asked.inventory), labels[0] if labels else "")


def read_tags(body: str, asked: Question) -> AnswerReading:
    """`<L>…</L>`, nested or crossing, or elements with the label in an attribute."""
    tags = [
        (match.start(), match.end(), bool(match[1]), *_label_of(match[2].strip(), asked))
        for match in _TAG.finditer(body)
    ]
    if not tags:
        return UNREAD
    names = {is_end: {tag[3].casefold() for tag in tags if tag[2] is is_end} for is_end in (True, False)}
    elements = {label.casefold() for label in asked.inventory} | (names[True] & names[False])
    cuts, repaired = [], False
    spans: list[tuple[int, int, str]] = []
    stack: list[tuple[str, int, str, int]] = []
    for begin, end, closes, name, label in tags:
        key = name.casefold()
        if key not in elements:
            continue
        cuts.append((begin, end))
        if not closes:
            stack.append((key, end, label, len(spans)))
            continue
        place = next((place for place in range(len(stack) - 1, -1, -1) if stack[place][0] == key), None)
        if place is None:
            repaired = True
            continue
        repaired = repaired or place < len(stack) - 1
        _, first, opening, before = stack.pop(place)
        # Elements around a whole answer, or around others, are no mentions.
        if opening in asked.inventory or not (len(spans) > before or re.search(r"[\[{\n]", body[first:begin])):
            spans.append((first, begin, opening))
    return _remove_markup(body, cuts, spans, asked, repaired=repaired or bool(stack))


def read_marks(body: str, asked: Question) -> AnswerReading:
    """`@@…##`, all with the one label."""
    if not asked.label or "@@" not in body:
        return UNREAD
    cuts, spans, repaired, begun = [], [], False, None
    for match in re.finditer("@@|##", body):
        cuts.append(match.span())
        if match[0] == "@@":
            repaired = repaired or begun is not None
            begun = match.end()
        elif begun is None:
            repaired = True
        else:
            spans.append((begun, match.start(), asked.label))
            begun = None
    return _remove_markup(body, cuts, spans, asked, repaired=repaired or begun is not None)


def read_bracket_marks(body: str, asked: Question) -> AnswerReading:
    """`[L: …]` and `[…](L)`; for labels of the inventory also `[L …]`, `[…|L]` and `[…]{L}`."""
    cuts, spans = [], []
    for match in _BRACKETED.finditer(body):
        inner, linked = match[1], match[2] or match[3] or ""
        before, colon, _ = inner.partition(":")
        text, _, label = inner.rpartition("|")
        begin, end = 0, len(inner)
        if match[2] is not None or linked.strip() in asked.inventory:
            label = linked
        elif colon and len(before) <= LONGEST_LABEL and not re.search("[\"'{}]", before):
            begin, label = len(before) + 1, before
        elif text and label.strip() in asked.inventory:
            end = len(text)
        elif (name := asked.first_label(inner)) and inner[len(name) : len(name) + 1].isspace():
            begin, label = len(name), name
        else:
            continue
        begin += len(inner[begin:end]) - len(inner[begin:end].lstrip())
        first, last = match.start(1) + begin, match.start(1) + end
        cuts += [(match.start(), first), (last, match.end())]
        spans.append((first, last, label.strip()))
    if spans and not any(label in asked.inventory for _, _, label in spans):
        spans = [span for span in spans if asked.has(body[span[0] : span[1]]) and span[2].isidentifier()]
    return _remove_markup(body, cuts, spans, asked) if spans else UNREAD


# --- words with tags ---


def read_words(body: str, asked: Question) -> AnswerReading:
    """word/TAG, or a word and its tag in each line."""
    pieces = [piece.rpartition("/") for piece in body.split()]
    rows = [(word, tag) if slash else (tag, "") for word, slash, tag in pieces]
    if _share_of_tags(rows, asked) >= _ENOUGH:
        return _join_words(rows, asked)
    lines = [line.split("\t") if "\t" in line else line.split() for line in body.split("\n") if line.strip()]
    rows = [(line[0].strip(), line[-1].strip() if len(line) > 1 else "") for line in lines]
    # Signs after each word belong to a list.
    if any(len(line) > 3 for line in lines) or all(len(word) > 1 and word[-1] in ":," for word, _ in rows):
        return UNREAD
    return read_word_pairs(rows, asked, is_list="\t" in body)


def read_word_pairs(rows: Sequence[tuple[str, str]], asked: Question, *, is_list: bool = True) -> AnswerReading:
    """Words with their tags, if they are the words of the text; without any O, a list may be one of mentions."""
    tagged = not is_list or any(tag == "O" or _SPAN_TAG.fullmatch(tag) for _, tag in rows)
    if not tagged or _share_of_tags(rows, asked) < _ENOUGH:
        return UNREAD
    if not any(_SPAN_TAG.fullmatch(tag) for _, tag in rows):
        # Without prefixes, the words have to be those of the text, in order.
        text = WORD.findall(asked.folded)
        place = matched = 0
        for word in WORD.findall(fold_spelling(" ".join(word for word, _ in rows))):
            next_place = next((at for at in range(place, min(place + _NEAR, len(text))) if text[at] == word), None)
            if next_place is not None:
                place, matched = next_place + 1, matched + 1
        if matched < _ENOUGH * len(text):
            return UNREAD
    return _join_words(rows, asked)


def _share_of_tags(rows: Sequence[tuple[str, str]], asked: Question) -> float:
    return sum(_is_tag(tag, asked) and word != "" for word, tag in rows) / max(len(rows), 1)


def _is_tag(tag: str, asked: Question) -> bool:
    return tag == "O" or tag in asked.inventory or _SPAN_TAG.fullmatch(tag) is not None


def _join_words(rows: Sequence[tuple[str, str]], asked: Question) -> AnswerReading:
    """The words as a text; neighbours with one label are a mention, as in conlleval."""
    words = [(word, tag) if _is_tag(tag, asked) else (f"{word}/{tag}" if tag else word, "") for word, tag in rows]
    plain, spans, place = " ".join(word for word, _ in words), [], 0
    before = ("", "")
    for word, tag in words:
        match = _SPAN_TAG.fullmatch(tag)
        prefix, label = (match[1], match[2]) if match else ("I", "" if tag == "O" else tag)
        if label and (prefix in "BSU" or before[1] != label or before[0] in "ESLU"):
            spans.append((place, place + len(word), label))
        elif label:
            spans[-1] = (spans[-1][0], place + len(word), label)
        before = (prefix, label)
        place += len(word) + 1
    repaired = any(not tag for _, tag in words)
    return replace(_remove_markup(plain, (), spans, asked, repaired=repaired), nothing=True)
