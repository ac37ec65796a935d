"""Options that commands share, each idea with one option; outputs are checked before any work."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from assay.cli import GROUPS
from assay.cli.output import Output
from assay.specs import Option
from assay.tasks import NAMES, task_options

Function = TypeVar("Function", bound=Callable[..., Any])

HEADINGS = {
    "What is compared": (
        *("data", "measures", "task", "column", "input_format", "which", "on_mismatch", "systems", "against"),
        "missing",
    ),
    "Breakdown and examples": (
        *("slices", "train", "lexicon", "oov_fold_case", "label_order", "examples", "items", "change", "kind"),
    ),
    # Between these, the headings of options that tasks declare.
    "Intervals and tests": ("unit", "interval", "power", "baseline", "correct", "times", "seed"),
    "Output": ("form", "tables", "full", "output", "html", "figures", "figure_formats", "embed", "quiet"),
    "Gates": ("fail_under", "fail_if_worse", "tolerance"),
    "Folders and clusters": ("jobs", "cluster", "partial", "shard"),
}
"""The order of options in the help of a command, by group; a command's own come first."""


# --- commands ---


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
                # Of several data sets each has a page.
                pages = option.name == "html" and (ctx.params.get("data") or ctx.info_name == "report")
                if pages or (isinstance(option.type, click.Path) and not option.type.file_okay):
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
    elif isinstance(value, tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _paths(text: str) -> Iterator[str]:
    """The files that what a user says may name: `path`, `name=path`, a pattern, `measure(params=path)`."""
    text = text.replace("{data}", "*")
    for start in (0, *(match.end() for match in re.finditer("=", text))):
        for path in (text[start:], *(part.strip("\"' ") for part in re.split("[,)]", text[start:]))):
            if path == "-" or os.path.exists(path):
                yield path
                yield from _belonging(path)
            elif re.search(r"[*?\[]", path):
                import glob

                for match in glob.iglob(path, recursive=True):
                    yield match
                    yield from _belonging(match)


def _belonging(path: str) -> Iterator[str]:
    """Files that are read along with one: the text of annotations, the data and the store of an experiment."""
    stem, ending = os.path.splitext(path)
    if ending == ".ann":
        yield f"{stem}.txt"
    elif ending.lower() == ".toml":
        from assay.errors import AssayError
        from assay.experiment import read_plan
        from assay.scale.sets import read_toml

        # It may be a tagset, too; the command itself says what is wrong.
        with suppress(AssayError):
            yield from map(str, read_plan(path).inputs())
        with suppress(AssayError):
            yield from (found for table in read_toml(path) for text in _texts(table) for found in _paths(text))


class HelpCommand(Command):
    """A command whose options are listed under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options; not --help, which whoever reads this knows."""
        own = task_options()
        headings = {name: heading for heading, names in HEADINGS.items() for name in names}
        headings |= {name: option.heading for name, option in own.items()}
        order = list(HEADINGS)
        order[2:2] = sorted({option.heading for option in own.values()} - {*order})
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None and parameter is not self.get_help_option(ctx):
                sections.setdefault(headings.get(str(parameter.name), "Options"), []).append(record)
        for heading in ("Options", *order):
            if heading in sections:
                with formatter.section(heading):
                    formatter.write_dl(sections[heading])


class Names(click.ParamType[str]):
    """A name that a room knows: completed from there, checked there too."""

    def __init__(self, name: str, module: str, known: str) -> None:
        self.name = name
        self.module = module
        self.known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        from importlib import import_module

        known = getattr(import_module(self.module), self.known)
        names = known() if callable(known) else known
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class Probability(click.ParamType[float | None]):
    """A number between 0 and 1, or none."""

    name = "probability"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        """The number; nothing for none."""
        if value in (None, "none"):
            return None
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is no number between 0 and 1, nor none.", param, ctx)


def choice(name: str, values: str, text: str, default: str | None = None) -> Callable[[Function], Function]:
    """An option with few values."""
    show = default is not None
    return click.option(name, type=click.Choice(values.split()), default=default, show_default=show, help=text)


def task_option(option: Option) -> Callable[[Function], Function]:
    """An option that a task declares."""
    name, default = f"--{option.name.replace('_', '-')}", option.default
    if default is False:
        return click.option(name, is_flag=True, help=option.help)
    kind: Any = int if isinstance(default, int) else click.Path() if option.file == "path" else None
    if option.choices:
        kind = click.Choice(option.choices)
    elif option.known:
        kind = Names(option.name, *option.known)
    return click.option(
        name,
        type=kind,
        multiple=default == (),
        default=None if default == () else default,
        show_default=bool(option.choices and default),
        metavar=option.metavar,
        help=option.help,
    )


def measure_option(text: str) -> Callable[[Function], Function]:
    """The option -m, which names measures."""
    known = Names("measure", "assay.engine.measure", "measures")
    return click.option("-m", "--measure", "measures", multiple=True, type=known, help=text)


SCHEME_NAMES = Names("scheme", "assay.formats.schemes", "SCHEMES")
FILES = click.argument("files", nargs=-1, type=click.Path(), metavar="GOLD SYSTEMS...")
DATA = click.option(
    "--data",
    multiple=True,
    metavar="NAME=GOLD",
    help="One of several data sets, in place of GOLD, repeatable; or a pattern that finds them, "
    "'gold/{data}.conllu', or a TOML file. {data} in other paths is filled in with their names.",
)
SEED = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random generator.")
CLUSTER = click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler's address, or slurm, pbs, sge, lsf, …")
_FORMAT = Names("format", "assay.formats", "FORMATS")
INPUT_FORMAT = click.option(
    "--input-format",
    type=_FORMAT,
    help="Format of the files (assay formats); else recognised by their first lines.",
)

POWER = click.option(
    "--power",
    type=Probability(),
    default="0.8",
    show_default=True,
    metavar="X",
    help='Report the smallest difference that this test would find with this probability. "none" leaves this out.',
)
_TESTS = (
    POWER,
    click.option("--baseline", metavar="NAME", help="Test all other systems against this one, and no other pairs."),
    choice(
        "--correct",
        "pairs slices",
        "Correct p for multiple testing over pairs and measures (pairs), or also over slices (slices).",
        "pairs",
    ),
)

_RESAMPLING = (
    click.option(
        "--unit",
        type=Names("unit", "assay.corpus", "UNITS"),
        metavar="UNIT",
        help="Unit of intervals and tests: sentence, document, or meta:KEY (the values of `# KEY = …`). Default: "
        "document if gold has at least 10 documents, sentence otherwise.",
    ),
    choice("--interval", "score percentile bca wilson", "Kind of 95% interval.", "score"),
    click.option("--times", type=int, default=10_000, show_default=True, help="Number of resamples and shufflings."),
    SEED,
    choice(
        "--on-mismatch",
        "error skip warn",
        "Where texts differ: refuse, leave the sentence out, or compare by position.",
        "error",
    ),
    click.option(
        "--examples",
        type=int,
        default=0,
        metavar="N",
        help="Show N sentences behind the differences.",
    ),
)

_EVALUATION = (
    measure_option('Measure, e.g. accuracy or "tag-f1(column=XPOS)"; repeatable (assay measures).'),
    click.option(
        "--task",
        # A task with a command of its own is asked for by that.
        type=click.Choice([name for name in NAMES if name not in GROUPS["Evaluate"]]),
        help="What is compared; else inferred from the measures or the files.",
    ),
    click.option(
        "--column",
        multiple=True,
        metavar="[NAME=]COLUMN",
        help="Column compared: UPOS, XPOS, FEATS, LEMMA, MISC:NER, MISC:Entity, a header name or a number; "
        "3+4 for spans in layers. NAME=COLUMN: the column of gold, a system or an annotator.",
    ),
    click.option(
        "--input-format",
        multiple=True,
        type=_FORMAT,
        help="Format of the files (assay formats), or NAME=FORMAT for one of them; else recognised by their first "
        "lines.",
    ),
    click.option(
        "--which",
        multiple=True,
        metavar="[NAME=]WHO",
        help="Whose annotation to read if a file contains several: annotations (of people), predictions, "
        "ground-truth, last, or the name of an annotator or a model. NAME=WHO for one file.",
    ),
    click.option(
        "--slice",
        "slices",
        multiple=True,
        type=Names("slice", "assay.engine.slices", "slices"),
        help="Break down by, e.g. sentence-length, seen, meta:genre; repeatable.",
    ),
    click.option("--train", type=click.Path(), help="Training data (or a list of its words), for unseen words."),
    click.option("--lexicon", type=click.Path(), help="Dictionary: a list of words, or an annotated file."),
    click.option("--oov-fold-case", is_flag=True, help="Words of --train and --lexicon match in any case."),
    *map(task_option, task_options().values()),
    *_RESAMPLING,
    click.option("--change", metavar="NN→NE", help="Only examples of this change (-> will do, * is any label)."),
    choice(
        "--kind",
        "correction new-error changed-error unresolved disagreement",
        "Only examples of this kind; unresolved: mentions that no system resolves; disagreement: of annotators.",
    ),
)

_OUTPUT = (
    click.option(
        "--format",
        "form",
        type=click.Choice(["table", "json", "flat", "tsv", "csv", "md", "latex", "html", "runs"]),
        help="Output format; else table, or TSV in a pipe. flat: JSON of names and numbers, for trackers; runs: CSV "
        "for assay bayes.",
    ),
    click.option(
        "-o",
        "--output",
        type=OutputPath(),
        help="Write to a file, in the format of its ending unless --format says.",
    ),
    click.option(
        "--table",
        "tables",
        multiple=True,
        type=Names("table", "assay.render.tables", "NAMES"),
        metavar="NAMES",
        help="Only these tables, in full, e.g. scores,changes; in every format made of tables. Repeatable.",
    ),
    click.option("--full", is_flag=True, help="All tables with all rows where a terminal shows the first ones."),
    click.option("--html", type=OutputPath(), help="Write a report page too; of several data sets a folder of them."),
    click.option(
        "--figures",
        type=OutputPath(file_okay=False),
        metavar="FOLDER",
        help="Write figures for a paper into this folder; needs matplotlib, the extra `plot`.",
    ),
    click.option(
        "--figure-format",
        "figure_formats",
        multiple=True,
        type=click.Choice(["svg", "pdf", "png"]),
        default=["svg"],
        show_default=True,
        help="Format of figures; repeatable.",
    ),
    click.option("--quiet", is_flag=True, help="No progress, notes or warnings on stderr."),
)
_GATES = (
    click.option(
        "--fail-under",
        multiple=True,
        metavar="[MEASURE[/SCORE][@SYSTEM]=]X",
        help="Exit with 1 where a score is under X, e.g. accuracy=0.95; repeatable. X alone: of the first measure.",
    ),
    click.option(
        "--fail-if-worse",
        type=click.Path(),
        metavar="BASELINE.json",
        help="Exit with 1 where a main score is worse than that of the system of this name in a saved result.",
    ),
    click.option(
        "--tolerance",
        type=click.FloatRange(min=0, max=1),
        default=0.0,
        metavar="X",
        help="With --fail-if-worse: the largest fall that is allowed, e.g. 0.002.",
    ),
)
embed_option = choice(
    "--embed",
    "all diff sample auto none",
    "Sentences in a page, in JSON or in a part: all, those with differences or errors, a sample of these, none. "
    "Pages have auto, which is all up to 50,000, else a sample; the others have none.",
)


_SHARDS = (
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Processes, for folders and data sets.",
    ),
    CLUSTER,
    click.option("--partial", type=OutputPath(), help="Write a part for assay merge, in place of a result."),
    click.option("--shard", metavar="I/N", help="With --partial: this is job I of N, e.g. 3/16."),
)


def with_options(options: Sequence[Callable[[Function], Function]]) -> Callable[[Function], Function]:
    """A decorator that adds options in their order."""

    def decorated(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


def output_options(function: Function) -> Function:
    """The options of where a Result goes, which come as one `output`."""

    @wraps(function)
    def gathered(
        form: str | None,
        output: str | None,
        html: str | None,
        quiet: bool,
        tables: tuple[str, ...],
        full: bool,
        figures: str | None,
        figure_formats: tuple[str, ...],
        **others: Any,
    ) -> Any:
        names = [name.strip() for given in tables for name in given.split(",") if name.strip()]
        if tables and not names:
            from assay.errors import UsageError

            raise UsageError("--table: no table is named. Say e.g. --table scores,changes")
        return function(output=Output(form, output, html, quiet, names, full, figures, figure_formats), **others)

    return cast(Function, with_options(_OUTPUT)(gathered))


def evaluation(function: Function) -> Function:
    """The options of score, compare and agreement."""
    return with_options(_EVALUATION)(output_options(function))


resampling_options = with_options(_RESAMPLING)
"""Options for resampling and tests, for texts that differ, and for the number of examples."""
test_options = with_options(_TESTS)
"""Options of tests between systems."""
shard_options = with_options(_SHARDS)
"""Options for folders: processes, clusters and parts."""
gate_options = with_options(_GATES)
"""Options for thresholds that a Result has to reach."""
