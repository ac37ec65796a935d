"""Numbers about the code itself, such as lines and names defined twice: `python tools/house.py [COMMAND …]`."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent / "src" / "assay"


def code_lines(path: Path) -> int:
    """Number of lines with code: no blank lines, comments or docstrings."""
    source = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    plain = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in plain:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        # A string that stands by itself is a docstring, also behind a field or a constant.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def trees() -> Iterator[tuple[Path, ast.Module]]:
    """Each file of the package and its syntax tree."""
    for path in sorted(ROOT.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def used_once() -> tuple[int, int]:
    """Number of private functions that are used once, and of those with at most 8 lines."""
    texts = {path: path.read_text(encoding="utf-8") for path, _ in trees()}
    words = Counter(re.findall(r"\w+", "\n".join(texts.values())))
    found = [
        (node.end_lineno or 0) - node.body[0].lineno + 1
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and re.match(r"_[a-z]", node.name) and words[node.name] == 2
    ]
    return len(found), sum(size <= 8 for size in found)


def defined_twice() -> list[str]:
    """Public names that several files define at their top level."""
    names = Counter(
        node.name
        for _, tree in trees()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    )
    return sorted(name for name, number in names.items() if number > 1)


def task_edges() -> list[str]:
    """Imports from one task's folder into another."""
    found = []
    for path, tree in trees():
        parts = path.relative_to(ROOT).parts
        if parts[0] != "tasks" or len(parts) < 3:
            continue
        for node in ast.walk(tree):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            other = module.removeprefix("assay.tasks.").split(".")[0]
            # A file in the room of tasks belongs to none of them.
            if module.startswith("assay.tasks.") and other != parts[1] and (ROOT / "tasks" / other).is_dir():
                found.append(f"{'/'.join(parts)} -> {module}")
    return found


def result_builders() -> list[str]:
    """Places that call Result(…)."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Result"
    ]


def walk(arguments: list[str]) -> tuple[int, int, int, int]:
    """Functions and files of assay that a command runs through, its classes, and all modules of assay it loads."""
    from assay.cli import assay_command

    seen: set[Any] = set()

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    # The first time modules are loaded, which runs functions that are not on the way.
    for number in range(2):
        sys.setprofile(profile if number else None)
        with suppress(SystemExit):
            assay_command(arguments, standalone_mode=False)
        sys.setprofile(None)
    own = [code for code in seen if code.co_filename.startswith(str(ROOT))]
    named = {code for code in own if not code.co_name.startswith("<")}
    methods = [code for code in named if "." in code.co_qualname.replace(".<locals>", "")]
    classes = {(code.co_filename, code.co_qualname.split(".")[0]) for code in methods}
    modules = [name for name in sys.modules if name.startswith("assay")]
    return len(named), len({code.co_filename for code in named}), len(classes), len(modules)


def main() -> None:
    """Print all numbers; with arguments, those of the way of that command."""
    if len(sys.argv) > 1:
        sys.stdout, out = io.StringIO(), sys.stdout
        numbers = walk(sys.argv[1:])
        sys.stdout = out
        print("functions {}, files {}, classes {}, modules loaded {}".format(*numbers))
        return
    rooms: Counter[str] = Counter()
    for path, _ in trees():
        parts = path.relative_to(ROOT).parts
        room = "/".join(parts[:2] if parts[0] == "tasks" and len(parts) > 2 else parts[:1])
        rooms[room if len(parts) > 1 else "root"] += code_lines(path)
    for room, lines in sorted(rooms.items()):
        print(f"{room:22}{lines:7,}")
    print(f"{'all':22}{sum(rooms.values()):7,} in {len(list(trees()))} files")
    print("private functions used once: {}, of at most 8 lines: {}".format(*used_once()))
    twice = defined_twice()
    print(f"public names defined twice: {len(twice)}: {', '.join(twice)}")
    edges = task_edges()
    print(f"imports between tasks: {len(edges)}", *edges, sep="\n  ")
    print("places that build a Result:", ", ".join(result_builders()))


if __name__ == "__main__":
    main()
