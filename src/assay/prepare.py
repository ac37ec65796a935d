"""From what the user names to pairs that can be judged: read, map, mark known words, align, check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from assay import checks, mapping
from assay.align import MISMATCH, Pair, align
from assay.arrays import Bools
from assay.corpus import UNITS, Corpus, from_lists
from assay.errors import AlignmentError, InputError, UsageError, unknown
from assay.lexicon import Lexicon
from assay.measures import Measure
from assay.readers import Input, choose_column
from assay.readers.columns import ALIASES
from assay.result import Mapped, Source

Given = Any
"""A path, a Corpus, or lists of labels."""


@dataclass(frozen=True)
class Options:
    """What the user chose; the same words as on the command line."""

    column: str | None = None
    input_format: str | None = None
    unit: str = "sentence"
    slices: tuple[str, ...] = ()
    train: str | None = None
    lexicon: str | None = None
    oov_fold_case: bool = False
    map: str | None = None
    seed: int = 0
    times: int = 10_000
    interval: str = "percentile"
    on_mismatch: str = "error"
    examples: int = 0
    change: str | None = None
    kind: str | None = None

    def check(self) -> None:
        """Refuse values that are none of the choices."""
        from assay.changes import KINDS

        choices: list[tuple[str, str | None, Sequence[str]]] = [
            ("unit", self.unit, UNITS),
            ("interval", self.interval, ("percentile", "bca", "wilson")),
            ("value of on_mismatch", self.on_mismatch, MISMATCH),
            ("kind of change", self.kind, KINDS),
        ]
        for name, value, known in choices:
            if value is not None and value not in known:
                raise unknown(name, value, known)
        if self.times < 1:
            raise UsageError(f"{self.times} resamples are too few.")
        if self.seed < 0:
            raise UsageError(f"seed {self.seed} is negative; a seed is 0 or more.")
        if self.examples < 0:
            raise UsageError(f"{self.examples} examples cannot be shown.")
        if (self.change or self.kind) and not self.examples:
            raise UsageError("--change and --kind choose among examples. Say how many: --examples 5")
        for name in ("train", "lexicon", "map"):
            if getattr(self, name) == "-":
                raise UsageError(f"--{name} - : this file is read twice, so it cannot come from standard input.")


@dataclass(frozen=True)
class Run:
    """Everything that is there to be judged."""

    gold: Corpus
    column: str
    measures: tuple[Measure, ...]
    """The measures, their columns called by the names that these have in gold."""
    pairs: tuple[tuple[str, Pair], ...]
    """The systems that can be judged, by name."""
    sources: tuple[Source, ...]
    """All systems, in the order given."""
    skipped: Bools
    """Gold sentences left out for all systems, since some system's text differs."""
    warnings: tuple[str, ...]
    mappings: tuple[Mapped, ...]


def prepare(gold: Given, systems: Any, measures: Sequence[Measure], options: Options) -> Run:
    """Read, map, mark and align."""
    options.check()
    named = named_systems(systems)
    inputs = [_open(gold, "gold", options), *(_open(given, name, options) for name, given in named.items())]
    column = _column(inputs, options)
    measures = [_resolved(measure, inputs[0]) for measure in measures]
    wanted = {column, *(str(m.parameters["column"]) for m in measures if m.parameters.get("column"))}
    corpora = [_read(item, sorted(wanted)) for item in inputs]
    _check_folders(corpora)
    corpora, mapped = _mapped(corpora, list(named), column, options)
    corpora = _marked(corpora, list(named), column, options)
    gold_corpus, outputs = corpora[0], corpora[1:]
    if gold_corpus.is_empty(column):
        raise InputError(
            f"{gold_corpus.name}: column {column} is empty in gold (every cell is {gold_corpus.empty}). "
            "Are gold and system swapped? Or choose another with --column."
        )
    filled = [not output.is_empty(column) for output in outputs]
    pairs, warnings = _aligned(gold_corpus, dict(zip(named, outputs, strict=True)), filled, column, options)
    if not pairs:
        raise InputError(f"{outputs[0].name}: column {column} is empty. Choose another with --column.")
    skipped = np.any([pair.skipped for _, pair in pairs], axis=0)
    if skipped.all():
        raise AlignmentError(f"no sentence is shared by {gold_corpus.name} and all systems.")
    if skipped.any():
        pairs = [(name, _without(pair, skipped)) for name, pair in pairs]
    judged = [(name, pair.judge()) for name, pair in pairs]
    for (name, pair), (_, judgements) in zip(pairs, judged, strict=True):
        warnings.extend(checks.warnings(name, pair, judgements))
    warnings.extend(checks.identical(judged))
    warnings.extend(_left_out(gold_corpus, pairs[0][1], column, skipped))
    sources = tuple(
        _source(name, output, dict(pairs).get(name), "" if full else "column empty")
        for name, output, full in zip(named, outputs, filled, strict=True)
    )
    return Run(
        gold_corpus, column, tuple(measures), tuple(pairs), sources, skipped, tuple(dict.fromkeys(warnings)), mapped
    )


def named_systems(systems: Any) -> dict[str, Given]:
    """Systems by name: given as a mapping, as one system, or as a sequence of `name=path` or paths."""
    if isinstance(systems, Mapping):
        return {str(name): given for name, given in systems.items()}
    if isinstance(systems, str | Path | Corpus) or _is_lists(systems):
        systems = [systems]
    names: list[str] = []
    given: list[Given] = []
    for item in systems:
        name, path = "", item
        if isinstance(item, str):
            before, equals, after = item.partition("=")
            if equals and before and not any(mark in before for mark in "/\\") and not Path(item).exists():
                name, path = before, after
        names.append(name)
        given.append(path)
    if not given:
        raise UsageError("no system to score. Give at least one beside gold.")
    stems = [name or _stem(item, number) for number, (name, item) in enumerate(zip(names, given, strict=True), 1)]
    return dict(zip(_distinct(stems, given), given, strict=True))


def _is_lists(systems: Any) -> bool:
    """Whether this is one system's labels, not a list of systems."""
    try:
        return isinstance(systems[0][0], str) and not isinstance(systems[0], str)
    except (TypeError, IndexError, KeyError):
        return False


def _stem(item: Given, number: int) -> str:
    if isinstance(item, Corpus):
        return _stem(item.name, number) if item.name != "data" else f"system {number}"
    if isinstance(item, str | Path):
        if str(item) == "-":
            return "stdin"
        name = PurePath(item).name
        for ending in (".gz", ".xz", ".conllu", ".conll", ".conllx", ".tsv", ".txt", ".vert", ".pos"):
            name = name.removesuffix(ending)
        return name or str(item)
    return f"system {number}"


def _distinct(stems: list[str], given: list[Given]) -> list[str]:
    """Two files of the same name are told apart by their folder, or else by a number."""
    if len(set(stems)) < len(stems):
        stems = [
            f"{PurePath(item).parent.name}/{stem}"
            if stems.count(stem) > 1 and isinstance(item, str | Path) and PurePath(item).parent.name
            else stem
            for stem, item in zip(stems, given, strict=True)
        ]
    names: list[str] = []
    for stem in stems:
        name, number = stem, 1
        while name in names or (stems.count(stem) > 1 and name in stems):
            name = f"{stem} ({number})"
            number += 1
        names.append(name)
    return names


def _open(given: Given, name: str, options: Options) -> Input | Corpus:
    if isinstance(given, Corpus):
        return given
    if isinstance(given, str | Path):
        wanted = [options.column] if options.column else []
        return Input(str(given), input_format=options.input_format, wanted=wanted)
    return from_lists(given, name)


def _column(inputs: Sequence[Input | Corpus], options: Options) -> str:
    """The column all are compared on, under the name it has in gold."""
    first = inputs[0]
    if options.column is not None:
        if isinstance(first, Input):
            return first.plan.resolve(options.column)
        return ALIASES.get(options.column.upper(), options.column)
    files = [item for item in inputs if isinstance(item, Input)]
    if files:
        return choose_column(files)
    corpora = [item for item in inputs if isinstance(item, Corpus)]
    shared = [name for name in corpora[0].columns if all(name in corpus.columns for corpus in corpora)]
    for preferred in ("UPOS", "XPOS", "label"):
        if preferred in shared:
            return preferred
    if not shared:
        raise UsageError("the corpora share no column. Choose one with column=.")
    return shared[-1]


def _resolved(measure: Measure, gold: Input | Corpus) -> Measure:
    """The measure with its column, where it names one, under the name that it has in gold."""
    column = measure.parameters.get("column")
    if not column or isinstance(gold, Corpus):
        return measure
    return replace(measure, parameters={**measure.parameters, "column": gold.plan.resolve(str(column))})


def _read(item: Input | Corpus, columns: Sequence[str]) -> Corpus:
    if isinstance(item, Corpus):
        return item
    corpus = item.read(columns)
    # A file may call the column otherwise (a number, the only label of two columns); gold's name holds.
    renamed = {name: corpus.columns[item.plan.resolve(name)] for name in columns}
    return replace(corpus, columns=renamed)


def _check_folders(corpora: Sequence[Corpus]) -> None:
    """Folders must hold the same files; a file more or less would shift all that follows."""
    gold = corpora[0]
    for system in corpora[1:]:
        if len(gold.files) < 2 or len(system.files) < 2:
            continue
        ours, theirs = (
            {PurePath(path).name.partition(".")[0] for path, _ in corpus.files} for corpus in (gold, system)
        )
        for missing, where, other in ((ours - theirs, system, gold), (theirs - ours, gold, system)):
            if missing:
                named = ", ".join(sorted(missing)[:3]) + (", …" if len(missing) > 3 else "")
                raise AlignmentError(
                    f"{where.name}: {len(where.files)} files where {other.name} has {len(other.files)}; "
                    f"missing: {named}. Files of two folders correspond by name."
                )


def _mapped(
    corpora: list[Corpus], names: list[str], column: str, options: Options
) -> tuple[list[Corpus], tuple[Mapped, ...]]:
    if options.map is None:
        return corpora, ()
    rules = _rules(options, names)
    sides = [("gold",), *(("system", name) for name in names)]
    done = [mapping.apply(rules, corpus, column, side) for corpus, side in zip(corpora, sides, strict=True)]
    rows = [
        replace(row, file=name) for name, (_, report) in zip(["gold", *names], done, strict=True) for row in report
    ]
    return [corpus for corpus, _ in done], tuple(rows)


def _rules(options: Options, names: Sequence[str]) -> list[mapping.Rule]:
    if options.map is None:
        return []
    rules = mapping.read_rules(options.map)
    mapping.check_sides(rules, names, options.map)
    return rules


def _marked(corpora: list[Corpus], names: Sequence[str], column: str, options: Options) -> list[Corpus]:
    rules = _rules(options, names)

    def as_gold(corpus: Corpus) -> Corpus:
        """Labels of training data go through the rules for gold's."""
        return mapping.apply(rules, corpus, column, ("gold",))[0] if rules else corpus

    for name, path in (("train", options.train), ("lexicon", options.lexicon)):
        if path is not None:
            lexicon = Lexicon.read(
                path, column, fold=options.oov_fold_case, input_format=options.input_format, labels=as_gold
            )
            corpora = [lexicon.marked(corpus, name, column) for corpus in corpora]
    return corpora


def _aligned(
    gold: Corpus, outputs: Mapping[str, Corpus], filled: Sequence[bool], column: str, options: Options
) -> tuple[list[tuple[str, Pair]], list[str]]:
    pairs, warnings = [], []
    for (name, output), full in zip(outputs.items(), filled, strict=True):
        if not full:
            warnings.append(f"{name}: column {column} is empty, so there are no figures for it.")
            continue
        pair = align(gold, output, column=column, on_mismatch=options.on_mismatch)
        pairs.append((name, pair))
        if pair.aligned_by == "characters":
            warnings.append(
                f"{name} has other tokens than gold: aligned by characters, {len(pair.gold_words):,} of "
                f"{len(gold):,} gold words have a counterpart among {len(output):,}."
            )
        warnings.extend(f"{name}: {problem}" for problem in pair.problems)
    return pairs, warnings


def _without(pair: Pair, skipped: Bools) -> Pair:
    """The pair without the sentences that are left out for all."""
    keep = ~skipped[pair.gold.sentence_of[pair.gold_words]]
    gone = (pair.system_sentence >= 0) & skipped[np.maximum(pair.system_sentence, 0)]
    return replace(
        pair,
        gold_words=pair.gold_words[keep],
        system_words=pair.system_words[keep],
        system_sentence=np.where(gone, -1, pair.system_sentence),
        skipped=skipped,
        _judged={},
    )


def _left_out(gold: Corpus, pair: Pair, column: str, skipped: Bools) -> list[str]:
    warnings = []
    if skipped.any():
        warnings.append(f"{int(skipped.sum()):,} of {gold.sentences:,} sentences were left out: the texts differ.")
    missing = int((pair.without_gold(column) & ~skipped[gold.sentence_of]).sum())
    if missing:
        warnings.append(f"{missing:,} words have no gold label in {column} and were left out.")
    return warnings


def _source(name: str, corpus: Corpus, pair: Pair | None, status: str) -> Source:
    unaligned = 0 if pair is None else int((pair.system_sentence >= 0).sum()) - len(pair.system_words)
    return Source(name, corpus.name, corpus.sha256, corpus.format, corpus.sentences, len(corpus), unaligned, status)


def gold_source(run: Run) -> Source:
    """Gold as a source; unaligned are the gold words that some system has no counterpart for."""
    kept = int((~run.skipped[run.gold.sentence_of]).sum())
    unaligned = max(kept - len(pair.gold_words) for _, pair in run.pairs)
    return replace(_source("gold", run.gold, None, ""), unaligned=unaligned)
