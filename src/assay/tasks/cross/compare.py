"""cross(): parsers of several frameworks on the same sentences, in one Result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Unpack

import numpy as np

import assay
from assay import specs
from assay.corpus import Corpus
from assay.engine.build import Compared, Findings, build, count_tests
from assay.engine.counts import BLOCKS, FEW_CLUSTERS, FEW_UNITS, Counts, JointCounts, as_sums, hash_blocks
from assay.engine.measure import Measure, find
from assay.engine.options import Options
from assay.engine.parts import choose_unit
from assay.engine.phrases import roots
from assay.engine.run import measure_shard
from assay.engine.scores import MeasureScores, Settings
from assay.engine.treebanks import columns_of
from assay.engine.warnings import format_warnings
from assay.errors import UsageError
from assay.keywords import CrossKeywords, File, explicit
from assay.result import Confusion, Framework, InputFile, Overlap, Result, enumeration
from assay.result.grammar import ALPHA
from assay.tasks.cross.functiontrees import HEAD, ROOT
from assay.tasks.cross.guidelines import GRAPHS, SPANS, TAGS, has_graphs, read_guidelines
from assay.tasks.cross.measures import Parse
from assay.tasks.cross.task import TASK
from assay.tasks.cross.texts import TreebankOverlay, draw_examples, embed_texts
from assay.tasks.cross.treebanks import (
    CONSTITUENTS,
    DEPENDENCIES,
    CrossOptions,
    Treebank,
    Treebanks,
    categories_only,
    read_comparison,
    theory_paths,
)

NATIVE = {
    DEPENDENCIES: ("uas", "las"),
    CONSTITUENTS: ("parseval",),
    TAGS: ("accuracy",),
    SPANS: ("exact",),
    GRAPHS: (),
}
"""The measures of a framework if the user names none of it; those of graphs depend on the format."""
_OF_MEASURES = ("needed_column", "idle_punctuation", "kept_roots", "nothing_left", "not_scored", "plain_sentence")
"""Remarks that are about measures, not about files."""
_MANY = 20
"""Fewer trees than this can equal gold's without having been copied."""


@explicit
def cross(
    theories: Sequence[str],
    systems: Sequence[str] | Mapping[str, File],
    measures: Sequence[str] | str | None = None,
    *,
    function_labels: Mapping[str, Iterable[str]] | None = None,
    **given: Unpack[CrossKeywords],
) -> Result:
    """Compare parsers of different frameworks (Tsarfaty et al. 2012).

    `theories` are golds, `name=path`, or `a+b`: the gold `a` enriched by the functions of the gold `b`. `systems` are
    `name@theory=path`, or a mapping; a system may be given in several versions. `measures` are those of the
    frameworks themselves, instead of `uas` and `las` for dependencies, `parseval` for constituents; with `subtypes`,
    relations keep what follows the colon in these as in function trees. `function_labels`: for a theory of
    relational-realizational trees, the labels that are functions. `segmentation`: a sentence that a file cuts into
    other words stops the run (`same`), is counted as entirely missing (`strict`), or is compared in all files by sets
    of characters (`chars`). `non_projective`: sentences with gaps are scored like the others (`keep`),
    left out (`leave-out`), or dependencies are lifted until they are projective (`lift`). `map`: mapping files for
    functions, in which a side may also be a theory or `name@theory`; a dictionary has one for each theory.
    `edit_costs`: the costs of edits, `{"add": 2, "delete": 1}`, with sizes `paper`.

    With a `task` (`tags`, `spans`, `graphs`) annotations by several guidelines are compared instead of trees.
    `column` says by theory where they are, `map` which units a label stands for, `label_path` what divides general
    and special labels of spans. The other options are those of `compare`.
    """
    options = CrossOptions.of(given, function_labels)
    asked = [measures] if isinstance(measures, str) else list(measures or ())
    native = _native_measures(asked, options)
    if options.task is None and has_graphs(theory_paths(theories)[0].values(), options):
        options = CrossOptions.of({**given, "task": "graphs"}, function_labels)
    if options.task is not None:
        compared = read_guidelines(theories, systems, options)
        options = compared.options
    elif options.column or options.label_path != ".":
        raise UsageError("--column and --label-path are for --task tags, spans or graphs. Leave them out for trees.")
    else:
        columns = dict.fromkeys(name for spec in native[DEPENDENCIES] for name in columns_of(find(spec)))
        compared = read_comparison(theories, systems, options, tuple(columns))
    reference = compared.reference
    unit = choose_unit(reference.documents, reference.sentences)
    unit = options.unit or ("document" if reference.whole_documents else unit)
    kinds = {gold.kind for gold in compared.golds.values()}
    for spec, kind in ((spec, find(spec, options.task or "").task) for spec in asked):
        if kind not in kinds:
            raise UsageError(f"-m {spec}: no gold has {kind}. Give one: --theory name=path")

    # --- figures ---
    # Pairs are few: what tests over several data sets need takes little room.
    settings = Settings(options.seed, options.times, options.interval, options.power, keeps_evidence=True)
    units = int(reference.unit_of_sentence(unit).max(initial=-1)) + 1
    tedeval_figures = _tedeval_figures(compared, unit, settings)
    native_figures, warnings, notes = _native_figures(compared, native, unit, settings)
    family = sum(count_tests(figures.systems, None) for figures in (*tedeval_figures, *native_figures))
    for figures in (*tedeval_figures, *native_figures):
        figures.settings = replace(settings, alpha=ALPHA / max(1, family))
    sides = TreebankOverlay(compared)
    on = str(_measures_across(options)[not sides.labelled])
    golds = {f"theory {compared.full_name(name)}": gold for name, gold in compared.golds.items()}
    findings = Findings(
        {
            "command": "cross",
            "task": TASK.name,
            "noun": TASK.noun,
            "drawing": TASK.drawing.kind if options.task is None else "annotations",
            "unit": unit,
            "units": units,
            "items": len(reference),
            "documents": reference.documents if unit == "sentence" and 1 < reference.documents < units else 0,
            "aligned_by": "characters" if compared.parts else "words",
            "family": family,
            "texts": embed_texts(sides, on, options.embed, options.seed) if options.embed != "none" else None,
        },
        {
            "assay": assay.__version__,
            "task": "cross",
            **({"sizes": options.sizes} if options.task is None else {"units": options.task}),
            **{f"column {name}": column for name, column in compared.columns.items()},
            **({} if options.label_path == "." else {"label_path": options.label_path}),
            **{f"edit_costs {name}": cost for name, cost in options.edit_costs.items()},
            **({} if options.subtypes else {"subtypes": "false"}),
            **({} if options.segmentation == "same" else {"segmentation": options.segmentation}),
            **({} if options.non_projective == "keep" else {"non_projective": options.non_projective}),
            **{f"functions {name}": "+".join(sorted(labels)) for name, labels in options.function_labels.items()},
            **{name: f"sha256={digest[:12]}" for name, digest in options.map_checksums().items()},
            "measures": "+".join(dict.fromkeys(str(figures.measure) for figures in native_figures)),
            "unit": unit,
            "n": reference.sentences,
            "interval": options.interval,
            "times": options.times,
            "seed": options.seed,
            **({} if options.on_mismatch == "error" else {"on_mismatch": options.on_mismatch}),
            **{title: f"sha256={gold.corpus.sha256[:12]}" for title, gold in golds.items()},
            **{bank.title: f"sha256={bank.corpus.sha256[:12]}" for bank in compared.outputs},
        },
        _describe_file(next(iter(compared.golds)), reference),
        [_describe_file(bank.title, bank.corpus) for bank in compared.outputs],
        # Scores begin with what is usual in each framework, tests with what all systems have.
        [
            *((figures, ["comparisons"]) for figures in (*tedeval_figures, *native_figures)),
            *((figures, ["scores"]) for figures in native_figures),
            *((figures, ["scores", "counts"]) for figures in tedeval_figures),
        ],
        [Compared(on, None, sides.items.fold(), "value", bounds=False)] if len(compared.first) > 1 else [],
        warnings=[*compared.warnings, *_copies(compared), *([] if options.task else _warnings(compared)), *warnings],
        notes=[*compared.notes, *([] if options.task else _notes(compared)), *notes],
        least_units=FEW_UNITS if unit == "sentence" else FEW_CLUSTERS,
        options=options,
    )
    findings.rows["frameworks"] += [
        Framework(
            name,
            gold.corpus.name,
            gold.kind,
            compared.enriched.get(name, ""),
            tuple(compared.outputs_in(name)),
            tuple(system for system, bank in compared.first.items() if bank.theory == name),
        )
        for name, gold in compared.golds.items()
    ]
    findings.rows["overlaps"] += compared.overlaps if options.task else _overlaps(compared)
    findings.rows["gold_differences"] += compared.differences
    findings.rows["confusion"] += [] if options.edit_costs or options.task else _confusions(compared)
    findings.rows["examples"] += draw_examples(sides, options.examples, options.seed)
    findings.rows["mappings"] += compared.mappings
    return build(findings)


def _describe_file(name: str, corpus: Corpus) -> InputFile:
    return InputFile(name, corpus.name, corpus.sha256, corpus.format, corpus.sentences, len(corpus))


# --- TedEval ---


def _tedeval(options: CrossOptions, *, labelled: bool, single: bool = False, fair: bool = False) -> Measure:
    given = {"sizes": options.sizes, **({"gold": "single"} if single else {})}
    if fair:
        return find(specs.spell("fair-tedeval", given))
    return find(specs.spell("tedeval", {**given, "labelled": labelled, **options.edit_costs}))


def _measures_across(options: CrossOptions, *, single: bool = False) -> list[Measure]:
    """The measures that all systems have: labelled, unlabelled and fair TedEval, or the cross score."""
    if options.task is not None:
        return [] if single else [find(specs.spell("cross-score", options.edit_costs))]
    measures = [_tedeval(options, labelled=labelled, single=single) for labelled in (True, False)]
    # Two edits are one error only if both cost the same.
    return measures if options.edit_costs else [*measures, _tedeval(options, labelled=True, single=single, fair=True)]


def _count(parse: Parse, measure: Measure) -> Counts:
    counts = measure.function(parse, **measure.parameters)
    assert isinstance(counts, Counts)
    return counts


def _tedeval_figures(compared: Treebanks, unit: str, settings: Settings) -> list[MeasureScores]:
    """TedEval against all golds together and against each system's own, with labels, without, and fair."""
    reference, options = compared.reference, compared.options
    of_sentence = reference.unit_of_sentence(unit)
    units = int(of_sentence.max(initial=-1)) + 1
    # The block of each unit, if there are too many of them.
    blocks = cache(lambda: np.arange(units) if units <= BLOCKS else hash_blocks(reference.unit_names(unit)))
    columns: list[tuple[str, Measure, dict[str, Treebank]]] = []
    for single in (False, True):
        for measure in _measures_across(options, single=single):
            if single:
                columns += [(f"{measure}@{name}", measure, compared.outputs_in(name)) for name in compared.golds]
            else:
                columns.append((str(measure), measure, compared.first))
    figures = []
    for name, measure, banks in columns:
        counts = [
            (system, _count(compared.parse(bank), measure).regroup(of_sentence, units))
            for system, bank in banks.items()
            if compared.is_labelled(bank) or not measure.parameters.get("labelled", True)
        ]
        if counts:
            tallies = JointCounts.of(counts, measure.fields_read, blocks, unit=unit)
            figures.append(MeasureScores(measure, None, tallies, settings, name))
    return figures


def _confusions(compared: Treebanks) -> Iterator[Confusion]:
    """The functions that systems confuse: labelling errors of fair TedEval against all golds."""
    measure = _tedeval(compared.options, labelled=True, fair=True)
    for system, bank in compared.first.items():
        if compared.is_labelled(bank):
            pairs = compared.parse(bank).pairs(empty_counts=compared.options.sizes != "paper").confusion()
            for (gold, assigned), number in sorted(pairs.items(), key=lambda row: (-row[1], row[0])):
                yield Confusion(system, str(measure), gold, assigned, number, "le")


def _overlaps(compared: Treebanks) -> Iterator[Overlap]:
    """The agreement of each two golds: the single score of one against the other, by the sizes asked for."""
    for a, b in combinations(compared.golds.values(), 2):
        parse = compared.parse(a, b)
        for labelled in (True, False):
            measure = _tedeval(replace(compared.options, edit_costs={}), labelled=labelled, single=True)
            counts = _count(parse, measure)
            sums = as_sums(counts.total(), counts.fields)
            yield Overlap(a.theory, b.theory, labelled, float(measure.scores[measure.main](sums)))


# --- the measures of each framework itself ---


def _native_measures(asked: Sequence[str], options: CrossOptions) -> dict[str, tuple[str, ...]]:
    """The measures of each framework: those that are asked for, or its usual ones.

    Whether relations keep their subtypes is decided for all trees and measures, except for a measure that decides it
    with a parameter.
    """
    chosen: dict[str, list[str]] = {kind: [] for kind in NATIVE}
    for spec in asked:
        task = find(spec, options.task or "").task
        if task == "cross":
            how = "To change how it is measured: --sizes" if options.task is None else "Remove -m."
            raise UsageError(f"-m {spec}: {'TedEval' if options.task is None else 'it'} is always reported. {how}")
        fitting = [DEPENDENCIES, CONSTITUENTS] if options.task is None else [options.task]
        fitting += [DEPENDENCIES] if options.task == GRAPHS else []
        if task not in fitting:
            things = options.task or "trees"
            raise UsageError(
                f"-m {spec}: this measure is for {task}, but {things} are compared here. Use measures of "
                f"{' or '.join(fitting)}."
            )
        chosen[task].append(spec)

    def set_subtypes(spec: str) -> str:
        measure, (_, given) = find(spec, options.task or ""), specs.parse(specs.split_score(spec)[0], "measure")
        if "subtypes" in measure.parameters and "subtypes" not in map(str.lower, given):
            measure = replace(measure, parameters={**measure.parameters, "subtypes": options.subtypes})
        return str(measure)

    return {kind: tuple(dict.fromkeys(map(set_subtypes, names or NATIVE[kind]))) for kind, names in chosen.items()}


def _native_figures(
    compared: Treebanks, native: Mapping[str, Sequence[str]], unit: str, settings: Settings
) -> tuple[list[MeasureScores], list[str], list[str]]:
    """Each framework's own measures on the systems that have a version of it, with warnings and notes on them."""
    options: Options = compared.options
    plain = replace(options, unit=unit, examples=0, change=None, kind=None, input_format=None, map=None)
    figures: list[MeasureScores] = []
    warnings: list[str] = []
    notes: list[str] = []
    for name, bank in compared.golds.items():
        outputs = {system: output.corpus for system, output in compared.outputs_in(name).items()}
        gold = bank.corpus
        if (labels := compared.options.function_labels.get(name)) is not None:
            # Nodes of functions are not constituents.
            gold = categories_only(gold, labels)
            outputs = {system: categories_only(corpus, labels) for system, corpus in outputs.items()}
        # Trees that consist of functions have no constituents left.
        if outputs and (gold.trees is None or not roots(gold.trees).all()):
            here = replace(plain, task=bank.kind, column=compared.column)
            part = measure_shard("compare", gold, outputs, native[bank.kind], here)
            for index, measure in enumerate(part.plan.measures):
                counts = part.counts[index, None, part.unit]
                assert isinstance(counts, JointCounts)
                figures.append(MeasureScores(measure, None, counts, settings, f"{measure}@{name}"))
            for lines, remarks in ((warnings, part.warnings), (notes, part.notes)):
                on_measures = [remark for remark in remarks if remark.kind in _OF_MEASURES]
                lines += [f"{name}: {line}" for line in format_warnings(on_measures)]
    return figures, warnings, notes


# --- warnings and notes ---


def _copies(compared: Treebanks) -> Iterator[str]:
    """Warnings about systems equal to gold."""
    for bank in compared.outputs:
        gold = compared.golds[bank.theory]
        if gold.corpus.sha256 == bank.corpus.sha256:
            same = f"has the same content as the gold {gold.theory} ({gold.corpus.name})."
            yield f"{bank.title} ({bank.corpus.name}) {same}"
            continue
        # Spans that are right by convention are not copies.
        many = len(compared.trees[gold.title]) >= _MANY and compared.joint is None
        if many and not compared.parse(bank).edits(labelled=True, empty_counts=True, gold="single").delta.any():
            trees = compared.options.task is None
            what = "tree. Was it copied, not parsed?" if trees else "unit. Was it copied, not predicted?"
            yield f"{bank.title} agrees with the gold {gold.theory} in every {what}"


def _warnings(compared: Treebanks) -> Iterator[str]:
    """Warnings about systems without functions, or without those that their gold was given."""
    dependencies = [name for name, gold in compared.golds.items() if gold.kind == DEPENDENCIES]
    for bank in compared.outputs:
        if bank.title in compared.bare:
            yield (
                f"{bank.title}: no node has one of the labels of --functions {bank.theory}=…, so labelled TedEval "
                "does not apply. Unlabelled TedEval uses its phrases unchanged."
            )
    for system, bank in compared.first.items():
        if system not in compared.labelled and bank.title not in compared.bare:
            remedy = f" Give its dependencies too: {system}@{dependencies[0]}=…" if dependencies else ""
            yield f"{system}: its trees have no functions, so labelled TedEval does not apply.{remedy}"
    functions = {title: trees.functions - {ROOT} for title, trees in compared.trees.items()}
    written: dict[str, dict[str, list[str]]] = {}
    for title, names in functions.items():
        for name in sorted(names):
            written.setdefault(name.casefold(), {}).setdefault(name, []).append(title)
    for forms in written.values():
        if len(forms) > 1:
            named = [f"{name} ({enumeration(titles)})" for name, titles in forms.items()]
            # The heads of dependencies have no label in the file that could be mapped.
            after, before, *_ = sorted(forms, key=lambda name: name != HEAD)
            line = f"{compared.files[forms[before][0]].theory} TAB {before} TAB {after}"
            yield (
                f"{enumeration(named)} differ only in case, so they never match. If they mean the same, map "
                f"them with a line in a file for --map: {line}"
            )
    for bank in compared.outputs:
        giver, names = compared.enriched.get(bank.theory), functions[bank.title]
        if giver and names and names.isdisjoint(functions[f"gold {giver}"]):
            shown = ", ".join(sorted(names)[:3]) + (", …" if len(names) > 3 else "")
            yield (
                f"{bank.title}: none of its functions ({shown}) is one of {giver}'s, which the gold {bank.theory} "
                f"was given, so labelled TedEval says little. Give its dependencies too: "
                f"{bank.system}@{giver}=…"
            )


def _notes(compared: Treebanks) -> Iterator[str]:
    """Facts that a reader of the scores should know."""
    gaps = {title: int(compared.trees[title].with_gaps.sum()) for title in compared.files}
    if any(gaps.values()):
        yield f"Sentences with gaps (non-projective, discontinuous), scored like all others: {_format_numbers(gaps)}."
    dependencies = {title: bank for title, bank in compared.files.items() if bank.kind == DEPENDENCIES}
    crossing = {title: int(bank.with_gaps().sum()) for title, bank in dependencies.items()}
    if compared.options.non_projective == "lift" and any(crossing.values()):
        lifts = "Non-projective sentences, lifted for TedEval and unchanged for uas and las"
        yield f"{lifts}: {_format_numbers(crossing)}."
    yield "Unlabelled TedEval does not measure which word heads a phrase."
    if any(":" in name for bank in dependencies.values() for name in bank.corpus.column("DEPREL").vocabulary):
        if compared.options.subtypes:
            yield (
                "Relations keep their subtypes (nsubj:pass), in function trees and in uas, las and ls; clas, mlas "
                "and blex ignore them, as in CoNLL 2018. To remove them: --no-subtypes"
            )
        else:
            yield (
                "Relations are compared without subtypes (nsubj for nsubj:pass), in function trees and in attachment "
                "scores."
            )


def _format_numbers(numbers: Mapping[str, int]) -> str:
    """The numbers above 0."""
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items() if number)
