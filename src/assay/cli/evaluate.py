"""Commands that evaluate: score, compare, plan, agreement, cross."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import (
    Command,
    Function,
    OutputPath,
    add_options,
    data_option,
    gate_options,
    keyword_options,
    measure_option,
    option,
    output_options,
    paper_option,
    shard_options,
)
from assay.cli.output import Output, check_stdin, write_output
from assay.errors import UsageError
from assay.files import write
from assay.keywords import (
    BREAKDOWN,
    COMPARED,
    GATES,
    NOT_PLANNED,
    TESTS,
    AgreementKeywords,
    CompareKeywords,
    CrossKeywords,
    ScoreKeywords,
)

if TYPE_CHECKING:
    from assay.engine.run import ShardProgress
    from assay.result import Result, Results
    from assay.result.gates import Gates

MEASURE = measure_option('Measure, e.g. accuracy or "tag-f1(column=XPOS)" (assay measures). Repeatable.')
SYSTEM = option(
    "--system systems", "System to compare with the annotators; it never counts in their agreement. Repeatable.",
    COMPARED, multiple=True, metavar="NAME=PATH")


def _evaluation_options(keywords: Any) -> Callable[[Function], Function]:
    """A decorator that adds the files and options of score or compare, which have these keywords."""
    files = click.argument("files", nargs=-1, type=click.Path(), metavar="GOLD SYSTEMS...")
    declared = (data_option("NAME=GOLD"), MEASURE, keyword_options(keywords))
    return add_options(files, *declared, paper_option, output_options, gate_options, shard_options)


@click.command(cls=Command)
@_evaluation_options(ScoreKeywords)
def score_command(**given: Any) -> int:
    """Score systems against gold, with intervals.

    GOLD and each system are a file, a folder, a glob pattern or - (standard input), also compressed. NAME=PATH gives
    a system a name; NAME=RUN1,RUN2,… or a pattern after NAME= gives several runs of it.

    Examples:
      assay score gold.conllu system.conllu
      assay score gold.conllu a.conllu b=run2/out.conllu --column XPOS -m tag-f1
      assay score gold.tsv - --column 3 --format json < system.tsv
      assay score gold/ system/ --slice sentence-length --unit document
      assay score gold/ system/ --jobs 8
      assay score gold.conllu a.conllu --fail-under accuracy=0.8
      assay score gold.conllu a.conllu --fail-if-worse result.json
      assay score human.csv system.csv --judge judge.csv
    """
    return _evaluate("score", **given)


@click.command(cls=Command)
@option("--fail-unless", "Exit with 1 unless the comparison of the last system with the first (with --baseline: of "
        "each system with it) shows one of these: better, more-than-margin, equivalent, not-worse, identical. All "
        "but better and identical need --margin. Separate several by commas.", GATES, metavar="KINDS")
@option("--fail-if-breaks", "Exit with 1 if the second system (with --baseline: any other) breaks more than this "
"share of what the first has right with a probability above .05; with --data, this applies to a new data set.", GATES,
        metavar="X")
@option("--items", "Write the documents in which systems differ (with --kind, only those changes), as Label Studio "
"tasks (.json), Prodigy rows (.jsonl) or brat folders (/).", BREAKDOWN, type=OutputPath())
@_evaluation_options(CompareKeywords)
def compare_command(**given: Any) -> int:
    """Compare systems: which is better, how sure, what changed.

    GOLD and each system are a file, a folder, a glob pattern or - (standard input), also compressed. NAME=PATH gives
    a system a name; NAME=RUN1,RUN2,… or a pattern after NAME= gives several runs of it. A difference is the second
    system's score minus the first's.

    Examples:
      assay compare gold.conllu a.conllu b.conllu
      assay compare gold.conllu old=a.conllu new=b.conllu --html report.html
      assay compare gold.conllu a.conllu b.conllu --examples 5 --kind new-error
      assay compare gold.conllu *.out.conllu --train train.conllu --slice seen
      assay compare gold.conllu a.conllu b.conllu --table scores -o table.tex
      assay compare --data 'gold/{data}.conllu' a='a/{data}.conllu' b='b/{data}.conllu'
      assay compare gold.conllu a.conllu b.conllu --paper paper/
      assay compare gold.conllu old=a.conllu new=b.conllu --margin 0.5pt --fail-unless not-worse
    """
    return _evaluate("compare", **given)


@click.command(cls=Command)
@click.argument("files", nargs=-1, type=click.Path(), metavar="GOLD SYSTEMS...")
@MEASURE
@SYSTEM
@option("--margin", "True difference to plan for, as a fraction (0.005) or in points (0.5pt). Repeatable. Default: "
        "0.5, 1, 2 and 5 points, and the observed difference.", TESTS, multiple=True, metavar="[MEASURE=]D")
@option("--power", "Probability with which the test should find the difference.", TESTS, type=float, default=0.8,
        show_default=True, metavar="X")
@keyword_options(CompareKeywords, (*NOT_PLANNED, "margin", "power"))
@output_options
def plan_command(
    files: tuple[str, ...], measures: tuple[str, ...], systems: tuple[str, ...], output: Output, **options: Any
) -> int:
    """Plan a test set: how many sentences would show a difference.

    GOLD and SYSTEMS are a pilot, given as for compare. The plan assumes that new sentences (or other units: --unit)
    are like those of the pilot. With several runs of a system (NAME=RUN1,RUN2,…), it shows which differences more
    sentences and more runs would find. With --system, the files are annotators, given as for agreement: the plan
    shows which differences from the human ceiling more items would find.

    Examples:
      assay plan gold.conllu a.conllu b.conllu
      assay plan gold.conllu a.conllu b.conllu -m accuracy --margin 1pt --power 0.9
      assay plan gold.conllu old=one.out.conllu,a.conllu new=two.out.conllu,b.conllu -m accuracy
      assay plan humans.json --system gpt=gpt.json
    """
    if systems and not files:
        raise UsageError("plan --system takes annotators: a file each, or one table of ratings for all.")
    if not systems and len(files) < 3:
        raise UsageError("plan takes gold and at least two systems: assay plan gold.conllu a.conllu b.conllu")
    check_stdin(*files)
    output.check()
    with output.progress("Planning …"):
        from assay.scale.run import plan

        sides: dict[str, Any] = {"annotators": files, "systems": systems}
        if not systems:
            sides = {"gold": files[0], "systems": files[1:]}
        result = plan(**sides, measures=measures or None, **options)
    return output.deliver(result)


def _evaluate(
    verb: str,
    files: tuple[str, ...],
    data: tuple[str, ...],
    measures: tuple[str, ...],
    output: Output,
    gates: Gates | None,
    jobs: int,
    cluster: str | None,
    partial: str | None,
    shard: str | None,
    items: str | None = None,
    **options: Any,
) -> int:
    """Score or compare, on one data set or several, or write a part; the code that the command exits with."""
    few = f"compare takes gold and at least two systems. For one system: assay score {' '.join(files)}"
    if not data and len(files) < {"score": 2, "compare": 3}[verb] and not _contains_gold(files, measures, options):
        if len(files) < 2:
            missing = "SYSTEMS..." if files else "GOLD"
            raise click.UsageError(f"Missing argument {missing!r}.", click.get_current_context())
        raise UsageError(few)
    check_stdin(*files)
    for spec in measures:
        names = spec.partition("(")[0].replace(",", " ").split()
        if len(names) > 1:
            raise UsageError(f"-m {spec}: one measure at a time, e.g. -m {names[0]} -m {names[1]}")
    output.check(sets=bool(data))
    if shard is not None and partial is None:
        raise UsageError("--shard needs a file for the part, e.g.: --partial part-3.json")
    if partial is not None and (output.form or output.path or output.html or output.figures or output.paper or gates):
        raise UsageError("--partial writes only a part. For tables, pages, figures and gates: assay merge")
    if options.get("combined") and (partial is not None or data):
        raise UsageError(f"--combined works on one whole data set. Remove {'--data' if data else '--partial'}.")
    options["embed"] = output.embed(options["embed"])
    text = {"score": "Scoring …", "compare": "Comparing …"}[verb]
    with output.progress(text) as status:

        def tell(done: str) -> None:
            if status:
                status.update(f"{text} {done}")

        if data:
            from assay.scale.run import score
            from assay.scale.sets import compare_one, evaluate_sets, name_data_sets

            one_set = options["choose"] or options["judge"] or items
            if partial is not None or cluster is not None or (gates and gates.baseline) or one_set:
                wrong = "--partial" if partial else "--cluster" if cluster else "--fail-if-worse"
                wrong = "--choose" if options["choose"] else "--items" if items else wrong
                wrong = "--judge" if options["judge"] else wrong
                raise UsageError(f"{wrong} works on one data set at a time. Remove --data.")
            golds, systems = name_data_sets(data, files)
            if verb == "compare" and len(systems) < 2:
                raise UsageError(few)
            function: Callable[..., Result] = score if verb == "score" else compare_one
            result: Result | Results = evaluate_sets(
                *(golds, systems, function),
                {**options, "measures": measures or None},
                jobs=jobs,
                report=lambda done, total: tell(f"{done} of {total} data sets"),
            )
        else:
            from assay.engine.options import Options
            from assay.scale.run import evaluate, part_of

            def report(step: ShardProgress | str) -> None:
                if isinstance(step, str):
                    return tell(step)
                minutes, seconds = divmod(round(step.left), 60)
                speed = step.tokens / step.seconds if step.seconds else 0
                tell(f"{step.done:,} of {step.total:,} shards, {speed:,.0f} tokens/s, {minutes}:{seconds:02} left")
                return None

            line = ""
            if items is not None:
                from assay.engine.adjudication import write_system_differences

                line = write_system_differences(files[0], files[1:], measures, options, items)
                # It chooses among examples too, if there are any.
                options["kind"] = options["kind"] if options["examples"] else None
            chosen = (verb, files[0], files[1:], measures or None, Options(**options))
            workers: dict[str, Any] = {"report": report, "jobs": jobs, "cluster": cluster}
            if partial is not None:
                from assay.scale.partfiles import to_json

                write(partial, to_json(part_of(*chosen, shard or "1/1", **workers)))
                output.tell(f"written: {partial}")
                return 0
            result = evaluate(*chosen, **workers)
            result = replace(result, notes=(*result.notes, line)) if line else result
            if options.get("combined"):
                output.tell(f"written: {options['combined']}")
            if options["choose"]:
                from assay.engine.confidences import write_thresholds

                write_output(write_thresholds(result, options["choose"]), output.path)
                output.tell(f"written: {output.path}" if output.path else "note: into a file: -o chosen.json")
                return 0
    return output.deliver(result, gates)


def _contains_gold(files: tuple[str, ...], measures: tuple[str, ...], options: dict[str, Any]) -> bool:
    """True if the first file may have gold and systems, or if no gold is needed."""
    if not any(Path(path.partition("=")[2] or path).is_file() for path in files[:1]):
        return False
    from assay.engine.options import Options
    from assay.engine.sides import contains_gold, list_means

    return list_means(measures) is not None or contains_gold(files[0], Options(**options))


@click.command(cls=Command)
@click.argument("annotators", nargs=-1, required=True, type=click.Path())
@MEASURE
@SYSTEM
@option("--against", "How to compare systems with several annotators. Default: all four ways. Repeatable.",
        COMPARED, multiple=True, type=click.Choice(["each", "majority", "any", "leave-one-out"]))
@option("--items", "Write all items as TSV: ratings, disagreement, majority. With the ending .json, .jsonl or /, "
"write the documents with differences as Label Studio tasks, Prodigy rows or brat folders.", BREAKDOWN,
        type=OutputPath())
@keyword_options(AgreementKeywords)
@output_options
@gate_options
def agreement_command(
    annotators: tuple[str, ...],
    measures: tuple[str, ...],
    output: Output,
    gates: Gates | None,
    items: str | None,
    **options: Any,
) -> int:
    """Measure the agreement of annotators, none of them gold.

    ANNOTATORS are a file or folder each, one export of all of them (--which names some), or one table of ratings for
    all: CSV, TSV or JSON, long or wide (assay formats). Columns of a wide table that share their labels are
    annotators; --column names them, once for each. Labels: kappa of pairs, alpha, Fleiss's kappa and AC1 of all;
    who differs, and on which labels and items. Spans: F1 of exact matches and of the fair matching made both
    ways, with its types of differences, kappa and alpha for the labels of spans that both have, and for words;
    alpha-u and gamma on demand. No score depends on the order of annotators.

    Examples:
      assay agreement anna.conll ben.conll
      assay agreement anna/ ben/ carl/ --input-format brat
      assay agreement a=anna.conllu b=ben.conllu --column XPOS --task tags
      assay agreement export.json --missing absent
      assay agreement ratings.csv -m alpha -m "alpha(level=ordinal)" -m fleiss
      assay agreement wide.csv --column anna --column ben
      assay agreement humans.json --system gpt=gpt.json -m alt-test
    """
    check_stdin(*annotators)
    output.check()
    options["embed"] = output.embed(options["embed"])
    with output.progress("Comparing …"):
        from assay.engine.agreement import agreement

        result = agreement(annotators, measures or None, items=items or False, **options)
    code = output.deliver(result, gates)
    if items is not None:
        from assay.engine.adjudication import is_adjudication
        from assay.render.formats import items_table

        if not is_adjudication(items):
            write(items, items_table(result))
        output.tell(f"written: {items}")
    return code


@click.command(cls=Command)
@click.argument("systems", nargs=-1)
@data_option("NAME")
@option("--theory theories", "Gold of a framework, NAME=PATH; or A+B: A with the functions of B. Repeatable.",
        COMPARED, multiple=True)
@measure_option("Measure within a framework, instead of uas and las, or parseval. Repeatable.")
@option("--functions", "Labels that are functions, one per line. Repeatable.", COMPARED, multiple=True,
        metavar="THEORY=FILE")
@keyword_options(CrossKeywords)
@output_options
def cross_command(
    systems: tuple[str, ...],
    data: tuple[str, ...],
    theories: tuple[str, ...],
    functions: tuple[str, ...],
    output: Output,
    **options: Any,
) -> int:
    """Compare parsers of different frameworks (TedEval).

    assay compares parsers through function trees, each with its own gold. Give each system as NAME@THEORY=PATH. A
    system with several theories is one row; its phrase structure takes missing functions from its dependencies.
    `assay cross enrich TREES LABELS` writes phrase structure with the functions of another treebank. `assay cross
    generalise` and `assay cross unify`, with --theory, write the function trees that the golds agree on, or the union
    of all golds. `assay cross subsumes` counts the sentences in which one of two golds is more general. With --task,
    assay compares tags, spans or arcs by several guidelines in the same way.

    Examples:
      assay cross --theory dep=gold.conllu --theory ps=gold.mrg malt@dep=malt.conllu brown@ps=brown.mrg
      assay cross --theory d=gold.conllu --theory p=gold.mrg --theory p+d a@p=brown.mrg a@d=brown.conllu --sizes paper
      assay cross --task tags --theory x=gold.conllu --column x=XPOS a@x=a.conllu b@x=b.conllu
      assay cross enrich gold.mrg gold.conllu -o enriched.mrg
      assay cross generalise --theory dep=gold.conllu --theory ps=gold.mrg --theory ps+dep -o common.mrg
    """
    if not systems and not data:
        raise click.UsageError("Missing argument 'SYSTEMS...'.", click.get_current_context())
    if systems[:1] == ("enrich",):
        from assay.tasks.cross.brackets import enrich

        if len(systems) != 3:
            raise UsageError(
                "assay cross enrich takes two files: the phrase structure, and the treebank with the functions."
            )
        chosen = {name: options[name] for name in ("subtypes", "input_format")}
        write_output(enrich(systems[1], systems[2], **chosen), output.path)
        return 0
    from assay.formats.source import Source

    labels = options["function_labels"] = {}
    for spec in functions:
        theory, equals, path = spec.partition("=")
        if not equals:
            raise UsageError(f"--functions {spec!r} should be THEORY=FILE.")
        lines = [line.strip() for batch in Source(path).batches() for _, line in batch.lines()]
        labels[theory] = [line for line in lines if line]
    if systems[:1] in (("generalise",), ("unify",), ("subsumes",)):
        from assay.tasks.cross.brackets import common_gold, compare_golds

        if systems[1:]:
            raise UsageError(
                f"assay cross {systems[0]} takes only golds: --theory dep=gold.conllu --theory ps=gold.mrg"
            )
        names = ("subtypes", "input_format", "segmentation", "non_projective", "map", "on_mismatch")
        chosen = {name: options[name] for name in names}
        if systems[0] == "subsumes":
            text, warnings = compare_golds(theories, function_labels=labels, **chosen)
        else:
            text, warnings = common_gold(theories, systems[0], function_labels=labels, **chosen)
        write_output(text, output.path)
        for line in warnings:
            output.tell(f"warning: {line}")
        return 0
    output.check(sets=bool(data))
    options["embed"] = output.embed(options["embed"])
    with output.progress("Comparing …"):
        from assay.tasks.cross.compare import cross

        if data:
            from assay.scale.sets import evaluate_sets, name_data_sets

            result: Result | Results = evaluate_sets(*name_data_sets(data, systems, theories), cross, options)
        else:
            result = cross(theories, systems, **options)
    return output.deliver(result)
