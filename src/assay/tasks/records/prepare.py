"""Records: from files to pairs in gold's order, with the schema that all of them are compared by."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.align import align
from assay.corpus import Column, Corpus
from assay.engine.prepare import Run
from assay.engine.warnings import plain_sentence, remark
from assay.errors import AlignmentError, InputError, UsageError, describe_os_error
from assay.formats import Input
from assay.formats.records import RECORD, TEXT, GivenSchema, is_record
from assay.result.numbers import plural
from assay.tasks.records.grounding import RecordText
from assay.tasks.records.judge import BREACHES, STATUS, RecordRun, outcomes_of
from assay.tasks.records.kinds import DATE, read_date
from assay.tasks.records.measures import compared_by
from assay.tasks.records.pairing import OUTSIDE, SPURIOUS, ValueOutcome
from assay.tasks.records.reading import MALFORMED, MISSING, PARSED, READ, read_record
from assay.tasks.records.schema import (
    DEEPEST,
    VALUE,
    Place,
    check_form,
    declare,
    find_absent,
    find_breaches,
    infer_schema,
    is_nothing,
    is_too_deep,
    keep_fillers,
    merge_schemas,
    read_schema,
    write_schema,
)

_NAMED = 3
"""The most ids that are listed."""
_MOST_FIELDS = 5


def prepare_records(run: Run) -> None:
    """Read records, find their schema in gold or in a file, and bring the systems' into gold's order."""
    options = run.options
    if options.column is not None:
        raise UsageError(f"--column {options.spelled_column}: records are not read from a column. Remove --column.")
    run.read(lambda name, item: item if isinstance(item, Corpus) else _read(item))
    run.note_reading()
    if options.decided is not None and options.schema is None:
        raise UsageError(
            f"{run.gold.name}: its files are read in several parts, which need one schema. Write it, and give it "
            f"with --schema schema.json: assay convert {run.gold.name} --to schema -o schema.json"
        )
    schema = find_schema(run.corpora if options.symmetric else [run.gold], options.schema, options.field)
    # What one annotator writes is a value, whoever comes first.
    schema = keep_fillers(schema) if options.symmetric else schema
    if schema.unread:
        run.notes.append(plain_sentence(text=f"the schema's {', '.join(schema.unread)} are ignored."))
    run.decide(column=RECORD)
    for number, (name, corpus) in enumerate(run.systems, 1):
        run.corpora[number] = _take_answers(run, name, corpus, schema)
    if options.decided is None:
        # Other parts of a folder may have the field.
        cells = (cell for _, corpus in run.systems for cell in corpus.column(RECORD).strings())
        absent = find_absent(schema, options.field, map(json.loads, cells))
        run.warnings += [plain_sentence(text=text) for text in absent]
    run.corpora[0] = replace(run.gold, columns={**run.gold.columns, STATUS: _same(PARSED, run.gold.sentences)})
    run.skipped = np.zeros(run.gold.sentences, dtype=bool)
    layer = RecordRun(schema, [*map(RecordText, run.gold.column(TEXT).strings())])
    for name, corpus in run.systems:
        run.pairs.append((name, align(run.gold, corpus, column=RECORD).with_layer(layer)))
    for name, pair in run.pairs:
        outcomes = [one for _, own in outcomes_of(pair, compared_by(run.measures)) for one in own]
        run.items = sum(one.outcome != SPURIOUS for one in outcomes)
        run.warnings.append(fields_outside(name=name, fields=_count_outside(outcomes), known=_fields_of(schema)))
        run.warnings.append(dates_with_two_readings(name=name, **_ambiguous_dates(outcomes, schema)))
    run.unit = options.unit if options.unit not in (None, "record", "item") else "sentence"


def _read(item: Input) -> Corpus:
    corpus = item.read()
    if RECORD not in corpus.columns:
        raise InputError(f'{item.path}: no records ({corpus.format}). Name their format: --input-format "records"')
    return corpus


def _same(text: str, number: int) -> Column:
    return Column(np.zeros(number, dtype=np.int32), (text,))


# --- the schema ---


def find_schema(corpora: Sequence[Corpus], path: str | None, declared: Sequence[str]) -> Place:
    """The schema of gold's records, or that of a file with what gold adds to it, and what the user declares.

    Of annotators it is that of all their records.
    """
    records = []
    cells = ((corpus, *row) for corpus in corpora for row in enumerate(corpus.column(RECORD).strings()))
    for corpus, number, cell in cells:
        record, place = json.loads(cell), corpus.place_of_sentence(number)
        if is_too_deep(cell):
            raise InputError(f"{place}: nested more than {DEEPEST} levels deep. Records are flatter than this.")
        if isinstance(record, str):
            raise InputError(
                f"{place}: the record is a string. Is it JSON in a string? It must be an object or a list of objects "
                "in gold."
            )
        if not is_record(record) and not is_nothing(record):
            raise InputError(f"{place}: the record is {json.dumps(record)[:40]}, but an object is expected.")
        records.append((place, record))
    layer = corpora[0].layer(GivenSchema)
    given = _read_schema(path) if path is not None else read_schema(layer.schema, "schema") if layer else None
    schema = infer_schema(records, given)
    schema = schema if given is None else merge_schemas(given, schema)
    declarations = {}
    for text in declared:
        name, equals, kind = text.partition("=")
        if not equals:
            raise UsageError(f"--field {text}: a place and its kind are expected, e.g. --field total=number")
        declarations[name] = kind
    schema = declare(schema, declarations)
    # Without a schema, the structure is that of gold.
    for place, record in records if given is not None else ():
        check_form(schema, record, place)
    return schema


def schema_text(source: Input) -> str:
    """The schema that a file of records shows, as JSON Schema, to be edited and given back."""
    return json.dumps(write_schema(find_schema([_read(source)], None, ())), ensure_ascii=False, indent=2) + "\n"


def _read_schema(path: str) -> Place:
    try:
        given = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({describe_os_error(error)}).") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}).") from None
    if not isinstance(given, Mapping):
        raise InputError(f"{path}: a JSON Schema is an object.")
    return read_schema(given, path)


# --- a system's records ---


def _take_answers(run: Run, name: str, system: Corpus, schema: Place) -> Corpus:
    """A system's records in gold's order, those in answers read by the schema, with the status of each."""
    gold = run.gold
    cells, rows = system.column(RECORD).strings(), range(gold.sentences)
    if gold.by_id != system.by_id:
        one, other = (gold, system) if gold.by_id else (system, gold)
        raise AlignmentError(f"{other.name}: records without ids, but those of {one.name} have some. Give both.")
    places: list[int | None]
    if gold.by_id:
        number = {key: place for place, key in enumerate(system.document_ids)}
        known = {*gold.document_ids, *(key for _, key, _ in gold.left_out)}
        if foreign := [key for key in system.document_ids if key not in known]:
            listed = ", ".join(foreign[:_NAMED]) + ", …" * (len(foreign) > _NAMED)
            raise AlignmentError(f"{system.name}: {gold.name} has no records {listed}. Ids must be those of gold.")
        places = [number.get(key) for key in gold.document_ids]
    elif gold.sentences != system.sentences:
        raise AlignmentError(
            f"{system.name}: {plural(system.sentences, 'record')}, but {gold.name} has {gold.sentences:,}, and there "
            "are no ids."
        )
    else:
        places = [*rows]
    read: list[str] = []
    statuses: list[str] = []
    faults: list[str] = []
    is_checked = run.options.schema is not None or gold.layer(GivenSchema) is not None
    for place in places:
        cell = "null" if place is None else cells[place]
        status = PARSED
        if cell.startswith('"') or cell == "null":
            status, record = read_record(json.loads(cell), schema)
            # Escapes in an answer may be half a character.
            cell = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        if status in READ and (cell[0] not in "{[" or is_too_deep(cell)):
            status, cell = MALFORMED, "null"
        statuses.append(status)
        read.append(cell)
        record = json.loads(cell) if is_checked and status in READ else {}
        faults.append(" ".join(sorted(find_breaches(schema, record))) if status in READ else status)
    own = np.zeros(system.sentences, dtype=np.int64) if system.lines is None else system.lines
    lines = np.array([0 if place is None else own[place] for place in places], dtype=np.int64)
    unread = sum(status not in (*READ, MISSING) for status in statuses)
    run.warnings.append(answers_unread(name=name, number=unread, records=len(places)))
    run.warnings.append(records_missing(name=name, number=statuses.count(MISSING)))
    return replace(
        gold,
        name=system.name,
        format=system.format,
        sha256=system.sha256,
        columns={RECORD: Column.of(read), STATUS: Column.of(statuses), TEXT: gold.column(TEXT)}
        | ({BREACHES: Column.of(faults)} if is_checked else {}),
        files=system.files[:1],
        lines=lines,
        comments=(),
        noted=system.noted,
        left_out=system.left_out,
    )


def _fields_of(schema: Place) -> list[str]:
    return [place.path for place in schema.walk() if place.form == VALUE]


def _count_outside(outcomes: Sequence[ValueOutcome]) -> dict[str, int]:
    """The number of values of each field that the schema does not have."""
    return dict(Counter(one.field for one in outcomes if one.note == OUTSIDE).most_common())


def _ambiguous_dates(outcomes: Sequence[ValueOutcome], schema: Place) -> dict[str, Any]:
    """The number of dates of a system with two readings, the first of them, and its field."""
    dates = {place.path: place.kind for place in schema.walk() if place.kind.name == DATE}
    found = [
        (one.field, one.system)
        for one in outcomes
        if one.field in dates
        and isinstance(one.system, str)
        and read_date(one.system.strip().lower(), dates[one.field].parameters.get("order", "")) == ()
    ]
    field, date = found[0] if found else ("", "")
    return {"number": len(found), "field": field, "date": date}


@remark
def fields_outside(name: str, fields: Mapping[str, int], known: Sequence[str]) -> Iterator[str]:
    """Values of fields that the schema does not have, and the fields that may be meant."""
    if fields:
        plain = {_plain(field): field for field in known}
        named = [
            f"{field} {number:,}" + (f" ({plain[_plain(field)]}?)" if _plain(field) in plain else "")
            for field, number in [*fields.items()][:_MOST_FIELDS]
        ]
        number = sum(fields.values())
        have = "1 value has a field" if number == 1 else f"{number:,} values have fields"
        yield f"{name}: {have} outside the schema: {', '.join(named)}{', …' * (len(fields) > _MOST_FIELDS)}."


def _plain(field: str) -> str:
    return re.sub(r"[\s_-]", "", field).casefold()


@remark
def dates_with_two_readings(name: str, number: int, field: str, date: str) -> Iterator[str]:
    """Dates whose day may be the month."""
    if number:
        values = plural(number, "value")
        yield f'{name}: date {date} has two readings ({values}). Choose one: --field {field}="date(order=dmy)"'


@remark
def answers_unread(name: str, number: int, records: int) -> Iterator[str]:
    """Answers without a record."""
    if number:
        yield f"{name}: {number:,} of {records:,} answers could not be read and count as empty."


@remark
def records_missing(name: str, number: int) -> Iterator[str]:
    """Records of gold that a system's file does not have."""
    if number:
        count = "counts" if number == 1 else "count"
        yield f"{name}: lacks {plural(number, 'record')} of gold, which {count} as empty."
