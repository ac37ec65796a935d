"""The GitHub Action and the hooks of pre-commit do what they say, as far as that shows without GitHub."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "src" / "assay" / "demo" / "english"


def run_step(folder: Path, **inputs: str) -> tuple[int, str]:
    """The exit code of the step that scores, and the summary page."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    defaults = {name: one.get("default", "") for name, one in action["inputs"].items()}
    given = {name.upper(): value for name, value in {**defaults, **inputs}.items()}
    _, step = action["runs"]["steps"]
    assert step["env"] == {name: f"${{{{ inputs.{name.lower()} }}}}" for name in given}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    summary = folder / "summary.md"
    call = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    surroundings = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(summary), **given}
    done = subprocess.run(call, cwd=folder, env=surroundings, capture_output=True, check=False, timeout=60)
    return done.returncode, summary.read_text("utf-8") if summary.exists() else ""


@pytest.mark.skipif(not shutil.which("bash") or not shutil.which("xargs"), reason="no bash on this machine")
def test_the_action_writes_a_summary_and_fails_where_a_score_falls(tmp_path):
    gold = str(FOLDER / "gold.conllu")
    systems = f"old={FOLDER / 'hanta.conllu'}\n\n  new={FOLDER / 'udpipe.conllu'}\n"
    options = "--column XPOS -m accuracy --times 20 --fail-under 'accuracy@new=0.95'"
    code, summary = run_step(tmp_path, gold=gold, systems=systems, options=options)
    assert code == 1
    assert "old scores 0.95 points higher than new" in summary and "Changes old → new" in summary
    assert (tmp_path / "assay-result.json").exists() and (tmp_path / "assay-report.html").exists()
    asked = "--column XPOS -m accuracy --times 20 --fail-unless not-worse --margin"
    for margin, expected in (("1pt", 1), ("9pt", 0)):
        assert run_step(tmp_path, gold=gold, systems=systems, options=f"{asked} {margin}")[0] == expected
    (tmp_path / "summary.md").write_text(summary, "utf-8")
    code, again = run_step(tmp_path, gold=gold, systems="missing.conllu")
    assert (code, again) == (2, summary)


def test_hooks_call_commands_that_there_are():
    from assay.cli import GROUPS

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    known = [name for _, names in GROUPS.values() for name in names]
    for hook in hooks:
        program, command = hook["entry"].split()
        assert program == "assay" and command in known and hook["id"] == f"assay-{command}"
