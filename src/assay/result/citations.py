"""The papers behind measures and tests, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay import __version__
from assay.errors import unknown
from assay.result import Result

METHODS = {
    "agreement": ("hripcsak2005",),
    "changes": ("tuggener2017",),
    "characters": ("zeman2018",),
    "shuffling": ("noreen1989",),
    "mcnemar": ("mcnemar1947",),
    "holm": ("holm1979",),
    "percentile": ("efron1993",),
    "bca": ("efron1987",),
    "wilson": ("wilson1927",),
    "bayes": ("szymanski2020",),
    "hierarchical": ("corani2017",),
    "correlated-t": ("corani2015", "nadeau2003"),
    "signed-rank": ("benavoli2014",),
    "splits": ("gorman2019", "mcnemar1947"),
}
"""The papers of tests and other methods; measures name their own."""


def papers() -> dict[str, tuple[str, ...]]:
    """The keys of the papers behind every measure, test and method, by name."""
    from assay.engine.measure import measures

    found: dict[str, tuple[str, ...]] = {}
    for measure in measures().values():
        found[measure.name] = tuple(dict.fromkeys((*found.get(measure.name, ()), *measure.papers)))
    return {**found, **METHODS}


def bibtex(names: Iterable[str]) -> str:
    """The entries for measures, tests or files of Results; all of them if nothing is named."""
    known, words = papers(), []
    for name in list(names) or known:
        words += list_methods(Result.read(name)) if name.endswith(".json") else [name.partition("(")[0]]
    for word in words:
        if word not in known:
            raise unknown("measure or test", word, known, command="assay measures")
    return write_entries(words)


def write_entries(words: Iterable[str]) -> str:
    """The entries for assay, and for measures, tests and methods by name."""
    known, texts = papers(), read_entries()
    keys = dict.fromkeys(["assay", *(key for word in words for key in known[word])])
    return "\n\n".join(texts[key] for key in keys) + "\n"


def read_entries() -> dict[str, str]:
    """All entries by their keys."""
    package = Path(__file__).parents[1]
    files = [package / "result" / "references.bib", *sorted(package.glob("tasks/*/references.bib"))]
    text = "\n\n".join(file.read_text("utf-8").strip() for file in files).replace("VERSION", __version__)
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in text.split("\n\n")}


def list_methods(result: Result) -> list[str]:
    """The measures, tests and methods behind a Result that have papers."""
    # Measures of one framework among several are named after it: las@dep.
    measures = [row.measure.partition("(")[0].partition("@")[0] for row in result.scores]
    names = [*measures, *(row.test for row in result.comparisons)]
    changes = ["changes"] * (result.about.command != "bayes")
    names += [*["holm", *changes] * bool(result.comparisons), result.about.interval]
    names += ["holm"] * any(row.pairs for row in result.ranks)
    names += ["wilson"] * any(row.interval == "score" for row in result.scores)
    names += ["characters"] * (result.about.aligned_by == "characters")
    # Between annotators of spans F1 is used instead of kappa.
    names += ["agreement"] * (result.about.command == "agreement" and bool({"exact", "fair"} & set(measures)))
    names += ["bayes", *(row.model for row in result.bayes)] if result.bayes else []
    # Each data set has a t-test besides the model.
    names += ["correlated-t"] * any(row.by_data_set for row in result.bayes)
    names += ["signed-rank"] * any(row.signed_rank is not None for row in result.bayes)
    names += ["splits"] * any(splits.tested for row in result.bayes for splits in row.replications)
    behind = papers()
    return [name for name in dict.fromkeys(names) if name in behind]
