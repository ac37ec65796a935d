"""Texts of a page, as columns: sentences, words, items, and the layers of gold and systems.

The texts of several shards are joined, a part of them is chosen, and they are coded for JSON as lists of numbers and
vocabularies. Repetitive values are given as differences: rising places as distances, a system's layer as its
differences from gold's. docs/json.md has the names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, as_codes, chosen_stretches, each_once, numbers_of_runs
from assay.classes import dataclass
from assay.corpus import Marks
from assay.engine.examples import lot_of
from assay.engine.items import ONE, Items
from assay.engine.prepare import Run
from assay.engine.spanpairs import CLAIMS, shown_words
from assay.engine.task import find_task
from assay.errors import UsageError
from assay.result.encoding import to_plain

T = TypeVar("T")
_BY_SYSTEM = ("answers", "wrong", "alike", "kind", "lost", "confidence", "grade")
"""The columns of items that each system has."""
MOST_TEXTS = 50_000
"""The most sentences that a page shows; of more, it shows a sample of those with a difference or an error."""
ROOT, ELSEWHERE, NO_HEAD = -1, -2, -3
"""Heads that are no words of the text: the root, a word that gold does not have or in another text, no head."""
_SLACK = 4
"""Texts of shards are limited whenever their number has grown by a quarter, because that takes time."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns of equal length. Every row belongs to a text, and rows are in the order of texts."""

    text: Ints
    columns: Mapping[str, Array]
    coded: tuple[str, ...] = ()
    """The columns that are places in the vocabulary, NONE for nothing."""
    vocabulary: tuple[str, ...] = ()
    stretches: Mapping[int, Any] = field(default_factory=dict)
    """The first word and the end of each stretch, for rows with gaps."""

    def __len__(self) -> int:
        return len(self.text)

    def take(self, rows: Ints) -> Rows:
        """Some rows, in the order given."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return replace(self, text=self.text[rows], columns=columns, stretches=chosen_stretches(self.stretches, rows))

    def of_texts(self, kept: Bools) -> Rows:
        """The rows of some texts, which get new numbers."""
        rows = self.take(np.flatnonzero(kept[self.text]))
        return replace(rows, text=(np.cumsum(kept) - 1)[rows.text])

    @classmethod
    def join(cls, several: Sequence[Rows], texts: Sequence[int]) -> Rows:
        """The rows of several pieces one after the other; `texts` are the numbers of texts in each."""

        vocabulary: dict[str, int] = {}
        codes = [np.append(as_codes(rows.vocabulary, vocabulary), np.int32(NONE)) for rows in several]
        coded = several[0].coded
        columns = {}
        for name in several[0].columns:
            parts = [rows.columns[name] for rows in several]
            if name in coded:
                parts = [table[part] for table, part in zip(codes, parts, strict=True)]
            column = np.concatenate(parts)
            # Whole numbers with a sign are places or codes, which need less room.
            columns[name] = column.astype(np.int32) if column.dtype.kind == "i" else column
        text = np.concatenate([rows.text + before for rows, before in _after(several, texts)])
        stretches = {
            before + row: shape
            for rows, before in _after(several, map(len, several))
            for row, shape in rows.stretches.items()
        }
        return cls(text, columns, coded, tuple(vocabulary), stretches).compact()

    def compact(self) -> Rows:
        """The rows with only those words in the vocabulary that occur, in the order in which they do."""
        if not self.coded:
            return self
        codes = np.concatenate([self.columns[name] for name in self.coded])
        used, first = np.unique(codes, return_index=True)
        order = used[np.argsort(first)]
        order = order[order != NONE]
        vocabulary: dict[str, int] = {}
        table = np.full(len(self.vocabulary) + 1, NONE)
        table[order] = as_codes([self.vocabulary[code] for code in order.tolist()], vocabulary)
        columns = {**self.columns, **{name: table[self.columns[name]] for name in self.coded}}
        return replace(self, columns=columns, vocabulary=tuple(vocabulary))

    def lists(self, *names: str) -> dict[str, Any]:
        """Places of rows and some columns, for JSON."""
        return {
            "text": code_distances(self.text),
            **{name: self.columns[name].tolist() for name in names},
            "stretches": {str(row): shape for row, shape in self.stretches.items()},
        }


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts that a page may show, with everything in them."""

    how: str
    """The texts asked for: all, those with a difference or an error (`diff`), a sample of these, or `auto`."""
    unit: str
    on: str
    """The measure by which items are right or wrong."""
    systems: tuple[str, ...]
    kinds: tuple[str, ...]
    total: int
    """The number of gold's texts."""
    judged: int
    """The number of gold's texts that are not left out."""
    names: Rows
    """One row per text: `id`, `number` (where that stands for an id), `place`, `telling` (of something), `lot`."""
    words: Rows
    sentences: Rows | None
    """The lengths of the sentences of documents."""
    items: Rows
    slices: Mapping[str, Ints | None]
    """The items of each value of a slice; None if it selects an added item only in some systems."""
    sides: tuple[str, ...] = ()
    """The names of the layers."""
    arcs: Rows | None = None
    """The heads and relations of all sides, word by word."""
    spans: tuple[Rows, ...] = ()
    """The spans of each side, which may have heads."""
    nodes: Rows | None = None
    """What spans may cover besides words, in order: the number of words before each (`behind`) and its `id`."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """Kinds of outcome in words."""
    parts: tuple[str, ...] = ()
    """The names of the parts of a text, if these take the place of words."""
    facts: Rows | None = None
    """One row per text: its metadata."""
    values: Rows | None = None
    """One row per item: its `row` in a record, its `path`, gold's value and each system's with a note."""
    graded: str = ""
    """What the grades of items are, if none is right or wrong: `error` or `score`."""
    most: int = MOST_TEXTS
    """The most texts of this kind that a page shows."""

    def __len__(self) -> int:
        return len(self.names)

    def tables(self) -> dict[str, Any]:
        """All tables by name, except spans."""
        names = ("names", "words", "sentences", "items", "arcs", "nodes", "facts", "values")
        return {name: rows for name in names if (rows := getattr(self, name)) is not None}

    def keep(self, kept: Bools) -> Texts:
        """Some of the texts."""
        of_items = kept[self.items.text]
        number = np.where(of_items, np.cumsum(of_items) - 1, NONE)
        members = {name: None if rows is None else number[rows] for name, rows in self.slices.items()}
        return replace(
            self,
            **{name: rows.of_texts(kept) for name, rows in self.tables().items()},
            slices={name: None if rows is None else rows[rows != NONE] for name, rows in members.items()},
            spans=tuple(rows.of_texts(kept) for rows in self.spans),
        )

    def coded(self, slices: Sequence[str] = ()) -> dict[str, Any]:
        """The data of `Result.texts`, with some slices in this order."""
        words, items = self.words.compact(), self.items.compact()
        gold, owner = items.columns["gold"], items.columns["owner"]
        by_system = []
        for system in range(len(self.systems)):
            columns = {name: items.columns.get(f"{name}/{system}") for name in _BY_SYSTEM}
            answers, wrong, same_as, kind, lost, sure, grade = columns.values()
            assert answers is not None and wrong is not None and same_as is not None
            by_system.append(
                {
                    "answers": code_sparse(answers != gold, answers),
                    "wrong": code_distances(np.flatnonzero(wrong)),
                    "alike": code_sparse(same_as != 0, same_as),
                    **({} if kind is None else {"kind": kind.tolist()}),
                    **({} if lost is None else {"lost": code_sparse(lost != 0, lost)}),
                    **({} if sure is None else {"confidence": to_plain(sure.tolist())}),
                    **({} if grade is None else {"grade": to_plain(grade.tolist())}),
                }
            )
        of_sentences: dict[str, Any] = {}
        if self.sentences is not None:
            lengths = self.sentences.columns["length"].tolist()
            of_sentences = {"sentences": self._numbers(self.sentences), "sentence_lengths": lengths}
        layers: list[dict[str, Any]] = []
        if self.arcs is not None:
            arcs = self.arcs.compact()
            names = ("heads", "relations")
            layers.append({"side": self.sides[0], **{name: arcs.columns[f"{name}/0"].tolist() for name in names}})
            layers[0]["labels"] = list(arcs.vocabulary)
            for number, side in enumerate(self.sides[1:], 1):
                layers.append({"side": side})
                for name in names:
                    column = arcs.columns[f"{name}/{number}"]
                    layers[-1][name] = code_sparse(column != arcs.columns[f"{name}/0"], column)
        for side, spans in zip(self.sides, self.spans, strict=bool(self.spans)):
            rows = spans.compact()
            # Most heads are one word, most arcs have a direction.
            usual = {"head_length": 1, "undirected": 0}
            listed = [name for name in rows.columns if name not in usual or (rows.columns[name] != usual[name]).any()]
            layers.append({"side": side, **rows.lists(*listed), "labels": list(rows.vocabulary)})
        of_nodes: dict[str, Any] = {}
        if self.nodes is not None and len(self.nodes):
            rows = self.nodes.compact()
            of_nodes = {"nodes": {**rows.lists("behind", "id"), "ids": list(rows.vocabulary)}}
        of_items: dict[str, Any] = {"parts": list(self.parts)} if self.facts is not None else {}
        if self.facts is not None:
            rows = self.facts.compact()
            codes = {name: column.tolist() for name, column in rows.columns.items()}
            of_items |= {"facts": codes, "values": list(rows.vocabulary)}
        if self.values is not None:
            rows = self.values.compact()
            of_items["cells"] = {
                **{name: rows.columns[name].tolist() for name in ("path", "gold")},
                "row": code_distances(rows.columns["row"]),
                "place": code_sparse(rows.columns["place"] != NONE, rows.columns["place"]),
                "systems": [
                    {
                        name: code_sparse(column != usual, column)
                        for name, usual in (
                            ("value", rows.columns["gold"]),
                            ("place", rows.columns["place"]),
                            ("note", NONE),
                        )
                        for column in [rows.columns[f"{name}/{system}"]]
                    }
                    for system in range(len(self.systems))
                ],
                "strings": list(rows.vocabulary),
            }
        how = "all" if len(self) == self.judged else "diff" if self.how == "diff" else "sample"
        return {
            **{"how": how, "embedded": len(self), "total": self.total, "unit": self.unit, "on": self.on},
            "systems": list(self.systems),
            "ids": [
                str(number + 1) if number != NONE else name
                for number, name in zip(*(self.names.columns[key].tolist() for key in ("number", "id")), strict=True)
            ],
            "places": self.names.columns["place"].tolist(),
            "lengths": self._numbers(words),
            **of_sentences,
            "vocabulary": list(words.vocabulary),
            "words": words.columns["word"].tolist(),
            "labels": list(items.vocabulary),
            "kinds": list(self.kinds),
            **({"graded": self.graded} if self.graded else {}),
            "meanings": {kind: self.meanings[kind] for kind in self.kinds if kind in self.meanings},
            "items": {
                **items.lists("begin", "length", "gold"),
                "owner": code_sparse(owner != NONE, owner),
                **({"split": items.columns["split"].round(6).tolist()} if "split" in items.columns else {}),
                "systems": by_system,
                "slices": {
                    name: code_distances(part) for name in slices if (part := self.slices.get(name)) is not None
                },
            },
            "layers": layers,
            **of_nodes,
            **of_items,
        }

    def _numbers(self, rows: Rows) -> list[int]:
        """The number of rows of each text."""
        numbers: list[int] = np.bincount(rows.text, minlength=len(self)).tolist()
        return numbers


def _after(pieces: Sequence[T], sizes: Iterable[int]) -> Iterator[tuple[T, int]]:
    """Each piece with the size of all before it."""
    yield from zip(pieces, accumulate(sizes, initial=0), strict=False)


def code_distances(numbers: Array) -> list[int]:
    """Numbers that do not fall, each as its distance from the one before."""
    steps: list[int] = np.diff(numbers, prepend=0).tolist()
    return steps


def code_sparse(mask: Bools, values: Array) -> dict[str, list[int]]:
    """Places of unusual values, and these values."""
    return {"at": code_distances(np.flatnonzero(mask)), "values": values[mask].tolist()}


# --- which texts, and those of several shards ---


def shows_all(how: str, judged: int, most: int) -> bool:
    """True if all texts are shown, including those without a difference or an error."""
    return how == "all" or (how == "auto" and judged <= most)


def draw_lots(how: str, lots: Array, most: int) -> Bools:
    """Mask of the texts that are shown: those with the smallest lots if there are too many."""
    if how in ("all", "diff") or len(lots) <= most:
        return np.ones(len(lots), dtype=bool)
    return np.asarray(lots <= np.partition(lots, most - 1)[most - 1])


def limit_texts(pieces: Sequence[Texts]) -> tuple[Texts, ...]:
    """The texts of shards, without those that a page cannot show in any case."""
    most = pieces[0].most if pieces else MOST_TEXTS
    if sum(map(len, pieces)) <= most + most // _SLACK:
        return tuple(pieces)
    return (merge_texts(pieces),)


def merge_texts(pieces: Sequence[Texts]) -> Texts:
    """The texts of several shards as one, limited to those that a page shows."""
    if len(pieces) == 1:
        return pieces[0]
    how, most, judged = pieces[0].how, pieces[0].most, sum(piece.judged for piece in pieces)
    every = shows_all(how, judged, most)
    worth = [np.ones(len(piece), dtype=bool) if every else piece.names.columns["telling"] for piece in pieces]
    lots = [piece.names.columns["lot"] for piece in pieces]
    drawn = draw_lots(how, np.concatenate([lot[telling] for lot, telling in zip(lots, worth, strict=True)]), most)
    if drawn.sum() > most:
        raise UsageError(
            f"--embed {how}: there are more than {most:,} such {pieces[0].unit}s, and files are read separately. Use "
            f"--embed sample"
        )
    kept_pieces, first = [], 0
    for piece, telling in zip(pieces, worth, strict=True):
        kept = telling.copy()
        kept[telling] = drawn[first : first + int(telling.sum())]
        first += int(telling.sum())
        kept_pieces.append(piece.keep(kept))
    sizes = [len(piece) for piece in kept_pieces]
    slices: dict[str, list[Ints] | None] = {}
    for piece, before in _after(kept_pieces, (len(piece.items) for piece in kept_pieces)):
        for name, rows in piece.slices.items():
            parts = slices.setdefault(name, [])
            if rows is None or parts is None:
                slices[name] = None
            else:
                parts.append(rows + before)
    tables = [piece.tables() for piece in kept_pieces]
    for table, (piece, before) in zip(
        tables, _after(kept_pieces, (piece.total for piece in kept_pieces)), strict=True
    ):
        # If numbers stand for ids, the texts of pieces before count too.
        number = piece.names.columns["number"]
        counted = np.where(number == NONE, NONE, number + before)
        table["names"] = replace(piece.names, columns={**piece.names.columns, "number": counted})
    joined: dict[str, Any] = {name: Rows.join([table[name] for table in tables], sizes) for name in tables[0]}
    return replace(
        kept_pieces[0],
        total=sum(piece.total for piece in kept_pieces),
        judged=judged,
        **joined,
        slices={name: None if rows is None else np.concatenate(rows) for name, rows in slices.items()},
        spans=tuple(Rows.join(rows, sizes) for rows in zip(*(piece.spans for piece in kept_pieces), strict=True)),
    )


# --- the texts of a run ---


def make_texts(
    run: Run,
    items: Items,
    tables: Sequence[tuple[str, Items]],
    on: str,
    how: str,
    seed: int,
    slices: Sequence[tuple[str, Items]] = (),
) -> Texts:
    """The texts of a run with all tables; `slices` are the items of each value."""
    drawing, gold = find_task(run.task).drawing, run.gold
    unit = drawing.unit
    of_item = gold.unit_of_sentence(unit)[items.sentence]
    skipped = np.zeros(gold.documents, dtype=bool) if unit == "document" else run.skipped
    most = MOST_TEXTS // drawing.weight
    shown = choose_texts(items, of_item, skipped, how, seed, list(gold.unit_names(unit)), most)
    begin, end, stretches = drawing.places(run, items)
    text = shown.place[of_item]
    rows = np.flatnonzero(text != NONE)
    order = rows[np.lexsort((begin[rows], text[rows]))]
    members = {name: _members(items, part) for name, part in slices}
    layers = drawing.layers(run, items, tables, shown)
    spans = list(layers.spans)
    for index, layer in enumerate(spans):
        if "item" not in layer.columns:
            continue
        # Gold's spans, then each system's: for their numbers the places of their items among those of the text.
        assert items.partner is not None
        numbers = items.partner[index - 1] if index else np.where(items.owner == NONE, items.item, NONE)
        numbers, of_rows = numbers[order], layer.columns["item"]
        place = np.arange(len(order)) - np.searchsorted(text[order], text[order])
        # The last place is for NONE.
        places = np.full(max(int(numbers.max(initial=0)), int(of_rows.max(initial=0))) + 2, NONE)
        places[numbers[numbers != NONE]] = place[numbers != NONE]
        spans[index] = replace(layer, columns={**layer.columns, "item": places[of_rows]})
    return Texts(
        how=how,
        unit=find_task(run.task).name_unit(unit),
        on=on,
        systems=items.systems,
        kinds=items.kinds,
        total=len(skipped),
        judged=int((~skipped).sum()),
        **name_texts(run, shown, unit, layers.words),
        items=item_rows(items, order, text, begin, end, stretches, layers.confidence),
        slices={name: None if mask is None else np.flatnonzero(mask[order]) for name, mask in members.items()},
        sides=layers.sides,
        arcs=layers.arcs,
        spans=tuple(spans),
        nodes=layers.nodes,
        meanings=drawing.meanings,
        parts=layers.parts,
        facts=layers.facts,
        values=layers.values,
        most=most,
        graded=items.graded,
    )


@dataclass(frozen=True, eq=False)
class Shown:
    """The texts of gold that a page may show."""

    chosen: Ints
    place: Ints
    """The number of each text of gold among those chosen, NONE for the others."""
    telling: Bools
    """Mask of those with a difference or an error."""
    lots: Ints
    """The lots by which texts are drawn if there are too many."""

    def names(self, ids: Sequence[str], numbered: Sequence[bool], places: Sequence[str]) -> Rows:
        """Names and places of the chosen texts; some are named by their numbers."""
        columns = {
            "id": np.array(ids, dtype=object),
            "number": np.where(np.array(numbered, dtype=bool), self.chosen, NONE),
            "place": np.array(places, dtype=object),
            "telling": self.telling,
            "lot": self.lots,
        }
        return Rows(np.arange(len(self.chosen)), columns)


def choose_texts(
    items: Items, of_item: Ints, skipped: Bools, how: str, seed: int, names: Sequence[str], most: int | None = None
) -> Shown:
    """The texts to be shown, of those that are not skipped; `of_item` is the text of each item.

    These are all texts, those with a difference or an error, or a sample of these, drawn by a hash of their names.
    """
    most = MOST_TEXTS if most is None else most
    telling = np.zeros(len(skipped), dtype=bool)
    telling[of_item[~np.all(items.right, axis=0)]] = True
    every = shows_all(how, int((~skipped).sum()), most)
    worth = np.flatnonzero(~skipped & (telling | every))
    lots = np.array([lot_of(seed, "texts", names[text]) for text in worth.tolist()], dtype=np.uint64)
    drawn = draw_lots(how, lots, most)
    chosen = worth[drawn]
    place = np.full(len(skipped), NONE)
    place[chosen] = np.arange(len(chosen))
    return Shown(chosen, place, telling[chosen], lots[drawn])


# --- words ---


def name_texts(run: Run, shown: Shown, unit: str, words: Rows | None) -> dict[str, Any]:
    """Names and words of the texts shown and, if these are documents, the lengths of their sentences."""
    gold, chosen = run.gold, shown.chosen.tolist()
    tables: dict[str, Any] = {"sentences": None}
    if unit == "document":
        assert gold.document_starts is not None
        first, end = gold.document_starts[shown.chosen], gold.document_starts[shown.chosen + 1]
        ids = [gold.document_name(text) for text in chosen]
        numbered = [name == str(text + 1) for text, name in zip(chosen, ids, strict=True)]
        lengths = np.diff(gold.starts)[numbers_of_runs(first, end - first)]
        tables["sentences"] = Rows(np.repeat(np.arange(len(first)), end - first), {"length": lengths})
    else:
        first, end = shown.chosen, shown.chosen + 1
        ids, comments = [gold.sentence_ids[text] for text in chosen], gold.metadata("sent_id")
        numbered = [comments[text] is None and not gold.are_documents for text in chosen]
    tables["names"] = shown.names(ids, numbered, [gold.place_of_sentence(number) for number in first.tolist()])
    if words is not None:
        return {**tables, "words": words}
    if gold.texts is not None or (unit == "sentence" and CLAIMS in gold.marks):
        return {**tables, "words": word_rows([shown_words(gold, sentence) for sentence in chosen])}
    sizes = gold.starts[end] - gold.starts[first]
    codes = gold.forms.codes[numbers_of_runs(gold.starts[first], sizes)]
    text = np.repeat(np.arange(len(first)), sizes)
    return {**tables, "words": Rows(text, {"word": codes}, ("word",), gold.forms.vocabulary)}


def word_rows(texts: Sequence[Sequence[str]]) -> Rows:
    """The words of texts."""
    vocabulary: dict[str, int] = {}
    codes = as_codes([word for words in texts for word in words], vocabulary)
    text = np.repeat(np.arange(len(texts)), [len(words) for words in texts])
    return Rows(text, {"word": codes}, ("word",), tuple(vocabulary))


# --- items ---


def item_rows(
    items: Items,
    order: Ints,
    text: Ints,
    begin: Ints,
    end: Ints,
    stretches: Mapping[int, Any],
    confidence: Sequence[Floats | None] = (),
) -> Rows:
    """Items in an order, with their places, labels, answers and how sure systems are of these; `stretches` are those
    of items with gaps."""
    columns: dict[str, Array] = {"begin": begin, "length": end - begin, "gold": items.gold, "owner": items.owner}
    for system, (answers, right) in enumerate(zip(items.answer, items.right, strict=True)):
        # The first system whose answer is the same.
        same_as = np.full(len(items), system)
        for other in range(system - 1, -1, -1):
            same_as[~items.differ(other, system)] = other
        columns |= {f"answers/{system}": answers, f"wrong/{system}": ~right, f"alike/{system}": same_as}
        if items.kinds:
            columns[f"kind/{system}"] = items.kind[system]
        if items.credits is not None:
            columns[f"lost/{system}"] = (ONE - items.credits[system, -1]).astype(np.uint64)
        if confidence and (sure := confidence[system]) is not None:
            columns[f"confidence/{system}"] = sure
        if items.grade is not None:
            columns[f"grade/{system}"] = items.grade[system]
    coded = ("gold", *(f"answers/{system}" for system in range(len(items.systems))))
    return Rows(text, columns, coded, items.labels, stretches).take(order)


def _members(items: Items, part: Items) -> Bools | None:
    """Mask of the items that a slice selects; None if it selects an added item only in some systems."""
    most = 1 + max(int(items.item.max(initial=0)), int(part.item.max(initial=0)))
    wanted, keys = ((table.owner + 1) * most + table.item for table in (part, items))
    order = np.argsort(keys, kind="stable")
    place = order[np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))]
    same = bool((keys[place] == wanted).all()) and len(each_once(place)) == len(place)
    if not same or any(
        (there[place] != part_kind).any() for there, part_kind in zip(items.kind, part.kind, strict=True)
    ):
        return None
    mask = np.zeros(len(keys), dtype=bool)
    mask[place] = True
    return mask


# --- layers ---


def order_by_place(text: Ints, begin: Ints, end: Ints) -> Ints:
    """The order of spans by text and place, outer ones before inner ones."""
    return np.lexsort((-end, begin, text))


def arc_marks(arcs: Rows, side: int) -> Rows:
    """The tree of a side as a mark for each word, at the word and its head."""
    begin = np.arange(len(arcs)) - np.searchsorted(arcs.text, arcs.text)
    columns = {"begin": begin, "length": np.ones_like(begin)}
    columns |= {"label": arcs.columns[f"relations/{side}"], "head": arcs.columns[f"heads/{side}"]}
    return Rows(arcs.text, columns, vocabulary=arcs.vocabulary)


def order_arcs(arcs: Rows, sides: Sequence[int]) -> Rows:
    """The trees of some sides, in this order."""
    columns = {
        f"{name}/{number}": arcs.columns[f"{name}/{side}"]
        for name in ("heads", "relations")
        for number, side in enumerate(sides)
    }
    return replace(arcs, columns=columns, coded=tuple(name for name in columns if name.startswith("relations")))


def span_rows(text: Ints, marks: Marks, hidden: Collection[str] = ()) -> Rows:
    """Marks of a side in the order of their places, with the columns that a page draws.

    Arguments: the outcome (`kind`), the first word of the head (`head`), or ROOT, ELSEWHERE, NO_HEAD, and its end
    (`head_end`), and whether a mark could as well be the head (`undirected`). If there are heads, the number of a
    mark says which item of the page it stands for (`item`).
    """
    columns = {"begin": marks.begin, "length": marks.end - marks.begin, "label": marks.label}
    if "kind" in marks.arguments:
        columns["kind"] = marks.arguments["kind"]
    if "head" in marks.arguments:
        head, end = marks.arguments["head"], marks.arguments["head_end"]
        columns |= {"head": head, "head_length": np.where(head >= 0, end - head, 1), "item": marks.number}
    if "undirected" in marks.arguments:
        columns["undirected"] = marks.arguments["undirected"]
    shown = {name: column for name, column in columns.items() if name not in hidden}
    stretches = {row: [list(stretch) for stretch in shape] for row, shape in marks.stretches.items()}
    rows = Rows(text, shown, ("label",), marks.labels.vocabulary, stretches)
    return rows.take(order_by_place(text, marks.begin, marks.end))
