"""Mapping files: rules by which labels are changed before anything is compared."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import as_codes
from assay.classes import dataclass
from assay.corpus import Column, Corpus
from assay.engine.expressions import Expression, expression
from assay.engine.warnings import Remark, remark
from assay.errors import InputError, unknown
from assay.formats.source import Source
from assay.result import Mapped


@dataclass(frozen=True)
class Rule:
    """`before` becomes `after` on one side; `re:` begins a regular expression, `form` limits it to some words."""

    side: str
    before: str
    after: str
    form: str = ""

    def __str__(self) -> str:
        where = f" if the word is {self.form}" if self.form else ""
        return f"{self.side}: {self.before} → {self.after}{where}"

    def check(self, place: str) -> None:
        """Raise an error for an invalid pattern, or a target with groups that the pattern lacks."""
        _compile(self.form, place)
        if not self.before.startswith("re:"):
            return
        pattern = self.before.removeprefix("re:")
        groups = _compile(pattern, place).groups
        try:
            re.sub("()" * groups, self.after, "")
        except (re.error, IndexError) as error:
            raise InputError(f"{place}: {self.after!r} does not match {pattern!r} ({error}).") from None

    def map_label(self, label: str) -> str | None:
        """The label that this one becomes; None if the rule does not apply."""
        if not self.before.startswith("re:"):
            return self.after if label == self.before else None
        return expression(self.before[3:]).expand(self.after, label)


def _compile(pattern: str, place: str) -> Expression:
    try:
        with warnings.catch_warnings():
            # What will mean something else one day means nothing sure today.
            warnings.simplefilter("error", FutureWarning)
            return expression(pattern)
    except (re.error, FutureWarning, RecursionError, OverflowError) as error:
        raise InputError(f"{place}: {pattern!r} is not a regular expression ({error}).") from None


def read_rules(path: str | None, systems: Sequence[str] | None = None) -> list[Rule]:
    """Rules of a file: TSV rows `[side] from to [form pattern]`, or JSON with the same names. No file has no rules.

    Rules for a side that is none of these systems are refused.
    """
    if path is None:
        return []
    text = "".join(batch.text for batch in Source(path).batches())
    is_json = text.lstrip()[:1] in ("[", "{")
    rules = list(_json_rules(path, text)) if is_json else []
    for number, line in enumerate(() if is_json else text.split("\n"), 1):
        cells = line.rstrip("\r").split("\t")
        if not line.strip() or line.startswith("# ") or cells[:2] == ["side", "from"]:
            continue
        if len(cells) not in (2, 3, 4):
            raise InputError(
                f"{path}:{number}: {len(cells)} columns, but a rule has 2 (from, to), 3 (side, from, to) or 4 (… and "
                f"a pattern for the word), separated by tabs."
            )
        rules.append((number, Rule(*(["both", *cells] if len(cells) == 2 else cells))))
    for number, rule in rules:
        rule.check(f"{path}:{number}")
    if not rules:
        raise InputError(f"{path}: contains no rules. A rule is a line: from TAB to")
    sides = ("gold", "system", "both", *(systems or ()))
    for _, rule in rules if systems is not None else ():
        if rule.side not in sides:
            raise InputError(f"{path}: {unknown('side', rule.side, sides)}")
    return [rule for _, rule in rules]


def _json_rules(path: str, text: str) -> Iterator[tuple[int, Rule]]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg}).") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be understood ({error}).") from None
    if isinstance(data, dict):
        data = [{"from": before, "to": after} for before, after in data.items()]
    for number, row in enumerate(data, 1):
        if not isinstance(row, dict) or not {"from", "to"} <= row.keys():
            raise InputError(f"{path}: rule {number} has no `from` and `to`.")
        if not all(isinstance(value, str) for value in row.values()):
            raise InputError(f"{path}: rule {number} has a value that is not a string.")
        yield number, Rule(row.get("side", "both"), row["from"], row["to"], row.get("form", ""))


def map_corpus(
    rules: Sequence[Rule], corpus: Corpus, column: str, sides: Sequence[str]
) -> tuple[Corpus, list[Mapped]]:
    """The corpus with its labels mapped, and what each rule did; a word that has a label keeps one."""
    before = corpus.column(column)
    labels, report = map_labels(rules, before, corpus.forms, sides, corpus.name)
    nothing = np.array([label == "" != corpus.empty for label in labels.vocabulary], dtype=bool)[labels.codes]
    lost = np.flatnonzero(nothing & (labels.codes != before.codes))
    if len(lost):
        raise InputError(
            f"{corpus.place(int(lost[0]))}: the mapping removes the label {before[int(lost[0])]}. Map it to another "
            f"label, because words need one."
        )
    return replace(corpus, columns={**corpus.columns, column: labels}), report


def map_labels(
    rules: Sequence[Rule], labels: Column, forms: Column, sides: Sequence[str], name: str
) -> tuple[Column, list[Mapped]]:
    """Labels mapped, and what each rule did; of several rules for an item the first counts."""
    open_words = np.ones(len(labels), dtype=bool)
    known = {label: code for code, label in enumerate(labels.vocabulary)}
    codes = labels.codes.copy()
    report = []
    for rule in rules:
        if rule.side not in ("both", *sides):
            continue
        targets = [rule.map_label(label) for label in labels.vocabulary]
        hit = np.array([target is not None for target in targets], dtype=bool)[labels.codes] & open_words
        if rule.form:
            fits = [expression(rule.form).fullmatch(form) is not None for form in forms.vocabulary]
            hit &= np.array(fits, dtype=bool)[forms.codes]
        new = as_codes(
            (label if target is None else target for target, label in zip(targets, labels.vocabulary, strict=True)),
            known,
        )
        codes[hit] = new[labels.codes[hit]]
        open_words &= ~hit
        report.append(Mapped(name, str(rule), int(hit.sum())))
    return Column(codes, tuple(known)), report


def idle_rules(rows: Sequence[Mapped]) -> Iterator[Remark]:
    """Remarks on rules that fit no word in any file."""
    for rule in dict.fromkeys(row.rule for row in rows):
        yield idle_rule(rule=rule, words=sum(row.words for row in rows if row.rule == rule))


@remark
def idle_rule(rule: str, words: int) -> Iterator[str]:
    """A rule of a mapping file that fits nothing."""
    if not words:
        yield f"the mapping rule {rule} matches nothing."
