"""Tables of items: which column is what, and whether a file has items or words."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from assay.arrays import Bools, Floats
from assay.classes import dataclass
from assay.corpus import SEVERAL, Column
from assay.corpus.items import ItemTable
from assay.errors import InputError, UsageError, unknown
from assay.formats.arrow import TABLES
from assay.formats.builder import Builder
from assay.formats.columns import WORDS, is_comment, name_of_tag
from assay.formats.schemes import looks_like_tags
from assay.formats.source import Source
from assay.formats.table import CellTable, find_separator, plain_name, read_cells
from assay.formats.whose import Asked
from assay.specs import whole_number

FORMAT = "items"
PARAMETERS = {
    **dict.fromkeys(("id", "label", "text", "confidence", "system", "run", "sets", "order", "missing"), ""),
    **dict.fromkeys(("alternatives", "sep"), ""),
    "header": "auto",
}
PARAMETER_HELP = (
    "id, label, text, confidence, system, run: columns by name or number, several joined by +; confidence=exp:NAME: "
    "a logarithm; sets, alternatives: what divides a cell into the labels of a set, or into labels of which any is "
    "right; order: of labels, e.g. low<middle<high; missing: a further mark of missing labels; sep: comma, "
    "semicolon, tab or space, if the first line does not show it; header: whether the first line names the columns"
)
IDS = (
    *("id", "item", "item_id", "uid", "guid", "idx", "index", "qid", "question_id", "example_id", "sample_id"),
    *("doc_id", "pair_id", "key"),
)
GOLD = (
    *("gold", "gold_label", "label", "labels", "target", "class", "category", "y_true", "truth", "answer", "rating"),
)
SYSTEM = ("prediction", "predictions", "pred", "predicted", "y_pred", "output", "verdict", "answer", "response")
_TEXTS = (
    *("text", "sentence", "premise", "hypothesis", "sentence1", "sentence2", "question", "input", "prompt", "review"),
    *("utterance", "unit1_txt", "unit2_txt"),
)
CONFIDENCES = ("confidence", "conf", "prob", "probability", "p")
_SCORE = "score"
SYSTEMS, RUNS = ("system", "model"), ("run", "seed", "epoch")
KEYS = frozenset((*IDS, *GOLD, *SYSTEM))
"""Names of columns that show items in a header, or in an object of JSON."""
_NAMES = KEYS | {*_TEXTS, *CONFIDENCES, _SCORE, *SYSTEMS, *RUNS}
PROBABILITY, _LOGARITHM = "p:", "exp:"
_SHARE = re.compile(r"(?i)(p|probs?|probability|proba|conf|confidence|score)[ _.-](.+)")
"""A column that may have the probability of a label, such as prob_cat."""
_LIKE_MISSING = ("NA", "None", "null", "nan", "NaN", "NULL")
_SEVERAL = (list, tuple, set, frozenset)
_NULL = "\0"
"""A cell without a value; no text has this character."""
_MOST = 12
"""So many columns are listed."""
_FEW = 50
"""The most rows without an empty line that are read as one sentence."""
_MUCH = 60_000
"""First lines of more characters than this are hardly the whole file."""
_MANY = 50
"""The number of rows from which different first cells are hardly words."""
_WITH_SPANS = re.compile(r"^\s*[\[{]|</\w+>")
_SPANS_IN_CELL = re.compile(r"""\s*\[\s*(?:[\[(]\s*\d+\s*,\s*\d+\s*,|\{[^}]*["']start)""")
_OF_PRODIGY, _ACCEPTED = "_input_hash", "accept"
_OF_WORDS = frozenset(
    {"annotations", "clusters", "entities", "ents", "relations", "sentences", "spans", "tokens", "words"}
    | {"tokenized_text"}
)
"""Keys of JSON that documents have and items do not."""


# --- which column is what ---


@dataclass(frozen=True)
class Roles:
    """The columns of a table, by their places."""

    label: int | None = None
    ids: tuple[int, ...] = ()
    texts: tuple[int, ...] = ()
    confidence: int | None = None
    shares: Mapping[str, int] = field(default_factory=dict)
    """The columns of the probabilities of labels."""
    targets: int | None = None
    """Gold's labels in a system's table."""
    scores: tuple[int, ...] = ()
    """Numbers that say how good each answer is."""

    def groups(self) -> dict[str, tuple[int, ...]]:
        """The columns of each role, by what users call it."""
        label, confidence, targets = (
            () if place is None else (place,) for place in (self.label, self.confidence, self.targets)
        )
        sure = (*confidence, *self.shares.values())
        label = () if {*label} <= {*self.scores} else label
        named = {"ids": self.ids, "labels": label, "scores": self.scores, "confidences": sure}
        return {**named, "gold's labels": targets, "texts": self.texts}

    def places(self) -> set[int]:
        """All columns that have a role."""
        return {*chain.from_iterable(self.groups().values())}


def find_roles(table: CellTable, given: Mapping[str, Any], asked: Asked, column: str | None = None) -> Roles:
    """The columns of a table that have a role, by their names or as the user says; an error if it is unclear."""
    _refuse_rejected(table)
    wanted = asked.id or given["id"]
    ids = _locate_several(table, "" if wanted == "none" else wanted)
    if not wanted and (several := table.among(IDS)):
        ids = (_choose_id(table, several),)
    label, targets = _find_label(table, column or given["label"], asked)
    if not table.names and label is None:
        label, ids = _guess_columns(table, ids, said=bool(wanted))
    shares = {
        name.strip().removeprefix(PROBABILITY): place
        for place, name in enumerate(table.names)
        if name.strip().startswith(PROBABILITY) and asked.may_answer
    }
    confidence: int | None = None
    if given["confidence"]:
        confidence = table.locate(given["confidence"].removeprefix(_LOGARITHM))
    elif asked.may_answer and not shares:
        candidates = table.among(CONFIDENCES) or (table.among((_SCORE,)) if label is not None else [])
        candidates = [place for place in candidates if place != label]
        if len(candidates) > 1:
            shown = _list(table, candidates, " or ")
            raise InputError(
                f'{table.path}: the confidence may be in {shown}. Choose one: --input-format "items(confidence='
                f'{table.name(candidates[0])})"'
            )
        confidence = next(iter(candidates), None)
    if label is None and confidence is None and not shares:
        side = "a system's labels" if asked.is_system else "gold's labels"
        own = f"{asked.name}=" if asked.name else ""
        if asked.may_answer and (hint := hint_confidences(table.names, own)):
            raise InputError(f"{table.path}: no column has a system's labels. {hint}")
        raise InputError(
            f"{table.path}: no column is called like {side} ({', '.join((SYSTEM if asked.is_system else GOLD)[:4])}"
            f" …). Name it: --column {own}{_example(table, ids)}. Available: {_list(table)}."
        )
    if label is not None and (spans := _find_spans(table.columns[label])) is not None:
        raise InputError(
            f"{table.place(spans)}: {table.name(label)} contains spans, but a row of a table is an item with "
            "a label. Export JSON from the annotation tool: its spans are read."
        )
    texts = _locate_several(table, given["text"])
    if not texts:
        taken = {label, targets, confidence, *ids}
        rest = [place for place in range(len(table.columns)) if place not in taken]
        usual = {*table.among(_TEXTS)}
        texts = tuple(place for place in rest if place in usual or (not table.names and len(rest) == 1))
    return Roles(label, ids, texts, confidence, shares, targets)


def _refuse_rejected(table: CellTable) -> None:
    """Refuse answers of Prodigy that do not accept a label."""
    if not {_OF_PRODIGY, "answer"} <= {*table.names}:
        return
    answers = Counter(map(str, table.columns[table.locate("answer")]))
    if others := ", ".join(f"{name} ({number:,})" for name, number in answers.items() if name != _ACCEPTED):
        raise InputError(
            f"{table.path}: answers of Prodigy that accept no label: {others}. Leave these rows out, or give "
            "each the label that it stands for."
        )


def _find_spans(cells: Sequence[Any]) -> int | None:
    """The first row with a list of spans as annotation tools write it into a cell; None if there is none."""
    # A label is in many cells: each text is looked at once.
    try:
        texts = {*cells}
    except TypeError:
        texts = {cell for cell in cells if isinstance(cell, str)}
    if not (lists := {text for text in texts if isinstance(text, str) and _SPANS_IN_CELL.match(text)}):
        return None
    return next(row for row, cell in enumerate(cells) if isinstance(cell, str) and cell in lists)


def hint_confidences(names: Sequence[str], system: str = "") -> str:
    """What to do if columns are called like confidences, but are not read as such; empty if none is.

    `system` is its name before an equals sign.
    """
    if shares := [found for name in names if (found := _SHARE.fullmatch(name.strip()))]:
        renamed = ", ".join(f"{found[0]} p:{found[2]}" for found in shares[:3])
        return f"If columns have the probabilities of labels, call {renamed}{' …' * (len(shares) > 3)}"
    score = next((name for name in names if plain_name(name) == _SCORE), None)
    if score is None:
        return ""
    given = f'"{system}items(confidence={score})"'
    return f"If column {score} has confidences: --input-format {given}; if answers: --column {system}{score}"


def _locate_several(table: CellTable, names: str) -> tuple[int, ...]:
    """The columns whose names are joined by + or commas."""
    return tuple(table.locate(name.strip()) for name in re.split("[,+]", names)) if names else ()


def _choose_id(table: CellTable, candidates: Sequence[int]) -> int:
    """The column of ids: the one called `id`, or the only one whose cells are all different."""
    if len(candidates) == 1 or plain_name(table.names[candidates[0]]) == "id":
        return candidates[0]
    different = [place for place in candidates if len({*map(str, table.columns[place])}) == len(table)]
    if len(different) != 1:
        raise InputError(
            f"{table.path}: the ids may be in {_list(table, candidates, ' or ')}. Choose one: --id "
            f"{table.name((different or candidates)[0])}; --id none matches by order."
        )
    return different[0]


def _find_label(table: CellTable, column: str, asked: Asked) -> tuple[int | None, int | None]:
    """The column of labels, and that of gold's labels in a system's table."""
    of_gold, of_system = table.among(GOLD), table.among(SYSTEM)
    if _OF_PRODIGY in table.names:
        # Prodigy's answer says what became of the label; a choice is in `accept`.
        answer = table.among(("answer",))
        of_gold = [place for place in of_gold if place not in answer] or table.among((_ACCEPTED,))
        of_system = [place for place in of_system if place not in answer]
    candidates = of_gold if asked.name == "gold" and not asked.among_annotators else of_system or of_gold
    if column:
        candidates = [table.locate(column)]
    if len(candidates) > 1:
        side = asked.name or "the label"
        shown = table.name(candidates[0])
        option = f"--column {shown}" if side in ("gold", "the label") else f"--column {side}={shown}"
        raise InputError(f"{table.path}: {side} may be {_list(table, candidates, ' or ')}. Choose one: {option}.")
    label = next(iter(candidates), None)
    # If the answers are in a column called as gold's, an `answer` beside it need not be gold's.
    rest = [place for place in of_gold if place != label and not (label in of_gold and place in of_system)]
    return label, rest[0] if asked.may_answer and len(rest) == 1 else None


def _guess_columns(table: CellTable, ids: tuple[int, ...], *, said: bool) -> tuple[int, tuple[int, ...]]:
    """The label of a table without a header: its only column, or the second one after an id or a text."""
    width = len(table.columns)
    if width > 2:
        raise InputError(
            f"{table.path}: {width} columns without names. Name them, e.g. --input-format "
            f'"items(id=1, label={width})".'
        )
    if width == 1:
        return 0, ids
    cells = table.columns[0]
    is_id = len({*cells}) == len(cells) and not any(" " in cell.strip() for cell in cells)
    return 1, ids if said or not is_id else (0,)


def _list(table: CellTable, places: Sequence[int] | None = None, joint: str = ", ") -> str:
    """The names of columns, or of all."""
    places = range(len(table.columns)) if places is None else places
    return joint.join([*map(table.name, places[:_MOST]), *(["…"] if len(places) > _MOST else [])])


def _example(table: CellTable, ids: Sequence[int]) -> str:
    """A column that may have the labels: the last one that is neither an id nor the probability of a label."""
    names = (table.name(place) for place in reversed(range(len(table.columns))) if place not in ids)
    return next((name for name in names if not name.startswith(PROBABILITY)), "NAME")


# --- from columns to items ---


def make_items(
    table: CellTable,
    roles: Roles,
    given: Mapping[str, Any],
    *,
    sha256: str = "",
    form: str = FORMAT,
    hidden: Collection[int] = (),
) -> ItemTable:
    """The items of a table, whose columns have these roles; others are metadata unless they are hidden."""
    number, is_set, several = len(table), bool(given["sets"]), given["sets"] or given["alternatives"]
    labels = Column(np.zeros(number, dtype=np.int32), ("",))
    missing: Bools = np.ones(number, dtype=bool)
    shares, confidence = None, None
    warnings: list[str] = []
    if roles.label is not None:
        cells = table.columns[roles.label]
        if table.typed and any(isinstance(cell, Mapping) for cell in cells):
            shares, cells = _take_shares(table, cells), [None] * number
        is_set = is_set or (table.typed and any(isinstance(cell, _SEVERAL) for cell in cells))
        labels, missing = _code_labels(_spell(table, cells), given["missing"], several, is_set=is_set)
        if not is_set:
            warnings += _warn_of_marks(labels, given["missing"])
        _check_order(table, labels, missing, given["order"])
    if roles.confidence is not None:
        cells = table.columns[roles.confidence]
        if table.typed and any(isinstance(cell, Mapping) for cell in cells):
            shares = _take_shares(table, cells)
        else:
            confidence = read_numbers(table, roles.confidence)
            confidence = np.exp(confidence) if given["confidence"].startswith(_LOGARITHM) else confidence
    if roles.shares:
        names = tuple(sorted(roles.shares))
        shares = names, np.stack([read_numbers(table, roles.shares[name]) for name in names], axis=1)
    if shares is not None and missing.all():
        # The highest is the answer; of equal ones, the first by name.
        missing = np.asarray(np.isnan(shares[1]).any(axis=1))
        codes = np.where(missing, len(shares[0]), np.argmax(np.nan_to_num(shares[1], nan=-np.inf), axis=1))
        labels = Column(codes.astype(np.int32), (*shares[0], ""))
    targets = None
    if roles.targets is not None:
        targets, _ = _code_labels(
            _spell(table, table.columns[roles.targets]), given["missing"], several, is_set=is_set
        )
    taken = roles.places()
    rest = [place for place in range(len(table.columns)) if place not in taken and place not in hidden]
    return ItemTable(
        path=table.path,
        format=form,
        sha256=sha256,
        labels=labels,
        missing=missing,
        ids=_join_ids(table, roles.ids) if roles.ids else None,
        texts={table.name(place): _texts(table, place) for place in roles.texts},
        metadata={
            table.name(place) if table.names else f"column {place + 1}": Column.of(_texts(table, place))
            for place in rest
        },
        lines=table.lines if table.lines.any() else None,
        sets=is_set,
        alternatives=bool(given["alternatives"]),
        order=parse_order(given["order"]),
        confidence=confidence,
        shares=shares,
        targets=targets,
        scores={table.name(place): read_numbers(table, place) for place in roles.scores},
        notes=(_describe(table, roles, rest),),
        warnings=tuple(warnings),
    )


def _texts(table: CellTable, place: int) -> Sequence[str]:
    """The cells of a column as texts; a missing one is empty."""
    cells = table.columns[place]
    return [to_text(cell) or "" for cell in cells] if table.typed else cells


def to_text(value: Any) -> str | None:
    """A value as a text; None if it is missing."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)


def _join_ids(table: CellTable, places: Sequence[int]) -> list[str]:
    """The id of each item; several columns are joined by a slash, and an empty one is an error."""
    columns = [[*map(str.strip, _texts(table, place))] for place in places]
    for place, cells in zip(places, columns, strict=True):
        if "" in cells:
            row = cells.index("")
            raise InputError(
                f"{table.place(row)}: the id in column {table.name(place)} is empty. --id none matches by order."
            )
    return columns[0] if len(columns) == 1 else ["/".join(parts) for parts in zip(*columns, strict=True)]


def _spell(table: CellTable, cells: Sequence[Any]) -> Sequence[str]:
    """Labels of JSON as texts: sets have their members in order, and a missing one is NULL."""
    if not table.typed:
        return cells
    spelled = []
    for row, cell in enumerate(cells):
        if isinstance(cell, _SEVERAL):
            members = [to_text(member) for member in cell]
            if any(
                member is None or isinstance(given, list | dict) for member, given in zip(members, cell, strict=True)
            ):
                raise InputError(f"{table.place(row)}: a list of labels has texts and numbers only.")
            spelled.append(SEVERAL.join(sorted({member.strip() for member in members if member is not None})))
        else:
            text = to_text(cell)
            spelled.append(_NULL if text is None else text)
    return spelled


def _code_labels(cells: Sequence[str], mark: str, separator: str, *, is_set: bool) -> tuple[Column, Bools]:
    """Labels without the white space around them, and a mask of those that are missing."""
    raw = Column.of(cells)
    plain = {text: text.strip() for text in raw.vocabulary}
    gone = [text for text, label in plain.items() if text == _NULL or (label == mark if label else not is_set)]
    if separator:
        plain = {
            text: SEVERAL.join(sorted({part.strip() for part in label.split(separator)} - {""}))
            for text, label in plain.items()
        }
    return raw.mapped(plain | dict.fromkeys(gone, "")), raw.isin(gone)


def _warn_of_marks(labels: Column, mark: str) -> Iterator[str]:
    """Warnings of labels that look like missing ones."""
    counts = labels.counts()
    for text in _LIKE_MISSING:
        if text in counts and text != mark:
            yield (
                f"{counts[text]:,} labels are the text {text}, which counts as a label. If it means that there is "
                f'none: --input-format "items(missing={text})"'
            )


def parse_order(given: str) -> tuple[str, ...]:
    """Labels in the order that the user gives: low<middle<high."""
    order = tuple(part.strip() for part in given.split("<")) if given else ()
    if len({*order}) < len(order) or "" in order:
        raise UsageError(f"format items: order={given} names a label twice, or none.")
    return order


def _check_order(table: CellTable, labels: Column, missing: Bools, given: str) -> None:
    """Refuse a label that the order does not have."""
    order = parse_order(given)
    if order and len(rows := np.flatnonzero(~missing & ~labels.isin(order))):
        row = int(rows[0])
        raise InputError(f"{table.place(row)}: label {labels[row]!r} is not in order={given}. Add it there.")


def read_numbers(table: CellTable, place: int) -> Floats:
    """The numbers of a column, nan in empty cells."""
    numbers: list[float] = []
    for cell in table.columns[place]:
        try:
            numbers.append(math.nan if cell in ("", None) else float(cell))
        except (TypeError, ValueError):
            where, comma = table.place(len(numbers)), ""
            if isinstance(cell, str) and "," in cell:
                comma = ": write a decimal point, not a comma"
            elif isinstance(cell, str) and cell.endswith("%"):
                comma = ": write 0.9 for 90%"
            raise InputError(f"{where}: {cell!r} in column {table.name(place)} is not a number{comma}.") from None
    return np.array(numbers)


def _take_shares(table: CellTable, cells: Sequence[Any]) -> tuple[tuple[str, ...], Floats]:
    """Distributions given as {label: probability}; a label that is not named has 0."""
    rows: list[dict[str, float] | None] = []
    for cell in cells:
        try:
            rows.append({str(name): float(share) for name, share in cell.items()} if cell else None)
        except (AttributeError, TypeError, ValueError):
            where = table.place(len(rows))
            raise InputError(f"{where}: {str(cell)[:40]} is neither a label nor {{label: probability}}.") from None
    names = tuple(sorted({name for row in rows if row for name in row}))
    return names, np.array([[math.nan if row is None else row.get(name, 0.0) for name in names] for row in rows])


def _describe(table: CellTable, roles: Roles, rest: Sequence[int]) -> str:
    """What each column was taken for."""
    groups = roles.groups().items()
    parts = [f"{what} from {'+'.join(map(table.name, places))}" for what, places in groups if places]
    parts[0] = parts[0].replace(" from ", " are read from column ", 1)
    metadata = f"; metadata: {_list(table, rest)}" if rest else ""
    return f"{', '.join(parts)}{metadata}."


# --- the reader ---


def _has_header(table: CellTable, given: Mapping[str, Any], names: Sequence[str]) -> bool:
    """True if the first row names the columns: one of these, or as columns are usually called; an error in doubt."""
    said = str(given["header"]).lower()
    if said not in ("auto", "true", "false"):
        raise unknown("header =", said, ("auto", "true", "false"))
    if said != "auto":
        return said == "true"
    first = [cells[0].strip() for cells in table.columns]
    called = [plain_name(name) for name in first]
    if any(plain_name(name) in called for name in names if not name.isdigit()):
        return True
    if any(name in _NAMES or name.startswith(PROBABILITY) for name in called):
        return True
    labels = [cell.strip() for cell in table.columns[-1]]
    if len(labels) > 3 and labels[0] not in labels[1:] and len({*labels[1:]}) < len(labels) - 1 and labels[0]:
        raise InputError(
            f"{table.path}: the first line, {' '.join(first)[:60]!r}, may name the columns or be an item. Choose "
            f"one: "
            '--input-format "items(header=true)" or "items(header=false)".'
        )
    return False


def open_table(source: Source, given: Mapping[str, Any], asked: Asked, columns: Sequence[str]) -> CellTable:
    """The table in a file, its columns by name if it has a header."""
    table = read_cells(source, given["sep"], KEYS)
    if not len(table):
        raise InputError(f"{source.path}: contains no items.")
    if not table.typed:
        said = [given[role] for role in ("id", "label", "text", "system", "run")]
        named = [part for name in (*said, asked.id) for part in re.split("[,+]", name)]
        named += [*columns, given["confidence"].removeprefix(_LOGARITHM)]
        first = table.columns[0][0].split()
        if len(table.columns) == 1 < len(first) and KEYS.intersection(map(plain_name, first)) and not given["sep"]:
            remedy = 'Then: --input-format "items(sep=space)"'
            raise InputError(f"{table.path}: are the columns separated by spaces? {remedy}")
        table = table.below_header() if _has_header(table, given, [*filter(None, named)]) else table
    if not len(table):
        raise InputError(f"{source.path}: contains no items, only a header.")
    names = [*table.names] or [""] * len(table.columns)
    for role in ("system", "run"):
        if given[role]:
            names[table.locate(given[role])] = role
    return replace(table, names=tuple(names)) if any(names) else table


def read_items(source: Source, builder: Builder, *, column: str | None = None, **given: Any) -> None:
    """Read the items of one file."""
    asked = builder.asked
    given["sets"] = given["sets"] or asked.sets
    given["alternatives"] = given["alternatives"] or asked.alternatives
    table = open_table(source, given, asked, [column] if column else [])
    roles = find_roles(table, given, asked, column)
    builder.tables.append(make_items(table, roles, given, sha256=source.sha256))


def decide_items(head: Sequence[str], path: str, given: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """The fields of the plan of a table of items."""
    return {"read": partial(read_items, column=next(iter(wanted), None), **given), "labels": ("label",)}


# --- words or items ---


def shows_items(head: Sequence[str], path: str, form: str, *, is_gold: bool) -> tuple[bool, int]:
    """True if the first lines of a file show items; otherwise the number of rows that are read as one sentence.

    `form` is the format that the file has if it shows none; it is empty if there is no such format. If both words and
    items are shown, or neither of them in a long table, the file is refused. What is not gold has items only if it
    can have no words.
    """
    text = "\n".join(head).strip()
    if head[:1] and head[0] in TABLES:
        return True, 0
    if form == "jsonl" or text[:1] in ("{", "["):
        return _json_shows_items(head), 0
    if not form:
        return bool(text) and _is_csv(text.split("\n")), 0
    lines = [line for line in text.split("\n") if not is_comment(line, False)]
    rows = [line for line in lines if line.strip() and not (line.startswith("-DOCSTART-") or name_of_tag(line))]
    if not rows:
        return False, 0
    words, items = _find_evidence(head, rows, form, is_cut=len(rows) < len(lines))
    strong = [why for why, is_strong in items.items() if is_strong]
    if words and strong:
        raise InputError(
            f"{path}: {words[0]}, so rows are words; but {strong[0]}, so rows are items. Choose --task tags or "
            f"--task "
            "items."
        )
    if not is_gold:
        return not words and bool(strong), 0
    number = len(rows)
    if not words and not items and number > _FEW:
        more = " or more" if len(text) > _MUCH else ""
        raise InputError(
            f"{path}: {number:,} rows{more} without an empty line: one sentence of {number:,} words, or {number:,} "
            "items? Choose --task tags or --task items."
        )
    return not words and bool(items), 0 if words or items else number


def _find_evidence(
    head: Sequence[str], rows: Sequence[str], form: str, *, is_cut: bool
) -> tuple[list[str], dict[str, bool]]:
    """Reasons why rows are words, and why they are items; the latter are weak if words overrule them."""
    separator = "\t" if form == "tsv" else None
    cells = [row.split(separator) for row in rows]
    first, below = [plain_name(cell) for cell in cells[0]], cells[1:]
    words: list[str] = []
    items: dict[str, bool] = {}
    if is_cut:
        words.append("an empty line is between rows")
    if any(line.startswith(("# sent_id", "# text", "# newdoc")) for line in head):
        words.append("comments are about sentences")
    width = min(map(len, cells))
    if WORDS.intersection(first):
        words.append(f"the header names the column {next(name for name in first if name in WORDS)}")
    elif any(_restarts([row[column] for row in below]) for column in range(width)):
        words.append("a column counts the words of each sentence")
    if width > 1 and any(looks_like_tags({row[-1].strip() for row in rows}) for rows in (cells, below)):
        words.append("the labels are tags of spans")
    if (form == "conll" or "\t" not in rows[0]) and _is_csv(rows):
        items["commas divide cells"] = True
    if not WORDS.intersection(first) and KEYS.intersection(first) and below:
        items[f"the header names the column {next(name for name in first if name in KEYS)}"] = True
    if form == "tsv":
        blank = [sum(" " in row[column].strip() for row in cells) for column in range(max(width - 1, 0))]
        if any(2 * number > len(cells) for number in blank):
            items["most cells have white space inside"] = True
    if width > 1:
        firsts = [row[0].strip() for row in cells]
        if len(cells) >= _MANY and len({*firsts}) == len(firsts):
            items["all first cells are different"] = False
        if {*map(len, cells)} == {2} and _counts(firsts) and len({row[1] for row in cells}) < len(cells):
            items["the first column counts the rows"] = False
    return words, items


def names_columns(head: Sequence[str]) -> bool:
    """True if the first line is JSON, or names the label or the id of items."""
    first = head[0].strip()
    return first[:1] in ("{", "[") or bool(KEYS & {plain_name(name) for name in first.split(find_separator(first))})


def _is_csv(lines: Sequence[str]) -> bool:
    """True if commas or semicolons divide lines into as many cells in each, or if the first line names a label."""
    text = "\n".join(lines)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=find_separator(lines[0])) if row]
    except csv.Error:
        return False
    if len(text) > _MUCH:
        # The last one may be cut in the middle.
        rows.pop()
    names = {plain_name(name) for name in rows[0]} if rows else set()
    if not rows or WORDS & names:
        return False
    if len(rows[0]) > 1 and KEYS & names:
        # A row with more or fewer cells is reported when it is read.
        return True
    return {*map(len, rows)} == {len(rows[0])} and (len(rows[0]) > 1 < len(rows) or bool(KEYS & names))


def is_csv_of_words(head: Sequence[str]) -> bool:
    """True if commas or semicolons divide the first line, and it names a column of words."""
    separator = find_separator(head[0])
    return separator != "\t" and bool(WORDS & {plain_name(name) for name in head[0].split(separator)[:-1]})


def _restarts(cells: Sequence[str]) -> bool:
    """True if a column counts from 1, and again from 1 after others."""
    numbers = [whole_number(cell, -1) for cell in cells]
    if -1 in numbers or numbers.count(1) < 2 or numbers[0] != 1:
        return False
    return all(after == before + 1 or after == 1 for before, after in pairwise(numbers))


def _counts(cells: Sequence[str]) -> bool:
    """True if a column counts the rows through the file, from 0 or 1 on."""
    numbers = [whole_number(cell, -1) for cell in cells]
    return len(cells) > 1 and numbers[0] in (0, 1) and numbers == [*range(numbers[0], numbers[0] + len(cells))]


def _json_shows_items(head: Sequence[str]) -> bool:
    """True if objects of JSON have labels, and neither spans nor words."""
    text = "\n".join(head).strip()
    values: list[Any] = []
    for line in filter(str.strip, head[:_MANY]):
        with suppress(ValueError, RecursionError):
            values.append(json.loads(line))
    lines = len([*filter(str.strip, head[:_MANY])])
    # A line with a fault among objects is reported when it is read.
    if len(values) < 2 or not (len(values) == lines or isinstance(values[0], dict)):
        # A line such as "PER" within an object that is spread over lines says nothing of the whole.
        values = values if len(values) == lines else []
        with suppress(ValueError, RecursionError):
            values = whole if isinstance(whole := json.loads(text), list) else [whole]
    if not values or all(isinstance(value, str | int | float) for value in values):
        return bool(values)
    if not all(isinstance(value, dict) for value in values) or any(_OF_WORDS & value.keys() for value in values):
        return False
    names = {*GOLD, *SYSTEM}
    labels = [cell for value in values for key, cell in value.items() if plain_name(key) in names]
    if len(values) == 1 and not any(plain_name(key) in _NAMES for key in values[0]):
        labels = [*values[0].values()]
    return all(map(_is_label, labels)) and any(cell not in ([], None) for cell in labels)


def _is_label(value: Any) -> bool:
    """True for a text, a number or a list of texts, but not for an answer with spans in it."""
    if isinstance(value, str) and _WITH_SPANS.search(value):
        return False
    if isinstance(value, list):
        return all(isinstance(member, str | int | float) for member in value)
    return value is None or isinstance(value, str | int | float)
