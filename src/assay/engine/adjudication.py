"""Documents in which annotators or systems differ, as files that an annotation tool opens to decide between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.classes import dataclass
from assay.corpus import SPANS, Corpus
from assay.engine.items import KINDS, Items, join
from assay.engine.measure import Measure, find
from assay.engine.options import Options
from assay.engine.prepare import OpenFiles, Run
from assay.engine.task import find_task
from assay.errors import UsageError
from assay.files import write_files
from assay.formats import writetools
from assay.formats.spandocuments import SpanDocument, cut_sentences, split_documents
from assay.formats.writespans import check_file_name, write_brat
from assay.result.numbers import plural

_JSON, _LINES, _FOLDER = ".json", ".jsonl", "/"


def is_adjudication(path: str) -> bool:
    """True if differences are to be written for an annotation tool, not as a table."""
    return path.endswith((_JSON, _LINES, _FOLDER))


def write_system_differences(
    gold: Any, systems: Any, measures: Sequence[str], options: Mapping[str, Any], path: str
) -> str:
    """Write the documents in which systems differ by the first measure, and return a sentence about them."""
    if not is_adjudication(path):
        raise UsageError(f"--items {path}: give tasks.json (Label Studio), rows.jsonl (Prodigy) or FOLDER/ (brat).")
    found = [find(spec) for spec in measures[:1]]
    opened = OpenFiles(gold, systems, Options(**{**options, "kind": None, "change": None}), found)
    measure = found[0] if found else find(find_task(opened.task).defaults[0])
    disputes = Disputes()
    disputes.add_systems(opened.run([measure]), measure, options["kind"])
    return disputes.write(path)


@dataclass
class _Dispute:
    """A document, what each side says of it, and the number of differences."""

    sides: dict[str, SpanDocument] = field(default_factory=dict)
    differences: int = 0


class Disputes:
    """The documents of several sides, with the number of differences in each."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], _Dispute] = {}

    def add_annotators(self, run: Run, measure: Measure, names: Sequence[str]) -> None:
        """Add the differences of two annotators, of whom the first is in gold's place."""
        for _, pair in run.pairs:
            items = _judge(measure, pair)
            wrong = ~items.right[0] & (items.has_gold | items.has_system[0])
            self._add(items.sentence[wrong], dict(zip(names, run.corpora, strict=True)))

    def add_systems(self, run: Run, measure: Measure, kind: str | None) -> None:
        """Add the changes between systems, those of one kind if it is named."""
        if kind is not None and kind not in KINDS:
            raise UsageError(f"--kind {kind}: unknown kind of change. Available: {', '.join(KINDS)}.")
        items = join([(name, _judge(measure, pair)) for name, pair in run.pairs])
        changes = [items.change(a, b) for a, b in combinations(range(len(items.systems)), 2)]
        wanted = [rows >= 0 if kind is None else rows == KINDS.index(kind) for rows in changes]
        sentences = np.concatenate([items.sentence[rows] for rows in wanted])
        self._add(sentences, dict(zip(run.names, run.corpora, strict=True)))

    def _add(self, sentences: Ints, corpora: Mapping[str, Corpus]) -> None:
        """Add the documents of corpora that are aligned, with a difference for each of these sentences."""
        if not all(SPANS in corpus.marks for corpus in corpora.values()):
            raise UsageError(
                "--items: annotation tools take spans, relations and links. For labels of words: --items items.tsv"
            )
        cut = {name: cut_sentences(corpus) for name, corpus in corpora.items()}
        first = next(iter(cut.values()))
        numbers = np.bincount(first.document_of_sentence[sentences], minlength=first.documents).tolist()
        lists = {name: split_documents(corpus) for name, corpus in cut.items()}
        if len({len(documents) for documents in lists.values()}) > 1:
            raise UsageError(
                f"--items: {', '.join(lists)} are split into different documents. Split them in the same way."
            )
        times: Counter[tuple[str, str]] = Counter()
        for number, document in enumerate(lists[next(iter(lists))]):
            sides = {name: documents[number] for name, documents in lists.items()}
            for name, other in sides.items():
                if other.whole != document.whole:
                    fact = f"document {document.name}: {name} and {next(iter(sides))} have different words or blanks"
                    raise UsageError(f"--items: {fact}, so they have no common text. Give both the same.")
            key = (document.name if document.by_id else "", document.whole)
            times[key] += 1
            dispute = self._found.setdefault((*key, times[key]), _Dispute())
            dispute.sides |= sides
            dispute.differences += numbers[number]

    def write(self, path: str) -> str:
        """Write the documents with differences, most first, and return a sentence about them.

        For Label Studio a side is a prediction, for Prodigy a row, for brat a folder; what all share is marked.
        """
        if not self._found:
            fact = "no measure here shows which spans differ"
            raise UsageError(
                f"--items {path}: {fact}. Name one, e.g. -m exact; for labels of words: --items items.tsv"
            )
        ranked = sorted(self._found.values(), key=lambda dispute: -dispute.differences)
        disputes = [dispute for dispute in ranked if dispute.differences]
        for dispute in disputes:
            documents = dispute.sides.values()
            places = [[(one.places_in_text(mention), mention.label) for mention in one.mentions] for one in documents]
            shared = set.intersection(*map(set, places))
            for document, own in zip(documents, places, strict=True):
                for mention, place in zip(document.mentions, own, strict=True):
                    mention.agreed = place in shared
        try:
            write_files(_format_disputes(disputes, path), path)
        except UsageError as error:
            raise UsageError(
                str(error).replace("Use --to jsonl", "Use another format: --items tasks.json or FOLDER/")
            ) from None
        number = sum(dispute.differences for dispute in disputes)
        return f"{path}: {plural(len(disputes), 'document')} with {plural(number, 'difference')} to decide."


def _judge(measure: Measure, pair: Pair) -> Items:
    """The items of a pair under a measure; an error if it counts no single items."""
    items = measure.judge(pair)
    if not isinstance(items, Items):
        raise UsageError(f"--items: {measure} does not show which items differ. Name another measure first: -m exact")
    return items


def _format_disputes(disputes: Sequence[_Dispute], path: str) -> Mapping[str, str]:
    """The texts of files by their names; a single file has no name."""
    if path.endswith(_FOLDER):
        texts = {}
        for dispute in disputes:
            for name, document in dispute.sides.items():
                stem = check_file_name(f"{name}/{document.name}", "--items")
                texts[f"{stem}.txt"], texts[f"{stem}.ann"] = write_brat(document)
        return texts
    if path.endswith(_LINES):
        sides = [(writetools.Side(name), one) for dispute in disputes for name, one in dispute.sides.items()]
        return {"": writetools.dump_lines([writetools.write_prodigy(one, side) for side, one in sides])}
    tasks = []
    for dispute in disputes:
        predictions = [
            {"model_version": name, "result": writetools.list_results(document)}
            for name, document in dispute.sides.items()
        ]
        tasks.append(writetools.make_task(next(iter(dispute.sides.values())), predictions=predictions))
    return {"": writetools.dump_list(tasks)}
