"""A Corpus becomes text again, in those formats that hold words with labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from assay.corpus import Column, Corpus
from assay.errors import UsageError, unknown
from assay.readers import Input, choose_column
from assay.readers.columns import CONLLU

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
        kept = {chosen}
    else:
        named = _conll_columns(corpus, column)
        text = "".join(_conll(corpus, named, with_comments=target == "conllu"))
        kept = set(named.values())
    lost = [name for name in corpus.columns if name not in kept and not corpus.is_empty(name)]
    losses = [f"{target} has no place for {', '.join(lost)}: left out."] if lost else []
    return text, losses if target == "conllu" else [*losses, *_lost_structure(corpus, target)]


def _conll_columns(corpus: Corpus, column: str | None) -> dict[str, str]:
    """Which of the ten columns each of the corpus's goes to: by name, else the label asked for to XPOS."""
    known = {name: name for name in corpus.columns if name in CONLLU}
    if known:
        return known
    target = (column or "XPOS").upper()
    source = column if column is not None and column in corpus.columns else list(corpus.columns)[-1]
    return {target if target in CONLLU[2:] else "XPOS": source}


def _conll(corpus: Corpus, named: dict[str, str], with_comments: bool) -> Iterator[str]:
    asides: dict[tuple[int, int], list[str]] = {}
    comments: dict[int, list[str]] = {}
    if with_comments:
        words = corpus.aside_words.tolist()
        for sentence, word, line in zip(corpus.aside_sentences, words, corpus.aside_lines, strict=True):
            asides.setdefault((sentence, word), []).append(f"{line}\n")
        for sentence, line in corpus.comments:
            if not line.startswith("# global.columns"):
                comments.setdefault(sentence, []).append(f"{line}\n")
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
            divider = "\t" if target == "tsv" else " "
            yield "".join(f"{form}{divider}{tag}\n" for form, tag in pairs) + "\n"


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


def _lost_structure(corpus: Corpus, target: str) -> Iterator[str]:
    if corpus.comments:
        yield f"{target} has no comments: {len(corpus.comments):,} left out."
    if corpus.aside_lines:
        yield f"{target} has no ranges or empty nodes: {len(corpus.aside_lines):,} lines left out."
