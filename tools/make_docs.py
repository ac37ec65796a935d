"""Write docs/measures.md and docs/api.md from the docstrings: `make docs`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import assay
from assay.engine.measure import measures
from assay.engine.slices import slices
from assay.engine.task import tasks
from assay.keywords import OPTIONS, Keywords, ScoreKeywords

DOCS = Path(__file__).parent.parent / "docs"
FUNCTIONS = ("score", "compare", "compare_sets", "agreement", "cross", "bayes", "measure", "read", "answers")
"""In the order of the page."""


def measures_page() -> str:
    """Measures and slices."""
    parts = ["# Measures", "Made from the docstrings by `make docs`. On the command line: `assay measures NAME`."]
    for name, definition in measures().items():
        scores = ", ".join(f"`{score}`" for score in definition.score_names)
        parts += [f"## {name}", f"```\n{definition.documentation}\n```"]
        parts += [f"Scores, the main one first: {scores}."]
    parts.append("## Slices")
    parts.append("\n".join(f"- `{name}`: {kind.help}" for name, kind in slices().items()))
    parts.append(
        "## Your own\n\nDecorate a function with `@assay.measure(name, scores=...)` and use "
        "`-m mymodule:myfunction`; see [CONTRIBUTING](../CONTRIBUTING.md)."
    )
    return "\n\n".join(parts) + "\n"


def api_page() -> str:
    """The public functions, their keywords, and the Result."""
    parts = [
        "# Python",
        "Made from the docstrings by `make docs`. `help(assay.compare)` shows the same, and editors and type "
        "checkers know all keywords. Whatever a user can put right is raised as an `assay.AssayError`, whose message "
        "says what to do. Each function gives back a [Result](#result), but for `measure`, `read` and `answers`.",
        "```python\nimport assay\n\n"
        'gold = [["DET", "NOUN", "VERB"], ["PRON", "VERB"]]\n'
        'system = [["DET", "NOUN", "NOUN"], ["PRON", "VERB"]]\n'
        'print(assay.score(gold, {"mine": system}))\n```',
    ]
    for name in FUNCTIONS:
        function = getattr(assay, name)
        own = dict(inspect.signature(function).parameters)
        options = name in ("score", "compare", "compare_sets", "agreement")
        if options:
            own = {key: one for key, one in own.items() if key not in OPTIONS}
        parts += [f"## assay.{name}", f"```text\n{signature(name, own, more=options)}\n```", text_of(function)]
        if options:
            parts.append("All other keywords are [options](#options).")
    parts += [
        "## Options",
        "The options of the command line, under the same names. Where several values may be given, one may stand by "
        "itself; numbers of numpy are numbers.",
        "\n".join(["| keyword | type | default | | commands | tasks |", f"|{'---|' * 6}", *options_rows()]),
        "## Result",
        text_of(assay.Result) + " Its fields, and the rows in its lists, are those of [the JSON](json.md), under the "
        "same names. `print(result)` shows the verdict and the main scores, a notebook the tables too.",
        "\n".join(members(assay.Result, "result")),
        "## Results",
        text_of(assay.Results) + " `results[NAME]` is that of one, `results.sets` are all of them by name, "
        "`results.overall` is the one over all.",
        "\n".join(members(assay.Results, "results")),
    ]
    return "\n\n".join(parts) + "\n"


def members(kind: type, called: str) -> Iterator[str]:
    """A line for each public method and property of a class."""
    for name, member in vars(kind).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property | classmethod)):
            function = member.fget if isinstance(member, property) else getattr(kind, name)
            parameters = [one for key, one in inspect.signature(function).parameters.items() if key != "self"]
            given = "" if isinstance(member, property) else signature("", {one.name: one for one in parameters})
            owner = kind.__name__ if isinstance(member, classmethod) else called
            yield f"- `{owner}.{name}{given}`: {' '.join(text_of(function).split())}"


def options_rows() -> Iterator[str]:
    """A row for each option, with the commands and the tasks that have it."""
    for name, option in OPTIONS.items():
        commands = "score, compare" if name in ScoreKeywords.__annotations__ else "compare"
        commands = "all" if name in Keywords.__annotations__ else commands
        users = ", ".join(task.name for task in tasks().values() if name in task.options) or "all"
        meaning = option.help.replace("|", "\\|")
        kind = kind_of(option.kind, cell=True)
        yield f"| `{name}` | {kind} | `{option.default!r}` | {meaning} | {commands} | {users} |"


def signature(name: str, parameters: dict[str, inspect.Parameter], *, more: bool = False) -> str:
    """A call as it is written, in lines of at most 100 characters."""
    words = []
    star = False
    for one in parameters.values():
        if one.kind is one.KEYWORD_ONLY and not star:
            star = True
            words.append("*")
        lead = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        star = star or lead == "*"
        default = "" if one.default is one.empty else f" = {one.default!r}"
        words.append(f"{lead}{one.name}: {kind_of(one.annotation)}{default}")
    words += ["**options"] if more else []
    line = f"{name}({', '.join(words)})"
    return line if len(line) <= 100 else "\n".join([f"{name}(", *(f"    {word}," for word in words), ")"])


def kind_of(annotation: Any, *, cell: bool = False) -> str:
    """A type as a reader knows it."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:collections\.abc|typing|os|assay(?:\.\w+)*)\.(?=\w)", "", text)
    text = re.sub(r"Optional\[(Literal\[[^\]]*\])\]", r"\1 | None", text)
    text = text.replace("str | PathLike[str]", "path")
    text = re.sub(r"Literal\[([^\]]*)\]", lambda match: match[1].replace(", ", " | "), text)
    return text.replace("|", "\\|").replace("[", "\\[") if cell else text


def text_of(documented: Any) -> str:
    """A docstring as paragraphs."""
    return inspect.getdoc(documented) or ""


PAGES = {"measures.md": measures_page, "api.md": api_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
