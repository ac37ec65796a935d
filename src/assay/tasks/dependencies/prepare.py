"""Dependency trees: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.corpus import Column, Corpus, one_vocabulary
from assay.engine.items import judge_words
from assay.engine.lexicon import Lexicon, check_known, notes_on_lists
from assay.engine.measure import Measure
from assay.engine.options import Decided, Options
from assay.engine.prepare import (
    Run,
    align_whole_sentences,
    check_folders,
    kept_labels,
    marked_kept,
    words_alone,
)
from assay.engine.treebanks import Fault, columns_of, count_several_roots, nonprojective, with_heads
from assay.engine.warnings import (
    Remark,
    check_system,
    faulty_sentences,
    format_warnings,
    identical_outputs,
    remark,
)
from assay.errors import MOST_PROBLEMS, InputError, UsageError
from assay.formats import Input, read_labels
from assay.tasks.dependencies.measures import RELATION, is_punctuation


def prepare_dependencies(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align words with their heads and relations."""
    columns = [(options.column_of(name) or "HEAD+DEPREL").split("+") for name in ("gold", *named)]
    if any(len(both) != 2 for both in columns):
        raise UsageError(
            f"--column {options.spelled_column}: dependencies are two columns, e.g. HEAD+DEPREL or PHEAD+PDEPREL."
        )
    for measure in measures:
        if measure.task != "dependencies" and not [*columns_of(measure)]:
            name = measure.name
            raise UsageError(f"{measure}: say which column, beside dependencies: {name}(column=UPOS)")
    further = list(dict.fromkeys(name for measure in measures for name in columns_of(measure)))
    corpora, faults, checked = _read_trees(words_alone(inputs), columns, further, options)
    # Relations with and without what follows the colon: either may be named.
    relations = (corpus.column("DEPREL").strings() for corpus in corpora)
    kept = kept_labels(
        (Column.of(name for full in names for name in dict.fromkeys((full, _main(full)))) for names in relations),
        options,
    )
    lexicons: dict[str, Lexicon] = {}
    for name, path in (("train", options.train), ("lexicon", options.lexicon)):
        if path is not None:
            lexicon = Lexicon.read(path, "DEPREL", fold=options.oov_fold_case, input_format=options.format_of("gold"))
            corpora = [lexicon.mark_words(corpus, name, "DEPREL") for corpus in corpora]
            lexicons[name] = lexicon
    if kept:
        for measure in measures:
            other = measure.task != "dependencies"
            if other or measure.name in ("tokens", "words", "sentences"):
                raise UsageError(
                    f"{measure} has no relations, so that --labels and --ignore-labels say nothing about it."
                )
        corpora = [
            marked_kept(corpus, corpus.column("DEPREL"), lambda label: options.keeps(label, _main(label)))
            for corpus in corpora
        ]
    gold = corpora[0]
    characters = any(measure.characters for measure in measures)
    lines = [
        [(fault.sentence, f"{corpus.place(fault.word)}: {fault.fact}") for fault in found]
        for corpus, found in zip(corpora, faults, strict=True)
    ]
    pairs, skipped, warnings = align_whole_sentences(corpora, named, lines, options, RELATION, characters=characters)
    judged = [judge_words(pair) for _, pair in pairs]
    for (name, pair), judgements in zip(pairs, judged, strict=True):
        warnings.extend(check_system(name, pair, judgements, "word"))
    _, relations_of = one_vocabulary([pair.system.column("DEPREL") for _, pair in pairs])
    answers: list[tuple[str, tuple[Any, ...]]] = [
        (name, (pair.system.heads, codes)) for (name, pair), codes in zip(pairs, relations_of, strict=True)
    ]
    warnings.append(identical_outputs(answers, lambda ours, theirs: all(map(np.array_equal, ours, theirs))))
    for name, corpus, found in zip(["gold", *named], corpora, lines, strict=True):
        places = [f"{line}." for _, line in found[:MOST_PROBLEMS]]
        warnings.append(faulty_sentences(name=name, places=places, number=len(found)))
        roots = count_several_roots(corpus, [sentence for sentence, _ in found])
        warnings.append(several_roots(name=name, sentences=roots))
        for column in further:
            warnings.append(needed_column(name=name, column=column, empty=corpus.is_empty(column)))
    for setting in dict.fromkeys(measure.parameters.get("punctuation", "all") for measure in measures):
        if setting != "all":
            warnings.append(idle_punctuation(setting=setting, words=int(is_punctuation(gold, setting).sum())))
    numbers = {"gold": int((nonprojective(gold) & ~skipped).sum())}
    for name, pair in pairs:
        taken = np.zeros(pair.system.sentences, dtype=bool)
        taken[pair.system.sentence_of[pair.system_sentence >= 0]] = True
        numbers[name] = int((nonprojective(pair.system) & taken).sum())
    return Run(
        gold=gold,
        column="+".join(columns[0]),
        measures=tuple(measures),
        pairs=tuple(pairs),
        skipped=skipped,
        warnings=(*checked, *check_known(lexicons, gold), *kept, *warnings),
        items=int(judged[0].has_gold.sum()),
        unit=options.unit or "sentence",
        notes=(
            *notes_on_lists(lexicons),
            *(() if options.symmetric else (nonprojective_sentences(numbers=numbers),)),
        ),
        decided=Decided(
            column="+".join(columns[0]),
            formats=tuple(corpus.format for corpus in corpora),
            columns=tuple(map("+".join, columns)) if columns.count(columns[0]) < len(columns) else (),
        ),
    )


def _main(relation: str) -> str:
    """A relation without what follows the colon."""
    return relation.partition(":")[0]


def _read_trees(
    inputs: Sequence[Input | Corpus], columns: Sequence[Sequence[str]], further: Sequence[str], options: Options
) -> tuple[list[Corpus], list[list[Fault]], list[Remark]]:
    """The files with their heads, and the faults of their trees; a file without any head stops with an error."""
    corpora, checked = [], []
    for number, item in enumerate(inputs):
        head, relation = columns[number]
        resolve = item.plan.resolve if isinstance(item, Input) and item.plan.name == "conll09" else None
        if number == 0 and resolve and (resolve(head), resolve(relation)) == ("PHEAD", "PDEPREL"):
            # Predicted columns are never gold's.
            head, relation = "HEAD", "DEPREL"
        corpus = read_labels(item, [head, relation, *further])
        labels = corpus.column(relation)
        plain = labels.mapped({text: _main(text) for text in labels.vocabulary if ":" in text})
        named = {"HEAD": corpus.column(head), "DEPREL": labels, RELATION: plain}
        corpora.append(replace(corpus, columns={**corpus.columns, **named}))
    check_folders(corpora)
    for corpus in corpora:
        hint = "Systems' predictions may be in --column PHEAD+PDEPREL." if corpus.format == "conll09" else ""
        empty = corpus.is_empty("HEAD")
        checked.append(no_heads(file=corpus.name, mark=corpus.empty or "", hint=hint, empty=empty))
    if options.decided is None:
        format_warnings(checked)
    trees = [with_heads(corpus, "HEAD") for corpus in corpora]
    for corpus in corpora:
        heads = corpus.column("HEAD")
        if heads.vocabulary and not any(text.isdigit() for text in heads.vocabulary):
            shown = ", ".join(repr(text) for text in heads.vocabulary[:3])
            raise InputError(
                f"{corpus.name}: no heads in it, but {shown}. Measures of dependencies need a column of heads, and "
                "one of relations, e.g. --column HEAD+DEPREL."
            )
    return [corpus for corpus, _ in trees], [found for _, found in trees], checked


@remark
def no_heads(file: str, mark: str, hint: str, empty: bool) -> Iterator[str]:
    """A file without trees."""
    if empty:
        raise InputError(f"{file}: no heads in it (every cell is {mark}). {hint}".rstrip())
    yield from ()


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
        yield f"{name}: column {column} is empty; scores that need it mean nothing."


@remark
def idle_punctuation(setting: str, words: int) -> Iterator[str]:
    """A setting by which nothing is left out."""
    if not words:
        yield f"punctuation={setting} fits no word of gold, so that all words count."


@remark
def nonprojective_sentences(numbers: Mapping[str, int]) -> Iterator[str]:
    """Numbers of sentences that are not projective, on each side."""
    if any(numbers.values()):
        listed = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
        yield f"Non-projective sentences: {listed}."
