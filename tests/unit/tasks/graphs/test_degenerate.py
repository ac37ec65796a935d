"""Graphs at the edge: nothing at all, very much, and labels that only some formats can hold."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import assay

NAN = pytest.approx(math.nan, nan_ok=True)


def rows(*cells: str, forms: str = "") -> str:
    """One sentence with these cells of DEPS."""
    lines = (
        f"{number}\t{forms or f'w{number}'}\t_\t_\t_\t_\t_\t_\t{cell}\t_\n" for number, cell in enumerate(cells, 1)
    )
    return "".join(lines) + "\n"


def scored(folder: Path, gold: str, system: str, measures: list[str], ending: str = "conllu") -> dict[str, dict]:
    """Counts and scores by measure."""
    paths = []
    for name, text in (("gold", gold), ("system", system)):
        (folder / f"{name}.{ending}").write_text(text, "utf-8")
        paths.append(str(folder / f"{name}.{ending}"))
    result = assay.score(paths[0], {"s": paths[1]}, measures, times=1)
    found: dict[str, dict] = {row.measure: dict(row.counts) for row in result.counts if row.label is None}
    for row in result.scores:
        if row.label is None:
            found[row.measure][row.score] = row.value
    return found


@pytest.mark.parametrize(
    ("gold", "system", "values", "exact"),
    [
        (("_", "_"), ("_", "_"), (NAN, NAN, NAN), 1.0),
        (("0:root", "1:x"), ("_", "_"), (0.0, NAN, 0.0), 0.0),
        (("_", "_"), ("0:root", "1:x"), (0.0, 0.0, NAN), 0.0),
        (("0:root",), ("0:root",), (1.0, 1.0, 1.0), 1.0),
        (("1:x",), ("1:x",), (1.0, 1.0, 1.0), 1.0),
    ],
)
def test_no_arcs_and_one_word(tmp_path, gold, system, values, exact):
    found = scored(tmp_path, rows(*gold), rows(*system), ["elas", "euas", "elas-exact"])
    for measure in ("elas", "euas"):
        assert tuple(found[measure][name] for name in ("f1", "precision", "recall")) == values
    assert found["elas-exact"]["value"] == exact


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(assay.AssayError, match="empty"):
        scored(tmp_path, "", "", ["elas"])


def test_a_thousand_arcs_into_one_word(tmp_path):
    cell = "|".join(f"0:r{number}" for number in range(1000))
    other = "|".join(f"0:r{number}" for number in range(500, 1500))
    found = scored(tmp_path, rows(cell), rows(other), ["elas", "euas"])
    assert [found["elas"][name] for name in ("tp", "gold", "system")] == [500, 1000, 1000]
    assert found["euas"]["tp"] == 1000


def test_a_sentence_of_ten_thousand_words(tmp_path):
    size = 10_000
    gold = rows(*(f"{max(0, word - 1)}:x" for word in range(1, size + 1)))
    system = rows(*(f"{max(0, word - 1 - (word % 10 == 0))}:x" for word in range(1, size + 1)))
    found = scored(tmp_path, gold, system, ["elas", "elas(empty=align)"])
    assert [found["elas"][name] for name in ("tp", "head", "gold", "system")] == [9_000, 1_000, size, size]
    assert found["elas(empty=align)"]["tp"] == 9_000


def test_a_chain_of_a_thousand_empty_nodes(tmp_path):
    chain = "".join(
        f"1.{number}\t_\t_\t_\t_\t_\t_\t_\t{'1' if number == 1 else f'1.{number - 1}'}:x\t_\n"
        for number in range(1, 1001)
    )
    ends = ("1\ta\t_\t_\t_\t_\t_\t_\t0:root\t_\n", "2\tb\t_\t_\t_\t_\t_\t_\t1.1000:y\t_\n\n")
    text = ends[0] + chain + ends[1]
    found = scored(tmp_path, text, text, ["elas", "elas(empty=align)", "elas(empty=drop)"])
    assert [found[name]["tp"] for name in found] == [2, 1002, 1]
    assert all(found[name]["f1"] == 1.0 for name in found)


def test_any_label_in_json_and_ids_in_any_order(tmp_path):
    def graph(labels: list[str], ids: list[int]) -> str:
        anchors = [[{"from": 2 * place, "to": 2 * place + 1}] for place in range(3)]
        nodes = [{"id": number, "anchors": anchor} for number, anchor in zip(ids, anchors, strict=True)]
        edges = [{"source": ids[0], "target": ids[1 + place], "label": label} for place, label in enumerate(labels)]
        whole = {"id": "1", "flavor": 0, "input": "a b c", "tops": [ids[0]], "nodes": nodes, "edges": edges}
        return json.dumps(whole) + "\n"

    for labels in (["a|b", "c>d"], ["with space", "tab\tand:colon"]):
        found = scored(tmp_path, graph(labels, [0, 1, 2]), graph(labels, [7, 3, 5]), ["sdp"], "mrp")
        assert (found["sdp"]["tp"], found["sdp"]["gold"], found["sdp"]["system"]) == (3, 3, 3)
        found = scored(tmp_path, graph(labels, [0, 1, 2]), graph(labels[::-1], [0, 1, 2]), ["sdp"], "mrp")
        assert found["sdp"]["le"] == 2
