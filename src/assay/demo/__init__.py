"""The embedded example: corpora written for it, with the outputs of real taggers."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import click

from assay.errors import InputError

FOLDER = Path(__file__).parent
LANGUAGES = ("english", "german")


def systems(language: str) -> list[str]:
    """The taggers' outputs on a demo corpus."""
    return sorted(str(path) for path in (FOLDER / language).glob("*.conllu") if path.stem != "gold")


def run(languages: Sequence[str], html: str | None, copy: str | None) -> None:
    """Compare the taggers, print the tables, and say what to try next."""
    from assay.cli.options import deliver, write
    from assay.evaluate import compare
    from assay.render import render

    for folder in filter(None, (html, copy)):
        _make(Path(folder))
    for language in languages:
        folder_path = FOLDER / language
        click.echo(f"\n=== {language}: {', '.join(Path(path).stem for path in systems(language))} ===\n")
        result = compare(
            str(folder_path / "gold.conllu"),
            systems(language),
            column="XPOS",
            train=str(folder_path / "known-words.txt"),
            slices=("seen",),
            examples=2,
        )
        deliver(result, None, None, None, quiet=False)
        if html:
            page = str(Path(html) / f"{language}.html")
            write(page, render(result, "html"))
            click.echo(f"report page: {page}")
    if copy:
        for language in languages:
            shutil.copytree(FOLDER / language, Path(copy) / language, dirs_exist_ok=True)
    click.echo(_next(Path(copy) if copy else FOLDER))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({(error.strerror or str(error)).lower()}).") from None


def _next(folder: Path) -> str:
    place = folder / "english"
    gold, a, b = (place / name for name in ("gold.conllu", "nltk-tnt.conllu", "hanta.conllu"))
    return f"""
What to try next:
  assay compare {gold} {a} {b} --column XPOS --examples 5 --kind new-error
  assay score {gold} {b} --column UPOS -m accuracy -m tag-f1
  assay compare {gold} {a} {b} --slice sentence-length --format md
  assay measures, assay formats, assay compare --help
Your own files: assay compare gold.conllu a.conllu b.conllu
"""
