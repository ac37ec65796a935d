"""Commands that look something up: measures, formats, tagset, weights, cite."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from assay.cli import example_help
from assay.cli.options import INPUT_FORMAT, Group, OutputPath, choice, with_options
from assay.cli.output import put

if TYPE_CHECKING:
    from assay.tasks.tags.tagsets import Tagset
    from assay.tasks.tags.weights import Made


@click.command(
    short_help="List measures and slices, or explain some.",
    epilog=example_help("assay measures", "assay measures tag-f1"),
)
@click.argument("names", nargs=-1)
def measures(names: tuple[str, ...]) -> None:
    """List measures and slices; with NAMES, their full documentation."""
    from assay.engine.measure import measures as all_measures
    from assay.engine.slices import slices
    from assay.errors import unknown

    known, cuts = all_measures(), slices()
    for name in names:
        if name not in known:
            raise unknown("measure", name, known)
        definition = known[name]
        scores = ", ".join(definition.score_names)
        click.echo(f"{name}: {definition.documentation}\nScores, the main one first: {scores}\n")
    if names:
        return
    width = max(map(len, [*known, *cuts])) + 2
    for task in dict.fromkeys(definition.task for definition in known.values()):
        click.echo(f"Measures of {task} (-m):")
        for name, definition in known.items():
            if definition.task == task:
                click.echo(f"  {name:{width}}{definition.summary}")
                click.echo(f"  {'':{width}}scores: {', '.join(definition.score_names)}")
        click.echo()
    click.echo("Slices (--slice):")
    for name, kind in cuts.items():
        click.echo(f"  {name:{width}}{kind.help}")
    click.echo("\nOne in full: assay measures tag-f1. Your own: -m mymodule:myfunction (docs/measures.md).")


_COMMON = ("conllu", "conll", "tsv", "slash", "jsonl", "brat", "brackets", "conll2012", "clusters", "ratings")
"""The formats that most files have, from tags and names to trees and chains."""


@click.command(
    short_help="List the input formats with examples.",
    epilog=example_help("assay formats", "assay formats conllu tsv"),
)
@click.argument("names", nargs=-1)
def formats(names: tuple[str, ...]) -> None:
    """List the input formats, or those of these NAMES, each with an example; what most people have comes first."""
    from assay import specs
    from assay.errors import unknown
    from assay.formats import FORMATS

    for name in names:
        if name not in FORMATS:
            raise unknown("format", name, FORMATS)
    for name in names or dict.fromkeys((*_COMMON, *FORMATS)):
        known = FORMATS[name]
        click.echo(f"{specs.spell(known.name, known.parameters)}: {known.title}")
        if known.parameter_help:
            click.echo(f"  ({known.parameter_help})")
        for line in known.example.rstrip("\n").split("\n"):
            click.echo(f"    {line.replace(chr(9), '  ')}")
        click.echo("")
    click.echo("All may be compressed (.gz, .xz), come from standard input (-), or lie in a folder or glob pattern.")
    click.echo(
        'The format is recognised by the first lines; force it with --input-format, e.g. "tsv(word=2, header=true)".'
    )


@click.group(
    short_help="Show tagsets, and check tags against one.",
    invoke_without_command=True,
    epilog=example_help(
        "assay tagset",
        "assay tagset show nkjp",
        "assay tagset check tagged.conllu --tagset nkjp --column XPOS",
    ),
)
@click.pass_context
def tagset(ctx: click.Context) -> None:
    """Tagsets: how tags split into a part of speech and categories."""
    if ctx.invoked_subcommand is None:
        _list_tagsets()


def _list_tagsets() -> None:
    from assay.tasks.tags.tagsets import built_in, find_tagset

    for name in built_in():
        tagset = find_tagset(name)
        click.echo(f"{name:10} {tagset.doc}")
    click.echo("\nOne as a file, to start your own from: assay tagset show NAME. Use it with --tagset NAME or FILE.")


@tagset.command("list")
def list_() -> None:
    """List the bundled tagsets."""
    _list_tagsets()


@tagset.command("show")
@click.argument("name")
def show_tagset(name: str) -> None:
    """Print a tagset's file."""
    from assay.errors import unknown
    from assay.tasks.tags.tagsets import built_in

    known = built_in()
    if name not in known:
        raise unknown("tagset", name, known)
    click.echo(known[name], nl=False)


@tagset.command()
@click.argument("path", type=click.Path())
@click.option("--tagset", required=True, help="A name (assay tagset) or a file.")
@click.option("--column", help="The column of the tags.")
@INPUT_FORMAT
def check(path: str, tagset: str, column: str | None, input_format: str | None) -> None:
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
    click.echo(f"{words - missed:,} of {words:,} words have a tag of {chosen.name}; {len(outside):,} outside.")


_common = with_options(
    (
        click.option("--conditional", is_flag=True, help="Weights given the part of speech, for the measure cwpa."),
        click.option("--normalise", is_flag=True, help="Scale the weights to sum 1, which changes no score."),
        click.option("-o", "--output", type=OutputPath(), help="Write to a file; else to standard output."),
    )
)
_TAGSET = "Tagset by name (nkjp, ipic, ud, …) or file."


@click.group(
    cls=Group,
    short_help="Make weights of categories.",
    epilog=example_help(
        "assay weights ambiguity lexicon.tsv --tagset nkjp -o weights.json",
        "assay weights queries log.txt --tagset nkjp --conditional",
        "assay weights show poliqarp",
    ),
)
def weights() -> None:
    """Make weights of categories: from ambiguity, from parser rules, from corpus queries; or show some."""


@weights.command(
    epilog=example_help(
        "assay weights ambiguity lexicon.tsv --tagset nkjp -o weights.json",
        "assay weights ambiguity analysed.xml --tagset nkjp --conditional --excess",
        "assay weights ambiguity train.conllu --column XPOS --tagset ud-polish",
    )
)
@click.argument("lexicon", type=click.Path())
@click.option("--tagset", required=True, help=_TAGSET)
@click.option("--column", help="LEXICON is a corpus: take the tags seen with each form in this column.")
@choice(
    "--denominator",
    "words_with_category all_words",
    "The words over which a category is averaged.",
    "words_with_category",
)
@click.option("--alternatives", metavar="SEP", help="Separator of several tags in one cell.")
@click.option("--pos-conditional", is_flag=True, help="With --conditional: average each class over its own words.")
@click.option("--excess", is_flag=True, help="Count values beyond the first: what is never ambiguous weighs 0.")
@_common
def ambiguity(
    lexicon: str, tagset: str, normalise: bool, output: str | None, conditional: bool, **options: Any
) -> None:
    """Average number of values per word of each category, and of readings per word.

    LEXICON has one reading per line (form TAB lemma TAB tag, or form TAB tag), or is a file that lists all
    readings of each word (xces, dag).
    """
    from assay.errors import UsageError
    from assay.tasks.tags.weights.ambiguity import from_file

    if options["pos_conditional"] and not conditional:
        raise UsageError("--pos-conditional is about conditional weights. Add --conditional.")
    found = _tagset(tagset)
    _deliver(lambda: from_file(lexicon, found, conditional=conditional, **options), found, normalise, output)


@weights.command(
    epilog=example_help(
        "assay weights rules parses.jsonl -o weights.json",
        "assay weights rules uses.jsonl --grammar grammar.json --tagset nkjp",
        "assay weights rules parses.jsonl --em",
        "assay weights rules uses.jsonl --grammar g.json --conditional --corpus c.conllu --column XPOS --tagset nkjp",
    )
)
@click.argument("uses", type=click.Path())
@click.option("--grammar", type=click.Path(), help="What each rule refers to (JSON), if USES gives names and words.")
@click.option("--tagset", help=_TAGSET + " Other categories are then refused.")
@click.option("--all-parses", is_flag=True, help="Count each parse fully, not by its probability.")
@click.option("--em", is_flag=True, help="Estimate the probabilities of parses by expectation maximisation over all.")
@click.option("--corpus", type=click.Path(), help="The corpus that was parsed, for the parts of speech of its words.")
@click.option("--column", help="The column of its tags.")
@_common
def rules(uses: str, tagset: str | None, normalise: bool, output: str | None, **options: Any) -> None:
    """Count how often the rules that a parser used refer to each category.

    USES is JSON Lines, one sentence per line: {"id": "s1", "rules": [["PP", [3, 4]]]} with --grammar, or with the
    terminals of each rule in full.
    """
    from assay.tasks.tags.weights.rules import from_uses

    found = _tagset(tagset) if tagset else None
    _deliver(lambda: from_uses(uses, tagset=found, **options), found, normalise, output)


@weights.command(
    epilog=example_help(
        "assay weights queries log.txt --tagset nkjp -o weights.json",
        "assay weights queries log.tsv --tagset nkjp --aliases names.tsv --unit mentions",
        "assay weights queries log.txt --tagset nkjp --corpus corpus.conllu --column XPOS",
    )
)
@click.argument("log", type=click.Path())
@click.option("--tagset", required=True, help=_TAGSET)
@click.option("--aliases", type=click.Path(), help="Other names of attributes: lines alias TAB category.")
@choice("--unit", "queries mentions", "Count a category once per query, or each mention.", "queries")
@click.option("--corpus", type=click.Path(), help="Conditional weights by the words of a corpus that queries match.")
@click.option("--column", help="The column of its tags.")
@choice(
    "--count",
    "shares words",
    "With --corpus: share a query out over the words it matches, or count each word.",
    "shares",
)
@_common
def queries(log: str, tagset: str, normalise: bool, output: str | None, **options: Any) -> None:
    """Count how often corpus queries (CQP, Poliqarp) involve each category.

    LOG has one query per line, or count TAB query.
    """
    from assay.tasks.tags.weights.queries import from_log

    found = _tagset(tagset)
    _deliver(lambda: from_log(log, found, **options), found, normalise, output)


@weights.command(
    "show", epilog=example_help("assay weights show poliqarp", "assay weights show weights.json -o table.tsv")
)
@click.argument("weights")
@click.option("-o", "--output", type=OutputPath(), help="Write to a file; else to standard output.")
def show_weights(weights: str, output: str | None) -> None:
    """Weights as a table, the heaviest category first.

    WEIGHTS is a file or a preset: equal, paper, poliqarp (the query log of Acedański & Przepiórkowski 2010, Table 1).
    """
    from assay.tasks.tags.weights import format_table, load

    put(format_table(load(weights)), output)


def _tagset(name: str) -> Tagset:
    from assay.tasks.tags.tagsets import find_tagset

    return find_tagset(name)


def _deliver(make: Callable[[], Made], tagset: Tagset | None, normalise: bool, output: str | None) -> None:
    from assay.tasks.tags.weights import check_weights, dump

    made = make()
    weights = made.weights.normalised() if normalise else made.weights
    put(dump(weights), output)
    for warning in (*made.warnings, *check_weights(weights, tagset)):
        click.echo(f"warning: {warning}", err=True)


@click.command(
    short_help="BibTeX for assay and what was used.",
    epilog=example_help("assay cite", "assay cite result.json", "assay cite accuracy shuffling"),
)
@click.argument("names", nargs=-1)
def cite(names: tuple[str, ...]) -> None:
    """BibTeX for assay and what was used: NAMES of measures and tests, or result files (JSON)."""
    from assay.result.citations import bibtex

    click.echo(bibtex(names), nl=False)
