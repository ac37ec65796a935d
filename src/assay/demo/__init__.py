"""The embedded example: corpora written for it, with outputs of real taggers, recognisers, parsers and resolvers."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.keywords import Embed
    from assay.result import Result

FOLDER = Path(__file__).parent
EXAMPLES = (
    *("english", "german", "entities", "answers", "trees", "graphs", "relations", "links", "coreference"),
    *("messages", "experiment"),
)
_TAGS: dict[str, Any] = {"column": "XPOS", "train": "known-words.txt", "slices": ("seen",), "examples": 2}
# Of entities the two best of the four systems, so that the tables stay small; the resolvers that also link pronouns.
_COMPARISONS: dict[str, tuple[str, str, tuple[str, ...], dict[str, Any]]] = {
    "english": ("english", "gold.conllu", (), _TAGS),
    "german": ("german", "gold.conllu", (), _TAGS),
    "entities": (
        *("entities", "gold.tsv", ("rules.tsv", "crf-names.tsv")),
        {"train": "train-names.txt", "slices": ("span-length", "seen"), "examples": 3},
    ),
    "answers": (
        *("answers", "gold.jsonl", ("as-json.jsonl", "as-tags.jsonl")),
        {"input_format": "answers", "slices": ("grounding",), "forms": 5, "examples": 3},
    ),
    "dependencies": (
        *("trees", "gold.conllu", ("arc-eager.conllu", "arc-hybrid.conllu")),
        {"task": "dependencies", "slices": ("direction",), "examples": 2},
    ),
    "constituents": (
        *("trees", "gold.mrg", ("pcfg-1.mrg", "pcfg-2.mrg")),
        {"slices": ("sentence-length",), "examples": 1},
    ),
    "graphs": (
        *("graphs", "gold.conllu", ("rules.conllu", "learned.conllu")),
        {"task": "graphs", "slices": ("reentrant",), "examples": 2},
    ),
    "relations": (
        *("relations", "gold.jsonl", ("rules.jsonl", "learned.jsonl")),
        {
            "measures": ("fair-relations(symmetric=spouse)", "relations(symmetric=spouse)"),
            "slices": ("distance",),
            "examples": 2,
        },
    ),
    "links": ("links", "gold.tsv", ("lookup.tsv", "context.tsv"), {"slices": ("type", "ambiguous"), "examples": 2}),
    "messages": (
        *("messages", "gold.csv", ("keywords.csv", "learned.csv")),
        {"slices": ("meta:channel",), "examples": 3},
    ),
    "coreference": ("coreference", "key.conll", ("pronoun-rules.conll", "mention-pair.jsonl"), {"examples": 2}),
}
"""By title: the example, gold, systems (empty: all others in gold's format) and options."""
_CROSSED = (
    ("dep=gold.conllu", "ps=gold.mrg", "ps+dep"),
    (
        *("arc-eager@dep=arc-eager.conllu", "arc-hybrid@dep=arc-hybrid.conllu"),
        *("pcfg-1@ps=pcfg-1.mrg", "pcfg-2@ps=pcfg-2.mrg", "pcfg-functions@ps=pcfg-functions.mrg"),
    ),
)
"""Golds and parsers of dependencies and of phrase structure, whose gold takes its functions from the dependencies."""


def show_examples(examples: Sequence[str], html: str | None, copy: str | None) -> None:
    """Compare the systems of each example; print the verdict, the command for more, and where the pages are."""
    from textwrap import fill, indent

    from assay.errors import escape_controls
    from assay.files import make_folder, write

    copies = _copies(examples, Path(copy)) if copy else {}
    for folder in filter(None, (html, copy)):
        make_folder(Path(folder))
    width = shutil.get_terminal_size((100, 50)).columns
    results: list[tuple[str, Result]] = []
    for example in examples:
        for title, result, command in _results(example, "auto" if html else "none"):
            results.append((title, result))
            click.echo(f"{title}: {', '.join(source.name for source in result.systems)}")
            # A name with a hyphen stays whole.
            click.echo(indent(fill(escape_controls(result.verdict), width - 2, break_on_hyphens=False), "  "))
            click.echo(f"  {shlex.join(command)}\n")
    for target, content in copies.items():
        make_folder(target.parent)
        write(target, content)
    click.echo(
        f"The commands above show more. Run them in this folder: cd "
        f"{shlex.quote(str(Path(copy) if copy else FOLDER))}"
    )
    if copy and "experiment" in examples:
        click.echo("To repeat the runs (about a minute): assay experiment run experiment/taggers.toml --jobs 2")
    if html:
        from assay.render import render
        from assay.render.page import index

        for title, result in results:
            write(str(Path(html) / f"{title}.html"), render(result, "html"))
        first = Path(html) / "index.html"
        write(str(first), index("assay demo", [(title, f"{title}.html", result) for title, result in results]))
        click.echo(f"Report pages with all sentences: {first}")
    else:
        click.echo("To write report pages with all sentences: assay demo --html pages")
    click.echo("To compare your own files: assay compare gold.conllu a.conllu b.conllu")
    if html:
        click.echo(f"To open the pages in your browser: python3 -m webbrowser {first.resolve().as_uri()}")


def _results(example: str, embed: Embed) -> Iterator[tuple[str, Result, list[str]]]:
    """Title, Result and command of each comparison of an example; `embed`: the sentences for a page."""
    from assay.scale.run import compare

    folder = FOLDER / example
    for title, (group, gold, systems, options) in _COMPARISONS.items():
        if group == example:
            others = systems or sorted(path.name for path in folder.glob("*.conllu") if path.name != gold)
            known = {"train": str(folder / options["train"])} if "train" in options else {}
            chosen = {**options, **known, "embed": embed}
            result = compare(str(folder / gold), [str(folder / name) for name in others], **chosen)
            words = ["assay", "compare", *(f"{example}/{name}" for name in (gold, *others))]
            for name, value in options.items():
                option = {"measures": "-m", "slices": "--slice"}.get(name, f"--{name.replace('_', '-')}")
                for text in value if isinstance(value, tuple) else (value,):
                    words += [option, f"{example}/{text}" if name == "train" else str(text)]
            yield title, result, words
    if example == "trees":
        from assay.tasks.cross.compare import cross

        golds, parsers = ([spec.replace("=", f"={folder}/") for spec in given] for given in _CROSSED)
        theories, named = ([spec.replace("=", f"={example}/") for spec in given] for given in _CROSSED)
        words = ["assay", "cross", *(word for theory in theories for word in ("--theory", theory)), *named]
        yield "frameworks", cross(golds, parsers, examples=1, embed=embed), [*words, "--examples", "1"]
    if example == "experiment":
        from assay.bayesian import bayes

        # The bundled experiment's runs, five repetitions of five folds.
        measures, rope = ["accuracy", "oov-accuracy"], 0.02
        words = ["assay", "bayes", f"{example}/runs.csv", *(word for name in measures for word in ("-m", name))]
        yield "runs", bayes(str(folder / "runs.csv"), measures, rope=rope), [*words, "--rope", str(rope)]


def _copies(examples: Sequence[str], folder: Path) -> dict[Path, bytes]:
    """Files to copy into a folder, with their content; InputError if one was changed there, or is a link."""
    copies = {}
    for example in examples:
        for source in sorted((FOLDER / example).rglob("*")):
            target = folder / source.relative_to(FOLDER)
            for place in (target, *target.parents[: len(source.relative_to(FOLDER).parts) - 1]):
                if place.is_symlink():
                    raise InputError(
                        f"{place}: this is a symbolic link, which the demo does not follow. Choose another folder."
                    )
            if source.is_file() and "__pycache__" not in source.parts:
                content = source.read_bytes()
                if not target.exists():
                    copies[target] = content
                elif not target.is_file() or target.read_bytes() != content:
                    raise InputError(f"{target}: already exists with different content. Choose another folder.")
    return copies
