"""Conversion of a Corpus to text: words with labels here, spans in `writespans`, graphs in `graphwriter`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from assay import specs
from assay.arrays import NONE
from assay.corpus import Column, Corpus
from assay.errors import UsageError, unknown
from assay.formats import (
    Input,
    choose_column,
    contains_items,
    graphwriter,
    links,
    read_labels,
    schemes,
    writeitems,
    writespans,
)
from assay.formats.columns import CONLLU
from assay.formats.spandocuments import describe_lost, list_losses, list_repairs

TARGETS = ("conllu", "conllx", "conll", "tsv", "slash")
"""Formats of words with labels; those of graphs and of semantic roles are in `graphwriter.TARGETS`."""
_ONE_LABEL = ("conll", "tsv", "slash")
_DIVIDERS = {"tsv": "\t", "conll": " "}


def convert_file(
    source: Input,
    target: str | None,
    column: str | None,
    *,
    scheme: str | None = None,
    repair: str | None = None,
    to_scheme: str | None = None,
    kind: str | None = None,
) -> tuple[Mapping[str, str | bytes], list[str]]:
    """The texts in the target format by the names of their files, and a sentence for everything that is lost.

    A single file has no name. Without a target the format stays: tags of spans are written in
    another scheme, or faults are repaired. `kind` is annotations or predictions, if tools tell these apart.
    """
    if contains_items(source):
        if to_scheme or scheme or repair or not target:
            raise UsageError(
                f"{source.path}: a table of items. Choose what to write: --to csv, --to tsv or --to jsonl"
            )
        text, losses = writeitems.write_items(source.read(), target)
        return {"": text}, losses
    to_spans = (target or "").partition("(")[0] in writespans.TARGETS
    if to_scheme or ((scheme or (repair and "spans" not in source.plan.layers)) and not to_spans):
        text, losses = _rewrite_tags(source, target or source.plan.name, column, scheme, repair, to_scheme)
        return {"": text}, losses
    if not target and not repair:
        raise UsageError("choose what to write: --to FORMAT, --to-scheme SCHEME or --repair.")
    name, given = specs.parse(target or source.plan.name, "format")
    if name == "csv":
        fact = f"{source.path}: csv is for items, and rows of {source.plan.name} are words"
        raise UsageError(f"{fact}. Use --to tsv; if they are items: --input-format items")
    known = dict.fromkeys((*TARGETS, *graphwriter.TARGETS, *writespans.TARGETS))
    if name not in known:
        raise unknown("format", name, known, command="assay convert --help")
    if name in graphwriter.TARGETS and (name not in TARGETS or "arcs" in source.plan.layers):
        if column is not None:
            raise UsageError(f"--column {column}: {name} has a place for each column and no choice. Leave it out.")
        text, losses = graphwriter.write_graph(source, name, given)
    elif given:
        raise UsageError(f"format {name} takes no parameters here, so not {next(iter(given))!r} either.")
    elif name in writespans.TARGETS:
        corpus = links.with_links(source.read())
        has_tags = column or scheme or any(schemes.looks_like_tags(one.counts()) for one in corpus.columns.values())
        if "spans" not in corpus.marks and corpus.columns and has_tags:
            corpus, asked, read_as, losses = _read_tags(source, column, scheme, repair)
            kept = {column: cells for column, cells in corpus.columns.items() if column not in asked}
            files, others = writespans.write_spans(replace(corpus, columns=kept), name, kind)
            return files, [f"column {'+'.join(asked)} is read as {read_as.title}.", *losses, *others]
        if column and not corpus.layer_read:
            raise UsageError(f"--column is for labels of words, and {name} has spans. Leave it out.")
        return writespans.write_spans(corpus, name, kind)
    else:
        chosen = None
        if name in _ONE_LABEL:
            chosen = source.plan.resolve(column) if column else choose_column([source])
        corpus, losses = graphwriter.without_graph(source, name)
        text, others = _write_words(corpus, name, column, chosen)
        losses = [*losses, *others]
    return {"": text}, losses


def write_like(source: Input, corpus: Corpus, column: str, scheme: str) -> Mapping[str, str | bytes]:
    """The texts of a corpus in the format of the file that it was made of, by the names of their files.

    column, scheme: where tags of spans are, and how they are written.
    """
    form = source.plan.name
    if "spans" in source.plan.layers or "relations" in corpus.marks:
        if form not in writespans.TARGETS:
            raise UsageError(
                f"{source.path}: assay reads {form} but does not write it. Convert it first: assay convert"
            )
        return writespans.write_spans(corpus, form)[0]
    if "spans" in corpus.marks:
        if column not in corpus.columns:
            raise UsageError(f"{source.path}: assay reads spans in column {column} but does not write them.")
        corpus = replace(corpus, columns={**corpus.columns, column: schemes.tags_of(corpus, scheme)})
    if form in _DIVIDERS and source.plan.words:
        return {"": "".join(_write_columns(corpus, form, source.plan.words))}
    if form not in ("conllu", "conllx"):
        raise UsageError(f"{source.path}: assay reads {form} but does not write it. Convert it first: assay convert")
    return {"": _write_words(corpus, form, column, None)[0]}


def _write_words(corpus: Corpus, target: str, column: str | None, chosen: str | None) -> tuple[str, list[str]]:
    """The text of a corpus, and what is lost; the column `chosen` goes into a format that contains one label."""
    if target not in TARGETS:
        raise unknown("format", target, TARGETS)
    if chosen is not None and target in _ONE_LABEL:
        text = "".join(_write_columns(replace(corpus, columns={chosen: corpus.column(chosen)}), target))
        kept = {chosen}
    else:
        # Columns keep their names; if none is one of CoNLL-U, the label asked for goes to XPOS.
        named = {name: name for name in corpus.columns if name in CONLLU}
        if not named and not corpus.columns:
            raise UsageError(
                f"{corpus.name}: has no words with labels, which {target} consists of. Convert a file with tags."
            )
        if not named:
            place = (column or "XPOS").upper()
            label = column if column is not None and column in corpus.columns else list(corpus.columns)[-1]
            named = {place if place in CONLLU[2:] else "XPOS": label}
        columns = {place: corpus.columns[label].strings() for place, label in named.items()}
        lines = graphwriter.list_other_lines(corpus) if target == "conllu" else ()
        table = graphwriter.number_words(corpus, CONLLU[2:], columns)
        text = "".join(graphwriter.write_table(table, corpus.starts, lines))
        kept = set(named.values())
    lost = [name for name in corpus.columns if name not in kept and not corpus.is_empty(name)]
    rows = [
        (len(lost), describe_lost(lost)),
        (len(corpus.marks.get("mentions", ())), "place for mentions in chains; left out: {}."),
    ]
    if target != "conllu":
        rows.append((len(corpus.comments), "comments; left out: {}."))
        rows.append((len(corpus.aside_lines), "ranges or empty nodes; lines left out: {}."))
    return text, list_losses(target, rows)


def _read_tags(
    source: Input, column: str | None, scheme: str | None, repair: str | None
) -> tuple[Corpus, list[str], schemes.Scheme, list[str]]:
    """The corpus with the spans of its tags, their columns and scheme, and a sentence on tags that break it."""
    corpus = source.read()
    if column:
        # Names of columns as in the file, or of keys in them.
        parts = (part.partition(":") for part in column.split("+"))
        asked = [source.plan.resolve(base) + colon + key for base, colon, key in parts]
    else:
        asked = [name for name, cells in corpus.columns.items() if schemes.looks_like_tags(cells.counts())]
        if not asked and corpus.repairs:
            # Rows of a table without tags were filled.
            return corpus, [], schemes.SCHEMES["iob2"], list_repairs(corpus)
        if len(asked) != 1:
            what = f"columns {', '.join(asked)} all contain" if asked else "no column contains"
            raise UsageError(f"{source.path}: {what} tags of spans such as B-PER. Choose one: --column")
    losses = list_repairs(corpus)
    corpus = read_labels(replace(corpus, empty="_") if losses else corpus, asked)
    chosen = schemes.find_scheme(scheme or schemes.guess_scheme(corpus, asked))
    corpus, reading = schemes.spans_from_tags(corpus, asked, chosen.name, repair)
    if reading.invalid:
        losses.append(
            f"tags that break {chosen.title}: {reading.invalid:,}; repaired by {repair or schemes.CONLLEVAL}, which "
            f"changed the reading of {reading.repaired:,}."
        )
    return corpus, asked, chosen, losses


def _rewrite_tags(
    source: Input, form: str, column: str | None, scheme: str | None, repair: str | None, to_scheme: str | None
) -> tuple[str, list[str]]:
    """The text with its tags of spans under another scheme, or repaired; and sentences on what was changed or lost.

    Tables keep their other columns, comments and marks of documents; other formats keep what they have a place for.
    """
    corpus, asked, chosen, losses = _read_tags(source, column, scheme, repair)
    if not asked and form in _DIVIDERS:
        return "".join(_write_columns(corpus, form, source.plan.words)), losses
    written = schemes.find_scheme(to_scheme) if to_scheme else chosen
    tags = schemes.tags_of(corpus, written.name)
    if losses and (filled := corpus.column(asked[-1]).isin(["_"])).any():
        tags = Column(np.where(filled, len(tags.vocabulary), tags.codes).astype(np.int32), (*tags.vocabulary, "_"))
    losses = [f"column {'+'.join(asked)} is read as {chosen.title} and written as {written.title}.", *losses]
    crossing = int((corpus.spans.end > np.diff(corpus.starts)[corpus.spans.unit]).sum())
    if crossing:
        losses.append(f"spans that cross the end of a sentence, which {form} does not allow: {crossing:,}.")
    # The column of the last layer replaces those of all layers.
    columns = {name: cells for name, cells in corpus.columns.items() if name not in asked[:-1]} | {asked[-1]: tags}
    if source.plan.words and form in _DIVIDERS:
        left = len(corpus.aside_lines)
        losses += [f"{form} has no place for markup and comments; lines left out: {left:,}."] if left else []
        return "".join(_write_columns(replace(corpus, columns=columns), form, source.plan.words)), losses
    base, _, key = asked[-1].partition(":")
    if form not in _ONE_LABEL and base in CONLLU:
        columns.pop(asked[-1])
        cells = []
        for text, tag in zip(corpus.column(base).strings(), tags.strings(), strict=True) if key else ():
            pairs = [] if text == "_" else text.split("|")
            places = [place for place, pair in enumerate(pairs) if pair.partition("=")[0] == key]
            if places:
                pairs[places[0]] = f"{key}={tag}"
            elif tag != "O":
                # A missing key is added only for a span.
                pairs.append(f"{key}={tag}")
            cells.append("|".join(pairs) or "_")
        columns[base] = Column.of(cells) if key else tags
    elif form not in _ONE_LABEL and not source.plan.words:
        raise UsageError(f"{form} has no place for column {base}. Use --to tsv")
    text, others = _write_words(replace(corpus, columns=columns), form, asked[-1], asked[-1])
    return text, [*losses, *others]


def _write_columns(corpus: Corpus, target: str, words: str = "") -> Iterator[str]:
    """The words and all columns; with the name of the words' column also header, comments and marks of documents."""
    if target != "tsv":
        for text in (text for column in (corpus.forms, *corpus.columns.values()) for text in column.vocabulary):
            if any(mark.isspace() for mark in text):
                fact = f"{text!r} contains white space, which separates words or columns in {target}"
                raise UsageError(f"{fact}. Use --to tsv")
    forms, columns = corpus.forms.strings(), [column.strings() for column in corpus.columns.values()]
    if target == "slash":
        slashed = next((tag for tag in sorted(set(columns[0])) if "/" in tag), None)
        if slashed is not None:
            raise UsageError(f"the label {slashed!r} contains the separator of slash-tagged text. Use --to tsv")
        for first, end in pairwise(corpus.starts.tolist()):
            pairs = zip(forms[first:end], columns[0][first:end], strict=True)
            yield " ".join(f"{form.replace('/', chr(92) + '/')}/{tag}" for form, tag in pairs) + "\n"
        return
    divider, lines = _DIVIDERS[target], list[graphwriter.Line]()
    if words and not words.isdigit():
        yield divider.join([words, *corpus.columns]) + "\n"
    if words:
        named = any(line.startswith("# newdoc") for _, line in corpus.comments)
        if corpus.document_starts is not None and corpus.documents > 1 and not named:
            lines += [(sentence, NONE, "-DOCSTART-\n") for sentence in corpus.document_starts[:-1].tolist()]
        lines += [(sentence, NONE, line) for sentence, line in corpus.comments if sentence < corpus.sentences]
    yield from graphwriter.write_table([forms, *columns], corpus.starts, lines, divider)
