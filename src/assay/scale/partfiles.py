"""Parts as files: JSON there and back, whole numbers to the last digit."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

import assay
from assay.engine.counts import Collapsed, Counts
from assay.engine.examples import Drawn
from assay.engine.items import Outcomes, WholeSentences
from assay.engine.options import Decided, Options
from assay.engine.pagetexts import Rows, Texts
from assay.engine.parts import Covered, Cut, Kind, Part, Selection, Summed
from assay.engine.tallies import Tallies
from assay.engine.warnings import Remark
from assay.errors import InputError, UsageError, unknown
from assay.formats.source import Source as File
from assay.result import (
    Example,
    ExampleArcs,
    ExampleItem,
    ExampleSpan,
    Mapped,
    Source,
    Unresolved,
)

SCHEMA = "assay-part/1"
_CLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(Part, Options, Decided, Covered, Cut, Kind, Selection, Summed, Tallies, Collapsed, Counts),
        *(Outcomes, WholeSentences, Drawn, Remark, Mapped, Source, Unresolved),
        *(Example, ExampleArcs, ExampleItem, ExampleSpan, Texts, Rows),
    )
}


def to_json(part: Part) -> str:
    """A part as JSON text."""
    encoded = _encode(part)
    described = {"schema": SCHEMA, "version": assay.__version__, "sha256": _checksum(encoded)}
    return json.dumps({**described, "part": encoded}, ensure_ascii=False)


def _checksum(encoded: Any) -> str:
    """Tells a part that was damaged or edited, so that nothing in it needs to be checked one by one."""
    return hashlib.sha256(json.dumps(encoded).encode()).hexdigest()


def read_part(path: str) -> Part:
    """A part from its file."""
    text = "".join(batch.text for batch in File(path).batches())
    try:
        data = json.loads(text)
        schema, version = data["schema"], data["version"]
        intact = data["sha256"] == _checksum(data["part"])
    except (ValueError, RecursionError, TypeError, KeyError):
        raise InputError(f"{path}: not a part. Parts are written by assay score or compare --partial.") from None
    if schema != SCHEMA or version != assay.__version__:
        raise InputError(
            f"{path}: {schema} of assay {version}, where {SCHEMA} of assay {assay.__version__} is read. Measure all "
            "parts with one version."
        )
    if not intact:
        raise InputError(f"{path}: a damaged part: its checksum is another. Copy it again, or measure it again.")
    part = _decode(data["part"])
    assert isinstance(part, Part)
    return part


def merged(paths: Sequence[str], own: Sequence[str] = ()) -> Part:
    """The parts of all shards as one, in the order of their shards, whatever the order of their files.

    A part may name measures `module:function`, which are code: they are run only if they are among `own`.
    """
    parts = sorted(((path, read_part(path)) for path in paths), key=lambda row: row[1].covered.numbers)
    first_path, first = parts[0]
    for path, part in parts:
        for spec in part.specs:
            name = spec.partition("(")[0]
            if ":" in name and name not in {one.partition("(")[0] for one in own}:
                raise UsageError(f"{path}: names the measure {name}, which is code. If it is yours, say: -m {name}")
    for name in own:
        if name not in first.specs:
            raise unknown("measure", name, first.specs)
    for path, part in parts[1:]:
        if _run(part) != _run(first):
            raise UsageError(
                f"{path}: not of the same run as {first_path}: other files, systems, measures or options."
            )
    _check_whole(parts)
    whole = first
    for _, part in parts[1:]:
        whole = whole + part
    _check_alike(whole)
    return whole


def _run(part: Part) -> tuple[object, ...]:
    """What parts of one run have in common."""
    return part.covered.corpus, part.covered.total, part.decided, part.contents


def _check_whole(parts: Sequence[tuple[str, Part]]) -> None:
    """Each shard must be there, once."""
    seen: dict[int, str] = {}
    for path, part in parts:
        for number in part.covered.numbers:
            if number in seen:
                raise UsageError(f"{path}: shard {number + 1} is in {seen[number]} too. Give each part once.")
            seen[number] = path
    missing = [number + 1 for number in range(parts[0][1].covered.total) if number not in seen]
    if missing:
        listed = ", ".join(map(str, missing[:5])) + (", …" if len(missing) > 5 else "")
        raise UsageError(
            f"{len(missing):,} of {parts[0][1].covered.total:,} shards are missing ({listed}). Give all parts."
        )


def _check_alike(whole: Part) -> None:
    """Refuse parts of which some would have to be read otherwise, now that all is known."""
    if whole.told != whole.decided:
        raise UsageError(
            "some parts have to be read in another way than the first shard tells (other tokens than gold, or empty "
            "columns). Run it in one piece: --jobs or --cluster in place of --partial."
        )


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _encoded_array(value) if isinstance(value, np.ndarray) else value.item()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {item.name: _encode(getattr(value, item.name)) for item in dataclasses.fields(value)}
        return {"is": type(value).__name__, **members}
    if isinstance(value, tuple):
        return {"is": "tuple", "of": [_encode(item) for item in value]}
    if isinstance(value, list):
        return [_encode(item) for item in value]
    return {"is": "table", "of": [[_encode(key), _encode(item)] for key, item in value.items()]}


def _encoded_array(array: Any) -> dict[str, Any]:
    if array.dtype == object:
        return {"is": "array", "type": "object", "shape": list(array.shape), "of": array.ravel().tolist()}
    packed = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    data = base64.b64encode(zlib.compress(packed.tobytes(), 6)).decode()
    return {"is": "array", "type": array.dtype.name, "shape": list(array.shape), "of": data}


def _decode(data: Any) -> Any:
    if isinstance(data, list):
        return [_decode(item) for item in data]
    if not isinstance(data, dict):
        return data
    kind = data["is"]
    if kind == "tuple":
        return tuple(_decode(item) for item in data["of"])
    if kind == "table":
        return {_decode(key): _decode(item) for key, item in data["of"]}
    if kind == "array":
        return _decoded_array(data)
    return _CLASSES[kind](**{name: _decode(item) for name, item in data.items() if name != "is"})


def _decoded_array(data: dict[str, Any]) -> Any:
    if data["type"] == "object":
        array = np.empty(len(data["of"]), dtype=object)
        array[:] = data["of"]
        return array.reshape(data["shape"])
    dtype = np.dtype(data["type"])
    raw = zlib.decompress(base64.b64decode(data["of"]))
    return np.frombuffer(raw, dtype=dtype.newbyteorder("<")).astype(dtype).reshape(data["shape"])
