"""Shards: how folders of gold and systems fall into pieces that are read one by one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from assay.corpus.systems import named_systems
from assay.engine.options import Options
from assay.errors import InputError, UsageError, reason
from assay.formats import Files
from assay.formats.source import expand, folder_of

TEXT = 1 << 22
"""Files that follow each other are read together up to so many bytes of gold's text: 4 MB."""
PACKED = 8
"""How many bytes of text a byte of a compressed file is taken for."""


@dataclass(frozen=True)
class Shard:
    """Some files of gold and the files of each system that belong to them."""

    number: int
    gold: Files
    systems: tuple[tuple[str, Files], ...]


def shards_of(gold: Any, systems: Any) -> list[Shard]:
    """The shards, in order; none where what is given cannot be read piece by piece: single files, data, one stream.

    Which files go together depends on their sizes alone, so that the same folders always fall into the same shards.
    """
    if not _is_folder(gold):
        return []
    named = named_systems(systems)
    if not all(_is_folder(given) for given in named.values()):
        return []
    files = {name: expand(str(given)) for name, given in (("", gold), *named.items())}
    names = [_name(path) for path in files[""]]
    if len(set(names)) < len(names) or any([*map(_name, one)] != names for one in files.values()):
        # What does not correspond is for those to refuse who read it.
        return []
    shards = []
    for number, (first, end) in enumerate(_stretches(files[""])):
        chosen = {name: tuple(one[first:end]) for name, one in files.items()}
        systems_files = tuple((name, Files(str(given), chosen[name])) for name, given in named.items())
        shards.append(Shard(number, Files(str(gold), chosen[""]), systems_files))
    return shards


def _is_folder(given: Any) -> bool:
    return isinstance(given, str | Path) and str(given) != "-" and folder_of(str(given)) is not None


def _name(path: str) -> str:
    return PurePath(path).name.partition(".")[0]


def _stretches(files: Sequence[str]) -> list[tuple[int, int]]:
    """Files that follow each other, as long as they are small together."""
    stretches: list[tuple[int, int]] = []
    total = 0
    for number, file in enumerate(files):
        size = _size(file)
        if stretches and total + size <= TEXT:
            stretches[-1] = (stretches[-1][0], number + 1)
            total += size
        else:
            stretches.append((number, number + 1))
            total = size
    return stretches


def _size(file: str) -> int:
    try:
        return os.path.getsize(file) * (PACKED if file.endswith((".gz", ".xz")) else 1)
    except OSError as error:
        raise InputError(f"{file}: cannot be opened ({reason(error)}).") from None


def share_of(shards: Sequence[Shard], share: str) -> Sequence[Shard]:
    """The shards that one of several jobs takes: `3/16` is the third sixteenth, counted from 1."""
    number, _, jobs = share.partition("/")
    if not (number.isdigit() and jobs.isdigit() and 1 <= int(number) <= int(jobs)):
        raise UsageError(f"--shard {share}: write which of how many jobs this is, e.g. 3/16.")
    if int(jobs) > len(shards):
        what = "is 1 shard" if len(shards) == 1 else f"are {len(shards):,} shards"
        raise UsageError(
            f"--shard {share}: there {what} only, for small files are read together. Use at most so many jobs."
        )
    first, end = ((int(number) - back) * len(shards) // int(jobs) for back in (1, 0))
    return shards[first:end]


def checksum(shards: Sequence[Shard], *what: object) -> str:
    """What tells one corpus, and what is done with it, from others: the names of files, not where they lie."""
    names = [[PurePath(path).name for path in shard.gold.files] for shard in shards]
    systems = [name for name, _ in shards[0].systems]
    return hashlib.sha256(repr((names, systems, *what)).encode()).hexdigest()[:16]


def check_options(options: Options, shards: int) -> None:
    """Refuse what needs all of a corpus at once."""
    where = f"files are read one after the other here ({shards:,} shards)"
    if "frequency" in options.slices and options.train is None:
        raise UsageError(f"--slice frequency counts the words of all files, but {where}. Give --train.")
    if options.gold_errors:
        raise UsageError(f"--gold-errors is about one file, but {where}. Score them one by one.")
