"""Labels split into categories: each label is a set of tags, each tag has values at positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from assay.arrays import Array, Bools, Ints
from assay.classes import dataclass
from assay.corpus import SEVERAL
from assay.tasks.tags.tagsets import Tag, Tagset

POS = "pos"
ABSENT = "∅"


@dataclass(frozen=True, eq=False)
class Analysis:
    """A vocabulary of labels and their tags."""

    labels: tuple[str, ...]
    tagset: Tagset
    tags: tuple[Tag, ...]
    of_label: tuple[tuple[int, ...], ...]
    """Each label's tags; empty if the label means that there is no tag."""
    outside: tuple[int, ...]
    """Labels with a tag that the tagset does not know; such tags have no categories."""

    @classmethod
    def of(
        cls, labels: Sequence[str], tagset: Tagset, *, expand_optional: bool = False, empty: str | None = None
    ) -> Analysis:
        """Read every label once; `empty` is the mark of a cell without tags."""
        codes: dict[Tag, int] = {}
        of_label, outside = [], []
        for code, label in enumerate(labels):
            tags: list[Tag] = []
            for part in label.split(SEVERAL) if label not in ("", empty) else ():
                analyses = tagset.read(part, expand_optional=expand_optional)
                if not analyses and code not in outside:
                    outside.append(code)
                tags.extend(analyses or [Tag(part)])
            of_label.append(tuple(dict.fromkeys(codes.setdefault(tag, len(codes)) for tag in tags)))
        return cls(tuple(labels), tagset, tuple(codes), tuple(of_label), tuple(outside))

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """The part of speech, then every category that occurs, in the tagset's order."""
        occurring = dict.fromkeys(name for tag in self.tags for name, _ in tag.values)
        ordered = [name for name in self.tagset.categories() if name in occurring]
        return (POS, *ordered, *sorted(name for name in occurring if name not in ordered))

    @cached_property
    def values(self) -> Ints:
        """Codes of values, tags × positions; -1 if the tag has none."""
        codes: list[dict[str, int]] = [{} for _ in self.positions]
        place = {name: index for index, name in enumerate(self.positions)}
        table = np.full((len(self.tags), len(self.positions)), -1, dtype=np.int32)
        for row, tag in enumerate(self.tags):
            for name, value in ((POS, tag.pos), *tag.values):
                column = place[name]
                table[row, column] = codes[column].setdefault(value, len(codes[column]))
        return table

    def value_names(self, position: str) -> list[str]:
        """Value of each label at a position; `∅` if it has none."""
        names = []
        for tags in self.of_label:
            if position == POS:
                values = {self.coarse_pos(self.tags[tag]) for tag in tags}
            else:
                values = {value for tag in tags for name, value in self.tags[tag].values if name == position}
            names.append(SEVERAL.join(sorted(values)) or ABSENT)
        return names

    def coarse_pos(self, tag: Tag) -> str:
        """The part of speech of a tag; tags without parts may have one by their tagset."""
        return self.tagset.coarse_pos(tag.pos)


def score_tags(values: Ints, assigned: Ints, gold: Ints, weights: Array) -> tuple[Array, Array, Array]:
    """Precision, recall and F of assigned tags against gold tags, pair by pair (Acedański & Przepiórkowski 2010).

    `values` are tags × positions, and so are `weights`: those of the assigned tag are for precision, those of the
    gold tag for recall. The arithmetic is that of the weights: floats, or exact fractions in an array of objects.
    Identical tags score 1 with any weights; otherwise 0/0 counts as 0.
    """
    has_assigned, has_gold = values[assigned] >= 0, values[gold] >= 0
    hit = (values[assigned] == values[gold]) & has_assigned
    precision = _quotient((hit * weights[assigned]).sum(axis=1), (has_assigned * weights[assigned]).sum(axis=1))
    recall = _quotient((hit * weights[gold]).sum(axis=1), (has_gold * weights[gold]).sum(axis=1))
    score = _quotient(2 * precision * recall, precision + recall)
    same: Bools = np.asarray(assigned == gold)
    for result in (precision, recall, score):
        result[same] = 1
    return precision, recall, score


def _quotient(numerator: Array, denominator: Array) -> Array:
    result = numerator * 0
    defined = denominator != 0
    result[defined] = numerator[defined] / denominator[defined]
    return result
