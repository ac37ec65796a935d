"""Everything that a task, a format, a measure, a slice or a renderer from outside assay's tree needs.

These names keep their meaning. docs/guide/plugins.md has an example of each.
"""

from assay.align import Pair
from assay.arrays import NONE
from assay.corpus import Column, Corpus, Marks
from assay.engine.counts import Counts, by_label, tally_outcomes
from assay.engine.items import Items
from assay.engine.matching import EXACT, Matches, Steps
from assay.engine.measure import F1, MATCHED, Macro, Proportion, Ratio, measure
from assay.engine.prepare import prepare_marks
from assay.engine.slices import SliceKind
from assay.engine.spanpairs import marks_of, match_by_key
from assay.engine.task import Drawing, Task, unit_places
from assay.errors import InputError, UsageError
from assay.formats import Format
from assay.formats.builder import Builder
from assay.formats.source import Source
from assay.result import Result

__all__ = [
    "EXACT",
    "F1",
    "MATCHED",
    "NONE",
    "Builder",
    "Column",
    "Corpus",
    "Counts",
    "Drawing",
    "Format",
    "InputError",
    "Items",
    "Macro",
    "Marks",
    "Matches",
    "Pair",
    "Proportion",
    "Ratio",
    "Result",
    "SliceKind",
    "Source",
    "Steps",
    "Task",
    "UsageError",
    "by_label",
    "marks_of",
    "match_by_key",
    "measure",
    "prepare_marks",
    "tally_outcomes",
    "unit_places",
]
