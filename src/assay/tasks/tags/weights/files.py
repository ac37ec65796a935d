"""Weights as files (JSON or TOML) and as presets."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from assay.errors import InputError, unknown
from assay.formats.source import Source
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.weights.table import ANY, KINDS, POS, Provenance, Row, Weights, categories, no_category

_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|-?\d+/\d+")
_TEXTS = ("source", "unit", "denominator", "date", "note", "readings_per_word")
_KEYS = ("kind", "w", "inputs", "counts", *_TEXTS)

# Table 1 of the paper: occurrences of categories in the query logs of Poliqarp.
_TABLE_1 = {
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
    "*": 0,
}


def presets() -> dict[str, Weights]:
    """The weights that come along, by their names."""
    half = Fraction(1, 2)
    paper = {**dict.fromkeys(("pos", "case", "number", "gender"), Fraction(2)), ANY: half}
    poliqarp = {category: Fraction(count) for category, count in _TABLE_1.items()}
    where = "Acedański & Przepiórkowski 2010"
    return {
        "equal": Weights("wpa", {ANY: Fraction(1)}, Provenance("equal", note="every position counts the same")),
        "paper": Weights("wpa", paper, Provenance("example", note=f"{where}, section 2.3")),
        "poliqarp": Weights("wpa", poliqarp, Provenance("query-log", "queries", note=f"{where}, Table 1")),
    }


def load(name: str) -> Weights:
    """Weights by the name of a preset or by the path of a file."""
    known = presets()
    if name in known:
        return known[name]
    if not name.endswith((".json", ".toml")) and not Path(name).is_file():
        raise unknown("preset of weights", name, [*known, "a file weights.json"])
    return _Loader(name, "".join(batch.text for batch in Source(name).batches())).weights()


def dump(weights: Weights) -> str:
    """Weights as JSON: whole numbers and fraction strings, always in the same order."""
    provenance = weights.provenance
    found = {
        "kind": weights.kind,
        **{key: getattr(provenance, key) for key in ("source", "unit", "denominator")},
        "inputs": list(provenance.inputs),
        "counts": dict(provenance.counts),
        "date": provenance.date,
        "note": provenance.note,
        "readings_per_word": provenance.readings_per_word,
    }
    rows = {name: _written(weights.rows[name]) for name in sorted(weights.rows, key=_order)}
    kept: dict[str, Any] = {key: value for key, value in found.items() if value}
    kept["w"] = rows if weights.kind == "cwpa" else rows[ANY]
    return json.dumps(kept, ensure_ascii=False, indent=2) + "\n"


def listed(weights: Weights) -> str:
    """Weights as a table for people, the heaviest category first (Table 1 of the paper); `*` is any other."""
    conditional = weights.kind == "cwpa"
    lines = ["\t".join([*["class"] * conditional, "category", "weight"])]
    for name in sorted(weights.rows, key=_order):
        row = weights.rows[name]
        for key in sorted(row, key=lambda key: (key == ANY, -row[key], _order(key))):
            number = row[key]
            shown = str(number.numerator) if number.denominator == 1 else f"{float(number):.4f}"
            lines.append("\t".join([*[name] * conditional, key, shown]))
    if weights.provenance.readings_per_word:
        lines.append(f"# readings per word: {float(Fraction(weights.provenance.readings_per_word)):.4f}")
    lines += [f"# {text}" for text in (weights.provenance.source, weights.provenance.note) if text]
    return "\n".join(lines) + "\n"


def check_categories(weights: Weights, tagset: Tagset) -> None:
    """Refuse a category that the tagset does not have; a tagset without a list of categories takes all.

    A preset may know more categories than the tagset, as tagsets of one language differ, if they share some.
    """
    known = categories(tagset)
    named = {category: None for row in weights.rows.values() for category in row if category not in (POS, ANY)}
    lowered = {category.lower() for category in known}
    foreign = [category for category in named if category not in known and category not in lowered]
    if not known or (weights in presets().values() and len(foreign) < len(named)):
        return
    for category in foreign:
        raise no_category(category, tagset)


def exact(text: str) -> Fraction | str:
    """A number as it is written, without rounding; what is no number stays text, for the error to show."""
    if not _NUMBER.fullmatch(text):
        return text
    try:
        return Fraction(text)
    except (ZeroDivisionError, ValueError):
        return text


def _written(row: Row) -> dict[str, int | str]:
    return {key: _plain(row[key]) for key in sorted(row, key=_order)}


def _plain(weight: Fraction) -> int | str:
    return weight.numerator if weight.denominator == 1 else str(weight)


def _order(name: str) -> tuple[int, str]:
    return (0 if name == POS else 2 if name == ANY else 1), name


class _Loader:
    """One file; keeps its text, so that a mistake can be given its line."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.data = self._parse()

    def _parse(self) -> dict[str, Any]:
        try:
            data = tomllib.loads(self.text, parse_float=exact) if self._is_toml() else self._json()
        except json.JSONDecodeError as error:
            raise InputError(f"{self.path}:{error.lineno}: not JSON ({error.msg}).") from None
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            raise InputError(f"{self.path}:{line[1] if line else 1}: not TOML ({error}).") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path}: cannot be understood ({error}).") from None
        if not isinstance(data, dict):
            raise InputError(f"{self.path}:1: weights are a table with the keys kind and w.")
        return data

    def _is_toml(self) -> bool:
        return self.path.endswith(".toml") or not self.text.lstrip().startswith(("{", "["))

    def _json(self) -> Any:
        return json.loads(self.text, parse_float=exact, parse_constant=str, object_pairs_hook=self._once)

    def _once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise self.fail((key,), f"the key {key!r} stands twice in one table. Keep one of them.")
            found[key] = value
        return found

    def fail(self, keys: tuple[str, ...], fact: str) -> InputError:
        """The error for what stands at a path of keys, with the line of the last of them."""
        place = 0
        for key in keys:
            pattern = re.compile(rf"(?:[\"']|(?<![\w.-]))(?:w\.)?{re.escape(key)}[\"']?\s*[:=\]]")
            match = pattern.search(self.text, place)
            place = match.start() if match else place
        return InputError(f"{self.path}:{self.text.count(chr(10), 0, place) + 1}: {fact}")

    def weights(self) -> Weights:
        for key in self.data:
            if key not in _KEYS:
                raise self.fail((key,), str(unknown("key of a weights file", key, _KEYS)))
        kind = self.data.get("kind")
        if kind is None:
            raise InputError(f"{self.path}:1: no `kind`. Weights have one of: {', '.join(KINDS)}.")
        if not isinstance(kind, str) or kind not in KINDS:
            raise self.fail(("kind",), str(unknown("kind of weights", str(kind), KINDS)))
        table = self.data.get("w")
        if not isinstance(table, dict) or not table:
            raise self.fail(("w",), "no table `w` with the weights, e.g. {" + _EXAMPLES[kind] + "}.")
        w = self._rows(table) if kind == "cwpa" else self._row(table, ("w",))
        return Weights(kind, w, self._provenance())

    def _rows(self, table: Mapping[str, Any]) -> dict[str, Row]:
        for name, row in table.items():
            if not isinstance(row, dict):
                raise self.fail(
                    ("w", name),
                    f"w.{name} should be a table, since the weights of cwpa are given per part of speech, e.g. "
                    "{" + _EXAMPLES["cwpa"] + "}.",
                )
        return {name: self._row(row, ("w", name)) for name, row in table.items()}

    def _row(self, row: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Fraction]:
        return {key: self._weight(value, (*keys, key)) for key, value in row.items()}

    def _weight(self, value: Any, keys: tuple[str, ...]) -> Fraction:
        number = exact(value) if isinstance(value, str) else value
        name = ".".join(keys)
        if isinstance(number, bool) or not isinstance(number, int | Fraction):
            shown = value if isinstance(value, str) else json.dumps(value, default=str)
            raise self.fail(keys, f'{name} is {shown}, which is no number. A weight is like 2, 0.5 or "1/2".')
        if number < 0:
            raise self.fail(keys, f"{name} is {number}, which is negative. A weight is 0 or more.")
        return Fraction(number)

    def _provenance(self) -> Provenance:
        texts = {key: str(self.data.get(key, "")) for key in _TEXTS}
        if (each := texts["readings_per_word"]) and not isinstance(exact(each), Fraction):
            raise self.fail(("readings_per_word",), f"readings_per_word is {each}, which is no number.")
        inputs, counts = self.data.get("inputs", []), self.data.get("counts", {})
        if not isinstance(inputs, list) or not all(isinstance(item, str) for item in inputs):
            raise self.fail(("inputs",), "inputs should be a list of file names.")
        if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
            raise self.fail(("counts",), "counts should be a table of whole numbers.")
        return Provenance(**texts, inputs=tuple(inputs), counts=counts)


_EXAMPLES = {
    "wpa": '"kind": "wpa", "w": {"pos": 2, "case": "1/2", "*": 0}',
    "cwpa": '"kind": "cwpa", "w": {"subst": {"pos": 2, "case": 1}, "*": {"*": 0}}',
}
