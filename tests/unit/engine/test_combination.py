"""What the vote and the learnt choice of several systems reach, and the file that is made of it."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError, UsageError
from assay.render.tables import tables
from assay.result import Bound, Result

LABELS = "ABCD"
DEMO = Path(assay.__file__).parent / "demo"


def tagged(seed: int, sentences: int = 60, systems: int = 3) -> tuple[list[Any], dict[str, list[Any]]]:
    """Words with random tags, and systems that are right more often on some labels than on others."""
    rng = np.random.default_rng(seed)
    gold = [[(f"w{number}-{at}", str(rng.choice([*LABELS]))) for at in range(5)] for number in range(sentences)]
    outputs = {}
    for system in range(systems):
        sure = {label: 0.95 if at % systems == system else 0.6 for at, label in enumerate(LABELS)}
        outputs[f"s{system}"] = [
            [(word, tag if rng.random() < sure[tag] else str(rng.choice([*LABELS]))) for word, tag in sentence]
            for sentence in gold
        ]
    return gold, outputs


def compare(gold: Any, systems: Any, **options: Any) -> Result:
    return assay.compare(gold, systems, times=1, power=None, **options)


def figures(bound: Bound) -> tuple[Any, ...]:
    ends = (bound.learnt_low, bound.learnt_high, bound.p, bound.folds)
    return (bound.single, bound.vote, bound.learnt, bound.bound, *ends)


def test_neither_the_vote_nor_the_learnt_choice_passes_the_bound() -> None:
    for seed in range(5):
        result = compare(*tagged(seed), measures=["accuracy"])
        for bound in result.bounds:
            assert bound.vote <= bound.upper and bound.learnt <= bound.upper and bound.bound == bound.upper
        for step in result.growth:
            assert step.vote <= step.upper and step.learnt <= step.upper
        assert (result.growth[-1].vote, result.growth[-1].learnt) == (result.bounds[0].vote, result.bounds[0].learnt)
        assert sum(row.n for row in result.bounds[0].trust) >= result.bounds[0].items


def test_no_order_and_no_name_of_systems_changes_anything() -> None:
    gold, systems = tagged(7)
    first = figures(compare(gold, systems, measures=["accuracy"]).bounds[0])
    for number, order in enumerate(permutations(systems)):
        renamed = {f"{'zyx'[at]}{number}": systems[name] for at, name in enumerate(order)}
        assert figures(compare(gold, renamed, measures=["accuracy"]).bounds[0]) == first


def test_a_gain_is_named_and_nothing_is_lost() -> None:
    gold, systems = tagged(1, 200)
    gains = compare(gold, systems, measures=["accuracy"]).bounds[0]
    assert gains.p <= 0.05 and gains.learnt > gains.single and ": a gain." in gains.verdict
    # Of two systems that err at random nothing can be learnt.
    rng = np.random.default_rng(2)
    noise = {
        name: [[(word, tag if rng.random() < 0.7 else "E") for word, tag in sentence] for sentence in gold]
        for name in ("a", "b")
    }
    bound = compare([[(word, tag) for word, tag in sentence] for sentence in gold], noise).bounds[0]
    assert (": a gain" in bound.verdict) == (bound.p is not None and bound.p <= 0.05)
    assert "loses" not in bound.verdict


def test_identical_systems_and_few_units_have_no_verdict() -> None:
    gold, systems = tagged(3)
    same = compare(gold, {"a": systems["s0"], "b": systems["s0"]}).bounds[0]
    assert (same.vote, same.learnt, same.verdict, same.p) == (same.single, same.single, "", None)
    few = compare(gold[:19], {name: own[:19] for name, own in systems.items()}).bounds[0]
    assert few.learnt is None and few.vote is not None and "20 units" in few.not_combined
    with pytest.raises(UsageError, match="fewer than 20 units"):
        compare(gold[:19], {name: own[:19] for name, own in systems.items()}, combined=True)


def test_equal_sentences_are_in_one_fold_and_order_does_not_matter() -> None:
    gold, systems = tagged(4)
    turned = compare(gold[::-1], {name: own[::-1] for name, own in systems.items()}, measures=["accuracy"])
    assert figures(turned.bounds[0]) == figures(compare(gold, systems, measures=["accuracy"]).bounds[0])


def test_coreference_has_a_reason_in_place_of_a_combination() -> None:
    folder = DEMO / "coreference"
    systems = {name: folder / f"{name}.conll" for name in ("string-match", "pronoun-rules")}
    bound = compare(folder / "key.conll", systems).bounds[0]
    assert (bound.vote, bound.learnt) == (None, None) and "no partition" in bound.not_combined
    (table,) = tables(compare(folder / "key.conll", systems, measures=["arcs-any"]), ("bounds",))
    assert any("vote, learnt: not defined, because" in note for note in table.notes)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    folder = DEMO / "coreference"
    systems = {name: folder / f"{name}.conll" for name in ("string-match", "pronoun-rules")}
    with pytest.raises(UsageError, match="combinations of coreference cannot be written"):
        compare(folder / "key.conll", systems, combined=str(tmp_path / "x"))
    gold, outputs = tagged(5)
    for name, sentences in {"gold": gold, **outputs}.items():
        (tmp_path / f"{name}.conllu").write_text(conllu(sentences), encoding="utf-8")
    first = tmp_path / "s0.conllu"
    before = first.read_bytes()
    with pytest.raises(InputError, match="so that no input is overwritten"):
        compare(tmp_path / "gold.conllu", [first, tmp_path / "s1.conllu"], combined=str(first))
    assert first.read_bytes() == before and not (tmp_path / "x").exists()


def conllu(sentences: Any) -> str:
    blocks = []
    for sentence in sentences:
        rows = [f"{at}\t{word}\t_\t_\t{tag}\t_\t_\t_\t_\t_\n" for at, (word, tag) in enumerate(sentence, 1)]
        blocks.append("".join(rows) + "\n")
    return "".join(blocks)


def test_the_file_scores_what_is_printed(tmp_path: Path) -> None:
    gold, systems = tagged(5)
    for name, sentences in {"gold": gold, **systems}.items():
        (tmp_path / f"{name}.conllu").write_text(conllu(sentences), encoding="utf-8")
    paths = {name: tmp_path / f"{name}.conllu" for name in systems}
    out = tmp_path / "out.conllu"
    result = compare(tmp_path / "gold.conllu", paths, measures=["accuracy"], combined=str(out))
    assert out.read_text("utf-8").startswith("# combination = learnt from gold, by cross-fitting")
    for read in (out, result.combined):
        score = assay.score(tmp_path / "gold.conllu", {"c": read}, ["accuracy"], times=1, column="XPOS")
        assert score.score("c", "accuracy").value == result.bounds[0].learnt


def test_spans_and_trees_are_written_and_read_back(tmp_path: Path) -> None:
    for folder, ending, names, measure in (
        ("entities", "tsv", ("rules", "crf-names", "spacy"), "exact"),
        ("trees", "conllu", ("arc-eager", "arc-hybrid"), "las"),
    ):
        gold, out = DEMO / folder / f"gold.{ending}", tmp_path / f"out.{ending}"
        systems = {name: DEMO / folder / f"{name}.{ending}" for name in names}
        bound = compare(gold, systems, measures=[measure], combined=str(out)).bounds[0]
        assert assay.score(gold, {"c": out}, [measure], times=1).score("c", measure).value == bound.learnt


def test_relations_are_written_and_read_back(tmp_path: Path) -> None:
    for name in ("gold", "rules", "learned"):
        rows = [json.loads(line) for line in (DEMO / f"relations/{name}.jsonl").read_text("utf-8").splitlines()]
        copies = [{**row, "id": f"{row['id']}-{number}"} for number in range(3) for row in rows]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in copies), encoding="utf-8")
    gold, out, measure = tmp_path / "gold.jsonl", tmp_path / "out.jsonl", "relations(match=strict)"
    systems = {name: tmp_path / f"{name}.jsonl" for name in ("rules", "learned")}
    bound = compare(gold, systems, measures=[measure], combined=str(out)).bounds[0]
    assert assay.score(gold, {"c": out}, [measure], times=1).score("c", measure).value == bound.learnt


@pytest.mark.parametrize("unit", ["sentence", "document", None])
def test_shards_add_up_to_the_same_digits(tmp_path: Path, unit: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, systems = tagged(6, 120)
    for name, sentences in {"gold": gold, **systems}.items():
        (tmp_path / name).mkdir()
        for part in range(12):
            text = f"# newdoc id = d{part}\n" + conllu(sentences[10 * part : 10 * part + 10])
            (tmp_path / name / f"{part:02}.conllu").write_text(text, encoding="utf-8")
    paths = {name: tmp_path / name for name in systems}
    options: dict[str, Any] = {"measures": ["accuracy"], "unit": unit}
    whole = compare(tmp_path / "gold", paths, **options)
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    pieces = compare(tmp_path / "gold", paths, **options)
    assert (pieces.bounds, pieces.growth) == (whole.bounds, whole.growth)


def test_a_shard_without_spans_of_the_first_system_keeps_the_labels_of_gold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    chances = {"gold": (1.0, 1.0), "silent": (0.7, 0.0), "other": (0.5, 0.6)}
    rows = [[(f"w{at}", str(rng.choice(["B-PER", "B-LOC"]))), ("y", "O")] for at in range(80)]
    for name, shares in chances.items():
        (tmp_path / name).mkdir()
        for part, share in enumerate(shares):
            own = [
                "".join(f"{word}\t{tag if tag == 'O' or rng.random() < share else 'O'}\n" for word, tag in sentence)
                for sentence in rows[40 * part : 40 * part + 40]
            ]
            (tmp_path / name / f"{part}.tsv").write_text("\n".join(own) + "\n", encoding="utf-8")
    systems = {name: tmp_path / name for name in ("silent", "other")}
    options: dict[str, Any] = {"measures": ["exact"], "task": "spans", "unit": "sentence"}
    whole = compare(tmp_path / "gold", systems, **options)
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    pieces = compare(tmp_path / "gold", systems, **options)
    labels = {bound.label for bound in pieces.bounds}
    assert labels == {None, "PER", "LOC"} and pieces.bounds[0].learnt is not None
    assert (pieces.bounds, pieces.growth) == (whole.bounds, whole.growth)
