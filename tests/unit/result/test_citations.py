"""Papers as BibTeX: every measure can be cited, and a Result names what it used."""

from __future__ import annotations

import re

import assay
from assay.result.citations import bibtex, papers, read_entries

GOLD = [[("PER", 0, 1), ("LOC", 4, 5)], [("ORG", 2, 2)]]
OTHER = [[("PER", 0, 1), ("LOC", 5, 5)], [("PER", 2, 2)]]


def keys(text: str) -> list[str]:
    return re.findall(r"^@\w+\{([^,]+),", text, flags=re.MULTILINE)


def test_every_entry_is_used_and_every_paper_used_has_one():
    assert {"assay", *(key for keys in papers().values() for key in keys)} == set(read_entries())


def test_measures_of_spans_name_their_papers():
    assert keys(bibtex(["fair(focus=system)", "semeval"])) == ["assay", "ortmann2022", "segura-bedmar2013"]


def test_agreement_on_spans_cites_why_f1_stands_in_for_kappa(tmp_path):
    path = tmp_path / "agreement.json"
    path.write_text(assay.agreement({"anna": GOLD, "ben": OTHER}, times=10).to_json(), "utf-8")
    assert {"ortmann2022", "cohen1960", "krippendorff2004", "hripcsak2005"} <= set(keys(bibtex([str(path)])))


def test_parsers_across_frameworks_cite_the_native_measures_too(tmp_path):
    (tmp_path / "gold.conllu").write_text(
        "1\tAnn\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tsings\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    )
    (tmp_path / "gold.mrg").write_text("(ROOT (S (NP (NNP Ann)) (VP (VBZ sings))))\n")
    golds = [f"dep={tmp_path / 'gold.conllu'}", f"ps={tmp_path / 'gold.mrg'}"]
    result = assay.cross(golds, [f"a@{golds[0]}", f"b@{golds[1]}"], times=10)
    path = tmp_path / "cross.json"
    path.write_text(result.to_json(), "utf-8")
    assert {"tsarfaty2012", "buchholz2006", "black1991"} <= set(keys(bibtex([str(path)])))


def test_a_comparison_over_many_runs_cites_its_models(tmp_path):
    runs = [f"{data},{system},1,{fold},accuracy,0.{90 + fold * (system == 'b')}"
            for data in "de" for system in "ab" for fold in range(1, 6)]  # fmt: skip
    (tmp_path / "runs.csv").write_text("\n".join(["dataset,system,repetition,fold,measure,value", *runs]))
    path = tmp_path / "bayes.json"
    path.write_text(assay.bayes(tmp_path / "runs.csv", rope=0.002, draws=1000).to_json(), "utf-8")
    assert {"szymanski2020", "corani2017", "corani2015", "nadeau2003"} <= set(keys(bibtex([str(path)])))
    assert "gorman2019" not in keys(bibtex([str(path)]))
