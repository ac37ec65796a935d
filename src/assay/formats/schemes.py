"""Tag schemes: columns of tags such as B-PER, I-PER and O become labelled spans.

In any scheme, a word continues the span of the word before it if the labels agree, the word before is not the last of
its span (B, I) and this one is not the first (I, E). That is conlleval's reading; on sequences that
keep to their scheme it is every scheme's. A scheme adds how its spans are written, and so which tags break it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import Bools, Ints, numbers_of_runs
from assay.classes import dataclass
from assay.corpus import Column, Corpus, Marks
from assay.errors import InputError, UsageError, unknown
from assay.formats.whose import DROP, DROPPED, MEND, MENDED

CONLLEVAL = "conlleval"
REPAIRS = (CONLLEVAL, "discard")
_CONLLEVAL = (CONLLEVAL,)

OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
ROLES = {"B": BEGIN, **dict.fromkeys("IM", INSIDE), **dict.fromkeys("EL", END), **dict.fromkeys("SUW", SINGLE)}
NO_LABEL = -1
_NO_TAG = frozenset({"O"})
_NO_LEVEL = frozenset({"O", "_", ""})
_AS_IOB2 = {"S": "B", "E": "I"}
"""Prefixes that HIPE reads as others."""


@dataclass(frozen=True)
class Scheme:
    """A way to write spans as one tag per word: a prefix, a hyphen and the label."""

    name: str
    title: str
    letters: str
    """The prefixes."""
    written: tuple[int, int, int, int]
    """The tags of an inner word of a span, its first, its last, its only one."""
    leans_back: tuple[int, ...] = ()
    """Roles that need a word of the same label before them …"""
    leans_ahead: tuple[int, ...] = ()
    """… and those that need one after them."""
    touching: bool = False
    """True if first or last words are marked only if two spans of one label touch."""
    repairs: tuple[str, ...] = REPAIRS

    def prefixes(self, roles: Iterable[int]) -> str:
        """The letters for these roles as a phrase."""
        return " or ".join(letter for letter in self.letters if ROLES[letter] in roles)


_FIRST_MARKED = (INSIDE, BEGIN, INSIDE, BEGIN)
_LAST_MARKED = (INSIDE, INSIDE, END, END)
_BOTH_MARKED = (INSIDE, BEGIN, END, SINGLE)


def _with_both(name: str, letters: str) -> Scheme:
    return Scheme(name, name.upper(), letters, _BOTH_MARKED, (INSIDE, END), (BEGIN, INSIDE))


# In the order in which they are tried on a column.
SCHEMES: Mapping[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("iob2", "IOB2", "BI", _FIRST_MARKED, (INSIDE,)),
        Scheme("iob1", "IOB1", "BI", _FIRST_MARKED, (BEGIN,), touching=True, repairs=_CONLLEVAL),
        Scheme("ioe2", "IOE2", "IE", _LAST_MARKED, (), (INSIDE,)),
        Scheme("ioe1", "IOE1", "IE", _LAST_MARKED, (), (END,), touching=True, repairs=_CONLLEVAL),
        _with_both("bioes", "BIES"),
        _with_both("bilou", "BILU"),
        _with_both("bmes", "BMES"),
        _with_both("bmeow", "BMEW"),
        Scheme("io", "IO", "I", (INSIDE,) * 4, repairs=_CONLLEVAL),
        Scheme("stacked", "stacked BIO", "BI", _FIRST_MARKED, (INSIDE,), repairs=_CONLLEVAL),
    )
}
_ALIASES = {"bio": "iob2", "iob": "iob1", "iobes": "bioes"}


def find_scheme(name: str) -> Scheme:
    """The scheme of this name, in any case; BIO, IOB and IOBES are names as well."""
    folded = name.casefold()
    scheme = SCHEMES.get(_ALIASES.get(folded, folded))
    if scheme is None:
        raise unknown("scheme", name, (*SCHEMES, *_ALIASES))
    return scheme


@dataclass(frozen=True)
class Reading:
    """The reading of a column of tags."""

    scheme: str
    invalid: int
    """Transitions from one tag to the next that break the scheme."""
    repaired: int
    """Tags that were changed, or read as another one."""


# --- recognising tags and their scheme ---


def looks_like_tags(values: Iterable[str]) -> bool:
    """True if these are all tags of some scheme, and not all of them O."""
    parts = {part for value in values for part in value.split("|")} - _NO_LEVEL
    return bool(parts) and all(len(part) > 2 and part[0] in ROLES and part[1] == "-" for part in parts)


def detect_scheme(corpus: Corpus, column: str) -> str | None:
    """The scheme to which a whole column keeps, or None; stacked tags are never guessed."""
    used = {tag[:1] for tag in corpus.column(column).counts()} - {"O", corpus.empty}
    for name in ["io"] if used == {"I"} else [name for name in SCHEMES if name not in {"io", "stacked"}]:
        levels, faults = _levels(corpus, column, SCHEMES[name], {})
        if not faults and not levels[0].broken(SCHEMES[name]).any():
            return name
    return None


def guess_scheme(corpus: Corpus, columns: Sequence[str], golds: str = "") -> str:
    """Gold's scheme if it has all prefixes of the file; otherwise the one that fits the whole file best."""
    if corpus.tags_by_document:
        return "iob2"
    used = {tag[0] for name in columns for tag in corpus.column(name).counts() if tag[1:2] == "-"}
    if golds and used <= set(SCHEMES[golds].letters):
        return golds
    found = {detect_scheme(corpus, name) for name in columns}
    if len(found) == 1 and (scheme := next(iter(found))):
        return scheme
    # No scheme fits: reading it under the first that has these prefixes finds the mistake and its place.
    return next((name for name, known in SCHEMES.items() if used <= set(known.letters)), "iob2")


# --- tags taken apart ---


def _levels(corpus: Corpus, name: str, scheme: Scheme, known: dict[str, int]) -> tuple[list[Level], dict[int, str]]:
    """The levels of a column of tags from the outermost inwards, and what is no tag of the scheme, by code.

    A span within another ends where that one does. New labels are entered into `known`.
    """
    tags = corpus.column(name)
    stacked = scheme.name == "stacked"
    outside = _NO_LEVEL if stacked else _NO_TAG if corpus.empty is None else _NO_TAG | {corpus.empty}
    used = np.flatnonzero(np.bincount(tags.codes, minlength=len(tags.vocabulary))).tolist()
    parts = {code: tags.vocabulary[code].split("|") if stacked else [tags.vocabulary[code]] for code in used}
    depth = max(map(len, parts.values()), default=1)
    roles = np.zeros((depth, len(tags.vocabulary)), dtype=np.int8)
    labels = np.full((depth, len(tags.vocabulary)), NO_LABEL, dtype=np.int32)
    faults = {}
    for code, row, tag in ((code, row, tag) for code, given in parts.items() for row, tag in enumerate(given)):
        prefix, _, label = tag.partition("-")
        if _reads_leniently(corpus, scheme.name):
            prefix = _AS_IOB2.get(prefix, prefix)
        if tag in outside or code in faults:
            continue
        if not label or len(prefix) != 1 or prefix not in scheme.letters or "|" in tag:
            faults[code] = _fault(tag, scheme)
            continue
        roles[row, code] = ROLES[prefix]
        labels[row, code] = known.setdefault(label, len(known))
    cut = np.zeros(len(tags) + 1, dtype=bool)
    cut[_cuts(corpus)] = True
    codes = tags.codes.astype(np.intp)
    levels: list[Level] = []
    for number in range(0 if faults else depth):
        level = Level(roles[number][codes], labels[number][codes], cut)
        levels.append(level)
        if number + 1 < depth:
            cut = cut.copy()
            cut[:-1] |= level.first | ~level.inside
    return levels, faults


def _cuts(corpus: Corpus) -> Ints:
    """The first words of what no span crosses, and the end: of sentences or, if the file says so, of documents."""
    return np.append(corpus.first_words, len(corpus)) if corpus.tags_by_document else corpus.starts


def _reads_leniently(corpus: Corpus, scheme: str) -> bool:
    """True if tags are read as HIPE does: S- and E- are B- and I-, and I- without B- opens a span."""
    return corpus.tags_by_document and scheme == "iob2"


def _fault(tag: str, scheme: Scheme) -> str:
    """A sentence on what is wrong with a tag, and what to do."""
    prefix, hyphen, label = tag.partition("-")
    if "|" in tag:
        return f"tag {tag!r} with |, which divides the levels of stacked tags. If they are, give --scheme stacked."
    if tag == "_":
        return "tag '_', which no scheme has. If it marks words without annotation: --blank-tag _"
    if not hyphen:
        return f"tag {tag!r} without a hyphen. A tag is O, or a prefix, a hyphen and a label, e.g. I-PER."
    if not label:
        return f"tag {tag!r} without a label. Is it cut short?"
    letters = ", ".join(scheme.letters)
    return f"tag {tag!r} has the prefix {prefix!r}, which {scheme.title} does not have ({letters}; O outside)."


# --- the reading ---


class Level:
    """One level of tags, and the words that go on with the span of the word before.

    `cut`, `touches` and `goes_on` have one place more than there are words, for what would follow the last.
    """

    def __init__(self, role: Ints, label: Ints, cut: Bools) -> None:
        self.role, self.label = role, label
        self.inside: Bools = np.asarray(role != OUTSIDE)
        """Mask of the words in a span."""
        self.cut = cut
        """Mask of the places where no span goes on: starts of sentences and outer spans, and after the last word."""
        self.touches = np.zeros(len(role) + 1, dtype=bool)
        """Mask of the words that have the label of the word before."""
        self.touches[1:-1] = (label[1:] == label[:-1]) & self.inside[1:]
        self.touches &= ~cut
        self.goes_on = self.touches.copy()
        self.goes_on[1:-1] &= _among(role[:-1], (BEGIN, INSIDE)) & _among(role[1:], (INSIDE, END))

    @property
    def first(self) -> Bools:
        """Mask of the words that begin a span."""
        return self.inside & ~self.goes_on[:-1]

    @property
    def last(self) -> Bools:
        """Mask of the words that end one."""
        return self.inside & ~self.goes_on[1:]

    def broken_sides(self, scheme: Scheme) -> tuple[Bools, Bools]:
        """Masks of the words that need another before them that is not there, and of those that need one after."""
        link = self.touches if scheme.touching else self.goes_on
        return _among(self.role, scheme.leans_back) & ~link[:-1], _among(self.role, scheme.leans_ahead) & ~link[1:]

    def broken(self, scheme: Scheme) -> Bools:
        """Mask of the words that break the scheme."""
        back, ahead = self.broken_sides(scheme)
        return back | ahead

    def invalid(self, scheme: Scheme) -> int:
        """The number of transitions that break the scheme; one if both of their words do."""
        back, ahead = self.broken_sides(scheme)
        both = back[1:] & ahead[:-1] & ~self.cut[1:-1]
        return int(back.sum() + ahead.sum() - both.sum())

    def reread(self, scheme: Scheme) -> Bools:
        """Mask of the words whose tags differ from those that the scheme writes for the same spans."""
        return self.inside & np.not_equal(self.role, _roles_written(scheme, self.first, self.last, self.touches))

    def spans(self) -> tuple[Ints, Ints]:
        """The first word of each span, and the one after its last."""
        return np.flatnonzero(self.first), np.flatnonzero(self.last) + 1


def _roles_written(scheme: Scheme, first: Bools, last: Bools, touches: Bools) -> Ints:
    """The roles that a scheme writes for words that begin or end spans, and touch others of their label."""
    if scheme.touching:
        first, last = first & touches[:-1], last & touches[1:]
    return np.array(scheme.written, dtype=np.int8)[first + 2 * last.astype(np.int8)]


def _among(role: Ints, roles: Sequence[int]) -> Bools:
    wanted = np.zeros(len(role), dtype=bool)
    # np.isin takes a hundred times as long.
    for wanted_role in roles:
        wanted |= role == wanted_role
    return wanted


# --- spans ---


def spans_from_tags(
    corpus: Corpus, columns: Sequence[str], scheme: str, repair: str | None = None
) -> tuple[Corpus, Reading]:
    """The corpus with the spans that its columns of tags stand for, each column read by itself.

    What breaks the scheme is refused unless a repair is named: `conlleval` (`mend`) reads such tags as conlleval
    does, `discard` (`drop`) takes the broken spans away. Tags that run on through documents are HIPE's, whose scorer
    reads them as conlleval does.
    """
    chosen = find_scheme(scheme)
    default = CONLLEVAL if _reads_leniently(corpus, chosen.name) else None
    repair = {MEND: CONLLEVAL, DROP: "discard"}.get(repair or "", repair) or default
    if repair is not None and repair not in chosen.repairs:
        if repair not in REPAIRS:
            raise unknown("repair", repair, REPAIRS)
        there = ", ".join(chosen.repairs)
        raise UsageError(f"the repair {repair} is not made for {chosen.title}. Available: {there}.")
    known: dict[str, int] = {}
    found: list[tuple[Ints, Ints, Ints]] = []
    invalid = repaired = 0
    broken = ""
    for name in columns:
        levels, faults = _levels(corpus, name, chosen, known)
        if faults:
            codes = corpus.column(name).codes
            word = int(np.isin(codes, list(faults)).argmax())
            other = detect_scheme(corpus, name)
            hint = f" Is it {SCHEMES[other].title}? Then give --scheme {other}." if other else ""
            raise InputError(f"{corpus.place(word)}: {faults[int(codes[word])]}{hint}")
        for level in levels:
            first, end = level.spans()
            places = level.invalid(chosen)
            invalid += places
            if places and repair is None:
                raise _describe_broken(corpus, name, chosen, level, places)
            if places:
                broken = broken or corpus.place(int(level.broken(chosen).argmax()))
                wrong = level.reread(chosen)
                kept = mask_whole_spans(first, end, wrong) if repair == "discard" else np.ones(len(first), dtype=bool)
                repaired += int(wrong.sum() if repair == "conlleval" else (end - first)[~kept].sum())
                first, end = first[kept], end[kept]
            found.append((first, end, level.label[first]))
    first, end, codes = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    sentence = corpus.sentence_of[first].astype(np.int64)
    start = corpus.starts[sentence]
    # One level of spans is in order by itself: they do not overlap.
    spans = Marks(sentence, first - start, end - start, Column(codes, tuple(known)), corpus.lines_of(first))
    spans = spans if len(found) == 1 else spans.in_order()[0]
    action = DROPPED if repair == "discard" else MENDED
    repairs = ((f"tags that break {chosen.title}", action, invalid, broken),) if invalid else ()
    corpus = replace(corpus.with_marks(spans=spans), repairs=(*corpus.repairs, *repairs))
    return corpus, Reading(chosen.name, invalid, repaired)


def mask_whole_spans(first: Ints, end: Ints, wrong: Bools) -> Bools:
    """Mask of the spans that have no word that is tagged wrongly."""
    before = np.concatenate([[0], np.cumsum(wrong)])
    return np.asarray(before[first] == before[end])


def _describe_broken(corpus: Corpus, name: str, scheme: Scheme, level: Level, places: int) -> InputError:
    """The error for the first tag that breaks the scheme, and how many more places do."""
    tags, starts = corpus.column(name), set(_cuts(corpus).tolist())
    piece = "document" if corpus.tags_by_document else "sentence"
    word = int(level.broken(scheme).argmax())
    before = bool(level.broken_sides(scheme)[0][word])
    if before:
        where = f"at the beginning of a {piece}" if word in starts else f"after {tags[word - 1] or 'an empty tag'}"
        marks, ends = "directly follows one of its label", ("begins", scheme.written[1], scheme.written[3])
    else:
        where = f"at the end of a {piece}" if word + 1 in starts else f"before {tags[word + 1] or 'an empty tag'}"
        marks, ends = "one of its label directly follows", ("ends", scheme.written[2], scheme.written[3])
    why = f"a span {ends[0]} with {scheme.prefixes(ends[1:])}"
    if scheme.touching:
        why = f"{scheme.prefixes(scheme.leans_back if before else scheme.leans_ahead)} marks a span that {marks}"
    remedy = f"Repair with --repair {' or '.join(scheme.repairs)}"
    other = detect_scheme(corpus, name)
    if other is not None:
        remedy += f", or give --scheme {other}"
    if places > 1:
        remedy += f"; {places - 1:,} more place{'s' if places > 2 else ''}"
    return InputError(
        f"{corpus.place(word)}: {tags[word]} {where}, which {scheme.title} does not allow ({why}). {remedy}."
    )


# --- tags ---


def tags_of(corpus: Corpus, scheme: str) -> Column:
    """A tag for each word, as the scheme writes the corpus's spans; those that it cannot write are refused."""
    chosen = find_scheme(scheme)
    spans = corpus.spans
    start = corpus.starts[spans.unit]
    first, end, codes = start + spans.begin, start + spans.end, spans.labels.codes
    if chosen.name == "stacked":
        return _write_stacked(corpus, first, end)
    meets = first[1:] < end[:-1]
    reason = "overlaps another, which {} does not allow. Write them in levels: --to-scheme stacked"
    if not meets.any() and len(set(chosen.written)) == 1:
        meets = (first[1:] == end[:-1]) & (codes[1:] == codes[:-1]) & (start[1:] == start[:-1])
        reason = "directly follows one of its label, from which {} does not tell it. Choose another: --to-scheme iob2"
    if meets.any():
        span = int(meets.argmax()) + 1
        raise UsageError(
            f"{corpus.place_of_span(span)}: the span {spans.labels[span]} {reason.format(chosen.title)}."
        )
    lengths = end - first
    label = np.full(len(corpus), NO_LABEL, dtype=np.int64)
    label[numbers_of_runs(first, lengths)] = np.repeat(codes, lengths)
    firsts, lasts = np.zeros(len(corpus), dtype=bool), np.zeros(len(corpus), dtype=bool)
    firsts[first], lasts[end - 1] = True, True
    touches = np.zeros(len(corpus) + 1, dtype=bool)
    touches[1:-1] = label[1:] == label[:-1]
    touches[corpus.starts] = False
    written = _roles_written(chosen, firsts, lasts, touches)
    letters = {ROLES[letter]: letter for letter in chosen.letters}
    names = spans.labels.vocabulary
    pairs = zip(label.tolist(), written.tolist(), strict=True)
    return Column.of("O" if code == NO_LABEL else f"{letters[role]}-{names[code]}" for code, role in pairs)


def _write_stacked(corpus: Corpus, first: Ints, end: Ints) -> Column:
    """Tags with a level for each span that is open at a word, the outermost first."""
    spans = corpus.spans
    levels: list[list[str]] = [[] for _ in range(len(corpus))]
    under: list[int] = []
    for span in np.lexsort((-end, first)).tolist():
        under = [other for other in under if end[other] > first[span]]
        if span in spans.stretches or any(end[other] < end[span] for other in under):
            raise UsageError(
                f"{corpus.place_of_span(span)}: the span {spans.labels[span]} has a gap or crosses another, which "
                "tags cannot express. Leave it out of the file."
            )
        under.append(span)
        for word in range(int(first[span]), int(end[span])):
            levels[word].append(f"{'B' if word == first[span] else 'I'}-{spans.labels[span]}")
    return Column.of("|".join(level) or "O" for level in levels)
