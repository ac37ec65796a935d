"""Commands that check their outputs before any work: each a file of its own, none of them an input."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import click


class OutputPath(click.Path):
    """A file, or a folder, that a command writes; all other paths are its inputs."""


class Command(click.Command):
    """A command that writes to no input, under whatever name it is given."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command if what it is to write can and may be written."""
        given = [(parameter, ctx.params.get(str(parameter.name))) for parameter in self.params]
        outputs = [(one, value) for one, value in given if isinstance(one.type, OutputPath) and value]
        if not outputs:
            return super().invoke(ctx)
        from assay.errors import UsageError
        from assay.files import check_allowed, check_writable, inputs, is_stream

        texts = (text for one, value in given if not isinstance(one.type, OutputPath) for text in _texts(value))
        with inputs(path for text in texts for path in _paths(text)):
            options: dict[str, str] = {}
            for option, path in outputs:
                if isinstance(option.type, click.Path) and not option.type.file_okay:
                    check_allowed(path)
                    continue
                check_writable(path)
                first = options.setdefault(os.path.realpath(path), option.opts[0])
                if first != option.opts[0] and not is_stream(path):
                    raise UsageError(f"{first} and {option.opts[0]} are both {path}. Give each a file of its own.")
            return super().invoke(ctx)


class Group(click.Group):
    """A command with commands of its own."""

    command_class = Command


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one)


def _paths(text: str) -> Iterator[str]:
    """The files that what a user says may name: `path`, `name=path`, a pattern, `measure(params=path)`."""
    for start in (0, *(match.end() for match in re.finditer("=", text))):
        for path in (text[start:], re.split("[,)]", text[start:])[0].strip("\"' ")):
            if path == "-" or os.path.exists(path):
                yield path
                yield from _belonging(path)
            elif re.search(r"[*?\[]", path):
                import glob

                for match in glob.iglob(path, recursive=True):
                    yield match
                    yield from _belonging(match)


def _belonging(path: str) -> Iterator[str]:
    """What is read along with a file: the text of annotations, the data and the store of an experiment."""
    stem, ending = os.path.splitext(path)
    if ending == ".ann":
        yield f"{stem}.txt"
    elif ending.lower() == ".toml":
        from assay.errors import AssayError
        from assay.experiment import read_plan

        try:
            plan = read_plan(path)
        except AssayError:
            # A tagset, perhaps; the command itself says what is wrong.
            return
        yield from map(str, plan.inputs())
