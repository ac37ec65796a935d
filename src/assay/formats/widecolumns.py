"""Finds the annotators among the columns of a wide table, by the labels that columns share, never by place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from assay.corpus.ratings import parse_number, spell_number

MOST_NUMBERS = 20
"""More different numbers than this are measurements, which ages or lengths share with ratings by chance."""
_COMPLETE = 10
"""A column whose values occur as often as this on average has shown all of them."""
_OF_ITEMS = {
    *("age", "batch", "comment", "comments", "count", "difficulty", "document", "domain", "flag", "fold", "gender"),
    *("genre", "group", "id", "idx", "index", "lang", "language", "length", "line", "note", "notes", "page"),
    *("position", "round", "section", "sex", "source", "split", "subset", "text", "time", "topic", "turn"),
    *("version", "year"),
}
"""Usual names of columns that say something of the item; they are metadata, whatever their values are."""
_OF_ALL = {
    *("adjudicated", "adjudication", "consensus", "correct", "curated", "final", "gold", "gold_label", "label"),
    *("majority", "majority_label", "majority_vote", "reference", "target", "truth", "y_true"),
}
"""Usual names of columns that are made of the annotators' labels, or stand for their truth."""


def made_of_all(name: str) -> bool:
    """True if a column of this name is usually no annotator's but gold."""
    return _plain(name) in _OF_ALL


def find_annotators(
    header: Sequence[str], cells: Mapping[int, Sequence[str]], rows: int
) -> tuple[list[int], str]:
    """The columns of annotators among those whose filled cells are given, and why that is in doubt, if it is.

    Annotators are the columns of which each has at least half of its cells among the labels of another one, and the
    other way round. A column with few cells only needs half of them among all labels of the others.
    """
    given = {
        index: Counter(map(_spell, column))
        for index, column in cells.items()
        if column and _plain(header[index]) not in _OF_ITEMS and not _counts_rows(column, rows)
    }
    # A column with a number of its own in each row is an id, a rank, a measurement.
    candidates = [
        index
        for index, own in given.items()
        if not (1 < rows == len(own) and all(parse_number(cell) is not None for cell in own))
    ]
    groups = [[candidates[place] for place in group] for group in _group([given[index] for index in candidates])]
    if not groups:
        likely = sorted(given or cells, key=lambda index: (len({*cells[index]}) / max(len(cells[index]), 1), index))
        return sorted(likely[:2]), "no two columns share most of their labels, so it is unclear which are annotators"
    if len(groups) > 1:
        shown = " and ".join(_list_names(header[index] for index in group) for group in groups[:2])
        largest = max(groups, key=lambda group: (len(group), group))
        return largest, f"{shown} have different labels, so it is unclear which are annotators"
    core = groups[0]
    labels: Counter[str] = sum((given[index] for index in core), Counter())
    if len(labels) > MOST_NUMBERS and all(parse_number(label) is not None for label in labels):
        return core, f"more than {MOST_NUMBERS} different numbers may be ratings or metadata"
    unclear: list[int] = []
    for index in set(given).difference(core):
        own = given[index]
        if 2 * sum(own[label] for label in own.keys() & labels.keys()) >= own.total():
            few = own.total() < min(rows, _COMPLETE * len(own))
            (core if few else unclear).append(index)
    doubt = f"it is unclear if {_list_names(header[index] for index in sorted(unclear))} should count as annotator"
    return sorted(core), doubt if unclear else ""


def _spell(cell: str) -> str:
    """A cell as it is compared: equal numbers and labels in another case are equal here."""
    number = parse_number(cell)
    return cell.casefold() if number is None else spell_number(number)


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _counts_rows(column: Sequence[str], rows: int) -> bool:
    """True if a column counts the rows one by one, as an index does."""
    first = parse_number(column[0])
    if rows < 2 or len(column) < rows or first is None:
        return False
    return all(parse_number(cell) == first + place for place, cell in enumerate(column))


def _group(given: Sequence[Counter[str]]) -> list[list[int]]:
    """Groups of two or more columns, linked if at least half of the cells of each are labels of the other."""
    columns = Counter(label for own in given for label in own)
    shared = {label: place for place, label in enumerate(label for label, number in columns.items() if number > 1)}
    counts = np.zeros((len(given), len(shared)), dtype=np.float32)
    for row, own in enumerate(given):
        for label in own.keys() & shared.keys():
            counts[row, shared[label]] = own[label]
    totals = np.array([own.total() for own in given])
    linked = 2 * (counts @ (counts > 0).T) >= totals[:, None]
    linked &= linked.T.copy()
    groups, left = [], set(range(len(linked)))
    while left:
        group, new = set(), {min(left)}
        while new:
            group |= new
            new = set(np.flatnonzero(linked[sorted(new)].any(axis=0)).tolist()) - group
        left -= group
        groups += [sorted(group)] if len(group) > 1 else []
    return groups


def _list_names(names: Iterable[str]) -> str:
    shown = [name or '""' for name in names]
    return ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")
