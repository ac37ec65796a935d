"""The scores of a comparison across frameworks: TedEval, and how far golds agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import Ints
from assay.corpus import Corpus
from assay.engine.counts import BLOCKS, Counts, Tallies, as_sums
from assay.engine.measure import Measure, find
from assay.engine.scores import Figures, Settings, draw_together
from assay.engine.shard import hashed_units
from assay.result import Overlap, Score
from assay.tasks.cross.comparison import Comparison, Theory, Version
from assay.tasks.cross.measures import Parse, tedeval


@dataclass(frozen=True, eq=False)
class Resampled:
    """What is resampled."""

    corpus: Corpus
    unit: str
    of_sentence: Ints
    number: int

    @classmethod
    def of(cls, corpus: Corpus, unit: str) -> Resampled:
        """Sentences or documents of a corpus."""
        of_sentence = corpus.unit_of_sentence(unit)
        return cls(corpus, unit, of_sentence, int(of_sentence.max(initial=-1)) + 1)

    @cached_property
    def blocks(self) -> Ints:
        """The block of each unit, where there are too many of them."""
        return np.arange(self.number) if self.number <= BLOCKS else hashed_units(self.corpus, self.unit)


@dataclass(frozen=True, eq=False)
class Named:
    """Figures of one measure under the name that tells its theory."""

    name: str
    figures: Figures

    def scores(self) -> Iterator[Score]:
        """The scores of all systems."""
        return (replace(row, measure=self.name) for row in self.figures.scores(labels=False))

    def counts_rows(self) -> Iterator[Any]:
        """The counts of all systems."""
        return (replace(row, measure=self.name) for row in self.figures.counts_rows())

    def comparisons(self) -> Iterator[Any]:
        """The tests of all pairs of systems."""
        return (replace(row, measure=self.name) for row in self.figures.comparisons())


def tedeval_measure(compared: Comparison, *, labelled: bool, single: bool = False) -> Measure:
    """TedEval as it was asked for, against all golds together or a single one."""
    gold = ", gold=single" if single else ""
    return find(f"tedeval(sizes={compared.how.sizes}, labelled={str(labelled).lower()}{gold})")


def tedeval_figures(compared: Comparison, units: Resampled, settings: Settings) -> list[Named]:
    """TedEval against all golds together and against each system's own, with and without labels."""
    parses = {version.title: _parse(compared, version, version.theory) for version in compared.versions}
    found = []
    for measure, name, versions in _asked(compared):
        counts = [
            (system, _counts(parses[version.title], measure).regrouped(units.of_sentence, units.number))
            for system, version in versions.items()
            if version.labelled or not measure.parameters["labelled"]
        ]
        if counts:
            tallies = Tallies.of(counts, measure.fields_read, lambda: units.blocks)
            found.append(Named(name, Figures(measure, None, tallies, settings)))
    draw_together(named.figures for named in found)
    return found


def _asked(compared: Comparison) -> Iterator[tuple[Measure, str, dict[str, Version]]]:
    """Each measure, its name, and the versions of systems that it is for."""
    for labelled in (True, False):
        measure = tedeval_measure(compared, labelled=labelled)
        yield measure, str(measure), {system.name: system.first for system in compared.systems}
    for labelled in (True, False):
        single = tedeval_measure(compared, labelled=labelled, single=True)
        for theory in compared.theories:
            yield single, f"{single}@{theory}", compared.versions_of(theory)


def _parse(compared: Comparison, measured: Version | Theory, gold: Theory) -> Parse:
    """What is measured; where sentences are cut into parts, these are no words."""
    sides = [np.diff(one.annotation.corpus.starts) for one in (measured, gold)]
    words = (sides[0], sides[1]) if compared.files.parts else None
    return Parse(measured.trees, gold.trees, compared.common, words)


def _counts(parse: Parse, measure: Measure) -> Counts:
    counts = tedeval(parse, **measure.parameters)
    assert isinstance(counts, Counts)
    return counts


def overlaps(compared: Comparison) -> Iterator[Overlap]:
    """How far two golds agree: the single score of one against the other, by the sizes asked for."""
    for a, b in combinations(compared.theories.values(), 2):
        for labelled in (True, False):
            measure = tedeval_measure(compared, labelled=labelled, single=True)
            counts = _counts(_parse(compared, a, b), measure)
            sums = as_sums(counts.total(), counts.fields)
            yield Overlap(a.name, b.name, labelled, float(measure.scores[measure.definition.main](sums)))
