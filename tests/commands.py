"""The command line called within this process, which saves the time that a process of its own takes to start."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

SHELL = 'assay() { echo $#; printf "%s\\0" "$@"; cat; }; '


def environment(**more: str) -> dict[str, str]:
    """The surroundings without what would change the output."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, **more}


def call(*arguments: str, stdin: bytes = b"", folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `assay` with pipes for all streams."""
    from assay.cli import run_command_line

    given, *streams = (io.TextIOWrapper(io.BytesIO(text), "utf-8") for text in (stdin, b"", b""))
    # A stream that is let go would close what is read from it below.
    buffers = [stream.buffer for stream in streams]
    with (
        chdir(folder or "."),
        patch.dict(os.environ, environment(), clear=True),
        patch.object(sys, "stdin", given),
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
    ):
        try:
            run_command_line(list(arguments))
        except SystemExit as stop:
            code = stop.code
    assert isinstance(code, int)
    for stream in streams:
        stream.flush()
    out, err = (buffer.getvalue().decode("utf-8") for buffer in buffers)
    return subprocess.CompletedProcess(list(arguments), code, out, err)


def call_line(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a help text or a page in a folder; a shell splits it, finds its files and opens its input."""
    told = subprocess.check_output(["sh", "-c", SHELL + line], cwd=folder, stdin=subprocess.DEVNULL)
    number, _, rest = told.partition(b"\n")
    *arguments, stdin = rest.split(b"\0", int(number))
    return call(*(argument.decode("utf-8") for argument in arguments), stdin=stdin, folder=folder)
