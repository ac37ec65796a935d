"""Benchmark of relations: the whole command, scores of relations that are read already, and eHealth-KD's scorer."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from common import ASSAY, HERE, ROOT, Bench, Goal, same, scores
from measure import run

TOKENS = 1_000_000
SCORED = """
import sys, time
import assay
from assay.formats import Input
gold, system = (Input(path).read(()) for path in sys.argv[1:])
begun = time.process_time()
assay.score(gold, {"system": system}, task="relations")
print(time.process_time() - begun)
"""


def bench_relations(bench: Bench) -> None:
    """Strict, boundary and overlap with intervals, from files and in memory."""
    tokens = TOKENS // 10 if bench.quick else TOKENS
    folder = ROOT / ".bench" / "data" / f"relations-{tokens}"
    if not (folder / "made").exists():
        print("making the relations …", file=sys.stderr)
        subprocess.run([sys.executable, str(HERE / "relationcorpus.py"), str(folder), str(tokens)], check=True)
    files = [str(folder / f"{name}.jsonl") for name in ("gold", "system")]
    commands = {"assay": [ASSAY, "score", *files, "--format", "tsv"]}
    bench.race("score relations; DyGIE", commands)
    seconds = [_scored(files) for _ in range(bench.runs)]
    bench.goals.append(Goal("relations in memory: CPU", min(seconds), 4, "s"))
    _beside_ehealth(bench)


def _beside_ehealth(bench: Bench) -> None:
    """The official scorer of eHealth-KD, on its 100 sentences and on these many times over."""
    data, script = ROOT.parent / "shared" / "data" / "relations-ehealthkd2020" / "main", ""
    if not data.is_dir() or not (script := bench.script("score.py", "scripts")):
        return
    for times in (1, 10) if bench.quick else (1, 10, 50):
        files = [str(_repeated(data / name, times)) for name in ("gold", "Talp-UPC")]
        texts = [str(Path(file).with_suffix(".txt")) for file in files]
        commands = {
            "assay": [ASSAY, "score", *files, "-m", "ehealth-kd", "--format", "json"],
            # It is a module of its folder.
            "official scorer": [sys.executable, "-c", _OFFICIAL, str(Path(script).parents[1]), *texts],
        }
        first = {name: run(command) for name, command in commands.items()}
        theirs = float(re.findall(r"^f1: (\S+)$", first["official scorer"].output, re.MULTILINE)[0])
        # It prints four digits.
        same("F1 of eHealth-KD", scores(first["assay"].output, "f1", "ehealth-kd(task=both)")[0], theirs, 5e-5)
        bench.race(f"score ehealth-kd, {100 * times:,} sentences in brat", commands)


_OFFICIAL = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from scripts.score import main
main(*map(Path, sys.argv[2:]), False, False, False)
"""


def _repeated(folder: Path, times: int) -> Path:
    """The annotations of a text, and the text beside them, one after the other so many times."""
    path = ROOT / ".bench" / "data" / f"ehealth-{times}" / folder.name / "scenario.ann"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        source = (folder / "scenario.ann").read_text("utf-8")
        text = (folder / "scenario.txt").read_text("utf-8").rstrip("\n") + "\n"
        path.with_suffix(".txt").write_text(text * times, "utf-8")
        most = max(int(number) for number in re.findall(r"^[TR](\d+)\t", source, re.MULTILINE))
        copies = []
        for copy in range(times):

            def rename(name: re.Match[str], by: int = copy * most) -> str:
                return f"{name[1]}{int(name[2]) + by}"

            def move(span: re.Match[str], by: int = copy * len(text)) -> str:
                return span[1] + re.sub(r"\d+", lambda place: str(int(place[0]) + by), span[2])

            named = re.sub(r"\b([TR])(\d+)\b", rename, source)
            copies.append(re.sub(r"^(T\d+\t\S+ )([\d ;]+)", move, named, flags=re.MULTILINE))
        path.write_text("".join(copies), "utf-8")
    return path


def _scored(files: list[str]) -> float:
    command = [sys.executable, "-c", SCORED, *files]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
