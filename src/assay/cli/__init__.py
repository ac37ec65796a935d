"""The command line: a file per group of commands, loaded when one of them is called."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from io import RawIOBase, TextIOWrapper
from typing import Any

import click

from assay import __version__

GROUPS = {
    "Evaluate": ("evaluate", ("score", "compare", "plan", "agreement", "cross")),
    "Many runs": ("runs", ("experiment", "bayes")),
    "Look up": ("lookup", ("measures", "formats", "tagset", "weights", "cite")),
    "More": ("more", ("report", "merge", "convert", "demo")),
}
"""The commands by what one wants to do, with the file of each group."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Error numbers of a disk that is full or broken."""
_USUAL_OPTIONS = {
    **dict.fromkeys(("--metric", "--metrics", "--measures"), "--measure"),
    **dict.fromkeys(("--bootstrap", "--resamples", "--samples", "--iterations", "--permutations"), "--times"),
    **dict.fromkeys(("--gold", "--system", "--systems", "--pred", "--predictions"), "the file without an option"),
    **{"--out": "--output", "--output-format": "--format", "--tags": "--column", "--csv": "--format csv"},
    **{"--json": "--format json", "--latex": "--format latex", "--report": "--html", "--plot": "--figures"},
}
"""What others call our options."""
_LEAST_MEMORY = 160 << 20
"""Room for numpy and scipy themselves."""
_MAPPING = "failed to map segment"
"""Part of the message for a library that does not fit into memory."""


class Commands(click.Group):
    """Loads a command's file only when it is needed, so that help and completion start at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the groups."""
        return [name for _, names in GROUPS.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; the nearest names for one that does not exist."""
        file = next((file for file, names in GROUPS.values() if cmd_name in names), None)
        if file is not None:
            from importlib import import_module

            command: click.Command = getattr(import_module(f"assay.cli.{file}"), f"{cmd_name}_command")
            return command
        if not cmd_name.startswith("-"):
            from assay.errors import unknown

            ctx.fail(str(unknown("command", cmd_name, self.list_commands(ctx))))
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; an error with the line to type if a file or `help` is in its place."""
        from assay.errors import UsageError

        if args[0] == "help":
            raise UsageError(f"there is no command 'help'. Write: assay {' '.join([*args[1:2], '--help'])}")
        if args[0] not in self.list_commands(ctx) and os.path.exists(args[0].rpartition("=")[2]):
            verb = "score" if sum(not word.startswith("-") for word in args) < 3 else "compare"
            raise UsageError(f"{args[0]} is a file, not a command. Write: assay {verb} {' '.join(args)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under the headings of their groups."""
        for heading, (_, names) in GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(heading):
                formatter.write_dl([(name, command.get_short_help_str(70)) for name, command in commands if command])


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    # The versions are looked up without importing the packages.
    from importlib.metadata import version

    python = ".".join(map(str, sys.version_info[:3]))
    click.echo(f"assay {__version__} (Python {python}, numpy {version('numpy')}, scipy {version('scipy')})")
    ctx.exit()


@click.command(
    cls=Commands,
    context_settings={"max_content_width": 100},
    epilog="Start here: assay demo. Each command has examples: assay compare --help",
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show versions.")
@click.help_option(hidden=True)
@click.option("--debug", is_flag=True, expose_value=False, help="With any command: show the traceback of an error.")
def assay_command() -> None:
    """Evaluate annotation systems: how good they are, what differs, how sure."""


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 threshold missed, 2 input or usage, 70 internal, 130, 141."""
    # Our products are long and narrow: a second thread of the linear algebra would only spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if arguments is None else arguments)
    # Streams that were closed before we began take anything; others show what they cannot encode in ASCII.
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            if isinstance(stream.buffer, RawIOBase):
                # Without a buffer (python -u) what does not fit at once would be lost without a word.
                stream = open(stream.fileno(), "w", encoding=stream.encoding, errors=stream.errors, closefd=False)  # noqa: SIM115
                setattr(sys, name, stream)
            if stream.errors == "strict":
                stream.reconfigure(errors="backslashreplace")
            if stream.isatty():
                setattr(sys, name, Terminal(stream))
    sys.exit(_run([word for word in words if word != "--debug"], debug="--debug" in words))


class Terminal:
    """A terminal that gets only text: characters that would move its cursor are spelt out."""

    def __init__(self, stream: TextIOWrapper) -> None:
        self.rich_proxied_file = stream
        """By this name rich, which styles tables, finds the terminal itself."""

    def write(self, text: str) -> int:
        """Write a text as it can be shown."""
        from assay.errors import escape_controls

        self.rich_proxied_file.write(escape_controls(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def _silence() -> None:
    """Send the rest of the output nowhere, so that it is not tried again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(words: list[str], *, debug: bool) -> int:
    try:
        import mmap

        try:
            # Without room for numpy, its linear algebra would end the process with 1.
            mmap.mmap(-1, _LEAST_MEMORY).close()
        except OSError:
            raise MemoryError from None
        code = assay_command.main(args=words, prog_name="assay", standalone_mode=False, obj=list(words))
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        where = f" See: {context.command_path} --help" if context is not None else ""
        text = _missing_option(error) if isinstance(error, click.NoSuchOption) else error.format_message()
        click.echo(f"assay: {' '.join(text.split())}{where}", err=True)
        return 2
    except (BrokenPipeError, SystemExit):
        # The reader of the output has gone, for which alone click exits by itself.
        _silence()
        return 141
    except (Exception, KeyboardInterrupt) as error:
        # click, and Python when it makes classes, raise another exception; the cause is what really happened.
        if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            return 130
        return _report_error(error.__cause__ or error if isinstance(error, click.Abort) else error, debug)


def _missing_option(error: click.NoSuchOption) -> str:
    """The error for an option that does not exist, with those that are as near as the nearest."""
    from difflib import SequenceMatcher

    name = error.option_name
    ratios = {near: SequenceMatcher(None, name, near).ratio() for near in error.possibilities or ()}
    near = [option for option in ratios if ratios[option] > max(ratios.values()) - 0.1]
    near = [_USUAL_OPTIONS[name]] if name in _USUAL_OPTIONS else near
    if len(name) == 2:
        return f"{error.message} Options have two dashes, as in --column; only -m and -o have one."
    return f"{error.message} Did you mean {' or '.join(near)}?" if near else error.message


def _report_error(error: BaseException, debug: bool) -> int:
    """The exit code for an error, which is written to stderr."""
    from assay.errors import AssayError

    if debug:
        import traceback

        traceback.print_exception(error)
    text = str(error) if isinstance(error, AssayError) else ""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        _silence()
        where = f"{error.filename}: " if error.filename else "the output "
        text = f"{where}cannot be written ({str(error.strerror).lower()})."
    elif isinstance(error, MemoryError) or (isinstance(error, ImportError) and _MAPPING in str(error)):
        text = "not enough memory. Give fewer or smaller files at a time."
    remedy = "Please report it, with the output of this command when run with --debug."
    if text or not debug:
        click.echo(f"assay: {text or f'internal error: {type(error).__name__}: {error}. {remedy}'}", err=True)
    return 2 if text else 70
