"""Dependency trees: from what the user names to pairs that can be judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay import arcs, checks
from assay.align import MOST_PROBLEMS, Pair
from assay.arcs import Fault
from assay.arrays import Bools, Ints
from assay.corpus import Corpus
from assay.errors import AlignmentError, InputError, UsageError
from assay.labels import read_labels
from assay.lexicon import Lexicon
from assay.measures import Measure
from assay.measures.dependencies import RELATION
from assay.prepare.options import Options
from assay.prepare.run import Run, aligned, check_folders, source_of, without
from assay.readers import Input


def prepare_dependencies(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read, check and align words with their heads and relations."""
    head, relation = _columns(options)
    further = list(dict.fromkeys(name for measure in measures for name in measure.definition.columns))
    corpora = [_read(inputs[0], *_golds(inputs[0], head, relation), further)]
    corpora += [_read(item, head, relation, further) for item in inputs[1:]]
    check_folders(corpora)
    for corpus in corpora:
        _check_filled(corpus)
    trees = [arcs.with_heads(corpus, "HEAD") for corpus in corpora]
    faults = [found for _, found in trees]
    _refuse(corpora, faults, options)
    gold, *outputs = _marked([corpus for corpus, _ in trees], options)
    systems = dict(zip(named, outputs, strict=True))
    pairs, warnings = aligned(gold, systems, [True] * len(outputs), RELATION, options)
    skipped = np.zeros(gold.sentences, dtype=bool)
    for (_, pair), found in zip(pairs, faults[1:], strict=True):
        skipped |= pair.skipped | _faulty(pair, faults[0], found)
    if skipped.all():
        raise AlignmentError(f"no sentence of {gold.name} is whole in all files.")
    if skipped.any():
        pairs = [(name, without(pair, skipped)) for name, pair in pairs]
        warnings.append(f"{int(skipped.sum()):,} of {gold.sentences:,} sentences were left out.")
    judged = [(name, pair.judge()) for name, pair in pairs]
    for (name, pair), (_, judgements) in zip(pairs, judged, strict=True):
        warnings.extend(checks.warnings(name, pair, judgements, "word"))
    warnings += checks.identical_outputs([(name, _answers(pair)) for name, pair in pairs])
    warnings += _said(["gold", *named], [corpus for corpus, _ in trees], faults, measures, further)
    return Run(
        gold=gold,
        column=f"{head}+{relation}",
        measures=tuple(measures),
        pairs=tuple(pairs),
        sources=tuple(source_of(name, pair.system, pair, "") for name, pair in pairs),
        skipped=skipped,
        warnings=tuple(dict.fromkeys(warnings)),
        mappings=(),
        task="dependencies",
        items=int(judged[0][1].has_gold.sum()),
        unit=options.unit or "sentence",
        notes=tuple(_notes(gold, skipped)),
    )


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


def _check_filled(corpus: Corpus) -> None:
    if corpus.is_empty("HEAD"):
        hint = "Systems' predictions may be in --column PHEAD+PDEPREL." if corpus.format == "conll09" else ""
        raise InputError(f"{corpus.name}: no heads in it (every cell is {corpus.empty}). {hint}".rstrip())


def _refuse(corpora: Sequence[Corpus], faults: Sequence[Sequence[Fault]], options: Options) -> None:
    """Faulty trees end the work, unless their sentences may be left out."""
    lines = [
        f"{corpus.place(fault.word)}: {fault.fact}"
        for corpus, found in zip(corpora, faults, strict=True)
        for fault in found
    ]
    if not lines or options.on_mismatch == "skip":
        return
    more = [f"… and {len(lines) - MOST_PROBLEMS:,} more places"] if len(lines) > MOST_PROBLEMS else []
    remedy = "To leave such sentences out: --on-mismatch skip"
    raise InputError("\n".join([*lines[:MOST_PROBLEMS], *more, remedy]))


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
    measures: Sequence[Measure],
    further: Sequence[str],
) -> Iterator[str]:
    for name, corpus, found in zip(names, corpora, faults, strict=True):
        for fault in found[:MOST_PROBLEMS]:
            yield f"left out: {corpus.place(fault.word)}: {fault.fact}."
        if len(found) > MOST_PROBLEMS:
            yield f"left out: {len(found) - MOST_PROBLEMS:,} more faulty sentences of {name}."
        roots = arcs.several_roots(corpus, found)
        if roots:
            what = "1 sentence has" if roots == 1 else f"{roots:,} sentences have"
            yield f"{name}: {what} more than one root, scored like others."
        for column in further:
            if corpus.is_empty(column):
                yield f"{name}: column {column} is empty; figures that need it say nothing."


def _notes(gold: Corpus, skipped: Bools) -> Iterator[str]:
    crossing = int((arcs.nonprojective(gold) & ~skipped).sum())
    if crossing:
        yield f"{crossing:,} of gold's sentences are non-projective."
