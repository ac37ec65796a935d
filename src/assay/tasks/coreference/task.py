"""The task of coreference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, groupby

from assay.engine.build import error_shares
from assay.engine.finish import main_score
from assay.engine.measure import find
from assay.engine.parts import LabelSums, Part
from assay.engine.prepare import Run
from assay.engine.run import sum_counts
from assay.engine.scores import Settings
from assay.engine.task import Task, measure_title
from assay.result import Result, Similarity, Table
from assay.tasks.coreference import measures
from assay.tasks.coreference.drawing import CHAINS
from assay.tasks.coreference.mentions import chain_errors, pair_mentions, rule_of
from assay.tasks.coreference.prepare import prepare_coreference
from assay.tasks.coreference.slices import SLICES

PRESETS = {"crac2024": ("head", "dependent"), "crac2023": ("head", "linear"), "crac2022": ("partial", "linear")}
"""Shared tasks, and how they match mentions and zeros."""


def _sums(run: Run, compares: bool) -> Mapping[str, LabelSums]:
    """Sums of errors in chains by type, and of the similarity of two outputs (Tuggener's Table 13)."""
    found: dict[str, LabelSums] = {}
    for name, pair in run.pairs:
        found[f"errors\t{name}"] = {"": chain_errors(pair)}
    for (a, first), (b, second) in combinations(run.pairs, 2) if compares else ():
        # The chains of one system are taken as gold for the other's; types of mentions do not matter.
        both = replace(first, gold=first.system, system=second.system)
        both = pair_mentions(both, replace(rule_of(first), tags=None))
        for spec in ("conll", "lea"):
            found[f"alike\t{a}\t{b}\t{spec}"] = sum_counts(find(spec), both, both.gold.sentences)
    return found


def _finish(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with errors in chains by type, and the similarity of systems."""
    errors, similarities = list(result.error_types), []
    for key, sums in part.of_task.items():
        kind, *names = key.split("\t")
        if kind == "errors":
            errors += error_shares(names[0], "chains", sums[""])
        elif kind == "alike":
            a, b, spec = names
            similarities.append(Similarity(a, b, spec, find(spec).main, main_score(find(spec), sums)))
    return replace(result, error_types=tuple(errors), similarities=tuple(similarities))


def _present(result: Result) -> Result:
    """The Result with tables of errors in chains (Kummerfeld and Klein) and of the similarity of systems."""
    errors = [row for row in result.error_types if row.measure == "chains"]
    kinds = list(dict.fromkeys(row.type for row in errors))
    wrong = []
    for system, group in groupby(errors, key=lambda row: row.system):
        found = {row.type: [row.count, row.share] for row in group}
        wrong.append((system, sum(count for count, _ in found.values()), *(found[kind] for kind in kinds)))
    measures = list(dict.fromkeys(row.measure for row in result.similarities))
    values = {(row.a, row.b, row.measure): row.value for row in result.similarities}
    pairs = dict.fromkeys((a, b) for a, b, _ in values)
    tables = (
        Table(
            "Errors in the chains",
            ("system", "errors", *(kind.replace("-", " ") for kind in kinds)),
            tuple(wrong),
            ("text", "count", "share"),
            after="further scores",
            name="errors",
            notes=(
                "Percentages of all errors in brackets. span: the mention has a different span in gold; merged: "
                "parts of other entities in a chain; split: further chains of an entity; missing, extra: entities "
                "that only one side has, and mentions that only one side has in an entity of both.",
            ),
        ),
        Table(
            "Similarity of the systems",
            ("pair", *map(measure_title, measures)),
            tuple(([a, b], *(values[a, b, measure] for measure in measures)) for a, b in pairs),
            ("pair", "percent"),
            after="differences",
            columns=("pair", *measures),
            short=15,
            notes=(
                "One system's chains serve as gold for the other's, with exact spans; F1 is the same either way.",
            ),
        ),
    )
    remarks = {"outcomes": "TP: resolved, WL: wrong link, FN: missed, FP: spurious, none: correctly left alone (TN)."}
    # Wrong links that became other wrong links are no change unless asked for.
    others = [row for row in result.diffs if row.slice is None and row.other_target is not None]
    for on in dict.fromkeys(row.on for row in others):
        named = [f"{row.a} → {row.b} {row.other_target:,}" for row in others if row.on == on]
        counted = "are changed errors here" if "antecedents=true" in on else "count as no change"
        remarks[f"differences {on}"] = (
            f"Wrong links to another wrong antecedent (WL → WL), which {counted}: {'; '.join(named[:15])}."
        )
    return replace(result, tables=tables).with_shown(remarks=remarks)


def _preset(match: str, zeros: str) -> tuple[str, ...]:
    """The measures of a shared task: chain metrics, mentions and zeros, without singletons."""
    settings = f"match={match}, zeros={zeros}, singletons=false"
    metrics = [f"{name}({settings})" for name in ("conll", "muc", "b-cubed", "ceaf-e")]
    return (*metrics, "mor(singletons=false)", f"zeros({settings})")


TASK = Task(
    name="coreference",
    noun="mention",
    measures=(measures,),
    defaults=("conll", "muc", "b-cubed", "ceaf-e", "mentions", "arcs-any"),
    presets={name: _preset(*how) for name, how in PRESETS.items()},
    agreement=("mentions", "muc", "b-cubed", "ceaf-e", "lea", "conll"),
    prepare=prepare_coreference,
    options=("preset", "duplicates", "missing", "repair", "zeros", "mention_types"),
    slices=SLICES,
    drawing=CHAINS,
    no_combination="not defined, because links of several systems make no partition",
    matched=True,
    traits=("by outcome", "own number"),
    text_unit="document",
    present=_present,
    gold_test="recall",
    sums=_sums,
    finish=_finish,
)
