"""Imports point one way, third-party packages are declared, and starting is cheap."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cases import each

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "assay"
HEAVY = ("numpy", "scipy", "rich")

# Imports point upwards in this list: a room may use what stands before it.
ORDER = (
    ("errors", "classes", "arrays", "specs", "files", "keywords", "plugins"),
    ("corpus",),
    ("formats", "align"),
    ("stats", "result"),
    ("engine",),
    ("tasks",),
    ("scale", "spans", "plugin"),
    ("experiment",),
    ("bayesian",),
    ("render",),
    ("demo", "cli", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
# Rooms of one rank know nothing of each other, but for these.
BESIDE = {
    *(("specs", "errors"), ("files", "errors"), ("keywords", "errors"), ("keywords", "classes")),
    ("plugins", "errors"),
    *(("__main__", "cli"), ("cli", "demo")),
}
# A Result shows itself in a notebook: it asks the renderers when it is looked at, not before; and the measures for
# their defaults when a figure is looked up by another spelling of its measure.
LAZILY = {("result", "render"), ("result", "engine")}
PRINTING = {"cli", "demo"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    """The first part of a module's name below the package; `assay` for the package's own file."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "assay" if first == "__init__" else first


ROOMS = {room(path) for path in modules()} - {"assay"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path: Path) -> list[tuple[str, str, bool]]:
    """Top-level package, room within assay (or nothing), and whether it is imported late or for types alone."""
    return [(package, within.partition(".")[0], lazy) for package, within, lazy in _imports(path, parsed(path))]


def _imports(path: Path, block: ast.AST, lazy: bool = False) -> Iterator[tuple[str, str, bool]]:
    """Top-level package, module within assay, and whether it is imported late or for types alone."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            yield from _imports(path, node, lazy or inside or for_types)
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _named(alias.name, lazy)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            if module == "assay":
                for alias in node.names:
                    yield from _named(f"assay.{alias.name}" if alias.name in ROOMS else "assay", lazy)
            elif module == "assay.tasks":
                for alias in node.names:
                    yield from _named(f"assay.tasks.{alias.name}", lazy)
            else:
                yield from _named(module, lazy)


def _named(module: str, lazy: bool) -> Iterator[tuple[str, str, bool]]:
    package, _, rest = module.partition(".")
    yield package, (rest or "assay") if package == "assay" else "", lazy


def python(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


# --- directions ---


@each("path", modules())
def test_imports_go_down_the_order_of_rooms(path: Path) -> None:
    here = room(path)
    for package, there, lazy in imports(path):
        if package == "assay" and "assay" not in (here, there) and there != here:
            allowed = RANK[there] < RANK[here] or (here, there) in BESIDE or (lazy and (here, there) in LAZILY)
            assert allowed, f"{here} imports {there}"


def task_of(module: str) -> str:
    """The task in whose folder a module is; nothing for one that all tasks share, such as `tasks.recognition`."""
    room_of_tasks, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    return name if room_of_tasks == "tasks" and (SOURCE / "tasks" / name / "task.py").exists() else ""


def test_every_task_is_a_folder_with_a_record() -> None:
    from assay.tasks import NAMES

    assert {task_of(f"tasks.{path.name}") for path in (SOURCE / "tasks").iterdir()} - {""} == set(NAMES)


@each("path", [path for path in modules() if room(path) == "tasks"])
def test_no_task_imports_another(path: Path) -> None:
    """Also not inside functions: what two tasks share is in the engine or in a file that belongs to no task."""
    here = task_of(".".join(path.relative_to(SOURCE).with_suffix("").parts))
    there = {task_of(module) for package, module, _ in _imports(path, parsed(path)) if package == "assay"}
    assert there <= {here, ""}, f"{here or path.name} imports {there}"
    assert 'import_module("assay.tasks' not in path.read_text("utf-8"), path


def test_one_place_builds_a_result() -> None:
    """Intervals, tests, their correction and the verdict are made where the Result is, for every command."""
    building = {
        path.relative_to(SOURCE).as_posix()
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Result"
    }
    assert building == {"engine/build.py"}


def questions(path: Path) -> Iterator[str]:
    """What is compared or looked up in a module."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Compare | ast.MatchValue):
            yield ast.unparse(node)
        elif isinstance(node, ast.Subscript):
            yield ast.unparse(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            yield from map(ast.unparse, node.args)


def test_nobody_asks_which_task_it_is() -> None:
    """A record says what a task is, a Result how it is shown: neither a name nor a kind of drawing decides that."""
    from assay.tasks import NAMES

    # What is judged is an item in every task.
    names = "|".join(name for name in NAMES if name != "items")
    asked = re.compile(rf"'({names})'|\.drawing\b(?!\.(?!kind))")
    for path in modules():
        if room(path) in ("engine", "render", "scale", "cli"):
            assert not list(filter(asked.search, questions(path))), path
        # Examples have a field `spans`, trees of a page have columns `heads` and `relations`.
        if room(path) in ("engine", "render", "scale") and path.name not in ("drawing.py", "texts.py"):
            assert not re.search(rf"[\"']({names})[\"']", path.read_text("utf-8")), path
        if room(path) == "render":
            assert not re.search(r"\.drawing\b", path.read_text("utf-8")), path


def test_the_engine_reaches_the_tasks_through_one_door() -> None:
    for path in modules():
        if path.relative_to(SOURCE).as_posix() != "engine/task.py" and room(path) in ("engine", "result", "render"):
            assert 'import_module("assay.tasks' not in path.read_text("utf-8"), path


def test_the_page_asks_for_a_kind_of_drawing_only_to_draw() -> None:
    """By it, layers are painted and copied as text; all else that a task shows stands in the Result."""
    kinds = "tags|arcs|spans|trees|chains|units|dependencies|constituents|coreference"
    for path in (SOURCE / "render" / "assets").glob("*.js"):
        if path.name not in ("drawing.js", "native.js"):
            assert not re.search(rf"\.task\b|[\"']({kinds})[\"']", path.read_text("utf-8")), path


def test_only_the_entrance_imports_the_command_line() -> None:
    importing = {room(path) for path in modules() for _, there, _ in imports(path) if there == "cli"}
    assert importing - {"cli"} == {"__main__"}


def test_statistics_import_numpy_scipy_and_the_array_floor_alone() -> None:
    for path in modules():
        if room(path) == "stats":
            found = {(package, there) for package, there, _ in imports(path)}
            foreign = {(p, t) for p, t in found if p not in sys.stdlib_module_names}
            ours = {("assay", one) for one in ("arrays", "classes", "stats")}
            assert foreign <= {("numpy", ""), ("scipy", ""), *ours}, path


def test_the_package_itself_imports_nothing_before_it_is_asked() -> None:
    tree = parsed(SOURCE / "__init__.py")
    assert not [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


# --- dependencies ---


def test_every_third_party_import_is_a_declared_dependency_and_every_one_is_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {_package(line) for line in project["dependencies"]}
    extras = project["optional-dependencies"]
    optional = {_package(line) for name, lines in extras.items() if name != "dev" for line in lines}
    used = {
        (package, lazy)
        for path in modules()
        for package, _, lazy in imports(path)
        if package != "assay" and package not in sys.stdlib_module_names
    }
    assert declared <= {package for package, _ in used} <= declared | optional
    assert not {package for package, lazy in used if not lazy} & optional


def _package(requirement: str) -> str:
    return re.split(r"[<>=~!\[; ]", requirement, maxsplit=1)[0].replace("-", "_")


def test_no_dependency_comes_from_an_address() -> None:
    for name in ("pyproject.toml", "constraints.txt"):
        assert "://" not in (ROOT / name).read_text("utf-8")


# --- who prints ---


@each("path", [path for path in modules() if room(path) not in PRINTING])
def test_only_the_command_line_and_the_demo_print(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("print", "click.echo", "echo", "sys.stdout.write", "sys.stderr.write"), called


# --- starting ---


LOADED = "import sys; print([name for name in ('numpy', 'scipy', 'rich') if name in sys.modules], file=sys.stderr)"


def test_importing_assay_loads_nothing_heavy() -> None:
    done = python(f"import assay; assay.__version__; dir(assay); {LOADED}")
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), ("compare", "--help"), ("scroe",), ("score", "--nope"), ("compare", "a", "b")],
    ids=" ".join,
)
def test_help_version_and_usage_errors_load_nothing_heavy(arguments: tuple[str, ...]) -> None:
    script = f"""
import sys
from assay.cli import run
try:
    run(sys.argv[1:])
except SystemExit:
    pass
{LOADED}
"""
    done = python(script, *arguments)
    assert done.stderr.splitlines()[-1] == "[]", done.stderr
    assert "Traceback" not in done.stderr


def test_a_comparison_loads_neither_scipy_nor_another_task() -> None:
    script = """
import sys
import assay
from assay.render import render
folder = sys.argv[1]
gold, *systems = (f"{folder}/{name}.conllu" for name in ("gold", "hanta", "udpipe"))
result = assay.compare(gold, systems, column="XPOS", times=100)
print(sorted(name for name in sys.modules if name.startswith("assay.tasks.") and name.endswith(".task")))
for form in ("json", "tsv", "md", "latex", "html"):
    assert render(result, form)
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("scipy", "rich")))
print(len(result.comparisons))
"""
    done = python(script, str(SOURCE / "demo" / "english"))
    assert done.stdout.splitlines() == ["['assay.tasks.tags.task']", "[]", "3"], done.stderr


# --- public names ---


def test_public_names_are_those_that_can_be_loaded() -> None:
    import assay

    assert set(assay.__all__) == {*assay._HOMES, "__version__"}
    assert dir(assay) == sorted(assay.__all__)
    tree = parsed(SOURCE / "__init__.py")
    typed = {
        alias.name
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == set(assay._HOMES)
    with pytest.raises(AttributeError, match="has no attribute 'Scorer'"):
        assert assay.Scorer


def test_public_names_stay_what_they_are_in_whatever_order_they_are_used() -> None:
    script = """
import assay, sys
names = [name for name in assay.__all__ if name != "__version__"]
for name in (names if sys.argv[1] == "forward" else names[::-1]):
    getattr(assay, name)
print([name for name in names if not callable(getattr(assay, name))])
"""
    for order in ("forward", "backward"):
        assert python(script, order).stdout == "[]\n", order
