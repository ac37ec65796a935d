"""The whole way from what the user names to a Result: shards, the Part of each, their sum."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cache, partial
from itertools import combinations
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.classes import dataclass
from assay.corpus import SPANS, Corpus, cluster_key
from assay.corpus.adapters import named_systems
from assay.engine.combination import Ballots, collect, find_units
from assay.engine.contributions import list_pairs, subtract_counts, subtract_whole
from assay.engine.counts import BLOCKS, Counts, JointCounts, fold_units, hash_blocks, hash_ids, pick_units
from assay.engine.examples import DrawnExample, draw_sentences, lot_of
from assay.engine.finish import make_result
from assay.engine.items import Items, count_label_pairs, join, judge_words
from assay.engine.measure import Measure, find
from assay.engine.options import Decided, Options, checksum_files
from assay.engine.parts import DOCUMENTS, MOST_DOCUMENTS, LabelSums, Part, RunPlan, choose_bases, choose_unit
from assay.engine.plans import with_unit_plans
from assay.engine.prepare import OpenFiles, Run, prepare
from assay.engine.repeats import evaluate_repeats
from assay.engine.risks import Overlaps, count_overlaps
from assay.engine.scores import Settings
from assay.engine.slices import Slice
from assay.engine.task import find_task, preset_measures
from assay.engine.texts import Texts, make_texts
from assay.engine.values import MOST_DRAWN, JointValues, Values, grade_items
from assay.engine.warnings import format_warnings
from assay.errors import AssayError, InputError, UsageError, describe_os_error
from assay.files import protect_inputs, write_files
from assay.formats import Files
from assay.formats.folders import find_annotators
from assay.formats.pieces import cut_files, text_size
from assay.formats.source import find_folder, is_archive, list_files
from assay.keywords import OPTIONS
from assay.result import Result
from assay.result.numbers import plural
from assay.specs import whole_number
from assay.stats.values import ColumnMean

if TYPE_CHECKING:
    from assay.engine.combined import Combined

_Tables = Sequence[tuple[str, Items | Counts | Values]]
"""The items, counts or values that a measure gives for each system, by name."""
_Units = tuple[Ints, Ints]
"""The unit of each sentence of gold (NONE if it is left out), and the units of the corpus that are kept."""


def measure_shard(command: str, gold: Any, systems: Any, specs: Sequence[str], options: Options) -> Part:
    """The Part of gold and systems, or of one shard of them: it can travel, and be added to others."""
    for spec in options.slices:
        # Refused before files are opened.
        Slice.find(spec)
    preset = preset_measures(options.preset) if options.preset else ()
    named = list(dict.fromkeys([*preset, *specs]))
    opened = OpenFiles(gold, systems, options, [find(spec) for spec in named])
    task = find_task(opened.task)
    slices = [Slice.find(spec, opened.task) for spec in dict.fromkeys(options.slices)]
    if not named:
        usual = task.measures_for(opened.inputs[0]) if task.measures_for else task.defaults
        named = [*usual, *(task.with_known_words if options.train or options.lexicon else ())]
    run = opened.run([find(spec, opened.task) for spec in named])
    if isinstance(gold, Files) and gold.piece is not None:
        check_piece(run)
    # A task may add measures that files call for.
    named += [str(measure) for measure in run.measures[len(named) :]]
    for first, second in combinations(run.measures, 2):
        if str(first) == str(second) and first.main != second.main:
            raise UsageError(f"-m {first}: given with two main scores, {first.main} and {second.main}. Choose one.")
    if options.decided is None:
        format_warnings(run.warnings)
    tables = [[(name, measure.judge(pair)) for name, pair in run.pairs] for measure in run.measures]
    decided = options.decided
    if decided is None or not decided.task:
        # As the files themselves decide.
        judged = {name for name, _ in run.pairs}
        filled = tuple(source.name in judged for source in run.sources) if run.decided.filled else ()
        decided = replace(run.decided, task=run.task, filled=filled)
    # Files of items are no documents.
    is_open = options.unit is None and task.text_unit != task.noun
    unit_is_open = is_open and not (options.symmetric or options.figures_alone)
    kinds = [
        first.kinds if isinstance(first, Items) and not options.figures_alone else None for (_, first), *_ in tables
    ]
    graded = [index for index, own in enumerate(tables) if grade_items(_values_of(own), run.measures[index])]
    if graded and kinds == [None] * len(kinds) and not options.figures_alone:
        # Without items that are right or wrong, the grades of values are shown: best those that a mean is of.
        is_mean = [isinstance(run.measures[index].scores[run.measures[index].main], ColumnMean) for index in graded]
        kinds[graded[is_mean.index(True) if any(is_mean) else 0]] = ()
    plan = RunPlan(
        command=command,
        options=replace(options, decided=None),
        specs=tuple(named),
        parameters=tuple(measure.parameters for measure in run.measures),
        task=run.task,
        column=run.decided.column,
        asked="" if unit_is_open and run.unit == "sentence" else run.unit,
        scheme=next(iter(run.decided.schemes), ""),
        atoms=run.atoms,
        tagset=run.tagset,
        empty=run.pairs[0][1].system.empty or run.gold.empty,
        decided=decided,
        judged=tuple(name for name, _ in run.pairs),
        compares=command in ("compare", "plan") and len(run.pairs) > 1,
        contents=checksum_files(options, run.measures),
        kinds=tuple(kinds),
    )
    names = run.gold.unit_names("sentence") if run.skipped.any() else ()
    skipped = [name for name, gone in zip(names, run.skipped.tolist(), strict=False) if gone]
    divided = 0
    if cluster_key(run.unit) and run.gold.document_starts is not None:
        # Units are values of a comment, and a document may have several.
        both = np.stack([run.gold.document_of_sentence, run.gold.unit_of_sentence(run.unit)], axis=1)
        divided = int((np.bincount(np.unique(both, axis=0)[:, 0]) > 1).sum())
    words = int((~run.skipped[run.gold.sentence_of]).sum())
    # The sums of the first measure in every system before and after the mapping file.
    effects: dict[tuple[str, str], LabelSums] = {}
    if (
        options.map is not None
        and not isinstance(tables[0][0][1], Values)
        and "-" not in [item for item in (gold, *named_systems(systems).values()) if isinstance(item, str)]
    ):
        unmapped: dict[str, Any] = {}
        # Labels may have nothing in common before they are mapped.
        with suppress(AssayError):
            unmapped = dict(prepare(gold, systems, run.measures, replace(options, map=None)).pairs)
        for name, pair in run.pairs:
            for when, own in (("before", unmapped.get(name)), ("after", pair)) if name in unmapped else ():
                effects[when, name] = sum_counts(run.measures[0], own, run.gold.sentences)
    part = Part(
        plan=plan,
        reading=replace(run.decided, task=run.task),
        sources=(run.source(0), *run.sources),
        digests=tuple((one.sha256,) if isinstance(one, Corpus) else one.digests for one in opened.inputs),
        aligned=tuple((pair.aligned_by, words - len(pair.gold_words)) for _, pair in run.pairs),
        warnings=tuple(run.warnings),
        notes=tuple(run.notes),
        mappings=tuple(run.mappings),
        numbers={
            "items": run.items,
            "left out": sum(lot_of(0, "left out", name) for name in skipped),
            "divided documents": divided,
        },
        sums=effects,
        of_task=task.sums(run, plan.compares) if task.sums else {},
        confident=task.confident(run) if task.confident and not options.figures_alone else {},
        labels=join([(name, judge_words(pair)) for name, pair in run.pairs]) if run.decided.parted_by else None,
    )
    return _with_selections(part, run, tables, slices, options, opened.inputs)


def check_piece(run: Run) -> None:
    """Raise an error unless gold and all systems certainly have the same sentences in a piece of a file."""
    same = all(
        pair.aligned_by == "words" and not pair.problems and np.array_equal(pair.gold.starts, pair.system.starts)
        for _, pair in run.pairs
    )
    # A system without labels in this piece may have some in others.
    known = "in pieces" in find_task(run.task).traits and all(run.decided.filled)
    if all(SPANS in corpus.marks for corpus in run.corpora):
        # Tags in several columns may have several schemes, and documents must be the same.
        known = "+" not in run.decided.column and len({corpus.documents for corpus in run.corpora}) == 1
        known = known and all(len(corpus.spans) for corpus in run.corpora)
    if not known or not same:
        raise UsageError(f"{run.gold.name}: cannot be read in pieces.")


def _with_selections(
    part: Part, run: Run, tables: Sequence[_Tables], slices: Sequence[Slice], options: Options, inputs: Sequence[Any]
) -> Part:
    """The Part with the counts and items of each measure over everything and over each value of the slices; with the
    examples, texts and confusions of the measure that systems are compared on."""
    plan, gold, is_shard = part.plan, run.gold, options.decided is not None
    basis, bases = choose_bases(dict(enumerate(plan.kinds)), run.measures)
    compared = bases if plan.compares else []
    counts: dict[tuple[int, str | None, str], JointCounts | JointValues] = {}
    folded: dict[tuple[int, str | None], Items] = {}
    overlaps: dict[tuple[int, str | None, str], Overlaps] = {}
    sizes: dict[tuple[int, str | None], int] = {}
    ballots: dict[tuple[int, str], Ballots] = {}
    combined: list[Combined] = []
    one_sided: list[tuple[int, str | None]] = []
    orders: dict[str, tuple[tuple[str, ...], ...]] = {}
    shown: dict[str, Items] = {}
    """For a page: the items of each value of each slice, under the measure that systems are compared on."""
    shown_items = cache(
        lambda index: _items_of(tables[index]) or grade_items(_values_of(tables[index]), run.measures[index])
    )
    joined = cache(lambda index: join(shown_items(index)))
    blocks = cache(lambda unit: hash_blocks(gold.unit_names(unit)))
    numbered = cache(lambda: _number_blocks(gold))
    cut = cache(lambda unit: find_units(gold, unit, *units[unit]))

    def tally(
        index: int, judged: _Tables, unit: str, units: _Units, *, by_item: bool = False, **how: bool
    ) -> JointCounts | JointValues:
        measure, (of_sentence, kept) = run.measures[index], units
        names, values, ids = None, _values_of(judged), None
        if unit == "sentence" and "sent_id" in gold.facts and len(kept) <= MOST_DRAWN // options.times:
            ids = hash_ids(gold.metadata("sent_id"))[kept]
        if cluster_key(unit):
            # A value may come again in other shards, so that names are kept.
            all_names = list(gold.unit_names(unit))
            names = [all_names[number] for number in kept.tolist()]
        alone = not is_shard or names is not None
        if values:
            named = None if names is None else tuple(names)
            more: dict[str, Any] = {"names": named, "unit": unit, "compares": how["compares"], "alone": alone}
            more["ids"] = ids
            return JointValues.of(values, of_sentence, len(kept), lambda: blocks(unit)[kept], **more)
        number, group = len(kept), None
        of_items = [one for _, one in judged if isinstance(one, Items)] if names is None else []
        folds = of_items and len(judged) <= MOST_FOLDED and (is_shard or number > BLOCKS)
        single = fold_units(of_items, of_sentence, number) if folds else None
        if found := single or (pick_units(of_items, of_sentence, number) if by_item and of_items else None):
            judged, group = list(zip((name for name, _ in judged), found[0], strict=True)), found[1]
            number = len(found[0][0]) + 1 if single else int(group.max(initial=NONE)) + 1
            of_sentence = np.arange(number)
        return JointCounts.of(
            [(name, measure.counts_of(one, len(of_sentence)).regroup(of_sentence, number)) for name, one in judged],
            measure.fields_read,
            lambda: blocks(unit)[kept],
            alone=alone,
            names=names,
            ids=ids,
            unit=unit,
            group=group,
            single_items=single is not None,
            **how,
        )

    def select(
        index: int,
        where: str | None,
        judged: _Tables,
        units: dict[str, _Units],
        *,
        keeps: bool,
        size: int = 0,
        by_item: bool = False,
    ) -> None:
        """Add the counts of a measure over everything or over one value of a slice; `keeps`: its items too."""
        items, measure = _items_of(judged), run.measures[index]
        is_shown = where is not None and index == basis and options.embed != "none"
        if items and (keeps or is_shown):
            table = joined(index) if where is None else join(items)
            if keeps:
                folded[index, where], group = table.fold_groups()
                way = find_task(plan.task).find_combination(measure, bool(table.kinds))
                for unit in units if way and where is None and index in compared else ():
                    found = collect(run, way, items, table, folded[index, where], group, cut(unit))
                    if found:
                        ballots[index, unit] = found[0]
                    if options.combined and index == basis:
                        from assay.engine.combined import combine

                        combined.append(combine(run, inputs, found, table, items))
            if keeps and plan.compares and (where is None or (options.risk and where.startswith("meta:"))):
                for unit, (of_sentence, kept) in units.items():
                    names = [*gold.unit_names(unit)] if cluster_key(unit) else []
                    own_names = [names[number] for number in kept.tolist()] if names else []
                    overlaps[index, where, unit] = count_overlaps(table, of_sentence, own_names)
            if is_shown:
                shown[str(where)] = table
        # Each label is resampled by itself; in a slice only if the main score is an average over them.
        how = {"by_label": where is None or measure.main in measure.averages, "compares": plan.compares}
        for unit, own in units.items():
            counts[index, where, unit] = tally(index, judged, unit, own, by_item=by_item, **how)
        if any(one.selected and (one.has_gold != one.has_system[0]).any() for _, one in items):
            one_sided.append((index, where))
        if where is not None:
            sizes[index, where] = size

    changed: dict[tuple[int, str], JointCounts] = {}

    def subtract(index: int, judged: _Tables, units: dict[str, _Units]) -> None:
        """Add how the counts of each pair of systems differ under a measure, by group of items and by document."""
        measure, ones = run.measures[index], [one for _, one in judged]
        pairs = list_pairs(plan.judged, options.baseline)
        if _values_of(judged) or not pairs:
            return
        tables = subtract_counts(measure, ones, gold.sentences, pairs)
        wanted = [(unit, unit, own) for unit, own in units.items()] if tables else []
        task, documents = find_task(plan.task), _units_of(run, ["document"])["document"]
        if task.text_unit != task.noun and (0 if is_shard else 1) < len(documents[1]) <= MOST_DOCUMENTS:
            wanted.append((DOCUMENTS, "document", documents))
            tables = tables or subtract_whole([measure.counts_of(one, gold.sentences) for one in ones], pairs)
        for name, unit, (of_sentence, kept) in wanted:
            is_named = name == DOCUMENTS or bool(cluster_key(unit))
            names = _document_names(gold) if name == DOCUMENTS else list(gold.unit_names(unit)) if is_named else []
            labels: dict[str, Any] = {"labels": None, "label": None} if name == DOCUMENTS else {}
            own = [replace(one, **labels).regroup(of_sentence, len(kept)) for one in tables or ()]
            changed[index, name] = JointCounts.of(
                [(f"{a}-{b}", one) for (a, b), one in zip(pairs, own, strict=True)],
                lambda sums: (),
                partial(lambda unit, kept: (numbered() if unit == "sentence" else blocks(unit))[kept], unit, kept),
                compares=False,
                alone=is_named or not is_shard,
                names=[names[number] for number in kept.tolist()] if is_named else None,
                unit=unit,
            )

    units = _units_of(run, [plan.asked] if plan.asked else ["sentence", "document"])
    if not plan.asked:
        decided = choose_unit(len(units["document"][1]), len(units["sentence"][1]))
        # If there are too few documents here, other shards may have more.
        if decided == "document" or not is_shard:
            units = {decided: units[decided]}
    for index, judged in enumerate(tables):
        select(index, None, judged, units, keeps=index in compared or index == basis)
        if plan.compares and not (options.symmetric or options.figures_alone):
            subtract(index, judged, units)
    if not options.figures_alone and (plan.asked != "document" or options.unit):
        # Further units of the first measure, to see if sentences of one document or speaker resemble each other.
        task = find_task(plan.task)
        has_documents = not cluster_key(plan.asked) and task.text_unit != task.noun
        others = ("sentence", "document") if has_documents else ("sentence",)
        for unit, own in _units_of(run, [unit for unit in others if unit not in units]).items():
            counts[0, None, unit] = tally(0, tables[0], unit, own, compares=False)
    for slice_ in slices:
        values = slice_.sentences(gold, shard=is_shard)
        if values is not None:
            codes, names = values
            orders[str(slice_)] = (tuple(f"{slice_}={name}" for name in names),) * len(tables)
            for code in np.unique(codes[~run.skipped]).tolist():
                own_units = _units_of(run, units, codes == code)
                for index, judged in enumerate(tables):
                    rows = [
                        (system, one.where(codes[one.sentence] == code) if isinstance(one, Items) else one)
                        for system, one in judged
                    ]
                    select(index, f"{slice_}={names[code]}", rows, own_units, keeps=index in compared)
            continue
        order = []
        for index, judged in enumerate(tables):
            names, parts = _tables_by_value(run, run.measures[index], judged, slice_)
            order.append(tuple(f"{slice_}={name}" for name in names))
            for name, (size, chosen) in parts.items():
                # If values differ between measures, all shards must be known to choose one of them.
                select(index, f"{slice_}={name}", chosen, units, keeps=plan.compares, size=size, by_item=True)
        orders[str(slice_)] = tuple(order)
    part = replace(part, counts=counts, items=folded, changed=changed, sizes=sizes, slices=orders)
    more: dict[str, Any] = {"ballots": ballots, "combined": combined[0] if combined else None}
    part = replace(part, one_sided=tuple(one_sided), overlaps=overlaps, **more)
    if options.combined and not combined:
        from assay.engine.combined import combine

        combine(run, inputs, None, None, ())
    labels = part.labels
    if labels is not None:
        # Units are kept if weightings are to be tested; units of shards are not decided yet.
        of_unit = next(iter(units.values()))[0][labels.sentence]
        ones = np.ones(len(labels), dtype=np.int64)
        tested = options.sweep and plan.compares and not is_shard
        part = replace(part, labels=replace(labels, sentence=of_unit, sizes=ones) if tested else labels.fold())
    if basis is None:
        return part
    task, items, own_tables = find_task(run.task), joined(basis), shown_items(basis)
    texts: tuple[Texts, ...] = ()
    if options.embed != "none":
        on = str(run.measures[basis])
        texts = (make_texts(run, items, own_tables, on, options.embed, options.seed, list(shown.items())),)
    sums, numbers = dict(part.sums), dict(part.numbers)
    # Mentions are more than those that have an antecedent; spans and constituents are what is judged.
    if (items.kinds or run.measures[basis].noun) and "own number" not in task.traits:
        numbers["matched items"] = int(items.has_gold.sum())
    unresolved: list[DrawnExample] = []
    for index in compared:
        on, table = str(run.measures[index]), joined(index)
        if "whole sentences" in task.traits:
            sums["exact", on] = _count_right_sentences(table, [pair.same_sentences() for _, pair in run.pairs])
        if task.drawing.unresolved is not None:
            unresolved += task.drawing.unresolved(run, table, on)
            numbers[f"unresolved {on}"] = int((table.has_gold & ~table.right.any(axis=0)).sum())
    return replace(
        part,
        numbers=numbers,
        sums=sums,
        met={name: count_label_pairs(one) for name, one in own_tables}
        if items.kinds or items.target is not None
        else {},
        drawn={
            "examples": tuple(draw_sentences(run, items, own_tables, options)) if options.examples else (),
            "unresolved": tuple(unresolved),
        },
        texts=texts,
    )


def _document_names(gold: Corpus) -> list[str]:
    """The ids of documents; without an id, the file's name and, if it has several, the number in the file."""
    starts = [first for _, first in gold.files] or [0]
    names = [PurePath(path).name for path, _ in gold.files] or [gold.name]
    firsts = [0] if gold.document_starts is None else gold.document_starts[:-1].tolist()
    files = (np.searchsorted(starts, firsts, side="right") - 1).tolist()
    numbers = [number - files.index(file) + 1 for number, file in enumerate(files)]
    found = []
    for document, (file, number) in enumerate(zip(files, numbers, strict=True)):
        place = f"{names[file]} {number}" if files.count(file) > 1 else names[file]
        found.append(place if gold.document_name(document).isdigit() else gold.document_name(document))
    return found


def _number_blocks(gold: Corpus) -> Ints:
    """A block for each sentence, by its number in its file: for variances, which need no names of sentences."""
    starts = np.array([first for _, first in gold.files] or [0])
    sentence = np.arange(gold.sentences)
    file = np.searchsorted(starts, sentence, side="right") - 1
    names = [PurePath(path).name for path, _ in gold.files] or [gold.name]
    return np.asarray((hash_blocks(names)[file] + sentence - starts[file]) % BLOCKS)


def _items_of(tables: _Tables) -> list[tuple[str, Items]]:
    """The tables of systems, if the measure has items."""
    return [(name, one) for name, one in tables if isinstance(one, Items)]


def _values_of(tables: _Tables) -> list[tuple[str, Values]]:
    """The values of systems, if the measure has values."""
    return [(name, one) for name, one in tables if isinstance(one, Values)]


def _units_of(run: Run, names: Iterable[str], taken: Bools | None = None) -> dict[str, _Units]:
    """By name of a unit, the units of all sentences, or of those taken."""
    taken = ~run.skipped if taken is None else taken & ~run.skipped
    units: dict[str, _Units] = {}
    for name in names:
        kept, renumbered = np.unique(run.gold.unit_of_sentence(name)[taken], return_inverse=True)
        of_sentence = np.full(run.gold.sentences, NONE, dtype=np.int64)
        of_sentence[taken] = renumbered
        units[name] = (of_sentence, kept)
    return units


def _tables_by_value(
    run: Run, measure: Measure, judged: _Tables, slice_: Slice
) -> tuple[tuple[str, ...], dict[str, tuple[int, _Tables]]]:
    """The values that items can have; and for each value that some system's items have, the number of gold's items
    that have it, and the items of all systems."""
    tables = dict(_items_of(judged))
    parts: dict[str, dict[str, tuple[int, Items | Counts]]] = {}
    for name, pair in run.pairs:
        rows: Iterable[tuple[str, int, Items | Counts]] = ()
        if tables and measure.judges_items:
            rows = slice_.parts(pair, tables[name])
        elif slice_.kind.of_counts is not None and not tables:
            rows = slice_.kind.of_counts(pair, measure, slice_.argument)
        # Whole sentences have no meaning for a part of their words, labels none within one label.
        parts[name] = {value: (number, part) for value, number, part in rows}
    order = tuple(dict.fromkeys(value for values in parts.values() for value in values))
    by_value: dict[str, tuple[int, _Tables]] = {}
    for value in order:
        numbers, present = zip(*(values[value] for values in parts.values() if value in values), strict=True)
        # Spurious items may have values that gold does not have.
        chosen: list[tuple[str, Items | Counts]] = [
            (name, values[value][1])
            if value in values
            else (name, tables[name].none() if tables else replace(present[0], values=present[0].values * 0))
            for name, values in parts.items()
        ]
        if not tables:
            by_value[value] = (max(numbers), chosen)
        elif any(one.has_gold.any() or one.has_system.any() for _, one in _items_of(chosen)):
            by_value[value] = (next(iter(parts.values())).get(value, (0,))[0], chosen)
    return order, by_value


def _count_right_sentences(items: Items, there: Sequence[Bools]) -> LabelSums:
    """The numbers of sentences that are all right in each system, in some system, and item by item in some; and of
    all sentences. `there` masks the sentences that each system cuts as gold does.
    """
    sentences = len(there[0])

    def with_any(mask: Bools) -> Bools:
        return np.asarray(np.bincount(items.sentence[mask], minlength=sentences) > 0)

    judged = with_any(np.ones(len(items), dtype=bool))
    exact = np.array([judged & ~with_any(~right) & own for right, own in zip(items.right, there, strict=True)])
    upper = judged & ~with_any(np.asarray(~items.right.any(axis=0))) & np.any(there, axis=0)
    of_all = {"exact_in_one": exact.any(axis=0), "exact_upper": upper, "sentences": judged}
    return {
        "exact": dict(zip(items.systems, exact.sum(axis=1).tolist(), strict=True)),
        "": {name: int(mask.sum()) for name, mask in of_all.items()},
    }


def sum_counts(measure: Measure, pair: Any, sentences: int) -> LabelSums:
    """The sums of a measure over a pair; by label if its main score is an average over labels."""
    counts = measure.counts_of(measure.judge(pair), sentences)
    labels: tuple[str, ...] = ("",)
    totals = counts.values.sum(axis=0)[None]
    if measure.main in measure.averages and counts.labels is not None:
        labels, totals = counts.labels, counts.total()
    return {
        label: dict(zip(counts.fields, row, strict=True)) for label, row in zip(labels, totals.tolist(), strict=True)
    }


# --- shards, and their sum ---

MOST_FOLDED = 20
"""The most systems whose equal items are one before they are counted; of more systems, hardly any items are equal."""
TEXT = 1 << 22
"""Consecutive files are read together up to this number of bytes of gold's text: 4 MB."""


@dataclass(frozen=True)
class Shard:
    """Some files of gold, the files of each system that belong to them, and what is to be measured."""

    number: int
    gold: Files
    systems: tuple[tuple[str, Files], ...]
    command: str = ""
    specs: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    corpus: str = ""
    shards: int = 1

    def read_as(self, decided: Decided) -> Shard:
        """The shard, to be read as another one has decided."""
        return replace(self, options=replace(self.options, decided=decided))

    def measure(self) -> Part:
        """The Part of the shard. A piece of a file decides for itself, and all must decide the same."""
        options = self.options if self.gold.piece is None else replace(self.options, decided=Decided())
        part = measure_shard(self.command, self.gold, dict(self.systems), self.specs, options)
        if self.gold.piece and self.options.decided not in (Decided(), part.plan.decided):
            raise UsageError(f"{self.gold.path}: cannot be read in pieces.")
        plan = replace(part.plan, corpus=self.corpus, shards=self.shards)
        return replace(part, plan=plan, shards=(self.number,))


@dataclass(frozen=True)
class ShardProgress:
    """How many shards are measured, and how long that took."""

    done: int
    total: int
    tokens: int
    """Words of gold."""
    seconds: float

    @property
    def left(self) -> float:
        """The seconds that the rest will take, if it goes on like this."""
        return self.seconds / self.done * (self.total - self.done)


Report = Callable[[ShardProgress | str], None]
"""A function that is told what is being done, in words or as a number of shards."""
Over = Callable[[Sequence[Shard], Decided | None], Iterable[Part]]
"""A way to measure shards: their parts, in order; if nothing is decided, the first part decides how all are read."""


def measure_in_turn(shards: Sequence[Shard], decided: Decided | None) -> Iterator[Part]:
    """The parts of shards, one after the other."""
    for shard in shards:
        part = shard.read_as(decided or Decided()).measure()
        decided = decided or part.plan.decided
        yield part


def evaluate_shards(
    command: str,
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None,
    options: Options,
    settings: Settings | None = None,
    *,
    over: Over = measure_in_turn,
    report: Report = lambda step: None,
) -> Result:
    """The Result of a command, from all shards; resamples that `settings` has drawn already are used again."""
    specs = [measures] if isinstance(measures, str) else list(measures or ())

    def measure_all(command: str, systems: Any, options: Options) -> Part:
        """The sum of all shards. If later ones show that all should be read in another way, all are read again."""
        shards = find_shards(gold, systems)
        report("reading and matching")
        if len(shards) < 2:
            whole = _measure_pieces(command, gold, systems, specs, options, over, report)
            return whole or measure_shard(command, gold, systems, specs, options)
        shards = plan_shards(command, shards, specs, options)
        whole = add_shards(shards, None, over, report)
        if whole.reading == whole.plan.decided:
            return whole
        again = add_shards(shards, whole.reading, over, report)
        sides = zip(*((shard.gold, *(files for _, files in shard.systems)) for shard in shards), strict=True)
        for side, then, now in zip(sides, whole.digests, again.digests, strict=True):
            paths = [path for files in side for path in files.files]
            for path, was, is_now in zip(paths, then, now, strict=True):
                if was != is_now:
                    raise InputError(f"{path}: changed while it was read. Run again when it is complete.")
        return again

    runs = runs_of(gold, systems) if command in ("score", "compare", "plan") else None

    def finish(part: Part) -> Result:
        result = make_result(part, settings)
        if part.combined and isinstance(options.combined, str):
            with protect_inputs(source.path for source in part.sources):
                write_files(part.combined.texts, options.combined)
        return result

    if runs is None:
        part = measure_all(command, systems, options)
        report("intervals and tests")
        result = finish(part)
        return with_unit_plans(result, options) if command == "plan" else result
    return evaluate_repeats(
        command,
        runs,
        options,
        lambda flat, plain: measure_all("score", flat, plain),
        lambda median: finish(measure_all(command, median, options)),
    )


def _measure_pieces(
    command: str, gold: Any, systems: Any, specs: Sequence[str], options: Options, over: Over, report: Report
) -> Part | None:
    """The Part of large single files that are read in pieces; None if they are to be read as a whole.

    So they are too if there is an error, which is then found with its place.
    """
    named = {name: str(given) for name, given in named_systems(systems).items() if isinstance(given, str | Path)}
    whole_needed = (options.symmetric, options.train, options.lexicon, cluster_key(options.unit or ""))
    by_metadata = any(spec.startswith("meta") for spec in options.slices)
    if len(named) < len(named_systems(systems)) or not isinstance(gold, str | Path) or any(whole_needed):
        return None
    if by_metadata or options.embed in ("all", "diff"):
        return None
    pieces, checksums = cut_files([str(gold), *named.values()])
    if not pieces or len(pieces[0]) < 2:
        return None
    shards = [
        Shard(
            number,
            Files(str(gold), (str(gold),), own),
            tuple((name, Files(path, (path,), one)) for (name, path), one in zip(named.items(), others, strict=True)),
        )
        for number, (own, *others) in enumerate(zip(*pieces, strict=True))
    ]
    try:
        whole = add_shards(plan_shards(command, shards, specs, options), None, over, report)
        format_warnings(whole.warnings)
    except AssayError:
        return None
    whole = replace(whole, digests=tuple((checksum,) for checksum in checksums))
    if not pieces[0][1].continues:
        return whole
    # Gold marks no documents, so that all of it is one.
    kept: dict[str, Any] = {
        name: {key: one for key, one in getattr(whole, name).items() if not {"document", DOCUMENTS} & {*key}}
        for name in ("counts", "changed", "ballots", "overlaps")
    }
    return None if whole.plan.asked == "document" else replace(whole, **kept)


def runs_of(gold: Any, systems: Any) -> dict[str, list[Any]] | None:
    """The runs of each system; None if no system has several.

    Several runs are a list of paths, `run1,run2,…` if there is no such file, or a pattern if gold is one file.
    """
    runs_by_name: dict[str, list[Any]] = {}
    are_files = isinstance(gold, str | Path | Corpus | Files)
    one_file = isinstance(gold, str | Path) and Path(gold).is_file()
    for name, given in named_systems(systems).items():
        runs = [given]
        kinds = {*map(type, given)} if isinstance(given, list | tuple) and len(given) > 1 else {None}
        if kinds == {Corpus} or (are_files and kinds <= {str, *map(type, (Path(),))}):
            runs = list(given)
        elif isinstance(given, str) and not os.path.exists(given):
            if "," in given:
                runs = [run for run in given.split(",") if run]
            elif one_file and re.search(r"[*?\[]", given):
                runs = sorted(glob.glob(given, recursive=True)) or [given]
        places = [os.path.realpath(run) for run in runs if isinstance(run, str | Path)]
        if len(set(places)) < len(places):
            twice = next(run for run, place in zip(runs, places, strict=True) if places.count(place) > 1)
            raise UsageError(f"{name}: the run {twice} is given twice. Give each once.")
        runs_by_name[name] = runs
    return runs_by_name if any(len(runs) > 1 for runs in runs_by_name.values()) else None


def add_shards(shards: Sequence[Shard], decided: Decided | None, over: Over, report: Report) -> Part:
    """Measure shards as the first of them decides, or as was decided, and add them up."""
    begun, whole = time.monotonic(), None
    for done, part in enumerate(over(shards, decided), 1):
        whole = part if whole is None else whole + part
        report(ShardProgress(done, len(shards), whole.sources[0].words, time.monotonic() - begun))
    assert whole is not None
    return whole


def find_shards(gold: Any, systems: Any) -> list[Shard]:
    """The shards, in order; none if what is given cannot be read piece by piece: single files, data, one stream.

    Which files go together depends on their sizes alone, so that the same folders always fall into the same shards.
    """
    named = named_systems(systems)
    for given in (gold, *named.values()):
        if not isinstance(given, str | Path) or str(given) == "-" or find_folder(str(given)) is None:
            return []
    files = {name: list_files(str(given)) for name, given in (("", gold), *named.items())}
    for name, given in (("", gold), *named.items()):
        # The files of annotators belong together, and those in zip files have no size of their own.
        if is_archive(str(given)) or find_annotators(find_folder(str(given)) or "", files[name]) is not None:
            return []
    stems = {tuple(os.path.basename(path).partition(".")[0] for path in paths) for paths in files.values()}
    if len(stems) > 1 or any(len(set(names)) < len(names) for names in stems):
        # What does not correspond is for those to refuse who read it.
        return []
    stretches: list[tuple[int, int]] = []
    total = 0
    for number, file in enumerate(files[""]):
        try:
            size = text_size(file)
        except OSError as error:
            raise InputError(f"{file}: cannot be opened ({describe_os_error(error)}).") from None
        if stretches and total + size <= TEXT:
            stretches[-1] = (stretches[-1][0], number + 1)
            total += size
        else:
            stretches.append((number, number + 1))
            total = size
    return [
        Shard(
            number,
            Files(str(gold), tuple(files[""][first:end])),
            tuple((name, Files(str(given), tuple(files[name][first:end]))) for name, given in named.items()),
        )
        for number, (first, end) in enumerate(stretches)
    ]


def plan_shards(command: str, shards: Sequence[Shard], specs: Sequence[str], options: Options) -> list[Shard]:
    """The shards with what is to be measured. Raise an error for options that need all files at once."""
    options.check()
    where = f"files are read separately here ({len(shards):,} shards)"
    for kind in (Slice.find(spec).kind for spec in options.slices):
        if kind.counts and options.train is None:
            raise UsageError(f"--slice {kind.name} counts the {kind.counts} of all files, but {where}. Give --train.")
    for name, option in OPTIONS.items():
        if option.one_file and getattr(options, name):
            raise UsageError(f"{option.flag} works on one file, but {where}. Score them separately.")
    # The names of files count, not their folders.
    names = [[PurePath(path).name for path in shard.gold.files] for shard in shards]
    content = (names, [name for name, _ in shards[0].systems], command, tuple(specs), options)
    corpus = hashlib.sha256(repr(content).encode()).hexdigest()[:16]
    asked: dict[str, Any] = {"command": command, "specs": tuple(specs), "options": options}
    return [replace(shard, **asked, corpus=corpus, shards=len(shards)) for shard in shards]


def job_shards(shards: Sequence[Shard], share: str) -> Sequence[Shard]:
    """The shards that one of several jobs takes: `3/16` is the third sixteenth, counted from 1."""
    number, _, jobs = share.partition("/")
    if not 1 <= whole_number(number) <= whole_number(jobs):
        raise UsageError(f"--shard {share}: write which of how many jobs this is, e.g. 3/16.")
    if int(jobs) > len(shards):
        what = "is only 1 shard" if len(shards) == 1 else f"are only {len(shards):,} shards"
        raise UsageError(
            f"--shard {share}: there {what}, because small files are read together. Use at most "
            f"{plural(len(shards), 'job')}."
        )
    first, end = ((int(number) - back) * len(shards) // int(jobs) for back in (1, 0))
    return shards[first:end]
