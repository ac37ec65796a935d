"""Imports point one way, third-party packages are declared, and starting is cheap."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "assay"
HEAVY = ("numpy", "scipy", "rich")

# Each room and the rooms it may import; `assay` is the package itself, for its version.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "arrays": set(),
    "remarks": set(),
    "specs": {"errors"},
    "corpus": {"arrays", "errors"},
    "adapters": {"arrays", "corpus", "errors"},
    "readers": {"arrays", "corpus", "errors", "specs"},
    "write": {"corpus", "errors", "labels", "readers", "schemes"},
    "matching": {"arrays"},
    "schemes": {"arrays", "corpus", "errors"},
    "spans": {"arrays", "errors", "schemes"},
    "spanpairs": {"arrays", "corpus", "errors", "matching"},
    "lexicon": {"corpus", "readers", "schemes", "spanpairs"},
    "judgements": {"arrays"},
    "counts": {"arrays", "judgements"},
    "tagsets": {"arrays", "corpus", "errors"},
    "weights": {"arrays", "corpus", "errors", "expressions", "readers", "tagsets"},
    "chains": {"arrays", "judgements", "matching"},
    "chainpairs": {"arrays", "chains", "corpus", "errors"},
    "align": {"arrays", "chainpairs", "corpus", "errors", "judgements", "spanpairs", "tagsets", "weights"},
    "arcs": {"arrays", "corpus"},
    "treelabels": set(),
    "functiontrees": {"arrays", "errors"},
    "constituents": {"align", "arrays", "corpus", "matching", "spanpairs", "treelabels"},
    "measures": {
        *("align", "arcs", "arrays", "chainpairs", "chains", "constituents", "corpus", "counts", "errors"),
        *("functiontrees", "judgements", "matching", "spanpairs", "specs", "tagsets", "treelabels", "weights"),
    },
    "stats": {"arrays"},
    "posteriors": set(),
    "result": {"errors", "posteriors", "readers"},
    "mapping": {"arrays", "corpus", "errors", "expressions", "readers", "result"},
    "checks": {"align", "arrays", "corpus", "errors", "judgements", "remarks", "spanpairs", "tagsets", "weights"},
    "systems": {"adapters", "corpus", "errors"},
    "labels": {"corpus", "readers"},
    "sensitivity": {"align", "arrays", "matching", "measures", "result", "tagsets", "weights"},
    "slices": {"align", "arcs", "arrays", "corpus", "errors", "judgements", "lexicon", "spanpairs"},
    "outcomes": {"arrays", "judgements", "result"},
    "changes": {"arrays", "judgements", "outcomes", "result"},
    "tallies": {"arrays", "counts"},
    "figures": {"arrays", "counts", "measures", "result", "stats", "tallies"},
    "prepare": {
        *("align", "arcs", "arrays", "chainpairs", "checks", "constituents", "corpus", "counts"),
        *("errors", "judgements", "labels", "lexicon", "mapping", "measures", "outcomes", "readers", "remarks"),
        *("result", "adapters", "schemes", "spanpairs", "systems", "tagsets", "weights"),
    },
    "pagetexts": {"arrays", "errors"},
    "examples": {"arrays", "arcs", "corpus", "errors", "judgements", "outcomes", "prepare", "result", "spanpairs"},
    "texts": {
        *("arcs", "arrays", "corpus", "examples", "judgements", "outcomes", "pagetexts", "prepare", "spanpairs"),
    },
    "parts": {
        *("arrays", "examples", "measures", "outcomes", "pagetexts", "prepare", "remarks", "result", "tallies"),
    },
    "measured": {
        *("arrays", "corpus", "counts", "examples", "figures", "judgements", "matching", "measures"),
        *("outcomes", "pagetexts", "parts", "prepare", "readers", "remarks", "slices", "systems", "tallies", "texts"),
    },
    "shards": {"errors", "prepare", "readers", "systems"},
    "clusters": {"assay", "errors"},
    "workers": {"errors"},
    "expressions": set(),
    "files": {"errors"},
    "parallel": {"assay", "clusters", "errors", "measured", "parts", "prepare", "shards", "workers"},
    "partfiles": {
        *("assay", "counts", "errors", "examples", "outcomes", "pagetexts", "parts", "prepare", "readers", "remarks"),
        *("result", "tallies"),
    },
    "finished": {
        *("assay", "changes", "counts", "errors", "examples", "figures", "measured", "measures", "outcomes"),
        *("pagetexts", "parts", "readers", "remarks", "result", "sensitivity", "slices", "stats", "tagsets"),
        "tallies",
    },
    "evaluate": {"errors", "figures", "finished", "measured", "parallel", "parts", "prepare", "result", "shards"},
    "crossframework": {
        *("arcs", "arrays", "assay", "changes", "constituents", "corpus", "counts", "errors"),
        *("figures", "finished", "functiontrees", "labels", "measured", "measures", "outcomes", "pagetexts"),
        *("prepare", "readers", "remarks", "result", "specs", "tallies", "texts", "treelabels"),
    },
    "runtables": {"errors"},
    "experiment": {
        *("assay", "clusters", "corpus", "errors", "evaluate", "files", "measures"),
        *("prepare", "readers", "result", "runtables", "specs", "workers"),
    },
    "manyruns": {
        *("arrays", "assay", "errors", "evaluate", "experiment", "posteriors", "readers", "result", "runtables"),
        *("adapters", "stats", "systems"),
    },
    "metric": {"adapters", "errors", "evaluate", "measures", "prepare"},
    "gates": {"errors", "result"},
    "annotators": {"errors", "evaluate", "measures", "parts", "prepare", "result", "systems"},
    "render": {"citations", "errors", "files", "posteriors", "result"},
    "citations": {"assay", "errors", "result"},
}
# A Result shows itself in a notebook: it asks the renderers when it is looked at, not before; and the measures for their
# defaults when a figure is looked up by another spelling of its measure.
LAZILY = {"result": {"render", "measures"}}
# Above all others: they may import everything, and only these two may import the command line.
TOP = {"cli", "demo"}
ENTRANCES = {"__main__"}
PRINTING = {"cli", "demo"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    """The first part of a module's name below the package; `assay` for the package's own file."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "assay" if first == "__init__" else first


ROOMS = {room(path) for path in modules()} - {"assay"}


def imports(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Top-level package, room within assay (or nothing), and whether the import stands within a function."""
    tree = ast.parse(path.read_text("utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        lazy = id(node) in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _named(alias.name, lazy)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            if module == "assay":
                for alias in node.names:
                    yield from _named(f"assay.{alias.name}" if alias.name in ROOMS else "assay", lazy)
            else:
                yield from _named(module, lazy)


def _named(module: str, lazy: bool) -> Iterator[tuple[str, str, bool]]:
    package, _, rest = module.partition(".")
    within = (rest.partition(".")[0] or "assay") if package == "assay" else ""
    yield package, within, lazy


def python(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


# --- directions ---


def test_every_room_has_its_place_in_the_table() -> None:
    assert {*ALLOWED, *TOP, *ENTRANCES} == ROOMS


def test_the_table_itself_points_one_way() -> None:
    """Rooms can be put in an order in which each imports only rooms before it."""
    placed: set[str] = {"assay"}
    left = dict(ALLOWED)
    while left:
        ready = {name for name, allowed in left.items() if allowed <= placed}
        assert ready, f"these import each other in a circle: {sorted(left)}"
        placed |= ready
        left = {name: allowed for name, allowed in left.items() if name not in ready}


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    here = room(path)
    for package, there, lazy in imports(path):
        if package != "assay" or there == here or here in TOP or here == "assay":
            assert package != "assay" or here != "assay" or there not in TOP
            continue
        if here in ENTRANCES:
            assert there == "cli"
        elif lazy and there in LAZILY.get(here, set()):
            continue
        else:
            assert there in ALLOWED[here], f"{here} imports {there}"


def test_the_table_allows_no_more_than_is_imported() -> None:
    imported: dict[str, set[str]] = {name: set() for name in ALLOWED}
    for path in modules():
        here = room(path)
        found = {there for package, there, _ in imports(path) if package == "assay"}
        imported.setdefault(here, set()).update(found - {here} - LAZILY.get(here, set()))
    assert {name: imported[name] for name in ALLOWED} == ALLOWED


def test_only_the_entrances_and_the_demo_import_the_command_line() -> None:
    importing = {room(path) for path in modules() for _, there, _ in imports(path) if there == "cli"}
    assert importing - {"cli"} == {"__main__", "demo"}


def test_statistics_import_numpy_scipy_and_the_array_floor_alone() -> None:
    for path in modules():
        if room(path) == "stats":
            found = {(package, there) for package, there, _ in imports(path)}
            foreign = {(p, t) for p, t in found if p not in sys.stdlib_module_names}
            assert foreign <= {("numpy", ""), ("scipy", ""), ("assay", "arrays"), ("assay", "stats")}, path


def test_the_package_itself_imports_nothing_before_it_is_asked() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text("utf-8"))
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


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_only_the_command_line_and_the_demo_print(path: Path) -> None:
    if room(path) in PRINTING:
        pytest.skip("it may")
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
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


def test_the_default_comparison_loads_no_scipy() -> None:
    script = """
import sys
import assay
from assay.render import render
folder = sys.argv[1]
gold, *systems = (f"{folder}/{name}.conllu" for name in ("gold", "hanta", "udpipe"))
result = assay.compare(gold, systems, column="XPOS")
for form in ("json", "tsv", "md", "latex", "html"):
    assert render(result, form)
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("scipy", "rich")))
print(len(result.comparisons))
"""
    done = python(script, str(SOURCE / "demo" / "english"))
    assert done.stdout.splitlines() == ["[]", "3"], done.stderr


# --- public names ---


def test_public_names_are_those_that_can_be_loaded() -> None:
    import assay

    assert set(assay.__all__) == {*assay._HOMES, "__version__"}
    assert dir(assay) == sorted(assay.__all__)
    tree = ast.parse((SOURCE / "__init__.py").read_text("utf-8"))
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
