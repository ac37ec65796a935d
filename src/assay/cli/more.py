"""Commands about results and files: report, merge, convert, demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli.options import (
    INPUT_FORMAT,
    SCHEME_NAMES,
    Command,
    OutputPath,
    choice,
    gate_options,
    option,
    output_options,
    paper_option,
)
from assay.cli.output import Output, write_output
from assay.errors import InputError
from assay.files import write_files

if TYPE_CHECKING:
    from assay.result.gates import Gates


@click.command(cls=Command)
@click.argument("result", type=click.Path())
@paper_option
@output_options
def report_command(result: str, output: Output) -> None:
    """Show a saved result again, as tables, a page or another format.

    RESULT is what `--format json` or `-o result.json` saved; nothing is computed again.

    Examples:
      assay compare gold.conllu a.conllu b.conllu --embed all -o result.json
      assay report result.json --html report.html
      assay report result.json --format latex
    """
    output.check()
    from assay.result import Result, read_results

    found = read_results(result)
    try:
        output.deliver(found)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration) as error:
        # What cannot be shown was changed since it was written.
        raise InputError(
            f"{result}: this result is inconsistent ({type(error).__name__}: {error}). Was it edited by hand? Write "
            f"it again with --format json."
        ) from error
    first = found if isinstance(found, Result) else next(iter(found.sets.values()))
    if output.has_page and first.texts is None and not first.bayes:
        nothing = f"the page has no {first.text_noun}s, because the result contains none"
        output.tell(f"note: {nothing}. Save it with --embed all.")


@click.command(cls=Command)
@click.argument("parts", nargs=-1, required=True, type=click.Path())
@option("-m --measure measures", "Run this measure, which is your own code (module:function).", multiple=True)
@gate_options
@paper_option
@output_options
def merge_command(parts: tuple[str, ...], measures: tuple[str, ...], gates: Gates | None, output: Output) -> int:
    """Make one result of the parts that several jobs wrote.

    The result is the same, to the last digit, as if one process had read all files. Each job writes a part, e.g. the
    third of 16: assay score gold/ system/ --shard 3/16 --partial part-3.json (with --embed auto for a page with
    sentences).

    Examples:
      assay merge part-*.json
      assay merge part-*.json --html report.html
    """
    output.check()
    with output.progress("Merging …"):
        from assay.engine.finish import make_result
        from assay.scale.partfiles import merge_files

        result = make_result(merge_files(parts, measures))
    if output.has_page and result.texts is None:
        nothing = f"the page has no {result.text_noun}s, because the parts contain none"
        output.tell(f"note: {nothing}. Write them with --embed auto.")
    return output.deliver(result, gates)


@click.command(cls=Command)
@click.argument("path", type=click.Path())
@option("--to target", "Format to write: conllu, conllx, conll, tsv or slash; for graphs conllu, sdp or mrp; for "
        "semantic roles conll09, up or, if they are stretches, props or biojson; for events dygie or brat; for "
        "spans, relations and links brat, jsonl, spert, dygie, docred, hipe or neleval; for tools and libraries "
        "labelstudio, doccano, prodigy, argilla, webanno, cas, gliner, hf, docbin, tuples, pubtator or bioc; "
        "for items (logs too) csv, tsv or jsonl. Default for tags of spans: that of the file.")
@choice("--as kind", "annotations predictions", "What to write to labelstudio or argilla. Default: predictions if "
        "the file is a model's or has scores.")
@option("--column", "Label column to keep if the target has only one, or to write to; or the layer of spans.")
@option("--to-scheme", "Write tags of spans under this scheme, e.g. bioes.", type=SCHEME_NAMES, metavar="SCHEME")
@option("--scheme", "Scheme of the tags in the file. Default: recognised from the tags.",
        type=SCHEME_NAMES, metavar="SCHEME")
@choice("--repair", "mend drop conlleval discard",
        "If annotations are faulty: mend those with one clear reading and drop the rest (mend), or drop all of them "
        "(drop).")
@option("--which", "Whose annotation to write if the file contains several.", metavar="WHO")
@INPUT_FORMAT
@option("-o --output", "Write to this file; for brat, to a new folder, or to X.ann.", type=OutputPath())
def convert_command(
    path: str, target: str | None, column: str | None, which: str | None, output: str | None, **options: str | None
) -> None:
    """Write a file in another format, or spans under another scheme.

    Warnings say what the target cannot contain.

    Examples:
      assay convert tagged.txt --to conllu --column XPOS -o tagged.conllu
      assay convert treebank.conllu --to tsv --column UPOS
      assay convert data.tsv --input-format "tsv(word=2)" --column 4 --to slash
      assay convert anna.conll --to-scheme bioes -o bioes.conll
      assay convert anna.conll --repair conlleval -o repaired.conll
      assay convert graphs.sdp --to conllu -o graphs.conllu
      assay convert roles.conll09 --to up -o roles.conllu
      assay convert anna/ --to jsonl -o anna.jsonl
      assay convert ben.conll --to labelstudio --as predictions -o tasks.json
      assay convert export.json --which anna --to prodigy -o anna.jsonl
      assay convert samples_mmlu.jsonl --to csv -o mmlu.csv
      assay convert records.jsonl --to schema -o schema.json
    """
    from assay.formats import Input, write
    from assay.formats.whose import Asked, check_repair

    asked = Asked(which=which or "", repair=check_repair(options["repair"] or ""), column=column or "")
    input_format = options.pop("input_format") or ("records" if target == "schema" else None)
    source = Input(path, input_format=input_format, wanted=[column] if column else [], asked=asked)
    if target == "schema":
        from assay.tasks.records.prepare import schema_text

        write_output(schema_text(source), output)
        return
    texts, losses = write.convert_file(source, target, column, **options)
    if "" in texts:
        write_output(texts[""], output)
    else:
        write_files(texts, output)
    for loss in losses:
        click.echo(f"warning: {loss}", err=True)


@click.command(cls=Command)
@choice("--language", "english german", "Only the taggers of one language. Default: all examples.")
@option("--html", "Write report pages into this folder.", type=OutputPath(file_okay=False))
@option("--copy", "Copy the demo files into this folder, so that you can experiment with "
"them.", type=OutputPath(file_okay=False))
def demo_command(language: str | None, html: str | None, copy: str | None) -> None:
    """Compare real systems on the bundled corpora.

    Taggers, recognisers, parsers, resolvers and classifiers are compared; no network is needed.

    Examples:
      assay demo
      assay demo --language german
      assay demo --copy here/
    """
    from assay import demo

    demo.show_examples([language] if language else demo.EXAMPLES, html, copy)
