"""A folder per task. Each has a `task.py` with the record TASK that tells the engine what the task is."""

NAMES = (
    *("tags", "spans", "dependencies", "graphs", "events", "relations", "links", "constituents", "coreference"),
    *("ratings", "items", "records", "cross"),
)
"""All tasks, in the order in which they are listed. The last of those that a file shows is the one that is meant."""
USUAL = {
    **dict.fromkeys(("ner", "named-entities", "entities", "chunking", "chunks", "mwe", "spancat"), "spans"),
    **dict.fromkeys(("pos", "tagging", "pos-tagging", "morphology", "morph", "lemmas", "lemmatization"), "tags"),
    **dict.fromkeys(("dep", "deps", "depparse", "dependency", "dependency-parsing", "ud"), "dependencies"),
    **dict.fromkeys(("const", "constituency", "phrases", "ptb", "constituency-parsing"), "constituents"),
    **dict.fromkeys(("parsing", "syntax", "trees"), "dependencies constituents"),
    **dict.fromkeys(("srl", "roles", "semantic-roles", "sdp", "amr", "semantics", "enhanced"), "graphs"),
    **dict.fromkeys(("coref", "coreference-resolution", "anaphora"), "coreference"),
    **dict.fromkeys(("re", "relation-extraction", "rel"), "relations"),
    **dict.fromkeys(("ee", "event-extraction", "triggers"), "events"),
    **dict.fromkeys(("el", "nel", "entity-linking", "linking", "ned"), "links"),
    **dict.fromkeys(("classification", "text-classification", "textcat", "sentiment", "nli", "wsd"), "items"),
    **dict.fromkeys(("qa", "question-answering", "regression", "multiple-choice", "mcq"), "items"),
    **dict.fromkeys(("ie", "extraction", "json", "slots", "slot-filling", "key-value"), "records"),
}
"""What others call our tasks."""
SHARED = {"accuracy": ("tags", "items"), "kappa": ("tags", "items")}
"""Measures of several tasks; their names do not say which task is meant."""
SPELLING = {
    **{name: name.upper() for name in ("oov", "pos", "pa", "wpa", "cwpa", "las", "uas", "ls", "clas", "mlas")},
    **{name: name.upper() for name in ["elas", "eulas", "euas", "sdp", "srl", "muc", "blanc", "lea", "mor", "arcs"]},
    **{"f1": "F1", "blex": "BLEX", "ufeats": "UFeats", "alltags": "AllTags", "semeval": "SemEval"},
    **{"parseval": "PARSEVAL", "leaf-ancestor": "leaf-ancestor", "b-cubed": "B³", "ceaf-e": "CEAF-e"},
    **{"ceaf-m": "CEAF-m", "conll": "CoNLL", "ac1": "AC1", "alpha-u": "alpha-u", "alt-test": "alt-test"},
    **{"tedeval": "TedEval", "ehealth-kd": "eHealth-KD", "mcc": "MCC", "mae": "MAE", "rmse": "RMSE", "r2": "R²"},
    **{"auc": "AUC", "ece": "ECE", "mce": "MCE", "brier": "Brier", "pearson": "Pearson", "spearman": "Spearman"},
    **{"kendall": "Kendall", "jaccard": "Jaccard", "hamming": "Hamming", "anls": "ANLS*"},
}
"""Names of measures and scores, or words of these, as people write them."""
