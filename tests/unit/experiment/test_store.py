"""The store: whole runs or nothing, several writers, a full disk, and files that are no store."""

from __future__ import annotations

import math
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.experiment.plan import RunId
from assay.experiment.splits import Design
from assay.experiment.store import Measurement, Outcome, Store, Usage, find_holder, hold_lock
from unit.samples import refusal


def outcome(fold: int = 1, value: float = 0.5, **more: object) -> Outcome:
    measured = (Measurement("accuracy", value, 1, 2, {"right": 1, "gold": 2}),)
    run = RunId("news", "tagger", 1, fold)
    return Outcome(run, "done", {"data": "abc"}, "s", measured, **more)  # type: ignore[arg-type]


def test_what_was_recorded_is_read_again() -> None:
    given = outcome(
        n_train=8, n_dev=0, n_test=2, seed=7, train=Usage(1.0, 0.9, 100), seconds=2.5, host="here", finished=10.0
    )
    with Store(Path("x.sqlite"), create=True) as store:
        store.record(given)
        assert store.outcomes() == {given.run: given}
    with Store(Path("x.sqlite")) as store:
        assert store.outcomes() == {given.run: given}


def test_undefined_stays_undefined() -> None:
    with Store(Path("x.sqlite"), create=True) as store:
        store.record(outcome(value=math.nan))
        (one,) = store.outcomes().values()
    assert math.isnan(one.measurements[0].value)


def test_a_run_recorded_again_takes_the_place_of_the_old() -> None:
    with Store(Path("x.sqlite"), create=True) as store:
        store.record(outcome(value=0.1))
        store.record(outcome(value=0.2))
        assert [one.measurements[0].value for one in store.outcomes().values()] == [0.2]


def test_several_runs_are_recorded_all_or_none() -> None:
    broken = Outcome(RunId("news", "tagger", 1, 2), "unheard of", {})
    with Store(Path("x.sqlite"), create=True) as store:
        with pytest.raises(InputError, match="CHECK constraint"):
            store.record(outcome(), broken)
        assert store.outcomes() == {}


def test_a_full_disk_is_said_and_leaves_the_store_whole() -> None:
    with Store(Path("x.sqlite"), create=True) as store:
        store.record(outcome())
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        text = refusal(store.record, outcome(2, host="x" * 100_000))
        assert text == "x.sqlite: the disk is full. Free some space and run again; what was written is kept."
        assert list(store.outcomes()) == [RunId("news", "tagger", 1, 1)]
        store._connection.execute("PRAGMA max_page_count = 100000")
        store.record(outcome(2))
        assert len(store.outcomes()) == 2


def test_a_store_that_may_not_grow_is_said_and_stays_whole() -> None:
    """As under a quota: the system refuses to write, though the disk is not full."""
    script = """
import resource
from pathlib import Path
from unit.experiment.test_store import outcome, refusal
from assay.experiment.store import Store
with Store(Path("x.sqlite"), create=True) as store:
    store.record(outcome())
    most = Path("x.sqlite").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    print(refusal(store.record, outcome(2, host="x" * 100_000)))
"""
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("x.sqlite: cannot be read or written. Is there a quota")
    with Store(Path("x.sqlite")) as store:
        assert list(store.outcomes()) == [RunId("news", "tagger", 1, 1)]
        store.record(outcome(2))
        assert store._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_two_writers_wait_for_each_other() -> None:
    with Store(Path("x.sqlite"), create=True):
        pass
    script = """
import sys
from pathlib import Path
from unit.experiment.test_store import outcome
from assay.experiment.store import Store
with Store(Path("x.sqlite")) as store:
    for fold in range(int(sys.argv[1]), int(sys.argv[1]) + 25):
        store.record(outcome(fold))
"""
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    writers = [subprocess.Popen([sys.executable, "-c", script, first], env=environment) for first in ("1", "101")]
    assert [writer.wait() for writer in writers] == [0, 0]
    with Store(Path("x.sqlite")) as store:
        assert len(store.outcomes()) == 50
        assert store._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_a_writer_that_never_ends_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.experiment.store._PATIENCE", 0.1)
    with Store(Path("x.sqlite"), create=True) as store:
        other = sqlite3.connect("x.sqlite", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert refusal(store.record, outcome()).startswith("x.sqlite: another process has been writing for 0.1 s.")
        other.close()


def test_files_that_are_no_store_are_refused() -> None:
    Path("text.sqlite").write_text("no database, but long enough to look like one " * 20)
    Path("empty.sqlite").write_bytes(b"")
    foreign = sqlite3.connect("foreign.sqlite")
    foreign.execute("CREATE TABLE x (y)")
    foreign.close()
    with Store(Path("new.sqlite"), create=True) as store:
        store._connection.execute("PRAGMA user_version = 99")
    assert refusal(Store, Path("none.sqlite")).startswith("none.sqlite: there is no store yet.")
    assert refusal(Store, Path("text.sqlite")).startswith("text.sqlite: is not a database.")
    assert refusal(Store, Path("empty.sqlite")).startswith("empty.sqlite: is empty.")
    assert refusal(Store, Path("foreign.sqlite"), create=True).startswith(
        "foreign.sqlite: this database is not a store"
    )
    assert refusal(Store, Path("new.sqlite")).startswith("new.sqlite: was written by a newer assay (store 99).")
    assert refusal(Store, Path("no/x.sqlite"), create=True).startswith("no/x.sqlite: cannot be opened.")


def filled(path: Path, runs: int = 12) -> bytes:
    """A store with some runs, as bytes."""
    with Store(path, create=True) as store:
        store.record(*(outcome(fold, fold / 100, host="here", finished=float(fold)) for fold in range(1, runs + 1)))
        store.record(outcome(3, 0.9, finished=99.0))
        store.describe({"news": (Design(5, 2, False), "abc")}, jobs="1")
        store.describe({"news": (Design(5, 3, False), "abd")}, jobs="2")
    return path.read_bytes()


def test_a_bit_that_is_flipped_changes_nothing_or_is_told_of() -> None:
    """Wherever it is: in a measurement, a key, the number of cells of a page, the schema, the header."""
    path = Path("x.sqlite")
    whole = filled(path)
    with Store(path) as store:
        expected, jobs = store.outcomes(), store.meta("jobs")
    rng = random.Random(5)
    told = 0
    for place in [*range(100), *(rng.randrange(len(whole)) for _ in range(800))]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            with Store(path) as store:
                assert (store.outcomes(), store.meta("jobs")) == (expected, jobs), place
        except InputError as error:
            assert str(error).startswith("x.sqlite: ") and "\n" not in str(error)
            told += "is damaged. Restore it from a copy, or move it away and run again." in str(error)
    assert told > 100


def test_a_run_that_is_lost_or_changed_behind_our_back_is_told_of() -> None:
    for change in (
        "DELETE FROM runs WHERE fold = 2",
        "UPDATE measurements SET value = 0.75 WHERE fold = 2",
        "UPDATE runs SET n_test = 7 WHERE fold = 2",
        "UPDATE meta SET value = '0' WHERE key = 'jobs'",
        "DELETE FROM checksum",
    ):
        Path("x.sqlite").unlink(missing_ok=True)
        filled(Path("x.sqlite"))
        with sqlite3.connect("x.sqlite") as other:
            other.execute(change)
        other.close()
        assert refusal(Store, Path("x.sqlite")) == (
            "x.sqlite: is damaged. Restore it from a copy, or move it away and run again."
        )


def test_a_store_without_checksum_is_brought_up_to_date_by_those_who_write() -> None:
    filled(Path("x.sqlite"))
    with sqlite3.connect("x.sqlite") as other:
        other.execute("DROP TABLE checksum")
        other.execute("PRAGMA user_version = 1")
    other.close()
    before = Path("x.sqlite").read_bytes()
    assert refusal(Store, Path("x.sqlite")) == (
        "x.sqlite: was written before stores had checksums (store 1). To update it: assay experiment run"
    )
    assert Path("x.sqlite").read_bytes() == before
    with Store(Path("x.sqlite"), create=True) as store:
        store.record(outcome(3, 0.8))
    with Store(Path("x.sqlite")) as store:
        assert len(store.outcomes()) == 12


def test_how_data_are_split_is_in_the_store() -> None:
    with Store(Path("x.sqlite"), create=True) as store:
        store.describe({"news": (Design(5, 2, False), "abc")}, jobs="2")
        row = store._connection.execute("SELECT * FROM designs").fetchone()
        assert (row["dataset"], row["folds"], row["repetitions"], row["dev"]) == ("news", 5, 2, 0)
        assert (store.meta("jobs"), store.meta("nothing")) == ("2", None)


def test_one_coordinator_at_a_time_and_a_stale_lock_is_none() -> None:
    store = Path("x.sqlite")
    assert find_holder(store) is None
    with hold_lock(store, "1") as me:
        found = find_holder(store)
        assert found is not None and found == me
        with pytest.raises(Exception, match=f"already running: process {me.pid} on "), hold_lock(store, "1"):
            pass
    assert find_holder(store) is None
    # What a killed coordinator leaves: the file with its name in it, but nobody who holds it.
    Path("x.sqlite.lock").write_text('{"token": "1", "host": "h", "pid": 1, "started": 0, "jobs": "1"}')
    assert find_holder(store) is None
    with hold_lock(store, "1") as me:
        assert find_holder(store) == me
