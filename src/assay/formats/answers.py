"""Answers of language models about gold's texts: one per line of JSON, or a file of text each.

A file of answers has no text of its own that could be cut into words: it is read as it is, and grounded when gold is
known. What comes of that is gold's text with the system's spans, and the mentions that they come from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from assay import specs
from assay.arrays import NONE, Bools, Ints
from assay.classes import dataclass
from assay.corpus import Column, Corpus, Marks
from assay.errors import InputError, UsageError
from assay.formats.builder import Builder, check_choice
from assay.formats.documents import check_ids
from assay.formats.grounding import LEVELS, Ground, SearchText
from assay.formats.jsondocs import IDS
from assay.formats.jsontext import expect, json_values, quote
from assay.formats.shapes import SHAPES, STATUSES, read_answer
from assay.formats.source import Source

KEYS = ("answer", "response", "output", "raw_output", "completion", "prediction", "generated_text", "text_output")
PARAMETERS: dict[str, Any] = {
    "shape": "auto",
    "ground": "fuzzy",
    "tolerance": 0.2,
    "occurrences": "next",
    "outside": "keep",
    "labels": "",
    "label": "",
    "answer": "",
}
CHOICES = {
    "shape": ("auto", *SHAPES),
    "ground": LEVELS[:3],
    "occurrences": ("next", "all"),
    "outside": ("keep", "drop"),
}
PARAMETER_HELP = (
    "shape: of the answers, auto or one of tags, marks, brackets, json, table, words, lines; ground: how far to go "
    "for the place of a mention (exact, folded, fuzzy); tolerance: edits per character if that is fuzzy; "
    "occurrences: a mention is the next occurrence (next) or all of them (all); outside: keep or drop mentions "
    "with labels outside "
    "the inventory; labels: the inventory, A+B (default: gold's); label: of shapes that have none, or the key "
    "that has "
    "it; answer: the key of the answer"
)
_EXAMPLE = '{"id": "d1", "answer": "…"}'
_SPANS = '[{"start": 0, "end": 3, "text": "Ann", "label": "PER", "score": 0.9}]'
_PREDICTED = re.compile(r"\s*+\[(?:\s*+\[\s*+\]\s*+,)*+\s*+\[\s*+(?:\{|\]\s*+\])")
"""A list of lists of objects, of which the first ones may be empty."""
OUTSIDE, OFFSETS, LONG = FLAGS = ("outside", "offsets", "long")
"""Columns of mentions: whose label is none of the inventory, which the answer gives by offsets alone, and which are
longer than half of their text."""
BESIDE = (OUTSIDE, OFFSETS)
"""The flags of mentions that are counted."""
_LEAST_LONG = 50
"""The least length of a mention that may be one too long: in titles and queries a shorter one can be all there is."""
SAID, LEVEL = "said", "level"
"""Columns of spans that come from answers: what the model wrote, and how that was found."""


@dataclass(frozen=True)
class Answer:
    """An answer as it came."""

    said: str | None
    """None if there is none."""
    name: str | None
    """The id of its text."""
    label: str
    """The label of mentions that have none."""
    text: str | None
    """The text that the file gives with it."""
    path: str
    line: int
    spans: Sequence[Any] | None = None
    """Predicted spans with offsets, as in JSON, if the answer is not a text."""

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass
class Answers:
    """All answers of a system, and how they are to be read."""

    answers: list[Answer] = field(default_factory=list)
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def layer(self) -> Answers:
        """The layer of a corpus that a reader collects: these."""
        return self


# --- reading ---


def decide_answers(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """The name of the format with all parameters that are not empty; refuses values that they cannot have."""
    for name, values in CHOICES.items():
        check_choice(name, given[name], values)
    if not 0 <= given["tolerance"] <= 1:
        raise UsageError(f"format answers: tolerance should be a share between 0 and 1, not {given['tolerance']}.")
    return {"name": specs.spell("answers", {name: value for name, value in given.items() if value != ""})}


def read_answers(source: Source, builder: Builder, **given: Any) -> None:
    """Read one file: values of JSON, or a text that is one answer."""
    collected = builder.collector(Answers)
    collected.parameters = given
    if source.path.endswith(".txt") and source.folder is not None:
        said = "\n".join(line for _, line in source.lines())
        found = [Answer(said, source.stem, given["label"], None, source.path, 1)]
    else:
        values = json_values(source, _EXAMPLE)
        found = list(_answers(((value, source.path, line) for line, value in values), given))
        if not found:
            raise InputError(f"{source.path}: contains no answers. An answer is {_EXAMPLE}")
    first = collected.answers[0] if collected.answers else found[0]
    for answer in found:
        check_ids(answer.name is not None, first.name is not None, answer.place)
        builder.add([""], [builder.words + 1], [answer.line])
    collected.answers += found


_PIPED = 'row {"text": …, "entities": […]} with the output of a pipeline'


def looks_predictions(head: Sequence[str]) -> bool:
    """True if the file begins with a list of lists of objects."""
    return _PREDICTED.match("\n".join(head)) is not None


def read_predictions(source: Source, builder: Builder) -> None:
    """Read one file: for each of gold's texts a list of spans, each with its text."""
    collected = builder.collector(Answers)
    # Labels are taken as they are.
    collected.parameters = {**PARAMETERS, "labels": "*"}
    for line, spans in json_values(source, _SPANS, "list of spans"):
        place = f"{source.path}:{line}"
        expect(isinstance(spans, list), place, spans, "a list of spans")
        for number, span in enumerate(spans, 1):
            has_text = isinstance(span, dict) and isinstance(span.get("text"), str)
            is_piped = isinstance(span, dict) and "word" in span
            asked = f"a {_PIPED if is_piped else 'span with its text'}"
            expect(has_text, f"{place}: span {number}", span, asked)
        collected.answers.append(Answer(None, None, "", None, source.path, line, spans))
        builder.add([""], [builder.words + 1], [line])


def _answers(values: Iterable[tuple[Any, str, int]], given: Mapping[str, Any]) -> Iterator[Answer]:
    """Answers from values of JSON, each with its file and line."""
    keyed: bool | None = None
    for value, path, line in values:
        place = f"{path}:{line}" if line else path
        if isinstance(value, str) or value is None:
            yield Answer(value, None, given["label"], None, path, line)
            continue
        if not isinstance(value, dict):
            raise InputError(f"{place}: {quote(value)}, but an answer is expected. It is {_EXAMPLE}")
        if keyed is None:
            keyed = bool(given["label"]) and given["label"] in value
        label = value.get(given["label"]) if keyed else given["label"]
        if not isinstance(label, str):
            raise InputError(f"{place}: no label under {given['label']}, but others have one. Give it one.")
        name = next((value[key] for key in IDS if value.get(key) is not None), None)
        is_name = isinstance(name, str | int | None) and not isinstance(name, bool)
        expect(is_name, f"{place}: the id", name, "a string or a number")
        text = value.get("text")
        yield Answer(
            _said(value, given["answer"], place),
            None if name is None else str(name),
            label,
            text if isinstance(text, str) else None,
            path,
            line,
        )


def _said(value: Mapping[str, Any], key: str, place: str) -> str | None:
    """The answer in an object, under the key given or one of the usual ones, or in the shape of a chat."""
    usual = next((name for name in ((key,) if key else KEYS) if name in value), None)
    if usual is not None:
        said = value[usual]
    else:
        try:
            said = value["choices"][0] if "choices" in value else value["messages"][-1]
            said = said.get("message", said)["content"]
        except (LookupError, TypeError, AttributeError):
            none = f"no {key}" if key else f"none of {', '.join(KEYS[:3])}, … is"
            raise InputError(f"{place}: {none} there. Name the key: answers(answer=KEY).") from None
    if isinstance(said, list) and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in said):
        parts = [part for part in said if set(part) <= {"type", "text", "annotations"} and "type" in part]
        said = "".join(part["text"] for part in parts) if parts and len(parts) == len(said) else said
    return said if said is None or isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def answers(given: Any, *, name: str = "data", **parameters: Any) -> Corpus:
    """Answers of a language model, as a system for `score` and `compare`.

    `given`: answers in the order of gold's texts, answers by id, or objects as a file of answers has them; None if
    none came. The parameters are those of the format: `shape`, `ground`, `tolerance`, `occurrences`, `outside`,
    `labels`, `label`, `answer`.
    """
    if isinstance(parameters.get("labels"), list | tuple):
        parameters["labels"] = "+".join(parameters["labels"])
    texts = {key: str(value) for key, value in parameters.items()}
    chosen = specs.convert_parameters("format answers", texts, PARAMETERS)
    if isinstance(given, Mapping):
        given = [{"id": str(key), "answer": said} for key, said in given.items()]
        chosen["answer"] = "answer"
    form = decide_answers((), name, chosen)["name"]
    listed = list(given)
    if not listed:
        raise InputError(f"{name}: contains no answers. Give one for each of gold's texts, None if there is none.")
    values = ((value, f"{name}, answer {number}", 0) for number, value in enumerate(listed, 1))
    found = list(_answers(values, chosen))
    nothing = np.zeros(0, dtype=np.int64)
    return Corpus(
        name=name,
        format=form,
        sha256=hashlib.sha256(repr(tuple(found)).encode("utf-8", "surrogatepass")).hexdigest(),
        forms=Column(np.zeros(len(found), dtype=np.int32), ("",)),
        columns={},
        starts=np.arange(len(found) + 1),
        has_words=False,
        marks={"spans": Marks(nothing, nothing, nothing, Column.of([]), nothing)},
    ).with_layer(Answers(found, chosen))


# --- the texts that answers are about ---


class _Texts:
    """Gold's texts, documents or sentences, and the atoms that their characters belong to: words, or these alone."""

    def __init__(self, gold: Corpus, starts: Ints) -> None:
        self.gold = gold
        self.starts = starts
        """The first sentence of each text, and the number of all."""
        self._first_atoms = gold.starts if gold.texts is None else np.cumsum([0, *map(len, gold.texts)])
        self._comments = gold.metadata("text") if gold.texts is None else []
        self._multiwords = {token.first: token for token in gold.multiwords}

    def read(self, number: int) -> tuple[str, Ints, Ints]:
        """A text, and begin and end of each of its atoms."""
        first, end = self.starts[number : number + 2].tolist()
        if self.gold.texts is not None:
            text = "".join(self.gold.texts[first:end])
            return text, np.arange(len(text)), np.arange(1, len(text) + 1)
        texts: list[str] = []
        places: list[tuple[int, int]] = []
        length = 0
        for sentence in range(first, end):
            text, in_sentence = self._read_sentence(sentence)
            texts.append(text)
            places += [(length + begin, length + behind) for begin, behind in in_sentence]
            length += len(text) + 1
        begins, ends = np.array(places, dtype=np.int64).reshape(-1, 2).T
        return "\n".join(texts), begins, ends

    def _read_sentence(self, sentence: int) -> tuple[str, list[tuple[int, int]]]:
        """The text of a sentence, from its comment or else from its words, and the place of each word there."""
        first, end = self.gold.starts[sentence : sentence + 2].tolist()
        forms = self.gold.forms.strings(first, end)
        surface: list[tuple[str, int]] = []
        word = first
        while word < end:
            token = self._multiwords.get(word)
            surface.append((forms[word - first], 1) if token is None else (token.form, token.end - token.first))
            word += surface[-1][1]
        text, after = self._comments[sentence] or "", 0
        places: list[tuple[int, int]] = []
        for form, words in surface:
            place = text.find(form, after)
            if place < 0 or text[after:place].strip():
                break
            after = place + len(form)
            places += [(place, after)] * words
        if len(places) < len(forms) or text[after:].strip():
            # There is no comment, or it has other words.
            text, ends = " ".join(form for form, _ in surface), accumulate(len(form) + 1 for form, _ in surface)
            stretches = [(end - 1 - len(form), end - 1) for (form, _), end in zip(surface, ends, strict=True)]
            places = [place for place, (_, words) in zip(stretches, surface, strict=True) for _ in range(words)]
        return text, places

    def atoms(self, number: int, place: tuple[int, int], begins: Ints, ends: Ints) -> tuple[int, int, int]:
        """The sentence that a stretch of a text begins in, the first atom that it touches there, and the next one."""
        start = self._first_atoms[self.starts[number]]
        first = start + np.searchsorted(ends, place[0], side="right")
        behind = start + np.searchsorted(begins, place[1], side="left")
        sentence = int(np.searchsorted(self._first_atoms, first, side="right")) - 1
        return sentence, int(first - self._first_atoms[sentence]), int(behind - self._first_atoms[sentence])


def texts_of(gold: Corpus, system: Corpus, given: Answers) -> tuple[_Texts, dict[int, list[Answer]]]:
    """Gold's texts, documents or sentences, and the answers to each."""
    if not gold.has_words and gold.texts is None:
        raise InputError(f"{gold.name}: has no words, so answers cannot be located in it.")
    sentences = np.arange(gold.sentences + 1)
    documents = sentences if gold.document_starts is None else gold.document_starts
    listed = given.answers
    if listed[0].name is None:
        number = len(listed)
        if number not in (gold.sentences, len(documents) - 1):
            pieces = "documents" if gold.in_documents else "sentences"
            raise InputError(
                f"{system.name}: has {number:,} answers for {gold.sentences:,} {pieces} of gold and no ids to match "
                f"them. Give each answer an id."
            )
        starts = sentences if number == gold.sentences else documents
        return _Texts(gold, starts), {place: [answer] for place, answer in enumerate(listed)}
    wanted = {answer.name for answer in listed}
    by_document = {name: number for number, name in enumerate(gold.document_ids)}
    by_sentence = {name: number for number, name in enumerate(gold.sentence_ids)}
    # Documents, where these have the ids; a file of sentences is one document by the name of the file.
    in_documents = len(wanted & by_document.keys()) > len(wanted & by_sentence.keys())
    known, starts = (by_document, documents) if in_documents else (by_sentence, sentences)
    found: dict[int, list[Answer]] = {}
    for answer in listed:
        if answer.name not in known:
            raise InputError(f"{answer.place}: gold has no id {answer.name}. Leave this answer out.")
        of_text = found.setdefault(known[answer.name], [])
        if of_text and not given.parameters["label"]:
            raise InputError(
                f"{answer.place}: id {answer.name} again. Join the answers to one document, or say where each has "
                "its label: answers(label=KEY)."
            )
        of_text.append(answer)
    return _Texts(gold, starts), found


# --- grounding ---


@dataclass(frozen=True, eq=False)
class Mentions:
    """The mentions of a system's answers, in gold's sentences, and how its answers could be read."""

    marks: Marks
    """Mentions in the sentence that each begins in; without a place, in the first sentence of its text. Columns: what
    the model wrote (SAID), how that was found (LEVEL), and FLAGS."""
    dropped: bool
    """True if mentions with labels outside the inventory are left out."""
    statuses: Ints
    """For each sentence of gold that begins a text the number of answers of each status."""
    text_of: Ints
    """The first sentence of the text that each sentence of gold belongs to."""

    def where(self, rows: Bools) -> Mentions:
        """Some of the mentions."""
        return replace(self, marks=self.marks.where(rows))

    def has_flag(self, name: str) -> Bools:
        """Mask of the mentions with a flag."""
        return self.marks.columns[name].isin((name,))

    @property
    def level(self) -> Ints:
        """Indices into LEVELS: the way in which each mention was found."""
        return self.marks.columns[LEVEL].codes

    @property
    def scored(self) -> Bools:
        """Mask of the mentions that count."""
        return ~self.has_flag(OUTSIDE) if self.dropped else np.ones(len(self.marks), dtype=bool)

    def in_inventory(self, labels: Collection[str]) -> Mentions:
        """These mentions, those with labels outside the inventory flagged."""
        outside = Column((~self.marks.labels.isin(labels)).astype(np.int8), ("", OUTSIDE))
        return replace(self, marks=replace(self.marks, columns={**self.marks.columns, OUTSIDE: outside}))


def add_mentions(corpus: Corpus, mentions: Mentions) -> Corpus:
    """The corpus with these mentions and their spans; of equal spans the first."""
    placed = mentions.marks.where(mentions.scored & (mentions.marks.begin != NONE))
    spans = placed.distinct(placed.unit, placed.begin, placed.end)
    spans = replace(spans, columns={name: spans.columns[name] for name in (SAID, LEVEL)})
    return corpus.with_marks(spans=spans).with_layer(mentions)


def choose_inventory(given: Mapping[str, Any], golds: Collection[str]) -> tuple[str, ...]:
    """The labels that answers may have: those the user names, else gold's."""
    named = tuple(filter(None, (label.strip() for label in given["labels"].split("+"))))
    return named or tuple(golds)


def ground_answers(system: Corpus, gold: Corpus, inventory: Collection[str]) -> Corpus:
    """Gold's text with the spans of a system's answers, and the mentions that they come from."""
    given = system.layer(Answers)
    assert given is not None
    texts, found = texts_of(gold, system, given)
    parameters = given.parameters
    ground = Ground(LEVELS.index(parameters["ground"]), parameters["tolerance"], parameters["occurrences"] == "all")
    statuses = np.zeros((gold.sentences, len(STATUSES)), dtype=np.int64)
    rows: list[tuple[int, ...]] = []
    """Sentence, begin, end, line, level and FLAGS of each mention; labels outside are flagged later."""
    labels, said = [], []
    lines = np.zeros(gold.sentences, dtype=np.int64)
    files: list[tuple[str, int]] = []
    starts = texts.starts.tolist()
    for number, (sentence, behind) in enumerate(pairwise(starts)):
        answered = found.get(number)
        if not answered:
            statuses[sentence, STATUSES.index("missing")] += 1
            continue
        text, begins, ends = texts.read(number)
        here = SearchText(text)
        lines[sentence:behind] = answered[0].line
        if not files or files[-1][0] != answered[0].path:
            files.append((answered[0].path, sentence if files else 0))
        for answer in answered:
            if answer.text is not None and "".join(answer.text.split()) != "".join(text.split()):
                raise InputError(
                    f"{answer.place}: its text is not that of gold ({gold.place_of_sentence(sentence)}). Leave the "
                    "text out, or give the answers to gold's."
                )
            reading = read_answer(answer.said, text, inventory, shape=parameters["shape"], label=answer.label)
            statuses[sentence, STATUSES.index(reading.status)] += 1
            for mention, level, place in here.ground(reading.mentions, reading.plain, ground):
                atoms = (sentence, NONE, NONE) if place is None else texts.atoms(number, place, begins, ends)
                by_offsets = reading.plain is None and mention.place is not None
                is_long = len(mention.text) >= max(_LEAST_LONG, len(text) // 2 + 1)
                rows.append((*atoms, answer.line, level, False, by_offsets, is_long))
                labels.append(mention.label)
                said.append(mention.text)
    unit, begin, end, line, levels, *flags = np.array(rows, dtype=np.int64).reshape(-1, 5 + len(FLAGS)).T
    columns = {SAID: Column.of(said), LEVEL: Column(levels, LEVELS)}
    columns |= {name: Column(codes.astype(np.int8), ("", name)) for name, codes in zip(FLAGS, flags, strict=True)}
    mentions = Mentions(
        Marks(unit, begin, end, Column.of(labels), line, columns=columns),
        dropped=parameters["outside"] == "drop",
        statuses=statuses,
        text_of=texts.starts[np.searchsorted(texts.starts, np.arange(gold.sentences), side="right") - 1],
    )
    grounded = replace(
        gold,
        name=system.name,
        format=system.format,
        sha256=system.sha256,
        columns={},
        files=tuple(files),
        lines=lines,
        word_per_line=False,
        comments=(),
        heads=None,
        trees=None,
        noted=system.noted,
        marks={},
        layers={},
    )
    return add_mentions(grounded, mentions)
