"""cross(): parsers of several frameworks on the same sentences, in one Result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import assay
from assay.corpus import Corpus
from assay.engine.changes import diffs
from assay.engine.finish import adjusted, few_units, intervals, other_intervals, pooled_note
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.scores import Settings
from assay.engine.task import describe
from assay.errors import UsageError, unknown
from assay.result import SCHEMA, Framework, Result, Source
from assay.tasks.cross import notices
from assay.tasks.cross.comparison import Choices, Comparison
from assay.tasks.cross.examples import drawn_examples
from assay.tasks.cross.figures import Resampled, overlaps, tedeval_figures, tedeval_measure
from assay.tasks.cross.frameworks import DEPENDENCIES
from assay.tasks.cross.inputs import read_files, system_paths, theory_paths
from assay.tasks.cross.native import native_figures, native_measures
from assay.tasks.cross.segments import SEGMENTATIONS
from assay.tasks.cross.task import TASK
from assay.tasks.cross.texts import embedded
from assay.tasks.cross.units import Sides
from assay.tasks.dependencies.prepare import columns_of

NON_PROJECTIVE = ("keep", "leave-out", "lift")


def cross(
    theories: Sequence[str],
    systems: Sequence[str],
    measures: Sequence[str] | str | None = None,
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
    `name@theory=path`; a system may be given in several versions. `measures` are those of the frameworks themselves,
    in place of `uas` and `las` for dependencies, `parseval` for constituents; with `subtypes`, relations keep what
    follows the colon in these as in function trees. `function_labels`: for a theory of relational-realizational
    trees, the labels that are functions. `segmentation`: where a file cuts a sentence into other words, it is refused
    (`same`), counted as wholly missing (`strict`), or all trees of the sentence are compared as sets of characters
    (`chars`). `non_projective`: sentences with gaps are scored like others (`keep`), left out (`leave-out`), or
    dependencies are lifted until they are projective (`lift`). The other options are those of `compare`.
    """
    for what, value, known in (
        ("segmentation", segmentation, SEGMENTATIONS),
        ("way with non-projective trees", non_projective, NON_PROJECTIVE),
    ):
        if value not in known:
            raise unknown(what, value, known)
    options = Options(
        unit=unit,
        seed=seed,
        times=times,
        interval=interval,
        on_mismatch=on_mismatch,
        input_format=input_format,
        examples=examples,
        embed=embed,
    )
    options.check()
    relational = {name: frozenset(labels) for name, labels in (function_labels or {}).items()}
    asked = [measures] if isinstance(measures, str) else list(measures or ())
    native = native_measures(asked, subtypes=subtypes)
    how = Choices(sizes, subtypes, relational, segmentation, non_projective, native)
    return _result(_compared(theories, systems, asked, how, options))


def _compared(
    theories: Sequence[str], systems: Sequence[str], asked: Sequence[str], how: Choices, options: Options
) -> Comparison:
    """What the user names, read and converted."""
    golds, enrichments = theory_paths(theories)
    for name in how.relational:
        if name not in golds:
            raise unknown("theory", name, golds)
    columns = tuple(dict.fromkeys(name for spec in how.native[DEPENDENCIES] for name in columns_of(find(spec))))
    outputs = system_paths(systems, golds)
    files = read_files(golds, outputs, options, how.segmentation, how.non_projective, columns)
    kinds = {gold.kind for gold in files.golds.values()}
    for spec, kind in ((spec, find(spec).definition.task) for spec in asked):
        if kind not in kinds:
            raise UsageError(f"-m {spec}: no gold has {kind}. Give one: --theory name=path")
    for name in how.relational:
        if files.golds[name].kind == DEPENDENCIES:
            raise UsageError(f"--functions {name}=…: the gold {name} has dependencies: relations are functions.")
    return Comparison.of(files, enrichments, how, options)


def _result(compared: Comparison) -> Result:
    options, files, reference, systems = compared.options, compared.files, compared.reference, compared.systems
    settings = Settings(options.seed, options.times, options.interval)
    units = Resampled.of(reference, compared.unit)
    figures = tedeval_figures(compared, units, settings)
    native, warnings, notes = native_figures(compared, settings)
    tests = [row for one in (*figures, *native) for row in one.comparisons()]
    sides = Sides(compared)
    on = str(tedeval_measure(compared, labelled=sides.labelled))
    scores = [row for one in figures for row in one.scores()]
    shown = (*(row for one in native for row in one.scores()), *scores)
    values = {row.system: row.value for row in scores if (row.measure, row.score) == (on, "value")}
    result = Result(
        schema=SCHEMA,
        version=assay.__version__,
        signature=_signature(compared, intervals(options.interval, (*shown, *tests))),
        command="cross",
        task=TASK.name,
        noun=TASK.noun,
        drawing=TASK.drawing.kind,
        column="",
        unit=compared.unit,
        units=units.number,
        items=len(reference),
        aligned_by="characters" if files.parts else "words",
        seed=options.seed,
        times=options.times,
        interval=options.interval,
        test="shuffling",
        family=len(systems) * (len(systems) - 1) // 2,
        gold=_source(next(iter(compared.theories)), reference),
        systems=tuple(_source(version.title, version.annotation.corpus) for version in compared.versions),
        scores=shown,
        counts=tuple(row for one in figures for row in one.counts_rows()),
        comparisons=tuple(adjusted(tests)),
        diffs=tuple(diffs(sides.items.outcomes, on, None, "value", values)) if len(systems) > 1 else (),
        frameworks=tuple(_frameworks(compared)),
        overlaps=tuple(overlaps(compared)),
        examples=tuple(drawn_examples(compared)),
        texts=None if options.embed == "none" else embedded(sides, on, options.embed, options.seed),
        warnings=(
            *files.warnings,
            *notices.warnings(compared),
            *warnings,
            *few_units(units.number, units.unit),
            *other_intervals(options.interval, shown, tests),
        ),
        notes=(
            *files.notes,
            *notices.notes(compared),
            *notes,
            *pooled_note(any(one.figures.pooled for one in (*figures, *native)), compared.unit),
        ),
    )
    return describe(result)


def _frameworks(compared: Comparison) -> Iterator[Framework]:
    for name, theory in compared.theories.items():
        gold = theory.annotation
        first = tuple(system.name for system in compared.systems if system.first.theory is theory)
        yield Framework(
            name, gold.corpus.name, gold.kind, theory.enriched_by, tuple(compared.versions_of(name)), first
        )


def _source(name: str, corpus: Corpus) -> Source:
    return Source(name, corpus.name, corpus.sha256, corpus.format, corpus.sentences, len(corpus))


def _signature(compared: Comparison, interval: str) -> str:
    how, options = compared.how, compared.options
    parts: dict[str, object] = {
        "assay": assay.__version__,
        "task": "cross",
        "sizes": how.sizes,
        **({} if how.subtypes else {"subtypes": "false"}),
        **({} if how.segmentation == "same" else {"segmentation": how.segmentation}),
        **({} if how.non_projective == "keep" else {"non_projective": how.non_projective}),
        **{f"functions {name}": "+".join(sorted(labels)) for name, labels in how.relational.items()},
        "measures": "+".join(spec for specs in how.native.values() for spec in specs),
        "unit": compared.unit,
        "n": compared.reference.sentences,
        "interval": interval,
        "times": options.times,
        "seed": options.seed,
        **({} if options.on_mismatch == "error" else {"on_mismatch": options.on_mismatch}),
    }
    for theory in compared.theories.values():
        parts[f"theory {theory.full_name}"] = _hash(theory.annotation.corpus)
    for version in compared.versions:
        parts[version.title] = _hash(version.annotation.corpus)
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def _hash(corpus: Corpus) -> str:
    return f"sha256={corpus.sha256[:12]}"
