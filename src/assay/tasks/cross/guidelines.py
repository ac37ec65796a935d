"""Annotations by several guidelines over one text: tags, spans and arcs become units that can be compared.

Everything is as in TedEval: each system has a gold of its own, and the units that all golds have are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Bools, Ints, as_codes
from assay.corpus import Column
from assay.engine.mapping import Rule, idle_rules, map_labels
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import OpenFiles
from assay.engine.spanpairs import line_of, shown_words, spans_of
from assay.engine.warnings import format_warnings
from assay.errors import AlignmentError, InputError, UsageError, unknown
from assay.formats import Input
from assay.formats.graphs import make_arcs
from assay.keywords import File
from assay.result import GoldDifference, Mapped, Overlap, enumeration
from assay.result.numbers import plural
from assay.tasks.cross.functiontrees import (
    FunctionTrees,
    LabelSets,
    Overlay,
    Yields,
    add_gaps,
    add_stretches,
    from_nodes,
    merge_nodes,
    overlay,
    plain_yields,
)
from assay.tasks.cross.measures import choose_pairs, compare_masks, join_keys
from assay.tasks.cross.treebanks import (
    DEPENDENCIES,
    CrossOptions,
    Treebank,
    Treebanks,
    read_trees,
    system_paths,
    theory_paths,
)

TAGS, SPANS, GRAPHS = "tags", "spans", "graphs"
_USUAL = {TAGS: "accuracy", SPANS: "exact", GRAPHS: "elas"}
_ABOUT_OTHERS = (
    *("clashes", "copied", "same_column", "other_tops", "other_loose_words", "idle_rule"),
    *("labels_of_gold", "unlabelled", "find_equal_answers"),
)
"""Remarks that compare files as systems with the first gold, which says nothing if their guidelines differ."""
_SEVERAL = "\x1f"
"""The character between the units of a label while rules are applied."""
_ONE_TO_ONE, _ENOUGH = 0.95, 20
"""From these shares and numbers of words on, two labels seem to be the same."""


def read_guidelines(
    theories: Sequence[str], systems: Sequence[str] | Mapping[str, File], options: CrossOptions
) -> Treebanks:
    """All files with their units; golds, systems and options as for `cross`."""
    task = options.task
    golds, enrichments = theory_paths(theories)
    if enrichments or options.function_labels:
        raise UsageError(f"--functions and --theory a+b are for trees. Leave them out with --task {task}.")
    if task == SPANS and len(golds) > 2:
        raise UsageError(f"--task spans: {len(golds)} golds, but only spans of two can be paired. Give two.")
    for name, usual in (("segmentation", "same"), ("non_projective", "keep"), ("sizes", "2.1")):
        if getattr(options, name) != usual:
            raise UsageError(f"--{name.replace('_', '-')} is for trees. Leave it out with --task {task}.")
    paths = system_paths(systems, golds)
    files = [(name, "", path) for name, path in golds.items()]
    files += [(theory, name, path) for name, versions in paths.items() for theory, path in versions.items()]
    if [path for *_, path in files].count("-") > 1:
        raise UsageError("- (standard input) can be given only once.")
    titles = [f"{system}@{theory}" if system else f"gold {theory}" for theory, system, _ in files]
    columns = _columns(options, golds)
    corpora, kinds = _open_arcs(files, columns, options) if task == GRAPHS else ([path for *_, path in files], [])
    names = ["gold", *titles[1:]]
    by_name = {name: columns[theory] for name, (theory, *_) in zip(names, files, strict=True) if theory in columns}
    plain = Options(
        task=task,
        column=by_name if by_name and task != GRAPHS else None,
        **{name: getattr(options, name) for name in ("input_format", "on_mismatch", "unit")},
    )
    measure = find(_USUAL[task], task)
    run = OpenFiles(corpora[0], dict(zip(names[1:], corpora[1:], strict=True)), plain, [measure]).run([measure])
    pairs = dict(run.pairs)
    words = len(run.gold) - int(run.skipped[run.gold.sentence_of].sum())
    for title in titles[1:]:
        if title not in pairs:
            raise InputError(f"{title}: its column is empty. Choose another with --column THEORY=COLUMN")
        if task != SPANS and len(pairs[title].gold_words) < words:
            raise AlignmentError(
                f"{title}: has different words from gold {files[0][0]}. Files of all guidelines must have the "
                f"same words."
            )
    banks = [
        Treebank(corpus, kinds[number] if kinds else task, theory=theory, system=system)
        for number, (corpus, (theory, system, _)) in enumerate(zip(run.corpora, files, strict=True))
    ]
    rules = options.rules(golds, [name for bank in banks for name in bank.sides])
    units = _Units(options, rules)
    gold = {bank.theory: bank for bank in banks if not bank.system}
    sides = [(bank, pairs.get(title)) for bank, title in zip(banks, titles, strict=True)]
    first = pairs[titles[1]]
    if task == SPANS:
        built = _span_units(sides, first, len(golds), units)
    else:
        built = (_tag_units if task == TAGS else _arc_units)(sides, first, len(golds), units)
    warnings = [*format_warnings(fact for fact in run.warnings if fact.kind not in _ABOUT_OTHERS)]
    warnings += [*units.warnings(), *format_warnings(idle_rules(units.mappings)), *built.pop("warnings", ())]
    return Treebanks(
        gold,
        [bank for bank in banks if bank.system],
        replace(options, sizes="paper"),
        enriched={},
        labelled=frozenset(paths),
        bare=frozenset(),
        parts=built.pop("parts", {}),
        mappings=tuple(units.mappings),
        warnings=tuple(warnings),
        notes=built.pop("notes", ()),
        skipped=run.skipped,
        columns=columns,
        column=run.decided.column if task == TAGS else None,
        **built,
    )


def has_graphs(paths: Iterable[str], options: CrossOptions) -> bool:
    """True if a file is in a format of graphs."""
    # A pipe can be opened only once.
    opened = (Input(path, input_format=options.format_of("gold")) for path in paths if Path(path).is_file())
    return any("arcs" in item.plan.layers for item in opened)


def _columns(options: CrossOptions, golds: Collection[str]) -> dict[str, str]:
    """The column of each theory that the user gives one for."""
    given = options.column or ()
    specs = [f"{name}={column}" for name, column in given.items()] if isinstance(given, Mapping) else given
    columns: dict[str, str] = {}
    for spec in [specs] if isinstance(specs, str) else specs:
        theory, equals, column = spec.rpartition("=")
        if equals and theory not in golds:
            raise UsageError(f"--column {spec}: {unknown('theory', theory, golds)}")
        for name in [theory] if equals else golds:
            if name in columns:
                raise UsageError(f"--column {spec}: {name} has the column {columns[name]} already.")
            columns[name] = column
    return columns


def _open_arcs(
    files: Sequence[tuple[str, str, str]], columns: Mapping[str, str], options: CrossOptions
) -> tuple[list[Any], list[str]]:
    """Files of graphs as they are, trees as corpora with their arcs; and what each has."""
    opened: list[Any] = []
    kinds = []
    for theory, _, path in files:
        item = Input(path, input_format=options.format_of("gold"))
        if "constituents" in item.plan.layers:
            raise UsageError(f"{path}: arcs and phrases have no common unit. Give graphs or dependency trees alone.")
        column = columns.get(theory, "DEPS" if "DEPS" in item.plan.filled else "HEAD")
        is_tree = "arcs" not in item.plan.layers and column == "HEAD"
        kinds.append(DEPENDENCIES if is_tree else GRAPHS)
        if not is_tree:
            opened.append(path)
            continue
        bank = read_trees(path, options.format_of("gold"))
        assert bank.corpus.heads is not None
        for fault in bank.faults:
            raise InputError(f"{bank.corpus.place(fault.word)}: {fault.fact}.")
        words = np.arange(len(bank.corpus))
        arcs = make_arcs(bank.corpus, words, bank.corpus.heads, bank.corpus.column("DEPREL"))
        opened.append(bank.corpus.with_marks(arcs=arcs))
    return opened, kinds


class _Units:
    """The units that labels stand for: by the rules of mapping files, otherwise the label and its ancestors."""

    def __init__(self, options: CrossOptions, rules: Sequence[Rule]) -> None:
        self.path = options.label_path if options.task == SPANS else ""
        self.rules = [replace(rule, after=rule.after.replace(",", _SEVERAL)) for rule in rules]
        self.mappings: list[Mapped] = []
        self.alone: dict[str, Counter[str]] = {}
        """By theory the numbers of labels without a rule, if others of the theory have rules."""
        targets: dict[tuple[str, str, str], str] = {}
        for rule in rules:
            if not rule.after.strip(" ,"):
                raise InputError(f"--map: {rule.before} has no units. Name them, or leave the line out.")
            if targets.setdefault((rule.side, rule.before, rule.form), rule.after) != rule.after:
                raise InputError(
                    f"--map: {rule.before} stands for {targets[rule.side, rule.before, rule.form]} and for "
                    f"{rule.after}. Write one line with all of its units."
                )

    def of(self, bank: Treebank, labels: Column, forms: Column) -> LabelSets:
        """Codes of label sets, one for each label, and the sets."""
        mapped, rows = map_labels(self.rules, labels, forms, bank.sides, bank.corpus.name)
        self.mappings += [replace(row, rule=row.rule.replace(_SEVERAL, ",")) for row in rows]
        rules = [rule for rule in self.rules if rule.side in ("both", *bank.sides)]
        if rules:
            alone = [name for name in labels.vocabulary if all(rule.map_label(name) is None for rule in rules)]
            self.alone.setdefault(bank.theory, Counter()).update(labels.where(labels.isin(alone)).counts())
        return mapped.codes, [self.split(label) for label in mapped.vocabulary]

    def split(self, label: str) -> tuple[str, ...]:
        """The units of a label that has been mapped."""
        units: dict[str, None] = {}
        for unit in filter(None, map(str.strip, label.split(_SEVERAL))):
            parts = unit.split(self.path) if self.path else [unit]
            units |= dict.fromkeys(self.path.join(parts[:size]) for size in range(1, len(parts) + 1))
        # The arc to a top has no label.
        return tuple(units) or (label,)

    def warnings(self) -> Iterator[str]:
        """Warnings of labels that no rule of their theory is for."""
        for theory, numbers in self.alone.items():
            if numbers:
                shown = [f"{label} ({number:,})" for label, number in numbers.most_common(5)]
                rest = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
                yield (
                    f"{theory}: no rule of --map is for {', '.join(shown)}{rest} (occurrences in all files). Each of "
                    "these labels stands for itself."
                )


Side = tuple[Treebank, Pair | None]
"""A file and its pair with the first gold, which has none."""


# --- tags ---


def _tag_units(sides: Sequence[Side], first: Pair, golds: int, units: _Units) -> dict[str, Any]:
    """Each word has the units of its tag."""
    reference, trees, raw, none = first.gold, {}, [], np.zeros(0, dtype=np.int64)
    kept = ~first.skipped[reference.sentence_of]
    for bank, pair in sides:
        corpus = first.gold if pair is None else pair.system
        column = corpus.column(first.column)
        codes, sets = units.of(bank, column, corpus.forms)
        tags = np.where(corpus.unlabelled(first.column), NONE, column.codes)
        placed = np.full((2, len(reference)), NONE)
        words, others = (np.arange(len(reference)),) * 2 if pair is None else (pair.gold_words, pair.system_words)
        placed[:, words] = np.where(tags == NONE, NONE, np.stack([codes, tags]))[:, others]
        placed[:, ~kept] = NONE
        raw.append((placed[1], column.vocabulary))
        preterminals = placed[0], sets
        trees[bank.title] = from_nodes(
            reference.starts, none, none, none, (none, []), preterminals=preterminals, top_root=False
        )
    overlaps, differences, warnings = [], [], []
    for one, other in combinations(range(golds), 2):
        both = overlay(*(trees[sides[number][0].title] for number in (one, other)))
        words = (np.cumsum(both.union.words) - both.union.words)[both.union.nodes.sentence] + both.union.nodes.first
        agree = np.zeros(len(reference), dtype=bool)
        agree[words[both.union.label_node[both.has_label.all(axis=0)]]] = True
        (codes, names), (other_codes, other_names) = raw[one], raw[other]
        tagged = (codes != NONE) & (other_codes != NONE)
        a, b = (sides[number][0].theory for number in (one, other))
        overlaps.append(Overlap(a, b, True, float(agree[tagged].mean()) if tagged.any() else float("nan")))
        rows = Counter(zip(codes[tagged & ~agree].tolist(), other_codes[tagged & ~agree].tolist(), strict=True))
        ordered = sorted((-number, names[x], other_names[y]) for (x, y), number in rows.items())
        differences += [GoldDifference(a, b, label, label_b, -number) for number, label, label_b in ordered]
        sizes = Counter(codes[tagged].tolist()), Counter(other_codes[tagged].tolist())
        same = [
            f"{names[x]} and {other_names[y]} ({number:,})"
            for (x, y), number in rows.items()
            if number >= max(_ENOUGH, _ONE_TO_ONE * sizes[0][x], _ONE_TO_ONE * sizes[1][y])
        ]
        if same:
            warnings.append(
                f"{a} and {b} nearly always have {enumeration(same)} on the same words but no unit in common there. "
                f"If they mean the same, map them in a file for --map."
            )
    return {"trees": trees, "overlaps": overlaps, "differences": differences, "warnings": warnings}


# --- arcs ---


def _arc_units(sides: Sequence[Side], first: Pair, golds: int, units: _Units) -> dict[str, Any]:
    """An arc is the set of its two words; its label says which of them is the head."""
    starts, trees = first.gold.starts, {}
    for bank, pair in sides:
        (layer,) = [both for name, both in (pair or first).marks.items() if name != SPANS]
        arcs = layer[0 if pair is None else 1]
        codes, sets = units.of(bank, arcs.labels, arcs.labels)
        dependent, head = arcs.arguments["own_dependent"], arcs.arguments["own_head"]
        if pair is not None:
            word_of = np.full(len(pair.system) + 1, NONE)
            word_of[pair.system_words] = pair.gold_words
            dependent, head = word_of[dependent], word_of[head]
        head = np.where(head == NONE, dependent, head)
        way = np.where(arcs.arguments["own_head"] == NONE, 0, 2 + np.sign(dependent - head))
        low, high = np.minimum(dependent, head) - starts[arcs.unit], np.maximum(dependent, head) - starts[arcs.unit]
        apart = np.flatnonzero(high - low > 1)
        ends = np.stack([low[apart], high[apart]], axis=1).ravel()
        yields = add_gaps(plain_yields(arcs.unit, low, high + 1), np.repeat(apart, 2), ends, ends + 1)
        label_codes: dict[str, int] = {}
        # The root has no word of its own; a word may be its own head.
        shapes = ("{} ⊤", "← {}", "{} ↻", "{} →")
        table = [[as_codes([shape.format(unit) for unit in own], label_codes) for shape in shapes] for own in sets]
        chosen = [table[code][kind] for code, kind in zip(codes.tolist(), way.tolist(), strict=True)]
        nodes = np.repeat(np.arange(len(arcs)), [len(own) for own in chosen])
        labels = np.concatenate([*chosen, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        trees[bank.title] = merge_nodes(starts, [(yields, nodes, labels)], label_codes)
    overlaps: list[Overlap] = []
    differences: list[GoldDifference] = []
    for one, other in combinations(sides[:golds], 2):
        both = overlay(trees[one[0].title], trees[other[0].title])
        a, b = one[0].theory, other[0].theory
        overlaps.append(_overlap(a, b, both.has_label))
        differences += _differences(a, b, both.union, both.has_label)
    return {"trees": trees, "overlaps": overlaps, "differences": differences}


def _overlap(a: str, b: str, has: Bools) -> Overlap:
    """The share of units that two golds have in common."""
    total = int(has.sum())
    return Overlap(a, b, True, 2 * int(has.all(axis=0).sum()) / total if total else float("nan"))


def _differences(a: str, b: str, union: FunctionTrees, has: Bools) -> Iterator[GoldDifference]:
    """Units that only one of two golds has, by label."""
    for side, other in ((0, 1), (1, 0)):
        numbers = Counter(union.label[has[side] & ~has[other]].tolist())
        for code, number in sorted(numbers.items(), key=lambda row: (-row[1], union.labels[row[0]])):
            label = union.labels[code]
            yield GoldDifference(a, b, None if side else label, label if side else None, number)


# --- spans ---


def _span_units(sides: Sequence[Side], first: Pair, golds: int, units: _Units) -> dict[str, Any]:
    """Spans of golds are paired; a span of a system that fits a pair has its units there, wherever it begins or ends.

    A node is a span of some file: that of the first gold for a pair, that of its file for others.
    """
    line, reference = line_of(first), first.gold
    marks = []
    for bank, pair in sides:
        spans, start = spans_of(pair or first)[0 if pair is None else 1], line_of(pair or first).sentence_places
        if (spans.begin == NONE).any():
            raise InputError(f"{bank.corpus.name}: some mentions are not in the text, so they have no place.")
        # Files without words have lines of their own, so places are counted from the beginning of the sentence.
        shift = start[spans.unit]
        inner = {row: np.array(shape) - shift[row] for row, shape in spans.stretches.items()}
        marks.append((spans.unit, spans.begin - shift, spans.end - shift, inner))
    begins = np.cumsum([0, *(len(own[0]) for own in marks)])
    rows_of = [np.arange(begins[number], begins[number + 1]) for number in range(len(sides))]
    unit, begin, end = (np.concatenate([own[column] for own in marks]) for column in range(3))
    shapes = {int(begins[number]) + row: shape for number, own in enumerate(marks) for row, shape in own[3].items()}

    def yields(place: Callable[[Ints, Ints], Ints]) -> Yields:
        """The spans; `place` says what a sentence calls a place."""
        inner = {row: place(np.full_like(shape, unit[row]), shape).tolist() for row, shape in shapes.items()}
        outer = plain_yields(unit, place(unit, begin), place(unit, end))
        return add_stretches(outer, {row: tuple((a, b) for a, b in shape) for row, shape in inner.items()})

    nodes = yields(lambda _, places: places)
    masks = nodes.word_masks(np.arange(len(nodes)))
    words, parts = np.diff(reference.starts), dict[int, tuple[str, ...]]()
    if line.atoms == "characters":
        # Pieces of text are shown that end where a word or a span ends.
        pieces = [shown_words(reference, sentence) for sentence in range(reference.sentences)]
        lengths = np.diff(line.sentence_places, append=int(line.end.max(initial=0)))
        texts = ["".join("".join(own).split()) if size else "" for own, size in zip(pieces, lengths, strict=True)]
        if [*map(len, texts)] != lengths.tolist():
            raise AlignmentError(f"{reference.name}: its words do not make up its text. Give files with the same "
            f"words.")
        width = int(max(lengths.max(initial=0), end.max(initial=0))) + 1
        ends = [sentence * width + np.cumsum([0, *map(len, own)]) for sentence, own in enumerate(pieces)]
        ends += [unit * width + begin, unit * width + end]
        ends += [unit[row] * width + shape.ravel() for row, shape in shapes.items()]
        cuts = np.unique(np.concatenate(ends))
        firsts = np.searchsorted(cuts, np.arange(reference.sentences + 1) * width)
        for sentence, text in enumerate(texts):
            own = (cuts[firsts[sentence] : firsts[sentence + 1]] - sentence * width).tolist()
            parts[sentence] = tuple(text[a:b] for a, b in pairwise(own))
        nodes = yields(lambda sentence, places: np.searchsorted(cuts, sentence * width + places) - firsts[sentence])
        words = np.array([len(own) for own in parts.values()], dtype=np.int64)
    elif not reference.has_words:
        np.maximum.at(words, unit, end)
        parts = {sentence: tuple(map(str, range(1, size + 1))) for sentence, size in enumerate(words.tolist())}
    label_codes: dict[str, int] = {}
    sets: list[frozenset[int]] = []
    for bank, pair in sides:
        spans = spans_of(pair or first)[0 if pair is None else 1]
        codes, units_of_label = units.of(bank, spans.labels, spans.labels)
        coded = [frozenset(as_codes(names, label_codes).tolist()) for names in units_of_label]
        sets += [coded[code] for code in codes.tolist()]
    labels = np.empty(len(sets), dtype=object)
    labels[:] = sets

    def count(found: Array) -> Ints:
        return np.array([*map(len, found)], dtype=np.int64)

    def find_overlaps(one: Ints, other: Ints) -> tuple[Ints, Ints]:
        """All pairs of two lists of spans that may share a word, as places in these lists."""
        a, b = join_keys(unit[one], unit[other])
        near = (begin[one[a]] < end[other[b]]) & (begin[other[b]] < end[one[a]])
        return a[near], b[near]

    # Pairs of golds; one gold alone is paired with itself.
    one, other = rows_of[0], rows_of[golds - 1]
    a, b = find_overlaps(one, other)
    shared, likeness = compare_masks(masks[one[a]], masks[other[b]])
    common = count(labels[one[a]] & labels[other[b]])
    chosen = choose_pairs(a, b, [*likeness, -common], (shared > 0) & (common > 0))
    pairs = np.stack([one[a[chosen]], other[b[chosen]]])
    node_of = np.arange(len(nodes))
    node_of[pairs[1]] = pairs[0]
    asked = {int(row): labels[row] & labels[partner] for row, partner in pairs.T}
    # Units of the common gold, golds and systems: file, node, unit.
    triples = [(0, node, code) for node, codes in asked.items() for code in codes]
    places = {f"gold {sides[number][0].theory}": np.arange(len(nodes)) for number in range(golds)}
    places[f"gold {sides[golds - 1][0].theory}"][pairs[0]] = pairs[1]
    by_convention, known = {}, dict[tuple[int, int, frozenset[int], int], int]()
    for number, (bank, _) in enumerate(sides):
        rows = rows_of[number]
        if bank.system:
            theory = next(index for index in range(golds) if sides[index][0].theory == bank.theory)
            side = 0 if theory == 0 else 1
            targets = rows_of[theory]
            partner = np.arange(len(nodes))
            partner[pairs[side]] = pairs[1 - side]
            a, b = find_overlaps(rows, targets)
            span, own, paired = masks[rows[a]], masks[targets[b]], masks[partner[targets[b]]]
            fits = ((own & paired & ~span) == 0) & ((span & ~(own | paired)) == 0)
            common = count(labels[rows[a]] & labels[targets[b]])
            asks = count(labels[rows[a]] & labels[targets[b]] & labels[partner[targets[b]]])
            chosen = choose_pairs(a, b, [-common, -asks, *compare_masks(span, own)[1]], fits.astype(bool))
            system, gold = rows[a[chosen]], targets[b[chosen]]
            node_of[system] = node_of[gold]
            moved = [
                int(unit[row])
                for row, target in zip(system.tolist(), gold.tolist(), strict=True)
                if masks[row] != masks[target]
                and asked[int(node_of[target])] <= labels[row] <= labels[target]
            ]
            by_convention[bank.title] = np.bincount(np.array(moved, dtype=np.int64), minlength=reference.sentences)
            places[bank.title] = places[f"gold {bank.theory}"].copy()
            times: Counter[tuple[int, int, frozenset[int]]] = Counter()
            for row in np.setdiff1d(rows, system).tolist():
                key = (int(unit[row]), masks[row], labels[row])
                node_of[row] = known.setdefault((*key, times[key]), row)
                times[key] += 1
            places[bank.title][node_of[rows]] = rows
        triples += [(number + 1, int(node_of[row]), code) for row in rows.tolist() for code in labels[row]]
    files, node, code = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    keys, row = np.unique(node * max(len(label_codes), 1) + code, return_inverse=True)
    label_node, label = np.divmod(keys, max(len(label_codes), 1))
    has_node, has_label = (np.zeros((len(sides) + 1, size), dtype=bool) for size in (len(nodes), len(keys)))
    has_node[files, node] = has_label[files, row] = True
    union = FunctionTrees(words, nodes, label_node, label, tuple(label_codes))
    joint = Overlay(union, has_node, has_label)
    titles = ["generalised", *(bank.title for bank, _ in sides)]
    trees = {title: union.select(has_node[index], has_label[index]) for index, title in enumerate(titles)}
    found: dict[str, Any] = {"joint": joint, "trees": trees, "places": places, "parts": parts}
    found["by_convention"] = by_convention
    if golds == 2:
        a_name, b_name = (sides[index][0].theory for index in range(2))
        found["overlaps"] = [_overlap(a_name, b_name, has_label[1:3])]
        found["differences"] = [*_differences(a_name, b_name, union, has_label[1:3])]
        other_places = int((masks[pairs[0]] != masks[pairs[1]]).sum())
        found["notes"] = (
            f"{plural(len(pairs[0]), 'span')} of {a_name} and {b_name} form pairs, {other_places:,} of them with "
            "different boundaries. A system's span fits a pair if it contains the words that both spans have, and no "
            "word that neither has.",
        )
    return found
