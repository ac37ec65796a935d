"""The task of dependency trees."""

from __future__ import annotations

import numpy as np

from assay.arrays import Ints, count_heads_above
from assay.corpus import Corpus
from assay.engine.combined import with_heads
from assay.engine.lexicon import find_bands
from assay.engine.slices import SliceKind, Values
from assay.engine.task import Annotators, Task
from assay.engine.treebanks import mask_nonprojective
from assay.errors import UsageError
from assay.result import Result
from assay.tasks.dependencies import measures
from assay.tasks.dependencies.drawing import ARCS
from assay.tasks.dependencies.prepare import prepare_dependencies

DISTANCES = ((0, "root"), (1, "1"), (2, "2"), (6, "3-6"))
DEPTHS = ("root", "1", "2", "3", "4", "5 or more")
DIRECTIONS = ("root", "head to the left", "head to the right")


def _arc_distance(corpus: Corpus) -> Values:
    heads = _heads(corpus, "distance")
    distances = np.where(heads < 0, 0, np.abs(heads - np.arange(len(heads))))
    return find_bands(distances, DISTANCES), (*(name for _, name in DISTANCES), "7 or more")


def _arc_direction(corpus: Corpus) -> Values:
    heads = _heads(corpus, "direction")
    return np.where(heads < 0, 0, np.where(heads < np.arange(len(heads)), 1, 2)), DIRECTIONS


def _heads(corpus: Corpus, spec: str) -> Ints:
    if corpus.heads is None:
        raise UsageError(f"--slice {spec} is for arcs, but no dependencies are compared. Give --task dependencies")
    return corpus.heads


def _projectivity(gold: Corpus, _: str) -> Values:
    _heads(gold, "projectivity")
    return mask_nonprojective(gold).astype(np.int64), ("projective", "non-projective")


SLICES = (
    SliceKind("distance", "words from head to dependent", of_arcs=_arc_distance),
    SliceKind("direction", "root, head to the left or to the right", of_arcs=_arc_direction),
    SliceKind(
        "depth",
        "number of heads above the word",
        of_arcs=lambda corpus: (np.minimum(count_heads_above(_heads(corpus, "depth")), 5), DEPTHS),
    ),
    SliceKind("projectivity", "sentences whose gold tree is projective or not", of_sentences=_projectivity),
)


def _present(result: Result) -> Result:
    """The Result with what its confusions mean: answers are heads and relations together."""
    remarks = {
        "confusion same": "The same on both sides: the head is wrong.",
        "confusion nothing": "∅: the other side has no such word.",
        "confusion page": "; same label: wrong head",
    }
    return result.with_shown(remarks=remarks)


CONLL18 = (
    *("las", "mlas", "blex", "uas", "clas", "tokens", "sentences", "words"),
    *("accuracy(column=UPOS)", "accuracy(column=XPOS)", "ufeats", "alltags", "accuracy(column=LEMMA)"),
)
"""The measures of the CoNLL 2018 shared task, those that ranked its systems first."""

TASK = Task(
    name="dependencies",
    combined=with_heads,
    noun="word",
    measures=(measures,),
    defaults=("las", "uas"),
    judges_too=("tags",),
    presets={"conll18": CONLL18},
    agreement=("uas", "las"),
    annotators=Annotators(by_place=True),
    prepare=prepare_dependencies,
    options=("train", "lexicon", "oov_fold_case", "labels", "ignore_labels", "preset", "repair"),
    slices=SLICES,
    drawing=ARCS,
    combination={"las": "tree", "uas": "tree"},
    present=_present,
    traits=("whole sentences", "in pieces"),
)
