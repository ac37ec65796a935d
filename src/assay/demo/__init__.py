"""The embedded example: corpora written for it, with outputs of real taggers, recognisers, parsers and resolvers."""

from __future__ import annotations

import shlex
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


_TAGGERS = """\
  assay compare {0}/gold.conllu {0}/nltk-tnt.conllu {0}/hanta.conllu --column XPOS --examples 5 --kind new-error
  assay score {0}/gold.conllu {0}/hanta.conllu --column UPOS -m accuracy -m tag-f1
  assay compare {0}/gold.conllu {0}/nltk-tnt.conllu {0}/hanta.conllu --slice sentence-length --format md
"""
_PROPOSALS = {
    **{language: _TAGGERS.format(language) for language in LANGUAGES},
    ENTITIES: """\
  assay score entities/gold.tsv entities/rules.tsv -m exact -m fair -m semeval
  assay compare entities/gold.tsv entities/rules.tsv entities/spacy.tsv --slice label --examples 5 --kind correction
""",
    ANSWERS: """\
  assay score answers/gold.jsonl answers/as-json.jsonl --input-format answers -m exact -m strings
  assay compare answers/gold.jsonl answers/as-json.jsonl answers/as-tags.jsonl --slice answer \
--input-format "answers(ground=folded)"
""",
    TREES: """\
  assay compare trees/gold.conllu trees/arc-eager.conllu trees/arc-hybrid.conllu --task dependencies \
--examples 3 --kind correction
  assay compare trees/gold.mrg trees/pcfg-1.mrg trees/pcfg-2.mrg -m parseval -m leaf-ancestor --examples 2
  assay cross --theory dep=trees/gold.conllu --theory ps=trees/gold.mrg hybrid@dep=trees/arc-hybrid.conllu \
pcfg@ps=trees/pcfg-2.mrg --sizes paper
""",
    GRAPHS: """\
  assay compare graphs/gold.conllu graphs/rules.conllu graphs/learned.conllu --task graphs --slice empty-path
  assay score graphs/gold.conllu graphs/learned.conllu -m elas -m "elas(empty=align)" -m arc-f1
""",
    RELATIONS: """\
  assay compare relations/gold.jsonl relations/rules.jsonl relations/learned.jsonl --examples 3 --kind correction
  assay score relations/gold.jsonl relations/rules.jsonl -m relations -m "relations(given=spans)" -m fair-relations
""",
    LINKS: """\
  assay compare links/gold.tsv links/lookup.tsv links/context.tsv --slice ambiguous --slice nil
  assay score links/gold.tsv links/context.tsv -m "links(at=3)" -m "links(match=overlap)" -m fair-links
""",
    COREFERENCE: """\
  assay compare coreference/key.conll coreference/pronoun-rules.conll coreference/mention-pair.jsonl -m arcs-nom \
--examples 3 --kind new-error
  assay score coreference/key.conll coreference/pronoun-rules.conll coreference/mention-pair.jsonl -m conll -m lea \
-m blanc
""",
    EXPERIMENT: "  assay experiment run experiment/taggers.toml --jobs 2\n",
}
"""Commands on the files of each example, to be run in the folder above them."""


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
    tried = [_PROPOSALS[example] for example in examples if copy or example != EXPERIMENT]
    if set(LANGUAGES) <= set(examples):
        tried.remove(_PROPOSALS[LANGUAGES[1]])
    click.echo(f"""
What to try next:
  cd {shlex.quote(str(Path(copy) if copy else FOLDER))}
{"".join(tried)}\
  assay measures, assay formats, assay compare --help
Your own files: assay compare gold.conllu a.conllu b.conllu
""")
    if html:
        from assay.render import render
        from assay.render.page import index

        for title, result in found:
            write(str(Path(html) / f"{title}.html"), render(result, "html"))
        first = Path(html) / "index.html"
        write(str(first), index("assay demo", [(title, f"{title}.html", result) for title, result in found]))
        click.echo(f"report pages: {first}")


def _results(example: str, embed: Embed) -> Iterator[tuple[str, Result]]:
    """The comparisons of one example, each with its title; with the sentences where a page is to show them."""
    from assay.scale.run import compare

    folder = FOLDER / example
    for title, (of_example, gold, systems, options) in _COMPARISONS.items():
        if of_example == example:
            others = [folder / name for name in systems] or sorted(
                path for path in folder.glob("*.conllu") if path.name != gold
            )
            known = {"train": str(folder / options["train"])} if "train" in options else {}
            yield title, compare(str(folder / gold), list(map(str, others)), **{**options, **known, "embed": embed})
    if example == TREES:
        from assay.tasks.cross.compare import cross

        # Parsers of dependencies and of phrase structure, whose gold takes its functions from the dependencies.
        parsers = [
            *(f"{name}@dep={folder / name}.conllu" for name in ("arc-eager", "arc-hybrid")),
            *(f"{name}@ps={folder / name}.mrg" for name in ("pcfg-1", "pcfg-2", "pcfg-functions")),
        ]
        golds = [f"dep={folder / 'gold.conllu'}", f"ps={folder / 'gold.mrg'}", "ps+dep"]
        yield "frameworks", cross(golds, parsers, examples=1, embed=embed)
    if example == EXPERIMENT:
        from assay.bayesian import bayes

        # The bundled experiment's runs, five repetitions of five folds.
        yield "runs", bayes(str(folder / "runs.csv"), ["accuracy", "oov-accuracy"], rope=0.02)


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
