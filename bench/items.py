"""Benchmarks of items without words: the same numbers as the peers', then time beside pandas and scikit-learn.

As a script it prints what one side says of the same random data, or makes a large table.
Run: items.py ours|theirs SEEDS; items.py bootstrap TIMES GOLD A B; items.py make FOLDER NUMBER
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from common import ASSAY, HERE, ROOT, Bench, Goal, same
from measure import alternating, best, run

NUMBER = 1_000_000
LABELS = [f"class{code}" for code in range(10)]
SEEDS, QUICK_SEEDS = 200, 20
BOOTSTRAP = 300
"""Resamples of the loop around scikit-learn."""
PANDAS = "pandas.read_csv"
LOOP = f"scikit-learn, bootstrap of {BOOTSTRAP}"
Numbers = dict[str, list[float]]


def bench_items(bench: Bench) -> None:
    """Two systems with one of ten labels for each of a million items; confidences of as many."""
    seeds = str(QUICK_SEEDS if bench.quick else SEEDS)
    sides = ([sys.executable, str(HERE / "items.py"), "ours"], [bench.peers.python, str(HERE / "items.py"), "theirs"])
    ours, theirs = (json.loads(run([*side, seeds]).output) for side in sides)
    for name, values in theirs.items():
        pairs = [(a, b) for a, b in zip(ours[name], values, strict=True) if not (math.isnan(a) and math.isnan(b))]
        furthest = max(pairs, key=lambda pair: abs(pair[0] - pair[1]))
        same(f"{name} of items", *furthest)
        print(f"{name}: {len(pairs)} equal to {abs(furthest[0] - furthest[1]):.1e}", file=sys.stderr)
    number = NUMBER // 10 if bench.quick else NUMBER
    folder = ROOT / ".bench" / "data" / f"items-{number}"
    if not (folder / "made").exists():
        print("making the items …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "items.py"), "make", str(folder), str(number)], check=True)
    for kind, bound in (("", 3.0), ("-quoted", 6.0)):
        files = [str(folder / f"{name}{kind}.csv") for name in ("gold", "a", "b")]
        read = f"import sys, pandas; frames = [pandas.read_csv(path) for path in {files!r}]"
        commands = {
            "assay": [ASSAY, "compare", *files, "--format", "json"],
            PANDAS: [bench.peers.python, "-c", read],
            LOOP: [bench.peers.python, str(HERE / "items.py"), "bootstrap", str(BOOTSTRAP), *files],
        }
        if kind:
            del commands[LOOP]
        done = alternating(commands, bench.runs, slow=(LOOP,))
        what = f"compare, {number:,} items{' in quotes' if kind else ''}"
        bench.add(what, done)
        fastest = {name: best(runs) for name, runs in done.items()}
        bench.goals.append(Goal(f"{what}: times pandas", fastest["assay"].cpu / fastest[PANDAS].cpu, bound, "×"))
        if not kind:
            _same_scores(fastest["assay"].output, json.loads(fastest[LOOP].output))
            memory = fastest["assay"].memory / fastest[PANDAS].memory
            bench.goals.append(Goal(f"{what}: times the peak memory of pandas", memory, 2, "×"))
            bench.split(what, commands["assay"])
    plain, sure = ([str(folder / name) for name in ("gold.csv", f"{file}.csv")] for file in ("sure-no", "sure"))
    scored = {name: [ASSAY, "score", *files, "--format", "json"] for name, files in (("no", plain), ("sure", sure))}
    taken = {name: best(runs).cpu for name, runs in alternating(scored, bench.runs).items()}
    bench.goals.append(Goal(f"confidences of {number:,} items: CPU added", taken["sure"] - taken["no"], 2, "s"))


def _same_scores(output: str, theirs: dict[str, float]) -> None:
    for row in json.loads(output)["scores"]:
        name = f"{row['system']} {row['score']}"
        if row["label"] is None and name in theirs:
            same(f"{name} of items", row["value"], theirs[name])


# --- the same random data for both sides ---


def cases(seeds: int) -> Iterator[dict[str, Any]]:
    """Labels with a stray one, sets, numbers with ties, distributions and tables of scores."""
    for seed in range(seeds):
        rng = random.Random(seed)
        size, labels = rng.randrange(20, 200), [str(code) for code in range(rng.randrange(2, 7))]

        def vary(label: str, share: float, rng: random.Random = rng, labels: list[str] = labels) -> str:
            return label if rng.random() < share else rng.choice([*labels, *["9"] * (rng.random() < 0.1)])

        # Each label occurs in gold.
        gold = [*labels, *rng.choices(labels, k=size - len(labels))]
        numbers = [round(rng.gauss(0, 3), rng.randrange(1, 4)) for _ in gold]
        shares = [[rng.expovariate(0.3 if label == own else 1) + 1e-6 for own in labels] for label in gold]
        sets = [[label for label in labels if rng.random() < 0.4] for _ in gold]
        yield {
            "labels": labels,
            "gold": gold,
            "a": [vary(label, 0.7) for label in gold],
            "b": [vary(label, 0.6) for label in gold],
            "ranks": [rng.choice(labels) for _ in gold],
            "sets": sets,
            "members": [[label for label in labels if (label in own) != (rng.random() < 0.2)] for own in sets],
            "numbers": numbers,
            "guesses": [round(number + rng.gauss(1, 2), rng.randrange(1, 3)) for number in numbers],
            "shares": [[share / sum(row) for share in row] for row in shares],
            "scores": [[round(rng.gauss(80 + row, 3), 4) for row in range(4)] for _ in range(rng.randrange(6, 20))],
        }


def ours(seeds: int) -> Numbers:
    """What assay says."""
    import assay

    found: Numbers = {}
    for case in cases(seeds):
        labels = case["labels"]
        shares = [
            [{"label": label, "score": share} for label, share in zip(labels, row, strict=True)]
            for row in case["shares"]
        ]
        whole = ["accuracy", "balanced-accuracy", "label-f1", "mcc", "kappa"]
        told = assay.compare(case["gold"], {"a": case["a"], "b": case["b"]}, measures=whole, times=1)
        ranked = [f"kappa(weights={weights})" for weights in ("linear", "quadratic")]
        sets = [[set(own) for own in case[side]] for side in ("sets", "members")]
        results = [
            (told, {f"{name} value": name for name in ("accuracy", "balanced-accuracy", "mcc")}),
            (told, {"label-f1 macro-f1": "macro-f1", "label-f1 weighted-f1": "weighted-f1", "kappa kappa": "kappa"}),
            (told, {"label-f1 f1": "micro-f1"}),
            (
                assay.score(case["gold"], case["ranks"], measures=ranked, times=1),
                {f"{name} kappa": name for name in ranked},
            ),
            (
                assay.score(
                    sets[0],
                    sets[1],
                    measures=["label-f1", "subset-accuracy", "jaccard", "samples-f1", "hamming"],
                    times=1,
                ),
                {
                    **{"label-f1 f1": "sets micro-f1", "label-f1 macro-f1": "sets macro-f1"},
                    **{"label-f1 weighted-f1": "sets weighted-f1"},
                    **{f"{name} value": name for name in ("subset-accuracy", "jaccard", "samples-f1", "hamming")},
                },
            ),
            (
                assay.score(
                    case["numbers"],
                    case["guesses"],
                    measures=["mae", "rmse", "r2", "pearson", "spearman", "kendall"],
                    times=1,
                ),
                {f"{name} value": name for name in ("mae", "rmse", "r2", "pearson", "spearman", "kendall")},
            ),
            (
                assay.score(
                    case["gold"],
                    shares,
                    measures=["average-precision(positive=1)", "auc(positive=1)", "brier", "log-loss"]
                    if len(labels) == 2
                    else ["average-precision", "auc", "brier", "log-loss"],
                    times=1,
                ),
                {f"{name} value": name for name in ("average-precision", "auc", "brier", "log-loss")},
            ),
        ]
        for result, names in results:
            for row in result.scores:
                name = f"{row.measure.replace('(positive=1)', '')} {row.score}"
                if row.label is None and row.system != "b" and name in names:
                    found.setdefault(names[name], []).append(row.value)
        mcnemar = next(row.p for row in told.comparisons if row.test == "mcnemar")
        found.setdefault("McNemar", []).append(mcnemar)
        rows = [f"d{place},{','.join(map(str, row))}\n" for place, row in enumerate(case["scores"])]
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("dataset,s0,s1,s2,s3\n" + "".join(rows))
            file.flush()
            (ranks,) = assay.bayes(file.name, draws=100).ranks
        found.setdefault("Friedman", []).append(ranks.friedman)
        found.setdefault("p of Friedman", []).append(ranks.friedman_p)
        two = next(pair.wilcoxon for pair in ranks.pairs if {pair.a, pair.b} == {"s0", "s1"})
        found.setdefault("Wilcoxon", []).append(two)
    return found


def theirs(seeds: int) -> Numbers:
    """What scikit-learn, scipy and statsmodels say."""
    import numpy as np

    metrics, stats = import_module("sklearn.metrics"), import_module("scipy.stats")
    mcnemar = import_module("statsmodels.stats.contingency_tables").mcnemar
    warnings.simplefilter("ignore")
    found: Numbers = {}
    for case in cases(seeds):
        labels, gold, a, b = (case[name] for name in ("labels", "gold", "a", "b"))
        sides = [np.array([[label in own for label in labels] for own in case[name]]) for name in ("sets", "members")]
        there = np.flatnonzero(sides[0].any(axis=0))
        share, true = np.array(case["shares"]), np.array([[label == own for own in labels] for label in gold])
        columns = [1] if len(labels) == 2 else range(len(labels))
        right = [[one == other for one, other in zip(gold, side, strict=True)] for side in (a, b)]
        table = [
            [sum(x == i and y == j for x, y in zip(*right, strict=True)) for j in (True, False)]
            for i in (True, False)
        ]
        numbers, guesses = case["numbers"], case["guesses"]
        systems = [*zip(*case["scores"], strict=True)]
        friedman = stats.friedmanchisquare(*systems)
        values = {
            "accuracy": metrics.accuracy_score(gold, a),
            "balanced-accuracy": metrics.balanced_accuracy_score(gold, a),
            "macro-f1": metrics.f1_score(gold, a, labels=labels, average="macro"),
            "weighted-f1": metrics.f1_score(gold, a, labels=labels, average="weighted"),
            "micro-f1": metrics.f1_score(gold, a, average="micro"),
            "mcc": metrics.matthews_corrcoef(gold, a),
            "kappa": metrics.cohen_kappa_score(gold, a),
            **{
                f"kappa(weights={weights})": metrics.cohen_kappa_score(
                    gold, case["ranks"], labels=labels, weights=weights
                )
                for weights in ("linear", "quadratic")
            },
            "sets micro-f1": metrics.f1_score(*sides, average="micro", zero_division=1),
            **{
                f"sets {average}-f1": metrics.f1_score(
                    *(side[:, there] for side in sides), average=average, zero_division=1
                )
                for average in ("macro", "weighted")
            },
            "subset-accuracy": metrics.accuracy_score(*sides),
            "jaccard": metrics.jaccard_score(*sides, average="samples", zero_division=1),
            "samples-f1": metrics.f1_score(*sides, average="samples", zero_division=1),
            "hamming": metrics.hamming_loss(*sides),
            "mae": metrics.mean_absolute_error(numbers, guesses),
            "rmse": metrics.root_mean_squared_error(numbers, guesses),
            "r2": metrics.r2_score(numbers, guesses),
            "pearson": stats.pearsonr(numbers, guesses).statistic,
            "spearman": stats.spearmanr(numbers, guesses).statistic,
            "kendall": stats.kendalltau(numbers, guesses).statistic,
            "average-precision": np.mean(
                [metrics.average_precision_score(true[:, one], share[:, one]) for one in columns]
            ),
            "auc": np.mean([metrics.roc_auc_score(true[:, one], share[:, one]) for one in columns]),
            "brier": metrics.brier_score_loss(gold, share, labels=labels, scale_by_half=False),
            "log-loss": metrics.log_loss(gold, share, labels=labels),
            "McNemar": mcnemar(table, exact=True).pvalue,
            "Friedman": friedman.statistic,
            "p of Friedman": friedman.pvalue,
            "Wilcoxon": stats.wilcoxon(*systems[:2], method="exact").pvalue,
        }
        for name, value in values.items():
            found.setdefault(name, []).append(float(value))
    return found


# --- a large table ---


def bootstrap(times: int, paths: list[str]) -> dict[str, float]:
    """Accuracy and macro-F1 of two systems with scikit-learn, and of as many resamples: what people write."""
    import numpy as np

    metrics, pandas = import_module("sklearn.metrics"), import_module("pandas")
    gold, a, b = (pandas.read_csv(path).set_index("id")["label"] for path in paths)
    sides = [pandas.Categorical(side.loc[gold.index], categories=LABELS).codes for side in (gold, a, b)]
    rng = np.random.default_rng(0)

    def score(rows: Any) -> list[float]:
        first, *rest = (side[rows] for side in sides)
        return [
            figure
            for own in rest
            for figure in (metrics.accuracy_score(first, own), metrics.f1_score(first, own, average="macro"))
        ]

    names = [f"{system} {name}" for system in "ab" for name in ("value", "macro-f1")]
    again = [score(rng.integers(0, len(gold), len(gold))) for _ in range(times)]
    assert len(np.percentile(again, [2.5, 97.5], axis=0)) == 2
    return dict(zip(names, map(float, score(slice(None))), strict=True))


def make(folder: Path, number: int) -> None:
    """Gold and two systems as CSV, plain and in quotes, and a system with and without confidences."""
    rng = random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    gold = rng.choices(LABELS, weights=(25, 20, 15, 10, 8, 7, 5, 5, 3, 2), k=number)
    for name, share in (("gold", 1.0), ("a", 0.85), ("b", 0.855)):
        labels = [label if rng.random() < share else rng.choice(LABELS) for label in gold]
        for kind, row in (("", "r{},{}\n"), ("-quoted", '"r{}","{}"\n')):
            text = "".join(map(row.format, range(number), labels))
            (folder / f"{name}{kind}.csv").write_text("id,label\n" + text, encoding="utf-8")
    confidences = [0.5 + 0.5 * rng.random() for _ in gold]
    answers = [
        label if rng.random() < sure else rng.choice(LABELS) for label, sure in zip(gold, confidences, strict=True)
    ]
    for name, head, row in (("sure-no", "id,label", "r{},{}\n"), ("sure", "id,label,confidence", "r{},{},{:.6f}\n")):
        text = "".join(map(row.format, range(number), answers, confidences))
        (folder / f"{name}.csv").write_text(f"{head}\n{text}", encoding="utf-8")
    (folder / "made").touch()


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "make":
        make(Path(rest[0]), int(rest[1]))
    elif what == "bootstrap":
        print(json.dumps(bootstrap(int(rest[0]), rest[1:])))
    else:
        print(json.dumps({"ours": ours, "theirs": theirs}[what](int(rest[0]))))
