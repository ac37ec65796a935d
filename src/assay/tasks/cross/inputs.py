"""What the user names for a cross-framework comparison, read and brought to the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from assay.arrays import Bools
from assay.corpus import Corpus
from assay.engine.options import Options
from assay.errors import AlignmentError, InputError, UsageError, listed, unknown
from assay.tasks.constituents.brackets import with_words_of
from assay.tasks.cross.frameworks import Annotation, read_trees, selected
from assay.tasks.cross.samewords import describe_difference, differing_sentences, problems
from assay.tasks.cross.segments import cuts, same_characters
from assay.tasks.dependencies.arcs import several_roots


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
    warnings: tuple[str, ...] = ()
    parts: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The sentences that some file cuts otherwise: the parts that are compared there."""
    notes: tuple[str, ...] = ()

    @property
    def reference(self) -> Corpus:
        """The first gold, whose sentences stand for those of all files."""
        return next(iter(self.golds.values())).corpus

    def words(self, sentence: int) -> tuple[str, ...]:
        """The words of a sentence or, where it is cut into parts, these."""
        starts = self.reference.starts
        first, end = int(starts[sentence]), int(starts[sentence + 1])
        return self.parts.get(sentence) or tuple(self.reference.forms.strings(first, end))

    def annotations(self) -> dict[str, Annotation]:
        """All files by what they are called in messages."""
        golds = {f"gold {name}": gold for name, gold in self.golds.items()}
        return golds | {f"{name}@{t}": one for name, versions in self.systems.items() for t, one in versions.items()}

    def changed(self, change: Callable[[str, Annotation], Annotation], **further: Any) -> Files:
        """The same with each file changed by a function of its name and itself."""
        return replace(
            self,
            golds={name: change(f"gold {name}", gold) for name, gold in self.golds.items()},
            systems={
                name: {t: change(f"{name}@{t}", one) for t, one in versions.items()}
                for name, versions in self.systems.items()
            },
            **further,
        )


def read_files(
    golds: Mapping[str, str],
    systems: Mapping[str, Mapping[str, str]],
    options: Options,
    segmentation: str = "same",
    non_projective: str = "keep",
    columns: Sequence[str] = (),
) -> Files:
    """All files, without the sentences that are faulty or have other words somewhere, where these may be left out.

    `columns`: what measures of dependencies need beside heads and relations.
    """
    files = _read(golds, systems, options, columns)
    allowed = _cut_otherwise(files, segmentation)
    differing, places = _other_words(files, allowed, options, segmentation)
    faulty, faults = _faults(files, options)
    wrong = differing | faulty
    if wrong.all():
        raise AlignmentError("no sentence has the same words in all files.")
    left = "left out: " if options.on_mismatch == "skip" else ""
    warnings = [f"{left}{line}." for line in (*listed(places), *listed(faults))]
    if wrong.any():
        warnings.append(f"{int(wrong.sum()):,} of {len(wrong):,} sentences were left out.")
    files = files.changed(lambda _, one: selected(one, ~wrong))
    warnings += (text for name, one in files.annotations().items() for text in _said(name, one))
    files = replace(files, warnings=tuple(warnings))
    allowed = {name: found[~wrong] for name, found in allowed.items()}
    if non_projective == "leave-out":
        files, kept = _projective_only(files)
        allowed = {name: found[kept] for name, found in allowed.items()}
    return _recut(files, allowed) if segmentation == "chars" else _with_missing(files, allowed)


def _other_words(
    files: Files, allowed: Mapping[str, Bools], options: Options, segmentation: str
) -> tuple[Bools, list[str]]:
    """The sentences that cannot be compared as their words differ, and all places where words do."""
    corpora = {name: one.corpus for name, one in files.annotations().items()}
    wrong, places = problems(files.reference, corpora, allowed)
    if options.on_mismatch == "warn":
        # Words that are written otherwise can be compared by their place.
        sizes = [np.diff(corpus.starts) for corpus in corpora.values()]
        wrong &= np.any([size != sizes[0] for size in sizes], axis=0)
    if wrong.any() and options.on_mismatch != "skip":
        raise AlignmentError("\n".join([*listed(places), _remedy(files, corpora, segmentation)]))
    return wrong, places


def _faults(files: Files, options: Options) -> tuple[Bools, list[str]]:
    """The sentences with a faulty tree, and what is wrong with them."""
    found = [(one.corpus, fault) for one in files.annotations().values() for fault in one.faults]
    places = [f"{corpus.place(fault.word)}: {fault.fact}" for corpus, fault in found]
    if places and options.on_mismatch != "skip":
        raise InputError("\n".join([*listed(places), "To leave such sentences out: --on-mismatch skip"]))
    faulty = np.zeros(files.reference.sentences, dtype=bool)
    faulty[[fault.sentence for _, fault in found]] = True
    return faulty, places


def _read(
    golds: Mapping[str, str], systems: Mapping[str, Mapping[str, str]], options: Options, columns: Sequence[str]
) -> Files:
    paths = [*golds.values(), *(path for versions in systems.values() for path in versions.values())]
    if paths.count("-") > 1:
        raise UsageError("- (standard input) can be given once only.")
    tolerant = options.on_mismatch == "skip"
    trees = partial(read_trees, input_format=options.input_format, tolerant=tolerant, columns=columns)
    read_golds = {name: trees(path) for name, path in golds.items()}
    reference = next(iter(read_golds.values())).corpus
    read_systems = {
        name: {theory: trees(path) for theory, path in versions.items()} for name, versions in systems.items()
    }
    for name, versions in read_systems.items():
        for theory, annotation in versions.items():
            if annotation.kind != read_golds[theory].kind:
                kind = read_golds[theory].kind
                raise UsageError(f"{name}@{theory} has {annotation.kind}, but the gold {theory} has {kind}.")
            versions[theory] = replace(annotation, corpus=with_words_of(annotation.corpus, reference))
    return Files(read_golds, read_systems)


def _said(name: str, annotation: Annotation) -> Iterator[str]:
    """What is worth knowing of a file."""
    corpus = annotation.corpus
    unparsed = len(corpus.unparsed)
    # The reader's own word for this says nothing of what becomes of them.
    yield from (f"{name}: {note}" for note in corpus.notes if not note.startswith("sentences without a parse"))
    if unparsed:
        what = "1 sentence" if unparsed == 1 else f"{unparsed:,} sentences"
        yield f"{name}: no parse of {what}: words under a root in TedEval."
    roots = several_roots(corpus) if corpus.heads is not None else 0
    if roots:
        what = "1 sentence has" if roots == 1 else f"{roots:,} sentences have"
        yield f"{name}: {what} more than one root, scored like others."


# --- other words for the same characters ---


def _cut_otherwise(files: Files, segmentation: str) -> dict[str, Bools]:
    """By file, the sentences that are cut otherwise than in the first gold and may be; golds only by characters."""
    if segmentation == "same":
        return {}
    found = {}
    for name, one in files.annotations().items():
        if segmentation == "chars" or "@" in name:
            differing = differing_sentences(files.reference, one.corpus)
            found[name] = same_characters(files.reference, one.corpus, differing)
    return found


def _remedy(files: Files, corpora: Mapping[str, Corpus], segmentation: str) -> str:
    text = "All files must have the same words. To leave such sentences out: --on-mismatch skip"
    cut = segmentation != "chars" and any(
        same_characters(files.reference, corpus, differing_sentences(files.reference, corpus)).any()
        for corpus in corpora.values()
    )
    return f"{text}; to compare the same characters in other words: --segmentation chars" if cut else text


def _recut(files: Files, allowed: Mapping[str, Bools]) -> Files:
    """All files over the parts of words, in sentences that some file cuts otherwise."""
    sentences = np.any(list(allowed.values()), axis=0)
    if not sentences.any():
        return files
    annotations = files.annotations()
    found, parts = cuts([one.corpus for one in annotations.values()], sentences)
    by_name = dict(zip(annotations, found, strict=True))
    note = (
        f"{_sentences(len(parts))} cut into other words in some file and compared as sets of characters, which "
        "TedEval itself does not do."
    )
    return files.changed(lambda name, one: replace(one, cut=by_name[name]), parts=parts, notes=(*files.notes, note))


def _with_missing(files: Files, allowed: Mapping[str, Bools]) -> Files:
    """Systems without the trees of sentences that they cut otherwise than gold."""
    reference, lines, notes = files.reference, [], []
    for name, one in files.annotations().items():
        sentences = np.flatnonzero(allowed[name]).tolist() if name in allowed else []
        if sentences:
            lines += [describe_difference(reference, one.corpus, sentence) for sentence in sentences]
            notes.append(f"{name}: {_sentences(len(sentences))} cut into other words, counted as wholly missing.")

    def change(name: str, one: Annotation) -> Annotation:
        missing = name in allowed and allowed[name].any()
        return replace(one, absent=(np.diff(reference.starts), allowed[name])) if missing else one

    warnings = (*files.warnings, *(f"unaligned: {line}." for line in listed(lines)))
    return files.changed(change, warnings=warnings, notes=(*files.notes, *notes))


def _projective_only(files: Files) -> tuple[Files, Bools]:
    """The sentences without gaps in any file, and which these are."""
    gaps = {name: one.with_gaps() for name, one in files.annotations().items()}
    kept = ~np.any(list(gaps.values()), axis=0)
    if not kept.any():
        raise InputError(
            "every sentence is non-projective or discontinuous in some file: none is left. Keep or lift them: "
            "--non-projective lift"
        )
    if kept.all():
        return files, kept
    listed = ", ".join(f"{name} {int(found.sum()):,}" for name, found in gaps.items() if found.any())
    number = int((~kept).sum())
    what = "1 sentence with gaps" if number == 1 else f"{number:,} sentences with gaps"
    note = f"{what} (non-projective, discontinuous) {'is' if number == 1 else 'are'} left out: {listed}."
    return files.changed(lambda _, one: selected(one, kept), notes=(*files.notes, note)), kept


def _sentences(number: int) -> str:
    return "1 sentence is" if number == 1 else f"{number:,} sentences are"
