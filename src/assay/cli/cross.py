"""assay cross."""

from __future__ import annotations

from typing import Any

import click

from assay.cli import example_help
from assay.cli.options import INPUT_FORMAT, Command, embed_option, measure_option, output_options, resampling_options
from assay.cli.output import Output, put


@click.command(
    cls=Command,
    short_help="Compare parsers of different frameworks (TedEval).",
    epilog=example_help(
        "assay cross --theory dep=gold.conllu --theory ps=gold.mrg malt@dep=malt.conllu brown@ps=brown.mrg",
        "assay cross --theory dep=gold.conllu --theory ps=gold.mrg --theory ps+dep "
        "brown@ps=brown.mrg brown@dep=brown.conllu --sizes paper",
        "assay cross enrich gold.mrg gold.conllu -o enriched.mrg",
        "assay cross generalise --theory dep=gold.conllu --theory ps=gold.mrg --theory ps+dep -o common.mrg",
    ),
)
@click.argument("systems", nargs=-1, required=True)
@click.option(
    "--theory", "theories", multiple=True, help="Gold of a framework, NAME=PATH; or A+B: A with B's functions."
)
@measure_option("Measure of a framework itself, in place of uas and las, or of parseval; repeatable.")
@click.option(
    "--sizes",
    type=click.Choice(["2.1", "2.2", "paper"]),
    default="2.1",
    show_default=True,
    help="What edits are divided by.",
)
@click.option(
    "--no-subtypes", is_flag=True, help="Relations without what follows the colon, in trees and in measures."
)
@click.option(
    "--segmentation",
    type=click.Choice(["same", "strict", "chars"]),
    default="same",
    show_default=True,
    help="Sentences cut into other words: refuse, count as wholly missing, or compare as sets of characters.",
)
@click.option(
    "--non-projective",
    type=click.Choice(["keep", "leave-out", "lift"]),
    default="keep",
    show_default=True,
    help="Sentences with gaps: score like others, leave out, or lift arcs until they are projective.",
)
@click.option("--functions", multiple=True, metavar="THEORY=FILE", help="Labels that are functions, one per line.")
@INPUT_FORMAT
@resampling_options
@output_options
@embed_option
def command(
    systems: tuple[str, ...],
    theories: tuple[str, ...],
    measures: tuple[str, ...],
    sizes: str,
    no_subtypes: bool,
    functions: tuple[str, ...],
    input_format: str | None,
    output: Output,
    embed: str | None,
    **options: Any,
) -> None:
    """Compare parsers of different frameworks through function trees, each with its own gold.

    Each system is given as NAME@THEORY=PATH; in several versions it is one row, and phrase structure without
    functions takes them from its dependencies. `assay cross enrich TREES LABELS` writes phrase structure with the
    functions of another treebank; `assay cross generalise` and `assay cross unify`, with --theory, write the function
    trees that the golds agree on, or what they say together.
    """
    if systems[0] == "enrich":
        _enrich(systems[1:], input_format, output.path, no_subtypes)
        return
    if systems[0] in ("generalise", "unify"):
        if systems[1:]:
            from assay.errors import UsageError

            raise UsageError(
                f"assay cross {systems[0]} takes golds alone: --theory dep=gold.conllu --theory ps=gold.mrg"
            )
        chosen = {name: options[name] for name in ("segmentation", "non_projective", "on_mismatch")}
        _write_gold(
            systems[0], theories, functions, output, subtypes=not no_subtypes, input_format=input_format, **chosen
        )
        return
    output.check()
    with output.progress("Comparing …"):
        from assay.tasks.cross import cross

        result = cross(
            theories,
            systems,
            measures,
            sizes=sizes,
            subtypes=not no_subtypes,
            function_labels=_labels(functions),
            input_format=input_format,
            embed=output.embed(embed),
            **options,
        )
    output.deliver(result, texts=embed is not None)


def _labels(given: tuple[str, ...]) -> dict[str, list[str]]:
    from assay.errors import UsageError
    from assay.formats.source import Source

    labels = {}
    for spec in given:
        theory, equals, path = spec.partition("=")
        if not equals:
            raise UsageError(f"--functions {spec!r} should be THEORY=FILE.")
        lines = [line.strip() for batch in Source(path).batches() for _, line in batch.lines()]
        labels[theory] = [line for line in lines if line]
    return labels


def _enrich(files: tuple[str, ...], input_format: str | None, output: str | None, no_subtypes: bool) -> None:
    from assay.errors import UsageError
    from assay.tasks.cross import enrich

    if len(files) != 2:
        raise UsageError("assay cross enrich takes two files: phrase structure, and the treebank with the functions.")
    put(enrich(files[0], files[1], input_format=input_format, subtypes=not no_subtypes), output)


def _write_gold(
    way: str, theories: tuple[str, ...], functions: tuple[str, ...], output: Output, **chosen: Any
) -> None:
    from assay.tasks.cross import common_gold

    text, warnings = common_gold(theories, way, function_labels=_labels(functions), **chosen)
    put(text, output.path)
    for line in warnings:
        output.tell(f"warning: {line}")
