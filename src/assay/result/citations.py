"""The papers behind measures and tests, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable

from assay import __version__
from assay.errors import unknown
from assay.result import Result

ENTRIES = {
    "assay": f"""@software{{assay,
  title   = {{assay: scoring and comparing annotation systems}},
  author  = {{{{The assay authors}}}},
  year    = {{2026}},
  version = {{{__version__}}}
}}""",
    "tuggener2017": """@inproceedings{tuggener2017,
  title     = {A method for in-depth comparative evaluation: How (dis)similar are outputs of POS taggers,
               dependency parsers and coreference resolvers really?},
  author    = {Tuggener, Don},
  booktitle = {Proceedings of the 15th Conference of the European Chapter of the Association for
               Computational Linguistics: Volume 1, Long Papers},
  year      = {2017},
  pages     = {188--198}
}""",
    "acedanski2010": """@inproceedings{acedanski2010,
  title     = {Towards the Adequate Evaluation of Morphosyntactic Taggers},
  author    = {Aceda{\\'n}ski, Szymon and Przepi{\\'o}rkowski, Adam},
  booktitle = {Coling 2010: Posters},
  year      = {2010},
  pages     = {1--8}
}""",
    "ortmann2022": """@inproceedings{ortmann2022,
  title     = {Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans},
  author    = {Ortmann, Katrin},
  booktitle = {Proceedings of the Thirteenth Language Resources and Evaluation Conference},
  year      = {2022},
  pages     = {1400--1407}
}""",
    "segura-bedmar2013": """@inproceedings{segura-bedmar2013,
  title     = {{SemEval}-2013 Task 9: Extraction of Drug-Drug Interactions from Biomedical Texts
               ({DDIExtraction} 2013)},
  author    = {Segura-Bedmar, Isabel and Mart{\\'i}nez, Paloma and Herrero-Zazo, Mar{\\'i}a},
  booktitle = {Second Joint Conference on Lexical and Computational Semantics (*SEM), Volume 2: Proceedings of the
               Seventh International Workshop on Semantic Evaluation (SemEval 2013)},
  year      = {2013},
  pages     = {341--350}
}""",
    "cohen1960": """@article{cohen1960,
  title   = {A coefficient of agreement for nominal scales},
  author  = {Cohen, Jacob},
  journal = {Educational and Psychological Measurement},
  volume  = {20},
  pages   = {37--46},
  year    = {1960}
}""",
    "krippendorff2004": """@book{krippendorff2004,
  title     = {Content Analysis: An Introduction to Its Methodology},
  author    = {Krippendorff, Klaus},
  edition   = {2nd},
  publisher = {Sage},
  year      = {2004}
}""",
    "hripcsak2005": """@article{hripcsak2005,
  title   = {Agreement, the {F}-Measure, and Reliability in Information Retrieval},
  author  = {Hripcsak, George and Rothschild, Adam S.},
  journal = {Journal of the American Medical Informatics Association},
  volume  = {12},
  pages   = {296--298},
  year    = {2005}
}""",
    "szymanski2020": """@inproceedings{szymanski2020,
  title     = {Is the Best Better? {B}ayesian Statistical Model Comparison for Natural Language Processing},
  author    = {Szyma{\\'n}ski, Piotr and Gorman, Kyle},
  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing},
  year      = {2020},
  pages     = {2203--2212}
}""",
    "noreen1989": """@book{noreen1989,
  title     = {Computer-Intensive Methods for Testing Hypotheses},
  author    = {Noreen, Eric W.},
  publisher = {Wiley},
  year      = {1989}
}""",
    "mcnemar1947": """@article{mcnemar1947,
  title   = {Note on the sampling error of the difference between correlated proportions or percentages},
  author  = {McNemar, Quinn},
  journal = {Psychometrika},
  volume  = {12},
  pages   = {153--157},
  year    = {1947}
}""",
    "efron1987": """@article{efron1987,
  title   = {Better bootstrap confidence intervals},
  author  = {Efron, Bradley},
  journal = {Journal of the American Statistical Association},
  volume  = {82},
  pages   = {171--185},
  year    = {1987}
}""",
    "efron1993": """@book{efron1993,
  title     = {An Introduction to the Bootstrap},
  author    = {Efron, Bradley and Tibshirani, Robert J.},
  publisher = {Chapman and Hall},
  year      = {1993}
}""",
    "wilson1927": """@article{wilson1927,
  title   = {Probable inference, the law of succession, and statistical inference},
  author  = {Wilson, Edwin B.},
  journal = {Journal of the American Statistical Association},
  volume  = {22},
  pages   = {209--212},
  year    = {1927}
}""",
    "holm1979": """@article{holm1979,
  title   = {A simple sequentially rejective multiple test procedure},
  author  = {Holm, Sture},
  journal = {Scandinavian Journal of Statistics},
  volume  = {6},
  pages   = {65--70},
  year    = {1979}
}""",
    "zeman2018": """@inproceedings{zeman2018,
  title     = {{C}o{NLL} 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies},
  author    = {Zeman, Daniel and Haji{\\v{c}}, Jan and Popel, Martin and Potthast, Martin and Straka, Milan and
               Ginter, Filip and Nivre, Joakim and Petrov, Slav},
  booktitle = {Proceedings of the {C}o{NLL} 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
               Dependencies},
  year      = {2018},
  pages     = {1--21}
}""",
    "tsarfaty2012": """@inproceedings{tsarfaty2012,
  title     = {Cross-Framework Evaluation for Statistical Parsing},
  author    = {Tsarfaty, Reut and Nivre, Joakim and Andersson, Evelina},
  booktitle = {Proceedings of the 13th Conference of the European Chapter of the Association for
               Computational Linguistics},
  year      = {2012},
  pages     = {44--54}
}""",
    "buchholz2006": """@inproceedings{buchholz2006,
  title     = {{C}o{NLL-X} Shared Task on Multilingual Dependency Parsing},
  author    = {Buchholz, Sabine and Marsi, Erwin},
  booktitle = {Proceedings of the Tenth Conference on Computational Natural Language Learning ({C}o{NLL-X})},
  year      = {2006},
  pages     = {149--164}
}""",
    "nivre2017": """@inproceedings{nivre2017,
  title     = {Universal Dependency Evaluation},
  author    = {Nivre, Joakim and Fang, Chiao-Ting},
  booktitle = {Proceedings of the {NoDaLiDa} 2017 Workshop on Universal Dependencies ({UDW} 2017)},
  year      = {2017},
  pages     = {86--95}
}""",
    "black1991": """@inproceedings{black1991,
  title     = {A Procedure for Quantitatively Comparing the Syntactic Coverage of {E}nglish Grammars},
  author    = {Black, Ezra and Abney, Steven and Flickenger, Daniel and Gdaniec, Claudia and Grishman, Ralph and
               Harrison, Philip and Hindle, Donald and Ingria, Robert and Jelinek, Frederick and Klavans, Judith and
               Liberman, Mark and Marcus, Mitchell and Roukos, Salim and Santorini, Beatrice and
               Strzalkowski, Tomek},
  booktitle = {Speech and Natural Language: Proceedings of a Workshop Held at Pacific Grove, California},
  year      = {1991},
  pages     = {306--311}
}""",
    "sampson2000": """@article{sampson2000,
  title   = {A proposal for improving the measurement of parse accuracy},
  author  = {Sampson, Geoffrey},
  journal = {International Journal of Corpus Linguistics},
  volume  = {5},
  pages   = {53--68},
  year    = {2000}
}""",
    "sampson2003": """@article{sampson2003,
  title   = {A test of the leaf-ancestor metric for parse accuracy},
  author  = {Sampson, Geoffrey and Babarczy, Anna},
  journal = {Natural Language Engineering},
  volume  = {9},
  pages   = {365--380},
  year    = {2003}
}""",
    "tuggener2014": """@inproceedings{tuggener2014,
  title     = {Coreference Resolution Evaluation for Higher Level Applications},
  author    = {Tuggener, Don},
  booktitle = {Proceedings of the 14th Conference of the European Chapter of the Association for
               Computational Linguistics, volume 2: Short Papers},
  year      = {2014},
  pages     = {231--235}
}""",
    "vilain1995": """@inproceedings{vilain1995,
  title     = {A Model-Theoretic Coreference Scoring Scheme},
  author    = {Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette},
  booktitle = {Sixth Message Understanding Conference ({MUC}-6)},
  year      = {1995},
  pages     = {45--52}
}""",
    "bagga1998": """@inproceedings{bagga1998,
  title     = {Algorithms for Scoring Coreference Chains},
  author    = {Bagga, Amit and Baldwin, Breck},
  booktitle = {The First International Conference on Language Resources and Evaluation Workshop on Linguistics
               Coreference},
  year      = {1998},
  pages     = {563--566}
}""",
    "luo2005": """@inproceedings{luo2005,
  title     = {On Coreference Resolution Performance Metrics},
  author    = {Luo, Xiaoqiang},
  booktitle = {Proceedings of Human Language Technology Conference and Conference on Empirical Methods in Natural
               Language Processing},
  year      = {2005},
  pages     = {25--32}
}""",
    "luo2014": """@inproceedings{luo2014,
  title     = {An Extension of {BLANC} to System Mentions},
  author    = {Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard},
  booktitle = {Proceedings of the 52nd Annual Meeting of the Association for Computational Linguistics
               (Volume 2: Short Papers)},
  year      = {2014},
  pages     = {24--29}
}""",
    "pradhan2014": """@inproceedings{pradhan2014,
  title     = {Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation},
  author    = {Pradhan, Sameer and Luo, Xiaoqiang and Recasens, Marta and Hovy, Eduard and Ng, Vincent and
               Strube, Michael},
  booktitle = {Proceedings of the 52nd Annual Meeting of the Association for Computational Linguistics
               (Volume 2: Short Papers)},
  year      = {2014},
  pages     = {30--35}
}""",
    "moosavi2016": """@inproceedings{moosavi2016,
  title     = {Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity Aware Metric},
  author    = {Moosavi, Nafise Sadat and Strube, Michael},
  booktitle = {Proceedings of the 54th Annual Meeting of the Association for Computational Linguistics
               (Volume 1: Long Papers)},
  year      = {2016},
  pages     = {632--642}
}""",
    "corani2017": """@article{corani2017,
  title   = {Statistical comparison of classifiers through {B}ayesian hierarchical modelling},
  author  = {Corani, Giorgio and Benavoli, Alessio and Dem{\\v{s}}ar, Janez and Mangili, Francesca and
             Zaffalon, Marco},
  journal = {Machine Learning},
  volume  = {106},
  pages   = {1817--1837},
  year    = {2017}
}""",
    "corani2015": """@article{corani2015,
  title   = {A {B}ayesian approach for comparing cross-validated algorithms on multiple data sets},
  author  = {Corani, Giorgio and Benavoli, Alessio},
  journal = {Machine Learning},
  volume  = {100},
  pages   = {285--304},
  year    = {2015}
}""",
    "nadeau2003": """@article{nadeau2003,
  title   = {Inference for the Generalization Error},
  author  = {Nadeau, Claude and Bengio, Yoshua},
  journal = {Machine Learning},
  volume  = {52},
  pages   = {239--281},
  year    = {2003}
}""",
    "benavoli2014": """@inproceedings{benavoli2014,
  title     = {A {B}ayesian {W}ilcoxon signed-rank test based on the {D}irichlet process},
  author    = {Benavoli, Alessio and Corani, Giorgio and Mangili, Francesca and Zaffalon, Marco and
               Ruggeri, Fabrizio},
  booktitle = {Proceedings of the 31st International Conference on Machine Learning},
  year      = {2014},
  pages     = {1026--1034}
}""",
    "gorman2019": """@inproceedings{gorman2019,
  title     = {We Need to Talk about Standard Splits},
  author    = {Gorman, Kyle and Bedrick, Steven},
  booktitle = {Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics},
  year      = {2019},
  pages     = {2786--2791}
}""",
}

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
    **dict.fromkeys(("mlas", "blex", "tokens", "words", "sentences"), ("zeman2018",)),
    **dict.fromkeys(("sentence-accuracy", "tree-match"), ("tuggener2017",)),
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
    return "\n\n".join(ENTRIES[key] for key in keys) + "\n"


def used(result: Result) -> list[str]:
    """The measures, tests and methods behind a Result that have papers."""
    # Measures of one framework among several are named after it: las@dep.
    measures = [row.measure.partition("(")[0].partition("@")[0] for row in result.scores]
    tests = [row.test for row in result.comparisons]
    names = [*measures, *tests, *(["holm", "changes"] if result.comparisons else []), result.interval]
    names += ["characters"] if result.aligned_by == "characters" else []
    # Between annotators of spans F1 stands in for kappa.
    names += ["agreement"] if (result.command, result.task) == ("agreement", "spans") else []
    names += _over_runs(result)
    return [name for name in dict.fromkeys(names) if name in USED_BY]


def _over_runs(result: Result) -> list[str]:
    """The models and tests of a comparison over many runs."""
    names = ["bayes", *(one.model for one in result.bayes)] if result.command == "bayes" else []
    # The t-test of each data set stands beside the model.
    names += ["correlated-t"] if any(one.by_data_set for one in result.bayes) else []
    names += ["signed-rank"] if any(one.signed_rank for one in result.bayes) else []
    return names + ["splits"] * any(row.tested for one in result.bayes for row in one.replications)
