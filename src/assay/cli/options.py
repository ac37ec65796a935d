"""Options that commands share: one option for one idea."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from assay.gates import Gates
    from assay.parallel import Step
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
    click.option(
        "--mention-types",
        metavar="[head|PATH]",
        help="Types of mentions: by the tags of their heads, or by a file (tag TAB type, nominal TAB type).",
    ),
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
        type=click.Choice(["correction", "new-error", "changed-error", "unresolved"]),
        help="Only examples of this kind; unresolved: mentions that no system resolves.",
    ),
)

_OUTPUT = (
    click.option(
        "--format",
        "form",
        type=click.Choice(["json", "flat", "tsv", "csv", "md", "latex"]),
        help="Output format; else tables, or TSV in a pipe. flat: JSON of names and numbers, for trackers.",
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
        help="With --fail-if-worse: scores may fall by so much, e.g. 0.002.",
    ),
)
embed_option = click.option(
    "--embed",
    type=click.Choice(["all", "diff", "sample", "none"]),
    help="Sentences in a page or in JSON: all, those with differences or errors, a sample of these, none. Pages have "
    "all up to 50,000, else a sample; JSON has none.",
)


_SHARDS = (
    click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes, for folders."),
    click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler's address, or slurm, pbs, sge, lsf, …"),
    click.option("--partial", type=click.Path(), help="Write a part for assay merge, in place of a result."),
    click.option("--shard", metavar="I/N", help="With --partial: this is job I of N, e.g. 3/16."),
)


def _with(options: Sequence[Callable[[Function], Function]]) -> Callable[[Function], Function]:
    def decorated(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


evaluation = _with((*_EVALUATION, *_OUTPUT))
"""The options of score, compare and agreement."""
resampling_options = _with(_RESAMPLING)
"""How chance is handled, what happens where texts differ, and how many examples are shown."""
shard_options = _with(_SHARDS)
"""Who reads the files of folders, and whether all of them."""
output_options = _with(_OUTPUT)
"""Where a Result goes."""
gate_options = _with(_GATES)
"""What a Result has to reach."""


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
) -> int:
    """What score and compare have in common: check, work, deliver, and 1 where a threshold asked for is missed."""
    check_stdin(gold, *systems)
    check_outputs(form, output, html)
    gates = gates_of(options.pop("fail_under"), options.pop("fail_if_worse"), options.pop("tolerance"))
    asked = options.pop("embed")
    options["embed"] = asked or ("auto" if wants_page(form, output, html) else "none")
    partial, share = options.pop("partial"), options.pop("shard")
    _check_partial(partial, share, bool(form or output or html or gates))
    text = {"score": "Scoring …", "compare": "Comparing …"}[verb]
    with progress(text, quiet) as status:
        from assay.evaluate import evaluated, part_of
        from assay.prepare import Options

        workers = {name: options.pop(name) for name in ("jobs", "cluster")}
        workers["report"] = lambda step: status.update(f"{text} {_so_far(step)}") if status else None
        given = (verb, gold, systems, measures or None, Options(**options))
        if partial is not None:
            from assay.partfiles import to_json

            write(partial, to_json(part_of(*given, share or "1/1", **workers)))
            if not quiet:
                click.echo(f"written: {partial}", err=True)
            return 0
        result = evaluated(*given, **workers)
    if options["embed"] == "auto" and result.texts is None and Path(gold).is_dir() and not quiet:
        click.echo(
            "note: the page has no sentences: files were read one by one. To have some: --examples 20", err=True
        )
    return delivered(result, gates, form, output, html, quiet, texts=asked is not None)


def _check_partial(partial: str | None, share: str | None, more: bool) -> None:
    from assay.errors import UsageError

    if share is not None and partial is None:
        raise UsageError("--shard is for parts. Say where this one goes, e.g.: --partial part-3.json")
    if partial is not None:
        if more:
            raise UsageError("--partial writes a part and nothing else. Tables, pages and gates: assay merge")
        check_outputs("json", partial)


def _so_far(step: Step) -> str:
    """Shards, words a second, time left."""
    minutes, seconds = divmod(round(step.left), 60)
    speed = step.tokens / step.seconds if step.seconds else 0
    return f"{step.done:,} of {step.total:,} shards, {speed:,.0f} tokens/s, {minutes}:{seconds:02} left"


def delivered(
    result: Result,
    gates: Gates | None,
    form: str | None,
    output: str | None,
    html: str | None,
    quiet: bool,
    *,
    texts: bool,
) -> int:
    """Write a Result where the user wants it; 1 where a threshold asked for is missed."""
    missed = gates.missed(result) if gates else []
    deliver(result, form, output, html, quiet, texts=texts)
    for line in gates.notes(result) if gates and not quiet else ():
        click.echo(f"note: {line}", err=True)
    for line in missed:
        click.echo(f"assay: {line}", err=True)
    return 1 if missed else 0


def gates_of(thresholds: Sequence[str], baseline: str | None, tolerance: float) -> Gates | None:
    """What the Result has to pass, read before the work begins."""
    from assay.errors import UsageError

    if tolerance and not baseline:
        raise UsageError("--tolerance is about --fail-if-worse BASELINE.json.")
    if not thresholds and not baseline:
        return None
    from assay.gates import Baseline, Gates, Threshold

    before = Baseline.read(baseline, tolerance) if baseline else None
    return Gates([Threshold.of(text) for text in thresholds], before)


def check_stdin(*paths: str) -> None:
    """Standard input can be read once."""
    from assay.errors import UsageError

    if sum(path.rpartition("=")[2] == "-" or path == "-" for path in paths) > 1:
        raise UsageError("- (standard input) can be given once only.")


def wants_page(form: str | None, output: str | None, html: str | None) -> bool:
    """Whether a report page is to be written."""
    return bool(html) or form == "html" or (form is None and bool(output) and _form_of(str(output)) == "html")


def deliver(
    result: Result, form: str | None, output: str | None, html: str | None, quiet: bool, *, texts: bool = True
) -> None:
    """Write a Result where the user wants it, in JSON without its `texts` if so; warnings go to stderr."""
    from dataclasses import replace

    from assay.render import render

    if html:
        write(html, render(result, "html"))
    if not (texts or wants_page(form, output, None)):
        result = replace(result, texts=None)
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
        replaced = Path(os.path.realpath(path)).parent
        if Path(path).is_dir() or not os.access(path if _is_stream(path) else replaced, os.W_OK):
            raise InputError(f"{path}: cannot be written.")


def write(path: str, text: str) -> None:
    """Write a file whole or not at all; what is no file but a pipe or a device is written to as it is."""
    from assay.errors import InputError

    # Names of files need not be UTF-8, and may stand in the text.
    data = text.encode("utf-8", "backslashreplace")
    try:
        if _is_stream(path):
            Path(path).write_bytes(data)
        else:
            _replace(path, data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({(error.strerror or str(error)).lower()}).") from None


def _is_stream(path: str) -> bool:
    """Whether there is something here that must not be replaced by a file: a pipe, a device."""
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def _replace(path: str, data: bytes) -> None:
    import os
    import tempfile
    from contextlib import suppress

    # A link stays one: what it points to is replaced.
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".assay-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
        os.chmod(temporary, mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


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
