"""How a tag falls apart into a part of speech and categories. Tagsets are data files; users can write their own."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError, unknown
from assay.tasks.tags.tagsets.kinds import KINDS, Tag, Tagset

__all__ = ["KINDS", "Tag", "Tagset", "built_in", "find"]


def built_in() -> dict[str, str]:
    """The names of the tagsets that come along, and their texts."""
    from importlib.resources import files

    folder = files("assay.tasks.tags.tagsets").joinpath("data")
    found = sorted((entry.name.removesuffix(".toml"), entry.read_text("utf-8")) for entry in folder.iterdir())
    return dict(found)


def find(name: str) -> Tagset:
    """A tagset by its name or by the path of its file."""
    # Reading tagset files costs imports that a run without a tagset need not pay for.
    from assay.tasks.tags.tagsets.load import from_text

    if name.endswith((".toml", ".json")):
        try:
            text = Path(name).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{name}: cannot be read ({error}).") from None
        return from_text(text, name)
    known = built_in()
    if name not in known:
        raise unknown("tagset", name, [*known, "a file my.toml"])
    return from_text(known[name], f"{name}.toml")
