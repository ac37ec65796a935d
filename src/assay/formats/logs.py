"""Files of items in a form of their own: logs of language models, discourse relations (DISRPT), keys of senses."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from assay.corpus import SEVERAL, Column
from assay.corpus.items import ItemTable
from assay.errors import InputError, unknown
from assay.formats.builder import Builder
from assay.formats.items import PARAMETERS, Roles, find_roles, make_items, open_table, to_text
from assay.formats.jsontext import first_object, json_values
from assay.formats.source import ZIP, Source
from assay.formats.table import CellTable, table_of_rows

LM_EVAL, INSPECT = "lm-eval", "inspect"
_ZSTD = 93
"""The number of the method zstd in zip files."""
_VALUES = {
    **{"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0},
    **dict.fromkeys(("yes", "true"), 1.0),
    **dict.fromkeys(("no", "false"), 0.0),
}
"""Scores of Inspect that are no numbers: correct, incorrect, partly, no answer."""
_HEADER = "header.json"
"""The entry of a zip file that says which model was run."""
_OWN = ("id", "answer", "target", "prompt")
"""The first columns of a log."""
_SHORT = 60
"""Longer values of a log are texts, not metadata."""
_UNITS = ("doc", "unit1_toks", "unit2_toks")
_KEYS = re.compile(r"\S+(?:[ \t]+(?:\S+%[1-5]:\d\d:\d\d:\S*:\S*|(?:bn|wn):\S+))+\s*")


def refuse_strange(read: Callable[..., None]) -> Callable[..., None]:
    """A decorator of readers: a file that is not built as its program builds it is an error of the file."""

    @wraps(read)
    def read_or_refuse(source: Source, builder: Builder, **given: Any) -> None:
        try:
            read(source, builder, **given)
        except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
            fault = f"{type(error).__name__}: {error}"[:80]
            raise InputError(f"{source.path}: not built as such files are ({fault}). Is it complete?") from None

    return read_or_refuse


# --- discourse relations ---


def looks_rels(head: Sequence[str]) -> bool:
    """True if the first line names the units of discourse relations."""
    return {*_UNITS, "label"} <= {*head[0].split("\t")}


@refuse_strange
def read_rels(source: Source, builder: Builder) -> None:
    """Read relations; if a pair of units has several, they correspond by order, and their units must be equal."""
    given = {**PARAMETERS, "id": "+".join(_UNITS), "label": "label", "sep": "tab", "header": "true"}
    table = open_table(source, given, builder.asked, [])
    table = replace(table, columns=tuple([cell.strip() for cell in cells] for cells in table.columns))
    roles = replace(find_roles(table, given, builder.asked), targets=None, confidence=None)
    items = make_items(table, roles, given, sha256=source.sha256, form="rels")
    items = replace(
        items, unit="doc", metadata={"doc": Column.of(table.columns[table.locate("doc")]), **items.metadata}
    )
    if items.ids is not None and len({*items.ids}) < len(items):
        note = "pairs of units with several relations: these correspond by order."
        items = replace(items, ids=None, texts={"units": items.ids, **items.texts}, notes=(*items.notes, note))
    builder.tables.append(items)


# --- keys of senses ---


def looks_senses(head: Sequence[str]) -> bool:
    """True if each line has an id and keys of senses, of WordNet or BabelNet."""
    lines = [line for line in head if line.strip()]
    return bool(lines) and all(map(_KEYS.fullmatch, lines))


def read_senses(source: Source, builder: Builder) -> None:
    """Read keys: any of gold's is right, and a system's first one is its answer."""
    text = "".join(batch.text for batch in source.batches())
    rows = [(number, line.split()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    lines = np.array([number for number, _ in rows], dtype=np.int64)
    is_gold = not builder.asked.is_system
    keys = [" ".join(cells[1:] if is_gold else cells[1:2]) for _, cells in rows]
    table = CellTable(source.path, ([cells[0] for _, cells in rows], keys), lines, ("id", "key"))
    given = {**PARAMETERS, "alternatives": " " * is_gold}
    items = make_items(table, Roles(1, (0,)), given, sha256=source.sha256, form="senses")
    builder.tables.append(replace(items, notes=()))


# --- lm-evaluation-harness ---


def looks_lm_eval(head: Sequence[str]) -> bool:
    """True if the first object of JSON is a sample of the harness."""
    return {"doc_id", "target", "filtered_resps"} <= first_object(head).keys()


@refuse_strange
def read_lm_eval(source: Source, builder: Builder, *, filter: str) -> None:  # noqa: A002
    """Read the samples of the harness: answers, targets, and the scores that it gave."""
    rows = [*json_values(source, '{"doc_id": 0, "target": "1", "filtered_resps": [["-1.5", "False"]]}', "sample")]
    filters = list(dict.fromkeys(str(row.get("filter", "none")) for _, row in rows))
    if filter and filter not in filters:
        raise InputError(f"{source.path}: {unknown('filter', filter, filters)}")
    if not filter and len(filters) > 1:
        raise InputError(
            f"{source.path}: each document once for {' and for '.join(filters)}. Choose: --input-format "
            f'"lm-eval(filter={filters[0]})".'
        )
    rows = [(line, row) for line, row in rows if not filter or str(row.get("filter", "none")) == filter]
    samples = [row for _, row in rows]
    # Older logs do not list their metrics.
    numbers = ([name for name, value in row.items() if type(value) in (int, float)] for row in samples)
    listed = (row.get("metrics") or own for row, own in zip(samples, numbers, strict=True))
    metrics = list(dict.fromkeys(name for own in listed for name in own if name not in ("doc_id", "target")))
    scores = {name: np.array([_number(row.get(name)) for row in samples]) for name in metrics}
    pairs = [_choose(row) for row in samples]
    note = ""
    if any(pair is None for pair in pairs):
        answers = [to_text(next(iter(row["filtered_resps"]), None)) for row in samples]
        targets = [to_text(row["target"]) for row in samples]
        is_logged = True
    else:
        answers, targets = ([None if pair is None else pair[side] for pair in pairs] for side in (0, 1))
        right = np.array([answer == target for answer, target in zip(answers, targets, strict=True)])
        is_logged = "acc" not in scores or not np.array_equal(right, scores["acc"] == 1)
        if is_logged:
            note = "the answers do not give the logged acc (several inputs or targets?), so only scores are compared."
    own = [str(row["doc_id"]) for row in samples], answers, targets, [*map(_prompt, samples)]
    items = _make_log(source, LM_EVAL, own, [*map(_metadata, samples)], [line for line, _ in rows])
    notes = (note,) if note else ()
    builder.tables.append(replace(items, scores=scores, is_logged=is_logged, notes=notes))


def _metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a sample says of its document."""
    doc = row["doc"] if isinstance(row.get("doc"), dict) else {}
    return {**doc, "doc_hash": row["doc_hash"]} if row.get("doc_hash") else doc


def _choose(row: Mapping[str, Any]) -> tuple[str, str | None] | None:
    """Numbers of the chosen and of the right one of several continuations; None if the answer is a text."""
    given = row["filtered_resps"]
    if not given or not all(isinstance(pair, list) and len(pair) == 2 for pair in given):
        return None
    values = np.array([_number(pair[0]) for pair in given])
    if "acc_mutual_info" in row.get("metrics", ()):
        values = values[: len(values) // 2]
    target = to_text(row["target"])
    calls = _calls(row)
    choices = [str(calls.get(f"gen_args_{number}", {}).get("arg_1", "")).strip() for number in range(len(values))]
    if target is not None and not (target.isdigit() and int(target) < len(values)):
        target = str(choices.index(target.strip())) if target.strip() in choices else None
    return str(int(values.argmax())), target


def _calls(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a sample by name; older logs have lists of them."""
    given = row.get("arguments") or {}
    if isinstance(given, Mapping):
        return given
    return {
        f"gen_args_{place}": {f"arg_{at}": part for at, part in enumerate(call)} for place, call in enumerate(given)
    }


def _prompt(row: Mapping[str, Any]) -> str:
    """The prompt of a sample and, if answers are numbers of continuations, each of these with its number."""
    calls = _calls(row)
    parts = [calls.get(f"gen_args_{number}") for number in range(len(calls))]
    pairs = [(str(part.get("arg_0", "")), str(part.get("arg_1", ""))) for part in parts if isinstance(part, dict)]
    if not pairs:
        return ""
    prompt = pairs[0][0]
    # Mutual information adds continuations of other prompts; some tasks ask for one continuation of several prompts.
    continued = [after.strip() for before, after in pairs if before == prompt]
    if _choose(row) is None or len(pairs) < 2:
        return prompt
    if len(continued) < 2:
        return "\n".join(f"{number}: {before}{after}" for number, (before, after) in enumerate(pairs))
    return "\n".join([prompt, *(f"{number}: {after}" for number, after in enumerate(continued))])


def _number(value: Any) -> float:
    """A logged number, which may be a text; nan if there is none."""
    try:
        return math.nan if value is None else float(value)
    except (TypeError, ValueError):
        return math.nan


# --- Inspect ---


def looks_inspect(head: Sequence[str]) -> bool:
    """True of the zip file or the JSON that Inspect writes."""
    text = "\n".join(head[:200])[:4_000]
    return text == ZIP or all(f'"{key}"' in text for key in ("version", "eval", "run_id", "task_id"))


@refuse_strange
def read_inspect(source: Source, builder: Builder) -> None:
    """Read a log of Inspect: the answers, targets and scores of its samples, all epochs one after another."""
    if source.head()[0] == ZIP:
        entries = dict(_unzip(source))
        header = entries.pop(_HEADER, {})
        samples = [*entries.values()]
    else:
        text = "".join(batch.text for batch in source.batches())
        try:
            header = json.loads(text)
        except ValueError as error:
            raise InputError(f"{source.path}: not JSON ({error}).") from None
        samples = header.get("samples") or []
    if not samples:
        raise InputError(f"{source.path}: a log without samples. Was it written with --no-log-samples?")
    by_sample = [dict(_read_scores(source.path, sample)) for sample in samples]
    names = list(dict.fromkeys(name for scores in by_sample for name in scores))
    main = next((name for sample in samples for name in sample.get("scores") or ()), "")
    several = len({sample.get("epoch", 1) for sample in samples}) > 1
    own = (
        [str(sample["id"]) for sample in samples],
        [to_text(((sample.get("scores") or {}).get(main) or {}).get("answer")) for sample in samples],
        [_join_targets(sample.get("target")) for sample in samples],
        [_input_text(sample.get("input")) for sample in samples],
    )
    epochs = [{"epoch": sample.get("epoch", 1)} if several else {} for sample in samples]
    metadata = [(sample.get("metadata") or {}) | epoch for sample, epoch in zip(samples, epochs, strict=True)]
    items = _make_log(source, INSPECT, own, metadata, [0] * len(samples))
    scores = {name: np.array([own.get(name, math.nan) for own in by_sample]) for name in names}
    system = str((header.get("eval") or {}).get("model") or "")
    failed = frozenset(str(sample["id"]) for sample in samples if sample.get("error"))
    more: dict[str, Any] = {"system": system, "failed": failed, "scores": scores}
    builder.tables.append(replace(items, **more, is_logged=True, notes=()))


def _unzip(source: Source) -> Iterator[tuple[str, Any]]:
    """The header and the samples of a zip file, by name."""
    content = source.content()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
                is_sample = entry.filename.startswith("samples/") and entry.filename.endswith(".json")
                if is_sample or entry.filename == _HEADER:
                    yield entry.filename, json.loads(_unpack(archive, entry, content, source.path))
    except (zipfile.BadZipFile, ValueError) as error:
        raise InputError(f"{source.path}: not a log of Inspect that can be read ({error}).") from None


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, content: bytes, path: str) -> bytes:
    """The bytes of an entry, which newer versions of Inspect pack with zstd."""
    try:
        return archive.read(entry)
    except NotImplementedError:
        # Python 3.14 reads it; before, the packed bytes come after a header with the lengths of name and extra field.
        try:
            import zstandard  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise InputError(
                f"{path}: packed with zstd, which needs the package zstandard: pip install 'assay-nlp[zstd]'. Or "
                "write JSON: inspect log convert --to json"
            ) from None
        assert entry.compress_type == _ZSTD
        name, extra = (int.from_bytes(content[entry.header_offset + at :][:2], "little") for at in (26, 28))
        begin = entry.header_offset + 30 + name + extra
        packed = io.BytesIO(content[begin : begin + entry.compress_size])
        return bytes(zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True).read())


def _read_scores(path: str, sample: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The scores of a sample as numbers; none if it ended in an error."""
    given = sample.get("scores") if not sample.get("error") else None
    for scorer, score in (given or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        for name, one in value.items() if isinstance(value, dict) else [("", value)]:
            title = f"{scorer}/{name}" if name else scorer
            number = _VALUES.get(one, _VALUES.get(one.lower())) if isinstance(one, str) else None
            number = _number(one) if number is None else number
            if math.isnan(number) and one is not None and not isinstance(one, float) and one != "nan":
                raise InputError(f"{path}: sample {sample['id']}: {title} is {one!r:.40}, which is not a score.")
            yield title, number


def _join_targets(target: Any) -> str:
    return SEVERAL.join(map(str, target)) if isinstance(target, list) else to_text(target) or ""


def _input_text(given: Any) -> str:
    """The input of a sample: a text, or the messages of a chat."""
    if isinstance(given, list):
        contents = [message.get("content") for message in given if isinstance(message, dict)]
        return "\n".join(content for content in contents if isinstance(content, str))
    return to_text(given) or ""


def _make_log(
    source: Source,
    form: str,
    own: Sequence[Sequence[Any]],
    metadata: Sequence[Mapping[str, Any]],
    lines: Sequence[int],
) -> ItemTable:
    """The items of a log, whose own columns come first; short values are metadata."""
    table = table_of_rows(metadata, source.path, np.array(lines, dtype=np.int64))
    table = replace(table, columns=(*own, *table.columns), names=(*_OWN, *table.names))
    roles = Roles(label=1, ids=(0,), texts=(3,), targets=2)
    further = {*range(len(table.columns))} - roles.places()
    long = {place for place in further if any(len(to_text(cell) or "") > _SHORT for cell in table.columns[place])}
    items = make_items(table, roles, PARAMETERS, sha256=source.sha256, form=form, hidden=long)
    return replace(items, warnings=())
