"""Words with labels: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.corpus import SEVERAL, Column, Corpus
from assay.engine import checks, mapping
from assay.engine.judgements import judge_words
from assay.engine.lexicon import Lexicon
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
    marked_kept,
    rules_of,
    source_of,
    without,
    words_alone,
)
from assay.engine.warnings import Remark, format_warnings, remark, said
from assay.errors import InputError, UsageError
from assay.formats import Input, choose_column
from assay.formats.labels import name_in, read_labels, with_sets
from assay.result import Mapped
from assay.tasks.tags import tagsets
from assay.tasks.tags.checks import Outside, outside, outside_tagset, weightless
from assay.tasks.tags.rich import Rich
from assay.tasks.tags.tagsets import Feats, Tagset


def prepare_tags(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, map, mark and align words with their labels."""
    inputs = words_alone(inputs)
    tagset = tagsets.find(options.tagset) if options.tagset else None
    if isinstance(tagset, Feats) and options.column not in (None, tagset.column):
        raise UsageError(f"--tagset {tagset.name} takes tags from {tagset.column}; leave --column out.")
    told = options.decided.column if options.decided is not None else ""
    column = tagset.column if isinstance(tagset, Feats) else told or _column(inputs, options)
    notes = tuple(columns_read(inputs, ["gold", *named], [column] * len(inputs), options))
    measures = [_resolved(measure, inputs[0]) for measure in measures]
    needed = _needed(inputs, measures)
    # Of columns that are compared together the first must say something.
    further = {name for measure in measures for name in measure.definition.columns[1:]}
    named_columns = (str(m.parameters["column"]) for m in measures if m.parameters.get("column"))
    wanted = {column, *(name for _, name in needed), *named_columns}
    corpora = [with_sets(read_labels(item, sorted(wanted)), options.alternatives) for item in inputs]
    check_folders(corpora)
    corpora, mapped = _mapped(corpora, named, column, options)
    kept = kept_labels([_single(corpus.column(column)) for corpus in corpora], options)
    if kept:
        # Of several tags in one cell one is enough.
        corpora = [
            marked_kept(corpus, corpus.column(column), lambda label: any(map(options.keeps, label.split(SEVERAL))))
            for corpus in corpora
        ]
    corpora = _marked(corpora, named, column, options)
    gold_corpus, outputs = corpora[0], corpora[1:]
    systems = dict(zip(named, outputs, strict=True))
    check_gold = empty_gold(
        gold=gold_corpus.name, column=column, mark=gold_corpus.empty or "_", empty=gold_corpus.is_empty(column)
    )
    if options.decided is None:
        # Before anything else is looked at.
        format_warnings([check_gold])
    given = [not output.is_empty(column) for output in outputs]
    filled = _filled(given, options)
    pairs, warnings = aligned(gold_corpus, systems, filled, column, options)
    warnings.extend(_check_further_columns(gold_corpus, systems, wanted - {column}, further))
    if not pairs:
        raise InputError(f"{outputs[0].name}: column {column} is empty. Choose another with --column.")
    skipped = np.any([pair.skipped for _, pair in pairs], axis=0)
    nothing = f"no sentence is shared by {gold_corpus.name} and all systems."
    gone = left_out(skipped, nothing, "{number} of {sentences} sentences were left out: the texts differ.", options)
    pairs = [(name, without(pair, skipped)) for name, pair in pairs]
    if options.symmetric:
        pairs = [(name, replace(pair, symmetric=True)) for name, pair in pairs]
    if tagset is not None:
        pairs, said = _with_tagset(pairs, tagset, measures, options)
        warnings.extend(said)
    judged = [(name, judge_words(pair)) for name, pair in pairs]
    for name, pair in pairs if not options.symmetric else ():
        warnings.extend(checks.warnings(name, pair, judge_words(pair), "word"))
    warnings += [checks.identical(judged), *idle_rules(mapped)]
    first = pairs[0][1]
    missing = first.left_open(column)[0] if options.symmetric else first.without_gold(column)
    words = int((missing & ~skipped[gold_corpus.sentence_of]).sum())
    warnings += [*gone, (left_open if options.symmetric else unlabelled)(column=column, words=words)]
    sources = tuple(
        source_of(name, output, dict(pairs).get(name), "" if full else "column empty")
        for name, output, full in zip(named, outputs, filled, strict=True)
    )
    return Run(
        gold_corpus,
        column,
        tuple(measures),
        tuple(pairs),
        sources,
        skipped,
        (check_gold, *kept, *warnings),
        mapped,
        tagset=tagset.name if tagset else "",
        items=int(judged[0][1].has_gold.sum()),
        unit=options.unit or "sentence",
        notes=notes,
        decided=Decided(
            column=column,
            filled=tuple(given),
            formats=tuple(corpus.format for corpus in corpora),
        ),
    )


def _single(labels: Column) -> Column:
    """All tags, those of cells with several one by one."""
    if not any(SEVERAL in label for label in labels.vocabulary):
        return labels
    return Column.of(tag for label in labels.strings() for tag in label.split(SEVERAL))


def _needed(inputs: Sequence[Input | Corpus], measures: Sequence[Measure]) -> list[tuple[Measure, str]]:
    """The columns that measures need beside the one compared; a file without one of them is refused."""
    needed = [(measure, name) for measure in measures for name in measure.definition.columns]
    for measure, name in needed:
        for item in inputs:
            if name not in (item.columns if isinstance(item, Corpus) else item.plan.labels):
                place = item.name if isinstance(item, Corpus) else item.path
                raise UsageError(f"{place}: {measure} needs the column {name}, which this file does not have.")
    return needed


def _filled(given: Sequence[bool], options: Options) -> Sequence[bool]:
    """Which systems have answers: those of this file, or what is known of all shards."""
    if options.decided is None:
        return given
    # The first shard may be empty where others are not.
    return options.decided.filled or (given if any(given) else [True] * len(given))


@remark
def empty_gold(gold: str, column: str, mark: str, empty: bool) -> Iterator[str]:
    """Gold without labels."""
    if empty:
        raise InputError(
            f"{gold}: column {column} is empty in gold (every cell is {mark}). "
            "Are gold and system swapped? Or choose another with --column."
        )
    yield from ()


def _column(inputs: Sequence[Input | Corpus], options: Options) -> str:
    """The column all are compared on, under the name it has in gold."""
    first = inputs[0]
    if options.column is not None:
        if isinstance(first, Input) and not set("+:") & set(options.column):
            return first.plan.resolve(options.column)
        return name_in(first, options.column) if isinstance(first, Corpus) else options.column
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
    if len(shared) > 1:
        raise UsageError(f"labels may be in {', '.join(shared)}. Choose one with column=.")
    return shared[0]


def _with_tagset(
    pairs: Sequence[tuple[str, Pair]], tagset: Tagset, measures: Sequence[Measure], options: Options
) -> tuple[list[tuple[str, Pair]], list[Remark]]:
    """The pairs with what the measures of rich tags need, and what does not fit together."""
    from assay.tasks.tags import weights as weighing

    given = weighing.load(options.weights) if options.weights else None
    rich = [
        (name, pair.with_layer(Rich(tagset, options.expand_optional, given)))
        for name, pair in pairs
    ]
    warnings = list(outside_tagset(rich, tagset, options.strict_tagset))
    for spec in dict.fromkeys([options.weights, *(measure.parameters.get("weights") for measure in measures)]):
        if spec:
            table = weighing.load(str(spec))
            weighing.check_categories(table, tagset)
            warnings += [said(text=text) for text in weighing.warnings(table, tagset)]
            warnings += weightless(rich[0][1], table)
    return rich, warnings


def _check_further_columns(
    gold: Corpus, outputs: Mapping[str, Corpus], columns: Iterable[str], together: Container[str]
) -> Iterator[Remark]:
    """Columns that single measures ask for must not be empty either; those compared together with others may be."""
    for column in sorted(columns):
        for name, corpus in (("gold" if column in together else "", gold), *outputs.items()):
            yield further_column(name=name, gold=gold.name, column=column, empty=corpus.is_empty(column))


@remark
def further_column(name: str, gold: str, column: str, empty: bool) -> Iterator[str]:
    """A column that a measure asks for and that is empty in a system or, which is refused, in gold."""
    if empty and not name:
        raise InputError(f"{gold}: column {column} is empty in gold. Choose another for the measure.")
    if empty:
        yield f"{name}: column {column} is empty; its figures there say nothing."


def _resolved(measure: Measure, gold: Input | Corpus) -> Measure:
    """The measure with its column, where it names one, under the name that it has in gold."""
    column = measure.parameters.get("column")
    if not column or isinstance(gold, Corpus):
        return measure
    return replace(measure, parameters={**measure.parameters, "column": gold.plan.resolve(str(column))})


def tags_outside(
    path: str, tagset: Tagset, column: str | None, input_format: str | None
) -> tuple[int, list[Outside]]:
    """The number of words of a file, and its tags that a tagset does not know."""
    source = Input(path, input_format=input_format, wanted=[column] if column else [])
    name = column or (tagset.column if isinstance(tagset, Feats) else choose_column([source]))
    corpus = read_labels(source, [name])
    return len(corpus), outside(corpus, corpus.column(name), tagset)


def _mapped(
    corpora: list[Corpus], names: Sequence[str], column: str, options: Options
) -> tuple[list[Corpus], tuple[Mapped, ...]]:
    if options.map is None:
        return corpora, ()
    rules = rules_of(options, names)
    sides = [("gold",), *(("system", name) for name in names)]
    done = [mapping.apply(rules, corpus, column, side) for corpus, side in zip(corpora, sides, strict=True)]
    rows = [
        replace(row, file=name) for name, (_, report) in zip(["gold", *names], done, strict=True) for row in report
    ]
    return [corpus for corpus, _ in done], tuple(rows)


def _marked(corpora: list[Corpus], names: Sequence[str], column: str, options: Options) -> list[Corpus]:
    rules = rules_of(options, names)

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


@remark
def unlabelled(column: str, words: int) -> Iterator[str]:
    """Words that gold has no label for."""
    if words:
        have = "word has" if words == 1 else "words have"
        yield f"{words:,} {have} no gold label in {column} and {'was' if words == 1 else 'were'} left out."


@remark
def left_open(column: str, words: int) -> Iterator[str]:
    """Words that one of two annotators has no label for."""
    if words:
        yield f"{words:,} words have no label in {column} from one of two annotators and were left out."
