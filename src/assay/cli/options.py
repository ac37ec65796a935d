"""Options of commands: those that keywords.py declares, and those that only the command line has."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar, cast, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from assay.cli.output import Output
from assay.errors import UsageError, unknown
from assay.keywords import COMPARED, GATES, HEADINGS, OUTPUT, OWN, SHARDS, CompareKeywords, Option, options_of
from assay.specs import read_fraction, read_share

Function = TypeVar("Function", bound=Callable[..., Any])


# --- commands ---


class OutputPath(click.Path):
    """A file, or a folder, that a command writes; all other paths are its inputs."""


class HeadedOption(click.Option):
    """An option under a heading of the help."""

    def __init__(self, *names: Any, heading: str = OWN, **how: Any) -> None:
        super().__init__(*names, **how)
        self.heading = heading


class Command(click.Command):
    """A command that does not write to its inputs, under any of their names; its docstring ends with examples."""

    def __init__(self, name: str | None, *, help: str | None = None, **how: Any) -> None:
        text, _, examples = inspect.cleandoc(help or "").partition("\n\nExamples:\n")
        super().__init__(name, help=text, epilog=f"\b\nExamples:\n{examples}" if examples else None, **how)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command if what it is to write can and may be written."""
        given = [(parameter, ctx.params.get(str(parameter.name))) for parameter in self.params]
        outputs = [(option, path) for option, path in given if isinstance(option.type, OutputPath) and path]
        if not outputs:
            return super().invoke(ctx)
        from assay.files import check_allowed, check_writable, is_stream, protect_inputs

        # A separator, such as a full stop, is no folder.
        inputs = (one for one in given if not isinstance(one[0].type, OutputPath) and one[0].metavar != "SEP")
        values = (value for _, value in inputs)
        with protect_inputs(path for value in values for text in _texts(value) for path in _paths(text)):
            options: dict[str, str] = {}
            for option, path in outputs:
                # Of several data sets each has a page.
                pages = option.name == "html" and (ctx.params.get("data") or ctx.info_name == "report")
                if pages or (isinstance(option.type, click.Path) and not option.type.file_okay):
                    check_allowed(path)
                    continue
                check_writable(path)
                first = options.setdefault(os.path.realpath(path), option.opts[0])
                if first != option.opts[0] and not is_stream(path):
                    raise UsageError(f"{first} and {option.opts[0]} both name {path}. Give each its own file.")
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings; not --help, which the reader knows."""
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None and parameter is not self.get_help_option(ctx):
                sections[getattr(parameter, "heading", OWN)].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class Group(Command, click.Group):
    """A command with commands of its own."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; the nearest names for one that does not exist."""
        if args[0] not in self.commands:
            ctx.fail(str(unknown("command", args[0], self.commands)))
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, if there are any but --help, and the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _paths(text: str) -> Iterator[str]:
    """The files that a value can name: `path`, `name=path`, a pattern, `measure(params=path)`; and what they name."""
    text = text.replace("{data}", "*")
    for start in (0, *(match.end() for match in re.finditer("=", text))):
        for path in (text[start:], *(part.strip("\"' ") for part in re.split("[,)]", text[start:]))):
            found: Iterator[str] = iter([path] if path == "-" or os.path.exists(path) else [])
            if re.search(r"[*?\[]", path) and not os.path.exists(path):
                import glob

                found = glob.iglob(path, recursive=True)
            for file in found:
                yield file
                stem, ending = os.path.splitext(file)
                if ending == ".ann":
                    # The text of annotations.
                    yield f"{stem}.txt"
                elif ending.lower() == ".toml":
                    from assay.errors import AssayError
                    from assay.experiment import read_plan
                    from assay.scale.sets import read_toml

                    # An experiment or data sets; it can also be a tagset. The command itself says what is wrong.
                    with suppress(AssayError):
                        yield from map(str, read_plan(file).inputs())
                    with suppress(AssayError):
                        for part in _texts(read_toml(file)):
                            yield from _paths(part)


# --- types of values ---


class Names(click.ParamType[str]):
    """A name in a list, `module:list`: completed from there, and checked where it is used."""

    def __init__(self, name: str, known: str) -> None:
        self.name = name
        self.known = known

    def names(self) -> list[str]:
        """The names in the list."""
        from importlib import import_module

        module, _, name = self.known.partition(":")
        known = getattr(import_module(module), name)
        return list(known() if callable(known) else known)

    def get_metavar(self, *_: Any, **__: Any) -> str:
        """All names, for the help of an option that has no metavar of its own."""
        return f"[{'|'.join(self.names())}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class Probability(click.ParamType[float | None]):
    """A number between 0 and 1, or none."""

    name = "probability"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        """The number; None for none."""
        if value in (None, "none"):
            return None
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r}: give a number between 0 and 1, or none.", param, ctx)


# --- options ---


def option(names: str, text: str, heading: str = OWN, **how: Any) -> Callable[[Function], Function]:
    """An option with its names, as in `-o --output`, and its help."""
    return click.option(*names.split(), cls=HeadedOption, heading=heading, help=text, **how)


def choice(name: str, values: str, text: str, default: str | None = None) -> Callable[[Function], Function]:
    """An option with few values."""
    return option(name, text, type=click.Choice(values.split()), default=default, show_default=default is not None)


def add_options(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """A decorator that adds options in their order."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def keyword_options(kind: Any, without: Sequence[str] = ()) -> Callable[[Function], Function]:
    """A decorator that adds the options of a class of keywords, without some of them."""
    return add_options(*(_keyword_option(option) for name, option in options_of(kind).items() if name not in without))


def _keyword_option(declared: Option) -> Callable[[Function], Function]:
    flag, default, kinds = declared.flag, declared.default, (declared.kind, *get_args(declared.kind))
    several = Sequence in [get_origin(part) for part in kinds] and not declared.separator
    kind: Any = int if declared.kind is int else None
    if declared.choices:
        kind = click.Choice(declared.choices)
    elif declared.known:
        kind = Names(declared.name, declared.known)
    elif declared.file == "path" or declared.written:
        kind = OutputPath() if declared.written else click.Path()
    elif float in kinds and str not in kinds:
        kind = Probability()
    return option(
        f"{flag}/--no-{flag[2:]} {declared.name}" if default is True else f"{flag} {declared.name}",
        declared.help.partition(" In Python,")[0],
        declared.heading,
        type=kind,
        is_flag=declared.kind is bool,
        multiple=several,
        default=None if several else "" if default == () else default,
        show_default=bool(default) and declared.kind is not bool and "Default:" not in declared.help,
        metavar=declared.metavar,
    )


def measure_option(text: str) -> Callable[[Function], Function]:
    """The option -m, which names measures."""
    known = Names("measure", "assay.engine.measure:measures")
    return option("-m --measure measures", text, COMPARED, multiple=True, type=known, metavar="MEASURE")


def data_option(metavar: str) -> Callable[[Function], Function]:
    """The option --data, for several data sets."""
    what = "Data set, instead of GOLD" if "GOLD" in metavar else "Data set"
    several = "repeat it for several, or give a pattern ('gold/{data}.conllu') or a TOML file"
    text = f"{what}; {several}. Their names replace {{data}} in other paths."
    return option("--data", text, COMPARED, multiple=True, metavar=metavar)


_DECLARED = options_of(CompareKeywords)
SEED = _keyword_option(_DECLARED["seed"])
SCHEME_NAMES = Names("scheme", _DECLARED["scheme"].known)
INPUT_FORMAT = option(
    "--input-format", "Format of the files (assay formats). Default: recognised from the first lines.",
    type=Names("format", _DECLARED["input_format"].known), metavar="FORMAT")
CLUSTER = option("--cluster", "Address of a Dask scheduler, or slurm, pbs, sge, lsf, …", SHARDS, metavar="ADDRESS")
_OUTPUT = add_options(
    option("--format form", "Output format. flat is JSON with names and numbers, for experiment trackers; runs is "
    "CSV for assay bayes. Default: table, or tsv in a pipe.", OUTPUT, type=Names("format", "assay.render:FORMATS")),
    option("-o --output", "Write to this file. Its ending sets the format, unless --format is given.",
           OUTPUT, type=OutputPath()),
    option("--table tables", "Show only these tables, with all rows, e.g. scores,changes. Repeatable.",
           OUTPUT, multiple=True, type=Names("table", "assay.render.tables:NAMES"), metavar="NAMES"),
    option("--full", "Show all tables with all rows and write all figures, not only the most important ones.",
           OUTPUT, is_flag=True),
    option("--html", "Also write a report page; for several data sets, a folder of pages.",
           OUTPUT, type=OutputPath()),
    option("--figures", "Write the main figures (with --full, all) into this folder. Needs matplotlib (extra "
    "`plot`).",
           OUTPUT, type=OutputPath(file_okay=False), metavar="FOLDER"),
    option("--figure-format figure_formats", "Format of figures. Repeatable.",
           OUTPUT, multiple=True, type=click.Choice(["svg", "pdf", "png"]), default=["svg"], show_default=True),
    option("--quiet", "Show no progress, notes or warnings on stderr.", OUTPUT, is_flag=True),
)
_GATES = add_options(
    option("--fail-under", "Exit with 1 if a score is below X, a fraction or points, e.g. accuracy=0.95 or "
           "accuracy=95pt. X alone applies to the first measure. Repeatable.", GATES, multiple=True,
           metavar="[MEASURE[/SCORE][@SYSTEM]=]X"),
    option("--fail-over", "Exit with 1 if a score for which lower is better is above X, in its unit or in points, "
    "e.g. mae=0.5 or hamming=5pt. Repeatable.", GATES, multiple=True, metavar="[MEASURE[/SCORE][@SYSTEM]=]X"),
    option("--fail-if-worse", "Exit with 1 if a main score is worse than that of the system with the same name in "
           "this saved result.", GATES, type=click.Path(), metavar="BASELINE.json"),
    option("--tolerance", "With --fail-if-worse: largest decrease that is allowed, as a fraction (0.002) or in "
    "points (0.2pt).", GATES, default="0", metavar="X"),
)
shard_options = add_options(
    option("--jobs", "Number of parallel processes for folders and data sets.",
           SHARDS, type=click.IntRange(min=1), default=1, show_default=True),
    CLUSTER,
    option("--partial", "Write a part for assay merge instead of a result.", SHARDS, type=OutputPath()),
    option("--shard", "With --partial: this is job I of N, e.g. 3/16.", SHARDS, metavar="I/N"),
)
"""Options for folders: processes, clusters and parts."""


def output_options(function: Function) -> Function:
    """A decorator that adds the options of output, which come as one `output`."""

    @wraps(function)
    def gather_output(**given: Any) -> Any:
        names = ("form", "output", "html", "quiet", "tables", "full", "figures", "figure_formats")
        output = Output(*(given.pop(name) for name in names))
        output.paper = given.pop("paper", None)
        return function(output=output, **given)

    return cast(Function, _OUTPUT(gather_output))


_BREAKS = "--fail-if-breaks"
paper_option = option(
    "--paper", "Write what a paper needs into this folder: a ranked table and a figure with captions, a paragraph on "
    "methods, references.", OUTPUT, type=OutputPath(file_okay=False), metavar="FOLDER")
"""The option of commands whose result has systems and their scores."""


def gate_options(function: Function) -> Function:
    """A decorator that adds the options of gates, which come as one `gates`; None if no option sets one."""

    @wraps(function)
    def gather_gates(
        fail_under: Sequence[str], fail_over: Sequence[str], fail_if_worse: str | None, tolerance: str, **given: Any
    ) -> Any:
        named, allowed = read_fraction("--tolerance", tolerance, "0.002 or 0.2pt")
        unless = given.pop("fail_unless", None)
        if named or not 0 <= allowed <= 1:
            raise UsageError(f"--tolerance {tolerance}: give a number from 0 to 1, e.g. 0.002 or 0.2pt.")
        if allowed and not fail_if_worse:
            raise UsageError("--tolerance needs --fail-if-worse BASELINE.json.")
        gates, breaks = None, given.pop("fail_if_breaks", None)
        if breaks is not None:
            share, limit = read_share(_BREAKS, breaks), given["risk"]
            if limit is not None and read_share("--risk", limit) != share:
                raise UsageError(f"--risk {limit} and {_BREAKS} {breaks}: give one limit.")
            given["risk"] = breaks
        if fail_under or fail_over or fail_if_worse or breaks or unless is not None:
            from assay.result import Result
            from assay.result.gates import Gates

            baseline = Result.read(fail_if_worse) if fail_if_worse else None
            of_pairs = {"unless": unless, "against": given.get("baseline"), "breaks": breaks or ""}
            gates = Gates(fail_under, baseline, fail_if_worse or "", allowed, fail_over, **of_pairs)
            gates.check_margin(given.get("margin", ()))
        return function(gates=gates, **given)

    return cast(Function, _GATES(gather_gates))
