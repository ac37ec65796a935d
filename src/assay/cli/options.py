"""Options that commands share: one option for one idea."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from assay.result import Result

Function = TypeVar("Function", bound=Callable[..., Any])


class Names(click.ParamType[str]):
    """A name that a room knows: completed from there, checked there too."""

    def __init__(self, name: str, known: Callable[[], list[str]]) -> None:
        self.name = name
        self.known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        return [CompletionItem(name) for name in self.known() if name.startswith(incomplete)]


def _measures() -> list[str]:
    from assay.measures import measures

    return list(measures())


def _formats() -> list[str]:
    from assay.readers import FORMATS

    return list(FORMATS)


def _schemes() -> list[str]:
    from assay.schemes import SCHEMES

    return list(SCHEMES)


def _slices() -> list[str]:
    from assay.slices import SLICES

    return list(SLICES)


GOLD = click.argument("gold", type=click.Path())
INPUT_FORMAT = click.option(
    "--input-format",
    type=Names("format", _formats),
    help="Format of the files (assay formats); else told by their first lines.",
)

_RESAMPLING = (
    click.option(
        "--unit",
        type=click.Choice(["sentence", "document"]),
        help="What is resampled; sentences, unless files hold whole documents only.",
    ),
    click.option(
        "--interval",
        type=click.Choice(["percentile", "bca", "wilson"]),
        default="percentile",
        show_default=True,
        help="Kind of 95% interval.",
    ),
    click.option("--times", type=int, default=10_000, show_default=True, help="Resamples and shufflings."),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random generator."),
    click.option(
        "--on-mismatch",
        type=click.Choice(["error", "skip", "warn"]),
        default="error",
        show_default=True,
        help="Where texts differ: refuse, leave the sentence out, or compare by position.",
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
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        type=Names("measure", _measures),
        help='Measure, e.g. accuracy or "tag-f1(column=XPOS)"; repeatable (assay measures).',
    ),
    click.option(
        "--task",
        type=click.Choice(["tags", "spans", "dependencies", "constituents", "coreference"]),
        help="What is compared; else told by the measures, or by the files.",
    ),
    click.option(
        "--column",
        help="Column compared: UPOS, XPOS, FEATS, LEMMA, MISC:NER, MISC:Entity, a header name or a number; "
        "3+4 for spans in layers.",
    ),
    INPUT_FORMAT,
    click.option(
        "--slice",
        "slices",
        multiple=True,
        type=Names("slice", _slices),
        help="Break down by, e.g. sentence-length, seen, meta:genre; repeatable.",
    ),
    click.option("--train", type=click.Path(), help="Training data (or a list of its words), for unseen words."),
    click.option("--lexicon", type=click.Path(), help="Dictionary: a list of words, or an annotated file."),
    click.option("--oov-fold-case", is_flag=True, help="Words of --train and --lexicon match in any case."),
    click.option("--map", type=click.Path(), help="Mapping file: labels to be taken as others."),
    click.option(
        "--scheme",
        multiple=True,
        type=Names("scheme", _schemes),
        help="Scheme of span tags: iob2, bioes, stacked, …, or NAME=iob1 for one system; else told by the files.",
    ),
    click.option(
        "--repair",
        type=click.Choice(["conlleval", "discard"]),
        help="Where tags break the scheme: read them as conlleval does, or discard them; else refuse.",
    ),
    click.option(
        "--duplicates",
        type=click.Choice(["error", "first", "drop"]),
        default="error",
        show_default=True,
        help="Mentions given twice: refuse, keep the first, or drop all.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "empty"]),
        default="error",
        show_default=True,
        help="Documents that a system lacks: refuse, or score as empty.",
    ),
    click.option(
        "--zeros",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="Mentions of empty nodes: refuse, or leave out and count.",
    ),
    click.option("--mention-types", type=click.Path(), help="Types of mentions: tag TAB type, nominal TAB type."),
    click.option("--gold-errors", type=click.Path(), help="List of spans in which gold itself is wrong."),
    click.option("--tagset", help="How tags fall apart: a name (assay tagset) or a file."),
    click.option("--strict-tagset", is_flag=True, help="Refuse tags outside the tagset."),
    click.option("--expand-optional", is_flag=True, help="A left-out optional attribute stands for all its values."),
    click.option("--alternatives", metavar="SEP", help="What divides several tags in one cell."),
    click.option("--weights", help="Weights of categories for wpa and cwpa: a file, or equal, paper, poliqarp."),
    click.option(
        "--sweep",
        type=int,
        default=0,
        metavar="N",
        help="Compare under N random weightings too, of categories (--tagset) or of types of errors (spans).",
    ),
    *_RESAMPLING,
    click.option("--change", metavar="NN→NE", help="Only examples of this change (-> will do, * is any label)."),
    click.option(
        "--kind",
        type=click.Choice(["correction", "new-error", "changed-error"]),
        help="Only examples of this kind.",
    ),
)

_OUTPUT = (
    click.option(
        "--format",
        "form",
        type=click.Choice(["json", "tsv", "md", "latex"]),
        help="Output format; else tables, or TSV in a pipe.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(),
        help="Write to a file, in the format of its ending unless --format says.",
    ),
    click.option("--html", type=click.Path(), help="Write a report page too."),
    click.option("--quiet", is_flag=True, help="No progress, notes or warnings on stderr."),
)


def _with(options: Sequence[Callable[[Function], Function]]) -> Callable[[Function], Function]:
    def decorated(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


evaluation = _with((*_EVALUATION, *_OUTPUT))
"""The options of score and compare."""
resampling_options = _with(_RESAMPLING)
"""How chance is handled, what happens where texts differ, and how many examples are shown."""
output_options = _with(_OUTPUT)
"""Where a Result goes."""


def evaluate(
    verb: str,
    gold: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    form: str | None,
    output: str | None,
    html: str | None,
    quiet: bool,
    options: dict[str, Any],
) -> None:
    """What score and compare have in common: check, work, deliver."""
    check_stdin(gold, *systems)
    check_outputs(form, output, html)
    with progress({"score": "Scoring …", "compare": "Comparing …"}[verb], quiet):
        from assay import evaluate as evaluation_room

        result = getattr(evaluation_room, verb)(gold, systems, measures or None, **options)
    deliver(result, form, output, html, quiet)


def check_stdin(*paths: str) -> None:
    """Standard input can be read once."""
    from assay.errors import UsageError

    if sum(path.rpartition("=")[2] == "-" or path == "-" for path in paths) > 1:
        raise UsageError("- (standard input) can be given once only.")


def deliver(result: Result, form: str | None, output: str | None, html: str | None, quiet: bool) -> None:
    """Write a Result where the user wants it; warnings go to stderr."""
    from assay.render import render

    if html:
        write(html, render(result, "html"))
    if output:
        write(output, render(result, form or _form_of(output)))
    elif form or not sys.stdout.isatty():
        click.echo(render(result, form or "tsv"), nl=False)
    else:
        from assay.render.terminal import show

        show(result)
    if not quiet:
        for text in result.warnings:
            click.echo(f"warning: {text}", err=True)
        for path in filter(None, (output, html)):
            click.echo(f"written: {path}", err=True)


def _form_of(output: str) -> str:
    from assay.errors import UsageError
    from assay.render import ENDINGS

    ending = Path(output).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{output}: the ending tells no format. Use {', '.join(ENDINGS)}, or say --format.")
    return ENDINGS[ending]


def check_outputs(form: str | None, *paths: str | None) -> None:
    """Find out before the work begins whether its results can be written."""
    import os

    from assay.errors import InputError

    for index, path in enumerate(paths):
        if path is None:
            continue
        if index == 0 and form is None:
            _form_of(path)
        folder = Path(path).parent
        if not folder.is_dir():
            raise InputError(f"{path}: the folder {folder} does not exist.")
        if Path(path).is_dir() or not os.access(folder, os.W_OK):
            raise InputError(f"{path}: cannot be written.")


def write(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    import os
    import tempfile

    from assay.errors import InputError

    target = Path(path)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
        os.chmod(temporary, mode & 0o777)
        os.replace(temporary, target)
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise InputError(f"{path}: cannot be written ({(error.strerror or str(error)).lower()}).") from None


def _umask() -> int:
    import os

    mask = os.umask(0)
    os.umask(mask)
    return mask


def progress(text: str, quiet: bool) -> Any:
    """A line on stderr while the work is under way, if someone is watching."""
    from contextlib import nullcontext

    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)
