"""The whole way from what the user names to a Result: shards, what each amounts to, their sum."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from assay.corpus.systems import named_systems
from assay.engine.finish import make_result
from assay.engine.options import Decided, Options, task_options
from assay.engine.parts import Covered, Part
from assay.engine.scores import Settings
from assay.engine.shard import measure_shard
from assay.errors import InputError, UsageError, reason
from assay.formats import Files
from assay.formats.source import expand, folder_of
from assay.result import Result


@dataclass(frozen=True)
class Piece:
    """One shard, and all that has to be known to measure it."""

    command: str
    shard: Shard
    specs: tuple[str, ...]
    options: Options
    corpus: str
    total: int

    def under(self, decided: Decided) -> Piece:
        """The same piece where it is settled how shards are read."""
        return replace(self, options=replace(self.options, decided=decided))

    def measure(self) -> Part:
        """The Part of the shard."""
        covered = Covered(self.corpus, self.total, (self.shard.number,))
        systems = dict(self.shard.systems)
        return measure_shard(self.command, self.shard.gold, systems, self.specs, self.options, covered)


@dataclass(frozen=True)
class Step:
    """Progress of the work."""

    done: int
    total: int
    tokens: int
    """Words of gold."""
    seconds: float

    @property
    def left(self) -> float:
        """The seconds that the rest will take, if it goes on like this."""
        return self.seconds / self.done * (self.total - self.done)


Report = Callable[[Step], None]
Over = Callable[[Sequence["Piece"]], Iterable[Part]]
"""Who measures pieces: the parts come in their order."""


def in_turn(pieces: Sequence[Piece]) -> Iterator[Part]:
    """The parts of pieces, one after the other."""
    return (piece.measure() for piece in pieces)


def evaluate_shards(
    command: str,
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None,
    options: Options,
    settings: Settings | None = None,
    *,
    over: Over = in_turn,
    report: Report = lambda step: None,
) -> Result:
    """The Result for whichever command asks; what `settings` has drawn already serves again."""
    specs = [measures] if isinstance(measures, str) else list(measures or ())
    shards = shards_of(gold, systems)
    if len(shards) < 2:
        return make_result(measure_shard(command, gold, systems, specs, options), settings)
    return make_result(add_all(pieces_of(command, shards, specs, options), over, report), settings)


def pieces_of(command: str, shards: Sequence[Shard], specs: Sequence[str], options: Options) -> list[Piece]:
    """The work to be done with each shard."""
    options.check()
    check_options(options, len(shards))
    corpus = checksum(shards, command, tuple(specs), options)
    return [Piece(command, shard, tuple(specs), options, corpus, len(shards)) for shard in shards]


def add_all(pieces: Sequence[Piece], over: Over, report: Report) -> Part:
    """The sum of all shards. The first of them tells how the others are to be read.

    Where later shards tell that all should have been read in another way, all are read again.
    """
    first = pieces[0].under(Decided()).measure()
    whole = add_under(pieces, first.decided, over, report, first)
    if whole.told == whole.decided:
        return whole
    again = add_under(pieces, whole.told, over, report)
    _check_unchanged(pieces, whole, again)
    return again


def _check_unchanged(pieces: Sequence[Piece], before: Part, again: Part) -> None:
    """Refuse files that are not the same when they are read again."""
    shards = [(piece.shard.gold, *(files for _, files in piece.shard.systems)) for piece in pieces]
    for side, then, now in zip(zip(*shards, strict=True), before.digests, again.digests, strict=True):
        paths = [path for files in side for path in files.files]
        for path, was, is_now in zip(paths, then, now, strict=True):
            if was != is_now:
                raise InputError(f"{path}: was changed while it was read. Run it again when it is complete.")


def decided_by(piece: Piece) -> Decided:
    """The way to read all shards, as the first of them tells."""
    return piece.under(Decided()).measure().decided


def add_under(
    pieces: Sequence[Piece], decided: Decided, over: Over, report: Report, first: Part | None = None
) -> Part:
    """Measure shards in one way and add them up; the first may have been measured already."""
    begun, whole = time.monotonic(), first
    waiting = [piece.under(decided) for piece in pieces[first is not None :]]
    done = len(pieces) - len(waiting)
    for part in over(waiting):
        whole = part if whole is None else whole + part
        done += 1
        report(Step(done, len(pieces), whole.gold.words, time.monotonic() - begun))
    assert whole is not None
    return whole


TEXT = 1 << 22
"""Files that follow each other are read together up to so many bytes of gold's text: 4 MB."""
PACKED = 8
"""Bytes of text that a byte of a compressed file is taken for."""


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
    """A checksum of a corpus and of what is done with it: of the names of files, not of where they lie."""
    names = [[PurePath(path).name for path in shard.gold.files] for shard in shards]
    systems = [name for name, _ in shards[0].systems]
    return hashlib.sha256(repr((names, systems, *what)).encode()).hexdigest()[:16]


def check_options(options: Options, shards: int) -> None:
    """Refuse what needs all of a corpus at once."""
    where = f"files are read one after the other here ({shards:,} shards)"
    if "frequency" in options.slices and options.train is None:
        raise UsageError(f"--slice frequency counts the words of all files, but {where}. Give --train.")
    for name, option in task_options().items():
        if option.one_file and getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')} is about one file, but {where}. Score them one by one.")
