"""Tables and sentences that only Results about links have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from assay.arrays import NONE, Ints
from assay.engine.items import KINDS
from assay.engine.measure import find
from assay.engine.parts import LabelSums, Part, sum_by_label
from assay.engine.prepare import Run
from assay.engine.scores import Settings
from assay.result import Result, Table, kind_title
from assay.tasks.links.measures import FAIR, find_outcomes
from assay.tasks.links.mentions import TYPE, links_of, match_links, rank_candidates

_UNTYPED = "(none)"
_SETTINGS = {
    "strict": "the same place",
    "overlap": "overlapping places, paired one to one",
    "kept": "",
    "drop": "NIL left out on both sides",
    "only": "NIL mentions alone",
    "any": "",
    "same": "the same type",
}


def count_outcomes(run: Run, compares: bool) -> Mapping[str, LabelSums]:
    """Outcomes of gold's links by type, from each system to each other, and the number of right candidates."""
    first, rows = run.pairs[0][1], match_links(run.pairs[0][1], "fair")[0]
    column = links_of(first)[0].columns[TYPE]
    names = tuple(name or _UNTYPED for name in column.vocabulary)
    types = column.codes[rows]
    found: dict[str, LabelSums] = {}
    kinds: list[Ints] = []
    answers = []
    somewhere = np.zeros(len(rows), dtype=bool)
    for name, pair in run.pairs:
        golds, system, steps = matched = match_links(pair, "fair")
        kind, labels = find_outcomes(pair, matched), links_of(pair)[1].labels
        partner = np.append(system, NONE)[steps.partner]
        paired = np.flatnonzero(kind <= FAIR.index("nil-linked"))
        among = np.zeros(len(rows), dtype=bool)
        among[paired] = rank_candidates(pair, golds[paired], partner[paired]) != NONE
        somewhere |= among
        kinds.append(kind)
        answer = np.where(kind == 0, NONE, np.append(labels.codes, NONE)[partner])
        answers.append(np.array([*labels.vocabulary, ""], dtype=object)[answer])
        right = int((kind == 0).sum())
        found[f"candidates {name}"] = {"": {"links": len(rows), "first": right, "among": int(among.sum())}}
    right = int(np.any([kind == 0 for kind in kinds], axis=0).sum())
    found["candidates"] = {"": {"links": len(rows), "first": right, "among": int(somewhere.sum())}}
    systems = [name for name, _ in run.pairs]
    for a, b in combinations(range(len(systems)), 2) if compares else ():
        change = np.where(kinds[b] == 0, 0, np.where(kinds[a] == 0, 1, 2))
        differ = (kinds[a] != kinds[b]) | (answers[a] != answers[b])
        masks = {"links": rows >= 0, **{name: differ & (change == kind) for kind, name in enumerate(KINDS)}}
        found[f"changes {systems[a]}\t{systems[b]}"] = sum_by_label(names, types, masks)
    return found


def finish_links(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with tables of candidates and of changes by type."""
    sums = part.of_task
    rows, ranked, tables = [], False, []
    for name, row in sums.items():
        if name.startswith("candidates"):
            links, *right = row[""].values()
            ranked |= right[0] != right[1]
            shares = [number / links if links else float("nan") for number in right]
            rows.append((name.removeprefix("candidates").strip() or "any system", links, *shares))
    if len(rows) == 2:
        # One system is any system.
        rows = rows[:1]
    if ranked or len(rows) > 1:
        tables.append(
            Table(
                "Right candidates",
                ("system", "links", "first right", "some candidate right"),
                tuple(rows),
                ("text", "count", "percent"),
                after="bounds",
                notes=("Percentage of gold's links, for mentions at gold's place; any system: right in at least "
                "one.",),
            )
        )
    for name, row in sums.items():
        if name.startswith("changes "):
            a, b = name.removeprefix("changes ").split("\t")
            listed = sorted(row.items(), key=lambda one: (-one[1]["links"], one[0]))
            tables.append(
                Table(
                    f"Changes by type of mention, {a} → {b}",
                    ("type", "links", "corrections", "new errors", "changed errors"),
                    tuple((label, *numbers.values()) for label, numbers in listed),
                    ("text", "count"),
                    after="outcomes",
                    pair=(a, b),
                    notes=("Over gold's links, by the outcome of each (fair-links).",),
                )
            )
    # Pages show identifiers with the text of a mention, and as links if there is an address.
    return replace(result, tables=tuple(tables)).with_shown(remarks={"address": part.plan.options.id_url or ""})


def present_links(result: Result) -> Result:
    """The Result with what its measures mean, and with a table of the kinds of outcomes."""
    meanings = []
    for measure in filter(lambda one: one.name == "links", map(find, result.measures)):
        words = [_SETTINGS[str(measure.parameters[name])] for name in ("match", "types", "nil")]
        at = measure.parameters["at"]
        rank = "the first candidate right" if at == 1 else f"one of the first {at} candidates right"
        meanings.append(f"{measure.signature}: {', '.join(word for word in (words[0], rank, *words[1:]) if word)}.")
    kept = [table for table in result.tables if table.title != _KINDS]
    meanings += _documents(result)
    remarks = {"scores": " ".join(meanings)} if meanings else {}
    where = "agreement" if result.about.command == "agreement" else "further scores"
    remarks["agreement link-kappa"] = "identifiers"
    result = replace(result, tables=(*_outcomes(result, where), *kept))
    return result.with_shown(remarks={**result.shown.remarks, **remarks})


_KINDS = "Outcomes of links"
_NOTES = (
    "Percentages of all errors in brackets. At gold's place: TP, wrong-id, wrong-rank (the right identifier is "
    "a later "
    "candidate), nil-wrong (the system says NIL), nil-linked (gold says NIL). boundary: overlapping place, right "
    "identifier; boundary-wrong-id: overlapping place, wrong identifier.",
)


def _documents(result: Result) -> Iterator[str]:
    """The number of documents that means are over."""
    found: dict[str, list[str]] = {}
    for row in result.counts:
        if "documents-f1" in row.counts and row.slice is None and row.label is None:
            numbers = [row.counts[f"documents-{score}"] for score in ("f1", "precision", "recall")]
            text = f"{numbers[0]:,} (precision: {numbers[1]:,}, recall: {numbers[2]:,})"
            found.setdefault(text, []).append(f"{row.system} {row.measure}")
    if len(found) == 1:
        yield f"document-: mean over documents in which gold and system have links, {next(iter(found))}."
    elif found:
        listed = "; ".join(f"{', '.join(names)}: {text}" for text, names in found.items())
        yield f"document-: mean over documents in which gold and system have links, {listed}."


def _outcomes(result: Result, where: str) -> Iterator[Table]:
    """A table of the kinds that occur."""
    whole = [
        row for row in result.counts if row.measure == "fair-links" and row.label is None and row.slice is None
    ]
    kinds = [kind for kind in FAIR[1:] if any(row.counts[kind] for row in whole)]
    rows = []
    for row in whole:
        errors = sum(row.counts[kind] for kind in kinds)
        cells = [[row.counts[kind], row.counts[kind] / errors if errors else float("nan")] for kind in kinds]
        rows.append((row.system, row.counts["tp"], *cells))
    header = ("system" if where != "agreement" else "pair", "TP", *map(kind_title, kinds))
    # In a narrow terminal kinds at gold's place are a table of their own.
    cut = 2 + sum(kind in FAIR[: FAIR.index("boundary")] for kind in kinds)
    narrow = (
        Table(_KINDS, header[:cut], tuple(row[:cut] for row in rows), ("text", "count", "share"), after=where),
        Table(
            f"{_KINDS}, elsewhere",
            (header[0], *header[cut:]),
            tuple((row[0], *row[cut:]) for row in rows),
            ("text", "share"),
            after=where,
            notes=_NOTES,
        ),
    )
    yield Table(
        _KINDS,
        header,
        tuple(rows),
        ("text", "count", "share"),
        after=where,
        name="errors",
        narrow=narrow if 2 < cut < len(header) else (),
        notes=_NOTES,
    )
