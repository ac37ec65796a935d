"""Command templates: what they may hold, how they are filled, and running one with its time and memory."""

from __future__ import annotations

import json
import re
import select
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import UsageError, unknown

_GENERAL = ("seed", "data_set", "repetition", "fold", "python", "here")
PLACEHOLDERS = {
    "train": ("train", "dev", "model", "workdir", *_GENERAL),
    "predict": ("train", "dev", "test", "test_blind", "model", "output", "workdir", *_GENERAL),
    "predictions": _GENERAL,
}
"""What each kind of template may hold."""
# {name} is a placeholder, {{name}} the text {name}; all other braces are what they are.
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
_GUARD = str(Path(__file__).with_name("guard.py"))
_PATIENCE = 0.2
"""How often, in seconds, we look whether somebody wants a command stopped."""


class StoppedError(Exception):
    """Whoever wanted this run is gone, or wants it no more."""


class CommandError(Exception):
    """A command failed; the text says how."""


def placeholders(text: str) -> list[str]:
    """The placeholders of a template, in order."""
    return [match[2] for match in _PLACEHOLDER.finditer(text) if match[2]]


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its placeholders filled."""
    return _PLACEHOLDER.sub(lambda match: values[match[2]] if match[2] else f"{{{match[1]}}}", text)


@dataclass(frozen=True)
class Template:
    """A command with placeholders: words, or one line for the shell."""

    words: tuple[str, ...]
    shell: bool = False

    @classmethod
    def of(cls, given: str | Sequence[str], shell: bool) -> Template:
        """From a line or a list of words; a line is cut into words before anything is filled in."""
        if shell:
            return cls((given if isinstance(given, str) else shlex.join(given),), True)
        try:
            words = tuple(shlex.split(given) if isinstance(given, str) else given)
        except ValueError as error:
            raise UsageError(f"cannot be cut into words ({str(error).lower()}).") from None
        if not words:
            raise UsageError("the command is empty.")
        return cls(words)

    def check(self, kind: str, dev: bool) -> None:
        """Refuse what cannot be filled."""
        for name in self.placeholders:
            if name in ("test", "test_blind", "output") and kind == "train":
                raise UsageError(f"{{{name}}} is for predict: training does not see the test part.")
            if name not in PLACEHOLDERS[kind]:
                error = str(unknown("placeholder", name, PLACEHOLDERS[kind]))
                raise UsageError(f"{error} Braces that are meant are doubled: {{{{{name}}}}}")
            if name == "dev" and not dev:
                raise UsageError("{dev}: there is no development part, as dev = false.")

    @property
    def placeholders(self) -> list[str]:
        """Those that it holds."""
        return [name for word in self.words for name in placeholders(word)]

    def argv(self, values: Mapping[str, str]) -> list[str]:
        """The words to be run."""
        if self.shell:
            quoted = {name: shlex.quote(value) for name, value in values.items()}
            return ["/bin/sh", "-c", filled(self.words[0], quoted)]
        words = [filled(word, values) for word in self.words]
        # A program with a slash in its name lies beside the experiment, not in the folder of the run.
        if "/" in words[0]:
            words[0] = str(Path(values["here"], words[0]))
        return words

    def check_files(self, here: str) -> None:
        """Refuse a program that is not there, and files named as if commands ran beside the experiment."""
        if self.shell:
            return
        values = {"here": here, "python": sys.executable}
        first = self.words[0]
        if set(placeholders(first)) <= values.keys():
            program = filled(first, values)
            if "/" in program and not Path(here, program).is_file():
                raise UsageError(f"there is no program {Path(here, program)}.")
            if shutil.which(str(Path(here, program)) if "/" in program else program) is None:
                raise UsageError(f"the program {program} is not found, or may not be run.")
        for word in self.words[1:]:
            if not Path(word).is_absolute() and not word.startswith("-") and Path(here, word).is_file():
                raise UsageError(
                    f"{word} lies beside the experiment, but each command runs in a folder of its own. "
                    f"Write {{here}}/{word}"
                )


@dataclass(frozen=True)
class Usage:
    """What a command took."""

    seconds: float = 0.0
    """By the clock …"""
    cpu: float = 0.0
    """… and of the processor."""
    memory: int = 0
    """At most, in bytes."""


@dataclass(frozen=True)
class Command:
    """What is to be run, where, and where its output goes."""

    argv: list[str]
    folder: Path
    log: Path
    output: Path | None = None
    """Where standard output goes, if not to the log."""
    limit: float = 0.0
    """Seconds; 0 is none."""
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, stopped: Callable[[], bool]) -> Usage:
        """Run it; CommandError where it fails or takes too long, StoppedError where `stopped` becomes true."""
        order = {
            "argv": self.argv,
            "cwd": str(self.folder),
            "stdout": str(self.output or self.log),
            "stderr": str(self.log),
            "limit": self.limit,
            "environment": dict(self.environment),
        }
        # In a group of its own: an interrupt at the terminal is not for it.
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", _GUARD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            process_group=0,
        )
        assert guard.stdin is not None and guard.stdout is not None
        try:
            guard.stdin.write(json.dumps(order).encode() + b"\n")
            while not select.select([guard.stdout], [], [], _PATIENCE)[0]:
                if stopped():
                    raise StoppedError
            answer = guard.stdout.read()
        except BrokenPipeError:
            answer = b""
        finally:
            # This is what the guard takes for the wish to stop.
            guard.stdin.close()
            guard.wait()
            guard.stdout.close()
        return self._judged(answer)

    def _judged(self, answer: bytes) -> Usage:
        if not answer:
            raise CommandError("was ended from outside together with what watched it.")
        done = json.loads(answer)
        if "refused" in done:
            raise CommandError(f"{self.argv[0]}: cannot be run ({done['refused'].lower()}).")
        if done["over"]:
            raise CommandError(f"took longer than its time limit of {self.limit:g} s.")
        if done["code"] < 0:
            raise CommandError(f"was ended by signal {-done['code']}{_SIGNALS.get(-done['code'], '')}.")
        if done["code"]:
            raise CommandError(f"ended with exit code {done['code']}.")
        return Usage(done["seconds"], done["cpu"], done["memory"])


_SIGNALS = {9: " (killed; was there too little memory?)", 11: " (segmentation fault)", 15: " (terminated)"}
