"""Dependency trees: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Ints
from assay.corpus import Column, Corpus
from assay.engine import checks
from assay.engine.judgements import judge_words
from assay.engine.lexicon import Lexicon
from assay.engine.measure import Measure
from assay.engine.options import Decided, Options
from assay.engine.prepare import (
    Run,
    aligned,
    check_folders,
    kept_labels,
    left_out,
    marked_kept,
    source_of,
    without,
    words_alone,
)
from assay.engine.warnings import Remark, format_warnings, remark
from assay.errors import MOST_PROBLEMS, InputError, UsageError, listed
from assay.formats import Input, read_labels
from assay.tasks.dependencies import arcs
from assay.tasks.dependencies.arcs import Fault
from assay.tasks.dependencies.measures import RELATION, is_punctuation, listed_punctuation


def prepare_dependencies(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align words with their heads and relations."""
    inputs = words_alone(inputs)
    head, relation = _columns(options)
    further = list(dict.fromkeys(name for measure in measures for name in columns_of(measure)))
    corpora = [_read(inputs[0], *_golds(inputs[0], head, relation), further)]
    corpora += [_read(item, head, relation, further) for item in inputs[1:]]
    check_folders(corpora)
    checked = [_check_filled(corpus) for corpus in corpora]
    if options.decided is None:
        format_warnings(checked)
    trees = [arcs.with_heads(corpus, "HEAD") for corpus in corpora]
    faults = [found for _, found in trees]
    _refuse(corpora, faults, options)
    kept = kept_labels([_both(corpus) for corpus in corpora], options)
    corpora = _marked([corpus for corpus, _ in trees], options)
    if kept:
        _check_have_labels(measures)
        corpora = [
            marked_kept(corpus, corpus.column("DEPREL"), lambda label: options.keeps(label, label.partition(":")[0]))
            for corpus in corpora
        ]
    gold, *outputs = corpora
    systems = dict(zip(named, outputs, strict=True))
    characters = any(measure.definition.characters for measure in measures)
    pairs, warnings = aligned(gold, systems, [True] * len(outputs), RELATION, options, characters=characters)
    skipped = np.zeros(gold.sentences, dtype=bool)
    for (_, pair), found in zip(pairs, faults[1:], strict=True):
        skipped |= pair.skipped | _faulty(pair, faults[0], found)
    nothing = f"no sentence of {gold.name} is whole in all files."
    warnings += left_out(skipped, nothing, "{number} of {sentences} sentences were left out.", options)
    pairs = [(name, without(pair, skipped)) for name, pair in pairs]
    judged = [(name, judge_words(pair)) for name, pair in pairs]
    for (name, pair), (_, judgements) in zip(pairs, judged, strict=True):
        warnings.extend(checks.warnings(name, pair, judgements, "word"))
    warnings.append(checks.identical_outputs([(name, _answers(pair)) for name, pair in pairs]))
    warnings += _said(["gold", *named], [corpus for corpus, _ in trees], faults, further)
    warnings += _idle_punctuation(gold, measures)
    return Run(
        gold=gold,
        column=f"{head}+{relation}",
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in pairs),
        skipped=skipped,
        warnings=(*checked, *kept, *warnings),
        mappings=(),
        task="dependencies",
        items=int(judged[0][1].has_gold.sum()),
        unit=options.unit or "sentence",
        notes=() if options.symmetric else (nonprojective_sentences(numbers=_nonprojective(pairs, skipped)),),
        decided=Decided(column=f"{head}+{relation}", formats=tuple(corpus.format for corpus in corpora)),
    )


def _both(corpus: Corpus) -> Column:
    """Relations with and without what follows the colon: either may be named."""
    names = corpus.column("DEPREL").strings()
    return Column.of(name for full in names for name in dict.fromkeys((full, full.partition(":")[0])))


def _check_have_labels(measures: Sequence[Measure]) -> None:
    for measure in measures:
        if measure.definition.name in ("tokens", "words", "sentences"):
            raise UsageError(f"{measure} has no labels, so that --labels and --ignore-labels say nothing about it.")


def _answers(pair: Pair) -> list[Ints]:
    """The heads and relations of a system; relations by their rank among all of its relations and gold's."""
    relations = pair.system.column("DEPREL")
    names = sorted({*relations.vocabulary, *pair.gold.column("DEPREL").vocabulary})
    place = {name: number for number, name in enumerate(names)}
    assert pair.system.heads is not None
    return [pair.system.heads, np.array([place[name] for name in relations.vocabulary])[relations.codes]]


def _columns(options: Options) -> tuple[str, str]:
    names = (options.column or "HEAD+DEPREL").split("+")
    if len(names) != 2:
        raise UsageError(
            f"--column {options.column}: dependencies are two columns, e.g. HEAD+DEPREL or PHEAD+PDEPREL."
        )
    return names[0], names[1]


def _read(item: Input | Corpus, head: str, relation: str, further: Sequence[str]) -> Corpus:
    corpus = read_labels(item, [head, relation, *further])
    labels = corpus.column(relation)
    plain = labels.mapped({text: text.partition(":")[0] for text in labels.vocabulary if ":" in text})
    columns = {**corpus.columns, "HEAD": corpus.column(head), "DEPREL": labels, RELATION: plain}
    return replace(corpus, columns=columns)


def _golds(item: Input | Corpus, head: str, relation: str) -> tuple[str, str]:
    """Gold's columns: in CoNLL-2009 the predicted ones (PHEAD, PDEPREL) are never gold's."""
    if isinstance(item, Corpus) or item.plan.format != "conll09":
        return head, relation
    predicted = (item.plan.resolve(head), item.plan.resolve(relation)) == ("PHEAD", "PDEPREL")
    return ("HEAD", "DEPREL") if predicted else (head, relation)


def _check_filled(corpus: Corpus) -> Remark:
    hint = "Systems' predictions may be in --column PHEAD+PDEPREL." if corpus.format == "conll09" else ""
    return no_heads(file=corpus.name, mark=corpus.empty or "", hint=hint, empty=corpus.is_empty("HEAD"))


@remark
def no_heads(file: str, mark: str, hint: str, empty: bool) -> Iterator[str]:
    """A file without trees."""
    if empty:
        raise InputError(f"{file}: no heads in it (every cell is {mark}). {hint}".rstrip())
    yield from ()


def _refuse(corpora: Sequence[Corpus], faults: Sequence[Sequence[Fault]], options: Options) -> None:
    """Faulty trees end the work, unless their sentences may be left out; a file without any head always does."""
    for corpus in corpora:
        heads = corpus.column("HEAD")
        if heads.vocabulary and not any(text.isdigit() for text in heads.vocabulary):
            shown = ", ".join(repr(text) for text in heads.vocabulary[:3])
            raise InputError(
                f"{corpus.name}: no heads in it, but {shown}. Measures of dependencies need a column of heads, and "
                "one of relations, e.g. --column HEAD+DEPREL."
            )
    lines = [
        f"{corpus.place(fault.word)}: {fault.fact}"
        for corpus, found in zip(corpora, faults, strict=True)
        for fault in found
    ]
    if not lines or options.on_mismatch == "skip":
        return
    remedy = "To leave such sentences out: --on-mismatch skip"
    raise InputError("\n".join([*listed(lines), remedy]))


def _faulty(pair: Pair, gold: Sequence[Fault], system: Sequence[Fault]) -> Bools:
    """The gold sentences with a faulty tree on either side."""
    faulty = np.zeros(pair.gold.sentences, dtype=bool)
    faulty[[fault.sentence for fault in gold]] = True
    words = np.isin(pair.system.sentence_of, [fault.sentence for fault in system]) & (pair.system_sentence >= 0)
    faulty[pair.system_sentence[words]] = True
    return faulty


def _marked(corpora: list[Corpus], options: Options) -> list[Corpus]:
    for name, path in (("train", options.train), ("lexicon", options.lexicon)):
        if path is not None:
            lexicon = Lexicon.read(path, "DEPREL", fold=options.oov_fold_case, input_format=options.input_format)
            corpora = [lexicon.marked(corpus, name, "DEPREL") for corpus in corpora]
    return corpora


def _said(
    names: Sequence[str],
    corpora: Sequence[Corpus],
    faults: Sequence[Sequence[Fault]],
    further: Sequence[str],
) -> Iterator[Remark]:
    for name, corpus, found in zip(names, corpora, faults, strict=True):
        places = [f"{corpus.place(fault.word)}: {fault.fact}" for fault in found[:MOST_PROBLEMS]]
        yield faulty_trees(name=name, places=places, number=len(found))
        yield several_roots(name=name, sentences=arcs.several_roots(corpus, found))
        for column in further:
            yield needed_column(name=name, column=column, empty=corpus.is_empty(column))


@remark
def faulty_trees(name: str, places: Sequence[str], number: int) -> Iterator[str]:
    """Sentences that were left out since their trees are faulty."""
    yield from (f"left out: {place}." for place in places)
    if number > MOST_PROBLEMS:
        yield f"left out: {number - MOST_PROBLEMS:,} more faulty sentences of {name}."


@remark
def several_roots(name: str, sentences: int) -> Iterator[str]:
    """Sentences with more than one root."""
    if sentences:
        what = "1 sentence has" if sentences == 1 else f"{sentences:,} sentences have"
        yield f"{name}: {what} more than one root, scored like others."


@remark
def needed_column(name: str, column: str, empty: bool) -> Iterator[str]:
    """A column that a measure needs and that is empty."""
    if empty:
        yield f"{name}: column {column} is empty; figures that need it say nothing."


def columns_of(measure: Measure) -> Iterator[str]:
    """The columns that a measure needs beside heads and relations."""
    yield from measure.definition.columns
    listed = listed_punctuation(measure.parameters.get("punctuation", ""))
    if listed is not None and listed[0] not in ("HEAD", "DEPREL"):
        yield listed[0]


def _idle_punctuation(gold: Corpus, measures: Sequence[Measure]) -> Iterator[Remark]:
    """Settings by which nothing is left out, perhaps since gold calls punctuation otherwise."""
    for setting in dict.fromkeys(measure.parameters.get("punctuation", "all") for measure in measures):
        if setting != "all":
            yield idle_punctuation(setting=setting, words=int(is_punctuation(gold, setting).sum()))


@remark
def idle_punctuation(setting: str, words: int) -> Iterator[str]:
    """A setting by which nothing is left out."""
    if not words:
        yield f"punctuation={setting} fits no word of gold, so that all words count."


def _nonprojective(pairs: Sequence[tuple[str, Pair]], skipped: Bools) -> dict[str, int]:
    gold = pairs[0][1].gold
    numbers = {"gold": int((arcs.nonprojective(gold) & ~skipped).sum())}
    for name, pair in pairs:
        system = pair.system
        taken = np.zeros(system.sentences, dtype=bool)
        taken[system.sentence_of[pair.system_sentence >= 0]] = True
        numbers[name] = int((arcs.nonprojective(system) & taken).sum())
    return numbers


@remark
def nonprojective_sentences(numbers: Mapping[str, int]) -> Iterator[str]:
    """How many sentences are not projective on each side."""
    if any(numbers.values()):
        listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
        yield f"Non-projective sentences: {listed}."
