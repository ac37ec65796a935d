"""spaCy's DocBin, which needs spaCy: texts with entities and groups of spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.documents import Document, add_document
from assay.formats.source import DOCBIN, Source
from assay.formats.whose import Annotation

ENTITIES = "ents"
_KEYS = {"start": "start_char", "end": "end_char", "label": "label_", "text": "text", "link": "kb_id_"}
"""Keys of a span, and spaCy's names of them."""


def looks_docbin(head: Sequence[str]) -> bool:
    """True if packed bytes begin as a DocBin, or the file has its ending."""
    return [*head] == [DOCBIN]


def read_docbin(source: Source, builder: Builder) -> None:
    """Read one file; entities and each group of spans are layers, of which equal ones are one."""
    try:
        from spacy.tokens import DocBin  # type: ignore[import-not-found, unused-ignore]
        from spacy.vocab import Vocab  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InputError(f'{source.path} is a spaCy DocBin; pip install "assay-nlp[spacy]"') from None
    try:
        docs = [*DocBin().from_bytes(source.content()).get_docs(Vocab())]
    except Exception as error:
        fact = f"not a DocBin that spaCy can read ({type(error).__name__})"
        raise InputError(f"{source.path}: {fact}. Write it with DocBin.to_disk.") from None
    layers = [*map(_read_layers, docs)]
    names = {name for of_doc in layers for name, spans in of_doc.items() if spans}
    # Groups that repeat the entities are not a choice.
    if not builder.asked.column and ENTITIES in names and all(map(_has_one_layer, layers)):
        names = {ENTITIES}
    for number, (doc, of_doc) in enumerate(zip(docs, layers, strict=True), 1):
        spans = [span for name in sorted(names) for span in of_doc.get(name, ())]
        place = f"{source.path}:{number}"
        add_document(Document(number, place, [Annotation(None, spans)], text=doc.text), builder)
    if not docs:
        raise InputError(f"{source.path}: contains no documents. Give a DocBin that has some.")


def _read_layers(doc: Any) -> dict[str, list[dict[str, Any]]]:
    """The spans of a Doc by layer."""
    groups = {ENTITIES: doc.ents, **{f"spans:{key}": group for key, group in doc.spans.items()}}
    return {
        name: [{key: getattr(span, own) for key, own in _KEYS.items()} | {"layer": name} for span in group]
        for name, group in groups.items()
    }


def _has_one_layer(layers: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """True if all groups of a Doc that have spans have those of the entities."""
    sets = ({(span["start"], span["end"], span["label"]) for span in spans} for spans in layers.values())
    entities, *others = sets
    return all(group in (entities, set()) for group in others)
