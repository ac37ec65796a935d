"""PYEVALB's counts over all sentences; its tables of sentences are not written. Run: pyevalb_scores.py GOLD SYSTEM"""

from __future__ import annotations

import json
import sys

from PYEVALB.scorer import Scorer  # type: ignore[import-not-found]

NAMES = {
    "tp": "matched_brackets",
    "gold": "gold_brackets",
    "system": "test_brackets",
    "crossing": "cross_brackets",
    "words": "words",
    "tags": "correct_tags",
}

with open(sys.argv[1], encoding="utf-8") as gold, open(sys.argv[2], encoding="utf-8") as system:
    results = Scorer().score_corpus(gold, system)
print(json.dumps({ours: sum(getattr(result, theirs) for result in results) for ours, theirs in NAMES.items()}))
