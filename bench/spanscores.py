"""Scores of spans in memory, by assay and by its peers. Run: spanscores.py METHOD GOLD SYSTEM, or METHOD SPANS

GOLD and SYSTEM are CoNLL files, SPANS is the number of spans of one long sentence. Reading and making these is not
timed, and every method has done a small part before. Prints the CPU seconds and what was found.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from spancorpus import LABELS, Span, unit

Sentences = list[list[str]]
Spans = Sequence[Span]


# --- the report of precision, recall and F1 by label ---


def assay_report(gold: Sentences, system: Sentences) -> Any:
    """Lenient, as conlleval reads tags."""
    return import_module("assay.spans").classification_report(gold, system, digits=6)


def seqeval_report(gold: Sentences, system: Sentences) -> Any:
    """The same by seqeval."""
    return import_module("seqeval.metrics").classification_report(gold, system, digits=6)


def assay_strict(gold: Sentences, system: Sentences) -> Any:
    """Strict IOB2."""
    report = import_module("assay.spans").classification_report
    return report(gold, system, digits=6, mode="strict", scheme="IOB2")


def seqeval_strict(gold: Sentences, system: Sentences) -> Any:
    """The same by seqeval."""
    scheme = import_module("seqeval.scheme").IOB2
    report = import_module("seqeval.metrics").classification_report
    return report(gold, system, digits=6, mode="strict", scheme=scheme)


# --- SemEval's four scores ---


def assay_score(gold: Sentences, system: Sentences) -> Any:
    """exact, fair and semeval with all that belongs to a Result, but one resample only."""
    result = import_module("assay.scale.run").score(gold, system, ["exact", "fair", "semeval"], times=1)
    counts = {row.measure: row.counts for row in result.counts if row.label is None}
    return {**_four(counts["semeval"]), "fair": counts["fair"]["tp"], "traditional": counts["exact"]["tp"]}


def assay_matching(gold: Sentences, system: Sentences) -> Any:
    """exact, fair and semeval: nothing but the counts."""
    entities, matching = import_module("assay.spans").get_entities, import_module("assay.engine.matching")
    codes: dict[str, int] = {}
    sides = [
        _span_list([Span(first, last + 1, name) for name, first, last in entities(side)], codes)
        for side in (gold, system)
    ]
    counts = {
        way.__name__.removeprefix("match_"): _counted(way(*sides).kind, kinds)
        for way, kinds in (
            (matching.match_exact, matching.EXACT),
            (matching.match_fair, matching.FAIR),
            (matching.match_semeval, matching.SEMEVAL),
        )
    }
    return {**_four(counts["semeval"]), "fair": counts["fair"]["tp"], "traditional": counts["exact"]["tp"]}


def nervaluate(gold: Sentences, system: Sentences) -> Any:
    """The four scores, without exact and fair."""
    evaluator = import_module("nervaluate").Evaluator(gold, system, tags=list(LABELS), loader="list")
    found = evaluator.evaluate()["overall"]
    return {
        ours: [getattr(found[theirs], name) for name in ("correct", "incorrect", "partial", "missed", "spurious")]
        for ours, theirs in (("strict", "strict"), ("exact", "exact"), ("partial", "partial"), ("type", "ent_type"))
    }


def _four(counts: dict[str, int]) -> dict[str, Any]:
    """Correct, incorrect, partial, missed, spurious under each of the four."""
    same, span, label, overlap = (counts[kind] for kind in ("same", "same-span", "same-label", "overlap"))
    rest = [counts["missed"], counts["spurious"]]
    return {
        "strict": [same, span + label + overlap, 0, *rest],
        "exact": [same + span, label + overlap, 0, *rest],
        "partial": [same + span, 0, label + overlap, *rest],
        "type": [same + label, span + overlap, 0, *rest],
    }


# --- one long sentence ---


def assay_unit(gold: Spans, system: Spans) -> Any:
    """exact and fair, from lists of spans to counts."""
    matching = import_module("assay.engine.matching")
    codes: dict[str, int] = {}
    sides = [_span_list(side, codes) for side in (gold, system)]
    exact = _counted(matching.match_exact(*sides).kind, matching.EXACT)
    fair = _counted(matching.match_fair(*sides).kind, matching.FAIR)
    return {"traditional": exact["tp"], "fair": fair["tp"]}


def nervaluate_unit(gold: Spans, system: Spans) -> Any:
    """SemEval's four scores."""
    sides = [
        [[{"label": label, "start": begin, "end": end - 1} for begin, end, label in side]] for side in (gold, system)
    ]
    evaluator = import_module("nervaluate").Evaluator(*sides, tags=list(LABELS), loader="dict")
    correct = evaluator.evaluate()["overall"]["strict"].correct
    return {"traditional": correct, "fair": correct}


def _span_list(spans: Spans, codes: dict[str, int]) -> Any:
    np = import_module("numpy")
    labels = np.array([codes.setdefault(span.label, len(codes)) for span in spans])
    begin, end = (np.array([span[side] for span in spans]) for side in (0, 1))
    return import_module("assay.corpus").Marks.on_line(begin, end, labels)


def _counted(kind: Any, kinds: Sequence[str]) -> dict[str, int]:
    numbers = import_module("numpy").bincount(kind, minlength=len(kinds)).tolist()
    return dict(zip(kinds, numbers, strict=True))


# --- running ---


def tags(path: str) -> Sentences:
    """The last column of a CoNLL file."""
    sentences: Sentences = [[]]
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line == "\n":
                sentences.append([])
            else:
                sentences[-1].append(line.split()[-1])
    return [sentence for sentence in sentences if sentence]


METHODS: dict[str, Callable[[Any, Any], Any]] = {
    function.__name__: function
    for function in (
        assay_report,
        seqeval_report,
        assay_strict,
        seqeval_strict,
        assay_score,
        assay_matching,
        nervaluate,
        assay_unit,
        nervaluate_unit,
    )
}


def main() -> None:
    """Make ready, warm up, time."""
    method, *given = sys.argv[1:]
    sides: tuple[Any, Any]
    part: tuple[Any, Any]
    if len(given) == 1:
        long, small = unit(int(given[0])), unit(50)
        sides, part = (long.gold, long.system), (small.gold, small.system)
    else:
        sides = (tags(given[0]), tags(given[1]))
        part = (sides[0][:50], sides[1][:50])
    METHODS[method](*part)
    taken: list[float] = []
    # What takes milliseconds is done several times, and the best counts.
    while not taken or (sum(taken) < 0.2 and len(taken) < 20):
        started = time.process_time()
        found = METHODS[method](*sides)
        taken.append(time.process_time() - started)
    print(json.dumps({"cpu": min(taken), "found": found}))


if __name__ == "__main__":
    main()
