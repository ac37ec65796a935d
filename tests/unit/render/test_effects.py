"""Effects of labels: printed where they add up to the difference, and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace

from assay import Result
from assay.demo import _COMPARISONS, FOLDER, _results
from assay.render import render
from effects import check_effects


def test_effects_of_every_task_of_the_demo_add_up_to_the_difference_that_is_printed() -> None:
    examples = sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and path.name != "experiment")
    found = {title: result for example in examples for title, result, _ in _results(example, "none")}
    assert {*_COMPARISONS} <= {*found}
    tables = {title: check_effects(result) for title, result in found.items()}
    # Accuracy and LAS are shares of gold's words; F1, link scores and chains are not.
    shown = {result.about.task for title, result in found.items() if tables[title]}
    assert shown == {"tags", "dependencies", "items"}
    for result in found.values():
        for diff in result.diffs:
            assert {row.effect is None for row in diff.labels} <= {not diff.has_effects}
            assert not (result.shown.matched and diff.has_effects)


def test_effects_of_older_files_are_shown_only_if_they_add_up() -> None:
    """Files from before have shares of all items, also if the score is F1."""
    (_, result, _), *_ = _results("entities", "none")
    (diff, *_) = result.diffs
    older = replace(diff, labels=tuple(replace(row, effect=0.01) for row in diff.labels))
    read = Result.from_json(replace(result, diffs=(older,)).to_json())
    assert read.diffs[0].labels[0].effect == 0.01
    assert not read.diffs[0].has_effects
    assert "effect" not in render(read, "tsv").partition("# By gold label")[2].partition("\n\n")[0]


def test_effects_that_do_not_add_up_are_null_in_json() -> None:
    (_, result, _), *_ = _results("entities", "none")
    assert {row["effect"] for diff in json.loads(result.to_json())["diffs"] for row in diff["labels"]} == {None}
