"""A folder per task. Each has a `task.py` with the record TASK that tells the engine what the task is."""

NAMES = (
    *("tags", "spans", "dependencies", "graphs", "relations", "links", "constituents", "coreference", "ratings"),
    "cross",
)
"""All tasks, in the order in which they are listed. The last of those that a file shows is the one that is meant."""
SPELLING = {
    **{name: name.upper() for name in ("oov", "pos", "pa", "wpa", "cwpa", "las", "uas", "ls", "clas", "mlas")},
    **{name: name.upper() for name in ["elas", "eulas", "euas", "sdp", "srl", "muc", "blanc", "lea", "mor", "arcs"]},
    **{"f1": "F1", "blex": "BLEX", "ufeats": "UFeats", "alltags": "AllTags", "semeval": "SemEval"},
    **{"parseval": "PARSEVAL", "leaf-ancestor": "leaf-ancestor", "b-cubed": "B³", "ceaf-e": "CEAF-e"},
    **{"ceaf-m": "CEAF-m", "conll": "CoNLL", "ac1": "AC1", "alpha-u": "alpha-u", "alt-test": "alt-test"},
    **{"tedeval": "TedEval", "ehealth-kd": "eHealth-KD"},
}
"""Names of measures and scores, or words of these, as people write them."""
