"""Documents of gold and of systems brought into one order, and marks of both on one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.align import Pair
from assay.arrays import Bools
from assay.corpus import SPANS, Corpus, Marks
from assay.engine.items import Items
from assay.engine.measure import Measure
from assay.engine.options import Decided, Options
from assay.engine.prepare import (
    MOST_NAMED,
    Run,
    absent_documents,
    aligned,
    check_folders,
    common_documents,
    left_out,
    notes_on_reading,
    without,
)
from assay.engine.spanpairs import needs_characters, with_spans
from assay.engine.warnings import Remark
from assay.errors import AlignmentError
from assay.formats import Input


def order_documents(
    corpora: Sequence[Corpus], names: Sequence[str], options: Options
) -> tuple[list[Corpus], list[Remark]]:
    """Gold and the systems with gold's documents in its order, and remarks on those that systems lack.

    Documents correspond by their ids or, if gold or a system left some out, by their number in the file.
    """
    if options.missing == "absent":
        return _keep_common(corpora, names)
    gold, ordered, remarks = corpora[0], [corpora[0]], []
    for name, system in zip(names[1:], corpora[1:], strict=True):
        ours, theirs = _document_keys(gold, system)
        order = {key: number for number, key in enumerate(theirs)}
        # What gold leaves out, systems need not have.
        known = {*ours, *(one[1 if gold.by_id and system.by_id else 0] for one in gold.left_out)}
        absent = [key for key in ours if key not in order]
        if absent and options.missing == "error":
            listed = _list_keys(absent)
            remedy = "To score them as empty: --missing empty"
            if options.symmetric:
                remedy = "To compare the documents that both have: --missing absent"
            raise AlignmentError(f"{system.name}: lacks the documents {listed}, which {gold.name} has. {remedy}")
        foreign = [key for key in theirs if key not in known]
        if foreign:
            raise AlignmentError(f"{gold.name}: lacks the documents {_list_keys(foreign)}, which {system.name} has.")
        if absent:
            order |= {key: system.documents + number for number, key in enumerate(ours) if key not in order}
            remarks.append(absent_documents(name=name, number=len(absent), named=_names_of(absent)))
        numbers = [order[key] for key in ours]
        same = not absent and numbers == [*range(system.documents)]
        ordered.append(system if same else (system.followed_by(gold) if absent else system).reordered(numbers))
    return ordered, remarks


def _keep_common(corpora: Sequence[Corpus], names: Sequence[str]) -> tuple[list[Corpus], list[Remark]]:
    """All annotators with the documents that each of them has."""
    gold, *others = corpora
    keys = [_document_keys(gold, other) for other in others]
    places = [{key: number for number, key in enumerate(theirs)} for _, theirs in keys]
    common = set(range(gold.documents))
    for (ours, _), place in zip(keys, places, strict=True):
        common &= {number for number, key in enumerate(ours) if key in place}
    if not common:
        raise AlignmentError(f"{gold.name}: no document is in all files. Documents correspond by their ids.")
    kept = sorted(common)
    numbers = [kept, *([place[ours[one]] for one in kept] for (ours, _), place in zip(keys, places, strict=True))]
    whole = all(len(kept) == corpus.documents for corpus in corpora)
    remarks = [] if whole else [common_documents(names=list(names), number=len(kept))]
    return [corpus.reordered(own) for corpus, own in zip(corpora, numbers, strict=True)], remarks


def _document_keys(gold: Corpus, system: Corpus) -> tuple[Sequence[str | int], Sequence[str | int]]:
    """Keys by which documents of gold and of a system correspond: ids, numbers in the file, or their order."""
    if gold.by_id and system.by_id:
        return gold.document_ids, system.document_ids
    numbers = []
    for corpus in (gold, system):
        gone = {number for number, _, _ in corpus.left_out}
        numbers.append([number for number in range(corpus.documents + len(gone)) if number not in gone])
    same = gold.documents + len(gold.left_out) == system.documents + len(system.left_out)
    if same and (gold.left_out or system.left_out):
        return numbers[0], numbers[1]
    # Other texts in the same places are found when they are aligned.
    return [*range(system.documents)], [*range(system.documents)]


def _names_of(keys: Sequence[str | int]) -> list[str]:
    return [key if isinstance(key, str) else str(key + 1) for key in keys[:MOST_NAMED]]


def _list_keys(keys: Sequence[str | int]) -> str:
    return ", ".join(_names_of(keys)) + (", …" if len(keys) > MOST_NAMED else "")


def prepare_marks(
    inputs: Sequence[Input | Corpus], named: Sequence[str], measures: Sequence[Measure], options: Options
) -> Run:
    """Read marks, and align their units by ids if all files have them: for tasks that need nothing else."""
    names = ["gold", *named]
    corpora = [item if isinstance(item, Corpus) else item.read(()) for item in inputs]
    check_folders(corpora)
    warnings = [note for name, one in zip(names, corpora, strict=True) for note in notes_on_reading(name, one)]
    formats = tuple(corpus.format for corpus in corpora)
    if all(corpus.by_id for corpus in corpora):
        corpora, absent = order_documents(corpora, names, options)
        warnings += absent
    gold, *outputs = corpora
    pairs, skipped, remarks = align_spans(gold, dict(zip(named, outputs, strict=True)), options)
    judged = measures[0].judge(pairs[0][1])
    return Run(
        gold=gold,
        measures=tuple(measures),
        pairs=tuple(pairs),
        skipped=skipped,
        warnings=(*warnings, *remarks),
        items=int(judged.has_gold.sum()) if isinstance(judged, Items) else 0,
        unit=options.unit or ("document" if gold.whole_documents else "sentence"),
        decided=Decided(formats=formats),
    )


def check_reach(gold: Corpus, system: Corpus) -> None:
    """Spans given without words must fit into the sentences of the side that has words."""
    if gold.has_words == system.has_words or gold.sentences != system.sentences:
        return
    bare, full = (system, gold) if gold.has_words else (gold, system)
    if SPANS not in bare.marks:
        return
    lengths = np.diff(full.starts)[bare.spans.unit]
    beyond = np.flatnonzero(bare.spans.end > lengths)
    if len(beyond):
        span = int(beyond[0])
        raise AlignmentError(
            f"{bare.place_of_span(span)}: the span ends at word {int(bare.spans.end[span])} of a sentence of "
            f"{int(lengths[span])} words in {full.name}. Are these the same sentences?"
        )


def align_spans(
    gold: Corpus, outputs: Mapping[str, Corpus], options: Options
) -> tuple[list[tuple[str, Pair]], Bools, list[Remark]]:
    """Gold with each system that has spans, the sentences that are left out for all, and remarks on both."""
    for output in outputs.values():
        check_reach(gold, output)
    pairs, warnings = aligned(gold, outputs, [True] * len(outputs), "", options)
    skipped = np.any([pair.skipped for _, pair in pairs], axis=0)
    nothing = f"no sentence is shared by {gold.name} and all systems."
    units = "documents" if gold.whole_documents else "sentences"
    text = f"left out, since the texts differ: {{number}} of {{sentences}} {units}."
    warnings += left_out(skipped, nothing, text, options)
    return [(name, without(pair, skipped)) for name, pair in pairs], skipped, warnings


def with_one_line(
    pairs: Sequence[tuple[str, Pair]],
    options: Options,
    claims: Sequence[Marks | None] = (),
    gold_errors: Marks | None = None,
) -> tuple[list[tuple[str, Pair]], bool]:
    """The pairs with spans on lines of one kind of atom, so that all systems are judged in the same way; and whether
    these must be characters.

    claims: marks without a place that each system has besides.
    gold_errors: spans in which gold itself is wrong.
    """
    needed = any(needs_characters(pair) for _, pair in pairs)
    characters = needed or (options.decided is not None and options.decided.characters)
    return [
        (name, with_spans(pair, characters=characters, gold_errors=gold_errors, claims=own))
        for (name, pair), own in zip(pairs, claims or [None] * len(pairs), strict=True)
    ], needed
