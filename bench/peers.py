"""The peers: an environment of their own, made on first use, and how each of them is called and understood."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# The scorers of spans and brackets are those that the earlier figures below are from.
PACKAGES = (
    *("scikit-learn", "udtools", "sacrebleu", "pandas", "statsmodels", "ppi-python==0.2.3"),
    *("seqeval==1.2.2", "nervaluate==1.2.1", "seqscore==0.9.0"),
    "PYEVALB==0.1.3",
    "scorch==0.2.0",
    "udapi",
    *("bioc==2.1", "anls_star==1.0.1", "krippendorff==0.8.2"),
)
SAMPLER = ("baycomp==1.0.3", "pystan==3.10.0")
"""Needs a C++ compiler, and may not be there."""

_UD_FIELDS = ("right", "gold", "system", "aligned")


class Peers:
    """The environment that the peers are installed in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = str(folder / "bin" / "python")
        self.udeval = str(folder / "bin" / "udeval")
        self.seqscore = str(folder / "bin" / "seqscore")

    def install(self) -> None:
        """Make the environment unless it is there."""
        ready = self.folder / "ready"
        if ready.exists() and ready.read_text() == " ".join(PACKAGES):
            return
        print("installing the peers …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True, stdout=sys.stderr)
        ready.write_text(" ".join(PACKAGES))

    def has_sampler(self) -> bool:
        """Whether baycomp with Stan is there, or can be installed."""
        check = [self.python, "-c", "import baycomp, stan"]
        if subprocess.run(check, check=False, capture_output=True).returncode:
            pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *SAMPLER]
            subprocess.run(pip, check=False, capture_output=True)
        return subprocess.run(check, check=False, capture_output=True).returncode == 0

    def versions(self) -> dict[str, str]:
        """What was installed."""
        names = [*(package.partition("==")[0] for package in PACKAGES), "numpy", "scipy"]
        code = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {names!r}}}))"
        done = subprocess.run([self.python, "-c", code], check=True, capture_output=True, text=True)
        found: dict[str, str] = json.loads(done.stdout)
        return found


def ud_counts(output: str) -> dict[str, dict[str, int]]:
    """What the UD scorers print with -c, by the measure's name in small letters."""
    rows = [[cell.strip() for cell in line.split("|")] for line in output.splitlines()]
    return {
        name.lower(): {field: int(cell) for field, cell in zip(_UD_FIELDS, cells, strict=True) if cell}
        for name, *cells in rows
        if len(cells) == len(_UD_FIELDS) and cells[0].isdigit()
    }


def ud_accuracy(output: str) -> float:
    """XPOS accuracy from the counts that the UD scorers print with -c."""
    counts = ud_counts(output)
    if "xpos" not in counts:
        raise SystemExit(f"no XPOS in what the UD scorer printed:\n{output}")
    return 2 * counts["xpos"]["right"] / (counts["xpos"]["gold"] + counts["xpos"]["system"])


def seqscore_counts(output: str) -> dict[str, int]:
    """Numbers of spans in gold, found and right over all labels, from seqscore's delimited table."""
    header, *rows = (line.split("\t") for line in output.strip().splitlines())
    overall = next(dict(zip(header, row, strict=True)) for row in rows if row[0] == "ALL")
    return {
        ours: int(overall[theirs])
        for ours, theirs in (("gold", "Reference"), ("system", "Predicted"), ("tp", "Correct"))
    }


def compareval_script(found: Path, work: Path) -> str:
    """ComparEval's comparison of taggers; written for Python 2, it is converted into the work folder."""
    try:
        ast.parse(found.read_text(encoding="utf-8"))
    except SyntaxError:
        convert = [sys.executable, "-W", "ignore", "-m", "lib2to3", "--write", "--nobackups", "--add-suffix", ""]
        work.mkdir(parents=True, exist_ok=True)
        subprocess.run([*convert, "--output-dir", str(work), str(found)], check=True, capture_output=True)
        return str(work / found.name)
    return str(found)


def compareval_accuracies(output: str, systems: Sequence[str]) -> list[float]:
    """The accuracies from the fractions that ComparEval prints first, one per system."""
    fractions = {}
    for path, right, total in re.findall(r"^(.+):[ \t]+[\d.]+ % \((\d+)/(\d+)\)$", output, re.MULTILINE):
        fractions[path] = int(right) / int(total)
    return [fractions[path] for path in systems]


def evalb_command(source: str, parameters: str, work: Path) -> list[str]:
    """EVALB, compiled from its source into the work folder, with parameters that let it go on after ten errors."""
    work.mkdir(parents=True, exist_ok=True)
    program, patient = work / "evalb", work / "patient.prm"
    subprocess.run(["cc", "-O2", "-w", "-std=gnu89", "-o", str(program), source], check=True)
    text = Path(parameters).read_text(encoding="utf-8")
    patient.write_text(re.sub(r"^MAX_ERROR .*$", "MAX_ERROR 1000000", text, flags=re.MULTILINE), encoding="utf-8")
    return [str(program), "-p", str(patient)]


def evalb_counts(output: str) -> dict[str, int]:
    """Brackets that match, of gold and of the system, from the line of sums below EVALB's table."""
    _, sums, _ = re.split(r"^=+\n(.*)\n=== Summary ===$", output, flags=re.MULTILINE)
    tp, gold, system = (int(cell) for cell in sums.split()[2:5])
    return {"tp": tp, "gold": gold, "system": system}


def faireval_config(gold: Path, system: Path, work: Path) -> str:
    """A configuration of FairEval for two files, which it wants by one name in two folders."""
    ending = ".conll" if gold.suffix == ".conll" else ".csv"
    for side, path in (("gold", gold), ("system", system)):
        (work / side).mkdir(parents=True, exist_ok=True)
        link = work / side / f"spans{ending}"
        link.unlink(missing_ok=True)
        link.symlink_to(path.resolve())
    config = work / "fair.config"
    config.write_text(
        f"target_in = {work / 'gold' / f'spans{ending}'}\nsystem_in = {work / 'system' / f'spans{ending}'}\n"
        "labels = all\nexclude = \nignore_punct = False\nfocus = target\n",
        encoding="utf-8",
    )
    return str(config)


def faireval_counts(output: str) -> dict[str, dict[str, int]]:
    """What FairEval counts over all labels, by measure."""
    found = {}
    for measure, title in (("exact", "Traditional"), ("fair", "Fair")):
        lines = output.partition(f"### {title} evaluation:\n")[2].splitlines()
        overall = next(line for line in lines if line.startswith("overall")).split("\t")
        row = dict(zip(lines[0].split("\t"), overall, strict=True))
        found[measure] = {name.lower(): int(cell) for name, cell in row.items() if cell.isdigit()}
    return found
