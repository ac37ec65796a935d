"""The whole way from what the user names to a Result: shards, what each amounts to, their sum."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.engine.finish import make_result
from assay.engine.options import Decided, Options
from assay.engine.parts import Covered, Part
from assay.engine.scores import Settings
from assay.engine.shard import measure_shard
from assay.engine.shards import Shard, check_options, checksum, shards_of
from assay.errors import InputError
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
        """What the shard amounts to."""
        covered = Covered(self.corpus, self.total, (self.shard.number,))
        systems = dict(self.shard.systems)
        return measure_shard(self.command, self.shard.gold, systems, self.specs, self.options, covered)


@dataclass(frozen=True)
class Step:
    """How far the work is."""

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
    """What is to be done with each shard."""
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
    """How all shards are to be read, as the first of them tells."""
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
