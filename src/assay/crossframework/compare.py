"""cross(): parsers of several frameworks on the same sentences, in one Result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

import assay
from assay.arrays import Bools, Ints
from assay.changes import diffs
from assay.constituents import roots
from assay.corpus import Corpus
from assay.counts import Counts
from assay.crossframework.frameworks import (
    CONSTITUENTS,
    DEPENDENCIES,
    Annotation,
    Conversion,
    categories_only,
)
from assay.crossframework.inputs import Files, read_files, system_paths, theory_paths
from assay.crossframework.segments import SEGMENTATIONS
from assay.crossframework.texts import Sides, SystemSide, embedded
from assay.errors import UsageError, unknown
from assay.evaluate import adjusted, evaluated, few_units
from assay.figures import Figures, Settings, draw_together
from assay.functiontrees import FunctionTrees, delta, describe, edits, generalise, norm, subsumes, tl_unify
from assay.measured import hashed_units
from assay.measures import Measure, find
from assay.measures.cross import Parse, tedeval
from assay.prepare import Options
from assay.result import SCHEMA, Example, ExampleUnit, Framework, Overlap, Result, Score, Source
from assay.tallies import BLOCKS
from assay.treelabels import functions

NON_PROJECTIVE = ("keep", "leave-out", "lift")
NATIVE = {DEPENDENCIES: ("uas", "las"), CONSTITUENTS: ("parseval",)}
"""The measures of each framework itself."""
_MANY = 20
"""A handful of trees may well be gold's without having been copied."""


@dataclass(frozen=True, eq=False)
class _Theory:
    """A gold, its function trees, and what else it was given."""

    name: str
    annotation: Annotation
    trees: FunctionTrees
    enriched_by: str = ""


@dataclass(frozen=True, eq=False)
class _Version:
    """A system's output in one framework."""

    theory: str
    annotation: Annotation
    trees: FunctionTrees
    labelled: bool
    """Whether it has functions, of its own or from its version in another framework."""


@dataclass(frozen=True, eq=False)
class _System:
    name: str
    versions: tuple[_Version, ...]

    @property
    def first(self) -> _Version:
        return self.versions[0]


def cross(
    theories: Sequence[str],
    systems: Sequence[str],
    *,
    sizes: str = "2.1",
    subtypes: bool = True,
    segmentation: str = "same",
    non_projective: str = "keep",
    function_labels: Mapping[str, Iterable[str]] | None = None,
    unit: str | None = None,
    seed: int = 0,
    times: int = 10_000,
    interval: str = "percentile",
    on_mismatch: str = "error",
    input_format: str | None = None,
    examples: int = 0,
    embed: str = "none",
) -> Result:
    """Compare parsers of different frameworks (Tsarfaty et al. 2012).

    `theories` are golds, `name=path`, or `a+b`: the gold `a` enriched by the functions of the gold `b`. `systems` are
    `name@theory=path`; a system may be given in several versions. `function_labels`: for a theory of
    relational-realizational trees, the labels that are functions. `segmentation`: where a file cuts a sentence into
    other words, it is refused (`same`), counted as wholly missing (`strict`), or all trees of the sentence are
    compared as sets of characters (`chars`). `non_projective`: sentences with gaps are scored like others (`keep`),
    left out (`leave-out`), or dependencies are lifted until they are projective (`lift`). The other options are
    those of `compare`.
    """
    for what, value, known in (
        ("segmentation", segmentation, SEGMENTATIONS),
        ("way with non-projective trees", non_projective, NON_PROJECTIVE),
    ):
        if value not in known:
            raise unknown(what, value, known)
    chosen = Options(
        unit=unit,
        seed=seed,
        times=times,
        interval=interval,
        on_mismatch=on_mismatch,
        input_format=input_format,
        examples=examples,
        embed=embed,
    )
    chosen.check()
    golds, enrichments = theory_paths(theories)
    for name in function_labels or ():
        if name not in golds:
            raise unknown("theory", name, golds)
    files = read_files(golds, system_paths(systems, golds), chosen, segmentation, non_projective)
    for name in function_labels or ():
        if files.golds[name].kind == DEPENDENCIES:
            raise UsageError(f"--functions {name}=…: the gold {name} has dependencies: relations are functions.")
    lift = non_projective == "lift"
    conversions = {name: Conversion(subtypes, _labels_of(function_labels, name), lift) for name in golds}
    gold_trees = {name: files.golds[name].function_trees(conversions[name]) for name in golds}
    for structure, labels in enrichments:
        gold_trees[structure] = tl_unify(gold_trees[structure], gold_trees[labels])
    given = dict(enrichments)
    theories_read = [_Theory(name, files.golds[name], gold_trees[name], given.get(name, "")) for name in golds]
    relational = {name: frozenset(labels) for name, labels in (function_labels or {}).items()}
    how = _Settings(sizes, subtypes, relational, segmentation, non_projective)
    parsers = [_system(name, versions, conversions, given) for name, versions in files.systems.items()]
    return _result(theories_read, parsers, files, how, chosen)


@dataclass(frozen=True)
class _Settings:
    """What figures depend on beside the files."""

    sizes: str
    subtypes: bool
    relational: Mapping[str, frozenset[str]]
    """For theories of relational-realizational trees the labels that are functions."""
    segmentation: str = "same"
    non_projective: str = "keep"


def _labels_of(given: Mapping[str, Iterable[str]] | None, theory: str) -> frozenset[str] | None:
    return frozenset(given[theory]) if given and theory in given else None


# --- parsers ---


def _system(
    name: str,
    versions: Mapping[str, Annotation],
    conversions: Mapping[str, Conversion],
    enriched_by: Mapping[str, str],
) -> _System:
    """A system with its function trees; phrase structure takes functions from its dependencies if it has none.

    So it does where its gold does, whether or not it has others of its own.
    """
    trees = {theory: one.function_trees(conversions[theory]) for theory, one in versions.items()}
    labelled = {theory: _has_functions(one, conversions[theory]) for theory, one in versions.items()}
    source = next((theory for theory in versions if labelled[theory]), None)
    done = []
    for theory, annotation in versions.items():
        own = trees[theory]
        if (giver := enriched_by.get(theory, "")) in trees:
            own = tl_unify(own, trees[giver])
        elif not labelled[theory] and source is not None:
            own = tl_unify(own, trees[source])
        done.append(_Version(theory, annotation, own, labelled[theory] or source is not None))
    return _System(name, tuple(done))


def _has_functions(annotation: Annotation, conversion: Conversion) -> bool:
    trees = annotation.corpus.trees
    if trees is None or conversion.function_labels is not None or trees.edges is not None:
        return True
    return any(functions(label) for label in (*trees.labels.vocabulary, *annotation.corpus.column("tag").vocabulary))


# --- figures ---


def _result(
    theories: Sequence[_Theory], systems: Sequence[_System], files: Files, how: _Settings, options: Options
) -> Result:
    sizes = how.sizes
    settings = Settings(options.seed, options.times, options.interval)
    reference = theories[0].annotation.corpus
    common = generalise(*(theory.trees for theory in theories))
    golds = {theory.name: theory for theory in theories}
    units = _Units.of(reference, options.unit or "sentence")
    parses = _parses(golds, systems, common, cut=bool(files.parts))
    groups = list(_figures(golds, systems, parses, sizes, units, settings))
    draw_together(group.figures for group, _ in groups)
    native = list(_native(golds, systems, how, options, settings))
    sides = _sides(golds, systems, common, sizes)
    on = str(find(f"tedeval(sizes={sizes}, labelled={str(sides.labelled).lower()})"))
    comparisons = adjusted([row for part, _ in groups for row in part.comparisons() if "single" not in part.name])
    return Result(
        schema=SCHEMA,
        version=assay.__version__,
        signature=_signature(theories, systems, how, options, reference),
        command="cross",
        task="cross",
        column="",
        unit=options.unit or "sentence",
        units=units.number,
        items=len(reference),
        aligned_by="characters" if files.parts else "words",
        seed=options.seed,
        times=options.times,
        interval=options.interval,
        test="shuffling",
        family=len(systems) * (len(systems) - 1) // 2,
        gold=_source(theories[0].name, theories[0].annotation.corpus),
        systems=tuple(_source(f"{s.name}@{v.theory}", v.annotation.corpus) for s in systems for v in s.versions),
        scores=(*native, *(row for part, _ in groups for row in part.scores(labels=False))),
        counts=tuple(row for part, _ in groups for row in part.counts_rows()),
        comparisons=tuple(comparisons),
        diffs=tuple(diffs(sides.items.outcomes, on, None)) if len(systems) > 1 else (),
        frameworks=tuple(_frameworks(theories, systems)),
        overlaps=tuple(_overlaps(theories, sizes)),
        examples=tuple(_examples(golds, systems, common, files, sizes, options)),
        texts=None if options.embed == "none" else embedded(files, sides, on, options.embed, options.seed),
        warnings=(
            *files.warnings,
            *_copied(golds, systems),
            *_unlabelled(theories, systems),
            *_other_functions(golds, systems),
            *few_units(units.number, units.unit),
        ),
        notes=(*files.notes, *_notes(theories, systems, how)),
    )


@dataclass(frozen=True, eq=False)
class _Units:
    """What is resampled."""

    corpus: Corpus
    unit: str
    of_sentence: Ints
    number: int

    @classmethod
    def of(cls, corpus: Corpus, unit: str) -> _Units:
        of_sentence = corpus.unit_of_sentence(unit)
        return cls(corpus, unit, of_sentence, int(of_sentence.max(initial=-1)) + 1)

    @cached_property
    def blocks(self) -> Ints:
        return np.arange(self.number) if self.number <= BLOCKS else hashed_units(self.corpus, self.unit)


@dataclass(frozen=True, eq=False)
class _Named:
    """Figures of one measure under the name that tells its theory."""

    name: str
    figures: Figures

    def scores(self, *, labels: bool) -> Iterator[Score]:
        return (replace(row, measure=self.name) for row in self.figures.scores(labels=labels))

    def counts_rows(self) -> Iterator[Any]:
        return (replace(row, measure=self.name) for row in self.figures.counts_rows())

    def comparisons(self) -> Iterator[Any]:
        return (replace(row, measure=self.name) for row in self.figures.comparisons())


def _parses(
    golds: Mapping[str, _Theory], systems: Sequence[_System], common: FunctionTrees, cut: bool
) -> dict[tuple[str, str], Parse]:
    """By system and theory what is measured; `cut`: sentences are cut into parts, which are no words."""
    found = {}
    for system in systems:
        for version in system.versions:
            gold = golds[version.theory]
            sides = [np.diff(one.annotation.corpus.starts) for one in (version, gold)]
            words = (sides[0], sides[1]) if cut else None
            found[system.name, version.theory] = Parse(version.trees, gold.trees, common, words)
    return found


def _figures(
    golds: Mapping[str, _Theory],
    systems: Sequence[_System],
    parsed: Mapping[tuple[str, str], Parse],
    sizes: str,
    units: _Units,
    settings: Settings,
) -> Iterator[tuple[_Named, Measure]]:
    """TedEval against all golds together and against each system's own, with and without labels."""
    for labelled in (True, False):
        measure = find(f"tedeval(sizes={sizes}, labelled={str(labelled).lower()})")
        parses = [
            (system.name, parsed[system.name, system.first.theory])
            for system in systems
            if system.first.labelled or not labelled
        ]
        yield from _one_measure(measure, str(measure), parses, units, settings)
        single = find(f"tedeval(sizes={sizes}, labelled={str(labelled).lower()}, gold=single)")
        for name in golds:
            own = [
                (system.name, parsed[system.name, name])
                for system in systems
                for version in system.versions
                if version.theory == name and (version.labelled or not labelled)
            ]
            yield from _one_measure(single, f"{single}@{name}", own, units, settings)


def _one_measure(
    measure: Measure,
    name: str,
    parses: Sequence[tuple[str, Parse]],
    units: _Units,
    settings: Settings,
) -> Iterator[tuple[_Named, Measure]]:
    if not parses:
        return
    counts = [
        (system, _counts(parse, measure).regrouped(units.of_sentence, units.number)) for system, parse in parses
    ]
    figures = Figures.of(measure, None, counts, lambda: units.blocks, settings)
    yield _Named(name, figures), measure


def _counts(parse: Parse, measure: Measure) -> Counts:
    counts = tedeval(parse, **measure.parameters)
    assert isinstance(counts, Counts)
    return counts


def _native(
    golds: Mapping[str, _Theory], systems: Sequence[_System], how: _Settings, options: Options, settings: Settings
) -> Iterator[Score]:
    """Each framework's own measures, on the systems that have a version of it; resamples are shared."""
    plain = replace(options, examples=0, change=None, kind=None, input_format=None)
    for name, theory in golds.items():
        outputs = {s.name: v.annotation.corpus for s in systems for v in s.versions if v.theory == name}
        gold = theory.annotation.corpus
        if name in how.relational:
            # The functions are no constituents.
            labels = how.relational[name]
            gold = categories_only(gold, labels)
            outputs = {system: categories_only(corpus, labels) for system, corpus in outputs.items()}
        if outputs and _has_native(gold):
            kind = theory.annotation.kind
            result = evaluated("score", gold, outputs, NATIVE[kind], replace(plain, task=kind), settings)
            yield from (replace(row, measure=f"{row.measure}@{name}") for row in result.scores if row.label is None)


def _has_native(gold: Corpus) -> bool:
    """Whether the measures of its framework apply to a gold: trees of functions alone have no constituents."""
    return gold.trees is None or not roots(gold.trees).all()


def _overlaps(theories: Sequence[_Theory], sizes: str) -> Iterator[Overlap]:
    """How far two golds agree: the score of one against the other."""
    for a, b in combinations(theories, 2):
        for labelled in (True, False):
            counted = edits(a.trees, b.trees, b.trees, labelled=labelled, empty_counts=sizes != "paper")
            total = int(norm(counted, "paper").sum())
            value = 1 - int(delta(counted).sum()) / total if total else float("nan")
            yield Overlap(a.name, b.name, labelled, value)


def _frameworks(theories: Sequence[_Theory], systems: Sequence[_System]) -> Iterator[Framework]:
    for theory in theories:
        having = tuple(s.name for s in systems if any(v.theory == theory.name for v in s.versions))
        first = tuple(s.name for s in systems if s.first.theory == theory.name)
        yield Framework(
            theory.name, theory.annotation.corpus.name, theory.annotation.kind, theory.enriched_by, having, first
        )


def _unlabelled(theories: Sequence[_Theory], systems: Sequence[_System]) -> Iterator[str]:
    dependencies = next((theory.name for theory in theories if theory.annotation.kind == DEPENDENCIES), "")
    for system in systems:
        if not system.first.labelled:
            remedy = f" Give its dependencies too: {system.name}@{dependencies}=…" if dependencies else ""
            yield f"{system.name}: no functions in its trees, so labelled TedEval does not apply.{remedy}"


def _other_functions(golds: Mapping[str, _Theory], systems: Sequence[_System]) -> Iterator[str]:
    """Systems with none of the functions that their gold was given."""
    for system in systems:
        for version in system.versions:
            giver = golds[version.theory].enriched_by
            own = _functions_of(version.trees)
            if giver and own and own.isdisjoint(_functions_of(golds[giver].trees)):
                shown = ", ".join(sorted(own)[:3]) + (", …" if len(own) > 3 else "")
                yield (
                    f"{system.name}@{version.theory}: none of its functions ({shown}) is one of {giver}'s, which the "
                    f"gold {version.theory} was given, so that labelled TedEval says little. Give its dependencies "
                    f"too: {system.name}@{giver}=…"
                )


def _functions_of(trees: FunctionTrees) -> set[str]:
    """The functions in trees but for `root`, which all have."""
    return {trees.labels[code] for code in np.unique(trees.label).tolist()} - {"root"}


def _copied(golds: Mapping[str, _Theory], systems: Sequence[_System]) -> Iterator[str]:
    """Systems that are a gold themselves."""
    for system in systems:
        for version in system.versions:
            gold = golds[version.theory]
            ours, theirs = gold.annotation.corpus, version.annotation.corpus
            name = f"{system.name}@{version.theory}"
            if ours.sha256 == theirs.sha256:
                yield f"{name} ({theirs.name}) has the same content as the gold {gold.name} ({ours.name})."
            elif len(gold.trees) >= _MANY and _same(version.trees, gold.trees):
                yield f"{name} agrees with the gold {gold.name} in every tree: copied, not parsed?"


def _same(a: FunctionTrees, b: FunctionTrees) -> bool:
    return bool(subsumes(a, b).all() and subsumes(b, a).all())


def _notes(theories: Sequence[_Theory], systems: Sequence[_System], how: _Settings) -> Iterator[str]:
    trees = {f"gold {theory.name}": theory.trees for theory in theories}
    trees |= {f"{s.name}@{v.theory}": v.trees for s in systems for v in s.versions}
    gaps = [f"{name} {int(one.with_gaps.sum()):,}" for name, one in trees.items() if one.with_gaps.any()]
    if gaps:
        yield f"Sentences with gaps (non-projective, discontinuous), scored like all others: {', '.join(gaps)}."
    lifted = {f"gold {theory.name}": theory.annotation for theory in theories}
    lifted |= {f"{s.name}@{v.theory}": v.annotation for s in systems for v in s.versions}
    crossing = {name: int(one.with_gaps().sum()) for name, one in lifted.items() if one.kind == DEPENDENCIES}
    if how.non_projective == "lift" and any(crossing.values()):
        listed = ", ".join(f"{name} {number:,}" for name, number in crossing.items() if number)
        yield f"Non-projective sentences, lifted for TedEval and left as they are for uas and las: {listed}."
    yield "Unlabelled TedEval is blind to which word heads a phrase."


def _examples(
    golds: Mapping[str, _Theory],
    systems: Sequence[_System],
    common: FunctionTrees,
    files: Files,
    sizes: str,
    options: Options,
) -> Iterator[Example]:
    """Sentences drawn at random among those with an edit that costs something."""
    if not options.examples:
        return
    reference = files.reference
    wrong: Bools = np.zeros(reference.sentences, dtype=bool)
    for system in systems:
        native = golds[system.first.theory].trees
        wrong |= (
            delta(edits(system.first.trees, native, common, labelled=system.first.labelled, empty_counts=True)) > 0
        )
    sentences = np.flatnonzero(wrong)
    if len(sentences) > options.examples:
        rng = np.random.default_rng([options.seed])
        sentences = np.sort(rng.choice(sentences, options.examples, replace=False))
    for sentence in sentences.tolist():
        first, end = int(reference.starts[sentence]), int(reference.starts[sentence + 1])
        yield Example(
            sentence=reference.sentence_ids[sentence],
            place=reference.place_of_sentence(sentence),
            words=files.parts.get(sentence) or tuple(reference.forms.strings(first, end)),
            a=", ".join(system.name for system in systems),
            b=None,
            items=(),
            units=tuple(_units(golds, systems, common, sentence, sizes)),
        )


def _sides(golds: Mapping[str, _Theory], systems: Sequence[_System], common: FunctionTrees, sizes: str) -> Sides:
    """All trees, each system in its first version."""
    number = {name: place for place, name in enumerate(golds)}
    return Sides(
        common,
        tuple((_called(theory), theory.trees) for theory in golds.values()),
        tuple(
            SystemSide(
                system.name,
                f"{system.name}@{system.first.theory}",
                system.first.trees,
                number[system.first.theory],
                system.first.labelled,
            )
            for system in systems
        ),
        empty_counts=sizes != "paper",
    )


def _units(
    golds: Mapping[str, _Theory], systems: Sequence[_System], common: FunctionTrees, sentence: int, sizes: str
) -> Iterator[ExampleUnit]:
    """The units of every gold, of the generalised gold, and of every system with what becomes of them."""
    for side, trees in (*((_called(theory), theory.trees) for theory in golds.values()), ("generalised", common)):
        for unit in describe(sentence, trees, trees, trees, empty_counts=True):
            yield ExampleUnit(side, unit.label, unit.stretches, "gold")
    for system in systems:
        native = golds[system.first.theory].trees
        described = describe(
            sentence,
            system.first.trees,
            native,
            common,
            labelled=system.first.labelled,
            empty_counts=sizes != "paper",
        )
        for unit in described:
            yield ExampleUnit(f"{system.name}@{system.first.theory}", unit.label, unit.stretches, unit.kind)


def _called(theory: _Theory) -> str:
    return f"gold {theory.name}+{theory.enriched_by}" if theory.enriched_by else f"gold {theory.name}"


def _source(name: str, corpus: Corpus) -> Source:
    return Source(name, corpus.name, corpus.sha256, corpus.format, corpus.sentences, len(corpus))


def _signature(
    theories: Sequence[_Theory], systems: Sequence[_System], how: _Settings, options: Options, reference: Corpus
) -> str:
    parts: dict[str, object] = {
        "assay": assay.__version__,
        "task": "cross",
        "sizes": how.sizes,
        **({} if how.subtypes else {"subtypes": "false"}),
        **({} if how.segmentation == "same" else {"segmentation": how.segmentation}),
        **({} if how.non_projective == "keep" else {"non_projective": how.non_projective}),
        **({"functions": "+".join(how.relational)} if how.relational else {}),
        "unit": options.unit or "sentence",
        "n": reference.sentences,
        "interval": options.interval,
        "times": options.times,
        "seed": options.seed,
    }
    if options.on_mismatch != "error":
        parts["on_mismatch"] = options.on_mismatch
    for theory in theories:
        enriched = f"+{theory.enriched_by}" if theory.enriched_by else ""
        parts[f"theory {theory.name}{enriched}"] = f"sha256={theory.annotation.corpus.sha256[:12]}"
    for system in systems:
        for version in system.versions:
            parts[f"{system.name}@{version.theory}"] = f"sha256={version.annotation.corpus.sha256[:12]}"
    return "|".join(f"{key}:{value}" for key, value in parts.items())
