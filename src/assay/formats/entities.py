"""Mentions of entities in CoNLL-U: brackets in MISC, which may nest, have gaps, and cross the end of a sentence.

They become spans, or mentions in the chains of CorefUD and GUM; there an entity is a chain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from urllib.parse import unquote

import numpy as np

from assay.arrays import Ints, Stretches, as_codes, each_once
from assay.classes import dataclass
from assay.corpus import Column, Corpus, Marks
from assay.errors import InputError
from assay.formats.builder import (
    check_choice,
    document_id,
    merge_stretches,
    refuse_all,
    sort_mentions,
    with_crossings_noted,
)
from assay.formats.columns import refuse_anaphora
from assay.formats.emptynodes import find_highest, find_line_place, nodes_to_words, read_tree_heads
from assay.formats.relations import make_candidates
from assay.formats.whose import DROPPED
from assay.specs import whole_number

_KEY = "Entity"
ENTITY = f"MISC:{_KEY}"
"""The column of mentions, as users name it."""
_BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<close>\))?|(?<![^()])(?P<closed>[^()]++)\)")
_PART = re.compile(r"(.*)\[([0-9]{1,4})/([0-9]{1,4})\]")
_HEAD, _TYPE = "head", "etype"
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+\t")
_IDENTITIES = ("eid", "GRP")
"""Names of the field that identifies the entity of a mention; without them it is the first field."""
_EMPTY = "_"
"""The label of a mention with an empty field: the mark of CoNLL-U for empty cells."""
_NUMBERED_BY_DOCUMENT = "GRP"
"""The field of entities in GUM, which numbers them from 1 in each document."""
_REMEDY = "Is a bracket missing?"
LEAVE_OUT = "Score such mentions (--zeros score), or leave them out: --zeros drop"
ZEROS = ("score", "error", "drop")

_Bracket = tuple[str, int, int, tuple[str, ...], bool, bool]
"""Entity, part, number of parts, requested fields, and whether it opens and closes a mention."""
Fault = tuple[int, str]
"""A place, and the fault of the brackets there with its remedy."""


def read_entity_spans(corpus: Corpus, field: str = "etype") -> Corpus:
    """The corpus with the mentions of entities as its spans, labelled with a field of the brackets."""
    mentions = _find_mentions(corpus, [field])
    spans, _ = _make_spans(corpus, mentions, [mention.fields[0] or _EMPTY for mention in mentions])
    empty = sum(not mention.fields[0] for mention in mentions)
    notes = ((f"Mentions without {field}, labelled {_EMPTY}: {{}}.", empty),) if empty else ()
    return replace(corpus.with_marks(spans=spans), noted=(*corpus.noted, *notes))


def read_entity_links(corpus: Corpus, field: str) -> Corpus:
    """The corpus with the mentions of entities as spans, and with a link for each filled field."""
    typed = _TYPE in read_declared_fields(corpus)
    mentions = _find_mentions(corpus, [field, _TYPE] if typed else [field])
    for mention in mentions:
        if re.search(r"\s", name := mention.fields[0]):
            place = corpus.place(mention.place)
            raise InputError(f"{place}: the identifier {name!r} has a blank in it. Write _ for it.")
    spans, numbers = _make_spans(corpus, mentions, [mention.fields[-1] if typed else "" for mention in mentions])
    names = [mentions[number].fields[0] for number in numbers.tolist()]
    filled = [number for number, name in enumerate(names) if name not in ("", _EMPTY)]
    rows = np.array(filled, dtype=np.int64)
    candidates = make_candidates(spans.unit[rows], rows, Column.of(names[number] for number in filled))
    return corpus.with_marks(spans=spans, links=spans, candidates=candidates)


def _find_mentions(corpus: Corpus, fields: Sequence[str]) -> list[_Mention]:
    """The mentions of a corpus in the order of their brackets, with the values of these fields."""
    order = read_declared_fields(corpus)
    for field in set(fields).difference(order):
        raise InputError(f"{corpus.name}: there is no field {field!r} in {_KEY}. Available: {', '.join(order)}.")
    for sentence, line in zip(corpus.aside_sentences, corpus.aside_lines, strict=True):
        if _read_empty_node(line):
            raise InputError(
                f"{corpus.place_of_sentence(sentence)}: in this sentence a mention is on the empty node "
                f'{line.split(chr(9), 1)[0]}. Read it as a word: --input-format "conllu(empty_nodes=true)"'
            )
    words, values = _find_values(corpus, _KEY)
    documents = corpus.document_of_sentence[corpus.sentence_of[words]].tolist()
    faults: list[Fault] = []
    mentions = _read_mentions(zip(documents, words.tolist(), values, strict=True), order, fields, faults)
    if faults:
        raise InputError(f"{corpus.place(faults[0][0])}: {faults[0][1]}")
    return mentions


def _make_spans(corpus: Corpus, mentions: Sequence[_Mention], labels: Sequence[str]) -> tuple[Marks, Ints]:
    """Spans of the mentions with these labels, in text order, and the number of each among the mentions."""
    begins = np.array([mention.place for mention in mentions], dtype=np.int64)
    ends = np.array([mention.stretches[-1][1] for mention in mentions], dtype=np.int64)
    in_sentence = corpus.sentence_of[begins].astype(np.int64)
    firsts = corpus.starts[in_sentence]
    stretches = {
        number: _shift_stretches(mention.stretches, first)
        for number, (mention, first) in enumerate(zip(mentions, firsts.tolist(), strict=True))
        if mention.parts > 1
    }
    rows = (in_sentence, begins - firsts, ends - firsts, Column.of(labels), corpus.lines_of(begins))
    return Marks(*rows, stretches).in_order()


def _shift_stretches(stretches: Iterable[tuple[int, int]], first: int) -> Stretches:
    return tuple((begin - first, end - first) for begin, end in stretches)


def read_declared_fields(corpus: Corpus) -> tuple[str, ...]:
    """Names of the fields in their order, from the comment `# global.Entity = eid-etype-…`."""
    name = f"global.{_KEY}"
    comments = (line.removeprefix("#").partition("=") for _, line in corpus.comments)
    declarations = {value.strip() for key, _, value in comments if value and key.strip() == name}
    if not declarations:
        for _, line in corpus.comments:
            refuse_anaphora(corpus.name, line)
        raise InputError(
            f"{corpus.name}: no comment # {name}, so the fields of {_KEY} are not known. "
            f"Put it above the first sentence, e.g.: # {name} = eid-etype"
        )
    if len(declarations) > 1:
        ways = "; ".join(sorted(declarations))
        raise InputError(
            f"{corpus.name}: the fields of {_KEY} are declared in {len(declarations)} ways: {ways}. "
            "Score these files apart."
        )
    return tuple(declarations.pop().split("-"))


def _read_value(cell: str, key: str) -> str:
    """The value of a key in a cell; empty if the cell lacks it."""
    if key not in cell:
        return ""
    before = f"{key}="
    return "".join([pair.removeprefix(before) for pair in cell.split("|") if pair.startswith(before)])


def _read_empty_node(line: str) -> str | None:
    """The brackets in the line of an empty node; None for other lines."""
    return "".join(_read_value(cell, _KEY) for cell in line.split("\t")) if _EMPTY_NODE.match(line) else None


def _find_values(corpus: Corpus, key: str) -> tuple[Ints, list[str]]:
    """The words with a value of this key in MISC, and these values."""
    cells = corpus.column("MISC")
    values = [_read_value(cell, key) for cell in cells.vocabulary]
    words = np.flatnonzero(np.array([bool(value) for value in values], dtype=bool)[cells.codes])
    return words, [values[code] for code in cells.codes[words].tolist()]


# --- brackets ---


def _split_brackets(value: str, number_of_fields: int, identity: int, places: Sequence[int]) -> list[_Bracket] | None:
    """The brackets of a value from left to right; None if it has another form.

    `identity` is the number of the field that names the entity, `places` are those of the requested fields.
    """
    brackets: list[_Bracket] = []
    nothing, end = ("",) * len(places), 0
    while end < len(value):
        match = _BRACKET.match(value, end)
        if match is None:
            return None
        opened, close, closed = match.groups()
        cells = (opened or closed).split("-", number_of_fields - 1)
        # A closing bracket may have nothing but the entity.
        entity = cells[identity] if identity < len(cells) else cells[0]
        number, parts = 1, 1
        if entity.endswith("]") and (part := _PART.fullmatch(entity)):
            entity, number, parts = part[1], int(part[2]), int(part[3])
        if not entity or not 1 <= number <= parts:
            return None
        fields = nothing
        if opened:
            fields = tuple([unquote(cells[place]) if place < len(cells) else "" for place in places])
        brackets.append((entity, number, parts, fields, bool(opened), bool(close or closed)))
        end = match.end()
    return brackets


@dataclass
class _Mention:
    """A mention while its brackets are read; places are words or nodes, counted over all documents."""

    document: int
    entity: str
    fields: tuple[str, ...]
    """The requested fields."""
    name: str
    """Its entity, with the number of the part, as in its first bracket."""
    parts: int
    place: int
    """The place of its first word or node."""
    single: bool
    """True if one bracket opens and closes it."""
    begun: int = 1
    """The number of its parts that have begun."""
    stretches: Stretches = ()
    """Its complete parts."""
    later: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """Places of the beginnings of its further parts, and the fields there."""


def _read_mentions(
    rows: Iterable[tuple[int, int, str]], order: Sequence[str], fields: Sequence[str], faults: list[Fault]
) -> list[_Mention]:
    """The mentions of brackets, from rows of document, place and value in text order.

    Faults are added to `faults`; a mention ends with its document.
    """
    identity = next((order.index(name) for name in _IDENTITIES if name in order), 0)
    places = [order.index(field) for field in fields]
    split: dict[str, list[_Bracket] | None] = {}
    mentions: list[_Mention] = []
    for document, cells in groupby(rows, key=itemgetter(0)):
        here: list[_Mention] = []
        # The open mentions of each entity or part with the places of their brackets, the latest last.
        still_open: dict[str, list[tuple[_Mention, int]]] = {}
        with_gaps: dict[str, list[_Mention]] = {}
        for _, place, value in cells:
            if value not in split:
                split[value] = _split_brackets(value, len(order), identity, places)
            brackets = split[value]
            if brackets is None:
                faults.append((place, f"{value!r} is not of the form (e1-person(e2-place)e3). Correct the brackets."))
            for entity, part, parts, given, opens, closes in brackets or ():
                name = entity if parts == 1 else f"{entity}[{part}/{parts}]"
                mention: _Mention | None = None
                if opens and closes and parts == 1:
                    here.append(_Mention(document, entity, given, name, 1, place, True, 1, ((place, place + 1),)))
                    continue
                if opens and part == 1:
                    mention = _Mention(document, entity, given, name, parts, place, False)
                    here.append(mention)
                    if parts > 1:
                        with_gaps.setdefault(entity, []).append(mention)
                elif opens:
                    # The latest mention that lacks this part.
                    begun = reversed(with_gaps.get(entity, []))
                    wanted = (parts, part - 1)
                    mention = next((earlier for earlier in begun if (earlier.parts, earlier.begun) == wanted), None)
                    if mention is None:
                        faults.append((place, f"{name} begins without the part before it. {_REMEDY}"))
                    else:
                        if len(mention.stretches) < mention.begun or mention.stretches[-1][1] > place:
                            faults.append((place, f"{name} begins before the part before it has ended. {_REMEDY}"))
                        mention.begun += 1
                        mention.later += ((place, given),)
                if mention is not None:
                    still_open.setdefault(name, []).append((mention, place))
                if closes and still_open.get(name):
                    closed, begin = still_open[name].pop()
                    closed.stretches += ((begin, place + 1),)
                elif closes and not opens:
                    fact = f"the mention {name} is closed here but was not opened in its document"
                    faults.append((place, f"{fact}. {_REMEDY}"))
        left = [(place, mention.name) for stack in still_open.values() for mention, place in stack]
        for place, name in sorted(left):
            faults.append((place, f"the mention {name} is opened here and not closed in its document. {_REMEDY}"))
        for mention in here:
            if mention.begun < mention.parts:
                missing = f"part {mention.begun + 1} of {mention.parts} does not follow"
                fact = f"the mention {mention.name} begins here, but its {missing}"
                faults.append((mention.place, f"{fact}. {_REMEDY}"))
        mentions += here
    return mentions


# --- chains ---


def read_corefud_chains(corpus: Corpus, *, zeros: str = "score", repair: str = "") -> Corpus:
    """The corpus with its mentions in chains, which end with their document.

    Empty nodes of mentions become words. With `zeros="drop"` mentions lose their empty nodes, and mentions
    without words are left out and counted; `zeros="error"` stops with an error. With a repair, mentions that lack a
    bracket are dropped.
    """
    check_choice("zeros", zeros, ZEROS)
    order = read_declared_fields(corpus)
    fields = [name for name in (_HEAD, _TYPE) if name in order]
    # Nodes are words and empty nodes in text order; both may have brackets.
    lines = enumerate(corpus.aside_lines)
    empty = {aside: value for aside, line in lines if (value := _read_empty_node(line)) is not None}
    asides = np.array(list(empty), dtype=np.int64)
    kinds = np.ones(len(corpus) + len(asides), dtype=bool)
    kinds[corpus.aside_words[asides] + np.arange(len(asides))] = False
    # The empty nodes, each with its number among the lines that are not words.
    zero_nodes = dict(zip(np.flatnonzero(~kinds).tolist(), asides.tolist(), strict=True))
    mentioned = {node: aside for node, aside in zero_nodes.items() if empty[aside]}
    words, values = _find_values(corpus, _KEY)
    of_empty = np.array(corpus.aside_sentences, dtype=np.int64)[list(mentioned.values())]
    of_empty = np.minimum(of_empty, corpus.sentences - 1)
    documents = corpus.document_of_sentence[np.concatenate([corpus.sentence_of[words], of_empty])].tolist()
    nodes = [*np.flatnonzero(kinds)[words].tolist(), *mentioned]
    values += [empty[aside] for aside in mentioned.values()]
    faults: list[Fault] = []
    for node, aside in mentioned.items() if zeros == "error" else ():
        name = corpus.aside_lines[aside].split("\t", 1)[0]
        faults.append((node, f"a mention is on the empty node {name}. {LEAVE_OUT}"))
    rows = sorted(zip(documents, nodes, values, strict=True))
    every = _read_mentions(rows, order, fields or order[:1], faults)
    words_before = np.append(0, np.cumsum(kinds))

    def place(node: int) -> str:
        """`file:line` of a node."""
        return corpus.place(int(words_before[node])) if kinds[node] else find_line_place(corpus, zero_nodes[node])

    if _HEAD in fields:
        for mention in every:
            for node, (head, *_) in mention.later:
                if head and head != mention.fields[0]:
                    first = f"{mention.fields[0] or 'none'} in that of {place(mention.place)}"
                    fact = f"the head of {mention.entity} is {head} in this part, {first}"
                    faults.append((node, f"{fact}. Give all parts the same."))
    broken = sorted(fault for fault in faults if repair and fault[1].endswith(_REMEDY))
    if broken:
        faults = [fault for fault in faults if fault not in broken]
        every = [mention for mention in every if len(mention.stretches) == mention.parts]
        repaired = ("brackets without their other half", DROPPED, len(broken), place(broken[0][0]))
        corpus = replace(corpus, repairs=(*corpus.repairs, repaired))
    ids, problems = _read_document_ids(corpus)
    refuse_all([f"{place(node)}: {text}" for node, text in sorted(faults)] + problems)

    # The stretches of all mentions, one after the other, and the mention of each.
    sizes = np.array([len(mention.stretches) for mention in every], dtype=np.int64)
    owner = np.repeat(np.arange(len(every)), sizes)
    stretches = np.array([part for mention in every for part in mention.stretches], dtype=np.int64).reshape(-1, 2)
    heads = _find_heads(every, sizes, stretches, _HEAD in fields)
    # Empty nodes within mentions become words.
    kept = kinds
    if zeros == "score" and zero_nodes:
        opened, closed = (np.bincount(side, minlength=len(kinds) + 1) for side in stretches.T)
        kept = kinds | (np.cumsum(opened - closed)[:-1] > 0)
        corpus = nodes_to_words(corpus, asides[kept[~kinds]])
    before = np.append(0, np.cumsum(kept))
    in_words = before[stretches]
    there = in_words[:, 0] < in_words[:, 1]
    in_words, owner_there = in_words[there], owner[there]
    chosen = each_once(owner_there)
    cut = np.intersect1d(owner[~(kept[stretches[:, 0]] & kept[stretches[:, 1] - 1])], chosen)
    of_first, after = (np.searchsorted(owner_there, chosen, side=side) for side in ("left", "right"))
    begins, ends = in_words[of_first, 0], in_words[after - 1, 1]
    gaps: dict[int, Stretches] = {}
    for number in np.flatnonzero(after > of_first + 1).tolist():
        pieces = merge_stretches([(begin, end) for begin, end in in_words[of_first[number] : after[number]].tolist()])
        gaps |= {number: pieces} if len(pieces) > 1 else {}
    heads = heads[chosen]
    head_words = np.where(heads < 0, -1, before[heads])
    lost = np.flatnonzero((heads >= 0) & ~kept[heads]).tolist()
    above = read_tree_heads(corpus) if lost else heads
    for number in lost:
        pieces = gaps.get(number, ((int(begins[number]), int(ends[number])),))
        head_words[number] = find_highest(above, [word for begin, end in pieces for word in range(begin, end)])
    mentions = [every[number] for number in chosen.tolist()]
    numbers: dict[tuple[int, str], int] = {}
    # As in CoNLL-2012, chains are in the order in which they appear, at one word those of one-word mentions first.
    for mention in sorted(mentions, key=lambda mention: (mention.place, not mention.single)):
        numbers.setdefault((mention.document, mention.entity), len(numbers))
    document = np.array([mention.document for mention in mentions], dtype=np.int64)
    chains = np.array([numbers[mention.document, mention.entity] for mention in mentions], dtype=np.int64)
    firsts = corpus.first_words[document]
    counts = {
        "Mentions of empty nodes alone that were left out: {}.": len(every) - len(mentions),
        "Mentions that begin or end on an empty node, taken without it: {}.": len(cut),
        "Mentions whose head was an empty node, headed by the first word that depends on none of the others: {}.": (
            len(lost)
        ),
        "Mentions without a head, headed by their first word: {}.": (_HEAD in fields) * int((heads < 0).sum()),
        "Entities in several documents, each cut into a chain per document: {}.": (_NUMBERED_BY_DOCUMENT not in order)
        * sum(number > 1 for number in Counter(entity for _, entity in numbers).values()),
        "Words with Bridge, which was not read: {}.": len(_find_values(corpus, "Bridge")[0]),
        "Words with SplitAnte, which was not read: {}.": len(_find_values(corpus, "SplitAnte")[0]),
    }
    # The empty type comes first, so that a file that has types but no mentions has types.
    codes = {"": 0}
    types = as_codes([mention.fields[-1] for mention in mentions], codes) if _TYPE in fields else None
    marks = sort_mentions(
        np.column_stack([document, begins - firsts, ends - firsts, chains, corpus.lines_of(begins)]),
        [name for _, name in numbers],
        {number: _shift_stretches(pieces, int(firsts[number])) for number, pieces in gaps.items()},
        np.where(head_words < 0, -1, head_words - firsts),
        None if types is None else Column(types, tuple(codes)),
    )
    result = replace(
        corpus.with_marks(mentions=marks),
        document_ids=tuple(ids) or corpus.document_ids,
        by_id=bool(ids),
        noted=(*corpus.noted, *((text, number) for text, number in counts.items() if number)),
    )
    return with_crossings_noted(result)


def _find_heads(mentions: Sequence[_Mention], sizes: Ints, stretches: Ints, given: bool) -> Ints:
    """The head of each mention: the node with the number in its field (from 1), its only node, or -1.

    `sizes` are the numbers of stretches of the mentions. If a field has several numbers (`1,2`), the first counts.
    """
    ends = np.cumsum(stretches[:, 1] - stretches[:, 0])
    last = ends[np.cumsum(sizes) - 1]
    first = np.append(0, last)[:-1]
    texts = {text: text.partition(",")[0] for text in {mention.fields[0] for mention in mentions}} if given else {}
    numbers = {text: whole_number(number) for text, number in texts.items()}
    head = np.array([numbers[mention.fields[0]] if given else 0 for mention in mentions], dtype=np.int64)
    head = np.where(last - first == 1, 1, head)
    fit = (head > 0) & (head <= last - first)
    place = np.where(fit, first + head - 1, first)
    stretch = np.searchsorted(ends, place, side="right")
    return np.where(fit, stretches[stretch, 1] - (ends[stretch] - place), -1)


def _read_document_ids(corpus: Corpus) -> tuple[list[str], list[str]]:
    """The ids of the documents if all have one, and a problem for each id that is repeated."""
    newdocs = (comment for comment in corpus.comments if comment[1].startswith(("# newdoc", "#newdoc")))
    given = {sentence: line.partition("=")[2].strip() for sentence, line in newdocs}
    firsts = [0] if corpus.document_starts is None else corpus.document_starts[:-1].tolist()
    names = [given.get(first, "") for first in firsts]
    ids = [document_id(name, number) for number, name in enumerate(names, 1)] if all(names) else []
    problems, seen = [], dict[str, str]()
    for name, first in zip(ids, corpus.first_words.tolist(), strict=False):
        here = corpus.place(first)
        if name in seen:
            problems.append(f"{here}: the id {name!r} is already used in {seen[name]}. Give each its own id.")
        seen.setdefault(name, here)
    return ids, problems
