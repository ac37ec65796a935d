"""Labelled spans: from what the user names to pairs that can be judged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import Ints
from assay.corpus import Column, Corpus, Marks
from assay.engine.answers import answer_remarks, flag_outside, ground_systems, place_claims
from assay.engine.items import Items
from assay.engine.lexicon import KNOWN, Lexicon
from assay.engine.mapping import Rule, idle_rules, map_labels, read_rules
from assay.engine.measure import find
from assay.engine.offsets import check_offsets
from assay.engine.options import TRAIN, Options
from assay.engine.phrases import constituent_spans, with_words_of
from assay.engine.prepare import Run, check_blanks, note_on_reading, notes_on_columns, notes_on_reading
from assay.engine.spanpairs import have_same_spans, identify, line_of, spans_of, surface_forms
from assay.engine.warnings import (
    Remark,
    check_system,
    identical_outputs,
    nothing_in_gold,
    nothing_in_system,
    number_of_things,
    remark,
)
from assay.engine.weighting import LISTED
from assay.errors import InputError, UsageError, unknown
from assay.formats import Input, read_labels, refuse_several, schemes
from assay.formats.answers import SAID, Answers, Mentions, add_mentions
from assay.formats.entities import ENTITY, read_entity_spans
from assay.formats.links import split_like
from assay.formats.source import Source
from assay.result import Mapped
from assay.result.numbers import plural
from assay.tasks.recognition import has_named_columns, mostly_tags
from assay.tasks.spans.measures import fair

_NUMBER = re.compile(r"[0-9]{1,9}")


def prepare_spans(run: Run) -> None:
    """Read, map, mark and align labelled spans."""
    options, names = run.options, run.names
    # The first shard decides for all.
    columns = options.decided.columns if options.decided is not None else ()
    columns = columns or tuple(
        _column_of(item, options.column_of(name)) for item, name in zip(run.inputs, names, strict=True)
    )
    _read_files(run, columns)
    rules = read_rules(options.map, names[1:])
    # Gold's labels, mapped, if there are answers that are read by them; in shards those of all.
    raw, inventory = run.corpora, tuple[str, ...]()
    given = filter(None, (corpus.layer(Answers) for corpus in raw))
    if any(not answers.parameters["labels"] for answers in given):
        golds = (_map_labels(rules, run.gold, ("gold",))[0] if rules else run.gold).spans.labels.counts()
        inventory = tuple(sorted({*golds, *(options.decided.inventory if options.decided else ())}))
    run.decide(column=columns[0], columns=columns, inventory=inventory)
    run.corpora = ground_systems(raw, names, rules, inventory, options.asked_of)
    run.order_documents()
    run.drop_unsure("spans", "span has", "spans have")
    differ = len(set(columns)) > 1 and not all(map(options.column_of, names))
    (run.warnings if differ else run.notes).extend(notes_on_columns(run, columns))
    run.corpora[1:] = [with_words_of(corpus, run.gold) for corpus in run.corpora[1:]]
    sizes = [len(corpus.spans) for corpus in run.corpora]
    run.map_labels(_map_labels)
    for name, corpus, size in zip(names, run.corpora, sizes, strict=True) if rules else ():
        text = "left out, because the mapping turns the label into O or nothing."
        number = size - len(corpus.spans)
        run.warnings.append(number_of_things(name=name, one="span is", many="spans are", text=text, number=number))
    run.corpora = [flag_outside(corpus, given, inventory) for corpus, given in zip(run.corpora, raw, strict=True)]
    names_labels = run.count_labels(lambda corpus: corpus.spans.labels)
    if "O" in (*options.labels, *options.ignore_labels):
        raise UsageError("O is not a label of spans: it marks words outside of them. Leave it out of --labels.")
    others = {}
    for number, (name, corpus) in enumerate(zip(names, run.corpora, strict=True)):
        spans, mentions = corpus.spans, corpus.layer(Mentions)
        rows = np.flatnonzero(spans.labels.isin(filter(options.keeps, spans.labels.vocabulary)))
        others[name] = len(spans) - len(rows)
        if mentions is not None:
            counted = [*filter(options.keeps, mentions.marks.labels.vocabulary)]
            run.corpora[number] = add_mentions(corpus, mentions.where(mentions.marks.labels.isin(counted)))
        elif others[name]:
            run.corpora[number] = corpus.with_marks(spans=spans.where(rows))
    run.mark_known(lambda path: _known_names(path, run), _mark_spans)
    run.corpora[0], claims = place_claims(run.gold, run.systems)
    run.align()
    listed = _read_gold_errors(options.gold_errors, run.gold) if options.gold_errors else None
    run.put_on_line(claims, listed)
    for name, corpus in run.systems:
        run.warnings += answer_remarks(name, corpus, run.gold)
    run.warnings += _check(run)
    run.warnings += () if all(columns) else check_offsets(run.pairs, options, "spans")
    run.warnings += idle_rules(run.mappings)
    if any(own is not None for own in claims) and not any(one.name == "answers" for one in run.measures):
        run.measures = [*run.measures, find("answers")]
    run.notes += _notes(run, listed)
    if names_labels:
        run.notes.append(other_labels(numbers=others))
    run.items = len(spans_of(run.pairs[0][1])[0])
    # Mentions may cross sentences, so that their units are documents.
    run.unit = options.unit or ("document" if columns[0] == ENTITY else "")


# --- reading ---


def _column_of(item: Input | Corpus, asked: str | None) -> str:
    """The column (or columns, as layers) that a file's spans are in; nothing if it has spans itself."""
    if isinstance(item, Corpus):
        if "spans" in item.marks or (item.trees is not None and not asked):
            return ""
        if not asked and len(item.columns) > 1:
            raise UsageError(f"{item.name}: tags may be in {', '.join(item.columns)}. Choose one with column=.")
        return asked or next(iter(item.columns), "")
    if "spans" in item.plan.layers or ("constituents" in item.plan.layers and not asked):
        return ""
    if asked:
        return asked
    if has_named_columns(item):
        raise UsageError(
            f"{item.path}: name the column of the spans: --column {ENTITY} for brackets, --column MISC:NER (or "
            "another key or column) for tags such as B-PER."
        )
    if not item.plan.labels:
        raise InputError(f"{item.path}: no column but the words, so there are no spans to compare.")
    refuse_several(item.plan)
    tagged = [name for name in item.plan.labels if mostly_tags(item.plan.values(name))]
    if len(tagged) > 1:
        raise InputError(
            f"{item.path}: columns {', '.join(tagged)} may all contain tags of spans. Choose one: --column "
            f"{tagged[-1]}; if they are layers: --column {'+'.join(tagged)}"
        )
    return tagged[0] if tagged else item.plan.labels[-1]


def _read_files(run: Run, columns: Sequence[str]) -> None:
    """Read the files with their spans, and warn of what the user should know about how they were read."""
    options, names = run.options, run.names
    declared = _declared(options.scheme, names)
    decided = options.decided.schemes if options.decided is not None else ()
    corpora: list[Corpus] = []
    used: list[str] = []
    for number, (item, column, name) in enumerate(zip(run.inputs, columns, names, strict=True)):
        scheme = (decided[number] if decided else "") or declared.get(name, declared.get(""))
        # The others have gold's scheme, unless the user names another or their tags show it.
        golds, gold = (used[0], corpora[0]) if number else ("", None)
        corpus, found = _read(item, column, scheme, golds, options.asked_of(name).repair, options, gold)
        corpora.append(corpus)
        used.append(found)
        run.warnings += check_blanks(name, item, corpus, column, options)
        run.warnings += notes_on_reading(name, corpus, run.options.symmetric)
        for task, layer in (("relations", "relations"), ("links", "candidates")):
            marks = corpus.marks.get(layer)
            if marks is not None and len(marks):
                # A link may have several candidates.
                size = len(np.unique(marks.arguments["mention"])) if task == "links" else len(marks)
                text = f"{task.capitalize()}, which are compared with --task {task}, not here: {{}}."
                run.warnings.append(note_on_reading(name=name, text=text, number=size, first=[]))
        run.warnings.append(read_as(name=name, scheme=found, golds=used[0]))
    run.take(corpora)
    run.decide(schemes=tuple(used))


def _declared(given: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The schemes that the user declares: for all (under no name), for gold, for systems."""
    declared: dict[str, str] = {}
    for spec in given:
        name, _, scheme = spec.rpartition("=")
        if name not in ("", *names):
            raise unknown("system", name, names)
        declared[name] = schemes.find_scheme(scheme).name
    return declared


def _read(
    item: Input | Corpus,
    column: str,
    scheme: str | None,
    golds: str,
    repair: str,
    options: Options,
    gold: Corpus | None = None,
) -> tuple[Corpus, str]:
    """A file with its spans, and the scheme by which they were read; `gold` was read before, unless this is gold."""
    if not column:
        corpus = item if isinstance(item, Corpus) else item.read(())
        return corpus if "spans" in corpus.marks else constituent_spans(corpus), ""
    if column == ENTITY:
        return read_entity_spans(item if isinstance(item, Corpus) else item.read(["MISC"])), ""
    corpus = read_labels(item, column.split("+"))
    if options.blank_tag:
        corpus = replace(corpus, empty=options.blank_tag)
    if gold is not None and gold.tags_by_document and corpus.tags_by_document:
        corpus = split_like(gold, corpus)
    chosen = scheme or schemes.guess_scheme(corpus, column.split("+"), golds)
    corpus, _ = schemes.spans_from_tags(corpus, column.split("+"), chosen, repair or None)
    if gold is not None and gold.tags_by_document:
        # Labels that differ from gold's in case alone are gold's: HIPE does not compare case.
        known, labels = gold.spans.labels.counts(), corpus.spans.labels
        folded = {label.casefold(): label for label in known}
        other = {label: folded.get(label.casefold(), label) for label in labels.counts() if label not in known}
        number = sum(size for label, size in labels.counts().items() if other.get(label, label) != label)
        if number:
            note = ("Spans whose label differs from gold's only in case, read with gold's label: {}.", number)
            spans = replace(corpus.spans, labels=labels.mapped(other))
            corpus = replace(corpus.with_marks(spans=spans), noted=(*corpus.noted, note))
    return corpus, chosen


@remark
def read_as(name: str, scheme: str, golds: str) -> Iterator[str]:
    """The scheme by which tags were read as spans, if it is not gold's."""
    if scheme != golds and scheme and golds:
        ours, theirs = schemes.SCHEMES[scheme].title, schemes.SCHEMES[golds].title
        yield f"{name} is read as {ours}, gold as {theirs}."


# --- labels and known spans ---


@remark
def other_labels(numbers: Mapping[str, int]) -> Iterator[str]:
    """Spans that do not count for their labels."""
    listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    yield (
        f"Spans with other labels were left out on both sides before matching ({listed}). A span that counts is "
        f"missing or spurious, not wrongly labelled, if the other side has one of them there."
    )


def _map_labels(rules: Sequence[Rule], corpus: Corpus, sides: Sequence[str]) -> tuple[Corpus, list[Mapped]]:
    """The corpus with other labels on its spans, without those that become O or nothing, and what each rule did."""
    spans, mentions = corpus.spans, corpus.layer(Mentions)
    marks = spans if mentions is None else mentions.marks
    texts = Column.of(surface_forms(corpus)) if mentions is None else marks.columns[SAID]
    labels, report = map_labels(rules, marks.labels, texts, sides, corpus.name)
    kept = ~labels.isin(("O", "")) | (labels.codes == marks.labels.codes)
    mapped = replace(marks, labels=labels)
    if mentions is not None:
        return add_mentions(corpus, replace(mentions, marks=mapped).where(kept)), report
    return corpus.with_marks(spans=mapped.where(kept).in_order()[0]), report


def _known_names(path: str, run: Run) -> Lexicon:
    """The texts of spans: from a plain list, one per line, or of training data, read as gold is."""
    options = run.options
    key: Callable[[str], str] = str.casefold if options.oov_fold_case else str
    listed = Lexicon.read_list(path, fold=options.oov_fold_case, is_list=_is_list_of_names, blanks=True)
    if listed is not None:
        return listed
    column, repair = options.column_of("gold"), options.asked_of("gold").repair
    wanted = [column] if column else []
    item = Input(path, input_format=options.format_of("gold"), wanted=wanted, asked=options.asked_of(TRAIN))
    scheme = _declared(options.scheme, run.names).get("gold")
    corpus = _read(item, _column_of(item, column), scheme, "", repair, options)[0]
    if rules := read_rules(options.map):
        corpus = _map_labels(rules, corpus, ("gold",))[0]
    forms = [key(form) for form in surface_forms(corpus)]
    labelled = frozenset(zip(forms, corpus.spans.labels.strings(), strict=True))
    return Lexicon(path, dict(Counter(forms)), labelled, options.oov_fold_case)


def _is_list_of_names(head: Sequence[str]) -> bool:
    """Lines without tabs or other marks of a format."""
    widths = {len(line.split()) for line in head}
    # In a table all lines have as many columns, and the last is a tag.
    table = len(widths) == 1 and widths != {1} and schemes.looks_like_tags(line.split()[-1] for line in head)
    return not table and not any("\t" in line or line.lstrip()[:1] in "{[<" for line in head)


def _mark_spans(lexicon: Lexicon, corpus: Corpus, name: str) -> Corpus:
    """The corpus with a column `name` of its spans: seen, unseen, or seen with other labels only."""
    spans = corpus.spans
    seen = _known(lexicon, surface_forms(corpus), spans.labels.strings())
    marked = corpus.with_marks(spans=replace(spans, columns={**spans.columns, name: Column(seen, KNOWN)}))
    mentions = corpus.layer(Mentions)
    if mentions is None:
        return marked
    marks = mentions.marks
    known = Column(_known(lexicon, marks.columns[SAID].strings(), marks.labels.strings()), KNOWN)
    return marked.with_layer(replace(mentions, marks=replace(marks, columns={**marks.columns, name: known})))


def _known(lexicon: Lexicon, texts: Sequence[str], labels: Sequence[str]) -> Ints:
    """For each text with its label a code: unseen, seen, or seen with other labels only."""
    forms = [" ".join(text.casefold().split() if lexicon.fold else text.split()) for text in texts]
    seen = np.array([form in lexicon.frequency for form in forms], dtype=np.int32)
    if lexicon.labels is not None:
        pairs = zip(forms, labels, strict=True)
        seen[np.array([pair not in lexicon.labels for pair in pairs], dtype=bool) & (seen > 0)] = 2
    return seen


def _read_gold_errors(path: str, gold: Corpus) -> Marks:
    """The spans listed, tab-separated: sentence (id or number), label, first and last atom.

    Words are counted from 1, the last one included; characters of texts from 0, the last one not included, as in the
    formats that have them. A span that gold has is wrong there; one that it does not have should be there.
    """
    sentences = {str(number): number - 1 for number in range(1, gold.sentences + 1)}
    sentences |= {name: number for number, name in enumerate(gold.sentence_ids)}
    if gold.documents == gold.sentences:
        sentences |= {gold.document_name(number): number for number in range(gold.documents)}
    rows, labels = [], []
    for batch in Source(path).batches():
        for number, line in batch.lines():
            if line.strip():
                place = f"{path}:{number}"
                cells = line.split("\t")
                if len(cells) != 4 or not all(map(_NUMBER.fullmatch, cells[2:])) or not cells[1]:
                    raise InputError(f"{place}: {line!r}, but a line is: sentence TAB label TAB first TAB last")
                if cells[0] not in sentences:
                    raise InputError(f"{place}: no sentence {cells[0]!r} in {gold.name}.")
                sentence = sentences[cells[0]]
                begin, end = int(cells[2]) - (gold.texts is None), int(cells[3])
                text = gold.texts[sentence] if gold.texts is not None else None
                length = int(np.diff(gold.starts)[sentence]) if text is None else len(text)
                if not 0 <= begin < end or (end > length and gold.has_words):
                    raise InputError(f"{place}: these places are not within the sentence, which has {length} words.")
                rows.append((sentence, begin, end, number))
                labels.append(cells[1])
    if not rows:
        raise InputError(f"{path}: contains no errors. A line is: sentence TAB label TAB first TAB last")
    columns = np.array(rows, dtype=np.int64).T
    return Marks(columns[0], columns[1], columns[2], Column.of(labels), columns[3]).in_order()[0]


# --- what looks wrong ---


def _unread(corpus: Corpus) -> str:
    """What a file contains that is not read, in brackets."""
    unread = "; ".join(f"{what}, not read: {number:,}" for what, number in corpus.unread.items())
    return f" ({unread})" if unread else ""


def _check(run: Run) -> Iterator[Remark]:
    """Remarks on sides without spans, on repeated spans, and on systems that look wrong."""
    options, first = run.options, run.pairs[0][1]
    yield nothing_in_gold(
        gold=first.gold.name,
        nouns="spans",
        symmetric="symmetric" if options.symmetric else "",
        labels=(" with labels that count" if options.labels or options.ignore_labels else "") + _unread(first.gold),
        number=len(spans_of(first)[0]),
        theirs=sum(len(spans_of(pair)[1]) for _, pair in run.pairs),
    )
    yield _duplicates("gold", first.gold)
    for name, pair in run.pairs:
        yield nothing_in_system(name=name, nouns="spans", number=len(spans_of(pair)[1]))
        yield _duplicates(name, pair.system)
        if not (options.symmetric or options.figures_alone):
            judged = fair(pair)
            assert isinstance(judged, Items)
            yield from check_system(name, pair, judged, "span")
    yield identical_outputs(run.pairs, have_same_spans)


def _duplicates(name: str, corpus: Corpus) -> Remark:
    spans = corpus.spans
    rows = np.stack([spans.unit, spans.begin, spans.end, spans.labels.codes])
    same = (rows[:, 1:] == rows[:, :-1]).all(axis=0)
    for index in np.flatnonzero(same).tolist():
        same[index] = spans.stretches.get(index) == spans.stretches.get(index + 1)
    place = [corpus.place_of_span(int(np.flatnonzero(same)[0]) + 1)] if same.any() else []
    return repeated_spans(name=name, number=int(same.sum()), first=place)


@remark
def repeated_spans(name: str, number: int, first: Sequence[str]) -> Iterator[str]:
    """Spans that appear twice."""
    if number:
        yield f"{name}: {plural(number, 'span appears', 'spans appear')} twice (first: {first[0]})."


def _notes(run: Run, listed: Marks | None) -> Iterator[Remark]:
    first = run.pairs[0][1]
    gold, line = spans_of(first)[0], line_of(first)
    gaps = {"gold": len(gold.stretches)}
    gaps |= {name: len(spans_of(pair)[1].stretches) for name, pair in run.pairs}
    differs = "differs" if line.atoms == "characters" and first.gold.texts is None else ""
    yield compared_as(atoms=line.atoms, tokenisation=differs, gaps=gaps)
    if listed is not None:
        inside = {identify(line, gold, row) for row in np.flatnonzero(gold.columns[LISTED].codes).tolist()}
        yield errors_of_gold(number=len(listed), inside=len(inside))


@remark
def compared_as(atoms: str, tokenisation: str, gaps: Mapping[str, int]) -> Iterator[str]:
    """The atoms that spans are sets of, if there are gaps or other tokens."""
    if any(gaps.values()):
        numbers = ", ".join(f"{name} {number:,}" for name, number in gaps.items() if number)
        yield (
            f"Spans with gaps ({numbers}): spans are compared as sets of {atoms}; a boundary error shares at "
            "least one of them."
        )
    if tokenisation:
        yield "Tokenisation differs, so spans are compared as sets of characters (without white space)."


@remark
def errors_of_gold(number: int, inside: int) -> Iterator[str]:
    """The list of errors of gold itself."""
    yield f"Errors of gold listed: {number:,}; {inside:,} of them are spans that gold has."
