"""cross(): parsers of several frameworks on the same sentences, in one Result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any, Unpack

import numpy as np

import assay
from assay import specs
from assay.corpus import Corpus
from assay.engine.build import Compared, Findings, build, tests_together
from assay.engine.counts import BLOCKS, FEW_CLUSTERS, FEW_UNITS, Counts, Tallies, as_sums, blocks_of
from assay.engine.measure import Measure, find
from assay.engine.options import Options, contents_of
from assay.engine.parts import unit_of
from assay.engine.phrases import roots
from assay.engine.run import measure_shard
from assay.engine.scores import Figures, Settings
from assay.engine.treebanks import columns_of
from assay.engine.warnings import format_warnings
from assay.errors import UsageError, unknown
from assay.keywords import CrossKeywords, File, explicit, options_of
from assay.result import Framework, InputFile, Overlap, Result, enumeration
from assay.result.grammar import ALPHA
from assay.tasks.cross.functiontrees import HEAD, ROOT, subsumes
from assay.tasks.cross.measures import Parse, tedeval
from assay.tasks.cross.task import TASK
from assay.tasks.cross.texts import TreebankOverlay, draw_examples, embed_texts
from assay.tasks.cross.treebanks import (
    CONSTITUENTS,
    DEPENDENCIES,
    Treebank,
    Treebanks,
    categories_only,
    read_comparison,
    system_paths,
    theory_paths,
)

NATIVE = {DEPENDENCIES: ("uas", "las"), CONSTITUENTS: ("parseval",)}
"""The measures of a framework where the user names none of it."""
_OF_MEASURES = ("needed_column", "idle_punctuation", "kept_roots", "nothing_left", "not_scored", "said")
"""Remarks that are about measures, not about files."""
_MANY = 20
"""A handful of trees may well be gold's without having been copied."""


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
    frameworks themselves, in place of `uas` and `las` for dependencies, `parseval` for constituents; with `subtypes`,
    relations keep what follows the colon in these as in function trees. `function_labels`: for a theory of
    relational-realizational trees, the labels that are functions. `segmentation`: where a file cuts a sentence into
    other words, it is refused (`same`), counted as wholly missing (`strict`), or all trees of the sentence are
    compared as sets of characters (`chars`). `non_projective`: sentences with gaps are scored like others (`keep`),
    left out (`leave-out`), or dependencies are lifted until they are projective (`lift`). `map`: a mapping file for
    functions, in which a side may also be a theory or `name@theory`. The other options are those of `compare`.
    """
    declared = options_of(CrossKeywords)
    chosen: dict[str, Any] = {name: option.default for name, option in declared.items()} | given
    for name, option in declared.items():
        if option.choices and chosen[name] not in option.choices:
            raise unknown(f"value of {name}", chosen[name], option.choices)
    own_options = ("sizes", "subtypes", "segmentation", "non_projective")
    sizes, subtypes, segmentation, non_projective = (chosen.pop(name) for name in own_options)
    options = Options(**chosen)
    options.check()
    seed, times, interval, embed = options.seed, options.times, options.interval, options.embed
    relational = {name: frozenset(labels) for name, labels in (function_labels or {}).items()}
    asked = [measures] if isinstance(measures, str) else list(measures or ())
    native = _native_measures(asked, subtypes=subtypes)
    golds, enrichments = theory_paths(theories)
    compared = read_comparison(
        golds,
        system_paths(systems, golds),
        enrichments,
        options,
        subtypes=subtypes,
        segmentation=segmentation,
        non_projective=non_projective,
        function_labels=relational,
        columns=tuple(dict.fromkeys(name for spec in native[DEPENDENCIES] for name in columns_of(find(spec)))),
    )
    kinds = {name: gold.kind for name, gold in compared.golds.items()}
    for spec, kind in ((spec, find(spec).task) for spec in asked):
        if kind not in kinds.values():
            raise UsageError(f"-m {spec}: no gold has {kind}. Give one: --theory name=path")
    choices = {
        "sizes": sizes,
        **({} if subtypes else {"subtypes": "false"}),
        **({} if segmentation == "same" else {"segmentation": segmentation}),
        **({} if non_projective == "keep" else {"non_projective": non_projective}),
        **{f"functions {name}": "+".join(sorted(labels)) for name, labels in relational.items()},
        **{name: f"sha256={digest[:12]}" for name, digest in contents_of(options, ()).items()},
        "measures": "+".join(spec for kind in native.values() for spec in kind),
    }

    # --- figures ---
    # Pairs are few: what tests over several data sets need takes little room.
    settings = Settings(seed, times, interval, options.power, keeps_evidence=True)
    reference = compared.reference
    unit = options.unit or unit_of(reference.documents, reference.sentences)
    options = replace(options, unit=unit)
    units = int(reference.unit_of_sentence(unit).max(initial=-1)) + 1
    figures = _tedeval_figures(compared, sizes, unit, settings)
    own, warnings, notes = _native_figures(compared, native, relational, options, settings)
    family = sum(tests_together(one.systems, None) for one in (*figures, *own))
    for one in (*figures, *own):
        one.settings = replace(settings, alpha=ALPHA / max(1, family))
    sides = TreebankOverlay(compared, empty_counts=sizes != "paper")
    on = str(_tedeval(sizes, labelled=sides.labelled))
    found = Findings(
        {
            "command": "cross",
            "task": TASK.name,
            "noun": TASK.noun,
            "drawing": TASK.drawing.kind,
            "unit": unit,
            "units": units,
            "items": len(reference),
            "documents": reference.documents if unit == "sentence" and 1 < reference.documents < units else 0,
            "aligned_by": "characters" if compared.parts else "words",
            "family": family,
            "texts": embed_texts(sides, on, embed, seed) if embed != "none" and compared.scored else None,
        },
        _signature(compared, choices, options),
        _source(next(iter(golds)), reference),
        [_source(bank.title, bank.corpus) for bank in compared.outputs],
        # Scores begin with what is usual in each framework, tests with what all systems have.
        [
            *((one, ["comparisons"]) for one in (*figures, *own)),
            *((one, ["scores"]) for one in own),
            *((one, ["scores", "counts"]) for one in figures),
        ],
        [Compared(on, None, sides.items.fold(), "value", bounds=False)] if len(compared.scored) > 1 else [],
        warnings=[*compared.warnings, *_warnings(compared), *warnings],
        notes=[*compared.notes, *_notes(compared, subtypes=subtypes, lifted=non_projective == "lift"), *notes],
        least_units=FEW_UNITS if unit == "sentence" else FEW_CLUSTERS,
        options=options,
    )
    found.rows["frameworks"] += [
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
    found.rows["overlaps"] += _overlaps(compared, sizes)
    found.rows["examples"] += draw_examples(sides, options.examples, seed)
    found.rows["mappings"] += compared.mappings
    return build(found)


def _source(name: str, corpus: Corpus) -> InputFile:
    return InputFile(name, corpus.name, corpus.sha256, corpus.format, corpus.sentences, len(corpus))


def _signature(compared: Treebanks, choices: Mapping[str, object], options: Options) -> dict[str, object]:
    parts: dict[str, object] = {
        "assay": assay.__version__,
        "task": "cross",
        **choices,
        "unit": options.unit,
        "n": compared.reference.sentences,
        "interval": options.interval,
        "times": options.times,
        "seed": options.seed,
        **({} if options.on_mismatch == "error" else {"on_mismatch": options.on_mismatch}),
    }
    named = {f"theory {compared.full_name(name)}": gold for name, gold in compared.golds.items()}
    for title, bank in (*named.items(), *((bank.title, bank) for bank in compared.outputs)):
        parts[title] = f"sha256={bank.corpus.sha256[:12]}"
    return parts


# --- TedEval ---


def _tedeval(sizes: str, *, labelled: bool, single: bool = False) -> Measure:
    gold = ", gold=single" if single else ""
    return find(f"tedeval(sizes={sizes}, labelled={str(labelled).lower()}{gold})")


def _parse(compared: Treebanks, bank: Treebank, gold: Treebank) -> Parse:
    """A parse against its gold; where sentences are cut into parts, these are no words."""
    words = (np.diff(bank.corpus.starts), np.diff(gold.corpus.starts)) if compared.parts else None
    return Parse(compared.trees[bank.title], compared.trees[gold.title], compared.common, words)


def _count(parse: Parse, measure: Measure) -> Counts:
    counts = tedeval(parse, **measure.parameters)
    assert isinstance(counts, Counts)
    return counts


def _tedeval_figures(compared: Treebanks, sizes: str, unit: str, settings: Settings) -> list[Figures]:
    """TedEval against all golds together and against each system's own, with and without labels."""
    reference = compared.reference
    of_sentence = reference.unit_of_sentence(unit)
    units = int(of_sentence.max(initial=-1)) + 1
    # The block of each unit, where there are too many of them.
    blocks = cache(lambda: np.arange(units) if units <= BLOCKS else blocks_of(reference.unit_names(unit)))
    parses = {bank.title: _parse(compared, bank, compared.golds[bank.theory]) for bank in compared.outputs}
    asked = [(str(one), one, compared.scored) for one in (_tedeval(sizes, labelled=has) for has in (True, False))]
    for labelled in (True, False):
        single = _tedeval(sizes, labelled=labelled, single=True)
        asked += [(f"{single}@{theory}", single, compared.outputs_in(theory)) for theory in compared.golds]
    found = []
    for name, measure, banks in asked:
        counts = [
            (system, _count(parses[bank.title], measure).regroup(of_sentence, units))
            for system, bank in banks.items()
            if bank.title not in compared.bare
            and (system in compared.labelled or not measure.parameters["labelled"])
        ]
        if counts:
            tallies = Tallies.of(counts, measure.fields_read, blocks, unit=unit)
            found.append(Figures(measure, None, tallies, settings, name))
    return found


def _overlaps(compared: Treebanks, sizes: str) -> Iterator[Overlap]:
    """The agreement of each two golds: the single score of one against the other, by the sizes asked for."""
    for a, b in combinations(compared.golds.values(), 2):
        for labelled in (True, False):
            measure = _tedeval(sizes, labelled=labelled, single=True)
            counts = _count(_parse(compared, a, b), measure)
            sums = as_sums(counts.total(), counts.fields)
            yield Overlap(a.theory, b.theory, labelled, float(measure.scores[measure.main](sums)))


# --- the measures of each framework itself ---


def _native_measures(asked: Sequence[str], *, subtypes: bool) -> dict[str, tuple[str, ...]]:
    """By framework the measures that are asked for, else its usual ones.

    Whether relations keep their subtypes is decided for all, trees and measures; a measure that says so itself does
    as it says.
    """
    found: dict[str, list[str]] = {kind: [] for kind in NATIVE}
    for spec in asked:
        task = find(spec).task
        if task == "cross":
            raise UsageError(f"-m {spec}: TedEval is always given. How it is measured: --sizes")
        if task not in found:
            raise UsageError(
                f"-m {spec}: is about {task}, and trees are compared here: measures of {' or '.join(found)}."
            )
        found[task].append(spec)

    def decide(spec: str) -> str:
        measure, (_, given) = find(spec), specs.parse(spec, "measure")
        if "subtypes" in measure.parameters and "subtypes" not in map(str.lower, given):
            measure = replace(measure, parameters={**measure.parameters, "subtypes": subtypes})
        return str(measure)

    return {kind: tuple(dict.fromkeys(map(decide, own or NATIVE[kind]))) for kind, own in found.items()}


def _native_figures(
    compared: Treebanks,
    native: Mapping[str, Sequence[str]],
    relational: Mapping[str, frozenset[str]],
    options: Options,
    settings: Settings,
) -> tuple[list[Figures], list[str], list[str]]:
    """Each framework's own measures on the systems that have a version of it, with warnings and notes on them."""
    plain = replace(options, examples=0, change=None, kind=None, input_format=None, map=None)
    found: list[Figures] = []
    warnings: list[str] = []
    notes: list[str] = []
    for name, bank in compared.golds.items():
        outputs = {system: output.corpus for system, output in compared.outputs_in(name).items()}
        gold = bank.corpus
        if (labels := relational.get(name)) is not None:
            # The functions are no constituents.
            gold = categories_only(gold, labels)
            outputs = {system: categories_only(corpus, labels) for system, corpus in outputs.items()}
        # Trees of functions alone have no constituents.
        if outputs and (gold.trees is None or not roots(gold.trees).all()):
            part = measure_shard("compare", gold, outputs, native[bank.kind], replace(plain, task=bank.kind))
            for index, measure in enumerate(part.plan.measures):
                counts = part.counts[index, None, part.unit]
                found.append(Figures(measure, None, counts, settings, f"{measure}@{name}"))
            for lines, remarks in ((warnings, part.warnings), (notes, part.notes)):
                about = [one for one in remarks if one.kind in _OF_MEASURES]
                lines += [f"{name}: {line}" for line in format_warnings(about)]
    return found, warnings, notes


# --- what is to be said ---


def _warnings(compared: Treebanks) -> Iterator[str]:
    """Systems that are a gold themselves, that have no functions, or none of those that their gold was given."""
    for bank in compared.outputs:
        gold = compared.golds[bank.theory]
        ours, theirs = compared.trees[gold.title], compared.trees[bank.title]
        if gold.corpus.sha256 == bank.corpus.sha256:
            same = f"has the same content as the gold {gold.theory} ({gold.corpus.name})."
            yield f"{bank.title} ({bank.corpus.name}) {same}"
        elif len(ours) >= _MANY and subsumes(ours, theirs).all() and subsumes(theirs, ours).all():
            yield f"{bank.title} agrees with the gold {gold.theory} in every tree: copied, not parsed?"
    dependencies = [name for name, gold in compared.golds.items() if gold.kind == DEPENDENCIES]
    for bank in compared.outputs:
        if bank.title in compared.bare:
            yield (
                f"{bank.title}: no node has one of the labels of --functions {bank.theory}=…, so TedEval does not "
                "apply."
            )
    for system in compared.scored:
        if system not in compared.labelled:
            remedy = f" Give its dependencies too: {system}@{dependencies[0]}=…" if dependencies else ""
            yield f"{system}: no functions in its trees, so labelled TedEval does not apply.{remedy}"
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
                f"{enumeration(named)} differ only in case, so that they never match. If they mean the same, map "
                f"them with a line in a file for --map: {line}"
            )
    for bank in compared.outputs:
        giver, own = compared.enriched.get(bank.theory), functions[bank.title]
        if giver and own and own.isdisjoint(functions[f"gold {giver}"]):
            shown = ", ".join(sorted(own)[:3]) + (", …" if len(own) > 3 else "")
            yield (
                f"{bank.title}: none of its functions ({shown}) is one of {giver}'s, which the gold {bank.theory} "
                "was given, so that labelled TedEval says little. Give its dependencies too: "
                f"{bank.system}@{giver}=…"
            )


def _notes(compared: Treebanks, *, subtypes: bool, lifted: bool) -> Iterator[str]:
    """Facts that one should know to read the figures."""
    gaps = {title: int(compared.trees[title].with_gaps.sum()) for title in compared.files}
    if any(gaps.values()):
        yield f"Sentences with gaps (non-projective, discontinuous), scored like all others: {_listed(gaps)}."
    dependencies = {title: bank for title, bank in compared.files.items() if bank.kind == DEPENDENCIES}
    crossing = {title: int(bank.with_gaps().sum()) for title, bank in dependencies.items()} if lifted else {}
    if any(crossing.values()):
        lifts = "Non-projective sentences, lifted for TedEval and left as they are for uas and las"
        yield f"{lifts}: {_listed(crossing)}."
    yield "Unlabelled TedEval is blind to which word heads a phrase."
    if any(":" in name for bank in dependencies.values() for name in bank.corpus.column("DEPREL").vocabulary):
        if subtypes:
            yield (
                "Relations keep their subtypes (nsubj:pass), in function trees as in uas, las and ls; clas, mlas and "
                "blex are without them, as in CoNLL 2018; to cut them: --no-subtypes"
            )
        else:
            yield (
                "Relations are without their subtypes (nsubj for nsubj:pass), in function trees as in attachment "
                "scores."
            )


def _listed(numbers: Mapping[str, int]) -> str:
    """The numbers above 0."""
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items() if number)
