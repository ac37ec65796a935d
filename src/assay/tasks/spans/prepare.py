"""Labelled spans: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from assay.align import Pair
from assay.arrays import chosen_stretches
from assay.corpus import Column, Corpus, Spans
from assay.engine import checks, mapping
from assay.engine.judgements import Judgements
from assay.engine.lines import needs_characters, with_spans
from assay.engine.measure import Measure
from assay.engine.options import Decided, Options
from assay.engine.prepare import (
    Run,
    aligned,
    check_folders,
    columns_read,
    idle_rules,
    kept_labels,
    left_out,
    notes_on_reading,
    rules_of,
    source_of,
    without,
)
from assay.engine.spanpairs import spans_of, surface_forms
from assay.engine.warnings import Remark, remark
from assay.errors import AlignmentError, InputError, UsageError, unknown
from assay.formats import Input, read_labels, schemes
from assay.formats.entities import ENTITY, entity_spans
from assay.result import Mapped
from assay.tasks.constituents.brackets import constituent_spans, with_words_of
from assay.tasks.spans.golderrors import read_gold_errors
from assay.tasks.spans.measures import fair
from assay.tasks.spans.names import known_names, mark_spans

_NO_SPAN = ("O", "")
"""What a mapping file calls no span."""


def shows_spans(gold: Input | Corpus, options: Options) -> bool:
    """Whether what is compared are spans, as far as the first lines show."""
    if isinstance(gold, Corpus):
        if gold.spans is not None:
            # Where there are columns too, spans are what is compared only if there are any.
            return len(gold.spans) > 0 or not gold.columns
        return len(gold.columns) == 1 and schemes.looks_like_tags(next(iter(gold.columns.values())).counts())
    if gold.plan.spans or options.column == ENTITY:
        return True
    names = [options.column] if options.column else [] if _is_conllu(gold) else gold.plan.labels[-1:]
    columns = [gold.plan.values(part) for name in names for part in name.split("+")]
    # Where the first lines have nothing but O, what follows are tags of spans as well.
    return any(_mostly_tags(values) for values in columns)


def _mostly_tags(values: Sequence[str]) -> bool:
    """Whether a column holds tags of spans; one that is misspelt is for the reader to refuse."""
    others = [value for value in values if value != "O"]
    good = sum(schemes.looks_like_tags([value]) for value in others)
    return bool(values) and 2 * good >= len(others)


def _is_conllu(item: Input) -> bool:
    """Whether columns have a meaning of their own, so that the last one is not the one to look at."""
    return item.plan.format in ("conllu", "conllx")


def prepare_spans(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, map, mark and align labelled spans."""
    # The first shard tells for all.
    decided = options.decided.columns if options.decided is not None else ()
    sources = [_Source(item, column) for item, column in zip(inputs, decided, strict=False)]
    sources = sources or [_Source.of(item, options) for item in inputs]
    files = _read(sources, named, options)
    check_folders([file.corpus for file in files])
    corpora = [file.corpus for file in files]
    corpora = [corpora[0], *(_in_golds_order(corpora[0], corpus) for corpus in corpora[1:])]
    corpora = [corpora[0], *(with_words_of(corpus, corpora[0]) for corpus in corpora[1:])]
    corpora, mapped, gone = _mapped(corpora, named, options)
    kept = kept_labels([corpus.spans.labels for corpus in corpora if corpus.spans is not None], options)
    whole = [_number(corpus) for corpus in corpora]
    corpora = [_without_others(corpus, options) for corpus in corpora]
    others = {
        name: number - _number(corpus) for name, number, corpus in zip(["gold", *named], whole, corpora, strict=True)
    }
    corpora = _marked(corpora, named, options)
    gold, outputs = corpora[0], dict(zip(named, corpora[1:], strict=True))
    for output in outputs.values():
        _check_reach(gold, output)
    pairs, warnings = aligned(gold, outputs, [True] * len(outputs), "", options)
    skipped = np.any([pair.skipped for _, pair in pairs], axis=0)
    nothing = f"no sentence is shared by {gold.name} and all systems."
    pieces = "sentences" if gold.texts is None else "documents"
    told = f"left out, since the texts differ: {{number}} of {{sentences}} {pieces}."
    warnings += left_out(skipped, nothing, told, options)
    pairs = [(name, without(pair, skipped)) for name, pair in pairs]
    # One kind of atom for all systems: similarity counts atoms, and all are to be judged alike.
    needed = any(needs_characters(pair) for _, pair in pairs)
    characters = needed or (options.decided is not None and options.decided.characters)
    listed = read_gold_errors(options.gold_errors, gold) if options.gold_errors else None
    pairs = [(name, with_spans(pair, characters=characters, gold_errors=listed)) for name, pair in pairs]
    columns = list(columns_read(inputs, ["gold", *named], [source.column for source in sources], options))
    differ = len({source.column for source in sources}) > 1
    warnings = [
        *kept,
        *_said(files, ["gold", *named], options.repair),
        *(columns if differ else ()),
        *gone,
        *warnings,
        *_checked(pairs, options),
        *idle_rules(mapped),
    ]
    # Mentions may cross sentences, so that their units are documents, as where files hold nothing smaller.
    whole_documents = gold.texts is not None or gold.by_id or sources[0].column == ENTITY
    return Run(
        gold=gold,
        column=sources[0].column,
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in pairs),
        skipped=skipped,
        warnings=tuple(warnings),
        mappings=mapped,
        task="spans",
        atoms=spans_of(pairs[0][1]).atoms,
        items=len(spans_of(pairs[0][1]).gold),
        unit=options.unit or ("document" if whole_documents else "sentence"),
        scheme=files[0].scheme,
        notes=(
            *(() if differ else columns),
            *_notes(pairs, listed),
            *([other_labels(numbers=others)] if kept else ()),
        ),
        decided=Decided(
            column=sources[0].column,
            formats=tuple(file.corpus.format for file in files),
            schemes=tuple(file.scheme for file in files),
            columns=tuple(source.column for source in sources),
            characters=needed,
        ),
    )


# --- reading ---


@dataclass(frozen=True)
class _Source:
    """A file and the column (or columns, as layers) that its spans are in; nothing where it holds spans itself."""

    item: Input | Corpus
    column: str

    @classmethod
    def of(cls, item: Input | Corpus, options: Options) -> _Source:
        if isinstance(item, Corpus):
            if item.spans is not None or (item.trees is not None and not options.column):
                return cls(item, "")
            if not options.column and len(item.columns) > 1:
                raise UsageError(f"{item.name}: tags may be in {', '.join(item.columns)}. Choose one with column=.")
            return cls(item, options.column or next(iter(item.columns), ""))
        if item.plan.spans or (item.plan.trees and not options.column):
            return cls(item, "")
        if options.column:
            return cls(item, options.column)
        if _is_conllu(item):
            raise UsageError(
                f"{item.path}: say where the spans are: --column {ENTITY} for brackets, --column MISC:NER (or "
                "another key or column) for tags such as B-PER."
            )
        if not item.plan.labels:
            raise InputError(f"{item.path}: no column but the words, so there are no spans to compare.")
        tagged = [name for name in item.plan.labels if _mostly_tags(item.plan.values(name))]
        if len(tagged) > 1:
            raise InputError(
                f"{item.path}: columns {', '.join(tagged)} all may hold tags of spans. Say which: --column "
                f"{tagged[-1]}, or that they are layers: --column {'+'.join(tagged)}"
            )
        return cls(item, tagged[0] if tagged else item.plan.labels[-1])

    @property
    def columns(self) -> list[str]:
        return self.column.split("+") if self.column else []


@dataclass(frozen=True)
class _File:
    """What was read, and how."""

    corpus: Corpus
    scheme: str = ""
    reading: schemes.Reading | None = None


def _read(sources: Sequence[_Source], named: Sequence[str], options: Options) -> list[_File]:
    """Gold first: its scheme holds for the others, unless they are said or seen to have another."""
    declared = _declared(options.scheme, named)
    files: list[_File] = []
    for source, name in zip(sources, ["gold", *named], strict=True):
        scheme = declared.get(name, declared.get(""))
        if options.decided is not None and options.decided.schemes:
            scheme = options.decided.schemes[len(files)] or scheme
        files.append(_read_one(source, scheme, files[0].scheme if files else "", options))
    return files


def _declared(given: Sequence[str], named: Sequence[str]) -> dict[str, str]:
    """The schemes that the user declares: for all (under no name), for gold, for systems."""
    declared: dict[str, str] = {}
    for spec in given:
        name, _, scheme = spec.rpartition("=")
        if name not in ("", "gold", *named):
            raise unknown("system", name, ("gold", *named))
        declared[name] = schemes.find(scheme).name
    return declared


def _read_one(source: _Source, scheme: str | None, golds: str, options: Options) -> _File:
    item = source.item
    if not source.columns:
        corpus = item if isinstance(item, Corpus) else item.read(())
        return _File(constituent_spans(corpus) if corpus.spans is None else corpus)
    if source.column == ENTITY:
        return _File(_entities(item))
    corpus = read_labels(item, source.columns)
    chosen = scheme or schemes.likely(corpus, source.columns, golds)
    corpus, reading = schemes.spans_of(corpus, source.columns, chosen, options.repair)
    return _File(corpus, chosen, reading)


def _entities(item: Input | Corpus) -> Corpus:
    return entity_spans(item if isinstance(item, Corpus) else item.read(["MISC"]))


def _said(files: Sequence[_File], names: Sequence[str], repair: str | None) -> Iterator[Remark]:
    """What the user should know about how the files were read."""
    golds = files[0].scheme
    for file, name in zip(files, names, strict=True):
        yield from notes_on_reading(name, file.corpus)
        yield read_as(
            name=name,
            scheme=file.scheme,
            golds=golds,
            repair=repair or "",
            invalid=0 if file.reading is None else file.reading.invalid,
            repaired=0 if file.reading is None else file.reading.repaired,
        )


@remark
def read_as(name: str, scheme: str, golds: str, repair: str, invalid: int, repaired: int) -> Iterator[str]:
    """How tags were read as spans, where that is worth knowing."""
    if invalid:
        title = schemes.SCHEMES[scheme].title
        broken = f"1 tag breaks {title}" if invalid == 1 else f"{invalid:,} tags break {title}"
        yield f"{name}: {broken}; repaired by {repair}, which changed the reading of {repaired:,}."
    if scheme != golds and scheme and golds:
        ours, theirs = schemes.SCHEMES[scheme].title, schemes.SCHEMES[golds].title
        yield f"{name} is read as {ours}, gold as {theirs}."


def _in_golds_order(gold: Corpus, system: Corpus) -> Corpus:
    """The system's documents in the order of gold's, where documents have ids."""
    if not (gold.by_id and system.by_id) or gold.document_ids == system.document_ids:
        return system
    theirs = {name: number for number, name in enumerate(system.document_ids)}
    for missing, where, other in (
        ([name for name in gold.document_ids if name not in theirs], system, gold),
        ([name for name in theirs if name not in set(gold.document_ids)], gold, system),
    ):
        if missing:
            listed = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
            raise AlignmentError(f"{where.name}: lacks the documents {listed}, which {other.name} has.")
    return system.reordered([theirs[name] for name in gold.document_ids])


def _check_reach(gold: Corpus, system: Corpus) -> None:
    """Spans given without words must fit into the sentences of the side that has words."""
    if gold.has_words == system.has_words or gold.sentences != system.sentences:
        return
    bare, full = (system, gold) if gold.has_words else (gold, system)
    assert bare.spans is not None
    lengths = np.diff(full.starts)[bare.spans.sentence]
    beyond = np.flatnonzero(bare.spans.end > lengths)
    if len(beyond):
        span = int(beyond[0])
        raise AlignmentError(
            f"{bare.place_of_span(span)}: the span ends at word {int(bare.spans.end[span])} of a sentence of "
            f"{int(lengths[span])} words in {full.name}. Are these the same sentences?"
        )


# --- labels and known spans ---


def _mapped(
    corpora: list[Corpus], names: Sequence[str], options: Options
) -> tuple[list[Corpus], tuple[Mapped, ...], list[Remark]]:
    """The corpora with their labels mapped, what each rule did, and how many spans are none any more."""
    rules = rules_of(options, names)
    if not rules:
        return corpora, (), []
    done, rows, gone = [], [], []
    for name, corpus in zip(["gold", *names], corpora, strict=True):
        sides = ("gold",) if name == "gold" else ("system", name)
        mapped, report = _by_rules(rules, corpus, sides)
        done.append(mapped)
        rows += [replace(row, file=name) for row in report]
        gone.append(mapped_away(name=name, number=_number(corpus) - _number(mapped)))
    return done, tuple(rows), gone


def _number(corpus: Corpus) -> int:
    return 0 if corpus.spans is None else len(corpus.spans)


def _without_others(corpus: Corpus, options: Options) -> Corpus:
    """The corpus without the spans whose labels do not count."""
    if "O" in (*options.labels, *options.ignore_labels):
        raise UsageError("O is no label of spans: it marks words outside of them. Leave it out of --labels.")
    spans = corpus.spans
    assert spans is not None
    rows = np.flatnonzero(spans.labels.isin(label for label in spans.labels.vocabulary if options.keeps(label)))
    if len(rows) == len(spans):
        return corpus
    columns = (spans.sentence, spans.begin, spans.end, spans.labels.codes, spans.lines)
    sentence, begin, end, codes, lines = (column[rows] for column in columns)
    labels, stretches = Column(codes, spans.labels.vocabulary), chosen_stretches(spans.stretches, rows)
    return replace(corpus, spans=Spans(sentence, begin, end, labels, lines, stretches))


@remark
def other_labels(numbers: Mapping[str, int]) -> Iterator[str]:
    """How many spans do not count for their labels."""
    listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    yield (
        f"Spans with other labels were left out on both sides before matching ({listed}): where one of them stands "
        "against a span that counts, that is missing or spurious, not wrongly labelled."
    )


def _by_rules(rules: Sequence[mapping.Rule], corpus: Corpus, sides: Sequence[str]) -> tuple[Corpus, list[Mapped]]:
    """The corpus with other labels on its spans, without those that become O or nothing, and what each rule did."""
    spans = corpus.spans
    assert spans is not None
    forms = Column.of(surface_forms(corpus))
    labels, report = mapping.relabelled(rules, spans.labels, forms, sides, corpus.name)
    outside = np.array([label in _NO_SPAN for label in labels.vocabulary], dtype=bool)[labels.codes]
    kept = np.flatnonzero(~(outside & (labels.codes != spans.labels.codes)))
    place = {int(old): new for new, old in enumerate(kept)} if spans.stretches else {}
    # Under their new labels they may stand in another order.
    left = Spans.sorted(
        spans.sentence[kept],
        spans.begin[kept],
        spans.end[kept],
        Column(labels.codes[kept], labels.vocabulary),
        spans.lines[kept],
        {place[span]: shape for span, shape in spans.stretches.items() if span in place},
    )
    return replace(corpus, spans=left), report


@remark
def mapped_away(name: str, number: int) -> Iterator[str]:
    """Spans that a mapping file makes none."""
    if number:
        what = "1 span is" if number == 1 else f"{number:,} spans are"
        yield f"{name}: {what} left out: the mapping makes O or nothing of the label."


def _marked(corpora: list[Corpus], names: Sequence[str], options: Options) -> list[Corpus]:
    """Each span's text as seen or unseen among the spans of the training data, or in a list of names."""
    for name, path in (("train", options.train), ("lexicon", options.lexicon)):
        if path is None:
            continue
        training = partial(_training, path, names, options)
        lexicon = known_names(path, training, fold=options.oov_fold_case)
        corpora = [mark_spans(lexicon, corpus, name) for corpus in corpora]
    return corpora


def _training(path: str, names: Sequence[str], options: Options) -> Corpus:
    """Training data read as gold is."""
    wanted = [options.column] if options.column else []
    source = _Source.of(Input(path, input_format=options.input_format, wanted=wanted), options)
    corpus = _read_one(source, _declared(options.scheme, names).get("gold"), "", options).corpus
    rules = rules_of(options, names)
    return _by_rules(rules, corpus, ("gold",))[0] if rules else corpus


# --- what looks wrong ---


def _checked(pairs: Sequence[tuple[str, Pair]], options: Options) -> Iterator[Remark]:
    gold, symmetric = spans_of(pairs[0][1]).gold, options.symmetric
    yield gold_spans(
        gold=gold.corpus.name,
        symmetric="symmetric" if symmetric else "",
        labels=" with labels that count" if options.labels or options.ignore_labels else "",
        number=len(gold),
        theirs=sum(len(spans_of(pair).system) for _, pair in pairs),
    )
    yield _duplicates("gold", gold.corpus)
    for name, pair in pairs:
        yield system_spans(name=name, number=len(spans_of(pair).system))
        yield _duplicates(name, pair.system)
        if not symmetric:
            yield from checks.warnings(name, pair, _fair(pair), "span")
    yield checks.identical_spans([(name, spans_of(pair)) for name, pair in pairs])


@remark
def gold_spans(gold: str, symmetric: str, labels: str, number: int, theirs: int) -> Iterator[str]:
    """Gold without spans."""
    if number:
        return
    if not theirs:
        nothing = "the other: there is nothing to agree on" if symmetric else "any system: there is nothing to score"
        raise InputError(f"{gold}: no spans in it{labels}, nor in {nothing}.")
    asked = "" if symmetric else " Recall is undefined. Are gold and system swapped, or is it another column?"
    yield f"gold has no spans at all.{asked}"


@remark
def system_spans(name: str, number: int) -> Iterator[str]:
    """A system without spans."""
    if not number:
        yield f"{name} has no spans at all."


def _fair(pair: Pair) -> Judgements:
    judged = fair(pair)
    assert isinstance(judged, Judgements)
    return judged


def _duplicates(name: str, corpus: Corpus) -> Remark:
    spans = corpus.spans
    assert spans is not None
    rows = np.stack([spans.sentence, spans.begin, spans.end, spans.labels.codes])
    same = (rows[:, 1:] == rows[:, :-1]).all(axis=0)
    for index in np.flatnonzero(same).tolist():
        same[index] = spans.stretches.get(index) == spans.stretches.get(index + 1)
    place = [corpus.place_of_span(int(np.flatnonzero(same)[0]) + 1)] if same.any() else []
    return repeated_spans(name=name, number=int(same.sum()), first=place)


@remark
def repeated_spans(name: str, number: int, first: Sequence[str]) -> Iterator[str]:
    """Spans that are there twice."""
    if number:
        what = "1 span is" if number == 1 else f"{number:,} spans are"
        yield f"{name}: {what} there twice (first: {first[0]})."


def _notes(pairs: Sequence[tuple[str, Pair]], listed: Spans | None) -> Iterator[Remark]:
    first = spans_of(pairs[0][1])
    gaps = {name: len(side.spans.stretches) for name, side in [("gold", first.gold)]}
    gaps |= {name: len(spans_of(pair).system.spans.stretches) for name, pair in pairs}
    differs = "differs" if first.atoms == "characters" and first.gold.corpus.texts is None else ""
    yield compared_as(atoms=first.atoms, tokenisation=differs, gaps=gaps)
    if listed is not None:
        known = {first.identity(index, first.gold) for index in range(len(first.gold))}
        inside = sum(error in known for error in first.gold_errors or ())
        yield errors_of_gold(number=len(listed), inside=inside)


@remark
def compared_as(atoms: str, tokenisation: str, gaps: Mapping[str, int]) -> Iterator[str]:
    """What spans are sets of, where that is worth knowing."""
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
