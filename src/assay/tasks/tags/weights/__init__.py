"""Weights of the categories of a tag: read, written, and made from data.

`ambiguity`, `rules` and `queries` make them in the three ways of Acedański & Przepiórkowski 2010, section 2.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

from assay.classes import dataclass
from assay.corpus import SEVERAL, Column, Corpus
from assay.errors import InputError, UsageError, unknown
from assay.formats import Input, choose_column
from assay.formats.source import Source
from assay.tasks.tags.tagsets import Tag, Tagset, parse_data

KINDS = ("wpa", "cwpa")
POS = "pos"
"""The name of the part of speech among the categories."""
ANY = "*"
"""The entry for everything that a table does not list."""
Row = Mapping[str, Fraction]

MOST_LISTED = 10

_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|-?\d+/\d+")
_TEXTS = ("source", "unit", "denominator", "date", "note", "readings_per_word")
_KEYS = ("kind", "w", "inputs", "counts", *_TEXTS)
_EXAMPLES = {
    "wpa": '{"kind": "wpa", "w": {"pos": 2, "case": "1/2", "*": 0}}',
    "cwpa": '{"kind": "cwpa", "w": {"subst": {"pos": 2, "case": 1}, "*": {"*": 0}}}',
}


@dataclass(frozen=True)
class Provenance:
    """How weights were made, so that their file can be understood and made again."""

    source: str = ""
    unit: str = ""
    """What was counted: queries, mentions, rules, running words, entries."""
    denominator: str = ""
    inputs: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    date: str = ""
    """The day on which the input file was last changed."""
    note: str = ""
    readings_per_word: str = ""
    """Mean number of readings of a word, as a fraction, for weights from ambiguity."""


@dataclass(frozen=True)
class Weights:
    """The weight of each category (`wpa`), or of each category given the part of speech (`cwpa`)."""

    kind: str
    w: Row | Mapping[str, Row]
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def rows(self) -> Mapping[str, Row]:
        """One row per part of speech; absolute weights are the row of any part of speech."""
        return cast(Mapping[str, Row], self.w) if self.kind == "cwpa" else {ANY: cast(Row, self.w)}

    def of(self, pos: str, category: str) -> Fraction | None:
        """The weight of a category in tags of a part of speech; `pos` is that of the part of speech itself.

        A category that is not listed has the weight of the nearest `*`: that of the same part of speech, then the
        category of any part of speech, then any of any. None if there is no such entry.
        """
        for name in (pos, ANY):
            row = self.rows.get(name, {})
            # Tagsets write Case or case; no two categories differ only in this.
            for key in (category, category.lower(), ANY):
                if key in row:
                    return row[key]
        return None

    def normalised(self) -> Weights:
        """The weights scaled to sum 1, which changes no score; weights that are all 0 stay as they are."""
        total = sum((weight for row in self.rows.values() for weight in row.values()), Fraction(0))
        if not total:
            return self
        rows = {name: {key: weight / total for key, weight in row.items()} for name, row in self.rows.items()}
        return replace(self, w=rows if self.kind == "cwpa" else rows[ANY])


@dataclass(frozen=True)
class NewWeights:
    """Weights made from data, and warnings about data that were left out."""

    weights: Weights
    warnings: tuple[str, ...] = ()


def make_weights(
    w: Any,
    conditional: bool,
    inputs: Sequence[str | None],
    counts: Mapping[str, int],
    warnings: Sequence[str],
    **more: str,
) -> NewWeights:
    """Weights made from data; `inputs` are the given files, and the date is that of the first."""
    files = tuple(path for path in inputs if path)
    date = ""
    if files and Path(files[0]).is_file():
        # Standard input, folders and patterns have none.
        date = datetime.fromtimestamp(Path(files[0]).stat().st_mtime, UTC).date().isoformat()
    provenance = Provenance(inputs=files, counts=counts, date=date, **more)
    return NewWeights(Weights("cwpa" if conditional else "wpa", w, provenance), tuple(warnings))


# --- presets and files ---


def presets() -> dict[str, Weights]:
    """The bundled weights, by their names."""
    authors = "Acedański & Przepiórkowski 2010"
    paper = {**dict.fromkeys(("pos", "case", "number", "gender"), Fraction(2)), ANY: Fraction(1, 2)}
    # Occurrences of categories in the query logs of Poliqarp.
    table_1 = {
        "pos": 37771,
        "case": 14055,
        "number": 2074,
        "gender": 552,
        "aspect": 222,
        "person": 186,
        "degree": 81,
        "accommodability": 25,
        "post_prepositionality": 8,
        "negation": 7,
        "accentability": 5,
        "agglutination": 4,
        ANY: 0,
    }
    poliqarp = {category: Fraction(count) for category, count in table_1.items()}
    return {
        "equal": Weights("wpa", {ANY: Fraction(1)}, Provenance("equal", note="every position counts the same")),
        "paper": Weights("wpa", paper, Provenance("example", note=f"{authors}, section 2.3")),
        "poliqarp": Weights("wpa", poliqarp, Provenance("query-log", "queries", note=f"{authors}, Table 1")),
    }


def load_weights(name: str) -> Weights:
    """Weights by the name of a preset or by the path of a file."""
    bundled = presets()
    if name in bundled:
        return bundled[name]
    if not name.endswith((".json", ".toml")) and not Path(name).is_file():
        raise unknown("preset of weights", name, [*bundled, "a file weights.json"])
    return _File(name, file_text(name)).weights()


def dump_weights(weights: Weights) -> str:
    """Weights as JSON: whole numbers and fraction strings, always in the same order."""
    rows: dict[str, dict[str, int | str]] = {}
    for name, row in sorted(weights.rows.items(), key=_order):
        ordered = sorted(row.items(), key=_order)
        rows[name] = {key: weight.numerator if weight.denominator == 1 else str(weight) for key, weight in ordered}
    data = {"kind": weights.kind, **vars(weights.provenance), "w": rows if weights.kind == "cwpa" else rows[ANY]}
    filled = {key: value for key, value in data.items() if value or key == "w"}
    return json.dumps(filled, ensure_ascii=False, indent=2) + "\n"


def format_weights(weights: Weights) -> str:
    """Weights as a table for people, the heaviest category first (Table 1 of the paper); `*` is any other."""
    conditional = weights.kind == "cwpa"
    lines = ["\t".join([*["class"] * conditional, "category", "weight"])]
    for name, row in sorted(weights.rows.items(), key=_order):
        for key, number in sorted(row.items(), key=lambda item: (item[0] == ANY, -item[1], _order(item))):
            shown = str(number.numerator) if number.denominator == 1 else f"{float(number):.4f}"
            lines.append("\t".join([*[name] * conditional, key, shown]))
    if weights.provenance.readings_per_word:
        lines.append(f"# readings per word: {float(Fraction(weights.provenance.readings_per_word)):.4f}")
    lines += [f"# {text}" for text in (weights.provenance.source, weights.provenance.note) if text]
    return "\n".join(lines) + "\n"


def _order(item: tuple[str, Any]) -> tuple[int, str]:
    """The part of speech first, `*` last."""
    return (0 if item[0] == POS else 2 if item[0] == ANY else 1), item[0]


def check_categories(weights: Weights, tagset: Tagset) -> None:
    """Raise UsageError for a category that the tagset does not have; a tagset without a list accepts all.

    A preset can have more categories than the tagset, because tagsets of one language differ, if they share some.
    """
    categories = tagset.categories()
    named = {category: None for row in weights.rows.values() for category in row if category not in (POS, ANY)}
    lowered = {category.lower() for category in categories}
    foreign = [category for category in named if category not in categories and category not in lowered]
    if not categories or (weights in presets().values() and len(foreign) < len(named)):
        return
    for category in foreign:
        raise no_category(category, tagset)


def no_category(name: str, tagset: Tagset, more: tuple[str, ...] = ()) -> UsageError:
    """The error for a category that the tagset does not have, with the nearest that it has."""
    return UsageError(f"tagset {tagset.name}: {unknown('category', name, (POS, *tagset.categories(), *more))}")


def check_weights(weights: Weights, tagset: Tagset | None = None) -> list[str]:
    """Warnings about parts of speech whose tags have no weight, and those that the tagset does not have."""

    if not any(weight for row in weights.rows.values() for weight in row.values()):
        return ["all weights are 0, so identical tags score 1 and all others 0."]
    warnings = []
    weightless = [name for name in weights.rows if name != ANY and not any(weights.rows[name].values())]
    if tagset and (classes := tagset.classes()):
        weightless = [
            name
            for name, categories in classes.items()
            if not any(weights.of(name, category) for category in (POS, *categories))
        ]
        foreign = [name for name in weights.rows if name != ANY and name not in classes]
        if foreign:
            names = _join_first(foreign)
            warnings.append(f"the tagset {tagset.name} has no class {names}, so these weights are never used.")
    if weightless:
        warnings.append(
            f"the total weight is 0 for class {_join_first(weightless)}, so identical tags score 1 and all others 0."
        )
    return warnings


def read_number(text: str) -> Fraction | str:
    """The number in a text, exactly as it is written; the text itself if it is not a number."""
    if not _NUMBER.fullmatch(text):
        return text
    try:
        return Fraction(text)
    except (ZeroDivisionError, ValueError):
        return text


@dataclass(frozen=True)
class _File:
    """One file, with its text for the lines of errors."""

    path: str
    text: str

    def fail(self, keys: tuple[str, ...], fact: str) -> InputError:
        """An error about the value at a path of keys, with the line of the last key."""
        place = 0
        for key in keys:
            pattern = re.compile(rf"(?:[\"']|(?<![\w.-]))(?:w\.)?{re.escape(key)}[\"']?\s*[:=\]]")
            match = pattern.search(self.text, place)
            place = match.start() if match else place
        return InputError(f"{self.path}:{self.text.count(chr(10), 0, place) + 1}: {fact}")

    def table(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """A table of JSON; InputError if a key comes twice."""
        table: dict[str, Any] = {}
        for key, value in pairs:
            if key in table:
                raise self.fail((key,), f"the key {key!r} comes twice in one table. Keep one of them.")
            table[key] = value
        return table

    def weights(self) -> Weights:
        """The weights that the text defines, JSON or TOML."""
        toml = self.path.endswith(".toml") or not self.text.lstrip().startswith(("{", "["))
        options = {} if toml else {"parse_constant": str, "object_pairs_hook": self.table}
        data = parse_data(self.path, self.text, toml=toml, parse_float=read_number, **options)
        if not isinstance(data, dict):
            raise InputError(f"{self.path}:1: weights are a table with the keys kind and w.")
        for key in data:
            if key not in _KEYS:
                raise self.fail((key,), str(unknown("key of a weights file", key, _KEYS)))
        kind, table = data.get("kind"), data.get("w")
        if kind is None:
            raise InputError(f"{self.path}:1: no `kind`. Weights have one of: {', '.join(KINDS)}.")
        if not isinstance(kind, str) or kind not in KINDS:
            raise self.fail(("kind",), str(unknown("kind of weights", str(kind), KINDS)))
        if not isinstance(table, dict) or not table:
            raise self.fail(("w",), f"no table `w` with the weights, e.g. {_EXAMPLES[kind]}.")
        for name, row in table.items() if kind == "cwpa" else ():
            if not isinstance(row, dict):
                raise self.fail(
                    ("w", name),
                    f"w.{name} should be a table, because the weights of cwpa are given per part of speech, e.g. "
                    f"{_EXAMPLES['cwpa']}.",
                )
        w: Any = self.row(table, "w") if kind == "wpa" else {name: self.row(table[name], "w", name) for name in table}
        return Weights(kind, w, self.provenance(data))

    def row(self, row: Mapping[str, Any], *keys: str) -> dict[str, Fraction]:
        """The weights at a path of keys."""
        numbers = {}
        for key, value in row.items():
            number = read_number(value) if isinstance(value, str) else value
            name = ".".join((*keys, key))
            if isinstance(number, bool) or not isinstance(number, int | Fraction):
                shown = value if isinstance(value, str) else json.dumps(value, default=str)
                fact = f'{name} is {shown}, but a weight is a number such as 2, 0.5 or "1/2".'
                raise self.fail((*keys, key), fact)
            if number < 0:
                raise self.fail((*keys, key), f"{name} is {number}, but a weight is 0 or more.")
            numbers[key] = Fraction(number)
        return numbers

    def provenance(self, data: Mapping[str, Any]) -> Provenance:
        """How the weights were made, as far as the file contains it."""
        texts = {key: str(data.get(key, "")) for key in _TEXTS}
        if (each := texts["readings_per_word"]) and not isinstance(read_number(each), Fraction):
            raise self.fail(("readings_per_word",), f"readings_per_word is {each}, but should be a number.")
        inputs, counts = data.get("inputs", []), data.get("counts", {})
        if not isinstance(inputs, list) or not all(isinstance(item, str) for item in inputs):
            raise self.fail(("inputs",), "inputs should be a list of file names.")
        if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
            raise self.fail(("counts",), "counts should be a table of whole numbers.")
        return Provenance(**texts, inputs=tuple(inputs), counts=counts)


# --- common to the makers of weights ---


def file_text(path: str) -> str:
    """The text of a file."""
    return "".join(batch.text for batch in Source(path).batches())


def number_lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers."""
    for batch in Source(path).batches():
        yield from ((number, line) for number, line in batch.lines() if line.strip())


def read_tagged(path: str, column: str | None, tagset: Tagset) -> tuple[Corpus, Column]:
    """A corpus with its lemmas, if it has any, and its tags; the columns of `UPOS+FEATS` together are a tag."""
    source = Input(path, wanted=[column] if column else [])
    names = (column or getattr(tagset, "column", "") or choose_column([source])).split("+")
    lemma = [name for name in source.plan.labels if name.casefold() == "lemma"]
    corpus = source.read([*names, *lemma])
    columns = [corpus.column(source.plan.resolve(name)) for name in names]
    if len(columns) == 1:
        return corpus, columns[0]
    return corpus, Column.of(map(" ".join, zip(*(part.strings() for part in columns), strict=True)))


def analyse_tag(tagset: Tagset, tag: str) -> tuple[Tag, ...]:
    """The analyses of each tag of a cell; a tag outside the tagset is a part of speech without categories."""
    return tuple(analysis for part in tag.split(SEVERAL) for analysis in tagset.read(part) or (Tag(part),))


def group_by_pos(weights: Mapping[tuple[str, str], Fraction]) -> dict[str, dict[str, Fraction]]:
    """A row per part of speech, from weights by part of speech and category."""
    rows: dict[str, dict[str, Fraction]] = {}
    for (pos, category), weight in weights.items():
        rows.setdefault(pos, {})[category] = weight
    return rows


def most_frequent(counts: Mapping[str, int]) -> str:
    """`a (3), b (1)`: the most frequent first, at most ten of them."""
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    return _join_first([f"{name} ({counts[name]})" for name in ordered])


def _join_first(names: Sequence[str]) -> str:
    """The first ten names, and the number of the others."""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
