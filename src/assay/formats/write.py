"""A Corpus becomes text again: words with labels here, spans in `writespans`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from assay import specs
from assay.corpus import Column, Corpus
from assay.errors import UsageError, unknown
from assay.formats import Input, choose_column, graphwriter, links, read_labels, schemes, writespans
from assay.formats.columns import CONLLU

TARGETS = ("conllu", "conllx", "conll", "tsv", "slash")
"""Formats of words with labels; those of graphs and of semantic roles are in `graphwriter.TARGETS`."""
_HOLDS_ONE_LABEL = ("conll", "tsv", "slash")
_DIVIDERS = {"tsv": "\t", "conll": " "}


def convert_file(source: Input, target: str, column: str | None) -> tuple[dict[str, str], list[str]]:
    """The texts in the target format by the names of their files, and a sentence for everything that it cannot hold.

    Where there is but one file, it has no name.
    """
    name, given = specs.parse(target, "format")
    known = dict.fromkeys((*TARGETS, *graphwriter.TARGETS, *writespans.TARGETS))
    if name not in known:
        raise unknown("format", name, known)
    if name in graphwriter.TARGETS and (name not in TARGETS or "arcs" in source.plan.layers):
        if column is not None:
            raise UsageError(f"--column {column}: {name} has a place for each column and no choice. Leave it out.")
        text, losses = graphwriter.write_graph(source, name, given)
        return {"": text}, losses
    if given:
        raise UsageError(f"format {name} takes no parameters here, so not {next(iter(given))!r} either.")
    if name in writespans.TARGETS:
        if column:
            raise UsageError(f"--column is about labels of words, and {name} has spans. Leave it out.")
        corpus = links.with_links(source.read())
        files, losses = writespans.write_spans(corpus, name)
        for fault, action, number, first in corpus.repairs:
            losses.append(f"{fault}: {number:,} {action} (the first: {first}).")
        for reason, number in Counter(reason for _, _, reason in corpus.left_out).items():
            losses.append(f"documents left out ({reason}): {number:,}.")
        return files, losses
    chosen = None
    if name in _HOLDS_ONE_LABEL:
        chosen = source.plan.resolve(column) if column else choose_column([source])
    corpus, losses = graphwriter.without_graph(source, name)
    text, others = _converted(corpus, name, column, chosen)
    return {"": text}, [*losses, *others]


def _converted(corpus: Corpus, target: str, column: str | None, chosen: str | None) -> tuple[str, list[str]]:
    """The text of a corpus, and what is lost; the column `chosen` goes into a format that holds one label."""
    if target not in TARGETS:
        raise unknown("format", target, TARGETS)
    if chosen is not None and target in _HOLDS_ONE_LABEL:
        text = "".join(_one_label(corpus, chosen, target))
        kept = {chosen}
    else:
        # Columns go where they are called so, else the label asked for goes to XPOS.
        named = {name: name for name in corpus.columns if name in CONLLU}
        if not named and not corpus.columns:
            raise UsageError(
                f"{corpus.name}: has no words with labels, which {target} consists of. Convert a file with tags."
            )
        if not named:
            place = (column or "XPOS").upper()
            label = column if column is not None and column in corpus.columns else list(corpus.columns)[-1]
            named = {place if place in CONLLU[2:] else "XPOS": label}
        text = "".join(_conll(corpus, named, with_comments=target == "conllu"))
        kept = set(named.values())
    lost = [name for name in corpus.columns if name not in kept and not corpus.is_empty(name)]
    losses = [f"{target} has no place for {', '.join(lost)}: left out."] if lost else []
    if mentions := corpus.marks.get("mentions"):
        losses.append(f"{target} has no place for {len(mentions):,} mentions in chains: left out.")
    if target != "conllu" and corpus.comments:
        losses.append(f"{target} has no comments: {len(corpus.comments):,} left out.")
    if target != "conllu" and corpus.aside_lines:
        losses.append(f"{target} has no ranges or empty nodes: {len(corpus.aside_lines):,} lines left out.")
    return text, losses


def rewrite(
    source: Input,
    target: str | None,
    column: str | None,
    *,
    scheme: str | None = None,
    repair: str | None = None,
    to_scheme: str | None = None,
) -> tuple[str, list[str]]:
    """The text with its tags of spans under another scheme, or repaired; and what is to be said of it.

    Tables keep their other columns, comments and marks of documents; other formats hold what `convert_file` leaves.
    """
    corpus = source.read()
    if column:
        # The file's own names of columns, or of keys of them.
        parts = (part.partition(":") for part in column.split("+"))
        asked = [source.plan.resolve(base) + colon + key for base, colon, key in parts]
    else:
        asked = [name for name, cells in corpus.columns.items() if schemes.looks_like_tags(cells.counts())]
        if len(asked) != 1:
            what = f"columns {', '.join(asked)} all hold" if asked else "no column holds"
            raise UsageError(f"{source.path}: {what} tags of spans such as B-PER. Say which: --column")
    corpus = read_labels(corpus, asked)
    chosen = schemes.find_scheme(scheme or schemes.likely(corpus, asked))
    corpus, reading = schemes.spans_from_tags(corpus, asked, chosen.name, repair)
    written = schemes.find_scheme(to_scheme) if to_scheme else chosen
    tags = schemes.tags_of(corpus, written.name)
    said = [f"column {'+'.join(asked)} is read as {chosen.title} and written as {written.title}."]
    if reading.invalid:
        said.append(
            f"tags that break {chosen.title}: {reading.invalid:,}; repaired by {repair or schemes.CONLLEVAL}, which "
            f"changed the reading of {reading.repaired:,}."
        )
    form = target or source.plan.format
    assert corpus.spans is not None
    crossing = int((corpus.spans.end > np.diff(corpus.starts)[corpus.spans.unit]).sum())
    if crossing:
        said.append(f"spans that cross the end of a sentence, which {form} does not allow: {crossing:,}.")
    # Of several layers the last has the place of all.
    columns = {name: cells for name, cells in corpus.columns.items() if name not in asked[:-1]} | {asked[-1]: tags}
    if source.plan.words and form in _DIVIDERS:
        left = len(corpus.aside_lines)
        said += [f"{form} has no place for {left:,} lines of markup or comments: left out."] if left else []
        return "".join(_table(replace(corpus, columns=columns), source.plan.words, form)), said
    base, _, key = asked[-1].partition(":")
    if form not in _HOLDS_ONE_LABEL and base in CONLLU:
        columns.pop(asked[-1])
        pairs = zip(corpus.column(base).strings(), tags.strings(), strict=True)
        columns[base] = Column.of(_with_key(text, key, tag) for text, tag in pairs) if key else tags
    elif form not in _HOLDS_ONE_LABEL and not source.plan.words:
        raise UsageError(f"{form} has no place for column {base}. Use --to tsv")
    text, losses = _converted(replace(corpus, columns=columns), form, asked[-1], asked[-1])
    return text, [*said, *losses]


def _with_key(text: str, key: str, tag: str) -> str:
    """The pairs `Key=value` with another value; a key that is not there comes in for a span alone."""
    pairs = [] if text == "_" else text.split("|")
    places = [place for place, pair in enumerate(pairs) if pair.partition("=")[0] == key]
    if places:
        pairs[places[0]] = f"{key}={tag}"
    elif tag != "O":
        pairs.append(f"{key}={tag}")
    return "|".join(pairs) or "_"


def _table(corpus: Corpus, words: str, target: str) -> Iterator[str]:
    """A table with all its columns, the words first."""
    divider = _DIVIDERS[target]
    for column in corpus.columns.values():
        _check_marks(corpus.forms, column, target)
    if not words.isdigit():
        yield divider.join([words, *corpus.columns]) + "\n"
    comments = _by_place(corpus.comments)
    named = any(line.startswith("# newdoc") for _, line in corpus.comments)
    marked = set()
    if corpus.document_starts is not None and corpus.documents > 1 and not named:
        marked = set(corpus.document_starts[:-1].tolist())
    columns = [corpus.forms.strings(), *(column.strings() for column in corpus.columns.values())]
    for sentence, (first, end) in enumerate(pairwise(corpus.starts.tolist())):
        if sentence in marked:
            yield "-DOCSTART-\n\n"
        yield from comments.get(sentence, ())
        yield from (divider.join(column[word] for column in columns) + "\n" for word in range(first, end))
        yield "\n"


def _by_place(rows: Iterable[tuple[Any, str]]) -> dict[Any, list[str]]:
    """Lines under their places."""
    lines: dict[Any, list[str]] = {}
    for place, line in rows:
        lines.setdefault(place, []).append(f"{line}\n")
    return lines


def _conll(corpus: Corpus, named: dict[str, str], with_comments: bool) -> Iterator[str]:
    asides: dict[Any, list[str]] = {}
    comments: dict[Any, list[str]] = {}
    if with_comments:
        places = zip(corpus.aside_sentences, corpus.aside_words.tolist(), strict=True)
        asides = _by_place(zip(places, corpus.aside_lines, strict=True))
        comments = _by_place(row for row in corpus.comments if not row[1].startswith("# global.columns"))
    columns = [corpus.columns[named[name]].strings() if name in named else None for name in CONLLU]
    forms = corpus.forms.strings()
    for sentence, (first, end) in enumerate(pairwise(corpus.starts.tolist())):
        yield from comments.get(sentence, ())
        for word in range(first, end):
            yield from asides.get((sentence, word), ())
            cells = ["_" if column is None else column[word] for column in columns]
            cells[0], cells[1] = str(word - first + 1), forms[word]
            yield "\t".join(cells) + "\n"
        yield from asides.get((sentence, end), ())
        yield "\n"
    yield from comments.get(corpus.sentences, ())


def _one_label(corpus: Corpus, column: str, target: str) -> Iterator[str]:
    labels = corpus.column(column)
    _check_marks(corpus.forms, labels, target)
    forms, tags = corpus.forms.strings(), labels.strings()
    for first, end in pairwise(corpus.starts.tolist()):
        pairs = zip(forms[first:end], tags[first:end], strict=True)
        if target == "slash":
            yield " ".join(f"{form.replace('/', chr(92) + '/')}/{tag}" for form, tag in pairs) + "\n"
        else:
            yield "".join(f"{form}{_DIVIDERS[target]}{tag}\n" for form, tag in pairs) + "\n"


def _check_marks(forms: Column, labels: Column, target: str) -> None:
    """Refuse what the target would read as something else."""
    if target == "tsv":
        return
    for text in (*forms.vocabulary, *labels.vocabulary):
        if any(mark.isspace() for mark in text):
            raise UsageError(f"{text!r} holds white space, which divides words or columns in {target}. Use --to tsv")
    for text in labels.vocabulary if target == "slash" else ():
        if "/" in text:
            raise UsageError(f"the label {text!r} holds the separator of slash-tagged text. Use --to tsv")
