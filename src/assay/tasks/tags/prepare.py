"""Words with labels: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.corpus import SEVERAL, Column, Corpus
from assay.engine import mapping
from assay.engine.items import judge_words
from assay.engine.lexicon import Lexicon, check_known, notes_on_lists
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
from assay.engine.warnings import (
    MOST,
    Numbers,
    check_system,
    format_warnings,
    identical,
    remark,
    said,
)
from assay.errors import InputError, UsageError
from assay.formats import Input, choose_column, name_in, read_labels, with_sets
from assay.formats.columns import doubtful_header, looks_header
from assay.result import Mapped
from assay.result.numbers import plural
from assay.tasks.tags import tagsets
from assay.tasks.tags.measures import Blank, Rich, analysis_of
from assay.tasks.tags.tagsets import Feats, Tagset
from assay.tasks.tags.tagsets.analysis import POS

if TYPE_CHECKING:
    pass

_ENOUGH = 50
"""From this number of words on, a first line that is hardly a word is an error."""


def prepare_tags(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, map, mark and align words with their labels."""
    inputs = words_alone(inputs)
    names = ["gold", *named]
    tagset = tagsets.find_tagset(options.tagset) if options.tagset else None
    if isinstance(tagset, Feats) and any(
        options.column_of(name) not in (None, tagset.column) for name in names
    ):
        raise UsageError(f"--tagset {tagset.name} takes tags from {tagset.column}; leave --column out.")
    told = options.decided.column if options.decided is not None else ""
    column = tagset.column if isinstance(tagset, Feats) else told or _column(inputs, names, options)
    columns = [column, *(options.column_of(name) or column for name in named)]
    if isinstance(options.column, str) or isinstance(tagset, Feats):
        columns = [column] * len(inputs)
    if odd := next((name for name in columns if name.count("+") != column.count("+")), ""):
        raise UsageError(f"--column: {odd} and gold's {column} join different numbers of columns. Give as many each.")
    notes = tuple(columns_read(inputs, names, columns, options))
    if isinstance(inputs[0], Input):
        # A measure's column goes by the name that it has in gold.
        resolve = inputs[0].plan.resolve
        measures = [
            replace(measure, parameters={**measure.parameters, "column": resolve(str(name))}) if name else measure
            for measure in measures
            for name in [measure.parameters.get("column")]
        ]
    needed = [(measure, name) for measure in measures for name in measure.columns]
    for measure, name in needed:
        for item in inputs:
            if name not in (item.columns if isinstance(item, Corpus) else item.plan.labels):
                place = item.name if isinstance(item, Corpus) else item.path
                raise UsageError(f"{place}: {measure} needs the column {name}, which this file does not have.")
    # Of columns that are compared together the first must say something.
    further = {name for measure in measures for name in measure.columns[1:]}
    named_columns = (str(m.parameters["column"]) for m in measures if m.parameters.get("column"))
    others = {*(name for _, name in needed), *named_columns}
    if column in others and {*columns} != {column}:
        raise UsageError(
            f"--column {options.spelled_column}: a measure names column {column} too, which is gold's alone. Leave "
            "column= out of the measure."
        )
    wanted = {column, *others}
    corpora = []
    for item, own in zip(inputs, columns, strict=True):
        corpus = read_labels(item, [own, *sorted(others - {own})])
        if own != column:
            corpus = replace(corpus, columns={**corpus.columns, column: corpus.column(own)})
        corpora.append(with_sets(corpus, options.alternatives))
    # A first line that seems to name columns in every file: in short tables a note, in longer ones an error.
    given = any("header=" in (options.format_of(name) or "") for name in names)
    tables = all(isinstance(item, Input) and item.plan.words.isdigit() for item in inputs)
    if tables and not given and all(looks_header(corpus, column) for corpus in corpora):
        source = inputs[0]
        assert isinstance(source, Input)
        cells = [corpora[0].forms[0], corpora[0].column(column)[0]]
        if len(corpora[0]) >= _ENOUGH:
            raise doubtful_header(source.path, cells, source.plan.name)
        notes = (*notes, first_line(path=source.path, cells=" ".join(cells)[:60], format=source.plan.name))
    if options.blank_tag:
        # No cell is empty then.
        for number, corpus in enumerate(corpora):
            blank = {corpus.empty or "_": options.blank_tag, "": options.blank_tag}
            labels = {name: labels.mapped(blank) for name, labels in corpus.columns.items()}
            corpora[number] = replace(corpus, columns=labels, empty="")
    check_folders(corpora)
    mapped: list[Mapped] = []
    rules = rules_of(options, named)
    if rules:
        sides = [("gold",), *(("system", name) for name in named)]
        done = [mapping.apply(rules, corpus, column, side) for corpus, side in zip(corpora, sides, strict=True)]
        corpora = [corpus for corpus, _ in done]
        for name, (_, report) in zip(names, done, strict=True):
            mapped += [replace(row, file=name) for row in report]
    single = [corpus.column(column) for corpus in corpora]
    for number, labels_here in enumerate(single):
        if any(SEVERAL in label for label in labels_here.vocabulary):
            single[number] = Column.of(tag for label in labels_here.strings() for tag in label.split(SEVERAL))
    kept = kept_labels(single, options)
    if kept:
        # One of several tags in a cell is enough.
        corpora = [
            marked_kept(corpus, corpus.column(column), lambda label: any(map(options.keeps, label.split(SEVERAL))))
            for corpus in corpora
        ]

    def map_as_gold(corpus: Corpus) -> Corpus:
        return mapping.apply(rules, corpus, column, ("gold",))[0] if rules else corpus

    lexicons: dict[str, Lexicon] = {}
    for name, path in (("train", options.train), ("lexicon", options.lexicon)):
        if path is not None:
            fold, form = options.oov_fold_case, options.format_of("gold")
            lexicon = Lexicon.read(path, column, fold=fold, input_format=form, labels=map_as_gold)
            corpora = [lexicon.mark_words(corpus, name, column) for corpus in corpora]
            lexicons[name] = lexicon
    gold_corpus, outputs = corpora[0], corpora[1:]
    systems = dict(zip(named, outputs, strict=True))
    check_gold = empty_gold(
        gold=gold_corpus.name, column=column, mark=gold_corpus.empty or "_", empty=gold_corpus.is_empty(column)
    )
    annotated = corpora if options.symmetric else corpora[:1]
    blanks = [corpus.unlabelled(column) for corpus in annotated]
    labelled = [
        Column(corpus.column(column).codes[~blank], corpus.column(column).vocabulary)
        for corpus, blank in zip(annotated, blanks, strict=True)
    ]
    check_labels = one_label(
        gold=gold_corpus.name,
        column=column,
        labels={label: True for labels in labelled for label in labels.counts()},
        blank=sum(int(blank.sum()) for blank in blanks),
    )
    if options.decided is None:
        # Before anything else is looked at.
        format_warnings([check_gold, check_labels])
    has_labels = filled = [not output.is_empty(column) for output in outputs]
    if options.decided is not None:
        # What is known of all shards; the first may be empty where others are not.
        filled = list(options.decided.filled) or (has_labels if any(has_labels) else [True] * len(outputs))
    pairs, warnings = aligned(gold_corpus, systems, filled, column, options)
    # Columns that single measures need must not be empty either; those compared together with others may be.
    for further_name in sorted(wanted - {column}):
        for name, corpus in (("gold" if further_name in further else "", gold_corpus), *systems.items()):
            empty = corpus.is_empty(further_name)
            warnings.append(further_column(name=name, gold=gold_corpus.name, column=further_name, empty=empty))
    if not pairs:
        raise InputError(f"{outputs[0].name}: column {column} is empty. Choose another with --column.")
    skipped = np.any([pair.skipped for _, pair in pairs], axis=0)
    nothing = f"no sentence is shared by {gold_corpus.name} and all systems."
    gone = left_out(skipped, nothing, "{number} of {sentences} sentences were left out: the texts differ.", options)
    pairs = [(name, without(pair, skipped)) for name, pair in pairs]
    if options.symmetric:
        pairs = [(name, replace(pair, symmetric=True)) for name, pair in pairs]
    if options.blank_tag:
        pairs = [(name, pair.with_layer(Blank(options.blank_tag))) for name, pair in pairs]
    if tagset is not None:
        from assay.tasks.tags import weights

        table = weights.load_weights(options.weights) if options.weights else None
        pairs = [(name, pair.with_layer(Rich(tagset, options.expand_optional, table))) for name, pair in pairs]
        first = pairs[0][1]
        for name, corpus in (("gold", first.gold), *((name, pair.system) for name, pair in pairs)):
            tags = outside(corpus, corpus.column(first.column), tagset)
            warnings.append(
                unknown_tags(
                    name=name,
                    tagset=tagset.name,
                    strict="strict" if options.strict_tagset else "",
                    counts={label: count for label, count, _, _ in tags},
                    places={label: place for label, _, place, _ in tags},
                    near={label: near for label, _, _, near in tags},
                )
            )
        for spec in dict.fromkeys([options.weights, *(measure.parameters.get("weights") for measure in measures)]):
            if spec:
                table = weights.load_weights(str(spec))
                weights.check_categories(table, tagset)
                warnings += [said(text=text) for text in weights.check_weights(table, tagset)]
                # Categories that the weights do not list count nothing.
                missing = {
                    position
                    for tag in analysis_of(first).tags
                    for position in (POS, *(name for name, _ in tag.values))
                    if table.of(tag.pos, position) is None
                }
                warnings.append(without_weights(missing=dict.fromkeys(sorted(missing), 1)))
    judged = [(name, judge_words(pair)) for name, pair in pairs]
    for name, pair in pairs if not (options.symmetric or options.figures_alone) else ():
        warnings.extend(check_system(name, pair, judge_words(pair), "word"))
    warnings += [identical(judged), *idle_rules(mapped)]
    open_words = pairs[0][1].left_open(column)[0] if options.symmetric else pairs[0][1].without_gold(column)
    words = int((open_words & ~skipped[gold_corpus.sentence_of]).sum())
    warnings += [*gone, (left_open if options.symmetric else unlabelled)(column=column, words=words)]
    sources = tuple(
        source_of(name, output, dict(pairs).get(name), "" if full else "column empty")
        for name, output, full in zip(named, outputs, filled, strict=True)
    )
    return Run(
        gold=gold_corpus,
        column=column,
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=sources,
        skipped=skipped,
        warnings=(check_gold, check_labels, *check_known(lexicons, gold_corpus), *kept, *warnings),
        mappings=tuple(mapped),
        tagset=tagset.name if tagset else "",
        items=int(judged[0][1].has_gold.sum()),
        unit=options.unit or "sentence",
        notes=(*notes, *notes_on_lists(lexicons)),
        decided=Decided(
            column=column,
            columns=tuple(columns),
            filled=tuple(has_labels),
            formats=tuple(corpus.format for corpus in corpora),
        ),
    )


@remark
def empty_gold(gold: str, column: str, mark: str, empty: bool) -> Iterator[str]:
    """Gold without labels."""
    if empty:
        raise InputError(
            f"{gold}: column {column} is empty in gold (every cell is {mark}). "
            "Are gold and system swapped? Or choose another with --column."
        )
    yield from ()


@remark
def first_line(path: str, cells: str, format: str) -> Iterator[str]:  # noqa: A002
    """A first line that is counted as a word, but may be a header."""
    yield (
        f"{path}: the first line, {cells!r}, is read as a word. If it names the columns: --input-format "
        f'"{format}(header=true)"'
    )


@remark
def one_label(gold: str, column: str, labels: Mapping[str, bool], blank: int) -> Iterator[str]:
    """Gold with one label and blanks, so that only the words with this label would be judged."""
    if blank and len(labels) == 1:
        raise InputError(
            f"{gold}: {column} has one label, {next(iter(labels))}, and is blank at {plural(blank, 'word')}, so "
            "precision would be 100 for any system. If blank means no: --blank-tag _"
        )
    yield from ()


def _column(inputs: Sequence[Input | Corpus], names: Sequence[str], options: Options) -> str:
    """The column that is compared, by its name in gold."""
    first, asked = inputs[0], options.column_of("gold")
    if asked is not None:
        if isinstance(first, Input) and not set("+:") & set(asked):
            return first.plan.resolve(asked)
        return name_in(first, asked) if isinstance(first, Corpus) else asked
    inputs = [item for item, name in zip(inputs, names, strict=True) if options.column_of(name) is None]
    files = [item for item in inputs if isinstance(item, Input)]
    if files:
        return choose_column(files)
    corpora = [item for item in inputs if isinstance(item, Corpus)]
    shared = [name for name in corpora[0].columns if all(name in corpus.columns for corpus in corpora)]
    for preferred in ("UPOS", "XPOS", "tag", "label"):
        if preferred in shared:
            return preferred
    if not shared:
        raise UsageError("the corpora have no column in common. Choose one with column=.")
    if len(shared) > 1:
        raise UsageError(f"labels may be in {', '.join(shared)}. Choose one with column=.")
    return shared[0]


@remark
def further_column(name: str, gold: str, column: str, empty: bool) -> Iterator[str]:
    """A column that a measure needs and that is empty in a system or, which is an error, in gold."""
    if empty and not name:
        raise InputError(f"{gold}: column {column} is empty in gold. Choose another for the measure.")
    if empty:
        yield f"{name}: column {column} is empty; its scores there mean nothing."


def tags_outside(
    path: str, tagset: Tagset, column: str | None, input_format: str | None
) -> tuple[int, list[Outside]]:
    """Number of words of a file, and its tags that a tagset does not know."""
    source = Input(path, input_format=input_format, wanted=[column] if column else [])
    name = column or (tagset.column if isinstance(tagset, Feats) else choose_column([source]))
    corpus = read_labels(source, [name])
    return len(corpus), outside(corpus, corpus.column(name), tagset)


@remark
def unlabelled(column: str, words: int) -> Iterator[str]:
    """Words without a gold label."""
    if words:
        have = "word has" if words == 1 else "words have"
        yield f"{words:,} {have} no gold label in {column} and {'was' if words == 1 else 'were'} left out."


@remark
def left_open(column: str, words: int) -> Iterator[str]:
    """Words that one of two annotators has no label for."""
    if words:
        yield f"{words:,} words have no label in {column} from one of two annotators and were left out."


Outside = tuple[str, int, str, str]
"""A tag that a tagset does not know: the tag, its number of words, its first place, the most similar known tag."""


@remark
def unknown_tags(
    name: str,
    tagset: str,
    strict: str,
    counts: Mapping[str, int],
    places: Mapping[str, str],
    near: Mapping[str, str],
) -> Iterator[str]:
    """Tags outside the tagset; an error with --strict-tagset."""
    if not counts:
        return
    words = plural(sum(counts.values()), "word")
    ordered = sorted(counts, key=lambda label: (-counts[label], label))
    listed = ", ".join(
        f"{label} ({counts[label]:,}, {places[label]}{f', {near[label]}?' if near[label] else ''})"
        for label in ordered[:MOST]
    )
    tags = "1 tag" if len(counts) == 1 else f"{len(counts):,} tags"
    text = f"{name}: {tags} on {words} outside the tagset {tagset}: {listed}{', …' if len(ordered) > MOST else '.'}"
    if strict:
        raise InputError(f"{text} (--strict-tagset)")
    yield f"{text} They are read as tags without parts."


def outside(corpus: Corpus, column: Column, tagset: Tagset) -> list[Outside]:
    """The tags of a column that a tagset does not know, the most frequent first."""
    import difflib

    counts = column.counts()
    unread = {
        label
        for label in counts
        if label != corpus.empty and not all(tagset.read(part) for part in label.split(SEVERAL))
    }
    known = [label for label in counts if label not in unread]
    found = []
    for label in sorted(unread, key=lambda label: (-counts[label], label)):
        place = corpus.place(int(np.flatnonzero(column.isin([label]))[0]))
        near = difflib.get_close_matches(label, known, n=1, cutoff=0.5)
        found.append((label, counts[label], place, near[0] if near else ""))
    return found


@remark
def without_weights(missing: Numbers) -> Iterator[str]:
    """Categories that the weights do not list."""
    if missing:
        yield f"the weights have nothing for {', '.join(sorted(missing))}: these weigh 0."
