"""Small files in the formats that are read, made from words and labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from assay.corpus import Corpus, Marks
from assay.errors import AssayError
from assay.formats.relations import is_symmetric, links_in, relations_in

Sentence = Sequence[tuple[str, str]]
Row = tuple[int, str, list[tuple[int, int]]]


def row(number: int | str, form: str, upos: str = "_", xpos: str = "_", lemma: str = "_", feats: str = "_") -> str:
    """A line of CoNLL-U."""
    return f"{number}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t_\t_\t_\t_\n"


def conllu(*sentences: Sentence, comments: Sequence[Sequence[str]] = ()) -> str:
    """Sentences of (word, UPOS) pairs, each with its comment lines."""
    blocks = []
    for index, sentence in enumerate(sentences):
        notes = "".join(f"# {line}\n" for line in (comments[index] if index < len(comments) else ()))
        blocks.append(notes + "".join(row(number, form, tag) for number, (form, tag) in enumerate(sentence, 1)))
    return "\n".join(blocks) + "\n"


def tsv(*sentences: Sentence) -> str:
    """Sentences of (word, label) pairs, a word per line."""
    return "\n".join("".join(f"{form}\t{tag}\n" for form, tag in sentence) for sentence in sentences) + "\n"


def tagged(text: str) -> list[tuple[str, str]]:
    """`the/DET end/NOUN` as pairs."""
    return [(word, tag) for word, _, tag in (token.rpartition("/") for token in text.split())]


def refusal(call: object, *arguments: object, **options: object) -> str:
    """The full text of the message with which a call is refused."""
    assert callable(call)
    with pytest.raises(AssayError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def placed(corpus: Corpus) -> list[Row]:
    """The spans of a corpus in their order: sentence, label, and the stretches of their atoms."""
    return rows_of(corpus.spans)


def rows_of(spans: Marks) -> list[Row]:
    """Spans in their order: sentence, label, and the stretches of their atoms."""
    rows = zip(spans.unit.tolist(), spans.labels.strings(), spans.begin.tolist(), spans.end.tolist(), strict=True)
    return [
        (sentence, label, list(spans.stretches.get(number, [(begin, end)])))
        for number, (sentence, label, begin, end) in enumerate(rows)
    ]


def related(corpus: Corpus) -> list[tuple[str, Row, Row]]:
    """The relations of a corpus in their order: label, head and tail; the label of a symmetric one ends in *."""
    spans, relations = relations_in(corpus)
    rows = rows_of(spans)
    columns = (relations.arguments["head"], relations.arguments["tail"], is_symmetric(relations))
    return [
        (label + "*" * int(symmetric), rows[head], rows[tail])
        for label, (head, tail, symmetric) in zip(relations.labels.strings(), zip(*columns, strict=True), strict=True)
    ]


def linked(corpus: Corpus) -> list[tuple[Row, list[str]]]:
    """The mentions of a corpus that have identifiers, with these."""
    spans, candidates = links_in(corpus)
    found: dict[int, list[str]] = {}
    for mention, name in zip(candidates.arguments["mention"].tolist(), candidates.labels.strings(), strict=True):
        found.setdefault(mention, []).append(name)
    rows = rows_of(spans)
    return [(rows[mention], names) for mention, names in found.items()]


def spans(*sentences: str) -> list[list[tuple[str, int, int]]]:
    """Each sentence's spans, `A1-3 B4`: labels of one letter with their first and last word."""
    return [[_span(word) for word in sentence.split()] for sentence in sentences]


def _span(word: str) -> tuple[str, int, int]:
    first, _, last = word[1:].partition("-")
    return word[0], int(first), int(last or first)


def drawn(corpus: Corpus) -> list[list[str]]:
    """The trees of a corpus as nodes in their order: label, words, and the number of the node above."""
    trees = corpus.trees
    assert trees is not None
    sentences: list[list[str]] = [[] for _ in range(corpus.sentences)]
    firsts = np.searchsorted(trees.sentence, np.arange(corpus.sentences))
    for node, sentence in enumerate(trees.sentence.tolist()):
        words = corpus.forms.strings(int(corpus.starts[sentence]), int(corpus.starts[sentence + 1]))
        shape = trees.stretches.get(node, [(int(trees.begin[node]), int(trees.end[node]))])
        below = "_".join(" ".join(words[first:end]) for first, end in shape)
        mother = max(int(trees.parent[node]) - int(firsts[sentence]), -1)
        sentences[sentence].append(f"{trees.labels[node]}[{below}]{mother}")
    return sentences


def chained(corpus: Corpus) -> list[str]:
    """The mentions of a corpus in their order: document, name of the chain, and words counted in the document."""
    mentions = corpus.marks["mentions"]
    rows = zip(mentions.unit.tolist(), mentions.columns["chain"].strings(), strict=True)
    return [
        f"{document} {chain} " + ",".join(f"{first}-{last}" for first, last in mentions.atoms_of(number))
        for number, (document, chain) in enumerate(rows)
    ]
