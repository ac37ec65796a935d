"""Risks through the whole way: shards, units by name, several systems, tables and sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.render.page import page
from assay.render.tables import tables

GOLD = [["A", "B", "A", "C"], ["B", "A"], ["A", "A", "C"], ["C", "B"]] * 15


def err(wrong: dict[int, int], sentences: int = len(GOLD)) -> list[list[str]]:
    """Gold with the first words of some sentences wrong."""
    return [["X"] * wrong.get(at, 0) + tags[wrong.get(at, 0) :] for at, tags in enumerate(GOLD[:sentences])]


OLD = err({0: 1, 8: 2, 20: 2})
NEW = err({3: 2, 21: 1, 22: 3})
SYSTEMS = {"old": OLD, "new": NEW}


def conllu(tags: list[list[str]], folder: Path, files: int) -> str:
    """Sentences in some files of a folder, with a comment that comes again in other files."""
    folder.mkdir()
    for file in range(files):
        text = ""
        for at in range(file, len(tags), files):
            text += f"# speaker = s{at % 7}\n"
            text += "".join(f"{n}\tw\t_\t{tag}\t_\t_\t0\t_\t_\t_\n" for n, tag in enumerate(tags[at], 1)) + "\n"
        (folder / f"{file}.conllu").write_text(text, "utf-8")
    return str(folder)


@pytest.mark.parametrize("unit", ["sentence", "meta:speaker"])
def test_shards_add_up_to_the_same_risks(tmp_path: Path, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {name: conllu(tags, tmp_path / name, 3) for name, tags in {"gold": GOLD, **SYSTEMS}.items()}
    systems = {name: paths[name] for name in SYSTEMS}
    more = {"unit": unit, "times": 20, "column": "UPOS", "risk": 0.1}
    whole = assay.compare(paths["gold"], systems, ["accuracy"], **more).risks
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    parts = assay.compare(paths["gold"], systems, ["accuracy"], **more).risks
    assert len(whole) == 2 and whole == parts
    assert (whole[0].broken, whole[0].of, whole[0].corrected) == (6, sum(map(len, GOLD)) - 5, 5)


def test_each_order_of_each_pair_or_those_of_the_baseline() -> None:
    systems = {**SYSTEMS, "third": err({5: 1}), "same": OLD}
    result = assay.compare(GOLD, systems, ["accuracy"], times=20, risk=0.1)
    pairs = {(row.a, row.b): row for row in result.risks}
    # Identical systems have no row.
    assert len(pairs) == 12 - 2 and ("old", "same") not in pairs
    assert {pair for pair, row in pairs.items() if row.labels} == {("third", "old"), ("old", "third")}
    assert pairs["old", "new"].broken == pairs["new", "old"].corrected
    based = assay.compare(GOLD, systems, ["accuracy"], times=20, baseline="old", risk=0.1)
    assert [(row.a, row.b) for row in based.risks] == [("old", "new"), ("old", "third")]
    assert all(row.labels for row in based.risks)
    assert based.risks[0].p == pairs["old", "new"].p
    assert assay.compare(GOLD, {"a": OLD, "b": OLD}, ["accuracy"], times=20).risks == ()


def test_slices_by_a_comment_are_data_sets_only_with_a_limit(tmp_path: Path) -> None:
    paths = {name: conllu(tags, tmp_path / name, 1) for name, tags in {"gold": GOLD, **SYSTEMS}.items()}
    systems = {name: paths[name] for name in SYSTEMS}
    more = {"column": "UPOS", "slices": ["meta:speaker"], "times": 20, "unit": "sentence"}
    plain, asked = (assay.compare(paths["gold"], systems, ["accuracy"], **more, risk=risk) for risk in (None, "10%"))
    assert [row.by for row in plain.risks] == ["", ""]
    over = [row for row in asked.risks if row.by == "meta:speaker"]
    assert [len(row.parts) for row in over] == [7, 7]
    assert (over[0].broken, over[0].of) == (asked.risks[0].broken, asked.risks[0].of)
    assert sum(part.broken for part in over[0].parts) == over[0].broken
    assert over[0].new_p is not None and 0 < over[0].new_p < 1
    titles = [table.title for table in tables(asked, ["risk"])]
    assert titles[:2] == ["Regression risk", "Regression risk on a new value of meta:speaker"]
    assert asked.chance[-1].startswith("On a part like these (by meta:speaker), expect new to break ")
    assert plain.chance[-1] == "new breaks 3.75% [0.94, 10.39] of what old has right (6 of 160 words)."


def test_over_data_sets_the_index_draws_a_strip_and_few_of_them_are_named() -> None:
    golds = {"x": GOLD[:20], "y": GOLD[20:40], "z": GOLD[40:]}
    systems = {name: {"x": tags[:20], "y": tags[20:40], "z": tags[40:]} for name, tags in SYSTEMS.items()}
    results = assay.compare_sets(golds, systems, ["accuracy"], times=20, risk=0.1)
    row = results.overall.risks[0]
    # Nothing differs in z, which counts all the same.
    assert [(part.name, part.broken) for part in row.parts] == [("x", 2), ("y", 4), ("z", 0)]
    assert (row.by, row.limit) == ("data set", 0.1)
    (table,) = [table for table in tables(results.overall, ["risk"]) if "new data set" in table.title]
    assert table.notes[-1] == "With fewer than 5 data sets, the answer depends mostly on the prior."
    index = dict(assay.render.page.pages(results))["index.html"]
    assert index.count('<circle class="dot"') == 3 and 'class="band"' in index
    assert "riskTab" in page(results["x"])
