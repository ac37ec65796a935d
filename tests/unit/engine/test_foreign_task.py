"""A task that the engine has never seen: one record, and all of assay works with it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import assay
from assay import tasks as folder
from assay.align import Pair
from assay.arrays import NONE, as_codes, ratio
from assay.engine.counts import tally_outcomes
from assay.engine.items import Items
from assay.engine.measure import Proportion, measure, registered
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Task, tasks
from assay.formats import read_labels
from assay.render import render
from unit.samples import conllu, tagged

KINDS = ("hit", "more", "less")


def judge_arcs(pair: Pair) -> Items:
    """Arcs written as `head:label+head:label` in XPOS; the target of an arc is its head."""
    gold, system = pair.labels("XPOS")
    counterpart = np.full(len(pair.gold), NONE)
    counterpart[pair.gold_words] = pair.system_words
    rows = []
    for word, other in enumerate(counterpart.tolist()):
        ours, theirs = (set(cell.split("+")) - {"_"} for cell in (gold[word], "_" if other < 0 else system[other]))
        rows += [(word, *arc.split(":"), arc in ours, arc in theirs) for arc in sorted(ours | theirs)]
    rows.sort(key=lambda row: not row[3])
    known: dict[str, int] = {}
    label = as_codes([row[2] for row in rows], known)
    word, head = (np.array([int(row[i]) for row in rows]) for i in (0, 1))
    ours, theirs = (np.array([row[i] for row in rows], dtype=bool) for i in (3, 4))
    return Items.of(
        tuple(known),
        pair.gold.sentence_of[word],
        word,
        np.where(ours, label, NONE),
        np.where(theirs, label, NONE),
        ours & theirs,
        has_gold=ours,
        has_system=theirs,
        kinds=KINDS,
        kind=np.where(ours & theirs, 0, np.where(theirs, 1, 2)),
        label=label,
        partner=word,
        target=np.where(theirs, head, NONE),
        key=np.stack([word, head, label]),
    )


def prepare(run: Run) -> None:
    run.read(lambda _, item: read_labels(item, ["XPOS"]))
    run.decide(column="XPOS")
    run.align("XPOS")


@pytest.fixture(name="arcs", autouse=True)
def given_arcs(monkeypatch) -> None:
    """A task `arcs` beside the others, for the time of a test."""
    module = ModuleType("assay.tasks.arcs.task")
    measures = ModuleType("assay.tasks.arcs.measures")
    scores = {
        "f1": lambda sums: ratio(2 * sums["hit"], sums["gold"] + sums["system"]),
        "recall": Proportion("hit", "gold"),
    }
    judge_arcs.__module__ = measures.__name__
    measure("arcs", scores=scores, main="f1", count=tally_outcomes, task="arcs")(judge_arcs)
    module.TASK = Task(
        name="arcs",
        noun="arc",
        drawing=Drawing("tags", places=lambda run, items: (items.item * 0, items.item * 0 + 1, {})),
        measures=(measures,),
        defaults=("arcs",),
        agreement=("arcs",),
        prepare=prepare,
        matched=True,
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, "assay.tasks.arcs", ModuleType("assay.tasks.arcs"))
    sys.modules["assay.tasks.arcs"].__path__ = []
    monkeypatch.setattr(folder, "NAMES", (*folder.NAMES, "arcs"))
    tasks.cache_clear()
    yield
    registered.pop("arcs", None)
    tasks.cache_clear()


def written(file, name, *sentences):
    text = conllu(*(tagged(sentence) for sentence in sentences))
    return file(name, "".join("\t".join(swapped(line)) for line in text.splitlines(keepends=True)))


def swapped(line: str) -> list[str]:
    """The tags, which are arcs, in the column XPOS."""
    cells = line.split("\t")
    return [*cells[:3], "X", cells[3], *cells[5:]] if len(cells) == 10 else cells


@pytest.fixture(name="files")
def given_files(file):
    gold = written(file, "gold.conllu", "a/2:x+3:y b/0:r c/_", "d/0:r e/1:x")
    first = written(file, "first.conllu", "a/2:x b/0:r c/1:z", "d/0:r e/1:x")
    second = written(file, "second.conllu", "a/2:x+3:z b/0:r c/1:z", "d/0:r e/_")
    return gold, [first, second]


def test_scores_tests_changes_bounds_and_slices_follow(files):
    gold, systems = files
    result = assay.compare(gold, systems, task="arcs", times=50, slices=("label",), examples=2, embed="all")
    assert (result.shown.noun, result.about.items) == ("arc", 5)
    overall = [row.value for row in result.scores if row.main and row.label is None and row.slice is None]
    assert overall == [pytest.approx(8 / 10), pytest.approx(6 / 10)]
    (diff,) = [row for row in result.diffs if row.slice is None]
    assert (diff.items, diff.corrections, diff.new_errors) == (7, 0, 2)
    assert {row.before for row in result.transitions} == {*KINDS, "none"}
    assert result.bounds[0].upper == 4 / 5
    assert {row.slice for row in result.scores} >= {None, "label=x", "label=r"}
    assert result.examples
    assert result.texts["systems"] == ["first", "second"]


@pytest.mark.parametrize("form", ["tsv", "md", "latex", "json", "html"])
def test_every_renderer_shows_it(files, form):
    gold, systems = files
    result = assay.compare(gold, systems, task="arcs", times=5, examples=1, embed="all")
    assert re.search(r"\barcs?\b", render(result, form))


def test_annotators_of_it_agree(files):
    gold, systems = files
    result = assay.agreement([gold, systems[0]], task="arcs", times=5)
    assert [row.value for row in result.scores if row.main and row.label is None] == [pytest.approx(8 / 10)]


def test_its_shards_add_up(file, tmp_path, files, monkeypatch):
    from assay.engine import run

    monkeypatch.setattr(run, "TEXT", 1)
    gold, systems = files
    folders = []
    for name, path in zip(("gold", "first", "second"), (gold, *systems), strict=True):
        sentences = Path(path).read_text().split("\n\n")[:2]
        (tmp_path / name).mkdir()
        for number, sentence in enumerate(sentences):
            (tmp_path / name / f"{number}.conllu").write_text(sentence.strip() + "\n\n")
        folders.append(str(tmp_path / name))
    assert len(run.find_shards(folders[0], folders[1:])) == 2
    whole = assay.compare(gold, systems, task="arcs", times=20)
    parts = assay.compare(folders[0], folders[1:], task="arcs", times=20)
    assert parts.diffs == whole.diffs
    assert parts.counts == whole.counts
