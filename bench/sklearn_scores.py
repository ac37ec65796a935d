"""The same figures with scikit-learn. Run: sklearn_scores.py accuracy|report GOLD SYSTEM"""

from __future__ import annotations

import json
import sys
from importlib import import_module

from floor import tags


def main() -> None:
    """Read, score, print."""
    what, gold_path, system_path = sys.argv[1:]
    metrics = import_module("sklearn.metrics")
    gold, system = list(tags(gold_path, "conllu")), list(tags(system_path, "conllu"))
    figures = {"accuracy": float(metrics.accuracy_score(gold, system))}
    if what == "report":
        report = metrics.classification_report(gold, system, output_dict=True, zero_division=0)
        figures["macro-f1"] = float(report["macro avg"]["f1-score"])
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
