"""The papers behind measures and tests, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay import __version__
from assay.errors import unknown
from assay.result import Result

USED_BY = {
    "accuracy": (),
    "tag-f1": (),
    **dict.fromkeys(("pa", "wpa", "cwpa", "pos-accuracy", "features"), ("acedanski2010",)),
    "exact": (),
    **dict.fromkeys(("fair", "weighted"), ("ortmann2022",)),
    "semeval": ("segura-bedmar2013",),
    **dict.fromkeys(("kappa", "span-kappa"), ("cohen1960", "krippendorff2004")),
    "agreement": ("hripcsak2005",),
    **dict.fromkeys(("uas", "las", "ls", "relation-f1"), ("buchholz2006",)),
    "clas": ("nivre2017",),
    **dict.fromkeys(("mlas", "blex", "tokens", "words", "sentences", "ufeats", "alltags"), ("zeman2018",)),
    **dict.fromkeys(("sentence-accuracy", "tree-match"), ("tuggener2017",)),
    **dict.fromkeys(("elas", "eulas", "euas", "elas-exact"), ("bouma2020",)),
    **dict.fromkeys(
        ("sdp", "sdp-unlabelled", "sdp-exact", "sdp-unlabelled-exact", "predications", "frames", "arc-f1"),
        ("oepen2014", "oepen2015"),
    ),
    **dict.fromkeys(("parseval", "bracket-f1", "function-tags"), ("black1991",)),
    "leaf-ancestor": ("sampson2000", "sampson2003"),
    "tedeval": ("tsarfaty2012",),
    "mentions": ("pradhan2014",),
    "muc": ("vilain1995", "pradhan2014"),
    "b-cubed": ("bagga1998", "pradhan2014"),
    **dict.fromkeys(("ceaf-m", "ceaf-e"), ("luo2005", "pradhan2014")),
    "blanc": ("luo2014",),
    "lea": ("moosavi2016",),
    "conll": ("vilain1995", "bagga1998", "luo2005", "pradhan2014"),
    **dict.fromkeys(("arcs-any", "arcs-nom"), ("tuggener2014", "tuggener2017")),
    "oov-accuracy": ("szymanski2020",),
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


def bibtex(names: Iterable[str]) -> str:
    """The entries for measures, tests or result files; all of them where nothing is named."""
    keys: dict[str, None] = {"assay": None}
    names = list(names)
    for name in names or USED_BY:
        for word in used(Result.read(name)) if name.endswith(".json") else [name.partition("(")[0]]:
            if word not in USED_BY:
                raise unknown("measure or test", word, USED_BY)
            keys.update(dict.fromkeys(USED_BY[word]))
    known = entries()
    return "\n\n".join(known[key] for key in keys) + "\n"


def entries() -> dict[str, str]:
    """All entries by their keys."""
    text = Path(__file__).with_name("references.bib").read_text("utf-8").replace("VERSION", __version__)
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in text.strip().split("\n\n")}


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
    return [name for name in dict.fromkeys(names) if name in USED_BY]
