"""Benchmarks of parsers: dependencies, their comparison, PARSEVAL, and TedEval across frameworks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from common import ASSAY, HERE, ROOT, Bench, Goal, same, scores
from measure import run
from peers import evalb_command, evalb_counts, ud_counts

TOKENS = 250_000
SENTENCES = 15_000
DEPENDENCIES = ("uas", "las", "clas", "mlas", "blex", "tokens", "words", "sentences")
MADE = "made trees"
SHARED = ROOT.parent / "shared" / "data"
# Of the real parsers' outputs.
PARSERS = ("perceptron-arc-eager", "perceptron-arc-hybrid")
BRACKETS = "pcfg-v2-h1_predpos"
FUNCTIONS = "pcfg-functions-v2-h1_predpos"


def bench_trees(bench: Bench) -> None:
    """On generated trees, and on real ones repeated to the same size where they are beside the project."""
    tokens = TOKENS // 10 if bench.quick else TOKENS
    made = _made(tokens)
    gold, a, b = (str(made / f"{name}.conllu") for name in ("gold", "a", "b"))
    _dependencies(bench, MADE, [gold, a])
    _comparison(bench, MADE, [gold, a, b])
    _constituents(bench, MADE, [str(made / f"{name}.ptb") for name in ("gold", "system")])
    functions = [str(made / f"{name}.functions.ptb") for name in ("gold", "system")]
    _frameworks(bench, MADE, [gold, functions[0], a, functions[1]])
    if _there("dep-english"):
        folder = _repeated("dep-english", ["gold.conllu", *(f"{name}.conllu" for name in PARSERS)], words=tokens)
        files = [str(folder / f"{name}.conllu") for name in ("gold", *PARSERS)]
        _dependencies(bench, "EWT, repeated", files[:2])
        _comparison(bench, "EWT, repeated", files)
    if _there("const-dep-english"):
        _real_constituents(bench, tokens)


def _made(tokens: int) -> Path:
    folder = ROOT / ".bench" / "data" / f"trees-{tokens}"
    if not (folder / "made").exists():
        print("making the trees …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "treecorpus.py"), str(folder), str(tokens)], check=True)
    return folder


# --- the tasks ---


def _dependencies(bench: Bench, data: str, files: Sequence[str]) -> None:
    """All measures of one parser: UD's scorer."""
    measures = [part for name in DEPENDENCIES for part in ("-m", name)]
    commands = {
        "assay": [ASSAY, "score", *files, *measures, "--format", "json"],
        "udtools": [bench.peers.udeval, "-c", "--no-enhanced", *files],
    }
    if script := bench.script("conll18_ud_eval.py"):
        commands["conll18_ud_eval"] = [bench.peers.python, script, "-c", *files]
    first = {name: run(command) for name, command in commands.items()}
    ours = _counts(first["assay"].output)
    for peer in list(commands)[1:]:
        theirs = ud_counts(first[peer].output)
        for measure in DEPENDENCIES:
            for field, number in theirs[measure].items():
                same(f"{data}: {field} of {measure}, {peer}", ours[measure][field], number, 0)
    task = f"score uas, las, clas, mlas, blex, …; {data}"
    bench.race(task, commands, slow=("udtools", "conll18_ud_eval"))
    for row in bench.rows[1 - len(commands) :]:
        bench.times_as_fast(f"dependencies, {data}", row, 10)
    bench.split(task, commands["assay"])


def _comparison(bench: Bench, data: str, files: Sequence[str]) -> None:
    """Two parsers against each other; no peer does it all, so the floor stands beside."""
    commands = {
        "assay": [ASSAY, "compare", *files, "--task", "dependencies", "--format", "json"],
        "plain loop (LAS only)": [sys.executable, str(HERE / "treefloor.py"), "arcs", *files],
    }
    ours = run(commands["assay"]).output
    floor = json.loads(run(commands["plain loop (LAS only)"]).output)
    for value, other in zip(scores(ours, "f1", "las"), floor["las"], strict=True):
        same(f"{data}: las", value, other)
    same(f"{data}: different answers", _different(ours, "las"), floor["different"], 0)
    task = f"compare, 2 parsers; {data}"
    bench.race(task, commands)
    bench.goals.append(Goal(f"compare, {data}: CPU", bench.rows[-1].cpu, 2, "s"))
    bench.split(task, commands["assay"])


def _constituents(bench: Bench, data: str, files: Sequence[str], roots: int = 0) -> None:
    """PARSEVAL: PYEVALB, which counts roots, of which there are so many; and EVALB with its parameters new.prm."""
    commands = {
        "assay": [ASSAY, "score", *files, "-m", "parseval", "--format", "json"],
        "PYEVALB": [bench.peers.python, str(HERE / "pyevalb_scores.py"), *files],
        "plain loop (F1 only)": [sys.executable, str(HERE / "treefloor.py"), "brackets", *files],
    }
    first = {name: run(command).output for name, command in commands.items()}
    ours = _counts(first["assay"])["parseval"]
    for peer in list(commands)[1:]:
        for field, number in json.loads(first[peer]).items():
            with_roots = roots if field in ("tp", "gold", "system") else 0
            same(f"{data}: {field} of {peer}", ours[field] + with_roots, number, 0)
    task = f"score parseval; {data}"
    bench.race(task, commands)
    pyevalb = next(row for row in reversed(bench.rows) if row.peer == "PYEVALB")
    bench.times_as_fast(f"parseval, {data}", pyevalb, 5)
    bench.split(task, commands["assay"])
    source, parameters = bench.script("evalb.c"), bench.script("new.prm")
    if source and parameters:
        evalb = evalb_command(source, parameters, ROOT / ".bench" / "evalb")
        commands = {
            "assay": [ASSAY, "score", *files, "-m", "parseval(preset=new)", "--format", "json"],
            "EVALB": [*evalb, *files],
        }
        ours = _counts(run(commands["assay"]).output)["parseval(preset=new)"]
        # EVALB knows nothing of gold's brackets in sentences that it leaves out.
        ours["gold"] -= ours["unscored"]
        for field, number in evalb_counts(run(commands["EVALB"]).output).items():
            same(f"{data}: {field} of EVALB", ours[field], number, 0)
        bench.race(f"score parseval as EVALB with new.prm; {data}", commands)
        bench.goals.append(Goal(f"parseval, {data}: times the CPU of EVALB", 1 / bench.rows[-1].ratio, 6, "×"))


def _frameworks(bench: Bench, data: str, files: Sequence[str], known: Mapping[str, float] | None = None) -> None:
    """A dependency and a constituency parser across frameworks, each with its own gold: TedEval as plain sets."""
    dependencies, constituents, a, b = files
    golds = ["--theory", f"dep={dependencies}", "--theory", f"ps={constituents}"]
    commands = {
        "assay": [ASSAY, "cross", *golds, f"a@dep={a}", f"b@ps={b}", "--format", "json"],
        "plain sets (TedEval multiple only)": [sys.executable, str(HERE / "treefloor.py"), "tedeval", *files],
    }
    ours = run(commands["assay"]).output
    floor = json.loads(run(commands["plain sets (TedEval multiple only)"]).output)
    for way, measure in (("labelled", "tedeval"), ("unlabelled", "tedeval(labelled=false)")):
        found = dict(zip(("dep", "ps"), scores(ours, "value", measure), strict=True))
        for theory, value in found.items():
            same(f"{data}: {measure} of {theory}", value, floor[way][theory])
            if known is not None:
                same(f"{data}: known {measure} of {theory}", value, known[f"{theory} {way}"])
    task = f"cross, TedEval; {data}"
    bench.race(task, commands)
    bench.goals.append(Goal(f"cross, {data}: CPU", bench.rows[-1].cpu, 4, "s"))
    bench.split(task, commands["assay"])


def _counts(output: str) -> dict[str, dict[str, int]]:
    """What the command counted, by measure."""
    return {row["measure"]: row["counts"] for row in json.loads(output)["counts"]}


def _different(output: str, measure: str) -> int:
    diffs: list[dict[str, Any]] = json.loads(output)["diffs"]
    return next(int(diff["different"]) for diff in diffs if diff["on"] == measure)


# --- real trees, repeated ---


def _there(name: str) -> bool:
    if (SHARED / name).is_dir():
        return True
    print(f"trees: {name} left out, for ../shared/data/{name} is not there", file=sys.stderr)
    return False


def _real_constituents(bench: Bench, tokens: int) -> None:
    name = "const-dep-english"
    sentences = SENTENCES // 10 if bench.quick else SENTENCES
    folder = _repeated(name, ["gold.ptb", f"{BRACKETS}.ptb"], words=tokens)
    files = [str(folder / f"{one}.ptb") for one in ("gold", BRACKETS)]
    _constituents(bench, "GUM, repeated", files, roots=_sentences(folder / "gold.ptb"))
    parses = ("gold.conllu", "gold.enriched.ptb", f"{PARSERS[0]}.conllu", f"{FUNCTIONS}.ptb")
    folder = _repeated(name, parses, sentences=sentences)
    _frameworks(bench, "GUM, repeated", [str(folder / one) for one in parses], _known_tedeval())


def _known_tedeval() -> dict[str, float]:
    """TedEval multiple, sizes 2.1, as it was worked out for these files before; copies change nothing in it."""
    figures = json.loads((SHARED / "const-dep-english" / "expected_tedeval.json").read_text(encoding="utf-8"))
    systems = figures["tedeval"]["subtypes_kept"]["systems"]
    return {
        f"{theory} {way}": 1 - sums["tedeval-2.1"]["delta"] / sums["tedeval-2.1"]["N"]
        for theory, file in (("dep", f"{PARSERS[0]}.conllu"), ("ps", f"{FUNCTIONS}.ptb"))
        for way, sums in systems[file]["multiple"].items()
    }


def _repeated(name: str, files: Sequence[str], *, words: int = 0, sentences: int = 0) -> Path:
    """Copies of all files, as many as bring the first to about so many words or sentences."""
    size = _words(SHARED / name / files[0]) if words else _sentences(SHARED / name / files[0])
    copies = max(1, round((words or sentences) / size))
    folder = ROOT / ".bench" / "data" / f"{name}-{copies}"
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        if not (folder / file).exists():
            text = (SHARED / name / file).read_text(encoding="utf-8").rstrip("\n") + "\n"
            end = "\n" if file.endswith(".conllu") else ""
            # Sentences keep ids of their own, for units are told apart by them.
            parts = (text.replace("# sent_id = ", f"# sent_id = {copy}-") + end for copy in range(copies))
            (folder / file).write_text("".join(parts), encoding="utf-8")
    return folder


def _words(path: Path) -> int:
    text = path.read_text(encoding="utf-8")
    # A word is a line that begins with a whole number, or what stands before a closing bracket.
    return len(
        re.findall(r"^\d+\t", text, re.MULTILINE) if path.suffix == ".conllu" else re.findall(r"[^)\s]\)", text)
    )


def _sentences(path: Path) -> int:
    return path.read_text(encoding="utf-8").rstrip("\n").count("\n\n" if path.suffix == ".conllu" else "\n") + 1
