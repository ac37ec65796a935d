"""Run: everything that is there to be judged; and the steps that all tasks share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np

from assay import mapping
from assay.align import Pair, align
from assay.arrays import Bools
from assay.corpus import Corpus
from assay.errors import AlignmentError
from assay.measures import Measure
from assay.prepare.options import Options
from assay.result import Mapped, Source
from assay.tagsets import Tagset


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
    task: str = "tags"
    items: int = 0
    """The number of gold's items."""
    unit: str = "sentence"
    scheme: str = ""
    """How tags were read as spans."""
    notes: tuple[str, ...] = ()


def check_folders(corpora: Sequence[Corpus]) -> None:
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


def rules_of(options: Options, names: Sequence[str]) -> list[mapping.Rule]:
    """The rules of the mapping file, where there is one."""
    if options.map is None:
        return []
    rules = mapping.read_rules(options.map)
    mapping.check_sides(rules, names, options.map)
    return rules


def idle_rules(rows: Sequence[Mapped]) -> Iterator[str]:
    """Rules that fit no word in any file."""
    for rule in dict.fromkeys(row.rule for row in rows):
        if not any(row.words for row in rows if row.rule == rule):
            yield f"the mapping rule {rule} fits nothing."


def aligned(
    gold: Corpus, outputs: Mapping[str, Corpus], filled: Sequence[bool], column: str, options: Options
) -> tuple[list[tuple[str, Pair]], list[str]]:
    """Each system that can be judged with gold, and what is to be said about that."""
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


def without(pair: Pair, skipped: Bools) -> Pair:
    """The pair without the sentences that are left out for all."""
    keep = ~skipped[pair.gold.sentence_of[pair.gold_words]]
    gone = (pair.system_sentence >= 0) & skipped[np.maximum(pair.system_sentence, 0)]
    return replace(
        pair,
        gold_words=pair.gold_words[keep],
        system_words=pair.system_words[keep],
        system_sentence=np.where(gone, -1, pair.system_sentence),
        skipped=skipped,
    )


def source_of(name: str, corpus: Corpus, pair: Pair | None, status: str) -> Source:
    """A system as a source."""
    unaligned = 0 if pair is None else int((pair.system_sentence >= 0).sum()) - len(pair.system_words)
    found = corpus.spans if corpus.spans is not None else corpus.chains
    spans = 0 if found is None else len(found)
    return Source(
        name, corpus.name, corpus.sha256, corpus.format, corpus.sentences, len(corpus), unaligned, status, spans
    )


def gold_source(run: Run) -> Source:
    """Gold as a source; unaligned are the gold words that some system has no counterpart for."""
    kept = int((~run.skipped[run.gold.sentence_of]).sum())
    unaligned = max(kept - len(pair.gold_words) for _, pair in run.pairs)
    return replace(source_of("gold", run.gold, None, ""), unaligned=unaligned)
