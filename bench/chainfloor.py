"""The floor for coreference: read the files, count in plain Python and be done. Run: chainfloor.py KEY A [B]

No intervals, no checks; the assignment of chains is solved in each connected part of them, by scipy.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_BRACKET = re.compile(r"(\()?(\w+)(\))?")

Span = tuple[int, int]
Document = dict[Span, str]
"""The chain of each span."""
Cells = Mapping[tuple[str, str], int]
"""How many mentions a chain of the key and one of the response have in common."""


def read(path: str) -> Iterator[Document]:
    """The mentions of each document."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#begin"):
                found: Document = {}
                opened: dict[str, list[int]] = defaultdict(list)
                word = 0
            elif line.startswith("#end"):
                yield found
            elif line != "\n":
                cell = line.rsplit("\t", 1)[1]
                if cell != "-\n":
                    for begins, chain, ends in _BRACKET.findall(cell):
                        if begins:
                            opened[chain].append(word)
                        if ends:
                            found[opened[chain].pop(), word] = chain
                word += 1


# --- chain metrics ---


def counts(key: Document, response: Document) -> dict[str, float]:
    """What is counted in a document, by metric and field."""
    k, r = Counter(key.values()), Counter(response.values())
    cells = Counter((key[span], response[span]) for span in key.keys() & response.keys())
    found: dict[str, float] = {}
    for side, sizes, other in (("recall", k, r), ("precision", r, k)):
        place = 0 if side == "recall" else 1
        found[f"mentions {side}"] = found[f"b-cubed {side}"] = found[f"lea {side}"] = sum(sizes.values())
        found[f"ceaf-m {side}"] = sum(sizes.values())
        found[f"ceaf-e {side}"] = len(sizes)
        found[f"muc {side}"] = sum(sizes.values()) - len(sizes)
        found[f"b-cubed of {side}"] = sum(n * n / sizes[pair[place]] for pair, n in cells.items())
        found[f"lea of {side}"] = sum(_resolved(pair, n, sizes, other, place) for pair, n in cells.items())
        found[f"coreferent {side}"] = sum(map(_pairs, sizes.values()))
        found[f"apart {side}"] = _pairs(sum(sizes.values())) - found[f"coreferent {side}"]
    found["mentions"] = sum(cells.values())
    found["muc"] = sum(n - 1 for n in cells.values())
    found["ceaf-m"], found["ceaf-e"] = _aligned(cells, k, r)
    found["coreferent"] = sum(map(_pairs, cells.values()))
    rows, columns = Counter[str](), Counter[str]()
    for (chain, other_chain), n in cells.items():
        rows[chain] += n
        columns[other_chain] += n
    within = sum(map(_pairs, (*rows.values(), *columns.values())))
    found["apart"] = _pairs(sum(cells.values())) - within + found["coreferent"]
    return found


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _resolved(
    pair: tuple[str, str], shared: int, sizes: Mapping[str, int], others: Mapping[str, int], place: int
) -> float:
    """What two chains have in common adds to LEA, weighed by the size of the one that is asked for."""
    size = sizes[pair[place]]
    if size == 1:
        return float(others[pair[1 - place]] == 1)
    return size * _pairs(shared) / _pairs(size)


def _aligned(cells: Cells, k: Mapping[str, int], r: Mapping[str, int]) -> tuple[float, float]:
    """The best sums of shared mentions, and of their share in both chains, over one-to-one alignments."""
    mentions = entities = 0.0
    for part in _components(cells):
        mentions += _best(part, lambda pair: cells[pair])
        entities += _best(part, lambda pair: 2 * cells[pair] / (k[pair[0]] + r[pair[1]]))
    return mentions, entities


def _components(cells: Cells) -> Iterator[list[tuple[str, str]]]:
    near: dict[tuple[int, str], list[tuple[str, str]]] = defaultdict(list)
    for pair in cells:
        near[0, pair[0]].append(pair)
        near[1, pair[1]].append(pair)
    seen: set[tuple[str, str]] = set()
    for start in cells:
        if start in seen:
            continue
        seen.add(start)
        part, waiting = [], [start]
        while waiting:
            pair = waiting.pop()
            part.append(pair)
            for other in (*near[0, pair[0]], *near[1, pair[1]]):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        yield part


def _best(part: Sequence[tuple[str, str]], value: Callable[[tuple[str, str]], float]) -> float:
    if len(part) == 1:
        return value(part[0])
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    rows, columns = (
        {chain: number for number, chain in enumerate(dict.fromkeys(side))} for side in zip(*part, strict=True)
    )
    matrix = np.zeros((len(rows), len(columns)))
    for pair in part:
        matrix[rows[pair[0]], columns[pair[1]]] = value(pair)
    chosen = linear_sum_assignment(matrix, maximize=True)
    return float(matrix[chosen].sum())


def scores(sums: Mapping[str, float]) -> dict[str, float]:
    """F1 of all metrics."""
    found = {}
    for name in ("mentions", "muc", "b-cubed", "ceaf-m", "ceaf-e", "lea"):
        shares = [
            (sums[name] if name in sums else sums[f"{name} of {side}"]) / sums[f"{name} {side}"]
            for side in ("recall", "precision")
        ]
        found[name] = _harmonic(*shares)
    links = [
        2 * sums[name] / (sums[f"{name} recall"] + sums[f"{name} precision"]) for name in ("coreferent", "apart")
    ]
    found["blanc"] = sum(links) / 2
    found["conll"] = (found["muc"] + found["b-cubed"] + found["ceaf-e"]) / 3
    return found


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other)


# --- ARCS, any antecedent ---


def arcs(key: Document, response: Document) -> dict[Span, str]:
    """The class of each mention that has antecedents in the key or in the response."""
    known, resolved = _antecedents(key), _antecedents(response)
    found = {}
    for span in known.keys() | resolved.keys():
        if span not in known:
            found[span] = "fp"
        elif span not in resolved:
            found[span] = "fn"
        else:
            # One after the other, closest first: most mentions are decided by the first.
            right = any(key.get(other) == key[span] for other in reversed(resolved[span]))
            found[span] = "tp" if right else "wl"
    return found


def _antecedents(document: Document) -> dict[Span, tuple[Span, ...]]:
    before: dict[str, tuple[Span, ...]] = {}
    found = {}
    for span in sorted(document):
        chain = document[span]
        if chain in before:
            found[span] = before[chain]
        before[chain] = (*before.get(chain, ()), span)
    return found


def differences(key: Iterable[Document], a: Iterable[Document], b: Iterable[Document]) -> int:
    """How many mentions are of another class in b than in a."""
    number = 0
    for texts in zip(key, a, b, strict=True):
        one, other = (arcs(texts[0], response) for response in texts[1:])
        number += sum(one.get(span) != other.get(span) for span in one.keys() | other.keys())
    return number


def main() -> None:
    """Print F1 of each response and, of two, in how many mentions they differ."""
    key, *responses = ([*read(path)] for path in sys.argv[1:])
    found: dict[str, object] = {"scores": [], "different": None}
    rows = []
    for response in responses:
        sums: dict[str, float] = defaultdict(float)
        for texts in zip(key, response, strict=True):
            for name, number in counts(*texts).items():
                sums[name] += number
        rows.append(scores(sums))
    found["scores"] = rows
    if len(responses) == 2:
        found["different"] = differences(key, *responses)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
