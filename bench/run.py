"""Benchmarks: first the same answer as the peers, then CPU seconds and peak memory, as a Markdown table."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from alpha import bench_alpha
from answers import bench_answers
from bayes import bench_bayes
from common import ASSAY, HERE, ROOT, Bench, Goal, same, scores
from coreference import bench_coreference
from decisions import bench_decisions
from doors import bench_doors
from events import bench_events
from graphs import bench_graphs
from items import bench_items
from links import bench_links
from measure import Run, alternating, best, run
from peers import Peers, compareval_accuracies, compareval_script, ud_accuracy
from records import bench_records
from relations import bench_relations
from spans import bench_spans
from tables import everything, put_into, summary
from trees import bench_trees

TIMES = 10_000
# Peers take long, so that they do fewer rounds, and assay as many.
ROUNDS = {
    "loop_shuffling": 1_000,
    "scipy_shuffling": 200,
    "sacrebleu_shuffling": 1_000,
    "loop_bootstrap": 500,
    "scipy_bootstrap": 200,
    "sacrebleu_bootstrap": 200,
}
TITLES = {"loop": "NumPy loop", "scipy": "scipy", "sacrebleu": "sacrebleu"}


# --- the tasks ---


def bench_score(bench: Bench) -> None:
    """One system against gold: the UD scorers, scikit-learn, and the floor."""
    files = bench.files("conllu", "a")
    sklearn = [bench.peers.python, str(HERE / "sklearn_scores.py")]
    commands = {
        "assay": [ASSAY, "score", *files, "--column", "XPOS", "--format", "json"],
        "udtools": [bench.peers.udeval, "-c", *files],
        "scikit-learn accuracy_score": [*sklearn, "accuracy", *files],
        "Counter loop": [sys.executable, str(HERE / "floor.py"), "conllu", *files],
    }
    scorers = ["udtools"]
    if script := bench.script("conll18_ud_eval.py"):
        scorers.append("conll18_ud_eval")
        commands[scorers[-1]] = [bench.peers.python, script, "-c", *files]
    first = {name: run(command) for name, command in commands.items()}
    ours = scores(first["assay"].output, "f1")[0]
    for name in scorers:
        same(f"XPOS of {name}", ours, ud_accuracy(first[name].output))
    same("accuracy_score", ours, json.loads(first["scikit-learn accuracy_score"].output)["accuracy"])
    same("Counter loop", ours, json.loads(first["Counter loop"].output)["accuracy"][0])
    bench.race("score, 1 system", commands, slow=scorers)
    for row in bench.rows:
        if row.peer in scorers:
            bench.times_as_fast("score", row, 15)


def bench_report(bench: Bench) -> None:
    """Every tag by itself: scikit-learn's classification_report (without intervals)."""
    files = bench.files("conllu", "a")
    measures = ["-m", "accuracy", "-m", "tag-f1"]
    commands = {
        "assay": [ASSAY, "score", *files, "--column", "XPOS", *measures, "--format", "json"],
        "scikit-learn accuracy_score and classification_report": [
            bench.peers.python,
            str(HERE / "sklearn_scores.py"),
            "report",
            *files,
        ],
    }
    first = {name: run(command) for name, command in commands.items()}
    theirs = json.loads(first["scikit-learn accuracy_score and classification_report"].output)
    same("accuracy", scores(first["assay"].output, "f1")[0], theirs["accuracy"])
    same("macro-F1", scores(first["assay"].output, "macro-f1", "tag-f1")[0], theirs["macro-f1"])
    bench.race("score, each tag", commands)


def bench_compare(bench: Bench) -> None:
    """Two systems against each other, CoNLL-U."""
    files = bench.files("conllu", "a", "b")
    commands = {
        "assay": [ASSAY, "compare", *files, "--column", "XPOS", "--format", "json"],
        "Counter loop": [sys.executable, str(HERE / "floor.py"), "conllu", *files],
    }
    first = {name: run(command) for name, command in commands.items()}
    _same_comparison(first["assay"], first["Counter loop"])
    bench.race("compare, 2 systems", commands)
    row = bench.rows[-1]
    bench.goals.append(Goal("compare: CPU", row.cpu, 1.2, "s"))
    bench.goals.append(Goal("compare: peak memory", row.memory, 250, "MB"))
    bench.split("compare, 2 systems", commands["assay"])


def bench_tsv(bench: Bench) -> None:
    """Two systems against each other, a word and its tag per line: what ComparEval reads."""
    files = bench.files("tsv", "a", "b")
    commands = {
        "assay": [ASSAY, "compare", *files, "--format", "json"],
        "Counter loop": [sys.executable, str(HERE / "floor.py"), "tsv", *files],
    }
    if found := bench.script("compare_pos_taggers.py"):
        script = compareval_script(Path(found), bench.data / "compareval")
        commands["ComparEval"] = [sys.executable, script, *files]
    first = {name: run(command) for name, command in commands.items()}
    _same_comparison(first["assay"], first["Counter loop"])
    if "ComparEval" in commands:
        theirs = compareval_accuracies(first["ComparEval"].output, files[1:])
        for name, ours, accuracy in zip("ab", scores(first["assay"].output, "f1"), theirs, strict=True):
            same(f"ComparEval's accuracy of {name}", ours, accuracy)
    bench.race("compare, 2 systems, TSV", commands)


def _same_comparison(ours: Run, theirs: Run) -> None:
    counted = json.loads(theirs.output)
    for name, value, accuracy in zip("ab", scores(ours.output, "f1"), counted["accuracy"], strict=True):
        same(f"accuracy of {name}", value, accuracy)
    same("different answers", json.loads(ours.output)["diffs"][0]["different"], counted["different"])


def bench_shuffling(bench: Bench) -> None:
    """The shuffling test on F1 over many sentences, in process."""
    cpu = _resampling(bench, "shuffling", _same_p)
    bench.goals.append(Goal(f"shuffling, {TIMES:,} rounds: CPU", cpu, 0.2, "s"))


def bench_bootstrap(bench: Bench) -> None:
    """The paired bootstrap of F1 over many sentences, in process."""
    cpu = _resampling(bench, "bootstrap", _same_interval)
    bench.goals.append(Goal(f"bootstrap, {TIMES:,} rounds: CPU", cpu, 0.5, "s"))


def _resampling(bench: Bench, kind: str, check: Callable[[dict[str, Any], dict[str, Any]], None]) -> float:
    """Rows of as many rounds as each peer does; what assay takes for the usual number of them."""
    counts, script = str(bench.data / "counts.tsv"), str(HERE / "resampling.py")
    units = int((bench.data / "made").read_text(encoding="utf-8").split()[2])

    def timed(runs: list[Run]) -> list[Run]:
        return [Run(json.loads(one.output)["cpu"], one.memory, one.output) for one in runs]

    many = timed([run([sys.executable, script, f"assay_{kind}", counts, str(TIMES)]) for _ in range(bench.runs)])
    for peer, title in TITLES.items():
        method = f"{peer}_{kind}"
        commands = {
            "assay": [sys.executable, script, f"assay_{kind}", counts, str(ROUNDS[method])],
            title: [bench.peers.python, script, method, counts, str(ROUNDS[method])],
        }
        done = {name: timed(runs) for name, runs in alternating(commands, bench.runs, slow=(title,)).items()}
        check(json.loads(many[0].output), json.loads(done[title][0].output))
        bench.add(f"{ROUNDS[method]:,} {kind} rounds over {units:,} sentences", done)
    return best(many).cpu


def _same_p(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    # Also holds for a p that is twice the smaller tail, whose error is larger than that of a share.
    error = math.sqrt(ours["p"] * (2 - ours["p"]) * (1 / ours["times"] + 1 / theirs["times"]))
    same("p", ours["p"], theirs["p"], 4 * error)


def _same_interval(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    for name, width in (
        ("low", ours["high"] - ours["low"]),
        ("high", ours["high"] - ours["low"]),
        ("half", 2 * ours["half"]),
    ):
        if name in theirs:
            # The standard error of a 2.5% quantile of a normal distribution whose 95% interval has this width.
            error = 2.67 * width / 3.92 * math.sqrt(1 / ours["times"] + 1 / theirs["times"])
            same(f"{name} of the interval", ours[name], theirs[name], 4 * error)


def bench_rich(bench: Bench) -> None:
    """Partial credit of five taggers on 48,959 words of Slovene; no peer computes it, so the floor stands beside."""
    folder = ROOT.parent / "shared" / "data" / "morph-slovene-ssj500k"
    if not folder.is_dir():
        print("rich: left out, for ../shared/data/morph-slovene-ssj500k is not there", file=sys.stderr)
        return
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["systems"]
    files = [str(folder / "test.conllu"), *(str(folder / "systems" / f"{name}.conllu") for name in expected)]
    measures = ["-m", "pa", "-m", "wpa(weights=poliqarp)", "-m", "cwpa(weights=paper)"]
    commands = {
        "assay": [ASSAY, "score", *files, "--column", "XPOS", "--tagset", "mte-sl", *measures, "--format", "json"],
        "Counter loop (accuracy only)": [sys.executable, str(HERE / "floor.py"), "conllu", *files],
    }
    first = run(commands["assay"])
    for ours, figures in zip(scores(first.output, "strong", "pa"), expected.values(), strict=True):
        same("pa", ours, float(Fraction(figures["pa"]["exact"])))
    bench.race("pa, wpa, cwpa, 5 systems", commands)
    bench.goals.append(Goal("pa, wpa, cwpa: CPU", bench.rows[-1].cpu, 1.5, "s"))
    bench.split("pa, wpa, cwpa, 5 systems", commands["assay"])


def bench_startup(bench: Bench) -> None:
    """The help text beside an interpreter that does nothing."""
    commands = {"assay": [ASSAY, "--help"], "python -c pass": [sys.executable, "-c", "pass"]}
    for command in commands.values():
        run(command)
    bench.add("assay --help", alternating(commands, 3 * bench.runs))
    bench.goals.append(Goal("--help: CPU", bench.rows[-1].cpu, 0.15, "s"))


TASKS: dict[str, Callable[[Bench], None]] = {
    "startup": bench_startup,
    "score": bench_score,
    "report": bench_report,
    "compare": bench_compare,
    "tsv": bench_tsv,
    "shuffling": bench_shuffling,
    "bootstrap": bench_bootstrap,
    "rich": bench_rich,
    "spans": bench_spans,
    "relations": bench_relations,
    "trees": bench_trees,
    "coreference": bench_coreference,
    "graphs": bench_graphs,
    "links": bench_links,
    "bayes": bench_bayes,
    "answers": bench_answers,
    "alpha": bench_alpha,
    "items": bench_items,
    "decisions": bench_decisions,
    "records": bench_records,
    "events": bench_events,
    "doors": bench_doors,
}
GROUPS = {"tags": ("score", "report", "compare", "tsv", "rich")}


# --- what is printed ---


def machine(peers: Peers) -> str:
    """What was measured on, and against what."""
    versions = ", ".join(f"{name} {version}" for name, version in peers.versions().items())
    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores; peers: {versions}"


def as_json(bench: Bench, description: str) -> str:
    """The same as data."""
    goals = [{**asdict(goal), "met": goal.met} for goal in bench.goals]
    rows = [asdict(row) for row in bench.rows]
    return json.dumps({"machine": description, "rows": rows, "parts": bench.parts, "goals": goals}, indent=1) + "\n"


def prepared(quick: bool) -> Path:
    """The folder with the generated data."""
    tokens, units = (20_000, 5_000) if quick else (200_000, 50_000)
    folder = ROOT / ".bench" / "data" / str(tokens)
    if not (folder / "made").exists():
        print("making the data …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "corpus.py"), str(folder), str(tokens), str(units)], check=True)
    return folder


def arguments() -> argparse.Namespace:
    """What the user wants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data and one run: does it all work?")
    names = [*TASKS, *GROUPS]
    parser.add_argument("--only", metavar="NAME", action="append", choices=names, help=f"one of {', '.join(names)}")
    parser.add_argument("--runs", metavar="N", type=int, help="alternating runs, of which the best counts (5)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures here too")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md and bench/README.md")
    parser.add_argument(
        "--peers", metavar="DIR", type=Path, action="append", default=[], help="a folder with peers; repeatable"
    )
    given = parser.parse_args()
    if given.write and (given.quick or given.only):
        parser.error("--write wants all tasks on all data.")
    return given


def main() -> None:
    """Measure and print."""
    given = arguments()
    peers = Peers(ROOT / ".bench" / "peers")
    peers.install()
    runs = given.runs or (1 if given.quick else 5)
    bench = Bench(prepared(given.quick), peers, runs, given.quick, tuple(given.peers))
    description = machine(peers)
    chosen = [task for name in given.only or TASKS for task in GROUPS.get(name, (name,))]
    head = [f"{description}; best of {bench.runs}", ""]
    try:
        for name in dict.fromkeys(chosen):
            print(f"{name} …", file=sys.stderr)
            TASKS[name](bench)
    finally:
        # What was measured before something went wrong is worth having.
        print("\n".join([*head, *everything(bench)]))
    if given.quick:
        print("\nA tenth of the data: the goals are meant for all of it.")
    if given.json:
        given.json.write_text(as_json(bench, description), encoding="utf-8")
    if given.write:
        put_into(ROOT / "README.md", summary(bench))
        put_into(HERE / "README.md", iter([*head, *everything(bench)]))


if __name__ == "__main__":
    main()
