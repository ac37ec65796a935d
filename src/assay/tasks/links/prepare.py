"""Links: from what the user names to pairs that can be judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from assay.align import Pair
from assay.arrays import NONE
from assay.corpus import Column, Corpus, Marks, move_layers
from assay.engine.answers import refuse_answers
from assay.engine.items import Items
from assay.engine.offsets import check_offsets
from assay.engine.options import TRAIN, Options
from assay.engine.prepare import Run, check_blanks, documents_shared, notes_on_reading
from assay.engine.spanpairs import have_same_spans, surface_forms
from assay.engine.warnings import Remark, check_files, identical_outputs, nothing_in_gold, nothing_in_system, remark
from assay.errors import InputError, UsageError
from assay.formats import Input, read_labels, schemes
from assay.formats.entities import ENTITY, read_declared_fields, read_entity_links
from assay.formats.links import is_link_column, link_columns, links_of_columns, normalise_nil, split_like
from assay.formats.relations import CAPITALS, NIL, links_in
from assay.formats.source import Source
from assay.result.numbers import plural
from assay.tasks.links.measures import fair_links
from assay.tasks.links.mentions import TYPE, is_linked, is_nil, links_of, pair_links

_AIDA = "aida"
_FORMATS = "hipe, aida, neleval, brat (N lines), jsonl (link), conllu (MISC)"
_FIELDS = ("wiki", "wikidata", "identity")
"""Names of the field of Entity brackets that contains identifiers, as corpora call it."""
_KEYS = ("Wikidata", "NEL")
"""Keys of MISC that contain identifiers …"""
_TAGS = "MISC:NER"
"""… and the key that contains the tags of mentions."""
NOTHING = "∅"
"""What NIL is drawn as."""
SEEN = ("unseen", "surface and identifier seen", "surface seen", "identifier seen")
AMBIGUOUS = "ambiguous"
IDENTIFIERS = ("surface without identifier", "one identifier", "several identifiers")
_SHOWN = 3
"""The most identifiers of a mention that are drawn."""


def prepare_links(run: Run) -> None:
    """Read, normalise and align mentions with their identifiers."""
    options = run.options
    if options.id_url and not re.fullmatch(r"https?://\S*\{\}\S*", options.id_url):
        raise UsageError(f"--id-url {options.id_url}: an address begins with http and has {{}} for the identifier.")
    _check_places(run.inputs, options)
    read: list[Corpus] = []
    for name, item in zip(run.names, run.inputs, strict=True):
        corpus, remarks = _read(item, name, read[0] if read else None, options)
        read.append(corpus)
        run.warnings += remarks
    run.take(read)
    run.decide(column=options.link_column)
    if not any(corpus.has_words for corpus in read):
        gold_ids = set(read[0].document_ids)
        for corpus in read[1:]:
            shared = len(gold_ids.intersection(corpus.document_ids))
            run.warnings.append(documents_shared(gold=read[0].name, system=corpus.name, number=shared))
        run.corpora = _same_documents(read)
    run.order_documents()
    corpora = run.corpora
    if len({corpus.has_words for corpus in corpora}) > 1:
        bare, full = (next(corpus for corpus in corpora if corpus.has_words == there) for there in (False, True))
        raise InputError(
            f"{bare.name}: has places without words or text, but {full.name} has words. Give both in the same format."
        )
    run.drop_unsure("candidates", "candidate has", "candidates have")
    capitals = any(CAPITALS in links_in(corpus)[1].columns for corpus in corpora)

    def written(name: str) -> str:
        """An identifier with the letters that are compared."""
        return name.upper() if capitals else name

    def short(name: str) -> str:
        """An identifier without the prefix; NIL for all that name something without one."""
        return normalise_nil(written(name).removeprefix(written(options.id_prefix)) or written(name))

    same = _read_equal_identifiers(options.same_ids) if options.same_ids else {}
    same = {written(name): written(other) for name, other in same.items()}
    known = {name for corpus in corpora for name in links_in(corpus)[1].labels.vocabulary}
    with_prefix = sum(written(name).startswith(written(options.id_prefix)) for name in known)
    known_same = sum(short(name) in same for name in known)
    path = options.same_ids or ""
    run.warnings.append(idle_names(prefix=options.id_prefix, path=path, with_prefix=with_prefix, same=known_same))

    def compared(name: str) -> str:
        """An identifier as it is compared."""
        return same.get(short(name), short(name))

    for number, (name, corpus) in enumerate(zip(run.names, corpora, strict=True)):
        run.warnings += notes_on_reading(name, corpus, run.options.symmetric)
        corpora[number], repeated = _normalise(corpus, compared)
        run.warnings.append(read_links(name=name, repeated=repeated))
    if options.train is not None:
        item = Input(options.train, input_format=options.format_of("gold"), asked=options.asked_of(TRAIN))
        train, _ = _normalise(_read(item, TRAIN, None, options)[0], compared)
        pairs_seen = {(form, name) for form, names in _pairs(train) for name in names}
        forms, identifiers = {form for form, _ in pairs_seen}, {name for _, name in pairs_seen}

        def seen(form: str, names: tuple[str, ...]) -> int:
            """What of surface and identifier was seen in training data."""
            if any((form, name) in pairs_seen for name in names):
                return 1
            return 2 if form in forms else 0 if identifiers.isdisjoint(names) else 3

        corpora = _mark(corpora, "train", SEEN, seen)
    if AMBIGUOUS in options.slices:
        of_form: dict[str, set[str]] = {}
        for form, own in _pairs(corpora[0] if options.train is None else train):
            of_form.setdefault(form, set()).update(own[:1])
        corpora = _mark(corpora, AMBIGUOUS, IDENTIFIERS, lambda form, _: min(len(of_form.get(form, ())), 2))
    run.corpora = corpora
    run.align()
    run.put_on_line()
    run.pairs = [(name, pair_links(replace(pair, symmetric=options.symmetric))) for name, pair in run.pairs]
    run.warnings += _check(run.pairs, options)
    first = links_of(run.pairs[0][1])[0]
    for name, side in (("gold", first), *((name, links_of(pair)[1]) for name, pair in run.pairs)):
        linked, nil = int(is_linked(side).sum()), int(is_nil(side).sum())
        run.notes.append(number_of_links(name=name, marked=len(side), linked=linked, nil=nil))
    run.items = int(is_linked(first).sum())
    run.unit = options.unit or "document"


# --- reading ---


def _check_places(inputs: Sequence[Input | Corpus], options: Options) -> None:
    """Refuse options for the column or field of links if no file has columns that they may be about."""
    if any(item.columns if isinstance(item, Corpus) else item.plan.labels for item in inputs):
        return
    formats = {item.format if isinstance(item, Corpus) else item.plan.name for item in inputs}
    for option, value in (("column", options.link_column), ("field", options.link_field)):
        if value and not (option == "column" and formats == {_AIDA}):
            said = " and ".join(sorted(formats))
            raise UsageError(f"--link-{option} {value}: files in {said} have one place for links. Leave it out.")


def _read(item: Input | Corpus, name: str, gold: Corpus | None, options: Options) -> tuple[Corpus, Sequence[Remark]]:
    """A file with its links, and remarks on its tags; `gold` has been read before, unless this is gold."""
    path, labels = (item.name, tuple(item.columns)) if isinstance(item, Corpus) else (item.path, item.plan.labels)
    if options.link_column and isinstance(item, Input) and item.plan.name == _AIDA:
        item.choose_format(f"{_AIDA}(link={options.link_column})")
    if not labels or (isinstance(item, Corpus) and "links" in item.marks):
        corpus = item if isinstance(item, Corpus) else item.read(())
        refuse_answers(corpus)
        # A system may have linked nothing.
        if "links" not in corpus.marks and (gold is None or "spans" not in corpus.marks):
            raise InputError(f"{path}: contains no links ({corpus.format}). Formats that have them: {_FORMATS}.")
        mentions, candidates = links_in(corpus)
        return corpus.with_marks(spans=mentions, links=mentions, candidates=candidates), ()
    wanted = [part for part in options.link_column.split(",") if part]
    asked = options.column_of("gold" if name == TRAIN else name)
    if options.link_field or asked == ENTITY:
        if wanted:
            raise UsageError("--link-column and --link-field are two places for links. Leave one out.")
        corpus = item if isinstance(item, Corpus) else item.read(["MISC"])
        fields = read_declared_fields(corpus)
        field = options.link_field or next((field for field in _FIELDS if field in fields), "")
        if not field:
            known = ", ".join(fields)
            raise UsageError(
                f"{corpus.name}: name the field of Entity that contains identifiers: --link-field, one of {known}."
            )
        return read_entity_links(corpus, field), ()
    tags, found = link_columns(labels)
    if not wanted and not found:
        # The usual key of MISC that the first lines have.
        if isinstance(item, Corpus):
            values = list(item.columns["MISC"].vocabulary) if "MISC" in item.columns else []
        else:
            values = item.plan.values("MISC") if "MISC" in item.plan.labels else []
        keys = (key for key in _KEYS if any(re.search(rf"(?:^|\|){key}=", value) for value in values))
        found = next((f"MISC:{key}" for key in keys), "")
        if not found:
            raise UsageError(
                f"{path}: name the column of the identifiers: --link-column NAME (MISC:KEY for a key of MISC), or "
                f"--link-field wiki for brackets of entities. Formats that do not need it: {_FORMATS}."
            )
    wanted = wanted or [found]
    hipe = all(map(is_link_column, wanted))
    tags = asked or (tags if hipe else _TAGS)
    corpus = read_labels(item, [tags, *wanted])
    if options.blank_tag:
        corpus = replace(corpus, empty=options.blank_tag)
    remarks = list(check_blanks(name, item, corpus, tags, options))
    if not hipe:
        declared = [spec for spec in options.scheme if "=" not in spec]
        chosen = schemes.find_scheme(declared[0]).name if declared else schemes.guess_scheme(corpus, [tags])
        corpus, _ = schemes.spans_from_tags(corpus, [tags], chosen, options.asked_of(name).repair or None)
        return links_of_columns(corpus, tags, wanted, gold=True, spans=corpus.spans), remarks
    if gold is not None:
        corpus = split_like(gold, corpus)
    return links_of_columns(corpus, tags, wanted, gold=gold is None or options.symmetric), remarks


def _same_documents(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Corpora of places in documents, all with all documents, gold's first: a file lacks those without mentions."""
    ids = list(dict.fromkeys(chain.from_iterable(corpus.document_ids for corpus in corpora)))
    number = {name: place for place, name in enumerate(ids)}
    lengths = np.ones(len(ids), dtype=np.int64)
    for corpus in corpora:
        places = [number[name] for name in corpus.document_ids]
        np.maximum.at(lengths, places, np.diff(corpus.starts))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    found = []
    for corpus in corpora:
        place = np.array([number[name] for name in corpus.document_ids], dtype=np.int64)
        assert corpus.lines is not None
        lines = np.zeros(len(ids), dtype=np.int64)
        lines[place] = corpus.lines
        moved = replace(
            corpus,
            forms=Column(np.zeros(int(starts[-1]), dtype=np.int32), ("",)),
            starts=starts,
            lines=lines,
            document_starts=np.arange(len(ids) + 1),
            document_ids=tuple(ids),
        )
        layers = move_layers(corpus.marks, place)
        found.append(replace(moved, marks={**layers, "spans": layers["links"]}))
    return found


def _read_equal_identifiers(path: str) -> dict[str, str]:
    """From each identifier of a table of equal ones to the first of these in the file, which is used for all."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while (upper := above.setdefault(name, name)) != name:
            above[name] = above[upper]
            name = upper
        return name

    for batch in Source(path).batches():
        for number, line in batch.lines():
            if not line.strip():
                continue
            cells = line.split()
            if len(cells) != 2:
                raise InputError(
                    f"{path}:{number}: {line.strip()!r}, but a line is two identifiers, separated by a tab or a "
                    f"space."
                )
            if NIL in map(normalise_nil, cells):
                raise InputError(f"{path}:{number}: NIL is equal to no identifier. Remove the line.")
            first, second = map(top, cells)
            above[second] = first
    if not above:
        raise InputError(f"{path}: contains no identifiers. A line is two equal identifiers.")
    return {name: top(name) for name in list(above)}


@remark
def idle_names(prefix: str, path: str, with_prefix: int, same: int) -> Iterator[str]:
    """A prefix that no identifier has, a table of equal identifiers of which none occurs."""
    if prefix and not with_prefix:
        yield f"--id-prefix {prefix}: no identifier begins with it. Is it the right knowledge base?"
    if path and not same:
        yield (
            f"--same-ids {path}: none of its identifiers occurs, so it changes nothing. Is it the right knowledge "
            f"base?"
        )


def _normalise(corpus: Corpus, compared: Callable[[str], str]) -> tuple[Corpus, int]:
    """The corpus with identifiers as they are compared, mentions drawn with them, each once; and the number of
    mentions that were there twice."""
    mentions, candidates = links_in(corpus)
    names = {name: compared(name) for name in candidates.labels.vocabulary}
    candidates = replace(candidates, labels=candidates.labels.mapped(names))
    # Few lists of identifiers are unlike all others: each is looked at once.
    types, lists = mentions.labels.strings(), _lists(mentions, candidates)
    shown = []
    for kind, own in zip(types, lists, strict=True):
        drawn = [NOTHING if name == NIL else name for name in own[:_SHOWN]] + ["…"] * (len(own) > _SHOWN)
        shown.append(" ".join(part for part in (kind, "|".join(drawn)) if part) or "mention")
    labels = Column.of(f"{drawn}\0{'|'.join(own)}" for drawn, own in zip(shown, lists, strict=True))
    _, order = replace(mentions, labels=labels).in_order()
    rows = np.stack([mentions.unit, mentions.begin, mentions.end, labels.codes])[:, order]
    again = np.zeros(len(order), dtype=bool)
    again[1:] = (rows[:, 1:] == rows[:, :-1]).all(axis=0)
    gaps = mentions.stretches
    for place in np.flatnonzero(again).tolist() if gaps else ():
        again[place] = gaps.get(int(order[place])) == gaps.get(int(order[place - 1]))
    order = order[~again]
    taken = replace(
        mentions.where(order),
        labels=Column.of(shown[row] for row in order.tolist()),
        columns={TYPE: Column.of(types[row] for row in order.tolist())},
    )
    place_of = np.full(len(mentions), NONE)
    place_of[order] = np.arange(len(order))
    listed = candidates.refer_to(place_of)
    nothing = np.zeros(0, dtype=np.int64)
    listed = replace(listed, labels=Column.of(listed.labels.strings()), lines=nothing)
    return corpus.with_marks(spans=taken, links=taken, candidates=listed), int(again.sum())


def _lists(mentions: Marks, candidates: Marks) -> list[tuple[str, ...]]:
    """The identifiers of each mention."""
    names = candidates.labels.strings()
    starts = np.searchsorted(candidates.arguments["mention"], np.arange(len(mentions) + 1)).tolist()
    return [tuple(names[first:end]) for first, end in pairwise(starts)]


# --- surfaces ---


def _pairs(corpus: Corpus) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The surface of each mention and its identifiers."""
    return zip(surface_forms(corpus), _lists(*links_in(corpus)), strict=True)


def _mark(
    corpora: Sequence[Corpus], name: str, values: tuple[str, ...], code: Callable[[str, tuple[str, ...]], int]
) -> list[Corpus]:
    """The corpora with a column of their mentions: the code of a value for the surface and identifiers of each."""
    marked = []
    for corpus in corpora:
        column = Column(np.array([code(*both) for both in _pairs(corpus)], dtype=np.int32), values)
        marked.append(corpus.with_marks(spans=replace(corpus.spans, columns={**corpus.spans.columns, name: column})))
    return marked


# --- what looks wrong, and what is to be known ---


@remark
def read_links(name: str, repeated: int) -> Iterator[str]:
    """The things left out of a file."""
    if repeated:
        what = plural(repeated, "mention appears", "mentions appear")
        yield f"{name}: {what} twice, with the same place, type and identifiers; each counts once."


@remark
def number_of_links(name: str, marked: int, linked: int, nil: int) -> Iterator[str]:
    """The number of mentions of a file, and of those that are linked."""
    yield f"{name}: {linked:,} of {marked:,} mentions have a link, {nil:,} of them NIL."


def _check(pairs: Sequence[tuple[str, Pair]], options: Options) -> Iterator[Remark]:
    first = links_of(pairs[0][1])[0]
    theirs = sum(int(is_linked(links_of(pair)[1]).sum()) for _, pair in pairs)
    yield nothing_in_gold(
        gold=pairs[0][1].gold.name,
        nouns="links",
        symmetric="symmetric" if options.symmetric else "",
        labels="",
        number=int(is_linked(first).sum()),
        theirs=theirs,
    )
    yield from check_offsets(pairs, options, "mentions")
    for name, pair in pairs:
        ours, others = (side.labels for side in pair.marks["candidates"])
        yield nothing_in_system(name=name, nouns="links", number=int(is_linked(links_of(pair)[1]).sum()))
        yield other_names(
            name=name,
            symmetric="symmetric" if options.symmetric else "",
            shared=len(np.intersect1d(ours.codes, others.codes)),
            ours=ours.strings(0, 1),
            theirs=others.strings(0, 1),
        )
        if not options.symmetric:
            judged = fair_links(pair)
            assert isinstance(judged, Items)
            yield from check_files(name, pair, judged, "link")
    yield identical_outputs(pairs, have_same_spans)


@remark
def other_names(name: str, symmetric: str, shared: int, ours: Sequence[str], theirs: Sequence[str]) -> Iterator[str]:
    """A system that has no identifier of gold's."""
    if not shared and ours and theirs:
        yield (
            f"{name} has none of gold's identifiers (gold: {ours[0]}, {name}: {theirs[0]}). Do they belong to "
            f"another knowledge base, or should a prefix be removed (--id-prefix)?"
        )
