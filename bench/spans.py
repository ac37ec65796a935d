"""Benchmarks of labelled spans: the whole command, scores in memory, and one long sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common import ASSAY, HERE, ROOT, Bench, Goal, same
from measure import Run, alternating, run
from peers import faireval_config, faireval_counts, seqscore_counts

MEASURES = ("-m", "exact", "-m", "fair", "-m", "semeval")
TOKENS = 1_000_000
UNIT = 4_000
GENERATOR = ROOT.parent / "shared" / "cases" / "spans" / "gen_corpus.py"
# What is known of the corpora that the generator makes of 1,000,000 tokens.
EXPECTED = {
    "flat": {
        "exact": {"tp": 109543, "fp": 10369, "fn": 11884},
        "fair": {"tp": 109543, "fp": 1348, "fn": 2973, "le": 3428, "bes": 1542, "bel": 2683, "beo": 169, "lbe": 1344},
        "semeval": {"same": 109543, "same-span": 3428, "same-label": 4123, "missed": 3112, "spurious": 1597},
    },
    "nested": {
        "exact": {"tp": 150656, "fp": 14410, "fn": 16282},
        "fair": {"tp": 150653, "fp": 1852, "fn": 3935, "le": 4688, "bes": 2009, "bel": 3855, "beo": 255, "lbe": 1895},
    },
}
SIZES = {"flat": {"gold": 121427, "system": 119912}, "nested": {"gold": 166938, "system": 165147}}


def bench_spans(bench: Bench) -> None:
    """In memory, from files, and in one long sentence."""
    folder = _prepared(TOKENS // 10 if bench.quick else TOKENS)
    if not bench.quick:
        _check_known_counts()
    _in_memory(bench, folder)
    _commands(bench, folder)
    _one_sentence(bench)


def _prepared(tokens: int) -> Path:
    folder = ROOT / ".bench" / "data" / f"spans-{tokens}"
    if not (folder / "made").exists():
        print("making the spans …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "spancorpus.py"), str(folder), str(tokens)], check=True)
    return folder


# --- same answers ---


def _check_known_counts() -> None:
    """Counts on corpora whose counts are known, where their generator is there."""
    if not GENERATOR.exists():
        print(f"known counts: not checked, for {GENERATOR.name} is not beside the project", file=sys.stderr)
        return
    for kind, endings in (("flat", ("conll", "spans.tsv")), ("nested", ("spans.tsv",))):
        folder = ROOT / ".bench" / "data" / f"spans-known-{kind}"
        if not (folder / "meta.json").exists():
            nested = ["--nested"] if kind == "nested" else []
            command = [sys.executable, str(GENERATOR), "--out", str(folder), "--tokens", str(TOKENS), *nested]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for ending in endings:
            counts = _counts(folder / f"gold.{ending}", folder / f"sys.{ending}")
            for measure, expected in EXPECTED[kind].items():
                _same_counts(f"{kind} {ending}, {measure}", counts[measure], expected)
            _same_counts(f"{kind} {ending}", counts["fair"], SIZES[kind])


def _counts(gold: Path, system: Path) -> dict[str, dict[str, int]]:
    """What the command counts over all labels, by measure."""
    command = [ASSAY, "score", str(gold), str(system), *MEASURES, "--times", "1", "--format", "json"]
    rows = json.loads(run(command).output)["counts"]
    return {row["measure"]: row["counts"] for row in rows if row["label"] is None and row["slice"] is None}


def _same_counts(what: str, ours: Mapping[str, int], theirs: Mapping[str, int]) -> None:
    for name, number in theirs.items():
        same(f"{what}: {name}", ours[name], number, 0)


# --- in memory ---


def _in_memory(bench: Bench, folder: Path) -> None:
    """From lists of tags to scores."""
    files = [str(folder / f"{name}.conll") for name in ("gold", "system")]
    for task, kind, peer in (
        ("classification_report", "report", "seqeval"),
        ("classification_report, strict IOB2", "strict", "seqeval, strict"),
    ):
        done = _timed(bench, {"assay": f"assay_{kind}", peer: f"seqeval_{kind}"}, files)
        if done["assay"][0].output != done[peer][0].output:
            raise SystemExit(f"{task}: assay and seqeval differ:\n{done['assay'][0].output}\n{done[peer][0].output}")
        bench.add(task, done)
        bench.times_as_fast(task, bench.rows[-1], 8)
    for task, method in (
        ("exact, fair, semeval from lists: assay.score, 1 resample", "assay_score"),
        ("exact, fair, semeval from lists: assay.engine.matching", "assay_matching"),
    ):
        done = _timed(bench, {"assay": method, "nervaluate": "nervaluate"}, files)
        ours, theirs = (json.loads(done[name][0].output) for name in ("assay", "nervaluate"))
        for name, numbers in theirs.items():
            for number, other in zip(ours[name], numbers, strict=True):
                same(f"{task}, {name}", number, other, 0)
        bench.add(task, done)
        if method == "assay_matching":
            bench.times_as_fast(task, bench.rows[-1], 8)


def _timed(bench: Bench, methods: Mapping[str, str], given: list[str]) -> dict[str, list[Run]]:
    """Methods of spanscores.py in turn; their times are those of scoring alone."""
    commands = {
        name: [
            sys.executable if method.startswith("assay") else bench.peers.python,
            str(HERE / "spanscores.py"),
            method,
            *given,
        ]
        for name, method in methods.items()
    }
    done = alternating(commands, bench.runs)
    return {name: [_scoring(one) for one in runs] for name, runs in done.items()}


def _scoring(one: Run) -> Run:
    answer: dict[str, Any] = json.loads(one.output)
    return Run(answer["cpu"], one.memory, json.dumps(answer["found"]))


# --- the whole command ---


def _commands(bench: Bench, folder: Path) -> None:
    """From files to a table with intervals."""
    gold, system = folder / "gold.conll", folder / "system.conll"
    task = "score exact, fair, semeval; CoNLL"
    seqscore = [bench.peers.seqscore, "score", "--labels", "BIO", "--score-format", "delim", "--full-precision"]
    commands = {
        "assay": _command(gold, system),
        "seqscore": [*seqscore, "--reference", str(gold), str(system)],
    }
    counts = _counts(gold, system)
    _same_counts("seqscore", counts["exact"], seqscore_counts(run(commands["seqscore"]).output))
    commands |= _faireval(bench, gold, system, counts)
    bench.race(task, commands)
    row = next(row for row in bench.rows if row.task == task)
    bench.goals.append(Goal("spans, CoNLL: CPU", row.cpu, 3, "s"))
    bench.goals.append(Goal("spans, CoNLL: peak memory", row.memory, 600, "MB"))
    bench.times_as_fast("spans, CoNLL", row, 3)
    if "FairEval" in commands:
        bench.times_as_fast("spans, CoNLL", bench.rows[-1], 1)
    bench.split(task, commands["assay"])
    _span_tables(bench, folder, "span table", "tsv")
    _span_tables(bench, folder, "span table, nested", "nested.tsv")


def _faireval(bench: Bench, gold: Path, system: Path, counts: Mapping[str, dict[str, int]]) -> dict[str, list[str]]:
    """FairEval's command where it is there and counts the same; of nested spans it matches a few otherwise."""
    script = bench.script("FairEval.py")
    if not script:
        return {}
    config = faireval_config(gold, system, bench.data / "faireval" / gold.name)
    command = [sys.executable, script, "--config", config]
    for measure, theirs in faireval_counts(run(command).output).items():
        if measure == "exact" or "nested" not in gold.name:
            _same_counts(f"FairEval, {gold.name}, {measure}", counts[measure], theirs)
    return {"FairEval": command}


def _command(gold: Path, system: Path) -> list[str]:
    return [ASSAY, "score", str(gold), str(system), *MEASURES, "--format", "tsv"]


def _span_tables(bench: Bench, folder: Path, what: str, ending: str) -> None:
    gold, system = folder / f"gold.{ending}", folder / f"system.{ending}"
    task = f"score exact, fair, semeval; {what}"
    commands = {
        "assay": _command(gold, system),
        "set intersection (exact only)": [sys.executable, str(HERE / "floor.py"), "spans", str(gold), str(system)],
    }
    floor = json.loads(run(commands["set intersection (exact only)"]).output)
    counts = _counts(gold, system)
    _same_counts(what, counts["exact"], floor)
    commands |= _faireval(bench, gold, system, counts)
    bench.race(task, commands)
    if "FairEval" in commands:
        bench.times_as_fast(f"spans, {what}", bench.rows[-1], 1)


# --- one long sentence ---


def _one_sentence(bench: Bench) -> None:
    """What documents are to a scorer whose time grows with the square of the spans in a unit."""
    peer = f"nervaluate, {UNIT:,} spans"
    done = _timed(bench, {"assay": "assay_unit", peer: "nervaluate_unit"}, [str(UNIT)])
    ours, theirs = (json.loads(runs[0].output) for runs in done.values())
    _same_counts("one sentence", ours, theirs)
    bench.add(f"exact, fair; one sentence of {UNIT:,} spans", done)
    small = bench.rows[-1]
    bench.times_as_fast("one sentence", small, 20)
    large = min(one.cpu for one in _timed(bench, {"assay": "assay_unit"}, [str(10 * UNIT)])["assay"])
    bench.goals.append(Goal(f"one sentence: growth from {UNIT:,} to {10 * UNIT:,} spans", large / small.cpu, 15, "×"))
