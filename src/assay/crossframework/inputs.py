"""What the user names for a cross-framework comparison, read and brought to the same words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.constituents import with_words_of
from assay.crossframework.frameworks import Annotation, problems, read_trees, selected, shown
from assay.errors import AlignmentError, InputError, UsageError, unknown
from assay.prepare import Options


def theory_paths(specs: Sequence[str]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The files of golds by name, and which gold takes its functions from which."""
    golds: dict[str, str] = {}
    enrichments = []
    for spec in specs:
        name, equals, path = spec.partition("=")
        if equals:
            if name in golds or not name or not path or "+" in name or "@" in name:
                raise UsageError(f"--theory {spec!r} should be name=path, each name once.")
            golds[name] = path
        else:
            structure, plus, labels = spec.partition("+")
            if not plus:
                raise UsageError(f"--theory {spec!r} should be name=path, or a+b: a with the functions of b.")
            enrichments.append((structure, labels))
    if not golds:
        raise UsageError("no gold given. Give one for each framework: --theory dep=gold.conllu --theory ps=gold.mrg")
    for name in (name for pair in enrichments for name in pair):
        if name not in golds:
            raise unknown("theory", name, golds)
    return golds, enrichments


def system_paths(specs: Sequence[str], golds: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The files of systems by name and theory."""
    systems: dict[str, dict[str, str]] = {}
    for spec in specs:
        named, equals, path = spec.partition("=")
        name, at, theory = named.rpartition("@")
        if not (equals and at and name and path):
            raise UsageError(f"{spec!r} should be system@theory=path, e.g. malt@dep=malt.conllu")
        if theory not in golds:
            raise unknown("theory", theory, golds)
        if theory in systems.setdefault(name, {}):
            raise UsageError(f"{name} is given twice for {theory}.")
        systems[name][theory] = path
    if not systems:
        raise UsageError("no system given. Give at least one: malt@dep=malt.conllu")
    return systems


@dataclass(frozen=True, eq=False)
class Files:
    """What was read: golds by theory, systems by name and theory, over the same words."""

    golds: dict[str, Annotation]
    systems: dict[str, dict[str, Annotation]]
    sentences: int
    """Of the files, before any were left out."""
    warnings: tuple[str, ...]


def read_files(golds: Mapping[str, str], systems: Mapping[str, Mapping[str, str]], options: Options) -> Files:
    """All files, without the sentences that are faulty or have other words somewhere, where these may be left out."""
    read_golds = {name: read_trees(path, options.input_format) for name, path in golds.items()}
    reference = next(iter(read_golds.values())).corpus
    read_systems = {
        name: {theory: read_trees(path, options.input_format) for theory, path in versions.items()}
        for name, versions in systems.items()
    }
    for name, versions in read_systems.items():
        for theory, annotation in versions.items():
            if annotation.kind != read_golds[theory].kind:
                kind = read_golds[theory].kind
                raise UsageError(f"{name}@{theory} has {annotation.kind}, but the gold {theory} has {kind}.")
            versions[theory] = replace(annotation, corpus=with_words_of(annotation.corpus, reference))
    others = {f"gold {name}": gold.corpus for name, gold in read_golds.items()}
    others |= {f"{name}@{t}": one.corpus for name, versions in read_systems.items() for t, one in versions.items()}
    wrong, lines = problems(reference, others)
    if options.on_mismatch == "warn":
        # Words that are written otherwise can be compared by their place.
        sizes = [np.diff(corpus.starts) for corpus in others.values()]
        wrong = np.any([size != sizes[0] for size in sizes], axis=0)
    if (wrong.any() if options.on_mismatch == "warn" else lines) and options.on_mismatch != "skip":
        remedy = "All files must have the same words. To leave such sentences out: --on-mismatch skip"
        raise AlignmentError("\n".join([*shown(lines), remedy]))
    faulty = [
        (corpus, fault)
        for one in (*read_golds.values(), *(v for versions in read_systems.values() for v in versions.values()))
        for corpus in [one.corpus]
        for fault in one.faults
    ]
    faults = [f"{corpus.place(fault.word)}: {fault.fact}" for corpus, fault in faulty]
    if faults and options.on_mismatch != "skip":
        raise InputError("\n".join([*shown(faults), "To leave such sentences out: --on-mismatch skip"]))
    wrong[[fault.sentence for _, fault in faulty]] = True
    if wrong.all():
        raise AlignmentError("no sentence has the same words in all files.")
    kept = ~wrong
    left = "left out: " if options.on_mismatch == "skip" else ""
    warnings = [f"{left}{line}." for line in (*shown(lines), *shown(faults))]
    if wrong.any():
        warnings.append(f"{int(wrong.sum()):,} of {reference.sentences:,} sentences were left out.")
    warnings += [f"{name}: {note}" for name, corpus in others.items() for note in corpus.notes]
    return Files(
        {name: selected(gold, kept) for name, gold in read_golds.items()},
        {name: {t: selected(one, kept) for t, one in versions.items()} for name, versions in read_systems.items()},
        reference.sentences,
        tuple(warnings),
    )
