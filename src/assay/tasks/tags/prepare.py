"""Words with labels: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import NONE, as_codes
from assay.corpus import SEVERAL, Column, Corpus
from assay.engine import mapping
from assay.engine.items import judge_words
from assay.engine.lexicon import Lexicon
from assay.engine.mapping import idle_rules, read_rules
from assay.engine.prepare import Run, notes_on_columns, without_spans
from assay.engine.warnings import MOST, Numbers, check_system, identical_outputs, plain_sentence, remark
from assay.errors import InputError, UsageError
from assay.formats import Input, choose_column, name_in, read_labels, split_tag_sets
from assay.formats.columns import doubtful_header, looks_header
from assay.result.numbers import plural
from assay.tasks.tags import tagsets, weights
from assay.tasks.tags.measures import Blank, Rich, analyse_labels
from assay.tasks.tags.tagsets import Feats, Tagset
from assay.tasks.tags.tagsets.analysis import POS

_ENOUGH = 50
"""From this number of words on, a first line that is hardly a word is an error."""


def prepare_tags(run: Run) -> None:
    """Read, map, mark and align words with their labels."""
    options = run.options
    inputs = [without_spans(item) if isinstance(item, Corpus) else item for item in run.inputs]
    tagset = tagsets.find_tagset(options.tagset) if options.tagset else None
    by_tagset = tagset.column if isinstance(tagset, Feats) else ""
    if tagset and by_tagset and any(options.column_of(name) not in (None, by_tagset) for name in run.names):
        raise UsageError(f"--tagset {tagset.name} takes tags from {by_tagset}; leave --column out.")
    decided = options.decided.column if options.decided is not None else ""
    column = by_tagset or decided or _column(inputs, run)
    columns = [column, *(options.column_of(name) or column for name in run.names[1:])]
    if isinstance(options.column, str) or by_tagset:
        columns = [column] * len(inputs)
    if odd := next((name for name in columns if name.count("+") != column.count("+")), ""):
        raise UsageError(f"--column: {odd} and gold's {column} join different numbers of columns. Give as many each.")
    run.decide(column=column, columns=tuple(columns))
    if any(isinstance(item, Input) and item.plan.words for item in inputs):
        run.notes += notes_on_columns(run, columns)
    if isinstance(inputs[0], Input):
        # A measure's column has the name that it has in gold.
        resolve = inputs[0].plan.resolve
        run.measures = [
            replace(measure, parameters={**measure.parameters, "column": resolve(str(name))}) if name else measure
            for measure in run.measures
            for name in [measure.parameters.get("column")]
        ]
    needed = [(measure, name) for measure in run.measures for name in measure.columns]
    for measure, name in needed:
        for item in inputs:
            if name not in (item.columns if isinstance(item, Corpus) else item.plan.labels):
                place = item.name if isinstance(item, Corpus) else item.path
                raise UsageError(f"{place}: {measure} needs the column {name}, which this file does not have.")
    # Of columns that are compared together the first must say something.
    further = {name for measure in run.measures for name in measure.columns[1:]}
    others = {name for _, name in needed}
    others |= {str(measure.parameters["column"]) for measure in run.measures if measure.parameters.get("column")}
    if column in others and {*columns} != {column}:
        raise UsageError(
            f"--column {options.spelled_column}: a measure names column {column} too, which is gold's alone. Leave "
            "column= out of the measure."
        )
    corpora = []
    for item, own in zip(inputs, columns, strict=True):
        corpus = read_labels(item, [own, *sorted(others - {own})])
        if own != column:
            corpus = replace(corpus, columns={**corpus.columns, column: corpus.column(own)})
        corpora.append(split_tag_sets(corpus, options.alternatives))
    if all(isinstance(item, Input) and item.plan.words.isdigit() for item in inputs):
        _check_header(run, corpora)
    if options.blank_tag:
        # No cell is empty then.
        for number, corpus in enumerate(corpora):
            filled = {corpus.empty or "_": options.blank_tag, "": options.blank_tag}
            cells = {name: labels.mapped(filled) for name, labels in corpus.columns.items()}
            corpora[number] = replace(corpus, columns=cells, empty="")
    run.take(corpora)
    if options.map is not None:
        run.map_labels(lambda rules, corpus, sides: mapping.map_corpus(rules, corpus, column, sides))
    golds: dict[str, bool] = {}
    blanks = 0
    for corpus in run.corpora if options.symmetric else run.corpora[:1]:
        labels, blank = corpus.column(column), corpus.unlabelled(column)
        golds |= dict.fromkeys(Column(labels.codes[~blank], labels.vocabulary).counts(), True)
        blanks += int(blank.sum())
    is_empty = run.gold.is_empty(column)
    if is_empty or (blanks and len(golds) == 1) or options.decided is not None:
        mark = run.gold.empty or "_"
        fact = labels_of_gold(
            gold=run.gold.name, column=column, mark=mark, empty=is_empty, labels=golds, blank=blanks
        )
        run.require(fact)

    def read_lexicon(path: str) -> Lexicon:
        rules, fold, form = read_rules(options.map), options.oov_fold_case, options.format_of("gold")

        def map_as_gold(corpus: Corpus) -> Corpus:
            return mapping.map_corpus(rules, corpus, column, ("gold",))[0] if rules else corpus

        return Lexicon.read(path, column, fold=fold, input_format=form, labels=map_as_gold)

    if options.train is not None or options.lexicon is not None:
        run.mark_known(read_lexicon, lambda lexicon, corpus, option: lexicon.mark_words(corpus, option, column))
    if options.labels or options.ignore_labels:
        run.count_labels(lambda corpus: corpus.column(column), lambda label: label.split(SEVERAL))
        # One of several tags in a cell is enough.
        run.flag_counted_words(column, lambda label: any(map(options.keeps, label.split(SEVERAL))))
    run.decide(filled=tuple(not output.is_empty(column) for _, output in run.systems))
    run.align(column)
    gold = run.gold
    # Columns that single measures need must not be empty either; those compared together with others may be.
    for name in sorted(others - {column}):
        for file, corpus in (("gold" if name in further else "", gold), *run.systems):
            empty = corpus.is_empty(name)
            run.warnings.append(further_column(name=file, gold=gold.name, column=name, empty=empty))
    layers: list[object] = [Blank(options.blank_tag)] if options.blank_tag else []
    if tagset is not None:
        table = weights.load_weights(options.weights) if options.weights else None
        layers.append(Rich(tagset, options.expand_optional, table))
    for number, (name, pair) in enumerate(run.pairs):
        for layer in layers:
            pair = pair.with_layer(layer)  # noqa: PLW2901
        run.pairs[number] = name, replace(pair, symmetric=True) if options.symmetric else pair
    if tagset is not None:
        run.tagset = tagset.name
        _check_tagset(run, tagset)
    # The first of many shards decides for all.
    if options.decided is not None and options.decided.task:
        run.decide(parted_by=options.decided.parted_by)
    elif tagset is not None:
        run.decide(parted_by=options.tagset)
    elif not (options.symmetric or options.figures_alone):
        labels, labelled = gold.column(column), ~gold.unlabelled(column)
        tags = dict(Column(labels.codes[labelled], labels.vocabulary).counts())
        run.decide(parted_by=tagsets.recognise_tagset(tags))
        if isinstance(inputs[0], Input) and inputs[0].piece:
            run.warnings.append(recognised_tagset(tagset=run.decided.parted_by, tags=tags))
    judged = [(name, judge_words(pair)) for name, pair in run.pairs]
    for (name, pair), (_, items) in zip(run.pairs, judged, strict=True):
        if not (options.symmetric or options.figures_alone):
            run.warnings += check_system(name, pair, items, "word")
    codes: dict[str, int] = {}
    answers = [(name, np.append(as_codes(items.labels, codes), NONE)[items.answer[0]]) for name, items in judged]
    run.warnings.append(identical_outputs(answers, np.array_equal))
    run.warnings += idle_rules(run.mappings) if options.map is not None else ()
    first = run.pairs[0][1]
    open_words = first.left_open(column)[0] if options.symmetric else first.without_gold(column)
    if words := int((open_words & ~run.skipped[gold.sentence_of]).sum()):
        run.warnings.append((left_open if options.symmetric else unlabelled)(column=column, words=words))
    run.items = int(judged[0][1].has_gold.sum())


def _check_header(run: Run, corpora: Sequence[Corpus]) -> None:
    """A first line that seems to name columns in every file is a note in short tables, in longer ones an error."""
    column, source = run.decided.column, run.inputs[0]
    given = any("header=" in (run.options.format_of(name) or "") for name in run.names)
    if not given and all(looks_header(corpus, column) for corpus in corpora):
        assert isinstance(source, Input)
        cells = [corpora[0].forms[0], corpora[0].column(column)[0]]
        if len(corpora[0]) >= _ENOUGH:
            raise doubtful_header(source.path, cells, source.plan.name)
        run.notes.append(first_line(path=source.path, cells=" ".join(cells)[:60], format=source.plan.name))


def _check_tagset(run: Run, tagset: Tagset) -> None:
    """Warn of tags outside the tagset, and of weights that do not fit it."""
    first = run.pairs[0][1]
    for name, corpus in (("gold", first.gold), *((name, pair.system) for name, pair in run.pairs)):
        tags = outside(corpus, corpus.column(first.column), tagset)
        run.warnings.append(
            unknown_tags(
                name=name,
                tagset=tagset.name,
                strict="strict" if run.options.strict_tagset else "",
                counts={label: count for label, count, _, _ in tags},
                places={label: place for label, _, place, _ in tags},
                near={label: near for label, _, _, near in tags},
            )
        )
    specs = [run.options.weights, *(measure.parameters.get("weights") for measure in run.measures)]
    for spec in filter(None, dict.fromkeys(specs)):
        table = weights.load_weights(str(spec))
        weights.check_categories(table, tagset)
        run.warnings += [plain_sentence(text=text) for text in weights.check_weights(table, tagset)]
        # Categories that the weights do not list count nothing.
        missing = {
            position
            for tag in analyse_labels(first).tags
            for position in (POS, *(name for name, _ in tag.values))
            if table.of(tag.pos, position) is None
        }
        run.warnings.append(without_weights(missing=dict.fromkeys(sorted(missing), 1)))


@remark
def recognised_tagset(tagset: str, tags: Numbers) -> Iterator[str]:
    """The tagset of each piece of a file, which must be that of the whole."""
    if tagsets.recognise_tagset(tags) != tagset:
        raise UsageError("the pieces of the file do not show the tagset of the whole.")
    yield from ()


@remark
def first_line(path: str, cells: str, format: str) -> Iterator[str]:  # noqa: A002
    """A first line that is counted as a word, but may be a header."""
    yield (
        f"{path}: the first line, {cells!r}, is read as a word. If it names the columns: --input-format "
        f'"{format}(header=true)"'
    )


@remark
def labels_of_gold(
    gold: str, column: str, mark: str, empty: bool, labels: Mapping[str, bool], blank: int
) -> Iterator[str]:
    """Gold without labels, or with one label and blanks, so that only the words with this label would be judged."""
    if empty:
        raise InputError(
            f"{gold}: column {column} is empty in gold (every cell is {mark}). "
            "Are gold and system swapped? Or choose another with --column."
        )
    if blank and len(labels) == 1:
        raise InputError(
            f"{gold}: {column} has one label, {next(iter(labels))}, and is blank at {plural(blank, 'word')}, so "
            "precision would be 100 for any system. If blank means no: --blank-tag _"
        )
    yield from ()


def _column(inputs: Sequence[Input | Corpus], run: Run) -> str:
    """The column that is compared, by its name in gold."""
    first, asked = inputs[0], run.options.column_of("gold")
    if asked is not None:
        if isinstance(first, Input) and not set("+:") & set(asked):
            return first.plan.resolve(asked)
        return name_in(first, asked) if isinstance(first, Corpus) else asked
    inputs = [item for item, name in zip(inputs, run.names, strict=True) if run.options.column_of(name) is None]
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
        yield f"{name}: column {column} is empty, so its scores there mean nothing."


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
    were = "was" if words == 1 else "were"
    yield f"{plural(words, 'word has', 'words have')} no gold label in {column} and {were} left out."


@remark
def left_open(column: str, words: int) -> Iterator[str]:
    """Words that one of two annotators has no label for."""
    were = "was" if words == 1 else "were"
    have = plural(words, "word has", "words have")
    yield f"{have} no label in {column} from one of two annotators and {were} left out."


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
    tags, are = plural(len(counts), "tag"), "is" if len(counts) == 1 else "are"
    more = ", …" if len(ordered) > MOST else "."
    text = f"{name}: {tags} on {words} {are} outside the tagset {tagset}: {listed}{more}"
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
        yield f"the weights file lacks {', '.join(sorted(missing))}, which therefore weigh 0."
