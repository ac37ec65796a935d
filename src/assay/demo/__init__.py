"""The embedded example: corpora written for it, with outputs of real taggers, recognisers, parsers and resolvers."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.result import Result

FOLDER = Path(__file__).parent
LANGUAGES = ("english", "german")
ENTITIES = "entities"
TREES = "trees"
COREFERENCE = "coreference"
EXPERIMENT = "experiment"
EXAMPLES = (*LANGUAGES, ENTITIES, TREES, COREFERENCE, EXPERIMENT)


def run(examples: Sequence[str], html: str | None, copy: str | None) -> None:
    """Compare the systems of each example, print the tables, and say what to try next."""
    from assay.cli.output import Output
    from assay.files import make_folder, write

    copies = _copies(examples, Path(copy)) if copy else {}
    for folder in filter(None, (html, copy)):
        make_folder(Path(folder))
    found: list[tuple[str, Result]] = []
    for example in examples:
        for title, result in _results(example, "auto" if html else "none"):
            found.append((title, result))
            click.echo(f"\n=== {title}: {', '.join(source.name for source in result.systems)} ===\n")
            Output().deliver(result)
    for target, content in copies.items():
        make_folder(target.parent)
        write(target, content)
    click.echo(_next(Path(copy) if copy else FOLDER, examples))
    if html:
        click.echo(f"report pages: {_pages(Path(html), found)}")


def _pages(folder: Path, found: Sequence[tuple[str, Result]]) -> Path:
    """A page for each comparison, and one that leads to them."""
    from assay.files import write
    from assay.render import render
    from assay.render.page import index

    for title, result in found:
        write(str(folder / f"{title}.html"), render(result, "html"))
    first = folder / "index.html"
    write(str(first), index("assay demo", [(title, f"{title}.html", result) for title, result in found]))
    return first


def _results(example: str, embed: str) -> Iterator[tuple[str, Result]]:
    """The comparisons of one example, each with its title; with the sentences where a page is to show them."""
    if example == TREES:
        yield "dependencies", _dependencies(embed)
        yield "constituents", _constituents(embed)
        yield "frameworks", _frameworks(embed)
    elif example == EXPERIMENT:
        yield "runs", _runs()
    elif example in LANGUAGES:
        yield example, _taggers(example, embed)
    else:
        yield example, _entities(embed) if example == ENTITIES else _coreference(embed)


def _taggers(language: str, embed: str) -> Result:
    from assay.scale.run import compare

    folder = FOLDER / language
    return compare(
        str(folder / "gold.conllu"),
        sorted(str(path) for path in folder.glob("*.conllu") if path.stem != "gold"),
        column="XPOS",
        train=str(folder / "known-words.txt"),
        slices=("seen",),
        examples=2,
        embed=embed,
    )


def _entities(embed: str) -> Result:
    """The two best of the four systems, so that the tables stay small."""
    from assay.scale.run import compare

    folder = FOLDER / ENTITIES
    return compare(
        str(folder / "gold.tsv"),
        [str(folder / "rules.tsv"), str(folder / "crf-names.tsv")],
        train=str(folder / "train-names.txt"),
        slices=("span-length", "seen"),
        examples=3,
        embed=embed,
    )


def _dependencies(embed: str) -> Result:
    from assay.scale.run import compare

    folder = FOLDER / TREES
    return compare(
        str(folder / "gold.conllu"),
        [str(folder / "arc-eager.conllu"), str(folder / "arc-hybrid.conllu")],
        task="dependencies",
        slices=("direction",),
        examples=2,
        embed=embed,
    )


def _constituents(embed: str) -> Result:
    from assay.scale.run import compare

    folder = FOLDER / TREES
    return compare(
        str(folder / "gold.mrg"),
        [str(folder / "pcfg-1.mrg"), str(folder / "pcfg-2.mrg")],
        slices=("sentence-length",),
        examples=1,
        embed=embed,
    )


def _frameworks(embed: str) -> Result:
    """Parsers of dependencies and of phrase structure, whose gold takes its functions from the dependencies."""
    from assay.tasks.cross import cross

    folder = FOLDER / TREES
    parsers = [
        *(f"{name}@dep={folder / name}.conllu" for name in ("arc-eager", "arc-hybrid")),
        *(f"{name}@ps={folder / name}.mrg" for name in ("pcfg-1", "pcfg-2", "pcfg-functions")),
    ]
    golds = [f"dep={folder / 'gold.conllu'}", f"ps={folder / 'gold.mrg'}", "ps+dep"]
    return cross(golds, parsers, examples=1, embed=embed)


def _coreference(embed: str) -> Result:
    """The two resolvers that also link pronouns."""
    from assay.scale.run import compare

    folder = FOLDER / COREFERENCE
    return compare(
        str(folder / "key.conll"),
        [str(folder / "pronoun-rules.conll"), str(folder / "mention-pair.jsonl")],
        examples=2,
        embed=embed,
    )


def _runs() -> Result:
    """What the experiment that comes along found in five repetitions of five folds."""
    from assay.bayesian import bayes

    return bayes(str(FOLDER / EXPERIMENT / "runs.csv"), ["accuracy", "oov-accuracy"], rope=0.02)


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


def _next(folder: Path, examples: Sequence[str]) -> str:
    tried = "\n".join(f"  {line}" for line in _proposed(examples, copied=folder != FOLDER))
    return f"""
What to try next:
  cd {shlex.quote(str(folder))}
{tried}
  assay measures, assay formats, assay compare --help
Your own files: assay compare gold.conllu a.conllu b.conllu
"""


def _proposed(examples: Sequence[str], *, copied: bool) -> Iterator[str]:
    """Commands on the files of the examples, to be run in the folder above them."""
    language = next((example for example in examples if example in LANGUAGES), None)
    if language:
        gold, a, b = (f"{language}/{name}.conllu" for name in ("gold", "nltk-tnt", "hanta"))
        yield f"assay compare {gold} {a} {b} --column XPOS --examples 5 --kind new-error"
        yield f"assay score {gold} {b} --column UPOS -m accuracy -m tag-f1"
        yield f"assay compare {gold} {a} {b} --slice sentence-length --format md"
    if ENTITIES in examples:
        yield "assay score entities/gold.tsv entities/rules.tsv -m exact -m fair -m semeval"
        yield (
            "assay compare entities/gold.tsv entities/rules.tsv entities/spacy.tsv "
            "--slice label --examples 5 --kind correction"
        )
    if TREES in examples:
        gold, a, b = (f"trees/{name}.conllu" for name in ("gold", "arc-eager", "arc-hybrid"))
        trees, c, d = (f"trees/{name}.mrg" for name in ("gold", "pcfg-1", "pcfg-2"))
        yield f"assay compare {gold} {a} {b} --task dependencies --examples 3 --kind correction"
        yield f"assay compare {trees} {c} {d} -m parseval -m leaf-ancestor --examples 2"
        yield f"assay cross --theory dep={gold} --theory ps={trees} hybrid@dep={b} pcfg@ps={d} --sizes paper"
    if COREFERENCE in examples:
        systems = "coreference/pronoun-rules.conll coreference/mention-pair.jsonl"
        yield f"assay compare coreference/key.conll {systems} -m arcs-nom --examples 3 --kind new-error"
        yield f"assay score coreference/key.conll {systems} -m conll -m lea -m blanc"
    if EXPERIMENT in examples and copied:
        yield "assay experiment run experiment/taggers.toml --jobs 2"
