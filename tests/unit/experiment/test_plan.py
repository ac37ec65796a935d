"""The file of an experiment: every mistake is one line with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.experiment import read_plan, run
from assay.experiment.plan import RunId, Template
from assay.experiment.splits import Design
from unit.experiment.plans import COPY, corpus, plan
from unit.samples import refusal

File = Callable[[str, str | bytes], str]


def test_what_is_not_said_has_a_default(file: File) -> None:
    text = 'measures = ["accuracy"]\n[datasets.news]\npath = "gold.conllu"\n[systems.copy]\npredict = "tag"'
    experiment = read_plan(file("taggers.toml", text))
    assert experiment.datasets["news"].design == Design(10, 1, True, "sentence", "folds", 0)
    assert experiment.datasets["news"].design.description == "1 × 10 folds, 80/10/10 by sentence, seed 0"
    assert (experiment.store.name, experiment.runs.name) == ("taggers.sqlite", "taggers-runs")
    assert experiment.systems["copy"].blind


def test_runs_go_split_by_split_over_all_systems(file: File) -> None:
    systems = {"a": {"predict": COPY}, "b": {"predict": COPY}}
    experiment = read_plan(file("x.toml", plan(systems, repetitions=2, folds=2)))
    runs = list(experiment.run_ids())
    assert runs[:3] == [RunId("news", "a", 1, 1), RunId("news", "b", 1, 1), RunId("news", "a", 1, 2)]
    assert len(runs) == len(set(runs)) == 8
    assert str(runs[0]) == "news a r01-f01"


def test_options_of_a_data_set_come_before_those_of_all(file: File) -> None:
    text = plan(news={"oov_fold_case": True}) + '[scoring]\ncolumn = "UPOS"\nrepair = "discard"\n'
    assert dict(read_plan(file("x.toml", text)).datasets["news"].scoring) == {
        "column": "XPOS",
        "oov_fold_case": True,
        "repair": "discard",
    }


@pytest.mark.parametrize(
    ("given", "seconds"), [(90, 90.0), ("90s", 90.0), ("1.5m", 90.0), ("2h", 7200.0), ("1d", 86400.0)]
)
def test_times_have_units(file: File, given: Any, seconds: float) -> None:
    assert read_plan(file("x.toml", plan(time_limit=given))).systems["copy"].limit == seconds


SYSTEM = "[systems.copy]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("measures = [accuracy]", "x.toml:1: not TOML: Invalid value. Put text in quotes."),
        (plan(fold=3), "x.toml:4: there is no setting 'fold'. Did you mean folds?"),
        (plan(folds=1), "x.toml:2: folds: is 1, but must be at least 2."),
        (plan(folds=2, dev=True), "x.toml:2: folds: is 2, but must be at least 3."),
        (plan(folds="3"), "x.toml:2: folds: should be a whole number, not '3'."),
        (
            plan(repetitions=10**12),
            "x.toml:4: repetitions: makes more than 1,000,000 runs of all systems. Use fewer repetitions or folds.",
        ),
        (plan(folds=600_000, repetitions=2), "x.toml:2: folds: makes more than 1,000,000 runs of all systems."),
        (plan(dev=1), "x.toml:3: dev: should be true or false, not 1."),
        (plan(seed=True), "x.toml:4: seed: should be a whole number, not True."),
        (
            plan(by="word"),
            "x.toml:4: by: there is no choice 'word'. Available: sentence, document, item, meta:COLUMN.",
        ),
        (
            plan(measures=[]),
            'x.toml:1: measures: is empty. Write e.g. measures = ["accuracy"]; `assay measures` lists them.',
        ),
        (plan(measures=["accuracy", "accuracy"]), "x.toml:1: measures: accuracy is named twice."),
        (plan(measures=[1]), "x.toml:1: measures: should be a list of texts in quotes, not [1]."),
        (
            plan(name="a b"),
            "x.toml:4: name: the experiment 'a b' can contain only letters, digits and . + - _",
        ),
        (
            plan(time_limit="soon"),
            'x.toml:4: time_limit: should be a time such as 90 (seconds), "30m" or "2h", not \'soon\'.',
        ),
        (plan(news={"pth": "x"}), "x.toml:7: [datasets.news]: there is no setting 'pth'. Did you mean path?"),
        (plan(news={"path": 1}), "x.toml:5: [datasets.news] path: should be text in quotes, not 1."),
        (
            plan(news={"format": "conlu"}),
            "x.toml:7: [datasets.news] format: there is no format 'conlu'. Did you mean conllu or conll or conllx?",
        ),
        (
            plan({"a": {}}),
            'x.toml:7: [systems.a]: has no predict command. Write predict = "…"',
        ),
        (
            plan({"a": {"predict": 1}}),
            "x.toml:8: [systems.a] predict: should be a command in quotes, or a list of words, not 1.",
        ),
        (plan({"a": {"predict": ""}}), "x.toml:8: [systems.a] predict: the command is empty."),
        (
            plan({"a": {"predict": "x '"}}),
            "x.toml:8: [systems.a] predict: cannot be split into words (no closing quotation).",
        ),
        (
            plan({"a": {"predict": "x {tset}"}}),
            "x.toml:8: [systems.a] predict: there is no placeholder 'tset'. Did you mean test",
        ),
        (
            plan({"a": {"train": "x {test}", "predict": "x"}}),
            "x.toml:8: [systems.a] train: {test} is only for predict, because training must not see the test part.",
        ),
        (
            plan({"a": {"predict": "x {dev}"}}),
            "x.toml:8: [systems.a] predict: {dev}: there is no development part, because dev = false.",
        ),
        (
            plan({"a": {"predict": "x", "predictions": "y"}}),
            "x.toml:9: [systems.a] predictions: replaces the commands. Leave train and predict out.",
        ),
        (
            plan({"a": {"predictions": "y{model}"}}),
            "x.toml:8: [systems.a] predictions: there is no placeholder 'model'. Available: seed, data_set,",
        ),
        (
            plan({"a": {"predict": "x"}, "A": {"predict": "x"}}),
            "x.toml: [systems.a] and [systems.A] differ only in case. Rename one of them.",
        ),
        (
            plan() + "[systems.copy.environment]\nA = 1\n",
            "x.toml:11: [systems.copy.environment] A: should be text in quotes, not 1.",
        ),
        ('measures = ["accuracy"]', "x.toml: no datasets. Add a table such as [datasets.news]"),
        ('systems = 1\nmeasures = ["accuracy"]', "x.toml:1: systems: should be a table, not 1."),
    ],
)
def test_a_mistake_in_the_file_is_one_line_with_its_place(file: File, text: str, message: str) -> None:
    told = refusal(read_plan, file("x.toml", text))
    assert told.startswith(message) and "\n" not in told


def test_files_that_are_no_toml_are_refused(file: File) -> None:
    assert refusal(read_plan, "none.toml") == "none.toml: cannot be opened (no such file or directory)."
    assert refusal(read_plan, file("x.toml", b"\xff")) == "x.toml: is not UTF-8 (invalid start byte at byte 0)."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (plan(measures=["acuracy"]), "x.toml:1: measures: there is no measure 'acuracy'. Did you mean"),
        (plan(measures=["accuracy", "las"]), "x.toml:1: measures: belong to different tasks: tags, dependencies."),
        (
            plan(measures=["tag-f1/macro"]),
            "x.toml:1: measures: tag-f1 has no score 'macro'. Available: f1, precision",
        ),
        (plan(news={"path": "no.conllu"}), "x.toml:5: [datasets.news] path: there is no file "),
        (plan(news={"column": "XPSO"}), "x.toml:4: [datasets.news]: "),
        (plan(news={"column": "HEAD"}), "x.toml:4: [datasets.news]: "),
        (plan(news={"task": "tag"}), "x.toml:4: [datasets.news]: there is no task 'tag'. Did you mean tags?"),
        (
            plan(folds=13),
            "x.toml:4: [datasets.news]: news: 12 sentences cannot be divided into 13 folds. Use fewer folds.",
        ),
        (plan(store="no/x.sqlite"), "x.toml:4: store: there is no folder "),
        (
            plan({"a": {"predict": "no-such-program"}}),
            "x.toml:8: [systems.a] predict: the program no-such-program is not",
        ),
        (plan({"a": {"predict": "./tagger"}}), "x.toml:8: [systems.a] predict: there is no program "),
        (
            plan({"a": {"predict": "cat gold.conllu"}}),
            "x.toml:8: [systems.a] predict: gold.conllu is in the experiment's folder",
        ),
    ],
)
def test_what_must_fail_is_said_before_anything_is_run(file: File, text: str, message: str) -> None:
    file("gold.conllu", corpus(12))
    assert refusal(run, file("x.toml", text)).startswith(message)


def test_words_are_cut_before_they_are_filled() -> None:
    template = Template.of("tag --in '{test}' {{kept}} {print $1}", shell=False)
    values = {"test": "a folder/x y", "here": "/h"}
    assert template.argv(values) == ["tag", "--in", "a folder/x y", "{kept}", "{print", "$1}"]


def test_the_shell_gets_paths_in_quotes() -> None:
    template = Template.of("tag < {test} | sort", shell=True)
    assert template.argv({"test": "a folder/x y"}) == ["/bin/sh", "-c", "tag < 'a folder/x y' | sort"]


def test_a_program_with_a_slash_lies_beside_the_experiment() -> None:
    assert Template.of(["bin/tag", "bin/x"], shell=False).argv({"here": "/h"}) == ["/h/bin/tag", "bin/x"]
