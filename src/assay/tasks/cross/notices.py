"""What is to be said about golds and systems of several frameworks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.tasks.cross.comparison import Comparison
from assay.tasks.cross.frameworks import DEPENDENCIES, Annotation
from assay.tasks.cross.functiontrees import FunctionTrees, subsumes

_MANY = 20
"""A handful of trees may well be gold's without having been copied."""


def warnings(compared: Comparison) -> Iterator[str]:
    """What may be wrong with systems."""
    yield from _copied(compared)
    yield from _unlabelled(compared)
    yield from _other_functions(compared)


def _copied(compared: Comparison) -> Iterator[str]:
    """Systems that are a gold themselves."""
    for version in compared.versions:
        gold = version.theory
        ours, theirs = gold.annotation.corpus, version.annotation.corpus
        if ours.sha256 == theirs.sha256:
            yield f"{version.title} ({theirs.name}) has the same content as the gold {gold.name} ({ours.name})."
        elif len(gold.trees) >= _MANY and _same(version.trees, gold.trees):
            yield f"{version.title} agrees with the gold {gold.name} in every tree: copied, not parsed?"


def _same(a: FunctionTrees, b: FunctionTrees) -> bool:
    return bool(subsumes(a, b).all() and subsumes(b, a).all())


def _unlabelled(compared: Comparison) -> Iterator[str]:
    theories = compared.theories.values()
    dependencies = next((theory.name for theory in theories if theory.annotation.kind == DEPENDENCIES), "")
    for system in compared.systems:
        if not system.first.labelled:
            remedy = f" Give its dependencies too: {system.name}@{dependencies}=…" if dependencies else ""
            yield f"{system.name}: no functions in its trees, so labelled TedEval does not apply.{remedy}"


def _other_functions(compared: Comparison) -> Iterator[str]:
    """Systems with none of the functions that their gold was given."""
    for system in compared.systems:
        for theory, version in system.versions.items():
            giver = version.theory.enriched_by
            own = _functions_of(version.trees)
            if giver and own and own.isdisjoint(_functions_of(compared.theories[giver].trees)):
                shown = ", ".join(sorted(own)[:3]) + (", …" if len(own) > 3 else "")
                yield (
                    f"{version.title}: none of its functions ({shown}) is one of {giver}'s, which the gold {theory} "
                    "was given, so that labelled TedEval says little. Give its dependencies too: "
                    f"{system.name}@{giver}=…"
                )


def _functions_of(trees: FunctionTrees) -> set[str]:
    """The functions in trees but for `root`, which all have."""
    return {trees.labels[code] for code in np.unique(trees.label).tolist()} - {"root"}


def notes(compared: Comparison) -> Iterator[str]:
    """What one should know to read the figures."""
    sides = {f"gold {theory.name}": theory for theory in compared.theories.values()} | {
        version.title: version for version in compared.versions
    }
    gaps = _listed({name: int(side.trees.with_gaps.sum()) for name, side in sides.items()})
    if gaps:
        yield f"Sentences with gaps (non-projective, discontinuous), scored like all others: {gaps}."
    if compared.how.non_projective == "lift":
        lifted = {name: side.annotation for name, side in sides.items() if side.annotation.kind == DEPENDENCIES}
        crossing = _listed({name: int(one.with_gaps().sum()) for name, one in lifted.items()})
        if crossing:
            yield f"Non-projective sentences, lifted for TedEval and left as they are for uas and las: {crossing}."
    yield "Unlabelled TedEval is blind to which word heads a phrase."
    if any(_has_subtypes(side.annotation) for side in sides.values()):
        told = (
            "Relations keep their subtypes (nsubj:pass), in function trees as in uas, las and ls; clas, mlas and "
            "blex are without them, as in CoNLL 2018"
        )
        cut = "Relations are without their subtypes (nsubj for nsubj:pass), in function trees as in attachment scores"
        yield f"{told}; to cut them: --no-subtypes" if compared.how.subtypes else f"{cut}."


def _has_subtypes(annotation: Annotation) -> bool:
    return annotation.kind == DEPENDENCIES and any(
        ":" in name for name in annotation.corpus.column("DEPREL").vocabulary
    )


def _listed(numbers: dict[str, int]) -> str:
    """The numbers above 0."""
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items() if number)
