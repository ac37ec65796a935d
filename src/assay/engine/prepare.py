"""From what the user names to a Run, everything that is there to be judged; and the steps that all tasks share."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.align import Pair, align
from assay.arrays import Bools
from assay.corpus import KEPT, SPANS, Column, Corpus, from_lists, from_spans, holds_spans
from assay.corpus.adapters import (
    Given,
    corpus_of,
    is_documents,
    is_foreign,
    named_systems,
    refuse_no_data,
    without_ignored,
)
from assay.engine import mapping
from assay.engine.measure import Measure
from assay.engine.options import Decided, Options, is_of_systems
from assay.engine.task import find_task, recognise_task
from assay.engine.warnings import Remark, documents_not_meant, format_warnings, remark, repair_made
from assay.errors import AlignmentError, InputError, UsageError, listed, unknown
from assay.formats import Files, Input, from_documents, schemes
from assay.formats.entities import ENTITY
from assay.records import dataclass
from assay.result import InputFile, Mapped, enumeration

MOST_NAMED = 3
"""So many documents are listed by name."""


@dataclass(frozen=True)
class Run:
    """Everything that is there to be judged."""

    gold: Corpus
    measures: tuple[Measure, ...]
    """The measures, their columns called by the names that these have in gold."""
    pairs: tuple[tuple[str, Pair], ...]
    """The systems that can be judged, by name."""
    skipped: Bools
    """Gold sentences left out for all systems, since some system's text differs."""
    warnings: tuple[Remark, ...]
    sources: tuple[InputFile, ...] = ()
    """All systems, in the order given. Default: those that can be judged."""
    column: str = ""
    mappings: tuple[Mapped, ...] = ()
    tagset: str = ""
    task: str = ""
    items: int = 0
    """The number of gold's items."""
    unit: str = "sentence"
    scheme: str = ""
    """The scheme by which tags were read as spans."""
    atoms: str = ""
    """The atoms of spans: words or characters."""
    notes: tuple[Remark, ...] = ()
    decided: Decided = field(default_factory=Decided)
    """The way in which the files were read, for other shards to be read alike."""
    options: Options = field(default_factory=Options)


def words_alone(inputs: Sequence[Input | Corpus]) -> list[Input | Corpus]:
    """The files where words are what is compared; a corpus may have spans beside them."""
    return [
        replace(item, marks={name: marks for name, marks in item.marks.items() if name != SPANS})
        if isinstance(item, Corpus)
        else item
        for item in inputs
    ]


def check_folders(corpora: Sequence[Corpus]) -> None:
    """Folders must hold the same files; a file more or less would shift all that follows, unless there are ids."""
    gold = corpora[0]
    for system in corpora[1:]:
        if len(gold.files) < 2 or len(system.files) < 2 or (gold.by_id and system.by_id):
            continue
        ours, theirs = (
            {os.path.basename(path).partition(".")[0] for path, _ in corpus.files} for corpus in (gold, system)
        )
        for missing, where, other in ((ours - theirs, system, gold), (theirs - ours, gold, system)):
            if missing:
                named = ", ".join(sorted(missing)[:3]) + (", …" if len(missing) > 3 else "")
                raise AlignmentError(
                    f"{where.name}: lacks {named}, which {other.name} has. Files of two folders correspond by name."
                )


def rules_of(options: Options, names: Sequence[str]) -> list[mapping.Rule]:
    """The rules of the mapping file, where there is one."""
    if options.map is None:
        return []
    rules = mapping.read_rules(options.map)
    mapping.check_sides(rules, names, options.map)
    return rules


def idle_rules(rows: Sequence[Mapped]) -> Iterator[Remark]:
    """Rules that fit no word in any file."""
    for rule in dict.fromkeys(row.rule for row in rows):
        yield idle_rule(rule=rule, words=sum(row.words for row in rows if row.rule == rule))


@remark
def idle_rule(rule: str, words: int) -> Iterator[str]:
    """A rule of a mapping file that fits nothing."""
    if not words:
        yield f"the mapping rule {rule} fits nothing."


def columns_read(
    inputs: Sequence[Input | Corpus], names: Sequence[str], columns: Sequence[str], options: Options
) -> Iterator[Remark]:
    """Notes on the columns of tables taken for words and labels, where the user did not say all of that.

    One number for files whose words are in different columns is refused: it may mean other labels in each.
    """
    tables = [
        (item.plan, name, column.split("+"))
        for item, name, column in zip(inputs, names, columns, strict=True)
        if isinstance(item, Input) and item.plan.words and column
    ]
    numbered = [(plan.words, name) for plan, name, _ in tables if plan.words.isdigit() and len(plan.labels) > 1]
    asked = options.column if isinstance(options.column, str) else ""
    if asked.isdigit() and len({words for words, _ in numbered}) > 1:
        (here, one), (there, other) = numbered[0], next(row for row in numbered if row[0] != numbered[0][0])
        raise InputError(
            f"{other}: has its words in column {there} and {one} in column {here}, so that column {asked} "
            "is not the same in both. Give them the same columns, or header lines."
        )
    for plan, name, parts in tables:
        if plan.sniffed or not options.column_of(name):
            labels = "+".join(plan.resolve(part) for part in parts)
            told = "; ".join(plan.remarks)
            yield column_read(name=name, words=plan.words, labels=labels, told=f" ({told})" if told else "")


@remark
def column_read(name: str, words: str, labels: str, told: str) -> Iterator[str]:
    """The columns of a table, as the first lines told them."""
    yield f"{name}: words are read from column {words}, labels from column {labels}{told}."


def blank_tags(
    name: str, item: Input | Corpus, corpus: Corpus, columns: str, options: Options
) -> Iterator[Remark]:
    """Remarks on words without a tag beside others with O; a column that has no O, or a key of MISC, writes it so."""
    mark = corpus.empty
    for column in columns.split("+") if mark is not None else ():
        if mark is None or ":" in column or column not in corpus.columns:
            continue
        tags = corpus.column(column).counts()
        if isinstance(item, Corpus):
            values = {name: list(known.vocabulary) for name, known in item.columns.items()}
        else:
            values = {name: item.plan.values(name) for name in item.plan.labels}
        yield words_without_tags(
            name=name,
            path=corpus.name,
            column=column,
            mark=mark,
            number=tags.get(mark, 0) if "O" in tags or options.blank_tag else 0,
            nothing=corpus.is_empty(column),
            others=[one for one, cells in values.items() if schemes.looks_like_tags(set(cells))],
        )


@remark
def words_without_tags(
    name: str, path: str, column: str, mark: str, number: int, nothing: bool, others: Sequence[str]
) -> Iterator[str]:
    """Words that were not annotated, beside others that were; a column of nothing else."""
    if nothing:
        known = ", ".join(dict.fromkeys(others))
        there = f"Columns with tags: {known}." if known else "No other column has tags."
        raise InputError(f"{path}: column {column} is {mark} throughout, so that there is no such layer. {there}")
    if number:
        what = "1 word" if number == 1 else f"{number:,} words"
        yield f"{name}: {what} without annotation in {column}, read as O."


def kept_labels(columns: Iterable[Column], options: Options) -> list[Remark]:
    """The labels that the user names, and how often gold and systems have them."""
    given = {"--labels": options.labels, "--ignore-labels": options.ignore_labels}
    if not any(given.values()):
        return []
    known: dict[str, int] = {}
    for column in columns:
        for label, number in column.counts().items():
            known[label] = known.get(label, 0) + number
    return [
        labels_named(option=option, numbers={name: known.get(name, 0) for name in names}, known=known)
        for option, names in given.items()
        if names
    ]


@remark
def labels_named(option: str, numbers: Mapping[str, int], known: Mapping[str, int]) -> Iterator[str]:
    """Labels that the user names and that occur nowhere."""
    missing = [name for name, number in numbers.items() if not number]
    if missing and option == "--labels" and len(missing) == len(numbers):
        raise UsageError(f"--labels {','.join(missing)}: {unknown('label', missing[0], sorted(known))}")
    for name in missing:
        yield f"{option}: {unknown('label', name, sorted(known))}"


def marked_kept(corpus: Corpus, labels: Column, keeps: Callable[[str], bool]) -> Corpus:
    """The corpus with a column that says which words have labels that count."""
    kept = labels.mapped({label: KEPT if keeps(label) else "" for label in labels.vocabulary})
    return replace(corpus, columns={**corpus.columns, KEPT: kept})


def notes_on_reading(name: str, corpus: Corpus) -> Iterator[Remark]:
    """Remarks on how a file was read: what is left out, what is repaired, and the rest."""
    reasons = Counter(reason for _, _, reason in corpus.left_out)
    documents = corpus.documents + len(corpus.left_out)
    yield documents_not_meant(name=name, reasons=dict(reasons), documents=documents if reasons else 0)
    for fault, action, number, first in corpus.repairs:
        yield repair_made(name=name, fault=fault, action=action, number=number, first=[first])
    for text, number in corpus.noted:
        before, first, place = text.partition("(the first: ")
        yield note_on_reading(name=name, text=before, number=number, first=[place] if first else [])


@remark
def note_on_reading(name: str, text: str, number: int, first: list[str]) -> Iterator[str]:
    """A note on how a file was read; a `{}` in the text stands for the number."""
    place = f"(the first: {first[0]}" if first else ""
    yield f"{name}: {text.replace('{}', f'{number:,}')}{place}"


@remark
def absent_documents(name: str, number: int, named: Sequence[str]) -> Iterator[str]:
    """Documents of gold that a system lacks."""
    if number:
        yield f"{name}: without {list_documents(number, named)}, scored as empty."


@remark
def common_documents(names: Sequence[str], number: int) -> Iterator[str]:
    """Documents that all annotators have, if some have others too."""
    noun = "document" if number == 1 else "documents"
    have = "both" if len(names) == 2 else "all of them"
    yield f"{enumeration(names)} are compared on the {number:,} {noun} that {have} have."


def list_documents(number: int, named: Sequence[str]) -> str:
    """The number of documents, and the first of them by name."""
    noun = "the document" if number == 1 else f"{number:,} documents:"
    return f"{noun} {', '.join(named[:MOST_NAMED])}{', …' if number > MOST_NAMED else ''}"


def aligned(
    gold: Corpus,
    outputs: Mapping[str, Corpus],
    filled: Sequence[bool],
    column: str,
    options: Options,
    *,
    characters: bool = False,
) -> tuple[list[tuple[str, Pair]], list[Remark]]:
    """Each system that can be judged with gold, and what is to be said about that."""
    pairs: list[tuple[str, Pair]] = []
    warnings: list[Remark] = []
    for (name, output), full in zip(outputs.items(), filled, strict=True):
        if not full:
            warnings.append(empty_output(name=name, column=column))
            continue
        shard = options.decided is not None
        mismatch = options.on_mismatch
        pair = align(gold, output, column=column, on_mismatch=mismatch, characters=characters, shard=shard)
        pairs.append((name, pair))
        left = int((~pair.skipped).sum())
        warnings += [
            text_shared(gold=gold.name, system=output.name, left=left, first=pair.problems[:1]),
            alignment(
                name=name,
                characters=int(pair.aligned_by == "characters"),
                by_words=pair.aligned_by == "words",
                words=len(pair.gold_words),
                kept=int((~pair.skipped[gold.sentence_of]).sum()),
                theirs=int((pair.system_sentence >= 0).sum()),
                sentences=gold.sentences,
                their_sentences=output.sentences,
            ),
            problems(
                name=name,
                lines=pair.problems,
                number=pair.number_of_problems,
                normalisations=pair.normalisations,
            ),
        ]
    return pairs, warnings


@remark
def empty_output(name: str, column: str) -> Iterator[str]:
    """A system without answers."""
    yield f"{name}: column {column} is empty, so there are no figures for it."


@remark
def alignment(
    name: str,
    characters: int,
    by_words: bool,
    words: int,
    kept: int,
    theirs: int,
    sentences: int,
    their_sentences: int,
) -> Iterator[str]:
    """A note on how a system's words were aligned with gold's, where they are not the same."""
    if characters:
        yield (
            f"{name} has other tokens than gold: aligned by characters, {words:,} of "
            f"{kept:,} gold words have a counterpart among {theirs:,}."
        )
    elif by_words and sentences != their_sentences:
        yield f"{name} has {their_sentences:,} sentences where gold has {sentences:,}; gold's are used."


@remark
def problems(name: str, lines: Sequence[str], number: int, normalisations: int) -> Iterator[str]:
    """The places where texts differ, though the user wants to go on all the same."""
    yield from (f"{name}: {line}" for line in listed(lines, number))
    if normalisations:
        yield (
            f"{name}: places that differ in Unicode normalisation only: {normalisations:,}. To have them judged, "
            "bring both files to NFC, e.g. with uconv -x nfc."
        )


@remark
def text_shared(gold: str, system: str, left: int, first: Sequence[str]) -> Iterator[str]:
    """A system none of whose sentences is gold's."""
    if first and not left:
        raise AlignmentError(f"{first[0]}\nno sentence is shared by {gold} and {system}.")
    yield from ()


@remark
def documents_shared(gold: str, system: str, number: int) -> Iterator[str]:
    """A system without any document of gold."""
    if not number:
        raise AlignmentError(f"{system}: no document of {gold} is in it. Documents of both must have the same ids.")
    yield from ()


def left_out(skipped: Bools, nothing: str, text: str, options: Options) -> list[Remark]:
    """Warnings about sentences that are left out for all systems. All of a shard may be, but not all of the data."""
    left = nothing_to_judge(text=nothing, number=int((~skipped).sum()))
    if options.decided is None:
        # Before anything else is looked at.
        format_warnings([left])
    return [left, sentences_left_out(text=text, number=int(skipped.sum()), sentences=len(skipped))]


@remark
def nothing_to_judge(text: str, number: int) -> Iterator[str]:
    """No sentence is left to be judged."""
    if not number:
        raise AlignmentError(text)
    yield from ()


@remark
def sentences_left_out(text: str, number: int, sentences: int) -> Iterator[str]:
    """The number of sentences left out; the text has a place for both numbers."""
    if number:
        yield text.format(number=f"{number:,}", sentences=f"{sentences:,}")


def without(pair: Pair, skipped: Bools) -> Pair:
    """The pair without the sentences that are left out for all."""
    if not skipped.any():
        return pair
    keep = ~skipped[pair.gold.sentence_of[pair.gold_words]]
    gone = (pair.system_sentence >= 0) & skipped[np.maximum(pair.system_sentence, 0)]
    return replace(
        pair,
        gold_words=pair.gold_words[keep],
        system_words=pair.system_words[keep],
        system_sentence=np.where(gone, -1, pair.system_sentence),
        skipped=skipped,
    )


def align_whole_sentences(
    corpora: Sequence[Corpus],
    named: Sequence[str],
    faults: Sequence[Sequence[tuple[int, str]]],
    options: Options,
    column: str = "",
    *,
    characters: bool = False,
) -> tuple[list[tuple[str, Pair]], Bools, list[Remark]]:
    """Gold with each system, without the sentences that are faulty or differ in any file; their mask; remarks.

    faults: for each corpus, sentences and lines for the user.
    """
    lines = [line for own in faults for _, line in own]
    if lines and options.on_mismatch != "skip":
        raise InputError("\n".join([*listed(lines), "To leave such sentences out: --on-mismatch skip"]))
    gold, *outputs = corpora
    systems = dict(zip(named, outputs, strict=True))
    pairs, remarks = aligned(gold, systems, [True] * len(outputs), column, options, characters=characters)
    skipped = np.zeros(gold.sentences, dtype=bool)
    skipped[[sentence for sentence, _ in faults[0]]] = True
    for (_, pair), own in zip(pairs, faults[1:], strict=True):
        faulty = np.isin(pair.system.sentence_of, [sentence for sentence, _ in own]) & (pair.system_sentence >= 0)
        skipped[pair.system_sentence[faulty]] = True
        skipped |= pair.skipped
    nothing = f"no sentence of {gold.name} is whole in all files."
    remarks += left_out(skipped, nothing, "{number} of {sentences} sentences were left out.", options)
    return [(name, without(pair, skipped)) for name, pair in pairs], skipped, remarks


def source_of(name: str, corpus: Corpus, pair: Pair | None, status: str) -> InputFile:
    """A system as a source."""
    unaligned = 0 if pair is None else int((pair.system_sentence >= 0).sum()) - len(pair.system_words)
    spans = len(corpus.marks.get(SPANS, corpus.marks.get("mentions", ())))
    left_out = dict(Counter(reason for _, _, reason in corpus.left_out))
    size = corpus.sentences, len(corpus)
    return InputFile(name, corpus.name, corpus.sha256, corpus.format, *size, unaligned, status, spans, left_out)


class Prepared:
    """Gold and systems, opened: the task is known, and nothing but the first lines is read yet."""

    def __init__(self, gold: Given, systems: Any, options: Options, measures: Sequence[Measure] = ()) -> None:
        options.check()
        if isinstance(systems, list) and holds_spans(gold) and len(systems) == len(gold) and not any(systems):
            # Sentences without spans, not systems without sentences.
            systems = [systems]
        named = named_systems(systems)
        self.names = list(named)
        all_given = [("gold", gold), *named.items()]
        all_given, self.ignored = without_ignored(all_given)
        options.check_formats([name for name, _ in all_given])
        self.options = options = options.with_columns([name for name, _ in all_given])
        # A system without any span looks like one without any label; the others tell.
        lists = from_spans if any(holds_spans(given) for _, given in all_given) else from_lists
        self.inputs = [_open(given, name, options, lists) for name, given in all_given]
        decided = options.decided or Decided()
        asked = list(dict.fromkeys(measure.task for measure in measures))
        # One of several tasks may judge the measures of all of them.
        asked = [name for name in asked if {*asked} <= {name, *find_task(name).judges_too}] or asked
        if len(asked) > 1:
            raise UsageError(f"the measures are about different tasks: {', '.join(asked)}. Run them one by one.")
        if asked and find_task(asked[0]).command:
            raise UsageError(f"{measures[0]} {find_task(asked[0]).command}")
        self.task = options.task or (asked[0] if asked else "") or decided.task
        if not self.task:
            # Words with labels are what is left where no task knows the files.
            # Gold tells, and so do systems in formats that only systems have.
            telling = self.inputs[:1]
            for item in self.inputs[1:]:
                if is_of_systems(item.format if isinstance(item, Corpus) else item.plan.name):
                    telling.append(item)
            self.task = recognise_task(telling, options)
        for item, form in zip(self.inputs, decided.formats, strict=False):
            if isinstance(item, Input) and item.plan.name != form:
                raise InputError(
                    f"{item.files[0]}: looks like {item.plan.name} where the first files look like {form}. "
                    "Say which it is with --input-format."
                )

    def run(self, measures: Sequence[Measure]) -> Run:
        """Read, map, mark and align."""
        task = find_task(self.task)
        self.options.check_task(task)
        for measure in measures:
            wanted = measure.task
            if wanted not in (self.task, *task.judges_too):
                raise UsageError(f"{measure} is about {wanted}, but {self.task} are compared. Say --task {wanted}")
        assert task.prepare is not None
        run = task.prepare(self.inputs, self.names, measures, self.options)
        if self.options.unit == "sentence" and run.gold.whole_documents:
            lines = ', or read lines as sentences: --input-format "brat(units=lines)"'
            raise UsageError(
                f"--unit sentence: {run.gold.name} has documents and no sentences. Say --unit document"
                f"{lines if run.gold.format == 'brat' else ''}"
            )
        files = [
            [*map(os.path.realpath, item.files)] if isinstance(item, Input) else [str(number)]
            for number, item in enumerate(self.inputs)
        ]
        own: list[Remark] = []
        columns = () if self.options.symmetric else run.decided.columns
        for number, (name, column) in enumerate(zip(self.names, columns[1:], strict=False), 1):
            # The system is the column of gold's file which is gold.
            item = self.inputs[number]
            if isinstance(item, Input) and column and (files[number], column) == (files[0], columns[0]):
                filled = ", ".join(one for one in item.plan.filled if one not in column.split("+"))
                own.append(same_column(name=name, path=item.path, column=column, others=filled))
        alike = {one.facts["name"] for one in own}
        others = (one for one in run.warnings if one.kind != "copied" or one.facts["name"] not in alike)
        notes = (*run.notes, ignored_positions(number=self.ignored))
        sources = run.sources or tuple(source_of(name, pair.system, pair, "") for name, pair in run.pairs)
        run = replace(run, warnings=(*own, *others), notes=notes, sources=sources)
        return replace(run, task=self.task, options=self.options)

@remark
def ignored_positions(number: int) -> Iterator[str]:
    """Positions that gold marks as not to be judged."""
    if number:
        places = "1 position" if number == 1 else f"{number:,} positions"
        yield f"Gold has -100 at {places}, which are left out on both sides."


@remark
def same_column(name: str, path: str, column: str, others: str) -> Iterator[str]:
    """A system that is gold itself, with the columns that may have been meant."""
    more = f"; others: {others}" if others else ""
    yield f"{name} and gold are the same column of the same file (column {column} of {path}{more})."


def prepare(gold: Given, systems: Any, measures: Sequence[Measure], options: Options) -> Run:
    """Everything that these measures are to judge."""
    return Prepared(gold, systems, options, measures).run(measures)


def _open(given: Given, name: str, options: Options, from_data: Callable[[Any, str], Corpus]) -> Input | Corpus:
    if isinstance(given, Corpus):
        return given
    if isinstance(given, str | Path | Files):
        column = options.column_of(name)
        # Mentions may consist of words that the text leaves out.
        said = options.format_of(name)
        plain = said in (None, "conllu") and column == ENTITY
        form = "conllu(empty_nodes=true)" if plain else said
        path, asked = given if isinstance(given, Files) else str(given), options.asked_of(name)
        return Input(path, input_format=form, wanted=[column] if column else [], asked=asked)
    if is_documents(given):
        return from_documents(given, name, options.asked_of(name))
    if is_foreign(given):
        return corpus_of(given, name)
    refuse_no_data(given, name)
    return from_data(given, name)
