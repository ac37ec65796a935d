"""Data of other libraries as a Corpus; they are recognised by their shape, so none of these libraries is imported.

spaCy's Docs have tokens with `text`, `pos_`, `head` …, and entities; data frames of pandas or polars have named
columns whose cells can be listed; predictions of Hugging Face models are arrays of ids or scores, token by token.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from itertools import chain, pairwise
from numbers import Integral
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from assay.arrays import Array, Ints
from assay.corpus import Column, Corpus, Marks, is_pair, is_span
from assay.errors import InputError, UsageError, unknown

_EMPTY = "_"
"""The sign for a value that a Doc does not have."""
_ATTRIBUTES = {"LEMMA": "lemma_", "UPOS": "pos_", "XPOS": "tag_", "FEATS": "morph", "DEPREL": "dep_"}
_MISSING = ""
"""A cell of a frame without a value."""
_IGNORED = -100
"""The id of a position that is not scored: padding, special tokens, all but the first piece of a word."""
Labels = Mapping[Any, str] | Sequence[str]
"""The labels of ids: `model.config.id2label`, or a list of names."""
Sentences = list[list[Any]]


def is_doc(given: Any) -> bool:
    """True for objects like spaCy's Doc."""
    return hasattr(given, "ents") and hasattr(given, "has_annotation")


def is_frame(given: Any) -> bool:
    """True for objects like a data frame."""
    return hasattr(given, "columns") and hasattr(given, "shape") and not isinstance(given, Corpus)


def is_dataset(given: Any) -> bool:
    """True for objects like a Dataset of Hugging Face."""
    return hasattr(given, "features") and hasattr(given, "column_names")


def list_datasets(given: Any) -> Any:
    """Data with the Datasets in it as lists of rows, numbers by their names; other data as they are."""
    if isinstance(given, Mapping):
        listed = {name: list_datasets(data) for name, data in given.items()}
        return listed if any(listed[name] is not data for name, data in given.items()) else given
    if isinstance(given, list | tuple) and any(map(is_dataset, given)):
        return [*map(list_datasets, given)]
    return _list_rows(given) if is_dataset(given) else given


def _list_rows(dataset: Any) -> list[dict[str, Any]]:
    """The rows of a Dataset; a number without a name is an error."""
    names = {}
    for column, feature in dataset.features.items():
        while not hasattr(feature, "names") and hasattr(feature, "feature"):
            feature = feature.feature  # noqa: PLW2901
        names[column] = getattr(feature, "names", None)
    rows = []
    for number, row in enumerate(dataset, 1):
        named = dict(row)
        for column, known in names.items():
            cell = row[column]
            if known:
                labels = cell if isinstance(cell, list) else [cell]
                if strange := [one for one in labels if one is not None and not 0 <= one < len(known)]:
                    raise InputError(
                        f"row {number} of the Dataset: {column} has {strange[0]}, but there are names for 0 to "
                        f"{len(known) - 1} alone. Give each word or item its label."
                    )
                found = [None if one is None else known[one] for one in labels]
                named[column] = found if isinstance(cell, list) else found[0]
        rows.append(named)
    return rows


def is_foreign(given: Any) -> bool:
    """True for data of another library: a data frame, a spaCy Doc, or a list of Docs."""
    first = given[0] if isinstance(given, list | tuple) and given else given
    return is_frame(given) or is_doc(first)


def is_documents(given: Any) -> bool:
    """True for a list of documents as dicts."""
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, Mapping) for one in given)


def refuse_no_data(given: Any, name: str) -> None:
    """Raise InputError if this is not a list of sentences that are lists."""
    wrong = [given]
    if isinstance(given, Collection):
        wrong = [one for one in given if not isinstance(one, Sized | Integral)]
    if wrong:
        raise InputError(
            f"{name}: expected a path or data, but got {reprlib.repr(wrong[0])}. Give a file, or a list of "
            "sentences, each a list of labels."
        )


def corpus_of(given: Any, name: str, column: str | None = None) -> Corpus:
    """The corpus of data of another library; `column` may name a group of spans of spaCy, `spans:KEY`."""
    if is_frame(given):
        return from_frame(given, name=name)
    group = column.removeprefix("spans:") if column and column.startswith("spans:") else "ents"
    return from_spacy(given, spans=group, name=name)


def _digest(parts: Sequence[Any]) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


# --- spaCy ---


def from_spacy(docs: Any, *, spans: str = "ents", name: str = "data") -> Corpus:
    """A corpus from spaCy's Docs, or from one of them; each is a document.

    It has the columns LEMMA, UPOS, XPOS, FEATS, HEAD and DEPREL, as far as they are annotated, and the entities as
    spans, or with `spans="sc"` the group of spans of that name. A Doc without sentence boundaries is one sentence.
    Tokens of nothing but white space are no words; spaCy's ROOT is `root`, as in Universal Dependencies.
    """
    words: list[Any] = []
    heads: list[int] = []
    starts, documents = [0], [0]
    rows: list[tuple[int, int, int, str]] = []
    blank = 0
    for doc in [docs] if is_doc(docs) else docs:
        if not is_doc(doc):
            raise InputError(f"{name}: {type(doc).__name__}, but all should be spaCy Docs.")
        tokens = list(doc)
        kept = np.array([bool(token.text.strip()) for token in tokens], dtype=bool)
        if not kept.any():
            continue
        blank += len(tokens) - int(kept.sum())
        # For each token, and for the end, the number of words before it in all Docs.
        number = len(words) + np.concatenate([[0], np.cumsum(kept)])
        cut = doc.has_annotation("SENT_START")
        begins = [index for index, token in enumerate(tokens) if cut and token.is_sent_start]
        # A sentence may begin with white space, and one of nothing else is none.
        firsts = np.unique([number[0], *number[begins]])
        sentences = firsts[firsts < number[-1]]
        for token in (token for token, keep in zip(tokens, kept, strict=True) if keep):
            # White space hands on to its own head.
            head = token.head
            while not head.text.strip() and head.head.i != head.i:
                head = head.head
            heads.append(int(number[head.i if head.text.strip() else token.i]))
            words.append(token)
        if spans != "ents" and spans not in doc.spans:
            raise UsageError(f"{name}: a Doc has no spans {spans!r}. Available: {', '.join(['ents', *doc.spans])}.")
        for span in doc.ents if spans == "ents" else doc.spans[spans]:
            first, end = (int(place) for place in number[[span.start, span.end]])
            if first == end:
                place = f"{name}, sentence {documents[-1] + 1}"
                raise InputError(f"{place}: the span {span.label_} has no words but white space.")
            sentence = int(np.searchsorted(sentences, first, side="right")) - 1
            start = int(sentences[sentence])
            rows.append((documents[-1] + sentence, first - start, end - start, span.label_))
        starts += [*sentences[1:].tolist(), len(words)]
        documents.append(len(starts) - 1)
    if not words:
        raise InputError(f"{name}: contains no words. Give Docs that have some.")
    columns = {}
    for column, attribute in _ATTRIBUTES.items():
        strings = [str(getattr(word, attribute, "")) or _EMPTY for word in words]
        if all(string == _EMPTY for string in strings):
            continue
        if column == "DEPREL":
            columns["HEAD"] = _heads(np.array(heads), np.array(starts), strings, name)
            strings = ["root" if string == "ROOT" else string for string in strings]
        columns[column] = Column.of(strings)
    forms = [word.text for word in words]
    sentence_of, begin, ends = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3).T
    found = Marks(sentence_of, begin, ends, Column.of([row[3] for row in rows]), np.zeros(len(rows), dtype=np.int64))
    return Corpus(
        name=name,
        format="spacy",
        sha256=_digest([forms, starts, *(column.strings() for column in columns.values()), rows]),
        forms=Column.of(forms),
        columns=columns,
        starts=np.array(starts, dtype=np.int64),
        document_starts=np.array(documents, dtype=np.int64),
        empty=_EMPTY,
        marks={"spans": found.in_order()[0]},
        noted=(("{} tokens of white space were left out.", blank),) if blank else (),
    )


def _heads(heads: Ints, starts: Ints, relations: Sequence[str], name: str) -> Column:
    """Heads as numbers within their sentence; 0 for a root, which is its own head."""
    words = np.arange(len(heads))
    sentence, theirs = (np.searchsorted(starts, places, side="right") - 1 for places in (words, heads))
    if len(astray := np.flatnonzero(sentence != theirs)):
        word = int(astray[0])
        place = f"{name}, sentence {int(sentence[word]) + 1}, word {word - int(starts[sentence[word]]) + 1}"
        raise InputError(f"{place}: its head is in another sentence. Do the sentences of the Docs match their trees?")
    numbers = np.where(heads == words, 0, heads - starts[sentence] + 1).tolist()
    pairs = zip(numbers, relations, strict=True)
    return Column.of(_EMPTY if relation == _EMPTY else str(number) for number, relation in pairs)


# --- data frames ---


def from_frame(
    frame: Any,
    *,
    label: str | None = None,
    word: str | None = None,
    sentence: str = "sentence",
    document: str | None = None,
    name: str = "data",
) -> Corpus:
    """A corpus from a data frame with a row for each word.

    The columns `sentence` and, if there are any, `word` and `document` mean what they say, or you name others; rows
    of one sentence must be together. With `label`, only that column is used, so that gold and systems in one frame
    can be compared; otherwise all columns keep their names. A cell without a value is no label.
    """
    cells = _cells(frame, name)
    word = word or ("word" if "word" in cells else None)
    document = document or ("document" if "document" in cells else None)
    for wanted in filter(None, (sentence, word, document, label)):
        if wanted not in cells:
            raise InputError(f"{name}: {unknown('column', wanted, cells)} Name it: sentence=, word=, label=.")
    places = [place for place in (document, sentence, word) if place]
    for place in places:
        if _MISSING in cells[place]:
            row = cells[place].index(_MISSING)
            raise InputError(f"{name}, row {row} (counted from 0): {place} is empty.")
    labels = {"label": cells[label]} if label else {key: cells[key] for key in cells if key not in places}
    # A sentence begins with each change of document or sentence; none goes on later.
    keys = list(zip(*(cells[place] for place in (document, sentence) if place), strict=True))
    begins = [0, *(index for index, (before, key) in enumerate(pairwise(keys), 1) if key != before)]
    seen: set[tuple[str, ...]] = set()
    for index in begins:
        if keys[index] in seen:
            raise InputError(
                f"{name}, row {index} (counted from 0): sentence {'/'.join(keys[index])} continues after others. "
                "Put the rows of a sentence together; if each document counts its own, name it: document="
            )
        seen.add(keys[index])
    starts = [*begins, len(keys)]
    words = cells[word] if word else [_MISSING] * len(keys)
    titles = [cells[document][start] for start in begins] if document else []
    firsts = [index for index, title in enumerate(titles) if not index or title != titles[index - 1]]
    return Corpus(
        name=name,
        format="frame",
        sha256=_digest([words, starts, labels]),
        forms=Column.of(words),
        columns={key: Column.of(column) for key, column in labels.items()},
        starts=np.array(starts, dtype=np.int64),
        document_starts=np.array([*firsts, len(begins)]) if document else None,
        document_ids=tuple(titles[index] for index in firsts),
        empty=_MISSING,
        has_words=word is not None,
    )


def table_text(frame: Any, name: str) -> str:
    """A data frame as the text of a CSV file, so that it is read and checked like one."""
    cells = _cells(frame, name)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(cells)
    table.writerows(zip(*cells.values(), strict=True))
    return out.getvalue()


def _cells(frame: Any, name: str) -> dict[str, list[str]]:
    """The columns of a frame as texts, by name."""
    names = list(map(str, frame.columns))
    twice = [column for column in names if names.count(column) > 1]
    if twice:
        raise InputError(f"{name}: has the column {twice[0]} twice.")
    if not names or not len(frame):
        raise InputError(f"{name}: a data frame without rows.")
    columns = zip(names, frame.columns, strict=True)
    return {key: [_text(cell) for cell in frame[column].to_list()] for key, column in columns}


def _text(cell: Any) -> str:
    """A cell as text; 3.0 becomes 3, because frames turn whole numbers into fractions if one is missing."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and math.isnan(cell)):
        return _MISSING
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


# --- predictions ---


def from_predictions(
    predictions: Any, label_ids: Any, id2label: Labels | None = None, *, words: Any = None
) -> tuple[Sentences, Sentences]:
    """Gold's and the system's labels, sentence by sentence, as `score` takes them.

    `predictions` are ids, or scores of all labels, of which the highest counts; of a tuple of outputs the first one
    is used. Positions where `label_ids` is -100 are left out on both sides, and so are sentences of nothing else.
    With `words`, a list for each sentence, labels become (word, label) pairs. One label id for each item, or a row of
    0 and 1, gives labels or sets without sentences; then the label of an item that is left out is None.
    """
    if (items := _of_items(predictions, label_ids, id2label)) is not None:
        return items
    outputs, golds = _first(predictions, 3), _first(label_ids, 2)
    if len(outputs) != len(golds):
        raise InputError(f"predictions: {len(outputs):,} sentences, but label_ids have {len(golds):,}.")
    if words is not None and len(words) != len(golds):
        raise InputError(f"words: {len(words):,} sentences, but label_ids have {len(golds):,}.")
    known = _names_of_ids(id2label)

    def labels(ids: Ints, side: str, number: int) -> list[Any]:
        """The labels of a sentence, with its words if there are any."""
        place = f"{side}, sentence {number + 1}"
        found = []
        for one in ids.tolist():
            if known is not None and one not in known:
                raise InputError(f"{place}: the id {one} is not in id2label, which has {len(known)} labels.")
            found.append(str(one) if known is None else known[one])
        if words is None:
            return found
        if len(words[number]) != len(found):
            raise InputError(
                f"words, sentence {number + 1}: {len(words[number])} words, but {len(found)} positions have a "
                "label. Was the sentence truncated for the model?"
            )
        return list(zip(words[number], found, strict=True))

    gold: Sentences = []
    system: Sentences = []
    for number, (output, given) in enumerate(zip(outputs, golds, strict=True)):
        ids = _array(given)
        kept = ids != _IGNORED
        answers = _answers(_array(output), kept, f"predictions, sentence {number + 1}")
        if kept.any():
            gold.append(labels(ids[kept], "label_ids", number))
            system.append(labels(answers, "predictions", number))
    if not gold:
        raise InputError(f"label_ids: every label is {_IGNORED}, so there is nothing to score.")
    return gold, system


def _names_of_ids(id2label: Labels | None) -> dict[int, str] | None:
    if id2label is None:
        return None
    pairs = id2label.items() if isinstance(id2label, Mapping) else enumerate(id2label)
    # Read from JSON, the ids are texts.
    return {int(key): str(text) for key, text in pairs}


def _of_items(predictions: Any, label_ids: Any, id2label: Labels | None) -> tuple[list[Any], list[Any]] | None:
    """Gold's and the system's labels, sets or numbers if arrays are about items; None if they are about words."""
    try:
        several = isinstance(predictions, tuple) and predictions and np.ndim(_array(predictions[0]))
        outputs = predictions[0] if several else predictions
        golds, answers = _array(label_ids), _array(outputs)
    except ValueError:
        # Rows of several lengths are sentences.
        return None
    known = _names_of_ids(id2label)
    if "O" in (golds.dtype.kind, answers.dtype.kind) or not {golds.ndim, answers.ndim} <= {1, 2}:
        return None
    if golds.ndim == 2:
        is_sets = golds.shape == answers.shape and answers.dtype.kind == "f" and np.isin(golds, (0, 1)).all()
        if not is_sets or (known is not None and len(known) != golds.shape[1]):
            return None
        names = [str(number) if known is None else known[number] for number in range(golds.shape[1])]
        sides = (golds == 1, answers > 0)
        gold, system = ([{names[at] for at in np.flatnonzero(row)} for row in side] for side in sides)
        return gold, system
    if len(answers) != len(golds):
        raise InputError(f"predictions: {len(answers):,} items, but label_ids have {len(golds):,}.")
    if golds.dtype.kind == "f":
        return golds.tolist(), answers.reshape(len(golds), -1)[:, 0].tolist()
    ids = _answers(answers, np.ones(len(golds), dtype=bool), "predictions")

    def name(number: int, side: str) -> str | None:
        if number == _IGNORED and side == "label_ids":
            return None
        if known is not None and number not in known:
            raise InputError(f"{side}: the id {number} is not in id2label, which has {len(known)} labels.")
        return str(number) if known is None else known[number]

    return [name(one, "label_ids") for one in golds.tolist()], [name(one, "predictions") for one in ids.tolist()]


def without_ignored(given: Sequence[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], int]:
    """Gold's and systems' lists without the positions at which gold has -100, and the number of these positions.

    Sentences of nothing else are left out too. InputError if a system has -100 elsewhere.
    """
    gold = given[0][1]
    numbers = _is_lists(gold) and not {*map(type, chain.from_iterable(gold))} <= {str}
    golds, *_ = sides = [
        [[*map(_label_of, row.tolist() if isinstance(row, np.ndarray) else row)] for row in data]
        if numbers and _is_lists(data)
        else []
        for _, data in given
    ]
    if not any(_IGNORED in row for side in sides for row in side):
        return [*given], 0
    kept: list[tuple[str, Any]] = []
    for (name, data), labels in zip(given, sides, strict=True):
        if [*map(len, labels)] != [*map(len, golds)]:
            raise InputError(
                f"{name}: some labels are {_IGNORED}, so gold and systems must be lists of the same lengths. Give a "
                "label for each of gold's."
            )
        for row, (ours, theirs) in enumerate(zip(golds, labels, strict=True), 1):
            for place, (label, answer) in enumerate(zip(ours, theirs, strict=True), 1):
                if answer == _IGNORED != label:
                    raise InputError(
                        f"{name}, sentence {row}, position {place}: {_IGNORED}, but gold has the label {label}. "
                        "Give an answer, or leave the position out on both sides."
                    )
        rows = [
            [item for item, label in zip(sentence, ours, strict=True) if label != _IGNORED]
            for sentence, ours in zip(data, golds, strict=True)
        ]
        kept.append((name, [row for row in rows if row]))
    if not kept[0][1]:
        raise InputError(f"{given[0][0]}: every label is {_IGNORED}, so there is nothing to score.")
    return kept, sum(row.count(_IGNORED) for row in golds)


def _is_lists(given: Any) -> bool:
    """True for sentences that are lists or arrays."""
    sequences = (list, tuple, np.ndarray)
    return isinstance(given, sequences) and all(isinstance(sentence, sequences) for sentence in given)


def _label_of(item: Any) -> Any:
    """The label of a (word, label) pair; otherwise the item itself."""
    return item[1] if isinstance(item, tuple | list) and len(item) == 2 else item


def _first(given: Any, dimensions: int) -> Any:
    """The first of a tuple of outputs; otherwise the output itself."""
    several = isinstance(given, tuple) and given and np.ndim(_array(given[0])) == dimensions
    return given[0] if several else given


def _array(given: Any) -> Array:
    """An array, also from a tensor on another device."""
    return np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)


def _answers(output: Array, kept: Array, place: str) -> Ints:
    """The predicted ids of the positions that are scored."""
    if len(output) != len(kept):
        raise InputError(f"{place}: {len(output)} positions, but label_ids have {len(kept)}.")
    chosen = output[kept]
    if chosen.ndim == 2:
        if np.isnan(chosen).any():
            raise InputError(f"{place}: scores that are not numbers (nan). Has the training diverged?")
        return np.asarray(chosen.argmax(axis=-1))
    if chosen.ndim != 1 or (len(chosen) and not np.issubdtype(chosen.dtype, np.integer)):
        raise InputError(f"{place}: neither ids (whole numbers) nor a score for each label.")
    return chosen


Given = Any
"""A path, a Corpus, lists of labels, or data of another library."""
_ENDINGS = (
    *(".gz", ".xz", ".conllu", ".conll", ".conllx", ".tsv", ".txt", ".vert", ".pos", ".xml", ".ccl", ".dag", ".ann"),
    *(".sdp", ".mrp", ".conll09", ".conll08", ".conllup", ".props"),
    *(".jsonl", ".json", ".spans", ".csv", ".ptb", ".mrg", ".export", ".bio", ".iob"),
    *(".eval", ".parquet", ".arrow", ".spacy", ".rels", ".key"),
)
"""Endings of files that are removed from a system's name, in this order."""


def named_systems(systems: Any) -> dict[str, Given]:
    """Systems by name, from a mapping, one system, or a sequence of `name=path` or paths."""
    if isinstance(systems, Mapping) and systems:
        return {str(name): given for name, given in systems.items()}
    if isinstance(systems, np.ndarray):
        systems = systems.tolist()
    are_paths = isinstance(systems, list | tuple) and systems and all(isinstance(one, str | Path) for one in systems)
    if isinstance(systems, str | Path | Corpus) or (not are_paths and (is_foreign(systems) or _is_data(systems))):
        systems = [systems]
    if not isinstance(systems, Iterable):
        raise UsageError(
            f"expected systems or annotators, but got {reprlib.repr(systems)}. Give paths or data, e.g. "
            "{'a': 'a.conllu', 'b': 'b.conllu'}"
        )
    names: list[str] = []
    given: list[Given] = []
    for item in systems:
        before, equals, after = item.partition("=") if isinstance(item, str) else ("", "", item)
        named = equals and before and not any(mark in before for mark in "/\\") and not Path(item).exists()
        if named and not after:
            raise UsageError(f"{item}: there is no path after the name. Write NAME=PATH.")
        names.append(before if named else "")
        given.append(after if named else item)
    if not given:
        raise UsageError("no system to score. Give at least one in addition to gold.")
    given_twice = [name for name in names if name and names.count(name) > 1]
    if given_twice:
        raise UsageError(f"two systems are called {given_twice[0]!r}. Give each its own name.")
    stems = [name or _stem(item, number) for number, (name, item) in enumerate(zip(names, given, strict=True), 1)]
    if len(set(stems)) < len(stems):
        # Files with the same name also get the name of their folder, or else a number.
        stems = [
            f"{PurePath(item).parent.name}/{stem}"
            if stems.count(stem) > 1 and isinstance(item, str | Path) and PurePath(item).parent.name
            else stem
            for stem, item in zip(stems, given, strict=True)
        ]
    distinct: dict[str, Given] = {}
    for stem, item in zip(stems, given, strict=True):
        name, number = stem, 1
        while name in distinct or (stems.count(stem) > 1 and name in stems):
            name, number = f"{stem} ({number})", number + 1
        distinct[name] = item
    return distinct


def _is_data(systems: Any) -> bool:
    """True for one system's sentences (lists of labels or of pairs) or documents, not for a list of systems."""
    if is_documents(systems):
        return True
    if not isinstance(systems, list | tuple) or any(map(is_foreign, systems[:1])):
        return False
    if any(isinstance(sentence, str | Path | Corpus) for sentence in systems):
        return False
    if any(isinstance(sentence, Integral) for sentence in systems):
        return True  # labels without sentences; the reader raises an error for them
    first: Any = next((sentence for sentence in systems if isinstance(sentence, Sized) and len(sentence)), None)
    # A list of two labels looks like a pair; here only tuples count as pairs.
    if first is None or isinstance(first[0], str | Integral) or is_span(first[0]):
        return first is not None
    return isinstance(first[0], tuple) and is_pair(first[0])


def _stem(item: Given, number: int) -> str:
    if isinstance(item, Corpus):
        return _stem(item.name, number) if item.name != "data" else f"system {number}"
    if isinstance(item, str | Path):
        if str(item) == "-":
            return "stdin"
        name = PurePath(item).name
        for ending in _ENDINGS:
            name = name.removesuffix(ending)
        return name or str(item)
    return f"system {number}"
