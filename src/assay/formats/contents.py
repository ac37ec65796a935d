"""What a file contains: format, layers, annotators, what does not count, metadata and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from os import PathLike, fspath

from assay.classes import dataclass
from assay.corpus import Corpus
from assay.errors import AssayError, list_problems
from assay.formats import Input
from assay.formats.source import ANNOTATIONS
from assay.formats.whose import Asked, check_repair
from assay.keywords import explicit

MOST_LABELS = 100
"""The most labels of a layer that are listed."""
_SHOWN = 8
"""The most labels, keys and names that a line shows."""
_OWN = frozenset(("arguments", "links"))
"""Layers of spans that only relations and links have."""


@dataclass(frozen=True)
class LayerContents:
    """A layer of spans, relations or chains, or a column of labels."""

    number: int
    """The number of its annotations, or of words with a label."""
    different: int
    """The number of its labels."""
    labels: Mapping[str, int] = field(default_factory=dict)
    """The most frequent labels, at most 100, with their numbers."""


@dataclass(frozen=True)
class Contents:
    """What a file, or a folder of files, contains."""

    path: str
    format: str
    told_by: str
    """What the format was told by: `first lines`, `ending`, `input_format`."""
    shape: str = ""
    """The shape, if the format has several, e.g. `Label Studio JSON`."""
    documents: int = 0
    sentences: int = 0
    words: int = 0
    layers: Mapping[str, LayerContents] = field(default_factory=dict)
    """Layers and columns by name; of several annotators and models all annotations are counted."""
    annotators: Mapping[str, int] = field(default_factory=dict)
    """The numbers of documents of each annotator."""
    models: Mapping[str, int] = field(default_factory=dict)
    """The numbers of documents of each model."""
    statuses: Mapping[str, int] = field(default_factory=dict)
    """The numbers of documents that are `skipped`, `rejected` or `not annotated`, in a file that is `nobody`'s, or
    that have a `ground truth` or a `curation`."""
    metadata: Mapping[str, int] = field(default_factory=dict)
    """The number of different values of each key."""
    offsets: Mapping[str, int] = field(default_factory=dict)
    """The numbers of documents whose offsets do not count characters, by what they count."""
    notes: tuple[str, ...] = ()
    """Further facts on how the file was read."""
    faults: tuple[str, ...] = ()
    """What is wrong in it, the first 20."""

    def lines(self) -> Iterator[str]:
        """Lines of text for a terminal."""
        shape = f", {self.shape}" if self.shape else ""
        yield f"{self.path}: {self.format}{shape} (recognised by its {self.told_by.replace('input_format', 'name')})"
        yield f"  documents: {self.documents:,}, sentences: {self.sentences:,}, words: {self.words:,}"
        for name, layer in self.layers.items():
            yield f"  {name}: {layer.number:,}: {_show(layer.labels, layer.different)}"
        for kind, values in (("annotators", self.annotators), ("models", self.models)):
            if values:
                yield f"  {kind}, with their documents: {_show(values, len(values))}"
        if self.metadata:
            yield f"  metadata, with numbers of values: {_show(self.metadata, len(self.metadata))}"
        if self.statuses:
            yield f"  {', '.join(f'{status}: {number:,}' for status, number in self.statuses.items())}"
        yield from (f"  {note}" for note in self.notes)
        yield from (f"  fault: {fault}" for fault in self.faults)


def _show(values: Mapping[str, int], number: int) -> str:
    shown = [f"{name or 'without a name'} ({size:,})" for name, size in [*values.items()][:_SHOWN]]
    return ", ".join([*shown, *([f"… {number - len(shown):,} more"] if number > len(shown) else [])])


@explicit
def describe(
    path: str | PathLike[str], *, input_format: str | None = None, repair: str | None = None
) -> Contents:
    """What a file or folder contains: its format, layers with their labels, annotators and models, documents that are
    skipped or that nobody annotated, keys of metadata, the unit of offsets, and faults.

    With `repair`, mend or drop, only what cannot be repaired is a fault.
    """
    name, asked = fspath(path), Asked(repair=check_repair(repair or ""), surveys=True)
    source = Input(name, input_format=input_format, asked=asked)
    told = "first lines"
    if input_format is not None:
        told = "input_format"
    elif name.endswith((ANNOTATIONS, ".key", ".key.txt")):
        told = "ending"
    corpus: Corpus | None = None
    problems: Sequence[str] = ()
    try:
        corpus = source.read()
    except AssayError as error:
        problems = [str(error)]
    builder = source.builder
    assert builder is not None
    layers = dict(builder.labels)
    if corpus is not None:
        marks = {} if layers else {layer: own for layer, own in corpus.marks.items() if layer not in _OWN}
        layers |= {layer: Counter(own.labels.counts()) for layer, own in marks.items()}
        empty = {"_", corpus.empty or "", ""}
        for column, labels in corpus.columns.items():
            layers[column] = Counter({label: size for label, size in labels.counts().items() if label not in empty})
    keys = corpus.metadata_keys() if corpus is not None else []
    return Contents(
        name,
        source.plan.name,
        told,
        shape=builder.shape,
        documents=corpus.documents + len(corpus.left_out) if corpus is not None else builder.begun,
        sentences=builder.sentence,
        words=builder.words,
        layers={
            layer: LayerContents(labels.total(), len(labels), dict(labels.most_common(MOST_LABELS)))
            for layer, labels in layers.items()
            if labels
        },
        **{kind: dict(names.most_common()) for kind, names in builder.whose.names.items()},
        statuses={status: number for status, number in builder.whose.statuses.items() if number},
        metadata={key: len({*corpus.metadata(key)} - {None}) for key in keys} if corpus is not None else {},
        offsets=dict(builder.offsets),
        notes=corpus.notes if corpus is not None else (),
        faults=tuple(list_problems([*builder.faults, *problems])),
    )
