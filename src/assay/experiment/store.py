"""The store: one SQLite file with every run and its measurements, each run written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.experiment.commands import Usage
from assay.experiment.measure import Measurement
from assay.experiment.plan import RunId
from assay.experiment.splits import Design

VERSION = 2
_WITHOUT_CHECKSUM = 1
_APPLICATION = 0x41535359
"""Marks the file as ours ("ASSY")."""
_PATIENCE = 60.0
"""How many seconds we wait for another writer."""
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE designs (
    dataset TEXT PRIMARY KEY, folds INTEGER NOT NULL, repetitions INTEGER NOT NULL, dev INTEGER NOT NULL,
    by TEXT NOT NULL, scheme TEXT NOT NULL, seed INTEGER NOT NULL, sha256 TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (
    dataset TEXT NOT NULL, system TEXT NOT NULL, repetition INTEGER NOT NULL, fold INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('run', 'import')),
    state TEXT NOT NULL CHECK (state IN ('done', 'failed')),
    inputs TEXT NOT NULL, scoring TEXT NOT NULL,
    n_train INTEGER, n_dev INTEGER, n_test INTEGER, seed INTEGER,
    train_seconds REAL, train_cpu REAL, train_memory INTEGER,
    predict_seconds REAL, predict_cpu REAL, predict_memory INTEGER,
    seconds REAL, predictions TEXT, predictions_sha256 TEXT, host TEXT, finished REAL NOT NULL, error TEXT NOT NULL,
    PRIMARY KEY (dataset, system, repetition, fold)
) WITHOUT ROWID;
CREATE TABLE measurements (
    dataset TEXT NOT NULL, system TEXT NOT NULL, repetition INTEGER NOT NULL, fold INTEGER NOT NULL,
    measure TEXT NOT NULL, value REAL, numerator INTEGER, denominator INTEGER, counts TEXT NOT NULL,
    PRIMARY KEY (dataset, system, repetition, fold, measure),
    FOREIGN KEY (dataset, system, repetition, fold) REFERENCES runs ON DELETE CASCADE
) WITHOUT ROWID;
"""
_CHECKSUM = "CREATE TABLE checksum (value TEXT NOT NULL)"
"""One value for all that is in the store: the marks of all rows, by exclusive or, so that it follows each change."""
_CHECKED = ("sqlite_master", "meta", "designs", "runs", "measurements")
_DAMAGED = "is damaged. Restore it from a copy, or move it away and run again."


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    run: RunId
    state: str
    """`done` or `failed`."""
    inputs: Mapping[str, str]
    """Everything that decides what the run gives: if one of these changes, the run is due again."""
    scoring: str = ""
    """A hash of everything that decides its measurements."""
    measurements: tuple[Measurement, ...] = ()
    error: str = ""
    """Why it failed, with the last lines of its log."""
    n_train: int | None = None
    n_dev: int | None = None
    n_test: int | None = None
    seed: int | None = None
    train: Usage = field(default_factory=Usage)
    predict: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """From beginning to end, with splitting and scoring."""
    predictions: str = ""
    """The file of the predictions within the run's folder."""
    predictions_sha256: str = ""
    host: str = ""
    finished: float = 0.0
    origin: str = "run"


class Store:
    """Runs and measurements; where several write, each waits for the others."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.exists():
            raise InputError(f"{path}: there is no such store yet. Start with: assay experiment run")
        with self._mistakes(_DAMAGED if path.exists() else ""):
            self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            self._connection.row_factory = sqlite3.Row
            try:
                # The journal is the plain one, not the write-ahead log: that needs memory shared by all who have the
                # file open, which network file systems do not give.
                self._connection.execute("PRAGMA foreign_keys = ON")
                self._connection.execute("PRAGMA synchronous = FULL")
                self._prepare(create)
                self._check()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, create: bool) -> None:
        known = self._connection.execute("PRAGMA application_id").fetchone()[0]
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        empty = not self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if known == _APPLICATION and version > VERSION:
            raise InputError(f"{self.path}: was written by a newer assay (store {version}). Use that version.")
        if known == _APPLICATION and version == _WITHOUT_CHECKSUM:
            self._bring_up_to_date(create)
        if known == _APPLICATION:
            return
        if not empty:
            raise InputError(f"{self.path}: is a database, but no store of runs. Name another one: store = …")
        if not create:
            raise InputError(f"{self.path}: is empty. Start with: assay experiment run")
        with self.transaction():
            # Somebody else may have been faster while we waited.
            if not self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._start_checksum()

    def _bring_up_to_date(self, may_write: bool) -> None:
        """Give a store of an older version a checksum of what it holds."""
        if not may_write:
            raise InputError(
                f"{self.path}: was written before stores had checksums (store {_WITHOUT_CHECKSUM}). "
                "Bring it up to date: assay experiment run"
            )
        with self.transaction():
            # Somebody else may have been faster while we waited.
            if self._connection.execute("PRAGMA user_version").fetchone()[0] == _WITHOUT_CHECKSUM:
                if self._connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                    raise InputError(f"{self.path}: {_DAMAGED}")
                self._start_checksum()

    # --- the checksum ---

    def _start_checksum(self) -> None:
        self._connection.execute(_CHECKSUM)
        self._connection.execute("INSERT INTO checksum VALUES (?)", [_spelt(self._marks(_CHECKED))])
        self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def _check(self) -> None:
        """Refuse a store that does not hold what was written."""
        with self._moment():
            try:
                whole = self._marks(_CHECKED) == self._checksum()
            except (TypeError, ValueError):
                whole = False
        if not whole:
            raise InputError(f"{self.path}: {_DAMAGED}")

    @contextmanager
    def _changing(self, tables: Iterable[str], where: str, values: Sequence[object]) -> Iterator[None]:
        """The checksum follows what happens within to these rows."""
        before = self._marks(tables, where, values)
        yield
        changed = self._checksum() ^ before ^ self._marks(tables, where, values)
        self._connection.execute("UPDATE checksum SET value = ?", [_spelt(changed)])

    def _checksum(self) -> int:
        return int(self._connection.execute("SELECT value FROM checksum").fetchone()[0], 16)

    def _marks(self, tables: Iterable[str], where: str = "true", values: Sequence[object] = ()) -> int:
        """The marks of some rows together."""
        total = 0
        for table in tables:
            columns = "type, name, sql" if table == "sqlite_master" else "*"
            for row in self._connection.execute(f"SELECT {columns} FROM {table} WHERE {where}", values):
                text = json.dumps([table, *row], default=repr)
                total ^= int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
        return total

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written within, or nothing of it; one within another is part of that."""
        if self._connection.in_transaction:
            yield
            return
        with self._mistakes():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _mistakes(self, otherwise: str = "") -> Iterator[None]:
        """What SQLite complains of, in words that say what to do; `otherwise` stands for what is not known."""
        try:
            yield
        except UnicodeDecodeError:
            # SQLite names what it found in a damaged schema.
            raise InputError(f"{self.path}: {_DAMAGED}") from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorname", "") or ""
            facts = {
                "SQLITE_FULL": "the disk is full. Make room and run again; what was written stays.",
                "SQLITE_IOERR": "cannot be read or written. Is there a quota, or is its file system gone? What was "
                "written stays.",
                "SQLITE_BUSY": f"somebody else has been writing for {_PATIENCE:g} s. Try again later.",
                "SQLITE_NOTADB": "is no database. Name another file: store = …",
                "SQLITE_CORRUPT": _DAMAGED,
                "SQLITE_CANTOPEN": "cannot be opened. Does its folder exist, and may you write there?",
                "SQLITE_READONLY": "may not be written.",
            }
            known = next((fact for name, fact in facts.items() if code.startswith(name)), otherwise or f"{error}.")
            raise InputError(f"{self.path}: {known}") from None

    # --- writing ---

    def record(self, outcome: Outcome) -> None:
        """Write a run with its measurements, in place of what the store had of it."""
        with self.transaction():
            self._record(outcome)

    def record_all(self, outcomes: Iterable[Outcome]) -> None:
        """Write several runs, all or none."""
        with self.transaction():
            for outcome in outcomes:
                self._record(outcome)

    def _record(self, outcome: Outcome) -> None:
        with self._changing(("runs", "measurements"), _WHERE, _key(outcome.run)):
            self._replace(outcome)

    def _replace(self, outcome: Outcome) -> None:
        key = _key(outcome.run)
        self._connection.execute(f"DELETE FROM runs WHERE {_WHERE}", key)
        row = {
            **dict(zip(_KEYS, key, strict=True)),
            "origin": outcome.origin,
            "state": outcome.state,
            "inputs": json.dumps(outcome.inputs, sort_keys=True),
            "scoring": outcome.scoring,
            **{name: getattr(outcome, name) for name in ("n_train", "n_dev", "n_test", "seed", "seconds", "host")},
            **{name: getattr(outcome, name) for name in ("predictions", "predictions_sha256", "error")},
            **{f"train_{name}": getattr(outcome.train, name) for name in ("seconds", "cpu", "memory")},
            **{f"predict_{name}": getattr(outcome.predict, name) for name in ("seconds", "cpu", "memory")},
            "finished": outcome.finished or time.time(),
        }
        self._insert("runs", row)
        for one in outcome.measurements:
            self._insert(
                "measurements",
                {
                    **dict(zip(_KEYS, key, strict=True)),
                    "measure": one.measure,
                    # SQLite has no nan: it is NULL there.
                    "value": one.value if one.value == one.value else None,
                    "numerator": one.numerator,
                    "denominator": one.denominator,
                    "counts": json.dumps(dict(one.counts), sort_keys=True),
                },
            )

    def _insert(self, table: str, row: Mapping[str, Any]) -> None:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))

    def describe(self, designs: Mapping[str, tuple[Design, str]], **meta: str) -> None:
        """Write how each data set is split, with its checksum, and what else is worth knowing."""
        with self.transaction():
            names = ("folds", "repetitions", "dev", "by", "scheme", "seed")
            for dataset, (design, sha256) in designs.items():
                with self._changing(["designs"], "dataset = ?", [dataset]):
                    self._connection.execute("DELETE FROM designs WHERE dataset = ?", [dataset])
                    row = {name: getattr(design, name) for name in names}
                    self._insert("designs", {"dataset": dataset, **row, "sha256": sha256})
            for key, value in meta.items():
                with self._changing(["meta"], "key = ?", [key]):
                    self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    # --- reading ---

    def outcomes(self) -> dict[RunId, Outcome]:
        """All runs of the store with their measurements."""
        # Both tables are read as they are at one moment.
        with self._moment():
            rows = self._connection.execute(f"SELECT * FROM measurements ORDER BY {_ORDER}").fetchall()
            runs = self._connection.execute(f"SELECT * FROM runs ORDER BY {_ORDER}").fetchall()
        found: dict[RunId, list[Measurement]] = {}
        for row in rows:
            value = float("nan") if row["value"] is None else row["value"]
            one = Measurement(row["measure"], value, row["numerator"], row["denominator"], json.loads(row["counts"]))
            found.setdefault(_run_id(row), []).append(one)
        return {_run_id(row): _outcome(row, found.get(_run_id(row), [])) for row in runs}

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """What is read within is as it was at one moment; it was whole when the store was opened."""
        if self._connection.in_transaction:
            yield
            return
        with self._mistakes(_DAMAGED):
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("COMMIT")

    def meta(self, key: str) -> str | None:
        """A note by its key."""
        with self._mistakes():
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
        return row[0] if row else None


_KEYS = ("dataset", "system", "repetition", "fold")
_WHERE = " AND ".join(f"{name} = ?" for name in _KEYS)
_ORDER = ", ".join(_KEYS)


def _spelt(checksum: int) -> str:
    return f"{checksum:032x}"


def _key(run: RunId) -> tuple[str, str, int, int]:
    return run.dataset, run.system, run.repetition, run.fold


def _run_id(row: sqlite3.Row) -> RunId:
    return RunId(*(row[name] for name in _KEYS))


def _outcome(row: sqlite3.Row, measurements: list[Measurement]) -> Outcome:
    plain = ("state", "scoring", "error", "n_train", "n_dev", "n_test", "seed", "seconds", "origin")
    return Outcome(
        run=_run_id(row),
        inputs=json.loads(row["inputs"]),
        measurements=tuple(measurements),
        train=Usage(row["train_seconds"], row["train_cpu"], row["train_memory"]),
        predict=Usage(row["predict_seconds"], row["predict_cpu"], row["predict_memory"]),
        predictions=row["predictions"],
        predictions_sha256=row["predictions_sha256"],
        host=row["host"],
        finished=row["finished"],
        **{name: row[name] for name in plain},
    )
