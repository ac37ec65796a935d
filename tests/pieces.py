"""The demo's files cut into pieces, so that folders of several files stand for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import assay

DEMO = Path(assay.__file__).parent / "demo"


def cut(source: Path, folder: Path, pieces: int) -> str:
    """Write a file as so many files in a folder, and name the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = _blocks(source)
    for number in range(pieces):
        part = blocks[number * len(blocks) // pieces : (number + 1) * len(blocks) // pieces]
        (folder / f"piece-{number}{source.suffix}").write_text("".join(part), "utf-8")
    return str(folder)


def _blocks(source: Path) -> list[str]:
    """What must not be cut: sentences, trees, documents."""
    text = source.read_text("utf-8")
    if source.suffix == ".conll":
        return ["#begin document" + block for block in text.split("#begin document")[1:]]
    if text.startswith("TOKEN"):
        header, *documents = text.split("# assay:document_id")
        return [f"{header}# assay:document_id{document}" for document in documents]
    if source.suffix == ".jsonl":
        lines = text.splitlines(keepends=True)
        return sorted(lines, key=_place) if source.parent.name == "coreference" else lines
    if source.suffix == ".mrg":
        return text.splitlines(keepends=True)
    return [block + "\n\n" for block in text.strip("\n").split("\n\n")]


def _place(line: str) -> int:
    """Documents of JSON lines in the order of gold's."""
    key = (DEMO / "coreference" / "key.conll").read_text("utf-8")
    return key.index(f"({json.loads(line)['doc_key']})")


def folders(where: Path, room: str, gold: str, systems: Sequence[str], pieces: int) -> tuple[str, dict[str, str]]:
    """Gold and systems of one room of the demo as folders of so many files each."""
    whole = {name: cut(DEMO / room / name, where / name, pieces) for name in (gold, *systems)}
    return whole[gold], {Path(name).stem: whole[name] for name in systems}


def size_for(shards: int, folder: str) -> int:
    """How much text a shard may have, if the four files of a folder are to fall into so many shards."""
    sizes = [path.stat().st_size for path in sorted(Path(folder).iterdir())]
    return {1: sum(sizes), 2: max(sum(sizes[:2]), sum(sizes[2:])), 4: 1}[shards]
