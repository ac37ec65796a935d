"""A Corpus becomes text again, in any of the formats that are read."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from assay.corpus import Corpus
from assay.errors import UsageError, unknown
from assay.read import Input, choose_column
from assay.read.columns import CONLLU

TARGETS = ("conllu", "conllx", "conll", "tsv", "slash")
_HOLDS_ONE_LABEL = ("conll", "tsv", "slash")


def convert(source: Input, target: str, column: str | None) -> tuple[str, list[str]]:
    """The text in the target format, and a sentence for everything that it cannot hold."""
    if target not in TARGETS:
        raise unknown("format", target, TARGETS)
    corpus = source.read()
    if target in _HOLDS_ONE_LABEL:
        chosen = source.plan.resolve(column) if column else choose_column([source])
        text = "".join(_one_label(corpus, chosen, target))
        others = [name for name in corpus.columns if name != chosen and not corpus.is_empty(name)]
        return text, [*_lost_columns(others, target), *_lost_structure(corpus, target)]
    named = _conll_columns(corpus, column)
    text = "".join(_conll(corpus, named, comments=target == "conllu"))
    return text, [] if target == "conllu" else list(_lost_structure(corpus, target))


def _conll_columns(corpus: Corpus, column: str | None) -> dict[str, str]:
    """Which of the ten columns each of the corpus's goes to."""
    if all(name in CONLLU for name in corpus.columns):
        return {name: name for name in corpus.columns}
    target = (column or "XPOS").upper()
    target = target if target in CONLLU[2:] else "XPOS"
    source = column if column is not None and column in corpus.columns else list(corpus.columns)[-1]
    return {target: source}


def _conll(corpus: Corpus, named: dict[str, str], comments: bool) -> Iterator[str]:
    asides: dict[int, list[str]] = {}
    if comments:
        for word, line in zip(corpus.aside_words.tolist(), corpus.aside_lines, strict=True):
            asides.setdefault(word, []).append(line)
    noted: dict[int, list[str]] = {}
    for sentence, line in corpus.comments if comments else ():
        noted.setdefault(sentence, []).append(line)
    columns = [corpus.columns[named[name]].strings() if name in named else None for name in CONLLU]
    forms = corpus.forms.strings()
    cuts = corpus.starts.tolist()
    for sentence, (first, end) in enumerate(itertools.pairwise(cuts)):
        yield from (f"{line}\n" for line in noted.get(sentence, ()))
        for word in range(first, end):
            yield from (f"{line}\n" for line in asides.get(word, ()))
            cells = ["_" if column is None else column[word] for column in columns]
            cells[0], cells[1] = str(word - first + 1), forms[word]
            yield "\t".join(cells) + "\n"
        # An empty node may stand behind the last word; the next sentence's range stands before its first.
        yield "\n"


def _one_label(corpus: Corpus, column: str, target: str) -> Iterator[str]:
    labels = corpus.column(column).strings()
    forms = corpus.forms.strings()
    if target == "slash":
        for text in (*corpus.forms.vocabulary, *corpus.column(column).vocabulary):
            if any(mark.isspace() for mark in text):
                raise UsageError(f"{text!r} holds white space, which slash-tagged text cannot hold. Use --to tsv")
    cuts = corpus.starts.tolist()
    for first, end in itertools.pairwise(cuts):
        pairs = zip(forms[first:end], labels[first:end], strict=True)
        if target == "slash":
            yield " ".join(f"{form.replace('/', chr(92) + '/')}/{label}" for form, label in pairs) + "\n"
        else:
            divider = "\t" if target == "tsv" else " "
            yield "".join(f"{_whole(form, target)}{divider}{label}\n" for form, label in pairs) + "\n"


def _whole(form: str, target: str) -> str:
    if target == "conll" and any(mark.isspace() for mark in form):
        raise UsageError(f"{form!r} holds white space, which divides columns in conll. Use --to tsv")
    return form


def _lost_columns(names: list[str], target: str) -> Iterator[str]:
    if names:
        yield f"{target} holds one label per word: left out {', '.join(names)}."


def _lost_structure(corpus: Corpus, target: str) -> Iterator[str]:
    if corpus.comments:
        yield f"{target} has no comments: {len(corpus.comments):,} left out."
    if len(corpus.aside_lines):
        yield f"{target} has no ranges or empty nodes: {len(corpus.aside_lines):,} lines left out."
