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
from assay import result
from assay.engine import combination, counts, examples, items, options, parts, texts, values, warnings
from assay.engine.parts import Part
from assay.errors import InputError, UsageError, unknown
from assay.formats.source import Source
from assay.stats import confidence

SCHEMA = "assay-part/8"
_CLASSES: dict[str, Any] = {
    name: kind
    for module in (combination, confidence, counts, examples, items, options, parts, texts, values, warnings, result)
    for name, kind in vars(module).items()
    if dataclasses.is_dataclass(kind) and getattr(kind, "__module__", "").startswith(module.__name__)
}
"""The dataclasses that a part may hold, by name."""


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
    text = "".join(batch.text for batch in Source(path).batches())
    try:
        data = json.loads(text)
        schema, version = data["schema"], data["version"]
        intact = data["sha256"] == _checksum(data["part"])
    except (ValueError, RecursionError, TypeError, KeyError):
        raise InputError(f"{path}: not a part. Parts are written by assay score or compare --partial.") from None
    if schema != SCHEMA or version != assay.__version__:
        raise InputError(
            f"{path}: has {schema} of assay {version}, but assay {assay.__version__} reads {SCHEMA}. Make all parts "
            f"with the same version."
        )
    if not intact:
        raise InputError(f"{path}: this part is damaged (wrong checksum). Copy it again, or make it again.")
    part = _decode(data["part"])
    assert isinstance(part, Part)
    return part


def merge_files(paths: Sequence[str], measures: Sequence[str] = ()) -> Part:
    """The sum of the parts of all shards, in the order of their shards.

    A part may name measures `module:function`, which are code: they are run only if they are among `measures`.
    """
    parts = sorted(((path, read_part(path)) for path in paths), key=lambda row: row[1].shards)
    first_path, first = parts[0]
    allowed = {spec.partition("(")[0] for spec in measures}
    for path, part in parts:
        for name in (spec.partition("(")[0] for spec in part.plan.specs):
            if ":" in name and name not in allowed:
                raise UsageError(f"{path}: names the measure {name}, which is code. If you trust it, add: -m {name}")
    if strange := [spec for spec in measures if spec not in first.plan.specs]:
        raise unknown("measure", strange[0], first.plan.specs)
    runs = [(part.plan.corpus, part.plan.shards, part.plan.decided, part.plan.contents) for _, part in parts]
    for (path, _), run in zip(parts, runs, strict=True):
        if run != runs[0]:
            raise UsageError(
                f"{path}: does not belong to the same run as {first_path}: different files, systems, measures or "
                f"options."
            )
    seen: dict[int, str] = {}
    for path, part in parts:
        for number in part.shards:
            if number in seen:
                raise UsageError(f"{path}: shard {number + 1} is also in {seen[number]}. Give each part once.")
            seen[number] = path
    total = first.plan.shards
    missing = [number + 1 for number in range(total) if number not in seen]
    if missing:
        listed = ", ".join(map(str, missing[:5])) + (", …" if len(missing) > 5 else "")
        are = "is" if len(missing) == 1 else "are"
        raise UsageError(f"{len(missing):,} of {total:,} shards {are} missing ({listed}). Give all parts.")
    whole = first
    for _, part in parts[1:]:
        whole = whole + part
    if whole.reading != whole.plan.decided:
        raise UsageError(
            "some parts must be read differently from the first shard (different tokens from gold, empty columns, or "
            "labels that answers are read by: answers(labels=A+B) names them). Run everything at once: --jobs or "
            "--cluster instead of --partial."
        )
    return whole


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | np.generic):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            data: Any = value.ravel().tolist()
        else:
            packed = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"))
            data = base64.b64encode(zlib.compress(packed.tobytes(), 6)).decode()
        return {"is": "array", "type": value.dtype.name, "shape": list(value.shape), "of": data}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {item.name: _encode(getattr(value, item.name)) for item in dataclasses.fields(value)}
        return {"is": type(value).__name__, **members}
    if isinstance(value, tuple):
        return {"is": "tuple", "of": [_encode(item) for item in value]}
    if isinstance(value, list):
        return [_encode(item) for item in value]
    return {"is": "table", "of": [[_encode(key), _encode(item)] for key, item in value.items()]}


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
    if kind != "array":
        return _CLASSES[kind](**{name: _decode(item) for name, item in data.items() if name != "is"})
    if data["type"] == "object":
        array = np.empty(len(data["of"]), dtype=object)
        array[:] = data["of"]
    else:
        dtype = np.dtype(data["type"])
        raw = zlib.decompress(base64.b64decode(data["of"]))
        array = np.frombuffer(raw, dtype=dtype.newbyteorder("<")).astype(dtype)
    return array.reshape(data["shape"])
