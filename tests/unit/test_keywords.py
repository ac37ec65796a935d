"""Functions take the options of their commands, by name, value and default, and refuse others."""

from __future__ import annotations

import inspect
from typing import Literal, get_args, get_origin

import click
import numpy as np
import pytest

import assay
from assay.align import MISMATCH
from assay.cli import assay_command
from assay.engine.items import COURSES, KINDS, LABEL_ORDERS, UNRESOLVED
from assay.engine.options import Options
from assay.engine.task import tasks
from assay.errors import UsageError
from assay.keywords import OF_TASKS, OPTIONS
from cases import each

GOLD = [["DET", "NOUN", "VERB"], ["PRON", "VERB"]]
SYSTEM = [["DET", "NOUN", "NOUN"], ["PRON", "VERB"]]
OF_THE_TERMINAL = {
    *("form", "output", "html", "quiet", "fail_under", "fail_over", "fail_if_worse", "tolerance", "partial", "shard"),
    *("fail_if_breaks", "fail_unless", "help", "figures", "figure_formats", "paper", "tables", "full", "data"),
}
"""Where output goes, gates and parts: a function hands back a Result instead. For --data there is compare_sets."""
OTHERWISE = {"cross": {"functions": "function_labels"}, "bayes": {"ropes": "rope"}}
"""Options that have another name in Python, since they are said in another way."""
IN_PYTHON = {"bayes": {"alpha"}}
FILES = {"compare": {"items"}, "bayes": {"margins"}}
"""Options that write a file, or that are a second name of another."""


def values(kind: object) -> set[str]:
    """The texts that a type allows where it names them."""
    parts = [kind, *get_args(kind)]
    return {value for part in parts if get_origin(part) is Literal for value in get_args(part)}


@each("name", ["score", "compare", "agreement", "cross", "bayes"])
def test_a_function_has_the_options_of_its_command(name):
    command = assay_command.get_command(click.Context(assay_command), name)
    assert command is not None
    options = {
        OTHERWISE.get(name, {}).get(one.name, one.name): one
        for one in command.params
        if one.name not in {*OF_THE_TERMINAL, *FILES.get(name, ())}
    }
    parameters = inspect.signature(getattr(assay, name)).parameters
    if files := options.pop("files", None):
        options |= {"gold": files, "systems": files}
    assert {*parameters} - IN_PYTHON.get(name, set()) == {*options}
    for key, one in options.items():
        if isinstance(one.type, click.Choice):
            assert values(parameters[key].annotation) in ({*one.type.choices}, set()), key
        # Texts are converted: PER,LOC to two labels, 0.8 to a number.
        if isinstance(one.default, int) or (isinstance(one.type, click.Choice) and isinstance(one.default, str)):
            assert parameters[key].default == one.default, key


def test_options_have_the_values_that_the_engine_knows():
    kinds = (*KINDS, UNRESOLVED, "disagreement", *COURSES)
    known = {"label_order": LABEL_ORDERS, "on_mismatch": MISMATCH, "kind": kinds}
    assert {name: OPTIONS[name].choices for name in known} == known


def test_tasks_name_options_that_exist():
    for task in tasks().values():
        assert {*task.options} <= {*OPTIONS}, task.name


@each("name", ["train", "lexicon", "oov_fold_case", "labels", "missing", "tagset"])
@each("task", ["tags", "spans", "dependencies", "graphs", "relations", "links", "constituents", "coreference"])
def test_a_task_stops_at_an_option_that_it_does_not_use(task, name):
    options = Options(**{name: {"missing": "empty", "labels": "A", "oov_fold_case": True}.get(name, "x")})
    if name in tasks()[task].options:
        options.check_task(tasks()[task])
    else:
        with pytest.raises(UsageError, match=rf"^{OPTIONS[name].flag} is for .*, but {task} (are|is) compared\."):
            options.check_task(tasks()[task])


def test_a_table_of_ratings_stops_at_options_of_files():
    with pytest.raises(UsageError, match=r"^--train is for tags, .*, but ratings are compared\. Remove --train\."):
        assay.agreement({"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "x"}}, train="train.txt")


@each(
    ("call", "hint"),
    [
        (lambda: assay.score(GOLD, SYSTEM, colum="XPOS"), "'colum'. Did you mean column"),
        (lambda: assay.compare(GOLD, [SYSTEM, GOLD], baselin="a"), "'baselin'. Did you mean baseline"),
        (lambda: assay.compare_sets({"one": GOLD}, [], colum="XPOS"), "'colum'. Did you mean column"),
        (lambda: assay.agreement([SYSTEM, GOLD], sytems=[]), "'sytems'. Did you mean systems"),
        (lambda: assay.cross([], [], theory=[]), "'theory'. Did you mean theories"),
        (lambda: assay.bayes([], draw=2), "'draw'. Did you mean draws"),
        (lambda: assay.measure("las", repai="discard"), "'repai'. Did you mean repair"),
    ],
)
def test_a_wrong_keyword_is_told_the_nearest(call, hint):
    with pytest.raises(UsageError, match=f"^there is no keyword {hint}"):
        call()


@each(
    ("given", "message"),
    [
        ({"times": 1.5}, "times: expected a whole number, but got 1.5."),
        ({"seed": "7"}, "seed: expected a whole number, but got '7'."),
        ({"strict_tagset": "yes"}, "strict_tagset: expected True or False, but got 'yes'."),
        ({"jobs": 2.0}, "jobs: expected a whole number, but got 2.0."),
        ({"measures": [None]}, "measures: expected a list of strings, a string or None, but got [None]."),
        ({"slices": None}, "slices: expected a string or a list of strings, but got None."),
        ({"map": 1}, "map: expected a string, a path or None, but got 1."),
        ({"interval": 1}, "interval: expected a string, but got 1."),
    ],
)
def test_values_of_another_kind_are_refused(given, message):
    with pytest.raises(UsageError) as caught:
        assay.score(GOLD, SYSTEM, **given)
    assert str(caught.value) == message


NO_DATA = "Give a file, or a list of sentences, each a list of labels."


@each(
    ("call", "message"),
    [
        (assay.score, "score() needs gold. Give gold."),
        (lambda: assay.score(None), "expected systems or annotators, but got None."),
        (lambda: assay.score(None, SYSTEM), f"gold: expected a path or data, but got None. {NO_DATA}"),
        (lambda: assay.score([None], SYSTEM), f"gold: expected a path or data, but got None. {NO_DATA}"),
        (lambda: assay.score({}, SYSTEM), "gold: contains no words. Give one list of labels per sentence."),
        (lambda: assay.score(1, 2), "expected systems or annotators, but got 2. Give paths or data, e.g. "),
        (lambda: assay.compare(GOLD, None), "expected systems or annotators, but got None."),
        (lambda: assay.compare(GOLD, {"x": None}), f"x: expected a path or data, but got None. {NO_DATA}"),
        (lambda: assay.compare(GOLD, [None, None]), "system 1: expected a path or data, but got None."),
        (lambda: assay.compare_sets(None), "expected data sets by name, but got None. Give e.g. {'de': 'de.conllu'}"),
        (lambda: assay.compare_sets({1: GOLD}, SYSTEM), "expected data sets by name, but got {1: "),
        (lambda: assay.agreement(None), "expected systems or annotators, but got None."),
        (lambda: assay.agreement([GOLD, None]), "system 2: expected a path or data, but got None."),
        (lambda: assay.bayes(None), "runs: expected a table of runs, but got None. Give a CSV or TSV file, "),
        (lambda: assay.bayes([]), "runs: expected a table of runs, but got []."),
        (lambda: assay.bayes("r.csv", lower=1), "lower: expected a list of strings or a string, but got 1."),
        (lambda: assay.read(None), "path: expected a path, but got None."),
        (lambda: assay.cross(None, []), "theories: expected a list of strings, but got None."),
        (lambda: assay.cross([], [], function_labels={"a": 1}), "function_labels: expected a dictionary or None,"),
        (lambda: assay.measure(1), "measure 1 is not of the form name or name(key=value, ...)."),
        (lambda: assay.measure("las", slices=1), "slices: expected a string or a list of strings, but got 1."),
        (lambda: assay.measure("accuracy")(1, 2), f"gold: expected a path or data, but got 1. {NO_DATA}"),
    ],
)
def test_what_is_no_data_is_one_sentence(call, message):
    with pytest.raises(assay.AssayError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_numbers_of_numpy_are_numbers():
    whole = np.int64
    ours = assay.compare(
        GOLD,
        {"a": GOLD, "b": SYSTEM},
        seed=whole(3),
        times=whole(50),
        examples=whole(1),
        jobs=whole(1),
        power=np.float64(0.9),
    )
    theirs = assay.compare(GOLD, {"a": GOLD, "b": SYSTEM}, seed=3, times=50, examples=1, power=0.9)
    assert ours.to_json() == theirs.to_json()


def test_options_of_tasks_are_those_that_tasks_name():
    assert {name for task in tasks().values() for name in task.options} == OF_TASKS <= OPTIONS.keys()
