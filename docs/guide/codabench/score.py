"""Scoring program for Codabench: gold in input/ref, a submission in input/res, each with a file per data set."""

import json
import sys
from pathlib import Path

import assay

source, target = sys.argv[1:]
try:
    results = assay.compare_sets(
        f"{source}/ref/{{data}}.conllu",
        {"submission": f"{source}/res/{{data}}.conllu"},
        "accuracy",
        column="XPOS",
    )
except assay.AssayError as error:
    # Codabench shows this to whoever submitted.
    sys.exit(f"assay: {error}")
scores = {name: result.score("submission", "accuracy").value for name, result in results.sets.items()}
scores["average"] = results.overall.score("submission", "accuracy").value
Path(target, "scores.json").write_text(json.dumps(scores))
