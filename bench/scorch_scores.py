"""scorch's functions on each document, added up to scores of the corpus. Run: scorch_scores.py KEY RESPONSE

Its command averages the scores of documents and takes JSON; here its recalls and precisions are multiplied by what
they are shares of, so that they add up.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib import import_module

from chainfloor import Document, Span, read

scores = import_module("scorch.scores")


def clusters(document: Document) -> list[set[Span]]:
    """The chains as sets of mentions."""
    found: dict[str, set[Span]] = {}
    for span, chain in document.items():
        found.setdefault(chain, set()).add(span)
    return list(found.values())


def sizes(chains: list[set[Span]]) -> dict[str, int]:
    """What each metric's recall or precision is a share of."""
    mentions, pairs = sum(map(len, chains)), [len(chain) * (len(chain) - 1) // 2 for chain in chains]
    together = sum(pairs)
    return {
        "muc": mentions - len(chains),
        "b-cubed": mentions,
        "ceaf-m": mentions,
        "ceaf-e": len(chains),
        "coreferent": together,
        "apart": mentions * (mentions - 1) // 2 - together,
    }


METRICS = {"muc": scores.muc, "b-cubed": scores.b_cubed, "ceaf-m": scores.ceaf_m, "ceaf-e": scores.ceaf_e}
right: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
whole: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
for texts in zip(read(sys.argv[1]), read(sys.argv[2]), strict=True):
    key, response = map(clusters, texts)
    found = {name: metric(key, response) for name, metric in METRICS.items()}
    found["coreferent"], found["apart"] = scores.fast_detailed_blanc(key, response)
    for side, chains in enumerate((key, response)):
        number = sizes(chains)
        whole[side].update(number)
        right[side].update({name: figures[side] * number[name] for name, figures in found.items() if figures})
shares = {name: [right[side][name] / whole[side][name] for side in (0, 1)] for name in whole[0]}
f1 = {name: 2 * recall * precision / (recall + precision) for name, (recall, precision) in shares.items()}
f1["blanc"] = (f1.pop("coreferent") + f1.pop("apart")) / 2
print(json.dumps(f1))
