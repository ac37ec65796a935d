"""The words of every output of the demo: none says more than its numbers."""

from __future__ import annotations

import re
from pathlib import Path

from assay.render import render
from assay.render.page import fragment, page
from assay.result import Result
from commands import call_line
from unit.result.test_verdicts import check_words

DEFINED = re.compile(
    r"\bbest (?:choice|answer|system|overall)\b|(?:first|second) better|first surely|second surely|"
    r"(?:is|are) better on at least",
    re.IGNORECASE,
)
"""Names of columns and bounds, which assert nothing."""


def test_no_output_of_the_demo_says_more_than_its_numbers(demo: Path) -> None:
    """Verdicts, notes, captions and pages of every command that the demo proposes, in every form."""
    said = (demo / "said.txt").read_text("utf-8")
    lines = [line.strip() for line in said.splitlines() if line.startswith("  assay ")]
    assert len(lines) > 10
    for line in lines:
        command = re.sub(r" --(?:examples|slice|forms) \S+", "", line)
        times = "" if " bayes " in command else " --times 200"
        done = call_line(f"{command}{times} --format json", demo / "copy")
        assert done.returncode == 0, done.stderr
        result = Result.from_json(done.stdout)
        claims = {claim for row in (*result.comparisons, *result.bayes) for claim in row.claims}
        claims |= {*result.verdict_data.claims}
        texts = [result.verdict, *result.notes, *result.warnings]
        if result.about.command != "bayes":
            # Columns of posterior shares are called better and worse.
            texts += [render(result, form) for form in ("md", "latex", "table")]
            texts += [fragment(result), page(result).partition('<div id="app"')[0]]
        for text in texts:
            plain = re.sub(r"<style>.*?</style>|<[^>]+>|\\\w+", " ", text, flags=re.DOTALL)
            check_words(DEFINED.sub("", plain.replace("&gt;", ">")), claims)
