"""From what the user names to pairs that can be judged: read, map, mark known words, align, check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from assay import checks, mapping, tagsets
from assay.align import MISMATCH, Pair, align
from assay.arrays import Bools
from assay.corpus import UNITS, Corpus, from_lists
from assay.errors import AlignmentError, InputError, UsageError, unknown
from assay.labels import read_labels, with_sets
from assay.lexicon import Lexicon
from assay.measures import Measure
from assay.readers import Input, choose_column
from assay.readers.columns import ALIASES
from assay.result import Mapped, Source
from assay.systems import Given, named_systems
from assay.tagsets import Tagset
from assay.tagsets.kinds import Feats


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
    tagset: str | None = None
    strict_tagset: bool = False
    expand_optional: bool = False
    alternatives: str | None = None
    weights: str | None = None
    sweep: int = 0

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
        if self.sweep < 0:
            raise UsageError(f"{self.sweep} weightings cannot be drawn.")
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
    tagset: Tagset | None = None


def prepare(gold: Given, systems: Any, measures: Sequence[Measure], options: Options) -> Run:
    """Read, map, mark and align."""
    options.check()
    named = named_systems(systems)
    inputs = [_open(gold, "gold", options), *(_open(given, name, options) for name, given in named.items())]
    tagset = tagsets.find(options.tagset) if options.tagset else None
    if isinstance(tagset, Feats) and options.column not in (None, tagset.column):
        raise UsageError(f"--tagset {tagset.name} takes tags from {tagset.column}; leave --column out.")
    column = tagset.column if isinstance(tagset, Feats) else _column(inputs, options)
    measures = [_resolved(measure, inputs[0]) for measure in measures]
    wanted = {column, *(str(m.parameters["column"]) for m in measures if m.parameters.get("column"))}
    corpora = [with_sets(read_labels(item, sorted(wanted)), options.alternatives) for item in inputs]
    _check_folders(corpora)
    corpora, mapped = _mapped(corpora, list(named), column, options)
    corpora = _marked(corpora, list(named), column, options)
    gold_corpus, outputs = corpora[0], corpora[1:]
    if gold_corpus.is_empty(column):
        raise InputError(
            f"{gold_corpus.name}: column {column} is empty in gold (every cell is {gold_corpus.empty}). "
            "Are gold and system swapped? Or choose another with --column."
        )
    further = _check_further_columns(gold_corpus, dict(zip(named, outputs, strict=True)), wanted - {column})
    filled = [not output.is_empty(column) for output in outputs]
    pairs, warnings = _aligned(gold_corpus, dict(zip(named, outputs, strict=True)), filled, column, options)
    warnings.extend(further)
    if not pairs:
        raise InputError(f"{outputs[0].name}: column {column} is empty. Choose another with --column.")
    skipped = np.any([pair.skipped for _, pair in pairs], axis=0)
    if skipped.all():
        raise AlignmentError(f"no sentence is shared by {gold_corpus.name} and all systems.")
    if skipped.any():
        pairs = [(name, _without(pair, skipped)) for name, pair in pairs]
    if tagset is not None:
        pairs, said = _with_tagset(pairs, tagset, measures, options)
        warnings.extend(said)
    judged = [(name, pair.judge()) for name, pair in pairs]
    for (name, pair), (_, judgements) in zip(pairs, judged, strict=True):
        warnings.extend(checks.warnings(name, pair, judgements))
    warnings.extend(checks.identical(judged))
    warnings.extend(_idle_rules(mapped))
    warnings.extend(_left_out(gold_corpus, pairs[0][1], column, skipped))
    sources = tuple(
        _source(name, output, dict(pairs).get(name), "" if full else "column empty")
        for name, output, full in zip(named, outputs, filled, strict=True)
    )
    return Run(
        gold_corpus,
        column,
        tuple(measures),
        tuple(pairs),
        sources,
        skipped,
        tuple(dict.fromkeys(warnings)),
        mapped,
        tagset,
    )


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
        if isinstance(first, Input) and not set("+:") & set(options.column):
            return first.plan.resolve(options.column)
        return ALIASES.get(options.column.upper(), options.column)
    files = [item for item in inputs if isinstance(item, Input)]
    if files:
        return choose_column(files)
    corpora = [item for item in inputs if isinstance(item, Corpus)]
    shared = [name for name in corpora[0].columns if all(name in corpus.columns for corpus in corpora)]
    for preferred in ("UPOS", "XPOS", "tag", "label"):
        if preferred in shared:
            return preferred
    if not shared:
        raise UsageError("the corpora share no column. Choose one with column=.")
    return shared[-1]


def _with_tagset(
    pairs: Sequence[tuple[str, Pair]], tagset: Tagset, measures: Sequence[Measure], options: Options
) -> tuple[list[tuple[str, Pair]], list[str]]:
    """The pairs with what the measures of rich tags need, and what does not fit together."""
    from assay import weights as weighing

    given = weighing.load(options.weights) if options.weights else None
    rich = [
        (name, replace(pair, tagset=tagset, weights=given, expand_optional=options.expand_optional))
        for name, pair in pairs
    ]
    warnings = list(checks.outside_tagset(rich, tagset, options.strict_tagset))
    for spec in dict.fromkeys([options.weights, *(measure.parameters.get("weights") for measure in measures)]):
        if spec:
            table = weighing.load(str(spec))
            weighing.check_categories(table, tagset)
            warnings += [*weighing.warnings(table, tagset), *checks.weightless(rich[0][1], table)]
    return rich, warnings


def _check_further_columns(gold: Corpus, outputs: Mapping[str, Corpus], columns: Iterable[str]) -> list[str]:
    """Columns that single measures ask for must not be empty either."""
    warnings = []
    for column in sorted(columns):
        if gold.is_empty(column):
            raise InputError(f"{gold.name}: column {column} is empty in gold. Choose another for the measure.")
        warnings += [
            f"{name}: column {column} is empty; its figures there say nothing."
            for name, output in outputs.items()
            if output.is_empty(column)
        ]
    return warnings


def _resolved(measure: Measure, gold: Input | Corpus) -> Measure:
    """The measure with its column, where it names one, under the name that it has in gold."""
    column = measure.parameters.get("column")
    if not column or isinstance(gold, Corpus):
        return measure
    return replace(measure, parameters={**measure.parameters, "column": gold.plan.resolve(str(column))})


def tags_outside(
    path: str, tagset: Tagset, column: str | None, input_format: str | None
) -> tuple[int, list[checks.Outside]]:
    """The number of words of a file, and its tags that a tagset does not know."""
    source = Input(path, input_format=input_format, wanted=[column] if column else [])
    name = column or (tagset.column if isinstance(tagset, Feats) else choose_column([source]))
    corpus = read_labels(source, [name])
    return len(corpus), checks.outside(corpus, corpus.column(name), tagset)


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
                    f"{where.name}: lacks {named}, which {other.name} has. Files of two folders correspond by name."
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


def _idle_rules(rows: Sequence[Mapped]) -> Iterator[str]:
    """Rules that fit no word in any file."""
    for rule in dict.fromkeys(row.rule for row in rows):
        if not any(row.words for row in rows if row.rule == rule):
            yield f"the mapping rule {rule} fits no word."


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
            kept, theirs = int((~pair.skipped[gold.sentence_of]).sum()), int((pair.system_sentence >= 0).sum())
            warnings.append(
                f"{name} has other tokens than gold: aligned by characters, {len(pair.gold_words):,} of "
                f"{kept:,} gold words have a counterpart among {theirs:,}."
            )
        elif output.sentences != gold.sentences and pair.aligned_by == "words":
            warnings.append(
                f"{name} has {output.sentences:,} sentences where gold has {gold.sentences:,}; gold's are used."
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
