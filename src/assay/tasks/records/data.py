"""Records from data of Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.corpus import Corpus
from assay.formats import from_records
from assay.keywords import explicit


@explicit
def records(data: Sequence[Any], *, schema: Mapping[str, Any] | type | None = None, name: str = "data") -> Corpus:
    """Records for `score` and `compare`, of gold or of a system: dicts, objects of pydantic, or answers as strings.

    A dict is a record as it is, or has one under `record` beside `id` and `text`. `schema` of gold is a JSON Schema
    as a dict, or a class of pydantic; without one, the fields and their kinds are those of gold's values.
    """
    return from_records(data, name, schema)
