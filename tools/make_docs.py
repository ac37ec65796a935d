"""Write docs/measures.md, docs/api.md and the tables of docs/json.md from the docstrings: `make docs`."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import assay
from assay.engine.measure import measures
from assay.engine.slices import slices
from assay.engine.task import tasks
from assay.keywords import OPTIONS, Keywords, ScoreKeywords
from assay.result import schema

DOCS = Path(__file__).parent.parent / "docs"
FUNCTIONS = (
    *("score", "compare", "compare_sets", "plan", "agreement", "cross", "bayes", "measure", "read", "describe"),
    *("answers", "records"),
)
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
        options = name in ("score", "compare", "compare_sets", "plan", "agreement")
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


BEGIN, END = "<!-- made by make docs from result/schema.py -->", "<!-- end -->"
KINDS = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "any value"}


def json_page() -> str:
    """The page on JSON with the tables as they are declared; the rest of it is written by hand."""
    before, _, rest = (DOCS / "json.md").read_text("utf-8").partition(BEGIN)
    parts = [BEGIN, "## About", describe(schema.About), "## Shown", describe(schema.Presentation), "## The tables"]
    inside: dict[type, None] = {schema.InputFile: None, schema.Example: None, schema.Table: None}
    declared = typing.get_type_hints(schema.Tables)
    rows = {name: typing.get_args(declared[name])[0] for name in schema.Tables.__dataclass_fields__}
    for name, kind in rows.items():
        key = ", ".join(f"`{column_name(kind, column)}`" for column in kind.key)
        parts += [f"### {name}", describe(kind, f" Rows differ in {key}." if key else "")]
    for kind in (schema.About, *rows.values()):
        inside |= dict.fromkeys(records_in(kind))
    queue = list(inside)
    for kind in queue:
        queue += [other for other in records_in(kind) if other not in queue]
    parts.append("## Records in these")
    for kind in queue:
        parts += [f"### {kind.__name__}", describe(kind)]
    return before + "\n\n".join([*parts, END]) + rest.partition(END)[2]


def records_in(kind: type) -> list[type]:
    """The records that fields of a record consist of."""
    found: list[type] = []
    queue = list(typing.get_type_hints(kind).values())
    for hint in queue:
        queue += typing.get_args(hint)
        if isinstance(hint, type) and issubclass(hint, schema.Record) and hint not in (kind, *found):
            found.append(hint)
    return found


def describe(kind: type[schema.Record], more: str = "") -> str:
    """A record in a sentence and a table of its columns."""
    said = meanings_of(kind)
    hints = typing.get_type_hints(kind)
    rows = ["| column | type | meaning |", "|---|---|---|"]
    for one in dataclasses.fields(kind):
        name = column_name(kind, one.name)
        if name:
            meaning = (said.get(one.name) or schema.COLUMNS[one.name]).replace("|", "\\|")
            rows.append(f"| `{name}` | {json_type(hints[one.name])} | {meaning} |")
    sentence, _, further = (inspect.getdoc(kind) or "").partition("\n\n")
    return " ".join(sentence.split()) + more + (f"\n\n{further}" if further else "") + "\n\n" + "\n".join(rows)


def column_name(kind: type[schema.Record], attribute: str) -> str:
    """The name of a field in JSON; empty if it is not written."""
    return str(kind.__dataclass_fields__[attribute].metadata.get("json", attribute))


def meanings_of(kind: type) -> dict[str, str]:
    """The sentence after each field, also of the classes above."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if issubclass(one, schema.Record) and one is not schema.Record:
            body = ast.parse(inspect.getsource(one)).body[0].body  # type: ignore[attr-defined]
            for field, text in itertools.pairwise(body):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    found[ast.unparse(field.target)] = " ".join(ast.literal_eval(text.value).split())
    return found


def json_type(hint: Any) -> str:
    """A type as a reader of JSON knows it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:
        return f"{json_type(arguments[0])} or null"
    if origin is tuple and arguments[-1] is not ...:
        return f"[{', '.join(map(json_type, arguments))}]"
    if origin in (tuple, Sequence):
        return f"list of {json_type(arguments[0])}"
    if origin is Mapping:
        return f"object: {json_type(arguments[1])} by name"
    return KINDS.get(hint) or f"[{hint.__name__}](#{hint.__name__.lower()})"


PAGES = {"measures.md": measures_page, "api.md": api_page, "json.md": json_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
