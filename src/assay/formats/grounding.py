"""Mentions without places, as models write them, found in the text that they are about.

A mention is looked for as it is written, then folded (case, Unicode forms, quotes, dashes, white space), then with a
few letters changed. Where the model wrote the whole text again, its words are aligned with those of the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Ints
from assay.classes import dataclass

LEVELS = ("exact", "folded", "fuzzy", "ungrounded", "repeated")
"""What becomes of a mention: how it was found, or that it was not, or that it has no place of its own any more."""
EXACT, FOLDED, FUZZY, UNGROUNDED, REPEATED = range(5)
_CELLS = 1 << 26
"""The most cells of an alignment of words; longer answers have their mentions looked for one by one."""
_ROWS = 1 << 21
"""The numbers of a table of distances that are computed at a time."""
_LONG = 64
"""The least length of a mention for which places where it can begin are computed first, to save time."""

_QUOTES = {**dict.fromkeys("‘’‚‛′`´ʼ‹›＇", "'"), **dict.fromkeys("“”„‟″«»＂", '"')}
_NOTHING = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Soft hyphens and characters of no width."""
_PLAIN = re.compile(r"(?:[!-~]+(?: [!-~]+)*)?")
"""ASCII with single blanks: folding changes nothing but case."""
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011\u00ad][^\S\n\r\u2028]*[\n\r\u2028]\s*(?=[^\W\d_])")
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
"""Letters of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese. Compiled only if
needed, which takes 3 ms."""
WORD = re.compile(r"\w+|[^\w\s]")
_DIGIT = re.compile(r"\d")


# --- folding ---


@lru_cache(1 << 16)
def _fold_cluster(cluster: str) -> str:
    """A character with its combining marks, folded."""
    # Some quotes are blanks with an accent to Unicode.
    plain = unicodedata.normalize("NFKC", _QUOTES.get(cluster, cluster))
    text = unicodedata.normalize("NFKC", plain.casefold())
    marks = (_QUOTES.get(mark, mark) for mark in text if mark not in _NOTHING)
    return "".join("-" if mark == "−" or unicodedata.category(mark) == "Pd" else mark for mark in marks)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each character with its combining marks."""
    begin = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or text[place] < "\u0300" or not unicodedata.combining(text[place]):
            yield begin, place
            begin = place


def fold_spelling(text: str) -> str:
    """A text in which spellings that mean the same are the same."""
    plain = _fold_one_by_one(text)
    return _fold(text)[0] if plain is None else plain


def _fold_one_by_one(text: str) -> str | None:
    """A folded text in which each character is still in its place; None if folding moves them."""
    if text.isascii() and _PLAIN.fullmatch(text):
        return text.lower().replace("`", "'")
    table = {mark: _fold_cluster(mark) for mark in set(text)}
    moved = any(
        len(folded) != 1 or (mark.isspace() and mark != " ") or unicodedata.combining(mark)
        for mark, folded in table.items()
    )
    if moved or "  " in text or text.strip() != text:
        return None
    return "".join(map(table.__getitem__, text))


def _fold(text: str) -> tuple[str, Ints, Ints]:
    """A folded text, and for each of its characters begin and end of what it stands for in the text."""
    broken = {match.start(): match.end() for match in _HYPHENATED.finditer(text) if text[match.end()].islower()}
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    behind = 0
    for begin, end in _clusters(text):
        behind = broken.get(begin, behind)
        if begin < behind:
            continue
        for mark in _fold_cluster(text[begin:end]) if text[begin] not in " \n" else " ":
            if not mark.isspace():
                pieces.append(mark)
            elif pieces and pieces[-1] != " ":
                pieces.append(" ")
            else:
                continue
            begins.append(begin)
            ends.append(end)
    last = len(pieces) - 1 if pieces and pieces[-1] == " " else len(pieces)
    return "".join(pieces[:last]), np.array(begins[:last], dtype=np.int64), np.array(ends[:last], dtype=np.int64)


def _in_word(mark: str) -> bool:
    return mark.isalnum() or unicodedata.category(mark)[0] == "M"


def divides_words(text: str, place: int) -> bool:
    """True if a place lies between words, not within one."""
    if not 0 < place < len(text):
        return True
    before, behind = text[place - 1], text[place]
    if not (_in_word(before) and _in_word(behind)):
        return True
    return re.match(_UNSPACED, before) is not None or re.match(_UNSPACED, behind) is not None


def _is_border(text: str, place: int) -> bool:
    """True between words, between a number and its unit (5mg), and in Korean, whose particles follow directly."""
    if divides_words(text, place):
        return True
    before, after = text[place - 1], text[place]
    return before.isdigit() != after.isdigit() or "\uac00" <= before <= "\ud7a3"


# --- a text, and the places of a mention in it ---

Place = tuple[int, int]
"""Begin and end (exclusive), in characters of the text."""


@dataclass(frozen=True)
class Ground:
    """The settings of a search for mentions: the last level, the edits allowed, one place or all."""

    level: int = FUZZY
    tolerance: float = 0.2
    """Edits per character of the mention."""
    every: bool = False
    """True if a mention stands for all places where it occurs."""

    def edits(self, length: int) -> int:
        """The most edits of a mention of this length; nothing is lost to binary fractions."""
        return int(length * self.tolerance + 1e-9)


@dataclass(frozen=True)
class Mention:
    """A mention of an answer."""

    text: str
    label: str
    from_start: bool = False
    """True if it is looked for from the beginning of the text: another list begins with it."""
    place: Place | None = None
    """Where it stands in the answer without markup, if the answer is the text written again; in the text itself, if
    the answer has offsets alone."""
    mended: bool = False
    """True if it was cut out of a longer string."""


class Grounded(NamedTuple):
    """The outcome of a mention: a span, unless it is ungrounded or repeated."""

    mention: Mention
    level: int
    place: Place | None = None


class SearchText:
    """A text in which the mentions of one system are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._given: set[tuple[Place, str]] = set()
        """The places that have been given to mentions, with their labels …"""
        self._taken: dict[str, set[Place]] = {}
        """… and by the folded mention."""

    def ground(self, mentions: Iterable[Mention], plain: str | None, ground: Ground) -> Iterator[Grounded]:
        """The mentions of an answer with their places; `plain`: the answer without markup.

        A mention goes to its next free place: after the mention before it, else within that, else anywhere. If all
        its places are taken, it is repeated.
        """
        # Without markup, the places that mentions have are offsets in the text itself.
        aligned = 0 if plain is None else _align(plain, self.text)
        given, last = self._given, (0, 0)
        for mention in mentions:
            if mention.place is not None and aligned is not None:
                level, place = _same_place(mention, aligned, self, ground)
                places = [] if place is None else [place]
                if place is not None and (place, mention.label) in given:
                    level, places = REPEATED, []
            else:
                folded = fold_spelling(mention.text)
                level, found = self._candidates(mention.text, folded, ground)
                new = [place for place in found if (place, mention.label) not in given]
                begin, end = (0, 0) if mention.from_start else last
                if ground.every:
                    places = new
                else:
                    taken = self._taken.setdefault(folded, set())
                    free = [place for place in found if place not in taken]
                    behind, within = ([place for place in free if place[0] >= after] for after in (end, begin))
                    places = (behind or within or free or new)[:1]
                    taken.update(places)
                    last = places[0] if places else (begin, end)
                if not places:
                    level = REPEATED if found else UNGROUNDED
            given.update((place, mention.label) for place in places)
            for where in places or (None,):
                yield Grounded(mention, level, where)

    def find_whole(self, mention: str, ground: Ground) -> tuple[int, Sequence[Place]]:
        """The level at which a string occurs as whole words, and its places, whether they are given away or not."""
        level, places = self._candidates(mention, fold_spelling(mention), ground, _is_border)
        return (level, places) if places else (UNGROUNDED, ())

    @cached_property
    def _fold(self) -> tuple[str, Ints | None, Ints | None]:
        plain = _fold_one_by_one(self.text)
        return _fold(self.text) if plain is None else (plain, None, None)

    @property
    def folded(self) -> str:
        """The folded text."""
        return self._fold[0]

    def unfold(self, begin: int, end: int) -> Place | None:
        """The place of a stretch of the folded text; None if it cuts what is one character there."""
        _, begins, ends = self._fold
        if begins is None or ends is None:
            return begin, end
        if (begin and begins[begin - 1] == begins[begin]) or (end < len(ends) and ends[end] == ends[end - 1]):
            return None
        return int(begins[begin]), int(ends[end - 1])

    @cached_property
    def _words(self) -> tuple[Ints, Bools]:
        """The places of the folded text where words begin, and a mask of those where words end."""
        text = self.folded
        inside = np.array([_in_word(mark) for mark in text], dtype=bool)
        alone = np.zeros(len(text), dtype=bool)
        alone[[match.start() for match in re.finditer(_UNSPACED, text)]] = True
        before, behind = np.concatenate([[False], inside]), np.concatenate([inside, [False]])
        cut = np.concatenate([[False], alone]) | np.concatenate([alone, [False]])
        ends = before & (~behind | cut)
        return np.flatnonzero((behind & (~before | cut))[:-1]), ends

    def _candidates(
        self, mention: str, folded: str, ground: Ground, border: Callable[[str, int], bool] | None = None
    ) -> tuple[int, Sequence[Place]]:
        """The level at which a mention occurs first, and its places there; whole words before parts of words.

        With a `border`, only places that begin and end at one.
        """
        if not folded:
            return UNGROUNDED, ()
        found = self._whole(list(find_occurrences(self.text, mention)), border)
        if found:
            return EXACT, found
        if ground.level >= FOLDED:
            places = (self.unfold(*place) for place in find_occurrences(self.folded, folded))
            found = self._whole([place for place in places if place is not None], border)
            if found:
                return FOLDED, found
        if ground.level >= FUZZY:
            places = (self.unfold(*place) for place in self._near(folded, ground))
            return FUZZY, [place for place in places if place is not None]
        return UNGROUNDED, ()

    def _whole(self, places: list[Place], border: Callable[[str, int], bool] | None) -> list[Place]:
        is_border = border or divides_words
        whole = [place for place in places if all(is_border(self.text, end) for end in place)]
        return whole if border else whole or places

    def _near(self, mention: str, ground: Ground) -> list[Place]:
        """The stretches of whole words of the folded text with the least distance to a mention, and its digits."""
        size, most, text = len(mention), ground.edits(len(mention)), self.folded
        if not most or not text:
            return []
        starts, ends = self._words
        piece = size // (most + 1)
        if piece:
            # At least one of this number of pieces is unchanged.
            near = np.zeros(len(text) + 1, dtype=np.int64)
            for offset in range(0, piece * (most + 1), piece):
                for place, _ in find_occurrences(text, mention[offset : offset + piece]):
                    near[max(place - offset - most, 0)] += 1
                    near[min(max(place - offset + most + 1, 0), len(text))] -= 1
            starts = starts[np.cumsum(near)[starts] > 0]
        pattern, codes = _codes(mention), _codes(text)
        if size > _LONG and len(starts):
            least = _distances(pattern[::-1], codes[None, ::-1], free=True)[0, ::-1]
            starts = starts[least[starts] <= most]
        width = size + most
        padded = np.concatenate([codes, np.zeros(width, dtype=codes.dtype)])
        ended = np.concatenate([ends, np.zeros(width, dtype=bool)])
        found: list[tuple[int, int, int]] = []
        step = max(_ROWS // width, 1)
        for first in range(0, len(starts), step):
            chosen = starts[first : first + step]
            there = chosen[:, None] + np.arange(width)
            distance = _distances(pattern, padded[there])
            rows, lengths = np.nonzero((distance <= most) & ended[chosen[:, None] + np.arange(width + 1)])
            begins = chosen[rows]
            found += zip(distance[rows, lengths].tolist(), begins.tolist(), (begins + lengths).tolist(), strict=True)
        digits = _DIGIT.findall(mention)
        best: list[tuple[int, int, int]] = []
        for row in sorted(found):
            if best and row[0] > best[0][0]:
                break
            if _DIGIT.findall(text, row[1], row[2]) == digits:
                best.append(row)
        nearest = min((abs(end - begin - size) for _, begin, end in best), default=0)
        return [(begin, end) for _, begin, end in best if abs(end - begin - size) == nearest]


def find_occurrences(text: str, part: str) -> Iterator[Place]:
    """Begin and end of each occurrence of a part of a text."""
    place = text.find(part)
    while place >= 0:
        yield place, place + len(part)
        place = text.find(part, place + 1)


def _codes(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)


def _distances(pattern: Ints, texts: Ints, *, free: bool = False) -> Ints:
    """Edits between a pattern and each beginning of each row; `free`: the least to any stretch that ends there."""
    steps = np.arange(texts.shape[1] + 1)
    row = np.zeros_like(steps) if free else steps
    row = np.repeat(row[None], len(texts), axis=0)
    for number, code in enumerate(pattern.tolist(), 1):
        following = np.minimum(row[:, 1:] + 1, row[:, :-1] + (texts != code))
        row = np.concatenate([np.full((len(texts), 1), number), following], axis=1)
        # One more character of the text: the least that comes before, and a step for each character since.
        row = np.minimum.accumulate(row - steps, axis=1) + steps
    return row


def edit_distance(first: str, second: str) -> int:
    """The least number of characters inserted, deleted or replaced, with a column of the table as bits of two numbers
    (Myers 1999, Hyyrö 2003)."""
    places: dict[str, int] = {}
    for number, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << number
    distance, whole, last = len(first), (1 << len(first)) - 1, 1 << len(first) >> 1
    # Places of the column whose number is one more, or one less, than the number above.
    more, less = whole, 0
    for character in second:
        equal = places.get(character, 0)
        diagonal = (((equal & more) + more) ^ more) | equal | less
        right_more, right_less = less | (whole & ~(diagonal | more)), diagonal & more
        if not last or right_more & last:
            distance += 1
        elif right_less & last:
            distance -= 1
        right_more, right_less = right_more << 1 | 1, right_less << 1
        more, less = (right_less | ~(diagonal | right_more)) & whole, right_more & diagonal & whole
    return distance


# --- the text written again ---


def _align(plain: str, text: str) -> tuple[list[Place], dict[int, Place]] | int | None:
    """Words of an answer and the words of the text that they stand for, by number; the distance by which an answer
    that is the text is shifted against it; None if both are too long to be aligned."""
    if plain.strip() == text.strip():
        return len(text) - len(text.lstrip()) - (len(plain) - len(plain.lstrip()))
    theirs, ours = ([match.span() for match in WORD.finditer(one)] for one in (plain, text))
    known: dict[str, int] = {}
    a, b = (
        np.array(
            [known.setdefault(fold_spelling(one[begin:end]), len(known)) for begin, end in words], dtype=np.int64
        )
        for one, words in ((text, ours), (plain, theirs))
    )
    first, shorter = 0, min(len(a), len(b))
    while first < shorter and a[first] == b[first]:
        first += 1
    last = 0
    while last < shorter - first and a[-1 - last] == b[-1 - last]:
        last += 1
    pairs = {number: ours[number] for number in range(first)}
    pairs |= {len(b) - back: ours[len(a) - back] for back in range(1, last + 1)}
    inner, outer = b[first : len(b) - last], a[first : len(a) - last]
    if len(inner) * len(outer) > _CELLS:
        return None
    pairs |= {first + number: ours[first + other] for other, number in _word_pairs(outer, inner)}
    return theirs, pairs


def _word_pairs(source: Ints, answer: Ints) -> Iterator[tuple[int, int]]:
    """The words of two texts that a shortest edit script matches or replaces."""
    if not len(source) or not len(answer):
        return
    steps = np.arange(len(answer) + 1)[::-1]
    below = steps.copy()
    chosen = np.empty((len(source), len(answer)), dtype=np.uint8)
    for number in range(len(source) - 1, -1, -1):
        same = answer == source[number]
        here = below + 1
        here[:-1] = np.minimum(here[:-1], below[1:] + ~same)
        # One more word of the answer.
        here = np.minimum.accumulate((here - steps)[::-1])[::-1] + steps
        replaced, skipped = here[:-1] == below[1:] + 1, here[:-1] == below[:-1] + 1
        chosen[number] = np.where(same | replaced, 0, np.where(skipped, 1, 2))
        below = here
    a = b = 0
    while a < len(source) and b < len(answer):
        step = chosen[a, b]
        if step == 0:
            yield a, b
        a, b = a + (step != 2), b + (step != 1)


def _same_place(
    mention: Mention, aligned: tuple[list[Place], dict[int, Place]] | int, text: SearchText, ground: Ground
) -> tuple[int, Place | None]:
    """The place of a mention in the text that the answer repeats, and how like it is."""
    assert mention.place is not None
    begin, end = mention.place
    if isinstance(aligned, int):
        begin, end = begin + aligned, end + aligned
        return (EXACT, (begin, end)) if 0 <= begin < end <= len(text.text) else (UNGROUNDED, None)
    words, pairs = aligned
    first = bisect_left(words, (begin, begin))
    places = [pairs[number] for number in range(first, bisect_left(words, (end, end))) if number in pairs]
    if not places:
        return UNGROUNDED, None
    place = places[0][0], places[-1][1]
    stretch = text.text[slice(*place)]
    if stretch == mention.text:
        return EXACT, place
    in_text, in_answer = fold_spelling(stretch), fold_spelling(mention.text)
    if in_text == in_answer and ground.level >= FOLDED:
        return FOLDED, place
    near = ground.level >= FUZZY and _DIGIT.findall(in_text) == _DIGIT.findall(in_answer)
    if near and edit_distance(in_answer, in_text) <= ground.edits(len(in_answer)):
        return FUZZY, place
    return UNGROUNDED, None
