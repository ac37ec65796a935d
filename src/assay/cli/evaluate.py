"""Commands that evaluate: score, compare, agreement, cross."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import example_help
from assay.cli.options import (
    DATA,
    FILES,
    INPUT_FORMAT,
    POWER,
    HelpCommand,
    OutputPath,
    choice,
    embed_option,
    evaluation,
    gate_options,
    measure_option,
    output_options,
    resampling_options,
    shard_options,
    test_options,
)
from assay.cli.output import Output, check_stdin, deliver, gates_of, put
from assay.files import write

if TYPE_CHECKING:
    from assay.engine.run import Step


@click.command(
    cls=HelpCommand,
    short_help="Score systems against gold, with intervals.",
    epilog=example_help(
        "assay score gold.conllu system.conllu",
        "assay score gold.conllu a.conllu b=run2/out.conllu --column XPOS -m tag-f1",
        "assay score gold.tsv - --column 3 --format json < system.tsv",
        "assay score gold/ system/ --slice sentence-length --unit document",
        "assay score gold/ system/ --jobs 8",
        "assay score gold.conllu a.conllu --fail-under accuracy=0.8",
        "assay score gold.conllu a.conllu --fail-if-worse result.json",
    ),
)
@FILES
@DATA
@evaluation
@gate_options
@shard_options
@embed_option
def score(**given: Any) -> int:
    """Score systems against GOLD, every score with its 95% interval.

    GOLD and each system are a file, a folder, a glob pattern or - (standard input), also compressed; a system
    may be given a name, NAME=PATH, and several runs of a system are NAME=RUN1,RUN2,… or a pattern behind NAME=.
    """
    return _evaluate("score", **given)


@click.command(
    cls=HelpCommand,
    short_help="Compare systems: which is better, how sure, what changed.",
    epilog=example_help(
        "assay compare gold.conllu a.conllu b.conllu",
        "assay compare gold.conllu old=a.conllu new=b.conllu --html report.html",
        "assay compare gold.conllu a.conllu b.conllu --examples 5 --kind new-error",
        "assay compare gold.conllu *.out.conllu --train train.conllu --slice seen",
        "assay compare gold.conllu a.conllu b.conllu --table scores -o table.tex",
        "assay compare --data 'gold/{data}.conllu' a='a/{data}.conllu' b='b/{data}.conllu'",
        "assay compare gold.conllu a.conllu b.conllu --figures figures/",
    ),
)
@FILES
@DATA
@evaluation
@click.option(
    "--label-order",
    type=click.Choice(["effect", "difference", "frequency", "name"]),
    default="effect",
    help="Order of labels: by items won or lost (effect), size of the difference, frequency, or name.",
)
@test_options
@gate_options
@shard_options
@embed_option
def compare(**given: Any) -> int:
    """Compare two or more systems: which is better, how sure, and what changed.

    GOLD and each system are a file, a folder, a glob pattern or - (standard input), also compressed; a system
    may be given a name, NAME=PATH, and several runs of a system are NAME=RUN1,RUN2,… or a pattern behind NAME=.
    Differences are the second system's minus the first's.
    """
    return _evaluate("compare", **given)


def _evaluate(
    verb: str,
    files: tuple[str, ...],
    data: tuple[str, ...],
    measures: tuple[str, ...],
    output: Output,
    **options: Any,
) -> int:
    """Score or compare, on one data set or several, or write a part; the code that the command exits with."""
    from assay.errors import UsageError

    if not data and len(files) < 2:
        missing = "SYSTEMS..." if files else "GOLD"
        raise click.UsageError(f"Missing argument {missing!r}.", click.get_current_context())
    few = "compare takes gold and at least two systems. For one system: assay score"
    if verb == "compare" and not data and len(files) < 3:
        raise UsageError(few)
    check_stdin(*files)
    for spec in measures:
        names = spec.partition("(")[0].split(",")
        if len(names) > 1:
            raise UsageError(f"-m {spec}: one measure at a time, e.g. -m {names[0]} -m {names[1].strip()}")
    output.check(sets=bool(data))
    gates = gates_of(options.pop("fail_under"), options.pop("fail_if_worse"), options.pop("tolerance"))
    asked = options.pop("embed")
    partial, share = options.pop("partial"), options.pop("shard")
    if share is not None and partial is None:
        raise UsageError("--shard is for parts. Say where this one goes, e.g.: --partial part-3.json")
    if partial is not None and (output.form or output.path or output.html or output.figures or gates):
        raise UsageError("--partial writes a part and nothing else. Tables, pages, figures and gates: assay merge")
    text = {"score": "Scoring …", "compare": "Comparing …"}[verb]
    with output.progress(text) as status:

        def tell(done: str) -> None:
            if status:
                status.update(f"{text} {done}")

        jobs, cluster = options.pop("jobs"), options.pop("cluster")
        options["embed"] = output.embed(asked)
        if data:
            from assay.scale.run import score
            from assay.scale.sets import compare_one, data_sets, evaluate_sets

            if partial is not None or cluster is not None or (gates and gates.baseline):
                wrong = "--partial" if partial else "--cluster" if cluster else "--fail-if-worse"
                raise UsageError(f"{wrong} is for one data set at a time, without --data.")
            golds, systems = data_sets(data, files)
            if verb == "compare" and len(systems) < 2:
                raise UsageError(few)
            options["measures"] = measures or None
            results = evaluate_sets(
                golds,
                systems,
                {"score": score, "compare": compare_one}[verb],
                options,
                jobs=jobs,
                report=lambda done, total: tell(f"{done} of {total} data sets"),
            )
        else:
            from assay.engine.options import Options
            from assay.scale.run import evaluate, part_of

            def report(step: Step) -> None:
                minutes, seconds = divmod(round(step.left), 60)
                speed = step.tokens / step.seconds if step.seconds else 0
                tell(f"{step.done:,} of {step.total:,} shards, {speed:,.0f} tokens/s, {minutes}:{seconds:02} left")

            chosen = (verb, files[0], files[1:], measures or None, Options(**options))
            workers = {"report": report, "jobs": jobs, "cluster": cluster}
            if partial is not None:
                from assay.scale.partfiles import to_json

                write(partial, to_json(part_of(*chosen, share or "1/1", **workers)))
                output.tell(f"written: {partial}")
                return 0
            result = evaluate(*chosen, **workers)
    return deliver(results if data else result, gates, output, texts=asked is not None)


@click.command(
    cls=HelpCommand,
    short_help="Measure the agreement of annotators, none of them gold.",
    epilog=example_help(
        "assay agreement anna.conll ben.conll",
        "assay agreement anna/ ben/ carl/ --input-format brat",
        "assay agreement a=anna.conllu b=ben.conllu --column XPOS --task tags",
        'assay agreement ratings.csv -m alpha -m "alpha(level=ordinal)" -m fleiss',
        "assay agreement wide.csv --column anna --column ben",
        'assay agreement humans.json --system gpt=gpt.json -m alt-test',
    ),
)
@click.argument("annotators", nargs=-1, required=True, type=click.Path())
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME=PATH",
    help="A system to be judged against the annotators; never part of their agreement. Repeatable.",
)
@click.option(
    "--against",
    multiple=True,
    type=click.Choice(["each", "majority", "any", "leave-one-out"]),
    help="How systems are compared with several annotators; all four unless said. Repeatable.",
)
@click.option("--items", type=OutputPath(), help="Write all items as TSV: ratings, disagreement, majority.")
@evaluation
@gate_options
def agreement(
    annotators: tuple[str, ...],
    measures: tuple[str, ...],
    output: Output,
    items: str | None,
    **options: Any,
) -> int:
    """Measure the agreement of two or more annotators; none of them is gold, so no figure depends on their order.

    ANNOTATORS are a file or folder each, or one table of ratings for all: CSV, TSV or JSON, long or wide (assay
    formats). Columns of a wide table that share their labels are annotators; --column names them, once for each.
    Labels: kappa of pairs, alpha, Fleiss's kappa and AC1 of all; who differs, and on which labels and items. Spans:
    F1 of exact matches and of the fair matching made both ways, with its types of differences, kappa and alpha for
    the labels of spans that both have, and for words; alpha-u and gamma on demand.
    """
    check_stdin(*annotators)
    output.check()
    gates = gates_of(options.pop("fail_under"), options.pop("fail_if_worse"), options.pop("tolerance"))
    with output.progress("Comparing …"):
        from assay.engine.agreement import agreement as compare_annotators

        result = compare_annotators(annotators, measures or None, items=items is not None, **options)
    code = deliver(result, gates, output, texts=True)
    if items is not None:
        from assay.render.formats import items_table

        write(items, items_table(result))
        output.tell(f"written: {items}")
    return code


@click.command(
    cls=HelpCommand,
    short_help="Compare parsers of different frameworks (TedEval).",
    epilog=example_help(
        "assay cross --theory dep=gold.conllu --theory ps=gold.mrg malt@dep=malt.conllu brown@ps=brown.mrg",
        "assay cross --theory dep=gold.conllu --theory ps=gold.mrg --theory ps+dep "
        "brown@ps=brown.mrg brown@dep=brown.conllu --sizes paper",
        "assay cross enrich gold.mrg gold.conllu -o enriched.mrg",
        "assay cross generalise --theory dep=gold.conllu --theory ps=gold.mrg --theory ps+dep -o common.mrg",
    ),
)
@click.argument("systems", nargs=-1)
@click.option(
    "--data",
    multiple=True,
    metavar="NAME",
    help="One of several data sets, repeatable; or a pattern that finds them, 'gold/{data}.conllu', or a TOML file. "
    "{data} in other paths is filled in with their names.",
)
@click.option(
    "--theory", "theories", multiple=True, help="Gold of a framework, NAME=PATH; or A+B: A with B's functions."
)
@measure_option("Measure of a framework itself, in place of uas and las, or of parseval; repeatable.")
@choice("--sizes", "2.1 2.2 paper", "The size by which edits are divided.", "2.1")
@click.option(
    "--no-subtypes", is_flag=True, help="Relations without what follows the colon, in trees and in measures."
)
@choice(
    "--segmentation",
    "same strict chars",
    "Sentences cut into other words: refuse, count as wholly missing, or compare as sets of characters.",
    "same",
)
@choice(
    "--non-projective",
    "keep leave-out lift",
    "Sentences with gaps: score like others, leave out, or lift arcs until they are projective.",
    "keep",
)
@click.option("--functions", multiple=True, metavar="THEORY=FILE", help="Labels that are functions, one per line.")
@click.option(
    "--map", type=click.Path(), help="Mapping file: functions to be replaced by others; a side may be a theory."
)
@INPUT_FORMAT
@resampling_options
@POWER
@output_options
@embed_option
def cross(
    systems: tuple[str, ...],
    data: tuple[str, ...],
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
    from assay.errors import UsageError

    common: dict[str, Any] = {"subtypes": not no_subtypes, "input_format": input_format}
    if not systems and not data:
        raise click.UsageError("Missing argument 'SYSTEMS...'.", click.get_current_context())
    if systems[:1] == ("enrich",):
        from assay.tasks.cross.written import enrich

        if len(systems) != 3:
            raise UsageError(
                "assay cross enrich takes two files: phrase structure, and the treebank with the functions."
            )
        put(enrich(systems[1], systems[2], **common), output.path)
        return
    if systems[:1] in (("generalise",), ("unify",)):
        from assay.tasks.cross.written import common_gold

        if systems[1:]:
            raise UsageError(
                f"assay cross {systems[0]} takes golds alone: --theory dep=gold.conllu --theory ps=gold.mrg"
            )
        chosen = {name: options[name] for name in ("segmentation", "non_projective", "map", "on_mismatch")}
        text, warnings = common_gold(theories, systems[0], function_labels=_labels(functions), **common, **chosen)
        put(text, output.path)
        for line in warnings:
            output.tell(f"warning: {line}")
        return
    output.check(sets=bool(data))
    with output.progress("Comparing …"):
        from assay.tasks.cross.compare import cross as compare_frameworks

        labels = _labels(functions)
        chosen = {**options, **common, "sizes": sizes, "embed": output.embed(embed)}
        chosen |= {"measures": measures, "function_labels": labels}
        if data:
            from assay.scale.sets import data_sets, evaluate_sets

            results = evaluate_sets(*data_sets(data, systems, theories), compare_frameworks, chosen)
        else:
            result = compare_frameworks(theories, systems, **chosen)
    output.deliver(results if data else result, texts=embed is not None)


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
