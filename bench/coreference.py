"""Benchmarks of coreference: all measures of one resolver, two resolvers compared, and long documents."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from common import ASSAY, HERE, ROOT, Bench, Goal, same, scores
from measure import alternating, best, run

DOCUMENTS = 281
CHAINS = ("mentions", "muc", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea", "conll")
MEASURES = (*CHAINS, "arcs-any", "arcs-nom")
FLOOR = "plain Python"
JOINED = 20
COVAL = {
    name: rf"\b{theirs}\b[^\n]*?F1:? +([0-9.]+)"
    for name, theirs in (("muc", "muc"), ("b-cubed", "bcub"), ("ceaf-e", "ceafe"), ("lea", "lea"))
}
REFERENCE = {"muc": r"Coreference: Recall:[^\n]*F1: ([0-9.]+)%"}


def bench_coreference(bench: Bench) -> None:
    """On generated documents like those of GUM."""
    folder = _made(DOCUMENTS // 10 if bench.quick else DOCUMENTS)
    _score(bench, [str(folder / f"{name}.conll") for name in ("key", "a")])
    _compare(bench, [str(folder / f"{name}.conll") for name in ("key", "a", "b")])
    _long_documents(bench, folder)
    _zeros(bench, [str(folder / f"{name}.conllu") for name in ("key", "a")])


def _made(documents: int) -> Path:
    folder = ROOT / ".bench" / "data" / f"chains-{documents}"
    if not (folder / "made").exists() or not (folder / "key.conllu").exists():
        print("making the chains …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "chaincorpus.py"), str(folder), str(documents)], check=True)
    return folder


# --- the tasks ---


def _score(bench: Bench, files: Sequence[str]) -> None:
    """All measures of one resolver: scorch has five of them, the floor all but ARCS, neither has intervals."""
    commands = {
        "assay": _scoring(files),
        "scorch": [bench.peers.python, str(HERE / "scorch_scores.py"), *files],
        FLOOR: [sys.executable, str(HERE / "chainfloor.py"), *files],
    }
    first = {name: run(command).output for name, command in commands.items()}
    _same_scores("scorch", first["assay"], [json.loads(first["scorch"])])
    _same_scores(FLOOR, first["assay"], json.loads(first[FLOOR])["scores"])
    if script := bench.script("scorer.py", "coval"):
        commands["coval"] = [bench.peers.python, script, *files]
        _same_percent("coval", first["assay"], run(commands["coval"]).output, COVAL)
    if script := bench.script("scorer.pl"):
        # MUC alone: CEAF and BLANC take it many minutes.
        commands["reference scorer, muc"] = ["perl", script, "muc", *files, "none"]
        _same_percent("reference scorer", first["assay"], run(commands["reference scorer, muc"]).output, REFERENCE)
    task = f"score, {len(MEASURES)} measures of coreference"
    bench.race(task, commands, slow=[*list(commands)[3:], "scorch"])
    rows = {row.peer: row for row in bench.rows if row.task == task}
    for peer, bound in (("scorch", 3), ("coval", 4)):
        if peer in rows:
            bench.times_as_fast("coreference", rows[peer], bound)
    bench.goals.append(Goal("coreference: peak memory", rows[FLOOR].memory, 250, "MB"))
    bench.split(task, commands["assay"])


def _compare(bench: Bench, files: Sequence[str]) -> None:
    """Two resolvers against each other; no peer does it all, so the floor stands beside."""
    commands = {
        "assay": [ASSAY, "compare", *files, "--format", "json"],
        FLOOR: [sys.executable, str(HERE / "chainfloor.py"), *files],
    }
    ours, floor = run(commands["assay"]).output, json.loads(run(commands[FLOOR]).output)
    _same_scores(FLOOR, ours, floor["scores"])
    different = next(diff["different"] for diff in json.loads(ours)["diffs"] if diff["on"] == "arcs-any")
    same("mentions of another class", different, floor["different"], 0)
    bench.race("compare, 2 resolvers", commands)
    bench.split("compare, 2 resolvers", commands["assay"])


def _long_documents(bench: Bench, folder: Path) -> None:
    """The same chains in a twentieth of the documents, where what is quadratic takes twenty times as long."""
    files = {
        name: [str(folder / f"{side}{ending}.conll") for side in ("key", "a")]
        for name, ending in (("as they are", ""), ("joined", ".joined"))
    }
    floor = json.loads(run([sys.executable, str(HERE / "chainfloor.py"), *files["joined"]]).output)
    _same_scores("joined documents", run(_scoring(files["joined"])).output, floor["scores"])
    done = alternating({name: _scoring(paths) for name, paths in files.items()}, bench.runs)
    growth = best(done["joined"]).cpu / best(done["as they are"]).cpu
    bench.goals.append(Goal(f"coreference: growth with {JOINED} documents joined to one", growth, 4, "×"))


def _zeros(bench: Bench, files: Sequence[str]) -> None:
    """The measures of the CorefUD scorer with zeros, by heads, beside that scorer; and the same by exact spans."""
    commands = {"assay": _by(files, "head"), "exact": _by(files, "exact")}
    if script := bench.script("corefud-scorer.py"):
        commands["CorefUD scorer"] = [bench.peers.python, script, *files]
        theirs = re.search(r"CoNLL score: ([0-9.]+)", run(commands["CorefUD scorer"]).output)
        (ours,) = scores(run(commands["assay"]).output, "value", "conll(match=head, singletons=false)")
        same("CorefUD scorer: CoNLL score", 100 * ours, float(theirs[1]) if theirs else 0, 0.005 + 1e-9)
    done = alternating(commands, bench.runs, slow=("CorefUD scorer",))
    more = best(done["assay"]).cpu / best(done.pop("exact")).cpu
    bench.goals.append(Goal("coreference: time by heads over that by exact spans", more, 1.3, "×"))
    if "CorefUD scorer" in done:
        bench.add("score, 9 measures of coreference with zeros", done)
        bench.times_as_fast("coreference with zeros", bench.rows[-1], 4)


def _by(files: Sequence[str], match: str) -> list[str]:
    """The measures of the CorefUD scorer."""
    settings = f"match={match}, singletons=false"
    specs = [f"{name}({settings})" for name in (*CHAINS[1:], "zeros")]
    specs.append("mor(singletons=false)")
    return [ASSAY, "score", *files, *(part for spec in specs for part in ("-m", spec)), "--format", "json"]


def _scoring(files: Sequence[str]) -> list[str]:
    return [ASSAY, "score", *files, *(part for name in MEASURES for part in ("-m", name)), "--format", "json"]


def _same_scores(what: str, ours: str, theirs: Sequence[Mapping[str, float]]) -> None:
    """The main score of each chain metric that both have, in the order of the systems."""
    for name in CHAINS:
        found = scores(ours, "value" if name == "conll" else "f1", name)
        for value, figures in zip(found, theirs, strict=True) if found else ():
            if name in figures:
                same(f"{what}: {name}", value, figures[name])


def _same_percent(what: str, ours: str, theirs: str, pattern: Mapping[str, str]) -> None:
    """F1 in percent with two digits, as a peer prints it, rounded or cut off."""
    for name, expression in pattern.items():
        found = re.search(expression, theirs, re.DOTALL)
        if not found:
            raise SystemExit(f"{what}: no {name} in what it printed:\n{theirs[-1000:]}")
        same(f"{what}: {name}", 100 * scores(ours, "f1", name)[0], float(found[1]), 0.01001)
