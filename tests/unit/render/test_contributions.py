"""What a difference is made of: in every task of the demo, in tables, in a line, and in JSON."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

import assay
from assay import Result
from assay.demo import _COMPARISONS, FOLDER
from assay.render import render
from assay.render.tables import describe_contributions
from assay.render.terminal import draw_text
from contributions import check_contributions
from unit.samples import spans


@cache
def entities() -> Result:
    """Entities of two systems of the demo, by both default measures."""
    folder = FOLDER / "entities"
    return assay.compare(folder / "gold.tsv", [folder / "rules.tsv", folder / "crf-names.tsv"], times=100)


def test_contributions_of_every_task_of_the_demo_add_up() -> None:
    ways = set()
    for group, gold, systems, options in _COMPARISONS.values():
        folder = FOLDER / group
        others = systems or sorted(path.name for path in folder.glob("*.conllu") if path.name != gold)
        chosen = {**options, "times": 20, "power": None}
        chosen |= {"train": str(folder / options["train"])} if "train" in options else {}
        result = assay.compare(folder / gold, [folder / name for name in others], **chosen)
        ways |= {(result.about.task, measure, by) for measure, by in check_contributions(result)}
    # Items are counted one by one in all tasks but for chains, which have documents.
    by_kind = {task for task, _, by in ways if by == "kind"}
    assert by_kind >= {"tags", "spans", "dependencies", "graphs", "relations", "links", "items", "coreference"}
    assert ("coreference", "muc", "document") in ways
    assert ("coreference", "conll", "document, to first order") in ways


def test_other_measures_and_slices_add_up() -> None:
    def compare(folder: str, gold: str, systems: list[str], *measures: str, **options: Any) -> set[tuple[str, str]]:
        paths = [FOLDER / folder / name for name in systems]
        return check_contributions(
            assay.compare(FOLDER / folder / gold, paths, list(measures) or None, times=20, **options)
        )

    taggers = ["hanta.conllu", "udpipe.conllu", "crfsuite.conllu"]
    ways = compare("english", "gold.conllu", taggers, "accuracy", "tag-f1", slices=["label"])
    assert ways >= {("accuracy", "slice:label"), ("accuracy", "document"), ("tag-f1", "label")}
    # Some labels count on one side only.
    assert compare("english", "gold.conllu", taggers, labels=["NOUN", "VERB"])
    tsv = ["rules.tsv", "crf-names.tsv", "spacy.tsv"]
    ways = compare("entities", "gold.tsv", tsv, "weighted", "semeval", slices=["span-length"])
    assert ways >= {("weighted", "slice:span-length"), ("semeval", "outcome")}
    # Averages over labels: each label by itself.
    ways = compare("messages", "gold.csv", ["keywords.csv", "learned.csv"], "label-f1", "balanced-accuracy")
    assert ways == {(measure, by) for measure in ("label-f1", "balanced-accuracy") for by in ("kind", "label")}
    trees = ["arc-eager.conllu", "arc-hybrid.conllu"]
    assert ("clas", "kind") in compare("trees", "gold.conllu", trees, "clas", "mlas", "relation-f1")
    assert ("parseval", "label") in compare("trees", "gold.mrg", ["pcfg-1.mrg", "pcfg-2.mrg"])


def test_a_line_names_the_kinds_of_changes() -> None:
    line = describe_contributions(entities(), "rules", "crf-names", "exact")
    assert line == "exact F1 −3.90 = +6.71 spans gained −17.08 lost +10.41 spurious removed −3.94 added"
    assert f"{line}." in " ".join(draw_text(entities()).split())
    folder = FOLDER / "english"
    tags = assay.compare(folder / "gold.conllu", [folder / "udpipe.conllu", folder / "hanta.conllu"], times=20)
    line = describe_contributions(tags, "udpipe", "hanta", "accuracy")
    assert line == "accuracy +0.79 = +4.59 corrections −3.80 new errors"


def test_the_table_ends_with_the_difference_and_its_interval() -> None:
    shown = draw_text(entities(), ["contributions"])
    assert "Where the difference on fair F1 comes from, rules → crf-names" in shown
    assert "spans lost                       56  −18.94 [−23.89, −13.99]°" in shown
    last = next(line for line in shown.splitlines() if line.startswith("all "))
    assert last.split()[:3] == ["all", "209", "−3.90"]


def test_contributions_take_the_place_of_effects_by_label() -> None:
    """Shares of items were right for accuracy alone: they added up to −5.17 where F1 falls by 8.55."""
    (diff,) = entities().diffs
    adds = entities().label_contributions(diff)
    assert sum(adds.values()) == pytest.approx(diff.difference, abs=1e-12)
    sizes = [abs(adds[row.label]) for row in diff.labels if row.label in adds]
    assert len(sizes) == 4
    assert sizes == sorted(sizes, reverse=True)
    assert "| label | spans | rules | crf-names | Δ | contribution |\n" in render(entities(), "md")
    assert "effect" not in json.dumps(json.loads(entities().to_json())["diffs"])


def test_json_has_the_contributions_and_reads_them_back() -> None:
    written = json.loads(entities().to_json())["contributions"]
    assert list(written[0]) == ["a", "b", "measure", "score", "by", "group", "items", "value", "low", "high"]
    assert Result.from_json(entities().to_json()).contributions == entities().contributions


def test_equal_systems_and_undefined_scores_have_none() -> None:
    gold = [[("a", "X"), ("b", "Y")]] * 3
    assert assay.compare(gold, {"a": gold, "b": gold}, times=20).contributions == ()
    # Without an answer there is no precision, and F1 of nothing against nothing is undefined.
    result = assay.compare(spans("", ""), {"a": spans("", ""), "b": spans("A1", "")}, ["exact"], times=20)
    assert {row.by for row in result.contributions} == set()
