"""Which value of a system answers for which of gold's: fields by their place, elements of lists one to one.

Elements are paired so that as many values as possible are right, and then so that as many as possible are paired.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from assay.classes import dataclass
from assay.formats.grounding import fold_spelling
from assay.tasks.records.kinds import EXACT, NORMALISED, PARTIAL, TEXT, Readings, is_near, read_exactly, show_value
from assay.tasks.records.schema import KEY, LIST, OBJECT, ORDERED, SET, VALUE, Place, filler_in, is_nothing, path_of

RIGHT, WRONG, MISSING, SPURIOUS = OUTCOMES = ("right", "wrong", "missing", "spurious")
RETYPED, STRUCTURE, OUTSIDE = "retyped", "structure", "outside"
_SMALL = 8
"""So many elements on each side at most are paired in the order of gold if pairings are equally good."""

Path = tuple[str | int, ...]
"""Keys and numbers of elements, from the record down to a value."""


class ValueOutcome(NamedTuple):
    """What became of one value."""

    outcome: str
    field: str
    gold: Any = None
    system: Any = None
    at: Path = ()
    """Its place in gold's record; for a spurious value, that of gold's object that it hangs on."""
    there: Path = ()
    """Its place in the system's record."""
    note: str = ""
    """retyped, structure, outside."""


@dataclass(frozen=True)
class Match:
    """How records are compared."""

    match: str = NORMALISED
    tolerance: float = 0.2
    keeps_outside: bool = True
    """False if fields outside the schema are not scored."""
    is_flat: bool = False
    """True if fields and values are compared, and no objects."""


class Comparer:
    """Compares records of one schema; values that occur often are read once."""

    def __init__(self, schema: Place, match: Match) -> None:
        self.schema, self._match = schema, match
        self._readings: dict[str, Readings] = {
            place.path: Readings(place.kind) for place in schema.walk() if place.form == VALUE
        }

        self._keys = frozenset(place.path for place in schema.walk() if KEY in place.marks)

    def compare(self, gold: Any, system: Any) -> list[ValueOutcome]:
        """The outcomes of all values of two records; a system without a record has none."""
        compared = self._compare_flat if self._match.is_flat else self._compare
        return list(compared(self.schema, gold, system, (), ()))

    def _compare_flat(self, place: Place, gold: Any, system: Any, at: Path, there: Path) -> Iterator[ValueOutcome]:
        """The values of each field as a bag, whatever objects they are in, paired so that the most are right."""
        paired = list(self._compare(place, gold, system, at, there))
        golds, systems = ([one for one in paired if one.outcome != other] for other in (SPURIOUS, MISSING))
        by_field: defaultdict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(systems):
            by_field[one.field].append(number)
        weights = {
            (row, number): (1, 0)
            for row, one in enumerate(golds)
            if (readings := self._readings.get(one.field)) is not None
            for number in by_field[one.field]
            if readings.is_right(one.gold, systems[number].system, self._match.match, self._match.tolerance)
        }
        partners = dict(assign(weights))
        taken = {*partners.values()}
        for row, one in enumerate(golds):
            if row in partners:
                other = systems[partners[row]]
                yield one._replace(outcome=RIGHT, system=other.system, there=other.there)
            else:
                yield one._replace(outcome=MISSING, system=None, there=())
        for number, one in enumerate(systems):
            if number not in taken:
                yield one._replace(outcome=SPURIOUS, gold=None, at=at)

    # --- what is there ---

    def _is_empty(self, place: Place, value: Any) -> bool:
        """True if a value of a system is nothing here, fillers included."""
        if is_nothing(value):
            return True
        while place.element is not None:
            place = place.element
        filler = filler_in(value)
        return bool(filler) and filler not in place.fillers

    def _values(self, place: Place | None, value: Any, path: str, at: Path) -> Iterator[tuple[str, Any, Path, bool]]:
        """All values below a place: field, value, its place in the record, and whether the schema has the field."""
        if is_nothing(value) or (place is not None and place.is_ignored):
            return
        if place is not None and place.element is not None and not isinstance(value, list):
            # One value for a list is a list of one.
            yield from self._values(place.element, value, f"{path}[]", at)
        elif isinstance(value, Mapping):
            # In the order of the schema, so that gold's values have the same order for every system.
            known = place.fields if place is not None and place.form == OBJECT else {}
            for key in sorted(value, key=[*known, *value].index):
                yield from self._values(known.get(key), value[key], path_of(path, key), (*at, key))
        elif isinstance(value, list):
            element = place.element if place is not None and place.form == LIST else None
            inside = f"{path}[]" if place is None or place.form == LIST else path
            listed = [(number, one) for number, one in enumerate(value) if not is_nothing(one)]
            if element is not None and element.form == VALUE and place is not None and place.listed == SET:
                listed = self._without_repeats(element, listed)
            for number, one in listed:
                below_place = element if element is not None else place if inside == path else None
                yield from self._values(below_place, one, inside, (*at, number))
        elif place is None or not self._is_empty(place, value) or value is None:
            yield path, value, at, place is not None and place.form == VALUE
        elif filler_in(value) in place.fillers:
            yield path, value, at, True

    def _missing(self, place: Place, gold: Any, at: Path) -> Iterator[ValueOutcome]:
        for name, value, where, _ in self._values(place, gold, place.path, at):
            yield ValueOutcome(MISSING, name, value, None, where)

    def _spurious(
        self, place: Place | None, system: Any, path: str, at: Path, there: Path, note: str = ""
    ) -> Iterator[ValueOutcome]:
        for name, value, where, known in self._values(place, system, path, there):
            if not known and not note and not self._match.keeps_outside:
                continue
            yield ValueOutcome(SPURIOUS, name, None, value, at, where, note or ("" if known else OUTSIDE))

    # --- places ---

    def _compare(self, place: Place, gold: Any, system: Any, at: Path, there: Path) -> Iterator[ValueOutcome]:
        """The outcomes at a place of gold's record (`at`) and the same of the system's (`there`)."""
        if place.is_ignored:
            return
        if is_nothing(gold):
            yield from () if self._is_empty(place, system) else self._spurious(place, system, place.path, at, there)
        elif self._is_empty(place, system):
            yield from self._missing(place, gold, at)
        elif place.form == LIST:
            yield from self._compare_lists(place, gold, system, at, there)
        elif place.form == OBJECT:
            yield from self._compare_objects(place, gold, system, at, there)
        else:
            yield from self._compare_values(place, gold, system, at, there)

    def _compare_objects(self, place: Place, gold: Any, system: Any, at: Path, there: Path) -> Iterator[ValueOutcome]:
        if isinstance(system, str) and system.lstrip().startswith("{"):
            with suppress(ValueError, RecursionError):
                system = json.loads(system)
        if isinstance(system, list):
            # The object with the most right values, else the first.
            scored = [
                (-self._worth(place, gold, one)[0], number)
                for number, one in enumerate(system)
                if isinstance(one, Mapping)
            ]
            if scored:
                _, chosen = min(scored)
                for number, one in enumerate(system):
                    if number != chosen:
                        yield from self._spurious(place, one, place.path, at, (*there, number), RETYPED)
                system = system[chosen]
                there = (*there, chosen)
        if not isinstance(system, Mapping) or not isinstance(gold, Mapping):
            yield from self._missing(place, gold, at)
            yield from self._spurious(None, system, place.path, at, there, STRUCTURE)
            return
        for key, below in place.fields.items():
            yield from self._compare(below, gold.get(key), system.get(key), (*at, key), (*there, key))
        for key, value in system.items():
            if key not in place.fields:
                yield from self._spurious(None, value, path_of(place.path, key), at, (*there, key))

    def _compare_values(self, place: Place, gold: Any, system: Any, at: Path, there: Path) -> Iterator[ValueOutcome]:
        note = ""
        if isinstance(system, list):
            note = RETYPED
            scalars = [
                (number, one)
                for number, one in enumerate(system)
                if not isinstance(one, list | Mapping) and not self._is_empty(place, one)
            ]
            right = (number for number, one in scalars if self._is_right(place, gold, one))
            chosen = next(right, scalars[0][0] if scalars else -1)
            for number, one in enumerate(system):
                if number != chosen:
                    yield from self._spurious(place, one, place.path, at, (*there, number), note)
            if chosen < 0:
                yield from self._missing(place, gold, at)
                return
            system, there = system[chosen], (*there, chosen)
        if isinstance(system, Mapping):
            yield from self._missing(place, gold, at)
            yield from self._spurious(None, system, place.path, at, there, STRUCTURE)
        elif self._is_right(place, gold, system):
            note = note or (
                RETYPED if type(gold) is not type(system) and read_exactly(gold) != read_exactly(system) else ""
            )
            yield ValueOutcome(RIGHT, place.path, gold, system, at, there, note)
        else:
            yield ValueOutcome(WRONG, place.path, gold, system, at, there, note)

    def _is_right(self, place: Place, gold: Any, system: Any) -> bool:
        return self._readings[place.path].is_right(gold, system, self._match.match, self._match.tolerance)

    def _worth(self, place: Place, gold: Any, system: Any) -> tuple[int, int]:
        """The numbers of right and of wrong values of a pair of elements; none if they may not be paired."""
        right = wrong = 0
        for one in self._compare(place, gold, system, (), ()):
            if one.outcome == RIGHT:
                right += 1
            elif one.field in self._keys and "[]" not in one.field[len(place.path) :]:
                return 0, 0
            elif one.outcome == WRONG:
                wrong += 1
        return (right, wrong) if right else (0, 0)

    # --- lists ---

    def _compare_lists(self, place: Place, gold: Any, system: Any, at: Path, there: Path) -> Iterator[ValueOutcome]:
        element = place.element
        assert element is not None
        note = "" if isinstance(system, list) else RETYPED
        sides = []
        for given, is_gold in ((gold, True), (system, False)):
            listed = given if isinstance(given, list) else [given]
            empty = is_nothing if is_gold else lambda one: self._is_empty(element, one)
            sides.append([(number, one) for number, one in enumerate(listed) if not empty(one)])
        if place.listed == SET and element.form == VALUE:
            sides = [self._without_repeats(element, side) for side in sides]
        golds, systems = sides
        ours, theirs = [one for _, one in golds], [one for _, one in systems]
        if element.form == VALUE:
            pairs = self._pair_in_order(element, ours, theirs) if place.listed == ORDERED else None
            pairs = self._pair_values(element, ours, theirs) if pairs is None else pairs
        else:
            pairs = self._pair_objects(element, ours, theirs, ordered=place.listed == ORDERED)
        taken = dict(pairs)
        partners = {*taken.values()}
        for number, (place_of, one) in enumerate(golds):
            if number in taken:
                where, other = systems[taken[number]]
                for outcome in self._compare(element, one, other, (*at, place_of), (*there, where)):
                    yield outcome._replace(note=outcome.note or note)
            else:
                yield from self._missing(element, one, (*at, place_of))
        for number, (where, other) in enumerate(systems):
            if number not in partners:
                yield from self._spurious(element, other, element.path, at, (*there, where), note)

    def _without_repeats(self, element: Place, side: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
        first: dict[Any, tuple[int, Any]] = {}
        for number, one in side:
            key = repr(one) if isinstance(one, list | Mapping) else self._readings[element.path].read(one).key
            first.setdefault(key, (number, one))
        return list(first.values())

    def _pair_values(self, element: Place, golds: Sequence[Any], systems: Sequence[Any]) -> list[tuple[int, int]]:
        """Pairs of scalars: right ones first, then near texts."""
        weights: dict[tuple[int, int], tuple[int, int]] = {}
        for i, gold in enumerate(golds):
            for j, system in enumerate(systems):
                if isinstance(system, list | Mapping):
                    continue
                if self._is_right(element, gold, system):
                    weights[i, j] = (1, 0)
                elif element.kind.name == TEXT and is_near(
                    fold_spelling(show_value(gold)), fold_spelling(show_value(system))
                ):
                    weights[i, j] = (0, 1)
        return assign(weights)

    def _pair_in_order(self, element: Place, golds: Sequence[Any], systems: Sequence[Any]) -> list[tuple[int, int]]:
        """Pairs of scalars that keep the order of both lists; any two may be a wrong pair."""
        weights = {
            (i, j): (1, 0) if self._is_right(element, gold, system) else (0, 1)
            for i, gold in enumerate(golds)
            for j, system in enumerate(systems)
            if not isinstance(system, list | Mapping)
        }
        return assign_in_order(weights, len(golds), len(systems))

    def _pair_objects(
        self, element: Place, golds: Sequence[Any], systems: Sequence[Any], *, ordered: bool
    ) -> list[tuple[int, int]]:
        """Pairs of objects, or of lists, that have a right value in common."""
        weights = {}
        for i, j in self._candidates(element, golds, systems):
            worth = self._worth(element, golds[i], systems[j])
            if worth[0]:
                weights[i, j] = worth
        return assign_in_order(weights, len(golds), len(systems)) if ordered else assign(weights)

    def _candidates(self, element: Place, golds: Sequence[Any], systems: Sequence[Any]) -> list[tuple[int, int]]:
        """The pairs of elements that may have a right value in common."""
        inexact = self._match.match == PARTIAL or any(place.kind.is_tolerant for place in element.walk())
        if inexact or len(golds) * len(systems) <= _SMALL:
            return [(i, j) for i in range(len(golds)) for j in range(len(systems))]
        sides: list[defaultdict[Any, dict[int, None]]] = []
        for side in (golds, systems):
            index: defaultdict[Any, dict[int, None]] = defaultdict(dict)
            for number, one in enumerate(side):
                for name, value, _, known in self._values(element, one, element.path, ()):
                    if known:
                        key = (
                            read_exactly(value)
                            if self._match.match == EXACT
                            else self._readings[name].read(value).key
                        )
                        index[name, key][number] = None
            sides.append(index)
        found = {(i, j) for key, own in sides[0].items() if key in sides[1] for i in own for j in sides[1][key]}
        # Objects in strings, and values of another structure, are not in the index.
        strange = [j for j, one in enumerate(systems) if not isinstance(one, Mapping)]
        return sorted(found | {(i, j) for i in range(len(golds)) for j in strange})


# --- assignment ---


def assign(weights: Mapping[tuple[int, int], tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs, one to one, with the largest sum of the first weight and then of the second.

    Of equally good pairings, the elements of gold in their order take the earliest partner if there are few of them.
    """
    pairs: list[tuple[int, int]] = []
    for component in _components(weights):
        rows, columns = (sorted({pair[side] for pair in component}) for side in (0, 1))
        if len(rows) == 1 or len(columns) == 1:
            pairs.append(min(component, key=lambda pair: (tuple(-one for one in weights[pair]), pair)))
            continue
        from scipy.optimize import linear_sum_assignment

        size = 1 + sum(weights[pair][1] for pair in component)
        matrix = np.zeros((len(rows), len(columns)))
        at_row = {row: number for number, row in enumerate(rows)}
        at_column = {column: number for number, column in enumerate(columns)}
        for row, column in component:
            right, wrong = weights[row, column]
            matrix[at_row[row], at_column[column]] = right * size + wrong

        def best(table: Any) -> float:
            chosen = linear_sum_assignment(table, maximize=True)
            return float(table[chosen].sum())

        if len(rows) <= _SMALL and len(columns) <= _SMALL:
            total = best(matrix)
            left = matrix.copy()
            for row in range(len(rows)):
                for column in np.flatnonzero(left[row] > 0).tolist():
                    rest = left.copy()
                    rest[row] = rest[:, column] = 0
                    if left[row, column] + best(rest) == total:
                        pairs.append((rows[row], columns[column]))
                        total -= float(left[row, column])
                        left = rest
                        break
                else:
                    left[row] = 0
        else:
            chosen = zip(*linear_sum_assignment(matrix, maximize=True), strict=True)
            pairs += [(rows[row], columns[column]) for row, column in chosen if matrix[row, column] > 0]
    return pairs


def _components(weights: Mapping[tuple[int, int], tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The pairs, in groups that share no element."""
    parent: dict[tuple[int, int], tuple[int, int]] = {}

    def find(node: tuple[int, int]) -> tuple[int, int]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for row, column in weights:
        parent[find((0, row))] = find((1, column))
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, column in weights:
        groups.setdefault(find((0, row)), []).append((row, column))
    return list(groups.values())


def assign_in_order(
    weights: Mapping[tuple[int, int], tuple[int, int]], rows: int, columns: int
) -> list[tuple[int, int]]:
    """The pairs that keep the order on both sides, with the largest sums of weights."""
    best = [[(0, 0)] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            options = [best[i + 1][j], best[i][j + 1]]
            if (i, j) in weights:
                after, own = best[i + 1][j + 1], weights[i, j]
                options.append((after[0] + own[0], after[1] + own[1]))
            best[i][j] = max(options)
    pairs = []
    i = j = 0
    while i < rows and j < columns:
        pair, after = weights.get((i, j)), best[i + 1][j + 1]
        if pair is not None and best[i][j] == (after[0] + pair[0], after[1] + pair[1]):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            i += 1
    return pairs
