"""Commands about results and files: report, merge, convert, demo."""

from __future__ import annotations

import click

from assay.cli import example_help
from assay.cli.options import (
    INPUT_FORMAT,
    SCHEME_NAMES,
    Command,
    HelpCommand,
    OutputPath,
    choice,
    gate_options,
    output_options,
)
from assay.cli.output import Output, deliver, gates_of, put, put_files


@click.command(
    cls=HelpCommand,
    short_help="Show a saved result again, as tables, a page or another format.",
    epilog=example_help(
        "assay compare gold.conllu a.conllu b.conllu --embed all -o result.json",
        "assay report result.json --html report.html",
        "assay report result.json --format latex",
    ),
)
@click.argument("result", type=click.Path())
@output_options
def report(result: str, output: Output) -> None:
    """Show what `--format json` or `-o result.json` saved; nothing is computed anew."""
    output.check()
    from assay.errors import InputError
    from assay.result import Result, read_results

    found = read_results(result)
    try:
        output.deliver(found)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration) as error:
        # What cannot be shown was changed since it was written.
        raise InputError(
            f"{result}: its parts do not fit together ({type(error).__name__}: {error}). Was it changed by hand? "
            "Write it anew with --format json."
        ) from error
    one = found if isinstance(found, Result) else next(iter(found.sets.values()))
    if output.has_page and one.texts is None and not one.bayes:
        output.tell(
            "note: the page has no sentences, since the result has none. Save it with --embed all to have them."
        )


@click.command(
    cls=HelpCommand,
    short_help="Make one result of the parts that several jobs wrote.",
    epilog=example_help(
        "assay merge part-*.json",
        "assay merge part-*.json --html report.html",
    ),
)
@click.argument("parts", nargs=-1, required=True, type=click.Path())
@click.option("-m", "--measure", "measures", multiple=True, help="Run this measure of your own (module:function).")
@gate_options
@output_options
def merge(
    parts: tuple[str, ...],
    measures: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_if_worse: str | None,
    tolerance: float,
    output: Output,
) -> int:
    """Make one result of PARTS: the same, to the last digit, as if one process had read all files.

    Each job writes a part, e.g. the third of 16: assay score gold/ system/ --shard 3/16 --partial part-3.json (with
    --embed auto for a page with sentences).
    """
    output.check()
    gates = gates_of(fail_under, fail_if_worse, tolerance)
    with output.progress("Merging …"):
        from assay.engine.finish import make_result
        from assay.scale.partfiles import merged

        result = make_result(merged(parts, measures))
    if output.has_page and result.texts is None:
        output.tell(
            "note: the page has no sentences, since the parts have none. Write them with --embed auto to have some."
        )
    return deliver(result, gates, output, texts=True)


@click.command(
    cls=Command,
    short_help="Write a file in another format.",
    epilog=example_help(
        "assay convert tagged.txt --to conllu --column XPOS -o tagged.conllu",
        "assay convert treebank.conllu --to tsv --column UPOS",
        'assay convert data.tsv --input-format "tsv(word=2)" --column 4 --to slash',
        "assay convert anna.conll --to-scheme bioes -o bioes.conll",
        "assay convert anna.conll --repair conlleval -o repaired.conll",
        "assay convert graphs.sdp --to conllu -o graphs.conllu",
        "assay convert roles.conll09 --to up -o roles.conllu",
        "assay convert anna/ --to jsonl -o anna.jsonl",
    ),
)
@click.argument("path", type=click.Path())
@click.option(
    "--to",
    "target",
    help="Format to write: conllu, conllx, conll, tsv or slash; of graphs conllu, sdp or mrp; of semantic roles "
    "conll09, up or, where they are stretches, props or biojson; of spans, relations and links brat, jsonl, spert, "
    "dygie, docred, hipe or neleval; of tags of spans else that of the file.",
)
@click.option("--column", help="The label column to keep where the target holds one; or to write it to.")
@click.option("--to-scheme", type=SCHEME_NAMES, help="Write tags of spans under this scheme, e.g. bioes.")
@click.option("--scheme", type=SCHEME_NAMES, help="The scheme of the tags in the file; else recognised by the tags.")
@choice(
    "--repair",
    "mend drop conlleval discard",
    "If annotations are faulty: mend what has one sure reading and drop the rest, or drop all of them.",
)
@click.option("--which", metavar="WHO", help="Whose annotation to write if the file contains several.")
@INPUT_FORMAT
@click.option("-o", "--output", type=OutputPath(), help="Write to a file; of brat to a new folder, or to X.ann.")
def convert(
    path: str,
    target: str | None,
    column: str | None,
    to_scheme: str | None,
    scheme: str | None,
    repair: str | None,
    which: str | None,
    input_format: str | None,
    output: str | None,
) -> None:
    """Write a file in another format, or its spans under another scheme; what the target cannot hold is said."""
    from assay.errors import UsageError
    from assay.formats import Input, write
    from assay.formats.whose import Asked, check_repair

    asked = Asked(which=which or "", repair=check_repair(repair or ""))
    source = Input(path, input_format=input_format, wanted=[column] if column else [], asked=asked)
    if to_scheme or scheme or (repair and not source.plan.spans):
        text, losses = write.rewrite(source, target, column, scheme=scheme, repair=repair, to_scheme=to_scheme)
        texts = {"": text}
    elif target or repair:
        texts, losses = write.convert(source, target or source.plan.format, column)
    else:
        raise UsageError("say what to write: --to FORMAT, --to-scheme SCHEME or --repair.")
    if "" in texts:
        put(texts[""], output)
    else:
        put_files(texts, output)
    for loss in losses:
        click.echo(f"warning: {loss}", err=True)


@click.command(
    cls=Command,
    short_help="Compare real systems on the bundled corpora.",
    epilog=example_help("assay demo", "assay demo --language german", "assay demo --copy here/"),
)
@choice(
    "--language",
    "english german",
    "Only the taggers of one language; else both, named entities, parses and coreference.",
)
@click.option("--html", type=OutputPath(file_okay=False), help="Write report pages into this folder.")
@click.option(
    "--copy",
    type=OutputPath(file_okay=False),
    help="Copy the demo's files into this folder to try things on.",
)
def demo(language: str | None, html: str | None, copy: str | None) -> None:
    """Compare real taggers, recognisers, parsers and resolvers on small bundled corpora; needs no network."""
    from assay.demo import EXAMPLES, run_demo

    run_demo([language] if language else EXAMPLES, html, copy)
