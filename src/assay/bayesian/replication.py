"""Split by split: how often one system is significantly better, as Gorman and Bedrick (2019) counted it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.arrays import Floats
from assay.errors import InputError
from assay.experiment.runtables import PAIRS, Split, records, whole, word
from assay.result.posteriors import Replication
from assay.stats.significance import mcnemar

Discordant = Mapping[tuple[str, str, str, str, Split], tuple[int, int]]
"""By measure, data set, A, B and split: the items that only A, and that only B, has right; both ways round."""


def read_discordant(text: str, path: str) -> Discordant:
    """CSV or TSV text with a row for each measure, two systems and split."""
    found: dict[tuple[str, str, str, str, Split], tuple[int, int]] = {}
    for place, cells in records(path, text, PAIRS, f"The columns are {', '.join(PAIRS)}."):
        dataset, a, b, measure = (word(place, cells, name) for name in ("dataset", "a", "b", "measure"))
        split = Split(whole(place, cells, "repetition"), whole(place, cells, "fold"))
        only_a, only_b = whole(place, cells, "only_a"), whole(place, cells, "only_b")
        if (measure, dataset, a, b, split) in found:
            raise InputError(f"{place}: {measure} of {a} and {b} on {dataset} {split} stands here a second time.")
        found[measure, dataset, a, b, split] = only_a, only_b
        found[measure, dataset, b, a, split] = only_b, only_a
    return found


def replications(
    discordant: Discordant,
    measure: str,
    a: str,
    b: str,
    rows: Mapping[str, tuple[Sequence[Split], Floats]],
    alpha: float,
) -> Iterator[Replication]:
    """For each data set the splits in which B is ahead, and in how many the mid-p of McNemar's test says so.

    The level is divided by the number of splits (Bonferroni).
    """
    for dataset, (splits, differences) in rows.items():
        level = alpha / len(splits)
        known = [discordant.get((measure, dataset, a, b, split)) for split in splits]
        counts = [pair for pair in known if pair]
        significant = [pair for pair in counts if mcnemar(*pair)[1] < level]
        yield Replication(
            dataset=dataset,
            splits=len(splits),
            tested=len(counts),
            significantly_better=sum(only_b > only_a for only_a, only_b in significant),
            significantly_worse=sum(only_a > only_b for only_a, only_b in significant),
            better=int((differences > 0).sum()),
            worse=int((differences < 0).sum()),
            alpha=level,
        )
