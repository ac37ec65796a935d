"""Tables about coreference: what is wrong with chains, and what no system resolves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from assay.render.spans import share_cell
from assay.render.table import Cell, Table, table
from assay.render.text import count
from assay.result import Result, Unresolved

TEXTS = 50
"""How many texts a table of mentions has at most."""
_LONGEST = 60
_MEASURE = "chains"
"""What types of errors in chains are given under."""


def chain_errors(result: Result) -> Iterator[Table]:
    """Kummerfeld and Klein's classes."""
    found = [row for row in result.error_types if row.measure == _MEASURE]
    kinds = list(dict.fromkeys(row.type for row in found))
    body: list[list[Cell | str]] = []
    for system, group in groupby(found, key=lambda row: row.system):
        by_type = {row.type: row for row in group}
        total = sum(row.count for row in by_type.values())
        body.append([system, count(total), *(share_cell(by_type[kind]) for kind in kinds)])
    yield table(
        "What is wrong with the chains",
        ["system", "errors", *(kind.replace("-", " ") for kind in kinds)],
        body,
        parts=("", "%"),
        notes=(
            "In brackets percent of the errors. span: the mention has another span in gold; merged, split: parts of "
            "other entities in a chain, chains that an entity is cut into, beyond the first; missing, extra: entities"
            " that one side has alone, and mentions that it has alone in an entity that both have.",
        ),
    )


def unresolved(result: Result, on: str, title: str) -> Table:
    """What nobody resolves by one measure, mentions of the same text together."""
    groups: dict[tuple[str, str], list[Unresolved]] = {}
    for row in result.unresolved:
        if row.on == on:
            groups.setdefault((row.text.lower(), row.label), []).append(row)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    body: list[list[Cell | str]] = [
        [_shortened(rows[0].text), label, rows[0].place, count(len(rows))] for (_, label), rows in ordered[:TEXTS]
    ]
    notes = ["Mentions of gold, those of the same text (in whatever case) together, with the place of the first."]
    if len(ordered) > TEXTS:
        notes.append(f"The {TEXTS} most frequent of {count(len(ordered))} texts.")
    return table(
        title,
        ["text", "type", "first", "mentions"],
        body,
        words=3,
        notes=tuple(notes),
        short=10,
        hint="All of them: --format json.",
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
