"""Weights: how much each position of a tag counts, in all tags alike or given the part of speech."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import cast

from assay.errors import UsageError, unknown
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.tagsets.kinds import Feats, Msd, Separated

KINDS = ("wpa", "cwpa")
POS = "pos"
"""The name under which the part of speech stands among the categories."""
ANY = "*"
"""The entry for whatever a table does not list."""

Row = Mapping[str, Fraction]


@dataclass(frozen=True)
class Provenance:
    """Where weights come from, so that a file of them can be understood and made again."""

    source: str = ""
    unit: str = ""
    """What was counted or averaged over: queries, mentions, rules, running words, entries."""
    denominator: str = ""
    inputs: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    date: str = ""
    """The day on which the input file was last changed."""
    note: str = ""
    readings_per_word: str = ""
    """From ambiguity: how many readings a word has on average, as a fraction."""


@dataclass(frozen=True)
class Weights:
    """The weight of each category (`wpa`), or of each category given the part of speech (`cwpa`)."""

    kind: str
    w: Row | Mapping[str, Row]
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def rows(self) -> Mapping[str, Row]:
        """One row per part of speech; absolute weights are the row of any part of speech."""
        return cast(Mapping[str, Row], self.w) if self.kind == "cwpa" else {ANY: cast(Row, self.w)}

    def of(self, pos: str, category: str) -> Fraction | None:
        """The weight of a category in tags of a part of speech; `pos` is that of the part of speech itself.

        What is not listed has the weight of the nearest `*`: that of the same part of speech, then the category
        of any part of speech, then any of any. None where there is no such entry.
        """
        for name in (pos, ANY):
            row = self.rows.get(name, {})
            # Tagsets write Case or case; there is no other category that differs in this alone.
            for key in (category, category.lower(), ANY):
                if key in row:
                    return row[key]
        return None

    def normalised(self) -> Weights:
        """The weights scaled to sum 1, which changes no score; weights that are all 0 stay as they are."""
        total = sum((weight for row in self.rows.values() for weight in row.values()), Fraction(0))
        if not total:
            return self
        rows = {name: {key: weight / total for key, weight in row.items()} for name, row in self.rows.items()}
        return replace(self, w=rows if self.kind == "cwpa" else rows[ANY])


@dataclass(frozen=True)
class Made:
    """Weights made from data, and what the user should know about what was left out."""

    weights: Weights
    warnings: tuple[str, ...] = ()


def classes(tagset: Tagset) -> dict[str, tuple[str, ...]]:
    """The categories that each part of speech can have; empty where the tagset does not list them."""
    if isinstance(tagset, Separated):
        return {pos: tuple(attribute.name for attribute in found) for pos, found in tagset.pos.items()}
    return dict(tagset.positions) if isinstance(tagset, Msd) else {}


def categories(tagset: Tagset) -> tuple[str, ...]:
    """The categories a tagset can have; empty where tags bring their own."""
    if isinstance(tagset, Feats):
        return tuple(sorted(tagset.keep))
    return tagset.categories()


def no_category(name: str, tagset: Tagset, more: tuple[str, ...] = ()) -> UsageError:
    """The error for a category that the tagset does not have, with the nearest that it has."""
    return UsageError(f"tagset {tagset.name}: {unknown('category', name, (POS, *categories(tagset), *more))}")


def warnings(weights: Weights, tagset: Tagset | None = None) -> list[str]:
    """Parts of speech whose tags have no weight at all, and those that the tagset does not have."""
    listed = classes(tagset) if tagset else {}
    found = []
    if not any(weight for row in weights.rows.values() for weight in row.values()):
        return ["all weights are 0: identical tags score 1, all others 0."]
    weightless = [name for name in weights.rows if name != ANY and not any(weights.rows[name].values())]
    if listed:
        weightless = [
            name for name, own in listed.items() if not any(weights.of(name, category) for category in (POS, *own))
        ]
        foreign = [name for name in weights.rows if name != ANY and name not in listed]
        if tagset and foreign:
            found.append(f"the tagset {tagset.name} has no class {_some(foreign)}: these weights are never used.")
    if weightless:
        found.append(f"total weight 0 for class {_some(weightless)}: identical tags score 1, all others 0.")
    return found


def _some(names: list[str], most: int = 10) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
