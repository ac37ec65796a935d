"""Golds and systems of several frameworks, read, brought to the same words and made function trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from assay.arrays import Bools
from assay.corpus import Corpus
from assay.engine.options import Options
from assay.errors import AlignmentError, InputError, UsageError, listed, unknown
from assay.tasks.constituents.brackets import with_words_of
from assay.tasks.cross.functiontrees import FunctionTrees, generalise, tl_unify
from assay.tasks.cross.treebanks import (
    Treebank,
    cut_words,
    describe_difference,
    read_trees,
    recut_sentences,
    word_differences,
)
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
class Comparison:
    """All golds and all systems over the same sentences."""

    golds: Mapping[str, Treebank]
    """By theory; the sentences of the first stand for those of all files."""
    outputs: Sequence[Treebank]
    """The trees of systems in one framework or several, system by system."""
    enriched: Mapping[str, str]
    """By theory the gold that gave it functions."""
    trees: Mapping[str, FunctionTrees]
    """The function trees of all files by their titles."""
    labelled: frozenset[str]
    """The systems that have functions in one framework at least."""
    parts: Mapping[int, tuple[str, ...]]
    """The sentences that some file cuts otherwise: the parts that are compared there."""
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def reference(self) -> Corpus:
        """The first gold."""
        return next(iter(self.golds.values())).corpus

    @property
    def files(self) -> dict[str, Treebank]:
        """Golds and outputs by their titles."""
        return {bank.title: bank for bank in (*self.golds.values(), *self.outputs)}

    @cached_property
    def first(self) -> dict[str, Treebank]:
        """By system the output that is compared with the others': that in the first framework given for it."""
        found: dict[str, Treebank] = {}
        for bank in self.outputs:
            found.setdefault(bank.system, bank)
        return found

    @cached_property
    def common(self) -> FunctionTrees:
        """The trees that the golds agree on."""
        return generalise(*(self.trees[gold.title] for gold in self.golds.values()))

    def outputs_in(self, theory: str) -> dict[str, Treebank]:
        """By system the outputs in a framework."""
        return {bank.system: bank for bank in self.outputs if bank.theory == theory}

    def full_name(self, theory: str) -> str:
        """The name of a gold with that of the gold that gave it functions."""
        return f"{theory}+{self.enriched[theory]}" if theory in self.enriched else theory

    def words(self, sentence: int) -> tuple[str, ...]:
        """The words of a sentence or, where it is cut into parts, these."""
        starts = self.reference.starts
        first, end = int(starts[sentence]), int(starts[sentence + 1])
        return self.parts.get(sentence) or tuple(self.reference.forms.strings(first, end))


def read_comparison(
    golds: Mapping[str, str],
    systems: Mapping[str, Mapping[str, str]],
    enrichments: Sequence[tuple[str, str]],
    options: Options,
    *,
    subtypes: bool,
    segmentation: str,
    non_projective: str,
    function_labels: Mapping[str, frozenset[str]],
    columns: Sequence[str] = (),
) -> Comparison:
    """All files, without the sentences that are faulty or have other words somewhere, where these may be left out.

    `enrichments`: which gold takes its functions from which; `columns`: what measures of dependencies need beside
    heads and relations. A system's phrase structure takes functions from its dependencies if it has none, and where
    its gold does, whether or not it has others of its own.
    """
    banks, allowed, warnings = _read(golds, systems, options, segmentation, columns)
    notes: list[str] = []
    parts: dict[int, tuple[str, ...]] = {}
    if non_projective == "leave-out":
        banks, kept, notes = _leave_out_gaps(banks)
        allowed = {title: found[kept] for title, found in allowed.items()}
    if segmentation != "chars":
        banks, unaligned, missing = _without_missing(banks, allowed)
        warnings += unaligned
        notes += missing
    elif (recut := np.any(list(allowed.values()), axis=0)).any():
        banks, parts = cut_words(banks, recut)
        notes.append(
            f"{_sentences_are(len(parts))} cut into other words in some file and compared as sets of characters, "
            "which TedEval itself does not do."
        )
    own = {
        bank.title: bank.function_trees(
            subtypes=subtypes, function_labels=function_labels.get(bank.theory), lift=non_projective == "lift"
        )
        for bank in banks
    }
    trees, enriched = dict(own), dict(enrichments)
    for structure, giver in enrichments:
        trees[f"gold {structure}"] = tl_unify(trees[f"gold {structure}"], trees[f"gold {giver}"])
    # By system the output that it takes functions from.
    outputs = [bank for bank in banks if bank.system]
    labelled = [bank for bank in outputs if bank.theory in function_labels or bank.has_functions()]
    sources = {bank.system: bank.title for bank in reversed(labelled)}
    for bank in outputs:
        giver = f"{bank.system}@{enriched.get(bank.theory, '')}"
        if giver not in own and bank not in labelled:
            giver = sources.get(bank.system, "")
        if giver in own:
            trees[bank.title] = tl_unify(own[bank.title], own[giver])
    found = {bank.theory: bank for bank in banks if not bank.system}
    return Comparison(found, outputs, enriched, trees, frozenset(sources), parts, tuple(warnings), tuple(notes))


def _read(
    golds: Mapping[str, str],
    systems: Mapping[str, Mapping[str, str]],
    options: Options,
    segmentation: str,
    columns: Sequence[str],
) -> tuple[list[Treebank], dict[str, Bools], list[str]]:
    """The files with the sentences that can be compared, those cut otherwise by title, and warnings."""
    paths = [*golds.values(), *(path for versions in systems.values() for path in versions.values())]
    if paths.count("-") > 1:
        raise UsageError("- (standard input) can be given once only.")
    skip = options.on_mismatch == "skip"
    trees = partial(read_trees, input_format=options.input_format, tolerant=skip, columns=columns)
    banks = [replace(trees(path), theory=name) for name, path in golds.items()]
    kinds = {bank.theory: bank.kind for bank in banks}
    reference = banks[0].corpus
    for bank in [
        replace(trees(path), theory=theory, system=name)
        for name, versions in systems.items()
        for theory, path in versions.items()
    ]:
        if bank.kind != kinds[bank.theory]:
            kind = kinds[bank.theory]
            raise UsageError(f"{bank.title} has {bank.kind}, but the gold {bank.theory} has {kind}.")
        banks.append(replace(bank, corpus=with_words_of(bank.corpus, reference)))
    # The sentences that are cut otherwise than in the first gold and may be; golds only by characters.
    allowed = {
        bank.title: recut_sentences(reference, bank.corpus)
        for bank in banks
        if segmentation == "chars" or (segmentation != "same" and bank.system)
    }
    wrong, places = word_differences(banks, allowed)
    if options.on_mismatch == "warn":
        # Words that are written otherwise can be compared by their place.
        sizes = [np.diff(bank.corpus.starts) for bank in banks]
        wrong &= np.any([size != sizes[0] for size in sizes], axis=0)
    if wrong.any() and not skip:
        remedy = "All files must have the same words. To leave such sentences out: --on-mismatch skip"
        if segmentation != "chars" and any(recut_sentences(reference, bank.corpus).any() for bank in banks):
            remedy += "; to compare the same characters in other words: --segmentation chars"
        raise AlignmentError("\n".join([*listed(places), remedy]))
    faults = [(bank.corpus, fault) for bank in banks for fault in bank.faults]
    facts = [f"{corpus.place(fault.word)}: {fault.fact}" for corpus, fault in faults]
    if facts and not skip:
        raise InputError("\n".join([*listed(facts), "To leave such sentences out: --on-mismatch skip"]))
    wrong[[fault.sentence for _, fault in faults]] = True
    if wrong.all():
        raise AlignmentError("no sentence has the same words in all files.")
    warnings = [f"{'left out: ' if skip else ''}{line}." for line in (*listed(places), *listed(facts))]
    if wrong.any():
        warnings.append(f"{int(wrong.sum()):,} of {len(wrong):,} sentences were left out.")
    banks = [bank.select(~wrong) for bank in banks]
    for bank in banks:
        corpus, unparsed = bank.corpus, len(bank.corpus.unparsed)
        # The reader's own word for sentences without a parse says nothing of what becomes of them.
        warnings += [f"{bank.title}: {note}" for note in corpus.notes if not note.startswith(_UNPARSED)]
        if unparsed:
            what = "1 sentence" if unparsed == 1 else f"{unparsed:,} sentences"
            warnings.append(f"{bank.title}: no parse of {what}: words under a root in TedEval.")
        if corpus.heads is not None and (roots := several_roots(corpus)):
            what = "1 sentence has" if roots == 1 else f"{roots:,} sentences have"
            warnings.append(f"{bank.title}: {what} more than one root, scored like others.")
    return banks, {title: found[~wrong] for title, found in allowed.items()}, warnings


_UNPARSED = "sentences without a parse"


def _leave_out_gaps(banks: Sequence[Treebank]) -> tuple[list[Treebank], Bools, list[str]]:
    """The sentences without gaps in any file, which these are, and a note on the others."""
    gaps = {bank.title: bank.with_gaps() for bank in banks}
    kept = ~np.any(list(gaps.values()), axis=0)
    if not kept.any():
        raise InputError(
            "every sentence is non-projective or discontinuous in some file: none is left. Keep or lift them: "
            "--non-projective lift"
        )
    number = int((~kept).sum())
    if not number:
        return list(banks), kept, []
    what = "1 sentence with gaps" if number == 1 else f"{number:,} sentences with gaps"
    where = ", ".join(f"{title} {int(found.sum()):,}" for title, found in gaps.items() if found.any())
    note = f"{what} (non-projective, discontinuous) {'is' if number == 1 else 'are'} left out: {where}."
    return [bank.select(kept) for bank in banks], kept, [note]


def _without_missing(
    banks: Sequence[Treebank], allowed: Mapping[str, Bools]
) -> tuple[list[Treebank], list[str], list[str]]:
    """Systems without the trees of sentences that they cut otherwise than gold, with warnings and notes."""
    reference = banks[0].corpus
    found, lines, notes = [], [], []
    for bank in banks:
        sentences = np.flatnonzero(allowed[bank.title]).tolist() if bank.title in allowed else []
        if sentences:
            lines += [describe_difference(reference, bank.corpus, sentence) for sentence in sentences]
            notes.append(
                f"{bank.title}: {_sentences_are(len(sentences))} cut into other words, counted as wholly missing."
            )
        absent = (np.diff(reference.starts), allowed[bank.title]) if sentences else None
        found.append(replace(bank, absent=absent))
    return found, [f"unaligned: {line}." for line in listed(lines)], notes


def _sentences_are(number: int) -> str:
    return "1 sentence is" if number == 1 else f"{number:,} sentences are"
