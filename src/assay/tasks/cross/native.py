"""The measures of each framework itself, beside TedEval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay import specs
from assay.corpus import Corpus
from assay.engine.measure import find
from assay.engine.scores import Figures, Settings, draw_together
from assay.engine.shard import measure_shard
from assay.engine.warnings import format_warnings
from assay.errors import UsageError
from assay.tasks.constituents.brackets import roots
from assay.tasks.cross.comparison import Comparison
from assay.tasks.cross.figures import Named
from assay.tasks.cross.frameworks import CONSTITUENTS, DEPENDENCIES, categories_only

NATIVE = {DEPENDENCIES: ("uas", "las"), CONSTITUENTS: ("parseval",)}
"""The measures of a framework where the user names none of it."""
_OF_MEASURES = ("needed_column", "idle_punctuation", "kept_roots", "nothing_left", "not_scored", "said")
"""What preparing measures says of these; of files there is said enough."""


def native_measures(asked: Sequence[str], *, subtypes: bool) -> dict[str, tuple[str, ...]]:
    """By framework the measures that are asked for, else its usual ones.

    Whether relations keep their subtypes is decided for all, trees and measures; a measure that says so itself does
    as it says.
    """
    found: dict[str, list[str]] = {kind: [] for kind in NATIVE}
    for spec in asked:
        task = find(spec).definition.task
        if task == "cross":
            raise UsageError(f"-m {spec}: TedEval is always given. How it is measured: --sizes")
        if task not in found:
            raise UsageError(
                f"-m {spec}: is about {task}, and trees are compared here: measures of {' or '.join(found)}."
            )
        found[task].append(spec)
    return {
        kind: tuple(dict.fromkeys(_decided(spec, subtypes) for spec in own or NATIVE[kind]))
        for kind, own in found.items()
    }


def _decided(spec: str, subtypes: bool) -> str:
    """The spec with what is decided for all."""
    measure, (_, given) = find(spec), specs.parse(spec, "measure")
    if "subtypes" in measure.parameters and "subtypes" not in map(str.lower, given):
        measure = replace(measure, parameters={**measure.parameters, "subtypes": subtypes})
    return str(measure)


def native_figures(compared: Comparison, settings: Settings) -> tuple[list[Named], list[str], list[str]]:
    """Each framework's own measures on the systems that have a version of it, with warnings and notes on them."""
    plain = replace(compared.options, examples=0, change=None, kind=None, input_format=None)
    found: list[Named] = []
    warnings: list[str] = []
    notes: list[str] = []
    for name, theory in compared.theories.items():
        outputs = {system: version.annotation.corpus for system, version in compared.versions_of(name).items()}
        gold = theory.annotation.corpus
        if (labels := compared.how.relational.get(name)) is not None:
            # The functions are no constituents.
            gold = categories_only(gold, labels)
            outputs = {system: categories_only(corpus, labels) for system, corpus in outputs.items()}
        if outputs and _has_native(gold):
            kind = theory.annotation.kind
            part = measure_shard("compare", gold, outputs, compared.how.native[kind], replace(plain, task=kind))
            for measure, one in zip(part.measures, part.everything, strict=True):
                found.append(Named(f"{measure}@{name}", Figures(measure, None, one.tallies, settings)))
            for said, remarks in ((warnings, part.warnings), (notes, part.notes)):
                about = [one for one in remarks if one.kind in _OF_MEASURES]
                said += [f"{name}: {line}" for line in format_warnings(about)]
    draw_together(named.figures for named in found)
    return found, warnings, notes


def _has_native(gold: Corpus) -> bool:
    """Whether the measures of its framework apply to a gold: trees of functions alone have no constituents."""
    return gold.trees is None or not roots(gold.trees).all()
