"""The scripts of the report page, checked by TypeScript: types, unused names, values that may be missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.result import About, Presentation, Result

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "src" / "assay" / "render" / "assets"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
UNTYPED = "@typedef {any} Result */"
TYPED = '@typedef {import("./result").Result} Result */'


def find_compiler() -> str | None:
    """Path of `tsc` in the folder that NODE_MODULES names, in node_modules, or on the path; None if there is none."""
    folders = [os.environ.get("NODE_MODULES", ""), str(ROOT / "node_modules")]
    places = [str(Path(folder) / ".bin") for folder in folders if folder]
    return next(filter(None, (shutil.which("tsc", path=place) for place in [*places, None])), None)


def type_of(kind: Any, classes: list[Any]) -> str:
    """The type of a field in TypeScript; dataclasses that are met for the first time are added to `classes`."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if is_dataclass(kind):
        if kind not in classes:
            classes.append(kind)
        return typing.cast(type, kind).__name__
    if origin in (types.UnionType, typing.Union):
        return " | ".join(type_of(one, classes) for one in arguments)
    if origin is Mapping:
        return f"Record<string, {type_of(arguments[1], classes)}>"
    if origin is tuple:
        items = [type_of(one, classes) for one in arguments if one is not Ellipsis]
        return f"({items[0]})[]" if arguments[-1] is Ellipsis else f"[{', '.join(items)}]"
    return "any"


def declarations() -> str:
    """What JSON gives of a Result, as interfaces of TypeScript: undefined numbers are numbers here."""
    classes: list[Any] = [Result]
    parts = []
    for kind in classes:
        hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))
        rows = ((field.metadata.get("json", field.name), hints[field.name]) for field in fields(kind))
        lines = [f"  {name}: {type_of(hint, classes)};" for name, hint in rows if name]
        # The scripts read facts and how they are shown as fields of the Result itself (data.js).
        extends = f" extends {About.__name__}, {Presentation.__name__}" if kind is Result else ""
        parts.append("\n".join([f"export interface {kind.__name__}{extends} {{", *lines, "}"]))
    return "\n".join(parts)


def check(compiler: str, settings: Path) -> str:
    """What the compiler finds."""
    command = [compiler, "--project", str(settings), "--pretty", "false"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert bool(done.returncode) == bool(done.stdout), done.stderr
    return done.stdout


@pytest.fixture
def compiler() -> str:
    found = find_compiler()
    if found is None:
        pytest.skip("no tsc on this machine: npm install typescript, and NODE_MODULES if it is in another folder")
    return found


def test_the_types_of_the_scripts_are_right(compiler: str) -> None:
    assert check(compiler, ROOT / "jsconfig.json") == ""


def test_the_scripts_know_the_fields_of_a_result(compiler: str, tmp_path: Path) -> None:
    """With the fields that Python declares, and with one of them under another name."""
    shutil.copytree(ASSETS, tmp_path, dirs_exist_ok=True)
    report = (ASSETS / "report.js").read_text("utf-8")
    assert report.count(UNTYPED) == 1
    (tmp_path / "report.js").write_text(report.replace(UNTYPED, TYPED), encoding="utf-8")
    settings = (ROOT / "jsconfig.json").read_text("utf-8").replace("src/assay/render/assets/", "")
    (tmp_path / "jsconfig.json").write_text(settings, encoding="utf-8")
    declared = declarations()
    (tmp_path / "result.d.ts").write_text(declared, encoding="utf-8")
    assert check(compiler, tmp_path / "jsconfig.json") == ""
    (tmp_path / "result.d.ts").write_text(declared.replace("exact_in_one", "exact_anywhere"), encoding="utf-8")
    assert "Property 'exact_in_one' does not exist on type 'Bound'" in check(compiler, tmp_path / "jsconfig.json")


def test_every_export_of_a_script_is_imported() -> None:
    """What no other script imports needs no export."""
    exports: dict[str, str] = {}
    imports: set[str] = set()
    for path in ASSETS.glob("*.js"):
        text = path.read_text("utf-8")
        names = re.findall(r"^export (?:async )?(?:const|let|function|class) (\w+)", text, re.MULTILINE)
        exports |= dict.fromkeys(names, path.name)
        for group in re.findall(r"\bimport \{([^}]*)\} from", text):
            imports |= {name.strip() for name in group.split(",")}
    assert len(exports) > 80
    assert {name: file for name, file in exports.items() if name not in imports} == {}


def test_no_name_is_declared_in_two_scripts() -> None:
    """The scripts are one text in the page, where a name that is declared twice stops all of them."""
    found: dict[str, list[str]] = {}
    for path in ASSETS.glob("*.js"):
        pattern = r"^(?:export )?(?:async )?(?:const|let|function|class) (?:[\[{]([^\]}]*)[\]}]|(\w+))"
        for several, single in re.findall(pattern, path.read_text("utf-8"), re.MULTILINE):
            for name in (single or several).split(","):
                found.setdefault(name.strip(), []).append(path.name)
    assert len(found) > 300
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
