"""Which value of a system answers for which of gold's: fields by their place, elements of lists one to one.

Elements are paired so that as many values as possible are right, and then so that as many as possible are paired.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import NONE
from assay.classes import dataclass
from assay.formats.grounding import fold_spelling
from assay.tasks.records.kinds import EXACT, NORMALISED, PARTIAL, TEXT, Readings, is_near, read_exactly, show_value
from assay.tasks.records.schema import IGNORE, KEY, LIST, OBJECT, ORDERED, SET, VALUE, Place, filler_in, path_of

RIGHT, WRONG, MISSING, SPURIOUS = OUTCOMES = ("right", "wrong", "missing", "spurious")
RETYPED, STRUCTURE, OUTSIDE = "retyped", "structure", "outside"
_SMALL = 8
"""So many elements on each side at most are paired in the order of gold if pairings are equally good."""

Path = tuple[str | int, ...]
"""Keys and numbers of elements, from the record down to a value."""
Weights = dict[tuple[int, int], tuple[int, int]]
"""The numbers of right and of wrong values of pairs of elements; what is not here cannot be paired."""


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
        self._inexact = frozenset(
            place.path
            for place in schema.walk()
            if match.match == PARTIAL or any(below.kind.is_tolerant for below in place.walk())
        )

    def compare(self, gold: Any, system: Any) -> list[ValueOutcome]:
        """The outcomes of all values of two records; a system without a record has none."""
        found: list[ValueOutcome] = []
        gold, system = (self._tidy(self.schema, one) for one in (gold, system))
        self._compare(self.schema, gold, system, (), (), found)
        return list(self._pair_flat(found)) if self._match.is_flat else found

    def _pair_flat(self, paired: Sequence[ValueOutcome]) -> Iterator[ValueOutcome]:
        """The values of each field as a bag, whatever objects they are in, paired so that the most are right."""
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
                yield one._replace(outcome=SPURIOUS, gold=None, at=())

    # --- what is there ---

    def _tidy(self, place: Place | None, value: Any) -> Any:
        """A value with None for all that is nothing or ignored, repetitions in sets included.

        The fields of objects are in the order of the schema, so that gold's values have one order for all systems.
        """
        if type(value) is not list:
            # One value for a list is a list of one.
            while place is not None and place.element is not None and IGNORE not in place.marks:
                place = place.element
        if place is not None and IGNORE in place.marks:
            return None
        if type(value) is str:
            if not value or value.isspace():
                return None
            filler = filler_in(value)
            if filler and (place is None or filler not in place.fillers):
                return None
            if place is None or place.form != OBJECT or not value.lstrip().startswith("{"):
                return value
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if type(value) is dict:
            fields = place.fields if place is not None else {}
            below = {key: self._tidy(fields[key], value[key]) for key in fields if key in value}
            below |= {key: self._tidy(None, one) for key, one in value.items() if key not in fields}
            return {key: one for key, one in below.items() if one is not None} or None
        if type(value) is list:
            element = place.element if place is not None and place.form == LIST else place
            members = [self._tidy(element, one) for one in value]
            if place is not None and place.listed == SET and element is not None and element.form == VALUE:
                seen: set[Any] = set()
                for number, one in enumerate(members):
                    if one is None:
                        continue
                    key = repr(one) if type(one) in (list, dict) else self._readings[element.path].read(one).key
                    members[number] = None if key in seen else one
                    seen.add(key)
            return members if any(one is not None for one in members) else None
        return None if type(value) is float and not math.isfinite(value) else value

    def _values(self, place: Place | None, value: Any, path: str, at: Path) -> Iterator[tuple[str, Any, Path, bool]]:
        """All values below a place: field, value, its place in the record, and whether the schema has the field."""
        if type(value) is list:
            element = place.element if place is not None and place.form == LIST else place
            path = path if place is not None and element is place else f"{path}[]"
            for number, one in enumerate(value):
                if one is not None:
                    yield from self._values(element, one, path, (*at, number))
            return
        while place is not None and place.element is not None:
            place, path = place.element, f"{path}[]"
        if type(value) is dict:
            fields = place.fields if place is not None else {}
            for key, one in value.items():
                yield from self._values(fields.get(key), one, path_of(path, key), (*at, key))
        else:
            yield path, value, at, place is not None and place.form == VALUE

    def _missing(self, place: Place, gold: Any, at: Path, found: list[ValueOutcome]) -> None:
        found += (ValueOutcome(MISSING, *row[:2], None, row[2]) for row in self._values(place, gold, place.path, at))

    def _spurious(
        self,
        place: Place | None,
        system: Any,
        path: str,
        at: Path,
        there: Path,
        found: list[ValueOutcome],
        note: str = "",
    ) -> None:
        for name, value, where, known in self._values(place, system, path, there):
            if known or note or self._match.keeps_outside:
                own = note or ("" if known else OUTSIDE)
                found.append(ValueOutcome(SPURIOUS, name, None, value, at, where, own))

    # --- places ---

    def _compare(
        self, place: Place, gold: Any, system: Any, at: Path, there: Path, found: list[ValueOutcome]
    ) -> None:
        """Add the outcomes at a place of gold's record (`at`) and the same of the system's (`there`)."""
        if system is None:
            if gold is not None:
                self._missing(place, gold, at, found)
        elif gold is None:
            self._spurious(place, system, place.path, at, there, found)
        elif place.form == LIST:
            self._compare_lists(place, gold, system, at, there, found)
        elif place.form == OBJECT:
            self._compare_objects(place, gold, system, at, there, found)
        else:
            self._compare_values(place, gold, system, at, there, found)

    def _compare_objects(
        self, place: Place, gold: Any, system: Any, at: Path, there: Path, found: list[ValueOutcome]
    ) -> None:
        if type(system) is list:
            # The object with the most right values, else the first.
            objects = [number for number, one in enumerate(system) if type(one) is dict]
            if objects:
                chosen = max(objects, key=lambda number: self._worth(place, gold, system[number])[0])
                self._add_others(place, system, chosen, at, there, found)
                system, there = system[chosen], (*there, chosen)
        if type(system) is not dict or type(gold) is not dict:
            self._missing(place, gold, at, found)
            self._spurious(None, system, place.path, at, there, found, STRUCTURE)
            return
        for key, below in place.fields.items():
            if key in gold or key in system:
                self._compare(below, gold.get(key), system.get(key), (*at, key), (*there, key), found)
        for key, value in system.items():
            if key not in place.fields:
                self._spurious(None, value, path_of(place.path, key), at, (*there, key), found)

    def _add_others(
        self, place: Place, listed: Sequence[Any], chosen: int, at: Path, there: Path, found: list[ValueOutcome]
    ) -> None:
        """Add the elements of a list that stand where one value is expected, but for the one that is taken for it."""
        for number, one in enumerate(listed):
            if number != chosen and one is not None:
                self._spurious(place, one, place.path, at, (*there, number), found, RETYPED)

    def _compare_values(
        self, place: Place, gold: Any, system: Any, at: Path, there: Path, found: list[ValueOutcome]
    ) -> None:
        note = ""
        if type(system) is list:
            note = RETYPED
            scalars = [
                number for number, one in enumerate(system) if one is not None and type(one) not in (list, dict)
            ]
            right = (number for number in scalars if self._is_right(place, gold, system[number]))
            chosen = next(right, scalars[0] if scalars else NONE)
            self._add_others(place, system, chosen, at, there, found)
            if chosen == NONE:
                self._missing(place, gold, at, found)
                return
            system, there = system[chosen], (*there, chosen)
        if type(system) is dict:
            self._missing(place, gold, at, found)
            self._spurious(None, system, place.path, at, there, found, STRUCTURE)
        elif self._is_right(place, gold, system):
            if not note and type(gold) is not type(system) and read_exactly(gold) != read_exactly(system):
                note = RETYPED
            found.append(ValueOutcome(RIGHT, place.path, gold, system, at, there, note))
        else:
            found.append(ValueOutcome(WRONG, place.path, gold, system, at, there, note))

    def _is_right(self, place: Place, gold: Any, system: Any) -> bool:
        return self._readings[place.path].is_right(gold, system, self._match.match, self._match.tolerance)

    def _worth(self, place: Place, gold: Any, system: Any) -> tuple[int, int]:
        """The numbers of right and of wrong values of a pair of elements; none if they may not be paired."""
        right = wrong = 0
        found: list[ValueOutcome] = []
        self._compare(place, gold, system, (), (), found)
        for outcome, field, *_ in found:
            if outcome == RIGHT:
                right += 1
            elif field in self._keys and "[]" not in field[len(place.path) :]:
                return 0, 0
            elif outcome == WRONG:
                wrong += 1
        return (right, wrong) if right else (0, 0)

    # --- lists ---

    def _compare_lists(
        self, place: Place, gold: Any, system: Any, at: Path, there: Path, found: list[ValueOutcome]
    ) -> None:
        element = place.element
        assert element is not None
        note = "" if type(system) is list else RETYPED
        # Positions and elements of both sides.
        (at_gold, golds), (at_system, systems) = (
            [*zip(*((number, one) for number, one in enumerate(listed) if one is not None), strict=True)]
            for listed in (one if type(one) is list else [one] for one in (gold, system))
        )
        weigh = self._weigh_values if element.form == VALUE else self._weigh_objects
        weights = weigh(element, golds, systems, is_ordered=place.listed == ORDERED)
        partners = dict(
            assign_in_order(weights, len(golds), len(systems)) if place.listed == ORDERED else assign(weights)
        )
        for number, (position, one) in enumerate(zip(at_gold, golds, strict=True)):
            begin, partner = len(found), partners.get(number)
            if partner is None:
                self._missing(element, one, (*at, position), found)
            else:
                where = (*there, at_system[partner])
                self._compare(element, one, systems[partner], (*at, position), where, found)
                if note:
                    found[begin:] = [outcome._replace(note=outcome.note or note) for outcome in found[begin:]]
        taken = {*partners.values()}
        for number, (position, other) in enumerate(zip(at_system, systems, strict=True)):
            if number not in taken:
                self._spurious(element, other, element.path, at, (*there, position), found, note)

    def _weigh_values(
        self, element: Place, golds: Sequence[Any], systems: Sequence[Any], *, is_ordered: bool
    ) -> Weights:
        """Pairs of scalars that are right, and those that may be wrong pairs: any two in order, else near texts."""
        weights: Weights = {}
        is_text = element.kind.name == TEXT
        for i, gold in enumerate(golds):
            for j, system in enumerate(systems):
                if type(system) in (list, dict):
                    continue
                if self._is_right(element, gold, system):
                    weights[i, j] = (1, 0)
                elif is_ordered or (
                    is_text and is_near(fold_spelling(show_value(gold)), fold_spelling(show_value(system)))
                ):
                    weights[i, j] = (0, 1)
        return weights

    def _weigh_objects(
        self, element: Place, golds: Sequence[Any], systems: Sequence[Any], *, is_ordered: bool
    ) -> Weights:
        """Pairs of objects, or of lists, that have a right value in common."""
        pairs = (
            (pair, self._worth(element, golds[pair[0]], systems[pair[1]]))
            for pair in self._candidates(element, golds, systems)
        )
        return {pair: worth for pair, worth in pairs if worth[0]}

    def _candidates(self, element: Place, golds: Sequence[Any], systems: Sequence[Any]) -> list[tuple[int, int]]:
        """The pairs of elements that may have a right value in common."""
        if element.path in self._inexact or len(golds) * len(systems) <= _SMALL:
            return [(i, j) for i in range(len(golds)) for j in range(len(systems))]
        index: defaultdict[Any, list[int]] = defaultdict(list)
        for i, gold in enumerate(golds):
            for key in self._keys_in(element, gold):
                index[key].append(i)
        # Values of another structure are not in the index.
        return sorted(
            {
                (i, j)
                for j, system in enumerate(systems)
                for numbers in (
                    map(index.get, self._keys_in(element, system)) if type(system) is dict else [range(len(golds))]
                )
                for i in numbers or ()
            }
        )

    def _keys_in(self, element: Place, value: Any) -> Iterator[tuple[str, Any]]:
        """The fields and values of an element; those that are right have the same, unless a match allows for more."""
        is_exact = self._match.match == EXACT
        for name, one, _, known in self._values(element, value, element.path, ()):
            if known:
                yield name, read_exactly(one) if is_exact else self._readings[name].read(one).key


# --- assignment ---


def assign(weights: Weights) -> list[tuple[int, int]]:
    """The pairs, one to one, with the largest sum of the first weight and then of the second.

    Of equally good pairings, the elements of gold in their order take the earliest partner if there are few of them.
    """
    best: dict[int, tuple[tuple[int, int], int]] = {}
    for (row, column), weight in weights.items():
        best[row] = max(best.get(row, ((0, 0), 0)), (weight, -column))
    if len({column for _, column in best.values()}) == len(best):
        # No pairing is better if each element of gold can have its best partner.
        return [(row, -column) for row, (_, column) in best.items()]
    components = _components(weights)
    if len(components) > 1:
        return [pair for own in components for pair in assign({pair: weights[pair] for pair in own})]
    from scipy.optimize import linear_sum_assignment

    rows, columns = (sorted({pair[side] for pair in weights}) for side in (0, 1))
    size = 1 + sum(wrong for _, wrong in weights.values())
    matrix = np.zeros((len(rows), len(columns)))
    for (row, column), (right, wrong) in weights.items():
        matrix[bisect_left(rows, row), bisect_left(columns, column)] = right * size + wrong
    if len(rows) > _SMALL or len(columns) > _SMALL:
        chosen = zip(*linear_sum_assignment(matrix, maximize=True), strict=True)
        return [(rows[row], columns[column]) for row, column in chosen if matrix[row, column] > 0]

    def best_sum(table: Any) -> float:
        return float(table[linear_sum_assignment(table, maximize=True)].sum())

    pairs, total = [], best_sum(matrix)
    for row in range(len(rows)):
        for column in np.flatnonzero(matrix[row] > 0).tolist():
            rest = matrix.copy()
            rest[row] = rest[:, column] = 0
            if matrix[row, column] + best_sum(rest) == total:
                pairs.append((rows[row], columns[column]))
                total -= float(matrix[row, column])
                matrix = rest
                break
        else:
            matrix[row] = 0
    return pairs


def _components(weights: Weights) -> list[list[tuple[int, int]]]:
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


def assign_in_order(weights: Weights, rows: int, columns: int) -> list[tuple[int, int]]:
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
