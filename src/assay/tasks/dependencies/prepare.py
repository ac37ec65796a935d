"""Dependency trees: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.corpus import Corpus, one_vocabulary
from assay.engine.items import judge_words
from assay.engine.lexicon import Lexicon
from assay.engine.prepare import Run, without_spans
from assay.engine.treebanks import columns_of, count_several_roots, mask_nonprojective, with_heads
from assay.engine.warnings import (
    check_system,
    faulty_sentences,
    identical_outputs,
    number_of_things,
    numbers_by_side,
    remark,
)
from assay.errors import MOST_PROBLEMS, InputError, UsageError
from assay.formats import Input, read_labels
from assay.tasks.dependencies.measures import RELATION, is_punctuation


def prepare_dependencies(run: Run) -> None:
    """Read, check and align words with their heads and relations."""
    options = run.options
    columns = [(options.column_of(name) or "HEAD+DEPREL").split("+") for name in run.names]
    if any(len(both) != 2 for both in columns):
        raise UsageError(
            f"--column {options.spelled_column}: dependencies are two columns, e.g. HEAD+DEPREL or PHEAD+PDEPREL."
        )
    for measure in run.measures:
        if measure.task != "dependencies" and not [*columns_of(measure)]:
            name = measure.name
            raise UsageError(f"{measure}: name its column, in addition to dependencies: {name}(column=UPOS)")
    run.decide(column="+".join(columns[0]))
    if columns.count(columns[0]) < len(columns):
        run.decide(columns=tuple(map("+".join, columns)))
    further = list(dict.fromkeys(name for measure in run.measures for name in columns_of(measure)))
    gold_file = run.inputs[0]
    if isinstance(gold_file, Input) and gold_file.plan.name == "conll09":
        resolved = [*map(gold_file.plan.resolve, columns[0])]
        # Predicted columns are never gold's.
        columns[0] = ["HEAD", "DEPREL"] if resolved == ["PHEAD", "PDEPREL"] else columns[0]
    run.take([_read(without_spans(item), both, further) for item, both in zip(run.inputs, columns, strict=True)])
    for corpus in run.corpora:
        hint = "Systems' predictions may be in --column PHEAD+PDEPREL." if corpus.format == "conll09" else ""
        run.require(no_heads(file=corpus.name, mark=corpus.empty or "", hint=hint, empty=corpus.is_empty("HEAD")))
    faults = []
    for number, corpus in enumerate(run.corpora):
        heads = corpus.column("HEAD")
        if heads.vocabulary and not any(text.isdigit() for text in heads.vocabulary):
            shown = ", ".join(repr(text) for text in heads.vocabulary[:3])
            raise InputError(
                f"{corpus.name}: contains no heads, but {shown}. Measures of dependencies need a column of "
                f"heads, and "
                "one of relations, e.g. --column HEAD+DEPREL."
            )
        run.corpora[number], wrong = with_heads(corpus, "HEAD")
        faults.append([(fault.sentence, f"{corpus.place(fault.word)}: {fault.fact}") for fault in wrong])
    fold, form = options.oov_fold_case, options.format_of("gold")
    run.mark_known(
        lambda path: Lexicon.read(path, "DEPREL", fold=fold, input_format=form),
        lambda lexicon, corpus, option: lexicon.mark_words(corpus, option, "DEPREL"),
    )
    # Relations with and without what follows the colon: either may be named.
    if run.count_labels(lambda corpus: corpus.column("DEPREL"), lambda label: {label, _main(label)}):
        for measure in run.measures:
            other = measure.task != "dependencies"
            if other or measure.name in ("tokens", "words", "sentences"):
                raise UsageError(
                    f"{measure} does not use relations, so --labels and --ignore-labels do not apply to it."
                )
        run.flag_counted_words("DEPREL", lambda label: options.keeps(label, _main(label)))
    run.align(RELATION, faults)
    gold = run.gold
    for name, pair in run.pairs:
        run.warnings += check_system(name, pair, judge_words(pair), "word")
    _, relations = one_vocabulary([pair.system.column("DEPREL") for _, pair in run.pairs])
    answers: list[tuple[str, tuple[Any, ...]]] = [
        (name, (pair.system.heads, codes)) for (name, pair), codes in zip(run.pairs, relations, strict=True)
    ]
    run.warnings.append(identical_outputs(answers, lambda ours, theirs: all(map(np.array_equal, ours, theirs))))
    for name, corpus, lines in zip(run.names, run.corpora, faults, strict=True):
        places = [f"{line}." for _, line in lines[:MOST_PROBLEMS]]
        roots = count_several_roots(corpus, [sentence for sentence, _ in lines])
        run.warnings += [
            faulty_sentences(name=name, places=places, number=len(lines)),
            number_of_things(
                name=name,
                one="sentence has",
                many="sentences have",
                text="more than one root, scored like the others.",
                number=roots,
            ),
            *(needed_column(name=name, column=column, empty=corpus.is_empty(column)) for column in further),
        ]
    for setting in dict.fromkeys(measure.parameters.get("punctuation", "all") for measure in run.measures):
        if setting != "all":
            run.warnings.append(idle_punctuation(setting=setting, words=int(is_punctuation(gold, setting).sum())))
    numbers = {"gold": int((mask_nonprojective(gold) & ~run.skipped).sum())}
    for name, pair in run.pairs:
        taken = np.zeros(pair.system.sentences, dtype=bool)
        taken[pair.system.sentence_of[pair.system_sentence >= 0]] = True
        numbers[name] = int((mask_nonprojective(pair.system) & taken).sum())
    if not options.symmetric:
        run.notes.append(numbers_by_side(text="Non-projective sentences: {}.", numbers=numbers))
    run.items = int(judge_words(run.pairs[0][1]).has_gold.sum())


def _main(relation: str) -> str:
    """A relation without what follows the colon."""
    return relation.partition(":")[0]


def _read(item: Input | Corpus, columns: Sequence[str], further: Sequence[str]) -> Corpus:
    """A file with columns of heads and of relations, with and without what follows the colon."""
    head, relation = columns
    corpus = read_labels(item, [head, relation, *further])
    labels = corpus.column(relation)
    plain = labels.mapped({text: _main(text) for text in labels.vocabulary if ":" in text})
    named = {"HEAD": corpus.column(head), "DEPREL": labels, RELATION: plain}
    return replace(corpus, columns={**corpus.columns, **named})


@remark
def no_heads(file: str, mark: str, hint: str, empty: bool) -> Iterator[str]:
    """A file without trees."""
    if empty:
        hint = hint or "Give a file with trees, or compare its labels: -m accuracy"
        raise InputError(f"{file}: contains no heads (every cell is {mark}). {hint}")
    yield from ()


@remark
def needed_column(name: str, column: str, empty: bool) -> Iterator[str]:
    """A column that a measure needs and that is empty."""
    if empty:
        yield f"{name}: column {column} is empty, so scores that need it mean nothing."


@remark
def idle_punctuation(setting: str, words: int) -> Iterator[str]:
    """A setting by which nothing is left out."""
    if not words:
        yield f"punctuation={setting} matches no word of gold, so all words count."
