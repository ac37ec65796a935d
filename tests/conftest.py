"""What all tests share: where the real data lies, and how hypothesis searches."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

from assay.stats import power, significance
from assay.stats.significance import all_shuffles
from commands import call

# Modules are compiled once, also for the hundreds of processes that are started here; and as in the command line, a
# second thread of the linear algebra would only spin.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# As in the command line: the garbage collector would look at whole Results again and again.
gc.set_threshold(100_000)

# Who runs the tests in the background may let them ignore interruptions; what they start would ignore them too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


SHARED = Path(__file__).parents[1] / ".." / "shared" / "data"

# The suite tries the same few examples every time, `make test-slow` more; `--hypothesis-profile search` looks for new
# ones.
_QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("suite", max_examples=6, derandomize=True, **_QUIET)
settings.register_profile("slow", max_examples=50, derandomize=True, **_QUIET)
settings.register_profile("search", max_examples=250, **_QUIET)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """The folder of one of the real data sets; where it is absent the test is skipped."""

    def folder(name: str) -> Path:
        path = SHARED / name
        if not path.is_dir():
            pytest.skip(f"the data set {name} is not in ../shared/data")
        return path

    return folder


def pytest_collection_finish() -> None:
    """What was collected stays to the end, so that the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one closing line how many tests need public data that are not here, and which data."""
    skipped = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())]
    missing = [names for reason in skipped if (names := re.findall(r"the data set (\S+) is not in", reason))]
    if missing:
        which = ", ".join(sorted({name for names in missing for name in names}))
        terminalreporter.write_line(f"{len(missing)} tests need public data that ../shared/data lacks: {which}")


@pytest.fixture(scope="module", autouse=True)
def few_shuffles(request: pytest.FixtureRequest) -> Iterator[None]:
    """Shufflings are enumerated up to a thousand, not a million, where tests are not about the p of real data."""
    room, *_ = request.path.relative_to(Path(__file__).parent).parts
    most = 1000 if room in ("browser", "cli", "fuzz", "unit") else significance.MOST_OUTCOMES
    with enumerated_up_to(most):
        yield


@contextmanager
def enumerated_up_to(most: int) -> Iterator[None]:
    """Enumerate up to so many shufflings, for p and for what could have been found."""
    with (
        patch.object(significance, "MOST_OUTCOMES", most),
        patch.object(all_shuffles, "__defaults__", (most,)),
        patch.object(power, "_OUTCOMES", min(most, power._OUTCOMES)),
    ):
        yield


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which `assay demo` ran: its pages, its copy of the example, and what it said in said.txt."""
    path = tmp_path_factory.mktemp("demo")
    # As the tests of commands do, whichever test asks for it first.
    with enumerated_up_to(1000):
        done = call("demo", "--html", "pages", "--copy", "copy", folder=path)
    assert done.returncode == 0, done.stderr
    (path / "said.txt").write_text(done.stdout, "utf-8")
    return path
