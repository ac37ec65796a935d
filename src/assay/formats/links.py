"""Links in files: HIPE tables, neleval and TAC tables, and columns of identifiers next to columns of tags."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter

import numpy as np

from assay.arrays import Bools, Ints, numbers_of_runs
from assay.corpus import Column, Corpus, Marks, one_vocabulary
from assay.errors import InputError
from assay.formats.builder import Builder, Vocabulary
from assay.formats.columns import FILL, SHORT, Layout
from assay.formats.relations import NIL, link_lists, make_candidates
from assay.formats.schemes import BEGIN, ROLES, SINGLE
from assay.formats.source import Source
from assay.formats.whose import MEND, MENDED

HIPE = "hipe"
_TAGS = re.compile(r"NE-")
_LINKS = re.compile(r"NEL-")
_MISC = "MISC"
_END = "EndOfSentence"
_DOCUMENT = "document_id"
_NO_LINK = frozenset({"_", "-", ""})
_ONE_NIL = re.compile(r"NIL|--NME--$")
_OFFSET = re.compile(r"[0-9]{1,9}")
_LONGEST = 1_000_000
"""No document has more places than this."""


def normalise_nil(identifier: str) -> str:
    """An identifier, or NIL for all that name something without one: NIL, NIL0042, --NME--."""
    return NIL if _ONE_NIL.match(identifier) else identifier


# --- HIPE: a table with a header, documents by comments ---


def looks_hipe(head: Sequence[str]) -> bool:
    """True if the first line names columns as HIPE does: TOKEN, then NE- and NEL- columns."""
    names = head[0].split("\t")
    return names[0] == "TOKEN" and any(map(_TAGS.match, names)) and any(map(_LINKS.match, names))


def hipe_layout(head: Sequence[str], path: str, *_: object) -> Layout:
    """The columns that the first line names."""
    names = tuple(head[0].split("\t")) if head else ()
    if len(names) < 2 or names[0] != "TOKEN":
        raise InputError(
            f"{path}:1: the first line does not name the columns, as it does in HIPE files: TOKEN, NE-COARSE-LIT, … "
            "Is it another format? Try --input-format tsv"
        )
    return Layout(HIPE, "\t", len(names), 0, names, comments=True, header=True, empty="_")


def is_link_column(name: str) -> bool:
    """True of a column of links, as HIPE names it."""
    return _LINKS.match(name) is not None


def link_columns(names: Sequence[str]) -> tuple[str, str]:
    """The column of tags and the column of links that a HIPE file has; empty if it has none."""
    links = [name for name in names if is_link_column(name)]
    tags = [name for name in names if _TAGS.match(name)]
    return "NE-COARSE-LIT" if "NE-COARSE-LIT" in tags else "".join(tags[:1]), "".join(links[:1])


def read_hipe(source: Source, builder: Builder, layout: Layout) -> None:
    """Read one file: sentences end where MISC says so, documents begin where a comment names one.

    A line with all its cells is a word, even if it begins with #; other lines with # are comments.
    """
    wanted = [layout.word, *(layout.label(name, source.path) for name in builder.names)]
    pick = itemgetter(*wanted) if len(wanted) > 1 else lambda cells: (cells[layout.word],)
    misc = layout.names.index(_MISC) if _MISC in layout.names else None
    flat: list[str] = []
    ends: list[int] = []
    first_lines: list[int] = []
    first = 0
    """The line of the first word of the sentence under way, 0 before it."""

    def end_sentence(*, add: bool = False) -> None:
        """End the sentence under way, and hand over what was read if a comment or nothing follows."""
        nonlocal first
        if first:
            ends.append(builder.words + len(flat) // len(wanted))
            first_lines.append(first)
        first = 0
        if add:
            builder.add(flat, ends, first_lines)
            for gathered in (flat, ends, first_lines):
                gathered.clear()

    for number, line in source.lines():
        cells = line.split("\t")
        if number == 1 and cells[0] == layout.names[0]:
            continue
        short = len(cells) < layout.width and bool(line.strip()) and not line.startswith("#")
        if short and builder.asked.repair == MEND:
            cells += ["_"] * (layout.width - len(cells))
            builder.repair(SHORT, MENDED, f"{source.path}:{number}")
        if len(cells) == layout.width:
            word = cells[layout.word]
            if not word:
                raise InputError(f"{source.path}:{number}: the word is empty. Is a cell missing?")
            first = first or number
            # A word that was quoted for the quotes in it, which are doubled then.
            if word[0] == word[-1] == '"' and '""' in word[1:-1] and '"' not in word[1:-1].replace('""', ""):
                cells[layout.word] = word[1:-1].replace('""', '"')
                builder.note("Words in quotes as in CSV, read without them: {}.", 1)
            flat.extend(pick(cells))
            if misc is not None and _END in cells[misc] and _END in cells[misc].split("|"):
                end_sentence()
        elif line.startswith("#"):
            end_sentence(add=True)
            builder.comments([line], [builder.sentence])
            key, equals, value = line[1:].partition("=")
            if equals and key.strip().rpartition(":")[2] == _DOCUMENT:
                builder.identify(value.strip(), f"{source.path}:{number}")
        elif line.strip():
            fact = f"{_columns(cells)}, but the first line has {layout.width}"
            remedy = f"Is a cell missing, or empty?{f' {FILL}' * short}"
            raise InputError(f"{source.path}:{number}: {fact}. {remedy}")
        else:
            end_sentence()
    end_sentence(add=True)


def split_like(gold: Corpus, system: Corpus) -> Corpus:
    """The system's words in the sentences and documents of gold, if there are as many of them.

    Those of gold that begin with # may be missing: readers take them for comments. Such a word is put in without any
    annotation, and a note says how many.
    """
    marked = np.array([form.startswith("#") for form in gold.forms.vocabulary], dtype=bool)[gold.forms.codes]
    missing = len(gold) - len(system)
    if missing and missing != int(marked.sum()):
        return system
    kept = ~marked if missing else np.ones(len(gold), dtype=bool)
    _, (gold_forms, system_forms) = one_vocabulary([gold.forms, system.forms])
    same = np.array_equal(gold_forms[kept], system_forms)
    if (missing and not same) or (system.by_id and system.document_ids != gold.document_ids):
        return system
    mark = system.empty or "_"
    columns = {}
    for name, column in system.columns.items():
        known = Vocabulary[str](zip(column.vocabulary, range(len(column.vocabulary)), strict=True))
        codes = np.full(len(gold), known[mark], dtype=np.int32)
        codes[kept] = column.codes
        columns[name] = Column(codes, tuple(known))
    # The line of each sentence is that of its first word that the system has.
    firsts = np.searchsorted(np.flatnonzero(kept), gold.starts[:-1])
    lines = system.lines_of(np.minimum(firsts, len(system) - 1))
    note = ("Words of gold that begin with # and are missing, put in without annotation: {}.", missing)
    return replace(
        system,
        forms=gold.forms if same else system.forms,
        columns=columns,
        starts=gold.starts,
        lines=lines,
        document_starts=gold.document_starts,
        document_ids=gold.document_ids,
        comments=gold.comments,
        by_id=gold.by_id,
        noted=(*system.noted, *([note] if missing else ())),
    )


# --- tags and identifiers in columns ---


def links_of_columns(
    corpus: Corpus, tags: str, links: Sequence[str], *, gold: bool, spans: Marks | None = None
) -> Corpus:
    """The corpus with the links of its mentions, which columns of identifiers give.

    If `spans` are given, these are the mentions: the words of one must not disagree, and no other word may have a
    link. Otherwise tags are read as HIPE does: I- without B- opens a mention, S- and E- are B- and I-, a word outside
    with a link is a mention, and if the link changes, a system's mention ends, while gold's keeps its first.
    """
    hipe = spans is None
    columns = [corpus.column(name) for name in links]
    cells, texts = _join_cells(columns)
    identifiers = [_identifiers(text, hipe) for text in texts]
    odd = [(code, name) for code, names in enumerate(identifiers) for name in names if re.search(r"\s", name)]
    if odd:
        word = int((cells == odd[0][0]).argmax())
        raise InputError(
            f"{corpus.place(word)}: the identifier {odd[0][1]!r} has a blank in it. Several are separated by |; "
            f"within "
            "one, write _ for a blank."
        )
    linked = np.array([bool(names) for names in identifiers], dtype=bool)[cells]
    if spans is None:
        first, end, label, vocabulary = _hipe_mentions(corpus, tags, cells, linked, gold=gold)
        holder = first
        sentence = corpus.sentence_of[first].astype(np.int64)
        start = corpus.starts[sentence]
        labels = Column(label, vocabulary)
        spans = Marks(sentence, first - start, end - start, labels, corpus.lines_of(first))
    else:
        first = corpus.starts[spans.unit] + spans.begin
        end = corpus.starts[spans.unit] + spans.end
        holder = _linked_words(corpus, first, end, cells, linked, texts)
    sizes = np.array([len(names) for names in identifiers], dtype=np.int64)
    known = Column.of(chain.from_iterable(identifiers))
    own = np.where(linked[holder], sizes[cells[holder]], 0)
    rows = numbers_of_runs((np.cumsum(sizes) - sizes)[cells[holder]], own)
    mention = np.repeat(np.arange(len(spans)), own)
    named = Column(known.codes[rows], known.vocabulary)
    candidates = make_candidates(spans.unit[mention], mention, named, capitals=hipe)
    return corpus.with_marks(spans=spans, links=spans, candidates=candidates)


def with_links(corpus: Corpus) -> Corpus:
    """The corpus with the links of its columns, if these have HIPE's names; otherwise unchanged."""
    tags, links = link_columns(tuple(corpus.columns))
    if not (tags and links) or "links" in corpus.marks:
        return corpus
    others = {name: one for name, one in corpus.columns.items() if name not in (tags, links, _MISC)}
    return replace(links_of_columns(corpus, tags, [links], gold=True), columns=others)


def _join_cells(columns: Sequence[Column]) -> tuple[Ints, tuple[str, ...]]:
    """One cell for several columns: those of the first, then those of the others that it does not have."""
    codes, texts = columns[0].codes.astype(np.int64), columns[0].vocabulary
    for column in columns[1:]:
        pairs, codes = np.unique(codes * len(column.vocabulary) + column.codes, return_inverse=True)
        rows = [divmod(pair, len(column.vocabulary)) for pair in pairs.tolist()]
        texts = tuple(f"{texts[first]}|{column.vocabulary[second]}" for first, second in rows)
    return codes.ravel(), texts


def _identifiers(cell: str, upper: bool) -> tuple[str, ...]:
    """The identifiers of a cell, best first; none if it says that there is no link."""
    names = (name.strip() for name in cell.split("|"))
    return tuple(dict.fromkeys(name.upper() if upper else name for name in names if name not in _NO_LINK))


def _hipe_mentions(
    corpus: Corpus, column: str, cells: Ints, linked: Bools, *, gold: bool
) -> tuple[Ints, Ints, Ints, tuple[str, ...]]:
    """The first word of each mention, the one after its last, and its type, in capitals."""
    tags = corpus.column(column)
    known: dict[str, int] = {"": 0}
    roles, types = np.zeros(len(tags.vocabulary), dtype=np.int64), np.zeros(len(tags.vocabulary), dtype=np.int32)
    used = np.bincount(tags.codes, minlength=len(tags.vocabulary))
    for code, tag in enumerate(tags.vocabulary):
        prefix, _, kind = tag.upper().partition("-")
        if tag in ("O", "o", corpus.empty) or not used[code]:
            continue
        if prefix not in ROLES or not kind:
            word = int((tags.codes == code).argmax())
            raise InputError(
                f"{corpus.place(word)}: tag {tag!r} in {column}, but a tag is O, or a prefix (B, I, E, S), a hyphen "
                "and a type. Is it another column? Give --column NAME"
            )
        roles[code], types[code] = ROLES[prefix], known.setdefault(kind, len(known))
    role, label = roles[tags.codes], types[tags.codes]
    inside = role > 0
    taken = inside | linked
    first = taken.copy()
    goes_on = inside[1:] & inside[:-1] & (label[1:] == label[:-1]) & (role[1:] != BEGIN) & (role[1:] != SINGLE)
    goes_on[corpus.first_words[1:] - 1] = False
    if not gold:
        goes_on &= cells[1:] == cells[:-1]
    first[1:] &= ~goes_on
    last = taken.copy()
    last[:-1] &= ~goes_on
    begin = np.flatnonzero(first)
    return begin, np.flatnonzero(last) + 1, label[begin], tuple(known)


def _linked_words(corpus: Corpus, first: Ints, end: Ints, cells: Ints, linked: Bools, texts: Sequence[str]) -> Ints:
    """The word of each mention that has its link, which others may repeat; the first word if none has one."""
    sizes = end - first
    words, mention = numbers_of_runs(first, sizes), np.repeat(np.arange(len(first)), sizes)
    words, mention = words[linked[words]], mention[linked[words]]
    outside = linked.copy()
    outside[words] = False
    if outside.any():
        word = int(outside.argmax())
        raise InputError(
            f"{corpus.place(word)}: the link {texts[int(cells[word])]!r} on a word that is in no mention. Tag it, or "
            "remove the link."
        )
    holder = first.copy()
    holder[mention[::-1]] = words[::-1]
    other = np.flatnonzero(cells[words] != cells[holder[mention]])
    if len(other):
        word, before = int(words[other[0]]), int(holder[mention[other[0]]])
        raise InputError(
            f"{corpus.place(word)}: the link {texts[int(cells[word])]!r} in a mention that has "
            f"{texts[int(cells[before])]!r} before. Give all words of a mention the same link, or the first alone."
        )
    return holder


# --- neleval and TAC: a mention per line ---


def looks_neleval(head: Sequence[str]) -> bool:
    """True if lines have document, first and last place, and triples of identifier, score and type."""
    candidates = False
    for row in (line.split("\t") for line in head if line.strip()):
        if len(row) < 3 or len(row) % 3 or not all(map(_OFFSET.fullmatch, row[1:3])):
            return False
        candidates |= len(row) >= 6
    return candidates


def read_neleval(source: Source, builder: Builder) -> None:
    """Read one file: places count from 0 or 1, the last one included; what has no candidates is NIL.

    A document has as many nameless atoms as its mentions reach.
    """
    lists = builder.collector(link_lists)
    before = builder.sentence
    documents: dict[str, list[int]] = {}
    """By name: the number of a document, its length and its first line."""
    for number, line in source.lines():
        if not line.strip():
            continue
        place = f"{source.path}:{number}"
        cells = line.split("\t")
        if len(cells) < 3 or len(cells) % 3:
            raise InputError(
                f"{place}: {_columns(cells)}, but a line is: document, first and last place, then identifier, "
                "score and type of each candidate, all separated by tabs."
            )
        if not (_OFFSET.fullmatch(cells[1]) and _OFFSET.fullmatch(cells[2])):
            fact = f"{cells[1]!r} and {cells[2]!r}, but numbers of the first and last place of a mention are expected"
            raise InputError(f"{place}: {fact}.")
        begin, end = int(cells[1]), int(cells[2]) + 1
        if end <= begin:
            fact = f"the mention ends at {cells[2]}, before it begins, at {cells[1]}"
            raise InputError(f"{place}: {fact}. Ends are included.")
        if end > _LONGEST:
            fact = f"the mention ends at {cells[2]}; places of a document go up to {_LONGEST:,}"
            raise InputError(f"{place}: {fact}.")
        # Sorting is stable: equal scores stay in the order of the file.
        candidates = sorted(_candidates(cells[3:], place), key=lambda row: (math.isnan(row[1]), -row[1]))
        document = documents.setdefault(cells[0], [len(documents), 0, number])
        document[1] = max(document[1], end)
        label = candidates[0][2] if candidates else ""
        span = lists.span(before + document[0], [(begin, end)], label, number)
        names, scores = [row[0] for row in candidates], [row[1] for row in candidates]
        lists.link(span, names or [NIL], [] if all(map(math.isnan, scores)) else scores)
    for name, (_, length, number) in documents.items():
        builder.identify(name, f"{source.path}:{number}")
        builder.add_codes([np.full(length, builder.cells[0][b""])], [builder.words + length], [number])


def _columns(cells: Sequence[str]) -> str:
    return "1 column" if len(cells) == 1 else f"{len(cells)} columns"


def _candidates(cells: Sequence[str], place: str) -> Iterator[tuple[str, float, str]]:
    """Identifier, score (nan without one) and type of each candidate."""
    scores: dict[str, tuple[str, str]] = {}
    for name, score, label in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
        if not name:
            raise InputError(f"{place}: a candidate without an identifier. What has none is called NIL.")
        if re.search(r"\s", name):
            raise InputError(f"{place}: the identifier {name!r} has a blank in it. Write _ for it.")
        try:
            value = float(score) if score else math.nan
        except ValueError:
            value = math.inf
        if math.isinf(value) or (math.isnan(value) and score):
            raise InputError(f"{place}: the score {score!r} of {name} is not a number. Leave it empty if there is "
            f"none.")
        if name not in scores:
            yield name, value, label
        if scores.setdefault(name, (score, label)) != (score, label):
            raise InputError(f"{place}: the candidate {name} appears twice with other scores or types. Keep one.")


# --- AIDA-YAGO2: a word per line, those of mentions with an identifier ---

_OPENS_DOCUMENT = "-DOCSTART-"
_AIDA = "A line is a word, or a word with B or I, the whole mention and its identifiers after it, separated by tabs."


def looks_aida(head: Sequence[str]) -> bool:
    """True if documents are named in round brackets and words in mentions have four cells or more."""
    first, *rest = [line.split("\t") for line in head if line.strip()] or [[""]]
    words = [row for row in rest if not row[0].startswith(_OPENS_DOCUMENT)]
    widths = all(len(row) == 1 or (len(row) > 3 and row[1] in ("B", "I")) for row in words)
    return first[0].startswith(f"{_OPENS_DOCUMENT} (") and len(first) == 1 and widths and {*map(len, words)} != {1}


def read_aida(source: Source, builder: Builder, *, link: int) -> None:
    """Read one file; `link` is the column of identifiers, counted from 1. A mention without one is NIL."""
    lists = builder.collector(link_lists)
    forms: list[str] = []
    first = 0
    mentions: list[tuple[int, int, str, int]] = []
    """Begin, end, identifier and line of each mention of the sentence."""

    def end_sentence() -> None:
        for begin, end, name, line in mentions:
            lists.link(lists.span(builder.sentence, [(begin, end)], "", line), [name])
        if forms:
            builder.add(forms, [builder.words + len(forms)], [first])
        forms.clear()
        mentions.clear()

    for number, line in source.lines():
        place, cells = f"{source.path}:{number}", line.split("\t")
        if line.startswith(_OPENS_DOCUMENT) or not line.strip():
            end_sentence()
            if line.strip():
                builder.identify(line.removeprefix(_OPENS_DOCUMENT).strip().strip("()"), place)
            continue
        if not cells[0].strip() or (len(cells) > 1 and (len(cells) < 4 or cells[1] not in ("B", "I"))):
            raise InputError(f"{place}: {line!r} in a file of AIDA. {_AIDA}")
        first = first if forms else number
        forms.append(cells[0])
        if len(cells) == 1:
            continue
        if cells[1] == "I" and mentions and mentions[-1][1] == len(forms) - 1:
            mentions[-1] = (mentions[-1][0], len(forms), *mentions[-1][2:])
        elif cells[1] == "I":
            raise InputError(f"{place}: I, but no mention goes on. Its first word has B.")
        else:
            name = normalise_nil(cells[3])
            if name != NIL and len(cells) < link:
                raise InputError(f"{place}: {len(cells)} columns, so there is no identifier in column {link}.")
            name = name if name == NIL else cells[link - 1]
            mentions.append((len(forms) - 1, len(forms), name, number))
    end_sentence()
