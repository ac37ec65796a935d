"""Runs one command, measures it, and ends it with all its processes when the process that asked for it is gone.

It is a separate small program, without the rest of assay, because the memory that the system reports for a child is
never below that of its parent. It reads one line of JSON (argv, cwd, stdout, stderr, environment, limit), writes one
with the outcome, and stops at the end of its input.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time


def guard_command() -> None:
    """Run the command that standard input asks for."""
    order = json.loads(sys.stdin.buffer.readline())
    answer = _run(order)
    # The process that asked may be gone.
    with contextlib.suppress(BrokenPipeError):
        os.write(1, json.dumps(answer).encode() + b"\n")
    # The thread that reads standard input would keep us waiting for its end.
    os._exit(0)


def _run(order: dict) -> dict:  # type: ignore[type-arg]
    begun = time.monotonic()
    try:
        with open(order["stdout"], "ab") as out, open(order["stderr"], "ab") as err:
            process = subprocess.Popen(
                order["argv"],
                cwd=order["cwd"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, **order["environment"]},
                start_new_session=True,
                restore_signals=True,
            )
    except OSError as error:
        return {"refused": error.strerror or str(error)}
    over = threading.Event()

    def end_in_time() -> None:
        over.set()
        _end(process.pid)

    def end_when_alone() -> None:
        # Unbuffered, because a process that ends must not wait for the lock of a buffer.
        while os.read(0, 4096):
            pass
        _end(process.pid)

    if order["limit"]:
        timer = threading.Timer(order["limit"], end_in_time)
        timer.daemon = True
        timer.start()
    threading.Thread(target=end_when_alone, daemon=True).start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    # Its background processes end with it.
    _end(process.pid)
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "code": os.waitstatus_to_exitcode(status),
        "over": over.is_set(),
        "seconds": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * unit,
    }


def _end(group: int) -> None:
    # It may be over already.
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    guard_command()
