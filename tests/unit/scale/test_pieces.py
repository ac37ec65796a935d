"""A large file is read in pieces if the Result is then the same to the last digit, and as a whole otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine import run
from assay.engine.counts import BLOCKS
from assay.formats import pieces
from pieces import DEMO
from unit.samples import refusal, tsv

ENGLISH = ("english", "gold.conllu", ("crfsuite.conllu", "hanta.conllu", "udpipe.conllu"))
NAMES = ("entities", "gold.tsv", ("rules.tsv", "spacy.tsv"))
TREES = ("trees", "gold.conllu", ("arc-eager.conllu", "arc-hybrid.conllu"))
ARCS = {"task": "dependencies", "measures": ["las", "clas", "mlas", "tokens", "tree-match", "relation-f1"]}

Edit = Callable[[str], str]


def as_is(text: str) -> str:
    """The text itself."""
    return text


def without_comments(text: str) -> str:
    """Sentences that have numbers for ids, in a file that marks no documents."""
    return re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)


def with_header(text: str) -> str:
    """A table whose first line names the columns."""
    return "word\tlabel\n" + text


def with_one_sentence_less(text: str) -> str:
    """All but the second sentence."""
    first, _, rest = text.split("\n\n", 2)
    return f"{first}\n\n{rest}"


def with_another_word(text: str) -> str:
    """Another word in the last sentence."""
    before, first, after = text.rpartition("\n1\t")
    return f"{before}{first}x{after}"


def with_blank_lines(text: str) -> str:
    """Three blank lines between sentences, and none after the last one."""
    return text.strip("\n").replace("\n\n", "\n\n\n\n")


def with_numbered_documents(text: str) -> str:
    """Documents whose ids are numbers, which could be taken for those of their places."""
    numbers: Iterator[int] = iter(range(3, 10_000))
    return re.sub(r"^# newdoc.*$", lambda _: f"# newdoc id = {next(numbers)}", text, flags=re.MULTILINE)


def with_a_short_row(text: str) -> str:
    """A row that lacks a cell, far below."""
    rows = text.split("\n")
    place = next(place for place in range(len(rows) * 3 // 4, len(rows)) if rows[place][:2] == "2\t")
    rows[place] = rows[place].rpartition("\t")[0]
    return "\n".join(rows)


def with_carriage_returns(text: str) -> str:
    """Lines that end as those of Windows."""
    return text.replace("\n", "\r\n")


SAME: dict[str, tuple[Any, dict[str, Any], Edit]] = {
    "tags": (ENGLISH, {"slices": ("sentence-length", "label", "document"), "embed": "auto"}, as_is),
    "tags without comments": (ENGLISH, {"slices": "label", "embed": "auto"}, without_comments),
    "tags by documents": (ENGLISH, {"unit": "document", "interval": "wilson"}, as_is),
    "categories": (ENGLISH, {"measures": ["pa"], "column": "XPOS", "tagset": "ptb"}, as_is),
    "mapped and left out": (ENGLISH, {"ignore_labels": ("PUNCT",), "interval": "bca"}, as_is),
    "blank lines": (ENGLISH, {}, with_blank_lines),
    "spans": (NAMES, {"measures": ["exact", "fair"], "slices": ("span-length", "label"), "embed": "auto"}, as_is),
    "tables with a header": (NAMES, {"column": "label"}, with_header),
    "arcs": (TREES, {**ARCS, "slices": ("distance", "projectivity", "label"), "embed": "auto"}, as_is),
    "arcs without comments": (TREES, ARCS, without_comments),
}
WHOLE: dict[str, tuple[Any, dict[str, Any], Edit]] = {
    "metadata": (ENGLISH, {"slices": "meta:genre"}, as_is),
    "units by metadata": (ENGLISH, {"unit": "meta:genre"}, as_is),
    "known words": (ENGLISH, {"train": str(DEMO / "english" / "known-words.txt")}, as_is),
    "frequency": (ENGLISH, {"slices": "frequency"}, as_is),
    "documents without ids": (ENGLISH, {"slices": "document"}, with_numbered_documents),
    "line ends": (ENGLISH, {}, with_carriage_returns),
    "all sentences on the page": (ENGLISH, {"embed": "all"}, as_is),
    "one document as unit": (ENGLISH, {"unit": "document"}, without_comments),
}
REFUSED: dict[str, tuple[Any, dict[str, Any], Edit, str]] = {
    "a sentence less": (ENGLISH, {}, with_one_sentence_less, "sentences agree"),
    "another word": (ENGLISH, {}, with_another_word, "The texts differ"),
    "a short row": (TREES, ARCS, with_a_short_row, r"arc-hybrid\.conllu:\d+: 9 columns"),
    "an empty column": (ENGLISH, {"column": "FEATS"}, as_is, "column FEATS is empty"),
}


def write(where: Path, files: Any, edit: Edit, only: str = "") -> tuple[str, dict[str, str]]:
    """Gold and systems of the demo, all of them or one edited."""
    room, *sides = files[0], files[1], *files[2]
    for name in sides:
        text = (DEMO / room / name).read_text("utf-8")
        (where / name).write_bytes((edit(text) if only in ("", name) else text).encode())
    return str(where / sides[0]), {Path(name).stem: str(where / name) for name in sides[1:]}


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of pieces, each time that pieces have been added up without an error."""
    numbers: list[int] = []

    def add(shards: Any, *rest: Any) -> Any:
        whole = add_shards(shards, *rest)
        numbers.append(len(shards))
        return whole

    add_shards = run.add_shards
    monkeypatch.setattr(run, "add_shards", add)
    return numbers


def cut(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Have all files cut into pieces of this size, none if it is 0."""
    monkeypatch.setattr(pieces, "LARGE", 1 if size else 1 << 40)
    monkeypatch.setattr(pieces, "SIZE", size)


@pytest.mark.parametrize("name", SAME)
def test_pieces_give_the_result_of_the_whole(name, tmp_path, monkeypatch, added):
    files, options, edit = SAME[name]
    gold, systems = write(tmp_path, files, edit)
    results = []
    for size in (0, Path(gold).stat().st_size // 20, Path(gold).stat().st_size // 3):
        cut(monkeypatch, size)
        results.append(assay.compare(gold, systems, times=50, examples=3, **options).to_json())
    # A piece without spans makes the whole be read.
    assert added[-1] > 1 and (len(added) == 2 or name in ("spans", "tables with a header"))
    assert results[1] == results[0]
    assert results[2] == results[0]


@pytest.mark.parametrize("name", WHOLE)
def test_what_needs_the_whole_reads_the_whole(name, tmp_path, monkeypatch, added):
    files, options, edit = WHOLE[name]
    gold, systems = write(tmp_path, files, edit)
    results = []
    for size in (0, 1):
        cut(monkeypatch, size)
        try:
            results.append(assay.compare(gold, systems, times=50, **options).to_json())
        except assay.AssayError as error:
            results.append(str(error))
    assert results[1] == results[0]


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_those_of_the_whole_with_its_lines(name, tmp_path, monkeypatch, added):
    files, options, edit, fact = REFUSED[name]
    gold, systems = write(tmp_path, files, edit, only=files[2][-1])
    messages = []
    for size in (0, 1):
        cut(monkeypatch, size)
        messages.append(refusal(assay.compare, gold, systems, **options))
    assert re.search(fact, messages[0])
    assert messages[1] == messages[0]
    assert not added


def test_sentences_that_differ_are_left_out_of_the_whole(tmp_path, monkeypatch, added):
    gold, systems = write(tmp_path, ENGLISH, with_one_sentence_less, only="hanta.conllu")
    results = []
    for size in (0, 1):
        cut(monkeypatch, size)
        results.append(assay.compare(gold, systems, on_mismatch="skip", times=50))
    assert results[1].to_json() == results[0].to_json()
    assert any("left out" in warning for warning in results[1].warnings)


def test_a_tagset_that_only_the_whole_shows_makes_it_be_read_as_a_whole(tmp_path, monkeypatch, added):
    """Each sentence has tags of 30 kinds, too few to look as if they had parts; all together have 300."""
    from assay.tasks.tags import tagsets

    monkeypatch.setattr(tagsets, "recognise_tagset", lambda counts: "ptb" if len(counts) > 100 else "")
    texts = [[(f"w{part}-{word}", f"T{part}x{word}") for word in range(30)] for part in range(10)]
    for side in ("gold", "a"):
        (tmp_path / f"{side}.tsv").write_text(tsv(*texts))
    cut(monkeypatch, 1)
    shown: list[str] = []
    real = run.measure_shard
    monkeypatch.setattr(run, "measure_shard", lambda *given: shown.append(type(given[1]).__name__) or real(*given))
    assay.score(str(tmp_path / "gold.tsv"), {"a": str(tmp_path / "a.tsv")}, "accuracy")
    assert shown == ["Files"] * 10 + ["str"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_very_many_sentences_and_documents_over_processes(jobs, tmp_path, monkeypatch, added):
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 12, size=2 * BLOCKS)
    for side, wrong in (("gold", 0.0), ("a", 0.1), ("b", 0.2)):
        rows = []
        for number, size in enumerate(sizes.tolist()):
            rows.append(f"# newdoc id = d{number // 90}\n" if number % 90 == 0 else "")
            tags = np.where(rng.random(size) < wrong, "U", "V").tolist()
            rows += [f"{n}\tw{n}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for n, tag in enumerate(tags, 1)]
            rows.append("\n")
        (tmp_path / f"{side}.conllu").write_text("".join(rows))
    given = str(tmp_path / "gold.conllu"), {name: str(tmp_path / f"{name}.conllu") for name in "ab"}
    results = []
    for size in (0, 400_000):
        cut(monkeypatch, size)
        results.append(assay.compare(*given, ["accuracy", "tag-f1"], times=50, jobs=jobs, examples=2).to_json())
    assert added[0] > 2
    assert results[1] == results[0]
