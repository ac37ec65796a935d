"""What a call came to: something, a refusal that a user can read, or a fault of ours."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from assay.errors import AssayError

SECONDS = 20.0
"""Small files are done in milliseconds; whatever takes so long hangs."""


class TooLong(BaseException):
    """It took longer than anything of this size may."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop what takes longer."""

    def stop(*_: Any) -> None:
        raise TooLong(f"not done after {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(call: Callable[[], Any], seconds: float = SECONDS) -> str:
    """`done`, or `refused` with a message that can be printed as it is; all else is raised."""
    try:
        with at_most(seconds):
            call()
    except AssayError as error:
        check_message(str(error))
        return "refused"
    return "done"


MOST_LINES = 45
"""Twenty problems, a line that says how many there are and one about the remedy; of a second file as many."""


def check_message(text: str) -> None:
    """A message is a few lines of text that any terminal shows."""
    assert text.strip(), "the message says nothing"
    assert text == text.strip("\n")
    assert text.count("\n") <= MOST_LINES, text[:2000]
    assert len(text) < 20_000, f"{len(text)} characters: {text[:300]}"
    text.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\n\t" for c in text), repr(text[:500])
