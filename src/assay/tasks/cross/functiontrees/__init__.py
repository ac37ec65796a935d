"""Function trees: what trees of any framework say about grammatical functions, and how far two of them are apart.

A multi-function tree is a set of yields (the words below a node), each with its set of labels. Dependencies and
phrase structure become such trees; those of several golds are generalised to what they agree on; the edits that turn
one tree into another are the units that one has and the other has not.
"""

from __future__ import annotations

from assay.tasks.cross.functiontrees.edits import (
    SIZES,
    Description,
    Edits,
    delta,
    describe,
    edits,
    norm,
    sentence_scores,
)
from assay.tasks.cross.functiontrees.overlay import Overlay, Units, generalise, overlay, subsumes, tl_unify, unify
from assay.tasks.cross.functiontrees.projective import projectivised
from assay.tasks.cross.functiontrees.trees import (
    Functions,
    FunctionTrees,
    absent_in,
    from_dependencies,
    from_nodes,
    from_relational_realizational,
    recut,
)
from assay.tasks.cross.functiontrees.yields import Yields

__all__ = [
    "SIZES",
    "Description",
    "Edits",
    "FunctionTrees",
    "Functions",
    "Overlay",
    "Units",
    "Yields",
    "absent_in",
    "delta",
    "describe",
    "edits",
    "from_dependencies",
    "from_nodes",
    "from_relational_realizational",
    "generalise",
    "norm",
    "overlay",
    "projectivised",
    "recut",
    "sentence_scores",
    "subsumes",
    "tl_unify",
    "unify",
]
