"""From what the user names to a Run: files are read, made comparable and aligned, in steps that all tasks share."""

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
from assay.classes import dataclass
from assay.corpus import KEPT, SPANS, Column, Corpus, Marks, from_lists, from_spans, holds_spans
from assay.corpus.adapters import (
    Given,
    corpus_of,
    is_documents,
    is_foreign,
    named_systems,
    refuse_no_data,
    without_ignored,
)
from assay.engine.items import Items
from assay.engine.lexicon import Lexicon, check_known, read_with_counts
from assay.engine.mapping import Rule, read_rules
from assay.engine.measure import Measure
from assay.engine.options import Decided, Options, is_system_format
from assay.engine.spanpairs import line_of, needs_characters, with_spans
from assay.engine.task import find_task, recognise_task, shared_names
from assay.engine.warnings import (
    Remark,
    documents_not_meant,
    format_warnings,
    number_of_things,
    remark,
    repair_made,
)
from assay.errors import AlignmentError, InputError, UsageError, list_problems, unknown
from assay.formats import (
    Files,
    Input,
    contains_items,
    contains_records,
    from_documents,
    from_records,
    has_items,
    schemes,
)
from assay.formats.answers import Answers
from assay.formats.entities import ENTITY
from assay.formats.items import FORMAT as ITEMS
from assay.formats.records import FORMAT as RECORDS
from assay.formats.records import is_records
from assay.formats.whose import LAYER_UNREAD
from assay.result import InputFile, Mapped, enumeration
from assay.result.numbers import plural
from assay.result.schema import MOST_LEFT_OUT

MOST_NAMED = 3
"""The most documents that are listed by name."""
Fault = tuple[int, str]
"""A sentence that is left out, and a line for the user that says why."""

Apply = Callable[[Sequence[Rule], Corpus, Sequence[str]], tuple[Corpus, list[Mapped]]]
"""A function that gives a corpus other labels by rules for these sides, and says what each rule did."""


@dataclass(eq=False)
class Run:
    """Gold and systems, from opened files to pairs that measures can judge; each step fills in its part.

    A task's `prepare` calls the steps that it needs, in the order of the methods here.
    """

    inputs: Sequence[Input | Corpus]
    names: Sequence[str]
    """The names of the inputs: gold, and the systems in the order given."""
    measures: Sequence[Measure]
    """The measures, their columns called by the names that these have in gold."""
    options: Options
    task: str = ""
    corpora: list[Corpus] = field(default_factory=list)
    """Gold, then each system."""
    documents: list[int] = field(default_factory=list)
    """The number of documents that each file has."""
    pairs: list[tuple[str, Pair]] = field(default_factory=list)
    """The systems that can be judged, by name."""
    skipped: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    """Gold sentences left out for all systems, since some system's text differs."""
    warnings: list[Remark] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)
    mappings: list[Mapped] = field(default_factory=list)
    decided: Decided = field(default_factory=Decided)
    """What the files decide: how other shards are to be read."""
    items: int = 0
    """The number of gold's items."""
    unit: str = ""
    atoms: str = ""
    """The atoms of spans if these are compared: words or characters."""
    tagset: str = ""
    sources: tuple[InputFile, ...] = ()
    """All systems, in the order given."""

    @property
    def gold(self) -> Corpus:
        """Gold as it is compared."""
        return self.corpora[0]

    @property
    def systems(self) -> list[tuple[str, Corpus]]:
        """Each system by its name."""
        return [*zip(self.names[1:], self.corpora[1:], strict=True)]

    @property
    def names_layers(self) -> bool:
        """True if each --column is for a file that may have several layers of marks."""
        files = zip(self.names, self.inputs, strict=True)
        given = [item for name, item in files if self.options.column_of(name) is not None]
        return all(isinstance(item, Input) and item.plan.names_layers for item in given)

    def decide(self, **facts: Any) -> None:
        """Note what the files decide."""
        self.decided = replace(self.decided, **facts)

    def require(self, *remarks: Remark) -> None:
        """Add remarks that may stop the command with an error; without shards they do so at once."""
        self.warnings += remarks
        if self.options.decided is None:
            format_warnings(remarks)

    def source(self, number: int, name: str = "") -> InputFile:
        """A file, by its place among gold and systems; `name`: that of an annotator in gold's place."""
        own = self.names[number]
        pair = dict(self.pairs).get(own) if number else None
        corpus = pair.system if pair else self.corpora[number]
        gone = [] if contains_items(corpus) else [(known or str(at + 1), why) for at, known, why in corpus.left_out]
        columns = self.options.column
        return InputFile(
            name or own,
            corpus.name,
            corpus.sha256,
            corpus.format,
            corpus.sentences,
            len(corpus),
            unaligned=int((pair.system_sentence >= 0).sum()) - len(pair.system_words) if pair else 0,
            status="column empty" if number and pair is None else "",
            spans=len(corpus.marks.get(SPANS, corpus.marks.get("mentions", ()))),
            left_out=dict(Counter(reason for _, _, reason in corpus.left_out)),
            documents=self.documents[number] if gone or corpus.which or corpus.shape else 0,
            documents_left_out=tuple(gone[:MOST_LEFT_OUT]),
            shape=corpus.shape,
            which=corpus.which,
            column=self.options.column_of(own) or "" if isinstance(columns, Mapping) else corpus.layer_read,
            offsets=corpus.offsets,
            not_read=corpus.unread,
        )

    # --- reading, and what corpora are marked with ---

    def read(self, reader: Callable[[str, Input | Corpus], Corpus]) -> None:
        """Read all files; a file more or less in a folder would shift all that follows, unless there are ids."""
        self.take([reader(name, item) for name, item in zip(self.names, self.inputs, strict=True)])

    def take(self, corpora: Sequence[Corpus]) -> None:
        """Take the corpora that were read; folders must hold the same files."""
        self.corpora, self.documents = [*corpora], [corpus.documents for corpus in corpora]
        self.decide(formats=tuple(corpus.format for corpus in corpora))
        gold = corpora[0]
        for system in corpora[1:]:
            few = len(gold.files) < 2 or len(system.files) < 2
            # Answers of language models may be missing.
            if few or (gold.by_id and system.by_id) or system.layer(Answers) is not None:
                continue
            ours, theirs = (
                {os.path.basename(path).partition(".")[0] for path, _ in corpus.files} for corpus in (gold, system)
            )
            for missing, where, other in ((ours - theirs, system, gold), (theirs - ours, gold, system)):
                if missing:
                    named = ", ".join(sorted(missing)[:3]) + (", …" if len(missing) > 3 else "")
                    raise AlignmentError(
                        f"{where.name}: lacks {named}, which {other.name} has. Files in the two folders are matched "
                        f"by name."
                    )

    def note_reading(self) -> None:
        """Warn of what was left out or repaired when files were read."""
        for name, corpus in zip(self.names, self.corpora, strict=True):
            self.warnings += notes_on_reading(name, corpus, self.options.symmetric)

    def order_documents(self) -> None:
        """Bring documents into gold's order; those that a system lacks are an error, or count as empty.

        Documents correspond by their ids or, if gold or a system left some out, by their number in the file.
        """
        if self.options.missing == "absent":
            self._keep_common()
            return
        gold = self.gold
        for number, (name, system) in enumerate(self.systems, 1):
            ours, theirs = self._document_keys(name, system)
            order = {key: place for place, key in enumerate(theirs)}
            # What gold leaves out, systems need not have.
            known = {*ours, *(row[1 if gold.by_id and system.by_id else 0] for row in gold.left_out)}
            absent = [key for key in ours if key not in order]
            both, lack = (gold, system), "{0}: lacks the documents {2}, which {1} has."
            # Annotations of one file are told by whose they are.
            sides = [f"{one.name}, {one.which}" if gold.name == system.name else one.name for one in both]
            if absent and self.options.missing == "error":
                remedy = "To score them as empty: --missing empty"
                if self.options.symmetric:
                    remedy = "To compare the documents that both have: --missing absent"
                raise AlignmentError(f"{lack.format(*sides[::-1], _list_keys(absent))} {remedy}")
            if foreign := [key for key in theirs if key not in known]:
                raise AlignmentError(lack.format(*sides, _list_keys(foreign)))
            if absent:
                order |= {key: system.documents + place for place, key in enumerate(ours) if key not in order}
                named = [str(key + 1) if isinstance(key, int) else key for key in absent[:MOST_NAMED]]
                self.warnings.append(absent_documents(name=name, number=len(absent), named=named))
                system = system.followed_by(gold)  # noqa: PLW2901
            numbers = [order[key] for key in ours]
            if absent or numbers != [*range(system.documents)]:
                self.corpora[number] = system.reordered(numbers)

    def _keep_common(self) -> None:
        """Keep only the documents that all annotators have."""
        gold = self.gold
        common, places = set(range(gold.documents)), []
        for name, system in self.systems:
            ours, theirs = self._document_keys(name, system)
            place = {key: number for number, key in enumerate(theirs)}
            places.append({number: place[key] for number, key in enumerate(ours) if key in place})
            common &= places[-1].keys()
        if not common:
            if {gold.name} == {system.name for _, system in self.systems}:
                people = " and by ".join(one.which for one in self.corpora)
                raise AlignmentError(f"{gold.name}: no document is annotated by {people}.")
            raise AlignmentError(f"{gold.name}: no document is in all files. Documents are matched by their ids.")
        if any(len(common) < corpus.documents for corpus in self.corpora):
            self.warnings.append(common_documents(names=list(self.names), number=len(common)))
        kept = sorted(common)
        orders = [kept, *([place[number] for number in kept] for place in places)]
        self.corpora = [corpus.reordered(order) for corpus, order in zip(self.corpora, orders, strict=True)]

    def _document_keys(self, name: str, system: Corpus) -> tuple[Sequence[str | int], Sequence[str | int]]:
        """Keys by which documents of gold and of a system correspond: ids, texts, numbers in the file, or order."""
        gold = self.gold
        if gold.by_id and system.by_id:
            known = {*gold.document_ids, *(row[1] for row in gold.left_out)}
            if not known >= {*system.document_ids} or not {*gold.document_ids} <= {*system.document_ids}:
                ours, theirs = (corpus.document_texts() for corpus in (gold, system))
                texts = dict(zip(gold.document_ids, ours, strict=True))
                pairs = zip(system.document_ids, theirs, strict=True)
                shared = [(texts[key], text) for key, text in pairs if key in texts]
                # Numbers that two tools gave may be the same by chance.
                by_chance = any(one != other for one, other in shared) or known.isdisjoint(system.document_ids)
                more = {*theirs} - {*ours}
                # As many documents more as gold leaves out are these, whose texts gold's file need not have.
                is_each = {*ours} <= {*theirs} and len({*ours}) == len(ours) == len(theirs) - len(more)
                if by_chance and is_each and len(more) <= len(gold.left_out):
                    self.warnings.append(matched_by_text(name=name, number=len(ours), same=len(shared)))
                    named = dict(zip(sorted(more), (row[1] for row in gold.left_out), strict=False))
                    return ours, [named.get(text, text) for text in theirs]
            return gold.document_ids, system.document_ids
        numbers = []
        for corpus in (gold, system):
            gone = {number for number, _, _ in corpus.left_out}
            numbers.append([number for number in range(corpus.documents + len(gone)) if number not in gone])
        same = gold.documents + len(gold.left_out) == system.documents + len(system.left_out)
        if same and (gold.left_out or system.left_out):
            return numbers[0], numbers[1]
        # Other texts in the same places are found when they are aligned.
        return [*range(system.documents)], [*range(system.documents)]

    def map_labels(self, apply: Apply) -> None:
        """Apply the rules of the mapping file, if there is one, to gold and to each system."""
        rules = read_rules(self.options.map, self.names[1:])
        for number, (name, corpus) in enumerate(zip(self.names, self.corpora, strict=True)) if rules else ():
            sides = ("system", name) if number else ("gold",)
            self.corpora[number], rows = apply(rules, corpus, sides)
            self.mappings += [replace(row, file=name) for row in rows]

    def drop_unsure(self, layer: str, one: str, many: str, *, needs_scores: bool = True) -> None:
        """Leave out marks of systems with a lower score than --min-score; `one`, `many`: 'span has', 'spans have'."""
        for number, (name, corpus) in enumerate(self.systems, 1):
            threshold = self.options.threshold_of(name)
            if threshold is None:
                continue
            marks = corpus.marks.get(layer)
            if marks is None or not len(marks.scores):
                if not needs_scores:
                    continue
                raise InputError(f"{corpus.name}: contains no scores, which --min-score needs.")
            kept = marks.where(~(marks.scores < threshold[0]))
            text = f"a score below {threshold[0]:g} and do not count (--min-score)."
            low = len(marks) - len(kept)
            self.warnings.append(number_of_things(name=name, one=one, many=many, text=text, number=low))
            self.corpora[number] = corpus.with_marks(**{layer: kept})

    def mark_known(self, read: Callable[[str], Lexicon], mark: Callable[[Lexicon, Corpus, str], Corpus]) -> None:
        """Mark the words or spans that --train and --lexicon have."""
        for option, path in (("train", self.options.train), ("lexicon", self.options.lexicon)):
            if path is None:
                continue
            lexicon = read(path)
            self.corpora = [mark(lexicon, corpus, option) for corpus in self.corpora]
            self.warnings.append(check_known(lexicon, self.gold, option))
            if lexicon.counted:
                self.notes.append(read_with_counts(option=option, path=path))

    def count_labels(
        self, labels: Callable[[Corpus], Column], forms: Callable[[str], Iterable[str]] = lambda label: (label,)
    ) -> bool:
        """True if the user names labels, after warnings of those that occur nowhere; `forms`: names of a label."""
        given = {"--labels": self.options.labels, "--ignore-labels": self.options.ignore_labels}
        if not any(given.values()):
            return False
        counts: Counter[str] = Counter()
        for corpus in self.corpora:
            for label, number in labels(corpus).counts().items():
                for form in forms(label):
                    counts[form] += number
        for option, names in given.items():
            if names:
                numbers = {name: counts[name] for name in names}
                self.warnings.append(labels_named(option=option, numbers=numbers, known=dict(counts)))
        return True

    def flag_counted_words(self, column: str, keeps: Callable[[str], bool]) -> None:
        """Flag the words whose labels count."""
        for number, corpus in enumerate(self.corpora):
            labels = corpus.column(column)
            kept = labels.mapped({label: KEPT if keeps(label) else "" for label in labels.vocabulary})
            self.corpora[number] = replace(corpus, columns={**corpus.columns, KEPT: kept})

    # --- pairs ---

    def align(
        self, column: str = "", faults: Sequence[Sequence[Fault]] | None = None, *, together: bool = True
    ) -> None:
        """Align gold with each system; sentences that differ or are faulty are left out for all systems, if together.

        faults: the sentences of each corpus whose annotation cannot be compared.
        """
        options, gold, is_shard = self.options, self.gold, self.options.decided is not None
        lines = [line for own in faults or () for _, line in own]
        if lines and options.on_mismatch != "skip":
            raise InputError("\n".join([*list_problems(lines), "To leave such sentences out: --on-mismatch skip"]))
        filled = self.decided.filled or (True,) * len(self.systems)
        if options.decided is not None:
            # What is known of all shards; the first may be empty if others are not.
            filled = options.decided.filled or (filled if any(filled) else (True,) * len(filled))
        characters = any(measure.characters for measure in self.measures)
        for (name, output), has_answers in zip(self.systems, filled, strict=True):
            if not has_answers:
                self.warnings.append(empty_output(name=name, column=column))
                continue
            if gold.has_words != output.has_words:
                check_reach(gold, output)
            how = {"characters": characters, "shard": is_shard}
            pair = align(gold, output, column=column, on_mismatch=options.on_mismatch, **how)
            self.pairs.append((name, pair))
            same_sentences = pair.aligned_by != "characters" and gold.sentences == output.sentences
            if same_sentences and not (pair.problems or pair.normalisations or is_shard):
                continue
            self.warnings.append(
                alignment(
                    name=name,
                    gold=gold.name,
                    system=output.name,
                    characters=int(pair.aligned_by == "characters"),
                    by_words=pair.aligned_by == "words",
                    left=int((~pair.skipped).sum()),
                    words=len(pair.gold_words),
                    kept=int((~pair.skipped[gold.sentence_of]).sum()),
                    theirs=int((pair.system_sentence >= 0).sum()),
                    sentences=gold.sentences,
                    their_sentences=output.sentences,
                    problems=pair.problems,
                    number=pair.number_of_problems,
                    normalisations=pair.normalisations,
                )
            )
        if not self.pairs:
            raise InputError(f"{self.corpora[1].name}: column {column} is empty. Choose another with --column.")
        if not together:
            return
        skipped = np.any([pair.skipped for _, pair in self.pairs], axis=0)
        nothing = f"{gold.name} and the systems have no sentence in common."
        units = "documents" if gold.whole_documents else "sentences"
        text = f"{{number}} of {{sentences}} {units} {{were}} left out, because their texts differ."
        if faults is not None:
            nothing = f"no sentence of {gold.name} is complete in all files."
            text = "{number} of {sentences} sentences {were} left out."
            skipped[[sentence for sentence, _ in faults[0]]] = True
            for (_, pair), own in zip(self.pairs, faults[1:], strict=True):
                faulty = np.isin(pair.system.sentence_of, [sentence for sentence, _ in own])
                skipped[pair.system_sentence[faulty & (pair.system_sentence >= 0)]] = True
        self.skipped, number = skipped, int(skipped.sum())
        if number or is_shard or not len(skipped):
            self.leave_out(
                skipped, sentences_left_out(text=text, nothing=nothing, number=number, sentences=len(skipped))
            )

    def leave_out(self, skipped: Bools, fact: Remark) -> None:
        """Leave gold sentences out for all systems. All of a shard may be, but not all of the data."""
        self.require(fact)
        self.skipped = skipped
        self.pairs = [(name, exclude_sentences(pair, skipped)) for name, pair in self.pairs]

    def put_on_line(self, claims: Sequence[Marks | None] = (), gold_errors: Marks | None = None) -> None:
        """Put spans on lines of one kind of atom, so that all systems are judged in the same way.

        claims: marks without a place that each system has besides.
        gold_errors: spans in which gold itself is wrong.
        """
        needed = any(needs_characters(pair) for _, pair in self.pairs)
        characters = needed or (self.options.decided is not None and self.options.decided.characters)
        self.pairs = [
            (name, with_spans(pair, characters=characters, gold_errors=gold_errors, claims=own))
            for (name, pair), own in zip(self.pairs, claims or [None] * len(self.pairs), strict=True)
        ]
        self.atoms = line_of(self.pairs[0][1]).atoms
        self.decide(characters=needed)


def prepare_marks(run: Run) -> None:
    """Read marks, and align their units by ids if all files have them: for tasks that need nothing else."""
    run.read(lambda _, item: item if isinstance(item, Corpus) else item.read(()))
    run.note_reading()
    if all(corpus.by_id for corpus in run.corpora):
        run.order_documents()
    run.align()
    judged = run.measures[0].judge(run.pairs[0][1])
    run.items = int(judged.has_gold.sum()) if isinstance(judged, Items) else 0


def without_spans(item: Input | Corpus) -> Input | Corpus:
    """A file whose words are compared; a corpus may have spans too."""
    if not isinstance(item, Corpus):
        return item
    return replace(item, marks={name: marks for name, marks in item.marks.items() if name != SPANS})


def notes_on_columns(run: Run, columns: Sequence[str]) -> Iterator[Remark]:
    """Notes on the columns of tables taken for words and labels, unless the user gave them all.

    One number for files whose words are in different columns is refused: it may mean other labels in each.
    """
    options = run.options
    tables = [
        (item.plan, name, column.split("+"))
        for item, name, column in zip(run.inputs, run.names, columns, strict=True)
        if isinstance(item, Input) and item.plan.words and column
    ]
    numbered = [(plan.words, name) for plan, name, _ in tables if plan.words.isdigit() and len(plan.labels) > 1]
    asked = options.column if isinstance(options.column, str) else ""
    if asked.isdigit() and len({words for words, _ in numbered}) > 1:
        (here, name), (there, other) = numbered[0], next(row for row in numbered if row[0] != numbered[0][0])
        raise InputError(
            f"{other}: its words are in column {there}, those of {name} in column {here}, so column {asked} is not "
            f"the same in both. Give both the same columns, or header lines."
        )
    gold = run.inputs[0]
    if isinstance(gold, Input) and gold.plan.single > 1 and gold.folder is None:
        yield rows_read_as_words(name=run.names[0], number=gold.plan.single)
    for plan, name, parts in tables:
        if plan.sniffed or not options.column_of(name):
            labels = "+".join(plan.resolve(part) for part in parts)
            remarks = "; ".join(plan.remarks)
            yield columns_taken(name=name, words=plan.words, labels=labels, why=f" ({remarks})" if remarks else "")


@remark
def rows_read_as_words(name: str, number: int) -> Iterator[str]:
    """Rows that are read as one sentence, and how to read them as items."""
    yield (
        f"{name}: {number:,} rows without an empty line are read as one sentence. If each row is an item: --task "
        f"items"
    )


@remark
def columns_taken(name: str, words: str, labels: str, why: str) -> Iterator[str]:
    """The columns of a table that are taken for words and labels, and why."""
    yield f"{name}: words are read from column {words}, labels from column {labels}{why}."


def check_blanks(name: str, item: Input | Corpus, corpus: Corpus, columns: str, options: Options) -> Iterator[Remark]:
    """Remarks on words without a tag if others in the column have O; none on a key of MISC, which may have no O."""
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
    """Words without annotation in an annotated column; an error if no word of the column is annotated."""
    if nothing:
        known = ", ".join(dict.fromkeys(others))
        there = f"Columns with tags: {known}." if known else "No other column has tags."
        raise InputError(f"{path}: column {column} contains only {mark}, so there is nothing to compare. {there}")
    if number:
        so = "so it counts" if number == 1 else "so they count"
        yield f"{name}: {plural(number, 'word has', 'words have')} no annotation in {column}, {so} as O."


@remark
def labels_named(option: str, numbers: Mapping[str, int], known: Mapping[str, int]) -> Iterator[str]:
    """Labels that the user names and that occur nowhere."""
    missing = [name for name, number in numbers.items() if not number]
    if missing and option == "--labels" and len(missing) == len(numbers):
        raise UsageError(f"--labels {','.join(missing)}: {unknown('label', missing[0], sorted(known))}")
    for name in missing:
        yield f"{option}: {unknown('label', name, sorted(known))}"


def notes_on_reading(name: str, corpus: Corpus, symmetric: bool) -> Iterator[Remark]:
    """Remarks on how a file was read: what is left out, what is repaired, and the rest; `symmetric`: none is gold."""
    reasons = Counter(reason for _, _, reason in corpus.left_out)
    documents = corpus.documents + len(corpus.left_out)
    is_gold = name == "gold" and not symmetric
    number = documents if reasons else 0
    yield documents_not_meant(name=name, reasons=dict(reasons), documents=number, is_gold=is_gold)
    for fault, action, number, first in corpus.repairs:
        marks = corpus.number_of_marks
        yield repair_made(name=name, fault=fault, action=action, number=number, first=[first], marks=marks)
    for text, number in corpus.noted:
        before, first, place = f"{text.removesuffix('.')}.".partition("(the first: ")
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
        scored = ", which is" if number == 1 else "; these are"
        yield f"{name}: lacks {list_documents(number, named)}{scored} scored as empty."


@remark
def common_documents(names: Sequence[str], number: int) -> Iterator[str]:
    """Documents that all annotators have, if some have others too."""
    have = "both" if len(names) == 2 else "all of them"
    yield f"{enumeration(names)} are compared on the {plural(number, 'document')} that {have} have."


def list_documents(number: int, named: Sequence[str]) -> str:
    """The number of documents, and the first of them by name."""
    noun = "the document" if number == 1 else f"{number:,} documents:"
    return f"{noun} {', '.join(named[:MOST_NAMED])}{', …' if number > MOST_NAMED else ''}"


@remark
def matched_by_text(name: str, number: int, same: int) -> Iterator[str]:
    """Documents that have no id of gold's, or those of other texts, but the texts of gold's documents."""
    reason = "the same ids belong to different texts" if same else "no ids are the same"
    matched = plural(number, "document was", "documents were")
    yield f"{name}: {matched} matched with gold by text, because {reason}."


def _list_keys(keys: Sequence[str | int]) -> str:
    named = (str(key + 1) if isinstance(key, int) else key for key in keys[:MOST_NAMED])
    return ", ".join(named) + (", …" if len(keys) > MOST_NAMED else "")


def check_reach(gold: Corpus, system: Corpus) -> None:
    """Spans given without words must fit into the sentences of the side that has words."""
    if gold.has_words == system.has_words or gold.sentences != system.sentences:
        return
    bare, full = (system, gold) if gold.has_words else (gold, system)
    if SPANS not in bare.marks:
        return
    lengths = np.diff(full.starts)[bare.spans.unit]
    beyond = np.flatnonzero(bare.spans.end > lengths)
    if len(beyond):
        span = int(beyond[0])
        raise AlignmentError(
            f"{bare.place_of_span(span)}: the span ends at word {int(bare.spans.end[span])} of a sentence of "
            f"{int(lengths[span])} words in {full.name}. Are these the same sentences?"
        )


@remark
def empty_output(name: str, column: str) -> Iterator[str]:
    """A system without answers."""
    yield f"{name}: column {column} is empty, so there are no scores for it."


@remark
def alignment(
    name: str,
    gold: str,
    system: str,
    characters: int,
    by_words: bool,
    left: int,
    words: int,
    kept: int,
    theirs: int,
    sentences: int,
    their_sentences: int,
    problems: Sequence[str],
    number: int,
    normalisations: int,
) -> Iterator[str]:
    """Notes on how a system's words were aligned with gold's if they differ, and the first places that differ."""
    if problems and not left:
        raise AlignmentError(f"{problems[0]}\n{gold} and {system} have no sentence in common.")
    if characters:
        yield (
            f"{name} is tokenised differently from gold. The words were aligned by characters: {words:,} of {kept:,} "
            f"gold words have a counterpart among {theirs:,}."
        )
    elif by_words and sentences != their_sentences:
        number_of = plural(their_sentences, "sentence")
        yield f"{name} has {number_of}, but gold has {sentences:,}. Gold's sentences are used."
    yield from (f"{name}: {line}" for line in list_problems(problems, number))
    if normalisations:
        places = plural(normalisations, "place differs", "places differ")
        yield (
            f"{name}: {places} only in Unicode normalisation. To compare them, convert both "
            f"files to NFC, e.g. with uconv -x nfc."
        )


@remark
def documents_shared(gold: str, system: str, number: int) -> Iterator[str]:
    """A system without any document of gold."""
    if not number:
        raise AlignmentError(f"{system}: contains no document of {gold}. Documents must have the same ids in both.")
    yield from ()


@remark
def sentences_left_out(text: str, nothing: str, number: int, sentences: int) -> Iterator[str]:
    """The number of sentences left out, for which `text` has a place; an error with the text `nothing` if all are."""
    if number == sentences:
        raise AlignmentError(nothing)
    if number:
        yield text.format(number=f"{number:,}", sentences=f"{sentences:,}", were="was" if number == 1 else "were")


def exclude_sentences(pair: Pair, skipped: Bools) -> Pair:
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


class OpenFiles:
    """Gold and systems, opened: the task is known, and nothing but the first lines is read yet."""

    def __init__(self, gold: Given, systems: Any, options: Options, measures: Sequence[Measure] = ()) -> None:
        options.check()
        if isinstance(systems, list) and holds_spans(gold) and len(systems) == len(gold) and not any(systems):
            # Sentences without spans, not systems without sentences.
            systems = [systems]
        named = named_systems(systems)
        self.names = list(named)
        all_given, self.ignored = [("gold", gold), *named.items()], 0
        if not isinstance(gold, str | Path | Files | Corpus):
            all_given, self.ignored = without_ignored(all_given)
        names = ["gold", *named]
        options.check_formats(names)
        self.options = options = options.with_columns(names)
        self.inputs: list[Input | Corpus] = []
        are_items: bool | None = None
        if measures and not options.task:
            # A measure of items alone, or one that they do not have.
            about = [{measure.task, *shared_names().get(measure.name, ())} for measure in measures]
            are_items = True if {ITEMS} in about else None if all(ITEMS in tasks for tasks in about) else False
        if options.decided is not None and options.decided.formats:
            are_items = has_items(options.decided.formats[0])
        for name, given in all_given:
            if isinstance(given, Corpus):
                self.inputs.append(given)
            elif isinstance(given, str | Path | Files):
                column, form = options.column_of(name), options.format_of(name)
                if form in (None, "conllu") and column == ENTITY:
                    # Mentions may consist of words that the text leaves out.
                    form = "conllu(empty_nodes=true)"
                if options.task == RECORDS and form is None:
                    form = RECORDS
                if self.inputs and contains_records(self.inputs[0]) and form in (None, "answers"):
                    # Answers to gold's records are read as these are.
                    form = RECORDS
                path, wanted = given if isinstance(given, Files) else str(given), [column] if column else []
                wish = options.asked_of(name)
                wish = wish if wish.items is not None else replace(wish, items=are_items)
                self.inputs.append(Input(path, input_format=form, wanted=wanted, asked=wish))
            elif options.task == RECORDS or is_records(given) or any(map(contains_records, self.inputs)):
                self.inputs.append(from_records(given, name))
            elif is_documents(given):
                self.inputs.append(from_documents(given, name, options.asked_of(name)))
            elif is_foreign(given):
                self.inputs.append(corpus_of(given, name, options.column_of(name)))
            else:
                refuse_no_data(given, name)
                # A system without any span looks like one without any label; the others tell.
                has_spans = any(holds_spans(other) for _, other in all_given)
                self.inputs.append((from_spans if has_spans else from_lists)(given, name))
            if len(self.inputs) == 1:
                # Systems are read as gold is.
                are_items = contains_items(self.inputs[0])
        decided = options.decided or Decided()
        # Gold shows the task, and so do systems in formats that only systems have.
        formats = [item.format if isinstance(item, Corpus) else item.plan.name for item in self.inputs]
        others = [item for item, form in zip(self.inputs, formats, strict=True) if is_system_format(form)]
        shared, shown = shared_names(), options.task or decided.task
        if not shown and (not measures or any(measure.name in shared for measure in measures)):
            shown = recognise_task([self.inputs[0], *others], options)
        asked = list(dict.fromkeys(shown if shown in shared.get(one.name, ()) else one.task for one in measures))
        # One of several tasks may judge the measures of all of them.
        asked = [name for name in asked if {*asked} <= {name, *find_task(name).judges_too}] or asked
        if len(asked) > 1:
            raise UsageError(f"the measures belong to different tasks: {', '.join(asked)}. Run them separately.")
        if asked and find_task(asked[0]).command:
            raise UsageError(f"{measures[0]} {find_task(asked[0]).command}")
        self.task = options.task or (asked[0] if asked else "") or decided.task or shown
        for item, form in zip(self.inputs, decided.formats, strict=False):
            if isinstance(item, Input) and item.plan.name != form:
                raise InputError(
                    f"{item.files[0]}: looks like {item.plan.name}, but the first files look like {form}. "
                    "Name it with --input-format."
                )

    def run(self, measures: Sequence[Measure]) -> Run:
        """Read, map, mark and align."""
        task = find_task(self.task)
        self.options.check_task(task)
        for measure in measures:
            wanted = measure.task
            if wanted not in (self.task, *task.judges_too):
                raise UsageError(
                    f"{measure} is a measure of {wanted}, but {self.task} are compared. Give --task {wanted}"
                )
        assert task.prepare is not None
        run = Run(self.inputs, ["gold", *self.names], measures, self.options, self.task)
        if self.options.unit == "item" and task.name_unit("sentence") != "item":
            raise UsageError(
                f"--unit item is for items without words, but these are {self.task}. Try --unit sentence"
            )
        task.prepare(run)
        gold = run.gold
        if self.options.unit == "sentence" and gold.whole_documents:
            lines = ', or read lines as sentences: --input-format "brat(units=lines)"'
            raise UsageError(
                f"--unit sentence: {gold.name} has documents and no sentences. Give --unit document"
                f"{lines if gold.format == 'brat' else ''}"
            )
        run.unit = run.unit or self.options.unit or ("document" if gold.whole_documents else "sentence")
        files = [
            [*map(os.path.realpath, item.files)] if isinstance(item, Input) else [str(number)]
            for number, item in enumerate(self.inputs)
        ]
        # What is read of each file: a column, or a layer and somebody's annotation.
        columns = run.decided.columns or ("",) * len(files)
        read = [
            (paths, column, corpus.which, corpus.layer_read)
            for paths, column, corpus in zip(files, columns, run.corpora, strict=True)
        ]
        alike: dict[str, Remark] = {}
        for number, (name, item) in enumerate(zip(self.names, self.inputs[1:], strict=True), 1):
            same = read[number] == read[0] and any(read[0][1:]) and not self.options.symmetric
            if isinstance(item, Input) and same:
                column = columns[number] or run.corpora[number].layer_read
                filled = [other for other in item.plan.filled if other not in column.split("+")]
                layers = (what.partition(LAYER_UNREAD) for what in run.corpora[number].unread)
                there = ", ".join([*filled, *(layer for _, is_layer, layer in layers if is_layer)])
                alike[name] = same_column(name=name, path=item.path, column=column, others=there)
        others = [fact for fact in run.warnings if fact.kind != "copied" or fact.facts["name"] not in alike]
        if any(fact.kind == "matched_by_text" for fact in others):
            # What was not read is said after it.
            others.sort(key=lambda fact: str(fact.facts.get("text", "")).endswith("not read: {}."))
        run.warnings = [*alike.values(), *others]
        if self.ignored:
            run.notes.append(ignored_positions(number=self.ignored))
        run.sources = tuple(map(run.source, range(1, len(run.names))))
        return run


@remark
def ignored_positions(number: int) -> Iterator[str]:
    """Positions that gold marks as not to be judged."""
    left_out = "it is" if number == 1 else "they are"
    yield f"Gold has -100 at {plural(number, 'place')}; {left_out} left out of gold and systems."


@remark
def same_column(name: str, path: str, column: str, others: str) -> Iterator[str]:
    """A system that is gold itself, with the columns that may have been meant."""
    more = f"; others: {others}" if others else ""
    if column:
        yield f"{name} and gold are the same column of the same file (column {column} of {path}{more})."
    else:
        remedy = f"To choose another: --which {name}=WHO"
        yield f"{name} and gold are the same annotation of the same file ({path}). {remedy}"


def prepare(gold: Given, systems: Any, measures: Sequence[Measure], options: Options) -> Run:
    """Everything that these measures are to judge."""
    return OpenFiles(gold, systems, options, measures).run(measures)
