"""Gold's and a system's spans over one line of atoms, so that they can be matched."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from assay.align import Pair, Text, WordPlaces, gap_problem, gaps_between
from assay.arrays import NONE, Bools, Ints, Stretches
from assay.classes import dataclass
from assay.corpus import SPANS, Column, Corpus, Marks, Trees, one_vocabulary
from assay.engine import matching
from assay.engine.items import Items
from assay.engine.matching import Matches, TooManyOverlapsError
from assay.engine.weighting import LISTED, UNGROUNDED
from assay.errors import AlignmentError, InputError, UsageError
from assay.formats.answers import SAID

Identity = tuple[int, Stretches, str]
"""Gold sentence, atoms counted from its beginning, label."""
_MIRROR = {"fp": "fn", "fn": "fp", "bes": "bel", "bel": "bes"}
"""The kinds of errors that change when target and system change places."""
SHOWN = "shown"
"""The argument of marks without a place: the word after those of the sentence as which they are shown."""
CLAIMS = "claims"
"""Marks of gold, sentence by sentence: texts that systems claim, to be shown after the words of the sentence."""
NESTING = ("alone", "inside another", "around or across another")


@dataclass(frozen=True, eq=False)
class Line:
    """The atoms of a corpus on the line that gold and system share; a pair with spans has gold's as a layer."""

    starts: Ints
    """For each sentence the number of its first atom."""
    begin: Ints
    """The place at which each atom begins on the line; -1 if it was left out."""
    end: Ints
    """The place at which each atom ends on the line."""
    atoms: str = "words"
    """`words` or `characters`."""

    @classmethod
    def plain(cls, starts: Ints, atoms: str = "words") -> Line:
        """Each atom is one place of the line."""
        places = np.arange(int(starts[-1]), dtype=np.int64)
        return cls(starts, places, places + 1, atoms)

    @cached_property
    def sentence_places(self) -> Ints:
        """The place where each sentence begins; one that was left out begins where the next does."""
        size = int(self.end.max(initial=0))
        known = np.append(self.begin, size)[self.starts[:-1]]
        return np.minimum.accumulate(np.where(known < 0, size, known)[::-1])[::-1]

    def without(self, gone: Bools) -> Line:
        """The line without the atoms of some sentences."""
        if not gone.any():
            return self
        atoms = np.repeat(gone, np.diff(self.starts))
        return replace(self, begin=np.where(atoms, -1, self.begin), end=np.where(atoms, -1, self.end))

    def places(self, spans: Marks | Trees) -> tuple[Ints, Ints, dict[int, Stretches]]:
        """Begin and end of spans on the line, and the stretches of those with gaps.

        Stretches that touch are one, and those of which nothing is left are none: what lay between them (white space,
        words left out) has no place on the line.
        """
        first = self.starts[spans.sentence if isinstance(spans, Trees) else spans.unit]
        begins, ends = self.begin[first + spans.begin], self.end[first + spans.end - 1]
        shapes = {}
        for index, local in spans.stretches.items():
            start = int(first[index])
            joined: list[tuple[int, int]] = []
            for a, b in local:
                begin, end = int(self.begin[start + a]), int(self.end[start + b - 1])
                if joined and begin == joined[-1][1]:
                    joined[-1] = (joined[-1][0], end)
                elif begin < end:
                    joined.append((begin, end))
            if joined:
                begins[index], ends[index] = joined[0][0], joined[-1][1]
            if len(joined) > 1:
                shapes[index] = tuple(joined)
        return begins, ends, shapes


def count_words(corpus: Corpus, marks: Marks) -> Ints:
    """The number of words of each span of a side."""
    placed = marks.begin != NONE
    words = np.zeros(len(marks), dtype=np.int64)
    if corpus.texts is not None:
        words[placed] = [len(form.split()) for form in surface_forms(corpus, marks.number[placed])]
    else:
        words[placed] = corpus.spans.lengths()[marks.number[placed]]
    words[~placed] = [len(marks.columns[SAID][row].split()) for row in np.flatnonzero(~placed).tolist()]
    return words


def classify_nesting(marks: Marks) -> Ints:
    """Index into NESTING for each span: its place among the other spans of its side."""
    order = np.lexsort((-marks.end, marks.begin))
    begin, end = marks.begin[order], marks.end[order]
    reach = np.maximum.accumulate(end) if len(order) else end
    before = np.concatenate([[-1], reach[:-1]])
    following = np.concatenate([begin[1:], [np.iinfo(np.int64).max]])
    values = np.empty(len(order), dtype=np.int64)
    alone = (begin == NONE) | ((before <= begin) & (following >= end))
    values[order] = np.where(alone, 0, np.where(before >= end, 1, 2))
    return values


def shown_words(gold: Corpus, sentence: int) -> list[str]:
    """The words of a sentence as they are shown, then the texts that systems claim in addition."""
    first, end = int(gold.starts[sentence]), int(gold.starts[sentence + 1])
    words = gold.forms.strings(first, end) if gold.texts is None else split_text(gold.texts[sentence])
    claims = gold.marks.get(CLAIMS)
    if claims is not None:
        words += claims.labels.strings(*np.searchsorted(claims.unit, [sentence, sentence + 1]).tolist())
    return words


_PIECE = re.compile(r"\w+|[^\w\s]")


def split_text(text: str) -> list[str]:
    """A text cut into words and marks of punctuation, to show where spans begin and end."""
    return _PIECE.findall(text)


def piece_places(texts: Sequence[str]) -> tuple[Ints, Ints, Ints]:
    """The beginnings and ends of the pieces of texts, one text after the other, and the beginning of each text."""
    before = text_starts(tuple(texts))
    found = [
        (int(first) + match.start(), int(first) + match.end())
        for text, first in zip(texts, before, strict=False)
        for match in _PIECE.finditer(text)
    ]
    begin, end = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return begin, end, before


def surface_forms(corpus: Corpus, chosen: Ints | None = None, *, as_written: bool = False) -> list[str]:
    """The words of spans joined by spaces; a text's white space counts as one space, unless all is `as_written`."""
    spans = corpus.spans
    indexes = range(len(spans)) if chosen is None else chosen.tolist()
    begins, ends, sentences = spans.begin.tolist(), spans.end.tolist(), spans.unit.tolist()
    starts, codes, vocabulary = corpus.starts.tolist(), corpus.forms.codes.tolist(), corpus.forms.vocabulary
    # A span may reach beyond its sentence.
    text, offsets = "".join(corpus.texts or ()), text_starts(corpus.texts or ()).tolist()
    found = []
    for index in indexes:
        sentence = sentences[index]
        stretches = spans.stretches.get(index) or ((begins[index], ends[index]),)
        if corpus.texts is not None:
            pieces = [text[offsets[sentence] + begin : offsets[sentence] + end] for begin, end in stretches]
        else:
            start = starts[sentence]
            pieces = [vocabulary[code] for begin, end in stretches for code in codes[start + begin : start + end]]
        found.append(" ".join(pieces) if as_written else " ".join(" ".join(pieces).split()))
    return found


# --- spans of a pair ---


def line_of(pair: Pair) -> Line:
    """Gold's line of atoms, on which the spans of both sides are."""
    line = pair.layer(Line)
    if line is None:
        raise UsageError("this measure is for spans, but the files are compared as tags. Give --task spans")
    return line


def spans_of(pair: Pair) -> tuple[Marks, Marks]:
    """The spans of gold and of the system."""
    line_of(pair)
    return pair.marks[SPANS]


def match_spans(pair: Pair, match: Callable[..., Matches], **options: Any) -> Matches:
    """The matches of spans, made once: several measures rest on the same ones."""
    gold, system = spans_of(pair)

    def matches() -> Matches:
        try:
            return match(gold, system, **options)
        except TooManyOverlapsError as error:
            raise too_many_overlaps(pair, error, error.target, match.__name__.removeprefix("match_")) from None

    return pair.once(f"{match.__name__} {options}", matches)


def too_many_overlaps(pair: Pair, error: TooManyOverlapsError, target: int, name: str) -> InputError:
    """The error for more overlaps than a matching of this name can do; it begins at this span of gold."""
    place = pair.gold.place_of_span(int(spans_of(pair)[0].number[target]))
    return InputError(
        f"{place}: {error.targets:,} spans of gold and {error.systems:,} of the system overlap each other, too many "
        f"for {name} to pair one to one. Leave it out, or divide the text into smaller documents."
    )


def match_both_ways(pair: Pair) -> Matches:
    """The fair matching with either side as the target, added up: no side is preferred."""
    gold, system = spans_of(pair)
    there = match_spans(pair, matching.match_fair)
    back = pair.once("match_fair back", lambda: matching.match_fair(system, gold))
    mirrored = np.array([matching.FAIR.index(_MIRROR.get(kind, kind)) for kind in matching.FAIR])
    return Matches(
        np.concatenate([there.gold, back.system]),
        np.concatenate([there.system, back.gold]),
        np.concatenate([there.kind, mirrored[back.kind]]),
        np.concatenate([there.new_gold, back.new_system]),
        np.concatenate([there.new_system, back.new_gold]),
    )


def span_items(
    pair: Pair,
    matches: Matches,
    kinds: tuple[str, ...],
    focus: Bools | bool,
    marks: Mapping[str, Bools] | None = None,
) -> Items:
    """The items of a matching of spans; `focus`: whether errors of labelling count under gold's label."""
    gold, system = spans_of(pair)
    if SHOWN in system.arguments:
        # What has no place is spurious, and no matching pairs it with anything.
        kinds = (*kinds, UNGROUNDED)
        nowhere = np.append(system.begin == NONE, False)[matches.system]
        matches = replace(matches, kind=np.where(nowhere, len(kinds) - 1, matches.kind))
    return matches.items(kinds, gold, system, span_keys(pair), under_gold=focus, marks=marks or {})


def span_keys(pair: Pair) -> Ints:
    """The keys of the system's spans; what has no place is known by its text."""

    def keys() -> Ints:
        system = spans_of(pair)[1]
        rows = place_keys(line_of(pair), system)
        if system.group is not None:
            nowhere = system.begin == NONE
            rows[:3, nowhere] = NONE
            rows[1, nowhere] = system.group[nowhere]
        return rows

    return pair.once("keys of spans", keys)


def place_keys(line: Line, marks: Marks) -> Ints:
    """Numbers by which marks of a sentence are equal in all systems: begin, end, gaps, label."""
    start = line.sentence_places[marks.unit]
    shape = np.zeros(len(marks), dtype=np.int64)
    for row in marks.stretches:
        # Few spans have gaps; those with the same ends must not be taken for each other.
        shape[row] = hash(identify(line, marks, row)[1])
    return np.stack([marks.begin - start, marks.end - start, shape, marks.label])


def identify(line: Line, marks: Marks, row: int) -> Identity:
    """The gold sentence of a mark, its atoms counted from there, its label."""
    sentence = int(marks.unit[row])
    start = int(line.sentence_places[sentence])
    return sentence, tuple((begin - start, end - start) for begin, end in marks.atoms_of(row)), marks.labels[row]


def words_at(pair: Pair, unit: Ints, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The first word of stretches of the line, and the one after the last, counted in gold's sentences."""
    line = line_of(pair)
    atoms, starts = np.flatnonzero(line.begin >= 0), line.starts
    # The atoms that the first and the last place of each stretch lie in; the last number is for none.
    atoms = np.append(atoms, NONE)
    first = atoms[np.searchsorted(line.end[atoms[:-1]], begin, side="right")]
    last = atoms[np.searchsorted(line.begin[atoms[:-1]], end - 1, side="right") - 1] + 1
    texts = pair.gold.texts
    if texts is None:
        return first - starts[unit], last - starts[unit]
    begins, ends, _ = pair.once("pieces of gold's texts", lambda: piece_places(texts))
    before, beyond = np.searchsorted(begins, starts[unit]), np.searchsorted(begins, starts[unit + 1])
    words = np.searchsorted(ends, first, side="right"), np.searchsorted(begins, last)
    return np.minimum(words[0], beyond) - before, np.minimum(words[1], beyond) - before


def have_same_spans(pair: Pair, other: Pair) -> bool:
    """True if two systems have the same spans throughout, and claim the same without a place, in any order."""
    claims = []
    for marks in (spans_of(one)[1] for one in (pair, other)):
        nowhere = marks.where(np.flatnonzero(marks.begin == NONE))
        texts = [] if nowhere.group is None else nowhere.group.tolist()
        claims.append(sorted(zip(nowhere.unit.tolist(), texts, nowhere.labels.strings(), strict=True)))
    return pair.system.spans.equals(other.system.spans) and claims[0] == claims[1]


def is_listed(pair: Pair, matches: Matches) -> Bools | None:
    """Mask of the errors that concern a span in which gold itself is wrong; None if nothing is listed."""
    if LISTED not in spans_of(pair)[0].columns:
        return None
    gold, system = (np.append(marks.columns[LISTED].codes > 0, False) for marks in spans_of(pair))
    return np.asarray((matches.kind != 0) & (gold[matches.gold] | system[matches.system]))


# --- marks of a pair ---


def put_on_line(lines: Sequence[Line], sides: Sequence[Marks]) -> list[Marks]:
    """Gold's and the system's marks on one line, their labels in one vocabulary, without those in what was left out.

    Units stay those of each side.
    """
    vocabulary, codes = one_vocabulary([marks.labels for marks in sides])
    found = []
    for marks, line, own in zip(sides, lines, codes, strict=True):
        placed, kept = marks.begin != NONE, np.ones(len(marks), dtype=bool)
        marks = replace(marks, labels=Column(own, vocabulary))  # noqa: PLW2901
        if placed.any():
            begin, end, stretches = line.places(marks)
            kept = ~placed | ((begin >= 0) & (end > 0))
            begin, end = np.where(placed, begin, NONE), np.where(placed, end, NONE)
            marks = replace(marks, begin=begin, end=end, stretches=stretches)  # noqa: PLW2901
        found.append(marks.where(kept))
    return found


def marks_of(pair: Pair, layer: str) -> tuple[Marks, Marks]:
    """The marks of a layer on both sides, without those in sentences that are left out.

    Places are on one line of words, units are gold's, and labels and attributes have the same codes on both sides.
    """
    return pair.once(f"marks of {layer}", lambda: _marks_of(pair, layer))


def _marks_of(pair: Pair, layer: str) -> tuple[Marks, Marks]:
    given = [corpus.marks.get(layer) for corpus in (pair.gold, pair.system)]
    known = next((marks for marks in given if marks is not None), None)
    if known is None:
        raise InputError(f"{pair.gold.name}: contains no {layer}. Try another --task or --input-format.")
    nothing = known.where(np.zeros(len(known), dtype=bool))
    sides = [_numbered(nothing if marks is None else marks) for marks in given]
    gone = _left_out(pair)
    sides = [marks.where(~own[marks.unit]) for marks, own in zip(sides, gone, strict=True)]
    for name in known.columns:
        vocabulary, codes = one_vocabulary([marks.columns[name] for marks in sides])
        sides = [
            replace(marks, columns={**marks.columns, name: Column(own, vocabulary)})
            for marks, own in zip(sides, codes, strict=True)
        ]
    gold, system = put_on_line([line.without(own) for line, own in zip(_lines(pair), gone, strict=True)], sides)
    return gold, replace(system, unit=pair.system_sentence[pair.system.starts[system.unit]])


def _numbered(marks: Marks) -> Marks:
    return replace(marks, number=np.arange(len(marks)))


def match_by_key(pair: Pair, layer: str, *columns: str) -> Items:
    """Marks that both sides have, missing ones and spurious ones; marks with equal columns match, one to one.

    columns: `unit`, `place`, `label`, or the name of an attribute.
    """
    gold, system = marks_of(pair, layer)
    places = matching.same_places(gold, system)
    known = {"unit": (gold.unit, system.unit), "place": places, "label": (gold.label, system.label)}
    keys = [known.get(name) or (gold.columns[name].codes, system.columns[name].codes) for name in columns]
    steps = matching.Steps(len(gold), len(system))
    steps.by_columns(matching.EXACT.index("tp"), *keys)
    matches = steps.matches(matching.EXACT.index("fn"), matching.EXACT.index("fp"))
    # Other systems have other codes for what gold does not have, so that attributes and gaps are known by their text.
    gaps = [str(system.stretches.get(row, "")) for row in range(len(system))]
    texts = [gaps, *(system.columns[name].strings() for name in columns if name in system.columns)]
    digests = [[int.from_bytes(blake2b(text.encode(), digest_size=7).digest()) for text in own] for own in texts]
    key = np.array([system.begin, system.end, *digests, system.label], dtype=np.int64)
    return matches.items(matching.EXACT, gold, system, key)


def with_spans(
    pair: Pair, *, characters: bool, gold_errors: Marks | None = None, claims: Marks | None = None
) -> Pair:
    """The pair with both sides' spans over one line, of words or of characters."""
    gold, system = pair.gold, pair.system
    if characters and pair.apart is None and gold.has_words and system.has_words and gold.texts is None:
        # Words that are compared one by one though their characters differ are on no common line.
        for gap in gaps_between(*pair.texts):
            raise AlignmentError(
                f"{gap_problem(*pair.texts, gap)}\n"
                "Spans are compared by characters, because a file is tokenised differently, but here the characters "
                "differ."
            )
    lines = [line_of_characters(pair, side) for side in (0, 1)] if characters else _lines(pair)
    lines = [line.without(gone) for line, gone in zip(lines, _left_out(pair), strict=True)]
    return with_spans_on(lines, pair, gold_errors, claims)


def with_spans_on(
    lines: Sequence[Line], pair: Pair, gold_errors: Marks | None = None, claims: Marks | None = None
) -> Pair:
    """The pair with both sides' spans on these lines; those in what was left out take no part."""
    sides = [_numbered(corpus.spans) for corpus in (pair.gold, pair.system)]
    if claims is not None:
        nothing = np.full(len(sides[1]), NONE)
        sides[1] = replace(sides[1], arguments={SHOWN: nothing}, group=nothing).followed_by(claims)
    line, sides = lines[0], put_on_line(lines, sides)
    for side, marks in enumerate(sides):
        sentence = np.searchsorted(line.sentence_places, marks.begin, side="right") - 1
        sides[side] = replace(marks, unit=np.where(marks.begin == NONE, marks.unit, sentence))
    if gold_errors is not None:
        begin, end, stretches = line.places(gold_errors)
        errors = replace(gold_errors, begin=begin, end=end, stretches=stretches)
        listed = {identify(line, errors, row) for row in range(len(errors))}
        for side, marks in enumerate(sides):
            codes = np.array([identify(line, marks, row) in listed for row in range(len(marks))], dtype=np.int8)
            sides[side] = replace(marks, columns={**marks.columns, LISTED: Column(codes, ("", LISTED))})
    return pair.with_marks(spans=(sides[0], sides[1])).with_layer(line)


def needs_characters(pair: Pair) -> bool:
    """True if gold and system have no atoms in common but the characters.

    White space is none of them, in texts either: a span that is broken at the end of a line is the same span.
    """
    return pair.aligned_by == "characters" or pair.gold.texts is not None or pair.system.texts is not None


def _lines(pair: Pair) -> list[Line]:
    gold, system = pair.gold, pair.system
    if gold.texts is not None:
        return [Line.plain(text_starts(gold.texts), "characters")] * 2
    if not (gold.has_words and system.has_words):
        lengths = np.maximum(np.diff(gold.starts), np.diff(system.starts))
        return [Line.plain(np.concatenate([[0], np.cumsum(lengths)]))] * 2
    if len(pair.gold_words) == len(gold) == len(system):
        return [Line.plain(gold.starts), Line.plain(system.starts)]
    lines = []
    for corpus, words in ((gold, pair.gold_words), (system, pair.system_words)):
        begin = np.full(len(corpus), -1, dtype=np.int64)
        begin[words] = pair.gold_words
        lines.append(Line(corpus.starts, begin, begin + 1))
    return lines


def line_of_characters(pair: Pair, side: int) -> Line:
    """The line of all characters but white space, without the sentences whose texts differ."""
    corpus = (pair.gold, pair.system)[side]
    gone = _apart(pair)[side]
    if corpus.texts is not None:
        starts, whole = text_starts(corpus.texts), "".join(corpus.texts)
        marks = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        blanks = [ord(mark) for mark in {*whole} if mark.isspace()]
        solid = (~np.isin(marks, blanks) & ~np.repeat(gone, np.diff(starts))).astype(np.int64)
        end = np.cumsum(solid)
        return Line(starts, end - solid, end, "characters")
    places = pair.texts[side].spans(~gone)
    begin, end = np.full(len(corpus), -1, dtype=np.int64), np.full(len(corpus), -1, dtype=np.int64)
    begin[places.words], end[places.words] = places.begin, places.end
    return Line(corpus.starts, begin, end, "characters")


def _apart(pair: Pair) -> tuple[Bools, Bools]:
    """Gold's sentences and the system's whose texts differ."""
    if pair.apart is not None:
        return pair.apart
    return np.zeros(pair.gold.sentences, dtype=bool), np.zeros(pair.system.sentences, dtype=bool)


def _left_out(pair: Pair) -> tuple[Bools, Bools]:
    """Masks of the sentences of gold and of the system that are left out."""
    taken = np.bincount(pair.system.sentence_of[pair.system_sentence >= 0], minlength=pair.system.sentences)
    return pair.skipped, np.asarray(taken == 0)


def text_starts(texts: tuple[str, ...]) -> Ints:
    """The place of the first character of each text if all stand one after the other, and the end of the last."""
    return np.cumsum([0, *(len(text) for text in texts)])


def match_segments(pair: Pair, level: str) -> tuple[Ints, Ints, Ints]:
    """The gold sentences of gold's tokens, words or sentences, of the system's, and of those that correspond."""
    if level == "words":
        gold = pair.gold.sentence_of[~pair.skipped[pair.gold.sentence_of]]
        system = pair.system_sentence[pair.system_sentence >= 0]
        return gold, system, pair.gold.sentence_of[pair.gold_words]
    ours, theirs = (_pieces(text, ~gone, level) for text, gone in zip(pair.texts, _apart(pair), strict=True))
    of_gold = pair.gold.sentence_of[ours.words]
    # A piece of the system belongs to the gold sentence of its first character.
    of_system = of_gold[np.searchsorted(ours.begin, theirs.begin, side="right") - 1]
    size = int(ours.end.max(initial=0)) + 1
    _, same, _ = np.intersect1d(ours.begin * size + ours.end, theirs.begin * size + theirs.end, return_indices=True)
    gold, system, both = (rows[~pair.skipped[rows]] for rows in (of_gold, of_system, of_gold[same]))
    return gold, system, both


def _pieces(text: Text, kept: Bools, level: str) -> WordPlaces:
    """Tokens (a multiword token is one) or sentences with the characters that they cover, by their first words."""
    spans = text.spans(kept)
    first = np.ones(len(spans.words), dtype=bool)
    if level == "tokens":
        first[1:] = ~(spans.multi[1:] & spans.multi[:-1] & (spans.begin[1:] == spans.begin[:-1]))
    else:
        sentence = text.corpus.sentence_of[spans.words]
        first[1:] = sentence[1:] != sentence[:-1]
    firsts = np.flatnonzero(first)
    lasts = np.append(firsts, len(first))[1:] - 1
    return WordPlaces(spans.words[firsts], spans.begin[firsts], spans.end[lasts], spans.multi[firsts])
