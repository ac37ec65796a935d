"""Benchmarks of graphs: enhanced and semantic dependencies, semantic roles, beside shared tasks' own scorers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from common import ASSAY, ROOT, Bench, Goal, same
from measure import run

TOKENS = 250_000
GRAPHS = 9_000
SHARED = ROOT.parent / "shared" / "data"
Fields = Mapping[str, Mapping[str, float]]
"""By measure what is counted there."""


def bench_graphs(bench: Bench) -> None:
    """On real outputs, repeated, beside those scorers of graphs that are there."""
    share = 10 if bench.quick else 1
    iwpt = bench.script("iwpt21_xud_eval.py")
    if iwpt and _there("graphs-eud-en_ewt"):
        names = ("gold.conllu", "HIT-SCIR-18.enhanced.conllu")
        files = _repeated("graphs-eud-en_ewt", names, TOKENS // share // 11_722, _without_empty_nodes)
        task = f"score elas, eulas; {TOKENS // share:,} words of EWT, repeated"
        command = [bench.peers.python, iwpt, "-v", *files]
        measures = {"elas": "ELAS", "eulas": "EULAS"}
        row = _beside(bench, task, files, measures, "iwpt21_xud_eval.py", command, _iwpt)
        bench.times_as_fast("enhanced dependencies", bench.rows[row], 8)
        # Trees of as many words are the yardstick for graphs.
        trees = run([ASSAY, "score", *files, "-m", "las", "--format", "json"]).cpu
        bench.goals.append(Goal("enhanced dependencies: times the CPU of las", bench.rows[row].cpu / trees, 2, "×"))
    mtool = bench.script("main.py", "mtool")
    if mtool and _there("graphs-sdp-dm"):
        files = _repeated("graphs-sdp-dm", ("gold.sdp", "noised-light.sdp"), GRAPHS // share // 89, _numbered)
        text = Path(files[0]).with_name("text.txt")
        text.write_text(_text(Path(files[0]).read_text(encoding="utf-8")), encoding="utf-8")
        options = ["--read", "dm", "--text", str(text), "--score", "sdp", "--gold"]
        measures = {"sdp": "labeled", "sdp-unlabelled": "unlabeled"}
        task = f"score sdp, sdp-unlabelled; {GRAPHS // share:,} graphs of DM, repeated"
        _beside(bench, task, files, measures, "mtool", [bench.peers.python, mtool, *options, *files], _mtool)
    if _there("graphs-srl-up_ewt"):
        copies = TOKENS // share // 7_275
        task = f"; {TOKENS // share:,} words of EWT, repeated"
        if perl := bench.script("eval09.pl"):
            files = _repeated("graphs-srl-up_ewt", ("gold.conll09", "noised-a.conll09"), copies)
            command = ["perl", "-X", perl, "-q", "-g", files[0], "-s", files[1]]
            measures = {"srl": "Labeled", "srl-unlabelled": "Unlabeled"}
            _beside(bench, f"score srl, srl-unlabelled{task}", files, measures, "eval09.pl", command, _eval09)
        if perl := bench.script("srl-eval.pl"):
            files = _repeated("graphs-srl-up_ewt", ("gold.props", "noised-a.props"), copies)
            measures = {"srl-span(lemma=true, predicates=gold)": "Overall"}
            _beside(bench, f"score srl-span{task}", files, measures, "srl-eval.pl", ["perl", perl, *files], _srl_eval)


def _beside(
    bench: Bench,
    task: str,
    files: Sequence[str],
    measures: Mapping[str, str],
    peer: str,
    command: Sequence[str],
    read: Callable[[str], Fields],
) -> int:
    """A measurement beside one peer, which counts the same; the number of its row."""
    asked = [part for name in measures for part in ("-m", name)]
    commands = {"assay": [ASSAY, "score", *files, *asked, "--format", "json"], peer: [*command]}
    first = {name: run(one).output for name, one in commands.items()}
    result = json.loads(first["assay"])
    ours = {row["measure"]: dict(row["counts"]) for row in result["counts"] if row["label"] is None}
    for row in result["scores"]:
        if row["score"] == "f1" and row["label"] is None:
            ours[row["measure"]]["f1"] = 100 * row["value"]
    theirs = read(first[peer])
    for name, title in measures.items():
        for field, number in theirs[title].items():
            # A score is printed with two digits.
            same(f"{field} of {name}, {peer}", ours[name][field], number, 0.00501 if field == "f1" else 0)
    bench.race(task, commands, slow=(peer,))
    bench.split(task, commands["assay"])
    return len(bench.rows) - 1


# --- what the peers print ---


def _iwpt(output: str) -> Fields:
    """`ELAS | precision | recall | F1 | …`, scores with two digits: it prints no counts."""
    found = {}
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if cells[0] in ("ELAS", "EULAS"):
            found[cells[0]] = {"f1": float(cells[3])}
    return found


def _mtool(output: str) -> Fields:
    names = {"g": "gold", "s": "system", "c": "tp"}
    whole = json.loads(output)
    return {
        way: {name: whole[way][short] for short, name in names.items()} for way in ("labeled", "unlabeled")
    }


def _eval09(output: str) -> Fields:
    found: dict[str, dict[str, float]] = {}
    form = r"(Labeled|Unlabeled) (precision|recall): +\((\d+) \+ (\d+)\) / \((\d+) \+ (\d+)\)"
    for way, score, *numbers in re.findall(form, output):
        right, whole = (int(one) + int(other) for one, other in (numbers[:2], numbers[2:]))
        found.setdefault(way, {}).update({"tp": right, "system" if score == "precision" else "gold": whole})
    return found


def _srl_eval(output: str) -> Fields:
    found = re.search(r"Overall +(\d+) +(\d+) +(\d+)", output)
    assert found is not None, "srl-eval.pl prints no line Overall"
    right, excess, missed = map(int, found.groups())
    return {"Overall": {"tp": right, "system": right + excess, "gold": right + missed}}


# --- real graphs, repeated ---


def _there(name: str) -> bool:
    if (SHARED / name).is_dir():
        return True
    print(f"graphs: {name} left out, for ../shared/data/{name} is not there", file=sys.stderr)
    return False


def _repeated(
    name: str, files: Sequence[str], copies: int, change: Callable[[str, int], str] = lambda text, copy: text
) -> list[str]:
    """Copies of all files in one, each changed by its number."""
    folder = ROOT / ".bench" / "data" / f"{name}-{max(1, copies)}"
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        if not (folder / file).exists():
            text = (SHARED / name / file).read_text(encoding="utf-8").rstrip("\n") + "\n\n"
            parts = (change(text, copy) for copy in range(max(1, copies)))
            (folder / file).write_text("".join(parts), encoding="utf-8")
    return [str(folder / file) for file in files]


def _without_empty_nodes(text: str, copy: int) -> str:
    """Sentences with ids of their own; the scorer takes no empty nodes, so words at one have the tree's arc."""
    lines = []
    for line in text.replace("# sent_id = ", f"# sent_id = {copy}-").split("\n"):
        cells = line.split("\t")
        if len(cells) < 10 or "." not in cells[0]:
            if len(cells) >= 10 and re.search(r"(^|\|)\d+\.\d", cells[8]):
                cells[8] = f"{cells[6]}:{cells[7]}"
            lines.append("\t".join(cells))
    return "\n".join(lines)


def _numbered(text: str, copy: int) -> str:
    """Graphs with ids of their own; the first line of the format stands once."""
    first, _, rest = text.partition("\n")
    return ("" if copy else f"{first}\n") + re.sub(r"^#", f"#{copy}", rest, flags=re.MULTILINE)


def _text(graphs: str) -> str:
    """The words of each graph behind its id, which mtool tells nodes by."""
    lines = []
    for graph in graphs.split("\n\n"):
        rows = [line for line in graph.split("\n") if line and not line.startswith("#SDP")]
        if rows:
            lines.append(f"{rows[0][1:]}\t{' '.join(row.split(chr(9))[1] for row in rows[1:])}\n")
    return "".join(lines)
