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

    return {**{name: known.papers for name, known in measures().items()}, **METHODS}


def bibtex(names: Iterable[str]) -> str:
    """The entries for measures, tests or result files; all of them where nothing is named."""
    keys: dict[str, None] = {"assay": None}
    names, behind = list(names), papers()
    for name in names or behind:
        for word in used(Result.read(name)) if name.endswith(".json") else [name.partition("(")[0]]:
            if word not in behind:
                raise unknown("measure or test", word, behind)
            keys.update(dict.fromkeys(behind[word]))
    known = entries()
    return "\n\n".join(known[key] for key in keys) + "\n"


def entries() -> dict[str, str]:
    """All entries by their keys."""
    package = Path(__file__).parents[1]
    files = [package / "result" / "references.bib", *sorted(package.glob("tasks/*/references.bib"))]
    text = "\n\n".join(file.read_text("utf-8").strip() for file in files).replace("VERSION", __version__)
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in text.split("\n\n")}


def used(result: Result) -> list[str]:
    """The measures, tests and methods behind a Result that have papers."""
    # Measures of one framework among several are named after it: las@dep.
    measures = [row.measure.partition("(")[0].partition("@")[0] for row in result.scores]
    tests = [row.test for row in result.comparisons]
    names = [*measures, *tests, *(["holm", "changes"] if result.comparisons else []), result.interval]
    names += ["characters"] if result.aligned_by == "characters" else []
    # Between annotators of spans F1 stands in for kappa.
    names += ["agreement"] if result.command == "agreement" and {"exact", "fair"} & set(measures) else []
    names += ["bayes", *(one.model for one in result.bayes)] if result.command == "bayes" else []
    # The t-test of each data set stands beside the model.
    names += ["correlated-t"] * any(one.by_data_set for one in result.bayes)
    names += ["signed-rank"] * any(one.signed_rank is not None for one in result.bayes)
    names += ["splits"] * any(row.tested for one in result.bayes for row in one.replications)
    behind = papers()
    return [name for name in dict.fromkeys(names) if name in behind]
