"""Tables of Apache Arrow, which need pyarrow: Parquet, and Arrow's own files and streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.formats.source import Source

PARQUET, ARROW, STREAM = "PAR1", "ARROW1\0\0", "\xff\xff\xff\xff"
"""The first characters of a file of each kind."""
TABLES = (PARQUET, ARROW, STREAM)
SHOWN = 100
"""The number of rows that are looked at."""


def show_table(source: Source) -> list[str]:
    """The columns of a data set of Hugging Face and its first rows, as lines of JSON; none without
    pyarrow."""
    try:
        import pyarrow  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
    except ImportError:
        return []
    schema, batches = open_table(source)
    information = (schema.metadata or {}).get(b"huggingface", b"{}").decode("utf-8", "replace")
    rows = next(batches, None)
    shown = [] if rows is None else rows.slice(0, SHOWN).to_pylist()
    return [" ".join(information.split("\n")), *(json.dumps(row, ensure_ascii=False, default=str) for row in shown)]


def lacks_library(path: str, start: str) -> InputError:
    """The error for a table that cannot be read without pyarrow."""
    return InputError(
        f'{path} is a table of {"Parquet" if start == PARQUET else "Arrow"}; pip install "assay-nlp[arrow]"'
    )


def open_table(source: Source) -> tuple[Any, Iterator[Any]]:
    """The schema of a table, and its rows in batches, each of which is unpacked when its turn comes."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise lacks_library(source.path, source.head()[0]) from None
    data = source.content()
    buffer = pyarrow.BufferReader(data)

    def read(open_file: Any, iterate: Any) -> Iterator[Any]:
        try:
            table = open_file(buffer)
            schema = table.schema_arrow if hasattr(table, "schema_arrow") else table.schema
            # Names and texts that are not UTF-8 are found here.
            list(schema.names)
            yield schema
            for batch in iterate(table):
                batch.validate(full=True)
                yield batch
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            fact = " ".join(str(error).split())
            raise InputError(f"{source.path}: a table that cannot be read ({fact}). Copy or make it again.") from None

    if data.startswith(PARQUET.encode()):
        parts = read(parquet.ParquetFile, lambda table: table.iter_batches(10_000))
    elif data.startswith(ARROW.encode()):
        parts = read(ipc.open_file, lambda table: map(table.get_batch, range(table.num_record_batches)))
    else:
        parts = read(ipc.open_stream, iter)
    return next(parts), parts
