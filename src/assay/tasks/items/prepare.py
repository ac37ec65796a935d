"""Items: from what the user names to pairs in gold's order, joined by id."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import align
from assay.arrays import NONE, Ints
from assay.corpus import SEVERAL, Column, Corpus
from assay.corpus.items import LABEL, ItemTable
from assay.corpus.ratings import parse_number
from assay.engine import mapping
from assay.engine.mapping import idle_rules
from assay.engine.prepare import Run, note_on_reading
from assay.engine.warnings import identical_outputs, plain_sentence, remark
from assay.errors import AlignmentError, InputError, UsageError
from assay.formats import Input
from assay.result import enumeration
from assay.result.numbers import plural
from assay.tasks.items.confidences import apply_threshold, asked_positive, count_not_highest
from assay.tasks.items.judge import ItemRun, judge_items
from assay.tasks.items.slices import check_slices, divide_items

_NAMED = 3
"""The most ids that are listed."""
_MOST_LABELS = 20
"""More different whole numbers than this are numbers, not labels."""
_MOST_RANKS = 1_000
_COMMA = re.compile(r"[-+−]?\d+,\d+")
_POINTS = "save the table with English numbers"
_ORDERED = ("mae", "rmse", "bias", "r2", "within", "pearson", "spearman", "kendall")
_RANKING = ("auc", "average-precision")
"""Measures that need no answers, only their confidences."""
_DEFAULTS = {
    "labels": ("accuracy", "label-f1"),
    "sets": ("label-f1(average=micro)", "subset-accuracy"),
    "ordered": ("accuracy", "kappa(weights=quadratic)", "within"),
    "numbers": ("pearson", "spearman", "mae"),
}


def table_of(item: Input | Corpus, *, keeps: bool = False) -> ItemTable:
    """The table of a side; a file is read once, and `keeps` its table for the next time."""
    if not isinstance(item, Corpus):
        corpus = item.kept or item.read()
        item.kept = corpus if keeps else None
        item = corpus
    table = item.layer(ItemTable)
    if table is None:
        raise InputError(f'{item.name}: no table of items ({item.format}). Name its format: --input-format "items"')
    return table


def default_measures(gold: Input | Corpus) -> tuple[str, ...]:
    """The measures if the user names none, by what gold's items have; of logs, the scores in them.

    If answers to choices are known, accuracy is the logged `acc`.
    """
    table = table_of(gold, keeps=True)
    if not table.scores:
        return _DEFAULTS[kind_of(table, ())]
    means = [f"mean(of={name})" for name in table.scores if table.is_logged or name != "acc"]
    return tuple(means if table.is_logged else ["accuracy", *means])


def kind_of(gold: ItemTable, measures: Sequence[str]) -> str:
    """What items have: sets, ordered labels, numbers, labels, or scores if nothing else is asked for."""
    if measures and {*measures} == {"mean"}:
        return "scores"
    if gold.sets or gold.order:
        return "sets" if gold.sets else "ordered"
    numbers = [parse_number(label) for label in gold.labels.counts() if label]
    if not numbers or None in numbers:
        return "labels"
    whole = all(number is not None and number == int(number) for number in numbers)
    if not whole or len(numbers) > _MOST_LABELS or {*measures} & {*_ORDERED}:
        return "numbers"
    return "labels"


def prepare_items(run: Run) -> None:
    """Read tables of items, and bring those of the systems into gold's order."""
    options, names = run.options, [measure.name for measure in run.measures]
    if options.unit in ("document", "sentence"):
        raise UsageError(
            f"--unit {options.unit}: items have no {options.unit}s. Units are items, unless --unit meta:COLUMN"
        )
    run.unit = "sentence" if options.unit in (None, "item") else options.unit
    gold = whole = drop_repeats(table_of(run.inputs[0]), options.duplicates)
    tables = [gold, *(drop_repeats(table_of(item), options.duplicates, gold.ids) for item in run.inputs[1:])]
    kind = (options.decided.kind if options.decided else "") or kind_of(gold, names)
    run.decide(kind=kind, column=LABEL, joined_by="order" if gold.ids is None else "id", order=gold.order)
    for name, table in zip(run.names, tables, strict=True):
        run.notes += [note_on_reading(name=name, text=note, number=0, first=[]) for note in table.notes]
        run.warnings += [note_on_reading(name=name, text=text, number=0, first=[]) for text in table.warnings]
    # Two annotators have no gold, scores in a log need none, and no label is the empty set.
    takes_all = options.symmetric or kind in ("sets", "scores")
    labelled = np.arange(len(gold)) if takes_all else np.flatnonzero(~gold.missing)
    open_ids = {*gold.ids} if gold.ids is not None and len(labelled) < len(gold) else set()
    if options.judge:
        # Humans and the judge may each label a part of the items that systems answer.
        open_ids |= {name for table in tables[1:] for name in table.ids or ()}
    left_out = {} if takes_all else dict.fromkeys(np.flatnonzero(gold.missing).tolist(), "no gold label")
    _check_spelling(gold, kind, run)
    number, gold = len(gold), gold.take(labelled) if len(labelled) < len(gold) else gold
    if not len(gold):
        raise InputError(
            f"{gold.path}: no item has a label. Are gold and system swapped? Or choose it with --column."
        )
    run.warnings.append(items_unlabelled(number=number - len(gold), items=number))
    for table in tables[1:] if whole.ids is None and not options.id else ():
        _check_other_ids(whole, table)
    orders = [join_items(tables[0], gold, table, options.on_mismatch, open_ids) for table in tables[1:]]
    absent = np.any([order == NONE for order in orders], axis=0)
    if kind == "numbers":
        # An answer without a number has no error, and no place in a correlation.
        unanswered = [table.missing[order] for table, order in zip(tables[1:], orders, strict=True)]
        absent |= np.any(unanswered, axis=0) & (options.on_mismatch == "skip")
    if absent.any() and options.on_mismatch == "skip":
        kept = np.flatnonzero(~absent)
        if not len(kept):
            raise AlignmentError(f"{gold.path}: no item is in all files.")
        left_out |= dict.fromkeys(labelled[absent].tolist(), "not in all files")
        gold, orders = gold.take(kept), [order[kept] for order in orders]
    run.warnings.append(items_left_out(number=int(absent.sum()), items=len(absent), skip=options.on_mismatch))
    gone = ((row, whole.ids[row] if whole.ids else str(row + 1), reason) for row, reason in sorted(left_out.items()))
    corpora = [replace(gold.corpus(), left_out=tuple(gone))]
    positive, only_ranked = asked_positive(run.measures), bool(names) and {*names} <= {*_RANKING}
    for name, table, order in zip(run.names[1:], tables[1:], orders, strict=True):
        lacking = np.flatnonzero(order == NONE)
        if len(lacking) and options.missing == "error":
            ids = gold.ids or ()
            named = ", ".join(ids[row] for row in lacking[:_NAMED].tolist()) + ", …" * (len(lacking) > _NAMED)
            missing = "is missing" if len(lacking) == 1 else "are missing"
            if {ids[row] for row in lacking.tolist()} <= table.failed:
                missing = "ended with an error"
            raise AlignmentError(
                f"{table.path}: {len(lacking):,} of {len(gold):,} items of gold {missing} ({named}). --missing empty "
                "counts them as wrong, --on-mismatch skip leaves them out."
            )
        run.warnings.append(answers_missing(name=name, number=len(lacking)))
        same, threshold = np.array_equal(order, np.arange(len(table))), options.threshold_of(name)
        joined = table if same else table.take(order)
        answered, note = apply_threshold(gold, joined, kind, threshold and threshold[0], positive, ranks=only_ranked)
        run.notes += [plain_sentence(text=f"{name}: {note}")] if note else []
        run.warnings.append(answers_not_highest(name=name, number=count_not_highest(answered)))
        corpora.append(answered.corpus())
    run.take(corpora)
    check_slices(run)
    _check_targets(run)
    if options.map is not None:
        run.map_labels(lambda rules, corpus, sides: mapping.map_corpus(rules, corpus, LABEL, sides))
    counts = [_count_labels(corpus) for corpus in run.corpora]
    if kind in ("labels", "sets", "ordered"):
        _check_labels(run, counts)
    run.count_labels(lambda corpus: _members(corpus, kind))
    every = dict.fromkeys(label for own in counts for label in own)
    ignored = frozenset(label for label in every if not options.keeps(label))
    if ignored and kind != "sets" and "accuracy" in names:
        note = "--labels and --ignore-labels are for label-f1; accuracy counts all items."
        run.notes.append(plain_sentence(text=note))
    ranks = gold.order
    if kind == "sets":
        ranks = tuple(options.labels or every)
    elif not ranks and all(found is not None and found % 1 == 0 for found in map(parse_number, every)):
        values = [int(parse_number(label) or 0) for label in every]
        low, high = min(values), max(values)
        ranks = tuple(map(str, range(low, high + 1))) if high - low < _MOST_RANKS else ()
        is_rating = kind == "labels" and len(every) > 2 and not tables[0].scores
        if is_rating and not any(name in (*_ORDERED, "kappa") for name in names):
            run.notes.append(plain_sentence(text="labels are whole numbers. If they are ratings: -m mae -m within"))
    several = kind == "labels" and any(SEVERAL in label for label in run.gold.column(LABEL).vocabulary)
    layer = ItemRun(kind, ranks, ignored, several and tables[0].alternatives)
    run.skipped = np.zeros(run.gold.sentences, dtype=bool)
    for name, corpus in run.systems:
        run.pairs.append((name, align(run.gold, corpus, column=LABEL).with_layer(layer)))
    judged = [(name, judge_items(pair)) for name, pair in run.pairs]
    run.corpora[0] = run.gold.with_layer(divide_items(run, judged))
    for name, items in judged if kind == "labels" and not (options.symmetric or only_ranked) else ():
        said = np.unique(items.answer[0]).tolist()
        constant = items.labels[said[0]] if len(said) == 1 and said[0] != NONE else ""
        always = said == [NONE] or (bool(constant) and len(items) > 1)
        run.warnings.append(constant_answers(name=name, label=constant, always=always and len(counts[0]) > 1))
    if tables[0].unit and options.unit is None:
        unit = tables[0].unit
        run.notes.append(
            plain_sentence(
                text=f"items of one {unit} may resemble each other. To resample by {unit}: --unit meta:{unit}"
            )
        )
    answers = [(name, np.array([*items.labels, None], dtype=object)[items.answer[0]]) for name, items in judged]
    run.warnings += [] if only_ranked else [identical_outputs(answers, np.array_equal)]
    run.warnings += idle_rules(run.mappings) if options.map is not None else ()
    run.items = run.gold.sentences


# --- joining ---


def drop_repeats(table: ItemTable, duplicates: str, different: Sequence[str] | None = None) -> ItemTable:
    """The table without items that come again; an error unless the user says what becomes of them.

    `different` are ids, such as those of gold, that are known to be all different.
    """
    ids = table.ids
    if ids is not None and ids == different:
        # One list for both sides.
        return replace(table, ids=different)
    if ids is None or len({*ids}) == len(ids):
        return table
    first = {name: row for row, name in reversed([*enumerate(ids)])}
    counted: dict[str, int] = {}
    for row, name in enumerate(ids):
        counted[name] = counted.get(name, 0) + 1
        if counted[name] == 2 and duplicates == "error":
            before = first[name]
            label, other = (table.labels[one] or "no label" for one in (before, row))
            line = f"line {table.lines[before]}" if table.lines is not None else f"item {before + 1}"
            raise InputError(
                f"{table.place(row)}: id {name} is repeated ({line}: {label}, here: {other}). To keep the first: "
                f"--duplicates first"
            )
    kept = [row for name, row in sorted(first.items(), key=lambda pair: pair[1])
            if duplicates == "first" or counted[name] == 1]  # fmt: skip
    gone = len(ids) - len(kept)
    note = f"{plural(gone, 'row was', 'rows were')} left out, because the ids were repeated."
    return replace(table.take(np.array(kept, dtype=np.int64)), notes=(*table.notes, note))


def join_items(whole: ItemTable, gold: ItemTable, system: ItemTable, on_mismatch: str, open_ids: set[str]) -> Ints:
    """The system's row of each item of gold, NONE if it has none; by id, or by order if neither side has ids.

    whole: gold with the items that have no label, whose ids are `open_ids`.
    """
    if (gold.ids is None) != (system.ids is None):
        one, other = (system, gold) if gold.ids is None else (gold, system)
        raise AlignmentError(
            f"{other.path}: no ids, but {one.path} has some. Name their column with --id, or match by order: "
            f"--id none"
        )
    if gold.ids is None or system.ids is None:
        if len(whole) != len(system):
            raise AlignmentError(
                f"{system.path}: {plural(len(system), 'item')}, but {whole.path} has {len(whole):,}, and there are "
                "no ids. Name their column with --id."
            )
        _check_texts(whole, system, np.arange(len(whole)), on_mismatch)
        return np.flatnonzero(~whole.missing) if len(gold) < len(whole) else np.arange(len(whole))
    if gold.ids == system.ids:
        order = np.arange(len(gold))
    else:
        place = {name: row for row, name in enumerate(system.ids)}
        order = np.fromiter((place.get(name, NONE) for name in gold.ids), dtype=np.int64, count=len(gold))
        _check_ids(gold, system, order, on_mismatch, open_ids)
    _check_texts(gold, system, order, on_mismatch)
    return order


def _check_other_ids(gold: ItemTable, system: ItemTable) -> None:
    """An error if a column of both sides has the same cells, each once, in another order: these are ids."""
    for name in gold.metadata.keys() & system.metadata.keys():
        ours, theirs = (table.metadata[name].strings() for table in (gold, system))
        if ours != theirs and len({*ours}) == len(ours) and {*ours} == {*theirs}:
            raise AlignmentError(
                f"{system.path}: column {name} has the cells of {gold.path}, each once and in another order. If "
                f"these are ids: --id {shlex.quote(name)}; to match by order anyway: --id none"
            )


def _check_ids(gold: ItemTable, system: ItemTable, order: Ints, on_mismatch: str, open_ids: set[str]) -> None:
    """An error for ids that gold lacks, or if no id is the same."""
    assert gold.ids is not None and system.ids is not None
    found = int((order != NONE).sum())
    if not found:
        numbers = [{parse_number(name) for name in ids} for ids in (gold.ids, system.ids)]
        equal = None not in numbers[0] and numbers[0] == numbers[1]
        how = "; as numbers they would agree (1 and 01, or 1.0): write them in the same way" if equal else ""
        theirs, ours = (", ".join(ids[:_NAMED]) for ids in (system.ids, gold.ids))
        raise AlignmentError(
            f"{system.path}: ids {theirs}; {gold.path} has {ours}: none in common{how}. "
            "Name the column of ids: --id NAME; to match by order: --id none"
        )
    if found == len(system) or on_mismatch == "skip":
        return
    known = {*gold.ids, *open_ids}
    foreign = next((row for row, name in enumerate(system.ids) if name not in known), None)
    if foreign is not None:
        own = system.ids[foreign]
        number = parse_number(own)
        alike = next((name for name in gold.ids if number is not None and parse_number(name) == number), "")
        how = f", which has {alike}: write ids in the same way" if alike else ""
        raise AlignmentError(
            f"{system.place(foreign)}: id {own} is not in {gold.path}{how}. To leave such items out: "
            "--on-mismatch skip"
        )


def _check_texts(gold: ItemTable, system: ItemTable, order: Ints, on_mismatch: str) -> None:
    """Texts that both sides have must be equal."""
    for name in gold.texts.keys() & system.texts.keys() if on_mismatch == "error" else ():
        ours, theirs = gold.texts[name], system.texts[name]
        if ours == theirs:
            continue
        for row, other in enumerate(order.tolist()):
            if other != NONE and ours[row] != theirs[other]:
                raise AlignmentError(
                    f"{system.place(other)}: its {name} is {theirs[other]!r:.40}, but {gold.place(row)} has "
                    f"{ours[row]!r:.40}. To continue anyway: --on-mismatch warn"
                )


def _check_targets(run: Run) -> None:
    """Gold's labels in a system's file must be those of gold."""
    gold = run.gold.layers[ItemTable]
    for _, corpus in run.systems:
        table = corpus.layers[ItemTable]
        if table.targets is None:
            continue
        for row, (ours, theirs) in enumerate(zip(gold.labels.strings(), table.targets.strings(), strict=True)):
            if theirs and ours != theirs:
                column = "Say which column has the answers, e.g. --column prediction"
                remedy = "Give logs of the same questions" if table.scores else column
                raise InputError(
                    f"{table.place(row)}: gold's label is {theirs} here, but {ours} in {gold.place(row)}. {remedy}"
                )


# --- labels ---


def _check_spelling(gold: ItemTable, kind: str, run: Run) -> None:
    """An error for numbers with decimal commas, and a note on cells that look like sets."""
    labels = [label for label in gold.labels.counts() if label] if kind == "labels" else []
    commas = [label for label in labels if _COMMA.fullmatch(label)]
    if commas and all(parse_number(label.replace(",", ".")) is not None for label in labels):
        raise InputError(f"{gold.path}: {commas[0]} has a decimal comma. Write numbers with a point: {_POINTS}")
    for mark in "|;,":
        parts = [part.strip() for label in labels if mark in label for part in label.split(mark)]
        if parts and 2 * sum(part in labels for part in parts) >= len(parts):
            several = next(label for label in labels if mark in label)
            run.warnings.append(plain_sentence(text=f"the label {several} may be a set. If it is: --sets '{mark}'"))


def _members(corpus: Corpus, kind: str) -> Column:
    """The labels of a corpus, those of sets one by one."""
    labels, members = corpus.column(LABEL), (label.split(SEVERAL) for label in corpus.column(LABEL).strings())
    return Column.of(one for own in members for one in own if one) if kind == "sets" else labels


def _count_labels(corpus: Corpus) -> dict[str, int]:
    """How often each label of a side occurs."""
    counts: dict[str, int] = {}
    for label, number in corpus.column(LABEL).counts().items():
        for one in label.split(SEVERAL) if label else ():
            counts[one] = counts.get(one, 0) + number
    return counts


def _check_labels(run: Run, counts: Sequence[Mapping[str, int]]) -> None:
    """An error if a system has none of gold's labels; a warning if labels differ in writing only."""
    gold = counts[0]
    plain = {_plain(label): label for label in gold}
    for (name, corpus), own in zip(run.systems, counts[1:], strict=True):
        many = run.gold.sentences > 1 and run.options.decided is None and run.options.on_mismatch != "warn"
        if many and own and gold and not own.keys() & gold.keys():
            theirs, ours = (", ".join(sorted(labels)[:5]) for labels in (own, gold))
            raise InputError(
                f"{corpus.name}: has the labels {theirs}, but gold has {ours}; none in common. Map them: --map FILE "
                f"(in Python id2label=)"
            )
        alike = [(label, plain[_plain(label)]) for label in own if label not in gold and _plain(label) in plain]
        run.warnings.append(labels_alike(name=name, pairs=[f"{one} and {other}" for one, other in alike]))


def _plain(label: str) -> str:
    number = parse_number(label)
    return label.casefold() if number is None else repr(float(number))


@remark
def constant_answers(name: str, label: str, always: bool) -> Iterator[str]:
    """A system that answers nothing, or always the same."""
    if always:
        yield f"{name}: always answers {label}." if label else f"{name}: has no answer to any item."


@remark
def labels_alike(name: str, pairs: Sequence[str]) -> Iterator[str]:
    """Labels of a system that differ from gold's in writing only."""
    if pairs:
        listed = enumeration(list(dict.fromkeys(pairs))[:5])
        yield (
            f"{name}: some labels differ only in spelling: {listed} (gold's last). If they mean the same: --map FILE"
        )


@remark
def items_unlabelled(number: int, items: int) -> Iterator[str]:
    """Items without a gold label."""
    if number:
        have, were = ("has", "was") if number == 1 else ("have", "were")
        yield f"{number:,} of {items:,} items {have} no gold label and {were} left out."


@remark
def items_left_out(number: int, items: int, skip: str) -> Iterator[str]:
    """Items that some system lacks, if these are left out."""
    if number and skip == "skip":
        are, were = ("is", "was") if number == 1 else ("are", "were")
        yield f"{number:,} of {items:,} items {are} not in all files and {were} left out."


@remark
def answers_missing(name: str, number: int) -> Iterator[str]:
    """Items that a system's file lacks, if these count as not answered."""
    if number:
        counts = "counts" if number == 1 else "count"
        yield f"{name}: lacks {plural(number, 'item')} of gold, which {counts} as no answer."


@remark
def answers_not_highest(name: str, number: int) -> Iterator[str]:
    """Answers that are not the highest of their distribution."""
    if number:
        what = plural(number, "label is", "labels are")
        yield f"{name}: {what} not the highest of the probabilities of the item; the label counts."
