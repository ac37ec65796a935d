"""Commands that look something up: measures, formats, tagset, weights, cite."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import INPUT_FORMAT, Command, Group, OutputPath, add_options, choice, option
from assay.cli.output import write_output
from assay.errors import UsageError, unknown

if TYPE_CHECKING:
    from assay.tasks.tags.weights import NewWeights


@click.command(cls=Command)
@click.argument("names", nargs=-1)
def measures_command(names: tuple[str, ...]) -> None:
    """List measures and slices, or explain some.

    With NAMES, the full documentation of these.

    Examples:
      assay measures
      assay measures tag-f1
    """
    from assay import plugins
    from assay.engine.measure import USUAL, measure_of, measures
    from assay.engine.slices import slices

    known = measures() | {name: measure_of(part, name) for name, part in plugins.load_all("measures").items()}
    cuts = slices() | plugins.load_all("slices")
    for name in names:
        if name not in known:
            raise unknown("measure", name, known, USUAL, "assay measures")
        measure = known[name]
        scores = ", ".join(measure.score_names)
        click.echo(f"{name}: {measure.documentation}\nScores, the main one first: {scores}\n")
    if names:
        return
    width = max(map(len, [*known, *cuts])) + 2
    for task in dict.fromkeys(measure.task for measure in known.values()):
        click.echo(f"Measures of {task} (-m):")
        for name, measure in known.items():
            if measure.task == task:
                summary = measure.documentation.partition("\n")[0]
                click.echo(f"  {name:{width}}{summary}")
                click.echo(f"  {'':{width}}scores: {', '.join(measure.score_names)}")
        click.echo()
    click.echo("Slices (--slice):")
    for name, kind in cuts.items():
        click.echo(f"  {name:{width}}{kind.help}")
    click.echo("\nTo explain one: assay measures tag-f1. To use your own: -m mymodule:myfunction (docs/measures.md).")


_COMMON = ("conllu", "conll", "tsv", "slash", "jsonl", "brat", "brackets", "conll2012", "clusters", "ratings")
"""The formats that most files have, from tags and names to trees and chains."""


@click.command(cls=Command)
@click.argument("names", metavar="[NAMES|FILES]...", nargs=-1)
@INPUT_FORMAT
@choice("--repair", "mend drop", "Do not list the faults that this option would repair.")
@choice("--format", "text json", "Output format of the description of FILES.", "text")
def formats_command(names: tuple[str, ...], input_format: str | None, repair: str | None, format: str) -> None:
    """List the input formats with examples, or show what files contain.

    With NAMES, only these formats are listed. Other arguments are files or folders: assay shows their format, layers
    with labels, annotators and models, documents that are skipped or not annotated, metadata and faults.

    Examples:
      assay formats
      assay formats conllu tsv
      assay formats export.json
      assay formats export.json --format json
    """
    from assay import plugins, specs
    from assay.formats import FORMATS, named_format

    files = [name for name in names if name not in FORMATS and not plugins.load("formats", name)]
    if files and len(files) < len(names):
        raise UsageError(f"{files[0]} is a file and {next(name for name in names if name not in files)} a format.")
    if files:
        _describe_files(files, input_format, repair, format)
        return
    for known in [*map(named_format, names or dict.fromkeys((*_COMMON, *FORMATS, *plugins.load_all("formats"))))]:
        click.echo(f"{specs.spell(known.name, known.parameters)}: {known.title}")
        if known.help:
            click.echo(f"  ({known.help})")
        for line in known.example.rstrip("\n").split("\n"):
            click.echo(f"    {line.replace(chr(9), '  ')}")
        click.echo("")
    click.echo("Files can be compressed (.gz, .xz), come from standard input (-), or be given as a folder or a glob "
    "pattern.")
    click.echo(
        'assay recognises the format from the first lines; to set it: --input-format, e.g. "tsv(word=2, '
        'header=true)".'
    )


def _describe_files(files: Sequence[str], input_format: str | None, repair: str | None, form: str) -> None:
    """Say what files contain."""
    from assay.formats import named_format
    from assay.formats.contents import describe
    from assay.result.encoding import dumps, to_plain

    for path in files:
        if not os.path.exists(path) and path.isidentifier():
            named_format(path)
        contents = describe(path, input_format=input_format, repair=repair)
        click.echo(dumps(to_plain(contents)) if form == "json" else "\n".join(contents.lines()))


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def tagset_command(ctx: click.Context) -> None:
    """Show tagsets, and check tags against one.

    A tagset says how tags split into a part of speech and categories.

    Examples:
      assay tagset
      assay tagset show nkjp
      assay tagset check tagged.conllu --tagset nkjp --column XPOS
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_tagsets)


@tagset_command.command("list")
def list_tagsets() -> None:
    """List the bundled tagsets."""
    from assay.tasks.tags.tagsets import find_tagset, read_bundled

    for name in read_bundled():
        click.echo(f"{name:10} {find_tagset(name).doc}")
    click.echo("\nTo start your own from one of these: assay tagset show NAME. To use one: --tagset NAME or FILE.")


@tagset_command.command("show")
@click.argument("name")
def show_tagset(name: str) -> None:
    """Print the file of a tagset."""
    from assay.tasks.tags.tagsets import read_bundled

    known = read_bundled()
    if name not in known:
        raise unknown("tagset", name, known)
    click.echo(known[name], nl=False)


@tagset_command.command("check")
@click.argument("path", type=click.Path())
@option("--tagset", "Tagset by name (assay tagset) or file.", required=True)
@option("--column", "Column of the tags.")
@INPUT_FORMAT
def check_tags(path: str, tagset: str, column: str | None, input_format: str | None) -> None:
    """List the tags of a file that the tagset does not know, and what the tagset's own file leaves open."""
    from assay.tasks.tags.prepare import tags_outside
    from assay.tasks.tags.tagsets import ambiguous_tags, find_tagset

    chosen = find_tagset(tagset)
    for text in ambiguous_tags(chosen):
        click.echo(f"warning: {text}", err=True)
    words, outside = tags_outside(path, chosen, column, input_format)
    for label, count, place, near in outside:
        click.echo(f"{label}\t{count}\t{place}\t{near}")
    missed = sum(count for _, count, _, _ in outside)
    other = "1 tag is" if len(outside) == 1 else f"{len(outside):,} tags are"
    click.echo(f"{words - missed:,} of {words:,} words have a tag of {chosen.name}; {other} outside the tagset.")


_TAGSET = "Tagset by name (nkjp, ipic, ud, …) or file."
WRITTEN = option("-o --output", "Write to this file. Default: standard output.", type=OutputPath())
_WEIGHTS = add_options(
    option("--conditional", "Weights conditional on the part of speech, for the measure cwpa.", is_flag=True),
    option("--normalise", "Scale the weights to a sum of 1; no score changes.", is_flag=True),
    WRITTEN,
)


@click.group(cls=Group)
def weights_command() -> None:
    """Make weights of categories, or show some.

    Weights come from ambiguity, from rules of a parser, or from corpus queries.

    Examples:
      assay weights ambiguity lexicon.tsv --tagset nkjp -o weights.json
      assay weights queries log.txt --tagset nkjp --conditional
      assay weights show poliqarp
    """


@weights_command.command("ambiguity")
@click.argument("lexicon", type=click.Path())
@option("--tagset", _TAGSET, required=True)
@option("--column", "LEXICON is a corpus: use the tags of each form in this column.")
@choice("--denominator", "words_with_category all_words", "Words over which a category is averaged.",
        "words_with_category")
@option("--alternatives", "Separator of several tags in one cell.", metavar="SEP")
@option("--pos-conditional", "With --conditional: average each class over its own words.", is_flag=True)
@option("--excess", "Count only values beyond the first, so categories that are never ambiguous weigh "
"0.", is_flag=True)
@_WEIGHTS
def weigh_ambiguity(
    lexicon: str, tagset: str, normalise: bool, output: str | None, conditional: bool, **options: Any
) -> None:
    """Average number of values per word of each category, and of readings per word.

    LEXICON has one reading per line (form TAB lemma TAB tag, or form TAB tag), or is a file that lists all
    readings of each word (xces, dag).

    Examples:
      assay weights ambiguity lexicon.tsv --tagset nkjp -o weights.json
      assay weights ambiguity analysed.xml --tagset nkjp --conditional --excess
      assay weights ambiguity train.conllu --column XPOS --tagset ud-polish
    """
    from assay.tasks.tags.weights.ambiguity import from_file

    if options["pos_conditional"] and not conditional:
        raise UsageError("--pos-conditional needs conditional weights. Add --conditional.")
    options["conditional"] = conditional
    _write_weights(lambda tags: from_file(lexicon, tags, **options), tagset, normalise, output)


@weights_command.command("rules")
@click.argument("uses", type=click.Path())
@option("--grammar", "File that lists what each rule refers to (JSON), if USES gives only names and "
"words.", type=click.Path())
@option("--tagset", f"{_TAGSET} Other categories are an error.")
@option("--all-parses", "Count each parse fully, not by its probability.", is_flag=True)
@option("--em", "Estimate the probabilities of parses by expectation maximisation over all.", is_flag=True)
@option("--corpus", "The corpus that was parsed, for the parts of speech of its words.", type=click.Path())
@option("--column", "Column of its tags.")
@_WEIGHTS
def weigh_rules(uses: str, tagset: str | None, normalise: bool, output: str | None, **options: Any) -> None:
    """Count how often the rules that a parser used refer to each category.

    USES is JSON Lines, one sentence per line: {"id": "s1", "rules": [["PP", [3, 4]]]} with --grammar, or with the
    terminals of each rule in full.

    Examples:
      assay weights rules parses.jsonl -o weights.json
      assay weights rules uses.jsonl --grammar grammar.json --tagset nkjp
      assay weights rules parses.jsonl --em
      assay weights rules uses.jsonl --grammar g.json --conditional --corpus c.conllu --column XPOS --tagset nkjp
    """
    from assay.tasks.tags.weights.rules import from_uses

    _write_weights(lambda tags: from_uses(uses, tagset=tags, **options), tagset, normalise, output)


@weights_command.command("queries")
@click.argument("log", type=click.Path())
@option("--tagset", _TAGSET, required=True)
@option("--aliases", "File with other names of attributes, one per line: alias TAB category.", type=click.Path())
@choice("--unit", "queries mentions", "Count a category once per query, or each mention.", "queries")
@option("--corpus", "Compute conditional weights from the words of a corpus that queries match.", type=click.Path())
@option("--column", "Column of its tags.")
@choice("--count", "shares words", "With --corpus: divide a query among the words it matches (shares), or count each "
"word (words).",
        "shares")
@_WEIGHTS
def weigh_queries(log: str, tagset: str, normalise: bool, output: str | None, **options: Any) -> None:
    """Count how often corpus queries (CQP, Poliqarp) involve each category.

    LOG has one query per line, or count TAB query.

    Examples:
      assay weights queries log.txt --tagset nkjp -o weights.json
      assay weights queries log.tsv --tagset nkjp --aliases names.tsv --unit mentions
      assay weights queries log.txt --tagset nkjp --corpus corpus.conllu --column XPOS
    """
    from assay.tasks.tags.weights.queries import from_log

    _write_weights(lambda tags: from_log(log, tags, **options), tagset, normalise, output)


@weights_command.command("show")
@click.argument("weights")
@WRITTEN
def show_weights(weights: str, output: str | None) -> None:
    """Weights as a table, the heaviest category first.

    WEIGHTS is a file or a preset: equal, paper, poliqarp (the query log of Acedański & Przepiórkowski 2010, Table 1).

    Examples:
      assay weights show poliqarp
      assay weights show weights.json -o table.tsv
    """
    from assay.tasks.tags.weights import format_weights, load_weights

    write_output(format_weights(load_weights(weights)), output)


def _write_weights(
    make: Callable[[Any], NewWeights], tagset: str | None, normalise: bool, output: str | None
) -> None:
    from assay.tasks.tags.tagsets import find_tagset
    from assay.tasks.tags.weights import check_weights, dump_weights

    chosen = find_tagset(tagset) if tagset else None
    made = make(chosen)
    weights = made.weights.normalised() if normalise else made.weights
    write_output(dump_weights(weights), output)
    for warning in (*made.warnings, *check_weights(weights, chosen)):
        click.echo(f"warning: {warning}", err=True)


@click.command(cls=Command)
@click.argument("names", nargs=-1)
def cite_command(names: tuple[str, ...]) -> None:
    """Print BibTeX for assay, measures and tests.

    NAMES are measures and tests, or result files (JSON).

    Examples:
      assay cite
      assay cite result.json
      assay cite accuracy shuffling
    """
    from assay.result.citations import bibtex

    click.echo(bibtex(names), nl=False)
