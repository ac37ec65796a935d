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
LANGUAGES = ("english", "german")
ENTITIES = "entities"
TREES = "trees"
GRAPHS = "graphs"
RELATIONS = "relations"
LINKS = "links"
COREFERENCE = "coreference"
ANSWERS = "answers"
EXPERIMENT = "experiment"
EXAMPLES = (*LANGUAGES, ENTITIES, ANSWERS, TREES, GRAPHS, RELATIONS, LINKS, COREFERENCE, EXPERIMENT)
_TAGGED: dict[str, Any] = {"column": "XPOS", "train": "known-words.txt", "slices": ("seen",), "examples": 2}
_NAMED: dict[str, Any] = {"train": "train-names.txt", "slices": ("span-length", "seen"), "examples": 3}
_ANSWERED: dict[str, Any] = {"input_format": "answers", "slices": ("grounding",), "forms": 5, "examples": 3}
_PARSED: dict[str, Any] = {"task": "dependencies", "slices": ("direction",), "examples": 2}
_ENHANCED: dict[str, Any] = {"task": "graphs", "slices": ("reentrant",), "examples": 2}
_RELATED: dict[str, Any] = {
    "measures": ("fair-relations(symmetric=spouse)", "relations(symmetric=spouse)"),
    "slices": ("distance",),
    "examples": 2,
}
_LINKED: dict[str, Any] = {"slices": ("type", "ambiguous"), "examples": 2}
_BRACKETED: dict[str, Any] = {"slices": ("sentence-length",), "examples": 1}
# Of entities the two best of the four systems, so that the tables stay small; the resolvers that also link pronouns.
_COMPARISONS: dict[str, tuple[str, str, tuple[str, ...], dict[str, Any]]] = {
    "english": ("english", "gold.conllu", (), _TAGGED),
    "german": ("german", "gold.conllu", (), _TAGGED),
    "entities": (ENTITIES, "gold.tsv", ("rules.tsv", "crf-names.tsv"), _NAMED),
    "answers": (ANSWERS, "gold.jsonl", ("as-json.jsonl", "as-tags.jsonl"), _ANSWERED),
    "dependencies": (TREES, "gold.conllu", ("arc-eager.conllu", "arc-hybrid.conllu"), _PARSED),
    "constituents": (TREES, "gold.mrg", ("pcfg-1.mrg", "pcfg-2.mrg"), _BRACKETED),
    "graphs": (GRAPHS, "gold.conllu", ("rules.conllu", "learned.conllu"), _ENHANCED),
    "relations": (RELATIONS, "gold.jsonl", ("rules.jsonl", "learned.jsonl"), _RELATED),
    "links": (LINKS, "gold.tsv", ("lookup.tsv", "context.tsv"), _LINKED),
    "coreference": (COREFERENCE, "key.conll", ("pronoun-rules.conll", "mention-pair.jsonl"), {"examples": 2}),
}
"""By title: the example, gold, systems (none are named: all others of gold's format) and options."""


_CROSSED = (
    ("dep=gold.conllu", "ps=gold.mrg", "ps+dep"),
    (
        *("arc-eager@dep=arc-eager.conllu", "arc-hybrid@dep=arc-hybrid.conllu"),
        *("pcfg-1@ps=pcfg-1.mrg", "pcfg-2@ps=pcfg-2.mrg", "pcfg-functions@ps=pcfg-functions.mrg"),
    ),
)
"""Golds and parsers of dependencies and of phrase structure, whose gold takes its functions from the dependencies."""


def run(examples: Sequence[str], html: str | None, copy: str | None) -> None:
    """Compare the systems of each example and say the verdict, the command for the rest, and where the pages are."""
    from textwrap import fill, indent

    from assay.errors import shown
    from assay.files import make_folder, write

    copies = _copies(examples, Path(copy)) if copy else {}
    for folder in filter(None, (html, copy)):
        make_folder(Path(folder))
    width = shutil.get_terminal_size((100, 50)).columns
    found: list[tuple[str, Result]] = []
    for example in examples:
        for title, result, command in _results(example, "auto" if html else "none"):
            found.append((title, result))
            click.echo(f"{title}: {', '.join(source.name for source in result.systems)}")
            # A name with a hyphen stays whole.
            said = fill(shown(result.verdict), width - 2, break_on_hyphens=False)
            click.echo(indent(said, "  "))
            click.echo(f"  {shlex.join(command)}\n")
    for target, content in copies.items():
        make_folder(target.parent)
        write(target, content)
    click.echo(f"The commands show more; run them in: cd {shlex.quote(str(Path(copy) if copy else FOLDER))}")
    if copy and EXPERIMENT in examples:
        click.echo("To repeat the runs (about a minute): assay experiment run experiment/taggers.toml --jobs 2")
    if html:
        from assay.render import render
        from assay.render.page import index

        for title, result in found:
            write(str(Path(html) / f"{title}.html"), render(result, "html"))
        first = Path(html) / "index.html"
        write(str(first), index("assay demo", [(title, f"{title}.html", result) for title, result in found]))
        click.echo(f"Pages with all sentences of these results: {first}")
    else:
        click.echo("Pages with all sentences of these results: assay demo --html pages")
    click.echo("Your own files: assay compare gold.conllu a.conllu b.conllu")
    if html:
        click.echo(f"To open the pages in your browser: python3 -m webbrowser {first.resolve().as_uri()}")


def _results(example: str, embed: Embed) -> Iterator[tuple[str, Result, list[str]]]:
    """The comparisons of one example, with the sentences where a page is to show them: title, Result and command."""
    from assay.scale.run import compare

    folder = FOLDER / example
    for title, (of_example, gold, systems, options) in _COMPARISONS.items():
        if of_example == example:
            others = systems or sorted(path.name for path in folder.glob("*.conllu") if path.name != gold)
            known = {"train": str(folder / options["train"])} if "train" in options else {}
            chosen = {**options, **known, "embed": embed}
            result = compare(str(folder / gold), [str(folder / name) for name in others], **chosen)
            words = ["assay", "compare", *(f"{example}/{name}" for name in (gold, *others))]
            for name, value in options.items():
                option = {"measures": "-m", "slices": "--slice"}.get(name, f"--{name.replace('_', '-')}")
                for one in value if isinstance(value, tuple) else (value,):
                    words += [option, f"{example}/{one}" if name == "train" else str(one)]
            yield title, result, words
    if example == TREES:
        from assay.tasks.cross.compare import cross

        golds, parsers = ([_within(one, f"{folder}/") for one in given] for given in _CROSSED)
        theories, named = ([_within(one, f"{example}/") for one in given] for given in _CROSSED)
        words = ["assay", "cross", *(word for one in theories for word in ("--theory", one)), *named]
        yield "frameworks", cross(golds, parsers, examples=1, embed=embed), [*words, "--examples", "1"]
    if example == EXPERIMENT:
        from assay.bayesian import bayes

        # The bundled experiment's runs, five repetitions of five folds.
        measures, rope = ["accuracy", "oov-accuracy"], 0.02
        words = ["assay", "bayes", f"{example}/runs.csv", *(word for one in measures for word in ("-m", one))]
        yield "runs", bayes(str(folder / "runs.csv"), measures, rope=rope), [*words, "--rope", str(rope)]


def _within(given: str, folder: str) -> str:
    """`name=path` with the path in a folder."""
    name, equals, path = given.partition("=")
    return f"{name}={folder}{path}" if equals else given


def _copies(examples: Sequence[str], folder: Path) -> dict[Path, bytes]:
    """The files that are not in a folder yet; one that was changed there, or is a link, stays and is refused."""
    found = {}
    for example in examples:
        for source in sorted((FOLDER / example).rglob("*")):
            target = folder / source.relative_to(FOLDER)
            for place in (target, *target.parents[: len(source.relative_to(FOLDER).parts) - 1]):
                if place.is_symlink():
                    raise InputError(f"{place}: is a link, which is not written through. Choose another folder.")
            if source.is_file() and "__pycache__" not in source.parts:
                content = source.read_bytes()
                if not target.exists():
                    found[target] = content
                elif not target.is_file() or target.read_bytes() != content:
                    raise InputError(f"{target}: is there already, with other content. Choose another folder.")
    return found
