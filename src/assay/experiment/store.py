"""The store: one SQLite file with every run and its measurements, and the lock of the process that coordinates.

Each run is written whole or not at all. The operating system releases the lock when its holder ends.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError, UsageError, describe_os_error
from assay.experiment.plan import RunId
from assay.experiment.splits import Design

VERSION = 2
_WITHOUT_CHECKSUM = 1
_APPLICATION = 0x41535359
"""Marks the file as ours ("ASSY")."""
_PATIENCE = 60.0
"""Seconds that we wait for another writer."""
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
"""One value for the whole store: the exclusive or of the hashes of all rows, so that a change updates it."""
_CHECKED = ("sqlite_master", "meta", "designs", "runs", "measurements")
_DAMAGED = "is damaged. Restore it from a copy, or move it away and run again."
_KEYS = ("dataset", "system", "repetition", "fold")
_WHERE = " AND ".join(f"{name} = ?" for name in _KEYS)
_PLAIN = (
    *("origin", "state", "scoring", "n_train", "n_dev", "n_test", "seed", "seconds"),
    *("predictions", "predictions_sha256", "host", "error"),
)
"""Columns of a run that are fields of an Outcome."""
_USAGE = ("seconds", "cpu", "memory")


@dataclass(frozen=True)
class Measurement:
    """One score of one run, with the counts it is made of."""

    measure: str
    value: float
    """nan if it is undefined."""
    numerator: int | None = None
    denominator: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Usage:
    """Time and memory that a command used."""

    seconds: float = 0.0
    """By the clock."""
    cpu: float = 0.0
    """Of the processor."""
    memory: int = 0
    """At most, in bytes."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run."""

    run: RunId
    state: str
    """`done` or `failed`."""
    inputs: Mapping[str, str]
    """Everything that decides the predictions: if one of these changes, the run is due again."""
    scoring: str = ""
    """A hash of everything that decides its measurements."""
    measurements: tuple[Measurement, ...] = ()
    error: str = ""
    """Reason of a failure, with the last lines of its log."""
    n_train: int | None = None
    n_dev: int | None = None
    n_test: int | None = None
    seed: int | None = None
    train: Usage = field(default_factory=Usage)
    predict: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """From beginning to end, with splitting and scoring."""
    predictions: str = ""
    """Name of the file of predictions in the run's folder."""
    predictions_sha256: str = ""
    host: str = ""
    finished: float = 0.0
    origin: str = "run"


class Store:
    """Runs and measurements in a file; several processes that write wait for each other."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.exists():
            raise InputError(f"{path}: there is no store yet. Start with: assay experiment run")
        with self._explain_errors(_DAMAGED if path.exists() else ""):
            self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            self._connection.row_factory = sqlite3.Row
            try:
                # The journal is the plain one, not the write-ahead log: that needs memory shared by all who have the
                # file open, which network file systems do not give.
                self._connection.execute("PRAGMA foreign_keys = ON")
                self._connection.execute("PRAGMA synchronous = FULL")
                self._prepare(create)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, create: bool) -> None:
        """Create missing tables if the store may be written; InputError if it is damaged or no store."""
        application, version, tables = self._read_state()
        if application == _APPLICATION and version > VERSION:
            raise InputError(f"{self.path}: was written by a newer assay (store {version}). Use that version.")
        if application == _APPLICATION and version == _WITHOUT_CHECKSUM and not create:
            raise InputError(
                f"{self.path}: was written before stores had checksums (store {_WITHOUT_CHECKSUM}). To update it: "
                f"assay experiment run"
            )
        if application != _APPLICATION and tables:
            raise InputError(f"{self.path}: this database is not a store of runs. Name another file: store = …")
        if application != _APPLICATION and not create:
            raise InputError(f"{self.path}: is empty. Start with: assay experiment run")
        if application != _APPLICATION or version == _WITHOUT_CHECKSUM:
            with self.transaction():
                # Another process may have done this while we waited.
                _, version, tables = self._read_state()
                if not tables:
                    for statement in filter(str.strip, _TABLES.split(";")):
                        self._connection.execute(statement)
                    self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                elif self._connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                    raise InputError(f"{self.path}: {_DAMAGED}")
                if not tables or version == _WITHOUT_CHECKSUM:
                    self._connection.execute(_CHECKSUM)
                    checksum = f"{self._hash_rows(_CHECKED):032x}"
                    self._connection.execute("INSERT INTO checksum VALUES (?)", [checksum])
                    self._connection.execute(f"PRAGMA user_version = {VERSION}")
        with self.transaction("BEGIN", _DAMAGED):
            try:
                intact = self._hash_rows(_CHECKED) == self._read_checksum()
            except (TypeError, ValueError):
                intact = False
        if not intact:
            raise InputError(f"{self.path}: {_DAMAGED}")

    def _read_state(self) -> tuple[int, int, int]:
        """Application id, version and number of tables of the database."""
        queries = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        application, version, tables = (self._connection.execute(query).fetchone()[0] for query in queries)
        return application, version, tables

    # --- the checksum ---

    @contextmanager
    def _update_checksum(self, tables: Iterable[str], where: str, values: Sequence[object]) -> Iterator[None]:
        """Update the checksum for what is changed inside in these rows."""
        before = self._hash_rows(tables, where, values)
        yield
        changed = self._read_checksum() ^ before ^ self._hash_rows(tables, where, values)
        self._connection.execute("UPDATE checksum SET value = ?", [f"{changed:032x}"])

    def _read_checksum(self) -> int:
        return int(self._connection.execute("SELECT value FROM checksum").fetchone()[0], 16)

    def _hash_rows(self, tables: Iterable[str], where: str = "true", values: Sequence[object] = ()) -> int:
        """Exclusive or of the hashes of some rows."""
        total = 0
        for table in tables:
            columns = "type, name, sql" if table == "sqlite_master" else "*"
            for row in self._connection.execute(f"SELECT {columns} FROM {table} WHERE {where}", values):
                text = json.dumps([table, *row], default=repr)
                total ^= int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
        return total

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self, begin: str = "BEGIN IMMEDIATE", otherwise: str = "") -> Iterator[None]:
        """Write everything that is done inside, or nothing; an inner transaction is part of the outer one.

        With `BEGIN`, everything that is read inside is as it was at one moment.
        """
        if self._connection.in_transaction:
            yield
            return
        with self._explain_errors(otherwise):
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _explain_errors(self, otherwise: str = "") -> Iterator[None]:
        """Turn errors of SQLite into messages with a remedy; `otherwise` is the message for unknown ones."""
        try:
            yield
        except UnicodeDecodeError:
            # The message of SQLite may contain bytes of a damaged schema.
            raise InputError(f"{self.path}: {_DAMAGED}") from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorname", "") or ""
            facts = {
                "SQLITE_FULL": "the disk is full. Free some space and run again; what was written is kept.",
                "SQLITE_IOERR": "cannot be read or written. Is there a quota, or is its file system gone? What was "
                "written is kept.",
                "SQLITE_BUSY": f"another process has been writing for {_PATIENCE:g} s. Try again later.",
                "SQLITE_NOTADB": "is not a database. Name another file: store = …",
                "SQLITE_CORRUPT": _DAMAGED,
                "SQLITE_CANTOPEN": "cannot be opened. Does its folder exist, and may you write there?",
                "SQLITE_READONLY": "may not be written.",
            }
            fact = next((text for name, text in facts.items() if code.startswith(name)), otherwise or f"{error}.")
            raise InputError(f"{self.path}: {fact}") from None

    # --- writing ---

    def record(self, *outcomes: Outcome) -> None:
        """Write runs with their measurements, all or none; older versions of these runs are replaced."""
        with self.transaction():
            for outcome in outcomes:
                key = asdict(outcome.run)
                with self._update_checksum(("runs", "measurements"), _WHERE, list(key.values())):
                    self._connection.execute(f"DELETE FROM runs WHERE {_WHERE}", list(key.values()))
                    row = {name: getattr(outcome, name) for name in _PLAIN}
                    for step, used in (("train", outcome.train), ("predict", outcome.predict)):
                        row |= {f"{step}_{name}": value for name, value in vars(used).items()}
                    inputs, finished = json.dumps(outcome.inputs, sort_keys=True), outcome.finished or time.time()
                    self._insert("runs", {**key, **row, "inputs": inputs, "finished": finished})
                    for measured in outcome.measurements:
                        # SQLite has no nan: it is NULL there.
                        value = None if math.isnan(measured.value) else measured.value
                        counts = json.dumps(dict(measured.counts), sort_keys=True)
                        self._insert("measurements", {**key, **vars(measured), "value": value, "counts": counts})

    def _insert(self, table: str, row: Mapping[str, Any]) -> None:
        names, values = ", ".join(row), ", ".join("?" * len(row))
        self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", list(row.values()))

    def describe(self, designs: Mapping[str, tuple[Design, str]], **meta: str) -> None:
        """Write how each data set is split, with its checksum, and further notes."""
        with self.transaction():
            names = ("folds", "repetitions", "dev", "by", "scheme", "seed")
            for dataset, (design, sha256) in designs.items():
                with self._update_checksum(["designs"], "dataset = ?", [dataset]):
                    self._connection.execute("DELETE FROM designs WHERE dataset = ?", [dataset])
                    row = {name: getattr(design, name) for name in names}
                    self._insert("designs", {"dataset": dataset, **row, "sha256": sha256})
            for key, value in meta.items():
                with self._update_checksum(["meta"], "key = ?", [key]):
                    self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    # --- reading ---

    def outcomes(self) -> dict[RunId, Outcome]:
        """All runs of the store with their measurements."""
        order = ", ".join(_KEYS)
        with self.transaction("BEGIN", _DAMAGED):
            rows = self._connection.execute(f"SELECT * FROM measurements ORDER BY {order}").fetchall()
            runs = self._connection.execute(f"SELECT * FROM runs ORDER BY {order}").fetchall()
        outcomes: dict[RunId, Outcome] = {}
        measured: dict[RunId, list[Measurement]] = {}
        for row in rows:
            value = math.nan if row["value"] is None else row["value"]
            counts = (row["numerator"], row["denominator"], json.loads(row["counts"]))
            run = RunId(*(row[name] for name in _KEYS))
            measured.setdefault(run, []).append(Measurement(row["measure"], value, *counts))
        for row in runs:
            run = RunId(*(row[name] for name in _KEYS))
            train, predict = (Usage(*(row[f"{step}_{name}"] for name in _USAGE)) for step in ("train", "predict"))
            outcomes[run] = Outcome(
                run=run,
                inputs=json.loads(row["inputs"]),
                measurements=tuple(measured.get(run, ())),
                train=train,
                predict=predict,
                finished=row["finished"],
                **{name: row[name] for name in _PLAIN},
            )
        return outcomes

    def meta(self, key: str) -> str | None:
        """A note by its key; None if there is none."""
        with self._explain_errors():
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
        return row[0] if row else None


# --- one coordinator per store ---


@dataclass(frozen=True)
class Holder:
    """The process that coordinates an experiment."""

    token: str
    host: str
    pid: int
    started: float
    jobs: str
    """Number of runs at a time, or the cluster."""

    @property
    def description(self) -> str:
        """The process in words, with its beginning."""
        moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.started))
        return f"process {self.pid} on {self.host}, since {moment}"


def lock_path(store: Path) -> Path:
    """The file of the lock."""
    return store.with_name(f"{store.name}.lock")


@contextmanager
def hold_lock(store: Path, jobs: str) -> Iterator[Holder]:
    """Hold the lock; UsageError if another process holds it."""
    path = lock_path(store)
    with _open_lock(path) as handle:
        # Several tries, because a process that asks for the holder has the lock for a moment.
        for _ in range(5):
            if taken := _try_lock(handle, path):
                break
            time.sleep(0.1)
        if not taken:
            holder = _read_holder(path)
            who = f": {holder.description}" if holder else ""
            raise UsageError(f"{store.name}: this experiment is already running{who}. See: assay experiment status")
        me = Holder(secrets.token_hex(4), platform.node(), os.getpid(), time.time(), jobs)
        _write_lock(handle, path, json.dumps(asdict(me)))
        try:
            yield me
        finally:
            # Workers on other machines read this file to see if they are still wanted.
            _write_lock(handle, path, "")


def find_holder(store: Path) -> Holder | None:
    """The process that coordinates now, or None."""
    path = lock_path(store)
    if not path.exists():
        return None
    with _open_lock(path) as handle:
        return None if _try_lock(handle, path) else _read_holder(path)


def is_wanted(path: Path, token: str) -> bool:
    """True if the lock's file still names the coordinator with this token."""
    holder = _read_holder(path)
    return holder is not None and holder.token == token


@contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({describe_os_error(error)}).") from None
    try:
        yield handle
    finally:
        os.close(handle)


def _try_lock(handle: int, path: Path) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise InputError(
            f"{path}: files cannot be locked here ({describe_os_error(error)}). "
            "Keep the store on another file system: store = …"
        ) from None
    return True


def _write_lock(handle: int, path: Path, text: str) -> None:
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, text.encode(), 0)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({describe_os_error(error)}).") from None


def _read_holder(path: Path) -> Holder | None:
    """The holder that the file names; None if it is empty or being written."""
    try:
        return Holder(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
